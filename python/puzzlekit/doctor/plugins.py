"""The installed plugins: what each of them brings, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from puzzlekit.doctor.installation import unmet

if TYPE_CHECKING:
    from puzzlekit.plugins.loader import Plugins
    from puzzlekit.plugins.plugin import Plugin


@dataclass(frozen=True)
class FoundPlugin:
    """A plugin that is installed.

    Attributes:
        name: The name of its entry point.
        distribution: The distribution, that is, the installed package, that it is in; `None` if that is unknown.
        version: The version of that distribution.
        puzzles: The ids of the puzzles that it brings.
        problems: What is wrong with it, each a sentence that says what to do.
    """

    name: str
    distribution: str | None
    version: str | None
    puzzles: tuple[str, ...]
    problems: tuple[str, ...] = ()


def look_at_plugins(plugins: Plugins) -> list[FoundPlugin]:
    """Loads all plugins, and finds what is wrong with each of them. The others are loaded even if one fails.

    >>> from puzzlekit.plugins.loader import Plugins
    >>> [plugin.puzzles for plugin in look_at_plugins(Plugins.discover()) if plugin.name == "tictactoe"]
    [('tictactoe',)]

    Args:
        plugins: The plugins. One that fails is passed over.
    """
    return [_look_at(plugin) for plugin in plugins.load_all()]


def _look_at(plugin: Plugin) -> FoundPlugin:
    distribution = plugin.entry.dist
    problems = unmet(distribution, str(plugin)) if distribution else []
    if plugin.error is not None:
        owner = distribution.name if distribution else plugin.entry.module
        # If puzzlekit itself refused the plugin, the message says already what to do.
        remedy = f"; upgrade {owner}, or run: pip uninstall {owner}" if plugin.raised else ""
        problems.insert(0, f"{plugin}: {plugin.error}{remedy}")
    return FoundPlugin(
        name=plugin.name,
        distribution=distribution.name if distribution else None,
        version=distribution.version if distribution else None,
        puzzles=tuple(plugin.puzzles),
        problems=tuple(problems),
    )
