"""TopSpin.

Numbered tokens lie on a ring with a turnstile that holds four of them. A move goes one step around the ring, either
way, or turns the turnstile over, which reverses the four. 8 tokens can lie in 40,320 ways and take up to 22 moves. A
ring with an odd number of tokens has only every other arrangement: 9 tokens have 181,440.

`~` undoes a move, and `cycle` takes several cycles at once. A mirror of the ring that keeps the turnstile is a
symmetry, since there are steps both ways; `fixing` renames the tokens so that the start is kept.
"""

from dataclasses import dataclass

from puzzlekit import Puzzle, Ring, Rules, Symmetry, cycle, parameter


@dataclass(frozen=True)
class TopSpin(Puzzle):
    """Tokens on a ring, four of which a turnstile reverses."""

    id = "topspin"
    tokens: int = parameter(8, 5, 16, "tokens on the ring")

    def rules(self):
        ring = "abcdefghijklmnop"[: self.tokens]
        places = range(self.tokens)
        right = cycle(*places)
        moves = [
            right.named("right"),
            (~right).named("left"),
            cycle([0, 3], [1, 2]).named("flip"),
        ]
        mirror = Symmetry(tuple((3 - place) % self.tokens for place in places), name="mirror")
        return Rules(ring, ring, moves, goal=ring, symmetries=[mirror.fixing(ring)], board=Ring(self.tokens))
