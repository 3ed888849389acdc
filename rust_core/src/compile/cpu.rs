//! The choice of an instruction set at run time, so that one binary is fast on every processor.

/// A task that is compiled once for each instruction set. `run`, and everything that its hot loop calls, must be
/// `#[inline(always)]`, since only inlined code is compiled for the instruction set.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // other processors have no sets to choose from
pub trait Task {
    /// `true` if the task is to be compiled for AVX-512, too. This makes the program larger, so it is `false` for tasks
    /// that AVX-512 does not make faster.
    const GAINS_BY_AVX512: bool = true;

    /// `true` if the task is to be compiled for AVX2, too. If not, it is not compiled for AVX-512 either.
    const GAINS_BY_AVX2: bool = true;

    /// Does the task.
    fn run(self);

    /// Does the task on an x86-64 processor that lacks AVX2. Few processors lack it, so the code here may be smaller
    /// and slower.
    fn run_without_avx2(self)
    where
        Self: Sized,
    {
        self.run();
    }
}

/// The instruction set that hot loops are compiled for.
///
/// # Examples
///
/// ```
/// let set = puzzlekit_core::InstructionSet::detect();
/// assert!(["avx512", "avx2", "baseline"].contains(&set.name()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstructionSet {
    /// The instructions that every processor of this architecture has.
    Baseline,
    /// AVX2 with BMI1, BMI2 and POPCNT, on x86-64.
    Avx2,
    /// AVX-512 with its parts F, BW, DQ and VL, in addition to the above.
    Avx512,
}

impl InstructionSet {
    /// The best instruction set that this processor has.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt")
        {
            let whole = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl");
            return if whole { Self::Avx512 } else { Self::Avx2 };
        }
        Self::Baseline
    }

    /// The name of the set, in small letters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

/// Runs a task with the best instruction set that this processor and the task have.
pub fn run<T: Task>(task: T) {
    #[cfg(target_arch = "x86_64")]
    {
        match InstructionSet::detect() {
            InstructionSet::Avx512 if T::GAINS_BY_AVX512 && T::GAINS_BY_AVX2 => {
                // SAFETY: `detect` has found each feature that `run_avx512` enables.
                #[expect(unsafe_code, reason = "calling code for an instruction set that was just detected")]
                return unsafe { run_avx512(task) };
            }
            InstructionSet::Avx512 | InstructionSet::Avx2 if T::GAINS_BY_AVX2 => {
                // SAFETY: `detect` has found each feature that `run_avx2` enables.
                #[expect(unsafe_code, reason = "calling code for an instruction set that was just detected")]
                return unsafe { run_avx2(task) };
            }
            _ if T::GAINS_BY_AVX2 => return task.run_without_avx2(),
            _ => {}
        }
    }
    task.run();
}

/// Deposits the lowest bits of a number into the places where a mask has ones. The x86-64 processors with BMI2 have an
/// instruction for it, and a loop does it on others.
///
/// For example, the mask 0110 1010 has ones at the places 1, 3, 5 and 6. The number 1011 has the bits 1, 1, 0 and 1,
/// from the lowest on. So the places 1, 3 and 6 are set in the result: 0100 1010.
#[derive(Debug, Clone, Copy)]
pub struct Deposit {
    has_instruction: bool,
}

impl Deposit {
    /// Finds out whether this processor has the instruction.
    pub fn detect() -> Self {
        Self { has_instruction: InstructionSet::detect() != InstructionSet::Baseline }
    }

    /// Deposits the lowest bits of `bits` into the places of `mask`.
    #[inline(always)]
    pub fn put(self, bits: u64, mask: u64) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if self.has_instruction {
            // SAFETY: `detect` has found that the processor has BMI2.
            #[expect(unsafe_code, reason = "calling an instruction of a set that was detected")]
            return unsafe { std::arch::x86_64::_pdep_u64(bits, mask) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = self.has_instruction;
        let (mut rest, mut bits, mut put) = (mask, bits, 0);
        while rest != 0 && bits != 0 {
            let place = rest & rest.wrapping_neg();
            put |= if bits & 1 != 0 { place } else { 0 };
            rest ^= place;
            bits >>= 1;
        }
        put
    }
}

/// The number of set bits in some bytes.
pub fn count_ones(bytes: &[u8]) -> u64 {
    let mut count = 0;
    run(CountOnes { bytes, count: &mut count });
    count
}

/// The task that counts set bits. Without the instruction for it, a word takes ten times as long.
struct CountOnes<'a> {
    bytes: &'a [u8],
    count: &'a mut u64,
}

impl Task for CountOnes<'_> {
    const GAINS_BY_AVX512: bool = false;

    #[inline(always)]
    fn run(self) {
        let (words, rest) = self.bytes.as_chunks();
        for &word in words {
            *self.count += u64::from(u64::from_ne_bytes(word).count_ones());
        }
        for byte in rest {
            *self.count += u64::from(byte.count_ones());
        }
    }
}

/// Makes the processor fetch `items[at]`, because it will be read soon. So several items are fetched at the same time.
/// This changes only the speed. In stable Rust, only x86-64 has an instruction for it; elsewhere this does nothing.
#[inline(always)]
pub fn prefetch<T>(items: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 processor has the instruction, and it reads nothing that the program could see.
        #[expect(unsafe_code, reason = "the instruction has no safe form")]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(items.as_ptr().wrapping_add(at).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (items, at);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
fn run_avx512<T: Task>(task: T) {
    task.run();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn run_avx2<T: Task>(task: T) {
    task.run();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_bits_are_counted_whatever_the_length() {
        let bytes: Vec<u8> = (0..100u8).map(|at| at.wrapping_mul(37)).collect();
        for length in [0, 1, 7, 8, 9, 64, 100] {
            let plain: u32 = bytes[..length].iter().map(|byte| byte.count_ones()).sum();
            assert_eq!(count_ones(&bytes[..length]), u64::from(plain), "{length} bytes");
        }
    }

    #[test]
    fn bits_are_put_into_the_places_of_a_mask() {
        for deposit in [Deposit::detect(), Deposit { has_instruction: false }] {
            assert_eq!(deposit.put(0b1011, 0b0110_1010), 0b0100_1010);
            assert_eq!(deposit.put(u64::MAX, 1 << 63 | 5), 1 << 63 | 5);
            assert_eq!((deposit.put(1 << 63, u64::MAX), deposit.put(7, 0)), (1 << 63, 0));
        }
    }
}
