//! Makes rules of data: every name is looked up, every number is checked, and each fault is reported in a sentence.
//!
//! `docs/rules.md`, "What is refused", explains this to users.

use std::collections::{BTreeMap, HashMap};

use super::data::{
    ConnectionData, CountData, CountedGoalData, GoalData, MoveData, PatternData, RulesData, ScoreData, SourceData,
    SumData, SymmetriesData, SymmetryData,
};
use super::model::{
    Condition, Connection, Count, End, Goal, MAX_CELLS, MAX_SYMBOLS, Move, Rules, Scoring, Source, Stuck, SymbolMap,
    Symmetry,
};
use super::pattern::{Comparison, Pattern, Symbol, SymbolSet};
use super::symmetry::SymmetryCheck;
use super::{compare, goal, move_names, normal};
use crate::error::{Result, rules_error};
use crate::ordered::OrderedMap;

impl Rules {
    /// Checks data and makes rules of it.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Rules`], with a sentence that names the thing at fault.
    pub fn new(data: &RulesData) -> Result<Self> {
        check(data)
    }
}

/// Does the work of [`Rules::new`].
fn check(data: &RulesData) -> Result<Rules> {
    let names = Names::new(data)?;
    let start = names.start(data)?;
    let (stuck, outcomes) = names.outcomes(data)?;
    let scoring = data.score.as_ref().map(|score| names.scoring(score)).transpose()?;
    let moves = data.moves.iter().map(|given| names.make_move(given)).collect::<Result<Vec<_>>>()?;
    move_names::check(&moves, &start, names.symbol_list, names.players)?;
    let counts = data.goal.iter().any(|goal| matches!(goal, GoalData::Counted(_)));
    let conserved =
        if counts { move_names::conserved(&moves, &start, data.symbols.len()) } else { vec![None; data.symbols.len()] };
    let goal = data
        .goal
        .iter()
        .enumerate()
        .map(|(i, goal)| {
            let place = if data.goal.len() == 1 { "the goal".to_owned() } else { format!("goal {}", i + 1) };
            let goal = names.goal(goal, &place)?;
            goal.check_conserved(&conserved, &data.symbols, start.len(), &place)?;
            Ok(goal)
        })
        .collect::<Result<Vec<_>>>()?;
    let ends = data
        .ends
        .iter()
        .map(|end| {
            let place =
                if end.outcome.is_empty() { "an end".to_owned() } else { format!("the end \"{}\"", end.outcome) };
            let others = Others { counts: &end.counts, unless: &end.unless, connected: &end.connected };
            let wanted = names.wanted(&end.when, &others, &place)?;
            let Goal { when, conditions } = wanted;
            let points = end.score.map(points_of).transpose()?;
            // If the rules have a score, the points decide the outcome. Then nothing reads the outcome that stands
            // here.
            let outcome = if scoring.is_some() { "draw" } else { &end.outcome };
            let outcome = outcomes.iter().position(|name| name == outcome).expect("collected from the ends");
            Ok(End { outcome, when, conditions, points })
        })
        .collect::<Result<Vec<_>>>()?;
    let declared = data.symmetries.declared();
    let generators = declared.iter().map(|given| names.symmetry(given)).collect::<Result<Vec<_>>>()?;
    let mut rules = Rules {
        symbols: data.symbols.clone(),
        start,
        players: if data.players.len() == 2 { data.players.clone() } else { Vec::new() },
        moves,
        goal,
        ends,
        outcomes,
        stuck,
        scoring,
        generators: Vec::new(),
        seeks_symmetries: data.symmetries == SymmetriesData::Auto,
        backward: false,
        turn: None,
    };
    let check = SymmetryCheck::new(&rules);
    generators.iter().try_for_each(|symmetry| check.check(symmetry))?;
    rules.generators = generators;
    Ok(rules)
}

/// The conditions of a move, an end or a goal beside its pattern: counts, forbidden patterns, and paths.
#[derive(Default)]
struct Others<'a> {
    counts: &'a [CountData],
    unless: &'a [PatternData],
    connected: &'a [ConnectionData],
}

/// The names of symbols and players. They turn names in the data into numbers, and are shown in messages.
struct Names<'a> {
    symbols: HashMap<&'a str, Symbol>,
    symbol_list: &'a [String],
    players: &'a [String],
    cells: usize,
}

