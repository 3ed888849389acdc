"""Examines a puzzle in another process: the suite runs this file as a program, and reads the JSON that it prints.

The program reads JSON from stdin: the `module` of a class, or the `file` that defines it; the name of the `class`; the
`values`, which are the parameters of a text id; the `seeds` of scrambles; and the names of `scramblers` of plugins.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.util
import json
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from puzzlekit.errors import PuzzlekitError, UsageError, one_line
from puzzlekit.puzzle import declaration
from puzzlekit.puzzle.puzzle import Puzzle

if TYPE_CHECKING:
    from collections.abc import Iterable

    from puzzlekit.run.scrambler import ScramblerFunction


def warm_up() -> set[str]:
    """Imports all modules of puzzlekit that a puzzle's class may need. Returns the names of all imported modules.

    If the class is imported after this, the import takes only the time for what the class itself imports.
    """
    package = importlib.import_module("puzzlekit")
    for name in package.__all__:
        getattr(package, name)
    importlib.import_module("pluggy")
    return set(sys.modules)


def find(given: dict[str, Any]) -> type[Puzzle]:
    """The class of a puzzle, from the file or the module that defines it."""
    if given["file"] is None:
        module = importlib.import_module(given["module"])
    else:
        spec = importlib.util.spec_from_file_location("puzzlekit_checked", given["file"])
        if spec is None or spec.loader is None:
            raise ImportError(f"{given['file']} is no file of Python")
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module  # `@dataclass` looks its module up there
        spec.loader.exec_module(module)
    kind: type[Puzzle] = getattr(module, given["class"])
    return kind


def digests(data: dict[str, Any]) -> dict[str, str]:
    """A hash for each part of rules, given as data. Equal parts have equal hashes."""
    return {name: hashlib.blake2b(json.dumps(part).encode(), digest_size=8).hexdigest() for name, part in data.items()}


def mixed(puzzle: Puzzle, scrambler: ScramblerFunction, seeds: Iterable[str]) -> list[str]:
    """The states that a scrambler makes from seeds; an empty list if the scrambler refuses the puzzle."""
    try:
        # The base class's method is called: a puzzle that overrides `scramble` may not take the argument `scrambler`.
        return [Puzzle.scramble(puzzle, seed, scrambler=scrambler).state for seed in seeds]
    except UsageError:
        return []


def look(given: dict[str, Any]) -> dict[str, Any]:
    """Returns what this process finds: the cost of the import, hashes of the rules, and scrambles; or an error."""
    before, begun = warm_up(), time.process_time()
    kind = find(given)
    seconds = time.process_time() - begun
    new = {name.partition(".")[0] for name in set(sys.modules) - before}
    others = sorted(
        new - sys.stdlib_module_names - {"puzzlekit", "puzzlekit_checked", given["module"].partition(".")[0]}
    )
    found: dict[str, Any] = {"import_seconds": seconds, "modules": others}
    try:
        puzzle = declaration.made(kind, given["values"])
        puzzle.engine  # noqa: B018 - compiles the rules
        found["digests"] = digests(puzzle.rules().to_data())
        found["scrambles"] = {"": [puzzle.scramble(seed).state for seed in given["seeds"]]}
        brought = importlib.import_module("puzzlekit").scramblers(puzzle) if given["scramblers"] else {}
        for name in [name for name in given["scramblers"] if name in brought]:
            found["scrambles"][name] = mixed(puzzle, brought[name], given["seeds"])
    except PuzzlekitError as error:
        found["error"], found["exit_code"] = str(error), error.exit_code
    return found


def main() -> None:
    """Reads the questions from stdin, and prints the answers. What the puzzle itself prints goes to stderr."""
    given = json.load(sys.stdin)
    result = os.dup(1)
    os.dup2(2, 1)
    with contextlib.redirect_stdout(sys.stderr):
        try:
            found = look(given)
        except (Exception, SystemExit) as error:
            found = {"error": one_line(error), "exit_code": 5}
    os.write(result, json.dumps(found).encode())


if __name__ == "__main__":
    main()
