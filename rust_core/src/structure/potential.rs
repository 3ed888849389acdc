//! Finds potentials: weights of symbols in cells that prove that play cannot come back to a state. `docs/values.md`,
//! "Tiers", explains to users what they are good for.
//!
//! A *potential* gives a weight to each symbol in each cell, and to each player's turn. The *level* of a state is the
//! sum of its weights. If every move raises the level, play cannot come back to a state. For example, take pawns that
//! step forward on a board and may capture each other. Let a pawn weigh minus the number of rows between it and the
//! last row, and let an empty cell weigh nothing. Then a step raises the level by one, and a capture by one or more.
//!
//! The cells that a move reads and writes decide how far it raises the level. The guard says which symbols these cells
//! may hold, and each cell contributes a term of its own. So the least by which a move can raise the level is the sum
//! of the smallest terms. It is computed in whole numbers for every move, and must be at least one. This proves the
//! potential, however it was found.
//!
//! There are two ways to find a potential. If no cell ever comes back to a symbol that it has left, the weights of a
//! cell's symbols grow in the order in which these can follow one another. Otherwise, the weights are a solution of
//! linear inequalities: each move must raise the level by at least one, whatever its cells hold. Some moves have too
//! many combinations of symbols in their cells to list an inequality for each. So only those inequalities are added
//! that the solution so far violates.
//!
//! A symmetry carries moves onto moves. So if there is a potential, there is one in which all images of a symbol in a
//! cell have the same weight: the average of their weights. They are one unknown.

use std::collections::BTreeSet;

use super::inequalities::Inequalities;
use super::repeats;
use crate::ordered::{OrderedMap, OrderedSet};
use crate::rules::{Move, Rules, Source, Symbol, SymbolSet, Symmetry};
use crate::sorting;
use crate::sorting::Gather;

/// The most factors of inequalities that the solver may change, which takes some tenths of a second.
const MOST_WORK: u64 = 1 << 23;

/// The most inequalities that are listed before the search for weights is given up.
const MOST_LISTED: usize = 1 << 12;

/// If the cells of a move can hold at most this many combinations of symbols, an inequality for each is listed from the
/// start.
const FEW_WAYS: usize = 8;

/// The most alternatives in all terms of the level changes of all moves.
const MOST_TERMS: usize = 1 << 20;

/// The largest absolute weight that is accepted.
const MOST_LEVEL: i64 = u16::MAX as i64;

/// A sum of unknown weights, each with a factor, sorted by the unknowns.
type WeightSum = Vec<(usize, i64)>;

/// A proven potential: the weights of symbols in cells. Together with weights of the players' turns, which are not kept
/// here, they make a level that every move raises.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Potential {
    /// `weights[cell][symbol]`. The smallest weight of each cell is 0.
    weights: Vec<Vec<i64>>,
    /// For each player, all amounts by which a move may raise the sum of the cells' weights.
    raises: Vec<BTreeSet<i64>>,
}

impl Potential {
    /// Finds a potential of rules. `symmetries` are all symmetries of the rules that do not exchange the players.
    /// `None` if there is no potential, or if none was found.
    ///
    /// A forced pass changes no cell, and the move after it is no pass. So in rules with passes, only the other moves
    /// must raise the level, and the players' turns have no weights.
    pub fn new(rules: &Rules, symmetries: &[Symmetry]) -> Option<Self> {
        // If a cell says whose turn it is, a forced pass changes only that cell. Such rules are not handled.
        if rules.turn.is_some() && rules.forces_passes() {
            return None;
        }
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
        let mut raises = vec![BTreeSet::new(); rules.alternating()];
        for effect in effects {
            let all = effect.all(&cells_alone)?;
            raises[effect.player].extend(all.into_iter().map(|raise| raise / divisor));
        }
        by_cell.iter_mut().flatten().for_each(|weight| *weight /= divisor);
        Some(Self { weights: by_cell, raises })
    }

    /// For each cell and symbol, its weight, which is at least 0.
    pub fn weights(&self) -> &[Vec<i64>] {
        &self.weights
    }

    /// For each player, all amounts by which a move may raise the sum of the cells' weights.
    pub fn raises(&self) -> &[BTreeSet<i64>] {
        &self.raises
    }

    /// The largest sum of weights that the cells can have; `None` if it does not fit 16 bits.
    pub fn most_level(&self) -> Option<u16> {
        let most: i64 = self.weights.iter().map(|of_cell| of_cell.iter().max().copied().unwrap_or(0)).sum();
        u16::try_from(most).ok()
    }
}

fn greatest_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
}

