//! Gzip, zstd, xz, bzip2 and lz4 around one file. An archive or a crawl inside is read as a stream,
//! member by member, so that it may be larger than memory; anything else is decompressed whole.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::{GzDecoder, MultiGzDecoder};
use lz4_flex::frame::FrameDecoder;
use lzma_rust2::XzReader;
use zstd::stream::read::Decoder;

use lookalike_core::warc::{Members, Packing, is_warc};

use super::tar;
use crate::file::File;
use crate::format::{Format, Sign, Stage};
use crate::formats::warc;
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::reason::Reason;

/// 128 MB, the window of `zstd --long`; without a limit the file would decide how much memory is used.
const WINDOW: u32 = 27;
/// The same for xz, in kilobytes, with what its decoder needs besides; `xz -9` asks for 64 MB.
const DICTIONARY_KB: u32 = (128 << 10) + 1024;

const CHUNK: usize = 128 << 10;

pub const GZIP: Format = Format {
    kind: Kind::Gzip,
    category: Category::Other,
    summary: "What is compressed with gzip",
    signs: &[Sign {
        stage: Stage::StreamStart,
        recognise: |bytes, _| bytes.starts_with(b"\x1f\x8b").then_some(Kind::Gzip),
    }],
    read: read_packed_file,
    read_stream: Some(read_packed_stream),
};

pub const ZSTD: Format = Format {
    kind: Kind::Zstd,
    category: Category::Other,
    summary: "What is compressed with zstd",
    signs: &[Sign {
        stage: Stage::StreamStart,
        recognise: |bytes, _| bytes.starts_with(b"\x28\xb5\x2f\xfd").then_some(Kind::Zstd),
    }],
    read: read_packed_file,
    read_stream: Some(read_packed_stream),
};

pub const XZ: Format = Format {
    kind: Kind::Xz,
    category: Category::Other,
    summary: "What is compressed with xz",
    signs: &[Sign {
        stage: Stage::StreamStart,
        recognise: |bytes, _| bytes.starts_with(b"\xfd7zXZ\0").then_some(Kind::Xz),
    }],
    read: read_packed_file,
    read_stream: Some(read_packed_stream),
};

pub const BZIP2: Format = Format {
    kind: Kind::Bzip2,
    category: Category::Other,
    summary: "What is compressed with bzip2",
    signs: &[Sign {
        stage: Stage::StreamStart,
        recognise: |bytes, _| is_bzip2(bytes).then_some(Kind::Bzip2),
    }],
    read: read_packed_file,
    read_stream: Some(read_packed_stream),
};

pub const LZ4: Format = Format {
    kind: Kind::Lz4,
    category: Category::Other,
    summary: "What is compressed with lz4",
    signs: &[Sign {
        stage: Stage::StreamStart,
        recognise: |bytes, _| bytes.starts_with(b"\x04\x22\x4d\x18").then_some(Kind::Lz4),
    }],
    read: read_packed_file,
    read_stream: Some(read_packed_stream),
};

fn read_packed_file(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    read_from(file.kind, file.bytes, file.name, out)
}

fn read_packed_stream(kind: Kind, from: &mut dyn Read, name: &str, out: &mut Out<'_>) -> Result<(), Reason> {
    read_from(kind, BufReader::with_capacity(CHUNK, from), name, out)
}

/// The first block follows, or the end.
fn is_bzip2(bytes: &[u8]) -> bool {
    matches!(
        bytes,
        [b'B', b'Z', b'h', b'1'..=b'9', b'1', b'A', b'Y', b'&', b'S', b'Y', ..]
            | [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, 0x45, 0x38, 0x50, 0x90, ..]
    )
}

/// The members of a crawl, each a record.
struct Gzip;

impl Packing for Gzip {
    type Decoder<R: BufRead> = GzDecoder<R>;

    const BEGINNING: &'static [u8] = b"\x1f\x8b\x08";

    fn open<R: BufRead>(from: R) -> GzDecoder<R> {
        GzDecoder::new(from)
    }

    fn into_inner<R: BufRead>(decoder: GzDecoder<R>) -> R {
        decoder.into_inner()
    }
}

fn read_from(kind: Kind, mut from: impl BufRead, name: &str, out: &mut Out<'_>) -> Result<(), Reason> {
    // An error comes again when the file is read.
    if kind == Kind::Gzip && Gzip::begins_records(from.fill_buf().unwrap_or_default()) {
        return warc::read_members(Members::<_, Gzip>::new(from), out);
    }
    match kind {
        Kind::Gzip => read_packed(MultiGzDecoder::new(from), name, out),
        Kind::Xz => read_packed(XzReader::new_mem_limit(from, true, DICTIONARY_KB), name, out),
        Kind::Bzip2 => read_packed(MultiBzDecoder::new(from), name, out),
        Kind::Lz4 => read_packed(FrameDecoder::new(from), name, out),
        Kind::Zstd => {
            let mut stream = Decoder::with_buffer(from).map_err(Reason::damaged)?;
            stream.window_log_max(WINDOW).map_err(Reason::damaged)?;
            read_packed(stream, name, out)
        }
        other => Err(Reason::Unsupported(format!("{} as a packed file", other.name()))),
    }
}

/// A decoder that is not called again after an error: some would loop for ever.
struct Fused<R> {
    from: R,
    failed: Option<(io::ErrorKind, String)>,
}

impl<R: Read> Read for Fused<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some((kind, why)) = &self.failed {
            return Err(io::Error::new(*kind, why.clone()));
        }
        let read = self.from.read(buffer);
        if let Err(error) = &read
            && error.kind() != io::ErrorKind::Interrupted
        {
            self.failed = Some((error.kind(), error.to_string()));
        }
        read
    }
}

fn read_packed(stream: impl Read, name: &str, out: &mut Out<'_>) -> Result<(), Reason> {
    let mut stream = Fused { from: stream, failed: None };
    let mut head = Vec::with_capacity(512);
    // An error here comes again when the rest is read.
    let started = stream.by_ref().take(512).read_to_end(&mut head);
    if head.is_empty() {
        return started.map(|_| ()).map_err(Reason::damaged).and(Err(Reason::Empty));
    }
    let is_tar = tar::is_tar(&head);
    let is_warc = is_warc(&head);
    let mut whole = Cursor::new(head).chain(stream);
    if is_tar {
        let metered = out.budget.metered(whole);
        return tar::read_stream(metered, out);
    }
    if is_warc {
        let metered = out.budget.metered(whole);
        return warc::read_stream(metered, out);
    }
    // A truncated file is read as far as it goes.
    let (bytes, _) = out.budget.read_what_is_there(&mut whole, 0)?;
    out.unwrapped(unpacked_name(name), &bytes)
}

/// `letter.txt.gz` → `letter.txt`.
fn unpacked_name(name: &str) -> &str {
    const ENDINGS: [&str; 7] = ["gz", "gzip", "zst", "zstd", "xz", "bz2", "lz4"];
    match name.rsplit_once('.') {
        Some((rest, ending))
            if !rest.is_empty() && ENDINGS.iter().any(|e| ending.eq_ignore_ascii_case(e)) =>
        {
            rest
        }
        _ => name,
    }
}
