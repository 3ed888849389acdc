"""Writes a definition as a puzzle in Python, as a person would: cycles, powers and inverses, in one file."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from puzzlekit import UsageError
from puzzlekit_twisty.puzzle import class_of, id_of, symbols_of
from puzzlekit_twisty.stickers import cycles, stickers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from puzzlekit_twisty.definition import Definition
    from puzzlekit_twisty.stickers import Cells

WIDTH = 118
"""The longest line."""

FILE = '''\
"""{name}, written by `puzzlekit import`.

{about}
"""

from dataclasses import dataclass

from puzzlekit import {imports}

{constants}


@dataclass(frozen=True)
class {kind}(Puzzle):
    """{name}, a twisty puzzle."""

    id = "{id}"
{quarter}
    def rules(self):
        moves = []
        for name, turn in TURNS.items():
{powers}{guards}        return Rules(
            symbols=SYMBOLS,
            start=START,
            goal=[START],
            moves=moves,
{symmetries}            board=BOARD,
        )
'''

THIRDS = """\
            moves += [turn.named(name), (~turn).named(f"{name}'")]
"""

QUARTERS = """\
            moves.append(turn.named(name))
            if not self.quarter:
                moves.append((turn**2).named(f"{name}2"))
            moves.append((~turn).named(f"{name}'"))
"""

ANY = """\
            for times in TIMES[name]:
                if self.quarter and abs(times) > 1:
                    continue
                power = turn if times > 0 else ~turn
                mark = ("" if abs(times) == 1 else str(abs(times))) + ("" if times > 0 else "'")
                moves.append((power ** abs(times)).named(f"{name}{mark}"))
"""

SYMMETRIES = """\
            symmetries=[Symmetry(cells).fixing(START) for cells in WHOLE],
"""

GUARDS = """\
        for place, move in enumerate(moves):
            moves[place] = move.when({cell: anything_but(*wrong) for cell, wrong in BARRED.get(move.name, {}).items()})
