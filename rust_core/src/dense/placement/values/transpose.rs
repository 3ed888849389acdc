//! Exchanges rows and columns of bits.

/// Transposes 64 words of 64 bits: bit `i` of word `j` becomes bit `j` of word `i`.
///
/// First, halves of 32 words and 32 bits change places, then quarters within each half, and so on. With four words of
/// four bits, written from bit 0 on, the two corners that lie across from each other are exchanged first, and then the
/// same is done within each corner:
///
/// ```text
/// abcd    ab ij    a e i m
/// efgh    ef mn    b f j n
/// ijkl →  cd kl →  c g k o
/// mnop    gh op    d h l p
/// ```
#[inline(always)]
pub fn transpose(words: &mut [u64; 64]) {
    let (mut width, mut mask) = (32, u64::from(u32::MAX));
    while width > 0 {
        for pair in words.chunks_exact_mut(2 * width) {
            let (upper, lower) = pair.split_at_mut(width);
            for (upper, lower) in upper.iter_mut().zip(lower) {
                let exchanged = (*upper >> width ^ *lower) & mask;
                *upper ^= exchanged << width;
                *lower ^= exchanged;
            }
        }
        width /= 2;
        mask ^= mask << width;
    }
}

/// Does the same as [`transpose`], by code that is not compiled again for each caller.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // it is for x86-64 processors without AVX2
#[inline(never)]
pub fn transpose_called(words: &mut [u64; 64]) {
    transpose(words);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns() {
        let mut random = 1u64;
        let mut words = [0; 64].map(|_: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            random
        });
        let before = words;
        let mut again = words;
        transpose(&mut words);
        transpose_called(&mut again);
        assert_eq!(again, words);
        for (at, word) in words.iter().enumerate() {
            assert_eq!(*word, (0..64).fold(0, |sum, bit| sum | (before[bit] >> at & 1) << bit));
        }
    }
}
