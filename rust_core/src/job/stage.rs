//! The second stage of a job: the values of all states, depth by depth from the last to the first.

use serde::{Deserialize, Serialize};

use super::disk::FileEntry;
use super::kinds::{FileName, Kind};
use crate::run::{DepthReport, DistanceCount, Tally};

/// The number of moves to the end is less than this. The states on the way to the end are all different, and no job has
/// this many states.
const MOST_MOVES: u32 = 1 << 30;

/// The most tiers of any rules.
const MOST_TIERS: u64 = 1 << 17;

/// The most files of values that a manifest may list while values spread.
const MOST_SPREADS: u64 = u32::MAX as u64;

/// The stage of values of a job: the values that are known so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValuesStage {
    /// `true` if the numbers of moves to the end are kept, too.
    pub distances: bool,
    /// The depths whose values are known: the last one first.
    pub depths: Vec<ValuesEntry>,
    /// For each number of moves to the end, the number of states with known values that have it, up to symmetry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ends: Vec<DistanceCount>,
    /// Of the states whose values are known so far, the first one from which the way to the end is longest. `None` if
    /// no end is known, if numbers of moves are not kept, or in the job of one shard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest: Option<LongestEntry>,
    /// The number of moves from the start to the end, if that is known and there is an end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_moves: Option<u32>,
    /// The values that have spread so far and are not all written yet, if play may come back to a state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<SpreadEntry>,
    /// The successors that are listed so far, if values spread by them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listing: Option<ListingEntry>,
    /// The tiers whose values are known and not all written yet, if values are found tier by tier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tiers: Option<TiersStage>,
    /// `true` if the depths of the job are the values: the job counts back from the goal, so the depth of a state is
    /// the number of moves that it needs. Then `distances` is `true`, and all other fields are empty.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub counted: bool,
}

/// The part of the values that a folder holds: all of them, only the counts, or those of one shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holder {
    /// All values, and the counts.
    Whole,
    /// The folder of a divided job: the counts. The values themselves are in the folders of the shards.
    Divided,
    /// The folder of one shard: its values, without the counts.
    Shard,
}

/// The values of the states of one depth.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValuesEntry {
    /// The number of moves from the start.
    pub depth: u64,
    /// The states that are won; in a puzzle, those that can be solved.
    pub win: Tally,
    /// The states that are draws; in a puzzle, those that cannot be solved.
    pub draw: Tally,
    /// The states that are lost.
    pub loss: Tally,
    /// The files with the values.
    pub files: Vec<FileEntry>,
}

/// The state from which the way to the end is longest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LongestEntry {
    /// The depth of this state.
    pub depth: u64,
    /// The packed word of this state in hexadecimal digits.
    pub word: String,
    /// `true` if the player to move wins; if not, the other does.
    pub wins: bool,
    /// The number of moves to the end.
    pub moves: u32,
}

impl LongestEntry {
    /// The bytes of the word; `None` if their number is not `bytes`.
    pub fn word_bytes(&self, bytes: usize) -> Option<Vec<u8>> {
        let digit = |&digit: &u8| (digit as char).to_digit(16).map(|digit| digit as u8);
        let digits: Vec<u8> = self.word.as_bytes().iter().map(digit).collect::<Option<_>>()?;
        let (pairs, rest) = digits.as_chunks::<2>();
        (pairs.len() == bytes && rest.is_empty()).then(|| pairs.iter().map(|[high, low]| high << 4 | low).collect())
    }

    /// A word in hexadecimal digits.
    pub fn digits(word: &[u8]) -> String {
        let digits = word.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        digits.filter_map(|digit| char::from_digit(u32::from(digit), 16)).collect()
    }
}

/// A checkpoint of values that spread backward, from the ends of play to earlier states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpreadEntry {
    /// All states from which the end is at most this number of moves away have their values. With a score, it is the
    /// most points by which a player is ahead in a state whose score is known.
    pub moves: u32,
    /// With a score, the number of states whose scores are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided: Option<u64>,
    /// The file with these values.
    pub file: FileEntry,
}

/// The successors of all states, or of the states of the tier in which values spread.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListingEntry {
    /// The number of states whose successors are listed: those with the lowest numbers.
    pub states: u64,
    /// The files with these successors.
    pub files: Vec<FileEntry>,
}

/// The values of some tiers, if values are found tier by tier.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TiersStage {
    /// The number of tiers.
    pub count: u64,
    /// A checksum of the states of each tier, in hexadecimal digits.
    pub sum: String,
    /// The tiers whose values are known, in the order in which they were found: the last tiers first.
    pub done: Vec<TiersEntry>,
}

/// The values of some successive tiers: from `first` to the one before those of the previous entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TiersEntry {
    /// The first of the tiers.
    pub first: u64,
    /// The number of their states.
    pub states: u64,
    /// The file with these values.
    pub file: FileEntry,
}

impl TiersStage {
    /// Returns `true` if these numbers are possible in a job with `states` states.
    fn may_be(&self, states: u64) -> bool {
        let firsts = || [self.count].into_iter().chain(self.done.iter().map(|entry| entry.first));
        let held = self.done.iter().try_fold(0u64, |sum, entry| sum.checked_add(entry.states));
        (2..=MOST_TIERS).contains(&self.count)
            && firsts().zip(firsts().skip(1)).all(|(before, first)| first < before)
            && held.is_some_and(|held| held <= states)
    }
}

