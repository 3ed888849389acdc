"""A puzzle: a family of boards as a frozen dataclass, whose fields are its parameters."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

from puzzlekit.describe import parameters
from puzzlekit.describe.rules import Rules
from puzzlekit.errors import (
    PluginError,
    PuzzlekitError,
    UsageError,
    one_line,
)
from puzzlekit.puzzle import declaration

# What runs a puzzle is imported by what needs it: a list of puzzles runs none.
if TYPE_CHECKING:
    import datetime
    from collections.abc import Iterable, Sequence
    from os import PathLike

    from typing_extensions import Buffer

    from puzzlekit.draw.svg import Picture
    from puzzlekit.run.answers import ScrambleReport, SolveReport, Stage
    from puzzlekit.run.engine import Engine
    from puzzlekit.run.options import JobFolder
    from puzzlekit.run.random import Random
    from puzzlekit.run.report import Report, RunPlan, Watch
    from puzzlekit.run.runner import Runner
    from puzzlekit.run.scrambler import ScramblerFunction
    from puzzlekit.run.solver import Solver, SolverFunction
    from puzzlekit.run.survey import SurveyReport
    from puzzlekit.run.values import ValuesReport
    from puzzlekit.view.view import View


def random_state(puzzle: Puzzle, random: Random, /, *, seed: str, moves: int | None = None) -> ScrambleReport:
    """The engine's own scrambler, whatever way a puzzle has of its own; see `Puzzle.scramble`."""
    del random  # the engine draws the same numbers from the seed
    return puzzle.engine.scramble(str(puzzle), seed, moves)


# The name under which it is listed and asked for.
random_state.__name__ = "random"


def _make(kind: type[Puzzle], values: dict[str, Any]) -> Puzzle:
    return kind(**values)


