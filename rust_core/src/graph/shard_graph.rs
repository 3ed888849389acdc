//! The states of one shard, which asks the owners of successors about them. `docs/cluster.md` explains it to users.
//!
//! A shard *asks* about its states: it makes their successors. Those that it owns itself, it looks up at once. The
//! words of the others it sends to the shards that own them, in the order in which they were made. So a question is a
//! word. The owner answers in the same order, and need not say which question it answers. A word that was sent not long
//! ago is not sent again: both successors have the same question.
//!
//! Take two shards. The first one has a state with the successors 7 and 4, and a state with the successors 9 and 7. Let
//! 4 belong to the first shard, and 7 and 9 to the second. Then the questions 0 and 1 go to the second shard: 7 and 9.
//! The first state has question 0, and the number of 4 in the first shard. The second state has the questions 1 and 0.
//!
//! If moves can be undone, nobody need be asked. A shard whose state got a value sends the words of the state's
//! predecessors to their owners.

use std::any::Any;
use std::ops::Range;

use super::Graph;
use super::edges::Lists;
use super::inquiry::{Inquiry, InquiryPart, QuestionNumbers};
use super::word_graph::WordGraph;
use super::word_rules::{AHEAD, EXPANDED_AT_ONCE, SuccessorWords, WORD_AHEAD};
use crate::compile::{Steps, Word, cpu};
use crate::error::{Error, Result};
use crate::job::{FileEntry, Job, Kind, Outbox, needs_files};
use crate::run::{Monitor, parallel};
use crate::sparse::{SHARD_BITS, shard_of};

/// The number of states that one thread asks about before it takes others.
const ASKED_AT_ONCE: usize = 1 << 17;

/// The number of states that one thread undoes moves of before it takes others.
const UNDONE_AT_ONCE: usize = 1 << 12;

/// The most states whose predecessors are in memory before they are sent.
const UNDONE_IN_MEMORY: usize = 1 << 17;

/// As a power of two, how many words are known to have been sent not long ago. They fit the cache of a core.
const RECENT_BITS: u32 = 15;

/// Takes the successors of some states that follow one another: the number of the first, and a list for each.
pub type TakeOwn<'a> = &'a (dyn Fn(u64, &Lists<u32>) + Sync);

/// The successors that a shard owns itself: where it finds them, and who takes them.
pub struct OwnSuccessors<'a> {
    /// The graph that has them. If it is `None`, they are in the graph of the states that are asked about, and several
    /// moves to the same successor count once.
    pub later: Option<&'a dyn ShardGraph>,
    /// Takes the successors as soon as they are found. If it is `None`, they are kept in the [`Inquiry`].
    pub taken: Option<TakeOwn<'a>>,
    /// The bytes that are read for each successor as soon as it is found.
    pub next: Option<ReadNext<'a>>,
}

/// Bytes for each state of a graph, by its number, which are read as soon as the state is looked up. So they are
/// fetched from memory together with its word.
#[derive(Clone, Copy)]
pub struct ReadNext<'a> {
    /// The bytes for all states.
    pub bytes: &'a [u8],
    /// The number of bytes for each state.
    pub each: usize,
}

/// Describes a list of states that another shard has sent.
#[derive(Clone, Copy)]
pub struct Listed<'a> {
    /// The player to move in the states of the list.
    pub player: usize,
    /// `true` if this shard may lack some of the states, as it may lack predecessors; they are left out.
    pub some: bool,
    /// The bytes that are read next of each state, if there are any.
    pub next: Option<ReadNext<'a>>,
}

/// A graph of states of one shard. It has no moves, because the successors of its states are in all shards.
pub trait ShardGraph: Graph + Send {
    /// This graph, to be cast to its own type.
    fn as_any(&self) -> &dyn Any;

    /// Asks the owners about the successors of a range of states. If the monitor stops the work, some states are left
    /// out.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Disk`]; [`crate::Error::Corrupt`] if a successor that this shard owns is not there.
    fn ask(
        &self,
        states: Range<u64>,
        own: OwnSuccessors,
        job: &Job,
        outbox: &mut Outbox,
        monitor: &Monitor,
    ) -> Result<Inquiry>;

