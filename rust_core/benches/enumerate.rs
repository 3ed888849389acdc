//! Times the engine on a board of 4 by 4 with 4 in a row, for each width of word.

#[path = "../src/tests/boards.rs"]
mod boards;

use std::hint::black_box;
use std::ops::ControlFlow;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use puzzlekit_core::{EndData, Engine, MoveData, Options, PatternData, RulesData, SourceData, SymmetryData};

fn enumerate(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("marks 4x4, 4 in a row");
    group.sample_size(10);
    for bits in [32, 64, 128, 256] {
        let engine = Engine::with_word_bits(&boards::marks(4, 4, 4), bits).expect("the rules are sound");
        let options = Options { threads: 1, ..Options::default() };
        let run = || engine.enumerate(&options, &|_| ControlFlow::Continue(())).expect("one thread can be started");
        group.throughput(Throughput::Elements(run().generated));
        group.bench_function(BenchmarkId::from_parameter(bits), |bencher| bencher.iter(|| black_box(run())));
    }
    group.finish();
}

criterion_group!(benches, enumerate);
criterion_main!(benches);
