"""Short texts beside the cells of a board, such as the names of its rows, or of the two banks of a river."""

from __future__ import annotations

from dataclasses import dataclass, replace

from puzzlekit.errors import RulesError
from puzzlekit.view.layout import FARTHEST, is_place

MOST_LETTERS = 40
"""The most characters of a caption."""

LETTER, HIGH = 0.15, 0.4
"""The room for a caption, in cells: the width of a character, and the height of the line."""


@dataclass(frozen=True)
class Caption:
    """A short text beside the cells, such as the name of a row or of a bank. The board gets room for it.

    >>> import puzzlekit
    >>> view = puzzlekit.load("tictactoe").view().changed(captions=[Caption("the top row", 1.5, -0.3)])
    >>> view.height, view.captions
    (3.5, (Caption(text='the top row', x=1.5, y=0.2),))

    Attributes:
        text: The text, of one line.
        x: How far its middle lies to the right of the board's left edge, in cells; to the left if negative.
        y: How far its middle lies below the board's upper edge; above it if negative.
    """

    text: str
    x: float
    y: float

    @property
    def width(self) -> float:
        """The width of the room that the text needs."""
        return len(self.text) * LETTER

    def moved(self, across: float, down: float) -> Caption:
        """The caption, moved to the right and downwards."""
        return replace(self, x=round(self.x + across, 4), y=round(self.y + down, 4))


def checked(caption: object) -> Caption:
    """Refuses what is no caption, or one that cannot be drawn.

    Raises:
        RulesError: It is none.
    """
    if not isinstance(caption, Caption):
        raise RulesError(f"the view has the caption {caption!r:.80}; give a Caption, with its text, x and y")
    text = caption.text
    if not isinstance(text, str) or not text.strip() or not text.isprintable() or len(text) > MOST_LETTERS:
        raise RulesError(f"a caption of the view is {text!r:.80}; give one line of 1 to {MOST_LETTERS} characters")
    if not is_place((caption.x, caption.y)):
        raise RulesError(
            f'the caption "{text}" is at {caption.x!r:.40} and {caption.y!r:.40}; give how far its middle lies to the '
            f"right and down, in cells, from -{FARTHEST:,} to {FARTHEST:,}"
        )
    return caption
