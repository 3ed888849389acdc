"""The templates of the pages, and the files that a page loads, for a server and for a site in a folder of files."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from puzzlekit.run.engine.machine import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable

TEMPLATES = Path(__file__).parent / "templates"
STATIC = Path(__file__).parent / "static"


def digest(files: Iterable[tuple[str, bytes]]) -> str:
    """A digest of files, from their names and contents."""
    found = hashlib.sha256()
    for name, content in files:
        found.update(name.encode() + content)
    return found.hexdigest()[:16]


@cache
def modules(name: str) -> tuple[str, ...]:
    """The scripts that a script of the page imports when it is loaded, itself included."""
    found, pending = [name], [name]
    while pending:
        text = (STATIC / pending.pop()).read_text(encoding="utf-8")
        new = [each for each in re.findall(r'from "\./([^"]+)"', text) if each not in found]
        found += new
        pending += new
    return tuple(found)


def environment() -> Environment:
    """The environment of the templates. Every text that is put into a template is escaped."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"version": __version__, "modules": modules, "picture": None}
    return made
