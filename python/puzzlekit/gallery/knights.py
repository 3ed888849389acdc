"""The exchange of the knights, or Guarini's puzzle.

White knights and black knights are to change places, by moves of chess. Any knight may move, to an empty square. Here
two of each colour stand in the corners of 3 by 3 squares, a puzzle of 1512. It takes 16 moves, and play can reach 280
states.

Other squares are a parameter, with `/` between the rows: `www/.../.../bbb` takes 16 moves as well. Left and
right must look the same there, and top and bottom but for the colours: `fixing` has each mirror exchange the colours
if the start wants it.
"""

from dataclasses import dataclass

from puzzlekit import Grid, Puzzle, Rules, anything_but, swap


@dataclass(frozen=True)
class Knights(Puzzle):
    """White and black knights change places."""

    id = "knights"
    squares: str = "w.w/.../b.b"

    def rules(self):
        grid = Grid.drawn(self.squares)
        jumps = [
            (a, b)
            for a in grid
            for b in grid
            if {abs(p - q) for p, q in zip(grid.place(a), grid.place(b), strict=True)} == {1, 2}
        ]
        mirrors = [mirror for mirror in grid.symmetries() if mirror.name in ("left to right", "top to bottom")]
        return Rules(
            symbols=".wb",
            start=self.squares,
            goal=self.squares.translate(str.maketrans("wb", "bw")),
            moves=[swap(a, b).when({a: anything_but("."), b: "."}).named(f"{a}-{b}") for a, b in jumps],
            symmetries=[mirror.fixing(self.squares.replace("/", "")) for mirror in mirrors],
        )
