//! The states of one depth, laid out partition by partition.

use rayon::prelude::*;

use super::partition::partition_of;
use crate::compile::Word;

/// The states of one depth, all in one array, those of one partition together.
#[derive(Debug, Clone)]
pub struct Layer<W> {
    /// The states.
    pub words: Vec<W>,
    /// Where each partition begins, and after them the end; their number is a power of two.
    starts: Vec<usize>,
}

impl<W: Word> Layer<W> {
    /// A layer of the lists of each partition.
    pub fn new(lists: &[&[W]]) -> Self {
        let mut starts = vec![0];
        for list in lists {
            starts.push(starts[starts.len() - 1] + list.len());
        }
        let mut words = vec![W::ZERO; starts[lists.len()]];
        let mut rest = &mut words[..];
        let mut places = Vec::with_capacity(lists.len());
        for list in lists {
            let (place, after) = rest.split_at_mut(list.len());
            places.push(place);
            rest = after;
        }
        places.into_par_iter().zip(lists).for_each(|(place, list)| place.copy_from_slice(list));
        Self { words, starts }
    }

    /// A layer of states that are in no order of partitions.
    pub fn of(words: Vec<W>) -> Self {
        Self { starts: vec![0, words.len()], words }
    }

    /// A layer without states.
    pub fn empty() -> Self {
        Self { words: Vec::new(), starts: vec![0, 0] }
    }

    /// The states of a partition where there are `1 << bits` of them, however many this layer was made with.
    pub fn members(&self, partition: usize, bits: u32) -> impl Iterator<Item = W> + '_ {
        let own = (self.starts.len() - 1).trailing_zeros();
        let range = if bits >= own {
            let at = partition >> (bits - own);
            self.starts[at]..self.starts[at + 1]
        } else {
            let wide = own - bits;
            self.starts[partition << wide]..self.starts[(partition + 1) << wide]
        };
        self.words[range].iter().copied().filter(move |&word| bits <= own || partition_of(word, bits) == partition)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_for_any_number_of_partitions() {
        let words: Vec<u64> = (0..1000).collect();
        let lists: Vec<Vec<u64>> =
            (0..8).map(|p| words.iter().copied().filter(|&word| partition_of(word, 3) == p).collect()).collect();
        let layer = Layer::new(&lists.iter().map(|list| &list[..]).collect::<Vec<_>>());
        assert_eq!(layer.words.len(), 1000);
        for bits in 0..6 {
            for partition in 0..1 << bits {
                let mut members: Vec<u64> = layer.members(partition, bits).collect();
                members.sort_unstable();
                let expected: Vec<u64> =
                    words.iter().copied().filter(|&word| partition_of(word, bits) == partition).collect();
                assert_eq!(members, expected);
            }
        }
    }
}
