//! Plays rules that are given as data, for the proof of a job. Nothing is compiled: cells are read and written one by
//! one.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::{Result, rules_error};
use crate::rules::{
    ConnectionData, CountData, EndData, GoalData, MoveData, PatternData, Rules, RulesData, ScoreData, SourceData,
    SumData, SymmetriesData, SymmetryData,
};

/// The cells of a state, each as the number of its symbol in the rules' list of symbols.
pub type CellCodes = [u8];

/// A state: the symbols of its cells, and the player to move.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlainState {
    pub cells: Vec<u8>,
    pub player: usize,
}

/// An outcome, as its index in [`Player::outcomes`].
pub type Outcome = u16;

/// The most symmetries in a group. If the generators make more, the rules are refused.
const MOST_PRODUCTS: usize = 1 << 20;

/// The outcome of an end in rules with a score, in which the points decide who has won.
const BY_POINTS: Outcome = Outcome::MAX;

/// Rules that are played as they are written: without packed states and compiled moves.
pub struct Player {
    pub start: Vec<u8>,
    /// The number of players: 1 in a puzzle.
    pub players: usize,
    /// The names of the outcomes. In a game, the first two are the names of the players.
    pub outcomes: Vec<String>,
    /// All products of the symmetries, except those that swap the players. The first one is the identity.
    pub group: Vec<PlainImage>,
    /// In rules with a score, the points of the first player if play never ends; `None` if the rules do not say.
    pub endless: Option<i64>,
    symbols: Vec<String>,
    moves: Vec<PlainMove>,
    goals: Vec<PlainCondition>,
    ends: Vec<PlainEnd>,
    stuck: Option<String>,
    score: Option<Vec<PlainSum>>,
}

/// A symmetry. To make cell `i` of the image, it takes the symbol in cell `sources[i]` and replaces it as `symbols`
/// says.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlainImage {
    sources: Vec<usize>,
    symbols: Vec<u8>,
    swaps: bool,
}

/// A guard, a goal or the condition of an end: what must hold in a state.
#[derive(Default)]
struct PlainCondition {
    when: Vec<WantedCell>,
    equal: Vec<(usize, usize)>,
    different: Vec<(usize, usize)>,
    counts: Vec<PlainCount>,
    unless: Vec<Vec<WantedCell>>,
    connected: Vec<Path>,
}

/// A cell, and which symbols it may hold: `held[symbol]` is `true` for these.
struct WantedCell {
    cell: usize,
    held: Vec<bool>,
}

struct PlainCount {
    cells: Vec<usize>,
    held: Vec<bool>,
    least: i64,
    most: i64,
}

struct Path {
    held: Vec<bool>,
    from: Vec<usize>,
    to: Vec<usize>,
    /// For each cell, its neighbours.
    beside: Vec<Vec<usize>>,
}

struct PlainMove {
    owner: Option<usize>,
    guard: PlainCondition,
    writes: Vec<Write>,
    forced: bool,
    again: bool,
}

/// The effect of a move on one cell, which is named first. `Symbol` writes a symbol. `Copy` reads the symbol of the
/// second cell, and writes what the list has for that symbol.
enum Write {
    Symbol(usize, u8),
    Copy(usize, usize, Vec<u8>),
}

struct PlainEnd {
    /// The outcome, or [`BY_POINTS`].
    outcome: Outcome,
    condition: PlainCondition,
    points: Option<i64>,
}

/// A sum of the score: the cells, and the points that each symbol in one of them brings to the first player.
struct PlainSum {
    cells: Vec<usize>,
    worth: Vec<i64>,
}

impl Player {
    /// Reads rules.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Rules`] if the rules contradict themselves, if their symmetries are `"auto"` instead of a list,
    /// or if the symmetries make too large a group.
    pub fn new(data: &RulesData) -> Result<Self> {
        Rules::new(data)?; // all names and numbers below are in the lists that they belong to
        let names = RuleNames { symbols: &data.symbols, cells: data.start.len() };
        let two: &[String] = if data.players.len() == 2 { &data.players } else { &[] };
        let mut outcomes: Vec<String> = two.to_vec();
        let others = ["draw", "solved", "stuck"].map(str::to_owned);
        for outcome in data.ends.iter().map(|end| &end.outcome).chain(&others) {
            if !outcome.is_empty() && !outcomes.contains(outcome) {
                outcomes.push(outcome.clone());
            }
        }
        let end = |end: &EndData| PlainEnd {
            outcome: outcomes
                .iter()
                .position(|outcome| *outcome == end.outcome)
                .map_or(BY_POINTS, |place| place as u16),
            condition: names.condition(&end.when, &end.counts, &end.unless, &end.connected),
            points: end.score,
        };
        let SymmetriesData::Declared(generators) = &data.symmetries else {
            return Err(rules_error!("the proof needs the symmetries as a list"));
        };
        Ok(Self {
            start: data.start.iter().map(|symbol| names.symbol(symbol)).collect(),
            players: two.len().max(1),
            group: names.group(generators)?,
            endless: data.score.as_ref().and_then(|score| score.endless),
            symbols: data.symbols.clone(),
            moves: data.moves.iter().map(|given| names.plain_move(given, two)).collect(),
            goals: data.goal.iter().map(|goal| names.goal(goal)).collect(),
            ends: data.ends.iter().map(end).collect(),
            stuck: data.stuck.clone(),
            score: data.score.as_ref().map(|score| names.sums(score, two)),
            outcomes,
        })
    }

