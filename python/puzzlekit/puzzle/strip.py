"""Play as a strip of pictures: one of each state, with the move that led to it and the stage that begins there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from puzzlekit.draw.svg import Picture
from puzzlekit.errors import UsageError
from puzzlekit.run.answers import Stage
from puzzlekit.run.checks import check_is_puzzle, read_texts, shown
from puzzlekit.view.view import Still, View, view_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from puzzlekit.puzzle.protocols import Playable


def strip(puzzle: Playable, state: str, moves: Iterable[str], stages: Sequence[Stage] = ()) -> Picture:
    """A strip of pictures: a state, and the states that moves make of it, one after another, such as a solution.

    `strip(...).save("way.gif")` writes a GIF that shows the pictures one after another.

    >>> from puzzlekit import load, strip
    >>> strip(load("rotation"), "412/653/789", "AAABBB")
    <Picture of rotation: 412/653/789, 6 moves>

    Args:
        puzzle: The puzzle.
        state: The state.
        moves: The names of the moves.
        stages: The parts of the solution, if it has parts.

    Raises:
        MoveError: A move cannot be made; the message says after which moves.
    """
    check_is_puzzle(puzzle)
    names = read_texts("moves", moves, "the names of moves")
    if not isinstance(stages, Sequence) or not all(isinstance(stage, Stage) for stage in stages):
        raise UsageError(f"stages is {shown(stages)}; give those of a solution, a list of puzzlekit.Stage")
    view, text = view_of(puzzle), puzzle.read(state)
    states = stills(puzzle, view, text, names, stages)
    name = f"{puzzle}: {text}, {len(names)} move{'' if len(names) == 1 else 's'}"
    return Picture(view.strip(states), name, lambda: view.frames(states))


def stills(puzzle: Playable, view: View, state: str, moves: Sequence[str], stages: Sequence[Stage] = ()) -> list[Still]:
    """The states of a strip: the first one, and one after each move.

    Args:
        puzzle: The puzzle, which makes the moves.
        view: The view, which has the words for stages.
        state: The first state, as puzzlekit writes it.
        moves: The moves.
        stages: The parts of the moves. The name of a part stands above the state after its first move.

    Raises:
        MoveError: A move cannot be made.
    """
    words = dict(view.stages)
    begins: dict[int, list[str]] = {}
    for at, stage in enumerate(stages):
        end = stages[at + 1].begins if at + 1 < len(stages) else len(moves)
        if end > stage.begins:  # a stage without moves has no state to carry its name
            begins.setdefault(stage.begins + 1, []).append(words.get(stage.name, stage.name))
    found = [Still(state, heading=", ".join(begins.get(0, [])))]
    for place, move in enumerate(moves, 1):
        state = puzzle.apply(state, move)
        found.append(Still(state, tuple(moves[:place]), f"{place}. {move}", ", ".join(begins.get(place, []))))
    return found
