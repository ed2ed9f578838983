//! Rows that are made when somebody asks for them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{BooleanArray, RecordBatch};
use arrow_json::writer::{LineDelimited, WriterBuilder};
use arrow_schema::{Schema, SchemaRef};
use arrow_select::filter::filter_record_batch;
use lookalike_core::{Error, Result};
use lookalike_io::read::{ColumnFile, RowWriter};

use crate::lines::FileLines;
use crate::values::{Table, arrow_error};

/// A table in memory, some rows of one, or files.
#[derive(Clone)]
pub enum Rows {
    /// All rows of a table.
    All(Table),
    /// The rows of a table for which the mask is true; those after its end are none of them.
    Some(Table, Arc<[bool]>),
    /// The rows of columnar files that have the same columns.
    Columns(SchemaRef, Arc<[PathBuf]>),
    /// The rows of files of any format.
    Lines(Arc<FileLines>),
}

/// How many documents an index is given at a time.
const ROWS_AT_ONCE: usize = 1000;

/// Some lines of JSON after others.
pub type Lines = Box<dyn Iterator<Item = Result<Vec<u8>>> + Send>;

/// Batch after batch.
pub type Batches = Box<dyn Iterator<Item = Result<RecordBatch>> + Send>;

impl Rows {
    /// The rows of files.
    pub fn of_files(files: &[PathBuf]) -> Result<Rows> {
        let columns: Result<Option<Vec<SchemaRef>>> =
            files.iter().map(|path| Ok(ColumnFile::open(path)?.map(|file| file.schema()))).collect();
        if let Some(schemas) = columns?
            && let Some(first) = schemas.first()
            && schemas.iter().all(|schema| schema.fields() == first.fields())
        {
            return Ok(Rows::Columns(first.clone(), files.into()));
        }
        Ok(Rows::Lines(Arc::new(FileLines::open(files)?)))
    }

    /// Names and types of the columns.
    pub fn schema(&self) -> &SchemaRef {
        match self {
            Rows::All(table) | Rows::Some(table, _) => table.schema(),
            Rows::Columns(schema, _) => schema,
            Rows::Lines(lines) => lines.schema(),
        }
    }

    /// How many there are, if that is known without reading them.
    pub fn count(&self) -> Option<u64> {
        match self {
            Rows::All(table) => Some(table.rows()),
            Rows::Some(_, mask) => Some(mask.iter().filter(|&&kept| kept).count() as u64),
            Rows::Columns(..) | Rows::Lines(_) => None,
        }
    }

    /// The rows from the beginning.
    pub fn batches(&self) -> Result<Batches> {
        Ok(match self {
            Rows::All(table) => Box::new(table.batches().to_vec().into_iter().map(Ok)),
            Rows::Some(table, mask) => Box::new(filtered(table, mask)),
            Rows::Columns(_, files) => {
                let files = files.to_vec();
                Box::new(files.into_iter().flat_map(|path| rows_of(&path)))
            }
            Rows::Lines(lines) => Box::new(lines.batches()?),
        })
    }

    /// All rows in memory.
    pub fn load(&self) -> Result<Table> {
        match self {
            Rows::All(table) => Ok(table.clone()),
            other => Table::new(other.schema().clone(), other.batches()?.collect::<Result<Vec<_>>>()?),
        }
    }

    /// The rows as documents for an index: lines of JSON, some at a time. The columns of id and text are called so
    /// whatever they are called in the table.
    pub fn documents(&self, id: &str, text: &str) -> Result<Lines> {
        let schema = self.schema();
        if schema.index_of(text).is_err() {
            let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
            return Err(Error::Input(format!(
                "the table has no column `{text}`; it has {}",
                names.join(", ")
            )));
        }
        let renamed = |name: &str| match name {
            _ if name == id => "id".to_owned(),
            _ if name == text => "text".to_owned(),
            // Another column of that name would be taken for it.
            "id" | "text" => format!("{name}_"),
            _ => name.to_owned(),
        };
        let fields =
            schema.fields().iter().map(|field| field.as_ref().clone().with_name(renamed(field.name())));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let pieces = self.batches()?.flat_map(move |batch| {
            let batch = batch.and_then(|batch| {
                RecordBatch::try_new(schema.clone(), batch.columns().to_vec()).map_err(arrow_error)
            });
            let (batch, failure) = match batch {
                Ok(batch) => (Some(batch), None),
                Err(error) => (None, Some(Err(error))),
            };
            batch.into_iter().flat_map(pieces_of).map(|piece| Ok(lines_of(&piece))).chain(failure)
        });
        Ok(Box::new(pieces))
    }

    /// Rows as lines of JSON; all, or the first.
    pub fn to_lines(&self, limit: Option<u64>) -> Result<Vec<u8>> {
        let mut left = limit.unwrap_or(u64::MAX);
        let mut writer = WriterBuilder::new().with_explicit_nulls(true).build::<_, LineDelimited>(Vec::new());
        for batch in self.batches()? {
            let batch = batch?;
            let rows = left.min(batch.num_rows() as u64);
            writer.write(&batch.slice(0, rows as usize)).map_err(arrow_error)?;
            left -= rows;
            if left == 0 {
                break;
            }
        }
        writer.finish().map_err(arrow_error)?;
        Ok(writer.into_inner())
    }
}

/// Parts of a batch that are handed on at once.
fn pieces_of(batch: RecordBatch) -> impl Iterator<Item = RecordBatch> + Send {
    let rows = batch.num_rows();
    (0..rows).step_by(ROWS_AT_ONCE).map(move |first| batch.slice(first, ROWS_AT_ONCE.min(rows - first)))
}

fn lines_of(batch: &RecordBatch) -> Vec<u8> {
    let writer = RowWriter::new(batch);
    let mut lines = Vec::new();
    for row in 0..batch.num_rows() {
        writer.write(row, &mut lines);
        lines.push(b'\n');
    }
    lines
}

fn filtered(table: &Table, mask: &Arc<[bool]>) -> impl Iterator<Item = Result<RecordBatch>> + Send + use<> {
    let (batches, mask) = (table.batches().to_vec(), mask.clone());
    let mut row = 0;
    batches.into_iter().map(move |batch| {
        let of_batch = (row..row + batch.num_rows()).map(|row| mask.get(row).copied().unwrap_or(false));
        let of_batch: BooleanArray = of_batch.map(Some).collect();
        row += batch.num_rows();
        match of_batch.true_count() == batch.num_rows() {
            true => Ok(batch),
            false => filter_record_batch(&batch, &of_batch).map_err(arrow_error),
        }
    })
}

fn rows_of(path: &Path) -> Batches {
    match ColumnFile::open(path) {
        Ok(Some(file)) => file.batches(),
        Ok(None) => Box::new(std::iter::empty()),
        Err(error) => Box::new(std::iter::once(Err(error))),
    }
}
