//! Compiled rules: they count states, make moves in single states, and answer questions about them.

use std::sync::{Arc, OnceLock};

use super::choice::{Choice, RunPlan};
use super::drawn::Gathered;
use super::machine::Machine;
use super::state::{State, digest};
use super::word_width;
use crate::dense::Dense;
use crate::error::{Error, Result, no_goal};
use crate::index::Index;
use crate::memory::in_words;
use crate::rules::{Rules, RulesData, Varying};
use crate::run::{Budget, Options, Store, Watch};
use crate::solve::{Answered, Asked, Every, Judged, LookAhead, ProvenLength, Question, Solved, Solvers};
use crate::structure::{Structure, Window};

/// Rules, compiled and ready to run.
///
/// # Examples
///
/// ```
/// use std::ops::ControlFlow;
/// use puzzlekit_core::{Engine, Options};
///
/// // One cell that turns through three symbols, one way only.
/// let json = r#"{"symbols": ["a", "b", "c"], "start": ["a"],
///     "moves": [{"name": "turn", "then": [[0, {"copy": 0, "map": {"a": "b", "b": "c", "c": "a"}}]]}]}"#;
/// let engine = Engine::new(&serde_json::from_str(json)?)?;
/// let report = engine.enumerate(&Options::default(), &|_| ControlFlow::Continue(()))?;
/// assert_eq!(report.states(), 3);
/// assert_eq!(engine.window().name(), "directed");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Engine {
    pub(super) structure: Arc<Structure>,
    /// The rules as JSON, with the symmetries that were found in place of `"auto"`.
    pub(super) text: Arc<str>,
    /// A digest of `text`; if the rules count backward, a word follows it.
    pub(super) fingerprint: String,
    /// The perfect index if there is one; it is made when a caller first asks for it.
    pub(super) index: OnceLock<Option<Box<dyn Index>>>,
    /// The rules compiled for packed states that leave out the cells and symbols that never change. Most calls use
    /// these.
    pub(crate) machine: Arc<dyn Machine>,
    /// The rules compiled for packed states with all cells and symbols. They are needed for states that play never
    /// reaches, and are made when a caller first asks for such a state. `None` if all cells are too many for a word.
    whole: OnceLock<Option<Arc<dyn Machine>>>,
    /// If depths are distances to the goal, over the states that play can reach: how they are found. See
    /// [`Engine::backward`].
    pub(super) to_goal: Option<ToGoal>,
    /// The states that scrambles are chosen from; they are gathered for the first scramble.
    pub(super) gathered: OnceLock<Option<Gathered>>,
    /// The solvers for one state.
    solvers: Solvers,
}

/// How distances to goals are found over the states that play reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToGoal {
    /// Each move is undone by a move, so a count that begins with all goals finds the distances; see
    /// [`super::goal_roots`].
    FromGoals,
    /// Distances spread from the goals over all states, which are held in memory.
    Spread,
}

/// Makes the digests of rules independent of every other use of the hash function.
const RULES_PERSONALISATION: &[u8; 16] = b"puzzlekit-rules1";

/// The ending of the digest of rules that are counted backward.
const BACKWARD: &str = "-backward";

impl Engine {
    /// Checks and compiles rules.
    ///
    /// # Errors
    ///
    /// [`Error::Rules`], with a sentence that names the thing at fault.
    pub fn new(data: &RulesData) -> Result<Self> {
        Self::with_word_bits(data, 0)
    }

    /// Checks and compiles rules, with words of at least `least` bits, so that widths can be compared.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::new`].
    pub fn with_word_bits(data: &RulesData, least: usize) -> Result<Self> {
        let structure = Structure::new(Arc::new(Rules::new(data)?))?;
        // If the engine found the symmetries, the digest is that of the same rules with these symmetries declared.
        let found = structure.found().map(|found| found.to_data(structure.rules()));
        let data = &RulesData { symmetries: found.unwrap_or_else(|| data.symmetries.clone()), ..data.clone() };
        let text = serde_json::to_string(data);
        let text: Arc<str> =
            text.map_err(|error| Error::Rules(format!("the rules cannot be written: {error}")))?.into();
        let digest = blake2b_simd::Params::new().hash_length(16).personal(RULES_PERSONALISATION).hash(text.as_bytes());
        Self::of_structure(structure, least, text, digest.to_hex().to_string())
    }

