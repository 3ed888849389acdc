//! Tests that values, best moves and lines of play are those of a plain minimax, on boards and on random rules, and
//! with transposition tables of any size.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::set_board::KeptBoard;
use super::{LookAhead, Question, judge};
use crate::compile::{Compiled, Images, Word};
use crate::error::Result;
use crate::random::Random;
use crate::rules::{
    EndData, MoveData, Rules, RulesData, ScoreData, SourceData, SumData, Symbol, SymmetriesData, SymmetryData, Varying,
};
use crate::run::{Budget, Progress, Watch};
use crate::solve::answer::Technique;
use crate::solve::games::set_board::SetBoard;
use crate::solve::play::{Judged, Play, Position, best_moves};
use crate::structure::Structure;
use crate::tests::{cases, few_cases, quick_or_long};
use crate::values::Value;

type Cells = Vec<Symbol>;

fn position<'a, W>(
    compiled: &'a Arc<Compiled<W>>,
    images: &'a Arc<Images<W>>,
    (player, word): (usize, W),
) -> Position<'a, W> {
    Position { compiled, images, player, word }
}

fn search<W: Word>(position: Position<W>, question: Question, watch: Watch) -> Result<Judged> {
    judge::search(position, &KeptBoard::new(), question, watch)
}

/// The value of each position and player to move that minimax has met: 1 if the player to move wins, -1 if the player
/// loses, 0 for a draw; and the number of moves to the end.
type Values = HashMap<(Cells, usize), (i32, u32)>;

/// A plain minimax, without pruning: it tries every move in every position, and remembers the values.
struct Minimax<'a> {
    rules: &'a Rules,
    values: Values,
}

impl Minimax<'_> {
    fn successors(&self, (cells, player): &(Cells, usize)) -> Vec<(usize, (Cells, usize))> {
        let moves = self.rules.moves.iter().enumerate();
        let mine = moves.filter(|(_, given)| given.player.is_none_or(|owner| owner == *player));
        mine.filter(|(_, given)| {
            given.when.holds(cells)
                && given.compares.iter().all(|compare| compare.holds(cells))
                && given.conditions.iter().all(|condition| condition.holds(cells))
        })
        .map(|(index, given)| {
            let mut after = cells.clone();
            for (cell, source) in &given.then {
                after[*cell] = match source {
                    crate::rules::Source::Symbol(symbol) => *symbol,
                    crate::rules::Source::Copy(from, None) => cells[*from],
                    crate::rules::Source::Copy(from, Some(map)) => map[cells[*from] as usize],
                };
            }
            (index, (after, if given.again { *player } else { 1 - player }))
        })
        .collect()
    }

    fn worth(&self, outcome: usize, player: usize) -> i32 {
        let name = &self.rules.outcomes[outcome];
        match self.rules.players.iter().position(|other| other == name) {
            Some(winner) => {
                if winner == player {
                    1
                } else {
                    -1
                }
            }
            None => 0,
        }
    }

    /// The value for the player to move of a position in which an end holds; `None` if none holds.
    fn over(&self, (cells, player): &(Cells, usize)) -> Option<i32> {
        let held = self.rules.ends.iter().filter(|end| end.holds(cells)).map(|end| end.outcome);
        held.min_by_key(|&outcome| self.rules.precedence(outcome, 1 - player))
            .map(|outcome| self.worth(outcome, *player))
            .or_else(|| {
                let stuck = self.rules.stuck_outcome(*player, false);
                self.successors(&(cells.clone(), *player)).is_empty().then(|| self.worth(stuck, *player))
            })
    }

    fn value(&mut self, at: &(Cells, usize)) -> (i32, u32) {
        if let Some(&known) = self.values.get(at) {
            return known;
        }
        let value = if let Some(sign) = self.over(at) {
            (sign, 0)
        } else {
            let after: Vec<(i32, u32)> =
                self.successors(at).into_iter().map(|(_, next)| self.value_of_move(at, &next)).collect();
            after.into_iter().max_by_key(|&(sign, moves)| rank((sign, moves))).unwrap()
        };
        self.values.insert(at.clone(), value);
        value
    }

    /// The value, for the player to move at `at`, of a move to the position `next`. It has the two numbers of
    /// [`Values`].
    fn value_of_move(&mut self, at: &(Cells, usize), next: &(Cells, usize)) -> (i32, u32) {
        let (sign, moves) = self.value(next);
        (if next.1 == at.1 { sign } else { -sign }, moves + 1)
    }

    /// All best moves of an open position: they keep its value, do not hasten a loss, and do not delay a win.
    fn best(&mut self, at: &(Cells, usize)) -> Vec<usize> {
        let value = rank(self.value(at));
        let mut best = Vec::new();
        for (index, next) in self.successors(at) {
            if rank(self.value_of_move(at, &next)) == value {
                best.push(index);
            }
        }
        best
    }
}

