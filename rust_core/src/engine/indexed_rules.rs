//! The rules whose states a perfect index numbers: those of the cells that vary, or the whole rules.

use std::sync::Arc;

use crate::index::index_of;
use crate::rules::Varying;
use crate::structure::Structure;

/// The rules whose states a perfect index numbers, and the cells and symbols that they have.
///
/// If the rules of the cells that vary have an index, these are the indexed rules. If not, the whole rules are the
/// indexed rules, though they rarely have an index then. An example is a game that is over at the start, because of a
/// mark that stands there.
#[derive(Debug)]
pub(crate) struct IndexedRules {
    /// The structure of the indexed rules.
    pub structure: Arc<Structure>,
    /// The cells and symbols of the whole rules that the indexed rules have.
    pub varying: Arc<Varying>,
}

impl IndexedRules {
    /// Chooses between the whole rules, whose structure is given, and the part of them that varies.
    pub fn new(structure: &Arc<Structure>, varying: &Arc<Varying>) -> Self {
        let whole = || Self { structure: Arc::clone(structure), varying: Arc::new(Varying::whole(structure.rules())) };
        if varying.is_whole() {
            return whole();
        }
        let part = structure.of_varying(varying);
        if index_of(&part).is_none() {
            return whole();
        }
        Self { structure: Arc::new(part), varying: Arc::clone(varying) }
    }
}
