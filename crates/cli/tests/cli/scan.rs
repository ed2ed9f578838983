//! `lookalike scan` as a person uses it.

use std::fs;

use serde_json::Value;

use crate::support::Place;

/// A text of many words that no other seed shares.
fn essay(seed: u64) -> String {
    let words = (0..120).map(|place| format!("w{}", (seed * 7919 + place * place * 31) % 5000));
    words.collect::<Vec<_>>().chunks(12).map(|line| line.join(" ") + ".\n").collect()
}

fn place(files: &[(&str, &[u8])]) -> Place {
    let place = Place::new();
    for (name, bytes) in files {
        let path = place.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    place
}

fn scan(place: &Place, arguments: &str) -> Value {
    let run = place.run(&format!("scan {arguments} --json --cache cache")).ok();
    serde_json::from_str(&run.out).unwrap()
}

/// The members of each cluster, by name.
fn clusters(report: &Value) -> Vec<Vec<String>> {
    let members = |cluster: &Value| {
        let ids = cluster["members"].as_array().unwrap().iter();
        let mut ids: Vec<String> = ids.map(|member| member["id"].as_str().unwrap().to_owned()).collect();
        ids.sort();
        ids
    };
    report["clusters"].as_array().unwrap().iter().map(members).collect()
}

fn reason(report: &Value, path: &str) -> String {
    let unreadable = report["unreadable"].as_array().unwrap();
    let found = unreadable.iter().find(|entry| entry["path"] == path);
    found.unwrap_or_else(|| panic!("{path} in {unreadable:?}"))["reason"].as_str().unwrap().to_owned()
}

fn html(body: &str) -> String {
    let paragraphs: String = body.lines().map(|line| format!("<p>{line}</p>\n")).collect();
    format!(
        "<!doctype html><html><head><title>An essay</title></head><body><article>{paragraphs}</article></body></html>"
    )
}

fn mail(body: &str) -> String {
    format!(
        "From: a@example.org\nTo: b@example.org\nSubject: essay\nDate: Mon, 5 Feb 2024 10:00:00 +0100\n\n{body}"
    )
}

#[test]
fn the_same_text_in_several_formats_is_one_cluster() {
    let text = essay(1);
    let files = [
        ("docs/essay.txt", text.clone()),
        ("docs/essay.md", format!("# An essay\n\n{}", text.replace('\n', "\n\n"))),
        ("docs/web/essay.html", html(&text)),
        ("docs/letter", mail(&text)),
        ("docs/other.txt", essay(2)),
    ];
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    let place = place(&files);
    let report = scan(&place, "docs");
    assert_eq!((&report["files"], &report["read"], &report["documents"]), (&5.into(), &5.into(), &5.into()));
    assert_eq!(
        clusters(&report),
        [["docs/essay.md", "docs/essay.txt", "docs/letter", "docs/web/essay.html"]]
    );
    let cluster = &report["clusters"][0];
    assert_eq!(cluster["master"], "docs/essay.md", "the longest");
    assert!(cluster["kept_because"].as_str().unwrap().contains("longest"), "{cluster}");
    for member in cluster["members"].as_array().unwrap() {
        assert!(member["streams"]["text"].as_f64().unwrap() >= 0.8, "{member}");
        assert!(member["similarity"].as_f64().unwrap() >= cluster["weakest"].as_f64().unwrap());
    }
    let by_type = scan(&place, "docs --by-type");
    assert_eq!(clusters(&by_type), [["docs/essay.md", "docs/essay.txt"]], "text and Markdown are one type");
}

#[test]
fn nothing_is_left_unaccounted_for_and_too_little_text_matches_nothing() {
    let noise: Vec<u8> = (0..4000u32).map(|place| (place.wrapping_mul(2_654_435_761) >> 21) as u8).collect();
    let place = place(&[
        ("d/empty.txt", b""),
        ("d/noise.bin", &noise),
        ("d/cut.docx", b"PK\x03\x04 and then nothing that a zip would have"),
        ("d/one.txt", b"hello"),
        ("d/two.txt", b"hello!"),
        ("d/same-1.txt", b"tiny"),
        ("d/same-2.txt", b"tiny"),
    ]);
    let report = scan(&place, "d");
    let (files, read) = (report["files"].as_u64().unwrap(), report["read"].as_u64().unwrap());
    assert_eq!((files, read), (7, 4));
    assert_eq!(report["unreadable"].as_array().unwrap().len(), 3);
    assert!(reason(&report, "d/empty.txt").contains("no text"));
    assert!(reason(&report, "d/noise.bin").contains("not a document"));
    assert!(reason(&report, "d/cut.docx").contains("damaged"));
    assert_eq!(clusters(&report), [["d/same-1.txt", "d/same-2.txt"]], "the same bytes are the same");
    assert_eq!(report["clusters"][0]["members"][1]["same"], "file");
}

#[test]
fn check_tells_scripts() {
    let twice = essay(3);
    let place =
        place(&[("d/a.txt", twice.as_bytes()), ("d/b.txt", twice.as_bytes()), ("e/a.txt", twice.as_bytes())]);
    let found = place.run("scan d --check --no-cache");
    assert_eq!(found.code, Some(1), "{}", found.err);
    assert_eq!(place.run("scan e --check --no-cache").code, Some(0));
    let missing = place.run("scan none --no-cache");
    assert_eq!(missing.code, Some(2));
    assert!(missing.error().contains("none"));
}

#[test]
fn the_second_scan_reads_only_what_changed() {
    let (one, two) = (essay(4), essay(5));
    let place =
        place(&[("d/a.txt", one.as_bytes()), ("d/b.txt", one.as_bytes()), ("d/c.txt", two.as_bytes())]);
    let first = scan(&place, "d");
    assert_eq!((first["from_cache"].as_u64(), clusters(&first).len()), (Some(0), 1));
    let second = scan(&place, "d");
    assert_eq!(second["from_cache"], 3);
    assert_eq!(second["clusters"], first["clusters"]);
    fs::write(place.path("d/c.txt"), format!("{one}and some more words at the end")).unwrap();
    fs::remove_file(place.path("d/b.txt")).unwrap();
    let third = scan(&place, "d");
    assert_eq!((third["from_cache"].as_u64(), third["files"].as_u64()), (Some(1), Some(2)));
    assert_eq!(clusters(&third), [["d/a.txt", "d/c.txt"]]);
    let other = scan(&place, "d --threshold 0.99");
    assert_eq!(
        (other["from_cache"].as_u64(), clusters(&other).len()),
        (Some(2), 0),
        "another question, no reading"
    );
}

#[test]
fn hidden_and_ignored_files_are_left_alone_unless_asked_for() {
    let text = essay(6);
    let place = place(&[
        ("d/a.txt", text.as_bytes()),
        ("d/.hidden.txt", text.as_bytes()),
        ("d/.ignore", b"*.bak\n"),
        ("d/a.bak", text.as_bytes()),
    ]);
    assert_eq!(clusters(&scan(&place, "d")).len(), 0);
    assert_eq!(clusters(&scan(&place, "d --hidden")), [["d/.hidden.txt", "d/a.txt"]]);
    assert_eq!(clusters(&scan(&place, "d --no-ignore")), [["d/a.bak", "d/a.txt"]]);
}

#[test]
fn a_scan_changes_no_file() {
    let text = essay(7);
    let place = place(&[("d/a.txt", text.as_bytes()), ("d/b.txt", text.as_bytes())]);
    scan(&place, "d");
    assert_eq!(place.names("d"), ["a.txt", "b.txt"]);
    assert_eq!(place.names("."), ["cache", "d"]);
}
