//! The states of one shard, which asks the owners of successors about them. `docs/cluster.md` explains it to users.
//!
//! A shard *asks* about its states: it makes their successors, and sends the words of the successors to the shards that
//! own them, each word once and in order. So a question is a word, and its number is its place among all words that
//! were sent. The owner looks up the numbers of these words among its own states. When it later reports a value, it
//! names the question by its place.
//!
//! Take two shards. The first one has a state with the successors 7 and 4, and a state with the successors 9 and 7. Let
//! 4 belong to the first shard, and 7 and 9 to the second. Then the questions are 4 for the first shard and 7 and 9 for
//! the second, and get the numbers 0, 1 and 2. The lists of the two states are 1 0 and 2 1.

use std::ops::Range;

use super::Graph;
use super::edges::move_distinct;
use super::word_graph::WordGraph;
use super::word_index::WordIndex;
use super::word_rules::{AHEAD, SuccessorWords, WordLookup};
use crate::compile::Word;
use crate::error::Result;
use crate::job::{FileEntry, HAS_FILES, Job, Kind, Outbox, no_files};
use crate::run::{Final, Monitor, parallel};
use crate::sparse;

/// The number of blocks of states that are expanded at a time, for each thread.
const BLOCKS_A_THREAD: usize = 16;

/// The questions of a shard about the successors of some of its states.
#[derive(Debug, Default)]
pub struct Inquiry {
    /// For each shard, the number of the first question to it. The last entry is the number of all questions.
    pub begins: Vec<u32>,
    /// The states in which play is over, by their places in the range that was asked about, and their values.
    pub over: Vec<(u32, Final)>,
    /// For each state, the place where its list of questions ends.
    pub ends: Vec<u64>,
    /// The list of questions of each state, one list after another. A successor to which several moves lead is listed
    /// several times.
    pub questions: Vec<u32>,
}

/// A graph of states of one shard. It has no moves, because the successors of its states are in all shards.
pub trait ShardGraph: Graph + Send {
    /// Asks the owners about the successors of a range of states. If the monitor stops the work, some states are left
    /// out.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Disk`].
    fn ask(&self, states: Range<u64>, outbox: &mut Outbox, monitor: &Monitor) -> Result<Inquiry>;

    /// Reads questions that a shard has sent about states with `player` to move, and adds the numbers of these states
    /// to `found`.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Corrupt`] if the file has changed, or if this shard lacks such a state.
    fn asked(&self, job: &Job, file: &FileEntry, player: usize, found: &mut Vec<u32>) -> Result<()>;
}

/// The successors of some blocks of states.
struct ExpandedBlock<W> {
    next: usize,
    made: SuccessorWords<W>,
    owners: Vec<u16>,
}

/// The questions to one shard about states with one player to move.
struct Questions<W> {
    words: WordIndex<W>,
    /// For each successor of the current blocks that these questions are about, in order, its number in `words`.
    numbers: Vec<u32>,
}

impl<W: Word> ShardGraph for WordGraph<W> {
    fn ask(&self, states: Range<u64>, outbox: &mut Outbox, monitor: &Monitor) -> Result<Inquiry> {
        let (shards, players) = (outbox.shards(), self.rules.alternating());
        let new = |_| Questions { words: WordIndex::new(), numbers: Vec::new() };
        let mut all: Vec<Questions<W>> = (0..shards * players).map(new).collect();
        let mut asked = Inquiry::default();
        // The questions, not yet sorted: for each, the number of its table here, and its number in that table in
        // `questions`.
        let mut tables: Vec<u16> = Vec::new();
        let blocks = (self as &dyn Graph).blocks(&states);
        for wave in blocks.chunks(BLOCKS_A_THREAD * rayon::current_num_threads()) {
            if monitor.stopped() {
                return Ok(asked);
            }
            let made = parallel::map(wave.len(), 1, |at| self.block(&wave[at.start], shards as u64));
            parallel::each_mut(&mut all, |table, questions| questions.add(&made, table / players, table % players));
            let mut numbers: Vec<_> = all.iter().map(|questions| questions.numbers.iter()).collect();
            for ExpandedBlock { next, made, owners } in &made {
                asked.note(&made.over, &made.ends);
                for &owner in owners {
                    tables.push(owner * players as u16 + *next as u16);
                }
                asked.take_questions(&tables[tables.len() - owners.len()..], &mut numbers);
            }
            monitor.add(wave.iter().map(|block| block.end - block.start).sum());
        }
        let mut begin = 0;
        let mut places: Vec<Vec<u32>> = Vec::with_capacity(all.len());
        for (table, questions) in all.into_iter().enumerate() {
            if table % players == 0 {
                asked.begins.push(begin);
            }
            let (sorted, ranks) = questions.sorted(begin);
            outbox.send(table / players, Kind::Asked(table % players), &sorted)?;
            begin += sorted.len() as u32;
            places.push(ranks);
        }
        asked.begins.push(begin);
        asked.sort_questions(&tables, &places);
        Ok(asked)
    }

