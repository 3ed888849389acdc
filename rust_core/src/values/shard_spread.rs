//! Finds the values of one shard's states if play may come back to a state: values spread in rounds through all shards,
//! in order of the number of moves to the end. `docs/cluster.md` explains it to users, and `retrograde.rs` why it is
//! right.
//!
//! In round `m`, each shard passes the values of its states that are won or lost in `m` moves on to the predecessors of
//! these states. From them follows which states are decided in `m + 1` moves. If a round decides no state in any shard,
//! all states that are left are draws.
//!
//! There are two ways to find predecessors. If moves can be undone, a shard undoes them, and sends the words of the
//! predecessors to the shards that own them. Otherwise, each shard asks once, at first, about the successors of all its
//! states: it sends a question to the shard that owns the successor, and notes which of its own states have asked. The
//! owner notes which shards have asked about each of its states, and tells them later. Nothing is sent about moves from
//! one state of a shard to another.
//!
//! A message belongs to one round, and is read once in that round, so no successor is counted twice. If a run is
//! resumed after `m` rounds, the shards ask again. Before the first round of the new run, each shard of a game passes
//! all values of fewer than `m` moves on once more, some at a time; these only update the counts of successors.

use super::allowance::Allowance;
use super::retrograde::{PredecessorWay, bytes};
use super::shard_sweep::{RESUME, ShardSweep, keep_depth};
use super::told::{AskingShard, listen, of_first, of_opponent, tables, wrong};
use super::value_code::{ValueCode, ValuesOf};
use crate::error::{Error, Result};
use crate::graph::{
    FoundStates, Graph, Inquiry, InquiryPart, Listed, OwnSuccessors, QuestionNumbers, ShardGraph, SuccessorCounts,
    bytes_of_states,
};
use crate::instant::Instant;
use crate::job::{FileEntry, Job, Kind, Outbox, ValuesStage};
use crate::run::{Monitor, Worth};

/// The number of states whose values are passed on at a time if they are passed on once more.
const AGAIN_AT_ONCE: usize = 1 << 20;

/// The bytes of the predecessors that are in memory before they are sent, if moves are undone.
const UNDONE_BYTES: usize = 32 << 20;

/// The values of one shard's states, as far as they have spread.
pub struct ShardSpread {
    graph: Box<dyn ShardGraph>,
    values: Vec<ValueCode>,
    /// All values of up to this many moves are known in all shards.
    moves: u32,
    /// For each state of a game, the number of its successors that are not yet known to be won. Empty in a puzzle.
    successors: Vec<u32>,
    /// Who hears of a value; `None` if predecessors are found by undoing moves.
    lists: Option<SpreadLists>,
    /// The states that are decided, but whose values have not been passed on yet.
    frontier: Vec<u32>,
    /// The states whose values were passed on before a checkpoint, and are still to be passed on once more.
    before: Vec<u32>,
    /// The number of these states that are taken at a time.
    again_at_once: usize,
    /// The bytes of predecessors that are in memory before they are sent.
    undone_bytes: usize,
    /// The predecessors in this shard of states whose values were passed on last: first those of states that are won,
    /// then those of states that are lost, as [`of_first`] sees it. A state is listed once for each such successor.
    passed: [Vec<u32>; 2],
}

/// For each state, its predecessors in this shard and those that have asked about it.
struct SpreadLists {
    /// For each shard, the questions that were sent to it, in order.
    sent: Vec<Vec<u32>>,
    /// For each question, the states that have asked it. A question is about one successor.
    asking: ShardLists<u32>,
    /// For each state, its predecessors in this shard.
    own: ShardLists<u32>,
    /// For each state, the questions about it: each is a shard, and the place of the question among all that the shard
    /// has sent here.
    listening: ShardLists<(u16, u32)>,
}

/// A list for each number from 0 on. The lists lie one after another.
struct ShardLists<T> {
    /// For each number, the place where its list begins. The last entry is the length of all lists.
    begins: Vec<u64>,
    items: Vec<T>,
}

/// The progress of a shard in finding the values of its states.
pub enum ShardValues {
    /// The shard has not begun.
    Unknown,
    /// A sweep over the depths, because every state tells its own depth.
    Sweep(Box<ShardSweep>),
    /// Spreading in rounds, because play may come back to a state.
    Spread(Box<ShardSpread>),
}

