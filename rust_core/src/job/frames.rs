//! Looks up a word in a sorted file of words, without reading the whole file: only the frame that may hold the word is
//! read. It is found by the first words of all frames. Words are bytes here, the most significant first, so that they
//! compare as words do.
//!
//! Take the words 1 3 | 6 8 in two frames. Their first words are 1 and 6. The word 3 can only be in the first frame,
//! because 6 is larger, and it is the second one there: its place in the file is 1.

use super::blocks::{Parts, SUM, number_at, sum_of};
use super::codec::FRAME_WORDS;
use super::recent::RecentBlocks;
use crate::error::Result;

/// The number of bytes of a frame's note before the frame's first word: the frame's place in the file, its length with
/// its head, and its checksum.
const NOTE: usize = 12 + SUM;

/// The number of bytes before the words of a frame: the number of its words, and the number of bytes that follow.
const HEAD: usize = 8;

/// The number of bytes of a frame's note, if a word has `word_bytes` bytes.
pub fn note_bytes(word_bytes: usize) -> usize {
    NOTE + word_bytes
}

/// The frames of a file of words.
#[derive(Debug)]
pub struct Frames {
    parts: Parts,
    word_bytes: usize,
    /// The notes of all frames.
    notes: Vec<u8>,
}

impl Frames {
    /// Finds the frames of a file. The whole file is read, to compute the checksums.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Corrupt`] if the file does not hold words.
    pub fn of_file(parts: Parts, word_bytes: usize) -> Result<Self> {
        let (mut notes, mut begin) = (Vec::new(), 0);
        while begin < parts.bytes() {
            let head = parts.read(begin, HEAD)?;
            let (count, length) = (number_at(&head, 0, 4), number_at(&head, 4, 4));
            if count == 0 || count > FRAME_WORDS as u64 || length > (FRAME_WORDS * (word_bytes + 1)) as u64 {
                return Err(parts.wrong("a frame has an impossible size"));
            }
            let whole = HEAD + length as usize;
            let frame = parts.read(begin, whole)?;
            let mut word = vec![0; word_bytes];
            let sum = sum_of(&frame);
            if read_word(&frame[HEAD..], &mut word).is_none() {
                return Err(parts.wrong("a frame is malformed"));
            }
            notes.extend_from_slice(&begin.to_le_bytes());
            notes.extend_from_slice(&(whole as u32).to_le_bytes());
            notes.extend_from_slice(&sum);
            notes.extend_from_slice(&word);
            begin += whole as u64;
        }
        Ok(Self { parts, word_bytes, notes })
    }

    /// The frames of a file, by notes that [`Self::notes`] returned earlier.
    pub fn noted(parts: Parts, word_bytes: usize, notes: Vec<u8>) -> Self {
        Self { parts, word_bytes, notes }
    }

    /// The note of each frame.
    pub fn notes(&self) -> impl Iterator<Item = &[u8]> {
        self.notes.chunks_exact(note_bytes(self.word_bytes))
    }

    /// The place of a word in the file, counted from 0; `None` if it is not there. `recent` keeps the frames that were
    /// read, and serves only this file.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Corrupt`] if the frame that may hold it has changed since it was noted.
    pub fn find(&self, word: &[u8], recent: &mut RecentBlocks<Vec<u8>>) -> Result<Option<u64>> {
        let (mut low, mut high) = (0, self.notes.len() / note_bytes(self.word_bytes));
        while low < high {
            let middle = low.midpoint(high);
            if self.first_word(middle) <= word { low = middle + 1 } else { high = middle }
        }
        let Some(number) = low.checked_sub(1) else { return Ok(None) };
        let words = recent.get(number, || self.frame(number))?;
        let width = self.word_bytes;
        let (mut low, mut high) = (0, words.len() / width);
        while low < high {
            let middle = low.midpoint(high);
            if &words[middle * width..][..width] < word { low = middle + 1 } else { high = middle }
        }
        let found = words[low * width..].get(..width) == Some(word);
        Ok(found.then_some((number * FRAME_WORDS + low) as u64))
    }

