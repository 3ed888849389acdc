//! The perfect index of rules whose states are arrangements in which symbols repeat, and whose moves rearrange them.
//!
//! The theory is in `docs/enumeration.md`, "The dense store".

use super::cut::{Cut, is_order};
use super::fixed::each_fixed;
use super::multinomial::{MOST_PLACES, Multiset};
use super::order::cheap_order;
use super::perfect::Index;
use crate::ordered::{OrderedMap, OrderedSet};
use crate::rules::{Symbol, Symmetry};
use crate::sorting::Gather;
use crate::structure::{Permutation, Structure};

/// The most arrangements. No machine could hold more bits.
const MOST_ARRANGEMENTS: u64 = 1 << 38;

/// The effect of a move on the labels of an arrangement.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LabelMove {
    /// The first place of the window, which holds all places that the move reads or writes.
    pub first: usize,
    /// The last place of the window.
    pub last: usize,
    /// For each place of the window, the place from which its new label comes.
    pub source: Vec<usize>,
    /// The place and the label that it must hold, if the move needs a label.
    pub needs: Option<(usize, u8)>,
}

impl LabelMove {
    fn new(permutation: &Permutation, place: &[usize], labels: &[Option<u8>]) -> Option<Self> {
        let needs = match permutation.needs {
            // If no cell ever holds the needed symbol, the move can never be made.
            Some((cell, symbol)) => Some((place[cell], labels[symbol as usize]?)),
            None => None,
        };
        let mut source = vec![0; place.len()];
        for (from, &to) in permutation.image.iter().enumerate() {
            source[place[to]] = place[from];
        }
        let touched = |at: &usize| source[*at] != *at || needs.is_some_and(|(needed, _)| needed == *at);
        let (first, last) = ((0..source.len()).find(touched)?, (0..source.len()).rfind(touched)?);
        Some(Self { first, last, source: source[first..=last].to_vec(), needs })
    }

    /// Undoes the move in its window: writes into `before` the labels that the move turns into the labels `after`.
    /// Returns `true` if the move can be made there.
    pub fn before(&self, after: &[u8], before: &mut [u8]) -> bool {
        for (&label, &from) in after.iter().zip(&self.source) {
            before[from - self.first] = label;
        }
        self.can(before)
    }

    /// Makes the move in its window: writes into `after` what it makes of the labels `before`. Returns `true` if the
    /// move can be made there.
    pub fn after(&self, before: &[u8], after: &mut [u8]) -> bool {
        for (label, from) in after.iter_mut().zip(&self.source) {
            *label = before[from - self.first];
        }
        self.can(before)
    }

    /// Returns `true` if the move can be made when its window has these labels.
    fn can(&self, before: &[u8]) -> bool {
        self.needs.is_none_or(|(at, label)| before[at - self.first] == label)
    }
}

/// The index of rules whose states are arrangements of a multiset: symbols repeat, and moves rearrange them.
#[derive(Debug, Clone)]
pub struct MultisetIndex {
    /// The arrangements as numbers. Their head (the first places, which choose the block) is empty until the dense
    /// store chooses one.
    pub multiset: Multiset,
    /// The effects of the moves, each once.
    pub changes: Vec<LabelMove>,
    /// Each place and label that moves need, with the number of moves that need it.
    pub guards: Vec<((usize, u8), u64)>,
    /// The number of moves that can always be made.
    pub free: u64,
    /// The cell of each place.
    pub order: Vec<usize>,
    /// For each symbol, its label; `None` if no cell holds it.
    labels: Vec<Option<u8>>,
    /// For each label, its symbol.
    symbols: Vec<Symbol>,
}

impl MultisetIndex {
    /// The index of the rules, if they have this shape. They must have one player and no ends, and some symbol must be
    /// in more than one cell. Every move must be a permutation of cells that needs nothing, or one symbol in one cell.
    /// Every state must have a move. Cells are read in an order in which the cells of each move lie close together.
    pub fn of_structure(structure: &Structure) -> Option<Self> {
        Self::new(structure, None)
    }

