//! Packed words. A word is one unsigned integer that holds a whole state or, for a large board, an array of integers of
//! 64 bits. Each integer of a word is called a limb.
//!
//! Cell 0 is in the most significant bits, and the other cells follow in order. So words of any width compare like
//! their states, symbol by symbol, and the smallest word is the lexicographically smallest state.

use std::fmt::Debug;
use std::hash::Hash;

use super::ranks::Ranked;

/// The place of a cell's bits in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// The number of the limb that has the cell; 0 if the word is one integer.
    pub limb: usize,
    /// The distance of the cell's lowest bit from the bottom of the limb.
    pub shift: u32,
}

/// The most lanes of a word.
pub const MOST_LANES: usize = 32;

/// Integers that hold all bits of a word of more than 64 bits: the limbs of an array, or two parts of an integer.
pub type WordLanes = [u64; MOST_LANES];

/// A copy of some bits of one limb of a word to another limb, or to other places of the same limb.
#[derive(Debug, Clone, Copy)]
pub struct LimbRotation {
    /// The limb from which the bits are read.
    from: usize,
    /// The limb to which the bits are written.
    to: usize,
    /// A mask of the bits that are read.
    mask: u64,
    /// The number of places by which the bits are rotated up on the way. A number near 64 moves them down.
    up: u32,
}

impl LimbRotation {
    /// Adds the copy of one cell to a list of rotations. `mask` has as many bits as a cell, at the bottom. If a
    /// rotation between the same limbs by the same distance is in the list, it copies this cell, too.
    pub fn add(rotations: &mut Vec<Self>, from: Slot, to: Slot, mask: u64) {
        let (up, mask) = ((to.shift.wrapping_sub(from.shift)) % u64::BITS, mask << from.shift);
        match rotations.iter_mut().find(|known| (known.from, known.to, known.up) == (from.limb, to.limb, up)) {
            Some(known) => known.mask |= mask,
            None => rotations.push(Self { from: from.limb, to: to.limb, mask, up }),
        }
    }
}

