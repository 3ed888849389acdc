//! The driver: runs the steps of a search, depth by depth, from the start or from where a job stopped, and returns the
//! report.

use super::depth_files::read_all;
use super::history::{Advance, History};
use super::in_memory::InMemory;
use super::limits::{LEAST_ON_DISK, Limits};
use super::residence::Residence;
use super::spill::OnDisk;
use super::state_graph::StateGraph;
use crate::compile::{Compiled, Images, Word};
use crate::error::{Error, Result};
use crate::job::Job;
use crate::run::{CheckpointClock, Options, Report, Stop, Store, Watch, in_pool};

/// What a search is asked for beside its counts. The default asks for nothing more.
pub struct WordSearch<'a, W> {
    /// The states of depth 0, if it is not the start: open states, the smallest of their images, each once.
    pub roots: Option<Vec<W>>,
    /// `true` if all states are to be returned. Only a search without a job keeps them.
    pub keeps: bool,
    /// A function to call with the open states of each depth, in no certain order. A search on disk does not have
    /// them, so only a search without a job may be given one.
    pub see: Option<See<'a, W>>,
}

impl<W> Default for WordSearch<'_, W> {
    fn default() -> Self {
        Self { roots: None, keeps: false, see: None }
    }
}

/// A function that is called with the number and the open states of each depth.
type See<'a, W> = &'a mut (dyn FnMut(u64, &[W]) + Send);

/// The result of a search.
pub struct FoundWords<W> {
    /// The counts.
    pub report: Report,
    /// If all states were to be returned: a list for each depth, in no certain order. If the search did not come to its
    /// end, these are the states of the completed depths.
    pub kept: Vec<Vec<W>>,
    /// The open states of the last depth, if the search had no job, and the caller was shown those of each depth.
    pub last: Vec<W>,
}

/// Enumerates all states that play can reach, by depth, up to the symmetries of `images`.
///
/// # Errors
///
/// [`Error::Options`] if the threads cannot be started, or the grain is zero; [`Error::Memory`] if a job cannot go on
/// with the memory that there is; [`Error::Disk`] and [`Error::Corrupt`] if the job's files cannot be written or read.
pub fn search<W: Word>(
    compiled: &Compiled<W>,
    images: &Images<W>,
    asked: WordSearch<W>,
    options: &Options,
    job: Option<&mut Job>,
    watch: Watch,
) -> Result<FoundWords<W>> {
    if options.grain.is_some_and(|grain| grain.block_states == 0 || grain.wave_blocks == 0) {
        return Err(Error::Options(
            "a block or a wave of nothing makes no progress; give at least 1 of each".to_owned(),
        ));
    }
    in_pool(options, || {
        let graph = StateGraph::new(compiled, images);
        let WordSearch { roots, keeps, see } = asked;
        // The function outlives the graph. This gives its type the shorter lifetime, which the compiler wants.
        let see = see.map(|see| see as See<W>);
        let mut run = SparseRun { roots, see, ..SparseRun::new(&graph, options, watch) };
        run.residence.kept = keeps.then(Vec::new);
        let report = run.go(job)?;
        if run.see.is_some() {
            run.residence.give_back_room();
        }
        Ok(FoundWords { report, kept: run.residence.kept.unwrap_or_default(), last: run.residence.frontier })
    })?
}

/// The states of one depth of a job: the open ones first, in order, and then those of the other files.
///
/// # Errors
///
/// [`Error::Corrupt`] if the files have changed since they were written.
pub fn job_depth<W: Word>(compiled: &Compiled<W>, images: &Images<W>, job: &Job, depth: usize) -> Result<Vec<W>> {
    // The caller has checked that the states fit the memory. So their number fits a `usize`, too.
    let mut states = Vec::with_capacity(usize::try_from(job.manifest().depths[depth].states).unwrap_or(0));
    each_of_depth(compiled, images, job, depth, &mut |words| {
        states.extend_from_slice(words);
        true
    })?;
    Ok(states)
}

/// Calls `take` with the states of one depth of a job, some at a time, in the order of [`job_depth`]. `take` returns
/// `false` if they cannot be of that depth.
///
/// # Errors
///
/// [`Error::Corrupt`] if `take` returns `false`, or if the files have changed since they were written.
pub fn each_of_depth<W: Word>(
    compiled: &Compiled<W>,
    images: &Images<W>,
    job: &Job,
    depth: usize,
    take: &mut dyn FnMut(&[W]) -> bool,
) -> Result<()> {
    read_all(job, &StateGraph::new(compiled, images), depth, take)
}

/// A run: its graph, its limits, its progress, and all that it holds in memory.
struct SparseRun<'g, W> {
    graph: &'g StateGraph<'g, W>,
    limits: Limits<'g>,
    checkpoints: CheckpointClock,
    history: History,
    residence: Residence<W>,
    /// `true` if the last depth is in memory, together with the states with which new ones are compared. If `false`,
    /// the last depth is only on disk.
    in_memory: bool,
    /// The states of depth 0, if it is not the start, until they are taken.
    roots: Option<Vec<W>>,
    /// A function to call with the open states of each depth that is found in memory, if the caller gave one.
    see: Option<See<'g, W>>,
}

