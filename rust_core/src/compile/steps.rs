//! The moves of one player: which can be made in a state, without trying every move, and which ends each can complete.
//!
//! The theory is in `docs/enumeration.md`, "How it works".

use std::sync::Arc;

use super::always::always_moves;
use super::end_runs::EndRuns;
use super::guard_tree::ListedMoves;
use super::guards::Guard;
use super::layout::Layout;
use super::move_finder::MoveFinder;
use super::move_sets::{FEW_WORDS, FoundMoves};
use super::move_walks::MoveWalks;
use super::moves::Effect;
use super::steps_plan::{PlannedMove, SharedTest, StepsPlan, own_moves};
use super::word::Word;
use crate::ordered::{OrderedMap, OrderedSet};
use crate::rules::{Move, Rules, Symbol};
use crate::sorting::Gather;

/// A move that one player can make, compiled to operations on a word. What is needed of every move that is tried comes
/// first, in this order, so that it takes fewer lines of the cache; and each move begins with a line of its own.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct CompiledMove<W> {
    /// The test for what the guard demands beyond the pivot and [`Self::without`]; `None` if it demands nothing else.
    guard: Option<Guard<W>>,
    /// The top bits of the cells that the guard forbids to hold the pivot, and the bits of the shared conditions that
    /// the guard demands; see [`SharedTest`].
    pub(super) without: W,
    /// The effect of the move.
    pub effect: Effect<W>,
    /// The ends that may begin to hold by this move, by their numbers, in order of precedence. An end that demands the
    /// same as an earlier one is left out.
    pub ends: Box<[usize]>,
    /// The runs of these ends of which some may be passed over at once, if there are any.
    pub runs: Option<Box<EndRuns<W>>>,
    /// The number of the move in the rules.
    pub index: usize,
}

impl<W: Word> CompiledMove<W> {
    /// The number of tests that tell whether an end holds after the move, if most runs of ends are passed over.
    pub fn end_tests(&self) -> usize {
        self.runs.as_ref().map_or(self.ends.len(), |runs| runs.tests())
    }

    /// Returns `true` if the guard demands more than the pivot.
    pub(super) fn demands(&self) -> bool {
        self.guard.is_some() || self.without != W::ZERO
    }

    /// Returns `true` if a state satisfies what the guard demands beyond [`Self::without`] and what finds the move.
    #[inline(always)]
    pub fn can(&self, word: W) -> bool {
        self.guard.as_ref().is_none_or(|guard| guard.holds(word))
    }
}

/// The moves of one player, compiled so that the possible ones are found quickly. If every move needs the same symbol
/// in some cell, this symbol is the *pivot*, such as the blank of a sliding puzzle. If many moves would still be tried
/// for each that can be made, a [`MoveFinder`] finds the possible ones.
#[derive(Debug)]
pub struct Steps<W> {
    /// The moves. Those that need the pivot in the same cell are neighbours.
    pub list: Vec<CompiledMove<W>>,
    pivot: Option<Pivot<W>>,
    /// The counts that are tested once for a state. There are none if there is a finder, which has its own.
    shared: Vec<SharedTest>,
    /// Finds the moves that may be made. If there is one, there is no pivot.
    pub(super) finder: Option<Box<MoveFinder>>,
    /// `true` if some move can be made in every state in which no end holds.
    pub always: bool,
    /// The player's forced pass, if the rules have one. It is also the last move in [`Self::list`].
    pass: Option<Box<Pass<W>>>,
}

/// The forced pass of a player. It can be made only if the player has no other move, and the other player has a move.
#[derive(Debug)]
struct Pass<W> {
    /// The moves of the other player, without passes.
    other: Steps<W>,
    /// The effect of the pass. It changes nothing but the cell that says whose turn it is, if there is one.
    effect: Effect<W>,
}