    /// Undoes moves that lead to the given states, and sends the predecessors to the shards that own them, in files of
    /// the kind `kind` of the player who has moved. Adds the numbers of those that this shard owns to `own`. In a game,
    /// a predecessor is sent once for each state. This works only if [`super::FoundStates::undoes_moves`]. About `most`
    /// bytes of predecessors are in memory at a time.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Disk`].
    fn undo(
        &self,
        states: &[u32],
        most: usize,
        kind: &dyn Fn(usize) -> Kind,
        outbox: &mut Outbox,
        own: &mut Vec<u32>,
    ) -> Result<()>;

    /// Reads a list that a shard has sent, and calls `found` with the numbers of its states, some thousand at a time.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Corrupt`] if the file has changed, or if this shard lacks a state that is not to be left out.
    fn listed(&self, job: &Job, file: &FileEntry, list: Listed, found: &mut dyn FnMut(&[u32])) -> Result<()>;
}

/// The questions about some states to one shard, with one player to move in the states that are asked about.
struct Questions<W> {
    words: Vec<W>,
    /// For each word, the number of its question.
    numbers: QuestionNumbers,
}

/// The successors of some states: those that a shard owns, and those of other shards, each with its owner. One value is
/// filled again and again.
struct Divided<W> {
    ours: Vec<W>,
    others: Vec<(W, u16)>,
    /// For each successor, how many of those before it the shard owns; and at last, how many it owns in all.
    owned: Vec<u32>,
}

impl<W> Default for Divided<W> {
    fn default() -> Self {
        Self { ours: Vec::new(), others: Vec::new(), owned: Vec::new() }
    }
}

/// Words that were sent not long ago, each at one place, and the numbers of their questions.
struct Recent<W>(Vec<(W, u32)>);

/// The task of asking about the successors of states, which several threads share.
struct SuccessorQuestions<'a, W> {
    graph: &'a WordGraph<W>,
    later: &'a WordGraph<W>,
    taken: Option<TakeOwn<'a>>,
    next: Option<ReadNext<'a>>,
    distinct: bool,
    shards: usize,
    shard: usize,
    monitor: &'a Monitor<'a>,
}

impl<W: Word> ShardGraph for WordGraph<W> {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn ask(
        &self,
        states: Range<u64>,
        own: OwnSuccessors,
        job: &Job,
        outbox: &mut Outbox,
        monitor: &Monitor,
    ) -> Result<Inquiry> {
        let OwnSuccessors { later, taken, next } = own;
        let (shards, players, distinct) = (outbox.shards(), self.rules.alternating(), later.is_none());
        let lacks = || job.lacks(self.depths.last().map_or(0, |of| of.depth));
        let later = later.map_or(Some(self), |later| later.as_any().downcast_ref()).ok_or_else(lacks)?;
        let shard = outbox.from();
        let asking = SuccessorQuestions { graph: self, later, taken, next, distinct, shards, shard, monitor };
        let (begin, count) = (states.start, (states.end - states.start) as usize);
        let made = parallel::map(count, ASKED_AT_ONCE, |range| {
            asking.part(begin + range.start as u64..begin + range.end as u64)
        });
        let (mut asked, mut questions) = (Inquiry::default(), Vec::new());
        for made in made {
            let (mut part, of_part) = made.ok_or_else(lacks)?;
            part.begin(asked.questions as u32);
            asked.questions += of_part.iter().map(|questions| questions.words.len()).sum::<usize>();
            asked.parts.push(part);
            questions.push(of_part);
        }
        if u32::try_from(asked.questions).is_err() {
            // A question has a number of 32 bits.
            return Err(Error::Memory(format!(
                "a shard would ask {} questions at once, and at most {} are possible; take more shards",
                asked.questions,
                u32::MAX
            )));
        }
        asked.sent.resize_with(shards, Vec::new);
        for table in 0..shards * players {
            let lists: Vec<&[W]> = questions.iter().map(|of_part| &of_part[table].words[..]).collect();
            outbox.send_list(table / players, Kind::Asked(table % players), &lists)?;
            for (part, of_part) in asked.parts.iter().zip(&mut questions) {
                asked.sent[table / players].push(part.counted(std::mem::take(&mut of_part[table].numbers)));
            }
        }
        Ok(asked)
    }

