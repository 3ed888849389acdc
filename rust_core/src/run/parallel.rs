//! The one loop on all cores: work that is divided into ranges of numbers, and the few forms of it that the engine
//! needs.
//!
//! A parallel loop of rayon is compiled anew at each place where it is written and for each type of items, together
//! with all the code that hands work from thread to thread. Here this code is compiled once: the work is behind a
//! pointer, which is called for ranges of thousands of numbers, and only a few lines around it are generic. So no other
//! file of the crate calls a parallel iterator.
//!
//! All functions here run in the pool of the caller; see [`super::in_pool`]. The results are the same for every number
//! of threads.
//!
//! Take ten numbers, at most four at once. [`ranges`] calls its work with 0..4, 4..8 and 8..10, in any order and on any
//! thread. [`map`] does the same, and lists the three results in that order.

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::work::{Called, NumberedWork, SingleWork};

/// A list of at most this many items is sorted by one thread. Such a list fits the thread's cache.
const FEW: usize = 1 << 15;

/// A list is sorted in this many pieces for each thread. With one piece for each, threads with small pieces would wait.
const PIECES_A_THREAD: usize = 4;

/// If sorting may be stopped, a list is sorted in pieces of about this many items.
const SORTED_AT_ONCE: usize = 1 << 19;

/// The number of items of a list that are compared to find one that is about in the middle.
const SAMPLED: usize = 31;

