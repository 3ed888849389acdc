//! The threads of a run.
//!
//! rayon divides work among threads, and its calls need a pool of threads. [`in_pool`] and [`on_all_cores`] provide
//! one, so that no call uses the pool that rayon would otherwise start. A pool of one thread starts no thread: the
//! calling thread does the work. It also does the work on a system that has no threads, such as a page in a browser;
//! see `docs/adr/0017-other-targets.md`.

use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use rayon::{ThreadBuilder, ThreadPoolBuildError, ThreadPoolBuilder};

use super::report::Options;
use super::work::{Called, SingleWork};
use crate::error::{Error, Result};

/// `true` if threads can be started at all. WebAssembly without atomic instructions has no threads, and some of its
/// systems report this with the same error as a lack of memory.
const HAS_THREADS: bool = !cfg!(all(target_family = "wasm", not(target_feature = "atomics")));

/// Runs some work on the number of threads in the options. If that is one, or the system has no threads, the calling
/// thread does the work.
///
/// # Errors
///
/// [`Error::Options`] if the threads cannot be started.
pub fn in_pool<T: Send>(options: &Options, work: impl FnOnce() -> T + Send) -> Result<T> {
    let threads = if HAS_THREADS { options.threads } else { 1 };
    result_of(work, |work| in_threads(threads, &mut start, work))
}

/// Runs some work on a thread for each core. All calls share these threads. If the system has no threads, the calling
/// thread does the work.
///
/// # Errors
///
/// [`Error::Options`] if the work cannot be run.
pub fn on_all_cores<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T> {
    // The first call of rayon that needs the shared threads starts them. If the system has none, rayon does without.
    if HAS_THREADS { Ok(work()) } else { result_of(work, |work| on_this_thread(work)) }
}

/// Some work that must be done. Its type is hidden, so that the code that starts and joins threads is compiled only
/// once.
type Work<'a> = &'a mut dyn SingleWork<()>;

/// Passes `work` to `run`, which must do it, and returns the result of `work`.
fn result_of<T: Send>(work: impl FnOnce() -> T + Send, run: impl FnOnce(Work) -> Result<()>) -> Result<T> {
    let mut work = Called::new(|()| work());
    run(&mut work)?;
    Ok(work.into_result().expect("the work was done"))
}

fn start(thread: ThreadBuilder) -> std::io::Result<()> {
    std::thread::Builder::new().spawn(|| thread.run()).map(drop)
}

/// Runs some work in a pool of `threads` threads. `start` is called to start each thread.
fn in_threads(threads: usize, start: &mut dyn FnMut(ThreadBuilder) -> std::io::Result<()>, work: Work) -> Result<()> {
    if threads == 1 {
        return on_this_thread(work);
    }
    let mut has_threads = true;
    let start = |thread| start(thread).inspect_err(|error| has_threads = error.kind() != ErrorKind::Unsupported);
    match ThreadPoolBuilder::new().num_threads(threads).spawn_handler(start).build() {
        Ok(pool) => {
            pool.install(|| work.run(()));
            Ok(())
        }
        Err(_) if !has_threads => on_this_thread(work),
        Err(error) => Err(cannot_start(threads, &error)),
    }
}

fn cannot_start(threads: usize, error: &ThreadPoolBuildError) -> Error {
    let threads = if threads == 0 { "a thread for each core".to_owned() } else { format!("{threads} threads") };
    Error::Options(format!("cannot start {threads}: {error}; ask for 1 thread, which starts none"))
}

