//! The encodings of Parquet's columns: numbers of few bits as runs, and numbers in order as differences.

use super::thrift::{put_varint, zigzag};

/// The numbers of a block of differences, and of each of its parts. A part has a width of its own.
const BLOCK: usize = 128;
const PART: usize = 32;

/// Appends numbers below `2^bits`, each in `bits` bits, the first in the lowest ones.
fn pack(numbers: impl Iterator<Item = u64>, bits: u32, to: &mut Vec<u8>) {
    let (mut held, mut filled) = (0u128, 0);
    for number in numbers {
        held |= u128::from(number) << filled;
        filled += bits;
        while filled >= 8 {
            to.push(held as u8);
            held >>= 8;
            filled -= 8;
        }
    }
    if filled > 0 {
        to.push(held as u8);
    }
}

/// Appends numbers of at most `bits` bits, 1 to 32. Eight or more equal numbers are written as one run; all others come
/// in packs of eight.
///
/// For example, ten times 3 in 2 bits are the bytes 20 and 3: twice the length, and the number.
pub(super) fn put_runs(numbers: &[u32], bits: u32, to: &mut Vec<u8>) {
    let pack_all = |numbers: &[u32], to: &mut Vec<u8>| {
        if !numbers.is_empty() {
            let packs = numbers.len().div_ceil(8);
            put_varint(to, (packs as u64) << 1 | 1);
            let padded = numbers.iter().copied().chain(std::iter::repeat(0)).take(packs * 8);
            pack(padded.map(u64::from), bits, to);
        }
    };
    let (mut at, mut packed) = (0, 0);
    while at < numbers.len() {
        let same = numbers[at..].iter().take_while(|&&number| number == numbers[at]).count();
        if same < 8 {
            at = (at + 8).min(numbers.len());
            continue;
        }
        pack_all(&numbers[packed..at], to);
        put_varint(to, (same as u64) << 1);
        to.extend_from_slice(&numbers[at].to_le_bytes()[..bits.div_ceil(8) as usize]);
        at += same;
        packed = at;
    }
    pack_all(&numbers[packed..], to);
}

/// Appends numbers as differences from the number before: of each block the smallest difference, and how much the
/// others exceed it, in as few bits as the largest in each part needs. There is at least one number.
pub(super) fn put_differences(numbers: &[u64], to: &mut Vec<u8>) {
    for head in [BLOCK, BLOCK / PART, numbers.len()] {
        put_varint(to, head as u64);
    }
    put_varint(to, zigzag(numbers[0] as i64));
    let mut block = Vec::with_capacity(BLOCK);
    for pairs in numbers.windows(2).collect::<Vec<_>>().chunks(BLOCK) {
        block.clear();
        block.extend(pairs.iter().map(|pair| pair[1].wrapping_sub(pair[0]) as i64));
        let least = block.iter().copied().min().unwrap_or(0);
        put_varint(to, zigzag(least));
        let above = |&difference: &i64| difference.wrapping_sub(least) as u64;
        let bits = |part: &[i64]| 64 - part.iter().map(above).fold(0, |all, one| all | one).leading_zeros();
        let mut widths = [0; BLOCK / PART];
        for (width, part) in widths.iter_mut().zip(block.chunks(PART)) {
            *width = bits(part) as u8;
        }
        to.extend_from_slice(&widths);
        for (part, width) in block.chunks(PART).zip(widths) {
            pack(part.iter().map(above).chain(std::iter::repeat(0)).take(PART), u32::from(width), to);
        }
    }
}
