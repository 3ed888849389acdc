"""Kalah.

A move sows all seeds of a pit, one each, into the next pits and the own store. A last seed in the store moves again. In
an own pit that was empty, it goes to the store with all seeds opposite. If a side is empty, the other keeps the rest.
In the game that G. Irving, J. Donkers and J. Uiterwijk solved for many sizes (2000), a last seed in an empty pit goes
to the store even if none are opposite: `alone=true` plays like that.
"""

from dataclasses import dataclass

from puzzlekit import Copy, Move, Puzzle, Rules, Score, View, over, parameter

SEEDS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLM"


@dataclass(frozen=True)
class Kalah(Puzzle):
    """Sow the seeds of a pit: the last one in your store moves again, in an empty pit of yours it captures."""

    id = "kalah"
    pits: int = parameter(3, 1, 4, "pits of each player")
    seeds: int = parameter(2, 1, 6, "seeds in each pit")
    alone: bool = False

    def rules(self):
        size, most, side = self.pits + 1, 2 * self.pits * self.seeds, [SEEDS[self.seeds]] * self.pits + ["0"]
        sides = {"A": range(size), "B": range(size, 2 * size)}
        worth = {symbol: number for number, symbol in enumerate(SEEDS[: most + 1])}
        sown = [(own, pit, seeds) for own in "AB" for pit in sides[own][:-1] for seeds in range(1, most + 1)]
        return Rules(
            symbols=SEEDS[: most + 1],
            start=[*side, *side],
            players="AB",
            moves=[move.named(at % size + 1).by(own) for own, at, n in sown for move in self.moves(own, at, n, most)],
            ends=[over(dict.fromkeys(cells[:-1], "0")) for cells in sides.values()],
            score=Score("A", worth, sides["A"]) + Score("B", worth, sides["B"]),
        )

    def moves(self, own, pit, seeds, most):
        """The moves that sow a given number of seeds from a pit: one for each number that may be captured."""
        n, guard = self.pits, {pit: SEEDS[seeds]}
        around = [*range(2 * n + 1)] if own == "A" else [*range(n + 1, 2 * n + 2), *range(n)]
        path = [around[(around.index(pit) + step) % len(around)] for step in range(1, seeds + 1)]
        last, store, opposite = path[-1], around[n], 2 * n - path[-1]
        then = {cell: Copy(cell, advance=path.count(cell)) for cell in path} | {pit: SEEDS[path.count(pit)]}
        if last not in around[:n] or path.count(last) > 1:
            return [Move(then, keeps_turn=last == store).when(guard)]
        found = [] if last == pit else [Move(then).when(guard | {last: set(SEEDS[1 : most + 1])})]
        for there in range(most + 1):
            won = there + path.count(opposite)
            taken = {last: "0", opposite: "0", store: Copy(store, advance=path.count(store) + won + 1)}
            after = then | taken if won or self.alone else then
            found += [Move(after).when({last: "0"} | guard | {opposite: SEEDS[there]})]
        return found

    def view(self):
        row, n = range(1, self.pits + 1), self.pits + 1
        return View.of(self.rules(), places=[*((x, 1) for x in row), (n, 0.5), *((x, 0) for x in row[::-1]), (0, 0.5)])