    fn of_structure(structure: Structure, least: usize, text: Arc<str>, fingerprint: String) -> Result<Self> {
        let structure = Arc::new(structure);
        let machine = word_width::narrowest(&structure, Varying::of(structure.rules()), least)?;
        Ok(Self {
            machine,
            whole: OnceLock::new(),
            to_goal: None,
            text,
            fingerprint,
            index: OnceLock::new(),
            gathered: OnceLock::new(),
            solvers: Solvers::new(&structure),
            structure,
        })
    }

    /// The engine that counts backward from the goal: the depth of a state is the fewest moves that it needs.
    ///
    /// If the goal is a single state and no move destroys what it overwrites, the new engine runs the rules backward,
    /// and counts all states that can reach the goal; see [`Rules::backward`]. Otherwise it finds all states that play
    /// can reach, and then the distance of each to the nearest solved state. States that cannot be solved are counted
    /// separately.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] if there are two players or no goal.
    pub fn backward(&self) -> Result<Self> {
        let fingerprint = format!("{}{BACKWARD}", self.fingerprint);
        let rules = match self.rules().backward() {
            Err(_) if self.rules().player_count() == 1 && !self.rules().goal.is_empty() => {
                let way = if self.leads_back() { ToGoal::FromGoals } else { ToGoal::Spread };
                return Ok(Self { fingerprint, to_goal: Some(way), ..self.same() });
            }
            rules => rules?,
        };
        Self::of_structure(Structure::new(Arc::new(rules))?, self.word_bits(), Arc::clone(&self.text), fingerprint)
    }

    /// The engine that counts the same states from the start. This engine counts their distances to the goal.
    pub(crate) fn forward(&self) -> Self {
        let fingerprint = self.fingerprint.trim_end_matches(BACKWARD).to_owned();
        Self { fingerprint, to_goal: None, ..self.same() }
    }

    /// Returns `true` if depths are distances to the goal.
    pub(crate) fn counts_back(&self) -> bool {
        self.rules().backward || self.to_goal.is_some()
    }

    /// Another engine of the same rules, which shares the compiled parts with this one.
    fn same(&self) -> Self {
        Self {
            structure: Arc::clone(&self.structure),
            text: Arc::clone(&self.text),
            fingerprint: self.fingerprint.clone(),
            index: OnceLock::new(),
            gathered: OnceLock::new(),
            solvers: Solvers::new(&self.structure),
            whole: OnceLock::new(),
            machine: Arc::clone(&self.machine),
            to_goal: self.to_goal,
        }
    }

    /// The store for a run, and the reason for it.
    pub(super) fn choose(&self, options: &Options, last: Option<u64>, kept: bool) -> Result<Choice> {
        match self.to_goal {
            None => return self.machine.choose(options, last, kept),
            Some(ToGoal::FromGoals) => return self.choose_told(options, kept),
            Some(ToGoal::Spread) => {}
        }
        if options.store == Store::Dense {
            return Err(Error::Options(
                "counting back from a goal of several states keeps whole states, and the dense store keeps bits; leave \
                 the store to the engine"
                    .to_owned(),
            ));
        }
        Ok(Choice { dense: None, reason: "distances to the goal need whole states".to_owned() })
    }

    /// An engine whose words have all cells and symbols, whether they vary or not.
    #[cfg(test)]
    pub(crate) fn with_whole_words(data: &RulesData) -> Result<Self> {
        let engine = Self::new(data)?;
        let machine = Arc::clone(engine.whole().expect("the cells of a test fit a word"));
        Ok(Self { machine, ..engine })
    }

    /// The compiled rules (machine) whose words can hold a state.
    pub(super) fn machine_of(&self, state: &State) -> Result<&dyn Machine> {
        let Some(cell) = self.machine.varying().stranger(&state.cells) else { return Ok(&*self.machine) };
        self.whole().map(|machine| &**machine).ok_or_else(|| {
            let held = &self.rules().symbols[state.cells[cell] as usize];
            Error::State(format!(
                "cell {cell} of the state holds \"{held}\", which it never holds in play, and words for all states \
                 would be wider than 32 times 64 bits; give a state that play can reach"
            ))
        })
    }

    /// The compiled rules (machine) whose words have all cells and symbols; `None` if a word cannot hold so many.
    pub(super) fn whole(&self) -> Option<&Arc<dyn Machine>> {
        if self.machine.varying().is_whole() {
            return Some(&self.machine);
        }
        let whole = || word_width::narrowest(&self.structure, Varying::whole(self.structure.rules()), 0).ok();
        self.whole.get_or_init(whole).as_ref()
    }

    /// The rules as JSON, as a job keeps them: [`RulesData`], with the symmetries that were found in place of `"auto"`.
    /// An engine that counts backward has the rules that it turned around.
    pub fn rules_json(&self) -> &str {
        &self.text
    }

