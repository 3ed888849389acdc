//! Which files in a folder are a job's.

use std::path::Path;

use super::manifest::MANIFEST;

/// Whether a name is that of a file of a depth, or of one that is being written: no other file is ever removed.
pub fn is_of_depth(name: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let ended = |kind: &str| kind.strip_prefix("ended-").is_some_and(digits);
    let name = name.strip_suffix(".new").unwrap_or(name);
    let Some((number, kind)) = name.strip_prefix("depth-").and_then(|rest| rest.split_once('.')) else { return false };
    let run = kind.strip_prefix("run-").and_then(|rest| rest.split_once('.'));
    number.len() >= 5
        && digits(number)
        && match run {
            Some((run, kind)) => digits(run) && (matches!(kind, "open" | "part") || ended(kind)),
            None => matches!(kind, "states" | "open" | "stuck") || ended(kind),
        }
}

/// What to do where a file of a job cannot be written.
pub fn remedy(folder: &Path) -> &'static str {
    if folder.join(MANIFEST).is_file() {
        "what the job had is kept: make room, or mend the disk, and resume it"
    } else {
        "nothing is kept yet: make room, or mend the disk, and begin it again"
    }
}
