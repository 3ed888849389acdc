//! Tiers: sets of states that play leaves for good, found from the number of cells that hold each symbol, or from a
//! potential.
//! `docs/values.md` explains to users what they are good for.
//!
//! The *composition* of a state is the number of cells that hold each symbol. The cells that a move reads and writes
//! determine how it changes a composition. So a graph of compositions is found without any state: from that of the
//! start, along the changes that moves make. With two players, whose turn it is belongs to a composition. If play can
//! come back to a state, it can come back to its composition. So compositions from which play may come back to each
//! other, the strongly connected components of the graph, form a *tier*; a move stays in its tier, or leads to a later
//! one.
//!
//! Take four cells in a row, `x...`, and a puzzle in which an `x` slides into an empty cell beside it, or puts a wall
//! `#` there. The numbers of `.`, `x` and `#` are 3 1 0 at the start, then 2 1 1, 1 1 2 and 0 1 3. A slide keeps them,
//! and a wall is for ever. So there are four tiers, and play may go round in circles in all but the last.
//!
//! If some cells never come back to a symbol that they have left, and others do, the two *zones* are counted apart.
//! Examples are the cells of a hand from which pieces are put on a board: the whole has the same pieces as before, but
//! the hand has one less.
//!
//! If play may come back to a composition, but a [`Potential`] proves that it never comes back to a state, then the
//! levels of the potential, each with the player to move, take the place of compositions. Each is a tier of its own.
//!
//! A symmetry may rename symbols. Then it renames compositions, too, and images of a composition count as one. A
//! symmetry carries moves onto moves, so all images of a state are in the same tier.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::potential::Potential;
use super::repeats;
use crate::rules::{Comparison, Move, Rules, Source, Symbol, SymbolSet, Symmetry};

/// With more compositions than these, rules have one tier. A board of 19 by 19 cells and two kinds of pieces has just
/// as many.
const MOST_COMPOSITIONS: usize = 1 << 16;

/// The most images of compositions under renamings that are computed, which takes about a second. Only groups of
/// hundreds of renamings have more.
const MOST_IMAGES: usize = 1 << 24;

/// With more different changes than these, rules have one tier.
const MOST_CHANGES: usize = 1 << 10;

/// The most combinations of symbols that are tried in a move's cells, if its change depends on them.
const MOST_TRIED: usize = 1 << 12;

/// The number of cells that hold each symbol. If there are two zones, the numbers of the first zone come first. With a
/// potential, the level is the only number.
type Composition = Vec<u16>;

/// The tiers of rules, numbered so that no move leads to a tier with a smaller number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleTiers {
    measure: Measure,
    /// For each composition that play may reach, and for each player to move, the tier.
    of: BTreeMap<Composition, Vec<Option<u32>>>,
    /// For each tier, `true` if play may come back to one of its states.
    repeats: Vec<bool>,
    /// For each tier, the later tiers to which a move may lead, in order.
    leads: Vec<Vec<u32>>,
}

/// What the numbers of a composition count.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Measure {
    /// Cells by their symbols. For each cell, the zone in which it is counted.
    Zones(Vec<usize>),
    /// The weights of symbols. For each cell and symbol, the weight.
    Weights(Vec<Vec<i64>>),
}

/// A change that a move may make to a composition.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Change {
    /// For each symbol, the number of cells that hold it after the move minus the number before.
    more: Vec<i32>,
    /// For each symbol, the number of cells that must hold it before the move.
    needs: Vec<u16>,
}

impl RuleTiers {
    /// The tiers of rules with these symmetries, none of which swaps the players; `None` if there is one tier, or if it
    /// takes too long to find out. `potential` is asked for if compositions do not tell that no state comes twice.
    pub fn new(rules: &Rules, symmetries: &[Symmetry], potential: &dyn Fn() -> Option<Potential>) -> Option<Self> {
        let by_composition = Self::by_composition(rules, symmetries);
        if by_composition.as_ref().is_some_and(Self::never_repeat) {
            return by_composition;
        }
        let by_level = potential().and_then(|potential| Self::by_level(rules, &potential));
        by_level.filter(Self::never_repeat).or(by_composition)
    }

