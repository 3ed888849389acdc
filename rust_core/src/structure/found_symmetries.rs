//! Finds symmetries that nobody declared: the automorphisms of the graph of the rules. Symmetries without effect, which
//! change no reachable state, are left out, and the group is kept small enough. `docs/rules.md` explains them to users.

use std::collections::HashSet;

use super::automorphisms::{Automorphisms, automorphisms};
use super::coloured::{RulesGraph, Vertex};
use super::symmetries::{MAX_ORDER, SymmetryGroup};
use crate::rules::{Rules, SymmetriesData, Symmetry, SymmetryCheck, SymmetryData};
use crate::sorting::Gather;

/// The symmetries that were found in rules.
#[derive(Debug, Clone)]
pub struct FoundSymmetries {
    /// Generators of a group of at most 4,096 elements. Each has passed the check that declared symmetries pass.
    pub generators: Vec<Symmetry>,
    /// The number of elements of the group that do not exchange the players.
    pub order: usize,
    /// The number of elements that the group would have without its limit; `u128::MAX` if there are more.
    pub whole: u128,
    /// The number of symmetries without effect: those that change no reachable state. Symmetries that differ only by
    /// one of them count once.
    pub idle: u128,
    /// `true` if the search has found all symmetries; `false` if it gave up before it had tried everything.
    pub complete: bool,
}

/// If more symmetries than this change no reachable state, [`one_by_one`] is not tried.
const MOST_IDLE: usize = 64;

/// The number of choices after which the search for generators is given up.
const MOST_TRIES: usize = 4096;

impl FoundSymmetries {
    /// Finds the symmetries of rules. The same rules always give the same generators.
    pub fn of_rules(rules: &Rules) -> Self {
        let graph = RulesGraph::new(rules);
        let check = SymmetryCheck::new(rules);
        // The graph does not say all that the rules say, so each automorphism is checked against the rules.
        let accept = |image: &[Vertex]| check.check(&graph.symmetry(image)).is_ok();
        let found = automorphisms(&graph.graph, graph.said, accept);
        let moves = || graph.moves.iter().copied();
        let idle = automorphisms(&graph.with_apart(moves()), graph.said, accept);
        let moving = |image: &&Vec<Vertex>| moves().any(|given| image[given as usize] != given);
        let moving: Vec<&Vec<Vertex>> = found.generators.iter().filter(moving).collect();
        let everything: Vec<Vertex> = (0..graph.graph.colours.len() as Vertex).collect();
        let chosen = in_order(&graph, &check, &moving, &idle, &everything).or_else(|| {
            let untouched = graph.untouched();
            let moving = in_order(&graph, &check, &moving, &idle, &untouched)?;
            let apart = graph.with_apart(moves().chain(untouched));
            one_by_one(&graph, &moving, &automorphisms(&apart, graph.said, accept))
        });
        let chosen = chosen.unwrap_or_else(|| moving.iter().map(|image| graph.symmetry(image)).collect());
        let group = within(rules, &chosen, most_elements(rules));
        let swaps = |symmetry: &Symmetry| symmetry.swap_players;
        let halved = |order: u128, swapped: bool| if swapped { order / 2 } else { order };
        let whole = if found.order == u128::MAX { u128::MAX } else { found.order / idle.order };
        let generators = group.generators.iter().zip(1..);
        Self {
            order: group.elements.iter().filter(|element| !swaps(element)).count(),
            whole: halved(whole, chosen.iter().any(swaps)),
            idle: idle.order.saturating_mul(graph.left_out()),
            complete: found.complete && idle.complete,
            generators: generators
                .map(|(found, at)| Symmetry { name: format!("found {at}"), ..found.clone() })
                .collect(),
        }
    }

    /// The generators, as an author would declare them.
    pub fn to_data(&self, rules: &Rules) -> SymmetriesData {
        let name = |symbol: usize| rules.symbols[symbol].clone();
        let data = |found: &Symmetry| {
            let changed = found.symbols.iter().enumerate().filter(|&(symbol, &to)| symbol != to as usize);
            SymmetryData {
                name: found.name.clone(),
                cells: found.cells.iter().map(|&cell| cell as i64).collect(),
                symbols: changed.map(|(symbol, &to)| (name(symbol), name(to as usize))).gather(),
                swap_players: found.swap_players,
            }
        };
        SymmetriesData::Declared(self.generators.iter().map(data).collect())
    }
}

