"""Reads sequences of moves as people write them, such as `R U' R'`."""

from __future__ import annotations

import re


def names_in(text: str) -> list[str]:
    """The names of moves in a text. Names are separated by spaces; a name that contains spaces is quoted.

    >>> names_in("R U' R'"), names_in('a "move b"')
    (['R', "U'", "R'"], ['a', 'move b'])
    """
    return [quoted or word for quoted, word in re.findall(r'"([^"]*)"|(\S+)', text)]
