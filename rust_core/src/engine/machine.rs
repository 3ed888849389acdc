//! Compiled rules behind one type for all widths of words.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use super::State;
use super::keep::Keeping;
use super::read::read;
use super::rows::{Found, Rows, Span};
use crate::compile::{Compiled, Images, Word, symbol_bits};
use crate::dense::Dense;
use crate::error::{Error, Result};
use crate::index::MOST_PLACES;
use crate::job::{DepthEntry, Job, Manifest};
use crate::rules::{Rules, Symbol, Symmetry};
use crate::run::{Budget, Grain, Options, Progress, Report, Stop, Store, Watch, in_pool};
use crate::solve::{self, Play, Solution};
use crate::sparse;
use crate::structure::PermutationGroup;

/// How a run would hold its states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunPlan {
    /// The store.
    pub store: Store,
    /// Why that one.
    pub reason: String,
    /// The bytes of memory that it takes at the most, where that is known before the run.
    pub bytes: Option<u64>,
}

/// What every width of word can do.
pub(super) trait Machine: Send + Sync {
    fn enumerate(&self, options: &Options, keeping: Option<Keeping>, watch: Watch) -> Result<Report>;
    fn plan(&self, options: &Options) -> Result<RunPlan>;
    fn verify(&self, options: &Options, keeping: Keeping, watch: Watch) -> Result<Manifest>;
    fn read(&self, options: &Options, keeping: &Keeping, span: &Span, watch: Watch, found: Found) -> Result<Manifest>;
    fn moves(&self, state: &State) -> Vec<usize>;
    fn outcome(&self, state: &State) -> Option<usize>;
    fn solved(&self, state: &State) -> bool;
    fn successors(&self, state: &State, found: &mut dyn FnMut(usize, State));
    fn canonical(&self, state: &State) -> State;
    fn solve(&self, state: &State, budget: Budget, watch: Watch) -> Solution;
    fn play(&self, state: &State, budget: Budget, watch: Watch) -> Play;
    fn gather(&self, most: usize) -> Option<Vec<State>>;
    fn word_bits(&self) -> usize;
}

/// How many times fewer states than have an index make it a waste.
const FEWER: u64 = 1000;

/// Where fewer states would be searched, the index is so small that it costs nothing.
const LEAST_PROBED: u64 = 1000;

/// The most states that are searched to find out whether there are more: some hundredths of a second.
const MOST_PROBED: u64 = 1 << 18;

/// Compiled rules with the images of the whole symmetry group, player swaps included.
struct Sized<W> {
    compiled: Compiled<W>,
    keeping: Images<W>,
    swapping: Option<Images<W>>,
}

impl<W: Word> Sized<W> {
    fn new(compiled: Compiled<W>) -> Self {
        let (rules, layout) = (&compiled.rules, &compiled.layout);
        let (keeping, swapping) = rules.group.split_at(rules.turn_keeping().len());
        let images = |symmetries: &[_]| Images::new(rules, layout, symmetries);
        Self { keeping: images(keeping), swapping: (!swapping.is_empty()).then(|| images(swapping)), compiled }
    }

    /// The symmetries that a run counts by.
    fn symmetries(&self, options: &Options) -> &[Symmetry] {
        let rules = &self.compiled.rules;
        if options.symmetry { rules.turn_keeping() } else { &rules.group[..1] }
    }

