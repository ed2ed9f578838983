//! What all output of a scan for people shares: names without hidden characters, figures, reasons.

use std::collections::{BTreeMap, BTreeSet};

use super::{ScanCluster, ScanMember, Unreadable};
use lookalike_engine::run::Stream;
use lookalike_report::text::share;

/// Whether this character is invisible in a name or changes how the rest looks. The joiners that
/// some scripts need are allowed.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

impl ScanCluster {
    pub(super) fn is_master(&self, member: &ScanMember) -> bool {
        member.id == self.master
    }

    /// What removing its duplicates would free.
    pub(super) fn duplicate_bytes(&self) -> u64 {
        self.members.iter().fold(0, |sum, member| sum.saturating_add(member.frees))
    }

    /// The duplicate that is least like the master.
    pub(super) fn weakest_member(&self) -> Option<&ScanMember> {
        let duplicates = self.members.iter().filter(|member| !self.is_master(member));
        duplicates.min_by(|a, b| a.similarity.total_cmp(&b.similarity))
    }
}

/// Whether this names something other than a method that compares texts.
pub fn is_stream(found_by: &str) -> bool {
    Stream::ALL.iter().any(|stream| stream.name() == found_by)
}

/// Whether a duplicate was found by its text.
pub fn is_by_text(member: &ScanMember) -> bool {
    member.found_by.is_empty() || member.found_by.iter().any(|name| !is_stream(name))
}

/// Whether a duplicate is only another save of a web page, which may have other content.
pub fn is_page_only(member: &ScanMember) -> bool {
    !member.found_by.is_empty() && member.found_by.iter().all(|name| name == Stream::Page.name())
}

/// Whether a file has a part that could not be read; `partly` names all such parts.
pub fn is_partly_read(partly: &BTreeSet<&str>, path: &str) -> bool {
    // Parts are named by path and part, with this separator.
    let inner = format!("{path}#");
    partly.contains(path)
        || partly.range(inner.as_str()..).next().is_some_and(|next| next.starts_with(&inner))
}

/// How a duplicate and its master are alike, for people.
#[derive(Clone, Debug, PartialEq)]
pub enum Alike {
    File,
    Text,
    /// The texts differ in characters, but have the same words in the same order.
    Words,
    /// This share of what the method compares in the texts.
    Share(f64),
    /// Not in their texts, but in this stream.
    Stream(String),
}

pub fn alike(member: &ScanMember) -> Alike {
    let is_record = member.found_by.iter().any(|name| name == Stream::Metadata.name());
    match member.same.as_deref() {
        Some("file") => Alike::File,
        Some("text") if is_by_text(member) || is_record => Alike::Text,
        _ if is_by_text(member) && member.found_by == ["exact"] => Alike::Words,
        _ if is_by_text(member) => Alike::Share(less_than_same(member, member.similarity)),
        _ => Alike::Stream(member.found_by.join(", ")),
    }
}

impl Alike {
    pub fn label(&self) -> String {
        match self {
            Alike::File => "same file".to_owned(),
            Alike::Text => "same text".to_owned(),
            Alike::Words => "same words".to_owned(),
            Alike::Share(value) => share(*value, 2),
            Alike::Stream(name) => name.clone(),
        }
    }
}

/// The streams that both documents have, with how they agree.
pub fn streams(member: &ScanMember) -> impl Iterator<Item = (&'static str, f64)> {
    let streams = &member.streams;
    let all = [
        ("text", streams.text.map(|text| less_than_same(member, text))),
        ("images", streams.images),
        ("links", streams.links),
        ("metadata", streams.metadata),
        ("structure", streams.structure),
        ("page", streams.page),
    ];
    all.into_iter().filter_map(|(name, similarity)| Some((name, similarity?)))
}

/// The streams that contradict a text that is alike, by name.
pub fn contradictions(member: &ScanMember) -> Vec<&'static str> {
    member.streams.contradict.iter().map(|kind| kind.name()).collect()
}

/// All features of two texts may be the same although the texts are not, so this is never shown as
/// 100 %.
fn less_than_same(member: &ScanMember, similarity: f64) -> f64 {
    let is_same = member.same.is_some() || member.found_by == ["exact"];
    if similarity >= 1.0 && !is_same { 1.0 - f64::EPSILON } else { similarity }
}

/// The day of a time as ISO 8601 writes it.
pub fn day(time: &str) -> &str {
    time.split('T').next().unwrap_or(time)
}

/// Files that could not be read for the same reason.
pub struct Group<'a> {
    pub reason: &'a str,
    /// The path, and the details of the reason.
    pub files: Vec<(&'a str, &'a str)>,
}

/// The most frequent reason first. The part after a colon differs from file to file and is ignored
/// for grouping.
pub fn by_reason(unreadable: &[Unreadable]) -> Vec<Group<'_>> {
    let mut groups: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    for file in unreadable {
        let (reason, detail) = file.reason.split_once(": ").unwrap_or((&file.reason, ""));
        groups.entry(reason).or_default().push((&file.path, detail));
    }
    let mut groups: Vec<Group> = groups.into_iter().map(|(reason, files)| Group { reason, files }).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.files.len()));
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::Streams;

    #[test]
    fn reasons_are_grouped_by_what_comes_before_the_colon() {
        let file = |path: &str, reason: &str| Unreadable { path: path.to_owned(), reason: reason.to_owned() };
        let files = [file("a", "encrypted"), file("b", "damaged: x: y"), file("c", "damaged: z")];
        let groups = by_reason(&files);
        let groups: Vec<_> = groups.iter().map(|group| (group.reason, group.files.as_slice())).collect();
        assert_eq!(groups, [("damaged", &[("b", "x: y"), ("c", "z")][..]), ("encrypted", &[("a", "")][..])]);
    }

    #[test]
    fn a_document_is_told_to_be_alike_in_what_it_is_alike_in() {
        let member = |found_by: &[&str], same: Option<&str>, similarity: f64| ScanMember {
            found_by: found_by.iter().map(|name| (*name).to_owned()).collect(),
            same: same.map(str::to_owned),
            similarity,
            streams: Streams { text: Some(similarity), page: Some(1.0), ..Streams::default() },
            ..ScanMember::default()
        };
        let label = |found_by: &[&str], same, similarity| alike(&member(found_by, same, similarity)).label();
        assert_eq!(label(&["page"], None, 1.0), "page");
        assert_eq!(
            label(&["images", "links"], Some("text"), 1.0),
            "images, links",
            "the text was not compared"
        );
        assert_eq!(label(&["minhash", "page"], None, 0.85), "0.85");
        assert_eq!(label(&["minhash"], None, 1.0), ">0.99", "the texts differ");
        assert_eq!(label(&["exact"], None, 1.0), "same words");
        assert_eq!(label(&["exact"], Some("text"), 1.0), "same text");
        assert_eq!(label(&["metadata"], Some("text"), 1.0), "same text");
        assert_eq!(label(&["exact", "file"], Some("file"), 1.0), "same file");
        let text = |member: &ScanMember| streams(member).next().map(|(name, value)| (name, value < 1.0));
        assert_eq!(text(&member(&["page"], None, 1.0)), Some(("text", true)));
        assert_eq!(text(&member(&["exact"], Some("text"), 1.0)), Some(("text", false)));
    }
}
