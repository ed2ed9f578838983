//! The survey against what the index tells of single clusters.

use std::collections::BTreeMap;

use lookalike_core::hash::mix;
use tempfile::TempDir;

use super::super::tests::{at, corpus, create, id, id_of, recipe};
use super::super::{Policy, View};
use super::{Attributes, Filter, GrowthBy, Sort, Survey, WarningKind};
use crate::index::Index;

const TOML: &str = "[features]\nshingle = 2\n[decide]\nthreshold = 0.5\n";

fn filled(toml: &str) -> (TempDir, Index) {
    let folder = TempDir::new().unwrap();
    let index = create(folder.path(), toml);
    for (step, made) in (0u64..).zip(corpus(300, 3)) {
        index.writer().add(&made.line(), Policy::Report, &at(90_000 * (step + 1))).unwrap();
        if mix(step).is_multiple_of(7) {
            index.writer().remove(&id(&made.id), &View::All).unwrap();
        }
    }
    (folder, index)
}

fn survey(index: &Index) -> Survey {
    index.surveyor().survey(&View::All, &Attributes::default()).unwrap()
}

#[test]
fn the_table_holds_every_cluster_as_the_index_tells_it() {
    let chained = format!("{TOML}[cluster]\ntype = 'components'");
    for (toml, then) in [(TOML, None), (chained.as_str(), None), ("", Some(TOML))] {
        let (_folder, index) = filled(toml);
        // Numbers have gaps then.
        then.map_or(Ok(()), |then| index.writer().resign(&recipe(then))).unwrap();
        let survey = survey(&index);
        let stats = index.reader().stats(&View::All).unwrap();
        assert!(stats.clusters > 20 && stats.duplicates > stats.clusters, "{stats:?}");
        let counts = (survey.documents, survey.clusters, survey.duplicates, survey.pairs);
        assert_eq!(counts, (stats.documents, stats.clusters, stats.duplicates, stats.pairs));
        let rows = survey.rows().iter().map(|row| {
            let mut members: Vec<String> =
                survey.documents_of(row)[1..].iter().map(|&number| id_of(&index, number)).collect();
            members.sort();
            (id_of(&index, row.master), (row.weakest, members))
        });
        let told =
            index.reader().clusters(&View::All, None, usize::MAX).unwrap().into_iter().map(|cluster| {
                let mut members: Vec<String> =
                    cluster.members.iter().map(|member| member.id.json().to_owned()).collect();
                members.sort();
                (cluster.master.json().to_owned(), (cluster.weakest as f32, members))
            });
        assert_eq!(rows.collect::<BTreeMap<_, _>>(), told.collect::<BTreeMap<_, _>>());
        let first = survey.levels[0];
        assert_eq!((first.threshold, first.removed), (0.5, survey.duplicates));
        assert!(survey.levels.windows(2).all(|two| two[0].pairs >= two[1].pairs));
        let alike: u64 = survey.histogram.documents.iter().sum();
        assert_eq!(alike + survey.histogram.alone, survey.documents);
        assert_eq!(survey.growth.documents.iter().sum::<u64>(), survey.documents);
        assert_eq!(survey.growth.duplicates.iter().sum::<u64>(), survey.duplicates);
    }
}

#[test]
fn a_chain_and_a_source_that_loses_much_are_warned_of() {
    let folder = TempDir::new().unwrap();
    let index = create(folder.path(), &format!("{TOML}[cluster]\ntype = 'components'"));
    let words = |from: usize| (from..from + 30).map(|word| format!("w{word}")).collect::<Vec<_>>().join(" ");
    for step in 0..6 {
        let line = format!("{{\"id\":\"c{step}\",\"text\":\"{}\",\"source\":\"chain\"}}", words(step * 6));
        index.writer().add(line.as_bytes(), Policy::Report, &at(1)).unwrap();
    }
    for copy in 0..120 {
        let line = format!("{{\"id\":\"s{copy}\",\"text\":\"{}\",\"source\":\"mill\"}}", words(500));
        index.writer().add(line.as_bytes(), Policy::Report, &at(1)).unwrap();
    }
    let mut attributes = Attributes::default();
    index.surveyor().read_attributes(&mut attributes, &|| false).unwrap();
    let survey = index.surveyor().survey(&View::All, &attributes).unwrap();
    let loose: Vec<_> = survey.warnings.iter().filter(|warning| warning.kind == WarningKind::Loose).collect();
    assert_eq!(loose.len(), 1);
    assert!(loose[0].cluster.is_some());
    let of = |kind| survey.warnings.iter().filter(move |warning| warning.kind == kind).collect::<Vec<_>>();
    let giant = of(WarningKind::Giant);
    assert_eq!(giant.len(), 1, "120 of 126 documents");
    assert!(giant[0].message.starts_with("120 documents: giant cluster, 120 of 126"), "{}", giant[0].message);
    let short = of(WarningKind::Short);
    assert!(short[0].message.contains("short texts, of 30 words at most"), "{}", short[0].message);
    assert!(short[0].cluster.is_some());
    let told: Vec<&str> = survey.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert!(told.contains(&"mill loses 119 of 120 documents"), "{told:?}");
    assert_eq!((survey.sources[0].source.as_str(), survey.sources[0].removed), ("mill", 119));
}

