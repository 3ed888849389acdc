"""Surveys a method over all states of a puzzle, or over a sample; and finds the most moves that each phase needs."""

from __future__ import annotations

import dataclasses
import os
import time
from collections import Counter
from itertools import compress, islice, pairwise
from typing import TYPE_CHECKING

from puzzlekit.errors import JobError, LimitError, PluginError, UnsolvableError, UsageError
from puzzlekit.puzzle.phases import check_fits, checked_phases, never_met
from puzzlekit.puzzle.solving import ask, fault_of_answer, fault_of_solution, optimal, solve
from puzzlekit.puzzle.source import job_folder
from puzzlekit.puzzle.survey_options import SurveyOptions
from puzzlekit.puzzle.tally import Tally
from puzzlekit.run import overridable
from puzzlekit.run.answers import Stage
from puzzlekit.run.checks import check_is_puzzle, check_library, read_texts
from puzzlekit.run.defaults import MAX_STATES
from puzzlekit.run.ending import within
from puzzlekit.run.engine.answers import METHODS
from puzzlekit.run.engine.folders import job_status
from puzzlekit.run.engine.machine import memory_limit
from puzzlekit.run.memory import peak_bytes
from puzzlekit.run.options import RunOptions
from puzzlekit.run.progress import Progress
from puzzlekit.run.random import Random
from puzzlekit.run.reached import NO_DISTANCE, Reached, StoppedError
from puzzlekit.run.seeds import seed_or_new
from puzzlekit.run.solver import Budget, Deadline, as_solver
from puzzlekit.run.survey import Lengths, PhaseLengths, Sample, StageLengths, SurveyReport
from puzzlekit.run.temporary import temporary_folder

if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterable, Iterator

    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.answers import SolveReport
    from puzzlekit.run.solver import Answer, LooksUp, Solver, SolverFunction
    from puzzlekit.run.watch import Watch

MOST_ONE_BY_ONE = 10**6
"""A survey that is only about the fewest moves holds its states one by one, up to this many. If there are more, and a
count back from the goal can find the fewest moves, it makes such a count."""

WALK_PER_CELL = 100
"""A state is drawn by a random walk of this many moves for each cell of the board, as for the engine's scrambles."""


def survey(  # noqa: PLR0913 - each is an option of a survey
    puzzle: Puzzle,
    solver: SolverFunction | None = None,
    *,
    library: LooksUp | None = None,
    phases: Iterable[str] = (),
    sample: int | None = None,
    seed: str | None = None,
    fewest: bool = False,
    listed: int = 10,
    max_states: int = MAX_STATES,
    memory: int | str | None = None,
    seconds: float | None = None,
    watch: Watch | None = None,
) -> SurveyReport:
    """Counts how many moves a method takes over all states that play can reach, beside the fewest.

    The moves of each answer are played through before they are counted. States that cannot be solved are counted
    separately.

    For a game, the report has the values of all states in which play goes on, and their numbers of moves to the end.
    With a solver, it also has the values after the first move that the solver names in each state.

    >>> from puzzlekit import load, survey
    >>> report = survey(load("slider:2,3"), phases=["0??/3??", "012/345"])
    >>> report.states, report.fewest.worst, [phase.lengths.worst for phase in report.phases], report.phases_worst
    (360, 21, [11, 20], 31)

    Args:
        puzzle: The puzzle.
        solver: The method: a solver, as `puzzlekit.solvers` lists them, or a function such as `solve` takes. If it
            is `None`, the survey is about the fewest moves themselves.
        library: A `Library`, in which the fewest moves of drawn states are looked up before they are searched, and the
            values of all states of a game. The report's `looked_up` says how many are from there.
        phases: Patterns: states in which `?` stands for any symbol. For each, the report has the fewest moves from
            every state that meets the patterns before it until it is met, too. In between, any moves may be made.
        sample: How many states to draw at random, instead of asking about all. The figures then have standard errors.
            Solved states are not drawn.
        seed: The text that draws the same states again; a random text if it is `None`.
        fewest: Whether to find the fewest moves of drawn states, too, by the engine's own solver.
        listed: How many of the states that take the most moves to list.
        max_states: How many states there may be, and how many the solver may store for each answer. There is an
            exception if there is no solver and no phase, and if each move can be undone and nothing ends play: then
            more than a million states are only counted, and there may be any number. Of those that take the most moves,
            one of each orbit is listed.
        memory: How many bytes may be taken, as a number or as `"4GiB"`. If it is `None`, 70 % of the memory.
        seconds: How long the survey may take; no limit if it is `None`. The report has what is known by then.
        watch: As in `Puzzle.enumerate`.

    Raises:
        LimitError: A limit was reached before all states were found.
        PluginError: The solver failed, or its moves do not lead to the goal.
        StateError: A phase is no pattern of this puzzle.
        UsageError: There is no goal, no state meets a phase, or an option makes no sense.
    """
    check_is_puzzle(puzzle)
    check_library(library)
    patterns = (phases,) if isinstance(phases, str) else read_texts("phases", phases, "patterns")
    options = SurveyOptions(patterns, sample, seed, bool(fewest), listed)
    return _survey(puzzle, solver, library, options, Budget(max_states, memory_limit(memory), seconds), watch)


