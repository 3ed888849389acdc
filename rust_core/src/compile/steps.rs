//! The moves of one player, and a way to find the possible ones without trying every move.

use super::guards::Guard;
use super::layout::Layout;
use super::moves::Effect;
use super::word::Word;
use crate::rules::{Move, Pattern, Rules, Source, Symbol, SymbolSet};

/// A compiled move of one player.
#[derive(Debug, Clone)]
pub struct Step<W> {
    /// The move's place in the rules.
    pub index: usize,
    /// What must hold in addition to what the pivot has found; `None` if nothing more must hold.
    guard: Option<Guard<W>>,
    /// What the move does.
    pub effect: Effect<W>,
    /// The ends that the move can complete, by precedence of their outcomes.
    pub ends: Box<[usize]>,
}

impl<W: Word> Step<W> {
    #[inline(always)]
    fn can(&self, word: W) -> bool {
        self.guard.as_ref().is_none_or(|guard| guard.holds(word))
    }
}

/// The moves of one player.
#[derive(Debug, Clone)]
pub struct Steps<W> {
    /// The moves. Moves with the same pivot cell are neighbours.
    pub list: Vec<Step<W>>,
    pivot: Option<Pivot<W>>,
    /// Whether some move can be made in every state.
    pub always: bool,
}

/// A symbol that every move needs in some cell, such as the blank of a slide or the empty cell of a placement. All
/// cells that hold it are found at once, and only moves that need it in one of these cells are tried.
#[derive(Debug, Clone)]
struct Pivot<W> {
    /// The symbol in every cell.
    everywhere: W,
    /// The top bit of every cell.
    top: W,
    /// The other bits of every cell.
    rest: W,
    /// For the number of each top bit: the range in the list of the moves that need the symbol in that cell.
    ranges: Vec<(u32, u32)>,
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
        }
    }

    /// The top bit of each cell that holds the symbol.
    #[inline(always)]
    fn find(&self, word: W) -> W {
        let other = word.xor(self.everywhere); // zero in each cell that holds the symbol
        other.and(self.rest).add(self.rest).or(other).not().and(self.top)
    }
}

impl<W: Word> Steps<W> {
    /// Compiles the moves of a player.
    pub fn new(rules: &Rules, layout: &Layout, player: usize) -> Self {
        let own = |given: &Move| given.player.is_none_or(|owner| owner == player);
        let moves = rules.moves.iter().enumerate().filter(|(_, given)| own(given)).collect();
        Self::of_moves(rules, layout, player, moves)
    }

    /// Compiles the given moves as those of a player. Each comes with its number, which becomes [`Step::index`].
    pub fn of_moves(rules: &Rules, layout: &Layout, player: usize, mut moves: Vec<(usize, &Move)>) -> Self {
        // Moves that can never be made would only be in the way, and hide what all others have in common.
        moves.retain(|(_, given)| !given.when.never());
        let always = rules.backward || moves.iter().any(|(_, given)| given.is_free());
        let symbol = pivot_symbol(rules, &moves);
        sort_by_pivot(&mut moves, symbol);
        let mut pivot = symbol.map(|symbol| Pivot::new(layout, symbol));
        let mut list: Vec<Step<W>> = Vec::with_capacity(moves.len());
        let all = (0..layout.cells()).fold(W::ZERO, |all, cell| all.or(layout.cell_mask(cell)));
        for (index, given) in moves {
            let at = symbol.and_then(|symbol| pivot_cell(given, symbol));
            if let (Some(pivot), Some(cell)) = (&mut pivot, at) {
                let slot = layout.slots[cell];
                let bit = slot.limb * W::LIMB_BITS as usize + (slot.shift + layout.bits - 1) as usize;
                let range = &mut pivot.ranges[bit];
                if range.0 == range.1 {
                    range.0 = list.len() as u32;
                }
                range.1 = list.len() as u32 + 1;
            }
            let rest = Pattern(given.when.0.iter().copied().filter(|&(cell, _)| Some(cell) != at).collect());
            let guard = Guard::comparing(rules, layout, &rest, &given.compares);
            list.push(Step {
                index,
                guard: (!guard.is_trivial()).then_some(guard),
                effect: Effect::new(rules, layout, all, given),
                ends: completable(rules, given, player).into(),
            });
        }
        Self { list, pivot, always }
    }

