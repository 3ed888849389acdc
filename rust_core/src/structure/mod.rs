//! What is known of rules without a search: groups of permutations, and toggles.

mod permutations;
mod toggles;

pub use permutations::PermutationGroup;
pub use toggles::Toggles;
