//! A decision tree over the guards of many moves. It finds the few moves that can be made in a state, without trying
//! each of them.
//!
//! A node of the tree has moves, and branches on cells. The symbol that a cell holds leads to the next node, which has
//! only moves whose guards allow this symbol there. A node may have several branches, each for other moves, and all of
//! them are followed.
//!
//! For example, a move takes n seeds out of a pit, and there is a move for each pit and each n. The first node has a
//! branch for each pit, and the number of seeds in a pit leads to the one move that takes so many out of it.
//!
//! Some conditions are the same for many moves, such as "all stones are on the board". Moves with the same ones are a
//! *group*, which has a tree of its own. Such a condition is tested once for a state, and not for each move.
//!
//! States of random play decide on which cells the tree branches. This choice changes only the speed: each move that
//! the tree finds is still tested by the rest of its guard. First comes its *pattern*: what it demands of the cells in
//! one view of the word, which is one comparison. A guard that demands nothing beyond the pattern, and the cells that
//! all ways to its move look at, has no rest. If these ways look at all cells for all moves, no pattern is compared.

use super::guards::as_cube;
use super::layout::Layout;
use super::members::MembersTest;
use super::word::Slot;
use crate::ordered::OrderedMap;
use crate::rules::{Condition, Move, Pattern, SymbolSet};
use crate::sorting;

/// A condition that at least this many moves share is tested once for all of them.
pub const FEWEST_SHARING: usize = 4;

/// The most conditions that are tested in this way, one for each bit of an integer.
const MOST_TESTS: usize = 32;

/// To test a shared condition takes as long as to try this many moves.
pub const TEST_COST: usize = 4;

/// A branch must spare this many tests of moves on average, since to follow it takes as long.
const BRANCH_COST: f64 = 1.5;

/// The tree may have this many entries for each move. A node that is made later has no branches.
const SIZE_OF_A_MOVE: usize = 64;

/// The most moves of a node, and the most branches. A branch leads to a further node with those beyond.
const MOST_OF_A_NODE: usize = u8::MAX as usize;

/// This many moves and branches of a node are copied to lists, whether it has them or not. Only as many as it has are
/// counted. So no jump depends on what a branch leads to, since it could not be foreseen. If a node has more, they are
/// copied after these. That is rare, except at the root.
const AT_ONCE: usize = 4;

/// A decision tree over the guards of the moves of one player.
#[derive(Debug)]
pub struct GuardTree {
    /// The number of moves.
    size: usize,
    /// The conditions that many moves share.
    tests: Box<[MembersTest]>,
    groups: Vec<MoveGroup>,
    /// The branches of all nodes; and at the end, [`AT_ONCE`] without a meaning.
    branches: Vec<GuardBranch>,
    /// The entries of all branches. A branch has one for each code that a cell can hold: the node that comes next.
    entries: Vec<GuardNode>,
    /// The places of all moves in order, then those of the moves of nodes that do not follow one another; and at the
    /// end, [`AT_ONCE`] entries without a meaning.
    moves: Vec<u32>,
    /// For each move: what its guard demands of the cells in one view. The list is empty if all ways to all moves look
    /// at all cells of which their guards demand something.
    patterns: Vec<ViewPattern>,
    /// As many ones as a cell has bits, at the bottom.
    mask: u64,
}

/// The demand of a guard on one view of a word: the view must have the value `value` under the mask `mask`.
#[derive(Debug, Clone, Copy, Default)]
struct ViewPattern {
    view: usize,
    mask: u64,
    value: u64,
}

impl ViewPattern {
    /// The demands that a mask can express, in the view that has the most of them.
    fn new(layout: &Layout, when: &Pattern) -> Self {
        let mut found: Vec<Self> = Vec::new();
        for &(cell, set) in &when.0 {
            let (slot, Some((fixed, bits))) = (layout.views[cell], as_cube(set, layout.symbols(), layout.mask)) else {
                continue;
            };
            found.resize(found.len().max(slot.limb + 1), Self::default());
            let pattern = &mut found[slot.limb];
            pattern.view = slot.limb;
            pattern.mask |= fixed << slot.shift;
            pattern.value |= bits << slot.shift;
        }
        found.into_iter().max_by_key(|pattern| pattern.mask.count_ones()).unwrap_or_default()
    }

