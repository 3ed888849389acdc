//! A table of the fewest moves to the goal, over the abstract states of several colourings at once.
//!
//! The colourings are divided into a *head* and a *tail*. A symmetry that carries colours onto colours, in the head and
//! in the tail, carries abstract states onto abstract states at the same distance from the goal. So only one head state
//! of each orbit has a row in the table. To look up another head state, the symmetry that carries it onto that one is
//! also applied to the tail. A row has an entry of four bits for each tail state; `entries.rs` explains them.
//!
//! Take four head states and two tail states, and a symmetry that exchanges the head states 1 and 2, and the tail
//! states 0 and 1. Then the head states 0, 1 and 3 have rows, and the value of head 2 and tail 0 is found in the row of
//! head 1, at tail 1.
//!
//! In H. Kociemba's solver for the cube, such rows are numbered by symmetry coordinates. Here, they are found from the
//! rules of any puzzle.

use std::collections::HashMap;
use std::sync::Arc;

use super::colouring::{Colours, NONE, StickerColouring, looks};
use super::entries::{EntryForm, EntryValues, IN_WORD, Meanings, NEVER};
use super::fill_row::FilledRow;
use super::fill_table::{Filled, Filling};
use super::head_rows::{Carrier, HeadRows, OfRows, stopped};
use super::parity::Parity;
use super::sticker_group::{Sticker, StickerSymmetry, Stickers};
use crate::compile::cpu;
use crate::dense::Pages;
use crate::job::{Key, Stops, TableCache, table_key};
use crate::run::{Progress, Watch};
use crate::solve::move_pruning::MoveSet;

/// A table uses at most this many symmetries to have fewer rows. The number of a symmetry takes eight bits.
const MOST_SYMMETRIES: usize = 256;

/// A text that is part of each key in the cache, and stands for the meaning and the order of the values. It must be
/// changed whenever either changes, so that old tables are not read any more.
const MEANING: &[u8] =
    b"cosets; four bits for each place; values, or pairs for the last depths, of which the last is pulled; 2026-11";

/// The same for the numbers of the rows.
const MEANING_OF_ROWS: &[u8] = b"cosets; for each head state 24 bits for its row and eight for a symmetry; 2026-11";

/// With at least this many head states, their rows are kept in the cache, too. It takes seconds to find the rows of
/// millions of head states, and a tenth of a second to read them.
const LEAST_KEPT_HEADS: usize = if cfg!(test) { 2 } else { 1 << 20 };

/// The colourings of a table, divided into head and tail.
#[derive(Debug, Clone)]
pub struct Shape {
    /// The colourings whose states choose a row, and a symmetry.
    pub head: Vec<Arc<StickerColouring>>,
    /// The colourings whose states choose a place in the row.
    pub tail: Vec<Arc<StickerColouring>>,
    /// The symmetries that carry colours onto colours, by their places in the list of all symmetries.
    pub symmetries: Vec<usize>,
    /// The parity that is known beside the colours, if there is one. Then each entry is for two states.
    pub parity: Option<Parity>,
    /// The approximate number of abstract states; symmetric ones count separately. It is no more than the number of
    /// true states.
    pub states: f64,
}

/// The values for all abstract states of a shape.
#[derive(Debug)]
pub struct CosetTable {
    /// The shape of the table.
    pub shape: Shape,
    /// For each head state, the number of its row, and in the lowest eight bits the symmetry that carries the head
    /// state onto the one of that row.
    rows: Pages,
    /// For each symmetry and each tail state (the place in a row), the image of the tail state.
    tails: Vec<u16>,
    /// The number of tail states.
    tail_len: usize,
    /// The entries of all rows. Each row begins with a new word.
    values: Pages,
    row_words: usize,
    /// The colourings of the head and of the tail, in this order.
    pub factors: Vec<Arc<StickerColouring>>,
    /// The states of colourings after moves: `steps[factor]` lists, for each state of the colouring `factors[factor]`
    /// and each move, the number of the state after the move.
    pub steps: Vec<Vec<u16>>,
    /// The meanings of the entries. A missing value means [`NEVER`] if all states that can be reached have a value;
    /// otherwise the smallest value that no entry has, as a lower bound.
    meanings: Meanings,
}

