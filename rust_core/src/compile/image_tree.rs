//! The smallest image of a state, found cell by cell, for many symmetries of any kind.
//!
//! The theory is in `docs/enumeration.md`, "How it works".
//!
//! All images are compared at once, cell by cell: only the images with the smallest symbol in their first cell are
//! kept, of these only the ones with the smallest symbol in their second cell, and so on. Most images drop out at the
//! first cell.
//!
//! Symmetries are kept together in *sets* as long as they have read the same cells of the state. A set has a *branch*
//! for each cell of the state that some of its symmetries carry to the next cell of the image. The symbol that is held
//! there tells the smallest symbol that it may become, and the set of the symmetries under which it does.
//!
//! For example, take the state `ba/cd` of four cells and the four rotations of the square. The first set has all four,
//! and a branch for each cell. Only one image begins with `a`, so it is the smallest, and the others are never looked
//! at. If the symbols could also be renamed in any way, four images would begin with `a`, each of six symmetries. These
//! would stay together, six in a set, and take no longer than one.
//!
//! The sets are a tree, which is cut where it would be too large for the cache. The symmetries of a set without
//! branches are tried one by one.
//!
//! All symmetries may carry the first cells to each other, as those of a board that has other cells beside it. Then
//! these cells alone tell how the smallest image begins, and a search that has met them before goes on after them; see
//! [`super::image_memo`].
//!
//! Nothing here depends on the width of words, so it is compiled once for all of them.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::ops::Range;

use super::image_memo::{FirstCells, ImageMemo, MEMORY, MOST_CELLS, MOST_ITEMS, Remembered};
use crate::rules::{Symbol, Symmetry};

/// The most bytes of the steps of a tree, so that they fit the second-level cache.
const MOST_BYTES: usize = 1 << 19;

/// The number of bits of a step that hold a symbol. The bits above hold the *item* that comes next: the number of a
/// set, or that of a single symmetry with the bit [`ALONE`].
const SYMBOL_BITS: u32 = 8;

/// The bit of an item that is set if the item is a single symmetry, and not a set.
const ALONE: u32 = 1 << (u32::BITS - SYMBOL_BITS - 1);

/// A set of fewer symmetries has no branches.
const FEWEST: usize = 4;

/// The number of cells in which images are compared at once, if they are compared one by one.
const TOGETHER: usize = size_of::<u32>();

/// A list of symmetries, prepared for the comparison cell by cell.
#[derive(Debug, Clone)]
pub struct ImageTree {
    /// The number of symmetries, of cells, and of symbols.
    order: usize,
    cells: usize,
    symbols: usize,
    /// `sources[at * cells + cell]` is the cell of the state whose symbol goes to `cell` of the image under symmetry
    /// `at`.
    sources: Vec<u16>,
    /// `renamed[at * symbols + symbol]` is the symbol that symmetry `at` turns `symbol` into.
    renamed: Vec<Symbol>,
    sets: Vec<SymmetrySet>,
    /// The symmetries of all sets by their numbers, one set after another.
    members: Vec<u16>,
    /// The branches of all sets, each as the cell of the state that it reads.
    branches: Vec<u16>,
    /// For each branch, and then for each symbol that may be read there: the smallest symbol that it becomes, and the
    /// item that comes next, packed in one number.
    steps: Vec<u32>,
    first: Option<FirstCells>,
}

/// Symmetries that have read the same cells of the state so far: ranges of [`ImageTree::members`] and of
/// [`ImageTree::branches`]. It has no branches if the tree was cut here, or if the image is complete.
#[derive(Debug, Clone, Copy)]
struct SymmetrySet {
    members: (u32, u32),
    branches: (u32, u32),
}

/// The result of a search for the smallest image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeadingSymmetries {
    /// The number of symmetries that lead to the smallest image.
    pub count: u64,
    /// The number of symbols that were read and written to find the image.
    pub work: usize,
}

impl ImageTree {
    /// Prepares at least one symmetry of a board with `cells` cells and `symbols` symbols. A group has at most 4,096
    /// symmetries.
    pub fn new(symmetries: &[Symmetry], cells: usize, symbols: usize) -> Self {
        let order = symmetries.len();
        let (mut sources, mut renamed) = (vec![0; cells * order], vec![0; symbols * order]);
        for (at, symmetry) in symmetries.iter().enumerate() {
            symmetry.cells.iter().enumerate().for_each(|(from, &to)| sources[at * cells + to] = from as u16);
            renamed[at * symbols..][..symbols].copy_from_slice(&symmetry.symbols);
        }
        let tree = Self {
            order,
            cells,
            symbols,
            sources,
            renamed,
            sets: Vec::new(),
            members: Vec::new(),
            branches: Vec::new(),
            steps: Vec::new(),
            first: None,
        };
        let mut builder = ImageTreeBuilder { tree, known: HashMap::new(), waiting: BinaryHeap::new() };
        builder.item(0, (0..order as u16).collect());
        builder.grow();
        builder.tree
    }

