//! One phase: the moves of a subgroup, and tables with lower bounds on how many of them lead into a smaller subgroup.
//!
//! The smaller subgroup carries each sticker only to the cells of its orbit. Give all stickers of an orbit the same
//! colour: then all states of the smaller subgroup show the colours of the goal. This colouring is divided into
//! *factors* of few states each. One factor shows, say, how the corners are turned, and another which edges are in the
//! middle layer. A table has, for each pair of states of two factors, the fewest moves that bring both to the goal's.
//! The largest value of all tables is a lower bound.

use std::sync::OnceLock;

use super::super::cosets::{Colours, NO_STATE, Sticker, StickerColouring, Stickers};
use super::super::move_pruning::MovePruning;
use super::subgroups::{MoveClass, Subgroup};
use crate::instant::Instant;
use crate::job::{TableCache, table_key};
use crate::run::{Progress, Watch, parallel};
use crate::sorting;
use crate::structure::PermutationGroup;
use crate::structure::permuting::{common_divisor, orbit_names, power};

/// The most states of a factor.
const MOST_STATES: usize = 1 << 16;

/// The most entries of one table, and of all tables of a phase together.
const MOST_ENTRIES: usize = 1 << 23;
const MOST_ENTRIES_OF_ALL: usize = 1 << 26;

/// The most moves of a phase.
const MOST_MOVES: usize = 64;

/// A move of a phase is a move of the rules, repeated at most this many times. Twice this number is less than
/// [`NEVER`].
const MOST_WORD: usize = 100;

/// The most factors of a phase.
pub const MOST_FACTORS: usize = 12;

/// A table with fewer values than this is not put into the cache: making it is faster than reading it.
const LEAST_KEPT: usize = 1 << 19;

/// The value that stands for "no moves lead from here into the smaller subgroup".
pub const NEVER: u8 = u8::MAX;

/// A text that is part of each key in the cache, and stands for the meaning and the order of the values. It must be
/// changed whenever either changes, so that old tables are not read any more.
const MEANING: &[u8] = b"phases; a byte for each pair of states; 2026-11";

/// A state as a phase sees it: for each factor, the number of the factor's state.
pub type PhaseNumbers = [u32; MOST_FACTORS];

/// A move of a phase: a move of the rules, or a move of the rules made several times.
#[derive(Debug, Clone)]
pub struct PhaseMove {
    /// The moves of the rules of which it consists, by their places in [`Stickers::moves`].
    pub word: Vec<usize>,
    /// For each cell, the cell to which its sticker goes.
    pub image: Vec<Sticker>,
}

/// A phase.
#[derive(Debug)]
pub struct Phase {
    /// The moves that may be made in the phase.
    pub moves: Vec<PhaseMove>,
    /// The factors: colourings of few states each. The phase is done if each colouring shows the colours of the goal.
    factors: Vec<StickerColouring>,
    /// The stickers of the puzzle, with only those moves that this phase uses.
    own: Stickers,
    /// The tables, once they are made.
    tables: OnceLock<Vec<PairTable>>,
    /// The sequences of moves that are not searched, because other sequences do the same.
    pub sequences: MovePruning,
    /// The smaller subgroup, into which the phase leads. `None` if exactly its states show the colours of the goal, so
    /// that the colourings are enough to recognise it.
    target: Option<PermutationGroup>,
}

/// A table with the fewest moves for each pair of states of two factors.
#[derive(Debug)]
struct PairTable {
    first: usize,
    second: usize,
    /// The number of states of the second factor.
    unit: usize,
    values: Vec<u8>,
}

/// The moves of a subgroup: the moves of the rules that are in it; and, if these do not generate it, powers of moves
/// that do.
fn moves_of(stickers: &Stickers, classes: &[MoveClass], subgroup: &Subgroup) -> Vec<PhaseMove> {
    let mut found = Vec::new();
    for (class, &by) in classes.iter().zip(subgroup) {
        if by == class.order {
            continue;
        }
        let own = class.members.iter().filter(|&&(_, exponent)| exponent.is_multiple_of(by));
        let own: Vec<(usize, usize)> = own.copied().collect();
        let common = own.iter().fold(class.order, |common, &(_, exponent)| common_divisor(common, exponent));
        for &(place, _) in &own {
            found.push(PhaseMove { word: vec![place], image: stickers.moves[place].image.clone() });
        }
        if common != by {
            // The moves of the rules that are in the subgroup do not generate the power `by` of the class's generator.
            // So a move that makes this power is added: a move of the rules, repeated as few times as possible.
            let ways = class.members.iter().filter_map(|&(place, exponent)| {
                let times = (1..=class.order).find(|times| times * exponent % class.order == by % class.order)?;
                Some((times, place))
            });
            if let Some((times, place)) = ways.min() {
                let image = power(&class.generator, by);
                found.push(PhaseMove { word: vec![place; times], image });
            }
        }
    }
    found
}

