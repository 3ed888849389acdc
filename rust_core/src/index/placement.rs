//! The perfect index of games in which each player fills empty cells with a mark of their own.
//!
//! The theory is in `docs/enumeration.md`, "The dense store".
//!
//! A state is two sets. Its *row* is the set of cells with the first mark. Its *column* is the set of cells with the
//! second mark, numbered among the other cells. Up to symmetry, only the smallest image of each row is kept. Then only
//! the stabiliser of the row is left to reduce the columns by.

use super::cut::Cut;
use super::perfect::Index;
use super::subsets::{Cells, choose, rank_subset, unrank_subset};
use crate::ordered::OrderedSet;
use crate::rules::{Rules, Symbol};
use crate::sorting;
use crate::sorting::Gather;
use crate::structure::{Action, Need, Structure};

/// The most cells. A set of cells is a number with a bit for each cell, and some tables have an entry for each set.
const MOST_CELLS: usize = 26;

/// The index of rules whose moves put marks into empty cells.
#[derive(Debug, Clone)]
pub struct PlacementIndex {
    /// The number of cells.
    pub cells: usize,
    /// For each player, which mark the player puts: 0 for the first mark (of rows), 1 for the second mark (of columns).
    pub marks: Vec<usize>,
    /// For each mark, the cells that hold it at the start.
    pub start: [Cells; 2],
    /// For each player, the ends that a move of this player can complete, in order of precedence: the outcome, and sets
    /// of cells. The end holds if the player's mark is in all cells of one of these sets.
    pub ends: Vec<Vec<(usize, Vec<Cells>)>>,
    /// The symbols: that of an empty cell, the first mark, and the second mark.
    symbols: [Option<Symbol>; 3],
}

impl PlacementIndex {
    /// The index of the rules, if they have this shape. Every move must turn an empty cell into the mover's mark and
    /// need nothing else. Every empty cell must be open to every player. Every end must be that some cells hold one
    /// mark. There must be no goal, and no score.
    pub fn of_structure(structure: &Structure) -> Option<Self> {
        let rules = structure.rules();
        let cells = rules.cells();
        if cells > MOST_CELLS || !rules.goal.is_empty() || rules.scoring.is_some() || rules.turn.is_some() {
            return None;
        }
        let mut empty = OrderedSet::new();
        let mut marks = vec![OrderedSet::new(); rules.player_count()];
        let mut filled = vec![0; rules.player_count()];
        for (given, shape) in rules.moves.iter().zip(structure.actions()) {
            let (Need::Symbol(cell, before), Action::Puts(to, mark)) = shape else { return None };
            if cell != to {
                return None;
            }
            empty.insert(*before);
            for player in (0..rules.player_count()).filter(|&player| given.player.is_none_or(|owner| owner == player)) {
                marks[player].insert(*mark);
                // Two moves of a player into one cell would be counted as one, so such rules have no index here.
                if filled[player] >> cell & 1 != 0 {
                    return None;
                }
                filled[player] |= 1 << cell;
            }
        }
        let marks = marks.iter().map(single).collect::<Option<Vec<Symbol>>>()?;
        let empty = single(&empty)?;
        let second = marks.iter().copied().find(|&mark| mark != marks[0]);
        if marks.contains(&empty) {
            return None;
        }
        let holding = |symbol: Symbol| {
            (0..cells).filter(|&cell| rules.start[cell] == symbol).fold(0, |set: Cells, cell| set | 1 << cell)
        };
        let start = [holding(marks[0]), second.map_or(0, holding)];
        let free = holding(empty);
        let whole = ((1u64 << cells) - 1) as Cells;
        if free | start[0] | start[1] != whole || filled.iter().any(|filled| filled & free != free) {
            return None;
        }
        let ends = (0..rules.player_count()).map(|player| ends_of(rules, player, marks[player])).collect();
        ends_are_of_one_mark(rules, &marks).then(|| Self {
            cells,
            marks: marks.iter().map(|&mark| usize::from(mark != marks[0])).collect(),
            start,
            ends,
            symbols: [Some(empty), Some(marks[0]), second],
        })
    }