impl<'g, W: Word> SparseRun<'g, W> {
    fn new(graph: &'g StateGraph<'g, W>, options: &Options, watch: Watch<'g>) -> Self {
        let limits = Limits::new(options, watch);
        Self {
            graph,
            checkpoints: CheckpointClock::new(options.checkpoint),
            history: History::new(),
            residence: Residence::new(graph, &limits),
            limits,
            in_memory: true,
            roots: None,
            see: None,
        }
    }

    /// Runs the search.
    fn go(&mut self, mut job: Option<&mut Job>) -> Result<Report> {
        match job.as_deref() {
            Some(job) if !job.manifest().depths.is_empty() => self.restore(job)?,
            _ => {
                let roots = self.roots.take();
                self.memory_parts().first_depth(roots, job.as_deref_mut())?;
            }
        }
        let stop = loop {
            let depth = self.history.last();
            if let Some(see) = &mut self.see {
                see(depth, &self.residence.frontier);
            }
            if self.history.open(depth) == 0 {
                break None;
            }
            if self.limits.max_depth.is_some_and(|most| most <= depth) {
                break Some(Stop::MaxDepth);
            }
            match self.next_depth(job.as_deref_mut())? {
                Advance::Done if self.history.last() == depth => break None,
                Advance::Done => {}
                Advance::Stopped => break Some(Stop::Watch),
                Advance::Outgrown => break Some(Stop::Memory),
            }
        };
        if let Some(job) = job {
            job.close(stop.is_none(), self.history.generated)?;
        }
        Ok(report(&mut self.history, stop, self.graph.images.order, self.limits.seconds()))
    }

    /// Finds the next depth.
    ///
    /// If the last depth is in memory, the next one is found there, too. If the memory is not enough, a run without a
    /// job ends, and a run with a job is continued on disk:
    ///
    /// 1. the new states of the depth so far are written as runs, and all memory is given back
    ///    ([`Self::leave_memory`]);
    /// 2. the rest of the depth is found on disk, and so are the next ones ([`super::spill`]);
    /// 3. as soon as a depth can be expected to fit, the states that it needs are read from the job, and it is found in
    ///    memory again.
    ///
    /// If the watch stops a depth of a job in memory, its new states are written as runs, too.
    fn next_depth(&mut self, mut job: Option<&mut Job>) -> Result<Advance> {
        if self.in_memory {
            let advance = self.memory_parts().next_depth(job.as_deref_mut())?;
            let Some(job) = job.as_deref_mut() else { return Ok(advance) };
            match advance {
                Advance::Outgrown if self.limits.does_for_disk() => self.leave_memory(job)?,
                Advance::Stopped if self.residence.expanded > 0 => {
                    self.memory_parts().checkpoint(job)?;
                    return Ok(advance);
                }
                advance => return Ok(advance),
            }
        }
        self.next_depth_on_disk(job.expect("what is not in memory is in a job"))
    }

    /// Finds the next depth on disk, and takes it into memory if the depth after it is expected to fit.
    fn next_depth_on_disk(&mut self, job: &mut Job) -> Result<Advance> {
        let advance = OnDisk {
            graph: self.graph,
            limits: &self.limits,
            history: &mut self.history,
            wave: &mut self.residence.wave,
            checkpoints: &mut self.checkpoints,
            job,
            held: None,
        }
        .next_depth()?;
        if advance == Advance::Done && self.expects_to_fit() && !self.limits.always_on_disk() {
            self.load(job)?;
        }
        Ok(advance)
    }

    /// Goes on with a job from where it stopped.
    fn restore(&mut self, job: &Job) -> Result<()> {
        self.history = History::of_job(job.manifest());
        // If a part of the next depth is on disk already, the rest is found on disk, too.
        if job.manifest().partial.is_none() && self.expects_to_fit() {
            self.load(job)
        } else if self.limits.does_for_disk() {
            self.in_memory = false;
            Ok(())
        } else {
            Err(too_little(self.limits.memory))
        }
    }

    fn expects_to_fit(&self) -> bool {
        self.residence.expects_to_hold(self.graph, &self.history)
    }

    fn load(&mut self, job: &Job) -> Result<()> {
        self.in_memory = true;
        self.residence.load(self.graph, &self.history, job)
    }

    /// Writes the new states of a depth so far as runs, and gives all memory back.
    fn leave_memory(&mut self, job: &mut Job) -> Result<()> {
        // Writing the states takes memory itself, so the memory of the seen words is given back first.
        self.residence.give_back_seen();
        self.memory_parts().checkpoint(job)?;
        self.residence.give_back();
        self.in_memory = false;
        Ok(())
    }

    fn memory_parts(&mut self) -> InMemory<'_, 'g, W> {
        InMemory {
            graph: self.graph,
            limits: &self.limits,
            history: &mut self.history,
            residence: &mut self.residence,
            checkpoints: &mut self.checkpoints,
            shows: self.see.is_some(),
        }
    }
}

/// The report of a run that has ended.
fn report(history: &mut History, stop: Option<Stop>, symmetry_order: usize, seconds: f64) -> Report {
    Report {
        unsolvable: None,
        depths: std::mem::take(&mut history.depths),
        stop,
        store: Store::Sparse,
        reason: String::new(),
        symmetry_order,
        generated: history.generated,
        seconds,
    }
}

/// The error of a job that cannot go on with so little memory.
fn too_little(memory: u64) -> Error {
    Error::Memory(format!(
        "the limit leaves {memory} bytes, and to go on with this job takes at least {LEAST_ON_DISK}; give more memory"
    ))
}
