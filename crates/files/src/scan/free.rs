//! How many bytes removing the duplicates would free.
//!
//! Not every duplicate frees space: a part is removed only with its file, some files are never touched, and
//! a file with several names frees space with its last one.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::result::{ScanMember, ScanReport};
use super::shown::{is_page_only, is_partly_read};

/// Computes for every duplicate, and for all together, what removing it would free.
pub fn count(report: &mut ScanReport) {
    let held: HashSet<&str> = report.containers.iter().map(String::as_str).collect();
    let partly: BTreeSet<&str> = report.partly.iter().map(|part| part.path.as_str()).collect();
    let goes = |member: &ScanMember| {
        // Files that are byte for byte the same need no text.
        let is_sure = member.same.as_deref() == Some("file") || member.weak.is_none();
        member.part.is_none()
            && is_sure
            && !is_page_only(member)
            && !held.contains(member.path.as_str())
            && !is_partly_read(&partly, &member.path)
    };
    let going: HashSet<String> =
        report.duplicates().filter(|(_, member)| goes(member)).map(|(_, member)| member.id.clone()).collect();
    let mut names: HashMap<(u64, u64), u64> = HashMap::new();
    for (_, member) in report.duplicates().filter(|(_, member)| going.contains(&member.id)) {
        *names.entry(file_of(member)).or_default() += 1;
    }
    for cluster in &mut report.clusters {
        for member in &mut cluster.members {
            // All names are removed, and this is the first of them.
            let is_freed = going.contains(&member.id)
                && (member.inode.number == 0
                    || names.remove(&file_of(member)).is_some_and(|going| going >= member.inode.names));
            member.frees = if is_freed { member.bytes } else { 0 };
        }
    }
    report.duplicate_bytes = report.clusters.iter().map(|cluster| cluster.duplicate_bytes()).sum();
}

fn file_of(member: &ScanMember) -> (u64, u64) {
    (member.inode.device, member.inode.number)
}

#[cfg(test)]
mod tests {
    use super::super::result::{ScanCluster, Unreadable};
    use super::*;
    use crate::documents::Inode;

    #[test]
    fn only_what_an_action_removes_and_no_other_name_keeps_is_freed() {
        let member = |id: &str, number: u64, names: u64| ScanMember {
            id: id.to_owned(),
            path: id.to_owned(),
            bytes: 10,
            inode: Inode { device: 1, number, names },
            ..ScanMember::default()
        };
        let mut members = vec![
            member("master", 1, 2),
            member("link to the master", 1, 2),
            member("alone", 2, 1),
            member("twin", 3, 2),
            member("other twin", 3, 2),
            member("link to somewhere else", 4, 2),
            member("another save of the page", 5, 1),
            member("mail with attachments", 6, 1),
            member("partly read", 7, 1),
            member("weak", 8, 1),
            member("part", 9, 1),
        ];
        members[6].found_by = vec!["page".to_owned()];
        members[9].weak = Some("a teaser".to_owned());
        members[10].part = Some("1".to_owned());
        let partly = Unreadable { path: "partly read#2".to_owned(), reason: "encrypted".to_owned() };
        let mut report = ScanReport {
            clusters: vec![ScanCluster { master: "master".to_owned(), members, ..ScanCluster::default() }],
            containers: vec!["mail with attachments".to_owned()],
            partly: vec![partly],
            ..ScanReport::default()
        };
        count(&mut report);
        let freed = report.clusters[0].members.iter().filter(|member| member.frees > 0);
        assert_eq!(freed.map(|member| member.id.as_str()).collect::<Vec<_>>(), ["alone", "twin"]);
        assert_eq!(report.duplicate_bytes, 20);
    }
}