impl Phase {
    /// The phase that leads from one subgroup into a smaller one with `cosets` cosets, without its tables. `None` if
    /// there are too many moves or factors, or if a factor has too many states.
    pub fn new(
        stickers: &Stickers,
        classes: &[MoveClass],
        from: &Subgroup,
        to: &Subgroup,
        cosets: u128,
    ) -> Option<Self> {
        let moves = moves_of(stickers, classes, from);
        let target = moves_of(stickers, classes, to);
        let images: Vec<Vec<Sticker>> = moves.iter().map(|given| given.image.clone()).collect();
        let own = stickers.with_moves(&images)?;
        let images_of_target: Vec<&[Sticker]> = target.iter().map(|given| &given.image[..]).collect();
        let factors = factors(&own, &orbit_names(stickers.len(), &images_of_target))?;
        if moves.len() > MOST_MOVES || moves.iter().any(|given| given.word.len() > MOST_WORD) {
            return None;
        }
        let lengths: Vec<usize> = moves.iter().map(|given| given.word.len()).collect();
        let (tables, sequences) = (OnceLock::new(), MovePruning::of_images(&images, &lengths, &[]));
        let mut phase = Self { sequences, moves, factors, own, tables, target: None };
        let states = phase.factors.iter().fold(1u128, |states, factor| states.saturating_mul(factor.len as u128));
        if states != cosets {
            let wide = |given: &PhaseMove| given.image.iter().map(|&to| u16::from(to)).collect::<Vec<u16>>();
            let generators: Vec<Vec<u16>> = target.iter().map(wide).collect();
            phase.target = Some(PermutationGroup::new(stickers.len(), &generators));
        }
        Some(phase)
    }

    /// For each factor, the number of its state. `None` if the state is not in the subgroup where the phase begins.
    pub fn read(&self, stickers: &Stickers, held: &[Sticker]) -> Option<PhaseNumbers> {
        let mut numbers = [0; MOST_FACTORS];
        for (factor, number) in self.factors.iter().zip(&mut numbers) {
            let firsts = factor.places.iter().map(|&place| held[stickers.places[place][0] as usize]);
            let code = firsts.zip(&factor.weights).map(|(first, weights)| weights[first as usize]).sum();
            *number = factor.number(code);
            if *number == NO_STATE {
                return None;
            }
        }
        Some(numbers)
    }

    /// The numbers of the factors' states after a move.
    #[inline(always)]
    pub fn after(&self, numbers: &PhaseNumbers, given: usize) -> PhaseNumbers {
        let mut after = [0; MOST_FACTORS];
        for ((factor, number), to) in self.factors.iter().zip(numbers).zip(&mut after) {
            *to = factor.next[given][*number as usize];
        }
        after
    }

    /// A lower bound on the number of moves that lead into the smaller subgroup; [`NEVER`] if no moves do.
    #[inline(always)]
    pub fn bound(&self, numbers: &PhaseNumbers) -> u8 {
        let value = |table: &PairTable| {
            table.values[numbers[table.first] as usize * table.unit + numbers[table.second] as usize]
        };
        self.tables.get().into_iter().flatten().map(value).max().unwrap_or(0)
    }

    /// Returns `true` if the state `held` is in the smaller subgroup. Its bound must be 0.
    pub fn is_done(&self, held: &[Sticker]) -> bool {
        let wide = || held.iter().map(|&sticker| u16::from(sticker)).collect::<Vec<_>>();
        self.target.as_ref().is_none_or(|target| target.contains(&wide()))
    }

    /// `true` if every state whose bound is 0 is in the smaller subgroup.
    pub fn bound_tells(&self) -> bool {
        self.target.is_none()
    }

    /// Makes the tables of all pairs of factors for which there is room, or reads them from a cache. New tables are put
    /// into the cache. Each factor is in at least one table. Returns `false` if the watch stops it.
    pub fn fill(&self, cache: Option<&TableCache>, watch: Watch) -> bool {
        if self.tables.get().is_none() {
            let Some(made) = self.make_tables(cache, watch) else { return false };
            let _ = self.tables.set(made);
        }
        true
    }

