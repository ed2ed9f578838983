//! What becomes of documents under each policy, over time, and by people's word.

use std::time::Duration;

use super::super::{DocumentAction, DocumentVerdict, Index, Policy, View};
use super::*;

const TOML: &str = "[features]\nshingle = 2\n[decide]\nthreshold = 0.5\n";

fn made(name: &str, changes: u64) -> Made {
    Made { streams: String::new(), id: name.to_owned(), text: text(5, changes, changes), labels: Vec::new() }
}

fn index() -> (TempDir, Index) {
    let folder = TempDir::new().unwrap();
    let index = create(folder.path(), TOML);
    (folder, index)
}

fn names(answer: &super::super::Answer) -> Vec<String> {
    answer.matches.iter().map(|one| one.id.display().into_owned()).collect()
}

#[test]
fn each_policy_does_what_it_says() {
    let (short, long) = (
        made("short", 0),
        Made { text: format!("{} more words at the end", text(5, 1, 1)), ..made("long", 0) },
    );
    for policy in [Policy::Report, Policy::Reject, Policy::Replace, Policy::KeepBest, Policy::Version] {
        let (_folder, index) = index();
        let first = index.writer().add(&short.line(), policy, &at(10)).unwrap();
        assert_eq!(
            (first.verdict, first.action),
            (DocumentVerdict::New, DocumentAction::Inserted),
            "{policy:?}"
        );
        let second = index.writer().add(&long.line(), policy, &at(20)).unwrap();
        assert_eq!(second.verdict, DocumentVerdict::NearDuplicate);
        assert_eq!(names(&second), ["short"]);
        let expected = match policy {
            Policy::Reject => (DocumentAction::Rejected, vec!["short"]),
            Policy::Replace | Policy::KeepBest => (DocumentAction::Inserted, vec!["long"]),
            _ => (DocumentAction::Inserted, vec!["short", "long"]),
        };
        assert_eq!(second.action, expected.0, "{policy:?}");
        for name in ["short", "long"] {
            let there = index.reader().get(&id(name), &View::All).unwrap().is_some();
            assert_eq!(there, expected.1.contains(&name), "{policy:?} {name}");
        }
        if policy == Policy::Version {
            let history = index.reader().history(&id("long"), &View::All).unwrap().unwrap();
            assert_eq!(history.versions.iter().map(|version| version.time).collect::<Vec<_>>(), [10, 20]);
        }
        // The worse of two is never kept by keep-best.
        if policy == Policy::KeepBest {
            let third = index.writer().add(&short.line(), policy, &at(30)).unwrap();
            assert_eq!((third.action, names(&third)), (DocumentAction::Rejected, vec!["long".to_owned()]));
        }
    }
}

#[test]
fn an_id_seen_again_is_a_new_version() {
    let (_folder, index) = index();
    index.writer().add(&made("a", 0).line(), Policy::Report, &at(100)).unwrap();
    let same = index.writer().add(&made("a", 0).line(), Policy::Report, &at(200)).unwrap();
    assert_eq!((same.action, same.verdict), (DocumentAction::Unchanged, DocumentVerdict::New));
    let interval =
        |index: &Index| index.reader().history(&id("a"), &View::All).unwrap().unwrap().recrawl.interval;
    let longer = interval(&index);
    let changed = index.writer().add(&made("a", 2).line(), Policy::Report, &at(300)).unwrap();
    assert_eq!(
        (changed.action, changed.verdict),
        (DocumentAction::Updated, DocumentVerdict::New),
        "not its own duplicate"
    );
    let version = changed.version.unwrap();
    assert!(version.changed && version.similarity.unwrap() > 0.5 && version.similarity.unwrap() < 1.0);
    assert!(interval(&index) < longer);
    let history = index.reader().history(&id("a"), &View::All).unwrap().unwrap();
    assert_eq!(history.versions.len(), 2);
    assert_eq!(index.reader().stats(&View::All).unwrap().documents, 1);
    let stored = index.reader().get(&id("a"), &View::All).unwrap().unwrap();
    assert_eq!(stored.document.get().as_bytes(), made("a", 2).line());
}

