//! Mistakes: exit 2 and one sentence that says what, where and what to do.

use super::support::{Place, document, joined, words};

fn place() -> Place {
    Place::with_corpus(&[document("a", &words("sea", 30))])
}

fn error(arguments: &str, expected: &[&str]) {
    let place = place();
    let error = place.run(arguments).error();
    for part in expected {
        assert!(error.contains(part), "{arguments}: {error}");
    }
    assert!(!place.path("out").exists(), "{arguments}: a mistake leaves no folder behind");
}

#[test]
fn an_input_that_is_missing_is_named() {
    error("dedup none.jsonl -o out", &["none.jsonl", "No such file"]);
    error("dedup corpus.jsonl none.jsonl -o out", &["none.jsonl"]);
    error("dedup none*.jsonl -o out", &["none*.jsonl"]);
    error("dedup corpus.jsonl --against none.jsonl -o out", &["none.jsonl"]);
}

#[test]
fn the_cause_is_told_once() {
    let told = place().run("dedup none.jsonl -o out").error();
    assert_eq!(told.matches("No such file").count(), 1, "{told}");
}

#[test]
fn a_folder_without_corpora_says_what_a_corpus_is() {
    let place = place();
    std::fs::create_dir(place.path("empty")).unwrap();
    let told = place.run("dedup empty -o out").error();
    assert!(told.contains("empty") && told.contains(".jsonl") && told.contains(".parquet"), "{told}");
}

#[test]
fn an_unknown_method_lists_the_known() {
    error("dedup corpus.jsonl -o out --method minhush", &["minhush", "exact", "minhash"]);
}

#[test]
fn a_threshold_that_is_no_fraction_is_refused() {
    for bad in ["nan", "NaN", "inf", "0", "1.5", "-0.5", "high"] {
        error(&format!("dedup corpus.jsonl -o out --threshold={bad}"), &["threshold", bad]);
    }
}

#[test]
fn a_bad_setting_says_what_is_known() {
    error(
        "dedup corpus.jsonl -o out --set features.shingle",
        &["--set", "features.shingle", "stage.key=value"],
    );
    error("dedup corpus.jsonl -o out --set shingle=3", &["shingle", "stage.key"]);
    error("dedup corpus.jsonl -o out --set shingles.size=3", &["shingles", "features"]);
    error("dedup corpus.jsonl -o out --set features.size=3", &["`size`", "known: ", "shingle"]);
    error("dedup corpus.jsonl -o out --set features.shingle=many", &["features.shingle", "many"]);
    error("dedup corpus.jsonl -o out --set features.type=shingels", &["shingels", "shingles"]);
    error("dedup corpus.jsonl -o out --set decide.measure=jacard", &["jacard", "jaccard"]);
    error("dedup corpus.jsonl -o out --keep tallest", &["tallest", "longest"]);
    error("dedup corpus.jsonl -o out --keep max", &["max:"]);
    error("dedup corpus.jsonl -o out --verify maybe", &["maybe", "exact", "estimate"]);
}

#[test]
fn sizes_and_counts_that_make_no_sense_are_refused() {
    error("dedup corpus.jsonl -o out --threads 0", &["--threads"]);
    error("dedup corpus.jsonl -o out --memory 1MB", &["--memory"]);
    error("dedup corpus.jsonl -o out --memory lots", &["--memory", "lots"]);
    error("dedup corpus.jsonl -o out --max-line 0", &["--max-line"]);
}

#[test]
fn a_recipe_is_named_with_its_mistake() {
    let place = place();
    place.write("typo.toml", "[decide]\ntreshold = 0.7\n");
    place.write("method.toml", "method = 'minhush'\n");
    place.write("broken.toml", "[decide\nthreshold = 0.7\n");
    for (recipe, parts) in [
        ("none.toml", &["none.toml", "No such file"][..]),
        ("typo.toml", &["treshold", "threshold"]),
        ("method.toml", &["method.toml", "minhush", "minhash"]),
        ("broken.toml", &["broken.toml", "TOML"]),
    ] {
        let told = place.run(&format!("dedup corpus.jsonl -o out --recipe {recipe}")).error();
        assert!(parts.iter().all(|part| told.contains(part)), "{recipe}: {told}");
    }
}

