//! Tests of the cells that hold one of some symbols, which are called members here: how many members there are, or
//! whether a path of members joins two sides.
//!
//! The members are a set of bits, one for each cell that the test looks at. A path is found by a flood, which starts
//! from the members of one side and goes on to neighbouring members, until it meets the other side or can go no
//! further. Most states have no path, and most of these are found out before the flood: a path from one side to the
//! other has members at each distance from the first side, up to the distance of the second.
//!
//! For example, a path from the top row of a board to the bottom row has a member in each row.
//!
//! If a word is narrow, all its cells are compared with a symbol at once, and the bit of a cell in the set is the top
//! bit of the cell in the word. If it is wide, the cells are read one by one, and their bits follow one another.

use super::layout::Layout;
use crate::rules::{Condition, Connection, Count, MAX_CELLS, Symbol, SymbolSet};

/// The number of bits in each of the integers that make up a set of cells.
const BITS: usize = u64::BITS as usize;

/// The most integers that make up a set of cells, if rules have the most cells that they may have.
const MOST: usize = MAX_CELLS.div_ceil(BITS);

/// The most views of a narrow word, see [`super::Word::Views`].
const NARROW: usize = 3;

/// A compiled test of the members of a state: those cells that hold one of some symbols.
#[derive(Debug, Clone)]
pub struct MembersTest {
    reader: MembersReader,
    /// The number of integers that make up a set of cells.
    limbs: usize,
    wanted: WantedMembers,
}

/// The way to find the members in a word.
#[derive(Debug, Clone)]
enum MembersReader {
    /// All cells are in one view, and are compared with one symbol at once.
    Alone {
        cells: ViewedCells<u64>,
        /// The top bits of all cells if the members are the cells that hold the symbol, and 0 if they are the others.
        flipped: u64,
    },
    /// All cells of a view are compared with a symbol at once.
    Together {
        /// The cells in each view.
        cells: Box<[ViewedCells<Box<[u64]>>]>,
        /// `true` if the members are the cells that hold none of the compared symbols.
        inverted: bool,
    },
    /// The cells are read one by one.
    OneByOne {
        /// For each cell, the number of its view, and the distance of its lowest bit from the bottom of the view.
        places: Box<[(usize, u32)]>,
        /// As many ones as a cell has bits, at the bottom.
        mask: u64,
        symbols: SymbolSet,
    },
}

/// The cells in one view of a word that a test looks at.
#[derive(Debug, Clone)]
struct ViewedCells<E> {
    /// The top bits of the cells.
    top: u64,
    /// All bits of the cells but the top ones.
    rest: u64,
    /// For each symbol that the cells are compared with: the view in which every cell holds it.
    everywhere: E,
}

/// The condition that the members must satisfy.
#[derive(Debug, Clone)]
enum WantedMembers {
    /// The number of members is at least the first bound and at most the second.
    Count(usize, usize),
    /// A path of members joins two sides.
    Path {
        /// Sets of cells, one after another, each of which has a member of every path. The first set is one side, and
        /// the last one is the other side.
        met: Box<[u64]>,
        /// For each bit of a set, the set of the neighbours of the cell that has the bit. The sets follow one another.
        neighbours: Box<[u64]>,
    },
}

/// The cells that a test looks at, and the bit of each in a set.
struct MemberBits<'a> {
    layout: &'a Layout,
    cells: Vec<usize>,
    narrow: bool,
}

impl<'a> MemberBits<'a> {
    fn new(layout: &'a Layout, cells: Vec<usize>) -> Self {
        let narrow = layout.views.iter().all(|place| place.limb < NARROW);
        Self { layout, cells, narrow }
    }

    /// The number of the bit of a cell.
    fn bit(&self, cell: usize) -> usize {
        if self.narrow {
            let place = self.layout.views[cell];
            return place.limb * BITS + (place.shift + self.layout.bits) as usize - 1;
        }
        self.cells.binary_search(&cell).expect("all cells are listed")
    }

    /// The number of integers that make up a set.
    fn limbs(&self) -> usize {
        self.cells.iter().map(|&cell| self.bit(cell) / BITS + 1).max().unwrap_or(0)
    }

    fn set(&self, cells: impl Iterator<Item = usize>) -> Box<[u64]> {
        let mut set = vec![0; self.limbs()];
        cells.map(|cell| self.bit(cell)).for_each(|bit| set[bit / BITS] |= 1 << (bit % BITS));
        set.into()
    }

