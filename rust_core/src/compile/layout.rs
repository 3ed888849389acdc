//! The layout of a packed word: where each cell has its bits.
//!
//! The theory is in `docs/enumeration.md`, "How it works".

use super::word::{Slot, Word};
use crate::rules::{Rules, Symbol};

/// The number of bits that a cell needs to hold any of `symbols` symbols: 2 bits for three or four symbols.
pub fn symbol_bits(symbols: usize) -> u32 {
    (usize::BITS - (symbols - 1).leading_zeros()).max(1)
}

/// The number of bytes of a packed state that has all cells of the whole rules, with [`symbol_bits`] bits for each.
///
/// It is the smallest of 4, 8, 16, 32 and so on that has room for all cells. Beyond 16 bytes, a state is an array of
/// integers of 64 bits, and no cell is split between two of them.
pub fn bytes_of_all(cells: usize, symbols: usize) -> usize {
    let bits = symbol_bits(symbols) as usize;
    match (cells * bits).next_power_of_two() / 8 {
        bytes @ ..=16 => bytes.max(4),
        _ => (cells.div_ceil(64 / bits) * 8).next_power_of_two(),
    }
}

/// Packs all cells of a state into bytes, the most significant first. There are at least [`bytes_of_all`] bytes. They
/// are the same bytes as those of a word whose [`Layout`] has all cells of the whole rules.
pub fn pack_all(state: &[Symbol], symbols: usize, bytes: &mut [u8]) {
    let bits = symbol_bits(symbols);
    if bytes.len() <= 16 {
        let number = state.iter().fold(0u128, |number, &symbol| number << bits | u128::from(symbol));
        bytes.copy_from_slice(&number.to_be_bytes()[16 - bytes.len()..]);
        return;
    }
    let per_limb = (64 / bits) as usize;
    bytes.fill(0);
    for (cells, bytes) in state.chunks(per_limb).zip(bytes.as_chunks_mut::<8>().0) {
        let limb = cells.iter().fold(0u64, |limb, &symbol| limb << bits | u64::from(symbol));
        let limb = limb << ((per_limb - cells.len()) as u32 * bits);
        *bytes = limb.to_be_bytes();
    }
}

/// The place of each cell in a word. A cell takes [`symbol_bits`] bits, cell 0 is on top, and no cell is split between
/// two limbs.
#[derive(Debug, Clone)]
pub struct Layout {
    /// The number of bits of a cell.
    pub bits: u32,
    /// As many ones as a cell has bits, at the bottom.
    pub mask: u64,
    /// For each cell, the place of its bits in a word.
    pub slots: Vec<Slot>,
    /// For each cell, the place of its bits in the views of a word, see [`Word::Views`]. Here [`Slot::limb`] is the
    /// number of the view.
    pub views: Vec<Slot>,
    /// The number of symbols.
    symbols: usize,
    pub spread: CellUnpacker,
    /// All cells in eights, from the last limb to the first. The list is empty if there are fewer than eight cells.
    eights: Vec<EightCells>,
}

/// Eight neighbouring cells that are packed and unpacked at once. The last of them are in one limb. If this limb has
/// fewer than eight cells, the first ones are in the limb before, and the mask leaves them out.
#[derive(Debug, Clone, Copy)]
struct EightCells {
    first: usize,
    /// The place of the last cell.
    slot: Slot,
    /// The bits of those that are in the limb of the last cell, shifted to the bottom.
    mask: u64,
}

/// Unpacks eight cells at a time by shifts and masks: the bits of each cell go to a byte of their own.
///
/// With half as many cells, four cells of 2 bits in 32 bits, it goes like this. The packed cells are `00 01 10 11`. The
/// first step shifts the upper two cells up by 12, which gives `0001` in the upper half and `1011` in the lower. The
/// second step shifts the upper cell of each pair up by 6, so that each cell has a byte.
#[derive(Debug, Clone, Copy)]
pub struct CellUnpacker {
    /// For each of the three steps, the number of bits by which it shifts. The steps shift the upper four of eight
    /// cells, the upper two of four, and the upper one of two.
    pub shifts: [u32; 3],
    /// For each step, a mask of the bits of the cells that stay where they are.
    pub stay: [u64; 3],
    /// For each step, a mask of the bits of the shifted cells, at their new place.
    pub moved: [u64; 3],
}

impl CellUnpacker {
    /// The unpacker of cells that have `bits` bits, at most eight.
    fn new(bits: u32) -> Self {
        let ones = |bits: u32| u64::MAX >> (64 - bits);
        let stay = [ones(4 * bits), ones(2 * bits) * 0x0000_0001_0000_0001, ones(bits) * 0x0001_0001_0001_0001];
        Self {
            shifts: [32 - 4 * bits, 16 - 2 * bits, 8 - bits],
            stay,
            moved: [stay[0] << 32, stay[1] << 16, stay[2] << 8],
        }
    }

