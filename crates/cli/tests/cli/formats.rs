//! Standard input, compression, and the small differences between text files.

use serde_json::Value;

use super::support::{Place, Run, document, each, gunzip, gzip, joined, nearly, values, words};

fn lines() -> Vec<String> {
    vec![
        document("a", &words("sea", 60)),
        document("b", &nearly("sea", 60)),
        document("c", &words("sky", 60)),
    ]
}

/// What is kept of [`lines`].
fn kept() -> String {
    joined(&lines()[1..])
}

fn corpus() -> Vec<u8> {
    joined(&lines()).into_bytes()
}

#[test]
fn standard_input_is_read() {
    let place = Place::new();
    place.run_with_input("dedup - -o out", &corpus()).ok();
    assert_eq!(place.text("out/kept.jsonl"), kept());
}

#[test]
fn standard_input_may_be_compressed() {
    for bytes in [gzip(&corpus()), zstd::encode_all(&corpus()[..], 1).unwrap()] {
        let place = Place::new();
        place.run_with_input("dedup - -o out", &bytes).ok();
        assert_eq!(place.text("out/kept.jsonl"), kept());
    }
}

#[test]
fn standard_input_has_its_place_among_the_inputs() {
    let text = words("sea", 60);
    let place = Place::new();
    place.write("file.jsonl", joined(&[document("file", &text)]));
    let input = joined(&[document("input", &text)]);
    place.run_with_input("dedup file.jsonl - -o after --keep first", input.as_bytes()).ok();
    assert_eq!(each(&place.lines("after/kept.jsonl"), "id"), ["file"]);
    place.run_with_input("dedup - file.jsonl -o before --keep first", input.as_bytes()).ok();
    assert_eq!(each(&place.lines("before/kept.jsonl"), "id"), ["input"]);
}

#[test]
fn bad_lines_of_standard_input_are_named_as_such() {
    let place = Place::new();
    place.run_with_input("dedup - -o out", b"{\"text\":\"fine\"}\nnot fine\n").ok();
    let rejected = place.lines("out/rejected.jsonl").remove(0);
    assert!(rejected["file"].as_str().unwrap().contains("stdin"), "{rejected}");
    assert_eq!(rejected["line"], 2);
}

#[test]
fn standard_input_that_breaks_off_is_an_error_not_a_short_corpus() {
    let place = Place::new();
    let whole = gzip(&corpus());
    let told = place.run_with_input("dedup - -o out", &whole[..whole.len() / 2]).error();
    assert!(told.contains("stdin"), "{told}");
}

#[test]
fn empty_standard_input_is_an_empty_corpus() {
    let place = Place::new();
    place.run_with_input("dedup - -o out", b"").ok();
    assert_eq!(place.json("out/report.json")["documents"], 0);
}

#[test]
fn gzip_stays_gzip() {
    let place = Place::new();
    place.write("corpus.jsonl.gz", gzip(&corpus()));
    place.run("dedup corpus.jsonl.gz -o out").ok();
    assert_eq!(gunzip(&place.read("out/kept.jsonl.gz")), kept());
    assert!(!place.path("out/kept.jsonl").exists());
}

#[test]
fn zstd_stays_zstd_in_a_single_frame() {
    let place = Place::new();
    place.write("corpus.jsonl.zst", zstd::encode_all(&corpus()[..], 1).unwrap());
    place.run("dedup corpus.jsonl.zst -o out").ok();
    let bytes = place.read("out/kept.jsonl.zst");
    let mut first_frame = zstd::stream::read::Decoder::with_buffer(&bytes[..]).unwrap().single_frame();
    let mut text = String::new();
    std::io::Read::read_to_string(&mut first_frame, &mut text).unwrap();
    assert_eq!(text, kept());
    assert!(first_frame.finish().is_empty(), "nothing follows the first frame");
}

#[test]
fn the_content_tells_the_format_whatever_the_name() {
    let place = Place::new();
    place.write("corpus.jsonl", gzip(&corpus()));
    place.run("dedup corpus.jsonl -o out").ok();
    assert_eq!(gunzip(&place.read("out/kept.jsonl.gz")), kept());
}

