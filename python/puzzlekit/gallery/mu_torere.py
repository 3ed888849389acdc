"""Mū Tōrere, a game of the Māori.

Eight points lie around a centre. Each player has four stones, side by side. A move takes a stone to the point that is
empty: to a neighbour around the ring, from the centre outward, or into the centre if a stone of the other player is
beside it. Who cannot move loses. Play can go around for ever, and with best play it does: the value is a draw.

The three guards of a move into the centre exclude each other, so that in no state two moves have one name.
"""

from dataclasses import dataclass

from puzzlekit import Puzzle, Ring, Rules, Symmetry, swap

CENTRE = 8


def moves(own, other):
    """The moves of one player."""
    for at in range(8):
        left, right = (at - 1) % 8, (at + 1) % 8
        steps = [swap(at, beside).when({at: own, beside: "."}) for beside in (left, right)]
        steps += [
            swap(at, CENTRE).when({at: own, CENTRE: ".", left: a, right: b})
            for a, b in [(own, other), (other, own), (other, other)]
        ]
        yield from (step.named(at).by(own) for step in steps)
        yield swap(CENTRE, at).when({CENTRE: own, at: "."}).named("centre").by(own)


@dataclass(frozen=True)
class MuTorere(Puzzle):
    """Four stones each around a centre; who cannot move loses."""

    id = "mu_torere"

    def rules(self):
        ring = range(8)
        mirror = Symmetry((*((3 - point) % 8 for point in ring), CENTRE), name="mirror")
        change = Symmetry((*((point + 4) % 8 for point in ring), CENTRE), {"X": "O", "O": "X"}, True, "players")
        return Rules(
            symbols=".XO",
            start="XXXXOOOO.",
            players="XO",
            moves=[*moves("X", "O"), *moves("O", "X")],
            stuck="loss",
            symmetries=[mirror, change],
            board=Ring(8, centre=True),
        )
