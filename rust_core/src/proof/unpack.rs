//! Unpacks the states of a table, whose form `docs/tables.md` tells: bits of all cells, one after the other.

/// The form of packed states.
pub struct Packing {
    /// The bytes of a state; 8 if it is a number in the byte order of this machine.
    pub bytes: usize,
    pub cells: usize,
    pub symbols: usize,
}

/// In up to so many bytes, the last cell is in the lowest bits. In more, the first one is in the highest.
const NUMBER_BYTES: usize = 16;

impl Packing {
    /// The number of symbols and cells tells the bits of a state. Take five cells of three symbols: 2 bits each, and 54
    /// zeros before them in a number of 64.
    fn bits(&self) -> usize {
        (usize::BITS - (self.symbols - 1).leading_zeros()).max(1) as usize
    }

    /// Returns `true` if states have room for all cells.
    pub fn fits(&self) -> bool {
        self.bytes > 0 && self.bits() * self.cells <= 8 * self.bytes
    }

    /// Writes the cells of a packed state. Returns `false` if a cell has no symbol of the rules.
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
