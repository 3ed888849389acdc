"""The gallery: puzzles and games in one file each, which come with puzzlekit, found by their ids.

An id that no plugin has may be one of the gallery. Its files are like those of anybody else, and lie in the folder
`gallery` of the package. No plugin is imported to play them.
"""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "gallery"


def ids() -> list[str]:
    """The ids of the puzzles of the gallery, in order.

    >>> ids()[:3]
    ['breakthrough', 'burnt_pancakes', 'chomp']
    """
    return sorted(path.stem for path in FOLDER.glob("*.py"))


def file_of(puzzle_id: str) -> str | None:
    """The file of a puzzle of the gallery; `None` if the gallery has no puzzle of that id.

    >>> file_of("no_such_puzzle") is None
    True
    """
    path = FOLDER / f"{puzzle_id}.py"
    return str(path) if re.fullmatch(r"\w+", puzzle_id) and path.is_file() else None
