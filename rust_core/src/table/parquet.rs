//! States as a Parquet file, written column by column. The columns have the same types as in the Arrow stream.
//!
//! A file has groups of rows, and a group has a chunk for each column. A chunk has pages of some thousand rows, each
//! compressed on its own. Before them stands a page with the different values of the column, if these are few. At the
//! end of the file are the smallest and the largest value of each page and of each chunk, and where the pages begin.
//! The numbers of fields, types and encodings are those of `parquet.thrift` of the Parquet format.

use std::io::{Result, Write};
use std::ops::Range;

use arrow_schema::{DataType, Field};

use super::arrow_types::arrow_types;
use super::columns::Columns;
use super::encodings::{put_differences, put_runs};
use super::thrift::{ThriftType, ThriftWriter};
use crate::engine::{Packed, Rows};

/// The rows of a page.
const PAGE_ROWS: usize = 1 << 14;

/// The bytes with which a file begins and ends.
const MAGIC: &[u8] = b"PAR1";

/// The compression LZ4 without a frame.
const LZ4_RAW: usize = 7;

/// The numbers of the encodings.
const PLAIN: usize = 0;
const RUNS: usize = 3;
const DIFFERENCES: usize = 5;
const RUNS_OF_PLACES: usize = 8;

/// A Parquet file that is being written. Rows are gathered until they fill a row group.
pub(super) struct Parquet<'a> {
    to: &'a mut (dyn Write + Send),
    columns: &'a Columns,
    /// The names of the outcomes.
    outcomes: &'a [String],
    gathered: RowGroup,
    /// The most rows of a row group.
    rows: usize,
    /// The number of bytes that are written.
    written: u64,
    /// For each row group, its number of rows and its chunks.
    groups: Vec<(usize, Vec<ColumnChunk>)>,
}

/// The columns of the rows that are gathered for the next row group.
#[derive(Default)]
struct RowGroup {
    depths: Vec<u32>,
    /// States of at most 64 bits.
    numbers: Vec<u64>,
    /// The bytes of wider states, one state after the other.
    bytes: Vec<u8>,
    /// The number of bytes of each state in `bytes`.
    width: usize,
    orbit_sizes: Vec<u32>,
    outcomes: Vec<Option<u32>>,
    /// The place of each row's value, if the job has values.
    values: Vec<u32>,
    /// The distances of the rows, or their points in a game with a score.
    distances: Vec<Option<u32>>,
    /// The texts of the states, one after another.
    text: Vec<u8>,
    /// For each text, the place in `text` where it ends.
    ends: Vec<usize>,
}

/// The values of a column in a row group. Rows without a value are left out.
enum ColumnValues {
    /// Few different values: for each row, the place of its value in a list.
    Places(Vec<u32>, Entries),
    /// Numbers that are mostly in order.
    Numbers(Vec<u64>),
    /// Values of as many bytes each.
    Bytes(usize, Vec<u8>),
    /// Texts, one after another, and the place where each ends.
    Texts(Vec<u8>, Vec<usize>),
}

/// The different values of a column.
enum Entries {
    /// In ascending order.
    Numbers(Vec<u32>),
    Names(Vec<String>),
}

/// A column of a row group in the file.
struct ColumnChunk {
    /// The number of its encoding.
    encoding: usize,
    /// Where the page of different values begins, if there is one.
    entries_at: Option<u64>,
    pages: Vec<Page>,
    /// All pages as one, with their headers.
    whole: Page,
    /// The bytes of all pages with their headers before they were compressed.
    plain_bytes: u64,
}

/// A page in the file.
struct Page {
    /// Where it begins.
    at: u64,
    /// Its bytes with its header.
    bytes: u64,
    first_row: usize,
    /// The number of rows without a value.
    nulls: usize,
    /// The smallest and the largest value; `None` if no row has one, or if the column has texts.
    bounds: Option<[Vec<u8>; 2]>,
}

impl<'a> Parquet<'a> {
    /// Begins a file whose row groups have at most `rows` rows.
    pub fn new(
        to: &'a mut (dyn Write + Send),
        columns: &'a Columns,
        outcomes: &'a [String],
        rows: usize,
    ) -> Result<Self> {
        let (gathered, groups) = (RowGroup::default(), Vec::new());
        let mut file = Self { to, columns, outcomes, gathered, rows, written: 0, groups };
        file.put(MAGIC)?;
        Ok(file)
    }

