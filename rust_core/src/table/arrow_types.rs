//! The types of columns as readers of Parquet look for them: a schema message of Arrow's IPC format.
//!
//! Parquet itself has no dictionaries as a type. Writers that know Arrow therefore put the schema into the file under the key
//! `ARROW:schema`; without it, a column of categories would be read as one of plain strings. The crate `arrow-ipc` writes such
//! messages, and brings a minute of building for the arrays that it also writes. So the message is put together here, field by
//! field, as `Schema.fbs` and `Message.fbs` of the Arrow format number its fields and types.

use arrow_schema::{DataType, Field, Schema};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flatbuffers::{FlatBufferBuilder, Push, TableFinishedWIPOffset, WIPOffset};

type Table = WIPOffset<TableFinishedWIPOffset>;

/// The version of metadata, V5.
const VERSION: i16 = 4;
/// The place of a schema among the headers of a message.
const SCHEMA: u8 = 1;
/// What stands before the length of each message.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// The place of a type among those of a field.
#[derive(Clone, Copy)]
#[repr(u8)]
enum Type {
    Int = 2,
    Utf8 = 5,
    FixedSizeBinary = 15,
}

/// The types and the metadata of a schema, as the value of `ARROW:schema`.
///
/// # Panics
///
/// Where a column is of a type that no table of states has.
pub(super) fn arrow_types(schema: &Schema) -> String {
    let mut to = FlatBufferBuilder::new();
    let fields: Vec<Table> = schema.fields().iter().map(|field| field_of(field, &mut to)).collect();
    let fields = to.create_vector(&fields);
    let about: Vec<Table> = schema.metadata().iter().map(|(key, value)| pair_of(key, value, &mut to)).collect();
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

/// Key 0, value 1.
fn pair_of(key: &str, value: &str, to: &mut FlatBufferBuilder<'_>) -> Table {
    let (key, value) = (to.create_string(key), to.create_string(value));
    table(to, |to| {
        put(to, 0, key);
        put(to, 1, value);
    })
}

/// Name 0, nullable 1, which type 2, type 3, dictionary 4, children 5.
fn field_of(field: &Field, to: &mut FlatBufferBuilder<'_>) -> Table {
    let name = to.create_string(field.name());
    let (of_type, which, dictionary) = match field.data_type() {
        DataType::Dictionary(index, values) => {
            let (index, _) = type_of(index, to);
            let (values, which) = type_of(values, to);
            // Its number 0 is the default; the type of what points into it is 1.
            (values, which, Some(table(to, |to| put(to, 1, index))))
        }
        other => {
            let (of_type, which) = type_of(other, to);
            (of_type, which, None)
        }
    };
    let children = to.create_vector::<Table>(&[]);
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

/// Of integers, bits 0 and signed 1; of bytes, how many 0.
fn type_of(of_type: &DataType, to: &mut FlatBufferBuilder<'_>) -> (Table, Type) {
    let mut integer = |bits: i32, signed: bool| {
        table(to, |to| {
            put(to, 0, bits);
            put(to, 1, signed);
        })
    };
    match of_type {
        DataType::Int16 => (integer(16, true), Type::Int),
        DataType::UInt32 => (integer(32, false), Type::Int),
        DataType::UInt64 => (integer(64, false), Type::Int),
        DataType::FixedSizeBinary(bytes) => (table(to, |to| put(to, 0, *bytes)), Type::FixedSizeBinary),
        DataType::Utf8 => (table(to, |_| ()), Type::Utf8),
        other => unreachable!("no column is {other}"),
    }
}

fn table(to: &mut FlatBufferBuilder<'_>, fill: impl FnOnce(&mut FlatBufferBuilder<'_>)) -> Table {
    let start = to.start_table();
    fill(to);
    to.end_table(start)
}

/// Sets a field of the table that is being written, by its number.
fn put<X: Push>(to: &mut FlatBufferBuilder<'_>, field: u16, value: X) {
    to.push_slot_always(4 + 2 * field, value);
}
