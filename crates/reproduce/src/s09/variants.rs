//! The adjustments of S09, as recipes, and what the thesis found for each.

use lookalike_core::Result;
use lookalike_core::registry::Registry;

use lookalike_engine::Recipe;

/// The distances that the thesis judged, in bits.
pub const DISTANCES: [u32; 4] = [0, 1, 2, 3];

/// A way to make simhashes.
pub struct Variant {
    pub name: String,
    settings: Vec<(String, String)>,
    /// The figures of Table 6.1 (precision) and Table 6.2 (average number) of the thesis for each
    /// distance.
    pub paper: Option<([f64; 4], [f64; 4])>,
}

impl Variant {
    fn new(name: impl Into<String>, settings: &[(&str, &str)], paper: Option<([f64; 4], [f64; 4])>) -> Self {
        let owned = |&(key, value): &(&str, &str)| (key.to_owned(), value.to_owned());
        Variant { name: name.into(), settings: settings.iter().map(owned).collect(), paper }
    }

    /// The unaltered simhash.
    pub fn plain() -> Self {
        let paper = ([0.82, 0.71, 0.50, 0.37], [3.49, 6.06, 7.15, 7.73]);
        Variant::new("Original simhash", &[], Some(paper))
    }

    /// Words in headings, bold and italics weigh this many times as much.
    pub fn boosted(factor: f64) -> Self {
        let factor = format!("{factor:?}");
        Variant::new("Tagged text", &[("features.markup", "html"), ("features.tag_boost", &factor)], None)
    }

    /// Whether it reads articles with their headlines as headings.
    pub fn reads_markup(&self) -> bool {
        self.settings.iter().any(|(key, _)| key == "features.markup")
    }

    /// As in the thesis: document frequencies of the corpus itself, and the distance alone decides.
    pub fn recipe(&self, distance: u32, registry: &Registry) -> Result<Recipe> {
        let mut recipe = Recipe::for_method("simhash", registry)?;
        recipe.set("features.lexicon", "native")?;
        recipe.set("decide.verify", "signature")?;
        recipe.set("decide.distance", &distance.to_string())?;
        self.settings.iter().try_for_each(|(key, value)| recipe.set(key, value))?;
        Ok(recipe)
    }
}

/// Shares of the largest weight below which half and nine tenths of an article's features lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuts {
    pub half: f64,
    pub top_tenth: f64,
}

/// The rows of Tables 6.1 and 6.2, then what the thesis proposes without figures.
pub fn variants(cuts: Cuts) -> Vec<Variant> {
    let Cuts { half, top_tenth } = cuts;
    let (half, top_tenth) = (format!("{half:.3}"), format!("{top_tenth:.3}"));
    vec![
        Variant::plain(),
        Variant::new(
            "Extra metadata",
            &[("features.metadata", "['title', 'byline', 'date']")],
            Some(([0.89, 0.75, 0.66, 0.59], [4.07, 4.09, 4.16, 4.34])),
        ),
        Variant::new(
            "Stripping numbers/dates",
            &[("features.digits", "drop"), ("features.dates", "drop")],
            Some(([0.61, 0.39, 0.29, 0.18], [11.25, 14.70, 16.19, 18.24])),
        ),
        Variant::new(
            "Low threshold 0.01",
            &[("features.low_threshold", "0.01")],
            Some(([0.84, 0.69, 0.50, 0.38], [3.49, 6.06, 7.15, 7.73])),
        ),
        Variant::new(
            "High threshold 0.5",
            &[("features.high_threshold", "0.5")],
            Some(([0.59, 0.50, 0.36, 0.27], [4.34, 7.03, 8.25, 9.30])),
        ),
        Variant::new(
            "Position scaling log(x)/x",
            &[("features.position", "log")],
            Some(([0.36, 0.24, 0.22, 0.10], [44.18, 51.99, 55.74, 58.70])),
        ),
        Variant::new(
            "Arbitrary function (cosine)",
            &[("features.position", "cosine")],
            Some(([0.46, 0.34, 0.26, 0.09], [39.98, 48.13, 56.58, 61.32])),
        ),
        Variant::new(
            "Tagged text × 1.5",
            &[("features.markup", "html"), ("features.tag_boost", "1.5")],
            Some(([0.83, 0.37, 0.52, 0.35], [3.49, 6.06, 7.15, 7.73])),
        ),
        Variant::new(
            format!("Low threshold {half} (half dropped)"),
            &[("features.low_threshold", &half)],
            None,
        ),
        Variant::new(
            format!("High threshold {top_tenth} (top tenth)"),
            &[("features.high_threshold", &top_tenth)],
            None,
        ),
        Variant::new(
            "Extra metadata without the date",
            &[("features.metadata", "['title', 'byline']")],
            None,
        ),
        Variant::new("Top 20 features (§5.1)", &[("features.top", "20")], None),
        Variant::new(
            format!("Middle region {half}–0.5 (§7.1.2)"),
            &[("features.band", &format!("{half}:0.5"))],
            None,
        ),
        Variant::new("Top weights capped (§7.1.2)", &[("features.cap_top", "1.0")], None),
        Variant::new("Position scaling 1/x (§5.2)", &[("features.position", "1/x")], None),
        Variant::new("No idf: tf alone", &[("features.weight", "one")], None),
    ]
}

#[cfg(test)]
mod tests {
    use lookalike_core::lexicon::Lexicon;

    use super::*;
    use lookalike_engine::lexicon::AssetFiles;

    #[test]
    fn every_variant_is_a_recipe_of_its_own() {
        let registry = Registry::with_built_ins();
        let assets = AssetFiles::with_native(Lexicon::from_counts(0, []));
        let all = variants(Cuts { half: 0.2, top_tenth: 0.4 });
        let mut features: Vec<String> = all
            .iter()
            .map(|variant| {
                let pipeline = variant.recipe(3, &registry).unwrap().build_with(&registry, &assets).unwrap();
                format!("{:?}", pipeline.features.spec())
            })
            .collect();
        features.sort();
        features.dedup();
        assert_eq!(features.len(), all.len());
        assert_eq!(all.iter().filter(|variant| variant.paper.is_some()).count(), 8, "rows of the thesis");
    }
}
