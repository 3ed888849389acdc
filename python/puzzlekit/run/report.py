"""The report of an enumeration, with its depths."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from puzzlekit.draw.plot import Bars


@dataclass(frozen=True)
class Depth:
    """The states of one depth, which is a number of moves from the start.

    Attributes:
        depth: The number of moves.
        states: How many states there are up to symmetry.
        raw_states: How many states there are if symmetric ones count separately.
        open: How many states (up to symmetry) there are from which play goes on.
        ended: How many states (up to symmetry) ended with each outcome that the rules can have, zeros included.
    """

    depth: int
    states: int
    raw_states: int
    open: int
    ended: dict[str, int]


DEPTH_COLUMNS = ("depth", "states", "raw_states", "open")
"""The columns of a table of depths. A column for each outcome follows."""

Row = list[int | str]


def depth_rows(report: Report, ends: Sequence[str]) -> list[Row]:
    """A row for each depth: its numbers in `DEPTH_COLUMNS`, then how many states ended with each of `ends`."""
    return [
        [*(getattr(depth, name) for name in DEPTH_COLUMNS), *(depth.ended.get(end, 0) for end in ends)]
        for depth in report.depths
    ]


def total_row(report: Report, ends: Sequence[str]) -> Row:
    """The row of all depths together."""
    opened = sum(depth.open for depth in report.depths)
    return ["all", report.states, report.raw_states, opened, *(report.outcomes[end] for end in ends)]


@dataclass(frozen=True)
class Report:
    """The result of an enumeration: all states that play can reach from the start, counted by depth.

    Attributes:
        puzzle: The puzzle's text id.
        complete: Whether every reachable state was counted.
        stopped: Why the report is not complete: `"max-depth"`; `"memory"` if the next depth needs more memory; or
            `"watch"` if the watch stopped the run.
        symmetry_order: How many symmetries were used; 1 if symmetries were not used.
        backward: Whether a depth is the number of moves that a state needs to the goal, and not that from the start.
        depths: The depths that were completed, from 0.
        store: `"dense"`, a bit for each possible state, or `"sparse"`, a packed word for each state that was found.
        store_reason: Why that store was used, in words.
        generated: How many successors were generated. The same state counts each time that it is generated.
        seconds: The time that the engine took.
        peak_memory_bytes: The most memory that the process has held so far; `None` if the system does not report it.
        kept_states: How many states a resumed job had kept before.
        players: The two players of a game; an outcome that is one of them says who won.
        backward_over: In a run backward, the states that it counts: `"all"` that can reach the goal state, whether or
            not play reaches them; or those of `"play"`, which it reaches from the start. Otherwise `None`.
        unsolvable: How many states (up to symmetry) cannot be solved, if depths are distances to the goal over the
            states that play reaches. These states are in no depth. `None` as long as the number is not known, and for
            all other runs.
        raw_unsolvable: The same number, in which symmetric states count separately.
        stream: Makes an Arrow stream of the depths.
    """

    puzzle: str
    complete: bool
    stopped: str | None
    symmetry_order: int
    backward: bool
    depths: tuple[Depth, ...]
    store: str
    store_reason: str
    generated: int
    seconds: float
    peak_memory_bytes: int | None
    kept_states: int = 0
    players: tuple[str, ...] = ()
    backward_over: str | None = None
    unsolvable: int | None = None
    raw_unsolvable: int | None = None
    stream: Callable[[list[str], list[list[int]]], object] | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of_core(
        cls,
        puzzle: str,
        run: Any,  # noqa: ANN401 - run/engine/ alone knows its type
        outcomes: Sequence[str],
        possible: Collection[str],
        players: tuple[str, ...],
    ) -> Report:
        """Makes the report of a run of the compiled engine.

        Args:
            puzzle: The puzzle's text id.
            run: The run, as the engine reports it.
            outcomes: The outcomes, in the order of the engine's counts.
            possible: The outcomes that the rules can have. The report has them even if no state ended with them.
            players: The two players of a game.
        """
        depths = tuple(
            Depth(
                depth.depth,
                depth.states,
                depth.raw_states,
                depth.open,
                {name: n for name, n in zip(outcomes, depth.ended, strict=True) if n or name in possible},
            )
            for depth in run.depths
        )
        return cls(
            puzzle=puzzle,
            complete=run.stopped is None,
            stopped=run.stopped,
            symmetry_order=run.symmetry_order,
            backward=False,
            depths=depths,
            store=run.store,
            store_reason=run.reason,
            generated=run.generated,
            seconds=run.seconds,
            unsolvable=run.unsolvable,
            raw_unsolvable=run.raw_unsolvable,
            peak_memory_bytes=None,
            players=players,
        )

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The depths as an Arrow C stream: `depth`, `states`, `raw_states`, `open`, and `ended_...` for each outcome.

        Libraries that take Arrow streams read it: `polars.DataFrame(report)`, `pyarrow.table(report)`.
        """
        del requested_schema
        if self.stream is None:
            raise TypeError("a report that no engine made has no Arrow stream; enumerate to get one")
        columns = {name: [getattr(depth, name) for depth in self.depths] for name in DEPTH_COLUMNS}
        columns |= {f"ended_{name}": [depth.ended.get(name, 0) for depth in self.depths] for name in self.outcomes}
        return self.stream(list(columns), list(columns.values()))

    @property
    def states(self) -> int:
        """The number of states in all depths, up to symmetry."""
        return sum(depth.states for depth in self.depths)

    @property
    def raw_states(self) -> int:
        """The number of states in all depths; symmetric states count separately."""
        return sum(depth.raw_states for depth in self.depths)

    @property
    def outcomes(self) -> dict[str, int]:
        """The number of states (up to symmetry) that ended with each outcome that the rules can have, including zeros.

        A game can be won by each of its players. Outcomes of `ends` are always named. The outcome of a state without a
        move is named unless the guards of the moves show that there always is a move.
        """
        total: Counter[str] = Counter()
        for depth in self.depths:
            total.update(depth.ended)
        return dict(total)

    @property
    def max_depth(self) -> int:
        """The last depth that was completed; -1 if none was."""
        return self.depths[-1].depth if self.depths else -1

    @property
    def states_per_second(self) -> float:
        """The states that were found per second of the engine's time. States that the job had before do not count."""
        return (self.states - self.kept_states) / self.seconds if self.seconds else 0.0

    def bars(self) -> Bars:
        """The states of each depth as a plot: `bars().picture()` is an SVG, and `bars().lines(80)` is for a terminal.

        A bar shows the states of a depth, up to symmetry. If play ends in some of them, it has parts.

        >>> import puzzlekit
        >>> puzzlekit.load("tictactoe").enumerate(max_depth=5).bars().bars[5].parts
        (153, 21, 0, 0)
        """
        from puzzlekit.draw.plot import Bar, Bars

        which = f"up to {self.symmetry_order} symmetries" if self.symmetry_order > 1 else "without symmetries"
        way = "moves needed to the goal" if self.backward else "moves from the start"
        more = "" if self.complete else ", not complete"
        ends = list(self.outcomes) if any(self.outcomes.values()) else []
        named = [f"{end} wins" if end in self.players else end for end in ends]
        return Bars(
            title=f"{self.puzzle}: states {which} by {way}{more}",
            axis="depth",
            unit="states",
            names=("open", *named) if ends else ("states",),
            bars=tuple(
                Bar(str(each.depth), (each.open, *(each.ended.get(end, 0) for end in ends)) if ends else (each.states,))
                for each in self.depths
            ),
        )

    def __str__(self) -> str:
        r"""The report as a table: a row for each depth.

        >>> import puzzlekit
        >>> told, *table = str(puzzlekit.load("rotate:2,2").enumerate()).splitlines()
        >>> print(*table, sep="\n")
        depth  states  raw states  open
            0       1           1     1
            1       1           1     1
            2       1           1     1
            3       1           1     1
          all       4           4     4
        """
        from puzzlekit.run.columns import in_columns, shown

        headers = self._headers
        rows = [list(map(shown, row)) for row in self._rows]
        return "\n".join([self._told, *in_columns(headers, rows, range(len(headers)))])

    @property
    def _told(self) -> str:
        return f"{self.puzzle}: {self.states:,} states{'' if self.complete else ', not complete'}, {self.seconds:.3f} s"

    @property
    def _headers(self) -> list[str]:
        return ["depth", "states", "raw states", "open", *self.outcomes]

    @property
    def _rows(self) -> list[Row]:
        ends = list(self.outcomes)
        return [*depth_rows(self, ends), total_row(self, ends)]

    def _repr_html_(self) -> str:
        """The text that Jupyter shows: the plot and the table of depths."""
        from puzzlekit.draw.html import table, text

        return f"<div>{text(self._told)}{self.bars().picture()}{table(self._headers, self._rows)}</div>"

    def to_data(self) -> dict[str, Any]:
        """The report as `puzzlekit enumerate --json` prints it."""
        return {
            "schema": "puzzlekit.enumerate/1",
            "puzzle": self.puzzle,
            "complete": self.complete,
            "symmetry_order": self.symmetry_order,
            "backward": self.backward,
            "backward_over": self.backward_over,
            "depths": [asdict(depth) for depth in self.depths],
            "states": self.states,
            "raw_states": self.raw_states,
            "unsolvable": self.unsolvable,
            "raw_unsolvable": self.raw_unsolvable,
            "outcomes": self.outcomes,
            "max_depth": self.max_depth,
            "store": self.store,
            "store_reason": self.store_reason,
            "generated": self.generated,
            "seconds": self.seconds,
            "states_per_second": self.states_per_second,
            "peak_memory_bytes": self.peak_memory_bytes,
        }
