//! Rules whose moves turn dials: their index, and its layout in words and blocks.
//!
//! The theory is in `docs/enumeration.md`, "The dense store".
//!
//! The digits of a state's number are cut into three parts. The first digits choose the bit of a word, the next ones
//! the word of a block, and the last ones the block. A move adds a digit to each digit, without carry. So it rotates
//! bits within words, words within blocks, and blocks, independently of each other.
//!
//! # Four cells
//!
//! Let four dials have three places each, and let each have a move that turns it by one. The number of a state has four
//! digits, and a word of 32 bits holds the 27 states that differ in the first three digits. So there are three words.
//! The move of the last dial carries each word to the next one. The move of the first dial rotates three neighbouring
//! bits, nine times in each word: bits with the digit 0 or 1 go up by one, and bits with the digit 2 go down by two.

use super::fixed::FixedStates;
use crate::dense::swept::Division;
use crate::dense::tuning::Tuning;
use crate::index::{Cut, DialIndex, Index, TurnedCells};
use crate::rules::Symmetry;
use crate::structure::Structure;

/// After each part of a depth, of this many chunks, a job may write to disk the states that it has found. A part takes
/// some seconds; chunks of lamps are quicker.
const PART_CHUNKS: usize = 1 << 12;
const PART_CHUNKS_OF_LAMPS: usize = 1 << 14;

/// The number of bits of a word of the array. The size is chosen so that the fewest bits stand for no state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::dense) enum WordSize {
    Bits16,
    Bits32,
    Bits64,
}

impl WordSize {
    /// The best size for digits with `modulus` values; `None` if no word has room for one digit.
    fn of_modulus(modulus: u8) -> Option<Self> {
        // Sizes are compared by the percentage of a word's bits that are used. Of equal sizes, the larger one is taken.
        let used = |size: &Self| {
            (0..=digits_in(size.bits(), modulus)).map(|digits| u64::from(modulus).pow(digits as u32)).max().unwrap_or(1)
                * 6400
                / size.bits() as u64
        };
        let sizes = [Self::Bits16, Self::Bits32, Self::Bits64];
        sizes.into_iter().filter(|size| digits_in(size.bits(), modulus) > 0).max_by_key(used)
    }

    /// The number of bits of a word.
    pub fn bits(self) -> usize {
        match self {
            Self::Bits16 => 16,
            Self::Bits32 => 32,
            Self::Bits64 => 64,
        }
    }
}

/// The number of digits that fit a word with `bits` bits, if each combination of digits has a bit.
fn digits_in(bits: usize, modulus: u8) -> usize {
    (1..=u64::BITS).take_while(|&digits| usize::from(modulus).pow(digits) <= bits).count()
}

/// The effect of a move on blocks: where each bit of a block comes from.
#[derive(Debug)]
pub(super) struct DialMove {
    /// The rotations of bits, one for each digit within words that the move adds to.
    pub rotations: Vec<BitRotation>,
    /// The length of a run: neighbouring words of a block that stay neighbours.
    pub run: usize,
    /// For each run of the block, the place of the run that the move carries there. Empty if words stay where they are.
    pub runs: Vec<u32>,
    /// The digits that the move adds to the digits of the block's number. Empty if it leaves that number as it is.
    pub high: Vec<u8>,
}

/// The rotation of one digit within words.
#[derive(Debug, Clone, Copy)]
pub(super) struct BitRotation {
    /// The bits whose digit does not pass from its last value to 0.
    pub stay: u64,
    /// The distance by which the bits in `stay` go up.
    pub up: u32,
    /// The bits whose digit passes from its last value to 0.
    pub pass: u64,
    /// The distance by which the bits in `pass` go down.
    pub down: u32,
}

/// Rules whose moves turn dials.
#[derive(Debug)]
pub struct DialShape {
    pub(in crate::dense) index: DialIndex,
    pub(in crate::dense) word: WordSize,
    /// The number of states of a word.
    pub(super) word_states: usize,
    pub(super) division: Division,
    /// The number of moves of the rules. Each can be made in every state.
    pub(super) move_count: u64,
    pub(super) moves: Vec<DialMove>,
    /// The numbers of the moves, in ascending order: those of the states to which they lead from the start.
    pub(super) numbers: Vec<u64>,
    /// For each symmetry but the identity, the states that it fixes.
    pub(super) fixed: Vec<FixedStates>,
}

impl DialShape {
    /// The shape of some rules, if their moves do nothing but turn dials.
    pub fn new(structure: &Structure, symmetries: &[Symmetry], tuning: Tuning) -> Option<Self> {
        Self::of_index(DialIndex::of_structure(structure)?, structure, symmetries, tuning)
    }

    /// The shape with a given basis. Each vector of the basis is described by the cells that it changes from the start.
    /// `None` if the rules have no index with this basis.
    pub fn of_cut(
        structure: &Structure,
        symmetries: &[Symmetry],
        basis: &[TurnedCells],
        tuning: Tuning,
    ) -> Option<Self> {
        let index = DialIndex::of_basis(structure, basis)?;
        let basis = basis.to_vec();
        // A job has a basis in one normal form: its cells are in ascending order, and each of them changes.
        (index.cut() == Cut::Dial { basis }).then(|| Self::of_index(index, structure, symmetries, tuning))?
    }