/// A packed state: an unsigned integer, or an array of integers of 64 bits. All operations that depend on the width are
/// here.
pub trait Word: Ranked + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    /// The number of limbs.
    const LIMBS: usize;
    /// The number of bits of each limb.
    const LIMB_BITS: u32;
    /// `true` if the word has so many limbs that its operations are calls of functions with loops. Such functions gain
    /// hardly anything if they are compiled for a newer instruction set.
    const WIDE: bool = Self::LIMBS > INLINED_LIMBS;
    /// The number of bytes of the word.
    const BYTES: usize = size_of::<Self>();
    /// The word in which no bit is set.
    const ZERO: Self;
    /// Integers of 64 bits, called views, that hold the bits of the word. The views of an integer of 128 bits overlap,
    /// so that any 32 neighbouring bits of a limb lie within one view.
    type Views: AsRef<[u64]> + AsMut<[u64]> + Copy;

    /// The bits of this word as views.
    fn views(self) -> Self::Views;
    /// Finds the view (see [`Self::Views`]) that holds the `bits` bits at `slot`, at most 32: the number of the view,
    /// and the distance of the lowest of these bits from the bottom of the view.
    fn view(slot: Slot, bits: u32) -> (usize, u32);

    /// Returns `true` if two words are equal. For arrays this is faster than `==`, which calls into the C library.
    fn same(self, other: Self) -> bool;
    /// Returns `true` if no bit is set.
    #[inline(always)]
    fn is_zero(self) -> bool {
        if Self::WIDE { self.limbs().iter().all(|&limb| limb == 0) } else { self.same(Self::ZERO) }
    }
    /// Returns `true` if this word, restricted to the bits of `mask`, equals `value`.
    #[inline(always)]
    fn masked_is(self, mask: Self, value: Self) -> bool {
        if Self::WIDE {
            limbs::masked_is(self.limbs(), mask.limbs(), value.limbs())
        } else {
            self.and(mask).same(value)
        }
    }
    /// Returns `true` if some bit is set in both words.
    #[inline(always)]
    fn meets(self, other: Self) -> bool {
        if Self::WIDE { limbs::meet(self.limbs(), other.limbs()) } else { !self.and(other).same(Self::ZERO) }
    }
    /// The limbs, if the word is an array; an empty slice if it is one integer.
    fn limbs(&self) -> &[u64];
    /// The word whose lanes are the limbs of an array; or of an integer, the bits from `cut` on, and those below.
    fn of_lanes(cut: u32, lanes: &WordLanes) -> Self;
    /// The bits at `slot`, shifted to the bottom and restricted to `mask`.
    fn bits(self, slot: Slot, mask: u64) -> u64;
    /// The word that has `bits` at `slot`, and no other bit.
    fn at(slot: Slot, bits: u64) -> Self;
    /// Sets bits at `slot`, beside those that are set.
    fn set(&mut self, slot: Slot, bits: u64);
    /// Bitwise and.
    #[must_use]
    fn and(self, other: Self) -> Self;
    /// Bitwise or.
    #[must_use]
    fn or(self, other: Self) -> Self;
    /// Bitwise exclusive or.
    #[must_use]
    fn xor(self, other: Self) -> Self;
    /// Bitwise complement.
    #[must_use]
    fn not(self) -> Self;
    /// The sum, limb by limb. A word of one integer wraps around; no limb of an array may overflow.
    #[must_use]
    fn add(self, other: Self) -> Self;
    /// The word, shifted up by `distance` bits, or down if `distance` is negative. Only a word of one integer can be
    /// shifted.
    #[must_use]
    fn shifted(self, distance: i32) -> Self;
    /// The word, shifted up by `up` bits, and then down by `down` bits. Only a word of one integer can be shifted.
    #[must_use]
    fn carried(self, up: Self, down: Self) -> Self;
    /// The word minus `times` times another, as numbers that wrap around. Only a word of one integer has a difference.
    #[must_use]
    fn minus(self, other: Self, times: u64) -> Self;
    /// Takes the bits of `word` that `rotation` copies, and flips the bits of this word at the places where they
    /// arrive. Only a word of several limbs has rotations.
    fn xor_rotated(&mut self, word: Self, rotation: LimbRotation);
    /// Clears the lowest set bit of the first limb that has one, and returns the bit's number: the number of the limb
    /// times [`Self::LIMB_BITS`], plus the place in the limb. `None` if no bit is set.
    fn take_bit(&mut self) -> Option<usize>;
    /// Writes the word as bytes, the most significant first. So the bytes of two words compare as the words do.
    fn to_bytes(self, bytes: &mut [u8]);
    /// The word that [`Self::to_bytes`] wrote as these bytes.
    fn from_bytes(bytes: &[u8]) -> Self;
    /// A well-mixed hash of 64 bits. Its top bits choose the shard of a job, and the bits below them choose places in
    /// memory; see `sparse/hash.rs`.
    fn hash64(self) -> u64;
}

/// The message of a panic if a word is read from, or written to, too few or too many bytes.
const LENGTH: &str = "a word has as many bytes as its integer";

/// Multiplies two numbers to 128 bits, and adds the halves of the product without carry. So every bit of the result
/// depends on every bit of both numbers.
#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// Odd constants with about as many ones as zeros: the first 64 bits after the point of the golden ratio, and of the
/// square root of three.
const MIX: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xBB67_AE85_84CA_A73B];

