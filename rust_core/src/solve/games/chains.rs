//! Chains of cells that can be filled only one after the other. A player who always answers in the chain of the other
//! player's last move gets certain cells of it, whatever the other player does.
//!
//! Take disks that fall into columns. The cells of a column are a chain. Say that the player to move finds an even
//! number of free cells in each column. If the other player always answers in the same column, the other player gets
//! every second cell of it, and the highest one. So if each open line of the player to move has such a cell, that
//! player cannot win.
//!
//! All of this holds only from positions in which each chain is filled in order. A board that was set up may have a
//! disk that hangs over a free cell; such a position is searched without chains.

use super::masks::MOST_CELLS;

/// Chains of cells: each cell can be written if and only if all cells of its chain before it are written.
#[derive(Debug)]
pub struct Chains {
    /// The cells that have an even number of cells after them in their chain. The last cell of each chain is one.
    pub answers: u64,
    /// For each cell, the cells of its chain.
    chain: Box<[u64; MOST_CELLS]>,
    /// For each cell, the cells after it in its chain.
    after: Box<[u64; MOST_CELLS]>,
}

impl Chains {
    /// The chains of some cells. `before` has, for each cell, the cells that must be written before it. `None` if these
    /// are not chains, or if each chain has only one cell.
    pub fn new(cells: u64, before: &[u64; MOST_CELLS]) -> Option<Self> {
        let all = || (0..MOST_CELLS).filter(|&cell| cells >> cell & 1 == 1);
        let (mut answers, mut chain, mut after) = (0, Box::new([0; MOST_CELLS]), Box::new([0u64; MOST_CELLS]));
        for cell in all() {
            let up_to = before[cell] | 1 << cell;
            let next = all().filter(|&next| before[next] == up_to).count();
            let reached = before[cell] == 0 || all().any(|last| before[cell] == before[last] | 1 << last);
            if next > 1 || !reached || before[cell] & !cells != 0 {
                return None;
            }
            after[cell] = all().filter(|&next| before[next] >> cell & 1 == 1).map(|next| 1 << next).sum();
            chain[cell] = up_to | after[cell];
            answers |= u64::from(after[cell].count_ones().is_multiple_of(2)) << cell;
        }
        (answers != cells).then_some(Self { answers, chain, after })
    }

    /// The cells of the chain of a cell.
    pub fn chain(&self, cell: usize) -> u64 {
        self.chain[cell]
    }

    /// The cells before a cell in its chain.
    pub fn before(&self, cell: usize) -> u64 {
        self.chain[cell] & !self.after[cell] & !(1 << cell)
    }

    /// The outcome if the player who is not to move always answers in the chain of the last move. `ready` has the cells
    /// that can be written, and `threats` the cells by which the player who answers would win. There must be no chain
    /// in [`Self::unanswered`].
    ///
    /// In a chain with an odd number of free cells, the player who answers gets every second cell up to a threat, and
    /// wins there. So what comes after the threat does not matter.
    #[inline(always)]
    pub fn answered(&self, ready: u64, threats: u64) -> ChainReplies {
        let mut odd = ready & self.answers;
        let mut answered = ChainReplies { gets: self.answers, denies: self.answers, wins: odd != 0 };
        while odd != 0 {
            let at = odd.trailing_zeros() as usize % MOST_CELLS;
            odd &= odd - 1;
            let (mut threats, mut beyond) = (threats & self.after[at] & !self.answers, 0);
            while threats != 0 {
                beyond |= self.after[threats.trailing_zeros() as usize % MOST_CELLS];
                threats &= threats - 1;
            }
            let chain = self.chain[at];
            answered.gets &= !chain;
            answered.denies = answered.denies & !chain | chain & !self.answers | beyond;
        }
        answered
    }

    /// The cells of `ready` whose chains have an odd number of free cells and no threat for which the player who
    /// answers could wait.
    #[inline(always)]
    pub fn unanswered(&self, ready: u64, threats: u64) -> u64 {
        let (mut odd, mut unanswered) = (ready & self.answers, 0);
        while odd != 0 {
            let at = odd.trailing_zeros() as usize % MOST_CELLS;
            odd &= odd - 1;
            unanswered |= u64::from(threats & self.after[at] & !self.answers == 0) << at;
        }
        unanswered
    }
}

/// The consequences for both players if one of them always answers in the same chain.
#[derive(Debug, Clone, Copy)]
pub struct ChainReplies {
    /// Cells that the player who answers gets, unless play is over before.
    pub gets: u64,
    /// Cells that the player to move does not get.
    pub denies: u64,
    /// `true` if the player who answers wins, unless the player to move wins before.
    pub wins: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two columns of three cells: 0 to 2 and 3 to 5, each written from its largest number to its smallest.
    fn columns() -> Chains {
        let mut before = [0; MOST_CELLS];
        [before[0], before[1], before[3], before[4]] = [0b110, 0b100, 0b11_0000, 0b10_0000];
        Chains::new(0b11_1111, &before).unwrap()
    }

    #[test]
    fn who_answers_gets_every_second_cell() {
        let chains = columns();
        assert_eq!(chains.answers, 0b10_1101);
        // Both columns have two free cells.
        let ChainReplies { gets, denies, wins } = chains.answered(0b01_0010, 0);
        assert_eq!((gets, denies, wins), (0b10_1101, 0b10_1101, false));
        // The first has three. A threat at its middle cell denies that cell and the one after it.
        assert_eq!(chains.unanswered(0b01_0100, 0b00_0001), 0b00_0100);
        assert_eq!(chains.unanswered(0b01_0100, 0b00_0010), 0);
        let ChainReplies { gets, denies, wins } = chains.answered(0b01_0100, 0b00_0010);
        assert_eq!((gets, denies, wins), (0b10_1000, 0b10_1011, true));
    }

    #[test]
    fn cells_that_are_no_chain_are_told() {
        let mut before = [0; MOST_CELLS];
        assert!(Chains::new(0b111, &before).is_none());
        // Two cells wait for the same one.
        [before[1], before[2]] = [1, 1];
        assert!(Chains::new(0b111, &before).is_none());
        // A cell waits for two cells that do not wait for each other.
        [before[1], before[2]] = [0, 0b11];
        assert!(Chains::new(0b111, &before).is_none());
        [before[1], before[2]] = [1, 0b11];
        assert_eq!(Chains::new(0b111, &before).unwrap().answers, 0b101);
    }
}
