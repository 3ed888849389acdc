//! Finds the distance of each state to the goal, the fewest moves that lead there, for all states that play can reach.
//! `docs/enumeration.md`, "Backward", explains it to users.
//!
//! A search forward has found all states before. Solved states have the distance 0. If a state has no distance yet, and
//! a move leads from it to a state at distance `d`, it gets the distance `d + 1`. A state that still has no distance at
//! the end cannot be solved.
//!
//! For example, take five states in a row, a → b → c → d → e, and a move from c back to a. Let d be solved. Then c is
//! at distance 1, b at 2 and a at 3, and e cannot be solved. The moves need no inverses for this, because the search
//! forward has found all states and their successors.
//!
//! States are counted up to symmetry. A symmetry carries moves onto moves and the goal onto the goal, so all states of
//! an orbit have the same distance. If some state of an orbit has a move into another orbit, so has the canonical form.
//! So only canonical forms are looked at.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use super::allowance::Allowance;
use super::frontier::each_place;
use super::report::SearchEnd;
use super::retrograde::{self, PredecessorWay, Retrograde, SoFar, SpreadStep, nothing_known};
use super::value_code::{ValueCode, ValuesOf};
use crate::error::Result;
use crate::graph::{AT_ONCE, ExploredGraph, FoundStates, Graph, StateEntry, bytes_of_states};
use crate::instant::Instant;
use crate::job::{DepthEntry, Job, Kind};
use crate::run::{DepthReport, Options, Report, Stop, Store, Unsolvable, Watch, Worth, in_pool, parallel};

/// The two jobs that are used if distances are kept on disk.
pub struct DistanceJobs<'a> {
    /// The job of the search forward, which has found all states.
    pub forward: &'a Job,
    /// The job in which each distance is kept as a depth.
    pub distances: &'a mut Job,
}

/// Finds the distances of all states to the goal. The depths of the report are the distances. If there are jobs, each
/// distance is kept as a depth, and a distance that is kept already is not searched again.
///
/// # Errors
///
/// [`crate::Error::Disk`] and [`crate::Error::Corrupt`] if the files of the job cannot be written or read;
/// [`crate::Error::Options`] if the threads cannot be started.
pub fn distances(
    found: &mut dyn FoundStates,
    jobs: Option<DistanceJobs>,
    search: SearchEnd,
    options: &Options,
    watch: Watch,
) -> Result<Report> {
    distances_by(None, found, jobs, search, options, watch)
}

fn distances_by(
    way: Option<PredecessorWay>,
    found: &mut dyn FoundStates,
    jobs: Option<DistanceJobs>,
    search: SearchEnd,
    options: &Options,
    watch: Watch,
) -> Result<Report> {
    let allowed = Allowance::new(options, search.begun, watch);
    let (forward, job) = jobs.map_or((None, None), |jobs| (Some(jobs.forward), Some(jobs.distances)));
    let known = job.as_ref().map_or(Vec::new(), |job| job.manifest().depths.iter().map(DepthEntry::report).collect());
    let Some(way) = way.or_else(|| way_that_fits(found, search.generated, allowed.room)) else {
        return Ok(unfinished(known, Some(Stop::Memory), search));
    };
    in_pool(options, || {
        let outcomes = found.outcomes();
        let graph = found.whole(forward)?;
        let (graph, values) = (&*graph, nothing_known(graph.len()));
        let (generated, max_depth) = (search.generated, options.max_depth);
        let mut depths =
            DistanceDepths { graph, outcomes, values: &values, found: known, job, generated, max_depth, stop: None };
        depths.restore()?;
        let moves = (depths.found.len() as u32).saturating_sub(1);
        let states = 0..graph.len();
        let retrograde =
            Retrograde { graph, states, values: &values, leads_on: false, way, listing: None, allowed: &allowed };
        let ended = retrograde.values(moves, &mut |step| depths.keep(step))?;
        let stop = if ended.is_some() { None } else { Some(depths.stop.unwrap_or(Stop::Watch)) };
        let unsolvable = stop.is_none().then(|| depths.without_distance());
        if let Some(job) = depths.job {
            job.close_with(stop.is_none(), generated, unsolvable)?;
        }
        Ok(Report { unsolvable, ..unfinished(depths.found, stop, search) })
    })?
}

