//! `evaluate` and `reproduce` from a user's point of view, and what the other commands that judge have in common with
//! them.

use serde_json::{Value, json};

use super::support::{Place, document, joined, nearly, words};

/// Forty topics with a near-copy each, and a field that says so; ids are the topic and a letter.
pub fn labelled() -> Place {
    let mut lines = Vec::new();
    for topic in 0..40 {
        let name = format!("topic{topic}x");
        // Later topics differ more.
        let other = format!("{} {}", words(&name, 60), words(&format!("other{topic}x"), topic));
        lines.push(
            json!({ "id": format!("{topic}a"), "text": words(&name, 60), "cluster": topic, "year": topic })
                .to_string(),
        );
        lines.push(
            json!({ "id": format!("{topic}b"), "text": other, "cluster": topic, "year": topic }).to_string(),
        );
    }
    // Alike, but labelled as different.
    lines.push(json!({ "id": "n1", "text": words("news", 60), "cluster": "n1", "year": 1 }).to_string());
    lines.push(json!({ "id": "n2", "text": nearly("news", 60), "cluster": "n2", "year": 2 }).to_string());
    Place::with_corpus(&lines)
}

/// A figure of a row of results.
pub fn figure(row: &Value, name: &str) -> f64 {
    row["judgement"][name]["value"].as_f64().unwrap_or_else(|| panic!("{name}: {row}"))
}

#[test]
fn recipes_are_judged_against_labelled_clusters() {
    let place = labelled();
    let result = place
        .run("evaluate corpus.jsonl --cluster-field cluster --sweep decide.threshold=0.5,0.99 --json")
        .ok()
        .json();
    let [low, high] = &result["results"].as_array().unwrap()[..] else { panic!("{result}") };
    // At 0.5 all forty pairs and the wrong one; at 0.99 only the pair that is an exact copy.
    assert_eq!(low["judgement"]["counts"]["true_positives"], 40);
    assert_eq!(low["judgement"]["counts"]["false_positives"], 1);
    assert_eq!(low["judgement"]["counts"]["false_negatives"], 0);
    assert!((figure(low, "precision") - 40.0 / 41.0).abs() < 1e-12);
    assert!((figure(high, "recall") - 1.0 / 40.0).abs() < 1e-12);
    let interval = &low["judgement"]["precision"];
    assert!(interval["low"].as_f64() < interval["value"].as_f64(), "{interval}");
    let table =
        place.run("evaluate corpus.jsonl --cluster-field cluster --method minhash --method cosine").ok().out;
    for word in ["METHOD", "precision", "recall", "ARI", "minhash", "cosine", "clusters by the field cluster"]
    {
        assert!(table.contains(word), "{word}: {table}");
    }
}

#[test]
fn an_exact_measure_is_the_truth_of_others() {
    let place = labelled();
    let evaluate =
        "evaluate corpus.jsonl --exact jaccard:0.7 --exact-set features.type=shingles --json --threshold 0.7";
    let result = place.run(evaluate).ok().json();
    let row = &result["results"][0];
    assert_eq!(
        (figure(row, "precision"), figure(row, "recall")),
        (1.0, 1.0),
        "verified by the same measure: {row}"
    );
    assert!(result["truth"].as_str().unwrap().contains("exact join"));
}

#[test]
fn labelled_pairs_leave_the_rest_out_or_not() {
    let place = labelled();
    place.write("labels.csv", "a,b,label\n0a,0b,yes\n1a,1b,yes\n5a,6a,no\nn1,n2,no\n7a,7b,unsure\n");
    let judged = |more: &str| {
        let result = place
            .run(&format!("evaluate corpus.jsonl --pairs labels.csv --threshold 0.5 --json {more}"))
            .ok()
            .json();
        let counts = &result["results"][0]["judgement"]["counts"];
        ["true_positives", "false_positives", "false_negatives", "true_negatives"]
            .map(|name| counts[name].as_u64().unwrap())
    };
    assert_eq!(judged(""), [2, 1, 0, 1], "unlabelled and unsure pairs do not count");
    assert_eq!(judged("--rest different")[..3], [2, 39, 0]);
}

