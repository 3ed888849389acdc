//! Compiled rules behind one type for all widths of words.

use std::sync::{Arc, OnceLock};

use super::goal_count::{GoalCount, goal_count};
use super::goal_roots::{GoalRoots, Roots, goal_words};
use super::indexed_rules::IndexedRules;
use super::job_reader::JobReader;
use super::rows::{Found, Rows, Span};
use super::state::{State, Successors};
use crate::compile::{Compiled, Images, Word};
use crate::dense::Dense;
use crate::error::{Error, Result};
use crate::graph::{
    DepthWords, ExploreLimits, Explored, ExploredGraph, FoundStates, StatesOfWords, WordGraph, WordRules, bytes_of,
    explore,
};
use crate::instant::Instant;
use crate::job::{HAS_FILES, Job, Outbox, needs_files};
use crate::rules::{Rules, Symbol, Varying};
use crate::run::{Budget, Options, Report, Watch, in_pool};
use crate::solve::{self, Judged, KeptBoard, LookAhead, Position, Question, Solved, StateSearch};
use crate::sparse::{self, FoundWords, ShardMemory, WordSearch};
use crate::structure::Structure;
use crate::values::SearchEnd;

/// The result of a search that holds all states in memory.
pub(crate) struct ReachedStates<'a> {
    /// The counts.
    pub report: Report,
    /// The facts about the search that the report of values needs.
    pub end: SearchEnd,
    /// The states. If the search was stopped, only those of the depths that are done.
    pub states: Box<dyn FoundStates + 'a>,
}

/// Everything that compiled rules can do. The trait hides the width of the words in which states are packed.
pub(crate) trait Machine: StateSearch + Send + Sync {
    /// The whole rules, and the facts that are known about them without a search.
    fn structure(&self) -> &Arc<Structure>;
    /// Enumerates in the sparse store. Depth 0 is the start, or has the states `roots`.
    fn enumerate_words(
        &self,
        roots: Option<Roots>,
        options: &Options,
        job: Option<&mut Job>,
        watch: Watch,
    ) -> Result<Report>;
    /// Finds all states that play can reach, in the sparse store, and holds them in memory. Depth 0 is the start, or
    /// has the states `roots`.
    fn found_states(&self, roots: Option<Roots>, options: &Options, watch: Watch) -> Result<ReachedStates<'_>>;
    /// All states of a job of the sparse store that has all of them.
    fn states_of_job(&self, options: &Options, job: &Job) -> Box<dyn FoundStates + '_>;
    /// Counts in the sparse store back from the goals `roots`, or from the start of these rules if that is the goal.
    /// `start` is the start of play.
    fn goal_count(&self, roots: Option<Roots>, options: &Options, start: &State, watch: Watch) -> Result<GoalCount>;
    /// Finds the goals that play reaches, as words: in the job `forward`, which has all states, or else by a count in
    /// memory.
    fn goal_words(&self, forward: Option<&Job>, options: &Options, watch: Watch) -> Result<GoalRoots>;
    /// The packed words, as bytes, of rows that fit the rules and have no symbol that the words lack. With `symmetry`,
    /// the words are those of the smallest images that keep whose turn it is, as a job that counts up to symmetry has
    /// them.
    fn words_of_rows(&self, rows: &[u8], symmetry: bool, found: &mut Vec<u8>);
    /// The shard, among `shards`, that has the state whose packed word has these bytes.
    fn shard_of_word(&self, bytes: &[u8], shards: u64) -> usize;
    /// The state whose packed word has these bytes, with the player to move.
    fn state_of_word(&self, bytes: &[u8], player: usize) -> State;
    /// Returns `true` if these bytes are the packed word of a state.
    fn is_word(&self, bytes: &[u8]) -> bool;
    /// The number of symmetries that words are counted up to. Symmetries that differ only in cells that never change
    /// count as one.
    fn symmetry_order(&self, options: &Options) -> usize;
    /// Checks the finished depths of a job of the sparse store.
    fn verify_words(&self, options: &Options, job: &Job, watch: Watch) -> Result<()>;
    /// Checks the part that a job of the sparse store has kept of its unfinished depth.
    fn verify_partial_words(&self, options: &Options, job: &Job, watch: Watch) -> Result<()>;
    /// Finds depth 0 of a shard.
    fn shard_roots(&self, options: &Options, job: &mut Job) -> Result<()>;
    /// Expands a shard's last depth, and returns how many successors there are.
    fn expand_shard(
        &self,
        options: &Options,
        job: &Job,
        outbox: &mut Outbox,
        memory: &mut ShardMemory,
        watch: Watch,
    ) -> Result<u64>;
    /// Makes the next depth of a shard from the states that it has received.
    fn close_shard(&self, options: &Options, job: &mut Job, memory: &mut ShardMemory, watch: Watch) -> Result<()>;
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
    /// A graph of all states of a job, each depth in the order in which [`Self::read`] has its states. Solved states
    /// have their moves, too.
    fn graph_of_job(
        &self,
        options: &Options,
        dense: Option<&Dense>,
        job: &Job,
        watch: Watch,
    ) -> Result<Box<dyn ExploredGraph>>;
    fn outcome(&self, state: &State) -> Option<usize>;
    fn solved(&self, state: &State) -> bool;
    /// Adds the successors of rows, of which the first has the number `first`: those by all moves, or only by the move
    /// `only`. The rows must fit the rules and have no stranger (a symbol that the words cannot hold).
    fn expand_rows(&self, rows: &[u8], only: Option<u32>, first: u32, found: &mut Successors);
    /// Adds the canonical forms of rows, which must fit the rules and have no stranger (a symbol that words cannot
    /// hold).
    fn canonical_rows(&self, rows: &[u8], found: &mut Vec<u8>);
    fn play(&self, state: &State, question: Question, watch: Watch) -> Result<Judged>;
    /// For each move, a win or a loss that it forces within `ahead` moves; and the number of moves that a search of
    /// at most `positions` positions looked ahead.
    fn foresee(&self, state: &State, ahead: u32, positions: u64, watch: Watch) -> LookAhead;
    fn word_bits(&self) -> usize;
    /// The most bytes of memory that a state takes in the sparse store.
    fn state_bytes(&self) -> usize;
    /// The cells and symbols of the rules that vary.
    fn varying(&self) -> &Arc<Varying>;

