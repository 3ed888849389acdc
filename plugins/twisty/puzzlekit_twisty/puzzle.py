"""The puzzle of a definition: its rules, its picture, and what can be chosen about it."""

from __future__ import annotations

import re
import string
from colorsys import hls_to_rgb
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from puzzlekit import Copy, Grid, Look, Move, Puzzle, Region, Rules, Symmetry, UsageError, View, anything_but
from puzzlekit_twisty.stickers import MOST_WORDS, WORD, stickers

if TYPE_CHECKING:
    from puzzlekit_twisty.definition import Definition
    from puzzlekit_twisty.stickers import Stickers

SYMBOLS = string.ascii_uppercase + string.ascii_lowercase + string.digits
"""The symbols of stickers. If they are too few, symbols are numbers."""

PLACES_IN_ROW = 12
"""The most places of an orbit side by side in a picture."""


@dataclass(frozen=True)
class Twisty(Puzzle):
    """A puzzle whose pieces turn and change places, from a file.

    `moves` has the names of the moves to take, with spaces between; all if it is empty. With `quarter`, a move stands
    for itself and its inverse alone, and not for all its powers.
    """

    id = "twisty"
    definition: ClassVar[Definition]
    quarter: bool = field(default=False, metadata={"help": "take no powers of moves but their inverses"})
    moves: str = field(default="", metadata={"help": "the names of the moves to take, with spaces; empty for all"})

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.moves.split():
            if self.definition.named(name) is None:
                known = ", ".join(self.definition.moves)
                raise UsageError(f'moves of {self.id} names "{name}", and there is no such move; the moves are {known}')

    @classmethod
    def as_python(cls) -> str:
        """The text of a Python file that defines the same puzzle; `puzzlekit import` writes it."""
        from puzzlekit_twisty.written import python

        return python(cls.definition)

    @cached_property
    def stickers(self) -> Stickers:
        """The definition cell by cell."""
        made = stickers(self.definition, self.quarter, self.moves.split())
        if not made.turns:
            raise UsageError(f"{self.id} has no move that changes anything; give a definition with one")
        if not made.fits(MOST_WORDS):
            raise UsageError(
                f"the {len(made.start):,} cells of {made.bits} bits each do not fit a state, which has room for "
                f"{MOST_WORDS * (WORD // made.bits)} of them; give a smaller puzzle, or some of its moves"
            )
        return made

    def rules(self) -> Rules:
        """A cell for each sticker, and moves that permute the cells."""
        made = self.stickers
        symbols = symbols_of(made)
        start = [symbols[label] for label in made.start]
        moves = []
        for turn in made.turns:
            then = {cell: Copy(source) for cell, source in enumerate(turn.cells) if source != cell}
            for cell, twist in enumerate(turn.twists):
                if twist:
                    then[cell] = Copy(turn.cells[cell], _turned(made.around[cell], twist, symbols))
            guard = {cell: anything_but(*(symbols[label] for label in sorted(wrong))) for cell, wrong in turn.barred}
            move = Move(then).named(turn.name)
            moves.append(move.when(guard) if guard else move)
        symmetries = []
        for number, cells in enumerate(made.symmetries, 1):
            targets = {source: cell for cell, source in enumerate(cells)}
            turned = Symmetry(tuple(targets[cell] for cell in range(len(cells))), name=f"turn of the whole {number}")
            symmetries.append(turned.fixing(start))
        return Rules(symbols, start, moves, goal=[start], symmetries=symmetries, board=board_of(made))

    def view(self) -> View:
        """The places of each orbit side by side, each sticker with the colour of its symbol."""
        made = self.stickers
        symbols = symbols_of(made)
        spots: dict[int, tuple[float, float]] = {}
        down, first = 0.0, 0
        for _, size in made.orbits:
            for number, place in enumerate(made.places[first : first + size]):
                left = number % PLACES_IN_ROW * (len(place) + 0.5)
                top = down + number // PLACES_IN_ROW * 1.5
                spots |= {cell: (left + turned, top) for turned, cell in enumerate(place)}
            down, first = down + (-(-size // PLACES_IN_ROW)) * 1.5 + 0.5, first + size
        count = len(symbols)
        looks = {symbol: Look("tile", symbol, _colour(number, count), symbol) for number, symbol in enumerate(symbols)}
        view = View.of(self.rules(), places=[spots[cell] for cell in range(len(spots))])
        return view.changed(looks=looks, regions=[Region(place) for place in made.places if len(place) > 1])


def _turned(follows: dict[int, int], twist: int, symbols: list[str]) -> dict[str, str]:
    """The symbols that those of one cell become if their pieces are turned: each goes on around its piece."""
    turned = {label: label for label in follows}
    for _ in range(twist):
        turned = {label: follows[now] for label, now in turned.items()}
    return {symbols[label]: symbols[now] for label, now in turned.items() if now != label}


def symbols_of(made: Stickers) -> list[str]:
    """The symbols of the labels: single characters, or numbers if there are too many."""
    return list(SYMBOLS[: made.labels]) if made.labels <= len(SYMBOLS) else list(map(str, range(made.labels)))


def board_of(made: Stickers) -> Grid:
    """The rows of a state's text: a row for each orbit."""
    rows, first = [], 0
    for _, size in made.orbits:
        rows.append("o" * sum(map(len, made.places[first : first + size])))
        first += size
    return Grid.drawn("/".join(rows))


def id_of(name: str) -> str:
    """The id of a puzzle of a given name.

    >>> id_of("3x3x3"), id_of("Skewb Diamond"), id_of("LoopOver3-3")
    ('twisty-3x3x3', 'skewb-diamond', 'loopover3-3')
    """
    words = "-".join(re.findall(r"[a-z0-9_-]+", name.lower())).strip("-")
    return words if re.match("[a-z]", words) else f"twisty-{words}".rstrip("-")


def class_of(name: str) -> str:
    """The name of the class of a puzzle of a given name.

    >>> class_of("3x3x3"), class_of("skewb diamond")
    ('Twisty3x3x3', 'SkewbDiamond')
    """
    words = "".join(part.capitalize() for part in re.findall(r"[A-Za-z0-9]+", name))
    return words if re.match("[A-Z]", words) else f"Twisty{words}"


def kind_of(definition: Definition) -> type[Twisty]:
    """The type of the puzzles of a definition."""
    body = {
        "id": id_of(definition.name),
        "definition": definition,
        "__doc__": f"{definition.name}, a twisty puzzle from a file.",
        "__module__": __name__,
    }
    return dataclass(frozen=True)(type(class_of(definition.name), (Twisty,), body))


def _colour(number: int, count: int) -> str:
    """A colour of its own for each symbol: hues around the circle, in three shades."""
    red, green, blue = hls_to_rgb(number / count, (0.45, 0.6, 0.75)[number % 3], 0.6)
    return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"