/// A number that orders values, the worst first. All draws are equal.
fn rank((sign, moves): (i32, u32)) -> i64 {
    i64::from(sign) * (100_000 - i64::from(moves))
}

fn sign_of(value: Value) -> i32 {
    match value {
        Value::Win(_) => 1,
        Value::Draw(_) => 0,
        Value::Loss(_) => -1,
        Value::Score(points) => points.signum(),
    }
}

fn on(_: &Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The numbers of rules and positions of each kind that the tests have compared.
#[derive(Debug, Default)]
struct Compared {
    rules: u32,
    as_sets: u32,
    positions: u32,
    wins: u32,
    losses: u32,
    draws: u32,
    long: u32,
}

/// Compares all answers about some positions with minimax. Play must not be able to come back to a position.
fn compare<W: Word>(data: &RulesData, bytes: &[u64], every: usize, compared: &mut Compared) {
    let rules = Arc::new(Rules::new(data).unwrap());
    let structure = Arc::new(Structure::new(Arc::clone(&rules)).unwrap());
    assert!(structure.never_repeats());
    let varying = Arc::new(Varying::whole(structure.rules()));
    let compiled = Arc::new(Compiled::<W>::new(&structure, &varying).unwrap());
    let images: Arc<Images<W>> = Arc::new(compiled.images(structure.turn_keeping()));
    let alone: Arc<Images<W>> = Arc::new(compiled.images(&structure.symmetries()[..1]));
    let mut minimax = Minimax { rules: &rules, values: Values::new() };
    minimax.value(&(rules.start.clone(), 0));
    compared.rules += 1;
    compared.as_sets += u32::from(SetBoard::new(&compiled, &images).is_some());
    let mut all: Vec<(Cells, usize)> = minimax.values.keys().cloned().collect();
    all.sort();
    for at in all.iter().step_by(every.max(all.len() / quick_or_long(20, 60) as usize)) {
        if minimax.over(at).is_some() {
            let from = (compiled.table_of(at.1), compiled.pack(&at.0, at.1));
            let judged = |judged: Result<Judged>| judged.unwrap().found;
            let (at, board) = (position(&compiled, &images, from), KeptBoard::new());
            let whole = judged(best_moves(at, Budget::default(), &on));
            assert_eq!(judged(judge(at, &board, Question::default(), &on)), whole);
            continue;
        }
        let (sign, moves) = minimax.value(at);
        let from = (compiled.table_of(at.1), compiled.pack(&at.0, at.1));
        compared.positions += 1;
        *[&mut compared.losses, &mut compared.draws, &mut compared.wins][(sign + 1) as usize] += 1;
        compared.long += u32::from(moves > 4);
        for (images, &bytes) in [&images, &alone].into_iter().zip(bytes.iter().cycle()) {
            let question = |exact| Question { budget: Budget { bytes, ..Budget::default() }, exact };
            let Play::Solved { value, moves: best, line, exact } =
                search(position(&compiled, images, from), question(true), &on).unwrap().found
            else {
                panic!("no limit was set: {at:?}")
            };
            assert!(exact);
            assert_eq!(sign_of(value), sign, "{at:?} {data:?}");
            if let Value::Win(length) | Value::Loss(length) = value {
                assert_eq!(length, moves, "{at:?} {data:?}");
                assert_eq!(line.len() as u32, moves);
            }
            assert_eq!(best, minimax.best(at), "{at:?} {data:?}");
            // A search of the whole game, which may take more memory, finds the same.
            let Play::Solved { value: same, moves: all_best, line: longest, .. } =
                best_moves(position(&compiled, images, from), Budget::default(), &on).unwrap().found
            else {
                panic!("no limit was set: {at:?}")
            };
            assert_eq!((sign_of(same), &all_best), (sign, &best), "{at:?} {data:?}");
            match same {
                Value::Draw(length) => assert!(length.is_none_or(|most| most as usize >= longest.len())),
                _ => assert_eq!((same, longest.len()), (value, line.len())),
            }
            // Each move of the line is the first of the best moves.
            let mut here = at.clone();
            for index in line {
                assert_eq!(minimax.best(&here).first(), Some(&index));
                here = minimax.successors(&here).into_iter().find(|(other, _)| *other == index).unwrap().1;
            }
            assert!(minimax.over(&here).is_some());
            // A search that is asked only for the value may tell less, but all that it tells must be true.
            let Play::Solved { value, moves: best, line, exact } =
                search(position(&compiled, images, from), question(false), &on).unwrap().found
            else {
                panic!("no limit was set: {at:?}")
            };
            assert_eq!(sign_of(value), sign);
            if let Value::Win(length) | Value::Loss(length) = value {
                assert!(length >= moves);
            }
            assert!(exact || best.len() == 1);
            for index in best {
                let next = minimax.successors(at).into_iter().find(|(other, _)| *other == index).unwrap().1;
                assert_eq!(minimax.value_of_move(at, &next).0, sign);
            }
            let mut here = at.clone();
            for index in line {
                here = minimax.successors(&here).into_iter().find(|(other, _)| *other == index).unwrap().1;
            }
            assert_eq!(minimax.over(&here), Some(if here.1 == at.1 { sign } else { -sign }));
        }
        // A look ahead finds exactly the wins and losses within its number of moves.
        for ahead in [1, 2, 3, 6] {
            let LookAhead { moves: reached, found: seen } =
                judge::foresee(position(&compiled, &images, from), &KeptBoard::new(), ahead, u64::MAX, &on);
            assert_eq!(reached, ahead);
            for (seen, (index, next)) in seen.iter().zip(minimax.successors(at)) {
                let end = match minimax.value_of_move(at, &next) {
                    (1, moves) if moves <= ahead => Some(Value::Win(moves)),
                    (-1, moves) if moves <= ahead => Some(Value::Loss(moves)),
                    _ => None,
                };
                assert_eq!((seen.index, seen.end), (index, end), "{at:?} {ahead} {data:?}");
            }
        }
    }
}

/// The number of positions, or of rules, that must have been met to say that a test has seen enough: `count` in a long
/// run, and a quarter of it in a quick one, which compares fewer positions.
fn least(count: u32) -> u32 {
    quick_or_long(count / 4, count)
}

/// The bytes that a table may take: enough for one bucket, for some buckets, and for as many as the search wants.
const SIZES: [u64; 3] = [0, 3000, u64::MAX];

fn put(cell: i64, player: &str, guard: &[(i64, &[&str])]) -> MoveData {
    let mut when = vec![(cell, vec![".".to_owned()])];
    when.extend(guard.iter().map(|(cell, set)| (*cell, set.iter().map(ToString::to_string).collect())));
    MoveData {
        name: cell.to_string(),
        player: Some(player.to_owned()),
        when,
        then: vec![(cell, SourceData::Symbol(player.to_owned()))],
        ..MoveData::default()
    }
}

/// Rules of a game in which `win` marks in a row win. If `drop` is `true`, a mark falls to the lowest free cell of its
/// column.
fn lines(rows: i64, columns: i64, win: i64, drop: bool) -> RulesData {
    let cells = rows * columns;
    let on_board = |row: i64, column: i64| (0..rows).contains(&row) && (0..columns).contains(&column);
    let (mut moves, mut ends) = (Vec::new(), Vec::new());
    for player in ["X", "O"] {
        for cell in 0..cells {
            let below = (cell + columns..cells).step_by(columns as usize).filter(|_| drop);
            let guard: Vec<(i64, &[&str])> = below.map(|cell| (cell, &["X", "O"][..])).collect();
            moves.push(MoveData { name: format!("{cell}"), ..put(cell, player, &guard) });
            for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                let (row, column) = (cell / columns, cell % columns);
                if on_board(row + down * (win - 1), column + right * (win - 1)) {
                    let line = (0..win).map(|at| cell + at * (down * columns + right));
                    let when = line.map(|cell| (cell, vec![player.to_owned()])).collect();
                    ends.push(EndData { outcome: player.to_owned(), wins: true, when, ..EndData::default() });
                }
            }
        }
    }
    let mirror = (0..cells).map(|cell| cell / columns * columns + columns - 1 - cell % columns).collect();
    let turn = (0..cells).map(|cell| cells - 1 - cell).collect();
    let symmetry =
        |name: &str, cells| SymmetryData { name: name.to_owned(), cells, symbols: [].into(), swap_players: false };
    let mut symmetries = vec![symmetry("mirror", mirror)];
    if !drop {
        symmetries.push(symmetry("turn", turn));
    }
    RulesData {
        symbols: [".", "X", "O"].map(str::to_owned).into(),
        start: vec![".".to_owned(); cells as usize],
        players: vec!["X".to_owned(), "O".to_owned()],
        moves,
        goal: Vec::new(),
        ends,
        stuck: None,
        score: None,
        symmetries: symmetries.into(),
    }
}

