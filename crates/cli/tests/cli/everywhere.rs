//! The same documents in every format and compression are the same corpus.

use std::io::Write;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Int64Array, LargeStringArray, RecordBatch, StringArray, StringViewArray,
    StructArray,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{DataType, Field};
use parquet::arrow::ArrowWriter;
use serde_json::{Value, json};

use super::support::{Place, each, gunzip, gzip, joined, nearly, words};

/// Id, text and score. The texts contain everything that formats must escape.
fn documents() -> Vec<(String, String, i64)> {
    let odd = "she said: \"no, never\";\nthen\r\n\tleft — 日本語 \\ 'so' | ";
    let text = |number: usize| match number {
        0 => format!("{odd}{}", words("sea", 60)),
        1 => format!("{odd}{}", nearly("sea", 60)),
        2 | 7 => words("sky", 50),
        3 => String::new(),
        4 => "12345".to_owned(),
        5 => nearly("sky", 50),
        number => words(&format!("t{number}x"), 40),
    };
    (0..12).map(|number| (format!("d{number}"), text(number), number as i64 * 10)).collect()
}

fn objects() -> Vec<Value> {
    let object = |(id, text, score): (String, String, i64)| json!({"id": id, "text": text, "score": score});
    documents().into_iter().map(object).collect()
}

fn lines() -> String {
    joined(&objects().iter().map(Value::to_string).collect::<Vec<_>>())
}

fn table(delimiter: &str) -> String {
    let quoted = |text: &str| match text.contains(['"', '\n', '\r', ',', ';', '\t', '|']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    };
    let mut table = ["id", "score", "text"].join(delimiter) + "\r\n";
    for (id, text, score) in documents() {
        table += &([id, score.to_string(), quoted(&text)].join(delimiter) + "\r\n");
    }
    table
}

fn columns(texts: impl Fn(Vec<String>) -> ArrayRef) -> RecordBatch {
    let ids: ArrayRef = Arc::new(StringArray::from_iter_values(documents().into_iter().map(|row| row.0)));
    let scores: ArrayRef = Arc::new(Int64Array::from_iter_values(documents().into_iter().map(|row| row.2)));
    let texts = texts(documents().into_iter().map(|row| row.1).collect());
    RecordBatch::try_from_iter([("id", ids), ("text", texts), ("score", scores)]).unwrap()
}

fn plain(texts: Vec<String>) -> ArrayRef {
    Arc::new(StringArray::from(texts))
}

/// Several batches each.
fn arrow_file(batch: &RecordBatch, compression: Option<CompressionType>) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let mut writer = FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options).unwrap();
    (0..batch.num_rows()).step_by(5).for_each(|row| {
        writer.write(&batch.slice(row, 5.min(batch.num_rows() - row))).unwrap();
    });
    writer.into_inner().unwrap()
}

fn arrow_stream(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    (0..batch.num_rows()).step_by(5).for_each(|row| {
        writer.write(&batch.slice(row, 5.min(batch.num_rows() - row))).unwrap();
    });
    writer.into_inner().unwrap()
}

