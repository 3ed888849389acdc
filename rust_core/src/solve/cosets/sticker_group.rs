//! Rules whose moves permute pieces in every state, with states and moves as permutations of stickers.
//!
//! A *sticker* is a symbol together with the cell in which the goal has it: its home. A state assigns a cell to each
//! sticker, and a move carries the stickers of some cells to other cells, whichever stickers these are. So states are
//! elements of a group, and the goal is its identity.
//!
//! The symbols need not all be different. If moves carry groups of cells onto groups of cells, the symbols of a whole
//! group show which piece is there, and how it is turned. For example, each corner of a cube is a group of three cells.

use std::collections::{HashMap, HashSet};

use crate::ordered::OrderedMap;
use crate::rules::{Symbol, Symmetry};
use crate::solve::move_pruning::MoveSet;
use crate::sorting::Gather;
use crate::structure::permuting::inverse;
use crate::structure::{PermutationGroup, Structure, images_within, sticker_places};

/// The number of a sticker, and also of its home: the cell in which the goal has it.
pub type Sticker = u8;

/// The most stickers that rules may have.
pub const MOST_STICKERS: usize = 250;

/// The most places that rules may have.
pub const MOST_PLACES: usize = 32;

/// The most moves that rules may have.
pub const MOST_MOVES: usize = 64;

/// A move, as a permutation of stickers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StickerMove {
    /// The place of the move in the rules.
    pub index: usize,
    /// The stickers' homes when the move is made from the goal: for each sticker, the home of the sticker to whose cell
    /// it comes.
    pub image: Vec<Sticker>,
}

/// A permutation of stickers that carries moves onto moves. So it carries states onto states that are equally far from
/// the goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StickerSymmetry {
    /// The image of each sticker, and so of its home.
    pub image: Vec<Sticker>,
    /// For each move, the move onto which it is carried.
    pub moves: Vec<usize>,
}

/// Rules as permutations of stickers.
#[derive(Debug)]
pub struct Stickers {
    /// The places of pieces. For each place, the stickers that the goal has there, in the order around a circle. Moves
    /// carry circles onto circles, but may turn them around.
    pub places: Vec<Vec<Sticker>>,
    /// For each sticker, the place that its home belongs to, and the number of steps around the circle from the first
    /// cell of that place to its home.
    pub home: Vec<(usize, usize)>,
    /// For each place, the number of its orbit: moves carry places only onto places of the same orbit.
    pub orbits: Vec<usize>,
    /// The moves, without those that leave everything as it is, or do the same as an earlier move.
    pub moves: Vec<StickerMove>,
    /// `true` if each move is undone by a move.
    pub inverse_closed: bool,
    /// For each sticker, its label: its symbol; or, if a cell holds a whole piece, the number of a twist.
    pub labels: Vec<Symbol>,
    reader: StickerReader,
    group: PermutationGroup,
}

/// Reads the stickers of a state.
#[derive(Debug, Clone)]
struct StickerReader {
    /// For each place, the cells of its stickers; or the only cell, whose symbol stands for all of them.
    cells: Vec<Vec<usize>>,
    /// Reads a place: from the symbols in the cells of the place to the sticker in its first cell.
    known: HashMap<Vec<Symbol>, Sticker>,
    /// The cells that no move changes, each with the symbol that it holds.
    still: Vec<(usize, Symbol)>,
}

impl Stickers {
    /// The rules in this form. `None` unless there is one player, there are no ends, the goal is a single state, and
    /// moves can always be made and permute pieces, of which no two look alike.
    pub fn new(structure: &Structure) -> Option<Self> {
        let rules = structure.rules();
        let [goal] = &rules.goal[..] else { return None };
        let goal = goal.single_state(rules.cells(), rules.symbols.len())?;
        if rules.moves.len() > MOST_MOVES {
            return None;
        }
        match structure.group() {
            Some(group) => Self::of_cells(structure, group, &goal),
            None => Self::of_twists(structure, &goal),
        }
    }

