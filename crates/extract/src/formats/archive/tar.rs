//! Tar, as a stream. We use our own code because in general readers a header decides how much memory and
//! time reading takes, by the long names and sparse files that it announces.

use std::io::{self, Read};

use super::{clean_name, is_system_file};
use crate::file::File;
use crate::format::{Format, Sign, Stage};
use crate::formats::names::Names;
use crate::formats::text;
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::reason::Reason;

const BLOCK: usize = 512;

/// Longer names and records are cut.
const LONGEST_NAME: u64 = 64 << 10;

pub const FORMAT: Format = Format {
    kind: Kind::Tar,
    category: Category::Other,
    summary: "Tar archives: every document inside",
    signs: &[
        Sign { stage: Stage::StreamHeader, recognise: |bytes, _| is_tar(bytes).then_some(Kind::Tar) },
        Sign {
            stage: Stage::Directory,
            recognise: |bytes, _| (bytes.get(257..262) == Some(b"ustar")).then_some(Kind::Tar),
        },
    ],
    read: read_tar,
    read_stream: Some(|_, from, _, out| read_stream(from, out)),
};

fn read_tar(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    read_stream(file.bytes, out)
}

/// Whether the bytes begin with a header that has a valid checksum.
pub fn is_tar(bytes: &[u8]) -> bool {
    bytes
        .first_chunk::<BLOCK>()
        .is_some_and(|header| header.iter().any(|byte| *byte != 0) && is_header(header))
}

pub fn read_stream(mut from: impl Read, out: &mut Out<'_>) -> Result<(), Reason> {
    let mut names = Names::default();
    // The content of an extra header about the next member.
    let mut extra = Extra::default();
    while let Some(header) = next_header(&mut from, out)? {
        let size = extra.size.take().or_else(|| number(&header[124..136])).unwrap_or(0);
        match header[156] {
            b'L' => extra.name = Some(meta(&mut from, size, out)?),
            b'x' | b'X' => extra.read(&meta(&mut from, size, out)?),
            kind @ (0 | b'0' | b'7' | b'S') => {
                let extra = std::mem::take(&mut extra);
                let name = extra.name.unwrap_or_else(|| header_name(&header));
                let is_folder = kind == 0 && name.ends_with(b"/");
                let name = clean_name(&text::decode(&name, None));
                if is_folder || is_system_file(&name) {
                    skip(&mut from, size, out)?;
                } else if kind == b'S' || extra.is_sparse {
                    skip_sparse_map(&mut from, &header, out)?;
                    let reason = Reason::Unsupported("a file with holes".to_owned());
                    out.unreadable_member(&names.unique(&name), reason);
                    skip(&mut from, size, out)?;
                } else {
                    read_member(&mut from, size, &names.unique(&name), out)?;
                }
            }
            _ => {
                extra = Extra::default();
                skip(&mut from, size, out)?;
            }
        }
    }
    Ok(())
}

#[derive(Default)]
struct Extra {
    name: Option<Vec<u8>>,
    size: Option<u64>,
    is_sparse: bool,
}

impl Extra {
    /// Records as `27 path=letters/long name\n`.
    fn read(&mut self, records: &[u8]) {
        let mut rest = records;
        while let Some(space) = memchr::memchr(b' ', &rest[..rest.len().min(20)]) {
            let length =
                std::str::from_utf8(&rest[..space]).ok().and_then(|digits| digits.parse::<usize>().ok());
            let Some(record) = length.and_then(|length| rest.get(space + 1..length)) else { break };
            let record = record.strip_suffix(b"\n").unwrap_or(record);
            if let Some(path) = record.strip_prefix(b"path=") {
                self.name = Some(path.to_vec());
            } else if let Some(size) = record.strip_prefix(b"size=") {
                self.size = std::str::from_utf8(size).ok().and_then(|digits| digits.parse().ok());
            } else if record.starts_with(b"GNU.sparse.") {
                self.is_sparse = true;
            }
            rest = &rest[length.unwrap_or(rest.len())..];
        }
    }
}

