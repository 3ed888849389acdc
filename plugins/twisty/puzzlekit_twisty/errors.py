"""The error of a definition, with its line and column."""

from __future__ import annotations

import re

from puzzlekit import UsageError


class DefinitionError(UsageError):
    """A definition that makes no sense. `at` tells where; puzzlekit puts the file's path before the sentence."""


def at(line: int, column: int, sentence: str) -> DefinitionError:
    """An error at a place of a text. Words of the text stand in quotes, may be of any length, and are cut.

    >>> str(at(3, 5, "there is no orbit EDGE"))
    'line 3, column 5: there is no orbit EDGE'
    """
    short = re.sub(r'"([^"]{80})[^"]+"', r'"\1..."', sentence)
    return DefinitionError(f"line {line}, column {column}: {short}")
