//! The choice of the store of a run, the reason for it, and what is known of the run before it begins.

use std::ops::ControlFlow;

use super::goal_roots::Roots;
use super::indexed_rules::IndexedRules;
use super::machine::Machine;
use crate::dense::{Dense, Tuning};
use crate::error::{Error, Result};
use crate::index::{MOST_CELLS, MOST_DISTINCT, MOST_PLACES, arrangements, pieces_first};
use crate::instant::Instant;
use crate::job::Job;
use crate::memory::in_words;
use crate::ordered::OrderedSet;
use crate::rules::Symbol;
use crate::run::{Grain, Options, Progress, Report, Stop, Store, Watch, in_pool};
use crate::sorting::Gather;
use crate::structure::{Action, Need, Pieces, Structure};

/// The plan of a run: the store that holds its states, and its size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunPlan {
    /// The store.
    pub store: Store,
    /// The reason for the choice of that store.
    pub reason: String,
    /// The most bytes of memory that the run takes; or, if its arrays are on disk, the fewest, since such a run uses
    /// all memory that it may. `None` if that is not known before the run.
    pub memory_bytes: Option<u64>,
    /// The bytes of the arrays that are on disk, if any are.
    pub disk_bytes: Option<u64>,
}

/// The store that was chosen for a run, and the reason.
pub struct Choice {
    /// The perfect index, if the dense store was chosen; `None` stands for the sparse store.
    pub dense: Option<Dense>,
    /// The reason, in words.
    pub reason: String,
}

impl Choice {
    /// The store that was chosen.
    pub fn store(&self) -> Store {
        if self.dense.is_some() { Store::Dense } else { Store::Sparse }
    }
}

/// An index is judged to waste memory if it has this many times as many numbers as there are reachable states.
pub const FEWER: u64 = 1000;

/// If the index has this many numbers for each reachable state (which may be an estimate), the sparse store is better:
/// the words of the states take less memory than the bits of all numbers, and finding the words takes less time than
/// looking through all bits at each depth.
const TOUCHED: u128 = 64;

/// The fewest states that a short search must be allowed to find. If it were allowed fewer, the index is so small that
/// it is taken without a search.
const LEAST_PROBED: u64 = 1000;

/// The most states that a short search finds, to learn whether there are more. That takes some hundredths of a second.
const MOST_PROBED: u64 = 1 << 18;

