//! What the two Outlook formats share: a message is a set of numbered properties.

mod lzfu;

use std::collections::BTreeMap;

use crate::body::Body;
use crate::document::Extracted;
use crate::file::hash_of;
use crate::kind::Kind;
use crate::out::Out;
use crate::reason::Reason;

use super::compound::moment;
use super::names::Names;
use super::{codepage, html, rtf, text};

const MOST_PICTURES: usize = 64;

/// Numbers of properties.
pub mod id {
    pub const SUBJECT: u16 = 0x0037;
    pub const SUBMITTED: u16 = 0x0039;
    pub const SENT_FOR_NAME: u16 = 0x0042;
    pub const SENT_FOR_ADDRESS: u16 = 0x0065;
    pub const HEADERS: u16 = 0x007d;
    pub const RECIPIENT_KIND: u16 = 0x0c15;
    pub const SENDER_NAME: u16 = 0x0c1a;
    pub const SENDER_ADDRESS: u16 = 0x0c1f;
    pub const SHOWN_CC: u16 = 0x0e03;
    pub const SHOWN_TO: u16 = 0x0e04;
    pub const DELIVERED: u16 = 0x0e06;
    pub const BODY: u16 = 0x1000;
    pub const RTF: u16 = 0x1009;
    pub const HTML: u16 = 0x1013;
    pub const MESSAGE_ID: u16 = 0x1035;
    pub const NAME: u16 = 0x3001;
    pub const ADDRESS: u16 = 0x3003;
    pub const CREATED: u16 = 0x3007;
    pub const DATA: u16 = 0x3701;
    pub const SHORT_FILE_NAME: u16 = 0x3704;
    pub const FILE_NAME: u16 = 0x3707;
    pub const MAIL_ADDRESS: u16 = 0x39fe;
    pub const INTERNET_PAGE: u16 = 0x3fde;
    pub const MESSAGE_PAGE: u16 = 0x3ffd;
    pub const SENDER_MAIL: u16 = 0x5d01;
    pub const SENT_FOR_MAIL: u16 = 0x5d02;

    /// Properties that are texts or bytes.
    pub const LONG: [u16; 20] = [
        SUBJECT,
        SENT_FOR_NAME,
        SENT_FOR_ADDRESS,
        HEADERS,
        SENDER_NAME,
        SENDER_ADDRESS,
        SHOWN_CC,
        SHOWN_TO,
        BODY,
        RTF,
        HTML,
        MESSAGE_ID,
        NAME,
        ADDRESS,
        DATA,
        SHORT_FILE_NAME,
        FILE_NAME,
        MAIL_ADDRESS,
        SENDER_MAIL,
        SENT_FOR_MAIL,
    ];
}

#[derive(Clone, Debug)]
pub enum Value {
    /// Text of 16-bit characters.
    Wide(Vec<u8>),
    /// Text in the message's code page.
    Narrow(Vec<u8>),
    Binary(Vec<u8>),
    Number(u32),
    Time(u64),
}

#[derive(Default)]
pub struct Properties {
    values: BTreeMap<u16, Value>,
    /// The code page of one-byte text, if it is known from outside.
    outer_page: Option<u16>,
    /// When it was sent, if that is known from outside the properties; as ISO 8601.
    pub sent: Option<String>,
}

pub struct Message {
    pub kind: Kind,
    pub properties: Properties,
    pub recipients: Vec<Recipient>,
    pub attachments: Vec<Attachment>,
    /// Whether it contains messages that are handed over separately.
    pub encloses: bool,
}

/// A file that came with a message.
pub struct Attachment {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// A recipient of a message.
pub struct Recipient {
    pub is_copy: bool,
    pub shown: String,
}

impl Properties {
    pub fn with_page(page: Option<u16>) -> Self {
        Properties { outer_page: page, ..Properties::default() }
    }

    pub fn set_outer_page(&mut self, page: Option<u16>) {
        self.outer_page = page;
    }

    /// Stores a value; of several the first counts.
    pub fn insert(&mut self, id: u16, value: Value) {
        self.values.entry(id).or_insert(value);
    }

