//! A memory of a thread's last searches for smallest images. For the first cells of a state, it has the first cells of
//! the smallest image, and the symmetries that lead to them.
//!
//! For example, pieces are put on a board, and those that are left lie beside it. The states after one and the same
//! piece is put in one and the same cell have the same board, whichever piece comes next. If all symmetries carry the
//! board to itself, the image of the board is found once for all of them.
//!
//! An entry has the first cells themselves, so what is remembered is exact. It is lost when other cells need its place.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::rules::Symbol;

/// The most first cells that are remembered.
pub const MOST_CELLS: usize = size_of::<u128>();

/// The most items of an image tree that an entry has. With these, it fills a cache line.
pub const MOST_ITEMS: usize = 7;

/// The number of entries: their bytes are a small part of the second-level cache.
const ENTRIES: usize = 1 << 11;

/// The bits of a hash that do not choose an entry.
const SHIFT: u32 = u64::BITS - ENTRIES.ilog2();

/// An odd number with about as many ones as zeros.
const MIX: u64 = 0x9E37_79B9_7F4A_7C15;

thread_local! {
    /// The memory for the next search on this thread.
    pub static MEMORY: Cell<Option<Box<SearchMemory>>> = const { Cell::new(None) };
}

/// The memory of the searches of a thread, which is used again and again.
#[derive(Default)]
pub struct SearchMemory {
    /// Two lists of items.
    pub lists: [Vec<u32>; 2],
    pub memo: ImageMemo,
}

/// The first cells of a tree that are remembered.
#[derive(Debug, Clone, Copy)]
pub struct FirstCells {
    /// The number of first cells.
    pub count: usize,
    mask: u128,
    /// A number that no other tree of this process has, from 1 on.
    number: u64,
}

impl FirstCells {
    /// The given number of first cells, from 1 to [`MOST_CELLS`].
    pub fn new(count: usize) -> Self {
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        let mask = u128::MAX >> (u128::BITS - u8::BITS * count as u32);
        Self { count, mask, number: NUMBERS.fetch_add(1, Ordering::Relaxed) }
    }

    /// These cells of a state as one number. The state has at least [`MOST_CELLS`] symbols.
    #[inline(always)]
    pub fn of(self, state: &[Symbol]) -> u128 {
        state.first_chunk::<MOST_CELLS>().map_or(0, |first| u128::from_le_bytes(*first)) & self.mask
    }
}

/// The beginning of a smallest image.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
pub struct Remembered {
    /// The first cells of the state as a number, without the cells that are not remembered.
    pub key: u128,
    /// The first cells of the image; cells that are not remembered have no meaning.
    pub image: [Symbol; MOST_CELLS],
    /// The items of the tree that lead there. Those from the place `count` on have no meaning.
    pub items: [u32; MOST_ITEMS],
    /// The number of items; 0 if nothing is remembered here.
    pub count: u32,
}

impl Remembered {
    /// Returns `true` if this is the beginning of the image of states with these first cells.
    #[inline(always)]
    pub fn is_of(&self, key: u128) -> bool {
        self.count > 0 && self.key == key
    }
}

/// The entries of one tree at a time.
#[derive(Debug, Default)]
pub struct ImageMemo {
    /// The number of the tree.
    number: u64,
    entries: Vec<Remembered>,
}

impl ImageMemo {
    /// The entry in which a tree remembers states with these first cells.
    #[inline(always)]
    pub fn entry(&mut self, first: FirstCells, key: u128) -> &mut Remembered {
        if self.number != first.number {
            self.clear(first.number);
        }
        let hash = (key as u64 ^ ((key >> 64) as u64).rotate_left(32)).wrapping_mul(MIX);
        &mut self.entries[(hash >> SHIFT) as usize]
    }

    #[cold]
    #[inline(never)]
    fn clear(&mut self, number: u64) {
        self.number = number;
        self.entries.clear();
        self.entries.resize(ENTRIES, Remembered::default());
    }
}
