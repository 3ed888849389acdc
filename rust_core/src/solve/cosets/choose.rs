//! Chooses the colourings of a table: those with the most abstract states whose table fits the memory.
//!
//! The more states an abstraction has, the farther from the goal they are on average, so the better its bounds are. If
//! symmetries carry a table's colourings onto themselves, one value serves several states. So such colourings are
//! proposed. They are made from the symbols of the goal. Symbols get ranks, and a *marking* may give several symbols
//! the same rank. A colouring shows of one orbit of pieces, for example, where the pieces with a symbol of a certain
//! rank are, or how the pieces are turned.

use std::collections::HashMap;
use std::sync::Arc;

use super::colouring::{Colours, StickerColouring};
use super::coset_table::Shape;
use super::sticker_group::{Sticker, StickerSymmetry, Stickers};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::rules::{Symbol, Symmetry};
use crate::sorting;
use crate::sorting::Gather;

/// The most states of one colouring.
const MOST_STATES: usize = 1 << 16;

/// The most states of the colourings of the head, which choose a row of the table, together. A table keeps a row number
/// for each.
const MOST_HEADS: usize = 1 << 26;

/// The most states of the colourings of the tail, which choose a place in a row, together. The table lists the image of
/// each under each symmetry and move.
const MOST_TAILS: usize = 1 << 16;

/// A good number of states of the tail, each of which has a place in a row: with it, a row of the table fits the
/// first-level cache.
const GOOD_TAILS: f64 = 4096.0;

/// The most ways to mark symbols that are tried.
const MOST_MARKINGS: usize = 16;

/// The most combinations of facts (see [`WAYS`]) that are tried in all. Each orbit of places multiplies their number by
/// eight: with two orbits, there are 64 for each marking.
const MOST_CHOICES: usize = 1 << 14;

/// The most divisions of colourings into head (which chooses the row of a table) and tail (the place in it) that are
/// tried in all. For the 3x3x3 cube, fewer than a hundred are tried.
const MOST_DIVISIONS: usize = 1 << 10;

/// The first colourings, at most this many, are each tried both in the head and in the tail. All further colourings are
/// in the head.
const MOST_DIVIDED: usize = 8;

/// The facts that a colouring can show about the pieces of one orbit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ShownSymbols {
    /// The kind of the piece in each place. Pieces are of one kind if the smallest rank of their symbols is the same.
    Kinds,
    /// The turn of the piece in each place: which of its stickers has the smallest rank.
    Turns,
    /// The kind of the piece in each place; and if it is of the rarest kind, which piece it is.
    Rarest,
    /// The piece in each place, however it is turned.
    Pieces,
}

/// The lists of facts that may be shown of the pieces of one orbit. One list is chosen, and each of its facts is shown
/// by a colouring of its own.
const WAYS: [&[ShownSymbols]; 8] = [
    &[],
    &[ShownSymbols::Kinds],
    &[ShownSymbols::Turns],
    &[ShownSymbols::Rarest],
    &[ShownSymbols::Pieces],
    &[ShownSymbols::Kinds, ShownSymbols::Turns],
    &[ShownSymbols::Rarest, ShownSymbols::Turns],
    &[ShownSymbols::Pieces, ShownSymbols::Turns],
];

/// Chooses the shape with the most abstract states, of those with at most `entries` values and at most `bytes` bytes.
/// The result is the same for the same rules on every machine. `None` if there is no such shape.
pub fn choose(
    stickers: &Stickers,
    given: &[Symmetry],
    symmetries: &[StickerSymmetry],
    entries: u64,
    bytes: u64,
) -> Option<Shape> {
    let orbits = stickers.orbits.iter().max().map_or(0, |last| last + 1);
    let mut factors: HashMap<Colours, Option<Arc<StickerColouring>>> = HashMap::new();
    let mut best: Option<Shape> = None;
    let mut tried: OrderedSet<Vec<Colours>> = OrderedSet::new();
    let (mut choices, mut divisions) = (0, 0);
    for marking in markings(stickers, given) {
        for number in 0..WAYS.len().saturating_pow(orbits as u32) {
            choices += 1;
            if choices > MOST_CHOICES || divisions > MOST_DIVISIONS {
                return best;
            }
            let way = |orbit: usize| WAYS[number / WAYS.len().saturating_pow(orbit as u32) % WAYS.len()];
            let shown = (0..orbits).flat_map(|orbit| way(orbit).iter().map(move |&shown| (orbit, shown)));
            let mut colourings: Vec<Colours> =
                shown.map(|(orbit, shown)| colours(stickers, &marking, orbit, shown)).collect();
            sorting::sort(&mut colourings);
            colourings.dedup();
            if colourings.is_empty() || !tried.insert(colourings.clone()) {
                continue;
            }
            let made = colourings.into_iter().map(|colours| {
                let make = || StickerColouring::new(stickers, colours.clone(), MOST_STATES).map(Arc::new);
                factors.entry(colours.clone()).or_insert_with(make).clone()
            });
            let Some(made) = made.collect::<Option<Vec<_>>>() else { continue };
            let product: f64 = made.iter().map(|factor| factor.len as f64).product();
            // Two colourings may show the same fact, so the product may be too large. There are never more abstract
            // states than true states. There are twice as many as the product says if a parity is told, too.
            let most = (product * 2.0).min(stickers.states() as f64);
            let known = best.as_ref().map_or(1.5, |best| best.states);
            if most < known || product / symmetries.len() as f64 > entries as f64 {
                continue;
            }
            divisions += 1 << made.len().min(MOST_DIVIDED);
            let Some(shape) = divided(stickers, symmetries, &made) else { continue };
            let fits = shape.entries() <= entries && shape.bytes() <= bytes && shape.states >= known;
            let fewer = best.as_ref().is_none_or(|best| shape.entries() < best.entries());
            if fits && (shape.states > known || fewer) {
                best = Some(shape);
            }
        }
    }
    best
}

