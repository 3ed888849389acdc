//! Ranks of words: numbers that compare as the words do, and of which the smallest is found faster.

/// A word that has a rank.
pub trait Ranked: Copy {
    /// A number that stands for the word where words are compared.
    type Rank: Copy + PartialOrd;
    /// Ranks compare as words do if no bits but so many of the lowest ones are ever set. If it is 0, words are best
    /// compared as they are.
    const RANK_BITS: u32 = 0;

    /// The rank of a word.
    fn rank(self) -> Self::Rank;
    /// The word of a rank.
    fn of_rank(rank: Self::Rank) -> Self;
}

/// The rank of a word of 64 bits is a fraction from 1 up to 2, of which the lowest 52 bits are those of the word. Most
/// processors find the smaller ones of several pairs of fractions in one step, and those of pairs of integers of 64
/// bits in four. Such a fraction is never so small or so large that a setting of the processor changes how it compares.
impl Ranked for u64 {
    type Rank = f64;
    const RANK_BITS: u32 = f64::MANTISSA_DIGITS - 1;

    #[inline(always)]
    fn rank(self) -> f64 {
        f64::from_bits(self | 1f64.to_bits())
    }

    #[inline(always)]
    fn of_rank(rank: f64) -> Self {
        rank.to_bits() & !1f64.to_bits()
    }
}

/// Words that are their own ranks.
macro_rules! own_rank {
    ($word:ty $(, $length:ident)?) => {
        impl$(<const $length: usize>)? Ranked for $word {
            type Rank = Self;

            #[inline(always)]
            fn rank(self) -> Self {
                self
            }

            #[inline(always)]
            fn of_rank(rank: Self) -> Self {
                rank
            }
        }
    };
}

own_rank!(u32);
own_rank!(u128);
own_rank!([u64; N], N);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ranks_compare_as_words(one in 0u64..1 << u64::RANK_BITS, other in 0u64..1 << u64::RANK_BITS) {
            for (one, other) in [(one, other), (one, one), (0, other), ((1 << u64::RANK_BITS) - 1, other)] {
                prop_assert_eq!(u64::of_rank(one.rank()), one);
                prop_assert_eq!(one.rank().partial_cmp(&other.rank()), Some(one.cmp(&other)));
            }
        }
    }
}
