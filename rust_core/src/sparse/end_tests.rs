//! The choice of the states that are tested for ends: all successors, or only those that are new.

/// The choice of the states that are tested for ends. Both ways find the same: no end holds before a move, so after it
/// none holds that the move could not complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndTests {
    /// Each successor is tested for the ends that its move may complete, before it is known whether it is new.
    Successors,
    /// Blocks list all successors as open. Each new state is tested for the ends that any move may complete.
    NewStates,
}

/// New states are tested for ends if that takes this many times fewer tests.
const FEWER_TESTS: f64 = 2.0;

/// The ends that the moves of one player may complete.
#[derive(Debug)]
pub struct CompletableEnds {
    /// The numbers of the ends that some move may complete, in order of precedence.
    pub ends: Vec<usize>,
    /// The average number of tests after a move. A test of a screen is for several ends.
    of_a_move: f64,
}

impl CompletableEnds {
    /// The ends of each player's moves. `all` has the numbers of all ends, in order of precedence after a move of each
    /// player. `of_move` gives those that a player's move in some place of a list may complete, with the number of
    /// tests that they take, or `None` after the last move.
    pub fn of_players<'a>(
        all: &[Vec<usize>],
        of_move: &dyn Fn(usize, usize) -> Option<(&'a [usize], usize)>,
    ) -> Vec<Self> {
        let of_player = |(player, all): (usize, &Vec<usize>)| {
            let (mut may, mut sum, mut moves) = (vec![false; all.len()], 0, 0);
            while let Some((ends, tests)) = of_move(player, moves) {
                for &end in ends {
                    may[end] = true;
                }
                sum += tests;
                moves += 1;
            }
            let ends = all.iter().copied().filter(|&end| may[end]).collect();
            Self { ends, of_a_move: sum as f64 / moves.max(1) as f64 }
        };
        all.iter().enumerate().map(of_player).collect()
    }

    /// Chooses the states to be tested for ends when a depth is expanded in memory. The choice is learnt from the last
    /// depth: it was found among `generated` successors, and has `new` states.
    pub fn tests(&self, generated: u64, new: u64) -> EndTests {
        let (of_successors, of_new) = (generated as f64 * self.of_a_move, new as f64 * self.ends.len() as f64);
        if FEWER_TESTS * of_new < of_successors { EndTests::NewStates } else { EndTests::Successors }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_states_are_tested_if_they_are_few() {
        let of_moves = [&[&[2, 1][..], &[1], &[]][..], &[]];
        let both = CompletableEnds::of_players(&[vec![2, 0, 1], vec![1, 0, 2]], &|player, place| {
            of_moves[player].get(place).map(|&ends| (ends, ends.len()))
        });
        let [ends, none] = &both[..] else { panic!("{both:?}") };
        assert_eq!(ends.ends, [2, 1]);
        assert_eq!(ends.tests(40, 10), EndTests::Successors, "40 tests of successors, 20 of new states");
        assert_eq!(ends.tests(41, 10), EndTests::NewStates);
        assert_eq!(ends.tests(0, 0), EndTests::Successors);
        assert_eq!((none.ends.len(), none.tests(9, 1)), (0, EndTests::Successors));
    }
}
