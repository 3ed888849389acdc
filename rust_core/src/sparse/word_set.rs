//! A set of words: a hash table with open addressing. If a slot is taken, the next one is looked at.

use super::hash::bits_before_slot;
use super::lines::{self, Lines};
use crate::compile::{Word, cpu};
use crate::memory;

/// A set of words of one partition. It holds the words themselves, and not only hashes of them.
///
/// A word of up to 128 bits is in a slot: the first one that was free in the line of its hash's slot. Wider words are
/// in a list, and a slot of 64 bits says where. So a free slot takes 8 bytes, and not 32 or more. Say that 5 and 9 are
/// added, and their hashes have the slots 3 and 0, in lines of two slots. Narrow words make the slots 9, free, 5, free.
/// Wide words make the list 5, 9 and the slots *second*, free, free, *first*.
#[derive(Debug)]
pub struct WordSet<W> {
    /// The slots of narrow words. A zero marks a free slot, so the zero word has no slot of its own.
    slots: Lines<W>,
    /// `true` if the zero word is in the set, and the words are narrow.
    has_zero: bool,
    /// The wide words, in the order in which they were added.
    listed: Vec<W>,
    /// The slots of wide words: the number of a [`WideSlot`] each, since fresh memory of zeros need not be written.
    wide_slots: Lines<u64>,
    /// The number of taken slots.
    len: usize,
    /// The number of bits at the top of a hash that choose the shard and the partition, and not the slot.
    skip: u32,
    /// The number of bits of a hash minus the number of bits that choose the slot.
    shift: u32,
}

/// The place of a wide word: below, its place in the list plus one, and above, the first bits of its hash. Zero if the
/// slot is free. These bits choose the shard of a word, and no slot. So few words in neighbouring slots have the same
/// bits, and hardly any is looked at in vain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct WideSlot(u64);

impl WideSlot {
    const FREE: Self = Self(0);
    /// The number of bits of the place in the list. That is enough for 32 terabytes.
    const BITS: u32 = 40;

    #[inline(always)]
    fn new(at: usize, hash: u64) -> Self {
        Self(hash >> Self::BITS << Self::BITS | (at as u64 + 1))
    }

    /// Returns `true` if the word there may have the given hash.
    #[inline(always)]
    fn may_have(self, hash: u64) -> bool {
        (self.0 ^ hash) >> Self::BITS == 0
    }

    /// The place in the list of words.
    #[inline(always)]
    fn at(self) -> usize {
        (self.0 & ((1 << Self::BITS) - 1)) as usize - 1
    }
}

/// The slot of a word is prefetched this many words before the word is added, so that the memory works on many at once.
const AHEAD: usize = 32;

/// So many words of several lists are gathered before they are added. [`AHEAD`] more wait meanwhile.
const WAITING: usize = 256;

/// So many words are added without a look at whether the set has to grow.
const PART: usize = 64;

/// The fewest slots of a set: at least a line of them.
const LEAST: usize = 16;
impl<W: Word> WordSet<W> {
    /// `true` if words are in a list.
    const LISTS: bool = size_of::<W>() > 16;

    /// The bytes that a word takes in the list.
    const LISTED_BYTES: usize = if Self::LISTS { size_of::<W>() } else { 0 };

    /// The number of bytes of a slot.
    const SLOT_BYTES: usize = if Self::LISTS { size_of::<u64>() } else { size_of::<W>() };

    /// The approximate number of bytes that a set takes for each word for which it was made, if their number is a power
    /// of two.
    pub const LEAST_BYTES: usize = 2 * Self::SLOT_BYTES + Self::LISTED_BYTES;

    /// The most bytes that a set takes for each of many words: of those for which it was made, or with which it grew.
    /// It has up to four slots for each, and the list may have room for twice as many words.
    pub const MOST_BYTES: usize = 4 * Self::SLOT_BYTES + 2 * Self::LISTED_BYTES;

