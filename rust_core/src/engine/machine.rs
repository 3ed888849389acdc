//! Compiled rules behind one type for all widths of words.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use super::choice::{Choice, FEWER, few_reachable, no_index};
use super::read::read;
use super::rows::{Found, Rows, Span};
use super::sight::{Sighted, Sought, sight};
use super::state::{State, Successors};
use crate::compile::{Compiled, Images, Word, symbol_bits};
use crate::dense::{Dense, Tuning};
use crate::error::{Error, Result};
use crate::graph::{FoundStates, StatesOfWords};
use crate::index::pieces_first;
use crate::job::{Job, Outbox};
use crate::memory::in_words;
use crate::rules::{Rules, Symbol, Symmetry, Varying};
use crate::run::{Budget, Grain, Options, Progress, Report, Stop, Store, Watch, in_pool};
use crate::solve::{self, Foreseen, Play, Question, Searched, Solution, Solved};
use crate::sparse;
use crate::structure::Structure;
use crate::values::SearchEnd;

/// A search for all states, which are in memory.
pub(crate) struct ReachedStates<'a> {
    /// What it counted.
    pub report: Report,
    /// The same as values need it.
    pub end: SearchEnd,
    /// The states, those of the depths that are done if it was stopped.
    pub states: Box<dyn FoundStates + 'a>,
}

/// What every width of word can do.
pub(crate) trait Machine: Send + Sync {
    /// The store for a run, and why: dense if the rules have a perfect index that fits the memory and is not far larger
    /// than what can be reached. `last` is a depth beyond which the run will never go, if there is one. `kept`
    /// says whether a job keeps the depths.
    fn choose(&self, options: &Options, last: Option<u64>, kept: bool) -> Result<Choice>;
    fn enumerate(&self, options: &Options, choice: Choice, job: Option<&mut Job>, watch: Watch) -> Result<Report>;
    /// Finds all states that play can reach, in the sparse store, and holds them in memory.
    fn found_states(&self, options: &Options, watch: Watch) -> Result<ReachedStates<'_>>;
    /// All states of a job of the sparse store that has all of them.
    fn states_of_job(&self, options: &Options, job: &Job) -> Box<dyn FoundStates + '_>;
    /// Enumerates without a job, and tells what is sought beside the counts.
    fn sight(&self, options: &Options, choice: &Choice, sought: Sought, watch: Watch) -> Result<Sighted>;
    /// The packed words of rows that fit the rules and have no stranger, as bytes; with `symmetry`, of the smallest images
    /// that keep whose turn it is. So a job that counts up to symmetry has them.
    fn words_of_rows(&self, rows: &[u8], symmetry: bool, found: &mut Vec<u8>);
    /// The state whose packed word has these bytes, with the player to move.
    fn state_of_word(&self, bytes: &[u8], player: usize) -> State;
    /// How many symmetries words are counted by. Those that differ only in cells that never change count as one.
    fn symmetry_order(&self, options: &Options) -> usize;
    /// Checks the depths of a job that are done.
    fn verify(&self, options: &Options, dense: Option<&Dense>, job: &Job, watch: Watch) -> Result<()>;
    /// Checks what a job has kept of the depth that is not done.
    fn verify_piece(&self, options: &Options, dense: Option<&Dense>, job: &Job, watch: Watch) -> Result<()>;
    /// Finds depth 0 of a shard.
    fn shard_roots(&self, options: &Options, job: &mut Job) -> Result<()>;
    /// Expands a shard's last depth, and returns how many successors there are.
    fn expand_shard(&self, options: &Options, job: &Job, outbox: &mut Outbox, watch: Watch) -> Result<u64>;
    /// Makes what a shard has received its next depth.
    fn close_shard(&self, options: &Options, job: &mut Job, watch: Watch) -> Result<()>;
    /// Reads some depths of a job.
    fn read(
        &self,
        options: &Options,
        dense: Option<&Dense>,
        job: &Job,
        span: &Span,
        watch: Watch,
        found: Found,
    ) -> Result<()>;
    fn moves(&self, state: &State) -> Vec<usize>;
    fn outcome(&self, state: &State) -> Option<usize>;
    fn solved(&self, state: &State) -> bool;
    fn successors(&self, state: &State, found: &mut dyn FnMut(usize, State));
    /// The state after a move; `None` if it cannot be made.
    fn apply(&self, state: &State, index: usize) -> Option<State>;
    fn canonical(&self, state: &State) -> State;
    /// Adds the successors of rows that fit the rules and have no stranger, the first of which has the given number.
    fn expand_rows(&self, rows: &[u8], first: u32, found: &mut Successors);
    /// Adds the canonical forms of such rows.
    fn canonical_rows(&self, rows: &[u8], found: &mut Vec<u8>);
    fn solve(&self, state: &State, budget: Budget, watch: Watch) -> Result<Solved>;
    fn play(&self, state: &State, question: Question, watch: Watch) -> Searched<Play>;
    /// What each move leads to within so many moves, and how far so many positions went.
    fn foresee(&self, state: &State, ahead: u32, positions: u64, watch: Watch) -> (u32, Vec<Foreseen>);
    fn gather(&self, most: usize) -> Option<Vec<State>>;
    fn word_bits(&self) -> usize;
    /// The cells and symbols that a word holds.
    fn varying(&self) -> &Varying;
}

