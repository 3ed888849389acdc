//! The choice between trying the moves of a state one by one and [finding](super::move_finder) them.
//!
//! The choice follows from the rules alone. A few games are played at random, and the work of both ways is counted in
//! the states of these games.

use super::guard_tree::{Samples, TEST_COST};
use super::layout::Layout;
use super::move_finder::PlannedFinder;
use super::steps::Steps;
use super::word::Word;
use crate::rules::Rules;

/// With fewer moves of a player, no tree is considered.
const FEWEST_MOVES: usize = 48;

/// A tree is used if its work is less than the work of trying moves one by one, divided by this.
const LEAST_GAIN: usize = 3;

/// To try one move takes as long as to combine this many rows of sets, since no processor foresees whether the move can
/// be made.
const TRY_COST: usize = 2;

/// With fewer moves of a player that demand more than the pivot, they are tried one by one.
const FEWEST_DEMANDING: usize = 8;

impl<W: Word> Steps<W> {
    /// Returns `true` if sets, walks or a tree may find the moves in less work.
    pub fn may_gain(&self) -> bool {
        self.list.iter().filter(|step| step.demands()).nth(FEWEST_DEMANDING - 1).is_some() && self.by_cell().is_none()
    }

    /// The same moves, found by sets, by walks or by a tree, if that saves work in states of random games.
    pub fn planted(self, rules: &Rules, layout: &Layout, player: usize, words: &[W]) -> Self {
        if !self.may_gain() || words.is_empty() {
            return self;
        }
        let tries: usize = words.iter().map(|&word| self.tries(word)).sum();
        let most = TRY_COST * tries / words.len();
        let mut planned = PlannedFinder::sets(rules, layout, player, W::LIMBS, W::LIMB_BITS, most);
        let less = planned.as_ref().and_then(PlannedFinder::work_of_sets).map_or(most, |work| work.saturating_sub(1));
        planned = PlannedFinder::walks(rules, layout, player, less).or(planned);
        if planned.is_none() && self.list.len() >= FEWEST_MOVES {
            let work: usize = words.iter().map(|&word| self.work(word, TEST_COST)).sum();
            let samples = Samples::new(words.iter().map(|word| word.views()));
            planned = PlannedFinder::tree(rules, layout, player, &samples, work / LEAST_GAIN);
        }
        match planned {
            Some(planned) => {
                let mut steps = Self::found(rules, layout, player, planned);
                steps.always = self.always;
                steps
            }
            None => self,
        }
    }

    /// The moves of a player, found by walks, however long that takes; `None` if there are no walks.
    #[cfg(test)]
    pub fn walking(rules: &Rules, layout: &Layout, player: usize) -> Option<Self> {
        let planned = PlannedFinder::walks(rules, layout, player, usize::MAX)?;
        Some(Self::found(rules, layout, player, planned))
    }