    /// Eight packed cells, one byte for each, with the last cell in the lowest byte. No bit above them is set.
    #[inline(always)]
    pub fn spread(self, mut bits: u64) -> u64 {
        // With more than four bits a cell, the new place of the shifted cells overlaps their old one. So the cells that
        // stay and the shifted ones are masked separately.
        for step in 0..3 {
            bits = (bits & self.stay[step]) | ((bits << self.shifts[step]) & self.moved[step]);
        }
        bits
    }

    /// Does the opposite of [`Self::spread`]: the same steps backward.
    #[inline(always)]
    pub fn joined(self, mut bytes: u64) -> u64 {
        for step in [2, 1, 0] {
            bytes = (bytes & self.stay[step]) | ((bytes & self.moved[step]) >> self.shifts[step]);
        }
        bytes
    }

    /// Does the same as [`Self::spread`], but returns a list of bytes, with the last cell in the last byte.
    #[inline(always)]
    fn bytes(self, bits: u64) -> [u8; 8] {
        self.spread(bits).to_be_bytes()
    }
}

impl Layout {
    /// The layout of the states of rules in words of type `W`; `None` if they do not fit.
    pub fn new<W: Word>(rules: &Rules) -> Option<Self> {
        Self::of::<W>(rules.cells(), rules.symbols.len())
    }

    /// The layout of so many cells and symbols; `None` if they do not fit.
    fn of<W: Word>(cells: usize, symbols: usize) -> Option<Self> {
        Self::in_limbs(cells, symbols, (W::LIMBS, W::LIMB_BITS), W::view)
    }

    /// The layout in words of `limbs` limbs with `limb_bits` bits each. `view` is [`Word::view`].
    fn in_limbs(
        cells: usize,
        symbols: usize,
        (limbs, limb_bits): (usize, u32),
        view: fn(Slot, u32) -> (usize, u32),
    ) -> Option<Self> {
        let bits = symbol_bits(symbols);
        let per_limb = (limb_bits / bits) as usize;
        // A word of one integer is filled from the bottom, so that a small board gives a small number.
        let first = if limbs == 1 { cells } else { per_limb };
        if cells > per_limb * limbs {
            return None;
        }
        let slots: Vec<Slot> = (0..cells)
            .map(|cell| Slot { limb: cell / first, shift: (first - 1 - cell % first) as u32 * bits })
            .collect();
        let viewed = |&slot: &Slot| {
            let (view, shift) = view(slot, bits);
            Slot { limb: view, shift }
        };
        let views = slots.iter().map(viewed).collect();
        let (mask, spread) = ((1 << bits) - 1, CellUnpacker::new(bits));
        let eights = if cells < 8 { Vec::new() } else { eights(&slots, bits) };
        Some(Self { bits, mask, slots, views, symbols, spread, eights })
    }

    /// The number of symbols.
    pub fn symbols(&self) -> usize {
        self.symbols
    }

    /// The number of cells of a state.
    pub fn cells(&self) -> usize {
        self.slots.len()
    }

    /// The word that has `symbol` in one cell and zero in all others.
    pub fn field<W: Word>(&self, cell: usize, symbol: Symbol) -> W {
        W::at(self.slots[cell], u64::from(symbol))
    }

    /// The word in which all bits of one cell are set, and no others.
    pub fn cell_mask<W: Word>(&self, cell: usize) -> W {
        W::at(self.slots[cell], self.mask)
    }

    /// The symbol that a cell of a packed state holds.
    #[inline(always)]
    pub fn get<W: Word>(&self, word: W, cell: usize) -> Symbol {
        word.bits(self.slots[cell], self.mask) as Symbol
    }

    /// Returns `true` if a word is a packed state: every cell holds a symbol, and no other bit is set.
    pub fn fits<W: Word>(&self, word: W) -> bool {
        let mut rest = word;
        (0..self.cells()).all(|cell| {
            rest = rest.and(self.cell_mask::<W>(cell).not());
            (self.get(word, cell) as usize) < self.symbols
        }) && rest == W::ZERO
    }