    /// The symmetries of a set.
    fn members(&self, set: SymmetrySet) -> &[u16] {
        &self.members[set.members.0 as usize..set.members.1 as usize]
    }

    /// The symbol in a cell of the image of a state under one symmetry.
    #[inline(always)]
    fn image(&self, symmetry: usize, cell: usize, state: &[Symbol]) -> Symbol {
        let held = state[usize::from(self.sources[symmetry * self.cells + cell])];
        self.renamed[symmetry * self.symbols + usize::from(held)]
    }

    /// Remembers how the images of states begin, if the first cells alone tell it. The number of these cells is chosen
    /// by some states: the smallest after which at least half of the work is done, for at least half of the states.
    /// (Most of the work for all states together is for a few, which nearly all symmetries leave as they are.)
    pub fn remembering(mut self, states: &[Vec<Symbol>]) -> Self {
        let image = &mut vec![0; self.cells.next_multiple_of(MOST_CELLS)];
        let mut work = |state: &[Symbol], cells: usize| self.search(state, image, cells, true).work;
        let mut decides = |cells: usize| {
            let early = states.iter().filter(|state| 2 * work(state, cells) >= work(state, self.cells));
            2 * early.count() >= states.len()
        };
        // Only the first cells are carried there.
        let alone = |cells: usize| {
            let mut sources = self.sources.chunks(self.cells).flat_map(|sources| &sources[..cells]);
            sources.all(|&source| usize::from(source) < cells)
        };
        let first = (1..self.cells.min(MOST_CELLS + 1)).find(|&cells| alone(cells) && decides(cells));
        self.first = first.map(FirstCells::new);
        self
    }

    /// Writes the smallest image of a state into `smallest`. Both slices have a symbol for each cell, and then others,
    /// at least [`MOST_CELLS`] in all.
    pub fn smallest(&self, state: &[Symbol], smallest: &mut [Symbol]) -> LeadingSymmetries {
        self.search(state, smallest, self.cells, true)
    }

    /// The number of symmetries that lead to the smallest image of a state. The search ends as soon as one alone is
    /// left. The slices are as long as those of [`Self::smallest`], and what it writes into `image` has no meaning.
    pub fn leading(&self, state: &[Symbol], image: &mut [Symbol]) -> u64 {
        self.search(state, image, self.cells, false).count
    }

    /// Writes the first `cells` cells of the smallest image of a state. If it need not be `whole`, cells may be left
    /// out as soon as only one symmetry leads to it.
    fn search(&self, state: &[Symbol], image: &mut [Symbol], cells: usize, whole: bool) -> LeadingSymmetries {
        let mut memory = MEMORY.take().unwrap_or_default();
        let [left, steps] = &mut memory.lists;
        // Each symmetry is in one item at most.
        if left.len() < self.order.max(MOST_ITEMS) {
            left.resize(self.order.max(MOST_ITEMS), 0);
            steps.resize(left.len(), 0);
        }
        // A single symmetry has no set. Of several, the first set has all.
        left[0] = if self.sets.is_empty() { ALONE } else { 0 };
        let mut search = ImageSearch { tree: self, state, image, cell: 0, left, count: 1, steps, work: 0, whole: true };
        if let Some(first) = self.first {
            search.begin(first, &mut memory.memo);
        }
        // Until here, the search had to be whole: the memo keeps its result for other searches, too.
        search.whole = whole;
        search.advance(cells);
        let size = |&item: &u32| if item & ALONE != 0 { 1 } else { self.members(self.sets[item as usize]).len() };
        let count = search.left[..search.count].iter().map(size).sum::<usize>() as u64;
        let work = search.work + self.cells;
        MEMORY.set(Some(memory));
        LeadingSymmetries { count, work }
    }

    /// Returns `true` if an item is a set with branches.
    #[inline(always)]
    fn has_branches(&self, item: u32) -> bool {
        item & ALONE == 0 && self.sets[item as usize].branches.1 > 0
    }

    /// The step that a branch takes in a state.
    #[inline(always)]
    fn branch_step(&self, branch: usize, state: &[Symbol]) -> u32 {
        let held = state[usize::from(self.branches[branch])];
        self.steps[branch * self.symbols + usize::from(held)]
    }

