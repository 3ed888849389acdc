//! Puzzles of dials as linear algebra modulo a prime: which states are reachable, and with how few presses (moves).
//! Lamps are dials of two places.
//!
//! `docs/solving.md`, "How an answer is found", explains to users what it is for.

use super::span::{Vector, VectorSpan, add_times, inverse, is_prime, product};
use crate::random::Random;
use crate::rules::{Rules, Source, Symbol};

/// The search for the fewest presses tries at most this many combinations of presses outside the basis.
const MOST_TRIED: usize = 1 << 20;

/// The most cells of a puzzle of dials with more than two places. The time grows with the third power of the number of
/// cells. Vectors of lamps are added many entries at a time.
const MOST_CELLS: usize = 1024;

/// The presses (moves) of a puzzle in which every move turns some cells by constants, whatever they hold.
///
/// A cell is a *dial*: its symbols are in a circle, and a press turns it by a constant number of places. All dials that
/// turn have the same number of places, which is prime: the modulus. The order of presses does not matter. So a state
/// is the start plus a sum of presses, modulo the prime. The presses that are not sums of earlier presses form a basis.
/// A state's *number* lists how often each press of the basis is made.
///
/// Dials of two places are called *lamps* here, whatever their symbols are.
///
/// For example, take four dials in a row with the symbols 0, 1 and 2, and presses that turn the dials 0 1, 1 2, 2 3 and
/// all four by one. The last press is the first plus the third. So the basis has the first three, and the number of the
/// last press is 1 0 1. From 0000, pressing the first twice and the last once leads to 0011, whose number is 0 0 1. So
/// one press of the third would have been enough.
///
/// Presses whose vectors are multiples of each other, such as a press and its inverse, form one *line*. For each
/// multiple, a table has the fewest presses of the line that make it.
#[derive(Debug, Clone)]
pub struct Dials {
    modulus: u8,
    /// For each cell, the circle of its symbols as it turns, beginning with the symbol of the start. A cell that never
    /// turns has only that symbol, and so has one whose symbol of the start every map leaves as it is.
    circles: Vec<Vec<Symbol>>,
    /// For each cell, `true` if no move writes it.
    still: Vec<bool>,
    /// `true` if each press undoes itself in every state, also where cells hold symbols that they never hold in play.
    are_toggles: bool,
    /// For each move, the number of places by which it turns the circle of each cell.
    moves: Vec<Vector>,
    /// Lines (sets of presses that are multiples of each other) whose vectors are independent, and span all others.
    basis: Vec<PressLine>,
    others: Vec<(PressLine, Vector)>,
    span: VectorSpan,
}

/// Presses whose vectors are multiples of one vector.
#[derive(Debug, Clone)]
struct PressLine {
    /// The place in the rules of the move that has this vector.
    place: usize,
    /// For each multiple of the vector, the fewest presses of the line that make it: their places in the rules.
    presses: Vec<Vec<usize>>,
}

impl Dials {
    /// The presses of the rules; `None` if a move does anything but turn cells in circles of one prime length, or if
    /// play can end.
    pub(super) fn of_moves(rules: &Rules) -> Option<Self> {
        if rules.player_count() > 1 || !rules.ends.is_empty() {
            return None;
        }
        let turns = rules.moves.iter().flat_map(|given| &given.then).map(|(cell, source)| match source {
            Source::Copy(from, Some(map)) if from == cell => Some((*cell, map)),
            _ => None,
        });
        let turns = turns.collect::<Option<Vec<_>>>()?;
        if rules.moves.iter().any(|given| !given.is_free()) {
            return None;
        }
        let mut circles: Vec<Vec<Symbol>> = rules.start.iter().map(|&symbol| vec![symbol]).collect();
        for &(cell, map) in &turns {
            if circles[cell].len() == 1 {
                circles[cell] = circle(rules.start[cell], map)?;
            }
        }
        // Cells of two symbols are lamps even if no move flips any.
        let modulus = match circles.iter().map(Vec::len).max()? {
            1 if rules.symbols.len() == 2 => 2,
            places if is_prime(places) => places,
            _ => return None,
        };
        let is_other = |circle: &Vec<Symbol>| circle.len() != 1 && circle.len() != modulus;
        if circles.iter().any(is_other) || (modulus > 2 && rules.cells() > MOST_CELLS) {
            return None;
        }
        let moves = rules.moves.iter().map(|given| {
            let mut vector = vec![0; rules.cells()];
            for (cell, source) in &given.then {
                let Source::Copy(_, Some(map)) = source else { return None };
                vector[*cell] = turned(&circles[*cell], map)?;
            }
            Some(vector)
        });
        let moves = moves.collect::<Option<_>>()?;
        let mut still = vec![true; rules.cells()];
        for &(cell, _) in &turns {
            still[cell] = false;
        }
        let undoes_itself =
            |map: &[Symbol]| map.iter().enumerate().all(|(from, &to)| map[to as usize] as usize == from);
        let are_toggles = turns.iter().all(|(_, map)| undoes_itself(map));
        Some(Self { still, are_toggles, ..Self::new(modulus as u8, circles, moves) })
    }

