"""The exceptions of puzzlekit, each with its exit code, and all exit codes of the command line.

Each exception is one sentence that names the value and the remedy.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import contextmanager, redirect_stdout
from enum import IntEnum
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from inspect import Parameter


class ExitCode(IntEnum):
    """The exit codes of commands that end by themselves; `code_of_stop` has those of commands that are stopped."""

    DONE = 0
    FAILED = 1
    """There is no answer, such as for a state that cannot be solved."""
    USAGE = 2
    STOPPED = 3
    """A limit stopped the command early. What is known was printed, and a job can be resumed."""
    CORRUPT = 4
    PLUGIN = 5
    INTERRUPTED = 130
    """Ctrl-C stopped the command."""


def code_of_stop(signal: int | None) -> int:
    """The exit code of a command that was stopped early: by a signal, or by a limit if there was none.

    >>> code_of_stop(None), code_of_stop(2)
    (3, 130)
    """
    return int(ExitCode.STOPPED) if signal is None else 128 + signal


class PuzzlekitError(Exception):
    """An error that a user can correct. The command line prints it as one sentence and exits with `exit_code`."""

    exit_code: int = ExitCode.FAILED


class UsageError(PuzzlekitError):
    """A puzzle id, a parameter or an option that makes no sense."""

    exit_code: int = ExitCode.USAGE


class StateError(UsageError):
    """A text or an array that is no state of the puzzle."""


class MoveError(UsageError):
    """A move that does not exist, or that cannot be made in the state."""


class UnsolvableError(PuzzlekitError):
    """No moves lead from the state to the goal."""


class LimitError(PuzzlekitError):
    """A limit was reached before there was an answer. With a larger limit there may be one.

    Attributes:
        lower_bound: A number of moves that is proven to be needed, if a solver had come so far; else `None`.
        within: The limit in words, such as `"5,000 states"`, if a search for a solution ran into one; else `None`.
    """

    exit_code: int = ExitCode.STOPPED
    lower_bound: int | None = None
    within: str | None = None


class JobError(UsageError):
    """A folder that holds no job, or a job that cannot be begun or resumed as it was asked for."""


class DiskError(PuzzlekitError):
    """A file of a job cannot be written. What was written before is kept, and the job can go on from there."""

    exit_code: int = ExitCode.STOPPED


class CorruptError(PuzzlekitError):
    """A file of a job has changed since it was written."""

    exit_code: int = ExitCode.CORRUPT


class LibraryError(PuzzlekitError):
    """A library of finished work that is not there, or a host that does not serve it as it must."""


class PluginError(PuzzlekitError):
    """A plugin that cannot be loaded, or that breaks its promises."""

    exit_code: int = ExitCode.PLUGIN


class RulesError(PluginError):
    """Rules that contradict themselves: the puzzle's author has to mend them."""


class PluginWarning(UserWarning):
    """A plugin was passed over; the message names it and the reason."""


class LibraryWarning(UserWarning):
    """A library was passed over; the message names it and the reason."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a message about a name that does not exist: which names may have been meant, if any are like it.

    >>> did_you_mean("flipt", ["flipit", "slider"])
    '; did you mean flipit?'
    >>> did_you_mean("--depth", ["--max-depth", "--out"])
    '; did you mean --max-depth?'
    >>> did_you_mean("--colour", ["--out", "--json"])
    ''
    """
    from difflib import get_close_matches

    names = {name.lstrip("-"): name for name in known}
    short = word.lstrip("-").lower()
    # A short name may be part of many longer words, as `out` is of `count`. So a name much shorter than the word is not
    # proposed.
    near = [name for name in get_close_matches(short, names, 3, 0.75) if len(name) * 3 > len(short) * 2]
    longer = [name for name in names if len(short) > 1 and (name.startswith(short) or short in name.split("-"))]
    found = [names[name] for name in dict.fromkeys([*near, *longer])][:3]
    return f"; did you mean {' or '.join(found)}?" if found else ""


MOST_OF_A_TEXT = 500
"""The most characters that a message shows of an exception raised by the code of a plugin or a puzzle."""


def one_line(error: BaseException) -> str:
    """An exception in one line, with the line of a plugin's code that raised it, or that led to it."""
    import contextlib
    import traceback
    from pathlib import Path

    try:
        text = " ".join(str(error).split())
    except BaseException:  # an exception of a plugin may fail once more, in any way
        text = ""
    text = _words_of_call(error, text)
    if len(text) > MOST_OF_A_TEXT:
        text = f"{text[:MOST_OF_A_TEXT]}..."
    own = (str(Path(__file__).parent), contextlib.__file__, "<frozen importlib")
    frames = [it for it in traceback.extract_tb(error.__traceback__) if not it.filename.startswith(own)]
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}{': ' if text else ''}{text}{place}"


