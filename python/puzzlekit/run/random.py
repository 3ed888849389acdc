"""Random numbers that are the same for ever, on every platform, for scramblers in plugins."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

_Item = TypeVar("_Item")


class Random:
    """A stream of random numbers that a text determines. The generator is documented in the Rust crate.

    >>> numbers = Random("a seed")
    >>> [numbers.below(10) for _ in range(5)]
    [6, 7, 8, 6, 8]
    """

    def __init__(self, seed: str) -> None:
        from puzzlekit.run.engine.machine import new_random

        self._core = new_random(seed)

    def below(self, bound: int) -> int:
        """A random number from 0 to `bound - 1`, each equally likely."""
        return self._core.below(bound)

    def choose(self, items: Sequence[_Item]) -> _Item:
        """A random item of a sequence, each equally likely."""
        return items[self.below(len(items))]
