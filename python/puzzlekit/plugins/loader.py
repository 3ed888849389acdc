"""The plugins of this Python, each loaded when it is needed; two of one name are refused. Finds the puzzle of an id."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from puzzlekit.errors import PluginError, PluginWarning, PuzzlekitError, UsageError, did_you_mean, one_line
from puzzlekit.plugins import gallery
from puzzlekit.plugins.entries import find as find_entries
from puzzlekit.plugins.formats import NO_FORMATS, Formats
from puzzlekit.plugins.guard import attempt
from puzzlekit.plugins.plugin import GROUP, Distribution, Plugin, hooks_of
from puzzlekit.puzzle import declaration
from puzzlekit.puzzle.puzzle import Puzzle
from puzzlekit.run.checks import check_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from os import PathLike

    from puzzlekit.jobs.job import Job
    from puzzlekit.jobs.shards.executor import Executor
    from puzzlekit.plugins.entries import Entry
    from puzzlekit.plugins.functions import Functions
    from puzzlekit.run.scrambler import Scrambler, ScramblerFunction
    from puzzlekit.run.solver import Solver, SolverFunction

PROCESSES = "processes"
"""The name of the one executor that needs no plugin."""

_Function = TypeVar("_Function", bound="Callable[..., object]")


class _Executor(NamedTuple):
    """A function that makes an executor, and the plugin that registered it."""

    make: Callable[[str, int | None], Executor]
    owner: Plugin


def _check_values(text: str, colon: str, values: str) -> None:
    """Raises an error if a text id has a colon and no parameters after it."""
    if colon and not values.strip():
        raise UsageError(f'"{text}" has nothing after the colon; leave the colon out, or give parameters')


class Plugins:
    """The plugins of this Python, and the puzzles that they bring.

    Args:
        entries: Their entry points.
        strict: Whether a plugin that cannot be loaded is an error. Otherwise there is a warning, and the plugin is left
            out.
        warn: Called with the sentence of each warning.
        tell: Called with a sentence if a plugin takes long to load.
        formats: The kinds of files that plugins read.

        The puzzle `name` belongs to the plugin `name`. So it is known without an import which plugin has a puzzle, and
        only this plugin is imported if one puzzle is asked for. If two plugins have the same name, neither is imported.
    """

    def __init__(
        self,
        entries: Iterable[Entry],
        *,
        strict: bool = False,
        warn: Callable[[str], None] | None = None,
        tell: Callable[[str], None] | None = None,
        formats: Formats = NO_FORMATS,
    ) -> None:
        self.formats = formats
        self._strict = strict
        self._tell = tell
        self._warn = warn or (lambda message: warnings.warn(message, PluginWarning, stacklevel=2))
        self._types: dict[str, tuple[type[Puzzle], Plugin]] = {}
        self._executors: dict[str, _Executor] = {}
        plugins = [Plugin(entry, entry.name, Distribution(entry)) for entry in entries]
        times = Counter(plugin.name for plugin in plugins)

        def order(plugin: Plugin) -> tuple[str, str]:
            # If plugins have the same name, they are sorted by their distributions.
            return plugin.name, plugin.distribution if times[plugin.name] > 1 else ""

        self.plugins: list[Plugin] = sorted(plugins, key=order)

    @classmethod
    def discover(
        cls,
        *,
        strict: bool = False,
        warn: Callable[[str], None] | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> Plugins:
        """All installed plugins. None of them is imported yet."""
        return cls(find_entries(GROUP), strict=strict, warn=warn, tell=tell, formats=Formats.discover())

    def load_all(self) -> list[Plugin]:
        """Loads all plugins, and returns them."""
        for plugin in self.plugins:
            self._load(plugin)
        return self.plugins

    def puzzle_types(self) -> dict[str, type[Puzzle]]:
        """All installed puzzles, by id, sorted by id."""
        self.load_all()
        return {puzzle_id: self._types[puzzle_id][0] for puzzle_id in sorted(self._types)}

    def parse(self, text: str) -> Puzzle:
        """The puzzle of a text id, such as `tictactoe`, `tictactoe:4,4,2` or `tictactoe:rows=4,columns=4,win=2`.

        A path that ends with `.py`, or with an ending that a plugin reads, names a file that defines a puzzle; see
        `puzzlekit.plugins.files`. An id that no plugin has may be one of the gallery; see `puzzlekit.plugins.gallery`.

        Raises:
            UsageError: There is no such puzzle, or a parameter makes no sense.
            PluginError: The plugin that has the puzzle cannot be loaded.
        """
        if isinstance(text, os.PathLike):
            text = os.fspath(text)
        if not isinstance(text, str):
            raise UsageError(f"a puzzle is named by a text, not {text!r}; give one like name:3,3")
        text = self.located(text)
        if "." in text:
            from puzzlekit.plugins import files

            if files.names_file(text, self.formats):
                return files.load_file(text, self._tell, self.formats)
            self._check_no_file(text)
        puzzle_id, colon, values = text.strip().partition(":")
        puzzle_type = self._puzzle_type(puzzle_id.strip())
        _check_values(text, colon, values)
        return declaration.made(puzzle_type, values.strip())

    def _check_no_file(self, text: str) -> None:
        """Raises an error if a text names a folder, or an existing file of a kind that no plugin reads."""
        path = text.strip().partition(":")[0]
        if os.path.isdir(path):
            raise UsageError(f"{path} is a folder; name a file in it that defines a puzzle, or the id of a puzzle")
        if os.path.isfile(path):
            endings = " and ".join([".py", *self.formats.endings])
            raise UsageError(
                f"no plugin reads files such as {path}; puzzles are read from files that end in {endings}, and "
                "plugins may read more"
            )

    def as_python(self, text: str) -> str:
        """The puzzle of another program's file, as the text of a Python file.

        Raises:
            UsageError: There is no such file, it is a Python file already, or no plugin can write it as Python.
            PluginError: The plugin that reads such files fails.
        """
        from puzzlekit.plugins import files
        from puzzlekit.plugins.formats import as_python

        if not files.names_file(text, self.formats):
            self._check_no_file(text)
            endings = " or ".join(self.formats.endings) or "nothing, since no plugin that reads others is loaded"
            raise UsageError(f'"{text}" is no file of another program; give a path that ends with {endings}')
        path = files.path_of(text, self.formats)
        if self.formats.of(path) is None:
            raise UsageError(f"{path} is a file of Python already; give one of another program")
        (kind,) = files.types_in(path, self._tell, self.formats).values()
        return as_python(kind)

    def file_of(self, text: str) -> str | None:
        """The path of the file that a text names by its path or an id of the gallery; `None` if it names none."""
        from puzzlekit.plugins import files

        text = self.located(text)
        return files.path_of(text, self.formats) if files.names_file(text, self.formats) else None

    def located(self, text: str) -> str:
        """The same text, but with the path of the file in the place of the id if the id is one of the gallery.

        Ids that a plugin has are not looked for in the gallery.

        Raises:
            UsageError: An id of the gallery is followed by a colon, and nothing after it.
        """
        puzzle_id, colon, values = text.strip().partition(":")
        file = None if self._named(puzzle_id) else gallery.file_of(puzzle_id)
        if file is None:
            return text
        _check_values(text, colon, values)
        return f"{file}{colon}{values}"

    def open_job(self, folder: str | PathLike[str], file: str | PathLike[str] | None = None) -> Job:
        """The job in a folder, as `puzzlekit.open_job` gives it."""
        from puzzlekit.jobs.job import Job
        from puzzlekit.run.checks import read_path

        def named(text: str) -> Puzzle:
            from puzzlekit.plugins import files

            return files.puzzle_in_file(text, read_path("the file", file), self._tell, self.formats)

        return Job(folder, None if file is None else named, installed=self.installed)

    def installed(self, text: str) -> Puzzle | None:
        """The installed puzzle of a text id; `None` if there is none, or if it does not take these parameters.

        The text need not be trusted: whatever it says, no file is run.
        """
        puzzle_id, _, values = text.partition(":")
        try:
            return declaration.made(self._puzzle_type(puzzle_id), values)
        except PuzzlekitError:
            return None

    def solvers(self, puzzle: Puzzle) -> dict[str, Solver]:
        """The solvers of a puzzle, by name: the engine's own, `optimal`, and those of plugins."""
        from puzzlekit.puzzle.solving import optimal

        return {"optimal": optimal, **self._registered(self._solvers, puzzle)}

    def solver(self, puzzle: Puzzle, name: str) -> Solver:
        """The solver of a puzzle that has a given name.

        Raises:
            UsageError: The puzzle has no such solver.
        """
        return _named_one(puzzle, "solver", self.solvers(puzzle), name)

    def scramblers(self, puzzle: Puzzle) -> dict[str, Scrambler]:
        """The scramblers of a puzzle, by name: the engine's own, `random`, and those of plugins."""
        from puzzlekit.puzzle.scrambling import random_state

        return {"random": random_state, **self._registered(self._scramblers, puzzle)}

    def scrambler(self, puzzle: Puzzle, name: str) -> Scrambler:
        """The scrambler of a puzzle that has a given name.

        Raises:
            UsageError: The puzzle has no such scrambler.
        """
        return _named_one(puzzle, "scrambler", self.scramblers(puzzle), name)

    def executor(self, text: str, shards: int | None = None) -> Executor:
        """The executor that a text names: `processes:3`, or one that a plugin brings. See `puzzlekit.executor`."""
        from puzzlekit.jobs.shards.protocol import MOST_SHARDS

        check_number("shards", shards, 1, MOST_SHARDS)
        name, _, rest = text.partition(":")
        if name == PROCESSES:
            from puzzlekit.jobs.shards.processes import processes

            return processes(rest, shards)
        self.load_all()
        if name not in self._executors:
            known = ", ".join([f"{PROCESSES}:K", *sorted(self._executors)])
            raise UsageError(f'there is no executor "{name}"; give one of {known}')
        return self._executors[name].make(rest, shards)

    def _registered(self, functions: Functions[Any, _Function], puzzle: Puzzle) -> dict[str, _Function]:
        """The functions of one kind that plugins have registered for a puzzle, by name."""
        self.load_all()
        # A puzzle from a file may have the id of an installed puzzle. Functions that are registered for the installed
        # puzzle are not meant for the one from the file.
        installed = self._types.get(puzzle.id, (type(puzzle), None))[0]
        return functions.of(puzzle.id) if isinstance(puzzle, installed) else {}

    # When a function is registered, only its signature is checked. The modules of the protocols are imported when a
    # caller first asks for a function.
    @cached_property
    def _solvers(self) -> Functions[SolverFunction, Solver]:
        from puzzlekit.plugins.functions import Functions
        from puzzlekit.run.signatures import arguments_of_solver

        return Functions("solver", "optimal", arguments_of_solver, _solver)

    @cached_property
    def _scramblers(self) -> Functions[ScramblerFunction, Scrambler]:
        from puzzlekit.plugins.functions import Functions
        from puzzlekit.run.signatures import arguments_of_scrambler

        return Functions("scrambler", "random", arguments_of_scrambler, _scrambler)

    def _named(self, name: str) -> list[Plugin]:
        return [plugin for plugin in self.plugins if plugin.name == name]

    def _puzzle_type(self, puzzle_id: str) -> type[Puzzle]:
        owners = self._named(puzzle_id)
        for plugin in owners:
            self._load(plugin, quiet=True)
        if not owners:
            self.load_all()
        if puzzle_id in self._types:
            return self._types[puzzle_id][0]
        for plugin in owners:
            if plugin.error:
                raise PluginError(f"{plugin} cannot be loaded: {plugin.error}")
            brings = " and ".join(plugin.puzzles) or "no puzzle"
            raise UsageError(f'there is no puzzle "{puzzle_id}"; {plugin}, whose it would be, brings {brings}')
        known = ", ".join(sorted(self._types))
        remedy = (
            f"the puzzles are {known}" if known else "no plugin is loaded that brings any; see puzzlekit plugins list"
        )
        likely = did_you_mean(puzzle_id, [*self._types, *gallery.ids()])
        raise UsageError(f'there is no puzzle "{puzzle_id}"; {remedy}, and puzzlekit list --gallery has more{likely}')

    def _load(self, plugin: Plugin, *, quiet: bool = False) -> None:
        if plugin.loaded:
            return
        plugin.loaded = True
        twins = [other for other in self._named(plugin.name) if other is not plugin]
        error: BaseException | None
        if twins:
            error = PluginError(f"{twins[0]} has the same name; uninstall one of the two")
        else:
            error = attempt(lambda: self._register(plugin), plugin, self._tell)
        if error is not None:
            plugin.raised = not isinstance(error, PluginError)
            plugin.error = one_line(error) if plugin.raised else str(error)
        if plugin.error is None:
            return
        if self._strict:
            raise PluginError(f"{plugin} cannot be loaded: {plugin.error}") from error
        if not quiet:
            self._warn(f"{plugin} was passed over: {plugin.error}" if error else f"{plugin}: {plugin.error}")

    def _register(self, plugin: Plugin) -> None:
        hook = hooks_of(plugin)
        found: dict[str, type[Puzzle]] = {}
        elsewhere: list[str] = []
        lost: list[str] = []

        def register(puzzle_type: type[Puzzle]) -> None:
            if not (isinstance(puzzle_type, type) and issubclass(puzzle_type, Puzzle)):
                raise PluginError(f"it registers {puzzle_type!r}; register a subclass of puzzlekit.Puzzle")
            declaration.check_type(puzzle_type)
            others = self._named(puzzle_type.id) if puzzle_type.id != plugin.name else []
            if others:
                # The module may have several entry points, one for each of its puzzles. Puzzles that belong to another
                # entry point of this module are skipped here.
                elsewhere.append(puzzle_type.id)
                if not plugin.shares_module(others[0]):
                    lost.append(
                        f'it registers the puzzle "{puzzle_type.id}", which belongs to {others[0]}; rename the puzzle'
                    )
                return
            owner = plugin if puzzle_type.id in found else self._types.get(puzzle_type.id, (None, None))[1]
            if owner is not None and owner is not plugin and plugin.shares_module(owner):
                elsewhere.append(puzzle_type.id)
                return
            if owner is not None:
                raise PluginError(f'it registers the puzzle "{puzzle_type.id}", which {owner} has already; rename one')
            found[puzzle_type.id] = puzzle_type

        solvers, scramblers = self._solvers.collect(plugin), self._scramblers.collect(plugin)
        hook.puzzlekit_register_puzzles(register=register)
        hook.puzzlekit_register_solvers(register=solvers)
        hook.puzzlekit_register_scramblers(register=scramblers)
        executors: dict[str, _Executor] = {}

        def register_executor(name: str, make: Callable[[str, int | None], Executor]) -> None:
            owner = self._executors[name].owner if name in self._executors else None
            if name in (PROCESSES, *executors) or owner not in (None, plugin):
                has = "there is" if owner is None else f"{owner} has"
                raise PluginError(f'it registers the executor "{name}", which {has} already; rename it')
            if not callable(make):
                raise PluginError(f'it registers {make!r} as the executor "{name}"; register a function that makes it')
            executors[name] = _Executor(make, plugin)

        hook.puzzlekit_register_executors(register=register_executor)
        if not found and not solvers.entries and not scramblers.entries and not executors:
            if lost:
                raise PluginError("; ".join(lost))
            if elsewhere:
                raise PluginError(
                    f"what it registers comes by other entry points ({', '.join(elsewhere)}); remove this one"
                )
            raise PluginError("it registers nothing; mark puzzlekit_register_puzzles with @puzzlekit.hookimpl")
        plugin.puzzles = sorted(found)
        plugin.error = "; ".join(lost) or None
        self._solvers.keep(solvers)
        self._scramblers.keep(scramblers)
        self._executors.update(executors)
        for puzzle_type in found.values():
            puzzle_type.distribution = plugin.source
        self._types.update({puzzle_id: (puzzle_type, plugin) for puzzle_id, puzzle_type in found.items()})


def _solver(function: SolverFunction, name: str) -> Solver:
    from puzzlekit.run.solver import as_solver

    return as_solver(function, name)


def _scrambler(function: ScramblerFunction, name: str) -> Scrambler:
    from puzzlekit.run.scrambler import as_scrambler

    return as_scrambler(function, name)


def _named_one(puzzle: Puzzle, kind: str, known: dict[str, _Function], name: str) -> _Function:
    """The solver or the scrambler that has a given name.

    Args:
        puzzle: The puzzle, for the message.
        kind: `"solver"` or `"scrambler"`, for the message.
        known: All of them, by name.
        name: The name that is looked for.
    """
    if name not in known:
        near = did_you_mean(name, known)
        raise UsageError(f'{puzzle.id} has no {kind} "{name}"; its {kind}s are {", ".join(known)}{near}')
    return known[name]