    /// The index with the given order of cells. `None` if the rules have no such index, or the order does not name each
    /// cell once.
    pub fn of_order(structure: &Structure, order: &[usize]) -> Option<Self> {
        is_order(order, structure.rules().cells()).then(|| Self::new(structure, Some(order)))?
    }

    fn new(structure: &Structure, order: Option<&[usize]>) -> Option<Self> {
        let rules = structure.rules();
        let cells = rules.cells();
        let held: OrderedSet<Symbol> = rules.start.iter().copied().gather();
        if cells > MOST_PLACES || held.len() == cells || rules.player_count() > 1 || !rules.ends.is_empty() {
            return None;
        }
        let moves = structure.permutations()?;
        let needs = |cell: usize, symbol: Symbol| {
            moves.iter().any(|given| given.needs == Some((cell, symbol)) && given.unlike.is_none())
        };
        // A state without a move would end play. Every state has a move if some move needs nothing, or if some symbol
        // allows a move in whichever cell it is.
        let always = moves.iter().any(|given| given.needs.is_none())
            || held.iter().any(|&symbol| (0..cells).all(|cell| needs(cell, symbol)))
            || held.len() > 1 && held.iter().any(|&symbol| leads_everywhere(&moves, cells, symbol));
        if moves.is_empty() || !always && !rules.backward {
            return None;
        }
        let symbols: Vec<Symbol> = held.into_iter().collect();
        let mut labels = vec![None; rules.symbols.len()];
        for (label, &symbol) in symbols.iter().enumerate() {
            labels[symbol as usize] = Some(label as u8);
        }
        let mut counts = vec![0; symbols.len()];
        rules.start.iter().filter_map(|&symbol| labels[symbol as usize]).for_each(|label| counts[label as usize] += 1);
        let multiset = Multiset::new(counts)?;
        if multiset.arrangements(multiset.whole()) > MOST_ARRANGEMENTS {
            return None;
        }
        let order = order.map_or_else(|| order_of(&moves, cells), <[usize]>::to_vec);
        let mut place = vec![0; cells];
        order.iter().enumerate().for_each(|(at, &cell)| place[cell] = at);
        let changes: OrderedSet<LabelMove> =
            moves.iter().filter_map(|given| LabelMove::new(given, &place, &labels)).gather();
        let changes_some = |change: &LabelMove| (change.first..).zip(&change.source).any(|(at, &from)| at != from);
        let changes = changes.into_iter().filter(changes_some).collect();
        let mut guards: Vec<((usize, u8), u64)> = Vec::new();
        for (cell, symbol) in moves.iter().filter_map(|given| given.needs) {
            let Some(label) = labels[symbol as usize] else { continue };
            let guard = (place[cell], label);
            match guards.iter_mut().find(|(known, _)| *known == guard) {
                Some((_, times)) => *times += 1,
                None => guards.push((guard, 1)),
            }
        }
        let free = moves.iter().filter(|given| given.needs.is_none()).count() as u64;
        Some(Self { multiset, changes, guards, free, order, labels, symbols })
    }

    /// The labels of a state, in order of the places.
    pub fn read(&self, state: &[Symbol]) -> Vec<u8> {
        let label = |&cell: &usize| self.labels[state[cell] as usize];
        self.order.iter().map(|cell| label(cell).expect("moves make no new symbols")).collect()
    }

    /// The state that has the given labels: the inverse of [`Self::read`].
    pub fn write(&self, labels: &[u8]) -> Vec<Symbol> {
        let mut state = vec![0; labels.len()];
        for (&cell, &label) in self.order.iter().zip(labels) {
            state[cell] = self.symbols[label as usize];
        }
        state
    }

    /// Calls `found` with the labels of each state that a symmetry fixes, until `found` returns `false`. Returns `true`
    /// if `found` never did.
    pub fn each_fixed(&self, symmetry: &Symmetry, mut found: impl FnMut(&[u8]) -> bool) -> bool {
        let whole = |label: u8| self.multiset.count_of(label);
        let counts: Vec<usize> = self.labels.iter().map(|label| label.map_or(0, whole)).collect();
        each_fixed(symmetry, &counts, |state| found(&self.read(state)))
    }
}

