"""Reads and writes sequences of moves as people write them, such as `R U' R'`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def names_in(text: str) -> list[str]:
    """The names of moves in a text. Names are separated by spaces; a name that contains spaces is quoted.

    >>> names_in("R U' R'"), names_in('a "move b"')
    (['R', "U'", "R'"], ['a', 'move b'])
    """
    return [quoted or word for quoted, word in re.findall(r'"([^"]*)"|(\S+)', text)]


def names_joined(names: Iterable[str]) -> str:
    """A text with the names of moves, from which `names_in` reads the same names.

    >>> names_joined(["R", "U'"]), names_joined(["a", "move b"])
    ("R U'", 'a "move b"')
    """
    return " ".join(f'"{name}"' if " " in name else name for name in names)


def names_listed(text: str, known: Iterable[str]) -> list[str]:
    """The names of moves in a text, where commas may stand between them in place of spaces.

    Names of moves have no commas. If some of the known names have spaces, and the text has commas but no quotes, then
    only commas stand between names.

    >>> names_listed("a, b',c", []), names_listed("a b' c", []), names_listed("up left, down", ["up left", "down"])
    (['a', "b'", 'c'], ['a', "b'", 'c'], ['up left', 'down'])
    """
    known = frozenset(known)
    if text in known:
        return [text]
    if "," in text and '"' not in text and any(" " in name for name in known):
        return [name for part in text.split(",") if (name := part.strip())]
    return [quoted or word for quoted, word in re.findall(r'"([^"]*)"|([^\s,]+)', text)]
