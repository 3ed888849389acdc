//! Files of successors: which states can follow each state of a tier. They are listed before values spread, and dropped
//! when the values of the tier are written. `docs/values.md` explains them to users.
//!
//! A file has the states in the order of their places in the tier, and further files go on where it ends. A block has a
//! record for each of its states. A record consists of numbers of 32 bits, the lowest byte first: the number of
//! successors in the tier, the code of the best value that successors in later tiers bring, or 0, and the places of the
//! successors. If play is over in a state, its record is [`OVER`] and the code of its value. The key of a block is the
//! number of its states. For example, let play go from the state at place 0 to those at 1 and 2, and let it be over at
//! 1, where the code is 3. The two records are `2 0 1 2` and `4294967295 3`.

use super::blocks::{Blocks, number_at};
use super::folder::Job;
use super::kinds::{FileName, Kind};
use super::stage::ListingEntry;
use super::values::BlocksFile;
use crate::error::{Error, Result};

/// Stands in a record for the number of successors if play is over.
const OVER: u32 = u32::MAX;

/// A block has no more states once it has this many numbers, 256 KiB.
const FULL_BLOCK: usize = 1 << 16;

/// A file ends once it has this many numbers before it is compressed, 64 MiB. A run that is killed has to list again
/// what was to be in the file.
const FULL_FILE: usize = 1 << 24;

/// The successors of a state, or its value if play is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Follows<'a, T> {
    /// Play is over, with the value of this code.
    Over(u32),
    /// Play goes on: with these successors in the tier, and with the code of the best value in later tiers, or 0.
    On(&'a [T], u32),
}

/// An error of a file of successors, for users: a damaged file is told by the message that names the remedy. A disk
/// that fails is no damage.
fn told(error: Error, wrong: &str) -> Error {
    match error {
        Error::Corrupt(_) => Error::Corrupt(wrong.to_owned()),
        other => other,
    }
}

/// The records of some successive states, which become a block.
#[derive(Debug, Default)]
pub struct ListedBlock {
    states: u32,
    numbers: Vec<u32>,
}

impl ListedBlock {
    /// Adds the next state. `place_of` returns the place of a successor in the tier.
    pub fn push<T: Copy>(&mut self, follows: Follows<T>, place_of: &dyn Fn(T) -> u32) {
        self.states += 1;
        match follows {
            Follows::Over(code) => self.numbers.extend([OVER, code]),
            Follows::On(after, later) => {
                self.numbers.extend([after.len() as u32, later]);
                self.numbers.extend(after.iter().map(|&after| place_of(after)));
            }
        }
    }

    /// The number of states.
    pub fn len(&self) -> u64 {
        u64::from(self.states)
    }

    /// The number of bytes that the records take.
    pub fn bytes(&self) -> usize {
        self.numbers.len() * size_of::<u32>()
    }

    /// Returns `true` if the block should have no more states.
    pub fn is_full(&self) -> bool {
        self.numbers.len() >= FULL_BLOCK
    }
}

/// A file of successors that is being written.
pub struct NewListing {
    file: BlocksFile,
    numbers: usize,
}

impl NewListing {
    /// Writes the next block.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn write(&mut self, job: &Job, block: &ListedBlock) -> Result<()> {
        self.numbers += block.numbers.len();
        let content: Vec<u8> = block.numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.file.write(job, &content, &block.states.to_le_bytes())
    }

    /// Returns `true` if the file should end.
    pub fn is_full(&self) -> bool {
        self.numbers >= FULL_FILE
    }
}

impl Job {
    /// Returns `true` if successors are listed, or are to be listed by the next run.
    pub fn is_listing(&self) -> bool {
        self.listing_entry().is_some()
    }

