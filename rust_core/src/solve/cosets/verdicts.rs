//! The conclusions of a search from an entry of a table, for each number of moves that may be left. The search looks
//! them up, since it reads many entries for each state.

use super::entries::{EntryValues, Meanings, NEVER};
use crate::solve::move_pruning::MoveSet;

/// The number of sayings. A saying is one of the 16 codes of an entry, about an even or about an odd state.
const SAYINGS: usize = 32;

/// The moves that keep the colours of a look-up. If the last move of a solution is one of them, the moves before it
/// have brought the colours home already.
#[derive(Debug, Clone, Copy)]
pub struct KeepingMoves {
    /// The moves that leave even states even.
    pub even: MoveSet,
    /// The moves that make an even state odd.
    pub odd: MoveSet,
}

/// Two sets of sayings, which tell whether a state may have a solution of `room` moves.
#[derive(Debug, Clone, Copy)]
pub struct Chances {
    /// The sayings after which a solution of `room` moves is possible: a bit for each.
    stays: u32,
    /// The sayings after which a solution takes `room` moves or more: a bit for each.
    exact: u32,
}

/// The conclusions from one look-up if `room` moves may be left.
#[derive(Debug)]
pub struct Verdicts {
    pub chances: Chances,
    /// For each saying about the inverse state: the moves that need not be tried.
    far: [MoveSet; SAYINGS],
    /// For each saying: the fewest moves of a solution.
    least: [u8; SAYINGS],
}

/// A saying: the code of an entry, about an even or an odd state. The number is its place in the lists of [`Verdicts`].
#[derive(Debug, Clone, Copy)]
pub struct Saying(u8);

impl Saying {
    /// The saying of an entry with this code about an even state (`odd` is 0) or an odd one (1).
    #[inline(always)]
    pub fn new(code: u8, odd: u8) -> Self {
        Self(code & 15 | (odd & 1) << 4)
    }
}

/// Some sayings: a bit for each.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sayings(u32);

impl Sayings {
    #[inline(always)]
    pub fn add(&mut self, Saying(saying): Saying) {
        self.0 |= 1 << (saying & 31);
    }
}

impl Chances {
    /// Returns 1 if a solution is possible in the moves that may be left, and otherwise 0.
    #[inline(always)]
    pub fn stays(self, Saying(saying): Saying) -> u32 {
        self.stays >> (saying & 31) & 1
    }

    /// Returns 1 if a solution takes all the moves that may be left, or more, whatever its parity. Otherwise 0.
    #[inline(always)]
    pub fn exact(self, Saying(saying): Saying) -> u32 {
        self.exact >> (saying & 31) & 1
    }
}

impl Verdicts {
    /// The conclusions from the entries of a table with these meanings, for each number of moves that may be left: 0, 1
    /// and so on. Those for the last number of the list hold for all larger ones.
    pub fn list(meanings: &Meanings, keeping: KeepingMoves) -> Vec<Self> {
        let values = || meanings.as_flattened().iter().flat_map(|values| [values.same, values.other]);
        let largest = values().filter(|&value| value != NEVER).max().unwrap_or_default();
        (0..largest.saturating_add(2)).map(|room| Self::new(meanings, keeping, room)).collect()
    }

    fn new(meanings: &Meanings, keeping: KeepingMoves, room: u8) -> Self {
        let chances = Chances { stays: 0, exact: 0 };
        let mut made = Self { chances, far: [0; SAYINGS], least: [0; SAYINGS] };
        for (saying, &EntryValues { same, other }) in meanings.as_flattened().iter().enumerate() {
            made.chances.stays |= u32::from(same <= room) << saying;
            made.chances.exact |= u32::from(same.min(other) >= room) << saying;
            let even = if same >= room { keeping.even } else { 0 };
            made.far[saying] = even | if other >= room { keeping.odd } else { 0 };
            made.least[saying] = same;
        }
        made
    }

    /// The moves that need not be tried if the inverse state has this entry: they keep the colours, and its value is
    /// the number of moves that may be left, or more. For odd moves, that is the value of the other parity.
    #[inline(always)]
    pub fn far(&self, Saying(saying): Saying) -> MoveSet {
        self.far[usize::from(saying & 31)]
    }

    /// The fewest moves of a solution after any of these sayings which rule out one in the moves that may be left.
    /// [`NEVER`] if none of them does.
    pub fn least_beyond(&self, seen: Sayings) -> u8 {
        let (mut beyond, mut least) = (seen.0 & !self.chances.stays, NEVER);
        while beyond != 0 {
            least = least.min(self.least[beyond.trailing_zeros() as usize]);
            beyond &= beyond - 1;
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::solve::cosets::entries::EntryForm;

    proptest! {
        #[test]
        fn verdicts_are_what_the_values_say(
            last in 0u8..12, ended in any::<bool>(), pairs in any::<bool>(), room in 0u8..20,
            even in any::<u64>(), odd in any::<u64>(), seen in any::<u32>(),
        ) {
            let form = if pairs { EntryForm::Pair } else { EntryForm::Single };
            let meanings = form.meanings(last, if ended { NEVER } else { last + 1 });
            let list = Verdicts::list(&meanings, KeepingMoves { even, odd });
            let verdicts = &list[usize::from(room).min(list.len() - 1)];
            let (mut least, mut sayings) = (NEVER, Sayings::default());
            for (code, parity) in (0..16).flat_map(|code| [(code, 0), (code, 1)]) {
                let saying = Saying::new(code, parity);
                let EntryValues { same, other } = meanings[usize::from(parity)][usize::from(code)];
                prop_assert_eq!(verdicts.chances.stays(saying) == 1, same <= room);
                prop_assert_eq!(verdicts.chances.exact(saying) == 1, same >= room && other >= room);
                let sets = [(same, even), (other, odd)].map(|(value, set)| if value >= room { set } else { 0 });
                prop_assert_eq!(verdicts.far(saying), sets[0] | sets[1]);
                if seen >> (code + 16 * parity) & 1 == 1 {
                    sayings.add(saying);
                    least = if same > room { least.min(same) } else { least };
                }
            }
            prop_assert_eq!(verdicts.least_beyond(sayings), least);
        }
    }
}
