//! Moves that carry whole stretches of bits from planes onto planes, by tables.
//!
//! The theory is in `docs/enumeration.md`, "The dense store".
//!
//! A move rearranges some neighbouring places of a sequence, its window. The digits of the window determine how these
//! digits change, and no other digit changes. The digits of the window that lie in the head are a *context*. In each
//! context a plane collects its bits from a few blocks. All states of such a block whose places in it change by the
//! same amount are copied together: their bits are shifted by that amount, and a mask chooses them.

use super::planes::{MOST_TAIL, PlaneLayout, WORD};
use crate::index::{SequenceMove, Shuffle, digits_of, sequence_of};
use crate::ordered::OrderedMap;

/// One copy of bits: some neighbouring words of a plane collect the bits of the source that lie `64 * words + shift`
/// bits further on than their own bits. A mask chooses among the collected bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct PulledWords {
    /// The first of the words that collect bits.
    pub first: u32,
    /// The number of neighbouring words that collect bits.
    pub count: u32,
    /// The distance to the source in whole words; negative if the source comes first.
    pub words: i32,
    /// The part of the distance that is less than a word, in bits.
    pub shift: u32,
    /// The place where the masks of these words begin in the list of all masks. Each word has one mask.
    pub mask: u32,
}

/// The bits that a plane collects from one block.
#[derive(Debug, Clone)]
pub(super) struct PulledBlock {
    /// The number of that block minus the number of the plane's own block.
    pub delta: i64,
    /// The copies of these bits: a range of the table's `pieces`.
    pub pieces: std::ops::Range<u32>,
    /// `true` if the whole plane is copied as it is. Then there are no pieces.
    pub whole: bool,
}

/// A move whose effect on planes is looked up in a table.
#[derive(Debug)]
pub(super) struct PlanePull {
    /// The lane from which bits are read: the place of the pivot before the move.
    pub from: usize,
    /// The lane that collects the bits: the place of the pivot after the move.
    pub to: usize,
    /// The places of the digits that the move reads among those of the head (the digits that choose the block). Their
    /// values choose the context in the table.
    pub digits: std::ops::Range<usize>,
    /// `true` if the context also depends on whether the tails of the collecting plane are odd.
    pub parity: bool,
    /// For each context (a choice of these digits, and perhaps of the parity), the index of its first part, a
    /// [`PulledBlock`]. One more entry ends the last context.
    pub contexts: Vec<u32>,
    pub parts: Vec<PulledBlock>,
    pub pieces: Vec<PulledWords>,
    pub masks: Vec<u64>,
}

/// The tail (the last places of a sequence) at each place of a plane, for even and for odd tails.
pub(super) struct PlaneTails {
    list: [Vec<Tail>; 2],
}

/// The tail at one place of a plane.
#[derive(Clone, Copy, Default)]
pub(super) struct Tail {
    /// The digits of the tail.
    pub digits: [u8; MOST_TAIL],
    /// The things (symbols) in the tail, numbered from the smallest one of them: `1 0 2` for the tail `5 3 7`.
    pub things: [u8; MOST_TAIL],
}

impl PlaneTails {
    /// All tails of a layout.
    pub fn new(layout: &PlaneLayout) -> Self {
        let list = |odd: bool| {
            let of_place = |place: usize| {
                let mut tail = Tail::default();
                layout.fill_tail(place, odd, &mut tail.digits);
                let mut left: [u8; MOST_TAIL] = std::array::from_fn(|thing| thing as u8);
                for (thing, &digit) in tail.things.iter_mut().zip(&tail.digits).take(layout.tail()) {
                    *thing = left[digit as usize];
                    left.copy_within(digit as usize + 1.., digit as usize);
                }
                tail
            };
            (0..layout.block).map(of_place).collect()
        };
        let even = list(false);
        let odd = if layout.odd.is_some() { list(true) } else { Vec::new() };
        Self { list: [even, odd] }
    }

    /// The tail at a place of a plane. `odd` says whether the tails of the plane are odd.
    pub fn get(&self, place: usize, odd: bool) -> &Tail {
        &self.list[usize::from(odd)][place]
    }
}

/// The most pieces that a plane may collect. With more, a table takes long to make.
const MOST_PIECES: usize = 1024;

/// An estimate of the time that a piece takes, and of the time that each of its words takes, in hundredths of a
/// nanosecond.
const PIECE_TIME: usize = 250;
const WORD_TIME: usize = 25;

/// A move has a table only if applying it to a whole plane takes at most this time for each state of the plane, in
/// hundredths of a nanosecond. The search applies the table in every depth. Without a table, each successor is computed
/// by itself. That takes about ten times as long for a state, but happens only once for each state.
const MOST_TIME: usize = 30;

