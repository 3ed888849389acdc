//! The types of a table's columns, written into Parquet files in the form that other readers look for: a schema message
//! of Arrow's IPC format.
//!
//! Parquet has no type for columns of categories. So writers that know Arrow put Arrow's schema into the file, under
//! the key `ARROW:schema`. Without it, a column of categories would be read as plain strings. The crate `arrow-ipc`
//! writes such messages, but it also writes arrays, and that adds a minute to the build. So the message is put together
//! here, field by field. Fields and types have the numbers that `Schema.fbs` and `Message.fbs` of the Arrow format give
//! them.

use std::ops::RangeFrom;

use arrow_schema::{DataType, Field, Schema};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flatbuffers::{FlatBufferBuilder, Push, TableFinishedWIPOffset, WIPOffset};

type TableOffset = WIPOffset<TableFinishedWIPOffset>;

/// The version of the metadata: 4 stands for V5.
const VERSION: i16 = 4;
/// The number that says that a message contains a schema.
const SCHEMA: u8 = 1;
/// The bytes before the length of each message.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// The kind of a field, by its number in the format.
#[derive(Clone, Copy)]
#[repr(u8)]
enum Type {
    Int = 2,
    Utf8 = 5,
    FixedSizeBinary = 15,
}

/// The types of a schema's columns and its metadata, as the value of `ARROW:schema`.
///
/// # Panics
///
/// If a column has a type that no table of states has.
pub(super) fn arrow_types(schema: &Schema) -> String {
    let mut to = FlatBufferBuilder::new();
    let mut dictionaries = 0..;
    let fields: Vec<TableOffset> =
        schema.fields().iter().map(|field| field_of(field, &mut dictionaries, &mut to)).collect();
    let fields = to.create_vector(&fields);
    let about: Vec<TableOffset> = schema.metadata().iter().map(|(key, value)| pair_of(key, value, &mut to)).collect();
    let about = to.create_vector(&about);
    let schema = table(&mut to, |to| {
        put(to, 1, fields);
        put(to, 2, about);
    });
    let message = table(&mut to, |to| {
        put(to, 2, schema);
        put(to, 0, VERSION);
        put(to, 1, SCHEMA);
    });
    to.finish_minimal(message);
    let message = to.finished_data();
    let length = (message.len() as u32).to_le_bytes();
    STANDARD.encode([CONTINUATION.as_slice(), &length, message].concat())
}

/// Writes a key and its value, which are the fields 0 and 1 of a pair.
fn pair_of(key: &str, value: &str, to: &mut FlatBufferBuilder<'_>) -> TableOffset {
    let (key, value) = (to.create_string(key), to.create_string(value));
    table(to, |to| {
        put(to, 0, key);
        put(to, 1, value);
    })
}

/// Writes a field. Its own fields are: 0 the name, 1 nullable, 2 the number of its type, 3 the type, 4 the dictionary,
/// 5 the children.
fn field_of(field: &Field, dictionaries: &mut RangeFrom<i64>, to: &mut FlatBufferBuilder<'_>) -> TableOffset {
    let name = to.create_string(field.name());
    let (of_type, which, dictionary) = match field.data_type() {
        DataType::Dictionary(index, values) => {
            let (index, _) = type_of(index, to);
            let (values, which) = type_of(values, to);
            // Field 0 is the number of the dictionary. The first dictionary has 0, the default, which is not written.
            // Field 1 is the type of the numbers that refer to entries of the dictionary.
            let number = dictionaries.next().unwrap_or(0);
            let dictionary = table(to, |to| {
                put(to, 1, index);
                if number > 0 {
                    put(to, 0, number);
                }
            });
            (values, which, Some(dictionary))
        }
        other => {
            let (of_type, which) = type_of(other, to);
            (of_type, which, None)
        }
    };
    let children = to.create_vector::<TableOffset>(&[]);
    table(to, |to| {
        put(to, 0, name);
        put(to, 3, of_type);
        if let Some(dictionary) = dictionary {
            put(to, 4, dictionary);
        }
        put(to, 5, children);
        put(to, 1, field.is_nullable());
        put(to, 2, which as u8);
    })
}

/// Writes a type, and returns its kind, too. A type of integers has two fields: 0 is the number of bits, and 1 is
/// `true` for signed integers. A type of bytes has one field: 0 is the number of bytes.
fn type_of(of_type: &DataType, to: &mut FlatBufferBuilder<'_>) -> (TableOffset, Type) {
    let mut integer = |bits: i32, signed: bool| {
        table(to, |to| {
            put(to, 0, bits);
            put(to, 1, signed);
        })
    };
    match of_type {
        DataType::Int16 => (integer(16, true), Type::Int),
        DataType::Int32 => (integer(32, true), Type::Int),
        DataType::UInt32 => (integer(32, false), Type::Int),
        DataType::UInt64 => (integer(64, false), Type::Int),
        DataType::FixedSizeBinary(bytes) => (table(to, |to| put(to, 0, *bytes)), Type::FixedSizeBinary),
        DataType::Utf8 => (table(to, |_| ()), Type::Utf8),
        other => unreachable!("no column is {other}"),
    }
}

fn table(to: &mut FlatBufferBuilder<'_>, fill: impl FnOnce(&mut FlatBufferBuilder<'_>)) -> TableOffset {
    let start = to.start_table();
    fill(to);
    to.end_table(start)
}

/// Sets a field of the table that is being written, by its number.
fn put<X: Push>(to: &mut FlatBufferBuilder<'_>, field: u16, value: X) {
    to.push_slot_always(4 + 2 * field, value);
}
