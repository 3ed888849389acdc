"""Rules and boards as a job keeps them: turns them into plain data, and makes them again from the data."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from puzzlekit.describe.conditions import Goal, Path
from puzzlekit.describe.moves import Copy, Move
from puzzlekit.describe.rules import AUTO, End, Rules, Symmetry
from puzzlekit.describe.score import Score
from puzzlekit.errors import CorruptError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MARK = 0xF0000
"""The first Unicode character for private use. When a board is drawn to find out its form, this character and the next
ones stand for its cells, since no other text has them."""


@dataclass(frozen=True)
class KeptBoard:
    """A board that was made from data: it knows only the rows of its text, and its picture.

    >>> board = KeptBoard((1, 2), lines=(("  ", 0), (1, " ", 2)))
    >>> print(board.picture("abc"))
      a
    b c

    Attributes:
        row_lengths: How many cells each row of a state's text has.
        hole_marks: Characters that stand for no cell in a drawing.
        holes: One item for each hole. Only their number is known.
        lines: The lines of the picture. Each is a list of texts and, where cells are, their numbers.
    """

    row_lengths: tuple[int, ...]
    hole_marks: str = ""
    holes: range = range(0)
    lines: tuple[tuple[str | int, ...], ...] = field(default=(), repr=False)

    @property
    def cells(self) -> int:
        """The number of cells."""
        return sum(self.row_lengths)

    def picture(self, names: Sequence[str]) -> str:
        """The board as a text with a name in each cell."""
        return "\n".join(
            "".join(part if isinstance(part, str) else names[part] for part in line) for line in self.lines
        )


def board_data(rules: Rules) -> dict[str, Any] | None:
    """The board of rules as plain data: the rows of a state's text, and how a state is drawn with characters."""
    board = rules.board
    if board is None:
        return None
    width = max(len(str(symbol)) for symbol in rules.symbols)
    drawn = board.picture([chr(MARK + cell) * width for cell in range(rules.cells)])
    return {
        "rows": list(rules.row_lengths),
        "hole_marks": board.hole_marks,
        "holes": len(tuple(getattr(board, "holes", ()))),
        "picture": [_parts(line, width) for line in drawn.split("\n")],
    }


def _parts(line: str, width: int) -> list[str | int]:
    """Splits a line of a picture into texts and numbers of cells. A cell takes `width` characters."""
    parts: list[str | int] = []
    at = 0
    while at < len(line):
        if ord(line[at]) >= MARK:
            parts.append(ord(line[at]) - MARK)
            at += width
            continue
        if not parts or isinstance(parts[-1], int):
            parts.append("")
        parts[-1] = f"{parts[-1]}{line[at]}"
        at += 1
    return parts


class KeptRules(Rules):
    """Rules that were made from data, which `to_data` returns. But a copy with changed fields makes its data anew."""

    def to_data(self) -> dict[str, Any]:
        """The rules as the data that the engine reads."""
        written: dict[str, Any] | None = vars(self).get("written")
        return super().to_data() if written is None else written


def rules_of_data(data: Mapping[str, Any], board: Mapping[str, Any] | None, columns: int | None) -> Rules:
    """Makes rules from the data that a job keeps of them.

    Args:
        data: The rules, as the engine wrote them.
        board: The board of the rules, as `board_data` wrote it.
        columns: How many cells make a row in the text of a state, if there is no board.

    Raises:
        RulesError: The data do not describe rules.
        CorruptError: The data of the board do not describe a board, or do not fit the rules.
    """
    moves = [_move_data(move) for move in data["moves"]]
    symmetries = data["symmetries"]
    rules = KeptRules(
        symbols=data["symbols"],
        start=data["start"],
        moves=[_move(move) for move in moves],
        players=data["players"],
        goal=[_goal(goal) for goal in data["goal"]],
        ends=[_end(end) for end in data["ends"]],
        stuck=data["stuck"],
        score=_score(data["score"]["sums"]) if data.get("score") else None,
        endless=data["score"].get("endless") if data.get("score") else None,
        symmetries=symmetries if symmetries == AUTO else [_symmetry(given) for given in symmetries],
        columns=columns,
        board=None if board is None else _board(board, len(data["start"])),
    )
    vars(rules)["written"] = {**data, "moves": moves}
    return rules


def _board(data: Mapping[str, Any], cells: int) -> KeptBoard:
    rows, lines = data["rows"], data["picture"]
    numbers = [part for line in lines for part in line if not isinstance(part, str)]
    right = sum(rows) == cells and all(isinstance(part, int) and 0 <= part < cells for part in numbers)
    if not right:
        raise CorruptError("puzzle.json has a board that is not one of its rules; the job is damaged")
    return KeptBoard(tuple(rows), str(data["hole_marks"]), range(data["holes"]), tuple(map(tuple, lines)))


def _pattern(given: Sequence[Any]) -> tuple[tuple[int, tuple[str, ...]], ...]:
    return tuple((cell, tuple(held)) for cell, held in given)


def _goal(given: Any) -> Goal:  # noqa: ANN401 - plain data
    if isinstance(given, list):
        return Goal(_pattern(given))
    return _wanted(given)


def _wanted(given: Mapping[str, Any]) -> Goal:
    """Makes a `Goal` of the data of a goal, of an end or of a move's guard: of its pattern and other conditions."""
    paths = (
        Path(tuple(path["symbols"]), tuple(path["from"]), tuple(path["to"]), tuple(map(tuple, path["edges"])))
        for path in given.get("connected", ())
    )
    return Goal(
        _pattern(given.get("when", ())),
        tuple(
            {name: tuple(part) if name in ("symbols", "of") else part for name, part in count.items()}
            for count in given.get("counts", ())
        ),
        tuple(_pattern(barred) for barred in given.get("unless", ())),
        tuple(paths),
    )


def _end(given: Mapping[str, Any]) -> End:
    return End(given.get("outcome", ""), _wanted(given), given["wins"], given.get("score"))


def _score(sums: Sequence[Mapping[str, Any]]) -> Score:
    first, *others = (Score(given["player"], given["worth"], given.get("of")) for given in sums)
    return sum(others, start=first)


def _symmetry(given: Mapping[str, Any]) -> Symmetry:
    return Symmetry(tuple(given["cells"]), given["symbols"], given["swap_players"], given["name"])


def _move_data(move: Mapping[str, Any]) -> dict[str, Any]:
    """A move in the form of `Rules.to_data`. The engine leaves out maps that are empty, so they are added again."""
    then = [
        (cell, source if isinstance(source, str) else {"copy": source["copy"], "map": source.get("map", {})})
        for cell, source in move["then"]
    ]
    pairs = {kind: [tuple(pair) for pair in move[kind]] for kind in ("equal", "different") if kind in move}
    flags = {flag: True for flag in ("forced", "again") if move.get(flag)}
    return {
        "name": move["name"],
        "player": move["player"],
        "when": _pattern(move["when"]),
        **pairs,
        **{kind: move[kind] for kind in ("counts", "unless", "connected") if kind in move},
        "then": then,
        **flags,
    }


def _move(data: Mapping[str, Any]) -> Move:
    def source(given: str | dict[str, Any]) -> str | Copy:
        return given if isinstance(given, str) else Copy(given["copy"], given["map"])

    return Move(
        then=[(cell, source(given)) for cell, given in data["then"]],
        guard=data["when"],
        conditions=replace(_wanted(data), when=()),
        name=data["name"],
        player=data["player"],
        forced=data.get("forced", False),
        keeps_turn=data.get("again", False),
        equal=tuple(data.get("equal", ())),
        different=tuple(data.get("different", ())),
    )
