//! Sets as bits: maps of sets by look-up, and the number of a set among the sets of its size.

/// A set of cells as bits.
pub type Cells = u32;

/// A map of single bits, applied to a whole set by two look-ups.
#[derive(Debug, Clone, Default)]
pub struct BitMap {
    low: u32,
    table: Vec<Cells>,
}

impl BitMap {
    /// Sets the map: it carries bit `i` to bit `targets[i]`, or drops bit `i` if `targets[i]` is `None`.
    #[inline(always)]
    pub fn set(&mut self, targets: impl ExactSizeIterator<Item = Option<u8>>) {
        let bits = targets.len() as u32;
        self.low = bits.div_ceil(2);
        let (low, high) = (1usize << self.low, 1usize << (bits - self.low));
        self.table.clear();
        self.table.resize(low + high, 0);
        for (bit, target) in targets.enumerate() {
            let image = target.map_or(0, |target| 1 << target);
            // The images of all sets of earlier bits are known. A set that also has this bit has the image of the set
            // without the bit, together with the image of the bit.
            let (begin, known) =
                if bit < self.low as usize { (0, 1 << bit) } else { (low, 1 << (bit - self.low as usize)) };
            for at in 0..known {
                self.table[begin + known + at] = self.table[begin + at] | image;
            }
        }
    }

    /// A map that carries bit `i` to bit `targets[i]`, or drops bit `i` if `targets[i]` is `None`.
    pub fn new(targets: impl ExactSizeIterator<Item = Option<u8>>) -> Self {
        let mut map = Self::default();
        map.set(targets);
        map
    }

    /// The image of a set.
    #[inline(always)]
    pub fn apply(&self, set: Cells) -> Cells {
        let low = 1u32 << self.low;
        self.table[(set & (low - 1)) as usize] | self.table[(low + (set >> self.low)) as usize]
    }
}

/// The number of sets of `k` of `n` things.
pub fn choose(n: usize, k: usize) -> u64 {
    if k > n { 0 } else { (0..k as u64).fold(1, |product, i| product * (n as u64 - i) / (i + 1)) }
}

/// All sets of `k` of the first `n` bits, smallest first.
pub fn subsets(n: usize, k: usize) -> Vec<Cells> {
    let mut sets = Vec::with_capacity(choose(n, k) as usize);
    let mut set = (1u64 << k) - 1;
    while set < 1 << n {
        sets.push(set as Cells);
        if set == 0 {
            break;
        }
        // The next larger number with the same number of bits (Gosper).
        let lowest = set & set.wrapping_neg();
        let carried = set + lowest;
        set = (((carried ^ set) >> 2) / lowest) | carried;
    }
    sets
}

/// The number of a set among the sets of its size, the smallest first: the combinatorial number system.
pub fn rank_subset(set: Cells) -> u64 {
    let bits = (0..Cells::BITS as usize).filter(|bit| set >> bit & 1 != 0);
    bits.enumerate().map(|(at, bit)| choose(bit, at + 1)).sum()
}

/// The set of `size` bits that has the given number among all sets of `size` bits.
pub fn unrank_subset(mut number: u64, size: usize) -> Cells {
    let mut set = 0;
    let mut bit = Cells::BITS as usize;
    for left in (1..=size).rev() {
        bit = (0..bit).rev().find(|&bit| choose(bit, left) <= number).unwrap_or(0);
        number -= choose(bit, left);
        set |= 1 << bit;
    }
    set
}

/// With at most this many bits, one table holds the numbers of all sets. With more, there are two tables.
const WHOLE_BITS: u32 = 20;

/// Numbers sets among the sets of their size by look-up: the combinatorial number system.
#[derive(Debug)]
pub struct SubsetNumbers {
    low: u32,
    /// For each set of the low bits, its number.
    lows: Vec<u32>,
    /// For each set of the high bits and each size of the low part, the number that the high bits add.
    highs: Vec<u32>,
    /// `true` if all bits are low, and only the first table is used.
    whole: bool,
}

impl SubsetNumbers {
    /// The numbers of sets of `bits` bits.
    pub fn new(bits: usize) -> Self {
        Self::with_low(bits, if bits as u32 <= WHOLE_BITS { bits } else { bits / 2 })
    }

    /// The numbers of sets of `bits` bits, always by two small tables, one for each half of a set, so that
    /// [`Self::whole`] is `false`. These tables stay in the first-level cache.
    pub fn in_halves(bits: usize) -> Self {
        Self { whole: false, ..Self::with_low(bits, bits / 2) }
    }

    fn with_low(bits: usize, low: usize) -> Self {
        let mut counts = vec![0; low + 1];
        let lows = (0..1u32 << low)
            .map(|set| {
                let count = &mut counts[set.count_ones() as usize];
                *count += 1;
                *count - 1
            })
            .collect();
        let mut highs = Vec::new();
        for set in 0u32..1 << (bits - low) {
            for below in 0..=low {
                let places = (0..bits - low).filter(|place| set >> place & 1 != 0);
                let sum: u64 = places.enumerate().map(|(i, place)| choose(low + place, below + i + 1)).sum();
                // If the sum does not fit 32 bits, the set has more bits than any set that is looked up.
                highs.push(u32::try_from(sum).unwrap_or(u32::MAX));
            }
        }
        Self { low: low as u32, lows, highs, whole: low == bits }
    }

    /// Returns `true` if the number of a set takes one look-up, in one table; otherwise it takes two.
    pub fn whole(&self) -> bool {
        self.whole
    }

    /// The number of a set. `WHOLE` may be `true` if [`Self::whole`] returns `true`, and takes one look-up then.
    #[inline(always)]
    pub fn of<const WHOLE: bool>(&self, set: Cells) -> usize {
        if WHOLE {
            return self.lows[set as usize] as usize;
        }
        let low = set & ((1 << self.low) - 1);
        let high = (set >> self.low) * (self.low + 1) + low.count_ones();
        (self.lows[low as usize] + self.highs[high as usize]) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_numbered_by_value() {
        for (bits, sizes) in [(0, 0..=0), (5, 0..=5), (21, 0..=3), (21, 20..=21)] {
            let (numbers, halves) = (SubsetNumbers::new(bits), SubsetNumbers::in_halves(bits));
            for size in sizes {
                let sets = subsets(bits, size);
                assert_eq!(sets.len() as u64, choose(bits, size));
                for (at, &set) in sets.iter().enumerate() {
                    assert_eq!((numbers.of::<false>(set), halves.of::<false>(set)), (at, at));
                    assert!(!numbers.whole() || numbers.of::<true>(set) == at);
                    assert_eq!((rank_subset(set), unrank_subset(at as u64, size)), (at as u64, set));
                }
            }
        }
    }

    #[test]
    fn maps_take_bits_where_they_should() {
        let map = BitMap::new([Some(3), None, Some(0), Some(6), Some(1)].into_iter());
        for set in 0..32 {
            let bit = |from: u32, to: u32| (set >> from & 1) << to;
            assert_eq!(map.apply(set), bit(0, 3) | bit(2, 0) | bit(3, 6) | bit(4, 1));
        }
    }
}
