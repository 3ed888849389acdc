//! Iterative deepening for puzzles whose states are permutations of stickers. `bounds.rs` explains the lower bounds.

use std::cmp::Reverse;
use std::sync::{Mutex, PoisonError};

use super::bounds::{CosetBounds, CosetNode, InverseCodes, LookupSet, Numbers};
use super::coset_table::{HeadAndTail, TableValues};
use super::images::Positions;
use super::sticker_group::Sticker;
use super::verdicts::{Saying, Sayings};
use crate::run::Watch;
use crate::solve::answer::Proof;
use crate::solve::ida_star::{BoundedSearch, Deepened, Effort, SUBTREES, Split, Visited, deepen};
use crate::solve::move_pruning::MoveSet;
use crate::solve::subtrees::Meter;
use crate::sorting;

/// The most successors that are found at once. While the memory brings the values of some of them, the processor works
/// on the others.
const AT_ONCE: usize = 512;

/// A subtree of the search: the state where it begins, and the moves that led there.
struct CosetSubtree {
    node: CosetNode,
    moves: Vec<usize>,
    /// The place of this subtree among all subtrees, in the order of the rules.
    number: usize,
    /// The number of states of this subtree that were searched for the last bound.
    states: u64,
    /// The number of states that were searched for all earlier bounds, in all subtrees.
    before: u64,
}

/// A successor of a state, while its bounds are looked up. Most successors are soon cut off, so they are copied often.
#[derive(Debug, Clone, Copy)]
struct PendingSuccessor {
    /// The numbers of the head state and of the tail state, as in [`HeadAndTail`]. As soon as the row is read: the
    /// place of the value.
    looked_up: u64,
    /// From the lowest bit on: the place of the state before the move among the states that are expanded (16 bits), the
    /// move (8 bits), the look-ups in which the successor is odd (8 bits), and the look-ups that give the number of
    /// moves that are left, or more, for both parities (8 bits).
    about: u64,
}

impl PendingSuccessor {
    const GIVEN: u32 = 16;
    const ODD: u32 = 24;
    const EXACT: u32 = 32;

    fn new(before: usize, given: u8, odd: LookupSet) -> Self {
        Self { looked_up: 0, about: before as u64 | u64::from(given) << Self::GIVEN | u64::from(odd) << Self::ODD }
    }

    #[inline(always)]
    fn before(self) -> usize {
        (self.about as u16).into()
    }

    #[inline(always)]
    fn given(self) -> u8 {
        (self.about >> Self::GIVEN) as u8
    }

    #[inline(always)]
    fn odd(self) -> LookupSet {
        (self.about >> Self::ODD) as LookupSet
    }

    #[inline(always)]
    fn exact(self) -> LookupSet {
        (self.about >> Self::EXACT) as LookupSet
    }

    /// Notes the head state and the tail state to be looked up, and asks the processor to fetch the number of their
    /// row.
    #[inline(always)]
    fn look_up(&mut self, values: &TableValues, state: HeadAndTail) {
        self.looked_up = state.0;
        values.prefetch_row(state);
    }

    /// Finds the place of the value in the table, and asks the processor to fetch the value.
    #[inline(always)]
    fn find(&mut self, values: &TableValues) {
        let place = values.place(HeadAndTail(self.looked_up));
        self.looked_up = place as u64;
        values.prefetch(place);
    }

    /// The code of the entry at the place that was found.
    #[inline(always)]
    fn code(self, values: &TableValues) -> u8 {
        values.code(self.looked_up as usize)
    }
}

/// A successor that may be near enough to the goal, while its inverse state is looked up. The fields are those of
/// [`CosetNode`].
#[derive(Debug, Clone, Copy)]
struct LikelySuccessor {
    positions: Positions,
    refused: MoveSet,
    open: MoveSet,
    inverse: InverseCodes,
    odd: LookupSet,
    given: u8,
    before: u16,
}

/// A level: states that are equally many moves from the first state, and how many of them were expanded so far.
struct CosetLevel {
    nodes: Vec<CosetNode>,
    tried: usize,
}

struct CosetWalk<'a, 'b, 'c, 'd> {
    bounds: &'a CosetBounds<'b>,
    bound: u8,
    /// The smallest bound that would have admitted a state which was cut off.
    next: u8,
    /// The moves that led to the first state.
    moves: Vec<usize>,
    /// The number of states that were searched for all earlier bounds.
    before: u64,
    pending: Vec<PendingSuccessor>,
    likely: Vec<LikelySuccessor>,
    meter: &'c mut Meter<'d>,
}

