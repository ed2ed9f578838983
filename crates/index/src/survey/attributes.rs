//! Types, sources, times and addresses of documents. They are in the texts, so they are read once and kept in a few bytes
//! each.

use crate::index::Surveyor;
use crate::storage::names::Names as HostNames;
use std::collections::HashMap;

use lookalike_core::cluster::seconds_of;
use lookalike_core::document::Value;
use lookalike_core::{Error, Result};
use lookalike_io::record::{Fields, TextBuffer};

use super::address::Address;

/// Names beyond this number are treated as unknown.
const MOST_NAMES: usize = u16::MAX as usize;
const WANTED: [&str; 6] = ["type", "source", "url", "time", "date", "timestamp"];

/// The attributes read so far; [`Surveyor::read_attributes`] continues.
#[derive(Default)]
pub struct Attributes {
    numbering: u64,
    next: u32,
    documents: Vec<Attribute>,
    types: Names,
    sources: Names,
    hosts: HostNames,
}

/// Names by number; 0 stands for no name and for no time.
#[derive(Clone, Copy, Default)]
struct Attribute {
    kind: u16,
    source: u16,
    time: u32,
    host: u32,
    /// The two halves of a hash: eight bytes in one would be aligned at the cost of four.
    path: [u32; 2],
}

#[derive(Default)]
struct Names {
    names: Vec<String>,
    numbers: HashMap<String, u16>,
}

impl Names {
    fn number(&mut self, name: &str) -> u16 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        if name.is_empty() || self.names.len() + 1 >= MOST_NAMES {
            return 0;
        }
        self.names.push(name.to_owned());
        let number = self.names.len() as u16;
        self.numbers.insert(name.to_owned(), number);
        number
    }

    fn name(&self, number: u16) -> Option<&str> {
        self.names.get(usize::from(number).checked_sub(1)?).map(String::as_str)
    }
}

impl Attributes {
    /// The attributes, if they are by this [numbering](crate::Index::numbering) of documents.
    pub fn of(&self, numbering: u64) -> Option<&Attributes> {
        (self.numbering == numbering).then_some(self)
    }

    /// The next lasting number to read: the attributes of all documents before it are known.
    pub fn next(&self) -> u32 {
        self.next
    }

    /// The type of the document with this lasting number; `None` if it has none or has not been read yet.
    pub fn kind(&self, document: u32) -> Option<&str> {
        self.types.name(self.documents.get(document as usize)?.kind)
    }

    /// The source of the document with this lasting number; `None` if it has none or has not been read yet.
    pub fn source(&self, document: u32) -> Option<&str> {
        self.sources.name(self.documents.get(document as usize)?.source)
    }

    /// Seconds since 1970 that the document names as its time.
    pub fn time(&self, document: u32) -> Option<u32> {
        self.documents.get(document as usize).map(|known| known.time).filter(|&time| time > 0)
    }

    /// The number of the host that the document with this lasting number comes from, and a hash of its path; `None` if
    /// it has no address or has not been read yet.
    pub(super) fn address(&self, document: u32) -> Option<(u32, u64)> {
        let known = self.documents.get(document as usize).filter(|known| known.host > 0)?;
        let [low, high] = known.path.map(u64::from);
        Some((known.host, high << 32 | low))
    }

    /// The name of a host.
    pub(super) fn host_name(&self, host: u32) -> &str {
        self.hosts.get(host).unwrap_or_default()
    }

    fn note(&mut self, number: u32, line: &[u8], fields: &Fields, buffer: &mut TextBuffer) {
        let Ok(line) = simdutf8::basic::from_utf8(line) else { return };
        let Ok(record) = fields.parse(line, buffer) else { return };
        let mut values = record.document.fields.into_iter();
        let mut text = || match values.next().flatten() {
            Some(Value::Text(text)) => text.into_owned(),
            _ => String::new(),
        };
        let (kind, source, url) = (text(), text(), text());
        // Crawls often name a document by its address alone.
        let by_id = || Address::parse(&record.id.as_ref()?.display());
        let address = Address::parse(&url).or_else(by_id);
        let host = address.as_ref().map_or(0, |address| self.hosts.number(&address.host));
        let path = address.map_or(0, |address| address.path);
        let time = values.flatten().next().and_then(|value| match value {
            Value::Number(seconds) => Some(seconds),
            Value::Text(text) => seconds_of(&text),
            Value::Bool(_) | Value::Many(_) => None,
        });
        let (kind, source) = (self.types.number(&kind), self.sources.number(&source));
        let time = time.filter(|seconds| (0.0..f64::from(u32::MAX)).contains(seconds)).unwrap_or(0.0) as u32;
        if self.documents.len() <= number as usize {
            self.documents.resize(number as usize + 1, Attribute::default());
        }
        let path = [path as u32, (path >> 32) as u32];
        self.documents[number as usize] = Attribute { kind, source, time, host, path };
    }
}

impl Surveyor<'_> {
    /// Reads the attributes of documents added since the last call, or of all if they have other numbers now.
    /// Documents are read in the order of their numbers; `stop` ends the reading early.
    pub fn read_attributes(&self, attributes: &mut Attributes, stop: &dyn Fn() -> bool) -> Result<()> {
        let numbering = self.index.numbering();
        if attributes.numbering != numbering {
            *attributes = Attributes { numbering, ..Attributes::default() };
        }
        let fields = Fields {
            id: "id".to_owned(),
            text: "text".to_owned(),
            wanted: WANTED.map(str::to_owned).to_vec(),
        };
        let mut buffer = TextBuffer::default();
        let mut at = attributes.next;
        let end = self.index.reader().documents_from(attributes.next, &mut |number, line| {
            attributes.note(number, line, &fields, &mut buffer);
            at = number + 1;
            if stop() { Err(Error::input("stopped")) } else { Ok(()) }
        });
        attributes.next = match end {
            Ok(end) => end,
            Err(_) if stop() => at,
            Err(error) => return Err(error),
        };
        Ok(())
    }
}
