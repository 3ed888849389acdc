//! Finds the next depth in planes of bits, chunk by chunk: each chunk pulls its states from all chunks, and some moves
//! push states into it.

use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};

use super::plane_shape::{GUARDS, PlaneShape};
use super::planes::{Heads, PlaneLayout, WORD};
use super::wide::{WideBlock, WideMove};
use crate::compile::cpu;
use crate::dense::swept::SweepCount;

/// The most lanes of a layout: one for each of the places of a pivot on at most 16 cells.
const MOST_LANES: usize = 16;

/// The number of states that are pushed at a time. The words for all of them are prefetched first, so that the memory
/// fetches many words at once.
const PUSHED: usize = 256;

/// The data that the expansion of one chunk reads and writes.
pub(super) struct PlaneChunk<'a> {
    pub first_block: usize,
    /// The states of the last depth, in all planes. Without a third array, this array also has the states of two, four,
    /// six and more depths before it. One unused word stands at each end.
    pub current: &'a [u64],
    /// For each block, a bit for each lane (place of the pivot), set if the last depth has states there.
    pub occupied: &'a [AtomicU16],
    /// The chunk's states of the next depth. Without a third array, this array also has the states of two, four, six
    /// and more depths before it.
    pub next: &'a mut [u64],
    /// All states of the chunk that were seen so far; `None` if the search has no third array.
    pub seen: Option<&'a mut [u64]>,
    /// For each block of the chunk, a bit for each lane (place of the pivot), set if there may still be unseen states.
    /// Lanes without them are skipped.
    pub open: &'a mut [u16],
    /// For each block of the chunk, a bit for each lane (place of the pivot), set if the next depth has states there.
    pub occupied_next: &'a [AtomicU16],
}

/// The task that finds the new states of the next depth in one chunk.
pub(super) struct ExpandPlanes<'a, 'b> {
    pub shape: &'a PlaneShape,
    pub chunk: &'a mut PlaneChunk<'b>,
    /// `true` if all wide moves (those without a table) pull states into the chunk. If `false`, only those with long
    /// stretches pull. The others push: here if they lead to the same chunk, and otherwise before, in [`PushWide`].
    pub pull_wide: bool,
    pub count: &'a mut SweepCount,
}

impl cpu::Task for ExpandPlanes<'_, '_> {
    #[inline(always)]
    fn run(self) {
        let Self { shape, chunk, pull_wide, count } = self;
        let layout = &shape.layout;
        let (lanes, words) = (layout.lanes, layout.words);
        let mut pushed = 0;
        if !pull_wide && shape.wides.iter().any(|wide| wide.local && !wide.forth.is_long()) {
            if chunk.seen.is_some() {
                pushed = push_all(shape, chunk);
            } else {
                push_local(shape, chunk, count);
            }
        }
        let mut heads = Heads::new(layout, chunk.first_block);
        let mut found = vec![0u64; lanes * words];
        for block in 0..chunk.open.len() {
            let (number, open) = (chunk.first_block + block, chunk.open[block]);
            // The lanes for which bits were collected. Only their words in `found` are in use; the words of other lanes
            // are left over from earlier blocks.
            let mut touched = 0u16;
            let touch = |found: &mut [u64], touched: &mut u16, lane: usize| {
                if *touched >> lane & 1 == 0 {
                    found[lane * words..][..words].fill(0);
                    *touched |= 1 << lane;
                }
            };
            for pull in &shape.pulls {
                if open >> pull.to & 1 == 0 {
                    continue;
                }
                for part in pull.parts(&heads.digits, layout.places, layout.odd_tail(pull.to, heads.odd)) {
                    let from = (number as i64 + part.delta) as usize;
                    if chunk.occupied[from].load(Ordering::Relaxed) >> pull.from & 1 != 0 {
                        touch(&mut found, &mut touched, pull.to);
                        let begin = GUARDS + (from * lanes + pull.from) * words;
                        part.add(pull, &mut found[pull.to * words..][..words], chunk.current, begin);
                    }
                }
            }
            let begin = block * lanes * words;
            let own = GUARDS + number * lanes * words;
            for wide in shape.wides.iter().map(|wide| &wide.back).filter(|wide| pull_wide || wide.is_long()) {
                let lane = wide.given;
                if open >> lane & 1 == 0 {
                    continue;
                }
                touch(&mut found, &mut touched, lane);
                let odd = layout.odd_tail(lane, heads.odd);
                let sources = wide.block(layout, &heads.digits, odd);
                let known = match &chunk.seen {
                    Some(seen) => &seen[begin + lane * words..],
                    None => &chunk.current[own + lane * words..],
                };
                let known = [known, &chunk.next[begin + lane * words..]];
                let found = &mut found[lane * words..][..words];
                pull_lane(layout, wide, &sources, known, (chunk.current, chunk.occupied), found);
            }
            let (mut states, mut occupied, mut left) = (0, 0u16, open);
            if chunk.seen.is_some() {
                // States that were pushed into this block earlier are in `next`. They are not yet counted, and not in
                // `seen`. So their lanes are handled as well.
                let marked = chunk.occupied_next[block].swap(0, Ordering::Relaxed);
                for lane in (0..lanes).filter(|&lane| (pushed | marked) >> lane & 1 != 0) {
                    touch(&mut found, &mut touched, lane);
                }
            }
            for lane in (0..lanes).filter(|&lane| touched >> lane & 1 != 0) {
                let found = &found[lane * words..][..words];
                // If nothing was found in this lane, the arrays are not read, since they may be files.
                if chunk.seen.is_none() && found.iter().all(|&word| word == 0) {
                    continue;
                }
                let next = &mut chunk.next[begin + lane * words..][..words];
                let (mut new_states, mut unseen) = (0, 0);
                if let Some(seen) = &mut chunk.seen {
                    let seen = &mut seen[begin + lane * words..][..words];
                    for ((&found, seen), next) in found.iter().zip(seen).zip(next) {
                        *next = (found | *next) & !*seen;
                        *seen |= *next;
                        new_states += u64::from(next.count_ones());
                        unseen += u64::from(seen.count_zeros());
                    }
                } else {
                    let current = &chunk.current[own + lane * words..][..words];
                    for ((&found, &current), next) in found.iter().zip(current).zip(next) {
                        let new = found & !(current | *next);
                        *next |= new;
                        new_states += u64::from(new.count_ones());
                        unseen += u64::from((current | *next).count_zeros());
                    }
                }
                // The bits after the last state of a plane are never set. If no other bits are unseen, all states of
                // the plane were seen, and its lane is no longer open.
                if unseen == (words * WORD - layout.block) as u64 {
                    left &= !(1 << lane);
                }
                occupied |= u16::from(new_states > 0) << lane;
                count.moves += new_states * shape.index.moves[lane] as u64;
                states += new_states;
            }
            chunk.open[block] = left;
            count.states += states;
            if occupied != 0 {
                chunk.occupied_next[block].fetch_or(occupied, Ordering::Relaxed);
            }
            heads.next();
        }
    }
}

