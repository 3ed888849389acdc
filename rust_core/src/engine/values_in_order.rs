//! Reads the values of a job's states in the order of the states, and checks them.

use super::compiled::Engine;
use super::jobs::JobFolder;
use super::machine::Machine;
use super::recount::{Recount, longest_of};
use super::rows::{KeptValue, Rows, Span};
use super::state::State;
use crate::dense::{Dense, KeepsTiers, KeptTier};
use crate::error::{Error, Result};
use crate::job::{Job, RecentBlocks, ValueFiles};
use crate::rules::Symbol;
use crate::run::{Options, Watch, Worth, in_pool, of_mover};
use crate::values::{Value, ValueCode};

/// The number of blocks of a tier that are held while the states of the tier are read in order: 1 MiB. The placements
/// of one row lie in two blocks at most.
const MOST_BLOCKS: usize = 16;

impl Engine {
    /// The value of a state in which play is over with an outcome.
    pub(super) fn value_of_end(&self, outcome: usize, cells: &[Symbol], player: usize) -> Value {
        let rules = self.rules();
        if rules.player_count() == 1 {
            let solved = self.solved(&State { cells: cells.to_vec(), player }).unwrap_or(false);
            return if solved { Value::Win(0) } else { Value::Draw(None) };
        }
        match rules.score(cells, player) {
            Some(points) => Value::Score(of_mover(points, player)),
            None => Worth::of(rules, outcome, player).into(),
        }
    }

    /// Checks the values that a job has kept so far: the checksums of their files and blocks, and, once the values of
    /// all states are known, every number of the manifest that was counted from them.
    pub(super) fn verify_values(
        &self,
        folder: &JobFolder,
        job: &Job,
        machine: &dyn Machine,
        watch: Watch,
    ) -> Result<()> {
        let Some(stage) = &job.manifest().values else { return Ok(()) };
        for part in job.parts() {
            let Some(stage) = &part.manifest().values else { continue };
            stage.spread_files().try_for_each(|file| part.check_file(file))?;
            for entry in &stage.depths {
                entry.files.iter().try_for_each(|file| part.check_file(file))?;
                if let Some(files) = ValueFiles::open(part, entry.depth as usize)? {
                    files.check_notes(part, entry.depth as usize)?;
                    (0..files.blocks()).try_for_each(|block| files.block(block).map(|_| ()))?;
                }
            }
        }
        if job.whole_values().is_err() || stage.depths.is_empty() {
            return Ok(());
        }
        let longest = longest_of(machine, stage, self.rules().alternating(), job)?;
        let mut found = Recount::new(stage.depths.len());
        let span = Span { last: stage.depths.len() as u64 - 1, ..Span::default() }.within(self.rules().cells());
        self.read_job(folder, &span, watch, &mut |rows| {
            found.add(&rows, longest.as_ref());
            Ok(())
        })?;
        found.compare(stage, job)
    }
}

impl Engine {
    /// Checks the values that a job has kept of tiers so far: the checksums of their files, and each value, which is
    /// found anew.
    pub(super) fn verify_tiers(dense: &Dense, options: &Options, job: &Job, watch: Watch) -> Result<()> {
        let Some(stage) = job.manifest().values.as_ref().filter(|stage| !stage.depths.is_empty()) else {
            return Ok(());
        };
        stage.depths.iter().flat_map(|entry| &entry.files).try_for_each(|file| job.check_file(file))?;
        Self::check_tiers(dense, options, "give more memory")?;
        let found = in_pool(options, || dense.values(KeepsTiers::As(job), watch))??;
        found.map(|_| ()).ok_or(Error::Stopped)
    }
}

/// The open files with the values of one depth: the depth that is being read.
enum OfDepth {
    /// A value for each open state, in the order of the words. Each shard has its own words.
    Words(Vec<ShardCodes>),
    /// The values of all placements of a tier, and the blocks that were read last.
    Tier(Option<Box<KeptTier>>, RecentBlocks<Vec<u8>>),
}

