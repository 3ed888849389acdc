//! Puzzles of pieces that twist: each piece is in one cell and has a twist, and moves permute the pieces and twist
//! them.
//!
//! `docs/solving.md`, "How an answer is found", explains to users what it is for.

use std::collections::{BTreeMap, BTreeSet};

use super::action::Permutation;
use super::stickers::sticker_places;
use crate::rules::{Rules, Source, Symbol};
use crate::sorting;

/// The most places. No machine could hold a bit for each arrangement of more.
const MOST_PLACES: usize = 12;

/// The pieces of a puzzle, and the effect of each move on them.
///
/// The symbols that a cell can hold fall into classes. A class is one piece, and its symbols are the twists of the
/// piece. All pieces have the same number of twists. A map in a move advances every piece by the same number of twists,
/// around a circle.
///
/// For example, take two burnt pancakes. `A` and `a` are the first one with the good side and with the burnt side up,
/// `B` and `b` are the second one. Turning over the upper pancake is `0: Copy(0, map)`, and turning over both is `0:
/// Copy(1, map), 1: Copy(0, map)`. The map exchanges `A` with `a` and `B` with `b`. From `AB` the second move leads to
/// `ba`.
///
/// A place may also have several cells, the stickers of the piece that is there. Moves then carry the cells of a place
/// to those of another place, and turn them around. So a twist is a rotation of the symbols. For example, a corner of a
/// cube has three stickers. If they are white, red and green in the order of the place's cells, they are green, white
/// and red with another twist.
#[derive(Debug, Clone)]
pub struct Pieces {
    /// The cells of each place. Moves write these cells and no others.
    pub places: Vec<Vec<usize>>,
    /// For each place, the piece that is there at the start. For each twist of the piece, beginning with the start's,
    /// it lists the symbols in the cells of a place that holds the piece.
    pub symbols: Vec<Vec<Vec<Symbol>>>,
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
    /// The pieces of the rules; `None` if a move does anything but permute and twist pieces, if pieces are alike, if
    /// they have no twists, or if play can end.
    pub(super) fn of_moves(rules: &Rules, moves: Option<Vec<Permutation>>) -> Option<Self> {
        if rules.player_count() > 1 || !rules.ends.is_empty() {
            return None;
        }
        match moves {
            Some(moves) => Self::of_stickers(rules, &moves),
            None => Self::of_maps(rules),
        }
    }

    /// The reasons why the pieces of the rules cannot be numbered with their twists, part by part. `None` if a move
    /// does anything but permute cells and turn symbols into others on the way, or if no symbol leaves its cell, as
    /// with wheels.
    ///
    /// For example, a move takes the corners of a cube around, and its centres. The corners have three twists and the
    /// centres none. They have no index together.
    pub fn in_the_way(rules: &Rules) -> Option<Vec<String>> {
        let mut maps: Vec<&[Symbol]> = Vec::new();
        let mut written: BTreeSet<usize> = BTreeSet::new();
        let mut travels = false;
        for given in &rules.moves {
            let to: BTreeSet<usize> = given.then.iter().map(|&(to, _)| to).collect();
            let mut from: BTreeSet<usize> = BTreeSet::new();
            for (to, source) in &given.then {
                let Source::Copy(cell, map) = source else { return None };
                from.insert(*cell);
                travels |= cell != to;
                maps.extend(map.as_deref());
            }
            if from != to {
                return None;
            }
            written.extend(to);
        }
        if maps.is_empty() || !travels {
            return None;
        }
        sorting::sort(&mut maps);
        maps.dedup();
        let mut found = Vec::new();
        if let Some(given) = rules.moves.iter().find(|given| !given.is_free()) {
            found.push(format!("the move \"{}\" has a guard", given.name));
        }
        if written.len() > MOST_PLACES {
            found.push(format!("they write {} cells, and an index takes at most {MOST_PLACES}", written.len()));
        }
        let twists = |cell: usize| circle_of_all(rules.start[cell], &maps).len();
        let most = written.iter().copied().max_by_key(|&cell| (twists(cell), std::cmp::Reverse(cell)))?;
        if let Some(&other) = written.iter().find(|&&cell| twists(cell) != twists(most)) {
            let name = |cell: usize| &rules.symbols[rules.start[cell] as usize];
            let few = if twists(other) == 1 { "no twists".to_owned() } else { format!("{} twists", twists(other)) };
            let (one, other) = (name(most), name(other));
            found.push(format!("\"{other}\" has {few} while \"{one}\" has {}", twists(most)));
        } else {
            let start: Vec<Symbol> = written.iter().map(|&cell| rules.start[cell]).collect();
            let circles: Vec<BTreeSet<Symbol>> = start.iter().map(|&symbol| circle_of_all(symbol, &maps)).collect();
            if circles.iter().flatten().collect::<BTreeSet<_>>().len() < circles.len() * twists(most) {
                found.push("two cells hold the same piece with other twists".to_owned());
            } else if step_of(&start, &maps).is_none() {
                found.push("their maps do not turn all pieces around circles by the same number of twists".to_owned());
            }
        }
        Some(found)
    }