impl Shape {
    /// The shape with the given colourings, and with the symmetries that can be used to make fewer rows.
    pub fn new(
        stickers: &Stickers,
        all: &[StickerSymmetry],
        head: Vec<Arc<StickerColouring>>,
        tail: Vec<Arc<StickerColouring>>,
    ) -> Self {
        let kept = |factors: &[Arc<StickerColouring>], symmetry: &StickerSymmetry| {
            let colours: Vec<&Colours> = factors.iter().map(|factor| &factor.colours).collect();
            let looks = looks(stickers, &colours);
            // A symmetry can be used only if stickers that look alike have images that look alike.
            let mut images: HashMap<(usize, u8), (usize, u8)> = HashMap::new();
            (0..stickers.len()).all(|sticker| {
                let seen = |sticker: usize| (stickers.orbits[stickers.home[sticker].0], looks[sticker]);
                let image = seen(symmetry.image[sticker] as usize);
                *images.entry(seen(sticker)).or_insert(image) == image
            })
        };
        let symmetries = (0..all.len())
            .filter(|&at| kept(&head, &all[at]) && kept(&tail, &all[at]))
            .take(MOST_SYMMETRIES)
            .collect::<Vec<_>>();
        // If the list was cut off at the largest allowed length, it may be no group. Then only the identity is used.
        let symmetries = if symmetries.len() == MOST_SYMMETRIES { vec![0] } else { symmetries };
        let product: f64 = head.iter().chain(&tail).map(|factor| factor.len as f64).product();
        let mut shape = Self { head, tail, symmetries, parity: None, states: 0.0 };
        let keeping =
            (0..stickers.moves.len()).filter(|&given| shape.keeps(given)).fold(0, |set, given| set | 1 << given);
        shape.parity = Parity::beside(stickers, all, keeping);
        shape.states = (product * shape.form().states() as f64).min(stickers.states() as f64);
        shape
    }

    /// Returns `true` if a move changes no colour of the goal.
    pub fn keeps(&self, given: usize) -> bool {
        // The goal has number 0 in each colouring.
        self.head.iter().chain(&self.tail).all(|factor| factor.next[given][0] == 0)
    }

    /// The form of the table's entries.
    pub fn form(&self) -> EntryForm {
        if self.parity.is_some() { EntryForm::Pair } else { EntryForm::Single }
    }

    /// The moves that make an odd state of an even one, if parities are known.
    pub fn odd(&self) -> MoveSet {
        self.parity.map_or(0, |parity| parity.odd)
    }

    /// The number of head states, which choose a row, including combinations of colours that never occur together.
    pub fn head_len(&self) -> usize {
        self.head.iter().fold(1, |product, factor| product.saturating_mul(factor.len))
    }

    /// The number of tail states.
    pub fn tail_len(&self) -> usize {
        self.tail.iter().fold(1, |product, factor| product.saturating_mul(factor.len))
    }

    /// About the number of entries of the table.
    pub fn entries(&self) -> u64 {
        (self.head_len().div_ceil(self.symmetries.len()) as u64).saturating_mul(self.tail_len() as u64)
    }

    /// About the number of bytes of the table.
    pub fn bytes(&self) -> u64 {
        let factors: u64 = self.head.iter().chain(&self.tail).map(|factor| factor.bytes()).sum();
        let moves = self.head.first().map_or(0, |factor| factor.next.len());
        let steps: usize = self.head.iter().chain(&self.tail).map(|factor| factor.len * moves * 2).sum();
        let lists = self.head_len() * 4 + self.tail_len() * (self.symmetries.len() * 2 + moves * 8) + steps;
        // While the table is filled, each row has a lock, and its head state is known.
        let rows = self.head_len().div_ceil(self.symmetries.len()) * (FilledRow::BYTES + size_of::<u32>());
        // An entry takes half a byte. A head state that symmetries fix has a smaller orbit, so there are a few more
        // rows than head states divided by the order of the group.
        (self.entries() / 2).saturating_add(self.entries() / 32).saturating_add(factors + (lists + rows) as u64)
    }
}

/// The parts of a table in the cache: its values, and the rows of its head states if there are many.
struct KeptParts<'a> {
    cache: &'a TableCache,
    rows: Key,
    values: Key,
    stops: Stops<'a>,
}

impl<'a> KeptParts<'a> {
    fn new(
        cache: &'a TableCache,
        stickers: &Stickers,
        all: &[StickerSymmetry],
        shape: &Shape,
        stops: Stops<'a>,
    ) -> Self {
        let of = |meaning| key(meaning, stickers, all, shape);
        Self { cache, rows: of(MEANING_OF_ROWS), values: of(MEANING), stops }
    }