    /// Returns `true` if the pattern has all that its guard demands of a cell.
    fn covers(&self, layout: &Layout, cell: usize) -> bool {
        let slot = layout.views[cell];
        slot.limb == self.view && self.mask >> slot.shift & layout.mask != 0
    }

    #[inline(always)]
    fn holds(&self, views: &[u64]) -> bool {
        views[self.view] & self.mask == self.value
    }
}

/// The moves with the same shared conditions.
#[derive(Debug)]
struct MoveGroup {
    /// A bit for each shared condition that all these moves have.
    tests: u32,
    /// The first node of the tree.
    root: GuardNode,
}

/// A node: ranges of [`GuardTree::moves`] and of [`GuardTree::branches`], packed in one number, so that the nodes of
/// large trees fit the cache. From the lowest byte on, it has the length of the first range, three bytes of its first
/// number, and the same of the second range. The default is the node without moves and branches, to which a symbol
/// leads that no move allows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct GuardNode(u64);

impl GuardNode {
    /// Packs two ranges, each given by its first number and its length. `None` if a number is too large.
    fn new(moves: (usize, usize), branches: (usize, usize)) -> Option<Self> {
        let packed = |(first, size): (usize, usize)| {
            (first < 1 << 24 && size <= MOST_OF_A_NODE).then_some((first << 8 | size) as u64)
        };
        Some(Self(packed(moves)? | packed(branches)? << 32))
    }

    /// The range of the moves, as its first number and its length.
    #[inline(always)]
    fn moves(self) -> (usize, usize) {
        ((self.0 as u32 >> 8) as usize, self.0 as u8 as usize)
    }

    /// The range of the branches, as its first number and its length.
    #[inline(always)]
    fn branches(self) -> (usize, usize) {
        ((self.0 >> 40) as usize, (self.0 >> 32) as u8 as usize)
    }
}

/// A branch of a node: the symbol that a cell holds leads to the next node.
#[derive(Debug, Clone, Copy, Default)]
struct GuardBranch {
    /// The number of the view that has the cell, see [`super::Word::Views`], and the distance of the cell's lowest bit
    /// from the bottom of the view.
    view: u16,
    shift: u16,
    /// The place in [`GuardTree::entries`] of the entry for code 0.
    first: u32,
}

impl GuardBranch {
    /// The branch on the cell at a place in the views, with the place of its first entry.
    fn new(slot: Slot, first: usize) -> Self {
        Self { view: slot.limb as u16, shift: slot.shift as u16, first: first as u32 }
    }
}

/// States of random play, as the views of their words.
pub struct Samples {
    /// The number of views of a word.
    width: usize,
    /// The views of all states, one state after another.
    views: Vec<u64>,
}

impl Samples {
    /// Keeps the views of some words.
    pub fn new<V: AsRef<[u64]>>(words: impl Iterator<Item = V>) -> Self {
        let (mut width, mut views) = (1, Vec::new());
        for word in words {
            width = word.as_ref().len();
            views.extend_from_slice(word.as_ref());
        }
        Self { width, views }
    }

    /// The views of one state.
    fn state(&self, at: usize) -> &[u64] {
        &self.views[at * self.width..][..self.width]
    }

    /// The number of states.
    fn len(&self) -> usize {
        self.views.len() / self.width
    }
}

