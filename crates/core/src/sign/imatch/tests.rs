use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::hash;
use crate::testing::check_signer;

/// A lexicon of 10 000 documents: word 0 is in all of them, word n in 10 000 / n.
fn lexicon() -> Lexicon {
    Lexicon::from_counts(10_000, (0..9000u32).map(|n| (word(u64::from(n)), (10_000 / n.max(1)).max(1))))
}

fn word(number: u64) -> u64 {
    hash::mix(number)
}

fn imatch(settings: Settings, copies: usize) -> IMatch {
    IMatch::new(&lexicon(), settings, Randomisation { copies, seed: 1, dropped: None })
}

fn signature(signer: &IMatch, words: &[u64]) -> Vec<u128> {
    let features = Features { hashes: words.to_vec(), ..Features::default() };
    let mut out = vec![0; signer.width()];
    signer.sign(&features, &mut out);
    out.as_chunks::<COORDINATE>().0.iter().map(|bytes| u128::from_le_bytes(*bytes)).collect()
}

fn words(numbers: std::ops::Range<u64>) -> Vec<u64> {
    numbers.map(word).collect()
}

#[test]
fn passes_the_conformance_suite() {
    check_signer(&imatch(Settings::default(), 10));
    check_signer(&imatch(Settings::default(), 0));
}

#[test]
fn words_outside_the_window_do_not_count_and_words_inside_do() {
    let signer = imatch(Settings::default(), 0);
    // nidf of word n is ln n / ln 10 000: the window 0.2 to 0.8 holds words 7 to 1584.
    let plain = signature(&signer, &words(10..40));
    let common: Vec<u64> = words(1..4).into_iter().chain(words(10..40)).collect();
    assert_eq!(plain, signature(&signer, &common), "too common");
    let rare: Vec<u64> = words(10..40).into_iter().chain(words(5000..5003)).collect();
    assert_eq!(plain, signature(&signer, &rare), "too rare");
    let shuffled: Vec<u64> = words(10..40).into_iter().rev().collect();
    assert_eq!(plain, signature(&signer, &shuffled), "order");
    assert_ne!(plain, signature(&signer, &words(10..41)));
}

#[test]
fn the_secondary_lexicon_fills_up_with_the_most_common_words_first() {
    let settings = Settings { ratio: 0.5, least: 1, ..Settings::default() };
    let signer = imatch(settings, 0);
    // Four lexicon words among twenty: six of the rarer ones are added, the most common first.
    let document: Vec<u64> = words(10..14).into_iter().chain(words(3000..3016)).collect();
    let replaced_rare: Vec<u64> = words(10..14)
        .into_iter()
        .chain(words(3000..3006))
        .chain((0..10).map(|n| hash::mix(1 << 40 | n)))
        .collect();
    assert_eq!(document.len(), replaced_rare.len());
    // Many words are equally frequent here, so the table's order decides which six are taken.
    let taken: BTreeSet<u64> = {
        let mut ranked: Vec<(u32, u64)> =
            document.iter().filter_map(|&w| Some((signer.table.rarer(w)?.rank, w))).collect();
        ranked.sort_unstable();
        ranked.iter().take(6).map(|&(_, word)| word).collect()
    };
    let without_untaken: Vec<u64> = document
        .iter()
        .enumerate()
        .map(|(i, &w)| if i < 4 || taken.contains(&w) { w } else { hash::mix(1 << 41 | i as u64) })
        .collect();
    assert_eq!(signature(&signer, &document), signature(&signer, &without_untaken));
    let mut without_taken = document.clone();
    let place = without_taken.iter().position(|w| taken.contains(w)).unwrap();
    without_taken[place] = hash::mix(1 << 42);
    assert_ne!(signature(&signer, &document), signature(&signer, &without_taken));
}

/// K04: the secondary lexicon supplies words until there are so many, however small their share. Here the lexicon knows
/// three of forty words, which is enough for the ratio and not for the number.
#[test]
fn words_are_filled_up_to_a_number() {
    let by_ratio = Settings { ratio: 0.05, least: 1, ..Settings::default() };
    let by_number = Settings { fill: 7, ..by_ratio.clone() };
    let (by_ratio, by_number) = (imatch(by_ratio, 0), imatch(by_number, 0));
    let common = words(10..13);
    let document: Vec<u64> = common.iter().copied().chain(words(3000..3037)).collect();
    assert_eq!(signature(&by_ratio, &document), [all_words(&common)]);
    let mut ranked: Vec<(u32, u64)> =
        document.iter().filter_map(|&word| Some((by_number.table.rarer(word)?.rank, word))).collect();
    ranked.sort_unstable();
    let filled: Vec<u64> =
        common.iter().copied().chain(ranked.iter().take(4).map(|&(_, word)| word)).collect();
    assert_eq!(signature(&by_number, &document), [all_words(&filled)]);
    assert_eq!(by_number.spec().params["fill"].as_integer(), Some(7));
    assert!(!by_ratio.spec().params.contains_key("fill"), "schemes from before stay");
}

