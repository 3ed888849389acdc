//! Compares tables with plain searches of whole states and of colourings, on random rules of pieces that twist.

use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use serde_json::json;

use super::bounds::CosetBounds;
use super::choose::choose;
use super::colouring::{Colours, StickerColouring};
use super::coset_table::{CosetTable, HeadAndTail, Shape};
use super::entries::{EntryForm, NEVER};
use super::search::fewest_moves;
use super::sticker_group::{Sticker, StickerSymmetry, Stickers};
use super::*;
use crate::rules::{Rules, RulesData};
use crate::solve::stop_rule::StopRule;
use crate::structure::permuting::inverse;
use crate::tests::{GO_ON, is_long, quick_or_long};

/// A move of `places` pieces with `twists` stickers each: for each place, the place to which its piece goes, and the
/// number of steps by which the piece is turned.
pub type Given = Vec<(usize, usize)>;

/// Rules with a cell for each sticker: cell `place * twists + at` holds the sticker of that number. With `mirror`,
/// there is a second copy of each move with the places reversed, which makes a symmetry. With `back`, each move has an
/// inverse among the moves.
pub fn rules(places: usize, twists: usize, moves: &[Given], (mirror, back): (bool, bool)) -> RulesData {
    let mut images: Vec<Vec<usize>> = Vec::new();
    for given in moves {
        let mut image = vec![0; places * twists];
        for (from, &(to, by)) in given.iter().enumerate() {
            (0..twists).for_each(|at| image[from * twists + at] = to * twists + (at + by) % twists);
        }
        images.push(image);
    }
    if mirror {
        let over = |cell: usize| (places - 1 - cell / twists) * twists + cell % twists;
        for at in 0..images.len() {
            images.push((0..places * twists).map(|cell| over(images[at][over(cell)])).collect());
        }
    }
    if back {
        for at in 0..images.len() {
            let mut undone = vec![0; places * twists];
            images[at].iter().enumerate().for_each(|(from, &to)| undone[to] = from);
            images.push(undone);
        }
    }
    let name = |cell: usize| format!("s{cell}");
    let written: Vec<_> = images
        .iter()
        .enumerate()
        .map(|(number, image)| {
            let then = image.iter().enumerate().filter(|(from, to)| from != *to);
            let then: Vec<_> = then.map(|(from, to)| json!([to, {"copy": from}])).collect();
            json!({"name": format!("m{number}"), "then": then})
        })
        .collect();
    let names: Vec<String> = (0..places * twists).map(name).collect();
    let goal: Vec<_> = names.iter().enumerate().map(|(cell, name)| json!([cell, [name]])).collect();
    serde_json::from_value(json!({"symbols": names, "start": names, "moves": written, "goal": [goal]})).unwrap()
}

pub fn moves(places: usize, twists: usize) -> impl Strategy<Value = Vec<Given>> {
    let order = Just((0..places).collect::<Vec<usize>>()).prop_shuffle();
    let given = (order, 2..=places, prop::collection::vec(0..twists, places)).prop_map(move |(order, size, twists)| {
        // The pieces of the first places of a random order go round in a cycle.
        let mut given: Given = (0..places).map(|place| (place, 0)).collect();
        for at in 0..size {
            given[order[at]] = (order[(at + 1) % size], twists[at]);
        }
        given
    });
    prop::collection::vec(given, 1..4)
}

/// The move of `places` pieces in a row that exchanges the pieces of a place and of the next one.
fn exchange(places: usize, at: usize) -> Given {
    let mut given: Given = (0..places).map(|place| (place, 0)).collect();
    given.swap(at, at + 1);
    given
}

/// For each state from which moves lead to the goal, the fewest such moves. A state is the sticker in each cell.
pub fn distances(stickers: &Stickers) -> HashMap<Vec<Sticker>, u32> {
    let goal: Vec<Sticker> = (0..stickers.len()).map(|at| at as Sticker).collect();
    let mut found = HashMap::from([(goal.clone(), 0)]);
    let mut queue = VecDeque::from([goal]);
    while let Some(state) = queue.pop_front() {
        for given in &stickers.moves {
            let before: Vec<Sticker> = given.image.iter().map(|&to| state[to as usize]).collect();
            if !found.contains_key(&before) {
                found.insert(before.clone(), found[&state] + 1);
                queue.push_back(before);
            }
        }
    }
    found
}