    /// An empty set for the words of one of `1 << bits` partitions.
    pub fn new(bits: u32) -> Self {
        let (slots, listed, wide_slots) = (Lines::NONE, Vec::new(), Lines::NONE);
        let mut set = Self { slots, has_zero: false, listed, wide_slots, len: 0, skip: 0, shift: 0 };
        set.reset(bits, 0);
        set
    }

    /// The number of bytes of a set that was made for so many words.
    pub fn bytes_for(words: u64) -> u64 {
        let spare = if Self::LISTS { Lines::<u64>::SPARE_BYTES } else { Lines::<W>::SPARE_BYTES };
        let slots = (words * 2).next_power_of_two().max(LEAST as u64) * Self::SLOT_BYTES as u64;
        slots + spare as u64 + room_for(words) * Self::LISTED_BYTES as u64
    }

    /// Empties the set, for the words of one of `1 << bits` partitions, and gives it slots for `expected` words. If
    /// more words are added, it grows.
    pub fn reset(&mut self, bits: u32, expected: usize) {
        let capacity = (expected * 2).next_power_of_two().max(LEAST);
        if Self::LISTS {
            memory::empty(&mut self.listed, room_for(expected as u64) as usize);
            self.wide_slots.refill(WideSlot::FREE.0, capacity);
        } else {
            self.slots.refill(W::ZERO, capacity);
        }
        (self.has_zero, self.len, self.skip) = (false, 0, bits_before_slot(bits));
        self.shift = u64::BITS - capacity.trailing_zeros();
    }

    /// The number of words in the set.
    pub fn len(&self) -> usize {
        self.len + usize::from(self.has_zero)
    }

    /// The bytes of memory that the set holds.
    pub fn bytes(&self) -> usize {
        self.slots.bytes() + self.listed.capacity() * size_of::<W>() + self.wide_slots.bytes()
    }

    /// The number of slots.
    #[inline(always)]
    fn capacity(&self) -> usize {
        if Self::LISTS { self.wide_slots.len() } else { self.slots.len() }
    }

    /// The most words that the slots take: five eighths of their number. With more, a search for a word would probe too
    /// many of them.
    #[inline(always)]
    fn most(&self) -> usize {
        self.capacity() * 5 / 8
    }

    /// Returns `true` if so many words are too many for the slots.
    #[inline(always)]
    fn crowds(&self, len: usize) -> bool {
        len > self.most()
    }

    /// The number of further bytes that the set takes for `more` new words: 0 if it has enough slots.
    pub fn growth(&self, more: usize) -> usize {
        let lists = Self::LISTS && self.listed.len() + more > self.listed.capacity();
        let listed = if lists { self.listed.capacity().max(more) * size_of::<W>() } else { 0 };
        listed + if self.crowds(self.len + more) { self.capacity().max(more * 2) * Self::SLOT_BYTES } else { 0 }
    }

    /// The bytes of the slots that are copied, and then given back, if the set takes in `more` new words.
    pub fn copied_to_grow(&self, more: usize) -> usize {
        if !Self::LISTS && self.crowds(self.len + more) { self.capacity() * Self::SLOT_BYTES } else { 0 }
    }

