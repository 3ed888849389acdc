//! Looks a bit up in a compressed array of bits, without reading all of it: only the stretch that has the bit is read.

use super::blocks::{Parts, number_at};
use super::codec::FRAME_BYTES;
use crate::error::Result;

/// How many bytes come before a stretch: its number, and its length.
const HEAD: usize = 12;

/// A file of an array.
#[derive(Debug)]
pub struct Bits {
    parts: Parts,
    /// The stretches that are not zero, in order.
    stretches: Vec<Stretch>,
}

/// A stretch of bits, and its place in the file.
#[derive(Debug)]
struct Stretch {
    number: u64,
    begin: u64,
    length: usize,
}

impl Bits {
    /// Finds the stretches of a file, of each of which only the head is read.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Corrupt`] if it is no file of an array.
    pub fn of_file(parts: Parts) -> Result<Self> {
        let (mut stretches, mut begin): (Vec<Stretch>, u64) = (Vec::new(), 0);
        while begin < parts.bytes() {
            let head = parts.read(begin, HEAD)?;
            let (number, length) = (number_at(&head, 0, 8), number_at(&head, 8, 4) as usize);
            if length > lz4_flex::block::get_maximum_output_size(FRAME_BYTES)
                || stretches.last().is_some_and(|last| last.number >= number)
            {
                return Err(parts.wrong("a frame is out of place"));
            }
            begin += HEAD as u64;
            stretches.push(Stretch { number, begin, length });
            begin += length as u64;
        }
        Ok(Self { parts, stretches })
    }

    /// Whether a bit is set. Bits are counted from the lowest one of the first byte.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Corrupt`] if the stretch cannot be read.
    pub fn get(&self, bit: u64) -> Result<bool> {
        let (number, at) = (bit / 8 / FRAME_BYTES as u64, (bit / 8) as usize % FRAME_BYTES);
        let Ok(place) = self.stretches.binary_search_by_key(&number, |stretch| stretch.number) else {
            return Ok(false);
        };
        let stretch = &self.stretches[place];
        let (compressed, mut bytes) = (self.parts.read(stretch.begin, stretch.length)?, vec![0; FRAME_BYTES]);
        match lz4_flex::block::decompress_into(&compressed, &mut bytes) {
            Ok(size) if at < size => Ok(bytes[at] >> (bit % 8) & 1 == 1),
            _ => Err(self.parts.wrong("a frame cannot be read")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::blocks::tests::Written;
    use super::super::codec::write_array;
    use super::*;

    #[test]
    fn each_bit_is_found() {
        let mut array = vec![0; 3 * FRAME_BYTES + 100];
        for at in [0, 1, 77, FRAME_BYTES - 1, 2 * FRAME_BYTES + 5, 3 * FRAME_BYTES + 99] {
            array[at] = 0x81 ^ at as u8;
        }
        let mut file = Vec::new();
        write_array(&array, &mut file).unwrap();
        let written = Written::new("bits", &file);
        let bits = Bits::of_file(written.parts()).unwrap();
        for (at, &byte) in array.iter().enumerate().filter(|(at, byte)| **byte != 0 || at % 5000 == 3) {
            for bit in 0..8 {
                assert_eq!(bits.get((8 * at + bit) as u64).unwrap(), byte >> bit & 1 == 1);
            }
        }
        assert!(!bits.get(1 << 40).unwrap());
        assert!(Bits::of_file(Written::new("bits-short", &file[..5]).parts()).is_err());
    }
}
