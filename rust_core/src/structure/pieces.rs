//! Finds the pieces of a puzzle whose moves permute pieces and twist them. Pieces that never come to each other's
//! places are of different kinds.
//!
//! `docs/solving.md`, "How an answer is found", explains to users what it is for.

use super::action::Permutation;
use super::stickers::{followers, places_of_orbit};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::rules::{Rules, Source, Symbol};
use crate::sorting;
use crate::sorting::Gather;

/// If moves write more cells than this, no pieces are looked for.
const MOST_CELLS: usize = 128;

/// The same, if pieces are looked for only to count the states that their moves reach.
const MOST_COUNTED: usize = 1024;

/// The pieces of a puzzle, and the effect of each move on them.
///
/// If a place has one cell, each piece is a class of symbols: a symbol for each twist of the piece. A map in a move
/// advances the piece by some twists, around a circle.
///
/// For example, take two burnt pancakes. `A` and `a` are the first one with the good side and with the burnt side up,
/// `B` and `b` are the second one. Turning over the upper pancake is `0: Copy(0, map)`, and turning over both is
/// `0: Copy(1, map), 1: Copy(0, map)`. The map exchanges `A` with `a` and `B` with `b`. From `AB`, the second move
/// leads to `ba`.
///
/// A place may also have several cells, which show the stickers of the piece that is there. Moves then carry the cells
/// of a place to those of another place, and turn them around. So a twist is a rotation of the symbols. For example, a
/// corner of a cube has three stickers. If they are white, red and green in the order of the place's cells, they are
/// green, white and red after one twist.
///
/// Places that moves connect are of one kind: the corners of a cube are one kind, and its edges are another. All pieces
/// of a kind have the same number of twists. That number is one if nothing ever twists them. Two pieces of a kind may
/// look alike.
#[derive(Debug, Clone)]
pub struct Pieces {
    /// The cells of each place. Moves write these cells and no others.
    pub places: Vec<Vec<usize>>,
    /// For each place, the piece that is there at the start: for each of its twists, beginning with the twist at the
    /// start, the symbols in the cells of a place that holds it.
    pub symbols: Vec<Vec<Vec<Symbol>>>,
    /// The places of each kind.
    pub kinds: Vec<Vec<usize>>,
    /// The effect of each move of the rules.
    pub moves: Vec<PieceMove>,
}

/// The effect of a move on pieces.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PieceMove {
    /// For each place, the place that its piece comes from.
    pub source: Vec<usize>,
    /// For each place, the number of twists by which the piece that comes there is advanced.
    pub twists: Vec<usize>,
}

impl Pieces {
    /// The pieces of the rules; `None` if a move does anything but permute and twist pieces, or if play can end.
    pub(super) fn of_moves(rules: &Rules, moves: Option<Vec<Permutation>>) -> Option<Self> {
        Self::found(rules, moves, true, MOST_CELLS)
    }

    /// The pieces of the rules, as in [`Self::of_moves`]. A piece may look the same after a twist, and there may be as
    /// many cells as a group can be counted for.
    pub(super) fn with_twists_unseen(rules: &Rules, moves: Option<Vec<Permutation>>) -> Option<Self> {
        Self::found(rules, moves, false, MOST_COUNTED)
    }

    fn found(rules: &Rules, moves: Option<Vec<Permutation>>, seen: bool, most: usize) -> Option<Self> {
        if rules.player_count() > 1 || !rules.ends.is_empty() {
            return None;
        }
        match moves {
            Some(moves) => Self::of_stickers(rules, &moves, seen, most),
            None => Self::of_maps(rules, most),
        }
    }

    /// The reasons why the pieces of the rules and their twists cannot be numbered. `None` if the rules are of another
    /// shape: if a move does anything but permute cells and replace symbols while it carries them, if no move replaces
    /// a symbol, or if no symbol leaves its cell, as with dials.
    pub fn in_the_way(rules: &Rules) -> Option<Vec<String>> {
        let mut twists = false;
        let mut travels = false;
        for given in &rules.moves {
            let to: OrderedSet<usize> = given.then.iter().map(|&(to, _)| to).gather();
            let mut from: OrderedSet<usize> = OrderedSet::new();
            for (to, source) in &given.then {
                let Source::Copy(cell, map) = source else { return None };
                from.insert(*cell);
                travels |= cell != to;
                twists |= map.is_some();
            }
            if from != to {
                return None;
            }
        }
        if !twists || !travels {
            return None;
        }
        let mut found = Vec::new();
        if let Some(given) = rules.moves.iter().find(|given| !given.is_free()) {
            found.push(format!("the move \"{}\" has a guard", given.name));
        }
        let kinds = kinds_of(rules)?;
        let turns = |kind: &Vec<usize>| {
            let maps = maps_of(rules, kind)?;
            twists_of(&kind.iter().map(|&cell| rules.start[cell]).collect::<Vec<_>>(), &maps)
        };
        if kinds.iter().any(|kind| turns(kind).is_none()) {
            found
                .push("their maps do not turn all pieces of a kind around circles by the same number of twists".into());
        }
        Some(found)
    }