/// The codes of the values of a depth's open states in one shard, read one after another.
struct ShardCodes {
    /// The files with the codes; `None` if the shard has no open states of the depth.
    files: Option<ValueFiles>,
    /// The number of the next block of values.
    next: usize,
    /// The codes of the last block that was read, except those that were returned already.
    left: std::vec::IntoIter<u32>,
}

impl ShardCodes {
    fn open(part: &Job, depth: usize) -> Result<Self> {
        Ok(Self { files: ValueFiles::open(part, depth)?, next: 0, left: Vec::new().into_iter() })
    }

    /// The next code; `None` if there are no more.
    fn next(&mut self) -> Result<Option<u32>> {
        loop {
            if let Some(code) = self.left.next() {
                return Ok(Some(code));
            }
            let Some(files) = self.files.as_ref().filter(|files| self.next < files.blocks()) else { return Ok(None) };
            self.left = files.block(self.next)?.into_iter();
            self.next += 1;
        }
    }
}

/// The values of the states of a job, in the order in which [`Engine::read_job`] reads the states. The files have the
/// values of the open states of a depth, in the order of these states. The values of all other states follow from the
/// rules.
pub(super) struct ValuesInOrder<'a> {
    engine: &'a Engine,
    job: &'a Job,
    dense: Option<&'a Dense>,
    machine: &'a dyn Machine,
    has_distance: bool,
    /// The depth that is being read; `None` before the first rows.
    depth: Option<u64>,
    /// The open files with the values of that depth.
    files: OfDepth,
}

impl<'a> ValuesInOrder<'a> {
    /// A reader for a job that has the values of all states.
    pub fn new(engine: &'a Engine, job: &'a Job, dense: Option<&'a Dense>, machine: &'a dyn Machine) -> Self {
        let has_distance = job.manifest().values.as_ref().is_some_and(|stage| stage.distances);
        Self { engine, job, dense, machine, has_distance, depth: None, files: OfDepth::Words(Vec::new()) }
    }

    /// The values of the next rows.
    pub fn of(&mut self, rows: &Rows) -> Result<Vec<KeptValue>> {
        if self.depth != Some(rows.depth) {
            self.depth = Some(rows.depth);
            self.files = if let Some(dense) = self.dense {
                let tier = dense.kept_tier(self.job, rows.depth as usize)?.map(Box::new);
                OfDepth::Tier(tier, RecentBlocks::new(MOST_BLOCKS))
            } else {
                let open = |part| ShardCodes::open(part, rows.depth as usize);
                OfDepth::Words(self.job.parts().iter().map(open).collect::<Result<_>>()?)
            };
        }
        let mut values = Vec::with_capacity(rows.len());
        for (row, outcome) in rows.outcomes.iter().enumerate() {
            let value = match outcome {
                Some(outcome) => self.engine.value_of_end(*outcome as usize, rows.cells_of(row), rows.player_of(row)),
                None => self.of_open(rows, row)?,
            };
            values.push(KeptValue { value, has_distance: self.has_distance });
        }
        Ok(values)
    }

    /// The value of a state from which play goes on.
    fn of_open(&mut self, rows: &Rows, row: usize) -> Result<Value> {
        let lacks = || self.job.lacks(rows.depth as usize);
        let (tier, recent) = match &mut self.files {
            OfDepth::Tier(tier, recent) => (tier, recent),
            OfDepth::Words(shards) => {
                let mut word = Vec::new();
                if shards.len() > 1 {
                    let mut cells = rows.cells_of(row).to_vec();
                    cells.resize(self.engine.row_bytes(), rows.player_of(row) as u8);
                    self.machine.words_of_rows(&cells, false, &mut word);
                }
                let shard = if shards.len() > 1 { self.machine.shard_of_word(&word, shards.len() as u64) } else { 0 };
                let code = shards[shard].next()?.ok_or_else(lacks)?;
                return Ok(ValueCode(code).value_of(self.engine.rules().scoring.is_some()));
            }
        };
        let place = tier.as_ref().and_then(|tier| Some((tier, tier.place(rows.cells_of(row))?)));
        let found = place.map_or(Ok(None), |(tier, place)| tier.worth(place, recent))?;
        found.map(Value::from).ok_or_else(lacks)
    }
}
