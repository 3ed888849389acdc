//! The manifest of a job: its subject, its progress, and the list of its files. A manifest of another form is refused.

use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::depth_entry::{DepthEntry, Partial};
use super::disk::FileEntry;
use super::kinds::{FileName, Kind};
use super::local::LocalShards;
use super::reader::digest;
use super::stage::{Holder, ValuesStage};
use super::subject::{ARRAYS, SNAPSHOT, Subject};
use crate::error::{Error, Result};
use crate::json;
use crate::run::{DepthReport, Report, Store, Unsolvable};
use crate::sorting::sort;

/// The form of a job's folder, with its version. The program reads no other. The version changes whenever an older
/// program would misread a new folder.
pub const SCHEMA: &str = "puzzlekit.job/11";

/// The name of the file with the puzzle of the job; see [`super::definition`].
pub const DEFINITION: &str = "puzzle.json";

/// The most shards of a job. With more, the runs of a depth would have to be merged twice.
pub const MOST_SHARDS: u64 = 300;

/// The name of the manifest's file.
pub const MANIFEST: &str = "manifest.json";

/// The most bytes of a manifest; a larger one is refused. This has room for a hundred thousand depths.
const MOST_BYTES: u64 = 256 << 20;

/// The most runs that may have been written for one depth.
const MOST_RUNS: u64 = u32::MAX as u64;

/// The description of a job, and its progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The form of the folder, [`SCHEMA`].
    pub schema: String,
    /// The version of the engine that began the job.
    pub version: String,
    /// The description of what the job counts: the puzzle, its rules, the symmetries, the store.
    pub subject: Subject,
    /// The file with the puzzle as data; `None` in the job of one shard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<FileEntry>,
    /// The last depth to find; `None` stands for all depths.
    pub max_depth: Option<u64>,
    /// `true` if every reachable state was found.
    pub complete: bool,
    /// The number of generated successors, if the job is complete; otherwise 0.
    pub generated: u64,
    /// If the job is divided into shards and not whole: the number of times that a process began to drive it. A
    /// process that finds a larger number than its own has been replaced.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub epoch: u64,
    /// The places of the shards' folders, if the job is divided into shards and these folders are on the disks of
    /// machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local: Option<LocalShards>,
    /// If depths are distances to the goal and the job is complete: the states without a distance. Otherwise `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsolvable: Option<Unsolvable>,
    /// The depths that are done.
    pub depths: Vec<DepthEntry>,
    /// The depth that is not done, if a part of it is kept.
    pub partial: Option<Partial>,
    /// The stage of values, if the values of all states are wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<ValuesStage>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The text between a manifest and its digest.
const SEAL: &str = ",\n  \"checksum\": \"";