#[test]
fn documents_the_lexicons_do_not_know_are_rejected_or_matched_as_a_whole() {
    let foreign: Vec<u64> = (0..50).map(|n| hash::mix(1 << 50 | n)).collect();
    let strict = imatch(Settings { fallback: false, ..Settings::default() }, 3);
    assert!(signature(&strict, &foreign).iter().all(|&value| value == NO_COORDINATE));
    let lenient = imatch(Settings::default(), 3);
    let values = signature(&lenient, &foreign);
    assert_ne!(values[0], NO_COORDINATE);
    assert!(values[1..].iter().all(|&value| value == NO_COORDINATE));
    let mut other = foreign.clone();
    other[7] = word(1);
    assert_ne!(values, signature(&lenient, &other));
    let (mut a, mut b) = (vec![0; strict.width()], vec![0; strict.width()]);
    strict.sign(&Features { hashes: foreign, ..Features::default() }, &mut a);
    strict.sign(&Features { hashes: other, ..Features::default() }, &mut b);
    assert!(!randomise::agree(&a, &b), "nothing agrees with nothing");
}

#[test]
fn short_documents_have_no_signature() {
    let signer = imatch(Settings { least: 1, ..Settings::default() }, 2);
    assert!(signature(&signer, &words(10..14)).iter().all(|&value| value == NO_COORDINATE));
    assert!(signature(&signer, &words(10..15)).iter().all(|&value| value != NO_COORDINATE));
}

/// The coordinates by the definition: sets, one lexicon at a time.
fn literal(signer: &IMatch, document: &[u64]) -> Vec<u128> {
    let settings = &signer.settings;
    let lexicon = lexicon();
    let primary: Vec<u64> = lexicon
        .terms()
        .filter(|&(_, df)| settings.window.contains(lexicon.nidf(df)))
        .map(|(word, _)| word)
        .collect();
    let mut rarer: Vec<(u64, u32)> =
        lexicon.terms().filter(|&(_, df)| lexicon.nidf(df) > settings.window.highest).collect();
    rarer.sort_by_key(|&(word, df)| (std::cmp::Reverse(df), word));
    let rarer: Vec<u64> = rarer.into_iter().map(|(word, _)| word).collect();
    let in_primary = signer.randomisation.draw_from(&primary);
    let in_rarer = signer.randomisation.draw_from(&rarer);
    (0..signer.values())
        .map(|place| {
            let in_copy =
                |membership: &randomise::Membership, word: u64| membership.mask(word) >> place & 1 == 1;
            let has = |word: &u64| document.contains(word);
            let mut chosen: Vec<u64> =
                primary.iter().copied().filter(|&word| has(&word) && in_copy(&in_primary, word)).collect();
            let share = |chosen: &[u64]| chosen.len() as f64 / document.len() as f64;
            for &word in rarer.iter().filter(|&&word| has(&word) && in_copy(&in_rarer, word)) {
                if share(&chosen) >= settings.ratio && chosen.len() >= settings.fill as usize {
                    break;
                }
                chosen.push(word);
            }
            if document.len() < settings.least_words {
                return NO_COORDINATE;
            }
            if chosen.len() < settings.least as usize || share(&chosen) < settings.ratio {
                return if settings.fallback && place == 0 { all_words(document) } else { NO_COORDINATE };
            }
            all_words(&chosen)
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn one_look_up_per_word_equals_one_lexicon_at_a_time(
        numbers in proptest::collection::btree_set(0u64..12_000, 1..80),
        ratio in prop_oneof![Just(0.0), Just(0.1), Just(0.25), Just(0.5), Just(0.9)],
        fill in prop_oneof![Just(0u32), Just(5), Just(20), Just(200)],
        fallback in any::<bool>(),
    ) {
        let signer = imatch(Settings { ratio, fill, fallback, ..Settings::default() }, 4);
        let document: Vec<u64> = numbers.into_iter().map(word).collect();
        prop_assert_eq!(signature(&signer, &document), literal(&signer, &document));
    }
}

/// Randomised copies find near-duplicates that the lexicon alone does not, as K04 eq. 1 predicts.
#[test]
fn copies_make_signatures_stable() {
    let document = words(10..110);
    for (copies, dropped) in [(0, 0.33), (5, 0.33), (10, 0.33)] {
        let randomisation = Randomisation { copies, seed: 3, dropped: Some(dropped) };
        let signer = IMatch::new(&lexicon(), Settings::default(), randomisation);
        let whole = signature(&signer, &document);
        let agreeing = (0..100)
            .filter(|&left_out| {
                let mut changed = document.clone();
                changed.remove(left_out);
                signature(&signer, &changed).iter().zip(&whole).any(|(a, b)| a == b)
            })
            .count();
        let expected = 100.0 * (1.0 - (1.0 - dropped).powi(copies as i32));
        assert!((agreeing as f64 - expected).abs() < 12.0, "{copies} copies: {agreeing}, not {expected}");
    }
}

/// Persisted signatures depend on it: a change here is a new scheme, never a fix.
#[test]
fn golden_vectors() {
    assert_eq!(signature(&imatch(Settings::default(), 1), &words(10..40)), GOLDEN);
}

const GOLDEN: [u128; 2] = [305561253335825823087182696805362529297, 125047148673854899086049407591401822444];