fn parquet(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

fn utf16(text: &str, little: bool) -> Vec<u8> {
    let bytes = |unit: u16| if little { unit.to_le_bytes() } else { unit.to_be_bytes() };
    format!("\u{feff}{text}").encode_utf16().flat_map(bytes).collect()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let options = lzma_rust2::XzOptions::with_preset(1);
    let mut writer = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

fn bz2(bytes: &[u8]) -> Vec<u8> {
    let mut writer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

fn lz4(bytes: &[u8]) -> Vec<u8> {
    let mut writer = lz4_flex::frame::FrameEncoder::new(Vec::new());
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

fn zst(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

type Packer = fn(&[u8]) -> Vec<u8>;
const PACKERS: [(&str, Packer); 5] = [("gz", gzip), ("zst", zst), ("xz", xz), ("bz2", bz2), ("lz4", lz4)];

/// Each with the name of its file and that of what is kept.
fn forms() -> Vec<(String, Vec<u8>, String)> {
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap();
    let array = Value::from(objects());
    let dictionary = |texts: Vec<String>| -> ArrayRef {
        Arc::new(texts.iter().map(|text| Some(text.as_str())).collect::<DictionaryArray<Int32Type>>())
    };
    let large = |texts: Vec<String>| -> ArrayRef { Arc::new(LargeStringArray::from(texts)) };
    let view = |texts: Vec<String>| -> ArrayRef { Arc::new(StringViewArray::from_iter_values(texts)) };
    let stream = arrow_stream(&columns(plain));
    let mut forms: Vec<(String, Vec<u8>, String)> = [
        ("c.json", array.to_string().into_bytes(), "json"),
        ("pretty.json", pretty(&array).into_bytes(), "json"),
        ("objects.json", objects().iter().map(pretty).collect::<Vec<_>>().join("\n").into_bytes(), "json"),
        ("c.csv", table(",").into_bytes(), "csv"),
        ("bom.csv", format!("\u{feff}{}", table(",")).into_bytes(), "csv"),
        ("semicolon.csv", table(";").into_bytes(), "csv"),
        ("c.tsv", table("\t").into_bytes(), "tsv"),
        ("le.csv", utf16(&table(","), true), "csv"),
        ("be.jsonl", utf16(&lines(), false), "jsonl"),
        ("c.parquet", parquet(&columns(plain)), "parquet"),
        ("c.arrow", arrow_file(&columns(plain), None), "arrow"),
        ("c.feather", arrow_file(&columns(large), Some(CompressionType::LZ4_FRAME)), "arrow"),
        ("view.arrow", arrow_file(&columns(view), Some(CompressionType::ZSTD)), "arrow"),
        ("dictionary.arrow", arrow_file(&columns(dictionary), None), "arrow"),
        ("c.arrows", stream.clone(), "arrows"),
        ("wrong-name.jsonl", stream.clone(), "arrows"),
    ]
    .map(|(name, bytes, kept)| (name.to_owned(), bytes, kept.to_owned()))
    .into();
    for (ending, pack) in PACKERS {
        for (layout, bytes) in [
            ("jsonl", lines().into_bytes()),
            ("csv", table(",").into_bytes()),
            ("json", array.to_string().into_bytes()),
            ("arrows", stream.clone()),
        ] {
            // Two members that follow each other are one stream.
            let (first, second) = bytes.split_at(bytes.len() / 2);
            let packed = [pack(first), pack(second)].concat();
            forms.push((format!("c.{layout}.{ending}"), packed, format!("{layout}.{ending}")));
        }
    }
    forms
}

#[test]
fn every_form_gives_the_same_pairs_clusters_and_removals() {
    let place = Place::new();
    place.write("c.jsonl", lines());
    place.run("dedup c.jsonl -o expected --keep max:score").ok();
    let evidence = ["removed.jsonl", "clusters.jsonl", "pairs.jsonl", "rejected.jsonl"];
    let kept = each(&place.lines("expected/kept.jsonl"), "id");
    assert_eq!(place.lines("expected/removed.jsonl").len(), 3);
    for (name, bytes, ending) in forms() {
        place.write(&name, bytes);
        place.run(&format!("dedup {name} -o out --force --keep max:score")).ok();
        for file in evidence {
            assert_eq!(place.text(&format!("out/{file}")), place.text(&format!("expected/{file}")), "{name}");
        }
        // The kept documents are in their own format, and nothing in them is left to remove.
        place.run(&format!("dedup out/kept.{ending} -o again --force --keep max:score")).ok();
        let report = place.json("again/report.json");
        assert_eq!((&report["documents"], &report["removed"]), (&json!(kept.len()), &json!(0)), "{name}");
        place.run(&format!("index create index-{name}")).ok();
        let answers = place.run(&format!("index add index-{name} out/kept.{ending} --json")).ok();
        let ids: Vec<Value> = answers
            .out
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].clone())
            .collect();
        assert_eq!(ids, kept, "{name}");
    }
}

#[test]
fn forms_are_one_corpus_among_themselves_and_against_another() {
    let place = Place::new();
    place.write("c.csv.xz", xz(table(",").as_bytes()));
    place.write("c.arrow", arrow_file(&columns(plain), None));
    let report = place.run("dedup c.csv.xz c.arrow -o both --json").ok().json();
    assert_eq!((&report["documents"], &report["kept"]), (&json!(24), &json!(10)), "the empty ones stay");
    let report = place.run("dedup c.csv.xz -o new --against c.arrow --json").ok().json();
    assert_eq!((&report["kept"], &report["against"]), (&json!(1), &json!(12)));
    let plan = place.run("dedup c.csv.xz c.arrow -o x --plan --json").ok().json();
    assert!((12..=60).contains(&plan["documents"].as_u64().unwrap()), "{plan}");
    place.run("lexicon build c.csv.xz -o words.lex").ok();
    // Judging reads a column that no recipe uses.
    place.write("c.parquet", parquet(&columns(plain)));
    for name in ["c.csv.xz", "c.arrow", "c.parquet"] {
        place.run(&format!("evaluate {name} --cluster-field score")).ok();
    }
    place.run_with_input("dedup - -o stdin", table("\t").as_bytes()).ok();
    assert_eq!(place.json("stdin/report.json")["removed"], 3);
    place.run_with_input("dedup - -o packed", &bz2(&arrow_stream(&columns(plain)))).ok();
    assert_eq!(place.json("packed/report.json")["removed"], 3);
}

#[test]
fn rows_are_kept_byte_for_byte_below_their_header() {
    let place = Place::new();
    let (a, b, c) = (words("sea", 40), nearly("sea", 40), words("sky", 40));
    let rows = [format!("1;\"{a}\n\";x;\"\""), format!("2;{b};;\"\"\"q\"\"\""), format!("3;{c};'z';0.50")];
    place.write("a.csv", format!("id;text;other;n\n{}\n\n{}\n", rows[0], rows[1]));
    place.write("b.csv", format!("id;text;other;n\r\n{}", rows[2]));
    place.write("c.csv", format!("id;text\n4;{}\n", words("air", 40)));
    place.run("dedup a.csv b.csv c.csv -o out").ok();
    assert_eq!(place.text("out/kept.csv"), format!("id;text;other;n\n{}\n{}\n", rows[1], rows[2]));
    assert_eq!(place.text("out/kept-2.csv"), format!("id;text\n4;{}\n", words("air", 40)));
    place.write("a.json", format!("[{{\"id\":1,\n\"text\":\"{a}\"}},{{\"id\" : 2, \"text\":\"{b}\"}}\n]"));
    place.run("dedup a.json -o array").ok();
    assert_eq!(place.text("array/kept.json"), format!("[\n{{\"id\" : 2, \"text\":\"{b}\"}}\n]\n"));
}

#[test]
fn fields_are_found_by_path_in_every_form() {
    let place = Place::new();
    let texts = [words("sea", 40), nearly("sea", 40), words("sky", 40)];
    let object = |(number, text): (usize, &String)| json!({"meta": {"id": format!("m{number}"), "body": {"text": text}}, "text": "x"});
    let objects: Vec<Value> = texts.iter().enumerate().map(object).collect();
    place.write("c.jsonl", joined(&objects.iter().map(Value::to_string).collect::<Vec<_>>()));
    place.write("c.json", Value::from(objects).to_string());
    let inner =
        |name: &str, column: ArrayRef| (Arc::new(Field::new(name, column.data_type().clone(), true)), column);
    let body: ArrayRef = Arc::new(StructArray::from(vec![inner("text", plain(texts.to_vec()))]));
    let ids: ArrayRef = Arc::new(StringArray::from(vec!["m0", "m1", "m2"]));
    let meta: ArrayRef = Arc::new(StructArray::from(vec![inner("id", ids), inner("body", body)]));
    assert!(matches!(meta.data_type(), DataType::Struct(_)));
    let batch = RecordBatch::try_from_iter([("meta", meta), ("text", plain(vec!["x".into(); 3]))]).unwrap();
    place.write("c.parquet", parquet(&batch));
    place.write("c.arrow", arrow_file(&batch, None));
    place.write(
        "c.csv",
        format!("meta.id,meta.body.text\nm0,{}\nm1,{}\nm2,{}\n", texts[0], texts[1], texts[2]),
    );
    for name in ["c.jsonl", "c.json", "c.parquet", "c.arrow", "c.csv"] {
        let fields = "--text-field meta.body.text --id-field meta.id";
        place.run(&format!("dedup {name} -o out --force {fields}")).ok();
        assert_eq!(each(&place.lines("out/removed.jsonl"), "id"), ["m0"], "{name}");
        place.run(&format!("index create i-{name}")).ok();
        let answers = place.run(&format!("index add i-{name} {name} --json {fields}")).ok();
        assert!(answers.out.lines().nth(1).unwrap().contains("near-duplicate"), "{}", answers.out);
    }
    // A field with that name takes precedence over one that the path leads to.
    place.write("literal.jsonl", "{\"m.t\":\"the very words\",\"m\":{\"t\":5},\"id\":1}\n");
    let literal = RecordBatch::try_from_iter([("m.t", plain(vec!["the very words".into()]))]).unwrap();
    place.write("literal.parquet", parquet(&literal));
    place.write("literal.arrow", arrow_file(&literal, None));
    for ending in ["jsonl", "parquet", "arrow"] {
        let run = place.run(&format!("dedup literal.{ending} -o out --force --text-field m.t --json")).ok();
        assert_eq!(run.json()["rejected"], 0, "{ending}");
    }
}

#[test]
fn a_wrong_field_is_told_with_those_that_are_there() {
    let place = Place::new();
    place.write("c.jsonl", "{\"body\":\"some words\",\"title\":\"t\",\"url\":\"u\"}\n");
    place.write("c.csv", "name,Text\na,some words\n");
    place.write("c.arrow", arrow_file(&columns(plain), None));
    for (command, expected) in [
        (
            "dedup c.jsonl -o o",
            "no field `text`; the first document has: body, title, url; did you mean --text-field body?",
        ),
        ("dedup c.csv -o o", "did you mean --text-field Text?"),
        (
            "dedup c.arrow -o o --text-field txt",
            "the first document has: id, score, text; did you mean --text-field text?",
        ),
        ("lexicon build c.jsonl -o l", "did you mean --text-field body?"),
        ("evaluate c.jsonl --cluster-field url", "did you mean --text-field body?"),
    ] {
        let told = place.run(command).error();
        assert!(told.contains(expected), "{told}");
    }
    place.run("index create i").ok();
    assert!(place.run("index add i c.jsonl").error().contains("did you mean --text-field body?"));
}

#[test]
fn what_is_passed_over_is_counted_and_named() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("mixed/deep")).unwrap();
    place.write("mixed/a.jsonl", lines());
    place.write("mixed/letter.pdf", "%PDF-1.4");
    place.write("mixed/deep/notes.txt", "notes");
    let run = place.run("dedup mixed -o out").ok();
    assert!(run.err.contains("2 files (mixed/deep/notes.txt, mixed/letter.pdf)"), "{}", run.err);
    assert_eq!(run.err.lines().count(), 1, "{}", run.err);
    let expected = json!({"files": 2, "first": ["mixed/deep/notes.txt", "mixed/letter.pdf"]});
    assert_eq!(place.json("out/report.json")["passed_over"], expected);
    place.run("index create i").ok();
    for command in ["lexicon build mixed -o l", "index add i mixed"] {
        assert!(place.run(command).ok().err.contains("2 files"), "{command}");
    }
    // A pattern is split: corpora as such, the rest as documents.
    place.write("mixed/letter.txt", words("letter", 30));
    let mut command = place.command("dedup -o parted --json");
    let output = command.arg("mixed/*").output().unwrap();
    assert!(output.status.code() == Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(place.json("parted/report.json")["documents"], 13);
}

#[test]
fn a_run_that_reads_nothing_of_something_is_an_error() {
    let place = Place::new();
    place.write("c.bin", [0u8, 159, 146, 150, 1, 2, 3]);
    place.write("c.jsonl", "PK\u{3}\u{4}rest");
    place.write("v1.feather", "FEA1....");
    let run = place.run("dedup c.bin -o out");
    assert_eq!(run.code, Some(2), "{}", run.err);
    assert!(
        run.err.contains("no document could be read") && !place.path("out/report.json").exists(),
        "{}",
        run.err
    );
    assert!(place.run("dedup c.jsonl -o out").error().contains("is a zip archive"));
    assert!(place.run("dedup v1.feather -o out").error().contains("version 2"));
    place.write("packed.parquet.gz", gzip(&parquet(&columns(plain))));
    assert!(place.run("dedup packed.parquet.gz -o out").error().contains("unpack it first"));
    let told = place.run("dedup /dev/zero -o out").error();
    assert!(told.contains("pipe or a device"), "{told}");
    // An empty input is no error.
    place.write("empty.csv", "id,text\n");
    place.write("empty.json", "[]");
    assert_eq!(place.run("dedup empty.csv empty.json -o none --json").ok().json()["documents"], 0);
}

#[test]
fn bad_rows_are_counted_and_the_rest_is_read() {
    let place = Place::new();
    let rows =
        b"id,text\n1,fine words here\n2,too,many\n3\n4,caf\xe9\n5,fine as well\n6,\"never closed\n7,lost\n";
    place.write("c.csv", rows);
    let report = place.run("dedup c.csv -o out --json").ok().json();
    assert_eq!((&report["documents"], &report["rejected"]), (&json!(2), &json!(4)));
    let rejected = place.lines("out/rejected.jsonl");
    assert_eq!(each(&rejected, "line"), [2, 3, 4, 6]);
    for (line, expected) in
        rejected.iter().zip(["3 fields, the header 2", "1 fields", "not valid UTF-8", "within quotes"])
    {
        assert!(line["reason"].as_str().unwrap().contains(expected), "{line}");
    }
    assert_eq!(place.text("out/kept.csv"), "id,text\n1,fine words here\n5,fine as well\n");
    assert!(place.run("dedup c.csv -o strict --strict").error().contains("line 2: the row has 3 fields"));
    place.write("twice.csv", "text,text\na,b\n");
    assert!(place.run("dedup twice.csv -o out --force").error().contains("`text` twice"));
    place.write(
        "c.json",
        "[{\"text\":\"fine\"}, 5, {\"text\":\"two\nlines\"}, {\"text\":\"fine, too\"}, {\"text\":\"cut",
    );
    let report = place.run("dedup c.json -o array --json").ok().json();
    assert_eq!((&report["documents"], &report["rejected"]), (&json!(2), &json!(3)));
    let long = format!("id,text\n1,{}\n2,short\n", "x".repeat(3 << 20));
    place.write("long.csv.gz", gzip(long.as_bytes()));
    let report = place.run("dedup long.csv.gz -o long --json --max-line 1MiB").ok().json();
    assert_eq!((&report["documents"], &report["rejected"]), (&json!(1), &json!(1)));
}

#[test]
fn a_stream_that_is_cut_is_never_taken_for_a_whole_one() {
    let place = Place::new();
    let stream = arrow_stream(&columns(plain));
    let forms =
        [("jsonl", lines().into_bytes()), ("csv", table(",").into_bytes()), ("arrows", stream.clone())];
    for (ending, pack) in PACKERS {
        for (layout, bytes) in &forms {
            let packed = pack(bytes);
            for cut in [packed.len() / 2, packed.len() - 5, packed.len() - 1] {
                let name = format!("cut.{layout}.{ending}");
                place.write(&name, &packed[..cut]);
                let run = place.run(&format!("dedup {name} -o out --force --json"));
                let all_lost = run.code == Some(2) && run.err.contains("cut");
                assert!(
                    all_lost || run.json()["rejected"] == 1,
                    "{name} cut at {cut}: {}{}",
                    run.err,
                    run.out
                );
            }
        }
    }
    // Also between two batches, where only the end is missing.
    place.write("cut.arrows", &stream[..stream.len() - 8]);
    let report = place.run("dedup cut.arrows -o out --force --json").ok().json();
    assert_eq!((&report["documents"], &report["rejected"]), (&json!(12), &json!(1)));
    let file = arrow_file(&columns(plain), None);
    place.write("cut.arrow", &file[..file.len() - 20]);
    assert!(place.run("dedup cut.arrow -o out --force").error().contains("not a readable Arrow file"));
}

#[test]
fn damaged_columns_are_an_error_or_rejects_and_never_a_panic() {
    let place = Place::new();
    let mut state = 7usize;
    for (name, whole) in
        [("d.arrow", arrow_file(&columns(plain), None)), ("d.arrows", arrow_stream(&columns(plain)))]
    {
        for _ in 0..40 {
            let mut bytes = whole.clone();
            for _ in 0..3 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let place = (state >> 33) % bytes.len();
                bytes[place] = (state >> 20) as u8;
            }
            place.write(name, &bytes);
            let run = place.run(&format!("dedup {name} -o out --force"));
            assert!(matches!(run.code, Some(0 | 2)) && !run.err.contains("panicked"), "{}", run.err);
        }
    }
}

#[test]
fn kept_files_of_several_members_can_be_read_by_others() {
    let place = Place::new();
    place.write("c.jsonl.gz", gzip(lines().as_bytes()));
    place.run("dedup c.jsonl.gz -o out").ok();
    assert_eq!(gunzip(&place.read("out/kept.jsonl.gz")).lines().count(), 9);
}
