//! A pattern database: the fewest moves that bring certain symbols home, whatever the other cells hold.

use super::permutation_rules::{PermutationMove, PermutationRules};
use crate::rules::{Symbol, SymbolSet};
use crate::solve::clock::Clock;

/// The most symbols that one pattern may track. Their cells and the pivot's then fill eight bytes.
pub const MOST_TRACKED: usize = 7;

/// The value that stands for "the tracked symbols cannot come home from these cells".
pub const NEVER: u8 = u8::MAX;

/// The moves that a table counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    /// The table counts every move.
    All,
    /// The table counts only moves that displace a tracked symbol. The values of several such tables may be added if no
    /// symbol is tracked by two of them, and no move displaces two symbols beside the pivot.
    Own,
}

/// For all cells where the tracked symbols can be, the fewest moves that bring them home.
///
/// The rules are abstracted: all symbols that are not tracked, except the pivot, are merged into one. Whenever the true
/// rules allow a move, the abstract rules allow it too. So no value is above the true number of moves.
///
/// For example, four cells hold `A`, `B`, `C` and the blank, and `A` and `B` are tracked. With `A` in cell 2 and `B` in
/// cell 0, the value is at place `2 + 0 × 4`.
#[derive(Debug)]
pub struct PatternTable {
    /// The tracked symbols.
    pub symbols: Vec<Symbol>,
    values: Vec<u8>,
}

/// An abstract state: the cells of the tracked symbols, and as the last byte the cell of the pivot.
type Placed = [u8; MOST_TRACKED + 1];

impl PatternTable {
    /// Fills the table by a 0-1 breadth-first search backward from the goal: moves that cost nothing are followed at
    /// once, all others in order of cost. The table does not say where the pivot (the blank) is: each value is the
    /// least cost over all cells of the pivot. `None` if the watch stops the search.
    pub fn new(rules: &PermutationRules, symbols: &[Symbol], cost: Cost, clock: &mut Clock) -> Option<Self> {
        let mut search = TableSearch::new(rules, symbols);
        let goal_cell = |symbol: Symbol| rules.goal.iter().position(|&held| held == symbol).unwrap_or(0) as u8;
        let mut goal = Placed::default();
        symbols.iter().zip(&mut goal).for_each(|(&symbol, cell)| *cell = goal_cell(symbol));
        goal[MOST_TRACKED] = rules.pivot_cell(&rules.goal) as u8;
        let mut level = vec![goal];
        search.reach(goal, 0);
        for moves in 0..NEVER {
            if cost == Cost::Own {
                let mut at = 0;
                while at < level.len() {
                    if clock.stops() {
                        return None;
                    }
                    search.expand(level[at], false, moves, &mut level);
                    at += 1;
                }
            }
            let mut next = Vec::new();
            for &placed in &level {
                if clock.stops() {
                    return None;
                }
                if cost == Cost::All {
                    search.expand(placed, false, moves + 1, &mut next);
                }
                search.expand(placed, true, moves + 1, &mut next);
            }
            if next.is_empty() {
                break;
            }
            level = next;
        }
        Some(Self { symbols: symbols.to_vec(), values: search.values })
    }

    /// A table with values from an earlier search.
    pub fn of_values(symbols: &[Symbol], values: Vec<u8>) -> Self {
        Self { symbols: symbols.to_vec(), values }
    }

    /// All values, by their places.
    pub fn values(&self) -> &[u8] {
        &self.values
    }

    /// The value at a place: the sum of [`Self::weight`] times the cell of each tracked symbol.
    #[inline(always)]
    pub fn value(&self, place: u32) -> u8 {
        self.values[place as usize]
    }

    /// Returns by how much the place in the table grows if a tracked symbol is in the next cell. `number` is the
    /// symbol's number among the tracked ones. With four cells, the weights are 1, 4 and 16.
    pub fn weight(cells: usize, number: usize) -> u32 {
        (cells as u32).pow(number as u32)
    }

    /// The most abstract states that the search for a table can visit.
    pub fn work(rules: &PermutationRules, tracked: usize) -> u64 {
        let places = tracked + usize::from(rules.pivot.is_some());
        (0..places).map(|place| rules.cells.saturating_sub(place) as u64).fold(1, u64::saturating_mul)
    }

    /// The number of places of a table.
    pub fn places(rules: &PermutationRules, tracked: usize) -> u64 {
        (rules.cells as u64).saturating_pow(tracked as u32)
    }

