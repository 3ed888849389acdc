//! The layout of the bits of arrangements: blocks of planes, with one plane of a block for each place of the pivot.
//!
//! The theory is in `docs/enumeration.md`, "The dense store".
//!
//! # Four cells
//!
//! Take a blank and three other symbols. The three are a sequence, whose digits have 3, 2 and 1 values. Let the tail
//! have two digits. Then a block holds the two sequences that have the same first digit. It has four planes of two
//! bits: one plane for each of the four places of the blank. There are three blocks.
//!
//! Suppose that the place of the blank determines whether the sequence is odd. Then the digit with two values follows
//! from the others: it makes the sum of the digits even or odd, as the place of the blank requires. It is *hidden*, and
//! a plane has one bit instead of two.

use crate::index::{ArrangementIndex, digits_of, sequence_of};

/// The most digits of a tail (the digits that choose the place in a block). The kernels store a place of a tail in
/// three bits.
pub(super) const MOST_TAIL: usize = 8;

/// The number of bits of a word.
pub(super) const WORD: usize = u64::BITS as usize;

/// The layout of the bits of arrangements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlaneLayout {
    /// The number of symbols of a sequence.
    pub places: usize,
    /// The number of planes of a block: one for each place of the pivot; one without a pivot.
    pub lanes: usize,
    /// For each lane (place of the pivot), `true` if its sequences are odd permutations, and `false` if they are even;
    /// `None` if each lane has both.
    pub odd: Option<Vec<bool>>,
    /// The number of digits that choose the block.
    pub head: usize,
    /// The number of bits of a plane that belong to states.
    pub block: usize,
    /// The number of words of a plane.
    pub words: usize,
}

impl PlaneLayout {
    /// The layout with a tail (digits that choose the place in a block) of the given length; `None` if there is no such
    /// layout.
    pub fn new(index: &ArrangementIndex, tail: usize) -> Option<Self> {
        let (places, lanes, odd) = (index.places(), index.lanes(), index.odd.clone());
        // The last digit but one, which may be hidden (left out), must not be in the head: the digits that choose the
        // block.
        if tail > places.min(MOST_TAIL) || tail < places.min(2) {
            return None;
        }
        let all: usize = (1..=tail).product();
        let block = if odd.is_some() { all / 2 } else { all };
        Some(Self { places, lanes, odd, head: places - tail, block, words: block.div_ceil(WORD) })
    }

    /// The number of digits that choose the place in a block.
    pub fn tail(&self) -> usize {
        self.places - self.head
    }

    /// The number of values of digit `at`.
    pub fn radix(&self, at: usize) -> usize {
        self.places - at
    }

    /// The number of blocks.
    pub fn blocks(&self) -> u64 {
        (0..self.head).map(|at| self.radix(at) as u64).product()
    }

    /// The number of words of all planes.
    pub fn array_words(&self) -> u64 {
        self.blocks() * (self.lanes * self.words) as u64
    }

    /// The amount by which a state's number grows if digit `at` grows by one: a digit of the head adds this to the
    /// number of the block, and a digit of the tail adds it to the place in the block.
    pub fn weight(&self, at: usize) -> i64 {
        if at < self.head {
            return (at + 1..self.head).map(|at| self.radix(at) as i64).product();
        }
        let whole: i64 = (at + 1..self.places).map(|at| self.radix(at) as i64).product();
        if self.odd.is_some() { whole / 2 } else { whole }
    }

    /// Returns `true` if the tails of a lane are odd permutations. `odd_head` is `true` if the sum of the head's digits
    /// is odd.
    pub fn odd_tail(&self, lane: usize, odd_head: bool) -> bool {
        self.odd.as_ref().is_some_and(|odd| odd[lane] ^ odd_head)
    }

    /// The digits of the tail at a place of a plane. `odd` says whether the tails of the plane are odd. (Only a hidden
    /// digit depends on that.)
    pub fn tail_digits(&self, place: usize, odd: bool) -> Vec<usize> {
        let mut digits = [0; MOST_TAIL];
        self.fill_tail(place, odd, &mut digits);
        digits[..self.tail()].iter().map(|&digit| digit.into()).collect()
    }

