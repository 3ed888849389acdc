//! Rules: what a puzzle or game is, as checked data. Symbols and players are numbers here; names are for messages.

mod check;
mod composition;
mod data;
mod exclusive;
mod group;
mod inverse;
mod normal;
mod notation;
mod symmetry;

pub use data::{EndData, MoveData, PatternData, RulesData, SourceData, SymmetryData};
pub use notation::Notation;
pub use symmetry::Symmetry;

/// A symbol: its place in [`Rules::symbols`].
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

    /// Whether the set holds a symbol.
    #[inline(always)]
    pub fn contains(self, symbol: Symbol) -> bool {
        self.0[symbol as usize >> 6] >> (symbol & 63) & 1 != 0
    }

    /// The symbols of the set, in order.
    pub fn iter(self) -> impl Iterator<Item = Symbol> {
        (0..=Symbol::MAX).filter(move |&symbol| self.contains(symbol))
    }

    /// How many symbols the set holds.
    pub fn len(self) -> usize {
        self.0.iter().map(|bits| bits.count_ones() as usize).sum()
    }

    /// Whether the set holds no symbol.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The symbols in both sets.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    /// The only symbol of the set, if it holds just one.
    pub fn single(self) -> Option<Symbol> {
        if self.len() == 1 { self.iter().next() } else { None }
    }

    /// Whether each symbol of this set is in the other.
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

/// Cells and the symbols each may hold, sorted by cell, each cell once, no set full: all must hold.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Pattern(pub Vec<(usize, SymbolSet)>);

impl Pattern {
    /// The symbols that a cell may hold, where the pattern says anything of it.
    pub fn get(&self, cell: usize) -> Option<SymbolSet> {
        self.0.binary_search_by_key(&cell, |&(at, _)| at).ok().map(|found| self.0[found].1)
    }

    /// The symbols that a cell may hold: all of them where the pattern says nothing of it.
    pub fn allowed(&self, cell: usize, symbols: usize) -> SymbolSet {
        self.get(cell).unwrap_or_else(|| SymbolSet::all(symbols))
    }

    /// Whether a state satisfies the pattern.
    pub fn holds(&self, state: &[Symbol]) -> bool {
        self.0.iter().all(|&(cell, set)| set.contains(state[cell]))
    }
}

/// What each symbol turns into, on a copy or under a symmetry.
pub type SymbolMap = Box<[Symbol]>;

/// Where a written symbol comes from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// This symbol.
    Symbol(Symbol),
    /// The symbol that a cell holds before the move, passed through a map where there is one.
    Copy(usize, Option<SymbolMap>),
}

/// A move in its normal form: two moves do the same in every state just when their guards and effects are equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// The name; no state allows two moves of one name.
    pub name: String,
    /// Who may make it; anyone where this is `None`.
    pub player: Option<usize>,
    /// The guard.
    pub when: Pattern,
    /// What each written cell holds afterwards, sorted by cell, each cell once.
    pub then: Vec<(usize, Source)>,
}

/// A pattern that ends play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// The outcome's place in [`Rules::outcomes`].
    pub outcome: usize,
    /// The pattern.
    pub when: Pattern,
}

/// What it means to have no move left.
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
    pub goal: Vec<Pattern>,
    /// Play is over when any of these holds.
    pub ends: Vec<End>,
    /// Outcomes by name, in the order in which the ends name them; see [`Self::precedence`].
    pub outcomes: Vec<String>,
    /// What it means to have no move left.
    pub stuck: Stuck,
    /// The symmetry group, the identity first. Elements that swap the players come last.
    pub group: Vec<Symmetry>,
    /// Whether the moves are those of other rules the other way round, from their goal: see [`Self::backward`].
    pub backward: bool,
}

impl Rules {
    /// Checks data and turns it into rules.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Rules`], with a sentence that names the thing at fault.
    pub fn new(data: &RulesData) -> crate::Result<Self> {
        check::check(data)
    }

    /// How many cells a state has.
    pub fn cells(&self) -> usize {
        self.start.len()
    }

    /// How many players there are: 1 for a puzzle, 2 for a game.
    pub fn player_count(&self) -> usize {
        self.players.len().max(1)
    }

    /// Who moves after `player`.
    pub fn next_player(&self, player: usize) -> usize {
        (player + 1) % self.player_count()
    }

    /// The symmetries that leave the player to move alone: those that carry the start onto itself, turn included.
    pub fn turn_keeping(&self) -> &[Symmetry] {
        let count = self.group.partition_point(|symmetry| !symmetry.swap_players);
        &self.group[..count]
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

    /// The order in which outcomes count where ends with several of them hold at once, after `mover` has moved: by the
    /// first mention of an outcome, both players' wins together at the earlier of theirs, and then the mover's win first.
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

    /// For each symbol, how many cells hold it in every reachable state, where no move ever changes that.
    pub fn conserved(&self) -> Vec<Option<usize>> {
        exclusive::conserved(&self.moves, &self.start, self.symbols.len())
    }

    /// The moves that undo each move exactly where it has just been made, whether or not the rules have them: the edges of
    /// the graph the other way round. `None` where some move loses what it overwrites.
    pub fn inverse_moves(&self) -> Option<Vec<Move>> {
        self.moves.iter().map(|given| inverse::inverse(given, self.symbols.len())).collect()
    }

    /// The rules the other way round: they start from the goal, and their moves undo the moves of these. So the depth of a
    /// state is the number of moves that it needs to the goal. No state is stuck: one that nothing leads to is open.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Options`] where there are two players, ends, no goal of a single state, or a move that loses what it
    /// overwrites.
    pub fn backward(&self) -> crate::Result<Self> {
        let refused =
            |why: &str| Err(crate::Error::Options(format!("{why}, so there is no counting back from the goal")));
        if self.player_count() > 1 || !self.ends.is_empty() {
            return refused(if self.ends.is_empty() { "the rules have two players" } else { "the rules have ends" });
        }
        let [goal] = &self.goal[..] else { return refused("the rules have no goal, or several") };
        let single = |cell| goal.allowed(cell, self.symbols.len()).single();
        let Some(start) = (0..self.cells()).map(single).collect::<Option<Vec<Symbol>>>() else {
            return refused("the goal leaves some cells open");
        };
        let Some(moves) = self.inverse_moves() else {
            return refused("some move loses what it overwrites");
        };
        Ok(Self { start, moves, backward: true, ..self.clone() })
    }

    /// Whether each move is undone by some move of whoever moves next, wherever it can be made.
    pub fn all_undone(&self) -> bool {
        inverse::all_undone(self)
    }
}
