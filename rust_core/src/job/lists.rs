//! Lists in messages between shards: words in the order in which they were made. A code of a value, or the number of a
//! question, is a word of four bytes.
//!
//! A list is written in frames. The first bytes that all words of a frame share are written once. For example, the
//! codes 7, 4 and 7 share three bytes, which are 0, and then take a byte each: `00 00 00 | 07 04 07`.

use std::io::Write;

use super::codec::{FRAME_WORDS, sixteen_at, top_of, write_sixteen};
use super::reader::Reader;
use crate::compile::{Slot, Word};
use crate::error::Result;

/// The bytes before a frame: the number of its words, and the number of bytes that they share.
const HEAD: usize = 5;

/// Writes a list, given in parts that follow one another.
pub fn write_list<W: Word>(parts: &[&[W]], to: &mut dyn Write) -> std::io::Result<()> {
    let mut frame = Vec::new();
    for words in parts.iter().flat_map(|part| part.chunks(FRAME_WORDS)) {
        frame.clear();
        frame.extend_from_slice(&(words.len() as u32).to_le_bytes());
        if W::LIMBS == 1 {
            integers(words, &mut frame);
        } else {
            arrays(words, &mut frame);
        }
        to.write_all(&frame)?;
    }
    Ok(())
}

/// Adds the words to a frame, if a word is one integer.
fn integers<W: Word>(words: &[W], frame: &mut Vec<u8>) {
    let first = top_of(words[0]);
    let differ = words.iter().fold(0, |differ, &word| differ | (top_of(word) ^ first));
    let shared = (differ.leading_zeros() as usize / 8).min(W::BYTES - 1);
    frame.push(shared as u8);
    frame.extend_from_slice(&first.to_be_bytes()[..shared]);
    let (mut at, each) = (frame.len(), W::BYTES - shared);
    if each == 1 {
        frame.extend(words.iter().map(|&word| (top_of(word) >> (128 - 8 * W::BYTES)) as u8));
        return;
    }
    // Of each word, 16 bytes are written, and the next word is written over those that are too many: copying a fixed
    // number of bytes is quick.
    frame.resize(at + each * words.len() + 16, 0);
    for &word in words {
        write_sixteen(frame, at, top_of(word) << (8 * shared));
        at += each;
    }
    frame.truncate(at);
}

/// Adds the words to a frame, whatever their length.
fn arrays<W: Word>(words: &[W], frame: &mut Vec<u8>) {
    let (mut first, mut bytes) = (vec![0; W::BYTES], vec![0; W::BYTES]);
    words[0].to_bytes(&mut first);
    let shared = words.iter().fold(W::BYTES - 1, |shared, word| {
        word.to_bytes(&mut bytes);
        bytes.iter().zip(&first).take(shared).take_while(|(a, b)| a == b).count()
    });
    frame.push(shared as u8);
    frame.extend_from_slice(&first[..shared]);
    for word in words {
        word.to_bytes(&mut bytes);
        frame.extend_from_slice(&bytes[shared..]);
    }
}

/// Reads a list, frame by frame.
pub struct ListReader {
    from: Reader,
    frame: Vec<u8>,
}

impl ListReader {
    pub(super) fn new(from: Reader) -> Self {
        Self { from, frame: Vec::new() }
    }

    /// Adds the words of the next frame to `words`. Returns `false` if there is none, because the whole list was read.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Corrupt`] if the file has no list of such words, or differs from what its sender told.
    pub fn next<W: Word>(&mut self, words: &mut Vec<W>) -> Result<bool> {
        let mut head = [0; HEAD];
        if !self.from.fill(&mut head)? {
            self.from.finish()?;
            return Ok(false);
        }
        let (count, shared) = (u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize, head[4] as usize);
        if count == 0 || count > FRAME_WORDS || shared >= W::BYTES {
            return Err(self.from.wrong("a frame has an impossible size"));
        }
        let (mut bytes, each) = (vec![0; W::BYTES], W::BYTES - shared);
        let length = each * count;
        self.frame.resize(length + 16, 0);
        let whole =
            (shared == 0 || self.from.fill(&mut bytes[..shared])?) && self.from.fill(&mut self.frame[..length])?;
        if !whole {
            return Err(self.from.wrong("it ends in the middle"));
        }
        if W::LIMBS == 1 {
            let first = top_of(W::from_bytes(&bytes));
            let with = |more: u128| W::from_bytes(&(first | more).to_be_bytes()[..W::BYTES]);
            if each == 1 {
                let (first, bottom) = (W::from_bytes(&bytes), Slot { limb: 0, shift: 0 });
                words.extend(self.frame[..count].iter().map(|&byte| first.or(W::at(bottom, u64::from(byte)))));
            } else {
                words.extend((0..count).map(|number| with(sixteen_at(&self.frame, number * each) >> (8 * shared))));
            }
        } else {
            words.extend(self.frame[..length].chunks_exact(each).map(|more| {
                bytes[shared..].copy_from_slice(more);
                W::from_bytes(&bytes)
            }));
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn agree<W: Word + std::fmt::Debug + PartialEq>(words: &[W]) {
        let mut file = Vec::new();
        write_list(&[&words[..words.len() / 3], &words[words.len() / 3..]], &mut file).unwrap();
        let (mut reader, mut read): (_, Vec<W>) = (ListReader::new(Reader::of(&file)), Vec::new());
        while reader.next(&mut read).unwrap() {}
        assert_eq!(read, words);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(crate::tests::quick_or_long(10, 64)))]

        #[test]
        fn lists_are_read_as_they_were_written(
            words in prop_oneof![
                prop::collection::vec(any::<u64>(), 0..40),
                prop::collection::vec(7u64..70_000, 0..9000),
                prop::collection::vec((0u64..9).prop_map(|i| i << 56), 0..40),
            ],
        ) {
            agree(&words);
            agree(&words.iter().map(|&word| word as u32).collect::<Vec<u32>>());
            agree(&words.iter().map(|&word| u128::from(word) << 40).collect::<Vec<u128>>());
            agree(&words.iter().map(|&word| [3, word, 1, word]).collect::<Vec<[u64; 4]>>());
        }
    }
}
