//! Plain text in any encoding.

use std::borrow::Cow;

use encoding_rs::Encoding;

use crate::body::Body;
use crate::dispatch::{File, Out};
use crate::document::Extracted;
use crate::reason::Reason;

pub fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let text = decode(file.bytes, None);
    let mut body = Body::default();
    body.lines(&text);
    let (text, marks) = body.finish();
    out.document(Extracted { kind: file.kind, text, marks, ..Extracted::default() })
}

/// Whether the bytes can be text in some encoding.
pub fn seems_text(bytes: &[u8]) -> bool {
    !bytes.contains(&0)
}

/// The text that the bytes are in the encoding they are said to have, if that is one and fits, or in
/// the one they seem to have. Never fails: what cannot be decoded becomes U+FFFD.
pub fn decode<'a>(bytes: &'a [u8], declared: Option<&str>) -> Cow<'a, str> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[mark..]).0;
    }
    if let Ok(text) = simdutf8::basic::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    if let Some(encoding) = declared.and_then(|label| Encoding::for_label(label.trim().as_bytes())) {
        let (text, _, malformed) = encoding.decode(bytes);
        if !malformed {
            return text;
        }
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    detector.guess(None, chardetng::Utf8Detection::Allow).decode(bytes).0
}
