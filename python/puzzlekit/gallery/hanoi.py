"""The tower of Hanoi.

Disks lie on pegs, each on a larger one. A move takes the top disk of a peg to another peg, never onto a smaller disk.
All disks are to get from the first peg to the last. With 3 pegs that takes twice as many moves and one more for each
disk: 4 disks can lie in 81 ways and take 15 moves. With 4 pegs 8 disks take 33 moves, by the method of Frame and
Stewart.

The cells are the disks, smallest first, and a symbol is the peg that a disk is on. So a guard can say "every smaller
disk is on some other peg", and no cell has to count.
"""

from dataclasses import dataclass
from itertools import pairwise, permutations

from puzzlekit import Puzzle, Rules, Spot, Symmetry, View, parameter, put


@dataclass(frozen=True)
class Hanoi(Puzzle):
    """Take all disks to the last peg, one at a time, and never a larger one onto a smaller one."""

    id = "hanoi"
    disks: int = parameter(4, 1, 20, "disks")
    pegs: int = parameter(3, 3, 6, "pegs")

    def rules(self):
        pegs = "ABCDEF"[: self.pegs]
        moves = [
            put(disk, b).when({disk: a} | {smaller: set(pegs) - {a, b} for smaller in range(disk)}).named(a + b)
            for disk in range(self.disks)
            for a, b in permutations(pegs, 2)
        ]
        # The pegs between the first and the last are all alike.
        alike = [Symmetry(tuple(range(self.disks)), {a: b, b: a}) for a, b in pairwise(pegs[1:-1])]
        return Rules(pegs, pegs[0] * self.disks, moves, goal=pegs[-1] * self.disks, symmetries=alike)

    def view(self):
        disks = [Spot(i, 0, i, "stack", 1 + 0.4 * i, name=f"disk {i + 1}") for i in range(self.disks)]
        return View.of(self.rules(), places=disks)
