//! The cut of an index: the choices that the rules leave open, such as the order of cells. The rules and the cut
//! together say for which state each bit of a file stands.
//!
//! A cost model proposes the cut of a new run. A later version may propose another cut. So a job keeps the cut that it
//! was begun with, and its files are read by that cut.

use serde::{Deserialize, Serialize};

use crate::rules::Symbol;

/// The cut of the index of some rules.
///
/// Take arrangements of four cells with the order `[2, 0, 1, 3]` and a tail of two digits. The symbols of the cells 2,
/// 0, 1 and 3, in this order, are the sequence of a state. The number of the sequence has four digits in the factorial
/// number system. The first two digits are the block, and the last two are the place in the block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "shape", rename_all = "lowercase", deny_unknown_fields)]
pub enum Cut {
    /// No two cells hold the same symbol. The sequences of a block that have the pivot in the same place are a plane of
    /// bits.
    Planes {
        /// All cells, in the order in which they are read.
        order: Vec<usize>,
        /// The number of digits of the tail, in the factorial number system. The tail's digits choose the place in a
        /// block.
        tail: usize,
        /// On a ring, the symbol that is the pivot, although no move needs one. The cells lie on the ring in the given
        /// order, and are read from the cell after the pivot's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ring: Option<Symbol>,
    },
    /// Symbols repeat.
    Multiset {
        /// All cells, in the order in which they are read.
        order: Vec<usize>,
        /// The number of these cells whose symbols choose the block.
        head: usize,
    },
    /// Players fill empty cells. There is only one way to cut the index.
    Placement {},
    /// Moves turn cells in circles of symbols.
    Dial {
        /// For each digit of a state's number: which cells change from the start if this digit is 1 and all others are
        /// 0, in ascending order. Each comes with the number of the symbol that it then holds.
        basis: Vec<Vec<(usize, u8)>>,
    },
    /// Moves permute pieces and twist them.
    Pieces {
        /// The places, each once, in the order in which they are read. Each place is a list of cells.
        order: Vec<Vec<usize>>,
        /// For each place, the piece that starts there: for each twist of the piece, the numbers of the symbols in the
        /// cells of a place that holds it.
        pieces: Vec<Vec<Vec<u8>>>,
        /// `true` if only even arrangements have a number; with several kinds of pieces, if the arrangements of other
        /// kinds determine whether the arrangement of a kind is even.
        even: bool,
        /// `true` if the last twist follows from the others, and is therefore left out of the number.
        sum: bool,
        /// If there are several kinds of pieces: the number of places of each kind. `order` has the places of the first
        /// kind, then those of the second, and so on. With one kind, the list is left out.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        kinds: Vec<usize>,
        /// The factors that choose the place in a block, by their numbers; the other factors choose the block. Factors
        /// are numbered: first the arrangement of each kind, and then the twists, those of pieces with the fewest
        /// twists first. If there is one kind, the list is left out, and the twists choose the place.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        bits: Vec<usize>,
    },
}

/// Returns `true` if `order` names each of `cells` cells once.
pub fn is_order(order: &[usize], cells: usize) -> bool {
    let mut named = vec![false; cells];
    order.len() == cells && order.iter().all(|&cell| cell < cells && !std::mem::replace(&mut named[cell], true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_are_read_as_they_were_written() {
        let cuts = [
            (Cut::Planes { order: vec![1, 0], tail: 2, ring: None }, r#"{"shape":"planes","order":[1,0],"tail":2}"#),
            (
                Cut::Planes { order: vec![1, 0], tail: 1, ring: Some(3) },
                r#"{"shape":"planes","order":[1,0],"tail":1,"ring":3}"#,
            ),
            (Cut::Multiset { order: vec![0, 1], head: 1 }, r#"{"shape":"multiset","order":[0,1],"head":1}"#),
            (Cut::Placement {}, r#"{"shape":"placement"}"#),
            (
                Cut::Pieces {
                    order: vec![vec![1, 0]],
                    pieces: vec![vec![vec![2, 3]]],
                    even: false,
                    sum: true,
                    kinds: Vec::new(),
                    bits: Vec::new(),
                },
                r#"{"shape":"pieces","order":[[1,0]],"pieces":[[[2,3]]],"even":false,"sum":true}"#,
            ),
            (
                Cut::Pieces {
                    order: vec![vec![1], vec![0]],
                    pieces: vec![vec![vec![2]], vec![vec![0], vec![1]]],
                    even: true,
                    sum: false,
                    kinds: vec![1, 1],
                    bits: vec![2],
                },
                concat!(
                    r#"{"shape":"pieces","order":[[1],[0]],"pieces":[[[2]],[[0],[1]]],"#,
                    r#""even":true,"sum":false,"kinds":[1,1],"bits":[2]}"#
                ),
            ),
            (Cut::Dial { basis: vec![vec![(0, 1), (2, 1)]] }, r#"{"shape":"dial","basis":[[[0,1],[2,1]]]}"#),
        ];
        for (cut, text) in cuts {
            assert_eq!(serde_json::to_string(&cut).unwrap(), text);
            assert_eq!(serde_json::from_str::<Cut>(text).unwrap(), cut);
        }
        for wrong in
            [r#"{"shape":"placement","head":1}"#, r#"{"shape":"multiset","order":[0]}"#, r#"{"shape":"hexagon"}"#]
        {
            assert!(serde_json::from_str::<Cut>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_order_names_each_cell_once() {
        assert!(is_order(&[2, 0, 1], 3));
        for wrong in [&[0, 1][..], &[0, 1, 1], &[0, 1, 3], &[0, 1, 2, 3]] {
            assert!(!is_order(wrong, 3), "{wrong:?}");
        }
    }
}
