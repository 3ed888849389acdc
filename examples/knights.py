"""The exchange of the knights, or Guarini's puzzle.

White knights and black knights are to change places, by moves of chess. Any knight may move, to an empty square. Here
two of each colour stand in the corners of 3 by 3 squares, a puzzle of 1512. It takes 16 moves, and play can reach 280
states.

Other squares are a parameter, with `/` between the rows: `www/.../.../bbb` takes 16 moves as well. The mirror must
carry the start onto itself, so only squares that are the same from left to right will do.
"""

from dataclasses import dataclass

from puzzlekit import Grid, Puzzle, Rules, swap


@dataclass(frozen=True)
class Knights(Puzzle):
    """White and black knights change places."""

    id = "knights"
    squares: str = "w.w/.../b.b"

    def rules(self):
        rows = self.squares.split("/")
        grid, start = Grid(len(rows), len(rows[0])), "".join(rows)
        jumps = [
            (a, b)
            for a in grid
            for b in grid
            if {abs(p - q) for p, q in zip(grid.place(a), grid.place(b), strict=True)} == {1, 2}
        ]
        return Rules(
            symbols=".wb",
            start=start,
            goal=start.translate(str.maketrans("wb", "bw")),
            moves=[swap(a, b).when({a: {"w", "b"}, b: "."}).named(f"{a}-{b}") for a, b in jumps],
            symmetries=[mirror for mirror in grid.symmetries() if mirror.name == "left to right"],
            columns=grid.columns,
        )