    /// Their images.
    fn images(&self, options: &Options) -> Cow<'_, Images<W>> {
        if options.symmetry {
            return Cow::Borrowed(&self.keeping);
        }
        Cow::Owned(Images::new(&self.compiled.rules, &self.compiled.layout, self.symmetries(options)))
    }

    /// Opens a job to read it.
    fn look(&self, keeping: &Keeping, options: &Options) -> Result<(Job, Option<Dense>)> {
        let (rules, symmetries) = (&*self.compiled.rules, self.symmetries(options));
        // What is no job of these rules is refused for that, and not for what the rules lack.
        let job = keeping.look(rules, symmetries, options.store, self.word_bits(), options)?;
        let (dense, _) = self.choose(options, None)?;
        if let Some(dense) = &dense {
            job.manifest().subject.check_index(&dense.layout())?;
        }
        Ok((job, dense))
    }

    /// The store for a run, and why: dense where the rules have a perfect index that fits the memory and is not far larger than
    /// what can be reached, to a last depth if there is one for good.
    fn choose(&self, options: &Options, last: Option<u64>) -> Result<(Option<Dense>, String)> {
        let (rules, symmetries) = (&*self.compiled.rules, self.symmetries(options));
        let sparse = |reason: &str| Ok((None, reason.to_owned()));
        match options.store {
            Store::Sparse => return sparse("asked for"),
            Store::Auto if options.grain.is_some() => return sparse("the grain is that of the sparse store"),
            _ => {}
        }
        let forced = options.store == Store::Dense;
        if !forced && let Some(reason) = few_reachable(rules) {
            return sparse(&reason);
        }
        let Some(dense) = Dense::new(rules, symmetries, options.grain) else {
            if forced {
                return Err(Error::Options(
                    "the rules have no perfect index; leave the store to the engine".to_owned(),
                ));
            }
            return sparse("the rules have no perfect index");
        };
        let bytes = dense.bytes(options.max_depth);
        if bytes > options.memory {
            let (takes, leaves) = (in_words(bytes), in_words(options.memory));
            let reason = format!("a perfect index would take {takes}, and the limit leaves {leaves}");
            if forced {
                let remedy = "give more memory, or leave the store to the engine";
                return Err(Error::Memory(format!("{reason}; {remedy}")));
            }
            return sparse(&reason);
        }
        if forced {
            return Ok((Some(dense), "asked for".to_owned()));
        }
        if dense.is_slow() {
            return sparse("a perfect index would take as long");
        }
        let options = &Options { max_depth: last, ..*options };
        if let Some(states) = self.probe(&dense, options)? {
            let within = last.map_or(String::new(), |depth| format!(" to depth {depth}"));
            return sparse(&format!("only {states} states can be reached{within}"));
        }
        Ok((Some(dense), format!("a perfect index takes {}", in_words(bytes))))
    }

    /// How many states a run finds, where these are so few that a short search finds them all.
    fn probe(&self, dense: &Dense, options: &Options) -> Result<Option<u64>> {
        let most = (dense.doubtful(options.max_depth) / FEWER).min(MOST_PROBED);
        if most < LEAST_PROBED {
            return Ok(None);
        }
        let watch = |progress: &Progress| {
            if progress.states + progress.expanded > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        // It takes hardly any memory, of which little may be left beside the index.
        let grain = Some(Grain { partition_bits: 0, block_states: 1024, wave_blocks: 8, run_words: 0 });
        let options = &Options { memory: options.memory / 8, grain, ..*options };
        let report = sparse::enumerate(&self.compiled, &self.images(options), options, None, &watch)?;
        let found = report.states() <= most && matches!(report.stop, None | Some(Stop::MaxDepth));
        Ok(found.then(|| report.states()))
    }

    fn pack(&self, state: &State) -> W {
        self.compiled.layout.pack(&state.cells)
    }

    fn unpack(&self, word: W, player: usize) -> State {
        let mut cells = vec![0; self.compiled.layout.cells()];
        self.compiled.layout.unpack(word, &mut cells);
        State { cells, player }
    }
}

