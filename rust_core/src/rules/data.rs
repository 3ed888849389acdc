//! Rules as plain data, the way an author writes them: symbols by name, cells by number. This is the JSON that Python
//! passes to the engine, and the form in which rules can be stored or sent.
//!
//! `docs/rules.md`, "Rules as JSON", explains this to users.

use std::collections::BTreeMap;
use std::fmt::Formatter;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{Error as _, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::error::{Result, rules_error};
use crate::json;

/// Cells, and the symbols that each may hold: `[[0, ["."]], [4, ["X", "O"]]]`. Each cell must hold one of its symbols.
pub type PatternData = Vec<(i64, Vec<String>)>;

/// A puzzle or game, not yet checked. [`super::Rules::new`] checks it.
///
/// # Examples
///
/// ```
/// let json = r#"{"symbols": [".", "o"], "start": [".", "."],
///     "moves": [{"name": "fill", "when": [[0, ["."]]], "then": [[0, "o"], [1, {"copy": 0}]]}]}"#;
/// let data: puzzlekit_core::RulesData = serde_json::from_str(json)?;
/// assert_eq!(data.start.len(), 2);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RulesData {
    /// The names of the symbols, at most 256.
    pub symbols: Vec<String>,
    /// The symbol of each cell at the start. The length of the list is the number of cells.
    pub start: Vec<String>,
    /// The players' names, in the order in which they move. Empty, or one name, for a puzzle.
    #[serde(default)]
    pub players: Vec<String>,
    /// The moves, in the order in which a player sees them listed.
    pub moves: Vec<MoveData>,
    /// A puzzle is solved when any of these goals holds.
    #[serde(default)]
    pub goal: Vec<GoalData>,
    /// Play is over when any of these patterns holds.
    #[serde(default)]
    pub ends: Vec<EndData>,
    /// The result for a player who has no move left: `draw`, `loss` or `win`. If a game leaves it out, it is `draw`. A
    /// puzzle must leave it out.
    #[serde(default)]
    pub stuck: Option<String>,
    /// The score of a game, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<ScoreData>,
    /// Generators of the symmetry group, or the request that the engine find them.
    #[serde(default)]
    pub symmetries: SymmetriesData,
}

/// The form of rules that [`RulesData::from_json`] reads. In JSON, it is the value of `"schema"`.
pub const RULES_SCHEMA: &str = "puzzlekit.rules/1";

impl RulesData {
    /// Reads rules from JSON. If the JSON has a `"schema"`, its value must be `"puzzlekit.rules/1"`.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Rules`] if the text is no JSON, has another form, or lacks a part.
    pub fn from_json(text: &str) -> Result<Self> {
        let malformed = |error: serde_json::Error| rules_error!("the rules are malformed: {error}");
        let mut value: Value = serde_json::from_str(text).map_err(malformed)?;
        if let Some(schema) = value.as_object_mut().and_then(|parts| parts.remove("schema"))
            && schema != RULES_SCHEMA
        {
            return Err(rules_error!(
                "the rules have the form {schema}, and this version reads \"{RULES_SCHEMA}\"; install a newer one"
            ));
        }
        json::from_value(&value).map_err(malformed)
    }
}

/// A move: a guard, and the symbols that it writes if the guard holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoveData {
    /// The name of the move. Moves of one player may share it only if no state allows both, as with the slides of a
    /// blank.
    pub name: String,
    /// The player who may make the move. If this is left out, each player may.
    #[serde(default)]
    pub player: Option<String>,
    /// The guard.
    #[serde(default)]
    pub when: PatternData,
    /// Pairs of cells that must hold the same symbol: `[[0, 1]]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub equal: Vec<(i64, i64)>,
    /// Pairs of cells that must hold different symbols.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub different: Vec<(i64, i64)>,
    /// Counts that must hold as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<CountData>,
    /// Patterns, none of which may hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unless: Vec<PatternData>,
    /// Paths that must join two sides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub connected: Vec<ConnectionData>,
    /// The written cells, each with the source of its new symbol. All cells are read before any is written.
    pub then: Vec<(i64, SourceData)>,
    /// `true` if the move is a pass: a player may make it only if that player has no other move, and the other player
    /// has one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forced: bool,
    /// `true` if the player who makes the move keeps the turn, and so moves again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
}

/// The score of a game: what symbols are worth to the players in states in which play is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreData {
    /// Sums over cells. The points of all sums are added up.
    pub sums: Vec<SumData>,
    /// The points of the first player if play never ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endless: Option<i64>,
}

/// Points for a player: the sum, over cells, of what the symbols in them are worth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SumData {
    /// The player whose points these are. The points of the second player count against the first.
    pub player: String,
    /// For each symbol that is worth something, its points. All other symbols are worth nothing.
    pub worth: BTreeMap<String, i64>,
    /// The cells that are looked at; if this is left out, all cells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<Vec<i64>>,
}

/// A goal of a puzzle: a pattern, or a pattern and other conditions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum GoalData {
    /// The puzzle is solved if all cells of the pattern fit.
    Pattern(PatternData),
    /// The puzzle is solved if the pattern fits and all other conditions hold.
    Counted(CountedGoalData),
}

/// A goal with other conditions than a pattern, such as
/// `{"when": [[16, ["o"]]], "counts": [{"symbols": ["o"], "at_most": 1}]}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CountedGoalData {
    /// The pattern. It may be left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub when: PatternData,
    /// Counts that must hold as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<CountData>,
    /// Patterns, none of which may hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unless: Vec<PatternData>,
    /// Paths that must join two sides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub connected: Vec<ConnectionData>,
}

