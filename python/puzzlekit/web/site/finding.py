"""Finds the engine for pages, which is in a distribution of its own, and checks that its version fits."""

from __future__ import annotations

from importlib.metadata import entry_points

from puzzlekit.errors import PluginError, UsageError, one_line
from puzzlekit.run.engine.machine import __version__

GROUP = "puzzlekit.site"
"""The group of entry points in which a distribution offers the engine for pages: a function that returns its bytes."""

MAGIC = b"\0asm"
"""The first bytes of every file of WebAssembly."""


def find_engine() -> bytes:
    """The engine, as WebAssembly.

    Raises:
        UsageError: It is not installed, or is of another version.
        PluginError: What is installed cannot be read.
    """
    found = [point for point in entry_points(group=GROUP) if point.name == "engine"]
    if not found:
        raise UsageError('a site needs the engine for pages; install it with pip install "puzzlekit-core[site]"')
    point = found[0]
    if point.dist is not None and point.dist.version != __version__:
        raise UsageError(
            f"the engine for pages is of version {point.dist.version}, and puzzlekit of {__version__}; install the "
            'same with pip install --upgrade "puzzlekit-core[site]"'
        )
    try:
        content = point.load()()
    except FileNotFoundError:
        raise UsageError(
            "the engine for pages has not been built here; make it with make site-engine, or install a release: "
            'pip install "puzzlekit-core[site]"'
        ) from None
    except Exception as error:
        raise PluginError(f"the engine for pages failed with {one_line(error)}; install it again") from error
    if not isinstance(content, bytes) or not content.startswith(MAGIC):
        raise PluginError("the engine for pages is no WebAssembly; install it again")
    return content
