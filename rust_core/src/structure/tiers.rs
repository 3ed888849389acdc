//! Finds tiers, sets of states that play leaves for good, from the compositions of states, or from a potential.
//! `docs/values.md` explains to users what they are good for.
//!
//! The *composition* of a state is the number of cells that hold each symbol; in a game, it includes whose turn it is.
//! The cells that a move reads and writes decide how it changes the composition. So the compositions that play may
//! reach are found without looking at states: from the composition of the start, along the changes that moves can make.
//! These are the nodes and edges of a graph. If play can come back to a state, it can come back to its composition. So
//! each strongly connected component of the graph, in which play may go back and forth, is a *tier*. A move stays in
//! its tier or leads to a later one.
//!
//! For example, take four cells in a row, `x...`, and a puzzle in which an `x` slides into an empty cell beside it, or
//! puts a wall `#` there. At the start, the numbers of `.`, `x` and `#` are 3 1 0. A slide keeps these numbers, and a
//! wall stays for ever: 2 1 1, 1 1 2 and 0 1 3 follow. So there are four tiers, and in all but the last, play may go
//! round in circles.
//!
//! If some cells never come back to a symbol that they have left, and other cells may, the two kinds of cells are two
//! *zones*, in which symbols are counted separately. For example, pieces are put on a board from the cells of a hand.
//! All cells together hold the same pieces as before, but the hand holds one less.
//!
//! If play may come back to a composition, but a [`Potential`] proves that it never comes back to a state, the levels
//! of the potential take the place of compositions. Then each pair of a level and a player to move is a tier.
//!
//! A symmetry may rename symbols, and so permutes the counts of a composition. All images of a composition are one node
//! of the graph. So all images of a state are in the same tier.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::potential::Potential;
use super::repeats;
use crate::ordered::OrderedSet;
use crate::rules::{Comparison, Move, Rules, Source, Symbol, SymbolSet, Symmetry};
use crate::sorting::Gather;

/// The most compositions that are looked at. If play may reach more, the rules count as one tier. A board of 19 by 19
/// cells with two kinds of pieces has about this many.
const MOST_COMPOSITIONS: usize = 1 << 16;

/// The most images of compositions under renamings that are computed, which takes about a second. Only groups of
/// hundreds of renamings have more.
const MOST_IMAGES: usize = 1 << 24;

/// The most different changes of compositions. If a player's moves make more, the rules count as one tier.
const MOST_CHANGES: usize = 1 << 10;

/// The most combinations of symbols that are tried for one move, if its change depends on what its cells hold.
const MOST_TRIED: usize = 1 << 12;

/// A composition: for each symbol, the number of cells that hold it. If there are two zones, the counts of the first
/// zone come first. With a potential, there is only one number, the level.
type Composition = Vec<u16>;

/// The tiers of rules, numbered so that no move leads to a tier with a smaller number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleTiers {
    measure: Measure,
    /// For each composition that play may reach, and for each player to move, the tier; `None` if play does not reach
    /// the composition with that player to move.
    of: BTreeMap<Composition, Vec<Option<u32>>>,
    /// For each tier, `true` if play may come back to a state of the tier.
    repeats: Vec<bool>,
    /// For each tier, the later tiers to which its moves may lead, in order.
    leads: Vec<Vec<u32>>,
}

/// The numbers of which a composition consists.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Measure {
    /// For each zone and symbol, how many cells of the zone hold the symbol. The list has the zone of each cell.
    Zones(Vec<usize>),
    /// One number, the level: the sum of the weights that a potential gives to the symbols in the cells. The list has,
    /// for each cell, the weight of each symbol.
    Weights(Vec<Vec<i64>>),
}

/// A change that a move may make to a composition.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Change {
    /// For each count of a composition, by how much it grows.
    more: Vec<i32>,
    /// For each count of a composition, the least number that it must have before the move.
    needs: Vec<u16>,
}

