//! The types of rules: symbols, patterns, moves, ends, and the rules that hold them.

use std::collections::BTreeSet;

/// A symbol, by its place in [`Rules::symbols`].
pub type Symbol = u8;

/// The most symbols that rules may have: a symbol is a byte.
pub const MAX_SYMBOLS: usize = 256;

/// The most cells that rules may have.
pub const MAX_CELLS: usize = 2048;

/// A set of symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SymbolSet([u64; 4]);

impl SymbolSet {
    /// The set of the first `count` symbols.
    pub fn all(count: usize) -> Self {
        Self(std::array::from_fn(|limb| match count.saturating_sub(limb * 64) {
            0 => 0,
            rest if rest >= 64 => u64::MAX,
            rest => (1 << rest) - 1,
        }))
    }

    /// Returns `true` if the set holds a symbol.
    #[inline(always)]
    pub fn contains(self, symbol: Symbol) -> bool {
        self.0[symbol as usize >> 6] >> (symbol & 63) & 1 != 0
    }

    /// The symbols of the set, in order.
    pub fn iter(self) -> impl Iterator<Item = Symbol> {
        (0..=Symbol::MAX).filter(move |&symbol| self.contains(symbol))
    }

    /// The number of symbols in the set.
    pub fn len(self) -> usize {
        self.0.iter().map(|bits| bits.count_ones() as usize).sum()
    }

    /// Returns `true` if the set holds no symbol.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The symbols in both sets.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    /// The symbols in either set.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    /// The only symbol of the set, if it holds exactly one.
    pub fn single(self) -> Option<Symbol> {
        if self.len() == 1 { self.iter().next() } else { None }
    }

    /// The symbols of this set that are not in the other.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }

    /// Returns `true` if each symbol of this set is in the other.
    pub fn within(self, other: Self) -> bool {
        self.and(other) == self
    }
}

impl FromIterator<Symbol> for SymbolSet {
    fn from_iter<I: IntoIterator<Item = Symbol>>(symbols: I) -> Self {
        let mut set = Self::default();
        for symbol in symbols {
            set.0[symbol as usize >> 6] |= 1 << (symbol & 63);
        }
        set
    }
}

/// Cells, and the symbols that each may hold. A state satisfies the pattern if every cell holds one of its symbols.
/// Sorted by cell; no cell stands twice, and no set holds all symbols.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Pattern(pub Vec<(usize, SymbolSet)>);

impl Pattern {
    /// The symbols that a cell may hold, if the pattern says anything about it.
    pub fn get(&self, cell: usize) -> Option<SymbolSet> {
        self.0.binary_search_by_key(&cell, |&(at, _)| at).ok().map(|found| self.0[found].1)
    }

    /// The symbols that a cell may hold: all of them if the pattern says nothing about it.
    pub fn allowed(&self, cell: usize, symbols: usize) -> SymbolSet {
        self.get(cell).unwrap_or_else(|| SymbolSet::all(symbols))
    }

    /// Returns `true` if no state satisfies the pattern, because it allows no symbol in some cell.
    pub fn never(&self) -> bool {
        self.0.iter().any(|(_, set)| set.is_empty())
    }

    /// Returns `true` if a state satisfies the pattern.
    pub fn holds(&self, state: &[Symbol]) -> bool {
        self.0.iter().all(|&(cell, set)| set.contains(state[cell]))
    }
}

/// Two cells whose symbols a guard compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Comparison {
    /// The cell with the smaller number.
    pub first: usize,
    /// The other cell.
    pub second: usize,
    /// `true` if both must hold the same symbol, rather than different ones.
    pub equal: bool,
}

impl Comparison {
    /// A comparison of two different cells, in any order.
    pub fn new(one: usize, other: usize, equal: bool) -> Self {
        Self { first: one.min(other), second: one.max(other), equal }
    }

    /// Returns `true` if a state satisfies it.
    pub fn holds(self, state: &[u8]) -> bool {
        (state[self.first] == state[self.second]) == self.equal
    }
}

/// A bound on the number of cells that hold one of some symbols.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Count {
    /// A cell counts if it holds one of these.
    pub symbols: SymbolSet,
    /// The cells that are looked at, in order, each once.
    pub cells: Vec<usize>,
    /// The fewest cells that must count.
    pub least: usize,
    /// The most cells that may count.
    pub most: usize,
}

