//! `lexicon build`, `show` and `stability`.

use super::support::{Place, document, gzip, joined};

fn place() -> Place {
    Place::with_corpus(&[
        document(1, "The harvest was good this year"),
        document(2, "the Harvest, THE harvest!"),
        document(3, "nothing of the kind"),
        document(4, "some more words"),
    ])
}

#[test]
fn a_lexicon_is_built_and_shown() {
    let place = place();
    let built = place.run("lexicon build corpus.jsonl -o it.lexicon --json").ok().json();
    assert_eq!((&built["documents"], &built["rejected"]), (&4.into(), &0.into()), "{built}");
    let shown =
        place.run("lexicon show it.lexicon --word harvest --word The --word never --json").ok().json();
    for key in ["documents", "terms", "id", "bytes", "counted"] {
        assert_eq!(shown[key], built[key], "{key}");
    }
    assert_eq!(shown["source"], "corpus.jsonl");
    let words: Vec<_> = shown["words"]
        .as_array()
        .unwrap()
        .iter()
        .map(|word| (&word["word"], &word["df"], &word["rank"]))
        .collect();
    let expected = [("harvest", 2, Some(2)), ("the", 3, Some(1)), ("never", 0, None)];
    for ((word, df, rank), expected) in words.into_iter().zip(expected) {
        assert_eq!(
            (word.as_str(), df.as_i64(), rank.as_i64()),
            (Some(expected.0), Some(expected.1), expected.2)
        );
    }
    assert!((shown["words"][0]["nidf"].as_f64().unwrap() - 0.5).abs() < 1e-9, "ln 2 / ln 4");
    let counted: u64 =
        shown["histogram"].as_array().unwrap().iter().map(|bar| bar["terms"].as_u64().unwrap()).sum();
    assert_eq!(Some(counted), built["terms"].as_u64());
}

#[test]
fn the_same_words_from_stdin_from_gzip_and_in_any_order_are_the_same_lexicon() {
    let place = place();
    place.run("lexicon build corpus.jsonl -o one --source x").ok();
    let text = place.text("corpus.jsonl");
    let mut reversed: Vec<String> = text.lines().map(str::to_owned).collect();
    reversed.reverse();
    place.write("other.jsonl.gz", gzip(joined(&reversed).as_bytes()));
    place.run("lexicon build other.jsonl.gz -o two --source x --threads 1 --memory 64MB").ok();
    place.run_with_input("lexicon build - -o three --source x --quiet", text.as_bytes()).ok();
    assert_eq!(place.read("one"), place.read("two"));
    assert_eq!(place.read("one"), place.read("three"));
    assert_eq!(
        place.names("."),
        ["corpus.jsonl", "one", "other.jsonl.gz", "three", "two"],
        "nothing is left"
    );
}

#[test]
fn counts_made_elsewhere_become_a_lexicon() {
    let place = Place::new();
    place.write("counts.tsv", "#docs\t100\nthe\t99\nDon't\t8\nrare\t1\n");
    place.run("lexicon build --counts counts.tsv -o it.lexicon --min-df 2").ok();
    let shown = place.run("lexicon show it.lexicon --word don --word rare --json").ok().json();
    assert_eq!(
        (&shown["documents"], &shown["terms"], &shown["least_df"]),
        (&100.into(), &3.into(), &2.into())
    );
    assert_eq!((&shown["words"][0]["df"], &shown["words"][1]["df"]), (&8.into(), &0.into()));
    let piped =
        place.run_with_input("lexicon build --counts - -o piped --min-df 2", &place.read("counts.tsv"));
    piped.ok();
    assert_eq!(place.run("lexicon show piped --json").ok().json()["id"], shown["id"]);
}

#[test]
fn english_is_compiled_in_and_windows_select_words() {
    let place = Place::new();
    let shown = place.run("lexicon show --window 0.2:0.8 --json").ok().json();
    assert_eq!(shown["documents"], 73_300);
    let window = &shown["window"];
    assert!(window["terms"].as_u64() > Some(10_000) && window["terms"].as_u64() < shown["terms"].as_u64());
    assert!(window["samples"].as_array().unwrap().len() > 5, "{window}");
    let told = place.run("lexicon show english --window 0.2:0.8 --word the").ok().out;
    for word in ["73,300", "selects", "From common to rare", "rank", shown["id"].as_str().unwrap()] {
        assert!(told.contains(word), "{word}: {told}");
    }
}

#[test]
fn shingles_can_be_counted_instead_of_words() {
    let place = place();
    place.run("lexicon build corpus.jsonl -o it --set features.type=shingles --set features.shingle=2").ok();
    let shown = place.run("lexicon show it").ok().out;
    assert!(shown.contains("shingle = 2") && shown.contains("terms       11\n"), "{shown}");
    let told = place.run("lexicon show it --word the").error();
    assert!(told.contains("does not count words"), "{told}");
}