impl RuleTiers {
    /// Finds the tiers of rules. `symmetries` are those that do not exchange the players. `None` if all states are of
    /// one tier, or if finding more would take too long. `potential` finds a potential; it is called only if
    /// compositions do not show that play never comes back to a state.
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
        // The second zone has the cells that never come back to a symbol, if that is true of all their images, too. So
        // symmetries carry zones onto themselves.
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
        let renamings: BTreeSet<Vec<Symbol>> = symmetries.iter().map(|symmetry| symmetry.symbols.to_vec()).gather();
        let (symbols, count) = (rules.symbols.len(), zones.iter().max().map_or(1, |last| last + 1));
        let mut start = vec![0; count * symbols];
        for (&symbol, zone) in rules.start.iter().zip(&zones) {
            start[zone * symbols + symbol as usize] += 1;
        }
        let graph = CompositionGraph::new(rules, &start, u16::MAX, &changes, &renamings)?;
        Self::of_graph(Measure::Zones(zones), &graph, rules.alternating(), &renamings)
    }

    /// The tiers from the levels of a potential. `None` if the rules have forced passes: a pass may keep the level, so
    /// play might go back and forth between the turns of both players at one level.
    fn by_level(rules: &Rules, potential: &Potential) -> Option<Self> {
        if rules.forces_passes() {
            return None;
        }
        let change = |&raise: &i64| Some(Change { more: vec![i32::try_from(raise).ok()?], needs: vec![0] });
        let changes = |raises: &BTreeSet<i64>| raises.iter().map(change).collect::<Option<Vec<Change>>>();
        let changes = potential.raises().iter().map(changes).collect::<Option<Vec<_>>>()?;
        let (most, weights) = (potential.most_level()?, potential.weights().to_vec());
        let start: i64 = weights.iter().zip(&rules.start).map(|(weights, &symbol)| weights[symbol as usize]).sum();
        let renamings: BTreeSet<_> = [vec![0]].into_iter().gather();
        let graph = CompositionGraph::new(rules, &[u16::try_from(start).ok()?], most, &changes, &renamings)?;
        Self::of_graph(Measure::Weights(weights), &graph, rules.alternating(), &renamings)
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

    /// Returns `true` if there is no tier in which play may come back to a state.
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

    /// The later tiers to which moves of a tier may lead, in order.
    pub fn leads(&self, tier: usize) -> &[u32] {
        &self.leads[tier]
    }

    /// The amount that a cell which holds `symbol` adds to the composition of a state.
    pub fn counted(&self, cell: usize, symbol: Symbol, symbols: usize) -> CompositionTerm {
        match &self.measure {
            Measure::Zones(zones) => CompositionTerm { place: zones[cell] * symbols + usize::from(symbol), times: 1 },
            Measure::Weights(weights) => CompositionTerm { place: 0, times: weights[cell][usize::from(symbol)] as u64 },
        }
    }

    /// Bytes that describe how cells and symbols count in a composition. They are equal exactly if [`Self::counted`] is
    /// equal for all cells and symbols.
    pub fn measure_bytes(&self) -> Vec<u8> {
        match &self.measure {
            Measure::Zones(zones) => zones.iter().map(|&zone| zone as u8).collect(),
            Measure::Weights(weights) => weights.iter().flatten().flat_map(|weight| weight.to_le_bytes()).collect(),
        }
    }

    /// The compositions that play may reach, in order, with the tier for each player to move.
    pub fn compositions(&self) -> impl Iterator<Item = (&[u16], &[Option<u32>])> {
        self.of.iter().map(|(composition, tiers)| (&composition[..], &tiers[..]))
    }
}

/// A number that a cell adds to one count of a composition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompositionTerm {
    /// The place of the count in the composition.
    pub place: usize,
    /// The number that is added.
    pub times: u64,
}

/// For each player, the changes that moves may make to compositions; `None` if there are more than [`MOST_CHANGES`].
fn changes_of(rules: &Rules, zones: &[usize]) -> Option<Vec<Vec<Change>>> {
    let mut changes = vec![OrderedSet::new(); rules.alternating()];
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

/// A search through the combinations of symbols that the cells of a move may hold before it.
struct Tried<'a> {
    rules: &'a Rules,
    zones: &'a [usize],
    given: &'a Move,
    /// The cells that the move reads or writes, in order.
    cells: Vec<usize>,
    /// The symbols that these cells hold in the present combination.
    held: Vec<Symbol>,
    left: usize,
    found: OrderedSet<Change>,
}

