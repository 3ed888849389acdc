"""The report of a run that finds the value of every state that play can reach."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from puzzlekit.describe.notation import Notation
    from puzzlekit.draw.plot import Bars


def _data_of(value: StateValue) -> dict[str, Any]:
    """The value of a state as data for JSON."""
    score = {} if value.score is None else {"score": value.score}
    grundy = {} if value.grundy is None else {"grundy": value.grundy}
    return {"value": value.value, "moves": value.moves, **score, **grundy}


GAME = ("win", "draw", "loss")
PUZZLE = ("solvable", "unsolvable")
NAMES = {GAME: ("win", "draw", "loss"), PUZZLE: ("win", "draw")}
"""The names of values in the engine, for games and for puzzles. In a puzzle, `win` is solvable and `draw`
unsolvable."""


@dataclass(frozen=True)
class StateValue:
    """The value of a state for the player to move.

    Attributes:
        value: For a game `"win"`, `"draw"` or `"loss"`; for a puzzle `"solvable"` or `"unsolvable"`.
        moves: After how many moves it is won or lost, if the winner hurries and the loser holds out; in a puzzle, the
            fewest moves to the goal. `None` for a draw, for what cannot be solved, and if moves were not counted.
        score: In a game with a score, the most points that the player to move can force, less those of the other
            player; `None` without a score.
        grundy: The Grundy number, if these were asked for. The Grundy number of a sum of games is the bitwise exclusive
            or (`^`) of the numbers of these games.
    """

    value: str
    moves: int | None
    score: int | None = None
    grundy: int | None = None


@dataclass(frozen=True)
class DepthValues:
    """The number of states of one depth that have each value.

    Attributes:
        depth: The number of moves from the start.
        states: For each value, how many states have it, up to symmetry.
        raw_states: The same numbers, in which symmetric states count separately.
    """

    depth: int
    states: dict[str, int]
    raw_states: dict[str, int]


@dataclass(frozen=True)
class DistanceCount:
    """The number of states that have a certain number of moves to the end.

    Attributes:
        moves: The number of moves.
        states: For each value that has an end, how many states have it, up to symmetry.
    """

    moves: int
    states: dict[str, int]


@dataclass(frozen=True)
class ScoreCount:
    """The number of states that are worth a certain number of points to the player to move.

    Attributes:
        score: The points of the player to move, less those of the other player.
        states: How many states are worth this many points, up to symmetry.
    """

    score: int
    states: int


def _scores(found: Any) -> tuple[ScoreCount, ...]:  # noqa: ANN401 - run/engine/ alone knows its type
    """The number of states that are worth each number of points.

    For each number of points, the engine gives the number of states that are ahead by it, and of those that are behind.
    """
    even = sum(depth.draw for depth in found.depths)
    behind = [ScoreCount(-points, states) for points, states in enumerate(found.losses) if points][::-1]
    ahead = [ScoreCount(points, states) for points, states in enumerate(found.wins) if points]
    return tuple(each for each in [*behind, ScoreCount(0, even), *ahead] if each.states)


@dataclass(frozen=True)
class GrundyCount:
    """The number of states that have a certain Grundy number.

    Attributes:
        grundy: The number.
        states: How many states have it, up to symmetry.
    """

    grundy: int
    states: int


def _value(found: Any, words: dict[str, str], *, grundy: bool) -> StateValue:  # noqa: ANN401 - as above
    """Makes the value of a state from what the engine found. With `grundy`, `found.moves` is the Grundy number."""
    if grundy:
        return StateValue(words[found.value], None, None, found.moves)
    return StateValue(words[found.value], found.moves, found.score)


@dataclass(frozen=True)
class LongestState:
    """A state from which the way to the end is longest.

    Attributes:
        state: The state. Of several, it is the first one by depth from the start, and then by its symbols. If the
            values are a count back from the goal, it is the first one by its symbols alone.
        value: What it is worth.
    """

    state: str
    value: StateValue


@dataclass(frozen=True)
class ValuesReport:
    """The values of all states that play can reach.

    Attributes:
        puzzle: The puzzle's text id.
        complete: Whether the values are known. If not, there are none.
        stopped: Why not: `"memory"`, or `"watch"` if the watch stopped the run.
        names: The values that states can have, in the order of the tables.
        symmetry_order: How many symmetries were used; 1 if symmetries were not used.
        depths: The states of each depth by value. Depths are moves from the start; if `backward`, moves to the goal.
        distances: How many states are each number of moves from the end; empty if these moves were not counted.
        scores: In a game with a score, how many states are worth each number of points, from the fewest points on;
            empty without a score.
        grundy: How many states have each Grundy number, from 0 on, if these were asked for; else empty. Then no moves
            to the end are counted, and `longest` is a state with the largest number.
        start: The value of the start; `None` if the report is not complete.
        longest: The state from which the way to the end is longest; `None` if no state is won, lost or solvable, or if
            the moves to the end were not counted. In a game with a score, the state with the most points ahead or
            behind.
        backward: Whether a depth is the number of moves that a state needs to the goal, and not that from the start. So
            it is if the values are a count back from the goal.
        store: How the states were held: `"dense"` or `"sparse"`.
        generated: How many successors all states have together.
        seconds: The time that the engine took.
        peak_memory_bytes: The most memory that the process has held so far; `None` if the system does not report it.
        starts: The value of the start for each player, if that player begins; empty unless `starts` was `"both"`. All
            other parts of the report are about the game that the first player begins.
        stream: Makes an Arrow stream of the depths.
    """

    puzzle: str
    complete: bool
    stopped: str | None
    names: tuple[str, ...]
    symmetry_order: int
    depths: tuple[DepthValues, ...]
    distances: tuple[DistanceCount, ...]
    scores: tuple[ScoreCount, ...]
    grundy: tuple[GrundyCount, ...]
    start: StateValue | None
    longest: LongestState | None
    backward: bool
    store: str
    generated: int
    seconds: float
    peak_memory_bytes: int | None
    starts: dict[str, StateValue] = field(default_factory=dict)
    stream: Callable[[list[str], list[list[int]]], object] | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of_core(
        cls,
        puzzle: str,
        found: Any,  # noqa: ANN401 - run/engine/ alone knows its type
        notation: Notation,
        peak_memory_bytes: int | None,
        *,
        grundy: bool = False,
    ) -> ValuesReport:
        """Makes the report of what the compiled engine has found.

        Args:
            puzzle: The puzzle's text id.
            found: What the engine has found.
            notation: The notation of states. It also shows whether the rules are a game or a puzzle.
            peak_memory_bytes: The most memory that the process has held.
            grundy: Whether the values are Grundy numbers.
        """
        names = GAME if notation.players else PUZZLE
        words = dict(zip(NAMES[names], names, strict=True))
        ends = {"win": found.wins, "loss": found.losses}
        longest = found.longest
        return cls(
            puzzle=puzzle,
            complete=found.stopped is None,
            stopped=found.stopped,
            names=names,
            symmetry_order=found.symmetry_order,
            depths=tuple(
                DepthValues(
                    depth,
                    {word: getattr(counts, name) for name, word in words.items()},
                    {word: getattr(counts, f"raw_{name}") for name, word in words.items()},
                )
                for depth, counts in enumerate(found.depths)
            ),
            distances=tuple(
                DistanceCount(moves, {words[name]: counts[moves] for name, counts in ends.items() if name in words})
                for moves in range(0 if found.scored or grundy else len(found.wins))
            ),
            scores=_scores(found) if found.scored else (),
            grundy=tuple(
                GrundyCount(number, wins + losses)
                for number, (wins, losses) in enumerate(zip(found.wins, found.losses, strict=True))
            )
            if grundy
            else (),
            start=None if found.start is None else _value(found.start, words, grundy=grundy),
            longest=None
            if longest is None
            else LongestState(
                notation.write(longest.cells, longest.player), _value(longest.value, words, grundy=grundy)
            ),
            backward=found.backward,
            store=found.store,
            generated=found.generated,
            seconds=found.seconds,
            peak_memory_bytes=peak_memory_bytes,
        )

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The depths as an Arrow C stream: `depth`, and for each value the states, and the raw states as `raw_...`.

        Libraries that take Arrow streams read it: `polars.DataFrame(report)`, `pyarrow.table(report)`.
        """
        del requested_schema
        if self.stream is None:
            raise TypeError("a report that no engine made has no Arrow stream; ask for values to get one")
        columns = {"depth": [each.depth for each in self.depths]}
        columns |= {name: [each.states[name] for each in self.depths] for name in self.names}
        columns |= {f"raw_{name}": [each.raw_states[name] for each in self.depths] for name in self.names}
        return self.stream(list(columns), list(columns.values()))

    @property
    def states(self) -> int:
        """The number of all states, up to symmetry."""
        return sum(sum(depth.states.values()) for depth in self.depths)

    @property
    def raw_states(self) -> int:
        """The number of all states; symmetric states count separately."""
        return sum(sum(depth.raw_states.values()) for depth in self.depths)

    @property
    def outcome_class(self) -> str | None:
        """The outcome class of the start, if `starts` was `"both"` and neither value is a draw or points.

        It is `"N"` if the player who begins wins, `"P"` if the other player wins, `"L"` if the first player of the
        rules wins whoever begins, and `"R"` if the second one does.

        >>> import puzzlekit
        >>> puzzlekit.load("tictactoe:2,2,2").values(starts="both").outcome_class
        'N'
        """
        from puzzlekit.run.starts import CLASSES

        if not self.starts or self.scores:
            return None
        first, second = self.starts.values()
        return CLASSES.get((first.value, second.value))

    def total(self, value: str) -> int:
        """The number of states that have a value, up to symmetry."""
        return sum(depth.states[value] for depth in self.depths)

    def bars(self) -> Bars:
        """A plot of the states of each depth by their values.

        >>> import puzzlekit
        >>> puzzlekit.load("tictactoe").values().bars().bars[5].parts
        (72, 35, 67)
        """
        from puzzlekit.draw.plot import Bar, Bars

        which = f"up to {self.symmetry_order} symmetries" if self.symmetry_order > 1 else "without symmetries"
        way = "moves needed to the goal" if self.backward else "moves from the start"
        return Bars(
            title=f"{self.puzzle}: values of states {which} by {way}",
            axis="depth",
            unit="states",
            names=self.names,
            bars=tuple(Bar(str(each.depth), tuple(each.states[name] for name in self.names)) for each in self.depths),
        )

    def __str__(self) -> str:
        """The report as a table: a row for each depth.

        >>> import puzzlekit
        >>> str(puzzlekit.load("tictactoe").values()).splitlines()[1:3]
        ['depth  win  draw  loss', '    0    0     1     0']
        """
        from puzzlekit.run.columns import in_columns, shown

        if not self.complete:
            return self._told
        rows = [list(map(shown, row)) for row in self._rows]
        return "\n".join([self._told, *in_columns(["depth", *self.names], rows, range(1 + len(self.names)))])

    @property
    def _told(self) -> str:
        if not self.complete:
            return f"{self.puzzle}: the values are not known"
        return f"{self.puzzle}: {self.states:,} states, {self.seconds:.3f} s"

    @property
    def _rows(self) -> list[list[int | str]]:
        rows: list[list[int | str]] = [
            [each.depth, *(each.states[name] for name in self.names)] for each in self.depths
        ]
        return [*rows, ["all", *map(self.total, self.names)]]

    def _repr_html_(self) -> str:
        """The text that Jupyter shows: the plot and the table of depths."""
        from puzzlekit.draw.html import table, text

        if not self.complete:
            return text(self._told)
        return f"<div>{text(self._told)}{self.bars().picture()}{table(['depth', *self.names], self._rows)}</div>"

    def to_data(self) -> dict[str, Any]:
        """The report as `puzzlekit values --json` prints it."""
        return {
            "schema": "puzzlekit.values/1",
            "puzzle": self.puzzle,
            "complete": self.complete,
            "symmetry_order": self.symmetry_order,
            "backward": self.backward,
            "states": self.states,
            "raw_states": self.raw_states,
            "depths": [
                {
                    "depth": depth.depth,
                    **depth.states,
                    **{f"raw_{value}": count for value, count in depth.raw_states.items()},
                }
                for depth in self.depths
            ],
            "distances": [{"moves": distance.moves, **distance.states} for distance in self.distances],
            **({"scores": [asdict(count) for count in self.scores]} if self.scores else {}),
            **({"grundy": [asdict(count) for count in self.grundy]} if self.grundy else {}),
            "start": None if self.start is None else _data_of(self.start),
            **(
                {
                    "starts": {player: _data_of(value) for player, value in self.starts.items()},
                    "outcome_class": self.outcome_class,
                }
                if self.starts
                else {}
            ),
            "longest": None if self.longest is None else {**_data_of(self.longest.value), "state": self.longest.state},
            "store": self.store,
            "seconds": self.seconds,
            "peak_memory_bytes": self.peak_memory_bytes,
        }
