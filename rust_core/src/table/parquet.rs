//! States as a Parquet file, written column by column. The columns have the same types as in the Arrow stream.

use std::io::Write;
use std::sync::Arc;

use arrow_schema::DataType;
use bytes::Bytes;
use parquet::basic::{Compression, Encoding};
use parquet::column::writer::ColumnWriterImpl;
use parquet::data_type::{
    ByteArray, ByteArrayType, DataType as Physical, FixedLenByteArray, FixedLenByteArrayType, Int32Type, Int64Type,
};
use parquet::errors::Result;
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, SerializedRowGroupWriter, TrackedWrite};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{ColumnDescPtr, ColumnPath};

use super::arrow_types::arrow_types;
use super::columns::Columns;
use crate::engine::{Packed, Rows};

/// The number of texts that are passed to the writer at a time. Each takes 32 bytes meanwhile.
const TEXTS: usize = 1 << 12;

/// A Parquet file that is being written. Rows are gathered until they fill a row group.
pub(super) struct Parquet<'a, W: Write + Send> {
    writer: SerializedFileWriter<W>,
    columns: &'a Columns,
    /// The names of the outcomes.
    outcomes: Vec<ByteArray>,
    gathered: RowGroup,
    /// The most rows of a row group.
    rows: usize,
}

/// The columns of the rows that are gathered for the next row group.
#[derive(Default)]
struct RowGroup {
    depths: Vec<i32>,
    /// States of at most 64 bits.
    numbers: Vec<i64>,
    /// The bytes of wider states, one state after the other.
    bytes: Vec<u8>,
    /// The number of bytes of each state in `bytes`.
    width: usize,
    orbit_sizes: Vec<i32>,
    /// The outcomes of the rows that have one.
    outcomes: Vec<ByteArray>,
    /// For each row, 1 if the row has an outcome, and 0 if not. Parquet calls this number a definition level.
    levels: Vec<i16>,
    /// The name of each row's value, if the job has values.
    values: Vec<ByteArray>,
    /// For each row, the definition level of its distance: 1 if it has one, and 0 if not.
    has_distance: Vec<i16>,
    /// The distances of the rows that have one.
    distances: Vec<i32>,
    /// The points of each row, in a game with a score.
    scores: Vec<i32>,
    /// The texts of the states, one after another.
    text: Vec<u8>,
    /// For each text, the place in `text` where it ends.
    ends: Vec<usize>,
}

impl<'a, W: Write + Send> Parquet<'a, W> {
    /// Begins a file whose row groups have at most `rows` rows.
    pub fn new(to: W, columns: &'a Columns, outcomes: &[String], rows: usize) -> Result<Self> {
        let message = Arc::new(parse_message_type(&message_type(columns))?);
        let writer = SerializedFileWriter::new(to, message, Arc::new(properties(columns)))?;
        let outcomes = outcomes.iter().map(|name| ByteArray::from(name.as_str())).collect();
        Ok(Self { writer, columns, outcomes, gathered: RowGroup::default(), rows })
    }

    /// Adds rows.
    pub fn write(&mut self, rows: &Rows) -> Result<()> {
        if self.gathered.depths.len() + rows.len() > self.rows {
            self.flush()?;
        }
        let group = &mut self.gathered;
        group.depths.resize(group.depths.len() + rows.len(), rows.depth as i32);
        match &rows.packed {
            Packed::Numbers(numbers) => group.numbers.extend(numbers.iter().map(|&number| number as i64)),
            Packed::Bytes(width, bytes) => {
                group.width = *width;
                group.bytes.extend_from_slice(bytes);
            }
        }
        group.orbit_sizes.extend(rows.orbit_sizes.iter().map(|&size| size as i32));
        group.levels.extend(rows.outcomes.iter().map(|outcome| i16::from(outcome.is_some())));
        group.outcomes.extend(rows.outcomes.iter().flatten().map(|&outcome| self.outcomes[outcome as usize].clone()));
        for value in rows.values.iter().flatten() {
            group.values.push(ByteArray::from(self.columns.value_name(*value)));
            group.has_distance.push(i16::from(value.distance().is_some()));
            group.distances.extend(value.distance().map(|distance| distance as i32));
            group.scores.extend(value.score());
        }
        let mut text = String::new();
        for row in 0..rows.len() {
            if self.columns.text(rows, row, &mut text) {
                group.text.extend_from_slice(text.as_bytes());
                group.ends.push(group.text.len());
            }
        }
        Ok(())
    }

    /// Writes the rows that are left, and the end of the file.
    pub fn close(mut self) -> Result<()> {
        self.flush()?;
        self.writer.close().map(|_| ())
    }