    /// The stickers of rules in which each sticker is a symbol in a cell of its own. `None` if the symbols do not show
    /// which piece is where and how it is turned, or if there are too many stickers.
    fn of_cells(structure: &Structure, group: &PermutationGroup, goal: &[Symbol]) -> Option<Self> {
        let images: Vec<Vec<usize>> =
            structure.permutations()?.into_iter().map(|permutation| permutation.image).collect();
        let mut places: Vec<Vec<usize>> = Vec::new();
        for orbit in group.orbits().into_iter().filter(|orbit| orbit.len() > 1) {
            places.extend(places_of(&orbit, &images, goal)?);
        }
        let cells: Vec<usize> = places.concat();
        if cells.len() > MOST_STICKERS {
            return None;
        }
        let mut number = vec![None; goal.len()];
        cells.iter().enumerate().for_each(|(sticker, &cell)| number[cell] = Some(sticker as Sticker));
        let moves: Vec<Vec<Sticker>> = images
            .iter()
            .map(|image| cells.iter().map(|&cell| number[image[cell]]).collect())
            .collect::<Option<_>>()?;
        let reader = StickerReader::new(&places, goal, |place| {
            (0..place.len())
                .map(|turn| (0..place.len()).map(|at| goal[place[(at + turn) % place.len()]]).collect())
                .collect()
        })?;
        let circles = places.iter().map(|place| place.iter().filter_map(|&cell| number[cell]).collect()).collect();
        Self::of_parts(circles, moves, cells.iter().map(|&cell| goal[cell]).collect(), reader)
    }

    /// The stickers of rules in which one cell holds a whole piece, and its symbol stands for the piece and its twist.
    /// Each piece gets a sticker for each twist. With three twists, a piece that is twisted once has its sticker 0 at
    /// the home of sticker 1, its sticker 1 at the home of 2, and its sticker 2 at the home of 0. `None` if the pieces
    /// do not have one and the same number of twists, at least two, or if there are too many stickers.
    fn of_twists(structure: &Structure, goal: &[Symbol]) -> Option<Self> {
        let pieces = structure.pieces()?;
        let twists = pieces.twists(0);
        if pieces.symbols.iter().any(|circle| circle.len() != twists) || twists == 1 {
            return None;
        }
        if pieces.places.iter().any(|place| place.len() != 1) || pieces.places.len() * twists > MOST_STICKERS {
            return None;
        }
        let moves = pieces.moves.iter().map(|given| {
            let mut image = vec![0; pieces.places.len() * twists];
            for (to, (&from, &by)) in given.source.iter().zip(&given.twists).enumerate() {
                for at in 0..twists {
                    image[from * twists + at] = (to * twists + (at + by) % twists) as Sticker;
                }
            }
            image
        });
        let circle_of = |symbol: Symbol| pieces.symbols.iter().find(|circle| circle.contains(&vec![symbol]));
        let reader = StickerReader::new(&pieces.places, goal, |place| {
            let Some(circle) = circle_of(goal[place[0]]) else { return Vec::new() };
            let begin = circle.iter().position(|held| held[0] == goal[place[0]]).unwrap_or(0);
            // A piece that was twisted once has its last sticker in the first place of the circle.
            (0..twists).map(|turn| circle[(begin + twists - turn) % twists].clone()).collect()
        })?;
        let count = pieces.places.len();
        let circles =
            (0..count).map(|place| (0..twists).map(|at| (place * twists + at) as Sticker).collect()).collect();
        let labels = (0..count * twists).map(|sticker| (sticker % twists) as Symbol).collect();
        Self::of_parts(circles, moves.collect(), labels, reader)
    }