/// Collects in `found` the states of one lane of a block to which a wide move leads from the last depth. The states in
/// `known` need not be looked up. `current` has the states of the last depth, and `occupied` the lanes that have such
/// states.
#[inline(always)]
fn pull_lane(
    layout: &PlaneLayout,
    wide: &WideMove,
    sources: &WideBlock,
    known: [&[u64]; 2],
    (current, occupied): (&[u64], &[AtomicU16]),
    found: &mut [u64],
) {
    let (lanes, words) = (layout.lanes, layout.words);
    if wide.is_long() {
        for stretch in 0..layout.block / wide.stretch {
            let bit = sources.bit(stretch);
            let marks = &occupied[block_of(bit / WORD, lanes * words)];
            if marks.load(Ordering::Relaxed) >> wide.sought & 1 != 0 {
                copy_bits(found, stretch * wide.stretch, current, bit, wide.stretch);
            }
        }
        return;
    }
    for word in 0..words {
        let mut wanted = layout.valid(word) & !(known[0][word] | known[1][word] | found[word]);
        if wide.stretch == 1 {
            let mut got = 0;
            while wanted != 0 {
                let at = wanted.trailing_zeros();
                wanted &= wanted - 1;
                let bit = sources.bit(word * WORD + at as usize);
                got |= (current[GUARDS + bit / WORD] >> (bit % WORD) & 1) << at;
            }
            found[word] |= got;
            continue;
        }
        while wanted != 0 {
            let stretch = wide.stretch_of(word * WORD + wanted.trailing_zeros() as usize);
            let first = stretch * wide.stretch;
            copy_bits(found, first, current, sources.bit(stretch), wide.stretch);
            let after = first + wide.stretch - word * WORD;
            wanted &= if after < WORD { u64::MAX << after } else { 0 };
        }
    }
}

/// Copies `count` bits: sets bit `to + i` of the plane `target` if bit `from + i` of `source` is set. `source` has
/// [spare words](GUARDS) at its ends. Its bits are counted from the first one after these.
#[inline(always)]
fn copy_bits(target: &mut [u64], to: usize, source: &[u64], from: usize, count: usize) {
    let (mut to, mut from, mut left) = (to, from, count);
    while left > 0 {
        // Each step copies at most as many bits as are left in the current word of `target`.
        let some = left.min(WORD - to % WORD);
        let (at, shift) = (GUARDS + from / WORD, from % WORD);
        let bits = source[at] >> shift | source[at + 1] << 1 << (WORD - 1 - shift);
        let mask = if some == WORD { u64::MAX } else { (1 << some) - 1 };
        target[to / WORD] |= (bits & mask) << (to % WORD);
        (to, from, left) = (to + some, from + some, left - some);
    }
}