#[test]
fn kept_files_can_be_read_again_and_have_nothing_left_to_remove() {
    let place = Place::new();
    place.write("corpus.jsonl", corpus());
    place.write("corpus.jsonl.gz", gzip(&corpus()));
    place.write("corpus.jsonl.zst", zstd::encode_all(&corpus()[..], 1).unwrap());
    for ending in ["jsonl", "jsonl.gz", "jsonl.zst"] {
        place.run(&format!("dedup corpus.{ending} -o first-{ending}")).ok();
        let again = format!("dedup first-{ending}/kept.{ending} -o second-{ending} --json");
        let report = place.run(&again).ok().json();
        assert_eq!(
            (&report["documents"], &report["removed"]),
            (&Value::from(2), &Value::from(0)),
            "{ending}"
        );
    }
}

#[test]
fn inputs_of_several_formats_are_one_corpus_and_keep_their_formats() {
    let place = Place::new();
    let lines = lines();
    place.write("a.jsonl", joined(&lines[..1]));
    place.write("b.jsonl.gz", gzip(joined(&lines[1..2]).as_bytes()));
    place.write("c.jsonl", joined(&lines[2..]));
    place.run("dedup a.jsonl b.jsonl.gz c.jsonl -o out").ok();
    assert_eq!(gunzip(&place.read("out/kept.jsonl.gz")), joined(&lines[1..2]));
    assert_eq!(place.text("out/kept.jsonl"), joined(&lines[2..]));
}

#[test]
fn folders_and_patterns_are_inputs() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("crawl/deep")).unwrap();
    for (name, line) in ["crawl/a.jsonl", "crawl/b.jsonl", "crawl/deep/c.jsonl"].iter().zip(lines()) {
        place.write(name, joined(&[line]));
    }
    assert_eq!(place.run("dedup crawl -o all --json").ok().json()["documents"], 3);
    assert_eq!(place.run("dedup crawl/*.jsonl -o some --json").ok().json()["documents"], 2);
    assert_eq!(place.run("dedup crawl crawl/a.jsonl -o once --json").ok().json()["documents"], 3);
}

fn ids_kept(bytes: &[u8]) -> (Run, Vec<Value>) {
    let place = Place::new();
    place.write("corpus.jsonl", bytes);
    let run = place.run("dedup corpus.jsonl -o out --json").ok();
    (run, each(&place.lines("out/kept.jsonl"), "id"))
}

#[test]
fn windows_line_ends_make_no_difference() {
    let bytes = joined(&lines()).replace('\n', "\r\n");
    let (run, kept) = ids_kept(bytes.as_bytes());
    assert_eq!(kept, ["b", "c"]);
    assert_eq!(run.json()["rejected"], 0);
}

#[test]
fn the_last_line_needs_no_end() {
    let (run, kept) = ids_kept(joined(&lines()).trim_end().as_bytes());
    assert_eq!(kept, ["b", "c"]);
    assert_eq!(run.json()["rejected"], 0);
}

#[test]
fn blank_lines_are_no_documents_and_no_mistakes() {
    let bytes = format!("\n  \n{}\r\n\t\n\n", lines().join("\n\n"));
    let (run, kept) = ids_kept(bytes.as_bytes());
    assert_eq!(kept, ["b", "c"]);
    let report = run.json();
    assert_eq!((&report["rejected"], &report["documents"]), (&Value::from(0), &Value::from(3)));
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    let (run, kept) = ids_kept(format!("\u{feff}{}", joined(&lines())).as_bytes());
    assert_eq!(kept, ["b", "c"]);
    assert_eq!(run.json()["rejected"], 0);
}

#[test]
fn a_byte_order_mark_does_not_end_up_inside_the_kept_file() {
    let place = Place::new();
    place.write("a.jsonl", format!("\u{feff}{}\n", document("a", &words("sea", 30))));
    place.write("b.jsonl", format!("\u{feff}{}\n", document("b", &words("sky", 30))));
    place.run("dedup a.jsonl b.jsonl -o out").ok();
    let kept = place.text("out/kept.jsonl");
    assert_eq!(each(&values(kept.trim_start_matches('\u{feff}')), "id"), ["a", "b"]);
}