/// Runs some work on the calling thread alone, including all parts that the work gives to rayon.
///
/// To make a pool, rayon asks the caller to start threads, and gives it the main function of each. Here no thread is
/// started: the calling thread runs the main function itself. That function takes jobs until the pool is dropped and no
/// job is left. The work is the only job, and the pool is dropped before the work begins. Afterwards, nothing is left
/// of the pool, and the thread belongs to no pool again. (A pool that is made with `use_current_thread` keeps the
/// thread for ever.)
fn on_this_thread(work: Work) -> Result<()> {
    // A thread can belong to one pool only, so first it is found out whether the calling thread belongs to a pool
    // already.
    if rayon::current_thread_index().is_some() {
        if rayon::current_num_threads() == 1 {
            work.run(());
            return Ok(());
        }
        // The caller runs in a pool of several threads, but asked for one thread. So it gets a new pool with one
        // thread.
        let pool = ThreadPoolBuilder::new().num_threads(1).build().map_err(|error| cannot_start(1, &error))?;
        pool.install(|| work.run(()));
        return Ok(());
    }
    let mut own = None;
    let keep = |thread| {
        own = Some(thread);
        Ok(())
    };
    let pool = ThreadPoolBuilder::new().num_threads(1).spawn_handler(keep).build();
    let pool = pool.map_err(|error| cannot_start(1, &error))?;
    let own = own.expect("a pool of one thread starts one");
    let mut done = None;
    let job: Box<dyn FnOnce() + Send + '_> = Box::new(|| done = Some(catch_unwind(AssertUnwindSafe(|| work.run(())))));
    // SAFETY: the job is run or dropped before `own.run()` returns, and before that this function neither returns nor
    // unwinds. So the data that the job borrows outlives it.
    #[expect(unsafe_code, reason = "rayon has no call that leaves a job to the pool without waiting for it")]
    let job = unsafe { std::mem::transmute::<Box<dyn FnOnce() + Send + '_>, Box<dyn FnOnce() + Send + 'static>>(job) };
    pool.spawn(job);
    drop(pool);
    own.run();
    done.expect("a pool ends when its jobs are done").or_else(|panic| resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread::{ThreadId, current};

    use rayon::prelude::*;

    use super::*;

    /// Calls [`super::in_threads`] with work that has a result.
    fn in_threads<T: Send>(
        threads: usize,
        mut start: impl FnMut(ThreadBuilder) -> std::io::Result<()>,
        work: impl FnOnce() -> T + Send,
    ) -> Result<T> {
        result_of(work, |work| super::in_threads(threads, &mut start, work))
    }

    /// Calls [`super::on_this_thread`] with work that has a result.
    fn on_this_thread<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T> {
        result_of(work, super::on_this_thread)
    }

    /// Sums up some numbers in parallel. Returns the threads that took part, and the sum.
    fn threads_and_sum() -> (Vec<ThreadId>, u64) {
        let numbers: Vec<u64> = (0..10_000).collect();
        let mut threads: Vec<ThreadId> = numbers.par_chunks(10).map(|_| current().id()).collect();
        threads.dedup();
        (threads, numbers.par_iter().sum())
    }

    /// Starts no thread, and returns an error of the given kind.
    fn refused(kind: ErrorKind) -> impl FnMut(ThreadBuilder) -> std::io::Result<()> {
        move |_| Err(kind.into())
    }

    fn none_is_started(_: ThreadBuilder) -> std::io::Result<()> {
        panic!("a thread is started")
    }

    #[test]
    fn one_thread_is_the_calling_one_and_it_is_free_afterwards() {
        for _ in 0..3 {
            let own = (vec![current().id()], 49_995_000);
            assert_eq!(in_threads(1, none_is_started, threads_and_sum), Ok(own));
            assert_eq!(rayon::current_thread_index(), None);
        }
        // The work may change borrowed data, and its result may borrow.
        let (mut count, text) = (0, "text".to_owned());
        let found = on_this_thread(|| {
            count += 1;
            &text[1..]
        });
        assert_eq!((found, count), (Ok("ext"), 1));
    }

    #[test]
    fn without_threads_the_calling_one_does_the_work() {
        let own = (vec![current().id()], 49_995_000);
        for threads in [0, 2, 7] {
            assert_eq!(in_threads(threads, refused(ErrorKind::Unsupported), threads_and_sum), Ok(own.clone()));
        }
        // Only one error makes the calling thread do the work: the error which says that the system has no threads. Any
        // other error is returned.
        let Err(Error::Options(text)) = in_threads(2, refused(ErrorKind::WouldBlock), threads_and_sum) else {
            panic!()
        };
        assert!(
            text.starts_with("cannot start 2 threads: ") && text.ends_with("; ask for 1 thread, which starts none")
        );
    }

    #[test]
    fn some_threads_are_started_before_one_is_refused() {
        let (mut started, own) = (0, vec![current().id()]);
        let second_is_refused = |thread| {
            started += 1;
            if started == 2 { Err(ErrorKind::Unsupported.into()) } else { start(thread) }
        };
        assert_eq!(in_threads(4, second_is_refused, threads_and_sum), Ok((own, 49_995_000)));
        assert_eq!(started, 2);
    }

    #[test]
    fn pools_can_be_nested() {
        // A call from a pool of one thread uses that same thread.
        let own = current().id();
        let inner = || on_this_thread(|| on_this_thread(threads_and_sum));
        assert_eq!(in_threads(1, none_is_started, inner), Ok(Ok(Ok((vec![own], 49_995_000)))));
        // Within a pool of several threads, a pool of one has one thread; and within a pool of one, a pool of several
        // has several.
        let inner = || in_threads(1, none_is_started, || (rayon::current_num_threads(), threads_and_sum().0.len()));
        assert_eq!(in_threads(3, start, inner), Ok(Ok((1, 1))));
        let inner = || in_threads(3, start, || (rayon::current_num_threads(), threads_and_sum().1));
        assert_eq!(on_this_thread(inner), Ok(Ok((3, 49_995_000))));
        assert_eq!(rayon::current_thread_index(), None);
    }

    #[test]
    fn a_panic_goes_on_in_the_caller_and_leaves_the_thread_free() {
        let panic =
            catch_unwind(|| on_this_thread(|| (0..100).into_par_iter().for_each(|at| assert!(at != 70, "at 70"))));
        assert_eq!(panic.unwrap_err().downcast_ref::<&str>(), Some(&"at 70"));
        assert_eq!(rayon::current_thread_index(), None);
        assert_eq!(on_this_thread(|| 5), Ok(5));
    }

    #[test]
    fn many_threads_at_a_time_each_do_their_own_work() {
        let wrong = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let own = (vec![current().id()], 49_995_000);
                    let found = in_threads(1, none_is_started, threads_and_sum);
                    wrong.fetch_add(usize::from(found != Ok(own)), Ordering::Relaxed);
                });
            }
        });
        assert_eq!(wrong.into_inner(), 0);
    }
}
