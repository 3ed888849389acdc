//! Runs the engine for Python: without the interpreter's lock, and so that Ctrl-C can stop it. All bindings use these
//! functions.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::run::{Called, SingleWork};
use crate::{Progress, Result, Watch};

/// The time between two checks for signals. An interrupt is noticed after at most this time.
const POLL: Duration = Duration::from_millis(50);

/// The progress of a run, as a watch receives it.
#[pyclass(frozen, get_all, name = "Progress", module = "puzzlekit._core")]
pub(super) struct PyProgress {
    depth: u64,
    frontier: u64,
    expanded: u64,
    states: u64,
    store_bytes: u64,
    seconds: f64,
    at_most: u32,
    at_least: u32,
    wanted: u64,
    again: bool,
}

impl From<Progress> for PyProgress {
    fn from(progress: Progress) -> Self {
        let Progress { depth, frontier, expanded, states, store_bytes, seconds, at_most, at_least, wanted, again } =
            progress;
        Self { depth, frontier, expanded, states, store_bytes, seconds, at_most, at_least, wanted, again }
    }
}

/// Up to this number of states, the calling thread does the work, which takes well under a millisecond.
const FEW_STATES: usize = 16;

/// Runs `work` on a thread of its own without the interpreter's lock. Meanwhile the calling thread looks for signals
/// and calls `watch` with the latest progress, twenty times a second. `work` is stopped when `watch` returns something
/// true, or when a signal or `watch` raises an exception, which is then the result.
///
/// If no thread can be started, `work` runs on the calling thread. Then each time that `work` reports progress, that
/// thread looks for signals and calls `watch`, but at most twenty times a second.
pub(super) fn run<T: Send>(
    py: Python<'_>,
    watch: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(Watch) -> Result<T> + Send,
) -> PyResult<T> {
    let (result, raised) = run_to_the_end(py, watch, work);
    raised.map_or_else(|| result.map_err(PyErr::from), Err)
}

/// Does the same as [`run`] for a number of states. For few states, `work` runs on the calling thread, because starting
/// another thread takes longer than the work.
pub(super) fn run_on_states<T: Send>(
    py: Python<'_>,
    states: usize,
    work: impl FnOnce(Watch) -> Result<T> + Send,
) -> PyResult<T> {
    if states > FEW_STATES {
        return run(py, None, work);
    }
    py.check_signals()?;
    Ok(work(&|_| ControlFlow::Continue(()))?)
}

/// Does the same as [`run`], but returns two things: the result of `work`, even if an exception stopped it early, and
/// that exception, if there was one.
pub(super) fn run_to_the_end<T: Send>(
    py: Python<'_>,
    watch: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(Watch) -> Result<T> + Send,
) -> (Result<T>, Option<PyErr>) {
    let mut work = Called::new(work);
    let raised = watched(py, watch, &mut work);
    (work.into_result().expect("the work was done"), raised)
}

/// Does work that has no watch, on a thread of its own without the interpreter's lock. Meanwhile the calling thread
/// looks for signals. If a signal raises an exception, as Ctrl-C does, the exception is returned at once. The other
/// thread goes on to the end of its work, and its result is dropped.
pub(super) fn unwatched<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> PyResult<T> {
    // If an exception is returned early, the other thread still has a place for its result, and nobody reads it.
    let found = Arc::new(Mutex::new(None));
    let theirs = Arc::clone(&found);
    let work = move || {
        let result = work();
        *theirs.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    };
    py.detach(|| left_alone(Box::new(work)))?;
    let result = found.lock().unwrap_or_else(PoisonError::into_inner).take();
    result.expect("the work was done").map_err(PyErr::from)
}

/// Does the work of [`unwatched`]. This function does not know the type of the result, so it is compiled once.
fn left_alone(work: Box<dyn FnOnce() + Send>) -> PyResult<()> {
    let (done, wait) = channel::<()>();
    let mine = Arc::new(Mutex::new(Some(work)));
    let theirs = Arc::clone(&mine);
    let do_it = |work: &Mutex<Option<Box<dyn FnOnce() + Send>>>| {
        let work = work.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(work) = work {
            work();
        }
    };
    let started = std::thread::Builder::new().spawn(move || {
        // `done` is dropped when the work is done or has panicked. That closes the channel, which ends the waiting
        // below.
        let _done = done;
        do_it(&theirs);
    });
    let Ok(thread) = started else {
        do_it(&mine);
        return Ok(());
    };
    while wait.recv_timeout(POLL) == Err(RecvTimeoutError::Timeout) {
        Python::attach(|py| poll(py, None, &Progress::default()))?;
    }
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    Ok(())
}

/// Does the work of [`run`], and returns the exception that was raised meanwhile. This function knows neither the type
/// of the work nor that of its result, so it is compiled once. `None` if no exception was raised.
fn watched(
    py: Python<'_>,
    watch: Option<&Bound<'_, PyAny>>,
    work: &mut dyn for<'a> SingleWork<Watch<'a>>,
) -> Option<PyErr> {
    let watch = watch.map(|watch| watch.clone().unbind());
    let stop = AtomicBool::new(false);
    let latest = Mutex::new(Progress::default());
    let flow = || if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let look = |progress: &Progress| {
        *latest.lock().unwrap_or_else(PoisonError::into_inner) = *progress;
        flow()
    };
    // Either the new thread does the work, or, if no thread could be started, the calling thread. The lock proves to
    // the compiler that only one of them does.
    let work = Mutex::new(work);
    let do_it = |look: Watch| work.lock().unwrap_or_else(PoisonError::into_inner).run(look);
    py.detach(|| {
        std::thread::scope(|scope| {
            let (done, wait) = channel();
            let (look, do_it) = (&look, &do_it);
            let worker = std::thread::Builder::new().spawn_scoped(scope, move || {
                do_it(look);
                // This cannot fail: the receiver lives until this thread is joined.
                let _ = done.send(());
            });
            let Ok(worker) = worker else {
                let polled = Mutex::new((Instant::now(), None));
                let look = |progress: &Progress| {
                    let mut polled = polled.lock().unwrap_or_else(PoisonError::into_inner);
                    if polled.1.is_none() && polled.0.elapsed() >= POLL {
                        match Python::attach(|py| poll(py, watch.as_ref(), progress)) {
                            Ok(halt) => stop.fetch_or(halt, Ordering::Relaxed),
                            Err(error) => {
                                polled.1 = Some(error);
                                stop.swap(true, Ordering::Relaxed)
                            }
                        };
                        polled.0 = Instant::now();
                    }
                    flow()
                };
                do_it(&look);
                let (_, raised) = polled.into_inner().unwrap_or_else(PoisonError::into_inner);
                return raised;
            };
            let mut raised = None;
            while raised.is_none() && wait.recv_timeout(POLL) == Err(RecvTimeoutError::Timeout) {
                let progress = *latest.lock().unwrap_or_else(PoisonError::into_inner);
                match Python::attach(|py| poll(py, watch.as_ref(), &progress)) {
                    Ok(halt) => stop.fetch_or(halt, Ordering::Relaxed),
                    Err(error) => {
                        raised = Some(error);
                        stop.swap(true, Ordering::Relaxed)
                    }
                };
            }
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            raised
        })
    })
}

/// Looks for signals and calls the watch. Returns `true` if the watch wants to stop.
fn poll(py: Python<'_>, watch: Option<&Py<PyAny>>, progress: &Progress) -> PyResult<bool> {
    py.check_signals()?;
    watch.map_or(Ok(false), |watch| watch.call1(py, (PyProgress::from(*progress),))?.is_truthy(py))
}