impl<'a> Names<'a> {
    fn new(data: &'a RulesData) -> Result<Self> {
        let (count, cells) = (data.symbols.len(), data.start.len());
        if count == 0 || count > MAX_SYMBOLS {
            return Err(rules_error!("the rules have {count} symbols; give between 1 and {MAX_SYMBOLS}"));
        }
        if cells == 0 || cells > MAX_CELLS {
            return Err(rules_error!("the start has {cells} cells; give between 1 and {MAX_CELLS}"));
        }
        let mut symbols = HashMap::new();
        for (index, name) in data.symbols.iter().enumerate() {
            refuse_unwritable("symbol", name)?;
            if symbols.insert(name.as_str(), index as Symbol).is_some() {
                return Err(rules_error!("the symbol \"{name}\" is listed twice; list it once"));
            }
        }
        let players = &data.players[..];
        if players.len() > 2 || (players.len() == 2 && players[0] == players[1]) {
            return Err(rules_error!("the players are {players:?}; name one, or two that differ"));
        }
        for name in players {
            refuse_unwritable("player", name)?;
            if name == "draw" {
                return Err(rules_error!(
                    "a player is named \"draw\", which is what a game without a winner is called"
                ));
            }
        }
        check_score(data)?;
        if let Some(end) = data.ends.iter().find(|end| end.outcome.trim().is_empty() && data.score.is_none()) {
            let outcome = &end.outcome;
            return Err(rules_error!(
                "an end has the outcome {outcome:?}, which says nothing; name a player or a word"
            ));
        }
        if let Some(end) = data.ends.iter().find(|end| end.wins && !players.contains(&end.outcome)) {
            let winner = &end.outcome;
            if players.is_empty() {
                return Err(rules_error!(
                    "an end is won by \"{winner}\", but the rules name no players; give both in Rules(players=...)"
                ));
            }
            let known = players.join(" and ");
            return Err(rules_error!("an end is won by \"{winner}\", but the players are {known}; name one of them"));
        }
        if players.len() == 2 && !data.goal.is_empty() {
            return Err(rules_error!("the rules have a goal and two players; say what ends the game in ends instead"));
        }
        Ok(Self { symbols, symbol_list: &data.symbols, players, cells })
    }

    fn symbol(&self, name: &str, place: &str) -> Result<Symbol> {
        self.symbols.get(name).copied().ok_or_else(|| {
            let known = self.symbol_list.join(" ");
            let several =
                name.chars().count() > 1 && name.chars().all(|c| self.symbols.contains_key(c.to_string().as_str()));
            let remedy = if several { "; for any of several symbols give a set" } else { "" };
            rules_error!("{place} names the unknown symbol \"{name}\"; the symbols are {known}{remedy}")
        })
    }

    fn cell(&self, cell: i64, place: &str) -> Result<usize> {
        usize::try_from(cell).ok().filter(|&cell| cell < self.cells).ok_or_else(|| {
            let (last, cells) = (self.cells - 1, self.cells);
            rules_error!(
                "{place} names cell {cell}, which is out of range; cells go from 0 to {last}, since the start has \
                 {cells}: mend that number, or the start"
            )
        })
    }

    fn start(&self, data: &RulesData) -> Result<Vec<Symbol>> {
        data.start.iter().map(|name| self.symbol(name, "the start")).collect()
    }

    /// The result for a player without a move, and the names of all outcomes, each once: those that the ends mention,
    /// in that order; then the players and `draw` or, in a puzzle, `solved` and `stuck`.
    fn outcomes(&self, data: &RulesData) -> Result<(Stuck, Vec<String>)> {
        let two = self.players.len() == 2;
        let stuck = match (two, data.stuck.as_deref()) {
            (true, Some("draw") | None) => Stuck::Draw,
            (true, Some("loss")) => Stuck::Loss,
            (true, Some("win")) => Stuck::Win,
            (false, None) => Stuck::Puzzle,
            (true, Some(other)) => {
                return Err(rules_error!("stuck is \"{other}\"; say \"draw\", \"loss\" or \"win\""));
            }
            (false, Some(other)) => {
                return Err(rules_error!("stuck is \"{other}\", but the rules have one player; leave stuck out"));
            }
        };
        let implied: &[&str] = if two { &["draw"] } else { &["solved", "stuck"] };
        let mut outcomes: Vec<String> = Vec::new();
        let listed = data.ends.iter().map(|end| end.outcome.as_str()).filter(|outcome| !outcome.is_empty());
        let players = if two { self.players } else { &[] };
        for name in listed.chain(players.iter().map(String::as_str)).chain(implied.iter().copied()) {
            if !outcomes.iter().any(|outcome| outcome == name) {
                outcomes.push(name.to_owned());
            }
        }
        Ok((stuck, outcomes))
    }

