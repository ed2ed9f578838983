//! What people decided about documents, wherever these lie.

use std::collections::HashMap;

use lookalike_core::document::Document;
use lookalike_engine::decisions::{Decisions, TextDigest};

/// Decisions by the ids that they name. Names are numbered: two for each pair, then one for each keeper.
pub struct Said {
    names: HashMap<String, Vec<(i32, Option<TextDigest>)>>,
    keepers_from: i32,
}

/// What decisions say about one document.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The names that are this document's; those of documents with its id and another text, less one and negative.
    pub names: Vec<i32>,
    /// It stays, whatever else is in its cluster.
    pub is_preferred: bool,
}

impl Said {
    pub fn new(decisions: &Decisions) -> Said {
        let mut names: HashMap<String, Vec<(i32, Option<TextDigest>)>> = HashMap::new();
        let of_pairs = decisions.pairs.iter().flat_map(|pair| [&pair.a, &pair.b]);
        for (named, number) in of_pairs.chain(&decisions.keepers).zip(0..) {
            names.entry(named.id.json().to_owned()).or_default().push((number, named.text));
        }
        Said { names, keepers_from: 2 * decisions.pairs.len() as i32 }
    }

    pub fn about(&self, id: &str, document: &Document<'_>) -> About {
        let Some(named) = self.names.get(id) else { return About::default() };
        let digest = TextDigest::of(&document.text);
        let mut about = About::default();
        for &(number, text) in named {
            let is_this = text.is_none_or(|text| text == digest);
            about.is_preferred |= is_this && number >= self.keepers_from;
            about.names.push(if is_this { number } else { -number - 1 });
        }
        about
    }
}
