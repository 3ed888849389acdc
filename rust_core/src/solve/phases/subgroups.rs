//! A chain of subgroups for solving in phases, found from the moves alone.
//!
//! Moves that are powers of one another are a *class*, such as the turns of one face of a cube. A subgroup is generated
//! by some powers of some classes: all turns of two faces and half turns of the others, say. Its order comes from the
//! algorithm of Schreier and Sims, so the number of its cosets in a larger such subgroup is known without a search. A
//! *phase* leads from one subgroup to a smaller one. Few phases give short solutions, and phases of few cosets are
//! searched fast.
//!
//! Take the numbers modulo 4 with the moves +1, +2 and +3, which are one class of order 4. The powers of +2 generate a
//! subgroup of two elements, so there is a chain of the orders 4, 2 and 1.

use std::collections::HashMap;

use super::super::cosets::{Sticker, StickerSymmetry, Stickers};
use crate::structure::PermutationGroup;

/// The most subgroups that are looked at.
const MOST_SUBGROUPS: usize = 1 << 12;

/// The most phases. More would give long solutions.
const MOST_PHASES: usize = 6;

/// Moves that are powers of one of them.
#[derive(Debug)]
pub struct MoveClass {
    /// The images of the generator: the move of which all others are powers.
    pub generator: Vec<Sticker>,
    /// The smallest number of times that the generator is made to come back.
    pub order: usize,
    /// Each move, by its place in the list of moves, with the power of the generator that it is.
    pub members: Vec<(usize, usize)>,
}

/// A subgroup: for each class of moves, the power of the generator that generates the class's share. 1 stands for all
/// powers, and the order of the generator for none.
pub type Subgroup = Vec<usize>;

/// A chain of subgroups, from the whole group down to the identity alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    /// The subgroups.
    pub subgroups: Vec<Subgroup>,
    /// For each phase, the number of cosets of the next subgroup.
    pub cosets: Vec<u128>,
}

/// The classes of the moves, in the order of the moves.
pub fn classes(stickers: &Stickers) -> Vec<MoveClass> {
    let mut found: Vec<MoveClass> = Vec::new();
    let orders: Vec<usize> = stickers.moves.iter().map(|given| order(&given.image)).collect();
    let mut places: Vec<usize> = (0..orders.len()).collect();
    places.sort_by_key(|&place| std::cmp::Reverse(orders[place]));
    for place in places {
        let image = &stickers.moves[place].image;
        let as_power = |class: &MoveClass| (1..class.order).find(|&by| power(&class.generator, by) == *image);
        if let Some((class, by)) = found.iter_mut().find_map(|class| as_power(class).map(|by| (class, by))) {
            class.members.push((place, by));
        } else {
            found.push(MoveClass { generator: image.clone(), order: orders[place], members: vec![(place, 1)] });
        }
    }
    found.sort_by_key(|class| class.members.iter().map(|&(place, _)| place).min());
    found
}

/// The number of times that a permutation is made to come back.
fn order(image: &[Sticker]) -> usize {
    let (mut known, mut order) = (vec![false; image.len()], 1);
    for begin in 0..image.len() {
        let (mut at, mut length) = (begin, 0);
        while !known[at] {
            known[at] = true;
            at = image[at] as usize;
            length += 1;
        }
        if length > 1 {
            order = least_common_multiple(order, length);
        }
    }
    order
}

fn least_common_multiple(a: usize, b: usize) -> usize {
    let (mut x, mut y) = (a, b);
    while y > 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}

/// A permutation, made several times.
pub fn power(image: &[Sticker], times: usize) -> Vec<Sticker> {
    (0..image.len()).map(|from| (0..times).fold(from as Sticker, |at, _| image[at as usize])).collect()
}

/// The chain with the fewest phases; of these, the chain that can be expected to give the shortest answers. `None` if
/// there are too many subgroups, or if no chain has phases of so few cosets.
pub fn chain(
    stickers: &Stickers,
    symmetries: &[StickerSymmetry],
    classes: &[MoveClass],
    most_cosets: &[u128],
) -> Option<Chain> {
    let subgroups = subgroups(classes)?;
    let orders = orders(stickers, symmetries, classes, &subgroups);
    let growths: Vec<f64> = subgroups.iter().map(|subgroup| growth(classes, subgroup)).collect();
    most_cosets.iter().find_map(|&most| shortest(&subgroups, &orders, &growths, most))
}

/// About the factor by which the number of states grows from move to move, if the moves of a subgroup are made: the
/// number of moves that are no powers of the last one.
fn growth(classes: &[MoveClass], subgroup: &Subgroup) -> f64 {
    let counts = classes.iter().zip(subgroup).filter(|(class, by)| class.order > **by).map(|(class, by)| {
        let own = class.members.iter().filter(|(_, exponent)| exponent.is_multiple_of(*by)).count();
        own.max(1) as f64
    });
    let counts: Vec<f64> = counts.collect();
    let all: f64 = counts.iter().sum();
    (all - all / counts.len().max(1) as f64).max(1.5)
}

