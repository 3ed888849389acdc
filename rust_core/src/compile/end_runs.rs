//! Ends that stand in a row and demand the same of some cells, which is tested once for all of them.
//!
//! For example, a line of three pieces ends the game if all are tall, or all are short, or all are light. Each of these
//! ends demands that the three cells hold a piece. After most moves one of them is empty, so none of the ends can hold.

use super::guards::as_cube;
use super::layout::Layout;
use super::word::Word;
use crate::rules::{Move, Rules};

/// A run has a common test only if it has at least this many ends.
const FEWEST: usize = 3;

/// The demands of an end that a mask can express: for each such cell a mask, and the value that the bits of the cell
/// must have under it.
type Demands = Vec<(usize, u64, u64)>;

/// A run of ends, planned for words of any width: what all of them demand, and the place in the list of ends before
/// which it ends. If nothing is demanded, the ends are tested in any case.
pub struct PlannedRun {
    demands: Demands,
    end: usize,
}

/// Cuts a list of ends that a move may complete into runs. What they demand of the cells that the move reads or writes
/// does not count. The result is empty if no three neighbours demand the same of another cell.
pub fn planned_runs(rules: &Rules, layout: &Layout, given: &Move, ends: &[usize]) -> Vec<PlannedRun> {
    if ends.len() < FEWEST {
        return Vec::new();
    }
    let known = |cell: usize| given.when.get(cell).is_some() || given.then.iter().any(|&(to, _)| to == cell);
    let demands: Vec<Demands> = ends
        .iter()
        .map(|&end| {
            let of_cells = rules.ends[end].when.0.iter().filter(|&&(cell, _)| !known(cell));
            let masked = of_cells.filter_map(|&(cell, set)| {
                as_cube(set, rules.symbols.len(), layout.mask).map(|(fixed, bits)| (cell, fixed, bits))
            });
            masked.collect()
        })
        .collect();
    let (mut runs, mut begin, mut gains) = (Vec::<PlannedRun>::new(), 0, false);
    while begin < ends.len() {
        let (mut common, mut end) = (demands[begin].clone(), begin + 1);
        while end < ends.len() {
            let both = in_common(&common, &demands[end]);
            if both.is_empty() {
                break;
            }
            (common, end) = (both, end + 1);
        }
        if end - begin >= FEWEST {
            runs.push(PlannedRun { demands: common, end });
            gains = true;
        } else {
            // Ends that are tested in any case are one run, as far as they follow one another.
            end = begin + 1;
            match runs.last_mut() {
                Some(last) if last.demands.is_empty() => last.end = end,
                _ => runs.push(PlannedRun { demands: Vec::new(), end }),
            }
        }
        begin = end;
    }
    if gains { runs } else { Vec::new() }
}

/// The demands that both lists share.
fn in_common(some: &Demands, others: &Demands) -> Demands {
    let both = some.iter().filter_map(|&(cell, mask, value)| {
        let &(_, other_mask, other_value) = others.iter().find(|other| other.0 == cell)?;
        let mask = mask & other_mask & !(value ^ other_value);
        (mask != 0).then_some((cell, mask, value & mask))
    });
    both.collect()
}

/// The ends that a move may complete, cut into runs: for each run a mask, the value that a word must have under it if
/// one of its ends holds, and the place in the list of ends before which the run ends.
#[derive(Debug)]
pub struct EndRuns<W>(pub Box<[(W, W, usize)]>);

impl<W: Word> EndRuns<W> {
    /// Compiles planned runs, if there are any.
    pub fn new(layout: &Layout, planned: &[PlannedRun]) -> Option<Box<Self>> {
        let run = |PlannedRun { demands, end }: &PlannedRun| {
            let (mut mask, mut value) = (W::ZERO, W::ZERO);
            for &(cell, fixed, bits) in demands {
                mask = mask.or(W::at(layout.slots[cell], fixed));
                value = value.or(W::at(layout.slots[cell], bits));
            }
            (mask, value, *end)
        };
        (!planned.is_empty()).then(|| Box::new(Self(planned.iter().map(run).collect())))
    }