/// Sorts entries into lists, one for each number below `count`: returns the place where each list begins if they lie
/// one after another, and as the last entry the length of all. `numbers` has, for each entry, the number of its list.
fn begins_of(count: usize, numbers: impl Iterator<Item = u32>) -> Vec<u64> {
    let mut begins = vec![0u64; count + 1];
    numbers.for_each(|number| begins[number as usize + 1] += 1);
    for at in 1..=count {
        begins[at] += begins[at - 1];
    }
    begins
}

impl<T: Copy + Default> ShardLists<T> {
    /// Makes `count` lists. `numbers` has, for each item, the number of its list, and `items` the same items again.
    fn new(count: usize, numbers: impl Iterator<Item = u32>, items: impl Iterator<Item = (u32, T)>) -> Self {
        let begins = begins_of(count, numbers);
        let (mut next, mut listed) = (begins.clone(), vec![T::default(); begins[count] as usize]);
        for (number, item) in items {
            listed[next[number as usize] as usize] = item;
            next[number as usize] += 1;
        }
        Self { begins, items: listed }
    }

    fn of(&self, number: u32) -> &[T] {
        &self.items[self.begins[number as usize] as usize..self.begins[number as usize + 1] as usize]
    }
}

impl ShardSpread {
    /// Reads all states of the shard, and the values that a checkpoint has. If moves cannot be undone, asks about the
    /// successors of all states.
    ///
    /// # Errors
    ///
    /// [`Error::Memory`] if all states do not fit; [`Error::Disk`], [`Error::Corrupt`], and [`Error::Stopped`].
    pub fn ask(found: &dyn FoundStates, asking: AskingShard) -> Result<Self> {
        let AskingShard { job, outbox, options, watch } = asking;
        let allowed = &Allowance::new(options, Instant::now(), watch);
        let manifest = job.manifest();
        let depths = manifest.depths.len();
        let all: u64 = found.counts().iter().sum();
        let moves = manifest.depths.last().map_or(0, |last| last.generated);
        let way = if found.undoes_moves() { PredecessorWay::Undone } else { PredecessorWay::Listed };
        // A question takes an entry in a table. A shard is asked about as many questions as it asks. The predecessors
        // that are sent at a time may take twice their bytes, as lists grow.
        let each = if way == PredecessorWay::Undone { size_of::<u32>() } else { found.word_bytes() + 40 };
        let undone = moves.saturating_mul(found.word_bytes() as u64).min(UNDONE_BYTES as u64);
        let undone = if way == PredecessorWay::Undone { 2 * undone } else { 0 };
        let questions = moves.saturating_mul(each as u64).saturating_add(undone);
        let kind = ValuesOf::new(found.players(), found.scored().is_some());
        let spread = bytes(all, moves, kind, false, way);
        let takes = bytes_of_states(all, found.word_bytes()).saturating_add(spread).saturating_add(questions);
        allowed.check(all, takes, &format!("{all} states of a shard"), RESUME)?;
        let graph = found.of_shard(0..depths, job)?;
        let mut values = vec![ValueCode::NOTHING; all as usize];
        let kept = job.read_spread(values.len(), &mut |place, code| values[place] = ValueCode(code))?;
        let monitor = allowed.monitor(0, all, 0, all);
        // A grain is for tests: it makes these parts small.
        let grain = options.grain.map(|grain| grain.run_words);
        let mut new = Self {
            graph,
            values,
            moves: kept,
            successors: Vec::new(),
            lists: None,
            frontier: Vec::new(),
            before: Vec::new(),
            again_at_once: grain.unwrap_or(AGAIN_AT_ONCE).max(1),
            undone_bytes: grain.map_or(UNDONE_BYTES, |words| words * found.word_bytes()),
            passed: Default::default(),
        };
        if way == PredecessorWay::Undone {
            new.count_successors(&monitor);
        } else {
            let own = OwnSuccessors { later: None, taken: None, next: None };
            let asked = new.graph.ask(0..all, own, job, outbox, &monitor)?;
            new.list(&asked);
        }
        if monitor.stopped() { Err(Error::Stopped) } else { Ok(new) }
    }

