//! Gzip and zstd around one file. An archive or a crawl inside is read as a stream, member by
//! member, so that it may be larger than memory; anything else is unpacked whole.

use std::io::{BufRead, BufReader, Cursor, Read};

use flate2::bufread::MultiGzDecoder;
use zstd::stream::read::Decoder;

use super::tar;
use crate::dispatch::{File, Out};
use crate::formats::warc;
use crate::reason::Reason;

/// 128 MB, which is what `zstd --long` uses; a larger window would be memory by the file's say-so.
const WINDOW: u32 = 27;

const CHUNK: usize = 128 << 10;

pub fn read_gzip(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    read_packed(MultiGzDecoder::new(file.bytes), file.name, out)
}

pub fn read_gzip_stream(from: &mut dyn Read, name: &str, out: &mut Out<'_>) -> Result<(), Reason> {
    read_packed(MultiGzDecoder::new(BufReader::with_capacity(CHUNK, from)), name, out)
}

pub fn read_zstd(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    read_zstd_from(file.bytes, file.name, out)
}

pub fn read_zstd_stream(from: &mut dyn Read, name: &str, out: &mut Out<'_>) -> Result<(), Reason> {
    read_zstd_from(BufReader::with_capacity(CHUNK, from), name, out)
}

fn read_zstd_from(from: impl BufRead, name: &str, out: &mut Out<'_>) -> Result<(), Reason> {
    let mut stream = Decoder::with_buffer(from).map_err(Reason::damaged)?;
    stream.window_log_max(WINDOW).map_err(Reason::damaged)?;
    read_packed(stream, name, out)
}

fn read_packed(mut stream: impl Read, name: &str, out: &mut Out<'_>) -> Result<(), Reason> {
    let mut head = Vec::with_capacity(512);
    // An error here comes again when the rest is read.
    let started = stream.by_ref().take(512).read_to_end(&mut head);
    if head.is_empty() {
        return started.map(|_| ()).map_err(Reason::damaged).and(Err(Reason::Empty));
    }
    let is_tar = tar::is_tar(&head);
    let is_warc = head.starts_with(b"WARC/");
    let mut whole = Cursor::new(head).chain(stream);
    if is_tar {
        let metered = out.budget.metered(whole);
        return tar::read_stream(metered, out);
    }
    if is_warc {
        let metered = out.budget.metered(whole);
        return warc::read_stream(metered, out);
    }
    // A file that was cut off is read as far as it goes.
    let (bytes, _) = out.budget.read_what_is_there(&mut whole, 0)?;
    out.unwrapped(unpacked_name(name), &bytes)
}

/// `letter.txt.gz` → `letter.txt`.
fn unpacked_name(name: &str) -> &str {
    let endings = [".gz", ".zst", ".zstd", ".gzip", ".GZ"];
    endings
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .filter(|rest| !rest.is_empty())
        .unwrap_or(name)
}
