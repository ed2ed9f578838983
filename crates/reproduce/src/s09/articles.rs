//! The news articles, and the rule that replaces the person who judged pairs of them.

use std::path::Path;

use lookalike_core::document::{Document, Value};
use lookalike_core::features::{FeatureSet, Features};
use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result};
use lookalike_learn::metrics::{Truth, Unlabelled};
use serde_json::json;

use lookalike_engine::Pipeline;
use lookalike_engine::Recipe;
use lookalike_engine::run::{Job, Progress, find};
use lookalike_report::text::escaped;

/// Pairs with at least this similarity are near-duplicates if they have the same topic.
const SIGNIFICANT: f64 = 0.5;
/// Pairs with at least this similarity are near-duplicates whatever number they were published
/// under.
const SURELY: f64 = 0.8;
/// Pairs of one story that share less than this are no near-duplicates.
const HARDLY: f64 = 0.2;

/// All articles and the similarity of any two.
pub struct Articles {
    stories: Vec<String>,
    shingles: Vec<FeatureSet>,
    exact: Pipeline,
    /// All pairs that share a significant part, by exact join.
    alike: Vec<(u32, u32)>,
}

impl Articles {
    /// Writes the articles with their headlines into the text, plain and as a heading.
    pub fn prepare(job: &Job, file: &Path) -> Result<Job> {
        let fields = ["title", "byline", "date", "story"].map(str::to_owned);
        let mut lines = Vec::new();
        job.corpus()?.for_each(&fields, |_, id, document| {
            let [title, byline, date, story] = [0, 1, 2, 3].map(|place| text_of(document, place));
            let body = &document.text;
            let line = json!({
                "id": id.display(), "title": title, "byline": byline, "date": date, "story": story,
                "text": format!("{title}\n\n{body}"),
                "marked": format!("<h1>{}</h1><p>{}</p>", escaped(title), escaped(body)),
            });
            lines.extend_from_slice(line.to_string().as_bytes());
            lines.push(b'\n');
            Ok(())
        })?;
        std::fs::write(file, lines).map_err(Error::io(file))?;
        Ok(Job { inputs: vec![file.to_string_lossy().into_owned()], ..job.clone() })
    }

    pub fn read(job: &Job, registry: &Registry, progress: &dyn Progress) -> Result<Articles> {
        let exact = shingle_recipe(SIGNIFICANT, registry)?.build(registry)?;
        let (mut stories, mut shingles, mut features) = (Vec::new(), Vec::new(), Features::default());
        job.corpus()?.for_each(&["story".to_owned()], |_, _, document| {
            stories.push(text_of(document, 0).to_owned());
            features.fill(&*exact.features, document);
            shingles.push(FeatureSet::from_features(&features));
            Ok(())
        })?;
        let alike = find(&exact, job, progress)?.all_pairs()?.into_iter().map(|(a, b, _)| (a, b)).collect();
        Ok(Articles { stories, shingles, exact, alike })
    }

    pub fn len(&self) -> u32 {
        self.stories.len() as u32
    }

    fn resemblance(&self, a: u32, b: u32) -> f64 {
        self.exact.decider.measure(&self.shingles[a as usize], &self.shingles[b as usize]).similarity
    }

    /// Whether a person would say near-duplicate: the same topic, and a significant part shared.
    pub fn judged(&self, (a, b): (u32, u32)) -> Option<bool> {
        verdict(self.stories[a as usize] == self.stories[b as usize], self.resemblance(a, b))
    }

    /// The truth about pairs that the rule decides; undecided pairs must not be among the found.
    pub fn truth(&self) -> Truth {
        let judged = self.alike.iter().filter_map(|&pair| Some((pair.0, pair.1, self.judged(pair)?)));
        Truth::Pairs { pairs: judged.collect(), rest: Unlabelled::Different }
    }

    /// The truth by the shared part alone.
    pub fn truth_by_resemblance(&self) -> Truth {
        let pairs = self.alike.iter().map(|&(a, b)| (a, b, true)).collect();
        Truth::Pairs { pairs, rest: Unlabelled::Different }
    }

    /// How many pairs with a significant part in common the rule accepts, and leaves undecided.
    pub fn opinions(&self) -> (usize, usize) {
        let opinions: Vec<Option<bool>> = self.alike.iter().map(|&pair| self.judged(pair)).collect();
        let count = |wanted: Option<bool>| opinions.iter().filter(|opinion| **opinion == wanted).count();
        (count(Some(true)), count(None))
    }
}

/// Same story and half shared, or nearly everything shared: yes. Same story but less shared, or
/// another story with much the same words, which may be a template: undecided.
fn verdict(same_story: bool, resemblance: f64) -> Option<bool> {
    match resemblance {
        shared if shared >= SURELY => Some(true),
        shared if shared >= SIGNIFICANT => same_story.then_some(true),
        shared if shared >= HARDLY && same_story => None,
        _ => Some(false),
    }
}

/// Word 3-grams by exact join.
pub fn shingle_recipe(threshold: f64, registry: &Registry) -> Result<Recipe> {
    let mut recipe = Recipe::for_method("cosine", registry)?;
    recipe.set("features.type", "shingles")?;
    recipe.set("features.shingle", "3")?;
    recipe.set("decide.measure", "jaccard")?;
    recipe.set("decide.threshold", &threshold.to_string())?;
    Ok(recipe)
}

pub fn text_of<'d>(document: &'d Document<'_>, place: usize) -> &'d str {
    match document.fields.get(place) {
        Some(Some(Value::Text(text))) => text,
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stand_in_needs_topic_and_content() {
        assert_eq!(verdict(true, 0.5), Some(true));
        assert_eq!(verdict(false, 0.5), None, "much the same words about something else?");
        assert_eq!(verdict(false, 0.8), Some(true), "published twice");
        assert_eq!(verdict(true, 0.3), None);
        assert_eq!(verdict(false, 0.3), Some(false));
        assert_eq!(verdict(true, 0.1), Some(false), "a running column");
    }
}
