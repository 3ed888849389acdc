//! The kinds and names of the files of a depth: `depth-00007.open`, or `depth-00008.run-00003.open` for a piece of a
//! depth that is not done. If one shard sends a piece to another, the name has the epoch and both shards:
//! `depth-00008.epoch-00001.from-00000.to-00002.run-00003.open`.

use std::fmt;

/// The kinds of files of a depth, by their content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Sorted words: the states from which play goes on.
    Open,
    /// Sorted words: the states that ended with an outcome, given by its place in the rules.
    Ended(usize),
    /// Sorted words: the states without a move.
    Stuck,
    /// Bits of a perfect index: all states of a depth.
    States,
    /// Bits of a perfect index: the states in the first stretches of the next depth. From one shard to another, all its
    /// states of the last depth.
    Part,
    /// Two bits for each open state: its value.
    Values,
    /// For each open state, the number of moves to the end.
    Distances,
    /// The checksums of the blocks of the depth's files.
    Sums,
    /// A checkpoint of values that spread backward: all values that were known at that time.
    Spread,
    /// The successors of states, which are listed before values spread.
    Listing,
    /// A list of states in which the given player is to move. A shard asks their owner for the values of these states.
    Asked(usize),
    /// The answer to files of the kind `Asked`: the values of their states, in order.
    Told,
    /// A list of states whose values follow from those that a shard has found, as `values/shard_spread.rs` explains.
    Passed(usize),
}

impl Kind {
    /// The kinds of files that a depth has in the sparse store, in the order in which they are written.
    pub fn of_words(outcomes: usize) -> impl Iterator<Item = Self> {
        (0..=outcomes).map(Self::of_place).chain([Self::Stuck])
    }

    /// Returns `true` if a file of this kind holds states, and not facts about states.
    pub fn holds_states(self) -> bool {
        matches!(self, Self::Open | Self::Ended(_) | Self::Stuck | Self::States | Self::Part)
    }

    /// The kind of the states at a place in a search's lists: place 0 is for open states, and place `o + 1` for outcome
    /// `o`.
    pub fn of_place(place: usize) -> Self {
        place.checked_sub(1).map_or(Self::Open, Self::Ended)
    }

    fn read(text: &str) -> Option<Self> {
        match text {
            "open" => Some(Self::Open),
            "stuck" => Some(Self::Stuck),
            "states" => Some(Self::States),
            "part" => Some(Self::Part),
            "values" => Some(Self::Values),
            "distances" => Some(Self::Distances),
            "sums" => Some(Self::Sums),
            "spread" => Some(Self::Spread),
            "listing" => Some(Self::Listing),
            "told" => Some(Self::Told),
            _ => {
                let place = |label| text.strip_prefix(label).and_then(number).and_then(|place| place.try_into().ok());
                let ended = place("ended-").map(Self::Ended);
                ended.or_else(|| place("asked-").map(Self::Asked)).or_else(|| place("passed-").map(Self::Passed))
            }
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open => formatter.write_str("open"),
            Self::Ended(outcome) => write!(formatter, "ended-{outcome}"),
            Self::Stuck => formatter.write_str("stuck"),
            Self::States => formatter.write_str("states"),
            Self::Part => formatter.write_str("part"),
            Self::Values => formatter.write_str("values"),
            Self::Distances => formatter.write_str("distances"),
            Self::Sums => formatter.write_str("sums"),
            Self::Spread => formatter.write_str("spread"),
            Self::Listing => formatter.write_str("listing"),
            Self::Asked(player) => write!(formatter, "asked-{player}"),
            Self::Told => formatter.write_str("told"),
            Self::Passed(number) => write!(formatter, "passed-{number}"),
        }
    }
}

/// The sender and the receiver of a piece of a depth, and the epoch; see `docs/cluster.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sending {
    /// The epoch of the process that drives the shards.
    pub epoch: u64,
    /// The shard that found the states.
    pub from: u64,
    /// The shard to which they belong.
    pub to: u64,
}

impl Sending {
    /// Reads the part of a name between the depth and the number of the piece. Returns what it says, and the rest of
    /// the name; `None` if the name has no such part.
    fn read(text: &str) -> Option<(Self, &str)> {
        let (epoch, rest) = labelled(text, "epoch-")?;
        let (from, rest) = labelled(rest, "from-")?;
        let (to, rest) = labelled(rest, "to-")?;
        Some((Self { epoch, from, to }, rest))
    }
}

