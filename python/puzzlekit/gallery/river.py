"""Missionaries and cannibals cross a river.

Three missionaries and three cannibals are to cross in a boat that holds two. On neither bank may the missionaries that
are there be fewer than the cannibals there. It takes 11 crossings, and play reaches 16 states. With four of each and
a boat for three it takes 9.

The cells are numbers: the missionaries (m) and the cannibals (c) on the left bank, the side of the boat, and those on
the right bank. A move is written out for each number from which it is safe.
"""

from dataclasses import dataclass

from puzzlekit import Caption, Look, Move, Puzzle, Rules, Spot, View, parameter


@dataclass(frozen=True)
class River(Puzzle):
    """Bring all to the right bank; cannibals may not outnumber missionaries where there are any."""

    id = "river"
    each: int = parameter(3, 1, 9, "missionaries, and as many cannibals")
    boat: int = parameter(2, 1, 9, "places in the boat")

    def rules(self):
        all_ = range(self.each + 1)
        # Safe on both banks: as many of one as of the other, or the missionaries all on one bank.
        safe = [(m, c) for m in all_ for c in all_ if m == c or m in (0, self.each)]
        cells = {at: (f"m{at[0]}", f"c{at[1]}", f"m{self.each - at[0]}", f"c{self.each - at[1]}") for at in safe}
        moves = [
            Move(dict(zip((0, 1, 3, 4, 2), (*cells[to], there), strict=True)))
            .when(dict(zip((0, 1, 3, 4, 2), (*cells[at], here), strict=True)))
            .named(f"{boat[0]}m{boat[1]}c")
            for here, there, sign in (("left", "right", -1), ("right", "left", 1))
            for at in safe
            for to in safe
            for boat in [(sign * (to[0] - at[0]), sign * (to[1] - at[1]))]
            if min(boat) >= 0 and 0 < sum(boat) <= self.boat
        ]
        people = [f"{who}{number}" for who in "mc" for number in all_]
        start = [f"m{self.each}", f"c{self.each}", "left", "m0", "c0"]
        return Rules([*people, "left", "right"], start, moves, goal=[(*start[3:], "right", *start[:2])])

    def view(self):
        places = [(0, 0), (0, 1), Spot(2, 1.5, 0.5, "square", 2), (3, 0), (3, 1)]  # the river is between the banks
        view, who = View.of(self.rules(), places=places), {"m": "missionaries", "c": "cannibals"}
        names = {move for gesture in view.gestures for move in gesture.moves}
        some = {name: [one for one in (name[1] + name[0], name[3] + name[2]) if one[1] != "0"] for name in names}
        colours, alone = {"m": "sky", "c": "orange"}, (["m1"], ["c1"])
        told = {one: f"{one[1:]} {who[one[0]]}".removesuffix("s" * (one[1:] == "1")) for one in view.symbols[:-2]}
        told |= {"m1": "1 missionary"}
        looks = {one: Look("pips", one, colours[one[0]], words) for one, words in told.items()}
        boats = {"left": "◀ boat", "right": "boat ▶"}
        looks |= {side: Look("wall", boat, "#cfe6f3", side) for side, boat in boats.items()}
        return view.changed(
            looks=looks,
            captions=[Caption("left bank", 0.5, -0.25), Caption("right bank", 3.5, -0.25)],
            labels={cell: who["mc"[cell % 3]] for cell in (0, 1, 3, 4)},
            names=dict(enumerate(["left bank", "left bank", "the bank of the boat", "right bank", "right bank"])),
            buttons={at: " and ".join(map(told.get, of)) + " cross" + "es" * (of in alone) for at, of in some.items()},
        )