@contextmanager
def plugin_code() -> Iterator[None]:
    """In a `with` around the code of a plugin or a file: it cannot end the process silently, or spoil a result.

    What it prints goes to stderr, since stdout has the result of a command. `os._exit` raises `SystemExit`. In other
    threads, and in processes that the code has forked, `os._exit` works as usual.
    An exception that is no `Exception`, such as `GeneratorExit`, becomes one, so that who catches errors of plugins
    catches it, too.

    Raises:
        RuntimeError: The code raised such an exception.
    """
    own, leave = (os.getpid(), threading.get_ident()), os._exit

    def refuse(status: int) -> NoReturn:
        if (os.getpid(), threading.get_ident()) != own:
            leave(status)
        raise SystemExit(status)

    os._exit = refuse
    try:
        with redirect_stdout(sys.stderr):
            yield
    except (Exception, SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise RuntimeError(f"it raised {type(error).__name__}") from error
    finally:
        os._exit = leave


def _words_of_call(error: BaseException, text: str) -> str:
    """The text of an exception. For a call with wrong arguments, it names these, and those that the function takes.

    >>> try: did_you_mean("flipt")
    ... except TypeError as error: print(_words_of_call(error, str(error)))
    did_you_mean() is called without known; it takes word, known
    """
    import re

    found = re.fullmatch(r"([\w.<>]+)\(\) (.+)", text)
    trace = error.__traceback__
    if not isinstance(error, TypeError) or found is None or trace is None:
        return text
    while trace.tb_next is not None:
        trace = trace.tb_next
    path, said = found[1].rpartition("<locals>.")[2].removesuffix(".__init__"), found[2]
    # An author may use a method of a class, such as `Move`, without ever naming the class.
    own = (vars(module) for name, module in list(sys.modules.items()) if name.startswith(f"{__package__}."))
    scopes = (trace.tb_frame.f_locals, trace.tb_frame.f_globals, *own)
    takes, bound = next(filter(None, (_parameters(scope, path.split(".")) for scope in scopes)), (None, 0))
    wrong = re.findall(r"'(\w+)'", said)
    names = [one.name for one in takes or () if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
    if takes is None or (said.startswith("missing") and not set(wrong) <= set(names)):
        return text
    it_takes = f"it takes {', '.join(map(_shown, takes)) or 'nothing'}"
    if said.startswith("missing"):
        text = f"{path}() is called without {', '.join(wrong)}; {it_takes}"
    elif said.startswith("got an unexpected"):
        text = f"{path}() has no argument {wrong[0]}{did_you_mean(wrong[0], names) or f'; {it_takes}'}"
    elif said.startswith("got multiple"):
        text = f"{path}() is given {wrong[0]} twice; {it_takes}"
    elif counted := re.match(r"takes (?:from \d+ to )?(\d+) positional arguments? but (\d+) ", said):
        most, given = (int(number) - bound for number in counted.groups())
        text = f"{path}() is given too many values without names: {given}, and {most} at the most; {it_takes}"
    return text


def _parameters(scope: Mapping[str, object], path: Sequence[str]) -> tuple[list[Parameter], int] | None:
    """The parameters of a function or class, and how many values Python adds to a call, such as `self`.

    Args:
        scope: Where to look for the first name of the path.
        path: The names that lead to the function, such as those of a class and of its method.

    Returns:
        `None` if the path leads to no function whose parameters are known.
    """
    import inspect

    holder, called = None, scope.get(path[0])
    for name in path[1:]:
        holder, called = called, inspect.getattr_static(called, name, None)
    bound = int(isinstance(called, type) or (isinstance(holder, type) and not isinstance(called, staticmethod)))
    if isinstance(called, staticmethod | classmethod):
        called = called.__func__
    if not callable(called):
        return None
    try:
        found = list(inspect.signature(called).parameters.values())
    except (TypeError, ValueError):  # some functions that are written in C have no signature
        return None
    return found[0 if isinstance(called, type) else bound :], bound


def _shown(parameter: Parameter) -> str:
    """A parameter in a message: with a star if it takes any number of values, and with `=` if it must be named."""
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        return str(parameter).partition(":")[0]
    return f"{parameter.name}=" if parameter.kind is parameter.KEYWORD_ONLY else parameter.name
