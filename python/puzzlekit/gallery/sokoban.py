"""Sokoban.

A keeper walks through a store and pushes boxes, one at a time, onto the marked places. He cannot pull. In the store
here play can reach 4,004 states, and the boxes are in place after 25 moves. From 3,258 of them no play
leads there.

Another store is a parameter, its rows joined by `/`, with the usual characters: `#` is a wall, `_` the floor, `.` a
mark, `$` a box, `*` a box on a mark, `@` the keeper and `+` the keeper on a mark. Marks never move, so they are in the
goal and not in the state. Walls are holes of the board.
"""

from dataclasses import dataclass

from puzzlekit import Grid, Look, Move, Puzzle, Rules, swap


@dataclass(frozen=True)
class Sokoban(Puzzle):
    """Boxes are pushed onto marks."""

    id = "sokoban"
    store: str = "#######/#.____#/#.$_#@#/###$__#/#__*__#/#___###/#######"

    def rules(self):
        grid = Grid.drawn(self.store)
        ahead = {(at, way): to for at, to, way in grid.steps()}
        moves = []
        for (at, way), to in ahead.items():
            moves.append(swap(at, to).when({at: "@", to: "_"}).named(way))
            if (to, way) in ahead:
                push = Move({at: "_", to: "@", ahead[to, way]: "$"})
                moves.append(push.when({at: "@", to: "$", ahead[to, way]: "_"}).named(way))
        drawn = self.store.replace("#", "").replace("/", "")
        return Rules(
            symbols="_$@",
            start=self.store.translate(str.maketrans(".*+", "_$@")),
            moves=moves,
            goal={cell: "$" for cell in grid if drawn[cell] in ".*+"},
            board=grid,
        )

    def view(self):
        box, keeper = Look("box", "", "#c58b4a", "box"), Look("person", "", "blue", "keeper")
        return super().view().changed(looks={"$": box, "@": keeper})
