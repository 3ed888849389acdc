//! `expand`: makes the canonical successors of a block of states, sorted by partition. The hot loop.

use std::cell::RefCell;

use super::block::{Block, BlockTask, Expander};
use super::end_tests::EndTests;
use super::state_graph::StateGraph;
use crate::compile::{
    FEW_LANES, ImageDelta, Images, LANES, Lanes, ListedMoves, Prefixes, ShuffledImages, SideBySide, Steps,
    UnpackedState, UnpackedSuccessors, Word, cpu, flipped,
};

impl<W: Word> Block<W> {
    /// Lists the canonical successors of open states of a depth, sorted into `1 << bits` partitions. They replace the
    /// previous contents of the block.
    pub fn expand(&mut self, graph: &StateGraph<W>, depth: u64, states: &[W], bits: u32, task: BlockTask) {
        let expander = &Expander::new(graph, task, depth);
        cpu::run(ExpandBlock { block: self, expander, states, bits });
    }

    /// Does the same as [`Self::expand`], by the code for processors without AVX2.
    #[cfg(test)]
    pub fn expand_without_avx2(&mut self, graph: &StateGraph<W>, depth: u64, states: &[W], bits: u32, task: BlockTask) {
        let expander = &Expander::new(graph, task, depth);
        cpu::Task::run_without_avx2(ExpandBlock { block: self, expander, states, bits });
    }
}

struct ExpandBlock<'a, W> {
    block: &'a mut Block<W>,
    expander: &'a Expander<'a, W>,
    states: &'a [W],
    bits: u32,
}

impl<W: Word> cpu::Task for ExpandBlock<'_, W> {
    const GAINS_BY_AVX512: bool = false;
    const GAINS_BY_AVX2: bool = !W::WIDE;

    #[allow(clippy::too_many_lines)] // one loop for each kind of images, in code that must be inlined here
    #[inline(always)]
    fn run(self) {
        let Self { block, expander, states, bits } = self;
        block.clear();
        // Closures are inlined by force, because only inlined code is compiled for an instruction set.
        let (images, changes, flips) = (expander.images, expander.changes, expander.flips);
        if W::BYTES <= 8
            && let Some(moves) = expander.cell_moves
        {
            match images.lanes {
                2 => expander.generate_in_cells::<2>(moves, states, block),
                FEW_LANES if W::BYTES == 8 => expander.generate_in_cells::<FEW_LANES>(moves, states, block),
                _ => expander.generate_in_cells::<LANES>(moves, states, block),
            }
        } else if W::BYTES <= 8
            && images.trivial
            && let Some(walks) = expander.compiled.steps[expander.player].walks()
        {
            expander.generate_listed(walks, states, block);
        } else if let Some(shuffled) = images.shuffled()
            && changes.iter().all(|change| matches!(change, ImageDelta::Shuffled(_)))
        {
            expander.generate_shuffled(shuffled, states, block);
        } else if W::WIDE && !images.trivial {
            expander.generate_wide_called(states, block);
        } else if W::BYTES > 8 && !images.trivial {
            expander.generate_wide(states, block);
        } else if images.trivial {
            generate(
                expander,
                states,
                block,
                &[],
                #[inline(always)]
                |_| (),
                #[inline(always)]
                |(), _| 1,
                #[inline(always)]
                |(), _, successor| successor,
            );
        } else if changes.iter().all(|change| matches!(change, ImageDelta::Anything)) {
            generate(
                expander,
                states,
                block,
                &[],
                #[inline(always)]
                |_| (),
                |(), word| images.orbit_size(word), // once a state, so a call costs little
                #[inline(always)]
                |(), _, successor| images.smallest_inlined(successor),
            );
        } else if images.blocks == 1 {
            // The common case: at most eight symmetries, all images of a state in one row of lanes.
            generate(
                expander,
                states,
                block,
                flips,
                #[inline(always)]
                |word| if images.order == 2 { widened(images.pair(word)) } else { images.block(word) },
                #[inline(always)]
                |lanes, word| images.orbit_size_by_images(word, std::slice::from_ref(lanes)),
                #[inline(always)]
                |lanes, place, successor| match flips.get(place) {
                    Some(flips) => smallest_flipped(images, lanes, flips),
                    None => by_lanes(images, &changes[place], lanes, successor),
                },
            );
        } else {
            let mut all = std::mem::take(&mut block.images);
            all.resize(images.blocks, [W::ZERO; LANES]);
            let cell = RefCell::new(all);
            generate(
                expander,
                states,
                block,
                &[],
                #[inline(always)]
                |word| images.write_blocks(word, &mut cell.borrow_mut()),
                #[inline(always)]
                |(), word| images.orbit_size_by_images(word, &cell.borrow()),
                #[inline(always)]
                |(), place, successor| match &changes[place] {
                    ImageDelta::Flips(flips) => images.smallest_of_flipped(&cell.borrow(), flips),
                    _ => images.smallest(successor),
                },
            );
            block.images = cell.into_inner();
        }
        block.sort(bits);
    }

    /// Computes each canonical form from the successor alone, and not from the images of the state before the move.
    fn run_without_avx2(self) {
        let Self { block, expander, states, bits } = self;
        block.clear();
        let Expander { compiled, images, player, task, .. } = *expander;
        let steps = &compiled.steps[player];
        for &word in states {
            let mut moved = false;
            steps.each_called(word, &mut |_, step| {
                moved = true;
                let successor = step.effect.apply(word);
                let tested = task.tests == EndTests::Successors;
                let end = if tested { compiled.first_end(successor, step) } else { None };
                let kind = end.map_or(0, |outcome| outcome + 1);
                block.kinds[kind].raw.push(images.smallest(successor));
                true
            });
            if task.counts {
                block.seen.raw_states += images.orbit_size(word);
                if !moved {
                    expander.count_stuck(word, &mut block.seen);
                }
            }
        }
        block.sort(bits);
    }
}

