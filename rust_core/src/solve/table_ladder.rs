//! A ladder of tables of growing size: larger tables are made once the search without them has cost as much as making
//! them. Pattern databases and tables of cosets use it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::answer::Proof;
use super::ida_star::{Deepened, Effort};
use crate::run::Watch;

/// Tables of growing size, which are kept from one state to the next. Rung 0 has no tables, and each later rung has
/// larger ones than the one before.
#[derive(Debug)]
pub struct TableLadder<T> {
    tables: Vec<OnceLock<T>>,
    /// For each rung, the number of states that were searched on it, for all answers together.
    searched: Vec<AtomicU64>,
}

/// A solver for one state. It searches without tables at first, and then with larger and larger tables.
pub trait Climber {
    /// Makes the tables of a rung if they are not made yet. Returns whether they can be used, and the cost of the next
    /// tables.
    fn prepare(&self, rung: usize, watch: Watch) -> Rung;

    /// Searches with the tables of a rung. Notes in `proof` each shorter answer and each better lower bound.
    fn search(&self, rung: usize, proof: &mut Proof, effort: &mut Effort, watch: Watch) -> Deepened;
}

/// The state of a rung, which says whether its tables can be used.
pub enum Rung {
    /// There are no tables of this size, so the rung is skipped.
    Missing,
    /// The watch stopped the work on the rung's tables.
    Stopped,
    /// The tables are made. Making those of the next rung costs as much as searching `next` states; `None` if there is
    /// no next rung.
    Ready { next: Option<u64> },
}

impl<T> TableLadder<T> {
    /// A ladder with tables of `sizes` sizes, none of which is made yet.
    pub fn new(sizes: usize) -> Self {
        let tables = std::iter::repeat_with(OnceLock::new).take(sizes).collect();
        Self { tables, searched: std::iter::repeat_with(AtomicU64::default).take(sizes + 1).collect() }
    }

    /// The tables of a rung; `None` if they are not made yet. Rung 0 has no tables, so `rung` must not be 0.
    pub fn tables(&self, rung: usize) -> Option<&T> {
        self.tables[rung - 1].get()
    }

    /// The tables of a rung, made when they are first asked for; `None` if `make` returns `None`. `rung` must not be 0.
    pub fn tables_or(&self, rung: usize, make: impl FnOnce() -> Option<T>) -> Option<&T> {
        if self.tables(rung).is_none() {
            let _ = self.tables[rung - 1].set(make()?);
        }
        self.tables(rung)
    }

    /// All tables that are made, the smallest first.
    pub fn made(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.tables.iter().filter_map(OnceLock::get)
    }

    /// Adds `states` to the number of states searched without tables. The work of other searches is noted in this way,
    /// so that the first tables are made sooner.
    pub fn note(&self, states: u64) {
        self.searched[0].fetch_add(states, Ordering::Relaxed);
    }

    /// The number of states that were searched without tables.
    pub fn searched_without(&self) -> u64 {
        self.searched[0].load(Ordering::Relaxed)
    }

    /// Searches on one rung after the other: on each until that search has cost as much as making the tables of the
    /// next rung. `None` if every rung is [`Rung::Missing`]. The ladder sets `effort.states` for each rung.
    pub fn climb(
        &self,
        climber: &impl Climber,
        proof: &mut Proof,
        effort: &mut Effort,
        watch: Watch,
    ) -> Option<Deepened> {
        let mut last = None;
        for (rung, searched) in self.searched.iter().enumerate() {
            let next = match climber.prepare(rung, watch) {
                Rung::Missing => continue,
                Rung::Stopped => return Some(Deepened::Stopped),
                Rung::Ready { next } => next,
            };
            effort.states = next.map_or(u64::MAX, |next| next.saturating_sub(searched.load(Ordering::Relaxed)));
            let before = proof.states();
            let found = climber.search(rung, proof, effort, watch);
            let full = found == Deepened::Full && next.is_some();
            searched.fetch_add(if full { effort.states } else { proof.states() - before }, Ordering::Relaxed);
            let goes_on = match found {
                Deepened::Full => true,
                Deepened::TooLong => effort.stop.in_larger_tables,
                _ => false,
            };
            if !goes_on || next.is_none() {
                return Some(found);
            }
            last = Some(found);
        }
        last
    }
}
