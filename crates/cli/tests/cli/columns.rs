//! Parquet in, Parquet out, with every column.

use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, StructArray};
use arrow_schema::{DataType, Field};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use serde_json::json;

use super::serving::Serving;
use super::support::{Place, document, each, joined, nearly, words};

/// Rows with nested columns; row `n` has id `n` and the n-th text.
fn rows(ids: &[i64]) -> RecordBatch {
    let text = |id: &i64| match id {
        0 => Some(words("sea", 60)),
        1 => None,
        2 => Some(nearly("sea", 60)),
        3 => Some(String::new()),
        n => Some(words(&format!("topic{n}x"), 60)),
    };
    let mut tags = ListBuilder::new(StringBuilder::new());
    for id in ids {
        (0..id % 3).for_each(|tag| tags.values().append_value(format!("tag-{id}-{tag}")));
        tags.append(id % 4 != 3);
    }
    let language: ArrayRef =
        Arc::new(StringArray::from_iter(ids.iter().map(|id| (id % 2 == 0).then_some("en"))));
    let score: ArrayRef = Arc::new(Float64Array::from_iter_values(ids.iter().map(|&id| id as f64 / 4.0)));
    let meta = StructArray::from(vec![
        (Arc::new(Field::new("language", DataType::Utf8, true)), language),
        (Arc::new(Field::new("score", DataType::Float64, false)), score),
    ]);
    let columns: [(&str, ArrayRef, bool); 4] = [
        ("id", Arc::new(Int64Array::from(ids.to_vec())), false),
        ("text", Arc::new(StringArray::from_iter(ids.iter().map(text))), true),
        ("tags", Arc::new(tags.finish()), true),
        ("meta", Arc::new(meta), false),
    ];
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

/// Several row groups, so that rows are counted across them.
fn write(place: &Place, name: &str, batch: &RecordBatch) {
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(3))
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .build();
    let file = File::create(place.path(name)).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

fn read(place: &Place, name: &str) -> RecordBatch {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(place.path(name)).unwrap()).unwrap();
    let batches: Vec<RecordBatch> = builder.build().unwrap().map(Result::unwrap).collect();
    assert_eq!(batches.len(), 1, "few rows come in one batch");
    batches.into_iter().next().unwrap()
}

const ALL: [i64; 10] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
/// Row 0 is a near-duplicate of row 2, row 1 has no text.
const KEPT: [i64; 8] = [2, 3, 4, 5, 6, 7, 8, 9];

fn deduped() -> Place {
    let place = Place::new();
    write(&place, "corpus.parquet", &rows(&ALL));
    place.run("dedup corpus.parquet -o out").ok();
    place
}

#[test]
fn kept_rows_have_all_columns_nested_ones_too() {
    assert_eq!(read(&deduped(), "out/kept.parquet"), rows(&KEPT));
}

#[test]
fn ids_are_the_column_s_values() {
    let removed = deduped().lines("out/removed.jsonl");
    assert_eq!((each(&removed, "id"), each(&removed, "keeper")), (vec![json!(0)], vec![json!(2)]));
}

#[test]
fn a_row_without_text_is_rejected_with_its_number() {
    let place = deduped();
    let rejected = place.lines("out/rejected.jsonl");
    assert_eq!(rejected.len(), 1);
    assert_eq!((&rejected[0]["file"], &rejected[0]["line"]), (&json!("corpus.parquet"), &json!(2)));
    assert!(rejected[0]["reason"].as_str().unwrap().contains("null"), "{}", rejected[0]);
    let report = place.json("out/report.json");
    assert_eq!((&report["documents"], &report["rejected"]), (&json!(9), &json!(1)));
}

#[test]
fn threads_do_not_change_the_rows() {
    let place = deduped();
    place.run("dedup corpus.parquet -o one --threads 1").ok();
    place.run("dedup corpus.parquet -o three --threads 3").ok();
    assert_eq!(read(&place, "one/kept.parquet"), read(&place, "three/kept.parquet"));
    assert_eq!(place.text("one/removed.jsonl"), place.text("three/removed.jsonl"));
}

