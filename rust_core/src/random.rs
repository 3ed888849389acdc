//! Random numbers that are the same for ever: a documented generator, seeded by a text.

/// A constant that makes these numbers independent of all other uses of the same hash function.
const PERSONALISATION: &[u8; 16] = b"puzzlekit-rand-1";

/// The last step of the generator `SplitMix64`: a permutation of the numbers of 64 bits in which each bit of the result
/// depends on all bits of `number`.
pub(crate) fn spread(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}

/// A stream of numbers that depends only on a text. It is the same on every platform and in every version.
///
/// The stream is `BLAKE2b` in counter mode. Block `i` (from 0) is a 64-byte digest with the personalisation
/// `puzzlekit-rand-1`. Its input is `i` as 8 little-endian bytes, followed by the text in UTF-8. Each block gives eight
/// little-endian numbers of 64 bits. Numbers below a bound are made from them by rejection, so they are exactly
/// uniform.
///
/// # Examples
///
/// ```
/// let mut numbers = puzzlekit_core::Random::new("a seed");
/// let mut same = puzzlekit_core::Random::new("a seed");
/// assert_eq!(numbers.below(1000), same.below(1000));
/// ```
#[derive(Debug, Clone)]
pub struct Random {
    seed: String,
    counter: u64,
    block: [u8; 64],
    used: usize,
}

impl Random {
    /// The stream of random numbers that belongs to a text.
    pub fn new(seed: &str) -> Self {
        Self { seed: seed.to_owned(), counter: 0, block: [0; 64], used: 64 }
    }

    /// The next number of 64 bits in the stream.
    pub fn next_u64(&mut self) -> u64 {
        if self.used == 64 {
            let digest = blake2b_simd::Params::new()
                .hash_length(64)
                .personal(PERSONALISATION)
                .to_state()
                .update(&self.counter.to_le_bytes())
                .update(self.seed.as_bytes())
                .finalize();
            self.block.copy_from_slice(digest.as_bytes());
            self.counter += 1;
            self.used = 0;
        }
        let bytes = &self.block[self.used..self.used + 8];
        self.used += 8;
        bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
    }

    /// A random number from 0 to `bound - 1`, each equally likely. Numbers of the stream at or above the largest
    /// multiple of `bound` are skipped, since they would make some results more likely.
    ///
    /// # Panics
    ///
    /// If `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        // The number of values at the top that are skipped: 2^64 modulo `bound`.
        let surplus = bound.wrapping_neg() % bound;
        loop {
            let number = self.next_u64();
            if number <= u64::MAX - surplus {
                return number % bound;
            }
        }
    }

    /// A random item of a list, each equally likely.
    ///
    /// # Panics
    ///
    /// If the list is empty.
    pub fn choose<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len() as u64) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_same_for_ever() {
        let mut numbers = Random::new("seed");
        let first: Vec<u64> = (0..9).map(|_| numbers.next_u64()).collect();
        // The ninth number comes from the second block. Checked with Python's hashlib.
        assert_eq!(first[0], 0x4CFE_7DCC_E29C_6AFE);
        assert_eq!(first[8], 0x2812_06EA_3121_E705);
    }

    #[test]
    fn numbers_below_a_bound_are_even() {
        let mut numbers = Random::new("even");
        let mut counts = [0; 6];
        (0..60_000).for_each(|_| counts[numbers.below(6) as usize] += 1);
        // Each count may differ from the mean by six standard deviations of 91.
        assert!(counts.iter().all(|count| (9_450..10_550).contains(count)), "{counts:?}");
    }
}
