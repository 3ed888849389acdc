//! The form of states in files. Sorted words are written as differences: of each word only the bytes that differ from
//! the word before. After `12 34 56`, the word `12 34 78` is written as `2 78`: it shares two bytes. Arrays of bits are
//! written without their empty stretches.

use std::io::Write;
use std::ops::Range;

use super::reader::Reader;
use crate::compile::{Word, cpu};
use crate::error::Result;
use crate::run::parallel;

/// The most words of a frame. A frame is a part of a file that can be read by itself.
pub const FRAME_WORDS: usize = 4096;

/// The number of bytes of an array in one frame, before the frame is compressed.
pub const FRAME_BYTES: usize = 1 << 16;

/// The number of frames that each thread makes at a time. All frames wait in memory until they are written.
const FRAMES_A_THREAD: usize = 8;

/// The bytes of memory that are reserved for a frame, which is enough for most frames.
const FRAME_ROOM: usize = 6 * FRAME_WORDS;

/// Writes words in order, the smallest first, each once. The division into frames depends only on the words.
pub struct WordsWriter<W> {
    frame: Vec<u8>,
    count: u32,
    last: Option<W>,
}

impl<W: Word> WordsWriter<W> {
    /// A writer that has written no words yet.
    pub fn new() -> Self {
        Self { frame: Vec::new(), count: 0, last: None }
    }

    /// Writes further words.
    pub fn write(&mut self, words: &[W], to: &mut dyn Write) -> std::io::Result<()> {
        self.write_parts(&[words], to)
    }

    /// Writes further words, in parts that follow one another. Frames that are whole are made on all threads, if the
    /// caller has several.
    ///
    /// Take frames of four words, three words that were written already, and ten more on two threads. The first one
    /// fills the frame that was begun. Then each thread makes a frame of four words, and one word begins the next.
    pub fn write_parts(&mut self, parts: &[&[W]], to: &mut dyn Write) -> std::io::Result<()> {
        let count: usize = parts.iter().map(|words| words.len()).sum();
        let filling = (FRAME_WORDS - self.count as usize) % FRAME_WORDS;
        let threads = parallel::pool_threads();
        if threads == 1 || count < filling + 2 * FRAME_WORDS {
            return self.write_range(parts, (0, count), to);
        }
        self.write_range(parts, (0, filling), to)?;
        let frames = (count - filling) / FRAME_WORDS;
        for first in (0..frames).step_by(FRAMES_A_THREAD * threads) {
            let made = parallel::map((frames - first).min(FRAMES_A_THREAD * threads), 1, |range| {
                let begin = filling + (first + range.start) * FRAME_WORDS;
                let mut bytes = Vec::with_capacity(FRAME_ROOM);
                Self::new().write_range(parts, (begin, begin + FRAME_WORDS), &mut bytes).map(|()| bytes)
            });
            for frame in made {
                to.write_all(&frame?)?;
            }
        }
        self.write_range(parts, (filling + frames * FRAME_WORDS, count), to)
    }

    /// Writes the words from number `range.0` to the one before `range.1`, counted over all parts.
    fn write_range(&mut self, parts: &[&[W]], range: (usize, usize), to: &mut dyn Write) -> std::io::Result<()> {
        let mut begin = 0;
        for words in parts {
            let within = |place: usize| place.saturating_sub(begin).min(words.len());
            self.write_in_turn(&words[within(range.0)..within(range.1)], to)?;
            begin += words.len();
        }
        Ok(())
    }

    /// Writes further words on this thread, one after another.
    fn write_in_turn(&mut self, words: &[W], to: &mut dyn Write) -> std::io::Result<()> {
        if W::LIMBS == 1 { self.write_integers(words, to) } else { self.write_arrays(words, to) }
    }

    /// Does the work of [`Self::write_in_turn`] for words of one integer each. All bytes of a word are copied together,
    /// as the top of a number of 128 bits.
    fn write_integers(&mut self, words: &[W], to: &mut dyn Write) -> std::io::Result<()> {
        let (mut last, mut rest) = (self.last.map_or(0, top_of), words);
        while !rest.is_empty() {
            let (now, after) = rest.split_at(rest.len().min(FRAME_WORDS - self.count as usize));
            let mut at = self.frame.len();
            // Of each word, 16 bytes are written, and the next word is written over those that are too many: writing a
            // fixed number of bytes is quick.
            self.frame.resize(at + now.len() * (1 + W::BYTES) + 16, 0);
            for &word in now {
                let top = top_of(word);
                let shared = ((top ^ last).leading_zeros() as usize / 8).min(W::BYTES - 1);
                self.frame[at] = shared as u8;
                write_sixteen(&mut self.frame, at + 1, top << (8 * shared));
                at += 1 + W::BYTES - shared;
                last = top;
            }
            self.frame.truncate(at);
            self.count += now.len() as u32;
            if self.count as usize == FRAME_WORDS {
                self.flush(to)?;
                last = 0;
            }
            rest = after;
        }
        self.last = words.last().copied().or(self.last).filter(|_| self.count > 0);
        Ok(())
    }

