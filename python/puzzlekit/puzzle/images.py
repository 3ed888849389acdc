"""The images of a state under the symmetries of the rules, each with the images of the moves: for training data."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from puzzlekit.run.checks import check_is_puzzle

if TYPE_CHECKING:
    from puzzlekit.puzzle.protocols import Solvable

Code = tuple[bytes, int]
"""A state: a byte for each cell, which is the number of its symbol, and the player to move."""


@dataclass(frozen=True)
class Image:
    """An image of a state under a symmetry.

    Attributes:
        state: The image.
        cells: For each cell of the state, the cell of the image to which its symbol goes.
        moves: For each move that can be made in the state, the move that does the same in the image.
    """

    state: str
    cells: tuple[int, ...]
    moves: dict[str, str]


@dataclass(frozen=True)
class CellSymmetry:
    """A product of symmetries of the rules: where cells go, what symbols become, and whether players are swapped."""

    cells: tuple[int, ...]
    symbols: tuple[int, ...]
    swap: bool

    def of(self, state: Code) -> Code:
        """The image of a state."""
        cells, player = state
        after = bytearray(len(cells))
        for cell, symbol in enumerate(cells):
            after[self.cells[cell]] = self.symbols[symbol]
        return bytes(after), player ^ self.swap

    def then(self, other: CellSymmetry) -> CellSymmetry:
        """The product of this symmetry and another one, which is applied afterwards."""
        cells = tuple(other.cells[cell] for cell in self.cells)
        return CellSymmetry(cells, tuple(other.symbols[symbol] for symbol in self.symbols), self.swap != other.swap)


def images(puzzle: Solvable, state: str) -> list[Image]:
    """The images of a state under the symmetries, itself first, each with the moves that correspond to its moves.

    >>> import puzzlekit
    >>> game = puzzlekit.load("tictactoe")
    >>> [(image.state, image.moves["1"]) for image in puzzlekit.images(game, "X../.../...")][:2]
    [('X../.../...:O', '1'), ('.../.../X..:O', '7')]

    Each image is listed once, so there are as many as the orbit has states. Symmetries that swap the players are used,
    too. If several moves lead to the same state, they correspond to each other in the order of the rules.
    """
    check_is_puzzle(puzzle)
    engine = puzzle.engine
    notation, names = engine.notation, engine.move_names
    first: Code = notation.read(state)
    found = {first: CellSymmetry(tuple(range(notation.cells)), tuple(range(len(notation.symbols))), swap=False)}
    generators = symmetries_of(json.loads(engine.rules_json), [str(each) for each in notation.symbols])
    new = [first]
    for code in new:  # it grows meanwhile
        for generator in generators:
            image = generator.of(code)
            if image not in found:
                found[image] = found[code].then(generator)
                new.append(image)
    after = _after(engine, first)
    made = []
    for code in new:
        symmetry = found[code]
        # If several moves lead to the same state, they are distinguished by their order in the rules.
        there: dict[Code, list[int]] = {}
        for move, child in _after(engine, code):
            there.setdefault(child, []).append(move)
        moves = {names[move]: names[there[symmetry.of(child)].pop(0)] for move, child in after}
        made.append(Image(notation.write(*code), symmetry.cells, moves))
    return made


def symmetries_of(data: dict[str, Any], symbols: list[str]) -> list[CellSymmetry]:
    """The symmetries that rules, given as data, declare."""
    place = {symbol: number for number, symbol in enumerate(symbols)}
    made = []
    for given in data["symmetries"]:
        become = {str(symbol): str(after) for symbol, after in given["symbols"].items()}
        after = tuple(place[become.get(symbol, symbol)] for symbol in symbols)
        made.append(CellSymmetry(tuple(given["cells"]), after, given["swap_players"]))
    return made


def _after(engine: Any, code: Code) -> list[tuple[int, Code]]:  # noqa: ANN401 - an Engine
    """The moves that can be made in a state, each with the state that it leads to."""
    width, players = engine.row_bytes, bool(engine.notation.players)
    children, _, moves = engine.expand(code[0] + bytes([code[1]] * players))
    rows = [bytes(children)[at : at + width] for at in range(0, width * len(moves), width)]
    return [(move, (row[:-1], row[-1]) if players else (row, 0)) for move, row in zip(moves, rows, strict=True)]
