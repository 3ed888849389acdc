//! Tests of the player of the proof beside the obvious search, of claims, and of unpacking states. Whole proofs are
//! tested from Python, where jobs are forged (`tests/test_proof.py`).

use std::collections::BTreeSet;

use super::{boards, naive};
use crate::proof::{Claim, Claims, Packing, Player, Refused};
use crate::{Error, RulesData};

#[test]
fn plays_as_the_obvious_search_does() {
    for data in [boards::marks(2, 3, 2), boards::slide(2, 3), boards::turn(2, 2)] {
        let player = Player::new(&data).unwrap();
        let mut seen = BTreeSet::from([(player.start.clone(), 0)]);
        let mut new: Vec<(Vec<u8>, usize)> = seen.iter().cloned().collect();
        while let Some((cells, turn)) = new.pop() {
            let after = player.after(&cells, turn);
            let named = named(&data, &cells);
            let cells_after: Vec<Vec<u8>> = after.iter().map(|each| each.cells.clone()).collect();
            assert_eq!(
                cells_after,
                naive::successors(&data, &named, turn).iter().map(|each| coded(&data, &each.0)).collect::<Vec<_>>()
            );
            let outcome = player.outcome(&cells, turn, !after.is_empty());
            assert_eq!(
                outcome.map(|place| player.outcomes[usize::from(place)].clone()),
                naive::outcome(&data, &named, turn)
            );
            for each in after {
                assert_eq!(each.player, player.other(turn), "no move keeps the turn");
                let next = (each.cells, each.player);
                if seen.insert(next.clone()) {
                    new.push(next);
                }
            }
        }
        assert!(seen.len() >= 4);
    }
}

fn named(data: &RulesData, cells: &[u8]) -> naive::Cells {
    cells.iter().map(|&code| data.symbols[usize::from(code)].clone()).collect()
}

fn coded(data: &RulesData, cells: &naive::Cells) -> Vec<u8> {
    cells.iter().map(|symbol| data.symbols.iter().position(|each| each == symbol).unwrap() as u8).collect()
}

#[test]
fn unpacks_numbers_and_rows_of_bytes() {
    let mut cells = Vec::new();
    let number = Packing { bytes: 8, cells: 3, symbols: 3 };
    assert!(number.unpack(&0b10_00_01_u64.to_ne_bytes(), &mut cells));
    assert_eq!(cells, [2, 0, 1]);
    assert!(!number.unpack(&0b11_u64.to_ne_bytes(), &mut cells), "there are three symbols");
    let narrow = Packing { bytes: 9, cells: 3, symbols: 256 };
    assert!(narrow.unpack(&[0, 0, 0, 0, 0, 0, 7, 8, 9], &mut cells));
    assert_eq!(cells, [7, 8, 9]);
    let wide = Packing { bytes: 17, cells: 3, symbols: 256 };
    let mut row = [0; 17];
    row[..3].copy_from_slice(&[7, 8, 9]);
    assert!(wide.unpack(&row, &mut cells));
    assert_eq!(cells, [7, 8, 9]);
    assert!(!Packing { bytes: 8, cells: 9, symbols: 256 }.fits());
    assert!(Packing { bytes: 8, cells: 64, symbols: 1 }.fits());
}

const CLAIM: Claim = Claim { depth: 0, player: 0, orbit_size: 1, outcome: None, value: None, distance: None };

#[test]
fn claims_have_room_for_as_many_as_were_told() {
    let mut claims = Claims::new(2, 3).unwrap();
    for (cells, taken) in [
        ([0, 0], Ok(())),
        ([0, 1], Ok(())),
        ([0, 0], Err(Refused::Twice)),
        ([1, 1], Ok(())),
        ([1, 0], Err(Refused::TooMany)),
    ] {
        assert_eq!(claims.add(&cells, CLAIM), taken);
    }
    let places = [[0, 0], [0, 1], [1, 1], [1, 0]].map(|cells| claims.find(&cells, 0));
    assert_eq!((claims.len(), places), (3, [Some(0), Some(1), Some(2), None]));
    assert_eq!(claims.find(&[0, 1], 1), None, "the other player is to move");
    // If there is room for no claim, none is found, and none can be added.
    let mut none = Claims::new(2, 0).unwrap();
    assert_eq!((none.find(&[0, 0], 0), none.add(&[0, 0], CLAIM)), (None, Err(Refused::TooMany)));
}

#[test]
fn claims_that_do_not_fit_are_refused_in_a_sentence() {
    for (cells, states) in [(9, 1 << 32), (9, u64::MAX), (usize::MAX, u64::from(u32::MAX))] {
        let refused = Claims::new(cells, states).err();
        let message = format!("a proof takes 4294967295 states at the most, and the job has {states}");
        assert!(matches!(refused, Some(Error::Memory(_))), "{refused:?}");
        assert!(cells == usize::MAX || refused == Some(Error::Memory(message)));
    }
}

#[test]
fn a_claim_takes_the_memory_that_is_told() {
    // Python refuses proofs that take more memory than the limit, by `BYTES` in `jobs/proving.py`. A claim takes at
    // most four slots of the table.
    assert!(size_of::<Claim>() + 4 * size_of::<u32>() + size_of::<bool>() <= 56);
}
