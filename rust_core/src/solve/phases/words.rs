//! Answers for any group of permutations of cells, however large, made of short words along a chain of stabilisers.
//!
//! Cells are filled one after the other. For each cell, a list has a *word* for each cell from which its symbol may
//! come: moves that bring the symbol home, and leave all earlier cells alone. T. Minkwitz, "An algorithm for solving
//! the factorization problem in permutation groups" (1998), fills such lists by *sifting* short words: cell by cell, a
//! word is divided by the word that the cell's list has, until the rest fills a gap of a list. Here, words that
//! displace few cells are entered first. A commutator of the form `x y x' z x y' x' z'`, where `x'` undoes `x`, often
//! displaces only three pieces. The word `g' c g`, with such a commutator `c`, displaces the pieces in the cells to
//! which `g` carries the three cells. A breadth-first search finds the shortest `g`.
//!
//! Such an answer is long, but it is put together without a search, and other searches make it shorter.

use std::collections::{HashMap, HashSet, VecDeque};

use super::super::clock::Clock;
use crate::error::{Error, Result};
use crate::random::Random;
use crate::rules::Symbol;
use crate::sorting;
use crate::structure::permuting::{carried, identity, inverse, orbit_names, then};
use crate::structure::{Pieces, Structure};

/// A permutation of cells: the symbol of cell `i` goes to cell `p[i]`.
type PlacesAfter = Vec<u8>;

/// A sequence of moves, by their places in [`Words::moves`].
type MoveWord = Vec<u8>;

/// The most moves, and the most cells. The number of each must fit a byte.
const MOST: usize = 250;

/// An element is used for an orbit of cells only if it displaces at most this many of them.
const MOST_DISPLACED: usize = 16;

/// The number of elements that are used for an orbit of cells.
const ELEMENTS: usize = 6;

/// The most states of the breadth-first search for images of the cells that an element displaces.
const MOST_IMAGES: usize = 60_000;

/// The number of words that are sifted through the lists, and the most moves that a word in the lists may have.
const MOST_DIVIDED: usize = 20_000;
const MOST_LENGTH: usize = 600;

/// The most moves that may undo a move. If a move must be repeated more often, the words are too long to be of use, and
/// there is no solver.
const MOST_UNDOING: usize = 60;

/// An answer is looked for this many times, each time with other random choices. The shortest is taken.
const TRIES: usize = 400;

/// A word, and the permutation that it makes.
#[derive(Debug, Clone)]
struct Element {
    word: MoveWord,
    image: PlacesAfter,
}

/// Words for the moves of a puzzle.
#[derive(Debug)]
pub struct Words {
    moves: Vec<PlacesAfter>,
    /// For each move, its place in the rules.
    indexes: Vec<usize>,
    /// For each move, the moves that undo it.
    undone: Vec<MoveWord>,
    /// For each pair of moves: a move that does the same as one after the other, or the empty word if they undo each
    /// other. `None` for all other pairs.
    products: Vec<Vec<Option<MoveWord>>>,
    /// The cells in the order in which they are brought home.
    order: Vec<usize>,
    /// `lists[at][cell]` brings the symbol of the cell `cell` to the cell `order[at]`, and leaves all earlier cells of
    /// the order alone. `None` if no such word is known.
    lists: Vec<Vec<Option<Element>>>,
    /// For each piece, the circle of its cells, in the order in which it turns. A cell of no piece is a circle of its
    /// own.
    circles: Vec<Vec<usize>>,
    goal: Vec<Symbol>,
}

impl Words {
    /// Fills the lists of words. `None` unless all moves permute cells in every state, and the goal is one state.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`] if the watch stops it.
    pub fn new(structure: &Structure, clock: &mut Clock) -> Result<Option<Self>> {
        let Some(mut words) = Self::without_lists(structure) else { return Ok(None) };
        if words.fill(clock) { Ok(Some(words)) } else { Err(Error::Stopped) }
    }

