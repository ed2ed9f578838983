//! Every format from a store gives what it gives from disk; folders, patterns, and verbs besides `dedup`.

use std::fs::File;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

use super::server::{S3, evidence, run};
use super::support::{Place, document, gzip, joined, words};

/// Documents of which every other one is nearly the one before, of very different lengths, with bad lines among them.
fn lines(documents: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for number in 0..documents {
        let (topic, length) = (number / 2, 40 + (number / 2) * 37 % 400);
        let more = if number % 2 == 0 { "" } else { " different" };
        lines.push(document(format!("d{number}"), &(words(&format!("t{topic}x"), length) + more)));
        if number % 1000 == 7 {
            lines.push("no json".to_owned());
        }
    }
    lines
}

fn batch(documents: usize) -> RecordBatch {
    let ids: ArrayRef = Arc::new(StringArray::from_iter_values((0..documents).map(|n| format!("d{n}"))));
    let text = |n: usize| words(&format!("t{}x", n / 2), 60 + n % 2);
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values((0..documents).map(text)));
    let other: ArrayRef = Arc::new(StringArray::from_iter_values((0..documents).map(|n| words("o", n % 50))));
    RecordBatch::try_from_iter([("id", ids), ("text", texts), ("other", other)]).unwrap()
}

fn write_corpora(place: &Place) -> Vec<&'static str> {
    let lines = lines(6_000);
    let plain = joined(&lines);
    assert!(plain.len() > 9 << 20, "several chunks: {}", plain.len());
    place.write("plain.jsonl", &plain);
    place.write("open-end.jsonl", plain.trim_end());
    place.write("packed.jsonl.gz", gzip(plain.as_bytes()));
    place.write("packed.jsonl.zst", zstd::encode_all(plain.as_bytes(), 1).unwrap());
    let good: Vec<&str> =
        lines.iter().map(String::as_str).filter(|line| line.starts_with('{')).take(900).collect();
    place.write("array.json", format!("[{}]", good.join(",\n")));
    let row = |n: usize| format!("d{n},\"{}\"\n", words(&format!("t{}x", n / 2), 50));
    place.write("table.csv", "id,text\n".to_owned() + &(0..3000).map(row).collect::<String>());
    place.write("empty.jsonl", "");
    let batch = batch(3_000);
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(700)).build();
    let file = File::create(place.path("rows.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let file = File::create(place.path("rows.arrow")).unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &batch.schema()).unwrap();
    for start in (0..3_000).step_by(500) {
        writer.write(&batch.slice(start, 500)).unwrap();
    }
    writer.finish().unwrap();
    vec![
        "plain.jsonl",
        "open-end.jsonl",
        "packed.jsonl.gz",
        "packed.jsonl.zst",
        "array.json",
        "table.csv",
        "rows.parquet",
        "rows.arrow",
        "empty.jsonl",
    ]
}

#[test]
fn every_format_from_a_store_gives_what_it_gives_from_disk() {
    let (place, s3) = (Place::new(), S3::start());
    for name in write_corpora(&place) {
        s3.put(&format!("in/{name}"), &place.read(name));
        let (here, there) = (format!("here-{name}"), format!("there-{name}"));
        place.run(&format!("dedup {name} -o {here} --threads 3")).ok();
        let url = format!("s3://bucket/in/{name}");
        let report = run(&place, &format!("dedup {url} -o {there} --threads 3 --json"), s3.port).ok().json();
        assert_eq!(report["inputs"], serde_json::json!([url]));
        assert_eq!(report["input_bytes"], place.read(name).len());
        let (here, there) = (evidence(&place, &here, name), evidence(&place, &there, &url));
        let names = |files: &[(String, Vec<u8>)]| files.iter().map(|file| file.0.clone()).collect::<Vec<_>>();
        assert_eq!(names(&here), names(&there), "{name}");
        for (a, b) in here.iter().zip(&there) {
            assert!(a.1 == b.1, "{} of {name}", a.0);
        }
    }
}

#[test]
fn folders_patterns_and_earlier_runs_are_found() {
    let (place, s3) = (Place::new(), S3::start());
    let corpus = |topic: &str| {
        joined(&[document(topic, &words(topic, 50)), document(format!("{topic}2"), &words(topic, 50))])
    };
    for key in [
        "in/b.jsonl",
        "in/a.jsonl.gz",
        "in/sub/c.jsonl",
        "in/.hidden.jsonl",
        "in/letter.pdf",
        "out/kept.jsonl",
    ] {
        let bytes = corpus(&key.replace(['/', '.'], "x"));
        s3.put(key, &if key.ends_with("gz") { gzip(bytes.as_bytes()) } else { bytes.into_bytes() });
    }
    let report = |arguments: &str| run(&place, &format!("{arguments} --json --force"), s3.port).ok().json();
    let folder = report("dedup s3://bucket/in -o folder");
    assert_eq!((&folder["documents"], &folder["removed"]), (&6.into(), &3.into()));
    assert_eq!(folder["passed_over"]["first"], serde_json::json!(["s3://bucket/in/letter.pdf"]));
    assert_eq!(report("dedup s3://bucket/in/ -o folder")["documents"], 6);
    assert_eq!(report("dedup s3://bucket/in/*.jsonl -o pattern")["documents"], 2);
    assert_eq!(report("dedup s3://bucket/in/**/*.jsonl -o pattern")["documents"], 4);
    // What is named twice is read once, and what lies on disk goes with it.
    place.write("here.jsonl", corpus("here"));
    let mixed = report("dedup here.jsonl s3://bucket/in/b.jsonl s3://bucket/in/*.jsonl -o mixed");
    assert_eq!(mixed["documents"], 4);
    // Of the folder of an earlier run only what was kept counts.
    s3.put("out/report.json", b"{}");
    s3.put("out/pairs.jsonl", b"{}");
    s3.put("new.jsonl", corpus("outxkeptxjsonl").as_bytes());
    let against = report("dedup s3://bucket/new.jsonl -o new --against s3://bucket/out");
    assert_eq!((&against["against"], &against["removed"]), (&2.into(), &2.into()));
}

#[test]
fn other_verbs_read_from_stores_too() {
    let (place, s3) = (Place::new(), S3::start());
    let plain = joined(&lines(500));
    place.write("corpus.jsonl", &plain);
    s3.put("corpus.jsonl", plain.as_bytes());
    place.run("lexicon build corpus.jsonl -o here.lexicon").ok();
    run(&place, "lexicon build s3://bucket/corpus.jsonl -o there.lexicon", s3.port).ok();
    assert!(place.read("here.lexicon") == place.read("there.lexicon"));
    place.run("index create here.index").ok();
    place.run("index add here.index corpus.jsonl").ok();
    place.run("index create there.index").ok();
    run(&place, "index add there.index s3://bucket/corpus.jsonl", s3.port).ok();
    let documents =
        |index: &str| place.run(&format!("index stats {index} --json")).ok().json()["documents"].clone();
    assert_eq!(documents("here.index"), documents("there.index"));
    assert_ne!(documents("there.index"), 0);
    let plan =
        run(&place, "dedup s3://bucket/corpus.jsonl -o s3://bucket/run --plan --json", s3.port).ok().json();
    assert_eq!(plan["input_bytes"], plain.len());
    assert_eq!(place.names("tmp"), Vec::<String>::new(), "a plan leaves nothing");
    assert_eq!(s3.keys(), ["corpus.jsonl"]);
}