    /// Returns `true` if a symmetry does not change the empty symbol and the marks. `symbols` is its image of each
    /// symbol.
    pub fn keeps(&self, symbols: &[Symbol]) -> bool {
        self.symbols.iter().flatten().all(|&symbol| symbols[symbol as usize] == symbol)
    }

    /// The state with the first mark in the cells of one set, and the second mark in the cells of another.
    pub fn write(&self, first: Cells, second: Cells) -> Vec<Symbol> {
        let [empty, one, other] = self.symbols.map(|symbol| symbol.unwrap_or(0));
        let held = |cell: usize| {
            if first >> cell & 1 != 0 {
                one
            } else if second >> cell & 1 != 0 {
                other
            } else {
                empty
            }
        };
        (0..self.cells).map(held).collect()
    }

    /// For each mark, the number of cells that hold it after `depth` moves.
    pub fn counts(&self, depth: u64) -> [usize; 2] {
        let mut counts = self.start.map(|set| set.count_ones() as usize);
        for at in 0..depth {
            counts[self.marks[at as usize % self.marks.len()]] += 1;
        }
        counts
    }

    /// The number of moves until the board is full.
    pub fn last_depth(&self) -> u64 {
        let [first, second] = self.counts(0);
        (self.cells - first - second) as u64
    }

    /// For each mark, the set of cells that hold it; `None` if some cell holds another symbol.
    pub fn sets(&self, state: &[Symbol]) -> Option<[Cells; 2]> {
        let [empty, one, other] = self.symbols;
        let known = |&symbol: &Symbol| [empty, one, other].contains(&Some(symbol));
        if state.len() != self.cells || !state.iter().all(known) {
            return None;
        }
        Some([one, other].map(|wanted| {
            (0..self.cells).filter(|&cell| Some(state[cell]) == wanted).fold(0, |set: Cells, cell| set | 1 << cell)
        }))
    }

    /// The number of moves that led to a state, from how many of each mark it has; `None` if no number of moves leads
    /// to these numbers of marks.
    pub fn depth_of(&self, state: &[Symbol]) -> Option<u64> {
        let sizes = self.sets(state)?.map(|set| set.count_ones() as usize);
        (0..=self.last_depth()).find(|&depth| self.counts(depth) == sizes)
    }

    /// The number of placements of a depth: of pairs of disjoint sets of cells, as large as the sets of marks at that
    /// depth.
    fn pairs(&self, depth: u64) -> u64 {
        let [first, second] = self.counts(depth);
        choose(self.cells, first) * choose(self.cells - first, second)
    }

    /// The set of second marks, numbered among the cells without a first mark.
    pub fn within(&self, first: Cells, second: Cells) -> Cells {
        let free = (0..self.cells).filter(|cell| first >> cell & 1 == 0);
        free.enumerate().fold(0, |set, (place, cell)| set | (second >> cell & 1) << place)
    }

    /// The state with the given first marks and second marks. The second marks are numbered among the cells without a
    /// first mark.
    pub fn write_within(&self, first: Cells, places: Cells) -> Vec<Symbol> {
        let free = (0..self.cells).filter(|cell| first >> cell & 1 == 0);
        let second = free.enumerate().fold(0, |set: Cells, (place, cell)| set | (places >> place & 1) << cell);
        self.write(first, second)
    }
}

fn single(set: &OrderedSet<Symbol>) -> Option<Symbol> {
    set.first().copied().filter(|_| set.len() == 1)
}

/// Returns `true` if each end wants one mark, the same in all of its cells.
fn ends_are_of_one_mark(rules: &Rules, marks: &[Symbol]) -> bool {
    rules.ends.iter().all(|end| {
        let wanted: OrderedSet<Option<Symbol>> = end.when.0.iter().map(|&(_, set)| set.single()).gather();
        end.conditions.is_empty()
            && wanted.len() == 1
            && wanted.iter().all(|mark| mark.is_some_and(|mark| marks.contains(&mark)))
    })
}

