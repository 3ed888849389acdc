//! The gap heuristic: a lower bound from pairs of neighbours. Pairs that are neighbours in the goal must be joined, and
//! a move joins only few pairs.
//!
//! In a stack of pancakes, the pairs are the cells `i` and `i + 1`, and the last cell with the plate under it. A flip
//! of the topmost pancakes changes one pair only: that of the last flipped pancake and the one below. So a state needs
//! at least as many moves as it has pairs whose symbols are not neighbours in the goal. M. Helmert, "Landmark
//! heuristics for the pancake problem" (2010), describes this heuristic for pancakes. Here the pairs are found from the
//! moves, for any puzzle.

use super::permutation_rules::PermutationRules;
use crate::rules::Symbol;
use crate::structure::permuting::inverse;

/// Rules with more cells than this have no gap heuristic, because finding the pairs would take too long.
const MOST_CELLS: usize = 80;

/// The pairs of cells that the lower bound counts, and which of them each move separates or joins.
#[derive(Debug)]
pub struct GapHeuristic {
    /// The most pairs that one move separates.
    parted: u32,
    pairs: Vec<(usize, usize)>,
    /// For each move, the pairs that it separates and the pairs that it joins.
    changes: Vec<GapChanges>,
    /// For each pair of symbols, `true` if they are neighbours in the goal. The number after the last symbol stands for
    /// the edge of the board, such as the plate under the pancakes.
    neighbours: Vec<bool>,
    symbols: usize,
    /// The number after the last cell. It stands for the edge of the board, which no move displaces.
    edge: usize,
}

#[derive(Debug, Default)]
struct GapChanges {
    parts: Vec<(usize, usize)>,
    makes: Vec<(usize, usize)>,
}

impl GapHeuristic {
    /// Chooses the set of pairs that can give the largest bound. The largest bound of a set is the number of its pairs,
    /// divided by the most pairs that one move separates. `None` if it is at most 2 for each set.
    ///
    /// A set is grown from each single pair: each step adds the pair onto which moves carry pairs of the set most
    /// often. The best of all these sets is taken. Then pairs of a cell and the edge are added, each if it makes the
    /// possible bound larger.
    pub fn new(rules: &PermutationRules) -> Option<Self> {
        if rules.cells > MOST_CELLS || rules.pivot.is_some() || rules.cells < 3 {
            return None;
        }
        let edge = rules.cells;
        let images: Vec<Vec<usize>> = rules
            .moves
            .iter()
            .map(|given| {
                (0..=edge).map(|cell| if cell == edge { edge } else { given.image(cell as u8).into() }).collect()
            })
            .collect();
        let inverses: Vec<Vec<usize>> = images.iter().map(|image| inverse(image)).collect();
        let mut best: Option<(Vec<bool>, usize, u32)> = None;
        let better = |count: usize, parted: u32, best: &Option<(Vec<bool>, usize, u32)>| {
            best.as_ref()
                .is_none_or(|(_, known, most)| count as u64 * u64::from(*most) > *known as u64 * u64::from(parted))
        };
        for seed in 0..pair_count(edge) {
            grow(seed, edge, (&images, &inverses), |set, count, parted| {
                if parted > 0 && better(count, parted, &best) {
                    best = Some((set.to_vec(), count, parted));
                }
            });
        }
        let (mut set, mut count, mut parted) = best?;
        for cell in 0..edge {
            set[number(cell, edge)] = true;
            let now = most_parted(&set, &images);
            if now > 0 && (count + 1) as u64 * u64::from(parted) > count as u64 * u64::from(now) {
                (count, parted) = (count + 1, now);
            } else {
                set[number(cell, edge)] = false;
            }
        }
        (count > 2 * parted as usize).then(|| Self::of_pairs(rules, &set, parted, &images))
    }

    fn of_pairs(rules: &PermutationRules, set: &[bool], parted: u32, images: &[Vec<usize>]) -> Self {
        let (edge, symbols) = (rules.cells, rules.symbols);
        let pairs: Vec<(usize, usize)> = all_pairs(edge).filter(|&(a, b)| set[number(a, b)]).collect();
        let change = |image: &Vec<usize>| {
            let goes = |&(a, b): &(usize, usize)| (image[a], image[b]);
            let kept = |pair: &(usize, usize)| set[number(goes(pair).0, goes(pair).1)];
            let parts = pairs.iter().copied().filter(|pair| !kept(pair)).collect();
            let before = inverse(image);
            let origins = pairs.iter().map(|&(a, b)| (before[a], before[b]));
            let makes = origins.filter(|&(a, b)| !set[number(a, b)]).collect();
            GapChanges { parts, makes }
        };
        let changes = images.iter().map(change).collect();
        let mut found = Self {
            parted,
            changes,
            neighbours: vec![false; (symbols + 1) * (symbols + 1)],
            symbols,
            edge,
            pairs: pairs.clone(),
        };
        for (a, b) in pairs {
            let (x, y) = (found.symbol(&rules.goal, a), found.symbol(&rules.goal, b));
            found.neighbours[x * (symbols + 1) + y] = true;
            found.neighbours[y * (symbols + 1) + x] = true;
        }
        found
    }

