//! Reads a file of a job from its beginning to its end, and compares it with the manifest.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use blake2b_simd::State;

use crate::error::{Error, Result};

/// The number of bytes of a file that are read at once. It is small, because many files are read at the same time.
const READ_BYTES: usize = 1 << 15;

/// A digest of a fixed length.
pub fn digest() -> State {
    blake2b_simd::Params::new().hash_length(32).to_state()
}

/// The error for a file that the system refuses to read. The error does not say that the file is damaged.
pub(super) fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    Error::Disk(format!("cannot read {}: {error}; nothing is lost: mend that, and try again", path.display()))
}

/// A file that is being read. Its bytes are digested on the way.
pub struct Reader {
    inner: Box<dyn Read + Send>,
    state: State,
    path: PathBuf,
    checksum: String,
    /// The advice that a message gives if the file differs from the manifest.
    remedy: &'static str,
}

impl Reader {
    /// A reader of an open file, whose checksum must be `checksum`, as the manifest has it.
    pub(super) fn new(file: File, path: PathBuf, checksum: String, remedy: &'static str) -> Self {
        let inner = Box::new(BufReader::with_capacity(READ_BYTES, file));
        Self { inner, state: digest(), path, checksum, remedy }
    }

    /// A reader of bytes in memory. They count as complete and undamaged.
    #[cfg(any(test, feature = "fuzzing"))]
    pub fn of(bytes: &[u8]) -> Self {
        let checksum = digest().update(bytes).finalize().to_hex().to_string();
        let inner = Box::new(std::io::Cursor::new(bytes.to_vec()));
        Self { inner, state: digest(), path: PathBuf::from("memory"), checksum, remedy: "" }
    }

    /// Fills a buffer. Returns `false` at the end of the file.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if the file ends in the middle of the buffer.
    pub fn fill(&mut self, buffer: &mut [u8]) -> Result<bool> {
        let mut filled = 0;
        while filled < buffer.len() {
            let count = self.inner.read(&mut buffer[filled..]).map_err(|error| unreadable(&self.path, &error))?;
            if count == 0 {
                break;
            }
            filled += count;
        }
        self.state.update(&buffer[..filled]);
        match filled {
            0 if !buffer.is_empty() => Ok(false),
            all if all == buffer.len() => Ok(true),
            _ => Err(self.wrong("it ends in the middle")),
        }
    }

    /// Reads to the end, and checks all that was read.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::finish`].
    pub fn skip(mut self) -> Result<()> {
        let mut byte = [0; 1 << 12];
        loop {
            let count = self.inner.read(&mut byte).map_err(|error| unreadable(&self.path, &error))?;
            if count == 0 {
                return self.finish();
            }
            self.state.update(&byte[..count]);
        }
    }

    /// An error that names the file.
    pub fn wrong(&self, what: &str) -> Error {
        Error::Corrupt(format!("{}: {what}; {}", self.path.display(), self.remedy))
    }

    /// Compares all that was read with the manifest.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if they differ.
    pub fn finish(&self) -> Result<()> {
        if self.state.finalize().to_hex().as_str() == self.checksum {
            return Ok(());
        }
        Err(self.wrong("its content is not what the manifest says"))
    }
}
