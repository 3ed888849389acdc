//! The proof of a job: a second program that plays the rules as they are written, and derives every claim from them.
//!
//! It shares no search, no index and no compiled move with the rest of the crate, only the data of rules and the loop
//! over all cores. `docs/proof.md` explains what is proven. `python/puzzlekit/proof` does the same in plain Python.

mod check;
mod claims;
mod ends;
mod forced;
mod found;
mod player;
mod unpack;

pub use claims::{Claim, ClaimedValue, Claims, Refused};
pub use ends::ClaimedEnds;
pub use found::{Doubt, ProvenClaims, Run};
pub use player::Player;
pub use unpack::Packing;

use crate::Result;
use crate::run::Watch;

/// Proves all claims of a job, and returns how many states, moves and values were proven.
///
/// # Errors
///
/// [`crate::Error::Options`] if the threads cannot be started. The inner error says which claim is in doubt, and why.
pub fn prove(
    player: &Player,
    run: &Run,
    claims: &Claims,
    watch: Watch,
) -> Result<std::result::Result<ProvenClaims, Doubt>> {
    crate::run::on_all_cores(|| check::Check::new(player, run, claims, watch).all())
}
