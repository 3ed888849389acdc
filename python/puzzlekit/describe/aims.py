"""The aim of rules in words: the goal of a puzzle, or how a game ends. `play` and the page say it at the beginning."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MOST_PLACES = 8
"""The most cells of a goal that are named one by one."""

MOST_TOLD = 2
"""The most goals, or ways to end, that are all told. Of more, the first is told and the others are counted."""

STUCK = {
    "draw": "no move is left: a draw",
    "loss": "who cannot move loses",
    "win": "who cannot move wins",
    "pass": "who cannot move passes; if neither can, it is over",
}
"""For each value of `Rules(stuck=...)`: in words, what happens if the player to move has no move left."""


def aims(data: Mapping[str, Any], row_lengths: Sequence[int], goal: str | None) -> list[str]:
    """The aim in lines; none if the rules name no goal and no end.

    >>> from puzzlekit import load
    >>> engine = load("slider:2,2").engine
    >>> aims(load("slider:2,2").rules().to_data(), engine.notation.row_lengths, engine.goal)
    ['Goal: 01/23']
    >>> aims(load("slider:2,2").rules().to_data(), engine.notation.row_lengths, None)
    ['Goal: 0 in row 1, column 1, 1 in row 1, column 2, 2 in row 2, column 1, 3 in row 2, column 2']
    >>> from puzzlekit import Rules, put, win
    >>> ends = [win("me", {0: "m"}), win("me", {1: "m"})]
    >>> two = Rules("-m", "--", [put(0, "m").when({0: "-"})], ("me", "you"), ends=ends)
    >>> aims(two.to_data(), [2], None)[:1]
    ['me wins with m in column 1, or with m in column 2.']
    >>> engine = load("tictactoe").engine
    >>> aims(load("tictactoe").rules().to_data(), engine.notation.row_lengths, None)[1:]
    ['O wins with O in row 1, columns 1 to 3, or in 7 other ways.', 'No move is left: a draw.']

    Args:
        data: The rules, as data.
        row_lengths: The number of cells of each row of the board.
        goal: The goal as a text, if it is a single state.
    """
    words = _Words(row_lengths)
    if data["players"]:
        return words.game(data)
    if goal:
        return [f"Goal: {goal}"]
    goals = data["goal"]
    if not goals:
        return []
    if len(goals) <= MOST_TOLD:
        return [f"Goal: {'; or '.join(map(words.wanted, goals))}"]
    return [f"Goal: {words.wanted(goals[0])}; or one of {len(goals) - 1:,} others"]


class _Words:
    def __init__(self, row_lengths: Sequence[int]) -> None:
        self._places = [(row, column) for row, length in enumerate(row_lengths, 1) for column in range(1, length + 1)]
        self._rows = len(row_lengths)

    def game(self, data: Mapping[str, Any]) -> list[str]:
        parts: list[str] = []
        ends: dict[str, list[Any]] = {}
        for end in data["ends"]:
            ends.setdefault(end.get("outcome") or "", []).append(end)
        for outcome, some in ends.items():
            # The name of a player keeps its letters at the beginning of a sentence.
            what = f"{outcome} wins" if outcome in data["players"] else _capital(outcome or "play is over")
            if len(some) <= MOST_TOLD:
                how = ", or with ".join(map(self.wanted, some))
            else:
                how = f"{self.wanted(some[0])}, or in {len(some) - 1:,} other ways"
            parts.append(f"{what} with {how}.")
        if data.get("score"):
            parts.append("Who has more points at the end wins.")
        if data["stuck"]:
            parts.append(f"{_capital(STUCK[data['stuck']])}.")
        return parts

    def wanted(self, goal: Any) -> str:  # noqa: ANN401 - a pattern, or an object with more
        """The conditions of a goal or of an end, in words."""
        given = goal if isinstance(goal, dict) else {"when": goal}
        parts = self._held(given.get("when", ()))
        parts += [self._counted(count) for count in given.get("counts", ())]
        parts += [self._path(path) for path in given.get("connected", ())]
        parts += [f"not all of: {', '.join(self._held(pattern))}" for pattern in given.get("unless", ())]
        return ", ".join(parts) or "any board"

    def _held(self, pattern: Iterable[tuple[int, Sequence[str]]]) -> list[str]:
        """A pattern in words: for each set of allowed symbols, a text with all cells that may hold exactly these."""
        by_symbols: dict[tuple[str, ...], list[int]] = {}
        for cell, symbols in pattern:
            by_symbols.setdefault(tuple(symbols), []).append(cell)
        return [f"{_either(symbols)} in {self._cells(cells)}" for symbols, cells in by_symbols.items()]

    def _counted(self, count: Mapping[str, Any]) -> str:
        """A count in words, with its cells if they are few."""
        named = "of" in count and len(count["of"]) <= MOST_PLACES
        where = f" in {self._cells(count['of'])}" if named else ""
        return f"{_counted({name: value for name, value in count.items() if name != 'of' or not named})}{where}"

    def _path(self, path: Mapping[str, Any]) -> str:
        """A path in words, with the cells of its sides if they are few."""
        few = max(len(path["from"]), len(path["to"])) <= MOST_PLACES
        where = f"from {self._cells(path['from'])} to {self._cells(path['to'])}" if few else "between two sides"
        return f"a path of {_either(path['symbols'])} {where}"

    def _cells(self, cells: Sequence[int]) -> str:
        if len(cells) > MOST_PLACES:
            return f"{len(cells):,} cells"
        parts, places_of = [], [self._places[cell] for cell in sorted(cells)]
        if len(places_of) > 1 and len({column for _, column in places_of}) == 1:
            return f"{_numbers([places_of[0][1]])}, {_numbers([row for row, _ in places_of], 'row')}"
        for row, places in groupby(places_of, key=lambda place: place[0]):
            columns = _numbers([column for _, column in places])
            parts.append(f"row {row}, {columns}" if self._rows > 1 else columns)
        return " and ".join(parts)


def _numbers(numbers: Sequence[int], word: str = "column") -> str:
    """The numbers of columns, or of rows, in words.

    >>> _numbers([2]), _numbers([1, 2, 3]), _numbers([1, 3], "row")
    ('column 2', 'columns 1 to 3', 'rows 1, 3')
    """
    if len(numbers) == 1:
        return f"{word} {numbers[0]}"
    if numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{word}s {numbers[0]} to {numbers[-1]}"
    return f"{word}s {', '.join(map(str, numbers))}"


def _capital(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


def _either(symbols: Sequence[str]) -> str:
    """Symbols that may stand in a cell, in words."""
    return symbols[0] if len(symbols) == 1 else f"one of {' '.join(symbols)}"


def _counted(count: Mapping[str, Any]) -> str:
    """A count in words.

    >>> _counted({"symbols": ("o",), "at_most": 1}), _counted({"symbols": ("o",), "at_least": 2, "at_most": 2})
    ('at most 1 cell with o', 'exactly 2 cells with o')
    >>> _counted({"symbols": ("o",), "at_most": 0}), _counted({"symbols": ("o",), "at_most": 0, "of": [1, 2]})
    ('no o left', 'no o in 2 cells')
    """
    least, most = count.get("at_least"), count.get("at_most")
    if most == 0:
        where = f"in {len(count['of'])} cells" if "of" in count else "left"
        return f"no {' or '.join(count['symbols'])} {where}"
    if least == most:
        number = f"exactly {least}"
    elif least is None:
        number = f"at most {most}"
    else:
        number = f"at least {least}" if most is None else f"{least} to {most}"
    plural = "" if (most if least is None else least) == 1 and least in (None, most) else "s"
    of = f" of {len(count['of'])}" if "of" in count else ""
    return f"{number}{of} cell{plural} with {_either(count['symbols'])}"