    /// Does the same as calling [`Self::fits`] for each word, but faster: returns `true` if every word is a packed
    /// state.
    pub fn fit_all<W: Word>(&self, words: &[W]) -> bool {
        // All cells of a word are tested at once. Let `more` be the number of unused codes. A cell holds a symbol
        // unless the sum of its code and `more` needs one bit more than the cell has. For example, with cells of 2 bits
        // and 3 symbols, `more` is 1, and of the codes 0 to 3 only 3 + 1 = 4 needs 3 bits. The sum is taken without the
        // top bit of each cell, so that nothing is carried into the next cell. With the top bits, a cell would carry if
        // both top bits are set, or if one is set and the sum below has reached the top bit.
        let every =
            |number: u64| (0..self.cells()).fold(W::ZERO, |word, cell| word.or(W::at(self.slots[cell], number)));
        let (all, top) = (every(self.mask), every(self.mask ^ self.mask >> 1));
        let more = every(self.mask + 1 - self.symbols as u64);
        let (outside, low, more_low) = (all.not(), top.not(), more.and(top.not()));
        words.iter().all(|&word| {
            let sum = word.and(low).and(all).add(more_low);
            let carried = word.and(more).or(word.or(more).and(sum));
            word.and(outside).or(carried.and(top)) == W::ZERO
        })
    }

    /// Packs a state, given by the symbol of each cell, into a word. What follows the last cell does not matter.
    #[inline]
    pub fn pack<W: Word>(&self, cells: &[Symbol]) -> W {
        let count = self.cells();
        if self.eights.is_empty() {
            let mut eight = [0; 8];
            eight[8 - count..].copy_from_slice(&cells[..count]);
            return W::at(self.slots[count - 1], self.spread.joined(u64::from_be_bytes(eight)));
        }
        let mut word = W::ZERO;
        for eight in &self.eights {
            let cells = cells[eight.first..].first_chunk().expect("eight cells");
            // Some cells are in two eights. They have the same bits both times.
            word.set(eight.slot, self.spread.joined(u64::from_be_bytes(*cells)) & eight.mask);
        }
        word
    }

    /// Unpacks a word into a slice that begins with a symbol for each cell. What follows stays as it is.
    pub fn unpack<W: Word>(&self, word: W, cells: &mut [Symbol]) {
        self.unpack_rows(&[word], cells, cells.len());
    }

    /// Unpacks words into rows of `width` bytes, which begin with a symbol for each cell. What follows stays as it is.
    #[inline(never)]
    pub fn unpack_rows<W: Word>(&self, words: &[W], rows: &mut [Symbol], width: usize) {
        let count = self.cells();
        if self.eights.is_empty() {
            let all = u64::MAX >> (u64::BITS - count as u32 * self.bits);
            for (number, word) in words.iter().enumerate() {
                let eight = self.spread.bytes(word.bits(self.slots[count - 1], all));
                rows[number * width..][..count].copy_from_slice(&eight[8 - count..]);
            }
            return;
        }
        for eight in &self.eights {
            let mut at = eight.first;
            for word in words {
                // The first of these cells may be in the limb before. The eights of that limb write them later.
                rows[at..at + 8].copy_from_slice(&self.spread.bytes(word.bits(eight.slot, eight.mask)));
                at += width;
            }
        }
    }
}

