//! Files of blocks, each of which is compressed, has a checksum of its own, and can be read by itself.
//!
//! A file is the blocks one after another, then the index, then the tail. For each block the index has its place, its
//! length compressed and not, its checksum, and a key, which the writer chooses. The tail has the place of the index,
//! the number of blocks, the length of a key, the checksum of the index and of the tail so far, and the name of the
//! form. So a single block can be checked, however large the file is.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use crate::error::{Error, Result};

/// The last bytes of each file. The last of them is the version of the form.
const FORMAT: &[u8; 8] = b"pkblock1";

/// The number of bytes of a block's checksum. With 16 bytes, damage goes unnoticed with a chance of 1 in 2^128.
pub const SUM: usize = 16;

/// A checksum.
pub type Sum = [u8; SUM];

/// The number of bytes of a block's entry in the index, without its key: two numbers of 32 bits, one of 64, and the
/// checksum.
const ENTRY: usize = 16 + SUM;

/// The number of bytes after the index: a number of 64 bits, two of 32, the checksum, and the name of the form.
const TAIL: usize = 16 + SUM + FORMAT.len();

/// The most bytes of a block of any file before it is compressed.
const MOST_RAW: usize = 1 << 26;

/// A compressed byte stands for at most this many bytes. So a file that claims to hold more than it can is refused
/// before there is room for what it claims.
const MOST_RATIO: u64 = 255;

/// The checksum of some bytes.
pub fn sum_of(bytes: &[u8]) -> Sum {
    let mut sum = Sum::default();
    sum.copy_from_slice(blake2b_simd::Params::new().hash_length(SUM).hash(bytes).as_bytes());
    sum
}

/// Writes blocks one after another.
#[derive(Debug, Default)]
pub struct BlocksWriter {
    index: Vec<u8>,
    blocks: u32,
    bytes: u64,
    key_bytes: u32,
}

impl BlocksWriter {
    /// Writes a block. The keys of all blocks have the same length.
    pub fn write(&mut self, content: &[u8], key: &[u8], to: &mut dyn Write) -> std::io::Result<()> {
        let block = lz4_flex::block::compress(content);
        to.write_all(&block)?;
        self.index.extend_from_slice(&self.bytes.to_le_bytes());
        self.index.extend_from_slice(&(block.len() as u32).to_le_bytes());
        self.index.extend_from_slice(&(content.len() as u32).to_le_bytes());
        self.index.extend_from_slice(&sum_of(&block));
        self.index.extend_from_slice(key);
        self.bytes += block.len() as u64;
        self.blocks += 1;
        self.key_bytes = key.len() as u32;
        Ok(())
    }

    /// Writes the index and the tail.
    pub fn finish(self, to: &mut dyn Write) -> std::io::Result<()> {
        let mut tail = self.bytes.to_le_bytes().to_vec();
        tail.extend_from_slice(&self.blocks.to_le_bytes());
        tail.extend_from_slice(&self.key_bytes.to_le_bytes());
        let sum = sum_of(&[&self.index[..], &tail].concat());
        tail.extend_from_slice(&sum);
        tail.extend_from_slice(FORMAT);
        to.write_all(&self.index)?;
        to.write_all(&tail)
    }
}

/// A file of which any part can be read. The file is opened anew for each part, so that any number of files may be in
/// use.
#[derive(Debug)]
pub struct Parts {
    path: PathBuf,
    bytes: u64,
}

impl Parts {
    /// A file with its number of bytes.
    pub fn new(path: PathBuf, bytes: u64) -> Self {
        Self { path, bytes }
    }

    /// The number of bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Reads some bytes.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if the file has no such bytes, [`Error::Disk`] if the system refuses to read it.
    pub fn read(&self, begin: u64, length: usize) -> Result<Vec<u8>> {
        if begin.checked_add(length as u64).is_none_or(|end| end > self.bytes) {
            return Err(self.wrong("it ends in the middle"));
        }
        let mut bytes = vec![0; length];
        let mut fill = || -> std::io::Result<()> {
            let mut file = File::open(&self.path)?;
            file.seek(SeekFrom::Start(begin))?;
            file.read_exact(&mut bytes)
        };
        fill().map_err(|error| {
            Error::Disk(format!(
                "cannot read {}: {error}; nothing is lost: mend that, and try again",
                self.path.display()
            ))
        })?;
        Ok(bytes)
    }

    /// The error for a damaged file: it names the file and says `what` is wrong.
    pub fn wrong(&self, what: &str) -> Error {
        Error::Corrupt(format!("{}: {what}; the job is damaged", self.path.display()))
    }
}

