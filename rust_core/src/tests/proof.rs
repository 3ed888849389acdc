//! Tests of the player of the proof beside the obvious search, of claims, and of unpacking states. Whole proofs are
//! tested from Python, where jobs are forged (`tests/test_proof.py`).

use std::collections::BTreeSet;

use super::{boards, naive};
use crate::compile::{bytes_of_all, pack_all};
use crate::proof::{Claim, Claims, Packing, Player, Refused};
use crate::random::Random;
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
    // Of 21 cells of 3 bits, 1 bit of each number is left over. The 22nd cell is in the second number.
    let words = Packing { bytes: 24, cells: 43, symbols: 5 };
    let mut row = [0; 24];
    (row[0], row[7], row[8], row[16]) = (0b0100_0000, 0b0000_0011, 0b0010_0000, 0b0001_0000);
    assert!(words.fits() && words.unpack(&row, &mut cells));
    assert_eq!((cells[0], cells[20], cells[21], cells[42], cells.iter().sum::<u8>()), (4, 3, 2, 1, 10));
    row[7] = 0b0000_0111;
    assert!(!words.unpack(&row, &mut cells), "there are five symbols");
    assert!(!Packing { bytes: 24, cells: 64, symbols: 5 }.fits(), "63 cells fit three numbers");
    assert!(!Packing { bytes: 8, cells: 9, symbols: 256 }.fits());
    assert!(Packing { bytes: 8, cells: 64, symbols: 1 }.fits());
}

#[test]
fn states_of_any_width_are_unpacked_as_the_engine_packs_them() {
    let mut random = Random::new("packing");
    let mut wide = 0;
    for _ in 0..crate::tests::quick_or_long(300, 3000) {
        let symbols = 1 + random.below(256) as usize;
        let bits = (usize::BITS - (symbols - 1).leading_zeros()).max(1) as usize;
        let cells = 1 + random.below(2048 / bits as u64) as usize;
        let state: Vec<u8> = (0..cells).map(|_| random.below(symbols as u64) as u8).collect();
        // A state is at least 8 bytes of a table. If these are 8, they are a number.
        let bytes = bytes_of_all(cells, symbols).max(8);
        let mut packed = vec![0; bytes];
        pack_all(&state, symbols, &mut packed);
        if let Ok(number) = <[u8; 8]>::try_from(&packed[..]) {
            packed = u64::from_be_bytes(number).to_ne_bytes().to_vec();
        }
        let (packing, mut unpacked) = (Packing { bytes, cells, symbols }, Vec::new());
        assert!(packing.fits() && packing.unpack(&packed, &mut unpacked), "{cells} cells of {symbols} symbols");
        assert_eq!(unpacked, state, "{cells} cells of {symbols} symbols");
        wide += usize::from(bytes > 16 && 64 % bits > 0);
    }
    assert!(wide > 100, "{wide}");
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
