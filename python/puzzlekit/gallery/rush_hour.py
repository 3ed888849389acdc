"""Rush Hour.

Cars stand in a yard of 6 by 6, each along a row or a column, and go forward and back. The car A is to get to the exit
at the right end of its row. A move takes one car any number of cells. The yard here needs 60 moves, as many as any of
the 2,332 states that play can reach. Another yard is a parameter: its rows one after the other, with a letter for each
car, `o` or `.` for an empty cell and `x` for a wall. A whole line of Michael Fogleman's database will do, too.

Each car is a symbol of its own. A guard names all cells of a car's way: those that it leaves, and those that it needs.
A yard that makes no sense is refused when the puzzle is made.
"""

from dataclasses import dataclass
from itertools import permutations

from puzzlekit import Grid, Move, Puzzle, Rules, UsageError


@dataclass(frozen=True)
class RushHour(Puzzle):
    """Cars go forward and back, until the car A is at the exit."""

    id = "rush_hour"
    yard: str = "IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM"

    @property
    def cells(self):
        """The 36 cells of the yard: the longest word of a line, in which rows may be joined by `/`."""
        return max(self.yard.replace("/", "").replace(".", "o").split(), key=len, default="")

    def __post_init__(self):
        super().__post_init__()
        if len(self.cells) != 36 or self.cells[12:18].count("A") < 2:
            raise UsageError(f"yard of rush_hour is {self.yard}; give 36 cells, with the car A in the third row")

    def rules(self):
        grid, yard, moves = Grid(6, 6), self.cells, []
        for car in sorted(set(yard) - set("ox")):
            at, beside, *more = (cell for cell in grid if yard[cell] == car)
            length, (row, column) = len(more) + 2, grid.place(at)
            track = [grid.cell(row, i) if beside == at + 1 else grid.cell(i, column) for i in range(6)]
            for a, b in permutations(range(7 - length), 2):
                old, new = track[a : a + length], track[b : b + length]
                way = track[min(a, b) : max(a, b) + length]
                drive = Move(dict.fromkeys(old, "o") | dict.fromkeys(new, car))
                moves.append(drive.when({cell: car if cell in old else "o" for cell in way}).named(f"{car}{b - a:+}"))
        return Rules(sorted(set(yard)), yard, moves, goal={16: "A", 17: "A"}, columns=6)
