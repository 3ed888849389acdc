//! Files that are either complete or not there, and the sentence that says why one could not be written, such as a full
//! disk. Each file is written under another name, made durable, and then renamed.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use super::blocks::Parts;
use super::reader::{FileDigest, Reader, unreadable};
use super::room::{keep_room, write_zeros};
use crate::error::{Error, Result};
use crate::run::Watch;

/// A file of a job, as the manifest lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// The name within the folder.
    pub name: String,
    /// The size.
    pub bytes: u64,
    /// The digest of the content in hexadecimal digits: `BLAKE2b`, 32 bytes. Of a file that is soon read and removed,
    /// it is `XXH64`, 8 bytes.
    pub checksum: String,
}

/// The steps of writing a file. In tests, each can be made to fail before it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The new file is created.
    Create,
    /// The system reserves room on the disk for the whole file. If this step fails as unsupported, zeros are written
    /// instead.
    KeepRoom,
    /// The content of the file is written.
    Write,
    /// The file is made durable.
    Sync,
    /// The file takes its name.
    Rename,
    /// The folder is made durable.
    SyncFolder,
}

/// Called before each step in tests. If it returns an error, the step fails.
pub type Fault = Arc<dyn Fn(Step) -> std::io::Result<()> + Send + Sync>;

/// The place of a job: a folder, on a disk that can be made to fail in tests. Making the place touches no file.
#[derive(Clone, Default)]
pub struct JobPlace {
    folder: PathBuf,
    fault: Option<Fault>,
}

impl JobPlace {
    /// A folder, which need not be there yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), fault: None }
    }

    /// The folder on a disk that fails when `fault` returns an error.
    #[cfg(test)]
    #[must_use]
    pub fn failing(&self, fault: Fault) -> Self {
        Self { fault: Some(fault), ..self.clone() }
    }

    /// A folder inside this one, on the same disk.
    #[must_use]
    pub fn within(&self, name: &str) -> Self {
        Self { folder: self.folder.join(name), ..self.clone() }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl PartialEq for JobPlace {
    fn eq(&self, other: &Self) -> bool {
        self.folder == other.folder
    }
}

impl Eq for JobPlace {}

impl std::fmt::Debug for JobPlace {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.folder.fmt(formatter)
    }
}

/// A folder whose files are written whole.
pub struct Disk {
    folder: PathBuf,
    fault: Option<Fault>,
    /// The number of further bytes that may be written.
    left: Arc<AtomicU64>,
    /// Returns the advice that a message gives if a file in the given folder cannot be written.
    remedy: fn(&Path) -> &'static str,
    /// `true` if the folder is not the job's own. Then a file that is there already is never replaced.
    shared: bool,
    /// `true` if files are made durable. Files that are written again after any failure need not be.
    durable: bool,
}

impl std::fmt::Debug for Disk {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Disk").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Disk {
    /// The folder of a job, which exists.
    pub fn new(place: &JobPlace, remedy: fn(&Path) -> &'static str) -> Self {
        let (folder, fault) = (place.folder.clone(), place.fault.clone());
        Self { folder, fault, left: Arc::new(AtomicU64::new(u64::MAX)), remedy, shared: false, durable: true }
    }

    /// A folder that may also hold files that are not of a job, and that must not be replaced.
    #[cfg(any(test, feature = "tables"))]
    pub fn shared(folder: &Path) -> Self {
        let remedy = |_: &Path| "make room, or give another place";
        Self { shared: true, ..Self::new(&JobPlace::new(folder), remedy) }
    }

    /// A folder for files that are read soon and then removed. They are not made durable: after a failure, they are
    /// written again.
    pub fn passing(folder: &Path, remedy: fn(&Path) -> &'static str) -> Self {
        Self { durable: false, ..Self::new(&JobPlace::new(folder), remedy) }
    }

    /// Sets how many more bytes may be written from now on.
    pub fn set_left(&self, bytes: u64) {
        self.left.store(bytes, Ordering::Relaxed);
    }

