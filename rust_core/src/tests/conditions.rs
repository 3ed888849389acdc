//! Conditions for random rules: how they are chosen at random, moved to other cells and symbols, and tested by
//! definition.

use std::collections::BTreeMap;

use super::naive::{Cells, holds};
use crate::random::Random;
use crate::rules::{
    ConnectionData, CountData, CountedGoalData, EndData, GoalData, Move, MoveData, PatternData, Rules, RulesData,
    Source, SourceData,
};

/// The conditions of a move, an end or a goal beside its pattern.
#[derive(Debug, Clone, Default)]
pub struct ConditionsData {
    pub counts: Vec<CountData>,
    pub unless: Vec<PatternData>,
    pub connected: Vec<ConnectionData>,
}

impl ConditionsData {
    pub fn of_move(given: &MoveData) -> Self {
        let MoveData { counts, unless, connected, .. } = given.clone();
        Self { counts, unless, connected }
    }

    pub fn of_end(given: &EndData) -> Self {
        let EndData { counts, unless, connected, .. } = given.clone();
        Self { counts, unless, connected }
    }

    pub fn of_goal(given: &CountedGoalData) -> Self {
        let CountedGoalData { counts, unless, connected, .. } = given.clone();
        Self { counts, unless, connected }
    }

    pub fn in_move(self, given: MoveData) -> MoveData {
        let Self { counts, unless, connected } = self;
        MoveData { counts, unless, connected, ..given }
    }

    pub fn in_end(self, given: EndData) -> EndData {
        let Self { counts, unless, connected } = self;
        EndData { counts, unless, connected, ..given }
    }

    pub fn in_goal(self, when: PatternData) -> CountedGoalData {
        let Self { counts, unless, connected } = self;
        CountedGoalData { when, counts, unless, connected }
    }

    /// Returns `true` if all conditions hold in a state, by their definitions.
    pub fn hold(&self, cells: &Cells) -> bool {
        let enough = |count: &CountData| {
            let looked = |cell: &usize| count.of.as_ref().is_none_or(|of| of.contains(&(*cell as i64)));
            let there = (0..cells.len()).filter(looked).filter(|&cell| count.symbols.contains(&cells[cell])).count();
            (count.at_least.unwrap_or(0)..=count.at_most.unwrap_or(i64::MAX)).contains(&(there as i64))
        };
        self.counts.iter().all(enough)
            && !self.unless.iter().any(|pattern| holds(pattern, cells))
            && self.connected.iter().all(|given| joined(given, cells))
    }

    /// The images of all conditions under a map of cells and a map of symbols.
    pub fn carried(&self, cell: &dyn Fn(i64) -> i64, symbol: &dyn Fn(&String) -> String) -> Self {
        let set = |symbols: &[String]| {
            let mut image: Vec<String> = symbols.iter().map(symbol).collect();
            image.sort();
            image
        };
        let places = |cells: &[i64]| {
            let mut image: Vec<i64> = cells.iter().map(|&at| cell(at)).collect();
            image.sort_unstable();
            image
        };
        let count = |given: &CountData| CountData {
            symbols: set(&given.symbols),
            of: given.of.as_deref().map(places),
            ..*given
        };
        let pattern = |given: &PatternData| {
            let mut image: PatternData = given.iter().map(|(at, held)| (cell(*at), set(held))).collect();
            image.sort();
            image
        };
        let connection = |given: &ConnectionData| {
            let mut sides = [places(&given.from), places(&given.to)];
            sides.sort();
            let [from, to] = sides;
            let mut edges: Vec<(i64, i64)> = given.edges.iter().map(|&(one, other)| (cell(one), cell(other))).collect();
            for edge in &mut edges {
                *edge = (edge.0.min(edge.1), edge.0.max(edge.1));
            }
            edges.sort_unstable();
            ConnectionData { symbols: set(&given.symbols), from, to, edges }
        };
        Self {
            counts: self.counts.iter().map(count).collect(),
            unless: self.unless.iter().map(pattern).collect(),
            connected: self.connected.iter().map(connection).collect(),
        }
    }
}

/// Returns `true` if a path joins the two sides: starting from the cells of one side, neighbours are added until none
/// is left.
fn joined(given: &ConnectionData, cells: &Cells) -> bool {
    let fits = |cell: i64| given.symbols.contains(&cells[cell as usize]);
    let mut reached: Vec<i64> = given.from.iter().copied().filter(|&cell| fits(cell)).collect();
    let mut at = 0;
    while at < reached.len() {
        let beside = given.edges.iter().flat_map(|&(one, other)| [(one, other), (other, one)]);
        let new = beside.filter(|&(one, other)| one == reached[at] && fits(other)).map(|(_, other)| other);
        for cell in new.collect::<Vec<_>>() {
            if !reached.contains(&cell) {
                reached.push(cell);
            }
        }
        at += 1;
    }
    given.to.iter().any(|cell| reached.contains(cell))
}

/// Random cells, at least one.
fn some_cells(random: &mut Random, cells: usize) -> Vec<i64> {
    let picked: Vec<i64> = (0..cells as i64).filter(|_| random.below(2) == 0).collect();
    if picked.is_empty() { vec![random.below(cells as u64) as i64] } else { picked }
}

fn some_symbols(random: &mut Random, symbols: &[String]) -> Vec<String> {
    let mut picked: Vec<String> = (0..=random.below(2)).map(|_| random.choose(symbols).clone()).collect();
    picked.sort();
    picked.dedup();
    picked
}