/// For each state of a colouring, the fewest moves after which the state looks like the goal.
fn abstract_distances(
    known: &HashMap<Vec<Sticker>, u32>,
    seen: impl Fn(&[Sticker]) -> Vec<u8>,
    stickers: &Stickers,
) -> HashMap<Vec<u8>, u32> {
    let goal: Vec<Sticker> = (0..stickers.len()).map(|at| at as Sticker).collect();
    let mut before: HashMap<Vec<u8>, Vec<Vec<u8>>> = HashMap::new();
    for state in known.keys() {
        for given in &stickers.moves {
            let mut after = vec![0; state.len()];
            given.image.iter().zip(state).for_each(|(&to, &sticker)| after[to as usize] = sticker);
            before.entry(seen(&after)).or_default().push(seen(state));
        }
    }
    let mut found = HashMap::from([(seen(&goal), 0)]);
    let mut queue = VecDeque::from([seen(&goal)]);
    while let Some(state) = queue.pop_front() {
        let next = found[&state] + 1;
        for earlier in before.remove(&state).unwrap_or_default() {
            if !found.contains_key(&earlier) {
                found.insert(earlier.clone(), next);
                queue.push_back(earlier);
            }
        }
    }
    found
}

pub fn stickers_of(data: &RulesData) -> Option<(Arc<Structure>, Stickers)> {
    let structure = Arc::new(Structure::new(Arc::new(Rules::new(data).ok()?)).ok()?);
    let stickers = Stickers::new(&structure)?;
    Some((structure, stickers))
}

/// The value that a table has for the even state of a head state and a tail state.
fn value(table: &CosetTable, head: usize, tail: usize) -> u8 {
    let values = table.values();
    values.meaning(values.code(values.place(HeadAndTail(head as u64 + HeadAndTail::TAIL * tail as u64))), false).same
}

/// The most values of a table in these tests.
const MOST_ENTRIES: u64 = 1 << 18;

/// Compares a table of random colourings with the plain search, through all look-ups. Returns `false` if the table is
/// too large for that.
fn check_table(stickers: &Stickers, symmetries: &[StickerSymmetry], colourings: &[Colours], tails: usize) -> bool {
    let known = distances(stickers);
    let factors: Option<Vec<_>> = colourings
        .iter()
        .map(|colours| StickerColouring::new(stickers, colours.clone(), 1 << 16).map(Arc::new))
        .collect();
    let Some(factors) = factors else { return false };
    let (tail, head) = factors.split_at(tails.min(factors.len()));
    let shape = Shape::new(stickers, symmetries, head.to_vec(), tail.to_vec());
    // Several colourings with many states each would make a table that no memory holds, or a tail whose states have no
    // number of 16 bits, so they are skipped.
    if shape.entries() > MOST_ENTRIES || shape.bytes() > MOST_ENTRIES || shape.tail_len() > 1 << 16 {
        return false;
    }
    let (symmetric, parity) = (shape.symmetries.len(), shape.parity);
    let tables = [CosetTable::new(stickers, symmetries, shape, None, GO_ON).unwrap()];
    // The last byte of what is seen is 1 if the state is odd, and the table tells odd states from even ones.
    let seen = |state: &[Sticker]| -> Vec<u8> {
        let colours = colourings.iter().flat_map(|colours| state.iter().map(|&sticker| colours[sticker as usize]));
        let odd = parity.is_some_and(|parity| parity.is_odd(stickers, state));
        colours.chain([u8::from(odd)]).collect()
    };
    let expected = abstract_distances(&known, seen, stickers);
    let bounds = CosetBounds::new(stickers, symmetries, &tables);
    let images: Vec<Vec<Sticker>> = symmetries.iter().map(|symmetry| symmetry.image.clone()).collect();
    let least = |state: &Vec<Sticker>| match parity {
        None => expected[&seen(state)].min(15),
        Some(_) => paired(&tables[0], &expected, &seen(state)),
    };
    for (state, &distance) in &known {
        // The bound is the largest value of the images of the state; if moves can be undone, also of the images of its
        // inverse.
        let mut all: Vec<Vec<Sticker>> = vec![state.clone()];
        if stickers.inverse_closed {
            all.push(inverse(state));
        }
        let image = |state: &Vec<Sticker>, image: &Vec<Sticker>| {
            let mut carried = vec![0; state.len()];
            state.iter().enumerate().for_each(|(cell, &held)| carried[image[cell] as usize] = image[held as usize]);
            carried
        };
        let values = all.iter().flat_map(|state| images.iter().map(move |by| least(&image(state, by))));
        let (bound, most) = (u32::from(bounds.bound(state)), values.max().unwrap());
        if images.len() * colourings.len() <= 8 {
            assert_eq!(bound, most, "{state:?} with {symmetric} symmetries");
        }
        // If there are many symmetries, not all of them are looked up.
        assert!(bound <= most && bound >= all.iter().map(least).max().unwrap(), "{state:?}: {bound}, {most}");
        assert!(bound <= distance, "{state:?}: {bound} is more than {distance}");
    }
    true
}