impl ValuesStage {
    /// The stage of a job that counts from the goal.
    pub fn counted() -> Self {
        Self { distances: true, counted: true, ..Self::default() }
    }

    /// The files that are kept while values spread, and dropped when all are written.
    pub fn spread_files(&self) -> impl Iterator<Item = &FileEntry> {
        let tiers = self.tiers.iter().flat_map(|tiers| &tiers.done).map(|entry| &entry.file);
        let listed = self.listing.iter().flat_map(|listing| &listing.files);
        tiers.chain(self.spread.iter().map(|spread| &spread.file)).chain(listed)
    }

    /// The values of a depth, if they are known. `depths` is the number of depths of the job.
    pub fn entry(&self, depth: usize, depths: usize) -> Option<&ValuesEntry> {
        self.depths.get(depths.checked_sub(depth + 1)?)
    }

    /// Checks the conditions that every stage of a job satisfies. `complete` is `true` if the job has all its states.
    /// `word_bytes` is the length of a packed word.
    pub(super) fn check(
        &self,
        depths: &[DepthReport],
        complete: bool,
        word_bytes: usize,
        holder: Holder,
    ) -> Result<(), &'static str> {
        const WRONG: &str = "lists values that cannot be";
        // The job of one shard is never closed: only the whole job knows that there are no more states.
        let of_shard = holder == Holder::Shard;
        let complete = complete || of_shard;
        if self.depths.len() > depths.len() || !(complete || self.depths.is_empty()) {
            return Err(WRONG);
        }
        if self.counted {
            return if *self == Self::counted() { Ok(()) } else { Err(WRONG) };
        }
        let (mut decided, mut wins, mut losses) = (0u64, 0u64, 0u64);
        for (entry, of_depth) in self.depths.iter().zip(depths.iter().rev()) {
            let counts = [entry.win, entry.draw, entry.loss];
            let sum =
                |part: fn(&Tally) -> u64| counts.iter().try_fold(0u64, |sum, counts| sum.checked_add(part(counts)));
            let ours = |kind: Kind| FileName { depth: entry.depth, run: None, sending: None, kind }.to_string();
            let kinds = [Kind::Values, Kind::Distances].map(ours);
            let beside = of_depth.open > 0 && holder != Holder::Divided;
            let files = if beside { 1 + usize::from(self.distances) } else { 0 };
            if entry.depth != of_depth.depth
                || sum(|counts| counts.states) != Some(of_depth.states)
                || sum(|counts| counts.raw_states) != Some(of_depth.raw_states)
                || !entry.files.iter().map(|file| &file.name).eq(kinds.iter().take(files))
            {
                return Err(WRONG);
            }
            // This cannot overflow: the sum is at most the number of states of all depths, which was added up before.
            decided += entry.win.states + entry.loss.states;
        }
        for end in &self.ends {
            wins = wins.checked_add(end.win).ok_or(WRONG)?;
            losses = losses.checked_add(end.loss).ok_or(WRONG)?;
        }
        // Only the whole job counts the states by their numbers of moves to the end; a shard does not.
        let counts = self.distances && !of_shard;
        let counted = if counts { wins.checked_add(losses) == Some(decided) } else { self.ends.is_empty() };
        let longest = self.longest.as_ref().is_none_or(|longest| {
            longest.word_bytes(word_bytes).is_some() && longest.moves as usize + 1 == self.ends.len()
        });
        let known = self.longest.is_some() == (counts && decided > 0);
        let depth = self.longest.as_ref().is_none_or(|longest| longest.depth < depths.len() as u64);
        let moves = self.longest.as_ref().map(|longest| longest.moves).max(self.start_moves);
        let few = moves.is_none_or(|moves| moves < MOST_MOVES);
        // A shard keeps its checkpoint until the whole job counts the values.
        let unwritten = |stage: &Self| complete && stage.distances && (of_shard || stage.depths.len() < depths.len());
        let all = depths.iter().fold(0u64, |sum, of_depth| sum.saturating_add(of_depth.states));
        let spread = self.spread.as_ref().is_none_or(|spread| {
            unwritten(self) && spread.moves < MOST_MOVES && spread.decided.is_none_or(|decided| decided <= all)
        });
        let tiers = self.tiers.as_ref().is_none_or(|tiers| unwritten(self) && tiers.may_be(all));
        let listing = self.listing.as_ref().is_none_or(|listing| {
            unwritten(self) && listing.states <= all && (listing.states == 0) == listing.files.is_empty()
        });
        let ours = |file: &FileEntry| {
            let kinds = [Kind::Spread, Kind::Listing];
            let name = FileName::read(&file.name).filter(|name| name.depth == 0 && kinds.contains(&name.kind));
            name.and_then(|name| name.run).is_some_and(|number| number < MOST_SPREADS)
        };
        let spreading = spread && listing && tiers && self.spread_files().all(ours);
        if counted && longest && known && depth && few && spreading { Ok(()) } else { Err(WRONG) }
    }
}
