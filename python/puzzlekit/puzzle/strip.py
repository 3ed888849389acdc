"""Play as a strip: each state, with the move that led to it and the stage that begins there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from puzzlekit.view.view import Still, View

if TYPE_CHECKING:
    from collections.abc import Sequence

    from puzzlekit.run.answers import Stage


class Playable(Protocol):
    """What a strip asks of a puzzle."""

    def apply(self, state: str, move: str) -> str:
        """The state after a move."""


def stills(puzzle: Playable, view: View, state: str, moves: Sequence[str], stages: Sequence[Stage] = ()) -> list[Still]:
    """The states of a strip: the first one, and one after each move.

    Args:
        puzzle: What makes the moves.
        view: The view, which has words for stages.
        state: The first state, as puzzlekit writes it.
        moves: The moves.
        stages: The parts that the moves fall into. A part is named above the state after its first move.

    Raises:
        MoveError: A move cannot be made.
    """
    words = dict(view.stages)
    begins: dict[int, list[str]] = {}
    for at, stage in enumerate(stages):
        end = stages[at + 1].begins if at + 1 < len(stages) else len(moves)
        if end > stage.begins:  # a part without moves has no state to be named at
            begins.setdefault(stage.begins + 1, []).append(words.get(stage.name, stage.name))
    found = [Still(state, heading=", ".join(begins.get(0, [])))]
    for place, move in enumerate(moves, 1):
        state = puzzle.apply(state, move)
        found.append(Still(state, tuple(moves[:place]), f"{place}. {move}", ", ".join(begins.get(place, []))))
    return found
