//! What finds the moves that can be made in a state, without trying each of them: [sets](MoveSets),
//! [walks](MoveWalks), or a [tree](GuardTree).

use super::guard_tree::{GuardTree, ListedMoves, Samples, shared_conditions};
use super::layout::Layout;
use super::move_sets::{FoundMoves, MoveSets, SetGuard};
use super::move_walks::MoveWalks;
use super::steps_plan::{PlannedMove, StepsPlan, own_moves};
use super::word::{Slot, Word};
use crate::rules::{Move, Rules};

/// Finds the moves whose guards may hold in a state.
#[derive(Debug)]
pub enum MoveFinder {
    Sets(MoveSets),
    Walks(MoveWalks),
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
            Self::Walks(walks) => FoundMoves::List(walks.list(views.as_ref(), listed)),
            Self::Tree(tree) => FoundMoves::List(tree.list(views.as_ref(), listed)),
        }
    }

    /// Calls `found` with the place of each move that [`Self::find`] finds, in any order, until `found` returns
    /// `false`. Returns `true` if `found` never did.
    pub fn each(&self, views: &[u64], found: &mut dyn FnMut(usize) -> bool) -> bool {
        match self {
            Self::Sets(sets) => sets.each(views, found),
            Self::Walks(walks) => walks.each(views, found),
            Self::Tree(tree) => tree.each(views, found),
        }
    }
}

/// A finder with the moves that it finds. It does not depend on the width of words.
pub struct PlannedFinder<'a> {
    pub finder: MoveFinder,
    /// The moves, without what the finder tests of their guards.
    pub plan: StepsPlan<'a>,
}

impl<'a> PlannedFinder<'a> {
    /// Plans sets for the moves of a player in words of `limbs` limbs of `limb_bits` bits. `None` if there are too many
    /// moves, or if to find those of a state takes as long as to combine more than `most` rows.
    #[inline(never)]
    pub fn sets(
        rules: &'a Rules,
        layout: &Layout,
        player: usize,
        limbs: usize,
        limb_bits: u32,
        most: usize,
    ) -> Option<Self> {
        let mut plan = StepsPlan::new(rules, player, own_moves(rules, player));
        plan.share(layout, limbs, limb_bits);
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
        let sets = MoveSets::new(layout, &guards, tests).filter(|sets| sets.work() <= most)?;
        plan.leave_out_cells();
        Some(Self { finder: MoveFinder::Sets(sets), plan })
    }

    /// The work of finding the moves of a state, if sets find them.
    pub fn work_of_sets(&self) -> Option<usize> {
        if let MoveFinder::Sets(sets) = &self.finder { Some(sets.work()) } else { None }
    }

    /// Plans walks for the moves of a player. `None` if there are no walks, or if to find the moves of a state takes as
    /// long as to combine more than `most` rows.
    #[inline(never)]
    pub fn walks(rules: &'a Rules, layout: &Layout, player: usize, most: usize) -> Option<Self> {
        let mut moves = own_moves(rules, player);
        moves.retain(|(_, given)| !given.when.never());
        let guards: Vec<&Move> = moves.iter().map(|&(_, given)| given).collect();
        let walks = MoveWalks::new(layout, &guards).filter(|walks| walks.work() <= most)?;
        let mut plan = StepsPlan::with_pivot(rules, player, moves, None);
        plan.leave_out_cells();
        Some(Self { finder: MoveFinder::Walks(walks), plan })
    }

    /// Plans a tree for the moves of a player. `None` if finding those of the samples takes more work than `most`.
    #[inline(never)]
    pub fn tree(rules: &'a Rules, layout: &Layout, player: usize, samples: &Samples, most: usize) -> Option<Self> {
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
        Some(Self { finder: MoveFinder::Tree(tree), plan })
    }
}
