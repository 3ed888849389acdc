//! The width of the words in which states are packed: the narrowest one that holds a state.

use std::sync::Arc;

use super::machine::{Machine, MachineOf};
use crate::compile::{Compiled, Images, Word, symbol_bits};
use crate::error::{Error, Result};
use crate::rules::Varying;
use crate::structure::Structure;

/// `false` on a web page, whose module has only words of 64 and of 256 bits, because each further width would add as
/// much code again.
const HAS_ALL_WORDS: bool = !cfg!(all(target_family = "wasm", target_os = "unknown"));

/// The width of the widest words.
pub(super) const MOST_WORD_BITS: usize = if HAS_ALL_WORDS { 32 * 64 } else { 256 };

/// The error if tables of images take too much memory.
#[cold]
fn too_many_symmetries(order: usize, cells: usize) -> Error {
    Error::Rules(format!("the tables of {order} symmetries of {cells} cells do not fit 1 GiB; give fewer symmetries"))
}

/// Compiles the part of the rules that varies, for the narrowest word that holds a state and has at least `least` bits.
pub(super) fn narrowest(structure: &Arc<Structure>, varying: Varying, least: usize) -> Result<Arc<dyn Machine>> {
    type Part<'a> = (&'a Arc<Structure>, &'a Arc<Varying>, usize);
    fn attempt<W: Word>((structure, varying, least): Part) -> Option<Result<Arc<dyn Machine>>> {
        if size_of::<W>() * 8 < least {
            return None;
        }
        let compiled = Compiled::<W>::new(structure, varying)?;
        let order = structure.symmetries().len();
        if !Images::<W>::fit(&compiled.layout, order) {
            return Some(Err(too_many_symmetries(order, varying.rules.cells())));
        }
        Some(Ok(Arc::new(MachineOf::<W>::new(compiled))))
    }
    let varying = Arc::new(varying);
    let part = (structure, &varying, least);
    let found = if HAS_ALL_WORDS {
        attempt::<u32>(part)
            .or_else(|| attempt::<u64>(part))
            .or_else(|| attempt::<u128>(part))
            .or_else(|| attempt::<[u64; 4]>(part))
            .or_else(|| attempt::<[u64; 8]>(part))
            .or_else(|| attempt::<[u64; 32]>(part))
    } else {
        attempt::<u64>(part).or_else(|| attempt::<[u64; 4]>(part))
    };
    found.unwrap_or_else(|| {
        let rules = &varying.rules;
        let (cells, bits) = (rules.cells(), symbol_bits(rules.symbols.len()));
        Err(Error::Rules(format!(
            "{cells} cells of {bits} bits each do not fit {} words of 64 bits; use fewer cells or symbols",
            MOST_WORD_BITS / 64
        )))
    })
}