impl CosetWalk<'_, '_, '_, '_> {
    /// Searches the states that can be reached from a state within the bound. Returns `true` if there is a solution. If
    /// `false`, the meter may have stopped the search.
    ///
    /// A depth-first search waits for memory at each state. So this search expands several states of a level at a time,
    /// then several of their successors, and so on. It goes on to the next states of a level when everything that
    /// follows from the earlier ones has been searched. So the first solution is that of a depth-first search.
    fn go(&mut self, root: &CosetNode) -> bool {
        let begun = self.moves.len();
        let most = usize::from(self.bound) - begun;
        let at_once = AT_ONCE / self.bounds.stickers.moves.len();
        let mut levels: Vec<CosetLevel> =
            std::iter::repeat_with(|| CosetLevel { nodes: Vec::new(), tried: 0 }).take(most + 1).collect();
        let open = self.tried(root.open, root.inverse, root.odd, most as u8);
        levels[0].nodes.push(CosetNode { open, ..*root });
        let mut at = 0;
        loop {
            let (level, later) = levels[at..].split_at_mut(1);
            let (level, next) = (&mut level[0], &mut later[0]);
            if level.tried == level.nodes.len() {
                if at == 0 {
                    return false;
                }
                (level.tried, at) = (0, at - 1);
                level.nodes.clear();
                continue;
            }
            // At first, few states are taken at a time. So if the search soon finds a solution, it has expanded few
            // states for nothing, compared with those that were searched before.
            let few =
                at_once.min(1 + usize::try_from((self.before + self.meter.states()) / 8).unwrap_or(usize::MAX - 1));
            next.nodes.clear();
            // Most successors are cut off. So further states of the level are expanded until there are many successors,
            // since a few alone would each wait for the memory.
            while level.tried < level.nodes.len() && (next.nodes.is_empty() || at + 1 < most && next.nodes.len() < few)
            {
                let nodes = &level.nodes[level.tried..];
                let nodes = &nodes[..nodes.len().min(few)];
                for _ in nodes {
                    if self.meter.stops() {
                        return false;
                    }
                }
                self.successors(nodes, self.bound - (begun + at) as u8 - 1);
                next.nodes.extend(self.likely.iter().map(|&likely| {
                    let LikelySuccessor { positions, refused, open, inverse, odd, given, before } = likely;
                    let numbers = self.bounds.step(&nodes[before as usize].numbers, given.into());
                    let before = before + level.tried as u16;
                    CosetNode { numbers, positions, refused, open, inverse, odd, given, before }
                }));
                level.tried += nodes.len();
            }
            at += 1;
            if at < most {
                continue;
            }
            if let Some(goal) = next.nodes.iter().find(|node| self.bounds.is_goal(&node.positions)) {
                let mut node = *goal;
                for level in levels[..at].iter().rev() {
                    self.moves.push(node.given.into());
                    node = level.nodes[node.before as usize];
                }
                self.moves[begun..].reverse();
                return true;
            }
            if !next.nodes.is_empty() {
                self.next = self.next.min(self.bound + 1);
                next.nodes.clear();
            }
            at -= 1;
        }
    }

    /// Returns those of the moves `open` that the bound allows in a state from which `room` moves may be left. If the
    /// bound rules out any of them, a larger bound may admit it. A move that other sequences stand for is never
    /// admitted.
    #[inline(always)]
    fn tried(&mut self, open: MoveSet, inverse: InverseCodes, odd: LookupSet, room: u8) -> MoveSet {
        let far = self.bounds.too_far(inverse, odd, room);
        self.next = self.next.min(if open & far == 0 { u8::MAX } else { self.bound + 1 });
        open & !far
    }