impl Tried<'_> {
    /// The changes that a move may make to a composition; `None` if there are too many combinations to try.
    fn changes(rules: &Rules, zones: &[usize], given: &Move) -> Option<OrderedSet<Change>> {
        let symbols = rules.symbols.len();
        // `needs` counts the cells in which the guard demands one certain symbol. Other parts of the guard are not used
        // fully, so some of the changes may be impossible. That can make a tier larger, but never wrong.
        let count = zones.iter().max().map_or(1, |last| last + 1);
        let mut needs = vec![0; count * symbols];
        for (cell, symbol) in given.when.0.iter().filter_map(|(cell, set)| Some((*cell, set.single()?))) {
            needs[zones[cell] * symbols + symbol as usize] += 1;
        }
        if let Some(more) = rules.composition_change(given).filter(|_| count == 1) {
            let more = more.into_iter().map(|more| more as i32).collect();
            return Some([Change { more, needs }].into_iter().gather());
        }
        let mut cells: OrderedSet<usize> = given.then.iter().map(|(cell, _)| *cell).gather();
        cells.extend(given.then.iter().filter_map(|(_, source)| match source {
            Source::Copy(from, _) => Some(*from),
            Source::Symbol(_) => None,
        }));
        let cells = cells.into_iter().collect();
        let mut tried =
            Tried { rules, zones, given, cells, held: Vec::new(), left: MOST_TRIED, found: OrderedSet::new() };
        tried.try_all(&needs)?;
        Some(tried.found)
    }

    /// Tries all combinations of symbols that the cells may hold. `needs` counts the cells in which the guard demands
    /// one certain symbol. `None` if there are too many combinations.
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
            // Goes to the next combination, as in counting up a number digit by digit.
            let at = places.iter().zip(&allowed).rposition(|(&place, allowed)| place + 1 < allowed.len());
            let Some(at) = at else { return Some(()) };
            places[at] += 1;
            places[at + 1..].fill(0);
        }
    }

    /// Adds the change that the move makes if the cells hold the symbols in `held`. `None` if too many combinations
    /// have been tried.
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
            // A cell in which the guard demands one certain symbol is in `needs` already.
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

/// The composition of a state after its symbols are renamed.
fn renamed(composition: &[u16], renaming: &[Symbol]) -> Composition {
    let mut image = vec![0; composition.len()];
    for (zone, of_zone) in composition.chunks(renaming.len()).enumerate() {
        for (&count, &symbol) in of_zone.iter().zip(renaming) {
            image[zone * renaming.len() + symbol as usize] = count;
        }
    }
    image
}

/// The graph of the compositions that play may reach, each with the player to move. Of the compositions that renamings
/// carry onto each other, only the smallest is a node.
struct CompositionGraph {
    nodes: Vec<(Composition, usize)>,
    edges: Vec<Vec<u32>>,
}

impl CompositionGraph {
    /// The graph from the composition of the start. No number of a composition may be more than `most`. `None` if the
    /// graph is too large.
    fn new(
        rules: &Rules,
        start: &[u16],
        most: u16,
        changes: &[Vec<Change>],
        renamings: &BTreeSet<Vec<Symbol>>,
    ) -> Option<Self> {
        // The renamings form a group, so their inverses give the same images. An image under an inverse can be computed
        // one count at a time, and most comparisons end after a few counts.
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
                // `None` if some count would be negative or too large. Then no state with this composition has such a
                // move.
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

    /// For each node, the number of its strongly connected component; and the number of components. Components are
    /// numbered so that no edge leads to a smaller number. This is Tarjan's algorithm, with a list in place of
    /// recursion.
    fn components(&self) -> (Vec<u32>, usize) {
        const NEW: u32 = u32::MAX;
        let count = self.nodes.len();
        let (mut seen, mut low, mut component) = (vec![NEW; count], vec![0; count], vec![NEW; count]);
        let (mut open, mut found, mut next) = (Vec::new(), 0u32, 0u32);
        // The first node leads to all others. The path has each node that is being visited, with the number of its
        // edges that have been followed.
        let mut path: Vec<(usize, usize)> = vec![(0, 0)];
        while let Some((node, followed)) = path.pop() {
            if followed == 0 {
                (seen[node], low[node]) = (next, next);
                next += 1;
                open.push(node);
            } else {
                let follower = self.edges[node][followed - 1] as usize;
                // A node that has a component is no longer on the path, and is not in the component of this node.
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
        // A component gets its number after all components to which it leads, so the numbers are reversed here.
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

    /// Moves on a row of cells, one for each pair of a cell that holds `x` and an empty cell beside it. `then` makes
    /// the effect from these two cells.
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
        // In the last tier, all cells are full, so nothing can slide.
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
        // Two cells of a hand and two cells of a board on which pieces slide. The numbers in all four cells together
        // never change.
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
        // One cell is marked with `a` or `b`, and the other one is made equal to it. Compositions do not show which
        // cell is empty, so one `a` and one `b` seem possible.
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
