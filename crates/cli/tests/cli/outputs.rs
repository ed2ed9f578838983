//! The files of a run, field by field: scripts depend on them.

use serde_json::{Value, json};

use super::support::{Place, document, each, joined, keys, nearly, values, words};

/// A near-duplicate, an exact copy, two strangers and a bad line.
fn corpus() -> Vec<String> {
    vec![
        document("sea-1", &words("sea", 100)),
        document("sky-1", &words("sky", 100)),
        document("sea-2", &nearly("sea", 100)),
        "{\"id\":\"bad\"}".to_owned(),
        document("sea-3", &words("sea", 100)),
        document("land-1", &words("land", 100)),
    ]
}

fn deduped() -> Place {
    let place = Place::with_corpus(&corpus());
    place.run("dedup corpus.jsonl -o out").ok();
    place
}

fn first_line(place: &Place, name: &str) -> String {
    place.text(name).lines().next().unwrap_or_else(|| panic!("{name} is empty")).to_owned()
}

#[test]
fn the_folder_holds_exactly_the_promised_files() {
    assert_eq!(
        deduped().names("out"),
        [
            "clusters.jsonl",
            "kept.jsonl",
            "pairs.jsonl",
            "rejected.jsonl",
            "removed.jsonl",
            "report.html",
            "report.json"
        ]
    );
}

#[test]
fn kept_lines_are_the_input_s_own_in_its_order() {
    let lines = corpus();
    let kept = [&lines[1], &lines[2], &lines[5]].map(String::clone);
    assert_eq!(deduped().text("out/kept.jsonl"), joined(&kept));
}

#[test]
fn removed_has_its_fields_in_order() {
    let place = deduped();
    let fields = [
        "id",
        "keeper",
        "cluster",
        "similarity",
        "contained_in_keeper",
        "contains_keeper",
        "method",
        "reason",
        "difference",
    ];
    for line in place.text("out/removed.jsonl").lines() {
        assert_eq!(keys(line), fields);
    }
    // 100 words make 96 shingles; the longer document has one more.
    let similarity = 96.0 / 97.0;
    let near = json!({
        "id": "sea-1", "keeper": "sea-2", "cluster": 1, "similarity": similarity,
        "contained_in_keeper": 1.0, "contains_keeper": similarity,
        "method": "minhash", "reason": "near-duplicate", "difference": ["cut"],
    });
    let removed = place.lines("out/removed.jsonl");
    assert_eq!(removed[0], near);
    assert_eq!(each(&removed, "id"), ["sea-1", "sea-3"]);
}

#[test]
fn an_exact_copy_is_called_one() {
    let place = Place::with_corpus(&[document(1, &words("sea", 9)), document(2, &words("sea", 9))]);
    place.run("dedup corpus.jsonl -o out").ok();
    let expected = json!({
        "id": 2, "keeper": 1, "cluster": 1, "similarity": 1.0, "contained_in_keeper": 1.0,
        "contains_keeper": 1.0, "method": "exact", "reason": "all features are the same",
        "difference": ["none"],
    });
    assert_eq!(place.lines("out/removed.jsonl"), [expected]);
}

#[test]
fn clusters_have_their_fields_in_order() {
    let place = deduped();
    assert_eq!(
        keys(&first_line(&place, "out/clusters.jsonl")),
        ["cluster", "master", "size", "weakest", "members"]
    );
    let similarity = 96.0 / 97.0;
    let expected = json!({
        "cluster": 1, "master": "sea-2", "size": 3, "weakest": similarity,
        "members": [
            { "id": "sea-2", "similarity": 1.0 },
            { "id": "sea-1", "similarity": similarity },
            { "id": "sea-3", "similarity": similarity },
        ],
    });
    assert_eq!(place.lines("out/clusters.jsonl"), [expected]);
}

#[test]
fn pairs_have_their_fields_in_order_and_the_smaller_id_first() {
    let place = deduped();
    for line in place.text("out/pairs.jsonl").lines() {
        assert_eq!(keys(line), ["a", "b", "similarity", "difference"]);
    }
    let pairs = place.lines("out/pairs.jsonl");
    assert!(!pairs.is_empty());
    for pair in pairs {
        assert!(pair["a"].as_str() < pair["b"].as_str(), "{pair}");
    }
}

/// Each pair of ids, larger first in the file, must come out smaller first.
#[test]
fn the_smaller_id_is_a_whatever_kind_of_id_it_is() {
    for (larger, smaller) in [
        (json!(10), json!(9)),
        (json!(2), json!(-3)),
        (json!("b"), json!("a")),
        (json!("a"), json!(7)),
        (json!("é"), json!("z")),
        (json!("\u{10000}"), json!("\u{ffff}")),
        (json!("a b"), json!("a\nb")),
        (json!("a#"), json!("a\"")),
    ] {
        let text = words("sea", 9);
        let place = Place::with_corpus(&[document(larger.clone(), &text), document(smaller.clone(), &text)]);
        place.run("dedup corpus.jsonl -o out").ok();
        let pair = place.lines("out/pairs.jsonl").remove(0);
        assert_eq!((&pair["a"], &pair["b"]), (&smaller, &larger), "{pair}");
    }
}

