//! Finds the values of all states of a search whose states are in memory, and checks that the memory is enough.

use std::sync::atomic::Ordering;

use super::allowance::Allowance;
use super::backward_sweep;
use super::census::Census;
use super::report::{AllValues, SearchEnd, ValuesFound, WordState};
use super::retrograde::{self, PredecessorWay, Retrograde};
use super::tally::Tallies;
use super::tiers_in_memory;
use super::value_code::{Value, ValueCode, ValuesOf};
use crate::error::Result;
use crate::graph::{FoundStates, bytes_of_states};
use crate::instant::Instant;
use crate::run::{Options, Stop, Store, Watch, in_pool};
use crate::structure::Window;

/// The advice in the message if the memory is not enough.
const MORE_MEMORY: &str = "give more memory";

/// Finds the values of all states that play can reach. The states are in memory.
///
/// # Errors
///
/// [`Error::Memory`](crate::Error::Memory) if the values need more than the limit;
/// [`Error::Options`](crate::Error::Options) if the threads cannot be started.
pub fn all_values(
    found: &mut (dyn FoundStates + Send),
    search: SearchEnd,
    options: &Options,
    watch: Watch,
) -> Result<ValuesFound<WordState>> {
    let allowed = Allowance::new(options, search.begun, watch);
    let (players, scored) = (found.alternating(), found.scored().is_some());
    let tally = in_pool(options, || found_in_memory(found, &allowed, search.generated))??;
    let Some(tally) = tally else { return Ok(ValuesFound::Stopped(Stop::Watch, 0)) };
    let longest = tally.longest.map(|longest| {
        (WordState { word: longest.word, player: longest.depth % players }, longest.code.value_of(scored))
    });
    Ok(ValuesFound::All(AllValues {
        depths: tally.depths,
        distances: tally.distances,
        scored,
        start: tally.start.value_of(scored),
        longest,
        symmetry_order: search.symmetry_order,
        generated: search.generated,
        seconds: search.begun.elapsed().as_secs_f64(),
        has_distances: true,
        backward: false,
        store: Store::Sparse,
    }))
}

/// Finds the values of all states and counts them. `None` if the watch stops the work.
fn found_in_memory(found: &mut dyn FoundStates, allowed: &Allowance, generated: u64) -> Result<Option<Tallies>> {
    let (count, word_bytes, players) = (found.counts().iter().sum::<u64>(), found.word_bytes(), found.players());
    let words = count * word_bytes as u64;
    let fits = |bytes: u64, numbered: u64| allowed.check(numbered, bytes, &format!("{count} states"), MORE_MEMORY);
    let mut tally = Tallies::new(found.counts().len());
    if found.window() == Window::Layered {
        fits(backward_sweep::bytes(found.counts(), word_bytes).saturating_add(words), count)?;
        return Ok(backward_sweep::sweep(found, allowed, &mut tally)?.map(|()| tally));
    }
    let way = if found.undoes_moves() { PredecessorWay::Undone } else { PredecessorWay::Listed };
    let map = if way == PredecessorWay::Undone && players == 1 { None } else { found.tier_map() };
    let Some(map) = map else {
        let (held, kind) = (bytes_of_states(count, word_bytes), ValuesOf::new(players, found.scored().is_some()));
        // While the states are sorted by the player to move, the words of one depth are in memory twice.
        let largest = found.counts().iter().max().copied().unwrap_or(0) * word_bytes as u64;
        let spread = retrograde::bytes(count, generated, kind, false, way);
        fits(held.saturating_add(spread.max(largest)), count)?;
        let graph = found.whole(None)?;
        let (graph, values) = (&*graph, retrograde::nothing_known(count));
        let states = 0..count;
        let retrograde =
            Retrograde { graph, states: states.clone(), values: &values, leads_on: false, way, listing: None, allowed };
        if retrograde.values(0, &mut |_| Ok(true))?.is_none() {
            return Ok(None);
        }
        tally.count(graph, &states, &|number| ValueCode(values[number as usize].load(Ordering::Relaxed)));
        return Ok(Some(tally));
    };
    let Some(census) = Census::take(found, None, &map, way, allowed)? else { return Ok(None) };
    // Within a tier, numbers of states have 31 bits rather than 32. So twice the size of the largest tier must fit 32
    // bits.
    let largest = census.states.iter().copied().max().unwrap_or(0) as u64;
    fits(census.bytes(&map, &(0..map.tiers.count()), way), count.max(2 * largest))?;
    Ok(tiers_in_memory::spread(found, &map, &census, way, allowed, &mut tally)?.map(|()| tally))
}

/// The words of all states that play can reach, which are in memory. If `solvable`, only those states of a puzzle are
/// returned from which moves lead to the goal. `None` if the watch stops the work.
///
/// # Errors
///
/// [`Error::Options`](crate::Error::Options) if the threads cannot be started.
pub fn states_in_memory(
    found: &mut (dyn FoundStates + Send),
    solvable: bool,
    options: &Options,
    watch: Watch,
) -> Result<Option<Vec<WordState>>> {
    let allowed = &Allowance::new(options, Instant::now(), watch);
    in_pool(options, || {
        let graph = &*found.whole(None)?;
        let (states, values) = (0..graph.len(), retrograde::nothing_known(graph.len()));
        if solvable {
            let way = PredecessorWay::Listed;
            let retrograde =
                Retrograde { graph, states, values: &values, leads_on: false, way, listing: None, allowed };
            if retrograde.values(0, &mut |_| Ok(true))?.is_none() {
                return Ok(None);
            }
        }
        let wanted = |number: &u64| {
            let code = || ValueCode(values[*number as usize].load(Ordering::Relaxed));
            !solvable || matches!(code().value(), Value::Win(_))
        };
        let mut words = Vec::new();
        for of_depth in graph.depths() {
            let word = |number| WordState { word: graph.word(number), player: of_depth.player };
            words.extend(of_depth.states.clone().filter(wanted).map(word));
        }
        Ok(Some(words))
    })?
}