    /// Finds pieces whose stickers are cells that moves permute. With `seen`, each twist of a piece must be visible.
    /// `None` if there are none, if there are more than `most` cells, or if some move has a condition.
    fn of_stickers(rules: &Rules, moves: &[Permutation], seen: bool, most: usize) -> Option<Self> {
        if moves.iter().any(|given| given.needs.is_some()) {
            return None;
        }
        let images: Vec<&[usize]> = moves.iter().map(|given| &given.image[..]).collect();
        let travels = |&cell: &usize| images.iter().any(|image| image[cell] != cell);
        let cells: Vec<usize> = (0..rules.cells()).filter(travels).collect();
        if cells.is_empty() || cells.len() > most {
            return None;
        }
        let steps = images.iter().flat_map(|image| cells.iter().map(|&cell| (cell, image[cell])));
        let mut orbits = orbits(&cells, steps);
        let mut found: Vec<(Vec<usize>, Vec<Vec<Symbol>>, usize)> = Vec::new();
        let mut kind = 0;
        while !orbits.is_empty() {
            let orbit = orbits.remove(0);
            // Cells of other orbits that always move together with cells of this orbit belong to the same pieces.
            let mut along: Vec<OrderedMap<usize, usize>> = Vec::new();
            orbits.retain(|other| {
                let follows = followers(&orbit, other, &images);
                follows.map(|follows| along.push(follows)).is_none()
            });
            let whole = |circle: &[usize]| -> Vec<Vec<usize>> {
                let layers = along.iter().map(|follows| circle.iter().map(|cell| follows[cell]).collect());
                std::iter::once(circle.to_vec()).chain(layers).collect()
            };
            // The symbols of the piece of a place, for each twist.
            let symbols = |circle: &Vec<usize>| -> Vec<Vec<Symbol>> {
                let twists = circle.len();
                let layers = whole(circle);
                let cell = |by: usize, at: usize| (at + twists - by) % twists;
                let layer = |by: usize, layer: &Vec<usize>| -> Vec<Symbol> {
                    (0..twists).map(|at| rules.start[layer[cell(by, at)]]).collect()
                };
                (0..twists).map(|by| layers.iter().flat_map(|cells| layer(by, cells)).collect()).collect()
            };
            let told = |circles: &Vec<Vec<usize>>| {
                !seen
                    || circles
                        .iter()
                        .map(symbols)
                        .all(|turns| turns.iter().gather::<OrderedSet<_>>().len() == turns.len())
            };
            let circles = places_of_orbit(rules.cells(), &orbit, &images, told)
                .unwrap_or_else(|| orbit.iter().map(|&cell| vec![cell]).collect());
            found.extend(circles.iter().map(|circle| (whole(circle).concat(), symbols(circle), kind)));
            kind += 1;
        }
        sorting::sort(&mut found);
        let mut kinds = vec![Vec::new(); kind];
        found.iter().enumerate().for_each(|(place, &(.., kind))| kinds[kind].push(place));
        let places: Vec<Vec<usize>> = found.iter().map(|(cells, ..)| cells.clone()).collect();
        let symbols: Vec<Vec<Vec<Symbol>>> = found.into_iter().map(|(_, symbols, _)| symbols).collect();
        let mut at = vec![None; rules.cells()];
        for (place, cells) in places.iter().enumerate() {
            cells.iter().enumerate().for_each(|(within, &cell)| at[cell] = Some((place, within)));
        }
        let moves = images.iter().map(|image| {
            let mut made = PieceMove { source: vec![0; places.len()], twists: vec![0; places.len()] };
            for (from, place) in places.iter().enumerate() {
                let (to, by) = at[image[place[0]]]?;
                (made.source[to], made.twists[to]) = (from, by);
                let twists = symbols[from].len();
                let goes = |within: usize| within / twists * twists + (within % twists + by) % twists;
                if (0..place.len()).any(|within| image[place[within]] != places[to][goes(within)]) {
                    return None;
                }
            }
            Some(made)
        });
        let moves = moves.collect::<Option<_>>()?;
        Some(Self { places, symbols, kinds, moves })
    }

