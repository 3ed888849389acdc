//! The changes that a move makes to the images of a state. It is cheaper to change the images of a state once for each
//! of its moves than to compute those of each successor anew.
//!
//! The theory is in `docs/enumeration.md`, "How it works".

use super::Compiled;
use super::images::{Images, Lanes};
use super::prefixes::{LANES, Prefixes};
use super::word::Word;
use crate::rules::{Move, Source, Symmetry};

/// The change that a move makes to the images of a state.
#[derive(Debug, Clone)]
pub enum ImageDelta<W> {
    /// The move flips the same bits in an image of every state. Here are the bits for each block of lanes.
    Flips(Box<[Lanes<W>]>),
    /// The move flips the same bits in the prefix of each image, if the prefixes [are one
    /// block](Images::has_prefix_block).
    PrefixFlips(Prefixes),
    /// The move writes only cells of these chunks. Their parts of the prefixes of the images are
    /// [exchanged](Images::exchanged).
    Chunks(Box<[usize]>),
    /// Any other change: the images of the successor are computed anew.
    Anything,
}

/// The most bytes that the flips of a player's moves may take. If they would take more, images are looked up instead.
const MOST_FLIP_BYTES: usize = 64 << 20;

impl<W: Word> Compiled<W> {
    /// For each of a player's moves, the change that it makes to the images of a state.
    pub fn image_deltas(&self, images: &Images<W>, player: usize) -> Vec<ImageDelta<W>> {
        let steps = &self.steps[player].list;
        if !images.has_tables() {
            return vec![ImageDelta::Anything; steps.len()];
        }
        let flips_fit = steps.len().saturating_mul(images.blocks * size_of::<Lanes<W>>()) <= MOST_FLIP_BYTES;
        let change = |given: &Move| {
            let flips = if flips_fit { self.image_flips(images, given) } else { None };
            match flips {
                Some(flips) if images.has_prefix_block() => {
                    ImageDelta::PrefixFlips(images.prefix_flips(&self.layout, &flips[0]))
                }
                Some(flips) => ImageDelta::Flips(flips),
                None if images.has_prefix_block() => images
                    .chunks_of(&self.layout, given.then.iter().map(|&(cell, _)| cell))
                    .map_or(ImageDelta::Anything, ImageDelta::Chunks),
                None => ImageDelta::Anything,
            }
        };
        steps.iter().map(|step| change(&self.rules.moves[step.index])).collect()
    }

    /// The bits that a move flips in each image of a state, if these are the same for every state.
    fn image_flips(&self, images: &Images<W>, given: &Move) -> Option<Box<[Lanes<W>]>> {
        let flips = |block| {
            let mut lanes = [W::ZERO; LANES];
            for (lane, flip) in lanes.iter_mut().enumerate() {
                *flip = self.image_flip(images.symmetry(block, lane), given)?;
            }
            Some(lanes)
        };
        (0..images.blocks).map(flips).collect()
    }

    /// The bits by which a move changes the image of a state, if these are the same for every state.
    fn image_flip(&self, symmetry: &Symmetry, given: &Move) -> Option<W> {
        let symbols = self.rules.symbols.len();
        let mut flip = W::ZERO;
        for (cell, source) in &given.then {
            let after = |before: u8| match source {
                Source::Symbol(symbol) => Some(*symbol),
                Source::Copy(from, None) if from == cell => Some(before),
                Source::Copy(from, Some(map)) if from == cell => Some(map[before as usize]),
                Source::Copy(..) => None,
            };
            let mut difference = None;
            for before in given.when.allowed(*cell, symbols).iter() {
                let change = symmetry.symbols[before as usize] ^ symmetry.symbols[after(before)? as usize];
                if *difference.get_or_insert(change) != change {
                    return None;
                }
            }
            flip = flip.or(self.layout.field(symmetry.cells[*cell], difference?));
        }
        Some(flip)
    }
}
