"""The compiled engine in Python's terms: rules go in, states go in and come out as text or as arrays.

This folder alone imports the compiled module.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from puzzlekit.run.engine.runs import Engine

__all__ = ["Engine"]


def __getattr__(name: str) -> object:
    """The engine, imported when it is first used: the processes of shards need only some functions of this folder."""
    if name != "Engine":
        raise AttributeError(f"module 'puzzlekit.run.engine' has no attribute {name!r}")
    from puzzlekit.run.engine.runs import Engine

    return globals().setdefault(name, Engine)