/// The width of the widest words.
pub(super) const MOST_WORD_BITS: usize = 32 * 64;

/// If fewer states would be searched than this, the index is so small that it costs nothing.
const LEAST_PROBED: u64 = 1000;

/// The most states that are searched to find out whether there are more. That takes some hundredths of a second.
const MOST_PROBED: u64 = 1 << 18;

/// How many states a search from both ends stores before it goes on up to symmetry, and on all cores. That takes some
/// hundredths of a second.
const FIRST_STATES: usize = 100_000;

/// Compiled rules, with the images of the whole symmetry group, player swaps included.
struct Sized<W> {
    compiled: Compiled<W>,
    keeping: Images<W>,
    swapping: Option<Images<W>>,
    /// The images of the symmetries that keep the goal, made when they are first asked for.
    goal_keeping: OnceLock<Images<W>>,
}

impl<W: Word> Sized<W> {
    fn new(compiled: Compiled<W>) -> Self {
        let structure = &compiled.structure;
        let (keeping, swapping) = structure.symmetries().split_at(structure.turn_keeping().len());
        let images = |symmetries: &[_]| compiled.images(symmetries);
        Self {
            keeping: images(keeping),
            swapping: (!swapping.is_empty()).then(|| images(swapping)),
            goal_keeping: OnceLock::new(),
            compiled,
        }
    }

    /// The whole rules, as the dense store takes them.
    fn rules(&self) -> &Rules {
        self.compiled.structure.rules()
    }

    /// The symmetries that a run counts by.
    fn symmetries(&self, options: &Options) -> &[Symmetry] {
        let structure = &self.compiled.structure;
        if options.symmetry { structure.turn_keeping() } else { &structure.symmetries()[..1] }
    }

    /// The images of the symmetries that a run counts by.
    fn images(&self, options: &Options) -> Cow<'_, Images<W>> {
        if options.symmetry {
            return Cow::Borrowed(&self.keeping);
        }
        Cow::Owned(self.compiled.images(self.symmetries(options)))
    }

    /// The images of the symmetries that keep the goal and the moves.
    fn goal_keeping(&self) -> &Images<W> {
        self.goal_keeping.get_or_init(|| {
            let mut symmetries = solve::goal_keeping(&self.compiled.structure);
            symmetries.retain(|symmetry| self.compiled.varying.is_carried(symmetry));
            if !Images::<W>::fit(&self.compiled.layout, symmetries.len()) {
                symmetries.truncate(1);
            }
            self.compiled.images(&symmetries)
        })
    }

    /// How many states a run finds, if they are so few that a short search finds all of them.
    fn probe(&self, dense: &Dense, options: &Options) -> Result<Option<u64>> {
        let most = (dense.doubtful(options.max_depth) / FEWER).min(MOST_PROBED);
        if most < LEAST_PROBED {
            return Ok(None);
        }
        let watch = |progress: &Progress| {
            if progress.states + progress.expanded > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        // The probe takes hardly any memory, since little may be left beside the index.
        let grain = Some(Grain { partition_bits: 0, block_states: 1024, wave_blocks: 8, run_words: 0 });
        let options = &Options { memory: options.memory / 8, grain, ..*options };
        let report = sparse::enumerate(&self.compiled, &self.images(options), options, None, &watch)?;
        let found = report.states() <= most && matches!(report.stop, None | Some(Stop::MaxDepth));
        Ok(found.then(|| report.states()))
    }

    fn pack(&self, state: &State) -> W {
        self.compiled.pack(&state.cells)
    }

    /// The smallest image of a state, and the player to move in it.
    fn canonical_word(&self, word: W, player: usize) -> (W, usize) {
        let keeping = (player, self.keeping.smallest(word));
        let swapping = self.swapping.as_ref().map(|images| (1 - player, images.smallest(word)));
        let (player, word) = swapping.map_or(keeping, |other| other.min(keeping));
        (word, player)
    }

    /// How many bytes a row has: one for each cell, and in a game one more for the player to move.
    fn row_bytes(&self) -> usize {
        self.rules().cells() + usize::from(self.rules().player_count() == 2)
    }

    fn pack_row(&self, row: &[u8]) -> (W, usize) {
        let (cells, player) = row.split_at(self.rules().cells());
        (self.compiled.pack(cells), player.first().map_or(0, |&player| player as usize))
    }

    fn push_row(&self, rows: &mut Vec<u8>, word: W, player: usize) {
        let begin = rows.len();
        rows.resize(begin + self.row_bytes(), player as u8);
        let cells = self.rules().cells();
        self.compiled.unpack(word, &mut rows[begin..begin + cells]);
    }

    fn unpack(&self, word: W, player: usize) -> State {
        let mut cells: Vec<Symbol> = vec![0; self.rules().cells()];
        self.compiled.unpack(word, &mut cells);
        State { cells, player }
    }
}