impl GuardTree {
    /// Builds the tree of some moves. In the tree, a move is known by its place in this list. Returns for each
    /// move, too, whether the tree tests all that its guard demands of cells. `None` if the tree is too large.
    pub fn new(layout: &Layout, moves: &[&Move], samples: &Samples) -> Option<(Self, Vec<bool>)> {
        let shared = shared_conditions(moves);
        let mut groups: OrderedMap<u32, Vec<usize>> = OrderedMap::new();
        for (place, given) in moves.iter().enumerate() {
            let has = |&(_, condition): &(usize, &&Condition)| given.conditions.contains(condition);
            let tests = shared.iter().enumerate().filter(has).fold(0, |tests, (test, _)| tests | 1 << test);
            groups.value_or(tests, Vec::new).push(place);
        }
        let tree = Self {
            size: moves.len(),
            tests: shared.iter().filter_map(|condition| MembersTest::new(layout, condition)).collect(),
            groups: Vec::new(),
            branches: Vec::new(),
            entries: Vec::new(),
            moves: (0..moves.len() as u32).collect(),
            patterns: moves.iter().map(|given| ViewPattern::new(layout, &given.when)).collect(),
            mask: layout.mask,
        };
        let mut builder = TreeBuilder {
            tree,
            layout,
            moves,
            samples,
            decided: vec![false; layout.cells()],
            tested: vec![true; moves.len()],
            decides: true,
            fits: true,
            most: moves.len() * SIZE_OF_A_MOVE,
        };
        for (tests, places) in groups {
            let passes = |&at: &usize| {
                let mut known = TestResults::default();
                builder.tree.pass(tests, samples.state(at), &mut known)
            };
            let states: Vec<usize> = (0..samples.len()).filter(passes).collect();
            let root = builder.node(&places, &states);
            builder.tree.groups.push(MoveGroup { tests, root });
        }
        builder.tree.moves.extend([0; AT_ONCE]);
        builder.tree.branches.extend([GuardBranch::default(); AT_ONCE]);
        if builder.decides {
            builder.tree.patterns = Vec::new();
        }
        builder.fits.then_some((builder.tree, builder.tested))
    }

    /// Calls `found` with the place of each move that [`Self::list`] lists, in another order, until `found` returns
    /// `false`. Returns `true` if `found` never did. This is quicker than a list if few moves are asked for.
    pub fn each(&self, views: &[u64], found: &mut (impl FnMut(usize) -> bool + ?Sized)) -> bool {
        let mut known = TestResults::default();
        self.groups
            .iter()
            .all(|group| !self.pass(group.tests, views, &mut known) || self.visit(group.root, views, found))
    }

    /// Finds the moves from a node on, as [`Self::each`] does.
    fn visit(&self, node: GuardNode, views: &[u64], found: &mut (impl FnMut(usize) -> bool + ?Sized)) -> bool {
        let (moves, branches) = (node.moves(), node.branches());
        for &place in &self.moves[moves.0..][..moves.1] {
            let pattern = self.patterns.get(place as usize);
            if pattern.is_none_or(|pattern| pattern.holds(views)) && !found(place as usize) {
                return false;
            }
        }
        for &branch in &self.branches[branches.0..][..branches.1] {
            let next = self.next(branch, views[usize::from(branch.view)]);
            if next != GuardNode::default() && !self.visit(next, views, found) {
                return false;
            }
        }
        true
    }

