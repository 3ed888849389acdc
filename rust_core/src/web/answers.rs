//! Verbs that search for answers about states: solutions, values of positions, and what moves force.

use std::collections::HashMap;

use serde_json::{Map, Value as Json, json};

use super::deadline::{Deadline, Told};
use super::loaded::Loaded;
use super::problem::{Answer, Problem};
use super::request::{Request, grouped};
use crate::engine::State;
use crate::run::Budget;
use crate::solve::{Answered, Asked, Judged, Limit, Play, Proof, Question, Solution, Solved, Technique};
use crate::values::Value;

/// The number of states that a search may store, if the request does not say.
const STATES: u64 = 20_000_000;

/// The most states that a search can number.
const MOST_STATES: u64 = (1 << 32) - 2;

/// The least memory, in bytes, with which the value of a position is searched for.
const LEAST_TABLE: u64 = 4096;

/// The verb `values` divides the time that is left by the number of states that are left. It assumes at least this many
/// seconds, even if less time is left.
const LEAST_SECONDS: f64 = 0.5;

/// The limits of a search.
struct SearchLimits {
    states: u64,
    memory: u64,
    seconds: Option<f64>,
    /// `true` if all best moves and the number of moves to the end are wanted.
    distance: bool,
}

/// The result of a search for an answer about a state.
#[derive(Default)]
struct FoundAnswer {
    moves: Vec<usize>,
    optimal: bool,
    lower_bound: Option<u32>,
    /// Figures of the search with their names, such as the number of stored states.
    searched: Vec<(String, u64)>,
    technique: Option<Technique>,
    limit: Option<&'static str>,
    /// In a game, `win`, `draw` or `loss`; `None` in a puzzle, or if the value is not known.
    value: Option<&'static str>,
    score: Option<i32>,
    best: Vec<usize>,
    /// `false` if the value of a position is not known.
    proven: bool,
    /// If best play repeats a position: the number of moves of the line after which that position comes first. The last
    /// move of the line leads to it again. `None` if play repeats no position.
    repeats: Option<usize>,
}

impl Loaded {
    fn limits(&self, request: &Request) -> Answer<SearchLimits> {
        let states = request.number("max_states", 1, MOST_STATES)?.unwrap_or(STATES);
        let seconds = request.seconds("seconds")?;
        let memory = request.number("memory", 0, i64::MAX as u64)?.unwrap_or(self.memory);
        Ok(SearchLimits { states, memory, seconds, distance: request.flag("distance")? })
    }

    /// The verb `solve`: a solution, or best play. The answer has the data of `puzzlekit solve --json`.
    ///
    /// # Errors
    ///
    /// `UnsolvableError` if no moves lead to the goal; `LimitError` if a limit is reached before there is an answer.
    pub fn solve(&self, request: &Request, told: Told) -> Answer {
        let (state, limits) = (self.state_of(request)?, self.limits(request)?);
        let deadline = Deadline::new(limits.seconds, told);
        let first = match request.get("first") {
            None => None,
            Some(_) => Some(self.indexes(&state, &request.texts("first")?)?),
        };
        let found = self.searched(&state, &limits, first, &deadline)?;
        Ok(self.solution_data(&state, &found, deadline.elapsed()))
    }

    /// The places in the rules of moves that are made one after another, given by their names.
    fn indexes(&self, state: &State, names: &[&str]) -> Answer<Vec<usize>> {
        let (mut at, mut indexes) = (state.clone(), Vec::new());
        for name in names {
            let index = self.index(&at, name)?;
            at = self.engine.apply(&at, index)?;
            indexes.push(index);
        }
        if !self.is_game() && !self.engine.solved(&at)? {
            let (from, to) = (self.write(state), self.write(&at));
            return Err(Problem::usage(format!(
                "the moves lead from {from} to {to}, which is not solved; give moves that solve it"
            )));
        }
        Ok(indexes)
    }

    fn searched(
        &self,
        state: &State,
        limits: &SearchLimits,
        first: Option<Vec<usize>>,
        deadline: &Deadline,
    ) -> Answer<FoundAnswer> {
        let mut found = if self.is_game() {
            self.judged(state, limits, deadline)?
        } else {
            self.solved(state, limits, first, deadline)?
        };
        let length = found.moves.len() as u32;
        found.optimal |= !self.is_game() && found.lower_bound == Some(length);
        if found.optimal {
            found.limit = None;
        } else if deadline.over() {
            found.limit = Some("seconds");
        }
        Ok(found)
    }