    /// Writes the gathered rows as one row group.
    fn flush(&mut self) -> Result<()> {
        let group = std::mem::take(&mut self.gathered);
        if group.depths.is_empty() {
            return Ok(());
        }
        let properties = Arc::clone(self.writer.properties());
        let left = self.writer.schema_descr().columns().to_vec().into_iter();
        let mut to = WrittenGroup { group: self.writer.next_row_group()?, properties, left };
        to.column::<Int32Type>(|column| column.write_batch(&group.depths, None, None).map(|_| ()))?;
        if group.width == 0 {
            to.column::<Int64Type>(|column| column.write_batch(&group.numbers, None, None).map(|_| ()))?;
        } else {
            to.column::<FixedLenByteArrayType>(|column| group.write_bytes(column))?;
        }
        to.column::<Int32Type>(|column| column.write_batch(&group.orbit_sizes, None, None).map(|_| ()))?;
        to.column::<ByteArrayType>(|column| {
            column.write_batch(&group.outcomes, Some(&group.levels), None).map(|_| ())
        })?;
        if !group.values.is_empty() {
            to.column::<ByteArrayType>(|column| column.write_batch(&group.values, None, None).map(|_| ()))?;
            to.column::<Int32Type>(|column| {
                if self.columns.scored {
                    column.write_batch(&group.scores, None, None).map(|_| ())
                } else {
                    column.write_batch(&group.distances, Some(&group.has_distance), None).map(|_| ())
                }
            })?;
        }
        if !group.ends.is_empty() {
            to.column::<ByteArrayType>(|column| write_texts(group.text, &group.ends, column))?;
        }
        to.group.close().map(|_| ())
    }
}

impl RowGroup {
    fn write_bytes(&self, column: &mut ColumnWriterImpl<'_, FixedLenByteArrayType>) -> Result<()> {
        for states in self.bytes.chunks(self.width * TEXTS) {
            let states: Vec<_> =
                states.chunks_exact(self.width).map(|state| FixedLenByteArray::from(state.to_vec())).collect();
            column.write_batch(&states, None, None)?;
        }
        Ok(())
    }
}

/// Writes texts that lie one after another in `text`. `ends` has the place where each text ends.
fn write_texts(text: Vec<u8>, ends: &[usize], column: &mut ColumnWriterImpl<'_, ByteArrayType>) -> Result<()> {
    let (text, mut from) = (ByteArray::from(text), 0);
    for ends in ends.chunks(TEXTS) {
        let mut texts = Vec::with_capacity(ends.len());
        for &end in ends {
            texts.push(text.slice(from, end - from));
            from = end;
        }
        column.write_batch(&texts, None, None)?;
    }
    Ok(())
}

/// A row group that is being written, column by column.
///
/// The crate can also choose the writer of a column by the column's type. But then it compiles the writers of all eight
/// types of Parquet, and the columns here have four of them. So each column is written to memory by the writer of its
/// type, and the row group takes it from there.
struct WrittenGroup<'a, W: Write> {
    group: SerializedRowGroupWriter<'a, W>,
    properties: WriterPropertiesPtr,
    /// The columns that are not written yet.
    left: std::vec::IntoIter<ColumnDescPtr>,
}

impl<W: Write + Send> WrittenGroup<'_, W> {
    /// Writes the next column, whose values have the type `T`.
    fn column<T: Physical>(&mut self, write: impl FnOnce(&mut ColumnWriterImpl<'_, T>) -> Result<()>) -> Result<()> {
        let column = self.left.next().expect("the file has a column for each of these");
        let mut pages = TrackedWrite::new(Vec::new());
        let to = Box::new(SerializedPageWriter::new(&mut pages));
        let mut writer = ColumnWriterImpl::<T>::new(column, Arc::clone(&self.properties), to);
        write(&mut writer)?;
        let closed = writer.close()?;
        self.group.append_column(&Bytes::from(pages.into_inner()?), closed)
    }
}

/// The types of the columns, in Parquet's own notation.
fn message_type(columns: &Columns) -> String {
    let fields = columns.schema.fields().iter().map(|field| {
        let needed = if field.is_nullable() { "OPTIONAL" } else { "REQUIRED" };
        let (physical, logical) = match field.data_type() {
            DataType::Int32 => ("INT32".to_owned(), " (INTEGER(32,true))"),
            DataType::UInt32 => ("INT32".to_owned(), " (INTEGER(32,false))"),
            DataType::UInt64 => ("INT64".to_owned(), " (INTEGER(64,false))"),
            DataType::FixedSizeBinary(bytes) => (format!("FIXED_LEN_BYTE_ARRAY ({bytes})"), ""),
            _ => ("BYTE_ARRAY".to_owned(), " (STRING)"),
        };
        format!("{needed} {physical} {}{logical};", field.name())
    });
    format!("message states {{ {} }}", fields.collect::<Vec<_>>().join(" "))
}

/// The encodings and the compression of the file. States are sorted, so each one is stored as its difference from the
/// one before, which takes few bits.
fn properties(columns: &Columns) -> WriterProperties {
    let order = |column_idx| SortingColumn { column_idx, descending: false, nulls_first: false };
    let about = columns.schema.metadata().iter().map(|(key, value)| KeyValue::new(key.clone(), value.clone()));
    let types = KeyValue::new("ARROW:schema".to_owned(), arrow_types(&columns.schema));
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::LZ4_RAW)
        .set_sorting_columns(Some(vec![order(0), order(1)]))
        .set_key_value_metadata(Some(about.chain([types]).collect()))
        .set_max_row_group_row_count(Some(usize::MAX))
        .set_created_by(format!("puzzlekit {}", env!("CARGO_PKG_VERSION")));
    if columns.schema.field(1).data_type() == &DataType::UInt64 {
        let state = ColumnPath::from("state");
        properties = properties
            .set_column_dictionary_enabled(state.clone(), false)
            .set_column_encoding(state, Encoding::DELTA_BINARY_PACKED);
    }
    properties.build()
}
