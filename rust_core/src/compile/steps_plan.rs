//! The plan of a player's moves: what is found out before they are compiled for words of some width.
//!
//! It is the order of the moves, the parts into which their guards fall, the ends that they may complete, and the
//! counts that many of them share.

use super::completable_ends::completable;
use super::end_runs::{PlannedRun, planned_runs};
use super::guard_tree::{FEWEST_SHARING, frequent};
use super::layout::Layout;
use super::members::MembersTest;
use super::word::Slot;
use crate::rules::{Condition, Move, Pattern, Rules, Symbol};
use crate::sorting;

/// A list of moves tests a count once for a state if at least one in this many moves demands it.
const ONE_IN: usize = 8;

/// The part of the work on a player's moves that does not depend on the width of words.
pub struct StepsPlan<'a> {
    pub always: bool,
    /// The pivot, if the player's moves have one.
    pub symbol: Option<Symbol>,
    /// The conditions that are tested once for a state.
    pub shared: Vec<SharedTest>,
    /// The moves. Those that need the pivot in the same cell are neighbours.
    pub moves: Vec<PlannedMove<'a>>,
}

/// A move that is ready to be compiled for words of some width.
pub struct PlannedMove<'a> {
    pub index: usize,
    pub given: &'a Move,
    /// The cell in which the move needs the pivot; `None` if the moves have no pivot.
    pub at: Option<usize>,
    /// The cells that the guard forbids to hold the pivot.
    pub without: Vec<usize>,
    /// The rest of the guard's pattern, without the pivot and [`Self::without`].
    pub rest: Pattern,
    /// The conditions that are tested for this move alone.
    pub conditions: Vec<Condition>,
    /// The bits of the shared conditions that the guard demands; see [`SharedTest`].
    pub demanded: Vec<Slot>,
    pub ends: Vec<usize>,
    /// Runs of the ends; see [`PlannedRun`].
    pub runs: Vec<PlannedRun>,
}

impl PlannedMove<'_> {
    /// Returns `true` if the move has a pivot, and can be made in every state that has the pivot in the move's cell.
    pub fn needs_only_pivot(&self) -> bool {
        self.at.is_some()
            && self.without.is_empty()
            && self.rest.0.is_empty()
            && self.conditions.is_empty()
            && self.demanded.is_empty()
            && self.given.compares.is_empty()
    }
}

/// A count that many moves demand, such as "all stones are on the board". It is tested once for a state.
#[derive(Debug)]
pub struct SharedTest {
    pub test: MembersTest,
    /// The place of a bit that is not the top bit of any cell. In a state that does not satisfy the condition, this
    /// bit joins the top bits of the cells that hold the pivot. So one comparison with the cells that a guard forbids
    /// to hold it tests both.
    pub bit: Slot,
}

