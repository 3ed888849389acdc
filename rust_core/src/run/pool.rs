//! The threads of a run, and the clock that its checkpoints go by.

use std::time::{Duration, Instant};

use super::report::Options;
use crate::error::{Error, Result};

/// Some time from now; in a year if the clock does not go so far.
pub fn later(time: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(time).unwrap_or(now + Duration::from_secs(366 * 86_400))
}

/// Runs some work on as many threads as the options say.
///
/// # Errors
///
/// [`Error::Options`] where the threads cannot be started.
pub fn in_pool<T: Send>(options: &Options, work: impl FnOnce() -> T + Send) -> Result<T> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .build()
        .map_err(|error| Error::Options(format!("cannot start {} threads: {error}", options.threads)))?;
    Ok(pool.install(work))
}
