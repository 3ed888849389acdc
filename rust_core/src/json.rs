//! Data are read from JSON values that are borrowed, and an object is the only form of a `struct`.
//!
//! `serde` derives two readers for a `struct`: one for an object, and one for a list of all fields in their order.
//! Nobody writes such lists, but `serde_json` would accept them, so both readers are compiled for each of dozens of
//! types. For example, `{"sums": [], "endless": 3}` is a score, and `[[], 3]` is refused. A value that is owned would
//! have to be dropped part by part if a reader fails, which takes compiled code for each type, too.

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Error as _, Expected, IntoDeserializer, Unexpected, Visitor};
use serde_json::{Error, Value};

/// Reads data from a JSON value.
///
/// # Errors
///
/// An error that says which part has a wrong form, or is missing.
pub fn from_value<T: DeserializeOwned>(value: &Value) -> Result<T, Error> {
    T::deserialize(Borrowed(value))
}

/// Reads data from a text of JSON.
///
/// # Errors
///
/// As [`from_value`]; also if the text is no JSON.
#[cfg(feature = "python")]
pub fn from_text<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    from_value(&serde_json::from_str(text)?)
}

/// A value that is being read.
#[derive(Clone, Copy)]
struct Borrowed<'de>(&'de Value);

impl<'de> IntoDeserializer<'de, Error> for Borrowed<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// The error of a value of a wrong form.
#[cold]
#[inline(never)]
fn unexpected(value: &Value, expected: &dyn Expected) -> Error {
    let found = match value {
        Value::Null => Unexpected::Unit,
        Value::Bool(flag) => Unexpected::Bool(*flag),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => Unexpected::Unsigned(number),
            (None, Some(number)) => Unexpected::Signed(number),
            (None, None) => Unexpected::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Value::String(text) => Unexpected::Str(text),
        Value::Array(_) => Unexpected::Seq,
        Value::Object(_) => Unexpected::Map,
    };
    Error::invalid_type(found, expected)
}

/// Reads a number or a truth value, or says that it is none.
macro_rules! scalars {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self.0 {
                Value::Bool(flag) => visitor.visit_bool(*flag),
                Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                    (Some(number), _) => visitor.visit_u64(number),
                    (None, Some(number)) => visitor.visit_i64(number),
                    (None, None) => visitor.visit_f64(number.as_f64().unwrap_or(f64::NAN)),
                },
                other => Err(unexpected(other, &visitor)),
            }
        })*
    };
}

/// Reads a text, or says that the value is none.
macro_rules! texts {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self.0 {
                Value::String(text) => visitor.visit_borrowed_str(text),
                other => Err(unexpected(other, &visitor)),
            }
        })*
    };
}

impl<'de> Borrowed<'de> {
    /// Reads a list. An item that the visitor leaves is an error, as with a pair of three numbers.
    fn list<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let Value::Array(items) = self.0 else { return Err(unexpected(self.0, &visitor)) };
        let mut left = SeqDeserializer::new(items.iter().map(Borrowed));
        let found = visitor.visit_seq(&mut left)?;
        left.end()?;
        Ok(found)
    }

    fn object<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let Value::Object(parts) = self.0 else { return Err(unexpected(self.0, &visitor)) };
        visitor.visit_map(MapDeserializer::new(parts.iter().map(|(name, part)| (name.as_str(), Borrowed(part)))))
    }
}

impl<'de> Deserializer<'de> for Borrowed<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(_) | Value::Number(_) => self.deserialize_u64(visitor),
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(_) => self.list(visitor),
            Value::Object(_) => self.object(visitor),
        }
    }

    scalars! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128 deserialize_u8
        deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32 deserialize_f64
    }
    texts! { deserialize_char deserialize_str deserialize_string deserialize_identifier }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _name: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.list(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _count: usize, visitor: V) -> Result<V::Value, Error> {
        self.list(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.object(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.object(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0 {
            Value::String(text) => visitor.visit_enum(text.as_str().into_deserializer()),
            other => Err(unexpected(other, &visitor)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! { bytes byte_buf unit unit_struct tuple_struct }
}