    /// Finds pieces that have one cell each, and that the maps of moves twist. `None` if there are none, if there are
    /// more than `most`, or if some move has a condition.
    fn of_maps(rules: &Rules, most: usize) -> Option<Self> {
        if rules.moves.iter().any(|given| !given.is_free()) {
            return None;
        }
        let kinds = kinds_of(rules)?;
        let mut cells: Vec<usize> = kinds.concat();
        sorting::sort(&mut cells);
        if cells.is_empty() || cells.len() > most {
            return None;
        }
        let place = |cell: usize| cells.binary_search(&cell).ok();
        let mut symbols = vec![Vec::new(); cells.len()];
        for kind in &kinds {
            let maps = maps_of(rules, kind)?;
            let start: Vec<Symbol> = kind.iter().map(|&cell| rules.start[cell]).collect();
            for (&cell, circle) in kind.iter().zip(twists_of(&start, &maps)?) {
                symbols[place(cell)?] = circle;
            }
        }
        let moves = rules.moves.iter().map(|given| {
            let mut made = PieceMove { source: (0..cells.len()).collect(), twists: vec![0; cells.len()] };
            for (to, source) in &given.then {
                let Source::Copy(from, map) = source else { return None };
                let (to, from) = (place(*to)?, place(*from)?);
                let kind = kinds.iter().find(|kind| kind.contains(&cells[to]))?;
                let circles = kind.iter().filter_map(|&cell| Some(&symbols[place(cell)?]));
                made.source[to] = from;
                made.twists[to] = map.as_ref().map_or(Some(0), |map| advance(circles, map))?;
            }
            let sources: OrderedSet<usize> = made.source.iter().copied().gather();
            (sources.len() == cells.len()).then_some(made)
        });
        let moves = moves.collect::<Option<_>>()?;
        let kinds = kinds.iter().map(|kind| kind.iter().filter_map(|&cell| place(cell)).collect()).collect();
        let places = cells.iter().map(|&cell| vec![cell]).collect();
        let symbols =
            symbols.into_iter().map(|circle| circle.into_iter().map(|symbol| vec![symbol]).collect()).collect();
        Some(Self { places, symbols, kinds, moves })
    }

    /// The number of twists of the piece that starts in a place.
    pub fn twists(&self, place: usize) -> usize {
        self.symbols[place].len()
    }

    /// The first *point* of each place, and how many points there are. A place has a point for each twist of its piece,
    /// one after the other.
    pub(super) fn points(&self) -> (Vec<usize>, usize) {
        let mut first = Vec::new();
        let degree = self.symbols.iter().fold(0, |degree, circle| {
            first.push(degree);
            degree + circle.len()
        });
        (first, degree)
    }

    /// The moves as permutations of the points. A move that brings the piece of place 0 to place 1, and advances it by
    /// one of its three twists, carries the points 0.0, 0.1 and 0.2 to 1.1, 1.2 and 1.0.
    pub(super) fn on_points(&self) -> Vec<Vec<u16>> {
        let (first, degree) = self.points();
        let image = |given: &PieceMove| {
            let mut image = vec![0; degree];
            for (to, (&from, &by)) in given.source.iter().zip(&given.twists).enumerate() {
                let twists = self.twists(to);
                for at in 0..twists {
                    image[first[from] + at] = (first[to] + (at + by) % twists) as u16;
                }
            }
            image
        };
        self.moves.iter().map(image).collect()
    }
}

/// A map of symbols: each symbol that may occur, with the one that replaces it.
type TwistMap = OrderedMap<Symbol, Symbol>;

/// For each symbol of the start, the circle of its twists; `None` unless each map advances all pieces by the same
/// number of twists. If the maps change nothing, each piece has one twist.
fn twists_of(start: &[Symbol], maps: &[&[Symbol]]) -> Option<Vec<Vec<Symbol>>> {
    if start.iter().all(|&symbol| circle_of_all(symbol, maps).len() == 1) {
        return Some(start.iter().map(|&symbol| vec![symbol]).collect());
    }
    let step = step_of(start, maps)?;
    Some(start.iter().map(|&symbol| circle(symbol, &step)).collect())
}

/// The cells that moves write, by kind: cells that copies connect, one after the other, are of one kind. `None` if a
/// move writes a symbol that it does not copy.
fn kinds_of(rules: &Rules) -> Option<Vec<Vec<usize>>> {
    let copies = rules.moves.iter().flat_map(|given| &given.then).map(|(to, source)| match source {
        Source::Copy(from, _) => Some((*from, *to)),
        Source::Symbol(_) => None,
    });
    let copies = copies.collect::<Option<Vec<_>>>()?;
    let written: OrderedSet<usize> = copies.iter().flat_map(|&(from, to)| [from, to]).gather();
    Some(orbits(&written.into_iter().collect::<Vec<_>>(), copies.into_iter()))
}

