//! How many moves each state needs to the goal, over all states that play can reach: `docs/enumeration.md`, "Backward".
//!
//! All states are known before: a forward search has found them. The solved ones among them are at distance 0. The
//! states from which a move leads to distance `d`, and that have no distance yet, are at distance `d + 1`. States that
//! are left without a distance in the end cannot be solved.
//!
//! Take five states in a row, a → b → c → d → e, and a move from c back to a. Let d be solved. Then c is at distance 1,
//! b at 2 and a at 3, and e cannot be solved. Whatever the moves lose, the search forward has seen all of them.
//!
//! States are counted up to symmetry. A symmetry carries moves onto moves and the goal onto the goal, so all states of an
//! orbit have the same distance. If some state of an orbit has a move into another orbit, then so has the smallest one.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

use rayon::prelude::*;

use super::numbered::Numbered;
use crate::compile::{Compiled, Images, Steps, Word};
use crate::error::Result;
use crate::job::{DepthEntry, Job, Kind};
use crate::run::{DepthReport, Monitor, Options, Progress, Report, Stop, Store, Unsolvable, Watch, parallel};

/// How many states a thread handles between two looks at the watch.
const AT_ONCE: usize = 1 << 12;

/// The bytes that a state takes in lists of numbers: in the last distance and in the next one, each collected in parts
/// first.
const LISTED_BYTES: usize = 4 * size_of::<u32>();

/// How the states before a state are found.
enum Before<W> {
    /// By inverse moves. Each leads to a state from which a move leads here.
    Inverse(Steps<W>),
    /// From a list, made once: where the states before each state begin, and their numbers.
    Listed { begins: Vec<u64>, states: Vec<u32> },
    /// By trying all moves of all states that have no distance yet, once for each distance.
    Tried,
}

/// The ways to find the states before a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Inverse,
    Listed,
    Tried,
}

/// What is searched: all states that play can reach, and what the search that found them counted.
pub struct Reached<W> {
    /// The states, each the smallest of its images, in any order.
    pub states: Vec<W>,
    /// How many successors they have.
    pub generated: u64,
}

/// The distances of all states to the goal, as a report whose depths are the distances. Each is a depth of the job if
/// there is one. Then distances that the job has already are not searched again.
///
/// # Errors
///
/// [`crate::Error::Disk`] and [`crate::Error::Corrupt`] if the files of the job cannot be written or read.
pub fn distances<W: Word>(
    (compiled, images): (&Compiled<W>, &Images<W>),
    reached: Reached<W>,
    job: Option<&mut Job>,
    options: &Options,
    watch: Watch,
) -> Result<Report> {
    distances_by(None, (compiled, images), reached, job, options, watch)
}

fn distances_by<W: Word>(
    way: Option<Way>,
    (compiled, images): (&Compiled<W>, &Images<W>),
    reached: Reached<W>,
    job: Option<&mut Job>,
    options: &Options,
    watch: Watch,
) -> Result<Report> {
    let begun = Instant::now();
    let known = job.as_ref().map_or(Vec::new(), |job| job.manifest().depths.iter().map(DepthEntry::report).collect());
    let (count, generated) = (reached.states.len(), reached.generated);
    let Some(room) = room_beside::<W>(count as u64, options) else {
        return Ok(unfinished(known, Some(Stop::Memory), images.order, generated));
    };
    let mut states = reached.states;
    states.par_sort_unstable();
    let mut search = Search {
        compiled,
        images,
        has_distance: (0..count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
        states: Numbered::of_different(states),
        depths: Vec::new(),
        bytes: options.memory - options.memory / 8 - room,
        watch,
        begun,
    };
    let way = way.unwrap_or_else(|| search.way(room, generated));
    let Some(before) = search.before(way) else {
        return Ok(unfinished(known, Some(Stop::Watch), images.order, generated));
    };
    let (stop, unsolvable) = search.run(&before, job, options.max_depth, generated)?;
    let seconds = begun.elapsed().as_secs_f64();
    Ok(Report { unsolvable, seconds, ..unfinished(search.depths, stop, images.order, generated) })
}

/// The report of the distances that are known so far.
pub fn unfinished(depths: Vec<DepthReport>, stop: Option<Stop>, symmetry_order: usize, generated: u64) -> Report {
    let (store, reason) = (Store::Sparse, String::new());
    Report { depths, stop, store, reason, symmetry_order, unsolvable: None, generated, seconds: 0.0 }
}

/// How many bytes a run with the given options has left beside `count` states and what is kept of each; `None` if these do
/// not fit. There are never more states than 32-bit numbers can count.
pub fn room_beside<W: Word>(count: u64, options: &Options) -> Option<u64> {
    let number = usize::try_from(u32::try_from(count).ok().filter(|&count| count < u32::MAX)?).ok()?;
    let each = number.checked_mul(size_of::<W>() + LISTED_BYTES)?;
    let bytes = each.checked_add(number / 4)?.checked_add(Numbered::<W>::slot_bytes(number))?;
    // The allocator may take an eighth.
    (options.memory - options.memory / 8).checked_sub(bytes as u64)
}

struct Search<'a, W> {
    compiled: &'a Compiled<W>,
    images: &'a Images<W>,
    /// All states, numbered in order of their words.
    states: Numbered<W>,
    /// A bit for each state: whether its distance is known.
    has_distance: Vec<AtomicU64>,
    /// What was counted so far.
    depths: Vec<DepthReport>,
    bytes: u64,
    watch: Watch<'a>,
    begun: Instant,
}