    /// Adds rows.
    pub fn write(&mut self, rows: &Rows) -> Result<()> {
        if self.gathered.depths.len() + rows.len() > self.rows {
            self.flush()?;
        }
        let group = &mut self.gathered;
        group.depths.resize(group.depths.len() + rows.len(), rows.depth as u32);
        match &rows.packed {
            Packed::Numbers(numbers) => group.numbers.extend_from_slice(numbers),
            Packed::Bytes(width, bytes) => {
                group.width = *width;
                group.bytes.extend_from_slice(bytes);
            }
        }
        group.orbit_sizes.extend_from_slice(&rows.orbit_sizes);
        group.outcomes.extend(rows.outcomes.iter().map(|outcome| outcome.map(u32::from)));
        for value in rows.values.iter().flatten() {
            group.values.push(value.place() as u32);
            group.distances.push(value.score().map(|points| points as u32).or_else(|| value.distance()));
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
        let groups = std::mem::take(&mut self.groups);
        let chunks = || groups.iter().flat_map(|(_, chunks)| chunks);
        let mut places = Vec::new();
        for chunk in chunks() {
            let bounds = if chunk.whole.bounds.is_some() { chunk.bounds_of_pages() } else { Vec::new() };
            places.push([self.put_all(&bounds)?, self.put_all(&chunk.places_of_pages())?]);
        }
        let footer = self.footer(&groups, &places);
        self.put(&footer)?;
        self.put(&(footer.len() as u32).to_le_bytes())?;
        self.put(MAGIC)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.written += bytes.len() as u64;
        self.to.write_all(bytes)
    }

    /// Writes bytes. Returns where they begin and end.
    fn put_all(&mut self, bytes: &[u8]) -> Result<Range<u64>> {
        let begin = self.written;
        self.put(bytes)?;
        Ok(begin..self.written)
    }

    /// Writes the gathered rows as one row group.
    fn flush(&mut self) -> Result<()> {
        let group = std::mem::take(&mut self.gathered);
        let rows = group.depths.len();
        if rows == 0 {
            return Ok(());
        }
        let all = |values: Vec<u32>| ColumnValues::places(values, false);
        let states = match group.width {
            0 => ColumnValues::Numbers(group.numbers),
            width => ColumnValues::Bytes(width, group.bytes),
        };
        let outcomes = group.outcomes.iter().flatten().copied().collect();
        let outcomes = ColumnValues::Places(outcomes, Entries::Names(self.outcomes.to_vec()));
        let has_outcome: Vec<_> = group.outcomes.iter().map(|outcome| u32::from(outcome.is_some())).collect();
        let mut chunks = vec![
            self.chunk(&all(group.depths), None)?,
            self.chunk(&states, None)?,
            self.chunk(&all(group.orbit_sizes), None)?,
            self.chunk(&outcomes, Some(&has_outcome))?,
        ];
        if !group.values.is_empty() {
            let scored = self.columns.scored;
            let names = self.columns.value_names().iter().map(|&name| name.to_owned()).collect();
            let has_distance: Vec<_> = group.distances.iter().map(|value| u32::from(value.is_some())).collect();
            let distances = ColumnValues::places(group.distances.into_iter().flatten().collect(), scored);
            chunks.push(self.chunk(&ColumnValues::Places(group.values, Entries::Names(names)), None)?);
            chunks.push(self.chunk(&distances, (!scored).then_some(&has_distance))?);
        }
        if !group.ends.is_empty() {
            chunks.push(self.chunk(&ColumnValues::Texts(group.text, group.ends), None)?);
        }
        self.groups.push((rows, chunks));
        Ok(())
    }

    /// Writes a column of a row group. `present` has 1 for each row with a value, and 0 for the others.
    fn chunk(&mut self, values: &ColumnValues, present: Option<&Vec<u32>>) -> Result<ColumnChunk> {
        let rows = present.map_or(values.len(), Vec::len);
        let (begin, mut plain_bytes, mut entries_at) = (self.written, 0, None);
        if let ColumnValues::Places(_, entries) = values {
            entries_at = Some(begin);
            plain_bytes += self.page(&entries.to_bytes(), 2, &|header| {
                header.structure(7, |header| {
                    header.int(1, entries.len());
                    header.int(2, PLAIN);
                });
            })?;
        }
        let (mut pages, mut first) = (Vec::new(), 0);
        for first_row in (0..rows).step_by(PAGE_ROWS) {
            let count = PAGE_ROWS.min(rows - first_row);
            let (mut bytes, mut held) = (Vec::new(), count);
            if let Some(present) = present {
                let present = &present[first_row..first_row + count];
                held = present.iter().filter(|&&one| one == 1).count();
                let mut levels = Vec::new();
                put_runs(present, 1, &mut levels);
                bytes.extend_from_slice(&(levels.len() as u32).to_le_bytes());
                bytes.extend_from_slice(&levels);
            }
            values.put(first..first + held, &mut bytes);
            let at = self.written;
            plain_bytes += self.page(&bytes, 0, &|header| {
                header.structure(5, |header| {
                    header.int(1, count);
                    header.int(2, values.encoding());
                    header.int(3, RUNS);
                    header.int(4, RUNS);
                });
            })?;
            let (nulls, bounds) = (count - held, values.bounds(first..first + held));
            pages.push(Page { at, bytes: self.written - at, first_row, nulls, bounds });
            first += held;
        }
        let (nulls, bounds) = (rows - first, values.bounds(0..first));
        let whole = Page { at: begin, bytes: self.written - begin, first_row: 0, nulls, bounds };
        Ok(ColumnChunk { encoding: values.encoding(), entries_at, pages, whole, plain_bytes })
    }

    /// Writes a page and its header, whose last part is written by `rest`. Returns the bytes that both would take if
    /// nothing were compressed.
    fn page(&mut self, bytes: &[u8], kind: usize, rest: &dyn Fn(&mut ThriftWriter)) -> Result<u64> {
        let packed = lz4_flex::block::compress(bytes);
        let header = ThriftWriter::whole(|header| {
            header.int(1, kind);
            header.int(2, bytes.len());
            header.int(3, packed.len());
            rest(header);
        });
        self.put(&header)?;
        self.put(&packed)?;
        Ok((header.len() + bytes.len()) as u64)
    }

    /// The footer. `places` has, for each chunk, where the bounds and the places of its pages stand.
    fn footer(&self, groups: &[(usize, Vec<ColumnChunk>)], places: &[[Range<u64>; 2]]) -> Vec<u8> {
        let schema = &self.columns.schema;
        let types = ("ARROW:schema".to_owned(), arrow_types(schema));
        let about: Vec<_> = schema.metadata().iter().chain([(&types.0, &types.1)]).collect();
        let mut places = places.iter();
        ThriftWriter::whole(|to| {
            to.int(1, 1);
            to.list(2, ThriftType::Struct, 1 + schema.fields().len(), |to| {
                to.structure_item(|to| {
                    to.binary(4, b"states");
                    to.int(5, schema.fields().len());
                });
                schema.fields().iter().for_each(|field| put_type(to, field));
            });
            to.long(3, groups.iter().map(|&(rows, _)| rows as u64).sum());
            to.list(4, ThriftType::Struct, groups.len(), |to| {
                for (number, &(rows, ref chunks)) in groups.iter().enumerate() {
                    to.structure_item(|to| {
                        to.list(1, ThriftType::Struct, chunks.len(), |to| {
                            for ((field, chunk), places) in schema.fields().iter().zip(chunks).zip(&mut places) {
                                to.structure_item(|to| chunk.describe(to, field, rows, places));
                            }
                        });
                        to.long(2, chunks.iter().map(|chunk| chunk.plain_bytes).sum());
                        to.long(3, rows as u64);
                        // Rows are in order of the depth, and then of the state.
                        to.list(4, ThriftType::Struct, 2, |to| {
                            for column in 0..2 {
                                to.structure_item(|to| {
                                    to.int(1, column);
                                    to.flag(2, false);
                                    to.flag(3, false);
                                });
                            }
                        });
                        to.long(5, chunks[0].whole.at);
                        to.long(6, chunks.iter().map(|chunk| chunk.whole.bytes).sum());
                        if let Ok(number) = i16::try_from(number) {
                            to.short(7, number as usize);
                        }
                    });
                }
            });
            to.list(5, ThriftType::Struct, about.len(), |to| {
                for (key, value) in about {
                    to.structure_item(|to| {
                        to.binary(1, key.as_bytes());
                        to.binary(2, value.as_bytes());
                    });
                }
            });
            to.binary(6, concat!("puzzlekit ", env!("CARGO_PKG_VERSION")).as_bytes());
            // The smallest and the largest values are by the order of the columns' types.
            to.list(7, ThriftType::Struct, schema.fields().len(), |to| {
                schema.fields().iter().for_each(|_| to.structure_item(|to| to.structure(1, |_| ())));
            });
        })
    }
}

/// The number of a column's type in the file.
fn physical(field: &Field) -> usize {
    match field.data_type() {
        DataType::UInt32 | DataType::Int32 => 1,
        DataType::UInt64 => 2,
        DataType::FixedSizeBinary(_) => 7,
        _ => 6,
    }
}

/// Describes the type of a column.
fn put_type(to: &mut ThriftWriter, field: &Field) {
    let integer = |to: &mut ThriftWriter, old: usize, bits: u8, signed: bool| {
        to.int(6, old);
        to.structure(10, |to| {
            to.structure(10, |to| {
                to.byte(1, bits);
                to.flag(2, signed);
            });
        });
    };
    to.structure_item(|to| {
        to.int(1, physical(field));
        if let DataType::FixedSizeBinary(bytes) = field.data_type() {
            to.int(2, *bytes as usize);
        }
        to.int(3, usize::from(field.is_nullable()));
        to.binary(4, field.name().as_bytes());
        match field.data_type() {
            DataType::UInt32 => integer(to, 13, 32, false),
            DataType::UInt64 => integer(to, 14, 64, false),
            DataType::Int32 => integer(to, 17, 32, true),
            DataType::FixedSizeBinary(_) => {}
            _ => {
                to.int(6, 0);
                to.structure(10, |to| to.structure(1, |_| ()));
            }
        }
    });
}

impl ColumnChunk {
    /// Describes the chunk, which belongs to a column of a group of `rows` rows.
    fn describe(&self, to: &mut ThriftWriter, field: &Field, rows: usize, places: &[Range<u64>; 2]) {
        to.long(2, 0);
        to.structure(3, |to| {
            let encodings = [self.encoding, RUNS, PLAIN];
            to.int(1, physical(field));
            to.list(2, ThriftType::Int, encodings.len(), |to| {
                for encoding in encodings {
                    to.number_item(encoding as u64);
                }
            });
            to.list(3, ThriftType::Binary, 1, |to| to.binary_item(field.name().as_bytes()));
            to.int(4, LZ4_RAW);
            to.long(5, rows as u64);
            to.long(6, self.plain_bytes);
            to.long(7, self.whole.bytes);
            to.long(9, self.pages[0].at);
            if let Some(at) = self.entries_at {
                to.long(11, at);
            }
            to.structure(12, |to| {
                to.long(3, self.whole.nulls as u64);
                if let Some([least, most]) = &self.whole.bounds {
                    to.binary(5, most);
                    to.binary(6, least);
                    to.flag(7, true);
                    to.flag(8, true);
                }
            });
        });
        let [bounds, pages] = places;
        to.long(4, pages.start);
        to.int(5, (pages.end - pages.start) as usize);
        if !bounds.is_empty() {
            to.long(6, bounds.start);
            to.int(7, (bounds.end - bounds.start) as usize);
        }
    }

