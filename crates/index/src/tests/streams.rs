//! What documents have beside their texts: told in every answer, and as a rule.

use std::collections::BTreeMap;

use lookalike_core::hash::{bytes, mix};
use lookalike_core::streams::{StreamAgreement, StreamKind, Streams};

use super::super::{DocumentVerdict, Policy, View};
use super::same_as_batch::{check_documents_fed_one_by_one, check_history_of};
use super::*;

/// The documents of [`corpus`], most of them with links of one of three pages and with images of one of three albums.
/// Documents without a text have images more often.
fn with_streams(count: u64, seed: u64) -> Vec<Made> {
    corpus(count, seed).into_iter().map(|made| Made { streams: streams_of(&made), ..made }).collect()
}

fn streams_of(made: &Made) -> String {
    let random = mix(bytes(made.id.as_bytes()));
    let mut members = String::new();
    if random & 3 > 0 {
        let page = random & 3;
        // One of the links may be another one, and the first is shared by all pages.
        let own =
            (1..=5).map(|place| (page << 8) + if place == 5 { place + (random >> 8 & 1) } else { place });
        let links: Vec<u64> = std::iter::once(0).chain(own).collect();
        let links: Vec<String> = links.iter().map(|link| format!("\"/{link}\"")).collect();
        members += &format!(",\"links\":[{}]", links.join(","));
    }
    if random >> 2 & 3 > 0 || made.text.is_empty() {
        let album = random >> 16 & 3;
        // The same images, some of them scaled: a bit of the hash differs.
        let look = |place: u64| mix(album << 8 | place) ^ (random >> (20 + place) & 1);
        let images: Vec<String> = (0..3).map(|place| format!("\"{:016x}\"", look(place))).collect();
        members += &format!(",\"images\":[{}]", images.join(","));
    }
    members
}

fn agreement(a: &Made, b: &Made) -> StreamAgreement {
    let streams = |made: &Made| {
        let line: serde_json::Value = serde_json::from_slice(&made.line()).unwrap();
        let mut streams = Streams::default();
        for kind in [StreamKind::Links, StreamKind::Images] {
            let items =
                line[kind.name()].as_array().into_iter().flatten().filter_map(serde_json::Value::as_str);
            let text = items.collect::<Vec<_>>().join(" ");
            streams.add(kind, kind.name(), &lookalike_core::document::Value::Text(text.into()));
        }
        streams.finish();
        streams
    };
    streams(a).agreement(&streams(b), 6)
}

const SMALL: &str = "[features]\nshingle = 2\n[decide]\nthreshold = 0.5\n";

const RECIPES: [(&str, &str); 6] = [
    ("links keep apart", "[features]\nshingle = 2\n[decide]\nthreshold = 0.5\nstreams = ['links']"),
    (
        "both keep apart",
        "method = 'simhash'\n[decide]\ndistance = 3\nthreshold = 0.5\nstreams = 'images, links'",
    ),
    (
        "weighed",
        "[features]\nshingle = 2\n[decide]\ntype = 'weighted-streams'\nthreshold = 0.6\n\
         weights = { text = 3, images = 1, links = 1 }\n[candidates]\ntype = 'join'",
    ),
    ("without text", "[features]\nshingle = 2\nwithout_text = 'images'\n[decide]\nthreshold = 0.5"),
    (
        "without text, several methods",
        "method = 'ensemble'\n[features]\nwithout_text = 'images'\n[decide]\nthreshold = 0.5",
    ),
    ("by links alone", "[features]\ntype = 'items'\nstream = 'links'\n[decide]\nthreshold = 0.6"),
];

#[test]
fn recipes_with_streams_find_the_same_in_a_batch_run_and_an_index() {
    for (name, toml) in RECIPES {
        check_documents_fed_one_by_one(name, toml, &with_streams(150, 3));
    }
}

#[test]
fn after_any_history_streams_keep_the_same_documents_apart() {
    for (name, toml) in [RECIPES[0], RECIPES[2], RECIPES[3]] {
        check_history_of(name, toml, &with_streams(400, 7));
    }
}

