//! Sorting of short lists, and of lists that are sorted only once, by code that is compiled once for all types.
//!
//! The standard library compiles its sort anew for each type of items and each comparison, about seven kilobytes each
//! time. Here the *places* of the items are sorted, by a comparison behind a pointer, and this code is compiled once.
//! Then each item is moved to its place. Long lists of words and numbers are sorted by the standard library instead.
//!
//! Take four items, `d b c a`. Their places in order are 3, 1, 2 and 0. So `a`, from place 3, comes first, `b` and `c`
//! stay, and `d` comes last.

use std::cmp::Ordering;

/// A list of at most this many items is sorted without a list of places.
const FEW: usize = 8;

/// Puts items in order. Equal items keep their order.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// Puts items in the order of their keys. Items with equal keys keep their order.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// Puts items in the order that a comparison gives. Equal items keep their order.
pub fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    if items.len() > FEW {
        let order = places(items.len(), &|a, b| compare(&items[a], &items[b]));
        return arrange(items, order);
    }
    for next in 1..items.len() {
        let mut at = next;
        while at > 0 && compare(&items[at], &items[at - 1]).is_lt() {
            items.swap(at, at - 1);
            at -= 1;
        }
    }
}

/// Collects items into an ordered set or map.
pub trait Gather: Iterator + Sized {
    /// Collects the items into a set or map, with the same result as `collect`, but adds them one at a time. `collect`
    /// would sort them first, by code that is compiled anew for each type of items.
    fn gather<C: Default + Extend<Self::Item>>(self) -> C {
        let mut gathered = C::default();
        gathered.extend(self);
        gathered
    }
}

impl<I: Iterator> Gather for I {}

/// The numbers from 0 to `len - 1`, sorted by a comparison of the items at these places.
fn places(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|&a, &b| compare(a, b));
    order
}

/// Moves the item at place `order[at]` to the place `at`, for each `at`.
fn arrange<T>(items: &mut [T], mut order: Vec<usize>) {
    for first in 0..order.len() {
        // Items whose places form a cycle each move one step along the cycle.
        let mut at = first;
        loop {
            let from = std::mem::replace(&mut order[at], at);
            if from == first {
                break;
            }
            items.swap(at, from);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn items_come_in_order_and_equal_ones_keep_theirs() {
        let mut random = Random::new("sorting");
        for len in 0..200 {
            let items: Vec<(u64, usize)> = (0..len).map(|number| (random.below(1 + len as u64 / 2), number)).collect();
            let (mut sorted, mut reversed) = (items.clone(), items.clone());
            sort_by_key(&mut sorted, |&(key, _)| key);
            sort_by_key(&mut reversed, |&(key, _)| std::cmp::Reverse(key));
            let mut expected = items.clone();
            expected.sort_unstable();
            assert_eq!(sorted, expected);
            expected.sort_by_key(|&(key, _)| std::cmp::Reverse(key));
            assert_eq!(reversed, expected);
            let mut mixed: Vec<(u64, usize)> = reversed;
            sort(&mut mixed);
            expected.sort_unstable();
            assert_eq!(mixed, expected);
        }
    }
}
