"""A game as an object that shows its board through each symmetry without changing it; and all games up to symmetry."""

from __future__ import annotations

from copy import copy

from puzzlekit import UsageError, load
from puzzlekit_tictactoe.grids import horizontal_flip, rotate, vertical_flip

EMPTY = " "
MARKS = "XO"


class TicTacToeGame:
    """A board on which X and O take turns.

    The game steps through its symmetries without a change of the board: cell i of the transformed board is cell
    `transformed[i]` of the board.

    >>> game = TicTacToeGame()
    >>> game.play(0)
    >>> game.play(4)
    >>> print(game)
     X |   |
    -----------
       | O |
    -----------
       |   |

    Args:
        lines: Rows of the board.
        columns: Columns of the board.
        win: How many marks in a row win.

    Raises:
        UsageError: A number makes no sense.
    """

    def __init__(self, lines: int = 3, columns: int = 3, win: int = 3) -> None:
        kind = type(load("tictactoe"))
        self._puzzle = kind(rows=lines, columns=columns, win=win)  # type: ignore[call-arg, unused-ignore]
        self.lines, self.columns, self.win = lines, columns, win
        self.board = [EMPTY] * (lines * columns)
        self.level = 0
        self.outcome: str | None = None
        # The steps to the symmetries after the identity. Each symmetry is the one before it, followed by one more step.
        walk = [rotate] * 3 + [horizontal_flip] + [rotate] * 3
        self._walk = walk if lines == columns else [horizontal_flip, vertical_flip, horizontal_flip]
        self.reset()

    def __eq__(self, other: object) -> bool:
        """Returns `True` if boards and winning patterns are equal. The symmetry that was reached does not matter."""
        if not isinstance(other, TicTacToeGame):
            return NotImplemented
        return self._size == other._size and self.board == other.board

    # A game can change, so it has no hash.
    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<TicTacToeGame({self.lines}, {self.columns}, {self.win}) at {self.state}>"

    def __copy__(self) -> TicTacToeGame:
        """A copy with its own board. Moves on the copy do not change this game."""
        made = object.__new__(TicTacToeGame)
        made.__dict__.update(self.__dict__)
        made.board = self.board.copy()
        made.transformed = self.transformed.copy()
        return made

    @property
    def _size(self) -> tuple[int, int, int]:
        return self.lines, self.columns, self.win

    @property
    def state(self) -> str:
        """The board as the text of a state."""
        rows = (self.board[at : at + self.columns] for at in range(0, len(self.board), self.columns))
        return "/".join("".join(row).replace(EMPTY, ".") for row in rows) + f":{MARKS[self.level % 2]}"

    def play(self, cell: int) -> None:
        """Puts the mark of the player to move on a cell, numbered from 0.

        Raises:
            UsageError: There is no such cell, it is taken, or the game is over.
        """
        if isinstance(cell, bool) or not isinstance(cell, int) or not 0 <= cell < len(self.board):
            raise UsageError(f"there is no cell {cell!r}; give a whole number from 0 to {len(self.board) - 1}")
        if self.outcome is not None:
            raise UsageError(f"cell {cell} cannot be played, because the game is over: {self.outcome}")
        if self.board[cell] != EMPTY:
            raise UsageError(f"cell {cell} holds {self.board[cell]} already; play an empty one")
        self.board[cell] = MARKS[self.level % 2]
        self.level += 1
        self.outcome = self._puzzle.outcome(self.state)

    def reset(self) -> None:
        """Starts the walk through the symmetries again: the next call of `next` goes to the first one."""
        self.transformed = list(range(len(self.board)))
        self._walked = 0

    def has_next(self) -> bool:
        """Returns `True` if there is another symmetry. There are four, or eight for a square board."""
        return self._walked <= len(self._walk)

    def next(self) -> None:
        """Goes on to the next symmetry. The first is the identity.

        A square board is then turned three times, flipped, and turned three times. Any other board is flipped top to
        bottom, left to right, and top to bottom.

        Raises:
            UsageError: There is no other symmetry.
        """
        if not self.has_next():
            raise UsageError(f"all {len(self._walk) + 1} symmetries have been seen; call reset to begin again")
        if self._walked:
            self._walk[self._walked - 1](self.lines, self.columns, self.transformed)
        self._walked += 1

    def to_string_transformed(self) -> str:
        """The board as the reached symmetry shows it."""
        return self._show([self.board[cell] for cell in self.transformed])

    def __str__(self) -> str:
        return self._show(self.board)

    def equals_with_symmetry(self, other: TicTacToeGame) -> bool:
        """Returns `True` if two games are the same up to symmetry. Neither game is changed by this."""
        if not isinstance(other, TicTacToeGame) or self._size != other._size:
            return False
        walker = copy(self)
        walker.reset()
        while walker.has_next():
            walker.next()
            if [walker.board[cell] for cell in walker.transformed] == other.board:
                return True
        return False

    def _show(self, marks: list[str]) -> str:
        rows = (marks[at : at + self.columns] for at in range(0, len(marks), self.columns))
        line = "\n" + "-" * (4 * self.columns - 1) + "\n"
        return line.join((" " + " | ".join(row)).rstrip() for row in rows)


def generate_all_unique_games(lines: int = 3, columns: int = 3, win: int = 3) -> list[list[TicTacToeGame]]:
    """All games up to symmetry, a list for each number of moves made. Games that are over are not played further.

    >>> [len(level) for level in generate_all_unique_games(2, 2, 2)]
    [1, 1, 2, 2]
    """
    levels = [[TicTacToeGame(lines, columns, win)]]
    while True:
        level, seen = [], set()
        for game in levels[-1]:
            for cell in range(len(game.board) if game.outcome is None else 0):
                if game.board[cell] == EMPTY:
                    after = copy(game)
                    after.play(cell)
                    key = after._puzzle.key(after.state)
                    if key not in seen:
                        seen.add(key)
                        level.append(after)
        if not level:
            return levels
        levels.append(level)