    fn solved(
        &self,
        state: &State,
        limits: &SearchLimits,
        first: Option<Vec<usize>>,
        deadline: &Deadline,
    ) -> Answer<FoundAnswer> {
        let budget = Budget { states: limits.states as usize, bytes: limits.memory, threads: 1 };
        let asked = Asked { budget, seconds: limits.seconds, first, cache: None };
        let Answered { solved, limit } = self.engine.answer(state, &asked, &|progress| deadline.look(progress))?;
        let Solved { solution, technique, states, proof: Proof { lower_bound, searched, .. } } = solved;
        let limit = limit.map(|limit| name_of(limit, deadline));
        let Solution::Moves(moves, optimal) = solution else {
            if solution == Solution::Unreachable {
                let (text, why) = (self.write(state), self.why_not(state));
                let message = format!("no moves lead from {text} to the goal: {why}");
                return Err(Problem::new("UnsolvableError", message));
            }
            return Err(self.too_much(state, limit.unwrap_or("watch"), limits, lower_bound));
        };
        let bounds = searched.iter().map(|&(moves, count)| (format!("bound {moves}"), count));
        let stored = (states > 0).then(|| ("states".to_owned(), states));
        let bound = if optimal { moves.len() as u32 } else { lower_bound };
        Ok(FoundAnswer {
            optimal,
            lower_bound: (optimal || bound > 0).then_some(bound),
            searched: stored.into_iter().chain(bounds).collect(),
            technique: Some(technique),
            limit,
            moves,
            proven: true,
            ..FoundAnswer::default()
        })
    }

    fn judged(&self, state: &State, limits: &SearchLimits, deadline: &Deadline) -> Answer<FoundAnswer> {
        if limits.memory < LEAST_TABLE {
            let (text, given, least) = (self.write(state), grouped(limits.memory), grouped(LEAST_TABLE));
            let message = format!("no answer for {text} within {given} bytes of memory; give {least} or more");
            return Err(Problem::new("LimitError", message));
        }
        let budget = Budget { states: limits.states as usize, bytes: limits.memory, threads: 1 };
        let question = Question { budget, exact: limits.distance };
        let Judged { found, states, technique, limit } =
            self.engine.best_moves(state, question, &|progress| deadline.look(progress))?;
        let mut searched: Vec<_> = (states > 0).then(|| ("states".to_owned(), states)).into_iter().collect();
        let (best, ahead) = match found {
            Play::Solved { value, moves, line, exact } => {
                let (value, score) = value_of(value);
                let repeats = self.repeats(state, &line)?;
                return Ok(FoundAnswer {
                    moves: line,
                    optimal: exact,
                    searched,
                    technique: Some(technique),
                    value: Some(value),
                    score,
                    best: moves,
                    proven: true,
                    repeats,
                    ..FoundAnswer::default()
                });
            }
            Play::Unknown { best, ahead } => (best.into_iter().collect(), ahead),
            Play::Full | Play::Stopped => (Vec::new(), 0),
        };
        searched.push(("moves ahead".to_owned(), u64::from(ahead)));
        let limit = limit.map(|limit| name_of(limit, deadline));
        let technique = Some(technique);
        Ok(FoundAnswer { moves: Vec::clone(&best), best, searched, technique, limit, ..FoundAnswer::default() })
    }

    /// The number of moves of a line of play before the position that its last move repeats, up to symmetry. `None` if
    /// the line repeats no position.
    fn repeats(&self, state: &State, line: &[usize]) -> Answer<Option<usize>> {
        let (mut at, mut keys) = (state.clone(), vec![self.engine.canonical(state)?]);
        for &index in line {
            at = self.engine.apply(&at, index)?;
            keys.push(self.engine.canonical(&at)?);
        }
        let Some(last) = keys.pop() else { return Ok(None) };
        if keys.is_empty() || self.engine.outcome(&at)?.is_some() {
            return Ok(None);
        }
        Ok(keys.iter().position(|key| *key == last))
    }

    /// The error for a limit that was reached before there was an answer.
    fn too_much(&self, state: &State, limit: &'static str, limits: &SearchLimits, bound: u32) -> Problem {
        let text = self.write(state);
        let within = match limit {
            "watch" => None,
            "seconds" => {
                Some(limits.seconds.map_or("the time".to_owned(), |seconds| format!("{} seconds", brief(seconds))))
            }
            "max_states" => Some(format!("{} states", grouped(limits.states))),
            "memory" => Some(format!("{} bytes of memory", grouped(limits.memory))),
            _ => Some("the effort of a run without a time".to_owned()),
        };
        let remedy = match limit {
            "effort" => "give a time with --seconds".to_owned(),
            limit => format!("give more with --{}", limit.replace('_', "-")),
        };
        let needed =
            if bound > 1 { format!("; if moves lead to the goal, at least {bound} are needed") } else { String::new() };
        let message = match &within {
            Some(within) => format!("no answer for {text} within {within}; {remedy}, or another solver{needed}"),
            None => format!("stopped before there was an answer for {text}{needed}"),
        };
        Problem::new("LimitError", message).reached((bound > 1).then_some(bound), within)
    }