    /// The symbols in some cells of the image of a state under one symmetry, joined to one number. There are at most
    /// [`TOGETHER`] cells.
    #[inline(always)]
    fn joined(&self, symmetry: usize, cells: Range<usize>, state: &[Symbol]) -> u32 {
        cells.fold(0, |joined, cell| joined << u8::BITS | u32::from(self.image(symmetry, cell, state)))
    }

    /// Writes some cells of the image of a state under one symmetry.
    fn write(&self, symmetry: usize, state: &[Symbol], cells: Range<usize>, image: &mut [Symbol]) {
        let sources = &self.sources[symmetry * self.cells..][cells.clone()];
        let renamed = &self.renamed[symmetry * self.symbols..][..self.symbols];
        for (symbol, &source) in image[cells].iter_mut().zip(sources) {
            *symbol = renamed[usize::from(state[usize::from(source)])];
        }
    }
}

/// A search for the smallest image of a state.
struct ImageSearch<'a> {
    tree: &'a ImageTree,
    state: &'a [Symbol],
    /// The smallest image. The cells before `cell` are known.
    image: &'a mut [Symbol],
    cell: usize,
    /// The first `count` numbers are the items that lead to these cells of the image.
    left: &'a mut Vec<u32>,
    count: usize,
    /// A number for each of these items: the step that it takes, or at the end some symbols of its image.
    steps: &'a mut Vec<u32>,
    /// The number of symbols that were read and written.
    work: usize,
    /// `true` if each cell of the image is to be written.
    whole: bool,
}

impl ImageSearch<'_> {
    /// Finds the first cells that are remembered, or takes them from the memo.
    fn begin(&mut self, first: FirstCells, memo: &mut ImageMemo) {
        let key = first.of(self.state);
        let entry = memo.entry(first, key);
        if entry.is_of(key) {
            self.image[..MOST_CELLS].copy_from_slice(&entry.image);
            self.left[..MOST_ITEMS].copy_from_slice(&entry.items);
            (self.cell, self.count) = (first.count, entry.count as usize);
            return;
        }
        self.advance(first.count);
        if self.count <= MOST_ITEMS {
            let mut made = Remembered { key, count: self.count as u32, ..Remembered::default() };
            made.image.copy_from_slice(&self.image[..MOST_CELLS]);
            made.items.copy_from_slice(&self.left[..MOST_ITEMS]);
            *entry = made;
        }
    }

    /// Finds the cells of the image before `end`.
    fn advance(&mut self, end: usize) {
        self.follow_branches(end);
        if self.cell < end {
            if self.count > 1 || self.left[0] & ALONE == 0 {
                self.split_sets();
            }
            self.compare(end);
        }
    }

    /// Finds the image cell by cell, as long as some item has branches.
    fn follow_branches(&mut self, end: usize) {
        while self.cell < end {
            let items = &self.left[..self.count];
            if !items.iter().any(|&item| self.tree.has_branches(item)) {
                break;
            }
            if let [set] = items
                && let (begin, end) = self.tree.sets[*set as usize].branches
                && begin + 1 == end
            {
                let step = self.tree.branch_step(begin as usize, self.state);
                (self.image[self.cell], self.left[0]) = (step as Symbol, step >> SYMBOL_BITS);
                self.work += 1;
            } else {
                self.step();
            }
            self.cell += 1;
        }
    }

    /// Finds the smallest symbol in the next cell of the images of all items, and keeps the items that have it there.
    fn step(&mut self) {
        let Self { tree, state, cell, .. } = *self;
        let (mut found, mut least) = (0, Symbol::MAX);
        let mut add = |step: u32| {
            self.steps[found] = step;
            found += 1;
            least = least.min(step as Symbol);
        };
        let alone = |at: usize| (at as u32 | ALONE) << SYMBOL_BITS | u32::from(tree.image(at, cell, state));
        for &item in &self.left[..self.count] {
            if item & ALONE != 0 {
                add(alone((item ^ ALONE) as usize));
                continue;
            }
            let set = tree.sets[item as usize];
            (set.branches.0..set.branches.1).for_each(|branch| add(tree.branch_step(branch as usize, state)));
            if set.branches.1 == 0 {
                tree.members(set).iter().for_each(|&at| add(alone(usize::from(at))));
            }
        }
        self.image[cell] = least;
        self.work += found;
        // No jump depends on which items are kept, since it could not be foreseen.
        self.count = 0;
        for &step in &self.steps[..found] {
            self.left[self.count] = step >> SYMBOL_BITS;
            self.count += usize::from(step as Symbol == least);
        }
    }

    /// Replaces the sets that are left by their symmetries.
    fn split_sets(&mut self) {
        let (tree, mut all) = (self.tree, 0);
        for &item in &self.left[..self.count] {
            let alone = [(item & !ALONE) as u16];
            let members = if item & ALONE != 0 { &alone } else { tree.members(tree.sets[item as usize]) };
            for &at in members {
                self.steps[all] = u32::from(at) | ALONE;
                all += 1;
            }
        }
        self.left[..all].copy_from_slice(&self.steps[..all]);
        self.count = all;
    }

    /// Finds the cells before `end` by comparing the images of all symmetries that are left, [`TOGETHER`] cells at a
    /// time.
    fn compare(&mut self, end: usize) {
        let Self { tree, state, .. } = *self;
        while self.cell < end && self.count > 1 {
            let next = (self.cell + TOGETHER).min(end);
            let mut least = u32::MAX;
            for (step, &item) in self.steps.iter_mut().zip(&self.left[..self.count]) {
                *step = tree.joined((item ^ ALONE) as usize, self.cell..next, state);
                least = least.min(*step);
            }
            let bytes = least.to_be_bytes();
            self.image[self.cell..next].copy_from_slice(&bytes[self.cell + TOGETHER - next..]);
            self.work += self.count * (next - self.cell);
            self.cell = next;
            let compared = std::mem::take(&mut self.count);
            for at in 0..compared {
                self.left[self.count] = self.left[at];
                self.count += usize::from(self.steps[at] == least);
            }
        }
        if self.whole && self.cell < end {
            tree.write((self.left[0] ^ ALONE) as usize, state, self.cell..end, self.image);
            self.cell = end;
        }
    }
}

