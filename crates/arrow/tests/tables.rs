//! Rows of tables are what lines of files are.

use std::sync::Arc;

use arrow_array::builder::{LargeStringBuilder, StringBuilder, StringDictionaryBuilder, StringViewBuilder};
use arrow_array::types::Int16Type;
use arrow_array::{ArrayRef, BinaryArray, Int64Array, RecordBatch, StringArray};
use lookalike_arrow::{ResultKind, Rows, Table, TableSource, kernels};
use lookalike_core::registry::Registry;
use lookalike_engine::run::{Evidence, Job, Quiet, compute};
use lookalike_engine::{Pipeline, Recipe};
use proptest::prelude::*;

fn pipeline(method: &str) -> Pipeline {
    let registry = Registry::with_built_ins();
    let recipe = Recipe::for_method(method, &registry).unwrap();
    recipe.build_with(&registry, &lookalike_engine::lexicon::AssetFiles::default()).unwrap()
}

fn table(columns: Vec<(&str, ArrayRef)>, cuts: &[usize]) -> Table {
    let whole = RecordBatch::try_from_iter(columns).unwrap();
    let mut batches = Vec::new();
    let mut start = 0;
    for &rows in cuts.iter().chain([&usize::MAX]) {
        let rows = rows.min(whole.num_rows() - start);
        batches.push(whole.slice(start, rows));
        start += rows;
    }
    Table::new(whole.schema(), batches).unwrap()
}

fn by_table(method: &str, table: &Table) -> Evidence {
    let (pipeline, job) = (pipeline(method), Job::new(Vec::<String>::new(), ""));
    let source = TableSource::new(table, None, &job.fields(&pipeline).0, job.max_line).unwrap();
    compute(&pipeline, &job, &source, &Quiet).unwrap().evidence().unwrap()
}

fn by_file(method: &str, lines: &str) -> Evidence {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("corpus.jsonl");
    std::fs::write(&path, lines).unwrap();
    let (pipeline, job) = (pipeline(method), Job::new([path.to_string_lossy()], ""));
    let source = job.open(&pipeline).unwrap();
    compute(&pipeline, &job, &source, &Quiet).unwrap().evidence().unwrap()
}

/// Without the numbers of rows, which only tables have.
fn plain(lines: &str) -> Vec<serde_json::Value> {
    let without = |line: &str| {
        let mut value: serde_json::Value = serde_json::from_str(line).unwrap();
        let object = value.as_object_mut().unwrap();
        ["row", "keeper_row", "a_row", "b_row", "file"].iter().for_each(|key| drop(object.remove(*key)));
        value
    };
    lines.lines().map(without).collect()
}

/// The same texts in every layout that Arrow has for them.
fn layouts(texts: &[Option<String>]) -> Vec<ArrayRef> {
    let (mut large, mut views) = (LargeStringBuilder::new(), StringViewBuilder::new());
    let mut dictionary = StringDictionaryBuilder::<Int16Type>::new();
    let mut small = StringBuilder::new();
    for text in texts {
        large.append_option(text.as_ref());
        views.append_option(text.as_ref());
        dictionary.append_option(text.as_ref());
        small.append_option(text.as_ref());
    }
    let bytes =
        BinaryArray::from(texts.iter().map(|text| text.as_ref().map(String::as_bytes)).collect::<Vec<_>>());
    vec![
        Arc::new(small.finish()),
        Arc::new(large.finish()),
        Arc::new(views.finish()),
        Arc::new(dictionary.finish()),
        Arc::new(bytes),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn rows_are_what_lines_are(
        texts in prop::collection::vec(
            prop::option::weighted(0.95, prop_oneof![
                prop::collection::vec(prop::sample::select(vec!["a", "b", "é", "東京", "C"]), 0..12).prop_map(|words| words.join(" ")),
                "\\PC{0,40}",
            ]), 1..40),
        cuts in prop::collection::vec(0usize..9, 0..6),
        method in prop::sample::select(vec!["minhash", "simhash", "textprofile", "exact", "cosine"]),
    ) {
        // A run in which nothing can be read is an error by itself.
        prop_assume!(texts.iter().any(Option::is_some));
        let ids: Vec<i64> = (0..texts.len() as i64).map(|number| number * 7).collect();
        let line = |(id, text): (&i64, &Option<String>)| format!("{}\n", serde_json::json!({ "id": id, "text": text }));
        let wanted = by_file(method, &ids.iter().zip(&texts).map(line).collect::<String>());
        for column in layouts(&texts) {
            let ids: ArrayRef = Arc::new(Int64Array::from(ids.clone()));
            let found = by_table(method, &table(vec![("id", ids), ("text", column)], &cuts));
            for kind in ResultKind::ALL {
                prop_assert_eq!(plain(&kind.lines(&found).unwrap()), plain(&kind.lines(&wanted).unwrap()), "{:?}", kind);
            }
        }
    }
}

#[test]
fn tables_of_results_have_what_the_lines_have() {
    let text = "one two three four five six seven eight nine ten";
    let texts = vec![text.to_owned(), format!("{text} eleven"), text.to_uppercase(), "another".to_owned()];
    let ids: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "c", "d"]));
    let column: ArrayRef = Arc::new(StringArray::from(texts));
    let found = by_table("minhash", &table(vec![("id", ids), ("text", column)], &[2]));
    for kind in ResultKind::ALL {
        let lines = kind.lines(&found).unwrap();
        let made = kind.table(&lines, None).unwrap();
        let told = String::from_utf8(Rows::All(made.clone()).to_lines(None).unwrap()).unwrap();
        assert_eq!(made.rows() as usize, lines.lines().count());
        for (told, line) in told.lines().zip(lines.lines()) {
            let (told, line): (serde_json::Value, serde_json::Value) =
                (serde_json::from_str(told).unwrap(), serde_json::from_str(line).unwrap());
            for (key, value) in line.as_object().unwrap() {
                assert_eq!(&told[key], value, "{kind:?}: {key}");
            }
        }
    }
}

#[test]
fn keys_of_documents_are_fixed() {
    let ids: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), Some("ä"), None]));
    let column: ArrayRef = Arc::new(StringArray::from(vec!["one two three four five"; 3]));
    let signed = kernels::sign(
        &pipeline("minhash"),
        &Job::new(Vec::<String>::new(), ""),
        &table(vec![("id", ids), ("text", column)], &[]),
    );
    let lines = String::from_utf8(Rows::All(signed.unwrap()).to_lines(None).unwrap()).unwrap();
    let documents: Vec<serde_json::Value> = lines
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["document"].clone())
        .collect();
    // Engines store them between steps: other values are another format.
    assert_eq!(
        documents,
        [
            serde_json::json!("384103fa75ce99902d9cca5f0ebe3579"),
            serde_json::json!("d74fbfae51a33b566de4974a378dac43"),
            serde_json::Value::Null
        ]
    );
}
