//! The members of a zip file without a readable directory, found by the header before each member.

use std::io::Read;

use flate2::read::DeflateDecoder;
use memchr::memmem;

use crate::reason::Reason;

const HEADER: &[u8] = b"PK\x03\x04";
/// The most members of any document; the rest is ignored.
const MOST: usize = 10_000;

pub struct Member<'a> {
    pub name: String,
    method: u16,
    encrypted: bool,
    /// From the member's first byte to where the next one can begin.
    data: &'a [u8],
}

impl<'a> Member<'a> {
    pub fn reader(&self) -> Result<Box<dyn Read + 'a>, Reason> {
        match self.method {
            _ if self.encrypted => Err(Reason::Encrypted),
            0 => Ok(Box::new(self.data)),
            8 => Ok(Box::new(DeflateDecoder::new(self.data))),
            other => Err(Reason::Damaged(format!("no directory, and a member packed by method {other}"))),
        }
    }
}

/// Members in their order in the file. Bytes inside compressed data that look like a header give a
/// member with an odd name, which nobody asks for.
pub fn members(bytes: &[u8]) -> Vec<Member<'_>> {
    let mut found = Vec::new();
    let mut after = 0;
    for start in memmem::find_iter(bytes, HEADER) {
        // A stored member may be a zip file itself; its headers do not belong to this file.
        if start < after || found.len() >= MOST {
            continue;
        }
        if let Some((member, end)) = member(bytes, start) {
            after = end;
            found.push(member);
        }
    }
    found
}

/// The member whose header is here, and where it ends according to the header.
fn member(bytes: &[u8], start: usize) -> Option<(Member<'_>, usize)> {
    let header = bytes.get(start..)?;
    let short = |at: usize| Some(u16::from_le_bytes(header.get(at..at + 2)?.try_into().ok()?));
    let (flags, method) = (short(6)?, short(8)?);
    let packed = u32::from_le_bytes(header.get(18..22)?.try_into().ok()?) as usize;
    let name_end = 30 + usize::from(short(26)?);
    let name = String::from_utf8_lossy(header.get(30..name_end)?).into_owned();
    let rest = header.get(name_end + usize::from(short(28)?)..)?;
    let sized = flags & 8 == 0 && packed > 0 && packed != u32::MAX as usize;
    // Deflate marks its own end; a stored member without a size in its header ends before the next
    // one.
    let data = match rest.get(..packed) {
        Some(data) if sized => data,
        _ if method == 0 => rest.get(..memmem::find(rest, b"PK").unwrap_or(rest.len()))?,
        _ => rest,
    };
    let end = if sized { start + (header.len() - rest.len()) + data.len() } else { start + 30 };
    Some((Member { name, method, encrypted: flags & 1 == 1, data }, end))
}
