//! Walks over the cells of a state that find its moves, if few moves can be made in any state.
//!
//! The moves fall into *groups*. Any two moves of a group exclude each other: there is a cell in which their guards
//! allow no symbol in common. So at most one of them can be made, and a *walk* finds it. A step of the walk looks at a
//! cell, and its symbol leads to the next step. The walk ends at the move that can be made, or at none.
//!
//! For example, let two pits have at most two seeds each. A move takes all seeds of a pit, so there is a move for each
//! number of seeds. For one seed in the left pit there are two moves: one if the right pit is empty, and one if it is
//! not. With the move for two seeds, the left pit has three moves, which are a group. A walk looks at the left pit and,
//! if it has one seed, at the right one. The moves of the right pit are another group.
//!
//! All walks take the same number of steps, since a walk that has ended stays where it is. So there is no jump that
//! depends on the state, and that no processor could foresee. [Sets](super::move_sets) have no such jumps either, but
//! they look at all cells and at a bit for each move, and a game in which seeds are sown has hundreds of moves.

use super::cpu;
use super::guard_tree::ListedMoves;
use super::layout::Layout;
use super::word::{Slot, Word};
use crate::ordered::OrderedMap;
use crate::rules::{Move, Pattern, SymbolSet};

/// The most moves. Each is compared with others when the groups are made.
const MOST_MOVES: usize = 4096;

/// The most groups. With more, sets find the moves in less time.
const MOST_GROUPS: usize = 16;

/// The most steps of a walk.
const MOST_STEPS: usize = 8;

/// The table may have this many entries for each move.
const SIZE_OF_A_MOVE: usize = 64;

/// The most entries of the table, which has room for all. The number is a power of two, so that no place in the table
/// needs to be checked.
const MOST_ENTRIES: usize = 32 << 10;

/// The number of the end without a move. The end of the first move follows it.
const NOTHING: usize = 0;

/// Where a walk is: it looks at a cell, or it has ended. An end looks at the highest bit of the first view. Whatever is
/// there, it leads back to the end.
///
/// It is packed in one number, so that a step loads it at once. From the lowest bit on, it has six bits for the
/// distance of the cell's lowest bit from the bottom of the view; eight for the number of the view that has the cell,
/// see [`super::Word::Views`]; and all others for the place in the table of the entry for code 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct WalkNode(u32);

impl WalkNode {
    /// The node that looks at the cell in a slot of the views. The entry for code 0 is at `first`.
    const fn new(slot: Slot, first: usize) -> Self {
        Self(slot.shift | (slot.limb as u32) << 6 | (first as u32) << 14)
    }

    /// The end with a number: [`NOTHING`], or one more than the place of a move. Ends are the first entries of the
    /// table, two of each, one for either bit.
    const fn end(number: usize) -> Self {
        Self::new(Slot { limb: 0, shift: 63 }, 2 * number)
    }

    /// The number of the end at which a walk is.
    #[inline(always)]
    fn number(self) -> usize {
        self.first() / 2
    }

    /// The place in the table of the entry for code 0.
    #[inline(always)]
    fn first(self) -> usize {
        (self.0 >> 14) as usize
    }

    /// The place in the table of the entry for the code that the cell holds. `view` is the view that has the cell, and
    /// `mask` has the bits of a cell.
    #[inline(always)]
    fn next(self, view: u64, mask: u64) -> usize {
        (self.first() + (view >> (self.0 % 64) & mask) as usize) % MOST_ENTRIES
    }

    /// The number of the view that has the cell.
    #[inline(always)]
    fn view(self) -> usize {
        usize::from((self.0 >> 6) as u8)
    }
}

/// The walks that find the moves of one player.
#[derive(Debug)]
pub struct MoveWalks {
    /// The number of groups.
    groups: usize,
    /// All bits of a cell.
    mask: u64,
    /// The cell at which all walks look first, if there is one. Its code is its place among the beginnings. If there is
    /// no such cell, this is the end without a move.
    chooser: WalkNode,
    /// For each code of this cell, or for each bit at which an end looks, where the walk of each group goes on.
    begins: Vec<WalkNode>,
    /// The table: the ends, and the nodes to which the codes of cells lead; and entries that are not used.
    entries: Box<[WalkNode; MOST_ENTRIES]>,
    /// The number of steps of each walk.
    steps: usize,
}