#[test]
fn filters_pick_by_what_documents_say_of_themselves() {
    let folder = TempDir::new().unwrap();
    let index = create(folder.path(), TOML);
    let words = |from: usize| (from..from + 30).map(|word| format!("w{word}")).collect::<Vec<_>>().join(" ");
    for (name, family, more) in [
        ("a1", 0, "\"type\":\"pdf\",\"time\":\"2024-05-01\""),
        ("a2", 0, "\"type\":\"html\",\"time\":\"2024-06-01\""),
        ("b1", 100, "\"type\":\"html\",\"time\":86400"),
        ("b2", 100, "\"type\":\"html\",\"source\":\"x y\""),
        ("b3", 100, "\"type\":\"html\""),
    ] {
        // The same features, but for `b3` not the same text.
        let text = if name == "b3" { words(family).to_uppercase() } else { words(family) };
        let line = format!("{{\"id\":\"{name}\",\"text\":\"{text}\",{more}}}");
        index.writer().add(line.as_bytes(), Policy::Report, &at(1_000_000)).unwrap();
    }
    let mut attributes = Attributes::default();
    index.surveyor().read_attributes(&mut attributes, &|| false).unwrap();
    let survey = index.surveyor().survey(&View::All, &attributes).unwrap();
    let pick = |filter: &str, sort, descending| -> Vec<String> {
        let filter = Filter::parse(filter).unwrap();
        let places = index.surveyor().pick(&survey, &filter, None, &attributes, (sort, descending)).unwrap();
        let master = |place: &u32| id_of(&index, survey.rows()[*place as usize].master).replace('"', "");
        places.iter().map(master).collect()
    };
    let by_size = |filter: &str| pick(filter, Sort::Size, true);
    assert_eq!(by_size(""), ["b1", "a1"]);
    assert_eq!(by_size("type:pdf"), ["a1"]);
    assert_eq!(by_size("source:\"x y\""), ["b1"]);
    assert_eq!(by_size("size:>2"), ["b1"]);
    assert_eq!(by_size("size:2..2 sim:1"), ["a1"]);
    assert_eq!(by_size("sim:<0.9"), [""; 0]);
    assert_eq!(by_size("master:A"), ["a1"]);
    assert_eq!(by_size("after:2024-05-15"), ["a1"]);
    assert_eq!(by_size("before:1970-01-05"), ["b1"]);
    assert_eq!(by_size("decided:yes"), [""; 0]);
    assert_eq!(by_size("differs:none"), ["b1", "a1"]);
    assert_eq!(by_size("differs:case"), ["b1"]);
    assert_eq!(by_size("differs:numbers"), [""; 0]);
    let error = Filter::parse("differs:figures").unwrap_err().to_string();
    assert!(error.contains("numbers, dates"), "{error}");
    assert_eq!(pick("", Sort::Newest, true), ["a1", "b1"]);
    assert_eq!(pick("", Sort::Oldest, false), ["b1", "a1"]);
    assert_eq!(pick("", Sort::Median, false).len(), 2);
}

#[test]
fn growth_after_one_load_is_by_the_times_that_documents_state() {
    let load = |stated: usize, apart: u64| {
        let folder = TempDir::new().unwrap();
        let index = create(folder.path(), TOML);
        for number in 0..20 {
            let time = if number < stated {
                format!(",\"time\":{}", 1_000_000 + 86_400 * number)
            } else {
                String::new()
            };
            let line = format!("{{\"id\":{number},\"text\":\"the text of {number}\"{time}}}");
            index
                .writer()
                .add(line.as_bytes(), Policy::Report, &at(2_000_000 + apart * number as u64))
                .unwrap();
        }
        let mut attributes = Attributes::default();
        index.surveyor().read_attributes(&mut attributes, &|| false).unwrap();
        index.surveyor().survey(&View::All, &attributes).unwrap().growth
    };
    let growth = load(12, 1);
    assert_eq!(growth.by, GrowthBy::Stated);
    assert_eq!((growth.documents.iter().sum::<u64>(), growth.documents.len() >= 12), (12, true));
    // Where few state a time, or documents came over a while, it is when they were added.
    for growth in [load(9, 1), load(20, 4000)] {
        assert_eq!((growth.by, growth.documents.iter().sum::<u64>()), (GrowthBy::Added, 20));
    }
}