/// All cells in eights, from the last limb to the first. The eights of a limb are counted from its end. The one in
/// front begins with the limb, so that it may share cells with the next one. For example, 11 cells are divided into the
/// cells 3 to 10 and 0 to 7. A limb of fewer than eight cells can only be the last of several; its eight begins in the
/// limb before.
fn eights(slots: &[Slot], bits: u32) -> Vec<EightCells> {
    let mut eights = Vec::new();
    let mut end = slots.len();
    while end > 0 {
        let begin = slots.iter().position(|slot| slot.limb == slots[end - 1].limb).expect("a cell is in its limb");
        let held = (end - begin).min(8) as u32 * bits;
        let mut after = end;
        while after > begin {
            let last = if end - begin < 8 { after } else { after.max(begin + 8) };
            eights.push(EightCells { first: last - 8, slot: slots[last - 1], mask: u64::MAX >> (u64::BITS - held) });
            after = (last - 8).max(begin);
        }
        end = begin;
    }
    eights
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Packs a state and unpacks it again, in each way. Returns both; the word may be wider than it has to be.
    fn packed_and_unpacked<W: Word>(cells: usize, symbols: usize) -> (Vec<Symbol>, W) {
        let layout = Layout::of::<W>(cells, symbols).unwrap();
        let state: Vec<Symbol> = (0..cells).map(|cell| ((cell * 7 + 1) % symbols) as Symbol).collect();
        let mut unpacked = vec![0; cells];
        layout.unpack(layout.pack::<W>(&state), &mut unpacked);
        assert_eq!(unpacked, state);
        let alone = |word: W, (cell, &symbol): (usize, &Symbol)| word.or(layout.field(cell, symbol));
        let packed = state.iter().enumerate().fold(W::ZERO, alone);
        // The last symbols lie after the state.
        let padded = [&state[..], &[(symbols - 1) as Symbol; 9]].concat();
        assert_eq!(layout.pack::<W>(&padded), packed, "{cells} cells of {symbols} symbols");
        let mut more = vec![7; cells + 9];
        layout.unpack(packed, &mut more);
        assert_eq!((&more[..cells], &more[cells..]), (&state[..], &[7; 9][..]));
        let words = [packed, W::ZERO, packed];
        let mut rows = vec![symbols as Symbol; 3 * (cells + 1)];
        layout.unpack_rows(&words, &mut rows, cells + 1);
        let row = |cells: &[Symbol]| [cells, &[symbols as Symbol]].concat();
        let expected = [row(&state), row(&vec![0; cells]), row(&state)].concat();
        assert_eq!(rows, expected, "{cells} cells of {symbols} symbols");
        (state, packed)
    }

    /// Does the same in the word that the state needs. It has the bytes of all cells.
    fn agree<W: Word>(cells: usize, symbols: usize) {
        let (state, packed) = packed_and_unpacked::<W>(cells, symbols);
        let (mut word, mut all) = (vec![0; W::BYTES], vec![0; bytes_of_all(cells, symbols)]);
        packed.to_bytes(&mut word);
        pack_all(&state, symbols, &mut all);
        assert_eq!(word, all, "{cells} cells of {symbols} symbols");
    }

    #[test]
    fn eight_cells_are_taken_apart_as_one_after_another() {
        let mut random = Random::new("spread");
        for bits in 1..=8u32 {
            for _ in 0..1000 {
                let word = random.next_u64();
                let cells: Vec<u8> =
                    (0..8).rev().map(|cell| (word >> (cell * bits) & ((1 << bits) - 1)) as u8).collect();
                let unpacker = CellUnpacker::new(bits);
                let eight = word & (u64::MAX >> (64 - 8 * bits));
                assert_eq!(unpacker.bytes(eight)[..], cells, "{word:x} in cells of {bits} bits");
                assert_eq!(unpacker.joined(unpacker.spread(eight)), eight);
            }
        }
    }

    /// Compares [`Layout::fits`] and [`Layout::fit_all`] on random words. Half of them are packed states. The others
    /// have a bit flipped, so some of them are no packed state.
    fn same_fit<W: Word>(cells: usize, symbols: usize) {
        let layout = Layout::of::<W>(cells, symbols).unwrap();
        let mut random = Random::new("fit");
        let mut fits = 0;
        let rounds = crate::tests::quick_or_long(600, 2000);
        for round in 0..rounds {
            // The word is a packed state, with a random bit flipped in every other round.
            let mut bytes = vec![0; W::BYTES];
            let state: Vec<Symbol> = (0..cells).map(|_| (random.next_u64() % symbols as u64) as Symbol).collect();
            layout.pack::<W>(&state).to_bytes(&mut bytes);
            if round % 2 == 0 {
                let at = (random.next_u64() % (8 * W::BYTES as u64)) as usize;
                bytes[at / 8] ^= 1 << (at % 8);
            }
            let word = W::from_bytes(&bytes);
            assert_eq!(layout.fit_all(&[word]), layout.fits(word), "{word:?}: {cells} cells of {symbols} symbols");
            fits += u32::from(layout.fits(word));
        }
        assert!((rounds / 2..=rounds).contains(&fits), "{fits} words fit");
        let zero = [W::ZERO; 3];
        assert!(layout.fit_all(&zero) && layout.fit_all::<W>(&[]));
    }

    #[test]
    fn all_cells_at_once_are_checked_as_one_after_another() {
        same_fit::<u32>(16, 3);
        same_fit::<u32>(5, 1);
        same_fit::<u64>(20, 3);
        same_fit::<u64>(12, 12);
        same_fit::<u64>(16, 16);
        same_fit::<u64>(64, 2);
        same_fit::<u128>(25, 20);
        same_fit::<[u64; 4]>(43, 5);
        same_fit::<[u64; 32]>(256, 200);
    }

    #[test]
    fn all_cells_are_packed_as_in_a_word_of_all_cells() {
        agree::<u32>(16, 3);
        agree::<u32>(7, 9);
        agree::<u32>(1, 2);
        agree::<u64>(17, 3);
        agree::<u64>(9, 9);
        agree::<u128>(49, 3);
        agree::<u64>(12, 20);
        agree::<u64>(10, 36);
        agree::<u64>(9, 100);
        agree::<u64>(8, 130);
        agree::<u128>(25, 25);
        agree::<u128>(21, 36);
        packed_and_unpacked::<[u64; 4]>(5, 3);
        agree::<[u64; 4]>(65, 3);
        agree::<[u64; 4]>(43, 5);
        agree::<[u64; 4]>(36, 100);
        agree::<[u64; 8]>(85, 5);
        agree::<[u64; 32]>(256, 200);
    }
}
