//! Looks up one bit in a file of an array of bits, without reading the whole file. The array is cut into stretches, all
//! of one length, and only the stretch that has the bit is read.

use super::blocks::{Parts, SUM, number_at, sum_of};
use super::codec::{FRAME_BYTES, frame_length, read_frame};
use super::recent::RecentBlocks;
use crate::error::Result;

/// The number of bytes before the content of a stretch: the stretch's number, and its length with its form.
const HEAD: usize = 12;

/// The number of bytes of a stretch's note: its number, its place in the file, its length with its form, and its
/// checksum.
pub const BIT_NOTE: usize = 20 + SUM;

/// A file of an array of bits, with a note for each stretch: where it is, and its checksum.
#[derive(Debug)]
pub struct Bits {
    parts: Parts,
    /// The notes of all stretches that are not zero, in order.
    notes: Vec<u8>,
}

impl Bits {
    /// Finds the stretches of a file. The whole file is read, to compute the checksums.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Corrupt`] if the file does not hold an array.
    pub fn of_file(parts: Parts) -> Result<Self> {
        let (mut notes, mut begin, mut least) = (Vec::new(), 0, 0);
        while begin < parts.bytes() {
            let head = parts.read(begin, HEAD)?;
            let (number, form) = (number_at(&head, 0, 8), number_at(&head, 8, 4) as u32);
            let length = frame_length(form);
            if length > lz4_flex::block::get_maximum_output_size(FRAME_BYTES) || number < least || number == u64::MAX {
                return Err(parts.wrong("a frame is out of place"));
            }
            begin += HEAD as u64;
            let sum = sum_of(&parts.read(begin, length)?);
            notes.extend_from_slice(&number.to_le_bytes());
            notes.extend_from_slice(&begin.to_le_bytes());
            notes.extend_from_slice(&form.to_le_bytes());
            notes.extend_from_slice(&sum);
            (begin, least) = (begin + length as u64, number + 1);
        }
        Ok(Self { parts, notes })
    }

    /// The stretches of a file whose notes [`Self::notes`] returned earlier, so that the file need not be read.
    pub fn noted(parts: Parts, notes: Vec<u8>) -> Self {
        Self { parts, notes }
    }

    /// The note of each stretch.
    pub fn notes(&self) -> &[u8] {
        &self.notes
    }

    /// Returns `true` if a bit is set. Bits are counted from the lowest one of the first byte. `recent` keeps the
    /// stretches that were read, and serves only this file.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Corrupt`] if the stretch has changed since it was noted, or cannot be read.
    pub fn get(&self, bit: u64, recent: &mut RecentBlocks<Vec<u8>>) -> Result<bool> {
        let (wanted, at) = (bit / 8 / FRAME_BYTES as u64, (bit / 8) as usize % FRAME_BYTES);
        let (notes, _) = self.notes.as_chunks::<BIT_NOTE>();
        let Ok(place) = notes.binary_search_by_key(&wanted, |note| number_at(note, 0, 8)) else {
            return Ok(false);
        };
        let stretch = recent.get(place, || self.stretch(&notes[place]))?;
        let byte = stretch.get(at).ok_or_else(|| self.parts.wrong("a frame cannot be read"))?;
        Ok(byte >> (bit % 8) & 1 == 1)
    }

    /// The bytes of a stretch.
    fn stretch(&self, note: &[u8; BIT_NOTE]) -> Result<Vec<u8>> {
        let form = number_at(note, 16, 4) as u32;
        let frame = self.parts.read(number_at(note, 8, 8), frame_length(form))?;
        if sum_of(&frame) != note[20..] {
            return Err(self.parts.wrong("a frame is not what was written"));
        }
        let mut bytes = vec![0; FRAME_BYTES];
        let size = read_frame(form, &frame, &mut bytes);
        bytes.truncate(size.ok_or_else(|| self.parts.wrong("a frame cannot be read"))?);
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::super::blocks::tests::Written;
    use super::super::codec::{write_array, write_bits};
    use super::*;

    #[test]
    fn each_bit_is_found() {
        let mut array = vec![0; 3 * FRAME_BYTES + 100];
        for at in [0, 1, 77, FRAME_BYTES - 1, 2 * FRAME_BYTES + 5, 3 * FRAME_BYTES + 99] {
            array[at] = 0x81 ^ at as u8;
        }
        let (mut packed, mut listed) = (Vec::new(), Vec::new());
        write_array(&array, &mut packed).unwrap();
        write_bits(&array, &(0..array.len()), &mut listed).unwrap();
        for file in [packed, listed] {
            each_bit_of(&array, &file);
        }
    }

    fn each_bit_of(array: &[u8], file: &[u8]) {
        let written = Written::new("bits", file);
        let read = Bits::of_file(written.parts()).unwrap();
        let told = Bits::noted(written.parts(), read.notes().to_vec());
        for bits in [&read, &told] {
            let recent = &mut RecentBlocks::new(1);
            for (at, &byte) in array.iter().enumerate().filter(|(at, byte)| **byte != 0 || at % 5000 == 3) {
                for bit in 0..8 {
                    assert_eq!(bits.get((8 * at + bit) as u64, recent).unwrap(), byte >> bit & 1 == 1);
                }
            }
            assert!(!bits.get(1 << 40, recent).unwrap());
        }
        // The first stretch of the file begins with its number and length. The stretch's note has both, too. So a
        // change of these bytes in the file would not be noticed, and this loop does not change them.
        let length = frame_length(number_at(read.notes(), 16, 4) as u32);
        for at in HEAD..HEAD + length {
            let mut damaged = file.to_vec();
            damaged[at] ^= 1 << (at % 8);
            let damaged = Written::new("bits-damaged", &damaged);
            let damaged = Bits::noted(damaged.parts(), read.notes().to_vec());
            assert!(damaged.get(3, &mut RecentBlocks::new(1)).is_err(), "byte {at}");
        }
        assert!(Bits::of_file(Written::new("bits-short", &file[..5]).parts()).is_err());
    }
}
