"""A puzzle or a game while it is being played, as events and data without words, so that any program can show it.

The line mode (`play/session.py`) is one such program. A `Game` gives plain data only: states and moves are texts, and
`to_data` of an event, of a moment or of a whole game can be written as JSON.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from puzzlekit.errors import MoveError, UsageError
from puzzlekit.run import overridable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.answers import SolveReport
    from puzzlekit.run.solver import SolverFunction

SCHEMA = "puzzlekit.game/1"


@dataclass(frozen=True)
class Event:
    """One thing that was done: a move that was made, taken back or made again.

    Attributes:
        kind: `"move"`, `"undo"` or `"redo"`.
        move: The move that was made, taken back or made again.
        answer: Whether the computer chose the move, not a person.
        state: The state after it.
    """

    kind: str
    move: str
    answer: bool
    state: str

    def to_data(self) -> dict[str, Any]:
        """The event as plain data."""
        return asdict(self)


@dataclass(frozen=True)
class Moment:
    """Everything about a play at one moment that a program may want to show.

    Attributes:
        puzzle: The puzzle's text id.
        state: The state.
        number: The state's number, in puzzles that number their states.
        player: The player to move; `None` in a puzzle, and if play is over.
        legal: The moves that can be made. Even a solved puzzle may have some.
        made: The moves that led from the first state to this one.
        last: The last of these moves.
        counted: How many moves count. Usually these are all moves that were made. But if moves toggle cells, the same
            move twice changes nothing, whatever came between, and both do not count.
        can_redo: Whether there is a move to make again.
        over: Whether play is over: the puzzle is solved, or no move is left.
        why: `"solved"`, or the outcome as `Puzzle.outcome` names it; `None` if play goes on.
        value: What `Game.solve` found for this state: in a game, `"win"`, `"draw"` or `"loss"` for the player to move;
            in a puzzle, the fewest moves to the goal. `None` if it was not asked.
    """

    puzzle: str
    state: str
    number: int | None
    player: str | None
    legal: tuple[str, ...]
    made: tuple[str, ...]
    last: str | None
    counted: int
    can_redo: bool
    over: bool
    why: str | None
    value: str | int | None

    def to_data(self) -> dict[str, Any]:
        """The moment as plain data. The state's number is a text, since numbers in JavaScript have fewer digits."""
        number = None if self.number is None else str(self.number)
        return {"schema": "puzzlekit.moment/1", **asdict(self), "number": number}