    /// Takes some of the bytes that may be written, for a file that others have written here.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`] if fewer are left.
    pub fn take(&self, name: &str, bytes: u64) -> Result<()> {
        take_room(&self.left, bytes).map_err(|error| self.failed(name, &error))
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes a whole file: under another name first, made durable, renamed, and then the folder made durable. If a
    /// step fails, the file that had the name before is still there.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`], with the message of the system.
    pub fn write(&self, name: &str, content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<FileEntry> {
        let mut file = self.create(name)?;
        content(&mut file).map_err(|error| self.failed(name, &error))?;
        self.keep(file)
    }

    /// Begins a file that gets its name once it is complete; see [`Self::keep`].
    ///
    /// # Errors
    ///
    /// The errors of [`Self::write`].
    pub fn create(&self, name: &str) -> Result<NewFile> {
        self.try_create(name).map_err(|error| self.failed(name, &error))
    }

    /// Makes a file durable and gives it its name.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::write`].
    pub fn keep(&self, file: NewFile) -> Result<FileEntry> {
        let name = file.name.clone();
        self.try_keep(file).map_err(|error| self.failed(&name, &error))
    }

    /// The error of a file that cannot be written.
    pub fn failed(&self, name: &str, error: &std::io::Error) -> Error {
        let path = self.folder.join(name);
        if self.shared && error.kind() == std::io::ErrorKind::AlreadyExists {
            return Error::Job(format!("{} is there already; give another name, or remove it", path.display()));
        }
        let remedy = if matches!(error.get_ref(), Some(inner) if inner.is::<TooLarge>()) {
            "what the job had is kept: give more, and resume it"
        } else if self.folder.is_dir() {
            (self.remedy)(&self.folder)
        } else {
            "the folder was moved or removed meanwhile: go on where it is now"
        };
        Error::Disk(format!("cannot write {}: {error}; {remedy}", path.display()))
    }

    /// The path at which a file is written before it gets its name.
    fn beside(&self, name: &str) -> PathBuf {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        if !self.shared {
            return self.folder.join(format!("{name}.new"));
        }
        // The process and a number make the name unique.
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        self.folder.join(format!(".{name}.{}-{count}.new", std::process::id()))
    }

    fn step(&self, step: Step) -> std::io::Result<()> {
        self.fault.as_ref().map_or(Ok(()), |fault| fault(step))
    }

    fn try_create(&self, name: &str) -> std::io::Result<NewFile> {
        let beside = self.beside(name);
        self.step(Step::Create)?;
        if self.shared && self.folder.join(name).symlink_metadata().is_ok() {
            return Err(std::io::ErrorKind::AlreadyExists.into());
        }
        // Removes the unfinished file that an interrupted run left at this path. If it is a link, only the link is
        // removed.
        match std::fs::remove_file(&beside) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        if self.shared {
            self.remove_abandoned(name);
        }
        let file = OpenOptions::new().write(true).create_new(true).open(&beside)?;
        if self.shared {
            // The lock is held as long as the file is written. If another process gets the lock, it knows that nobody
            // writes the file. Some file systems have no locks, so a failure is ignored.
            let _ = file.try_lock();
        }
        let inner = Some(BufWriter::with_capacity(1 << 18, file));
        let left = Arc::clone(&self.left);
        let digest = FileDigest::new(self.durable);
        Ok(NewFile { name: name.to_owned(), beside, inner, digest, bytes: 0, left })
    }

    /// Removes unfinished files of killed processes. A file that cannot be removed does no harm.
    fn remove_abandoned(&self, name: &str) {
        let Ok(held) = std::fs::read_dir(&self.folder) else { return };
        for path in held.filter_map(|entry| Some(entry.ok()?.path())) {
            let found = path.file_name().and_then(|found| found.to_str()).unwrap_or_default();
            let ours = found.strip_prefix(&format!(".{name}.")).and_then(|rest| rest.strip_suffix(".new"));
            let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            if ours.and_then(|ours| ours.split_once('-')).is_some_and(|(pid, count)| number(pid) && number(count))
                && path.symlink_metadata().is_ok_and(|found| found.is_file())
                && File::open(&path).is_ok_and(|file| file.try_lock().is_ok())
            {
                let _ = std::fs::remove_file(path);
            }
        }
    }

    fn try_keep(&self, mut file: NewFile) -> std::io::Result<FileEntry> {
        let inner = file.inner.take().expect("a file is kept once");
        let (name, bytes, path) = (file.name.clone(), file.bytes, self.folder.join(&file.name));
        if let Err(error) = self.step(Step::Write) {
            // If a test makes this step fail, half of the content stays in the file, as on a full disk.
            inner.into_inner()?.set_len(bytes / 2)?;
            return Err(error);
        }
        let checksum = file.digest.checksum();
        let inner = inner.into_inner()?;
        self.step(Step::Sync)?;
        // Making the file durable is not tried again after a failure: the system may have dropped the bytes that it
        // could not write.
        if self.durable {
            inner.sync_all()?;
        }
        drop(inner);
        self.step(Step::Rename)?;
        // A hard link is made only if no file has that name yet. Some file systems have no hard links; there, the file
        // is renamed.
        let linked = if self.shared { std::fs::hard_link(&file.beside, &path) } else { Ok(()) };
        match linked {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => return Err(error),
            Ok(()) if self.shared => {}
            _ => std::fs::rename(&file.beside, &path)?,
        }
        self.step(Step::SyncFolder)?;
        if self.durable {
            sync_folder(&self.folder)?;
        }
        Ok(FileEntry { name, bytes, checksum })
    }

    /// Makes a file of zeros, to be mapped into memory and changed there. The disk keeps room for all of it, so that a
    /// change never finds the disk full: that would end the process. If zeros must be written for that, it takes long,
    /// and the watch may stop it. Then the file is removed, and `None` returned.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::write`].
    pub fn zeros(&self, name: &str, bytes: u64, watch: Watch) -> Result<Option<File>> {
        let made = || {
            self.step(Step::Create)?;
            let mut file =
                OpenOptions::new().read(true).write(true).create(true).truncate(true).open(self.path(name))?;
            take_room(&self.left, bytes)?;
            let kept = match self.step(Step::KeepRoom) {
                Err(error) if error.kind() == std::io::ErrorKind::Unsupported => false,
                step => step.and_then(|()| keep_room(&mut file, bytes))?,
            };
            self.step(Step::Write)?;
            if !kept && !write_zeros(&mut file, bytes, watch)? {
                return Ok(None);
            }
            self.step(Step::Sync)?;
            file.sync_all()?;
            self.step(Step::SyncFolder)?;
            sync_folder(&self.folder)?;
            Ok(Some(file))
        };
        let made = made();
        if !matches!(made, Ok(Some(_))) {
            // The unfinished file is removed, because the disk may need its room.
            let _ = std::fs::remove_file(self.path(name));
        }
        made.map_err(|error| self.failed(name, &error))
    }

    /// Opens a file that [`Self::zeros`] made: to be changed if `changes` is `true`, or to be read.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::read`].
    pub fn open_array(&self, entry: &FileEntry, changes: bool) -> Result<File> {
        let (_, path) = self.open(entry, "the job is damaged")?;
        OpenOptions::new().read(true).write(changes).open(&path).map_err(|error| unreadable(&path, &error))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Opens a file of the manifest, to be read to its end. [`Reader::finish`] compares it with the manifest.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if the file is not there or has another size, [`Error::Disk`] if the system refuses to read
    /// it.
    pub fn read(&self, entry: &FileEntry, remedy: &'static str) -> Result<Reader> {
        let (file, path) = self.open(entry, remedy)?;
        Ok(Reader::new(file, path, entry.checksum.clone(), remedy))
    }

    /// Opens a file of the manifest, of which any part is to be read. Only its size is compared with the manifest.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::read`].
    pub fn parts(&self, entry: &FileEntry, remedy: &'static str) -> Result<Parts> {
        let (_, path) = self.open(entry, remedy)?;
        Ok(Parts::new(path, entry.bytes))
    }

    fn open(&self, entry: &FileEntry, remedy: &'static str) -> Result<(File, PathBuf)> {
        let path = self.folder.join(&entry.name);
        let wrong = |what: String| Error::Corrupt(format!("{} {what}; {remedy}", path.display()));
        let refused = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => wrong("is not there".to_owned()),
            _ => unreadable(&path, &error),
        };
        let found = std::fs::metadata(&path).map_err(refused)?;
        if !found.is_file() {
            return Err(wrong("is no file".to_owned()));
        }
        let bytes = found.len();
        let file = File::open(&path).map_err(refused)?;
        if bytes != entry.bytes {
            return Err(wrong(format!("has {bytes} bytes, and the manifest says {}", entry.bytes)));
        }
        Ok((file, path))
    }
}

/// Makes a folder, and makes its name and those of the folders around it durable: if a folder's name is lost, all files
/// in it are lost.
pub fn make_durably(folder: &Path) -> std::io::Result<()> {
    let made: Vec<&Path> = folder.ancestors().take_while(|at| !at.as_os_str().is_empty() && !at.exists()).collect();
    std::fs::create_dir_all(folder)?;
    for around in made.into_iter().filter_map(Path::parent) {
        let around = if around.as_os_str().is_empty() { Path::new(".") } else { around };
        match sync_folder(around) {
            // This process may have the right to make folders in a folder, and not the right to read it. Such a folder
            // cannot be opened to be synced.
            Err(error) if error.kind() != std::io::ErrorKind::PermissionDenied => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Makes the names in a folder durable, if the system can do that.
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// A file that is being written. Its bytes are counted and digested on the way.
pub struct NewFile {
    name: String,
    beside: PathBuf,
    inner: Option<BufWriter<File>>,
    digest: FileDigest,
    bytes: u64,
    left: Arc<AtomicU64>,
}

impl NewFile {
    /// The name that the file will get.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Write for NewFile {
    fn write(&mut self, buffer: &[u8]) -> std::io::Result<usize> {
        take_room(&self.left, buffer.len() as u64)?;
        let count = self.inner.as_mut().map_or(Ok(0), |inner| inner.write(buffer))?;
        self.digest.update(&buffer[..count]);
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for NewFile {
    /// Removes a file that did not get its name, since the disk may need the room.
    fn drop(&mut self) {
        drop(self.inner.take());
        let _ = std::fs::remove_file(&self.beside);
    }
}

/// The error for a file with which a job would take more bytes on disk than it may.
#[derive(Debug, thiserror::Error)]
#[error("the files would take more than --disk allows")]
struct TooLarge;

/// Takes some bytes from those that a job may still write.
///
/// # Errors
///
/// If fewer bytes are left. Then none are taken.
fn take_room(left: &AtomicU64, bytes: u64) -> std::io::Result<()> {
    let mut seen = left.load(Ordering::Relaxed);
    while let Some(rest) = seen.checked_sub(bytes) {
        match left.compare_exchange_weak(seen, rest, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => return Ok(()),
            Err(now) => seen = now,
        }
    }
    Err(std::io::Error::new(std::io::ErrorKind::StorageFull, TooLarge))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("puzzlekit-disk-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn what_a_killed_process_left_of_a_file_is_removed_and_nothing_else() {
        let folder = folder("abandoned");
        let stays = [".x.csv.12.new", ".x.csv.12-3", ".y.csv.12-3.new", "x.csv.12-3.new", ".x.csv.a-3.new"];
        for name in stays.iter().chain(&[".x.csv.12-3.new"]) {
            std::fs::write(folder.join(name), "left").unwrap();
        }
        let disk = Disk::shared(&folder);
        let first = disk.create("x.csv").unwrap();
        // A second file of the same name must not mistake the first one for an abandoned one.
        let second = disk.create("x.csv").unwrap();
        assert!(first.beside.exists() && second.beside.exists());
        assert!(!folder.join(".x.csv.12-3.new").exists());
        assert!(stays.iter().all(|name| folder.join(name).exists()));
        drop((first, second));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_flipped_byte_of_a_file_is_found_wherever_it_is() {
        let folder = folder("flipped");
        let content: Vec<u8> = (0..200).collect();
        let disks = [Disk::new(&JobPlace::new(&folder), |_| "make room"), Disk::passing(&folder, |_| "make room")];
        for (disk, digits) in disks.iter().zip([64, 16]) {
            let entry = disk.write("x", |to| content.chunks(7).try_for_each(|part| to.write_all(part))).unwrap();
            assert_eq!(entry.checksum.len(), digits);
            assert_eq!(disk.read(&entry, "it is damaged").unwrap().skip(), Ok(()));
            for at in 0..content.len() {
                let mut flipped = content.clone();
                flipped[at] ^= 1 << (at % 8);
                std::fs::write(folder.join("x"), flipped).unwrap();
                let error = disk.read(&entry, "it is damaged").unwrap().skip().unwrap_err().to_string();
                assert!(error.ends_with("its content is not what the manifest says; it is damaged"), "{error}");
            }
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_folder_that_was_moved_is_said_to_be() {
        let folder = folder("moved");
        let disk = Disk::new(&JobPlace::new(&folder), |_| "make room");
        std::fs::remove_dir_all(&folder).unwrap();
        let error = disk.write("x", |to| to.write_all(b"x")).unwrap_err().to_string();
        assert!(error.contains("the folder was moved or removed meanwhile: go on where it is now"), "{error}");
    }
}
