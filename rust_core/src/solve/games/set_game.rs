//! Moves, guards and ends of a game as operations on masks of cells, and the merit of a move: how many ends it furthers
//! and how many it spoils. `set_board.rs` explains the masks.

use super::board::{Candidate, Glance};
use super::chain_codes::ChainCodes;
use super::chains::Chains;
use super::masks::{CellChange, MOST_CELLS, SETS, SetMove, Wanted};
use super::outcomes::Outcomes;
use super::pivot::PivotMoves;
use super::score::{Score, WIN, before, score_of};
use super::shapes::{MOST_LACKING, Shapes};
use crate::compile::cpu;
use crate::ordered::OrderedMap;
use crate::rules::{Move, Rules, Source, Symbol, SymbolSet, Symmetry};

/// The number of ends that one round of a loop tests, by instructions that take several each. Fewer would be tested one
/// at a time. [`Shapes`] that have as many ends take less time than a round.
const AT_ONCE: usize = 16;

/// How much merit a move gets for each end of its own player that it contributes to, if that end lacks one cell, two,
/// three, or more, and the player has to keep from losing. With larger numbers, the search would neglect moves that
/// hinder the other player.
const OWN: [i32; MOST_LACKING] = [0, 4, 1, 0, 0, 0];

/// The same for a player who has to win, and for both if threats last. A move that brings an end to lack one cell makes
/// a threat, and one threat counts for as much as some spoiled ends. It lasts if the other player cannot write the cell
/// yet: where disks fall into columns, for example, the cell may have no disk below it.
const OWN_TO_WIN: [i32; MOST_LACKING] = [0, 80, 1, 0, 0, 0];

/// How much merit a move gets for each end of the other player that it spoils, if that end lacks one cell, two, and so
/// on. Spoiling counts more than furthering: to show that a player cannot win, the other must spoil every end, and the
/// fewer ends of the opponent are open, the fewer replies there are to try. These numbers were tried out on boards of
/// 16 to 30 cells with lines of 4 and 5. There, the search takes 20 to 50 times longer if a player's own ends count as
/// much as the other's.
const OTHER: [i32; MOST_LACKING] = [0, 12, 11, 10, 9, 8];

/// An end, with masks of the cells that it demands to hold certain symbols.
#[derive(Debug)]
struct SetEnd {
    outcome: usize,
    /// The cells that the end demands, for each of at most two sets of symbols. If there is one set, the second demand
    /// has no cells.
    wanted: [Wanted; 2],
}

/// Ends that demand the same set of symbols and have the same winner. They are tested together.
#[derive(Debug)]
struct EndGroup {
    winner: Option<usize>,
    set: u8,
    live: u8,
    /// The ends of shapes that many ends have.
    shapes: Vec<Shapes>,
    /// The cells of each other end. Ends that are there already fill the list up to a multiple of [`AT_ONCE`].
    cells: Vec<u64>,
}

impl EndGroup {
    /// The cells that hold what the ends want, and those that may come to hold it.
    #[inline(always)]
    fn masks(&self, sets: &[u64; SETS]) -> (u64, u64) {
        (sets[usize::from(self.set) % SETS], sets[usize::from(self.live) % SETS])
    }
}

/// The moves of a player, and the ends that they can complete.
#[derive(Debug, Default)]
pub struct Side {
    pub moves: Vec<SetMove>,
    pivot: Option<PivotMoves>,
    /// The symbols that the moves write.
    writes: SymbolSet,
    /// The ends that the player's moves can complete and that demand one set of symbols.
    groups: Vec<EndGroup>,
    /// The ends that the player's moves can complete and that demand two sets of symbols: for each end, its winner, or
    /// `None` if it is no player's win, and its number.
    mixed: Vec<(Option<usize>, u32)>,
    /// For each cell, the demands that include the cell and belong to an end with which this player wins. The ends of
    /// [`Shapes`] are left out.
    through: Vec<Vec<Wanted>>,
    /// `true` if a move of this player that writes the cell which an open end lacks wins for sure: see
    /// [`SetGame::lasts`].
    lasts: bool,
    /// `true` if an end with which this player wins has precedence over any other end that the same move completes.
    wins_first: bool,
}

/// The result of [`SetGame::scan`]: which ends that a player's moves can complete are open, and which of them lack one
/// cell.
#[derive(Debug, Clone, Copy, Default)]
struct Scan {
    /// A mask of the missing cells of those open ends that lack only one cell.
    last: u64,
    /// For each player, `true` if an end with which that player wins is open.
    open: [bool; 2],
}

