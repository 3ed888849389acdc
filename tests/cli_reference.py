"""Writes the reference of the command line from its own help texts; `make docs` calls it."""

from __future__ import annotations

import io
import os
import sys
from contextlib import redirect_stdout, suppress
from unittest.mock import patch

from puzzlekit.cli import main

VERBS = [
    *("", "list", "info", "enumerate", "resume", "status", "verify", "export", "values", "scramble", "solve"),
    *("survey", "play", "draw", "serve", "site", "plugins", "plugins list", "plugins check", "plugins new"),
    *("library", "library add", "library list", "library verify", "library remove"),
    *("import", "cache", "cache list", "cache clear", "doctor", "help"),
]


def help_of(verb: str) -> str:
    """The output of `puzzlekit VERB --help`, for a terminal of fixed width."""
    shown = io.StringIO()
    with (
        patch.dict(os.environ, {"COLUMNS": "101"}),
        patch.object(sys, "argv", ["puzzlekit", *verb.split(), "--help"]),
        patch.object(sys, "__stdout__", shown),
        redirect_stdout(shown),
        suppress(SystemExit),
    ):
        main()
    return "\n".join(line.rstrip() for line in shown.getvalue().strip().splitlines())


def reference() -> str:
    """The whole page."""
    parts = [
        "# The command line\n",
        "This page is generated from the commands themselves by `make docs`.\n",
        "Results go to stdout, all else to stderr. [Enumeration](enumeration.md#exit-codes) lists the exit codes.\n",
        "Messages and tables command no terminal: control characters in names and texts are escaped, such as `\\x1b`.\n"
        "JSON has them by its own rules. A byte of a file name that is not UTF-8 is shown as `\\xff`, and is\n"
        "`\\udcff` in JSON, as in Python.\n",
    ]
    for verb in VERBS:
        parts.append(f"## `puzzlekit{' ' * bool(verb)}{verb}`\n")
        parts.append(f"```\n{help_of(verb)}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    sys.stdout.write(reference())