    /// Writes further words, whatever their length, byte by byte.
    fn write_arrays(&mut self, words: &[W], to: &mut dyn Write) -> std::io::Result<()> {
        let (mut last, mut bytes) = (vec![0; W::BYTES], vec![0; W::BYTES]);
        if let Some(word) = self.last {
            word.to_bytes(&mut last);
        }
        for &word in words {
            word.to_bytes(&mut bytes);
            let shared = bytes.iter().zip(&last).take_while(|(a, b)| a == b).count().min(W::BYTES - 1);
            self.frame.push(shared as u8);
            self.frame.extend_from_slice(&bytes[shared..]);
            self.count += 1;
            if self.count as usize == FRAME_WORDS {
                self.flush(to)?;
                last.fill(0);
            } else {
                std::mem::swap(&mut last, &mut bytes);
            }
        }
        self.last = words.last().copied().or(self.last).filter(|_| self.count > 0);
        Ok(())
    }

    fn flush(&mut self, to: &mut dyn Write) -> std::io::Result<()> {
        if self.count > 0 {
            to.write_all(&self.count.to_le_bytes())?;
            to.write_all(&(self.frame.len() as u32).to_le_bytes())?;
            to.write_all(&self.frame)?;
        }
        self.frame.clear();
        self.count = 0;
        Ok(())
    }

    /// Writes the last frame.
    pub fn finish(mut self, to: &mut dyn Write) -> std::io::Result<()> {
        self.flush(to)
    }
}

/// Reads words, frame by frame.
pub struct WordsReader<W> {
    from: Reader,
    frame: Vec<u8>,
    before: Option<W>,
}

impl<W: Word> WordsReader<W> {
    /// A reader of the words that a [`WordsWriter`] wrote.
    pub fn new(from: Reader) -> Self {
        Self { from, frame: Vec::new(), before: None }
    }

    /// Adds the words of the next frame to a list. Returns `false` if there is none, because the whole file was read.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Corrupt`] if the file was not written by [`WordsWriter`], or differs from the manifest.
    pub fn next(&mut self, words: &mut Vec<W>) -> Result<bool> {
        let mut head = [0; 8];
        if !self.from.fill(&mut head)? {
            self.from.finish()?;
            return Ok(false);
        }
        let number = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]) as usize;
        let (count, length) = (number(0), number(4));
        if count == 0 || count > FRAME_WORDS || length > FRAME_WORDS * (W::BYTES + 1) {
            return Err(self.from.wrong("a frame has an impossible size"));
        }
        self.frame.resize(length, 0);
        if !self.from.fill(&mut self.frame)? {
            return Err(self.from.wrong("it ends in the middle"));
        }
        if W::LIMBS == 1 {
            self.read_integers(count, words)?;
        } else {
            self.read_arrays(count, words)?;
        }
        Ok(true)
    }

    /// Reads the words of a frame, if a word is one integer.
    fn read_integers(&mut self, count: usize, words: &mut Vec<W>) -> Result<()> {
        let length = self.frame.len();
        // There are 16 more bytes than the frame has, so that 16 bytes can be read wherever a word begins. The bytes
        // that do not belong to the word are cut off.
        self.frame.resize(length + 16, 0);
        let (mut top, mut at) = (0u128, 0);
        for _ in 0..count {
            if at >= length {
                return Err(self.from.wrong("a frame is too short"));
            }
            let shared = self.frame[at] as usize;
            if shared >= W::BYTES || at + 1 + W::BYTES - shared > length {
                return Err(self.from.wrong("a frame is malformed"));
            }
            top = top & !(u128::MAX >> (8 * shared)) | sixteen_at(&self.frame, at + 1) >> (8 * shared);
            at += 1 + W::BYTES - shared;
            let word = W::from_bytes(&top.to_be_bytes()[..W::BYTES]);
            if self.before.is_some_and(|before| before >= word) {
                return Err(self.from.wrong("its states are not in order"));
            }
            self.before = Some(word);
            words.push(word);
        }
        if at < length { Err(self.from.wrong("a frame is too long")) } else { Ok(()) }
    }

    /// Reads the words of a frame, whatever their length.
    fn read_arrays(&mut self, count: usize, words: &mut Vec<W>) -> Result<()> {
        let (mut bytes, mut rest) = (vec![0; W::BYTES], &self.frame[..]);
        for _ in 0..count {
            let Some((&shared, after)) = rest.split_first() else {
                return Err(self.from.wrong("a frame is too short"));
            };
            let Some(more) = W::BYTES.checked_sub(shared as usize).filter(|&more| more > 0 && more <= after.len())
            else {
                return Err(self.from.wrong("a frame is malformed"));
            };
            bytes[shared as usize..].copy_from_slice(&after[..more]);
            rest = &after[more..];
            let word = W::from_bytes(&bytes);
            if self.before.is_some_and(|before| before >= word) {
                return Err(self.from.wrong("its states are not in order"));
            }
            self.before = Some(word);
            words.push(word);
        }
        if rest.is_empty() { Ok(()) } else { Err(self.from.wrong("a frame is too long")) }
    }
}