/// If a block has fewer states than this, its table may take as much time as one for a block of this size, since a
/// table of few pieces is fast in any case.
const SMALL_BLOCK: usize = 500;

/// The new digits of a window after a change in which place `first + at` of the sequence takes the thing at place
/// `source[at]`. `first` is the first place of the window, `digits` are the window's old digits, and `rest` is the
/// number of places from `first` to the end. Digits after the window do not affect the result.
pub(super) fn moved_digits(rest: usize, first: usize, digits: &[usize], source: &[usize]) -> Vec<usize> {
    let mut padded = digits.to_vec();
    padded.resize(rest, 0);
    let old = sequence_of(&padded);
    let mut new = old.clone();
    for (at, &from) in source.iter().enumerate() {
        new[at] = old[from - first];
    }
    let mut digits = digits_of(&new);
    digits.truncate(source.len());
    digits
}

impl PlanePull {
    /// The table of a way (a move on sequences); `None` if look-ups would be slow, or if the table would have more than
    /// `most` entries. There is an entry for each context and each combination of the window's digits in the tail.
    pub fn new(layout: &PlaneLayout, tails: &PlaneTails, way: &SequenceMove, most: u64) -> Option<Self> {
        let (from, to) = (way.from, way.to);
        let mut table = Self {
            from,
            to,
            digits: 0..0,
            parity: false,
            contexts: vec![0],
            parts: Vec::new(),
            pieces: Vec::new(),
            masks: Vec::new(),
        };
        let Some(shuffle) = &way.shuffle else {
            table.parts.push(PulledBlock { delta: 0, pieces: 0..0, whole: true });
            table.contexts.push(1);
            return Some(table);
        };
        let (first, last, head) = (shuffle.first, shuffle.last(), layout.head);
        table.digits = first.min(head)..(last + 1).min(head).max(first.min(head));
        // The hidden digit follows from the parity of the tail. So if it is in the window, the table needs the parity,
        // too.
        table.parity = layout.odd.is_some() && last + 2 >= layout.places;
        let radices: Vec<usize> = table.digits.clone().map(|at| layout.radix(at)).collect();
        let contexts: u64 = radices.iter().map(|&radix| radix as u64).product();
        let stretches: u64 = (first.max(head)..=last).map(|at| layout.radix(at) as u64).product();
        // In the worst case, each stretch becomes a piece of its own. But if the window (the places that the move
        // changes) lies within the head, the move carries whole planes. Such a table has at most one context for each
        // block and is quickly made, so it may have more entries.
        let most = if last < head { most.saturating_mul(16) } else { most };
        if contexts.saturating_mul(stretches) > most || stretches > MOST_PIECES as u64 {
            return None;
        }
        // Each plane fetches the bits that come to it, so the inverse of the shuffle is needed.
        let back = shuffle.inverse();
        for context in 0..contexts as usize {
            let mut window = vec![0; table.digits.len()];
            let mut value = context;
            for at in (0..window.len()).rev() {
                window[at] = value % radices[at];
                value /= radices[at];
            }
            for odd in if table.parity { &[false, true][..] } else { &[false] } {
                table.add_context(layout, tails, &back, &window, *odd)?;
            }
        }
        Some(table)
    }

