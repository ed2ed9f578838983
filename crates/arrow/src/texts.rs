//! A column of texts, whatever its layout.

use arrow_array::cast::AsArray;
use arrow_array::types::ByteViewType;
use arrow_array::{Array, ArrayRef, GenericByteViewArray, types};
use arrow_data::ByteView;
use arrow_schema::DataType;
use lookalike_core::{Error, Result};

/// Whether values of this type can be read as texts where they lie.
pub fn holds_texts(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => true,
        DataType::Dictionary(_, values) => holds_texts(values),
        _ => false,
    }
}

/// The bytes of a row, which are not checked to be UTF-8; `None` if it is null.
pub fn bytes_at(array: &ArrayRef, row: usize) -> Option<&[u8]> {
    if array.is_null(row) {
        return None;
    }
    match array.data_type() {
        DataType::Utf8 => {
            let texts = array.as_string::<i32>();
            range(texts.value_data(), texts.value_offsets(), row)
        }
        DataType::LargeUtf8 => {
            let texts = array.as_string::<i64>();
            range(texts.value_data(), texts.value_offsets(), row)
        }
        DataType::Binary => {
            let bytes = array.as_binary::<i32>();
            range(bytes.value_data(), bytes.value_offsets(), row)
        }
        DataType::LargeBinary => {
            let bytes = array.as_binary::<i64>();
            range(bytes.value_data(), bytes.value_offsets(), row)
        }
        DataType::Utf8View => viewed(array.as_string_view(), row),
        DataType::BinaryView => viewed(array.as_binary_view(), row),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let key = key_at(dictionary.keys(), row)?;
            (key < dictionary.values().len()).then(|| bytes_at(dictionary.values(), key)).flatten()
        }
        _ => None,
    }
}

/// The bytes between two offsets. What a broken producer wrote there must not be believed.
fn range<'a, T: Copy + TryInto<usize>>(data: &'a [u8], offsets: &[T], row: usize) -> Option<&'a [u8]> {
    let start: usize = (*offsets.get(row)?).try_into().ok()?;
    let end: usize = (*offsets.get(row + 1)?).try_into().ok()?;
    data.get(start..end)
}

/// The bytes of a view: twelve are in it, more are where it points to.
fn viewed<T: ByteViewType>(array: &GenericByteViewArray<T>, row: usize) -> Option<&[u8]> {
    const INLINE: usize = 12;
    let views = array.views();
    let view = ByteView::from(*views.get(row)?);
    let length = view.length as usize;
    if length <= INLINE {
        let start = row * size_of::<u128>() + size_of::<u32>();
        return views.inner().as_slice().get(start..start + length);
    }
    let data = array.data_buffers().get(view.buffer_index as usize)?.as_slice();
    let start = view.offset as usize;
    data.get(start..start.checked_add(length)?)
}

fn key_at(keys: &dyn Array, row: usize) -> Option<usize> {
    macro_rules! key {
        ($type:ty) => {
            usize::try_from(keys.as_primitive_opt::<$type>()?.value(row)).ok()
        };
    }
    match keys.data_type() {
        DataType::Int8 => key!(types::Int8Type),
        DataType::Int16 => key!(types::Int16Type),
        DataType::Int32 => key!(types::Int32Type),
        DataType::Int64 => key!(types::Int64Type),
        DataType::UInt8 => key!(types::UInt8Type),
        DataType::UInt16 => key!(types::UInt16Type),
        DataType::UInt32 => key!(types::UInt32Type),
        DataType::UInt64 => key!(types::UInt64Type),
        _ => None,
    }
}

/// Whether the lengths and offsets of an array can be: arrays from elsewhere are taken as they come.
pub fn check(array: &ArrayRef, column: &str) -> Result<()> {
    let broken = |reason: &str| Err(Error::Input(format!("column `{column}` is broken: {reason}")));
    match array.data_type() {
        DataType::Utf8 => rising(array.as_string::<i32>().value_offsets()),
        DataType::Binary => rising(array.as_binary::<i32>().value_offsets()),
        DataType::LargeUtf8 => rising(array.as_string::<i64>().value_offsets()),
        DataType::LargeBinary => rising(array.as_binary::<i64>().value_offsets()),
        _ => Ok(()),
    }
    .or_else(broken)
}

fn rising<T: Copy + PartialOrd + Default>(offsets: &[T]) -> Result<(), &'static str> {
    let is_rising = offsets.is_sorted() && offsets.first().is_none_or(|first| *first >= T::default());
    if is_rising { Ok(()) } else { Err("the offsets of its texts do not rise") }
}

/// About how many bytes the texts of an array have.
pub fn total_bytes(array: &ArrayRef) -> u64 {
    fn between<T: Copy + Into<i64>>(offsets: &[T]) -> u64 {
        let (first, last) = (offsets.first().copied(), offsets.last().copied());
        first.zip(last).map_or(0, |(first, last)| last.into().saturating_sub(first.into()).max(0) as u64)
    }
    match array.data_type() {
        DataType::Utf8 => between(array.as_string::<i32>().value_offsets()),
        DataType::LargeUtf8 => between(array.as_string::<i64>().value_offsets()),
        DataType::Binary => between(array.as_binary::<i32>().value_offsets()),
        DataType::LargeBinary => between(array.as_binary::<i64>().value_offsets()),
        _ => (0..array.len()).map(|row| bytes_at(array, row).map_or(0, |bytes| bytes.len() as u64)).sum(),
    }
}