/// The classes of cells that the given steps connect, each in ascending order. A step leads from one cell to another.
fn orbits(cells: &[usize], steps: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<usize>> {
    let mut names: OrderedMap<usize, usize> = cells.iter().map(|&cell| (cell, cell)).gather();
    for (from, to) in steps {
        let (kept, lost) = (names[&from].min(names[&to]), names[&from].max(names[&to]));
        names.values_mut().filter(|name| **name == lost).for_each(|name| *name = kept);
    }
    let mut orbits: OrderedMap<usize, Vec<usize>> = OrderedMap::new();
    for (cell, name) in names {
        orbits.value_or(name, Vec::new).push(cell);
    }
    orbits.into_values().collect()
}

/// A map that advances every piece by one twist. `None` if the maps do anything but advance all pieces in circles of
/// the same number of twists, at least two.
///
/// The maps generate a group. It must be cyclic, with as many elements as each circle has symbols. Then an element that
/// leads through whole circles is taken as a single twist, and every other element is several of these.
fn step_of(start: &[Symbol], maps: &[&[Symbol]]) -> Option<TwistMap> {
    let mut symbols: OrderedSet<Symbol> = start.iter().copied().gather();
    loop {
        let more: OrderedSet<Symbol> =
            maps.iter().flat_map(|map| symbols.iter().map(|&symbol| map[symbol as usize])).gather();
        if more.is_subset(&symbols) {
            break;
        }
        symbols.extend(more);
    }
    let twists = circle_of_all(start[0], maps).len();
    // The elements of the group of maps. Each is a list: for each symbol, the symbol that replaces it.
    let identity: Vec<Symbol> = symbols.iter().copied().collect();
    let mut elements = vec![identity.clone()];
    let mut known: OrderedSet<_> = elements.iter().cloned().gather();
    let mut at = 0;
    while let Some(element) = elements.get(at).cloned() {
        for map in maps {
            let product: Vec<Symbol> = element.iter().map(|&symbol| map[symbol as usize]).collect();
            if known.insert(product.clone()) {
                elements.push(product);
            }
        }
        if elements.len() > twists {
            return None;
        }
        at += 1;
    }
    let steps = elements.into_iter().map(|element| identity.iter().copied().zip(element).collect::<TwistMap>());
    let whole = |step: &TwistMap| start.iter().all(|&symbol| circle(symbol, step).len() == twists);
    steps.into_iter().find(whole).filter(|_| twists > 1)
}

/// The different maps through which moves copy symbols to the given cells; `None` if a move writes a symbol there that
/// it does not copy.
fn maps_of<'a>(rules: &'a Rules, cells: &[usize]) -> Option<Vec<&'a [Symbol]>> {
    let mut maps: Vec<&[Symbol]> = Vec::new();
    for (_, source) in rules.moves.iter().flat_map(|given| &given.then).filter(|(to, _)| cells.contains(to)) {
        match source {
            Source::Copy(_, Some(map)) => maps.push(map),
            Source::Copy(..) => {}
            Source::Symbol(_) => return None,
        }
    }
    sorting::sort(&mut maps);
    maps.dedup();
    Some(maps)
}

/// All symbols into which the maps can turn a symbol, in any number of steps, with the symbol itself.
fn circle_of_all(symbol: Symbol, maps: &[&[Symbol]]) -> OrderedSet<Symbol> {
    let (mut found, mut at) = (vec![symbol], 0);
    while let Some(&from) = found.get(at) {
        for map in maps {
            if !found.contains(&map[from as usize]) {
                found.push(map[from as usize]);
            }
        }
        at += 1;
    }
    found.into_iter().collect()
}

/// The circle that begins with a symbol: the map is applied again and again, until a symbol repeats.
fn circle(symbol: Symbol, step: &TwistMap) -> Vec<Symbol> {
    let mut circle = vec![symbol];
    while let Some(next) = step.get(&circle[circle.len() - 1]).filter(|next| !circle.contains(next)) {
        circle.push(*next);
    }
    circle
}

/// The number of twists by which a map advances every circle; `None` if it does anything else.
fn advance<'a>(circles: impl Iterator<Item = &'a Vec<Symbol>>, map: &[Symbol]) -> Option<usize> {
    let mut found = None;
    for circle in circles {
        let by = circle.iter().position(|&symbol| symbol == map[circle[0] as usize])?;
        let all = (0..circle.len()).all(|at| map[circle[at] as usize] == circle[(at + by) % circle.len()]);
        if !all || *found.get_or_insert(by) != by {
            return None;
        }
    }
    found
}