/// The 16 bytes at some place, as a number. The compiler makes one instruction of that, and a call to copy them of
/// `copy_from_slice`.
#[inline(always)]
pub fn sixteen_at(bytes: &[u8], at: usize) -> u128 {
    u128::from_be_bytes(*bytes[at..].first_chunk().expect("there are 16 more bytes than words need"))
}

/// Writes a number as the 16 bytes at some place.
#[inline(always)]
pub fn write_sixteen(bytes: &mut [u8], at: usize, number: u128) {
    *bytes[at..].first_chunk_mut().expect("there are 16 more bytes than words need") = number.to_be_bytes();
}

/// The bytes of a word of one integer as the top of 128 bits, with zeros below.
#[inline(always)]
pub fn top_of<W: Word>(word: W) -> u128 {
    let mut bytes = [0; 16];
    word.to_bytes(&mut bytes[..W::BYTES]);
    u128::from_be_bytes(bytes)
}

/// Writes an array, compressed and without the stretches that are zero.
pub fn write_array(bytes: &[u8], to: &mut dyn Write) -> std::io::Result<()> {
    for (number, stretch) in bytes.chunks(FRAME_BYTES).enumerate() {
        if stretch.iter().any(|&byte| byte != 0) {
            write_frame(number, 0, &lz4_flex::block::compress(stretch), to)?;
        }
    }
    Ok(())
}

/// Writes a frame of an array: the number of its stretch, its length with its form, and its content.
fn write_frame(number: usize, form: u32, content: &[u8], to: &mut dyn Write) -> std::io::Result<()> {
    to.write_all(&(number as u64).to_le_bytes())?;
    to.write_all(&(content.len() as u32 | form).to_le_bytes())?;
    to.write_all(content)
}

/// A function that is called with a part of an array of bytes: its place in the array, and its bytes.
pub type ReadPart<'a> = &'a mut dyn FnMut(usize, &[u8]) -> Result<()>;

/// Set in the length of a frame that has the distances between set bits, and not compressed bytes.
const DISTANCES: u32 = 1 << 31;

/// Writes the bits of an array from byte `within.start` to the one before `within.end`, as if all others were zero.
/// Each stretch is written in the form that takes fewer bytes: compressed, or as the distances between its set bits, of
/// which most take a byte. Returns the number of set bits.
///
/// Take the bits 3, 5 and 300 of a stretch. They are written as 4, 2 and 295, each distance counted from the bit before
/// (the first one from the place before bit 0), with seven bits in a byte and the lowest first: `04 02 a7 02`.
pub fn write_bits(bytes: &[u8], within: &Range<usize>, to: &mut dyn Write) -> std::io::Result<u64> {
    let (mut all, mut cut, mut distances) = (0, Vec::new(), Vec::new());
    for number in within.start / FRAME_BYTES..within.end.div_ceil(FRAME_BYTES) {
        let begin = number * FRAME_BYTES;
        let mut stretch = &bytes[begin..(begin + FRAME_BYTES).min(bytes.len())];
        let size = stretch.len();
        if begin < within.start || begin + size > within.end {
            // Only a part of the stretch is written, so the rest counts as zero.
            let part = within.start.max(begin) - begin..within.end.min(begin + size) - begin;
            cut.clear();
            cut.resize(size, 0);
            cut[part.clone()].copy_from_slice(&stretch[part]);
            stretch = &cut;
        }
        let states = cpu::count_ones(stretch) as usize;
        if states == 0 {
            continue;
        }
        all += states as u64;
        distances.clear();
        // Each distance takes a byte or more, so there is no use in listing more of them.
        if states < size {
            cpu::run(ListDistances { stretch, distances: &mut distances });
        }
        // Where few bits are set, their distances take less, and nothing is compressed in vain.
        let mut frame = Vec::new();
        if states > size / 2 {
            frame = lz4_flex::block::compress(stretch);
        }
        let by_distance = frame.is_empty() || (!distances.is_empty() && distances.len() < frame.len());
        let (frame, form) = if by_distance { (&distances, DISTANCES) } else { (&frame, 0) };
        write_frame(number, form, frame, to)?;
    }
    Ok(all)
}