    /// The bytes that the search for a table takes beside the table: a bit for each place and each cell of the pivot,
    /// and the states of two levels, which are at most all abstract states.
    pub fn search_bytes(rules: &PermutationRules, tracked: usize) -> u64 {
        let pivots = if rules.pivot.is_some() { rules.cells as u64 } else { 1 };
        let bits = Self::places(rules, tracked).saturating_mul(pivots) / 8;
        bits.saturating_add(Self::work(rules, tracked).saturating_mul(size_of::<Placed>() as u64))
    }
}

/// The search backward from the goal that fills one table.
struct TableSearch<'a> {
    rules: &'a PermutationRules,
    tracked: usize,
    values: Vec<u8>,
    /// For each place and each cell of the pivot, a bit that is set once that abstract state is reached.
    seen: Vec<u64>,
    /// For each cell of the state that is being expanded: 0, or one more than the number of the tracked symbol there.
    holder: Vec<u8>,
    /// The symbols that guards allow. For each move and each cell of its guard: the cell to which the move carries that
    /// cell's symbol, and a list of flags. The first flag is `true` if some untracked symbol is allowed there; each
    /// further flag is `true` if that tracked symbol is.
    allowed: Vec<Vec<(u8, Vec<bool>)>>,
}

impl<'a> TableSearch<'a> {
    fn new(rules: &'a PermutationRules, symbols: &[Symbol]) -> Self {
        let cells = rules.cells;
        let places = cells.pow(symbols.len() as u32);
        let pivots = if rules.pivot.is_some() { cells } else { 1 };
        let others: Vec<Symbol> = (0..rules.symbols)
            .map(|symbol| symbol as Symbol)
            .filter(|symbol| !symbols.contains(symbol) && Some(*symbol) != rules.pivot)
            .collect();
        let allowed = |given: &PermutationMove| {
            let of_cell = |set: SymbolSet| -> Vec<bool> {
                let other = others.iter().any(|&symbol| set.contains(symbol));
                std::iter::once(other).chain(symbols.iter().map(|&symbol| set.contains(symbol))).collect()
            };
            given.guard.iter().map(|&(cell, set)| (given.image(cell), of_cell(set))).collect()
        };
        Self {
            tracked: symbols.len(),
            values: vec![NEVER; places],
            seen: vec![0; (places * pivots).div_ceil(64)],
            holder: vec![0; cells],
            allowed: rules.moves.iter().map(allowed).collect(),
            rules,
        }
    }

    /// Records an abstract state with its cost. Returns `true` if the state is new.
    #[inline(always)]
    fn reach(&mut self, placed: Placed, cost: u8) -> bool {
        let cells = self.rules.cells;
        let place = placed[..self.tracked].iter().rev().fold(0, |place, &cell| place * cells + cell as usize);
        let bit = place + placed[MOST_TRACKED] as usize * self.values.len();
        let mask = 1 << (bit & 63);
        let new = self.seen[bit >> 6] & mask == 0;
        if new {
            self.seen[bit >> 6] |= mask;
            self.values[place] = self.values[place].min(cost);
        }
        new
    }

    /// Adds to `found` the new states from which one move leads to `placed`. With `displacing`, only by moves that
    /// displace a tracked symbol; otherwise only by moves that do not.
    #[inline(always)]
    fn expand(&mut self, placed: Placed, displacing: bool, cost: u8, found: &mut Vec<Placed>) {
        let rules = self.rules;
        for (number, &cell) in placed[..self.tracked].iter().enumerate() {
            self.holder[cell as usize] = number as u8 + 1;
        }
        for &place in rules.moves_into(placed[MOST_TRACKED] as usize) {
            let given = &rules.moves[place as usize];
            // The guard looks at the state before the move. The symbol that a cell of the guard held then is, after the
            // move, in the cell to which the move carries it.
            let allowed = &self.allowed[place as usize];
            let fits = allowed.iter().all(|(image, allowed)| allowed[self.holder[*image as usize] as usize]);
            if !fits {
                continue;
            }
            let (mut before, mut displaced) = (placed, false);
            for &(from, to) in &given.pairs {
                let number = self.holder[to as usize] as usize;
                if number > 0 {
                    before[number - 1] = from;
                    displaced = true;
                }
            }
            if displaced != displacing {
                continue;
            }
            if let Some((cell, _)) = given.pivot {
                before[MOST_TRACKED] = cell;
            }
            if self.reach(before, cost) {
                found.push(before);
            }
        }
        for &cell in &placed[..self.tracked] {
            self.holder[cell as usize] = 0;
        }
    }
}