    fn undo(
        &self,
        states: &[u32],
        most: usize,
        kind: &dyn Fn(usize) -> Kind,
        outbox: &mut Outbox,
        own: &mut Vec<u32>,
    ) -> Result<()> {
        let inverse = self.inverse.as_ref().expect("the rules undo moves");
        let (shards, shard) = (outbox.shards(), outbox.from());
        for (player, inverse) in inverse.iter().enumerate() {
            // The moves that led to a state were made by the player who moved before. With one or two players in turn,
            // that is the same one as the player who moves after.
            let before =
                |&&state: &&u32| self.rules.compiled.rules.next_player(self.player(u64::from(state))) == player;
            let mut words = states.iter().filter(before).map(|&state| self.words[state as usize]).peekable();
            // The first states may have a predecessor by each move. Later ones are taken to have as many as the last.
            let mut at_once = most / W::BYTES / inverse.list.len().max(1);
            while words.peek().is_some() {
                let words: Vec<W> = words.by_ref().take(at_once.clamp(1, UNDONE_IN_MEMORY)).collect();
                let made = parallel::map(words.len(), UNDONE_AT_ONCE, |range| {
                    self.undone(&words[range], player, inverse, (shards, shard))
                });
                for shard in 0..shards {
                    let lists: Vec<&[W]> = made.iter().map(|(_, others)| &others[shard][..]).collect();
                    outbox.send_list(shard, kind(player), &lists)?;
                }
                for (ours, _) in &made {
                    own.extend(ours);
                }
                let sent: usize = made.iter().flat_map(|(_, others)| others).map(Vec::len).sum();
                let each = (sent * W::BYTES).div_ceil(words.len()).max(1);
                at_once = (most / each).min(4 * words.len());
            }
        }
        Ok(())
    }

    fn listed(&self, job: &Job, file: &FileEntry, list: Listed, found: &mut dyn FnMut(&[u32])) -> Result<()> {
        needs_files!();
        let (mut reader, mut words, mut numbers, mut all) = (job.list_of(file)?, Vec::new(), Vec::new(), true);
        while reader.next(&mut words)? {
            all &= self.look_up(&words, list, &mut numbers);
            found(&numbers);
            words.clear();
            numbers.clear();
        }
        // The reader has compared the whole file with what its sender told. So it is not the file that is wrong.
        if all { Ok(()) } else { Err(job.lacks(self.depths.first().map_or(0, |of| of.depth))) }
    }
}

impl<W: Word> WordGraph<W> {
    /// Adds the numbers of the states of a list to `found`. Returns `false` if one of them is not there and must not be
    /// left out.
    fn look_up(&self, words: &[W], list: Listed, found: &mut Vec<u32>) -> bool {
        let slots = &self.slots[list.player];
        for at in 0..words.len() {
            if let Some(&later) = words.get(at + AHEAD) {
                slots.prefetch(later);
            }
            if let Some(&later) = words.get(at + WORD_AHEAD) {
                let number = slots.first_named(later);
                cpu::prefetch(&self.words, number);
                if let Some(next) = list.next {
                    cpu::prefetch(next.bytes, number * next.each);
                }
            }
            match slots.get(&self.words, words[at]) {
                Some(number) => found.push(number),
                None if list.some => {}
                None => return false,
            }
        }
        true
    }

    /// Undoes moves of `player` that lead to the states `words`. Returns the numbers of the predecessors that this
    /// shard has, and for each shard the words of the predecessors that belong there.
    fn undone(
        &self,
        words: &[W],
        player: usize,
        inverse: &Steps<W>,
        (shards, shard): (usize, usize),
    ) -> (Vec<u32>, Vec<Vec<W>>) {
        let (mut made, mut divided, mut own) = (SuccessorWords::default(), Divided::default(), Vec::new());
        let mut others = vec![Vec::new(); shards];
        for words in words.chunks(EXPANDED_AT_ONCE) {
            self.rules.undo(words, player, inverse, &mut made);
            if self.rules.players() > 1 {
                made.make_distinct();
            }
            divided.fill(&made, shards, shard);
            divided.others.iter().for_each(|&(word, owner)| others[usize::from(owner)].push(word));
            self.look_up(&divided.ours, Listed { player, some: true, next: None }, &mut own);
        }
        (own, others)
    }
}