/// A tree that is being built.
struct ImageTreeBuilder {
    tree: ImageTree,
    /// The item of each set of symmetries, by the number of cells that these have written, and by its members.
    known: HashMap<(usize, Vec<u16>), u32>,
    /// The sets that may get branches, the largest in front: their sizes, their numbers, counted down, and the number
    /// of cells that they have written.
    waiting: BinaryHeap<(usize, Reverse<u32>, usize)>,
}

impl ImageTreeBuilder {
    /// The item of a set of symmetries which have written the first `cell` cells of an image.
    fn item(&mut self, cell: usize, members: Vec<u16>) -> u32 {
        if let [alone] = members[..] {
            return u32::from(alone) | ALONE;
        }
        // The number of written cells matters only to branches.
        let branches = members.len() >= FEWEST && cell < self.tree.cells;
        let key = (if branches { cell } else { self.tree.cells }, members);
        if let Some(&item) = self.known.get(&key) {
            return item;
        }
        let (item, begin) = (self.tree.sets.len() as u32, self.tree.members.len() as u32);
        self.tree.members.extend(&key.1);
        self.tree.sets.push(SymmetrySet { members: (begin, self.tree.members.len() as u32), branches: (0, 0) });
        if branches {
            self.waiting.push((key.1.len(), Reverse(item), cell));
        }
        self.known.insert(key, item);
        item
    }

    /// Gives branches to sets, the largest first, until all have some or the tree is full.
    fn grow(&mut self) {
        while let Some((_, Reverse(item), cell)) = self.waiting.pop() {
            let mut by_source: Vec<(u16, Vec<u16>)> = Vec::new();
            for &at in self.tree.members(self.tree.sets[item as usize]) {
                let source = self.tree.sources[usize::from(at) * self.tree.cells + cell];
                match by_source.iter_mut().find(|(known, _)| *known == source) {
                    Some((_, members)) => members.push(at),
                    None => by_source.push((source, vec![at])),
                }
            }
            let steps = self.tree.steps.len() + by_source.len() * self.tree.symbols;
            if steps * size_of::<u32>() > MOST_BYTES {
                break;
            }
            let begin = self.tree.branches.len() as u32;
            for (source, members) in by_source {
                self.tree.branches.push(source);
                for symbol in 0..self.tree.symbols {
                    let step = self.symbol_step(cell, &members, symbol);
                    self.tree.steps.push(step);
                }
            }
            self.tree.sets[item as usize].branches = (begin, self.tree.branches.len() as u32);
        }
    }

