//! Unpacks the states of a table, in which the bits of all cells follow one another. `docs/tables.md` explains the
//! form.

/// The form of packed states.
pub struct Packing {
    /// The number of bytes of a packed state. If it is 8, a state is a number in the byte order of this machine.
    pub bytes: usize,
    pub cells: usize,
    pub symbols: usize,
}

/// In a state of at most this many bytes, the last cell is in the lowest bits. In a larger one, the first cell is in
/// the highest bits.
const NUMBER_BYTES: usize = 16;

impl Packing {
    /// The number of bits of a cell. For example, five cells of three symbols have 2 bits each. In a number of 64 bits,
    /// 54 zeros come before them.
    fn bits(&self) -> usize {
        (usize::BITS - (self.symbols - 1).leading_zeros()).max(1) as usize
    }

    /// Returns `true` if a packed state is large enough for all cells.
    pub fn fits(&self) -> bool {
        self.bytes > 0 && self.bits() * self.cells <= 8 * self.bytes
    }

    /// Unpacks the cells of a state into `cells`. Returns `false` if a cell has a number that is no symbol of the
    /// rules.
    pub fn unpack(&self, packed: &[u8], cells: &mut Vec<u8>) -> bool {
        let swapped: [u8; 8];
        let packed = if let Ok(number) = <[u8; 8]>::try_from(packed) {
            swapped = u64::from_ne_bytes(number).to_be_bytes();
            &swapped[..]
        } else {
            packed
        };
        let bits = self.bits();
        let before = if self.bytes > NUMBER_BYTES { 0 } else { 8 * self.bytes - bits * self.cells };
        cells.clear();
        cells.extend((0..self.cells).map(|cell| {
            let bit = |at: usize| packed[at / 8] >> (7 - at % 8) & 1;
            let first = before + bits * cell;
            (first..first + bits).fold(0, |code, at| code << 1 | bit(at))
        }));
        cells.iter().all(|&code| usize::from(code) < self.symbols)
    }
}