#[test]
fn lines_on_small_boards_have_the_values_of_minimax() {
    let mut compared = Compared::default();
    for (rows, columns, win) in [(3, 3, 3), (3, 3, 2), (2, 4, 3), (3, 2, 2)] {
        for stuck in ["draw", "loss", "win"] {
            let data = RulesData { stuck: Some(stuck.to_owned()), ..lines(rows, columns, win, false) };
            compare::<u32>(&data, &SIZES, 1, &mut compared);
            compare::<u128>(&data, &SIZES[1..], 7, &mut compared);
        }
    }
    for (rows, columns, win) in [(3, 3, 3), (4, 3, 3), (3, 4, 3)] {
        compare::<u32>(&lines(rows, columns, win, true), &SIZES, 1, &mut compared);
        compare::<[u64; 4]>(&lines(rows, columns, win, true), &SIZES, 9, &mut compared);
    }
    assert_eq!(compared.as_sets, compared.rules);
    assert!(compared.wins.min(compared.losses) > least(100), "{compared:?}");
    assert!(compared.draws > least(50) && compared.long > least(20), "{compared:?}");
}

#[test]
fn random_ends_in_columns_have_the_values_of_minimax() {
    let (mut random, mut compared) = (Random::new("ends in columns"), Compared::default());
    for round in 0..cases(24) as usize {
        let (rows, columns) = [(2, 3), (4, 2), (3, 3), (2, 4), (5, 2)][round % 5];
        let mut data = RulesData { symmetries: SymmetriesData::Auto, ..lines(rows, columns, 3, true) };
        data.ends.clear();
        for (player, count) in [("X", 1 + below(&mut random, 4)), ("O", 1 + below(&mut random, 4))] {
            for _ in 0..count {
                let mut free: Vec<i64> = (0..rows * columns).collect();
                let cells = (0..2 + below(&mut random, 2)).map(|_| free.remove(below(&mut random, free.len())));
                let when = cells.map(|cell| (cell, vec![player.to_owned()])).collect();
                data.ends.push(EndData { outcome: player.to_owned(), wins: true, when, ..EndData::default() });
            }
        }
        let structure = Arc::new(Structure::new(Arc::new(Rules::new(&data).unwrap())).unwrap());
        let varying = Arc::new(Varying::whole(structure.rules()));
        let compiled = Arc::new(Compiled::<u32>::new(&structure, &varying).unwrap());
        let board = SetBoard::new(&compiled, &compiled.images(structure.turn_keeping())).unwrap();
        assert!(board.game.chains.is_some() && board.codes.is_some(), "{data:?}");
        compare::<u32>(&data, &SIZES[1..], 1, &mut compared);
    }
    assert!(compared.wins > 50 && compared.losses > 20 && compared.draws > 50 && compared.long > 20, "{compared:?}");
}

