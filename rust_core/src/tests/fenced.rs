//! Changes of rules for tests: other numbers for the cells, and walls between them, which are cells that never change.

use super::conditions::ConditionsData;
use crate::rules::{EndData, GoalData, MoveData, PatternData, RulesData, SourceData, SymmetryData};

/// Puts walls between the cells: cell c becomes cell 2c + 1, and all other cells hold `#` for ever. If the rules have
/// no symmetries, a move is added that would write into a wall. It can never be made, because it needs a symbol other
/// than `#` in a wall. Rules with symmetries do not get it, because its images would be missing.
pub fn fenced(data: &RulesData) -> RulesData {
    let cells = data.start.len();
    let order: Vec<i64> =
        (0..cells as i64).map(|cell| 2 * cell + 1).chain((0..=cells as i64).map(|at| 2 * at)).collect();
    let start = data.start.iter().cloned().chain(vec!["#".to_owned(); cells + 1]).collect();
    let mut fenced = renumbered(RulesData { start, ..data.clone() }, &order);
    fenced.symbols.insert(0, "#".to_owned());
    let player = data.players.first().cloned();
    if data.symmetries.declared().is_empty() {
        fenced.moves.push(MoveData {
            name: "barred".to_owned(),
            player,
            when: vec![(0, vec![data.symbols[0].clone()])],
            then: vec![(1, SourceData::Symbol("#".to_owned()))],
            ..MoveData::default()
        });
    }
    let of_symmetry = |given: &SymmetryData| {
        let image = |cell: i64| if cell % 2 == 1 { 2 * given.cells[(cell / 2) as usize] + 1 } else { cell };
        // A symmetry carries the wall before a cell along with the cell.
        let wall = |cell: i64| given.cells.get((cell / 2) as usize).map_or(cell, |&to| 2 * to);
        let cells = (0..fenced.start.len() as i64).map(|cell| if cell % 2 == 1 { image(cell) } else { wall(cell) });
        SymmetryData { cells: cells.collect(), ..given.clone() }
    };
    let symmetries: Vec<SymmetryData> = data.symmetries.declared().iter().map(of_symmetry).collect();
    RulesData { symmetries: symmetries.into(), ..fenced }
}

/// Gives the cells other numbers: cell i becomes cell `order[i]`. So walls can be anywhere.
pub fn renumbered(data: RulesData, order: &[i64]) -> RulesData {
    let cell = |cell: i64| order[cell as usize];
    let pattern =
        |given: &PatternData| -> PatternData { given.iter().map(|(at, held)| (cell(*at), held.clone())).collect() };
    let source = |source: &SourceData| match source {
        SourceData::Copy { copy, map } => SourceData::Copy { copy: cell(*copy), map: map.clone() },
        symbol @ SourceData::Symbol(_) => symbol.clone(),
    };
    let others = |given: ConditionsData| given.carried(&cell, &String::clone);
    let goal = |given: &GoalData| match given {
        GoalData::Pattern(given) => GoalData::Pattern(pattern(given)),
        GoalData::Counted(given) => {
            GoalData::Counted(others(ConditionsData::of_goal(given)).in_goal(pattern(&given.when)))
        }
    };
    let pairs = |given: &[(i64, i64)]| given.iter().map(|&(one, other)| (cell(one), cell(other))).collect();
    let mut start = data.start.clone();
    data.start.iter().enumerate().for_each(|(at, symbol)| start[order[at] as usize].clone_from(symbol));
    let plain = |given: &MoveData| MoveData {
        when: pattern(&given.when),
        equal: pairs(&given.equal),
        different: pairs(&given.different),
        then: given.then.iter().map(|(to, given)| (cell(*to), source(given))).collect(),
        ..given.clone()
    };
    let a_move = |given: &MoveData| others(ConditionsData::of_move(given)).in_move(plain(given));
    let end =
        |end: &EndData| others(ConditionsData::of_end(end)).in_end(EndData { when: pattern(&end.when), ..end.clone() });
    RulesData {
        start,
        moves: data.moves.iter().map(a_move).collect(),
        goal: data.goal.iter().map(goal).collect(),
        ends: data.ends.iter().map(end).collect(),
        ..data
    }
}