    /// The reader of the cells that hold one of the given symbols.
    fn reader(&self, symbols: SymbolSet) -> MembersReader {
        let Layout { bits, mask, .. } = *self.layout;
        if !self.narrow {
            let places = self.cells.iter().map(|&cell| self.layout.views[cell]).map(|place| (place.limb, place.shift));
            return MembersReader::OneByOne { places: places.collect(), mask, symbols };
        }
        let all = SymbolSet::all(self.layout.symbols());
        let inverted = 2 * symbols.len() > all.len();
        let compared: Vec<Symbol> = if inverted { all.minus(symbols) } else { symbols }.iter().collect();
        let cells = (0..self.limbs()).map(|view| {
            let fields = |code: u64| {
                let here = self.cells.iter().map(|&cell| self.layout.views[cell]).filter(|place| place.limb == view);
                here.fold(0, |all, place| all | code << place.shift)
            };
            let everywhere = compared.iter().map(|&symbol| fields(u64::from(symbol)));
            ViewedCells { top: fields(1 << (bits - 1)), rest: fields(mask >> 1), everywhere: everywhere.collect() }
        });
        let cells: Box<[ViewedCells<Box<[u64]>>]> = cells.collect();
        if let [ViewedCells { top, rest, everywhere }] = &cells[..]
            && let [everywhere] = everywhere[..]
        {
            let cells = ViewedCells { top: *top, rest: *rest, everywhere };
            return MembersReader::Alone { cells, flipped: if inverted { 0 } else { *top } };
        }
        MembersReader::Together { cells, inverted }
    }
}

impl MembersTest {
    /// Compiles a condition that is a count or a connection. `None` if it is another one.
    pub fn new(layout: &Layout, condition: &Condition) -> Option<Self> {
        match condition {
            Condition::Unless(_) => None,
            Condition::Count(count) => Some(Self::count(layout, count)),
            Condition::Connection(path) => Some(Self::connection(layout, path)),
        }
    }

    /// Compiles a count: a test whether the number of members is within bounds.
    pub fn count(layout: &Layout, count: &Count) -> Self {
        let bits = MemberBits::new(layout, count.cells.clone());
        let wanted = WantedMembers::Count(count.least, count.most);
        Self { reader: bits.reader(count.symbols), limbs: bits.limbs(), wanted }
    }

    /// Compiles a connection: a test whether a path of members joins two sides.
    pub fn connection(layout: &Layout, connection: &Connection) -> Self {
        let bits = MemberBits::new(layout, connection.cells().into_iter().collect());
        let limbs = bits.limbs();
        let [from, to] = connection.sides.each_ref().map(|side| bits.set(side.iter().copied()));
        let mut neighbours = vec![0; limbs * BITS * limbs];
        for (one, other) in connection.edges.iter().map(|&(one, other)| (bits.bit(one), bits.bit(other))) {
            neighbours[one * limbs + other / BITS] |= 1 << (other % BITS);
            neighbours[other * limbs + one / BITS] |= 1 << (one % BITS);
        }
        let mut met = distance_sets(&from, &to, &neighbours);
        met.extend(&to);
        let wanted = WantedMembers::Path { met: met.into(), neighbours: neighbours.into() };
        Self { reader: bits.reader(connection.symbols), limbs, wanted }
    }

    /// Returns `true` if the members of a state are as the test demands. `views` are the views of its word.
    #[inline(never)]
    pub fn holds(&self, views: &[u64]) -> bool {
        // The common case comes first, and has its own few instructions.
        if let MembersReader::Alone { cells, flipped } = &self.reader {
            let members = cells.members(views[0], *flipped);
            return match &self.wanted {
                WantedMembers::Count(least, most) => (*least..=*most).contains(&(members.count_ones() as usize)),
                WantedMembers::Path { met, neighbours } => joins(&[members], self.limbs, met, neighbours),
            };
        }
        self.holds_elsewhere(views)
    }

    /// Does the work of [`Self::holds`], if the members are not found by one comparison of one view.
    #[inline(never)]
    fn holds_elsewhere(&self, views: &[u64]) -> bool {
        match self.limbs {
            0..=NARROW => self.holds_in::<NARROW>(views),
            _ => self.holds_in::<MOST>(views),
        }
    }

