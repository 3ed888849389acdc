//! A clock for searches on one thread: it counts states, and asks the watch now and then whether to stop.

use std::time::Duration;

use crate::instant::Instant;
use crate::run::{Progress, Watch};

/// The most states that are searched between two calls of the watch, and how many are searched before the first one.
const MOST_BETWEEN: u64 = 1 << 15;
const FIRST_BETWEEN: u64 = 1 << 9;

/// The watch is asked after half as many states as before if the last ones took longer than `LONG`, and after twice as
/// many if they took less time than `SHORT`. How long a state takes depends on the rules: some have thousands of moves.
const SHORT: Duration = Duration::from_millis(10);
const LONG: Duration = Duration::from_millis(40);

/// Counts states, and calls the watch after every few thousand of them.
pub struct Clock<'a> {
    watch: Watch<'a>,
    begun: Instant,
    /// The number of states that were searched.
    pub states: u64,
    /// The length of the shortest answer so far, for the report to the watch; 0 if there is no answer.
    pub at_most: u32,
    pace: Pace,
}

/// Tells a search after how many states it should ask its watch.
pub struct Pace {
    asked: Instant,
    between: u64,
    next: u64,
}

impl Pace {
    /// A pace for a search that begins now.
    pub fn new() -> Self {
        Self { asked: Instant::now(), between: FIRST_BETWEEN, next: FIRST_BETWEEN }
    }

    /// Returns `true` if the watch should be asked after `states` states.
    #[inline(always)]
    pub fn is_due(&mut self, states: u64) -> bool {
        states >= self.next && self.goes_on(states)
    }

    #[cold]
    fn goes_on(&mut self, states: u64) -> bool {
        let passed = self.asked.elapsed();
        if passed < SHORT {
            self.between = (2 * self.between).min(MOST_BETWEEN);
        } else if passed > LONG {
            self.between = (self.between / 2).max(1);
        }
        self.asked = Instant::now();
        self.next = states + self.between;
        true
    }

    /// Returns `true` if the watch should be asked because some time has passed, whatever the number of states.
    fn is_late(&mut self) -> bool {
        let late = self.asked.elapsed() > SHORT;
        if late {
            self.asked = Instant::now();
        }
        late
    }
}

impl<'a> Clock<'a> {
    /// A clock that begins now.
    pub fn new(watch: Watch<'a>) -> Self {
        Self { watch, begun: Instant::now(), states: 0, at_most: 0, pace: Pace::new() }
    }

    /// Counts a state. Returns `true` if the search is to stop.
    #[inline(always)]
    pub fn stops(&mut self) -> bool {
        self.states += 1;
        self.pace.is_due(self.states) && self.asks()
    }

    /// Counts other work as if it were the search of `states` states. Returns `true` if the search is to stop.
    pub fn spends(&mut self, states: u64) -> bool {
        self.states += states;
        self.pace.is_due(self.states) && self.asks()
    }

    /// To be called now and then by work that counts as no state, such as sorting. Returns `true` if the search is to
    /// stop.
    pub fn stops_work(&mut self) -> bool {
        self.pace.is_late() && self.asks()
    }

    /// Asks the watch at once. Returns `true` if the search is to stop.
    #[cold]
    pub fn asks(&self) -> bool {
        let seconds = self.begun.elapsed().as_secs_f64();
        let (states, at_most) = (self.states, self.at_most);
        let progress = Progress { expanded: states, states, seconds, at_most, ..Progress::default() };
        (self.watch)(&progress).is_break()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_search_asks_after_fewer_states() {
        let (mut pace, mut states) = (Pace::new(), 0);
        let mut asked_after = |pace: &mut Pace, wait: Duration| {
            std::thread::sleep(wait);
            let before = states;
            loop {
                states += 1;
                if pace.is_due(states) {
                    return states - before;
                }
            }
        };
        // The times of the second and the third ask tell after how many states the next one comes.
        let slow: Vec<u64> = (0..4).map(|_| asked_after(&mut pace, 2 * LONG)).collect();
        assert_eq!(slow, [FIRST_BETWEEN, FIRST_BETWEEN / 2, FIRST_BETWEEN / 4, FIRST_BETWEEN / 8]);
        std::thread::sleep(SHORT);
        assert!(pace.is_late());
    }
}
