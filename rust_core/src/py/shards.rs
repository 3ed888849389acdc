//! A job that is divided into shards: the driver of all shards, and the work on one shard. Both exchange messages as
//! JSON.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;

use super::engine::PyEngine;
use super::enumerate::{PyRunReport, options_of};
use super::errors::UsageError;
use super::jobs::PyJobFolder;
use super::values::PyAllValues;
use super::watch;
use crate::json;
use crate::{DepthEntry, Engine, FileEntry, LocalShards, ShardDriver, ShardFolders, ShardJob, Stop, ValuesStage};

/// The driver of a job in shards. It decides what all shards do next.
#[pyclass(frozen, name = "ShardDriver", module = "puzzlekit._core")]
pub(super) struct PyShardDriver {
    driver: Mutex<ShardDriver>,
}

/// One shard of a job, and the steps of the work on it.
#[pyclass(frozen, name = "ShardJob", module = "puzzlekit._core")]
pub(super) struct PyShardJob {
    job: Mutex<ShardJob>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read<T: serde::de::DeserializeOwned>(text: &str) -> PyResult<T> {
    json::from_text(text).map_err(|error| UsageError::new_err(format!("the message makes no sense: {error}")))
}

fn write(data: &impl serde::Serialize) -> String {
    serde_json::to_string(data).expect("a message is plain data")
}

#[pymethods]
impl PyEngine {
    /// Makes the driver of a job in shards. If each machine keeps its shards on a disk of its own, `local` has two
    /// texts: the path of the folder that they are in on each machine, and the name of the job in that folder.
    #[pyo3(signature = (options, job, shards, local = None))]
    fn drive_shards(
        &self,
        py: Python<'_>,
        options: &str,
        job: &PyJobFolder,
        shards: u64,
        local: Option<(String, String)>,
    ) -> PyResult<PyShardDriver> {
        let options = options_of(options)?;
        let local = local.map(|(directory, name)| LocalShards { directory, name, seen: Vec::new() });
        let driver = watch::run(py, None, |_| self.engine.drive_shards(&options, &job.folder, shards, local))?;
        Ok(PyShardDriver { driver: Mutex::new(driver) })
    }

    /// Makes the driver of a job that keeps the values of all states. Also returns `true` if the shards must use the
    /// engine of the rules backward, because the job counts back from the goal.
    #[pyo3(signature = (options, distances, job, shards, local = None))]
    fn drive_values(
        &self,
        py: Python<'_>,
        options: &str,
        distances: Option<bool>,
        job: &PyJobFolder,
        shards: u64,
        local: Option<(String, String)>,
    ) -> PyResult<(PyShardDriver, bool)> {
        let options = options_of(options)?;
        let local = local.map(|(directory, name)| LocalShards { directory, name, seen: Vec::new() });
        let drive = || self.engine.drive_values(&options, distances, &job.folder, shards, local);
        let (driver, counter) = watch::run(py, None, |_| drive())?;
        let backward = counter.is_some_and(|counter| counter.rules().backward);
        Ok((PyShardDriver { driver: Mutex::new(driver) }, backward))
    }

    /// The values of all states of a job in shards, as far as they are known.
    fn values_of_shards(
        &self,
        py: Python<'_>,
        driver: &PyShardDriver,
        options: &str,
        job: &PyJobFolder,
        seconds: f64,
    ) -> PyResult<PyAllValues> {
        let options = options_of(options)?;
        let found = watch::run(py, None, |watch| {
            self.engine.values_of_shards(&locked(&driver.driver), &job.folder, &options, seconds, watch)
        })?;
        PyAllValues::of(py, found)
    }

    fn open_shard(&self, py: Python<'_>, options: &str, job: &PyJobFolder, shard: u64) -> PyResult<PyShardJob> {
        let options = options_of(options)?;
        let job = watch::run(py, None, |_| self.engine.open_shard(&options, &job.folder, shard))?;
        Ok(PyShardJob { job: Mutex::new(job) })
    }
}

#[pymethods]
impl PyShardDriver {
    #[getter]
    fn epoch(&self) -> u64 {
        locked(&self.driver).epoch()
    }

    #[getter]
    fn max_depth(&self) -> Option<u64> {
        locked(&self.driver).max_depth()
    }

    #[getter]
    fn local(&self) -> bool {
        locked(&self.driver).is_local()
    }

    fn release(&self) {
        locked(&self.driver).release();
    }

    fn set_seen(&self, seen: Vec<String>) {
        locked(&self.driver).set_seen(seen);
    }

    #[getter]
    fn layered(&self) -> bool {
        locked(&self.driver).is_layered()
    }

    fn manifest(&self) -> String {
        locked(&self.driver).manifest().to_text()
    }

    fn commit_values(&self, py: Python<'_>, parts: &str) -> PyResult<()> {
        let parts: Vec<ValuesStage> = read(parts)?;
        watch::run(py, None, |_| locked(&self.driver).commit_values(&parts))
    }

