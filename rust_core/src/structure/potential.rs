//! Potentials: weights of symbols in cells that prove that play cannot come back to a state.
//! `docs/values.md`, "Tiers", explains to users what they are good for.
//!
//! A *potential* gives a weight to each symbol in each cell, and to each player to move. The sum of a state's weights
//! is its *level*. If every move raises the level, no state comes twice. Take pawns on a board that step forward, and
//! may take each other: if a pawn weighs minus the number of rows that it is away from the last one, and an empty cell
//! nothing, then each step raises the level by one, and a capture by more than that.
//!
//! How far a move raises the level hangs on the cells that it reads and writes. Its guard says what these may hold, and
//! each of them adds a term of its own. So the least that a move adds is the sum of the least terms. This is checked in
//! whole numbers for every move, and proves the potential, wherever it comes from.
//!
//! Two ways may find one. If no cell ever comes back to a symbol that it has left, symbols are weighed in the order in
//! which they follow each other. Otherwise weights are the solution of linear inequalities: each move must add at least
//! one, whatever its cells hold. There are too many ways to fill the cells of some moves. So only those are listed that
//! a solution so far has violated.
//!
//! Symmetries carry moves onto moves. So all images of a symbol in a cell may weigh the same, the average of their
//! weights; they are one unknown.

use std::collections::{BTreeMap, BTreeSet};

use super::inequalities::Inequalities;
use super::repeats;
use crate::rules::{Move, Rules, Source, Symbol, SymbolSet, Symmetry};

/// The most factors of inequalities that are changed: some tenths of a second.
const MOST_WORK: u64 = 1 << 23;

/// The most inequalities that are listed.
const MOST_LISTED: usize = 1 << 12;

/// All ways to fill the cells of a move are listed from the start if there are at most as many.
const FEW_WAYS: usize = 8;

/// The most terms of all moves.
const MOST_TERMS: usize = 1 << 20;

/// The largest level. Levels begin at 0.
const MOST_LEVEL: i64 = u16::MAX as i64;

/// A sum of unknown weights, each with a factor, in order.
type WeightSum = Vec<(usize, i64)>;

/// Weights of symbols in cells. With weights of the players to move, which are not kept, every move raises their sum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Potential {
    /// For each cell and symbol, the weight. The least of a cell is 0.
    weights: Vec<Vec<i64>>,
    /// For each player, the numbers by which moves may raise the level of the cells.
    raises: Vec<BTreeSet<i64>>,
}

impl Potential {
    /// A potential of rules with these symmetries, none of which swaps the players; `None` if there is none, or if it
    /// is not found.
    ///
    /// Passes that are forced change no cell, and are followed by a move. If rules have them, every other move raises
    /// the level of the cells.
    pub fn new(rules: &Rules, symmetries: &[Symmetry]) -> Option<Self> {
        let unknowns = Unknowns::new(rules, symmetries);
        let effects = LevelChange::of_rules(rules, &unknowns)?;
        if effects.iter().any(LevelChange::may_change_nothing) {
            return None;
        }
        let proven = |weights: &Vec<i64>| effects.iter().all(|effect| effect.least(weights).0 >= 1);
        let one_way = || Some(unknowns.of_cells(&repeats::ranks(rules)?)).filter(proven);
        let weights = one_way().or_else(|| solved(unknowns.count, &effects).filter(proven))?;
        Self::of_weights(rules, &unknowns, &effects, &weights)
    }

    fn of_weights(rules: &Rules, unknowns: &Unknowns, effects: &[LevelChange], weights: &[i64]) -> Option<Self> {
        let of_cell = |cell: usize| -> Vec<i64> {
            (0..rules.symbols.len()).map(|symbol| weights[unknowns.of[cell * rules.symbols.len() + symbol]]).collect()
        };
        let mut by_cell: Vec<Vec<i64>> = (0..rules.cells()).map(of_cell).collect();
        for of_cell in &mut by_cell {
            let least = of_cell.iter().min().copied()?;
            for weight in of_cell.iter_mut() {
                *weight -= least;
            }
        }
        let divisor = by_cell.iter().flatten().fold(0, |divisor, &weight| greatest_divisor(divisor, weight)).max(1);
        let cells_alone: Vec<i64> =
            (0..).zip(weights).map(|(at, &x)| if unknowns.is_player(at) { 0 } else { x }).collect();
        let mut raises = vec![BTreeSet::new(); rules.player_count()];
        for effect in effects {
            let all = effect.all(&cells_alone)?;
            raises[effect.player].extend(all.into_iter().map(|raise| raise / divisor));
        }
        by_cell.iter_mut().flatten().for_each(|weight| *weight /= divisor);
        Some(Self { weights: by_cell, raises })
    }