    fn of_index(index: DialIndex, structure: &Structure, symmetries: &[Symmetry], tuning: Tuning) -> Option<Self> {
        let modulus = usize::from(index.modulus());
        let power = |digits: usize| modulus.pow(digits as u32);
        let word = WordSize::of_modulus(index.modulus())?;
        let low = digits_in(word.bits(), index.modulus()).min(index.digits());
        // The number of further digits that fit if they may have at most `most` combinations, and `left` digits are
        // left.
        let more = |most: usize, left: usize| (1..=left).take_while(|&digits| power(digits) <= most).count();
        // It takes longer to find the source of a block than among lamps, so blocks have more words.
        let is_lamps = index.are_lamps();
        let most_words = if is_lamps { 1 << tuning.block_word_bits } else { 8 << tuning.block_word_bits };
        let middle = more(most_words, index.digits() - low);
        let high = index.digits() - low - middle;
        let block_bytes = power(middle) * word.bits() / 8;
        let chunk_blocks = power(more(tuning.chunk_bytes / block_bytes, high));
        let words = index.len() / power(low) as u64;
        let moves = index.moves.iter().map(|digits| DialMove::new(digits, modulus, (low, middle))).collect();
        let mut numbers: Vec<u64> = index.moves.iter().map(|digits| index.number(digits)).collect();
        numbers.sort_unstable();
        Some(Self {
            word,
            word_states: power(low),
            division: Division {
                blocks: usize::try_from(words / power(middle) as u64).ok()?,
                block_words: power(middle),
                chunk_blocks,
                part_chunks: tuning.part_chunks.unwrap_or(if is_lamps { PART_CHUNKS_OF_LAMPS } else { PART_CHUNKS }),
            },
            move_count: structure.rules().moves.len() as u64,
            moves,
            numbers,
            fixed: FixedStates::of_symmetries(&index, symmetries)?,
            index,
        })
    }

    /// The bit of the state with a number: the inverse of [`Self::number`].
    pub fn bit(&self, number: u64) -> u64 {
        let states = self.word_states as u64;
        number / states * self.word.bits() as u64 + number % states
    }

    /// The number of the state of a bit; `None` if the bit belongs to no state.
    pub fn number(&self, bit: usize) -> Option<usize> {
        let (word, place) = (bit / self.word.bits(), bit % self.word.bits());
        (place < self.word_states).then_some(word * self.word_states + place)
    }

    /// The number of bytes of one array of bits.
    pub fn array_bytes(&self) -> u64 {
        self.division.blocks as u64 * (self.division.block_words * self.word.bits() / 8) as u64
    }

    /// The bytes of memory that a run takes.
    pub fn bytes(&self) -> u64 {
        let fixed: u64 = self.fixed.iter().map(FixedStates::bytes).sum();
        3 * self.array_bytes() + 2 * self.division.blocks as u64 + fixed
    }
}

impl DialMove {
    /// The effect of a move that adds the given digits. The first `low` digits are within words, and the next `middle`
    /// digits within blocks.
    fn new(digits: &[u8], modulus: usize, (low, middle): (usize, usize)) -> Self {
        let rotation = |(at, &added): (usize, &u8)| {
            let (added, apart) = (usize::from(added), modulus.pow(at as u32));
            let states = modulus.pow(low as u32);
            let bits = |wanted: &dyn Fn(usize) -> bool| {
                (0..states).filter(|bit| wanted(bit / apart % modulus)).fold(0u64, |bits, bit| bits | 1 << bit)
            };
            (added != 0).then(|| BitRotation {
                stay: bits(&|digit| digit + added < modulus),
                up: (added * apart) as u32,
                pass: bits(&|digit| digit + added >= modulus),
                down: ((modulus - added) * apart) as u32,
            })
        };
        let rotations = digits[..low].iter().enumerate().filter_map(rotation).collect();
        let inner = &digits[low..low + middle];
        let words = modulus.pow(middle as u32);
        let first = inner.iter().position(|&digit| digit != 0);
        let run = first.map_or(words, |first| modulus.pow(first as u32));
        // Each digit of the source word's number is the digit of `word` minus the digit that the move adds.
        let source = |word: usize| {
            let digit = |at: usize| {
                let apart = modulus.pow(at as u32);
                (word / apart % modulus + modulus - usize::from(inner[at])) % modulus * apart
            };
            (0..middle).map(digit).sum::<usize>() as u32
        };
        let runs = if first.is_some() { (0..words).step_by(run).map(source).collect() } else { Vec::new() };
        let high = &digits[low + middle..];
        let high = if high.iter().all(|&digit| digit == 0) { Vec::new() } else { high.to_vec() };
        Self { rotations, run, runs, high }
    }
}
