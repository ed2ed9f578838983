//! Alike and yet different: how documents differ, and rules that keep them apart.

use std::collections::BTreeMap;

use lookalike_core::difference::{Difference, DifferenceKind};
use lookalike_core::hash::mix;

use super::super::{DocumentVerdict, Index, Policy, QueryOptions, View};
use super::*;

/// Reports of a few families. Those of one family differ in their wording, their numbers, their dates, their case,
/// and some in nothing.
fn reports(count: u64, seed: u64) -> Vec<Made> {
    // Without digits: a word that has one is a number.
    let spelled = |text: String| -> String {
        text.chars().map(|c| c.to_digit(10).map_or(c, |digit| (b'a' + digit as u8) as char)).collect()
    };
    let made = |number: u64| {
        let random = mix(seed << 32 | number);
        let family = random % (count / 8 + 1);
        let body = spelled(super::text(family, random >> 30 & 1, random >> 40));
        let sum = 10 + (random >> 8 & 1);
        let day = 3 + (random >> 9 & 1);
        let body = if random >> 10 & 3 == 0 { body.to_uppercase() } else { body };
        let text = format!("on {day} May 2024 it was {sum} in all, {body}");
        let labels = if random >> 50 & 3 == 0 { vec!["red"] } else { Vec::new() };
        Made { streams: String::new(), id: format!("d{number:04}"), text, labels }
    };
    (0..count).map(made).collect()
}

fn fed(folder: &std::path::Path, toml: &str, documents: &[Made]) -> Index {
    let index = create(folder, toml);
    for made in documents {
        index.writer().add(&made.line(), Policy::Report, &at(1000)).unwrap();
    }
    index
}

#[test]
fn a_rule_keeps_the_same_pairs_apart_in_a_batch_run_and_an_index() {
    let documents = reports(160, 5);
    let texts: BTreeMap<&str, &str> =
        documents.iter().map(|made| (made.id.as_str(), made.text.as_str())).collect();
    for method in ["minhash", "exact", "textprofile", "cosine", "simhash", "ensemble"] {
        for unless in ["numbers", "dates", "case", "numbers', 'dates", "replaced"] {
            let toml = |unless: &str| format!("method = '{method}'\n[decide]\nthreshold = 0.5\n{unless}");
            let toml = toml(&format!("unless = ['{unless}']"));
            let by_rule = by_batch(&documents, &toml);
            for (a, b) in by_rule.pairs.keys() {
                let difference = Difference::between(texts[a.as_str()], texts[b.as_str()]);
                let differs = difference.kinds().any(|kind| unless.contains(kind.name()));
                assert!(!differs, "{method}: {a} and {b} differ in {difference}");
            }
            let folder = TempDir::new().unwrap();
            let index = fed(folder.path(), &toml, &documents);
            assert_eq!(by_index(&index, &documents, &View::All), by_rule, "{method}, unless {unless}");
        }
    }
}

/// The rule takes away exactly the pairs that differ in this way.
#[test]
fn a_rule_keeps_nothing_else_apart() {
    let documents = reports(120, 9);
    let plain = "[features]\nshingle = 2\n[decide]\nthreshold = 0.3\n";
    let all = by_batch(&documents, plain);
    let by_rule = by_batch(&documents, &format!("{plain}unless = 'numbers, dates'"));
    let text =
        |id: &String| documents.iter().find(|made| made.id == *id).map(|made| made.text.as_str()).unwrap();
    let expected: Vec<_> = all
        .pairs
        .keys()
        .filter(|(a, b)| {
            let difference = Difference::between(text(a), text(b));
            !difference.has(DifferenceKind::Numbers) && !difference.has(DifferenceKind::Dates)
        })
        .collect();
    assert!(expected.len() > 50 && expected.len() + 50 < all.pairs.len());
    assert_eq!(by_rule.pairs.keys().collect::<Vec<_>>(), expected);
}

#[test]
fn those_who_see_less_get_the_pairs_that_they_see_by_the_same_rule() {
    let documents = reports(120, 13);
    let toml = "[features]\nshingle = 2\n[decide]\nthreshold = 0.3\nunless = ['numbers']";
    let folder = TempDir::new().unwrap();
    let index = fed(folder.path(), toml, &documents);
    let seen: Vec<Made> = documents.iter().filter(|made| made.labels.is_empty()).cloned().collect();
    let view = View::Labels(Vec::new());
    assert_eq!(by_index(&index, &seen, &view), by_batch(&seen, toml));
}

#[test]
fn every_answer_tells_how_documents_differ() {
    let documents = reports(60, 17);
    let folder = TempDir::new().unwrap();
    let index = fed(folder.path(), "[features]\nshingle = 2\n[decide]\nthreshold = 0.3", &documents);
    let text = |id: &Id| {
        documents.iter().find(|made| made.id == id.display()).map(|made| made.text.as_str()).unwrap()
    };
    let mut kinds = BTreeMap::new();
    for made in &documents {
        let answer = index.reader().check(&made.line(), &at(1000)).unwrap();
        for one in &answer.matches {
            // From the known document to the one that is asked about.
            let expected = Difference::between(text(&one.id), &made.text);
            assert_eq!(one.difference, Some(expected), "{} and {}", made.id, one.id.display());
            *kinds.entry(expected.to_string()).or_insert(0) += 1;
        }
        let cluster = index.reader().cluster(&id(&made.id), &View::All).unwrap().unwrap();
        for member in &cluster.members {
            let expected = Difference::between(text(&cluster.master), text(&member.id));
            assert_eq!(member.difference, Some(expected));
        }
        let map = index.reader().cluster_map(&id(&made.id), &View::All, 100).unwrap().unwrap();
        let differences: Vec<_> = cluster.members.iter().map(|member| member.difference).collect();
        let on_map: Vec<_> = map.members.iter().skip(1).map(|member| member.difference).collect();
        assert_eq!(on_map, differences);
    }
    for kind in ["none", "numbers", "case, numbers", "dates, replaced", "numbers, dates, replaced"] {
        assert!(kinds.contains_key(kind), "{kind}: {kinds:?}");
    }
}

#[test]
fn an_estimate_tells_no_difference_and_takes_no_rule() {
    let estimate = "[features]\nshingle = 2\n[decide]\nthreshold = 0.3\nverify = 'estimate'\n";
    let documents = reports(30, 19);
    let folder = TempDir::new().unwrap();
    let index = fed(folder.path(), estimate, &documents);
    let query = Made { text: format!("{} again", documents[0].text), ..documents[0].clone() };
    let answer = index.reader().check(&query.line(), &QueryOptions::default()).unwrap();
    assert_eq!(answer.verdict, DocumentVerdict::NearDuplicate);
    assert_eq!(answer.matches[0].difference, None);
    let error = recipe(&format!("{estimate}unless = ['numbers']")).build(&registry()).err().unwrap();
    assert!(error.to_string().contains("decide.unless"), "{error}");
    let error = recipe("[decide]\nunless = ['figures']").build(&registry()).err().unwrap().to_string();
    assert!(error.contains("figures") && error.contains("numbers, dates, names"), "{error}");
}
