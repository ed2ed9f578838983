//! Parts of a recipe that are functions of Python, over Arrow tables.
//!
//! They are called once for each document or pair, from the threads of the engine, with a table of one row. What such a
//! function raises stops the work and is raised by whoever asked for it; the engine only knows that there is nothing to
//! compare.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::builder::{ListBuilder, UInt64Builder};
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{ArrowError, Field, Schema};
use lookalike::Registry;
use lookalike::arrow::Rows;
use lookalike::parts::{
    Document, FeatureExtractor, FeatureSet, Features, Measure, Overlap, PartInfo, Spec, Value, hash,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt, PyString};

use crate::arrow::broken;
use crate::errors::exception;
use crate::table::Table;

/// What a function of Python raised.
#[derive(Clone, Default)]
pub struct Failure {
    first: Arc<Mutex<Option<PyErr>>>,
    is_there: Arc<AtomicBool>,
}

impl Failure {
    fn note(&self, error: PyErr) {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.is_there.store(true, Ordering::Release);
    }

    /// Whether the work is in vain.
    pub fn is_there(&self) -> bool {
        self.is_there.load(Ordering::Acquire)
    }

    /// Raises it, once.
    pub fn raise(&self) -> PyResult<()> {
        if !self.is_there() {
            return Ok(());
        }
        self.is_there.store(false, Ordering::Release);
        self.first.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }
}

/// Registers functions as extractors of features and as measures.
pub fn register(
    registry: &mut Registry,
    features: Option<&Bound<'_, PyDict>>,
    measures: Option<&Bound<'_, PyDict>>,
    failure: &Failure,
) -> PyResult<usize> {
    let mut count = 0;
    for (name, function) in features.into_iter().flatten() {
        let part = Part::new(&name, &function, failure)?;
        let info = part.info("Features by a function of Python");
        registry.features.register(info, move |_, _| Ok(Box::new(part.clone()))).map_err(exception)?;
        count += 1;
    }
    for (name, function) in measures.into_iter().flatten() {
        let part = Part::new(&name, &function, failure)?;
        let info = part.info("A measure by a function of Python");
        registry.measures.register(info, move |_, _| Ok(Box::new(part.clone()))).map_err(exception)?;
        count += 1;
    }
    Ok(count)
}

/// A function with the name that recipes use.
#[derive(Clone)]
struct Part {
    name: &'static str,
    fields: Vec<String>,
    function: Arc<Py<PyAny>>,
    failure: Failure,
}

impl Part {
    fn new(name: &Bound<'_, PyAny>, function: &Bound<'_, PyAny>, failure: &Failure) -> PyResult<Part> {
        let name: String = name.extract()?;
        if !function.is_callable() {
            return Err(PyTypeError::new_err(format!("the part `{name}` is no function")));
        }
        let fields = match function.getattr_opt("fields")? {
            Some(fields) => fields.extract()?,
            None => Vec::new(),
        };
        // Names of parts live as long as the program; a session has few.
        let name = Box::leak(name.into_boxed_str());
        Ok(Part { name, fields, function: Arc::new(function.clone().unbind()), failure: failure.clone() })
    }

    fn info(&self, summary: &'static str) -> PartInfo {
        PartInfo { name: self.name, summary, paper: "", params: &[] }
    }

    /// Calls the function with a table of one row, and takes what it says of that row.
    fn call<T>(
        &self,
        columns: Result<RecordBatch, ArrowError>,
        take: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>,
    ) -> Option<T> {
        if self.failure.is_there() {
            return None;
        }
        let outcome = Python::attach(|py| {
            let batch = columns.map_err(broken)?;
            let table = lookalike::arrow::Table::new(batch.schema(), vec![batch]).map_err(exception)?;
            let native = Bound::new(py, Table { rows: Rows::All(table) })?;
            let table = py.import("lookalike.table")?.getattr("Table")?.call1((native,))?;
            let mut answer = self.function.bind(py).call1((table,))?;
            if let Some(convert) = answer.getattr_opt("to_pylist")? {
                answer = convert.call0()?;
            }
            let length = answer.len()?;
            if length != 1 {
                return Err(PyTypeError::new_err(format!(
                    "`{}` was given 1 row and answered with {length}: one answer for each row is needed",
                    self.name
                )));
            }
            take(&answer.get_item(0)?)
        });
        outcome.map_err(|error| self.failure.note(error)).ok()
    }
}