/// The pivot: a symbol that every move needs in some cell, such as the empty cell in which a mark is put. A few
/// operations on the word find all cells that hold the pivot. Then only moves are tried that need it in one of these
/// cells.
#[derive(Debug)]
struct Pivot<W> {
    /// The word in which every cell holds the pivot.
    everywhere: W,
    /// The word in which the top bit of every cell is set.
    top: W,
    /// The word in which all bits of every cell but the top one are set.
    rest: W,
    /// For each bit of the word that is the top bit of a cell: the range in [`Steps::list`] of the moves that need the
    /// pivot in this cell.
    ranges: Vec<(u32, u32)>,
    /// The filter that rules out many cells at once, if there is one.
    filter: Option<Filter<W>>,
    /// The top bits of the cells in which the pivot is all that some move needs.
    enough: W,
}

/// A test that rules out moves in several cells by one shift of the word. It is applied to cells of this kind: all
/// moves that need the pivot in the cell also forbid it in another cell, and the distance to that other cell in the
/// word is the same for all these cells.
///
/// For example, disks fall in the columns of a board of three rows and two columns. The pivot is the empty cell. A disk
/// comes to rest in a cell of the first two rows only if the cell below, two numbers on, is not empty. Let the cells 0,
/// 1 and 2 be empty, and the others full. The cell below cell 0 is empty, so cell 0 is ruled out. Moves are tried in
/// the cells 1 and 2.
#[derive(Debug)]
struct Filter<W> {
    /// The number of bits by which the word is shifted, so that the other cell's bits come to the place of the cell to
    /// which the filter is applied.
    distance: i32,
    /// The top bits of the cells to which the filter is applied.
    cells: W,
}

impl<W: Word> Filter<W> {
    /// Makes the filter that can be applied to the most cells. `None` if that is at most half of the cells in which
    /// moves need the pivot, or if a word has several limbs.
    fn new(layout: &Layout, moves: &[PlannedMove]) -> Option<Self> {
        if W::LIMBS > 1 {
            return None; // such words cannot be moved by a distance
        }
        let (distance, cells) = filtered(layout, moves)?;
        Some(Self { distance, cells: top_bits(layout, &cells) })
    }
}

/// The distance of the filter that can be applied to the most cells, and these cells. `None` if they are at most half
/// of the cells in which moves need the pivot.
fn filtered(layout: &Layout, moves: &[PlannedMove]) -> Option<(i32, Vec<usize>)> {
    let of_cells = || moves.iter().filter_map(|planned| Some((planned.at?, &planned.without)));
    let first: OrderedSet<usize> = of_cells().map(|(cell, _)| cell).gather();
    let mut found: OrderedMap<i32, Vec<usize>> = OrderedMap::new();
    for &cell in &first {
        for other in 0..layout.cells() {
            if of_cells().filter(|&(own, _)| own == cell).all(|(_, without)| without.contains(&other)) {
                let distance = layout.slots[cell].shift.cast_signed() - layout.slots[other].shift.cast_signed();
                found.value_or(distance, Vec::new).push(cell);
            }
        }
    }
    let (distance, cells) = found.into_iter().max_by_key(|(distance, cells)| (cells.len(), -distance.abs()))?;
    (cells.len() * 2 > first.len()).then_some((distance, cells))
}

/// The word in which the top bits of the given cells are set.
fn top_bits<W: Word>(layout: &Layout, cells: &[usize]) -> W {
    cells.iter().fold(W::ZERO, |word, &cell| word.or(W::at(layout.slots[cell], 1 << (layout.bits - 1))))
}

impl<W: Word> Pivot<W> {
    fn new(layout: &Layout, symbol: Symbol) -> Self {
        let cells = || 0..layout.cells();
        let every = |bits: u64| cells().fold(W::ZERO, |word, cell| word.or(W::at(layout.slots[cell], bits)));
        let top = 1 << (layout.bits - 1);
        Self {
            everywhere: every(u64::from(symbol)),
            top: every(top),
            rest: every(top - 1),
            ranges: vec![(0, 0); W::LIMBS * W::LIMB_BITS as usize],
            filter: None,
            enough: W::ZERO,
        }
    }

    /// Finds the cells that hold the pivot. The result is a word in which their top bits are set.
    #[inline(always)]
    fn find(&self, word: W) -> W {
        let other = word.xor(self.everywhere); // zero in each cell that holds the symbol
        other.and(self.rest).add(self.rest).or(other).not().and(self.top)
    }

