"""Missionaries and cannibals cross a river.

Three missionaries and three cannibals are to cross in a boat that holds two. On neither bank may the missionaries that
are there be fewer than the cannibals there. It takes 11 crossings, and play reaches 16 states. With four of each and
a boat for three it takes 9.

The cells are numbers: the missionaries and the cannibals on the left bank; and the side of the boat. A move is written
out for each number from which it is safe.
"""

from dataclasses import dataclass

from puzzlekit import Look, Move, Puzzle, Rules, parameter


@dataclass(frozen=True)
class River(Puzzle):
    """Missionaries and cannibals cross a river, and are not to be outnumbered."""

    id = "river"
    each: int = parameter(3, 1, 9, "missionaries, and as many cannibals")
    boat: int = parameter(2, 1, 9, "places in the boat")

    def rules(self):
        all_ = range(self.each + 1)
        # Safe on both banks: as many of one as of the other, or the missionaries all on one bank.
        safe = [(m, c) for m in all_ for c in all_ if m == c or m in (0, self.each)]
        moves = [
            Move({0: to[0], 1: to[1], 2: there}).when({0: at[0], 1: at[1], 2: here}).named(f"{boat[0]}m{boat[1]}c")
            for here, there, sign in (("left", "right", -1), ("right", "left", 1))
            for at in safe
            for to in safe
            for boat in [(sign * (to[0] - at[0]), sign * (to[1] - at[1]))]
            if min(boat) >= 0 and 0 < sum(boat) <= self.boat
        ]
        return Rules(
            symbols=[*all_, "left", "right"],
            start=[self.each, self.each, "left"],
            goal=[(0, 0, "right")],
            moves=moves,
        )

    def view(self):
        view, crossings = super().view(), {}
        for name in {move for gesture in view.gestures for move in gesture.moves}:
            many = zip(map(int, name[:-1].split("m")), ("missionaries", "cannibals"), strict=True)
            crossings[name] = ", ".join(f"{who}: {number}" for number, who in many if number)
        return view.changed(
            looks={number: Look("pips", str(number), "blue") for number in range(self.each + 1)},
            labels={0: "missionaries", 1: "cannibals", 2: "boat"},
            names={0: "missionaries on the left bank", 1: "cannibals on the left bank", 2: "the bank of the boat"},
            buttons=crossings,
        )
