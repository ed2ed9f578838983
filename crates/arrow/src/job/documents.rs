//! The documents of a batch: rows of columns, or lines of JSON.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use lookalike_core::document::{Document, Id, Value};
use lookalike_core::hash::{self, Digester};
use lookalike_core::{Error, Result};
use lookalike_io::read::too_long;
use lookalike_io::record::{Record, TextBuffer};

use super::Plan;
use crate::kernels::columns::column;
use crate::source::{Parser, TableSource};
use crate::texts::{self, bytes_at};
use crate::values::Table;

/// The column that holds the documents: a struct of the columns of a table, or a line.
pub const ROW: &str = "row";

/// A document of a batch.
pub struct Entry<'a> {
    /// 128 bits of all that is read of it, or of the whole line. Rows that share it cannot be told apart.
    pub key: u128,
    pub id: Id,
    pub document: Document<'a>,
}

/// Takes the place of a row in the batch, and its document or why there is none.
pub type Visit<'a> = dyn FnMut(usize, Result<Entry<'_>, String>) -> Result<()> + 'a;

/// Calls `visit` with each row: the document, or why there is none. Blank lines are nothing.
pub fn for_each(plan: &Plan, batch: &RecordBatch, visit: &mut Visit<'_>) -> Result<()> {
    let rows = column(batch, ROW)?;
    if plan.lines {
        return for_each_line(plan, rows, visit);
    }
    let rows = rows
        .as_struct_opt()
        .ok_or_else(|| Error::Input(format!("column `{ROW}` is {}, not a struct", rows.data_type())))?;
    let rows = RecordBatch::from(rows.clone());
    let table = Table::new(rows.schema(), vec![rows])?;
    let source = TableSource::new(&table, None, &plan.fields, plan.max_line)?;
    let mut parser = Parser::new(&plan.fields);
    let mut first = 0;
    for chunk in source.chunks() {
        source.visit(chunk, &mut parser, &mut |entry| {
            let row = first + entry.line as usize;
            visit(row, entry.record.map(|record| named(record, None)))
        })?;
        first += chunk.rows;
    }
    Ok(())
}

/// Calls `visit` with the place of each row that may be a document, and the key that it has if it is one.
pub fn for_each_key(
    plan: &Plan,
    batch: &RecordBatch,
    visit: &mut dyn FnMut(usize, u128) -> Result<()>,
) -> Result<()> {
    if !plan.lines {
        return for_each(plan, batch, &mut |row, entry| entry.map_or(Ok(()), |entry| visit(row, entry.key)));
    }
    // A line need not be understood for that.
    let lines = column(batch, ROW)?;
    texts::check(lines, ROW)?;
    for row in 0..lines.len() {
        if let Some(line) = bytes_at(lines, row) {
            visit(row, hash::digest_bytes(line))?;
        }
    }
    Ok(())
}

fn for_each_line(plan: &Plan, lines: &ArrayRef, visit: &mut Visit<'_>) -> Result<()> {
    texts::check(lines, ROW)?;
    let mut buffer = TextBuffer::default();
    for row in 0..lines.len() {
        let Some(line) = bytes_at(lines, row) else { continue };
        if line.trim_ascii().is_empty() {
            continue;
        }
        if line.len() as u64 > plan.max_line {
            visit(row, Err(too_long(line.len() as u64, plan.max_line)))?;
            continue;
        }
        match simdutf8::basic::from_utf8(line) {
            Err(_) => visit(row, Err("the line is not valid UTF-8".to_owned()))?,
            Ok(text) => {
                let record = plan.fields.parse(text, &mut buffer);
                visit(row, record.map(|record| named(record, Some(line))))?;
            }
        }
    }
    Ok(())
}

/// A document without an id is named by its content.
fn named<'a>(record: Record<'a>, line: Option<&[u8]>) -> Entry<'a> {
    let Record { id, document } = record;
    let key = match line {
        Some(line) => hash::digest_bytes(line),
        None => key_of(id.as_ref(), &document),
    };
    let id = id.unwrap_or_else(|| Id::from_json(format!("\"#{key:032x}\"")));
    Entry { key, id, document }
}

fn key_of(id: Option<&Id>, document: &Document<'_>) -> u128 {
    let mut digester = Digester::default();
    let mut push = |bytes: &[u8]| {
        let digest = hash::digest_bytes(bytes);
        digester.push(digest as u64);
        digester.push((digest >> 64) as u64);
    };
    push(id.map_or("", |id| id.json()).as_bytes());
    push(document.text.as_bytes());
    for (place, value) in document.fields.iter().enumerate() {
        let Some(value) = value else { continue };
        push(&place.to_le_bytes());
        match value {
            Value::Text(text) => push(text.as_bytes()),
            Value::Number(number) => push(&number.to_le_bytes()),
            Value::Bool(yes) => push(&[u8::from(*yes)]),
            Value::Many(_) => push(format!("{value:?}").as_bytes()),
        }
    }
    digester.finish()
}
