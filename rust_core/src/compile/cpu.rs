//! The choice of an instruction set at run time, so that one binary is fast on every processor.

use std::sync::atomic::{AtomicU8, Ordering};

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
    /// The best instruction set that this processor has. It is found out once.
    #[inline(never)]
    pub fn detect() -> Self {
        static KNOWN: AtomicU8 = AtomicU8::new(0);
        match KNOWN.load(Ordering::Relaxed) {
            1 => Self::Baseline,
            2 => Self::Avx2,
            3 => Self::Avx512,
            _ => {
                let found = Self::detect_now();
                KNOWN.store(1 + found as u8, Ordering::Relaxed);
                found
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn detect_now() -> Self {
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

/// A register of 32 bytes, or of four integers of 64 bits with a sign. The first byte is the lowest one of the first
/// integer. Only [`run_on_registers`] chooses a type that has this trait.
pub trait Register: Copy {
    /// `true` if loops of known length are to be written out. If not, their code is small.
    const WRITTEN_OUT: bool;
    /// `true` if the register is one of the processor's own.
    const IS_OF_PROCESSOR: bool;
    /// The register with four integers.
    fn new(integers: [u64; 4]) -> Self;
    /// The four integers.
    fn integers(self) -> [u64; 4];
    /// Bitwise and.
    fn and(self, other: Self) -> Self;
    /// Bitwise or.
    fn or(self, other: Self) -> Self;
    /// Bitwise exclusive or.
    fn xor(self, other: Self) -> Self;
    /// The integers, shifted up by the numbers of `places`, which are below 64. Bits that leave an integer are lost.
    fn up(self, places: Self) -> Self;
    /// The integers, shifted down by the numbers of `places`, which are below 64.
    fn down(self, places: Self) -> Self;
    /// All ones in the integers that are equal to those of `other`, and zeros in the others.
    fn equal(self, other: Self) -> Self;
    /// The same for each half of an integer: eight comparisons of 32 bits.
    fn equal_32(self, other: Self) -> Self;
    /// Shuffles the first 16 bytes and the last 16, each half in itself. Byte `i` of a half of the result is the byte
    /// of the same half of this register whose place, from 0 to 15, is byte `i` of that half of `places`. If that is
    /// 128 or more, the result is zero there. Places from 16 to 127 must not occur.
    ///
    /// For example, with four bytes in a half: from `a b c d`, the places `3 0 128 0` take `d a 0 a`.
    fn shuffled(self, places: Self) -> Self;
    /// In each two bytes, the lower one plus a factor times the upper one: 16 bits. Each two bytes of `factors` are 1
    /// and the factor, which is below 128 and is everywhere the same. Each result must be below 2 to the power of 15.
    ///
    /// For example, in decimal digits: with the factor 2, `31 42 05` becomes `07 10 05`.
    fn paired_8(self, factors: Self) -> Self;
    /// The same for each two numbers of 16 bits, which become 32 bits. Each 32 bits of `factors` are 1 in the lower
    /// half and the factor in the upper one. The numbers and the factor are below 2 to the power of 15.
    fn paired_16(self, factors: Self) -> Self;
    /// Multiplies each 16 bits of this register by the same 16 bits of `factors`. The result is the second lowest byte
    /// of each product.
    ///
    /// For example, if a register had two decimal digits and not two bytes: `34` times `10` is `340`, which gives `4`.
    fn shifted_16(self, factors: Self) -> Self;
    /// The lower bytes of each two bytes, where the upper ones are zero. From the lowest place on, these are the bytes
    /// of the first two integers of this register, of the first two of `other`, and of the last two of both.
    fn narrowed(self, other: Self) -> Self;
    /// The integers, with the second and the third one exchanged.
    fn crossed(self) -> Self;
    /// The smaller one of each two integers.
    fn lesser(self, other: Self) -> Self;
    /// The smaller one of each two halves of integers, without signs.
    fn lesser_32(self, other: Self) -> Self;
    /// The smallest half of an integer, without signs, in all eight places.
    fn least_32(self) -> Self;
    /// All ones in the integers that are greater than those of `other`, and zeros in the others.
    fn greater(self, other: Self) -> Self;
    /// The integers of `one` where those of this register are all ones, and those of `other` where they are zero.
    fn chosen(self, one: Self, other: Self) -> Self;
    /// The smallest integer, in all four places.
    fn least(self) -> Self;
    /// The highest bit of each integer, the first one in the lowest place.
    fn signs(self) -> u64;
    /// The highest bit of each half of an integer: eight bits, the lower half of the first one in the lowest place.
    fn signs_32(self) -> u64;
}

/// A task on registers. `run`, and everything that its hot loop calls, must be `#[inline(always)]`.
pub trait RegisterTask {
    /// Does the task.
    fn run<V: Register>(self);
}

/// Runs a task with the best registers that this processor has.
pub fn run_on_registers<T: RegisterTask>(task: T) {
    #[cfg(target_arch = "x86_64")]
    if InstructionSet::detect() != InstructionSet::Baseline {
        // SAFETY: `detect` has found each feature that `run_on_avx2` enables.
        #[expect(unsafe_code, reason = "calling code for an instruction set that was just detected")]
        return unsafe { run_on_avx2(task) };
    }
    run_on_integers(task);
}

/// Runs a task with registers that every processor has: four integers.
#[inline(never)]
pub fn run_on_integers<T: RegisterTask>(task: T) {
    task.run::<[u64; 4]>();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn run_on_avx2<T: RegisterTask>(task: T) {
    task.run::<avx2::Avx2Register>();
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{
        __m256i, _mm256_and_si256, _mm256_blendv_epi8, _mm256_castsi256_pd, _mm256_castsi256_ps, _mm256_cmpeq_epi32,
        _mm256_cmpeq_epi64, _mm256_cmpgt_epi64, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_min_epu32,
        _mm256_movemask_pd, _mm256_movemask_ps, _mm256_mullo_epi16, _mm256_or_si256, _mm256_packus_epi16,
        _mm256_permute4x64_epi64, _mm256_shuffle_epi8, _mm256_shuffle_epi32, _mm256_sllv_epi64, _mm256_srli_epi16,
        _mm256_srlv_epi64, _mm256_xor_si256,
    };
    use std::mem::transmute;

    /// A register of AVX2. Nothing outside this file can make one, and [`super::run_on_registers`] uses this type only
    /// if the processor has AVX2.
    #[derive(Clone, Copy)]
    pub struct Avx2Register(__m256i);

    macro_rules! operation {
        ($name:ident, $instruction:expr) => {
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                // SAFETY: this type is used only if the processor has AVX2.
                #[expect(unsafe_code, reason = "calling an instruction of a set that was detected")]
                let made = unsafe { $instruction(self.0, other.0) };
                Self(made)
            }
        };
    }

    impl Avx2Register {
        /// The integers in another order.
        #[inline(always)]
        fn exchanged<const ORDER: i32>(self) -> Self {
            // SAFETY: this type is used only if the processor has AVX2.
            #[expect(unsafe_code, reason = "calling an instruction of a set that was detected")]
            let exchanged = unsafe { _mm256_permute4x64_epi64::<ORDER>(self.0) };
            Self(exchanged)
        }
    }

    impl super::Register for Avx2Register {
        const WRITTEN_OUT: bool = true;
        const IS_OF_PROCESSOR: bool = true;

        #[inline(always)]
        fn new(integers: [u64; 4]) -> Self {
            // SAFETY: both types have 32 bytes, and all bits of both have a meaning.
            #[expect(unsafe_code, reason = "there is no safe form")]
            Self(unsafe { transmute::<[u64; 4], __m256i>(integers) })
        }
        #[inline(always)]
        fn integers(self) -> [u64; 4] {
            // SAFETY: both types have 32 bytes, and all bits of both have a meaning.
            #[expect(unsafe_code, reason = "there is no safe form")]
            unsafe {
                transmute::<__m256i, [u64; 4]>(self.0)
            }
        }
        #[inline(always)]
        fn signs(self) -> u64 {
            // SAFETY: this type is used only if the processor has AVX2.
            #[expect(unsafe_code, reason = "calling an instruction of a set that was detected")]
            let signs = unsafe { _mm256_movemask_pd(_mm256_castsi256_pd(self.0)) };
            signs as u64
        }
        #[inline(always)]
        fn signs_32(self) -> u64 {
            // SAFETY: this type is used only if the processor has AVX2.
            #[expect(unsafe_code, reason = "calling an instruction of a set that was detected")]
            let signs = unsafe { _mm256_movemask_ps(_mm256_castsi256_ps(self.0)) };
            u64::from(signs as u32)
        }
        #[inline(always)]
        fn chosen(self, one: Self, other: Self) -> Self {
            // SAFETY: this type is used only if the processor has AVX2.
            #[expect(unsafe_code, reason = "calling an instruction of a set that was detected")]
            let chosen = unsafe { _mm256_blendv_epi8(other.0, one.0, self.0) };
            Self(chosen)
        }
        #[inline(always)]
        fn least(self) -> Self {
            let lesser = self.lesser(self.exchanged::<0b01_00_11_10>());
            lesser.lesser(lesser.exchanged::<0b10_11_00_01>())
        }
        #[inline(always)]
        fn crossed(self) -> Self {
            self.exchanged::<0b11_01_10_00>()
        }
        #[inline(always)]
        fn least_32(self) -> Self {
            let lesser = self.lesser_32(self.exchanged::<0b01_00_11_10>());
            let lesser = lesser.lesser_32(lesser.exchanged::<0b10_11_00_01>());
            // SAFETY: this type is used only if the processor has AVX2.
            #[expect(unsafe_code, reason = "calling an instruction of a set that was detected")]
            let exchanged = unsafe { _mm256_shuffle_epi32::<0b10_11_00_01>(lesser.0) };
            lesser.lesser_32(Self(exchanged))
        }
        operation!(and, _mm256_and_si256);
        operation!(or, _mm256_or_si256);
        operation!(xor, _mm256_xor_si256);
        operation!(up, _mm256_sllv_epi64);
        operation!(down, _mm256_srlv_epi64);
        operation!(equal, _mm256_cmpeq_epi64);
        operation!(equal_32, _mm256_cmpeq_epi32);
        operation!(greater, _mm256_cmpgt_epi64);
        operation!(shuffled, _mm256_shuffle_epi8);
        operation!(paired_8, _mm256_maddubs_epi16);
        operation!(paired_16, _mm256_madd_epi16);
        operation!(shifted_16, |one, factors| _mm256_srli_epi16::<8>(_mm256_mullo_epi16(one, factors)));
        operation!(narrowed, _mm256_packus_epi16);
        operation!(lesser_32, _mm256_min_epu32);
        operation!(lesser, |one, other| _mm256_blendv_epi8(one, other, _mm256_cmpgt_epi64(one, other)));
    }
}

/// Processors of x86-64 without AVX2 are few, so what they do is kept small: operations are called.
impl Register for [u64; 4] {
    const WRITTEN_OUT: bool = !cfg!(target_arch = "x86_64");
    const IS_OF_PROCESSOR: bool = false;

    #[inline(always)]
    fn new(integers: [u64; 4]) -> Self {
        integers
    }
    #[inline(always)]
    fn integers(self) -> [u64; 4] {
        self
    }
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    fn and(self, other: Self) -> Self {
        std::array::from_fn(|at| self[at] & other[at])
    }
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    fn or(self, other: Self) -> Self {
        std::array::from_fn(|at| self[at] | other[at])
    }
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    fn xor(self, other: Self) -> Self {
        std::array::from_fn(|at| self[at] ^ other[at])
    }
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    fn up(self, places: Self) -> Self {
        std::array::from_fn(|at| self[at] << (places[at] % 64))
    }
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    fn down(self, places: Self) -> Self {
        std::array::from_fn(|at| self[at] >> (places[at] % 64))
    }
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    fn equal(self, other: Self) -> Self {
        std::array::from_fn(|at| if self[at] == other[at] { u64::MAX } else { 0 })
    }
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    fn lesser(self, other: Self) -> Self {
        std::array::from_fn(|at| (self[at] as i64).min(other[at] as i64) as u64)
    }
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    fn chosen(self, one: Self, other: Self) -> Self {
        std::array::from_fn(|at| one[at] & self[at] | other[at] & !self[at])
    }
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    fn greater(self, other: Self) -> Self {
        std::array::from_fn(|at| if self[at] as i64 > other[at] as i64 { u64::MAX } else { 0 })
    }
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    fn least(self) -> Self {
        let [a, b, c, d] = self.map(|integer| integer as i64);
        [a.min(b).min(c.min(d)) as u64; 4]
    }
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    fn signs(self) -> u64 {
        (self[0] >> 63) | (self[1] >> 63) << 1 | (self[2] >> 63) << 2 | (self[3] >> 63) << 3
    }
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    fn paired_8(self, factors: Self) -> Self {
        let bytes = |integer: u64| integer & 0x00ff_00ff_00ff_00ff;
        std::array::from_fn(|at| bytes(self[at]) + bytes(self[at] >> 8) * (factors[at] >> 8 & 0xff))
    }
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    fn paired_16(self, factors: Self) -> Self {
        let numbers = |integer: u64| integer & 0x0000_ffff_0000_ffff;
        std::array::from_fn(|at| numbers(self[at]) + numbers(self[at] >> 16) * (factors[at] >> 16 & 0xffff))
    }
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    fn shifted_16(self, factors: Self) -> Self {
        std::array::from_fn(|at| {
            let product = |place: u32| (self[at] >> place & 0xffff) * (factors[at] >> place & 0xffff);
            [0, 16, 32, 48].into_iter().fold(0, |made, place| made | (product(place) >> 8 & 0xff) << place)
        })
    }
    #[inline(always)]
    fn crossed(self) -> Self {
        [self[0], self[2], self[1], self[3]]
    }
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    fn narrowed(self, other: Self) -> Self {
        let half = |integer: u64| {
            let twos = (integer | integer >> 8) & 0x0000_ffff_0000_ffff;
            (twos | twos >> 16) & 0xffff_ffff
        };
        [self[..2].as_ref(), &other[..2], &self[2..], &other[2..]].map(|two| half(two[0]) | half(two[1]) << 32)
    }
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    fn lesser_32(self, other: Self) -> Self {
        std::array::from_fn(|at| {
            let (one, other) = (self[at], other[at]);
            u64::from((one as u32).min(other as u32)) | (one >> 32).min(other >> 32) << 32
        })
    }
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    fn least_32(self) -> Self {
        let least =
            self.into_iter().fold(u32::MAX, |least, integer| least.min(integer as u32).min((integer >> 32) as u32));
        [u64::from(least) << 32 | u64::from(least); 4]
    }
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    fn equal_32(self, other: Self) -> Self {
        self.xor(other).map(|bits| {
            let (low, high) = (bits as u32 == 0, bits >> 32 == 0);
            (if low { u64::MAX >> 32 } else { 0 }) | (if high { u64::MAX << 32 } else { 0 })
        })
    }
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    fn signs_32(self) -> u64 {
        let signs = |bits: u64| bits >> 31 & 1 | bits >> 63 << 1;
        signs(self[0]) | signs(self[1]) << 2 | signs(self[2]) << 4 | signs(self[3]) << 6
    }
    #[cfg(target_arch = "aarch64")]
    #[inline(always)]
    fn shuffled(self, places: Self) -> Self {
        use std::arch::aarch64::{uint8x16_t, vqtbl1q_u8};
        use std::mem::transmute;
        let half = |from: [u64; 2], places: [u64; 2]| {
            // SAFETY: every processor of this architecture has the instruction, and the types have the same size.
            #[expect(unsafe_code, reason = "there is no safe form")]
            unsafe {
                let from = transmute::<[u64; 2], uint8x16_t>(from);
                transmute::<uint8x16_t, [u64; 2]>(vqtbl1q_u8(from, transmute::<[u64; 2], uint8x16_t>(places)))
            }
        };
        let [a, b] = half([self[0], self[1]], [places[0], places[1]]);
        let [c, d] = half([self[2], self[3]], [places[2], places[3]]);
        [a, b, c, d]
    }
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    #[inline(always)]
    fn shuffled(self, places: Self) -> Self {
        use std::arch::wasm32::{u8x16_swizzle, u64x2, u64x2_extract_lane};
        let half = |at: usize| u8x16_swizzle(u64x2(self[at], self[at + 1]), u64x2(places[at], places[at + 1]));
        let (one, other) = (half(0), half(2));
        let ([a, b], [c, d]) = (
            [u64x2_extract_lane::<0>(one), u64x2_extract_lane::<1>(one)],
            [u64x2_extract_lane::<0>(other), u64x2_extract_lane::<1>(other)],
        );
        [a, b, c, d]
    }
    #[cfg(not(any(target_arch = "aarch64", all(target_arch = "wasm32", target_feature = "simd128"))))]
    #[inline(never)]
    fn shuffled(self, places: Self) -> Self {
        std::array::from_fn(|at| {
            let taken = places[at].to_le_bytes().map(|place| {
                let from = self[at & 2 | usize::from(place >> 3 & 1)].to_le_bytes();
                if place < 128 { from[usize::from(place % 8)] } else { 0 }
            });
            u64::from_le_bytes(taken)
        })
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

    /// All results of the operations on two registers.
    struct Operate<'a> {
        registers: [[u64; 4]; 2],
        results: &'a mut Vec<[u64; 4]>,
    }

    impl RegisterTask for Operate<'_> {
        fn run<V: Register>(self) {
            let [one, other] = self.registers.map(V::new);
            let all = [one.or(other), one.xor(other), one.equal(other), one.lesser(other), one.shuffled(other)];
            self.results.extend(all.map(V::integers));
            self.results.push([one.signs(), other.signs(), one.signs_32(), other.signs_32()]);
            self.results.push(one.equal_32(V::new([0, one.integers()[1] >> 32 << 32, u64::MAX, 1 << 32])).integers());
            self.results.push(one.equal(other).chosen(V::new([1; 4]), one).integers());
            self.results.extend([one.greater(other), other.greater(one), one.least(), other.least()].map(V::integers));
            let bytes = one.and(V::new([0x1f1f_1f1f_1f1f_1f1f; 4]));
            let pairs = bytes.paired_8(V::new([0x1001_1001_1001_1001; 4]));
            self.results.extend([pairs, pairs.paired_16(V::new([0x0100_0001_0100_0001; 4]))].map(V::integers));
            self.results.push(one.shifted_16(V::new([0x0100_0080_0040_0002; 4])).integers());
            let (bytes, others) = (bytes.and(V::new([0x00ff_00ff_00ff_00ff; 4])), other.and(V::new([0x00ff; 4])));
            self.results.extend([bytes.narrowed(others), one.crossed()].map(V::integers));
            let least = |lower: u64, upper: u64| V::new([9 << 32 | 8, 7 << 32 | 6, upper << 32 | lower, 5 << 32 | 8]);
            self.results
                .extend([one.lesser_32(other), least(2, 3).least_32(), least(3, 2).least_32()].map(V::integers));
            let places = V::new([0, 1, 60, 63]);
            self.results.extend([one.and(other), one.up(places), other.down(places)].map(V::integers));
        }
    }

    #[test]
    fn registers_of_the_processor_do_as_four_integers() {
        let one = [0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908, 0x1716_1514_1312_1110, 0];
        let places = [0x8000_0f08_0701_0203, 0x0708_090a_0b0c_0d0e, 0x0000_0000_0007_0680, 0];
        let (mut best, mut plain) = (Vec::new(), Vec::new());
        run_on_registers(Operate { registers: [one, places], results: &mut best });
        run_on_integers(Operate { registers: [one, places], results: &mut plain });
        assert_eq!(best, plain);
        assert_eq!(plain[2], [0, 0, 0, u64::MAX]);
        assert_eq!(plain[3], [places[0], places[1], places[2], 0], "a number with the highest bit is below zero");
        let shuffled = [0x0000_0f08_0701_0203, 0x0708_090a_0b0c_0d0e, 0x1010_1010_1017_1600, 0x1010_1010_1010_1010];
        assert_eq!((plain[4], plain[5]), (shuffled, [0, 1, 0, 0b10]));
        assert_eq!(plain[6], [0, u64::MAX << 32, 0, u64::MAX >> 32]);
        assert_eq!(plain[7], [one[0], one[1], one[2], 1], "the last integers are equal");
        assert_eq!(plain[8..10], [[u64::MAX, u64::MAX, u64::MAX, 0], [0; 4]]);
        assert_eq!(plain[10..12], [[0; 4], [places[0]; 4]]);
        assert_eq!(plain[12][0], 0x0076_0054_0032_0010, "16 times the upper byte and once the lower one");
        assert_eq!(plain[13][0], 0x0000_7654_0000_3210, "256 times the upper half and once the lower one");
        assert_eq!(plain[14][0], 0x0006_0082_00c0_0002);
        assert_eq!(plain[15], [0x0e0c_0a08_0604_0200, 0x0000_000e_0000_0003, 0x0000_0000_1614_1210, 0x80]);
        assert_eq!(plain[16], [one[0], one[2], one[1], one[3]]);
        assert_eq!(plain[17][0], 0x0706_0504_0302_0100);
        assert_eq!(plain[18..20], [[2 << 32 | 2; 4]; 2]);
        assert_eq!(plain[20], [one[0] & places[0], one[1] & places[1], one[2] & places[2], 0]);
        assert_eq!(plain[21], [one[0], one[1] * 2, 0, 0]);
        assert_eq!(plain[22], [places[0], places[1] / 2, 0, 0]);
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