/// Methods of a machine that serve both stores: the choice of the store, the enumeration, and the check of a job's
/// files.
impl dyn Machine + '_ {
    /// The store for a run, and the reason: dense if the rules have a perfect index that fits the memory and is not far
    /// larger than the number of reachable states. `last` is a depth beyond which the run will never go, if there is
    /// one. `kept` says that a job keeps the depths.
    pub(super) fn choose(&self, options: &Options, last: Option<u64>, kept: bool) -> Result<Choice> {
        let IndexedRules { structure, varying } = self.indexed();
        let symmetries = structure.counted_by(options.symmetry);
        let sparse = |reason: &str| Ok(Choice { dense: None, reason: reason.to_owned() });
        match options.store {
            Store::Sparse => return sparse("asked for"),
            Store::Auto if options.grain.is_some() => return sparse("the grain is that of the sparse store"),
            _ => {}
        }
        let forced = options.store == Store::Dense;
        // An index of pieces is not judged by the arrangements of stickers. Moves make hardly any of those, but they
        // make most arrangements of the pieces.
        let by_symbols = !forced && !pieces_first(structure);
        if by_symbols && let Some(reason) = few_reachable(structure) {
            return sparse(&reason);
        }
        let Some(dense) = Dense::new(structure, symmetries, Tuning::new(options.grain)) else {
            if forced {
                return Err(Error::Options(format!("{}; leave the store to the engine", no_index(structure))));
            }
            return sparse(&no_index(structure));
        };
        let dense = dense.over(varying);
        // A job needs one more array than a run without a job, except if it keeps snapshots.
        let one_more_array = if kept { !dense.keeps_snapshot(options) } else { dense.takes_more(options) };
        let bytes = dense.bytes(options.max_depth, one_more_array);
        let on_disk = kept && dense.keeps_arrays(options);
        if bytes > Dense::most_bytes(options) && !on_disk {
            let (takes, leaves) = (in_words(bytes), in_words(Dense::most_bytes(options)));
            if forced {
                dense.check_memory(options, one_more_array)?;
            }
            return sparse(&format!("a perfect index would take {takes}, and the limit leaves {leaves}"));
        }
        if forced {
            return Ok(Choice { dense: Some(dense), reason: "asked for".to_owned() });
        }
        if dense.is_slow() {
            return sparse("a perfect index would take as long");
        }
        let options = &Options { max_depth: last, ..*options };
        let numbers = u128::from(dense.doubtful(last));
        if let Some(states) = twisted_states(structure).filter(|states| states.saturating_mul(TOUCHED) < numbers) {
            return sparse(&format!("only {states} states can be reached"));
        }
        let within = last.map_or(String::new(), |depth| format!(" to depth {depth}"));
        match self.probe(&dense, options)? {
            Some(Probed::All(states)) => return sparse(&format!("only {states} states can be reached{within}")),
            Some(Probed::Foretold(states)) if (states as u128).saturating_mul(TOUCHED) < numbers => {
                return sparse(&format!("about {states:.0} states can be reached{within}"));
            }
            _ => {}
        }
        let place = if on_disk { " of disk" } else { "" };
        Ok(Choice { dense: Some(dense), reason: format!("a perfect index takes {}{place}", in_words(bytes)) })
    }

    /// Makes a short search to learn how many states a run finds: exactly if the search finds all of them, and
    /// otherwise by an estimate. `None` if it finds too few states for an estimate.
    fn probe(&self, dense: &Dense, options: &Options) -> Result<Option<Probed>> {
        let most = (dense.doubtful(options.max_depth) / FEWER).min(MOST_PROBED);
        if most < LEAST_PROBED {
            return Ok(None);
        }
        let watch = |progress: &Progress| {
            if progress.states + progress.expanded > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        // Blocks and waves are small here, since little memory may be left beside the index.
        let grain = Some(Grain { partition_bits: 0, block_states: 1024, wave_blocks: 8, run_words: 0 });
        let options = &Options { memory: options.memory / 8, grain, ..*options };
        let report = self.enumerate_words(None, options, None, &watch)?;
        let ended = report.states() <= most && matches!(report.stop, None | Some(Stop::MaxDepth));
        Ok(if ended { Some(Probed::All(report.states())) } else { foretold(&report, options.max_depth) })
    }

    /// Enumerates in the store of `choice`. Depth 0 is the start, or has the states `roots`, in the form of that store.
    pub fn enumerate(
        &self,
        roots: Option<Roots>,
        options: &Options,
        choice: Choice,
        job: Option<&mut Job>,
        watch: Watch,
    ) -> Result<Report> {
        let begun = Instant::now();
        let report = match &choice.dense {
            Some(dense) => in_pool(options, || dense.enumerate(options, roots.map(Roots::into_items), job, watch))?,
            None => self.enumerate_words(roots, options, job, watch),
        }?;
        Ok(Report { reason: choice.reason, seconds: begun.elapsed().as_secs_f64(), ..report })
    }

    /// Checks the files of the depths of a job that are done.
    pub fn verify(&self, options: &Options, dense: Option<&Dense>, job: &Job, watch: Watch) -> Result<()> {
        match dense {
            Some(dense) => in_pool(options, || dense.verify(job))?,
            None => self.verify_words(options, job, watch),
        }
    }

    /// Checks the files of the depth that a job has not finished.
    pub fn verify_piece(&self, options: &Options, dense: Option<&Dense>, job: &Job, watch: Watch) -> Result<()> {
        match dense {
            Some(dense) => dense.verify_piece(options, job),
            None => self.verify_partial_words(options, job, watch),
        }
    }
}

/// The result of a short search: the number of states that a run finds.
enum Probed {
    /// The search has found all states. This is their number.
    All(u64),
    /// The search stopped early. From the growth of its depths, this number is estimated; the run rarely finds more
    /// states.
    Foretold(f64),
}

/// Estimates the number of states up to depth `last`, as if each further depth grew by the same factor as the last one
/// that was found. Growth mostly slows down, so there are rarely more states than that. `None` if fewer than two depths
/// were found, or if there is no last depth.
fn foretold(report: &Report, last: Option<u64>) -> Option<Probed> {
    let [.., before, now] = &report.depths[..] else { return None };
    let growth = (now.states as f64 / before.states as f64).max(1.0);
    let mut states = report.states() as f64;
    let mut frontier = now.states as f64;
    for _ in now.depth..last? {
        frontier *= growth;
        states += frontier;
    }
    Some(Probed::Foretold(states))
}

/// The number of states that play reaches, if moves twist pieces that are all different.
fn twisted_states(structure: &Structure) -> Option<u128> {
    if structure.dials().is_some() {
        return None; // play reaches each number of their indexes
    }
    let sizes = structure.twisted()?.orbit_sizes()?;
    Some(sizes.iter().fold(1, |product: u128, &size| product.saturating_mul(size as u128)))
}

