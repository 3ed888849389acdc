//! The perfect index of the orders of distinct things, by the digits of the factorial number system.
//!
//! Digit `i` of a sequence says how many things at later places are smaller than the thing at place `i`. For example,
//! the sequence 2 0 3 1 has the digits 2 0 1 0: two things smaller than 2 follow it, none smaller than 0, one smaller
//! than 3, and none after the last. Its number is 2·3! + 0·2! + 1·1! + 0·0! = 13.
//!
//! **Windows.** Take a change that rearranges only the places from `a` to `b`, its window. It changes only the digits
//! from `a` to `b`. A digit before `a` counts smaller things among those that follow, and these are the same things in
//! another order. A digit after `b` depends only on what follows it. The new digits of the window depend only on the
//! old digits of the window. For these say how the things in the window compare with each other and with later things.
//! So the change of the number is looked up by the digits of the window. No number has to be unranked and ranked again.
//! For example, exchanging places 1 and 2 of 2 0 3 1 gives 2 3 0 1, which has the digits 2 2 0 0. Digits 1 and 2 went
//! from 0 1 to 2 0. This adds 2·2! - 1·1! = 3 to the number, whatever digits 0 and 3 are.
//!
//! **Parity.** The sum of the digits of a permutation is the number of its inversions. The permutation is odd if that
//! sum is odd. If no move is odd, only even permutations have an index. The last digit but one is 0 or 1, and the other
//! digits decide which: it makes the sum even. So the number is halved. For example, 2 3 0 1 has the sum 4, so it is
//! even. Its index is (2·3! + 2·2! + 0) / 2 = 8, one of 12. If the window of a change reaches that digit, its table
//! must be told more. It is told all digits of the tail. If there is a head, the table also has twice the entries, for
//! an odd and an even sum of the head's digits.

/// A change of places within a window: place `first + i` takes what place `source[i]` held.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shuffle {
    /// The first place of the window.
    pub first: usize,
    /// For each place of the window, the place that it takes its thing from. It is in the window, too.
    pub source: Vec<usize>,
}

impl Shuffle {
    /// The narrowest window around a change of all places, in which place `i` takes what place `source[i]` held. `None`
    /// if nothing changes.
    pub fn new(source: &[usize]) -> Option<Self> {
        let first = (0..source.len()).find(|&at| source[at] != at)?;
        let last = (0..source.len()).rfind(|&at| source[at] != at)?;
        Some(Self { first, source: source[first..=last].to_vec() })
    }

    /// The last place of the window.
    pub fn last(&self) -> usize {
        self.first + self.source.len() - 1
    }

    /// The change that undoes this one.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let mut source = vec![0; self.source.len()];
        for (at, &from) in self.source.iter().enumerate() {
            source[from - self.first] = self.first + at;
        }
        Self { first: self.first, source }
    }

    /// Whether the change is an odd permutation.
    pub fn is_odd(&self) -> bool {
        let inversions = (0..self.source.len())
            .flat_map(|at| (0..at).map(move |before| (before, at)))
            .filter(|&(before, at)| self.source[before] > self.source[at]);
        inversions.count() % 2 == 1
    }
}

/// The digits of a sequence of the numbers from 0.
pub fn digits_of(sequence: &[u8]) -> Vec<usize> {
    (0..sequence.len()).map(|at| sequence[at + 1..].iter().filter(|&&later| later < sequence[at]).count()).collect()
}

/// The sequence that has the given digits.
pub fn sequence_of(digits: &[usize]) -> Vec<u8> {
    let mut rest: Vec<u8> = (0..digits.len() as u8).collect();
    digits.iter().map(|&digit| rest.remove(digit)).collect()
}

/// All sequences of `places` things, or the even ones, cut into blocks of one size. The sequences of a block have the
/// same first digits, the head. Their last digits, the tail, run through all values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequences {
    /// How many things there are.
    pub places: usize,
    /// Whether only even permutations have an index. Then the order of the last two things follows from the others.
    pub even: bool,
    /// How many digits the head has.
    pub head: usize,
    /// How many sequences a block has.
    pub block: usize,
    /// How many indexes apart blocks begin: the sequences of a block, and what fills the block up.
    pub stride: usize,
}

