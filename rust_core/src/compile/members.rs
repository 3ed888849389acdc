//! Tests of the cells that hold one of some symbols, which are called members here: how many members there are, or
//! whether a path of members joins two sides.
//!
//! The members are a set of bits, one for each cell that the test looks at. A path is found by a flood, which starts
//! from the members of one side and goes on to neighbouring members, until it meets the other side or can go no
//! further. Only the reading of the word depends on its width.

use super::layout::Layout;
use super::word::{Slot, Word};
use crate::rules::{Connection, Count, MAX_CELLS, SymbolSet};

/// The number of bits in each of the integers that make up a set of cells.
const BITS: usize = u64::BITS as usize;

/// The most integers that make up a set of cells, if rules have the most cells that they may have.
const MOST: usize = MAX_CELLS.div_ceil(BITS);

/// A compiled test of the members of a state: those cells that hold one of some symbols.
#[derive(Debug, Clone)]
pub struct MembersTest {
    /// The cells that the test looks at. Each has a bit in a set, in this order.
    slots: Box<[Slot]>,
    symbols: SymbolSet,
    wanted: WantedMembers,
}

/// What the test demands of the members.
#[derive(Debug, Clone)]
enum WantedMembers {
    /// The number of members is at least the first bound and at most the second.
    Count(usize, usize),
    /// A path of members joins two sides.
    Path {
        /// The cells of each side, as sets.
        sides: [Box<[u64]>; 2],
        /// For each cell, the set of its neighbours. The sets follow one another.
        neighbours: Box<[u64]>,
    },
}

impl MembersTest {
    /// Compiles a count: a test whether the number of members is within bounds.
    pub fn count(layout: &Layout, count: &Count) -> Self {
        Self {
            slots: count.cells.iter().map(|&cell| layout.slots[cell]).collect(),
            symbols: count.symbols,
            wanted: WantedMembers::Count(count.least, count.most),
        }
    }

    /// Compiles a connection: a test whether a path of members joins two sides.
    pub fn connection(layout: &Layout, connection: &Connection) -> Self {
        let cells: Vec<usize> = connection.cells().into_iter().collect();
        let limbs = cells.len().div_ceil(BITS);
        let place = |cell: &usize| cells.binary_search(cell).expect("all cells are listed");
        let sides = connection.sides.each_ref().map(|side| {
            let mut set = vec![0; limbs];
            side.iter().map(place).for_each(|at| set[at / BITS] |= 1 << (at % BITS));
            set.into()
        });
        let mut neighbours = vec![0; cells.len() * limbs];
        for (one, other) in connection.edges.iter().map(|(one, other)| (place(one), place(other))) {
            neighbours[one * limbs + other / BITS] |= 1 << (other % BITS);
            neighbours[other * limbs + one / BITS] |= 1 << (one % BITS);
        }
        Self {
            slots: cells.iter().map(|&cell| layout.slots[cell]).collect(),
            symbols: connection.symbols,
            wanted: WantedMembers::Path { sides, neighbours: neighbours.into() },
        }
    }

    /// Returns `true` if the members of a state are as the test demands.
    #[inline(never)]
    pub fn holds<W: Word>(&self, word: W, cell_mask: u64) -> bool {
        let mut members = [0u64; MOST];
        for (at, slot) in self.slots.iter().enumerate() {
            members[at / BITS] |= u64::from(self.symbols.contains(word.bits(*slot, cell_mask) as u8)) << (at % BITS);
        }
        self.wanted.holds(&members[..self.slots.len().div_ceil(BITS)])
    }
}

impl WantedMembers {
    fn holds(&self, members: &[u64]) -> bool {
        match self {
            Self::Count(least, most) => {
                let there = members.iter().map(|limb| limb.count_ones() as usize).sum();
                (*least..=*most).contains(&there)
            }
            Self::Path { sides, neighbours } => joins(members, sides, neighbours),
        }
    }
}

/// Returns `true` if a path of members joins the two sides.
fn joins(members: &[u64], [from, to]: &[Box<[u64]>; 2], neighbours: &[u64]) -> bool {
    let limbs = members.len();
    let (mut reached, mut pending) = ([0u64; MOST], [0u64; MOST]);
    for at in 0..limbs {
        reached[at] = members[at] & from[at];
        pending[at] = reached[at];
    }
    loop {
        if (0..limbs).any(|at| reached[at] & to[at] != 0) {
            return true;
        }
        let Some(at) = pending[..limbs].iter().position(|&limb| limb != 0) else { return false };
        let cell = at * BITS + pending[at].trailing_zeros() as usize;
        pending[at] &= pending[at] - 1;
        for (at, beside) in neighbours[cell * limbs..][..limbs].iter().enumerate() {
            let new = beside & members[at] & !reached[at];
            reached[at] |= new;
            pending[at] |= new;
        }
    }
}