    fn without_lists(structure: &Structure) -> Option<Self> {
        let rules = structure.rules();
        let [goal] = &rules.goal[..] else { return None };
        let goal = goal.single_state(rules.cells(), rules.symbols.len())?;
        let (permutations, cells) = (structure.permutations()?, rules.cells());
        if cells > MOST || permutations.iter().any(|given| given.needs.is_some()) || !rules.ends.is_empty() {
            return None;
        }
        let (mut moves, mut indexes, mut seen) = (Vec::new(), Vec::new(), HashSet::from([identity(cells)]));
        for (index, given) in permutations.iter().enumerate() {
            let image: PlacesAfter = given.image.iter().map(|&to| to as u8).collect();
            if moves.len() < MOST && seen.insert(image.clone()) {
                moves.push(image);
                indexes.push(index);
            }
        }
        let undone = moves.iter().enumerate().map(|(at, image)| undoing(&moves, at, image)).collect::<Option<_>>()?;
        let circles = circles_of(structure.pieces(), cells);
        let products = products_of(&moves);
        let (order, lists) = (Vec::new(), Vec::new());
        Some(Self { moves, indexes, undone, products, order, lists, circles, goal })
    }

    /// Moves that lead from a state to the goal, by their places in the rules. `None` if none were found.
    pub fn solve(&self, state: &[Symbol], clock: &mut Clock) -> Option<Vec<usize>> {
        let mut names = HashMap::new();
        let goal = labels(&self.goal, &self.circles, &mut names);
        let state = labels(state, &self.circles, &mut names);
        let mut best: Option<MoveWord> = None;
        let mut random = Random::new("words");
        for number in 0..TRIES {
            if clock.spends(self.order.len() as u64) {
                break;
            }
            // The first try begins at the state itself, and the others after up to three random moves.
            let begin: MoveWord = (0..number.min(3)).map(|_| random.below(self.moves.len() as u64) as u8).collect();
            let found = self.bring_home(&state, &goal, begin, &mut random);
            let Some(found) = found.map(|word| self.simplified(&word)) else { continue };
            if best.as_ref().is_none_or(|best| found.len() < best.len()) {
                best = Some(found);
            }
        }
        best.map(|word| word.iter().map(|&given| self.indexes[given as usize]).collect())
    }

    /// After the moves `begin`, brings one symbol home after the other. If several cells hold a symbol that fits,
    /// mostly the symbol with the shortest word is taken, and at times a random one. `None` if the lists lack a word.
    fn bring_home(&self, state: &[usize], goal: &[usize], begin: MoveWord, random: &mut Random) -> Option<MoveWord> {
        let mut held = state.to_vec();
        let mut word = begin;
        for &given in &word {
            held = carried(&held, &self.moves[given as usize]);
        }
        for (&home, list) in self.order.iter().zip(&self.lists) {
            if held[home] == goal[home] && random.below(8) > 0 {
                continue;
            }
            let serves = (0..held.len()).filter(|&cell| held[cell] == goal[home]);
            let length = |cell: usize| if cell == home { Some(0) } else { Some(list[cell].as_ref()?.word.len()) };
            let serves: Vec<(usize, usize)> = serves.filter_map(|cell| Some((length(cell)?, cell))).collect();
            let chosen = if random.below(4) == 0 {
                serves.get(random.below(serves.len().max(1) as u64) as usize)
            } else {
                serves.iter().min()
            };
            let &(_, cell) = chosen?;
            if let Some(element) = list[cell].as_ref().filter(|_| cell != home) {
                held = carried(&held, &element.image);
                word.extend(&element.word);
            }
        }
        (held == goal).then_some(word)
    }