/// A condition beside a pattern.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Condition {
    /// Not all cells of this pattern fit.
    Unless(Pattern),
    /// So many cells hold some symbols.
    Count(Count),
    /// A path joins two sides.
    Connection(Connection),
}

/// A path of cells that hold some symbols, from a cell of one side to a cell of another one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Connection {
    /// The symbols that the cells of the path hold.
    pub symbols: SymbolSet,
    /// The two sides, each in order of the cells; the smaller list comes first.
    pub sides: [Vec<usize>; 2],
    /// The pairs of neighbours, in order, the smaller cell first. No cell is its own neighbour.
    pub edges: Vec<(usize, usize)>,
}

impl Condition {
    /// Returns `true` if a state satisfies the condition.
    pub fn holds(&self, state: &[Symbol]) -> bool {
        match self {
            Self::Unless(pattern) => !pattern.holds(state),
            Self::Count(count) => (count.least..=count.most).contains(&count.there(state)),
            Self::Connection(connection) => connection.holds(state),
        }
    }
}

impl Count {
    /// The number of cells that count in a state.
    fn there(&self, state: &[Symbol]) -> usize {
        self.cells.iter().filter(|&&cell| self.symbols.contains(state[cell])).count()
    }
}

impl Connection {
    /// The cells of the sides and of the pairs of neighbours.
    pub fn cells(&self) -> BTreeSet<usize> {
        let ends = self.edges.iter().flat_map(|&(one, other)| [one, other]);
        self.sides.iter().flatten().copied().chain(ends).collect()
    }

    /// Returns `true` if a state has such a path.
    pub fn holds(&self, state: &[Symbol]) -> bool {
        let fits = |cell: usize| self.symbols.contains(state[cell]);
        let mut reached: BTreeSet<usize> = self.sides[0].iter().copied().filter(|&cell| fits(cell)).collect();
        loop {
            let steps = self.edges.iter().flat_map(|&(one, other)| [(one, other), (other, one)]);
            let next = |&(from, to): &(usize, usize)| reached.contains(&from) && !reached.contains(&to) && fits(to);
            let more: Vec<usize> = steps.filter(next).map(|(_, to)| to).collect();
            if more.is_empty() {
                return self.sides[1].iter().any(|cell| reached.contains(cell));
            }
            reached.extend(more);
        }
    }
}

/// A goal: a state that satisfies the pattern and all conditions solves the puzzle.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Goal {
    /// The pattern.
    pub when: Pattern,
    /// The conditions, sorted. No two counts are of the same symbols and cells, and none holds in every state.
    pub conditions: Vec<Condition>,
}

/// The replacement of each symbol, on a copy or under a symmetry.
pub type SymbolMap = Box<[Symbol]>;

/// The source of a written symbol.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// This symbol.
    Symbol(Symbol),
    /// The symbol that a cell holds before the move, passed through a map if there is one.
    Copy(usize, Option<SymbolMap>),
}

/// A move in its normal form: two moves do the same in every state exactly if their guards and effects are equal. If a
/// guard compares cells, moves whose guards and effects are equal still do the same, but moves that do the same may be
/// written in several ways.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Move {
    /// The name; no state allows two moves of one name.
    pub name: String,
    /// Who may make it; anyone if this is `None`.
    pub player: Option<usize>,
    /// The guard of single cells.
    pub when: Pattern,
    /// The guard of pairs of cells, sorted. All of them must hold as well.
    pub compares: Vec<Comparison>,
    /// Other conditions of the guard, sorted.
    pub conditions: Vec<Condition>,
    /// The written cells, each with the source of its new symbol. Sorted by cell, each cell once.
    pub then: Vec<(usize, Source)>,
    /// `true` if it is a pass, made only by a player who has no other move, while the other player has one. It has no
    /// guard and writes nothing.
    pub forced: bool,
}

impl Move {
    /// Returns `true` if the move can be made in every state.
    pub fn is_free(&self) -> bool {
        self.when.0.is_empty() && self.compares.is_empty() && self.conditions.is_empty() && !self.forced
    }
}

