//! A look at a position. It finds the moves that are worth a try, what they can score at least and at most, and the
//! merit of each move: how many ends it furthers and how many it spoils.

use super::board::{Candidate, Glance};
use super::masks::{SETS, SetMove};
use super::pivot::PivotMoves;
use super::score::{Score, WIN, before, score_of};
use super::set_game::{EndMasks, SetEnd, SetGame};
use super::shapes::MOST_LACKING;
use crate::compile::cpu;

/// The merit that a move gets for each end of its own player that it contributes to, if that end lacks one cell, two,
/// three, or more, and the player has to keep from losing. With larger numbers, the search would neglect moves that
/// hinder the other player.
const OWN: [i32; MOST_LACKING] = [0, 4, 1, 0, 0, 0];

/// The same for a player who has to win, and for both if threats last. A move that brings an end to lack one cell makes
/// a threat, and one threat counts for as much as some spoiled ends. It lasts if the other player cannot write the cell
/// yet: where disks fall into columns, for example, the cell may have no disk below it.
const OWN_TO_WIN: [i32; MOST_LACKING] = [0, 80, 1, 0, 0, 0];

/// The merit that a move gets for each end of the other player that it spoils, if that end lacks one cell, two, and so
/// on. Spoiling counts more than furthering: to show that a player cannot win, the other must spoil every end, and the
/// fewer ends of the opponent are open, the fewer replies there are to try. These numbers were tried out on boards of
/// 16 to 30 cells with lines of 4 and 5. There, the search takes 20 to 50 times longer if a player's own ends count as
/// much as the other's.
const OTHER: [i32; MOST_LACKING] = [0, 12, 11, 10, 9, 8];

/// The result of [`SetGame::scan`]: which ends that a player's moves can complete are open, and which of them lack one
/// cell.
#[derive(Debug, Clone, Copy, Default)]
struct Scan {
    /// A mask of the missing cells of those open ends that lack only one cell.
    last: u64,
    /// For each player, `true` if an end with which that player wins is open.
    open: [bool; 2],
}

impl SetGame {
    /// The most that a player who is to move can score if the other player always answers in the same chain. `None` if
    /// that gives no bound, for example because some chain cannot be answered. `ready` has the cells that can be
    /// written, and `threats` the cells by which the other player would win.
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
            let EndMasks { have, live } = group.masks(sets);
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
                let sets = given.after(sets);
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
            let EndMasks { have, live } = group.masks(sets);
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
        let sets = given.after(sets);
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
                let places = pivot.moves(rest.trailing_zeros() as usize);
                rest &= rest - 1;
                for at in places {
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
            let at = pivot.moves(rest.trailing_zeros() as usize).start;
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
        let sets = given.after(sets);
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
                let at = pivot.moves(doubtful.trailing_zeros() as usize).start;
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
                let step = pivot.moves(cells.trailing_zeros() as usize).start;
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
            let EndMasks { have, live } = group.masks(sets);
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