    /// The pieces whose stickers moves permute.
    fn of_stickers(rules: &Rules, moves: &[Permutation]) -> Option<Self> {
        if moves.iter().any(|given| given.needs.is_some()) {
            return None;
        }
        let images: Vec<&[usize]> = moves.iter().map(|given| &given.image[..]).collect();
        let places = sticker_places(rules.cells(), &images, MOST_PLACES)?;
        let twists = places[0].len();
        let read = |place: &Vec<usize>| -> Vec<Symbol> { place.iter().map(|&cell| rules.start[cell]).collect() };
        let turned =
            |symbols: &[Symbol], by: usize| (0..twists).map(|at| symbols[(at + twists - by) % twists]).collect();
        let symbols: Vec<Vec<Vec<Symbol>>> =
            places.iter().map(|place| (0..twists).map(|by| turned(&read(place), by)).collect()).collect();
        let distinct: BTreeSet<&Vec<Symbol>> = symbols.iter().flatten().collect();
        if distinct.len() != places.len() * twists {
            return None; // two pieces look alike, or a piece looks the same after a twist
        }
        let at = |cell: usize| {
            let place = places.iter().position(|place| place.contains(&cell))?;
            Some((place, places[place].iter().position(|&other| other == cell)?))
        };
        let moves = images.iter().map(|image| {
            let mut made = PieceMove { source: vec![0; places.len()], twists: vec![0; places.len()] };
            for (from, place) in places.iter().enumerate() {
                let (to, by) = at(image[place[0]])?;
                (made.source[to], made.twists[to]) = (from, by);
                if (0..twists).any(|cell| image[place[cell]] != places[to][(cell + by) % twists]) {
                    return None;
                }
            }
            Some(made)
        });
        let moves = moves.collect::<Option<_>>()?;
        Some(Self { places, symbols, moves })
    }

    /// The pieces that have one cell each, and that the maps of moves twist.
    fn of_maps(rules: &Rules) -> Option<Self> {
        let written: BTreeSet<usize> = rules.moves.iter().flat_map(|given| &given.then).map(|&(to, _)| to).collect();
        let cells: Vec<usize> = written.into_iter().collect();
        if cells.is_empty() || cells.len() > MOST_PLACES || rules.moves.iter().any(|given| !given.is_free()) {
            return None;
        }
        let maps = maps_of(rules)?;
        let start: Vec<Symbol> = cells.iter().map(|&cell| rules.start[cell]).collect();
        let step = step_of(&start, &maps)?;
        let symbols: Vec<Vec<Symbol>> = start.iter().map(|&symbol| circle(symbol, &step)).collect();
        let distinct: BTreeSet<Symbol> = symbols.iter().flatten().copied().collect();
        if distinct.len() != symbols.iter().map(Vec::len).sum::<usize>() {
            return None; // two cells hold the same piece
        }
        let place = |cell: usize| cells.binary_search(&cell).ok();
        let moves = rules.moves.iter().map(|given| {
            let mut made = PieceMove { source: (0..cells.len()).collect(), twists: vec![0; cells.len()] };
            for (to, source) in &given.then {
                let Source::Copy(from, map) = source else { return None };
                let to = place(*to)?;
                made.source[to] = place(*from)?;
                made.twists[to] = map.as_ref().map_or(Some(0), |map| advance(&symbols, map))?;
            }
            let sources: BTreeSet<usize> = made.source.iter().copied().collect();
            (sources.len() == cells.len()).then_some(made)
        });
        let moves = moves.collect::<Option<_>>()?;
        let places = cells.iter().map(|&cell| vec![cell]).collect();
        let symbols =
            symbols.into_iter().map(|circle| circle.into_iter().map(|symbol| vec![symbol]).collect()).collect();
        Some(Self { places, symbols, moves })
    }

