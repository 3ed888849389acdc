//! The types of rules: conditions, moves, ends, and the rules that hold them.

use super::pattern::{Comparison, Pattern, Symbol, SymbolSet};
use crate::ordered::OrderedSet;
use crate::sorting::Gather;

/// The most symbols that rules may have, since a symbol is a byte.
pub const MAX_SYMBOLS: usize = 256;

/// The most cells that rules may have.
pub const MAX_CELLS: usize = 2048;

/// A bound on the number of cells that hold one of some symbols, such as "at most one of the cells 0, 1 and 2 holds
/// `X`".
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Count {
    /// A cell counts if it holds one of these symbols.
    pub symbols: SymbolSet,
    /// The cells that are looked at, in order, each listed once.
    pub cells: Vec<usize>,
    /// At least this many cells must hold one of the symbols.
    pub least: usize,
    /// At most this many cells may hold one of the symbols.
    pub most: usize,
}

/// A condition of a guard, goal or end that a pattern cannot express.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Condition {
    /// At least one cell of this pattern holds a symbol that the pattern does not allow there.
    Unless(Pattern),
    /// The number of cells that hold one of some symbols is within bounds.
    Count(Count),
    /// A path of cells joins two sides of the board, as in Hex.
    Connection(Connection),
}

/// The demand that a path of neighbouring cells leads from a cell of one side to a cell of the other side, and that
/// each cell of the path holds one of some symbols.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Connection {
    /// The symbols that a cell of the path may hold.
    pub symbols: SymbolSet,
    /// The cells of the two sides, each side sorted. Of the two lists, the one that is first in lexicographic order
    /// comes first.
    pub sides: [Vec<usize>; 2],
    /// All pairs of neighbours on the board, sorted, with the smaller cell first in each pair. No cell is its own
    /// neighbour.
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
    /// The number of counted cells that hold one of the symbols in a state.
    pub fn there(&self, state: &[Symbol]) -> usize {
        self.cells.iter().filter(|&&cell| self.symbols.contains(state[cell])).count()
    }
}

impl Connection {
    /// All cells that are on a side or have a neighbour.
    pub fn cells(&self) -> OrderedSet<usize> {
        let ends = self.edges.iter().flat_map(|&(one, other)| [one, other]);
        self.sides.iter().flatten().copied().chain(ends).collect()
    }

    /// Returns `true` if a state has a path from one side to the other. Starting from the fitting cells of the first
    /// side, neighbours that fit are added until none is left.
    pub fn holds(&self, state: &[Symbol]) -> bool {
        let fits = |cell: usize| self.symbols.contains(state[cell]);
        let mut reached: OrderedSet<usize> = self.sides[0].iter().copied().filter(|&cell| fits(cell)).gather();
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

/// A goal: a state solves the puzzle if it satisfies the pattern and all conditions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Goal {
    /// The pattern that the state must satisfy.
    pub when: Pattern,
    /// The conditions that must hold as well, sorted. No two counts have the same symbols and cells, and no condition
    /// holds in every state.
    pub conditions: Vec<Condition>,
}

impl Goal {
    /// Returns `true` if a state satisfies the goal.
    pub fn holds(&self, state: &[Symbol]) -> bool {
        self.when.holds(state) && self.conditions.iter().all(|condition| condition.holds(state))
    }
}

/// A table with a symbol for each symbol: what it becomes when a move copies it or a symmetry maps it.
pub type SymbolMap = Box<[Symbol]>;

/// The source of the symbol that a move writes into a cell.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// The move always writes this symbol.
    Symbol(Symbol),
    /// The move copies the symbol that this cell holds before the move. If there is a map, it first replaces the
    /// symbol.
    Copy(usize, Option<SymbolMap>),
}

/// A move in its normal form: two moves without comparisons of cells do the same in every state exactly if their guards
/// and effects are equal. With comparisons, moves with equal guards and effects still do the same, but two moves that
/// do the same may be written differently.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Move {
    /// The name of the move. Two moves of one player share a name only if no state allows both.
    pub name: String,
    /// The player who may make the move; `None` if either may.
    pub player: Option<usize>,
    /// The first part of the guard: the pattern that single cells must satisfy.
    pub when: Pattern,
    /// The second part of the guard: the comparisons of two cells, sorted. All of them must hold.
    pub compares: Vec<Comparison>,
    /// The third part of the guard: conditions beyond patterns and comparisons, sorted. All of them must hold.
    pub conditions: Vec<Condition>,
    /// The effect: the cells that the move writes, in order and each once, with the source of the new symbol.
    pub then: Vec<(usize, Source)>,
    /// `true` if the move is a forced pass. A player makes it only if no other move can be made and the other player
    /// has a move. A forced pass has no guard and writes nothing.
    pub forced: bool,
    /// `true` if the player who makes the move keeps the turn. Rules with a [turn cell](Rules::turn) have no such
    /// moves, because there, moves write whose turn it is.
    pub again: bool,
}

