//! The manifest of a job: what it counts, how far it has come, and what each of its files holds.

use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::definition::DEFINITION;
use super::disk::{FileEntry, digest};
use super::kinds::{FileName, Kind};
use super::local::LocalShards;
use super::stage::ValuesStage;
use crate::error::{Error, Result};
use crate::index::Cut;
use crate::run::{DepthReport, Unsolvable};

/// The form of a job's folder. There is one at a time: it changes whenever a reader of an earlier one would go wrong.
pub const SCHEMA: &str = "puzzlekit.job/7";

/// The most shards of a job. With more, the runs of a depth would have to be merged twice.
pub const MOST_SHARDS: u64 = 300;

/// The name of the file.
pub const MANIFEST: &str = "manifest.json";

/// The largest manifest that is read. It has room for a hundred thousand depths.
const MOST_BYTES: u64 = 256 << 20;

/// The most runs that a depth may have had.
const MOST_RUNS: u64 = u32::MAX as u64;

/// What a job counts. All of it must be the same for the job to be resumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// The puzzle's text id.
    pub puzzle: String,
    /// The plugin that brings the puzzle; empty if there is none.
    pub plugin: String,
    /// The plugin's version.
    pub plugin_version: String,
    /// The digest of the rules.
    pub rules: String,
    /// Whether depths are the moves needed to reach the goal, rather than the moves from the start.
    pub backward: bool,
    /// Whether states that a symmetry carries onto each other count as one.
    pub symmetry: bool,
    /// How many symmetries there are.
    pub symmetry_order: usize,
    /// Which store holds the states.
    pub store: String,
    /// How the dense store's perfect index is cut. With the rules, the cut says which state each bit of a file stands
    /// for.
    #[serde(default)]
    pub cut: Option<Cut>,
    /// What the job keeps of states: `snapshot`, if it keeps both bit arrays of a search as they are from time to time;
    /// empty, if it keeps a file for each depth.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub keeps: String,
    /// How words are written in the files of the sparse store, and how numbers are written in all files.
    #[serde(default)]
    pub encoding: Encoding,
    /// The width of a packed state in bits.
    pub word_bits: usize,
    /// The names of the outcomes, in the order in which depths count them.
    pub outcomes: Vec<String>,
    /// If the job is divided into shards, how many there are. Each has a folder with a job of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shards: Option<u64>,
    /// If this is the job of one shard, its number, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<u64>,
}

/// What a reader of the files must know that the rules do not say. It is written into the manifest, so that another
/// version of the program may choose otherwise for new jobs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Encoding {
    /// The order of the bytes of each 64-bit integer in the bit arrays of the dense store: `little` or `big`.
    pub byte_order: String,
    /// How the cells of a state lie in a packed word. In layout 1, each cell has as many bits as the number of symbols
    /// needs, and cell 0 is on top; see [`crate::compile::Layout`]. In files, the bytes of a word follow each other
    /// with the most significant first. In layout 2, a word has only the `cells` and `symbols` that are listed, numbered
    /// in this order.
    pub word_layout: u32,
    /// In layout 2: the cells that a word has. All others hold what they hold at the start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<usize>,
    /// In layout 2: the symbols that these cells may hold, by their places in the rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<u8>,
    /// Which hash of a packed word says where it belongs. Hash 1 is [`crate::compile::Word::hash64`].
    pub word_hash: u32,
}

impl Default for Encoding {
    fn default() -> Self {
        let byte_order = if cfg!(target_endian = "big") { "big" } else { "little" };
        Self { byte_order: byte_order.to_owned(), word_layout: 1, cells: Vec::new(), symbols: Vec::new(), word_hash: 1 }
    }
}

/// What [`Subject::keeps`] says of a job that keeps no depths.
pub const SNAPSHOT: &str = "snapshot";

impl Subject {
    /// Whether the job keeps snapshots of the whole search, rather than a file for each depth.
    pub fn keeps_snapshot(&self) -> bool {
        self.keeps == SNAPSHOT
    }

    /// Whether the states lie in the folders of shards, and none here.
    pub fn is_divided(&self) -> bool {
        self.shards.is_some() && self.shard.is_none()
    }

    /// The same for one of its shards.
    #[must_use]
    pub fn of_shard(&self, shard: u64) -> Self {
        Self { shard: Some(shard), ..self.clone() }
    }

    /// Whether values can be kept: beside words, or beside bits of placements; or, if they are counts, beside all states.
    fn may_have(&self, stage: &ValuesStage) -> bool {
        let bits = stage.distances_in.is_some() || matches!(self.cut, Some(Cut::Placement {})) && !stage.distances;
        let kept = self.store == "sparse" || (bits && !self.keeps_snapshot());
        !self.backward && self.shards.is_none() && kept
    }