/// The part of the game that does not depend on the width of words.
#[derive(Debug)]
pub struct SetGame {
    outcomes: Outcomes,
    pub sets: Vec<SymbolSet>,
    pub sides: [Side; 2],
    ends: Vec<SetEnd>,
    /// `true` if both players can write the same cells in every position.
    same_ready: bool,
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
        flipped(sets, &self.sides[player].moves[step as usize])
    }

    /// The first cell that a move writes.
    #[inline(always)]
    pub fn cell(&self, player: usize, step: u32) -> usize {
        self.sides[player].moves[step as usize].writes.trailing_zeros() as usize % MOST_CELLS
    }

    /// The most that a player who is to move can score if the other player always answers in the same chain. `None` if
    /// that tells nothing. `ready` has the cells that can be written, and `threats` the cells by which the other player
    /// would win.
    #[inline(always)]
    fn most_if_answered(&self, sets: &[u64; SETS], player: usize, ready: u64, threats: u64) -> Option<Score> {
        let chains = self.chains.as_ref().filter(|chains| chains.unanswered(ready, threats) == 0)?;
        let answered = chains.answered(ready, threats);
        if self.open_without(sets, player, answered.denies) {
            return None;
        }
        let wins = answered.wins || self.open_without(sets, 1 - player, !answered.gets);
        let pivot = self.sides[player].pivot.as_ref()?;
        Some(if wins { score_of(-1, pivot.free(sets).count_ones() as Score) } else { 0 })
    }

    /// `true` if an open end of a player can be completed without the given cells.
    #[inline(always)]
    fn open_without(&self, sets: &[u64; SETS], player: usize, but: u64) -> bool {
        let mut any = 0;
        for group in &self.sides[player].groups {
            let (have, live) = group.masks(sets);
            let hinders = !live | !have & but;
            for shapes in &group.shapes {
                any |= u64::from(shapes.fit(!hinders));
            }
            for &cells in &group.cells {
                // A mask of all bits or of none.
                any |= u64::from(cells & hinders != 0).wrapping_sub(1);
            }
        }
        any != 0
    }

    /// The least that a player who is to move can score by one of some moves, if after it that player always answers in
    /// the same chain. `ready` has the cells that can be written, and `threats` those by which the player would win.
    #[inline(always)]
    fn least_by_answering(
        &self,
        sets: &[u64; SETS],
        player: usize,
        ready: u64,
        threats: u64,
        moves: &[Candidate],
    ) -> Score {
        let Some(chains) = &self.chains else { return -WIN };
        // A move changes the number of free cells in one chain alone.
        let unanswered = chains.unanswered(ready, threats);
        if unanswered & unanswered.wrapping_sub(1) != 0 {
            return -WIN;
        }
        let mut least = -WIN;
        for candidate in moves {
            let given = &self.sides[player].moves[candidate.step as usize];
            if unanswered & !given.writes == 0 {
                let sets = flipped(sets, given);
                let ready = self.ready(1 - player, &sets);
                let most = self.most_if_answered(&sets, 1 - player, ready, threats & !given.writes);
                least = least.max(most.map_or(-WIN, before));
            }
        }
        least
    }

    /// Scans the ends that a player's moves can complete in a position.
    #[inline(always)]
    fn scan(&self, player: usize, sets: &[u64; SETS]) -> Scan {
        let (side, mut scan) = (&self.sides[player], Scan::default());
        for group in &side.groups {
            let (have, live) = group.masks(sets);
            let (mut last, mut any) = (0, 0);
            for shapes in &group.shapes {
                let seen = shapes.seen(have, live);
                last |= seen.last;
                any |= u64::from(seen.open);
            }
            for &cells in &group.cells {
                let missing = cells & !have;
                // `open` and `single` are masks of all bits or of none. The loop has no branches, so one instruction
                // tests several ends.
                let open = u64::from(cells & !live != 0).wrapping_sub(1);
                let single = u64::from(missing & missing.wrapping_sub(1) != 0).wrapping_sub(1);
                last |= missing & open & single;
                any |= open;
            }
            scan.last |= last;
            if let Some(winner) = group.winner {
                scan.open[winner] |= any != 0;
            }
        }
        for &(winner, end) in &side.mixed {
            let [one, other] = self.ends[end as usize].wanted;
            if one.dead(sets) | other.dead(sets) != 0 {
                continue;
            }
            let missing = one.missing(sets) | other.missing(sets);
            if missing & missing.wrapping_sub(1) == 0 {
                scan.last |= missing;
            }
            if let Some(winner) = winner {
                scan.open[winner] = true;
            }
        }
        scan
    }

    /// The end that holds after a move; `None` if no end holds. If several hold, it is the one that has precedence.
    #[inline(always)]
    fn end_after(&self, sets: &[u64; SETS], given: &SetMove) -> Option<&SetEnd> {
        let sets = flipped(sets, given);
        given.ends.iter().map(|&end| &self.ends[end as usize]).find(|end| {
            let [one, other] = end.wanted;
            one.missing(&sets) | other.missing(&sets) == 0
        })
    }

    /// Calls `found` for each move that a player can make and that writes some of the given cells, until `found`
    /// returns `false`. If all cells are given, it is called for moves that write nothing, too. If the moves have a
    /// pivot, `ready` has the cells that the player can write.
    #[inline(always)]
    fn each(
        &self,
        player: usize,
        sets: &[u64; SETS],
        ready: u64,
        cells: u64,
        mut found: impl FnMut(u32, &SetMove) -> bool,
    ) {
        let side = &self.sides[player];
        if let Some(pivot) = &side.pivot {
            let mut rest = ready & cells;
            while rest != 0 {
                let (begin, end) = pivot.moves(rest.trailing_zeros() as usize);
                rest &= rest - 1;
                for at in begin..end {
                    let given = &side.moves[at as usize];
                    if (pivot.knows() || given.can(sets)) && !found(at, given) {
                        return;
                    }
                }
            }
            return;
        }
        // A move that writes nothing, such as a pass at will, is one of all moves.
        let all = cells == u64::MAX;
        for (at, given) in side.moves.iter().enumerate() {
            if (all || given.writes & cells != 0) && given.can(sets) && !found(at as u32, given) {
                return;
            }
        }
    }

    /// The cells that a player can write, as [`PivotMoves::ready`] tells them; all cells if the moves have no pivot.
    #[inline(always)]
    fn ready(&self, player: usize, sets: &[u64; SETS]) -> u64 {
        self.sides[player].pivot.as_ref().map_or(u64::MAX, |pivot| pivot.ready(sets))
    }

    /// The threats of `player` that wait: cells with which an end lacks only that cell, but which the player cannot
    /// write yet.
    #[inline(always)]
    fn waiting(&self, sets: &[u64; SETS], player: usize, ready: u64, last: u64) -> WaitingThreats {
        let mut waiting = WaitingThreats::default();
        let side = &self.sides[player];
        let Some(pivot) = side.pivot.as_ref().filter(|pivot| pivot.knows()) else { return waiting };
        waiting.cells = last & pivot.cells & !ready;
        let mut rest = waiting.cells;
        while rest != 0 {
            let (at, _) = pivot.moves(rest.trailing_zeros() as usize);
            rest &= rest - 1;
            let mut missing = 0;
            for wanted in &side.moves[at as usize].guard {
                missing |= wanted.missing(sets);
            }
            // A move writes one cell, so it cannot meet two demands.
            waiting.for_cells |= if missing & missing.wrapping_sub(1) == 0 { missing } else { 0 };
        }
        waiting
    }

    /// `true` if `player` wins at once by one of the waiting threats after the other player has made the move `given`.
    #[inline(always)]
    fn lets_win(&self, sets: &[u64; SETS], player: usize, given: &SetMove, waiting: WaitingThreats) -> bool {
        if given.writes & waiting.for_cells == 0 {
            return false;
        }
        let sets = flipped(sets, given);
        let cells = self.ready(player, &sets) & waiting.cells;
        let mut wins = cells != 0;
        if wins && !self.sides[player].lasts {
            wins = false;
            self.each(player, &sets, cells, cells, |_, given| {
                let end = self.end_after(&sets, given);
                wins = end.is_some_and(|end| self.outcomes.winner(end.outcome) == Some(player));
                !wins
            });
        }
        wins
    }

    /// For each threat of `player`, adds an area: to stop the threat, a move of the other player must write at least
    /// one cell of the area.
    ///
    /// A threat is a move that `player` could make now and would win with. It stays possible, and wins still, as long
    /// as no cell is written that its guard reads, that it writes, or that its end demands. So these cells are the
    /// area.
    #[inline(always)]
    fn defences(&self, sets: &[u64; SETS], player: usize, ready: u64, last: u64, areas: &mut Areas) {
        if !self.sides[player].wins_first {
            return;
        }
        let cells = if self.sides[player].pivot.is_some() { last } else { u64::MAX };
        self.each(player, sets, ready, cells, |_, given| {
            if self.sides[player].lasts {
                areas.add(given.touches);
            } else if let Some(end) = self.end_after(sets, given)
                && self.outcomes.winner(end.outcome) == Some(player)
            {
                areas.add(given.touches | end.wanted[0].cells | end.wanted[1].cells);
            }
            true
        });
    }

    /// Does the work of [`Board::look`], compiled once for words of all widths.
    pub fn look(&self, sets: &[u64; SETS], player: usize, found: &mut Vec<Candidate>) -> Glance {
        let mut glance = Glance::settled(0);
        cpu::run(LookTask { game: self, sets, player, found, glance: &mut glance });
        glance
    }

    #[inline(always)]
    fn look_now(&self, sets: &[u64; SETS], player: usize, found: &mut Vec<Candidate>) -> Glance {
        let (own, other) = (self.scan(player, sets), self.scan(1 - player, sets));
        let ready = self.ready(player, sets);
        let other_ready = if self.same_ready { ready } else { self.ready(1 - player, sets) };
        // If each move writes one cell, only a move that writes the last missing cell of an end completes it.
        // Otherwise, any move may complete an end.
        let completing = if self.sides[player].pivot.is_some() { own.last } else { u64::MAX };
        let (mut best, win) = (Score::MIN, score_of(1, 1));
        if self.sides[player].lasts {
            if own.last & ready != 0 {
                return Glance::settled(win);
            }
        } else if completing != 0 {
            self.each(player, sets, ready, completing, |_, given| {
                if let Some(end) = self.end_after(sets, given) {
                    best = best.max(score_of(self.outcomes.won(end.outcome, player), 1));
                }
                best < win
            });
            if best == win {
                return Glance::settled(win);
            }
        }
        let (mut areas, mut waiting) = (Areas::default(), WaitingThreats::default());
        if other.last != 0 {
            self.defences(sets, 1 - player, other_ready, other.last, &mut areas);
            waiting = self.waiting(sets, 1 - player, other_ready, other.last);
        }
        let (begin, some_end) = (found.len(), best > Score::MIN);
        let mut any = some_end;
        let pivot = self.sides[player].pivot.as_ref().filter(|pivot| pivot.knows());
        if let Some(pivot) = pivot.filter(|_| !some_end) {
            // Each move writes one cell, so the moves that are to be tried are a mask.
            let mut cells = ready;
            for &area in &areas.list[..areas.count] {
                cells &= area;
            }
            let mut doubtful = cells & waiting.for_cells;
            while doubtful != 0 {
                let (at, _) = pivot.moves(doubtful.trailing_zeros() as usize);
                let given = &self.sides[player].moves[at as usize];
                if self.lets_win(sets, 1 - player, given, waiting) {
                    cells &= !given.writes;
                }
                doubtful &= doubtful - 1;
            }
            any = ready != 0;
            if cells != ready {
                best = score_of(-1, 2);
            }
            while cells != 0 {
                let (step, _) = pivot.moves(cells.trailing_zeros() as usize);
                found.push(Candidate { step, merit: 0 });
                cells &= cells - 1;
            }
        } else {
            self.each(player, sets, ready, u64::MAX, |step, given| {
                any = true;
                if some_end && given.writes & completing != 0 && self.end_after(sets, given).is_some() {
                    // `best` has the score of this move already.
                } else if areas.stopped_by(given.writes) && !self.lets_win(sets, 1 - player, given, waiting) {
                    found.push(Candidate { step, merit: 0 });
                } else {
                    best = best.max(score_of(-1, 2));
                }
                true
            });
        }
        if !any {
            return Glance::settled(self.outcomes.stuck);
        }
        if found.len() == begin {
            return Glance::settled(best);
        }
        let (mut least, mut most) = (self.outcomes.least(), self.outcomes.most(player));
        if self.outcomes.stuck == 0 {
            // A player wins only by an open end. A player without one scores at most a draw.
            if !own.open[player] && !other.open[player] {
                most = 0;
            }
            if !own.open[1 - player] && !other.open[1 - player] {
                least = 0;
            }
            if let Some(answered) = self.most_if_answered(sets, player, ready, other.last) {
                most = most.min(answered);
            }
            least = least.max(self.least_by_answering(sets, player, ready, own.last, &found[begin..]));
        }
        Glance { least: least.max(best), most: most.max(best), best }
    }

    /// Does the work of [`Board::rank`](super::board::Board::rank).
    pub fn rank(&self, sets: &[u64; SETS], player: usize, to_win: bool, found: &mut [Candidate]) {
        let lasting = self.sides[1 - player].pivot.as_ref().is_some_and(PivotMoves::waits);
        let own = if to_win || lasting { &OWN_TO_WIN } else { &OWN };
        cpu::run(RankTask { game: self, sets, player, own, found });
    }

    /// Adds to the merit of each move what the ends with which `winner` wins are worth. `gains[n]` is what an end is
    /// worth that lacks `n + 1` cells.
    #[inline(always)]
    fn add_merits(&self, task: &mut RankTask, winner: usize, gains: &[i32; MOST_LACKING]) {
        let (side, moves, sets) = (&self.sides[winner], &self.sides[task.player].moves, task.sets);
        for group in &side.groups {
            if group.winner != Some(winner) {
                continue;
            }
            let (have, live) = group.masks(sets);
            for shapes in &group.shapes {
                let open = shapes.open(have, live);
                for candidate in &mut *task.found {
                    let mut writes = moves[candidate.step as usize].writes;
                    while writes != 0 {
                        candidate.merit += shapes.worth(&open, writes.trailing_zeros() as usize, gains);
                        writes &= writes - 1;
                    }
                }
            }
        }
        for candidate in &mut *task.found {
            let mut writes = moves[candidate.step as usize].writes;
            while writes != 0 {
                for wanted in &side.through[writes.trailing_zeros() as usize] {
                    if wanted.dead(sets) == 0 {
                        let missing = wanted.missing(sets).count_ones() as usize;
                        candidate.merit += gains[missing.saturating_sub(1).min(MOST_LACKING - 1)];
                    }
                }
                writes &= writes - 1;
            }
        }
    }
}