/// On boards that play does not reach, disks may hang over free cells. Nothing that is known of columns holds there.
#[test]
fn boards_with_disks_that_hang_have_the_values_of_minimax() {
    let mut random = Random::new("hanging disks");
    let (mut hanging, mut decided) = (0, 0);
    for (rows, columns, win) in [(3, 3, 3), (4, 3, 3), (3, 4, 3), (4, 4, 4)] {
        let rules = Arc::new(Rules::new(&lines(rows, columns, win, true)).unwrap());
        let structure = Arc::new(Structure::new(Arc::clone(&rules)).unwrap());
        let compiled = Arc::new(Compiled::<u32>::new(&structure, &Arc::new(Varying::whole(&rules))).unwrap());
        let images = Arc::new(compiled.images(structure.turn_keeping()));
        let (cells, board) = ((rows * columns) as usize, KeptBoard::new());
        let mut boards: Vec<Cells> = (0..quick_or_long(40, 400))
            .map(|_| {
                // At most eight cells are free.
                let taken = (cells.saturating_sub(8)).max(3 + below(&mut random, cells / 2));
                let mut state = vec![0; cells];
                while state.iter().filter(|&&symbol| symbol != 0).count() < taken {
                    state[below(&mut random, cells)] = 1 + below(&mut random, 2) as Symbol;
                }
                state
            })
            .collect();
        if win == 4 {
            // `.XXX/XXOX/.OXO/.XOX`: X drops into the first column, O has to follow, and X completes the top row.
            boards.push(vec![0, 1, 1, 1, 1, 1, 2, 1, 0, 2, 1, 2, 0, 1, 2, 1]);
        }
        for at in boards.into_iter().map(|state| (state, 0)) {
            let mut minimax = Minimax { rules: &rules, values: Values::new() };
            if minimax.over(&at).is_some() {
                continue;
            }
            let (sign, moves) = minimax.value(&at);
            let from = (compiled.table_of(at.1), compiled.pack(&at.0, at.1));
            let exactly = Question { exact: true, ..Question::default() };
            let found = judge(position(&compiled, &images, from), &board, exactly, &on).unwrap().found;
            let Play::Solved { value, exact: true, .. } = found else { panic!("no limit was set: {at:?}") };
            assert_eq!(sign_of(value), sign, "{at:?}");
            if let Value::Win(length) | Value::Loss(length) = value {
                assert_eq!(length, moves, "{at:?}");
                decided += 1;
            }
            hanging += u32::from(!board.of(&compiled, &images).unwrap().serves(from.1));
        }
    }
    assert!(hanging > 60 && decided > 40, "{hanging} {decided}");
}

