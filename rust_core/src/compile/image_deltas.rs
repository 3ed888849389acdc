//! The changes that a move makes to the images of a state. A search computes the images of a state once, and then
//! changes them for each move. That is cheaper than computing the images of every successor from the start.
//!
//! The theory is in `docs/enumeration.md`, "How it works".

use super::Compiled;
use super::image_limbs::FlipsSideBySide;
use super::images::{Images, Lanes};
use super::prefixes::{LANES, Prefixes};
use super::shuffles::Shuffles;
use super::steps::CompiledMove;
use super::word::Word;
use crate::rules::{Move, Source, Symmetry};

/// The change that a move makes to the images of a state. With it, a search makes the images of the successor from
/// those of the state.
#[derive(Debug)]
pub enum ImageDelta<W> {
    /// In each image, the move flips the same bits whatever the state is. The bits are listed for each block of eight
    /// images.
    Flips(Box<[Lanes<W>]>),
    /// In each image, the move flips the same bits whatever the state is, and so does every other move of the player.
    /// Words have more than 64 bits, and there are at most eight images. The bits are side by side, limb by limb.
    LimbFlips(FlipsSideBySide),
    /// In the prefix (the first bits) of each image, the move flips the same bits whatever the state is. It is used if
    /// [one block](Images::has_prefix_block) has all prefixes.
    PrefixFlips(Prefixes),
    /// The move writes only cells of these chunks. So the prefixes (first bits) of the successor's images are made by
    /// [exchanging](Images::exchanged) what these chunks add to them.
    Chunks(Box<[usize]>),
    /// All moves of the player only carry cells to other places, and no end can begin to hold by them. The successor is
    /// made by shuffles of bytes, as its images are.
    Shuffled(Shuffles),
    /// The move changes the images in another way, so the images of the successor are computed from the start.
    Anything,
}

/// The most bytes that the flips of one player's moves may take, besides a copy of them [side by side](flips_of_block).
/// If they would take more, no flips are stored.
const MOST_FLIP_BYTES: usize = 64 << 20;

impl<W: Word> Compiled<W> {
    /// For each move of a player, how it changes the images of a state.
    pub fn image_deltas(&self, images: &Images<W>, player: usize) -> Vec<ImageDelta<W>> {
        let steps = &self.steps[player].list;
        let flips_fit = steps.len().saturating_mul(images.blocks * size_of::<Lanes<W>>()) <= MOST_FLIP_BYTES;
        if !images.has_tables() {
            // A search makes the successors by shuffles alone, or without them.
            let shuffled = |step: &CompiledMove<W>| {
                let shuffled = images.shuffled().filter(|_| step.ends.is_empty())?;
                shuffled.of_move(&self.rules.moves[step.index]).map(ImageDelta::Shuffled)
            };
            let all: Option<Vec<ImageDelta<W>>> = steps.iter().map(shuffled).collect();
            return all.unwrap_or_else(|| steps.iter().map(|_| ImageDelta::Anything).collect());
        }
        let flips = |step: &CompiledMove<W>| {
            if flips_fit { self.image_flips(images, &self.rules.moves[step.index]) } else { None }
        };
        // The prefixes of narrow rules hold so much of an image that few images begin alike.
        let is_narrow = self.layout.cells() as u32 * self.layout.bits <= u64::BITS;
        let by_limbs = images.has_prefix_block() && !is_narrow && steps.iter().all(|step| flips(step).is_some());
        let change = |step: &CompiledMove<W>| {
            let given = &self.rules.moves[step.index];
            match flips(step) {
                Some(flips) if by_limbs => ImageDelta::LimbFlips(FlipsSideBySide::new(&flips[0])),
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
        steps.iter().map(change).collect()
    }

    /// For each image of a state, the bits that a move flips in it. `None` if they depend on the state.
    fn image_flips(&self, images: &Images<W>, given: &Move) -> Option<Box<[Lanes<W>]>> {
        let mut flips = vec![[W::ZERO; LANES]; images.blocks];
        for (block, lanes) in flips.iter_mut().enumerate() {
            for (lane, flip) in lanes.iter_mut().enumerate() {
                *flip = self.image_flip(images.symmetry(block, lane), given)?;
            }
        }
        Some(flips.into())
    }

    /// The bits that a move flips in the image of a state under one symmetry. `None` if they depend on the state.
    fn image_flip(&self, symmetry: &Symmetry, given: &Move) -> Option<W> {
        let flips = cell_flips(self.rules.symbols.len(), symmetry, given)?;
        Some(flips.into_iter().fold(W::ZERO, |flip, (cell, bits)| flip.or(self.layout.field(cell, bits))))
    }
}

/// The bits that each move flips in the images of one block, side by side. The list is empty if some move changes
/// images in another way, if there are several blocks, or if words have more than 64 bits.
pub fn flips_of_block<W: Word>(images: &Images<W>, changes: &[ImageDelta<W>]) -> Vec<Lanes<W>> {
    let mut all = Vec::new();
    if W::BYTES <= 8 && images.blocks == 1 {
        for change in changes {
            let ImageDelta::Flips(flips) = change else { return Vec::new() };
            all.push(flips[0]);
        }
    }
    all
}

/// For each cell that a move writes in the image of a state: the cell, and the bits that flip there, written as the
/// bits of a symbol. `None` if they depend on the state.
fn cell_flips(symbols: usize, symmetry: &Symmetry, given: &Move) -> Option<Vec<(usize, u8)>> {
    let mut flips = Vec::with_capacity(given.then.len());
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
        flips.push((symmetry.cells[*cell], difference?));
    }
    Some(flips)
}