/// Data about the images of one wide state, made once and used for all of its successors.
enum WideImages<W: Word> {
    Nothing,
    Prefixes(Prefixes, W::Views),
    /// The images in each block of lanes.
    Lanes(Vec<Lanes<W>>),
    /// The images in the only block, side by side.
    SideBySide(SideBySide),
}

impl<W: Word> Expander<'_, W> {
    /// Does the work of [`ExpandBlock`] if all moves and images are shuffles of bytes. The successors are never words,
    /// only their canonical forms are.
    #[inline(never)]
    fn generate_shuffled(&self, images: &ShuffledImages, states: &[W], block: &mut Block<W>) {
        let steps = &self.compiled.steps[self.player];
        let (mut state, mut successors) = (UnpackedState::new(), UnpackedSuccessors::default());
        let shuffles = |place: usize| match &self.changes[place] {
            ImageDelta::Shuffled(shuffles) => shuffles,
            _ => unreachable!("all moves of the player are shuffles"),
        };
        let never_fail = steps.never_fail();
        let mut given: Vec<_> = if never_fail { (0..steps.list.len()).map(shuffles).collect() } else { Vec::new() };
        for word in states {
            images.unpack(word, &mut state);
            if !never_fail {
                given.clear();
                steps.each_called(*word, &mut |place, _| {
                    given.push(shuffles(place));
                    true
                });
            }
            images.smallest_after(&state, &given, &mut successors, &mut block.kinds[0].raw);
            if self.task.counts {
                block.seen.raw_states += self.images.orbit_size_of(images.fixing_unpacked(&state));
                if given.is_empty() {
                    self.count_stuck(*word, &mut block.seen);
                }
            }
        }
    }

    /// The outcome of the first end that holds in a successor, if successors are tested for ends. The move is at some
    /// place in the list of the player's `steps`.
    #[inline(always)]
    pub fn outcome_after(&self, successor: W, steps: &Steps<W>, place: usize) -> Option<usize> {
        if self.task.tests != EndTests::Successors {
            return None;
        }
        let compiled = self.compiled;
        // Words of more than 64 bits have no screens, so their ends are tested in this loop.
        if W::BYTES > 8 {
            return compiled.first_end(successor, &steps.list[place]);
        }
        match self.screens.get(place) {
            Some(screen) => compiled.screened_end(successor, screen, steps, place),
            None => compiled.first_end_unscreened(successor, &steps.list[place]),
        }
    }

    /// Does the same as [`Self::generate_wide`], but is called: it is compiled apart from the loop without symmetries.
    #[inline(never)]
    fn generate_wide_called(&self, states: &[W], block: &mut Block<W>) {
        self.generate_wide(states, block);
    }

    /// Does the work of [`ExpandBlock`] for words of more than 64 bits. One loop serves all kinds of images. A loop for
    /// each kind would take much code. In a run, the branches on the kind always go the same way, so the processor
    /// predicts them well.
    #[inline(always)]
    fn generate_wide(&self, states: &[W], block: &mut Block<W>) {
        let (images, changes) = (self.images, self.changes);
        let unchanged = changes.iter().all(|change| matches!(change, ImageDelta::Anything));
        let known = RefCell::new(if unchanged {
            WideImages::Nothing
        } else if matches!(changes.first(), Some(ImageDelta::LimbFlips(_))) {
            WideImages::SideBySide(SideBySide::room::<W>())
        } else if images.has_prefix_block() {
            WideImages::Prefixes([0; LANES], W::ZERO.views())
        } else {
            let mut blocks = std::mem::take(&mut block.images);
            blocks.resize(images.blocks, [W::ZERO; LANES]);
            WideImages::Lanes(blocks)
        });
        generate(
            self,
            states,
            block,
            &[],
            #[inline(always)]
            |word| match &mut *known.borrow_mut() {
                WideImages::Nothing => {}
                WideImages::Prefixes(prefixes, views) => {
                    (*prefixes, *views) = (images.prefix_block(word), word.views());
                }
                WideImages::Lanes(blocks) if images.order == 2 => blocks[0] = widened(images.pair(word)),
                WideImages::Lanes(blocks) => images.write_blocks(word, blocks),
                WideImages::SideBySide(lanes) => lanes.put(&images.block(word)),
            },
            |(), word| match &*known.borrow() {
                WideImages::Nothing => images.orbit_size(word), // once a state, so a call costs little
                WideImages::Prefixes(prefixes, _) => images.orbit_size_by_prefixes(word, prefixes),
                WideImages::Lanes(blocks) => images.orbit_size_by_images(word, blocks),
                WideImages::SideBySide(lanes) => images.orbit_size_of_lanes(lanes.equal_to_first(), LANES),
            },
            #[inline(always)]
            |(), place, successor| match &*known.borrow() {
                WideImages::Nothing => images.smallest(successor),
                WideImages::Prefixes(prefixes, views) => {
                    by_prefixes(images, &changes[place], (prefixes, views), successor)
                }
                WideImages::SideBySide(lanes) => match &changes[place] {
                    ImageDelta::LimbFlips(flips) => lanes.smallest_flipped(flips),
                    _ => unreachable!("all moves of the player flip limbs, or none does"),
                },
                WideImages::Lanes(blocks) => match &changes[place] {
                    ImageDelta::Flips(flips) if blocks.len() == 1 => smallest_flipped(images, &blocks[0], &flips[0]),
                    ImageDelta::Flips(flips) => images.smallest_of_flipped(blocks, flips),
                    _ => images.smallest(successor),
                },
            },
        );
        if let WideImages::Lanes(blocks) = known.into_inner() {
            block.images = blocks;
        }
    }
}

