"""The reports about one state: the result of a scramble, and the answer of a solver."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from puzzlekit.describe.sequence import names_joined

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from puzzlekit.draw.svg import Picture

MOST_SHOWN = 40
"""The number of moves of a solution that a notebook shows as pictures."""


@dataclass(frozen=True)
class ScrambleReport:
    """A random state.

    Attributes:
        puzzle: The puzzle's text id.
        state: The state.
        seed: What makes the same state again.
        moves: The moves that led to it from the start; `None` if it was not made by moves.
        method: How it was chosen, in words.
        number: The number of the state, in puzzles that number their states (`Puzzle.number`); `None` in others.
        scrambler: The name of the scrambler that was asked for; `None` if none was.
        needs: The fewest moves to the goal, if they were asked for.
        picture: Draws the state.
    """

    puzzle: str
    state: str
    seed: str
    moves: tuple[str, ...] | None
    method: str
    number: int | None = None
    scrambler: str | None = None
    needs: int | None = None
    picture: Callable[[], Picture] | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        """The state, its seed and how it was chosen."""
        name = f'seed "{self.seed}"' if self.number is None else f'number {self.number}, seed "{self.seed}"'
        return f"{self.state}\n{name}: {self.method}"

    def _repr_html_(self) -> str:
        """The text that Jupyter shows: the state as a picture, and as a text with its seed."""
        from puzzlekit.draw.html import text

        shown = "" if self.picture is None else str(self.picture())
        return f"<div>{shown}{''.join(map(text, str(self).splitlines()))}</div>"

    def to_data(self) -> dict[str, Any]:
        """The scramble as `puzzlekit scramble --json` prints it, with its `number` and `scrambler` if it has them.

        If the puzzle has a guide, the command adds the guide and the goal.
        """
        data = {
            "schema": "puzzlekit.scramble/1",
            "puzzle": self.puzzle,
            "state": self.state,
            "seed": self.seed,
            "moves": self.moves,
        }
        # The number of a state may have more digits than JavaScript can hold in a number, so it is written as a text.
        number = None if self.number is None else str(self.number)
        more: dict[str, object] = {"number": number, "scrambler": self.scrambler}
        if self.needs is not None:
            more |= {"needs": self.needs, "method": self.method}
        return data | {name: value for name, value in more.items() if value is not None}


def points_in_words(score: int) -> str:
    """Says how far the player to move is ahead: `2 ahead`, `even` or `2 behind`."""
    return "even" if score == 0 else f"{abs(score):,} {'ahead' if score > 0 else 'behind'}"


@dataclass(frozen=True)
class Stage:
    """A part of a solution, for methods that have parts.

    Attributes:
        name: What the part does, in a word or two.
        begins: How many moves are made before this part. The part ends when the next one begins, and may have no moves.
    """

    name: str
    begins: int


@dataclass(frozen=True)
class SolveReport:
    """Moves that solve a state; for a game, best play to the end.

    Attributes:
        puzzle: The puzzle's text id.
        state: The state.
        moves: The names of the moves. For a game, best play of both sides, which stops if play repeats itself. There
            are none if it takes too long to find them.
        optimal: Whether it is proven that no fewer moves solve the state; for a game, that no play of the winner is
            shorter, and none of the loser longer.
        solver: The solver's name.
        seconds: The time that it took.
        value: For a game, `"win"`, `"draw"` or `"loss"` for the player to move; else `None`.
        score: In a game with a score, the most points that the player to move can force, less those of the other
            player; `None` without a score.
        repeats: For a game, if best play never ends: the number of the moves that lead to the position to which the
            last move comes back, up to symmetry. `None` if it ends.
        best: For a game, all moves that keep the value, and neither hasten a loss nor put off a win; if it is not
            optimal, one that keeps the value.
        lower_bound: For a puzzle, a number of moves that is proven to be needed; `None` if none is known.
        stages: The parts of the solution, if the solver's method has parts.
        searched: Figures of the search by name, if the solver reports them.
        method: How the answer was found, if the solver says so.
        reason: Why it was found in that way.
        limit: What kept an answer from being proven: `"seconds"`, `"max_states"`, `"memory"`, `"effort"` or `"watch"`.
        solutions: All solutions with as few moves, if they were asked for.
        all_solutions: Whether there are no others than these.
        proven: For a game, whether the value is known. If a limit came first, it is not, and `best` has the best move
            so far.
        library: The library in which the answer was looked up; what is proven is so by that library. `None` if it was
            found here.
        strip: Draws the first of the states that the moves lead through, as many as it is asked for.
    """

    puzzle: str
    state: str
    moves: tuple[str, ...]
    optimal: bool
    solver: str
    seconds: float
    value: str | None = None
    best: tuple[str, ...] = ()
    lower_bound: int | None = None
    stages: tuple[Stage, ...] = ()
    searched: Mapping[str, int | float] = field(default_factory=dict)
    method: str | None = None
    reason: str | None = None
    limit: str | None = None
    solutions: tuple[tuple[str, ...], ...] | None = None
    all_solutions: bool | None = None
    proven: bool = True
    score: int | None = None
    repeats: int | None = None
    library: str | None = None
    strip: Callable[[int], Picture] | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        """The result in words, and the moves."""
        return "\n".join([self._told, *([names_joined(self.moves)] if self.moves else [])])

    @property
    def _told(self) -> str:
        value = f"{self.value_in_words} for the player to move, " if self.value else ""
        proven = ", proven the fewest" if self.optimal and not self.value else ""
        moves = f"{self.length} move{'' if self.length == 1 else 's'}"
        if self.repeats is not None:
            moves = "play never ends"
        elif self.lacks_moves:
            moves = "after a number of moves that is not known"
        return f"{self.puzzle}: {value}{moves}{proven}, by {self.found_by}"

    @property
    def found_by(self) -> str:
        """The solver, or the library in which the answer was looked up."""
        return self.solver if self.library is None else f"the library at {self.library}"

    def _repr_html_(self) -> str:
        """The text that Jupyter shows: the number of moves, and pictures of the states on the way."""
        from puzzlekit.draw.html import text

        told = self._told
        shown = text(names_joined(self.moves)) if self.moves else ""
        if self.strip is None:
            return f"<div>{text(told)}{shown}</div>"
        more = text(f"The first {MOST_SHOWN} moves:") if self.length > MOST_SHOWN else ""
        return f"<div>{text(told)}{shown}{more}{self.strip(MOST_SHOWN)}</div>"

    @property
    def length(self) -> int:
        """The number of moves."""
        return len(self.moves)

    @property
    def lacks_moves(self) -> bool:
        """`True` if a game's value and a best move are known, but not best play, since it takes too long to find."""
        return bool(self.best) and not self.moves

    @property
    def value_in_words(self) -> str:
        """The value of a position of a game: `win`, `draw` or `loss`; or, in a game with a score, `2 ahead`."""
        if self.score is None:
            return self.value or "unknown"
        return points_in_words(self.score)

    def to_data(self) -> dict[str, Any]:
        """The solution as `puzzlekit solve --json` prints it."""
        data: dict[str, Any] = {
            "schema": "puzzlekit.solve/1",
            "puzzle": self.puzzle,
            "state": self.state,
            "moves": self.moves,
            "length": None if self.lacks_moves or self.repeats is not None else self.length,
            "optimal": self.optimal,
            "solver": self.solver,
            "seconds": self.seconds,
        }
        if self.value is not None or not self.proven:
            data |= {"value": self.value, "proven": self.proven, "best": self.best}
        data |= {name: number for name in ("score", "repeats") if (number := getattr(self, name)) is not None}
        if self.lower_bound is not None:
            data["lower_bound"] = self.lower_bound
        if self.searched:
            data["searched"] = dict(self.searched)
        if self.stages:
            data["stages"] = [asdict(stage) for stage in self.stages]
        told: dict[str, Any] = {"method": self.method, "reason": self.reason, "limit": self.limit}
        told |= {"solutions": self.solutions, "all_solutions": self.all_solutions}
        if self.library is not None:
            known = self.optimal or self.value is not None
            told |= {"library": self.library, "proven_by": "library" if known else None}
        return data | {name: value for name, value in told.items() if value is not None}


@dataclass(frozen=True)
class Foreseen:
    """The result of a look some moves ahead, for one move.

    Attributes:
        move: The move's name.
        value: `"win"` or `"loss"` for the player who makes it, if that can be forced within the moves looked at; else
            `None`.
        length: Within how many moves this can be forced, counting this one; 0 without a value.
        score: In a game with a score, the points of the player who makes it, as if play were over after the moves
            looked at; the value says whether that is ahead. `None` without a score.
    """

    move: str
    value: str | None
    length: int
    score: int | None = None

    @property
    def worth(self) -> tuple[int, int]:
        """A pair by which moves are compared; the larger one is better.

        The order is: win soon, win late, neither, lose late, lose soon. With a score, more points are better.

        >>> Foreseen("a", "win", 3).worth > Foreseen("b", None, 0).worth > Foreseen("c", "loss", 4).worth
        True
        """
        if self.score is not None:
            return self.score, 0
        sign = {"win": 1, "loss": -1}.get(self.value or "", 0)
        return sign, -sign * self.length