    /// For each cell and symbol, the weight: at least 0.
    pub fn weights(&self) -> &[Vec<i64>] {
        &self.weights
    }

    /// For each player, the numbers by which moves may raise the level of the cells.
    pub fn raises(&self) -> &[BTreeSet<i64>] {
        &self.raises
    }

    /// The largest sum of weights that cells may have; `None` if levels are too large to number states by them.
    pub fn most_level(&self) -> Option<u16> {
        let most: i64 = self.weights.iter().map(|of_cell| of_cell.iter().max().copied().unwrap_or(0)).sum();
        u16::try_from(most).ok()
    }
}

fn greatest_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
}

/// The weights that are sought: one for each symbol in each cell, up to symmetry, and one for the second player's turn.
struct Unknowns {
    /// For each cell and symbol, the number of its weight.
    of: Vec<usize>,
    /// The number of all weights. That of the second player's turn is the last one, if it is sought.
    count: usize,
    turn: bool,
}

impl Unknowns {
    fn new(rules: &Rules, symmetries: &[Symmetry]) -> Self {
        let symbols = rules.symbols.len();
        let image = |symmetry: &Symmetry, at: usize| {
            symmetry.cells[at / symbols] * symbols + usize::from(symmetry.symbols[at % symbols])
        };
        let (mut of, mut count) = (vec![usize::MAX; rules.cells() * symbols], 0);
        for at in 0..of.len() {
            if of[at] == usize::MAX {
                // The symmetries are all elements of a group, so these are all images.
                of[at] = count;
                for symmetry in symmetries {
                    of[image(symmetry, at)] = count;
                }
                count += 1;
            }
        }
        let turn = rules.player_count() == 2 && !rules.forces_passes();
        Self { of, count: count + usize::from(turn), turn }
    }

    fn is_player(&self, unknown: usize) -> bool {
        self.turn && unknown + 1 == self.count
    }

    /// The weights of symbols in cells, as a list of all weights. Images must weigh the same.
    fn of_cells(&self, weights: &[i64]) -> Vec<i64> {
        let mut all = vec![0; self.count];
        self.of.iter().zip(weights).for_each(|(&unknown, &weight)| all[unknown] = weight);
        all
    }
}

/// The difference that a move makes to a level: a sum of terms, each with a choice that hangs on what cells hold.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct LevelChange {
    player: usize,
    terms: Vec<Vec<WeightSum>>,
}

impl LevelChange {
    /// The effects of all moves; `None` if there are too many terms.
    fn of_rules(rules: &Rules, unknowns: &Unknowns) -> Option<Vec<Self>> {
        let (mut effects, mut count) = (BTreeSet::new(), 0);
        // Whoever passes because no other move can be made is followed by a move.
        for given in rules.moves.iter().filter(|given| !given.when.never() && !given.forced) {
            let Some(terms) = terms_of(rules, unknowns, given) else { continue };
            for player in (0..rules.player_count()).filter(|&player| given.player.is_none_or(|mover| mover == player)) {
                let mut terms = terms.clone();
                if unknowns.turn {
                    terms.push(vec![vec![(unknowns.count - 1, if player == 0 { 1 } else { -1 })]]);
                }
                count += terms.iter().map(Vec::len).sum::<usize>();
                effects.insert(Self { player, terms });
            }
            if count > MOST_TERMS {
                return None;
            }
        }
        Some(effects.into_iter().collect())
    }

    /// Returns `true` if the move may leave all weights as they are, as far as its guard tells.
    fn may_change_nothing(&self) -> bool {
        self.terms.iter().all(|term| term.iter().any(Vec::is_empty))
    }

    /// The least difference, and the sum of unknowns that makes it.
    fn least(&self, weights: &[i64]) -> (i64, WeightSum) {
        let value = |sum: &WeightSum| sum.iter().map(|&(unknown, factor)| factor * weights[unknown]).sum::<i64>();
        let (mut least, mut sum) = (0, Vec::new());
        for term in &self.terms {
            let smallest = term.iter().min_by_key(|sum| value(sum)).expect("a term has a choice");
            least += value(smallest);
            sum.extend_from_slice(smallest);
        }
        (least, added(sum))
    }

    /// All differences that the move may make; `None` if there are too many.
    fn all(&self, weights: &[i64]) -> Option<BTreeSet<i64>> {
        let value = |sum: &WeightSum| sum.iter().map(|&(unknown, factor)| factor * weights[unknown]).sum::<i64>();
        let mut all = BTreeSet::from([0]);
        for term in &self.terms {
            let more: BTreeSet<i64> = term.iter().map(value).collect();
            all = all.iter().flat_map(|one| more.iter().map(move |other| one + other)).collect();
            if all.len() > MOST_LISTED {
                return None;
            }
        }
        Some(all)
    }