#[test]
fn files_for_people_and_for_programs_are_written() {
    let place = labelled();
    place
        .run("evaluate corpus.jsonl --exact cosine:0.8 --method simhash --set decide.verify=signature --sweep decide.distance=0..3 \
              --html page.html --csv all.csv --profile 0a --quiet")
        .ok();
    let page = place.text("page.html");
    for part in [
        "<svg",
        "decide.distance",
        "Fingerprints by their first byte",
        "place of the feature",
        "lookalike evaluate corpus.jsonl",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("<script") && !page.contains("NaN"));
    let csv = place.text("all.csv");
    assert_eq!(csv.lines().count(), 5);
    assert!(csv.starts_with("method,decide.distance,precision,precision_low"), "{csv}");
}

#[test]
fn legitimate_documents_cost_utility() {
    let mut lines = vec![];
    for number in 0..10 {
        lines.push(
            json!({ "id": format!("s{number}"), "text": nearly("spam", 50 + number), "kind": "spam" })
                .to_string(),
        );
    }
    lines.push(json!({ "id": "h", "text": words("spam", 55), "kind": "ham" }).to_string());
    let place = Place::with_corpus(&lines);
    let result = place
        .run("evaluate corpus.jsonl --exact cosine:0.5 --method cosine --threshold 0.5 --legitimate kind=ham --json")
        .ok()
        .json();
    let judgement = &result["results"][0]["judgement"];
    // Every spam finds the nine others and the legitimate one.
    assert_eq!(judgement["utility"], 9.0 - 100.0);
    assert_eq!(judgement["legitimate_matched"], 1);
}

#[test]
fn experiments_are_listed_and_the_quick_one_runs() {
    let place = Place::new();
    let list = place.run("reproduce").ok().out;
    for name in [
        "k08-table-4",
        "k08-spam",
        "k08-web",
        "s09-simhash",
        "x15-classifier",
        "x15-pipeline",
        "l17-tables",
        "l17-figures",
    ] {
        assert!(list.contains(name), "{name}: {list}");
    }
    let run = place.run("reproduce k08-table-4 --html page.html").ok();
    assert!(run.out.contains("2.23") && run.out.contains("7.41"), "the paper's figures: {}", run.out);
    assert!(place.text("page.html").contains("<svg"));
    let error = place.run("reproduce k08-spam").error();
    assert!(error.contains("--data"), "{error}");
    let error = place.run("reproduce k08-spam --data .").error();
    assert!(error.contains("spam-gp.tar.zst"), "{error}");
    assert!(place.run("reproduce k99").error().contains("known: "));
}

