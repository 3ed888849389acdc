//! Unpacks the states of a table. `docs/tables.md` explains the form.

/// The form of packed states.
pub struct Packing {
    /// The number of bytes of a packed state. If it is 8, a state is a number in the byte order of this machine.
    pub bytes: usize,
    pub cells: usize,
    pub symbols: usize,
}

/// A state of at most this many bytes is one number, and the last cell is in its lowest bits. A larger one is a row of
/// numbers of 64 bits. Each holds as many whole cells as fit, in its lowest bits; so no cell is split between two.
const NUMBER_BYTES: usize = 16;

impl Packing {
    /// The number of bits of a cell. For example, five cells of three symbols have 2 bits each. In a number of 64 bits,
    /// 54 zeros come before them.
    fn bits(&self) -> usize {
        (usize::BITS - (self.symbols - 1).leading_zeros()).max(1) as usize
    }

    /// The number of cells of each number that a state consists of, and the number of bits of each such number.
    fn numbers(&self) -> (usize, usize) {
        if self.bytes > NUMBER_BYTES { (64 / self.bits(), 64) } else { (self.cells, 8 * self.bytes) }
    }

    /// Returns `true` if a packed state is large enough for all cells.
    pub fn fits(&self) -> bool {
        let (each, number) = self.numbers();
        let needed = self.cells.div_ceil(each.max(1)) * number;
        self.bytes > 0 && self.bits() * each <= number && needed <= 8 * self.bytes
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
        let (each, number) = self.numbers();
        cells.clear();
        cells.extend((0..self.cells).map(|cell| {
            let bit = |at: usize| packed[at / 8] >> (7 - at % 8) & 1;
            // The unused bits of a number are its highest.
            let first = cell / each * number + number - bits * (each - cell % each);
            (first..first + bits).fold(0, |code, at| code << 1 | bit(at))
        }));
        cells.iter().all(|&code| usize::from(code) < self.symbols)
    }
}
