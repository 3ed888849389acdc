"""Small puzzles that no plugin brings: one or more for each shape of rules that the engine treats in a special way."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from puzzlekit import Copy, End, Grid, Move, Rules, Symmetry, cycle, put, swap, toggle, win

if TYPE_CHECKING:
    from collections.abc import Iterable


def slide(rows: int, columns: int) -> Rules:
    """Sliding tiles: the rules are inverse-closed, there is one blank, and moves share names."""
    grid = Grid(rows, columns)
    tiles = range(grid.cells)
    return Rules(
        symbols=tiles,
        start=tiles,
        goal=[tiles],
        moves=[swap(a, b).when({a: 0}).named(direction) for a, b, direction in grid.steps()],
        symmetries=[symmetry.fixing(tiles) for symmetry in grid.symmetries()[2:]],
        columns=columns,
    )


def turn(rows: int, columns: int) -> Rules:
    """Clockwise turns of 2x2 blocks, each cell with a letter of its own. The rules are directed."""
    return coloured("ABCDEFGHIJKL"[: rows * columns], columns)


def coloured(start: str, columns: int) -> Rules:
    """Clockwise turns of 2x2 blocks, with colours that repeat. The rules are directed."""
    grid = Grid(len(start) // columns, columns)
    return Rules(
        symbols=sorted(set(start)),
        start=start,
        goal=start,
        moves=[cycle(*grid.block(corner)) for corner in grid.corners()],
        symmetries=[rotation.fixing(start) for rotation in grid.rotations()],
        columns=columns,
    )


def coloured_slide(start: str, columns: int) -> Rules:
    """Sliding tiles whose colours repeat, with more than one blank."""
    grid = Grid(len(start) // columns, columns)
    return Rules(
        symbols=sorted(set(start)),
        start=start,
        goal=start,
        moves=[swap(a, b).when({a: "."}).named(f"{direction}{a}") for a, b, direction in grid.steps()],
        symmetries=[grid.symmetries()[0].fixing(start)],
        columns=columns,
    )


def lights(rows: int, columns: int, colours: int = 2) -> Rules:
    """Lights: a press advances a light and its neighbours. With two colours each move undoes itself, else none does."""
    grid = Grid(rows, columns)
    return Rules(
        symbols=range(colours),
        start=[0] * grid.cells,
        goal=[[0] * grid.cells],
        moves=[toggle(*grid.neighbourhood(cell)) for cell in grid],
        symmetries=grid.symmetries(),
        columns=columns,
    )


def pegs() -> Rules:
    """Peg solitaire on a 4 by 4 board with a corner free. The rules are layered, and play ends stuck or solved."""
    grid = Grid(4, 4)
    jumps = [line for line in grid.lines(3) if line[1] - line[0] in (1, 4)]
    return Rules(
        symbols=".o",
        start="." + "o" * 15,
        goal=[{cell: "o" if cell == home else "." for cell in grid} for home in grid],
        moves=[
            Move(then={a: ".", b: ".", c: "o"}).when({a: "o", b: "o", c: "."})
            for line in jumps
            for a, b, c in (line, line[::-1])
        ],
        symmetries=grid.symmetries()[2:],
        columns=4,
    )


def hanoi(disks: int) -> Rules:
    """The towers of Hanoi: a cell for each disk; its symbol is the peg. Guards have sets of symbols; no move copies."""
    pegs_ = "ABC"
    moves = []
    for disk in range(disks):
        for source in pegs_:
            for target in pegs_:
                if source != target:
                    (free,) = set(pegs_) - {source, target}
                    smaller = dict.fromkeys(range(disk), free)
                    moves.append(put(disk, target).when({disk: source, **smaller}).named(f"{disk}{source}{target}"))
    return Rules(
        symbols=pegs_,
        start="A" * disks,
        goal="C" * disks if disks > 1 else ["C"],
        moves=moves,
    )


def chase() -> Rules:
    """Two pieces on a ring of five cells; white is to catch black. The rules are directed, and play can repeat."""
    ring = range(5)
    moves = []
    for piece, other in ("WB", "BW"):
        for cell in ring:
            for step, name in ((1, "on"), (-1, "back")):
                to = (cell + step) % 5
                moves.append(
                    Move(then={cell: ".", to: piece})
                    .when({cell: piece, to: {".", other}})
                    .by(piece)
                    .named(f"{cell}{name}")
                )
    return Rules(
        symbols=".WB",
        start="W.B..",
        players="WB",
        moves=moves,
        ends=[
            *(End("caught", {cell: {".", "W"} for cell in ring}) for _ in range(1)),
            *(win("B", {cell: {".", "B"} for cell in ring}) for _ in range(1)),
        ],
    )


def nim() -> Rules:
    """A pile of tokens. Each turn takes one to three, and who takes the last wins. A symmetry swaps the players."""
    moves = [
        Move(then=dict.fromkeys(range(low, low + taken), "."))
        .when({low + taken: ".", **dict.fromkeys(range(low, low + taken), "o")})
        .named(f"{taken} from {low}")
        for taken in (1, 2, 3)
        for low in range(8 - taken)
    ]
    return Rules(
        symbols=".o",
        start="ooooooo.",
        players=("first", "second"),
        moves=moves,
        stuck="loss",
        symmetries=[Symmetry(tuple(range(8)), swap_players=True, name="colours")],
    )


def nim_again() -> Rules:
    """The pile of tokens, and who takes two moves again. No symbols are renamed like the players, who are swapped."""
    rules = nim()
    return replace(rules, moves=[move.again() if (move.name or "").startswith("2") else move for move in rules.moves])


def chase_again() -> Rules:
    """The chase on the ring, and who leaves cell 0 or goes on from cell 3 moves again: play can repeat either way."""
    rules = chase()
    again = {"0on", "0back", "3on"}
    return replace(rules, moves=[move.again() if move.name in again else move for move in rules.moves])


def recolour() -> Rules:
    """A cell that copies its neighbour through a map that merges symbols, so that moves cannot be undone."""
    merge: dict[str | int, str | int] = {"a": "b", "b": "c", "c": "c"}
    moves = [Move(then={to: Copy(source, map=merge)}) for source in range(3) for to in range(3) if source != to]
    return Rules(symbols="abc", start="aba", goal=[{0: {"b", "c"}, 1: "c"}], moves=moves)


def ring(cells: int) -> Rules:
    """Lights on a ring. Each press toggles three. There are as many rotations as cells, and as many reflections."""
    return Rules(
        symbols=".x",
        start="." * cells,
        goal="." * cells,
        moves=[toggle(*((cell + step) % cells for step in (-1, 0, 1))) for cell in range(cells)],
        symmetries=[
            Symmetry((*range(1, cells), 0), name="turn"),
            Symmetry(tuple(reversed(range(cells))), name="flip"),
        ],
    )


def burnt(cells: int) -> Rules:
    """Burnt pancakes: each move turns over the upper ones. Their order and the sides that are up are the state."""
    pancakes = "abcdefghij"[:cells]
    over: dict[str | int, str | int] = {
        **dict(zip(pancakes, pancakes.upper(), strict=True)),
        **dict(zip(pancakes.upper(), pancakes, strict=True)),
    }
    return Rules(
        symbols=pancakes + pancakes.upper(),
        start=pancakes,
        goal=pancakes,
        moves=[Move({at: Copy(top - at, map=over) for at in range(top + 1)}).named(str(top)) for top in range(cells)],
    )


def corners(*faces: str) -> Rules:
    """The corners of a cube, which the given faces turn by quarters both ways. `2C` is corner C, twisted twice.

    `A` to `D` are the upper corners clockwise, beginning at the back on the left, and `E` to `H` those below them. The
    corners of each face are in the order of a clockwise turn. A turn of an upright face twists them by 1, 2, 1 and 2
    thirds, beginning with the corner that goes from its upper left to its upper right. So the sum of all twists stays.
    """
    turns = {"U": "ABCD", "D": "HGFE", "F": "DCGH", "B": "BAEF", "R": "CBFG", "L": "ADHE"}
    names = "ABCDEFGH"
    moves = []
    for face in faces:
        cells = [names.index(name) for name in turns[face]]
        twists = [0] * 4 if face in "UD" else [1, 2, 1, 2]
        steps = list(zip(cells, cells[1:] + cells[:1], twists, strict=True))
        moves.append(Move({to: Copy(at, map=_twisted(by)) for at, to, by in steps}).named(face))
        moves.append(Move({at: Copy(to, map=_twisted(-by % 3)) for at, to, by in steps}).named(f"{face}'"))
    return Rules(
        symbols=[f"{twist}{name}" for name in names for twist in range(3)],
        start=[f"0{name}" for name in names],
        moves=moves,
    )


def _twisted(by: int) -> dict[str | int, str | int]:
    return {f"{twist}{name}": f"{(twist + by) % 3}{name}" for name in "ABCDEFGH" for twist in range(3) if by}


def dials() -> Rules:
    """Three dials of six symbols, which turn one way if a neighbour is in a set. Two codes of 3 bits are unused."""
    sets = ({"a", "b"}, {"b", "d", "f"}, {"e", "f"}, {"a", "c", "d"})
    moves = [
        Move({dial: Copy(dial, advance=1)}).when({(dial + 1) % 3: allowed}).named(f"{dial} {place}")
        for dial in range(3)
        for place, allowed in enumerate(sets)
    ]
    return Rules(symbols="abcdef", start="aaa", goal=[{0: {"e", "f"}, 1: {"c", "d", "e"}}], moves=moves)


ALL = {
    "slide:2,3": slide(2, 3),
    "slide:3,2": slide(3, 2),
    "turn:2,3": turn(2, 3),
    "turn:2,2": turn(2, 2),
    "colours:2,4": coloured("aabbccaa", 4),
    "colours:slide": coloured_slide("ab.cba.c", 4),
    "lights:3,3": lights(3, 3),
    "lights:2,3,3": lights(2, 3, 3),
    "pegs": pegs(),
    "hanoi:4": hanoi(4),
    "chase": chase(),
    "nim": nim(),
    "nim again": nim_again(),
    "chase again": chase_again(),
    "recolour": recolour(),
    "ring:9": ring(9),
    "ring:11": ring(11),
    "dials": dials(),
    "burnt:4": burnt(4),
}

QUICK = {
    "slide:2,3",
    "turn:2,2",
    "colours:slide",
    "lights:3,3",
    "pegs",
    "chase again",
    "nim",
    "ring:9",
    "dials",
    "burnt:4",
    "recolour",
    "chase",
}
"""One board of each shape, for tests of which the quick run need not try them all. `tests/test_oracle.py` tries all."""


def quickly(names: Iterable[Any]) -> list[Any]:
    """Parameters of a test. The quick run takes the boards of `QUICK` alone, and the weekly run all that are named.

    Each is the name, or the place and the name if those are given in pairs, as `enumerate` makes them. Instead of the
    commas of a name there may be `x`, as in text ids.
    """
    given = [name if isinstance(name, tuple) else (name,) for name in names]
    return [
        pytest.param(*each, marks=() if each[-1].replace("x", ",") in QUICK else pytest.mark.slow) for each in given
    ]
