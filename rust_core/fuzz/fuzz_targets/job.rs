//! Whole jobs with a file that holds something else.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| puzzlekit_core::fuzzing::job(bytes));
