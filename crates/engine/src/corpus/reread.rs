//! Reading a document again, by its number, in buffers that are reused.

use lookalike_core::document::Document;
use lookalike_core::{Error, Result};
use lookalike_io::record::{Fields, TextBuffer};

use super::catalog::Catalog;

/// Reads documents again, one after another in one buffer.
pub struct Reread<'a> {
    catalog: &'a Catalog,
    fields: &'a Fields,
    line: Vec<u8>,
    text: TextBuffer,
}

impl<'a> Reread<'a> {
    pub(crate) fn new(catalog: &'a Catalog, fields: &'a Fields) -> Self {
        Reread { catalog, fields, line: Vec::new(), text: TextBuffer::default() }
    }

    /// The document of a number.
    pub fn read(&mut self, document: u32) -> Result<Document<'_>> {
        self.catalog.read_line(document, &mut self.line)?;
        let changed = || {
            let (input, line) = self.catalog.place(document).unwrap_or_default();
            let name = &self.catalog.names[input];
            Error::Incompatible(format!("{name}: line {line} changed while it was being read"))
        };
        let line = simdutf8::basic::from_utf8(&self.line).map_err(|_| changed())?;
        let line = line.trim_start_matches('\u{feff}');
        let record = self.fields.parse(line, &mut self.text).map_err(|_| changed())?;
        Ok(record.document)
    }
}