    /// Refuses to go on with a job that counts something else.
    ///
    /// # Errors
    ///
    /// [`Error::Job`], which names the difference.
    pub fn check(&self, wants: &Self) -> Result<()> {
        if self.puzzle != wants.puzzle {
            return differs("puzzle", &self.puzzle, &wants.puzzle);
        }
        if (&self.plugin, &self.plugin_version) != (&wants.plugin, &wants.plugin_version) && self.rules != wants.rules {
            let version = |subject: &Subject| match &subject.plugin[..] {
                "" => "none".to_owned(),
                plugin => format!("{plugin} {}", subject.plugin_version),
            };
            return differs("plugin", &version(self), &version(wants));
        }
        if self.rules != wants.rules {
            return Err(Error::Job(format!(
                "the rules of {} are not those that the job was begun with (their digests are {} and {}); read it with the \
                 rules that it was begun with, or begin a new job",
                self.puzzle, wants.rules, self.rules
            )));
        }
        if (self.symmetry, self.symmetry_order) != (wants.symmetry, wants.symmetry_order) {
            return differs("symmetries", &self.symmetry_order.to_string(), &wants.symmetry_order.to_string());
        }
        if self.store != wants.store {
            return differs("store", &self.store, &wants.store);
        }
        if self.word_bits != wants.word_bits {
            return differs("width of states", &self.word_bits.to_string(), &wants.word_bits.to_string());
        }
        if self.outcomes != wants.outcomes {
            return differs("outcomes", &self.outcomes.join(", "), &wants.outcomes.join(", "));
        }
        if self.encoding != wants.encoding {
            let words = |encoding: &Encoding| {
                let Encoding { byte_order, word_layout, word_hash, .. } = encoding;
                format!("{byte_order}-endian numbers, word layout {word_layout} and word hash {word_hash}")
            };
            return Err(Error::Job(format!(
                "the job's files have {}, and this program reads {}; read them on a machine and with a version like those that wrote them",
                words(&self.encoding),
                words(&wants.encoding)
            )));
        }
        Ok(())
    }
}

/// The error for a job that counts something else.
fn differs(what: &str, has: &str, wants: &str) -> Result<()> {
    Err(Error::Job(format!(
        "the job has the {what} {has}, and here it is {wants}; resume it with what it was begun with"
    )))
}

/// One depth that is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DepthEntry {
    /// The number of moves from the start.
    pub depth: u64,
    /// The states up to symmetry.
    pub states: u64,
    /// The states, with symmetric ones counted apart.
    pub raw_states: u64,
    /// The states from which play goes on.
    pub open: u64,
    /// How many states ended with each outcome.
    pub ended: Vec<u64>,
    /// How many successors the states of all depths before it have.
    pub generated: u64,
    /// In jobs with shards: the sum of a number for each state, in hexadecimal digits. It does not depend on the order
    /// of the states, nor on how many shards there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sum: Option<String>,
    /// If the shards of the job have folders on the disks of machines: how many bytes its files have in all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Its files.
    pub files: Vec<FileEntry>,
}

impl DepthEntry {
    /// The entry of a depth, without its files.
    pub fn new(report: &DepthReport, generated: u64) -> Self {
        let DepthReport { depth, states, raw_states, open, ref ended } = *report;
        Self {
            depth,
            states,
            raw_states,
            open,
            ended: ended.clone(),
            generated,
            sum: None,
            bytes: None,
            files: Vec::new(),
        }
    }

    /// What the parts of a depth that shards have found count together; `None` if they are not parts of that depth.
    pub fn together(depth: u64, outcomes: usize, parts: &[&Self]) -> Option<Self> {
        let nothing = DepthReport { depth, states: 0, raw_states: 0, open: 0, ended: vec![0; outcomes] };
        let mut all = Self::new(&nothing, 0);
        let mut sum = 0u128;
        for part in parts {
            if part.depth != depth || part.ended.len() != outcomes {
                return None;
            }
            all.states = all.states.checked_add(part.states)?;
            all.raw_states = all.raw_states.checked_add(part.raw_states)?;
            all.open = all.open.checked_add(part.open)?;
            all.generated = all.generated.checked_add(part.generated)?;
            for (total, ended) in all.ended.iter_mut().zip(&part.ended) {
                *total = total.checked_add(*ended)?;
            }
            sum = sum.wrapping_add(u128::from_str_radix(part.sum.as_deref()?, 16).ok()?);
        }
        Some(Self { sum: Some(format!("{sum:032x}")), ..all })
    }

    /// How many bytes the files of parts of a depth have.
    pub fn bytes_of(parts: &[&Self]) -> u64 {
        parts.iter().flat_map(|part| &part.files).fold(0, |sum, file| sum.saturating_add(file.bytes))
    }

    /// What the entry counts.
    pub fn report(&self) -> DepthReport {
        let Self { depth, states, raw_states, open, ref ended, .. } = *self;
        DepthReport { depth, states, raw_states, open, ended: ended.clone() }
    }
}