#[test]
fn rejected_has_its_fields_in_order() {
    let place = deduped();
    assert_eq!(keys(&first_line(&place, "out/rejected.jsonl")), ["file", "line", "reason"]);
    let expected = json!({ "file": "corpus.jsonl", "line": 4, "reason": "field `text` is missing" });
    assert_eq!(place.lines("out/rejected.jsonl"), [expected]);
}

#[test]
fn the_report_has_every_number() {
    let report = deduped().json("out/report.json");
    for (key, expected) in
        [("documents", 5), ("rejected", 1), ("kept", 3), ("removed", 2), ("clusters", 1), ("pairs", 2)]
    {
        assert_eq!(report[key], expected, "{key}: {report}");
    }
    assert!(report["scheme"].as_str().unwrap().starts_with("minhash-"), "{report}");
    assert!(report["candidates"].as_u64() >= Some(1), "{report}");
    let recall = report["expected_recall"].as_f64().unwrap();
    assert!((0.99..=1.0).contains(&recall), "{report}");
    assert!(report["peak_memory_bytes"].as_u64() > Some(1 << 20), "{report}");
    let stages = report["stages"].as_object().unwrap();
    let sum: f64 = stages.values().map(|seconds| seconds.as_f64().unwrap()).sum();
    assert!(stages.len() >= 4 && sum <= report["seconds"].as_f64().unwrap() + 0.001, "{report}");
}

#[test]
fn the_report_tells_the_whole_recipe() {
    let recipe = deduped().json("out/report.json")["recipe"].clone();
    for (path, expected) in [
        ("/features/shingle", json!(5)),
        ("/features/unit", json!("word")),
        ("/sign/hashes", json!(128)),
        ("/sign/seed", json!(1)),
        ("/decide/threshold", json!(0.8)),
        ("/decide/measure", json!("jaccard")),
        ("/cluster/type", json!("star")),
        ("/keep/rule", json!("longest")),
    ] {
        assert_eq!(recipe.pointer(path), Some(&expected), "{path}: {recipe}");
    }
}

#[test]
fn ids_of_every_scalar_kind_are_kept_as_they_are() {
    let text = words("sea", 30);
    let spellings = [
        "-7",
        "1.50",
        "12345678901234567890123",
        "1e3",
        "true",
        "\"a b\"",
        "\"ü\"",
        "\"\"",
        "\"quote\\\"d\"",
    ];
    for spelling in spellings {
        let lines = [
            format!("{{\"id\":\"zzz\",\"text\":\"{text} more\"}}"),
            format!("{{\"id\":{spelling},\"text\":\"{text}\"}}"),
        ];
        let place = Place::with_corpus(&lines);
        place.run("dedup corpus.jsonl -o out").ok();
        let removed = place.text("out/removed.jsonl");
        assert!(removed.starts_with(&format!("{{\"id\":{spelling},")), "{spelling}: {removed}");
    }
}

#[test]
fn a_document_without_id_is_named_by_its_line() {
    let text = words("sea", 30);
    let lines =
        ["", &format!("{{\"text\":\"{text} more\"}}"), &format!("{{\"id\":null,\"text\":\"{text}\"}}")];
    let place = Place::with_corpus(&lines.map(str::to_owned));
    place.run("dedup corpus.jsonl -o out").ok();
    let removed = place.lines("out/removed.jsonl").remove(0);
    assert_eq!((&removed["id"], &removed["keeper"]), (&json!(3), &json!(2)));
}

#[test]
fn with_several_inputs_a_document_without_id_is_named_by_file_and_line() {
    let place = Place::new();
    let text = words("sea", 30);
    place.write("a.jsonl", format!("{{\"text\":\"{text} more\"}}\n"));
    place.write("b.jsonl", format!("\n{{\"text\":\"{text}\"}}\n"));
    place.run("dedup a.jsonl b.jsonl -o out").ok();
    let removed = place.lines("out/removed.jsonl").remove(0);
    assert_eq!((&removed["id"], &removed["keeper"]), (&json!("b.jsonl:2"), &json!("a.jsonl:1")));
}

#[test]
fn other_field_names_are_taken_when_told() {
    let place = Place::new();
    let line = |key: u32, text: &str| json!({ "key": key, "body": text, "text": "unused" }).to_string();
    place.write("corpus.jsonl", joined(&[line(1, &words("sea", 30)), line(2, &nearly("sea", 30))]));
    place.run("dedup corpus.jsonl -o out --id-field key --text-field body").ok();
    let removed = place.lines("out/removed.jsonl").remove(0);
    assert_eq!((&removed["id"], &removed["keeper"]), (&json!(1), &json!(2)));
}