impl MoveWalks {
    /// The walks that find the given moves. A move is known by its place in the list. `None` if there are too many
    /// groups, if walks take too many steps, or if the table would be too large.
    pub fn new(layout: &Layout, moves: &[&Move]) -> Option<Self> {
        if moves.len() > MOST_MOVES {
            return None;
        }
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (place, given) in moves.iter().enumerate() {
            let fits = |group: &Vec<usize>| group.iter().all(|&other| exclude(&given.when, &moves[other].when));
            match groups.iter().position(fits) {
                Some(group) => groups[group].push(place),
                None if groups.len() < MOST_GROUPS => groups.push(vec![place]),
                None => return None,
            }
        }
        let mut builder = WalkBuilder {
            layout,
            moves,
            entries: (0..=moves.len()).flat_map(|number| [WalkNode::end(number); 2]).collect(),
            demands: demands(layout.cells(), moves.iter().copied()),
            decided: vec![false; layout.cells()],
            most: MOST_ENTRIES.min(moves.len() * SIZE_OF_A_MOVE),
            steps: 0,
        };
        let mut chooser = WalkNode::end(NOTHING);
        let mut begins = groups.iter().map(|group| builder.node(group, 0)).collect::<Option<Vec<_>>>()?;
        let mut cells = groups.iter().map(|group| builder.next_cell(group));
        let first = cells.next().flatten().filter(|&first| cells.all(|cell| cell == Some(first)));
        if let Some(cell) = first {
            chooser = WalkNode::new(layout.views[cell], 0);
            let (looked, entries) = (begins, &builder.entries);
            let after = |code: u64| looked.iter().map(move |begin| entries[begin.first() + code as usize]);
            begins = (0..=layout.mask).flat_map(after).collect();
            builder.steps -= 1;
        } else {
            begins.extend_from_within(..);
        }
        let WalkBuilder { mut entries, steps, .. } = builder;
        entries.resize(MOST_ENTRIES, WalkNode::end(NOTHING));
        let entries = entries.try_into().ok()?;
        Some(Self { groups: groups.len(), mask: layout.mask, chooser, begins, entries, steps })
    }

    /// The work of finding the moves of a state, in the unit of [`super::move_sets::MoveSets::work`].
    pub fn work(&self) -> usize {
        1 + self.groups * (self.steps + 1) / 2
    }

    /// Returns `true` if there are several groups, whose walks all look at the same cell first.
    #[cfg(test)]
    pub fn begin_at_one_cell(&self) -> bool {
        self.groups > 1 && self.chooser != WalkNode::end(NOTHING)
    }

    /// Where the walk of each group begins in a state. `view` is the view that has the cell of a node.
    #[inline(always)]
    fn begins(&self, view: impl Fn(WalkNode) -> u64) -> &[WalkNode] {
        &self.begins[self.chooser.next(view(self.chooser), self.mask) * self.groups..][..self.groups]
    }

    /// The number of the end of the walk that begins at `begin`.
    #[inline(always)]
    fn walk(&self, begin: WalkNode, view: impl Fn(WalkNode) -> u64) -> usize {
        let mut node = begin;
        for _ in 0..self.steps {
            node = self.entries[node.next(view(node), self.mask)];
        }
        node.number()
    }

    /// Lists the places of the moves whose guards allow what the cells of a state hold. The order depends only on the
    /// state. `views` are the views of its word.
    #[inline(never)]
    pub fn list<'a>(&self, views: &[u64], listed: &'a mut ListedMoves) -> &'a [u32] {
        let (places, mut count) = (listed.places(self.groups), 0);
        for &begin in self.begins(|node| views[node.view()]) {
            let end = self.walk(begin, |node| views[node.view()]);
            places[count] = end.wrapping_sub(1) as u32;
            count += usize::from(end != NOTHING);
        }
        &places[..count]
    }

    /// Does the same as [`Self::list`] for some states, [`MovesOfStates::MOST`] at most, whose words have one view.
    ///
    /// This is faster for each of them. Each step of a walk waits for the one before it, and the walks of several
    /// states wait at the same time.
    #[inline(never)]
    pub fn list_all<W: Word>(&self, words: &[W], listed: &mut MovesOfStates) {
        let (mut views, MovesOfStates { moves, count }) = ([0; MovesOfStates::MOST], listed);
        for (word, view) in words.iter().zip(&mut views) {
            *view = word.views().as_ref()[0];
        }
        moves.resize(words.len() * self.groups, MoveOfState::default());
        cpu::run(TakeWalks { walks: self, views: &views[..words.len()], moves, count });
    }

    /// Calls `found` with the place of each move that [`Self::list`] lists, until `found` returns `false`. Returns
    /// `true` if `found` never did.
    pub fn each(&self, views: &[u64], found: &mut dyn FnMut(usize) -> bool) -> bool {
        let view = |node: WalkNode| views[node.view()];
        self.begins(view).iter().all(|&begin| match self.walk(begin, view) {
            NOTHING => true,
            end => found(end - 1),
        })
    }
}

/// A move that a walk has found for one of several states. What its guard demands beyond single cells is not tested
/// yet.
#[derive(Debug, Clone, Copy, Default)]
pub struct MoveOfState {
    /// The number of the state.
    pub state: u32,
    /// The place of the move.
    pub place: u32,
}

/// The moves that were listed for some states. The memory of the list is used again for the next ones.
pub struct MovesOfStates {
    /// The moves, and then entries without a meaning.
    moves: Vec<MoveOfState>,
    /// The number of moves.
    count: usize,
}