/// The number between a label and a dot at the beginning of a text, and the rest after the dot; `None` if the text does
/// not begin so.
fn labelled<'a>(text: &'a str, label: &str) -> Option<(u64, &'a str)> {
    let (digits, rest) = text.strip_prefix(label)?.split_once('.')?;
    Some((number(digits)?, rest))
}

/// The name of a file of a depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileName {
    /// The depth.
    pub depth: u64,
    /// The number of the piece, if the depth is not done.
    pub run: Option<u64>,
    /// The shards between which the piece was sent, if one shard sent it to another.
    pub sending: Option<Sending>,
    /// The content of the file.
    pub kind: Kind,
}

impl FileName {
    /// Reads a name; `None` if it is not one that [`fmt::Display`] writes.
    pub fn read(text: &str) -> Option<Self> {
        let (depth, rest) = labelled(text, "depth-")?;
        let (sending, rest) = match Sending::read(rest) {
            Some((sending, rest)) => (Some(sending), rest),
            None => (None, rest),
        };
        let (run, kind) = match labelled(rest, "run-") {
            Some((run, kind)) => (Some(run), kind),
            None => (None, rest),
        };
        let name = Self { depth, run, sending, kind: Kind::read(kind)? };
        let of_a_piece = run.is_some();
        let fits = match name.kind {
            Kind::Open | Kind::Ended(_) => of_a_piece || sending.is_none(),
            Kind::Stuck | Kind::States => !of_a_piece,
            Kind::Values | Kind::Distances | Kind::Sums => !of_a_piece && sending.is_none(),
            Kind::Part => of_a_piece,
            Kind::Spread | Kind::Listing => of_a_piece && sending.is_none(),
            Kind::Asked(_) | Kind::Told | Kind::Passed(_) => of_a_piece && sending.is_some(),
        };
        (fits && name.to_string() == text).then_some(name)
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { depth, run, sending, kind } = self;
        write!(formatter, "depth-{depth:05}.")?;
        if let Some(Sending { epoch, from, to }) = sending {
            write!(formatter, "epoch-{epoch:05}.from-{from:05}.to-{to:05}.")?;
        }
        if let Some(run) = run {
            write!(formatter, "run-{run:05}.")?;
        }
        write!(formatter, "{kind}")
    }
}

/// The number that decimal digits spell; `None` if the text is anything else.
fn number(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for name in [
            "depth-00000.open",
            "depth-00012.ended-3",
            "depth-123456.states",
            "depth-00007.run-00100.part",
            "depth-00003.values",
            "depth-00003.sums",
            "depth-00000.run-00003.spread",
            "depth-00000.run-00004.listing",
            "depth-00008.epoch-00002.from-00000.to-00299.run-00003.ended-1",
            "depth-00008.epoch-00002.from-00000.to-00299.run-00003.asked-1",
            "depth-00008.epoch-00002.from-00000.to-00299.run-00003.told",
            "depth-00008.epoch-00002.from-00000.to-00299.run-00003.passed-2",
            "depth-00008.epoch-00002.from-00000.to-00299.run-00003.part",
        ] {
            assert_eq!(FileName::read(name).map(|name| name.to_string()).as_deref(), Some(name));
        }
    }

    #[test]
    fn other_names_are_none_of_ours() {
        for name in [
            "manifest.json",
            "lock",
            "depth-7.open",
            "depth-00007.part",
            "depth-00007.run-1.open",
            "depth-00007.ended-x",
            "depth-00007.run-00001.stuck",
            "depth-00007.",
            "depth-.open",
            "depth-00007.ended-",
            "depth-+0007.open",
            "depth-00007.run-00001.values",
            "depth-00007.run-00001.told",
            "depth-00007.asked-0",
            "depth-00007.epoch-00001.from-00000.to-00001.open",
            "depth-00007.epoch-00001.from-00000.run-00001.open",
            "depth-00007.epoch-1.from-00000.to-00001.run-00001.open",
            "depth-00007.epoch-00001.from-00000.to-00001.run-00001.stuck",
        ] {
            assert_eq!(FileName::read(name), None, "{name}");
        }
    }
}