    /// The rows of the head states, if they and the values are kept.
    fn rows(&self, head_len: usize) -> Option<Pages> {
        if head_len < LEAST_KEPT_HEADS || !self.cache.holds(&self.values) {
            return None;
        }
        let mut rows = Pages::new::<u32>(head_len).ok()?;
        let bytes = &mut rows.get_mut::<u8>()[..head_len * size_of::<u32>()];
        self.cache.read_into(&self.rows, bytes, self.stops).then_some(rows)
    }

    fn keep_rows(&self, rows: &Pages, head_len: usize) {
        if head_len >= LEAST_KEPT_HEADS {
            self.cache.write(&self.rows, &rows.get::<u8>()[..head_len * size_of::<u32>()], self.stops);
        }
    }

    fn read_values(&self, values: &mut Pages) -> bool {
        self.cache.read_into(&self.values, values.get_mut(), self.stops)
    }

    fn keep_values(&self, values: &Pages) {
        self.cache.write(&self.values, values.get(), self.stops);
    }
}

impl CosetTable {
    /// Reads the table from the cache if it is there. Otherwise makes it by a search backward from the goal, and puts
    /// it into the cache. `None` if the watch stops the search, or if there are too many rows or too little memory.
    pub fn new(
        stickers: &Stickers,
        all: &[StickerSymmetry],
        shape: Shape,
        cache: Option<&TableCache>,
        watch: Watch,
    ) -> Option<Self> {
        let own: Vec<&StickerSymmetry> = shape.symmetries.iter().map(|&at| &all[at]).collect();
        let (head_len, tail_len) = (shape.head_len(), shape.tail_len());
        let tail = Carrier::new(stickers, &shape.tail);
        let mut tails = vec![0u16; own.len() * tail_len];
        for (symmetry, tails) in own.iter().zip(tails.chunks_mut(tail_len)) {
            let images = tail.images(symmetry);
            for (number, to) in tails.iter_mut().enumerate() {
                if stopped(number, watch) {
                    return None;
                }
                let image = tail.seen(number).and_then(|seen| tail.image(&seen, &images));
                // Combinations of colours that never occur are never reached, so any image will do for them.
                *to = image.unwrap_or(number) as u16;
            }
        }
        let asks = &|| watch(&Progress::default()).is_break();
        let kept = cache.map(|cache| KeptParts::new(cache, stickers, all, &shape, asks));
        let find = || HeadRows::find(stickers, &own, &shape.head, watch);
        // The rows alone are enough if the values are kept. To fill the table, more must be known of each row.
        let (found, rows) = if let Some(rows) = kept.as_ref().and_then(|kept| kept.rows(head_len)) {
            (None, rows)
        } else {
            let HeadRows { rows, rest } = find()?;
            if let Some(kept) = &kept {
                kept.keep_rows(&rows, head_len);
            }
            (Some(rest), rows)
        };
        let count = rows.get::<u32>()[..head_len].iter().filter(|&&row| row != NONE).map(|row| row >> 8).max();
        let row_words = tail_len.div_ceil(IN_WORD);
        // One more word follows the rows: twice the depth to which the table is filled, and 1 more if all states that
        // can be reached have a value.
        let mut values = Pages::new::<u64>((count? as usize + 1) * row_words + 1).ok()?;
        if !kept.as_ref().is_some_and(|kept| kept.read_values(&mut values)) {
            if kept.is_some() {
                values.get_mut::<u64>().fill(0);
            }
            let OfRows { first, fixing } = &match found {
                Some(found) => found,
                None => find()?.rest,
            };
            let (rows, tails) = (&rows.get::<u32>()[..head_len], &*tails);
            let (head, tail) = (&shape.head, &shape.tail);
            let (form, odd) = (shape.form(), shape.odd());
            let (filled_to, words) = values.get_mut::<u64>().split_last_mut()?;
            let filled = FilledRow::list(words, row_words);
            let filling = Filling { head, tail, rows, first, tails, tail_len, row_words, filled, fixing, form, odd };
            let Filled { last, ended } = filling.fill(stickers.moves.len(), watch)?;
            *filled_to = u64::from(last) << 1 | u64::from(ended);
            if let Some(kept) = &kept {
                kept.keep_values(&values);
            }
        }
        let filled = values.get::<u64>().last().copied().unwrap_or_default();
        let last = (filled >> 1) as u8;
        let meanings = shape.form().meanings(last, if filled & 1 == 1 { NEVER } else { last + 1 });
        let factors: Vec<_> = shape.head.iter().chain(&shape.tail).cloned().collect();
        let steps = |factor: &Arc<StickerColouring>| {
            let after = |state: usize| factor.next.iter().map(move |next| next[state] as u16);
            (0..factor.len).flat_map(after).collect()
        };
        let steps = factors.iter().map(steps).collect();
        Some(Self { shape, rows, tails, tail_len, values, row_words, factors, steps, meanings })
    }