/// The unknown weights: one for each orbit of symbols in cells, and one for the second player's turn.
struct Unknowns {
    /// For each cell and symbol, the number of the unknown that is its weight.
    of: Vec<usize>,
    /// The number of unknowns. If the second player's turn has one, it is the last.
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
                // The given symmetries are all elements of the group, so one step from a symbol in a cell finds all its
                // images.
                of[at] = count;
                for symmetry in symmetries {
                    of[image(symmetry, at)] = count;
                }
                count += 1;
            }
        }
        let turn = rules.alternating() == 2 && !rules.forces_passes();
        Self { of, count: count + usize::from(turn), turn }
    }

    fn is_player(&self, unknown: usize) -> bool {
        self.turn && unknown + 1 == self.count
    }

    /// The weights of symbols in cells, as a list with the weight of each unknown. Symbols in cells that are images of
    /// each other must have equal weights.
    fn of_cells(&self, weights: &[i64]) -> Vec<i64> {
        let mut all = vec![0; self.count];
        self.of.iter().zip(weights).for_each(|(&unknown, &weight)| all[unknown] = weight);
        all
    }
}

/// The change of the level by a move: a sum of terms. A term belongs to one cell, or to a set of cells that must be
/// equal. It has an alternative for each symbol that these cells may hold.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct LevelChange {
    player: usize,
    terms: Vec<Vec<WeightSum>>,
}