    fn by_composition(rules: &Rules, symmetries: &[Symmetry]) -> Option<Self> {
        let one_way = repeats::one_way(rules);
        // Images of a cell are in one zone, so that a symmetry carries zones onto themselves.
        let alone = |cell: usize| symmetries.iter().all(|symmetry| one_way[symmetry.cells[cell]]) && one_way[cell];
        let zones: Vec<usize> = (0..rules.cells()).map(|cell| usize::from(alone(cell))).collect();
        let split = zones.contains(&0) && zones.contains(&1);
        let in_zones = if split { Self::in_zones(rules, symmetries, zones) } else { None };
        in_zones.or_else(|| Self::in_zones(rules, symmetries, vec![0; rules.cells()]))
    }

    fn in_zones(rules: &Rules, symmetries: &[Symmetry], zones: Vec<usize>) -> Option<Self> {
        let changes = changes_of(rules, &zones)?;
        if changes.iter().flatten().all(|change| change.more.iter().all(|&more| more == 0)) {
            return None;
        }
        let renamings: BTreeSet<Vec<Symbol>> = symmetries.iter().map(|symmetry| symmetry.symbols.to_vec()).collect();
        let (symbols, count) = (rules.symbols.len(), zones.iter().max().map_or(1, |last| last + 1));
        let mut start = vec![0; count * symbols];
        for (&symbol, zone) in rules.start.iter().zip(&zones) {
            start[zone * symbols + symbol as usize] += 1;
        }
        let graph = CompositionGraph::new(rules, &start, u16::MAX, &changes, &renamings)?;
        Self::of_graph(Measure::Zones(zones), &graph, rules.player_count(), &renamings)
    }

    /// The tiers of the levels of a potential; `None` if a forced pass may leave the level as it is, so that a level of
    /// one player to move leads to that of the other, and back.
    fn by_level(rules: &Rules, potential: &Potential) -> Option<Self> {
        if rules.forces_passes() {
            return None;
        }
        let change = |&raise: &i64| Some(Change { more: vec![i32::try_from(raise).ok()?], needs: vec![0] });
        let changes = |raises: &BTreeSet<i64>| raises.iter().map(change).collect::<Option<Vec<Change>>>();
        let changes = potential.raises().iter().map(changes).collect::<Option<Vec<_>>>()?;
        let (most, weights) = (potential.most_level()?, potential.weights().to_vec());
        let start: i64 = weights.iter().zip(&rules.start).map(|(weights, &symbol)| weights[symbol as usize]).sum();
        let renamings = BTreeSet::from([vec![0]]);
        let graph = CompositionGraph::new(rules, &[u16::try_from(start).ok()?], most, &changes, &renamings)?;
        Self::of_graph(Measure::Weights(weights), &graph, rules.player_count(), &renamings)
    }

    fn of_graph(
        measure: Measure,
        graph: &CompositionGraph,
        players: usize,
        renamings: &BTreeSet<Vec<Symbol>>,
    ) -> Option<Self> {
        let (tiers, count) = graph.components();
        if count < 2 {
            return None;
        }
        let (mut repeats, mut leads) = (vec![false; count], vec![BTreeSet::new(); count]);
        for (node, followers) in graph.edges.iter().enumerate() {
            for &follower in followers {
                let (from, to) = (tiers[node], tiers[follower as usize]);
                if from == to {
                    repeats[from as usize] = true;
                } else {
                    leads[from as usize].insert(to);
                }
            }
        }
        let mut of: BTreeMap<Composition, Vec<Option<u32>>> = BTreeMap::new();
        for ((composition, player), &tier) in graph.nodes.iter().zip(&tiers) {
            for renaming in renamings {
                let places = of.entry(renamed(composition, renaming)).or_insert_with(|| vec![None; players]);
                places[*player] = Some(tier);
            }
        }
        Some(Self { measure, of, repeats, leads: leads.into_iter().map(|later| later.into_iter().collect()).collect() })
    }

