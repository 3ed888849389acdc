"""`puzzlekit import`: writes a puzzle from another program's definition as a Python file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from puzzlekit.cli import completion
from puzzlekit.cli.options import JsonOption
from puzzlekit.cli.output import Settings, print_json, print_line
from puzzlekit.errors import UsageError


def run(
    context: typer.Context,
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A definition, such as ./pyraminx.tws.", autocompletion=completion.puzzles),
    ],
    to: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.py", help="Write to a new file; stdout if left out.", autocompletion=completion.files
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write a puzzle from another program's definition as a file of Python, to be read and changed.

    All verbs take such a definition itself in place of an id; it need not be imported for that.

    Examples:
        puzzlekit import ./pyraminx.tws --to pyraminx.py
        puzzlekit import ./pyraminx.tws  # to stdout
    """
    settings: Settings = context.obj
    if to is not None and not to.endswith(".py"):
        raise UsageError(f"--to is {to}; give a file that ends in .py")
    text = settings.plugins().as_python(file)
    if to is not None:
        try:
            with Path(to).open("x", encoding="utf-8") as written:
                written.write(text)
        except FileExistsError:
            raise UsageError(f"there is a file {to} already; give a new one to --to") from None
        except OSError as error:
            raise UsageError(f"{to} cannot be written: {error.strerror or error}; give another place") from error
    if as_json:
        print_json({"schema": "puzzlekit.import/1", "file": file, "to": to, "python": text})
    elif to is None:
        print_line(text.rstrip("\n"))
    else:
        print_line(f"{to}: {file} in Python, {len(text.splitlines())} lines")