    /// Returns `true` if a move may keep the turn, so that whose turn it is does not follow from the depth.
    pub fn keeps_turns(&self) -> bool {
        self.moves.iter().any(|given| given.again)
    }

    /// The number of symbols.
    pub fn symbols(&self) -> usize {
        self.symbols.len()
    }

    /// Returns `true` if a state satisfies the goal of a puzzle.
    pub fn solved(&self, cells: &CellCodes) -> bool {
        self.goals.iter().any(|goal| goal.holds(cells))
    }

    /// The states that the moves of a player lead to, one for each move. If the player must pass, it is the same state
    /// with the other player to move. If play is over, there are none.
    pub fn after(&self, cells: &CellCodes, player: usize) -> Vec<PlainState> {
        if self.ended(cells, player).is_some() {
            return Vec::new();
        }
        let moves = self.possible(cells, player);
        let passes = moves.is_empty() && self.moves.iter().any(|given| given.forced);
        if passes && !self.possible(cells, self.other(player)).is_empty() {
            return vec![PlainState { cells: cells.to_vec(), player: self.other(player) }];
        }
        let turn = |given: &PlainMove| if given.again { player } else { self.other(player) };
        moves.into_iter().map(|given| PlainState { cells: given.make(cells), player: turn(given) }).collect()
    }

    /// The other player; in a puzzle, the same one.
    pub fn other(&self, player: usize) -> usize {
        (player + 1) % self.players
    }

    /// The outcome of a state; `None` if play goes on. `goes_on` is `true` if the state has a successor.
    pub fn outcome(&self, cells: &CellCodes, player: usize, goes_on: bool) -> Option<Outcome> {
        let word = |word: &str| self.outcomes.iter().position(|each| each == word).map(|place| place as Outcome);
        let ended = self.ended(cells, player);
        if goes_on && ended.is_none() {
            return None;
        }
        if let Some(points) = self.points(cells, player) {
            return if points == 0 { word("draw") } else { Some(Outcome::from(points < 0)) };
        }
        if ended.is_some() {
            return ended;
        }
        match (self.players, self.stuck.as_deref()) {
            (2, Some("win")) => Some(player as Outcome),
            (2, Some("loss")) => Some(self.other(player) as Outcome),
            (2, _) => word("draw"),
            _ => word(if self.solved(cells) { "solved" } else { "stuck" }),
        }
    }

    /// Returns `true` if the rules have a score.
    pub fn is_scored(&self) -> bool {
        self.score.is_some()
    }

    /// The points of the first player in a state in which play is over; `None` if the rules have no score. Of the ends
    /// that hold, the one counts whose number of points the rules name first, with either sign. If another one holds
    /// with the same number, the best one for the player who is not to move counts.
    pub fn points(&self, cells: &CellCodes, player: usize) -> Option<i64> {
        let sums = self.score.as_ref()?;
        let sign = if player == 1 { 1 } else { -1 };
        let size = |end: &PlainEnd| end.points.map(i64::abs);
        let held: Vec<&PlainEnd> = self.ends.iter().filter(|end| end.condition.holds(cells)).collect();
        let counts = |named: &Option<i64>| held.iter().any(|end| size(end) == *named);
        let said = self.ends.iter().map(size).find(counts).and_then(|number| {
            let as_many = held.iter().filter(|end| size(end) == number);
            as_many.filter_map(|end| end.points).max_by_key(|points| points * sign)
        });
        let worth = |sum: &PlainSum| -> i64 { sum.cells.iter().map(|&cell| sum.worth[usize::from(cells[cell])]).sum() };
        Some(said.unwrap_or_else(|| sums.iter().map(worth).sum()))
    }

