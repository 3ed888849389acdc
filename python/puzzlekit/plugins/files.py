"""A puzzle in one file, named by its path: `./burnt.py`, `./burnt.py:Burnt`, `./burnt.py:size=9`.

Plugins may read files with other endings; see `puzzlekit.plugins.formats`. They are named in the same way.

The path says where the puzzle is found, and is no part of its name: `str(puzzle)` is `burnt:size=9` wherever the file
lies, and so are seeds, keys and jobs. A file is run only if the user names it, and never because a job's folder does.
The file may import modules that lie beside it. If an installed module has the same name, the installed one is imported.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import tokenize
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING

from puzzlekit.errors import JobError, PluginError, UsageError, one_line
from puzzlekit.plugins.formats import NO_FORMATS
from puzzlekit.plugins.guard import attempt
from puzzlekit.puzzle import declaration
from puzzlekit.puzzle.puzzle import Puzzle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from puzzlekit.plugins.formats import Format, Formats

PYTHON = ".py"
"""The ending of files that define puzzles in Python."""

_modules: dict[str, tuple[tuple[int, int], ModuleType]] = {}
"""The files that were run, by path: the time of the last change and the size of each, and its module."""


_read: dict[str, tuple[tuple[int, int], type[Puzzle]]] = {}
"""The same for files that plugins read: the time of the last change and the size of each, and its puzzle."""

_beside: list[str] = []
"""The modules that the last run of a file has imported from the file's folder."""

_appended: list[str] = []
"""The folder of the file that was run last, if it had to be added to `sys.path`; else empty."""


def names_file(text: str, formats: Formats = NO_FORMATS) -> bool:
    """Returns `True` if a text names a file.

    >>> names_file("./burnt.py:size=9"), names_file("C:/puzzles/burnt.py"), names_file("tictactoe:4,4,2")
    (True, True, False)
    """
    return "." in text and _match(text, formats) is not None


def path_of(text: str, formats: Formats = NO_FORMATS) -> str:
    """The path of a file that a text names, without a class and parameters after it.

    Raises:
        UsageError: The text names no file.
    """
    return _parts(text, formats)[0]


def load_file(text: str, tell: Callable[[str], None] | None = None, formats: Formats = NO_FORMATS) -> Puzzle:
    """The puzzle that a file defines.

    The word after the first colon is a class if the file defines a puzzle of that name. Otherwise parameters begin
    there.

    Args:
        text: The path, and after a colon a class, parameters, or a class, a colon and parameters.
        tell: Takes a sentence if running the file takes long.
        formats: The kinds of files that plugins read.

    Raises:
        UsageError: There is no such file, it has several puzzles and none is named, or a parameter makes no sense.
        PluginError: The file fails, or its puzzle is not declared as it should be.
    """
    path, rest = _parts(text, formats)
    types = types_in(path, tell, formats)
    word, colon, values = rest.partition(":")
    if word in types:
        return declaration.made(_checked(types[word], path), values)
    if colon:
        raise UsageError(f'{path} has no puzzle "{word}"; it has {_listed(types)}')
    if len(types) > 1:
        raise UsageError(f"{path} has the puzzles {_listed(types)}; name one of them, as in {path}:{next(iter(types))}")
    return declaration.made(_checked(next(iter(types.values())), path), rest)


def puzzle_in_file(
    text: str, file: str, tell: Callable[[str], None] | None = None, formats: Formats = NO_FORMATS
) -> Puzzle:
    """The puzzle of a text id, from a file that is given.

    Raises:
        UsageError: There is no such file.
        JobError: The file has no puzzle of that id.
        PluginError: The file fails.
    """
    path, name = _parts(file, formats)
    types = types_in(path, tell, formats)
    puzzle_id = text.partition(":")[0]
    for kind in [types[name]] if name in types else types.values():
        if getattr(kind, "id", None) == puzzle_id:
            return declaration.made(_checked(kind, path), _values(text))
    raise JobError(f'{path} has no puzzle with the id "{puzzle_id}"; it has {_listed(types)}')