    /// The step of symmetries that carry a cell of the state, which holds `symbol`, to `cell` of the image.
    fn symbol_step(&mut self, cell: usize, members: &[u16], symbol: usize) -> u32 {
        let image = |&at: &u16| self.tree.renamed[usize::from(at) * self.tree.symbols + symbol];
        let least = members.iter().map(image).min().expect("a branch has a symmetry");
        let leading = members.iter().copied().filter(|at| image(at) == least).collect();
        self.item(cell + 1, leading) << SYMBOL_BITS | u32::from(least)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Any symmetries of six cells and five symbols: permutations of the cells, each with a renaming.
    fn symmetries() -> impl Strategy<Value = Vec<Symmetry>> {
        let all = |count: usize| Just((0..count).collect::<Vec<_>>()).prop_shuffle();
        // The cells beyond `fixed` stay, and so many images begin alike.
        let one = (all(6), all(5), 0usize..6).prop_map(|(mut cells, symbols, fixed)| {
            let mut rest: Vec<usize> = cells.iter().copied().filter(|&cell| cell < fixed).collect();
            rest.extend(fixed..6);
            cells.copy_from_slice(&rest);
            let symbols = symbols.into_iter().map(|symbol| symbol as Symbol).collect();
            Symmetry { cells, symbols, ..Symmetry::identity(6, 5) }
        });
        prop::collection::vec(one, 1..40)
    }

    proptest! {
        #[test]
        fn the_smallest_image_is_found_with_any_symmetries(
            symmetries in symmetries(),
            states in prop::collection::vec(prop::collection::vec(0u8..5, 6), 1..20),
        ) {
            let tree = ImageTree::new(&symmetries, 6, 5);
            // The same sets without branches, as if the tree had been full at once.
            let mut cut = tree.clone();
            cut.sets.iter_mut().for_each(|set| set.branches = (0, 0));
            // Six cells and those up to the length that is asked for.
            let padded = |state: &Vec<Symbol>| [&state[..], &[0; MOST_CELLS - 6]].concat();
            let all: Vec<Vec<Symbol>> = states.iter().map(padded).collect();
            for (state, padded) in states.iter().zip(&all) {
                let images: Vec<Vec<Symbol>> = symmetries.iter().map(|symmetry| symmetry.apply(state)).collect();
                let least = images.iter().min().unwrap();
                let count = images.iter().filter(|image| *image == least).count() as u64;
                for tree in [&tree, &cut] {
                    let mut smallest = vec![9; MOST_CELLS];
                    prop_assert_eq!(tree.leading(padded, &mut smallest), count);
                    smallest.fill(9);
                    prop_assert_eq!(tree.smallest(padded, &mut smallest).count, count);
                    prop_assert_eq!(&smallest[..6], least);
                }
            }
        }

        /// As the pieces of a game that are left lie beside its board.
        #[test]
        fn so_it_is_if_the_first_cells_are_remembered(
            symmetries in symmetries(),
            boards in prop::collection::vec(prop::collection::vec(0u8..5, 6), 1..4),
            besides in prop::collection::vec(prop::collection::vec(0u8..5, 3), 1..20),
        ) {
            // The cells beside the first six are turned by some symmetries.
            let beside = |(at, given): (usize, &Symmetry)| {
                let cells = given.cells.iter().copied().chain((0..3).map(|cell| 6 + (cell + at) % 3)).collect();
                Symmetry { cells, ..given.clone() }
            };
            let symmetries: Vec<Symmetry> = symmetries.iter().enumerate().map(beside).collect();
            let state = |board: &[Symbol], beside: &[Symbol]| [board, beside, &[0; MOST_CELLS - 9]].concat();
            let samples: Vec<Vec<Symbol>> = boards.iter().map(|board| state(board, &besides[0])).collect();
            let tree = ImageTree::new(&symmetries, 9, 5);
            let cells = tree.clone().remembering(&[]).first.map_or(0, |first| first.count);
            prop_assert!((1..=6).contains(&cells), "{cells}");
            let tree = tree.remembering(&samples);
            for (board, beside) in boards.iter().flat_map(|board| besides.iter().map(move |beside| (board, beside))) {
                let state = state(board, beside);
                let images: Vec<Vec<Symbol>> = symmetries.iter().map(|symmetry| symmetry.apply(&state[..9])).collect();
                let least = images.iter().min().unwrap();
                let count = images.iter().filter(|image| *image == least).count() as u64;
                let mut smallest = vec![9; MOST_CELLS];
                // The image of the board is remembered whole, even if this search only counts symmetries.
                prop_assert_eq!(tree.leading(&state, &mut smallest), count);
                smallest.fill(9);
                prop_assert_eq!(tree.smallest(&state, &mut smallest).count, count);
                prop_assert_eq!(&smallest[..9], least);
            }
        }
    }
}
