//! Tests of several modules together: every fast path beside a plain one, and jobs that fail at every step.

mod answers;
mod boards;
mod brute;
pub mod conditions;
mod counted_values;
mod counts;
mod deep;
mod faults;
mod fenced;
mod in_place;
mod least_moves;
mod listed;
pub mod many_moves;
mod naive;
pub mod oracle;
mod proof;
mod scored;
mod tiered;
mod tiers;
mod walls;
mod worth;

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::compile::{Compiled, Images};
use crate::rules::{EndData, MoveData, PatternData, Rules, RulesData, SourceData, Symmetry, SymmetryData, Varying};
use crate::structure::Structure;

/// Watches work, and never stops it.
pub const GO_ON: crate::run::Watch = &|_| ControlFlow::Continue(());

/// Rules, compiled for words of 32 bits; and the images under the symmetries that keep whose turn it is, or under the
/// identity alone.
pub fn compiled(data: &RulesData, symmetry: bool) -> (Arc<Compiled<u32>>, Arc<Images<u32>>) {
    let rules = Arc::new(Rules::new(data).unwrap());
    let varying = Arc::new(Varying::of(&rules));
    let compiled = Arc::new(Compiled::new(&Arc::new(Structure::new(rules).unwrap()), &varying).unwrap());
    let images = Arc::new(compiled.images(compiled.structure.counted_by(symmetry)));
    (compiled, images)
}

/// Rules of one cell, which holds `a` at first. The goal is `d`, and a move such as `bc` leads from `b` to `c`.
pub fn four_states(moves: &[&str]) -> RulesData {
    let a_move = |name: &&str| serde_json::json!({"name": name, "when": [[0, [name[..1]]]], "then": [[0, name[1..]]]});
    let moves: Vec<_> = moves.iter().map(a_move).collect();
    let data = serde_json::json!({"symbols": ["a", "b", "c", "d"], "start": ["a"], "moves": moves,
        "goal": [[[0, ["d"]]]]});
    serde_json::from_value(data).unwrap()
}

/// The group that some permutations of cells generate, the identity first.
pub fn group_of(cells: usize, generators: &[&[usize]]) -> Vec<Symmetry> {
    let identity = Symmetry::identity(cells, 1);
    let mut group = vec![identity.clone()];
    let mut at = 0;
    while at < group.len() {
        for &to in generators {
            let product = group[at].then(&Symmetry { cells: to.to_vec(), ..identity.clone() });
            if group.iter().all(|known| known.cells != product.cells) {
                group.push(product);
            }
        }
        at += 1;
    }
    group
}

/// Returns `true` if this is a long run: `make test-random` sets `PUZZLEKIT_LONG`.
pub fn is_long() -> bool {
    std::env::var_os("PUZZLEKIT_LONG").is_some()
}

/// The number of random cases for a test that tries `count` of them in every run, and ten times as many in a long one.
pub fn cases(count: u32) -> u32 {
    quick_or_long(count, 10 * count)
}

/// The number of cases for a test whose cases take long: `long` in a long run, and `quick` in any other.
pub fn quick_or_long(quick: u32, long: u32) -> u32 {
    if is_long() { long } else { quick }
}

/// The number of random cases for one of the dearest tests: half of `count` in every run, and in a long one as many as
/// [`cases`] gives.
pub fn few_cases(count: u32) -> u32 {
    quick_or_long(count.div_ceil(2), 10 * count)
}

/// The distance between the steps that a test tries, if it skips most steps: `step` in a long run. Any other run takes
/// about five times that, and an odd number again if `step` is one, so that what comes at every second or third step
/// is met, too.
pub fn apart(step: usize) -> usize {
    if is_long() { step } else { 5 * step + 2 }
}

/// The path of a folder that does not exist yet. No other test of this run gets the same path, even for the same name.
pub fn new_folder(name: &str) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("puzzlekit-{name}-{}-{number}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}
