//! What links between documents say of those that they lead to (S09 §2.3.4 and §4.1: anchor text).
//!
//! A page is named by the pages that link to it, often better than by itself. What they say depends on which other
//! documents there are, so it is gathered once and then is a field of the document, `anchors`, like any other: in a
//! corpus, an index and a comparison it stays as it was.

use std::collections::{HashMap, HashSet};

use lookalike_core::hash;
use lookalike_core::reading::ANCHORS;
use lookalike_extract::Extracted;

use super::line::id_of;

/// The most different texts of links to one document.
const MOST_TEXTS: usize = 64;
/// The most bytes of such texts of all documents.
const MOST_BYTES: usize = 256 << 20;

/// Documents that can be linked to, and what the links say.
#[derive(Debug, Default)]
pub struct InLinks {
    /// Hashes of the paths and addresses of all documents.
    known: HashSet<u64>,
    texts: HashMap<u64, Vec<String>>,
    bytes: usize,
}

impl InLinks {
    /// Notes a document that others may link to.
    pub fn know(&mut self, file: &str, document: &Extracted) {
        self.known.extend(names_of(file, document));
    }

    /// Notes what a document says of others; all must be known.
    pub fn follow(&mut self, file: &str, document: &Extracted) {
        let own: Vec<u64> = names_of(file, document).collect();
        for anchor in &document.anchors {
            let Some(target) = target_of(file, document.part.as_deref(), &anchor.to) else { continue };
            let target = hash_of(&target);
            if own.contains(&target) || !self.known.contains(&target) || self.bytes > MOST_BYTES {
                continue;
            }
            let texts = self.texts.entry(target).or_default();
            if texts.len() < MOST_TEXTS && !texts.contains(&anchor.text) {
                self.bytes += anchor.text.len();
                texts.push(anchor.text.clone());
            }
        }
    }

    /// Gives a document what others say of it.
    pub fn describe(&self, file: &str, document: &mut Extracted) {
        let mut texts: Vec<String> =
            names_of(file, document).filter_map(|name| self.texts.get(&name)).flatten().cloned().collect();
        texts.sort_unstable();
        texts.dedup();
        if !texts.is_empty() {
            document.lists.insert(ANCHORS.to_owned(), texts);
        }
    }
}

/// The names by which others link to a document: its path, and its address if it says one.
fn names_of<'d>(file: &str, document: &'d Extracted) -> impl Iterator<Item = u64> + use<'d> {
    let path = hash_of(&id_of(file, document.part.as_deref()));
    std::iter::once(path).chain(document.fields.get("url").map(|url| hash_of(url)))
}

/// Addresses that differ in the slash at their end or in the scheme lead to the same page.
fn hash_of(name: &str) -> u64 {
    let name = name.strip_prefix("https://").or_else(|| name.strip_prefix("http://")).unwrap_or(name);
    hash::bytes(name.trim_end_matches('/').as_bytes())
}

/// Where a link leads: an address as it is, a path as that of a file or a part beside the document.
fn target_of(file: &str, part: Option<&str>, to: &str) -> Option<String> {
    if to.contains("://") {
        return Some(to.to_owned());
    }
    if to.starts_with("mailto:") {
        return None;
    }
    let path = to.split('?').next().unwrap_or_default();
    let own = part.unwrap_or(file);
    // A path from the root of a site is one from the root of the archive; of a folder the root is not known.
    let mut steps: Vec<&str> = match path.strip_prefix('/') {
        Some(_) if part.is_none() => return None,
        Some(_) => Vec::new(),
        None => own.rsplit_once('/').map_or(Vec::new(), |(folder, _)| folder.split('/').collect()),
    };
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop()?;
            }
            step => steps.push(step),
        }
    }
    let path = steps.join("/");
    Some(match part {
        Some(_) => id_of(file, Some(&path)),
        None => path,
    })
}

#[cfg(test)]
mod tests {
    use lookalike_extract::Anchor;

    use super::*;

    fn page(part: Option<&str>, url: Option<&str>, links: &[(&str, &str)]) -> Extracted {
        let anchor = |&(to, text): &(&str, &str)| Anchor { to: to.to_owned(), text: text.to_owned() };
        Extracted {
            part: part.map(str::to_owned),
            fields: url.map(|url| ("url".to_owned(), url.to_owned())).into_iter().collect(),
            anchors: links.iter().map(anchor).collect(),
            ..Extracted::default()
        }
    }

    /// What is said of each document.
    fn said(pages: &[(&str, Extracted)]) -> Vec<String> {
        let mut links = InLinks::default();
        pages.iter().for_each(|(file, page)| links.know(file, page));
        pages.iter().for_each(|(file, page)| links.follow(file, page));
        let mut pages: Vec<(&str, Extracted)> = pages.to_vec();
        pages.iter_mut().for_each(|(file, page)| links.describe(file, page));
        pages
            .iter()
            .map(|(_, page)| page.lists.get(ANCHORS).map_or(String::new(), |texts| texts.join("|")))
            .collect()
    }

    #[test]
    fn links_name_the_files_that_they_lead_to() {
        let pages = [
            (
                "site/a.html",
                page(None, None, &[("b/c.html", "See C"), ("a.html", "me"), ("/b/c.html", "root")]),
            ),
            (
                "site/b/c.html",
                page(None, None, &[("../a.html?x=1", "Back"), ("../../a.html", "above"), ("d.html", "none")]),
            ),
            (
                "site/b/e.html",
                page(None, None, &[("./c.html", "C"), ("c.html", "See C"), ("../../../../x", "out")]),
            ),
        ];
        assert_eq!(said(&pages), ["Back", "C|See C", ""]);
    }

    #[test]
    fn links_name_parts_of_archives_and_addresses() {
        let pages = [
            ("x.tar", page(Some("h/a.html"), None, &[("/h/b.html", "From the root"), ("b.html", "B")])),
            ("x.tar", page(Some("h/b.html"), None, &[("http://example.org/c/", "At C")])),
            ("y.html", page(None, Some("https://example.org/c"), &[("mailto:a@b.c", "Write")])),
        ];
        assert_eq!(said(&pages), ["", "B|From the root", "At C"]);
    }

    #[test]
    fn texts_are_limited() {
        let texts: Vec<String> = (0..1000).map(|number| format!("text {number}")).collect();
        let links: Vec<(&str, &str)> = texts.iter().map(|text| ("b.html", text.as_str())).collect();
        let pages = [("a.html", page(None, None, &links)), ("b.html", page(None, None, &[]))];
        assert_eq!(said(&pages)[1].split('|').count(), MOST_TEXTS);
    }
}
