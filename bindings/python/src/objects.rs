//! Answers as objects of Python: what `json.loads` makes of their JSON, without writing and reading that JSON.

use std::fmt::{self, Display};

use lookalike::Error;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use serde::Serialize;
use serde::ser::{self, Serializer};

use crate::errors::exception;

/// The dicts, lists, texts and numbers of an answer.
pub fn object<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    value.serialize(Objects { py }).map_err(|Failed(error)| error)
}

#[derive(Clone, Copy)]
struct Objects<'py> {
    py: Python<'py>,
}

/// What was raised on the way.
#[derive(Debug)]
struct Failed(PyErr);

impl Display for Failed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl std::error::Error for Failed {}

impl ser::Error for Failed {
    fn custom<T: Display>(message: T) -> Failed {
        Failed(exception(Error::Internal(message.to_string())))
    }
}

impl From<PyErr> for Failed {
    fn from(error: PyErr) -> Failed {
        Failed(error)
    }
}

type Made<'py> = Result<Bound<'py, PyAny>, Failed>;

impl<'py> Objects<'py> {
    fn made<T: IntoPyObject<'py>>(self, value: T) -> Made<'py> {
        Ok(value.into_bound_py_any(self.py)?)
    }

    fn dict(self) -> Dict<'py> {
        Dict { objects: self, dict: PyDict::new(self.py), key: None }
    }

    /// What is kept as JSON, mostly the text of an id.
    fn json(self, json: &str) -> Made<'py> {
        let inner = json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        match inner {
            Some(plain) if !plain.contains('\\') => self.made(plain),
            _ => Ok(self.py.import("json")?.call_method1("loads", (json,))?),
        }
    }
}

impl<'py> Serializer for Objects<'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = Failed;
    type SerializeSeq = List<'py>;
    type SerializeTuple = List<'py>;
    type SerializeTupleStruct = List<'py>;
    type SerializeTupleVariant = ser::Impossible<Self::Ok, Failed>;
    type SerializeMap = Dict<'py>;
    type SerializeStruct = Struct<'py>;
    type SerializeStructVariant = ser::Impossible<Self::Ok, Failed>;

    fn serialize_bool(self, value: bool) -> Made<'py> {
        self.made(value)
    }

    fn serialize_i8(self, value: i8) -> Made<'py> {
        self.made(value)
    }

    fn serialize_i16(self, value: i16) -> Made<'py> {
        self.made(value)
    }

    fn serialize_i32(self, value: i32) -> Made<'py> {
        self.made(value)
    }

    fn serialize_i64(self, value: i64) -> Made<'py> {
        self.made(value)
    }

    fn serialize_u8(self, value: u8) -> Made<'py> {
        self.made(value)
    }

    fn serialize_u16(self, value: u16) -> Made<'py> {
        self.made(value)
    }

    fn serialize_u32(self, value: u32) -> Made<'py> {
        self.made(value)
    }

    fn serialize_u64(self, value: u64) -> Made<'py> {
        self.made(value)
    }

    fn serialize_f32(self, value: f32) -> Made<'py> {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Made<'py> {
        // JSON has no others.
        if value.is_finite() { self.made(value) } else { self.serialize_none() }
    }

    fn serialize_char(self, value: char) -> Made<'py> {
        self.made(value)
    }

    fn serialize_str(self, value: &str) -> Made<'py> {
        self.made(value)
    }

    fn serialize_bytes(self, value: &[u8]) -> Made<'py> {
        value.serialize(self)
    }

    fn serialize_none(self) -> Made<'py> {
        self.made(self.py.None())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Made<'py> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Made<'py> {
        self.serialize_none()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Made<'py> {
        self.serialize_none()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Made<'py> {
        Ok(PyString::intern(self.py, variant).into_any())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Made<'py> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Made<'py> {
        let dict = self.dict();
        dict.insert(variant, value)?;
        Ok(dict.dict.into_any())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<List<'py>, Failed> {
        Ok(List { objects: self, list: PyList::empty(self.py) })
    }

    fn serialize_tuple(self, length: usize) -> Result<List<'py>, Failed> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_struct(self, _: &'static str, length: usize) -> Result<List<'py>, Failed> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Failed> {
        Err(unused())
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Dict<'py>, Failed> {
        Ok(self.dict())
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Struct<'py>, Failed> {
        Ok(if name == RAW { Struct::Json(self, None) } else { Struct::Dict(self.dict()) })
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Failed> {
        Err(unused())
    }
}

/// The name by which `serde_json` tells serializers that a text is JSON already. A test of the package reads such values.
const RAW: &str = "$serde_json::private::RawValue";

fn unused() -> Failed {
    ser::Error::custom("answers have no variants with several fields")
}

struct List<'py> {
    objects: Objects<'py>,
    list: Bound<'py, PyList>,
}

impl List<'_> {
    fn push<T: Serialize + ?Sized>(&self, value: &T) -> Result<(), Failed> {
        Ok(self.list.append(value.serialize(self.objects)?)?)
    }
}

impl<'py> ser::SerializeSeq for List<'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = Failed;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failed> {
        self.push(value)
    }

    fn end(self) -> Made<'py> {
        Ok(self.list.into_any())
    }
}

impl<'py> ser::SerializeTuple for List<'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = Failed;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failed> {
        self.push(value)
    }

    fn end(self) -> Made<'py> {
        Ok(self.list.into_any())
    }
}

impl<'py> ser::SerializeTupleStruct for List<'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = Failed;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failed> {
        self.push(value)
    }

    fn end(self) -> Made<'py> {
        Ok(self.list.into_any())
    }
}

struct Dict<'py> {
    objects: Objects<'py>,
    dict: Bound<'py, PyDict>,
    /// Of a map, the key whose value comes next.
    key: Option<Bound<'py, PyAny>>,
}

impl Dict<'_> {
    /// Names of fields are few, so each is made once.
    fn insert<T: Serialize + ?Sized>(&self, name: &'static str, value: &T) -> Result<(), Failed> {
        let name = PyString::intern(self.objects.py, name);
        Ok(self.dict.set_item(name, value.serialize(self.objects)?)?)
    }
}

impl<'py> ser::SerializeMap for Dict<'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = Failed;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Failed> {
        // In JSON every key is a text.
        self.key = Some(key.serialize(self.objects)?.str()?.into_any());
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failed> {
        let key = self.key.take().ok_or_else(|| <Failed as ser::Error>::custom("a value without its key"))?;
        Ok(self.dict.set_item(key, value.serialize(self.objects)?)?)
    }

    fn end(self) -> Made<'py> {
        Ok(self.dict.into_any())
    }
}

enum Struct<'py> {
    Dict(Dict<'py>),
    /// JSON that is kept as it is.
    Json(Objects<'py>, Option<Bound<'py, PyAny>>),
}

impl<'py> ser::SerializeStruct for Struct<'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = Failed;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Failed> {
        match self {
            Struct::Dict(dict) => dict.insert(name, value)?,
            Struct::Json(objects, made) => {
                let json = value.serialize(*objects)?;
                *made = Some(objects.json(json.cast::<PyString>().map_err(PyErr::from)?.to_cow()?.as_ref())?);
            }
        }
        Ok(())
    }

    fn end(self) -> Made<'py> {
        match self {
            Struct::Dict(dict) => Ok(dict.dict.into_any()),
            Struct::Json(objects, made) => made.map_or_else(|| objects.serialize_none(), Ok),
        }
    }
}
