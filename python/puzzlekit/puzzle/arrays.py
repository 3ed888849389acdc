"""The operations of `puzzle.arrays`: many states at a time, as arrays of bytes, worked on by all cores."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from typing_extensions import Buffer

    from puzzlekit.run.engine import Engine


class Arrays:
    """The states of a puzzle as arrays of bytes, and their numbers in a perfect index.

    >>> import puzzlekit
    >>> arrays = puzzlekit.load("tictactoe").arrays
    >>> children, parents, moves = arrays.expand(arrays.encode(["X.O/.../...", "XX./OO./..."]))
    >>> len(children), arrays.decode(children)[0]
    (12, 'XXO/.../...:O')

    Args:
        engine: The compiled rules.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def encode(self, states: Iterable[str]) -> memoryview:
        """States as an array of bytes, for `expand` and `canonical_rows`.

        There is one row for each state. It has a byte for each cell: the place of the cell's symbol in the rules' list
        of symbols. In a game, one more byte is the player to move, 0 or 1. `numpy.asarray` takes the array as it is.
        Its shape is (states, cells) or (states, cells + 1).
        """
        return self._engine.encode(states)

    def decode(self, rows: Buffer) -> list[str]:
        """The texts of an array of states.

        Raises:
            StateError: A row does not fit the rules.
        """
        return self._engine.decode(rows)

    def expand(
        self, rows: Buffer, *, out: tuple[Buffer, Buffer, Buffer] | None = None
    ) -> tuple[memoryview, memoryview, memoryview]:
        """The successors of an array of states: their rows, and for each the row number of its parent and its move.

        Successors come in the order of the parents, and then of the moves. A state in which play is over has none. The
        numbers of rows and moves are unsigned, of 32 bits. A move's number is its place in `engine.move_names`.

        >>> import puzzlekit
        >>> arrays = puzzlekit.load("slider:2,2").arrays
        >>> out = (bytearray(40), memoryview(bytearray(40)).cast("I"), memoryview(bytearray(40)).cast("I"))
        >>> children, parents, moves = arrays.expand(arrays.encode(["12/30"]), out=out)
        >>> arrays.decode(children), parents.tolist()
        (['10/32', '12/03'], [0, 0])

        Args:
            rows: The states.
            out: Three arrays into which the results are written, and of which the written parts are returned: one for
                rows of unsigned bytes, and two for unsigned 32-bit numbers. A loop that gives the same arrays each time
                takes no new memory. They need room for all successors, of which there are at most rows times moves.

        Raises:
            StateError: A row does not fit the rules.
            UsageError: An array of `out` is too small, or cannot be written.
        """
        return self._engine.expand(rows, out)

    def canonical_rows(self, rows: Buffer) -> memoryview:
        """The canonical forms of an array of states, row by row.

        Raises:
            StateError: A row does not fit the rules.
        """
        return self._engine.canonical_rows(rows)

    def index_length(self) -> int:
        """The length of the perfect index. Its numbers begin at 0 and are smaller than this.

        Raises:
            UsageError: The rules have no perfect index.
        """
        return self._engine.index_length()

    def rank_rows(self, rows: Buffer) -> memoryview:
        """The number of each of an array of states in the perfect index, as unsigned 64-bit numbers.

        No two states have the same number, but whose turn it is does not matter. A state without a number is given
        2**64 - 1: no moves lead to it from a state that has one. Some numbers may belong to states that play does not
        reach from the start. The numbers stay the same as long as the rules and the version of puzzlekit do.

        Raises:
            StateError: A row does not fit the rules.
            UsageError: The rules have no perfect index.
        """
        return self._engine.rank_rows(rows)

    def unrank_rows(self, numbers: Iterable[int]) -> memoryview:
        """The states that have the given numbers, as an array of bytes that `rank_rows` takes.

        Raises:
            StateError: A number is as large as `index_length()`, or larger.
            UsageError: The rules have no perfect index.
        """
        return self._engine.unrank_rows(numbers)
