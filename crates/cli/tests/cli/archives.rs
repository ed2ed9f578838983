//! Web archives as corpora: texts that others extracted (WET), and pages as they were fetched.

use serde_json::json;

use super::support::{Place, each, gunzip, gzip, nearly, words};

fn record(kind: &str, id: &str, content_type: &str, body: &[u8]) -> Vec<u8> {
    let header = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: http://site.example/{id}\r\n\
         WARC-Date: 2024-05-06T07:08:09Z\r\nWARC-Record-ID: <urn:uuid:{id}>\r\n\
         WARC-Identified-Content-Language: eng\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    [header.as_bytes(), body, b"\r\n\r\n"].concat()
}

fn text(id: &str, text: &str) -> Vec<u8> {
    record("conversion", id, "text/plain", text.as_bytes())
}

fn info() -> Vec<u8> {
    record("warcinfo", "info", "application/warc-fields", b"software: a crawler\r\n")
}

/// Of its texts, `sea` is removed since `sea2` is nearly the same and longer.
fn wet() -> Vec<Vec<u8>> {
    vec![
        info(),
        text("sea", &words("sea", 60)),
        text("sea2", &nearly("sea", 60)),
        record("metadata", "m", "application/warc-fields", b"fetchTimeMs: 5\r\n"),
        text("sky", &format!("{}\n\"quoted\"\n", words("sky", 60))),
    ]
}

fn by_record(records: &[Vec<u8>]) -> Vec<u8> {
    records.iter().flat_map(|record| gzip(record)).collect()
}

#[test]
fn texts_of_a_web_archive_are_a_corpus_however_they_are_packed() {
    let whole = wet().concat();
    for (name, bytes, kept) in [
        ("texts.wet", whole.clone(), "kept.jsonl"),
        ("texts.warc", whole.clone(), "kept.jsonl"),
        ("CC-MAIN-00000.warc.wet.gz", by_record(&wet()), "kept.jsonl.gz"),
        ("one-member.warc.gz", gzip(&whole), "kept.jsonl.gz"),
        ("texts.wet.zst", zstd::encode_all(&whole[..], 1).unwrap(), "kept.jsonl.zst"),
    ] {
        let place = Place::new();
        place.write(name, &bytes);
        place.run(&format!("dedup {name} -o out")).ok();
        let bytes = place.read(&format!("out/{kept}"));
        let kept = match name.rsplit('.').next() {
            Some("gz") => gunzip(&bytes),
            Some("zst") => String::from_utf8(zstd::decode_all(&bytes[..]).unwrap()).unwrap(),
            _ => String::from_utf8(bytes).unwrap(),
        };
        let expected = [
            ("sea2", nearly("sea", 60)),
            ("sky", format!("{}\n\"quoted\"\n", words("sky", 60))),
        ]
        .map(|(id, text)| {
            format!(
                "{{\"id\":\"urn:uuid:{id}\",\"url\":\"http://site.example/{id}\",\"date\":\"2024-05-06T07:08:09Z\",\
                 \"language\":\"eng\",\"text\":{}}}\n",
                json!(text)
            )
        });
        assert_eq!(kept, expected.concat(), "{name}");
        assert_eq!(place.lines("out/removed.jsonl")[0]["id"], "urn:uuid:sea");
        let report = place.json("out/report.json");
        assert_eq!((&report["documents"], &report["rejected"]), (&json!(3), &json!(0)));
        assert_eq!(report["other_records"], json!({"warcinfo": 1, "metadata": 1}));
    }
}

#[test]
fn a_folder_and_standard_input_may_hold_texts_of_web_archives() {
    let place = Place::new();
    std::fs::create_dir(place.path("crawl")).unwrap();
    place.write("crawl/1.wet.gz", by_record(&wet()));
    place.write("crawl/2.warc.wet.gz", by_record(&[info(), text("again", &words("sky", 60))]));
    place.run("dedup crawl -o out --id-field url --keep shortest-url").ok();
    assert_eq!(each(&place.lines("out/removed.jsonl"), "id").len(), 2);
    let kept = gunzip(&place.read("out/kept.jsonl.gz"));
    assert_eq!(kept.lines().count(), 2);
    assert!(
        place.lines("out/removed.jsonl").iter().all(|line| line["id"].as_str().unwrap().starts_with("http"))
    );
    place.run_with_input("dedup - -o piped", &wet().concat()).ok();
    assert_eq!(place.json("out/report.json")["removed"], 2);
    place.run("index create seen").ok();
    place.run("index add seen crawl").ok();
    let stats = place.run("index stats seen --json").ok().json();
    assert_eq!(stats["documents"], 4, "{stats}");
    let compared = place.run("compare crawl/1.wet.gz#urn:uuid:sea crawl/1.wet.gz#urn:uuid:sky --json").ok();
    assert!(compared.out.contains("similarity"), "{}", compared.out);
}

