//! What each setting does to a small document.

use std::sync::Arc;

use super::*;
use crate::document::Value;
use crate::features::FeatureSet;
use crate::hash;
use crate::lexicon::Assets;
use crate::registry::Registry;
use crate::testing::check_extractor;

/// 1000 documents; `the` in all of them.
struct Small;

impl Assets for Small {
    fn load(&self, name: &str) -> Result<Arc<Lexicon>> {
        assert_eq!(name, "english");
        let counts = [("the", 1000), ("plan", 100), ("health", 10)];
        Ok(Arc::new(Lexicon::from_counts(1000, counts.map(|(word, df)| (hash::bytes(word.as_bytes()), df)))))
    }
}

fn terms(toml: &str) -> Terms {
    let registry = Registry::empty();
    let mut params = Params::new("features", toml.parse().unwrap());
    Terms::from_params(&mut params, &BuildContext::new(&registry, &Small)).unwrap()
}

fn extract(toml: &str, document: &Document<'_>) -> Features {
    let mut features = Features::default();
    features.fill(&terms(toml), document);
    features
}

/// The features of a text as names and weights, in order; no weights count as 1.
fn features(toml: &str, text: &str) -> Vec<(&'static str, f32)> {
    let Features { hashes, mut weights, .. } = extract(toml, &Document::from_text(text));
    if weights.is_empty() {
        weights.resize(hashes.len(), 1.0);
    }
    assert_eq!(hashes.len(), weights.len());
    hashes.iter().map(|&hash| name(hash)).zip(weights).collect()
}

const WORDS: [&str; 12] =
    ["the", "plan", "health", "medicare", "3", "4th", "2009", "01", "may", "amp", "the plan", "plan health"];

fn name(feature: u64) -> &'static str {
    let of = |words: &str| extract("", &Document::from_text(words)).hashes[0];
    let of_two = |words: &str| extract("shingle = 2", &Document::from_text(words)).hashes[0];
    let hash = |words: &str| if words.contains(' ') { of_two(words) } else { of(words) };
    WORDS.into_iter().find(|words| hash(words) == feature).unwrap_or("?")
}

/// ln of a power of ten.
fn ln10(power: f32) -> f32 {
    (f64::from(power) * std::f64::consts::LN_10) as f32
}

fn close(got: &[(&str, f32)], expected: &[(&str, f32)]) {
    let same = got.len() == expected.len()
        && got.iter().zip(expected).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-5 * b.1.abs().max(1.0));
    assert!(same, "{got:?} is not {expected:?}");
}

#[test]
fn passes_the_conformance_suite() {
    for toml in [
        "",
        "weight = 'idf'",
        "weight = 'inverse'",
        "weight = 'log'\nshingle = 2\nposition = 'log'\ncap_top = 2.0\ntop = 50\nmetadata = ['a']",
        "markup = 'html'\ndates = 'drop'\ndigits = 'drop'\nstop_words = 'english'\nmin_length = 2",
        "position = '10^99'\nlow_threshold = 0.1",
    ] {
        check_extractor(&terms(toml));
    }
}

#[test]
fn plain_words_have_no_weights_and_are_single_shingles() {
    let text = "The plan: the Health plan";
    let got = extract("", &Document::from_text(text));
    assert!(got.weights.is_empty());
    let shingles = crate::features::Shingles::new(crate::features::Unit::Word, 1).unwrap();
    assert_eq!(got.hashes, crate::testing::hashes_of(&shingles, text));
    assert_eq!(features("shingle = 2", "the plan health"), [("the plan", 1.0), ("plan health", 1.0)]);
}

#[test]
fn idf_weighs_each_occurrence_and_drops_what_weighs_nothing() {
    let text = "the plan health plan medicare";
    let expected = [("plan", ln10(1.0)), ("health", ln10(2.0)), ("plan", ln10(1.0)), ("medicare", ln10(3.0))];
    close(&features("weight = 'idf'", text), &expected);
    assert!(features("weight = 'idf'", "the the").is_empty());
}

/// S09 §3.3 as it stands: tf times the inverse of df, without a logarithm. An unknown word is in one document.
#[test]
fn inverse_weighs_by_the_share_of_documents_itself() {
    let text = "the plan health plan medicare";
    let expected = [("the", 0.001), ("plan", 0.01), ("health", 0.1), ("plan", 0.01), ("medicare", 1.0)];
    close(&features("weight = 'inverse'", text), &expected);
    let merged = [("the", 0.001), ("plan", 0.02), ("health", 0.1), ("medicare", 1.0)];
    close(&features("weight = 'inverse'\ntop = 999", text), &merged);
    let spec = terms("weight = 'inverse'").spec();
    assert_eq!(spec.params["weight"].as_str(), Some("inverse"));
    assert!(spec.params.contains_key("lexicon"));
}

