//! How the moves are found that can be made in a state, without trying each of them: as [sets](MoveSets), or by a
//! [tree](GuardTree).
//!
//! The choice follows from the rules alone. Where it depends on the work in a state, a few games are played at random,
//! and the work is counted in the states of these games.

use super::guard_tree::{GuardTree, ListedMoves, Samples, TEST_COST, shared_conditions};
use super::layout::Layout;
use super::move_sets::{FoundMoves, MoveSets, SetGuard};
use super::steps::Steps;
use super::steps_plan::{PlannedMove, StepsPlan, own_moves};
use super::word::{Slot, Word};
use crate::rules::{Move, Rules};

/// With fewer moves of a player, no tree is considered.
pub const FEWEST_MOVES: usize = 48;

/// A tree is used if its work is less than the work of trying moves one by one, divided by this.
const LEAST_GAIN: usize = 3;

/// Sets are used if so many moves for each cell that holds the pivot demand more than the pivot.
const FEWEST_OF_A_CELL: usize = 2;

/// Finds the moves whose guards may hold in a state.
#[derive(Debug)]
pub enum MoveFinder {
    Sets(MoveSets),
    Tree(GuardTree),
}

impl MoveFinder {
    /// Finds the moves whose guards may hold. Those that are left out cannot be made. The order depends only on the
    /// state. `listed` is memory for a list.
    #[inline(always)]
    pub fn find<'a, W: Word>(&self, word: W, listed: &'a mut ListedMoves) -> FoundMoves<'a> {
        let views = word.views();
        match self {
            Self::Sets(sets) => sets.find(views.as_ref(), W::BYTES <= 8, listed),
            Self::Tree(tree) => FoundMoves::List(tree.list(views.as_ref(), listed)),
        }
    }

    /// Calls `found` with the place of each move that [`Self::find`] finds, in any order, until `found` returns
    /// `false`. Returns `true` if `found` never did.
    pub fn each(&self, views: &[u64], found: &mut dyn FnMut(usize) -> bool) -> bool {
        match self {
            Self::Sets(sets) => sets.each(views, found),
            Self::Tree(tree) => tree.each(views, found),
        }
    }
}

/// Returns the sets of planned moves, and changes the plan so that it leaves to the sets what guards demand of cells,
/// and the shared conditions. `None` if the moves are too many, or if it is quicker to try them one by one: those that demand little, or those in
/// the few cells that hold the pivot.
pub fn sets<'a>(layout: &Layout, plan: &mut StepsPlan<'a>) -> Option<MoveSets> {
    let demanding =
        plan.moves.iter().filter(|planned| !planned.without.is_empty() || !planned.rest.0.is_empty()).count();
    let cells = plan.moves.chunk_by(|one, next| one.at == next.at).count();
    if plan.symbol.is_some() && demanding < FEWEST_OF_A_CELL * cells {
        return None;
    }
    let bits: Vec<Slot> = plan.shared.iter().map(|shared| shared.bit).collect();
    if bits.len() > u64::BITS as usize {
        return None;
    }
    let number = |bit: &Slot| bits.iter().position(|shared| shared == bit).expect("it is the bit of a shared test");
    let guard = |planned: &PlannedMove<'a>| SetGuard {
        when: &planned.given.when,
        shared: planned.demanded.iter().fold(0, |tests, bit| tests | 1 << number(bit)),
    };
    let guards: Vec<SetGuard> = plan.moves.iter().map(guard).collect();
    let tests = plan.shared.iter().map(|shared| shared.test.clone()).collect();
    let sets = MoveSets::new(layout, &guards, tests)?;
    if plan.symbol.is_none() && demanding < sets.work() {
        return None;
    }
    plan.leave_out_what_sets_test();
    Some(sets)
}

impl<W: Word> Steps<W> {
    /// The same moves, found by a tree, if that saves much work in states of random games.
    pub fn planted(self, rules: &Rules, layout: &Layout, player: usize, words: &[W]) -> Self {
        if self.list.len() < FEWEST_MOVES || self.finder.is_some() {
            return self;
        }
        let work: usize = words.iter().map(|&word| self.work(word, TEST_COST)).sum();
        let samples = Samples::new(words.iter().map(|word| word.views()));
        match Self::by_tree((rules, layout), player, &samples, work / LEAST_GAIN) {
            Some(mut steps) => {
                steps.always = self.always;
                steps
            }
            None => self,
        }
    }

    /// The moves of a player, found by a tree. `None` if finding those of the samples takes more work than `most`.
    fn by_tree((rules, layout): (&Rules, &Layout), player: usize, samples: &Samples, most: usize) -> Option<Self> {
        let PlannedTree { tree, plan } = PlannedTree::new((rules, layout), player, samples, most)?;
        let finder = Some(Box::new(MoveFinder::Tree(tree)));
        Some(Self::of_plan(rules, layout, plan, finder).with_pass(rules, layout, player))
    }
}