/// The value that a table of pairs has for an abstract state, of which `expected` has the distances.
fn paired(table: &CosetTable, expected: &HashMap<Vec<u8>, u32>, seen: &[u8]) -> u32 {
    let mut other = seen.to_vec();
    *other.last_mut().unwrap() ^= 1;
    let (own, other) = (expected[seen], expected[&other]);
    assert!(own.abs_diff(other) <= 1, "{own} and {other} moves");
    let [unset, newest] = [0, 15].map(|code| table.values().meaning(code, false).same);
    let (smaller, last) = (own.min(other), u32::from(newest));
    match smaller {
        _ if smaller > last => {
            assert_eq!(u32::from(unset), last + 1, "the table is not filled to {smaller}");
            last + 1
        }
        _ if smaller + 3 >= last => own,
        _ if smaller + 5 >= last => smaller,
        _ => 0,
    }
}

/// Checks that a search finds the known fewest moves of a state, unless it first uses up the states that it may search.
fn check_answer(stickers: &Stickers, bounds: &CosetBounds, state: &[Sticker], distance: u32, states: u64) {
    let mut proof = Proof::default();
    let (stop, aside) = (&StopRule::default(), &mut |_| false);
    let mut effort = Effort { states, bytes: u64::MAX, farthest: u64::MAX, stop, aside };
    let found = fewest_moves(bounds, state, &mut proof, &mut effort, GO_ON);
    assert!(proof.lower_bound <= distance, "{state:?}: {} is more than {distance}", proof.lower_bound);
    let Deepened::Solved(moves) = found else {
        assert_eq!(found, Deepened::Full);
        return;
    };
    assert_eq!(moves.len() as u32, distance, "{state:?}");
    let mut held = state.to_vec();
    for index in moves {
        let given = stickers.moves.iter().find(|given| given.index == index).unwrap();
        let before = held.clone();
        given.image.iter().zip(before).for_each(|(&to, sticker)| held[to as usize] = sticker);
    }
    assert!(held.is_sorted());
    assert_eq!(proof.lower_bound, distance);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_table_has_the_distances_of_its_colourings(
        (places, twists, given) in (2usize..5, 1usize..4).prop_flat_map(|(places, twists)| {
            (Just(places), Just(twists), moves(places, twists))
        }),
        kinds in (any::<bool>(), any::<bool>()),
        colourings in prop::collection::vec(prop::collection::vec(0u8..3, 12), 1..4),
        tails in 0usize..4,
        even in any::<bool>(),
    ) {
        if let Some((structure, stickers)) = stickers_of(&rules(places, twists, &given, kinds)) {
            let colour = |colours: &Vec<u8>| -> Colours {
                // Every other time, mirrored places have the same colours, so that symmetries divide the table.
                let of = |sticker: usize| if even && kinds.0 { colours[sticker % twists] } else { colours[sticker] };
                (0..stickers.len()).map(of).collect()
            };
            let colourings: Vec<Colours> = colourings.iter().map(colour).collect();
            let symmetries = stickers.symmetries(&goal_keeping(&structure));
            check_table(&stickers, &symmetries, &colourings, tails);
        }
    }

    #[test]
    fn tables_that_are_chosen_find_the_fewest_moves(
        (places, twists, given) in (3usize..5, 1usize..4).prop_flat_map(|(places, twists)| {
            (Just(places), Just(twists), moves(places, twists))
        }),
        kinds in (any::<bool>(), any::<bool>()),
        entries in prop_oneof![Just(1u64 << 14), 4u64..200],
    ) {
        if let Some((structure, stickers)) = stickers_of(&rules(places, twists, &given, kinds)) {
            let given = goal_keeping(&structure);
            let symmetries = stickers.symmetries(&given);
            let Some(shape) = choose(&stickers, &given, &symmetries, entries, u64::MAX) else { return Ok(()) };
            let tables = [CosetTable::new(&stickers, &symmetries, shape, None, GO_ON).unwrap()];
            let bounds = CosetBounds::new(&stickers, &symmetries, &tables);
            let known = distances(&stickers);
            prop_assert_eq!(stickers.states(), known.len() as u128);
            let mut states: Vec<_> = known.into_iter().collect();
            states.sort();
            for (state, distance) in states.iter().step_by(states.len() / 20 + 1) {
                check_answer(&stickers, &bounds, state, *distance, 5_000);
            }
        }
    }
}