/// The canonical form of a successor, computed from data about the state before the move: the first bits of its images
/// (prefixes), and the views of its word.
#[inline(always)]
fn by_prefixes<W: Word>(
    images: &Images<W>,
    change: &ImageDelta<W>,
    (prefixes, views): (&Prefixes, &W::Views),
    successor: W,
) -> W {
    let prefixes = match change {
        ImageDelta::PrefixFlips(flips) => flipped(prefixes, flips, |prefix, flip| prefix ^ flip),
        ImageDelta::Chunks(chunks) => images.exchanged(prefixes, views, &successor.views(), chunks),
        _ => images.prefix_block(successor),
    };
    images.smallest_by_prefixes(successor, prefixes)
}

/// The canonical form of a successor, computed from the images of the state before the move, which fit one block of
/// lanes.
#[inline(always)]
fn by_lanes<W: Word>(images: &Images<W>, change: &ImageDelta<W>, lanes: &Lanes<W>, successor: W) -> W {
    match change {
        ImageDelta::Flips(flips) => smallest_flipped(images, lanes, &flips[0]),
        _ => images.smallest(successor),
    }
}

/// The two images of a state in a block of lanes. The other lanes have the first one again.
#[inline(always)]
fn widened<W: Word>([one, other]: [W; 2]) -> Lanes<W> {
    [one, other, one, one, one, one, one, one]
}

/// The smallest image in a block of lanes in which some bits are flipped.
#[inline(always)]
fn smallest_flipped<W: Word>(images: &Images<W>, lanes: &Lanes<W>, flips: &Lanes<W>) -> W {
    // Comparing eight lanes takes several times as long as comparing two, and there are only two images.
    if images.order == 2 {
        return lanes[0].xor(flips[0]).min(lanes[1].xor(flips[1]));
    }
    images.smallest_of_block(flipped(lanes, flips, W::xor))
}

/// Calls `prepare` once for each state, mostly to compute its images, and `canonical` once for each successor. Lists
/// what `canonical` returns by kind. `orbit_size` returns the number of different images of a state. Moves are made by
/// the given flips of images, whose first image must be the state itself, or by their effects if there are none.
#[inline(always)]
fn generate<W: Word, I>(
    expander: &Expander<W>,
    states: &[W],
    block: &mut Block<W>,
    flips: &[Lanes<W>],
    prepare: impl Fn(W) -> I,
    orbit_size: impl Fn(&I, W) -> u64,
    canonical: impl Fn(&I, usize, W) -> W,
) {
    let Expander { compiled, player, task, .. } = *expander;
    let steps = &compiled.steps[player];
    let (open, ended) = block.kinds.split_at_mut(1);
    let mut listed = ListedMoves::new();
    for &word in states {
        let (images, mut moved) = (prepare(word), false);
        steps.each(
            word,
            &mut listed,
            #[inline(always)]
            |place, step| {
                moved = true;
                let successor = match flips.get(place) {
                    Some(flips) => {
                        let successor = word.xor(flips[0]);
                        debug_assert!(successor.same(step.effect.apply(word)), "the first image is the state itself");
                        successor
                    }
                    None => step.effect.apply(word),
                };
                let smallest = canonical(&images, place, successor);
                match expander.outcome_after(successor, steps, place) {
                    None => open[0].raw.push(smallest),
                    Some(outcome) => ended[outcome].raw.push(smallest),
                }
                true
            },
        );
        if task.counts {
            block.seen.raw_states += orbit_size(&images, word);
            if !moved {
                expander.count_stuck(word, &mut block.seen);
            }
        }
    }
}
