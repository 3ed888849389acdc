//! Sorts many words and drops duplicates: the words are divided by their first bits, and then sorted piece by piece in
//! the cache.

use crate::compile::{Slot, Word};
use crate::run::parallel;

/// The number of first bits by which words are divided: few enough to write the pieces side by side, many enough for
/// most pieces to fit the cache.
const DIVIDING_BITS: u32 = 10;

/// Lists of at most this many words fit the cache, so they are sorted directly.
const FEW: usize = 1 << 15;

/// Sorts words of one integer each, and drops duplicates.
///
/// Take 13 2 13 7, and let only one bit divide them, that of the eights. The pieces are 2 7 and 13 13, and sorted
/// without duplicates, they are 2 7 13. Words that have all their first bits in common make one large piece, which is
/// sorted without being divided.
pub fn sort_once<W: Word>(words: &mut Vec<W>) {
    assert!(W::LIMBS == 1, "the first bits of an array are in its first integer");
    if words.len() <= FEW {
        words.sort_unstable();
        words.dedup();
        return;
    }
    let used = words.iter().fold(W::ZERO, |bits, &word| bits.or(word));
    let mut bytes = [0; 16];
    used.to_bytes(&mut bytes[16 - W::BYTES..]);
    let bits = 128 - u128::from_be_bytes(bytes).leading_zeros();
    let first = Slot { limb: 0, shift: bits.saturating_sub(DIVIDING_BITS) };
    let piece = |word: W| word.bits(first, (1 << DIVIDING_BITS) - 1) as usize;
    // Place p + 1 first counts the words of piece p, then it is the beginning of the piece, and at last its end.
    let mut ends = vec![0usize; (1 << DIVIDING_BITS) + 1];
    for &word in &*words {
        ends[piece(word) + 1] += 1;
    }
    for at in 1..ends.len() {
        ends[at] += ends[at - 1];
    }
    if parallel::threads() > 1 {
        sort_in_place(words, ends, piece);
        words.dedup();
        return;
    }
    let mut pieces = vec![W::ZERO; words.len()];
    for &word in &*words {
        let place = &mut ends[piece(word)];
        pieces[*place] = word;
        *place += 1;
    }
    words.clear();
    let mut begin = 0;
    for &end in &ends[..1 << DIVIDING_BITS] {
        let piece = &mut pieces[begin..end];
        piece.sort_unstable();
        let mut last = None;
        words.extend(piece.iter().copied().filter(|&word| last.replace(word) != Some(word)));
        begin = end;
    }
}

/// Sorts words into pieces on all threads, in the memory that they are in, and each piece by itself. `begins` has the
/// place where each piece begins, and then the number of words.
///
/// Take the words 13 2 9 7 with the pieces below 8 and from 8 on, which begin at 0 and 2. The first place has 13, which
/// belongs to the second piece, and goes to its first place: 9 2 13 7. Next, 9 goes to the second place of that piece:
/// 7 2 13 9. Then 7 and 2 are in the right piece.
fn sort_in_place<W: Word>(words: &mut [W], mut begins: Vec<usize>, piece: impl Fn(W) -> usize) {
    let ends = begins[1..].to_vec();
    for own in 0..ends.len() {
        while begins[own] < ends[own] {
            let other = piece(words[begins[own]]);
            if other != own {
                words.swap(begins[own], begins[other]);
            }
            begins[other] += 1;
        }
    }
    let (mut pieces, mut rest, mut begin) = (Vec::with_capacity(ends.len()), words, 0);
    for end in ends {
        let (piece, after) = rest.split_at_mut(end - begin);
        pieces.push(piece);
        (rest, begin) = (after, end);
    }
    parallel::each_mut(&mut pieces, |_, piece| parallel::sort(piece));
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::random::Random;
    use crate::run::{Options, in_pool};

    fn sorts<W: Word>(word: impl FnMut(u64) -> W, count: usize) {
        let mut random = Random::new("sort");
        let words: Vec<W> = std::iter::repeat_with(|| random.next_u64()).map(word).take(count).collect();
        let expected: Vec<W> = words.iter().copied().collect::<BTreeSet<W>>().into_iter().collect();
        for threads in [1, 3] {
            let mut sorted = words.clone();
            in_pool(&Options { threads, ..Options::default() }, || sort_once(&mut sorted)).unwrap();
            assert!(sorted == expected, "{count} words, {threads} threads");
        }
    }

    #[test]
    fn words_come_out_in_order_and_each_once() {
        for count in [0, 1, 2, FEW, FEW + 1, 3 * FEW] {
            sorts(|number| number, count);
            sorts(|number| number as u32, count);
            sorts(|number| u128::from(number) << 64 | 5, count);
            // Cases: many copies of each number; equal first bits; small words and the largest one; a single word.
            sorts(|number| number % 1000, count);
            sorts(|number| number >> 20 | 1 << 63, count);
            sorts(|number| if number % 4096 == 0 { u64::MAX } else { number % 3 }, count);
            sorts(|_| 0u32, count);
        }
    }
}