impl<W: Word> Machine for Sized<W> {
    fn enumerate(&self, options: &Options, keeping: Option<Keeping>, watch: Watch) -> Result<Report> {
        let (compiled, rules, begun) = (&self.compiled, &*self.compiled.rules, Instant::now());
        let symmetries = self.symmetries(options);
        // What is no job of these rules is refused for that, and not for what the rules lack.
        if let Some(keeping) = keeping.as_ref().filter(|keeping| keeping.keep.resume) {
            keeping.look(rules, symmetries, options.store, self.word_bits(), options)?;
        }
        // A job that stops at some depth may go on from there.
        let last = options.max_depth.filter(|_| keeping.is_none());
        let (dense, mut reason) = self.choose(options, last)?;
        if keeping.as_ref().is_some_and(|keeping| keeping.keep.resume) {
            "that of the job".clone_into(&mut reason);
        }
        let store = if dense.is_some() { Store::Dense } else { Store::Sparse };
        let index = dense.as_ref().map_or(String::new(), Dense::layout);
        let open = |keeping: Keeping| keeping.open(rules, symmetries, (store, &index), self.word_bits(), options);
        let mut job = keeping.map(open).transpose()?;
        if let Some(manifest) = job.as_ref().map(Job::manifest).filter(|manifest| manifest.complete) {
            return Ok(Report {
                depths: manifest.depths.iter().map(DepthEntry::report).collect(),
                stop: None,
                store,
                reason,
                symmetry_order: symmetries.len(),
                generated: manifest.generated,
                seconds: 0.0,
            });
        }
        let report = match dense {
            Some(dense) => in_pool(options, || dense.enumerate(rules, options, job.as_mut(), watch))?,
            None => sparse::enumerate(compiled, &self.images(options), options, job.as_mut(), watch),
        }?;
        Ok(Report { reason, seconds: begun.elapsed().as_secs_f64(), ..report })
    }

    fn verify(&self, options: &Options, keeping: Keeping, watch: Watch) -> Result<Manifest> {
        let (compiled, rules) = (&self.compiled, &*self.compiled.rules);
        let (job, dense) = self.look(&keeping, options)?;
        let partial = if let Some(dense) = dense {
            in_pool(options, || dense.verify(rules, &job))??;
            job.check_partial()
        } else {
            let images = self.images(options);
            sparse::verify(compiled, &images, &job, options.memory, watch)?;
            sparse::verify_part(compiled, &images, &job, watch)
        };
        // Another process may have gone on meanwhile: then those files are gone.
        match partial {
            Err(Error::Corrupt(_)) if Manifest::of_folder(&keeping.keep.folder)?.partial != job.manifest().partial => {}
            partial => partial?,
        }
        Ok(job.manifest().clone())
    }

    fn read(&self, options: &Options, keeping: &Keeping, span: &Span, watch: Watch, found: Found) -> Result<Manifest> {
        let (compiled, rules) = (&self.compiled, &*self.compiled.rules);
        let (job, dense) = self.look(keeping, options)?;
        let images = self.images(options);
        in_pool(options, || {
            for depth in span.of(&job.manifest().depths) {
                let player = depth % rules.player_count();
                let index = (compiled, &*images, dense.as_ref());
                read(index, &job, depth, span.rows, watch, &mut |words| {
                    found(Rows::new(compiled, &images, words, (depth as u64, player)))
                })?;
            }
            Ok(())
        })??;
        Ok(job.manifest().clone())
    }

    fn plan(&self, options: &Options) -> Result<RunPlan> {
        let (dense, reason) = self.choose(options, options.max_depth)?;
        let store = if dense.is_some() { Store::Dense } else { Store::Sparse };
        Ok(RunPlan { store, reason, bytes: dense.map(|dense| dense.bytes(options.max_depth)) })
    }

    fn moves(&self, state: &State) -> Vec<usize> {
        let mut moves = Vec::new();
        self.successors(state, &mut |index, _| moves.push(index));
        moves.sort_unstable();
        moves
    }

    fn outcome(&self, state: &State) -> Option<usize> {
        self.compiled.outcome(self.pack(state), state.player)
    }

    fn solved(&self, state: &State) -> bool {
        self.compiled.solved(self.pack(state))
    }

    fn successors(&self, state: &State, found: &mut dyn FnMut(usize, State)) {
        let word = self.pack(state);
        if self.compiled.ended(word, state.player).is_some() {
            return;
        }
        let next = self.compiled.rules.next_player(state.player);
        self.compiled.steps[state.player].each(word, |_, step| {
            found(step.index, self.unpack(step.effect.apply(word), next));
            true
        });
    }

    fn canonical(&self, state: &State) -> State {
        let word = self.pack(state);
        let keeping = (state.player, self.keeping.smallest(word));
        let swapping = self.swapping.as_ref().map(|images| (1 - state.player, images.smallest(word)));
        let (player, word) = swapping.map_or(keeping, |other| other.min(keeping));
        self.unpack(word, player)
    }

