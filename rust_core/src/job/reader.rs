//! Reads a file of a job from its beginning to its end, and compares it with the manifest.

use std::fs::File;
use std::hash::Hasher as _;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use blake2b_simd::State;
use twox_hash::XxHash64;

use crate::error::{Error, Result};

/// The number of bytes of a file that are read at once. It is small, because many files are read at the same time.
const READ_BYTES: usize = 1 << 15;

/// The digits of the checksum of a file that is soon read and removed.
const PASSING_DIGITS: usize = 16;

/// A digest of a fixed length.
pub fn digest() -> State {
    blake2b_simd::Params::new().hash_length(32).to_state()
}

/// The digest of a file, made of its bytes as they come. In the manifest, it is the checksum of the file.
pub(super) enum FileDigest {
    /// The digest of a kept file: `BLAKE2b`, 32 bytes.
    Kept(State),
    /// The digest of a file that is soon read and removed: `XXH64`, 8 bytes, which takes a tenth of the time.
    Passing(XxHash64),
}

impl FileDigest {
    /// The digest of a file, before its first byte.
    pub fn new(is_kept: bool) -> Self {
        if is_kept { Self::Kept(digest()) } else { Self::Passing(XxHash64::with_seed(0)) }
    }

    /// The digest that can be compared with a checksum.
    fn like(checksum: &str) -> Self {
        Self::new(checksum.len() != PASSING_DIGITS)
    }

    /// Adds further bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Kept(state) => {
                state.update(bytes);
            }
            Self::Passing(state) => state.write(bytes),
        }
    }

    /// The digest of all bytes so far, in hexadecimal digits.
    pub fn checksum(&self) -> String {
        match self {
            Self::Kept(state) => state.finalize().to_hex().to_string(),
            Self::Passing(state) => format!("{:0PASSING_DIGITS$x}", state.finish()),
        }
    }
}

/// The error for a file that the system refuses to read. The error does not say that the file is damaged.
pub(super) fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    Error::Disk(format!("cannot read {}: {error}; nothing is lost: mend that, and try again", path.display()))
}

/// A file that is being read. Its bytes are digested on the way.
pub struct Reader {
    inner: Box<dyn Read + Send>,
    digest: FileDigest,
    path: PathBuf,
    checksum: String,
    /// The advice that a message gives if the file differs from the manifest.
    remedy: &'static str,
}

impl Reader {
    /// A reader of an open file, whose checksum must be `checksum`, as the manifest has it.
    pub(super) fn new(file: File, path: PathBuf, checksum: String, remedy: &'static str) -> Self {
        let inner = Box::new(BufReader::with_capacity(READ_BYTES, file));
        Self { inner, digest: FileDigest::like(&checksum), path, checksum, remedy }
    }

    /// A reader of bytes in memory. They count as complete and undamaged.
    #[cfg(any(test, feature = "fuzzing"))]
    pub fn of(bytes: &[u8]) -> Self {
        let mut all = FileDigest::new(true);
        all.update(bytes);
        let (inner, digest) = (Box::new(std::io::Cursor::new(bytes.to_vec())), FileDigest::new(true));
        Self { inner, digest, path: PathBuf::from("memory"), checksum: all.checksum(), remedy: "" }
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
        self.digest.update(&buffer[..filled]);
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
            self.digest.update(&byte[..count]);
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
        if self.digest.checksum() == self.checksum {
            return Ok(());
        }
        Err(self.wrong("its content is not what the manifest says"))
    }
}
