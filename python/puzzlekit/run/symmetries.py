"""The symmetries that the engine finds in rules, whether or not their author declares some."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from puzzlekit.describe.rules import Symmetry, check_rules
from puzzlekit.run.engine import Engine

if TYPE_CHECKING:
    from puzzlekit.describe.rules import Rules


@dataclass(frozen=True)
class SymmetryReport:
    """The symmetries of rules.

    Attributes:
        generators: Symmetries that generate the group. They can be declared: `Rules(symmetries=report.generators)`.
        order: How many symmetries of the group keep whose turn it is. At most 4,096 are kept.
        orbits: The cells in lists: symmetries carry the cells of a list onto each other. A cell that they all leave
            where it is has a list of its own.
        swaps_players: Whether some symmetry swaps the players. Then as many symmetries swap them as keep them.
        whole: How many symmetries there would be without a limit; `None` if the number has more than 38 digits.
        idle: How many symmetries change no state that play reaches, such as those that exchange walls. Two symmetries
            that differ only by one of these count as one in the other figures. `None` as for `whole`.
        complete: Whether these are all symmetries. If `order` is less than `whole`, they are not, and symmetries that
            are declared may be among those that are left out. Otherwise, the search was given up; no rules are known
            for which it is.
    """

    generators: tuple[Symmetry, ...]
    order: int
    orbits: tuple[tuple[int, ...], ...]
    swaps_players: bool
    whole: int | None
    idle: int | None
    complete: bool

    @property
    def elements(self) -> int:
        """The number of symmetries in the group, including those that swap the players."""
        return self.order * (2 if self.swaps_players else 1)


def symmetries(rules: Rules) -> SymmetryReport:
    """Finds the symmetries of rules, whatever they declare.

    In tic-tac-toe on 4 by 4, rows may also change places with each other, and columns, so there are more symmetries
    than turns and mirrors:

    >>> import puzzlekit
    >>> found = puzzlekit.symmetries(puzzlekit.load("tictactoe:4,4,4").rules())
    >>> found.order, found.orbits[1]
    (32, (1, 2, 4, 7, 8, 11, 13, 14))

    Args:
        rules: The rules. Symmetries that they declare are checked, but make no other difference.

    Raises:
        RulesError: The rules contradict themselves.
    """
    check_rules(rules)
    return found_symmetries(Engine(rules))


def found_symmetries(engine: Engine) -> SymmetryReport:
    """The symmetries of compiled rules."""
    found = engine.find_symmetries()
    generators = tuple(
        Symmetry(tuple(data["cells"]), data["symbols"], data["swap_players"], data["name"])
        for data in json.loads(found.generators)
    )
    return SymmetryReport(
        generators=generators,
        order=found.order,
        orbits=_orbits(engine.notation.cells, generators),
        swaps_players=any(symmetry.swap_players for symmetry in generators),
        whole=found.whole,
        idle=found.idle,
        complete=found.complete and found.order == found.whole,
    )


def declared_order(engine: Engine) -> int | None:
    """The number of declared symmetries that keep whose turn it is; `None` if the engine is to find the symmetries.

    A symmetry that swaps the players carries the start onto a state in which the other player is to move. So
    `enumerate` cannot use it.
    """
    if engine.seeks_symmetries:
        return None
    return engine.symmetry_order // (2 if engine.swaps_players else 1)


def _orbits(cells: int, generators: tuple[Symmetry, ...]) -> tuple[tuple[int, ...], ...]:
    orbits: list[tuple[int, ...]] = []
    known: set[int] = set()
    for cell in range(cells):
        if cell not in known:
            orbit = [cell]
            for member in orbit:
                orbit += {symmetry.cells[member] for symmetry in generators} - set(orbit)
            known.update(orbit)
            orbits.append(tuple(sorted(orbit)))
    return tuple(orbits)
