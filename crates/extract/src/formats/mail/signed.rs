//! Messages that are signed or encrypted as a whole (S/MIME). Signed content is unpacked: it is the
//! message as its author wrote it. Signatures are not verified.

use super::entity::Entity;

pub enum Content {
    /// The entity that was signed.
    Signed(Vec<u8>),
    Encrypted,
    Other,
}

const SIGNED_DATA: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02";
const ENVELOPED_DATA: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x03";
const ENCRYPTED_DATA: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x06";

const OCTETS: u8 = 0x04;
const OBJECT_ID: u8 = 0x06;
const SEQUENCE: u8 = 0x30;
const CONTENT: u8 = 0xa0;
const CONSTRUCTED: u8 = 0x20;

pub fn open(entity: &Entity<'_>) -> Content {
    if !matches!(entity.kind.as_str(), "application/pkcs7-mime" | "application/x-pkcs7-mime") {
        return Content::Other;
    }
    let kind = entity.content.parameter("smime-type").unwrap_or_default().to_ascii_lowercase();
    match open_bytes(&entity.transfer.decode(entity.body)) {
        Content::Other if kind.starts_with("enveloped") => Content::Encrypted,
        content => content,
    }
}

/// The same for a file that is such a message.
pub fn open_bytes(bytes: &[u8]) -> Content {
    match message(bytes) {
        Some((object, _)) if object == ENVELOPED_DATA || object == ENCRYPTED_DATA => Content::Encrypted,
        Some((object, data)) if object == SIGNED_DATA => {
            signed_content(data).map_or(Content::Other, Content::Signed)
        }
        _ => Content::Other,
    }
}

/// The kind of a cryptographic message and its content.
fn message(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (tag, inside, _) = element(bytes)?;
    let (object_tag, object, rest) = element(inside).filter(|_| tag == SEQUENCE)?;
    let (content_tag, content, _) = element(rest).filter(|_| object_tag == OBJECT_ID)?;
    (content_tag == CONTENT).then_some((object, content))
}

/// Reads signed data: version, algorithms, then the content that is signed.
fn signed_content(bytes: &[u8]) -> Option<Vec<u8>> {
    let (_, inside, _) = element(bytes)?;
    let (_, _, after_version) = element(inside)?;
    let (_, _, after_algorithms) = element(after_version)?;
    let (_, holder, _) = element(after_algorithms)?;
    let (_, _, after_kind) = element(holder)?;
    let (tag, content, _) = element(after_kind)?;
    if tag != CONTENT {
        return None;
    }
    let (tag, octets, _) = element(content)?;
    if tag == OCTETS {
        return Some(octets.to_vec());
    }
    // Written as a stream, in pieces.
    let mut whole = Vec::new();
    let mut rest = octets;
    while tag == OCTETS | CONSTRUCTED
        && let Some((OCTETS, piece, after)) = element(rest)
    {
        whole.extend_from_slice(piece);
        rest = after;
    }
    Some(whole).filter(|whole| !whole.is_empty())
}

/// The first element: its tag, its content, the rest. An element of indefinite length gets all the
/// rest as content, which is enough here: nothing after one is needed.
fn element(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = bytes.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        0x80 => (rest.len(), rest),
        _ => {
            let digits = usize::from(first & 0x7f);
            if digits > 8 {
                return None;
            }
            let (digits, rest) = rest.split_at_checked(digits)?;
            let length = digits.iter().fold(0u64, |length, digit| length << 8 | u64::from(*digit));
            (usize::try_from(length).ok()?, rest)
        }
    };
    let (inside, after) = rest.split_at(length.min(rest.len()));
    Some((tag, inside, after))
}