/// The quickest way to find predecessors for which the memory is enough; `None` if it is not enough for any. If the
/// rules have no inverse moves, there are two ways: to list the predecessors of all states first, or to try all moves
/// once for each distance.
fn way_that_fits(found: &dyn FoundStates, generated: u64, room: u64) -> Option<PredecessorWay> {
    let count: u64 = found.counts().iter().sum();
    u32::try_from(count).ok()?;
    let held = bytes_of_states(count, found.word_bytes());
    // Room for the largest depth: the words and numbers of a distance are sorted before they are written, and while
    // states get their numbers, the words of a depth are in memory twice.
    let largest = found.counts().iter().max().copied().unwrap_or(0).saturating_mul(8 + found.word_bytes() as u64);
    let ways = if found.undoes_moves() {
        &[PredecessorWay::Undone][..]
    } else {
        &[PredecessorWay::Listed, PredecessorWay::Tried]
    };
    let fits = |&way: &PredecessorWay| {
        let spread = retrograde::bytes(count, generated, ValuesOf::Puzzle, false, way);
        held.saturating_add(spread).saturating_add(largest) <= room
    };
    ways.iter().copied().find(fits)
}

/// A report with the distances that are known so far, and without the unsolvable states.
pub fn unfinished(depths: Vec<DepthReport>, stop: Option<Stop>, search: SearchEnd) -> Report {
    let SearchEnd { symmetry_order, generated, begun } = search;
    let (store, reason, seconds) = (Store::Sparse, String::new(), begun.elapsed().as_secs_f64());
    Report { depths, stop, store, reason, symmetry_order, unsolvable: None, generated, seconds }
}

/// The most bytes that a state takes while distances are found by undoing moves: its value, and its place in the lists
/// of the frontiers.
pub const DISTANCE_BYTES: usize = 12;

/// The fewest moves from each state of a puzzle's graph to a state whose mark is 1; -1 if no moves lead to such a
/// state. `None` if the watch stops the work. The work may take `room` bytes beside the graph.
///
/// # Errors
///
/// [`crate::Error::Memory`] if `room` is too small; [`crate::Error::Options`] if threads cannot be started.
pub fn distances_to(
    graph: &dyn ExploredGraph,
    marks: &[u8],
    room: u64,
    threads: usize,
    watch: Watch,
) -> Result<Option<Vec<i32>>> {
    let allowed = Allowance { watch, begun: Instant::now(), room, grundy: false, advanced: None };
    let (moves, graph) = (graph.kept_moves(), graph as &dyn Graph);
    let (count, way) = (graph.len(), moves.map_or(PredecessorWay::Undone, |_| PredecessorWay::Listed));
    let bytes =
        retrograde::bytes(count, moves.unwrap_or(0), ValuesOf::Puzzle, false, way) + count * DISTANCE_BYTES as u64;
    allowed.check(count, bytes, &format!("{count} states"), "give more memory, or ask about a random sample")?;
    let options = Options { threads, ..Options::default() };
    in_pool(&options, || {
        let values = nothing_known(count);
        for (value, _) in values.iter().zip(marks).filter(|&(_, &mark)| mark == 1) {
            value.store(ValueCode::decided(Worth::Win, 0).0, Ordering::Relaxed);
        }
        let states = 0..count;
        let retrograde =
            Retrograde { graph, states, values: &values, leads_on: false, way, listing: None, allowed: &allowed };
        let moves = |value: AtomicU32| match ValueCode(value.into_inner()) {
            code if code.worth() == Worth::Win => code.moves().cast_signed(),
            _ => -1,
        };
        Ok(retrograde.values(0, &mut |_| Ok(true))?.map(|()| values.into_iter().map(moves).collect()))
    })?
}

/// Counts the states of each distance as soon as they are found, and writes them to the job if there is one.
struct DistanceDepths<'a> {
    graph: &'a dyn Graph,
    outcomes: usize,
    values: &'a [AtomicU32],
    /// The reports of the distances that are known so far, one for each.
    found: Vec<DepthReport>,
    job: Option<&'a mut Job>,
    generated: u64,
    max_depth: Option<u64>,
    /// The reason why [`Self::keep`] has ended the search early; `None` if it has not.
    stop: Option<Stop>,
}

