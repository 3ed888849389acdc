"""Names of options in errors, as the command line has them: what Python calls `max_depth` is typed `--max-depth`."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from puzzlekit.errors import PuzzlekitError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@contextmanager
def typed_names(options: Mapping[str, str]) -> Iterator[None]:
    """In errors that are raised inside, names of options are as they are typed."""
    try:
        yield
    except PuzzlekitError as error:
        if error.args:
            error.args = (as_typed(str(error.args[0]), options), *error.args[1:])
        raise


def as_typed(message: str, options: Mapping[str, str]) -> str:
    """A message about options as Python has them, with the names that are typed on the command line.

    Only names at the two places where messages have them are looked at, since `out` and `on` are words, too.

    >>> options = {"max_depth": "--max-depth", "goal": "--goal", "only_moves": "--only-moves"}
    >>> as_typed("max_depth is -1; give a whole number", options)
    '--max-depth is -1; give a whole number'
    >>> as_typed("a game needs all its moves; leave goal and only_moves out", options)
    'a game needs all its moves; leave --goal and --only-moves out'
    >>> as_typed("the goal is 1; leave it out", options)
    'the goal is 1; leave it out'
    """

    def typed(names: re.Match[str]) -> str:
        return re.sub(r"\w+", lambda name: options.get(name[0], name[0]), names[0])

    message = re.sub(r"^\w+(?= is )", typed, message)
    return re.sub(r"(?<=\bleave )\w+(?: and \w+)*(?= out\b)", typed, message)
