"""Boards as lists of lists: the functions of the handout that the puzzle comes from, with its names and its words.

A board such as [[0, 1, 2], [3, 4, 5]] is changed in place; R, L, U and D are the directions in which 0 moves.
"""

from __future__ import annotations

import random
from typing import Any

from puzzlekit import UsageError

Board = list[list[int]]

# For each direction, how the row and the column of 0 change.
DIRECTIONS = {"R": (0, 1), "L": (0, -1), "U": (-1, 0), "D": (1, 0)}

# The letters that a person may type for each direction. `str.upper` is not used for typed text: it turns the character
# "\ufb02" into "FL", which has a move in it.
LETTERS = {typed: letter for letter in DIRECTIONS for typed in (letter, letter.lower())}


SIZES = {str(size): size for size in range(2, 11)}


def generate(row: int, column: int) -> Board:
    """The solved board with the given rows and columns, each from 2 to 10.

    >>> generate(2, 3)
    [[0, 1, 2], [3, 4, 5]]
    """
    for name, size in (("row", row), ("column", column)):
        if isinstance(size, bool) or not isinstance(size, int) or not 2 <= size <= 10:
            raise UsageError(f"{name} is {size!r}; give a whole number from 2 to 10")
    return [[r * column + c for c in range(column)] for r in range(row)]


def shuffle(board: Board, times: int = 20) -> str:
    """Makes `times` random moves, the last of which does not solve the board. Returns the moves made.

    >>> len(shuffle(generate(3, 3), times=5))
    5
    """
    if isinstance(times, bool) or not isinstance(times, int) or times < 1:
        raise UsageError(f"times is {times!r}; give a whole number from 1")
    made = "".join(move_random(board) for _ in range(times - 1))
    # Every board has at least two moves, and at most one of them solves it.
    choices = _possible(board)
    random.shuffle(choices)
    for direction in choices:
        _step(board, direction)
        if not is_solved(board):
            return made + direction
        _step(board, {"R": "L", "L": "R", "U": "D", "D": "U"}[direction])
    raise AssertionError("a board has at least two moves")


def reset(board: Board) -> None:
    """Puts all numbers of the board in order."""
    rows, columns = get_board_size(board)
    for r in range(rows):
        board[r][:] = range(r * columns, (r + 1) * columns)


def is_valid(board: Any) -> bool:  # noqa: ANN401 - anything may be asked
    """Returns `True` if the numbers are unique and less than rows times columns.

    >>> is_valid([[1, 20, 3], [4, 15, 10]])
    False
    """
    if not isinstance(board, list) or len(board) < 2 or not all(isinstance(row, list) for row in board):
        return False
    columns = len(board[0])
    numbers = [number for row in board for number in row]
    whole = all(isinstance(number, int) and not isinstance(number, bool) for number in numbers)
    even = columns > 1 and all(len(row) == columns for row in board)
    return even and whole and sorted(numbers) == list(range(len(numbers)))


def is_solved(board: Board) -> bool:
    """Returns `True` if the board is valid and the numbers are in order."""
    return is_valid(board) and [number for row in board for number in row] == list(range(len(board) * len(board[0])))


def get_board_size(board: Board) -> tuple[int, int]:
    """The number of rows and the number of columns.

    >>> get_board_size([[0, 1, 2], [3, 4, 5]])
    (2, 3)
    """
    lists = isinstance(board, list) and len(board) > 0 and all(isinstance(row, list) for row in board)
    if not lists or not board[0] or any(len(row) != len(board[0]) for row in board):
        raise UsageError(f"the board is {board!r}; give rows of equal length as lists of numbers, as generate does")
    return len(board), len(board[0])


def move_right(board: Board) -> int:
    """Swaps 0 with the number to its right. Returns 1 if there is one, else 0."""
    return _step(board, "R")


def move_left(board: Board) -> int:
    """Swaps 0 with the number to its left. Returns 1 if there is one, else 0."""
    return _step(board, "L")


def move_up(board: Board) -> int:
    """Swaps 0 with the number above it. Returns 1 if there is one, else 0."""
    return _step(board, "U")


def move_down(board: Board) -> int:
    """Swaps 0 with the number below it. Returns 1 if there is one, else 0."""
    return _step(board, "D")


def move_random(board: Board) -> str:
    """Swaps 0 with one of its neighbours. Returns the direction: L, R, U or D."""
    direction = random.choice(_possible(board))
    _step(board, direction)
    return direction


