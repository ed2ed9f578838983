//! From a file's bytes to its documents: finds the format in the table and calls its reader.

use std::io::{self, Read};

use crate::budget::Budget;
use crate::file::File;
use crate::kind::Kind;
use crate::out::{ExtractOutcome, Out, Readers};
use crate::reason::Reason;
use crate::table::{self, row};
use lookalike_core::reading::Options;

/// This much of a file shows whether it can be read as a stream.
const HEAD: u64 = 512;

const READERS: Readers = Readers { detect: Kind::detect, read: |file, out| (row(file.kind).read)(file, out) };

/// Reads a file. Calls `sink` at least once: with each document, or with the reason why there is none.
pub fn extract(bytes: &[u8], name: &str, options: &Options, sink: &mut dyn FnMut(ExtractOutcome)) {
    let file = File { bytes, name, kind: Kind::detect(bytes, name) };
    extract_as(&file, options, sink);
}

/// Reads a file whose kind is known already.
pub fn extract_as(file: &File<'_>, options: &Options, sink: &mut dyn FnMut(ExtractOutcome)) {
    let mut budget = Budget::new(&options.limits, file.bytes.len() as u64);
    Out::new(READERS, options, &mut budget, sink).file(file);
}

/// Reads a file of this length as a stream. Crawls and archives, compressed or not, are read member
/// by member and may be larger than memory; anything else is read whole first.
pub fn extract_stream(
    mut from: impl Read,
    length: u64,
    name: &str,
    options: &Options,
    sink: &mut dyn FnMut(ExtractOutcome),
) {
    let mut head = Vec::with_capacity(HEAD as usize);
    let mut outcome = from.by_ref().take(HEAD).read_to_end(&mut head).map(|_| ());
    if let Some((kind, read_stream)) = table::stream_of(&head) {
        let mut budget = Budget::new(&options.limits, length);
        let mut whole = io::Cursor::new(head).chain(from);
        Out::new(READERS, options, &mut budget, sink)
            .stream(length, |out| read_stream(kind, &mut whole, name, out));
        return;
    }
    let most = options.limits.file_bytes;
    if length > most {
        let reason = Reason::Limit(format!("the file has more than {} MB", most >> 20));
        return sink(ExtractOutcome::Unreadable { part: None, reason });
    }
    let mut bytes = head;
    if outcome.is_ok() {
        bytes.reserve_exact(usize::try_from(length).unwrap_or(0).saturating_sub(bytes.len()));
        outcome = from.take(most).read_to_end(&mut bytes).map(|_| ());
    }
    match outcome {
        Ok(()) => extract(&bytes, name, options, sink),
        Err(error) => sink(ExtractOutcome::Unreadable { part: None, reason: Reason::Io(error.to_string()) }),
    }
}