/// Four pieces in a row: neighbours change places, or the first or the last piece is turned. Turns keep the colours
/// that show the places of pieces, and some exchanges keep the colours that show their twists.
#[test]
fn moves_that_keep_colours_are_tried_as_long_as_there_is_room() {
    let turn = |at: usize| (0..4).map(|place| (place, usize::from(place == at))).collect();
    let given: Vec<Given> = vec![exchange(4, 0), exchange(4, 1), exchange(4, 2), turn(0), turn(3)];
    let (structure, stickers) = stickers_of(&rules(4, 3, &given, (false, true))).expect("pieces that twist");
    assert!(stickers.inverse_closed);
    let (given, mut states) = (goal_keeping(&structure), distances(&stickers).into_iter().collect::<Vec<_>>());
    assert_eq!(states.len(), 24 * 81);
    states.sort();
    for entries in [4, 8, 16, 24, 81, 300] {
        let symmetries = stickers.symmetries(&given);
        let Some(shape) = choose(&stickers, &given, &symmetries, entries, u64::MAX) else { continue };
        let tables = [CosetTable::new(&stickers, &symmetries, shape, None, GO_ON).unwrap()];
        let bounds = CosetBounds::new(&stickers, &symmetries, &tables);
        for (state, distance) in states.iter().step_by(quick_or_long(37, 11) as usize) {
            check_answer(&stickers, &bounds, state, *distance, 20_000);
        }
    }
}

/// Two pieces of 37 stickers each, which change places and are turned: more stickers than a short row of weights has.
#[test]
fn many_stickers_are_looked_up() {
    let given: Vec<Given> = vec![exchange(2, 0), vec![(0, 1), (1, 0)], vec![(0, 4), (1, 7)]];
    let (structure, stickers) = stickers_of(&rules(2, 37, &given, (false, true))).expect("pieces that twist");
    assert_eq!((stickers.len(), stickers.inverse_closed), (74, true));
    let symmetries = stickers.symmetries(&goal_keeping(&structure));
    let colours = |of: &dyn Fn(usize) -> usize| -> Colours { (0..74).map(|sticker| of(sticker) as u8).collect() };
    let colourings = [colours(&|sticker| sticker / 37), colours(&|sticker| sticker % 37 / 12)];
    for tails in 0..3 {
        assert!(check_table(&stickers, &symmetries, &colourings, tails));
    }
}