/// The cell that says whose turn it is, in rules in which a move may keep the turn. It is the last cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// The number of the cell.
    pub cell: usize,
    /// For each player, the symbol that the cell holds while that player is to move.
    pub symbols: [Symbol; 2],
}

impl Move {
    /// Returns `true` if the move can be made in every state, because its guard demands nothing.
    pub fn is_free(&self) -> bool {
        self.when.0.is_empty() && self.compares.is_empty() && self.conditions.is_empty() && !self.forced
    }

    /// Returns `true` if the move copies some cell to another one.
    pub fn copies_cells(&self) -> bool {
        self.then.iter().any(|(cell, source)| matches!(source, Source::Copy(from, _) if from != cell))
    }
}

/// A symmetry: a permutation of the cells, a permutation of the symbols, and perhaps an exchange of the players.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symmetry {
    /// The name, for messages. A symmetry that is made as a product of others has the empty name.
    pub name: String,
    /// The cell to which each cell goes: what stands in cell `i` stands in cell `cells[i]` of the image.
    pub cells: Vec<usize>,
    /// The symbol that replaces each symbol in the image.
    pub symbols: SymbolMap,
    /// `true` if the symmetry exchanges the two players.
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

    /// The product of two symmetries: it applies this one first, and then `other`.
    #[must_use]
    pub fn then(&self, other: &Self) -> Self {
        Self {
            name: String::new(),
            cells: self.cells.iter().map(|&cell| other.cells[cell]).collect(),
            symbols: self.symbols.iter().map(|&symbol| other.symbols[symbol as usize]).collect(),
            swap_players: self.swap_players != other.swap_players,
        }
    }

    /// The image of a state, whose symbols are given cell by cell.
    pub fn apply(&self, state: &[Symbol]) -> Vec<Symbol> {
        let mut image = vec![0; state.len()];
        for (cell, &symbol) in state.iter().enumerate() {
            image[self.cells[cell]] = self.symbols[symbol as usize];
        }
        image
    }

    /// The player who takes the place of `player` in the image.
    pub fn player(&self, player: usize) -> usize {
        if self.swap_players { 1 - player } else { player }
    }
}

/// An end: in a state that satisfies its pattern and conditions, play is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// The outcome, as an index in [`Rules::outcomes`]. If the rules have a score, the points decide the outcome, and
    /// this field says nothing.
    pub outcome: usize,
    /// The pattern that the state must satisfy.
    pub when: Pattern,
    /// The conditions that the state must satisfy as well, sorted.
    pub conditions: Vec<Condition>,
    /// The points of the first player at this end. `None` if they follow from [`Scoring::cells`], or if there is no
    /// score.
    pub points: Option<i32>,
}

impl End {
    /// Returns `true` if a state satisfies the end.
    pub fn holds(&self, state: &[Symbol]) -> bool {
        self.when.holds(state) && self.conditions.iter().all(|condition| condition.holds(state))
    }
}

/// The score of a game. A state in which play is over has points: those of the first player less those of the second.
/// They are the sum of what its cells are worth.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scoring {
    /// The points that are added in every state. They come from cells that never change.
    pub base: i32,
    /// The cells that are worth points, in order, each with the points that each symbol brings there.
    pub cells: Vec<(usize, Box<[i32]>)>,
    /// The points if play goes on for ever; `None` if the rules do not define them.
    pub endless: Option<i32>,
}

impl Scoring {
    /// The points of the first player in a state, as the sum over its cells.
    pub fn of(&self, state: &[Symbol]) -> i32 {
        self.cells.iter().fold(self.base, |sum, (cell, points)| sum + points[state[*cell] as usize])
    }
}

/// The result of a state in which play is not over, but the player to move has no move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stuck {
    /// Nobody wins.
    Draw,
    /// The player to move loses.
    Loss,
    /// The player to move wins.
    Win,
    /// The rules are a puzzle: the state is solved if the goal holds, and stuck otherwise.
    Puzzle,
}

/// Rules that have been checked. Every cell and symbol that they name exists, and every declared symmetry maps the
/// rules onto themselves.
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
    /// The names of the symbols. Elsewhere, a symbol is its index in this list.
    pub symbols: Vec<String>,
    /// The symbol of each cell in the start state.
    pub start: Vec<Symbol>,
    /// The names of the players: empty for a puzzle, two for a game.
    pub players: Vec<String>,
    /// The moves, in the order in which they were given.
    pub moves: Vec<Move>,
    /// The goals. A puzzle is solved in a state that satisfies at least one of them.
    pub goal: Vec<Goal>,
    /// The ends. Play is over in a state that satisfies at least one of them.
    pub ends: Vec<End>,
    /// The names of the outcomes, in the order in which the ends first name them. [`Self::precedence`] uses this order.
    pub outcomes: Vec<String>,
    /// The result of a state in which play is not over, but the player to move has no move.
    pub stuck: Stuck,
    /// The score; `None` if the rules are a puzzle or a game of wins, draws and losses.
    pub scoring: Option<Scoring>,
    /// The symmetries that the rules declare, each of which has been checked. They generate a group, which the engine's
    /// structure of the rules holds.
    pub generators: Vec<Symmetry>,
    /// `true` if the engine is to find the symmetries. The structure of the rules then holds a copy of the rules with
    /// the generators that were found.
    pub seeks_symmetries: bool,
    /// `true` if [`Self::backward`] made these rules, which start from the goal of other rules and undo their moves.
    pub backward: bool,
    /// The cell that says whose turn it is. `None` if turns alternate, or before [`Self::with_turn_cell`] has added the
    /// cell.
    pub turn: Option<Turn>,
}