    /// Chooses the order in which cells are filled, and finds the words (short sequences of moves) for the list of each
    /// cell. Returns `false` if the watch stops it.
    fn fill(&mut self, clock: &mut Clock) -> bool {
        let cells = self.goal.len();
        let Some(elements) = self.commutators(clock) else { return false };
        let orbits = self.orbits();
        // The last orbit is chosen first. Each time, the orbit is chosen in which some element displaces the fewest
        // cells. The element may also displace cells of later orbits, which are filled afterwards.
        let (mut later, mut left, mut chosen) = (vec![false; cells], orbits, Vec::new());
        while !left.is_empty() {
            let rank = |orbit: &Vec<usize>| {
                let mut own: Vec<(usize, usize, usize)> = Vec::new();
                for (at, element) in elements.iter().enumerate() {
                    let moved = |cell: usize| usize::from(element.image[cell]) != cell;
                    let here = orbit.iter().filter(|&&cell| moved(cell)).count();
                    let other = (0..cells).filter(|&cell| moved(cell) && !later[cell]).count() - here;
                    if here > 0 && other == 0 && here <= MOST_DISPLACED {
                        own.push((here, element.word.len(), at));
                    }
                }
                sorting::sort(&mut own);
                own
            };
            let ranked: Vec<Vec<(usize, usize, usize)>> = left.iter().map(rank).collect();
            let next = (0..left.len()).min_by_key(|&at| {
                (ranked[at].first().map_or((MOST + 1, 0, 0), |&(here, length, _)| (here, length, 0)), left[at].len())
            });
            let at = next.unwrap_or(0);
            let orbit = left.remove(at);
            for &cell in &orbit {
                later[cell] = true;
            }
            let own: Vec<usize> = ranked[at].iter().take(ELEMENTS).map(|&(.., at)| at).collect();
            chosen.insert(0, (orbit, own));
        }
        self.order = chosen.iter().flat_map(|(orbit, _)| self.by_circles(orbit)).collect();
        self.lists = vec![vec![None; cells]; self.order.len()];
        let mut level = vec![usize::MAX; cells];
        self.order.iter().enumerate().for_each(|(at, &cell)| level[cell] = at);
        for (orbit, own) in &chosen {
            for &at in own {
                let both = [elements[at].clone(), self.inverse(&elements[at])];
                for element in both.into_iter().filter(|element| element.word.len() <= MOST_LENGTH) {
                    if !self.conjugates(&element, orbit, &level, clock) {
                        return false;
                    }
                }
            }
        }
        self.divide(clock)
    }

