//! The successors of many states as three columns: the row of each successor, the number of the row of the state that
//! it comes from, and the number of the move that leads to it.

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

use crate::{Error, Successors};

/// The three columns as arrays of bytes. The numbers of parents and moves have 32 bits.
pub(super) type SuccessorArrays = (Py<PyByteArray>, Py<PyByteArray>, Py<PyByteArray>);

/// Columns that grow while successors are added. An array of bytes is used because the system can enlarge it without
/// copying.
pub(super) struct GrownColumns {
    pub rows: Py<PyByteArray>,
    pub parents: Py<PyByteArray>,
    pub moves: Py<PyByteArray>,
}

impl GrownColumns {
    pub fn new(py: Python<'_>) -> Self {
        let empty = || PyByteArray::new(py, &[]).unbind();
        Self { rows: empty(), parents: empty(), moves: empty() }
    }

    /// Adds successors at the end.
    pub fn take(&mut self, found: &Successors) -> Result<(), Error> {
        Python::attach(|py| {
            append(self.rows.bind(py), &found.rows)?;
            append(self.parents.bind(py), bytemuck::cast_slice(&found.parents))?;
            append(self.moves.bind(py), bytemuck::cast_slice(&found.moves))
        })
        .map_err(|error| Error::Memory(error.to_string()))
    }
}

fn append(to: &Bound<'_, PyByteArray>, bytes: &[u8]) -> PyResult<()> {
    let begin = to.len();
    to.resize(begin + bytes.len())?;
    // SAFETY: no other code has the array yet, and no Python code runs while it is written.
    #[expect(unsafe_code, reason = "code of Python could change an array of bytes at any time")]
    unsafe {
        to.as_bytes_mut()[begin..].copy_from_slice(bytes);
    }
    Ok(())
}

/// Columns in memory that the caller has given: the rows, the parents, and the moves.
pub(super) struct GivenColumns {
    pub buffers: [PyBuffer<u8>; 3],
    /// The number of successors that are written.
    pub successors: usize,
}

impl GivenColumns {
    /// Writes successors into the columns, after those that were written by earlier calls.
    pub fn take(&mut self, found: &Successors) -> Result<(), Error> {
        let more = found.moves.len();
        let columns = [&found.rows[..], bytemuck::cast_slice(&found.parents), bytemuck::cast_slice(&found.moves)];
        Python::attach(|py| {
            for (buffer, bytes) in self.buffers.iter().zip(columns) {
                let each = bytes.len().checked_div(more).unwrap_or(0);
                let to = buffer.as_mut_slice(py).ok_or_else(read_only)?;
                let room = to.get(self.successors * each..).and_then(|to| to.get(..bytes.len()));
                let room = room.ok_or_else(|| full(to.len() / each))?;
                room.iter().zip(bytes).for_each(|(to, &byte)| to.set(byte));
            }
            Ok(())
        })?;
        self.successors += more;
        Ok(())
    }
}

fn read_only() -> Error {
    Error::Options("an array of out cannot be written, or has gaps; give arrays that can, in C order".to_owned())
}

fn full(room: usize) -> Error {
    Error::Options(format!("out has room for {room} successors, and there are more; give larger arrays"))
}
