//! Folders of corpora as people have them: datasets of libraries, tables parted by folders, thousands of shards.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_ipc::writer::StreamWriter;
use parquet::arrow::ArrowWriter;
use serde_json::{Value, json};

use super::support::{Place, document, each, joined, nearly, words};

fn batch(columns: &[(&str, Vec<String>)]) -> RecordBatch {
    let array = |values: &Vec<String>| -> ArrayRef { Arc::new(StringArray::from(values.clone())) };
    RecordBatch::try_from_iter(columns.iter().map(|(name, values)| (*name, array(values)))).unwrap()
}

fn documents(ids: &[(&str, String)]) -> RecordBatch {
    let ids_only = ids.iter().map(|(id, _)| (*id).to_owned()).collect();
    batch(&[("id", ids_only), ("text", ids.iter().map(|(_, text)| text.clone()).collect())])
}

fn folder_of(path: &Path) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
}

fn write(place: &Place, name: &str, bytes: impl AsRef<[u8]>) {
    folder_of(&place.path(name));
    place.write(name, bytes);
}

fn write_parquet(place: &Place, name: &str, batch: &RecordBatch) {
    folder_of(&place.path(name));
    let mut writer =
        ArrowWriter::try_new(File::create(place.path(name)).unwrap(), batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

/// As `Dataset.save_to_disk` writes it: a stream, whatever its ending.
fn write_arrow(place: &Place, name: &str, batch: &RecordBatch) {
    folder_of(&place.path(name));
    let mut writer = StreamWriter::try_new(File::create(place.path(name)).unwrap(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
}

/// What was removed, by id, in the order of ids.
fn removed(place: &Place, folder: &str) -> Vec<Value> {
    let mut ids = each(&place.lines(&format!("{folder}/removed.jsonl")), "id");
    ids.sort_by_key(Value::to_string);
    ids
}

/// The layout of `datasets` 4.
#[test]
fn a_saved_dataset_is_its_data_alone() {
    let place = Place::new();
    let info = r#"{"builder_name": "json", "features": {"id": {"dtype": "string", "_type": "Value"}}}"#;
    for (split, ids) in [
        ("train", [("a", words("sea", 60)), ("b", words("sky", 60))]),
        ("test", [("c", nearly("sea", 60)), ("d", words("fog", 60))]),
    ] {
        let state = r#"{"_data_files": [{"filename": "data-00000-of-00001.arrow"}], "_split": "train"}"#;
        write(&place, &format!("saved/{split}/dataset_info.json"), info);
        write(&place, &format!("saved/{split}/state.json"), state);
        write_arrow(&place, &format!("saved/{split}/data-00000-of-00001.arrow"), &documents(&ids));
        write_arrow(&place, &format!("saved/{split}/cache-0a1b2c3d.arrow"), &documents(&ids));
    }
    write(&place, "saved/dataset_dict.json", r#"{"splits": ["train", "test"]}"#);
    let run = place.run("dedup saved -o out").ok();
    assert!(!run.err.contains("passed over") && !run.err.contains("rejected"), "{}", run.err);
    let report = place.json("out/report.json");
    assert_eq!((&report["documents"], &report["rejected"]), (&json!(4), &json!(0)));
    assert_eq!(removed(&place, "out"), ["a"]);
    assert!(place.path("out/kept.arrows").exists());
    // Named itself, a file is read whatever it is called.
    let told = place.run("dedup saved/train/state.json -o state").error();
    assert!(told.contains("no field `text`"), "{told}");
}

#[test]
fn a_snapshot_of_a_hub_is_read_through_its_links() {
    let place = Place::new();
    let snapshot = "datasets--x--y/snapshots/0123";
    for (number, ids) in [
        [("a", words("sea", 60)), ("b", words("sky", 60))],
        [("c", nearly("sea", 60)), ("d", words("fog", 60))],
    ]
    .iter()
    .enumerate()
    {
        write_parquet(&place, &format!("datasets--x--y/blobs/{number}abc"), &documents(ids));
        let link = place.path(&format!("{snapshot}/data/train-0000{number}-of-00002.parquet"));
        folder_of(&link);
        std::os::unix::fs::symlink(format!("../../../blobs/{number}abc"), link).unwrap();
    }
    write(&place, &format!("{snapshot}/README.md"), "# A dataset");
    write(&place, &format!("{snapshot}/.gitattributes"), "*.parquet filter=lfs");
    write(&place, &format!("{snapshot}/dataset_infos.json"), r#"{"default": {"description": ""}}"#);
    let run = place.run(&format!("dedup {snapshot} -o out")).ok();
    assert!(run.err.contains("1 file") && run.err.contains("README.md"), "{}", run.err);
    assert_eq!(place.json("out/report.json")["documents"], 4);
    assert_eq!(removed(&place, "out"), ["a"]);
}

/// Two copies of each text, in folders of two languages and years, as Parquet and as JSONL.
fn parted() -> Place {
    let place = Place::new();
    for (folder, id) in [("lang=en/year=2024", "e"), ("lang=de/year=2023", "d")] {
        let ids = [(&*format!("{id}1"), words("sea", 60)), (&*format!("{id}2"), words("sky", 60))];
        write_parquet(&place, &format!("columns/{folder}/part-0.parquet"), &documents(&ids));
        let lines = ids.map(|(id, text)| document(id, &text));
        write(&place, &format!("lines/{folder}/part-0.jsonl"), joined(&lines));
    }
    place
}

#[test]
fn folders_that_part_a_table_are_fields() {
    let place = parted();
    for folder in ["columns", "lines", "lines/lang=*/year=*/*.jsonl"] {
        for (rule, field, expected) in [
            ("source:de>en", "lang", ["e1", "e2"]),
            ("source:en>de", "lang", ["d1", "d2"]),
            ("min:year", "lang", ["e1", "e2"]),
            ("max:year", "year", ["d1", "d2"]),
        ] {
            let out = place.path("out");
            let _ = std::fs::remove_dir_all(&out);
            let run = place.run(&format!("dedup {folder} -o out --keep {rule} --source-field {field}")).ok();
            assert_eq!(removed(&place, "out"), expected, "{folder} {rule}");
            assert!(!run.err.contains("no document has"), "{}", run.err);
        }
    }
}

#[test]
fn a_field_of_the_document_itself_wins_and_the_default_folder_is_none() {
    let place = Place::new();
    let line = |id: &str, more: Value| {
        let mut line = json!({"id": id, "text": words("sea", 60)});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        line.to_string()
    };
    write(&place, "c/rank=5/a.jsonl", joined(&[line("own", json!({"rank": 9})), line("folder", json!({}))]));
    write(&place, "c/rank=__HIVE_DEFAULT_PARTITION__/a.jsonl", joined(&[line("none", json!({}))]));
    write(&place, "c/rank=7%2E5/a.jsonl", joined(&[line("escaped", json!({}))]));
    place.run("dedup c -o most --keep max:rank").ok();
    assert_eq!(each(&place.lines("most/kept.jsonl"), "id"), ["own"]);
    place.run("dedup c -o least --keep min:rank").ok();
    assert_eq!(each(&place.lines("least/kept.jsonl"), "id"), ["folder"]);
    write(&place, "c/rank=5/a.jsonl", joined(&[line("folder", json!({}))]));
    place.run("dedup c -o escaped --keep max:rank").ok();
    assert_eq!(each(&place.lines("escaped/kept.jsonl"), "id"), ["escaped"]);
}
