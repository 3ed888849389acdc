//! Permutations of the bits of a block, many bits at a time.
//!
//! A Beneš network has stages. In each, the bits of a block are paired with those at a fixed distance, and some pairs
//! are exchanged. The distances are half the block, a quarter and so on down to one, and up again. Two masks and two
//! shifts do a stage for all bits of a word. After V. E. Beneš, "Mathematical Theory of Connecting Networks and
//! Telephone Traffic" (1965), and D. E. Knuth, "The Art of Computer Programming" 4A, section 7.1.3.
//!
//! # Four bits
//!
//! Let the bits 0 1 2 3 go to 1 2 3 0. The first stage may exchange the bits 0 and 2, and the bits 1 and 3. The last
//! one may do the same. The stage between them may exchange 0 and 1, and 2 and 3. The two bits of a pair must pass the
//! middle in different halves, and so must two bits that go to a pair. So put bit 0 into the lower half, and bit 2 into
//! the upper one. Bit 2 goes to 3, and the other bit of that pair, 1, comes from bit 0: these are in different halves
//! already. In the same way, bit 1 goes through the lower half, and bit 3 through the upper half. The first stage
//! exchanges nothing. In the middle, bit 0 must come to place 1, and bit 1 to place 0, since it goes to 2 by the last
//! stage. So that pair is exchanged. Bit 2 must come to place 3, and bit 3 to place 2: another exchange. The last stage
//! exchanges the places 0 and 2, which hold the bits 1 and 3.

/// The most words of a block for which a network is made.
const MOST_WORDS: usize = 128;

/// The number of words that one loop handles together, as a vector.
const LANES: usize = 8;

/// A permutation of the bits of a block, as stages of exchanges.
#[derive(Debug)]
pub(super) struct BitNetwork {
    /// The number of words that the network permutes: a power of two.
    words: usize,
    stages: Vec<NetworkStage>,
}

/// A stage: exchanges pairs of bits that are `apart` places apart.
#[derive(Debug)]
struct NetworkStage {
    apart: usize,
    /// For each word, the bits that are exchanged: the lower bit of each pair within a word, and both bits of each pair
    /// of bits in different words.
    masks: Vec<u64>,
}

impl BitNetwork {
    /// The network that carries each bit to its place in the list. `None` if blocks are too large.
    pub fn new(places: &[u32]) -> Option<Self> {
        let bits = places.len().next_power_of_two().max(64);
        let words = bits / 64;
        if words > MOST_WORDS {
            return None;
        }
        let all: Vec<u32> = places.iter().copied().chain(places.len() as u32..bits as u32).collect();
        let levels = bits.ilog2() as usize;
        let apart = |stage: usize| bits >> 1 >> stage.min(2 * levels - 2 - stage);
        let mut stages: Vec<NetworkStage> =
            (0..2 * levels - 1).map(|stage| NetworkStage { apart: apart(stage), masks: vec![0; words] }).collect();
        route(&mut stages, 0, &all);
        stages.retain(|stage| stage.masks.iter().any(|&mask| mask != 0));
        Some(Self { words, stages })
    }

    /// The fewest set bits of a block with which the network is faster than moving each bit alone.
    pub fn worth(&self) -> u32 {
        // In the time that it takes to move one bit alone, a stage permutes about two words. Each stage also has a
        // small cost of its own.
        (self.stages.len() * (3 + self.words / 2)) as u32
    }

    /// Permutes the bits of a block. Zeros fill the block up to a power of two words.
    #[inline(always)]
    pub fn apply(&self, words: &mut [u64]) {
        match self.words {
            1 => self.apply_chunks::<1>(words),
            2 => self.apply_chunks::<2>(words),
            4 => self.apply_chunks::<4>(words),
            _ => self.apply_chunks::<LANES>(words),
        }
    }

    /// Permutes the bits of words in chunks of `L`.
    #[inline(always)]
    fn apply_chunks<const L: usize>(&self, words: &mut [u64]) {
        for NetworkStage { apart, masks } in &self.stages {
            // Each distance has a loop of its own, so that the compiler knows the distance and makes vectors of it.
            match apart {
                1 => exchange_within::<1>(words, masks),
                2 => exchange_within::<2>(words, masks),
                4 => exchange_within::<4>(words, masks),
                8 => exchange_within::<8>(words, masks),
                16 => exchange_within::<16>(words, masks),
                32 => exchange_within::<32>(words, masks),
                64 if L > 1 => exchange_lanes::<L, 1>(words, masks),
                128 if L > 2 => exchange_lanes::<L, 2>(words, masks),
                256 if L > 4 => exchange_lanes::<L, 4>(words, masks),
                _ => exchange_words(words, masks, apart / 64),
            }
        }
    }
}

