//! The rules of a game as masks of cells: what each move changes and demands, and the cells of each end. `set_board.rs`
//! explains the masks.

use super::chain_codes::ChainCodes;
use super::chains::Chains;
use super::masks::{CellChange, MOST_CELLS, SETS, SetMove, Wanted};
use super::outcomes::Outcomes;
use super::pivot::PivotMoves;
use super::shapes::Shapes;
use crate::ordered::OrderedMap;
use crate::rules::{Move, Rules, Source, Symbol, SymbolSet, Symmetry};

/// The number of ends that one round of a loop tests, by instructions that take several each. Fewer would be tested one
/// at a time. [`Shapes`] that have as many ends take less time than a round.
const AT_ONCE: usize = 16;

/// An end, with masks of the cells that it demands to hold certain symbols.
#[derive(Debug)]
pub(super) struct SetEnd {
    pub(super) outcome: usize,
    /// The cells that the end demands, for each of at most two sets of symbols. If there is one set, the second demand
    /// has no cells.
    pub(super) wanted: [Wanted; 2],
}

/// Ends that demand the same set of symbols and have the same winner. They are tested together.
#[derive(Debug)]
pub(super) struct EndGroup {
    pub(super) winner: Option<usize>,
    set: u8,
    live: u8,
    /// The ends of shapes that many ends have.
    pub(super) shapes: Vec<Shapes>,
    /// The cells of each other end. Ends that are there already fill the list up to a multiple of [`AT_ONCE`].
    pub(super) cells: Vec<u64>,
}

/// The cells of a position, as the ends of a group see them.
pub(super) struct EndMasks {
    /// The cells that hold what the ends want.
    pub(super) have: u64,
    /// The cells that hold it, or may come to hold it.
    pub(super) live: u64,
}

impl EndGroup {
    /// The cells of a position, as the ends see them.
    #[inline(always)]
    pub(super) fn masks(&self, sets: &[u64; SETS]) -> EndMasks {
        EndMasks { have: sets[usize::from(self.set) % SETS], live: sets[usize::from(self.live) % SETS] }
    }
}

/// The moves of a player, and the ends that they can complete.
#[derive(Debug, Default)]
pub struct Side {
    pub moves: Vec<SetMove>,
    pub(super) pivot: Option<PivotMoves>,
    /// The symbols that the moves write.
    writes: SymbolSet,
    /// The ends that the player's moves can complete and that demand one set of symbols.
    pub(super) groups: Vec<EndGroup>,
    /// The ends that the player's moves can complete and that demand two sets of symbols: for each end, its winner, or
    /// `None` if it is no player's win, and its number.
    pub(super) mixed: Vec<(Option<usize>, u32)>,
    /// For each cell, the demands that include the cell and belong to an end with which this player wins. The ends of
    /// [`Shapes`] are left out.
    pub(super) through: Vec<Vec<Wanted>>,
    /// `true` if a move of this player that writes the cell which an open end lacks wins for sure: see
    /// [`SetGame::lasts`].
    pub(super) lasts: bool,
    /// `true` if an end with which this player wins has precedence over any other end that the same move completes.
    pub(super) wins_first: bool,
}

/// The part of the game that does not depend on the width of words.
#[derive(Debug)]
pub struct SetGame {
    pub(super) outcomes: Outcomes,
    pub sets: Vec<SymbolSet>,
    pub sides: [Side; 2],
    pub(super) ends: Vec<SetEnd>,
    /// `true` if both players can write the same cells in every position.
    pub(super) same_ready: bool,
    /// The chains in which a player can always answer the other; `None` if [`SetGame::chains`] does not find them.
    pub chains: Option<Chains>,
}

/// A compiled move, as this file needs it: its number in the rules, and the numbers of the ends that it can complete.
pub type StepFacts<'a> = (usize, &'a [usize]);

/// The sets of symbols that are in use. The number of a set is its place in the list.
#[derive(Default)]
struct SetNumbers(Vec<SymbolSet>);

impl SetNumbers {
    fn of(&mut self, set: SymbolSet) -> Option<u8> {
        let at = self.0.iter().position(|&known| known == set).unwrap_or_else(|| {
            self.0.push(set);
            self.0.len() - 1
        });
        (at < SETS).then_some(at as u8)
    }
}