impl Sequences {
    /// The index of `places` things. The tail has at most `tail` digits, and blocks are filled up to a multiple of
    /// `unit`.
    pub fn new(places: usize, even: bool, tail: usize, unit: usize) -> Self {
        let even = even && places >= 2;
        let tail = tail.min(places);
        let block = (1..=tail as u64).product::<u64>() / if even && tail >= 2 { 2 } else { 1 };
        // Blocks that do not fit are never made: the code that cuts an index refuses blocks of more than some thousand.
        let block = usize::try_from(block).unwrap_or(usize::MAX);
        let stride = block.checked_next_multiple_of(unit).unwrap_or(usize::MAX);
        Self { places, even, head: places - tail, block, stride }
    }

    /// How many values digit `at` has.
    pub fn radix(&self, at: usize) -> usize {
        self.places - at
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> u64 {
        (0..self.head).map(|at| self.radix(at) as u64).product()
    }

    /// How many sequences have an index.
    pub fn len(&self) -> u64 {
        let all: u64 = (1..=self.places as u64).product();
        if self.even { all / 2 } else { all }
    }

    /// The number of the sequence with the given digits, however sequences are cut. It is less than [`Self::len`].
    pub fn number(&self, digits: &[usize]) -> u64 {
        let value = self.value(0..self.places, digits);
        if self.even { value / 2 } else { value }
    }

    /// The digits of the sequence that has a number: the inverse of [`Self::number`].
    pub fn digits_of_number(&self, number: u64) -> Vec<usize> {
        let mut digits = vec![0; self.places];
        self.fill(0..self.places, if self.even { number * 2 } else { number }, &mut digits);
        self.make_even(&mut digits);
        digits
    }

    /// The number that the digits in a range stand for.
    fn value(&self, range: std::ops::Range<usize>, digits: &[usize]) -> u64 {
        range.fold(0, |value, at| value * self.radix(at) as u64 + digits[at] as u64)
    }

    /// Writes a number into the digits in a range.
    fn fill(&self, range: std::ops::Range<usize>, mut value: u64, digits: &mut [usize]) {
        for at in range.rev() {
            let radix = self.radix(at) as u64;
            digits[at] = (value % radix) as usize;
            value /= radix;
        }
    }

    /// The block of a sequence with the given digits, and its place in the block.
    pub fn place(&self, digits: &[usize]) -> (u64, u64) {
        let tail = self.value(self.head..self.places, digits);
        (self.value(0..self.head, digits), if self.even { tail / 2 } else { tail })
    }

    /// The digits of the sequence at a place in a block.
    pub fn digits(&self, block: u64, place: u64) -> Vec<usize> {
        let mut digits = vec![0; self.places];
        self.fill(0..self.head, block, &mut digits);
        self.fill(self.head..self.places, if self.even { place * 2 } else { place }, &mut digits);
        self.make_even(&mut digits);
        digits
    }

    /// If only even permutations have an index, sets the last digit but one so that the permutation is even.
    fn make_even(&self, digits: &mut [usize]) {
        if self.even {
            let last = self.places - 2;
            digits[last] = digits[..last].iter().sum::<usize>() % 2;
        }
    }

    /// Whether a sequence has an index. If only even ones have, an odd one has not.
    pub fn holds(&self, sequence: &[u8]) -> bool {
        !self.even || digits_of(sequence).iter().sum::<usize>().is_multiple_of(2)
    }

    /// The sequence of an index; `None` if the index lies in the gap between two blocks.
    pub fn unrank(&self, index: u64) -> Option<Vec<u8>> {
        let (block, place) = (index / self.stride as u64, index % self.stride as u64);
        (place < self.block as u64).then(|| sequence_of(&self.digits(block, place)))
    }

    /// The index of a sequence.
    pub fn rank(&self, sequence: &[u8]) -> u64 {
        let (block, place) = self.place(&digits_of(sequence));
        block * self.stride as u64 + place
    }
}

/// What a shuffle does to indexes, by look-up. A *context* is what the table must know of the head.
#[derive(Debug, Clone)]
pub struct Table {
    /// Which digits of the head matter: the first of them, and the one after the last.
    head: (usize, usize),
    radices: Vec<usize>,
    /// Whether it also matters if the sum of the head's digits is odd.
    parity: bool,
    /// For each place in a block: a number for those of its tail digits that matter. Empty if none do.
    pub inner: Vec<u16>,
    /// How many values `inner` has.
    pub inners: usize,
    /// For each context and each value of `inner`: how much is added to the index. If no digit of the tail matters, it
    /// is added to the number of the block instead.
    pub deltas: Vec<i32>,
}

impl Table {
    /// How many entries the table of a shuffle has.
    pub fn entries(sequences: &Sequences, shuffle: &Shuffle) -> u64 {
        let (first, last, head) = (shuffle.first, shuffle.last(), sequences.head);
        let product = |range: std::ops::Range<usize>| range.map(|at| sequences.radix(at) as u64).product::<u64>();
        let whole = sequences.even && last + 2 >= sequences.places;
        let inners = if last < head {
            1
        } else if whole {
            sequences.block as u64
        } else {
            product(first.max(head)..last + 1)
        };
        let contexts = if first < head { product(first..(last + 1).min(head)) } else { 1 };
        contexts * inners * if whole && head > 0 { 2 } else { 1 }
    }