/// The number at some place of a list of bytes, the lowest byte first.
pub fn number_at(bytes: &[u8], at: usize, length: usize) -> u64 {
    bytes[at..][..length].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// A file of blocks, read block by block in any order.
#[derive(Debug)]
pub struct Blocks {
    parts: Parts,
    index: Vec<u8>,
    key_bytes: usize,
    most: usize,
}

impl Blocks {
    /// Reads the index of a file, whose keys all have the given number of bytes. A block that claims to have more than
    /// `most` bytes before it is compressed is refused.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if the file was not written by [`BlocksWriter`].
    pub fn open(parts: Parts, key_bytes: usize, most: usize) -> Result<Self> {
        let Some(end) = parts.bytes().checked_sub(TAIL as u64) else { return Err(parts.wrong("it is too short")) };
        let tail = parts.read(end, TAIL)?;
        let (begin, blocks) = (number_at(&tail, 0, 8), number_at(&tail, 8, 4));
        let length = blocks * (ENTRY + key_bytes) as u64;
        let right = tail.ends_with(FORMAT)
            && number_at(&tail, 12, 4) == key_bytes as u64
            && begin.checked_add(length) == Some(end);
        let index = if right { parts.read(begin, length as usize)? } else { Vec::new() };
        if !right || sum_of(&[&index[..], &tail[..16]].concat()) != tail[16..][..SUM] {
            return Err(parts.wrong("its index is not what was written"));
        }
        Ok(Self { parts, index, key_bytes, most: most.min(MOST_RAW) })
    }

    /// The number of blocks.
    pub fn len(&self) -> usize {
        self.index.len() / (ENTRY + self.key_bytes)
    }

    fn entry(&self, block: usize) -> &[u8] {
        let width = ENTRY + self.key_bytes;
        &self.index[block * width..][..width]
    }

    /// The key that the writer gave to a block.
    pub fn key(&self, block: usize) -> &[u8] {
        &self.entry(block)[ENTRY..]
    }

    /// The content of a block, which is checked and decompressed.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if it has changed since it was written.
    pub fn read(&self, block: usize) -> Result<Vec<u8>> {
        let entry = self.entry(block);
        let (begin, length, raw) = (number_at(entry, 0, 8), number_at(entry, 8, 4), number_at(entry, 12, 4) as usize);
        let wrong = || self.parts.wrong("a block is not what was written");
        let longest = lz4_flex::block::get_maximum_output_size(raw) as u64;
        if raw > self.most || raw as u64 > MOST_RATIO * length || length > longest {
            return Err(wrong());
        }
        let compressed = self.parts.read(begin, length as usize)?;
        if sum_of(&compressed) != entry[16..][..SUM] {
            return Err(wrong());
        }
        let mut content = vec![0; raw];
        match lz4_flex::block::decompress_into(&compressed, &mut content) {
            Ok(got) if got == raw => Ok(content),
            _ => Err(wrong()),
        }
    }

    /// The error for a damaged file: it names the file and says `what` is wrong.
    pub fn wrong(&self, what: &str) -> Error {
        self.parts.wrong(what)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A file of some bytes, which is removed at the end.
    pub struct Written(PathBuf, u64);

    impl Written {
        pub fn new(name: &str, bytes: &[u8]) -> Self {
            let path = std::env::temp_dir().join(format!("puzzlekit-blocks-{name}-{}", std::process::id()));
            std::fs::write(&path, bytes).unwrap();
            Self(path, bytes.len() as u64)
        }

        pub fn parts(&self) -> Parts {
            Parts::new(self.0.clone(), self.1)
        }
    }

    impl Drop for Written {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    #[test]
    fn every_byte_of_a_block_and_of_the_index_counts() {
        let contents: Vec<Vec<u8>> = vec![vec![7; 5000], (0..=255).collect(), Vec::new(), b"abcabcabc".to_vec()];
        let (mut writer, mut file) = (BlocksWriter::default(), Vec::new());
        for (number, content) in contents.iter().enumerate() {
            writer.write(content, &[number as u8, 9], &mut file).unwrap();
        }
        writer.finish(&mut file).unwrap();
        let whole = |bytes: &[u8]| -> Result<Vec<Vec<u8>>> {
            let written = Written::new("whole", bytes);
            let blocks = Blocks::open(written.parts(), 2, 5000)?;
            assert_eq!((blocks.len(), blocks.key(3)), (4, &[3, 9][..]));
            [3, 1, 0, 2].map(|block| blocks.read(block)).into_iter().collect()
        };
        let expected = [3, 1, 0, 2].map(|block: usize| contents[block].clone());
        assert_eq!(whole(&file).unwrap(), expected);
        for at in 0..file.len() {
            let mut damaged = file.clone();
            damaged[at] ^= 1 << (at % 8);
            assert!(matches!(whole(&damaged), Err(Error::Corrupt(_))), "byte {at}");
            assert!(matches!(whole(&file[..at]), Err(Error::Corrupt(_))), "{at} bytes");
        }
        assert!(Blocks::open(Written::new("keys", &file).parts(), 3, 5000).is_err());
    }

    /// A file may claim to have large blocks, with the right checksums. It is refused without room for what it claims.
    #[test]
    fn a_block_that_claims_too_much_is_refused() {
        let block = lz4_flex::block::compress(&[7; 5000]);
        let claims = |raw: u32, length: u32| {
            let mut file = block.clone();
            let index = [&0u64.to_le_bytes()[..], &length.to_le_bytes(), &raw.to_le_bytes(), &sum_of(&block)].concat();
            let writer = BlocksWriter { index, blocks: 1, bytes: block.len() as u64, key_bytes: 0 };
            writer.finish(&mut file).unwrap();
            let written = Written::new(&format!("claims-{raw}-{length}"), &file);
            Blocks::open(written.parts(), 0, 1 << 26).unwrap().read(0)
        };
        let length = block.len() as u32;
        assert_eq!(claims(5000, length).unwrap(), [7; 5000]);
        for raw in [4999, 5001, 255 * length, 255 * length + 1, 1 << 26, u32::MAX] {
            assert!(matches!(claims(raw, length), Err(Error::Corrupt(_))), "{raw}");
        }
        assert!(matches!(claims(5000, u32::MAX), Err(Error::Corrupt(_))));
        // A reader may expect smaller blocks.
        let (mut writer, mut file) = (BlocksWriter::default(), Vec::new());
        writer.write(&[7; 5000], &[], &mut file).unwrap();
        writer.finish(&mut file).unwrap();
        let written = Written::new("expected", &file);
        let read = |most: usize| Blocks::open(written.parts(), 0, most).unwrap().read(0);
        assert!(read(5000).is_ok() && matches!(read(4999), Err(Error::Corrupt(_))));
    }
}