def _survey(  # noqa: PLR0913 - each is a part of the survey
    puzzle: Puzzle,
    solver: SolverFunction | None,
    library: LooksUp | None,
    options: SurveyOptions,
    budget: Budget,
    watch: Watch | None,
) -> SurveyReport:
    engine = puzzle.engine
    if engine.is_game:
        from puzzlekit.puzzle.game_survey import survey_game

        method = None if solver is None else as_solver(solver)
        each = dataclasses.replace(budget, seconds=None)
        return survey_game(puzzle, method, library, options, each, Deadline(budget.seconds, watch))
    if not engine.has_goal and (solver is not None or not options.phases):
        raise UsageError(f"{puzzle} has no goal to reach; give phases, or give it a goal, as in Rules(..., goal=...)")
    deadline = Deadline(budget.seconds, watch)
    method = None if solver is None else as_solver(solver)
    run = _Run(puzzle, method, library, options, dataclasses.replace(budget, seconds=None), deadline)
    begun, stopped = time.perf_counter(), None
    try:
        with within(deadline):
            if options.sample is None:
                run.over_all()
            else:
                run.over_sample(options.sample)
    except MemoryError:
        raise LimitError(
            f"there is not enough memory for all states of {puzzle}; allow fewer states, or ask about a random sample"
        ) from None
    except StoppedError:
        stopped = "seconds" if deadline.over else "watch"
        if run.states is None:
            limit = f"within {budget.seconds:g} seconds" if deadline.over else "before the survey was stopped"
            raise LimitError(
                f"not all states of {puzzle} were found {limit}; give more, or ask about a random sample"
            ) from None
    return run.report(stopped, time.perf_counter() - begun)