    fn pattern(&self, data: &PatternData, place: &str) -> Result<Pattern> {
        let mut cells: OrderedMap<usize, SymbolSet> = OrderedMap::new();
        let all = SymbolSet::all(self.symbols.len());
        for (cell, names) in data {
            let cell = self.cell(*cell, place)?;
            let set: SymbolSet = names.iter().map(|name| self.symbol(name, place)).collect::<Result<_>>()?;
            let known = cells.value_or(cell, || all);
            *known = known.and(set);
            if known.is_empty() {
                return Err(rules_error!("{place} allows no symbol in cell {cell}, so it never holds; allow one"));
            }
        }
        Ok(Pattern(cells.into_iter().filter(|&(_, set)| set != all).collect()))
    }

    fn goal(&self, data: &GoalData, place: &str) -> Result<Goal> {
        match data {
            GoalData::Pattern(pattern) => self.wanted(pattern, &Others::default(), place),
            GoalData::Counted(CountedGoalData { when, counts, unless, connected }) => {
                self.wanted(when, &Others { counts, unless, connected }, place)
            }
        }
    }

    /// The pattern and the other conditions that a goal or an end demands. An end has the same parts as a goal, so both
    /// are made here.
    fn wanted(&self, when: &PatternData, others: &Others, place: &str) -> Result<Goal> {
        let conditions = self.conditions(others, place)?;
        Goal::new(&self.pattern(when, place)?, conditions, self.symbol_list, self.cells, place)
    }

    fn conditions(&self, others: &Others, place: &str) -> Result<Vec<Condition>> {
        let counts = others.counts.iter().map(|count| Ok(Condition::Count(self.count(count, place)?)));
        let unless = others.unless.iter().map(|given| Ok(Condition::Unless(self.pattern(given, place)?)));
        let connected = others.connected.iter().map(|given| self.connection(given, place));
        counts.chain(unless).chain(connected).collect()
    }

    fn connection(&self, data: &ConnectionData, place: &str) -> Result<Condition> {
        let symbols: SymbolSet = data.symbols.iter().map(|name| self.symbol(name, place)).collect::<Result<_>>()?;
        let side = |cells: &[i64]| cells.iter().map(|&cell| self.cell(cell, place)).collect::<Result<Vec<_>>>();
        let sides = [side(&data.from)?, side(&data.to)?];
        if symbols.is_empty() || sides.iter().any(Vec::is_empty) {
            return Err(rules_error!("{place} wants a path without a symbol or a side; name a symbol, and both sides"));
        }
        let edges = data.edges.iter().map(|&(one, other)| Ok((self.cell(one, place)?, self.cell(other, place)?)));
        Ok(Condition::Connection(Connection::new(symbols, sides, edges.collect::<Result<_>>()?)))
    }