    /// Adds the words of some lists, and returns how many were new. These are also added to `found` if it is given, in
    /// the order in which they came.
    ///
    /// A word waits for the next [`AHEAD`] words, of its own list or of later ones, and its slot is fetched meanwhile.
    #[inline(never)]
    pub fn insert_lists(&mut self, lists: &[&[W]], mut found: Option<&mut Vec<W>>) -> usize {
        let total: usize = lists.iter().map(|list| list.len()).sum();
        let before = self.len();
        if let [list] = lists {
            // None of its words has to wait for those of other lists.
            list[..total.min(AHEAD)].iter().for_each(|&word| self.prefetch(word));
            self.insert_first(list, total, found);
            return self.len() - before;
        }
        let mut waiting: Vec<W> = Vec::with_capacity(total.min(AHEAD + WAITING));
        for list in lists {
            let mut rest = *list;
            while !rest.is_empty() {
                let (some, others) = rest.split_at(rest.len().min(AHEAD + WAITING - waiting.len()));
                for &word in &some[..some.len().min(AHEAD.saturating_sub(waiting.len()))] {
                    self.prefetch(word);
                }
                waiting.extend_from_slice(some);
                rest = others;
                if waiting.len() == AHEAD + WAITING {
                    self.insert_first(&waiting, WAITING, found.as_deref_mut());
                    waiting.copy_within(WAITING.., 0);
                    waiting.truncate(AHEAD);
                }
            }
        }
        self.insert_first(&waiting, waiting.len(), found);
        self.len() - before
    }

    /// Adds the first `count` of some words, and lists the new ones. The slots of the first [`AHEAD`] words are fetched
    /// already. Those of all others are fetched meanwhile.
    #[inline(never)]
    fn insert_first(&mut self, words: &[W], count: usize, found: Option<&mut Vec<W>>) {
        let task = InsertFirst { set: self, words, count, found };
        if Self::LISTS {
            cpu::run_on_integers(task);
        } else {
            cpu::run_on_registers(task);
        }
    }

    /// The slot at which the search for a word with a hash begins.
    #[inline(always)]
    fn slot(&self, hash: u64) -> usize {
        slot_of(hash, self.skip, self.shift)
    }

    /// Makes the processor fetch the slot of a word, which will be added soon.
    #[inline(always)]
    fn prefetch(&self, word: W) {
        let slot = self.slot(word.hash64());
        if Self::LISTS {
            cpu::prefetch(&self.wide_slots, slot);
        } else {
            cpu::prefetch(&self.slots, slot);
        }
    }

    /// Adds a word. Returns `true` if it is new.
    #[inline(always)]
    pub fn insert(&mut self, word: W) -> bool {
        let added = if Self::LISTS {
            self.insert_listed(word)
        } else if word.is_zero() {
            return !std::mem::replace(&mut self.has_zero, true);
        } else {
            let slot = self.slot(word.hash64());
            lines::add(&mut self.slots, slot, word)
        };
        self.len += usize::from(added);
        if self.crowds(self.len) {
            self.grow();
        }
        added
    }

    /// Adds narrow words, for which there is room, fetches the slots of as many words of `ahead`, and puts the new ones
    /// into `gathered`. Returns their number. No jump depends on whether a word is new: that could not be foreseen.
    #[inline(always)]
    fn insert_part<V: cpu::Register>(&mut self, part: &[W], ahead: &[W], gathered: &mut [W; PART]) -> usize {
        let (skip, shift, had_zero) = (self.skip, self.shift, self.has_zero);
        let slot = |word: W| slot_of(word.hash64(), skip, shift);
        let (slots, mut new) = (&mut *self.slots, 0);
        for (number, &word) in part.iter().enumerate() {
            if let Some(&word) = ahead.get(number) {
                cpu::prefetch(slots, slot(word));
            }
            gathered[new % PART] = word;
            new += usize::from(if word.is_zero() {
                !std::mem::replace(&mut self.has_zero, true)
            } else {
                lines::add_at_once::<W, V>(slots, slot(word), word)
            });
        }
        self.len += new - usize::from(self.has_zero != had_zero);
        new
    }