impl LevelChange {
    /// The changes of the level by all moves; `None` if they have too many terms.
    fn of_rules(rules: &Rules, unknowns: &Unknowns) -> Option<Vec<Self>> {
        let (mut effects, mut count) = (BTreeSet::new(), 0);
        // A forced pass is left out, because the move after it is no pass, and raises the level.
        for given in rules.moves.iter().filter(|given| !given.when.never() && !given.forced) {
            let Some(terms) = terms_of(rules, unknowns, given) else { continue };
            for player in (0..rules.alternating()).filter(|&player| given.player.is_none_or(|mover| mover == player)) {
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

    /// Returns `true` if the guard allows that the move changes no weight, so that no potential can exist.
    fn may_change_nothing(&self) -> bool {
        self.terms.iter().all(|term| term.iter().any(Vec::is_empty))
    }

    /// The smallest change with the given weights, and the sum of unknowns that gives it.
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

    /// All amounts by which the move can change the level, with the given weights; `None` if there are more than
    /// [`MOST_LISTED`].
    fn all(&self, weights: &[i64]) -> Option<BTreeSet<i64>> {
        let value = |sum: &WeightSum| sum.iter().map(|&(unknown, factor)| factor * weights[unknown]).sum::<i64>();
        let mut all: BTreeSet<i64> = [0].into_iter().gather();
        for term in &self.terms {
            let more: BTreeSet<i64> = term.iter().map(value).gather();
            all = all.iter().flat_map(|one| more.iter().map(move |other| one + other)).gather();
            if all.len() > MOST_LISTED {
                return None;
            }
        }
        Some(all)
    }

    /// The possible changes of the level, as sums of unknown weights: all of them if there are at most [`FEW_WAYS`],
    /// and otherwise one of them.
    fn few(&self) -> BTreeSet<WeightSum> {
        let ways = self.terms.iter().fold(1_usize, |ways, term| ways.saturating_mul(term.len()));
        let mut few: BTreeSet<WeightSum> = [Vec::new()].into_iter().gather();
        for term in &self.terms {
            let taken = if ways > FEW_WAYS { &term[..1] } else { term };
            few = few.iter().flat_map(|sum| taken.iter().map(|more| added([&sum[..], more].concat()))).gather();
        }
        few
    }
}

/// The terms of the level change of a move, without that of the turn; `None` if the guard can never hold.
fn terms_of(rules: &Rules, unknowns: &Unknowns, given: &Move) -> Option<Vec<Vec<WeightSum>>> {
    let symbols = rules.symbols.len();
    let weight = |cell: usize, symbol: Symbol| unknowns.of[cell * symbols + usize::from(symbol)];
    let mut cells: OrderedSet<usize> = given.then.iter().map(|(cell, _)| *cell).gather();
    cells.extend(given.then.iter().filter_map(|(_, source)| match source {
        Source::Copy(from, _) => Some(*from),
        Source::Symbol(_) => None,
    }));
    // Cells that must hold the same symbol share one term. Each cell has the number of its group of such cells.
    let mut groups: OrderedMap<usize, usize> = cells.iter().map(|&cell| (cell, cell)).gather();
    let equal = given.compares.iter().filter(|compared| compared.equal);
    for compared in equal {
        let of = |cell: usize| groups.get(&cell).copied().unwrap_or(cell);
        let (one, other) = (of(compared.first), of(compared.second));
        groups.value_or(compared.first, || compared.first);
        groups.value_or(compared.second, || compared.second);
        groups.values_mut().filter(|group| **group == other).for_each(|group| *group = one);
    }
    // The contribution of a cell to the level change, if the cell holds `symbol` before the move.
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
    for group in groups.values().gather::<OrderedSet<&usize>>() {
        let members: Vec<usize> = groups.iter().filter(|(_, of)| *of == group).map(|(&cell, _)| cell).collect();
        let all = |set: SymbolSet, &cell: &usize| set.and(given.when.allowed(cell, symbols));
        let allowed = members.iter().fold(SymbolSet::all(symbols), all);
        let choice = |symbol| added(members.iter().flat_map(|&cell| adds(cell, symbol)).collect());
        let choices: BTreeSet<WeightSum> = allowed.iter().map(choice).gather();
        if choices.is_empty() {
            return None;
        }
        if !choices.iter().eq([&Vec::new()]) {
            terms.push(choices.into_iter().collect());
        }
    }
    Some(terms)
}

/// Sorts the terms of a sum, adds up terms with the same unknown, and drops those with the factor 0.
fn added(mut sum: WeightSum) -> WeightSum {
    sorting::sort(&mut sum);
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

/// Finds small whole weights with which every level change is at least one. `None` if there are none, or if none were
/// found.
fn solved(unknowns: usize, effects: &[LevelChange]) -> Option<Vec<i64>> {
    let mut inequalities = Inequalities::new(unknowns, MOST_WORK);
    let mut listed = BTreeSet::new();
    let mut few = BTreeSet::new();
    for effect in effects {
        few.extend(effect.few());
        if few.len() > MOST_LISTED {
            return None;
        }
    }
    list(few, &mut listed, &mut inequalities)?;
    let mut found = None;
    // The second round tightens the weights: they get smaller, so there are fewer levels. If that is too much work, the
    // solution of the first round is used.
    let mut solve = |tighten: bool| {
        while inequalities.have_solution()? {
            if tighten {
                inequalities.tighten()?;
            }
            let weights = in_whole_numbers(&inequalities)?;
            let violated = effects.iter().map(|effect| effect.least(&weights)).filter(|(least, _)| *least < 1);
            let violated: BTreeSet<WeightSum> = violated.map(|(_, sum)| sum).gather();
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

/// Adds inequalities to the list. `None` if one contradicts an inequality that is listed already, or if there are more
/// than [`MOST_LISTED`].
fn list(more: BTreeSet<WeightSum>, listed: &mut BTreeSet<WeightSum>, inequalities: &mut Inequalities) -> Option<()> {
    if listed.len() + more.len() > MOST_LISTED {
        return None;
    }
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

/// The solution of the inequalities, multiplied by the least number that makes it whole. `None` if some number is too
/// large.
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

    /// Rules of pawns. At first, each player has pawns in `deep` rows.
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
        // For each player in `back`, a pawn may step back from one cell and forward again.
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

    /// Two moves over five cells that are each `a` or `b`. The first turns cell 0 from `a` to `b` and fills the other
    /// four with `a`, whatever they hold. The second turns cell 0 back and fills them with `b`. So play goes round, and
    /// each move can change the level in 16 ways, more than are listed at once: those that lower it must be found.
    #[test]
    fn moves_that_lower_the_level_in_one_of_many_ways_are_found() {
        let filled = |symbol: &str| (1..5).map(|cell| serde_json::json!([cell, symbol])).collect::<Vec<_>>();
        let turned = |name: &str, from: &str, to: &str, rest: &str| {
            let then = [vec![serde_json::json!([0, to])], filled(rest)].concat();
            serde_json::json!({"name": name, "when": [[0, [from]]], "then": then})
        };
        let rules = |moves: &[serde_json::Value]| {
            potential(&serde_json::json!({"symbols": ["a", "b"], "start": ["a", "b", "b", "b", "b"], "moves": moves}))
        };
        let (there, back) = (turned("there", "a", "b", "a"), turned("back", "b", "a", "b"));
        assert!(rules(&[there.clone(), back]).is_none());
        assert!(rules(&[there]).is_some());
    }

    #[test]
    fn pawns_that_step_forward_never_come_back() {
        for (rows, columns, deep) in [(3, 2, 1), (4, 4, 2), (5, 5, 2), (8, 8, 2)] {
            let found = potential(&pawns(rows, columns, deep, &[])).unwrap();
            let most = found.most_level().unwrap();
            assert!(i64::from(most) <= 2 * (rows - 1) * rows * columns, "{most}");
        }
        // If only one player may step back, the other player's moves still raise the level.
        assert!(potential(&pawns(4, 4, 2, &["X"])).is_some());
        assert_eq!(potential(&pawns(4, 4, 2, &["X", "O"])), None);
    }
}
