"""A puzzle or game: a family of boards as a frozen dataclass, whose fields are the parameters of the family."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, ClassVar, Self, Unpack

from puzzlekit.describe import parameters
from puzzlekit.describe.rules import Rules
from puzzlekit.errors import PluginError, PuzzlekitError, UsageError, one_line, plugin_code
from puzzlekit.puzzle import declaration
from puzzlekit.run.defaults import MAX_STATES

# The modules that run a puzzle are imported when they are first needed. A list of puzzles runs none.
if TYPE_CHECKING:
    import datetime
    from builtins import property as cached_property  # pyright takes no other kind for a property of a protocol
    from collections.abc import Iterable, Sequence
    from os import PathLike

    from puzzlekit.draw.svg import Picture
    from puzzlekit.puzzle.arrays import Arrays
    from puzzlekit.run.answers import ScrambleReport, SolveReport
    from puzzlekit.run.engine import Engine
    from puzzlekit.run.job_parts import JobFolder
    from puzzlekit.run.options import RunKeywords, RunOptions
    from puzzlekit.run.plans import RunPlan
    from puzzlekit.run.report import Report
    from puzzlekit.run.runner import Runner
    from puzzlekit.run.scrambler import ScramblerFunction
    from puzzlekit.run.solver import LooksUp, Solver, SolverFunction
    from puzzlekit.run.values import ValuesReport
    from puzzlekit.run.watch import Watch
    from puzzlekit.view.view import View
else:
    from functools import cached_property


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

    A state is a text, such as `X.O/.../...:X`, and `start` is the text of the start. All methods that take a state read
    it as people type it.
    """

    id: ClassVar[str]
    distribution: ClassVar[object] = ""
    """The distribution that defines the puzzle, with its version. Its `str` is the text of both. The plugin sets it."""

    def rules(self) -> Rules:
        """The rules, as data. The engine asks for them once, and compiles them."""
        raise NotImplementedError(f"{type(self).__name__} has no rules; define rules(self)")

    def __init_subclass__(cls, *, has_identity: bool = False, **options: object) -> None:
        """Checks the body of a puzzle's class as soon as it is defined.

        Args:
            has_identity: Whether the class has its own text id, equality and hash. Classes of authors have not.
            options: For other base classes.

        Raises:
            PluginError: Something is not declared as it should be; the message says what to write instead.
        """
        super().__init_subclass__(**options)
        declaration.check_body(cls, Puzzle, has_identity=has_identity)

    def __new__(cls, *_values: object, **_named_values: object) -> Self:
        """Checks the class once more, and makes a puzzle.

        Raises:
            PluginError: The type has no valid `id`, or is no frozen dataclass.
        """
        declaration.check_made(cls)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        parameters.check(self, self.id)

    def __str__(self) -> str:
        declared = dataclasses.fields(self)  # type: ignore[arg-type]
        fields = [(field.name, getattr(self, field.name), field.default) for field in declared]
        if all(value == default for _, value, default in fields):
            return self.id
        values = ((name, str(value).lower() if isinstance(value, bool) else value) for name, value, _ in fields)
        return f"{self.id}:{','.join(f'{name}={value}' for name, value in values)}"

    def __reduce__(self) -> tuple[Any, ...]:
        # A pickle lacks the compiled engine. The engine is compiled anew when it is first needed.
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}  # type: ignore[arg-type]
        return _make, (type(self), values)

    @cached_property
    def engine(self) -> Engine:
        """The compiled rules, which equal puzzles share.

        Raises:
            RulesError: The rules contradict themselves.
            PluginError: `rules` failed, or returned something else.
        """
        from puzzlekit.run.engine_cache import compiled

        return compiled(type(self), str(self), self._compile)

    def _compile(self) -> Engine:
        from puzzlekit.run.engine import Engine

        try:
            with plugin_code():
                rules = self.rules()
            if not isinstance(rules, Rules):
                raise PluginError(f"rules() returned {type(rules).__name__}; return a puzzlekit.Rules")
            return Engine(rules)
        except PuzzlekitError as error:
            raise type(error)(f"{self}: {error}") from error
        except (Exception, SystemExit) as error:  # rules() may fail in any way
            raise PluginError(f"{self}: rules() failed with {one_line(error)}") from error

    @cached_property
    def arrays(self) -> Arrays:
        """Operations on many states at a time, as arrays: `encode`, `decode`, `expand`, and numbers in an index."""
        from puzzlekit.puzzle.arrays import Arrays

        return Arrays(self.engine)

    @property
    def start(self) -> str:
        """The text of the state in which play starts."""
        return self.engine.start

    def read(self, state: str) -> str:
        """A state, given as people type it, in the form in which puzzlekit writes it.

        Raises:
            StateError: The text is no state of this puzzle; the message says why.
        """
        notation = self.engine.notation
        return notation.write(*notation.read(state))

    def legal_moves(self, state: str) -> list[str]:
        """The names of the moves that can be made, in the order of the rules. There are none if play is over."""
        return self.engine.legal_moves(state)

    def apply(self, state: str, move: str | Iterable[str]) -> str:
        """The state after a move, or after several.

        >>> import puzzlekit
        >>> puzzlekit.load("rotation").apply("412/653/789", "A A A B B B")
        '123/456/789'
        >>> puzzlekit.load("rotation").apply("412/653/789", ["A", "A", "A", "B", "B", "B"])
        '123/456/789'

        Args:
            state: The state.
            move: The name of a move; or several names, in a list or with spaces between them. In such a text, names
                that contain spaces are quoted.

        Raises:
            MoveError: A move cannot be made when it is its turn; the message lists those that can be made then.
        """
        if isinstance(move, str | int):
            return self.engine.apply_all(state, str(move))
        from puzzlekit.run.checks import read_texts

        state = self.read(state)
        for name in read_texts("move", move, "the names of moves"):
            state = self.engine.apply(state, name)
        return state

    def outcome(self, state: str) -> str | None:
        """Says how play ended: the player who won, `"draw"`, or another word of the rules; `None` if it goes on.

        A puzzle without any move left is `"solved"` or `"stuck"`.
        """
        return self.engine.outcome(state)

    def is_solved(self, state: str) -> bool:
        """Returns `True` if the state satisfies the goal, and always `False` if the rules have none."""
        return self.engine.is_solved(state)

    def canonical(self, state: str) -> str:
        """The state that stands for a state's whole orbit under the symmetries.

        It is the smallest image of the state. Images are compared first by the player to move, and then cell by cell
        from cell 0 on, each symbol by its place in the rules' list.
        """
        return self.engine.canonical(state)

    def key(self, state: str) -> int:
        """A 128-bit key of a state's orbit under the symmetries, the same on every platform and in every version.

        It is the big-endian number of `hashlib.blake2b(row, digest_size=16, person=b"puzzlekit-key-1")`. There, `row`
        is the canonical form as bytes: one for the player to move (0 in a puzzle), and one for each cell, which is its
        symbol's place in the rules' list.
        """
        return self.engine.key(state)

    def count_reachable(self) -> int | None:
        """The number of states that play can reach, if it is known without a search; `None` if it is not.

        It is known if the moves permute and twist pieces, up to some hundred stickers, unless pieces look alike and the
        moves can do little with them. It is also known if the moves toggle cells, or advance them in circles of a prime
        number of symbols. Puzzles that know their number override this method.
        """
        if self.engine.toggles:
            return int(2 ** self.engine.toggles[0])
        if self.engine.dials:
            return int(self.engine.dials[0] ** self.engine.dials[1])
        return self.engine.group_states

    def scramble(
        self, seed: str | None = None, *, moves: int | None = None, scrambler: ScramblerFunction | None = None
    ) -> ScrambleReport:
        """A random state, the same for the same seed on every platform and in every version.

        In the state, the puzzle is not solved and play is not over. With `moves`, the state comes after that many
        random moves from the start, none of which undoes the one before it.

        Without `moves`, each state that play can reach is equally likely, if the moves permute and twist pieces, toggle
        cells or turn dials, or if play reaches at most 200,000 states; of these, states that cannot be solved are not
        drawn. Otherwise, a random walk is made, of 100 moves for each cell or of one more. If play is over before that,
        the state is one that the walk passed. `method` of the report says which way it was.

        Args:
            seed: Any text. If it is `None`, a random text.
            moves: How many moves to make, at least 1.
            scrambler: A scrambler, as `puzzlekit.scramblers` lists them, or a function of the puzzle and random numbers
                that returns a state or the names of moves. If it is `None`, the puzzle's own way is used.

        Raises:
            UsageError: No such state was found, or a number makes no sense.
            PluginError: The scrambler failed, or its state is not reached by play, or is solved or over.
        """
        from puzzlekit.puzzle.scrambling import scramble

        return scramble(self, seed, moves, scrambler)

    def daily(self, date: str | datetime.date) -> ScrambleReport:
        """The random state of a day, given as `YYYY-MM-DD` or as a `datetime.date`: the same for the whole world.

        Raises:
            UsageError: The text is no date.
        """
        from puzzlekit.puzzle.scrambling import seed_of_day

        return self.scramble(seed_of_day(date))

    def number(self, state: str) -> int | None:
        """The number of a state, in puzzles that number their states; `None` in others. `numbered` is the inverse.

        Scrambles, `play` and `info` show the number, so that a state can be named by it and played again.
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
        """Help before the first move, such as the goal and the names of moves, in lines; or an empty text.

        `play`, `scramble` and `info` show it.
        """
        return ""

    def board(self, state: str, moves: Sequence[str] = ()) -> str:
        """A state as rows of symbols for people to look at, after the moves of a play if they matter.

        `play` shows this text, and adds a line that says who is to move.
        """
        del moves  # for puzzles that show them
        return self.engine.notation.board(state)

    def view(self) -> View:
        """The data for drawing states and making moves by hand. They follow from the rules, if not overridden.

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
        from puzzlekit.run.checks import read_texts
        from puzzlekit.view.view import view_of

        text = self.read(state)
        moves = read_texts("moves", moves, "the names of moves")
        return Picture(view_of(self).draw(text, moves), f"{self}: {text}")

    def _repr_html_(self) -> str:
        """The picture that Jupyter shows: the start."""
        from puzzlekit.draw.html import text

        about = (type(self).__doc__ or "").partition("\n")[0]
        try:
            return f"<div>{text(self, 'b')}{text(about)}{self.picture(self.start)}</div>"
        except PuzzlekitError as error:
            return f"<div>{text(self, 'b')}{text(about)}{text(error)}</div>"

    def solve(  # noqa: PLR0913 - each is an option of a run
        self,
        state: str,
        solver: SolverFunction | None = None,
        *,
        library: LooksUp | None = None,
        max_states: int = MAX_STATES,
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

        The moves of every solver are played through before they are believed. They are called optimal only if this is
        proven. If a limit comes before the value of a game's state is known, the report has the best move so far, and
        `proven` is false. If a limit comes before a proof, the report names it in `limit`.

        Args:
            state: The state.
            solver: A solver, as `puzzlekit.solvers` lists them, or a function of the puzzle and the state that returns
                the names of moves. If it is `None`, the puzzle's `default_solver`, which for most puzzles is
                `puzzlekit.optimal`.
            library: A `Library`, in which the state is looked up first. Then the report names it, and what is proven is
                so by that library. The solver is asked if the library does not have the state.
            max_states: How many states the solver may store.
            memory: How many bytes these states may take, as a number or as `"4GiB"`. If it is `None`, 70 % of the
                memory.
            seconds: How long the search may take. If it is `None`, it goes on until the proof, if one is to be expected
                at all; otherwise, the search for short solutions ends after some seconds.
            watch: As in `enumerate`.
            goal: Another goal than that of the rules: a state in which `?` stands for any symbol. The engine's own
                solver is asked.
            only_moves: The names of the moves that may be made; `None` for all. The engine's own solver is asked.
            distance: In a game, whether all best moves and the number of moves to the end are wanted, however long that
                takes. If not, the answer has them only if they are hardly more work than the value.
            cache: Whether tables may be kept in the user's cache folder, and read from there.
            every: If it is a number, all solutions with the fewest moves are listed, too, but at most this many.

        Raises:
            UnsolvableError: No moves lead to the goal.
            LimitError: A limit was reached and there is no answer, or the watch stopped the search.
            StateError: The text is no state of this puzzle, or the text of the goal fits no state.
            PluginError: The solver failed, or its moves do not lead to the goal.
            UsageError: `goal` or `only_moves` is given with another solver than the engine's own, or there is no move
                of a given name.
        """
        from puzzlekit.puzzle.solving import solve
        from puzzlekit.run.checks import check_library, check_number, check_text, read_texts
        from puzzlekit.run.engine.machine import memory_limit
        from puzzlekit.run.solver import Budget

        check_number("every", every, 1, 2**31)
        check_text("goal", goal, "a state in which ? stands for any symbol")
        check_library(library)
        budget = Budget(max_states, memory_limit(memory), seconds, distance, cache)
        if library is not None and (goal is not None or only_moves is not None):
            raise UsageError(
                "a library has the goal and the moves of the rules, and others are asked for; leave it out"
            )
        if library is not None:
            solver = library.before(self, solver)
        allowed = () if only_moves is None else read_texts("only_moves", only_moves, "the names of moves")
        names = None if only_moves is None else tuple(dict.fromkeys(allowed))
        return solve(self, state, solver, budget=budget, watch=watch, goal=goal, only_moves=names, every=every)

    def why_unsolvable(self, state: str) -> str | None:
        """Says why no moves lead from a state to the goal, if that is known without a search; `None` if it is not."""
        del state  # for puzzles that know
        return None

    def default_solver(self) -> Solver:
        """The solver that is used if none is asked for: `puzzlekit.optimal`. Puzzles may override it."""
        from puzzlekit.puzzle.solving import optimal

        return optimal

    def enumerate(
        self,
        run: RunOptions | None = None,
        *,
        out: str | PathLike[str] | None = None,
        on: Runner | None = None,
        watch: Watch | None = None,
        **options: Unpack[RunKeywords],
    ) -> Report:
        """Counts all states that play can reach, by the number of moves from the start.

        The counts are exact and the same for any number of threads. States in which play is over are counted, but have
        no successors.

        >>> import puzzlekit
        >>> report = puzzlekit.load("tictactoe").enumerate(max_depth=2, threads=1)
        >>> [depth.states for depth in report.depths]
        [1, 3, 12]

        Args:
            run: The options of the run, if they were made before.
            out: A folder that keeps each depth as soon as it is done. `puzzlekit.resume` goes on from there after any
                interruption.
            on: Several processes that count together, such as `puzzlekit.shards.executor("processes:2")`. They need
                `out`. `threads`, `memory` and `disk` are for each of them, and no part of an unfinished depth is kept.
            watch: Called with the progress about twenty times a second. If it returns something true, the run stops,
                and its report has the depths that were completed.
            options: Options by their names, such as `max_depth=3, threads=2`. `puzzlekit.RunOptions` lists them. They
                replace the values in `run`.

        Raises:
            UsageError: An option makes no sense.
            JobError: The folder holds something already.
            DiskError: A file cannot be written; the depths that are finished are kept.
            KeyboardInterrupt: On Ctrl-C, within a tenth of a second or so.
        """
        from puzzlekit.run.options import RunOptions

        asked = RunOptions.of(run, options)
        asked.refuse("enumerate", "distances", "grundy", "starts")
        _check_on(on, asked)
        folder = None if out is None else _job_folder(self, out, asked)
        if on is None:
            return self.engine.enumerate(str(self), asked, watch, folder)
        return on.enumerate(self.engine, str(self), asked, folder, watch)

    def values(
        self,
        run: RunOptions | None = None,
        *,
        out: str | PathLike[str] | None = None,
        on: Runner | None = None,
        watch: Watch | None = None,
        **options: Unpack[RunKeywords],
    ) -> ValuesReport:
        """The value of every state that play can reach: who wins if both play perfectly, or how far the goal is.

        Without a folder, memory holds all states; in games that only place marks, some bits for each possible state;
        and if all moves of a puzzle can be undone, as much as `enumerate` holds, and a list of the goals.

        >>> import puzzlekit
        >>> report = puzzlekit.load("tictactoe").values()
        >>> report.start, report.total("win"), report.longest.value.moves
        (StateValue(value='draw', moves=None, score=None, grundy=None), 390, 5)

        Args:
            run: The options of the run, if they were made before.
            out: A folder that keeps all states and their values. It is new, or holds a job of this puzzle that
                `enumerate` or `values` has begun, which is resumed with its store.
            on: Several processes that work together, as in `enumerate`. They need `out`.
            watch: Called with the progress about twenty times a second. If it returns something true, the run stops,
                and its report is not complete.
            options: Options by their names, such as `threads=2, distances=True`. `puzzlekit.RunOptions` lists them.
                `max_depth` and `backward` cannot be given, since values are those of all depths.

        Raises:
            UsageError: An option makes no sense, or a puzzle has no goal.
            JobError: The folder holds something else, or a job that cannot get values.
            DiskError: A file cannot be written; what was kept before is still there.
            LimitError: The values need more memory.
            KeyboardInterrupt: On Ctrl-C, within a tenth of a second or so.
        """
        from puzzlekit.run.options import RunOptions

        asked = RunOptions.of(run, options)
        asked.refuse("values", "max_depth", "backward")
        _check_on(on, asked)
        folder = None if out is None else _job_folder(self, out, asked)
        if on is None:
            return self.engine.values(str(self), asked, watch, folder)
        return on.values(self.engine, str(self), asked, folder, watch)

    def plan(self, run: RunOptions | None = None, *, kept: bool = False, **options: Unpack[RunKeywords]) -> RunPlan:
        """The plan of `enumerate` with the same options: the store that would hold the states. Nothing is counted.

        Args:
            run: The options, if they are made already.
            kept: Whether a job would keep the run, as with `out`.
            **options: The options one by one.
        """
        from puzzlekit.run import overridable
        from puzzlekit.run.options import RunOptions

        asked = RunOptions.of(run, options)
        asked.refuse("plan", "distances", "grundy", "starts")
        return self.engine.plan(str(self), asked, overridable.count_reachable(self), kept=kept)


def _job_folder(puzzle: Puzzle, out: str | PathLike[str], asked: RunOptions) -> JobFolder:
    """The folder of a job of a puzzle. It is imported here, since most runs keep no job."""
    from puzzlekit.puzzle.source import job_folder

    return job_folder(puzzle, out, local=asked.local)


def _check_on(on: Runner | None, asked: RunOptions) -> None:
    """Raises an error if `on` is no executor, or if it is missing although an option is for several processes."""
    if asked.local is not None and on is None:
        raise UsageError(f"local is {asked.local}, and that is for several processes; say which with on")
    if on is not None and not hasattr(on, "enumerate"):
        raise UsageError(f'on is {on!r}; give an executor, such as puzzlekit.shards.executor("processes:2")')
