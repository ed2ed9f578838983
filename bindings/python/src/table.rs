//! Tables that Python holds.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::builder::LargeStringBuilder;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader};
use lookalike::arrow::{Rows, kept_files, read_lines};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyString};

use crate::arrow::{self, broken};
use crate::errors::exception;

/// Rows and columns in Arrow's layout, in memory or made from files when they are asked for.
#[pyclass(frozen, subclass, module = "lookalike._lookalike")]
pub struct Table {
    pub rows: Rows,
}

#[pymethods]
impl Table {
    /// From anything that has `__arrow_c_stream__` or `__arrow_c_array__`; nothing is copied.
    #[staticmethod]
    fn from_arrow(data: &Bound<'_, PyAny>) -> PyResult<Table> {
        Ok(Table { rows: Rows::All(arrow::import(data)?.load()?) })
    }

    /// From texts, as a column of that name.
    #[staticmethod]
    fn from_texts(texts: &Bound<'_, PyAny>) -> PyResult<Table> {
        let mut column = LargeStringBuilder::new();
        for text in texts.try_iter()? {
            column.append_value(text?.cast::<PyString>()?.to_str()?);
        }
        let column: ArrayRef = Arc::new(column.finish());
        let batch = RecordBatch::try_from_iter([("text", column)]).map_err(broken)?;
        let table = lookalike::arrow::Table::new(batch.schema(), vec![batch]).map_err(exception)?;
        Ok(Table { rows: Rows::All(table) })
    }

    /// From lines of JSON, an object each.
    #[staticmethod]
    fn from_json_lines(py: Python<'_>, lines: Vec<u8>) -> PyResult<Table> {
        let table = py.detach(|| read_lines(&lines)).map_err(exception)?;
        Ok(Table { rows: Rows::All(table) })
    }

    /// The documents that a finished run kept, read when they are asked for.
    #[staticmethod]
    fn kept(py: Python<'_>, folder: PathBuf) -> PyResult<Table> {
        let rows = py.detach(|| Rows::of_files(&kept_files(&folder)?)).map_err(exception)?;
        Ok(Table { rows })
    }

    /// The removals, clusters, pairs or rejected records of a finished run.
    #[staticmethod]
    fn result(py: Python<'_>, folder: PathBuf, file: &str) -> PyResult<Table> {
        let kind = lookalike::arrow::ResultKind::ALL.into_iter().find(|kind| kind.file() == file);
        let kind = kind.ok_or_else(|| PyValueError::new_err(format!("{file} is no result of a run")))?;
        let table = py.detach(|| kind.read(&folder)).map_err(exception)?;
        Ok(Table { rows: Rows::All(table) })
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.rows.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// Names and types of the columns, as text.
    #[getter]
    fn column_types(&self) -> Vec<String> {
        self.rows.schema().fields().iter().map(|field| field.data_type().to_string()).collect()
    }

    /// How many rows there are.
    #[getter]
    fn num_rows(&self, py: Python<'_>) -> PyResult<u64> {
        if let Some(count) = self.rows.count() {
            return Ok(count);
        }
        py.detach(|| self.rows.batches()?.try_fold(0, |rows, batch| Ok(rows + batch?.num_rows() as u64)))
            .map_err(exception)
    }

    /// Lines of JSON, an object for each of the first rows.
    fn to_json_lines<'py>(&self, py: Python<'py>, limit: Option<u64>) -> PyResult<Bound<'py, PyBytes>> {
        let lines = py.detach(|| self.rows.to_lines(limit)).map_err(exception)?;
        Ok(PyBytes::new(py, &lines))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // By the interface a producer may ignore what it cannot give.
        let _ = requested_schema;
        arrow::export(py, &self.rows)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        arrow::export_schema(py, &self.rows)
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.num_rows(py)? as usize)
    }
}

/// Writes a table or stream to an Arrow file, batch after batch, and returns the number of rows.
#[pyfunction]
pub fn write_ipc(data: &Bound<'_, PyAny>, path: PathBuf) -> PyResult<u64> {
    let reader = arrow::import(data)?.reader();
    let file = std::fs::File::create(&path)
        .map_err(|source| exception(lookalike::Error::Io { path: path.clone(), source }))?;
    let mut writer =
        arrow_ipc::writer::FileWriter::try_new_buffered(file, &reader.schema()).map_err(broken)?;
    let mut rows = 0;
    for batch in reader {
        let batch = batch.map_err(broken)?;
        rows += batch.num_rows() as u64;
        writer.write(&batch).map_err(broken)?;
        data.py().check_signals()?;
    }
    writer.finish().map_err(broken)?;
    Ok(rows)
}