    /// Does the work of [`Self::holds`], if at most `LIMBS` integers make up a set.
    fn holds_in<const LIMBS: usize>(&self, views: &[u64]) -> bool {
        let mut members = [0; LIMBS];
        self.reader.read(views, &mut members);
        match &self.wanted {
            WantedMembers::Count(least, most) => {
                let there = members[..self.limbs].iter().map(|limb| limb.count_ones() as usize).sum();
                (*least..=*most).contains(&there)
            }
            WantedMembers::Path { met, neighbours } => joins(&members, self.limbs, met, neighbours),
        }
    }
}

impl<E> ViewedCells<E> {
    /// A word in which the top bit of a cell is set if the cell holds another symbol than the one that every cell of
    /// `everywhere` holds. Its other bits mean nothing.
    #[inline(always)]
    fn without(&self, view: u64, everywhere: u64) -> u64 {
        let other = view ^ everywhere; // zero in each cell that holds the symbol
        ((other & self.rest) + self.rest) | other
    }
}

impl ViewedCells<u64> {
    /// The members: the cells that hold another symbol than `everywhere`, as top bits, with the bits of `flipped`
    /// flipped.
    #[inline(always)]
    fn members(&self, view: u64, flipped: u64) -> u64 {
        (self.top & self.without(view, self.everywhere)) ^ flipped
    }
}

impl MembersReader {
    /// Writes the set of the members of a state.
    #[inline]
    fn read(&self, views: &[u64], members: &mut [u64]) {
        match self {
            Self::Together { cells, inverted } => {
                for ((cells, view), members) in cells.iter().zip(views).zip(members) {
                    let mut others = cells.top;
                    for &everywhere in &cells.everywhere {
                        others &= cells.without(*view, everywhere);
                    }
                    *members = if *inverted { others } else { others ^ cells.top };
                }
            }
            Self::Alone { cells, flipped } => members[0] = cells.members(views[0], *flipped),
            Self::OneByOne { places, mask, symbols } => {
                for (at, &(view, shift)) in places.iter().enumerate() {
                    let is_member = symbols.contains((views[view] >> shift & mask) as Symbol);
                    members[at / BITS] |= u64::from(is_member) << (at % BITS);
                }
            }
        }
    }
}

/// The sets of cells at distance 0, 1, 2 and so on from the side `from`, up to the first set that has a cell of the
/// side `to`, one set after another. Each step of a path changes the distance by one at most, so a path to the other
/// side has a cell in each set.
fn distance_sets(from: &[u64], to: &[u64], neighbours: &[u64]) -> Vec<u64> {
    let limbs = from.len();
    let meets = |one: &[u64], other: &[u64]| one.iter().zip(other).any(|(a, b)| a & b != 0);
    let (mut sets, mut reached, mut last) = (from.to_vec(), from.to_vec(), from.to_vec());
    while !meets(&last, to) && last.iter().any(|&limb| limb != 0) {
        let mut next = vec![0; limbs];
        for cell in (0..limbs * BITS).filter(|cell| last[cell / BITS] >> (cell % BITS) & 1 != 0) {
            let beside = &neighbours[cell * limbs..][..limbs];
            next.iter_mut().zip(beside).zip(&reached).for_each(|((next, beside), reached)| *next |= beside & !reached);
        }
        reached.iter_mut().zip(&next).for_each(|(reached, next)| *reached |= next);
        sets.extend(&next);
        last = next;
    }
    sets
}