    fn count(&self, data: &CountData, place: &str) -> Result<Count> {
        let symbols: SymbolSet = data.symbols.iter().map(|name| self.symbol(name, place)).collect::<Result<_>>()?;
        if symbols.is_empty() {
            return Err(rules_error!("{place} counts cells without a symbol to look for; name one"));
        }
        let mut cells: Vec<usize> = match &data.of {
            None => (0..self.cells).collect(),
            Some(cells) => cells.iter().map(|&cell| self.cell(cell, place)).collect::<Result<_>>()?,
        };
        cells.sort_unstable();
        if let Some([twice, ..]) = cells.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(rules_error!("{place} counts cell {} twice; list each cell once", twice));
        }
        let (least, most) = goal::counted_range(data, place)?.into_inner();
        Ok(Count { symbols, cells, least, most })
    }

    /// The comparisons of a guard: the cells of each given pair must be `equal`, or all must differ.
    fn comparisons(&self, pairs: &[(i64, i64)], equal: bool, place: &str) -> Result<Vec<Comparison>> {
        let pair = |&(one, other): &(i64, i64)| {
            let (one, other) = (self.cell(one, place)?, self.cell(other, place)?);
            if one == other {
                return Err(rules_error!("{place} compares cell {one} with itself; name two cells"));
            }
            Ok(Comparison::new(one, other, equal))
        };
        pairs.iter().map(pair).collect()
    }

    fn make_move(&self, data: &MoveData) -> Result<Move> {
        let place = format!("the move \"{}\"", data.name);
        let when = self.pattern(&data.when, &place)?;
        let mut compares = self.comparisons(&data.equal, true, &place)?;
        compares.extend(self.comparisons(&data.different, false, &place)?);
        if compare::narrow(&when, &compares, self.symbols.len()).is_none() {
            return Err(rules_error!(
                "{place} has a guard that never holds, because of the cells that must be equal or different; mend it"
            ));
        }
        let others = Others { counts: &data.counts, unless: &data.unless, connected: &data.connected };
        let conditions = self.conditions(&others, &place)?;
        if normal::narrow_guard(&when, &compares, &conditions, self.symbols.len()).is_none() {
            return Err(rules_error!(
                "{place} has a guard that never holds, because of its counts, or of what must not hold; mend it"
            ));
        }
        let mut then: OrderedMap<usize, Source> = OrderedMap::new();
        for (cell, source) in &data.then {
            let cell = self.cell(*cell, &place)?;
            let source = match source {
                SourceData::Symbol(name) => Source::Symbol(self.symbol(name, &place)?),
                SourceData::Copy { copy, map } => {
                    let map = if map.is_empty() { None } else { Some(self.map(map, &place)?) };
                    Source::Copy(self.cell(*copy, &place)?, map)
                }
            };
            if then.insert(cell, source).is_some() {
                return Err(rules_error!("{place} writes cell {cell} twice; write each cell once"));
            }
        }
        let player = data.player.as_deref().map(|name| self.player(name, &place)).transpose()?;
        let player = if self.players.len() == 2 { player } else { None };
        let then: Vec<_> = then.into_iter().collect();
        if data.forced && (self.players.len() != 2 || player.is_some()) {
            return Err(rules_error!(
                "{place} is a pass for whoever has no other move, so it is of a game of two, and of both players; give \
                 both in players, and leave its player out"
            ));
        }
        let guarded = !(when.0.is_empty() && compares.is_empty() && conditions.is_empty());
        if data.forced && (guarded || !then.is_empty()) {
            return Err(rules_error!("{place} is a pass, and has a guard or writes cells; leave both out"));
        }
        if data.again && (self.players.len() != 2 || data.forced) {
            let what =
                if data.forced { "is a pass for whoever has no other move" } else { "is of rules for one player" };
            return Err(rules_error!("{place} {what}, so nobody can move again after it; leave again out"));
        }
        let (name, forced, again) = (data.name.clone(), data.forced, data.again);
        let given = Move { name, player, when, compares, conditions, then, forced, again };
        Ok(normal::normal(&given, self.symbols.len()))
    }

    /// Adds up the sums of the score: for each cell that is worth anything, the points that each symbol in it brings to
    /// the first player. Points of the second player count as negative.
    fn scoring(&self, data: &ScoreData) -> Result<Scoring> {
        let place = "the score";
        let mut sums: OrderedMap<usize, Vec<i64>> = OrderedMap::new();
        for SumData { player, worth, of } in &data.sums {
            let sign = if self.player(player, place)? == 0 { 1 } else { -1 };
            let cells: Vec<usize> = match of {
                None => (0..self.cells).collect(),
                Some(cells) => cells.iter().map(|&cell| self.cell(cell, place)).collect::<Result<_>>()?,
            };
            for (name, &points) in worth {
                let (symbol, points) = (self.symbol(name, place)?, i64::from(points_of(points)?));
                for &cell in &cells {
                    sums.value_or(cell, || vec![0; self.symbols.len()])[symbol as usize] += sign * points;
                }
            }
        }
        let most: i64 = sums.values().map(|sum| sum.iter().map(|points| points.abs()).max().unwrap_or(0)).sum();
        points_of(most)?;
        let narrow = |sum: Vec<i64>| sum.into_iter().map(|points| points as i32).collect::<Box<[i32]>>();
        let cells = sums.into_iter().filter(|(_, sum)| sum.iter().any(|&points| points != 0));
        Ok(Scoring {
            base: 0,
            cells: cells.map(|(cell, sum)| (cell, narrow(sum))).collect(),
            endless: data.endless.map(points_of).transpose()?,
        })
    }

    fn player(&self, name: &str, place: &str) -> Result<usize> {
        self.players.iter().position(|player| player == name).ok_or_else(|| match self.players {
            [] => rules_error!(
                "{place} belongs to the player \"{name}\", but the rules name no players; give both in \
                 Rules(players=...)"
            ),
            players => {
                rules_error!("{place} belongs to the unknown player \"{name}\"; the players are {}", players.join(" "))
            }
        })
    }

    fn map(&self, map: &BTreeMap<String, String>, place: &str) -> Result<SymbolMap> {
        let mut table: SymbolMap = (0..self.symbols.len()).map(|symbol| symbol as Symbol).collect();
        for (from, to) in map {
            table[self.symbol(from, place)? as usize] = self.symbol(to, place)?;
        }
        Ok(table)
    }

    fn symmetry(&self, data: &SymmetryData) -> Result<Symmetry> {
        let place = format!("the symmetry \"{}\"", data.name);
        if data.cells.len() != self.cells {
            return Err(rules_error!(
                "{place} lists {} cells, but the start has {}; list where each cell goes, and a cell that stays as \
                 itself",
                data.cells.len(),
                self.cells
            ));
        }
        let cells = data.cells.iter().map(|&cell| self.cell(cell, &place)).collect::<Result<Vec<_>>>()?;
        if let Some(cell) = first_missing(cells.iter().copied(), self.cells) {
            return Err(rules_error!("{place} sends no cell to cell {cell}; list a permutation of the cells"));
        }
        let symbols = self.map(&data.symbols, &place)?;
        if let Some(symbol) = first_missing(symbols.iter().map(|&symbol| symbol as usize), symbols.len()) {
            let name = &self.symbol_list[symbol];
            return Err(rules_error!("{place} turns no symbol into \"{name}\"; give a permutation of the symbols"));
        }
        if data.swap_players && self.players.len() != 2 {
            return Err(rules_error!(
                "{place} swaps the players, but the rules do not name two; leave swap_players out"
            ));
        }
        Ok(Symmetry { name: data.name.clone(), cells, symbols, swap_players: data.swap_players })
    }
}