/// Pushes states by wide moves (those without a table) that lead to another chunk. For each state of the last depth in
/// some blocks, the bit of its successor is set, wherever that bit lies.
pub(super) struct PushWide<'a> {
    pub shape: &'a PlaneShape,
    pub blocks: std::ops::Range<usize>,
    pub current: &'a [u64],
    /// The states that were seen, in all planes. States that are in `next` may be missing here. One unused word stands
    /// at each end.
    pub seen: &'a [u64],
    /// `true` if pushed states are counted when they are pushed. If `false`, they are counted when their chunk is
    /// filled.
    pub counts: bool,
    pub occupied: &'a [AtomicU16],
    pub next: &'a [AtomicU64],
    pub occupied_next: &'a [AtomicU16],
    /// The first block of the next depth that is not done. Earlier blocks have all their states of that depth already,
    /// so no state that is pushed there is counted.
    pub filled_from: usize,
    /// The blocks into which states are pushed.
    pub own: std::ops::Range<usize>,
    pub count: &'a mut SweepCount,
}

impl cpu::Task for PushWide<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { shape, blocks, current, seen, counts, occupied, next, occupied_next, filled_from, own, count } =
            self;
        let layout = &shape.layout;
        let block_words = layout.lanes * layout.words;
        let (own_begin, own_bits) = (own.start * block_words * WORD, own.len() * block_words * WORD);
        let mut heads = Heads::new(layout, blocks.start);
        let mut places: [Vec<u16>; MOST_LANES] = Default::default();
        for block in blocks {
            let marks = occupied[block].load(Ordering::Relaxed);
            list_places(shape, current, block, marks, &mut places);
            for wide in shape.wides.iter().filter(|wide| !wide.local && !wide.forth.is_long()) {
                let wide = &wide.forth;
                if marks >> wide.given & 1 == 0 {
                    continue;
                }
                let odd = layout.odd_tail(wide.given, heads.odd);
                let targets = wide.block(layout, &heads.digits, odd);
                for places in places[wide.given].chunks(PUSHED) {
                    let mut new = [0usize; PUSHED];
                    let mut kept = 0;
                    for &place in places {
                        let bit = target_of(wide, &targets, usize::from(place));
                        // For a state of another shard, the first word is read, which is in the cache.
                        let is_own = bit.wrapping_sub(own_begin) < own_bits;
                        let at = if is_own { GUARDS + bit / WORD } else { 0 };
                        let known = seen[at] | next[at].load(Ordering::Relaxed);
                        new[kept] = bit;
                        kept += usize::from(is_own) & (!known >> (bit % WORD) & 1) as usize;
                    }
                    for &bit in &new[..kept] {
                        let target = block_of(bit / WORD, block_words);
                        let before = next[GUARDS + bit / WORD].fetch_or(1 << (bit % WORD), Ordering::Relaxed);
                        if before >> (bit % WORD) & 1 == 0 && target >= filled_from {
                            mark(&occupied_next[target], wide.sought);
                            count.states += u64::from(counts);
                            count.moves += if counts { shape.index.moves[wide.sought] as u64 } else { 0 };
                        }
                    }
                }
            }
            heads.next();
        }
    }
}

/// For each of the given lanes of a block, lists the places of the states that are set there.
#[inline(always)]
fn list_places(shape: &PlaneShape, current: &[u64], block: usize, marks: u16, places: &mut [Vec<u16>; MOST_LANES]) {
    let (lanes, words) = (shape.layout.lanes, shape.layout.words);
    for lane in (0..lanes).filter(|&lane| marks >> lane & 1 != 0) {
        let plane = &current[GUARDS + (block * lanes + lane) * words..][..words];
        places[lane].clear();
        for (at, &word) in plane.iter().enumerate() {
            let mut word = word;
            while word != 0 {
                places[lane].push((at * WORD) as u16 + word.trailing_zeros() as u16);
                word &= word - 1;
            }
        }
    }
}