/// The part of the work on a tree that does not depend on the width of words.
struct PlannedTree<'a> {
    tree: GuardTree,
    /// The moves that the tree finds.
    plan: StepsPlan<'a>,
}

impl<'a> PlannedTree<'a> {
    /// Plans the tree; see [`Steps::by_tree`].
    fn new((rules, layout): (&'a Rules, &Layout), player: usize, samples: &Samples, most: usize) -> Option<Self> {
        let mut moves = own_moves(rules, player);
        moves.retain(|(_, given)| !given.when.never());
        let guards: Vec<&Move> = moves.iter().map(|&(_, given)| given).collect();
        let (tree, tested) = GuardTree::new(layout, &guards, samples)?;
        if tree.work(samples) > most {
            return None;
        }
        let mut plan = StepsPlan::with_pivot(rules, player, moves, None);
        plan.leave_out(&tested);
        plan.leave_out_conditions(&shared_conditions(&guards)); // the tree tests them
        Some(Self { tree, plan })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::compile::{Compiled, ListedMoves};
    use crate::random::Random;
    use crate::rules::{Symbol, Varying};
    use crate::structure::Structure;
    use crate::tests::{conditions, many_moves, quick_or_long};

    /// Compares the moves that trees find with those that are found by trying each: in states of random games, and in
    /// states that may be out of reach.
    fn compare<W: Word>(rules: &Arc<Rules>, random: &mut Random) {
        let structure = Arc::new(Structure::new(Arc::clone(rules)).unwrap());
        let Some(mut compiled) = Compiled::<W>::new(&structure, &Arc::new(Varying::whole(rules))) else { return };
        for player in 0..compiled.steps.len() {
            compiled.steps[player] = Steps::new(rules, &compiled.layout, player);
        }
        for (player, mut words) in compiled.play_at_random().into_iter().enumerate() {
            // Trees that were learnt from no state at all must do the same.
            words.truncate([0, 3, 1000][random.below(3) as usize]);
            let samples = Samples::new(words.iter().map(|word| word.views()));
            let (by_tree, plain) = (
                Steps::by_tree((rules, &compiled.layout), player, &samples, usize::MAX).unwrap(),
                &compiled.steps[player],
            );
            words.extend((0..40).map(|_| {
                let symbols = rules.symbols.len() as u64;
                let state: Vec<Symbol> = (0..rules.cells()).map(|_| random.below(symbols) as Symbol).collect();
                compiled.layout.pack::<W>(&state)
            }));
            let mut listed = ListedMoves::new();
            for word in words {
                let found = |steps: &Steps<W>| {
                    let mut found = Vec::new();
                    steps.each_called(word, &mut |place, step| {
                        assert_eq!(steps.list[place].index, step.index);
                        found.push((step.index, step.effect.apply(word), step.ends.clone()));
                        true
                    });
                    found.sort_unstable();
                    found
                };
                let expected = found(plain);
                assert_eq!(found(&by_tree), expected);
                let mut list = Vec::new();
                by_tree.each(word, &mut listed, |place, step| {
                    assert_eq!(by_tree.list[place].index, step.index);
                    list.push((step.index, step.effect.apply(word), step.ends.clone()));
                    true
                });
                list.sort_unstable();
                assert_eq!(list, expected);
                assert_eq!(by_tree.some(word), !expected.is_empty());
                if compiled.ended(word, player).is_none() && rules.turn.is_none() {
                    assert_eq!(plain.some(word), !expected.is_empty());
                }
                // The search ends as soon as it is told to.
                for most in 1..=expected.len() {
                    let mut calls = 0;
                    assert!(!by_tree.each_called(word, &mut |_, _| {
                        calls += 1;
                        calls < most
                    }));
                    assert_eq!(calls, most);
                }
            }
        }
    }

    #[test]
    fn a_tree_finds_the_moves_that_can_be_made() {
        let mut random = Random::new("trees of guards");
        let mut tried = 0;
        for round in 0..quick_or_long(12, 300) {
            let cells = *random.choose(&[4, 9, 20, 40]);
            let mut data = many_moves::drawn(&mut random, cells, 1 + round as usize % 2);
            if round % 3 == 0 {
                conditions::add(&mut random, &mut data);
            }
            let Ok(rules) = Rules::new(&data) else { continue };
            let rules = Arc::new(rules);
            tried += 1;
            compare::<u32>(&rules, &mut random);
            compare::<u64>(&rules, &mut random);
            compare::<u128>(&rules, &mut random);
            compare::<[u64; 4]>(&rules, &mut random);
        }
        assert!(tried > 5, "{tried}");
    }
}