class Puzzle:
    """The base of every puzzle and game: subclass it as a frozen dataclass, give it an `id`, and return its rules.

    >>> from dataclasses import dataclass
    >>> from puzzlekit import Grid, Puzzle, Rules, cycle, parameter
    >>> @dataclass(frozen=True)
    ... class Turn(Puzzle):
    ...     '''Numbered tiles; each move turns a 2x2 block clockwise.'''
    ...
    ...     id = "turn"
    ...     size: int = parameter(3, 2, 5, "rows and columns")
    ...
    ...     def rules(self):
    ...         grid = Grid(self.size, self.size)
    ...         tiles = range(grid.cells)
    ...         return Rules(
    ...             symbols=tiles,
    ...             start=tiles,
    ...             goal=[tiles],
    ...             moves=[cycle(*grid.block(corner)) for corner in grid.corners()],
    ...             columns=self.size,
    ...         )
    >>> Turn(2).enumerate().states
    4
    >>> str(Turn(2))
    'turn:size=2'

    A state is a text, such as `X.O/.../...:X`. `start` is such a text. Whatever takes a state reads it as people type
    it.
    """

    id: ClassVar[str]
    distribution: ClassVar[object] = ""
    """What has the distribution that brings the puzzle, and its version, as its text. Set by the puzzle's plugin."""

    def rules(self) -> Rules:
        """The rules, as data. The engine asks for them once, and compiles them."""
        raise NotImplementedError(f"{type(self).__name__} has no rules; define rules(self)")

    def __init_subclass__(cls, **options: object) -> None:
        """Checks what the body of a puzzle's class shows.

        Raises:
            PluginError: It is not declared as it should be; the message says what to write instead.
        """
        super().__init_subclass__(**options)
        declaration.check_body(cls, Puzzle)

    def __new__(cls, *_values: object, **_named_values: object) -> Self:
        """A puzzle of a type that is declared as it should be.

        Raises:
            PluginError: The type has no valid `id`, or is no frozen dataclass.
        """
        declaration.check_made(cls)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        parameters.check(self, self.id)

    @classmethod
    def check_type(cls) -> None:
        """Checks what can be known from the type alone. Called when a plugin registers it.

        Raises:
            PluginError: The type has no valid `id`, is no frozen dataclass, or has a field of another type.
        """
        declaration.check_made(cls)
        name = cls.__name__
        if "__dataclass_params__" not in cls.__dict__:
            raise PluginError(f"{name} is no frozen dataclass; put @dataclass(frozen=True) above it")
        for field in dataclasses.fields(cls):  # type: ignore[arg-type]
            if parameters.kind(field) not in ("int", "bool", "str"):
                raise PluginError(f"{name} has the field {field.name} of type {field.type}; use int, bool or str")
        try:
            cls()
        except Exception as error:
            raise PluginError(f"{name} cannot be made with its defaults: {one_line(error)}") from error

    @classmethod
    def from_text(cls, text: str) -> Puzzle:
        """The puzzle of the part of a text id after the colon; the puzzle with all defaults if that is empty.

        Raises:
            UsageError: The text is nonsense; the message says what may stand there.
        """
        values = parameters.read(cls, cls.id, text) if text else {}
        try:
            return cls(**values)
        except PuzzlekitError:
            raise
        except (Exception, SystemExit) as error:
            raise PluginError(f"{cls.id}: the parameters cannot be checked: {one_line(error)}") from error

    def __str__(self) -> str:
        fields = [(field.name, getattr(self, field.name), field.default) for field in dataclasses.fields(self)]  # type: ignore[arg-type]
        if all(value == default for _, value, default in fields):
            return self.id
        values = ((name, str(value).lower() if isinstance(value, bool) else value) for name, value, _ in fields)
        return f"{self.id}:{','.join(f'{name}={value}' for name, value in values)}"

    def __reduce__(self) -> tuple[Any, ...]:
        # The compiled engine is left out: it is made anew when it is asked for.
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}  # type: ignore[arg-type]
        return _make, (type(self), values)

    @cached_property
    def engine(self) -> Engine:
        """The compiled rules; equal puzzles share them.

        Raises:
            RulesError: The rules contradict themselves.
            PluginError: `rules` failed, or returned something else.
        """
        from puzzlekit.run.engine_cache import compiled

        return compiled(type(self), str(self), self._compile)

    def _compile(self) -> Engine:
        from puzzlekit.run.engine import Engine

        try:
            rules = self.rules()
            if not isinstance(rules, Rules):
                raise PluginError(f"rules() returned {type(rules).__name__}; return a puzzlekit.Rules")
            return Engine(rules)
        except PuzzlekitError as error:
            raise type(error)(f"{self}: {error}") from error
        except (Exception, SystemExit) as error:  # rules() may fail in any way
            raise PluginError(f"{self}: rules() failed with {one_line(error)}") from error

    @property
    def start(self) -> str:
        """The start."""
        return self.engine.start

    def read(self, state: str) -> str:
        """A state's text as puzzlekit writes it.

        Raises:
            StateError: The text is no state of this puzzle; the message says why.
        """
        notation = self.engine.notation
        return notation.write(*notation.read(state))

    def legal_moves(self, state: str) -> list[str]:
        """The names of the moves that can be made, in the order of the rules. There are none if play is over."""
        return self.engine.legal_moves(state)

    def apply(self, state: str, move: str) -> str:
        """The state after a move.

        Raises:
            MoveError: The move cannot be made in the state; the message lists those that can.
        """
        return self.engine.apply(state, str(move))

    def outcome(self, state: str) -> str | None:
        """How play ended: a player's name (who won), `"draw"`, or another word of the rules; `None` if it goes on.

        A puzzle without any move left is `"solved"` or `"stuck"`.
        """
        return self.engine.outcome(state)

    def is_solved(self, state: str) -> bool:
        """Whether the state satisfies the goal. Always false if the rules have none."""
        return self.engine.is_solved(state)

    def canonical(self, state: str) -> str:
        """The state that stands for a state's whole orbit under the symmetries.

        It is the smallest image of the state. Images are compared by the player to move, and then cell by cell from
        cell 0, each symbol by its place in the rules' list.
        """
        return self.engine.canonical(state)

    def key(self, state: str) -> int:
        """A 128-bit key of a state's orbit under the symmetries, the same on every platform and in every version.

        It is the big-endian number of `hashlib.blake2b(row, digest_size=16, person=b"puzzlekit-key-1")`, where `row` is
        the canonical form: a byte for the player to move (0 in a puzzle), and one for each cell, its symbol's place in
        the rules' list.
        """
        return self.engine.key(state)

    def encode(self, states: Iterable[str]) -> memoryview:
        """States as an array of bytes, for `expand` and `canonical_rows`.

        There is one row for each state: for each cell, the place of its symbol in the rules' list; and in a game one
        more byte for the player to move, 0 or 1. `numpy.asarray` takes it as it is. Its shape is (states, cells) or
        (states, cells + 1).
        """
        return self.engine.encode(states)

    def decode(self, rows: Buffer) -> list[str]:
        """The texts of an array of states.

        Raises:
            StateError: A row does not fit the rules.
        """
        return self.engine.decode(rows)

    def expand(self, rows: Buffer) -> tuple[memoryview, memoryview, memoryview]:
        """The successors of an array of states: their rows, and for each its parent's row number and its move's number.

        Successors come in order of the parents, then of the moves. States in which play is over have none. Row and move
        numbers are unsigned 32-bit; move numbers are places in `engine.move_names`.

        Raises:
            StateError: A row does not fit the rules.
        """
        return self.engine.expand(rows)

    def canonical_rows(self, rows: Buffer) -> memoryview:
        """The canonical forms of an array of states, row by row.

        Raises:
            StateError: A row does not fit the rules.
        """
        return self.engine.canonical_rows(rows)

    def index_length(self) -> int:
        """How many numbers the perfect index has. They begin at 0.

        Raises:
            UsageError: The rules have no perfect index.
        """
        return self.engine.core.index_length()

    def rank_rows(self, rows: Buffer) -> memoryview:
        """The numbers of an array of states in the perfect index, unsigned, of 64 bits.

        No two states have the same number. Whose turn it is does not matter. A state is given 2**64 - 1 if it has no
        number, because no moves lead to it from a state that has one. Some numbers may belong to states that play does
        not reach from the start. The numbers stay the same as long as the rules and the version of puzzlekit do.

        Raises:
            StateError: A row does not fit the rules.
            UsageError: The rules have no perfect index.
        """
        return self.engine.rank_rows(rows)

    def unrank_rows(self, numbers: Iterable[int]) -> memoryview:
        """The states that have the given numbers, as an array of bytes such as `rank_rows` takes.

        Raises:
            StateError: A number is as large as `index_length()`, or larger.
            UsageError: The rules have no perfect index.
        """
        return self.engine.unrank_rows(numbers)

    def count_reachable(self) -> int | None:
        """How many states play can reach, if that is known without a search; `None` if it is not.

        It is known if the moves generate a group of permutations and all symbols of the start differ, or if they toggle
        cells, also in circles of a prime number of symbols. Puzzles that know more override it.
        """
        if self.engine.toggles:
            return int(2 ** self.engine.toggles[0])
        if self.engine.dials:
            return int(self.engine.dials[0] ** self.engine.dials[1])
        # Where symbols repeat, several elements of the group make one state: 6 permutations make 3 states of "aab".
        cells, _ = self.engine.notation.read(self.start)
        return self.engine.group_order if len(set(cells)) == len(cells) else None

    def scramble(
        self, seed: str | None = None, *, moves: int | None = None, scrambler: ScramblerFunction | None = None
    ) -> ScrambleReport:
        """A random state, the same for the same seed on every platform and in every version.

        It is neither solved nor a state in which play is over. With `moves`, it comes after that many random moves from
        the start, none of which undoes the one before it.

        Without `moves`, each state that play can reach is equally likely, if the moves generate a group, or toggle
        cells, or reach at most 200,000 states. Otherwise it is a walk of 100 moves for each cell. If play is over
        before that, it is one of the states that the walk passed.

        Args:
            seed: Any text. If it is `None`, a random text.
            moves: How many moves to make. No moves give the start.
            scrambler: A scrambler, as `puzzlekit.scramblers` lists them, or a function of the puzzle and random numbers
                that returns a state or the names of moves. If it is `None`, the puzzle's own way.

        Raises:
            UsageError: No such state was found, or a number makes no sense.
            PluginError: The scrambler failed, or made a state that play does not reach, or that is solved or over.
        """
        if seed is None:
            import secrets

            seed = secrets.token_hex(8)
        if scrambler is None:
            report = self.engine.scramble(str(self), seed, moves)
        else:
            from puzzlekit.run.scrambler import scrambled

            report = scrambled(self, scrambler, seed, moves)
        return dataclasses.replace(report, number=self.number(report.state))

    def daily(self, date: str | datetime.date) -> ScrambleReport:
        """The random state of a day, given as `YYYY-MM-DD` or as a `datetime.date`: the same for the whole world.

        Raises:
            UsageError: The text is no date.
        """
        import datetime

        # A datetime is a date to Python, but it has a time and a zone, in which it may be another day.
        text = date.isoformat() if isinstance(date, datetime.date) else date
        try:
            given = datetime.date.fromisoformat(text).isoformat()
        except (TypeError, ValueError):
            given = None
        if given is None or given != text:
            raise UsageError(f'"{date}" is no date; give one as YYYY-MM-DD')
        return self.scramble(f"daily {text}")

    def number(self, state: str) -> int | None:
        """The number of a state, in puzzles that number their states; `None` in others. `numbered` is the inverse.

        Scrambles, `play` and `info` show it, so that a state can be named in a word and played again.
        """
        del state  # for puzzles that number theirs
        return None

    def numbered(self, number: int) -> ScrambleReport:
        """The state that has a number, in puzzles that number their states. `number` is the inverse.

        Raises:
            UsageError: The puzzle does not number its states, or the number is out of range.
        """
        raise UsageError(f"{self.id} does not number its states, so {number} names none; give a seed instead")

    def guide(self) -> str:
        """What to know before the first move, such as the goal and the names of moves, in lines; or an empty text.

        `play`, `scramble` and `info` show it.
        """
        return ""

    def board(self, state: str, moves: Sequence[str] = ()) -> str:
        """A state as rows of symbols for people to look at, after the moves of a play if they matter.

        `play` shows it, and adds a line that says who is to move.
        """
        del moves  # for puzzles that show them
        return self.engine.notation.board(state)

    def view(self) -> View:
        """How states are drawn and moves are made by hand: told by the rules, and changed by puzzles that know better.

        >>> import puzzlekit
        >>> puzzlekit.load("rotation").view().gestures[0].kind
        'point'
        """
        from puzzlekit.view.view import View

        return View.of(self.rules())

    def picture(self, state: str, moves: Sequence[str] = ()) -> Picture:
        """A state as a picture, which Jupyter shows; `str` gives the text of its SVG.

        >>> import puzzlekit
        >>> puzzlekit.load("rotation").picture("213/456/789")
        <Picture of rotation: 213/456/789>

        Args:
            state: The state.
            moves: The moves that led to it, for puzzles whose pictures show them.
        """
        from puzzlekit.draw.svg import Picture
        from puzzlekit.view.view import view_of

        text = self.read(state)
        return Picture(view_of(self).draw(text, moves), f"{self}: {text}")

    def _repr_html_(self) -> str:
        """What Jupyter shows: the start."""
        from puzzlekit.draw.html import text

        about = (type(self).__doc__ or "").partition("\n")[0]
        try:
            return f"<div>{text(self, 'b')}{text(about)}{self.picture(self.start)}</div>"
        except PuzzlekitError as error:
            return f"<div>{text(self, 'b')}{text(about)}{text(error)}</div>"

    def strip(self, state: str, moves: Iterable[str], stages: Sequence[Stage] = ()) -> Picture:
        """A state and what moves make of it, one picture after another, such as a solution.

        >>> import puzzlekit
        >>> puzzlekit.load("rotation").strip("412/653/789", "AAABBB")
        <Picture of rotation: 412/653/789, 6 moves>

        Args:
            state: The state.
            moves: The names of the moves.
            stages: The parts of the solution, if it has parts.

        Raises:
            MoveError: A move cannot be made; the message says after which.
        """
        from puzzlekit.draw.svg import Picture
        from puzzlekit.puzzle.strip import stills
        from puzzlekit.view.view import view_of

        view, names = view_of(self), tuple(moves)
        text = self.read(state)
        svg = view.strip(stills(self, view, text, names, stages))
        return Picture(svg, f"{self}: {text}, {len(names)} move{'' if len(names) == 1 else 's'}")

    def solve(  # noqa: PLR0913 - each is an option of a run
        self,
        state: str,
        solver: SolverFunction | None = None,
        *,
        max_states: int = 20_000_000,
        memory: int | str | None = None,
        seconds: float | None = None,
        watch: Watch | None = None,
        goal: str | None = None,
        only_moves: Iterable[str] | None = None,
        distance: bool = False,
        cache: bool = True,
        every: int | None = None,
    ) -> SolveReport:
        """Moves from a state to the goal; for a game, the value of the state and best play.

        The moves of every solver are played through before they are believed. They are called optimal only if the
        solver says that this is proven. If a limit comes before the value of a game's state is known, the report has
        the best move so far, and `proven` is false. A limit that came
        before a proof is the report's `limit`.

        Args:
            state: The state.
            solver: A solver, as `puzzlekit.solvers` lists them, or a function of the puzzle and the state that returns
                the names of moves. If it is `None`, the puzzle's `default_solver`, which for most puzzles is
                `puzzlekit.optimal`.
            max_states: How many states the solver may store.
            memory: How many bytes they may take, as a number or as `"4GiB"`. If it is `None`, 70 % of the memory.
            seconds: How long it may take. If it is `None`, a proof takes as long as it takes, if it is to be expected
                at all, and otherwise the search for short solutions ends after some seconds.
            watch: As in `enumerate`.
            goal: Another goal than that of the rules: a state in which `?` stands for any symbol. The engine's own
                solver is asked.
            only_moves: The names of the moves that may be made; `None` for all. The engine's own solver is asked.
            distance: Whether, in a game, all best moves and the number of moves to the end are wanted, however long
                they take. Else they are told if they are not much more work than the value.
            cache: Whether tables may be kept in the user's cache folder, and taken from there.
            every: If it is a number, all solutions with as few moves are listed, too, up to so many.

        Raises:
            UnsolvableError: No moves lead to the goal.
            LimitError: A limit was reached and there is no answer, or the watch stopped the search.
            StateError: The text is no state of this puzzle, or the goal is none.
            PluginError: The solver failed, or its moves do not lead to the goal.
            UsageError: Another solver is to reach another goal, or there is no move of a given name.
        """
        from puzzlekit.puzzle.solving import solve
        from puzzlekit.run.checks import check_number
        from puzzlekit.run.engine import memory_limit
        from puzzlekit.run.solver import Budget

        if every is not None:
            check_number("every", every, 1, 2**31)
        budget = Budget(max_states, memory_limit(memory), seconds, distance, cache)
        names = None if only_moves is None else tuple(dict.fromkeys(map(str, only_moves)))
        return solve(self, state, solver, budget=budget, watch=watch, goal=goal, only_moves=names, every=every)

    def survey(  # noqa: PLR0913 - each is an option of a run
        self,
        solver: SolverFunction | None = None,
        *,
        phases: Iterable[str] = (),
        sample: int | None = None,
        seed: str | None = None,
        fewest: bool = False,
        listed: int = 10,
        max_states: int = 20_000_000,
        memory: int | str | None = None,
        seconds: float | None = None,
        watch: Watch | None = None,
    ) -> SurveyReport:
        """How many moves a method takes over all states that play can reach, beside the fewest.

        The moves of each answer are played through before they are counted. States that cannot be solved are counted
        apart.

        >>> from puzzlekit import load
        >>> report = load("slider:2,3").survey(phases=["0??/3??", "012/345"])
        >>> report.states, report.fewest.worst, [phase.lengths.worst for phase in report.phases], report.phases_worst
        (360, 21, [11, 20], 31)

        Args:
            solver: The method: a solver, as `puzzlekit.solvers` lists them, or a function such as `solve` takes. If it
                is `None`, the survey is about the fewest moves themselves.
            phases: Patterns: states in which `?` stands for any symbol. For each, the report has the fewest moves from
                every state that meets the patterns before it until it is met, too. In between, any moves may be made.
            sample: How many states to draw at random, rather than ask about all. The figures then have standard errors.
                Solved states are not drawn.
            seed: What draws the same states again; a random text if it is `None`.
            fewest: Whether to find the fewest moves of drawn states, too, by the engine's own solver.
            listed: How many of the states that take the most moves to list.
            max_states: How many states there may be, and how many the solver may store for each answer.
            memory: How many bytes may be taken, as a number or as `"4GiB"`. If it is `None`, 70 % of the memory.
            seconds: How long it may take. There is no limit if it is `None`. The report then has what is known by then.
            watch: As in `enumerate`.

        Raises:
            LimitError: A limit came before all states were found.
            PluginError: The solver failed, or its moves do not lead to the goal.
            StateError: A phase is no pattern of this puzzle.
            UsageError: It is a game, there is no goal, no state meets a phase, or an option makes no sense.
        """
        from puzzlekit.puzzle.surveying import SurveyOptions, survey
        from puzzlekit.run.engine import memory_limit
        from puzzlekit.run.solver import Budget

        patterns = (phases,) if isinstance(phases, str) else tuple(phases)
        options = SurveyOptions(patterns, sample, seed, bool(fewest), listed)
        return survey(self, solver, options, Budget(max_states, memory_limit(memory), seconds), watch)

    def why_unsolvable(self, state: str) -> str | None:
        """Why no moves lead from a state to the goal, if that is known without a search; `None` if it is not."""
        del state  # for puzzles that know
        return None

    def default_solver(self) -> Solver:
        """The solver that is used if none is asked for: `puzzlekit.optimal`. Puzzles may override it."""
        from puzzlekit.puzzle.solving import optimal

        return optimal

    def enumerate(  # noqa: PLR0913 - each is an option of a run
        self,
        *,
        max_depth: int | None = None,
        symmetry: bool = True,
        threads: int | None = None,
        watch: Watch | None = None,
        store: str = "auto",
        memory: int | str | None = None,
        out: str | PathLike[str] | None = None,
        backward: bool = False,
        disk: int | str | None = None,
        checkpoint: float | None = None,
        on: Runner | None = None,
        local: str | PathLike[str] | None = None,
    ) -> Report:
        """Counts all states that play can reach, by the number of moves from the start.

        The counts are exact and the same for any number of threads. States in which play is over are counted and not
        followed further.

        Args:
            max_depth: The last depth to count; all depths if it is `None`.
            symmetry: Whether states that a symmetry carries onto each other count as one in `states`.
            threads: How many threads to use; one for each core if it is `None`.
            watch: Called with the progress about twenty times a second. If it returns something true, the run stops,
                and its report has the depths that were completed.
            store: `"dense"` for a bit for each possible state, `"sparse"` for a packed word for each state that was
                found. If it is `"auto"`, the engine chooses, and the report says which and why.
            memory: How many bytes the process may take, as a number or as `"4GiB"`. If it is `None`, 70 % of the
                memory. If the sparse store needs more and there is a folder, the run goes on on disk.
            out: A folder that keeps each depth as soon as it is done. `puzzlekit.resume` goes on from there after any
                interruption.
            backward: Whether to count by the number of moves that a state needs to the goal. If the goal is a single
                state and no move loses what it overwrites, all states that can reach it are counted. Otherwise, the
                states that play can reach are counted, and those that cannot be solved apart, as `unsolvable`.
            disk: How many bytes the files in the folder may take, as a number or as `"1TiB"`. There is no limit if it
                is `None`.
            checkpoint: After how many seconds within a depth the part that is done is kept, too; 600 if it is `None`.
            on: Several processes that do it together, such as `puzzlekit.shards.executor("processes:2")`. They need
                `out`. `threads`, `memory` and `disk` are for each of them, and nothing is kept within a depth.
            local: With `on`: the folder in which each machine keeps the states that it works on. `out` has the rest
                then. `$NAME` in it stands for a variable of the machine's environment.

        Raises:
            UsageError: An option makes no sense.
            JobError: The folder holds something already.
            DiskError: A file cannot be written; the depths before are kept.
            KeyboardInterrupt: On Ctrl-C, within a tenth of a second or so.
        """
        from puzzlekit.run.options import RunOptions

        options = RunOptions(
            max_depth=max_depth,
            symmetry=bool(symmetry),
            threads=threads,
            store=store,
            memory=memory,
            backward=bool(backward),
            disk=disk,
            checkpoint=checkpoint,
        )
        place = None if out is None else self.job_folder(out)
        if local is not None:
            if on is None:
                raise UsageError(f"local is {local}, and that is for several processes; say which with on")
            from puzzlekit.run.checks import read_path

            place = None if place is None else dataclasses.replace(place, local=read_path("the local folder", local))
        if on is None:
            return self.engine.enumerate(str(self), options, watch, place)
        return on.enumerate(self.engine, str(self), options, place, watch)

    def values(  # noqa: PLR0913 - each is an option of a run
        self,
        *,
        symmetry: bool = True,
        threads: int | None = None,
        memory: int | str | None = None,
        watch: Watch | None = None,
        store: str = "auto",
        out: str | PathLike[str] | None = None,
        distances: bool | None = None,
        disk: int | str | None = None,
        checkpoint: float | None = None,
    ) -> ValuesReport:
        """The value of every state that play can reach: who wins if both play perfectly, or how far the goal is.

        >>> import puzzlekit
        >>> report = puzzlekit.load("tictactoe").values()
        >>> report.start, report.total("win"), report.longest.value.moves
        (StateValue(value='draw', moves=None), 390, 5)

        Args:
            symmetry: Whether states that a symmetry carries onto each other count as one.
            threads: How many threads to use; one for each core if it is `None`.
            memory: How many bytes the process may take, as a number or as `"4GiB"`. Without a folder, all states are
                held in memory; in games that only place marks, some bits for each; and if all moves of a puzzle can be
                undone and its goal is one state, what `enumerate` holds.
            watch: Called with the progress about twenty times a second. If it returns something true, the run stops,
                and its report is not complete.
            store: How states are held: `"auto"`, `"dense"` (as bits) or `"sparse"` (as words). A job that goes on keeps
                its store.
            out: A folder that keeps all states and their values. It is new, or holds a job that `enumerate` or `values`
                of this puzzle has begun, which goes on.
            distances: Whether the moves to the end must be counted. If it is `None`, a folder has them as it was begun.
                Otherwise they are then counted, except in games that only place marks, if there are millions of states:
                values alone take far less.
            disk: How many bytes the files in the folder may take, as in `enumerate`.
            checkpoint: How often a part of a depth is kept while states are found, as in `enumerate`.

        Raises:
            UsageError: An option makes no sense, or a puzzle has no goal.
            JobError: The folder holds something else, or a job that values cannot go on with.
            DiskError: A file cannot be written; what was kept before stays.
            LimitError: The values need more memory.
            KeyboardInterrupt: On Ctrl-C, within a tenth of a second or so.
        """
        from puzzlekit.run.options import RunOptions

        options = RunOptions(
            symmetry=bool(symmetry),
            threads=threads,
            store=store,
            memory=memory,
            disk=disk,
            checkpoint=checkpoint,
            distances=bool(distances),
        )
        if out is None:
            return self.engine.values(str(self), options, watch)
        return self.engine.values(str(self), options, watch, self.job_folder(out), distances)

    def plan(
        self,
        *,
        max_depth: int | None = None,
        symmetry: bool = True,
        store: str = "auto",
        memory: int | str | None = None,
        backward: bool = False,
    ) -> RunPlan:
        """How `enumerate` with these options would hold its states, without running it."""
        from puzzlekit.run.options import RunOptions

        options = RunOptions(
            max_depth=max_depth, symmetry=bool(symmetry), store=store, memory=memory, backward=bool(backward)
        )
        return self.engine.plan(str(self), options, self.count_reachable())

    def job_folder(self, folder: str | PathLike[str], *, resume: bool = False, drop_partial: bool = False) -> JobFolder:
        """What the engine notes about a job of this puzzle: the folder, and where the puzzle's rules come from."""
        from puzzlekit.run.checks import read_path
        from puzzlekit.run.options import JobFolder

        plugin, _, version = str(self.distribution).partition(" ")
        return JobFolder(
            read_path("the folder", folder),
            str(self),
            plugin,
            version,
            locator="" if plugin else _locator(type(self)),
            resume=resume,
            drop_partial=drop_partial,
        )


def _locator(kind: type[Puzzle]) -> str:
    """Where a class is defined: its file, a colon, and its name; empty if a job could not find it there again."""
    import os
    import sys

    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return "" if file is None or "." in kind.__qualname__ else f"{os.path.realpath(file)}:{kind.__qualname__}"