    /// Notes that the next run is to list successors.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn begin_listing(&mut self) -> Result<()> {
        let mut stage = self.manifest().values.clone().unwrap_or_default();
        stage.listing.get_or_insert_default();
        self.save_values(stage)
    }

    /// Drops the list, with its files and what was written of a further one.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`]. Then the job is as it was before.
    pub fn drop_listing(&mut self) -> Result<()> {
        let mut stage = self.manifest().values.clone().unwrap_or_default();
        if stage.listing.take().is_some() {
            self.save_values(stage)?;
        }
        self.remove_leftovers();
        self.reckon();
        Ok(())
    }

    /// The number of states whose successors are listed.
    pub fn listed_states(&self) -> u64 {
        self.listing_entry().map_or(0, |listing| listing.states)
    }

    fn listing_entry(&self) -> Option<&ListingEntry> {
        self.manifest().values.as_ref().and_then(|stage| stage.listing.as_ref())
    }

    /// Begins a further file of successors.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn new_listing(&self) -> Result<NewListing> {
        let name = FileName { depth: 0, run: Some(self.next_spread()), sending: None, kind: Kind::Listing };
        Ok(NewListing { file: self.begin_blocks(name)?, numbers: 0 })
    }

    /// Makes a file of successors part of the job. With it, the successors of `states` states are listed.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`]. Then the job is as it was before.
    pub fn keep_listing(&mut self, states: u64, listing: NewListing) -> Result<()> {
        let file = listing.file.finish(self)?;
        let mut stage = self.manifest().values.clone().unwrap_or_default();
        let listing = stage.listing.get_or_insert_default();
        listing.states = states;
        listing.files.push(file);
        self.save_values(stage)
    }

    /// The successors of all states of the tier, which are `states` states and are all listed.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if a file has changed since it was written; [`Error::Disk`] if one cannot be read.
    pub fn whole_listing(&self, states: u64) -> Result<KeptListing> {
        let mut listing = KeptListing { states, files: Vec::new(), blocks: Vec::new() };
        // The last record of a block may be that of a state with all others as successors.
        let most = size_of::<u32>().saturating_mul(FULL_BLOCK + 2 + states as usize);
        let mut first = 0;
        for entry in self.listing_entry().into_iter().flat_map(|listing| &listing.files) {
            let (file, wrong) = (listing.files.len(), self.wrong_spread(entry));
            let blocks = self.in_parts(entry).and_then(|parts| Blocks::open(parts, size_of::<u32>(), most));
            let blocks = blocks.map_err(|error| told(error, &wrong))?;
            for block in 0..blocks.len() {
                let states = number_at(blocks.key(block), 0, size_of::<u32>());
                listing.blocks.push(ListedPlace { file, block, first, states });
                first += states;
            }
            listing.files.push(ListedFile { blocks, wrong });
        }
        if first == states { Ok(listing) } else { Err(self.wrong_listing()) }
    }

    /// The error if the list does not have the states that it should have.
    pub fn wrong_listing(&self) -> Error {
        let last = self.listing_entry().and_then(|listing| listing.files.last());
        last.map_or_else(|| self.lacks(0), |file| Error::Corrupt(self.wrong_spread(file)))
    }
}

/// The successors of all states of a tier, read block by block in any order.
#[derive(Debug)]
pub struct KeptListing {
    states: u64,
    files: Vec<ListedFile>,
    blocks: Vec<ListedPlace>,
}

/// An open file of successors, and the message if it has changed since it was written.
#[derive(Debug)]
struct ListedFile {
    blocks: Blocks,
    wrong: String,
}

/// The place of the records of some successive states.
#[derive(Debug)]
struct ListedPlace {
    file: usize,
    /// The number of the block in the file.
    block: usize,
    /// The place of the first state.
    first: u64,
    /// The number of states.
    states: u64,
}

impl KeptListing {
    /// The number of blocks.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Reads a block. `each` is called with the place of each state and with what follows from it. Returns the number
    /// of states.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if the block has changed since it was written; [`Error::Disk`] if it cannot be read.
    pub fn read(&self, block: usize, each: &mut dyn FnMut(u32, Follows<u32>)) -> Result<u64> {
        let ListedPlace { file, block, first, states } = self.blocks[block];
        let file = &self.files[file];
        let (blocks, wrong) = (&file.blocks, || Error::Corrupt(file.wrong.clone()));
        let content = blocks.read(block).map_err(|error| told(error, &file.wrong))?;
        let (numbers, rest) = content.as_chunks::<4>();
        let numbers: Vec<u32> = numbers.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect();
        let mut left = &numbers[..];
        for place in first..first + states {
            let [count, code, others @ ..] = left else { return Err(wrong()) };
            left = others;
            if *count == OVER {
                each(place as u32, Follows::Over(*code));
                continue;
            }
            let (after, others) = left.split_at_checked(*count as usize).ok_or_else(wrong)?;
            if after.iter().any(|&after| u64::from(after) >= self.states) {
                return Err(wrong());
            }
            each(place as u32, Follows::On(after, *code));
            left = others;
        }
        if left.is_empty() && rest.is_empty() { Ok(states) } else { Err(wrong()) }
    }
}
