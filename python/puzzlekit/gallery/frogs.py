"""Frogs and toads.

Frogs and toads sit in a row, with an empty place between them, and want to change sides. A frog goes to the right and a
toad to the left: a step to the empty place, or a jump over one animal to it. With 3 of each it takes 15 moves, and
with n of each n times n + 2. Most ways end in a jam.

No move is undone by another, so the graph is directed. Seen from behind, frogs are toads and toads are frogs: a mirror
that changes symbols is a symmetry.
"""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, Symmetry, parameter, swap


@dataclass(frozen=True)
class Frogs(Puzzle):
    """Frogs and toads change sides by steps and jumps."""

    id = "frogs"
    each: int = parameter(3, 1, 15, "frogs, and as many toads")

    def rules(self):
        places = range(2 * self.each + 1)
        moves = [
            swap(at, to).when({at: animal, to: "."}).named(at)
            for animal, way in (("F", 1), ("T", -1))
            for at in places
            for to in (at + way, at + 2 * way)
            if to in places
        ]
        frogs, toads = "F" * self.each, "T" * self.each
        mirror = Symmetry(tuple(reversed(places)), {"F": "T", "T": "F"}, name="mirror")
        return Rules("F.T", f"{frogs}.{toads}", moves, goal=f"{toads}.{frogs}", symmetries=[mirror])
