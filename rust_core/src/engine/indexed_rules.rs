//! The rules that a perfect index is of: those of the cells that vary, or the whole.

use std::sync::Arc;

use crate::index::index_of;
use crate::rules::Varying;
use crate::structure::Structure;

/// The rules whose states have the numbers of a perfect index, and the part of the whole rules that they are.
///
/// They are those of the cells that vary if these have an index. If not, they are the whole rules, which rarely have
/// one then. A game that is over at the start, because of a mark that stands there, is an example.
#[derive(Debug)]
pub(crate) struct IndexedRules {
    /// Their structure.
    pub structure: Arc<Structure>,
    /// The cells and symbols of theirs.
    pub varying: Arc<Varying>,
}

impl IndexedRules {
    /// The rules to be numbered, of all rules and the part that varies.
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