    /// Of the cells in `found`, which hold the pivot, those that the filter does not rule out, again as top bits.
    #[inline(always)]
    fn tried(&self, found: W) -> W {
        match &self.filter {
            None => found,
            Some(filter) => found.and(found.shifted(filter.distance).and(filter.cells).not()),
        }
    }
}

impl<W: Word> Steps<W> {
    /// Compiles the moves of one player, and the forced pass if the rules have one.
    pub fn new(rules: &Rules, layout: &Layout, player: usize) -> Self {
        let steps = Self::of_moves(rules, layout, player, own_moves(rules, player)).with_pass(rules, layout, player);
        let always = steps.always || always_moves(rules, &own_moves(rules, player));
        Self { always, ..steps }
    }

    /// The moves of a player, compiled without the pass, and the pass if the rules have one.
    pub(super) fn with_pass(self, rules: &Rules, layout: &Layout, player: usize) -> Self {
        let mut steps = self;
        if let Some((index, given)) = rules.moves.iter().enumerate().find(|(_, given)| given.forced) {
            let other = rules.next_player(player);
            let effect = || Effect::new(rules, layout, whole(layout), given);
            let other = Self::of_moves(rules, layout, other, own_moves(rules, other));
            steps.pass = Some(Box::new(Pass { other, effect: effect() }));
            steps.list.push(CompiledMove {
                index,
                guard: None,
                without: W::ZERO,
                effect: effect(),
                ends: Box::default(),
                runs: None,
            });
        }
        steps
    }

    /// Compiles the given moves as the moves of one player. The number that comes with each becomes
    /// [`CompiledMove::index`].
    pub fn of_moves(rules: &Rules, layout: &Layout, player: usize, moves: Vec<(usize, &Move)>) -> Self {
        let mut plan = StepsPlan::new(rules, player, moves);
        plan.share(layout, W::LIMBS, W::LIMB_BITS);
        Self::of_plan(rules, layout, plan, None)
    }

    /// Compiles planned moves, and takes what finds them.
    pub(super) fn of_plan(
        rules: &Rules,
        layout: &Layout,
        mut plan: StepsPlan,
        finder: Option<Box<MoveFinder>>,
    ) -> Self {
        plan.find_runs(rules, layout);
        let StepsPlan { always, symbol, shared, moves: planned } = plan;
        let mut pivot: Option<Pivot<W>> = symbol.map(|symbol| Pivot::new(layout, symbol));
        let all = whole(layout);
        if let Some(pivot) = &mut pivot {
            pivot.filter = Filter::new(layout, &planned);
            for (place, cell) in planned.iter().enumerate().filter_map(|(place, planned)| Some((place, planned.at?))) {
                let slot = layout.slots[cell];
                let bit = slot.limb * W::LIMB_BITS as usize + (slot.shift + layout.bits - 1) as usize;
                let range = &mut pivot.ranges[bit];
                let begin = if range.0 == range.1 { place as u32 } else { range.0 };
                *range = (begin, place as u32 + 1);
                if planned[place].needs_only_pivot() {
                    pivot.enough = pivot.enough.or(top_bits(layout, &[cell]));
                }
            }
        }
        let list = planned.into_iter().map(|planned| {
            let PlannedMove { index, given, without: free, rest, conditions, demanded, ends, runs, .. } = planned;
            let guard = Guard::new(rules, layout, &rest, &given.compares, &conditions);
            CompiledMove {
                index,
                guard: (!guard.is_trivial()).then_some(guard),
                without: demanded.into_iter().fold(top_bits(layout, &free), |bits: W, bit| bits.or(W::at(bit, 1))),
                effect: Effect::new(rules, layout, all, given),
                runs: EndRuns::new(layout, &runs),
                ends: ends.into(),
            }
        });
        let mut list: Vec<CompiledMove<W>> = list.collect();
        // Equal circles are shared, so they take fewer lines of the cache.
        let mut known = OrderedMap::new();
        for step in &mut list {
            if let Effect::Advance(circles) = &mut step.effect {
                *circles = Arc::clone(known.value_or(Arc::clone(circles), || Arc::clone(circles)));
            }
        }
        Self { list, pivot, shared, finder, always, pass: None }
    }

