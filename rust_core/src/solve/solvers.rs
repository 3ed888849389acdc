//! The solvers of a puzzle with their tables, each made when it is first needed.

use std::sync::{Arc, OnceLock};

use super::anytime::Anytime;
use super::cosets::Cosets;
use super::patterns::PatternSolver;
use super::phases::{Phases, Words};
use crate::run::Budget;
use crate::structure::Structure;

/// The solvers of a puzzle. Each solver is made when it is first needed, and keeps its tables for the next state.
pub struct Solvers {
    pub structure: Arc<Structure>,
    /// The solver by iterative deepening with tables of cosets; `None` unless moves always permute pieces.
    pub cosets: OnceLock<Option<Cosets>>,
    /// The solver by iterative deepening with pattern databases; `None` unless moves permute cells.
    pub patterns: OnceLock<Option<PatternSolver>>,
    /// The solver through a chain of subgroups. Its answers are not proven to be shortest. It is used only if moves
    /// always permute pieces.
    pub phases: Phases,
    /// The solver that makes long answers of words of moves, for groups of any size; `None` unless moves always permute
    /// cells.
    pub words: OnceLock<Option<Words>>,
    /// The solver by beam search, whose answers are not proven to be shortest; `None` unless moves permute cells.
    pub anytime: OnceLock<Option<Anytime>>,
}

impl Solvers {
    /// The solvers of a puzzle: rules of one player with a goal.
    pub fn new(structure: &Arc<Structure>) -> Self {
        let structure = Arc::clone(structure);
        let (cosets, patterns, anytime) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { structure, cosets, patterns, phases: Phases::default(), words: OnceLock::new(), anytime }
    }

    pub fn cosets(&self) -> Option<&Cosets> {
        self.cosets.get_or_init(|| Cosets::new(&self.structure)).as_ref()
    }

    /// The solver by iterative deepening, if its bounds are strong within the budget; otherwise `None`.
    pub fn patterns(&self, budget: Budget) -> Option<&PatternSolver> {
        let made = self.patterns.get_or_init(|| PatternSolver::new(&self.structure)).as_ref();
        made.filter(|patterns| patterns.is_strong(budget))
    }
}
