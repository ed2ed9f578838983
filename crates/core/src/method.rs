//! Methods: names for recipes that belong together.

use toml::Table;

/// A named recipe.
#[derive(Clone, Debug)]
pub struct Method {
    /// What a recipe calls it.
    pub name: String,
    /// What it finds, in one line.
    pub summary: String,
    /// Where it comes from.
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