impl<'a> StepsPlan<'a> {
    /// Plans the moves, with a pivot if they have one.
    pub fn new(rules: &Rules, player: usize, mut moves: Vec<(usize, &'a Move)>) -> Self {
        // Moves that can never be made are left out. Trying them would take time. And if such a move needed no pivot,
        // the other moves, which share a pivot, would lose it.
        moves.retain(|(_, given)| !given.when.never());
        let symbol = pivot_symbol(rules, &moves);
        Self::with_pivot(rules, player, moves, symbol)
    }

    /// Plans the moves with a given pivot, or without one.
    pub fn with_pivot(rules: &Rules, player: usize, mut moves: Vec<(usize, &'a Move)>, symbol: Option<Symbol>) -> Self {
        let always = rules.backward || moves.iter().any(|(_, given)| given.is_free());
        sort_by_pivot(&mut moves, symbol);
        // All symbols but the pivot.
        let others = symbol.map(|symbol| (0..rules.symbols.len() as Symbol).filter(|&other| other != symbol).collect());
        let planned = moves.into_iter().map(|(index, given)| {
            let at = symbol.and_then(|symbol| pivot_cell(given, symbol));
            let conditions = given.when.0.iter().copied().filter(|&(cell, _)| Some(cell) != at);
            let (without, rest): (Vec<_>, Vec<_>) = conditions.partition(|&(_, set)| Some(set) == others);
            let without = without.into_iter().map(|(cell, _)| cell).collect();
            PlannedMove {
                index,
                given,
                at,
                without,
                rest: Pattern(rest),
                conditions: given.conditions.clone(),
                demanded: Vec::new(),
                ends: completable(rules, given, player),
                runs: Vec::new(),
            }
        });
        let moves = planned.collect();
        Self { always, symbol, shared: Vec::new(), moves }
    }
}

impl StepsPlan<'_> {
    /// Finds ends that are passed over at once where they stand in a row.
    pub fn find_runs(&mut self, rules: &Rules, layout: &Layout) {
        for planned in &mut self.moves {
            planned.runs = planned_runs(rules, layout, planned.given, &planned.ends);
        }
    }

    /// Finds conditions that are better tested once for a state than for each move, as far as the words have bits for
    /// them. A word has `limbs` limbs of `limb_bits` bits.
    pub fn share(&mut self, layout: &Layout, limbs: usize, limb_bits: u32) {
        let is_top = |bit: &Slot| {
            layout.slots.iter().any(|slot| (slot.limb, slot.shift + layout.bits - 1) == (bit.limb, bit.shift))
        };
        let bits = (0..limbs).flat_map(|limb| (0..limb_bits).map(move |shift| Slot { limb, shift }));
        let mut unused = bits.filter(|bit| !is_top(bit));
        for form in [as_it_is, widened] {
            let conditions = self.often_shared(form);
            let shared: Vec<(Condition, Slot)> = conditions.into_iter().zip(&mut unused).collect();
            for planned in &mut self.moves {
                let (given, demanded) = (planned.given, &mut planned.demanded);
                planned.conditions.retain(|own| {
                    let own = form(own, given);
                    let known = own.and_then(|own| shared.iter().find(|(condition, _)| *condition == own));
                    demanded.extend(known.map(|(_, bit)| *bit));
                    known.is_none()
                });
            }
            let tests = shared.into_iter().filter_map(|(condition, bit)| {
                MembersTest::new(layout, &condition).map(|test| SharedTest { test, bit })
            });
            self.shared.extend(tests);
        }
    }

    /// The counts that many of the moves share, in a form that may depend on the move.
    fn often_shared(&self, form: fn(&Condition, &Move) -> Option<Condition>) -> Vec<Condition> {
        let conditions =
            self.moves.iter().flat_map(|planned| planned.conditions.iter().map(|own| (own, planned.given)));
        let fewest = self.moves.len().div_ceil(ONE_IN).max(FEWEST_SHARING);
        frequent(conditions.filter_map(|(own, given)| form(own, given)).collect(), fewest)
    }

    /// Leaves out of the guards conditions that are not tested for each move.
    pub fn leave_out_conditions(&mut self, tested: &[&Condition]) {
        for planned in &mut self.moves {
            planned.conditions.retain(|condition| !tested.contains(&condition));
        }
    }

    /// Leaves out what the guards demand of cells, the pivot included, and the shared conditions.
    pub fn leave_out_cells(&mut self) {
        (self.symbol, self.shared) = (None, Vec::new());
        for planned in &mut self.moves {
            planned.at = None;
            planned.demanded = Vec::new();
            planned.without = Vec::new();
            planned.rest = Pattern(Vec::new());
        }
    }

    /// For each move of which `tested` is `true`, leaves out what its guard demands of cells.
    pub fn leave_out(&mut self, tested: &[bool]) {
        for (planned, _) in self.moves.iter_mut().zip(tested).filter(|(_, tested)| **tested) {
            planned.rest = Pattern(Vec::new());
        }
    }
}

/// The pivot: a symbol that every move needs in some cell; `None` if there is none. If there are several, it is the one
/// that the fewest cells hold at the start.
fn pivot_symbol(rules: &Rules, moves: &[(usize, &Move)]) -> Option<Symbol> {
    (0..rules.symbols.len())
        .map(|symbol| symbol as Symbol)
        .filter(|&symbol| !moves.is_empty() && moves.iter().all(|(_, given)| pivot_cell(given, symbol).is_some()))
        .min_by_key(|&symbol| rules.start.iter().map(|&held| usize::from(held == symbol)).sum::<usize>())
}

/// Sorts moves so that those that need the pivot in the same cell are neighbours.
fn sort_by_pivot(moves: &mut [(usize, &Move)], symbol: Option<Symbol>) {
    sorting::sort_by_key(moves, |(_, given)| symbol.and_then(|symbol| pivot_cell(given, symbol)));
}

fn pivot_cell(given: &Move, symbol: Symbol) -> Option<usize> {
    given.when.0.iter().find(|&&(_, set)| set.single() == Some(symbol)).map(|&(cell, _)| cell)
}

/// A condition of a move, if it is a count. Paths of cells take longer to test, and so are left to the few moves whose
/// pattern holds.
fn as_it_is(condition: &Condition, _given: &Move) -> Option<Condition> {
    matches!(condition, Condition::Count(_)).then(|| condition.clone())
}

/// A count in the guard of a move, together with the cells that the guard's pattern decides. Guards leave these out,
/// but with them, other moves may have the same count: "three other cells hold `X`" beside "this cell holds `X`" is
/// "four cells hold `X`". `None` if the condition is no count.
fn widened(condition: &Condition, given: &Move) -> Option<Condition> {
    let Condition::Count(count) = condition else { return None };
    let mut wide = count.clone();
    // A bound that is always kept is the same for all moves.
    wide.most = if count.most >= count.cells.len() { usize::MAX } else { count.most };
    for &(cell, allowed) in given.when.0.iter().filter(|(cell, _)| !count.cells.contains(cell)) {
        let counts = allowed.within(count.symbols);
        if counts || allowed.and(count.symbols).is_empty() {
            wide.cells.push(cell);
            wide.least += usize::from(counts && count.least > 0);
            wide.most = wide.most.saturating_add(usize::from(counts));
        }
    }
    wide.cells.sort_unstable();
    wide.most = wide.most.min(wide.cells.len());
    Some(Condition::Count(wide))
}

/// The moves of a player with their numbers, without the pass.
pub fn own_moves(rules: &Rules, player: usize) -> Vec<(usize, &Move)> {
    let own = |given: &Move| given.player.is_none_or(|owner| owner == player) && !given.forced;
    rules.moves.iter().enumerate().filter(|(_, given)| own(given)).collect()
}