    fn symbol(&self, state: &[Symbol], cell: usize) -> usize {
        if cell == self.edge { self.symbols } else { state[cell].into() }
    }

    #[inline(always)]
    fn apart(&self, state: &[Symbol], &(a, b): &(usize, usize)) -> bool {
        !self.neighbours[self.symbol(state, a) * (self.symbols + 1) + self.symbol(state, b)]
    }

    /// The number of pairs of cells whose symbols, in a state, are not neighbours in the goal.
    pub fn count(&self, state: &[Symbol]) -> u32 {
        self.pairs.iter().map(|pair| u32::from(self.apart(state, pair))).sum()
    }

    /// The result of [`Self::count`] after a move, computed from the count and the state before it.
    #[inline(always)]
    pub fn after(&self, count: u32, place: usize, before: &[Symbol]) -> u32 {
        let apart =
            |pairs: &[(usize, usize)]| pairs.iter().map(|pair| u32::from(self.apart(before, pair))).sum::<u32>();
        count + apart(&self.changes[place].makes) - apart(&self.changes[place].parts)
    }

    /// The largest bound that a state can have: no pair of its cells holds neighbours of the goal.
    pub fn largest(&self) -> u32 {
        self.bound(self.pairs.len() as u32)
    }

    /// The lower bound on the moves to the goal, from the [`count`](Self::count) of the state.
    #[inline(always)]
    pub fn bound(&self, count: u32) -> u32 {
        count.div_ceil(self.parted)
    }
}

/// The number of a pair of cells: `b (b - 1) / 2 + a` for `a < b`.
fn number(a: usize, b: usize) -> usize {
    let (a, b) = (a.min(b), a.max(b));
    b * (b - 1) / 2 + a
}

fn pair_count(cells: usize) -> usize {
    cells * (cells - 1) / 2
}

/// All pairs of cells, and of cells and the edge, in the order of their numbers.
fn all_pairs(edge: usize) -> impl Iterator<Item = (usize, usize)> {
    (1..=edge).flat_map(|b| (0..b).map(move |a| (a, b)))
}

/// The most pairs of a set that any one move separates.
fn most_parted(set: &[bool], images: &[Vec<usize>]) -> u32 {
    let edge = images.first().map_or(0, |image| image.len() - 1);
    let parted = |image: &Vec<usize>| {
        let mut pairs = all_pairs(edge).filter(|&(a, b)| set[number(a, b)]);
        let mut count = 0;
        pairs.by_ref().for_each(|(a, b)| count += u32::from(!set[number(image[a], image[b])]));
        count
    };
    images.iter().map(parted).max().unwrap_or(0)
}

/// Grows a set of pairs from the pair `seed`. After each step, calls `tell` with the set, the number of its pairs, and
/// the most pairs that a move separates.
fn grow(
    seed: usize,
    edge: usize,
    (images, inverses): (&[Vec<usize>], &[Vec<usize>]),
    mut tell: impl FnMut(&[bool], usize, u32),
) {
    let pairs: Vec<(usize, usize)> = all_pairs(edge).take(pair_count(edge)).collect();
    let mut set = vec![false; pair_count(edge + 1)];
    let mut made = vec![0u32; pairs.len()];
    // For each move, the number of pairs of the set that it separates.
    let mut parted = vec![0i64; images.len()];
    let mut next = seed;
    for count in 1..=2 * edge {
        set[next] = true;
        let (a, b) = pairs[next];
        for ((image, inverse), parted) in images.iter().zip(inverses).zip(&mut parted) {
            let to = number(image[a], image[b]);
            *parted += i64::from(!set[to]);
            made[to] += 1;
            // If the move carries another pair of the set onto the new pair, that other pair is no longer separated. If
            // the move carries the new pair onto itself, the new pair was not counted as separated.
            let from = number(inverse[a], inverse[b]);
            *parted -= i64::from(from != next && set[from]);
        }
        tell(&set, count, parted.iter().copied().max().unwrap_or(0) as u32);
        let Some(found) = (0..pairs.len())
            .filter(|&pair| !set[pair] && made[pair] > 0)
            .max_by_key(|&pair| (made[pair], pairs.len() - pair))
        else {
            return;
        };
        next = found;
    }
}
