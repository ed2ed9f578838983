//! `extract`: the documents in files, as text and as JSON.

use std::io::pipe;
use std::process::Stdio;

use serde_json::{Value, json};

use super::support::{Place, keys, values};

const PAGE: &str = "<html lang='en'><head><title>Minutes</title><meta name='author' content='A. Writer'></head><body>\
    <article><h1>Minutes</h1><p>All members agreed to the plan of the <a href='https://a.example/x'>board</a>, \
    and the meeting was closed after that by its chair, who thanked everyone for coming.</p></article></body></html>";

#[test]
fn help_names_every_option_and_the_exit_codes() {
    let help = Place::new().run("extract --help").ok().out;
    for word in ["--json", "--recipe", "--set", "FILE", "standard input", "exit code is 0", "extract.ocr"] {
        assert!(help.contains(word), "{word}: {help}");
    }
}

#[test]
fn a_file_is_printed_as_text_and_as_json() {
    let place = Place::new();
    place.write("page.html", PAGE);
    let text = place.run("extract page.html").ok();
    assert!(text.out.starts_with("All members agreed to the plan of the board, and"), "{}", text.out);
    assert_eq!(text.err, "");
    let run = place.run("extract page.html --json").ok();
    let line = run.json();
    assert_eq!(
        keys(&run.out),
        [
            "id",
            "path",
            "part",
            "type",
            "title",
            "author",
            "date",
            "language",
            "fields",
            "links",
            "images",
            "text",
            "words",
            "bytes",
            "file_hash",
            "confidence",
            "weak",
            "reasons"
        ]
    );
    assert_eq!(
        (&line["id"], &line["part"], &line["type"]),
        (&json!("page.html"), &Value::Null, &json!("html"))
    );
    assert_eq!(
        (&line["title"], &line["author"], &line["language"]),
        (&json!("Minutes"), &json!("A. Writer"), &json!("en"))
    );
    assert_eq!(line["links"], json!(["https://a.example/x"]));
    assert_eq!(line["words"], 24);
    assert_eq!((&line["weak"], &line["reasons"]), (&json!(false), &json!([])));
    assert_eq!(line["text"].as_str().unwrap(), text.out.trim_end());
}

#[test]
fn several_documents_have_names_and_what_fails_is_told() {
    let place = Place::new();
    place.write("a.txt", "One document.");
    place.write("b.json", "{\"key\": \"Another one.\"}");
    place.write("c.bin", [0, 1, 2, 3]);
    let run = place.run("extract a.txt b.json c.bin none.txt").ok();
    assert_eq!(run.out, "One document.\n\n==> b.json <==\nAnother one.\n");
    assert_eq!(run.err.lines().count(), 2, "{}", run.err);
    assert!(
        run.err.contains("warning: c.bin: not a document") && run.err.contains("warning: none.txt: "),
        "{}",
        run.err
    );
    let lines = values(&place.run("extract a.txt c.bin --json").ok().out);
    assert_eq!(lines[0]["text"], "One document.");
    assert_eq!(keys(&lines[1].to_string()).len(), 3);
    assert_eq!(lines[1]["path"], "c.bin");
    assert!(lines[1]["reason"].as_str().unwrap().contains("not a document"));
}

#[test]
fn nothing_read_is_an_error_that_says_why() {
    let place = Place::new();
    place.write("page.ps", "%!PS-Adobe-3.0\n(words) show showpage\n");
    let error = place.run("extract page.ps").error();
    assert!(error.contains("page.ps: ") && error.contains("extract.postscript"), "{error}");
    let run = place.run("extract page.ps none --json");
    assert_eq!((run.code, values(&run.out).len()), (Some(2), 2), "{}", run.out);
    assert!(place.run("extract page.ps --set extract.mian=true").error().contains("known: main"));
    assert!(place.run("extract page.ps --set extract.ocr=eyes").error().contains("tesseract"));
}

#[test]
fn standard_input_folders_and_recipes() {
    let place = Place::new();
    assert_eq!(place.run_with_input("extract -", b"From a pipe.").ok().out, "From a pipe.\n");
    let line = place.run_with_input("extract - --json", b"{\"a\": \"words\"}").ok().json();
    assert_eq!((&line["path"], &line["type"], &line["text"]), (&json!("-"), &json!("json"), &json!("words")));
    assert!(place.run_with_input("extract -", b"").error().contains("-: no text"));
    std::fs::create_dir(place.path("folder")).unwrap();
    place.write("folder/a.txt", "One.");
    place.write("folder/b.txt", "Two.");
    assert_eq!(values(&place.run("extract folder --json").ok().out).len(), 2);
    place.write("small.toml", "method = 'minhash'\n[extract]\nfile = '3B'\n");
    assert!(place.run("extract folder/a.txt --recipe small.toml").error().contains("over the limit"));
}

#[test]
fn weak_text_is_shown_and_told() {
    let place = Place::new();
    place.write("cut.json", "{\"a\": \"the first words\", \"b\": \"and th");
    let run = place.run("extract cut.json").ok();
    assert_eq!(run.out, "the first words\n");
    assert!(run.err.contains("warning: cut.json: weak text (0.40): it breaks off"), "{}", run.err);
    let line = place.run("extract cut.json --json").ok().json();
    assert_eq!((&line["confidence"], &line["weak"]), (&json!(0.4), &json!(true)));
    assert_eq!(line["reasons"], json!(["it breaks off within a string"]));
}

#[test]
fn a_closed_pipe_is_success() {
    let place = Place::new();
    place.write("a.txt", "words ".repeat(100_000));
    for arguments in ["extract a.txt a.txt", "extract a.txt --json"] {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        let child = place.command(arguments).stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{arguments}");
    }
}