/// A random number below `bound`.
fn below(random: &mut Random, bound: usize) -> usize {
    random.below(bound as u64) as usize
}

/// Random rules of two players on a ring of cells. Each move adds one to a weighted count, in which `.` weighs nothing,
/// `X` and `O` weigh one, and `Z` weighs two. So play never comes back to a position. In some rules, all moves and ends
/// are turned around the ring. In some, moves compare cells or copy symbols, so that `SetBoard` does not serve them.
fn random_rules(random: &mut Random) -> RulesData {
    const SYMBOLS: [&str; 4] = [".", "X", "O", "Z"];
    let cells = 2 + below(random, 5) as i64;
    let ring = below(random, 2) == 0;
    let odd = below(random, 4) == 0;
    let turned = |pattern: &[(i64, Vec<String>)], by: i64| {
        pattern.iter().map(|(cell, set)| ((cell + by) % cells, set.clone())).collect::<Vec<_>>()
    };
    let some_set = |random: &mut Random| {
        let kept = 1 + below(random, 14);
        (0..4).filter(|bit| kept >> bit & 1 == 1).map(|at: usize| SYMBOLS[at].to_owned()).collect::<Vec<_>>()
    };
    let (mut moves, mut ends) = (Vec::new(), Vec::new());
    for number in 0..2 + below(random, 5) {
        let (old, new) = [(".", "X"), (".", "O"), (".", "X"), (".", "O"), ("X", "Z"), ("O", "Z")][below(random, 6)];
        let player = ["X", "O"].get(below(random, 3)).map(ToString::to_string);
        let mut when = vec![(0, vec![old.to_owned()])];
        let mut then = vec![(0, SourceData::Symbol(new.to_owned()))];
        let (mut equal, mut different) = (Vec::new(), Vec::new());
        let mut free: Vec<i64> = (1..cells).collect();
        if free.len() > 1 && below(random, 3) == 0 {
            // The move also exchanges two other cells, whatever they hold, or an `X` with a `.`.
            let (one, other) = (free.remove(below(random, free.len())), free.remove(below(random, free.len())));
            if odd {
                then.push((one, SourceData::Copy { copy: other, map: [].into() }));
                then.push((other, SourceData::Copy { copy: one, map: [].into() }));
            } else {
                when.extend([(one, vec!["X".to_owned()]), (other, vec![".".to_owned()])]);
                then.push((one, SourceData::Symbol(".".to_owned())));
                then.push((other, SourceData::Copy { copy: one, map: [].into() }));
            }
        }
        if !free.is_empty() && below(random, 2) == 0 {
            when.push((free.remove(below(random, free.len())), some_set(random)));
        }
        if odd && !free.is_empty() && below(random, 2) == 0 {
            let pair = (0, free[below(random, free.len())]);
            if below(random, 2) == 0 { equal.push(pair) } else { different.push(pair) }
        }
        for by in 0..cells {
            let source = |source: &SourceData| match source {
                SourceData::Copy { copy, map } => SourceData::Copy { copy: (copy + by) % cells, map: map.clone() },
                SourceData::Symbol(symbol) => SourceData::Symbol(symbol.clone()),
            };
            let pairs =
                |pairs: &[(i64, i64)]| pairs.iter().map(|&(a, b)| ((a + by) % cells, (b + by) % cells)).collect();
            if ring || below(random, 3) > 0 {
                moves.push(MoveData {
                    name: format!("{number} {by}"),
                    player: player.clone(),
                    when: turned(&when, by),
                    equal: pairs(&equal),
                    different: pairs(&different),
                    then: then.iter().map(|(cell, from)| ((cell + by) % cells, source(from))).collect(),
                    ..MoveData::default()
                });
            }
        }
    }
    for _ in 0..below(random, 5) {
        let outcome = ["X", "O", "X", "O", "draw"][below(random, 5)].to_owned();
        let mut free: Vec<i64> = (0..cells).collect();
        let mut when = Vec::new();
        let plain = ["X", "O", "Z"][below(random, 3)].to_owned();
        for _ in 0..=below(random, 3).min(free.len() - 1) {
            let set = if below(random, 3) > 0 { vec![plain.clone()] } else { some_set(random) };
            when.push((free.remove(below(random, free.len())), set));
        }
        for by in (0..cells).filter(|&by| ring || by == 0) {
            ends.push(EndData {
                outcome: outcome.clone(),
                wins: outcome != "draw",
                when: turned(&when, by),
                ..EndData::default()
            });
        }
    }
    let turn = SymmetryData {
        name: "turn".to_owned(),
        cells: (0..cells).map(|cell| (cell + 1) % cells).collect(),
        symbols: [].into(),
        swap_players: false,
    };
    RulesData {
        symbols: SYMBOLS.map(str::to_owned).into(),
        start: vec![".".to_owned(); cells as usize],
        players: vec!["X".to_owned(), "O".to_owned()],
        moves,
        goal: Vec::new(),
        ends,
        stuck: Some(["draw", "loss", "win"][below(random, 3)].to_owned()),
        score: None,
        symmetries: if ring { vec![turn].into() } else { SymmetriesData::Auto },
    }
}