    /// All sums of unknowns, if there are few; otherwise one.
    fn few(&self) -> BTreeSet<WeightSum> {
        let ways = self.terms.iter().fold(1_usize, |ways, term| ways.saturating_mul(term.len()));
        let mut few = BTreeSet::from([Vec::new()]);
        for term in &self.terms {
            let taken = if ways > FEW_WAYS { &term[..1] } else { term };
            few = few.iter().flat_map(|sum| taken.iter().map(|more| added([&sum[..], more].concat()))).collect();
        }
        few
    }
}

/// The terms of the difference that a move makes, apart from whose turn it is; `None` if the move is never made.
fn terms_of(rules: &Rules, unknowns: &Unknowns, given: &Move) -> Option<Vec<Vec<WeightSum>>> {
    let symbols = rules.symbols.len();
    let weight = |cell: usize, symbol: Symbol| unknowns.of[cell * symbols + usize::from(symbol)];
    let mut cells: BTreeSet<usize> = given.then.iter().map(|(cell, _)| *cell).collect();
    cells.extend(given.then.iter().filter_map(|(_, source)| match source {
        Source::Copy(from, _) => Some(*from),
        Source::Symbol(_) => None,
    }));
    // Cells that must hold the same symbol have one term.
    let mut groups: BTreeMap<usize, usize> = cells.iter().map(|&cell| (cell, cell)).collect();
    let equal = given.compares.iter().filter(|compared| compared.equal);
    for compared in equal {
        let of = |cell: usize| groups.get(&cell).copied().unwrap_or(cell);
        let (one, other) = (of(compared.first), of(compared.second));
        groups.entry(compared.first).or_insert(compared.first);
        groups.entry(compared.second).or_insert(compared.second);
        groups.values_mut().filter(|group| **group == other).for_each(|group| *group = one);
    }
    // What each cell adds when it holds a symbol.
    let adds = |cell: usize, symbol: Symbol| -> WeightSum {
        let mut sum = Vec::new();
        for (to, source) in &given.then {
            if *to == cell {
                sum.push((weight(cell, symbol), -1));
            }
            match source {
                Source::Symbol(written) if *to == cell => sum.push((weight(cell, *written), 1)),
                Source::Copy(from, map) if *from == cell => {
                    let written = map.as_ref().map_or(symbol, |map| map[usize::from(symbol)]);
                    sum.push((weight(*to, written), 1));
                }
                Source::Symbol(_) | Source::Copy(..) => {}
            }
        }
        sum
    };
    let mut terms = Vec::new();
    for group in groups.values().collect::<BTreeSet<_>>() {
        let members: Vec<usize> = groups.iter().filter(|(_, of)| *of == group).map(|(&cell, _)| cell).collect();
        let all = |set: SymbolSet, &cell: &usize| set.and(given.when.allowed(cell, symbols));
        let allowed = members.iter().fold(SymbolSet::all(symbols), all);
        let choice = |symbol| added(members.iter().flat_map(|&cell| adds(cell, symbol)).collect());
        let choices: BTreeSet<WeightSum> = allowed.iter().map(choice).collect();
        if choices.is_empty() {
            return None;
        }
        if choices != BTreeSet::from([Vec::new()]) {
            terms.push(choices.into_iter().collect());
        }
    }
    Some(terms)
}

/// A sum with each unknown once, in order.
fn added(mut sum: WeightSum) -> WeightSum {
    sum.sort_unstable();
    let mut all: WeightSum = Vec::with_capacity(sum.len());
    for (unknown, factor) in sum {
        match all.last_mut() {
            Some((last, more)) if *last == unknown => *more += factor,
            _ => all.push((unknown, factor)),
        }
    }
    all.retain(|&(_, factor)| factor != 0);
    all
}

/// Weights in whole numbers with which every effect is at least one, and hardly more; `None` if there are none, or if
/// they are not found.
fn solved(unknowns: usize, effects: &[LevelChange]) -> Option<Vec<i64>> {
    let mut inequalities = Inequalities::new(unknowns, MOST_WORK);
    let mut listed = BTreeSet::new();
    list(effects.iter().flat_map(LevelChange::few).collect(), &mut listed, &mut inequalities)?;
    let mut found = None;
    // With smaller weights there are fewer levels. If they are too much work, larger ones do.
    let mut solve = |tighten: bool| {
        while listed.len() <= MOST_LISTED && inequalities.have_solution()? {
            if tighten {
                inequalities.tighten()?;
            }
            let weights = in_whole_numbers(&inequalities)?;
            let violated = effects.iter().map(|effect| effect.least(&weights)).filter(|(least, _)| *least < 1);
            let violated: BTreeSet<WeightSum> = violated.map(|(_, sum)| sum).collect();
            if violated.is_empty() {
                return Some(weights);
            }
            list(violated, &mut listed, &mut inequalities)?;
        }
        None
    };
    for tighten in [false, true] {
        match solve(tighten) {
            None => return found,
            weights => found = weights,
        }
    }
    found
}