/// The queue against the advice for each document.
#[test]
fn what_is_due_comes_first_that_is_most_urgent() {
    let folder = TempDir::new().unwrap();
    let index = create(folder.path(), "[features]\nshingle = 2\n[decide]\nthreshold = 0.5\n");
    let documents = corpus(80, 9);
    for (time, made) in (0..).zip(&documents) {
        index.writer().add(&made.line(), Policy::Report, &at(1000 + time * 60)).unwrap();
    }
    for made in documents.iter().step_by(3) {
        index.writer().add(&made.line(), Policy::Report, &at(9000)).unwrap();
    }
    let now = 1000 + 86_400 + 40 * 60;
    let mut expected = Vec::new();
    for made in &documents {
        let recrawl = index.reader().history(&id(&made.id), &View::All).unwrap().unwrap().recrawl;
        if recrawl.due <= now {
            let urgency = std::cmp::Reverse((recrawl.crawl_priority * 1e9) as u64);
            expected.push((urgency, recrawl.due, id(&made.id).json().to_owned()));
        }
    }
    expected.sort();
    assert!(
        expected.len() > 15
            && expected.len() < 50
            && expected.first().map(|one| one.0) != expected.last().map(|one| one.0)
    );
    let queue = index.reader().due(&View::All, now, 10).unwrap();
    assert_eq!(queue.due, expected.len() as u64);
    let listed: Vec<String> = queue.documents.iter().map(|document| document.id.json().to_owned()).collect();
    assert_eq!(listed, expected.iter().take(10).map(|(_, _, id)| id.clone()).collect::<Vec<_>>());
    assert_eq!(index.reader().due(&View::All, 2000, 10).unwrap().due, 0);
    assert_eq!(index.reader().due(&View::Labels(vec!["nobody".to_owned()]), 2000, 10).unwrap().due, 0);
}

#[test]
fn what_expires_is_forgotten_and_a_hit_keeps_it_alive() {
    let (_folder, index) = index();
    let options = |now| QueryOptions { time_to_live: Some(Duration::from_secs(100)), ..at(now) };
    index.writer().add(&made("a", 0).line(), Policy::Report, &options(1000)).unwrap();
    index.writer().add(&made("b", 1).line(), Policy::Report, &options(1000)).unwrap();
    let check = |now, refresh| {
        let answer =
            index.reader().check(&made("x", 0).line(), &QueryOptions { refresh, ..at(now) }).unwrap();
        answer.matching
    };
    assert_eq!(check(1050, false), 2);
    assert_eq!(check(1100, false), 0, "both have expired, swept or not");
    assert_eq!(check(1090, true), 2);
    index.writer().tick(1099).unwrap();
    assert_eq!(check(1150, false), 2, "the hit at 1090 gave them another 100 seconds");
    index.writer().tick(1190).unwrap();
    assert_eq!(index.reader().stats(&View::All).unwrap().documents, 0);
}

#[test]
fn prototypes_give_a_verdict_with_their_hits() {
    let (folder, index) = index();
    let line = |name: &str, set: &str, changes| {
        format!("{{\"id\":\"{name}\",\"text\":\"{}\",\"set\":\"{set}\"}}", text(5, changes, 9)).into_bytes()
    };
    index.writer().add(&line("s", "spam", 0), Policy::Report, &at(10)).unwrap();
    index.writer().add(&line("h", "legitimate", 3), Policy::Report, &at(10)).unwrap();
    let asked = made("x", 0).line();
    for _ in 0..3 {
        index.reader().check(&asked, &QueryOptions { refresh: true, ..at(20) }).unwrap();
    }
    let set = index.reader().check(&asked, &at(20)).unwrap().set.unwrap();
    assert_eq!((set.name.as_str(), set.similarity, set.hits), ("spam", 1.0, 3));
    index.close().unwrap();
    let index = Index::open(folder.path(), registry()).unwrap();
    assert_eq!(
        index.reader().check(&asked, &at(20)).unwrap().set.unwrap().hits,
        3,
        "hits are written when closing"
    );
}

#[test]
fn a_decision_holds_for_these_contents_and_survives_a_new_generation() {
    let (folder, index) = index();
    index.writer().add(&made("a", 0).line(), Policy::Report, &at(10)).unwrap();
    index.writer().add(&made("b", 1).line(), Policy::Report, &at(10)).unwrap();
    let far =
        Made { streams: String::new(), id: "far".to_owned(), text: text(900, 0, 0), labels: Vec::new() };
    index.writer().add(&far.line(), Policy::Report, &at(10)).unwrap();
    let cluster =
        |index: &Index, name: &str| index.reader().cluster(&id(name), &View::All).unwrap().unwrap().size;
    assert_eq!((cluster(&index, "a"), cluster(&index, "far")), (2, 1));
    assert!(index.writer().decide(&id("a"), &id("b"), Some(false), "me", &View::All).unwrap());
    assert!(index.writer().decide(&id("a"), &id("far"), Some(true), "me", &View::All).unwrap());
    assert!(!index.writer().decide(&id("a"), &id("unknown"), Some(true), "me", &View::All).unwrap());
    let holds = |index: &Index| {
        assert_eq!((cluster(index, "b"), cluster(index, "far")), (1, 2));
        let answer = index.reader().check(&made("a", 0).line(), &at(20)).unwrap();
        assert_eq!(names(&answer), ["a", "far"]);
        assert_eq!(answer.matches[1].method, "decision");
        assert_eq!(index.reader().decisions(&View::All).unwrap().len(), 2);
    };
    holds(&index);
    drop(index);
    let index = Index::open(folder.path(), registry()).unwrap();
    holds(&index);
    index.writer().resign(&recipe("[features]\nshingle = 3\n[decide]\nthreshold = 0.4")).unwrap();
    holds(&index);
    assert!(index.writer().decide(&id("a"), &id("b"), None, "me", &View::All).unwrap());
    let answer = index.reader().check(&made("b", 1).line(), &at(20)).unwrap();
    assert_eq!(names(&answer), ["b", "a"], "taken back, they are compared again");
}