impl FeatureExtractor for Part {
    fn spec(&self) -> Spec {
        Spec::new(self.name)
    }

    fn fields(&self) -> Vec<String> {
        self.fields.clone()
    }

    fn extract(&self, document: &Document<'_>, out: &mut Features) {
        let mut names = vec![Field::new("text", arrow_schema::DataType::Utf8, true)];
        let mut columns: Vec<ArrayRef> = vec![Arc::new(StringArray::from(vec![document.text.as_ref()]))];
        for (name, value) in self.fields.iter().zip(&document.fields) {
            names.push(Field::new(name, arrow_schema::DataType::Utf8, true));
            columns.push(Arc::new(StringArray::from(vec![value.as_ref().map(shown)])));
        }
        let batch = RecordBatch::try_new(Arc::new(Schema::new(names)), columns);
        let found = self.call(batch, |answer| features_of(self.name, answer));
        for (feature, weight) in found.into_iter().flatten() {
            out.hashes.push(feature);
            if let Some(weight) = weight {
                out.weights.push(weight);
            }
        }
    }
}

/// A value as a text.
fn shown(value: &Value<'_>) -> String {
    let one = |value: &Value<'_>| match value {
        Value::Text(text) => text.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Bool(yes) => yes.to_string(),
        Value::Many(_) => String::new(),
    };
    value.parts().map(|(_, value)| one(value)).collect::<Vec<_>>().join(" ")
}

/// Features: texts, bytes or numbers; in a dict with their weights.
fn features_of(name: &str, answer: &Bound<'_, PyAny>) -> PyResult<Vec<(u64, Option<f32>)>> {
    if let Ok(weighed) = answer.cast::<PyDict>() {
        return weighed
            .iter()
            .map(|(feature, weight)| {
                let weight: f32 = weight.extract()?;
                if !weight.is_finite() || weight < 0.0 {
                    return Err(PyTypeError::new_err(format!("`{name}` gave a feature the weight {weight}")));
                }
                Ok((feature_of(name, &feature)?, Some(weight)))
            })
            .collect();
    }
    answer.try_iter()?.map(|feature| Ok((feature_of(name, &feature?)?, None))).collect()
}

fn feature_of(name: &str, feature: &Bound<'_, PyAny>) -> PyResult<u64> {
    if let Ok(text) = feature.cast::<PyString>() {
        return Ok(hash::bytes(text.to_str()?.as_bytes()));
    }
    if let Ok(bytes) = feature.cast::<PyBytes>() {
        return Ok(hash::bytes(bytes.as_bytes()));
    }
    if feature.is_instance_of::<PyInt>() {
        return Ok(hash::bytes(feature.str()?.to_str()?.as_bytes()));
    }
    let kind = feature.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "`{name}` gave a {kind} as a feature; texts, bytes and whole numbers are features"
    )))
}

impl Measure for Part {
    fn spec(&self) -> Spec {
        Spec::new(self.name)
    }

    fn similarity(&self, a: &FeatureSet, b: &FeatureSet, overlap: &Overlap) -> f64 {
        let list = |set: &FeatureSet| -> ArrayRef {
            let mut lists = ListBuilder::new(UInt64Builder::new());
            lists.append_value(set.hashes.iter().map(|&hash| Some(hash)));
            Arc::new(lists.finish())
        };
        let number = |value: u32| -> ArrayRef { Arc::new(UInt64Array::from(vec![u64::from(value)])) };
        let columns = [
            ("a", list(a)),
            ("b", list(b)),
            ("shared", number(overlap.shared)),
            ("a_size", number(overlap.a)),
            ("b_size", number(overlap.b)),
        ];
        let names = columns.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true));
        let schema = Arc::new(Schema::new(names.collect::<Vec<_>>()));
        let batch = RecordBatch::try_new(schema, columns.into_iter().map(|(_, array)| array).collect());
        let similarity = self.call(batch, |answer| answer.extract::<f64>());
        similarity.filter(|similarity| similarity.is_finite()).unwrap_or(0.0)
    }
}
