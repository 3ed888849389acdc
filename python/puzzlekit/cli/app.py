"""The whole command line: its verbs, its global options, and how errors become exit codes."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Annotated

import typer

from puzzlekit.cli.output import Settings, say
from puzzlekit.errors import PuzzlekitError

# The verbs, in the order of the help. Each is a module here with a function `run`, or with `build` for several verbs.
VERBS = ("list", "info", "enumerate", "resume", "status", "verify", "export", "scramble", "solve", "play", "plugins")


def _print_version(wanted: bool) -> None:
    if wanted:
        # Not through the package, which would look into every module before the one that knows.
        from puzzlekit.run.engine import __version__

        typer.echo(f"puzzlekit {__version__}")
        raise typer.Exit


def build(arguments: list[str]) -> typer.Typer:
    """The app with the verb that some arguments name; with all verbs if they name none that exists.

    Each verb that is left out saves its imports, and a look at its signature: together half of the start-up time.
    """
    words = [argument for argument in arguments if not argument.startswith("-")]
    verbs = VERBS if "--version" not in arguments else ()
    app = typer.Typer(
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback()
    def settings(
        context: typer.Context,
        no_plugins: Annotated[bool, typer.Option("--no-plugins", help="Load no plugins.")] = False,
        strict: Annotated[bool, typer.Option("--strict", help="Fail when a plugin cannot be loaded.")] = False,
        version: Annotated[  # noqa: ARG001 - handled by its callback
            bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
        ] = False,
    ) -> None:
        """Enumerate puzzles and board games exactly, up to symmetry."""
        context.obj = Settings(no_plugins=no_plugins, strict=strict)

    for verb in words[:1] if words[:1] and words[0] in VERBS else verbs:
        module = import_module(f"puzzlekit.cli.{verb}")
        if hasattr(module, "build"):
            app.add_typer(module.build(), name=verb)
        else:
            app.command(verb)(module.run)
    return app


def _fill_in(arguments: list[str]) -> list[str]:
    """The arguments, with `today` after each `--daily` that no date follows: typer has no optional values."""
    filled = []
    for place, argument in enumerate(arguments):
        filled.append(argument)
        following = arguments[place + 1] if place + 1 < len(arguments) else "-"
        if argument == "--daily" and not following[:1].isdigit():
            filled.append("today")
    return filled


def run(arguments: list[str]) -> int:
    """Runs one command, and returns its exit code."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - it was closed before the start
    try:
        code = build(arguments)(_fill_in(arguments), prog_name="puzzlekit", standalone_mode=False)
        sys.stdout.flush()
    except PuzzlekitError as error:
        say(f"error: {error}")
        return error.exit_code
    except typer.TyperException as error:
        return _usage(error)
    except (KeyboardInterrupt, typer.Abort):
        say("interrupted")
        return 130
    except OSError as error:
        # Nothing may be written to stdout any more, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # whoever read the output has enough of it
            return 0
        say(f"error: the result cannot be written: {error.strerror or error}; free some space or write elsewhere")
        return 1
    return code if isinstance(code, int) else 0


def _usage(error: typer.TyperException) -> int:
    message = error.format_message().strip()
    if message.startswith("Usage:"):  # no verb was given: the message is the whole help
        print(message, file=sys.stderr)  # noqa: T201
    else:
        say(f"error: {message[:1].lower()}{message[1:].rstrip('.')}; see puzzlekit --help")
    return error.exit_code