    /// Lists the places of the moves whose guards may hold in a state. Moves that are left out cannot be made. The
    /// order depends only on the state. `views` are the views of its word. No jump depends on which moves are left out,
    /// since it could not be foreseen.
    pub fn list<'a>(&self, views: &[u64], listed: &'a mut ListedMoves) -> &'a [u32] {
        self.walk(views, listed);
        let found = &mut listed.places[..listed.found];
        let kept = match views {
            _ if self.patterns.is_empty() => found.len(),
            // Most words have one view, whose number need not be looked up.
            &[view] => self.keep(found, |pattern| view & pattern.mask == pattern.value),
            _ => self.keep(found, |pattern| pattern.holds(views)),
        };
        &found[..kept]
    }

    /// Moves the places to the front whose patterns hold, and returns their number.
    #[inline(always)]
    fn keep(&self, places: &mut [u32], holds: impl Fn(&ViewPattern) -> bool) -> usize {
        let mut kept = 0;
        for at in 0..places.len() {
            let place = places[at];
            places[kept] = place;
            kept += usize::from(holds(&self.patterns[place as usize]));
        }
        kept
    }

    /// Follows all branches of a state, and lists the moves to which they lead.
    fn walk(&self, views: &[u64], listed: &mut ListedMoves) {
        // A state leads to each move and each branch at most once.
        let (size, most) = (self.size + AT_ONCE, self.branches.len());
        if listed.places.len() < size || listed.branches.len() < most {
            listed.places.resize(listed.places.len().max(size), 0);
            listed.branches.resize(listed.branches.len().max(most), GuardBranch::default());
        }
        match views {
            &[view] => self.follow(views, listed, |_| view),
            _ => self.follow(views, listed, |branch| views[usize::from(branch.view)]),
        }
    }

    /// Does the work of [`Self::walk`]. `view` is the view that has the cell of a branch.
    #[inline(always)]
    fn follow(&self, views: &[u64], listed: &mut ListedMoves, view: impl Fn(GuardBranch) -> u64) {
        let (places, branches) = (&mut listed.places[..], &mut listed.branches[..]);
        let (mut count, mut next, mut end, mut known) = (0, 0, 0, TestResults::default());
        for group in &self.groups {
            // Most groups have no tests, or only such as hold for an earlier group.
            if group.tests & !known.passed != 0 && !self.pass(group.tests, views, &mut known) {
                continue;
            }
            count += add(&self.moves, group.root.moves(), &mut places[count..]);
            end += add(&self.branches, group.root.branches(), &mut branches[end..]);
        }
        while next < end {
            let branch = branches[next];
            let node = self.next(branch, view(branch));
            next += 1;
            count += add(&self.moves, node.moves(), &mut places[count..]);
            end += add(&self.branches, node.branches(), &mut branches[end..]);
        }
        (listed.found, listed.followed) = (count, next);
    }

    /// The node to which a branch leads, given the view that has its cell.
    #[inline(always)]
    fn next(&self, branch: GuardBranch, view: u64) -> GuardNode {
        let code = view >> (branch.shift & 63) & self.mask;
        self.entries[branch.first as usize + code as usize]
    }

    /// Returns `true` if a state satisfies some of the shared conditions. `known` has the results so far.
    fn pass(&self, tests: u32, views: &[u64], known: &mut TestResults) -> bool {
        let mut untested = tests & !known.tested;
        while untested != 0 {
            let (test, bit) = (untested.trailing_zeros() as usize, untested & untested.wrapping_neg());
            untested ^= bit;
            known.tested |= bit;
            known.passed |= if self.tests[test].holds(views) { bit } else { 0 };
        }
        tests & !known.passed == 0
    }

    /// The work of finding the moves of some states: the number of moves that are tried and of branches that are
    /// followed.
    pub fn work(&self, samples: &Samples) -> usize {
        let (mut work, mut listed) =
            ((self.groups.len() + self.tests.len() * TEST_COST) * samples.len(), ListedMoves::new());
        for at in 0..samples.len() {
            self.walk(samples.state(at), &mut listed);
            work += listed.found + listed.followed;
        }
        work
    }
}

/// Copies a range of a list, given by its first number and its length, to the front of another one. Returns the length;
/// see [`AT_ONCE`].
#[inline(always)]
fn add<T: Copy>(list: &[T], (first, size): (usize, usize), to: &mut [T]) -> usize {
    to[..AT_ONCE].copy_from_slice(&list[first..first + AT_ONCE]);
    if size > AT_ONCE {
        add_many(&list[first..], size, to);
    }
    size
}

/// Copies more than [`AT_ONCE`] items. A function of its own leaves the loop that calls [`add`] more registers.
#[cold]
#[inline(never)]
fn add_many<T: Copy>(list: &[T], size: usize, to: &mut [T]) {
    to[..size].copy_from_slice(&list[..size]);
}

