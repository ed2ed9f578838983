//! Pairs that a method found across classes: spam and legitimate mail, or two different pages.

use lookalike_core::Result;
use lookalike_core::registry::Registry;

use lookalike_engine::Recipe;
use lookalike_engine::lexicon::AssetFiles;
use lookalike_engine::run::{Job, Progress, find};
use lookalike_judge::JudgedCorpus;

/// A found pair, described by ids and similarity only.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    pub a: String,
    pub b: String,
    /// By the recipe's measure, whether or not it verifies.
    pub similarity: f64,
    /// Whether both have the same words in the same order.
    pub same_text: bool,
}

/// Found pairs of documents whose field differs, by falling similarity.
pub fn across(
    recipe: &Recipe,
    job: &Job,
    field: &str,
    registry: &Registry,
    progress: &dyn Progress,
) -> Result<Vec<Pair>> {
    let corpus = JudgedCorpus::read(job, &[field.to_owned()], None)?;
    let labels = corpus.field(field).to_vec();
    let found = find(&recipe.build_with(registry, &AssetFiles::default())?, job, progress)?.all_pairs()?;
    let crossing = found.into_iter().filter(|&(a, b, _)| labels[a as usize] != labels[b as usize]);
    let mut pairs: Vec<Pair> = crossing.map(|pair| named(&corpus, pair)).collect();
    pairs.sort_by(|x, y| y.similarity.total_cmp(&x.similarity).then_with(|| (&x.a, &x.b).cmp(&(&y.a, &y.b))));
    Ok(pairs)
}

fn named(corpus: &JudgedCorpus, (a, b, similarity): (u32, u32, f64)) -> Pair {
    let id = |document: u32| {
        let id = &*corpus.ids[document as usize].display();
        id.split_once('#').map_or(id, |(_, path)| path).to_owned()
    };
    let text = |document: u32| corpus.texts[document as usize];
    Pair { a: id(a), b: id(b), similarity, same_text: text(a) == text(b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_engine::run::Quiet;

    #[test]
    fn pairs_across_a_border_are_told() {
        let dir = tempfile::tempdir().unwrap();
        let corpus = dir.path().join("corpus.jsonl");
        let text = "harvest prices rose again after weather damaged cotton fields across several states";
        let lines = [
            ("a", "spam", text.to_owned()),
            ("b", "ham", text.to_owned()),
            ("c", "ham", format!("{text} zzqx")),
        ];
        let lines: String = lines
            .iter()
            .map(|(id, label, text)| {
                format!("{}\n", serde_json::json!({ "id": id, "label": label, "text": text }))
            })
            .collect();
        std::fs::write(&corpus, lines).unwrap();
        let registry = Registry::with_built_ins();
        let mut recipe = Recipe::for_method("imatch", &registry).unwrap();
        recipe.set("decide.verify", "signature").unwrap();
        let job = Job::new([corpus.to_string_lossy()], dir.path().join("none"));
        let pairs = across(&recipe, &job, "label", &registry, &Quiet).unwrap();
        let told: Vec<_> =
            pairs.iter().map(|pair| (pair.a.as_str(), pair.b.as_str(), pair.same_text)).collect();
        assert_eq!(told, [("a", "b", true), ("a", "c", false)]);
        assert!(pairs[0].similarity == 1.0 && pairs[1].similarity < 0.99, "{pairs:?}");
    }
}
