//! The tier of a state, found from its word. The tier follows from the state's composition, and the composition is
//! looked up by a sum.
//!
//! Each symbol is given a number, and the numbers of the symbols in all cells are added up. For example, let the
//! symbols 0, 1 and 2 have the numbers 5, 70 and 900. The word `01 00 10 01` of four cells has the sum 70 + 5 + 900 +
//! 70 = 1045, and so has every state with the same composition. The numbers are chosen so that compositions that play
//! may reach have different sums. To add faster, several neighbouring cells are looked up at once in a table of sums.

use std::collections::HashMap;

use crate::compile::{Compiled, Slot, Word};
use crate::random;
use crate::rules::Symbol;
use crate::structure::{CompositionTerm, RuleTiers};

/// A table covers at most this many bits of a word, or one cell if a cell has more.
const TABLE_BITS: u32 = 11;

/// The number of times that numbers for the symbols are chosen at random before the search for good ones is given up.
const TRIED: u64 = 8;

/// Stands for "no tier": play reaches no state that has this composition and this player to move.
const NONE: u32 = u32::MAX;

/// Finds the tiers of the states of compiled rules.
pub struct TierMap {
    /// All tiers of the rules, and which compositions each has.
    pub tiers: RuleTiers,
    parts: Vec<Part>,
    /// A hash table with linear probing. Each entry has the sum of a composition and, for each player to move, the tier
    /// of the states with this sum.
    found: Vec<(u64, [u32; 2])>,
    shift: u32,
}

/// Some neighbouring cells, and a table: for each content of these cells, the sum of the numbers of their symbols.
struct Part {
    slot: Slot,
    mask: u64,
    sums: Vec<u64>,
}

impl TierMap {
    /// Finds the tiers of compiled rules. `None` if all states are of one tier, or if no numbers were found that give
    /// different sums.
    pub fn new<W: Word>(compiled: &Compiled<W>) -> Option<Self> {
        let tiers = compiled.structure.tiers_of(&compiled.varying)?;
        // A composition consists of several counts, and each gets a number.
        let places = tiers.compositions().next().map_or(0, |(composition, _)| composition.len()) as u64;
        (0..TRIED).find_map(|seed| {
            let numbers: Vec<u64> = (0..places).map(|at| number(seed << 32 | at)).collect();
            let found = table_of(&tiers, &numbers)?;
            let shift = u64::BITS - found.len().trailing_zeros();
            Some(Self { parts: parts_of(compiled, &tiers, &numbers), tiers: tiers.clone(), found, shift })
        })
    }

    /// The tier of a state that play can reach.
    #[inline(always)]
    pub fn tier<W: Word>(&self, word: W, player: usize) -> usize {
        let part = |sum: u64, part: &Part| sum.wrapping_add(part.sums[word.bits(part.slot, part.mask) as usize]);
        let sum = self.parts.iter().fold(0, part);
        let mask = self.found.len() - 1;
        let mut at = place(sum, self.shift);
        loop {
            let (other, tiers) = self.found[at & mask];
            if other == sum && tiers[player] != NONE {
                return tiers[player] as usize;
            }
            assert!(tiers != [NONE; 2], "the graph of compositions has that of every state that play reaches");
            at += 1;
        }
    }

    /// Finds the tiers of states that all have `player` to move.
    #[inline(never)]
    pub fn tiers_of<W: Word>(&self, words: &[W], player: usize, found: &mut Vec<u32>) {
        found.clear();
        found.extend(words.iter().map(|&word| self.tier(word, player) as u32));
    }

    /// Bytes that describe the tiers: how compositions are counted, and all compositions with their tiers. Two sets of
    /// tiers have the same bytes exactly if they are the same.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.tiers.measure_bytes();
        for (composition, tiers) in self.tiers.compositions() {
            bytes.extend(composition.iter().flat_map(|count| count.to_le_bytes()));
            bytes.extend(tiers.iter().flat_map(|tier| tier.unwrap_or(NONE).to_le_bytes()));
        }
        bytes
    }
}

/// A number whose bits look random, made from `at` by the generator `SplitMix64`.
fn number(at: u64) -> u64 {
    random::spread(at.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// The place of the hash table at which the search for a sum begins.
fn place(sum: u64, shift: u32) -> usize {
    (sum.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> shift) as usize
}

/// Makes the table [`TierMap::found`]. `None` if two compositions have the same sum.
fn table_of(tiers: &RuleTiers, numbers: &[u64]) -> Option<Vec<(u64, [u32; 2])>> {
    let mut sums = HashMap::new();
    for (composition, of_players) in tiers.compositions() {
        let term = |(&count, &number): (&u16, &u64)| number.wrapping_mul(u64::from(count));
        let sum = composition.iter().zip(numbers).map(term).fold(0, u64::wrapping_add);
        let places = std::array::from_fn(|player| of_players.get(player).copied().flatten().unwrap_or(NONE));
        if sums.insert(sum, places).is_some() {
            return None;
        }
    }
    let size = (4 * sums.len()).next_power_of_two();
    let mut table = vec![(0, [NONE; 2]); size];
    for (sum, places) in sums {
        let mut at = place(sum, u64::BITS - size.trailing_zeros());
        while table[at & (size - 1)].1 != [NONE; 2] {
            at += 1;
        }
        table[at & (size - 1)] = (sum, places);
    }
    Some(table)
}

/// Cuts the cells into parts of neighbouring cells, each with its table of sums.
fn parts_of<W: Word>(compiled: &Compiled<W>, tiers: &RuleTiers, numbers: &[u64]) -> Vec<Part> {
    let (layout, symbols) = (&compiled.layout, compiled.rules.symbols.len());
    let at_once = (TABLE_BITS / layout.bits).max(1) as usize;
    let cells: Vec<usize> = (0..layout.cells()).collect();
    let mut parts = Vec::new();
    for cells in cells.chunk_by(|&one, &other| layout.slots[one].limb == layout.slots[other].limb) {
        for cells in cells.chunks(at_once) {
            let bits = layout.bits * cells.len() as u32;
            // The last cell of a part has the lowest bits.
            let number = |word: u64, (at, &cell): (usize, &usize)| {
                let symbol = word >> (at as u32 * layout.bits) & layout.mask;
                if symbol >= symbols as u64 {
                    return 0;
                }
                let CompositionTerm { place, times } = tiers.counted(cell, symbol as Symbol, symbols);
                numbers[place].wrapping_mul(times)
            };
            let sum = |word| cells.iter().rev().enumerate().map(|cell| number(word, cell)).fold(0, u64::wrapping_add);
            let sums = (0..1 << bits).map(sum).collect();
            parts.push(Part { slot: layout.slots[cells[cells.len() - 1]], mask: (1 << bits) - 1, sums });
        }
    }
    parts
}
