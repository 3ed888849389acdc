//! Finds stickers that stay together on one piece: blocks of cells that every move carries onto blocks, and turns
//! around.

use crate::ordered::{OrderedMap, OrderedSet};
use crate::sorting;
use crate::sorting::Gather;

/// If moves write more cells than this, no places of pieces are looked for.
const MOST_CELLS: usize = 128;

/// The places of pieces: blocks of cells that the permutations carry onto blocks, while they turn the cells of each
/// block around. The cells of each place are in a circular order that all permutations keep. `None` if there are no
/// such places, or more than `most`.
///
/// For example, let one move exchange the cells 0 1 with the cells 2 3, and another one exchange 0 with 1. Then 0 1 and
/// 2 3 are places of two cells. The places are the *blocks* of the group that the permutations generate: a block is a
/// set of cells that each permutation carries onto itself or onto entirely different cells. The permutations that carry
/// a block onto itself must be the rotations of a circle.
pub fn sticker_places(cells: usize, images: &[&[usize]], most: usize) -> Option<Vec<Vec<usize>>> {
    let moved: Vec<usize> = (0..cells).filter(|&cell| images.iter().any(|image| image[cell] != cell)).collect();
    let &first = moved.first()?;
    if moved.len() > MOST_CELLS {
        return None;
    }
    let mut systems: Vec<Vec<Vec<usize>>> =
        moved[1..].iter().map(|&other| blocks(cells, images, &moved, (first, other))).collect();
    sorting::sort_by_key(&mut systems, |blocks| blocks[0].len());
    systems.dedup();
    let equal = |blocks: &&Vec<Vec<usize>>| blocks.iter().all(|block| block.len() == blocks[0].len());
    let few = |blocks: &&Vec<Vec<usize>>| (2..=most).contains(&blocks.len());
    systems.iter().filter(equal).filter(few).find_map(|blocks| turning(blocks, images))
}

/// The places of the pieces on the cells of one orbit: a single place if all cells of the orbit turn around one circle,
/// and otherwise those that [`sticker_places`] finds. Places count only if `told` returns `true` for them: from the
/// symbols there it must be clear which piece it is, and how it is turned. `None` if there are no such places.
pub(super) fn places_of_orbit(
    cells: usize,
    orbit: &[usize],
    images: &[&[usize]],
    told: impl Fn(&Vec<Vec<usize>>) -> bool,
) -> Option<Vec<Vec<usize>>> {
    if let Some(circle) = turning(&[orbit.to_vec()], images).filter(&told) {
        return Some(circle);
    }
    sticker_places(cells, &images_within(orbit, images).iter().map(|image| &image[..]).collect::<Vec<_>>(), cells)
        .filter(told)
}

/// The permutations, restricted to an orbit: all other cells stay in place.
pub fn images_within(orbit: &[usize], images: &[&[usize]]) -> Vec<Vec<usize>> {
    let mut inside = vec![false; images.first().map_or(0, |image| image.len())];
    for &cell in orbit {
        inside[cell] = true;
    }
    let image = |image: &&[usize]| (0..image.len()).map(|cell| if inside[cell] { image[cell] } else { cell }).collect();
    images.iter().map(image).collect()
}

/// Pairs each cell of an orbit with a cell of another orbit that always moves along with it: if a move carries a cell
/// to `to`, it carries the partner of the cell to the partner of `to`. `None` if there is no such pairing.
///
/// For example, an edge of a cube has two stickers. If no move flips edges, the two are in different orbits, and always
/// move together.
pub(super) fn followers(orbit: &[usize], other: &[usize], images: &[&[usize]]) -> Option<OrderedMap<usize, usize>> {
    if orbit.len() != other.len() {
        return None;
    }
    let follow = |first: usize| {
        let mut follows: OrderedMap<usize, usize> = [(orbit[0], first)].into_iter().gather();
        let mut pending = vec![orbit[0]];
        while let Some(cell) = pending.pop() {
            for image in images {
                let (to, along) = (image[cell], image[follows[&cell]]);
                match follows.insert(to, along) {
                    None => pending.push(to),
                    Some(known) if known != along => return None,
                    Some(_) => {}
                }
            }
        }
        let distinct: OrderedSet<&usize> = follows.values().gather();
        (distinct.len() == orbit.len()).then_some(follows)
    };
    other.iter().find_map(|&first| follow(first))
}