    /// Returns `true` if play comes back to a state of no tier.
    fn never_repeat(&self) -> bool {
        !self.repeats.contains(&true)
    }

    /// The number of tiers.
    pub fn count(&self) -> usize {
        self.repeats.len()
    }

    /// Returns `true` if play may come back to a state of a tier.
    pub fn repeats(&self, tier: usize) -> bool {
        self.repeats[tier]
    }

    /// The later tiers to which a move of a tier may lead, in order.
    pub fn leads(&self, tier: usize) -> &[u32] {
        &self.leads[tier]
    }

    /// The place in compositions where a cell with a symbol is counted, and how often.
    pub fn counted(&self, cell: usize, symbol: Symbol, symbols: usize) -> CompositionTerm {
        match &self.measure {
            Measure::Zones(zones) => CompositionTerm { place: zones[cell] * symbols + usize::from(symbol), times: 1 },
            Measure::Weights(weights) => CompositionTerm { place: 0, times: weights[cell][usize::from(symbol)] as u64 },
        }
    }

    /// Bytes that differ if cells and symbols are counted in another way.
    pub fn measure_bytes(&self) -> Vec<u8> {
        match &self.measure {
            Measure::Zones(zones) => zones.iter().map(|&zone| zone as u8).collect(),
            Measure::Weights(weights) => weights.iter().flatten().flat_map(|weight| weight.to_le_bytes()).collect(),
        }
    }

    /// The compositions that play may reach, in order. Each has its counts, by [`Self::counted`], and the tier for each
    /// player to move.
    pub fn compositions(&self) -> impl Iterator<Item = (&[u16], &[Option<u32>])> {
        self.of.iter().map(|(composition, tiers)| (&composition[..], &tiers[..]))
    }
}

/// The place in compositions where a cell with a symbol is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompositionTerm {
    /// The place.
    pub place: usize,
    /// The number that it adds there.
    pub times: u64,
}

/// For each player, the changes that the moves may make to compositions; `None` if there are too many.
fn changes_of(rules: &Rules, zones: &[usize]) -> Option<Vec<Vec<Change>>> {
    let mut changes = vec![BTreeSet::new(); rules.player_count()];
    for given in rules.moves.iter().filter(|given| !given.when.never()) {
        let of_move = Tried::changes(rules, zones, given)?;
        for (player, changes) in changes.iter_mut().enumerate() {
            if given.player.is_none_or(|mover| mover == player) {
                changes.extend(of_move.iter().cloned());
            }
        }
        if changes.iter().any(|changes| changes.len() > MOST_CHANGES) {
            return None;
        }
    }
    Some(changes.into_iter().map(|changes| changes.into_iter().collect()).collect())
}

/// A search over the symbols that a move's cells may hold.
struct Tried<'a> {
    rules: &'a Rules,
    zones: &'a [usize],
    given: &'a Move,
    /// The cells that the move reads or writes.
    cells: Vec<usize>,
    /// The symbols that they are given.
    held: Vec<Symbol>,
    left: usize,
    found: BTreeSet<Change>,
}

