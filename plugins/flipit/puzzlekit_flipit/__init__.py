"""FlipIT: disks that are black on one side and white on the other, flipped in squares of nine.

A press on a disk flips it and all disks around it, those at its corners too; at the rim there are fewer of them. The
board is solved when the disks of the rim are black and all others are white.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

import puzzlekit
from puzzlekit import (
    Grid,
    Puzzle,
    Rules,
    UsageError,
    hookimpl,
    parameter,
    toggle,
)

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable, Sequence

    from puzzlekit import Random, ScrambleReport, View

__all__ = ["FlipIT"]

WHITE, BLACK = ".#"

# Each random and each daily puzzle is solved by this many presses of different cells.
PRESSES = 3


@dataclass(frozen=True)
class FlipIT(Puzzle):
    """Black and white disks; a press flips one and all around it; the rim is to be black, the inside white."""

    id = "flipit"
    rows: int = parameter(4, 2, 10, "rows of the board")
    columns: int = parameter(4, 2, 10, "columns of the board")

    def rules(self) -> Rules:
        """A press for each cell, numbered from 1; the start is the goal."""
        grid = Grid(self.rows, self.columns)
        goal = [BLACK if len(grid.neighbourhood(cell)) < 9 else WHITE for cell in grid]
        return Rules(
            symbols=WHITE + BLACK,
            start=goal,
            goal=[goal],
            moves=[toggle(*grid.neighbourhood(cell)).named(cell + 1) for cell in grid],
            symmetries=grid.symmetries(),
            columns=self.columns,
        )

    def number(self, state: str) -> int:
        """The number of a state: its cells as bits, the first cell as the lowest bit, black 1 and white 0.

        >>> FlipIT().number(FlipIT().start)
        63903
        """
        cells = self.read(state).replace("/", "")
        return sum(1 << place for place, disk in enumerate(cells) if disk == BLACK)

    def numbered(self, number: int) -> ScrambleReport:
        """The state that has a number. There is one for every number with as many bits as there are cells.

        On boards of some sizes, not every state can be solved.

        >>> FlipIT().numbered(1).state
        '#.../..../..../....'

        Raises:
            UsageError: The number is out of range.
        """
        cells = self.rows * self.columns
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < 1 << cells:
            raise UsageError(f"the puzzle's number is {number!r}; give a whole number from 0 to {(1 << cells) - 1}")
        disks = "".join(BLACK if number >> place & 1 else WHITE for place in range(cells))
        state, method = self.read(disks), "the state of a number"
        return puzzlekit.ScrambleReport(str(self), state, f"number {number}", None, method, number)

    def scramble(
        self, seed: str | None = None, *, moves: int | None = None, scrambler: Callable[..., Any] | None = None
    ) -> ScrambleReport:
        """A random state that three presses of different cells solve; or a state after `moves` random presses.

        Raises:
            UsageError: The board is too small, or a number makes no sense.
        """
        if moves is not None or scrambler is not None:
            return super().scramble(seed, moves=moves, scrambler=scrambler)
        if seed is None:
            import secrets  # imported here, because most commands do not need it

            seed = secrets.token_hex(8)
        return self._pressed(puzzlekit.Random(f"{self}/{seed}").choose(three_presses(self)), seed)

    def daily(self, date: str | datetime.date) -> ScrambleReport:
        """The puzzle of a day, given as `YYYY-MM-DD` or as a `datetime.date`. Three presses solve it.

        No puzzle comes a second time before each has come once.

        Raises:
            UsageError: The text is no date.
        """
        super().daily(date)  # raises an error for a text that is no date
        import datetime  # imported here, because most commands do not need it

        day = date if isinstance(date, datetime.date) else datetime.date.fromisoformat(date)
        order = _daily_order(self)
        return self._pressed(order[day.toordinal() % len(order)], f"daily {day.isoformat()}")

    def board(self, state: str, moves: Sequence[str] = ()) -> str:
        """The disks, with pressed ones in brackets. Pressing a disk again undoes it, whatever came between."""
        disks = self.read(state).replace("/", "")
        pressed = {move for move in moves if list(moves).count(move) % 2}
        shown = [f"[{disk}]" if str(at + 1) in pressed else f" {disk} " for at, disk in enumerate(disks)]
        rows = (shown[at : at + self.columns] for at in range(0, len(shown), self.columns))
        return "\n".join("".join(row).rstrip() for row in rows)

    def view(self) -> View:
        """The view of the rules, with the largest number of a board."""
        return super().view().changed(numbers=(1 << self.rows * self.columns) - 1)

    def guide(self) -> str:
        """The goal, and the numbers of the disks."""
        width = len(str(self.rows * self.columns))
        lines = [
            f"Make the rim black ({BLACK} or ●) and the inside white ({WHITE} or ○). A press, named by the number of a",
            "disk, flips it and those around it; pressing it again undoes that. A line may have several presses.",
        ]
        goal = self.board(self.start).splitlines()
        across = max(len("The goal:"), 3 * self.columns) + 3
        lines.append(f"{'The goal:':{across}}The disks:")
        for row, disks in enumerate(goal):
            numbers = range(row * self.columns + 1, (row + 1) * self.columns + 1)
            lines.append(f"{disks:{across}}{' '.join(f'{number:{width}}' for number in numbers)}")
        return "\n".join(lines)

    def _pressed(self, presses: tuple[int, ...], seed: str) -> ScrambleReport:
        state = self.start
        names = tuple(str(cell + 1) for cell in presses)
        for name in names:
            state = self.apply(state, name)
        method = f"{PRESSES} presses of different disks"
        return puzzlekit.ScrambleReport(str(self), state, seed, names, method, self.number(state))


@cache
def three_presses(puzzle: FlipIT) -> list[tuple[int, ...]]:
    """For each state that needs exactly three presses, one set of three presses that solves it.

    >>> len(three_presses(FlipIT()))
    560
    """
    grid = Grid(puzzle.rows, puzzle.columns)
    flips = [sum(1 << at for at in grid.neighbourhood(cell)) for cell in grid]
    fewer = {0, *flips, *(one ^ other for one, other in combinations(flips, 2))}
    known: dict[int, tuple[int, ...]] = {}
    for presses in combinations(grid, PRESSES):
        flipped = flips[presses[0]] ^ flips[presses[1]] ^ flips[presses[2]]
        if flipped not in fewer:
            known.setdefault(flipped, presses)
    if not known:
        raise UsageError(f"no state of {puzzle} takes {PRESSES} presses; choose a larger board, or give moves")
    return list(known.values())


@cache
def _daily_order(puzzle: FlipIT) -> list[tuple[int, ...]]:
    """All puzzles of three presses in the order of the days. The shuffle (Fisher and Yates) is the same for ever."""
    order, random = list(three_presses(puzzle)), puzzlekit.Random(f"{puzzle}/daily order")
    for last in range(len(order) - 1, 0, -1):
        other = random.below(last + 1)
        order[last], order[other] = order[other], order[last]
    return order


def press_three(puzzle: FlipIT, random: Random) -> list[str]:
    """The presses of a random puzzle that needs exactly three."""
    return [str(cell + 1) for cell in random.choose(three_presses(puzzle))]


@hookimpl
def puzzlekit_register_puzzles(register: Callable[[type[Puzzle]], None]) -> None:
    """Brings the one puzzle."""
    register(FlipIT)


@hookimpl
def puzzlekit_register_scramblers(register: Callable[[str, str, Callable[[FlipIT, Random], list[str]]], None]) -> None:
    """Registers `press_three` as a scrambler, so that it can be asked for by name."""
    register("flipit", "three-presses", press_three)