    /// The reason why no moves lead to the goal.
    fn why_not(&self, state: &State) -> String {
        let structure = self.engine.structure();
        if let Some(dials) = structure.dials() {
            let (modulus, rank) = (dials.modulus(), dials.rank());
            return format!(
                "the moves make {modulus}^{rank} of all states, and the goal is not among those of this one"
            );
        }
        let twisted = || structure.twisted()?.orbit_sizes();
        match structure.group().map(crate::PermutationGroup::orbit_sizes).or_else(twisted) {
            Some(orbits) => {
                let order = product(&orbits);
                format!("the moves make {order} of all arrangements, and this is none of them")
            }
            None if structure.least_moves(&state.cells).is_none() => {
                "no moves change the numbers of its pieces to those of the goal".to_owned()
            }
            None => "a search found all that can follow it, or all that can come before the goal".to_owned(),
        }
    }

    fn solution_data(&self, state: &State, found: &FoundAnswer, seconds: f64) -> Json {
        // A game's value and a best move may be known without best play, which may take too long to find.
        let lacks_moves = !found.best.is_empty() && found.moves.is_empty();
        let mut data = json!({
            "schema": "puzzlekit.solve/1",
            "puzzle": self.puzzle,
            "state": self.write(state),
            "moves": self.names(&found.moves),
            "length": (found.repeats.is_none() && !lacks_moves).then_some(found.moves.len()),
            "optimal": found.optimal,
            "solver": "optimal",
            "seconds": seconds,
        });
        let Json::Object(fields) = &mut data else { return data };
        if found.value.is_some() || !found.proven {
            fields.insert("value".to_owned(), json!(found.value));
            fields.insert("proven".to_owned(), json!(found.proven));
            fields.insert("best".to_owned(), json!(self.names(&found.best)));
        }
        let mut add = |name: &str, value: Json| {
            if !value.is_null() {
                fields.insert(name.to_owned(), value);
            }
        };
        add("score", json!(found.score));
        add("repeats", json!(found.repeats));
        add("lower_bound", json!(found.lower_bound));
        if !found.searched.is_empty() {
            let figures = found.searched.iter().map(|(name, count)| (name.clone(), json!(count)));
            add("searched", Json::Object(figures.collect::<Map<_, _>>()));
        }
        if let Some(technique) = found.technique {
            let (method, reason) = in_words(technique);
            add("method", json!(method));
            add("reason", json!(reason));
        }
        add("limit", json!(found.limit));
        data
    }

    /// The verb `values`: for each state of a list, in a game its value for the player to move, and in a puzzle the
    /// fewest moves to the goal. All states together may take as long as one search.
    pub fn values(&self, request: &Request, told: Told) -> Answer {
        let limits = self.limits(request)?;
        let short = request.seconds("short_seconds")?;
        let begun = crate::instant::Instant::now();
        let (given, mut known) = (request.texts("states")?, HashMap::new());
        let states = given.iter().map(|text| self.read(text)).collect::<Answer<Vec<State>>>()?;
        let mut worths = Vec::new();
        for (at, state) in states.iter().enumerate() {
            let same = known.get(&state.cells).filter(|(player, _)| *player == state.player);
            let worth = if let Some((_, worth)) = same {
                Json::clone(worth)
            } else {
                let left = (states.len() - at) as f64;
                let seconds = limits.seconds.map(|all| {
                    let each = (all - begun.elapsed().as_secs_f64()).max(LEAST_SECONDS) / left;
                    short.map_or(each, |short| each.min(short))
                });
                self.worth(state, &SearchLimits { seconds, ..limits }, told)?
            };
            known.insert(state.cells.clone(), (state.player, worth.clone()));
            worths.push(worth);
        }
        Ok(json!({"values": worths}))
    }

    fn worth(&self, state: &State, limits: &SearchLimits, told: Told) -> Answer {
        let deadline = Deadline::new(limits.seconds, told);
        Ok(match self.searched(state, limits, None, &deadline) {
            Err(problem) if deadline.stopped() => return Err(problem),
            Err(problem) => {
                let mut unknown = worth_data(&Json::Null, None, Some(problem.message()), None);
                unknown["error"] = problem.to_data();
                unknown
            }
            Ok(found) if !found.proven => {
                worth_data(&Json::Null, None, Some("the value is not known within the limits of this page"), None)
            }
            Ok(found) if self.is_game() => {
                let scored = self.engine.rules().scoring.is_some();
                let left = found.optimal && found.repeats.is_none() && !scored;
                worth_data(&json!(found.value), left.then_some(found.moves.len()), None, found.score)
            }
            Ok(found) if found.optimal => worth_data(&json!(found.moves.len()), Some(found.moves.len()), None, None),
            Ok(_) => {
                let why = "the fewest moves are not known within the seconds of this page";
                worth_data(&Json::Null, None, Some(why), None)
            }
        })
    }