impl<W: Word> SuccessorQuestions<'_, W> {
    /// Asks about some states. Returns for each shard and each player the questions. `None` if a successor that this
    /// shard owns is not there. If the monitor stops the work, some states are left out.
    fn part(&self, states: Range<u64>) -> Option<(InquiryPart, Vec<Questions<W>>)> {
        let Self { graph, shards, .. } = *self;
        let players = graph.rules.alternating();
        let new = |_| Questions { words: Vec::new(), numbers: QuestionNumbers::default() };
        let mut questions: Vec<Questions<W>> = (0..shards * players).map(new).collect();
        let mut recent: Vec<Recent<W>> = (0..players).map(|_| Recent::new()).collect();
        let (mut part, mut made, mut count) = (InquiryPart::default(), SuccessorWords::default(), 0);
        let (mut divided, mut own) = (Divided::default(), Lists::default());
        for block in (graph as &dyn Graph).blocks(&states) {
            if self.monitor.stopped() {
                break;
            }
            let (words, player) = graph.words(&block);
            let next = graph.rules.compiled.rules.next_player(player);
            let mut first = block.start;
            for words in words.chunks(EXPANDED_AT_ONCE) {
                graph.rules.expand(words, player, &mut made);
                if self.distinct {
                    made.make_distinct();
                }
                part.note(&made.over);
                let own = if self.taken.is_some() { &mut own } else { &mut part.own };
                if self.taken.is_some() {
                    own.clear();
                }
                divided.fill(&made, self.shards, self.shard);
                divided.note(&made.ends, own, &mut part.asked);
                part.asked.numbers.extend(divided.others.iter().map(|&(word, owner)| {
                    recent[next].number(word, || {
                        let questions = &mut questions[owner as usize * players + next];
                        questions.words.push(word);
                        questions.numbers.push(count);
                        count += 1;
                        count - 1
                    })
                }));
                let list = Listed { player: next, some: false, next: self.next };
                if !self.later.look_up(&divided.ours, list, &mut own.numbers) {
                    return None;
                }
                if let Some(taken) = self.taken {
                    taken(first, own);
                }
                first += words.len() as u64;
            }
            self.monitor.add(block.end - block.start);
        }
        Some((part, questions))
    }
}

impl<W: Word> Divided<W> {
    /// Divides successors. Each word is written to both lists, and one of the two places is written again by the next
    /// word. A branch would be guessed wrongly every other time.
    fn fill(&mut self, made: &SuccessorWords<W>, shards: usize, shard: usize) {
        let (count, mut mine) = (made.after.len(), 0);
        self.ours.resize(count + 1, W::ZERO);
        self.others.resize(count + 1, (W::ZERO, 0));
        self.owned.resize(count + 1, 0);
        for (at, &word) in made.after.iter().enumerate() {
            let owner = shard_of(word, shards as u64);
            self.owned[at] = mine as u32;
            self.ours[mine] = word;
            self.others[at - mine] = (word, owner as u16);
            mine += usize::from(owner == shard);
        }
        self.owned[count] = mine as u32;
        self.ours.truncate(mine);
        self.others.truncate(count - mine);
    }

    /// Notes where the lists of each state will end in `own` and `asked`. `ends` has the place where the state's
    /// successors end.
    fn note(&self, ends: &[usize], own: &mut Lists<u32>, asked: &mut Lists<u32>) {
        let (own_begin, asked_begin) = (own.numbers.len() as u32, asked.numbers.len() as u32);
        own.ends.extend(ends.iter().map(|&end| own_begin + self.owned[end]));
        asked.ends.extend(ends.iter().map(|&end| asked_begin + end as u32 - self.owned[end]));
    }
}

impl<W: Word> Recent<W> {
    fn new() -> Self {
        Self(vec![(W::ZERO, u32::MAX); 1 << RECENT_BITS])
    }

    /// The number of the question about a word. If the word was not sent not long ago, `send` sends it, and returns the
    /// number.
    #[inline(always)]
    fn number(&mut self, word: W, send: impl FnOnce() -> u32) -> u32 {
        let place = &mut self.0[((word.hash64() << SHARD_BITS) >> (u64::BITS - RECENT_BITS)) as usize];
        if place.1 == u32::MAX || !place.0.same(word) {
            *place = (word, send());
        }
        place.1
    }
}