/// Seven pieces in a row, of which neighbours change places, with as few as two colours: each move is odd, and it keeps
/// the colours if it exchanges two pieces of one colour. The values are of all kinds that a pair can have.
#[test]
fn odd_states_are_told_from_even_ones() {
    let given: Vec<Given> = (0..6).map(|at| exchange(7, at)).collect();
    let (structure, stickers) = stickers_of(&rules(7, 1, &given, (false, true))).expect("pieces that look different");
    let symmetries = stickers.symmetries(&goal_keeping(&structure));
    let known: Vec<_> = distances(&stickers).into_iter().collect();
    assert_eq!(known.len(), 5040);
    let mut depths = Vec::new();
    let all = [[0, 0, 0, 1, 1, 1, 1], [0, 1, 1, 2, 2, 3, 4], [0, 0, 1, 0, 2, 0, 3], [0, 1, 2, 3, 4, 5, 5]];
    for (at, colours) in all.into_iter().enumerate() {
        // In a quick run, every other table has the colours at its tail.
        for tails in (0..2).filter(|&tails| is_long() || tails == at % 2) {
            check_table(&stickers, &symmetries, &[colours.to_vec()], tails);
        }
        let factor = StickerColouring::new(&stickers, colours.to_vec(), 1 << 16).map(Arc::new).unwrap();
        let shape = Shape::new(&stickers, &symmetries, vec![factor], Vec::new());
        assert_eq!(shape.form(), EntryForm::Pair);
        let tables = [CosetTable::new(&stickers, &symmetries, shape, None, GO_ON).unwrap()];
        depths.push(tables[0].values().meaning(15, false).same);
        let bounds = CosetBounds::new(&stickers, &symmetries, &tables);
        for (state, distance) in known.iter().step_by(quick_or_long(389, 97) as usize) {
            check_answer(&stickers, &bounds, state, *distance, 50_000);
        }
    }
    // With at least seven depths, some values are so old that only "few moves" is left of them.
    assert!(depths.iter().max() >= Some(&7), "{depths:?}");
    // If all pieces have colours of their own, the colours tell the parity.
    let factor = StickerColouring::new(&stickers, (0..7).collect(), 1 << 16).map(Arc::new).unwrap();
    assert_eq!(Shape::new(&stickers, &symmetries, vec![factor], Vec::new()).form(), EntryForm::Single);
}

/// Seven pieces in a row: those at the ends change places with their neighbours, which is odd, and three neighbours go
/// around, which is even.
#[test]
fn even_and_odd_moves_lead_to_both_states_of_an_entry() {
    let around = |at: usize, back: bool| -> Given {
        let to = |place: usize| {
            if (at..at + 3).contains(&place) { at + (place - at + 1 + usize::from(back)) % 3 } else { place }
        };
        (0..7).map(|place| (to(place), 0)).collect()
    };
    let mut given: Vec<Given> = vec![exchange(7, 0), exchange(7, 5)];
    given.extend((0..5).flat_map(|at| [around(at, false), around(at, true)]));
    let (structure, stickers) = stickers_of(&rules(7, 1, &given, (false, true))).expect("pieces that look different");
    let symmetries = stickers.symmetries(&goal_keeping(&structure));
    let (mut both, mut single) = (0, 0);
    let all = [[0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 2, 2, 2], [0, 0, 1, 0, 2, 0, 3], [0, 0, 1, 1, 1, 0, 0]];
    for (at, colours) in all.into_iter().enumerate() {
        // The last colouring stays the same if the row is reversed. In a quick run, every other table has the colours
        // at its tail.
        for tails in (0..2).filter(|&tails| is_long() || tails == at % 2) {
            assert!(check_table(&stickers, &symmetries, &[colours.to_vec()], tails));
        }
        assert!(check_table(&stickers, &symmetries, &[colours.to_vec(), vec![0, 0, 1, 2, 1, 0, 0]], 1));
        let factor = StickerColouring::new(&stickers, colours.to_vec(), 1 << 16).map(Arc::new).unwrap();
        let shape = Shape::new(&stickers, &symmetries, vec![factor], Vec::new());
        assert_eq!(shape.form(), EntryForm::Pair);
        let heads = 0..shape.head_len();
        let table = CosetTable::new(&stickers, &symmetries, shape, None, GO_ON).unwrap();
        let codes: Vec<u8> =
            heads.map(|head| table.values().code(table.values().place(HeadAndTail(head as u64)))).collect();
        both += codes.iter().filter(|&code| matches!(code, 15)).count();
        single += codes.iter().filter(|&code| matches!(code, 13 | 14)).count();
    }
    // Of the entries with the last value, some have it for both states, and others for one.
    assert!(both > 50 && single > 50, "{both} and {single}");
}

