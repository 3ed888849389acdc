"""The conformance suite: runs its parts in order until one of them finds a fault, and reports that fault."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from puzzlekit.errors import PuzzlekitError, one_line
from puzzlekit.testing import counted, described, played, processes, seen, sides, speed
from puzzlekit.testing.subject import Fault, Subject, ignore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.scrambler import ScramblerFunction
    from puzzlekit.run.solver import SolverFunction
    from puzzlekit.testing.subject import Looked


@dataclass(frozen=True)
class Check:
    """The result of one part of the suite.

    Attributes:
        name: What was checked.
        times: How many things were checked: states, moves, depths or answers.
        seconds: How long that took.
        fault: What is wrong, and what to change; `None` if nothing is wrong.
        notes: Sentences about things that are no faults, but could be better.
    """

    name: str
    times: int
    seconds: float
    fault: str | None = None
    notes: tuple[str, ...] = ()


PARTS: dict[str, Callable[[Subject], Looked]] = {
    "text id and parameters": described.identity,
    "rules": described.rules,
    "what is done its own way": described.overrides,
    "names of moves": described.names,
    "players and ends": sides.sides,
    "states": counted.states,
    "pictures and gestures": seen.views,
    "counts of a plain search": counted.plain_search,
    "counts in both stores, with symmetries and without": counted.stores,
    "symmetries": counted.symmetries,
    "scrambles": played.scrambles,
    "solutions": played.solutions,
    "what keeps it from being fast": speed.reasons,
}
"""The parts that are always run."""

FULL: dict[str, Callable[[Subject], Looked]] = {
    "parameters at their ends": processes.ends,
    "other processes": processes.others,
    "start-up": processes.start_up,
}
"""The parts that start processes of their own."""


def check_puzzle(  # noqa: PLR0913 - each is an option of the check
    puzzle: Puzzle,
    *,
    states: int = 500,
    full: bool = False,
    solvers: Mapping[str, SolverFunction] | None = None,
    scramblers: Mapping[str, ScramblerFunction] | None = None,
    memory: int | str | None = None,
) -> None:
    """Checks a puzzle from end to end. Each message says what to change.

    A puzzle or a state that is written as a text must be read back from it unchanged. The rules must compile, and be
    the same each time. In no state may a name mean two moves, and each name must be one that can be typed. Symmetric
    states must have the same canonical form. The counts must be those of a plain search of the rules: with symmetry and
    without, on one thread and on two, and in both stores. Solutions must lead to the goal. Scrambles must be states
    that play can reach.

    >>> import puzzlekit
    >>> check_puzzle(puzzlekit.load("tictactoe"))

    Args:
        puzzle: The puzzle, with the parameters to check it with. A small puzzle is checked quickly.
        states: How many states are checked one by one, and about how many are counted.
        full: Whether to try the least and the greatest values of the parameters, and to see what other processes make
            of the puzzle, as well. This takes some seconds.
        solvers: Solvers to check too, by name, such as `puzzlekit.solvers(puzzle)` gives.
        scramblers: Scramblers to check too, by name, such as `puzzlekit.scramblers(puzzle)` gives.
        memory: The most bytes that the process may take in a count or a search for a solution, as a number or as
            `"1GiB"`; `None` for 70 % of the memory.

    Raises:
        AssertionError: The puzzle has a fault.
    """
    found = checks(puzzle, states=states, full=full, solvers=solvers, scramblers=scramblers, memory=memory)
    for check in found:
        if check.fault is not None:
            # It is raised, not written as an `assert`, since the checks must also work under `python -O`.
            raise AssertionError(check.fault)


def checks(  # noqa: PLR0913 - as above
    puzzle: Puzzle,
    *,
    states: int = 500,
    full: bool = False,
    solvers: Mapping[str, SolverFunction] | None = None,
    scramblers: Mapping[str, ScramblerFunction] | None = None,
    memory: int | str | None = None,
    watch: Callable[[str], object] = ignore,
) -> Iterator[Check]:
    """Runs the parts of the suite one after the other. It ends after the first part that finds a fault.

    >>> import puzzlekit
    >>> [check.times for check in checks(puzzlekit.load("tictactoe"), states=100) if check.name == "states"]
    [100]

    Args: as those of `check_puzzle`.
        watch: Called with the name of each part before it is run, and again and again while another process works.
    """
    subject = Subject(puzzle, states, solvers or {}, scramblers or {}, memory, watch)
    for name, part in (PARTS | FULL if full else PARTS).items():
        begun = time.perf_counter()
        watch(name)
        try:
            looked = part(subject)
        except (Fault, PuzzlekitError) as found:
            yield Check(name, 0, time.perf_counter() - begun, str(found))
            return
        except Exception as error:  # code of the puzzle may fail in any way
            fault = f"the part {name} fails with {one_line(error)}; mend that line, or report it if it is puzzlekit's"
            yield Check(name, 0, time.perf_counter() - begun, fault)
            return
        yield Check(name, looked.times, time.perf_counter() - begun, None, looked.notes)
