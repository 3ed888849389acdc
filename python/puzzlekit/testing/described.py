"""Parts of the suite about what an author writes: the class, its parameters, the rules, and the names of moves."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import inspect
import io
import json
import pickle
import sys
from typing import TYPE_CHECKING, Any

from puzzlekit.describe.oddities import oddities
from puzzlekit.errors import PuzzlekitError, one_line
from puzzlekit.puzzle import declaration
from puzzlekit.puzzle.declaration import summary
from puzzlekit.puzzle.puzzle import Puzzle
from puzzlekit.testing.subject import Looked, Subject, fail

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PLAIN = (int, str)
"""The types that a parameter may have. `bool` is one of them too, since it is a subclass of `int`."""

COMMANDS = ("moves", "random", "undo", "hint", "solve", "restart", "help", "quit")
"""The words that `puzzlekit play` takes for commands, unless a move has that name."""

SHELL = set("*?[]{}()<>|&;$`'\"\\!#~")
"""Characters that mean something to some shell, so that a name with one of them must be quoted on a command line."""


def identity(subject: Subject) -> Looked:
    """Checks that the class is declared as it should be, and that text ids, copies and pickles give the same puzzle."""
    puzzle = subject.puzzle
    kind = type(puzzle)
    try:
        declaration.check_type(kind)
    except PuzzlekitError as error:
        fail(str(error))
    if not summary(kind):
        fail(f"{kind.__name__} has no docstring; its first line is what `puzzlekit list` shows")
    text = str(puzzle)
    puzzle_id, _, values = text.partition(":")
    if puzzle_id != kind.id or _read(kind, values) != puzzle:
        fail(f"the text id {text!r} is read back as {_read(kind, values)!r}; leave its fields as they are")
    by_place = ",".join(part.partition("=")[2] for part in values.split(",")) if values else ""
    # If the only parameter is an empty text, a text id can give its value only with the parameter's name.
    if (by_place or not values) and _read(kind, by_place) != puzzle:
        fail(
            f"{puzzle_id}:{by_place} is read as {_read(kind, by_place)!r}, not as {puzzle!r}; do not override __init__"
        )
    if copy.copy(puzzle) != puzzle:
        fail(f"{puzzle!r} is not equal to its copy; keep all parameters in fields")
    # Python cannot pickle objects of a class that is defined in a function, so this is not checked for such a class.
    if getattr(sys.modules.get(kind.__module__), kind.__qualname__, None) is kind and _pickled(puzzle) != puzzle:
        fail(f"{puzzle!r} is not equal to what pickle makes of it; keep all parameters in fields")
    return Looked(4, tuple(_untyped(kind)))


def _untyped(kind: type[Puzzle]) -> Iterator[str]:
    """Notes on attributes that look like parameters, but have no type and so are no parameters."""
    for each in kind.__mro__[: kind.__mro__.index(Puzzle)]:
        typed = {field.name for field in dataclasses.fields(each)} if dataclasses.is_dataclass(each) else set()
        for name, value in vars(each).items():
            own = name not in typed and name not in inspect.get_annotations(each) and not hasattr(Puzzle, name)
            if own and name.islower() and not name.startswith("_") and name != "id" and isinstance(value, PLAIN):
                yield (
                    f"{kind.__name__} has {name} = {value!r} without a type, which is no parameter; write {name}: "
                    f"{type(value).__name__} = ... to make it one, or {name.upper()} to show that it is a constant"
                )


def _read(kind: type[Puzzle], values: str) -> Puzzle | str:
    try:
        return declaration.made(kind, values)
    except PuzzlekitError as error:
        return str(error)


def _pickled(puzzle: Puzzle) -> object:
    try:
        return pickle.loads(pickle.dumps(puzzle))
    except Exception as error:
        fail(f"{puzzle!r} cannot be pickled: {one_line(error)}; keep plain values in its fields")


def overrides(subject: Subject) -> Looked:
    """Checks that methods which the puzzle overrides take and return what those of `Puzzle` do."""
    puzzle, looked = subject.puzzle, 0
    for kind, name in _defined(type(puzzle)):
        looked += 1
        usual, own = getattr(Puzzle, name), getattr(kind, name)
        signature, taken = inspect.signature(usual), inspect.signature(own)
        missing = [given for given in signature.parameters if given not in taken.parameters]
        every = any(one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in taken.parameters.values())
        if missing and not every:
            fail(
                f"{name} of {kind.__name__} does not take {' and '.join(missing)}; "
                f"let it take what that of every puzzle does: {', '.join(signature.parameters)}"
            )
    returned: dict[str, Callable[[], object]] = {
        "board": lambda: puzzle.board(puzzle.start, puzzle.legal_moves(puzzle.start)[:1]),
        "guide": puzzle.guide,
    }
    for name, ask in returned.items():
        text = _asked(name, ask)
        if not isinstance(text, str):
            fail(f"{name} of {puzzle.id} returns {text!r}; let it return a text")
    reason = _asked("why_unsolvable", lambda: puzzle.why_unsolvable(puzzle.start))
    if reason is not None and not isinstance(reason, str):
        fail(f"why_unsolvable of {puzzle.id} returns {reason!r}; let it return a sentence, or None if nothing is known")
    return Looked(looked + 3)


def _defined(kind: type[Puzzle]) -> Iterator[tuple[type[Puzzle], str]]:
    """The methods of `Puzzle` that a class overrides, each with the class in whose body it stands."""
    seen: set[str] = set()
    for each in kind.__mro__[: kind.__mro__.index(Puzzle)]:
        for name in vars(each):
            if name in vars(Puzzle) and not name.startswith("_") and name not in ("id", "distribution", *seen):
                seen.add(name)
                yield each, name


def _asked(name: str, ask: Callable[[], object]) -> object:
    try:
        return ask()
    except PuzzlekitError as error:
        fail(f"{name} fails: {error}")
    except Exception as error:
        fail(f"{name} fails with {one_line(error)}; let it answer for every state")


def rules(subject: Subject) -> Looked:
    """Checks that the rules compile, are the same each time, are plain data, and have a move at the start."""
    puzzle = subject.puzzle
    try:
        engine = puzzle.engine
    except PuzzlekitError as error:
        fail(str(error))
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        data: dict[str, Any] = puzzle.rules().to_data()
        again = puzzle.rules().to_data()
    if data != again:
        fail(f"rules() of {puzzle} differs from call to call; make it depend on the fields alone")
    if json.dumps(json.loads(json.dumps(data))) != json.dumps(data):
        fail(f"the rules of {puzzle} are not the same after they were written as JSON; please report this as a bug")
    if not engine.legal_moves(puzzle.start):
        fail(f"{puzzle} has no move at the start {puzzle.start}; check the guards of the moves")
    prints = ["rules() prints, and is called often: that goes to stderr; leave it out"] if printed.getvalue() else []
    return Looked(3, (*oddities(data), *prints))


def names(subject: Subject) -> Looked:
    """Checks that the names of moves and the texts of states can be typed on a command line."""
    puzzle = subject.puzzle
    found = sorted(set(puzzle.engine.move_names))
    notes = []
    for name in found:
        if name.startswith("-"):
            fail(f'the move "{name}" begins as an option does; give it a name that a person can type')
        if name in COMMANDS:
            notes.append(f'the move "{name}" hides the command {name} of puzzlekit play; another name would not')
    spaced = next((name for name in found if " " in name), None)
    if spaced is not None:
        notes.append(
            f'the move "{spaced}" has a space, so beside others it has to be quoted; a name without a space would not'
        )
    symbols = puzzle.engine.notation.symbols
    if "-" in (symbol[0] for symbol in symbols):
        notes.append(
            'a state may begin with "-" as an option does, and has to be given after --; another symbol would not'
        )
    marked = sorted({character for symbol in symbols for character in symbol} & SHELL)
    if marked:
        notes.append(f"states with {' '.join(marked)} have to be quoted on a command line; other symbols would not")
    return Looked(len(found) + len(symbols), tuple(notes))