/// Five pieces of three stickers, each turned by a move of its own. So each piece is an orbit, and there are 8^5
/// choices of what colourings show of the orbits, twice as many as are tried.
#[test]
#[ignore = "tens of seconds; `make test-random` runs it"]
fn the_choice_among_many_orbits_ends() {
    let turned = |piece: usize| (0..5).map(|place| (place, usize::from(place == piece))).collect();
    let given: Vec<Given> = (0..5).map(turned).collect();
    let (structure, stickers) = stickers_of(&rules(5, 3, &given, (false, false))).expect("pieces that twist");
    let given = goal_keeping(&structure);
    let shape = choose(&stickers, &given, &stickers.symmetries(&given), 1 << 8, u64::MAX).expect("a table fits");
    assert!(shape.states > 1.5 && shape.entries() <= 1 << 8);
}

#[test]
fn symbols_of_a_piece_tell_its_stickers() {
    // Three pieces with two sides each. Pieces share symbols, but no two pieces have the same two symbols.
    let then = |image: &[usize]| -> Vec<_> {
        image.iter().enumerate().map(|(from, to)| json!([to, {"copy": from}])).collect()
    };
    let data = json!({"symbols": ["a", "b", "c"], "start": ["a", "b", "b", "c", "c", "a"],
        "moves": [{"name": "swap", "then": then(&[3, 2, 1, 0, 4, 5])},
            {"name": "round", "then": then(&[2, 3, 4, 5, 0, 1])}],
        "goal": [[[0, ["a"]], [1, ["b"]], [2, ["b"]], [3, ["c"]], [4, ["c"]], [5, ["a"]]]]});
    let (_, stickers) = stickers_of(&serde_json::from_value(data).unwrap()).unwrap();
    assert_eq!((stickers.places.len(), stickers.len(), stickers.states()), (3, 6, 24));
    let read = |state: [u8; 6]| stickers.read(&state);
    assert!(read([0, 1, 1, 2, 2, 0]).unwrap().is_sorted());
    // The first two pieces are exchanged and both turned over.
    assert!(read([2, 1, 1, 0, 2, 0]).is_some());
    // One piece alone cannot be turned over, and no piece has the same symbol twice.
    assert_eq!(read([1, 0, 1, 2, 2, 0]), None);
    assert_eq!(read([0, 0, 1, 2, 2, 1]), None);
}

#[test]
fn twists_by_maps_are_stickers() {
    // Two burnt pancakes: `A` and `a` are the sides of one.
    let map = json!({"A": "a", "a": "A", "B": "b", "b": "B"});
    let copy = |cell: usize| json!({"copy": cell, "map": map});
    let data = json!({"symbols": ["A", "a", "B", "b"], "start": ["A", "B"], "goal": [[[0, ["A"]], [1, ["B"]]]],
        "moves": [{"name": "1", "then": [[0, copy(0)]]}, {"name": "2", "then": [[0, copy(1)], [1, copy(0)]]}]});
    let structure =
        Arc::new(Structure::new(Arc::new(Rules::new(&serde_json::from_value(data).unwrap()).unwrap())).unwrap());
    let cosets = Cosets::new(&structure).unwrap();
    assert_eq!(cosets.stickers.states(), 8);
    let budget = Budget { threads: 1, ..Budget::default() };
    let length = |state: [u8; 2]| {
        let (mut proof, stop, aside) = (Proof::default(), &StopRule::default(), &mut |_| false);
        let mut effort = Effort { states: u64::MAX, bytes: u64::MAX, farthest: u64::MAX, stop, aside };
        match cosets.solve(&state, budget, None, &mut proof, &mut effort, GO_ON).unwrap() {
            Some(Deepened::Solved(moves)) => moves.len(),
            other => panic!("{other:?}"),
        }
    };
    // A move flips one pancake or two: two moves make `bA` of `AB`.
    assert_eq!((length([0, 2]), length([1, 2]), length([3, 1]), length([3, 0])), (0, 1, 1, 2));
    let deepest = (0..4u8).flat_map(|a| (0..4u8).map(move |b| [a, b])).filter(|[a, b]| a / 2 != b / 2);
    assert_eq!(deepest.map(length).max(), Some(4));
    assert!(cosets.is_due(budget));
    assert_eq!(NEVER, u8::MAX);
}