impl<W: Word> Machine for Sized<W> {
    fn choose(&self, options: &Options, last: Option<u64>, kept: bool) -> Result<Choice> {
        let symmetries = self.symmetries(options);
        let sparse = |reason: &str| Ok(Choice { dense: None, reason: reason.to_owned() });
        match options.store {
            Store::Sparse => return sparse("asked for"),
            Store::Auto if options.grain.is_some() => return sparse("the grain is that of the sparse store"),
            _ => {}
        }
        let forced = options.store == Store::Dense;
        // The group of pieces makes few of the arrangements of their stickers, but most of those of the pieces.
        let by_symbols = !forced && !pieces_first(&self.compiled.structure);
        if by_symbols && let Some(reason) = few_reachable(&self.compiled.structure) {
            return sparse(&reason);
        }
        let Some(dense) = Dense::new(&self.compiled.structure, symmetries, Tuning::new(options.grain)) else {
            if forced {
                let reason = no_index(&self.compiled.structure);
                return Err(Error::Options(format!("{reason}; leave the store to the engine")));
            }
            return sparse(&no_index(&self.compiled.structure));
        };
        // A job that keeps snapshots has no array more than a run without a job.
        let kept = if kept { !dense.keeps_snapshot(options) } else { dense.takes_more(options) };
        let bytes = dense.bytes(options.max_depth, kept);
        if bytes > Dense::most_bytes(options) {
            let (takes, leaves) = (in_words(bytes), in_words(Dense::most_bytes(options)));
            if forced {
                dense.check_memory(options, kept)?;
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
        if let Some(states) = self.probe(&dense, options)? {
            let within = last.map_or(String::new(), |depth| format!(" to depth {depth}"));
            return sparse(&format!("only {states} states can be reached{within}"));
        }
        Ok(Choice { dense: Some(dense), reason: format!("a perfect index takes {}", in_words(bytes)) })
    }

    fn enumerate(&self, options: &Options, choice: Choice, job: Option<&mut Job>, watch: Watch) -> Result<Report> {
        let (compiled, rules, begun) = (&self.compiled, self.rules(), Instant::now());
        let report = match &choice.dense {
            Some(dense) => in_pool(options, || dense.enumerate(rules, options, job, watch))?,
            None => sparse::enumerate(compiled, &self.images(options), options, job, watch),
        }?;
        Ok(Report { reason: choice.reason, seconds: begun.elapsed().as_secs_f64(), ..report })
    }

    fn found_states(&self, options: &Options, watch: Watch) -> Result<ReachedStates<'_>> {
        let (images, begun) = (self.images(options), Instant::now());
        let all = &Options { max_depth: None, ..*options };
        let (report, mut depths) = sparse::depths(&self.compiled, &images, all, watch)?;
        // A depth without states shows that the one before was the last.
        depths.truncate(report.depths.len());
        let end = SearchEnd { symmetry_order: images.order, generated: report.generated, begun };
        let states = Box::new(StatesOfWords::in_memory(&self.compiled, images, depths));
        Ok(ReachedStates { report, end, states })
    }

    fn states_of_job(&self, options: &Options, job: &Job) -> Box<dyn FoundStates + '_> {
        Box::new(StatesOfWords::of_job(&self.compiled, self.images(options), job))
    }