/// A bound on the number of cells that hold one of some symbols.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CountData {
    /// A cell counts if it holds one of these symbols.
    pub symbols: Vec<String>,
    /// The fewest cells that must count; if this is left out, there is no lower bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<i64>,
    /// The most cells that may count; if this is left out, there is no upper bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<i64>,
    /// The cells that are looked at; if this is left out, all cells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<Vec<i64>>,
}

/// A path of cells that hold some symbols, from a cell of one list to a cell of another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConnectionData {
    /// The symbols that the cells of the path hold.
    pub symbols: Vec<String>,
    /// The cells where a path may begin.
    pub from: Vec<i64>,
    /// The cells where a path may end.
    pub to: Vec<i64>,
    /// The pairs of cells that are neighbours.
    pub edges: Vec<(i64, i64)>,
}

/// In JSON, a list is a pattern, and an object is a pattern with other conditions. What `serde` derives would try one
/// form after the other, and compile a reader for each.
impl<'de> Deserialize<'de> for GoalData {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        let value = Value::deserialize(from)?;
        let found = if value.is_array() {
            json::from_value(&value).map(Self::Pattern)
        } else {
            json::from_value(&value).map(Self::Counted)
        };
        found.map_err(D::Error::custom)
    }
}

impl From<PatternData> for GoalData {
    fn from(pattern: PatternData) -> Self {
        Self::Pattern(pattern)
    }
}

/// The source of a written symbol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum SourceData {
    /// This symbol.
    Symbol(String),
    /// A copy of the symbol that a cell holds before the move.
    Copy {
        /// The cell that is read.
        copy: i64,
        /// For a symbol that is read, the symbol that is written instead. A symbol without an entry is written as it
        /// is.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        map: BTreeMap<String, String>,
    },
}

/// The form of [`SourceData::Copy`].
#[derive(Deserialize)]
struct CopiedSource {
    copy: i64,
    #[serde(default)]
    map: BTreeMap<String, String>,
}

/// In JSON, a text is a symbol, and an object is a copy. This is written by hand, like the reader of `GoalData`.
impl<'de> Deserialize<'de> for SourceData {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        match Value::deserialize(from)? {
            Value::String(symbol) => Ok(Self::Symbol(symbol)),
            other => {
                let CopiedSource { copy, map } = json::from_value(&other).map_err(D::Error::custom)?;
                Ok(Self::Copy { copy, map })
            }
        }
    }
}

/// A pattern that ends play, and the outcome of play then.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndData {
    /// The name of the player who wins, `draw`, or any other word. Empty if the rules have a score, which decides the
    /// outcome.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub outcome: String,
    /// The pattern.
    #[serde(default)]
    pub when: PatternData,
    /// Counts that must hold as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<CountData>,
    /// Patterns, none of which may hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unless: Vec<PatternData>,
    /// Paths that must join two sides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub connected: Vec<ConnectionData>,
    /// `true` if the outcome must be a player's name.
    #[serde(default)]
    pub wins: bool,
    /// The points of the first player, if the rules have a score and this end decides the points instead of the cells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<i64>,
}

/// The symmetries of rules: in JSON a list, or the word `"auto"`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SymmetriesData {
    /// Generators of the group, as the rules declare them.
    Declared(Vec<SymmetryData>),
    /// The engine finds the symmetries.
    Auto,
}

/// The word in JSON for symmetries that the engine finds.
const AUTO: &str = "auto";

impl SymmetriesData {
    /// The generators that are declared.
    pub fn declared(&self) -> &[SymmetryData] {
        match self {
            Self::Declared(generators) => generators,
            Self::Auto => &[],
        }
    }
}

impl Default for SymmetriesData {
    fn default() -> Self {
        Self::Declared(Vec::new())
    }
}

impl From<Vec<SymmetryData>> for SymmetriesData {
    fn from(generators: Vec<SymmetryData>) -> Self {
        Self::Declared(generators)
    }
}

impl Serialize for SymmetriesData {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Self::Declared(generators) => generators.serialize(to),
            Self::Auto => to.serialize_str(AUTO),
        }
    }
}

impl<'de> Deserialize<'de> for SymmetriesData {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = SymmetriesData;

            fn expecting(&self, to: &mut Formatter) -> std::fmt::Result {
                write!(to, "a list of symmetries, or \"{AUTO}\"")
            }

            fn visit_str<E: serde::de::Error>(self, word: &str) -> std::result::Result<Self::Value, E> {
                if word == AUTO {
                    Ok(SymmetriesData::Auto)
                } else {
                    Err(E::invalid_value(Unexpected::Str(word), &self))
                }
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> std::result::Result<Self::Value, A::Error> {
                Deserialize::deserialize(SeqAccessDeserializer::new(list)).map(SymmetriesData::Declared)
            }
        }

        from.deserialize_any(Either)
    }
}

/// A symmetry: a permutation of the cells, a replacement of symbols, and maybe an exchange of the players.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SymmetryData {
    /// The name, for messages.
    pub name: String,
    /// The symbol of cell `i` goes to cell `cells[i]`.
    pub cells: Vec<i64>,
    /// For a symbol, the symbol that takes its place. A symbol without an entry stays as it is.
    #[serde(default)]
    pub symbols: BTreeMap<String, String>,
    /// `true` if the two players change places.
    #[serde(default)]
    pub swap_players: bool,
}
