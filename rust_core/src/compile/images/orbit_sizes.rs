//! The sizes of orbits: how many different images a state has.

use super::{FEW_LANES, Images, LANE_MASK, Lanes, smallest_prefix};
use crate::compile::prefixes::{LANES, Prefixes};
use crate::compile::shuffled_images::ShuffledImages;
use crate::compile::word::Word;

impl<W: Word> Images<W> {
    /// The number of images equal to the state itself, among those in all lanes.
    #[inline(always)]
    fn own_images<const COUNT: usize>(&self, word: W) -> usize {
        let mut count = 0;
        for image in self.all_lanes::<COUNT>(word) {
            count += usize::from(image.same(word));
        }
        count
    }

    /// The number of different images of a state, if the images in all blocks are known; or the first two of them, if
    /// there are [two](Self::pair). The symmetries must be a group with the identity first.
    #[inline(never)]
    pub fn orbit_size_by_images(&self, word: W, images: &[Lanes<W>]) -> u64 {
        if self.order == 2 {
            return 2 - u64::from(images[0][1].same(word));
        }
        debug_assert!(self.has_tables(), "the images were written from tables");
        let mut same = 0;
        for image in images.as_flattened() {
            same += usize::from(image.same(word));
        }
        self.orbit_size_of_lanes(same, self.blocks * LANES)
    }

    /// The number of different images of a state that `same` of the images in `lanes` lanes are equal to. Lanes without
    /// a symmetry of their own have the first one again, which must be the identity.
    #[inline(always)]
    pub fn orbit_size_of_lanes(&self, same: usize, lanes: usize) -> u64 {
        debug_assert!(self.with_identity, "one image is the state itself");
        self.orbit_size_of((same + self.order - lanes) as u64)
    }

    /// The number of different images of a state that so many symmetries leave as it is.
    #[inline(always)]
    pub fn orbit_size_of(&self, fixing: u64) -> u64 {
        // Most states have no symmetry of their own, and a division takes long.
        if fixing == 1 { self.order as u64 } else { self.order as u64 / fixing }
    }

    /// The number of different images of a state, if their prefixes are known, and there is [one
    /// block](Self::has_prefix_block) of them. The symmetries must be a group with the identity first.
    #[inline(never)]
    pub fn orbit_size_by_prefixes(&self, word: W, prefixes: &Prefixes) -> u64 {
        let (mut others, own) = (*prefixes, prefixes[0]);
        others[0] = !own; // the identity is counted without a look
        (self.order / (1 + self.fixing(word, own, 0, &others))) as u64
    }

    /// The number of symmetries of a block that leave a state as it is. The first bits of the images are the prefixes,
    /// and `own` is the prefix of the state itself.
    #[inline(never)]
    fn fixing(&self, word: W, own: u32, block: usize, prefixes: &Prefixes) -> usize {
        // An image that equals the state has the same prefix, and few other images have it.
        let closest = smallest_prefix(
            &[*prefixes],
            #[inline(always)]
            |prefix| (prefix ^ own) & !LANE_MASK,
        );
        let mut fixing = 0;
        if closest == 0 {
            for (lane, &prefix) in prefixes.iter().enumerate() {
                let (at, equal) = (block * LANES + lane, (prefix ^ own) & !LANE_MASK == 0);
                fixing += usize::from(equal && at < self.order && self.image(word, at) == word);
            }
        }
        fixing
    }

    /// The number of different images of a state. The symmetries must be a group with the identity first. This function
    /// is compiled once and called. A loop that spends much of its time here calls [`Self::orbit_size_inlined`]
    /// instead.
    #[inline(never)]
    pub fn orbit_size(&self, word: W) -> u64 {
        self.orbit_size_inlined(word)
    }

    /// The sum of the orbit sizes of some states. `orbit_size` is [`Self::orbit_size`], inlined or called.
    #[inline(always)]
    pub fn orbit_sizes(&self, words: &[W], orbit_size: impl Fn(W) -> u64) -> u64 {
        if let Some(shuffled) = self.shuffled() {
            return self.sum_of_shuffled(shuffled, words);
        }
        let mut sum = 0;
        for &word in words {
            sum += orbit_size(word);
        }
        sum
    }

    /// The sum of the orbit sizes of some states, by shuffles.
    fn sum_of_shuffled(&self, shuffled: &ShuffledImages, words: &[W]) -> u64 {
        let mut sum = 0;
        shuffled.fixing(words, &mut |fixing| {
            sum += fixing.iter().map(|&fixing| self.orbit_size_of(fixing)).sum::<u64>();
        });
        sum
    }

    /// Does the same as [`Self::orbit_size`], inlined, so that it is compiled for the instruction set of the caller.
    #[inline(always)]
    pub fn orbit_size_inlined(&self, word: W) -> u64 {
        if self.trivial {
            return 1;
        }
        if let Some(by_cells) = &self.by_cells {
            return self.orbit_size_of(by_cells.fixing(word));
        }
        if let Some(shuffled) = self.shuffled() {
            return self.sum_of_shuffled(shuffled, &[word]);
        }
        if let Some(many) = self.many.as_ref().filter(|_| W::BYTES <= 8) {
            let is_fixed = |at| self.image_of_many(word, at).same(word);
            return self.orbit_size_of(many.fixing(word.views().as_ref(), &is_fixed));
        }
        // The identity leaves every state as it is.
        let mut fixed = 1;
        if self.order == 2 {
            fixed += usize::from(self.pair_called(word)[1].same(word));
        } else if self.prefixes.is_empty() {
            let few = self.has_few_lanes();
            fixed += if few { self.own_images::<FEW_LANES>(word) } else { self.own_images::<LANES>(word) };
            // The identity was counted in the first lane, and in every lane that has the first symmetry again. But
            // `fixed` counts it already.
            fixed -= 1 + self.lanes - self.order;
        } else {
            // The identity is the first symmetry, so its prefix is the prefix of the state itself.
            let mut own = 0;
            for block in 0..self.blocks {
                let mut prefixes = self.group::<1>(word, block)[0];
                if block == 0 {
                    own = prefixes[0];
                    prefixes[0] = !own; // the identity has been counted
                }
                fixed += self.fixing(word, own, block, &prefixes);
            }
        }
        (self.order / fixed) as u64
    }
}