    /// Returns `true` if all moves can be made in every state.
    pub fn never_fail(&self) -> bool {
        self.finder.is_none()
            && self.pivot.is_none()
            && self.pass.is_none()
            && !self.list.iter().any(CompiledMove::demands)
    }

    /// The walks that find all moves, if there are walks, and no pass.
    pub fn walks(&self) -> Option<&MoveWalks> {
        match &**self.finder.as_ref()? {
            MoveFinder::Walks(walks) if self.pass.is_none() => Some(walks),
            _ => None,
        }
    }

    /// The number of moves in the list without the pass.
    fn made(&self) -> u32 {
        self.list.len() as u32 - u32::from(self.pass.is_some())
    }

    /// The moves by the numbers of the top bits of the cells in which they need the pivot, each with its place in the
    /// list. `None` if some cell has several moves, or if moves demand more than which cells hold the pivot.
    pub fn by_cell(&self) -> Option<Vec<(usize, usize)>> {
        let pivot = self.pivot.as_ref().filter(|_| self.shared.is_empty() && self.pass.is_none())?;
        let mut moves = Vec::with_capacity(self.list.len());
        for (bit, &(begin, end)) in pivot.ranges.iter().enumerate() {
            for place in begin as usize..end as usize {
                if end > begin + 1 || self.list[place].guard.is_some() {
                    return None;
                }
                moves.push((bit, place));
            }
        }
        Some(moves)
    }

    /// The top bits of the cells that hold the pivot in a state. The moves must have a pivot.
    #[inline(always)]
    pub fn pivots(&self, word: W) -> W {
        self.pivot.as_ref().expect("the moves have a pivot").find(word)
    }

    /// The top bits of the cells in which moves are tried, among those that [hold the pivot](Self::pivots).
    #[inline(always)]
    pub fn tried(&self, held: W) -> W {
        self.pivot.as_ref().expect("the moves have a pivot").tried(held)
    }

    /// Calls `found` for each move that can be made in a state, with the move's place in the list, until `found`
    /// returns `false`. Returns `true` if `found` never did. The order of the calls depends only on the state. If the
    /// moves are listed before they are tried, they are in `listed`; its memory can be used for the next state.
    #[inline(always)]
    pub fn each(&self, word: W, listed: &mut ListedMoves, found: impl FnMut(usize, &CompiledMove<W>) -> bool) -> bool {
        let given = self.finder.as_ref().map(|finder| finder.find(word, listed));
        self.each_of(word, given, found)
    }

    /// The bits of the shared conditions that a state does not satisfy, if there are any.
    #[inline(always)]
    fn failed(&self, word: W) -> W {
        if self.shared.is_empty() { W::ZERO } else { self.unsatisfied(word) }
    }