    /// The rules whose states a perfect index numbers: those of the cells that vary, or the whole rules.
    fn indexed(&self) -> &IndexedRules;
}

/// Methods for one state at a time, which becomes one row of bytes. They are compiled once, and not once for each width
/// of words.
impl dyn Machine + '_ {
    /// The successors of a state, each with the number of the move that leads to it, in order of the moves.
    pub fn successors(&self, state: &State) -> Vec<(usize, State)> {
        self.expanded(state, None)
    }

    /// The successors of a state, each with the number of the move that leads to it: all of them, or only that of the
    /// move `only`.
    fn expanded(&self, state: &State, only: Option<usize>) -> Vec<(usize, State)> {
        let (rules, mut row, mut found) = (self.structure().rules(), Vec::new(), Successors::default());
        state.push_row(&mut row, rules);
        self.expand_rows(&row, only.map(|index| index as u32), 0, &mut found);
        let rows = found.rows.chunks_exact(State::row_bytes(rules));
        rows.zip(&found.moves).map(|(row, &index)| (index as usize, State::of_row(row, rules))).collect()
    }

    /// The moves that can be made in a state, in order.
    pub fn moves(&self, state: &State) -> Vec<usize> {
        self.successors(state).into_iter().map(|(index, _)| index).collect()
    }

    /// The state after a move; `None` if it cannot be made.
    pub fn apply(&self, state: &State, index: usize) -> Option<State> {
        self.expanded(state, Some(index)).pop().map(|(_, after)| after)
    }

    /// The canonical form of a state.
    pub fn canonical(&self, state: &State) -> State {
        let (rules, mut row, mut found) = (self.structure().rules(), Vec::new(), Vec::new());
        state.push_row(&mut row, rules);
        self.canonical_rows(&row, &mut found);
        State::of_row(&found, rules)
    }
}

/// The fewest bytes of the words in which one state is searched for an answer. These searches are for puzzles and games
/// that are large, so they are not compiled for smaller words.
const LEAST_SEARCHED: usize = 8;