/// States are numbered by depth, then by the set of first marks, then by the set of second marks among the other cells.
impl Index for PlacementIndex {
    fn len(&self) -> u64 {
        (0..=self.last_depth()).map(|depth| self.pairs(depth)).sum()
    }

    fn rank(&self, state: &[Symbol]) -> Option<u64> {
        let [first, second] = self.sets(state)?;
        let sizes = [first, second].map(|set| set.count_ones() as usize);
        let depth = (0..=self.last_depth()).find(|&depth| self.counts(depth) == sizes)?;
        let before: u64 = (0..depth).map(|depth| self.pairs(depth)).sum();
        let columns = choose(self.cells - sizes[0], sizes[1]);
        Some(before + rank_subset(first) * columns + rank_subset(self.within(first, second)))
    }

    fn unrank(&self, mut number: u64) -> Vec<Symbol> {
        let mut depth = 0;
        while number >= self.pairs(depth) {
            number -= self.pairs(depth);
            depth += 1;
        }
        let [first, second] = self.counts(depth);
        let columns = choose(self.cells - first, second);
        self.write_within(unrank_subset(number / columns, first), unrank_subset(number % columns, second))
    }

    fn cut(&self) -> Cut {
        Cut::Placement {}
    }
}

/// The ends that want a mark, in order of precedence after a move of `player`: for each end its outcome, and the sets
/// of cells in which it wants the mark.
fn ends_of(rules: &Rules, player: usize, mark: Symbol) -> Vec<(usize, Vec<Cells>)> {
    let mut ends: Vec<_> = rules
        .ends
        .iter()
        .filter(|end| end.when.0.iter().all(|&(_, set)| set.single() == Some(mark)))
        .map(|end| (end.outcome, end.when.0.iter().fold(0, |set: Cells, &(cell, _)| set | 1 << cell)))
        .collect();
    sorting::sort_by_key(&mut ends, |&(outcome, _)| rules.precedence(outcome, player));
    let mut groups: Vec<(usize, Vec<Cells>)> = Vec::new();
    for (outcome, cells) in ends {
        match groups.last_mut() {
            Some((last, sets)) if *last == outcome => sets.push(cells),
            _ => groups.push((outcome, vec![cells])),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Arc;

    use super::*;
    use crate::rules::RulesData;

    #[test]
    fn each_pair_of_disjoint_sets_is_a_state_of_its_own() {
        let moves: Vec<_> = ["X", "O"]
            .iter()
            .flat_map(|mark| (0..3).map(move |cell| (mark, cell)))
            .map(|(mark, cell)| {
                let (name, when) = (cell.to_string(), [(cell, ["."])]);
                serde_json::json!({"name": name, "player": mark, "when": when, "then": [[cell, mark]]})
            })
            .collect();
        let data = serde_json::json!({"symbols": [".", "X", "O"], "start": [".", ".", "O"], "players": ["X", "O"],
            "moves": moves});
        let rules = Rules::new(&serde_json::from_value::<RulesData>(data).unwrap()).unwrap();
        let index = PlacementIndex::of_structure(&Structure::new(Arc::new(rules)).unwrap()).unwrap();
        assert_eq!((index.start, index.marks.clone()), ([0, 4], vec![0, 1]));
        assert_eq!((0..3).map(|depth| index.counts(depth)).collect::<Vec<_>>(), [[0, 1], [1, 1], [1, 2]]);
        let pairs = (0..8u32).flat_map(|first| (0..8u32).map(move |second| (first, second)));
        let states: Vec<_> =
            pairs.filter(|(first, second)| first & second == 0).map(|(a, b)| index.write(a, b)).collect();
        assert_eq!(states.len(), 27);
        assert_eq!(states.iter().collect::<HashSet<_>>().len(), 27);
        assert_eq!(index.write(0b001, 0b100), [1, 0, 2]);
    }
}
