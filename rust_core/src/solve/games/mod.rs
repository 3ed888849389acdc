//! The value of one position of a game, found by alpha-beta search. `docs/solving.md` explains it.
//!
//! ```text
//! judge → judged_game → alpha_beta, set_board → set_look → set_game → pivot, chain_codes → chains, shapes → masks,
//! plain_board → keys → board, transpositions, outcomes, points → score
//! ```

mod alpha_beta;
mod board;
mod chain_codes;
mod chains;
mod judge;
mod judged_game;
mod keys;
mod masks;
mod outcomes;
mod pivot;
mod plain_board;
mod points;
mod score;
mod set_board;
mod set_game;
mod set_look;
mod shapes;
#[cfg(test)]
mod tests;
mod transpositions;

pub use judge::{Foreseen, LookAhead, Question, foresee, judge};
pub use set_board::KeptBoard;
