//! Methods: names for recipes that belong together.

use toml::Table;

/// A named recipe.
#[derive(Clone, Debug)]
pub struct Method {
    pub name: String,
    pub summary: String,
    pub paper: String,
    /// Sections of a recipe; what they leave out has the part's own default.
    pub recipe: Table,
}

impl Method {
    /// `recipe` is TOML.
    pub fn new(name: &str, summary: &str, paper: &str, recipe: &str) -> crate::Result<Self> {
        let recipe = recipe
            .parse()
            .map_err(|error| crate::Error::config(format!("recipe of method `{name}`: {error}")))?;
        let (name, summary, paper) = (name.to_owned(), summary.to_owned(), paper.to_owned());
        Ok(Method { name, summary, paper, recipe })
    }
}

pub(crate) fn built_in() -> Vec<Method> {
    [
        (
            "minhash",
            "MinHash with LSH bands, every candidate verified: near-duplicates in large corpora",
            "Broder 1997; S09 §2.4",
            "features = { type = 'shingles' }\nsign = { type = 'minhash' }\ncandidates = { type = 'bands' }",
        ),
        (
            "exact",
            "Documents with the same text (or, with features.normalise, the same words)",
            "",
            "features = { type = 'whole' }\nsign = { type = 'digest' }\ncandidates = { type = 'whole' }\n\
             decide = { threshold = 1.0 }",
        ),
    ]
    .into_iter()
    .filter_map(|(name, summary, paper, recipe)| Method::new(name, summary, paper, recipe).ok())
    .collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn built_in_recipes_parse() {
        assert_eq!(super::built_in().len(), 2);
    }
}
