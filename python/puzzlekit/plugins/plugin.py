"""One plugin: an entry point, the distribution that declares it, and the hooks that its module defines."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, TypeVar

from puzzlekit.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Callable

    import pluggy

    from puzzlekit.plugins.entries import Entry

GROUP = "puzzlekit"
"""The group that the entry points of plugins are in."""

_Function = TypeVar("_Function", bound="Callable[..., object]")


class Distribution:
    """The name and version of an entry point's distribution. They are read only on demand: few commands need them."""

    def __init__(self, entry: Entry) -> None:
        self._entry = entry

    @cached_property
    def _text(self) -> str:
        if named := getattr(self._entry, "named", ""):  # an entry that `importlib.metadata` has found has no such text
            return str(named)
        dist = self._entry.dist
        return f"{dist.name} {dist.version}" if dist else "an unknown distribution"

    def __str__(self) -> str:
        return self._text


@dataclass(eq=False, repr=False)  # every command needs it, and without these methods it is defined in half the time
class Plugin:
    """One entry point of the group `puzzlekit`.

    Attributes:
        name: The name of the entry point.
        error: Why the plugin, or one of its puzzles, is left out; `None` if nothing is.
        raised: Whether `error` is an exception that the plugin's code raised. Otherwise it is a sentence of puzzlekit
            that says what to do.
        puzzles: The ids of the puzzles that it has registered.
    """

    entry: Entry
    name: str
    source: Distribution
    loaded: bool = False
    error: str | None = None
    raised: bool = False
    puzzles: list[str] = field(default_factory=list)

    @property
    def distribution(self) -> str:
        """The name and the version of its distribution."""
        return str(self.source)

    def __str__(self) -> str:
        return f'the plugin "{self.name}" of {self.distribution}'

    def shares_module(self, other: Plugin) -> bool:
        """Returns `True` if another entry point names the same module of the same distribution."""
        return (self.entry.module, self.distribution) == (other.entry.module, other.distribution)


def hookimpl(function: _Function) -> _Function:
    """Marks a function of a plugin as a hook. `puzzlekit.plugins.hookspecs` lists the hooks and their signatures."""
    import pluggy  # imported here, because most commands start without a plugin

    return pluggy.HookimplMarker(GROUP)(function)


def hooks_of(plugin: Plugin) -> pluggy.HookRelay:
    """Imports a plugin, and returns its hooks."""
    import pluggy

    from puzzlekit.plugins import hookspecs

    # Each plugin has a manager of its own. So if a plugin fails, nothing of it stays in the manager of another plugin.
    manager = pluggy.PluginManager(GROUP)
    known = _functions_marked(hookspecs)
    manager.add_hookspecs(known)
    module = plugin.entry.load()
    hooks = [name for name in vars(known) if name.startswith("puzzlekit_")]
    for name in vars(module):
        if name.startswith("puzzlekit_register") and name not in hooks:
            raise PluginError(f"it defines the hook {name}, which does not exist; the hooks are {', '.join(hooks)}")
    try:
        manager.register(_functions_marked(module) if isinstance(module, ModuleType) else module, plugin.name)
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        wrong = " ".join(str(error).split())
        raise PluginError(f"a hook does not fit its signature in puzzlekit.plugins.hookspecs: {wrong}") from error
    return manager.hook


def _functions_marked(module: ModuleType) -> ModuleType:
    """A copy of a module that has only its hooks. It saves time: pluggy looks at every name of a module."""
    marks = (f"{GROUP}_spec", f"{GROUP}_impl")
    marked = ModuleType(module.__name__)
    for name, value in vars(module).items():
        if isinstance(value, FunctionType) and any(mark in vars(value) for mark in marks):
            setattr(marked, name, value)
    return marked