/// The number of bytes of a frame of an array, from the number that stands before it.
pub fn frame_length(form: u32) -> usize {
    (form & !DISTANCES) as usize
}

/// Reads a frame of an array into a stretch. `form` is the number that stands before the frame, which says how it is
/// written. Returns the number of bytes of the stretch; `None` if the frame was not written so.
pub fn read_frame(form: u32, frame: &[u8], stretch: &mut [u8]) -> Option<usize> {
    if form & DISTANCES == 0 {
        return lz4_flex::block::decompress_into(frame, stretch).ok();
    }
    stretch.fill(0);
    set_bits(frame, stretch).map(|()| stretch.len())
}

/// The task that lists the distances between the set bits of a stretch, in the form that [`write_bits`] explains.
struct ListDistances<'a> {
    stretch: &'a [u8],
    distances: &'a mut Vec<u8>,
}

impl cpu::Task for ListDistances<'_> {
    const GAINS_BY_AVX512: bool = false;

    #[inline(always)]
    fn run(self) {
        let Self { stretch, distances } = self;
        let (words, rest) = stretch.as_chunks();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        let mut next = 0;
        for (at, &word) in words.iter().chain([&last]).enumerate() {
            let mut word = u64::from_le_bytes(word);
            while word != 0 {
                let bit = at * 64 + word.trailing_zeros() as usize;
                word &= word - 1;
                let mut distance = bit + 1 - next;
                next = bit + 1;
                while distance >= 128 {
                    distances.push(distance as u8 | 128);
                    distance >>= 7;
                }
                distances.push(distance as u8);
            }
        }
    }
}

/// Sets the bits of a stretch of zeros whose distances are listed; `None` if they are no such distances.
fn set_bits(distances: &[u8], stretch: &mut [u8]) -> Option<()> {
    let (mut next, mut rest) = (0, distances.iter());
    while let Some(&byte) = rest.next() {
        let (mut distance, mut shift, mut last) = (usize::from(byte & 127), 7, byte);
        while last >= 128 {
            last = *rest.next().filter(|_| shift <= 21)?;
            distance |= usize::from(last & 127) << shift;
            shift += 7;
        }
        let bit = (next + distance).checked_sub(1)?;
        *stretch.get_mut(bit / 8).filter(|_| distance > 0)? |= 1 << (bit % 8);
        next = bit + 1;
    }
    Some(())
}

