//! The knowledge about rules that needs no search: the effect of each move, the group of the moves, dials,
//! symmetries, and the depths that can share states.
//!
//! A [`Structure`] is made once for each engine. The index, the choice of the store, scrambles and solvers all use it.

mod action;
mod automorphisms;
mod coloured;
mod composition_bound;
mod dials;
mod found_symmetries;
mod fraction;
mod group_states;
mod inequalities;
mod mentions;
mod permutations;
pub mod permuting;
mod pieces;
mod potential;
mod prime_symmetries;
mod refine;
mod repeats;
mod span;
mod stickers;
mod symmetries;
mod tiers;
mod twisted;
mod window;

use std::sync::{Arc, OnceLock};

pub use action::{Action, Need, Permutation};
pub use dials::Dials;
pub use found_symmetries::FoundSymmetries;
pub use group_states::GroupStates;
pub use permutations::PermutationGroup;
pub use pieces::{PieceMove, Pieces};
pub use potential::Potential;
pub use prime_symmetries::probes;
pub use repeats::symbols_to_come;
pub use span::{Vector, VectorSpan, add_times, is_prime, negative};
pub use stickers::{images_within, sticker_places};
pub use symmetries::conjugacy_classes;
pub use tiers::{CompositionTerm, RuleTiers};
pub use twisted::TwistedPieces;
pub use window::Window;

use crate::error::Result;
use crate::ordered::OrderedSet;
use crate::rules::{Rules, Symbol, Symmetry, Varying};
use crate::sorting::Gather;
use composition_bound::CompositionBound;
use window::Depths;

/// All that is known of rules without a search. Anything that takes long is worked out when it is first asked for.
#[derive(Debug)]
pub struct Structure {
    rules: Arc<Rules>,
    actions: Vec<(Need, Action)>,
    symmetries: Vec<Symmetry>,
    found: Option<FoundSymmetries>,
    depths: Depths,
    group: OnceLock<Option<PermutationGroup>>,
    dials: OnceLock<Option<Dials>>,
    pieces: OnceLock<Option<Pieces>>,
    twisted: OnceLock<Option<TwistedPieces>>,
    potential: OnceLock<Option<Potential>>,
    tiers: OnceLock<Option<RuleTiers>>,
    composition_bound: OnceLock<CompositionBound>,
}

impl Structure {
    /// The structure of the rules.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Rules`] if the symmetries generate too large a group.
    pub fn new(rules: Arc<Rules>) -> Result<Self> {
        let found = rules.seeks_symmetries.then(|| FoundSymmetries::of_rules(&rules));
        let rules = match &found {
            Some(found) => {
                let generators = found.generators.clone();
                Arc::new(Rules { generators, seeks_symmetries: false, ..Rules::clone(&rules) })
            }
            None => rules,
        };
        let rules = if rules.lacks_turn_cell() { Arc::new(rules.with_turn_cell()?) } else { rules };
        let symmetries = symmetries::close(&rules.generators, rules.cells(), rules.symbols.len())?;
        Ok(Self::with(rules, symmetries, found))
    }

    /// The structure of the varying part of the rules, which lacks the cells and symbols that never change. It has the
    /// symmetries of the whole rules. Moves that can never be made are left out, so the others are numbered anew.
    pub fn of_varying(&self, varying: &Varying) -> Self {
        let mut rules = Rules::clone(&varying.rules);
        rules.moves.retain(|given| !given.when.never());
        Self::with(Arc::new(rules), varying.symmetries(&self.symmetries), None)
    }

    fn with(rules: Arc<Rules>, symmetries: Vec<Symmetry>, found: Option<FoundSymmetries>) -> Self {
        let actions = rules.moves.iter().map(|given| action::recognise(given, rules.symbols.len())).collect();
        let depths = Depths::new(&rules);
        let group = OnceLock::new();
        let (dials, pieces, twisted) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        let (potential, tiers, composition_bound) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self {
            rules,
            actions,
            symmetries,
            found,
            depths,
            group,
            dials,
            pieces,
            twisted,
            potential,
            tiers,
            composition_bound,
        }
    }

    /// The rules whose structure this is.
    pub fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// The condition and the effect of each move, in order of the moves.
    pub fn actions(&self) -> &[(Need, Action)] {
        &self.actions
    }

    /// The moves as permutations of cells, if every move permutes cells and needs at most one symbol in one cell;
    /// otherwise `None`.
    pub fn permutations(&self) -> Option<Vec<Permutation>> {
        self.actions.iter().map(|(need, action)| Permutation::new(*need, action, self.rules.cells())).collect()
    }

    /// The symmetry group, the identity first. Elements that swap the players come last.
    pub fn symmetries(&self) -> &[Symmetry] {
        &self.symmetries
    }

    /// The symmetries that the engine found; `None` if the rules do not ask the engine to find them.
    pub fn found(&self) -> Option<&FoundSymmetries> {
        self.found.as_ref()
    }

