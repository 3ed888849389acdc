//! The puzzle of a job, as data beside its manifest: its rules, and the data with which its states are written and
//! drawn. So a reader of a job needs nothing else, and never runs code that the folder names. `docs/jobs.md` explains
//! it to users.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::disk::{Disk, JobPlace};
use super::manifest::{DEFINITION, Manifest};
use crate::error::{Error, Result};
use crate::json;
use crate::rules::RulesData;

/// The form of the file, with its version.
const FORM: &str = "puzzlekit.puzzle/1";

/// The most bytes of the file; a larger one is refused. Rules of a million moves take less.
const MOST_BYTES: u64 = 1 << 30;

/// The content of the file `puzzle.json` of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// The form of the file.
    pub schema: String,
    /// The puzzle's text id.
    pub puzzle: String,
    /// The rules.
    pub rules: RulesData,
    /// The data with which states are written and drawn. The engine only keeps it.
    pub shown: Value,
}

impl Definition {
    /// The text of a file: the rules and `shown` are JSON, and `shown` may be empty.
    pub fn text(puzzle: &str, rules: &str, shown: &str) -> String {
        let shown = if shown.is_empty() { "null" } else { shown };
        let puzzle = Value::from(puzzle);
        format!("{{\"schema\":\"{FORM}\",\n\"puzzle\":{puzzle},\n\"rules\":{rules},\n\"shown\":{shown}}}\n")
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if it is no such text.
    pub fn from_text(text: &str) -> Result<Self> {
        let wrong = |what: &str| Error::Corrupt(format!("{DEFINITION} {what}; the job is damaged"));
        // The text becomes a `Value` first. Reading each type from the text directly would take more compiled code.
        let data: Value = serde_json::from_str(text).map_err(|_| wrong("is no JSON"))?;
        let found: Self = json::from_value(&data).map_err(|error| wrong(&format!("is malformed ({error})")))?;
        if found.schema == FORM { Ok(found) } else { Err(wrong(&format!("does not have the form \"{FORM}\""))) }
    }

    /// Reads the file of a job, if its size and digest are those in the manifest.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if it has changed since it was written, [`Error::Job`] if the folder holds no job, or one
    /// shard of a job.
    pub fn of_folder(folder: &Path) -> Result<Self> {
        let manifest = Manifest::of_folder(folder)?;
        let place = folder.display();
        let Some(entry) = &manifest.definition else {
            return Err(Error::Job(format!(
                "{place} holds a shard, and no rules; give the folder of the whole job, or name the puzzle with --file"
            )));
        };
        if entry.bytes > MOST_BYTES {
            return Err(Error::Corrupt(format!("{place}/{DEFINITION} is too large; the job is damaged")));
        }
        let disk = Disk::new(&JobPlace::new(folder), |_| "");
        let mut reader = disk.read(entry, "the job is damaged")?;
        let mut bytes = vec![0; entry.bytes as usize];
        reader.fill(&mut bytes)?;
        reader.finish()?;
        let text = String::from_utf8(bytes)
            .map_err(|_| Error::Corrupt(format!("{place}/{DEFINITION} is no text; the job is damaged")))?;
        let found = Self::from_text(&text)?;
        if found.puzzle == manifest.subject.puzzle {
            return Ok(found);
        }
        Err(Error::Corrupt(format!(
            "{place}/{DEFINITION} is of the puzzle {}, and the manifest of {}; the job is damaged",
            found.puzzle, manifest.subject.puzzle
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_is_read_as_it_was_written() {
        let rules = r#"{"symbols":["a","b"],"start":["a"],"moves":[{"name":"0","then":[[0,"b"]]}]}"#;
        for (shown, kept) in [("", Value::Null), (r#"{"rows":[1]}"#, serde_json::json!({"rows": [1]}))] {
            let found = Definition::from_text(&Definition::text("one \"cell\"", rules, shown)).unwrap();
            assert_eq!((found.puzzle.as_str(), found.shown), ("one \"cell\"", kept));
            assert_eq!(found.rules, RulesData::from_json(rules).unwrap());
        }
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for text in [Definition::text("x", "{}", ""), Definition::text("x", rules, &deep), "{}".to_owned()] {
            assert!(matches!(Definition::from_text(&text), Err(Error::Corrupt(_))), "{text:.40}");
        }
        let other = Definition::text("x", rules, "").replace("puzzle/1", "puzzle/2");
        assert!(Definition::from_text(&other).is_err());
    }
}