/// A symmetry: a permutation of the cells, one of the symbols, and maybe an exchange of the players.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symmetry {
    /// The name, for messages; elements made by composition have none.
    pub name: String,
    /// The symbol of cell `i` goes to cell `cells[i]`.
    pub cells: Vec<usize>,
    /// The symbol that replaces each symbol.
    pub symbols: SymbolMap,
    /// `true` if the two players change places.
    pub swap_players: bool,
}

impl Symmetry {
    /// The symmetry that changes nothing.
    pub fn identity(cells: usize, symbols: usize) -> Self {
        Self {
            name: String::new(),
            cells: (0..cells).collect(),
            symbols: (0..symbols).map(|symbol| symbol as Symbol).collect(),
            swap_players: false,
        }
    }

    /// The product: this symmetry first, and then the other.
    #[must_use]
    pub fn then(&self, other: &Self) -> Self {
        Self {
            name: String::new(),
            cells: self.cells.iter().map(|&cell| other.cells[cell]).collect(),
            symbols: self.symbols.iter().map(|&symbol| other.symbols[symbol as usize]).collect(),
            swap_players: self.swap_players != other.swap_players,
        }
    }

    /// The image of a state's cells.
    pub fn apply(&self, state: &[Symbol]) -> Vec<Symbol> {
        let mut image = vec![0; state.len()];
        for (cell, &symbol) in state.iter().enumerate() {
            image[self.cells[cell]] = self.symbols[symbol as usize];
        }
        image
    }

    /// The image of a player.
    pub fn player(&self, player: usize) -> usize {
        if self.swap_players { 1 - player } else { player }
    }
}

/// A pattern that ends play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// The outcome's place in [`Rules::outcomes`]. With [`Rules::scoring`], the score tells the outcome instead.
    pub outcome: usize,
    /// The pattern.
    pub when: Pattern,
    /// The conditions that must hold as well, sorted.
    pub conditions: Vec<Condition>,
    /// The points of the first player, if the end says them. Otherwise the cells tell them.
    pub points: Option<i32>,
}

impl End {
    /// Returns `true` if a state satisfies the end.
    pub fn holds(&self, state: &[Symbol]) -> bool {
        self.when.holds(state) && self.conditions.iter().all(|condition| condition.holds(state))
    }
}

/// The score of a game: points of the first player, less those of the second, in a state in which play is over.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scoring {
    /// The points that every state has, from cells that never change.
    pub base: i32,
    /// The cells that count, in order, each with the points for each symbol.
    pub cells: Vec<(usize, Box<[i32]>)>,
    /// The points for play that never ends, if the rules say them.
    pub endless: Option<i32>,
}

impl Scoring {
    /// The points of the first player, by the cells of a state.
    pub fn of(&self, state: &[Symbol]) -> i32 {
        self.cells.iter().fold(self.base, |sum, (cell, points)| sum + points[state[*cell] as usize])
    }
}

/// The result for a player who has no move left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stuck {
    /// Nobody wins.
    Draw,
    /// The player to move loses.
    Loss,
    /// The player to move wins.
    Win,
    /// A puzzle: solved if the goal holds, otherwise stuck.
    Puzzle,
}

/// Rules that have been checked: every cell and symbol exists, every symmetry is one.
///
/// # Examples
///
/// ```
/// use puzzlekit_core::{Rules, RulesData};
///
/// let json = r#"{"symbols": [".", "o"], "start": ["o", "."],
///     "moves": [{"name": "hop", "when": [[0, ["o"]]], "then": [[0, "."], [1, {"copy": 0}]]}]}"#;
/// let data: RulesData = serde_json::from_str(json)?;
/// assert_eq!(Rules::new(&data)?.cells(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Rules {
    /// The names of the symbols.
    pub symbols: Vec<String>,
    /// The symbol of each cell at the start.
    pub start: Vec<Symbol>,
    /// The players' names; empty for a puzzle, two for a game.
    pub players: Vec<String>,
    /// The moves.
    pub moves: Vec<Move>,
    /// A puzzle is solved when any of these holds.
    pub goal: Vec<Goal>,
    /// Play is over when any of these holds.
    pub ends: Vec<End>,
    /// Outcomes by name, in the order in which the ends name them; see [`Self::precedence`].
    pub outcomes: Vec<String>,
    /// The result for a player who has no move left.
    pub stuck: Stuck,
    /// The score of a game, if it has one.
    pub scoring: Option<Scoring>,
    /// The symmetries that the rules declare, each checked. The structure of the rules has the whole group.
    pub generators: Vec<Symmetry>,
    /// `true` if symmetries are to be found. The structure of the rules finds them, and has rules with generators then.
    pub seeks_symmetries: bool,
    /// `true` if these are other rules backward, from their goal: see [`Self::backward`].
    pub backward: bool,
}