    /// The table of a shuffle; `None` if an index would change by more than 32 bits hold.
    pub fn new(sequences: &Sequences, shuffle: &Shuffle) -> Option<Self> {
        let (first, last, head) = (shuffle.first, shuffle.last(), sequences.head);
        let begin = first.min(head);
        let end = (last + 1).min(head).max(begin);
        let radices: Vec<usize> = (begin..end).map(|at| sequences.radix(at)).collect();
        // The last digit but one depends on all others.
        let whole = sequences.even && last + 2 >= sequences.places;
        let inner = if last < head { Vec::new() } else { inner_of(sequences, first, last, whole) };
        let inners = inner.iter().max().map_or(1, |&most| usize::from(most) + 1);
        let parity = whole && head > 0;
        let contexts = radices.iter().product::<usize>() * if parity { 2 } else { 1 };
        let mut table = Self { head: (begin, end), radices, parity, inner, inners, deltas: Vec::new() };
        let mut example = vec![0; inners];
        for (place, &value) in table.inner.iter().enumerate().rev() {
            example[value as usize] = place;
        }
        for context in 0..contexts {
            for &place in &example {
                table.deltas.push(table.delta(sequences, shuffle, context, place)?);
            }
        }
        Some(table)
    }

    /// Whether the shuffle carries whole blocks onto whole blocks, and keeps places within them.
    pub fn moves_blocks(&self) -> bool {
        self.inner.is_empty()
    }

    /// How much the shuffle adds to an index in a context; see [`Self::deltas`].
    fn delta(&self, sequences: &Sequences, shuffle: &Shuffle, context: usize, place: usize) -> Option<i32> {
        let mut digits = sequences.digits(0, place as u64);
        let (mut value, odd) = if self.parity { (context / 2, context % 2 == 1) } else { (context, false) };
        for at in (self.head.0..self.head.1).rev() {
            digits[at] = value % sequences.radix(at);
            value /= sequences.radix(at);
        }
        if self.parity {
            // Gives the sum of the digits the wanted parity, by a digit that does not matter otherwise. If all digits
            // matter, they determine the parity, and no sequence has the other one.
            let sum = digits[..sequences.head].iter().sum::<usize>() % 2 == 1;
            if sum != odd {
                match (0..sequences.head).find(|at| !(self.head.0..self.head.1).contains(at)) {
                    Some(at) => digits[at] = 1,
                    None => return Some(0), // no sequence has this context
                }
            }
        }
        sequences.make_even(&mut digits);
        let before = sequences.place(&digits);
        let old = sequence_of(&digits);
        let mut new = old.clone();
        for (at, &from) in shuffle.source.iter().enumerate() {
            new[shuffle.first + at] = old[from];
        }
        let after = sequences.place(&digits_of(&new));
        let blocks = after.0 as i64 - before.0 as i64;
        let delta = if self.moves_blocks() {
            blocks
        } else {
            blocks * sequences.stride as i64 + after.1 as i64 - before.1 as i64
        };
        i32::try_from(delta).ok()
    }