#[test]
fn damage_in_an_archive_costs_no_more_than_it_must() {
    let place = Place::new();
    let mut members: Vec<Vec<u8>> = wet().iter().map(|record| gzip(record)).collect();
    let middle = members[2].len() / 2;
    members[2][middle] ^= 0xff;
    place.write("damaged.wet.gz", members.concat());
    place.run("dedup damaged.wet.gz -o out").ok();
    let report = place.json("out/report.json");
    assert_eq!((&report["documents"], &report["rejected"]), (&json!(2), &json!(1)));
    let rejected = place.lines("out/rejected.jsonl").remove(0);
    assert_eq!(rejected["line"], 2, "the second text");
    assert!(rejected["reason"].as_str().unwrap().contains("damaged"), "{rejected}");
    let told = place.run("dedup damaged.wet.gz -o strict --strict").error();
    assert!(told.contains("damaged.wet.gz: line 2"), "{told}");

    let whole = by_record(&wet());
    place.write("cut.wet.gz", &whole[..whole.len() - 30]);
    place.run("dedup cut.wet.gz -o cut").ok();
    let report = place.json("cut/report.json");
    assert_eq!((&report["documents"], &report["rejected"]), (&json!(2), &json!(1)));

    let mut records = wet();
    let wrong =
        String::from_utf8(records[1].clone()).unwrap().replace("Content-Length: ", "Content-Length: 7");
    records[1] = wrong.into_bytes();
    place.write("lengths.wet", records.concat());
    place.run("dedup lengths.wet -o lengths").ok();
    let report = place.json("lengths/report.json");
    assert_eq!((&report["documents"], &report["rejected"]), (&json!(2), &json!(1)));
    assert!(place.text("lengths/rejected.jsonl").contains("bytes that its header says"));
}

fn page(id: &str, charset: &str, title: &[u8], body: &str) -> Vec<u8> {
    let head =
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html{charset}\r\nX: y\r\n\r\n<html><head><title>");
    let body =
        format!("</title></head><body><nav>Home About</nav><article><p>{body}</p></article></body></html>");
    record(
        "response",
        id,
        "application/http; msgtype=response",
        &[head.as_bytes(), title, body.as_bytes()].concat(),
    )
}

#[test]
fn pages_of_a_web_archive_are_documents() {
    let sentence = |topic: &str| format!("{}. {}.", words(topic, 60), words(&format!("{topic}x"), 40));
    let records = [
        info(),
        record("request", "r", "application/http; msgtype=request", b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        page("sea", "; charset=iso-8859-1", b"Caf\xe9", &sentence("sea")),
        page("sea2", "", b"Other", &sentence("sea")),
        page("sky", "", b"Sky", &sentence("sky")),
    ];
    let place = Place::new();
    place.write("crawl.warc.gz", by_record(&records));
    place.run("dedup crawl.warc.gz -o out").ok();
    let report = place.json("out/report.json");
    assert_eq!((&report["documents"], &report["removed"]), (&json!(3), &json!(1)));
    let kept = place.lines("out/kept.jsonl");
    let first = &kept[0];
    assert_eq!(first["url"], "http://site.example/sea", "{first}");
    assert_eq!((&first["date"], &first["title"]), (&json!("2024-05-06T07:08:09Z"), &json!("Café")));
    let text = first["text"].as_str().unwrap();
    assert!(text.contains("sea59") && !text.contains("About"), "{text}");
    let mut members: Vec<Vec<u8>> = records.iter().map(|record| gzip(record)).collect();
    let middle = members[3].len() / 2;
    members[3][middle] ^= 0xff;
    place.write("damaged.warc.gz", members.concat());
    place.run("dedup damaged.warc.gz -o damaged").ok();
    let report = place.json("damaged/report.json");
    assert_eq!((&report["documents"], &report["rejected"]), (&json!(2), &json!(1)));
    assert!(
        place.text("damaged/rejected.jsonl").contains("damaged"),
        "{}",
        place.text("damaged/rejected.jsonl")
    );
    // From a pipe there is no reader of pages.
    let told = place.run_with_input("dedup - -o piped", &records.concat()).error();
    assert!(told.contains("pages as they were fetched"), "{told}");
    place.write("pages.wet", records.concat());
    let told = place.run("dedup pages.wet -o named").error();
    assert!(told.contains("pages.wet is a web archive of pages"), "{told}");
}
