//! Ordered sets and maps of few items.
//!
//! The sets and maps of the standard library are trees, for which some five kilobytes of code are compiled for each
//! type of items. The engine keeps sets of dozens of types for the rules of a puzzle. Here, the items are a list in
//! order: when an item is added, all later items are moved by one place. That is quick up to thousands of items. For
//! larger sets, the engine uses the trees of the standard library.

use std::borrow::Borrow;
use std::ops::{Deref, Index};

/// A set of few items, in order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OrderedSet<T>(Vec<T>);

/// A map of few keys, in order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OrderedMap<K, V>(Vec<(K, V)>);

impl<T> Default for OrderedSet<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K, V> Default for OrderedMap<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Ord> OrderedSet<T> {
    /// A set without items.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an item. Returns `false` if the set has it already.
    pub fn insert(&mut self, item: T) -> bool {
        let place = self.0.binary_search(&item);
        if let Err(place) = place {
            self.0.insert(place, item);
        }
        place.is_err()
    }

    /// Returns `true` if the set has an item.
    pub fn contains<Q: Ord + ?Sized>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.binary_search_by(|own| own.borrow().cmp(item)).is_ok()
    }

    /// Takes an item away. Returns `false` if the set lacks it.
    pub fn remove(&mut self, item: &T) -> bool {
        let place = self.0.binary_search(item);
        if let Ok(place) = place {
            self.0.remove(place);
        }
        place.is_ok()
    }

    /// Takes the first item away, and returns it. `None` if the set is empty.
    pub fn pop_first(&mut self) -> Option<T> {
        (!self.0.is_empty()).then(|| self.0.remove(0))
    }

    /// Returns `true` if all items are in another set.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.0.iter().all(|item| other.contains(item))
    }
}

/// The items, in order.
impl<T> Deref for OrderedSet<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Ord> Extend<T> for OrderedSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        items.into_iter().for_each(|item| {
            self.insert(item);
        });
    }
}

impl<T: Ord> FromIterator<T> for OrderedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut set = Self::default();
        set.extend(items);
        set
    }
}

impl<T> IntoIterator for OrderedSet<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a OrderedSet<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<K: Ord, V> OrderedMap<K, V> {
    /// A map without keys.
    pub fn new() -> Self {
        Self::default()
    }

    fn place<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.0.binary_search_by(|(own, _)| own.borrow().cmp(key))
    }

    /// Gives a key a value. Returns the value that it had before. `None` if the key is new.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.place(&key) {
            Ok(place) => Some(std::mem::replace(&mut self.0[place].1, value)),
            Err(place) => {
                self.0.insert(place, (key, value));
                None
            }
        }
    }

    /// The value of a key. If the key is new, it gets the value that `made` returns.
    pub fn value_or(&mut self, key: K, made: impl FnOnce() -> V) -> &mut V {
        let place = match self.place(&key) {
            Ok(place) => place,
            Err(place) => {
                self.0.insert(place, (key, made()));
                place
            }
        };
        &mut self.0[place].1
    }

    /// The value of a key; `None` if the map does not have the key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.place(key).ok().map(|place| &self.0[place].1)
    }

    /// The value of a key, to be changed; `None` if the map does not have the key.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.place(key).ok().map(|place| &mut self.0[place].1)
    }
}

impl<K, V> OrderedMap<K, V> {
    /// The number of keys.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Drops the keys for which `keeps` returns `false`.
    pub fn retain(&mut self, keeps: impl Fn(&K, &V) -> bool) {
        self.0.retain(|(key, value)| keeps(key, value));
    }

    /// The keys with their values, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&K, &V)> + DoubleEndedIterator + Clone {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// The keys, in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &K> + DoubleEndedIterator + Clone {
        self.0.iter().map(|(key, _)| key)
    }

    /// The values, in the order of their keys.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &V> + DoubleEndedIterator + Clone {
        self.0.iter().map(|(_, value)| value)
    }

    /// The values, to be changed.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.0.iter_mut().map(|(_, value)| value)
    }

    /// The values, in the order of their keys.
    pub fn into_values(self) -> impl ExactSizeIterator<Item = V> + DoubleEndedIterator {
        self.0.into_iter().map(|(_, value)| value)
    }
}

impl<K: Ord, V> Index<&K> for OrderedMap<K, V> {
    type Output = V;

    fn index(&self, key: &K) -> &V {
        self.get(key).expect("the map has the key")
    }
}

impl<K: Ord, V> Extend<(K, V)> for OrderedMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, items: I) {
        items.into_iter().for_each(|(key, value)| {
            self.insert(key, value);
        });
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for OrderedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(items: I) -> Self {
        let mut map = Self::default();
        map.extend(items);
        map
    }
}

impl<K, V> IntoIterator for OrderedMap<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn they_do_what_the_trees_of_the_standard_library_do(
            steps in prop::collection::vec((any::<bool>(), 0..20u8, any::<u8>()), 0..60),
        ) {
            let (mut set, mut tree) = (OrderedSet::new(), BTreeSet::new());
            let (mut map, mut tree_map) = (OrderedMap::new(), BTreeMap::new());
            for (adds, key, value) in steps {
                if adds {
                    prop_assert_eq!(set.insert(key), tree.insert(key));
                    prop_assert_eq!(map.insert(key, value), tree_map.insert(key, value));
                } else {
                    prop_assert_eq!(set.remove(&key), tree.remove(&key));
                    let (own, other) = (map.value_or(value, || key), tree_map.entry(value).or_insert(key));
                    prop_assert_eq!(&own, &other);
                    (*own, *other) = (key, key);
                }
                prop_assert_eq!(set.contains(&value), tree.contains(&value));
                prop_assert_eq!(map.get(&value), tree_map.get(&value));
                prop_assert!(set.iter().eq(&tree) && map.iter().eq(&tree_map));
                prop_assert!(map.values().eq(tree_map.values()) && map.keys().eq(tree_map.keys()));
            }
            prop_assert_eq!((set.len(), map.len()), (tree.len(), tree_map.len()));
            prop_assert!(set.is_subset(&(0..20).collect()) && (set.is_empty() || !set.is_subset(&OrderedSet::new())));
        }
    }
}