    /// The bytes that the tables and the factors take.
    pub fn bytes(&self) -> u64 {
        let len = |at: usize| self.factors[at].len as u64;
        let tables = self.pairs().into_iter().map(|(a, b)| if a == b { len(a) } else { len(a) * len(b) });
        tables.sum::<u64>() + self.factors.iter().map(StickerColouring::bytes).sum::<u64>()
    }

    /// The pairs of factors that have a table. A factor that is in no pair with another is paired with itself.
    fn pairs(&self) -> Vec<(usize, usize)> {
        let len = |at: usize| self.factors[at].len;
        let count = self.factors.len();
        let mut pairs: Vec<(usize, usize)> = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b))).collect();
        pairs.retain(|&(a, b)| len(a) * len(b) <= MOST_ENTRIES);
        sorting::sort_by_key(&mut pairs, |&(a, b)| std::cmp::Reverse(len(a) * len(b)));
        let mut left = MOST_ENTRIES_OF_ALL;
        pairs.retain(|&(a, b)| {
            let fits = len(a) * len(b) <= left;
            left -= if fits { len(a) * len(b) } else { 0 };
            fits
        });
        let alone = (0..count).filter(|&at| pairs.iter().all(|&(a, b)| a != at && b != at));
        let alone: Vec<(usize, usize)> = alone.map(|at| (at, at)).collect();
        pairs.extend(alone);
        pairs
    }

    fn make_tables(&self, cache: Option<&TableCache>, watch: Watch) -> Option<Vec<PairTable>> {
        let pairs = self.pairs();
        let tables = parallel::map(pairs.len(), 1, |range| {
            range.map(|at| self.table(pairs[at], cache, watch)).collect::<Option<Vec<_>>>()
        });
        Some(tables.into_iter().collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
    }

    /// The table of a pair of factors: read from the cache if it is there, and otherwise made. `None` if the watch
    /// stops it.
    fn table(&self, (first, second): (usize, usize), cache: Option<&TableCache>, watch: Watch) -> Option<PairTable> {
        let (one, other) = (&self.factors[first], &self.factors[second]);
        let unit = if first == second { 0 } else { other.len };
        let entries = one.len * unit.max(1);
        let stops = &|| watch(&Progress::default()).is_break();
        let kept = cache.filter(|_| entries >= LEAST_KEPT);
        let kept = kept.map(|cache| (cache, key(&self.own, &self.moves, one, other)));
        if let Some(values) = kept.as_ref().and_then(|(cache, key)| cache.read(key, entries, stops)) {
            return Some(PairTable { first, second, unit, values });
        }
        let values = distances(one, (unit > 0).then_some(other), &self.moves, watch)?;
        if let Some((cache, key)) = kept {
            cache.write(&key, &values, stops);
        }
        Some(PairTable { first, second, unit, values })
    }
}

/// The fewest moves to the goal, from each pair of states of two factors, or from each state of one. A move that
/// consists of several moves of the rules counts as that many. `None` if the watch stops it.
fn distances(
    one: &StickerColouring,
    other: Option<&StickerColouring>,
    moves: &[PhaseMove],
    watch: Watch,
) -> Option<Vec<u8>> {
    let unit = other.map_or(1, |other| other.len);
    let mut values = vec![NEVER; one.len * unit];
    let begun = Instant::now();
    values[0] = 0;
    let longest = moves.iter().map(|given| given.word.len()).max().unwrap_or(1) as u8;
    let (mut value, mut last) = (0u8, 0u8);
    while value <= last && value < NEVER - longest {
        for row in 0..one.len {
            if row.is_multiple_of(1 << 8) {
                let seconds = begun.elapsed().as_secs_f64();
                let progress = Progress { expanded: (row * unit) as u64, seconds, ..Progress::default() };
                if watch(&progress).is_break() {
                    return None;
                }
            }
            for column in 0..unit {
                if values[row * unit + column] != value {
                    continue;
                }
                for (given, own) in moves.iter().enumerate() {
                    let column = other.map_or(0, |other| other.before[given][column] as usize);
                    let to = &mut values[one.before[given][row] as usize * unit + column];
                    let with = value + own.word.len() as u8;
                    if *to > with {
                        *to = with;
                        last = last.max(with);
                    }
                }
            }
        }
        value += 1;
    }
    Some(values)
}

