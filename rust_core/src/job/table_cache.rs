//! A folder of tables that any run may use again. A table that is not there, or is not as it was written, is made anew.
//!
//! A file has eight bytes that name the format, the key of the table (32 bytes), the table, and the checksum of all
//! that comes before (`XXH64`, 8 bytes). The checksum shows damage, and takes a tenth of the time of `BLAKE2b`. Each
//! file is written under a name of its own and then renamed. So several runs may write the same table at once: the last
//! one wins, and all have written the same. Whatever goes wrong, a table is made anew: no error is reported, because
//! the answer does not depend on the folder.

use std::fs::{self, File};
use std::hash::Hasher as _;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use twox_hash::XxHash64;

use crate::sorting;

/// The first bytes of each file. The last of them is the version of the format.
const FORMAT: &[u8; 8] = b"pktable2";

/// Makes the keys of tables independent of every other use of the hash function.
const PERSONALISATION: &[u8; 16] = b"puzzlekit-table1";

/// The number of bytes of a key.
const KEY: usize = 32;

/// The number of bytes of a checksum.
const CHECKSUM: usize = size_of::<u64>();

/// The ending of a table's name.
const WHOLE: &str = "table";

/// The ending of the name of a table that is being written.
const PARTIAL: &str = "partial";

/// The number of bytes of a table that are read or written before it is asked whether to stop: some milliseconds of
/// work on a fast disk.
const AT_ONCE: usize = if cfg!(test) { 1 << 10 } else { 1 << 24 };

/// Asked now and then whether to stop reading or writing a table.
pub type Stops<'a> = &'a dyn Fn() -> bool;

/// An unfinished file that is older than this was left behind by a killed run.
const LEFT_BEHIND: Duration = Duration::from_secs(3600);

/// The digest of everything on which a table depends.
pub type Key = [u8; KEY];

/// The digest of several texts or numbers, in this order.
pub fn key(parts: &[&[u8]]) -> Key {
    let mut state = blake2b_simd::Params::new().hash_length(KEY).personal(PERSONALISATION).to_state();
    for part in parts {
        // The length of a part comes first, so that two different lists of parts have different digests.
        state.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    let mut key = Key::default();
    key.copy_from_slice(state.finalize().as_bytes());
    key
}

/// A folder of tables.
///
/// # Examples
///
/// ```
/// let folder = std::env::temp_dir().join(format!("puzzlekit-tables-{}", std::process::id()));
/// let cache = puzzlekit_core::TableCache::new(&folder, 1 << 20);
/// let stops = &|| false;
/// assert_eq!(cache.read(&[7; 32], 3, stops), None);
/// assert!(cache.write(&[7; 32], b"abc", stops));
/// assert_eq!(cache.read(&[7; 32], 3, stops).as_deref(), Some(&b"abc"[..]));
/// std::fs::remove_dir_all(folder)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct TableCache {
    folder: PathBuf,
    most_bytes: u64,
}

impl TableCache {
    /// The tables of a folder, which need not exist yet. They may take `most_bytes` bytes in all.
    pub fn new(folder: &Path, most_bytes: u64) -> Self {
        Self { folder: folder.to_owned(), most_bytes }
    }

    /// A table of `bytes` bytes. `None` if it is not there, if it has changed since it was written, or if `stops`
    /// returns `true`, which is asked now and then.
    pub fn read(&self, key: &Key, bytes: usize, stops: Stops) -> Option<Vec<u8>> {
        if !self.has_length(key, bytes) {
            return None;
        }
        let mut content = Vec::new();
        content.try_reserve_exact(bytes).ok()?;
        content.resize(bytes, 0);
        self.read_into(key, &mut content, stops).then_some(content)
    }

    /// Reads a table into `table`. Returns `false` if it is not there, if it has changed since it was written, or if
    /// `stops` returns `true`. Then the content of `table` is undefined.
    pub fn read_into(&self, key: &Key, table: &mut [u8], stops: Stops) -> bool {
        let read = |table: &mut [u8]| -> std::io::Result<bool> {
            let mut file = File::open(self.path(key))?;
            let (mut head, mut found) = ([0; FORMAT.len() + KEY], [0; CHECKSUM]);
            file.read_exact(&mut head)?;
            let mut sum = XxHash64::with_seed(0);
            sum.write(&head);
            for part in table.chunks_mut(AT_ONCE) {
                if stops() {
                    return Ok(false);
                }
                file.read_exact(part)?;
                sum.write(part);
            }
            file.read_exact(&mut found)?;
            let whole = file.read(&mut [0])? == 0;
            let right = whole
                && found == sum.finish().to_le_bytes()
                && head.starts_with(FORMAT)
                && head[FORMAT.len()..] == *key;
            if right {
                // The tables that were not used for the longest time are removed first, so a table that is read gets a
                // new time. If the folder cannot be written, the table is still used.
                let _ = file.set_modified(SystemTime::now());
            }
            Ok(right)
        };
        self.has_length(key, table.len()) && read(table).unwrap_or(false)
    }