impl SetGame {
    pub fn new(rules: &Rules, outcomes: Outcomes, steps: &[Vec<StepFacts>; 2]) -> Option<Self> {
        if rules.cells() > MOST_CELLS || rules.forces_passes() {
            return None;
        }
        let (turns, mut numbers) = (turns(rules), SetNumbers::default());
        let mut ends = Vec::with_capacity(rules.ends.len());
        if rules.ends.iter().any(|end| !end.conditions.is_empty()) {
            return None;
        }
        for end in &rules.ends {
            // The cells that the end demands for each set of symbols. An end that can never hold demands nothing here,
            // and no move can complete it.
            let mut cells = OrderedMap::<SymbolSet, u64>::new();
            for &(cell, set) in end.when.0.iter().filter(|_| !end.when.never()) {
                *cells.value_or(set, || 0) |= 1 << cell;
            }
            let mut wanted = [Wanted::default(); 2];
            for (at, (set, cells)) in cells.into_iter().enumerate() {
                *wanted.get_mut(at)? =
                    Wanted { set: numbers.of(set)?, live: numbers.of(leading_to(set, &turns))?, cells };
            }
            ends.push(SetEnd { outcome: end.outcome, wanted });
        }
        // The guards of both players come first, so that all sets have numbers before the flips are made.
        let mut guards = |steps: &[StepFacts]| {
            steps.iter().map(|&(index, _)| guard(&rules.moves[index], &mut numbers)).collect::<Option<Vec<_>>>()
        };
        let [first, second] = [guards(&steps[0])?, guards(&steps[1])?];
        let sides = [Side::default(), Side::default()];
        let game = Self { outcomes, sets: numbers.0, sides, ends, same_ready: false, chains: None };
        let sides = [game.side(rules, 0, &steps[0], first)?, game.side(rules, 1, &steps[1], second)?];
        let mut game = Self { sides, ..game };
        for player in 0..2 {
            game.sides[player].lasts = game.lasts(player);
        }
        let [one, other] = game.sides.each_ref().map(|side| side.pivot.as_ref());
        game.same_ready = one.zip(other).is_some_and(|(one, other)| one.ready_as(other));
        Some(Self { chains: game.chains(rules.symbols.len()), ..game })
    }

    fn side(&self, rules: &Rules, player: usize, steps: &[StepFacts], guards: Vec<Box<[Wanted]>>) -> Option<Side> {
        let mut moves = Vec::with_capacity(steps.len());
        let mut written = Vec::with_capacity(steps.len());
        for (&(index, ends), guard) in steps.iter().zip(guards) {
            let changes = changes(&rules.moves[index])?;
            let (mut flips, mut writes) = ([0; SETS], 0);
            for &(cell, old, new) in &changes {
                writes |= 1 << cell;
                for (flip, set) in flips.iter_mut().zip(&self.sets) {
                    *flip |= u64::from(set.contains(old) != set.contains(new)) << cell;
                }
            }
            let touches = guard.iter().fold(writes, |cells, wanted| cells | wanted.cells);
            let ends = ends.iter().map(|&end| end as u32).collect();
            moves.push(SetMove { flips, writes, touches, guard, ends });
            written.push(changes);
        }
        let pivot = PivotMoves::new(&self.sets, &moves, &written);
        let writes = written.iter().flatten().map(|&(_, _, new)| new).collect();
        let mut side = Side { moves, pivot, writes, ..Side::default() };
        let mut completed: Vec<u32> = side.moves.iter().flat_map(|given| given.ends.iter().copied()).collect();
        completed.sort_unstable();
        completed.dedup();
        for end in completed {
            let SetEnd { outcome, wanted: [one, other] } = &self.ends[end as usize];
            let winner = self.outcomes.winner(*outcome);
            if other.cells > 0 {
                side.mixed.push((winner, end));
                continue;
            }
            let same = |group: &&mut EndGroup| group.set == one.set && group.winner == winner;
            if let Some(group) = side.groups.iter_mut().find(same) {
                group.cells.push(one.cells);
            } else {
                let (shapes, cells) = (Vec::new(), vec![one.cells]);
                side.groups.push(EndGroup { winner, set: one.set, live: one.live, shapes, cells });
            }
        }
        for group in &mut side.groups {
            group.shapes = Shapes::taken(&mut group.cells, AT_ONCE);
            let whole = group.cells.len().next_multiple_of(AT_ONCE);
            group.cells.resize(whole, group.cells.first().copied().unwrap_or_default());
        }
        let own = |end: &&SetEnd| self.outcomes.winner(end.outcome) == Some(player);
        let shaped = |wanted: &Wanted| {
            let mut groups = side.groups.iter().filter(|group| group.winner == Some(player) && group.set == wanted.set);
            groups.any(|group| group.shapes.iter().any(|shapes| shapes.has(wanted.cells)))
        };
        let wanted: Vec<Wanted> = self.ends.iter().filter(own).flat_map(|end| end.wanted).collect();
        let rest: Vec<Wanted> = wanted.into_iter().filter(|wanted| wanted.cells > 0 && !shaped(wanted)).collect();
        side.through = (0..rules.cells())
            .map(|cell| rest.iter().copied().filter(|wanted| wanted.cells >> cell & 1 == 1).collect())
            .collect();
        let rank = |outcome: usize| rules.precedence(outcome, player);
        let wins = (0..rules.outcomes.len()).find(|&outcome| self.outcomes.winner(outcome) == Some(player));
        side.wins_first = wins.is_none_or(|wins| rules.ends.iter().all(|end| rank(wins) <= rank(end.outcome)));
        Some(side)
    }