    /// Finds the states in which play is over, and in a game, counts the successors of each other state.
    fn count_successors(&mut self, monitor: &Monitor) {
        let (graph, mut found): (&dyn Graph, _) = (&*self.graph, SuccessorCounts::default());
        for block in graph.blocks(&(0..graph.len())) {
            if monitor.stopped() {
                return;
            }
            if graph.players() == 1 {
                graph.over(block.clone(), &mut found.over);
            } else {
                graph.different_successors(block.clone(), &mut found);
                self.successors.extend(&found.different);
            }
            for (value, over) in self.values[block.start as usize..block.end as usize].iter_mut().zip(&found.over) {
                *value = over.map_or(*value, ValueCode::at_end);
            }
            monitor.add(block.end - block.start);
        }
    }

    /// Makes the lists from the questions, and finds the states in which play is over.
    fn list(&mut self, asked: &Inquiry) {
        let mut first = 0;
        for part in &asked.parts {
            for &(place, over) in &part.over {
                self.values[first + place as usize] = ValueCode::at_end(over);
            }
            first += part.len();
        }
        let of_own = || asked.parts.iter().flat_map(InquiryPart::own).zip(0u32..);
        let of_others = || asked.parts.iter().flat_map(InquiryPart::asked).zip(0u32..);
        if self.graph.players() > 1 {
            let counts = of_own().zip(of_others()).map(|((own, _), (others, _))| (own.len() + others.count()) as u32);
            self.successors.extend(counts);
        }
        let own = of_own().flat_map(|(own, state)| own.iter().map(move |&after| (after, state)));
        let own = ShardLists::new(self.values.len(), of_own().flat_map(|(own, _)| own.iter().copied()), own);
        let askers = of_others().flat_map(|(asked, state)| asked.map(move |question| (question, state)));
        let asking = ShardLists::new(asked.questions, of_others().flat_map(|(asked, _)| asked), askers);
        let listening = ShardLists { begins: Vec::new(), items: Vec::new() };
        let sent = asked.sent.iter().map(|lists| lists.iter().flat_map(QuestionNumbers::iter).collect()).collect();
        self.lists = Some(SpreadLists { sent, asking, own, listening });
    }

    /// The number of moves up to which all values are known.
    pub fn moves(&self) -> u32 {
        self.moves
    }

    /// Reads the questions of the other shards. Values have spread up to `moves` moves in all shards. If this shard has
    /// values of more moves, it forgets them, and finds them again. In a game, those of fewer moves are to be passed on
    /// once more, with [`Self::tell_again`].
    ///
    /// # Errors
    ///
    /// [`Error::Disk`] and [`Error::Corrupt`].
    pub fn listen(&mut self, job: &Job, files: &[FileEntry], moves: u32, shards: usize) -> Result<()> {
        if let Some(lists) = &mut self.lists {
            // For each shard, the states that it asks about.
            let mut asked: Vec<Vec<u32>> = vec![Vec::new(); shards];
            listen(&*self.graph, job, files, None, &mut |shard, states| asked[shard].extend_from_slice(states))?;
            let numbers = asked.iter().flatten().copied();
            let items = asked.iter().zip(0u16..).flat_map(|(states, shard)| {
                let questions = states.iter().zip(0u32..);
                questions.map(move |(&number, question)| (number, (shard, question)))
            });
            lists.listening = ShardLists::new(self.values.len(), numbers, items);
        }
        self.moves = moves;
        let game = self.graph.players() > 1;
        for (state, value) in self.values.iter_mut().enumerate() {
            match value.worth() {
                Worth::Draw => {}
                _ if value.moves() < moves => self.before.extend(game.then_some(state as u32)),
                _ if value.moves() == moves => self.frontier.push(state as u32),
                _ => *value = ValueCode::NOTHING,
            }
        }
        Ok(())
    }

