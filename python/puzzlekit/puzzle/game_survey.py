"""Surveys a solver of a game: how often its moves keep the value of a state, over all states or over a sample."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from puzzlekit.errors import CorruptError, DiskError, LibraryError, LimitError, PluginError, UsageError
from puzzlekit.puzzle.solving import ask
from puzzlekit.puzzle.source import job_folder
from puzzlekit.puzzle.tally import Tally, lengths
from puzzlekit.run.ending import within
from puzzlekit.run.memory import peak_bytes
from puzzlekit.run.options import RunOptions
from puzzlekit.run.progress import Progress
from puzzlekit.run.random import Random
from puzzlekit.run.reached import StoppedError
from puzzlekit.run.seeds import seed_or_new
from puzzlekit.run.survey import Kept, Lengths, Sample, SurveyReport
from puzzlekit.run.temporary import temporary_folder
from puzzlekit.run.value_codes import DRAW, NAMES, SIGNS, TURNED, WIN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.puzzle.survey_options import SurveyOptions
    from puzzlekit.run.solver import Budget, Deadline, LooksUp, Solver

ROWS_AT_ONCE = 4096
"""The number of states that are expanded or looked up in one call."""


LookUp = Callable[[bytes], tuple[memoryview, memoryview]]
"""Looks up rows of states: returns the value of each, and its number of moves to the end or, with a score, the
points."""


def survey_game(  # noqa: PLR0913 - each is a part of the survey
    puzzle: Puzzle,
    solver: Solver | None,
    library: LooksUp | None,
    options: SurveyOptions,
    budget: Budget,
    deadline: Deadline,
) -> SurveyReport:
    """The survey of a game; see `puzzlekit.survey`."""
    if options.phases or options.fewest:
        given = "phases are" if options.phases else "fewest is"
        raise UsageError(f"{given} for puzzles, and {puzzle} is a game; leave that out")
    begun = time.perf_counter()
    with within(deadline):
        near = None if library is None else library.values_of(puzzle, every=options.sample is None)
        if near is not None:
            try:
                report = _surveyed(puzzle, solver, options, budget, deadline, near.look_up, begun)
                return replace(report, looked_up={near.name: report.looked_at})
            except (CorruptError, DiskError, LibraryError) as error:
                near.failed(error)
    with temporary_folder() as base:
        look_up = _values(puzzle, os.path.join(base, "job"), budget, deadline)
        return _surveyed(puzzle, solver, options, budget, deadline, look_up, begun)


def _surveyed(  # noqa: PLR0913 - each is a part of the survey
    puzzle: Puzzle,
    solver: Solver | None,
    options: SurveyOptions,
    budget: Budget,
    deadline: Deadline,
    look_up: LookUp,
    begun: float,
) -> SurveyReport:
    """The survey with the values of all states."""
    run = _GameRun(puzzle, solver, options, budget, deadline, look_up)
    stopped = None
    try:
        if options.sample is None:
            rows = run.all_open()
            run.over(rows, len(rows))
        else:
            run.over(run.drawn(options.sample), options.sample)
    except StoppedError:
        stopped = "seconds" if deadline.over else "watch"
    return run.report(stopped, time.perf_counter() - begun)


def _not_in_time(puzzle: Puzzle, deadline: Deadline) -> LimitError:
    stopped = "the time is not enough" if deadline.over else "the survey was stopped before it had time"
    return LimitError(f"{stopped} for the values of all states of {puzzle}, which a survey needs")


def _values(puzzle: Puzzle, folder: str, budget: Budget, deadline: Deadline) -> LookUp:
    """Finds the values of all states in a job in `folder`, and returns a function that looks them up."""
    many = False

    def watch(progress: Progress) -> bool:
        nonlocal many
        many = many or progress.states > budget.max_states
        return many or deadline(progress)

    report = puzzle.values(RunOptions(distances=True, memory=budget.memory), out=folder, watch=watch)
    if many:
        raise LimitError(f"play reaches more than {budget.max_states:,} states of {puzzle}; allow more")
    if not report.complete and report.stopped == "watch":
        raise _not_in_time(puzzle, deadline)
    if not report.complete:
        raise LimitError(f"the memory is not enough for the values of all states of {puzzle}, which a survey needs")
    found = puzzle.engine.lookup(job_folder(puzzle, folder))

    def look_up(rows: bytes) -> tuple[memoryview, memoryview]:
        values, moves, _ = found.rows(rows, 0)
        return memoryview(values), memoryview(moves).cast("i")

    return look_up


class _GameRun:
    """A survey of a game while it is made: its options, and what was found so far."""

    def __init__(  # noqa: PLR0913 - each is a part of the survey
        self,
        puzzle: Puzzle,
        solver: Solver | None,
        options: SurveyOptions,
        budget: Budget,
        deadline: Deadline,
        look_up: LookUp,
    ) -> None:
        self._puzzle, self._solver, self._options = puzzle, solver, options
        self._budget, self._deadline, self._look_up = budget, deadline, look_up
        self._engine = puzzle.engine
        self._width = self._engine.row_bytes
        self._states = self._looked_at = self._asked = self._unanswered = 0
        self._why_unanswered: str | None = None
        self._sample: Sample | None = None
        self._valued: Counter[int] = Counter()
        self._became: dict[int, Counter[int]] = {value: Counter() for value in NAMES}
        self._lost: dict[int, list[str]] = {value: [] for value in NAMES}
        self._slower: Counter[int] = Counter()
        self._points: Counter[int] = Counter()
        self._ends = Tally(options)
        """The states by the number of moves to the end or, in a game with a score, of points."""

    def report(self, stopped: str | None, seconds: float) -> SurveyReport:
        """Makes the report of what is known so far."""
        ends = self._ends.lengths() if self._ends else None
        kept = [
            Kept(
                NAMES[value],
                self._valued[value],
                {NAMES[after]: became[after] for after in NAMES} if self._solver is not None else None,
                tuple(self._lost[value]),
            )
            for value, became in self._became.items()
        ]

        def counted(counts: Counter[int]) -> Lengths | None:
            return lengths(counts, [], self._options) if counts else None

        return SurveyReport(
            puzzle=str(self._puzzle),
            complete=stopped is None,
            stopped=stopped,
            states=self._states,
            looked_at=self._looked_at,
            unsolvable=0,
            solver=None if self._solver is None else self._solver.__name__,
            sample=self._sample,
            lengths=None,
            fewest=None if self._engine.is_scored else ends,
            excess=counted(self._slower),
            stages=(),
            unanswered=self._unanswered,
            why_unanswered=self._why_unanswered,
            phases=(),
            seconds=seconds,
            peak_memory_bytes=peak_bytes(),
            values=tuple(kept),
            points_lost=counted(self._points),
            points=ends if self._engine.is_scored else None,
        )

    def over(self, rows: Iterable[bytes], states: int) -> None:
        """Looks up the states in `rows`, asks the solver for a move in each, and looks up the states after these.

        Args:
            rows: The states.
            states: How many there are.

        Raises:
            StoppedError: The time is over, or the watch stops it. The figures are then about the states that were
                looked at.
        """
        self._states = states
        block: list[bytes] = []
        for row in rows:
            block.append(row)
            if len(block) == ROWS_AT_ONCE:
                self._look(block)
                block = []
        self._look(block)

    def _look(self, rows: list[bytes]) -> None:
        self._go_on()
        if not rows:
            return
        joined = b"".join(rows)
        values, ends = self._looked_up(joined)
        texts = self._engine.decode(joined)
        answered: list[int] = []
        after: list[str] = []
        asked = 0
        try:
            for place, state in enumerate(texts):
                move = None if self._solver is None else self._move(self._solver, state)
                asked = self._asked = place + 1
                if move is not None:
                    answered.append(place)
                    after.append(self._engine.apply(state, move))
        finally:  # also if the time is over within these states, so that all figures are about the same ones
            self._asked = 0
            reached = bytes(self._engine.encode(after)) if after else b""
            later, left = self._looked_up(reached) if after else ((), ())
            for place in range(asked):
                self._looked_at += 1
                self._valued[values[place]] += 1
                self._add_end(texts[place], values[place], ends[place])
            # The last byte of a row is the player to move. If the move passed the turn on, the value is for the other
            # player.
            movers = reached[self._width - 1 :: self._width]
            for place, value, moves, mover in zip(answered, later, left, movers, strict=True):
                got = value if mover == rows[place][-1] else TURNED[value]
                self._add(texts[place], (values[place], ends[place]), (got, moves))

    def _here(self) -> Progress:
        done = self._looked_at + self._asked
        return Progress(frontier=self._states, expanded=done, states=done)

    def _go_on(self) -> None:
        """Raises `StoppedError` if the time is over, or if the watch stops the survey."""
        if self._deadline(self._here()):
            raise StoppedError

    def _looked_up(self, rows: bytes) -> tuple[memoryview, memoryview]:
        """The values of some rows. If the time is over, or the watch says to stop, the survey ends."""
        try:
            return self._look_up(rows)
        except LimitError:
            self._go_on()
            raise

    def _add_end(self, state: str, value: int, left: int) -> None:
        """Counts a state by its number of moves to the end, which a draw does not have; with a score, by its points."""
        if self._engine.is_scored:
            left = SIGNS[value] * max(left, 0)
        elif value == DRAW:
            return
        self._ends.add(left, state)

    def _add(self, state: str, best: tuple[int, int], got: tuple[int, int]) -> None:
        """Counts the value of a state before and after the solver's move, both for the player who makes the move."""
        (value, end), (after, left) = best, got
        self._became[value][after] += 1
        if self._engine.is_scored:
            lost = SIGNS[value] * max(end, 0) - SIGNS[after] * max(left, 0)
            self._points[lost] += 1
        else:
            lost = int(after > value)
            if value == after == WIN:
                self._slower[left + 1 - end] += 1
        if lost and len(self._lost[value]) < self._options.listed:
            self._lost[value].append(state)

    def _move(self, solver: Solver, state: str) -> str | None:
        """The move that the solver makes in a state; `None` if it finds none within its limits."""
        self._go_on()
        here = self._here()
        try:
            answer = ask(solver, self._puzzle, state, self._budget, lambda _: self._deadline(here))
        except LimitError as error:
            if self._deadline(here):
                raise StoppedError from error
            self._unanswered += 1
            self._why_unanswered = self._why_unanswered or str(error)
            return None
        move = next(iter(answer.best or answer.moves), None)
        if move is None or move not in self._engine.legal_moves(state):
            fault = "names no move" if move is None else f"names the move {move!a}, which cannot be made"
            raise PluginError(f"the solver {solver.__name__} {fault} in {state}; report it")
        return move

    def all_open(self) -> list[bytes]:
        """All states that play can reach and in which it goes on, those with the fewest moves from the start first.

        Raises:
            LimitError: There are too many, the time is over, or the watch stops it.
        """
        width, expand = self._width, self._engine.expand
        depth = [bytes(self._engine.encode([self._puzzle.start]))]
        seen, goes_on = set(depth), list[bytes]()
        while depth:
            found: list[bytes] = []
            for begin in range(0, len(depth), ROWS_AT_ONCE):
                block = depth[begin : begin + ROWS_AT_ONCE]
                if self._deadline(Progress(states=len(seen))):
                    raise _not_in_time(self._puzzle, self._deadline)
                children, parents, _ = expand(b"".join(block))
                goes_on += (block[place] for place in sorted(set(parents)))
                made = bytes(children)
                for at in range(0, len(made), width):
                    row = made[at : at + width]
                    if row not in seen:
                        seen.add(row)
                        found.append(row)
                if len(seen) > self._budget.max_states:
                    raise LimitError(
                        f"play reaches more than {self._budget.max_states:,} states of {self._puzzle}; "
                        "allow more, or ask about a random sample"
                    )
            depth = found
        return goes_on

    def drawn(self, size: int) -> Iterator[bytes]:
        """Draws states at random: one from each random play, in which all states but the last are equally likely."""
        seed = seed_or_new(self._options.seed)
        self._sample = Sample(
            size, seed, "of one random play each, in which every state but the last is equally likely"
        )
        start = bytes(self._engine.encode([self._puzzle.start]))
        for place in range(1, size + 1):
            random = Random(f"{self._puzzle}/{seed} {place}")
            play = [start]
            while len(play) <= self._longest():
                children, _, moves = self._engine.expand(play[-1])
                if not len(moves):
                    break
                chosen = random.below(len(moves)) * self._width
                play.append(bytes(children)[chosen : chosen + self._width])
            else:
                play.append(start)  # play may have no end; the last state is left out below
            if len(play) < 2:
                raise UsageError(f"play is over in the start of {self._puzzle}, so there is no state to draw")
            yield play[random.below(len(play) - 1)]

    def _longest(self) -> int:
        """The number of moves after which a random play is ended."""
        return 10 * self._engine.notation.cells
