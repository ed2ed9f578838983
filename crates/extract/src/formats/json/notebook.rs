//! Jupyter notebooks: prose, code and what the code printed, in their order.

use serde_json::Value;

use crate::body::Body;
use crate::document::{Extracted, Tag};
use crate::formats::{mail::transfer, markdown};
use crate::kind::Kind;
use crate::out::Out;

/// How many images of one notebook are decoded.
const MOST_IMAGES: usize = 64;
/// Where the keys that identify a notebook are: at its beginning or, after all cells, at its end.
const EDGE: usize = 64 << 10;

/// Whether the bytes, which are JSON, are a notebook.
pub fn is_notebook(bytes: &[u8]) -> bool {
    let has = |needle: &[u8]| {
        let (first, last) = (&bytes[..bytes.len().min(EDGE)], &bytes[bytes.len().saturating_sub(EDGE)..]);
        memchr::memmem::find(first, needle).or_else(|| memchr::memmem::find(last, needle)).is_some()
    };
    bytes.starts_with(b"{") && has(b"\"cells\"") && has(b"\"cell_type\"") && has(b"\"nbformat\"")
}

/// Reads the notebook; `None` if it cannot be parsed.
pub fn notebook(text: &str, out: &Out<'_>) -> Option<Extracted> {
    let whole: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    let mut reader = Reader { body: Body::default(), document: Extracted::default(), out };
    reader.document.kind = Kind::Notebook;
    for cell in cells(&whole) {
        reader.cell(cell);
    }
    let Reader { body, mut document, .. } = reader;
    (document.text, document.marks) = body.finish();
    let about = &whole["metadata"];
    if let Some(title) = about["title"].as_str().filter(|title| !title.trim().is_empty()) {
        document.title = Some(title.trim().to_owned());
    }
    let authors: Vec<&str> = list(&about["authors"]).filter_map(|author| author["name"].as_str()).collect();
    document.author = Some(authors.join(", ")).filter(|authors| !authors.is_empty());
    let language = about["language_info"]["name"].as_str().or(about["kernelspec"]["language"].as_str());
    document.fields.extend(language.map(|language| ("code".to_owned(), language.to_owned())));
    Some(document)
}

/// The cells; before version 4 they were on worksheets.
fn cells(whole: &Value) -> impl Iterator<Item = &Value> {
    list(&whole["cells"]).chain(list(&whole["worksheets"]).flat_map(|sheet| list(&sheet["cells"])))
}

struct Reader<'a, 'b> {
    body: Body,
    document: Extracted,
    out: &'a Out<'b>,
}

impl Reader<'_, '_> {
    fn cell(&mut self, cell: &Value) {
        let source = joined(&cell["source"]);
        self.body.block();
        match cell["cell_type"].as_str() {
            Some("markdown") => {
                let prose = markdown::markdown(&source);
                self.body.append(&prose);
                self.document.links.extend(prose.links);
                if self.document.title.is_none() {
                    self.document.title = prose.title;
                }
            }
            Some("heading") => {
                self.body.open(Tag::Heading);
                self.body.push(&source);
                self.body.close(Tag::Heading);
            }
            Some("code") => {
                self.body.lines(&source);
                self.body.lines(&joined(&cell["input"]));
                for output in list(&cell["outputs"]) {
                    self.output(output);
                }
            }
            _ => self.body.lines(&source),
        }
        self.body.block();
    }

    fn output(&mut self, output: &Value) {
        self.body.block();
        // Since version 4 the forms of a result are in one object, before they were in the output
        // itself.
        let forms = if output["data"].is_object() { &output["data"] } else { output };
        let text = [&output["text"], &forms["text/plain"], &forms["text/markdown"]];
        if let Some(text) = text.into_iter().map(joined).find(|text| !text.is_empty()) {
            self.body.lines(&without_escapes(&text));
        }
        for line in list(&output["traceback"]).filter_map(Value::as_str) {
            self.body.lines(&without_escapes(line));
        }
        for form in ["image/png", "image/jpeg", "png", "jpeg"] {
            let packed = joined(&forms[form]);
            if !packed.is_empty() && self.document.images.len() < MOST_IMAGES {
                let picture = self.out.picture(&transfer::base64(packed.as_bytes()));
                self.document.images.extend(picture);
            }
        }
    }
}

/// A text is one string or a list of its lines.
fn joined(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The text without terminal colours: escape, bracket, numbers, a letter.
fn without_escapes(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\u{1b}[") {
        clean.push_str(&rest[..at]);
        let code = &rest[at + 2..];
        let end = code.find(|sign: char| sign.is_ascii_alphabetic()).map_or(code.len(), |end| end + 1);
        rest = &code[end..];
    }
    clean.push_str(rest);
    clean
}