    /// Does the work of [`Self::each`]. `given` are the moves to try, if they are known.
    #[inline(always)]
    fn each_of(
        &self,
        word: W,
        given: Option<FoundMoves>,
        mut found: impl FnMut(usize, &CompiledMove<W>) -> bool,
    ) -> bool {
        // The loop is the same for all ways to find the moves, since `found` is inlined into it. With a pivot, each
        // cell that holds it brings a range of moves, and each given move is a range. Otherwise the first range has
        // all moves.
        let (mut held, mut cells, mut range) = (self.failed(word), W::ZERO, (0, 0));
        if let Some(pivot) = &self.pivot {
            let found = pivot.find(word);
            cells = pivot.tried(found);
            held = held.or(found);
        } else if given.is_none() {
            range = (0, self.made());
        }
        let ([mut bits, mut more], listed) = match given {
            None => ([0; FEW_WORDS], [].as_slice()),
            Some(FoundMoves::Bits(bits)) => (bits, [].as_slice()),
            Some(FoundMoves::List(places)) => ([0; FEW_WORDS], places),
        };
        let (mut listed, mut first) = (listed.iter(), 0);
        let mut none = true;
        loop {
            for place in range.0 as usize..range.1 as usize {
                let step = &self.list[place];
                if !step.without.meets(held) && step.can(word) {
                    none = false;
                    if !found(place, step) {
                        return false;
                    }
                }
            }
            if let Some(pivot) = &self.pivot
                && let Some(bit) = cells.take_bit()
            {
                range = pivot.ranges[bit];
                continue;
            }
            // Wide words get no bits; see `MoveFinder::find`.
            if W::BYTES <= 8 && bits == 0 {
                (bits, more, first) = (more, 0, u64::BITS);
            }
            if W::BYTES <= 8 && bits != 0 {
                let place = first + bits.trailing_zeros();
                bits &= bits - 1;
                range = (place, place + 1);
                continue;
            }
            if let Some(&place) = listed.next() {
                range = (place, place + 1);
                continue;
            }
            // The pass is tried in the same loop, and only once: after it, `none` is `false`.
            if !(none && self.passes(word)) {
                return true;
            }
            range = (self.made(), self.list.len() as u32);
        }
    }

    /// Does the same as [`Self::each`], but is compiled once, and calls `found` through a pointer. It is for code in
    /// which the call takes little of the time.
    #[inline(never)]
    pub fn each_called(&self, word: W, found: &mut dyn FnMut(usize, &CompiledMove<W>) -> bool) -> bool {
        match &self.finder {
            None => self.each_of(word, None, found),
            Some(finder) => self.each_of_found(finder, word, found),
        }
    }

    /// Does the work of [`Self::each_called`], if there is a finder.
    fn each_of_found(
        &self,
        finder: &MoveFinder,
        word: W,
        found: &mut dyn FnMut(usize, &CompiledMove<W>) -> bool,
    ) -> bool {
        let mut none = true;
        let goes_on = finder.each(word.views().as_ref(), &mut |place| {
            let step = &self.list[place];
            if !step.can(word) {
                return true;
            }
            none = false;
            found(place, step)
        });
        if none && self.passes(word) {
            let pass = self.made() as usize;
            return found(pass, &self.list[pass]);
        }
        goes_on
    }

    /// Lists in `found` the moves that can be made in a state: the place of each move in [`Self::list`], and the state
    /// after it.
    pub fn after(&self, word: W, found: &mut Vec<(usize, W)>) {
        found.clear();
        self.each_called(word, &mut |place, step| {
            found.push((place, step.effect.apply(word)));
            true
        });
    }

    /// The bits of the shared conditions that a state does not satisfy.
    #[inline(never)]
    fn unsatisfied(&self, word: W) -> W {
        let views = word.views();
        let failed = self.shared.iter().filter(|shared| !shared.test.holds(views.as_ref()));
        failed.fold(W::ZERO, |bits, shared| bits.or(W::at(shared.bit, 1)))
    }

    /// The number of moves that [`Self::each`] tries in a state, if there is no finder.
    pub(super) fn tries(&self, word: W) -> usize {
        let Some(pivot) = &self.pivot else { return self.list.len() };
        let (mut cells, mut all) = (pivot.tried(pivot.find(word)), 0);
        while let Some(bit) = cells.take_bit() {
            let (begin, end) = pivot.ranges[bit];
            all += (end - begin) as usize;
        }
        all
    }

    /// The work of [`Self::each`] in a state, if there is no finder: the number of moves that are tried, and `slow` for
    /// each slow condition that is tested.
    pub(super) fn work(&self, word: W, slow: usize) -> usize {
        let cost = |step: &CompiledMove<W>| step.guard.as_ref().map_or(1, |guard| guard.work(word, slow));
        let (mut all, failed) = (self.shared.len() * slow, self.unsatisfied(word));
        let mut add = |steps: &[CompiledMove<W>], held: W| {
            all += steps.iter().filter(|step| !step.without.meets(held)).map(cost).sum::<usize>();
        };
        let Some(pivot) = &self.pivot else {
            add(&self.list, failed);
            return all;
        };
        let held = pivot.find(word);
        let mut cells = pivot.tried(held);
        while let Some(bit) = cells.take_bit() {
            let (begin, end) = pivot.ranges[bit];
            add(&self.list[begin as usize..end as usize], held.or(failed));
        }
        all
    }

