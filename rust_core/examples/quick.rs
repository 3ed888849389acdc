#[path = "../tests/support/mod.rs"]
mod support;
use puzzlekit_core::*;
use std::ops::ControlFlow;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let n = |i: usize| args[i].parse::<usize>().unwrap();
    let data = match &args[1][..] { "marks" => support::marks(n(4), n(5), n(6)), "slide" => support::slide(n(4), n(5)), _ => support::turn(n(4), n(5)) };
    let engine = Engine::with_word_bits(&data, n(3)).unwrap();
    let r = engine.enumerate(&Options { threads: n(2), ..Default::default() }, &|_| ControlFlow::Continue(())).unwrap();
    println!("{} {} bits={} {:?} depths {:?}", r.states(), r.raw_states(), engine.word_bits(), engine.window(), r.depths.iter().map(|d| d.states).collect::<Vec<_>>());
    println!("gen {} {:.4}s {:.1} ns/gen {:?}", r.generated, r.seconds, r.seconds * 1e9 / r.generated as f64, (0..engine.rules().outcomes.len()).map(|o| (&engine.rules().outcomes[o], r.depths.iter().map(|d| d.ended[o]).sum::<u64>())).collect::<Vec<_>>());
}