fn some_conditions(random: &mut Random, cells: usize, symbols: &[String]) -> ConditionsData {
    let mut drawn = ConditionsData::default();
    for _ in 0..=random.below(2) {
        match random.below(5) {
            0..2 => {
                let pattern = some_cells(random, cells).into_iter().take(3);
                drawn.unless.push(pattern.map(|cell| (cell, some_symbols(random, symbols))).collect());
            }
            2..4 => {
                let number = random.below(cells as u64 + 1) as i64;
                let (at_least, at_most) =
                    if random.below(2) == 0 { (Some(number), None) } else { (None, Some(number)) };
                let of = (random.below(2) == 0).then(|| some_cells(random, cells));
                drawn.counts.push(CountData { symbols: some_symbols(random, symbols), at_least, at_most, of });
            }
            _ => {
                let (from, to) = (some_cells(random, cells), some_cells(random, cells));
                let edges = (1..cells as i64).map(|cell| (random.below(cell as u64) as i64, cell)).collect();
                drawn.connected.push(ConnectionData { symbols: some_symbols(random, symbols), from, to, edges });
            }
        }
    }
    drawn.carried(&|cell| cell, &String::clone)
}

/// Adds random conditions to some moves, ends and goals. The rules must have no symmetry. Conditions that never hold
/// are left out.
pub fn add(random: &mut Random, data: &mut RulesData) {
    let (cells, symbols) = (data.start.len(), data.symbols.clone());
    let some = |random: &mut Random| some_conditions(random, cells, &symbols);
    for at in 0..data.moves.len() {
        let given = data.moves[at].clone();
        if random.below(2) == 0 && !given.forced {
            data.moves[at] = some(random).in_move(given.clone());
            if !is_accepted(data) {
                data.moves[at] = given;
            }
        }
    }
    for at in 0..data.ends.len() {
        let end = data.ends[at].clone();
        if random.below(2) == 0 {
            let when = if random.below(2) == 0 { Vec::new() } else { end.when.clone() };
            data.ends[at] = some(random).in_end(EndData { when, ..end.clone() });
            if !is_accepted(data) {
                data.ends[at] = end;
            }
        }
    }
    for at in 0..data.goal.len() {
        let goal = data.goal[at].clone();
        if let GoalData::Pattern(when) = &goal
            && random.below(2) == 0
        {
            data.goal[at] = GoalData::Counted(some(random).in_goal(when.clone()));
            if !is_accepted(data) {
                data.goal[at] = goal;
            }
        }
    }
}

fn is_accepted(data: &RulesData) -> bool {
    let mut named = data.clone();
    named.moves.iter_mut().enumerate().for_each(|(place, given)| given.name = place.to_string());
    Rules::new(&named).is_ok()
}

/// A random move of four cells. It writes known symbols to some of them, and copies of cells to others.
fn some_move(random: &mut Random, symbols: &[String]) -> MoveData {
    let mut given = MoveData::default();
    for cell in 0..4 {
        if random.below(2) == 0 {
            given.when.push((cell, some_symbols(random, symbols)));
        }
        given.then.extend(match random.below(4) {
            0 => Some((cell, SourceData::Symbol(random.choose(symbols).clone()))),
            1..3 => Some((cell, SourceData::Copy { copy: (cell + 1) % 4, map: BTreeMap::new() })),
            _ => None,
        });
    }
    given
}

#[test]
fn the_inverse_of_a_move_with_conditions_can_be_made_exactly_where_the_move_leads() {
    let mut random = Random::new("inverses of moves with conditions");
    let symbols = ["a", "b", "c"].map(String::from).to_vec();
    let states: Vec<Vec<u8>> =
        (0..81usize).map(|number| (0..4).map(|cell| (number / 3usize.pow(cell) % 3) as u8).collect()).collect();
    let after = |given: &Move, state: &[u8]| {
        let mut after = state.to_vec();
        for (cell, source) in &given.then {
            after[*cell] = match source {
                Source::Symbol(symbol) => *symbol,
                Source::Copy(from, map) => map.as_ref().map_or(state[*from], |map| map[state[*from] as usize]),
            };
        }
        after
    };
    let allows = |given: &Move, state: &[u8]| {
        given.when.holds(state)
            && given.compares.iter().all(|compare| compare.holds(state))
            && given.conditions.iter().all(|condition| condition.holds(state))
    };
    let (mut inverses, mut kept) = (0, 0);
    for _ in 0..super::cases(3000) {
        let moves = vec![some_move(&mut random, &symbols)];
        let mut data =
            RulesData { moves, ..super::oracle::rules(&["a", "b", "c"], vec!["a".to_owned(); 4], Vec::new()) };
        add(&mut random, &mut data);
        let Ok(rules) = Rules::new(&data) else { continue };
        let Some(inverse) = rules.inverse_moves() else { continue };
        let (given, undo) = (&rules.moves[0], &inverse[0]);
        let led: BTreeMap<Vec<u8>, &Vec<u8>> =
            states.iter().filter(|state| allows(given, state)).map(|state| (after(given, state), state)).collect();
        for state in &states {
            let undone = allows(undo, state).then(|| after(undo, state));
            assert_eq!(undone.as_ref(), led.get(state).copied(), "{given:?} {undo:?}");
        }
        inverses += 1;
        kept += usize::from(
            !given.conditions.is_empty() && !undo.conditions.is_empty() && given.conditions != undo.conditions,
        );
    }
    assert!(inverses > 150 && kept > 7, "{inverses} inverses, {kept} with other conditions");
}