impl Tried<'_> {
    /// The changes that a move may make; `None` if there are too many combinations to try.
    fn changes(rules: &Rules, zones: &[usize], given: &Move) -> Option<BTreeSet<Change>> {
        let symbols = rules.symbols.len();
        // Guards that allow several symbols, or compare other cells, are not looked at here. So some changes may be
        // impossible, which makes tiers larger but never wrong.
        let count = zones.iter().max().map_or(1, |last| last + 1);
        let mut needs = vec![0; count * symbols];
        for (cell, symbol) in given.when.0.iter().filter_map(|(cell, set)| Some((*cell, set.single()?))) {
            needs[zones[cell] * symbols + symbol as usize] += 1;
        }
        if let Some(more) = rules.composition_change(given).filter(|_| count == 1) {
            let more = more.into_iter().map(|more| more as i32).collect();
            return Some([Change { more, needs }].into());
        }
        let mut cells: BTreeSet<usize> = given.then.iter().map(|(cell, _)| *cell).collect();
        cells.extend(given.then.iter().filter_map(|(_, source)| match source {
            Source::Copy(from, _) => Some(*from),
            Source::Symbol(_) => None,
        }));
        let cells = cells.into_iter().collect();
        let mut tried =
            Tried { rules, zones, given, cells, held: Vec::new(), left: MOST_TRIED, found: BTreeSet::new() };
        tried.try_all(&needs)?;
        Some(tried.found)
    }

    /// Tries all combinations of symbols that the cells may hold. `needs` has the cells that must hold each symbol by
    /// the guard.
    fn try_all(&mut self, needs: &[u16]) -> Option<()> {
        let symbols = self.rules.symbols.len();
        let allowed = |&cell: &usize| -> Vec<Symbol> {
            let allowed = self.given.when.allowed(cell, symbols);
            allowed.iter().take_while(|&symbol| usize::from(symbol) < symbols).collect()
        };
        let allowed: Vec<Vec<Symbol>> = self.cells.iter().map(allowed).collect();
        if allowed.iter().any(Vec::is_empty) {
            return Some(());
        }
        let mut places = vec![0; allowed.len()];
        loop {
            self.held = allowed.iter().zip(&places).map(|(allowed, &place)| allowed[place]).collect();
            self.try_held(needs)?;
            // The next way: as a number is counted up, digit by digit.
            let at = places.iter().zip(&allowed).rposition(|(&place, allowed)| place + 1 < allowed.len());
            let Some(at) = at else { return Some(()) };
            places[at] += 1;
            places[at + 1..].fill(0);
        }
    }

    /// Adds the change of the move for the symbols chosen in `held`.
    fn try_held(&mut self, needs: &[u16]) -> Option<()> {
        let symbols = self.rules.symbols.len();
        self.left = self.left.checked_sub(1)?;
        let held = |cell: usize| self.cells.binary_search(&cell).ok().map(|at| self.held[at]);
        let excluded = |compared: &Comparison| match (held(compared.first), held(compared.second)) {
            (Some(one), Some(other)) => (one == other) != compared.equal,
            _ => false,
        };
        if self.given.compares.iter().any(excluded) {
            return Some(());
        }
        let (mut more, mut needs) = (vec![0; needs.len()], needs.to_vec());
        let place = |cell: usize, symbol: Symbol| self.zones[cell] * symbols + usize::from(symbol);
        for (&cell, &symbol) in self.cells.iter().zip(&self.held) {
            // A symbol that the guard fixes is counted in `needs` already.
            if self.given.when.get(cell).and_then(SymbolSet::single).is_none() {
                needs[place(cell, symbol)] += 1;
            }
        }
        for (cell, source) in &self.given.then {
            more[place(*cell, held(*cell)?)] -= 1;
            let written = match source {
                Source::Symbol(symbol) => *symbol,
                Source::Copy(from, map) => {
                    let read = held(*from)?;
                    map.as_ref().map_or(read, |map| map[read as usize])
                }
            };
            more[place(*cell, written)] += 1;
        }
        self.found.insert(Change { more, needs });
        Some(())
    }
}

/// The composition after symbols are renamed.
fn renamed(composition: &[u16], renaming: &[Symbol]) -> Composition {
    let mut image = vec![0; composition.len()];
    for (zone, of_zone) in composition.chunks(renaming.len()).enumerate() {
        for (&count, &symbol) in of_zone.iter().zip(renaming) {
            image[zone * renaming.len() + symbol as usize] = count;
        }
    }
    image
}

/// The compositions that play may reach, each with the player to move, and the edges between them. It has one
/// composition of each orbit under the renamings: the smallest.
struct CompositionGraph {
    nodes: Vec<(Composition, usize)>,
    edges: Vec<Vec<u32>>,
}

