//! Reading a document again, by its number.

use lookalike_core::document::Document;
use lookalike_core::{Error, Result};
use lookalike_io::record::Fields;

use super::CorpusNumber;
use super::catalog::Catalog;
use super::source::{DocumentReader, Source};

/// Reads documents again, one after another in one buffer.
pub struct Reread<'a> {
    catalog: &'a Catalog,
    reader: Box<dyn DocumentReader + 'a>,
}

impl<'a> Reread<'a> {
    pub(crate) fn new(catalog: &'a Catalog, source: &'a dyn Source, fields: &'a Fields) -> Self {
        Reread { catalog, reader: source.reader(fields) }
    }

    /// The document of a number.
    pub fn read(&mut self, document: CorpusNumber) -> Result<Document<'_>> {
        let span = self.catalog.span(document)?;
        self.reader.read(&span)?.ok_or_else(|| {
            let (input, line) = self.catalog.place(document).unwrap_or_default();
            let name = &self.catalog.names[input];
            Error::Incompatible(format!("{name}: line {line} changed while it was being read"))
        })
    }
}
