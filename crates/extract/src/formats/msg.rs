//! Outlook messages: a compound file with a stream for each property.

use crate::dispatch::{File, Out};
use crate::kind::Kind;
use crate::reason::Reason;

use super::compound::{Compound, ROOT, long, short};
use super::mapi::{self, Attachment, Message, Properties, Recipient, Value, id};

const PROPERTIES: &str = "__properties_version1.0";
/// More recipients than this are not listed.
const MOST_RECIPIENTS: usize = 1000;
/// Bytes of budget for each entry that is looked at.
const ENTRY_COST: u64 = 64;

pub fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let compound = Compound::open(file.bytes)?;
    // Messages within the message, which are storages of their own; deeper ones follow later.
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

/// Hands over a message and gives those within it: their storages and names.
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
            let attachment = read_properties(compound, child, 8, page, out)?;
            let name = mapi::file_name(&attachment);
            match (attachment.bytes(id::DATA), compound.find(child, "__substg1.0_3701000D")) {
                (Some(bytes), _) => attachments.push(Attachment { name, bytes: bytes.to_vec() }),
                (None, Some(message)) if compound.find(message, PROPERTIES).is_some() => {
                    enclosed.push((message, name));
                }
                // An object of another program's: there is no file to be read.
                _ => {}
            }
        }
    }
    let message = Message { kind, properties, recipients, attachments, encloses: !enclosed.is_empty() };
    mapi::deliver(message, part, out)?;
    Ok(enclosed)
}

/// The properties of a storage that anyone asks for.
fn read_properties(
    compound: &Compound<'_>,
    storage: usize,
    head: usize,
    page: Option<u16>,
    out: &mut Out<'_>,
) -> Result<Properties, Reason> {
    let mut properties = Properties::with_page(page);
    let children = compound.children(storage);
    // A broken tree may lead to the same entries from everywhere; that is not free.
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
