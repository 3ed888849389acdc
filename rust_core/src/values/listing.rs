//! Lists in a job which states can follow each state of a tier, before values spread. Without the list, a run that goes
//! on would have to find all successors again. States are listed in order, and a run that is stopped keeps what it has
//! listed so far. `docs/values.md` explains it to users.
//!
//! If predecessors are found from a list, the list is made from these files. If they are found by undoing moves, only
//! the numbers of successors are needed, and a run that is not stopped counts them in less time than it takes to list
//! them. So there, only a run that goes on lists them.

use super::retrograde::{PredecessorWay, Retrograde};
use crate::error::{Error, Result};
use crate::job::{Job, KeptListing, ListedBlock, NewListing};
use crate::run::{Grain, parallel};

/// With fewer states than this, successors are found again in less time than it takes to keep them.
const FEW_STATES: usize = 1 << 16;

/// The most blocks of the graph that are listed before any of them is written.
const BLOCKS_AT_ONCE: usize = 32;

/// These blocks take about one part in this many of the memory, unless a single one takes more.
const PART_OF_ROOM: u64 = 32;

/// The result of [`Retrograde::list_in`].
pub(super) enum Listing {
    /// The successors are not listed.
    None,
    /// The successors of all states are listed.
    Whole(KeptListing),
    /// The watch has stopped the work.
    Stopped,
}

impl Listing {
    /// The list, if there is one.
    pub fn whole(&self) -> Option<&KeptListing> {
        match self {
            Self::Whole(listing) => Some(listing),
            _ => None,
        }
    }
}

impl Retrograde<'_> {
    /// Lists the successors of the tier's states in a job, if they are needed again and there are many states. Values
    /// have spread up to `moves` moves. A grain is for tests, which list however few there are. If the disk has no room
    /// for the list, or fails, the job goes on without one.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if a file of the list has changed since it was written; [`Error::Disk`] if the disk does not
    /// even take the manifest.
    pub fn list_in(&self, job: &mut Job, moves: u32, grain: Option<Grain>) -> Result<Listing> {
        let wanted = match self.way {
            PredecessorWay::Listed => true,
            _ => self.graph.players() == 2 && (moves > 0 || job.is_listing()),
        };
        if !wanted || !self.is_worth_listing(grain) {
            return Ok(Listing::None);
        }
        let advanced = self.allowed.has_advanced();
        match self.list_all(job) {
            Err(Error::Disk(_)) => {
                self.allowed.advance(advanced);
                job.drop_listing().map(|()| Listing::None)
            }
            listed => Ok(listed?.map_or(Listing::Stopped, Listing::Whole)),
        }
    }

    /// Notes in a job that is stopped while values spread that the next run is to list successors, if a list is worth
    /// its room. A list that is there is kept.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn list_next_time(&self, job: &mut Job, grain: Option<Grain>) -> Result<()> {
        if self.graph.players() == 2 && self.is_worth_listing(grain) { job.begin_listing() } else { Ok(()) }
    }

    fn is_worth_listing(&self, grain: Option<Grain>) -> bool {
        self.count() >= FEW_STATES || grain.is_some()
    }

    /// Lists the successors of the tier's states in a job, from the first state on that the job has not listed yet.
    /// `None` if the watch stops the work.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`] if a file cannot be written; [`Error::Corrupt`] if one has changed since it was
    /// written.
    fn list_all(&self, job: &mut Job) -> Result<Option<KeptListing>> {
        let (count, mut done) = (self.count() as u64, job.listed_states());
        if done > count {
            return Err(job.wrong_listing());
        }
        let monitor = self.monitor(0, count, 0);
        monitor.add(done);
        let mut open: Option<NewListing> = None;
        let all = self.graph.blocks(&(self.states.start + done..self.states.end));
        let (mut left, mut at_once) = (&all[..], 1);
        while !left.is_empty() {
            let blocks = left.split_off(..at_once.min(left.len())).unwrap_or_default();
            let listed = parallel::map(blocks.len(), 1, |range| {
                let block = blocks[range.start].clone();
                // The first block is listed in any case, so that no slice of a run is in vain.
                if range.start > 0 && monitor.stopped() {
                    return None;
                }
                let mut listed = vec![ListedBlock::default()];
                self.look(block.clone(), &|_| true, &mut |_, follows| {
                    if listed.last().is_some_and(ListedBlock::is_full) {
                        listed.push(ListedBlock::default());
                    }
                    if let Some(last) = listed.last_mut() {
                        last.push(follows, &|after| self.place(after));
                    }
                });
                monitor.add(block.end - block.start);
                Some(listed)
            });
            at_once = blocks_at_once(self.allowed.room, &listed);
            // If the watch has stopped the work, blocks are missing. What comes after the first of these is dropped.
            for block in listed.into_iter().map_while(|listed| listed).flatten() {
                let file = match &mut open {
                    Some(file) => file,
                    None => open.insert(job.new_listing()?),
                };
                file.write(job, &block)?;
                done += block.len();
                self.allowed.advance(true);
            }
            if let Some(file) = open.take_if(|file| monitor.stopped() || file.is_full()) {
                job.keep_listing(done, file)?;
            }
            if monitor.stopped() {
                return Ok(None);
            }
        }
        if let Some(file) = open {
            job.keep_listing(done, file)?;
        }
        job.whole_listing(count).map(Some)
    }
}

/// The number of blocks of the graph that are to be listed at once with this much memory, if they have as many moves as
/// those that were listed before.
fn blocks_at_once(room: u64, before: &[Option<Vec<ListedBlock>>]) -> usize {
    let bytes = |listed: &Vec<ListedBlock>| listed.iter().map(ListedBlock::bytes).sum::<usize>() as u64;
    let most = before.iter().flatten().map(bytes).max().unwrap_or(0);
    (room / PART_OF_ROOM / most.max(1)).clamp(1, BLOCKS_AT_ONCE as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Follows;

    #[test]
    fn states_with_many_moves_are_listed_in_small_parts() {
        let of = |moves: u64| {
            let mut block = ListedBlock::default();
            let after: Vec<u64> = (0..moves).collect();
            (0..1000).for_each(|_| block.push(Follows::On(&after, 0), &|after| after as u32));
            vec![None, Some(vec![block])]
        };
        // A thousand states with 498 moves each take 2 MB.
        for (moves, room, expected) in [(498, 1 << 20, 1), (498, 256 << 20, 4), (498, 8 << 30, 32), (3, 32 << 20, 32)] {
            assert_eq!(blocks_at_once(room, &of(moves)), expected);
        }
        assert_eq!(blocks_at_once(1 << 20, &[]), 32);
    }
}