thread_local! {
    /// `true` on a thread that is inside a call of [`alone`].
    static ALONE: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` on the calling thread alone: all loops of this file stay on it meanwhile. This is for work so small that
/// passing parts of it to other threads, or making a pool of threads, would take longer than the work.
pub fn alone<T>(work: impl FnOnce() -> T) -> T {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            ALONE.set(self.0);
        }
    }
    let _restore = Restore(ALONE.replace(true));
    work()
}

/// The number of threads that share the work of a loop. Outside a pool, these are the threads that all calls share; see
/// [`super::on_all_cores`].
pub fn threads() -> usize {
    if ALONE.get() { 1 } else { rayon::current_num_threads() }
}

/// The number of threads of the pool that the calling thread belongs to; 1 if it belongs to none.
pub fn pool_threads() -> usize {
    rayon::current_thread_index().map_or(1, |_| threads())
}

/// Calls `work` once on each thread of the pool, at the same time. This is for work that takes its parts one by one,
/// and keeps something from each part to the next.
pub fn on_each_thread(work: &(dyn Fn() + Sync)) {
    if threads() == 1 {
        work();
    } else {
        rayon::broadcast(|_| work());
    }
}

/// Calls `work` with each number below `count`, in any order.
pub fn each(count: usize, work: &(impl Fn(usize) + Sync)) {
    each_number(count, work);
}

fn each_number(count: usize, work: &dyn NumberedWork) {
    if ALONE.get() {
        return (0..count).for_each(|number| work.with(number));
    }
    (0..count).into_par_iter().for_each(|number| work.with(number));
}

/// Divides `0..len` into ranges of `at_once` numbers, and calls `work` with each range, in any order. The last range
/// may be shorter.
pub fn ranges(len: usize, at_once: usize, work: &(impl Fn(Range<usize>) + Sync)) {
    each(len.div_ceil(at_once), &|number| work(range_of(number, at_once, len)));
}

/// Returns `true` if `test` holds for all ranges, divided as in [`ranges`]. Once it fails for a range, the ranges that
/// are left may not be tested.
pub fn all(len: usize, at_once: usize, test: &(dyn Fn(Range<usize>) -> bool + Sync)) -> bool {
    let test = |number| test(range_of(number, at_once, len));
    let mut numbers = 0..len.div_ceil(at_once);
    if ALONE.get() { numbers.all(test) } else { numbers.into_par_iter().all(test) }
}

/// Calls `work` with each range, divided as in [`ranges`], and returns the results in the order of the ranges.
pub fn map<T: Send>(len: usize, at_once: usize, work: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    let count = len.div_ceil(at_once);
    let mut results: Vec<T> = Vec::with_capacity(count);
    each_mut(&mut results.spare_capacity_mut()[..count], |number, result| {
        result.write(work(range_of(number, at_once, len)));
    });
    // SAFETY: `each_mut` has called the closure for each of the `count` places, and each call has written a result.
    #[expect(unsafe_code, reason = "a list of results that may be missing would take more code at each call")]
    unsafe {
        results.set_len(count);
    }
    results
}

/// Calls `work` with ranges, divided as in [`ranges`], until there is a result. Returns the result for the first range,
/// in order, that has one. Later ranges may be left out. `None` if no range has a result.
pub fn find_first<T: Send>(len: usize, at_once: usize, work: impl Fn(Range<usize>) -> Option<T> + Sync) -> Option<T> {
    let (first, found) = (AtomicUsize::new(usize::MAX), Mutex::new(None));
    each(len.div_ceil(at_once), &|number| {
        if number > first.load(Ordering::Relaxed) {
            return;
        }
        if let Some(result) = work(range_of(number, at_once, len)) {
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            if number < first.load(Ordering::Relaxed) {
                first.store(number, Ordering::Relaxed);
                *found = Some(result);
            }
        }
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `work` with each item of a list and the number of the item, in any order and on any thread. `work` may change
/// the item, because no other thread has it at the same time.
pub fn each_mut<T: Send>(items: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
    let (count, first) = (items.len(), AtomicPtr::new(items.as_mut_ptr()));
    each(count, &|number| {
        // SAFETY: `each` passes each number below `count` once, so no two calls have the same item. They end before
        // `each` does, and until then `items` is borrowed.
        #[expect(unsafe_code, reason = "a lock for each item would take more code at each call")]
        let item = unsafe { &mut *first.load(Ordering::Relaxed).add(number) };
        work(number, item);
    });
}

/// Divides a list into chunks of `at_once` items, and calls `work` with each chunk and the number of its first item.
/// The last chunk may be shorter.
pub fn chunks_mut<T: Send>(items: &mut [T], at_once: usize, work: impl Fn(usize, &mut [T]) + Sync) {
    let mut chunks: Vec<&mut [T]> = items.chunks_mut(at_once).collect();
    each_mut(&mut chunks, |number, chunk| work(number * at_once, chunk));
}

/// Calls both functions, at the same time if there are several threads, and returns both results.
pub fn both<A: Send, B: Send>(first: impl FnOnce() -> A + Send, second: impl FnOnce() -> B + Send) -> (A, B) {
    let (mut first, mut second) = (Called::new(|()| first()), Called::new(|()| second()));
    join(&mut first, &mut second);
    (first.into_result().expect("the first was done"), second.into_result().expect("the second was done"))
}

fn join(first: &mut dyn SingleWork<()>, second: &mut dyn SingleWork<()>) {
    if ALONE.get() {
        first.run(());
        second.run(());
    } else {
        rayon::join(|| first.run(()), || second.run(()));
    }
}

/// Calls both functions, and returns both results: the first on the calling thread, and at the same time the second on
/// the threads of the pool. The first may wait for Python's lock. A thread that holds this lock may wait for the pool,
/// and so if a thread of the pool waited for the lock, neither would go on.
pub fn beside<A, B: Send>(first: impl FnOnce() -> A, second: impl FnOnce() -> B + Send) -> (A, B) {
    let mut second = Called::new(|()| second());
    let second_work: &mut dyn SingleWork<()> = &mut second;
    let first = if ALONE.get() {
        let first = first();
        second_work.run(());
        first
    } else {
        rayon::in_place_scope(|scope| {
            scope.spawn(|_| second_work.run(()));
            first()
        })
    };
    (first, second.into_result().expect("the second was done"))
}

/// Sorts items in place. Equal items must be interchangeable.
///
/// One thread chooses an item that is about in the middle, and moves all smaller ones to the front. Then two threads
/// sort the two parts. For example, 5 2 9 4 7 is divided at 5 into 2 4 and 9 5 7.
pub fn sort<T: Ord + Copy + Send>(items: &mut [T]) {
    sort_pieces(items, pieces(), &|| false);
}

/// Does the same as [`sort`], but asks `stops` every few milliseconds, and ends when it returns `true`. Then the result
/// is `false`, and the items may not be sorted.
pub fn sort_unless<T: Ord + Copy + Send>(items: &mut [T], stops: &(dyn Fn() -> bool + Sync)) -> bool {
    sort_pieces(items, pieces().max(items.len() / SORTED_AT_ONCE), stops);
    !stops()
}

fn pieces() -> usize {
    match threads() {
        1 => 1,
        threads => threads * PIECES_A_THREAD,
    }
}

fn sort_pieces<T: Ord + Copy + Send>(items: &mut [T], pieces: usize, stops: &(dyn Fn() -> bool + Sync)) {
    if stops() {
        return;
    }
    if pieces <= 1 || items.len() <= FEW {
        items.sort_unstable();
        return;
    }
    let (less, rest) = divide(items);
    both(|| sort_pieces(less, pieces / 2, stops), || sort_pieces(rest, pieces - pieces / 2, stops));
}

/// Chooses an item that is about in the middle, and moves all smaller items to the front. Returns two slices: the
/// smaller items, and all other items.
fn divide<T: Ord + Copy>(items: &mut [T]) -> (&mut [T], &mut [T]) {
    let mut sample: [T; SAMPLED] = std::array::from_fn(|at| items[at * items.len() / SAMPLED]);
    sample.sort_unstable();
    let (middle, mut less) = (sample[SAMPLED / 2], 0);
    for at in 0..items.len() {
        if items[at] < middle {
            items.swap(at, less);
            less += 1;
        }
    }
    items.split_at_mut(less)
}

fn range_of(number: usize, at_once: usize, len: usize) -> Range<usize> {
    let first = number * at_once;
    first..first + at_once.min(len - first)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::random::Random;
    use crate::run::{Options, in_pool};

    /// Does the same work on one thread, on three, on seven, and on the calling thread alone.
    fn on_threads(work: impl Fn() + Send + Sync) {
        for threads in [1, 3, 7] {
            in_pool(&Options { threads, ..Options::default() }, &work).unwrap();
        }
        alone(&work);
        assert!(!ALONE.get());
    }

    #[test]
    fn ranges_together_are_all_numbers_in_order() {
        on_threads(|| {
            for (len, at_once) in [(0, 4), (1, 4), (4, 4), (10, 4), (1000, 1), (1000, 7), (3, usize::MAX)] {
                let numbers: Vec<usize> = map(len, at_once, Vec::from_iter).concat();
                assert_eq!(numbers, (0..len).collect::<Vec<_>>(), "{len} by {at_once}");
                let sum = AtomicUsize::new(0);
                ranges(len, at_once, &|range| {
                    sum.fetch_add(range.sum(), Ordering::Relaxed);
                });
                assert_eq!(sum.into_inner(), (0..len).sum::<usize>());
            }
        });
    }

    #[test]
    fn a_test_of_all_ranges_fails_if_one_fails() {
        on_threads(|| {
            for wrong in [0, 3, 999, 1000] {
                assert_eq!(all(1000, 7, &|range| !range.contains(&wrong)), wrong == 1000);
            }
            assert!(all(0, 7, &|_| false));
        });
    }

    #[test]
    fn the_first_of_several_is_found() {
        on_threads(|| {
            for first in [0, 12, 400, 999] {
                let found = find_first(1000, 7, |mut range| range.find(|&number| number >= first));
                assert_eq!(found, Some(first));
            }
            assert_eq!(find_first(1000, 7, |mut range| range.find(|_| false)), None);
        });
    }

    #[test]
    fn items_and_chunks_are_changed_once_each() {
        on_threads(|| {
            let mut items = vec![1; 1000];
            each_mut(&mut items, |number, item| *item += number);
            chunks_mut(&mut items, 7, |first, chunk| chunk.iter_mut().for_each(|item| *item += first % 7));
            assert_eq!(items, (1..=1000).collect::<Vec<_>>());
        });
    }

    #[test]
    fn two_things_are_done() {
        on_threads(|| {
            let text = "both".to_owned();
            assert_eq!(both(|| &text[..2], || text.len()), ("bo", 4));
            let own = std::thread::current().id();
            let sum = || map(100, 7, Iterator::sum::<usize>).iter().sum::<usize>();
            assert_eq!(beside(|| std::thread::current().id(), sum), (own, 4950));
        });
    }

    #[test]
    fn each_thread_is_called_once() {
        on_threads(|| {
            let called = Mutex::new(Vec::new());
            on_each_thread(&|| called.lock().unwrap().push(std::thread::current().id()));
            let called = called.into_inner().unwrap();
            assert_eq!(called.len(), threads());
            assert_eq!(called.iter().collect::<HashSet<_>>().len(), threads());
        });
        let counted = |threads| in_pool(&Options { threads, ..Options::default() }, pool_threads);
        assert_eq!([1, 3].map(counted), [Ok(1), Ok(3)]);
        assert_eq!((pool_threads(), alone(threads)), (1, 1));
    }

    #[test]
    fn items_come_out_in_order() {
        let mut random = Random::new("parallel");
        let numbers: Vec<u64> = std::iter::repeat_with(|| random.next_u64()).take(5 * FEW).collect();
        let lists = [numbers.clone(), numbers.iter().map(|number| number % 3).collect(), vec![7; 3 * FEW], Vec::new()];
        for list in lists {
            let mut expected = list.clone();
            expected.sort_unstable();
            on_threads(|| {
                let mut sorted = list.clone();
                sort(&mut sorted);
                assert_eq!(sorted, expected);
                let mut sorted = list.clone();
                assert!(sort_unless(&mut sorted, &|| false));
                assert_eq!(sorted, expected);
                assert!(!sort_unless(&mut list.clone(), &|| true));
            });
        }
    }
}