    /// Returns `true` if there is a file for a table. Its content is not checked.
    pub fn holds(&self, key: &Key) -> bool {
        self.path(key).is_file()
    }

    /// Keeps a table, and removes the oldest tables if there are too many. Returns `true` if the table is kept. It is
    /// not if `stops` returns `true`.
    pub fn write(&self, key: &Key, table: &[u8], stops: Stops) -> bool {
        static WRITTEN: AtomicU64 = AtomicU64::new(0);
        if table.len() as u64 > self.most_bytes || fs::create_dir_all(&self.folder).is_err() {
            return false;
        }
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let partial = self.path(key).with_extension(format!("{}-{number}.{PARTIAL}", std::process::id()));
        let write = || -> std::io::Result<()> {
            let (mut file, mut sum) = (File::create(&partial)?, XxHash64::with_seed(0));
            let head = [&FORMAT[..], key].concat();
            file.write_all(&head)?;
            sum.write(&head);
            for part in table.chunks(AT_ONCE) {
                if stops() {
                    return Err(std::io::ErrorKind::Interrupted.into());
                }
                file.write_all(part)?;
                sum.write(part);
                // Without this, a machine that fails could leave a file of the right length with nothing in it. The
                // checksum would show it, but then the table would be made again each time. It is done after each part,
                // because for a whole large table it takes seconds.
                file.sync_data()?;
            }
            file.write_all(&sum.finish().to_le_bytes())?;
            file.sync_data()?;
            drop(file);
            fs::rename(&partial, self.path(key))
        };
        let written = write().is_ok();
        if !written {
            let _ = fs::remove_file(&partial);
        }
        self.tidy(&self.path(key));
        written
    }