/// Lets some moves keep the turn, and the images of a move as well.
fn with_kept_turns(mut data: RulesData, random: &mut Random) -> RulesData {
    let kept: Vec<bool> = (0..7).map(|_| below(random, 3) == 0).collect();
    for given in &mut data.moves {
        let number = given.name.split(' ').find_map(|part| part.parse::<usize>().ok());
        given.again = number.is_some_and(|number| kept[number]);
    }
    data
}

#[test]
fn random_games_in_which_moves_keep_the_turn_have_the_values_of_minimax() {
    let (mut random, mut compared) = (Random::new("games with kept turns"), Compared::default());
    for round in 0..few_cases(130) as usize {
        let data = random_rules(&mut random);
        let data = with_kept_turns(data, &mut random);
        if data.moves.is_empty() || Rules::new(&data).is_err() {
            continue;
        }
        match round % 3 {
            0 => compare::<u32>(&data, &SIZES[round % 2..], 3, &mut compared),
            1 => compare::<u64>(&data, &SIZES[round % 2..], 3, &mut compared),
            _ => compare::<[u64; 4]>(&data, &SIZES[round % 2..], 3, &mut compared),
        }
    }
    assert!(compared.rules > 50 && compared.long > least(10), "{compared:?}");
    assert!(compared.wins.min(compared.losses).min(compared.draws) > least(100), "{compared:?}");
}

#[test]
fn random_games_have_the_values_of_minimax() {
    let (mut random, mut compared) = (Random::new("layered games"), Compared::default());
    for round in 0..few_cases(130) as usize {
        let data = random_rules(&mut random);
        if data.moves.is_empty() || Rules::new(&data).is_err() {
            continue;
        }
        match round % 3 {
            0 => compare::<u32>(&data, &SIZES[round % 2..], 3, &mut compared),
            1 => compare::<u64>(&data, &SIZES[round % 2..], 3, &mut compared),
            _ => compare::<[u64; 4]>(&data, &SIZES[round % 2..], 3, &mut compared),
        }
    }
    assert!(compared.rules > 56, "{compared:?}");
    assert!(compared.as_sets > 32 && compared.as_sets < compared.rules - 10, "{compared:?}");
    assert!(compared.wins.min(compared.losses).min(compared.draws) > least(100), "{compared:?}");
    assert!(compared.long > least(16), "{compared:?}");
}

/// Gives random rules a score: points for `X`, `O` and `Z`, in all cells or in some. Some ends state their points.
fn with_score(mut data: RulesData, random: &mut Random) -> RulesData {
    let ring = matches!(data.symmetries, SymmetriesData::Declared(_));
    let sums = ["X", "O"].map(|player| SumData {
        player: player.to_owned(),
        worth: ["X", "O", "Z"].map(|symbol| (symbol.to_owned(), below(random, 7) as i64 - 2)).into(),
        of: (!ring && below(random, 2) == 0).then(|| vec![0, 1]),
    });
    data.score = Some(ScoreData { sums: sums.into(), endless: None });
    data.stuck = None;
    for end in &mut data.ends {
        let score = (below(random, 3) == 0).then(|| below(random, 9) as i64 - 4);
        *end = EndData { when: end.when.clone(), score, ..EndData::default() };
    }
    data
}

#[test]
fn points_by_alpha_beta_are_those_of_the_search_of_all() {
    points_are_those_of_the_search_of_all("games with a score", false);
}