#[test]
fn log_counts_repeats_less() {
    let text = "plan health plan plan";
    let expected = [("plan", (1.0 + 3f32.ln()) * ln10(1.0)), ("health", ln10(2.0))];
    close(&features("weight = 'log'", text), &expected);
}

#[test]
fn an_n_gram_weighs_the_mean_of_its_words() {
    let expected = [("the plan", ln10(0.5)), ("plan health", ln10(1.5))];
    close(&features("weight = 'idf'\nshingle = 2", "the plan health"), &expected);
    close(&features("weight = 'idf'\nshingle = 5", "plan health"), &[("plan health", ln10(1.5))]);
    assert_eq!(features("weight = 'idf'\nshingle = 5", "plan").len(), 1);
}

/// A signer that sums weights gets the same from single occurrences and from merged features.
#[test]
fn occurrences_sum_to_the_merged_weights() {
    let text = "plan health the plan of the medicare plan: health";
    for toml in ["weight = 'idf'", "weight = 'idf'\nposition = 'cosine'", "position = 'log'\nshingle = 2"] {
        let sums = |toml: &str| FeatureSet::from_features(&extract(toml, &Document::from_text(text)));
        // No document has this many features, so this selects nothing but merges.
        let (plain, merged) = (sums(toml), sums(&format!("{toml}\ntop = 999")));
        assert_eq!(plain.hashes, merged.hashes);
        assert!(plain.weights.iter().zip(&merged.weights).all(|(a, b)| (a - b).abs() < 1e-5));
    }
}

#[test]
fn words_are_dropped_as_told() {
    let text = "The 3 plan on 2009-01-03, 4th may";
    let names = |toml| features(toml, text).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names("").len(), 9);
    assert_eq!(names("digits = 'drop'"), ["the", "plan", "?", "may"]);
    assert_eq!(names("dates = 'drop'"), ["the", "3", "plan", "?"]);
    assert_eq!(names("stop_words = 'english'"), ["3", "plan", "2009", "01", "?", "4th"]);
    assert_eq!(names("min_length = 3"), ["the", "plan", "2009", "4th", "may"]);
    assert_eq!(names("stop_words = 'english'\ndates = 'drop'\ndigits = 'drop'"), ["plan"]);
}

#[test]
fn n_grams_are_made_of_what_remains() {
    let got = features("shingle = 2\nstop_words = 'english'", "plan of the health");
    assert_eq!(got, [("plan health", 1.0)]);
}

#[test]
fn selection_sees_the_sum_of_occurrences() {
    let text = "plan the plan health plan";
    assert_eq!(features("top = 1", text), [("plan", 3.0)]);
    assert_eq!(features("low_threshold = 0.4", text), [("plan", 3.0)]);
    assert_eq!(features("high_threshold = 1.0", text), [("plan", 3.0)]);
    assert_eq!(features("band = '0:0.5'", text), [("the", 1.0), ("health", 1.0)]);
    assert_eq!(features("cap_top = 2.0", text), [("plan", 2.0), ("the", 1.0), ("health", 1.0)]);
}

#[test]
fn places_scale_weights() {
    let text = "plan health the medicare";
    let f = |x: f32| (x + 1.0).ln() / x;
    let expected = [("plan", f(1.0)), ("health", f(2.0)), ("the", f(3.0)), ("medicare", f(4.0))];
    close(&features("position = 'log'", text), &expected);
    // Half-way through the document the factor is 0: the word counts as absent.
    let cosine = features("position = 'cosine'", text);
    close(&cosine[cosine.len() - 2..], &[("the", 1.0), ("medicare", 2.0)]);
    close(
        &features("position = '1/x'\nweight = 'idf'", text)[..2],
        &[("plan", ln10(1.0)), ("health", ln10(1.0))],
    );
    close(&features("position = 'max(0, x-2)'", text), &[("the", 1.0), ("medicare", 2.0)]);
    close(
        &features("position = 'x*L'\nshingle = 2", "the plan health"),
        &[("the plan", 2.0), ("plan health", 4.0)],
    );
}

#[test]
fn markup_goes_and_tags_boost() {
    let text = "<h1>Plan</h1> health &amp; <script>the</script><i>plan</i>";
    assert_eq!(features("markup = 'html'", text), [("plan", 1.5), ("health", 1.0), ("plan", 1.5)]);
    close(
        &features("markup = 'html'\ntag_boost = 3\nweight = 'idf'", text)[..2],
        &[("plan", 3.0 * ln10(1.0)), ("health", ln10(2.0))],
    );
    let plain = extract("markup = 'html'\ntag_boost = 1", &Document::from_text(text));
    assert!(plain.weights.is_empty() && plain.hashes.len() == 3);
    assert!(features("", text).iter().any(|&(name, _)| name == "amp"), "without markup it is text");
}