    /// Puts the successors of some states into `likely`, without those that are known to need more than `room` moves.
    /// Each look-up is made for all successors before the next look-up begins, so that the processor waits for many
    /// places of memory at once.
    fn successors(&mut self, nodes: &[CosetNode], room: u8) {
        let CosetBounds { stickers, lookups, sequences, .. } = self.bounds;
        let (moves, all) = (stickers.moves.len(), stickers.all_moves());
        let made = self.bound - room;
        let (pending, likely) = (&mut self.pending, &mut self.likely);
        pending.clear();
        likely.clear();
        for (before, node) in nodes.iter().enumerate() {
            let mut open = node.open;
            while open != 0 {
                let given = open.trailing_zeros() as u8;
                open &= open - 1;
                pending.push(PendingSuccessor::new(before, given, self.bounds.odd_after(node.odd, given.into())));
            }
        }
        for (number, lookup) in lookups.iter().enumerate() {
            let (values, verdicts, mut seen) = (lookup.values, lookup.verdicts(room), Sayings::default());
            match lookup.parts.len() {
                1 => look_up_all(pending, nodes, values, lookup.known::<1>(moves)),
                2 => look_up_all(pending, nodes, values, lookup.known::<2>(moves)),
                3 => look_up_all(pending, nodes, values, lookup.known::<3>(moves)),
                _ => look_up_all(pending, nodes, values, |numbers, given| lookup.after(numbers, given, moves)),
            }
            for successor in pending.iter_mut() {
                successor.find(&values);
            }
            let chances = verdicts.chances;
            let (odd, exact) = (PendingSuccessor::ODD + number as u32, PendingSuccessor::EXACT + number as u32);
            // The processor cannot foresee whether a successor stays, so there is no branch for it.
            let (mut left, list) = (0, &mut pending[..]);
            for at in 0..list.len() {
                let mut successor = list[at];
                let saying = Saying::new(successor.code(&values), (successor.about >> odd) as u8);
                seen.add(saying);
                successor.about |= u64::from(chances.exact(saying)) << exact;
                list[left] = successor;
                left += chances.stays(saying) as usize;
            }
            pending.truncate(left);
            self.next = self.next.min(verdicts.least_beyond(seen).saturating_add(made));
        }
        for successor in pending.iter() {
            // If no move can be the last one, no solution from this state is short enough. But if no moves are left,
            // the state itself may be the goal, so it is kept.
            if room > 0 && self.bounds.all_kept_by(successor.exact()) {
                self.next = self.next.min(self.bound + 1);
                continue;
            }
            let (before, given) = (successor.before(), successor.given());
            let node = &nodes[before];
            let positions = self.bounds.carry(&node.positions, given.into());
            let refused = sequences.after(node.refused, given.into());
            let (open, inverse) = (!refused & all, node.inverse);
            let (odd, before) = (successor.odd(), before as u16);
            likely.push(LikelySuccessor { positions, refused, open, inverse, odd, given, before });
        }
        if room > 0 && stickers.inverse_closed {
            self.look_up_inverses(room);
        }
    }

    /// Looks up the inverse states of the states in `likely`. Removes states whose inverse states are known to need
    /// more than `room` moves, and states from which no move is left to try.
    fn look_up_inverses(&mut self, room: u8) {
        let made = self.bound - room;
        for (number, lookup) in self.bounds.lookups.iter().enumerate() {
            let (pending, likely) = (&mut self.pending, &mut self.likely);
            pending.clear();
            for (at, node) in likely.iter().enumerate() {
                // After a move that keeps the colours, the inverse state has the same entry, so it is not looked up.
                if lookup.keeping >> node.given & 1 == 0 {
                    let mut successor = PendingSuccessor::new(at, node.given, node.odd);
                    successor.look_up(&lookup.values, lookup.inverse(&node.positions));
                    pending.push(successor);
                }
            }
            for successor in pending.iter_mut() {
                successor.find(&lookup.values);
            }
            for successor in pending.iter() {
                likely[successor.before()].inverse[number] = successor.code(&lookup.values);
            }
            let (verdicts, mut seen) = (lookup.verdicts(room), Sayings::default());
            likely.retain(|node| {
                let saying = Saying::new(node.inverse[number], node.odd >> number);
                seen.add(saying);
                verdicts.chances.stays(saying) == 1
            });
            self.next = self.next.min(verdicts.least_beyond(seen).saturating_add(made));
        }
        let mut likely = std::mem::take(&mut self.likely);
        likely.retain_mut(|node| {
            node.open = self.tried(node.open, node.inverse, node.odd, room);
            node.open != 0
        });
        self.likely = likely;
    }
}

/// Begins a look-up of all successors. `after` finds what is looked up after a move.
#[inline(always)]
fn look_up_all(
    pending: &mut [PendingSuccessor],
    nodes: &[CosetNode],
    values: TableValues,
    after: impl Fn(&Numbers, usize) -> HeadAndTail,
) {
    for successor in pending {
        successor.look_up(&values, after(&nodes[successor.before()].numbers, successor.given().into()));
    }
}

/// Searches for the fewest moves from a state to the goal, and notes in `proof` what it proves.
pub fn fewest_moves(
    bounds: &CosetBounds,
    held: &[Sticker],
    proof: &mut Proof,
    effort: &mut Effort,
    watch: Watch,
) -> Deepened {
    let (root, first) = bounds.root(held);
    if bounds.is_goal(&root.positions) {
        return Deepened::Solved(Vec::new());
    }
    proof.lower_bound = proof.lower_bound.max(first.into());
    let states = SubtreeStates { last: std::mem::take(&mut proof.subtrees), present: Vec::new() };
    let searched = CosetSearch { bounds, root, before: proof.states(), states: Mutex::new(states) };
    let found = deepen(&searched, proof, effort, watch);
    let SubtreeStates { last, present } = searched.states.into_inner().unwrap_or_else(PoisonError::into_inner);
    // With these results, the search ended after a bound. Otherwise, some subtrees of the present bound are left.
    let ended_between = matches!(found, Deepened::SettledAside | Deepened::TooLong) && !present.is_empty();
    proof.subtrees = if ended_between { present } else { last };
    found
}