/// Compiled rules, with their symmetries: `keeping` has those that keep whose turn it is, and `swapping` those that
/// swap the players.
pub(super) struct MachineOf<W> {
    compiled: Arc<Compiled<W>>,
    keeping: Arc<Images<W>>,
    swapping: Option<Images<W>>,
    /// The images of the symmetries that keep the goal, made when they are first asked for.
    goal_keeping: OnceLock<Images<W>>,
    /// The rules whose states a perfect index numbers, found when they are first asked for.
    indexed: OnceLock<IndexedRules>,
    /// The game in the form in which positions are searched.
    board: KeptBoard<W>,
    /// The same rules, compiled for words of 64 bits. Only a machine whose words have less than [`LEAST_SEARCHED`]
    /// bytes compiles them, when a search first needs them.
    searched: OnceLock<Box<MachineOf<u64>>>,
}

impl<W: Word> MachineOf<W> {
    pub fn new(compiled: Compiled<W>) -> Self {
        let structure = &compiled.structure;
        let (keeping, swapping) = structure.symmetries().split_at(structure.turn_keeping().len());
        let images = |symmetries: &[_]| compiled.images(symmetries);
        Self {
            keeping: Arc::new(images(keeping)),
            swapping: (!swapping.is_empty()).then(|| images(swapping)),
            goal_keeping: OnceLock::new(),
            indexed: OnceLock::new(),
            board: KeptBoard::new(),
            searched: OnceLock::new(),
            compiled: Arc::new(compiled),
        }
    }

    /// The rules, compiled for words of 64 bits.
    fn searched(&self) -> &MachineOf<u64> {
        self.searched.get_or_init(|| {
            let compiled = Compiled::new(&self.compiled.structure, &self.compiled.varying);
            Box::new(MachineOf::new(compiled.expect("the states fit a smaller word")))
        })
    }

    /// The whole rules, with the cells and symbols that never change.
    fn rules(&self) -> &Rules {
        self.compiled.structure.rules()
    }

    /// The images of the symmetries that a run counts by.
    fn images(&self, options: &Options) -> Arc<Images<W>> {
        if options.symmetry {
            return Arc::clone(&self.keeping);
        }
        Arc::new(self.compiled.images(&self.compiled.structure.symmetries()[..1]))
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

    fn pack(&self, state: &State) -> W {
        self.compiled.pack(&state.cells, state.player)
    }

    fn position(&self, state: &State) -> Position<'_, W> {
        let player = self.compiled.table_of(state.player);
        Position { compiled: &self.compiled, images: &self.keeping, player, word: self.pack(state) }
    }

    /// The smallest image of a state, and the player to move in it.
    fn canonical_word(&self, word: W, player: usize) -> (W, usize) {
        let keeping = (player, self.keeping.smallest(word));
        let swapping = self.swapping.as_ref().map(|images| (1 - player, images.smallest(word)));
        let (player, word) = swapping.map_or(keeping, |other| other.min(keeping));
        (word, player)
    }

    /// The number of bytes of a row.
    fn row_bytes(&self) -> usize {
        State::row_bytes(self.rules())
    }

    fn pack_row(&self, row: &[u8]) -> (W, usize) {
        let (cells, player) = row.split_at(self.rules().board());
        let player = player.first().map_or(0, |&player| player as usize);
        (self.compiled.pack(cells, player), player)
    }

    fn push_row(&self, rows: &mut Vec<u8>, word: W, player: usize) {
        let begin = rows.len();
        rows.resize(begin + self.row_bytes(), player as u8);
        let cells = self.rules().board();
        self.compiled.unpack(word, &mut rows[begin..begin + cells]);
    }

    fn unpack(&self, word: W, player: usize) -> State {
        let mut cells: Vec<Symbol> = vec![0; self.rules().board()];
        self.compiled.unpack(word, &mut cells);
        State { cells, player: self.compiled.mover(word, player) }
    }
}

impl<W: Word> StateSearch for MachineOf<W> {
    fn both_ends(&self, cells: &[Symbol], first: Option<usize>, budget: Budget, watch: Watch) -> Result<Solved> {
        if W::BYTES < LEAST_SEARCHED {
            return self.searched().both_ends(cells, first, budget, watch);
        }
        let from = self.compiled.pack(cells, 0);
        solve::from_both_ends(&self.compiled, &|| self.goal_keeping(), from, first, budget, watch)
    }

    fn explore(&self, cells: &[Symbol], limits: &ExploreLimits, watch: Watch) -> (Explored, Vec<u8>) {
        let word = self.compiled.pack(cells, 0);
        let rules = WordRules {
            compiled: Arc::clone(&self.compiled),
            images: self.images(&Options { symmetry: false, ..Options::default() }),
            past_goal: limits.past_goal,
        };
        (explore(rules, 0, word, limits, watch), bytes_of(word))
    }
}