    /// The smallest and the largest value of each page.
    fn bounds_of_pages(&self) -> Vec<u8> {
        let none = || [Vec::new(), Vec::new()];
        let bounds: Vec<_> = self.pages.iter().map(|page| page.bounds.clone().unwrap_or_else(none)).collect();
        ThriftWriter::whole(|to| {
            to.list(1, ThriftType::True, bounds.len(), |to| {
                self.pages.iter().for_each(|page| to.flag_item(page.bounds.is_none()));
            });
            for (number, end) in [(2, 0), (3, 1)] {
                to.list(number, ThriftType::Binary, bounds.len(), |to| {
                    for bounds in &bounds {
                        to.binary_item(&bounds[end]);
                    }
                });
            }
            // The pages need not be in any order of their bounds.
            to.int(4, 0);
            to.list(5, ThriftType::Long, bounds.len(), |to| {
                self.pages.iter().for_each(|page| to.number_item(page.nulls as u64));
            });
        })
    }

    /// Where each page begins, its bytes and its first row.
    fn places_of_pages(&self) -> Vec<u8> {
        ThriftWriter::whole(|to| {
            to.list(1, ThriftType::Struct, self.pages.len(), |to| {
                for page in &self.pages {
                    to.structure_item(|to| {
                        to.long(1, page.at);
                        to.int(2, page.bytes as usize);
                        to.long(3, page.first_row as u64);
                    });
                }
            });
        })
    }
}

impl Entries {
    fn len(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.len(),
            Self::Names(names) => names.len(),
        }
    }