/// The best division of colourings into head and tail: the one with the fewest values; of these, the one whose rows
/// have the best size. `None` if the head or the tail of each division has too many states.
fn divided(stickers: &Stickers, symmetries: &[StickerSymmetry], factors: &[Arc<StickerColouring>]) -> Option<Shape> {
    let shape = |choice: u32| {
        let part = |tail: bool| {
            let chosen = factors.iter().enumerate().filter(|&(at, _)| (choice >> at & 1 == 1) == tail);
            chosen.map(|(_, factor)| Arc::clone(factor)).collect::<Vec<_>>()
        };
        let (head, tail) = (part(false), part(true));
        let len = |factors: &[Arc<StickerColouring>]| {
            factors.iter().fold(1usize, |len, factor| len.saturating_mul(factor.len))
        };
        (len(&head) <= MOST_HEADS && len(&tail) <= MOST_TAILS).then(|| Shape::new(stickers, symmetries, head, tail))
    };
    let distance = |shape: &Shape| (shape.tail_len() as f64 / GOOD_TAILS).ln().abs();
    let better = |one: &Shape, other: &Shape| {
        one.entries().cmp(&other.entries()).then(distance(one).total_cmp(&distance(other)))
    };
    (0..1u32 << factors.len().min(MOST_DIVIDED)).filter_map(shape).min_by(better)
}

/// The markings: maps from labels, which are symbols, to ranks. The first marking gives each label a rank of its own.
/// Each other one gives two labels the same rank, and also their images under each symmetry.
fn markings(stickers: &Stickers, symmetries: &[Symmetry]) -> Vec<OrderedMap<Symbol, usize>> {
    let labels: Vec<Symbol> = stickers.labels.iter().copied().gather::<OrderedSet<_>>().into_iter().collect();
    let ranks = |joined: Option<(Symbol, Symbol)>| {
        let mut names: OrderedMap<Symbol, Symbol> = labels.iter().map(|&label| (label, label)).gather();
        let mut pending: Vec<(Symbol, Symbol)> = joined.into_iter().collect();
        while let Some((one, other)) = pending.pop() {
            let (Some(&kept), Some(&lost)) = (names.get(&one), names.get(&other)) else { continue };
            if kept != lost {
                let (kept, lost) = (kept.min(lost), kept.max(lost));
                names.values_mut().filter(|name| **name == lost).for_each(|name| *name = kept);
                let images = symmetries.iter().map(|symmetry| &symmetry.symbols);
                pending.extend(images.map(|image| (image[one as usize], image[other as usize])));
            }
        }
        let classes: Vec<Symbol> = names.values().copied().gather::<OrderedSet<_>>().into_iter().collect();
        names
            .into_iter()
            .map(|(label, name)| (label, classes.iter().position(|&class| class == name).unwrap_or(0)))
            .gather::<OrderedMap<_, _>>()
    };
    let mut found = vec![ranks(None)];
    for (at, &one) in labels.iter().enumerate() {
        for &other in &labels[..at] {
            let marking = ranks(Some((one, other)));
            if found.len() < MOST_MARKINGS && !found.contains(&marking) {
                found.push(marking);
            }
        }
    }
    found
}

/// The colouring that shows the fact `shown` about one orbit, and nothing about the other orbits.
fn colours(stickers: &Stickers, marking: &OrderedMap<Symbol, usize>, orbit: usize, shown: ShownSymbols) -> Colours {
    let rank = |sticker: Sticker| marking.get(&stickers.labels[sticker as usize]).copied().unwrap_or(0);
    let within: Vec<usize> = (0..stickers.places.len()).filter(|&place| stickers.orbits[place] == orbit).collect();
    let first = |place: usize| stickers.places[place].iter().map(|&at| rank(at)).min().unwrap_or(0);
    // Pieces are of one kind if the smallest rank of their stickers is the same.
    let kinds: Vec<usize> = within.iter().map(|&place| first(place)).gather::<OrderedSet<_>>().into_iter().collect();
    let size = |kind: usize| within.iter().filter(|&&place| first(place) == kind).count();
    let rarest = kinds.iter().copied().min_by_key(|&kind| (size(kind), std::cmp::Reverse(kind)));
    let mut colours = vec![0; stickers.len()];
    for (at, &place) in within.iter().enumerate() {
        let kind = kinds.iter().position(|&kind| kind == first(place)).unwrap_or(0);
        for &sticker in &stickers.places[place] {
            colours[sticker as usize] = match shown {
                ShownSymbols::Kinds => kind,
                ShownSymbols::Turns => usize::from(rank(sticker) == first(place)),
                ShownSymbols::Rarest if rarest != Some(first(place)) => kind,
                ShownSymbols::Rarest => kinds.len() + at,
                ShownSymbols::Pieces => at,
            } as u8;
        }
    }
    colours
}
