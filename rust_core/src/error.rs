//! The one error type of the engine: each message is a sentence that names the value at fault and the remedy.

/// Everything that can go wrong in the engine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The rules contradict themselves, or go beyond what the engine can hold.
    #[error("{0}")]
    Rules(String),
    /// A state does not fit the rules.
    #[error("{0}")]
    State(String),
    /// A move is unknown, or cannot be made in this state.
    #[error("{0}")]
    Move(String),
    /// The watch stopped the work before it was done.
    #[error("stopped before the end")]
    Stopped,
    /// The system, or the limit, gives less memory than a run needs.
    #[error("{0}")]
    Memory(String),
    /// A job cannot be begun, or cannot be resumed.
    #[error("{0}")]
    Job(String),
    /// A file of a job cannot be written; what was written before is kept.
    #[error("{0}")]
    Disk(String),
    /// The contents of a file of a job have changed since they were written.
    #[error("{0}")]
    Corrupt(String),
    /// An option of a run has a value that it cannot have.
    #[error("{0}")]
    Options(String),
}

/// A result with the engine's own error.
pub type Result<T> = std::result::Result<T, Error>;

/// Makes the error about rules without a goal. `lack` says what there is not without one.
pub(crate) fn no_goal(lack: &str) -> Error {
    Error::Options(format!("the rules have no goal, so {lack}; give them one, as in Rules(..., goal=...)"))
}

/// Makes the most frequent error: a fault in the rules, with a message as for `format!`.
macro_rules! rules_error {
    ($($part:tt)*) => { $crate::error::Error::Rules(format!($($part)*)) };
}
pub(crate) use rules_error;