impl Rules {
    /// The number of cells of a state.
    pub fn cells(&self) -> usize {
        self.start.len()
    }

    /// The number of players: 1 for a puzzle, 2 for a game.
    pub fn player_count(&self) -> usize {
        self.players.len().max(1)
    }

    /// The player who moves after `player`.
    pub fn next_player(&self, player: usize) -> usize {
        (player + 1) % self.player_count()
    }

    /// The outcome of having no move left, as a place in [`Self::outcomes`].
    pub fn stuck_outcome(&self, player: usize, solved: bool) -> usize {
        match self.stuck {
            Stuck::Win => self.outcome_index(&self.players[player]),
            Stuck::Loss => self.outcome_index(&self.players[self.next_player(player)]),
            Stuck::Draw => self.outcome_index("draw"),
            Stuck::Puzzle => self.outcome_index(if solved { "solved" } else { "stuck" }),
        }
    }

    /// The points of the first player in a state in which play is over, with `player` to move: those that the end says
    /// which counts, or else those of the cells. `None` if the rules have no score.
    pub fn score(&self, state: &[Symbol], player: usize) -> Option<i32> {
        let scoring = self.scoring.as_ref()?;
        let mover = self.next_player(player);
        let held = self.ends.iter().enumerate().filter(|(_, end)| end.holds(state));
        let counts = held.min_by_key(|&(at, _)| self.end_precedence(at, mover));
        Some(counts.and_then(|(_, end)| end.points).unwrap_or_else(|| scoring.of(state)))
    }

    /// The outcome of a number of points of the first player.
    pub fn outcome_of_score(&self, points: i32) -> usize {
        match points.signum() {
            1 => self.outcome_index(&self.players[0]),
            -1 => self.outcome_index(&self.players[1]),
            _ => self.outcome_index("draw"),
        }
    }

    /// `true` if a player who has no other move passes.
    pub fn forces_passes(&self) -> bool {
        self.moves.iter().any(|given| given.forced)
    }

    /// Orders ends for the case that several hold after one move of `mover`: the one with the smallest value counts.
    /// Without a score, their outcomes tell; see [`Self::precedence`]. With one, the ends are ordered by the first that
    /// says as many points, whoever has them, and there those of the mover count first.
    pub fn end_precedence(&self, end: usize, mover: usize) -> (usize, bool) {
        let End { outcome, points, .. } = &self.ends[end];
        if self.scoring.is_none() {
            return self.precedence(*outcome, mover);
        }
        let as_many = |other: &End| other.points.map(i32::abs) == points.map(i32::abs);
        let against = points.is_some_and(|points| (points > 0) != (mover == 0));
        (self.ends.iter().position(as_many).unwrap_or(end), against)
    }

    /// Orders outcomes for the case that ends with several outcomes hold after one move of `mover`: the outcome with
    /// the smallest value counts. Outcomes are ordered by their first mention. Both players' wins share the earlier
    /// place of the two, and there the mover's win counts first.
    pub fn precedence(&self, outcome: usize, mover: usize) -> (usize, bool) {
        let winner = self.players.iter().position(|player| *player == self.outcomes[outcome]);
        let rank = |player: &String| self.outcomes.iter().position(|name| name == player);
        match winner {
            Some(winner) => (self.players.iter().filter_map(rank).min().unwrap_or(outcome), winner != mover),
            None => (outcome, false),
        }
    }

    fn outcome_index(&self, name: &str) -> usize {
        self.outcomes.iter().position(|outcome| outcome == name).expect("checked rules list each outcome")
    }
}
