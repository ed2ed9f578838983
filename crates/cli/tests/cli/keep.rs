//! Keep rules: which member of a cluster stays.

use serde_json::{Value, json};

use super::support::{Place, each, joined, words};

/// The ids that are kept of documents with these fields and the same text.
fn kept(rule: &str, documents: &[Value]) -> Vec<Value> {
    let text = words("sea", 40);
    let lines: Vec<String> = documents
        .iter()
        .map(|document| {
            let mut document = document.clone();
            document.as_object_mut().unwrap().entry("text").or_insert_with(|| text.clone().into());
            document.to_string()
        })
        .collect();
    let place = Place::new();
    place.write("corpus.jsonl", joined(&lines));
    place.run(&format!("dedup corpus.jsonl -o out --keep {rule}")).ok();
    each(&place.lines("out/kept.jsonl"), "id")
}

/// Texts that are near-duplicates of each other, longer with a larger number.
fn text(more: usize) -> String {
    format!("{} {}", words("sea", 60), words("more", more))
}

#[test]
fn longest_keeps_the_longest_text() {
    let documents = [
        json!({"id": "a", "text": text(1)}),
        json!({"id": "b", "text": text(3)}),
        json!({"id": "c", "text": text(2)}),
    ];
    assert_eq!(kept("longest", &documents), ["b"]);
}

#[test]
fn longest_is_the_default() {
    let place = Place::new();
    let line = |id: &str, more: usize| json!({"id": id, "text": text(more)}).to_string();
    place.write("corpus.jsonl", joined(&[line("a", 1), line("b", 2)]));
    place.run("dedup corpus.jsonl -o out").ok();
    assert_eq!(each(&place.lines("out/kept.jsonl"), "id"), ["b"]);
}

#[test]
fn first_keeps_the_first_in_the_input_whatever_its_id_or_length() {
    assert_eq!(kept("first", &[json!({"id": "z"}), json!({"id": "a"})]), ["z"]);
    let documents = [json!({"id": "z", "text": text(1)}), json!({"id": "a", "text": text(3)})];
    assert_eq!(kept("first", &documents), ["z"]);
}

#[test]
fn first_goes_by_the_order_of_the_inputs() {
    let place = Place::new();
    for name in ["a", "b"] {
        place.write(&format!("{name}.jsonl"), joined(&[json!({"id": name, "text": text(1)}).to_string()]));
    }
    place.run("dedup b.jsonl a.jsonl -o out --keep first").ok();
    assert_eq!(each(&place.lines("out/kept.jsonl"), "id"), ["b"]);
}

#[test]
fn newest_keeps_the_latest_time_in_any_notation() {
    let documents = [
        json!({"id": 1, "time": "2021-03-01"}),
        json!({"id": 2, "date": "2021-03-01T12:00:00+02:00"}),
        json!({"id": 3, "timestamp": 1_614_592_801}),
        json!({"id": 4}),
        json!({"id": 5, "time": "some day"}),
    ];
    // Number 3 is one second after 10 o'clock UTC.
    assert_eq!(kept("newest", &documents), [3]);
    assert_eq!(kept("newest", &documents[..2]), [2]);
    assert_eq!(kept("newest", &[documents[3].clone(), documents[0].clone()]), [1]);
}

#[test]
fn shortest_url_keeps_the_shortest_address() {
    let documents = [
        json!({"id": 1, "url": "https://example.org/a?utm_source=b"}),
        json!({"id": 2, "url": "https://example.org/a"}),
        json!({"id": 3}),
    ];
    assert_eq!(kept("shortest-url", &documents), [2]);
}

#[test]
fn max_and_min_go_by_a_field() {
    let documents = [
        json!({"id": 1, "score": 0.5}),
        json!({"id": 2, "score": "12"}),
        json!({"id": 3, "score": -4}),
        json!({"id": 4}),
        json!({"id": 5, "score": null}),
        json!({"id": 6, "score": [99]}),
    ];
    assert_eq!(kept("max:score", &documents), [2]);
    assert_eq!(kept("min:score", &documents), [3]);
}

#[test]
fn source_goes_by_the_order_given() {
    let documents = [
        json!({"id": 1, "source": "web"}),
        json!({"id": 2, "source": "wiki"}),
        json!({"id": 3, "source": "books"}),
        json!({"id": 4}),
    ];
    assert_eq!(kept("source:wiki>web", &documents), [2]);
    assert_eq!(kept("source:books>wiki", &documents), [3]);
    assert_eq!(kept("source:web", &documents), [1]);
}

#[test]
fn source_is_read_from_the_field_that_the_user_names() {
    let place = Place::new();
    let line = |id: &str, origin: &str| json!({"id": id, "origin": origin, "text": text(1)}).to_string();
    place.write("corpus.jsonl", joined(&[line("a", "web"), line("b", "wiki")]));
    place.run("dedup corpus.jsonl -o out --source-field origin --keep source:wiki>web").ok();
    assert_eq!(each(&place.lines("out/kept.jsonl"), "id"), ["b"]);
}

/// As the help of `--source-field` says.
#[test]
fn source_is_the_file_s_name_where_a_document_has_none() {
    let place = Place::new();
    for name in ["a", "b"] {
        place.write(&format!("{name}.jsonl"), joined(&[json!({"id": name, "text": text(1)}).to_string()]));
    }
    place.run("dedup a.jsonl b.jsonl -o out --keep source:b.jsonl>a.jsonl").ok();
    assert_eq!(each(&place.lines("out/kept.jsonl"), "id"), ["b"]);
}

#[test]
fn rules_are_asked_in_turn() {
    let documents = [
        json!({"id": 1, "score": 2, "time": "2020-01-01"}),
        json!({"id": 2, "score": 1, "time": "2022-01-01"}),
        json!({"id": 3, "score": 2, "time": "2021-01-01"}),
    ];
    assert_eq!(kept("max:score,newest", &documents), [3]);
    assert_eq!(kept("newest,max:score", &documents), [2]);
}

#[test]
fn ties_are_settled_by_the_smaller_id() {
    for rule in ["longest", "newest", "shortest-url", "max:score", "min:score", "source:web"] {
        assert_eq!(kept(rule, &[json!({"id": 10}), json!({"id": 9})]), [9], "{rule}");
        assert_eq!(
            kept(rule, &[json!({"id": "b"}), json!({"id": "a"}), json!({"id": "c"})]),
            ["a"],
            "{rule}"
        );
    }
    let near = [json!({"id": "b", "text": text(1) + " x"}), json!({"id": "a", "text": text(1) + " y"})];
    assert_eq!(kept("longest", &near), ["a"]);
}

#[test]
fn the_rule_of_a_recipe_is_used_and_the_option_outdoes_it() {
    let place = Place::new();
    let line = |id: &str, score: u32| json!({"id": id, "score": score, "text": text(1)}).to_string();
    place.write("corpus.jsonl", joined(&[line("a", 1), line("b", 2)]));
    place.write("recipe.toml", "[keep]\nrule = \"max:score\"\n");
    place.run("dedup corpus.jsonl -o by-recipe --recipe recipe.toml").ok();
    assert_eq!(each(&place.lines("by-recipe/kept.jsonl"), "id"), ["b"]);
    place.run("dedup corpus.jsonl -o by-option --recipe recipe.toml --keep min:score").ok();
    assert_eq!(each(&place.lines("by-option/kept.jsonl"), "id"), ["a"]);
}
