//! The image of a state under a symmetry that only carries cells, made by masks and shifts.
//!
//! For example, a board of two rows and three columns is turned over from left to right. The cells of the first column
//! move by two cells, those of the last column by two in the other direction, and those between stay: three distances.
//! So three masks cut the state into columns, each is shifted by its distance, and together they are the image.

use super::layout::Layout;
use super::prefixes::LANES;
use super::word::{Slot, Word};
use crate::rules::Symmetry;

/// The cells of a state by the distance over which a symmetry carries them in a word. There are [`LANES`] distances at
/// most, and they are looked at side by side.
#[derive(Debug, Clone)]
pub struct CarriedCells<W> {
    /// All bits of the cells that are carried over each distance.
    cells: [W; LANES],
    /// The number of bits by which they are shifted up, and then down. One of the two is zero.
    up: [W; LANES],
    down: [W; LANES],
}

impl<W: Word> CarriedCells<W> {
    /// Sorts the cells by distance. `None` if there are too many distances, if the symmetry renames symbols, or if
    /// words have more than 64 bits.
    pub fn of_symmetry(symmetry: &Symmetry, layout: &Layout) -> Option<Self> {
        if W::BYTES > 8 || !symmetry.symbols.is_sorted() {
            return None;
        }
        let mut carried = Self { cells: [W::ZERO; LANES], up: [W::ZERO; LANES], down: [W::ZERO; LANES] };
        let mut distances = Vec::new();
        for (from, &to) in symmetry.cells.iter().enumerate() {
            let [from_shift, to_shift] = [from, to].map(|cell| layout.slots[cell].shift);
            let distance = (to_shift.saturating_sub(from_shift), from_shift.saturating_sub(to_shift));
            let lane = distances.iter().position(|&known| known == distance).unwrap_or(distances.len());
            if lane == LANES {
                return None;
            }
            if lane == distances.len() {
                let bits = |count: u32| W::at(Slot { limb: 0, shift: 0 }, u64::from(count));
                (carried.up[lane], carried.down[lane]) = (bits(distance.0), bits(distance.1));
                distances.push(distance);
            }
            carried.cells[lane] = carried.cells[lane].or(layout.cell_mask(from));
        }
        Some(carried)
    }

    /// The image of a state.
    #[inline(always)]
    pub fn image(&self, word: W) -> W {
        let Self { cells, up, down } = self;
        let mut parts = *cells;
        for (lane, part) in parts.iter_mut().enumerate() {
            *part = word.and(cells[lane]).carried(up[lane], down[lane]);
        }
        for lane in 0..4 {
            parts[lane] = parts[lane].or(parts[lane + 4]);
        }
        parts[0].or(parts[1]).or(parts[2].or(parts[3]))
    }
}
