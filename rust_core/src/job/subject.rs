//! The subject of a job: all that must be the same for the job to be resumed, and all that a reader of its files must
//! know beside the rules.

use serde::{Deserialize, Serialize};

use super::stage::ValuesStage;
use crate::error::{Error, Result};
use crate::index::Cut;

/// The subject of a job. All of it must be the same for the job to be resumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// The puzzle's text id.
    pub puzzle: String,
    /// The plugin that defines the puzzle; empty if there is none.
    pub plugin: String,
    /// The plugin's version.
    pub plugin_version: String,
    /// The digest of the rules.
    pub rules: String,
    /// `true` if depths are distances to the goal, and not numbers of moves from the start.
    pub backward: bool,
    /// `true` if states that a symmetry carries onto each other count as one.
    pub symmetry: bool,
    /// The number of symmetries.
    pub symmetry_order: usize,
    /// The store that holds the states.
    pub store: String,
    /// The cut of the dense store's perfect index; `None` in the sparse store. With the rules, it determines the state
    /// of each bit of a file.
    #[serde(default)]
    pub cut: Option<Cut>,
    /// The form in which the job keeps states: `snapshot`, if it keeps both bit arrays of a search from time to time;
    /// `arrays`, if these arrays are files of the job; empty, if it keeps a file for each depth.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub keeps: String,
    /// The form of words in the files of the sparse store, and of numbers in all files.
    #[serde(default)]
    pub encoding: Encoding,
    /// The width of a packed state in bits.
    pub word_bits: usize,
    /// The names of the outcomes, in the order in which depths count them.
    pub outcomes: Vec<String>,
    /// The number of shards, if the job is divided into shards. Each has a folder with a job of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shards: Option<u64>,
    /// If this is the job of one shard, its number, from 0; otherwise `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<u64>,
}

/// The form of the data in the job's files, which a reader must know beside the rules. It is written into the manifest,
/// so that later versions of the program may use another form for new jobs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Encoding {
    /// The order of the bytes of each 64-bit integer in the bit arrays of the dense store: `little` or `big`.
    pub byte_order: String,
    /// The layout of the cells of a state in a packed word. In layout 1, each cell has as many bits as the number of
    /// symbols needs, and cell 0 is on top; see [`crate::compile::Layout`]. In files, the bytes of a word follow each
    /// other with the most significant first. In layout 2, a word has only the `cells` and `symbols` that are listed,
    /// numbered in this order.
    pub word_layout: u32,
    /// In layout 2: the cells of a word. All others hold the symbols that they hold at the start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<usize>,
    /// In layout 2: the symbols that these cells may hold, by their places in the rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<u8>,
    /// The hash of a packed word, which decides the shard and the partition of its state. Hash 1 is
    /// [`crate::compile::Word::hash64`].
    pub word_hash: u32,
}

impl Default for Encoding {
    fn default() -> Self {
        let byte_order = if cfg!(target_endian = "big") { "big" } else { "little" };
        Self { byte_order: byte_order.to_owned(), word_layout: 1, cells: Vec::new(), symbols: Vec::new(), word_hash: 1 }
    }
}

/// The value of [`Subject::keeps`] for a job that keeps snapshots.
pub const SNAPSHOT: &str = "snapshot";

/// The value of [`Subject::keeps`] for a job whose search works on arrays in the job's own files.
pub const ARRAYS: &str = "arrays";

impl Subject {
    /// Returns `true` if the job keeps the whole search, as a snapshot or in place, and not a file for each depth.
    pub fn keeps_snapshot(&self) -> bool {
        self.keeps == SNAPSHOT || self.keeps_arrays()
    }

    /// Returns `true` if the arrays of the search are files of the job, which change while it runs.
    pub fn keeps_arrays(&self) -> bool {
        self.keeps == ARRAYS
    }

    /// Returns `true` if the states lie in the folders of shards, and none here.
    pub fn is_divided(&self) -> bool {
        self.shards.is_some() && self.shard.is_none()
    }

    /// The subject of a shard of this job.
    #[must_use]
    pub fn of_shard(&self, shard: u64) -> Self {
        Self { shard: Some(shard), ..self.clone() }
    }

    /// Returns `true` if a job with this subject can keep the values of `stage`. If its depths are the values
    /// themselves (`counted`), it must not keep snapshots of bits. Otherwise, it must count from the
    /// start, and its states must be words, or bits of placements that are kept depth by depth without distances. Bits
    /// must not be divided into shards.
    pub(super) fn may_have(&self, stage: &ValuesStage) -> bool {
        let bits = stage.counted || matches!(self.cut, Some(Cut::Placement {})) && !stage.distances;
        let kept = self.store == "sparse" || (bits && !self.keeps_snapshot() && self.shards.is_none());
        (stage.counted || !self.backward) && kept
    }

    /// Refuses to resume a job that counts something else.
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
                "the rules of {} are not those that the job was begun with (their digests are {} and {}); read it with \
                 the rules that it was begun with, or begin a new job",
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
                "the job's files have {}, and this program reads {}; read them on a machine and \
                 with a version like those that wrote them",
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
