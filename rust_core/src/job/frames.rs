//! Looks a word up in a sorted file of words, without reading all of it: the frame that may hold it is found by its
//! first word, and then read. Words are bytes here, the most significant first, so that they compare as words do.
//!
//! Take the words 1 3 | 6 8 in two frames. Their first words are 1 and 6. The word 3 can only be in the first frame,
//! because 6 is larger, and it is the second one there: its place in the file is 1.

use super::blocks::{Parts, SUM, Sum, number_at, sum_of};
use super::codec::FRAME_WORDS;
use crate::error::Result;

/// What is noted of a frame before its first word: where it begins, its length with its head, and its checksum.
const NOTE: usize = 12 + SUM;

/// How many bytes come before the words of a frame: how many words it has, and how many bytes follow.
const HEAD: usize = 8;

/// How many bytes are noted of each frame, if a word has `word_bytes`.
pub fn note_bytes(word_bytes: usize) -> usize {
    NOTE + word_bytes
}

/// The frames of a file of words.
#[derive(Debug)]
pub struct Frames {
    parts: Parts,
    word_bytes: usize,
    /// For each frame its note.
    notes: Vec<u8>,
    /// Whether the checksums are known.
    summed: bool,
}

impl Frames {
    /// Finds the frames of a file. With `summed`, all of it is read, for the checksums. Otherwise only a few bytes of each
    /// frame are.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Corrupt`] if it is no file of words.
    pub fn of_file(parts: Parts, word_bytes: usize, summed: bool) -> Result<Self> {
        let (mut notes, mut begin) = (Vec::new(), 0);
        while begin < parts.bytes() {
            let head = parts.read(begin, HEAD)?;
            let (count, length) = (number_at(&head, 0, 4), number_at(&head, 4, 4));
            if count == 0 || count > FRAME_WORDS as u64 || length > (FRAME_WORDS * (word_bytes + 1)) as u64 {
                return Err(parts.wrong("a frame has an impossible size"));
            }
            let whole = HEAD + length as usize;
            let frame = parts.read(begin, if summed { whole } else { whole.min(HEAD + 1 + word_bytes) })?;
            let mut word = vec![0; word_bytes];
            let sum = if summed { sum_of(&frame) } else { Sum::default() };
            if read_word(&frame[HEAD..], &mut word).is_none() {
                return Err(parts.wrong("a frame is malformed"));
            }
            notes.extend_from_slice(&begin.to_le_bytes());
            notes.extend_from_slice(&(whole as u32).to_le_bytes());
            notes.extend_from_slice(&sum);
            notes.extend_from_slice(&word);
            begin += whole as u64;
        }
        Ok(Self { parts, word_bytes, notes, summed })
    }

    /// The frames of a file as [`Self::notes`] noted them, with their checksums.
    pub fn noted(parts: Parts, word_bytes: usize, notes: Vec<u8>) -> Self {
        Self { parts, word_bytes, notes, summed: true }
    }

    /// The note of each frame.
    pub fn notes(&self) -> impl Iterator<Item = &[u8]> {
        self.notes.chunks_exact(note_bytes(self.word_bytes))
    }

    /// The place of a word in the file, counted from 0; `None` if it is not there.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Corrupt`] if the frame that may hold it is not what was noted.
    pub fn find(&self, word: &[u8]) -> Result<Option<u64>> {
        let Some(number) = self.frame_of(word) else { return Ok(None) };
        let mut place = None;
        self.each_in(number, &mut |at, found| {
            if found >= word {
                place = (found == word).then_some(at);
            }
            found < word
        })?;
        Ok(place)
    }

    /// Calls `found` with the numbers of the words that are there, out of some in order. Each frame is read once.
    ///
    /// # Errors
    ///
    /// As [`Self::find`].
    pub fn find_all(&self, words: &[&[u8]], found: &mut dyn FnMut(usize)) -> Result<()> {
        let mut next = 0;
        while let Some(word) = words.get(next) {
            let Some(number) = self.frame_of(word) else {
                next += 1;
                continue;
            };
            let after = self.first_word(number + 1);
            let end = next + words[next..].partition_point(|&word| after.is_none_or(|after| word < after));
            self.each_in(number, &mut |_, held| {
                while next < end && words[next] < held {
                    next += 1;
                }
                // The same word may be asked for several times.
                while next < end && words[next] == held {
                    found(next);
                    next += 1;
                }
                next < end
            })?;
            next = end;
        }
        Ok(())
    }