/// A depth that is not done: how far the depth before it was expanded, and what was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Partial {
    /// How many open states of the last depth were expanded, in the order of its file; in the dense store, how many
    /// stretches of the index were filled.
    pub expanded: u64,
    /// How many successors were generated, over all depths.
    pub generated: u64,
    /// How many files have ever been written for it.
    pub runs: u64,
    /// The files that it has now.
    pub files: Vec<FileEntry>,
}

/// What a job is, and how far it has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The form of the folder, [`SCHEMA`].
    pub schema: String,
    /// The version of the engine that began the job.
    pub version: String,
    /// What the job counts.
    pub subject: Subject,
    /// The file with the puzzle as data; the job of one shard has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<FileEntry>,
    /// The last depth to find; `None` stands for all depths.
    pub max_depth: Option<u64>,
    /// Whether every reachable state was found.
    pub complete: bool,
    /// How many successors were generated, if the job is complete; otherwise 0.
    pub generated: u64,
    /// If the job is divided into shards and not complete: how often somebody began to drive it. Whoever finds a larger
    /// number than its own has been replaced.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub epoch: u64,
    /// If the job is divided into shards whose folders are on the disks of machines: where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local: Option<LocalShards>,
    /// If depths are distances to the goal and the job is complete: the states without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsolvable: Option<Unsolvable>,
    /// The depths that are done.
    pub depths: Vec<DepthEntry>,
    /// The depth that is not done, if something of it is kept.
    pub partial: Option<Partial>,
    /// How far the values of all states are known, if they are wanted.
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
    /// That of a job that was just begun.
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

    /// A text with the right digest, whatever the text says.
    #[cfg(feature = "fuzzing")]
    pub fn sealed(body: &str) -> String {
        format!("{body}{SEAL}{}\"\n}}\n", digest().update(body.as_bytes()).finalize().to_hex())
    }

    /// Reads the text of the file.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if a byte is not what was written, [`Error::Job`] if a version wrote it that this one does
    /// not know.
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
                "the job has the form \"{schema}\", and this version of puzzlekit reads {SCHEMA}; use the version that began it"
            )));
        }
        let manifest: Self = serde_json::from_value(data).map_err(|error| wrong(&format!("is malformed ({error})")))?;
        manifest.check().map_err(wrong)?;
        Ok(manifest)
    }

    /// Checks what is true of every manifest that a job has written.
    fn check(&self) -> std::result::Result<(), &'static str> {
        let mut total = 0u64;
        for (at, depth) in self.depths.iter().enumerate() {
            // No count is believed that is too large for the files. A word takes at least two bytes, and a stretch of
            // half a million bits at least 12.
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
        if self.subject.keeps_snapshot() && lacks_snapshot || !["", SNAPSHOT].contains(&&*self.subject.keeps) {
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
            let ours = |name: FileName| name.depth == last.depth + 1 && name.run.is_some();
            check_names(partial.files.iter(), ours)?;
            let open = last.open;
            if self.complete || partial.runs > MOST_RUNS || (self.subject.store == "sparse" && partial.expanded > open)
            {
                return Err("lists a part of a depth that cannot be");
            }
        }
        if self.values.as_ref().is_some_and(|stage| !self.subject.may_have(stage)) {
            return Err("has what a job of its kind does not have");
        }
        let word_bytes = self.subject.word_bits / 8;
        let depths: Vec<DepthReport> = self.depths.iter().map(DepthEntry::report).collect();
        self.values.as_ref().map_or(Ok(()), |stage| stage.check(&depths, self.complete, word_bytes))
    }

    /// `true` if each depth has a file with the checksums of the blocks of its files, for look-ups of distances.
    pub fn has_sums(&self) -> bool {
        let counted = self.values.as_ref().is_some_and(|stage| stage.distances_in.is_some());
        (self.subject.backward || counted) && !self.subject.keeps_snapshot() && self.subject.shards.is_none()
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

    /// Refuses a folder that has no manifest.
    ///
    /// # Errors
    ///
    /// [`Error::Job`].
    pub fn exists(folder: &Path) -> Result<()> {
        std::fs::metadata(folder.join(MANIFEST)).map(|_| ()).map_err(|error| no_job(folder, &error))
    }

    /// Reads the manifest of a folder.
    ///
    /// # Errors
    ///
    /// [`Error::Job`] if there is none, and as [`Self::from_text`].
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

/// Whether a file has the checksums of blocks.
pub(super) fn is_sums(file: &FileEntry) -> bool {
    FileName::read(&file.name).is_some_and(|name| name.kind == Kind::Sums)
}

fn no_job(folder: &Path, error: &std::io::Error) -> Error {
    Error::Job(format!("{} is no job ({error}); begin one with enumerate --out", folder.display()))
}

/// Refuses names that are not those of a depth's files. So no name leads out of the folder.
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
