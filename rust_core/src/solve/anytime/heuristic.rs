//! A heuristic that estimates how near a state is to the goal: the distance of each symbol from its cell in the goal.
//! See `docs/solving.md`.

use std::collections::VecDeque;

use crate::random::Random;
use crate::rules::Symbol;
use crate::solve::patterns::PermutationRules;

/// The distance between two cells if no moves bring a symbol from the one to the other.
const UNREACHABLE: u32 = 1 << 10;

/// If a move displaces several symbols, one symbol that is far from home costs more than several that are near: a
/// distance `d` costs `4 d^1.5`, rounded. This makes the solutions of turning puzzles shorter.
const FAR_POWER: f64 = 1.5;
const FAR_FACTOR: f64 = 4.0;

/// For each two cells, the fewest moves that take a symbol from one to the other, wherever all other symbols are.
#[derive(Debug)]
pub struct HomeDistances {
    cells: usize,
    symbols: usize,
    pivot: Option<Symbol>,
    /// `true` if each move displaces only one symbol beside the pivot. Then the sum of the distances of all symbols is
    /// a lower bound on the number of moves.
    pub added: bool,
    /// The distance from the cell `from` to the cell `to` is `moves[from * cells + to]`.
    moves: Vec<u32>,
}

impl HomeDistances {
    /// Finds the distances by a breadth-first search to each cell. The distances of the pivot (the blank) are not
    /// counted.
    pub fn new(rules: &PermutationRules) -> Self {
        let cells = rules.cells;
        let mut into = vec![Vec::new(); cells];
        for given in &rules.moves {
            for &(from, to) in given.pairs.iter().filter(|&&(from, _)| given.pivot.is_none_or(|(cell, _)| cell != from))
            {
                into[to as usize].push(from as usize);
            }
        }
        let mut moves = vec![UNREACHABLE; cells * cells];
        for to in 0..cells {
            let mut pending = VecDeque::from([to]);
            moves[to * cells + to] = 0;
            while let Some(at) = pending.pop_front() {
                for &from in &into[at] {
                    if moves[from * cells + to] == UNREACHABLE {
                        moves[from * cells + to] = moves[at * cells + to] + 1;
                        pending.push_back(from);
                    }
                }
            }
        }
        Self { cells, symbols: rules.symbols, pivot: rules.pivot, added: rules.displaces_one(), moves }
    }

    /// The cost of each symbol in each cell, if `target` is the state to be reached. A symbol that several cells of the
    /// target hold is measured to the nearest of these cells, and the pivot costs nothing.
    pub fn guide(&self, target: &[Symbol]) -> Guide {
        let mut counts = vec![0; self.symbols * self.cells];
        for symbol in (0..self.symbols).filter(|&symbol| self.pivot != Some(symbol as Symbol)) {
            for cell in 0..self.cells {
                let homes = (0..self.cells).filter(|&home| target[home] as usize == symbol);
                let nearest = homes.map(|home| self.moves[cell * self.cells + home]).min().unwrap_or(0);
                counts[symbol * self.cells + cell] = if self.added { nearest } else { weighed(nearest) };
            }
        }
        Guide { cells: self.cells, counts }
    }

    /// A lower bound on the number of moves from one state to another; 0 if moves displace several symbols.
    pub fn bound(&self, state: &[Symbol], target: &[Symbol]) -> u32 {
        if self.added { self.guide(target).of(state) } else { 0 }
    }
}

fn weighed(moves: u32) -> u32 {
    (f64::from(moves).powf(FAR_POWER) * FAR_FACTOR).round() as u32
}

/// The cost of each symbol in each cell: 0 at home, and the more the farther from home.
#[derive(Debug)]
pub struct Guide {
    cells: usize,
    counts: Vec<u32>,
}

impl Guide {
    /// The sum of the costs over all cells of a state.
    pub fn of(&self, state: &[Symbol]) -> u32 {
        state.iter().enumerate().map(|(cell, &symbol)| self.at(symbol, cell as u8)).sum()
    }

    /// The cost of a symbol in a cell.
    #[inline(always)]
    pub fn at(&self, symbol: Symbol, cell: u8) -> u32 {
        self.counts[symbol as usize * self.cells + cell as usize]
    }
}

/// Zobrist hashing: a random number for each symbol in each cell. The exclusive or of the numbers of a state is its
/// *mark*, which identifies the state: two states have the same mark with a chance of 1 in 2^64. Every answer is
/// checked by making its moves, so two states with one mark may make an answer longer, but never wrong.
#[derive(Debug)]
pub struct Marks {
    cells: usize,
    numbers: Vec<u64>,
}

impl Marks {
    /// Makes the random numbers for some rules: the same numbers on every machine.
    pub fn new(rules: &PermutationRules) -> Self {
        let mut random = Random::new("puzzlekit marks");
        Self { cells: rules.cells, numbers: (0..rules.cells * rules.symbols).map(|_| random.next_u64()).collect() }
    }

    /// The mark of a state.
    pub fn of(&self, state: &[Symbol]) -> u64 {
        state.iter().enumerate().fold(0, |mark, (cell, &symbol)| mark ^ self.at(symbol, cell as u8))
    }

    /// The random number of a symbol in a cell, which is a part of the mark of each state with that symbol there.
    #[inline(always)]
    pub fn at(&self, symbol: Symbol, cell: u8) -> u64 {
        self.numbers[symbol as usize * self.cells + cell as usize]
    }
}
