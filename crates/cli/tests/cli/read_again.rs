//! Inputs that can only be read from their beginning: the same result as from a plain file, and no plain copy.

use std::process::Command;

use serde_json::{Value, json};

use super::support::{Place, Run, document, gunzip, gzip, joined, values, words};

/// Documents with near-duplicates, chains, exact copies and copies that differ in case, in an order without order.
fn lines() -> Vec<String> {
    let mut lines = Vec::new();
    for topic in 0..60usize {
        let text = words(&format!("t{topic}x"), 40 + topic);
        lines.push((topic * 37 % 101, format!("{topic}-a"), text.clone()));
        match topic % 5 {
            0 => lines.push((topic * 53 % 97, format!("{topic}-b"), text)),
            1 => lines.push((topic * 53 % 97, format!("{topic}-b"), text.to_uppercase())),
            2 => {
                lines.push((topic * 53 % 97, format!("{topic}-b"), format!("{text} one")));
                lines.push((topic * 29 % 89, format!("{topic}-c"), format!("{text} one two")));
                lines.push((topic * 31 % 83, format!("{topic}-d"), format!("{text} one")));
            }
            _ => {}
        }
    }
    lines.sort();
    lines.into_iter().map(|(_, id, text)| document(id, &text)).collect()
}

/// The corpus in every format, by name.
fn formats() -> Vec<(&'static str, Vec<u8>)> {
    let lines = lines();
    let text = joined(&lines).into_bytes();
    let half = joined(&lines[..40]).len();
    let table =
        |line: &Value| format!("{},{}\n", line["id"].as_str().unwrap(), line["text"].as_str().unwrap());
    let table: String = values(&joined(&lines)).iter().map(table).collect();
    vec![
        ("a.jsonl.gz", [gzip(&text[..half]), gzip(&text[half..])].concat()),
        ("a.jsonl.zst", zstd::encode_all(&text[..], 1).unwrap()),
        ("a.csv", format!("id,text\n{table}").into_bytes()),
        ("a.csv.gz", gzip(format!("id,text\n{table}").as_bytes())),
        ("a.json", format!("[{}]", lines.join(",\n")).into_bytes()),
    ]
}

/// What a run found, without what depends on its input's name and format.
fn found(place: &Place, output: &str) -> Vec<String> {
    let mut found: Vec<String> = ["removed", "clusters", "pairs"]
        .map(|name| place.text(&format!("{output}/{name}.jsonl")))
        .into_iter()
        .collect();
    let mut report = place.json(&format!("{output}/report.json"));
    let report = report.as_object_mut().unwrap();
    for changes in [
        "run",
        "inputs",
        "input_bytes",
        "seconds",
        "stages",
        "peak_memory_bytes",
        "output",
        "bytes",
        "scheme_file",
    ] {
        report.remove(changes);
    }
    found.push(json!(report).to_string());
    found
}

fn check(arguments: &str) {
    let place = Place::new();
    place.write("plain.jsonl", joined(&lines()));
    if arguments.contains("decided.jsonl") {
        // With the digests of texts, so that documents are read again to see whether they are still the same.
        place.run("index create seen").ok();
        place.run("index add seen plain.jsonl").ok();
        place.run("index decide seen 2-a 2-b no").ok();
        place.run("index decide seen 3-a 4-a yes").ok();
        place.write("decided.jsonl", place.run("index decisions seen").ok().out);
    }
    place.run(&format!("dedup plain.jsonl -o plain --threads 3 {arguments}")).ok();
    let expected = found(&place, "plain");
    assert!(place.lines("plain/removed.jsonl").len() >= 30, "{arguments}");
    for (name, bytes) in formats() {
        place.write(name, bytes);
        let output = format!("out-{name}");
        place.run(&format!("dedup {name} -o {output} --threads 3 {arguments}")).ok();
        let found = found(&place, &output);
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found, expected, "{arguments} on {name}");
        }
        let page = place.text(&format!("{output}/report.html"));
        assert!(
            page.contains("t0x0 t0x1 t0x2") || page.contains("t2x0 t2x1 t2x2"),
            "texts are shown: {name}"
        );
    }
    let kept = place.text("plain/kept.jsonl");
    assert_eq!(gunzip(&place.read("out-a.jsonl.gz/kept.jsonl.gz")), kept, "{arguments}");
    let zst = zstd::decode_all(&place.read("out-a.jsonl.zst/kept.jsonl.zst")[..]).unwrap();
    assert_eq!(String::from_utf8(zst).unwrap(), kept, "{arguments}");
}

#[test]
fn every_format_gives_the_result_of_a_plain_file() {
    check("");
    check("--passages --memory 100MB");
    check("--decisions decided.jsonl --measure-recall");
}

#[test]
fn every_format_gives_the_result_of_a_plain_file_by_other_methods() {
    check("--verify estimate");
    check("--verify estimate --passages");
    check("--method cosine");
    check("--method simhash");
}

/// A program that may write no file beyond some size.
fn limited(place: &Place, kilobytes: u32, arguments: &str) -> Run {
    let script = format!("ulimit -f {kilobytes}; trap '' XFSZ; exec \"$0\" {arguments}");
    let mut command = Command::new("bash");
    command.current_dir(place.path("")).args(["-c", &script, env!("CARGO_BIN_EXE_lookalike")]);
    Run::new(arguments, command.output().unwrap())
}

#[test]
fn compressed_input_is_not_copied_plain() {
    let place = Place::new();
    let mut lines: Vec<String> =
        (0..600).map(|n| document(n, &words(&format!("long{n}word"), 1500))).collect();
    lines.extend(
        (0..30).map(|n| document(1000 + n, &format!("{} end", words(&format!("long{n}word"), 1500)))),
    );
    let text = joined(&lines);
    assert!(text.len() > 9_000_000);
    let packed = gzip(text.as_bytes());
    assert!(packed.len() < 3_500_000, "{}", packed.len());
    place.write("a.jsonl.gz", &packed);
    place.write("plain.jsonl", &text);
    // The limit is one that a plain copy would meet, as the kept documents of a plain file do.
    let told = limited(&place, 4000, "dedup plain.jsonl -o plain").error();
    assert!(told.contains("kept.jsonl") && told.contains("too large"), "{told}");
    for arguments in ["", "--method cosine", "--passages"] {
        let output = format!("out{}", arguments.len());
        limited(&place, 4000, &format!("dedup a.jsonl.gz -o {output} {arguments}")).ok();
        assert_eq!(place.lines(&format!("{output}/removed.jsonl")).len(), 30, "{arguments}");
        let kept = gunzip(&place.read(&format!("{output}/kept.jsonl.gz")));
        assert_eq!(kept.lines().count(), 600);
    }
}
