//! Plays the answers of phases and of words through, on random rules whose pieces twist, and compares their lengths
//! with the distances that a plain search finds.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;

use super::super::cosets::tests::{distances, moves, rules, stickers_of};
use super::*;
use crate::rules::Symbol;
use crate::structure::Structure;
use crate::structure::permuting::power;
use crate::tests::GO_ON;

/// The most states that rules of these tests may have.
const MOST_STATES: usize = 3_000;

/// The stickers in all cells after moves, which are given by their places in the rules.
fn played(stickers: &Stickers, held: &[Sticker], moves: &[usize]) -> Vec<Sticker> {
    let mut held = held.to_vec();
    for index in moves {
        let given = stickers.moves.iter().find(|given| given.index == *index).unwrap();
        held = carried(&held, &given.image);
    }
    held
}

/// Phases are searched one by one if rules have no more states than this.
const FEW_STATES: usize = 200;

/// All states that the given moves can reach from the state `home`, found by a plain search.
fn closure(moves: &[Vec<Sticker>], home: &[Sticker]) -> Vec<Vec<Sticker>> {
    let (mut found, mut at) = (vec![home.to_vec()], 0);
    let mut known = HashSet::from([home.to_vec()]);
    while let Some(held) = found.get(at).cloned() {
        for image in moves {
            let after = carried(&held, image);
            if known.insert(after.clone()) {
                found.push(after);
            }
        }
        at += 1;
    }
    found
}

/// For each phase, compares the paths that are found with the fewest moves into the smaller subgroup. A state outside
/// that subgroup must have a path even if its bound is 0.
fn check_each_phase(stickers: &Stickers, found: &FoundPhases) {
    let home: Vec<Sticker> = (0..stickers.len() as Sticker).collect();
    for (phase, to) in found.phases.iter().zip(&found.chain.subgroups[1..]) {
        let powers = found.classes.iter().zip(to).filter(|(class, by)| class.order > **by);
        let powers: Vec<Vec<Sticker>> = powers.map(|(class, &by)| power(&class.generator, by)).collect();
        let target = closure(&powers, &home);
        let images: Vec<Vec<Sticker>> = phase.moves.iter().map(|given| given.image.clone()).collect();
        let states = closure(&images, &home);
        let mut far: HashMap<&[Sticker], usize> = target.iter().map(|held| (&held[..], 0)).collect();
        loop {
            let before = far.clone();
            for held in &states {
                let ways = phase
                    .moves
                    .iter()
                    .filter_map(|given| Some(far.get(&carried(held, &given.image)[..])? + given.word.len()));
                let own = far.get(&held[..]).copied();
                if let Some(least) = ways.chain(own).min() {
                    far.insert(held, least);
                }
            }
            if far == before {
                break;
            }
        }
        assert!(phase.fill(None, GO_ON));
        for held in states.iter().step_by(states.len() / 8 + 1) {
            let clock = Clock::new(GO_ON);
            let enough = Enough { states: Some(4_000), ..Enough::default() };
            let mut descent = Descent::new(std::slice::from_ref(phase), stickers, clock, enough, None, &|_| {});
            descent.go(&[Beginning {
                held: held.clone(),
                moves: (0..stickers.moves.len()).collect(),
                backward: false,
            }]);
            let Some(moves) = descent.best else {
                assert!(
                    descent.clock.states >= 4_000,
                    "{held:?} has a way of {} moves, and none is found",
                    far[&held[..]]
                );
                continue;
            };
            assert!(moves.len() <= far[&held[..]], "{held:?}: {moves:?} is longer than {}", far[&held[..]]);
            let made: Vec<usize> = moves.iter().map(|&place| stickers.moves[place].index).collect();
            assert!(target.contains(&played(stickers, held, &made)), "{held:?}: {moves:?} leads elsewhere");
        }
    }
}