#[test]
fn mistakes_are_told_in_a_sentence() {
    let place = labelled();
    place.write("both.csv", "a,b,label\n0a,0b,yes\n0b,0a,no\n");
    place.write("strangers.csv", "a,b,label\nx,y,yes\n");
    place.write("words.csv", "a,b,label\n0a,0b,maybe\n");
    place.write("model.json", "{}");
    place.write("twice.jsonl", joined(&[document("a", &words("x", 20)), document("a", &words("y", 20))]));
    for (arguments, expected) in [
        ("evaluate corpus.jsonl --pairs both.csv", "labelled both ways"),
        ("evaluate corpus.jsonl --pairs strangers.csv", "names no two documents"),
        ("evaluate corpus.jsonl --pairs words.csv", "--positive"),
        ("evaluate corpus.jsonl --pairs none.csv", "none.csv"),
        ("evaluate corpus.jsonl --cluster-field nothing", "no document has the field `nothing`"),
        ("evaluate corpus.jsonl --exact cosine", "MEASURE:X"),
        ("evaluate corpus.jsonl --exact cosine:nan", "decide.threshold"),
        ("evaluate corpus.jsonl --exact cosine:0.9 --pairs both.csv", "exclude each other"),
        ("evaluate corpus.jsonl --exact cosine:0.9 --sweep decide.threshold=0.5..0.9", "say the step"),
        ("evaluate corpus.jsonl --exact cosine:0.9 --sweep decide.threshold=2", "above 0 and at most 1"),
        ("evaluate corpus.jsonl --exact cosine:0.9 --queries 2", "share of queries"),
        ("evaluate corpus.jsonl --exact cosine:0.9 --method classifier", "decide.model is missing"),
        ("evaluate twice.jsonl --pairs both.csv", "several documents have the id `a`"),
        ("train corpus.jsonl --cluster-field cluster --learner magic -o m", "unknown learner `magic`"),
        ("train corpus.jsonl --cluster-field cluster --learner tree --learner-set leaves=3 -o m", "leaves"),
        ("train corpus.jsonl --cluster-field cluster --method minhush -o m", "unknown method `minhush`"),
        ("train corpus.jsonl --cluster-field cluster --recipe none.toml -o m", "none.toml"),
        (
            "dedup corpus.jsonl -o o --method classifier --set decide.model=none.model",
            "there is no model `none.model`",
        ),
        (
            "dedup corpus.jsonl -o o --method classifier --set decide.model=model.json",
            "no model of this program",
        ),
        ("tune corpus.jsonl --precision 1.5 --cluster-field cluster", "--precision is 1.5"),
        ("tune corpus.jsonl --precision nan --cluster-field cluster", "--precision is NaN"),
        (
            "tune corpus.jsonl --precision 0.9 --cluster-field cluster --method minhush",
            "unknown method `minhush`",
        ),
    ] {
        let error = place.run(arguments).error();
        assert!(error.contains(expected), "{arguments}: {error}");
    }
    assert!(!place.path("m").exists(), "no model of a failed training");
}

#[test]
fn a_pipe_can_be_judged() {
    let place = labelled();
    let corpus = place.read("corpus.jsonl");
    let result = place
        .run_with_input("evaluate - --cluster-field cluster --threshold 0.5 --json", &corpus)
        .ok()
        .json();
    assert_eq!(result["documents"], 82);
}

#[test]
fn sheets_and_pages_are_for_people() {
    let name = "say \"hi\" \\ there\n";
    let text = words("quoted", 60);
    let lines: Vec<String> = [(name, ""), ("plain", " more"), ("other", " and more")]
        .iter()
        .map(|(id, more)| json!({ "id": id, "text": format!("{text}{more}"), "cluster": "one" }).to_string())
        .collect();
    let place = Place::with_corpus(&lines);
    place.write("=1+1.toml", "method = 'minhash'\n");
    place
        .run("evaluate corpus.jsonl --cluster-field cluster --recipe =1+1.toml --html page.html --csv all.csv --quiet")
        .ok();
    let csv = place.text("all.csv");
    let row = csv.lines().nth(1).unwrap();
    assert!(row.starts_with("'=1+1,"), "a spreadsheet must not compute it: {row}");
    let digits = |cell: &str| cell.split_once('.').map_or(0, |(_, digits)| digits.len());
    assert!(row.split(',').skip(1).all(|cell| digits(cell) <= 4), "{row}");
    let page = place.text("page.html");
    assert!(page.contains("<th scope=\"col\" class=\"number\">precision</th>"), "{page}");
    assert!(page.contains("<span class=\"interval\">("), "{page}");
    // Text in labels and ids is shown as it is in pages.
    place.write("labels.jsonl", json!({ "a": name, "b": "plain", "label": true }).to_string());
    let judged =
        place.run("evaluate corpus.jsonl --pairs labels.jsonl --rest left-out --json --quiet").ok().json();
    assert_eq!(judged["results"][0]["judgement"]["counts"]["true_positives"], 1, "{judged}");
    place.run("dedup corpus.jsonl -o out --keep first --quiet").ok();
    let report = place.text("out/report.html");
    assert!(report.contains("say &quot;hi&quot; \\ there\n</bdi>"), "{report}");
    assert!(!report.contains("\\&quot;"));
}