    /// The first word of a frame, if there is such a frame.
    fn first_word(&self, number: usize) -> Option<&[u8]> {
        let width = note_bytes(self.word_bytes);
        self.notes.get(number * width..)?.get(NOTE..width)
    }

    /// The number of the frame that may hold a word.
    fn frame_of(&self, word: &[u8]) -> Option<usize> {
        let (mut low, mut high) = (0, self.notes.len() / note_bytes(self.word_bytes));
        while low < high {
            let middle = low.midpoint(high);
            if self.first_word(middle).is_some_and(|first| first <= word) { low = middle + 1 } else { high = middle }
        }
        low.checked_sub(1)
    }

    /// Calls `each` with the words of a frame and their places in the file, as long as it returns true.
    fn each_in(&self, number: usize, each: &mut dyn FnMut(u64, &[u8]) -> bool) -> Result<()> {
        let width = note_bytes(self.word_bytes);
        let note = |number: usize| &self.notes[number * width..][..width];
        let last = (number + 1) * width == self.notes.len();
        let frame = self.parts.read(number_at(note(number), 0, 8), number_at(note(number), 8, 4) as usize)?;
        let wrong = || self.parts.wrong("a frame is not what was written");
        let count = number_at(&frame, 0, 4);
        if (self.summed && sum_of(&frame) != note(number)[12..][..SUM]) || !(last || count == FRAME_WORDS as u64) {
            return Err(wrong());
        }
        let (mut found, mut rest) = (vec![0; self.word_bytes], &frame[HEAD..]);
        for at in 0..count {
            rest = read_word(rest, &mut found).ok_or_else(wrong)?;
            if !each((number * FRAME_WORDS) as u64 + at, &found) {
                break;
            }
        }
        Ok(())
    }
}

/// Reads a word, which is written as far as it differs from the one before. Returns what follows.
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
        let read = Frames::of_file(written.parts(), 8, true).unwrap();
        let notes: Vec<u8> = read.notes().flatten().copied().collect();
        assert_eq!(read.notes().count(), 3);
        let told = Frames::noted(written.parts(), 8, notes.clone());
        let hopped = Frames::of_file(written.parts(), 8, false).unwrap();
        for frames in [&read, &told, &hopped] {
            for (place, word) in words.iter().enumerate().filter(|(place, _)| place % 97 == 0 || place % 4096 < 3) {
                assert_eq!(frames.find(&word.to_be_bytes()).unwrap(), Some(place as u64));
                assert_eq!(frames.find(&(word + 1).to_be_bytes()).unwrap(), None);
                assert_eq!(frames.find(&(word - 1).to_be_bytes()).unwrap(), None);
            }
            assert_eq!(frames.find(&u64::MAX.to_be_bytes()).unwrap(), None);
            for step in [1, 3, 1000, 40_000] {
                let asked: Vec<u64> = (0..words[words.len() - 1] + 9).step_by(step).take(90_000).collect();
                let bytes: Vec<[u8; 8]> = asked.iter().map(|word| word.to_be_bytes()).collect();
                let slices: Vec<&[u8]> = bytes.iter().map(|word| &word[..]).collect();
                let mut found = Vec::new();
                frames.find_all(&slices, &mut |at| found.push(at)).unwrap();
                let there = |&at: &usize| words.binary_search(&asked[at]).is_ok();
                assert_eq!(found, (0..asked.len()).filter(there).collect::<Vec<_>>());
            }
        }
        let word = words[FRAME_WORDS + 7].to_be_bytes();
        let begin = number_at(told.notes().nth(1).unwrap(), 0, 8) as usize;
        for at in begin..begin + 60 {
            let mut damaged = file.clone();
            damaged[at] ^= 1 << (at % 8);
            let damaged = Written::new("damaged", &damaged);
            assert!(Frames::noted(damaged.parts(), 8, notes.clone()).find(&word).is_err(), "byte {at}");
        }
        let short = Written::new("short", &file[..file.len() - 1]);
        assert!(Frames::of_file(short.parts(), 8, true).is_err());
    }
}