#[test]
fn bad_lines_are_counted_unless_strict() {
    let place = place();
    let corpus = place.text("corpus.jsonl");
    place.write("bad.jsonl", format!("{corpus}not JSON\n{corpus}"));
    let run = place.run("lexicon build bad.jsonl -o it --json").ok();
    assert_eq!((&run.json()["documents"], &run.json()["rejected"]), (&8.into(), &1.into()));
    assert!(run.err.contains("1 rejected") && run.err.contains("bad.jsonl: line 5"), "{}", run.err);
    let told = place.run("lexicon build bad.jsonl -o never --strict").error();
    assert!(told.contains("bad.jsonl: line 5") && !place.path("never").exists(), "{told}");
}

#[test]
fn mistakes_are_told_in_one_sentence() {
    let place = place();
    place.write("counts.tsv", "the\t5\n");
    for (arguments, told) in [
        ("build none.jsonl -o it", "none.jsonl"),
        ("build corpus.jsonl -o corpus.jsonl", "is no lexicon"),
        ("build corpus.jsonl -o no/such/folder/it", "no/such/folder/it"),
        ("build corpus.jsonl -o it --text-field body", "no field `body`; the first document has: id, text"),
        ("build corpus.jsonl -o it --threads 0", "--threads"),
        ("build corpus.jsonl -o it --memory 1MB", "--memory must be at least"),
        ("build corpus.jsonl -o it --memory much", "--memory"),
        ("build corpus.jsonl -o it --set sign.hashes=5", "features.key=value"),
        ("build corpus.jsonl -o it --set features.type=nothing", "nothing"),
        ("build corpus.jsonl -o it --set features.shingle=0", "features.shingle"),
        ("build --counts counts.tsv -o it", "counts.tsv: line 1"),
        ("build --counts none.tsv -o it", "none.tsv"),
        ("show corpus.jsonl", "corpus.jsonl: this is no lexicon"),
        ("show none.lexicon", "none.lexicon"),
        ("show .", "is a folder"),
        ("show --window 0.8:0.2", "window"),
        ("show --window nonsense", "0.2:0.8"),
        ("show --word …", "no word"),
        ("stability --dropped 1.5", "--dropped"),
        ("stability --dropped nan", "--dropped"),
        ("stability --changes 5..1", "--changes"),
        ("stability --lexicons many", "--lexicons"),
        ("stability --svg no/such/folder/it.svg", "no/such/folder"),
    ] {
        let error = place.run(&format!("lexicon {arguments}")).error();
        assert!(error.contains(told), "{arguments}: {error}");
    }
    assert!(!place.path("it").exists());
}

#[test]
fn a_damaged_lexicon_is_refused() {
    let place = place();
    place.run("lexicon build corpus.jsonl -o it").ok();
    let mut bytes = place.read("it");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    place.write("flipped", &bytes);
    place.write("cut", &bytes[..middle]);
    for name in ["flipped", "cut"] {
        let told = place.run(&format!("lexicon show {name}")).error();
        assert!(told.contains(&format!("{name}: the lexicon is damaged")), "{told}");
    }
}

#[test]
fn stability_has_both_formulas_and_a_judge() {
    let place = Place::new();
    let told = place.run("lexicon stability --changes 1,2 --lexicons 10 --svg it.svg").ok().out;
    // K04 eq. 1 for one and two changes, K08's Table 4, and what eq. 1 makes of it.
    for number in ["0.9818", "0.6843", "2.23", "3,309.92", "932,403,182.29", "9.18", "255.52"] {
        assert!(told.contains(number), "{number}: {told}");
    }
    let drawn = place.text("it.svg");
    assert!(drawn.starts_with("<svg") && drawn.contains("bag-10") && drawn.ends_with("</svg>\n"), "{drawn}");
    let json = place.run("lexicon stability --changes 1..3 --lexicons 0,5 --json").ok().json();
    assert_eq!(json["curve"].as_array().unwrap().len(), 6);
    for judged in json["simulation"].as_array().unwrap() {
        assert!(judged["standard_errors_from_equation_1"].as_f64() < Some(4.0), "{judged}");
        assert!(judged["standard_errors_from_equation_6"].as_f64() > Some(4.0), "{judged}");
    }
}

#[test]
fn help_names_the_options() {
    let place = Place::new();
    assert!(place.run("--help").ok().out.contains("lexicon"));
    for (action, options) in [
        (
            "build",
            "--output --counts --source --text-field --min-df --set --threads --memory --max-line --strict --json \
             --quiet",
        ),
        ("show", "--window --word --json"),
        ("stability", "--dropped --lexicons --changes --trials --seed --svg --json"),
    ] {
        let help = place.run(&format!("lexicon {action} --help")).ok().out;
        for option in options.split_whitespace() {
            assert!(help.contains(option), "{option}: {help}");
        }
    }
}