    /// Calls `found` for each move that can be made in a state, with its place in the list, until `found` returns
    /// false. Returns true if it never did. The order depends on the state alone.
    #[inline(always)]
    pub fn each(&self, word: W, mut found: impl FnMut(usize, &Step<W>) -> bool) -> bool {
        if let Some(pivot) = &self.pivot {
            let mut cells = pivot.find(word);
            while let Some(bit) = cells.take_bit() {
                let (begin, end) = pivot.ranges[bit];
                for place in begin as usize..end as usize {
                    let step = &self.list[place];
                    if step.can(word) && !found(place, step) {
                        return false;
                    }
                }
            }
            return true;
        }
        for (place, step) in self.list.iter().enumerate() {
            if step.can(word) && !found(place, step) {
                return false;
            }
        }
        true
    }

    /// Whether some move can be made in a state.
    #[inline(always)]
    pub fn any(&self, word: W) -> bool {
        self.always || !self.each(word, |_, _| false)
    }
}

/// A symbol that every move needs in some cell. If there are several, the one that the fewest cells hold at the start.
fn pivot_symbol(rules: &Rules, moves: &[(usize, &Move)]) -> Option<Symbol> {
    (0..rules.symbols.len())
        .map(|symbol| symbol as Symbol)
        .filter(|&symbol| !moves.is_empty() && moves.iter().all(|(_, given)| pivot_cell(given, symbol).is_some()))
        .min_by_key(|&symbol| rules.start.iter().map(|&held| usize::from(held == symbol)).sum::<usize>())
}

/// Puts moves with the same pivot cell side by side.
fn sort_by_pivot(moves: &mut [(usize, &Move)], symbol: Option<Symbol>) {
    moves.sort_by_key(|(_, given)| symbol.and_then(|symbol| pivot_cell(given, symbol)));
}

fn pivot_cell(given: &Move, symbol: Symbol) -> Option<usize> {
    given.when.0.iter().find(|&&(_, set)| set.single() == Some(symbol)).map(|&(cell, _)| cell)
}

/// The ends that a move may complete: they can hold after it, and need not have held before. They are in order of
/// precedence.
fn completable(rules: &Rules, given: &Move, mover: usize) -> Vec<usize> {
    let symbols = rules.symbols.len();
    let mut ends: Vec<usize> = (0..rules.ends.len())
        .filter(|&end| {
            let mut completes = false;
            for &(cell, wanted) in &rules.ends[end].when.0 {
                let before = given.when.allowed(cell, symbols);
                let after = match given.then.iter().find(|(to, _)| *to == cell) {
                    Some((_, source)) => after_write(source, given, symbols),
                    None => before,
                };
                if after.and(wanted).is_empty() {
                    return false;
                }
                // A cell fits newly only if the move writes it and it may not have fitted before.
                completes |= given.then.iter().any(|(to, _)| *to == cell) && !before.within(wanted);
            }
            completes
        })
        .collect();
    ends.sort_by_key(|&end| rules.precedence(rules.ends[end].outcome, mover));
    ends
}

/// The symbols that a written cell may hold afterwards.
fn after_write(source: &Source, given: &Move, symbols: usize) -> SymbolSet {
    match source {
        Source::Symbol(symbol) => [*symbol].into_iter().collect(),
        Source::Copy(from, map) => given
            .when
            .allowed(*from, symbols)
            .iter()
            .map(|symbol| map.as_ref().map_or(symbol, |map| map[symbol as usize]))
            .collect(),
    }
}