    /// Removes unfinished files that were left behind, and the tables that were used least recently, but not the new
    /// one.
    fn tidy(&self, new: &Path) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let mut tables = Vec::new();
        for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
            let Ok(about) = fs::metadata(&path) else { continue };
            let used = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            match path.extension().and_then(|extension| extension.to_str()) {
                Some(WHOLE) if about.is_file() => tables.push((used, path, about.len())),
                Some(PARTIAL) if used.elapsed().is_ok_and(|passed| passed > LEFT_BEHIND) => {
                    let _ = fs::remove_file(path);
                }
                _ => {}
            }
        }
        sorting::sort(&mut tables);
        let mut bytes: u64 = tables.iter().map(|&(_, _, bytes)| bytes).sum();
        for (_, path, length) in tables {
            if bytes <= self.most_bytes {
                break;
            }
            if path != new && fs::remove_file(path).is_ok() {
                bytes -= length;
            }
        }
    }

    /// Returns `true` if the file of a table has the right length.
    fn has_length(&self, key: &Key, bytes: usize) -> bool {
        let length = FORMAT.len() as u64 + (KEY + CHECKSUM) as u64 + bytes as u64;
        fs::metadata(self.path(key)).is_ok_and(|about| about.is_file() && about.len() == length)
    }

    fn path(&self, key: &Key) -> PathBuf {
        let digits = key.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let name: String = digits.filter_map(|digit| char::from_digit(u32::from(digit), 16)).collect();
        self.folder.join(name).with_extension(WHOLE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GO_ON: Stops = &|| false;

    /// A folder that is removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("puzzlekit-tables-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&folder);
            Self(folder)
        }

        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(&self.0).unwrap();
            let mut names: Vec<String> =
                entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            sorting::sort(&mut names);
            names
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_damaged_table_is_none() {
        let folder = Folder::new("damaged");
        let cache = TableCache::new(&folder.0, 1 << 20);
        let (key, table) = (key(&[b"a table"]), (0..=255).collect::<Vec<u8>>());
        assert!(cache.write(&key, &table, GO_ON));
        let path = cache.path(&key);
        let whole = fs::read(&path).unwrap();
        assert_eq!(cache.read(&key, table.len(), GO_ON), Some(table.clone()));
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << (at % 8);
            fs::write(&path, &damaged).unwrap();
            assert_eq!(cache.read(&key, table.len(), GO_ON), None, "byte {at}");
            fs::write(&path, &whole[..at]).unwrap();
            assert_eq!(cache.read(&key, table.len(), GO_ON), None, "{at} bytes");
        }
        fs::write(&path, [&whole[..], &[0]].concat()).unwrap();
        assert_eq!(cache.read(&key, table.len(), GO_ON), None);
        // Reads another table under this name, and then this table as one of another size.
        fs::write(&path, &whole).unwrap();
        let other = super::key(&[b"another"]);
        fs::copy(&path, cache.path(&other)).unwrap();
        assert_eq!(cache.read(&other, table.len(), GO_ON), None);
        assert_eq!(cache.read(&key, table.len() - 1, GO_ON), None);
        assert_eq!(cache.read(&key, usize::MAX / 2, GO_ON), None);
        assert!(cache.write(&key, &table, GO_ON));
        assert_eq!(cache.read(&key, table.len(), GO_ON), Some(table));
    }

    #[test]
    fn a_table_that_is_read_or_written_can_be_stopped() {
        let folder = Folder::new("stopped");
        let cache = TableCache::new(&folder.0, 1 << 30);
        let (key, table) = (key(&[b"a table"]), vec![7; 2 * AT_ONCE + 1]);
        let stops_after = |parts: usize| {
            let asked = std::cell::Cell::new(0);
            move || asked.replace(asked.get() + 1) == parts
        };
        for parts in 0..3 {
            assert!(!cache.write(&key, &table, &stops_after(parts)));
            assert_eq!(folder.names(), [""; 0]);
        }
        assert!(cache.write(&key, &table, &stops_after(3)));
        for parts in 0..3 {
            assert_eq!(cache.read(&key, table.len(), &stops_after(parts)), None);
        }
        assert_eq!(cache.read(&key, table.len(), &stops_after(3)), Some(table));
    }

    #[test]
    fn the_tables_used_least_lately_go_first() {
        let folder = Folder::new("oldest");
        let one = 48 + 100;
        let cache = TableCache::new(&folder.0, 3 * one);
        let keys: Vec<Key> = (0..5u8).map(|number| key(&[&[number]])).collect();
        for (age, key) in keys[..3].iter().enumerate() {
            assert!(cache.write(key, &[7; 100], GO_ON));
            let hour = SystemTime::now() - Duration::from_secs(10_000 - age as u64);
            File::options().write(true).open(cache.path(key)).unwrap().set_modified(hour).unwrap();
        }
        // The first table is used again, so the second one is removed.
        assert!(cache.read(&keys[0], 100, GO_ON).is_some());
        assert!(cache.write(&keys[3], &[7; 100], GO_ON));
        let there: Vec<bool> = keys.iter().map(|key| cache.read(key, 100, GO_ON).is_some()).collect();
        assert_eq!(there, [true, false, true, true, false]);
        // A table larger than the limit is not kept, and removes none.
        assert!(!cache.write(&keys[4], &[7; 1000], GO_ON));
        assert_eq!(folder.names().len(), 3);
    }

    #[test]
    fn what_a_killed_run_left_is_removed_later_and_what_is_not_ours_stays() {
        let folder = Folder::new("left");
        fs::create_dir_all(&folder.0).unwrap();
        let old = folder.0.join("0000.17-0.partial");
        for path in [&old, &folder.0.join("1111.18-0.partial"), &folder.0.join("letter.txt")] {
            fs::write(path, b"half").unwrap();
        }
        let hours = SystemTime::now() - 2 * LEFT_BEHIND;
        File::options().write(true).open(&old).unwrap().set_modified(hours).unwrap();
        let cache = TableCache::new(&folder.0, 10);
        assert!(cache.write(&key(&[]), b"abc", GO_ON));
        assert_eq!(folder.names()[..2], ["1111.18-0.partial".to_owned(), folder.names()[1].clone()]);
        assert!(folder.names().contains(&"letter.txt".to_owned()) && !old.exists());
    }

    #[test]
    fn a_folder_that_cannot_be_made_keeps_nothing() {
        let folder = Folder::new("file");
        fs::write(&folder.0, b"no folder").unwrap();
        let cache = TableCache::new(&folder.0, 1 << 20);
        assert!(!cache.write(&key(&[]), b"abc", GO_ON));
        assert_eq!(cache.read(&key(&[]), 3, GO_ON), None);
        fs::remove_file(&folder.0).unwrap();
    }

    #[test]
    fn keys_differ_if_any_part_does() {
        assert_ne!(key(&[b"ab", b"c"]), key(&[b"a", b"bc"]));
        assert_ne!(key(&[b"ab"]), key(&[b"ab", b""]));
    }
}
