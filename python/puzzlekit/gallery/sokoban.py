"""Sokoban.

A keeper walks through a store and pushes boxes, one at a time, onto the marked places. He cannot pull. In the store
here play can reach 4,004 states, and the boxes are in place after 25 moves. From 3,258 of them no play leads there.

Another store is a parameter, in the characters of XSB levels: `#` is a wall, `_`, `-` or a space the floor, `.` a mark,
`$` a box, `*` a box on a mark, `@` the keeper and `+` the keeper on a mark. Rows are joined by `/` or `|`, and a number
repeats the character after it: `5#|#@$.#|5#`. A shell makes one line of a file: `tr ' ' - < level.xsb | paste -sd '|'`.

Marks are in the goal, not in the state. Walls, and all that the keeper cannot get to, are holes of the board.
"""

import re
from dataclasses import dataclass

from puzzlekit import Grid, Look, Move, Puzzle, Rules, UsageError, swap


def drawn(store):
    """The rows of a store, joined by `/`, with walls around all that the keeper can get to."""
    whole = re.sub(r"(\d+)(\D)", lambda run: run[2] * int(run[1][:4]), store)
    rows = re.split("[/|]", re.sub("[ -]", "_", whole).strip("/|"))
    marks = {(y, x): mark for y, row in enumerate(rows) for x, mark in enumerate(row) if mark != "#"}
    new = [at for at, mark in marks.items() if mark in "@+"]
    if len(new) != 1 or set(marks.values()) - set("_.$*@+"):
        raise UsageError(f"store of sokoban is {store}; give one keeper, @ or +, among the characters #_.$*")
    if not 0 < sum(mark in ".*+" for mark in marks.values()) <= sum(mark in "$*" for mark in marks.values()):
        raise UsageError(f"store of sokoban is {store}; give a mark at least, and a box for each")
    inside = set(new)
    for y, x in new:
        near = {(y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)} & marks.keys() - inside
        inside |= near
        new += near
    if any(mark in ".$" for at, mark in marks.items() if at not in inside):
        raise UsageError(f"store of sokoban is {store}; the keeper cannot get to each box and each mark")
    return "/".join("".join(row[x] if (y, x) in inside else "#" for x in range(len(row))) for y, row in enumerate(rows))


@dataclass(frozen=True)
class Sokoban(Puzzle):
    """Boxes are pushed onto marks."""

    id = "sokoban"
    store: str = "#######/#.____#/#.$_#@#/###$__#/#__*__#/#___###/#######"

    def rules(self):
        store = drawn(self.store)
        grid, cells, moves = Grid.drawn(store), re.sub("[#/]", "", store), []
        ahead = {(at, way): to for at, to, way in grid.steps()}
        for (at, way), to in ahead.items():
            moves.append(swap(at, to).when({at: "@", to: "_"}).named(way))
            if (to, way) in ahead:
                push = Move({at: "_", to: "@", ahead[to, way]: "$"})
                moves.append(push.when({at: "@", to: "$", ahead[to, way]: "_"}).named(way))
        start = store.translate(str.maketrans(".*+", "_$@"))
        return Rules("_$@", start, moves, goal={cell: "$" for cell in grid if cells[cell] in ".*+"}, board=grid)

    def view(self):
        box, keeper = Look("box", "", "#c58b4a", "box"), Look("person", "", "blue", "keeper")
        return super().view().changed(looks={"$": box, "@": keeper}, walls=True)