impl Manifest {
    /// The manifest of a job that was just begun.
    pub fn of_new(subject: Subject, max_depth: Option<u64>) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            subject,
            definition: None,
            max_depth,
            complete: false,
            generated: 0,
            epoch: 0,
            local: None,
            unsolvable: None,
            depths: Vec::new(),
            partial: None,
            values: None,
        }
    }

    /// The text of the file, with its digest in the last line.
    ///
    /// # Panics
    ///
    /// Never: a manifest is plain data.
    pub fn to_text(&self) -> String {
        let text = serde_json::to_string_pretty(self).expect("a manifest is plain data");
        let body = text.strip_suffix("\n}").expect("a pretty object ends so");
        let sum = digest().update(body.as_bytes()).finalize().to_hex();
        format!("{body}{SEAL}{sum}\"\n}}\n")
    }

    /// Appends to a text the digest that a reader of manifests expects. With it, fuzzing can give the reader any text,
    /// and still reach the checks that come after that of the digest.
    #[cfg(feature = "fuzzing")]
    pub fn sealed(body: &str) -> String {
        format!("{body}{SEAL}{}\"\n}}\n", digest().update(body.as_bytes()).finalize().to_hex())
    }

    /// Reads the text of the file.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if the text has changed since it was written, [`Error::Job`] if a version wrote it that this
    /// one does not know.
    pub fn from_text(text: &str) -> Result<Self> {
        let wrong = |what: &str| Error::Corrupt(format!("the manifest {what}; the job is damaged"));
        let (body, sum) = text.rsplit_once(SEAL).ok_or_else(|| wrong("has no checksum"))?;
        if sum != format!("{}\"\n}}\n", digest().update(body.as_bytes()).finalize().to_hex()) {
            return Err(wrong("is not what its checksum says"));
        }
        let data: serde_json::Value = serde_json::from_str(&format!("{body}\n}}")).map_err(|_| wrong("is no JSON"))?;
        let schema = data.get("schema").and_then(serde_json::Value::as_str).unwrap_or("");
        if schema != SCHEMA {
            return Err(Error::Job(format!(
                "the job has the form \"{schema}\", and this version of puzzlekit reads {SCHEMA}; use the version that \
                 began it"
            )));
        }
        let manifest: Self = json::from_value(&data).map_err(|error| wrong(&format!("is malformed ({error})")))?;
        manifest.check().map_err(wrong)?;
        Ok(manifest)
    }

    /// Checks the conditions that every manifest of a job satisfies.
    fn check(&self) -> std::result::Result<(), &'static str> {
        let mut total = 0u64;
        for (at, depth) in self.depths.iter().enumerate() {
            // A count that is too large for the depth's files is refused. A word takes at least two bytes, so a
            // byte is at most one word. A stretch of 2^19 bits takes at least 12, so a byte is fewer than 2^16 bits.
            let sums = depth.files.iter().filter(|file| is_sums(file)).count();
            let states = depth.files.iter().filter(|file| !is_sums(file));
            let bytes = states.clone().try_fold(0u64, |sum, file| sum.checked_add(file.bytes));
            let each = if self.subject.store == "sparse" { 1 } else { 1 << 16 };
            let most = if self.subject.keeps_snapshot() || self.subject.is_divided() {
                Some(u64::MAX) // no depth has a file
            } else {
                bytes.and_then(|bytes| bytes.checked_mul(each))
            };
            total = match (total.checked_add(depth.states), most) {
                (Some(total), Some(most)) if depth.states <= most => total,
                _ => return Err("has counts that its files have no room for"),
            };
            let ended: Option<u64> = depth.ended.iter().try_fold(0u64, |sum, &count| sum.checked_add(count));
            if depth.depth != at as u64 || depth.ended.len() != self.subject.outcomes.len() {
                return Err("lists depths that do not fit together");
            }
            if ended.and_then(|ended| ended.checked_add(depth.open)) != Some(depth.states)
                || depth.raw_states < depth.states
            {
                return Err("has counts that do not add up");
            }
            let ours = |name: FileName| name.depth == at as u64 && name.run.is_none();
            check_names(states, |name| ours(name) && name.kind.holds_states())?;
            check_names(depth.files.iter(), ours)?;
            if sums != usize::from(self.has_sums()) {
                return Err("has other checksums of blocks than a job of its kind");
            }
        }
        if self.definition.as_ref().is_some_and(|file| file.name != DEFINITION) {
            return Err("names a file that is none of its own");
        }
        if self.definition.is_none() && self.subject.shard.is_none() {
            return Err("names no file with the puzzle");
        }
        let lacks_snapshot = !self.depths.is_empty() && !self.complete && self.partial.is_none();
        if self.subject.keeps_snapshot() && lacks_snapshot || !["", SNAPSHOT, ARRAYS].contains(&&*self.subject.keeps) {
            return Err("has no snapshot");
        }
        let shards = self.subject.shards.unwrap_or(1);
        if !(1..=MOST_SHARDS).contains(&shards) || self.subject.shard.is_some_and(|shard| shard >= shards) {
            return Err("names shards that cannot be");
        }
        if self.local.as_ref().is_some_and(|local| !self.subject.is_divided() || !local.is_valid(shards)) {
            return Err("names folders of shards that cannot be");
        }
        if self.depths.is_empty() && (self.complete || self.partial.is_some()) {
            return Err("lists no depth");
        }
        if let (Some(partial), Some(last)) = (&self.partial, self.depths.last()) {
            // An array that is changed in place holds the states of all depths, so the names of its files have depth 0.
            let depth = if self.subject.keeps_arrays() { 0 } else { last.depth + 1 };
            let ours = |name: FileName| name.depth == depth && name.run.is_some();
            check_names(partial.files.iter(), ours)?;
            let open = last.open;
            if self.complete || partial.runs > MOST_RUNS || (self.subject.store == "sparse" && partial.expanded > open)
            {
                return Err("lists a part of a depth that cannot be");
            }
        }
        let mut names: Vec<&str> = self.files().map(|file| &*file.name).collect();
        sort(&mut names);
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err("names a file twice");
        }
        if self.values.as_ref().is_some_and(|stage| !self.subject.may_have(stage)) {
            return Err("has what a job of its kind does not have");
        }
        let depths: Vec<DepthReport> = self.depths.iter().map(DepthEntry::report).collect();
        let word_bytes = self.subject.word_bits / 8;
        let holder = match (self.subject.shards, self.subject.shard) {
            (_, Some(_)) => Holder::Shard,
            (Some(_), None) => Holder::Divided,
            (None, None) => Holder::Whole,
        };
        self.values.as_ref().map_or(Ok(()), |stage| stage.check(&depths, self.complete, word_bytes, holder))
    }

    /// `true` if the values of all states are wanted, and no files are needed for them: each depth is the number of
    /// moves to the goal.
    pub fn is_counted(&self) -> bool {
        self.values.as_ref().is_some_and(|stage| stage.counted)
    }

    /// `true` if the job has the values of all its states.
    pub fn has_values(&self) -> bool {
        let whole = |stage: &ValuesStage| stage.counted || stage.depths.len() == self.depths.len();
        self.complete && self.values.as_ref().is_some_and(whole)
    }

    /// The counts of the depths that are done, as a run reports them.
    pub fn report(&self) -> Report {
        Report {
            depths: self.depths.iter().map(DepthEntry::report).collect(),
            stop: None,
            store: if self.subject.store == Store::Dense.name() { Store::Dense } else { Store::Sparse },
            reason: String::new(),
            symmetry_order: self.subject.symmetry_order,
            unsolvable: self.unsolvable,
            generated: self.generated,
            seconds: 0.0,
        }
    }

    /// `true` if the job has all that it was begun for: all states and, if they are wanted, all values.
    pub fn is_whole(&self) -> bool {
        self.complete && (self.values.is_none() || self.has_values())
    }

    /// `true` if depths are distances to the goal.
    pub fn has_distances(&self) -> bool {
        self.subject.backward || self.is_counted()
    }

    /// `true` if each depth has a file with the checksums of the blocks of its files, for look-ups of distances.
    pub fn has_sums(&self) -> bool {
        self.has_distances() && !self.subject.keeps_snapshot() && !self.subject.is_divided()
    }

    /// All files but the manifest itself.
    pub fn files(&self) -> impl Iterator<Item = &FileEntry> {
        let partial = self.partial.iter().flat_map(|partial| &partial.files);
        let values = self
            .values
            .iter()
            .flat_map(|stage| stage.depths.iter().flat_map(|depth| &depth.files).chain(stage.spread_files()));
        self.depths.iter().flat_map(|depth| &depth.files).chain(partial).chain(values)
    }

    /// `true` if a folder has a manifest, and is therefore a job.
    pub fn is_in(folder: &Path) -> bool {
        folder.join(MANIFEST).is_file()
    }

    /// Refuses a folder that has no manifest.
    ///
    /// # Errors
    ///
    /// [`Error::Job`].
    pub fn require(folder: &Path) -> Result<()> {
        std::fs::metadata(folder.join(MANIFEST)).map(|_| ()).map_err(|error| no_job(folder, &error))
    }

    /// Reads the manifest of a folder.
    ///
    /// # Errors
    ///
    /// [`Error::Job`] if there is none, and the errors of [`Self::from_text`].
    pub fn of_folder(folder: &Path) -> Result<Self> {
        let path = folder.join(MANIFEST);
        let none = |error: std::io::Error| no_job(folder, &error);
        let wrong = |what: &str| Err(Error::Corrupt(format!("{} {what}; the job is damaged", path.display())));
        if !std::fs::metadata(&path).map_err(none)?.is_file() {
            return wrong("is no file");
        }
        let mut bytes = Vec::new();
        std::fs::File::open(&path).map_err(none)?.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(none)?;
        if bytes.len() as u64 > MOST_BYTES {
            return wrong("is too large for a manifest");
        }
        let text = String::from_utf8(bytes)
            .map_err(|_| Error::Corrupt(format!("{} is no text; the job is damaged", path.display())))?;
        Self::from_text(&text)
    }
}

/// Returns `true` if a file has the checksums of blocks.
pub(super) fn is_sums(file: &FileEntry) -> bool {
    FileName::read(&file.name).is_some_and(|name| name.kind == Kind::Sums)
}

fn no_job(folder: &Path, error: &std::io::Error) -> Error {
    let why = if folder.is_dir() { format!("it has no readable {MANIFEST}") } else { error.to_string() };
    Error::Job(format!("{} is no job ({why}); begin one with enumerate --out", folder.display()))
}

/// Refuses names that no file of a depth can have. So no name leads out of the folder.
fn check_names<'a>(
    mut files: impl Iterator<Item = &'a FileEntry>,
    ours: impl Fn(FileName) -> bool,
) -> std::result::Result<(), &'static str> {
    if files.all(|file| FileName::read(&file.name).is_some_and(&ours)) {
        Ok(())
    } else {
        Err("names a file that is none of its own")
    }
}
