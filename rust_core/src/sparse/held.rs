//! Words that a shard holds in its memory from one step to the next, so that it need not write them as runs, or read
//! the files of depths again. If there is no room for them, it does without.

use std::any::Any;
use std::sync::Arc;

use super::limits::Limits;
use crate::compile::Word;
use crate::job::Kind;

/// An eighth of the memory may hold words of files, which were written and would be read again.
const SHARE: usize = 8;

/// The words that a shard holds. The type of the words is hidden.
#[derive(Default)]
pub struct ShardMemory {
    words: Option<Box<dyn Any + Send>>,
    /// `false` if nothing may be held.
    holds: bool,
}

impl ShardMemory {
    /// Memory in which nothing is held yet, and nothing ever will be if `holds` is `false`.
    pub fn new(holds: bool) -> Self {
        Self { words: None, holds }
    }

    /// Returns `true` if words may be held.
    pub fn holds(&self) -> bool {
        self.holds
    }

    /// The words that are held; `None` if nothing may be held.
    pub(super) fn words<W: Word>(&mut self, limits: &Limits) -> Option<&mut HeldWords<W>> {
        if !self.holds || limits.always_on_disk() {
            return None;
        }
        let words = self.words.get_or_insert_with(|| Box::new(HeldWords::<W> { own: Vec::new(), lists: Vec::new() }));
        words.downcast_mut()
    }
}

/// The words that a shard holds, if each has the type `W`.
pub(super) struct HeldWords<W> {
    /// Words of the next depth that the shard has found for itself, in order, for each kind. They are one run more.
    pub own: Vec<Vec<W>>,
    lists: Vec<HeldList<W>>,
}

/// The words of a file of a depth.
struct HeldList<W> {
    depth: u64,
    kind: Kind,
    words: Arc<Vec<W>>,
}

impl<W: Word> HeldWords<W> {
    /// The words of a file, if they are held.
    pub fn of(&self, depth: u64, kind: Kind) -> Option<Arc<Vec<W>>> {
        self.lists.iter().find(|list| list.depth == depth && list.kind == kind).map(|list| Arc::clone(&list.words))
    }

    /// Forgets all files but those of some depths. Returns how many more words may be held.
    pub fn forget(&mut self, depths: &[u64], limits: &Limits) -> usize {
        self.lists.retain(|list| depths.contains(&list.depth));
        let held: usize = self.lists.iter().map(|list| list.words.len()).sum();
        limits.words_in::<W>(SHARE).saturating_sub(held)
    }

    /// Holds the words of a file.
    pub fn hold(&mut self, depth: u64, kind: Kind, words: Vec<W>) {
        self.lists.push(HeldList { depth, kind, words: Arc::new(words) });
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::run::{Grain, Options};

    #[test]
    fn files_are_held_as_long_as_they_are_needed_and_there_is_room() {
        let watch = |_: &crate::run::Progress| ControlFlow::Continue(());
        let options = Options { memory: 8 << 20, ..Options::default() };
        let limits = Limits::new(&options, &watch);
        let mut memory = ShardMemory::new(true);
        let held: &mut HeldWords<u64> = memory.words(&limits).unwrap();
        let room = held.forget(&[], &limits);
        assert_eq!(room, limits.words_in::<u64>(8));
        held.hold(3, Kind::Open, vec![1, 2, 4]);
        held.hold(4, Kind::Ended(0), vec![3]);
        held.own = vec![vec![7]];
        let held: &mut HeldWords<u64> = memory.words(&limits).unwrap();
        assert_eq!(held.of(3, Kind::Open).as_deref(), Some(&vec![1, 2, 4]));
        assert_eq!((held.of(3, Kind::Ended(0)), held.of(4, Kind::Open), held.own[0][0]), (None, None, 7));
        assert_eq!(held.forget(&[3, 4], &limits), room - 4);
        assert_eq!(held.forget(&[4], &limits), room - 1);
        assert!(held.of(3, Kind::Open).is_none() && held.of(4, Kind::Ended(0)).is_some());
        let cut = Grain { partition_bits: 0, block_states: 1, wave_blocks: 1, run_words: 5 };
        let on_disk = Options { grain: Some(cut), ..options };
        assert!(memory.words::<u64>(&Limits::new(&on_disk, &watch)).is_none());
        assert!(ShardMemory::new(false).words::<u64>(&limits).is_none());
    }
}