/// Returns `true` if a path of members joins two sides. Sets of cells have `limbs` integers, at most `LIMBS`. `met` and
/// `neighbours` are those of [`WantedMembers::Path`].
fn joins<const LIMBS: usize>(members: &[u64; LIMBS], limbs: usize, met: &[u64], neighbours: &[u64]) -> bool {
    let limbs = limbs.clamp(1, LIMBS);
    // No jump depends on which set has no member, since it could not be foreseen.
    let has_none = |set: &[u64]| (0..limbs).all(|at| members[at] & set[at] == 0);
    let missed = met.chunks_exact(limbs).fold(false, |missed, set| missed | has_none(set));
    // Without a cell there is no path.
    if missed || met.is_empty() {
        return false;
    }
    let (from, to) = (&met[..limbs], &met[met.len() - limbs..]);
    let (mut reached, mut pending) = ([0; LIMBS], [0; LIMBS]);
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::compile::Word;
    use crate::random::Random;
    use crate::rules::Rules;
    use crate::tests::oracle;

    /// Compares a compiled condition with its definition in random states.
    fn compare<W: Word>(rules: &Rules, condition: &Condition, random: &mut Random) {
        let Some(layout) = Layout::new::<W>(rules) else { return };
        let test = MembersTest::new(&layout, condition).unwrap();
        for _ in 0..20 {
            let symbols = rules.symbols.len() as u64;
            let state: Vec<Symbol> = (0..rules.cells()).map(|_| random.below(symbols) as Symbol).collect();
            assert_eq!(test.holds(layout.pack::<W>(&state).views().as_ref()), condition.holds(&state), "{state:?}");
        }
    }

    #[test]
    fn counts_and_connections_hold_by_their_definitions() {
        let mut random = Random::new("members");
        for round in 0..120 {
            let mut below = |count: usize| random.below(count as u64) as usize;
            let (cells, count) = ([4, 9, 16, 25, 60][round % 5], 2 + below(4));
            let names: Vec<String> = (0..count).map(|symbol| symbol.to_string()).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let rules = Rules::new(&oracle::rules(&names, vec!["0".to_owned(); cells], Vec::new())).unwrap();
            let mut some = |most: usize| (0..=below(most)).map(|_| below(cells)).collect::<Vec<_>>();
            let (mut counted, sides, ends) = (some(cells), [some(3), some(3)], [some(3 * cells), some(3 * cells)]);
            counted.sort_unstable();
            counted.dedup();
            let symbols: SymbolSet = (0..=below(count - 1)).map(|symbol| symbol as Symbol).collect();
            let (least, more) = (below(counted.len() + 1), below(cells));
            let edges = ends[0].iter().copied().zip(ends[1].iter().copied()).collect();
            let count = Count { symbols, cells: counted, least, most: least + more };
            for condition in [Condition::Count(count), Condition::Connection(Connection::new(symbols, sides, edges))] {
                compare::<u32>(&rules, &condition, &mut random);
                compare::<u64>(&rules, &condition, &mut random);
                compare::<u128>(&rules, &condition, &mut random);
                compare::<[u64; 4]>(&rules, &condition, &mut random);
            }
        }
    }

    /// Returns `true` if a path of members joins the sides, by the definition: cells that are joined to a side become
    /// part of it, until nothing changes.
    fn joined(members: &[bool], sides: &[Vec<usize>; 2], edges: &[(usize, usize)]) -> bool {
        let mut reached: Vec<bool> = (0..members.len()).map(|at| members[at] && sides[0].contains(&at)).collect();
        for _ in members {
            for (one, other) in edges.iter().flat_map(|&(one, other)| [(one, other), (other, one)]) {
                reached[other] |= reached[one] && members[other];
            }
        }
        sides[1].iter().any(|&at| reached[at])
    }

    proptest! {
        #[test]
        fn a_path_is_found_where_there_is_one(
            (limbs, members) in (0usize..4).prop_flat_map(|limbs| {
                (Just(limbs), prop::collection::vec(prop::bool::weighted(0.7), limbs * BITS))
            }),
            drawn in prop::collection::vec((any::<prop::sample::Index>(), -9isize..10), 0..300),
            sides in [0usize..3, 0usize..9],
        ) {
            let cells = members.len();
            let near = |(at, step): &(prop::sample::Index, isize)| {
                let one = at.index(cells);
                Some((one, one.checked_add_signed(*step).filter(|&other| other < cells)?))
            };
            let drawn = drawn.iter().take_while(|_| cells > 0);
            let edges: Vec<(usize, usize)> = drawn.filter_map(near).collect();
            let sides = [(0..sides[0].min(cells)).collect(), (cells - sides[1].min(cells)..cells).collect::<Vec<_>>()];
            let set = |cells: &[usize]| {
                let mut set = vec![0; limbs];
                for cell in cells {
                    set[cell / BITS] |= 1 << (cell % BITS);
                }
                set
            };
            let mut neighbours = vec![0; cells * limbs];
            for &(one, other) in &edges {
                neighbours[one * limbs + other / BITS] |= 1 << (other % BITS);
                neighbours[other * limbs + one / BITS] |= 1 << (one % BITS);
            }
            let mut met = distance_sets(&set(&sides[0]), &set(&sides[1]), &neighbours);
            met.extend(set(&sides[1]));
            let held: Vec<usize> = (0..cells).filter(|&at| members[at]).collect();
            let mut held_set = [0; 3];
            held_set[..limbs].copy_from_slice(&set(&held));
            prop_assert_eq!(joins(&held_set, limbs, &met, &neighbours), joined(&members, &sides, &edges));
        }
    }
}
