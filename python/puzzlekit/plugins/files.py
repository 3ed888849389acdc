"""A puzzle in one file, named by its path: `./burnt.py`, `./burnt.py:Burnt`, `./burnt.py:size=9`.

Plugins may read files with other endings, which are named in the same way; see `puzzlekit.plugins.formats`.

The path only says where to find the puzzle. It is no part of the puzzle's name: `str(puzzle)` is `burnt:size=9`
wherever the file lies, and seeds, keys and jobs do not depend on the path either. A file is run only if the user names
it, and never because the folder of a job does. The file may import modules that lie beside it. If an installed module
has the same name, the installed one is imported.
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
"""The files of Python that were run, by path: the time of last change and the size of the file, and its module."""


_read: dict[str, tuple[tuple[int, int], type[Puzzle]]] = {}
"""The files of other formats that were read, by path: the time of last change and the size of the file, and its
puzzle."""

_beside: list[str] = []
"""The modules beside a file that the last run of a file imported."""

_appended: list[str] = []
"""The folder of the file that was run last, if it had to be added to `sys.path`; empty otherwise."""


def names_file(text: str, formats: Formats = NO_FORMATS) -> bool:
    """Returns `True` if a text names a file, not an installed puzzle.

    >>> names_file("./burnt.py:size=9"), names_file("C:/puzzles/burnt.py"), names_file("tictactoe:4,4,2")
    (True, True, False)
    """
    return "." in text and _match(text, formats) is not None


def path_of(text: str, formats: Formats = NO_FORMATS) -> str:
    """The path of the file that a text names, without the class and the parameters that may follow it.

    Raises:
        UsageError: The text names no file.
    """
    return _parts(text, formats)[0]


def load_file(text: str, tell: Callable[[str], None] | None = None, formats: Formats = NO_FORMATS) -> Puzzle:
    """The puzzle that a file defines.

    What follows the first colon is a class, if the file has a puzzle of that name. Otherwise it is taken as parameters.

    Args:
        text: The path. After a colon, a class, parameters, or a class, another colon and parameters may follow.
        tell: Called with a sentence if it takes long to run the file.
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
    kind = _checked(next(iter(types.values())), path)
    try:
        return declaration.made(kind, rest)
    except UsageError as error:
        if rest[:1].isupper() and rest.isidentifier():  # perhaps a class was meant
            hint = f'if "{rest}" is to name a puzzle: {path} has {_listed(types)}'
            raise UsageError(f"{error} ({hint})") from None
        raise


def puzzle_in_file(
    text: str, file: str, tell: Callable[[str], None] | None = None, formats: Formats = NO_FORMATS
) -> Puzzle:
    """The puzzle of a text id, from a given file that defines it.

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
    """Lets a file import modules from its folder while it is being run.

    Modules that an earlier file imported from its own folder are forgotten first, since they may have the same names.
    """
    for name in _beside:
        sys.modules.pop(name, None)
    for other in _appended:
        if other in sys.path:
            sys.path.remove(other)
    _appended.clear()
    # The folder stays in `sys.path`, since the puzzle's methods may import modules later. It comes last, so nothing in
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
    """Matches a text that names a file; `None` if it names none.

    The match has two groups: the path, which may begin with a drive letter and a colon; and what follows the next
    colon.
    """
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
    """The puzzles that a file defines, by the names of their classes. Classes that it imports do not count."""
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
    # If some classes have an id, those without one are left out: they are base classes.
    types = {name: kind for name, kind in types.items() if getattr(kind, "id", None) is not None} or types
    if not types:
        raise PluginError(f"{path} defines no puzzle; define a frozen dataclass that is a puzzlekit.Puzzle")
    return types


def _read_type(found: Format, path: str, tell: Callable[[str], None] | None) -> type[Puzzle]:
    """The puzzle of a file that a plugin reads. The file is read the first time, and again after each change of it."""
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
    """The module of a file of Python. The file is run the first time, and again after each change of it."""
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):  # a pipe would be read for ever
            raise UsageError(f"{path} is no file; give the path of a text file of Python")
        with tokenize.open(path) as file:
            source = file.read()
    except FileNotFoundError:
        raise UsageError(f"there is no file {path}; give the path of a file that defines a puzzle") from None
    except (OSError, SyntaxError, ValueError) as error:  # the last one for a null character, or for other bytes
        raise UsageError(f"the file {path} cannot be read: {error}; give a text file of Python") from None
    place, version = os.path.realpath(path), (found.st_mtime_ns, found.st_size)
    if place in _modules and _modules[place][0] == version:
        return _modules[place][1]
    # No import statement can name this module, because of the space. So it hides no other module. A dot would make it a
    # part of a package, so dots are replaced.
    module = ModuleType("puzzlekit file " + place.replace("%", "%25").replace(".", "%2e"))
    module.__file__ = place
    # `@dataclass` looks for the module of a class in `sys.modules`.
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