    /// Adds a word to the list, if it is new.
    #[inline(always)]
    fn insert_listed(&mut self, word: W) -> bool {
        let (mask, hash) = (self.wide_slots.len() - 1, word.hash64());
        let mut at = self.slot(hash);
        loop {
            let slot = WideSlot(self.wide_slots[at & mask]);
            if slot == WideSlot::FREE {
                self.wide_slots[at & mask] = WideSlot::new(self.listed.len(), hash).0;
                self.listed.push(word);
                return true;
            }
            if slot.may_have(hash) && self.listed[slot.at()].same(word) {
                return false;
            }
            at += 1;
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let count = 2 * self.capacity();
        self.shift -= 1;
        if Self::LISTS {
            // The words stay where they are, and all of them differ.
            self.wide_slots = Lines::NONE;
            self.wide_slots = Lines::new(WideSlot::FREE.0, count);
            for (number, word) in self.listed.iter().enumerate() {
                let hash = word.hash64();
                let mut at = self.slot(hash);
                while WideSlot(self.wide_slots[at & (count - 1)]) != WideSlot::FREE {
                    at += 1;
                }
                self.wide_slots[at & (count - 1)] = WideSlot::new(number, hash).0;
            }
        } else {
            let smaller = std::mem::replace(&mut self.slots, Lines::new(W::ZERO, count));
            let (skip, shift) = (self.skip, self.shift);
            lines::add_different(&mut self.slots, &smaller, |word| slot_of(word.hash64(), skip, shift));
        }
    }

    /// Replaces `words` by the words of one of the `1 << bits` parts into which the bits of a hash before those of the
    /// slot's number divide the set. Their order depends on the order in which they were added.
    ///
    /// The slot of a word begins with the number of its part. So the words of a part lie in the lines of a range of
    /// slots, and in those after it, up to a free one. For example, with 16 slots, the second of two parts has the
    /// slots 8 to 15. If 15 was taken, a word of this part may be in slot 0.
    pub fn list_part(&self, part: usize, bits: u32, words: &mut Vec<W>) {
        let (count, within) = (self.capacity(), self.capacity() >> bits);
        // A part of less than a line is looked for everywhere.
        let (begin, least) = if within < Lines::<W>::SLOTS { (0, count) } else { (part * within, within) };
        let belongs = |word: W| bits == 0 || ((word.hash64() << self.skip) >> (u64::BITS - bits)) as usize == part;
        words.clear();
        if Self::LISTS {
            let slot = |at: usize| WideSlot(self.wide_slots[(begin + at) & (count - 1)]);
            let within = (0..least).map(slot).filter(|&slot| slot != WideSlot::FREE);
            let after = (least..count).map(slot).take_while(|&slot| slot != WideSlot::FREE);
            words.extend(within.chain(after).map(|slot| self.listed[slot.at()]).filter(|&word| belongs(word)));
            return;
        }
        words.resize(least, W::ZERO);
        let mut listed = 0;
        // No jump depends on which slots are free, since it could not be foreseen: what they hold is listed, and the
        // next word is written over it.
        for &word in &self.slots[begin..begin + least] {
            words[listed] = word;
            listed += usize::from(!word.is_zero() & belongs(word));
        }
        words.truncate(listed);
        let after = (least..count).map(|at| self.slots[(begin + at) & (count - 1)]);
        words.extend(after.take_while(|word| !word.is_zero()).filter(|&word| belongs(word)));
        if self.has_zero && belongs(W::ZERO) {
            words.push(W::ZERO);
        }
    }

    /// The words of the set, in an order that depends on the order in which they were added.
    #[cfg(test)]
    pub fn iter(&self) -> impl Iterator<Item = W> + '_ {
        let zero = self.has_zero.then_some(W::ZERO);
        let held = self.slots.iter().copied().filter(|&word| word != W::ZERO);
        zero.into_iter().chain(held).chain(self.listed.iter().copied())
    }
}

/// The slot of a hash: the bits after the first `skip`, and before the last ones, of which there are `shift - skip`.
#[inline(always)]
fn slot_of(hash: u64, skip: u32, shift: u32) -> usize {
    ((hash << skip) >> shift) as usize
}

/// The task of [`WordSet::insert_first`].
struct InsertFirst<'a, W> {
    set: &'a mut WordSet<W>,
    words: &'a [W],
    count: usize,
    found: Option<&'a mut Vec<W>>,
}