impl<W: Word> Search<'_, W> {
    /// The quickest way that `room` bytes are enough for. If there is no inverse move for each move, all states and moves
    /// are gone through once to make a list, or once for each distance without one.
    fn way(&self, room: u64, generated: u64) -> Way {
        let bytes = generated.saturating_mul(4).saturating_add(self.states.len() as u64 * 12);
        if self.compiled.rules.inverse_moves().is_some() {
            Way::Inverse
        } else if bytes <= room {
            Way::Listed
        } else {
            Way::Tried
        }
    }

    /// What a way needs; `None` if the watch stops it.
    fn before(&self, way: Way) -> Option<Before<W>> {
        match way {
            Way::Inverse => Some(Before::Inverse(self.compiled.inverse_steps().expect("each move has an inverse"))),
            Way::Listed => self.listed(),
            Way::Tried => Some(Before::Tried),
        }
    }

    /// Lists the states before each state: first how many each has, then which. All moves of all states are made twice.
    fn listed(&self) -> Option<Before<W>> {
        let counts: Vec<AtomicU32> = self.states.words.iter().map(|_| AtomicU32::new(0)).collect();
        self.each_edge(|_, after| {
            counts[after as usize].fetch_add(1, Ordering::Relaxed);
        })?;
        let mut begins = vec![0; counts.len() + 1];
        for (at, count) in counts.iter().enumerate() {
            begins[at + 1] = begins[at] + u64::from(count.load(Ordering::Relaxed));
        }
        let states: Vec<AtomicU32> = (0..begins[counts.len()]).map(|_| AtomicU32::new(0)).collect();
        self.each_edge(|before, after| {
            // The places of a state are filled from the last one, in no certain order.
            let place = counts[after as usize].fetch_sub(1, Ordering::Relaxed) - 1;
            states[(begins[after as usize] + u64::from(place)) as usize].store(before, Ordering::Relaxed);
        })?;
        Some(Before::Listed { begins, states: states.into_iter().map(AtomicU32::into_inner).collect() })
    }

    /// Calls `found` with both ends of each move; `None` if the watch stops it.
    fn each_edge(&self, found: impl Fn(u32, u32) + Sync) -> Option<()> {
        let monitor = self.monitor(self.states.len());
        parallel::ranges(self.states.words.len(), AT_ONCE, &|range| {
            if !monitor.stopped() {
                for number in range.clone() {
                    self.each_after(self.states.words[number], |after| {
                        found(number as u32, after);
                        true
                    });
                }
                monitor.add(range.len() as u64);
            }
        });
        (!monitor.stopped()).then_some(())
    }

    /// Calls `found` with the number of each state that a move leads to, until it returns false.
    fn each_after(&self, word: W, mut found: impl FnMut(u32) -> bool) {
        if self.compiled.ended(word, 0).is_none() {
            self.compiled.steps[0].each(word, |_, step| {
                let after = self.images.smallest(step.effect.apply(word));
                found(self.states.get(after).expect("the search forward has found every successor"))
            });
        }
    }

    fn run(
        &mut self,
        before: &Before<W>,
        mut job: Option<&mut Job>,
        max_depth: Option<u64>,
        generated: u64,
    ) -> Result<(Option<Stop>, Option<Unsolvable>)> {
        let mut frontier = match job.as_deref() {
            Some(job) if !job.manifest().depths.is_empty() => self.restore(job)?,
            _ => {
                let Some(solved) = self.solved() else { return Ok((Some(Stop::Watch), None)) };
                self.add(&solved, job.as_deref_mut(), generated)?;
                solved
            }
        };
        let stop = loop {
            let Some(next) = self.next(before, &frontier) else { break Some(Stop::Watch) };
            if next.is_empty() {
                break None;
            }
            if max_depth.is_some_and(|most| most < self.depths.len() as u64) {
                break Some(Stop::MaxDepth);
            }
            self.mark(&next);
            self.add(&next, job.as_deref_mut(), generated)?;
            frontier = next;
        };
        let unsolvable = if stop.is_none() { Some(self.without_distance()) } else { None };
        if let Some(job) = job {
            job.close_with(stop.is_none(), generated, unsolvable)?;
        }
        Ok((stop, unsolvable))
    }

    /// The numbers of the solved states, in order; `None` if the watch stops it.
    fn solved(&self) -> Option<Vec<u32>> {
        let monitor = self.monitor(self.states.len());
        let found = gather(self.states.words.par_chunks(AT_ONCE).enumerate(), &monitor, |(chunk, words), found| {
            let solved = (chunk * AT_ONCE..).zip(words).filter(|(_, word)| self.compiled.solved(**word));
            found.extend(solved.map(|(number, _)| number as u32));
            words.len()
        })?;
        self.mark(&found);
        Some(found)
    }

    /// The numbers of the states whose distance is one more than that of the given ones, in order; `None` if the watch
    /// stops it. They are not marked.
    fn next(&self, before: &Before<W>, frontier: &[u32]) -> Option<Vec<u32>> {
        if frontier.is_empty() {
            return Some(Vec::new());
        }
        let mut found = match before {
            Before::Inverse(steps) => {
                let monitor = self.monitor(frontier.len());
                let ends = !self.compiled.rules.ends.is_empty();
                gather(frontier.par_chunks(AT_ONCE), &monitor, |numbers, found| {
                    for &number in numbers {
                        steps.each(self.states.words[number as usize], |_, step| {
                            let word = self.images.smallest(step.effect.apply(self.states.words[number as usize]));
                            // From a state that play cannot reach, a move may lead here all the same. And if play is
                            // over in a state, no move leads on from it.
                            if let Some(before) = self.states.get(word)
                                && !self.is_marked(before)
                                && !(ends && self.compiled.ended(word, 0).is_some())
                            {
                                found.push(before);
                            }
                            true
                        });
                    }
                    numbers.len()
                })?
            }
            Before::Listed { begins, states } => {
                let monitor = self.monitor(frontier.len());
                gather(frontier.par_chunks(AT_ONCE), &monitor, |numbers, found| {
                    for &number in numbers {
                        let range = begins[number as usize] as usize..begins[number as usize + 1] as usize;
                        found.extend(states[range].iter().copied().filter(|&before| !self.is_marked(before)));
                    }
                    numbers.len()
                })?
            }
            Before::Tried => {
                let monitor = self.monitor(self.states.len());
                gather(self.states.words.par_chunks(AT_ONCE).enumerate(), &monitor, |(chunk, words), found| {
                    for (number, &word) in (chunk * AT_ONCE..).zip(words) {
                        let mut leads = false;
                        if !self.is_marked(number as u32) {
                            // A state that leads to a smaller distance than the last one has a distance itself.
                            self.each_after(word, |after| {
                                leads = self.is_marked(after);
                                !leads
                            });
                        }
                        if leads {
                            found.push(number as u32);
                        }
                    }
                    words.len()
                })?
            }
        };
        found.par_sort_unstable();
        found.dedup();
        Some(found)
    }

    /// Counts the states of the next distance, and writes them if there is a job.
    fn add(&mut self, numbers: &[u32], job: Option<&mut Job>, generated: u64) -> Result<()> {
        let depth = self.depths.len() as u64;
        let (compiled, words) = (self.compiled, &self.states.words);
        let outcomes = compiled.rules.outcomes.len();
        let nothing = || DepthReport { depth, states: 0, raw_states: 0, open: 0, ended: vec![0; outcomes] };
        let counted = numbers.par_chunks(AT_ONCE).map(|numbers| {
            let mut report = nothing();
            for &number in numbers {
                let word = words[number as usize];
                report.states += 1;
                report.raw_states += self.images.orbit_size(word);
                match compiled.outcome(word, 0) {
                    None => report.open += 1,
                    Some(outcome) => report.ended[outcome] += 1,
                }
            }
            report
        });
        let report = counted.reduce(nothing, |mut sum, part| {
            sum.states += part.states;
            sum.raw_states += part.raw_states;
            sum.open += part.open;
            sum.ended.iter_mut().zip(part.ended).for_each(|(sum, part)| *sum += part);
            sum
        });
        if let Some(job) = job {
            let of_kind = |kind: Kind| -> Vec<W> {
                let kind_of = |word: W| match (compiled.ended(word, 0), compiled.outcome(word, 0)) {
                    (Some(outcome), _) => Kind::Ended(outcome),
                    (None, Some(_)) => Kind::Stuck,
                    (None, None) => Kind::Open,
                };
                let all = numbers.par_iter().map(|&number| words[number as usize]);
                all.filter(|&word| kind_of(word) == kind).collect()
            };
            for kind in Kind::of_words(outcomes) {
                job.write_words(kind, &of_kind(kind))?;
            }
            job.commit(DepthEntry::new(&report, generated))?;
        }
        self.depths.push(report);
        Ok(())
    }

    /// Takes the distances that a job has. Returns the numbers of the states of the last one.
    fn restore(&mut self, job: &Job) -> Result<Vec<u32>> {
        let mut last = Vec::new();
        for (depth, entry) in job.manifest().depths.iter().enumerate() {
            last.clear();
            for kind in Kind::of_words(self.compiled.rules.outcomes.len()) {
                job.read_words(depth, kind, |words: &[W]| {
                    for &word in words {
                        let number = self.states.get(word).filter(|&number| !self.is_marked(number));
                        last.push(number.ok_or_else(|| job.lacks(depth))?);
                    }
                    Ok(())
                })?;
            }
            last.sort_unstable();
            if last.len() as u64 != entry.states {
                return Err(job.lacks(depth));
            }
            self.mark(&last);
            self.depths.push(entry.report());
        }
        Ok(last)
    }

    fn mark(&self, numbers: &[u32]) {
        numbers.par_iter().for_each(|&number| {
            self.has_distance[number as usize / 64].fetch_or(1 << (number % 64), Ordering::Relaxed);
        });
    }

    fn is_marked(&self, number: u32) -> bool {
        self.has_distance[number as usize / 64].load(Ordering::Relaxed) >> (number % 64) & 1 == 1
    }

    fn without_distance(&self) -> Unsolvable {
        let numbered = self.states.words.par_iter().enumerate();
        let left = numbered.filter(|(number, _)| !self.is_marked(*number as u32));
        let sizes = left.map(|(_, &word)| (1, self.images.orbit_size(word)));
        let (states, raw_states) = sizes.reduce(|| (0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        Unsolvable { states, raw_states }
    }

    fn monitor(&self, frontier: usize) -> Monitor<'_> {
        let found = self.depths.iter().map(|depth| depth.states).sum();
        let progress = Progress {
            depth: (self.depths.len() as u64).saturating_sub(1),
            frontier: frontier as u64,
            expanded: 0,
            states: found,
            store_bytes: self.bytes,
            seconds: 0.0,
        };
        Monitor::new(self.watch, self.begun, progress)
    }
}