    pub fn number(&self, id: u16) -> Option<u32> {
        match self.values.get(&id)? {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    pub fn bytes(&self, id: u16) -> Option<&[u8]> {
        match self.values.get(&id)? {
            Value::Binary(bytes) | Value::Narrow(bytes) | Value::Wide(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The same, removed from the set.
    pub fn take_bytes(&mut self, id: u16) -> Option<Vec<u8>> {
        match self.values.remove(&id)? {
            Value::Binary(bytes) | Value::Narrow(bytes) | Value::Wide(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// A text without white space at its ends, if it is not empty.
    pub fn text(&self, id: u16) -> Option<String> {
        let text = match self.values.get(&id)? {
            Value::Wide(bytes) => codepage::decode(bytes, 1200),
            Value::Narrow(bytes) | Value::Binary(bytes) => self.narrow(bytes),
            _ => return None,
        };
        let text = text.trim_matches(|character: char| character == '\0' || character.is_whitespace());
        Some(text.to_owned()).filter(|text| !text.is_empty())
    }

    /// The first of these dates that is there.
    pub fn date(&self, ids: &[u16]) -> Option<String> {
        ids.iter().find_map(|id| match self.values.get(id)? {
            Value::Time(steps) => moment(*steps),
            _ => None,
        })
    }

    /// `Jane Doe <jane@example.org>`, as far as it is known.
    pub fn person(&self, name: u16, addresses: &[u16]) -> Option<String> {
        let name = self.text(name);
        // Exchange has addresses of its own, which mean nothing outside.
        let address = addresses.iter().filter_map(|&id| self.text(id)).find(|address| address.contains('@'));
        match (name, address) {
            (Some(name), Some(address)) if name != address => Some(format!("{name} <{address}>")),
            (name, address) => address.or(name),
        }
    }

    /// The code page of one-byte text.
    pub fn page(&self) -> Option<u16> {
        let named = [id::MESSAGE_PAGE, id::INTERNET_PAGE].into_iter().filter_map(|id| self.number(id));
        // Some declare UTF-16, which applies to the wide text only.
        let mut pages =
            named.filter_map(|page| u16::try_from(page).ok()).filter(|&page| page > 0 && page != 1200);
        pages.next().or(self.outer_page)
    }

    fn narrow(&self, bytes: &[u8]) -> String {
        // The declared page is not always the actual one.
        let named = self.page().map(|page| codepage::decode(bytes, page));
        named
            .filter(|text| !text.contains('\u{fffd}'))
            .unwrap_or_else(|| text::decode(bytes, None).into_owned())
    }

    fn html(&self) -> Option<String> {
        match self.values.get(&id::HTML)? {
            Value::Wide(bytes) => Some(codepage::decode(bytes, 1200)),
            Value::Narrow(bytes) | Value::Binary(bytes) => {
                let page = self.number(id::INTERNET_PAGE).and_then(|page| u16::try_from(page).ok());
                let is_utf8 = simdutf8::basic::from_utf8(bytes).is_ok();
                match page.filter(|&page| page > 0 && !is_utf8) {
                    Some(page) => Some(codepage::decode(bytes, page)),
                    None => Some(text::decode(bytes, None).into_owned()),
                }
            }
            _ => None,
        }
    }

    /// A line of the message's transport headers.
    fn header(&self, name: &str) -> Option<String> {
        let headers = self.text(id::HEADERS)?;
        let line = headers.lines().find(|line| {
            line.split_once(':').is_some_and(|(before, _)| before.trim().eq_ignore_ascii_case(name))
        })?;
        Some(line.split_once(':')?.1.trim().to_owned()).filter(|value| !value.is_empty())
    }
}

/// Hands over the message and its attachments. `part` is its place if it is inside another message.
pub fn deliver(message: Message, part: Option<&str>, out: &mut Out<'_>) -> Result<(), Reason> {
    let Message { kind, properties, recipients, attachments, encloses } = message;
    let mut document = content(&properties, out)?;
    document.kind = kind;
    document.title = properties.text(id::SUBJECT);
    document.head_with_title();
    document.date = properties
        .date(&[id::SUBMITTED, id::DELIVERED])
        .or_else(|| properties.sent.clone())
        .or_else(|| properties.date(&[id::CREATED]))
        .or_else(|| properties.header("date").and_then(|date| crate::date::normalise(&date)));
    let from = sender(&properties);
    document.author = from.as_ref().map(|from| from.split('<').next().unwrap_or(from).trim().to_owned());
    let message_id = properties.text(id::MESSAGE_ID).or_else(|| properties.header("message-id"));
    let named = [
        ("from", from),
        ("to", listed(&recipients, false).or_else(|| properties.text(id::SHOWN_TO))),
        ("cc", listed(&recipients, true).or_else(|| properties.text(id::SHOWN_CC))),
        ("message-id", message_id.map(|id| id.trim_matches(['<', '>', ' ']).to_owned())),
    ];
    let clean = |text: String| text.replace(char::is_control, " ");
    document.fields =
        named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), clean(value?)))).collect();
    let (pictures, attachments): (Vec<_>, Vec<_>) =
        attachments.into_iter().partition(|attachment| out.kind_of(&attachment.bytes, "") == Kind::Image);
    let images = pictures.iter().take(MOST_PICTURES).filter_map(|picture| out.picture(&picture.bytes));
    document.images.extend(images);
    document.images.truncate(MOST_PICTURES);
    if let Some(part) = part {
        document.part = Some(part.to_owned());
        document.bytes = document.text.len() as u64;
        document.file_hash =
            hash_of(format!("{:?}{:?}{}", document.title, document.fields, document.text).as_bytes());
    }
    // A message that only carries files is no document; one without any content is reported as empty.
    if !(document.text.is_empty() && document.images.is_empty()) || attachments.is_empty() && !encloses {
        out.document(document)?;
    }
    let mut names = Names::default();
    for attachment in attachments {
        let name = names.unique(&attachment.name);
        let name = part.map_or(name.clone(), |part| format!("{part}/{name}"));
        out.member(&name, &attachment.bytes)?;
    }
    Ok(())
}

/// The name of an attachment.
pub fn file_name(properties: &Properties) -> String {
    let names = [id::FILE_NAME, id::SHORT_FILE_NAME, id::NAME];
    let name = names.into_iter().find_map(|id| properties.text(id));
    name.map_or("attachment".to_owned(), |name| name.replace(['/', '\\'], "_"))
}

/// The text: plain if there is any, otherwise from HTML or RTF.
fn content(properties: &Properties, out: &mut Out<'_>) -> Result<Extracted, Reason> {
    if let Some(plain) = properties.text(id::BODY) {
        let mut body = Body::default();
        body.lines(&plain);
        let (text, marks) = body.finish();
        return Ok(Extracted { text, marks, ..Extracted::default() });
    }
    if let Some(page) = properties.html().filter(|page| !page.trim().is_empty()) {
        return Ok(html::page(&page, false));
    }
    let Some(rtf) = properties.bytes(id::RTF).and_then(lzfu::unpack) else {
        return Ok(Extracted::default());
    };
    out.budget.spend(rtf.len() as u64)?;
    Ok(match rtf::html_within(&rtf) {
        Some(page) => html::page(&page, false),
        None => rtf::document(&rtf, out),
    })
}

fn sender(properties: &Properties) -> Option<String> {
    let person = |name, addresses: &[u16]| properties.person(name, addresses);
    person(id::SENT_FOR_NAME, &[id::SENT_FOR_MAIL, id::SENT_FOR_ADDRESS])
        .filter(|from| from.contains('@'))
        .or_else(|| person(id::SENDER_NAME, &[id::SENDER_MAIL, id::SENDER_ADDRESS]))
        .or_else(|| properties.header("from"))
}

fn listed(recipients: &[Recipient], copies: bool) -> Option<String> {
    let chosen = recipients.iter().filter(|recipient| recipient.is_copy == copies);
    let shown: Vec<&str> = chosen.map(|recipient| recipient.shown.as_str()).collect();
    (!shown.is_empty()).then(|| shown.join(", "))
}