    fn new(modulus: u8, circles: Vec<Vec<Symbol>>, moves: Vec<Vector>) -> Self {
        let mut dials = Self {
            modulus,
            still: vec![false; circles.len()],
            are_toggles: modulus == 2,
            circles,
            moves,
            basis: Vec::new(),
            others: Vec::new(),
            span: VectorSpan::new(modulus),
        };
        for (place, factors) in dials.lines() {
            let line = PressLine::new(place, &factors, modulus);
            let vector = &dials.moves[place];
            if dials.span.add(vector) {
                dials.basis.push(line);
            } else {
                let number = dials.span.number(vector).expect("it is a sum of the basis");
                dials.others.push((line, number));
            }
        }
        // The basis grew while these numbers were made. Shorter numbers are filled up with zeros to the length of the
        // basis.
        let rank = dials.basis.len();
        dials.others.iter_mut().for_each(|(_, number)| number.resize(rank, 0));
        dials
    }

    /// Groups the moves into lines. Each line has the place of its first move, and for each of its moves the place and
    /// the factor by which its vector is a multiple of the first move's.
    fn lines(&self) -> Vec<(usize, Vec<(usize, u8)>)> {
        let mut known = std::collections::HashMap::<Vector, usize>::new();
        let mut lines: Vec<(usize, Vec<(usize, u8)>)> = Vec::new();
        for (place, vector) in self.moves.iter().enumerate() {
            let Some(&first) = vector.iter().find(|&&entry| entry != 0) else { continue };
            let scale = inverse(first, self.modulus);
            let direction: Vector = vector.iter().map(|&entry| product(entry, scale, self.modulus)).collect();
            let line = *known.entry(direction).or_insert_with(|| {
                lines.push((place, Vec::new()));
                lines.len() - 1
            });
            let begin = self.moves[lines[line].0].iter().find(|&&entry| entry != 0);
            let begin = inverse(*begin.expect("a line has no zero vector"), self.modulus);
            lines[line].1.push((place, product(first, begin, self.modulus)));
        }
        lines
    }