/// The blocks that are made if the two given cells must be in one block, as small as possible. The cells of each block
/// are in ascending order, and so are the blocks by their first cells.
fn blocks(cells: usize, images: &[&[usize]], moved: &[usize], (one, other): (usize, usize)) -> Vec<Vec<usize>> {
    // After M. D. Atkinson, "An algorithm for finding the blocks of a permutation group" (1975).
    let mut names: Vec<usize> = (0..cells).collect();
    let mut pending = vec![(one, other)];
    while let Some((one, other)) = pending.pop() {
        let (kept, lost) = (names[one], names[other]);
        if kept != lost {
            names.iter_mut().filter(|name| **name == lost).for_each(|name| *name = kept);
            pending.extend(images.iter().map(|image| (image[one], image[other])));
        }
    }
    let mut blocks: OrderedMap<usize, Vec<usize>> = OrderedMap::new();
    for &cell in moved {
        blocks.value_or(names[cell], Vec::new).push(cell);
    }
    let mut blocks: Vec<Vec<usize>> = blocks.into_values().collect();
    sorting::sort(&mut blocks);
    blocks
}

/// The given blocks, with the cells of each in a circular order that all permutations keep. `None` if there is no such
/// order.
fn turning(blocks: &[Vec<usize>], images: &[&[usize]]) -> Option<Vec<Vec<usize>>> {
    let block_of = |cell: usize| blocks.iter().position(|block| block.contains(&cell));
    // For each block, the image of the first block under some product of moves that carries the first block to it. The
    // image lists the cells in the order of the first block's cells.
    let mut carried: Vec<Option<Vec<usize>>> = vec![None; blocks.len()];
    carried[0] = Some(blocks[0].clone());
    let (mut found, mut at) = (vec![0], 0);
    // The permutations of the first block's cells by products of moves that carry this block onto itself. (By
    // Schreier's lemma, the products that are found generate all of them.)
    let mut turns: OrderedSet<Vec<usize>> = OrderedSet::new();
    while let Some(&from) = found.get(at) {
        for image in images {
            let after: Vec<usize> = carried[from].as_ref()?.iter().map(|&cell| image[cell]).collect();
            let to = block_of(after[0])?;
            match &carried[to] {
                None => {
                    carried[to] = Some(after);
                    found.push(to);
                }
                Some(known) => {
                    let turn = after.iter().map(|cell| known.iter().position(|other| other == cell));
                    turns.insert(turn.collect::<Option<_>>()?);
                }
            }
        }
        at += 1;
    }
    // The group of these permutations must be the rotations of a circle, so it has one element for each cell.
    let size = blocks[0].len();
    let mut elements: Vec<Vec<usize>> = vec![(0..size).collect()];
    let mut at = 0;
    while let Some(element) = elements.get(at).cloned() {
        for turn in &turns {
            let product: Vec<usize> = element.iter().map(|&cell| turn[cell]).collect();
            if !elements.contains(&product) {
                elements.push(product);
            }
        }
        if elements.len() > size {
            return None;
        }
        at += 1;
    }
    let circle = |step: &Vec<usize>| {
        let mut circle = vec![0];
        while step[circle[circle.len() - 1]] != 0 {
            circle.push(step[circle[circle.len() - 1]]);
        }
        circle
    };
    let circle = elements.iter().map(circle).find(|circle| circle.len() == size)?;
    // If no product leads from the first block to some block, that block belongs to another kind of piece, and there is
    // no result.
    carried.into_iter().map(|cells| cells.map(|cells| circle.iter().map(|&at| cells[at]).collect())).collect()
}