/// The moves that were listed for a state. The memory of the lists is used again for the next state.
#[derive(Debug, Default)]
pub struct ListedMoves {
    /// The places of the moves, and entries without a meaning.
    places: Vec<u32>,
    /// The branches to which the state leads, and then entries without a meaning.
    branches: Vec<GuardBranch>,
    /// The number of moves before those are left out whose patterns do not hold.
    found: usize,
    /// The number of branches that were followed.
    followed: usize,
}

impl ListedMoves {
    /// Room for so many places, whatever is in it.
    #[inline(always)]
    pub fn places(&mut self, count: usize) -> &mut [u32] {
        if self.places.len() < count {
            self.places.resize(count, 0);
        }
        &mut self.places
    }

    /// Empty lists.
    pub const fn new() -> Self {
        Self { places: Vec::new(), branches: Vec::new(), found: 0, followed: 0 }
    }
}

/// The results of shared conditions, a bit for each: which were tested, and which of these hold.
#[derive(Default)]
struct TestResults {
    tested: u32,
    passed: u32,
}

/// The conditions that many of the moves share, and that take long to test.
pub fn shared_conditions<'a>(moves: &[&'a Move]) -> Vec<&'a Condition> {
    let slow = |condition: &&Condition| !matches!(condition, Condition::Unless(_));
    let mut shared = frequent(moves.iter().flat_map(|given| &given.conditions).filter(slow).collect(), FEWEST_SHARING);
    shared.truncate(MOST_TESTS);
    shared
}

/// The items of a list that come at least `fewest` times, in order.
pub fn frequent<T: Ord + Clone>(mut items: Vec<T>, fewest: usize) -> Vec<T> {
    sorting::sort(&mut items);
    let alike = items.chunk_by(|one, next| one == next).filter(|alike| alike.len() >= fewest);
    alike.map(|alike| alike[0].clone()).collect()
}

/// A tree that is being built.
struct TreeBuilder<'a> {
    tree: GuardTree,
    layout: &'a Layout,
    moves: &'a [&'a Move],
    samples: &'a Samples,
    /// For each cell: whether a branch on the way to the node looks at it.
    decided: Vec<bool>,
    /// For each move: whether every way to it, with its pattern, looks at all cells of which its guard demands
    /// something.
    tested: Vec<bool>,
    /// `true` if every way to every move looks at all cells of which its guard demands something, without patterns.
    decides: bool,
    /// `true` if each node can be packed.
    fits: bool,
    /// The most entries of the tree.
    most: usize,
}