#[test]
fn bad_documents_are_refused_one_by_one() {
    let (_folder, index) = index();
    let lines: [&[u8]; 7] = [
        b"no json",
        b"{\"id\":\"a\"}",
        b"{\"text\":\"without an id\"}",
        b"{\"id\":\"a\",\"text\":\"x\",\"labels\":\"red\"}",
        b"\xff\xfe",
        b"{\"id\":[1],\"text\":\"x\"}",
        b"{\"id\":\"empty\",\"text\":\"\"}",
    ];
    let answers = index.writer().add_many(&lines, Policy::Report, &at(10)).unwrap();
    for answer in &answers[..6] {
        assert!(matches!(answer, Err(lookalike_core::Error::Input(_))), "{answer:?}");
    }
    let empty = answers[6].as_ref().unwrap();
    assert_eq!((empty.verdict, empty.action), (DocumentVerdict::Unreadable, DocumentAction::Inserted));
    let again = index.reader().check(b"{\"text\":\" \"}", &at(10)).unwrap();
    assert_eq!((again.verdict, again.matching), (DocumentVerdict::Unreadable, 0), "nothing is never a match");
    assert_eq!(index.reader().stats(&View::All).unwrap().documents, 1);
}

#[test]
fn passages_and_containments_are_told() {
    let (_folder, index) = index();
    let whole = text(5, 0, 0);
    index.writer().add(&made("a", 0).line(), Policy::Report, &at(10)).unwrap();
    let longer = format!("{{\"text\":\"{whole} and then some more words\"}}");
    let answer = index.reader().check(longer.as_bytes(), &QueryOptions { passages: true, ..at(20) }).unwrap();
    let one = &answer.matches[0];
    assert!(one.contains == Some(1.0) && one.contained_in.unwrap() < 1.0);
    let passage = &one.passages.as_ref().unwrap()[0];
    assert_eq!((passage.asked, passage.known, passage.words), ([0, whole.len()], [0, whole.len()], 40));
    assert_eq!(answer.text.as_deref(), Some(format!("{whole} and then some more words").as_str()));
    let title = one.title.as_deref().unwrap();
    assert!(whole.starts_with(title.trim_end_matches('…')) && title.len() > 20, "{title}");
    let plain = index.reader().check(longer.as_bytes(), &at(20)).unwrap();
    assert!(plain.text.is_none() && plain.matches[0].title.is_none(), "only with passages");
}

#[test]
fn a_text_alone_is_checked_as_a_document_that_has_only_a_text() {
    let by_field = "[features]\ntype = \"items\"\nstream = \"links\"\nfields = [\"text\"]\n";
    for toml in [TOML, by_field] {
        let folder = TempDir::new().unwrap();
        let index = create(folder.path(), toml);
        index.writer().add(&made("a", 0).line(), Policy::Report, &at(10)).unwrap();
        let whole = text(5, 0, 0);
        let mut matching = 0;
        for text in [
            String::new(),
            whole.clone(),
            format!("{whole}\n\"labels\":5 \u{0} é"),
            format!("\"set\" {}", text(9, 0, 0)),
        ] {
            let line = serde_json::json!({ "text": text }).to_string();
            for passages in [false, true] {
                let options = QueryOptions { passages, ..at(20) };
                let json = |answer| serde_json::to_string(&answer).unwrap();
                let expected = index.reader().check(line.as_bytes(), &options).unwrap();
                matching += expected.matching;
                assert_eq!(json(index.reader().check_text(&text, &options).unwrap()), json(expected));
            }
        }
        assert!(matching > 0, "{toml}");
    }
}
