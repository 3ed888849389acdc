//! Files that are whole or not there: written beside, made durable, and then renamed.

use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use blake2b_simd::State;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// A file of a job, as the manifest lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// The name within the folder.
    pub name: String,
    /// The size.
    pub bytes: u64,
    /// The `BLAKE2b` digest of the content, 32 bytes in hexadecimal digits.
    pub checksum: String,
}

/// What can be made to fail in tests: each step of writing asks before it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The new file is created.
    Create,
    /// Its content is written.
    Write,
    /// It is made durable.
    Sync,
    /// It takes its name.
    Rename,
    /// The folder is made durable.
    SyncFolder,
}

/// What a step does instead of its work, in tests.
pub type Fault = Box<dyn Fn(Step) -> std::io::Result<()> + Send + Sync>;

/// A folder whose files are written whole.
pub struct Disk {
    folder: PathBuf,
    fault: Option<Fault>,
}

impl std::fmt::Debug for Disk {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Disk").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// A digest of a fixed length.
pub fn digest() -> State {
    blake2b_simd::Params::new().hash_length(32).to_state()
}

impl Disk {
    /// A folder that exists.
    pub fn new(folder: &Path, fault: Option<Fault>) -> Self {
        Self { folder: folder.to_owned(), fault }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes a file whole: beside, durable, renamed, and the folder durable. A step that fails ends it: what was there under
    /// the name before is there still.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`], with what the system says.
    pub fn write(&self, name: &str, content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<FileEntry> {
        let entry = self.try_write(name, content);
        entry.map_err(|error| {
            let path = self.folder.join(name);
            Error::Disk(format!(
                "cannot write {}: {error}; what the job had is kept: make room, or mend the disk, and resume it",
                path.display()
            ))
        })
    }

    fn try_write(
        &self,
        name: &str,
        content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> std::io::Result<FileEntry> {
        let step = |step| self.fault.as_ref().map_or(Ok(()), |fault| fault(step));
        let (path, beside) = (self.folder.join(name), self.folder.join(format!("{name}.new")));
        step(Step::Create)?;
        // What a run left there that was ended; if it is a link, the link goes and not what it leads to.
        match std::fs::remove_file(&beside) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let file = OpenOptions::new().write(true).create_new(true).open(&beside)?;
        let mut writer = Hashed { inner: BufWriter::with_capacity(1 << 18, file), state: digest(), bytes: 0 };
        content(&mut writer)?;
        if let Err(error) = step(Step::Write) {
            // Half of the content, as a disk that is full leaves it.
            let bytes = writer.bytes;
            let file = writer.inner.into_inner()?;
            file.set_len(bytes / 2)?;
            return Err(error);
        }
        let (bytes, checksum) = (writer.bytes, writer.state.finalize().to_hex().to_string());
        let file = writer.inner.into_inner()?;
        step(Step::Sync)?;
        // Not tried again after a failure: the system may have dropped what it could not write.
        file.sync_all()?;
        drop(file);
        step(Step::Rename)?;
        std::fs::rename(&beside, &path)?;
        step(Step::SyncFolder)?;
        sync_folder(&self.folder)?;
        Ok(FileEntry { name: name.to_owned(), bytes, checksum })
    }

    /// A file of the manifest, to be read to its end. [`Reader::finish`] tells whether it is what the manifest says.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] where the file is not there or has another size.
    pub fn read(&self, entry: &FileEntry) -> Result<Reader> {
        let path = self.folder.join(&entry.name);
        let wrong = |what: String| Error::Corrupt(format!("{} {what}; the job is damaged", path.display()));
        let found = std::fs::metadata(&path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        if !found.is_file() {
            return Err(wrong("is no file".to_owned()));
        }
        let bytes = found.len();
        let file = File::open(&path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        if bytes != entry.bytes {
            return Err(wrong(format!("has {bytes} bytes, and the manifest says {}", entry.bytes)));
        }
        let inner = BufReader::with_capacity(1 << 18, file);
        Ok(Reader { inner, state: digest(), path: path.clone(), checksum: entry.checksum.clone() })
    }
}

/// Makes the names in a folder durable, where the system can.
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// A writer that counts and digests what goes through it.
struct Hashed<W> {
    inner: W,
    state: State,
    bytes: u64,
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, buffer: &[u8]) -> std::io::Result<usize> {
        let count = self.inner.write(buffer)?;
        self.state.update(&buffer[..count]);
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}

/// A file that is being read, and digested on the way.
pub struct Reader {
    inner: BufReader<File>,
    state: State,
    path: PathBuf,
    checksum: String,
}

impl Reader {
    /// Fills a buffer. Tells whether there was anything: false at the end of the file.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] where the file ends in the middle.
    pub fn fill(&mut self, buffer: &mut [u8]) -> Result<bool> {
        let mut filled = 0;
        while filled < buffer.len() {
            let count = self.inner.read(&mut buffer[filled..]).map_err(|error| self.wrong(&error.to_string()))?;
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

    /// An error that names the file.
    pub fn wrong(&self, what: &str) -> Error {
        Error::Corrupt(format!("{}: {what}; the job is damaged", self.path.display()))
    }

    /// Checks what was read against the manifest.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] where it is something else.
    pub fn finish(self) -> Result<()> {
        if self.state.finalize().to_hex().as_str() == self.checksum {
            return Ok(());
        }
        Err(self.wrong("its content is not what the manifest says"))
    }
}
