//! Ends that are the same shape at several places of the board, tested all at once.
//!
//! Take three in a row on three rows of four cells, numbered from 0 to 11. The rows with three cells begin at the cells
//! 0, 1, 4, 5, 8 and 9, and each of them is the shape "a cell, the next one, and the one after that". The mask of the
//! cells with an `X`, shifted by one place, says for all cells at once whether the next cell holds an `X`. So three
//! masks, each shifted by one place more, tell all six ends: how many cells each lacks, and which.

use super::masks::MOST_CELLS;
use crate::sorting;

/// The number of shapes that are tested side by side, by vector instructions.
const ABREAST: usize = 4;

/// Ends that lack more cells than this count as if they lacked this number.
pub const MOST_LACKING: usize = 6;

/// A mask for each of the shapes that are tested side by side. A bit stands for the end that begins at its cell.
type Ends = [u64; ABREAST];

/// Ends of up to [`ABREAST`] shapes, all of the same number of cells.
#[derive(Debug)]
pub struct Shapes {
    /// The ends of each shape, by the first cell of each.
    all: Ends,
    /// For each cell of the shapes, how many places it is after the first cell.
    after: Box<[[u64; ABREAST]]>,
    /// For each cell of the board, the ends that demand it.
    through: Box<[Ends; MOST_CELLS]>,
}

/// A summary of some ends in a position: the cells that would complete one, and whether any of them is open.
#[derive(Debug, Clone, Copy)]
pub struct EndsSeen {
    /// The cells that are lacking in those open ends that lack one cell alone.
    pub last: u64,
    /// `true` if an end is open.
    pub open: bool,
}

/// The open ends of some shapes, by the number of cells that they lack.
#[derive(Debug)]
pub struct OpenEnds {
    lacking: [Ends; MOST_LACKING],
}

impl Shapes {
    /// Takes those ends from a list that shapes serve better than the list. A list tests `at_once` ends at a time.
    pub fn taken(list: &mut Vec<u64>, at_once: usize) -> Vec<Self> {
        // The shape of an end is its mask, moved so that its first cell is cell 0.
        let shape = |cells: u64| cells >> (cells.trailing_zeros() & 63);
        let mut known: Vec<(u64, u64)> = Vec::new();
        for &cells in &*list {
            let (shape, first) = (shape(cells), cells & cells.wrapping_neg());
            match known.iter_mut().find(|(known, _)| *known == shape) {
                Some((_, ends)) => *ends |= first,
                None => known.push((shape, first)),
            }
        }
        // Shapes of equally many cells come together, and of these, the shapes with most ends.
        sorting::sort_by_key(&mut known, |(shape, ends)| (shape.count_ones(), ends.count_zeros()));
        let alike = known.chunk_by(|(one, _), (other, _)| one.count_ones() == other.count_ones());
        let worth = |four: &&[(u64, u64)]| four.iter().map(|(_, ends)| ends.count_ones()).sum::<u32>() as usize;
        let made: Vec<Self> = alike
            .flat_map(|alike| alike.chunks(ABREAST))
            .filter(|four| worth(four) >= at_once && four[0].0 != 0)
            .map(Self::new)
            .collect();
        list.retain(|cells| !made.iter().any(|shapes| shapes.has(*cells)));
        made
    }

    /// Up to [`ABREAST`] shapes with the first cells of their ends. Lanes without a shape have no ends.
    fn new(shapes: &[(u64, u64)]) -> Self {
        let cells = shapes[0].0.count_ones() as usize;
        let mut made = Self {
            all: [0; ABREAST],
            after: vec![[0; ABREAST]; cells].into(),
            through: Box::new([[0; ABREAST]; MOST_CELLS]),
        };
        for (lane, &(shape, ends)) in shapes.iter().enumerate() {
            made.all[lane] = ends;
            let mut rest = shape;
            for after in &mut made.after {
                after[lane] = u64::from(rest.trailing_zeros());
                rest &= rest - 1;
                for first in (0..MOST_CELLS as u64).filter(|first| ends >> first & 1 == 1) {
                    made.through[(first + after[lane]) as usize][lane] |= 1 << first;
                }
            }
        }
        made
    }

    /// `true` if an end with these cells is one of these.
    pub fn has(&self, cells: u64) -> bool {
        let first = cells & cells.wrapping_neg();
        let is = |lane: usize| self.after.iter().map(|after| first << after[lane]).fold(0, |all, cell| all | cell);
        (0..ABREAST).any(|lane| self.all[lane] & first != 0 && is(lane) == cells)
    }

    /// Looks at the ends. The cells of `have` hold what the ends want of them, and those of `live` may come to hold it.
    #[inline(always)]
    pub fn seen(&self, have: u64, live: u64) -> EndsSeen {
        // The ends that lack no cell so far, those that are open and lack one, and those that are open.
        let (mut whole, mut single, mut open) = (self.all, [0; ABREAST], self.all);
        for after in &self.after {
            for lane in 0..ABREAST {
                let (have, live) = (have >> (after[lane] & 63), live >> (after[lane] & 63));
                single[lane] = single[lane] & have | whole[lane] & live & !have;
                whole[lane] &= have;
                open[lane] &= live;
            }
        }
        let mut last = [0; ABREAST];
        for after in &self.after {
            for lane in 0..ABREAST {
                last[lane] |= (single[lane] & !(have >> (after[lane] & 63))) << (after[lane] & 63);
            }
        }
        EndsSeen { last: union(last), open: union(open) != 0 }
    }