    /// Passes on some of the values that were passed on before a checkpoint. Returns `true` if there are more. All at
    /// once, the messages could take as much disk as those of all rounds.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn tell_again(&mut self, outbox: &mut Outbox) -> Result<bool> {
        let states = self.before.split_off(self.before.len().saturating_sub(self.again_at_once));
        self.pass_on(&states, outbox)?;
        Ok(!self.before.is_empty())
    }

    /// Passes on the values of the states that were decided last. Returns the number of these states.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn tell(&mut self, outbox: &mut Outbox) -> Result<u64> {
        let frontier = std::mem::take(&mut self.frontier);
        self.pass_on(&frontier, outbox)?;
        Ok(frontier.len() as u64)
    }

    /// Sends the values of some states to those who hear of them.
    fn pass_on(&mut self, states: &[u32], outbox: &mut Outbox) -> Result<()> {
        for lost in [false, true] {
            let is = |&state: &u32| {
                of_first(&*self.graph, u64::from(state), self.values[state as usize]).worth() == Worth::Loss
            };
            let told: Vec<u32> = states.iter().copied().filter(|state| is(state) == lost).collect();
            let passed = &mut self.passed[usize::from(lost)];
            let Some(lists) = &self.lists else {
                self.graph.undo(&told, self.undone_bytes, &|player| kind(lost, player), outbox, passed)?;
                continue;
            };
            let mut messages: Vec<Vec<u32>> = vec![Vec::new(); outbox.shards()];
            for state in told {
                passed.extend_from_slice(lists.own.of(state));
                for &(shard, question) in lists.listening.of(state) {
                    messages[usize::from(shard)].push(question);
                }
            }
            for (shard, message) in messages.iter().enumerate() {
                outbox.send_list(shard, kind(lost, 0), &[message])?;
            }
        }
        Ok(())
    }

    /// Reads the values that other shards have passed on, and decides the states whose values follow from them. With
    /// `again`, these values were already used before a checkpoint, so only the counts of successors are updated.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`].
    pub fn take(&mut self, job: &Job, files: &[FileEntry], again: bool) -> Result<()> {
        let players = if self.lists.is_some() { 1 } else { tables(&*self.graph) };
        let kinds: Vec<Kind> = (0..2 * players).map(Kind::Passed).collect();
        job.check_sent(files, &kinds)?;
        for lost in [false, true] {
            let own = std::mem::take(&mut self.passed[usize::from(lost)]);
            for state in own {
                self.hear(state, lost, again);
            }
            for player in 0..players {
                for file in files {
                    if let Some(sent) = job.sent_here(file, kind(lost, player))? {
                        let states = self.states_of(job, file, sent.from as usize, player)?;
                        for state in states {
                            self.hear(state, lost, again);
                        }
                    }
                }
            }
        }
        if !again {
            self.moves += 1;
        }
        Ok(())
    }

    /// Reads which states of this shard a message is about. If the shard keeps lists, the message has numbers of
    /// questions, and each stands for the states that asked it.
    fn states_of(&self, job: &Job, file: &FileEntry, from: usize, player: usize) -> Result<Vec<u32>> {
        let mut states = Vec::new();
        let Some(lists) = &self.lists else {
            let list = Listed { player, some: true, next: None };
            self.graph.listed(job, file, list, &mut |numbers| states.extend_from_slice(numbers))?;
            return Ok(states);
        };
        let (mut reader, mut questions): (_, Vec<u32>) = (job.list_of(file)?, Vec::new());
        while reader.next(&mut questions)? {
            for place in questions.drain(..) {
                let question = lists.sent.get(from).and_then(|sent| sent.get(place as usize));
                states.extend_from_slice(lists.asking.of(*question.ok_or_else(|| wrong(job, file))?));
            }
        }
        Ok(states)
    }

    /// Takes into account that a successor of a state is lost, or won if `lost` is `false`, as [`of_first`] sees it.
    fn hear(&mut self, state: u32, lost: bool, again: bool) {
        let at = state as usize;
        if self.values[at] != ValueCode::NOTHING {
            return;
        }
        let told = ValueCode::decided(if lost { Worth::Loss } else { Worth::Win }, 0);
        let lost = of_opponent(&*self.graph, u64::from(state), told).worth() == Worth::Loss;
        let worth = if lost || self.successors.is_empty() {
            Worth::Win
        } else {
            self.successors[at] = self.successors[at].saturating_sub(1);
            if self.successors[at] > 0 {
                return;
            }
            Worth::Loss
        };
        if !again {
            self.values[at] = ValueCode::decided(worth, self.moves + 1);
            self.frontier.push(state);
        }
    }

    /// Writes the values that have spread so far to the job, as a checkpoint.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn keep_spread(&self, job: &mut Job) -> Result<()> {
        job.keep_spread(self.moves, None, self.values.len(), &|place| self.values[place].0)
    }

    /// Writes the values of a depth when all are known, and returns the shard's counts.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`] and [`Error::Corrupt`].
    pub fn keep(&self, depth: usize, job: &mut Job) -> Result<ValuesStage> {
        keep_depth(&*self.graph, depth, job, &|number| self.values[number as usize])
    }
}

/// The kind of a message about states that are won, or that are lost, as [`of_first`] sees it.
fn kind(lost: bool, player: usize) -> Kind {
    Kind::Passed(2 * player + usize::from(lost))
}
