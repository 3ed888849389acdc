"""What can be asked of the states of a puzzle, one by one as text, or many at once as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from typing_extensions import Buffer

    from puzzlekit.run.engine import Engine


class States:
    """The part of a `Puzzle` that is about single states: texts, which are read as people type them."""

    if TYPE_CHECKING:

        @property
        def engine(self) -> Engine:
            """The compiled rules."""

    @property
    def start(self) -> str:
        """The start."""
        return self.engine.start

    def read(self, state: str) -> str:
        """A state's text as puzzlekit writes it.

        Raises:
            StateError: The text is no state of this puzzle; the message says why.
        """
        notation = self.engine.notation
        return notation.write(*notation.read(state))

    def legal_moves(self, state: str) -> list[str]:
        """The names of the moves that can be made, in the order of the rules. None where play is over."""
        return self.engine.legal_moves(state)

    def apply(self, state: str, move: str) -> str:
        """The state after a move.

        Raises:
            MoveError: The move cannot be made in the state; the message lists those that can.
        """
        return self.engine.apply(state, str(move))

    def outcome(self, state: str) -> str | None:
        """How play ended: a player's name (who won), `"draw"`, or another word of the rules; `None` where it goes on.

        A puzzle without any move left is `"solved"` or `"stuck"`.
        """
        return self.engine.outcome(state)

    def is_solved(self, state: str) -> bool:
        """Whether the state satisfies the goal. Always false where the rules have none."""
        return self.engine.is_solved(state)

    def canonical(self, state: str) -> str:
        """The representative of a state's class under symmetry.

        It is the smallest of the state's images, compared by the player to move and then cell by cell from cell 0, each
        symbol by its place in the rules' list.
        """
        return self.engine.canonical(state)

    def key(self, state: str) -> int:
        """A 128-bit key of a state's class under symmetry, the same on every platform and in every version.

        It is the big-endian number of `hashlib.blake2b(row, digest_size=16, person=b"puzzlekit-key-1")`, where `row` is
        the canonical form: a byte for the player to move (0 in a puzzle), and one for each cell, its symbol's place in
        the rules' list.
        """
        return self.engine.key(state)

    def encode(self, states: Iterable[str]) -> memoryview:
        """States as an array of bytes, for `expand` and `canonical_rows`.

        One row a state: for each cell the place of its symbol in the rules' list, and in a game one more for the player
        to move, 0 or 1. `numpy.asarray` takes it as it is, of shape (states, cells) or (states, cells + 1).
        """
        return self.engine.encode(states)

    def decode(self, rows: Buffer) -> list[str]:
        """The texts of an array of states.

        Raises:
            StateError: A row does not fit the rules.
        """
        return self.engine.decode(rows)

    def expand(self, rows: Buffer) -> tuple[memoryview, memoryview, memoryview]:
        """The successors of an array of states: their rows, and for each its parent's row number and its move's number.

        Successors come in order of the parents, then of the moves. States in which play is over have none. Row and move
        numbers are unsigned 32-bit; move numbers are places in `engine.move_names`.

        Raises:
            StateError: A row does not fit the rules.
        """
        return self.engine.expand(rows)

    def canonical_rows(self, rows: Buffer) -> memoryview:
        """The canonical forms of an array of states, row by row.

        Raises:
            StateError: A row does not fit the rules.
        """
        return self.engine.canonical_rows(rows)