    fn of_parts(
        places: Vec<Vec<Sticker>>,
        images: Vec<Vec<Sticker>>,
        labels: Vec<Symbol>,
        reader: StickerReader,
    ) -> Option<Self> {
        let mut home = vec![(0, 0); labels.len()];
        for (place, circle) in places.iter().enumerate() {
            circle.iter().enumerate().for_each(|(at, &sticker)| home[sticker as usize] = (place, at));
        }
        let mut seen: HashSet<Vec<Sticker>> = HashSet::from([(0..labels.len()).map(|at| at as Sticker).collect()]);
        let moves: Vec<StickerMove> = images
            .into_iter()
            .enumerate()
            .filter(|(_, image)| seen.insert(image.clone()))
            .map(|(index, image)| StickerMove { index, image })
            .collect();
        if places.len() > MOST_PLACES || places.is_empty() {
            return None;
        }
        let mut orbits: Vec<usize> = (0..places.len()).collect();
        loop {
            let before = orbits.clone();
            for given in &moves {
                for (place, circle) in places.iter().enumerate() {
                    let to = home[given.image[circle[0] as usize] as usize].0;
                    let least = orbits[place].min(orbits[to]);
                    (orbits[place], orbits[to]) = (least, least);
                }
            }
            if before == orbits {
                break;
            }
        }
        let numbers: Vec<usize> =
            orbits.iter().copied().gather::<crate::ordered::OrderedSet<_>>().into_iter().collect();
        for orbit in &mut orbits {
            *orbit = numbers.iter().position(|known| known == orbit).unwrap_or(0);
        }
        let wide = |image: &[Sticker]| image.iter().map(|&to| u16::from(to)).collect::<Vec<_>>();
        let generators: Vec<Vec<u16>> = moves.iter().map(|given| wide(&given.image)).collect();
        let group = PermutationGroup::new(labels.len(), &generators);
        let known: HashSet<&Vec<Sticker>> = moves.iter().map(|given| &given.image).collect();
        let inverse_closed = moves.iter().all(|given| known.contains(&inverse(&given.image)));
        Some(Self { places, home, orbits, moves, inverse_closed, labels, reader, group })
    }

    /// The same stickers with other moves. `None` if two of the moves do the same, or if one leaves everything as it
    /// is.
    pub fn with_moves(&self, moves: &[Vec<Sticker>]) -> Option<Self> {
        let made = Self::of_parts(self.places.clone(), moves.to_vec(), self.labels.clone(), self.reader.clone())?;
        (made.moves.len() == moves.len()).then_some(made)
    }

    /// The set of all moves.
    pub fn all_moves(&self) -> MoveSet {
        MoveSet::MAX.checked_shr((MOST_MOVES - self.moves.len()) as u32).unwrap_or(0)
    }

    /// The number of stickers.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// The sticker that is `by` steps further around the circle of its piece.
    pub fn turned(&self, sticker: Sticker, by: usize) -> Sticker {
        let (place, at) = self.home[sticker as usize];
        self.places[place][(at + by) % self.places[place].len()]
    }

    /// For each cell, the sticker that a state has there. `None` if no moves lead from the state to the goal.
    pub fn read(&self, state: &[Symbol]) -> Option<Vec<Sticker>> {
        if self.reader.still.iter().any(|&(cell, symbol)| state[cell] != symbol) {
            return None;
        }
        let mut held = vec![0; self.len()];
        for (place, cells) in self.places.iter().zip(&self.reader.cells) {
            let symbols: Vec<Symbol> = cells.iter().map(|&cell| state[cell]).collect();
            let &first = self.reader.known.get(&symbols)?;
            if self.places[self.home[first as usize].0].len() != place.len() {
                return None;
            }
            place.iter().enumerate().for_each(|(at, &cell)| held[cell as usize] = self.turned(first, at));
        }
        let image: Vec<u16> = held.iter().map(|&sticker| u16::from(sticker)).collect();
        let all = held.iter().copied().collect::<HashSet<_>>().len() == held.len();
        (all && self.group.contains(&image)).then_some(held)
    }

    /// The number of states that moves can reach; the largest `u128` if there are more states than that.
    pub fn states(&self) -> u128 {
        self.group.order()
    }

