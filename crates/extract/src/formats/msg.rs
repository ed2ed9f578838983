//! Outlook messages: a compound file with a stream for each property.

use crate::file::File;
use crate::format::Format;
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::reason::Reason;

use super::compound::{Compound, ROOT, long, short};
use super::mapi::{self, Attachment, Message, Properties, Recipient, Value, id};

const PROPERTIES: &str = "__properties_version1.0";
/// More recipients than this are not listed.
const MOST_RECIPIENTS: usize = 1000;
/// How much of the budget each visited entry costs.
const ENTRY_COST: u64 = 64;

pub const FORMAT: Format = Format {
    kind: Kind::Msg,
    category: Category::Mail,
    summary: "Outlook messages with their attachments",
    signs: &[],
    read,
    read_stream: None,
};

pub fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let compound = Compound::open(file.bytes)?;
    // Messages within the message are storages of their own; deeper ones follow later.
    let mut waiting = vec![(ROOT, None::<String>, 0)];
    while let Some((storage, part, depth)) = waiting.pop() {
        if depth > out.budget.limits().depth {
            let reason = Reason::Limit(format!("nested deeper than {} messages", depth - 1));
            out.unreadable_member(part.as_deref().unwrap_or_default(), reason);
            continue;
        }
        let enclosed = read_message(&compound, storage, part.as_deref(), file.kind, out)?;
        waiting.extend(enclosed.into_iter().rev().map(|(storage, name)| {
            let part = part.as_ref().map_or(name.clone(), |part| format!("{part}/{name}"));
            (storage, Some(part), depth + 1)
        }));
    }
    Ok(())
}

/// Hands over a message and returns the messages within it: their storages and names.
fn read_message(
    compound: &Compound<'_>,
    storage: usize,
    part: Option<&str>,
    kind: Kind,
    out: &mut Out<'_>,
) -> Result<Vec<(usize, String)>, Reason> {
    // The outermost message has a longer head before its properties.
    let properties = read_properties(compound, storage, if part.is_none() { 32 } else { 24 }, None, out)?;
    let page = properties.page();
    let (mut recipients, mut attachments, mut enclosed) = (Vec::new(), Vec::new(), Vec::new());
    for child in compound.children(storage) {
        let name = compound.name(child);
        if name.starts_with("__recip_version1.0") && recipients.len() < MOST_RECIPIENTS {
            let recipient = read_properties(compound, child, 8, page, out)?;
            if let Some(shown) = recipient.person(id::NAME, &[id::MAIL_ADDRESS, id::ADDRESS]) {
                recipients
                    .push(Recipient { is_copy: recipient.number(id::RECIPIENT_KIND) == Some(2), shown });
            }
        } else if name.starts_with("__attach_version1.0") {
            let mut attachment = read_properties(compound, child, 8, page, out)?;
            let name = mapi::file_name(&attachment);
            match (attachment.take_bytes(id::DATA), compound.find(child, "__substg1.0_3701000D")) {
                (Some(bytes), _) => attachments.push(Attachment { name, bytes }),
                (None, Some(message)) if compound.find(message, PROPERTIES).is_some() => {
                    enclosed.push((message, name));
                }
                // An object of another program: there is no file to read.
                _ => {}
            }
        }
    }
    let message = Message { kind, properties, recipients, attachments, encloses: !enclosed.is_empty() };
    mapi::deliver(message, part, out)?;
    Ok(enclosed)
}

/// The needed properties of a storage.
fn read_properties(
    compound: &Compound<'_>,
    storage: usize,
    head: usize,
    page: Option<u16>,
    out: &mut Out<'_>,
) -> Result<Properties, Reason> {
    let mut properties = Properties::with_page(page);
    let children = compound.children(storage);
    // A broken tree may lead to the same entries again and again, so visiting them costs budget.
    out.budget.spend(children.len() as u64 * ENTRY_COST)?;
    for child in children {
        let name = compound.name(child);
        if name.eq_ignore_ascii_case(PROPERTIES) {
            fixed(&mut properties, compound.stream(child, out.budget)?.get(head..).unwrap_or_default());
        } else if let Some((id, kind)) = number_of(name).filter(|(id, _)| id::LONG.contains(id)) {
            let mut bytes = || compound.stream(child, out.budget);
            match kind {
                0x001e => properties.insert(id, Value::Narrow(bytes()?)),
                0x001f => properties.insert(id, Value::Wide(bytes()?)),
                0x0102 => properties.insert(id, Value::Binary(bytes()?)),
                _ => {}
            }
        }
    }
    Ok(properties)
}

/// Numbers and times stand in one stream, 16 bytes each.
fn fixed(properties: &mut Properties, stream: &[u8]) {
    for entry in stream.chunks_exact(16) {
        let (Some(kind), Some(id), Some(low), Some(high)) =
            (short(entry, 0), short(entry, 2), long(entry, 8), long(entry, 12))
        else {
            continue;
        };
        match kind {
            0x0003 => properties.insert(id, Value::Number(low)),
            0x0040 => properties.insert(id, Value::Time(u64::from(high) << 32 | u64::from(low))),
            _ => {}
        }
    }
}