    /// The text of a state, for a message.
    pub fn text(&self, cells: &CellCodes, player: usize) -> String {
        let between = if self.symbols.iter().all(|symbol| symbol.chars().count() == 1) { "" } else { "," };
        let symbols: Vec<&str> = cells.iter().map(|&code| &*self.symbols[usize::from(code)]).collect();
        let text = symbols.join(between);
        if self.players == 2 { format!("{text}:{}", self.outcomes[player]) } else { text }
    }

    /// The outcome of the end that holds; `None` if none does. If several hold, the outcome that the rules name first
    /// counts. Both players' wins have the place of the win that is named first; of the two, the win of the player who
    /// is not to move counts.
    fn ended(&self, cells: &CellCodes, player: usize) -> Option<Outcome> {
        let holding = self.ends.iter().filter(|end| end.condition.holds(cells));
        let held: Vec<Outcome> = holding.map(|end| end.outcome).collect();
        let is_win = |outcome: Outcome| self.players == 2 && outcome < 2;
        let alike = |one: Outcome, other: Outcome| one == other || is_win(one) && is_win(other);
        let named_at = |&outcome: &Outcome| self.ends.iter().position(|end| alike(end.outcome, outcome));
        let first = held.iter().copied().min_by_key(named_at)?;
        let mut winners = [self.other(player) as Outcome, player as Outcome].into_iter();
        if is_win(first) { winners.find(|winner| held.contains(winner)) } else { Some(first) }
    }

    /// The moves that a player can make in a state, except passes.
    fn possible(&self, cells: &CellCodes, player: usize) -> Vec<&PlainMove> {
        let may = |given: &&PlainMove| {
            !given.forced && given.owner.is_none_or(|owner| owner == player) && given.guard.holds(cells)
        };
        self.moves.iter().filter(may).collect()
    }
}

impl PlainImage {
    /// Writes the image of a state into `image`.
    pub fn of(&self, cells: &CellCodes, image: &mut Vec<u8>) {
        image.clear();
        image.extend(self.sources.iter().map(|&source| self.symbols[usize::from(cells[source])]));
    }
}

impl PlainMove {
    fn make(&self, cells: &CellCodes) -> Vec<u8> {
        let mut made = cells.to_vec();
        for write in &self.writes {
            match write {
                Write::Symbol(cell, code) => made[*cell] = *code,
                Write::Copy(cell, source, become_) => made[*cell] = become_[usize::from(cells[*source])],
            }
        }
        made
    }
}

impl PlainCondition {
    fn holds(&self, cells: &CellCodes) -> bool {
        let fits = |wanted: &WantedCell| wanted.held[usize::from(cells[wanted.cell])];
        self.when.iter().all(fits)
            && self.equal.iter().all(|&(one, other)| cells[one] == cells[other])
            && self.different.iter().all(|&(one, other)| cells[one] != cells[other])
            && !self.unless.iter().any(|pattern| pattern.iter().all(fits))
            && self.counts.iter().all(|count| count.holds(cells))
            && self.connected.iter().all(|path| path.joins(cells))
    }
}

impl PlainCount {
    fn holds(&self, cells: &CellCodes) -> bool {
        let there = self.cells.iter().filter(|&&cell| self.held[usize::from(cells[cell])]).count() as i64;
        (self.least..=self.most).contains(&there)
    }
}

impl Path {
    fn joins(&self, cells: &CellCodes) -> bool {
        let good = |cell: usize| self.held[usize::from(cells[cell])];
        let mut reached: Vec<usize> = self.from.iter().copied().filter(|&cell| good(cell)).collect();
        let mut seen = vec![false; cells.len()];
        for &cell in &reached {
            seen[cell] = true;
        }
        while let Some(cell) = reached.pop() {
            if self.to.contains(&cell) {
                return true;
            }
            for &next in self.beside[cell].iter().filter(|&&next| good(next)) {
                if !seen[next] {
                    seen[next] = true;
                    reached.push(next);
                }
            }
        }
        false
    }
}

/// Turns names into numbers while rules are read: it has the names of the symbols, and the number of cells.
struct RuleNames<'a> {
    symbols: &'a [String],
    cells: usize,
}