    /// The number of twists of a piece.
    pub fn twists(&self) -> usize {
        self.symbols[0].len()
    }

    /// Returns `true` if no move changes the sum of all twists, modulo their number. Then the other twists determine
    /// the last.
    pub fn sum_is_kept(&self) -> bool {
        self.moves.iter().all(|given| given.twists.iter().sum::<usize>().is_multiple_of(self.twists()))
    }
}

/// A replacement of each symbol that may occur.
type TwistMap = BTreeMap<Symbol, Symbol>;

/// A map that advances every piece by one twist. `None` if the maps do anything but advance all pieces in circles of
/// the same number of twists, at least two.
///
/// The maps generate a group. It must be cyclic, and as large as each circle. An element that leads through a whole
/// circle then is a single step, and every other element is several steps.
fn step_of(start: &[Symbol], maps: &[&[Symbol]]) -> Option<TwistMap> {
    let mut symbols: BTreeSet<Symbol> = start.iter().copied().collect();
    loop {
        let more: BTreeSet<Symbol> =
            maps.iter().flat_map(|map| symbols.iter().map(|&symbol| map[symbol as usize])).collect();
        if more.is_subset(&symbols) {
            break;
        }
        symbols.extend(more);
    }
    let twists = circle_of_all(start[0], maps).len();
    // Each element of the group, as the images of all symbols.
    let identity: Vec<Symbol> = symbols.iter().copied().collect();
    let (mut elements, mut known) = (vec![identity.clone()], BTreeSet::from([identity.clone()]));
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

/// The different maps through which moves copy symbols; `None` if a move writes a symbol that it does not copy.
pub(super) fn maps_of(rules: &Rules) -> Option<Vec<&[Symbol]>> {
    let mut maps: Vec<&[Symbol]> = Vec::new();
    for (_, source) in rules.moves.iter().flat_map(|given| &given.then) {
        match source {
            Source::Copy(_, Some(map)) if !maps.contains(&&**map) => maps.push(map),
            Source::Copy(..) => {}
            Source::Symbol(_) => return None,
        }
    }
    Some(maps)
}

/// All symbols that maps lead to from a symbol.
pub(super) fn circle_of_all(symbol: Symbol, maps: &[&[Symbol]]) -> BTreeSet<Symbol> {
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

/// The symbols that follow from a symbol by applying a map. If it never comes back, the list ends when a symbol
/// repeats.
pub(super) fn circle(symbol: Symbol, step: &TwistMap) -> Vec<Symbol> {
    let mut circle = vec![symbol];
    while let Some(next) = step.get(&circle[circle.len() - 1]).filter(|next| !circle.contains(next)) {
        circle.push(*next);
    }
    circle
}

/// The number of twists by which a map advances every piece; `None` if it does anything else.
fn advance(symbols: &[Vec<Symbol>], map: &[Symbol]) -> Option<usize> {
    let by = symbols[0].iter().position(|&symbol| symbol == map[symbols[0][0] as usize])?;
    let advances =
        |circle: &Vec<Symbol>| (0..circle.len()).all(|at| map[circle[at] as usize] == circle[(at + by) % circle.len()]);
    symbols.iter().all(advances).then_some(by)
}
