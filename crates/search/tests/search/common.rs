//! Made-up documents with labels and clusters, and a naive search over them.

use std::collections::BTreeMap;

use lookalike_core::text::{Scratch, words};
use lookalike_search::{DocumentAccess, Search};
use proptest::prelude::*;

#[derive(Clone, Debug)]
pub struct Doc {
    pub text: String,
    pub title: Option<String>,
    pub source: Option<&'static str>,
    /// Without any it is public.
    pub labels: Vec<u8>,
    pub cluster: u32,
    /// The visible member with the largest is the master.
    pub rank: u8,
    pub alive: bool,
}

impl Doc {
    pub fn line(&self) -> String {
        let mut line = serde_json::json!({ "id": 1, "text": self.text, "labels": ["x"] });
        if let Some(title) = &self.title {
            line["title"] = title.as_str().into();
        }
        if let Some(source) = self.source {
            line["source"] = source.into();
        }
        line.to_string()
    }

    pub fn field(&self, field: &str) -> &str {
        match field {
            "text" => &self.text,
            "title" => self.title.as_deref().unwrap_or_default(),
            _ => self.source.unwrap_or_default(),
        }
    }
}

/// What somebody with these labels sees of the documents; without any list, everything.
#[derive(Clone)]
pub struct Eyes<'a> {
    pub docs: &'a [Doc],
    pub labels: Option<Vec<u8>>,
}

impl Eyes<'_> {
    pub fn sees(&self, doc: &Doc) -> bool {
        let may = |labels: &Vec<u8>| doc.labels.is_empty() || doc.labels.iter().any(|l| labels.contains(l));
        doc.alive && self.labels.as_ref().is_none_or(may)
    }

    pub fn visible(&self) -> impl Iterator<Item = (u32, &Doc)> {
        self.docs.iter().enumerate().filter(|(_, doc)| self.sees(doc)).map(|(at, doc)| (at as u32, doc))
    }

    pub fn master(&self, cluster: u32) -> Option<u32> {
        let members = self.visible().filter(|(_, doc)| doc.cluster == cluster);
        members.max_by_key(|(number, doc)| (doc.rank, std::cmp::Reverse(*number))).map(|(number, _)| number)
    }
}

impl DocumentAccess for Eyes<'_> {
    fn masters(&self, numbers: &[u32]) -> Vec<Option<u32>> {
        let see = |&number: &u32| {
            let doc = self.docs.get(number as usize).filter(|doc| self.sees(doc))?;
            self.master(doc.cluster)
        };
        numbers.iter().map(see).collect()
    }

    fn document(&self, number: u32) -> Option<Vec<u8>> {
        let doc = self.docs.get(number as usize).filter(|doc| self.sees(doc))?;
        Some(doc.line().into_bytes())
    }
}

#[derive(Clone, Debug)]
pub struct Item {
    pub field: Option<&'static str>,
    pub words: Vec<&'static str>,
}

impl Item {
    fn matches(&self, doc: &Doc) -> bool {
        let fields = self.field.map_or(vec!["text", "title"], |field| vec![field]);
        fields.iter().any(|field| {
            let found = tokens(doc.field(field));
            found.windows(self.words.len()).any(|window| window == self.words)
        })
    }

    fn write(&self) -> String {
        let field = self.field.map(|field| format!("{field}:")).unwrap_or_default();
        format!("{field}\"{}\"", self.words.join(" "))
    }
}

#[derive(Clone, Debug)]
pub struct Asked {
    pub groups: Vec<Vec<Item>>,
    pub excluded: Vec<Item>,
}

impl Asked {
    pub fn write(&self) -> String {
        let groups =
            self.groups.iter().map(|group| group.iter().map(Item::write).collect::<Vec<_>>().join(" OR "));
        let excluded = self.excluded.iter().map(|item| format!("-{}", item.write()));
        excluded.chain(groups).collect::<Vec<_>>().join(" ")
    }

    pub fn matches(&self, doc: &Doc) -> bool {
        let any = |group: &Vec<Item>| group.iter().any(|item| item.matches(doc));
        self.groups.iter().all(any) && !self.excluded.iter().any(|item| item.matches(doc))
    }