    /// An entry without its length.
    fn get(&self, place: u32) -> Vec<u8> {
        match self {
            Self::Numbers(numbers) => numbers[place as usize].to_le_bytes().to_vec(),
            Self::Names(names) => names[place as usize].as_bytes().to_vec(),
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut to = Vec::new();
        for place in 0..self.len() as u32 {
            let entry = self.get(place);
            if matches!(self, Self::Names(_)) {
                to.extend_from_slice(&(entry.len() as u32).to_le_bytes());
            }
            to.extend_from_slice(&entry);
        }
        to
    }
}

impl ColumnValues {
    /// A column of numbers, few of which are different. If they are `signed`, they stand for negative ones, too.
    fn places(mut values: Vec<u32>, signed: bool) -> Self {
        let key = |number: u32| number ^ u32::from(signed) << 31;
        let mut entries: Vec<u32> = values.iter().map(|&number| key(number)).collect();
        entries.sort_unstable();
        entries.dedup();
        for value in &mut values {
            *value = entries.partition_point(|&entry| entry < key(*value)) as u32;
        }
        Self::Places(values, Entries::Numbers(entries.into_iter().map(key).collect()))
    }

    fn len(&self) -> usize {
        match self {
            Self::Places(places, _) => places.len(),
            Self::Numbers(numbers) => numbers.len(),
            Self::Bytes(width, bytes) => bytes.len() / width,
            Self::Texts(_, ends) => ends.len(),
        }
    }

