//! Slots in lines of 64 bytes, as a processor fetches them from memory. All slots of a line are compared at once.
//!
//! Processors other than x86-64 compare slots one by one. For them, a line is one slot, so that a search begins where
//! the word most likely is.

use std::ops::{Deref, DerefMut};

use crate::compile::Word;
use crate::compile::cpu::Register;
use crate::memory;

/// The bytes of a line.
const LINE_BYTES: usize = 64;

/// Slots, the first of which is at the beginning of a line.
#[derive(Debug)]
pub struct Lines<T> {
    /// The slots, and room around them, since a list may begin within a line.
    memory: Vec<T>,
    /// The place of the first slot in `memory`.
    first: usize,
    /// The number of slots, a power of two.
    count: usize,
}

impl<T: Copy> Lines<T> {
    /// The number of slots of a line.
    pub const SLOTS: usize =
        if cfg!(target_arch = "x86_64") && size_of::<T>() < LINE_BYTES { LINE_BYTES / size_of::<T>() } else { 1 };

    /// The number of bytes that are lost before and after the slots, because these begin at a cache line.
    pub const SPARE_BYTES: usize = (Self::SLOTS - 1) * size_of::<T>();

    /// No slots.
    pub const NONE: Self = Self { memory: Vec::new(), first: 0, count: 0 };

    /// So many slots that hold `free`.
    pub fn new(free: T, count: usize) -> Self {
        let memory = memory::filled(free, count + Self::SLOTS - 1);
        Self { first: place_of_line(&memory, count), memory, count }
    }

    /// Replaces the slots by `count` others that hold `free`. Their memory is used again, unless there is much too much
    /// of it: an earlier depth may have been much larger.
    #[inline(never)]
    pub fn refill(&mut self, free: T, count: usize) {
        let length = count + Self::SLOTS - 1;
        if (length..=length * 4).contains(&self.memory.capacity()) {
            self.memory.clear();
            self.memory.resize(length, free);
            (self.first, self.count) = (place_of_line(&self.memory, count), count);
        } else {
            *self = Self::NONE;
            *self = Self::new(free, count);
        }
    }

    /// The bytes of memory that are taken.
    pub fn bytes(&self) -> usize {
        self.memory.capacity() * size_of::<T>()
    }

    /// The first slot of the line of a slot.
    #[inline(always)]
    pub fn line_of(slot: usize) -> usize {
        slot / Self::SLOTS * Self::SLOTS
    }
}

/// The first place in a list at which a line begins, with `count` items from there on. If there is none, 0.
fn place_of_line<T>(memory: &[T], count: usize) -> usize {
    let place = memory.as_ptr().align_offset(LINE_BYTES);
    if place <= memory.len() - count { place } else { 0 }
}

impl<T> Deref for Lines<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.memory[self.first..self.first + self.count]
    }
}

impl<T> DerefMut for Lines<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.memory[self.first..self.first + self.count]
    }
}

/// Adds a word that is not zero to the line of a slot, or to the next line that has room. Returns `true` if it is new.
/// The taken slots of a line are its first ones. So the word goes to the first free slot, unless one of these lines has
/// it already. There must be a free slot.
///
/// For example, with four slots a line, let the lines be *5 9 7 2* and *8 free free free*. To the first line, 7 is
/// added in vain, and 6 becomes the second word of the second line.
#[inline(always)]
pub fn add<W: Word>(slots: &mut [W], slot: usize, word: W) -> bool {
    let (mask, mut at) = (slots.len() - 1, Lines::<W>::line_of(slot));
    loop {
        let slot = &mut slots[at & mask];
        if slot.is_zero() {
            *slot = word;
            return true;
        }
        if slot.same(word) {
            return false;
        }
        at += 1;
    }
}

