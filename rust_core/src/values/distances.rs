//! The distance of each state to the goal in moves, over all states that play can reach: `docs/enumeration.md`,
//! "Backward".
//!
//! A forward search has found all states before. The solved ones among them are at distance 0. The states from which a
//! move leads to distance `d`, and that have no distance yet, are at distance `d + 1`. States that are left without a
//! distance in the end cannot be solved.
//!
//! Take five states in a row, a → b → c → d → e, and a move from c back to a. Let d be solved. Then c is at distance 1,
//! b at 2 and a at 3, and e cannot be solved. That holds also if moves cannot be undone, because the forward search has
//! seen all states.
//!
//! States are counted up to symmetry. A symmetry carries moves onto moves and the goal onto the goal, so all states of
//! an orbit have the same distance. If some state of an orbit has a move into another orbit, then so has the smallest
//! one.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use super::allowance::Allowance;
use super::frontier::each_place;
use super::report::SearchEnd;
use super::retrograde::{self, PredecessorWay, Retrograde, SpreadStep, nothing_known};
use super::value_code::ValueCode;
use crate::error::Result;
use crate::graph::{AT_ONCE, ExploredGraph, FoundStates, Graph, StateEntry, bytes_of_states};
use crate::job::{DepthEntry, Job, Kind};
use crate::run::{DepthReport, Options, Report, Stop, Store, Unsolvable, Watch, Worth, in_pool, parallel};

/// The jobs of a count of distances.
pub struct DistanceJobs<'a> {
    /// The job that has all states that play can reach. It is complete.
    pub forward: &'a Job,
    /// The job in which each distance becomes a depth.
    pub distances: &'a mut Job,
}

/// The distances of all states to the goal, as a report whose depths are the distances. If there is a job for them,
/// each distance becomes a depth of it, and distances that the job has already are not searched again.
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
        let retrograde = Retrograde { graph, states, values: &values, leads_on: false, way, allowed: &allowed };
        let ended = retrograde.values(moves, &mut |step| depths.keep(step))?;
        let stop = if ended.is_some() { None } else { Some(depths.stop.unwrap_or(Stop::Watch)) };
        let unsolvable = stop.is_none().then(|| depths.without_distance());
        if let Some(job) = depths.job {
            job.close_with(stop.is_none(), generated, unsolvable)?;
        }
        Ok(Report { unsolvable, ..unfinished(depths.found, stop, search) })
    })?
}

/// The quickest way to find distances for which the memory is enough; `None` if it is enough for none. Without inverse
/// moves, there are two ways: to go through all states and moves once and make a list of predecessors, or to go through
/// them once for each distance.
fn way_that_fits(found: &dyn FoundStates, generated: u64, room: u64) -> Option<PredecessorWay> {
    let count: u64 = found.counts().iter().sum();
    u32::try_from(count).ok()?;
    let held = bytes_of_states(count, found.word_bytes());
    // The largest depth needs memory twice: the words of a distance are put in order before they are written, and while
    // states are numbered, the last of them are in memory twice.
    let largest = found.counts().iter().max().copied().unwrap_or(0).saturating_mul(8 + found.word_bytes() as u64);
    let ways = if found.undoes_moves() {
        &[PredecessorWay::Undone][..]
    } else {
        &[PredecessorWay::Listed, PredecessorWay::Tried]
    };
    let fits = |&way: &PredecessorWay| {
        let spread = retrograde::bytes(count, generated, 1, false, way);
        held.saturating_add(spread).saturating_add(largest) <= room
    };
    ways.iter().copied().find(fits)
}

/// The report of the distances that are known so far.
pub fn unfinished(depths: Vec<DepthReport>, stop: Option<Stop>, search: SearchEnd) -> Report {
    let SearchEnd { symmetry_order, generated, begun } = search;
    let (store, reason, seconds) = (Store::Sparse, String::new(), begun.elapsed().as_secs_f64());
    Report { depths, stop, store, reason, symmetry_order, unsolvable: None, generated, seconds }
}

/// The most bytes that the distance of a state takes while it is found, if moves can be undone: its value, and its
/// place in the list of the states that were found last.
pub const DISTANCE_BYTES: usize = 12;

/// The fewest moves from each state of a graph of a puzzle to one of those that are marked by 1; -1 if no moves lead
/// there. `None` if the watch stops it. `room` is the number of bytes that may be taken beside the graph.
///
/// # Errors
///
/// [`crate::Error::Memory`] if they are not enough; [`crate::Error::Options`] if threads cannot be started.
pub fn distances_to(
    graph: &dyn ExploredGraph,
    marks: &[u8],
    room: u64,
    threads: usize,
    watch: Watch,
) -> Result<Option<Vec<i32>>> {
    let allowed = Allowance { watch, begun: Instant::now(), room, grundy: false };
    let (moves, graph) = (graph.kept_moves(), graph as &dyn Graph);
    let (count, way) = (graph.len(), moves.map_or(PredecessorWay::Undone, |_| PredecessorWay::Listed));
    let bytes = retrograde::bytes(count, moves.unwrap_or(0), 1, false, way) + count * DISTANCE_BYTES as u64;
    allowed.check(count, bytes, &format!("{count} states"), "give more memory, or ask about a random sample")?;
    let options = Options { threads, ..Options::default() };
    in_pool(&options, || {
        let values = nothing_known(count);
        for (value, _) in values.iter().zip(marks).filter(|&(_, &mark)| mark == 1) {
            value.store(ValueCode::decided(Worth::Win, 0).0, Ordering::Relaxed);
        }
        let states = 0..count;
        let retrograde = Retrograde { graph, states, values: &values, leads_on: false, way, allowed: &allowed };
        let moves = |value: AtomicU32| match ValueCode(value.into_inner()) {
            code if code.worth() == Worth::Win => code.moves().cast_signed(),
            _ => -1,
        };
        Ok(retrograde.values(0, &mut |_| Ok(true))?.map(|()| values.into_iter().map(moves).collect()))
    })?
}

