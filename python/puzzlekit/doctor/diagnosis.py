"""All that `puzzlekit doctor` finds: the results of all parts, and all problems in one list."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from puzzlekit.doctor.installation import Installation, look_at_installation
from puzzlekit.doctor.machine import Folders, Memory, Processor, look_at_folders, look_at_memory, look_at_processor
from puzzlekit.doctor.plugins import FoundPlugin, look_at_plugins
from puzzlekit.doctor.tables import Cache, look_at_cache

if TYPE_CHECKING:
    from puzzlekit.doctor.self_test import Trial
    from puzzlekit.plugins.loader import Plugins


@dataclass(frozen=True)
class Diagnosis:
    """All results.

    Attributes:
        installation: The installed packages.
        plugins: The plugins.
        processor: The processor.
        memory: The memory.
        folders: The folders.
        cache: The folder in which tables are kept.
        trials: The runs of the self-test; `None` if it was not asked for.
    """

    installation: Installation
    plugins: tuple[FoundPlugin, ...]
    processor: Processor
    memory: Memory
    folders: Folders
    cache: Cache
    trials: tuple[Trial, ...] | None

    @property
    def problems(self) -> list[str]:
        """The problems of all parts. Each is a sentence that says what to do."""
        of_plugins = [problem for plugin in self.plugins for problem in plugin.problems]
        of_machine = [*self.processor.problems, *self.memory.problems, *self.folders.problems, *self.cache.problems]
        found = [*self.installation.problems, *of_plugins, *of_machine]
        return found + [trial.problem for trial in self.trials or () if trial.problem is not None]

    def to_data(self) -> dict[str, Any]:
        """The results as the JSON that `puzzlekit doctor` prints."""
        installation, memory = asdict(self.installation), asdict(self.memory)
        python = {"version": installation["python"], "executable": installation["executable"]}
        return {
            "schema": "puzzlekit.doctor/1",
            "core": {name: installation[name] for name in ("version", "engine_version", "folder", "editable")},
            "python": python,
            "platform": self.installation.platform,
            "packages": list(installation["packages"]),
            "plugins": [asdict(plugin) for plugin in self.plugins],
            "processor": _without_problems(asdict(self.processor)),
            "memory": _without_problems(memory) | {"binding": asdict(self.memory.binding)},
            "cache": _without_problems(asdict(self.cache)),
            "temporary": _without_problems(asdict(self.folders)),
            "self_test": None if self.trials is None else [asdict(trial) for trial in self.trials],
            "problems": self.problems,
        }


def _without_problems(data: dict[str, Any]) -> dict[str, Any]:
    """The data of a part without the list of its problems, since one list has the problems of all parts."""
    return {name: value for name, value in data.items() if name != "problems"}


def examine(plugins: Plugins, *, self_test: bool = False) -> Diagnosis:
    """Checks everything.

    Args:
        plugins: The plugins that may be loaded.
        self_test: Whether to run the self-test as well, which takes about a second.
    """
    processor = look_at_processor()
    trials = None
    if self_test:
        from puzzlekit.doctor.self_test import run_self_test

        trials = tuple(run_self_test())
    return Diagnosis(
        installation=look_at_installation(),
        plugins=tuple(look_at_plugins(plugins)),
        processor=processor,
        memory=look_at_memory(processor.threads or 1),
        folders=look_at_folders(),
        cache=look_at_cache(),
        trials=trials,
    )