    /// Returns `true` if the player can pass, given that no other move can be made.
    #[inline(never)]
    fn passes(&self, word: W) -> bool {
        self.pass.as_ref().is_some_and(|pass| pass.other.some(pass.effect.apply(word)))
    }

    /// Returns `true` if some move can be made in a state. No end may hold there.
    pub fn some(&self, word: W) -> bool {
        let is_enough = |pivot: &Pivot<W>| pivot.find(word).meets(pivot.enough);
        self.always || self.pivot.as_ref().is_some_and(is_enough) || !self.each_called(word, &mut |_, _| false)
    }
}

/// The word in which all bits of all cells are set.
fn whole<W: Word>(layout: &Layout) -> W {
    (0..layout.cells()).fold(W::ZERO, |all, cell| all.or(layout.cell_mask(cell)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};

    use super::*;
    use crate::compile::Compiled;
    use crate::random::Random;
    use crate::rules::{Source, Varying};
    use crate::structure::Structure;

    /// The state after a move, by the definition.
    fn after(given: &Move, state: &[Symbol]) -> Vec<Symbol> {
        let mut after = state.to_vec();
        for (cell, source) in &given.then {
            after[*cell] = match source {
                Source::Symbol(symbol) => *symbol,
                Source::Copy(from, map) => map.as_ref().map_or(state[*from], |map| map[state[*from] as usize]),
            };
        }
        after
    }

    /// Compares the moves that are found in random states, and the states that these lead to, with the definition.
    /// Returns `true` if sets find the moves.
    fn compare<W: Word>(rules: &Arc<Rules>, random: &mut Random) -> bool {
        let mut listed = ListedMoves::default();
        let structure = Arc::new(Structure::new(Arc::clone(rules)).unwrap());
        let Some(compiled) = Compiled::<W>::new(&structure, &Arc::new(Varying::whole(rules))) else { return false };
        for _ in 0..100 {
            let state: Vec<Symbol> =
                (0..rules.cells()).map(|_| random.below(rules.symbols.len() as u64) as Symbol).collect();
            let (word, mut found, mut again) = (compiled.layout.pack::<W>(&state), Vec::new(), Vec::new());
            compiled.steps[0].each_called(word, &mut |_, step| {
                found.push((step.index, step.effect.apply(word)));
                true
            });
            assert!(!compiled.steps[0].never_fail() || found.len() == rules.moves.len(), "{state:?}");
            found.sort_unstable();
            compiled.steps[0].each(word, &mut listed, |_, step| {
                again.push((step.index, step.effect.apply(word)));
                true
            });
            again.sort_unstable();
            assert_eq!(again, found, "{state:?}");
            let can = |given: &Move| {
                given.when.holds(&state)
                    && given.conditions.iter().all(|condition| condition.holds(&state))
                    && given.compares.iter().all(|pair| (state[pair.first] == state[pair.second]) == pair.equal)
            };
            let moves = rules.moves.iter().enumerate().filter(|(_, given)| can(given));
            let expected: Vec<(usize, W)> =
                moves.map(|(index, given)| (index, compiled.layout.pack(&after(given, &state)))).collect();
            assert_eq!(found, expected, "{state:?}");
            assert_eq!(compiled.steps[0].some(word), !expected.is_empty(), "{state:?}");
        }
        compiled.steps[0].finder.is_some()
    }

    /// Returns `true` if sets find the moves in words of 64 bits.
    fn compare_all(symbols: &[String], cells: usize, moves: &[Value], random: &mut Random) -> bool {
        let data = json!({"symbols": symbols, "start": vec![&symbols[0]; cells], "moves": moves});
        let rules = Arc::new(Rules::new(&serde_json::from_value(data).unwrap()).unwrap());
        compare::<u32>(&rules, random);
        compare::<u128>(&rules, random);
        compare::<[u64; 4]>(&rules, random);
        compare::<u64>(&rules, random)
    }

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|symbol| symbol.to_string()).collect()
    }

    #[test]
    fn moves_with_a_pivot_are_found() {
        let mut random = Random::new("steps");
        let mut below = |count: usize| random.below(count as u64) as usize;
        let mut all = Vec::new();
        for round in 0..60 {
            let (cells, symbols, step) = (4 + below(20), 2 + below(3), 1 + below(4));
            let (names, others) = (names(symbols), &names(symbols)[1..]);
            // As in games in which disks fall, most moves also forbid the pivot in the cell `step` places before their
            // own.
            let a_move = |at: usize| {
                let cell = at % cells;
                let mut when = vec![json!([cell, ["0"]])];
                if cell >= step && (round % 3 > 0 || below(8) > 0) {
                    when.push(json!([cell - step, others]));
                }
                if cell + 2 * step < cells && below(2) == 0 {
                    when.push(json!([cell + 2 * step, [others[below(others.len())]]]));
                }
                json!({"name": at.to_string(), "when": when, "then": [[cell, below(symbols).to_string()]]})
            };
            all.push((names, cells, (0..(2 + round % 2 * 2) * cells).map(a_move).collect::<Vec<_>>()));
        }
        let in_sets = all.iter().filter(|(names, cells, moves)| compare_all(names, *cells, moves, &mut random)).count();
        assert!(in_sets > 5 && in_sets < all.len() - 5, "{in_sets} of {} lists of moves are sets", all.len());
    }

    /// As in games in which stones are put first and then moved. Every second time all moves have a pivot.
    #[test]
    fn conditions_that_many_moves_share_are_tested_once() {
        let mut random = Random::new("shared conditions");
        let mut shared = 0;
        for round in 0..crate::tests::quick_or_long(30, 60) {
            let mut below = |count: usize| random.below(count as u64) as usize;
            let (cells, symbols) = (6 + below(17), 2 + below(3));
            let names = names(symbols);
            let counts: Vec<Value> = (0..symbols.min(1 + below(3)))
                .map(|at| json!({"symbols": [names[at % symbols]], "at_least": 1 + below(cells / 4)}))
                .collect();
            let moves: Vec<Value> = (0..3 * cells)
                .map(|at| {
                    let first = if round % 2 == 0 { 0 } else { below(symbols) };
                    let mut when = vec![json!([at % cells, [names[first]]])];
                    let other = below(cells);
                    if other != at % cells {
                        when.push(json!([other, names[below(symbols)..]]));
                    }
                    let mut counts: Vec<Value> = counts.iter().filter(|_| below(2) == 0).cloned().collect();
                    // Some moves have a condition that few others have.
                    if at % 8 == 3 {
                        counts.push(json!({"symbols": [names[symbols - 1]], "at_least": 1 + at / 8 % (cells / 3)}));
                    }
                    let then = json!([[below(cells), names[below(symbols)]]]);
                    json!({"name": at.to_string(), "when": when, "then": then, "counts": counts})
                })
                .collect();
            let data = json!({"symbols": names, "start": vec![&names[0]; cells], "moves": moves});
            // Rules with a move that can never be made are refused.
            let Ok(rules) = Rules::new(&serde_json::from_value(data).unwrap()) else { continue };
            let rules = Arc::new(rules);
            shared += Layout::new::<u64>(&rules).map_or(0, |layout| Steps::<u64>::new(&rules, &layout, 0).shared.len());
            compare::<u32>(&rules, &mut random);
            compare::<u64>(&rules, &mut random);
            compare::<u128>(&rules, &mut random);
            compare::<[u64; 4]>(&rules, &mut random);
        }
        assert!(shared > 20, "{shared}");
    }

    /// A move that needs the pivot and something else cannot be made in each state that has the pivot there.
    #[test]
    fn the_pivot_alone_is_enough_for_moves_that_need_nothing_else() {
        let mut random = Random::new("enough");
        let names = names(3);
        for (part, value) in [
            ("counts", json!([{"symbols": ["1"], "at_least": 2}])),
            ("unless", json!([[[1, ["1"]]]])),
            ("equal", json!([[1, 2]])),
            ("when", json!([[0, ["0"]], [2, ["1"]]])),
            ("when", json!([[0, ["0"]], [2, ["1", "2"]]])),
        ] {
            let mut given = json!({"name": "a", "when": [[0, ["0"]]], "then": [[0, "1"]]});
            compare_all(&names, 4, std::slice::from_ref(&given), &mut random);
            given[part] = value;
            compare_all(&names, 4, &[given], &mut random);
        }
    }

    /// As in games in which seeds are sown: cells go on to a later symbol, and the first one follows the last.
    #[test]
    fn moves_that_advance_cells_do_as_they_say() {
        let mut random = Random::new("circles");
        let mut advances = 0;
        for round in 0..60 {
            let mut below = |count: usize| random.below(count as u64) as usize;
            let cells = 1 + below(if round % 4 == 3 { 32 } else { 13 });
            let symbols = if round % 6 == 5 { [17, 33, 200, 250][below(4)] } else { 2 + round % 15 };
            let names = names(symbols);
            let a_move = |at: usize| {
                let mut when = Vec::new();
                let then = (0..cells).filter_map(|cell| {
                    let by = 1 + below(symbols - 1);
                    let map: std::collections::BTreeMap<&String, &String> =
                        (0..symbols).map(|symbol| (&names[symbol], &names[(symbol + by) % symbols])).collect();
                    if below(4) == 0 {
                        when.push(json!([cell, names[below(symbols)..]]));
                    }
                    match below(6) {
                        0 => None,
                        1 => Some(json!([cell, names[below(symbols)]])),
                        2 if at == 0 => Some(json!([cell, {"copy": below(cells)}])),
                        _ => Some(json!([cell, {"copy": cell, "map": map}])),
                    }
                });
                let then = then.collect::<Vec<_>>();
                json!({"name": at.to_string(), "when": when, "then": then})
            };
            let moves = (0..4).map(a_move).collect::<Vec<_>>();
            let data = json!({"symbols": names, "start": vec![&names[0]; cells], "moves": moves});
            let Ok(rules) = Rules::new(&serde_json::from_value(data).unwrap()) else { continue };
            let rules = Arc::new(rules);
            if let Some(layout) = Layout::new::<u64>(&rules) {
                let steps = Steps::<u64>::new(&rules, &layout, 0);
                advances += steps.list.iter().filter(|step| matches!(step.effect, Effect::Advance(_))).count();
            }
            compare::<u32>(&rules, &mut random);
            compare::<u64>(&rules, &mut random);
            compare::<u128>(&rules, &mut random);
            compare::<[u64; 4]>(&rules, &mut random);
        }
        assert!(advances > 60, "{advances}");
    }

    #[test]
    fn moves_that_copy_many_cells_do_as_they_say() {
        let mut random = Random::new("effects");
        let mut below = |count: usize| random.below(count as u64) as usize;
        let mut all = Vec::new();
        for _ in 0..60 {
            let (cells, symbols) = (2 + below(70), 2 + below(5));
            let names = names(symbols);
            let a_move = |at: usize| {
                let then = (0..=below(cells)).map(|to| {
                    let turned = 1 + below(symbols - 1);
                    let map: std::collections::BTreeMap<&String, &String> =
                        (0..symbols).map(|symbol| (&names[symbol], &names[(symbol + turned) % symbols])).collect();
                    match below(4) {
                        0 => json!([to, names[below(symbols)]]),
                        1 => json!([to, {"copy": below(cells), "map": map}]),
                        _ => json!([to, {"copy": below(cells)}]),
                    }
                });
                json!({"name": at.to_string(), "then": then.collect::<Vec<_>>()})
            };
            let moves = (0..3).map(a_move).collect::<Vec<_>>();
            all.push((names, cells, moves));
        }
        for (names, cells, moves) in all {
            compare_all(&names, cells, &moves, &mut random);
        }
    }
}