"""


def python(definition: Definition) -> str:
    """The text of a file that defines the puzzle of a definition. The file needs puzzlekit alone.

    Raises:
        UsageError: The puzzle is so large that a cell holds a piece in place of a sticker.
    """
    made = stickers(definition)
    if made.around:
        raise UsageError(f"{id_of(definition.name)} is too large to be written sticker by sticker; use the file itself")
    symbols = symbols_of(made)
    single = all(len(symbol) == 1 for symbol in symbols)
    rows, lengths, about, first = [], [], [], 0
    for orbit, size in made.orbits:
        places = made.places[first : first + size]
        first += size
        cells = [cell for place in places for cell in place]
        lengths.append(len(cells))
        rows.append(("" if single else " ").join(symbols[made.start[cell]] for cell in cells))
        each = f", {len(places[0])} for each place" if len(places[0]) > 1 else ""
        about.append(f"{_plain(orbit)} {'have the cells' if len(cells) > 1 else 'has the cell'} {_range(cells)}{each}.")
    turns: dict[str, tuple[Cells, list[int]]] = {}
    for turn in made.turns:
        if turn.base in turns:
            turns[turn.base][1].append(turn.times)
        else:
            turns[turn.base if turn.times == 1 else turn.name] = (turn.cells, [turn.times if turn.times == 1 else 1])
    powers = {tuple(times) for _, times in turns.values()}
    loop = THIRDS if powers == {(1, -1)} else QUARTERS if powers == {(1, 2, -1)} else ANY
    constants = [
        *_joined("SYMBOLS", symbols, single),
        *_start(rows, single),
        _board(lengths),
        "# Each turn takes the sticker of each cell to the next one in its cycle.",
        *_mapping("TURNS", {name: f"cycle({_cycles(cells)})" for name, (cells, _) in turns.items()}),
    ]
    if loop == ANY:
        constants.append("# How often a turn is made, backward if the number is negative.")
        constants += _mapping("TIMES", {name: _listed(times) for name, (_, times) in turns.items()})
    barred = {turn.name: dict(turn.barred) for turn in made.turns if turn.barred}
    if barred:
        shown = {name: _barred(guard, symbols, single) for name, guard in barred.items()}
        constants += ["# What cells may not hold before a move.", *_mapping("BARRED", shown)]
    if made.symmetries:
        constants.append("# Turns of the whole puzzle: for each cell the one to which its sticker goes.")
        targets = [sorted(range(len(cells)), key=cells.__getitem__) for cells in made.symmetries]
        constants += ["WHOLE = [", *(line for cells in targets for line in _filled(f"    {_listed(cells)},", 5)), "]"]
    imports = {"Grid", "Puzzle", "Rules", "cycle"}
    imports |= {"Symmetry"} if made.symmetries else set()
    imports |= {"anything_but"} if barred else set()
    return FILE.format(
        name=_plain(definition.name),
        about=textwrap.fill(f"A cell is a sticker of a place, a symbol a sticker of a piece. {' '.join(about)}", WIDTH),
        imports=", ".join(sorted(imports, key=lambda name: (name[0].islower(), name))),
        constants="\n".join(constants),
        kind=class_of(definition.name),
        id=id_of(definition.name),
        quarter="" if loop == THIRDS else "    quarter: bool = False\n",
        powers=loop,
        guards=GUARDS if barred else "",
        symmetries=SYMMETRIES if made.symmetries else "",
    )


def _plain(text: str) -> str:
    """A text as it may stand in a docstring."""
    return text.replace("\\", "\\\\").replace('"', "'")


def _quoted(text: str) -> str:
    """A text as a literal, with double quotes if that needs no more marks."""
    return f'"{text}"' if text.isprintable() and not set(text) & set('"\\') else repr(text)


def _range(cells: list[int]) -> str:
    return str(cells[0]) if len(cells) == 1 else f"{cells[0]} to {cells[-1]}"


def _listed(numbers: Iterable[int]) -> str:
    """Numbers as a tuple."""
    shown = list(map(str, numbers))
    return f"({', '.join(shown)}{',' if len(shown) == 1 else ''})"


def _cycles(cells: Cells) -> str:
    return ", ".join(map(str, cycles(cells)))


def _joined(name: str, symbols: list[str], single: bool) -> list[str]:
    if single:
        return [f'{name} = "{"".join(symbols)}"']
    return [f"{name} = list(map(str, range({len(symbols)})))"]


def _start(rows: list[str], single: bool) -> list[str]:
    if not single:
        return ["START = (", *(line for row in rows for line in _words(row)), ").split()"]
    lines = [f'    "{row[at : at + 100]}"' for row in rows for at in range(0, len(row), 100)]
    return [f"START = {lines[0].strip()}"] if len(lines) == 1 else ["START = (", *lines, ")"]


def _board(lengths: list[int]) -> str:
    if len(lengths) == 1:
        return f'BOARD = Grid.drawn("o" * {lengths[0]})'
    return f'BOARD = Grid.drawn("/".join("o" * length for length in {_listed(lengths)}))'


def _words(row: str) -> list[str]:
    return [f'    "{line} "' for line in textwrap.wrap(row, 100)]


def _barred(guard: dict[int, frozenset[int]], symbols: list[str], single: bool) -> str:
    def shown(wrong: frozenset[int]) -> str:
        names = [symbols[label] for label in sorted(wrong)]
        return _quoted("".join(names)) if single else f"[{', '.join(map(_quoted, names))}]"

    return f"{{{', '.join(f'{cell}: {shown(wrong)}' for cell, wrong in guard.items())}}}"


def _mapping(name: str, entries: dict[str, str]) -> list[str]:
    lines = [f"{name} = {{"]
    for key, value in entries.items():
        lines += _filled(f"    {_quoted(key)}: {value},", 8)
    return [*lines, "}"]


def _filled(line: str, indent: int) -> list[str]:
    """Breaks a line of code at spaces if it is too long. Of its texts, only the key at its beginning has spaces."""
    if len(line) <= WIDTH:
        return [line]
    start = len(line) - len(line.lstrip())
    return textwrap.wrap(
        line.strip(), WIDTH, initial_indent=" " * start, subsequent_indent=" " * indent, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip
