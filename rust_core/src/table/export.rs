//! Exports the states of a job to files: Parquet, CSV and `NumPy`.

use std::io::Write;
use std::path::Path;

use ::parquet::errors::ParquetError;

use super::columns::{Columns, state_bits};
use super::parquet::Parquet;
use crate::engine::{Engine, JobFolder, Packed, Rows, Span};
use crate::error::{Error, Result};
use crate::job::{Disk, Manifest};
use crate::rules::Notation;
use crate::run::Watch;

/// The form of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Apache Parquet, compressed, in row groups. Each row group is in order.
    Parquet,
    /// Lines of values separated by commas, after a line of names.
    Csv,
    /// One `NumPy` array with a field for each column.
    Npy,
}

impl Engine {
    /// Writes the states of a job to a new file, and returns their number. The file gets its name only when it is
    /// complete.
    ///
    /// # Errors
    ///
    /// [`Error::Job`] if the file is there already, [`Error::Disk`] if it cannot be written, [`Error::Options`] if the
    /// form has no text; and the errors of [`Engine::read_job`].
    pub fn export_job(
        &self,
        keep: &JobFolder,
        span: &Span,
        format: Format,
        to: &Path,
        notation: Option<Notation>,
        watch: Watch,
    ) -> Result<u64> {
        let (Some(name), folder) = (to.file_name().and_then(|name| name.to_str()), to.parent()) else {
            return Err(Error::Options(format!("{} is no name of a file; give one", to.display())));
        };
        if format == Format::Npy && notation.is_some() {
            return Err(Error::Options(
                "an npy file has no column of text; export parquet or csv, or no text".to_owned(),
            ));
        }
        let folder = folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let disk = Disk::shared(folder);
        if matches!((folder.canonicalize(), keep.folder().canonicalize()), (Ok(to), Ok(job)) if to == job) {
            return Err(Error::Job(format!("{} is in the folder of the job; give another place", to.display())));
        }
        let manifest = Manifest::of_folder(keep.folder())?;
        // Another process may find further depths in the meantime. They are left out, because this manifest has no
        // counts of them.
        let Some(last) = (manifest.depths.len() as u64).checked_sub(1) else {
            return Err(Error::Job(format!("{} has no depth yet; resume the job first", keep.folder().display())));
        };
        if span.first > span.last || span.first > last {
            return Err(Error::Options(format!(
                "the job has the depths 0 to {last}, none of them from {} to {}; give others",
                span.first,
                span.last.min(last)
            )));
        }
        let span = &Span { last: span.last.min(last), ..*span };
        let columns = Columns::new(&manifest, self.rules(), notation);
        let mut count = 0;
        let failed = |error: &std::io::Error| disk.failed(name, error);
        let mut file = disk.create(name)?;
        let each = |found: &mut (dyn FnMut(Rows) -> Result<()> + Send)| self.read_job(keep, span, watch, found);
        let written = match format {
            Format::Parquet => {
                let failed = |error| failed(&of_parquet(error));
                let outcomes = &manifest.subject.outcomes;
                let mut writer = Parquet::new(&mut file, &columns, outcomes, span.rows).map_err(failed)?;
                each(&mut |rows| {
                    count += rows.len() as u64;
                    writer.write(&rows).map_err(failed)
                })
                .and_then(|_| writer.close().map_err(failed))
            }
            Format::Csv => {
                let mut writer = csv::Writer::from_writer(&mut file);
                let names = columns.schema.fields().iter().map(|field| field.name());
                writer.write_record(names).map_err(|error| failed(&error.into()))?;
                each(&mut |rows| {
                    count += rows.len() as u64;
                    write_csv(&columns, &rows, &manifest, &mut writer).map_err(|error| failed(&error.into()))
                })
                .and_then(|_| writer.flush().map_err(|error| failed(&error)))
            }
            Format::Npy => {
                let total = span.of(&manifest.depths).map(|depth| manifest.depths[depth].states).sum();
                let name = if columns.scored { "score" } else { "distance" };
                let values = manifest.has_values().then_some(name);
                let header = npy_header(state_bits(&manifest, self.rules()), total, values);
                file.write_all(&header).map_err(|error| failed(&error))?;
                each(&mut |rows| {
                    count += rows.len() as u64;
                    write_npy(&rows, &mut file).map_err(|error| failed(&error))
                })
                .map(|_| ())
            }
        };
        // If writing fails, the unfinished file is dropped here, which removes it.
        written?;
        disk.keep(file)?;
        Ok(count)
    }
}