    /// The verb `foresee`: for each move in a position of a game, the win or loss that it forces within some moves.
    pub fn foresee(&self, request: &Request, told: Told) -> Answer {
        let state = self.state_of(request)?;
        let ahead = request.number("ahead", 1, 1000)?.unwrap_or(4) as u32;
        let positions = request.number("positions", 1, u64::MAX)?.unwrap_or(100_000);
        let deadline = Deadline::new(request.seconds("seconds")?, told);
        let seen = self.engine.foresee(&state, ahead, positions, &|progress| deadline.look(progress))?;
        let told = |index: usize, end: Option<Value>| {
            let (value, score) = end.map_or((None, None), |end| (Some(value_of(end).0), value_of(end).1));
            let length = end.map_or(0, length_of);
            json!({"move": self.name(index), "value": value, "length": length, "score": score})
        };
        let moves: Vec<Json> = seen.found.iter().map(|seen| told(seen.index, seen.end)).collect();
        Ok(json!({"ahead": seen.moves, "moves": moves}))
    }
}

/// A value as JSON.
fn worth_data(value: &Json, left: Option<usize>, why: Option<&str>, score: Option<i32>) -> Json {
    json!({"value": value, "left": left, "why": why, "score": score})
}

/// The name of a limit, as users know it. The engine does not know the time limit: it knows only that the watch stopped
/// the search.
fn name_of(limit: Limit, deadline: &Deadline) -> &'static str {
    match limit {
        Limit::States => "max_states",
        Limit::Memory => "memory",
        Limit::Seconds => "seconds",
        Limit::Searched => "effort",
        Limit::Watch if deadline.over() => "seconds",
        Limit::Watch => "watch",
    }
}

/// The name of a value, such as `win`, and its points, which are `None` unless the game has a score.
pub fn value_of(value: Value) -> (&'static str, Option<i32>) {
    match value {
        Value::Win(_) => ("win", None),
        Value::Draw(_) => ("draw", None),
        Value::Loss(_) => ("loss", None),
        Value::Score(points) => (["loss", "draw", "win"][(points.signum() + 1) as usize], Some(points)),
    }
}

/// The number of moves of a value; 0 if there are none.
fn length_of(value: Value) -> u32 {
    match value {
        Value::Win(length) | Value::Loss(length) => length,
        Value::Draw(length) => length.unwrap_or(0),
        Value::Score(_) => 0,
    }
}

/// The name of a technique for users, and the reason why it was chosen.
fn in_words(technique: Technique) -> (&'static str, &'static str) {
    match technique {
        Technique::Algebra => ("algebra", "the moves commute, or make a group"),
        Technique::BothEnds => ("search from both ends", "it ended within the limits"),
        Technique::Deepening => {
            ("iterative deepening", "the rules give lower bounds, and storing states would take too many")
        }
        Technique::Shortening => ("beam search", "a proof was not to be expected within the limits"),
        Technique::Phases => ("search in phases", "the moves have subgroups of few cosets"),
        Technique::Words => ("words of moves", "the moves have no subgroups of few cosets"),
        Technique::Retrograde => ("retrograde analysis", "all positions that can follow are listed"),
        Technique::AlphaBeta => ("alpha-beta", "only some of the positions that can follow are needed"),
        Technique::LookAhead => ("look ahead", "more positions can follow than the limits allow"),
    }
}

/// A number of seconds in at most six digits, without zeros at its end.
fn brief(seconds: f64) -> String {
    let digits = 5 - (seconds.abs().max(1e-5).log10().floor() as i32).clamp(0, 5);
    let text = format!("{seconds:.*}", digits as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The product of numbers, as a text with a comma after every third digit. It may have any number of digits.
fn product(numbers: &[usize]) -> String {
    // The product in base 1000, the lowest digit first.
    let mut parts: Vec<u64> = vec![1];
    for &number in numbers {
        let mut carry = 0u64;
        for part in &mut parts {
            let sum = *part * number as u64 + carry;
            (*part, carry) = (sum % 1000, sum / 1000);
        }
        while carry > 0 {
            parts.push(carry % 1000);
            carry /= 1000;
        }
    }
    let first = parts.pop().unwrap_or(0).to_string();
    let more = parts.iter().rev().map(|part| format!("{part:03}"));
    std::iter::once(first).chain(more).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_are_written_out() {
        assert_eq!(product(&[]), "1");
        assert_eq!(product(&[12, 1000, 11]), "132,000");
        assert_eq!(product(&(1..=25).collect::<Vec<_>>()), "15,511,210,043,330,985,984,000,000");
        assert_eq!([0.25, 10.0, 2.5, 1e6, 0.001].map(brief), ["0.25", "10", "2.5", "1000000", "0.001"]);
    }
}