    fn encoding(&self) -> usize {
        match self {
            Self::Places(..) => RUNS_OF_PLACES,
            Self::Numbers(_) => DIFFERENCES,
            Self::Bytes(..) | Self::Texts(..) => PLAIN,
        }
    }

    /// Appends some of the values, in the encoding of the column.
    fn put(&self, range: Range<usize>, to: &mut Vec<u8>) {
        match self {
            Self::Places(places, entries) => {
                let bits = (entries.len().max(2) as u32 - 1).ilog2() + 1;
                to.push(bits as u8);
                put_runs(&places[range], bits, to);
            }
            Self::Numbers(numbers) => put_differences(&numbers[range], to),
            Self::Bytes(width, bytes) => to.extend_from_slice(&bytes[range.start * width..range.end * width]),
            Self::Texts(text, ends) => {
                let mut begin = range.start.checked_sub(1).map_or(0, |before| ends[before]);
                for &end in &ends[range] {
                    to.extend_from_slice(&((end - begin) as u32).to_le_bytes());
                    to.extend_from_slice(&text[begin..end]);
                    begin = end;
                }
            }
        }
    }

    /// The smallest and the largest of some values.
    fn bounds(&self, range: Range<usize>) -> Option<[Vec<u8>; 2]> {
        let both = |least: Option<&[u8]>, most: Option<&[u8]>| Some([least?.to_vec(), most?.to_vec()]);
        match self {
            Self::Places(places, entries) => {
                let mut used = vec![false; entries.len()];
                places[range].iter().for_each(|&place| used[place as usize] = true);
                let mut used: Vec<_> =
                    (0..used.len() as u32).filter(|&at| used[at as usize]).map(|at| entries.get(at)).collect();
                // Numbers are in order already, and their bytes would not be.
                if matches!(entries, Entries::Names(_)) {
                    crate::sorting::sort(&mut used);
                }
                both(used.first().map(Vec::as_slice), used.last().map(Vec::as_slice))
            }
            Self::Numbers(numbers) => {
                let numbers = &numbers[range];
                let bytes = |number: Option<&u64>| number.map(|number| number.to_le_bytes().to_vec());
                Some([bytes(numbers.iter().min())?, bytes(numbers.iter().max())?])
            }
            Self::Bytes(width, bytes) => {
                let values = || bytes[range.start * width..range.end * width].chunks_exact(*width);
                both(values().min(), values().max())
            }
            Self::Texts(..) => None,
        }
    }
}