#[test]
fn an_earlier_run_is_not_overwritten_unless_forced() {
    let place = place();
    place.run("dedup corpus.jsonl -o out").ok();
    let before = place.text("out/report.json");
    let told = place.run("dedup corpus.jsonl -o out").error();
    assert!(told.contains("out") && told.contains("--force"), "{told}");
    assert_eq!(place.text("out/report.json"), before);
    place.run("dedup corpus.jsonl -o out --force").ok();
}

#[test]
fn force_leaves_nothing_of_the_earlier_run_and_all_that_is_not_ours() {
    let place = place();
    place.write("corpus.jsonl.gz", super::support::gzip(&place.read("corpus.jsonl")));
    place.run("dedup corpus.jsonl.gz -o out").ok();
    place.write("out/notes.txt", "mine");
    place.run("dedup corpus.jsonl -o out --force").ok();
    let names = place.names("out");
    assert!(names.contains(&"notes.txt".to_owned()) && names.contains(&"kept.jsonl".to_owned()), "{names:?}");
    assert!(!names.contains(&"kept.jsonl.gz".to_owned()), "{names:?}");
}

/// Whatever the answer, the documents must still be there.
#[test]
fn force_never_deletes_what_it_is_about_to_read() {
    for arguments in ["out/kept.jsonl -o out --force", "corpus.jsonl --against out -o out --force"] {
        let place = place();
        place.run("dedup corpus.jsonl -o out").ok();
        let before = place.read("out/kept.jsonl");
        let run = place.run(&format!("dedup {arguments}"));
        assert!(place.path("out/kept.jsonl").exists(), "{arguments}: {}", run.err);
        assert_eq!(place.read("out/kept.jsonl"), before, "{arguments}");
    }
}

#[test]
fn results_within_an_input_folder_are_no_input() {
    let place = Place::new();
    std::fs::create_dir(place.path("crawl")).unwrap();
    place.write("crawl/a.jsonl", joined(&[document("a", &words("sea", 30))]));
    let first = place.run("dedup crawl -o crawl/out --json").ok().json();
    let again = place.run("dedup crawl -o crawl/out --force --json").ok().json();
    assert_eq!(again["documents"], first["documents"]);
}

#[test]
fn an_input_that_cannot_be_read_does_not_block_the_folder() {
    let place = place();
    place.write("bad.parquet", "PAR1 and then nothing of the kind");
    place.run("dedup bad.parquet -o out").error();
    place.run("dedup corpus.jsonl -o out").ok();
}

#[test]
fn an_output_that_cannot_be_written_is_named() {
    let place = place();
    place.write("file", "");
    for output in ["file", "file/out"] {
        let told = place.run(&format!("dedup corpus.jsonl -o {output}")).error();
        assert!(told.contains(output), "{told}");
    }
}

#[test]
fn a_damaged_parquet_file_is_named() {
    let place = place();
    place.write("bad.parquet", "PAR1 and then nothing of the kind");
    let told = place.run("dedup bad.parquet -o out").error();
    assert!(told.contains("bad.parquet") && told.contains("Parquet"), "{told}");
}

#[test]
fn an_argument_the_program_does_not_know_exits_2() {
    let place = place();
    for arguments in
        ["dedup corpus.jsonl", "dedup -o out", "dedupe corpus.jsonl -o out", "dedup x -o y --treshold 1"]
    {
        let run = place.run(arguments);
        assert_eq!(run.code, Some(2), "{arguments}");
        assert!(run.err.starts_with("error: "), "{arguments}: {}", run.err);
    }
}