/// Adds inequalities; `None` if two of them contradict each other.
fn list(more: BTreeSet<WeightSum>, listed: &mut BTreeSet<WeightSum>, inequalities: &mut Inequalities) -> Option<()> {
    for sum in more {
        let opposite: WeightSum = sum.iter().map(|&(unknown, factor)| (unknown, -factor)).collect();
        if listed.contains(&opposite) {
            return None;
        }
        inequalities.add(&sum)?;
        listed.insert(sum);
    }
    Some(())
}

/// The solution of inequalities, times a whole number.
fn in_whole_numbers(inequalities: &Inequalities) -> Option<Vec<i64>> {
    let solution = inequalities.solution();
    let mut common = 1_i128;
    for value in &solution {
        let divisor = greatest_divisor(i64::try_from(common).ok()?, i64::try_from(value.denominator).ok()?);
        common = common.checked_mul(value.denominator / i128::from(divisor))?;
    }
    let whole = |value: &super::fraction::Fraction| {
        let whole = value.numerator.checked_mul(common / value.denominator)?;
        i64::try_from(whole).ok().filter(|whole| whole.abs() <= MOST_LEVEL)
    };
    solution.iter().map(whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RulesData;
    use crate::structure::Structure;
    use std::sync::Arc;

    fn potential(data: &serde_json::Value) -> Option<Potential> {
        let data: RulesData = serde_json::from_value(data.clone()).unwrap();
        let rules = Rules::new(&data).unwrap();
        let structure = Structure::new(Arc::new(rules)).unwrap();
        Potential::new(structure.rules(), structure.turn_keeping())
    }

    /// Pawns on a board, each player's at first in so many rows.
    fn pawns(rows: i64, columns: i64, deep: i64, back: &[&str]) -> serde_json::Value {
        let cell = |row: i64, column: i64| row * columns + column;
        let mut moves = Vec::new();
        for (player, down, own, other) in [("X", 1, "X", "O"), ("O", -1, "O", "X")] {
            for (row, column, side) in
                (0..rows * columns * 3).map(|at| (at / 3 / columns, at / 3 % columns, at % 3 - 1))
            {
                let (to_row, to_column) = (row + down, column + side);
                if !(0..rows).contains(&to_row) || !(0..columns).contains(&to_column) {
                    continue;
                }
                let (from, to) = (cell(row, column), cell(to_row, to_column));
                let free = if side == 0 { serde_json::json!(["."]) } else { serde_json::json!([".", other]) };
                moves.push(serde_json::json!({"name": format!("{from}-{to}"), "player": player,
                    "when": [[from, [own]], [to, free]], "then": [[from, "."], [to, own]]}));
            }
        }
        // A pawn of each player in `back` may step back.
        for player in back {
            moves.push(serde_json::json!({"name": "back", "player": player, "when": [[columns, [player]], [0, ["."]]],
                "then": [[columns, "."], [0, player]]}));
            moves.push(serde_json::json!({"name": "on", "player": player, "when": [[0, [player]], [columns, ["."]]],
                "then": [[0, "."], [columns, player]]}));
        }
        let of_row = |row: i64| {
            if row < deep {
                "X"
            } else if row >= rows - deep {
                "O"
            } else {
                "."
            }
        };
        let start: Vec<&str> = (0..rows * columns).map(|at| of_row(at / columns)).collect();
        serde_json::json!({"symbols": [".", "X", "O"], "start": start, "players": ["X", "O"], "moves": moves,
            "stuck": "loss"})
    }

    #[test]
    fn pawns_that_step_forward_never_come_back() {
        for (rows, columns, deep) in [(3, 2, 1), (4, 4, 2), (5, 5, 2), (8, 8, 2)] {
            let found = potential(&pawns(rows, columns, deep, &[])).unwrap();
            let most = found.most_level().unwrap();
            println!("{rows} {columns}: {most} {:?}", found.raises());
            assert!(i64::from(most) <= 2 * (rows - 1) * rows * columns, "{most}");
        }
        // If one player may go back, the other one still moves forward every other time.
        assert!(potential(&pawns(4, 4, 2, &["X"])).is_some());
        assert_eq!(potential(&pawns(4, 4, 2, &["X", "O"])), None);
    }
}
