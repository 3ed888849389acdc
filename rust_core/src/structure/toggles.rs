//! Puzzles of toggles as linear algebra over GF(2): which states can be reached, and by which fewest presses.

use crate::random::Random;
use crate::rules::{Rules, Source, Symbol};

/// The largest kernel whose elements are all tried for the fewest presses: 2^20 of them.
const MOST_KERNEL: usize = 20;

/// A set of bits, as many as are needed.
type Bits = Vec<u64>;

/// The presses of a puzzle in which every move flips some cells of two symbols, whatever they hold.
///
/// Then the order of presses does not matter, pressing twice does nothing, and the state is the start plus the sum of the
/// pressed patterns over GF(2).
#[derive(Debug, Clone)]
pub struct Toggles {
    presses: usize,
    /// Reduced combinations of presses: what each flips, whose lowest bit no other row has, and which presses it is.
    rows: Vec<(Bits, Bits)>,
    /// Combinations of presses that flip nothing.
    kernel: Vec<Bits>,
    start: Vec<Symbol>,
}

impl Toggles {
    /// The presses of some rules; `None` where a move does anything else than flip cells, or play can end.
    pub fn of_rules(rules: &Rules) -> Option<Self> {
        if rules.symbols.len() != 2 || rules.player_count() > 1 || !rules.ends.is_empty() {
            return None;
        }
        let mut toggles =
            Self { presses: rules.moves.len(), rows: Vec::new(), kernel: Vec::new(), start: rules.start.clone() };
        for (index, given) in rules.moves.iter().enumerate() {
            let mut flips = vec![0; rules.cells().div_ceil(64)];
            for (cell, source) in &given.then {
                match source {
                    Source::Copy(from, Some(map)) if from == cell && **map == [1, 0] => set(&mut flips, *cell),
                    _ => return None,
                }
            }
            if !given.when.0.is_empty() {
                return None;
            }
            let mut pressed = vec![0; rules.moves.len().div_ceil(64)];
            set(&mut pressed, index);
            toggles.add(flips, pressed);
        }
        Some(toggles)
    }

    /// How many independent presses there are: 2 to the power of this many states can be reached.
    pub fn rank(&self) -> usize {
        self.rows.len()
    }

    /// How many independent combinations of presses change nothing.
    pub fn nullity(&self) -> usize {
        self.kernel.len()
    }

    /// The fewest presses that lead from one state to another, in order of their places in the rules, and whether they are
    /// proven to be the fewest (they are, unless more than 20 independent combinations change nothing). `None` where no
    /// presses do.
    pub fn presses_between(&self, from: &[Symbol], to: &[Symbol]) -> Option<(Vec<usize>, bool)> {
        let mut wanted = vec![0; from.len().div_ceil(64)];
        for cell in (0..from.len()).filter(|&cell| from[cell] != to[cell]) {
            set(&mut wanted, cell);
        }
        let mut pressed = vec![0; self.presses.div_ceil(64)];
        for (flips, presses) in &self.rows {
            if has(&wanted, lowest(flips)?) {
                add(&mut wanted, flips);
                add(&mut pressed, presses);
            }
        }
        if wanted.iter().any(|&bits| bits != 0) {
            return None;
        }
        let proven = self.kernel.len() <= MOST_KERNEL;
        let mut best = pressed.clone();
        // In Gray code order, each combination differs from the one before by one element of the kernel.
        for step in 1..1u64 << self.kernel.len().min(MOST_KERNEL) {
            add(&mut pressed, &self.kernel[step.trailing_zeros() as usize]);
            if count(&pressed) < count(&best) {
                best.clone_from(&pressed);
            }
        }
        Some(((0..self.presses).filter(|&press| has(&best, press)).collect(), proven))
    }

    /// A state, each equally likely among those that presses can reach from the start.
    pub fn random_state(&self, random: &mut Random) -> Vec<Symbol> {
        let mut flips = vec![0; self.start.len().div_ceil(64)];
        for (row, _) in &self.rows {
            if random.below(2) == 1 {
                add(&mut flips, row);
            }
        }
        self.start.iter().enumerate().map(|(cell, &symbol)| symbol ^ u8::from(has(&flips, cell))).collect()
    }

    /// Adds a combination of presses by Gauss and Jordan: rows stay reduced.
    fn add(&mut self, mut flips: Bits, mut pressed: Bits) {
        for (row, presses) in &self.rows {
            if lowest(row).is_some_and(|pivot| has(&flips, pivot)) {
                add(&mut flips, row);
                add(&mut pressed, presses);
            }
        }
        let Some(pivot) = lowest(&flips) else {
            self.kernel.push(pressed);
            return;
        };
        for (row, presses) in &mut self.rows {
            if has(row, pivot) {
                add(row, &flips);
                add(presses, &pressed);
            }
        }
        self.rows.push((flips, pressed));
    }
}

fn set(bits: &mut Bits, at: usize) {
    bits[at / 64] |= 1 << (at % 64);
}

fn has(bits: &Bits, at: usize) -> bool {
    bits[at / 64] >> (at % 64) & 1 == 1
}

fn add(bits: &mut Bits, other: &Bits) {
    bits.iter_mut().zip(other).for_each(|(bits, other)| *bits ^= other);
}

fn lowest(bits: &Bits) -> Option<usize> {
    let limb = bits.iter().position(|&bits| bits != 0)?;
    Some(limb * 64 + bits[limb].trailing_zeros() as usize)
}

fn count(bits: &Bits) -> u32 {
    bits.iter().map(|bits| bits.count_ones()).sum()
}
