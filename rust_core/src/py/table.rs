//! Tables for Python: the Arrow C stream that other libraries take, and plain buffers.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Int16Type, Int32Type, UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchIterator, RecordBatchReader, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};

use super::errors::UsageError;
use crate::Error;

/// The states of a job, batch by batch. The stream can be read only once.
#[pyclass(frozen, name = "Stream", module = "puzzlekit._core")]
pub(super) struct PyStream {
    reader: Mutex<Option<Box<dyn RecordBatchReader + Send>>>,
}

/// A batch of states: buffers of numbers in the byte order of this machine.
#[pyclass(frozen, get_all, name = "Batch", module = "puzzlekit._core")]
pub(super) struct PyBatch {
    depths: Py<PyBytes>,
    states: Py<PyBytes>,
    /// The number of bytes of a state. If it is 8, a state is a number.
    state_bytes: usize,
    orbit_sizes: Py<PyBytes>,
    outcomes: Py<PyBytes>,
    /// If the job has values: for each state, the index of its value in the list of names of values. `distances` has
    /// the number of moves to the end, or -1 if there is none. If the rules have a score, `scores` has the points
    /// instead.
    values: Option<Py<PyBytes>>,
    distances: Option<Py<PyBytes>>,
    scores: Option<Py<PyBytes>>,
}

impl PyStream {
    pub fn new(reader: impl RecordBatchReader + Send + 'static) -> Self {
        Self { reader: Mutex::new(Some(Box::new(reader))) }
    }
}

#[pymethods]
impl PyStream {
    /// The stream as a Python capsule, by which other libraries take it. The capsule's name is `arrow_array_stream`.
    fn capsule<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner).take();
        capsule(py, reader.ok_or_else(|| UsageError::new_err("the states were taken already; ask for them again"))?)
    }

    /// The next batch as buffers; `None` at the end.
    fn buffers(&self, py: Python<'_>) -> PyResult<Option<PyBatch>> {
        let next = py.detach(|| {
            let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
            reader.as_mut().and_then(Iterator::next)
        });
        let Some(batch) = next else { return Ok(None) };
        let batch = batch.map_err(plain)?;
        let numbers = |bytes: &[u8]| PyBytes::new(py, bytes).unbind();
        let (states, state_bytes) = if batch.column(1).data_type() == &DataType::UInt64 {
            (numbers(bytes_of(batch.column(1).as_primitive::<UInt64Type>().values())), 8)
        } else {
            let states = batch.column(1).as_fixed_size_binary();
            (numbers(states.value_data()), states.value_length() as usize)
        };
        let outcomes = batch.column(3).as_dictionary::<Int16Type>().keys();
        let outcomes: Vec<i16> = outcomes.iter().map(|outcome| outcome.unwrap_or(-1)).collect();
        let column = |at: usize| numbers(bytes_of(batch.column(at).as_primitive::<UInt32Type>().values()));
        let (depths, orbit_sizes, outcomes) = (column(0), column(2), numbers(bytes_of(&outcomes)));
        let values = batch.column_by_name("value").map(|places| places.as_dictionary::<Int16Type>().keys().values());
        let values = values.map(|places| numbers(bytes_of(places)));
        let scores = batch.column_by_name("score").map(|points| points.as_primitive::<Int32Type>().values());
        let scores = scores.map(|points| numbers(bytes_of(points)));
        let distances = batch.column_by_name("distance").map(|moves| {
            let moves = moves.as_primitive::<UInt32Type>().iter();
            let moves: Vec<i32> = moves.map(|moves| moves.map_or(-1, |moves| moves as i32)).collect();
            numbers(bytes_of(&moves))
        });
        Ok(Some(PyBatch { depths, states, state_bytes, orbit_sizes, outcomes, values, distances, scores }))
    }
}

/// The depths of a report as an Arrow stream in a capsule. `columns[i]` has the numbers of the column `names[i]`.
#[pyfunction]
pub(super) fn depths_stream(
    py: Python<'_>,
    names: Vec<String>,
    columns: Vec<Vec<u64>>,
) -> PyResult<Bound<'_, PyCapsule>> {
    let fields: Vec<Field> = names.into_iter().map(|name| Field::new(name, DataType::UInt64, false)).collect();
    let schema = Arc::new(Schema::new(fields));
    let columns: Vec<ArrayRef> =
        columns.into_iter().map(|column| Arc::new(UInt64Array::from(column)) as ArrayRef).collect();
    let batch = RecordBatch::try_new(Arc::clone(&schema), columns).map_err(plain)?;
    capsule(py, Box::new(RecordBatchIterator::new([Ok(batch)], schema)))
}

fn capsule(py: Python<'_>, reader: Box<dyn RecordBatchReader + Send>) -> PyResult<Bound<'_, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), c"arrow_array_stream")
}

/// The engine's own error if `error` contains one; otherwise, an exception with the text of `error`.
fn plain(error: ArrowError) -> PyErr {
    match error {
        ArrowError::ExternalError(inner) => match inner.downcast::<Error>() {
            Ok(error) => PyErr::from(*error),
            Err(other) => PyErr::from(Error::Memory(other.to_string())),
        },
        other => PyErr::from(Error::Memory(other.to_string())),
    }
}

/// Numbers as bytes, in the byte order of this machine.
fn bytes_of<T: bytemuck::NoUninit>(numbers: &[T]) -> &[u8] {
    bytemuck::cast_slice(numbers)
}