    /// BM25 with all words alike, to the letter of the formula.
    pub fn score(&self, doc: &Doc) -> f64 {
        let mut seen = Vec::new();
        let mut score = 0.0;
        for item in self.groups.iter().flatten() {
            for field in item.field.map_or(vec!["text", "title"], |field| vec![field]) {
                for &word in &item.words {
                    if seen.contains(&(field, word)) {
                        continue;
                    }
                    seen.push((field, word));
                    let found = tokens(doc.field(field));
                    let frequency = found.iter().filter(|each| *each == word).count() as f64;
                    let (usual, weight) = match field {
                        "text" => (400.0, 1.0),
                        "title" => (10.0, 1.5),
                        _ => (5.0, 1.0),
                    };
                    let norm = 1.2 * (0.25 + 0.75 * found.len() as f64 / usual);
                    score += weight * frequency * 2.2 / (frequency + norm);
                }
            }
        }
        score
    }
}

pub fn tokens(text: &str) -> Vec<String> {
    words(text, &mut Scratch::default())
}

/// Clusters with a visible match: by master, the best score and the members that match.
pub fn scan(eyes: &Eyes, asked: &Asked) -> BTreeMap<u32, (f64, Vec<u32>)> {
    let mut found: BTreeMap<u32, (f64, Vec<u32>)> = BTreeMap::new();
    for (number, doc) in eyes.visible().filter(|(_, doc)| asked.matches(doc)) {
        let entry = found.entry(eyes.master(doc.cluster).unwrap()).or_default();
        entry.0 = entry.0.max(asked.score(doc));
        entry.1.push(number);
    }
    found
}

/// Adds documents with their numbers, committing after each of the given ones.
pub fn feed<'a>(search: &Search, docs: impl Iterator<Item = (u32, &'a Doc)>, commit_after: &[u32]) {
    for (number, doc) in docs {
        assert!(search.add(number, doc.line().as_bytes()).unwrap());
        if commit_after.contains(&number) {
            search.commit().unwrap();
        }
    }
    search.commit().unwrap();
}

const WORDS: [&str; 8] = ["a", "b", "c", "d", "été", "東", "京", "strasse"];
/// The same words as documents may write them.
const FORMS: [&str; 10] = ["a", "B", "c,", "d!", "ÉTÉ", "e\u{301}te\u{301}", "東", "東京", "Straße", "\n"];
const SOURCES: [&str; 3] = ["a b", "B", "c"];

fn written() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&FORMS[..]), 0..12).prop_map(|words| words.join(" "))
}

pub fn docs() -> impl Strategy<Value = Vec<Doc>> {
    let doc = (
        written(),
        prop::option::of(written()),
        prop::option::of(prop::sample::select(&SOURCES[..])),
        prop::collection::vec(0u8..3, 0..3),
        (0u32..12, 0u8..4),
        prop::bool::weighted(0.9),
    );
    let doc = doc.prop_map(|(text, title, source, labels, (cluster, rank), alive)| Doc {
        text,
        title,
        source,
        labels,
        cluster,
        rank,
        alive,
    });
    prop::collection::vec(doc, 1..40)
}

pub fn asked() -> impl Strategy<Value = Asked> {
    let word = || prop::sample::select(&WORDS[..]);
    let words =
        prop_oneof![3 => word().prop_map(|word| vec![word]), 1 => prop::collection::vec(word(), 2..4)];
    let field = prop::option::weighted(0.2, prop::sample::select(&["title", "source"][..]));
    let item = (words, field).prop_map(|(words, field)| Item { field, words });
    let groups = prop::collection::vec(prop::collection::vec(item.clone(), 1..3), 0..3);
    let asked = (groups, prop::collection::vec(item, 0..2));
    asked
        .prop_filter("something is asked", |(groups, excluded)| !groups.is_empty() || !excluded.is_empty())
        .prop_map(|(groups, excluded)| Asked { groups, excluded })
}