    /// `true` if a move of `player` that writes the one cell which an open end lacks always wins, and nobody can change
    /// what the end's other cells hold.
    ///
    /// That is so if all moves replace the same symbol, such as "empty", and `player` writes one other symbol. With
    /// each end that `player` can complete, `player` wins. It wants that symbol, but neither the one that is replaced
    /// nor one that the other player writes.
    fn lasts(&self, player: usize) -> bool {
        let side = &self.sides[player];
        let (Some(own), Some(other)) = (&side.pivot, &self.sides[1 - player].pivot) else { return false };
        let (free, theirs) = (self.sets[usize::from(own.set)], self.sides[1 - player].writes);
        let own_alone = |group: &EndGroup| {
            let set = self.sets[usize::from(group.set)];
            let is_own = side.writes.single().is_some_and(|symbol| set.contains(symbol));
            group.winner == Some(player) && is_own && set.and(theirs.or(free)).is_empty()
        };
        let known = own.knows() && other.knows() && own.set == other.set;
        known && side.mixed.is_empty() && side.groups.iter().all(own_alone)
    }

    /// The chains of cells in which each player can always answer the other's move. `None` unless both players write
    /// the same cells, each with one symbol of their own; a cell waits for nothing but others to be written; and a
    /// player wins by own symbols alone.
    fn chains(&self, symbols: usize) -> Option<Chains> {
        let [one, other] = self.sides.each_ref().map(|side| side.pivot.as_ref());
        let (one, other) = (one?, other?);
        let (pivot, cells) = (one.set, one.cells);
        let free = self.sets[usize::from(pivot)];
        let written: SymbolSet = (0..symbols as Symbol).filter(|&symbol| !free.contains(symbol)).collect();
        if (other.set, other.cells) != (pivot, cells) || self.outcomes.stuck != 0 {
            return None;
        }
        let mut before = [None; MOST_CELLS];
        for side in &self.sides {
            if !side.lasts || !side.writes.and(free).is_empty() {
                return None;
            }
            for given in &side.moves {
                let mut waits = 0;
                for wanted in &given.guard {
                    let own = wanted.set == pivot && wanted.cells == given.writes;
                    if !own && self.sets[usize::from(wanted.set)] != written {
                        return None;
                    }
                    waits |= wanted.cells & !given.writes;
                }
                let known = &mut before[given.writes.trailing_zeros() as usize];
                if *known.get_or_insert(waits) != waits {
                    return None;
                }
            }
        }
        Chains::new(cells, &before.map(Option::unwrap_or_default))
    }