/// Changes each generator by symmetries without effect. The changed generator carries the vertices of each orbit of
/// these symmetries, as far as they are in `some`, to images in ascending order.
///
/// For example, the cells 5, 6 and 7 are interchangeable, the cells 15, 16 and 17 are, too, and a generator carries the
/// first three onto the last three in some order. It is changed to carry 5 to 15, 6 to 16 and 7 to 17. So if a product
/// of the changed generators carries these cells onto themselves, it leaves each in place. `some` has all vertices, or
/// only those that no move touches. `None` if a changed map is no symmetry.
fn in_order(
    graph: &RulesGraph,
    check: &SymmetryCheck,
    moving: &[&Vec<Vertex>],
    idle: &Automorphisms,
    some: &[Vertex],
) -> Option<Vec<Symmetry>> {
    let orbits = orbits(graph.graph.colours.len(), &idle.generators);
    let mut place: Vec<(usize, usize)> = vec![(0, 0); graph.graph.colours.len()];
    for (orbit, members) in orbits.iter().enumerate() {
        members.iter().enumerate().for_each(|(at, &vertex)| place[vertex as usize] = (orbit, at));
    }
    let ordered = |image: &&Vec<Vertex>| {
        let mut ordered = (*image).clone();
        for &vertex in some {
            let (orbit, at) = place[vertex as usize];
            let onto = image[orbits[orbit][0] as usize];
            ordered[vertex as usize] = *orbits[place[onto as usize].0].get(at)?;
        }
        let distinct: HashSet<Vertex> = ordered.iter().copied().collect();
        let symmetry = graph.symmetry(&ordered);
        // If only some vertices were changed, the images of literals, ends and goals are out of date. Then only the
        // check against the rules is made.
        let whole = some.len() == ordered.len();
        if distinct.len() < ordered.len() || (whole && !graph.graph.is_automorphism(&ordered)) {
            return None;
        }
        check.check(&symmetry).is_ok().then_some(symmetry)
    };
    moving.iter().map(ordered).collect()
}

/// Multiplies each generator by some symmetry without effect, chosen so that no product of the generators is without
/// effect, except for the identity. `None` if there is no such choice, or if there are too many to try.
fn one_by_one(graph: &RulesGraph, moving: &[Symmetry], idle: &Automorphisms) -> Option<Vec<Symmetry>> {
    let none = SymmetryGroup::trivial(graph.rules.cells(), graph.rules.symbols.len());
    let all =
        idle.generators.iter().try_fold(none.clone(), |group, image| group.with(&graph.symmetry(image), MOST_IDLE))?;
    // The choices so far: for each, the group that the generators up to it make, and the number of the symmetry without
    // effect that is tried next for the following generator.
    let mut chosen = vec![(none, 0)];
    let mut tries = MOST_TRIES;
    loop {
        let made = chosen.len().checked_sub(1)?;
        let (group, next) = &mut chosen[made];
        let Some(generator) = moving.get(made) else { return Some(std::mem::take(&mut group.generators)) };
        let Some(change) = all.elements.get(*next) else {
            chosen.pop();
            continue;
        };
        *next += 1;
        tries = tries.checked_sub(1)?;
        let larger = group.with(&generator.then(change), MAX_ORDER);
        let apart = |larger: &SymmetryGroup| larger.elements[1..].iter().all(|element| !all.contains(element));
        chosen.extend(larger.filter(apart).map(|larger| (larger, 0)));
    }
}

/// The group that is generated by the given generators, in order. A generator that would give the group more than
/// `most` elements is skipped.
fn within(rules: &Rules, generators: &[Symmetry], most: usize) -> SymmetryGroup {
    let mut group = SymmetryGroup::trivial(rules.cells(), rules.symbols.len());
    for generator in generators {
        if let Some(larger) = group.with(generator, most) {
            group = larger;
        }
    }
    group
}

/// The most elements that the group may have. A large board gets fewer, because the tables of images must fit the
/// memory.
fn most_elements(rules: &Rules) -> usize {
    // In the tables of images, each element has a word for each cell and symbol. All words together may take 512 MiB.
    let bits = (rules.symbols.len().max(2) - 1).ilog2() + 1;
    let word = (rules.cells() * bits as usize / 8).next_power_of_two().max(4);
    let element = (rules.cells() << bits) * word;
    ((1 << 29) / element).clamp(1, MAX_ORDER)
}

/// The orbits of all vertices under the group of the generators, each sorted.
fn orbits(vertices: usize, generators: &[Vec<Vertex>]) -> Vec<Vec<Vertex>> {
    let mut orbits: Vec<Vec<Vertex>> = Vec::new();
    let mut known = vec![false; vertices];
    for vertex in 0..vertices as Vertex {
        if known[vertex as usize] {
            continue;
        }
        known[vertex as usize] = true;
        let (mut orbit, mut at) = (vec![vertex], 0);
        while let Some(&from) = orbit.get(at) {
            for generator in generators {
                let to = generator[from as usize];
                if !std::mem::replace(&mut known[to as usize], true) {
                    orbit.push(to);
                }
            }
            at += 1;
        }
        orbit.sort_unstable();
        orbits.push(orbit);
    }
    orbits
}
