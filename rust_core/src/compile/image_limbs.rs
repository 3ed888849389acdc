//! The smallest of up to eight images of a state of more than 64 bits, if every move flips the same bits in them
//! whatever the state is.
//!
//! The images lie side by side, limb by limb. The smallest first limb leaves some of them, the smallest second limb of
//! these leaves some again, and so on. No jump depends on what the limbs are. On a large board with few pieces, many
//! images begin alike, and nobody could foresee where they differ.
//!
//! For example, let four images of two limbs be `31`, `17`, `12` and `40`. Side by side, their limbs are `3114` and
//! `1720`. The smallest first limb is 1, and leaves the second image and the third. Of their second limbs, 7 and 2, the
//! smallest is 2. So the smallest image is `12`.

use super::cpu::{self, Register, RegisterTask};
use super::images::Lanes;
use super::prefixes::LANES;
use super::word::{Slot, Word};

/// One limb of each of eight words.
type LimbLanes = [u64; LANES];

/// The number of integers in a register.
const HALF: usize = LANES / 2;

/// The highest bit of a limb. Registers compare integers with a sign. If the highest bit of each is flipped, they
/// compare as those without a sign do.
const SIGN: u64 = 1 << 63;

/// Eight words, side by side: for each limb of 64 bits, that limb of all words, with its highest bit flipped. The limbs
/// are in the order in which they decide which word is smaller.
#[derive(Debug)]
pub struct SideBySide(Box<[LimbLanes]>);

/// The bits that are flipped in eight words, side by side.
#[derive(Debug)]
pub struct FlipsSideBySide(Box<[LimbLanes]>);

impl FlipsSideBySide {
    /// Puts the bits to flip side by side.
    pub fn new<W: Word>(flips: &Lanes<W>) -> Self {
        let mut made: Box<[LimbLanes]> = vec![[0; LANES]; W::BYTES / 8].into();
        write(flips, 0, &mut made);
        Self(made)
    }
}

impl SideBySide {
    /// Room for words.
    pub fn room<W: Word>() -> Self {
        Self(vec![[0; LANES]; W::BYTES / 8].into())
    }

    /// Puts words side by side, in the place of others of the same width.
    pub fn put<W: Word>(&mut self, words: &Lanes<W>) {
        write(words, SIGN, &mut self.0);
    }

    /// Flips in each word the bits that `flips` has for it, and returns the smallest result.
    #[inline(never)]
    pub fn smallest_flipped<W: Word>(&self, flips: &FlipsSideBySide) -> W {
        let mut least = W::ZERO.views();
        cpu::run_on_registers(FindByLimbs { words: &self.0, flips: &flips.0, least: least.as_mut() });
        let mut word = W::ZERO;
        for (limb, &bits) in least.as_ref()[..W::BYTES / 8].iter().enumerate() {
            word.set(slot::<W>(limb), bits);
        }
        word
    }

    /// The number of words equal to the first one, itself among them.
    pub fn equal_to_first(&self) -> usize {
        let mut differences = [0; LANES];
        for limbs in &self.0 {
            for (difference, limb) in differences.iter_mut().zip(limbs) {
                *difference |= limb ^ limbs[0];
            }
        }
        differences.iter().filter(|&&difference| difference == 0).count()
    }
}

/// Writes eight words side by side, and flips the same bits in each limb.
#[inline(never)]
fn write<W: Word>(words: &Lanes<W>, flipped: u64, lanes: &mut [LimbLanes]) {
    for (limb, lanes) in lanes.iter_mut().enumerate() {
        for lane in 0..LANES {
            lanes[lane] = words[lane].bits(slot::<W>(limb), u64::MAX) ^ flipped;
        }
    }
}

/// The place of a limb of 64 bits in a word. Words compare as their limbs do, the one with the number 0 first.
#[inline(always)]
fn slot<W: Word>(limb: usize) -> Slot {
    if W::LIMBS == 1 { Slot { limb: 0, shift: W::LIMB_BITS - 64 * (limb as u32 + 1) } } else { Slot { limb, shift: 0 } }
}

/// The task that finds the limbs of the smallest word.
struct FindByLimbs<'a> {
    words: &'a [LimbLanes],
    flips: &'a [LimbLanes],
    least: &'a mut [u64],
}

impl RegisterTask for FindByLimbs<'_> {
    #[inline(always)]
    fn run<V: Register>(self) {
        let none = V::new([i64::MAX as u64; HALF]);
        // All ones for each word that is known to be larger than another one.
        let mut is_out = [V::new([0; HALF]); 2];
        for ((limbs, flips), least) in self.words.iter().zip(self.flips).zip(self.least) {
            let (limbs, flips) = (limbs.as_chunks().0, flips.as_chunks().0);
            let mut left = [none; 2];
            for half in 0..2 {
                left[half] = is_out[half].chosen(none, V::new(limbs[half]).xor(V::new(flips[half])));
            }
            let smallest = left[0].lesser(left[1]).least();
            for half in 0..2 {
                is_out[half] = is_out[half].or(left[half].greater(smallest));
            }
            *least = smallest.integers()[0] ^ SIGN;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Compares the smallest word with that of the words one by one, with the registers of the processor and without.
    fn compare<W: Word>(numbers: &[[u8; LANES]; 2], word: impl Fn(u8) -> W) {
        let [words, flips] = numbers.map(|numbers| numbers.map(&word));
        let flipped: Vec<W> = words.iter().zip(flips).map(|(word, flips)| word.xor(flips)).collect();
        let smallest = *flipped.iter().min().unwrap();
        let (flips, mut side_by_side) = (FlipsSideBySide::new(&flips), SideBySide::room::<W>());
        side_by_side.put(&words);
        assert_eq!(side_by_side.smallest_flipped::<W>(&flips), smallest);
        let mut least = W::ZERO.views();
        cpu::run_on_integers(FindByLimbs { words: &side_by_side.0, flips: &flips.0, least: least.as_mut() });
        let limbs = (0..W::BYTES / 8).map(|limb| W::at(slot::<W>(limb), least.as_ref()[limb]));
        assert_eq!(limbs.fold(W::ZERO, W::or), smallest);
        assert_eq!(side_by_side.equal_to_first(), words.iter().filter(|&&word| word == words[0]).count());
    }

    proptest! {
        #[test]
        fn the_smallest_of_words_side_by_side_is_found_limb_by_limb(
            numbers in prop::array::uniform2(prop::array::uniform8(0u8..20)),
        ) {
            // The first limbs of words are often alike. The highest bit of a limb is set in some, and all bits in
            // others.
            let limb = |number: u8, at: u32| match number >> at & 3 {
                3 => u64::MAX,
                bits => u64::from(bits) << (if number & 1 == 0 { 62 } else { 5 }),
            };
            compare(&numbers, |number| u128::from(limb(number, 3)) << 64 | u128::from(limb(number, 0)));
            compare(&numbers, |number| [limb(number, 4), limb(number, 2), limb(number, 1), limb(number, 0)]);
            compare(&numbers, |number| std::array::from_fn::<u64, 16, _>(|at| limb(number, at as u32 % 5)));
        }
    }
}
