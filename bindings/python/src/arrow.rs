//! Tables in and out by Arrow's C interface, as capsules.

use std::ffi::CStr;

use arrow_array::ffi::{FFI_ArrowArray, from_ffi};
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{Array, RecordBatch, RecordBatchIterator, RecordBatchReader, StructArray};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType};
use lookalike::arrow::{Rows, Table};
use lookalike_io::read::guarded;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::errors::{exception, input};

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// Record batches of anything that offers them.
pub enum Imported {
    /// One batch that lies in memory.
    Batch(RecordBatch),
    /// Batches that come one after another.
    Stream(Box<RecordBatchStreamReader>),
}

/// What an object with `__arrow_c_stream__` or `__arrow_c_array__` offers.
pub fn import(object: &Bound<'_, PyAny>) -> PyResult<Imported> {
    if object.hasattr("__arrow_c_stream__")? {
        return stream(&object.call_method0("__arrow_c_stream__")?).map(Imported::Stream);
    }
    if object.hasattr("__arrow_c_array__")? {
        let capsules = object.call_method0("__arrow_c_array__")?;
        let (schema, array): (Bound<'_, PyAny>, Bound<'_, PyAny>) = capsules.cast::<PyTuple>()?.extract()?;
        return batch(&schema, &array).map(Imported::Batch);
    }
    let name = object.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "{name} is no table: it has neither __arrow_c_stream__ nor __arrow_c_array__"
    )))
}

fn stream(capsule: &Bound<'_, PyAny>) -> PyResult<Box<RecordBatchStreamReader>> {
    let pointer = capsule.cast::<PyCapsule>()?.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule of this name holds such a struct, by the Arrow PyCapsule interface. Reading it out leaves one
    // that is released, so that the capsule's destructor does nothing.
    let taken = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr()) };
    let reader = RecordBatchStreamReader::try_new(taken).map_err(broken)?;
    Ok(Box::new(reader))
}

fn batch(schema: &Bound<'_, PyAny>, array: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    let schema = schema.cast::<PyCapsule>()?.pointer_checked(Some(SCHEMA))?.cast::<FFI_ArrowSchema>();
    let array = array.cast::<PyCapsule>()?.pointer_checked(Some(ARRAY))?.cast::<FFI_ArrowArray>();
    // SAFETY: capsules of these names hold such structs. The array is moved out, which leaves one that is released;
    // the schema is only read, while its capsule is alive.
    let (schema, array) = unsafe { (schema.as_ref(), FFI_ArrowArray::from_raw(array.as_ptr())) };
    if array.is_released() {
        return Err(PyValueError::new_err("the array was taken by somebody else before"));
    }
    // SAFETY: array and schema belong together, as `__arrow_c_array__` promises.
    let data = guarded(|| unsafe { from_ffi(array, schema) }).map_err(broken)?;
    if !matches!(data.data_type(), DataType::Struct(_)) {
        return Err(PyTypeError::new_err(format!(
            "an array of {} is no table: give it a name, as a column of one",
            data.data_type()
        )));
    }
    let rows = guarded(|| data.validate().map(|()| StructArray::from(data))).map_err(broken)?;
    if rows.null_count() > 0 {
        return Err(input("rows of the table are null"));
    }
    Ok(RecordBatch::from(rows))
}

impl Imported {
    /// All batches, in memory.
    pub fn load(self) -> PyResult<Table> {
        match self {
            Imported::Batch(batch) => Table::new(batch.schema(), vec![batch]).map_err(exception),
            Imported::Stream(stream) => {
                let schema = stream.schema();
                let batches = checked(stream).collect::<Result<Vec<_>, _>>().map_err(broken)?;
                Table::new(schema, batches).map_err(exception)
            }
        }
    }

    /// The batches one after another.
    pub fn reader(self) -> Box<dyn RecordBatchReader> {
        match self {
            Imported::Batch(batch) => {
                let schema = batch.schema();
                Box::new(RecordBatchIterator::new(std::iter::once(Ok(batch)), schema))
            }
            Imported::Stream(stream) => {
                let schema = stream.schema();
                Box::new(RecordBatchIterator::new(checked(stream), schema))
            }
        }
    }
}

/// The batches of a stream, whose lengths and offsets are checked as far as that is possible.
fn checked(
    mut stream: Box<RecordBatchStreamReader>,
) -> impl Iterator<Item = Result<RecordBatch, ArrowError>> {
    std::iter::from_fn(move || {
        let next = guarded(|| {
            let Some(batch) = stream.next().transpose()? else { return Ok(None) };
            batch.columns().iter().try_for_each(|column| column.to_data().validate())?;
            Ok(Some(batch))
        });
        next.transpose()
    })
}

/// Rows as a capsule that others can read.
pub fn export<'py>(py: Python<'py>, rows: &Rows) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = rows.schema().clone();
    let batches = rows.batches().map_err(exception)?;
    let batches = batches.map(|batch| batch.map_err(|error| ArrowError::ExternalError(Box::new(error))));
    let reader = RecordBatchIterator::new(batches, schema);
    let stream = FFI_ArrowArrayStream::new(Box::new(reader));
    PyCapsule::new_with_value(py, stream, STREAM)
}

/// A schema as a capsule.
pub fn export_schema<'py>(py: Python<'py>, rows: &Rows) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(rows.schema().as_ref()).map_err(broken)?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// An error of the library that reads what a producer made.
pub fn broken(error: ArrowError) -> PyErr {
    input(match error {
        ArrowError::CDataInterface(message) => format!("the table cannot be read: {message}"),
        error => error.to_string(),
    })
}