/// By brute force: the rule removes the pairs that contradict, and no others.
#[test]
fn a_rule_keeps_apart_what_contradicts_and_nothing_else() {
    let documents = with_streams(160, 5);
    let by_id: BTreeMap<&str, &Made> = documents.iter().map(|made| (made.id.as_str(), made)).collect();
    // A join misses nothing, so that exact copies that become pairs change no candidates.
    let plain = "[features]\nshingle = 2\n[candidates]\ntype = 'join'\n[decide]\nthreshold = 0.4\n";
    let all = by_batch(&documents, plain);
    for kind in [StreamKind::Links, StreamKind::Images] {
        let by_rule = by_batch(&documents, &format!("{plain}streams = '{}'", kind.name()));
        let expected: Vec<_> = all
            .pairs
            .keys()
            .filter(|(a, b)| !agreement(by_id[a.as_str()], by_id[b.as_str()]).contradicts(kind))
            .collect();
        assert!(expected.len() > 50 && expected.len() + 50 < all.pairs.len(), "{}", expected.len());
        assert_eq!(by_rule.pairs.keys().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn every_answer_tells_how_streams_agree() {
    let documents = with_streams(80, 17);
    let folder = TempDir::new().unwrap();
    let index = create(folder.path(), SMALL);
    for made in &documents {
        index.writer().add(&made.line(), Policy::Report, &at(1000)).unwrap();
    }
    let made = |id: &Id| documents.iter().find(|made| made.id == id.display()).unwrap();
    let (mut alike, mut contradicting) = (0, 0);
    for query in &documents {
        let answer = index.reader().check(&query.line(), &at(1000)).unwrap();
        for one in &answer.matches {
            let expected = agreement(query, made(&one.id)).told();
            assert_eq!(one.streams, expected, "{} and {}", query.id, one.id.display());
            alike += usize::from(expected.is_some());
            contradicting += expected.map_or(0, |told| told.contradicting().count());
        }
        let cluster = index.reader().cluster(&id(&query.id), &View::All).unwrap().unwrap();
        for member in &cluster.members {
            assert_eq!(member.streams, agreement(made(&cluster.master), made(&member.id)).told());
        }
        let map = index.reader().cluster_map(&id(&query.id), &View::All, 100).unwrap().unwrap();
        let on_map: Vec<_> = map.members.iter().skip(1).map(|member| member.streams).collect();
        assert_eq!(on_map, cluster.members.iter().map(|member| member.streams).collect::<Vec<_>>());
    }
    assert!(alike > 50 && contradicting > 20, "{alike}, {contradicting}");
}

#[test]
fn a_document_of_images_alone_is_found_by_them() {
    let photo = |id: &str, looks: &[&str]| Made {
        id: id.to_owned(),
        text: String::new(),
        labels: Vec::new(),
        streams: format!(",\"images\":{looks:?}"),
    };
    let (one, other) = (["00000000000000f1", "00000000000000f2"], ["00000000000000f3", "00000000000000f4"]);
    let check = |toml: &str| {
        let folder = TempDir::new().unwrap();
        let index = create(folder.path(), toml);
        index.writer().add(&photo("a", &one).line(), Policy::Report, &at(1000)).unwrap();
        index.writer().add(&photo("b", &other).line(), Policy::Report, &at(1000)).unwrap();
        index.reader().check(&photo("x", &one).line(), &at(1000)).unwrap()
    };
    let answer = check(RECIPES[3].1);
    assert_eq!(answer.verdict, DocumentVerdict::Duplicate);
    assert_eq!(answer.matches.len(), 1);
    assert_eq!(answer.matches[0].id, id("a"));
    let answer = check(SMALL);
    assert_eq!(answer.verdict, DocumentVerdict::Unreadable);
    assert!(answer.reason.unwrap().contains("features.without_text"));
}

#[test]
fn an_estimate_knows_no_streams() {
    let estimate = format!("{SMALL}verify = 'estimate'\n");
    let error =
        recipe(&format!("{estimate}streams = ['links']")).build(&registry()).err().unwrap().to_string();
    assert!(error.contains("decide.streams"), "{error}");
    let error = recipe("[decide]\nstreams = ['text']").build(&registry()).err().unwrap().to_string();
    assert!(error.contains("images, links, metadata, structure"), "{error}");
    let error = recipe("[streams]\npictures = 'x'").build(&registry()).err().unwrap().to_string();
    assert!(error.contains("pictures") && error.contains("images"), "{error}");
}

#[test]
fn hostile_lists_are_no_error() {
    let folder = TempDir::new().unwrap();
    let index = create(folder.path(), "[features]\nwithout_text = 'images'\n[decide]\nstreams = ['links']");
    let million: String = (0..1_000_000).map(|item| format!("\"/{item}\",")).collect();
    for (place, streams) in [
        ",\"images\":5,\"links\":true".to_owned(),
        ",\"images\":{\"a\":[1]},\"links\":[[],{},null,\"\"]".to_owned(),
        ",\"images\":\"\",\"links\":[\"\",\"\"]".to_owned(),
        format!(",\"links\":[{million}\"/\"]"),
    ]
    .into_iter()
    .enumerate()
    {
        for (id, text) in [(format!("t{place}"), text(1, 0, 0)), (format!("e{place}"), String::new())] {
            let made = Made { id, text, labels: Vec::new(), streams: streams.clone() };
            index.writer().add(&made.line(), Policy::Report, &at(1000)).unwrap();
            index.reader().check(&made.line(), &at(1000)).unwrap();
        }
    }
}