    /// The number of places of each dial: a prime.
    pub fn modulus(&self) -> u8 {
        self.modulus
    }

    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.circles.len()
    }

    /// The number of independent presses. The modulus to the power of this number is the number of reachable states.
    pub fn rank(&self) -> usize {
        self.span.rank()
    }

    /// The number of reachable states; the largest number of 64 bits if there are more.
    pub fn states(&self) -> u64 {
        u64::from(self.modulus).saturating_pow(self.rank() as u32)
    }

    /// The number of independent combinations of presses that change nothing. If dials have more than two places,
    /// presses whose vectors are multiples of each other count as one press.
    pub fn nullity(&self) -> usize {
        if self.are_lamps() { self.moves.len() - self.rank() } else { self.others.len() }
    }

    /// Returns `true` if the dials are lamps: they have two places.
    pub fn are_lamps(&self) -> bool {
        self.modulus == 2
    }

    /// Returns `true` if each press undoes itself in every state.
    pub fn are_toggles(&self) -> bool {
        self.are_toggles
    }

    /// For each move, the number of places by which it turns each cell.
    pub fn moves(&self) -> &[Vector] {
        &self.moves
    }

    /// For each press of the basis, the place of its move in the rules.
    pub fn basis(&self) -> impl Iterator<Item = usize> {
        self.basis.iter().map(|line| line.place)
    }

    /// For each cell of a state, the number of places by which it is turned from the start. `None` if some cell holds a
    /// symbol that it never holds in play.
    pub fn vector(&self, state: &[Symbol]) -> Option<Vector> {
        let place = |(circle, &symbol): (&Vec<Symbol>, &Symbol)| place_of(circle, symbol).map(|place| place as u8);
        (state.len() == self.circles.len()).then(|| self.circles.iter().zip(state).map(place).collect())?
    }

    /// Does the same as [`Self::vector`] for a state in which cells that no move writes may hold anything.
    pub fn vector_of_written(&self, state: &[Symbol]) -> Option<Vector> {
        let cells = self.circles.iter().zip(&self.still).zip(state);
        let known = cells.map(|((circle, &still), &symbol)| if still { circle[0] } else { symbol });
        self.vector(&known.collect::<Vec<_>>())
    }

    /// Returns `true` if a cell that no move writes holds different symbols in two states.
    pub fn part_for_ever(&self, one: &[Symbol], other: &[Symbol]) -> bool {
        self.still.iter().zip(one.iter().zip(other)).any(|(still, (one, other))| *still && one != other)
    }

    /// The state whose cells are turned from the start by the given numbers of places.
    pub fn state(&self, vector: &[u8]) -> Vec<Symbol> {
        self.circles.iter().zip(vector).map(|(circle, &place)| circle[place as usize]).collect()
    }

    /// A random state. All states that presses can reach from the start are equally likely.
    pub fn random_state(&self, random: &mut Random) -> Vec<Symbol> {
        let mut vector = vec![0; self.cells()];
        for turned in self.span.basis() {
            add_times(&mut vector, turned, random.below(self.modulus.into()) as u8, self.modulus);
        }
        self.state(&vector)
    }

    /// The fewest presses found that lead from one state to another, in order of their places in the rules; and `true`
    /// if it is proven that no fewer presses do. `None` if no presses lead there. Both states must have a vector.
    ///
    /// A proof is missing only if there are more than a million combinations of the presses outside the basis. A single
    /// press, or none, is always proven.
    pub fn presses_between(&self, from: &[u8], to: &[u8]) -> Option<(Vec<usize>, bool)> {
        let mut wanted = to.to_vec();
        add_times(&mut wanted, from, self.modulus - 1, self.modulus);
        let number = self.span.number(&wanted)?;
        let modulus = usize::from(self.modulus);
        let few = (0..self.others.len()).take_while(|&some| modulus.pow(some as u32 + 1) <= MOST_TRIED).count();
        let tried = &self.others[..few];
        let (number, factors) = if self.are_lamps() {
            // Packed into bits, numbers of lamps are added 64 entries at a time.
            let others: Vec<Vec<u64>> = tried.iter().map(|(_, number)| packed(number)).collect();
            let add = |number: &mut Vec<u64>, other: &Vec<u64>| {
                number.iter_mut().zip(other).for_each(|(bits, other)| *bits ^= other);
            };
            let least = fewest(packed(&number), &others, modulus, add, |number, factors| {
                let pressed: u32 = number.iter().map(|bits| bits.count_ones()).sum();
                pressed as usize + factors.iter().map(|&factor| usize::from(factor)).sum::<usize>()
            });
            ((0..number.len()).map(|bit| (least.number[bit / 64] >> (bit % 64) & 1) as u8).collect(), least.factors)
        } else {
            let others: Vec<Vector> = tried.iter().map(|(_, number)| number.clone()).collect();
            let subtract = |number: &mut Vector, other: &Vector| {
                add_times(number, other, self.modulus - 1, self.modulus);
            };
            let least = fewest(number, &others, modulus, subtract, |number, factors| {
                let lines = self.basis.iter().chain(tried.iter().map(|(line, _)| line));
                lines.zip(number.iter().chain(factors)).map(|(line, &factor)| line.cost(factor)).sum()
            });
            (least.number, least.factors)
        };
        let lines = self.basis.iter().chain(tried.iter().map(|(line, _)| line)).zip(number.iter().chain(&factors));
        let mut presses: Vec<usize> =
            lines.flat_map(|(line, &factor)| line.presses[factor as usize].iter().copied()).collect();
        presses.sort_unstable();
        let proven = few == self.others.len() || presses.len() <= 1;
        Some((presses, proven))
    }
}