    /// The symmetries that do not swap the players. They carry the start onto itself, with the same player to move.
    pub fn turn_keeping(&self) -> &[Symmetry] {
        let count = self.symmetries.partition_point(|symmetry| !symmetry.swap_players);
        &self.symmetries[..count]
    }

    /// The symmetries up to which a run counts: those that keep whose turn it is; or, without symmetry, only the
    /// identity.
    pub fn counted_by(&self, symmetry: bool) -> &[Symmetry] {
        if symmetry { self.turn_keeping() } else { &self.symmetries[..1] }
    }

    /// The earlier depths that can hold a state to which a move leads.
    pub fn window(&self) -> Window {
        self.depths.window
    }

    /// Returns `true` if it is proved that play never comes back to a state. `false` proves nothing.
    pub fn never_repeats(&self) -> bool {
        self.window() == Window::Layered || self.potential().is_some()
    }

    /// The depth of a state, by its symbols alone. `None` if the rules are not layered, or if the symbols show that no
    /// play leads there.
    ///
    /// Every reachable state of layered rules has a depth. A state that has a depth need not be reachable.
    pub fn depth_by_composition(&self, state: &[Symbol]) -> Option<u64> {
        let board = self.rules.board();
        self.depths.of_state(&self.rules.start[..board], &state[..board])
    }

    /// A lower bound on the moves from a state to the goal, from how many cells hold each symbol: a move changes these
    /// numbers only by so much. `None` if the numbers show that no moves lead to the goal.
    pub fn least_moves(&self, state: &[Symbol]) -> Option<u32> {
        self.composition_bound.get_or_init(|| CompositionBound::new(&self.rules)).least_moves(state)
    }

    /// The group of the moves; see [`PermutationGroup`]. `None` unless every move permutes cells in every state, and
    /// play never ends.
    pub fn group(&self) -> Option<&PermutationGroup> {
        self.group.get_or_init(|| PermutationGroup::of_moves(&self.rules, self.permutations())).as_ref()
    }

    /// The moves as presses of dials; see [`Dials`]. `None` unless every move turns cells in circles of one prime
    /// length, in every state, and play never ends.
    pub fn dials(&self) -> Option<&Dials> {
        self.dials.get_or_init(|| Dials::of_moves(&self.rules)).as_ref()
    }

    /// The pieces and their twists, kind by kind; see [`Pieces`]. `None` unless every move permutes and twists pieces
    /// in every state, and play never ends.
    pub fn pieces(&self) -> Option<&Pieces> {
        self.pieces.get_or_init(|| Pieces::of_moves(&self.rules, self.permutations())).as_ref()
    }

    /// The group of the moves on pieces and their twists; see [`TwistedPieces`]. `None` unless every move permutes and
    /// twists pieces in every state, and play never ends.
    pub fn twisted(&self) -> Option<&TwistedPieces> {
        self.twisted.get_or_init(|| TwistedPieces::of_pieces(self.pieces()?)).as_ref()
    }

    /// The number of states that the moves reach; see [`GroupStates`]. `None` unless every move permutes and twists
    /// pieces in every state, and play never ends, or if the number is not found.
    pub fn group_states(&self) -> Option<GroupStates> {
        let start = &self.rules.start;
        let distinct = start.iter().gather::<OrderedSet<&Symbol>>().len() == start.len();
        let of_cells = || if distinct { self.group().map(PermutationGroup::orbit_sizes) } else { None };
        if let Some(orbits) = of_cells().or_else(|| self.twisted()?.orbit_sizes()) {
            return Some(GroupStates { orbits, alike: Vec::new() });
        }
        GroupStates::of_pieces(&Pieces::with_twists_unseen(&self.rules, self.permutations())?)
    }

    /// Weights of symbols in the varying cells that prove that play never comes back to a state. `None` if there are
    /// none, or if none were found.
    pub fn potential(&self) -> Option<&Potential> {
        let potential = || {
            let varying = Varying::of(&self.rules);
            Potential::new(&varying.rules, &varying.symmetries(self.turn_keeping()))
        };
        self.potential.get_or_init(potential).as_ref()
    }

    /// The sets of states that play leaves for good, found from the varying cells; `None` if there is only one set.
    pub fn tiers(&self) -> Option<&RuleTiers> {
        let tiers = || {
            let varying = Varying::of(&self.rules);
            RuleTiers::new(&varying.rules, &varying.symmetries(self.turn_keeping()), &|| self.potential().cloned())
        };
        self.tiers.get_or_init(tiers).as_ref()
    }

    /// The tiers of a varying part of the rules; `None` if there is only one tier, or if finding more would take too
    /// long.
    pub fn tiers_of(&self, varying: &Varying) -> Option<RuleTiers> {
        let symmetries = varying.symmetries(self.turn_keeping());
        RuleTiers::new(&varying.rules, &symmetries, &|| Potential::new(&varying.rules, &symmetries))
    }
}