/// Collects what `look` finds in each chunk, in order of the chunks. `look` returns how many states it looked at.
/// `None` if the watch stops it.
fn gather<C: Send>(
    chunks: impl IndexedParallelIterator<Item = C>,
    monitor: &Monitor,
    look: impl Fn(C, &mut Vec<u32>) -> usize + Sync,
) -> Option<Vec<u32>> {
    let lists: Vec<Vec<u32>> = chunks
        .map(|chunk| {
            let mut found = Vec::new();
            if !monitor.stopped() {
                monitor.add(look(chunk, &mut found) as u64);
                // States that several moves lead to come several times.
                found.sort_unstable();
                found.dedup();
            }
            found
        })
        .collect();
    (!monitor.stopped()).then(|| lists.concat())
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::rules::{MoveData, Rules, RulesData, SourceData, Varying};
    use crate::sparse;
    use crate::structure::Structure;

    const WATCH: Watch = &|_| ControlFlow::Continue(());

    /// The report of a way, with all that takes time left out; the number of states at each distance and of those
    /// without one.
    fn counts(data: &RulesData, way: Way, threads: usize) -> (Vec<u64>, Option<Unsolvable>) {
        let rules = Arc::new(Rules::new(data).unwrap());
        let varying = Arc::new(Varying::of(&rules));
        let compiled = Compiled::<u32>::new(&Arc::new(Structure::new(rules).unwrap()), &varying).unwrap();
        let images = compiled.images(compiled.structure.symmetries());
        let options = Options { threads, ..Options::default() };
        let (report, states) = sparse::states(&compiled, &images, &options, WATCH).unwrap();
        assert_eq!(report.states(), states.len() as u64);
        let reached = Reached { states, generated: report.generated };
        let found = distances_by(Some(way), (&compiled, &images), reached, None, &options, WATCH).unwrap();
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
                    symmetries: Vec::new().into(),
                }
            },
        )
    }

    proptest! {
        #[test]
        fn a_list_and_trying_all_moves_find_the_same(data in random_rules()) {
            let listed = counts(&data, Way::Listed, 1);
            prop_assert_eq!(&counts(&data, Way::Tried, 2), &listed);
            if Rules::new(&data).unwrap().inverse_moves().is_some() {
                prop_assert_eq!(&counts(&data, Way::Inverse, 1), &listed);
            }
        }
    }

    #[test]
    fn all_ways_find_the_distances_of_pegs_in_a_row() {
        // A peg jumps over a peg into a hole, until two are left. Play reaches six states, and from two of them there is no
        // way to leave two.
        let jump = |from: i64, over: i64, to: i64| {
            serde_json::json!({"name": format!("{from}{to}"), "when": [[from, ["o"]], [over, ["o"]], [to, ["."]]],
                "then": [[from, "."], [over, "."], [to, "o"]]})
        };
        let moves: Vec<_> = (0..4).flat_map(|at| [jump(at, at + 1, at + 2), jump(at + 2, at + 1, at)]).collect();
        let start = ["o", "o", ".", "o", "o", "o"];
        let data = serde_json::json!({"symbols": [".", "o"], "start": start, "moves": moves,
            "goal": [{"counts": [{"symbols": ["o"], "at_most": 2}]}]});
        let data: RulesData = serde_json::from_value(data).unwrap();
        let listed = counts(&data, Way::Listed, 1);
        assert_eq!(listed, (vec![1, 1, 1, 1], Some(Unsolvable { states: 2, raw_states: 2 })));
        for (way, threads) in [(Way::Inverse, 1), (Way::Inverse, 2), (Way::Tried, 1), (Way::Listed, 2)] {
            assert_eq!(counts(&data, way, threads), listed);
        }
    }

    #[test]
    fn what_is_beside_the_states_is_known_before() {
        let options = |memory| Options { memory, ..Options::default() };
        // 1,000 states: a word, 16 bytes in lists and a quarter of a byte each, and 2,048 slots.
        let bytes = 1000 * (4 + 16) + 250 + 2048 * 4;
        let memory = bytes / 7 * 8 + 8;
        assert!(room_beside::<u32>(1000, &options(memory)).is_some_and(|room| room < 16));
        assert_eq!(room_beside::<u32>(1000, &options(memory - 16)), None);
        assert_eq!(room_beside::<u32>(u64::from(u32::MAX), &options(u64::MAX)), None);
        assert_eq!(room_beside::<u32>(u64::MAX, &options(u64::MAX)), None);
    }
}