    /// Where the deltas of a block begin, by the digits of its head and whether their sum is odd.
    #[inline(always)]
    pub fn context(&self, head: &[usize], odd: bool) -> usize {
        let digits = &head[self.head.0..self.head.1];
        let value = digits.iter().zip(&self.radices).fold(0, |value, (digit, radix)| value * radix + digit);
        (if self.parity { value * 2 + usize::from(odd) } else { value }) * self.inners
    }
}

/// For each place in a block, a number for its digits from `first` to `last`, or for all its digits if `whole`.
fn inner_of(sequences: &Sequences, first: usize, last: usize, whole: bool) -> Vec<u16> {
    if whole {
        return (0..sequences.block).map(|place| place as u16).collect();
    }
    let begin = first.max(sequences.head);
    (0..sequences.block)
        .map(|place| {
            let digits = sequences.digits(0, place as u64);
            (begin..=last).fold(0, |value, at| value * sequences.radix(at) + digits[at]) as u16
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_sequence_has_an_index_of_its_own() {
        for (places, even, tail) in
            [(1, false, 3), (4, false, 2), (5, true, 3), (5, true, 5), (6, true, 4), (3, true, 1)]
        {
            if even && tail < 2 {
                continue;
            }
            let sequences = Sequences::new(places, even, tail, 8);
            let mut seen = std::collections::HashSet::new();
            for block in 0..sequences.blocks() {
                for place in 0..sequences.block as u64 {
                    let index = block * sequences.stride as u64 + place;
                    let digits = sequences.digits(block, place);
                    let number = block * sequences.block as u64 + place;
                    assert_eq!((sequences.number(&digits), &sequences.digits_of_number(number)), (number, &digits));
                    let sequence = sequence_of(&digits);
                    assert_eq!(sequences.rank(&sequence), index);
                    assert_eq!(sequences.unrank(index).as_ref(), Some(&sequence));
                    assert!(seen.insert(sequence));
                }
            }
            let all: usize = (1..=places).product();
            assert_eq!(seen.len(), if even { all / 2 } else { all });
            assert_eq!(sequences.len(), seen.len() as u64);
        }
    }

    /// In 32 bits, all but the small ones of these numbers would overflow.
    #[test]
    fn numbers_of_sixteen_places_have_64_bits() {
        for (even, tail) in [(false, 6), (true, 6), (false, 16), (true, 2)] {
            let sequences = Sequences::new(16, even, tail, 64);
            let all = 20_922_789_888_000 / if even { 2 } else { 1 };
            assert_eq!(sequences.len(), all);
            for number in [0, 1, all / 3, all - 1] {
                let digits = sequences.digits_of_number(number);
                assert_eq!(sequences.number(&digits), number);
                assert_eq!(digits_of(&sequence_of(&digits)), digits);
                if tail == 6 {
                    let sequence = sequence_of(&digits);
                    assert_eq!(sequences.unrank(sequences.rank(&sequence)), Some(sequence));
                }
            }
        }
    }

    proptest! {
        #[test]
        fn tables_do_what_shuffles_do(
            source in (2usize..=7).prop_flat_map(|places| Just((0..places).collect::<Vec<_>>()).prop_shuffle()),
            tail in 2usize..=5,
            even: bool,
            seed: prop::sample::Index,
        ) {
            let places = source.len();
            let Some(shuffle) = Shuffle::new(&source) else { return Ok(()) };
            prop_assert_eq!(shuffle.inverse().inverse(), shuffle.clone());
            let even = even && !shuffle.is_odd();
            let sequences = Sequences::new(places, even, tail, 8);
            let table = Table::new(&sequences, &shuffle).unwrap();
            prop_assert_eq!(table.deltas.len() as u64, Table::entries(&sequences, &shuffle));
            let block = seed.index(sequences.blocks() as usize);
            for place in 0..sequences.block {
                let digits = sequences.digits(block as u64, place as u64);
                let old = sequence_of(&digits);
                let new: Vec<u8> = source.iter().map(|&from| old[from]).collect();
                let odd = digits[..sequences.head].iter().sum::<usize>() % 2 == 1;
                let context = table.context(&digits, odd);
                let found = if table.moves_blocks() {
                    let block = (block as i64 + i64::from(table.deltas[context])) as usize;
                    block * sequences.stride + place
                } else {
                    let delta = table.deltas[context + table.inner[place] as usize];
                    ((block * sequences.stride + place) as i64 + i64::from(delta)) as usize
                };
                prop_assert_eq!(found as u64, sequences.rank(&new));
            }
        }
    }
}