impl<W: Word> cpu::RegisterTask for InsertFirst<'_, W> {
    #[inline(always)]
    fn run<V: cpu::Register>(self) {
        let Self { set, words, count, mut found } = self;
        let (mut at, mut gathered) = (0, [W::ZERO; PART]);
        while at < count {
            let ahead = &words[words.len().min(at + AHEAD)..];
            if WordSet::<W>::LISTS || !V::IS_OF_PROCESSOR {
                if let Some(&word) = ahead.first() {
                    set.prefetch(word);
                }
                if set.insert(words[at])
                    && let Some(found) = &mut found
                {
                    memory::make_room(found, 1);
                    found.push(words[at]);
                }
                at += 1;
                continue;
            }
            // A part has no more words than the set takes before it grows, but at least one.
            let room = set.most().saturating_sub(set.len).clamp(1, PART);
            let part = &words[at..count.min(at + room)];
            let new = set.insert_part::<V>(part, ahead, &mut gathered);
            if let Some(found) = &mut found {
                memory::make_room(found, new);
                found.extend_from_slice(&gathered[..new]);
            }
            if set.crowds(set.len) {
                set.grow();
            }
            at += part.len();
        }
    }
}

/// The number of words for which a list has room if `expected` are expected. Slots have some room to spare, and some
/// partitions get more words than the average.
pub fn room_for(expected: u64) -> u64 {
    expected + expected / 8 + expected.min(64)
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use proptest::prelude::*;

    use super::*;
    use crate::random::spread;
    use crate::sparse::hash::partition_of;

    /// A wide word for each narrow one, and zero for zero.
    fn wide(word: u64) -> [u64; 4] {
        [word >> 60, 0, word << 3, word]
    }

    fn compare_with_a_set<W: Word>(words: &[W], bits: u32) {
        let (mut words_seen, mut set) = (WordSet::new(bits), HashSet::new());
        for &word in words {
            assert_eq!(words_seen.insert(word), set.insert(word));
            assert_eq!(words_seen.len(), set.len());
        }
        assert_eq!(words_seen.iter().collect::<HashSet<_>>(), set);
        // The same once more, many words at a time, in the memory that there is.
        let mut expected = words.to_vec();
        expected.retain(|word| set.remove(word));
        for length in [5, 3 * AHEAD] {
            words_seen.reset(bits, words.len() / 3);
            let mut new = Vec::new();
            let count = words_seen.insert_lists(&words.chunks(length).collect::<Vec<_>>(), Some(&mut new));
            assert_eq!((count, &new), (expected.len(), &expected));
        }
    }

    fn compare_growth<W: Word>(first: usize, more: usize, word: impl Fn(u64) -> W) {
        let mut set = WordSet::new(0);
        (1..=first as u64).for_each(|at| assert!(set.insert(word(at))));
        let foretold = set.bytes() + set.growth(more);
        (1..=more as u64).for_each(|at| assert!(set.insert(word(at << 32))));
        // A set grows by doubling, which may take it beyond the bytes that it needs.
        assert!(set.bytes() <= 2 * foretold, "{} bytes, {foretold} foretold", set.bytes());
        let least = foretold.saturating_sub(LEAST * size_of::<W>()) / 3;
        assert!(set.bytes() >= least, "{} bytes, {foretold} foretold", set.bytes());
        let most = set.len() * WordSet::<W>::MOST_BYTES + (2 * LEAST) * size_of::<W>();
        assert!(set.bytes() <= most, "{} bytes, at most {most} expected", set.bytes());
    }

    fn compare_parts<W: Word>(words: &HashSet<W>, (few, more): (u32, u32)) {
        let words = words.iter().copied().filter(|&word| partition_of(word, few) == partition_of(W::ZERO, few));
        let words: Vec<W> = words.collect();
        let mut set = WordSet::new(few);
        assert!(words.iter().all(|&word| set.insert(word)));
        let mut found = vec![W::ZERO.not()];
        for part in 0..1 << more {
            set.list_part(part, more, &mut found);
            let unique: HashSet<W> = found.iter().copied().collect();
            let holds = |word: &W| partition_of(*word, few + more) & ((1 << more) - 1) == part;
            let expected = words.iter().copied().filter(holds);
            assert_eq!(found.len(), unique.len());
            assert_eq!(unique, expected.collect::<HashSet<_>>());
        }
    }

    proptest! {
        #[test]
        fn a_word_set_is_a_set(words in prop::collection::vec(0u64..200, 0..500), bits in 0u32..20) {
            // Small and large words, zero among them.
            let words: Vec<u64> = words.into_iter().map(|word| if word % 3 == 0 { word << 55 } else { word }).collect();
            compare_with_a_set(&words, bits);
            compare_with_a_set(&words.iter().map(|&word| word as u32 ^ (word >> 32) as u32).collect::<Vec<_>>(), bits);
            compare_with_a_set(&words.iter().map(|&word| u128::from(word) << (word % 65)).collect::<Vec<_>>(), bits);
            compare_with_a_set(&words.iter().copied().map(wide).collect::<Vec<_>>(), bits);
        }

        #[test]
        fn growth_foretells_the_bytes(first in 0usize..3000, more in 1usize..3000) {
            compare_growth(first, more, |word| word);
            compare_growth(first, more, wide);
        }

        #[test]
        fn the_parts_of_a_set_are_divided_by_partition(
            mut words in prop::collection::hash_set(any::<u64>(), 0..400),
            bits in (0u32..4, 0u32..7),
        ) {
            words.insert(0);
            compare_parts(&words.iter().copied().map(wide).collect(), bits);
            compare_parts(&words.iter().map(|&word| word as u32).collect(), bits);
            compare_parts(&words.iter().map(|&word| u128::from(word) << 64 | u128::from(!word)).collect(), bits);
            compare_parts(&words, bits);
        }
    }

    /// Two words in one slot, whose hashes have the same lowest bits, are told apart.
    #[test]
    fn words_are_compared_and_not_their_hashes() {
        let (mut set, mut known) = (WordSet::new(0), HashMap::new());
        let alike = (0..).find_map(|at| {
            let word = [1, 2, 3, spread(at)];
            let earlier = known.insert((set.slot(word.hash64()), WideSlot::new(0, word.hash64()).0), word)?;
            Some([earlier, word])
        });
        for word in alike.unwrap() {
            assert!(set.insert(word) && !set.insert(word));
        }
        assert!(!set.insert(alike.unwrap()[0]));
    }

    #[test]
    fn a_reset_set_is_empty_and_takes_what_it_expects_without_growing() {
        let mut set = WordSet::new(3);
        assert!(set.insert(0u32) && set.insert(7));
        set.reset(3, 1000);
        assert_eq!((set.len(), set.iter().count(), set.growth(1000)), (0, 0, 0));
        let bytes = set.bytes();
        assert!((1..=1000u32).all(|word| set.insert(word)));
        assert_eq!(set.bytes(), bytes);
        let mut wide = WordSet::new(3);
        assert!(wide.insert([0u64; 8]) && wide.insert([7; 8]));
        wide.reset(3, 1000);
        assert_eq!(wide.bytes() as u64, WordSet::<[u64; 8]>::bytes_for(1000));
        assert_eq!(wide.bytes(), 2048 * 8 + Lines::<u64>::SPARE_BYTES + (1000 + 125 + 64) * 64);
        assert_eq!((wide.len(), wide.iter().count(), wide.growth(1000)), (0, 0, 0));
        let bytes = wide.bytes();
        assert!((1..=1000u64).all(|word| wide.insert([word; 8])));
        assert_eq!(wide.bytes(), bytes);
    }
}