    /// The given symmetries of the rules as permutations of stickers, the identity first. A symmetry is left out if it
    /// does not carry places onto places and moves onto moves.
    pub fn symmetries(&self, given: &[Symmetry]) -> Vec<StickerSymmetry> {
        let identity: Vec<Sticker> = (0..self.len()).map(|at| at as Sticker).collect();
        let mut images = vec![identity];
        let cells: Vec<usize> = self.reader.cells.concat();
        if cells.len() == self.len() {
            let sticker: OrderedMap<usize, Sticker> =
                cells.iter().zip(self.places.concat()).map(|(&cell, sticker)| (cell, sticker)).gather();
            for symmetry in given {
                let mut image = vec![0; self.len()];
                let carried = sticker.iter().all(|(&cell, &from)| {
                    let to = sticker.get(&symmetry.cells[cell]);
                    to.is_some_and(|&to| {
                        image[from as usize] = to;
                        true
                    })
                });
                if carried && !images.contains(&image) {
                    images.push(image);
                }
            }
        }
        images.into_iter().filter_map(|image| self.symmetry(image)).collect()
    }

    /// Makes a symmetry of a permutation of stickers. `None` unless it carries places onto places and moves onto moves.
    pub fn symmetry(&self, image: Vec<Sticker>) -> Option<StickerSymmetry> {
        let place_of = |sticker: Sticker| self.home[sticker as usize].0;
        let onto_places = self.places.iter().all(|place| {
            let to = place_of(image[place[0] as usize]);
            self.places[to].len() == place.len() && place.iter().all(|&at| place_of(image[at as usize]) == to)
        });
        let moves = self.moves.iter().map(|given| {
            let mut carried = vec![0; image.len()];
            for (from, &to) in given.image.iter().enumerate() {
                carried[image[from] as usize] = image[to as usize];
            }
            self.moves.iter().position(|other| other.image == carried)
        });
        let moves = moves.collect::<Option<Vec<_>>>()?;
        onto_places.then_some(StickerSymmetry { image, moves })
    }
}

impl StickerReader {
    /// Makes a reader that reads places by the symbols in their cells. `turns` gives, for a place, the symbols of the
    /// piece that the goal has there: one list for each way to turn the piece, in the order of the stickers that then
    /// come first. `None` if two pieces or two turns look alike.
    fn new(places: &[Vec<usize>], goal: &[Symbol], turns: impl Fn(&[usize]) -> Vec<Vec<Symbol>>) -> Option<Self> {
        let (mut known, mut sticker) = (HashMap::new(), 0);
        for place in places {
            let turns = turns(place);
            if turns.is_empty() {
                return None;
            }
            for symbols in turns {
                if known.insert(symbols, sticker as Sticker).is_some() {
                    return None;
                }
                sticker += 1;
            }
        }
        let moved: HashSet<usize> = places.iter().flatten().copied().collect();
        let still = goal.iter().copied().enumerate().filter(|(cell, _)| !moved.contains(cell)).collect();
        Some(Self { cells: places.to_vec(), known, still })
    }
}

/// The places within an orbit of cells. If the symbols of the goal show which piece is where and how it is turned, a
/// place is a group of cells that turns around. Otherwise each cell is a place, if no two cells hold the same symbol.
/// `None` if neither is so.
fn places_of(orbit: &[usize], images: &[Vec<usize>], goal: &[Symbol]) -> Option<Vec<Vec<usize>>> {
    let images: Vec<&[usize]> = images.iter().map(|image| &image[..]).collect();
    let images: Vec<Vec<usize>> = images_within(orbit, &images);
    let images: Vec<&[usize]> = images.iter().map(|image| &image[..]).collect();
    let singles = orbit.iter().map(|&cell| vec![cell]).collect::<Vec<_>>();
    let told = |places: &Vec<Vec<usize>>| {
        let mut seen = HashSet::new();
        places.iter().all(|place| {
            (0..place.len()).all(|turn| {
                seen.insert((0..place.len()).map(|at| goal[place[(at + turn) % place.len()]]).collect::<Vec<_>>())
            })
        })
    };
    let places = sticker_places(goal.len(), &images, MOST_PLACES);
    places.filter(told).or_else(|| Some(singles).filter(told))
}