/// The merits of moves, compiled for each instruction set.
struct RankTask<'a> {
    game: &'a SetGame,
    sets: &'a [u64; SETS],
    player: usize,
    own: &'static [i32; MOST_LACKING],
    found: &'a mut [Candidate],
}

impl cpu::Task for RankTask<'_> {
    const GAINS_BY_AVX512: bool = false;

    #[inline(always)]
    fn run(mut self) {
        let (game, player, own) = (self.game, self.player, self.own);
        for candidate in &mut *self.found {
            candidate.merit = 0;
        }
        game.add_merits(&mut self, player, own);
        game.add_merits(&mut self, 1 - player, &OTHER);
    }
}

/// A look at a position, compiled for each instruction set.
struct LookTask<'a> {
    game: &'a SetGame,
    sets: &'a [u64; SETS],
    player: usize,
    found: &'a mut Vec<Candidate>,
    glance: &'a mut Glance,
}

impl cpu::Task for LookTask<'_> {
    const GAINS_BY_AVX512: bool = false;

    #[inline(always)]
    fn run(self) {
        *self.glance = self.game.look_now(self.sets, self.player, self.found);
    }
}

/// The masks of a position after a move.
#[inline(always)]
fn flipped(sets: &[u64; SETS], given: &SetMove) -> [u64; SETS] {
    let mut sets = *sets;
    for (set, flip) in sets.iter_mut().zip(&given.flips) {
        *set ^= flip;
    }
    sets
}

/// Threats of a player who cannot make the winning moves yet.
#[derive(Debug, Clone, Copy, Default)]
struct WaitingThreats {
    /// The cells of the winning moves.
    cells: u64,
    /// The cells that alone keep a winning move from being possible. If one of these is written, it may become so.
    for_cells: u64,
}

/// The areas of the first four threats: to stop a threat, a move must write a cell of its area. Further threats are
/// left out.
#[derive(Debug, Default)]
struct Areas {
    list: [u64; 4],
    count: usize,
}

impl Areas {
    #[inline(always)]
    fn add(&mut self, cells: u64) {
        if let Some(place) = self.list.get_mut(self.count) {
            *place = cells;
            self.count += 1;
        }
    }

    #[inline(always)]
    fn stopped_by(&self, writes: u64) -> bool {
        self.list[..self.count].iter().all(|&area| area & writes != 0)
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