#[test]
fn points_where_moves_keep_the_turn_are_those_of_the_search_of_all() {
    points_are_those_of_the_search_of_all("kept turns with a score", true);
}

fn points_are_those_of_the_search_of_all(seed: &str, again: bool) {
    let mut random = Random::new(seed);
    let (mut rules, mut positions, mut apart) = (0, 0, 0);
    for round in 0..quick_or_long(40, 1000) as usize {
        let data = random_rules(&mut random);
        let mut data = with_score(data, &mut random);
        if again {
            data = with_kept_turns(data, &mut random);
        }
        let Ok(made) = Rules::new(&data) else { continue };
        let structure = Arc::new(Structure::new(Arc::new(made)).unwrap());
        assert!(structure.never_repeats());
        let varying = Arc::new(Varying::whole(structure.rules()));
        let compiled = Arc::new(Compiled::<u64>::new(&structure, &varying).unwrap());
        let images: Arc<Images<u64>> = Arc::new(compiled.images(structure.turn_keeping()));
        rules += 1;
        for _ in 0..4 {
            let mut at = (0, compiled.start());
            while compiled.outcome(at.1, at.0).is_none() {
                let whole = best_moves(position(&compiled, &images, at), Budget::default(), &on).unwrap().found;
                let Play::Solved { value: Value::Score(points), moves: best, line: longest, .. } = whole else {
                    panic!("no limit was set: {whole:?}")
                };
                let bytes = SIZES[round % 3];
                let question = |exact| Question { budget: Budget { bytes, ..Budget::default() }, exact };
                let found = search(position(&compiled, &images, at), question(true), &on).unwrap();
                assert_eq!(found.technique, Technique::AlphaBeta);
                let Play::Solved { value, moves, line, exact } = found.found else { panic!("no limit was set") };
                assert_eq!((value, &moves, exact), (Value::Score(points), &best, true), "{data:?}");
                assert_eq!(line, longest, "{data:?}");
                let found = search(position(&compiled, &images, at), question(false), &on).unwrap().found;
                let Play::Solved { value, moves, .. } = found else { panic!("no limit was set") };
                assert_eq!(value, Value::Score(points), "{data:?}");
                assert!(moves.iter().all(|index| best.contains(index)), "{data:?}");
                // With a budget of one position, the search may tell less, but what it tells is true.
                let little = Question { budget: Budget { states: 1, bytes: 10_000, threads: 0 }, exact: false };
                match search(position(&compiled, &images, at), little, &on).unwrap().found {
                    Play::Solved { value, .. } => assert_eq!(value, Value::Score(points)),
                    Play::Unknown { best, .. } => assert!(best.is_some()),
                    found => panic!("{found:?}"),
                }
                positions += 1;
                let mut after = Vec::new();
                compiled.steps[at.0].each_called(at.1, &mut |_, step| {
                    after.push((step.index, step.effect.apply(at.1)));
                    true
                });
                apart += u32::from(best.len() < after.len());
                at = (structure.rules().next_player(at.0), after[below(&mut random, after.len())].1);
            }
        }
    }
    let counts = (rules > least(35), positions > least(130), apart > least(60));
    assert!(counts == (true, true, true), "{rules} rules, {positions} positions, {apart} apart");
}

#[test]
fn games_with_all_kinds_of_moves_have_the_values_of_the_search_of_all() {
    all_kinds_have_the_values_of_the_search_of_all(false);
}

#[test]
fn games_with_cycles_and_kept_turns_have_the_values_of_the_search_of_all() {
    all_kinds_have_the_values_of_the_search_of_all(true);
}