    /// Returns `true` if a cache has a file for a table of this shape.
    pub fn is_kept(stickers: &Stickers, all: &[StickerSymmetry], shape: &Shape, cache: &TableCache) -> bool {
        cache.holds(&key(MEANING, stickers, all, shape))
    }

    /// All values, for look-ups by place.
    #[inline(always)]
    pub fn values(&self) -> TableValues<'_> {
        TableValues {
            rows: self.rows.get(),
            tails: &self.tails,
            tail_len: self.tail_len,
            words: self.values.get(),
            row_values: self.row_words * IN_WORD,
            meanings: &self.meanings,
        }
    }
}

/// The number of a head state, which chooses the row of a table, in the low half. In the high half, the number of a
/// tail state, which chooses the place in the row.
#[derive(Debug, Clone, Copy)]
pub struct HeadAndTail(pub u64);

impl HeadAndTail {
    /// The unit of the tail state's number within the packed number.
    pub const TAIL: u64 = 1 << u32::BITS;

    #[inline(always)]
    fn head(self) -> usize {
        self.0 as u32 as usize
    }

    #[inline(always)]
    fn tail(self) -> usize {
        (self.0 >> u32::BITS) as usize
    }
}

/// The values of a table, in the form for fast look-ups.
#[derive(Debug, Clone, Copy)]
pub struct TableValues<'a> {
    rows: &'a [u32],
    tails: &'a [u16],
    tail_len: usize,
    words: &'a [u64],
    row_values: usize,
    pub meanings: &'a Meanings,
}

impl TableValues<'_> {
    /// Makes the processor fetch the number of the row that a head state chooses, because it will be read soon.
    #[inline(always)]
    pub fn prefetch_row(&self, state: HeadAndTail) {
        cpu::prefetch(self.rows, state.head());
    }

    /// The place in the table of the value of a head state, which chooses the row, with a tail state, which chooses the
    /// place in it: the index of its four bits.
    #[inline(always)]
    pub fn place(&self, state: HeadAndTail) -> usize {
        let (entry, tail) = (self.rows[state.head()], state.tail());
        (entry >> 8) as usize * self.row_values + self.tails[(entry & 255) as usize * self.tail_len + tail] as usize
    }

    /// Makes the processor fetch the value at a place, because it will be read soon.
    #[inline(always)]
    pub fn prefetch(&self, place: usize) {
        cpu::prefetch(self.words, place / IN_WORD);
    }

    /// The code of the entry at a place.
    #[inline(always)]
    pub fn code(&self, place: usize) -> u8 {
        (self.words[place / IN_WORD] >> (place % IN_WORD * 4) & 15) as u8
    }

    /// The lower bounds that the code of an entry gives for an even state or for an odd one. The values are [`NEVER`]
    /// if no moves lead to the goal.
    #[inline(always)]
    pub fn meaning(&self, code: u8, odd: bool) -> EntryValues {
        self.meanings[usize::from(odd)][usize::from(code & 15)]
    }
}

/// The key of a part of a table in the cache: it changes with anything on which the part's content and order depend.
/// `meaning` says which part it is.
fn key(meaning: &[u8], stickers: &Stickers, all: &[StickerSymmetry], shape: &Shape) -> Key {
    let images = |images: &mut dyn Iterator<Item = &[Sticker]>| -> Vec<u8> { images.flatten().copied().collect() };
    let colours = |factors: &[Arc<StickerColouring>]| -> Vec<u8> {
        factors.iter().flat_map(|factor| &factor.colours).copied().collect()
    };
    let sizes: Vec<u8> = stickers.places.iter().map(|place| place.len() as u8).collect();
    // The cache stores words in the byte order of the machine, so the byte order is part of the key.
    let order = 1u16.to_ne_bytes();
    table_key(&[
        meaning,
        &order,
        &sizes,
        &images(&mut stickers.places.iter().map(Vec::as_slice)),
        &images(&mut stickers.moves.iter().map(|given| &given.image[..])),
        &images(&mut shape.symmetries.iter().map(|&at| &all[at].image[..])),
        &colours(&shape.head),
        &colours(&shape.tail),
        &shape.odd().to_le_bytes(),
    ])
}
