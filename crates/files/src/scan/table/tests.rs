use super::*;
use crate::scan::{Streams, sample};

#[test]
fn a_small_report() {
    let expected = "\
1  3 documents, 1.20 MB to be freed, weakest 0.93
  keep              docx   1.20 MB  2024-02-28 doc   reports/annual report.docx
        kept: the newest of the longest
  dup   same file   docx   1.20 MB  2024-02-01 file  old/annu…report (copy).docx
  dup   0.93        pdf     800 kB  2023-12-01 file  mail/archive.zip#annual.pdf
        text 0.93, images 0.75

2  2 documents, 1.40 kB to be freed, weakest >0.99
  look  short texts, of 23 words at most
  keep              text   1.50 kB  2024-01-05 file  notes.txt
        kept: the newest
  dup   >0.99       text   1.40 kB  2024-01-04 file  notes-old.txt

4 files could not be read
      3  damaged
           disk/broken.docx (the archive ends too early)
           disk/half.zip (no directory)
           disk/odd.doc (no text stream)
      1  encrypted, not compared
           secret/plan.pdf

1 part could not be read, of files that gave other documents
      1  encrypted, not compared
           mail/archive.zip#locked.pdf

1 warning
  2 documents have no words

12 files: 8 read (3 known from before), 4 unreadable; 9 documents.
3 duplicates in 2 clusters, 1.20 MB to be freed; 1.25 s.
";
    assert_eq!(table(&sample::small(), 80, false, MOST_CLUSTERS), expected);
}

#[test]
fn what_is_alike_in_something_else_than_its_text_is_said_so() {
    let mut report = sample::small();
    let member = &mut report.clusters[0].members[2];
    member.found_by = vec!["page".to_owned()];
    (member.similarity, member.streams) = (1.0, Streams { page: Some(1.0), ..Streams::default() });
    report.clusters[1].members[1].found_by = vec!["page".to_owned()];
    report.clusters[1].members[1].streams =
        Streams { text: Some(0.35), page: Some(1.0), ..Streams::default() };
    let text = table(&report, 120, false, MOST_CLUSTERS);
    assert!(!text.contains("dup   1.00"), "{text}");
    assert!(text.contains("  dup   page        pdf "), "{text}");
    assert!(
        text.contains("        page 1.00\n") && text.contains("        text 0.35, page 1.00\n"),
        "{text}"
    );
    assert!(text.contains("2  2 documents, 1.40 kB to be freed, weakest alike in page\n"), "{text}");
}

#[test]
fn a_narrow_terminal_shortens_names_and_drops_dates() {
    let text = table(&sample::small(), 60, false, MOST_CLUSTERS);
    assert!(text.contains("  dup   same file   docx   1.20 MB  old/ann…port (copy).docx\n"), "{text}");
    let blocks = text.split("\n4 files").next().unwrap();
    assert!(blocks.lines().all(|line| columns(line) <= 60), "{text}");
    let pipe = table(&sample::small(), usize::MAX, false, MOST_CLUSTERS);
    assert!(!pipe.contains('…'));
}

#[test]
fn colours_only_where_asked() {
    let plain = table(&sample::small(), 80, false, MOST_CLUSTERS);
    let coloured = table(&sample::small(), 80, true, MOST_CLUSTERS);
    assert!(!plain.contains('\u{1b}'));
    assert!(coloured.contains("  \u{1b}[32mkeep\u{1b}[0m "));
    let stripped = ["1", "2", "32", "33", "0"]
        .iter()
        .fold(coloured, |text, code| text.replace(&format!("\u{1b}[{code}m"), ""));
    assert_eq!(stripped, plain);
}

#[test]
fn nothing_hostile_reaches_the_terminal() {
    let text = table(&sample::with("\u{1b}]0;x\u{7}\n\u{9b}2J\u{202e}\r"), 120, false, MOST_CLUSTERS);
    let hostile = ['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}', '\r'];
    assert!(!text.contains(hostile), "{text:?}");
    assert_eq!(text.lines().count(), table(&sample::with("calm"), 120, false, MOST_CLUSTERS).lines().count());
}

#[test]
fn many_clusters_and_members_are_counted() {
    let mut report = sample::small();
    let mut large = report.clusters[1].clone();
    large.members = vec![large.members[1].clone(); 50];
    report.clusters = vec![large; 130];
    let text = table(&report, 80, false, MOST_CLUSTERS);
    assert_eq!(text.matches("weakest").count(), 100);
    assert!(text.contains("… and 30 more clusters not shown here"));
    assert!(text.contains("… and 30 more documents\n"));
    let all = table(&report, 80, false, usize::MAX);
    assert_eq!(all.matches("notes-old.txt").count(), 130 * 50);
    assert!(!all.contains("not shown"));
}

#[test]
fn nothing_found_is_said() {
    assert_eq!(
        table(&ScanReport::default(), 80, false, MOST_CLUSTERS),
        "0 files: 0 read, 0 unreadable; 0 documents. No duplicates; 0 ms.\n"
    );
}