    fn sight(&self, options: &Options, choice: &Choice, sought: Sought, watch: Watch) -> Result<Sighted> {
        let begun = Instant::now();
        let found = sight((&self.compiled, &*self.images(options)), options, choice, sought, watch)?;
        let report = Report { seconds: begun.elapsed().as_secs_f64(), ..found.report };
        Ok(Sighted { report, ..found })
    }

    fn words_of_rows(&self, rows: &[u8], symmetry: bool, found: &mut Vec<u8>) {
        let mut bytes = vec![0; W::BYTES];
        for row in rows.chunks_exact(self.row_bytes()) {
            let (word, _) = self.pack_row(row);
            (if symmetry { self.keeping.smallest(word) } else { word }).to_bytes(&mut bytes);
            found.extend_from_slice(&bytes);
        }
    }

    fn symmetry_order(&self, options: &Options) -> usize {
        self.images(options).order
    }

    fn state_of_word(&self, bytes: &[u8], player: usize) -> State {
        self.unpack(W::from_bytes(bytes), player)
    }

    fn verify(&self, options: &Options, dense: Option<&Dense>, job: &Job, watch: Watch) -> Result<()> {
        match dense {
            Some(dense) => in_pool(options, || dense.verify(self.rules(), job))?,
            None => {
                in_pool(options, || sparse::verify(&self.compiled, &self.images(options), job, options.memory, watch))?
            }
        }
    }

    fn verify_piece(&self, options: &Options, dense: Option<&Dense>, job: &Job, watch: Watch) -> Result<()> {
        match dense {
            Some(_) => job.check_partial(),
            None => in_pool(options, || sparse::verify_part(&self.compiled, &self.images(options), job, watch))?,
        }
    }

    fn shard_roots(&self, options: &Options, job: &mut Job) -> Result<()> {
        sparse::shard_roots(&self.compiled, &self.images(options), job)
    }

    fn expand_shard(&self, options: &Options, job: &Job, outbox: &mut Outbox, watch: Watch) -> Result<u64> {
        sparse::expand_shard((&self.compiled, &*self.images(options)), options, job, outbox, watch)
    }

    fn close_shard(&self, options: &Options, job: &mut Job, watch: Watch) -> Result<()> {
        sparse::close_shard((&self.compiled, &*self.images(options)), options, job, watch)
    }

    fn read(
        &self,
        options: &Options,
        dense: Option<&Dense>,
        job: &Job,
        span: &Span,
        watch: Watch,
        found: Found,
    ) -> Result<()> {
        let (compiled, rules) = (&self.compiled, self.rules());
        let images = self.images(options);
        if job.manifest().subject.keeps_snapshot() {
            return Err(Error::Job(
                "the job keeps the counts of its depths and no states, because the bits of all depths would not fit the \
                 memory or would be very many; begin another job with --store sparse, or of smaller rules"
                    .to_owned(),
            ));
        }
        in_pool(options, || {
            for depth in span.of(&job.manifest().depths) {
                let player = depth % rules.player_count();
                let index = (compiled, &*images, dense);
                read(index, job, depth, span.rows, watch, &mut |words| {
                    found(Rows::new(compiled, &images, words, (depth as u64, player)))
                })?;
            }
            Ok(())
        })?
    }

