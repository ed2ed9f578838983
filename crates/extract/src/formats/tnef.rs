//! winmail.dat: attributes of a message and its attachments, in the order they were written.

use crate::file::File;
use crate::format::{Format, Sign, Stage};
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::reason::Reason;

use super::compound::{long, short};
use super::mapi::{self, Attachment, Message, Properties, Recipient, Value, id};

/// Attributes, by their number and type.
mod attribute {
    pub const FROM: u32 = 0x0000_8000;
    pub const SUBJECT: u32 = 0x0001_8004;
    pub const DATE_SENT: u32 = 0x0003_8005;
    pub const MESSAGE_ID: u32 = 0x0001_8009;
    pub const BODY: u32 = 0x0002_800c;
    pub const FILE_DATA: u32 = 0x0006_800f;
    pub const FILE_TITLE: u32 = 0x0001_8010;
    pub const FILE_BEGINS: u32 = 0x0006_9002;
    pub const PROPERTIES: u32 = 0x0006_9003;
    pub const RECIPIENTS: u32 = 0x0006_9004;
    pub const FILE_PROPERTIES: u32 = 0x0006_9005;
    pub const CODE_PAGE: u32 = 0x0006_9007;
}

/// Values of one property, and rows of the table of recipients.
const MOST: u32 = 10_000;
/// What comes before an object's bytes: the id of its interface.
const INTERFACE_BYTES: usize = 16;

/// An attachment that is being read.
#[derive(Default)]
struct OpenAttachment {
    title: Vec<u8>,
    data: Vec<u8>,
    properties: Properties,
}

pub const FORMAT: Format = Format {
    kind: Kind::Tnef,
    category: Category::Mail,
    summary: "winmail.dat as Outlook sends it",
    signs: &[Sign {
        stage: Stage::Start,
        recognise: |bytes, _| bytes.starts_with(b"\x78\x9f\x3e\x22").then_some(Kind::Tnef),
    }],
    read,
    read_stream: None,
};

pub fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let mut rest = file.bytes.get(6..).unwrap_or_default();
    let mut page = None;
    let mut sent = None;
    let mut plain: Vec<(u16, &[u8])> = Vec::new();
    let mut properties = Properties::default();
    let mut recipients = Vec::new();
    let mut files: Vec<OpenAttachment> = Vec::new();
    // One byte for the level, four each for number and length, and two after the data for its
    // checksum, which is ignored: a partly readable file is better than none.
    while let (Some(name), Some(length)) = (long(rest, 1), long(rest, 5)) {
        let after = &rest[9..];
        let data = &after[..after.len().min(length as usize)];
        rest = after.get(data.len() + 2..).unwrap_or_default();
        match name {
            attribute::CODE_PAGE => page = long(data, 0).and_then(|page| u16::try_from(page).ok()),
            attribute::SUBJECT => plain.push((id::SUBJECT, data)),
            attribute::MESSAGE_ID => plain.push((id::MESSAGE_ID, data)),
            attribute::BODY => plain.push((id::BODY, data)),
            attribute::FROM => plain.push((id::SENDER_NAME, sender(data))),
            attribute::DATE_SENT => sent = date(data),
            attribute::PROPERTIES => drop(read_properties(data, &mut properties)),
            attribute::RECIPIENTS => recipients = read_recipients(data, page),
            attribute::FILE_BEGINS => files.push(OpenAttachment::default()),
            _ => {
                let Some(file) = files.last_mut() else { continue };
                match name {
                    attribute::FILE_TITLE => file.title = data.to_vec(),
                    attribute::FILE_DATA => file.data = data.to_vec(),
                    attribute::FILE_PROPERTIES => drop(read_properties(data, &mut file.properties)),
                    _ => {}
                }
            }
        }
    }
    properties.set_outer_page(page);
    for (id, data) in plain {
        properties.insert(id, Value::Narrow(data.to_vec()));
    }
    properties.sent = sent;
    let page = properties.page();
    let attachments = files.into_iter().filter_map(|file| finished(file, page)).collect();
    mapi::deliver(
        Message { kind: file.kind, properties, recipients, attachments, encloses: false },
        None,
        out,
    )
}

/// An attachment, if it has any content. Messages within the message are TNEF files themselves.
fn finished(file: OpenAttachment, page: Option<u16>) -> Option<Attachment> {
    let OpenAttachment { title, data, mut properties } = file;
    properties.set_outer_page(page);
    properties.insert(id::SHORT_FILE_NAME, Value::Narrow(title));
    let object = properties.take_bytes(id::DATA);
    let bytes = if data.is_empty() { object.unwrap_or_default() } else { data };
    (!bytes.is_empty()).then(|| Attachment { name: mapi::file_name(&properties), bytes })
}

/// The sender: after four lengths the name and the address, each followed by a zero.
fn sender(data: &[u8]) -> &[u8] {
    let name = data.get(8..).unwrap_or_default();
    &name[..name.iter().position(|&byte| byte == 0).unwrap_or(name.len())]
}