    /// `true` if no cell of a chain is taken while one before it is free; or if there are no chains.
    pub fn chains_are_filled_in_order(&self, sets: &[u64; SETS]) -> bool {
        let (Some(chains), Some(pivot)) = (&self.chains, &self.sides[0].pivot) else { return true };
        let free = pivot.cells & sets[usize::from(pivot.set)];
        let mut taken = pivot.cells & !free;
        while taken != 0 {
            if chains.before(taken.trailing_zeros() as usize % MOST_CELLS) & free != 0 {
                return false;
            }
            taken &= taken - 1;
        }
        true
    }

    /// The short codes of positions. `None` if there are none: some cells are in no chain, or cells may hold other
    /// symbols than "free" and one of each player.
    pub fn codes(&self, symmetry: &Symmetry) -> Option<ChainCodes> {
        let chains = self.chains.as_ref()?;
        let pivot = self.sides[0].pivot.as_ref()?;
        let all = u64::MAX >> (MOST_CELLS - symmetry.cells.len());
        let [one, other] = self.sides.each_ref().map(|side| side.writes.single());
        let (one, other) = (one?, other?);
        let kept = symmetry.symbols.iter().enumerate().all(|(symbol, &image)| symbol == usize::from(image));
        if pivot.cells != all || one == other || symmetry.symbols.len() != 3 || !kept || symmetry.swap_players {
            return None;
        }
        let first = self.sets.iter().position(|set| set.contains(one) && !set.contains(other))?;
        ChainCodes::new(chains, pivot.set, first as u8, symmetry)
    }

    /// The masks of a position after a move.
    #[inline(always)]
    pub fn after(&self, sets: &[u64; SETS], player: usize, step: u32) -> [u64; SETS] {
        self.sides[player].moves[step as usize].after(sets)
    }

    /// The first cell that a move writes.
    #[inline(always)]
    pub fn cell(&self, player: usize, step: u32) -> usize {
        self.sides[player].moves[step as usize].writes.trailing_zeros() as usize % MOST_CELLS
    }
}

/// The guard of a move as demands on cells. `None` if the guard compares cells or has further conditions, or if there
/// are more than [`SETS`] sets of symbols.
fn guard(given: &Move, numbers: &mut SetNumbers) -> Option<Box<[Wanted]>> {
    let mut cells = OrderedMap::<SymbolSet, u64>::new();
    let plain = given.compares.is_empty() && given.conditions.is_empty();
    for &(cell, set) in plain.then_some(&given.when.0)? {
        *cells.value_or(set, || 0) |= 1 << cell;
    }
    cells.into_iter().map(|(set, cells)| Some(Wanted { set: numbers.of(set)?, live: 0, cells })).collect()
}

/// The cells that a move changes. `None` if a symbol that it writes or overwrites depends on the state.
pub fn changes(given: &Move) -> Option<Vec<CellChange>> {
    let known = |cell: usize| given.when.get(cell).and_then(SymbolSet::single);
    given
        .then
        .iter()
        .map(|(cell, source)| {
            let new = match source {
                Source::Symbol(symbol) => *symbol,
                Source::Copy(from, None) => known(*from)?,
                Source::Copy(from, Some(map)) => map[known(*from)? as usize],
            };
            Some((*cell, known(*cell)?, new))
        })
        .collect()
}

/// For each symbol, the symbols that moves can turn it into, one after the other and in any cell, with the symbol
/// itself.
fn turns(rules: &Rules) -> Vec<SymbolSet> {
    let symbols = rules.symbols.len();
    let mut turns: Vec<SymbolSet> = (0..symbols).map(|symbol| [symbol as Symbol].into_iter().collect()).collect();
    let mut grown = true;
    while grown {
        grown = false;
        for (_, old, new) in rules.moves.iter().filter_map(changes).flatten() {
            let more = turns[old as usize].or(turns[new as usize]);
            grown |= more != turns[old as usize];
            turns[old as usize] = more;
        }
    }
    turns
}

/// The symbols that are in a set, or that moves can turn into a symbol of the set.
fn leading_to(set: SymbolSet, turns: &[SymbolSet]) -> SymbolSet {
    let leads = |symbol: &Symbol| !turns[usize::from(*symbol)].and(set).is_empty();
    (0..turns.len()).map(|symbol| symbol as Symbol).filter(leads).collect()
}