    fn moves(&self, state: &State) -> Vec<usize> {
        let (word, mut moves) = (self.pack(state), Vec::new());
        if self.compiled.ended(word, state.player).is_none() {
            self.compiled.steps[state.player].each(word, |_, step| {
                moves.push(step.index);
                true
            });
        }
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

    fn apply(&self, state: &State, index: usize) -> Option<State> {
        let (word, mut after) = (self.pack(state), None);
        if self.compiled.ended(word, state.player).is_none() {
            self.compiled.steps[state.player].each(word, |_, step| {
                if step.index == index {
                    after = Some(step.effect.apply(word));
                }
                after.is_none()
            });
        }
        after.map(|word| self.unpack(word, self.compiled.rules.next_player(state.player)))
    }

    fn canonical(&self, state: &State) -> State {
        let (word, player) = self.canonical_word(self.pack(state), state.player);
        self.unpack(word, player)
    }

    fn expand_rows(&self, rows: &[u8], first: u32, found: &mut Successors) {
        let (width, cells) = (self.row_bytes(), self.rules().cells());
        let mut after: Vec<(u32, W)> = Vec::new();
        for (parent, row) in (first..).zip(rows.chunks_exact(width)) {
            let (word, player) = self.pack_row(row);
            if self.compiled.ended(word, player).is_some() {
                continue;
            }
            after.clear();
            self.compiled.steps[player].each(word, |_, step| {
                after.push((step.index as u32, step.effect.apply(word)));
                true
            });
            // Cells are found from the last one on, so moves often come in the opposite order.
            if after.first() > after.last() {
                after.reverse();
            }
            if !after.is_sorted_by_key(|&(index, _)| index) {
                after.sort_unstable_by_key(|&(index, _)| index);
            }
            let begin = found.rows.len();
            found.rows.resize(begin + after.len() * width, self.compiled.rules.next_player(player) as u8);
            for (child, &(_, word)) in found.rows[begin..].chunks_exact_mut(width).zip(&after) {
                self.compiled.unpack(word, &mut child[..cells]);
            }
            found.parents.resize(found.parents.len() + after.len(), parent);
            found.moves.extend(after.iter().map(|&(index, _)| index));
        }
    }

    fn canonical_rows(&self, rows: &[u8], found: &mut Vec<u8>) {
        if self.keeping.trivial && self.swapping.is_none() {
            found.extend_from_slice(rows);
            return;
        }
        for row in rows.chunks_exact(self.row_bytes()) {
            let (word, player) = self.pack_row(row);
            let (word, player) = self.canonical_word(word, player);
            self.push_row(found, word, player);
        }
    }

    fn solve(&self, state: &State, budget: Budget, watch: Watch) -> Result<Solved> {
        let from = self.pack(state);
        let first = Budget { states: budget.states.min(FIRST_STATES), ..budget };
        let found = solve::shortest(&self.compiled, from, first, watch);
        if found.solution != Solution::Full || found.states < FIRST_STATES as u64 {
            return Ok(found);
        }
        solve::meet(&self.compiled, self.goal_keeping(), from, budget, watch)
    }

    fn play(&self, state: &State, question: Question, watch: Watch) -> Searched<Play> {
        let from = (state.player, self.pack(state));
        solve::judge(&self.compiled, &self.keeping, from, question, watch)
    }

    fn foresee(&self, state: &State, ahead: u32, positions: u64, watch: Watch) -> (u32, Vec<Foreseen>) {
        let word = self.pack(state);
        if self.compiled.outcome(word, state.player).is_some() {
            return (0, Vec::new());
        }
        solve::foresee(&self.compiled, &self.keeping, (state.player, word), (ahead, positions), watch)
    }

    fn gather(&self, most: usize) -> Option<Vec<State>> {
        let states = solve::gather(&self.compiled, most)?;
        Some(states.into_iter().map(|(player, word)| self.unpack(word, player)).collect())
    }

    fn word_bits(&self) -> usize {
        size_of::<W>() * 8
    }

    fn varying(&self) -> &Varying {
        &self.compiled.varying
    }
}

/// Compiles what varies of rules, for the narrowest word that holds a state and has at least `least` bits.
pub(super) fn at_least(structure: &Arc<Structure>, varying: Varying, least: usize) -> Result<Arc<dyn Machine>> {
    type Part<'a> = (&'a Arc<Structure>, &'a Arc<Varying>, usize);
    fn attempt<W: Word>((structure, varying, least): Part) -> Option<Result<Arc<dyn Machine>>> {
        if size_of::<W>() * 8 < least {
            return None;
        }
        let (rules, compiled) = (&varying.rules, Compiled::<W>::new(structure, varying)?);
        let order = structure.symmetries().len();
        if !Images::<W>::fit(&compiled.layout, order) {
            let cells = rules.cells();
            return Some(Err(Error::Rules(format!(
                "the tables of {order} symmetries of {cells} cells do not fit 1 GiB; give fewer symmetries"
            ))));
        }
        Some(Ok(Arc::new(Sized::<W>::new(compiled))))
    }
    let varying = Arc::new(varying);
    let part = (structure, &varying, least);
    attempt::<u32>(part)
        .or_else(|| attempt::<u64>(part))
        .or_else(|| attempt::<u128>(part))
        .or_else(|| attempt::<[u64; 4]>(part))
        .or_else(|| attempt::<[u64; 8]>(part))
        .or_else(|| attempt::<[u64; 16]>(part))
        .or_else(|| attempt::<[u64; 32]>(part))
        .unwrap_or_else(|| {
            let rules = &varying.rules;
            let (cells, bits) = (rules.cells(), symbol_bits(rules.symbols.len()));
            Err(Error::Rules(format!(
                "{cells} cells of {bits} bits each do not fit 32 words of 64 bits; use fewer cells or symbols"
            )))
        })
}