/// The key of a table in the cache: a text that changes with anything on which the values and their order depend.
fn key(own: &Stickers, moves: &[PhaseMove], one: &StickerColouring, other: &StickerColouring) -> crate::job::Key {
    let sizes: Vec<u8> = own.places.iter().map(|place| place.len() as u8).collect();
    let places: Vec<u8> = own.places.concat();
    let images: Vec<u8> = moves.iter().flat_map(|given| given.image.clone()).collect();
    let costs: Vec<u8> = moves.iter().map(|given| given.word.len() as u8).collect();
    table_key(&[MEANING, &sizes, &places, &images, &costs, &one.colours, &other.colours])
}

/// Colourings that together show which orbit each sticker is in. Each shows one property of pieces that the moves of
/// the phase carry to each other's places. `None` if there are too many.
fn factors(own: &Stickers, orbits: &[usize]) -> Option<Vec<StickerColouring>> {
    let mut found = Vec::new();
    let kinds = own.orbits.iter().max().map_or(0, |last| last + 1);
    for kind in 0..kinds {
        let places: Vec<usize> = (0..own.places.len()).filter(|&place| own.orbits[place] == kind).collect();
        found.extend(whole(own, &places, orbits).or_else(|| cut(own, &places, orbits))?);
    }
    found.retain(|factor| factor.len > 1);
    (!found.is_empty() && found.len() <= MOST_FACTORS).then_some(found)
}

/// A list of a single colouring, which shows the orbits of all stickers of some pieces. `None` if it has too many
/// states.
fn whole(own: &Stickers, places: &[usize], orbits: &[usize]) -> Option<Vec<StickerColouring>> {
    let shown: Vec<usize> = places.iter().flat_map(|&place| &own.places[place]).map(|&at| at as usize).collect();
    let mut seen: Vec<usize> = Vec::new();
    let mut colours: Colours = vec![0; own.len()];
    for sticker in shown {
        let known = seen.iter().position(|&orbit| orbit == orbits[sticker]);
        colours[sticker] = known.unwrap_or_else(|| {
            seen.push(orbits[sticker]);
            seen.len() - 1
        }) as u8;
    }
    Some(vec![StickerColouring::new(own, colours, MOST_STATES)?])
}

/// Several colourings, for pieces for which the colouring of [`whole`] has too many states: the first shows how the
/// pieces are turned, and the others where they are. Each of the others shows as many groups of like pieces as its
/// number of states allows.
fn cut(own: &Stickers, places: &[usize], orbits: &[usize]) -> Option<Vec<StickerColouring>> {
    // Pieces are alike if their stickers have the same orbits.
    let alike = |place: usize| own.places[place].iter().map(|&at| orbits[at as usize]).min().unwrap_or(0);
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for &place in places {
        match groups.iter_mut().find(|group| alike(group[0]) == alike(place)) {
            Some(group) => group.push(place),
            None => groups.push(vec![place]),
        }
    }
    let mut turns: Colours = vec![0; own.len()];
    for group in &groups {
        // Orbits are numbered in the order in which the first piece of the group shows them, so that the pieces of a
        // group have the same numbers.
        let mut seen: Vec<usize> = Vec::new();
        for &sticker in group.iter().flat_map(|&place| &own.places[place]) {
            let orbit = orbits[sticker as usize];
            let known = seen.iter().position(|&other| other == orbit).unwrap_or_else(|| {
                seen.push(orbit);
                seen.len() - 1
            });
            turns[sticker as usize] = known as u8;
        }
    }
    let mut found = vec![StickerColouring::new(own, turns, MOST_STATES)?];
    // The largest group is not shown: its pieces are in the places where no other group is.
    sorting::sort_by_key(&mut groups, Vec::len);
    let shown = |groups: &[Vec<usize>]| {
        let mut colours: Colours = vec![0; own.len()];
        for (number, group) in groups.iter().enumerate() {
            group.iter().flat_map(|&place| &own.places[place]).for_each(|&at| colours[at as usize] = number as u8 + 1);
        }
        StickerColouring::new(own, colours, MOST_STATES)
    };
    let all_but_one = &groups[..groups.len().saturating_sub(1)];
    let mut begin = 0;
    while begin < all_but_one.len() {
        let ends = begin + 1..=all_but_one.len();
        let mut last = None;
        for end in ends {
            match shown(&all_but_one[begin..end]) {
                Some(colouring) => last = Some((end, colouring)),
                None => break,
            }
        }
        let (end, colouring) = last?;
        found.push(colouring);
        begin = end;
    }
    Some(found)
}