    /// The cells of an orbit, ordered so that the cells of a circle follow one another.
    fn by_circles(&self, orbit: &[usize]) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        for &cell in orbit {
            if !found.contains(&cell) {
                let circle = self.circles.iter().find(|circle| circle.contains(&cell));
                found.extend(circle.map_or(vec![cell], Clone::clone));
            }
        }
        found
    }

    /// Words that displace few cells: commutators `a b a' b'`, where `b` is a move, and `a` a move or of the form
    /// `x y x'`; and their powers. `None` if the watch stops the search.
    fn commutators(&self, clock: &mut Clock) -> Option<Vec<Element>> {
        let count = self.moves.len();
        let mut best: HashMap<PlacesAfter, MoveWord> = HashMap::new();
        let mut firsts: Vec<MoveWord> = (0..count).map(|given| vec![given as u8]).collect();
        for outer in 0..count {
            for inner in (0..count).filter(|&inner| inner != outer) {
                firsts.push([&[outer as u8, inner as u8][..], &self.undone[outer]].concat());
            }
        }
        for first in &firsts {
            let image = self.image_of(first);
            let back = (self.undoing_word(first), inverse(&image));
            for other in 0..count {
                if clock.spends((1 + first.len() + self.undone[other].len()) as u64) {
                    return None;
                }
                let one = then(&then(&then(&image, &self.moves[other]), &back.1), &self.image_of(&self.undone[other]));
                let moved =
                    |image: &PlacesAfter| image.iter().enumerate().filter(|&(from, &to)| from != to as usize).count();
                let mut power = one.clone();
                for times in 1..4 {
                    let few = moved(&power);
                    if few == 0 {
                        break;
                    }
                    if few <= 3 * MOST_DISPLACED {
                        let single = [&first[..], &[other as u8], &back.0, &self.undone[other]].concat();
                        let word = single.repeat(times);
                        if best.get(&power).is_none_or(|known| word.len() < known.len()) {
                            best.insert(power.clone(), word);
                        }
                    }
                    power = then(&power, &one);
                }
            }
        }
        let mut found: Vec<Element> = best.into_iter().map(|(image, word)| Element { word, image }).collect();
        sorting::sort_by(&mut found, |one, other| (one.word.len(), &one.word).cmp(&(other.word.len(), &other.word)));
        Some(found)
    }

    /// Enters an element `e` of an orbit into the lists, and the conjugates `g' e g` that are shorter than the words
    /// there. Returns `false` if the watch stops it.
    fn conjugates(&mut self, element: &Element, orbit: &[usize], level: &[usize], clock: &mut Clock) -> bool {
        let moved: Vec<u8> =
            orbit.iter().filter(|&&cell| usize::from(element.image[cell]) != cell).map(|&cell| cell as u8).collect();
        let mut known = HashSet::from([moved.clone()]);
        // A breadth-first search for `g`: each of its states is a sequence of moves, which may be `g`. For each: the
        // cells to which the sequence takes the displaced cells, the number of the state before it, and the last move.
        let mut states: Vec<(Vec<u8>, usize, u8)> = vec![(moved.clone(), 0, 0)];
        let mut queue = VecDeque::from([0]);
        while let Some(at) = queue.pop_front() {
            if clock.stops() {
                return false;
            }
            let images = states[at].0.clone();
            let first = (0..images.len()).min_by_key(|&which| level[images[which] as usize]);
            let Some(first) = first else { return true };
            // The place in `moved` of the cell whose symbol the element carries to the cell `moved[first]`. Of the
            // images of the displaced cells, that of `moved[first]` is filled first.
            let source = moved.iter().position(|&cell| element.image[cell as usize] == moved[first]);
            if let Some(source) = source {
                let (home, from) = (level[images[first] as usize], images[source] as usize);
                let mut length = element.word.len();
                let mut setup: MoveWord = Vec::new();
                let mut back = at;
                while back > 0 {
                    setup.push(states[back].2);
                    back = states[back].1;
                }
                setup.reverse();
                length += 2 * setup.len();
                if self.lists[home][from].as_ref().is_none_or(|old| length < old.word.len()) {
                    let word = [self.undoing_word(&setup), element.word.clone(), setup].concat();
                    let word = self.simplified(&word);
                    self.lists[home][from] = Some(Element { image: self.image_of(&word), word });
                }
            }
            if states.len() >= MOST_IMAGES {
                continue;
            }
            for (given, image) in self.moves.iter().enumerate() {
                let after: Vec<u8> = images.iter().map(|&cell| image[cell as usize]).collect();
                if known.insert(after.clone()) {
                    queue.push_back(states.len());
                    states.push((after, at, given as u8));
                }
            }
        }
        true
    }

    /// Fills gaps in the lists: sifts each move, short random words, and products of two words of the lists. Returns
    /// `false` if the watch stops it.
    fn divide(&mut self, clock: &mut Clock) -> bool {
        let mut random = Random::new("divide");
        let count = self.moves.len();
        for number in 0..MOST_DIVIDED {
            if clock.spends(self.order.len() as u64) {
                return false;
            }
            let word: MoveWord = if number < count {
                vec![number as u8]
            } else if number.is_multiple_of(2) {
                (0..2 + number % 5).map(|_| random.below(count as u64) as u8).collect()
            } else {
                // A product of two words for cells late in the order often displaces only cells late in the order.
                let late = |random: &mut Random| {
                    let at = self.lists.len() - 1 - random.below(self.lists.len().min(24) as u64) as usize;
                    let list: Vec<&Element> = self.lists[at].iter().flatten().collect();
                    let chosen = (!list.is_empty()).then(|| random.below(list.len() as u64) as usize);
                    chosen.map(|chosen| list[chosen].word.clone())
                };
                let (Some(one), Some(other)) = (late(&mut random), late(&mut random)) else { continue };
                [one, other].concat()
            };
            self.divide_word(&word);
        }
        true
    }

    /// Sifts a word through the lists, one cell after the other. Say that the word brings a symbol from `from` to the
    /// cell. If the list of the cell has no word for `from`, the word is put there, and sifting ends. Otherwise the
    /// shorter of the two words stays in the list. Sifting goes on with the moves that undo that word, followed by the
    /// other word, which together leave the cell alone.
    fn divide_word(&mut self, word: &MoveWord) {
        let mut element = Element { image: self.image_of(word), word: word.clone() };
        for at in 0..self.order.len() {
            let home = self.order[at];
            let from = inverse(&element.image)[home] as usize;
            if from == home {
                continue;
            }
            match self.lists[at][from].take() {
                None => {
                    let (back, to) = (self.inverse(&element), element.image[home] as usize);
                    self.lists[at][from] = Some(element);
                    let known = self.lists[at][to].as_ref().map_or(MOST_LENGTH + 1, |old| old.word.len());
                    if back.word.len() < known {
                        self.lists[at][to] = Some(back);
                    }
                    return;
                }
                Some(old) => {
                    let shorter = element.word.len() < old.word.len();
                    let (kept, other) = if shorter { (element, old) } else { (old, element) };
                    let back = self.inverse(&kept);
                    let word = self.simplified(&[back.word, other.word].concat());
                    let image = then(&back.image, &other.image);
                    self.lists[at][from] = Some(kept);
                    if word.len() > MOST_LENGTH {
                        return;
                    }
                    element = Element { word, image };
                }
            }
        }
    }

    fn inverse(&self, element: &Element) -> Element {
        Element { word: self.undoing_word(&element.word), image: inverse(&element.image) }
    }

    fn undoing_word(&self, word: &[u8]) -> MoveWord {
        word.iter().rev().flat_map(|&given| self.undone[given as usize].clone()).collect()
    }

    fn image_of(&self, word: &[u8]) -> PlacesAfter {
        word.iter().fold(identity(self.goal.len()), |image, &given| then(&image, &self.moves[given as usize]))
    }

    /// The orbits of the cells that moves displace, each with its cells.
    fn orbits(&self) -> Vec<Vec<usize>> {
        let names = orbit_names(self.goal.len(), &self.moves.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let cells = |first: usize| (0..names.len()).filter(|&cell| names[cell] == first).collect::<Vec<_>>();
        (0..names.len()).map(cells).filter(|orbit| orbit.len() > 1).collect()
    }

    /// A word that does the same with fewer moves: neighbours that undo each other, or that one move can replace, are
    /// joined.
    fn simplified(&self, word: &[u8]) -> MoveWord {
        let mut made: MoveWord = Vec::new();
        for &given in word {
            let mut pending = Some(given);
            while let (Some(next), Some(&last)) = (pending, made.last()) {
                let Some(product) = &self.products[last as usize][next as usize] else { break };
                made.pop();
                pending = product.first().copied();
            }
            made.extend(pending);
        }
        made
    }
}

