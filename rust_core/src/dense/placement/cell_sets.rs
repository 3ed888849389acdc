//! Sets of cells under symmetries, and sets of cells that contain a whole line.

use std::collections::HashMap;

use crate::index::{BitMap, Cells, subsets};
use crate::rules::Symmetry;

/// A group of symmetries, as permutations of cells, with the images of sets of cells. The identity comes first.
#[derive(Debug)]
pub(in crate::dense) struct SetImages {
    /// For each element, the cell to which it carries each cell.
    pub elements: Vec<Vec<u8>>,
    maps: Vec<BitMap>,
    /// For each element, the place of its inverse.
    inverses: Vec<usize>,
    /// For each pair of elements, the place of their product.
    products: Vec<usize>,
}

impl SetImages {
    /// The images under the given symmetries, which must be a group.
    pub fn new(symmetries: &[Symmetry]) -> Self {
        let elements: Vec<Vec<u8>> =
            symmetries.iter().map(|symmetry| symmetry.cells.iter().map(|&cell| cell as u8).collect()).collect();
        let maps = elements.iter().map(|cells| BitMap::new(cells.iter().map(|&cell| Some(cell)))).collect();
        let undoes = |one: &[u8], other: &[u8]| (0..one.len()).all(|cell| other[one[cell] as usize] as usize == cell);
        let inverse =
            |one: &Vec<u8>| elements.iter().position(|other| undoes(one, other)).expect("a group has inverses");
        let inverses = elements.iter().map(inverse).collect();
        let places: HashMap<&[u8], usize> = elements.iter().enumerate().map(|(at, cells)| (&cells[..], at)).collect();
        let products = elements
            .iter()
            .flat_map(|one| {
                elements.iter().map(|other| one.iter().map(|&cell| other[cell as usize]).collect::<Vec<u8>>())
            })
            .map(|product| places[&product[..]])
            .collect();
        Self { elements, maps, inverses, products }
    }

    /// The smallest image of a set under the group, and the number of a symmetry that carries this image back to the
    /// set.
    pub fn smallest(&self, set: Cells) -> (Cells, usize) {
        let images = self.maps.iter().map(|map| map.apply(set)).enumerate();
        let (element, image) = images.min_by_key(|&(_, image)| image).expect("a group has an identity");
        (image, self.inverses[element])
    }

    /// The smallest image of a set under the group, and the number of the first symmetry that carries the set to it.
    #[inline(always)]
    pub fn to_smallest(&self, set: Cells) -> (Cells, usize) {
        let mut found = (set, 0);
        for (element, map) in self.maps.iter().enumerate().skip(1) {
            let image = map.apply(set);
            if image < found.0 {
                found = (image, element);
            }
        }
        found
    }

    /// The number of the product of two symmetries, given by their numbers: `one` first, and then `other`.
    pub fn then(&self, one: usize, other: usize) -> usize {
        self.products[one * self.elements.len() + other]
    }

    /// Returns `true` if a set is the smallest of its images.
    fn is_smallest(&self, set: Cells) -> bool {
        self.maps[1..].iter().all(|map| map.apply(set) >= set)
    }

    /// The elements that carry a set onto itself, the identity first.
    pub fn stabiliser(&self, set: Cells) -> impl Iterator<Item = usize> + '_ {
        self.maps.iter().enumerate().filter(move |(_, map)| map.apply(set) == set).map(|(element, _)| element)
    }

    /// All sets of `size` out of `cells` cells that are the smallest of their images, in ascending order.
    pub fn canonical(&self, cells: usize, size: usize) -> Vec<Cells> {
        let mut sets = subsets(cells, size);
        sets.retain(|&set| self.is_smallest(set));
        sets.shrink_to_fit();
        sets
    }
}

/// A table with a bit for each set of cells, set if the set contains a whole line.
#[derive(Debug)]
pub(super) struct LineSets {
    bits: Vec<u64>,
    /// The number of cells of the shortest line. A smaller set contains no line.
    pub shortest: u32,
}

impl LineSets {
    /// The table for a board of `cells` cells: the sets of cells that contain one of the lines.
    pub fn new(cells: usize, lines: &[Cells]) -> Self {
        let mut by_lowest = vec![Vec::new(); cells];
        for &line in lines {
            by_lowest[line.trailing_zeros() as usize].push(line);
        }
        let mut bits = vec![0u64; (1usize << cells).div_ceil(64)];
        for set in 1..1u64 << cells {
            // A line that the set contains either has the set's lowest cell, or lies in the rest of the set.
            let rest = set & (set - 1);
            let lines = &by_lowest[set.trailing_zeros() as usize];
            let holds = bits[(rest >> 6) as usize] >> (rest & 63) & 1 != 0
                || lines.iter().any(|line| line & !(set as Cells) == 0);
            bits[(set >> 6) as usize] |= u64::from(holds) << (set & 63);
        }
        Self { bits, shortest: lines.iter().map(|line| line.count_ones()).min().unwrap_or(u32::MAX) }
    }

    /// Returns `true` if a set contains a line.
    #[inline(always)]
    pub fn hold(&self, set: Cells) -> bool {
        self.bits[(set >> 6) as usize] >> (set & 63) & 1 != 0
    }
}

/// For each size, the number of orbits of the sets of that size. By Burnside's lemma, this is the average, over the
/// elements of the group, of the number of such sets that an element fixes.
pub(super) fn classes(symmetries: &[Symmetry], cells: usize) -> Vec<u64> {
    let mut sums = vec![0u64; cells + 1];
    for symmetry in symmetries {
        // A symmetry fixes a set if the set is a union of whole cycles. The cycles are added one by one. A set of
        // `size` cells either lacks the new cycle, or is the new cycle with a smaller set of earlier cycles.
        let (mut counts, mut seen) = (vec![0u64; cells + 1], vec![false; cells]);
        counts[0] = 1;
        for cell in 0..cells {
            let (mut length, mut at) = (0, cell);
            while !std::mem::replace(&mut seen[at], true) {
                length += 1;
                at = symmetry.cells[at];
            }
            for size in (length..=cells).rev().filter(|_| length > 0) {
                counts[size] += counts[size - length];
            }
        }
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    sums.iter().map(|sum| sum / symmetries.len() as u64).collect()
}