/// All subgroups that powers of classes generate, the whole group first. `None` if there are too many.
fn subgroups(classes: &[MoveClass]) -> Option<Vec<Subgroup>> {
    let mut found: Vec<Subgroup> = vec![Vec::new()];
    for class in classes {
        let powers: Vec<usize> = (1..=class.order).filter(|by| class.order.is_multiple_of(*by)).collect();
        if found.len() * powers.len() > MOST_SUBGROUPS {
            return None;
        }
        let with = |before: &Subgroup| powers.iter().map(|&by| [&before[..], &[by]].concat()).collect::<Vec<_>>();
        found = found.iter().flat_map(with).collect();
    }
    Some(found)
}

/// The order of each subgroup. Symmetries carry subgroups onto others of the same order.
fn orders(
    stickers: &Stickers,
    symmetries: &[StickerSymmetry],
    classes: &[MoveClass],
    subgroups: &[Subgroup],
) -> Vec<u128> {
    let carried: Vec<Vec<usize>> = symmetries.iter().map(|symmetry| carry(symmetry, classes)).collect();
    let mut known: HashMap<Subgroup, u128> = HashMap::new();
    let order = |subgroup: &Subgroup| {
        let images = carried.iter().map(|carried| image(subgroup, carried));
        let least = images.min().unwrap_or_else(|| subgroup.clone());
        *known.entry(least).or_insert_with(|| {
            let generators = classes.iter().zip(subgroup).filter(|(class, by)| class.order > **by);
            let wide = |image: Vec<Sticker>| image.into_iter().map(u16::from).collect::<Vec<_>>();
            let generators: Vec<Vec<u16>> = generators.map(|(class, &by)| wide(power(&class.generator, by))).collect();
            PermutationGroup::new(stickers.len(), &generators).order()
        })
    };
    subgroups.iter().map(order).collect()
}

/// For each class, the class onto which a symmetry carries it.
pub fn carry(symmetry: &StickerSymmetry, classes: &[MoveClass]) -> Vec<usize> {
    let class_of = |place: usize| classes.iter().position(|class| class.members.iter().any(|&(own, _)| own == place));
    let onto = |class: &MoveClass| class_of(symmetry.moves[class.members[0].0]).unwrap_or(0);
    classes.iter().map(onto).collect()
}

/// The image of a subgroup if its classes are carried onto others.
fn image(subgroup: &Subgroup, carried: &[usize]) -> Subgroup {
    let mut image = subgroup.clone();
    carried.iter().zip(subgroup).for_each(|(&to, &by)| image[to] = by);
    image
}

/// The best chain whose phases have no more cosets than a limit.
fn shortest(subgroups: &[Subgroup], orders: &[u128], growths: &[f64], most: u128) -> Option<Chain> {
    // The number of phases so far, the moves that they can be expected to take, and the subgroup before.
    let mut best: Vec<Option<(usize, f64, usize)>> = vec![None; subgroups.len()];
    best[0] = Some((0, 0.0, 0));
    // A subgroup of another one comes later in the list, because its powers are multiples of the other's.
    for from in 0..subgroups.len() {
        let Some((phases, moves, _)) = best[from].filter(|&(phases, ..)| phases < MOST_PHASES) else { continue };
        for to in from + 1..subgroups.len() {
            // The largest number stands for all orders that are too large to be told.
            let cosets = if orders[from] == u128::MAX { u128::MAX } else { orders[from] / orders[to] };
            if cosets < 2 || cosets > most || !is_within(&subgroups[to], &subgroups[from]) {
                continue;
            }
            let with = (phases + 1, moves + (cosets as f64).ln() / growths[from].ln(), from);
            if best[to].is_none_or(|known| (with.0, with.1) < (known.0, known.1)) {
                best[to] = Some(with);
            }
        }
    }
    let mut at = subgroups.len() - 1;
    let mut chain = Chain { subgroups: vec![subgroups[at].clone()], cosets: Vec::new() };
    while at > 0 {
        let (.., before) = best[at]?;
        chain.cosets.insert(0, orders[before] / orders[at]);
        chain.subgroups.insert(0, subgroups[before].clone());
        at = before;
    }
    Some(chain)
}

/// `true` if each power of one subgroup is a power of the other one's.
fn is_within(one: &Subgroup, other: &Subgroup) -> bool {
    one.iter().zip(other).all(|(one, other)| one.is_multiple_of(*other))
}
