//! The number of states that the moves of a puzzle of pieces reach, even if pieces look alike.
//!
//! `docs/definitions.md`, "What becomes of a definition", explains to users what is counted.

use super::permutations::PermutationGroup;
use super::permuting::{identity, inverse, then};
use super::pieces::Pieces;

/// If there are more points than this, no states are counted, because that would take too long.
const MOST_POINTS: usize = 224;

/// The number of states that moves of pieces reach. It is the product of `orbits`, divided by the product of `alike`.
#[derive(Debug)]
pub struct GroupStates {
    /// The factors of the order of a group.
    pub orbits: Vec<usize>,
    /// The factors of the number of its elements that make one state.
    pub alike: Vec<usize>,
}

impl GroupStates {
    /// The states that the moves of pieces reach. `None` if there are too many points, or if exchanges of pieces that
    /// look alike do not carry the group onto itself.
    ///
    /// Let `G` be the group of the moves, and `Y` the group of all exchanges and twists of pieces that change nothing
    /// that is seen. Two elements of `G` make one state if they differ by an element of both groups. So there are
    /// `|G| / |G ∩ Y|` states. If `Y` carries `G` onto itself, this is `|GY| / |Y|`, by the second isomorphism theorem,
    /// and `GY` is the group that both together generate.
    ///
    /// For example, let turns make all even permutations of the cells of `aabb`. They are 12, and `Y` has 4 elements.
    /// Both together make all 24 permutations, so there are 6 states.
    pub(super) fn of_pieces(pieces: &Pieces) -> Option<Self> {
        let (_, degree) = pieces.points();
        if degree > MOST_POINTS {
            return None;
        }
        let moves = pieces.on_points();
        let unseen = unseen(pieces);
        let mut group = PermutationGroup::new(degree, &moves);
        let carried = |by: &Vec<u16>| {
            let back = inverse(by);
            moves.iter().all(|given| group.contains(&then(&then(&back, given), by)))
        };
        if !unseen.iter().all(carried) {
            return None;
        }
        for each in &unseen {
            group.add(each);
        }
        Some(Self { orbits: group.orbit_sizes(), alike: PermutationGroup::new(degree, &unseen).orbit_sizes() })
    }
}

/// Permutations of the points that generate all exchanges of pieces that look alike, and all twists that are not seen.
fn unseen(pieces: &Pieces) -> Vec<Vec<u16>> {
    let (first, degree) = pieces.points();
    let mut found = Vec::new();
    for places in &pieces.kinds {
        for (number, &place) in places.iter().enumerate() {
            let shown = &pieces.symbols[place];
            let twists = shown.len();
            if let Some(by) = (1..twists).find(|&by| shown[by] == shown[0]) {
                let mut image = identity::<u16>(degree);
                (0..twists).for_each(|at| image[first[place] + at] = (first[place] + (at + by) % twists) as u16);
                found.push(image);
            }
            // If the other piece, advanced by some twists, looks like this one, they can be exchanged.
            let alike = places[..number].iter().find_map(|&other| {
                let by = pieces.symbols[other].iter().position(|symbols| *symbols == shown[0])?;
                Some((other, by))
            });
            if let Some((other, by)) = alike {
                let mut image = identity::<u16>(degree);
                for at in 0..twists {
                    let (here, there) = (first[place] + (at + by) % twists, first[other] + at);
                    (image[there], image[here]) = (here as u16, there as u16);
                }
                found.push(image);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashSet};
    use std::sync::Arc;

    use proptest::prelude::*;

    use crate::rules::{MoveData, Rules, RulesData, SourceData};
    use crate::structure::Structure;

    /// Six cells with the symbols of `start`, and moves that permute them.
    fn rules(start: &str, moves: &[Vec<usize>]) -> Rules {
        let moves = moves.iter().enumerate().map(|(name, order)| MoveData {
            name: name.to_string(),
            then: order
                .iter()
                .enumerate()
                .map(|(to, &from)| (to as i64, SourceData::Copy { copy: from as i64, map: BTreeMap::new() }))
                .collect(),
            ..MoveData::default()
        });
        let data = RulesData {
            symbols: "abcdef".chars().map(String::from).collect(),
            start: start.chars().map(String::from).collect(),
            moves: moves.collect(),
            players: Vec::new(),
            goal: Vec::new(),
            ends: Vec::new(),
            stuck: None,
            score: None,
            symmetries: Vec::new().into(),
        };
        Rules::new(&data).expect("rules of a test are right")
    }

    proptest! {
        #[test]
        fn states_are_those_that_a_search_finds(
            start in prop::sample::select(vec!["abcdef", "aabbcc", "aaabbc", "ababab", "aabcbc"]),
            moves in prop::collection::vec(Just((0..6).collect::<Vec<usize>>()).prop_shuffle(), 1..3),
        ) {
            let rules = rules(start, &moves);
            let structure = Structure::new(Arc::new(rules.clone())).expect("no symmetries are declared");
            let Some(counted) = structure.group_states() else { return Ok(()) };
            let (mut found, mut pending) = (HashSet::from([rules.start.clone()]), vec![rules.start.clone()]);
            while let Some(state) = pending.pop() {
                for order in &moves {
                    let after: Vec<_> = order.iter().map(|&from| state[from]).collect();
                    if found.insert(after.clone()) {
                        pending.push(after);
                    }
                }
            }
            let states = counted.orbits.iter().product::<usize>() / counted.alike.iter().product::<usize>();
            prop_assert_eq!(states, found.len());
        }
    }

    #[test]
    fn large_groups_of_cells_that_look_alike_are_counted() {
        // All permutations, and all even ones.
        for moves in
            [[vec![1, 0, 2, 3, 4, 5], vec![1, 2, 3, 4, 5, 0]], [vec![1, 2, 0, 3, 4, 5], vec![0, 2, 3, 4, 5, 1]]]
        {
            let structure = Structure::new(Arc::new(rules("aabbcc", &moves))).expect("no symmetries are declared");
            let counted = structure.group_states().expect("the group is large");
            assert_eq!(counted.orbits.iter().product::<usize>() / counted.alike.iter().product::<usize>(), 90);
        }
    }
}