/// Does what [`add`] does on x86-64, for words of up to 128 bits. It compares all slots of a line with the word, and
/// with zero. A word that was found is written over itself, so that no jump depends on whether it is new: that could
/// not be foreseen. Few lines are full, so the jump to the next one can be.
#[inline(always)]
pub fn add_at_once<W: Word, V: Register>(slots: &mut [W], slot: usize, word: W) -> bool {
    let (mask, mut begin) = (slots.len() - 1, Lines::<W>::line_of(slot));
    let (sought, zeros) = (V::new(repeated(word)), V::new([0; 4]));
    loop {
        let line = &mut slots[begin..begin + Lines::<W>::SLOTS];
        let registers = registers_of(line);
        let held = equal_slots::<W, V>(registers, sought);
        let held_or_free = held | equal_slots::<W, V>(registers, zeros) << 32;
        if held_or_free != 0 {
            line[held_or_free.trailing_zeros() as usize / marks::<W>() % Lines::<W>::SLOTS] = word;
            return held == 0;
        }
        begin = (begin + Lines::<W>::SLOTS) & mask;
    }
}

/// Adds words to slots that are all free, as [`add`] does, and leaves zeros out. No two words may be equal. So none is
/// compared with a slot: the number of taken slots is kept for each line. `slot` is the slot of a word's hash.
pub fn add_different<W: Word>(slots: &mut [W], words: &[W], slot: impl Fn(W) -> usize) {
    let mut taken = vec![0u8; slots.len() / Lines::<W>::SLOTS];
    let mask = taken.len() - 1;
    for &word in words {
        let mut line = slot(word) / Lines::<W>::SLOTS;
        let is_full = |line: usize| usize::from(taken[line]) == Lines::<W>::SLOTS;
        if is_full(line) {
            if word.is_zero() {
                continue;
            }
            while is_full(line) {
                line = (line + 1) & mask;
            }
        }
        // A zero changes nothing, so no jump depends on which words are zero: that could not be foreseen.
        slots[line * Lines::<W>::SLOTS + usize::from(taken[line])] = word;
        taken[line] += u8::from(!word.is_zero());
    }
}

/// The registers of a line.
#[inline(always)]
fn registers_of<W: Word, V: Register>(line: &[W]) -> [V; 2] {
    assert!(size_of_val(line) == LINE_BYTES);
    // SAFETY: so many bytes were just found there, and words are integers, all of whose bytes have a value.
    #[expect(unsafe_code, reason = "there is no safe form for words of any width")]
    let [first, second] = unsafe { line.as_ptr().cast::<[[u64; 4]; 2]>().read_unaligned() };
    [V::new(first), V::new(second)]
}

/// A word, so many times as it fits into a register.
#[inline(always)]
fn repeated<W: Word>(word: W) -> [u64; 4] {
    let views = word.views();
    match *views.as_ref() {
        [bits] if size_of::<W>() == 4 => [bits << 32 | bits; 4],
        [low, _, high] => [low, high, low, high],
        _ => [views.as_ref()[0]; 4],
    }
}

/// The number of bits for each slot in what [`equal_slots`] returns. A slot of 128 bits is two integers of a register.
#[inline(always)]
const fn marks<W: Word>() -> usize {
    if size_of::<W>() == 16 { 2 } else { 1 }
}