fn read_member(from: &mut impl Read, size: u64, name: &str, out: &mut Out<'_>) -> Result<(), Reason> {
    if size > out.budget.left() {
        let most = out.budget.limits().output_bytes >> 20;
        out.unreadable_member(name, Reason::Limit(format!("more than {most} MB")));
        return skip(from, size, out);
    }
    let before = out.budget.mark();
    let mut bytes = Vec::with_capacity(size.min(1 << 20) as usize);
    let read = from.take(size).read_to_end(&mut bytes);
    out.budget.hold(bytes.len() as u64)?;
    if size == 0 || !bytes.is_empty() {
        out.member(name, &bytes)?;
    }
    out.budget.release(before);
    read.map_err(|error| failure(out, error))?;
    if (bytes.len() as u64) < size {
        return Err(Reason::damaged("the archive is cut off"));
    }
    skip_exactly(from, padding(size), out)
}

/// The next header; `None` at the end.
fn next_header(from: &mut impl Read, out: &Out<'_>) -> Result<Option<[u8; BLOCK]>, Reason> {
    let mut header = [0; BLOCK];
    loop {
        match from.read_exact(&mut header) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(failure(out, error)),
        }
        // Empty blocks end an archive, but another may be appended.
        if header.iter().any(|byte| *byte != 0) {
            return if is_header(&header) {
                Ok(Some(header))
            } else {
                Err(Reason::damaged("a broken header in the archive"))
            };
        }
    }
}

fn is_header(header: &[u8; BLOCK]) -> bool {
    let sum = |value: fn(u8) -> i64| -> i64 {
        let others = header[..148].iter().chain(&header[156..]);
        others.map(|byte| value(*byte)).sum::<i64>() + 8 * i64::from(b' ')
    };
    // Some old programs used signed bytes.
    number(&header[148..156])
        .and_then(|sum| i64::try_from(sum).ok())
        .is_some_and(|wanted| wanted == sum(i64::from) || wanted == sum(|byte| i64::from(byte as i8)))
}

fn header_name(header: &[u8; BLOCK]) -> Vec<u8> {
    let field =
        |range: std::ops::Range<usize>| header[range].split(|byte| *byte == 0).next().unwrap_or_default();
    let is_posix = header[257..263] == *b"ustar\0";
    match field(345..500) {
        prefix if is_posix && !prefix.is_empty() => [prefix, field(0..100)].join(&b'/'),
        _ => field(0..100).to_vec(),
    }
}

/// A number in octal digits, or binary if it would not fit.
fn number(field: &[u8]) -> Option<u64> {
    if field.first().is_some_and(|byte| byte & 0x80 != 0) {
        let (ignored, low) = field.split_at(field.len().saturating_sub(8));
        let fits = ignored.iter().skip(1).all(|byte| *byte == 0);
        return fits.then(|| low.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)));
    }
    let digits = field.trim_ascii_start();
    let end = digits.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
    u64::from_str_radix(std::str::from_utf8(&digits[..end]).ok()?, 8).ok()
}

/// The content of an extra header, if its values are possible.
fn meta(from: &mut impl Read, size: u64, out: &Out<'_>) -> Result<Vec<u8>, Reason> {
    let mut bytes = Vec::new();
    from.take(size.min(LONGEST_NAME)).read_to_end(&mut bytes).map_err(|error| failure(out, error))?;
    skip_exactly(from, size - size.min(LONGEST_NAME) + padding(size), out)?;
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    bytes.truncate(end);
    Ok(bytes)
}

/// Old sparse files say in blocks after the header where their data belongs.
fn skip_sparse_map(from: &mut impl Read, header: &[u8; BLOCK], out: &Out<'_>) -> Result<(), Reason> {
    let mut more = header[156] == b'S' && header[482] != 0;
    while more {
        let mut block = [0; BLOCK];
        from.read_exact(&mut block).map_err(|error| failure(out, error))?;
        more = block[504] != 0;
    }
    Ok(())
}

fn skip(from: &mut impl Read, size: u64, out: &Out<'_>) -> Result<(), Reason> {
    skip_exactly(from, size.saturating_add(padding(size)), out)
}

fn skip_exactly(from: &mut impl Read, size: u64, out: &Out<'_>) -> Result<(), Reason> {
    io::copy(&mut from.take(size), &mut io::sink()).map(|_| ()).map_err(|error| failure(out, error))
}

fn padding(size: u64) -> u64 {
    size.wrapping_neg() % BLOCK as u64
}

fn failure(out: &Out<'_>, error: io::Error) -> Reason {
    out.budget.check().err().unwrap_or_else(|| Reason::damaged(error))
}
