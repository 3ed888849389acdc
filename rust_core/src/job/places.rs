//! The places of the folders of a job's shards: all in the folder of the job, or each on the disk of the machine that
//! works on it. `docs/cluster.md` explains it to users.

use std::path::{Path, PathBuf};

use super::folder::Job;
use super::local::LocalShards;
use super::manifest::{MOST_SHARDS, Manifest};
use crate::error::{Error, Result};

/// The most folders that a message names.
const MOST_NAMED: usize = 3;

/// The folders of the shards of a job, as this machine sees them.
#[derive(Debug, Clone)]
pub struct ShardPlaces {
    /// The folder of the whole job, which all machines see.
    folder: PathBuf,
    /// The folder with the folders of the shards, if these are on the disks of machines.
    local: Option<PathBuf>,
}

impl ShardPlaces {
    /// The places of the job in a folder, which has a manifest.
    ///
    /// # Errors
    ///
    /// [`Error::Job`] if the path of the machine's own folder has a variable that this machine does not have.
    pub fn new(folder: &Path, manifest: &Manifest) -> Result<Self> {
        let local = manifest.local.as_ref().map(LocalShards::here).transpose()?;
        Ok(Self { folder: folder.to_owned(), local })
    }

    /// The folder of a shard.
    pub fn shard(&self, shard: u64) -> PathBuf {
        Job::shard_folder(self.local.as_ref().unwrap_or(&self.folder), shard)
    }

    /// If folders of shards are on the disks of machines: the folder into which others send the runs of a shard, which
    /// all machines see. Otherwise `None`.
    pub fn inbox(&self, shard: u64) -> Option<PathBuf> {
        self.local.as_ref().map(|_| self.folder.join(format!("inbox-{shard:05}")))
    }

    /// The folder into which shard `from` sends the runs of shard `to`, or its own runs.
    pub fn runs(&self, from: u64, to: u64) -> PathBuf {
        self.inbox(to).filter(|_| from != to).unwrap_or_else(|| self.shard(to))
    }

    /// Removes the inboxes of a job that is complete. They should be empty; an inbox that is not empty stays, and does
    /// no harm.
    pub fn remove_inboxes(&self) {
        for inbox in (0..MOST_SHARDS).filter_map(|shard| self.inbox(shard)) {
            let _ = std::fs::remove_dir(inbox);
        }
    }

    /// The shards that have a folder on this machine with all depths that the job counts.
    pub fn held(&self, manifest: &Manifest) -> Vec<u64> {
        let has = |shard: u64| {
            let found = Manifest::of_folder(&self.shard(shard));
            found.is_ok_and(|found| {
                found.subject == manifest.subject.of_shard(shard) && found.depths.len() >= manifest.depths.len()
            })
        };
        (0..manifest.subject.shards.unwrap_or(0)).filter(|&shard| has(shard)).collect()
    }
}

/// The error for shards whose folders were not found at a place, such as `"not on this machine"`.
pub fn missing(manifest: &Manifest, shards: &[u64], place: &str) -> Error {
    let one = shards.len() == 1;
    let numbers: Vec<String> = shards.iter().map(u64::to_string).collect();
    let seen: Vec<String> = shards
        .iter()
        .map(|&shard| manifest.local.as_ref().and_then(|local| local.seen.get(shard as usize)))
        .map(|seen| seen.map_or("a machine that is not known", |seen| seen).to_owned())
        .collect();
    let (folders, are, they, their) = if one {
        ("folder of shard", "is", "it was", "it is")
    } else {
        ("folders of shards", "are", "they were", "they are")
    };
    Error::Corrupt(format!(
        "the {folders} {} {are} {place}: {they} last at {}; no other shard has these states, so go on where {their}, \
         put back a copy, or begin the job anew",
        listed(&numbers),
        listed(&seen)
    ))
}

/// The first items of a list, as in a sentence.
fn listed(items: &[String]) -> String {
    match items {
        [one] => one.clone(),
        [most @ .., last] if items.len() <= MOST_NAMED => format!("{} and {last}", most.join(", ")),
        _ => format!("{} and {} more", items[..MOST_NAMED].join(", "), items.len() - MOST_NAMED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_are_not_all_named() {
        let items: Vec<String> = (1..6).map(|item| item.to_string()).collect();
        let told: Vec<String> = (1..=5).map(|count| listed(&items[..count])).collect();
        assert_eq!(told, ["1", "1 and 2", "1, 2 and 3", "1, 2, 3 and 1 more", "1, 2, 3 and 2 more"]);
    }
}