/// Everything but the clock.
fn results(place: &Place, folder: &str) -> [String; 4] {
    ["kept.jsonl", "removed.jsonl", "clusters.jsonl", "pairs.jsonl"]
        .map(|name| place.text(&format!("{folder}/{name}")))
}

#[test]
fn threads_do_not_change_the_results() {
    let mut lines = Vec::new();
    for topic in 0..40 {
        for copy in 0..4 {
            let text =
                format!("{} {}", words(&format!("t{topic}x"), 80), words(&format!("c{copy}x"), copy * 2));
            lines.push(document(format!("{copy}-{topic}"), &text));
        }
    }
    let place = Place::with_corpus(&lines);
    place.run("dedup corpus.jsonl -o one --threads 1").ok();
    place.run("dedup corpus.jsonl -o three --threads 3").ok();
    assert_eq!(results(&place, "one"), results(&place, "three"));
    assert!(place.lines("one/removed.jsonl").len() >= 80, "there is something to compare");
}

#[test]
fn the_same_run_gives_the_same_bytes() {
    let place = deduped();
    place.run("dedup corpus.jsonl -o again").ok();
    assert_eq!(results(&place, "out"), results(&place, "again"));
}

#[test]
fn the_page_stands_alone_and_shows_the_removal() {
    let page = deduped().text("out/report.html");
    assert!(page.to_lowercase().starts_with("<!doctype html"), "{}", &page[..80]);
    assert!(page.contains("sea-1") && page.contains("sea-2"));
    for foreign in ["src=\"http", "href=\"http", "@import", "url(http"] {
        assert!(!page.contains(foreign), "nothing is fetched from elsewhere: {foreign}");
    }
}

#[test]
fn a_hostile_text_stays_text_on_the_page() {
    let attack = "<script>alert(1)</script><img src=x onerror=alert(2)>";
    let text = format!("{attack} {}", words("sea", 60));
    let lines = [document("</title><script>", &text), document(attack, &format!("{text} more"))];
    let place = Place::with_corpus(&lines);
    place.run("dedup corpus.jsonl -o out").ok();
    assert_eq!(place.lines("out/removed.jsonl").len(), 1);
    let page = place.text("out/report.html");
    assert!(
        !page.contains("<script>alert") && !page.contains("<img src=x") && !page.contains("</title><script>")
    );
}

#[test]
fn never_are_all_members_of_a_cluster_removed() {
    let place = deduped();
    let kept = each(&values(&place.text("out/kept.jsonl")), "id");
    for cluster in place.lines("out/clusters.jsonl") {
        assert!(kept.contains(&cluster["master"]), "{cluster}");
        let ids: Vec<&Value> =
            cluster["members"].as_array().unwrap().iter().map(|member| &member["id"]).collect();
        assert_eq!(cluster["size"], ids.len());
        assert!(ids.contains(&&cluster["master"]));
    }
}

#[test]
fn a_corpus_without_documents_gives_empty_results() {
    let place = Place::new();
    place.write("empty.jsonl", "");
    place.run("dedup empty.jsonl -o out").ok();
    assert_eq!(place.text("out/kept.jsonl"), "");
    assert_eq!(place.json("out/report.json")["documents"], 0);
}

/// A misspelt field would make no feature of any document.
#[test]
fn a_field_that_no_document_has_is_told() {
    let article =
        |id: &str, section: &str| json!({ "id": id, "text": words(id, 20), "section": section }).to_string();
    let place = Place::with_corpus(&[article("a", "world"), article("b", "sport")]);
    let named = |fields: &str, output: &str| {
        let settings = format!("--method simhash --set features.metadata={fields}");
        place.run(&format!("dedup corpus.jsonl -o {output} {settings}")).ok().err
    };
    assert_eq!(named("[\"section\"]", "right"), "");
    let told = named("[\"section\",\"sektion\"]", "wrong");
    let warning = "no document has a text or a number in the field `sektion`, which the recipe names";
    assert!(told.contains(warning), "{told}");
    assert_eq!(place.json("wrong/report.json")["warnings"], json!([warning]));
}

/// Another type clears what its section had, but not what stands beside it on the command line.
#[test]
fn parameters_hold_whether_they_stand_before_or_after_their_type() {
    let place = Place::with_corpus(&[document("a", &words("sea", 40)), document("b", &words("sky", 40))]);
    let kind = "--set candidates.type=clusters";
    let floor = "--set candidates.floor=0.3";
    for (name, settings) in [("one", format!("{kind} {floor}")), ("other", format!("{floor} {kind}"))] {
        place.run(&format!("dedup corpus.jsonl -o {name} {settings}")).ok();
        assert_eq!(
            place.json(&format!("{name}/report.json"))["recipe"]["candidates"]["floor"],
            0.3,
            "{settings}"
        );
    }
    let settings = "--threshold 0.6 --set decide.type=threshold --set decide.measure=dice";
    place.run(&format!("dedup corpus.jsonl -o decided {settings}")).ok();
    assert_eq!(place.json("decided/report.json")["threshold"], 0.6);
}
