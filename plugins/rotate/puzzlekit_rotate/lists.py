"""Boards as lists of letters: the functions of the report that the puzzle comes from, and its game loop.

A board of n by n is a list of n² letters, row by row; a position is numbered from 1.
"""

from __future__ import annotations

from puzzlekit import Random, UsageError

Board = list[str]
"""n² letters, row by row."""

Position = int
"""A place on a board, numbered from 1."""

SIZES = {0: 0, 4: 2, 9: 3, 16: 4, 25: 5}
"""The rows of a board of that many letters. An empty board has none."""


def create(n: int) -> Board:
    """The solved board of n by n, for n from 2 to 5; an empty one for any other n.

    >>> create(2)
    ['a', 'b', 'c', 'd']
    >>> create(6)
    []
    """
    if isinstance(n, bool) or not isinstance(n, int):
        raise UsageError(f"the size of the board is {n!r}; give a whole number from 2 to 5")
    return list("abcdefghijklmnopqrstuvwxy"[: n * n]) if 2 <= n <= 5 else []


def board2str(board: Board) -> str:
    """The rows of a board, each on a line.

    >>> print(board2str(create(3)))
    abc
    def
    ghi
    """
    n = _size(board)
    return "\n".join("".join(board[at : at + n]) for at in range(0, len(board), n or 1))


def valid_rotation(board: Board, position: Position) -> bool:
    """Returns `True` if a position is the top left one of a block: not in the last column, and not in the last row.

    >>> [position for position in range(1, 10) if valid_rotation(create(3), position)]
    [1, 2, 4, 5]
    """
    n = _size(board)
    if isinstance(position, bool) or not isinstance(position, int):
        raise UsageError(f"the position is {position!r}; give a whole number from 1")
    return n > 1 and 1 <= position <= len(board) - n and position % n != 0


def rotate(board: Board, position: Position) -> Board:
    """The board after a clockwise turn at a position; the same board if the position is not valid.

    >>> "".join(rotate(create(4), 2))
    'afbdegchijklmnop'
    """
    if not valid_rotation(board, position):
        return board
    n, at = _size(board), position - 1
    turned = board.copy()
    turned[at], turned[at + 1], turned[at + n + 1], turned[at + n] = (
        board[at + n],
        board[at],
        board[at + 1],
        board[at + n + 1],
    )
    return turned


def scramble(board: Board, m: int, seed: str | None = None) -> Board:
    """The board after m random turns, which may undo each other. The same seed gives the same turns.

    >>> scramble(create(3), 5, "x") == scramble(create(3), 5, "x")
    True
    """
    if isinstance(m, bool) or not isinstance(m, int) or m < 0:
        raise UsageError(f"the number of turns is {m!r}; give a whole number from 0")
    _size(board)
    valid = [position for position in range(1, len(board) + 1) if valid_rotation(board, position)]
    if seed is None:
        import secrets

        seed = secrets.token_hex(8)
    random = Random(f"rotate/{seed}")
    for _ in range(m if valid else 0):
        board = rotate(board, random.choose(valid))
    return board


def solved(board: Board) -> bool:
    """Returns `True` if the letters are in alphabetical order.

    >>> solved(create(3)), solved(rotate(create(3), 1))
    (True, False)
    """
    _size(board)
    return board == sorted(board)


def unsolvable(board: Board) -> bool:
    """Returns `True` if no turns put the letters in order, so that a game would never end.

    >>> unsolvable(["a", "b", "d", "c"]), unsolvable(rotate(create(2), 1))
    (True, False)
    """
    # On 3 by 3 and larger boards, the turns make every arrangement; `puzzlekit_rotate.claims` computes that. On 2 by 2,
    # they make four arrangements of each board, and one of the four has to be in order.
    if _size(board) != 2:
        return False
    for _ in range(4):
        if solved(board):
            return False
        board = rotate(board, 1)
    return True


def game_loop(board: Board) -> int:
    """Asks for positions and turns the board until it is solved, then says "Hooray". Returns the number of turns made.

    If the board is solved already, the game is over at once. If no turns can solve it, a sentence says so at once.
    Input that is no valid position changes nothing. The end of the input ends the game.
    """
    turns = 0
    print(board2str(board))  # noqa: T201
    if unsolvable(board):
        print("No turns can solve this board.")  # noqa: T201
        return turns
    # Input is looked up and not converted to a number: Python refuses to convert thousands of digits.
    positions = {str(position): position for position in range(1, len(board) + 1) if valid_rotation(board, position)}
    while not solved(board):
        try:
            typed = input()
        except EOFError:
            return turns
        if typed.strip() in positions:
            board = rotate(board, positions[typed.strip()])
            turns += 1
        print(board2str(board))  # noqa: T201
    print("Hooray")  # noqa: T201
    return turns


def _size(board: Board) -> int:
    if not isinstance(board, list) or not all(isinstance(letter, str) for letter in board):
        raise UsageError(f"the board is {board!r}; give a list of letters, as create does")
    if len(board) not in SIZES:
        raise UsageError(f"the board has {len(board)} letters; give one of 4, 9, 16 or 25, as create does")
    return SIZES[len(board)]
