//! Jobs whose shards have their folders on the disks of machines: the entry in the manifest, and the folder on a
//! machine.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// The entry in the manifest of a whole job whose shards have their folders on the disks of machines.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalShards {
    /// The folder on each machine that has the folders of its shards, as the user gave it. `$NAME` and `${NAME}` stand
    /// for the value of a variable of the machine's environment.
    pub directory: String,
    /// The name of the job's folder in that directory. No other job has this name.
    pub name: String,
    /// For each shard, the machine on which its folder was last, a colon, and its path there. Empty as long as no shard
    /// has a folder.
    pub seen: Vec<String>,
}

impl LocalShards {
    /// Refuses a relative folder, because it would be a different place for each process.
    ///
    /// # Errors
    ///
    /// [`Error::Options`].
    pub fn check(&self) -> Result<()> {
        let directory = &self.directory;
        if directory.starts_with('$') || Path::new(directory).is_absolute() {
            return Ok(());
        }
        Err(Error::Options(format!(
            "the local folder of shards is \"{directory}\", which depends on where a process is started; give a path \
             from the root, or one that begins with a variable, such as $SCRATCH"
        )))
    }

    /// Returns `true` if a job with `shards` shards can have this entry.
    pub(super) fn is_valid(&self, shards: u64) -> bool {
        let plain = self.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        plain && !self.name.is_empty() && (self.seen.is_empty() || self.seen.len() as u64 == shards)
    }

    /// The job's folder on the disk of this machine.
    ///
    /// # Errors
    ///
    /// [`Error::Job`] if a variable is not set, or leads nowhere.
    pub(super) fn here(&self) -> Result<PathBuf> {
        let refused = |what: String| {
            let directory = &self.directory;
            Error::Job(format!("the local folder of shards is \"{directory}\", and on this machine {what}"))
        };
        let variable = |name: &str| std::env::var(name).ok();
        let path = expand(&self.directory, variable)
            .map_err(|name| refused(format!("there is no variable {name}; set it before the processes are started")))?;
        if !Path::new(&path).is_absolute() {
            return Err(refused(format!("that is \"{path}\"; set the variable to a path from the root")));
        }
        Ok(Path::new(&path).join(&self.name))
    }
}

/// Replaces variables in a text: `$NAME`, or `${NAME}`. The error is the name of a variable that is not set.
///
/// `"$DISK/a"` is `"/x/a"` if `DISK` is `"/x"`.
fn expand(text: &str, variable: impl Fn(&str) -> Option<String>) -> std::result::Result<String, String> {
    let mut parts = text.split('$');
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        let braced = part.strip_prefix('{').and_then(|braced| braced.split_once('}'));
        let (name, rest) = braced.unwrap_or_else(|| part.split_at(end.unwrap_or(part.len())));
        whole += &variable(name).ok_or_else(|| format!("${name}"))?;
        whole += rest;
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_those_of_the_machine() {
        let variable = |name: &str| (name == "DISK_1").then(|| "/x".to_owned());
        for (text, expanded) in [
            ("/scratch", Ok("/scratch")),
            ("$DISK_1", Ok("/x")),
            ("${DISK_1}a/b", Ok("/xa/b")),
            ("$DISK_1/a$DISK_1", Ok("/x/a/x")),
            ("$DISK/a", Err("$DISK")),
            ("a$", Err("$")),
        ] {
            let found = expand(text, variable);
            assert_eq!(found.as_deref().map_err(String::as_str), expanded, "{text}");
        }
    }

    #[test]
    fn a_local_folder_is_the_same_for_every_process() {
        let of = |directory: &str| LocalShards { directory: directory.to_owned(), ..LocalShards::default() };
        assert!(of("$SCRATCH/x").check().is_ok());
        assert!(of(std::env::temp_dir().to_str().unwrap()).check().is_ok());
        assert!(of("here").check().unwrap_err().to_string().contains("give a path from the root"));
        assert!(of("$NO_SUCH_VARIABLE").here().unwrap_err().to_string().contains("no variable $NO_SUCH_VARIABLE"));
    }

    #[test]
    fn a_name_leads_out_of_no_folder() {
        let of = |name: &str, seen: usize| LocalShards {
            name: name.to_owned(),
            seen: vec![String::new(); seen],
            ..LocalShards::default()
        };
        assert!(of("puzzlekit-0a", 0).is_valid(3) && of("puzzlekit-0a", 3).is_valid(3));
        assert!(!of("puzzlekit-0a", 2).is_valid(3));
        for name in ["", "..", "a/b", "/"] {
            assert!(!of(name, 0).is_valid(3), "{name}");
        }
    }
}
