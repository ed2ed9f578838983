//! What all targets do: give the bytes to one reader, and look at what comes out. The fuzzer calls it, and so does a test
//! of the readers (`crates/extract/tests/hostile.rs`), for which this file is a module.

use lookalike_extract::Kind::{
    Bzip2, Calendar, Doc, Docx, Encoded, Epub, Gzip, Html, Image, Json, Lz4, Mail, Markdown, Mbox, Msg, Nitf,
    Notebook, Odp, Ods, Odt, Pdf, Ppt, Pptx, Reuters, Rtf, SevenZip, Subtitles, Tar, Text, Tnef, Trec, Warc,
    WordPerfect, Xls, Xlsx, Xml, Xz, Zip, Zstd,
};
use lookalike_extract::{ExtractOutcome, File, Kind, Limits, Options, extract, extract_as};

/// Each target with the kinds of file that its bytes are read as, one after the other. Without any, they are read as what
/// they seem to be.
pub const TARGETS: [(&str, &[Kind]); 24] = [
    ("any", &[]),
    ("archive", &[Zip, SevenZip, Tar, Gzip, Zstd, Xz, Bzip2, Lz4, Encoded]),
    ("doc", &[Doc]),
    ("docx", &[Docx]),
    ("epub", &[Epub]),
    ("html", &[Html]),
    ("image", &[Image]),
    ("json", &[Json, Notebook, Calendar, Subtitles]),
    ("mail", &[Mail]),
    ("markdown", &[Markdown]),
    ("mbox", &[Mbox]),
    ("msg", &[Msg]),
    ("news", &[Nitf, Trec, Reuters]),
    ("opendocument", &[Odt, Odp]),
    ("pdf", &[Pdf]),
    ("ppt", &[Ppt]),
    ("pptx", &[Pptx]),
    ("rtf", &[Rtf]),
    ("sheet", &[Xlsx, Xls, Ods]),
    ("text", &[Text]),
    ("tnef", &[Tnef]),
    ("warc", &[Warc]),
    ("wordperfect", &[WordPerfect]),
    ("xml", &[Xml]),
];

/// The kinds of the target of this name.
pub fn kinds(target: &str) -> Option<&'static [Kind]> {
    TARGETS.iter().find(|(name, _)| *name == target).map(|&(_, kinds)| kinds)
}

/// Reads the bytes as each of these kinds, or as what they seem to be if there are none.
pub fn read(kinds: &[Kind], bytes: &[u8]) {
    if kinds.is_empty() {
        read_as(None, bytes);
    }
    kinds.iter().for_each(|&kind| read_as(Some(kind), bytes));
}

fn read_as(kind: Option<Kind>, bytes: &[u8]) {
    let limits =
        Limits { output_bytes: 8 << 20, total_bytes: 32 << 20, documents: 10_000, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let mut answers = 0;
    let mut judge = |outcome: ExtractOutcome| {
        answers += 1;
        let ExtractOutcome::Document(document) = outcome else { return };
        assert!(!document.text.is_empty() || !document.images.is_empty(), "a document with nothing in it");
        for mark in &document.marks {
            assert!(document.text.get(mark.start..mark.end).is_some_and(|text| !text.is_empty()), "{mark:?}");
        }
        // Whatever came out can be written and compared.
        let _ = document.marked_up();
    };
    match kind {
        Some(kind) => extract_as(&File { bytes, name: "", kind }, &options, &mut judge),
        None => extract(bytes, "", &options, &mut judge),
    }
    assert!(answers > 0, "every file gives a document or a reason");
}
