//! Prunes sequences of moves from a depth-first search, because other sequences do the same.
//!
//! Two moves are *independent* if they can be exchanged wherever one follows the other. Then both orders lead to the
//! same state, and only the order of the rules is searched. The same holds for longer sequences: of all that differ
//! only in the order of independent neighbours, only the first in the order of the rules is searched. (P. Godefroid
//! calls the moves that are left out after others *sleep sets*.)
//!
//! Take moves `a`, `b` and `c` in this order, of which `b` is independent of both others. `c a b` is left out, because
//! `b c a` does the same. Each two neighbours of `c a b` are in order or not independent, so pairs are not enough to
//! see that: `b` need not follow `c`, and it need not follow `a` either, which it is independent of.
//!
//! A move is also left out directly after another one if fewer moves do the same as both. Both kinds of moves stay left
//! out as long as all further moves are independent of them, because they could have been made before these.
//!
//! No shortest solution is lost that is the first in the order of the rules: if it had a move that is left out, that
//! move could be made earlier, and then the solution would be shorter, or come earlier in that order.

/// Moves, a bit for each.
pub type MoveSet = u64;

/// The most moves that have a bit.
const MOST: usize = MoveSet::BITS as usize;

/// For each move, the moves that need not follow it.
#[derive(Debug)]
pub struct MovePruning {
    own: Vec<MoveSet>,
    /// For each move: the moves that need not follow it, whatever came before; and those that it is independent of.
    after: Vec<(MoveSet, MoveSet)>,
    /// For each move, a mark for each other one that need not follow it directly. Empty if all moves have bits.
    directly: Vec<Vec<bool>>,
}

impl MovePruning {
    /// The pruning for `moves` moves. `shortens` returns `true` if fewer moves do the same as one move directly after
    /// another one, and `independent` if two moves can always be exchanged.
    ///
    /// If there are more than 64 moves, those that are independent of others have bits, the first 64 of them. Only they
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

    /// The moves that need not follow a move, after moves that `before` need not follow.
    #[inline(always)]
    pub fn after(&self, before: MoveSet, given: usize) -> MoveSet {
        let (refused, independent) = self.after[given];
        refused | before & independent
    }

    /// Returns `true` if `next` is left out: it is among the `refused` moves, or it need not follow the last move.
    #[inline(always)]
    pub fn leaves_out(&self, refused: MoveSet, last: Option<u32>, next: usize) -> bool {
        refused & self.own[next] != 0
            || !self.directly.is_empty() && last.is_some_and(|last| self.directly[last as usize][next])
    }
}
