//! What every view of a scan for people shares: names that hide nothing, figures, reasons.

use std::collections::BTreeMap;

use super::{ScanCluster, ScanMember, Unreadable};

/// Whether a name with this character looks as if it were not there, or changes how the rest looks.
/// The joiners that some scripts are written with are let through.
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

    /// Bytes of whole files that are no master: what deleting them would free.
    pub(super) fn duplicate_bytes(&self) -> u64 {
        let whole = self.members.iter().filter(|member| !self.is_master(member) && member.part.is_none());
        whole.fold(0, |sum, member| sum.saturating_add(member.bytes))
    }
}

/// The streams that both documents have, with how they agree.
pub fn streams(member: &ScanMember) -> impl Iterator<Item = (&'static str, f64)> {
    let streams = &member.streams;
    let all = [
        ("text", streams.text),
        ("images", streams.images),
        ("links", streams.links),
        ("page", streams.page),
    ];
    all.into_iter().filter_map(|(name, similarity)| Some((name, similarity?)))
}

/// The day of a time as ISO 8601 writes it.
pub fn day(time: &str) -> &str {
    time.split('T').next().unwrap_or(time)
}

/// Files that could not be read for the same reason.
pub struct Group<'a> {
    pub reason: &'a str,
    /// Path, and what else is known of the reason.
    pub files: Vec<(&'a str, &'a str)>,
}

/// The most frequent reason first. What follows a colon differs from file to file and makes no group.
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

    #[test]
    fn reasons_are_grouped_by_what_comes_before_the_colon() {
        let file = |path: &str, reason: &str| Unreadable { path: path.to_owned(), reason: reason.to_owned() };
        let files = [file("a", "encrypted"), file("b", "damaged: x: y"), file("c", "damaged: z")];
        let groups = by_reason(&files);
        let groups: Vec<_> = groups.iter().map(|group| (group.reason, group.files.as_slice())).collect();
        assert_eq!(groups, [("damaged", &[("b", "x: y"), ("c", "z")][..]), ("encrypted", &[("a", "")][..])]);
    }

    #[test]
    fn only_whole_files_that_are_no_master_would_be_freed() {
        let member = |id: &str, part: Option<&str>| ScanMember {
            id: id.to_owned(),
            part: part.map(str::to_owned),
            bytes: 10,
            ..ScanMember::default()
        };
        let members = vec![member("a", None), member("b", None), member("c#1", Some("1"))];
        let cluster = ScanCluster { master: "a".to_owned(), members, ..ScanCluster::default() };
        assert_eq!(cluster.duplicate_bytes(), 10);
    }
}
