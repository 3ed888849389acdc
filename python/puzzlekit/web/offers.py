"""Which puzzles a server has: what a request may name, and where each is found. A request never names a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from puzzlekit.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from puzzlekit.describe.puzzle import Puzzle
    from puzzlekit.plugins.loader import Plugins


@dataclass(frozen=True)
class Offer:
    """A puzzle that a server has.

    Attributes:
        id: The puzzle's id, by which requests name it, with parameters after it if they like.
        text: The text id that the page shows first.
        locator: The file that defines it and the name of its class, as `./mine.py:Mine`; empty if a plugin brings it.
    """

    id: str
    text: str
    locator: str = ""


def offers(plugins: Plugins, named: Sequence[str]) -> list[Offer]:
    """The puzzles that a person named, ids and files; all that are installed if none is named.

    Raises:
        UsageError: There is no such puzzle, or two have one id.
        PluginError: A plugin or a file that was named cannot be loaded.
    """
    if not named:
        found = [Offer(puzzle_id, puzzle_id) for puzzle_id in plugins.puzzle_types()]
        if not found:
            raise UsageError("no puzzle is installed; install puzzlekit-core[puzzles], or name a file: ./mine.py")
        return found
    from puzzlekit.plugins import files

    chosen: dict[str, Offer] = {}
    for name in named:
        puzzle = plugins.parse(name)
        locator = f"{files.path_of(name)}:{type(puzzle).__name__}" if files.names_file(name) else ""
        if chosen.get(puzzle.id, Offer("", "", locator)).locator != locator:
            raise UsageError(f'two of the puzzles have the id "{puzzle.id}"; serve one of them')
        chosen.setdefault(puzzle.id, Offer(puzzle.id, str(puzzle), locator))
    return list(chosen.values())


class Shelf:
    """The puzzles of a server, in a process that uses them.

    Args:
        offers: The puzzles.
        plugins: The plugins that bring those that no file defines.
    """

    def __init__(self, offers: Sequence[Offer], plugins: Plugins) -> None:
        self.plugins = plugins
        self._offers = {offer.id: offer for offer in offers}
        self._kinds: dict[str, type[Puzzle]] = {}

    def puzzle(self, text: str) -> Puzzle:
        """The puzzle of a text id.

        The part before the colon is looked up among the offers, and what follows is read as parameters. So no text can
        name a file.

        Raises:
            UsageError: There is no such puzzle here, or a parameter makes no sense.
        """
        puzzle_id, colon, values = text.partition(":")
        offer = self._offers.get(puzzle_id)
        if offer is None:
            raise UsageError(f"there is no puzzle {puzzle_id[:80]!a} here; there is {', '.join(self._offers)}")
        if colon and not values.strip():
            raise UsageError(f'"{puzzle_id}:" has nothing after the colon; leave the colon out, or give parameters')
        if puzzle_id not in self._kinds:
            self._kinds[puzzle_id] = type(self.plugins.parse(offer.locator or offer.id))
        return self._kinds[puzzle_id].from_text(values.strip())
