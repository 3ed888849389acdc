"""The staged solver: it places one number after another, by decision matrices.

It follows an article on the puzzle. Stages place 1, 2, 3, 7, 8, 9, 5 and 4, in this order. At each stage, the matrix
has a word of turns for each cell where the number may be. The turns are made until the number is in place. An inverse
turn is executed as three clockwise turns.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import puzzlekit

if TYPE_CHECKING:
    from puzzlekit import Answer, Puzzle

# For each stage: the number, and the word for each cell where it may be, row by row. I: it is in place; -: it cannot be
# there.
MATRICES = {
    1: "I A B / A A B / C C D",
    2: "- I B / C B B / C D D",
    3: "- - I / C D D / C B2C'B2 D",
    7: "- - - / C C D / I C D",
    8: "- - - / CDC' D D / - I D",
    9: "- - - / CD2C' CD'C' CDC' / - - I",
    5: "- - - / CBC'B' I BCB'C' / - - -",
    4: "- - - / I - C2BCB'CBCB' / - - -",
}

# The cells of each block, clockwise. A turn takes the number of each cell to the next.
BLOCKS = {"A": (0, 1, 4, 3), "B": (1, 2, 5, 4), "C": (3, 4, 7, 6), "D": (4, 5, 8, 7)}


def turns(word: str) -> str:
    """A word of turns written out. `X2` is two turns, and the inverse `X'` is three clockwise turns.

    >>> turns("B2C'")
    'BBCCC'
    """
    times = {"": 1, "2": 2, "'": 3}
    return "".join(turn * times[suffix] for turn, suffix in re.findall(r"([ABCD])([2']?)", word))


WORDS = {
    number: [None if word in "I-" else turns(word) for word in matrix.replace("/", " ").split()]
    for number, matrix in MATRICES.items()
}


def stages(board: list[int]) -> list[str]:
    """The turns of each stage. The board, nine numbers row by row, is solved in place.

    >>> board = [3, 1, 2, 4, 5, 6, 7, 8, 9]
    >>> stages(board)
    ['AAA', 'BBB', 'CDDDBBCCCBB', '', '', 'CDCCC', '', '']
    >>> board
    [1, 2, 3, 4, 5, 6, 7, 8, 9]
    """
    made = []
    for number, words in WORDS.items():
        stage = ""
        while (word := words[board.index(number)]) is not None:
            for turn in word:
                a, b, c, d = BLOCKS[turn]
                board[b], board[c], board[d], board[a] = board[a], board[b], board[c], board[d]
            stage += word
        made.append(stage)
    return made


def staged(_puzzle: Puzzle, state: str) -> Answer:
    """The turns that solve a state, stage by stage. A stage is named after the number that it places."""
    made = stages([int(digit) for digit in state if digit.isdigit()])
    begins = [sum(map(len, made[:at])) for at in range(len(made))]
    named = tuple(puzzlekit.Stage(str(number), begin) for number, begin in zip(WORDS, begins, strict=True))
    return puzzlekit.Answer(tuple("".join(made)), stages=named)