/// `__substg1.0_0037001F` → the property's number and its type.
fn number_of(name: &str) -> Option<(u16, u16)> {
    let number = name.strip_prefix("__substg1.0_").filter(|number| number.len() == 8)?;
    let number = u32::from_str_radix(number, 16).ok()?;
    Some(((number >> 16) as u16, number as u16))
}

#[cfg(test)]
mod tests {
    use crate::formats::compound::tests::{compound_of, outcomes};
    use crate::{ExtractOutcome, Extracted};

    fn wide(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    /// A stream of fixed properties with one time, and one number.
    fn fixed(head: usize, time: u16, number: (u16, u32)) -> Vec<u8> {
        let mut stream = vec![0; head];
        stream.extend([0x40u16.to_le_bytes(), time.to_le_bytes()].concat());
        stream.extend([0; 4]);
        stream.extend(128_374_848_000_000_000_u64.to_le_bytes());
        stream.extend([0x03u16.to_le_bytes(), number.0.to_le_bytes()].concat());
        stream.extend([0; 4]);
        stream.extend(u64::from(number.1).to_le_bytes());
        stream
    }

    #[test]
    fn a_message_with_a_file_and_a_message() {
        let attached = "/__attach_version1.0_#00000000/__substg1.0_";
        let second = "/__attach_version1.0_#00000001/__substg1.0_3701000D";
        let recipient = "/__recip_version1.0_#00000000/";
        let streams: Vec<(String, Vec<u8>)> = vec![
            ("/__properties_version1.0".into(), fixed(32, 0x0039, (0x3ffd, 1251))),
            ("/__substg1.0_0037001E".into(), b"\xcf\xf0\xe8".to_vec()),
            ("/__substg1.0_1000001E".into(), b"\xc4\xe0.\r\n\r\n\xcd\xe5\xf2.".to_vec()),
            ("/__substg1.0_0C1A001F".into(), wide("Ann")),
            ("/__substg1.0_0C1F001F".into(), wide("ann@a.example")),
            (format!("{recipient}__properties_version1.0"), fixed(8, 0x0039, (0x0c15, 2))),
            (format!("{recipient}__substg1.0_3001001F"), wide("Bob")),
            (format!("{recipient}__substg1.0_39FE001F"), wide("bob@a.example")),
            (format!("{attached}3707001F"), wide("a/b.txt")),
            (format!("{attached}37010102"), b"attached words".to_vec()),
            (format!("{second}/__properties_version1.0"), fixed(24, 0x0039, (0x3ffd, 1252))),
            (format!("{second}/__substg1.0_1000001F"), wide("Within")),
        ];
        let streams: Vec<(&str, &[u8])> = streams.iter().map(|(name, bytes)| (&**name, &**bytes)).collect();
        let documents: Vec<Extracted> = outcomes(&compound_of(&streams))
            .into_iter()
            .map(|outcome| match outcome {
                ExtractOutcome::Document(document) => *document,
                other => panic!("{other:?}"),
            })
            .collect();
        let texts: Vec<(Option<&str>, &str)> =
            documents.iter().map(|document| (document.part.as_deref(), &*document.text)).collect();
        let expected =
            [(None, "Да.\n\nНет."), (Some("a_b.txt"), "attached words"), (Some("attachment"), "Within")];
        assert_eq!(texts, expected);
        assert_eq!(documents[0].title.as_deref(), Some("При"));
        assert_eq!(documents[0].author.as_deref(), Some("Ann"));
        assert_eq!(documents[0].date.as_deref(), Some("2007-10-22T00:00:00Z"));
        assert_eq!(documents[0].fields["from"], "Ann <ann@a.example>");
        assert_eq!(documents[0].fields["cc"], "Bob <bob@a.example>");
        assert_ne!(documents[0].file_hash, documents[2].file_hash);
    }

    #[test]
    fn messages_within_messages_have_an_end() {
        let mut streams = vec![("/__properties_version1.0".to_owned(), vec![0; 32])];
        let mut place = String::new();
        for depth in 0..10 {
            streams.push((format!("{place}/__substg1.0_1000001F"), wide(&format!("level {depth}"))));
            place += "/__attach_version1.0_#00000000/__substg1.0_3701000D";
            streams.push((format!("{place}/__properties_version1.0"), vec![0; 24]));
        }
        let streams: Vec<(&str, &[u8])> = streams.iter().map(|(name, bytes)| (&**name, &**bytes)).collect();
        let outcomes = outcomes(&compound_of(&streams));
        assert_eq!(outcomes.len(), 6);
        assert!(matches!(outcomes.last(), Some(ExtractOutcome::Unreadable { part: Some(_), .. })));
    }
}