    fn asked(&self, job: &Job, file: &FileEntry, player: usize, found: &mut Vec<u32>) -> Result<()> {
        if !HAS_FILES {
            return Err(no_files());
        }
        let (mut reader, mut words): (_, Vec<W>) = (job.words_of(file)?, Vec::new());
        while reader.next(&mut words)? {
            for at in 0..words.len() {
                if let Some(&later) = words.get(at + AHEAD) {
                    self.prefetch(later, player);
                }
                let number = WordLookup::number(self, words[at], player);
                found.push(number.ok_or_else(|| job.lacks(self.depths.first().map_or(0, |of| of.depth)))? as u32);
            }
            words.clear();
        }
        Ok(())
    }
}

impl<W: Word> WordGraph<W> {
    /// The successors of a block of states, and their owners.
    fn block(&self, states: &Range<u64>, shards: u64) -> ExpandedBlock<W> {
        let (words, player) = self.words(states);
        let next = self.rules.compiled.rules.next_player(player);
        let mut made = SuccessorWords::default();
        self.rules.expand(words, player, &mut made);
        let owners = made.after.iter().map(|&word| sparse::shard_of(word, shards) as u16).collect();
        ExpandedBlock { next, made, owners }
    }
}

impl<W: Word> Questions<W> {
    /// Adds those successors of the blocks that the shard `owner` owns and in which `player` is to move.
    fn add(&mut self, blocks: &[ExpandedBlock<W>], owner: usize, player: usize) {
        self.numbers.clear();
        let owner = owner as u16;
        for block in blocks.iter().filter(|block| block.next == player) {
            let ours = block.made.after.iter().zip(&block.owners).filter(|&(_, &of)| of == owner);
            let mut ahead = ours.clone().skip(AHEAD);
            for (&word, _) in ours {
                if let Some((&later, _)) = ahead.next() {
                    self.words.prefetch(later);
                }
                self.numbers.push(self.words.insert(word).unwrap_or_else(|known| known));
            }
        }
    }

    /// Sorts the words. Returns them, and for each old number of a word its new place, counted from `begin`.
    fn sorted(self, begin: u32) -> (Vec<W>, Vec<u32>) {
        let mut sorted = self.words.words.clone();
        parallel::sort(&mut sorted);
        let mut ranks = vec![0; sorted.len()];
        for at in 0..sorted.len() {
            if let Some(&later) = sorted.get(at + AHEAD) {
                self.words.prefetch(later);
            }
            let number = self.words.get(sorted[at]).expect("the list has the words of the table");
            ranks[number as usize] = begin + at as u32;
        }
        (sorted, ranks)
    }
}

impl Inquiry {
    /// Adds some states. `over` has the value of each in which play is over. The lists of their questions will be added
    /// to `questions` one after another, and `ends` has the place where each list ends, counted from the first question
    /// of these states.
    fn note(&mut self, over: &[Option<Final>], ends: &[usize]) {
        let first = self.ends.len() as u32;
        self.over.extend(over.iter().enumerate().filter_map(|(at, over)| Some((first + at as u32, (*over)?))));
        let begin = self.questions.len() as u64;
        self.ends.extend(ends.iter().map(|&end| begin + end as u64));
    }

    /// Adds the questions of the states that [`Self::note`] added last, in order. `tables` has the table of each
    /// question. `numbers` has an iterator for each table, whose next item is the number of the question there.
    fn take_questions(&mut self, tables: &[u16], numbers: &mut [std::slice::Iter<'_, u32>]) {
        let number = |&table: &u16| *numbers[usize::from(table)].next().expect("each question has a number");
        self.questions.extend(tables.iter().map(number));
    }

    /// Replaces the number of each question in its table by the number of the question among all sorted words. `tables`
    /// has the table of each question, and `places` has the new number for each old number of each table.
    fn sort_questions(&mut self, tables: &[u16], places: &[Vec<u32>]) {
        for (question, &table) in self.questions.iter_mut().zip(tables) {
            *question = places[usize::from(table)][*question as usize];
        }
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// For each state, its list of questions, in order.
    pub fn lists(&self) -> impl Iterator<Item = &[u32]> {
        let mut begin = 0;
        self.ends.iter().map(move |&end| {
            let list = &self.questions[begin..end as usize];
            begin = end as usize;
            list
        })
    }

    /// Sorts each list and removes repeated questions from it.
    pub fn make_distinct(&mut self) {
        let (mut begin, mut kept) = (0, 0);
        for end in &mut self.ends {
            kept = move_distinct(&mut self.questions, begin..*end as usize, kept);
            begin = *end as usize;
            *end = kept as u64;
        }
        self.questions.truncate(kept);
    }
}