impl CompositionGraph {
    /// The graph from the composition of the start, whose numbers are at most `most`; `None` if it is too large.
    fn new(
        rules: &Rules,
        start: &[u16],
        most: u16,
        changes: &[Vec<Change>],
        renamings: &BTreeSet<Vec<Symbol>>,
    ) -> Option<Self> {
        // The renamings are a group, so the images under them are those under their inverses, which are read off one by
        // one: most are found to be larger after some few numbers.
        let smallest = |composition: &[u16]| {
            let mut smallest = composition.to_vec();
            for renaming in renamings {
                let zones = composition.chunks(renaming.len());
                let image = zones.flat_map(|zone| renaming.iter().map(|&symbol| zone[symbol as usize]));
                if image.clone().lt(smallest.iter().copied()) {
                    smallest = image.collect();
                }
            }
            smallest
        };
        let mut nodes = vec![(smallest(start), 0)];
        let mut numbers: HashMap<(Composition, usize), u32> = [(nodes[0].clone(), 0)].into();
        let (mut edges, mut images) = (Vec::new(), 0);
        while let Some((composition, player)) = nodes.get(edges.len()).cloned() {
            let mut followers = BTreeSet::new();
            for Change { more, needs } in &changes[player] {
                if composition.iter().zip(needs).any(|(has, needs)| has < needs) {
                    continue;
                }
                let after: Option<Composition> = composition
                    .iter()
                    .zip(more)
                    .map(|(&has, &more)| u16::try_from(i32::from(has) + more).ok().filter(|&now| now <= most))
                    .collect();
                // No state with too few of a symbol, or too much weight, has such a move.
                let Some(after) = after else { continue };
                images += renamings.len();
                let node = (smallest(&after), rules.next_player(player));
                let number = *numbers.entry(node).or_insert_with_key(|node| {
                    nodes.push(node.clone());
                    nodes.len() as u32 - 1
                });
                followers.insert(number);
            }
            if nodes.len() > MOST_COMPOSITIONS || images > MOST_IMAGES {
                return None;
            }
            edges.push(followers.into_iter().collect());
        }
        Some(Self { nodes, edges })
    }

