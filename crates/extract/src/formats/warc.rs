//! Web archives (WARC 1.0 and 1.1): each page that was fetched is a document.
//!
//! Read as a stream, record by record, since crawls are large; a record is read whole. Wrong lengths
//! are corrected by searching for the next record.

mod http;
mod records;

use std::io::Read;

use lookalike_core::warc::{Members, Packing, is_warc};

use super::names::Names;
use super::{html, text};
use crate::body::Body;
use crate::date;
use crate::document::Extracted;
use crate::file::File;
use crate::format::{Format, Sign, Stage};
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::reason::Reason;

use records::{Record, Records};

pub const FORMAT: Format = Format {
    kind: Kind::Warc,
    category: Category::Other,
    summary: "Web archives: each page fetched with success",
    signs: &[Sign { stage: Stage::StreamStart, recognise: |bytes, _| is_warc(bytes).then_some(Kind::Warc) }],
    read,
    read_stream: Some(|_, from, _, out| read_stream(from, out)),
};

pub fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    read_stream(file.bytes, out)
}

/// Reads a crawl that comes from a decompressor or from memory. It ends with the first damage.
pub fn read_stream(from: impl Read, out: &mut Out<'_>) -> Result<(), Reason> {
    read_records(from, false, out)
}

/// Reads a crawl with a compressed member for each record. Of a damaged one nothing is used; what follows it is read.
pub fn read_members<P: Packing>(members: Members<impl Read, P>, out: &mut Out<'_>) -> Result<(), Reason> {
    let metered = out.budget.metered(members);
    read_records(metered, true, out)
}

fn read_records(from: impl Read, goes_on: bool, out: &mut Out<'_>) -> Result<(), Reason> {
    let mut records = Records::new(from, out.budget.left() as usize);
    let mut names = Names::default();
    loop {
        let record = match records.next() {
            Ok(Some(record)) => record,
            Ok(None) => return Ok(()),
            Err(error) => {
                out.budget.check()?;
                if !goes_on {
                    return Err(Reason::damaged(error));
                }
                out.unreadable_member(&names.unique("record"), Reason::damaged(error));
                continue;
            }
        };
        if !matches!(record.kind().as_str(), "response" | "resource" | "conversion") {
            continue;
        }
        let before = out.budget.mark();
        out.budget.hold(record.body.len() as u64)?;
        let outcome = read_record(&record, &mut names, out);
        out.budget.release(before);
        if let Err((name, reason)) = outcome {
            out.budget.check()?;
            out.unreadable_member(&name, reason);
        }
    }
}

/// Unreadable records are reported with the reason.
fn read_record(record: &Record<'_>, names: &mut Names, out: &mut Out<'_>) -> Result<(), (String, Reason)> {
    let address = record.field("warc-target-uri").map(|address| address.trim_matches(['<', '>']).to_owned());
    let mut name = || {
        // A page that was fetched repeatedly is distinguished by the name of its record.
        let unique = names.unique(address.as_deref().unwrap_or("record"));
        let id = record.field("warc-record-id").map(|id| id.trim_matches(['<', '>']).to_owned());
        if address.as_deref() == Some(&unique) { unique } else { id.unwrap_or(unique) }
    };
    let is_http = record.kind() == "response" && record.body.starts_with(b"HTTP/");
    let fetched = if is_http {
        match http::open(record.body, out.budget) {
            Ok(Some(fetched)) => fetched,
            Ok(None) => return Ok(()),
            Err(reason) => return Err((name(), reason)),
        }
    } else {
        http::Fetched::plain(record.body, record.field("content-type"))
    };
    if fetched.body.is_empty() || is_page_resource(&fetched.kind) {
        return Ok(());
    }
    let name = name();
    let describe = |document: &mut Extracted| {
        document.fields.extend(address.clone().map(|address| ("url".to_owned(), address)));
        let date = record.field("warc-date").and_then(|date| date::normalise(&date));
        document.date = date.or(document.date.take());
    };
    let said_html = fetched.kind.contains("html");
    let found = out.kind_of(&fetched.body, "");
    let charset = fetched.charset.as_deref();
    let mut document = match found {
        Kind::Text | Kind::Html | Kind::Xml | Kind::Mail if said_html => {
            html::page(&html::decoded(&fetched.body, charset), out.options.main)
        }
        Kind::Html => html::page(&html::decoded(&fetched.body, charset), out.options.main),
        Kind::Text => {
            let mut body = Body::default();
            body.lines(&text::decode(&fetched.body, charset));
            let (text, marks) = body.finish();
            Extracted { kind: Kind::Text, text, marks, ..Extracted::default() }
        }
        _ => {
            return out.member_described(&name, &fetched.body, &describe).map_err(|reason| (name, reason));
        }
    };
    describe(&mut document);
    document.part = Some(name.clone());
    document.bytes = fetched.body.len() as u64;
    document.file_hash = crate::file::hash_of(&fetched.body);
    out.document(document).map_err(|reason| (name, reason))
}

/// Resources that a page loads and nobody reads: scripts, styles, fonts, data.
fn is_page_resource(kind: &str) -> bool {
    let of_pages = ["javascript", "ecmascript", "text/css", "json", "font", "wasm", "audio/", "video/"];
    of_pages.iter().any(|word| kind.contains(word)) || kind == "text/dns"
}

#[cfg(test)]
mod tests;
