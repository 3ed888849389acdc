//! Quick answers for puzzles whose moves permute pieces and generate a large group, through a chain of subgroups that
//! is found from the moves. `docs/solving.md` explains it to users.

mod descent;
mod phase;
mod subgroups;
mod words;

use std::sync::{Arc, Mutex, PoisonError};

use super::anytime::{AnytimeEnd, Enough};
use super::clock::Clock;
use super::cosets::{Sticker, StickerSymmetry, Stickers};
use crate::error::{Error, Result};
use crate::job::TableCache;
use crate::run::Watch;
use crate::structure::permuting::{carried, inverse};
use descent::{Beginning, Descent};
use phase::Phase;
use subgroups::{Chain, MoveClass, Subgroup, carry, chain, classes};
pub use words::Words;

/// A puzzle whose moves permute stickers, with its symmetries.
#[derive(Debug, Clone, Copy)]
pub struct PieceGroup<'a> {
    /// The stickers of the puzzle, and the moves that permute them.
    pub stickers: &'a Stickers,
    /// The symmetries that keep the goal and the moves.
    pub symmetries: &'a [StickerSymmetry],
}

/// A solver in phases. It keeps its tables, and uses them again for the next state.
#[derive(Debug)]
pub struct Phases {
    /// The limits on the number of cosets of a phase. A chain whose phases keep to the first limit is looked for; if
    /// there is none, a chain that keeps to the second limit.
    most_cosets: [u128; 2],
    found: Mutex<ChainSearch>,
}

/// The state of the search for a chain of subgroups.
#[derive(Debug, Clone)]
enum ChainSearch {
    NotMade,
    /// No chain of subgroups keeps to the limits.
    Nothing,
    Found(Arc<FoundPhases>),
}

/// A chain of subgroups, with a phase between each two neighbours in the chain.
#[derive(Debug)]
struct FoundPhases {
    classes: Vec<MoveClass>,
    chain: Chain,
    phases: Vec<Phase>,
}

/// The tables may take at most one half of the allowed memory.
const SHARE_OF_MEMORY: u64 = 2;

/// The usual limits on the number of cosets of a phase. A search through one phase takes a moment if there are as many
/// cosets as the first limit; with as many as the second, it may take long.
const MOST_COSETS: [u128; 2] = [1 << 35, 1 << 42];

impl Default for Phases {
    fn default() -> Self {
        Self { most_cosets: MOST_COSETS, found: Mutex::new(ChainSearch::NotMade) }
    }
}

impl Phases {
    /// Makes the tables of all phases, or takes them from a cache. Returns `false` if no chain of subgroups keeps to
    /// the limits, or if the tables would take more than their share of `bytes`.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`] if the watch stops that.
    pub fn prepare(&self, group: &PieceGroup, bytes: u64, cache: Option<&TableCache>, watch: Watch) -> Result<bool> {
        let mut kept = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let ChainSearch::NotMade = *kept {
            *kept = self.find(group, watch)?.map_or(ChainSearch::Nothing, |found| ChainSearch::Found(Arc::new(found)));
        }
        let ChainSearch::Found(found) = &*kept else { return Ok(false) };
        let phases = &found.phases;
        if phases.is_empty() || phases.iter().map(Phase::bytes).sum::<u64>() > bytes / SHARE_OF_MEMORY {
            return Ok(false);
        }
        if phases.iter().all(|phase| phase.fill(cache, watch)) { Ok(true) } else { Err(Error::Stopped) }
    }

    /// Makes the answer in `best` shorter, or finds a first one if `best` is `None`. Moves are places in the rules.
    /// `tell` is called with the length of each shorter answer. Returns the reason why the search ended, and a lower
    /// bound on the number of moves; `None` if the tables are not made.
    pub fn run(
        &self,
        group: &PieceGroup,
        held: &[Sticker],
        best: &mut Option<Vec<usize>>,
        enough: Enough,
        tell: &dyn Fn(usize),
        watch: Watch,
    ) -> Option<(AnytimeEnd, u32)> {
        let ChainSearch::Found(found) = self.found.lock().unwrap_or_else(PoisonError::into_inner).clone() else {
            return None;
        };
        let FoundPhases { classes, chain, phases } = &*found;
        let PieceGroup { stickers, symmetries } = *group;
        let beginnings = beginnings(stickers, symmetries, classes, chain, held);
        let bounds = beginnings.iter().filter_map(|from| Some(phases[0].bound(&phases[0].read(stickers, &from.held)?)));
        let bound = u32::from(bounds.max().unwrap_or(0));
        let length = best.as_ref().map(Vec::len);
        let mut descent = Descent::new(phases, stickers, Clock::new(watch), enough, length, tell);
        descent.go(&beginnings);
        let end = if descent.stopped { AnytimeEnd::Stopped } else { AnytimeEnd::Enough };
        if let Some(moves) = descent.best {
            *best = Some(moves.iter().map(|&place| stickers.moves[place].index).collect());
        }
        Some((end, bound))
    }

    /// Finds a chain and its phases, without their tables. `None` if no chain keeps to the limits, or if a phase has
    /// too many moves or factors.
    fn find(&self, group: &PieceGroup, watch: Watch) -> Result<Option<FoundPhases>> {
        let classes = classes(group.stickers);
        let Some(chain) = chain(group.stickers, group.symmetries, &classes, &self.most_cosets, watch)? else {
            return Ok(None);
        };
        let pairs = chain.subgroups.windows(2).zip(&chain.cosets);
        let phase =
            |(pair, &cosets): (&[Subgroup], &u128)| Phase::new(group.stickers, &classes, &pair[0], &pair[1], cosets);
        let phases = pairs.map(phase).collect::<Option<Vec<Phase>>>();
        Ok(phases.map(|phases| FoundPhases { classes, chain, phases }))
    }
}

/// The states from which a search through phases begins. They are the images of the given state under the symmetries,
/// one for each different image of the chain's second subgroup; and the inverses of these states, if each move can be
/// undone by one move.
fn beginnings(
    stickers: &Stickers,
    symmetries: &[StickerSymmetry],
    classes: &[MoveClass],
    chain: &Chain,
    held: &[Sticker],
) -> Vec<Beginning> {
    let undone: Option<Vec<usize>> = stickers
        .moves
        .iter()
        .map(|given| stickers.moves.iter().position(|other| other.image == inverse(&given.image)))
        .collect();
    let mut found = Vec::new();
    let mut seen = Vec::new();
    for symmetry in symmetries {
        // The subgroup that `symmetry` carries onto the second subgroup of the chain.
        let target: Vec<usize> = carry(symmetry, classes).iter().map(|&to| chain.subgroups[1][to]).collect();
        if seen.contains(&target) {
            continue;
        }
        seen.push(target);
        let renamed: Vec<Sticker> = held.iter().map(|&sticker| symmetry.image[sticker as usize]).collect();
        let carried = carried(&renamed, &symmetry.image);
        let mut moves = vec![0; symmetry.moves.len()];
        symmetry.moves.iter().enumerate().for_each(|(from, &to)| moves[to] = from);
        if let Some(undone) = &undone {
            let (held, moves) = (inverse(&carried), moves.iter().map(|&given| undone[given]).collect());
            found.push(Beginning { held, moves, backward: true });
        }
        found.push(Beginning { held: carried, moves, backward: false });
    }
    found
}

#[cfg(test)]
mod tests;
