//! Counts in memory that find more than numbers: the depth in which some states are met first, and states of the last
//! depth.

use std::ops::{ControlFlow, Range};

use super::state::State;
use crate::compile::{Compiled, Images, Word};
use crate::dense::{Dense, Reading, Shown, Spectator};
use crate::error::{Error, Result};
use crate::memory::in_words;
use crate::run::{Options, Report, Watch, in_pool, parallel};
use crate::sparse;

/// The number of bytes of the dense store that one thread looks at in one step.
const AT_ONCE: usize = 1 << 12;

/// What a count must find in addition to its numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sought<'a> {
    /// The states that are looked for, each the smallest of its images.
    pub states: &'a [State],
    /// `true` if the count may end where one of them is met.
    pub no_further: bool,
    /// The states of the last depth that are wanted.
    pub last: LastDepth,
}

/// The states of the last depth that are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LastDepth {
    Nothing,
    Smallest,
    All,
}

/// The result of a count.
#[derive(Debug)]
pub(crate) struct Sighted {
    pub report: Report,
    /// The first depth that has some of the states looked for, and the smallest of these.
    pub met: Option<(u64, State)>,
    /// The states of the last depth that were wanted, in order, if the count came to its end.
    pub last: Vec<State>,
}

/// Counts as a run without a job does.
pub(super) fn sight<W: Word>(
    (compiled, images): (&Compiled<W>, &Images<W>),
    options: &Options,
    dense: Option<&Dense>,
    sought: Sought,
    watch: Watch,
) -> Result<Sighted> {
    // A state with a symbol that no state of these rules has there is never met.
    let held = sought.states.iter().filter(|state| compiled.varying.stranger(&state.cells).is_none());
    let mut words: Vec<W> = held.map(|state| compiled.pack(&state.cells)).collect();
    words.sort_unstable();
    let found = match dense {
        Some(dense) => in_pool(options, || in_bits((compiled, images), dense, options, (&words, sought), watch))?,
        None => in_words_of((compiled, images), options, (&words, sought), watch),
    }?;
    let state = |word: W| {
        let mut cells = vec![0; compiled.structure.rules().cells()];
        compiled.unpack(word, &mut cells);
        State { cells, player: 0 }
    };
    let SightedWords { report, met, mut last } = found;
    parallel::sort(&mut last);
    let each = size_of::<State>() + compiled.structure.rules().cells();
    if last.len() as u64 * each as u64 > options.memory / 8 {
        let takes = in_words(last.len() as u64 * each as u64);
        return Err(Error::Memory(format!(
            "the states that are farthest from the goal take {takes}, more than an eighth of the memory; give more"
        )));
    }
    let met = met.map(|(depth, word)| (depth, state(word)));
    Ok(Sighted { report, met, last: last.into_iter().map(state).collect() })
}

/// The result of a count, like [`Sighted`], with packed words.
struct SightedWords<W> {
    report: Report,
    met: Option<(u64, W)>,
    last: Vec<W>,
}

/// Counts in the sparse store. All states that are looked for are open: from states in which play is over, no moves
/// lead on.
fn in_words_of<W: Word>(
    (compiled, images): (&Compiled<W>, &Images<W>),
    options: &Options,
    (words, sought): (&[W], Sought),
    watch: Watch,
) -> Result<SightedWords<W>> {
    let mut met = None;
    let mut see = |depth: u64, open: &[W]| {
        if met.is_none() && !words.is_empty() {
            let sought = |word: &W| words.binary_search(word).is_ok();
            let found = |range: Range<usize>| open[range].iter().copied().filter(sought).min();
            let found = parallel::map(open.len(), AT_ONCE, found).into_iter().flatten().min();
            met = found.map(|word| (depth, word));
        }
        if met.is_some() && sought.no_further { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let (report, mut last) = sparse::show(compiled, images, options, &mut see, watch)?;
    match sought.last {
        LastDepth::Smallest => last = last.into_iter().min().into_iter().collect(),
        LastDepth::Nothing => last.clear(),
        LastDepth::All => {}
    }
    Ok(SightedWords { last: if report.stop.is_none() { last } else { Vec::new() }, report, met })
}

/// Counts in the dense store. Each state has a bit there, and so have all its images.
fn in_bits<W: Word>(
    (compiled, images): (&Compiled<W>, &Images<W>),
    dense: &Dense,
    options: &Options,
    (words, sought): (&[W], Sought),
    watch: Watch,
) -> Result<SightedWords<W>> {
    let rules = compiled.structure.rules();
    let reading = dense.reading(0);
    let bit = |&word: &W| {
        let mut cells = vec![0; rules.cells()];
        compiled.unpack(word, &mut cells);
        Some((reading.bit(&cells)?, word))
    };
    let bits: Vec<(u64, W)> = words.iter().filter_map(bit).collect();
    let (mut met, mut last) = (None, Vec::new());
    let mut see = |shown: Shown| {
        match shown {
            Shown::Depth(depth, held) if met.is_none() => {
                let has = |&(bit, _): &(u64, W)| held[(bit / 8) as usize] >> (bit % 8) & 1 != 0;
                met = bits.iter().filter(|pair| has(pair)).map(|&(_, word)| word).min().map(|word| (depth, word));
            }
            Shown::Depth(..) => {}
            Shown::Last(held) => last = smallest_of((compiled, images), &reading, held, sought.last),
        }
        if met.is_some() && sought.no_further { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let spectator = Spectator { see: &mut see, last: sought.last != LastDepth::Nothing };
    let report = dense.show(options, spectator, watch)?;
    Ok(SightedWords { report, met, last })
}

/// The states of a depth, each the smallest of its images; or only the smallest of all.
fn smallest_of<W: Word>(
    (compiled, images): (&Compiled<W>, &Images<W>),
    reading: &Reading,
    held: &[u8],
    last: LastDepth,
) -> Vec<W> {
    let parts = parallel::map(held.len(), AT_ONCE, |range| {
        let mut places = Vec::new();
        // A search never sets a bit that stands for no state.
        let _ = reading.places_of(range.start, &held[range], &mut places);
        let words = places.iter().map(|&place| compiled.pack(&reading.state(place)));
        let smallest = words.filter(|&word| images.smallest(word) == word);
        if last == LastDepth::All { smallest.collect() } else { smallest.min().into_iter().collect::<Vec<W>>() }
    });
    let found = parts.concat();
    if last == LastDepth::All { found } else { found.into_iter().min().into_iter().collect() }
}
