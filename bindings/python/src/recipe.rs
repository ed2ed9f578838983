//! Recipes.

use std::path::PathBuf;

use lookalike::Recipe as Inner;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString, PyTuple, PyType};

use crate::errors::exception;
use crate::session::Session;

/// How documents are compared.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub struct Recipe {
    pub inner: Inner,
    pub session: Session,
}

#[pymethods]
impl Recipe {
    #[new]
    #[pyo3(signature = (method="minhash", *, session=None, **settings))]
    fn new(
        py: Python<'_>,
        method: &str,
        session: Option<PyRef<'_, Session>>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Recipe> {
        let session = Session::of(py, session);
        let inner = session.inner.method(method).map_err(exception)?;
        Recipe { inner, session }.with_settings(settings)
    }

    /// From a file.
    #[classmethod]
    #[pyo3(signature = (path, *, session=None, **settings))]
    fn load(
        class: &Bound<'_, PyType>,
        path: PathBuf,
        session: Option<PyRef<'_, Session>>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Recipe> {
        let toml = std::fs::read_to_string(&path);
        let toml = toml.map_err(|source| exception(lookalike::Error::Io { path, source }))?;
        Recipe::parse(&toml, Session::of(class.py(), session))?.with_settings(settings)
    }

    /// From the text of a file.
    #[classmethod]
    #[pyo3(signature = (toml, *, session=None, **settings))]
    fn from_toml(
        class: &Bound<'_, PyType>,
        toml: &str,
        session: Option<PyRef<'_, Session>>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Recipe> {
        Recipe::parse(toml, Session::of(class.py(), session))?.with_settings(settings)
    }

    /// The same with some settings changed.
    #[pyo3(name = "with_", signature = (**settings))]
    fn changed(&self, settings: Option<&Bound<'_, PyDict>>) -> PyResult<Recipe> {
        Recipe { inner: self.inner.clone(), session: self.session.clone() }.with_settings(settings)
    }

    /// The method it is based on.
    #[getter]
    fn method(&self) -> &str {
        self.inner.method()
    }

    /// The id of features, signature and keys: what made two signatures that can be compared.
    #[getter]
    fn scheme(&self, py: Python<'_>) -> PyResult<String> {
        let built = py.detach(|| self.session.inner.build(&self.inner)).map_err(exception)?;
        Ok(built.scheme.id.clone())
    }

    /// Whether a run first counts a lexicon from its documents, which are files then.
    #[getter]
    fn counts_first(&self) -> PyResult<bool> {
        self.session.inner.counts_first(&self.inner).map_err(exception)
    }

    /// As a file; what it leaves out has its default.
    fn to_toml(&self) -> String {
        self.inner.to_toml()
    }

    /// Writes it to a file.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        std::fs::write(&path, self.to_toml())
            .map_err(|source| exception(lookalike::Error::Io { path, source }))
    }

    fn __repr__(&self) -> String {
        format!("Recipe.from_toml('''\n{}''')", self.to_toml())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Recipe>().is_ok_and(|other| other.get().to_toml() == self.to_toml())
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{Hash, Hasher};
        let mut hasher = std::hash::DefaultHasher::new();
        self.to_toml().hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        if self.session.has_own_parts() {
            return Err(PyTypeError::new_err(
                "a recipe of a session with parts of its own cannot be pickled: make it anew in the other process",
            ));
        }
        let make = py.get_type::<Recipe>().getattr("from_toml")?;
        PyTuple::new(py, [make, PyTuple::new(py, [self.to_toml()])?.into_any()])
    }
}

impl Recipe {
    fn parse(toml: &str, session: Session) -> PyResult<Recipe> {
        let inner = session.inner.recipe(toml).map_err(exception)?;
        Ok(Recipe { inner, session })
    }

    /// Applies keywords: a section with its keys, or one of the names that the command line has.
    fn with_settings(mut self, settings: Option<&Bound<'_, PyDict>>) -> PyResult<Recipe> {
        let Some(settings) = settings else { return Ok(self) };
        let mut types = Vec::new();
        let mut others = Vec::new();
        let mut lexicon = None;
        for (name, value) in settings {
            let name: String = name.extract()?;
            if value.is_none() {
                continue;
            }
            if let Ok(section) = value.cast::<PyDict>() {
                for (key, value) in section {
                    let key = format!("{name}.{}", key.extract::<String>()?);
                    let place = if key.ends_with(".type") { &mut types } else { &mut others };
                    place.push((key, written(&value)?));
                }
                continue;
            }
            let key = match name.as_str() {
                "threshold" => "decide.threshold",
                "verify" => "decide.verify",
                "measure" => "decide.measure",
                "unless" => "decide.unless",
                "streams" => "decide.streams",
                "keep" => "keep.rule",
                "lexicon" => {
                    lexicon = Some(written(&value)?);
                    continue;
                }
                _ => {
                    return Err(PyTypeError::new_err(format!(
                        "`{name}` is no setting of a recipe; known are threshold, keep, verify, measure, unless, \
                         streams, lexicon, and the sections as dicts, such as features={{\"shingle\": 3}}"
                    )));
                }
            };
            others.push((key.to_owned(), written(&value)?));
        }
        for (key, value) in types.iter().chain(&others) {
            self.inner.set(key, value).map_err(exception)?;
        }
        if let Some(lexicon) = lexicon {
            self.inner.set_lexicon(&lexicon).map_err(exception)?;
        }
        Ok(self)
    }
}

/// A value as a recipe has it.
fn written(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if value.is_instance_of::<PyBool>() {
        return Ok(value.extract::<bool>()?.to_string());
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(text.to_str()?.to_owned());
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let items = value.try_iter()?.map(|item| written(&item?)).collect::<PyResult<Vec<_>>>()?;
        return Ok(items.join(","));
    }
    Ok(value.str()?.to_str()?.to_owned())
}