/// Compares each slot of a line with a word that is repeated. The lowest bit of a slot's [`marks`] is set if it is
/// equal, the first slot's being the lowest of all.
#[inline(always)]
fn equal_slots<W: Word, V: Register>(line: [V; 2], word: V) -> u64 {
    let [first, second] = line;
    if size_of::<W>() == 4 {
        return first.equal_32(word).signs_32() | second.equal_32(word).signs_32() << 8;
    }
    let equal = first.equal(word).signs() | second.equal(word).signs() << 4;
    if marks::<W>() == 2 { equal & equal >> 1 & 0b0101_0101 } else { equal }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::compile::cpu::{RegisterTask, run_on_integers, run_on_registers};

    /// Adds words, each from a slot of its own on, and notes which were new.
    struct AddAll<'a, W> {
        words: &'a [(usize, W)],
        slots: &'a mut Lines<W>,
        new: &'a mut Vec<bool>,
    }

    impl<W: Word> RegisterTask for AddAll<'_, W> {
        fn run<V: Register>(self) {
            for &(slot, word) in self.words {
                self.new.push(add_at_once::<W, V>(self.slots, slot, word));
            }
        }
    }

    /// Fills slots word by word and line by line. The slot at which the search for a word begins depends on the word.
    fn compare_ways<W: Word>(numbers: &[u8], count: usize, word: impl Fn(u64) -> W) {
        let from = |number: u8| (usize::from(number) * 7 % count, word(1 + u64::from(number)));
        let mut seen = HashSet::new();
        let mut words: Vec<_> = numbers.iter().map(|&number| from(number % 60)).collect();
        // One slot stays free, so that each search ends.
        words.retain(|&word| seen.contains(&word) || (seen.len() + 1 < count && seen.insert(word)));
        let (mut plain, mut earlier) = (Lines::new(W::ZERO, count), HashSet::new());
        let new: Vec<bool> = words.iter().map(|&(slot, word)| add(&mut plain, slot, word)).collect();
        assert_eq!(new, words.iter().map(|word| earlier.insert(*word)).collect::<Vec<_>>());
        assert_eq!(plain.iter().filter(|word| !word.is_zero()).count(), earlier.len());
        let mut larger = [Lines::new(W::ZERO, 2 * count), Lines::new(W::ZERO, 2 * count)];
        let slot = |word: W| word.views().as_ref()[0] as usize % 61 * 5 % (2 * count);
        plain.iter().filter(|word| !word.is_zero()).for_each(|&word| assert!(add(&mut larger[0], slot(word), word)));
        add_different(&mut larger[1], &plain, slot);
        assert_eq!(*larger[0], *larger[1]);
        if Lines::<W>::SLOTS > 1 {
            for of_processor in [false, true] {
                let (mut slots, mut new_at_once) = (Lines::new(W::ZERO, count), Vec::new());
                let task = AddAll { words: &words, slots: &mut slots, new: &mut new_at_once };
                if of_processor {
                    run_on_registers(task);
                } else {
                    run_on_integers(task);
                }
                assert_eq!((&*slots, &new_at_once), (&*plain, &new));
            }
        }
    }

    proptest! {
        #[test]
        fn slots_compared_one_by_one_and_at_once_are_filled_alike(
            numbers in prop::collection::vec(any::<u8>(), 0..200),
            bits in 4u32..7,
        ) {
            // Words that differ in their lowest bits, in their highest ones, or in both.
            compare_ways(&numbers, 1 << bits, |number| number as u32);
            compare_ways(&numbers, 1 << bits, |number| (number as u32) << 26 | 5);
            compare_ways(&numbers, 1 << bits, |number| number << (number % 2 * 58));
            compare_ways(&numbers, 1 << bits, |number| u128::from(number) << (number % 3 * 60));
        }
    }

    fn begins_with_a_line<T: Copy + PartialEq + std::fmt::Debug>(item: T) {
        let mut lines = Lines::new(item, 64);
        for count in [64, 16, 1 << 20] {
            lines.refill(item, count);
            assert_eq!((lines.len(), lines.iter().all(|slot| *slot == item)), (count, true));
            assert!(Lines::<T>::SLOTS == 1 || lines.as_ptr().addr().is_multiple_of(LINE_BYTES));
        }
        assert_eq!(Lines::<T>::line_of(3 * Lines::<T>::SLOTS + Lines::<T>::SLOTS / 2), 3 * Lines::<T>::SLOTS);
    }

    #[test]
    fn lines_begin_where_the_processor_fetches_them() {
        begins_with_a_line(7u32);
        begins_with_a_line(7u64);
        begins_with_a_line(7u128);
    }
}
