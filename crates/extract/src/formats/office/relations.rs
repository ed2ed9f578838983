//! The parts that a part refers to, by id.

use crate::budget::Budget;
use crate::formats::package::Package;
use crate::formats::xml_scanner::{Piece, Scanner, text_of};
use crate::reason::Reason;

use std::collections::HashMap;

#[derive(Default)]
pub struct Relations {
    /// Kind (the last word of the type's address), target, in the order of the file.
    all: Vec<Relation>,
    by_id: HashMap<String, usize>,
}

struct Relation {
    kind: String,
    target: String,
    external: bool,
}

impl Relations {
    /// The relations of a part, or of the whole package if its name is empty.
    pub fn of(package: &mut Package<'_>, part: &str, budget: &mut Budget) -> Result<Self, Reason> {
        let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
        let place = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let bytes = package.read(&format!("{place}_rels/{name}.rels"), budget)?.unwrap_or_default();
        let mut relations = Relations::default();
        for piece in Scanner::new(&text_of(&bytes)) {
            let Piece::Open(element) = piece else { continue };
            let (Some(id), Some(target)) = (element.attribute("Id"), element.attribute("Target")) else {
                continue;
            };
            let kind = element.attribute("Type").unwrap_or_default();
            let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
            let external = element.attribute("TargetMode").is_some_and(|mode| mode == "External");
            let target = if external { target } else { resolved(folder, &target) };
            relations.by_id.insert(id, relations.all.len());
            relations.all.push(Relation { kind, target, external });
        }
        Ok(relations)
    }

    /// The parts of a kind, such as `styles`.
    pub fn all<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a str> {
        self.all.iter().filter(move |one| one.kind == kind && !one.external).map(|one| one.target.as_str())
    }

    pub fn first<'a>(&'a self, kind: &'a str) -> Option<&'a str> {
        self.all(kind).next()
    }

    /// The part with that id.
    pub fn part(&self, id: &str) -> Option<&str> {
        self.get(id).filter(|one| !one.external).map(|one| one.target.as_str())
    }

    /// The target of the link with that id, without its fragment; `None` if it is within the
    /// document.
    pub fn link(&self, id: &str) -> Option<String> {
        self.get(id).filter(|one| one.external).and_then(|one| without_fragment(&one.target))
    }

    fn get(&self, id: &str) -> Option<&Relation> {
        self.all.get(*self.by_id.get(id)?)
    }
}

/// An address as `links` has it.
pub fn without_fragment(target: &str) -> Option<String> {
    let target = target.split('#').next().unwrap_or_default().trim();
    (!target.is_empty()).then(|| target.to_owned())
}

/// The name within the package of a target relative to a folder.
pub fn resolved(folder: &str, target: &str) -> String {
    let target = target.replace('\\', "/");
    let whole = if target.starts_with('/') { target } else { format!("{folder}/{target}") };
    let mut steps: Vec<&str> = Vec::new();
    for step in whole.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    steps.join("/")
}

#[cfg(test)]
mod tests {
    use super::resolved;

    #[test]
    fn targets_from_a_folder() {
        assert_eq!(resolved("word", "styles.xml"), "word/styles.xml");
        assert_eq!(resolved("ppt/slides", "../media/a.png"), "ppt/media/a.png");
        assert_eq!(resolved("word", "/word/x.xml"), "word/x.xml");
        assert_eq!(resolved("", "../../x"), "x");
    }
}
