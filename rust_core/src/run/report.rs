//! The options of an enumeration, and its report.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The options of an enumeration.
///
/// # Examples
///
/// ```
/// let options = puzzlekit_core::Options { threads: 1, ..Default::default() };
/// assert!(options.symmetry);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The store that holds the states.
    pub store: Store,
    /// The bytes of memory that the run may take.
    pub memory: u64,
    /// The bytes that the files of a job may take.
    pub disk: u64,
    /// The time after which a job saves the finished part of a depth again. In JSON, it is a number of seconds.
    #[serde(with = "seconds")]
    pub checkpoint: Duration,
    /// The last depth to find; `None` stands for all depths.
    pub max_depth: Option<u64>,
    /// `true` if states that a symmetry carries onto each other count as one.
    pub symmetry: bool,
    /// The number of threads; 0 stands for one for each core.
    pub threads: usize,
    /// `true` if the values of all states must come with the number of moves to the end. If `false`, the number is left
    /// out if that makes the search much cheaper.
    pub distances: bool,
    /// `true` if the values of all states are Grundy numbers.
    pub grundy: bool,
    /// The sizes of the parts of the work; `None` if the engine chooses them. They change no count. Only builds for
    /// tests read them from JSON.
    #[cfg_attr(not(feature = "grain"), serde(skip))]
    pub grain: Option<Grain>,
}

/// A time as a number of seconds.
mod seconds {
    use std::time::Duration;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(time.as_secs_f64())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        Duration::try_from_secs_f64(f64::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// The sizes of the parts of the work. Tests choose them small, so that small rules have many parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grain {
    /// The binary logarithm of the fewest partitions that the sparse store has; at most 12.
    pub partition_bits: u32,
    /// The number of states in a block of the sparse store. In the dense store, the most bytes of a chunk, or the
    /// number of rows that are filled at a time.
    pub block_states: usize,
    /// The number of blocks in a wave.
    pub wave_blocks: usize,
    /// The number of words in a sorted run that the sparse store writes to disk. 0 means that runs are written only if
    /// memory is short.
    pub run_words: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            store: Store::Auto,
            memory: u64::MAX,
            disk: u64::MAX,
            // If a run is killed, at most ten minutes of work are lost. Writing everything that fits in the memory
            // takes far less time than that.
            checkpoint: Duration::from_secs(600),
            max_depth: None,
            symmetry: true,
            threads: 0,
            distances: false,
            grundy: false,
            grain: None,
        }
    }
}

/// The form in which states are held while they are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Store {
    /// The engine chooses, by the rules and the memory.
    #[default]
    Auto,
    /// A bit for each possible state, by a perfect index. Not all rules have one.
    Dense,
    /// A packed word for each state that was found.
    Sparse,
}

impl Stop {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::MaxDepth => "max-depth",
            Self::Watch => "watch",
            Self::Memory => "memory",
        }
    }
}

impl Store {
    /// The name in reports and options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Dense => "dense",
            Self::Sparse => "sparse",
        }
    }
}

/// The reason why an enumeration stopped before it was complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The depth limit was reached.
    MaxDepth,
    /// The watch stopped the search.
    Watch,
    /// The next depth needs more memory than the run may take.
    Memory,
}

/// The states of one depth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DepthReport {
    /// The number of moves from the start.
    pub depth: u64,
    /// The number of states up to symmetry.
    pub states: u64,
    /// The number of raw states, in which all images of a state are counted.
    pub raw_states: u64,
    /// The number of states from which play goes on.
    pub open: u64,
    /// For each outcome, by its place in [`crate::Rules::outcomes`], the number of states that ended with it.
    pub ended: Vec<u64>,
}

/// The numbers of states that cannot be solved: no moves lead from them to the goal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unsolvable {
    /// The number of these states up to symmetry.
    pub states: u64,
    /// The number of raw states, in which all images of a state are counted.
    pub raw_states: u64,
}

/// The result of an enumeration: the states of each depth, and how the run went.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The depths that were completed, from 0.
    pub depths: Vec<DepthReport>,
    /// The reason why the search stopped early; `None` if every reachable state was found.
    pub stop: Option<Stop>,
    /// The store that held the states.
    pub store: Store,
    /// The reason for the choice of that store, in words.
    pub reason: String,
    /// The number of symmetries that were used.
    pub symmetry_order: usize,
    /// If depths are distances to the goal: the states that play reaches but that cannot be solved. `None` if they are
    /// not known yet, and if depths are distances from the start.
    pub unsolvable: Option<Unsolvable>,
    /// The number of successors that were generated.
    pub generated: u64,
    /// The time that the search took.
    pub seconds: f64,
}

impl Report {
    /// The report of a search that the watch has stopped before there was a depth.
    pub fn stopped_at_once(store: Store, symmetry_order: usize) -> Self {
        Self {
            depths: Vec::new(),
            stop: Some(Stop::Watch),
            store,
            reason: String::new(),
            symmetry_order,
            unsolvable: None,
            generated: 0,
            seconds: 0.0,
        }
    }

    /// The states up to symmetry, over all depths.
    pub fn states(&self) -> u64 {
        self.depths.iter().map(|depth| depth.states).sum()
    }

    /// The number of raw states over all depths, in which all images of a state are counted.
    pub fn raw_states(&self) -> u64 {
        self.depths.iter().map(|depth| depth.raw_states).sum()
    }
}