/// The system's error that a Parquet error contains; otherwise the Parquet error itself, turned into an `io::Error`.
fn of_parquet(error: ParquetError) -> std::io::Error {
    match error {
        ParquetError::External(inner) => {
            inner.downcast::<std::io::Error>().map_or_else(std::io::Error::other, |error| *error)
        }
        other => std::io::Error::other(other.to_string()),
    }
}

fn write_csv<W: Write>(
    columns: &Columns,
    rows: &Rows,
    manifest: &Manifest,
    writer: &mut csv::Writer<W>,
) -> csv::Result<()> {
    let mut text = String::new();
    for row in 0..rows.len() {
        writer.write_field(rows.depth.to_string())?;
        match &rows.packed {
            Packed::Numbers(numbers) => writer.write_field(numbers[row].to_string())?,
            Packed::Bytes(width, bytes) => {
                let digits = bytes[row * width..][..*width].iter().map(|byte| format!("{byte:02x}"));
                writer.write_field(digits.collect::<String>())?;
            }
        }
        writer.write_field(rows.orbit_sizes[row].to_string())?;
        writer.write_field(rows.outcomes[row].map_or("", |outcome| &manifest.subject.outcomes[outcome as usize]))?;
        if let Some(value) = rows.values.as_ref().map(|values| values[row]) {
            writer.write_field(columns.value_name(value))?;
            let score = value.score().map(|points| points.to_string());
            let distance = || value.distance().map(|distance| distance.to_string());
            writer.write_field(score.or_else(distance).unwrap_or_default())?;
        }
        if columns.text(rows, row, &mut text) {
            writer.write_field(&text)?;
        }
        writer.write_record(None::<&[u8]>)?;
    }
    Ok(())
}

/// The header of a file in version 1.0 of `NumPy`'s form, for `rows` rows whose states have `bits` bits.
fn npy_header(bits: usize, rows: u64, values: Option<&str>) -> Vec<u8> {
    let state = if bits <= 64 { "<u8".to_owned() } else { format!("|V{}", bits / 8) };
    let more = values.map_or(String::new(), |name| format!(", ('value', '|i1'), ('{name}', '<i4')"));
    let mut text = format!(
        "{{'descr': [('depth', '<u4'), ('state', '{state}'), ('orbit_size', '<u4'), ('outcome', '<i2'){more}], \
        'fortran_order': False, 'shape': ({rows},), }}"
    );
    // The header is filled up with spaces, so that the data begins at a multiple of 64 bytes, after a line break.
    while (10 + text.len() + 1) % 64 != 0 {
        text.push(' ');
    }
    text.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend_from_slice(&(text.len() as u16).to_le_bytes());
    header.extend_from_slice(text.as_bytes());
    header
}

fn write_npy(rows: &Rows, to: &mut dyn Write) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    for row in 0..rows.len() {
        bytes.extend_from_slice(&(rows.depth as u32).to_le_bytes());
        match &rows.packed {
            Packed::Numbers(numbers) => bytes.extend_from_slice(&numbers[row].to_le_bytes()),
            Packed::Bytes(width, packed) => bytes.extend_from_slice(&packed[row * width..][..*width]),
        }
        bytes.extend_from_slice(&rows.orbit_sizes[row].to_le_bytes());
        bytes.extend_from_slice(&rows.outcomes[row].map_or(-1, |outcome| outcome as i16).to_le_bytes());
        if let Some(value) = rows.values.as_ref().map(|values| values[row]) {
            bytes.push(value.place() as u8);
            let distance = || value.distance().map_or(-1, |distance| distance as i32);
            bytes.extend_from_slice(&value.score().unwrap_or_else(distance).to_le_bytes());
        }
    }
    to.write_all(&bytes)
}