    /// `true` if all cells of an end are among the given ones.
    #[inline(always)]
    pub fn fit(&self, cells: u64) -> bool {
        let mut fit = self.all;
        for after in &self.after {
            for lane in 0..ABREAST {
                fit[lane] &= cells >> (after[lane] & 63);
            }
        }
        union(fit) != 0
    }

    /// The open ends, by the number of cells that they lack.
    #[inline(always)]
    pub fn open(&self, have: u64, live: u64) -> OpenEnds {
        // `lacking[n]` has the open ends that lack more than `n` cells so far.
        let (mut lacking, mut open) = ([[0; ABREAST]; MOST_LACKING], self.all);
        for after in &self.after {
            for lane in 0..ABREAST {
                let missing = !(have >> (after[lane] & 63));
                open[lane] &= live >> (after[lane] & 63);
                for number in (1..MOST_LACKING).rev() {
                    lacking[number][lane] |= lacking[number - 1][lane] & missing;
                }
                lacking[0][lane] |= missing;
            }
        }
        for number in 0..MOST_LACKING {
            for lane in 0..ABREAST {
                let more = if number + 1 < MOST_LACKING { lacking[number + 1][lane] } else { 0 };
                lacking[number][lane] &= open[lane] & !more;
            }
        }
        OpenEnds { lacking }
    }

    /// The sum of what the open ends that demand a cell are worth. `gains[n]` is the worth of an end that lacks `n + 1`
    /// cells.
    #[inline(always)]
    pub fn worth(&self, open: &OpenEnds, cell: usize, gains: &[i32; MOST_LACKING]) -> i32 {
        let ([a, b, c, d], mut worth) = (self.through[cell % MOST_CELLS], 0);
        for (ends, &gain) in open.lacking[..MOST_LACKING.min(self.after.len())].iter().zip(gains) {
            if gain != 0 {
                let count = (ends[0] & a).count_ones() + (ends[1] & b).count_ones();
                let others = (ends[2] & c).count_ones() + (ends[3] & d).count_ones();
                worth += gain * (count + others) as i32;
            }
        }
        worth
    }
}

#[inline(always)]
fn union(ends: Ends) -> u64 {
    ends[0] | ends[1] | ends[2] | ends[3]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Some shapes at random places, and ends that have no shape in common.
    fn random_ends(random: &mut Random) -> Vec<u64> {
        let mut ends = Vec::new();
        for _ in 0..random.below(8) {
            let shape = (0..=random.below(7)).fold(1u64, |shape, _| shape | 1 << random.below(14));
            let places = 1 + u64::from(shape.leading_zeros());
            ends.extend((0..places).filter(|_| random.below(3) > 0).map(|first| shape << first));
        }
        for _ in 0..random.below(9) {
            ends.push((0..=random.below(5)).fold(0, |cells, _| cells | 1 << random.below(64)));
        }
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    fn random_cells(random: &mut Random) -> u64 {
        (0..random.below(300)).fold(0, |cells, _| cells | 1 << random.below(64))
    }

    #[test]
    fn shapes_tell_what_each_of_their_ends_tells() {
        let mut random = Random::new("shapes");
        let (mut left, mut taken, mut near, mut closed) = (0, 0, 0, 0);
        for _ in 0..30 {
            let all = random_ends(&mut random);
            let mut list = all.clone();
            let made = Shapes::taken(&mut list, 16);
            (left, taken) = (left + list.len(), taken + made.len());
            let of = |shapes: &Shapes| all.iter().copied().filter(|end| shapes.has(*end)).collect::<Vec<_>>();
            let lists: Vec<Vec<u64>> = made.iter().map(of).collect();
            let mut again: Vec<u64> = lists.iter().flatten().chain(&list).copied().collect();
            again.sort_unstable();
            assert_eq!(again, all);
            for (shapes, ends) in made.iter().zip(&lists) {
                assert!(ends.len() >= 16);
                let live = random_cells(&mut random);
                let have = live & random_cells(&mut random);
                let open: Vec<u64> = ends.iter().copied().filter(|end| end & !live == 0).collect();
                let lacks = |end: u64| (end & !have).count_ones() as usize;
                let near_cells = open.iter().filter(|end| lacks(**end) == 1).fold(0, |last, end| last | end & !have);
                let seen = shapes.seen(have, live);
                assert_eq!((seen.last, seen.open), (near_cells, !open.is_empty()));
                assert_eq!(shapes.fit(have), ends.iter().any(|end| lacks(*end) == 0));
                let gains = [3, 0, 50, 700, 11_000, 130_000];
                let lists = shapes.open(have, live);
                for cell in 0..MOST_CELLS {
                    let through = open.iter().filter(|end| **end >> cell & 1 == 1 && lacks(**end) > 0);
                    let worth = through.map(|end| gains[(lacks(*end) - 1).min(MOST_LACKING - 1)]).sum::<i32>();
                    assert_eq!(shapes.worth(&lists, cell, &gains), worth);
                }
                (near, closed) = (near + u32::from(near_cells != 0), closed + u32::from(open.is_empty()));
            }
        }
        assert!(left > 30 && taken > 30 && near > 5 && closed > 0, "{left} {taken} {near} {closed}");
    }
}
