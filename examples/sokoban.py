"""Sokoban.

A keeper walks through a store and pushes boxes, one at a time, onto the marked places. He cannot pull. In the store
here play can reach 4,004 states, and the boxes are in place after 25 moves.

Another store is a parameter, its rows joined by `/`, with the usual characters: `#` is a wall, `-` the floor, `.` a
mark, `$` a box, `*` a box on a mark, `@` the keeper and `+` the keeper on a mark. Marks never move, so they are in the
goal and not in the state.
"""

from dataclasses import dataclass

from puzzlekit import Grid, Move, Puzzle, Rules, swap


@dataclass(frozen=True)
class Sokoban(Puzzle):
    """Boxes are pushed onto marks."""

    id = "sokoban"
    store: str = "#######/#.----#/#.$-#@#/###$--#/#--*--#/#---###/#######"

    def rules(self):
        rows = self.store.split("/")
        grid, drawn = Grid(len(rows), len(rows[0])), "".join(rows)
        moves = []
        for at, to, way in grid.steps():
            beyond = to + to - at
            if "#" not in drawn[at] + drawn[to]:
                moves.append(swap(at, to).when({at: "@", to: "-"}).named(way))
                push = Move({at: "-", to: "@", beyond: "$"})
                moves.append(push.when({at: "@", to: "$", beyond: "-"}).named(way))
        return Rules(
            symbols="#-$@",
            start=drawn.translate(str.maketrans(".*+", "-$@")),
            moves=moves,
            goal={cell: "$" for cell in grid if drawn[cell] in ".*+"},
            columns=grid.columns,
        )