/// Pushes states by wide moves (those without a table) that lead to the same chunk. It also sets the bits of states
/// that were seen before; the caller clears these. Only this thread writes the chunk, which lies in the second-level
/// cache. Returns the lanes in which bits were set.
#[inline(always)]
fn push_all(shape: &PlaneShape, chunk: &mut PlaneChunk) -> u16 {
    let layout = &shape.layout;
    let (lanes, words) = (layout.lanes, layout.words);
    let begin = chunk.first_block * lanes * words * WORD;
    let mut heads = Heads::new(layout, chunk.first_block);
    let mut places: [Vec<u16>; MOST_LANES] = Default::default();
    let mut pushed = 0;
    for block in 0..chunk.open.len() {
        let number = chunk.first_block + block;
        let marks = chunk.occupied[number].load(Ordering::Relaxed);
        list_places(shape, chunk.current, number, marks, &mut places);
        for wide in shape.wides.iter().filter(|wide| wide.local && !wide.forth.is_long()) {
            let wide = &wide.forth;
            if marks >> wide.given & 1 == 0 {
                continue;
            }
            pushed |= 1 << wide.sought;
            let targets = wide.block(layout, &heads.digits, layout.odd_tail(wide.given, heads.odd));
            let places = &places[wide.given];
            if wide.stretch == 1 || places.len() < layout.block / wide.stretch {
                for &place in places {
                    let bit = target_of(wide, &targets, usize::from(place)) - begin;
                    chunk.next[bit / WORD] |= 1 << (bit % WORD);
                }
                continue;
            }
            // The move carries neighbouring states of a stretch to neighbouring states, so the whole stretch is moved
            // at once.
            let plane = (number * lanes + wide.given) * words;
            let mask = (1 << wide.stretch) - 1;
            for stretch in 0..layout.block / wide.stretch {
                let (from, shift) = (stretch * wide.stretch / WORD, stretch * wide.stretch % WORD);
                let source = &chunk.current[GUARDS + plane + from..][..2];
                let bits = (source[0] >> shift | source[1] << 1 << (WORD - 1 - shift)) & mask;
                if bits != 0 {
                    let bit = targets.bit(stretch) - begin;
                    chunk.next[bit / WORD] |= bits << (bit % WORD);
                    if bit % WORD + wide.stretch > WORD {
                        chunk.next[bit / WORD + 1] |= bits >> (WORD - bit % WORD);
                    }
                }
            }
        }
        heads.next();
    }
    pushed
}

/// Pushes states by wide moves (those without a table) that lead to the same chunk, if there is no third array. Sets
/// and counts only new states.
#[inline(always)]
fn push_local(shape: &PlaneShape, chunk: &mut PlaneChunk, count: &mut SweepCount) {
    let layout = &shape.layout;
    let (lanes, words) = (layout.lanes, layout.words);
    let block_words = lanes * words;
    let begin = chunk.first_block * lanes * words * WORD;
    let mut heads = Heads::new(layout, chunk.first_block);
    let mut places: [Vec<u16>; MOST_LANES] = Default::default();
    for block in 0..chunk.open.len() {
        let marks = chunk.occupied[chunk.first_block + block].load(Ordering::Relaxed);
        list_places(shape, chunk.current, chunk.first_block + block, marks, &mut places);
        for wide in shape.wides.iter().filter(|wide| wide.local && !wide.forth.is_long()) {
            let wide = &wide.forth;
            if marks >> wide.given & 1 == 0 {
                continue;
            }
            let targets = wide.block(layout, &heads.digits, layout.odd_tail(wide.given, heads.odd));
            for &place in &places[wide.given] {
                let bit = target_of(wide, &targets, usize::from(place));
                let (own, shift) = ((bit - begin) / WORD, bit % WORD);
                let next = chunk.next[own];
                let new = !(chunk.current[GUARDS + bit / WORD] | next) >> shift & 1;
                chunk.next[own] = next | new << shift;
                if new != 0 {
                    mark(&chunk.occupied_next[block_of(own, block_words)], wide.sought);
                    count.states += 1;
                    count.moves += shape.index.moves[wide.sought] as u64;
                }
            }
        }
        heads.next();
    }
}

/// The block that a word belongs to. Dividing numbers of 32 bits is much faster than dividing numbers of 64 bits, and
/// nearly all arrays are short enough for it.
#[inline(always)]
fn block_of(word: usize, block_words: usize) -> usize {
    match u32::try_from(word) {
        Ok(word) => (word / block_words as u32) as usize,
        Err(_) => word / block_words,
    }
}

/// Notes that a block has states of the next depth in a lane. The atomic operation is done only the first time.
#[inline(always)]
fn mark(lanes: &AtomicU16, lane: usize) {
    if lanes.load(Ordering::Relaxed) >> lane & 1 == 0 {
        lanes.fetch_or(1 << lane, Ordering::Relaxed);
    }
}

#[inline(always)]
fn target_of(wide: &WideMove, targets: &WideBlock, place: usize) -> usize {
    if wide.stretch == 1 {
        return targets.bit(place);
    }
    let stretch = wide.stretch_of(place);
    targets.bit(stretch) + place - stretch * wide.stretch
}