class _Run:
    """A survey while it is made: its options, and what was found so far."""

    def __init__(  # noqa: PLR0913 - each is a part of the survey
        self,
        puzzle: Puzzle,
        solver: Solver | None,
        library: LooksUp | None,
        options: SurveyOptions,
        budget: Budget,
        deadline: Deadline,
    ) -> None:
        self._puzzle, self._solver, self._options = puzzle, solver, options
        self._budget, self._deadline = budget, deadline
        self.states: int | None = None
        self._looked_at = self._unsolvable = self._unanswered = 0
        self._why_unanswered: str | None = None
        self._sample: Sample | None = None
        self._fewest: Lengths | None = None
        self._phases: list[PhaseLengths] = []
        self._taken, self._excess, self._needed = Tally(options), Tally(options), Tally(options)
        self._stages: dict[str, Tally] = {}
        self._proves = optimal if library is None else library.before(puzzle, optimal)
        self._looked_up: Counter[str] = Counter()

    def report(self, stopped: str | None, seconds: float) -> SurveyReport:
        """Makes the report of what is known so far."""
        solver, taken, excess, needed = self._solver, self._taken, self._excess, self._needed
        over_all = self._options.sample is None
        return SurveyReport(
            puzzle=str(self._puzzle),
            complete=stopped is None,
            stopped=stopped,
            states=self.states or 0,
            looked_at=self._looked_at,
            unsolvable=self._unsolvable,
            solver=None if solver is None else solver.__name__,
            sample=self._sample,
            lengths=None if solver is None else taken.lengths(),
            fewest=self._fewest if over_all else needed.lengths() if needed else None,
            excess=excess.lengths() if excess else None,
            stages=tuple(StageLengths(name, tally.lengths()) for name, tally in self._stages.items()),
            unanswered=self._unanswered,
            why_unanswered=self._why_unanswered,
            phases=tuple(self._phases),
            seconds=seconds,
            peak_memory_bytes=peak_bytes(),
            looked_up=dict(self._looked_up),
        )

    def over_all(self) -> None:
        """Finds all states, the fewest moves of each and of each phase, and asks the solver about each."""
        phases = self._options.phases
        read = checked_phases(self._puzzle, phases) if phases else []
        reached = self._reached()
        if reached is None:
            self._count()
            return
        self.states = reached.count
        everything = b"\1" * reached.count
        fewest: array[int] | None = None
        if self._puzzle.engine.has_goal:
            fewest = reached.distances(reached.solved())
            self._fewest, self._unsolvable = self._lengths(reached, fewest, everything)
        met = everything
        for text, (_, pattern) in zip(phases, read, strict=True):
            before, met = met, reached.meeting(pattern)
            if 1 not in met:
                raise never_met(text)
            lengths, unsolvable = self._lengths(reached, reached.distances(met), before)
            self._phases.append(PhaseLengths(text, met.count(1), lengths, unsolvable))
        if self._solver is not None and fewest is not None:
            self._ask_all(self._solver, reached, fewest)
        self._looked_at = self.states

    def _reached(self) -> Reached | None:
        """Finds all states and holds them one by one.

        Returns `None` if there are too many to hold, and the survey has no solver and no phases, so that `_count` can
        find all that is asked.
        """
        engine, budget = self._puzzle.engine, self._budget
        asked = self._solver is not None or bool(self._options.phases)
        goal = engine.has_goal and not overridable.rules(self._puzzle).ends
        if not asked and goal and engine.window == "inverse-closed":
            few = dataclasses.replace(budget, max_states=min(budget.max_states, MOST_ONE_BY_ONE))
            try:
                return Reached(engine, few, self._deadline)
            except LimitError:
                if budget.max_states <= MOST_ONE_BY_ONE:
                    raise
                return None
        check_fits(self._puzzle, budget.max_states)
        return Reached(engine, budget, self._deadline)

    def _count(self) -> None:
        """Counts the states by the fewest moves to the goal. All moves of the puzzle must have inverses."""
        puzzle = self._puzzle
        with temporary_folder() as base:
            options = RunOptions(distances=True, memory=self._budget.memory)
            folder = os.path.join(base, "job")
            report = puzzle.values(options, out=folder, watch=self._deadline)
            if report.stopped == "watch":
                raise StoppedError
            if not report.complete:
                raise LimitError(f"the memory is not enough to count all states of {puzzle}; give more memory")
            raw = [depth.raw_states for depth in report.depths]
            counts = {depth: by_value["solvable"] for depth, by_value in enumerate(raw) if by_value["solvable"]}
            worst: list[str] = []
            if report.backward and self._options.listed:
                try:
                    # Depths are counted from the goals. If the start is the only goal, the job is one of the engine
                    # itself, otherwise one of its backward engine.
                    counted = puzzle.engine.backward if job_status(folder)["subject"]["backward"] else puzzle.engine
                    deepest = counted.hardest(job_folder(puzzle, folder), self._options.listed, self._deadline)
                    worst = [state.state for state in deepest if state.depth == max(counts, default=0)]
                except JobError:  # the bits of all depths were too many to keep
                    worst = [report.longest.state] if report.longest else []
            self._unsolvable = sum(by_value["unsolvable"] for by_value in raw)
            self.states = self._looked_at = sum(counts.values()) + self._unsolvable
            self._fewest = Lengths(counts, tuple(worst))

    def _lengths(self, reached: Reached, distances: array[int], among: bytes) -> tuple[Lengths, int]:
        """Returns how many marked states have each distance, and how many of them have none.

        Args:
            reached: The states.
            distances: The distance of each state.
            among: A byte for each state, which is not 0 if the state is marked.
        """
        counts = Counter(compress(distances, among))
        unsolvable = counts.pop(NO_DISTANCE, 0)
        worst = max(counts, default=None)
        numbers = (number for number, moves in enumerate(distances) if moves == worst and among[number])
        states = tuple(map(reached.text, islice(numbers, self._options.listed)))
        return Lengths(dict(sorted(counts.items())), states), unsolvable

    def _ask_all(self, solver: Solver, reached: Reached, fewest: array[int]) -> None:
        """Asks the solver about each state that can be solved."""
        for number in range(reached.count):
            needed = fewest[number]
            state = reached.text(number)
            watch = self._watch(number, reached.count)
            self._looked_at = number
            if needed == NO_DISTANCE:
                continue
            try:
                answer = ask(solver, self._puzzle, state, self._budget, watch)
            except LimitError as error:
                self._not_answered(error, watch)
                continue
            except UnsolvableError as error:
                raise PluginError(
                    f"the solver {solver.__name__} says that nothing solves {state}, and {needed} moves do; report it"
                ) from error
            self._check(solver, reached, number, answer, needed)
            self._add(answer, state, needed)

    def _watch(self, done: int, total: int) -> Watch:
        """Makes the watch for one call of a solver. It passes on the progress of the survey, not that of the solver.

        Raises:
            StoppedError: The time is over already, or the watch of the survey stops it.
        """
        here = Progress(frontier=total, expanded=done, states=done)
        if self._deadline(here):
            raise StoppedError
        return lambda _: self._deadline(here)

    def _not_answered(self, error: LimitError, watch: Watch) -> None:
        if watch(Progress()):
            raise StoppedError from error
        self._unanswered += 1
        self._why_unanswered = self._why_unanswered or str(error)

    def _check(self, solver: Solver, reached: Reached, number: int, answer: Answer, needed: int) -> None:
        """Raises an error if an answer's moves do not solve the state, or if it wrongly claims to be proven."""
        engine, state = self._puzzle.engine, reached.text(number)
        after = reached.follow(number, answer.moves)
        if after is None:
            fault = fault_of_answer(engine, state, answer)
        else:
            fault = fault_of_solution(engine, state, reached.text(after), answer)
        if fault is None and answer.optimal and len(answer.moves) > needed:
            fault = f"calls {len(answer.moves)} moves from {state} the fewest, and {needed} are enough"
        if fault is None and (answer.lower_bound or 0) > needed:
            fault = f"says that {state} needs {answer.lower_bound} moves, and {needed} are enough"
        if fault is not None:
            raise PluginError(f"the solver {solver.__name__} {fault}; report it")

    def _add(self, answer: Answer | SolveReport, state: str, needed: int | None) -> None:
        """Counts an answer, the moves of its parts, and its excess over the fewest moves."""
        length = len(answer.moves)
        self._taken.add(length, state)
        if needed is not None:
            self._excess.add(length - needed, state)
        parts: Counter[str] = Counter()  # a method may come back to a stage
        for stage, following in pairwise((*answer.stages, Stage("", length))):
            parts[stage.name] += following.begins - stage.begins
        for name, moves in parts.items():
            if name not in self._stages:
                self._stages[name] = Tally(self._options)
            self._stages[name].add(moves, state)

    def over_sample(self, size: int) -> None:
        """Asks the solver about states that are drawn at random."""
        for done, (state, known) in enumerate(self._draw(size)):
            self.states = size
            watch = self._watch(done, size)
            self._looked_at = done
            try:
                self._ask_one(state, known, watch)
            except LimitError as error:
                self._not_answered(error, watch)
            except UnsolvableError:
                self._unsolvable += 1
        self._looked_at = size

    def _ask_one(self, state: str, needed: int | None, watch: Watch) -> None:
        """Asks the solver about one state, and the engine's own solver for the fewest moves, if these are wanted."""
        found = None
        if self._solver is not None:
            found = solve(self._puzzle, state, self._solver, budget=self._budget, watch=watch)
            if found.optimal:
                needed = found.length
        if needed is None and (self._options.fewest or found is None):
            needed = self._find_fewest(state, watch)
        if needed is not None:
            self._needed.add(needed, state)
        if found is not None:
            self._add(found, state, needed)

    def _find_fewest(self, state: str, watch: Watch) -> int | None:
        """The fewest moves from a state; `None` if they are not found or not proven within the limits."""
        try:
            best = solve(self._puzzle, state, self._proves, budget=self._budget, watch=watch)
        except LimitError:
            if self._solver is None or watch(Progress()):
                raise
            return None
        if best.library is not None:
            self._looked_up[best.library] += 1
        return best.length if best.optimal else None

    def _draw(self, size: int) -> Iterator[tuple[str, int | None]]:
        """Draws states that are not solved, each with its fewest moves if these are known."""
        engine, puzzle = self._puzzle.engine, str(self._puzzle)
        seed = seed_or_new(self._options.seed)
        random = Random(f"{puzzle}/{seed}")
        evenly = engine.draws_evenly
        # The engine draws evenly if it knows the structure of the moves (`evenly`), or if there are few states.
        method = None if evenly else engine.scramble(puzzle, f"{seed} 0", None).method
        few = method in (METHODS["uniform"], METHODS["solvable"], METHODS["unsolvable"])
        listed = self._listed() if few else None
        if listed is not None:
            reached, fewest = listed
            numbers = [number for number, moves in enumerate(fewest) if moves > 0]
            if not numbers:
                raise UsageError(f"each state of {puzzle} is solved, or cannot be, so there is none to draw")
            self._sample = Sample(size, seed, "each state that can be solved, and is not, equally likely")
            for _ in range(size):
                number = random.choose(numbers)
                yield reached.text(number), fewest[number]
            return
        for place in range(1, size + 1):
            # In many puzzles, walks of an even number of moves and walks of an odd number reach different halves of the
            # states. So the number of moves is chosen at random.
            moves = None if evenly else WALK_PER_CELL * engine.notation.cells + random.below(2)
            try:
                drawn = engine.scramble(puzzle, f"{seed} {place}", moves)
            except UsageError:  # there is no walk of this length
                drawn = engine.scramble(puzzle, f"{seed} {place}", None)
            self._sample = self._sample or Sample(size, seed, drawn.method)
            yield drawn.state, None

    def _listed(self) -> tuple[Reached, array[int]] | None:
        """All states with the fewest moves from each; `None` if there are more than the budget allows."""
        try:
            reached = Reached(self._puzzle.engine, self._budget, self._deadline)
            return reached, reached.distances(reached.solved())
        except LimitError:
            return None