/// For each pair of moves: a word of one move that does the same as the first and then the second, or the empty word if
/// they undo each other. `None` for all other pairs.
fn products_of(moves: &[PlacesAfter]) -> Vec<Vec<Option<MoveWord>>> {
    let mut known: HashMap<PlacesAfter, MoveWord> =
        HashMap::from([(identity(moves.first().map_or(0, Vec::len)), Vec::new())]);
    known.extend(moves.iter().enumerate().map(|(at, image)| (image.clone(), vec![at as u8])));
    let row = |one: &PlacesAfter| moves.iter().map(|other| known.get(&then(one, other)).cloned()).collect();
    moves.iter().map(row).collect()
}

/// The moves that undo the move `at`: one move, or the move itself, repeated. `None` if it would be repeated too often.
fn undoing(moves: &[PlacesAfter], at: usize, image: &PlacesAfter) -> Option<MoveWord> {
    let back = inverse(image);
    if let Some(single) = moves.iter().position(|other| *other == back) {
        return Some(vec![single as u8]);
    }
    let (mut power, mut word) = (image.clone(), vec![at as u8]);
    while power != back && word.len() < MOST_UNDOING {
        power = then(&power, image);
        word.push(at as u8);
    }
    (power == back).then_some(word)
}

/// Computes [`Words::circles`]. Only places with as many cells as their piece has twists count as circles.
fn circles_of(pieces: Option<&Pieces>, cells: usize) -> Vec<Vec<usize>> {
    let mut circles: Vec<Vec<usize>> = pieces.map_or(Vec::new(), |pieces| {
        let whole = pieces.places.iter().zip(&pieces.symbols);
        whole.filter(|(place, turns)| place.len() == turns.len()).map(|(place, _)| place.clone()).collect()
    });
    let in_circles: HashSet<usize> = circles.iter().flatten().copied().collect();
    circles.extend((0..cells).filter(|cell| !in_circles.contains(cell)).map(|cell| vec![cell]));
    circles
}

/// For each cell, a number that stands for the symbols around its circle, beginning with its own symbol. So the number
/// shows which piece is there, and how it is turned.
fn labels(state: &[Symbol], circles: &[Vec<usize>], names: &mut HashMap<Vec<Symbol>, usize>) -> Vec<usize> {
    let mut found = vec![0; state.len()];
    for circle in circles {
        for begin in 0..circle.len() {
            let seen = (0..circle.len()).map(|by| state[circle[(begin + by) % circle.len()]]).collect();
            let count = names.len();
            found[circle[begin]] = *names.entry(seen).or_insert(count);
        }
    }
    found
}
