//! Columns that kernels read and write.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, UInt64Array};
use arrow_schema::DataType;
use lookalike_core::{Error, Result};

/// Bytes of a document's key and of a digest.
pub const WIDE: i32 = 16;

/// A column by its name.
pub fn column<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a ArrayRef> {
    batch.column_by_name(name).ok_or_else(|| Error::Input(format!("the table has no column `{name}`")))
}

/// The 128-bit numbers of a column, which may be binary of any layout.
pub fn wide(batch: &RecordBatch, name: &str) -> Result<Vec<Option<u128>>> {
    let array = column(batch, name)?;
    let bytes = |row: usize| -> Option<&[u8]> {
        if array.is_null(row) {
            return None;
        }
        match array.data_type() {
            DataType::FixedSizeBinary(WIDE) => Some(array.as_fixed_size_binary().value(row)),
            _ => crate::texts::bytes_at(array, row),
        }
    };
    let known = matches!(
        array.data_type(),
        DataType::FixedSizeBinary(WIDE) | DataType::Binary | DataType::LargeBinary | DataType::BinaryView
    );
    if !known {
        return Err(wrong(array, name, "16 bytes"));
    }
    let mut numbers = Vec::with_capacity(array.len());
    for row in 0..array.len() {
        let number = bytes(row).map(|bytes| bytes.try_into().map(u128::from_le_bytes)).transpose();
        numbers.push(
            number
                .map_err(|_| Error::Input(format!("column `{name}` has values that are not of 16 bytes")))?,
        );
    }
    Ok(numbers)
}

/// The numbers of a column, none of them missing.
pub fn numbers<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a UInt64Array> {
    let array = column(batch, name)?;
    match array.as_primitive_opt::<UInt64Type>() {
        Some(numbers) if numbers.null_count() == 0 => Ok(numbers),
        _ => Err(wrong(array, name, "uint64 without nulls")),
    }
}

/// The similarities of a column, none of them missing.
pub fn shares<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a [f64]> {
    let array = column(batch, name)?;
    match array.as_primitive_opt::<Float64Type>() {
        Some(shares) if shares.null_count() == 0 => Ok(shares.values()),
        _ => Err(wrong(array, name, "float64 without nulls")),
    }
}

fn wrong(array: &ArrayRef, name: &str, needed: &str) -> Error {
    let nulls = if array.null_count() > 0 { " with nulls" } else { "" };
    Error::Input(format!("column `{name}` is {}{nulls}; {needed} is needed", array.data_type()))
}
