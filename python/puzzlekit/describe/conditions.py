"""Conditions of goals, ends and guards beside a pattern: counts of cells, forbidden patterns, and paths."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn, Protocol, cast, runtime_checkable

from puzzlekit.describe.patterns import (
    AnythingBut,
    Held,
    Listed,
    Pattern,
    Symbols,
    When,
    listed,
    names_of,
    read_cell,
    read_held,
    read_pattern,
    read_symbols,
    whole_number,
)
from puzzlekit.errors import RulesError


@runtime_checkable
class Neighbours(Protocol):
    """A board on which cells have neighbours, such as a `Grid`, a `HexGrid` or a `Ring`."""

    @property
    def cells(self) -> int:
        """The number of cells."""

    def neighbours(self, cell: int) -> Any:  # noqa: ANN401 - cells in any collection
        """The neighbours of a cell."""


class Path(NamedTuple):
    """The condition that a path of neighbouring cells, which all hold some symbols, joins two sides.

    Args:
        symbols: The symbols that cells of the path may hold.
        start: The cells of the one side, where the path begins.
        end: The cells of the other side, where the path ends.
        edges: The pairs of neighbours.
    """

    symbols: Held
    start: tuple[int, ...]
    end: tuple[int, ...]
    edges: tuple[tuple[int, int], ...]


@dataclass(frozen=True, repr=False)
class Goal:
    """A pattern with further conditions, all of which must hold: a goal of a puzzle, an end of a game, or a guard.

    `count`, `unless` and `connected` each make one. `&` joins several, and also joins one with a pattern:

    >>> one_left = count("o", at_most=1) & {4: "o"}
    >>> one_left.when, one_left.counts
    (((4, ('o',)),), ({'symbols': ('o',), 'at_most': 1},))

    Args:
        when: The pattern, as pairs of a cell and the symbols that it may hold.
        counts: The counts, as data; docs/rules.md describes them.
        barred: The patterns, none of which may hold.
        paths: The paths that must exist.
    """

    when: Pattern = ()
    counts: tuple[Mapping[str, Any], ...] = ()
    barred: tuple[Pattern, ...] = ()
    paths: tuple[Path, ...] = ()

    def __and__(self, other: Goal | When) -> Goal:
        """The goal that holds if both of these hold."""
        other = read_goal(other, "a goal")
        return Goal(
            self.when + other.when, self.counts + other.counts, self.barred + other.barred, self.paths + other.paths
        )

    __rand__ = __and__

    def __or__(self, other: object) -> NoReturn:
        """Conditions cannot be joined by `|`: the message says what to write.

        Raises:
            RulesError: Always.
        """
        raise RulesError(
            "conditions are joined by & alone; if one of several is enough, write one end, goal or move for each"
        )

    __ror__ = __or__

    def __repr__(self) -> str:
        """The goal as it is written.

        >>> count("o", at_most=1) & {4: "o"}
        count('o', at_most=1) & {4: 'o'}
        """
        parts = [_count_as_written(given) for given in self.counts]
        parts += [_as_written(self.when)] if self.when or not (self.counts or self.barred or self.paths) else []
        parts += [f"unless({_as_written(pattern)})" for pattern in self.barred]
        parts += [f"connected({_held_as_written(path.symbols)}, {path.start}, {path.end}, ...)" for path in self.paths]
        return " & ".join(parts)

    def data(self, symbols: tuple[str, ...], place: str) -> Listed | dict[str, Any]:
        """The goal as the data that the engine reads, for rules with the given symbols."""
        when = listed(self.when, symbols, place)
        more = self.more(symbols, place)
        return ({"when": when} if when else {}) | more if more else when

    def more(self, symbols: tuple[str, ...], place: str) -> dict[str, Any]:
        """The conditions beside the pattern, as data for the engine."""
        counts = tuple({**given, "symbols": names_of(given["symbols"], symbols, place)} for given in self.counts)
        barred = tuple(listed(pattern, symbols, place) for pattern in self.barred)
        paths = tuple(
            {
                "symbols": names_of(path.symbols, symbols, place),
                "from": path.start,
                "to": path.end,
                "edges": path.edges,
            }
            for path in self.paths
        )
        parts = {"counts": counts, "unless": barred, "connected": paths}
        return {name: part for name, part in parts.items() if part}


def _as_written(pattern: Pattern) -> str:
    return f"{{{', '.join(f'{cell}: {_held_as_written(held)}' for cell, held in pattern)}}}"


def _held_as_written(held: Held) -> str:
    if isinstance(held, AnythingBut):
        return f"anything_but({', '.join(map(repr, held.symbols))})"
    return repr(held[0]) if len(held) == 1 else f"{{{', '.join(map(repr, held))}}}"


def _count_as_written(given: Mapping[str, Any]) -> str:
    numbers = [f"{name}={given[name]!r}" for name in ("at_least", "at_most", "of") if name in given]
    return f"count({', '.join([_held_as_written(given['symbols']), *numbers])})"


NOTHING = Goal()
"""A goal that every state satisfies."""


def read_goal(given: object, place: str) -> Goal:
    """Makes a goal of a pattern. An object that is already a goal is returned as it is."""
    return given if isinstance(given, Goal) else Goal(read_pattern(given, place))


def count(
    symbols: Symbols, *, at_least: int | None = None, at_most: int | None = None, of: Iterable[int] | None = None
) -> Goal:
    """The condition, for a goal, an end or a guard, that the number of cells with a symbol is within bounds.

    >>> goal = [count("o", at_most=1), count({"x", "o"}, at_least=2, of=[0, 1, 2])]

    Args:
        symbols: The symbol; or several symbols, and a cell counts if it holds one of them.
        at_least: The fewest cells that must count.
        at_most: The most cells that may count. For an exact number, give it as both.
        of: The cells that are counted; all cells if it is `None`.
    """
    given: dict[str, Any] = {"symbols": read_held(symbols, "a count")}
    for name, number in (("at_least", at_least), ("at_most", at_most)):
        if number is not None:
            whole = whole_number(number)
            if whole is None or not 0 <= whole < 2**63:
                raise RulesError(f"a count has {name}={number!r}; give a whole number from 0, and less than 2^63")
            given[name] = whole
    if len(given) == 1:
        names = " or ".join(read_symbols(symbols, "a count")) if isinstance(given["symbols"], tuple) else "such symbols"
        raise RulesError(f"a count of {names} has no number; give at_least, at_most, or both")
    if of is not None:
        given["of"] = _cells(of, "a count")
    return Goal(counts=(given,))


def unless(when: When, *more: When) -> Goal:
    """The condition, for a goal, an end or a guard, that at least one cell does not fit a pattern.

    >>> open_box = unless({0: "#", 1: "#", 2: "#", 3: "#"})

    Args:
        when: The pattern that must not hold.
        more: More patterns, none of which may hold.
    """
    patterns = (when, *more)
    if any(isinstance(pattern, Goal) for pattern in patterns):
        raise RulesError("unless is given more than a pattern; give a mapping from cells to symbols")
    return Goal(barred=tuple(read_pattern(pattern, "unless") for pattern in patterns))


def connected(
    symbols: Symbols, start: Iterable[int], end: Iterable[int], board: Neighbours | Iterable[tuple[int, int]]
) -> Goal:
    """The condition, for a goal, an end or a guard, that a path of cells with a symbol joins two sides.

    Each cell of the path holds the symbol and is a neighbour of the next. A cell of both sides that holds it is a path.

    >>> joined = connected("X", [0, 1], [2, 3], [(0, 2), (1, 3)])

    Args:
        symbols: The symbol, or several.
        start: The cells of the one side.
        end: The cells of the other side.
        board: The board, which says which cells are neighbours; or the pairs of neighbours.
    """
    place = "a path"
    if isinstance(board, Neighbours):
        edges = [(cell, other) for cell in range(board.cells) for other in board.neighbours(cell) if cell < other]
    elif isinstance(board, Iterable):
        edges = []
        for pair in cast("Iterable[Any]", board):
            if not isinstance(pair, Iterable) or isinstance(pair, str) or len(both := tuple(pair)) != 2:
                raise RulesError(f"{place} has the neighbours {pair!r}; give pairs of cells, or a board")
            edges.append((read_cell(both[0], place), read_cell(both[1], place)))
    else:
        raise RulesError(f"{place} is on {board!r}; give a Grid, a HexGrid, a Ring, or pairs of cells")
    path = Path(read_held(symbols, place), _cells(start, place), _cells(end, place), tuple(edges))
    return Goal(paths=(path,))


def _cells(cells: object, place: str) -> tuple[int, ...]:
    if isinstance(cells, str) or not isinstance(cells, Iterable):
        raise RulesError(f"{place} is of {cells!r}; give a list of cells")
    return tuple(read_cell(cell, place) for cell in cells)