impl DistanceDepths<'_> {
    /// Reads the distances that the job has kept, and gives their states these values.
    fn restore(&mut self) -> Result<()> {
        let Some(job) = &self.job else { return Ok(()) };
        for (depth, entry) in job.manifest().depths.iter().enumerate() {
            let mut states = Vec::new();
            for kind in Kind::of_words(self.outcomes) {
                self.graph.read(job, depth, kind, &mut states)?;
            }
            let code = ValueCode::decided(Worth::Win, depth as u32).0;
            let new = |&&state: &&u64| self.values[state as usize].swap(code, Ordering::Relaxed) == 0;
            if states.iter().filter(new).count() as u64 != entry.states {
                return Err(job.lacks(depth));
            }
        }
        Ok(())
    }

    /// Counts the states of the distance that was just found, and writes them. Returns `false` if the search should
    /// end.
    fn keep(&mut self, step: &SpreadStep) -> Result<bool> {
        let SoFar::Moves { spread, frontier } = step.so_far else { return Ok(true) };
        let depth = u64::from(spread.moves);
        // A distance that the job has kept is not written again. After the last distance, the search reports an empty
        // frontier.
        if depth < self.found.len() as u64 || step.stopped || (depth > 0 && frontier.is_empty()) {
            return Ok(true);
        }
        if self.max_depth.is_some_and(|most| most < depth) {
            self.stop = Some(Stop::MaxDepth);
            return Ok(false);
        }
        let numbers = Mutex::new(Vec::new());
        frontier.each(self.values.len(), &|place| spread.is_next(place), &|places| {
            numbers.lock().expect("no thread panics").extend(places.iter().map(|&place| u64::from(place)));
        });
        let mut numbers = numbers.into_inner().expect("no thread panics");
        parallel::sort(&mut numbers);
        let report = self.count(depth, &numbers);
        self.write(&report, &numbers)?;
        self.found.push(report);
        Ok(true)
    }

    /// Counts the states of one distance, and how many of them are open or have each outcome.
    fn count(&self, depth: u64, states: &[u64]) -> DepthReport {
        let nothing = DepthReport { depth, states: 0, raw_states: 0, open: 0, ended: vec![0; self.outcomes] };
        let sum = Mutex::new(nothing);
        parallel::ranges(states.len(), AT_ONCE as usize, &|range| {
            let mut entries = Vec::new();
            self.graph.entries(&states[range], &mut entries);
            let mut sum = sum.lock().expect("no thread panics");
            for StateEntry { outcome, orbit, .. } in entries {
                sum.states += 1;
                sum.raw_states += orbit;
                match outcome {
                    None => sum.open += 1,
                    Some(outcome) => sum.ended[outcome] += 1,
                }
            }
        });
        sum.into_inner().expect("no thread panics")
    }

    /// Writes the states of one distance as the next depth of the job, if there is one.
    fn write(&mut self, report: &DepthReport, states: &[u64]) -> Result<()> {
        let Some(job) = self.job.as_deref_mut() else { return Ok(()) };
        for kind in Kind::of_words(self.outcomes) {
            let (mut entries, mut of_kind) = (Vec::new(), Vec::new());
            for states in states.chunks(AT_ONCE as usize) {
                self.graph.entries(states, &mut entries);
                of_kind.extend(states.iter().zip(&entries).filter(|(_, entry)| entry.kind == kind).map(|(&at, _)| at));
            }
            self.graph.write(&of_kind, kind, job)?;
        }
        job.commit(DepthEntry::new(report, self.generated))
    }

    /// Counts the states that have no distance when all distances are known.
    fn without_distance(&self) -> Unsolvable {
        let sum = Mutex::new(Unsolvable { states: 0, raw_states: 0 });
        let lost = |place: u32| ValueCode(self.values[place as usize].load(Ordering::Relaxed)).worth() != Worth::Win;
        each_place(self.values.len(), &lost, &|places| {
            let states: Vec<u64> = places.iter().map(|&place| u64::from(place)).collect();
            let mut entries = Vec::new();
            self.graph.entries(&states, &mut entries);
            let mut sum = sum.lock().expect("no thread panics");
            sum.states += entries.len() as u64;
            sum.raw_states += entries.iter().map(|entry| entry.orbit).sum::<u64>();
        });
        sum.into_inner().expect("no thread panics")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::StatesOfWords;
    use crate::rules::{MoveData, Rules, RulesData, SourceData};
    use crate::sparse::{self, FoundWords, WordSearch};
    use crate::tests::{GO_ON, compiled};

    /// The number of states at each distance, and the states that have no distance, if predecessors are found in the
    /// given way.
    fn counts(data: &RulesData, way: PredecessorWay, threads: usize) -> (Vec<u64>, Option<Unsolvable>) {
        let (compiled, images) = compiled(data, true);
        let options = Options { threads, ..Options::default() };
        let asked = WordSearch { keeps: true, ..WordSearch::default() };
        let FoundWords { report, kept: mut depths, .. } =
            sparse::search(&compiled, &images, asked, &options, None, GO_ON).unwrap();
        depths.truncate(report.depths.len());
        let (symmetry_order, generated) = (images.order, report.generated);
        let mut states = StatesOfWords::in_memory(compiled, images, depths);
        assert_eq!(states.counts().iter().sum::<u64>(), report.states());
        let search = SearchEnd { symmetry_order, generated, begun: Instant::now() };
        let found = distances_by(Some(way), &mut states, None, search, &options, GO_ON).unwrap();
        assert_eq!(found.stop, None);
        (found.depths.iter().map(|depth| depth.states).collect(), found.unsolvable)
    }

    /// Random rules of three cells. A move overwrites one cell with a symbol or with what a cell holds, and may demand
    /// that some cell hold a symbol.
    fn random_rules() -> impl Strategy<Value = RulesData> {
        let symbol = || prop::sample::select(vec!["a", "b", "c"]).prop_map(String::from);
        let write = (
            0..3i64,
            prop_oneof![
                symbol().prop_map(SourceData::Symbol),
                (0..3i64).prop_map(|copy| SourceData::Copy { copy, map: [].into() })
            ],
        );
        let a_move = (prop::option::of((0..3i64, symbol())), write).prop_map(|(guard, then)| MoveData {
            when: guard.map(|(cell, symbol)| (cell, vec![symbol])).into_iter().collect(),
            then: vec![then],
            ..MoveData::default()
        });
        (prop::collection::vec(a_move, 1..9), prop::collection::vec((0..3i64, symbol()), 1..3)).prop_map(
            |(mut moves, goals)| {
                moves.iter_mut().enumerate().for_each(|(place, given)| given.name = place.to_string());
                let goal = goals.into_iter().map(|(cell, symbol)| vec![(cell, vec![symbol])].into()).collect();
                let names = |names: &str| names.chars().map(String::from).collect();
                RulesData {
                    symbols: names("abc"),
                    start: names("abc"),
                    players: Vec::new(),
                    moves,
                    goal,
                    ends: Vec::new(),
                    stuck: None,
                    score: None,
                    symmetries: Vec::new().into(),
                }
            },
        )
    }

    proptest! {
        #[test]
        fn a_list_and_trying_all_moves_find_the_same(data in random_rules()) {
            let listed = counts(&data, PredecessorWay::Listed, 1);
            prop_assert_eq!(&counts(&data, PredecessorWay::Tried, 2), &listed);
            if Rules::new(&data).unwrap().inverse_moves().is_some() {
                prop_assert_eq!(&counts(&data, PredecessorWay::Undone, 1), &listed);
            }
        }
    }

    #[test]
    fn all_ways_find_the_distances_of_pegs_in_a_row() {
        // A peg jumps over a peg into a hole, and the goal is two pegs. Play reaches six states, two of which do not
        // lead to the goal.
        let jump = |from: i64, over: i64, to: i64| {
            serde_json::json!({"name": format!("{from}{to}"), "when": [[from, ["o"]], [over, ["o"]], [to, ["."]]],
                "then": [[from, "."], [over, "."], [to, "o"]]})
        };
        let moves: Vec<_> = (0..4).flat_map(|at| [jump(at, at + 1, at + 2), jump(at + 2, at + 1, at)]).collect();
        let start = ["o", "o", ".", "o", "o", "o"];
        let data = serde_json::json!({"symbols": [".", "o"], "start": start, "moves": moves,
            "goal": [{"counts": [{"symbols": ["o"], "at_most": 2}]}]});
        let data: RulesData = serde_json::from_value(data).unwrap();
        let listed = counts(&data, PredecessorWay::Listed, 1);
        assert_eq!(listed, (vec![1, 1, 1, 1], Some(Unsolvable { states: 2, raw_states: 2 })));
        for (way, threads) in [
            (PredecessorWay::Undone, 1),
            (PredecessorWay::Undone, 2),
            (PredecessorWay::Tried, 1),
            (PredecessorWay::Listed, 2),
        ] {
            assert_eq!(counts(&data, way, threads), listed);
        }
    }

    #[test]
    fn the_way_that_fits_is_taken() {
        let data = serde_json::json!({"symbols": ["a", "b"], "start": ["a", "a", "a"], "goal": [[[0, ["b"]]]],
            "moves": [{"name": "0", "then": [[0, "b"]]}, {"name": "1", "then": [[1, "b"]]}]});
        let (compiled, images) = compiled(&serde_json::from_value(data).unwrap(), false);
        // The memory: a thousand states, each with a word and a value of four bytes; 2,048 slots of a table; and twelve
        // bytes for each state of the largest depth.
        let states = StatesOfWords::in_memory(compiled, images, vec![vec![0; 500]; 2]);
        let tried = 1000 * 8
            + 2048 * 4
            + 64
            + 500 * 12
            + retrograde::bytes(1000, 3000, ValuesOf::Puzzle, false, PredecessorWay::Tried);
        let listed = tried + 1000 * 12 + 3000 * 4;
        for (room, way) in
            [(tried - 1, None), (tried, Some(PredecessorWay::Tried)), (listed - 1, Some(PredecessorWay::Tried))]
        {
            assert_eq!(way_that_fits(&states, 3000, room), way);
        }
        assert_eq!(way_that_fits(&states, 3000, listed), Some(PredecessorWay::Listed));
    }
}