impl MovesOfStates {
    /// The most states.
    pub const MOST: usize = 16;

    /// An empty list.
    pub const fn new() -> Self {
        Self { moves: Vec::new(), count: 0 }
    }

    /// The moves of all states, those of the first state first.
    #[inline(always)]
    pub fn moves(&self) -> &[MoveOfState] {
        &self.moves[..self.count]
    }
}

/// The task that lists the moves of some states.
struct TakeWalks<'a> {
    walks: &'a MoveWalks,
    /// The view of each state.
    views: &'a [u64],
    /// Gets the moves. There is room for one from each group of each state.
    moves: &'a mut [MoveOfState],
    /// Gets the number of moves.
    count: &'a mut usize,
}

impl cpu::Task for TakeWalks<'_> {
    const GAINS_BY_AVX512: bool = false;

    #[inline(always)]
    fn run(self) {
        let Self { walks, views, moves, count } = self;
        let mut listed = 0;
        for (state, &view) in views.iter().enumerate() {
            let begins = walks.begins(
                #[inline(always)]
                |_| view,
            );
            for &begin in begins {
                let end = walks.walk(
                    begin,
                    #[inline(always)]
                    |_| view,
                );
                moves[listed] = MoveOfState { state: state as u32, place: end.wrapping_sub(1) as u32 };
                listed += usize::from(end != NOTHING);
            }
        }
        *count = listed;
    }
}

/// Returns `true` if no state satisfies both patterns, since they allow no symbol in common in some cell.
fn exclude(one: &Pattern, other: &Pattern) -> bool {
    let none = |(cell, set): &(usize, SymbolSet)| {
        other.get(*cell).is_some_and(|other| set.iter().all(|symbol| !other.contains(symbol)))
    };
    one.0.iter().any(none)
}

/// For each cell, the number of moves that demand something of it.
fn demands<'a>(cells: usize, moves: impl Iterator<Item = &'a Move>) -> Vec<usize> {
    let mut demands = vec![0; cells];
    for given in moves {
        given.when.0.iter().for_each(|&(cell, _)| demands[cell] += 1);
    }
    demands
}

/// The table of walks that is being built.
struct WalkBuilder<'a> {
    layout: &'a Layout,
    moves: &'a [&'a Move],
    entries: Vec<WalkNode>,
    /// For each cell: the number of all moves that demand something of it.
    demands: Vec<usize>,
    /// For each cell: whether the walk has looked at it before it comes to the node.
    decided: Vec<bool>,
    /// The most entries of the table.
    most: usize,
    /// The most steps of a walk.
    steps: usize,
}

impl WalkBuilder<'_> {
    /// Makes the node of those moves of a group, given by their places, that the symbols of all cells allow at which
    /// the walk has looked. It has taken so many `steps`. `None` if the table gets too large, or a walk too long.
    fn node(&mut self, places: &[usize], steps: usize) -> Option<WalkNode> {
        let Some(&place) = places.first() else { return Some(WalkNode::end(NOTHING)) };
        let Some(cell) = self.next_cell(places) else {
            // Two moves that exclude each other cannot be left here.
            debug_assert_eq!(places.len(), 1);
            self.steps = self.steps.max(steps);
            return Some(WalkNode::end(place + 1));
        };
        let (first, codes) = (self.entries.len(), self.layout.mask as usize + 1);
        if steps == MOST_STEPS || first + codes > self.most {
            return None;
        }
        self.entries.resize(first + codes, WalkNode::end(NOTHING));
        // Symbols that allow the same moves lead to the same node.
        let mut alike: OrderedMap<Vec<usize>, SymbolSet> = OrderedMap::new();
        for symbol in SymbolSet::all(self.layout.symbols()).iter() {
            let allows = |&place: &usize| self.moves[place].when.get(cell).is_none_or(|set| set.contains(symbol));
            let symbols = alike.value_or(places.iter().copied().filter(allows).collect(), SymbolSet::default);
            *symbols = symbols.or([symbol].into_iter().collect());
        }
        self.decided[cell] = true;
        for (places, symbols) in alike {
            let next = self.node(&places, steps + 1)?;
            symbols.iter().for_each(|symbol| self.entries[first + symbol as usize] = next);
        }
        self.decided[cell] = false;
        Some(WalkNode::new(self.layout.views[cell], first))
    }

    /// The cell at which a walk looks next: the one of which the most of these moves demand something; and of several,
    /// the one of which the most of all moves do, so that all walks may begin at the same cell. `None` if it has looked
    /// at all of which these moves demand something.
    fn next_cell(&self, places: &[usize]) -> Option<usize> {
        let demands = demands(self.layout.cells(), places.iter().map(|&place| self.moves[place]));
        let left = (0..demands.len()).filter(|&cell| demands[cell] > 0 && !self.decided[cell]);
        left.max_by_key(|&cell| (demands[cell], self.demands[cell]))
    }
}