    /// Writes the digits of [`Self::tail_digits`] into an array of zeros.
    pub fn fill_tail(&self, place: usize, odd: bool, digits: &mut [u8; MOST_TAIL]) {
        let mut value = if self.odd.is_some() { place * 2 } else { place };
        let mut sum = 0;
        for at in (self.head..self.places).rev() {
            let digit = value % self.radix(at);
            digits[at - self.head] = digit as u8;
            value /= self.radix(at);
            sum += digit;
        }
        if self.odd.is_some() && (sum % 2 == 1) != odd {
            digits[self.tail() - 2] = 1;
        }
    }

    /// The digits of the head of a block: those that choose the block.
    pub fn head_digits(&self, block: u64) -> Vec<usize> {
        let (mut digits, mut value) = (vec![0; self.head], block);
        for at in (0..self.head).rev() {
            digits[at] = (value % self.radix(at) as u64) as usize;
            value /= self.radix(at) as u64;
        }
        digits
    }

    /// The bit of a sequence with the pivot in a lane, counted from the first bit of the first plane; `None` if the
    /// sequence is odd and those of the lane are even, or the other way round.
    pub fn bit(&self, sequence: &[u8], lane: usize) -> Option<u64> {
        let digits = digits_of(sequence);
        let odd = digits.iter().sum::<usize>() % 2 == 1;
        if self.odd.as_ref().is_some_and(|expected| expected[lane] != odd) {
            return None;
        }
        let value = |range: std::ops::Range<usize>| range.map(|at| digits[at] as i64 * self.weight(at)).sum::<i64>();
        // A hidden digit would have the weight one half. It gets the weight 0, because it follows from the other
        // digits.
        let (block, place) = (value(0..self.head), value(self.head..self.places));
        let number = block as u64 * self.lanes as u64 + lane as u64;
        Some(number * (self.words * WORD) as u64 + place as u64)
    }

    /// The sequence and the lane of a bit: the inverse of [`Self::bit`]. `None` if the bit lies behind the last state
    /// of its plane.
    pub fn state(&self, bit: u64) -> Option<(Vec<u8>, usize)> {
        let (number, place) = (bit / (self.words * WORD) as u64, (bit % (self.words * WORD) as u64) as usize);
        if place >= self.block {
            return None;
        }
        let (block, lane) = (number / self.lanes as u64, (number % self.lanes as u64) as usize);
        let mut digits = self.head_digits(block);
        let odd_head = digits.iter().sum::<usize>() % 2 == 1;
        digits.extend(self.tail_digits(place, self.odd_tail(lane, odd_head)));
        Some((sequence_of(&digits), lane))
    }

    /// A mask of the bits of a plane's word that belong to states. Only the last words of a plane have other bits.
    pub fn valid(&self, word: usize) -> u64 {
        let filled = self.block.saturating_sub(word * WORD);
        if filled >= WORD { u64::MAX } else { (1 << filled) - 1 }
    }
}

/// Steps through the digits of the head (those that choose the block), block after block.
pub(super) struct Heads<'a> {
    layout: &'a PlaneLayout,
    pub digits: [usize; 16],
    /// `true` if the sum of the digits is odd.
    pub odd: bool,
}

impl<'a> Heads<'a> {
    /// The digits of a block.
    pub fn new(layout: &'a PlaneLayout, block: usize) -> Self {
        let mut digits = [0; 16];
        digits[..layout.head].copy_from_slice(&layout.head_digits(block as u64));
        Self { layout, digits, odd: digits.iter().sum::<usize>() % 2 == 1 }
    }

    /// Moves on to the next block.
    #[inline(always)]
    pub fn next(&mut self) {
        for at in (0..self.layout.head).rev() {
            self.digits[at] += 1;
            if self.digits[at] < self.layout.radix(at) {
                self.odd = !self.odd;
                return;
            }
            self.odd ^= (self.digits[at] - 1) % 2 == 1;
            self.digits[at] = 0;
        }
    }
}
