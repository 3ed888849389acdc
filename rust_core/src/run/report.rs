//! What to enumerate, and what was found.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What to enumerate.
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
    /// Which store holds the states.
    pub store: Store,
    /// The bytes of memory that the run may take.
    pub memory: u64,
    /// The bytes that the files of a job may take.
    pub disk: u64,
    /// How long a job may go on before it keeps the part that is done of a depth. As data, it is in seconds.
    #[serde(with = "seconds")]
    pub checkpoint: Duration,
    /// The last depth to find; `None` stands for all depths.
    pub max_depth: Option<u64>,
    /// Whether states that a symmetry carries onto each other count as one.
    pub symmetry: bool,
    /// How many threads to use; 0 stands for one for each core.
    pub threads: usize,
    /// Whether the values of all states must come with the moves to the end. Otherwise they do without if they take far
    /// less then.
    pub distances: bool,
    /// How the work is cut up, if the engine is not to decide it. It changes no count. It can be given as data only in
    /// a build for tests.
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

/// How the work is cut up. Tests use it to reach the engine's seams with small rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grain {
    /// The fewest partitions of the sparse store, as a power of two; at most 12.
    pub partition_bits: u32,
    /// How many states make a block of the sparse store. In the dense store, how many bytes a chunk has at most, or how
    /// many rows are filled at a time.
    pub block_states: usize,
    /// How many blocks make a wave.
    pub wave_blocks: usize,
    /// How many words of the sparse store make a sorted run on disk. 0 means that runs are made only if memory is
    /// short.
    pub run_words: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            store: Store::Auto,
            memory: u64::MAX,
            disk: u64::MAX,
            // Ten minutes are little work to lose, and far longer than it takes to write what fits the memory.
            checkpoint: Duration::from_secs(600),
            max_depth: None,
            symmetry: true,
            threads: 0,
            distances: false,
            grain: None,
        }
    }
}

/// How states are held while they are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Store {
    /// The engine chooses, by the rules and by how much memory there is.
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

/// Why an enumeration stopped before it was complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The depth limit was reached.
    MaxDepth,
    /// The watch stopped it.
    Watch,
    /// The next depth needs more memory than the run may take.
    Memory,
}

/// The states of one depth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DepthReport {
    /// The number of moves from the start.
    pub depth: u64,
    /// The states up to symmetry.
    pub states: u64,
    /// The states, with symmetric ones counted apart.
    pub raw_states: u64,
    /// The states from which play goes on.
    pub open: u64,
    /// How many states ended with each outcome, by its place in [`crate::Rules::outcomes`].
    pub ended: Vec<u64>,
}

/// The states from which no moves lead to the goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unsolvable {
    /// The states up to symmetry.
    pub states: u64,
    /// The states, with symmetric ones counted apart.
    pub raw_states: u64,
}

/// All states that play can reach.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The depths that were completed, from 0.
    pub depths: Vec<DepthReport>,
    /// Why the search stopped early; `None` if every reachable state was found.
    pub stop: Option<Stop>,
    /// Which store held the states.
    pub store: Store,
    /// Why that store was chosen, in words.
    pub reason: String,
    /// How many symmetries were used.
    pub symmetry_order: usize,
    /// If depths are distances to the goal, over the states that play can reach: the states that have none. `None` as long
    /// as that is not known, and for all other runs.
    pub unsolvable: Option<Unsolvable>,
    /// How many successors were generated.
    pub generated: u64,
    /// The time that the search took.
    pub seconds: f64,
}

impl Report {
    /// The states up to symmetry, over all depths.
    pub fn states(&self) -> u64 {
        self.depths.iter().map(|depth| depth.states).sum()
    }

    /// The states over all depths, with symmetric ones counted apart.
    pub fn raw_states(&self) -> u64 {
        self.depths.iter().map(|depth| depth.raw_states).sum()
    }
}
