"""Nim.

Two players take counters from heaps: any number, from one heap at a time. Who takes the last counter wins. From
heaps of 3, 4 and 5 play reaches 232 states, and the first player wins; from 1, 4 and 5 the second does.

A heap is one cell, and its symbol is the number of its counters. So a move is a change from one number to another.
"""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, parameter, put


@dataclass(frozen=True)
class Nim(Puzzle):
    """Counters are taken from one heap at a time; who takes the last one wins."""

    id = "nim"
    first: int = parameter(3, 0, 35, "counters in the first heap")
    second: int = parameter(4, 0, 35, "counters in the second heap")
    third: int = parameter(5, 1, 35, "counters in the third heap")

    def rules(self):
        heaps = [self.first, self.second, self.third]
        moves = [
            put(heap, left).when({heap: size}).named(f"{'ABC'[heap]}-{size - left}")
            for heap, most in enumerate(heaps)
            for size in range(1, most + 1)
            for left in range(size)
        ]
        return Rules(range(max(heaps) + 1), heaps, moves, players=["first", "second"], stuck="loss")