    /// For each node its strongly connected component, numbered so that no edge leads to a smaller number; and the
    /// number of components. This is Tarjan's algorithm, with a list in place of recursion.
    fn components(&self) -> (Vec<u32>, usize) {
        const NEW: u32 = u32::MAX;
        let count = self.nodes.len();
        let (mut seen, mut low, mut component) = (vec![NEW; count], vec![0; count], vec![NEW; count]);
        let (mut open, mut found, mut next) = (Vec::new(), 0u32, 0u32);
        // All nodes can be reached from the first one. The path has each node with the number of its edges that were
        // followed.
        let mut path: Vec<(usize, usize)> = vec![(0, 0)];
        while let Some((node, followed)) = path.pop() {
            if followed == 0 {
                (seen[node], low[node]) = (next, next);
                next += 1;
                open.push(node);
            } else {
                let follower = self.edges[node][followed - 1] as usize;
                // A component that is closed already has a number, and does not belong to this one.
                if component[follower] == NEW {
                    low[node] = low[node].min(low[follower]);
                }
            }
            if let Some(&follower) = self.edges[node].get(followed) {
                path.push((node, followed + 1));
                if seen[follower as usize] == NEW {
                    path.push((follower as usize, 0));
                }
                continue;
            }
            if low[node] == seen[node] {
                while let Some(member) = open.pop() {
                    component[member] = found;
                    if member == node {
                        break;
                    }
                }
                found += 1;
            }
        }
        // A component is closed after all components to which it leads.
        (component.into_iter().map(|component| found - 1 - component).collect(), found as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RulesData;

    fn tiers(json: &str) -> Option<RuleTiers> {
        let data: RulesData = serde_json::from_str(json).unwrap();
        let rules = Rules::new(&data).unwrap();
        let symmetries = [vec![Symmetry::identity(rules.cells(), rules.symbols.len())], rules.generators.clone()];
        RuleTiers::new(&rules, &symmetries.concat(), &|| None)
    }

    /// The moves of an `x` at each cell of a row, to both sides. `then` is given the cell of the `x` and the one beside
    /// it.
    fn moves(cells: usize, then: impl Fn(usize, usize) -> String) -> String {
        let pairs = (1..cells).flat_map(|at| [(at - 1, at), (at, at - 1)]);
        let one = |(a, b): (usize, usize)| {
            format!(r#"{{"name": "{a}{b}", "when": [[{a}, ["x"]], [{b}, ["."]]], "then": [{}]}}"#, then(a, b))
        };
        pairs.map(one).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn walls_make_tiers_and_slides_make_circles() {
        let slides = moves(4, |a, b| format!(r#"[{a}, "."], [{b}, "x"]"#));
        let walls = moves(4, |_, b| format!(r##"[{b}, "#"]"##)).replace("name\": \"", "name\": \"wall ");
        let json = |moves: &str| {
            format!(r##"{{"symbols": [".", "x", "#"], "start": ["x", ".", ".", "."], "moves": [{moves}]}}"##)
        };
        let found = tiers(&json(&format!("{slides}, {walls}"))).unwrap();
        assert_eq!(found.count(), 4);
        // The numbers prove that play stops when all cells are full: nothing can slide.
        assert_eq!((0..4).map(|tier| found.repeats(tier)).collect::<Vec<_>>(), [true, true, true, false]);
        assert_eq!(
            (0..4).map(|tier| found.leads(tier).to_vec()).collect::<Vec<_>>(),
            [vec![1], vec![2], vec![3], vec![]]
        );
        assert_eq!(tiers(&json(&slides)), None);
        let found = tiers(&json(&walls)).unwrap();
        assert!((0..4).all(|tier| !found.repeats(tier)));
    }

    #[test]
    fn a_hand_is_counted_apart_from_the_board() {
        // Two cells of a hand, and two of a board, on which pieces slide. The numbers of all four cells never change.
        let put = |hand: usize, cell: usize| {
            format!(
                r#"{{"name": "{hand}-{cell}", "when": [[{hand}, ["x"]], [{cell}, ["."]]],
                    "then": [[{hand}, {{"copy": {cell}}}], [{cell}, {{"copy": {hand}}}]]}}"#
            )
        };
        let slide = |a: usize, b: usize| put(a, b);
        let moves = [put(0, 2), put(0, 3), put(1, 2), put(1, 3), slide(2, 3), slide(3, 2)].join(", ");
        let found = tiers(&format!(
            r#"{{"symbols": [".", "x"], "start": ["x", "x", ".", "."], "moves": [{moves}],
                "symmetries": [{{"name": "hands", "cells": [1, 0, 2, 3]}}]}}"#
        ));
        let found = found.unwrap();
        assert_eq!(found.count(), 3);
        assert_eq!((0..3).map(|tier| found.repeats(tier)).collect::<Vec<_>>(), [false, true, false]);
    }

    #[test]
    fn a_symmetry_that_renames_symbols_makes_one_tier_of_two() {
        // A cell is marked with `a` or with `b`, and the other is made the same. Numbers do not tell which cell is
        // empty, so an `a` and a `b` are there, too.
        let json = |symmetries: &str| {
            format!(
                r#"{{"symbols": [".", "a", "b"], "start": [".", "."], "moves": [
                    {{"name": "a", "when": [[0, ["."]]], "then": [[0, "a"]]}},
                    {{"name": "b", "when": [[0, ["."]]], "then": [[0, "b"]]}},
                    {{"name": "c", "when": [[1, ["."]]], "then": [[1, {{"copy": 0}}]]}}],
                    "symmetries": [{symmetries}]}}"#
            )
        };
        let renamed = r#"{"name": "renamed", "cells": [0, 1], "symbols": {"a": "b", "b": "a"}}"#;
        assert_eq!(tiers(&json("")).unwrap().count(), 6);
        assert_eq!(tiers(&json(renamed)).unwrap().count(), 4);
    }
}