/// The most points that a state may have, for either player. The code of a value has no room for more.
const MOST_POINTS: i64 = 1 << 24;

/// A number of points in 32 bits. It is refused if either player would have more than [`MOST_POINTS`].
fn points_of(points: i64) -> Result<i32> {
    match i32::try_from(points) {
        Ok(small) if points.abs() <= MOST_POINTS => Ok(small),
        _ => Err(rules_error!("the score may be {points} points; no state may have more than {MOST_POINTS}")),
    }
}

/// Refuses ends and stuck results that contradict the score, and points of an end if the rules have no score.
fn check_score(data: &RulesData) -> Result<()> {
    if data.score.is_none() {
        return match data.ends.iter().find_map(|end| end.score) {
            Some(points) => Err(rules_error!(
                "an end has the score {points}, but the rules have no score; give Rules(score=...), or an outcome"
            )),
            None => Ok(()),
        };
    }
    if data.players.len() != 2 {
        return Err(rules_error!("the rules have a score, and scores are of games of two; give both in players"));
    }
    if let Some(end) = data.ends.iter().find(|end| !end.outcome.is_empty()) {
        return Err(rules_error!(
            "an end has the outcome \"{}\", and the rules have a score, which tells who has won; say over(...)",
            end.outcome
        ));
    }
    if let Some(stuck) = &data.stuck {
        return Err(rules_error!(
            "stuck is \"{stuck}\", and the rules have a score, which tells who has won; leave stuck out, or say \
             \"pass\""
        ));
    }
    Ok(())
}

/// Refuses a name that the text of a state could not show, or that could not be read back: an empty name, or one with
/// white space, a control character, `/`, `,` or `:`.
fn refuse_unwritable(what: &str, name: &str) -> Result<()> {
    if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c.is_control() || "/,:".contains(c)) {
        return Err(rules_error!(
            "the {what} {name:?} cannot be written in a state; use no white space, comma, slash or colon"
        ));
    }
    Ok(())
}

/// The smallest number that is missing from the given ones, of the numbers from 0 to `count - 1`; `None` if none is
/// missing.
fn first_missing(numbers: impl Iterator<Item = usize>, count: usize) -> Option<usize> {
    let mut seen = vec![false; count];
    numbers.for_each(|number| seen[number] = true);
    seen.iter().position(|&seen| !seen)
}