fn date(data: &[u8]) -> Option<String> {
    let part = |at: usize| short(data, 2 * at);
    let (year, month, day, hour, minute, second) =
        (part(0)?, part(1)?, part(2)?, part(3)?, part(4)?, part(5)?);
    crate::date::normalise(&format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"))
}

fn read_recipients(data: &[u8], page: Option<u16>) -> Vec<Recipient> {
    let mut recipients = Vec::new();
    let rows = long(data, 0).unwrap_or(0).min(MOST);
    let mut rest = data.get(4..).unwrap_or_default();
    for _ in 0..rows {
        let mut row = Properties::with_page(page);
        let Some(after) = read_properties(rest, &mut row) else { break };
        rest = after;
        if let Some(shown) = row.person(id::NAME, &[id::MAIL_ADDRESS, id::ADDRESS]) {
            recipients.push(Recipient { is_copy: row.number(id::RECIPIENT_KIND) == Some(2), shown });
        }
    }
    recipients
}

/// Reads a list of properties; returns what follows it, if it has a valid end.
fn read_properties<'a>(data: &'a [u8], into: &mut Properties) -> Option<&'a [u8]> {
    let count = long(data, 0)?;
    let mut rest = data.get(4..)?;
    for _ in 0..count {
        let (kind, id) = (short(rest, 0)?, short(rest, 2)?);
        rest = rest.get(4..)?;
        if id >= 0x8000 {
            rest = skip_name(rest)?;
        }
        let many = kind & 0x1000 != 0;
        let kind = kind & 0x0fff;
        let is_long = matches!(kind, 0x000d | 0x001e | 0x001f | 0x0102);
        let mut values = 1;
        if many || is_long {
            values = long(rest, 0)?;
            rest = rest.get(4..)?;
        }
        for _ in 0..values {
            let (length, stored) = match kind {
                _ if is_long => {
                    let length = long(rest, 0)? as usize;
                    rest = &rest[4..];
                    (length, length.checked_next_multiple_of(4)?)
                }
                2 | 3 | 4 | 0x0a | 0x0b => (4, 4),
                5..=7 | 0x14 | 0x40 => (8, 8),
                0x48 => (16, 16),
                // The length of an unknown type is unknown, too.
                _ => return None,
            };
            let value = &rest[..rest.len().min(length)];
            keep(into, id, kind, value);
            rest = rest.get(stored..)?;
        }
    }
    Some(rest)
}

fn keep(into: &mut Properties, id: u16, kind: u16, value: &[u8]) {
    let time = || Some(u64::from(long(value, 4)?) << 32 | u64::from(long(value, 0)?));
    let value = match kind {
        3 => long(value, 0).map(Value::Number),
        0x40 => time().map(Value::Time),
        _ if !id::LONG.contains(&id) => None,
        0x1e => Some(Value::Narrow(value.to_vec())),
        0x1f => Some(Value::Wide(value.to_vec())),
        0x0d => value.get(INTERFACE_BYTES..).map(|value| Value::Binary(value.to_vec())),
        0x102 => Some(Value::Binary(value.to_vec())),
        _ => None,
    };
    if let Some(value) = value {
        into.insert(id, value);
    }
}

/// A named property has its set before its value, and a number or a text.
fn skip_name(rest: &[u8]) -> Option<&[u8]> {
    let rest = rest.get(16..)?;
    match long(rest, 0)? {
        0 => rest.get(8..),
        _ => rest.get(8 + (long(rest, 4)? as usize).checked_next_multiple_of(4)?..),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::compound::tests::outcomes;
    use crate::{ExtractOutcome, Extracted};

    fn attribute(level: u8, name: u32, data: &[u8]) -> Vec<u8> {
        let mut bytes = vec![level];
        bytes.extend(name.to_le_bytes());
        bytes.extend((data.len() as u32).to_le_bytes());
        bytes.extend(data);
        bytes.extend([0, 0]);
        bytes
    }

    fn property(kind: u16, id: u16, value: &[u8]) -> Vec<u8> {
        let mut bytes = [kind.to_le_bytes(), id.to_le_bytes()].concat();
        bytes.extend(1u32.to_le_bytes());
        bytes.extend((value.len() as u32).to_le_bytes());
        bytes.extend(value);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    fn winmail() -> Vec<u8> {
        // A named property and one with several values come before the text and must be skipped.
        let mut named = [2u16.to_le_bytes(), 0x8000u16.to_le_bytes()].concat();
        named.extend([7; 16]);
        named.extend([1u32.to_le_bytes(), 6u32.to_le_bytes()].concat());
        named.extend(b"K\0e\0y\0\0\0");
        named.extend([0; 4]);
        let mut several = [0x1003u16.to_le_bytes(), 0x6600u16.to_le_bytes()].concat();
        several.extend([2u32, 1, 2].map(u32::to_le_bytes).concat());
        let body = property(0x1e, id::BODY, b"Gr\xfc\xdfe.\0");
        let properties = [3u32.to_le_bytes().to_vec(), named, several, body].concat();
        [
            b"\x78\x9f\x3e\x22\x01\x00".to_vec(),
            attribute(1, attribute::CODE_PAGE, &1252u64.to_le_bytes()),
            attribute(1, attribute::SUBJECT, b"Subject\0"),
            attribute(
                1,
                attribute::DATE_SENT,
                &[2003u16, 6, 17, 15, 23, 0, 2].map(u16::to_le_bytes).concat(),
            ),
            attribute(1, attribute::PROPERTIES, &properties),
            attribute(2, attribute::FILE_BEGINS, &[0; 14]),
            attribute(2, attribute::FILE_TITLE, b"a.txt\0"),
            attribute(2, attribute::FILE_DATA, b"attached words"),
        ]
        .concat()
    }

    #[test]
    fn a_message_with_a_file() {
        let documents: Vec<Extracted> = outcomes(&winmail())
            .into_iter()
            .map(|outcome| match outcome {
                ExtractOutcome::Document(document) => *document,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(documents[0].text, "Grüße.");
        assert_eq!(documents[0].title.as_deref(), Some("Subject"));
        assert_eq!(documents[0].date.as_deref(), Some("2003-06-17T15:23:00"));
        assert_eq!((documents[1].part.as_deref(), &*documents[1].text), (Some("a.txt"), "attached words"));
    }

    #[test]
    fn cut_files_do_no_harm() {
        let bytes = winmail();
        for end in 1..bytes.len() {
            assert!(!outcomes(&bytes[..end]).is_empty());
        }
    }
}