    /// The first word of a frame.
    pub fn first_word(&self, number: usize) -> &[u8] {
        &self.note(number)[NOTE..]
    }

    /// The note of a frame.
    pub fn note(&self, number: usize) -> &[u8] {
        let width = note_bytes(self.word_bytes);
        &self.notes[number * width..][..width]
    }

    /// Reads one frame, and returns its words one after another.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Corrupt`] if the frame has changed since it was noted.
    pub fn frame(&self, number: usize) -> Result<Vec<u8>> {
        let note = self.note(number);
        let frame = self.parts.read(number_at(note, 0, 8), number_at(note, 8, 4) as usize)?;
        let wrong = || self.parts.wrong("a frame is not what was written");
        let (count, last) = (number_at(&frame, 0, 4) as usize, (number + 1) * note_bytes(self.word_bytes));
        let whole = count == FRAME_WORDS || (count < FRAME_WORDS && last == self.notes.len());
        if !whole || sum_of(&frame) != note[12..][..SUM] {
            return Err(wrong());
        }
        let (mut words, mut word) = (Vec::with_capacity(count * self.word_bytes), vec![0; self.word_bytes]);
        let mut rest = &frame[HEAD..];
        for _ in 0..count {
            rest = read_word(rest, &mut word).ok_or_else(wrong)?;
            words.extend_from_slice(&word);
        }
        Ok(words)
    }
}

/// Reads one word, of which only the bytes that differ from the word before are written. `word` has the word before,
/// and then the new one. Returns the bytes that follow; `None` if there are too few bytes.
fn read_word<'a>(bytes: &'a [u8], word: &mut [u8]) -> Option<&'a [u8]> {
    let (&shared, rest) = bytes.split_first()?;
    let more = word.len().checked_sub(shared as usize).filter(|&more| more > 0)?;
    let (new, rest) = rest.split_at_checked(more)?;
    word[shared as usize..].copy_from_slice(new);
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::super::blocks::tests::Written;
    use super::super::codec::WordsWriter;
    use super::*;

    #[test]
    fn each_word_is_found_at_its_place_and_no_other() {
        // Enough words for three frames, the last of them short.
        let words: Vec<u64> = (0..2 * FRAME_WORDS as u64 + 100).map(|number| 5 + 3 * number * number).collect();
        let (mut writer, mut file) = (WordsWriter::new(), Vec::new());
        writer.write(&words, &mut file).unwrap();
        writer.finish(&mut file).unwrap();
        let written = Written::new("frames", &file);
        let read = Frames::of_file(written.parts(), 8).unwrap();
        let notes: Vec<u8> = read.notes().flatten().copied().collect();
        assert_eq!(read.notes().count(), 3);
        let told = Frames::noted(written.parts(), 8, notes.clone());
        for frames in [&read, &told] {
            let recent = &mut RecentBlocks::new(2);
            for (place, word) in words.iter().enumerate().filter(|(place, _)| place % 97 == 0 || place % 4096 < 3) {
                assert_eq!(frames.find(&word.to_be_bytes(), recent).unwrap(), Some(place as u64));
                assert_eq!(frames.find(&(word + 1).to_be_bytes(), recent).unwrap(), None);
                assert_eq!(frames.find(&(word - 1).to_be_bytes(), recent).unwrap(), None);
            }
            assert_eq!(frames.find(&u64::MAX.to_be_bytes(), recent).unwrap(), None);
        }
        let word = words[FRAME_WORDS + 7].to_be_bytes();
        let begin = number_at(told.notes().nth(1).unwrap(), 0, 8) as usize;
        for at in begin..begin + 60 {
            let mut damaged = file.clone();
            damaged[at] ^= 1 << (at % 8);
            let damaged = Written::new("damaged", &damaged);
            let damaged = Frames::noted(damaged.parts(), 8, notes.clone());
            assert!(damaged.find(&word, &mut RecentBlocks::new(1)).is_err(), "byte {at}");
        }
        let short = Written::new("short", &file[..file.len() - 1]);
        assert!(Frames::of_file(short.parts(), 8).is_err());
    }
}
