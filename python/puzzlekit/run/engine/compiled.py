"""Rules, checked and compiled: the facts about them, their states as text, and their moves by name."""

from __future__ import annotations

import contextlib
import json
import math
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any

from puzzlekit import _core
from puzzlekit.describe.notation import Notation
from puzzlekit.describe.rules import UNNAMED
from puzzlekit.describe.sequence import names_in
from puzzlekit.errors import MoveError, RulesError
from puzzlekit.run.outcomes import possible_outcomes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from puzzlekit.describe.rules import Rules


def _raise_with_places(data: dict[str, Any], least_word_bits: int) -> None:
    """Raises the error of wrong rules again, in which symmetries without a name are named by their places."""
    symmetries = data["symmetries"]
    if symmetries == "auto" or len(symmetries) < 2:
        return
    named = [
        {**each, "name": f"number {place}" if each["name"] == UNNAMED else each["name"]}
        for place, each in enumerate(symmetries, 1)
    ]
    if named != symmetries:
        _core.Engine(json.dumps({**data, "symmetries": named}), least_word_bits)


class Compiled:
    """Rules, checked and compiled.

    Args:
        rules: The rules.
        least_word_bits: The fewest bits of a packed state. With more than the rules need, widths can be compared.

    Raises:
        RulesError: The rules contradict themselves; the message names what is wrong.
    """

    def __init__(self, rules: Rules, least_word_bits: int = 0) -> None:
        data = rules.to_data()
        try:
            self.core: _core.Engine = _core.Engine(json.dumps(data), least_word_bits)
        except RulesError:
            _raise_with_places(data, least_word_bits)
            raise
        self._names: list[str] = [move["name"] for move in data["moves"]]
        shared = Counter(self._names)
        self._only = {name: place for place, name in enumerate(self._names) if shared[name] == 1}
        """The place of each move that shares its name with no other move, by name."""
        self.seeks_symmetries: bool = data["symmetries"] == "auto"
        """`True` if the rules ask the engine to find symmetries."""
        self.swaps_players: bool = not self.seeks_symmetries and any(
            symmetry["swap_players"] for symmetry in data["symmetries"]
        )
        """`True` if a symmetry that the rules declare swaps the players."""
        self.notation: Notation = Notation(rules, self.core.notation(list(rules.row_lengths)))
        self.start: str = self.notation.write(bytes(map(self.notation.symbols.index, data["start"])), 0)
        self.goal: str | None = self._only_goal(data["goal"])
        self.is_scored: bool = bool(data.get("score"))
        """`True` if the rules have a score."""
        self.keeps_turns: bool = any(move.get("again") for move in data["moves"])
        """`True` if a move may keep the turn."""
        self.has_goal: bool = bool(data["goal"])
        """`True` if the rules have a goal."""
        self.outcomes: tuple[str, ...] = possible_outcomes(data, self.core.outcomes, self.core.conserved)

    def _only_goal(self, goals: list[list[tuple[int, list[str]]] | dict[str, Any]]) -> str | None:
        """The text of the only state that satisfies the goal; `None` if there are none or several."""
        goal = goals[0] if len(goals) == 1 else []
        only = {} if isinstance(goal, dict) else {cell: held[0] for cell, held in goal if len(held) == 1}
        if len(only) < self.notation.cells or self.is_game:
            return None
        return self.notation.write(bytes(self.notation.symbols.index(only[cell]) for cell in sorted(only)), 0)

    @property
    def symmetry_order(self) -> int:
        """The number of symmetries of the rules."""
        return self.core.symmetry_order

    @property
    def rules_json(self) -> str:
        """The rules as JSON, with the symmetries that were found in place of `"auto"`."""
        return self.core.rules_json

    @property
    def fingerprint(self) -> str:
        """A digest of the rules. By it, a job recognises the rules that it was made with."""
        return self.core.fingerprint

    @property
    def word_bits(self) -> int:
        """The width of a packed state in bits."""
        return self.core.word_bits

    @property
    def state_bytes(self) -> int:
        """The most bytes of memory that a state takes while it is counted in the sparse store."""
        return self.core.state_bytes

    @property
    def window(self) -> str:
        """The earlier depths that can hold a successor: `"layered"` none, `"inverse-closed"` two, `"directed"` all."""
        return self.core.window

    @property
    def tiers(self) -> int:
        """The number of tiers: sets of states that play leaves for good. They are found from the rules alone."""
        return self.core.tiers

    @cached_property
    def never_repeats(self) -> bool:
        """`True` if it is proved that play never comes back to a state. `False` proves nothing."""
        return self.core.never_repeats()

    @property
    def move_names(self) -> list[str]:
        """The name of each move, in the order of the rules."""
        return list(self._names)

    @property
    def is_game(self) -> bool:
        """`True` if there are two players."""
        return bool(self.notation.players)

    @cached_property
    def group_order(self) -> int | None:
        """The number of arrangements that the moves can make; `None` if they do not permute and twist pieces."""
        orbits = self.core.group_orbits()
        return None if orbits is None else math.prod(orbits)

    @cached_property
    def group_states(self) -> int | None:
        """The number of states that the moves reach; `None` if unknown, or if they do not permute and twist pieces.

        If pieces look alike, several elements of the group make the same state: 6 permutations make 3 states of "aab".
        """
        found = self.core.group_states()
        return None if found is None else math.prod(found[0]) // math.prod(found[1])

    @cached_property
    def toggles(self) -> tuple[int, int] | None:
        """Two numbers, if all moves toggle cells; else `None`.

        The first is the rank: how many moves are independent. The second is the nullity: if it is `n`, then `2**n`
        combinations of moves change nothing.
        """
        return self.core.toggles()

    @cached_property
    def dials(self) -> tuple[int, int, int] | None:
        """Three numbers, if all moves advance cells in circles of a prime number of symbols; else `None`.

        The numbers are the prime `p`; the rank, which is how many moves are independent; and the nullity: if it is `n`,
        then `p**n` combinations of moves change nothing.
        Rules whose moves all toggle cells have `toggles` instead.
        """
        return self.core.dials()

    @cached_property
    def draws_evenly(self) -> bool:
        """`True` if every scramble is equally likely by the structure of the moves, however many states there are."""
        return bool(self.group_order or self.toggles or self.dials)

    def find_symmetries(self) -> _core.FoundSymmetries:
        """The symmetries that the engine finds in the rules."""
        return self.core.find_symmetries()

    @cached_property
    def backward(self) -> Self:
        """The engine of the same rules whose depths are numbers of moves to the goal.

        Raises:
            UsageError: The rules have two players or no goal.
        """
        turned = object.__new__(type(self))
        own = ("core", "backward", "_back")
        turned.__dict__ |= {name: value for name, value in self.__dict__.items() if name not in own}
        turned.core = self.core.backward()
        return turned

    def legal_moves(self, state: str) -> list[str]:
        """The names of the moves that can be made in a state."""
        return [self._names[index] for index in self.core.moves(*self.notation.read(state))]

    def apply(self, state: str, move: str) -> str:
        """The state that a move leads to."""
        cells, player = self.notation.read(state)
        only = self._only.get(move)
        if only is not None:
            with contextlib.suppress(MoveError):
                return self.notation.write(*self.core.apply(cells, player, only))
        return self.notation.write(*self.core.apply(cells, player, self._index(cells, player, move)))

    def apply_all(self, state: str, moves: str) -> str:
        """The state that a move, or a text with several moves, leads to; see `Puzzle.apply`."""
        if moves not in self._only and moves not in self._names and moves.strip():
            for name in names_in(moves):
                state = self.apply(state, name)
            return state
        return self.apply(state, moves)

    def _indexes(self, state: str, moves: Sequence[str]) -> list[int]:
        """The numbers of moves that are made one after another from a state.

        Raises:
            MoveError: One of them cannot be made.
        """
        indexes, (cells, player) = [], self.notation.read(state)
        for move in moves:
            index = self._index(cells, player, move)
            indexes.append(index)
            cells, player = self.core.apply(cells, player, index)
        return indexes

    def _index(self, cells: bytes, player: int, move: str) -> int:
        """The number of a move that can be made in a state."""
        legal = self.core.moves(cells, player)
        for index in legal:
            if self._names[index] == move:
                return index
        text = self.notation.write(cells, player)
        if not legal:
            raise MoveError(f'the move "{move}" cannot be made in {text}, where play is over')
        known = ", ".join(dict.fromkeys(self._names[index] for index in legal))
        raise MoveError(f'the move "{move}" cannot be made in {text}; the moves are {known}')

    def outcome(self, state: str) -> str | None:
        """The outcome of play; `None` if it goes on."""
        outcome = self.core.outcome(*self.notation.read(state))
        return None if outcome is None else self.core.outcomes[outcome]

    def is_solved(self, state: str) -> bool:
        """Returns `True` if the state satisfies the goal."""
        return self.core.solved(*self.notation.read(state))

    def least_moves(self, state: str) -> int | None:
        """A number of moves that every solution of a state needs at least, from how many cells hold each symbol.

        `None` if these numbers show that no moves lead to the goal.
        """
        return self.core.least_moves(*self.notation.read(state))

    def canonical(self, state: str) -> str:
        """The canonical form of a state: its smallest image under the symmetries."""
        return self.notation.write(*self.core.canonical(*self.notation.read(state)))

    def key(self, state: str) -> int:
        """A key of 128 bits that is the same for all images of a state under the symmetries."""
        return self.core.key(*self.notation.read(state))
