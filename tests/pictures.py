"""Pictures that were looked at and found right, in `docs/pictures`; `python -m tests.pictures` writes them.

After a change of how things are drawn, write them anew and look at each: a browser shows SVG.
"""

from __future__ import annotations

from pathlib import Path

import puzzlekit
from puzzlekit import HexGrid, Look, Rules, View, put, strip
from tests import gallery

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"

# For each puzzle: a state, and the moves that are made from there.
STATES = {
    "flipit": ("#.../..../..../....", "6 11 6 16"),
    "rotate": ("iejb/facg/nkhd/mpol", ""),
    "rotation": ("594/183/726", ""),
    "slider": ("8 7 6/5 0 4/3 2 1", ""),
    "tictactoe": ("X.O/.X./O..:X", ""),
    "connect_four": ("..../..../X.../OXXO:O", ""),
    "cube2_stickers": ("", "U R' F2"),
    "klotski": ("", ""),
    "mu_torere": ("", "3 4 centre"),
    "pegs": ("", "4-16"),
    "river": ("", "1m1c"),
    "sokoban": ("", "up"),
    "topspin": ("", "right flip"),
}


def pictures() -> dict[str, str]:
    """The text of each picture by its name."""
    found = {name: state(name, *about) for name, about in STATES.items()}
    rotation = puzzlekit.load("rotation")
    solution = rotation.solve("159/268/347", puzzlekit.solvers(rotation)["staged"])
    first = [stage for stage in solution.stages if stage.begins < 3]
    found["strip"] = str(strip(rotation, solution.state, solution.moves[:3], first))
    found["plot"] = str(puzzlekit.load("tictactoe").enumerate().bars().picture())
    found["hexagons"] = hexagons()
    return found


def state(name: str, start: str, moves: str) -> str:
    """A puzzle's picture after some moves."""
    sizes = {"rotate": "rotate:4,4"}
    puzzle = gallery.load(name) if name in gallery.FILES else puzzlekit.load(sizes.get(name, name))
    now = start or puzzle.start
    for move in moves.split():
        now = puzzle.apply(now, move)
    return str(puzzle.picture(now, moves.split()))


def hexagons() -> str:
    """A board that no puzzle of the gallery has, with labels, a region and every shape of a look."""
    board = HexGrid.hexagon(2)
    shapes = {"none": "", "text": "t", "tile": "ab", "disk": "<&", "cross": "", "ring": ""}
    symbols = list(shapes)
    rules = Rules(symbols, [*symbols, "disk"], [put(0, "disk").when({0: "none"})], board=board)
    looks = {shape: Look(shape, text, "sky") for shape, text in shapes.items()}
    labels = {cell: str(cell + 1) for cell in board}
    return View.of(rules).changed(looks=looks, labels=labels, regions=[[0, 1]]).draw(",".join(map(str, rules.start)))


def write() -> None:
    """Writes all pictures into `docs/pictures`."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in pictures().items():
        (FOLDER / f"{name}.svg").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