macro_rules! integer_word {
    ($integer:ty, $views:ty, $hash:expr) => {
        impl Word for $integer {
            const LIMBS: usize = 1;
            const LIMB_BITS: u32 = <$integer>::BITS;
            const ZERO: Self = 0;
            type Views = $views;

            #[inline(always)]
            fn views(self) -> $views {
                // An integer of 128 bits has three views: bits 0 to 63, 32 to 95, and 64 to 127.
                let mut views = [0; size_of::<$views>() / 8];
                for (at, view) in views.iter_mut().enumerate() {
                    *view = (u128::from(self) >> (at * 32)) as u64;
                }
                views
            }
            fn view(slot: Slot, bits: u32) -> (usize, u32) {
                let view = (slot.shift + bits).saturating_sub(64).div_ceil(32);
                (view as usize, slot.shift - view * 32)
            }
            #[inline(always)]
            fn limbs(&self) -> &[u64] {
                &[]
            }
            #[inline(always)]
            fn same(self, other: Self) -> bool {
                self == other
            }
            #[inline(always)]
            fn of_lanes(cut: u32, lanes: &WordLanes) -> Self {
                (u128::from(lanes[0]) << cut | u128::from(lanes[1])) as Self
            }
            #[inline(always)]
            fn bits(self, slot: Slot, mask: u64) -> u64 {
                (self >> slot.shift) as u64 & mask
            }
            #[inline(always)]
            fn at(slot: Slot, bits: u64) -> Self {
                (bits as $integer) << slot.shift
            }
            #[inline(always)]
            fn set(&mut self, slot: Slot, bits: u64) {
                *self |= Self::at(slot, bits);
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
            #[inline(always)]
            fn not(self) -> Self {
                !self
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn shifted(self, distance: i32) -> Self {
                if distance >= 0 { self << distance } else { self >> -distance }
            }
            #[inline(always)]
            fn carried(self, up: Self, down: Self) -> Self {
                self.wrapping_shl(up as u32).wrapping_shr(down as u32)
            }
            #[inline(always)]
            fn minus(self, other: Self, times: u64) -> Self {
                self.wrapping_sub(other.wrapping_mul(times as $integer))
            }
            fn xor_rotated(&mut self, _word: Self, _rotation: LimbRotation) {
                unreachable!("moves on words of one integer are compiled to shifts")
            }
            #[inline(always)]
            fn take_bit(&mut self) -> Option<usize> {
                if *self == 0 {
                    return None;
                }
                let bit = self.trailing_zeros() as usize;
                *self &= self.wrapping_sub(1);
                Some(bit)
            }
            #[inline(always)]
            fn to_bytes(self, bytes: &mut [u8]) {
                *<&mut [u8; size_of::<Self>()]>::try_from(bytes).expect(LENGTH) = self.to_be_bytes();
            }
            #[inline(always)]
            fn from_bytes(bytes: &[u8]) -> Self {
                Self::from_be_bytes(<[u8; size_of::<Self>()]>::try_from(bytes).expect(LENGTH))
            }
            #[inline(always)]
            fn hash64(self) -> u64 {
                let hash: fn(Self) -> u64 = $hash;
                hash(self)
            }
        }
    };
}

integer_word!(u32, [u64; 1], |word| fold(u64::from(word) ^ MIX[1], MIX[0]));
integer_word!(u64, [u64; 1], |word| fold(word ^ MIX[1], MIX[0]));
integer_word!(u128, [u64; 3], |word| fold(word as u64 ^ MIX[1], (word >> 64) as u64 ^ MIX[0]).wrapping_mul(MIX[0]));

/// The operations on arrays of any length, each compiled once as a loop. Compiled for one length and inlined, an
/// operation on a wide array would take hundreds of bytes at each place that uses it.
mod limbs {
    use super::{MIX, Word, fold};

    /// Defines a function that calls `made` for each limb of `word` and the limb of `other` at the same place, and
    /// replaces the limb of `word` by the result.
    macro_rules! in_place {
        ($name:ident, $made:expr) => {
            #[inline(never)]
            pub fn $name(word: &mut [u64], other: &[u64]) {
                let made: fn(u64, u64) -> u64 = $made;
                for (limb, &other) in word.iter_mut().zip(other) {
                    *limb = made(*limb, other);
                }
            }
        };
    }

    in_place!(and, |a, b| a & b);
    in_place!(or, |a, b| a | b);
    in_place!(xor, |a, b| a ^ b);
    in_place!(add, u64::wrapping_add);

    #[inline(never)]
    pub fn not(word: &mut [u64]) {
        for limb in word {
            *limb = !*limb;
        }
    }

    #[inline(never)]
    pub fn same(word: &[u64], other: &[u64]) -> bool {
        word.iter().zip(other).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
    }

    #[inline(never)]
    pub fn masked_is(word: &[u64], mask: &[u64], value: &[u64]) -> bool {
        word.iter().zip(mask).zip(value).fold(0, |difference, ((a, mask), b)| difference | ((a & mask) ^ b)) == 0
    }

    #[inline(never)]
    pub fn meet(word: &[u64], other: &[u64]) -> bool {
        word.iter().zip(other).fold(0, |common, (a, b)| common | (a & b)) != 0
    }

    #[inline(never)]
    pub fn take_bit(word: &mut [u64]) -> Option<usize> {
        let index = word.iter().position(|&limb| limb != 0)?;
        word[index].take_bit().map(|bit| index * 64 + bit)
    }

    #[inline(never)]
    pub fn to_bytes(word: &[u64], bytes: &mut [u8]) {
        for (limb, bytes) in word.iter().zip(bytes.as_chunks_mut::<8>().0) {
            *bytes = limb.to_be_bytes();
        }
    }

    #[inline(never)]
    pub fn from_bytes(word: &mut [u64], bytes: &[u8]) {
        for (limb, &bytes) in word.iter_mut().zip(bytes.as_chunks().0) {
            *limb = u64::from_be_bytes(bytes);
        }
    }

    #[inline(never)]
    pub fn hash64(word: &[u64]) -> u64 {
        hash64_inlined(word)
    }

    #[inline(always)]
    pub fn hash64_inlined(word: &[u64]) -> u64 {
        word.iter().fold(MIX[1], |hash, &limb| fold(hash.rotate_left(23) ^ limb, MIX[0]))
    }
}

/// The most limbs of an array whose operations are inlined. Four limbs fit one vector register.
const INLINED_LIMBS: usize = 4;

/// Calls `made` for the two limbs at each place of two arrays, and returns the array of the results. For short arrays
/// this is inlined. For wide ones, `in_place` is called, which does the same.
#[inline(always)]
fn combined<const N: usize>(
    word: [u64; N],
    other: [u64; N],
    made: impl Fn(u64, u64) -> u64,
    in_place: fn(&mut [u64], &[u64]),
) -> [u64; N] {
    if N <= INLINED_LIMBS {
        return std::array::from_fn(|i| made(word[i], other[i]));
    }
    let mut combined = word;
    in_place(&mut combined, &other);
    combined
}

impl<const N: usize> Word for [u64; N] {
    const LIMBS: usize = N;
    const LIMB_BITS: u32 = 64;
    const ZERO: Self = [0; N];
    type Views = Self;

    #[inline(always)]
    fn views(self) -> Self {
        self
    }
    fn view(slot: Slot, _bits: u32) -> (usize, u32) {
        (slot.limb, slot.shift)
    }
    #[inline(always)]
    fn limbs(&self) -> &[u64] {
        self
    }
    #[inline(always)]
    fn same(self, other: Self) -> bool {
        if N > INLINED_LIMBS {
            return limbs::same(&self, &other);
        }
        self.iter().zip(&other).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
    }
    #[inline(always)]
    fn of_lanes(_cut: u32, lanes: &WordLanes) -> Self {
        *lanes.first_chunk().expect("a word has at most so many limbs")
    }
    #[inline(always)]
    fn bits(self, slot: Slot, mask: u64) -> u64 {
        self[slot.limb] >> slot.shift & mask
    }
    #[inline(always)]
    fn at(slot: Slot, bits: u64) -> Self {
        let mut word = Self::ZERO;
        word.set(slot, bits);
        word
    }
    #[inline(always)]
    fn set(&mut self, slot: Slot, bits: u64) {
        self[slot.limb] |= bits << slot.shift;
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        combined(
            self,
            other,
            #[inline(always)]
            |a, b| a & b,
            limbs::and,
        )
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        combined(
            self,
            other,
            #[inline(always)]
            |a, b| a | b,
            limbs::or,
        )
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        combined(
            self,
            other,
            #[inline(always)]
            |a, b| a ^ b,
            limbs::xor,
        )
    }
    #[inline(always)]
    fn not(self) -> Self {
        if N <= INLINED_LIMBS {
            return std::array::from_fn(|i| !self[i]);
        }
        let mut word = self;
        limbs::not(&mut word);
        word
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        combined(
            self,
            other,
            #[inline(always)]
            |a: u64, b| a.wrapping_add(b),
            limbs::add,
        )
    }
    fn shifted(self, _distance: i32) -> Self {
        unreachable!("moves on words of several integers are compiled to copies of single cells")
    }
    fn carried(self, _up: Self, _down: Self) -> Self {
        unreachable!("images of words of several integers are made from tables")
    }
    fn minus(self, _other: Self, _times: u64) -> Self {
        unreachable!("cells of words of several integers are advanced one by one")
    }
    #[inline(always)]
    fn xor_rotated(&mut self, word: Self, LimbRotation { from, to, mask, up }: LimbRotation) {
        self[to] ^= (word[from] & mask).rotate_left(up);
    }
    #[inline(always)]
    fn take_bit(&mut self) -> Option<usize> {
        if N > INLINED_LIMBS {
            return limbs::take_bit(self);
        }
        for (index, limb) in self.iter_mut().enumerate() {
            if let Some(bit) = limb.take_bit() {
                return Some(index * 64 + bit);
            }
        }
        None
    }
    #[inline(always)]
    fn to_bytes(self, bytes: &mut [u8]) {
        limbs::to_bytes(&self, bytes);
    }
    #[inline(always)]
    fn from_bytes(bytes: &[u8]) -> Self {
        let mut word = Self::ZERO;
        limbs::from_bytes(&mut word, bytes);
        word
    }
    #[inline(always)]
    fn hash64(self) -> u64 {
        if N > INLINED_LIMBS { limbs::hash64(&self) } else { limbs::hash64_inlined(&self) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_taken_in_order() {
        let mut word = [0b101u64, 1 << 63];
        assert_eq!(
            [word.take_bit(), word.take_bit(), word.take_bit(), word.take_bit()],
            [Some(0), Some(2), Some(127), None]
        );
        let mut word = 1u128 << 100;
        assert_eq!((word.take_bit(), word.take_bit()), (Some(100), None));
    }

    #[test]
    fn hashes_spread_over_their_top_bits() {
        // Checks the hashes of 65,536 words that differ in only 16 bits. Divided into 4,096 buckets, they are 16 to a
        // bucket on average. Few buckets may be empty, and none may have many more.
        fn spread<W: Word>(words: impl Iterator<Item = W>) {
            let mut buckets = vec![0; 4096];
            words.for_each(|word| buckets[(word.hash64() >> 52) as usize] += 1);
            let empty = buckets.iter().filter(|&&count| count == 0).count();
            assert!(empty <= 40, "{empty} buckets are empty");
            assert!(buckets.iter().all(|&count| count <= 64), "a bucket has {:?} words", buckets.iter().max());
        }
        spread((0..1u32 << 16).map(|i| i << 16));
        spread((0..1u64 << 16).map(|i| i << 48));
        spread((0..1u128 << 16).map(|i| i << 112));
        spread((0..1u128 << 16).map(|i| i << 60));
        spread((0..1u64 << 16).map(|i| [0, i << 8, 0, 7]));
        spread((0..1u64 << 16).map(|i| [i << 48, 0, 0, 0]));
    }

    /// A job keeps the version of its hash for ever, so the hashes of a version must never change. Another program
    /// computed the hashes here.
    #[test]
    fn words_have_the_hashes_of_version_1() {
        assert_eq!([0u32.hash64(), 1u32.hash64()], [0x2d7f_3f6b_1a93_80b4, 0xb3a4_b1a2_995e_04a0]);
        assert_eq!(0xdead_beefu32.hash64(), 0xd560_9493_6734_e4f6);
        assert_eq!(0x0123_4567_89ab_cdefu64.hash64(), 0xf34a_9797_ebb9_c2a1);
        assert_eq!(0x0123_4567_89ab_cdef_fedc_ba98_7654_3210u128.hash64(), 0x4a50_d97b_667a_fdb4);
        assert_eq!([1u64, 2, 3, 4].hash64(), 0x13bb_e31f_0aa3_90fa);
    }
}
