//! The states of a job as Arrow columns.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::types::Int16Type;
use arrow_array::{ArrayRef, DictionaryArray, FixedSizeBinaryArray, Int16Array, Int32Array, RecordBatch, StringArray};
use arrow_array::{UInt32Array, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use serde_json::json;

use crate::compile::bytes_of_all;
use crate::engine::{KeptValue, Packed, Rows};
use crate::error::{Error, Result};
use crate::job::Manifest;
use crate::rules::{Notation, Rules};

/// The schema of the tables that this version writes.
const SCHEMA: &str = "puzzlekit.states/1";

/// The columns of a table of states, and how rows are converted to them.
#[derive(Debug, Clone)]
pub struct Columns {
    /// The names and types of the columns, with a description of the job as metadata.
    pub schema: SchemaRef,
    outcomes: Arc<StringArray>,
    value_names: &'static [&'static str],
    /// `true` if the rules have a score.
    pub scored: bool,
    notation: Option<Notation>,
}

impl Columns {
    /// The columns of a job: `depth`, `state`, `orbit_size` and `outcome`; if the job has the values of all states,
    /// `value` and `distance` (in a game with a score, `score`); and `text` if a notation is given.
    pub fn new(manifest: &Manifest, rules: &Rules, notation: Option<Notation>) -> Self {
        let bits = state_bits(manifest, rules);
        let state = if bits <= 64 { DataType::UInt64 } else { DataType::FixedSizeBinary((bits / 8) as i32) };
        let outcome = DataType::Dictionary(Box::new(DataType::Int16), Box::new(DataType::Utf8));
        let mut fields = vec![
            Field::new("depth", DataType::UInt32, false),
            Field::new("state", state, false),
            Field::new("orbit_size", DataType::UInt32, false),
            Field::new("outcome", outcome, true),
        ];
        if manifest.has_values() {
            let value = DataType::Dictionary(Box::new(DataType::Int16), Box::new(DataType::Utf8));
            fields.push(Field::new("value", value, false));
            fields.push(if rules.scoring.is_some() {
                Field::new("score", DataType::Int32, false)
            } else {
                Field::new("distance", DataType::UInt32, true)
            });
        }
        if notation.is_some() {
            fields.push(Field::new("text", DataType::Utf8, false));
        }
        let about = HashMap::from([("puzzlekit".to_owned(), about(manifest, rules))]);
        let outcomes = Arc::new(StringArray::from(manifest.subject.outcomes.clone()));
        let value_names = value_names(rules);
        let scored = rules.scoring.is_some();
        Self { value_names, scored, schema: Arc::new(Schema::new(fields).with_metadata(about)), outcomes, notation }
    }

    /// Converts rows to columns.
    ///
    /// # Errors
    ///
    /// [`Error::Memory`] if Arrow cannot hold all rows.
    pub fn batch(&self, rows: Rows) -> Result<RecordBatch> {
        let count = rows.len();
        let width = rows.cells.len() / count.max(1);
        let text = self.notation.as_ref().map(|notation| -> ArrayRef {
            let mut line = String::new();
            let lines = rows.cells.chunks_exact(width).enumerate().map(|(row, cells)| {
                line.clear();
                notation.write(cells, rows.player_of(row), &mut line);
                line.clone()
            });
            Arc::new(StringArray::from_iter_values(lines))
        });
        let outcomes = rows.outcomes.iter().map(|outcome| outcome.map(|outcome| outcome as i16));
        let state: ArrayRef = match rows.packed {
            Packed::Numbers(numbers) => Arc::new(UInt64Array::from(numbers)),
            Packed::Bytes(width, bytes) => Arc::new(
                FixedSizeBinaryArray::try_new(width as i32, bytes.into(), None).map_err(|error| refused(&error))?,
            ),
        };
        let outcome = DictionaryArray::<Int16Type>::try_new(outcomes.collect::<Int16Array>(), self.outcomes.clone());
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(UInt32Array::from_value(rows.depth as u32, count)),
            state,
            Arc::new(UInt32Array::from(rows.orbit_sizes)),
            Arc::new(outcome.map_err(|error| refused(&error))?),
        ];
        if let Some(values) = &rows.values {
            let names = Arc::new(StringArray::from(self.value_names.to_vec()));
            let places = values.iter().map(|value| value.place() as i16);
            let value = DictionaryArray::<Int16Type>::try_new(places.map(Some).collect::<Int16Array>(), names);
            columns.push(Arc::new(value.map_err(|error| refused(&error))?));
            columns.push(if self.scored {
                Arc::new(Int32Array::from_iter_values(values.iter().filter_map(|value| value.score())))
            } else {
                Arc::new(values.iter().map(|value| value.distance()).collect::<UInt32Array>())
            });
        }
        columns.extend(text);
        RecordBatch::try_new(Arc::clone(&self.schema), columns).map_err(|error| refused(&error))
    }
}

impl Columns {
    /// The name of a value, such as `win`.
    pub(super) fn value_name(&self, value: KeptValue) -> &'static str {
        self.value_names[value.place()]
    }

    /// Writes the text of a state into `text`, if the table has a column of texts. Returns `true` if it has one.
    pub(super) fn text(&self, rows: &Rows, row: usize, text: &mut String) -> bool {
        let width = rows.cells.len() / rows.len();
        text.clear();
        self.notation.as_ref().is_some_and(|notation| {
            notation.write(&rows.cells[row * width..][..width], rows.player_of(row), text);
            true
        })
    }
}

/// The names of values, in the order of [`crate::KeptValue::place`].
fn value_names(rules: &Rules) -> &'static [&'static str] {
    if rules.player_count() == 1 { &["solvable", "unsolvable"] } else { &["win", "draw", "loss"] }
}

/// The number of bits of a state in a table. A state in a table has all cells, even if the job's words leave out the
/// cells that never change.
pub(super) fn state_bits(manifest: &Manifest, rules: &Rules) -> usize {
    match manifest.subject.encoding.word_layout {
        1 => manifest.subject.word_bits,
        _ => manifest.subject.word_bits.max(8 * bytes_of_all(rules.cells(), rules.written_symbols().len())),
    }
}

/// The description of the job in a table, as JSON.
fn about(manifest: &Manifest, rules: &Rules) -> String {
    let subject = &manifest.subject;
    let depths: Vec<_> = manifest
        .depths
        .iter()
        .map(|depth| {
            json!({"depth": depth.depth, "states": depth.states, "raw_states": depth.raw_states, "open": depth.open,
                "ended": depth.ended})
        })
        .collect();
    json!({
        "schema": SCHEMA, "puzzle": subject.puzzle, "plugin": subject.plugin, "plugin_version": subject.plugin_version,
        "rules": subject.rules, "backward": subject.backward, "symmetry_order": subject.symmetry_order,
        "complete": manifest.complete, "cells": rules.board(), "symbols": rules.written_symbols(),
        "players": rules.players, "outcomes": subject.outcomes, "word_bits": state_bits(manifest, rules),
        "depths": depths,
    })
    .to_string()
}

pub(super) fn refused(error: &ArrowError) -> Error {
    Error::Memory(format!("the columns cannot be made: {error}; export fewer depths"))
}
