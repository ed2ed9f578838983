//! Alike and yet different: how pairs differ, and `--unless`.

use serde_json::{Value, json};

use super::support::{Place, document, each};

/// A report of so many tonnes, on this day of May.
fn report(tonnes: &str, day: u32) -> String {
    format!(
        "The harbour office counted the ships of the week again. In all they brought {tonnes} tonnes of grain to the \
         western quay, which is about what the merchants of the town had hoped for when they met on {day} May. \
         Nobody expects that more will come before the summer, since the roads from the hills are still closed \
         and the mills have no room to store what they cannot grind."
    )
}

fn corpus() -> Vec<String> {
    vec![
        document("a-first", &report("1,250", 3)),
        document("b-case", &report("1,250", 3).replace("Nobody", "NOBODY")),
        document("c-number", &report("1,375", 3)),
        document("d-date", &report("1,250", 4)),
        document("e-longer", &format!("{} So it will be next year.", report("1,250", 3))),
    ]
}

#[test]
fn pairs_and_removals_tell_how_they_differ() {
    let place = Place::with_corpus(&corpus());
    place.run("dedup corpus.jsonl -o out --threshold 0.6").ok();
    let removed = place.lines("out/removed.jsonl");
    assert_eq!(each(&removed, "keeper"), ["e-longer"; 4]);
    let expected =
        [json!(["cut"]), json!(["case", "cut"]), json!(["numbers", "cut"]), json!(["dates", "cut"])];
    assert_eq!(each(&removed, "difference"), expected, "from the keeper to the removed");
    let counts = json!({"case": 1, "cut": 4, "dates": 1, "numbers": 1});
    assert_eq!(place.json("out/report.json")["differences"], counts);
    assert!(place.text("out/report.html").contains("differs in: numbers, cut"));
    let pairs = place.lines("out/pairs.jsonl");
    let pair = |a: &str, b: &str| -> &Value {
        &pairs.iter().find(|pair| pair["a"] == a && pair["b"] == b).unwrap()["difference"]
    };
    assert_eq!(*pair("a-first", "b-case"), json!(["case"]), "exact copies by their features");
    assert_eq!(*pair("a-first", "c-number"), json!(["numbers"]));
    assert_eq!(*pair("a-first", "e-longer"), json!(["added"]), "from a to b");
    assert_eq!(*pair("c-number", "d-date"), json!(["numbers", "dates"]));
}

#[test]
fn a_copy_that_stands_for_another_is_compared_itself() {
    let lines = corpus();
    let place = Place::with_corpus(&[lines[0].clone(), lines[1].clone()]);
    place.run("dedup corpus.jsonl -o out --keep first").ok();
    assert_eq!(each(&place.lines("out/removed.jsonl"), "difference"), [json!(["case"])]);
    place.run("dedup corpus.jsonl -o quick --keep first --verify estimate").ok();
    assert_eq!(each(&place.lines("quick/removed.jsonl"), "difference"), [json!(["case"])]);
}

#[test]
fn what_differs_in_numbers_or_dates_is_kept_apart_on_request() {
    let place = Place::with_corpus(&corpus());
    let removed = |out: &str, options: &str| {
        place.run(&format!("dedup corpus.jsonl -o {out} --threshold 0.6 {options}")).ok();
        each(&place.lines(&format!("{out}/removed.jsonl")), "id")
    };
    assert_eq!(removed("numbers", "--unless numbers"), ["a-first", "b-case", "d-date"]);
    assert_eq!(removed("facts", "--unless numbers,dates"), ["a-first", "b-case"]);
    assert_eq!(removed("passages", "--unless added,cut"), ["b-case", "c-number", "d-date"]);
    place.write("recipe.toml", "[decide]\nunless = ['numbers', 'dates']\n");
    assert_eq!(removed("recipe", "--recipe recipe.toml"), ["a-first", "b-case"]);
    let told = &place.json("recipe/report.json")["recipe"]["decide"]["unless"];
    assert_eq!(*told, json!(["numbers", "dates"]));
}

#[test]
fn unknown_kinds_are_named_with_the_known() {
    let place = Place::with_corpus(&corpus());
    let error = place.run("dedup corpus.jsonl -o out --unless figures").error();
    assert!(error.contains("figures") && error.contains("numbers, dates, names"), "{error}");
    let error = place.run("dedup corpus.jsonl -o out --unless none").error();
    assert!(error.contains("`none`"), "{error}");
    let error = place.run("dedup corpus.jsonl -o out --unless numbers --verify estimate").error();
    assert!(error.contains("decide.unless"), "{error}");
}

#[test]
fn compare_and_an_index_say_the_same() {
    let place = Place::with_corpus(&corpus());
    let compared = place.run("compare corpus.jsonl#a-first corpus.jsonl#c-number --json").ok().json();
    assert_eq!(compared["difference"], json!(["numbers"]));
    let shown = place.run("compare corpus.jsonl#a-first corpus.jsonl#e-longer").ok().out;
    assert!(shown.contains("B differs from A in: added."), "{shown}");
    let options = "--method minhash --unless numbers --json";
    let verdict = |other: &str| {
        let run = place.run(&format!("compare corpus.jsonl#a-first corpus.jsonl#{other} {options}"));
        run.ok().json()["methods"][0]["verdict"].clone()
    };
    assert_eq!(verdict("c-number"), "kept-apart");
    assert_eq!(verdict("d-date"), "near-duplicate");
    place.run("index create seen --unless numbers").ok();
    place.run("index add seen corpus.jsonl").ok();
    place.write("asked.jsonl", document("x", &report("1,375", 5)) + "\n");
    let answers = place.run("index check seen asked.jsonl --json").out;
    let answer: Value = serde_json::from_str(answers.lines().next().unwrap()).unwrap();
    let matches = answer["matches"].as_array().unwrap();
    assert_eq!(each(matches, "id"), ["c-number"]);
    assert_eq!(matches[0]["difference"], json!(["dates"]));
}