/// A search for the fewest moves from a state.
struct CosetSearch<'a, 'b> {
    bounds: &'a CosetBounds<'b>,
    root: CosetNode,
    /// The number of states that were searched for earlier bounds, before this search.
    before: u64,
    states: Mutex<SubtreeStates>,
}

/// For each subtree in the order of the rules, the number of its states. Empty if that is not known.
#[derive(Debug)]
struct SubtreeStates {
    /// The states of each subtree in the search for the last bound that was searched to its end.
    last: Vec<u64>,
    /// The states of each subtree in the search for the present bound; 0 for a subtree that is not searched yet.
    present: Vec<u64>,
}

impl BoundedSearch for CosetSearch<'_, '_> {
    type Subtree = CosetSubtree;

    // Numbers of moves are bytes here, like the values of a table.
    const MOST_MOVES: u32 = u8::MAX as u32 - 1;

    // The successors of a few states are added to a level that has nearly as many as are expanded at once.
    const MOVE_BYTES: usize = 2 * AT_ONCE * size_of::<CosetNode>() + size_of::<CosetLevel>();

    fn root(&self) -> CosetSubtree {
        CosetSubtree { node: self.root, moves: Vec::new(), number: 0, states: 0, before: self.before }
    }

    fn split(&self, bound: u32, spent: u64, _: Watch) -> Option<Split<CosetSubtree>> {
        let mut subtrees = vec![self.root()];
        while subtrees.len() < SUBTREES && subtrees[0].moves.len() + 2 < bound as usize {
            subtrees = subtrees.iter().flat_map(|subtree| split(self.bounds, subtree)).collect();
        }
        let mut known = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.present.is_empty() {
            known.last = std::mem::take(&mut known.present);
        }
        known.last.resize(subtrees.len(), 0);
        known.present = vec![0; subtrees.len()];
        for (number, subtree) in subtrees.iter_mut().enumerate() {
            (subtree.number, subtree.states, subtree.before) = (number, known.last[number], self.before + spent);
        }
        // If a subtree had many states within the bound, it is likelier to have a solution, so it is searched earlier.
        sorting::sort_by_key(&mut subtrees, |subtree| (Reverse(subtree.states), subtree.number));
        // No state was cut off here: the search of each subtree begins at its first state, whatever its bound.
        Some(Split { subtrees, next: bound + 1 })
    }

    fn visit(&self, subtree: &CosetSubtree, bound: u32, meter: &mut Meter) -> Visited {
        let (bounds, moves, bound) = (self.bounds, subtree.moves.clone(), bound as u8);
        let (pending, likely) = (Vec::with_capacity(AT_ONCE), Vec::with_capacity(AT_ONCE));
        let mut walk =
            CosetWalk { bounds, bound, next: u8::MAX, moves, before: subtree.before, pending, likely, meter };
        let solved = walk.go(&subtree.node);
        let mut known = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(states) = known.present.get_mut(subtree.number) {
            *states = walk.meter.states();
        }
        let index = |given: usize| bounds.stickers.moves[given].index;
        let solution = solved.then(|| walk.moves.into_iter().map(index).collect());
        Visited { solution, next: u32::from(walk.next.max(bound + 1)) }
    }
}

/// The subtrees that begin at the successors of a state. None of them is cut off by its bound.
fn split(bounds: &CosetBounds, subtree: &CosetSubtree) -> Vec<CosetSubtree> {
    let mut found = Vec::new();
    for given in 0..bounds.stickers.moves.len() {
        if subtree.node.refused >> given & 1 == 1 {
            continue;
        }
        let mut node = subtree.node;
        node.refused = bounds.sequences.after(subtree.node.refused, given);
        node.open = !node.refused & bounds.stickers.all_moves();
        node.positions = bounds.carry(&node.positions, given);
        node.inverse = bounds.inverse(&node.positions);
        node.odd = bounds.odd_after(node.odd, given);
        node.numbers = bounds.step(&node.numbers, given);
        let mut moves = subtree.moves.clone();
        moves.push(given);
        found.push(CosetSubtree { node, moves, ..*subtree });
    }
    found
}
