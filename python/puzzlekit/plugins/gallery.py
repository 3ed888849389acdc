"""The gallery: puzzles and games that come with puzzlekit, in one file each, found by their ids.

They lie in the folder `gallery` of the package, and are like the files that anybody may write. If no plugin has an id,
it may be the id of one of them. To play them, no plugin is imported.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "gallery"


def ids() -> list[str]:
    """The ids of all puzzles of the gallery, sorted.

    >>> ids()[:3]
    ['breakthrough', 'burnt_pancakes', 'chomp']
    """
    return sorted(path.stem for path in FOLDER.glob("*.py"))


def file_of(puzzle_id: str) -> str | None:
    """The path of the file of a puzzle; `None` if the gallery has no puzzle of that id.

    >>> file_of("no_such_puzzle") is None
    True
    """
    path = FOLDER / f"{puzzle_id}.py"
    return str(path) if re.fullmatch(r"\w+", puzzle_id) and os.path.isfile(path) else None