fn all_kinds_have_the_values_of_the_search_of_all(again: bool) {
    // A single game may take longer than all others. Of the games that this text gives, none does.
    let mut random = Random::new("play in circles");
    let (mut ended, mut drawn, mut positions, mut weighed) = (0, 0, 0, 0);
    for _ in 0..cases(30) {
        // Up to two more moves undo other moves, so that play may come back to a position.
        let mut data = random_rules(&mut random);
        let cells = data.start.len() as i64;
        let given = data.moves.len().min(2);
        for at in 0..given {
            let old = data.moves[at].when.clone();
            let SourceData::Symbol(new) = data.moves[at].then[0].1.clone() else { continue };
            let cell = data.moves[at].then[0].0;
            data.moves.push(MoveData {
                name: format!("back {at}"),
                player: data.moves[at].player.clone(),
                when: vec![(cell, vec![new])],
                then: vec![(cell, SourceData::Symbol(old[0].1[0].clone()))],
                ..MoveData::default()
            });
        }
        data.symmetries = SymmetriesData::Auto;
        if again {
            data = with_kept_turns(data, &mut random);
        }
        let Ok(rules) = Rules::new(&data) else { continue };
        let structure = Arc::new(Structure::new(Arc::new(rules)).unwrap());
        if cells > 5 {
            continue;
        }
        // For some of these rules, a potential proves that play cannot come back to a position.
        weighed += usize::from(structure.never_repeats());
        let compiled =
            Arc::new(Compiled::<u64>::new(&structure, &Arc::new(Varying::whole(structure.rules()))).unwrap());
        let images = Arc::new(compiled.images(structure.turn_keeping()));
        let mut at = (0, compiled.start());
        for _ in 0..6 {
            if compiled.outcome(at.1, at.0).is_some() {
                break;
            }
            let whole = best_moves(position(&compiled, &images, at), Budget::default(), &on).unwrap().found;
            let question = Question { exact: true, ..Question::default() };
            let found = search(position(&compiled, &images, at), question, &on).unwrap().found;
            let (Play::Solved { value: here, moves: best, .. }, Play::Solved { value, moves, line, exact }) =
                (whole, found)
            else {
                panic!("no limit was set")
            };
            assert!(exact);
            // Alpha-beta does not tell how long a draw lasts.
            let here = if let Value::Draw(_) = here { Value::Draw(None) } else { here };
            assert_eq!((value, &moves), (here, &best), "{data:?}");
            match value {
                Value::Draw(_) | Value::Score(_) => drawn += 1,
                Value::Win(length) | Value::Loss(length) => {
                    assert_eq!(line.len() as u32, length);
                    ended += 1;
                }
            }
            // With a budget of one position, the search may tell less, but what it tells is true.
            let little = Question { budget: Budget { states: 1, bytes: 10_000, threads: 0 }, exact: false };
            match search(position(&compiled, &images, at), little, &on).unwrap().found {
                Play::Solved { value, .. } => assert_eq!(sign_of(value), sign_of(here)),
                Play::Unknown { best, .. } => assert!(best.is_some()),
                found => panic!("{found:?}"),
            }
            positions += 1;
            let mut after = Vec::new();
            compiled.steps[at.0].each_called(at.1, &mut |_, step| {
                after.push(step.effect.apply(at.1));
                true
            });
            at = (structure.rules().next_player(at.0), after[below(&mut random, after.len())]);
        }
    }
    let counts = [positions, ended, drawn, 4 * weighed];
    assert!(counts.iter().all(|&count| count > 13), "{counts:?}");
}

#[test]
fn a_limit_leaves_the_best_move_so_far() {
    // Four in a row wins on a board of 5 by 5. The watch stops the first search after some positions, on a slow machine
    // too, where it is asked more often. The other searches may look at few positions.
    let data = lines(5, 5, 4, false);
    let structure = Arc::new(Structure::new(Arc::new(Rules::new(&data).unwrap())).unwrap());
    let compiled = Arc::new(Compiled::<u64>::new(&structure, &Arc::new(Varying::whole(structure.rules()))).unwrap());
    let images = Arc::new(compiled.images(structure.turn_keeping()));
    let state = |text: &str| {
        compiled.pack(
            &text.bytes().map(|byte| b".XO".iter().position(|&other| other == byte).unwrap() as u8).collect::<Vec<_>>(),
            0,
        )
    };
    let little = Question { budget: Budget { states: 1, ..Budget::default() }, exact: false };
    let stopped =
        |seen: &Progress| if seen.states < 1 << 12 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
    let found =
        search(position(&compiled, &images, (0, state("........................."))), Question::default(), &stopped)
            .unwrap();
    let Play::Unknown { best: Some(best), ahead } = found.found else { panic!("{found:?}") };
    // The cell in the middle is in the most lines.
    assert_eq!(structure.rules().moves[best].name, "12");
    assert!(ahead >= 3, "{ahead}");
    // Three in a row with one free end must be stopped. A short look ahead shows it.
    let found =
        search(position(&compiled, &images, (1, state("OXXX......O.............."))), little, &on).unwrap().found;
    let Play::Unknown { best: Some(best), .. } = found else { panic!("{found:?}") };
    assert_eq!(structure.rules().moves[best].name, "4");
    // X has two marks in the middle of a row. If the search can tell the value at all, X wins in 3 or 5 moves.
    let found =
        search(position(&compiled, &images, (0, state("......XX.....OO.........."))), little, &on).unwrap().found;
    assert!(matches!(found, Play::Solved { value: Value::Win(3 | 5), .. } | Play::Unknown { .. }), "{found:?}");
}