    /// The moves of a player that a finder finds.
    fn found(rules: &Rules, layout: &Layout, player: usize, planned: PlannedFinder) -> Self {
        let PlannedFinder { finder, plan } = planned;
        Self::of_plan(rules, layout, plan, Some(Box::new(finder))).with_pass(rules, layout, player)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::compile::move_finder::MoveFinder;
    use crate::compile::{Compiled, ListedMoves, MovesOfStates};
    use crate::random::Random;
    use crate::rules::{Symbol, Varying};
    use crate::structure::Structure;
    use crate::tests::{conditions, many_moves, quick_or_long};

    /// Compares the moves that trees, sets and walks find with those that are found by trying each: in states of random
    /// games, and in states that may be out of reach. Returns the number of lists of moves for which there are sets,
    /// for which there are walks, and for which several walks begin at one cell.
    fn compare<W: Word>(rules: &Arc<Rules>, random: &mut Random) -> [usize; 3] {
        let structure = Arc::new(Structure::new(Arc::clone(rules)).unwrap());
        let Some(mut compiled) = Compiled::<W>::new(&structure, &Arc::new(Varying::whole(rules))) else {
            return [0; 3];
        };
        let mut made = [0; 3];
        for player in 0..compiled.steps.len() {
            compiled.steps[player] = Steps::new(rules, &compiled.layout, player);
        }
        for (player, mut words) in compiled.play_at_random().into_iter().enumerate() {
            // Trees that were learnt from no state at all must do the same.
            words.truncate([0, 3, 1000][random.below(3) as usize]);
            let samples = Samples::new(words.iter().map(|word| word.views()));
            let layout = &compiled.layout;
            let tree = PlannedFinder::tree(rules, layout, player, &samples, usize::MAX);
            let sets = PlannedFinder::sets(rules, layout, player, W::LIMBS, W::LIMB_BITS, usize::MAX);
            assert!(tree.is_some());
            let walks = PlannedFinder::walks(rules, layout, player, usize::MAX);
            let begins_at_one = |planned: &PlannedFinder| match &planned.finder {
                MoveFinder::Walks(walks) => walks.begin_at_one_cell(),
                _ => false,
            };
            let known = [sets.is_some(), walks.is_some(), walks.as_ref().is_some_and(begins_at_one)];
            made = std::array::from_fn(|way| made[way] + usize::from(known[way]));
            let found = |planned: PlannedFinder| Steps::<W>::found(rules, &compiled.layout, player, planned);
            let ways: Vec<Steps<W>> = tree.into_iter().chain(sets).chain(walks).map(found).collect();
            let plain = &compiled.steps[player];
            words.extend((0..40).map(|_| {
                let symbols = rules.symbols.len() as u64;
                let state: Vec<Symbol> = (0..rules.cells()).map(|_| random.below(symbols) as Symbol).collect();
                compiled.layout.pack::<W>(&state)
            }));
            let (mut listed, mut of_states) = (ListedMoves::new(), MovesOfStates::new());
            let all = words.chunks(MovesOfStates::MOST).flat_map(|words| (0..words.len()).map(move |at| (words, at)));
            for (words, at) in all {
                let word = words[at];
                let found = |steps: &Steps<W>| {
                    let mut found = Vec::new();
                    steps.each_called(word, &mut |place, step| {
                        assert_eq!(steps.list[place].index, step.index);
                        found.push((step.index, step.effect.apply(word), step.ends.clone()));
                        true
                    });
                    found.sort_unstable();
                    found
                };
                let expected = found(plain);
                if compiled.ended(word, player).is_none() && rules.turn.is_none() {
                    assert_eq!(plain.some(word), !expected.is_empty());
                }
                for steps in &ways {
                    assert_eq!(found(steps), expected);
                    let mut list = Vec::new();
                    steps.each(word, &mut listed, |place, step| {
                        assert_eq!(steps.list[place].index, step.index);
                        list.push((step.index, step.effect.apply(word), step.ends.clone()));
                        true
                    });
                    list.sort_unstable();
                    assert_eq!(list, expected);
                    if let Some(walks) = steps.walks().filter(|_| word.views().as_ref().len() == 1) {
                        walks.list_all(words, &mut of_states);
                        let mut list: Vec<_> = of_states
                            .moves()
                            .iter()
                            .filter(|given| given.state as usize == at)
                            .map(|given| &steps.list[given.place as usize])
                            .filter(|step| step.can(word))
                            .map(|step| (step.index, step.effect.apply(word), step.ends.clone()))
                            .collect();
                        list.sort_unstable();
                        assert_eq!(list, expected);
                    }
                    assert_eq!(steps.some(word), !expected.is_empty());
                    // The search ends as soon as it is told to.
                    for most in 1..=expected.len() {
                        let mut calls = 0;
                        assert!(!steps.each_called(word, &mut |_, _| {
                            calls += 1;
                            calls < most
                        }));
                        assert_eq!(calls, most);
                    }
                }
            }
        }
        made
    }

    #[test]
    fn trees_sets_and_walks_find_the_moves_that_can_be_made() {
        let mut random = Random::new("trees of guards");
        let (mut tried, mut made) = (0, [0; 3]);
        for round in 0..quick_or_long(12, 300) {
            let cells = *random.choose(&[4, 9, 20, 40]);
            let mut data = many_moves::drawn(&mut random, cells, 1 + round as usize % 2);
            if round % 4 == 3 {
                data = many_moves::takes(round / 4 % 2 == 0, &mut random);
            }
            if round % 3 == 0 {
                conditions::add(&mut random, &mut data);
            }
            let Ok(rules) = Rules::new(&data) else { continue };
            let rules = Arc::new(rules);
            tried += 1;
            for known in [
                compare::<u32>(&rules, &mut random),
                compare::<u64>(&rules, &mut random),
                compare::<u128>(&rules, &mut random),
                compare::<[u64; 4]>(&rules, &mut random),
            ] {
                made = std::array::from_fn(|way| made[way] + known[way]);
            }
        }
        assert!(tried > 5 && made[0] > 20 && made[1] > 10 && made[2] > 3, "{tried}, {made:?}");
    }
}
