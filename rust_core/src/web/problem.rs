//! The error of a request: the name of the exception in Python, and the message.

use serde_json::{Value, json};

use crate::error::Error;

/// An error, as the page gets it.
#[derive(Debug)]
pub struct Problem {
    /// The name of the exception in Python.
    kind: &'static str,
    /// The message, which is a sentence.
    message: String,
    /// A lower bound on the moves of a solution, if a search has proven one.
    lower_bound: Option<u32>,
    /// The limit in words, if a search ran into one.
    within: Option<String>,
}

/// The result of a verb.
pub type Answer<T = Value> = Result<T, Problem>;

impl Problem {
    /// An error. `kind` is the name of an exception in Python.
    pub fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), lower_bound: None, within: None }
    }

    /// The error for a field or an option that makes no sense.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new("UsageError", message)
    }

    /// The same error, with the lower bound that a search has proven, and the limit that it has reached.
    pub fn reached(self, lower_bound: Option<u32>, within: Option<String>) -> Self {
        Self { lower_bound, within, ..self }
    }

    /// The message, which is a sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The error as JSON.
    pub fn to_data(&self) -> Value {
        let Self { kind, message, lower_bound, within } = self;
        json!({"kind": kind, "message": message, "lower_bound": lower_bound, "within": within})
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let kind = match &error {
            Error::Rules(_) => "RulesError",
            Error::State(_) => "StateError",
            Error::Move(_) => "MoveError",
            Error::Options(_) => "UsageError",
            Error::Memory(_) | Error::Stopped => "LimitError",
            Error::Job(_) => "JobError",
            Error::Disk(_) => "DiskError",
            Error::Corrupt(_) => "CorruptError",
        };
        Self::new(kind, error.to_string())
    }
}