#[test]
fn the_kept_file_can_be_read_again_and_has_nothing_left_to_remove() {
    let place = deduped();
    let report = place.run("dedup out/kept.parquet -o again --json").ok().json();
    assert_eq!((&report["documents"], &report["removed"]), (&json!(8), &json!(0)));
    assert_eq!(read(&place, "again/kept.parquet"), rows(&KEPT));
}

#[test]
fn without_an_id_column_rows_are_named_by_number() {
    let place = Place::new();
    let batch = rows(&[5, 0, 2]).project(&[1, 3]).unwrap();
    write(&place, "corpus.parquet", &batch);
    place.run("dedup corpus.parquet -o out").ok();
    let removed = place.lines("out/removed.jsonl").remove(0);
    assert_eq!((&removed["id"], &removed["keeper"]), (&json!(2), &json!(3)));
}

#[test]
fn files_of_one_schema_become_one_file_and_others_another() {
    let place = Place::new();
    write(&place, "a.parquet", &rows(&[2, 4]));
    write(&place, "b.parquet", &rows(&[0, 5]));
    write(&place, "c.parquet", &rows(&[6]).project(&[0, 1]).unwrap());
    place.run("dedup a.parquet b.parquet c.parquet -o out").ok();
    assert_eq!(read(&place, "out/kept.parquet"), rows(&[2, 4, 5]));
    assert_eq!(read(&place, "out/kept-2.parquet"), rows(&[6]).project(&[0, 1]).unwrap());
}

#[test]
fn parquet_and_jsonl_are_one_corpus() {
    let place = Place::new();
    write(&place, "a.parquet", &rows(&[0, 4]));
    place.write("b.jsonl", joined(&[document("b", &nearly("sea", 60))]));
    place.run("dedup a.parquet b.jsonl -o out").ok();
    assert_eq!(read(&place, "out/kept.parquet"), rows(&[4]));
    assert_eq!(each(&place.lines("out/kept.jsonl"), "id"), ["b"]);
    let removed = place.lines("out/removed.jsonl").remove(0);
    assert_eq!((&removed["id"], &removed["keeper"]), (&json!(0), &json!("b")));
}

#[test]
fn parquet_may_come_on_standard_input() {
    let place = Place::new();
    write(&place, "corpus.parquet", &rows(&ALL));
    let bytes = place.read("corpus.parquet");
    place.run_with_input("dedup - -o out", &bytes).ok();
    assert_eq!(read(&place, "out/kept.parquet"), rows(&KEPT));
}

#[test]
fn a_keep_rule_reads_a_column() {
    let place = Place::new();
    let ids: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
    let texts: ArrayRef = Arc::new(StringArray::from(vec![words("sea", 30); 2]));
    let scores: ArrayRef = Arc::new(Float64Array::from(vec![0.5, 1.5]));
    let batch = RecordBatch::try_from_iter([("id", ids), ("text", texts), ("score", scores)]).unwrap();
    write(&place, "corpus.parquet", &batch);
    place.run("dedup corpus.parquet -o out --keep max:score").ok();
    assert_eq!(each(&place.lines("out/removed.jsonl"), "id"), ["a"]);
}

#[test]
fn a_service_reads_an_uploaded_file_whatever_its_name() {
    let place = deduped();
    let serving = Serving::service(&place.path("data"), &[]);
    for (name, kind) in
        [("corpus", "application/vnd.apache.parquet"), ("corpus.jsonl", "application/x-parquet")]
    {
        let path = format!("/api/uploads?name={name}");
        let (status, upload) = serving.post(&path, kind, None, &place.read("corpus.parquet"));
        assert_eq!((status, &upload["name"]), (200, &json!(name)), "{upload}");
        let wish = json!({ "kind": "dedup", "testing": { "uploads": [name] } }).to_string();
        let (_, job) = serving.post("/api/jobs", "application/json", None, wish.as_bytes());
        let path = format!("/api/jobs/{}", job["id"]);
        let began = Instant::now();
        let job = loop {
            let (_, job) = serving.get(&path);
            if job["finished"].is_number() {
                break job;
            }
            assert!(began.elapsed() < Duration::from_secs(60), "{job}");
            std::thread::sleep(Duration::from_millis(10));
        };
        let report = place.json("out/report.json");
        for key in ["documents", "removed", "rejected"] {
            assert_eq!(job["summary"]["report"][key], report[key], "{key}: {job}");
        }
    }
    serving.end();
}
