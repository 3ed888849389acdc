"""Parts of the suite that need other processes: equal rules in each, a quick import, and parameters at their limits."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from puzzlekit.testing.child import digests, mixed
from puzzlekit.testing.subject import Looked, Subject, fail

if TYPE_CHECKING:
    from collections.abc import Callable

    from puzzlekit.puzzle.puzzle import Puzzle

SEEDS = ("0", "1", "2")
"""Seeds of scrambles. Each is also given to a process as PYTHONHASHSEED, which decides the order of sets."""

MOST_SECONDS = 20.0
"""The most seconds that another process may take to compile the rules."""

WATCHED_EVERY = 0.1
"""The seconds between two calls of the watch while another process works."""

HEAVY_SECONDS = 0.15
"""An import that takes more seconds of processor time gets a note, since `puzzlekit list` imports every class."""

_INSIDE = "PUZZLEKIT_CHECKING"
"""An environment variable that is set in these processes, so that a script that checks itself starts no further
ones."""

_NOT_FOUND = "another process does not find the class, since it is defined inside a function; define it in a module"


def others(subject: Subject) -> Looked:
    """Checks that processes in which sets have another order make the same rules and the same scrambles."""
    puzzle = subject.puzzle
    if _place(puzzle) is None:
        return Looked(0, (_NOT_FOUND,))
    parts = digests(puzzle.rules().to_data())
    scrambles = {"": [puzzle.scramble(seed).state for seed in SEEDS]}
    scrambles |= {name: mixed(puzzle, scrambler, SEEDS) for name, scrambler in subject.scramblers.items()}
    for seed in SEEDS:
        there = _ask(subject, str(puzzle).partition(":")[2], seed, scramblers=tuple(subject.scramblers))
        if there is None:
            return Looked(0, (f"{puzzle} was not compiled within {MOST_SECONDS:g} seconds, so nothing is compared",))
        if "error" in there:
            fail(f"{puzzle} fails in another process: {there['error']}")
        for part, digest in parts.items():
            if there["digests"][part] != digest:
                fail(
                    f"the {part} of {puzzle} differ from process to process, as the order of a set does; "
                    "go through sorted(...) or a list instead"
                )
        for name, states in there["scrambles"].items():
            for scramble, one, other in zip(SEEDS, scrambles[name], states, strict=False):
                if one != other:
                    fail(
                        f"the seed {scramble} gives {one}{f' by the scrambler {name}' if name else ''}, and {other} in "
                        "another process; draw from puzzlekit.Random alone, and go through no set"
                    )
    return Looked(len(SEEDS))


def ends(subject: Subject) -> Looked:
    """Checks that the rules compile if one parameter has its least or greatest value, and the others keep theirs."""
    puzzle = subject.puzzle
    if _place(puzzle) is None:
        return Looked(0, (_NOT_FOUND,))
    kind, looked, notes = type(puzzle), 0, []
    for field in dataclasses.fields(puzzle):  # type: ignore[arg-type]
        both = [("", False), ("", True)] if isinstance(field.default, bool) else []
        for end, value in both or [
            (end, field.metadata[end]) for end in ("minimum", "maximum") if end in field.metadata
        ]:
            declared = dataclasses.fields(puzzle)  # type: ignore[arg-type]
            given = {other.name: getattr(puzzle, other.name) for other in declared}
            values = {**given, field.name: value}
            shown = f"{field.name}={str(value).lower()}"
            text = ",".join(
                f"{name}={str(one).lower() if isinstance(one, bool) else one}" for name, one in values.items()
            )
            found = _ask(subject, text, SEEDS[0])
            looked += 1
            if found is None:
                notes.append(
                    f"{shown} was not compiled within {MOST_SECONDS:g} seconds; a smaller {end} would spare others that"
                )
            elif "error" in found and found["exit_code"] != 2:  # a combination may be refused by a UsageError
                which = "" if both else f", the {end} that parameter allows,"
                remedy = "mend rules()" if both else f"mend rules(), or give parameter another {end}"
                fail(f"{kind.id} with {shown}{which} fails: {found['error']}; {remedy}")
        if not both and isinstance(field.default, int) and "minimum" not in field.metadata:
            notes.append(
                f"{field.name} may be any whole number; declare its range with parameter(default, least, most)"
            )
    return Looked(looked, tuple(notes))


def start_up(subject: Subject) -> Looked:
    """Measures how long the import of the class takes, since `puzzlekit list` imports the class of every plugin."""
    if _place(subject.puzzle) is None:
        return Looked(0, (_NOT_FOUND,))
    found = _ask(subject, str(subject.puzzle).partition(":")[2], SEEDS[0])
    if found is None or found.get("import_seconds", 0.0) < HEAVY_SECONDS:
        return Looked(1)
    brings = f", and brings {', '.join(found['modules'][:8])}" if found["modules"] else ""
    return Looked(
        1,
        (
            f"the import takes {found['import_seconds']:.2f} seconds{brings}; import such packages, and compute such "
            "tables, in the method that needs them",
        ),
    )


def _place(puzzle: Puzzle) -> dict[str, Any] | None:
    """The place where another process finds the puzzle's class: a module or a file; `None` if it cannot find it."""
    kind = type(puzzle)
    module = sys.modules.get(kind.__module__)
    if "." in kind.__qualname__ or module is None or _INSIDE in os.environ:
        return None
    spec, file = getattr(module, "__spec__", None), getattr(module, "__file__", None)
    if spec is None and file is None:
        return None
    # A module has no spec if its file was run, not imported: it is a script, or a puzzle that was named by its path.
    return {"file": file if spec is None else None, "module": kind.__module__, "class": kind.__qualname__}


def _ask(
    subject: Subject, values: str, hash_seed: str, scramblers: tuple[str, ...] | None = None
) -> dict[str, Any] | None:
    """Asks another process about the puzzle's class with given parameters; `None` if it takes too long."""
    seeds = () if scramblers is None else SEEDS
    given = {**(_place(subject.puzzle) or {}), "values": values, "seeds": seeds, "scramblers": scramblers or ()}
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONHASHSEED": hash_seed, _INSIDE: "1"}
    command, pipe = [sys.executable, "-m", "puzzlekit.testing.child"], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment) as process:
        told = f"{type(subject.puzzle).id}{':' * bool(values)}{values} in another process"
        try:
            answer = _answer(process, json.dumps(given), lambda: subject.watch(told))
        finally:
            process.kill()  # which does nothing once the process has ended
    if answer is None:
        return None
    out, err = answer
    if not out:
        last = (err.strip().splitlines() or [f"exit code {process.returncode}"])[-1]
        return {"error": f"the process ended with {last}", "exit_code": 5}
    found: dict[str, Any] = json.loads(out)
    return found


def _answer(process: subprocess.Popen[str], question: str, watch: Callable[[], object]) -> tuple[str, str] | None:
    """Asks a process. Returns what it writes to stdout and stderr until its end; `None` if it is too slow."""
    begun, given = time.monotonic(), question
    while time.monotonic() - begun < MOST_SECONDS:
        watch()
        try:
            return process.communicate(given or None, timeout=min(WATCHED_EVERY, MOST_SECONDS))
        except subprocess.TimeoutExpired:
            given = ""  # the question has been asked
    return None
