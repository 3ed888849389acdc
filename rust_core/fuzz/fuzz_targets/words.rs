//! Files of words.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| puzzlekit_core::fuzzing::all_words(bytes));
