//! Values if a state tells how many moves led to it: one sweep over the depths, from the last to the first. Only two
//! depths have values at a time.

use rayon::prelude::*;

use super::super::numbered::Numbered;
use super::given::{AT_ONCE, Given};
use super::known::{Best, Known};
use super::tally::Tallies;
use crate::compile::{Word, cpu};
use crate::run::Monitor;

/// The most bytes that the sweep takes beside the states: for two depths one after the other, a value for each state,
/// and the table that finds those of the later one.
pub fn bytes<W: Word>(depths: &[Vec<W>]) -> u64 {
    let lengths: Vec<usize> = depths.iter().map(Vec::len).collect();
    let pair = |pair: &[usize]| (pair[0] + pair[1]) * size_of::<Known>() + Numbered::<W>::slot_bytes(pair[1]);
    let alone = lengths.iter().map(|&count| count * size_of::<Known>()).max().unwrap_or(0);
    lengths.windows(2).map(pair).max().unwrap_or(0).max(alone) as u64
}

/// Counts the values of all states; `None` if the watch stops it.
pub fn sweep<W: Word>(given: &Given<W>, depths: Vec<Vec<W>>, tally: &mut Tallies<W>) -> Option<()> {
    let states: u64 = depths.iter().map(|words| words.len() as u64).sum();
    let mut later = Later { words: Numbered::of_different(Vec::new()), values: Vec::new() };
    for (depth, words) in depths.into_iter().enumerate().rev() {
        let player = depth % given.players();
        let monitor = Monitor::new(given.watch, given.begun, given.progress(depth as u64, words.len() as u64, states));
        let mut values = vec![Known::NOTHING; words.len()];
        let parts = words.par_chunks(AT_ONCE).zip(values.par_chunks_mut(AT_ONCE)).map(|(words, values)| {
            let mut counted = Tallies::new(tally.depths.len());
            if !monitor.stopped() {
                let later = &later;
                cpu::run(Part { given, later, words, values, player, depth, counted: &mut counted });
                monitor.add(words.len() as u64);
            }
            counted
        });
        let counted = parts.reduce(|| Tallies::new(tally.depths.len()), Tallies::merge);
        if monitor.stopped() {
            return None;
        }
        *tally = std::mem::replace(tally, Tallies::new(0)).merge(counted);
        tally.start = values.first().copied().unwrap_or(Known::DRAW);
        later = Later { words: Numbered::of_different(words), values };
    }
    Some(())
}

/// The depth after the one that is looked at.
struct Later<W> {
    words: Numbered<W>,
    values: Vec<Known>,
}

/// Some states of a depth.
struct Part<'a, 'g, W> {
    given: &'a Given<'g, W>,
    later: &'a Later<W>,
    words: &'a [W],
    values: &'a mut [Known],
    player: usize,
    depth: usize,
    counted: &'a mut Tallies<W>,
}

impl<W: Word> cpu::Task for Part<'_, '_, W> {
    const GAINS_BY_AVX512: bool = false;

    #[inline(always)]
    fn run(self) {
        let Self { given, later, words, values, player, depth, counted } = self;
        let (steps, images, alone) = (&given.compiled.steps[player], given.images, given.players() == 1);
        // Successors are looked up when all of a state are made, so that their places are on their way from the memory.
        let mut after: Vec<W> = Vec::new();
        for (&word, value) in words.iter().zip(values) {
            *value = given.over(word, player).unwrap_or_else(
                #[inline(always)]
                || {
                    after.clear();
                    steps.each(
                        word,
                        #[inline(always)]
                        |_, step| {
                            after.push(images.smallest_inlined(step.effect.apply(word)));
                            true
                        },
                    );
                    if after.is_empty() {
                        return given.stuck(player);
                    }
                    let mut best = Best::new(alone);
                    for &word in &after {
                        let number = later.words.get(word).expect("the search forward has found every successor");
                        best.take(later.values[number as usize]);
                    }
                    best.known()
                },
            );
            counted.add(depth, (word, player), *value, images.orbit_size(word));
        }
    }
}
