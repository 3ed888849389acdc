//! Rules for the tests of several indexes.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::rules::{Rules, RulesData};
use crate::structure::Structure;

/// Rules of one player whose moves exchange neighbours in a row. If there is a symbol `needed`, the first cell of each
/// pair must hold it.
pub fn row(start: &str, needed: Option<char>) -> Structure {
    let name = |cell: usize| start.chars().nth(cell).unwrap().to_string();
    let cells = start.len();
    let pairs = (0..cells).flat_map(|one| [one.checked_sub(1), Some(one + 1)].map(|other| (one, other)));
    let pairs = pairs.filter_map(|(one, other)| Some((one, other.filter(|&other| other < cells)?)));
    let moves = pairs.map(|(one, other)| {
        let when: Vec<_> = needed.iter().map(|symbol| (one, [symbol.to_string()])).collect();
        serde_json::json!({"name": format!("{one} {other}"), "when": when,
            "then": [[one, {"copy": other}], [other, {"copy": one}]]})
    });
    let symbols: BTreeSet<String> = (0..cells).map(name).collect();
    let data = serde_json::json!({"symbols": symbols, "start": (0..cells).map(name).collect::<Vec<_>>(),
        "moves": moves.collect::<Vec<_>>()});
    let data = serde_json::from_value::<RulesData>(data).unwrap();
    Structure::new(Arc::new(Rules::new(&data).unwrap())).unwrap()
}
