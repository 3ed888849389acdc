"""The functions that plugins register under a puzzle's id and a name: solvers, and scramblers in the same way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from puzzlekit.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Callable

_Function = TypeVar("_Function", bound="Callable[..., object]")
_Made = TypeVar("_Made")


@dataclass(eq=False, repr=False)
class _Entry(Generic[_Function]):
    """One function, and the plugin that registered it. `str` of the plugin reads files, so only messages call it."""

    puzzle_id: str
    name: str
    function: _Function
    owner: object


class Functions(Generic[_Function, _Made]):
    """All functions of one kind, solvers or scramblers, that plugins bring: by the puzzle's id and the function's name.

    Args:
        kind: What the functions are called in messages.
        own: The name of the engine's own function, which no plugin may take.
        check: Raises an error if a function's signature does not fit. It is called when a plugin registers a function.
        make: Wraps a function so that it fits the whole protocol. It is called when somebody asks for the function.
    """

    def __init__(
        self, kind: str, own: str, check: Callable[[Any, str], object], make: Callable[[Any, str], _Made]
    ) -> None:
        self._kind = kind
        self._own = own
        self._check = check
        self._make = make
        self._entries: dict[tuple[str, str], _Entry[_Function]] = {}

    def collect(self, owner: object) -> Collected[_Function]:
        """Makes a collector for the functions of one plugin. They can be used only after `keep` has taken them."""

        def check(puzzle_id: str, name: str, function: _Function) -> _Entry[_Function]:
            what = f'the {self._kind} "{name}" of {puzzle_id}'
            known = self._entries.get((puzzle_id, name))
            # A module that has several entry points registers its functions once for each of them. The same function
            # under the same name is no clash.
            if name == self._own or (known is not None and known.function is not function):
                has = "the engine has" if known is None else f"{known.owner} has"
                raise PluginError(f"it registers {what}, which {has} already; rename it")
            if not callable(function):
                raise PluginError(f"it registers {function!r} as {what}; register a function")
            self._check(function, name)
            return _Entry(puzzle_id, name, function, owner)

        return Collected(check)

    def keep(self, collected: Collected[_Function]) -> None:
        """Takes over the functions of a plugin. It is called when all its hooks have run without an error."""
        for entry in collected.entries:
            self._entries.setdefault((entry.puzzle_id, entry.name), entry)

    def of(self, puzzle_id: str) -> dict[str, _Made]:
        """The functions for puzzles of a given id, by name, in the order in which they were registered."""
        entries = [entry for entry in self._entries.values() if entry.puzzle_id == puzzle_id]
        return {entry.name: self._make(entry.function, entry.name) for entry in entries}


class Collected(Generic[_Function]):
    """Collects the functions that one plugin registers. The plugin's hook gets it as its argument `register`."""

    def __init__(self, check: Callable[[str, str, _Function], _Entry[_Function]]) -> None:
        self._check = check
        self.entries: list[_Entry[_Function]] = []

    def __call__(self, puzzle_id: str, name: str, function: _Function) -> None:
        """Registers a function.

        Raises:
            PluginError: The name is taken already, or the function does not take the arguments that it will be called
                with.
        """
        entry = self._check(puzzle_id, name, function)
        twins = [other for other in self.entries if (other.puzzle_id, other.name) == (puzzle_id, name)]
        if any(twin.function is not function for twin in twins):
            raise PluginError(f'it registers two functions as "{name}" of {puzzle_id}; rename one')
        self.entries.append(entry)
