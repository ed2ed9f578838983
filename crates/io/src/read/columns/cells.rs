//! Turns rows of columns into lines of JSON, so that everything after reading is the same for every
//! format.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, types};
use arrow_schema::{DataType, TimeUnit};

use crate::read::{Chunk, too_long};

/// Writes rows of a batch as JSON objects.
pub struct RowWriter<'a> {
    columns: Vec<(String, Cells<'a>)>,
}

impl<'a> RowWriter<'a> {
    /// For all columns of a batch.
    pub fn new(batch: &'a RecordBatch) -> Self {
        let columns = batch.schema_ref().fields().iter().zip(batch.columns());
        RowWriter { columns: columns.map(|(field, array)| (name_of(field.name()), cells(array))).collect() }
    }

    /// Appends a row.
    pub fn write(&self, row: usize, out: &mut Vec<u8>) {
        put_object(&self.columns, row, out);
    }
}

/// Writes each row as one JSON object.
pub fn write_lines(batch: &RecordBatch, chunk: &mut Chunk, max_line: u64) {
    let out = &mut chunk.buffer;
    let rows = RowWriter::new(batch);
    for row in 0..batch.num_rows() {
        let start = out.len();
        rows.write(row, out);
        let length = (out.len() - start) as u64;
        if length > max_line {
            out.truncate(start);
            chunk.bad.push((row as u32, too_long(length, max_line)));
        }
        out.push(b'\n');
    }
}

/// Appends the value of a row as JSON.
type Cells<'a> = Box<dyn Fn(usize, &mut Vec<u8>) + 'a>;

/// Texts, numbers, booleans, times (as seconds since 1970), lists and structs of these. Other types
/// cannot be an id, a text or a field to judge by, and are written as an empty array.
fn cells(array: &ArrayRef) -> Cells<'_> {
    macro_rules! numbers {
        ($type:ty) => {{
            let numbers = array.as_primitive::<$type>();
            valued(array, move |row, out| put_number(numbers.value(row) as f64, &numbers.value(row), out))
        }};
        ($type:ty, $per_second:expr) => {{
            let numbers = array.as_primitive::<$type>();
            valued(array, move |row, out| {
                let seconds = numbers.value(row) as f64 / $per_second;
                put_number(seconds, &seconds, out);
            })
        }};
    }
    macro_rules! texts {
        ($texts:expr) => {{
            let texts = $texts;
            valued(array, move |row, out| put_text(texts.value(row).as_ref(), out))
        }};
    }
    match array.data_type() {
        DataType::Utf8 => texts!(array.as_string::<i32>()),
        DataType::LargeUtf8 => texts!(array.as_string::<i64>()),
        DataType::Utf8View => texts!(array.as_string_view()),
        DataType::Binary => texts!(array.as_binary::<i32>()),
        DataType::LargeBinary => texts!(array.as_binary::<i64>()),
        DataType::BinaryView => texts!(array.as_binary_view()),
        DataType::Boolean => {
            let values = array.as_boolean();
            valued(array, move |row, out| out.extend_from_slice(values.value(row).to_string().as_bytes()))
        }
        DataType::Int8 => numbers!(types::Int8Type),
        DataType::Int16 => numbers!(types::Int16Type),
        DataType::Int32 => numbers!(types::Int32Type),
        DataType::Int64 => numbers!(types::Int64Type),
        DataType::UInt8 => numbers!(types::UInt8Type),
        DataType::UInt16 => numbers!(types::UInt16Type),
        DataType::UInt32 => numbers!(types::UInt32Type),
        DataType::UInt64 => numbers!(types::UInt64Type),
        DataType::Float32 => numbers!(types::Float32Type),
        DataType::Float64 => numbers!(types::Float64Type),
        DataType::Date32 => numbers!(types::Date32Type, 1.0 / 86_400.0),
        DataType::Date64 => numbers!(types::Date64Type, 1e3),
        DataType::Timestamp(TimeUnit::Second, _) => numbers!(types::TimestampSecondType, 1.0),
        DataType::Timestamp(TimeUnit::Millisecond, _) => numbers!(types::TimestampMillisecondType, 1e3),
        DataType::Timestamp(TimeUnit::Microsecond, _) => numbers!(types::TimestampMicrosecondType, 1e6),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => numbers!(types::TimestampNanosecondType, 1e9),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let (keys, values) = (dictionary.normalized_keys(), cells(dictionary.values()));
            valued(array, move |row, out| values(keys[row], out))
        }
        DataType::Decimal128(..) => {
            let numbers = array.as_primitive::<types::Decimal128Type>();
            valued(array, move |row, out| out.extend_from_slice(numbers.value_as_string(row).as_bytes()))
        }
        DataType::Null => Box::new(|_, out| out.extend_from_slice(b"null")),
        DataType::Struct(fields) => {
            let inner = array.as_struct().columns().iter().zip(fields);
            let inner: Vec<(String, Cells)> =
                inner.map(|(column, field)| (name_of(field.name()), cells(column))).collect();
            valued(array, move |row, out| put_object(&inner, row, out))
        }
        DataType::List(_) => {
            let (lists, inner) = (array.as_list::<i32>(), cells(array.as_list::<i32>().values()));
            let range =
                |row: usize| lists.value_offsets()[row] as usize..lists.value_offsets()[row + 1] as usize;
            valued(array, move |row, out| put_array(&inner, range(row), out))
        }
        DataType::LargeList(_) => {
            let (lists, inner) = (array.as_list::<i64>(), cells(array.as_list::<i64>().values()));
            let range =
                |row: usize| lists.value_offsets()[row] as usize..lists.value_offsets()[row + 1] as usize;
            valued(array, move |row, out| put_array(&inner, range(row), out))
        }
        _ => valued(array, |_, out| out.extend_from_slice(b"[]")),
    }
}

fn name_of(name: &str) -> String {
    serde_json::Value::from(name).to_string()
}

fn put_object(columns: &[(String, Cells)], row: usize, out: &mut Vec<u8>) {
    out.push(b'{');
    for (index, (key, cell)) in columns.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        out.extend_from_slice(key.as_bytes());
        out.push(b':');
        cell(row, out);
    }
    out.push(b'}');
}

fn put_array(cell: &Cells, rows: std::ops::Range<usize>, out: &mut Vec<u8>) {
    out.push(b'[');
    for (index, row) in rows.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        cell(row, out);
    }
    out.push(b']');
}

fn valued<'a>(array: &'a ArrayRef, put: impl Fn(usize, &mut Vec<u8>) + 'a) -> Cells<'a> {
    Box::new(move |row, out| if array.is_null(row) { out.extend_from_slice(b"null") } else { put(row, out) })
}

/// JSON has no NaN and no infinity.
fn put_number(value: f64, shown: &dyn std::fmt::Display, out: &mut Vec<u8>) {
    let text = if value.is_finite() { shown.to_string() } else { "null".to_owned() };
    out.extend_from_slice(text.as_bytes());
}

/// Bytes that are not UTF-8 are no text; the row is rejected.
fn put_text(bytes: &[u8], out: &mut Vec<u8>) {
    match simdutf8::basic::from_utf8(bytes) {
        // Writing into a Vec cannot fail.
        Ok(text) => drop(serde_json::to_writer(&mut *out, text)),
        Err(_) => out.extend_from_slice(b"null"),
    }
}
