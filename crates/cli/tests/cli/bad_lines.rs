//! Lines that are no documents: counted, named and skipped; with `--strict` the run stops.

use serde_json::Value;

use super::support::{Place, document, each, gzip, joined, words};

/// A corpus with one bad line of each kind: the line's number and what is said of it.
fn corpus() -> (Vec<u8>, Vec<(u64, &'static str)>) {
    let good = document("good", &words("sea", 30));
    let long = document("long", &words("long", 300));
    let lines: [(&[u8], &str); 11] = [
        (good.as_bytes(), ""),
        (b"{\"id\":\"cut\",\"text\":\"no end", "not valid JSON"),
        (b"", ""),
        (b"{\"id\":\"latin\",\"text\":\"caf\xe9 society\"}", "not valid UTF-8"),
        (b"{\"id\":\"missing\"}", "field `text` is missing"),
        (b"{\"id\":\"null\",\"text\":null}", "field `text` is null"),
        (b"{\"id\":\"lone\",\"text\":\"half a \\ud83d face\"}", "lone surrogate"),
        (b"{\"id\":[1],\"text\":\"whose?\"}", "the id is an array"),
        (long.as_bytes(), "more than the limit of 1000"),
        (b"[\"id\",\"text\"]", "not valid JSON"),
        (b"{\"id\":\"last\",\"text\":\"the last line is fine\"}", ""),
    ];
    let bytes = lines.map(|(line, _)| line).join(&b'\n');
    let bad = lines.iter().zip(1..).filter(|((_, reason), _)| !reason.is_empty());
    (bytes, bad.map(|((_, reason), number)| (number, *reason)).collect())
}

fn check(name: &str, bytes: &[u8]) {
    let place = Place::new();
    place.write(name, bytes);
    let report = place.run(&format!("dedup {name} -o out --max-line 1KB --json")).ok().json();
    let bad = corpus().1;
    let rejected = place.lines("out/rejected.jsonl");
    let numbers: Vec<u64> = rejected.iter().map(|line| line["line"].as_u64().unwrap()).collect();
    assert_eq!(numbers, bad.iter().map(|(number, _)| *number).collect::<Vec<_>>(), "{name}");
    for (line, (_, reason)) in rejected.iter().zip(&bad) {
        assert_eq!(line["file"], name);
        assert!(line["reason"].as_str().unwrap().contains(reason), "{reason}: {line}");
    }
    assert_eq!(report["rejected"], bad.len());
    assert_eq!(
        (&report["documents"], &report["kept"]),
        (&Value::from(2), &Value::from(2)),
        "the run goes on"
    );
}

#[test]
fn bad_lines_are_named_by_number_and_the_run_goes_on() {
    check("corpus.jsonl", &corpus().0);
}

#[test]
fn bad_lines_of_compressed_files_have_the_same_numbers() {
    check("corpus.jsonl.gz", &gzip(&corpus().0));
    check("corpus.jsonl.zst", &zstd::encode_all(&corpus().0[..], 1).unwrap());
}

#[test]
fn bad_lines_are_in_no_other_file() {
    let place = Place::new();
    place.write("corpus.jsonl", corpus().0);
    place.run("dedup corpus.jsonl -o out --max-line 1KB").ok();
    assert_eq!(each(&place.lines("out/kept.jsonl"), "id"), ["good", "last"]);
    assert_eq!(place.text("out/removed.jsonl"), "");
}

#[test]
fn the_table_counts_them_and_says_where_they_are() {
    let place = Place::new();
    place.write("corpus.jsonl", corpus().0);
    let out = place.run("dedup corpus.jsonl -o out --max-line 1KB").ok().out;
    assert!(out.contains("rejected") && out.contains("rejected.jsonl"), "{out}");
}

#[test]
fn strict_stops_and_names_file_and_line() {
    let (bytes, bad) = corpus();
    let lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
    for (number, reason) in bad {
        let place = Place::new();
        // Blank lines replace the other bad ones, so that the numbers stay the same.
        let only = lines.iter().zip(1..).map(|(line, n)| if n == number || n == 1 { line } else { &b""[..] });
        place.write("corpus.jsonl", only.collect::<Vec<_>>().join(&b'\n'));
        let told = place.run("dedup corpus.jsonl -o out --strict --max-line 1KB").error();
        assert!(told.contains("corpus.jsonl") && told.contains(&format!("line {number}:")), "{told}");
        assert!(told.contains(reason), "{told}");
        assert!(!place.path("out/report.json").exists() && !place.path("out/kept.jsonl").exists());
    }
}

#[test]
fn strict_is_content_with_a_clean_corpus() {
    let place = Place::with_corpus(&[document("a", &words("sea", 30)), String::new()]);
    place.run("dedup corpus.jsonl -o out --strict").ok();
}

/// More than two chunks of lines, with bad ones far from the beginning.
fn long_corpus() -> (String, [usize; 3]) {
    let filler = "x".repeat(100_000);
    let mut lines: Vec<String> = (1..=100).map(|n| document(n, &format!("{n} {filler}"))).collect();
    let bad = [30, 60, 99];
    for number in bad {
        lines[number - 1] = "not a document".to_owned();
    }
    (joined(&lines), bad)
}

#[test]
fn line_numbers_are_right_far_into_a_file() {
    let (text, bad) = long_corpus();
    let place = Place::new();
    place.write("long.jsonl", &text);
    place.write("long.jsonl.gz", gzip(text.as_bytes()));
    for name in ["long.jsonl", "long.jsonl.gz"] {
        place.run(&format!("dedup {name} -o out-{name}")).ok();
        assert_eq!(each(&place.lines(&format!("out-{name}/rejected.jsonl")), "line"), bad, "{name}");
    }
}

#[test]
fn an_overlong_line_counts_as_one_wherever_it_ends() {
    let good = |id: usize| document(id, &words("sea", id));
    // Longer than a chunk, in the middle and, without a line end, at the end.
    let long = "y".repeat(5 << 20);
    let text = format!("{}\n{long}\n{}\nbad\n{}\n{long}", good(1), good(3), good(5));
    let place = Place::new();
    place.write("long.jsonl", &text);
    place.write("long.jsonl.gz", gzip(text.as_bytes()));
    for name in ["long.jsonl", "long.jsonl.gz"] {
        place.run(&format!("dedup {name} -o out-{name} --max-line 1MB")).ok();
        assert_eq!(each(&place.lines(&format!("out-{name}/rejected.jsonl")), "line"), [2, 4, 6], "{name}");
        assert_eq!(place.json(&format!("out-{name}/report.json"))["kept"], 3, "{name}");
    }
}

#[test]
fn strict_names_the_line_far_into_a_file_too() {
    let (text, _) = long_corpus();
    let only_last = text.replacen("not a document\n", "\n", 2);
    let place = Place::new();
    place.write("long.jsonl", &only_last);
    place.write("long.jsonl.gz", gzip(only_last.as_bytes()));
    for name in ["long.jsonl", "long.jsonl.gz"] {
        let told = place.run(&format!("dedup {name} -o out-{name} --strict")).error();
        assert!(told.contains(name) && told.contains("line 99:"), "{told}");
    }
}

/// The limit applies wherever the line is: in the middle, across a chunk's end, at the end.
#[test]
fn a_line_of_exactly_the_limit_is_read_wherever_it_stands() {
    const LIMIT: usize = 1_000_000;
    let line = |id: usize| {
        let empty = document(id, "").len();
        document(id, &"z".repeat(LIMIT - empty))
    };
    let lines: Vec<String> = (10..20).map(line).collect();
    assert!(lines.iter().all(|line| line.len() == LIMIT));
    for (name, text) in [("ended", joined(&lines)), ("open", lines.join("\n"))] {
        let place = Place::new();
        place.write("corpus.jsonl", text);
        place.run("dedup corpus.jsonl -o out --max-line 1MB").ok();
        assert_eq!(place.text("out/rejected.jsonl"), "", "{name}");
    }
}

#[test]
fn a_compressed_file_that_breaks_off_gives_what_came_before_and_is_reported() {
    let place = Place::new();
    let lines: Vec<String> = (0..2000).map(|n| document(n, &words(&format!("t{n}x"), 20))).collect();
    let whole = gzip(joined(&lines).as_bytes());
    place.write("cut.jsonl.gz", &whole[..whole.len() / 2]);
    let report = place.run("dedup cut.jsonl.gz -o out --json").ok().json();
    let documents = report["documents"].as_u64().unwrap();
    assert!((1..2000).contains(&documents), "{report}");
    let rejected = place.lines("out/rejected.jsonl");
    assert_eq!(each(&rejected, "line"), [documents + 1]);
    assert!(rejected[0]["reason"].as_str().unwrap().contains("damaged or cut"), "{}", rejected[0]);
}