    /// A digest of the rules, by which a job knows them.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        self.structure.rules()
    }

    /// The rules as their author has written them: without the cell that says whose turn it is, if the engine has added
    /// one.
    ///
    /// # Errors
    ///
    /// None, unless there is a bug.
    pub fn written_rules(&self) -> Result<Rules> {
        if self.rules().has_turn_cell() {
            return Rules::new(&RulesData::from_json(&self.text)?);
        }
        Ok(self.rules().clone())
    }

    /// The structure of the rules.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// The width of a packed state in bits.
    pub fn word_bits(&self) -> usize {
        self.machine.word_bits()
    }

    /// The most bytes of memory that a state takes while it is counted in the sparse store.
    pub fn state_bytes(&self) -> usize {
        self.machine.state_bytes()
    }

    /// The earlier depths with which a new state is compared.
    pub fn window(&self) -> Window {
        self.structure.window()
    }

    /// The start state.
    pub fn start(&self) -> State {
        State { cells: self.rules().start[..self.rules().board()].to_vec(), player: 0 }
    }

    /// Returns `true` if a count that begins with all goals finds the distances: if each move of the one player is
    /// undone by a move, and no state ends play. A start without a move is the only state, and needs no count.
    pub(super) fn leads_back(&self) -> bool {
        let rules = self.rules();
        rules.player_count() == 1
            && rules.ends.is_empty()
            && !rules.backward
            && self.window() == Window::InverseClosed
            && !self.machine.moves(&self.start()).is_empty()
    }

    /// The store for a count whose depths are read afterwards, state by state: each depth must have bits of its own, as
    /// in a job that keeps no snapshots.
    pub(super) fn choose_told(&self, options: &Options, kept: bool) -> Result<Choice> {
        let choice = self.machine.choose(options, None, kept)?;
        let Some(dense) = choice.dense else { return Ok(choice) };
        let (takes, leaves) = (self.told_bytes(&dense), Dense::most_bytes(options));
        let forced = options.store == Store::Dense;
        if kept && dense.keeps_snapshot(options) {
            let why = "the depths of this count are read afterwards, from the bits of all of them, and those would not \
                       fit the memory or would be very many";
            return if forced {
                Err(Error::Options(format!("{why}; leave the store to the engine")))
            } else {
                Ok(Choice { dense: None, reason: why.to_owned() })
            };
        }
        if takes <= leaves {
            return Ok(Choice { dense: Some(dense), ..choice });
        }
        let reason = format!("a perfect index in which each depth has bits of its own would take {}", in_words(takes));
        if forced {
            let leaves = in_words(leaves);
            return Err(Error::Memory(format!("{reason}, and the limit leaves {leaves}; give more memory")));
        }
        Ok(Choice { dense: None, reason })
    }

    /// The most bytes of memory that a count in the dense store takes whose depths are read afterwards. If it begins
    /// with all goals, there is an array of their bits, too.
    pub(super) fn told_bytes(&self, dense: &Dense) -> u64 {
        let goals = if self.to_goal.is_some() { dense.reading(0).bytes() as u64 } else { 0 };
        dense.bytes(None, true).saturating_add(goals)
    }

    /// The plan of a run with these options: the store that would hold its states. `kept` is `true` if a job would keep
    /// the run. Nothing is run.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] if the options ask for a store that the rules do not have, [`Error::Memory`] if the states do
    /// not fit that store.
    pub fn plan(&self, options: &Options, kept: bool) -> Result<RunPlan> {
        let choice = self.choose(options, options.max_depth.filter(|_| !kept), kept)?;
        let memory_bytes = choice.dense.as_ref().map(|dense| match self.to_goal {
            Some(_) => self.told_bytes(dense),
            None => dense.planned_bytes(options, kept),
        });
        let on_disk = choice.dense.as_ref().filter(|dense| kept && dense.keeps_arrays(options));
        let disk_bytes = on_disk.and_then(Dense::bytes_of_both_files);
        Ok(RunPlan { store: choice.store(), reason: choice.reason, memory_bytes, disk_bytes })
    }

    /// The moves that can be made in a state, by their places in the rules, in order. There are none if play is over.
    ///
    /// # Errors
    ///
    /// [`Error::State`] if the state does not fit the rules.
    pub fn moves(&self, state: &State) -> Result<Vec<usize>> {
        self.check(state)?;
        Ok(self.machine_of(state)?.moves(state))
    }

    /// The state after a move.
    ///
    /// # Errors
    ///
    /// [`Error::State`] if the state does not fit the rules, [`Error::Move`] if the move cannot be made in it.
    pub fn apply(&self, state: &State, index: usize) -> Result<State> {
        self.check(state)?;
        self.machine_of(state)?.apply(state, index).ok_or_else(|| match self.rules().moves.get(index) {
            Some(given) => Error::Move(format!("the move \"{}\" cannot be made in this state", given.name)),
            None => Error::Move(format!("there is no move {index}; the rules have {}", self.rules().moves.len())),
        })
    }

    /// All successors of a state with the moves that lead to them, in order of the moves. There are none if play is
    /// over.
    ///
    /// # Errors
    ///
    /// [`Error::State`] if the state does not fit the rules.
    pub fn expand(&self, state: &State) -> Result<Vec<(usize, State)>> {
        self.check(state)?;
        Ok(self.machine_of(state)?.successors(state))
    }

    /// The outcome of a state in which play is over, as a place in [`Rules::outcomes`]; `None` if play goes on.
    ///
    /// # Errors
    ///
    /// [`Error::State`] if the state does not fit the rules.
    pub fn outcome(&self, state: &State) -> Result<Option<usize>> {
        self.check(state)?;
        Ok(self.machine_of(state)?.outcome(state))
    }

    /// `true` if a state satisfies the goal.
    ///
    /// # Errors
    ///
    /// [`Error::State`] if the state does not fit the rules.
    pub fn solved(&self, state: &State) -> Result<bool> {
        self.check(state)?;
        Ok(self.machine_of(state)?.solved(state))
    }

    /// A lower bound for the number of moves from a state of a puzzle to its goal. It only compares how many cells hold
    /// each symbol now and in the goal. `None` if these numbers show that no moves lead there.
    ///
    /// # Errors
    ///
    /// As [`Engine::solve`].
    pub fn least_moves(&self, state: &State) -> Result<Option<u32>> {
        self.solvers_for(state)?;
        Ok(self.structure.least_moves(&state.cells))
    }

    /// The fewest moves from a state of a puzzle to its goal, within a budget.
    ///
    /// Algebra comes before any search. In a permutation puzzle, a state is unreachable if it is not in the group of
    /// the moves. In a puzzle of toggles or of dials, a state is unreachable if no moves (presses) add up to the goal.
    /// If algebra finds presses and cannot prove that they are the fewest, a search looks for fewer. If the search ends
    /// early, the presses are the answer.
    ///
    /// If algebra does not decide, both ends are searched breadth-first. If that does not end soon, and the rules give
    /// strong lower bounds, iterative deepening takes over.
    ///
    /// # Errors
    ///
    /// [`Error::State`] if the state does not fit the rules, [`Error::Options`] if the rules have two players or no
    /// goal.
    pub fn solve(&self, state: &State, budget: Budget, watch: Watch) -> Result<Solved> {
        let asked = Asked { budget, seconds: None, first: None, cache: None };
        Ok(self.solvers_for(state)?.prove(self.machine_of(state)?, &state.cells, &asked, watch)?.solved)
    }

    /// Moves from a state of a puzzle to its goal, found within limits, and what is proven about their number.
    ///
    /// This tries what [`Engine::solve`] tries, as long as that can be expected to end. If the rules allow it, an
    /// answer that is not proven is found, too, and is made shorter until a limit is reached. If the caller gives moves
    /// that solve the state, there is an answer in any case.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use puzzlekit_core::{Asked, Budget, Engine, Solution, State};
    ///
    /// // Three cells in a ring that turn one way.
    /// let json = r#"{"symbols": ["a", "b", "c"], "start": ["a", "b", "c"],
    ///     "moves": [{"name": "turn", "then": [[1, {"copy": 0}], [2, {"copy": 1}], [0, {"copy": 2}]]}],
    ///     "goal": [[[0, ["a"]], [1, ["b"]], [2, ["c"]]]]}"#;
    /// let engine = Engine::new(&serde_json::from_str(json)?)?;
    /// let asked = Asked { budget: Budget::default(), seconds: Some(10.0), first: None, cache: None };
    /// let state = State { cells: vec![1, 2, 0], player: 0 };
    /// let answered = engine.answer(&state, &asked, &|_| ControlFlow::Continue(()))?;
    /// assert_eq!(answered.solved.solution, Solution::Moves(vec![0], true));
    /// assert_eq!(answered.limit, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Engine::solve`].
    pub fn answer(&self, state: &State, asked: &Asked, watch: Watch) -> Result<Answered> {
        self.solvers_for(state)?.answer(self.machine_of(state)?, &state.cells, asked, watch)
    }

    /// All solutions of a state with the fewest moves, at most `most` of them. `None` if the budget is used up before
    /// the fewest are proven and all found, or if the watch stops the search.
    ///
    /// # Errors
    ///
    /// The errors of [`Engine::solve`].
    pub fn every(
        &self,
        state: &State,
        proven: ProvenLength,
        most: usize,
        budget: Budget,
        watch: Watch,
    ) -> Result<Option<Every>> {
        Ok(self.solvers_for(state)?.every(self.machine_of(state)?, &state.cells, proven, most, budget, watch))
    }

    /// The solvers, if a state fits the rules and the rules are a puzzle with a goal.
    fn solvers_for(&self, state: &State) -> Result<&Solvers> {
        self.check(state)?;
        if self.rules().player_count() > 1 {
            return Err(Error::Options(
                "the rules have two players, so there is nothing to solve; ask for the value of a state".to_owned(),
            ));
        }
        if self.rules().goal.is_empty() {
            return Err(no_goal("there is nothing to solve"));
        }
        Ok(&self.solvers)
    }

    /// The value of a position of a game under perfect play, and the best moves, within a budget. Outcomes that are no
    /// player's win count as draws, and so does play that never ends.
    ///
    /// A game of some thousand positions is searched as a whole. In larger ones the value comes first. All best moves,
    /// and the number of moves to the end, follow if they are not too much work, or if the question is exact.
    ///
    /// # Errors
    ///
    /// [`Error::State`] if the state does not fit the rules, [`Error::Options`] if the rules have one player, or if
    /// play may never end and the rules do not say what that scores.
    pub fn best_moves(&self, state: &State, question: Question, watch: Watch) -> Result<Judged> {
        self.machine_of_game(state)?.play(state, question, watch)
    }

    /// For each move that can be made in a position of a game: a win or a loss that it forces within `ahead` moves, if
    /// it forces one. Also the number of moves that the search looked ahead, which is less than `ahead` if the limit of
    /// `positions` came first.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::best_moves`].
    pub fn foresee(&self, state: &State, ahead: u32, positions: u64, watch: Watch) -> Result<LookAhead> {
        Ok(self.machine_of_game(state)?.foresee(state, ahead, positions, watch))
    }

    /// The compiled rules (machine) whose words can hold a state of a game.
    fn machine_of_game(&self, state: &State) -> Result<&dyn Machine> {
        self.check(state)?;
        if self.rules().player_count() < 2 {
            return Err(Error::Options("the rules have one player, so there is no play against another".to_owned()));
        }
        self.machine_of(state)
    }

    /// The canonical form of a state: the smallest of its images under the whole symmetry group, by player to move
    /// and then by the symbols' places in [`Rules::symbols`], cell 0 first.
    ///
    /// # Errors
    ///
    /// [`Error::State`] if the state does not fit the rules.
    pub fn canonical(&self, state: &State) -> Result<State> {
        self.check(state)?;
        Ok(self.machine_of(state)?.canonical(state))
    }

    /// A 128-bit key of a state's orbit, the same on every platform and in every version. It is a `BLAKE2b` digest of
    /// 16 bytes with the personalisation `puzzlekit-key-1` (padded with one zero byte). Its input is one byte for the
    /// player to move, and one byte for each cell's symbol in the canonical form. The digest is read as a big-endian
    /// number.
    ///
    /// # Errors
    ///
    /// [`Error::State`] if the state does not fit the rules.
    pub fn key(&self, state: &State) -> Result<u128> {
        let canonical = self.canonical(state)?;
        Ok(digest(canonical.player, &canonical.cells))
    }

    pub(super) fn check(&self, state: &State) -> Result<()> {
        let rules = self.rules();
        let (cells, symbols, players) = (rules.board(), rules.written_symbols().len(), rules.player_count());
        if state.cells.len() != cells {
            let given = state.cells.len();
            return Err(Error::State(format!("the state has {given} cells; the rules have {cells}")));
        }
        if let Some(cell) = state.cells.iter().position(|&symbol| symbol as usize >= symbols) {
            let symbol = state.cells[cell];
            return Err(Error::State(format!(
                "cell {cell} of the state holds symbol {symbol}; symbols go from 0 to {}",
                symbols - 1
            )));
        }
        if state.player >= players {
            let player = state.player;
            return Err(Error::State(format!("player {player} is to move; players go from 0 to {}", players - 1)));
        }
        Ok(())
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Engine").field("word_bits", &self.word_bits()).finish_non_exhaustive()
    }
}