impl RuleNames<'_> {
    fn symbol(&self, name: &str) -> u8 {
        self.symbols.iter().position(|symbol| symbol == name).expect("the rules have been checked") as u8
    }

    fn held(&self, names: &[String]) -> Vec<bool> {
        self.symbols.iter().map(|symbol| names.contains(symbol)).collect()
    }

    fn pattern(&self, pattern: &PatternData) -> Vec<WantedCell> {
        pattern.iter().map(|(cell, names)| WantedCell { cell: *cell as usize, held: self.held(names) }).collect()
    }

    fn cells(&self, of: Option<&Vec<i64>>) -> Vec<usize> {
        of.map_or_else(|| (0..self.cells).collect(), |of| places(of))
    }

    fn condition(
        &self,
        when: &PatternData,
        counts: &[CountData],
        unless: &[PatternData],
        connected: &[ConnectionData],
    ) -> PlainCondition {
        let count = |count: &CountData| PlainCount {
            cells: self.cells(count.of.as_ref()),
            held: self.held(&count.symbols),
            least: count.at_least.unwrap_or(i64::MIN),
            most: count.at_most.unwrap_or(i64::MAX),
        };
        let path = |path: &ConnectionData| {
            let mut beside = vec![Vec::new(); self.cells];
            for &(one, other) in &path.edges {
                beside[one as usize].push(other as usize);
                beside[other as usize].push(one as usize);
            }
            Path { held: self.held(&path.symbols), from: places(&path.from), to: places(&path.to), beside }
        };
        PlainCondition {
            when: self.pattern(when),
            counts: counts.iter().map(count).collect(),
            unless: unless.iter().map(|pattern| self.pattern(pattern)).collect(),
            connected: connected.iter().map(path).collect(),
            ..PlainCondition::default()
        }
    }

    fn goal(&self, goal: &GoalData) -> PlainCondition {
        match goal {
            GoalData::Pattern(pattern) => self.condition(pattern, &[], &[], &[]),
            GoalData::Counted(goal) => self.condition(&goal.when, &goal.counts, &goal.unless, &goal.connected),
        }
    }

    fn plain_move(&self, given: &MoveData, players: &[String]) -> PlainMove {
        let pairs = |pairs: &[(i64, i64)]| pairs.iter().map(|&(a, b)| (a as usize, b as usize)).collect();
        let condition = self.condition(&given.when, &given.counts, &given.unless, &given.connected);
        let write = |(cell, source): &(i64, SourceData)| match source {
            SourceData::Symbol(name) => Write::Symbol(*cell as usize, self.symbol(name)),
            SourceData::Copy { copy, map } => Write::Copy(*cell as usize, *copy as usize, self.table(map)),
        };
        PlainMove {
            owner: given.player.as_ref().and_then(|name| players.iter().position(|player| player == name)),
            guard: PlainCondition { equal: pairs(&given.equal), different: pairs(&given.different), ..condition },
            writes: given.then.iter().map(write).collect(),
            forced: given.forced,
            again: given.again,
        }
    }

    /// For each symbol, what `map` makes of it; a symbol that is not in the map stays as it is.
    fn table(&self, map: &BTreeMap<String, String>) -> Vec<u8> {
        self.symbols.iter().map(|symbol| self.symbol(map.get(symbol).unwrap_or(symbol))).collect()
    }

    fn sums(&self, score: &ScoreData, players: &[String]) -> Vec<PlainSum> {
        let sum = |sum: &SumData| {
            let sign = if sum.player == players[0] { 1 } else { -1 };
            let worth = self.symbols.iter().map(|symbol| sign * sum.worth.get(symbol).copied().unwrap_or(0));
            PlainSum { cells: self.cells(sum.of.as_ref()), worth: worth.collect() }
        };
        score.sums.iter().map(sum).collect()
    }

    fn group(&self, generators: &[SymmetryData]) -> Result<Vec<PlainImage>> {
        let generator = |given: &SymmetryData| {
            let mut sources = vec![0; self.cells];
            given.cells.iter().enumerate().for_each(|(from, &to)| sources[to as usize] = from);
            PlainImage { sources, symbols: self.table(&given.symbols), swaps: given.swap_players }
        };
        let generators: Vec<PlainImage> = generators.iter().map(generator).collect();
        let symbols = (0..self.symbols.len()).map(|code| code as u8).collect();
        let one = PlainImage { sources: (0..self.cells).collect(), symbols, swaps: false };
        let (mut found, mut new) = (BTreeSet::from([one.clone()]), vec![one.clone()]);
        while let Some(image) = new.pop() {
            for then in &generators {
                let product = PlainImage {
                    sources: then.sources.iter().map(|&source| image.sources[source]).collect(),
                    symbols: image.symbols.iter().map(|&code| then.symbols[usize::from(code)]).collect(),
                    swaps: image.swaps != then.swaps,
                };
                if found.insert(product.clone()) {
                    new.push(product);
                }
            }
            if found.len() > MOST_PRODUCTS {
                return Err(rules_error!("the symmetries have more than {MOST_PRODUCTS} products"));
            }
        }
        let others = found.into_iter().filter(|image| !image.swaps && *image != one);
        Ok(std::iter::once(one.clone()).chain(others).collect())
    }
}

fn places(cells: &[i64]) -> Vec<usize> {
    cells.iter().map(|&cell| cell as usize).collect()
}