/// Solves some states in phases of at most `most` cosets.
fn check_phases(group: &PieceGroup, known: &HashMap<Vec<Sticker>, u32>, most: u128) {
    let stickers = group.stickers;
    let phases = Phases { most_cosets: [most, u128::MAX], ..Phases::default() };
    let Some(found) = phases.find(group, GO_ON).unwrap() else { return };
    if known.len() <= FEW_STATES {
        check_each_phase(stickers, &found);
    }
    let chain = &found.chain;
    assert_eq!(chain.cosets.iter().product::<u128>(), known.len() as u128);
    assert_eq!(chain.cosets.len() + 1, chain.subgroups.len());
    let single = chain.cosets.len() == 1;
    assert!(!phases.prepare(group, 1, None, GO_ON).unwrap(), "there is no memory for tables");
    assert!(phases.prepare(group, u64::MAX, None, GO_ON).unwrap());
    for (held, &distance) in known.iter().take(40) {
        let mut best = None;
        let told = std::cell::Cell::new(usize::MAX);
        let tell = |moves: usize| {
            assert!(moves < told.replace(moves));
        };
        let enough = Enough { states: Some(20_000), ..Enough::default() };
        let (_, bound) = phases.run(group, held, &mut best, enough, &tell, GO_ON).unwrap();
        assert!(bound <= distance, "{held:?}: {bound} is more than {distance}");
        if let Some(moves) = best {
            assert!(played(stickers, held, &moves).is_sorted());
            assert!(moves.len() as u32 >= distance);
            assert_eq!(moves.len(), told.get());
            if single {
                assert_eq!(moves.len() as u32, distance, "one phase gives the fewest moves");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::tests::quick_or_long(12, 60)))]

    #[test]
    fn answers_in_phases_lead_to_the_goal(
        (places, twists, given) in (2..5usize, 1..4usize).prop_flat_map(|(places, twists)| {
            (Just(places), Just(twists), moves(places, twists))
        }),
        mirror: bool,
        back: bool,
        most in prop_oneof![Just(6u128), Just(60), Just(u128::MAX)],
    ) {
        let data = rules(places, twists, &given, (mirror, back));
        if let Some((structure, stickers)) = stickers_of(&data) {
            let known = distances(&stickers);
            if known.len() > 1 && known.len() <= MOST_STATES {
                let symmetries = stickers.symmetries(&super::super::goal_keeping::goal_keeping(&structure));
                check_phases(&PieceGroup { stickers: &stickers, symmetries: &symmetries }, &known, most);
                check_words(&structure, &stickers, &known);
            }
        }
    }
}

/// Solves some states by words.
fn check_words(structure: &Structure, stickers: &Stickers, known: &HashMap<Vec<Sticker>, u32>) {
    let mut clock = Clock::new(GO_ON);
    let words = Words::new(structure, &mut clock).unwrap().unwrap();
    let start: &[Symbol] = &structure.rules().start;
    for (held, &distance) in known.iter().take(40) {
        // In these rules, the sticker and its cell have the number of the symbol, unless a cell never changes.
        let Some(state) = state_of(stickers, held, start) else { return };
        if let Some(moves) = words.solve(&state, &mut clock) {
            assert!(played(stickers, held, &moves).is_sorted());
            assert!(moves.len() as u32 >= distance);
        }
    }
}

/// The symbols of a state. `None` if the stickers are not numbered as the cells are.
fn state_of(stickers: &Stickers, held: &[Sticker], start: &[Symbol]) -> Option<Vec<Symbol>> {
    let state: Vec<Symbol> = held.iter().map(|&sticker| Symbol::from(sticker)).collect();
    (state.len() == start.len() && stickers.read(&state).as_deref() == Some(held)).then_some(state)
}

#[test]
fn moves_that_undo_each_other_are_left_out() {
    // Two swaps that commute, and a cycle of the first three places.
    let place = |to: [usize; 5]| to.into_iter().map(|to| (to, 0)).collect();
    let given = [place([1, 0, 2, 3, 4]), place([0, 1, 2, 4, 3]), place([1, 2, 0, 3, 4])];
    let (_, stickers) = stickers_of(&rules(5, 1, &given, (false, true))).unwrap();
    let [swap, other, cycle, back] = [0, 1, 2, 3];
    assert_eq!(stickers.moves.len(), 4);
    assert_eq!(descent::simplified(&stickers, &[swap, other, swap]), [other]);
    assert_eq!(descent::simplified(&stickers, &[cycle, other, cycle, swap]), [other, back, swap]);
    assert_eq!(descent::simplified(&stickers, &[swap, cycle, back, swap]), Vec::<usize>::new());
    assert_eq!(descent::simplified(&stickers, &[swap, cycle]), [swap, cycle]);
}