@contextmanager
def _modules_beside(folder: str) -> Iterator[None]:
    """Lets a file that is being run import modules from its folder.

    Modules that an earlier file has imported from another folder are forgotten, since they may have the same names.
    """
    for name in _beside:
        sys.modules.pop(name, None)
    for other in _appended:
        if other in sys.path:
            sys.path.remove(other)
    _appended.clear()
    # The folder stays in `sys.path`, since methods of the puzzle may import later. It is the last entry, so nothing in
    # it hides an installed module.
    if folder not in sys.path:
        sys.path.append(folder)
        _appended.append(folder)
    before = set(sys.modules)
    try:
        yield
    finally:
        found = {name: str(getattr(sys.modules[name], "__file__", "")) for name in set(sys.modules) - before}
        _beside[:] = [name for name, path in found.items() if path.startswith(os.path.join(folder, ""))]


def _match(text: str, formats: Formats) -> re.Match[str] | None:
    """Two groups: a path, which may have a colon after a drive letter; and the text after the next colon, if any."""
    endings = "|".join(map(re.escape, [PYTHON, *formats.endings]))
    return re.fullmatch(rf"(.+?(?:{endings}))(?::(.*))?", text.strip(), re.DOTALL)


def _parts(text: str, formats: Formats = NO_FORMATS) -> tuple[str, str]:
    found = _match(text, formats)
    if found is None:
        endings = " or ".join([PYTHON, *formats.endings])
        raise UsageError(f'"{text}" is no file of Python; give a path that ends with {endings}')
    return found[1], (found[2] or "").strip()


def _values(text: str) -> str:
    return text.partition(":")[2]


def _listed(types: dict[str, type[Puzzle]]) -> str:
    return ", ".join(types)


def _checked(kind: type[Puzzle], path: str) -> type[Puzzle]:
    try:
        declaration.check_type(kind)
    except PluginError as error:
        raise PluginError(f"{path}: {error}") from error
    return kind


def types_in(
    path: str, tell: Callable[[str], None] | None = None, formats: Formats = NO_FORMATS
) -> dict[str, type[Puzzle]]:
    """The puzzles that a file defines, by the names of their classes. Imported classes do not count."""
    found = None if path.endswith(PYTHON) else formats.of(path)
    if found is not None:
        kind = _read_type(found, path, tell)
        return {kind.__name__: kind}
    module = _module(path, tell)
    types = {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Puzzle) and value.__module__ == module.__name__
    }
    # Classes without an id are left out if others have one: they are base classes.
    types = {name: kind for name, kind in types.items() if getattr(kind, "id", None) is not None} or types
    if not types:
        raise PluginError(f"{path} defines no puzzle; define a frozen dataclass that is a puzzlekit.Puzzle")
    return types


def _read_type(found: Format, path: str, tell: Callable[[str], None] | None) -> type[Puzzle]:
    """The puzzle of a file that a plugin reads: the first time and after each change."""
    place = os.path.realpath(path)
    try:
        status = os.stat(path)
        version = (status.st_mtime_ns, status.st_size)
    except OSError:
        version = (-1, -1)  # the reader says what is wrong
    if place not in _read or _read[place][0] != version:
        _read[place] = (version, found.read(path, tell))
    return _read[place][1]


def _module(path: str, tell: Callable[[str], None] | None) -> ModuleType:
    """The module of a file, which is run the first time and after each change."""
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):  # a pipe would be read for ever
            raise UsageError(f"{path} is no file; give the path of a text file of Python")
        with tokenize.open(path) as file:
            source = file.read()
    except FileNotFoundError:
        raise UsageError(f"there is no file {path}; give the path of a file that defines a puzzle") from None
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        raise UsageError(f"the file {path} cannot be read: {error}; give a text file of Python") from None
    place, version = os.path.realpath(path), (found.st_mtime_ns, found.st_size)
    if place in _modules and _modules[place][0] == version:
        return _modules[place][1]
    # No import statement can name this module, so it hides no other. The name has no dot, since a dot would make the
    # module a part of a package.
    module = ModuleType("puzzlekit file " + place.replace("%", "%25").replace(".", "%2e"))
    module.__file__ = place
    # `@dataclass` looks its module up in `sys.modules`.
    sys.modules[module.__name__] = module

    def run() -> None:
        with _modules_beside(os.path.dirname(place)):
            exec(compile(source, place, "exec"), vars(module))

    fault = attempt(run, f"the file {path}", tell)
    if fault is not None:
        del sys.modules[module.__name__]
        if isinstance(fault, PluginError):  # a class of the file is not declared as it should be
            raise PluginError(f"{path}: {fault}") from fault
        raise PluginError(f"the file {path} cannot be loaded: {one_line(fault)}") from fault
    _modules[place] = (version, module)
    return module