    fn solve(&self, state: &State, budget: Budget, watch: Watch) -> Solution {
        solve::shortest(&self.compiled, self.pack(state), budget, watch)
    }

    fn play(&self, state: &State, budget: Budget, watch: Watch) -> Play {
        let from = (state.player, self.pack(state));
        solve::best_moves(&self.compiled, &self.keeping, from, budget, watch)
    }

    fn gather(&self, most: usize) -> Option<Vec<State>> {
        let states = solve::gather(&self.compiled, most)?;
        Some(states.into_iter().map(|(player, word)| self.unpack(word, player)).collect())
    }

    fn word_bits(&self) -> usize {
        size_of::<W>() * 8
    }
}

/// A number of bytes for people.
fn in_words(bytes: u64) -> String {
    let unit = (bytes.max(1).ilog2() / 10).min(4);
    if unit == 0 {
        return format!("{bytes} bytes");
    }
    format!(
        "{:.1} {}",
        bytes as f64 / f64::from(1 << (10 * (unit - 1))) / 1024.0,
        ["KiB", "MiB", "GiB", "TiB"][unit as usize - 1]
    )
}

/// That few states can be reached, where the moves generate a group that makes hardly any of the arrangements.
fn few_reachable(rules: &Rules) -> Option<String> {
    if rules.cells() > MOST_PLACES {
        return None; // too many for an index anyway, and the group of a large board takes long
    }
    let group = PermutationGroup::of_rules(rules)?;
    let order = group.orbit_sizes().iter().map(|&size| size as u128).product();
    // What is in cells that no moves connect is never exchanged.
    let symbols = |cells: Vec<usize>| arrangements(cells.into_iter().map(|cell| rules.start[cell]));
    let apart: u128 = group.orbits().into_iter().map(symbols).product();
    let (states, all) = (apart.min(order), arrangements(rules.start.iter().copied()));
    // Where symbols repeat, different elements of the group may lead to the same state.
    let distinct = all == arrangements(0..rules.cells() as Symbol);
    let only = if distinct { "only" } else { "at most" };
    (states < all / u128::from(FEWER)).then(|| format!("{only} {states} states can be reached"))
}

/// How many arrangements some symbols have, at most 32 of them.
fn arrangements(symbols: impl Iterator<Item = Symbol>) -> u128 {
    let mut counts = std::collections::HashMap::<Symbol, u128>::new();
    // The n-th symbol makes n times as many, and as many times fewer as there are of it by then.
    symbols.zip(1..).fold(1, |product, (symbol, number)| {
        let count = counts.entry(symbol).or_default();
        *count += 1;
        product * number / *count
    })
}

/// Compiles rules for the narrowest word that holds a state and has at least so many bits.
pub(super) fn at_least(rules: &Arc<Rules>, least: usize) -> Result<Box<dyn Machine>> {
    fn attempt<W: Word>(rules: &Arc<Rules>, least: usize) -> Option<Result<Box<dyn Machine>>> {
        if size_of::<W>() * 8 < least {
            return None;
        }
        let compiled = Compiled::<W>::new(rules)?;
        let order = rules.group.len();
        if !Images::<W>::fit(&compiled.layout, order) {
            let cells = rules.cells();
            return Some(Err(Error::Rules(format!(
                "the tables of {order} symmetries of {cells} cells do not fit 1 GiB; give fewer symmetries"
            ))));
        }
        Some(Ok(Box::new(Sized::<W>::new(compiled))))
    }
    attempt::<u32>(rules, least)
        .or_else(|| attempt::<u64>(rules, least))
        .or_else(|| attempt::<u128>(rules, least))
        .or_else(|| attempt::<[u64; 4]>(rules, least))
        .or_else(|| attempt::<[u64; 8]>(rules, least))
        .or_else(|| attempt::<[u64; 16]>(rules, least))
        .or_else(|| attempt::<[u64; 32]>(rules, least))
        .unwrap_or_else(|| {
            let (cells, bits) = (rules.cells(), symbol_bits(rules.symbols.len()));
            Err(Error::Rules(format!(
                "{cells} cells of {bits} bits each do not fit 32 words of 64 bits; use fewer cells or symbols"
            )))
        })
}