/// A sentence about the number of reachable states, if the group that the moves generate makes hardly any of the
/// arrangements.
pub fn few_reachable(structure: &Structure) -> Option<String> {
    let rules = structure.rules();
    if rules.cells() > MOST_PLACES {
        return None; // too many cells for an index anyway, and the group of a large board takes long
    }
    let group = structure.group()?;
    // Cells in different orbits of the group never exchange their symbols, so their arrangements multiply.
    let symbols = |cells: Vec<usize>| arrangements(cells.into_iter().map(|cell| rules.start[cell]));
    let apart: u128 = group.orbits().into_iter().map(symbols).product();
    let (states, all) = (apart.min(group.order()), arrangements(rules.start.iter().copied()));
    // If symbols repeat, different elements of the group may lead to the same state.
    let distinct = all == arrangements(0..rules.cells() as Symbol);
    let only = if distinct { "only" } else { "at most" };
    (states < all / u128::from(FEWER)).then(|| format!("{only} {states} states can be reached"))
}

/// A sentence that says that the rules have no perfect index. If no two cells hold the same symbol at the start, the
/// sentence names the move, or another fact, that prevents the index.
pub fn no_index(structure: &Structure) -> String {
    const NONE: &str = "the rules have no perfect index";
    if structure.rules().turn.is_some() {
        return format!("{NONE}: a move may keep the turn");
    }
    why_no_arrangements(structure).map_or(NONE.to_owned(), |why| format!("{NONE}: {why}"))
}

/// Returns a phrase for a message: why rules whose moves twist pieces have no index, if only their size prevents it.
fn too_many_pieces(structure: &Structure) -> String {
    let most = structure.pieces().and_then(|pieces| {
        let shown = |&place: &usize| pieces.symbols[place].iter().min();
        let distinct = |kind: &&Vec<usize>| kind.iter().map(shown).gather::<OrderedSet<_>>().len() == kind.len();
        pieces.kinds.iter().filter(distinct).map(Vec::len).max()
    });
    match most {
        Some(most) if most > MOST_DISTINCT => {
            format!("the moves twist {most} pieces of a kind, and an index takes at most {MOST_DISTINCT}")
        }
        _ => "the pieces have too many combinations of places and twists".to_owned(),
    }
}

/// The reason why rules in which no two cells hold the same symbol have no index of arrangements. `None` if the rules
/// are not of this kind, or no reason is known.
fn why_no_arrangements(structure: &Structure) -> Option<String> {
    let rules = structure.rules();
    let held: OrderedSet<Symbol> = rules.start.iter().copied().gather();
    if held.len() < rules.cells() || rules.cells() < 2 || rules.player_count() > 1 || !rules.ends.is_empty() {
        return None;
    }
    if let Some(found) = Pieces::in_the_way(rules) {
        return Some(match &found[..] {
            [] => too_many_pieces(structure),
            _ => format!("the moves twist pieces, but {}", found.join(", and ")),
        });
    }
    if rules.cells() > MOST_CELLS {
        return Some(format!(
            "it takes at most {MOST_CELLS} cells with distinct symbols, and these are {}",
            rules.cells()
        ));
    }
    let name = |at: usize| &rules.moves[at].name;
    let symbol = |symbol: Symbol| &rules.symbols[symbol as usize];
    let mut pivot: Option<(usize, Symbol)> = None;
    let mut movable = OrderedSet::new();
    for (at, (need, action)) in structure.actions().iter().enumerate() {
        if !matches!(action, Action::Nothing | Action::Permutes(_)) {
            return Some(format!("the move \"{}\" does more than rearrange cells", name(at)));
        }
        match need {
            Need::Nothing => movable.extend(0..rules.cells()),
            Need::Symbol(cell, needed) | Need::Unlike(cell, _, needed) if held.contains(needed) => {
                movable.insert(*cell);
                let (first, other) = *pivot.get_or_insert((at, *needed));
                if other != *needed {
                    let (other, needed) = (symbol(other), symbol(*needed));
                    return Some(format!(
                        "the move \"{}\" needs \"{other}\" and the move \"{}\" needs \"{needed}\"",
                        name(first),
                        name(at)
                    ));
                }
            }
            Need::Symbol(..) | Need::Unlike(..) => {}
            Need::More => {
                return Some(format!("the move \"{}\" needs more than one symbol in one cell", name(at)));
            }
        }
    }
    if movable.len() < rules.cells() {
        return Some("in some states no move can be made".to_owned());
    }
    Some("its symmetries leave too many states as they are".to_owned())
}