    fn end_values(&self, py: Python<'_>) -> PyResult<()> {
        watch::run(py, None, |_| locked(&self.driver).end_values())
    }

    fn next_epoch(&self, py: Python<'_>) -> PyResult<u64> {
        watch::run(py, None, |_| locked(&self.driver).next_epoch())
    }

    fn commit(&self, py: Python<'_>, parts: &str) -> PyResult<u64> {
        let parts: Vec<DepthEntry> = read(parts)?;
        watch::run(py, None, |_| locked(&self.driver).commit(&parts))
    }

    fn finish(&self, py: Python<'_>, complete: bool) -> PyResult<()> {
        watch::run(py, None, |_| locked(&self.driver).finish(complete))
    }

    /// The report of the run so far. `stopped` is the reason why the run stopped early, by its name in reports.
    #[pyo3(signature = (stopped, seconds))]
    fn report(&self, stopped: Option<&str>, seconds: f64) -> PyRunReport {
        let stop = stopped.map(|name| if name == Stop::MaxDepth.name() { Stop::MaxDepth } else { Stop::Watch });
        locked(&self.driver).report(stop, seconds).into()
    }
}

#[pymethods]
impl PyShardJob {
    fn begin(&self, py: Python<'_>, epoch: u64, depths: u64, valued: u64, anew: bool) -> PyResult<()> {
        watch::run(py, None, |_| locked(&self.job).begin(epoch, depths, valued, anew))
    }

    #[pyo3(signature = (epoch, depth = None, watch = None))]
    fn ask(
        &self,
        py: Python<'_>,
        epoch: u64,
        depth: Option<u64>,
        watch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        Ok(write(&watch::run(py, watch, |watch| locked(&self.job).ask(epoch, depth, watch))?))
    }

    /// Sends values to other shards. If `files` are given, they have questions that other shards have sent, and the
    /// values answer these. Without `files`, the values are those that this shard has decided last; or, with `again`,
    /// more of those that were already sent before a checkpoint.
    #[pyo3(signature = (epoch, moves, files, again))]
    fn tell(&self, py: Python<'_>, epoch: u64, moves: u64, files: Option<&str>, again: bool) -> PyResult<String> {
        let files: Option<Vec<FileEntry>> = files.map(read).transpose()?;
        Ok(write(&watch::run(py, None, |_| locked(&self.job).tell(epoch, moves, files.as_deref(), again))?))
    }

    fn take(&self, py: Python<'_>, epoch: u64, files: &str, again: bool) -> PyResult<()> {
        let files: Vec<FileEntry> = read(files)?;
        watch::run(py, None, |_| locked(&self.job).take(epoch, &files, again))
    }

    fn keep_values(&self, py: Python<'_>, epoch: u64, depth: u64) -> PyResult<String> {
        Ok(write(&watch::run(py, None, |_| locked(&self.job).keep_values(epoch, depth))?))
    }

    fn keep_spread(&self, py: Python<'_>, epoch: u64) -> PyResult<()> {
        watch::run(py, None, |_| locked(&self.job).keep_spread(epoch))
    }

    #[pyo3(signature = (epoch, holds, watch = None))]
    fn expand(&self, py: Python<'_>, epoch: u64, holds: bool, watch: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        Ok(write(&watch::run(py, watch, |watch| locked(&self.job).expand(epoch, holds, watch))?))
    }

    #[pyo3(signature = (epoch, received, watch = None))]
    fn close(&self, py: Python<'_>, epoch: u64, received: &str, watch: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        let received = read(received)?;
        Ok(write(&watch::run(py, watch, |watch| locked(&self.job).close(epoch, received, watch))?))
    }

    fn manifest(&self) -> String {
        locked(&self.job).manifest().to_text()
    }
}

/// The folder of a shard, inside the folder of its job.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "a path is made for each call")]
pub(super) fn shard_folder(folder: PathBuf, shard: u64) -> PathBuf {
    ShardJob::folder(&folder, shard)
}

/// The folder in which a shard works, and the folder into which other shards put their files for it.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "a path is made for each call")]
pub(super) fn shard_places(py: Python<'_>, folder: PathBuf, shard: u64) -> PyResult<(PathBuf, PathBuf)> {
    let ShardFolders { own, inbox } = watch::run(py, None, |_| ShardJob::places(&folder, shard))?;
    Ok((own, inbox))
}

/// The numbers of the shards whose folders are on this machine.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "a path is made for each call")]
pub(super) fn held_shards(py: Python<'_>, folder: PathBuf) -> PyResult<Vec<u64>> {
    watch::run(py, None, |_| Engine::held_shards(&folder))
}

/// Refuses to resume a job if some shard is in none of the folders that were found. `held` has the shards that were
/// found.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "a path and a list are made for each call")]
pub(super) fn check_held(py: Python<'_>, folder: PathBuf, held: Vec<u64>, place: &str) -> PyResult<()> {
    watch::run(py, None, |_| Engine::check_held(&folder, &held, place))
}