impl TreeBuilder<'_> {
    /// Makes the node of some moves, given by their places. `states` are the numbers of the samples that come to the
    /// node.
    fn node(&mut self, places: &[usize], states: &[usize]) -> GuardNode {
        let (mut left, mut chosen) = (places.to_vec(), Vec::new());
        while let Some(cell) = self.best_cell(&left, states) {
            let (covered, others): (Vec<_>, Vec<_>) =
                left.iter().partition(|&&place| self.demand(place, cell).is_some());
            chosen.push((cell, covered));
            left = others;
        }
        // The entries of a branch are made before the next branch, so nodes below may stand in between.
        let branches: Vec<GuardBranch> =
            chosen.into_iter().map(|(cell, places)| self.branch(cell, &places, states)).collect();
        self.add_node(&left, branches)
    }

    /// The node with the given moves and branches.
    fn add_node(&mut self, places: &[usize], mut branches: Vec<GuardBranch>) -> GuardNode {
        let (here, later) = places.split_at(places.len().min(MOST_OF_A_NODE));
        for &place in here {
            self.arrive(place);
        }
        if !later.is_empty() || branches.len() > MOST_OF_A_NODE {
            // All symbols of some cell lead to the further node.
            let rest = branches.split_off(branches.len().min(MOST_OF_A_NODE - 1));
            let (next, first) = (self.add_node(later, rest), self.tree.entries.len());
            self.tree.entries.resize(first + self.layout.mask as usize + 1, next);
            branches.push(GuardBranch::new(self.layout.views[0], first));
        }
        let tree = &mut self.tree;
        let follow = here.windows(2).all(|two| two[0] + 1 == two[1]);
        let first = here.first().copied().filter(|_| follow).unwrap_or(tree.moves.len());
        if first == tree.moves.len() {
            tree.moves.extend(here.iter().map(|&place| place as u32));
        }
        let node = GuardNode::new((first, here.len()), (tree.branches.len(), branches.len()));
        self.fits &= node.is_some();
        tree.branches.extend(branches);
        node.unwrap_or_default()
    }

    /// Makes a branch on a cell for moves whose guards all say what the cell may hold.
    fn branch(&mut self, cell: usize, places: &[usize], states: &[usize]) -> GuardBranch {
        let slot = self.layout.views[cell];
        let first = self.tree.entries.len();
        self.tree.entries.resize(first + self.layout.mask as usize + 1, GuardNode::default());
        // Symbols that allow the same moves lead to the same node.
        let mut alike: OrderedMap<Vec<usize>, SymbolSet> = OrderedMap::new();
        for symbol in SymbolSet::all(self.layout.symbols()).iter() {
            let allows = |&place: &usize| self.demand(place, cell).is_some_and(|set| set.contains(symbol));
            let allowed: Vec<usize> = places.iter().copied().filter(allows).collect();
            let symbols = alike.value_or(allowed, SymbolSet::default);
            *symbols = symbols.or([symbol].into_iter().collect());
        }
        self.decided[cell] = true;
        for (places, symbols) in alike {
            let entry = match places[..] {
                [] => continue,
                [place] => self.add_node(&[place], Vec::new()),
                _ => {
                    let come = |&at: &usize| symbols.contains(self.symbol(at, cell) as u8);
                    let states: Vec<usize> = states.iter().copied().filter(come).collect();
                    self.node(&places, &states)
                }
            };
            symbols.iter().for_each(|symbol| self.tree.entries[first + symbol as usize] = entry);
        }
        self.decided[cell] = false;
        GuardBranch::new(slot, first)
    }

    /// Notes whether a way to a move, and the move's pattern, look at all cells of which its guard demands something.
    fn arrive(&mut self, place: usize) {
        let pattern = self.tree.patterns[place];
        let seen = |cell: usize| self.decided[cell] || pattern.covers(self.layout, cell);
        let demands = &self.moves[place].when.0;
        self.tested[place] &= demands.iter().all(|&(cell, _)| seen(cell));
        self.decides &= demands.iter().all(|&(cell, _)| self.decided[cell]);
    }

    /// The cell whose branch spares the most tests of these moves. `None` if none spares enough.
    fn best_cell(&self, places: &[usize], states: &[usize]) -> Option<usize> {
        if !self.fits || self.tree.entries.len() >= self.most {
            return None;
        }
        let mut spared: OrderedMap<usize, f64> = OrderedMap::new();
        let mut seen: OrderedMap<usize, Vec<f64>> = OrderedMap::new();
        for &place in places {
            for &(cell, set) in self.moves[place].when.0.iter().filter(|&&(cell, _)| !self.decided[cell]) {
                let shares = seen.value_or(cell, || self.shares(cell, states));
                let allowed: f64 = set.iter().map(|symbol| shares[symbol as usize]).sum();
                *spared.value_or(cell, || 0.0) += 1.0 - allowed;
            }
        }
        let (cell, spared) = spared.into_iter().max_by(|(_, one), (_, other)| one.total_cmp(other))?;
        (spared > BRANCH_COST).then_some(cell)
    }

    /// The share of each symbol among the symbols that a cell holds in some samples. One is added to the counts, evenly
    /// divided, so that no symbol has none.
    fn shares(&self, cell: usize, states: &[usize]) -> Vec<f64> {
        let symbols = self.layout.symbols();
        let mut counts = vec![1.0 / symbols as f64; symbols];
        for &at in states {
            counts[self.symbol(at, cell)] += 1.0;
        }
        counts.iter().map(|count| count / (states.len() + 1) as f64).collect()
    }

    /// The symbols that the guard of a move allows in a cell; `None` if it does not ask for the cell.
    fn demand(&self, place: usize, cell: usize) -> Option<SymbolSet> {
        self.moves[place].when.get(cell)
    }

    /// The symbol that a cell holds in a sample.
    fn symbol(&self, at: usize, cell: usize) -> usize {
        let slot = self.layout.views[cell];
        (self.samples.state(at)[slot.limb] >> slot.shift & self.layout.mask) as usize
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};

    use super::*;
    use crate::compile::Word;
    use crate::random::Random;
    use crate::rules::{Rules, Symbol};

    /// A cell has so many moves that its branch spares tests, and as many moves as cells demand nothing.
    #[test]
    fn nodes_with_many_moves_and_branches_are_cut() {
        let (mut random, cells) = (Random::new("large nodes"), 600);
        let of_cell = |at: usize| {
            let (cell, when) = (at % cells, if at < 3 * cells { json!([[at % cells, ["1"]]]) } else { json!([]) });
            let (to, symbol) = ((cell + at / cells) % cells, ["0", "1"][at % 2]);
            json!({"name": at.to_string(), "when": when, "then": [[to, symbol]]})
        };
        let moves: Vec<Value> = (0..4 * cells).map(of_cell).collect();
        let data = json!({"symbols": ["0", "1"], "start": vec!["0"; cells], "moves": moves});
        let rules = Arc::new(Rules::new(&serde_json::from_value(data).unwrap()).unwrap());
        let layout = Layout::new::<[u64; 32]>(&rules).unwrap();
        let guards: Vec<&Move> = rules.moves.iter().collect();
        let start = layout.pack::<[u64; 32]>(&rules.start);
        let samples = Samples::new([start.views()].into_iter());
        let (tree, tested) = GuardTree::new(&layout, &guards, &samples).unwrap();
        let root = tree.groups[0].root;
        assert_eq!((root.moves().1, root.branches().1), (MOST_OF_A_NODE, MOST_OF_A_NODE));
        assert!(tree.patterns.is_empty() && tested.iter().all(|&tested| tested));
        let mut listed = ListedMoves::new();
        for most in [2, 3, 50] {
            let state: Vec<Symbol> = (0..cells).map(|_| Symbol::from(random.below(most) == 0)).collect();
            let word = layout.pack::<[u64; 32]>(&state);
            let can = (0..guards.len() as u32).filter(|&place| guards[place as usize].when.holds(&state));
            let expected: Vec<u32> = can.collect();
            let mut list = tree.list(word.views().as_ref(), &mut listed).to_vec();
            list.sort_unstable();
            assert_eq!(list, expected);
            let mut found = Vec::new();
            assert!(tree.each(word.views().as_ref(), &mut |place| {
                found.push(place as u32);
                true
            }));
            found.sort_unstable();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_node_has_its_ranges_or_is_too_large() {
        let most = (1 << 24) - 1;
        let node = GuardNode::new((most, 255), (3, 0)).unwrap();
        assert_eq!((node.moves(), node.branches()), ((most, 255), (3, 0)));
        let node = GuardNode::new((7, 1), (most, 255)).unwrap();
        assert_eq!((node.moves(), node.branches()), ((7, 1), (most, 255)));
        assert_eq!(GuardNode::new((most + 1, 0), (0, 0)), None);
        assert_eq!(GuardNode::new((0, 0), (0, 256)), None);
        assert_eq!(GuardNode::default(), GuardNode::new((0, 0), (0, 0)).unwrap());
    }
}
