//! The blocks of a file that were read last, so that states that lie close together need one read.

use crate::error::Result;

/// Some blocks that were read. The block that was asked for last is at the front.
///
/// Take room for two blocks, and let the blocks 3, 4, 3 and 5 be asked for. Each is read, except the second time that 3
/// is asked for. Then 5 and 3 are held: 4 has waited longest.
#[derive(Debug)]
pub struct RecentBlocks<T> {
    blocks: Vec<(usize, T)>,
    most: usize,
}

impl<T> RecentBlocks<T> {
    /// Room for a number of blocks, at least one. A look-up searches the blocks from the front, so the number should be
    /// small.
    pub fn new(most: usize) -> Self {
        Self { blocks: Vec::new(), most: most.max(1) }
    }

    /// A block, which is read if it is not held.
    ///
    /// # Errors
    ///
    /// The errors of `read`. After an error, the same blocks are held as before.
    pub fn get(&mut self, block: usize, read: impl FnOnce() -> Result<T>) -> Result<&T> {
        let place = self.blocks.iter().position(|&(held, _)| held == block);
        let place = if let Some(place) = place {
            place
        } else {
            let content = read()?;
            self.blocks.truncate(self.most - 1);
            self.blocks.push((block, content));
            self.blocks.len() - 1
        };
        self.blocks[..=place].rotate_right(1);
        Ok(&self.blocks[0].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn a_block_is_read_again_only_after_others() {
        let (mut recent, mut read) = (RecentBlocks::new(2), Vec::new());
        for block in [3, 4, 3, 5, 3, 4, 4] {
            let content = recent.get(block, || {
                read.push(block);
                Ok(10 * block)
            });
            assert_eq!(content, Ok(&(10 * block)));
        }
        assert_eq!(read, [3, 4, 5, 4]);
        assert_eq!(recent.get(9, || Err(Error::Stopped)), Err(Error::Stopped));
        assert_eq!(recent.get(3, || Err(Error::Stopped)), Ok(&30));
    }
}