    /// Adds the parts of one context. `None` if these have too many pieces.
    fn add_context(
        &mut self,
        layout: &PlaneLayout,
        tails: &PlaneTails,
        back: &Shuffle,
        window: &[usize],
        odd: bool,
    ) -> Option<()> {
        let (first, last, head, places) = (back.first, back.last(), layout.head, layout.places);
        let change = |digits: &[usize]| {
            let moved = moved_digits(places - first, first, digits, &back.source);
            let (mut block, mut place) = (0, 0);
            for (at, (new, old)) in (first..=last).zip(moved.iter().zip(digits)) {
                let change = (*new as i64 - *old as i64) * layout.weight(at);
                *(if at < head { &mut block } else { &mut place }) += change;
            }
            (block, place)
        };
        if last < head {
            let (block, _) = change(window);
            self.parts.push(PulledBlock { delta: block, pieces: 0..0, whole: true });
            self.contexts.push(self.parts.len() as u32);
            return Some(());
        }
        // All states with the same digits in the window move by the same number of blocks and by the same number of
        // places.
        let mut known: OrderedMap<usize, (i64, i64)> = OrderedMap::new();
        let mut masks: OrderedMap<(i64, i64), Vec<u64>> = OrderedMap::new();
        let (begin, end) = (first.max(head) - head, last - head);
        let number = |place: usize| {
            let tail = &tails.get(place, odd).digits;
            (begin..=end).fold(0, |value, at| value * layout.radix(head + at) + tail[at] as usize)
        };
        let mut place = 0;
        while place < layout.block {
            let value = number(place);
            let until = (place + 1..layout.block).find(|&place| number(place) != value).unwrap_or(layout.block);
            let (block, delta) = *known.value_or(value, || {
                let tail = tails.get(place, odd).digits[begin..=end].iter().map(|&digit| digit as usize);
                change(&window.iter().copied().chain(tail).collect::<Vec<_>>())
            });
            let words = masks.value_or((block, delta), || vec![0; layout.words]);
            (place..until).for_each(|place| words[place / WORD] |= 1 << (place % WORD));
            place = until;
        }
        let before = (self.pieces.len(), self.masks.len());
        let mut masks = masks.into_iter().peekable();
        while let Some(&((block, _), _)) = masks.peek() {
            let mut by_delta = OrderedMap::new();
            while let Some(((_, delta), words)) = masks.next_if(|((other, _), _)| *other == block) {
                by_delta.insert(delta, words);
            }
            self.add_part(layout, block, &by_delta);
        }
        self.contexts.push(self.parts.len() as u32);
        let time = (self.pieces.len() - before.0) * PIECE_TIME + (self.masks.len() - before.1) * WORD_TIME;
        (time <= MOST_TIME * layout.block.max(SMALL_BLOCK)).then_some(())
    }

    fn add_part(&mut self, layout: &PlaneLayout, block: i64, by_delta: &OrderedMap<i64, Vec<u64>>) {
        let begin = self.pieces.len();
        let whole = |words: &[u64]| words.iter().enumerate().all(|(at, &word)| word == layout.valid(at));
        if by_delta.get(&0).is_some_and(|words| whole(words)) {
            self.parts.push(PulledBlock { delta: block, pieces: 0..0, whole: true });
            return;
        }
        for (&delta, words) in by_delta.iter() {
            let mut at = 0;
            while at < words.len() {
                if words[at] == 0 {
                    at += 1;
                    continue;
                }
                let end = (at..words.len()).find(|&end| words[end] == 0).unwrap_or(words.len());
                self.pieces.push(PulledWords {
                    first: at as u32,
                    count: (end - at) as u32,
                    words: delta.div_euclid(WORD as i64) as i32,
                    shift: delta.rem_euclid(WORD as i64) as u32,
                    mask: self.masks.len() as u32,
                });
                self.masks.extend_from_slice(&words[at..end]);
                at = end;
            }
        }
        self.parts.push(PulledBlock { delta: block, pieces: begin as u32..self.pieces.len() as u32, whole: false });
    }

    /// The parts that a plane collects, looked up by the digits of its block's head, and by whether its tails are odd.
    #[inline(always)]
    pub fn parts(&self, head: &[usize], places: usize, odd: bool) -> &[PulledBlock] {
        let value = self.digits.clone().fold(0, |value, at| value * (places - at) + head[at]);
        let context = if self.parity { value * 2 + usize::from(odd) } else { value };
        &self.parts[self.contexts[context] as usize..self.contexts[context + 1] as usize]
    }

    /// The bytes of the table.
    pub fn bytes(&self) -> usize {
        self.contexts.len() * 4
            + self.parts.len() * size_of::<PulledBlock>()
            + self.pieces.len() * size_of::<PulledWords>()
            + self.masks.len() * 8
    }
}

impl PulledBlock {
    /// Adds the bits that come to a plane from one block. `source` is the array of all planes, with one word more
    /// before the first plane and after the last. The source plane begins at word `begin`.
    #[inline(always)]
    pub fn add(&self, table: &PlanePull, target: &mut [u64], source: &[u64], begin: usize) {
        if self.whole {
            let source = &source[begin..begin + target.len()];
            target.iter_mut().zip(source).for_each(|(to, from)| *to |= from);
            return;
        }
        for piece in &table.pieces[self.pieces.start as usize..self.pieces.end as usize] {
            let (first, count) = (piece.first as usize, piece.count as usize);
            let at = (begin + first).wrapping_add_signed(piece.words as isize);
            let masks = &table.masks[piece.mask as usize..][..count];
            let target = &mut target[first..first + count];
            let (low, high) = (&source[at..at + count], &source[at + 1..at + 1 + count]);
            let shift = piece.shift;
            for (((to, low), high), mask) in target.iter_mut().zip(low).zip(high).zip(masks) {
                // The upper word is shifted by up to 64 bits, which takes two steps.
                *to |= (low >> shift | high << 1 << (63 - shift)) & mask;
            }
        }
    }
}