class Game:
    """One play of a puzzle or of a game. Moves can be taken back and made again, and the whole play can be repeated.

    >>> import puzzlekit
    >>> game = Game(puzzlekit.load("tictactoe"))
    >>> game.make("4").state
    '.../.X./...:O'
    >>> game.undo().kind, game.redo().kind
    ('undo', 'redo')
    >>> again = Game.from_data(game.puzzle, game.to_data())
    >>> again.moment() == game.moment()
    True

    Args:
        puzzle: The puzzle.
        state: Where play begins; `None` for the puzzle's start.
        solver: The solver that `solve` asks; `None` for the puzzle's own.

    Attributes:
        puzzle: The puzzle.
        events: Everything that was done, in order.
    """

    def __init__(self, puzzle: Puzzle, state: str | None = None, solver: SolverFunction | None = None) -> None:
        self.puzzle = puzzle
        self._solver = solver
        self.events: list[Event] = []
        self._states = [puzzle.start if state is None else puzzle.read(state)]
        self._made: list[tuple[str, bool]] = []  # each move, and whether it was an answer
        self._undone: list[tuple[str, bool]] = []  # the moves that were taken back; `redo` makes the last one
        self._values: dict[str, str | int] = {}

    @property
    def start(self) -> str:
        """The state in which play began."""
        return self._states[0]

    @property
    def state(self) -> str:
        """The state now."""
        return self._states[-1]

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves that led here."""
        return tuple(move for move, _ in self._made)

    @property
    def answers(self) -> tuple[bool, ...]:
        """For each of `moves`, whether the computer chose it."""
        return tuple(answer for _, answer in self._made)

    @property
    def repeated(self) -> int | None:
        """The number of moves since the state was last the same as now; `None` if it never was."""
        before = self._states[-2::-1]
        return before.index(self.state) + 1 if self.state in before else None

    def make(self, move: str, *, answer: bool = False) -> Event:
        """Makes a move. After that, moves that were taken back before cannot be made again.

        Raises:
            MoveError: The move cannot be made. Nothing has changed.
        """
        self._advance(move, answer)
        self._undone.clear()
        return self._note("move", move, answer)

    def undo(self) -> Event | None:
        """Takes the last move back; returns `None` if there is none."""
        if not self._made:
            return None
        self._states.pop()
        self._undone.append(self._made.pop())
        return self._note("undo", *self._undone[-1])

    def redo(self) -> Event | None:
        """Makes the move again that was taken back last; returns `None` if there is none."""
        if not self._undone:
            return None
        self._advance(*self._undone.pop())
        return self._note("redo", *self._made[-1])

    def solve(self, *, max_states: int = 2_000_000, seconds: float | None = None) -> SolveReport:
        """Solves the present state. From now on, `moment` has its value.

        Raises:
            PuzzlekitError: As `Puzzle.solve` raises it.
        """
        report = self.puzzle.solve(self.state, self._solver, max_states=max_states, seconds=seconds)
        if report.value is not None:
            self._values[self.state] = report.value
        elif report.optimal:
            self._values[self.state] = report.length
        return report

    def moment(self) -> Moment:
        """Everything about the present state that a program may want to show."""
        puzzle, state = self.puzzle, self.state
        solved = not puzzle.engine.is_game and puzzle.is_solved(state)
        why = "solved" if solved else puzzle.outcome(state)
        players = puzzle.engine.notation.players
        return Moment(
            puzzle=str(puzzle),
            state=state,
            number=overridable.number(puzzle, state),
            player=state.rpartition(":")[2] if players and why is None else None,
            legal=tuple(puzzle.legal_moves(state)),
            made=self.moves,
            last=self.moves[-1] if self._made else None,
            counted=counted(puzzle, self.moves),
            can_redo=bool(self._undone),
            over=why is not None,
            why=why,
            value=self._values.get(state),
        )

    def to_data(self) -> dict[str, Any]:
        """The whole play as plain data, which `from_data` can repeat."""
        return {
            "schema": SCHEMA,
            "puzzle": str(self.puzzle),
            "start": self.start,
            "events": [event.to_data() for event in self.events],
        }

    @classmethod
    def from_data(cls, puzzle: Puzzle, data: dict[str, Any]) -> Game:
        """Repeats a play that `to_data` gave, event by event.

        Args:
            puzzle: The puzzle that the data names.
            data: What `to_data` gave.

        Raises:
            UsageError: The data has another form or is of another puzzle, or an event cannot happen or leads to another
                state.
        """
        if not isinstance(data, dict) or data.get("schema") != SCHEMA or not isinstance(data.get("events"), list):
            raise UsageError(f"there is no play to go on with; give data of the schema {SCHEMA}")
        if data.get("puzzle") != str(puzzle):
            raise UsageError(f'the play is one of "{data.get("puzzle")}", not of "{puzzle}"; name that puzzle')
        game = cls(puzzle, data.get("start", ""))
        for place, given in enumerate(data["events"]):
            if game._replay(given) != given:
                raise UsageError(f"event {place} of the play is {given!r}, which does not follow; give it as it was")
        return game

    def _replay(self, given: object) -> dict[str, Any] | None:
        """Does again what an event says, and returns the new event as data; `None` if that cannot be done."""
        if not isinstance(given, dict) or not isinstance(given.get("move"), str):
            return None
        actions = {
            "move": lambda: self.make(given["move"], answer=given.get("answer") is True),
            "undo": self.undo,
            "redo": self.redo,
        }
        try:
            event = actions[str(given.get("kind"))]()
        except (KeyError, MoveError):
            return None
        return None if event is None else event.to_data()

    def _advance(self, move: str, answer: bool) -> None:
        self._states.append(self.puzzle.engine.apply(self.state, move))
        self._made.append((move, answer))

    def _note(self, kind: str, move: str, answer: bool) -> Event:
        self.events.append(Event(kind, move, answer, self.state))
        return self.events[-1]


def counted(puzzle: Puzzle, moves: Sequence[str]) -> int:
    """Returns how many of some moves count. If moves toggle cells, equal moves cancel each other in pairs."""
    if not puzzle.engine.toggles:
        return len(moves)
    return sum(times % 2 for times in Counter(moves).values())