#[test]
fn page_furniture_weighs_less_on_request() {
    let text = "<nav>the <b>plan</b></nav> health <footer>medicare</footer>";
    let expected = [("the", 0.5), ("plan", 0.75), ("health", 1.0), ("medicare", 0.5)];
    assert_eq!(features("markup = 'html'\nfurniture_weight = 0.5", text), expected);
    let without = features("markup = 'html'\nfurniture_weight = 0", text);
    assert_eq!(without, [("health", 1.0)]);
}

#[test]
fn fields_become_features_and_class() {
    let toml = "metadata = ['title', 'author']\nmetadata_weight = 0.5\nnumeric = 'rank:0:10'\nclass = 'kind'";
    let extractor = terms(toml);
    assert_eq!(extractor.fields(), ["title", "author", "rank", "kind"]);
    let fields = vec![
        Some(Value::Text("A plan".into())),
        None,
        Some(Value::Number(10.0)),
        Some(Value::Text("pdf".into())),
    ];
    let with = extract(toml, &Document { fields, ..Document::from_text("plan health plan") });
    assert_eq!(with.weights, [2.0, 1.0, 1.0, 2.0], "plan, health, half of the largest, all of it");
    assert_eq!(with.class, Some(hash::bytes(b"pdf")));
    let without = extract(toml, &Document::from_text("plan health plan"));
    assert_eq!((without.hashes, without.weights), (with.hashes[..2].to_vec(), vec![2.0, 1.0]));
    assert_eq!(without.class, None);
}

/// S09 §7.1.1: the field weighs as much as the smallest running sum of the text, so a change of it changes the simhash
/// wherever the two values vote differently on the bits that are decided so.
#[test]
fn a_changed_field_flips_bits_of_the_simhash() {
    use crate::sign::{Signer, Simhash};
    let words: Vec<String> = (0..300).map(|n| format!("word{}", n * n % 97)).collect();
    let text = words.join(" ");
    let simhash = |toml: &str, author: &str| {
        let fields = vec![Some(Value::Text(author.to_owned().into()))];
        let features = extract(toml, &Document { fields, ..Document::from_text(&text) });
        let mut signature = [0; 8];
        Simhash::new(64, 0).unwrap().sign(&features, &mut signature);
        (u64::from_le_bytes(signature), features.hashes.last().copied().unwrap())
    };
    let changes = |toml: &str| {
        let first = simhash(toml, "author 0").0;
        (1..200).filter(|n| simhash(toml, &format!("author {n}")).0 != first).count()
    };
    // Two values vote alike on one bit half of the time, and on sixteen bits hardly ever.
    let one = changes("metadata = ['author']\nmetadata_flips = 1");
    assert!((70..130).contains(&one), "{one}");
    assert_eq!(changes("metadata = ['author']\nmetadata_flips = 16"), 199);
    // As many bits as asked for are those of the field, at least.
    for bits in [1, 8, 40, 64] {
        let (signature, vote) =
            simhash(&format!("metadata = ['author']\nmetadata_flips = {bits}"), "somebody");
        assert!(64 - (signature ^ vote).count_ones() >= bits, "{bits}");
    }
}

#[test]
fn the_spec_names_the_lexicon_only_when_it_is_used() {
    let id = Small.load("english").unwrap().id();
    assert_eq!(terms("weight = 'idf'").spec().params["lexicon"].as_str(), Some(id.as_str()));
    assert!(!terms("").spec().params.contains_key("lexicon"));
    let registry = Registry::with_built_ins();
    let unknown = Terms::from_params(
        &mut Params::new("features", "weight = 'log'".parse().unwrap()),
        &BuildContext::new(&registry, &crate::registry::NoAssets),
    );
    assert!(unknown.err().unwrap().to_string().contains("`english`"));
}

/// Persisted signatures depend on these: a change here is a new scheme, never a fix.
#[test]
fn golden_vectors() {
    let toml = "weight = 'log'\nposition = 'cosine'\nmetadata = ['title']\nmarkup = 'html'";
    let fields = vec![Some(Value::Number(7.5))];
    let text = "<b>Plan</b> the medicare plan, 2009 health";
    let got = extract(toml, &Document { fields, ..Document::from_text(text) });
    assert_eq!(got.hashes, GOLDEN_HASHES);
    assert_eq!(got.weights.iter().map(|weight| weight.to_bits()).collect::<Vec<_>>(), GOLDEN_WEIGHTS);
}

const GOLDEN_HASHES: [u64; 4] =
    [8942629165295924906, 9599237831424371092, 4986472642182722289, 18209048759595044212];
const GOLDEN_WEIGHTS: [u32; 4] = [1084983810, 1092995392, 1091788174, 1092995392];