impl<W: Word> Machine for MachineOf<W> {
    fn structure(&self) -> &Arc<Structure> {
        &self.compiled.structure
    }

    fn enumerate_words(
        &self,
        roots: Option<Roots>,
        options: &Options,
        job: Option<&mut Job>,
        watch: Watch,
    ) -> Result<Report> {
        let (job, asked) =
            (job.filter(|_| HAS_FILES), WordSearch { roots: roots.map(Roots::into_items), ..WordSearch::default() });
        Ok(sparse::search(&self.compiled, &self.images(options), asked, options, job, watch)?.report)
    }

    fn verify_words(&self, options: &Options, job: &Job, watch: Watch) -> Result<()> {
        needs_files!();
        let images = &self.images(options);
        in_pool(options, || sparse::verify(&self.compiled, images, job, options.memory, watch))?
    }

    fn verify_partial_words(&self, options: &Options, job: &Job, watch: Watch) -> Result<()> {
        needs_files!();
        let images = &self.images(options);
        in_pool(options, || sparse::verify_part(&self.compiled, images, job, watch))?
    }

    fn found_states(&self, roots: Option<Roots>, options: &Options, watch: Watch) -> Result<ReachedStates<'_>> {
        let (images, begun) = (self.images(options), Instant::now());
        let all = &Options { max_depth: None, ..*options };
        let asked = WordSearch { roots: roots.map(Roots::into_items), keeps: true, ..WordSearch::default() };
        let FoundWords { report, kept: mut depths, .. } =
            sparse::search(&self.compiled, &images, asked, all, None, watch)?;
        // `depths` may end with a depth without states, which the report does not have.
        depths.truncate(report.depths.len());
        let end = SearchEnd { symmetry_order: images.order, generated: report.generated, begun };
        let states = Box::new(StatesOfWords::in_memory(Arc::clone(&self.compiled), images, depths));
        Ok(ReachedStates { report, end, states })
    }

    fn states_of_job(&self, options: &Options, job: &Job) -> Box<dyn FoundStates + '_> {
        Box::new(StatesOfWords::of_job(Arc::clone(&self.compiled), self.images(options), job))
    }

    fn goal_count(&self, roots: Option<Roots>, options: &Options, start: &State, watch: Watch) -> Result<GoalCount> {
        goal_count(&self.compiled, &self.images(options), roots.map(Roots::into_items), options, start, watch)
    }

    fn goal_words(&self, forward: Option<&Job>, options: &Options, watch: Watch) -> Result<GoalRoots> {
        goal_words(&self.compiled, &self.images(options), forward.filter(|_| HAS_FILES), options, watch)
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

    fn shard_of_word(&self, bytes: &[u8], shards: u64) -> usize {
        sparse::shard_of(W::from_bytes(bytes), shards)
    }

    fn state_of_word(&self, bytes: &[u8], player: usize) -> State {
        self.unpack(W::from_bytes(bytes), player)
    }

    fn is_word(&self, bytes: &[u8]) -> bool {
        let word = W::from_bytes(bytes);
        self.compiled.layout.fits(word) && self.unpack(word, 0).player < self.compiled.rules.player_count()
    }

    fn shard_roots(&self, options: &Options, job: &mut Job) -> Result<()> {
        needs_files!();
        sparse::shard_roots(&self.compiled, &self.images(options), job)
    }

    fn expand_shard(
        &self,
        options: &Options,
        job: &Job,
        outbox: &mut Outbox,
        memory: &mut ShardMemory,
        watch: Watch,
    ) -> Result<u64> {
        needs_files!();
        sparse::expand_shard(
            &sparse::StateGraph::new(&self.compiled, &self.images(options)),
            options,
            job,
            outbox,
            memory,
            watch,
        )
    }

    fn close_shard(&self, options: &Options, job: &mut Job, memory: &mut ShardMemory, watch: Watch) -> Result<()> {
        needs_files!();
        sparse::close_shard(
            &sparse::StateGraph::new(&self.compiled, &self.images(options)),
            options,
            job,
            memory,
            watch,
        )
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
        needs_files!();
        let (compiled, rules) = (&self.compiled, self.rules());
        let images = self.images(options);
        check_states(job)?;
        in_pool(options, || {
            let reader = JobReader { compiled, images: &images, dense, job };
            for depth in span.of(&job.manifest().depths) {
                let player = depth % rules.alternating();
                reader.read(depth, span.rows, watch, &mut |words| {
                    found(Rows::new(compiled, &images, words, depth as u64, player))
                })?;
            }
            Ok(())
        })?
    }

    fn graph_of_job(
        &self,
        options: &Options,
        dense: Option<&Dense>,
        job: &Job,
        watch: Watch,
    ) -> Result<Box<dyn ExploredGraph>> {
        needs_files!();
        let images = self.images(options);
        check_states(job)?;
        let (mut depths, span) = (Vec::new(), Span::default());
        in_pool(options, || {
            let reader = JobReader { compiled: &self.compiled, images: &images, dense, job };
            for depth in span.of(&job.manifest().depths) {
                let mut words = Vec::with_capacity(job.manifest().depths[depth].states as usize);
                reader.read(depth, span.rows, watch, &mut |more| {
                    words.extend_from_slice(more);
                    Ok(())
                })?;
                depths.push(DepthWords { depth, words });
            }
            Ok(())
        })??;
        let rules = WordRules { compiled: Arc::clone(&self.compiled), images, past_goal: true };
        Ok(Box::new(WordGraph::new(rules, vec![depths]).0))
    }

    fn outcome(&self, state: &State) -> Option<usize> {
        self.compiled.outcome(self.pack(state), state.player)
    }

    fn solved(&self, state: &State) -> bool {
        self.compiled.solved(self.pack(state))
    }

    fn expand_rows(&self, rows: &[u8], only: Option<u32>, first: u32, found: &mut Successors) {
        let (width, cells) = (self.row_bytes(), self.rules().board());
        let (mut after, mut words): (Vec<(usize, W)>, Vec<W>) = (Vec::new(), Vec::new());
        for (parent, row) in (first..).zip(rows.chunks_exact(width)) {
            let (word, player) = self.pack_row(row);
            if self.compiled.ended(word, player).is_some() {
                continue;
            }
            self.compiled.moves_from(word, player, &mut after);
            after.retain(|&(index, _)| only.is_none_or(|only| only == index as u32));
            let begin = found.rows.len();
            let next = self.compiled.rules.opponent(player);
            found.rows.resize(begin + after.len() * width, next as u8);
            let children = &mut found.rows[begin..];
            words.clear();
            words.extend(after.iter().map(|&(_, word)| word));
            self.compiled.unpack_rows(&words, children, width);
            if self.rules().turn.is_some() {
                for (child, &word) in children.chunks_exact_mut(width).zip(&words) {
                    child[cells] = self.compiled.mover(word, next) as u8;
                }
            }
            found.parents.resize(found.parents.len() + after.len(), parent);
            found.moves.extend(after.iter().map(|&(index, _)| index as u32));
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

    fn play(&self, state: &State, question: Question, watch: Watch) -> Result<Judged> {
        if W::BYTES < LEAST_SEARCHED {
            return self.searched().play(state, question, watch);
        }
        solve::judge(self.position(state), &self.board, question, watch)
    }

    fn foresee(&self, state: &State, ahead: u32, positions: u64, watch: Watch) -> LookAhead {
        if W::BYTES < LEAST_SEARCHED {
            return self.searched().foresee(state, ahead, positions, watch);
        }
        let position = self.position(state);
        if self.compiled.outcome(position.word, state.player).is_some() {
            return LookAhead { moves: 0, found: Vec::new() };
        }
        solve::foresee(position, &self.board, ahead, positions, watch)
    }

    fn word_bits(&self) -> usize {
        size_of::<W>() * 8
    }

    fn state_bytes(&self) -> usize {
        sparse::state_bytes::<W>()
    }

    fn varying(&self) -> &Arc<Varying> {
        &self.compiled.varying
    }

    fn indexed(&self) -> &IndexedRules {
        self.indexed.get_or_init(|| IndexedRules::new(&self.compiled.structure, &self.compiled.varying))
    }
}

/// Refuses a job that keeps no states.
fn check_states(job: &Job) -> Result<()> {
    if !job.manifest().subject.keeps_snapshot() {
        return Ok(());
    }
    Err(Error::Job(
        "the job keeps the counts of its depths and no states, because the bits of all depths would not fit the memory \
         or would be very many; begin another job with --store sparse, or of smaller rules"
            .to_owned(),
    ))
}