/// The distances as depths, counted and written as they are found.
struct DistanceDepths<'a> {
    graph: &'a dyn Graph,
    outcomes: usize,
    values: &'a [AtomicU32],
    /// The distances so far.
    found: Vec<DepthReport>,
    job: Option<&'a mut Job>,
    generated: u64,
    max_depth: Option<u64>,
    /// The reason why the search ended, if it was not the watch.
    stop: Option<Stop>,
}

impl DistanceDepths<'_> {
    /// Takes the distances that the job has.
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

    /// Counts the states of the distance that was found, and writes them if there is a job. Returns `true` if the
    /// search should go on.
    fn keep(&mut self, step: &SpreadStep) -> Result<bool> {
        let depth = u64::from(step.spread.moves);
        // Distances that the job has are not kept again, nor is the empty distance after the last one.
        if depth < self.found.len() as u64 || step.stopped || (depth > 0 && step.frontier.is_empty()) {
            return Ok(true);
        }
        if self.max_depth.is_some_and(|most| most < depth) {
            self.stop = Some(Stop::MaxDepth);
            return Ok(false);
        }
        let numbers = Mutex::new(Vec::new());
        step.frontier.each(self.values.len(), &|place| step.is_next(place), &|places| {
            numbers.lock().expect("no thread panics").extend(places.iter().map(|&place| u64::from(place)));
        });
        let mut numbers = numbers.into_inner().expect("no thread panics");
        parallel::sort(&mut numbers);
        let report = self.count(depth, &numbers);
        self.write(&report, &numbers)?;
        self.found.push(report);
        Ok(true)
    }

    /// Counts the states of a distance.
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

    /// Makes the states of a distance the next depth of the job, if there is one.
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

    /// Counts the states that have no distance in the end.
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
    use std::ops::ControlFlow;
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::compile::Compiled;
    use crate::graph::StatesOfWords;
    use crate::rules::{MoveData, Rules, RulesData, SourceData, Varying};
    use crate::sparse;
    use crate::structure::Structure;

    const WATCH: Watch = &|_| ControlFlow::Continue(());

    /// The counts of a report: the number of states at each distance, and of those without one.
    fn counts(data: &RulesData, way: PredecessorWay, threads: usize) -> (Vec<u64>, Option<Unsolvable>) {
        let rules = Arc::new(Rules::new(data).unwrap());
        let varying = Arc::new(Varying::of(&rules));
        let compiled = Arc::new(Compiled::<u32>::new(&Arc::new(Structure::new(rules).unwrap()), &varying).unwrap());
        let images = Arc::new(compiled.images(compiled.structure.symmetries()));
        let options = Options { threads, ..Options::default() };
        let (report, mut depths) = sparse::depths(&compiled, &images, &options, WATCH).unwrap();
        depths.truncate(report.depths.len());
        let (symmetry_order, generated) = (images.order, report.generated);
        let mut states = StatesOfWords::in_memory(compiled, images, depths);
        assert_eq!(states.counts().iter().sum::<u64>(), report.states());
        let search = SearchEnd { symmetry_order, generated, begun: Instant::now() };
        let found = distances_by(Some(way), &mut states, None, search, &options, WATCH).unwrap();
        assert_eq!(found.stop, None);
        (found.depths.iter().map(|depth| depth.states).collect(), found.unsolvable)
    }

    /// Moves that overwrite a cell of three with a symbol or another cell, if some cell holds a symbol.
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
        // A peg jumps over a peg into a hole, until two are left. Play reaches six states, and from two of them there
        // is no way to leave two.
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
        let rules = Arc::new(Rules::new(&serde_json::from_value(data).unwrap()).unwrap());
        let varying = Arc::new(Varying::of(&rules));
        let compiled = Arc::new(Compiled::<u32>::new(&Arc::new(Structure::new(rules).unwrap()), &varying).unwrap());
        let images = Arc::new(compiled.images(&compiled.structure.symmetries()[..1]));
        // A thousand states: a word and a value of four bytes each, 2,048 slots, and twelve bytes for the largest
        // depth.
        let states = StatesOfWords::in_memory(compiled, images, vec![vec![0; 500]; 2]);
        let tried =
            1000 * 8 + 2048 * 4 + 64 + 500 * 12 + retrograde::bytes(1000, 3000, 1, false, PredecessorWay::Tried);
        let listed = tried + 1000 * 12 + 3000 * 4;
        for (room, way) in
            [(tried - 1, None), (tried, Some(PredecessorWay::Tried)), (listed - 1, Some(PredecessorWay::Tried))]
        {
            assert_eq!(way_that_fits(&states, 3000, room), way);
        }
        assert_eq!(way_that_fits(&states, 3000, listed), Some(PredecessorWay::Listed));
    }
}
