//! Files of arrays of bits.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| puzzlekit_core::fuzzing::array(bytes));