    /// The number of tests if what ends demand together mostly fails.
    pub fn tests(&self) -> usize {
        let mut begin = 0;
        let tests = self.0.iter().map(|&(mask, _, end)| {
            let all = end - std::mem::replace(&mut begin, end);
            if mask == W::ZERO { all } else { 1 }
        });
        tests.sum()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use crate::compile::{Compiled, Word};
    use crate::random::Random;
    use crate::rules::{Rules, Symbol, Varying};
    use crate::structure::Structure;

    /// Compares the ends that are found after moves with those found by testing every end. Returns how many moves have
    /// runs of ends, and after how many an end holds.
    fn compare<W: Word>(rules: &Arc<Rules>, random: &mut Random) -> (usize, usize) {
        let structure = Arc::new(Structure::new(Arc::clone(rules)).unwrap());
        let compiled = Compiled::<W>::new(&structure, &Arc::new(Varying::whole(rules))).unwrap();
        let mut held = 0;
        for _ in 0..200 {
            let state: Vec<Symbol> =
                (0..rules.cells()).map(|_| random.below(rules.symbols.len() as u64) as Symbol).collect();
            let (word, player) = (compiled.layout.pack::<W>(&state), random.below(2) as usize);
            if compiled.ended(word, player).is_some() {
                continue;
            }
            compiled.steps[player].each_called(word, &mut |_, step| {
                let next = step.effect.apply(word);
                let expected = compiled.first_end_called(next, &compiled.by_precedence()[player]);
                assert_eq!(compiled.first_end(next, step), expected, "{state:?} and move {}", step.index);
                held += usize::from(expected.is_some());
                true
            });
        }
        (compiled.steps.iter().flat_map(|steps| &steps.list).filter(|step| step.runs.is_some()).count(), held)
    }

    /// As in games in which a line of pieces that are alike in something ends play.
    #[test]
    fn runs_of_ends_change_no_outcome() {
        let mut random = Random::new("runs of ends");
        let (mut runs, mut held) = (0, 0);
        for _ in 0..30 {
            let mut below = |count: usize| random.below(count as u64) as usize;
            let (cells, symbols) = (5 + below(5), ["0", "1", "2", "3", "."]);
            let mut ends = Vec::new();
            for _ in 0..2 + below(3) {
                let line: Vec<usize> = (0..2 + below(2)).map(|_| below(cells)).collect();
                for kind in [["0", "1"], ["2", "3"], ["0", "2"], ["1", "3"]] {
                    // Some cells are in a line twice, or of another kind there.
                    let when: Vec<_> = line.iter().map(|cell| json!([cell, kind])).collect();
                    ends.extend(["A", "B"].map(|player| json!({"outcome": player, "when": when})));
                }
                let last = below(ends.len());
                ends.swap(last, 0);
            }
            let moves: Vec<_> = (0..20)
                .map(|at| {
                    let (cell, player) = (below(cells), ["A", "B"][at % 2]);
                    let then = json!([[cell, symbols[below(4)]]]);
                    json!({"name": at.to_string(), "player": player, "when": [[cell, ["."]]], "then": then})
                })
                .collect();
            let start = vec!["."; cells];
            let data = json!({"symbols": symbols, "start": start, "players": ["A", "B"], "moves": moves, "ends": ends});
            let Ok(rules) = Rules::new(&serde_json::from_value(data).unwrap()) else { continue };
            let rules = Arc::new(rules);
            for (more_runs, more_held) in [
                compare::<u32>(&rules, &mut random),
                compare::<u128>(&rules, &mut random),
                compare::<[u64; 4]>(&rules, &mut random),
            ] {
                (runs, held) = (runs + more_runs, held + more_held);
            }
        }
        assert!(runs > 20 && held > 500, "{runs} {held}");
    }
}