#[test]
fn the_answer_is_the_same_for_any_number_of_threads() {
    // Pieces in a ring with three twists each. The table is so small that the search has several large bounds.
    let given: Vec<Given> = vec![
        vec![(1, 0), (0, 1), (2, 0), (3, 0), (4, 0)],
        vec![(0, 0), (2, 2), (1, 0), (3, 0), (4, 0)],
        vec![(0, 0), (1, 0), (3, 1), (4, 1), (2, 1)],
    ];
    let (structure, stickers) = stickers_of(&rules(5, 3, &given, (false, true))).unwrap();
    let given = goal_keeping(&structure);
    let symmetries = stickers.symmetries(&given);
    let shape =
        [5, 10, 20, 40, 80, 300].iter().find_map(|&most| choose(&stickers, &given, &symmetries, most, u64::MAX));
    let shape = shape.expect("a table fits");
    let tables = [CosetTable::new(&stickers, &symmetries, shape, None, GO_ON).unwrap()];
    let bounds = CosetBounds::new(&stickers, &symmetries, &tables);
    let mut held: Vec<Sticker> = (0..15).collect();
    for at in [0, 2, 1, 5, 0, 2, 4, 1, 2, 0, 1, 2, 2, 4, 0, 5, 1] {
        let before = held.clone();
        stickers.moves[at % stickers.moves.len()]
            .image
            .iter()
            .zip(before)
            .for_each(|(&to, from)| held[to as usize] = from);
    }
    // With `in_steps`, the search ends after each bound, and another one goes on.
    let solve = |threads: usize, in_steps: bool| {
        let mut proof = Proof::default();
        let options = Options { threads, ..Options::default() };
        let (stop, aside) = (&StopRule::default(), &mut |_| in_steps);
        let mut effort = Effort { states: u64::MAX, bytes: u64::MAX, farthest: u64::MAX, stop, aside };
        let mut search = || fewest_moves(&bounds, &held, &mut proof, &mut effort, GO_ON);
        let mut found = in_pool(&options, &mut search).unwrap();
        while found == Deepened::SettledAside {
            found = in_pool(&options, &mut search).unwrap();
        }
        (found, proof)
    };
    let one = solve(1, false);
    assert!(matches!(&one.0, Deepened::Solved(moves) if moves.len() > 6), "{one:?}");
    assert!(one.1.subtrees.iter().any(|&states| states > 0), "no two bounds were divided: {one:?}");
    for (threads, in_steps) in [(2, false), (3, false), (1, true), (2, true)] {
        assert_eq!(solve(threads, in_steps), one, "{threads} threads, in steps: {in_steps}");
    }
}

