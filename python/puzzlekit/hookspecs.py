"""The hooks: what a plugin may define, each a signature and a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from collections.abc import Callable

    from puzzlekit.puzzle import Puzzle

hookspec = pluggy.HookspecMarker("puzzlekit")


@hookspec
def puzzlekit_register_puzzles(register: Callable[[type[Puzzle]], None]) -> None:
    """Call `register` once with each puzzle type that the plugin brings."""