/// Exchanges bits of the same word.
#[inline(always)]
fn exchange_within<const APART: u32>(words: &mut [u64], masks: &[u64]) {
    for (word, &mask) in words.iter_mut().zip(masks) {
        let changed = (*word ^ *word >> APART) & mask;
        *word ^= changed ^ changed << APART;
    }
}

/// Exchanges bits of words at a distance of `between` words, a power of two.
#[inline(always)]
fn exchange_words(words: &mut [u64], masks: &[u64], between: usize) {
    for (words, masks) in words.chunks_exact_mut(2 * between).zip(masks.chunks_exact(2 * between)) {
        let (low, high) = words.split_at_mut(between);
        for ((low, high), &mask) in low.iter_mut().zip(high).zip(masks) {
            let changed = (*low ^ *high) & mask;
            *low ^= changed;
            *high ^= changed;
        }
    }
}

/// Exchanges bits of words at a distance of `BETWEEN` words, in chunks of `L`.
#[inline(always)]
fn exchange_lanes<const L: usize, const BETWEEN: usize>(words: &mut [u64], masks: &[u64]) {
    for (words, masks) in words.as_chunks_mut::<L>().0.iter_mut().zip(masks.as_chunks::<L>().0) {
        let before = *words;
        for lane in 0..L {
            words[lane] ^= (before[lane] ^ before[(lane ^ BETWEEN) % L]) & masks[lane];
        }
    }
}

/// Sets the masks of a part of the network: bit `begin + i` is to come to place `begin + places[i]`. The first and the
/// last of the stages exchange bits between the two halves of the part. The stages between them route each half by
/// itself.
fn route(stages: &mut [NetworkStage], begin: usize, places: &[u32]) {
    let half = places.len() / 2;
    let Some(last) = stages.len().checked_sub(1) else { return };
    let mut exchange = |stage: usize, low: usize| {
        let (low, high) = (begin + low, begin + low + half);
        stages[stage].masks[low / 64] |= 1 << (low % 64);
        if half >= 64 {
            stages[stage].masks[high / 64] |= 1 << (high % 64);
        }
    };
    if half == 1 {
        if places[0] == 1 {
            exchange(0, 0);
        }
        return;
    }
    let mut from = vec![0; places.len()];
    for (bit, &place) in places.iter().enumerate() {
        from[place as usize] = bit;
    }
    // For each bit, `true` if it goes through the upper half. The partner of a bit goes through the other half, and so
    // does the bit that goes to the partner of its place.
    let mut upper: Vec<Option<bool>> = vec![None; places.len()];
    for first in 0..half {
        let mut bit = first;
        while upper[bit].is_none() {
            upper[bit] = Some(false);
            let partner = bit ^ half;
            upper[partner] = Some(true);
            bit = from[places[partner] as usize ^ half];
        }
    }
    let mut parts = [vec![0; half], vec![0; half]];
    for (bit, &place) in places.iter().enumerate() {
        let up = upper[bit] == Some(true);
        parts[usize::from(up)][bit % half] = place % half as u32;
        if up && bit < half {
            exchange(0, bit);
        }
        if up && (place as usize) < half {
            exchange(last, place as usize);
        }
    }
    let inner = &mut stages[1..last];
    route(inner, begin, &parts[0]);
    route(inner, begin + half, &parts[1]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SIZES: [usize; 11] = [1, 2, 16, 64, 81, 128, 243, 500, 512, 729, 1024];

    proptest! {
        #[test]
        fn each_bit_comes_to_its_place(
            (places, bits) in prop::sample::select(SIZES.to_vec()).prop_flat_map(
                |bits| {
                    let places = Just((0..bits as u32).collect::<Vec<_>>()).prop_shuffle();
                    (places, prop::collection::vec(any::<bool>(), bits))
                },
            ),
        ) {
            let network = BitNetwork::new(&places).unwrap();
            let (mut words, mut expected) = (vec![0u64; network.words], vec![0u64; network.words]);
            for (bit, &place) in places.iter().enumerate().filter(|&(bit, _)| bits[bit]) {
                words[bit / 64] |= 1 << (bit % 64);
                expected[place as usize / 64] |= 1 << (place % 64);
            }
            network.apply(&mut words);
            prop_assert_eq!(words, expected);
        }
    }

    #[test]
    fn large_blocks_have_no_network() {
        let whole = |bits: u32| (0..bits).rev().collect::<Vec<u32>>();
        assert!(BitNetwork::new(&whole(8192)).is_some());
        assert!(BitNetwork::new(&whole(8193)).is_none());
    }
}