#[test]
#[ignore = "tens of seconds; `make test-random` runs it"]
fn the_table_of_the_2x2x2_cube_has_its_known_numbers_of_states() {
    // The places a to g are those of the gallery's cube by pieces. So are the faces: each has its places clockwise, and
    // the twist of each piece on its way to the next place.
    let faces = [([0, 1, 2, 3], [0, 0, 0, 0]), ([4, 0, 3, 6], [2, 1, 2, 1]), ([1, 0, 4, 5], [1, 2, 1, 2])];
    let mut given: Vec<Given> = Vec::new();
    for (places, twists) in faces {
        let mut quarter: Given = (0..7).map(|place| (place, 0)).collect();
        (0..4).for_each(|at| quarter[places[at]] = (places[(at + 1) % 4], twists[at]));
        let half = |&(to, by): &(usize, usize)| (quarter[to].0, by + quarter[to].1);
        given.extend([quarter.iter().map(half).collect(), quarter.clone()]);
    }
    let (structure, stickers) = stickers_of(&rules(7, 3, &given, (false, true))).unwrap();
    assert_eq!((stickers.moves.len(), stickers.states()), (9, 3_674_160));
    let given = goal_keeping(&structure);
    let symmetries = stickers.symmetries(&given);
    let shape = choose(&stickers, &given, &symmetries, 1 << 22, u64::MAX).unwrap();
    assert_eq!(shape.head_len() * shape.tail_len(), 3_674_160);
    let table = CosetTable::new(&stickers, &symmetries, shape, None, GO_ON).unwrap();
    let mut counts = [0u32; 16];
    for head in 0..table.shape.head_len() {
        (0..table.shape.tail_len()).for_each(|tail| counts[value(&table, head, tail) as usize] += 1);
    }
    let known = [1, 9, 54, 321, 1847, 9992, 50136, 227_536, 870_072, 1_887_748, 623_800, 2644];
    assert_eq!(counts[..12], known);
}

#[test]
fn a_table_from_a_cache_is_the_one_that_was_made() {
    // Four pieces with three twists each, and a mirror that divides the table.
    let given: Vec<Given> = vec![vec![(1, 0), (2, 1), (0, 2), (3, 0)], vec![(1, 1), (0, 1), (3, 2), (2, 0)]];
    let (structure, stickers) = stickers_of(&rules(4, 3, &given, (true, true))).unwrap();
    let given = goal_keeping(&structure);
    let symmetries = stickers.symmetries(&given);
    let shape = || choose(&stickers, &given, &symmetries, 1 << 20, u64::MAX).unwrap();
    assert!(shape().states > 100.0);
    let folder = std::env::temp_dir().join(format!("puzzlekit-cosets-{}", std::process::id()));
    let cache = TableCache::new(&folder, 1 << 24);
    assert!(!CosetTable::is_kept(&stickers, &symmetries, &shape(), &cache));
    let made = |watch: Watch| CosetTable::new(&stickers, &symmetries, shape(), Some(&cache), watch);
    let values = |table: &CosetTable| -> Vec<u8> {
        let heads = 0..table.shape.head_len();
        heads
            .flat_map(|head| (0..table.shape.tail_len()).map(move |tail| (head, tail)))
            .map(|(head, tail)| value(table, head, tail))
            .collect()
    };
    let asked = AtomicUsize::new(0);
    let count: Watch = &|_| {
        asked.fetch_add(1, Ordering::Relaxed);
        ControlFlow::Continue(())
    };
    let first = values(&made(count).unwrap());
    let in_full = asked.swap(0, Ordering::Relaxed);
    assert!(CosetTable::is_kept(&stickers, &symmetries, &shape(), &cache));
    // A table that is read from the cache is not filled, so the watch is asked less often.
    assert_eq!(values(&made(count).unwrap()), first);
    assert!(asked.swap(0, Ordering::Relaxed) < in_full);
    // The watch ends the search for the rows, too, which comes before.
    let stop: Watch = &|_| ControlFlow::Break(());
    assert!(made(stop).is_none());
    // The rows and the values have a file each. A damaged part is made anew, from nothing, and so is one that is gone.
    assert!(made(count).is_some());
    let read = asked.swap(0, Ordering::Relaxed);
    let paths: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(paths.len(), 2);
    for (path, gone) in paths.iter().flat_map(|path| [(path, false), (path, true)]) {
        let mut bytes = std::fs::read(path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle..].iter_mut().for_each(|byte| *byte ^= 0x11);
        if gone {
            std::fs::remove_file(path).unwrap();
        } else {
            std::fs::write(path, &bytes).unwrap();
        }
        assert_eq!(values(&made(count).unwrap()), first);
        assert!(asked.swap(0, Ordering::Relaxed) > read);
        assert_eq!(values(&made(count).unwrap()), first);
        assert_eq!(asked.swap(0, Ordering::Relaxed), read);
    }
    std::fs::remove_dir_all(folder).unwrap();
}
