//! `tune` from a user's point of view.

use serde_json::{Value, json};

use super::judging::labelled;
use super::support::{Place, words};

#[test]
fn a_target_that_nothing_meets_gives_what_comes_nearest() {
    // Half of the similar pairs are labelled as different, and nothing distinguishes them.
    let mut lines = Vec::new();
    for topic in 0..60 {
        let text = words(&format!("topic{topic}x"), 50);
        for (letter, more) in [("a", "first"), ("b", "second")] {
            let cluster = if topic % 2 == 0 { format!("{topic}") } else { format!("{topic}{letter}") };
            lines.push(
                json!({ "id": format!("{topic}{letter}"), "text": format!("{text} {more}{topic}"), "cluster": cluster })
                    .to_string(),
            );
        }
    }
    let place = Place::with_corpus(&lines);
    let tune = "tune corpus.jsonl --precision 0.95 --cluster-field cluster --method minhash -o my.toml";
    let missed = place.run(tune);
    assert_eq!(missed.code, Some(1), "{}", missed.err);
    for word in ["misses the target", "No recipe meets the target", "with 95 % confidence from"] {
        assert!(missed.out.contains(word), "{word}: {}", missed.out);
    }
    assert!(missed.err.contains("--nearest") && missed.err.contains("This takes about"), "{}", missed.err);
    assert!(!place.path("my.toml").exists());
    let nearest = place.run(&format!("{tune} --nearest --json")).ok().json();
    assert_eq!((&nearest["meets"], &nearest["tried"][0]["meets"]), (&json!(false), &json!(false)));
    let (low, high) =
        (nearest["precision"]["low"].as_f64().unwrap(), nearest["precision"]["high"].as_f64().unwrap());
    assert!(low < 0.5 && high > 0.5, "{nearest}");
    place.run("dedup corpus.jsonl -o out --recipe my.toml").ok();
    let wrong = place.run(&format!("{tune} --time 1x"));
    assert!(wrong.code == Some(2) && wrong.err.contains("is not known: s, min or h"), "{}", wrong.err);
}

#[test]
fn a_target_becomes_a_recipe() {
    let place = labelled();
    let tuned = place
        .run("tune corpus.jsonl --precision 0.9 --cluster-field cluster --sample 60 --check --method minhash --json -o my.toml")
        .ok()
        .json();
    assert!(tuned["precision"]["value"].as_f64().unwrap() >= 0.9, "{tuned}");
    assert!(tuned["checked"]["documents"].as_u64().unwrap() > 0);
    let recipe = place.text("my.toml");
    assert!(recipe.contains("method = \"minhash\"") && recipe.contains("threshold"), "{recipe}");
    place.run("dedup corpus.jsonl -o out --recipe my.toml").ok();
    let again = place
        .run("tune corpus.jsonl --precision 0.9 --cluster-field cluster --sample 60 --check --method minhash --json")
        .ok()
        .json();
    assert_eq!(
        (&again["recipe"], &again["precision"]),
        (&tuned["recipe"], &tuned["precision"]),
        "the seed decides"
    );
}

#[test]
fn people_are_asked_for_the_labels_most_worth_having() {
    let place = labelled();
    let run = place
        .run_with_input("tune corpus.jsonl --pairs labels.jsonl --ask 5", b"y\nwhat\nn\nunsure\nq\n")
        .ok();
    assert!(run.err.contains("1 of 5") && run.err.contains("Near-duplicates?"), "{}", run.err);
    let labels = place.lines("labels.jsonl");
    let given: Vec<&Value> = labels.iter().map(|label| &label["label"]).collect();
    assert_eq!(given, [&json!(true), &json!(false), &json!("unsure")]);
    assert!(run.err.contains("3 labels were added"), "{}", run.err);
    // As JSON the same pairs are told, and nothing is asked.
    let told = place.run("tune corpus.jsonl --pairs none.jsonl --ask 5 --json").ok().json();
    let questions = told["questions"].as_array().unwrap();
    assert_eq!(
        (questions.len(), &told["labelled"], &told["trained"]),
        (5, &json!(0), &json!(false)),
        "{told}"
    );
    assert_eq!((&questions[0]["a"], &questions[0]["b"]), (&labels[0]["a"], &labels[0]["b"]));
    assert!(questions[0]["text_a"].as_str().is_some_and(|text| run.err.contains(&text[..500])), "{told}");
    assert!(told["estimate"].is_null() && !place.path("none.jsonl").exists(), "{told}");
    // Answered pairs are not asked again.
    let before: Vec<String> = labels.iter().map(|label| format!("{}{}", label["a"], label["b"])).collect();
    place.run_with_input("tune corpus.jsonl --pairs labels.jsonl --ask 3", b"y\ny\ny\n").ok();
    let after = place.lines("labels.jsonl");
    assert_eq!(after.len(), 6);
    for label in &after[3..] {
        let pair = format!("{}{}", label["a"], label["b"]);
        assert!(!before[..2].contains(&pair), "{pair}");
    }
}