impl Index for MultisetIndex {
    fn len(&self) -> u64 {
        self.multiset.arrangements(self.multiset.whole())
    }

    fn rank(&self, state: &[Symbol]) -> Option<u64> {
        if state.len() != self.order.len() {
            return None;
        }
        let label = |&cell: &usize| *self.labels.get(state[cell] as usize)?;
        let labels = self.order.iter().map(label).collect::<Option<Vec<u8>>>()?;
        self.multiset.rank_whole(&labels)
    }

    fn unrank(&self, number: u64) -> Vec<Symbol> {
        self.write(&self.multiset.unrank_whole(number))
    }

    fn cut(&self) -> Cut {
        Cut::Multiset { order: self.order.clone(), head: self.multiset.head }
    }
}

/// Some moves exchange `symbol` in one cell with any other symbol in another cell. Returns `true` if steps from the one
/// cell to the other lead from each cell to every other. Then every state has a move: some step leads from a cell that
/// holds `symbol` to one that does not.
fn leads_everywhere(moves: &[Permutation], cells: usize, symbol: Symbol) -> bool {
    let steps: Vec<(usize, usize)> = moves
        .iter()
        .filter_map(|given| Some((given.needs.filter(|&(_, needed)| needed == symbol)?.0, given.unlike?)))
        .collect();
    let all_from = |backward: bool| {
        let mut pending = vec![0];
        let mut found: OrderedSet<_> = pending.iter().copied().gather();
        while let Some(at) = pending.pop() {
            for &(from, to) in &steps {
                let (from, to) = if backward { (to, from) } else { (from, to) };
                if from == at && found.insert(to) {
                    pending.push(to);
                }
            }
        }
        found.len() == cells
    };
    all_from(false) && all_from(true)
}

/// Chooses an order of cells in which the cells of each move lie close together. A move *touches* a cell if it reads or
/// changes it.
fn order_of(moves: &[Permutation], cells: usize) -> Vec<usize> {
    // For each set of cells that some move touches: the number of moves that touch exactly these cells.
    let mut touched: OrderedMap<Vec<usize>, u64> = OrderedMap::new();
    for Permutation { image, needs, .. } in moves {
        let is_touched = |cell: &usize| image[*cell] != *cell || needs.is_some_and(|(needed, _)| needed == *cell);
        *touched.value_or((0..cells).filter(is_touched).collect(), || 0) += 1;
    }
    touched.retain(|touched, _| !touched.is_empty());
    cheap_order(cells, &|order| {
        let mut place = [0; MOST_PLACES];
        order.iter().enumerate().for_each(|(at, &cell)| place[cell] = at);
        let width = |touched: &[usize]| {
            let ends = touched
                .iter()
                .fold((MOST_PLACES, 0), |(first, last), &cell| (first.min(place[cell]), last.max(place[cell])));
            (ends.1 + 1 - ends.0) as u64
        };
        touched.iter().map(|(touched, times)| width(touched).pow(2) * times).sum()
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::samples::row;
    use super::*;

    #[test]
    fn each_state_has_labels_of_its_own_and_changes_take_themselves_back() {
        for needed in [None, Some('b')] {
            let index = MultisetIndex::of_structure(&row("aabbc", needed)).unwrap();
            let whole = index.multiset.whole();
            let mut seen = HashSet::new();
            for number in 0..index.multiset.arrangements(whole) {
                let labels = index.multiset.tail(whole, number);
                let state = index.write(&labels);
                assert_eq!(index.read(&state), labels);
                assert!(seen.insert(state));
                for change in &index.changes {
                    let places = change.first..=change.last;
                    let (mut after, mut before) = (labels[places.clone()].to_vec(), labels[places.clone()].to_vec());
                    if change.after(&labels[places.clone()], &mut after) {
                        assert!(change.before(&after, &mut before));
                        assert_eq!(before, labels[places]);
                    }
                }
            }
            assert_eq!(seen.len(), 30);
        }
    }
}