impl PressLine {
    /// The line of moves that are given as pairs of a place and a factor.
    fn new(place: usize, moves: &[(usize, u8)], modulus: u8) -> Self {
        let mut presses: Vec<Option<Vec<usize>>> = vec![None; usize::from(modulus)];
        presses[0] = Some(Vec::new());
        // Breadth-first search: the first path to a multiple of the vector has the fewest presses.
        let (mut found, mut at) = (vec![0u8], 0);
        while let Some(&from) = found.get(at) {
            for &(place, factor) in moves {
                let to = super::span::sum(from, factor, modulus);
                if presses[to as usize].is_none() {
                    let way = presses[from as usize].iter().flatten().copied().chain([place]).collect();
                    presses[to as usize] = Some(way);
                    found.push(to);
                }
            }
            at += 1;
        }
        // The modulus is prime, so the multiples of any factor but 0 are all numbers below it. So every multiple was
        // found.
        Self { place, presses: presses.into_iter().map(Option::unwrap_or_default).collect() }
    }

    fn cost(&self, factor: u8) -> usize {
        self.presses[factor as usize].len()
    }
}

/// A combination of presses.
#[derive(Clone)]
struct Combination<N> {
    /// How often each press of the basis is made.
    number: N,
    /// How often each press outside the basis is made.
    factors: Vec<u8>,
}

/// The combination of least cost that leads to the wanted state. Each combination of the presses outside the basis is
/// tried, and for each, only one number leads there. `number` is that of the wanted state, and `others` are those of
/// the presses outside the basis. `subtract` takes the second number from the first.
fn fewest<N: Clone>(
    number: N,
    others: &[N],
    modulus: usize,
    subtract: impl Fn(&mut N, &N),
    cost: impl Fn(&N, &[u8]) -> usize,
) -> Combination<N> {
    let mut tried = Combination { number, factors: vec![0; others.len()] };
    let mut least = cost(&tried.number, &tried.factors);
    let mut best = tried.clone();
    // In Gray code order, each combination differs from the one before by one press: that of the digit which a counter
    // to the base `modulus` increases in this step, after its carries.
    let mut counter = vec![0; others.len()];
    loop {
        let Some(at) = counter.iter().position(|&digit| digit + 1 < modulus) else { return best };
        counter[..at].fill(0);
        counter[at] += 1;
        subtract(&mut tried.number, &others[at]);
        tried.factors[at] = ((usize::from(tried.factors[at]) + 1) % modulus) as u8;
        let cost = cost(&tried.number, &tried.factors);
        if cost < least {
            (least, best) = (cost, tried.clone());
        }
    }
}

/// The entries 0 and 1 of a vector as bits.
fn packed(vector: &[u8]) -> Vec<u64> {
    vector.chunks(64).map(|entries| entries.iter().rev().fold(0, |bits, &entry| bits << 1 | u64::from(entry))).collect()
}

/// The circle of symbols that a map makes of a symbol: it is applied until the first symbol comes back. `None` if that
/// symbol never comes back.
fn circle(start: Symbol, map: &[Symbol]) -> Option<Vec<Symbol>> {
    let mut circle = vec![start];
    loop {
        let next = map[circle[circle.len() - 1] as usize];
        if next == start {
            return Some(circle);
        }
        if circle.contains(&next) {
            return None;
        }
        circle.push(next);
    }
}

/// The number of places by which a map turns every symbol of a circle; `None` if the map does not turn the circle.
fn turned(circle: &[Symbol], map: &[Symbol]) -> Option<u8> {
    let by = place_of(circle, map[circle[0] as usize])?;
    let turns = |at: usize| map[circle[at] as usize] == circle[(at + by) % circle.len()];
    (0..circle.len()).all(turns).then_some(by as u8)
}

