//! What all targets do: give the bytes to one reader, and look at what comes out.

use lookalike_extract::{ExtractOutcome, File, Kind, Limits, Options, extract, extract_as};

/// Makes the `main` of a target.
#[macro_export]
macro_rules! target {
    ($($kind:ident)|+) => {
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
            $($crate::read(Some(lookalike_extract::Kind::$kind), bytes);)+
        });
    };
    () => {
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| $crate::read(None, bytes));
    };
}

/// Reads the bytes as this kind, or as what they seem to be.
pub fn read(kind: Option<Kind>, bytes: &[u8]) {
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