impl Rules {
    /// The number of cells of a state, with the cell that says whose turn it is, if there is one.
    pub fn cells(&self) -> usize {
        self.start.len()
    }

    /// The number of cells that a user sees: all but the cell that says whose turn it is.
    pub fn board(&self) -> usize {
        self.start.len() - usize::from(self.turn.is_some())
    }

    /// The number of players who move in turn, so that the player to move follows from the depth of a state. If a cell
    /// says whose turn it is, the number is 1, as in a puzzle, and all moves count as those of player 0.
    pub fn alternating(&self) -> usize {
        if self.turn.is_some() { 1 } else { self.player_count() }
    }

    /// The number of players: 1 for a puzzle, 2 for a game.
    pub fn player_count(&self) -> usize {
        self.players.len().max(1)
    }

    /// The number under which tables have the moves of `player`. If a cell says whose turn it is, both players share
    /// number 0.
    pub fn table_of(&self, player: usize) -> usize {
        if self.turn.is_some() { 0 } else { player }
    }

    /// The player who moves after `player`. In a puzzle, or if a cell says whose turn it is, it is always 0.
    pub fn next_player(&self, player: usize) -> usize {
        (player + 1) % self.alternating()
    }

    /// The other player; in a puzzle, the same one.
    pub fn opponent(&self, player: usize) -> usize {
        (player + 1) % self.player_count()
    }

    /// The outcome, as an index in [`Self::outcomes`], of a state in which `player` has no move. `solved` is `true` if
    /// the goal holds there, which matters in a puzzle.
    pub fn stuck_outcome(&self, player: usize, solved: bool) -> usize {
        match self.stuck {
            Stuck::Win => self.outcome_index(&self.players[player]),
            Stuck::Loss => self.outcome_index(&self.players[self.opponent(player)]),
            Stuck::Draw => self.outcome_index("draw"),
            Stuck::Puzzle => self.outcome_index(if solved { "solved" } else { "stuck" }),
        }
    }

    /// The points of the first player in a state in which play is over, with `player` to move. If several ends hold,
    /// the one that [`Self::end_precedence`] puts first counts. If this end has points of its own, they are returned.
    /// Otherwise, the points are the sum over the cells. `None` if the rules have no score.
    pub fn score(&self, state: &[Symbol], player: usize) -> Option<i32> {
        let scoring = self.scoring.as_ref()?;
        let mover = self.opponent(player);
        let held = self.ends.iter().enumerate().filter(|(_, end)| end.holds(state));
        let counts = held.min_by_key(|&(at, _)| self.end_precedence(at, mover));
        Some(counts.and_then(|(_, end)| end.points).unwrap_or_else(|| scoring.of(state)))
    }

    /// The outcome, as an index in [`Self::outcomes`], for a number of points of the first player: a win of the first
    /// player if it is above 0, of the second player if it is below 0, and otherwise a draw.
    pub fn outcome_of_score(&self, points: i32) -> usize {
        match points.signum() {
            1 => self.outcome_index(&self.players[0]),
            -1 => self.outcome_index(&self.players[1]),
            _ => self.outcome_index("draw"),
        }
    }

    /// Returns `true` if a player without any other move passes, rather than being stuck.
    pub fn forces_passes(&self) -> bool {
        self.moves.iter().any(|given| given.forced)
    }

    /// A sort key for ends. If several ends hold after a move of `mover`, the end with the smallest key counts. Without
    /// a score, [`Self::precedence`] orders the ends by their outcomes. With a score, ends are ordered by their number
    /// of points, whoever gets them: each number has the place of the first end with that number. Of two ends with the
    /// same number, the one that gives the points to `mover` counts first.
    pub fn end_precedence(&self, end: usize, mover: usize) -> (usize, bool) {
        let End { outcome, points, .. } = &self.ends[end];
        if self.scoring.is_none() {
            return self.precedence(*outcome, mover);
        }
        let as_many = |other: &End| other.points.map(i32::abs) == points.map(i32::abs);
        let against = points.is_some_and(|points| (points > 0) != (mover == 0));
        (self.ends.iter().position(as_many).unwrap_or(end), against)
    }

    /// A sort key for outcomes. If ends with several outcomes hold after a move of `mover`, the outcome with the
    /// smallest key counts. Outcomes are ordered by their first mention in the ends. The wins of both players share the
    /// place of the win that is mentioned first; of the two, the win of `mover` counts first.
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