/// Reads an array. Calls `found` with the place of each stretch that is not zero, and with the stretch.
///
/// # Errors
///
/// [`crate::Error::Corrupt`] if the file was not written by [`write_array`] or [`write_bits`] for an array of `bytes`
/// bytes, or differs from the manifest.
pub fn read_array(mut from: Reader, bytes: usize, found: ReadPart) -> Result<()> {
    let (mut head, mut frame, mut stretch) = ([0; 12], Vec::new(), vec![0; FRAME_BYTES]);
    let mut least = 0;
    while from.fill(&mut head)? {
        let number = u64::from_le_bytes(std::array::from_fn(|at| head[at]));
        let form = u32::from_le_bytes(std::array::from_fn(|at| head[at + 8]));
        let length = frame_length(form);
        let begin = usize::try_from(number).ok().and_then(|number| number.checked_mul(FRAME_BYTES));
        let Some(begin) = begin.filter(|&begin| begin >= least && begin < bytes) else {
            return Err(from.wrong("a frame is out of place"));
        };
        let size = FRAME_BYTES.min(bytes - begin);
        if length > lz4_flex::block::get_maximum_output_size(FRAME_BYTES) {
            return Err(from.wrong("a frame has an impossible size"));
        }
        frame.resize(length, 0);
        if !from.fill(&mut frame)? || read_frame(form, &frame, &mut stretch[..size]) != Some(size) {
            return Err(from.wrong("a frame cannot be read"));
        }
        least = begin + FRAME_BYTES;
        found(begin, &stretch[..size])?;
    }
    from.finish()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::run::{Options, in_pool};

    /// Words that share many of their first bytes, and words that share none.
    fn lists() -> impl Strategy<Value = Vec<std::collections::BTreeSet<u64>>> {
        let word = prop_oneof![0u64..70_000, any::<u64>(), (0u64..9).prop_map(|i| i << 56)];
        prop::collection::vec(prop::collection::btree_set(word, 0..3000), 1..4)
    }

    /// The bytes of a file to which `one` writes each of the lists in turn.
    fn written<W: Word>(lists: &[Vec<W>], one: impl Fn(&mut WordsWriter<W>, &[W], &mut Vec<u8>)) -> Vec<u8> {
        let (mut writer, mut file) = (WordsWriter::new(), Vec::new());
        for words in lists {
            one(&mut writer, words, &mut file);
        }
        writer.finish(&mut file).unwrap();
        file
    }

    fn agree<W: Word>(words: &[W]) {
        let lists: Vec<Vec<W>> = words.chunks(words.len() / 3 + 1).map(<[W]>::to_vec).collect();
        let quick = written(&lists, |writer, words, file| writer.write(words, file).unwrap());
        let plain = written(&lists, |writer, words, file| writer.write_arrays(words, file).unwrap());
        assert_eq!(quick, plain);
    }

    #[test]
    fn frames_that_threads_make_are_those_of_one() {
        let words: Vec<u64> = (0..20 * FRAME_WORDS as u64 + 77).map(|number| number * number / 5).collect();
        let mut words = words;
        words.dedup();
        let plain = written(&[words.clone()], |writer, words, file| writer.write_in_turn(words, file).unwrap());
        for threads in [1, 2, 3] {
            let options = Options { threads, ..Options::default() };
            for size in [words.len(), 3 * FRAME_WORDS, 9 * FRAME_WORDS - 1, 9001, FRAME_WORDS, 100] {
                let lists: Vec<Vec<u64>> = words.chunks(size).map(<[u64]>::to_vec).collect();
                let write = || written(&lists, |writer, words, file| writer.write(words, file).unwrap());
                let file = in_pool(&options, write).unwrap();
                assert!(file == plain, "{threads} threads, {size} words at a time");
                let parts: Vec<&[u64]> = lists.iter().map(Vec::as_slice).collect();
                let (mut writer, mut file) = (WordsWriter::new(), Vec::new());
                in_pool(&options, || writer.write_parts(&parts, &mut file)).unwrap().unwrap();
                writer.finish(&mut file).unwrap();
                assert!(file == plain, "{threads} threads, parts of {size} words");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(crate::tests::quick_or_long(10, 32)))]

        #[test]
        fn bits_are_read_as_they_were_written(
            set in prop::collection::btree_set(0usize..2_000_000, 0..400),
            runs in prop::collection::vec((0usize..240_000, 0usize..30_000, any::<u8>()), 0..4),
            within in (0usize..250_000, 0usize..250_000),
        ) {
            let (within, mut array) = (within.0.min(within.1)..within.0.max(within.1), vec![0u8; 250_000]);
            for bit in set {
                array[bit / 8] |= 1 << (bit % 8);
            }
            for (begin, count, byte) in runs {
                array[begin..(begin + count).min(250_000)].fill(byte);
            }
            let mut file = Vec::new();
            let states = write_bits(&array, &within, &mut file).unwrap();
            array[..within.start].fill(0);
            array[within.end..].fill(0);
            prop_assert_eq!(states, array.iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>());
            let mut read = vec![0u8; 250_000];
            let done = read_array(Reader::of(&file), 250_000, &mut |begin, stretch| {
                read[begin..begin + stretch.len()].copy_from_slice(stretch);
                Ok(())
            });
            prop_assert!(done.is_ok() && read == array);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(crate::tests::quick_or_long(10, 32)))]

        #[test]
        fn integers_are_written_as_their_bytes_are(lists in lists()) {
            let all: std::collections::BTreeSet<u64> = lists.into_iter().flatten().collect();
            agree(&all.iter().copied().collect::<Vec<u64>>());
            agree(&all.iter().map(|&word| u128::from(word) << 40).collect::<Vec<u128>>());
            let narrow: std::collections::BTreeSet<u32> = all.iter().map(|&word| (word >> 7) as u32).collect();
            agree(&narrow.into_iter().collect::<Vec<u32>>());
        }
    }
}
