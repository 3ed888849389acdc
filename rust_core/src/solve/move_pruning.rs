//! Prunes a depth-first search: it leaves out sequences of moves that do the same as other sequences.
//!
//! Two moves are *independent* if they can be exchanged wherever one follows the other. Then both orders lead to the
//! same state, and only the order that the rules have is searched. Likewise, of all longer sequences that differ only
//! by exchanges of independent neighbours, only the first in the order of the rules is searched. (P. Godefroid calls
//! the moves that are left out after others *sleep sets*.)
//!
//! Take moves `a`, `b` and `c`, in this order, where `b` is independent of both others. `c a b` is left out, because
//! `b c a` does the same. Rules about neighbouring pairs would not leave it out: `a` may follow `c`, and `b` may follow
//! `a`. So the search remembers after `c` that `b` need not follow. It still remembers that after `a`, because `b` is
//! independent of `a`.
//!
//! A move is also left out directly after another one if fewer moves do the same as both. A move that was left out for
//! either reason stays left out as long as all further moves are independent of it, because it could have been made
//! before them.
//!
//! Of the shortest solutions, the first in the order of the rules is never lost. If one of its moves were left out,
//! that move could be made earlier, and the result would be a shorter solution, or one that comes before it in that
//! order.

use crate::sorting;
use crate::structure::permuting::{is_identity, then};

/// A set of moves, with a bit for each.
pub type MoveSet = u64;

/// The most moves for which a [`MoveSet`] has bits.
const MOST: usize = MoveSet::BITS as usize;

/// For each move, the moves that need not be tried after it.
#[derive(Debug)]
pub struct MovePruning {
    own: Vec<MoveSet>,
    /// For each move, two sets: the moves that need not follow it, whatever came before it; and the moves that are
    /// independent of it.
    after: Vec<(MoveSet, MoveSet)>,
    /// For each move and each move after it: `true` if the second move need not directly follow the first. The list is
    /// empty if every move has a bit in a [`MoveSet`], since `after` then says the same.
    directly: Vec<Vec<bool>>,
}

impl MovePruning {
    /// The pruning for `moves` moves. `shortens` returns `true` if fewer moves do the same as one move directly after
    /// another one, and `independent` if two moves can always be exchanged.
    ///
    /// If there are more than 64 moves, only the first 64 that are independent of some other move have bits. Only these
    /// are left out of sequences of more than two moves.
    pub fn new(
        moves: usize,
        shortens: impl Fn(usize, usize) -> bool,
        independent: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let of_many =
            |&given: &usize| moves <= MOST || (0..moves).any(|other| other != given && independent(given, other));
        let mut own = vec![0; moves];
        (0..moves).filter(of_many).take(MOST).enumerate().for_each(|(bit, given)| own[given] = 1 << bit);
        let refuses = |given: usize, next: usize| shortens(given, next) || next < given && independent(given, next);
        let set = |of: &dyn Fn(usize) -> bool| -> MoveSet {
            own.iter().enumerate().filter(|&(given, _)| of(given)).fold(0, |set, (_, bit)| set | bit)
        };
        let after = |given: usize| (set(&|next| refuses(given, next)), set(&|next| independent(given, next)));
        let row = |given: usize| (0..moves).map(|next| refuses(given, next)).collect();
        let directly = if moves <= MOST { Vec::new() } else { (0..moves).map(row).collect() };
        Self { after: (0..moves).map(after).collect(), own, directly }
    }

    /// The pruning of moves that carry symbols to other cells. The image of a move has, for each cell, the cell to
    /// which it carries. `needed` has the cells on whose symbols its guard depends; if the list is empty, no move has a
    /// guard.
    ///
    /// Two moves are independent if both orders carry alike, and neither displaces a cell that the other one needs. A
    /// move is left out directly after one that it undoes. If neither of two moves has a guard, the second is also left
    /// out if a single move without a guard does the same as both, and costs less.
    pub fn of_images(images: &[Vec<u8>], costs: &[usize], needed: &[Vec<u8>]) -> Self {
        let needed = |given: usize| needed.get(given).map_or(&[][..], Vec::as_slice);
        let free = |given: usize| needed(given).is_empty();
        let mut singles: Vec<(&[u8], usize)> = Vec::new();
        for given in (0..images.len()).filter(|&given| free(given)) {
            singles.push((&images[given], costs[given]));
        }
        sorting::sort(&mut singles);
        let product = |a: usize, b: usize| then(&images[a], &images[b]);
        let shortens = |a: usize, b: usize| {
            let product = product(a, b);
            let single = || singles.get(singles.partition_point(|&(image, _)| image < &product[..]));
            let is_single = || single().is_some_and(|&(image, cost)| image == product && cost < costs[a] + costs[b]);
            is_identity(&product) || free(a) && free(b) && is_single()
        };
        let leaves = |a: usize, b: usize| needed(b).iter().all(|&cell| images[a][usize::from(cell)] == cell);
        let independent = |a: usize, b: usize| leaves(a, b) && leaves(b, a) && product(a, b) == product(b, a);
        Self::new(images.len(), shortens, independent)
    }

    /// The set of moves that need not be tried after `given`. `before` is the set of moves that need not be tried in
    /// the state in which `given` is made. Those of them that are independent of `given` are left out after it, too.
    #[inline(always)]
    pub fn after(&self, before: MoveSet, given: usize) -> MoveSet {
        let (refused, independent) = self.after[given];
        refused | before & independent
    }

    /// Returns `true` if the move `next` is not tried: it is one of the `refused` moves, or it must not follow the move
    /// `last`.
    #[inline(always)]
    pub fn leaves_out(&self, refused: MoveSet, last: Option<u32>, next: usize) -> bool {
        refused & self.own[next] != 0
            || !self.directly.is_empty() && last.is_some_and(|last| self.directly[last as usize][next])
    }
}