fn place_of(circle: &[Symbol], symbol: Symbol) -> Option<usize> {
    circle.iter().position(|&other| other == symbol)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Compares the presses to every state with a search from the start.
        #[test]
        fn the_fewest_presses_are_those_of_a_search(
            modulus in prop::sample::select(vec![2u8, 3, 5]),
            moves in prop::collection::vec(prop::collection::vec(0..5u8, 3), 1..8),
        ) {
            let moves: Vec<Vector> =
                moves.into_iter().map(|turns| turns.iter().map(|turn| turn % modulus).collect()).collect();
            let dials = Dials::new(modulus, vec![(0..modulus).collect(); 3], moves.clone());
            let start = vec![0; 3];
            let (mut depths, mut frontier) = (HashMap::from([(start.clone(), 0)]), vec![start.clone()]);
            for depth in 1.. {
                let mut next = Vec::new();
                for state in &frontier {
                    for turns in &moves {
                        let mut after = state.clone();
                        add_times(&mut after, turns, 1, modulus);
                        if !depths.contains_key(&after) {
                            depths.insert(after.clone(), depth);
                            next.push(after);
                        }
                    }
                }
                if next.is_empty() {
                    break;
                }
                frontier = next;
            }
            prop_assert_eq!(usize::from(modulus).pow(dials.rank() as u32), depths.len());
            let all = (0..usize::from(modulus).pow(3)).map(|code| {
                (0..3).map(|at| (code / usize::from(modulus).pow(at) % usize::from(modulus)) as u8).collect::<Vector>()
            });
            for state in all {
                let found = dials.presses_between(&start, &state);
                prop_assert_eq!(found.as_ref().map(|(presses, proven)| (presses.len(), *proven)),
                    depths.get(&state).map(|&depth| (depth, true)));
                let mut made = start.clone();
                found.iter().flat_map(|(presses, _)| presses).for_each(|&press| {
                    add_times(&mut made, &moves[press], 1, modulus);
                });
                prop_assert!(found.as_ref().is_none_or(|(presses, _)| made == state && presses.is_sorted()));
            }
            if modulus == 2 {
                let changes_nothing = |chosen: &usize| {
                    let mut made = start.clone();
                    let pressed = moves.iter().enumerate().filter(|(press, _)| chosen >> press & 1 != 0);
                    pressed.for_each(|(_, turns)| add_times(&mut made, turns, 1, 2));
                    made == start
                };
                let still = (0..1usize << moves.len()).filter(changes_nothing).count();
                prop_assert_eq!(dials.nullity(), still.ilog2() as usize);
            }
        }
    }

    #[test]
    fn lamps_of_more_than_one_integer_are_pressed_as_few_times() {
        let cells = 70;
        let flips = |some: &[usize]| -> Vector { (0..cells).map(|cell| u8::from(some.contains(&cell))).collect() };
        let others = [flips(&(0..cells).collect::<Vec<_>>()), flips(&[0, 69, 64, 63]), flips(&[1, 68, 66, 65, 2])];
        let moves: Vec<Vector> = (0..cells).map(|cell| flips(&[cell])).chain(others.clone()).collect();
        let dials = Dials::new(2, vec![vec![0, 1]; cells], moves.clone());
        assert_eq!((dials.rank(), dials.nullity()), (cells, 3));
        let mut random = Random::new("lamps");
        for _ in 0..50 {
            let wanted: Vector = (0..cells).map(|_| random.below(2) as u8).collect();
            // Of the other presses, each combination is tried. The rest are single lamps.
            let left = |chosen: usize| {
                let mut rest = wanted.clone();
                let some = (0..3).filter(|other| chosen >> other & 1 != 0);
                some.for_each(|other| add_times(&mut rest, &others[other], 1, 2));
                rest.iter().map(|&lamp| usize::from(lamp)).sum::<usize>() + chosen.count_ones() as usize
            };
            let (presses, proven) = dials.presses_between(&vec![0; cells], &wanted).unwrap();
            assert_eq!((presses.len(), proven), ((0..8).map(left).min().unwrap(), true));
            let mut made = vec![0; cells];
            for press in presses {
                add_times(&mut made, &moves[press], 1, 2);
            }
            assert_eq!(made, wanted);
        }
    }
}