def move(board: Board, moves: str) -> int:
    """Makes the possible moves of a text, in small or capital letters, ignores the rest, and returns how many it made.

    >>> move(generate(3, 3), "rD x L")
    3
    """
    if not isinstance(moves, str):
        raise UsageError(f"the moves are {moves!r}; give a text of L, R, U and D")
    return sum(_step(board, LETTERS[letter]) for letter in moves if letter in LETTERS)


def rotate(board: Board) -> Board:
    """A new board: this one turned right by 90 degrees.

    If this board can be solved, the shape alone decides whether the new one can; see `rotate_keeps_solvable`.

    >>> rotate([[0, 1], [2, 3]])
    [[2, 0], [3, 1]]
    """
    get_board_size(board)
    return [list(column) for column in zip(*board[::-1], strict=True)]


def print_board(board: Board) -> None:
    """Prints the rows, with tabs between the numbers."""
    get_board_size(board)
    for row in board:
        print("\t".join(map(str, row)))  # noqa: T201


def play(board: Board, moves: str) -> int:
    """Makes moves until the board is solved. Returns how many; -1 if it is not solved after all, -2 if it is not valid.

    >>> play([[1, 4, 2], [3, 0, 5], [6, 7, 8]], "ULRULDUDULR")
    2
    """
    if not isinstance(moves, str):
        raise UsageError(f"the moves are {moves!r}; give a text of L, R, U and D")
    if not is_valid(board):
        return -2
    if is_solved(board):
        return 0
    made = 0
    for letter in moves:
        made += move(board, letter)
        if is_solved(board):
            return made
    return -1


def play_interactive(board: Board | None = None) -> tuple[str, int]:
    """Plays with a person, who types L, R, U, D, M for a random move, or Q to quit. The end of the input quits, too.

    Returns:
        The moves made, and how many if the board is solved; -1 if it is not, and -2 if the board is not valid.
    """
    if board is None:
        board = _ask_for_board()
        if board is None:
            return "", -1
    if not is_valid(board):
        print("The board matrix elements must be between 0:1:row*column-1")  # noqa: T201
        return "", -2
    made = ""
    while True:
        print("Current board is:")  # noqa: T201
        print_board(board)
        if is_solved(board):
            print(f"Congrats! You solved the board in {len(made)} moves.")  # noqa: T201
            return made, len(made)
        typed = _ask("Where do you want to move: ", "Q").strip()
        if typed in ("Q", "q"):
            print("Exiting.")  # noqa: T201
            return made, -1
        if typed in ("M", "m"):
            made += move_random(board)
        elif typed in LETTERS and _step(board, LETTERS[typed]):
            made += LETTERS[typed]
        else:
            print("Wrong move.")  # noqa: T201


def _ask(prompt: str, at_end: str) -> str:
    try:
        return input(prompt)
    except EOFError:
        print()  # noqa: T201
        return at_end


def _ask_for_board() -> Board | None:
    print("Please type the puzzle size number.")  # noqa: T201
    sizes: list[int] = []
    for prompt in ("Row number:", "Column number:"):
        # Input is looked up and not converted to a number: Python refuses to convert thousands of digits.
        while (typed := _ask(prompt, "Q").strip()) not in SIZES:
            if typed in ("Q", "q"):
                print("Exiting.")  # noqa: T201
                return None
            print("Please give a whole number from 2 to 10.")  # noqa: T201
        sizes.append(SIZES[typed])
    board = generate(*sizes)
    shuffle(board)
    return board


def _find(board: Board) -> tuple[int, int]:
    if not is_valid(board):
        raise UsageError(f"the board {board!r} is not valid; give one with each number from 0 once, as generate does")
    (place,) = [(r, row.index(0)) for r, row in enumerate(board) if 0 in row]
    return place


def _possible(board: Board) -> list[str]:
    r, c = _find(board)
    return [
        letter
        for letter, (down, right) in DIRECTIONS.items()
        if 0 <= r + down < len(board) and 0 <= c + right < len(board[r])
    ]


def _step(board: Board, direction: str) -> int:
    if direction not in _possible(board):
        return 0
    r, c = _find(board)
    down, right = DIRECTIONS[direction]
    board[r][c], board[r + down][c + right] = board[r + down][c + right], 0
    return 1
