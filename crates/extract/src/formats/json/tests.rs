use crate::{ExtractOutcome, Extracted, Kind, Options, Reason, extract};

fn outcome(bytes: &[u8]) -> ExtractOutcome {
    let mut outcomes = Vec::new();
    extract(bytes, "", &Options::default(), &mut |outcome| outcomes.push(outcome));
    assert_eq!(outcomes.len(), 1);
    outcomes.remove(0)
}

fn read(json: &str) -> Extracted {
    match outcome(json.as_bytes()) {
        ExtractOutcome::Document(document) => *document,
        other => panic!("{json}: {other:?}"),
    }
}

#[test]
fn strings_are_text_and_syntax_is_not() {
    let found = read(
        r#"{"id": 7, "title": "The\u00a0minutes", "tags": ["one", "two"], "body": "All \"agreed\".\nThen left.",
            "url": "https://a.example/x#y", "nothing": null, "picture": "data:image/png;base64,PACKED"}"#
            .replace("PACKED", &"QUJD".repeat(100))
            .as_str(),
    );
    assert_eq!(found.kind, Kind::Json);
    assert_eq!(
        found.text,
        "The minutes\n\none\n\ntwo\n\nAll \"agreed\".\nThen left.\n\nhttps://a.example/x#y"
    );
    assert_eq!(found.title.as_deref(), Some("The minutes"));
    assert_eq!(found.links.iter().collect::<Vec<_>>(), ["https://a.example/x"]);
    assert_eq!((found.confidence.value(), found.marks.len()), (1.0, 1));
}

#[test]
fn lines_of_values_and_other_encodings() {
    assert_eq!(read("{\"a\":\"one\"}\n{\"a\":\"two\"}\n").text, "one\n\ntwo");
    assert_eq!(read("\u{feff}[\"one\", [\"two\"]]").text, "one\n\ntwo");
    let wide: Vec<u8> = "\u{feff}{\"a\": \"Wörter\"}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(
        matches!(outcome(&wide), ExtractOutcome::Document(found) if found.kind == Kind::Json && found.text == "Wörter")
    );
}

#[test]
fn numbers_are_no_text_and_labels_are_a_weak_one() {
    assert_eq!(
        outcome(b"[1, 2, {\"a\": 3.5}]"),
        ExtractOutcome::Unreadable { part: None, reason: Reason::Empty }
    );
    let points: Vec<String> = (0..200)
        .map(|n| format!("{{\"type\":\"Point\",\"coordinates\":[{}.123456,{}.654321,{n}.5]}}", n, n + 7))
        .collect();
    let map = read(&format!("{{\"type\":\"Collection\",\"list\":[{}]}}", points.join(",")));
    assert!(map.weakness().is_some_and(|why| why.contains("strings are only")), "{:?}", map.confidence);
}

#[test]
fn what_breaks_off_is_read_so_far_and_told() {
    for cut in ["[{\"a\": \"one\"}, {\"b\": \"tw", "{\"a\": \"one\", \"c\": [1, 2"] {
        let found = read(cut);
        assert_eq!((found.kind, found.text.as_str()), (Kind::Json, "one"));
        assert!(found.weakness().is_some_and(|why| why.contains("breaks off")));
    }
    let deep = format!("{}\"core\"{}", "[".repeat(50_000), "]".repeat(50_000));
    assert!(matches!(outcome(deep.as_bytes()), ExtractOutcome::Document(_)));
}

#[test]
fn texts_with_brackets_are_texts() {
    for text in
        ["[1] Smith, A.: Words.", "{ x } is a set", "[Music]", "{\"quoted\" words}", "[", "{\\bf bold} TeX"]
    {
        assert_eq!(Kind::detect(text.as_bytes(), ""), Kind::Text, "{text}");
    }
}

#[test]
fn notebooks_are_read_as_a_person_sees_them() {
    let found = read(
        r##"{"cells": [
            {"cell_type": "markdown", "metadata": {}, "source": ["# Study\n", "Some *prose*."]},
            {"cell_type": "code", "execution_count": 1, "metadata": {}, "source": "print('hello')\nx",
             "outputs": [{"output_type": "stream", "name": "stdout", "text": ["hello\n"]},
                         {"output_type": "execute_result", "data": {"text/plain": ["42"], "text/html": ["<b>42</b>"]}},
                         {"output_type": "error", "ename": "E", "traceback": ["\u001b[0;31mNameError\u001b[0m: x"]}]},
            {"cell_type": "raw", "source": "as it is"}],
         "metadata": {"kernelspec": {"language": "python"}, "authors": [{"name": "A. Writer"}]},
         "nbformat": 4, "nbformat_minor": 5}"##,
    );
    assert_eq!(found.kind, Kind::Notebook);
    assert_eq!(
        found.text,
        "Study\n\nSome prose.\n\nprint('hello')\nx\n\nhello\n\n42\n\nNameError: x\n\nas it is"
    );
    assert_eq!((found.title.as_deref(), found.author.as_deref()), (Some("Study"), Some("A. Writer")));
    assert_eq!(found.fields["code"], "python");
    let old = read(
        r#"{"metadata": {}, "nbformat": 3, "worksheets": [{"cells": [
            {"cell_type": "heading", "level": 1, "source": "Old"},
            {"cell_type": "code", "input": ["a = 1"], "outputs": [{"output_type": "stream", "text": "one"}]}]}]}"#,
    );
    assert_eq!((old.kind, old.text.as_str()), (Kind::Notebook, "Old\n\na = 1\n\none"));
}
