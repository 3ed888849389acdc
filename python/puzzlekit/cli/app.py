"""The whole command line: its verbs and its global options. An error is printed as a sentence, with its exit code."""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from puzzlekit.cli.output import Settings, say, write_error
from puzzlekit.cli.terminal import plain
from puzzlekit.errors import PuzzlekitError, code_of_stop

# The verbs, in the order of the help. Each is a module in this folder with a function `run`, or with `build` for
# several verbs.
VERBS = (
    *("list", "info", "enumerate", "resume", "status", "verify", "export", "values", "scramble", "solve", "survey"),
    *("play", "draw", "serve", "plugins", "cache", "doctor"),
)


PICTURES = (".svg", ".png", ".pdf", ".jpg", ".jpeg", ".gif", ".webp", ".html")
"""The endings of names of pictures, also of kinds that cannot be written, so that a message can say so."""


def _print_version(wanted: bool) -> None:
    if wanted:
        # Imported from the module that has the name, so that as little as possible is imported.
        from puzzlekit.run.engine.machine import __version__

        typer.echo(f"puzzlekit {__version__}")
        raise typer.Exit


class _Verbs(TyperGroup):
    """The verbs. Without this class, typer would end a command that Ctrl-C stops without a word."""

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - of a type that typer keeps to itself
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            # The notes of the exception say what was interrupted, such as the loading of a plugin.
            say(" ".join(["interrupted", *getattr(error, "__notes__", [])]))
            raise typer.Exit(130) from None


def build(arguments: list[str]) -> typer.Typer:
    """The app with the verb that the arguments name; with all verbs if they name none that exists.

    Each verb that is left out saves its imports and the inspection of its signature: together half of the start-up
    time.
    """
    words = [argument for argument in arguments if not argument.startswith("-")]
    verbs = VERBS if "--version" not in arguments else ()
    app = typer.Typer(
        cls=_Verbs,
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
    """The arguments, with a value after each option that has none and may have one: typer has no optional values.

    After `--daily` without a date comes `today`, and after `--plot` without a file `-`.
    """
    filled = []
    for place, argument in enumerate(arguments):
        filled.append(argument)
        following = arguments[place + 1] if place + 1 < len(arguments) else "-"
        if argument == "--daily" and not following[:1].isdigit():
            filled.append("today")
        if argument == "--plot" and not following.lower().endswith(PICTURES):
            filled.append("-")
    return filled


def run(arguments: list[str]) -> int:
    """Runs one command, and returns its exit code."""
    if sys.stdout is None:
        say("error: stdout is closed, so the result has nowhere to go; leave it open, or send it to a file")
        return 1
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except OSError as error:
        # A write to stdout has failed. When Python exits, it writes what is left, which would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # the reader of the output has closed it
            return 0
        say(f"error: the result cannot be written: {error.strerror or error}; free some space or write elsewhere")
        return 1
    return code


def _run(arguments: list[str]) -> int:
    try:
        code = build(arguments)(_fill_in(arguments), prog_name="puzzlekit", standalone_mode=False)
    except PuzzlekitError as error:
        say(f"error: {error}")
        return int(error.exit_code)
    except typer.TyperException as error:
        return _usage(error)
    except (KeyboardInterrupt, typer.Abort):  # before the verb began, or when the input ended
        say("interrupted")
        return code_of_stop(signal.SIGINT)
    except OSError:
        raise
    except BaseException:  # a plugin may raise anything at all
        import traceback

        write_error("\n".join(map(plain, traceback.format_exc().splitlines())))
        say("error: this is a fault of puzzlekit or of a plugin; report it with the lines above")
        return 1
    return code if isinstance(code, int) else 0


def _usage(error: typer.TyperException) -> int:
    message = error.format_message().strip()
    if message.startswith("Usage:"):  # no verb was given, so the message is the text of the help
        write_error(message)
    else:
        say(f"error: {message[:1].lower()}{message[1:].rstrip('.')}; see puzzlekit --help")
    return error.exit_code
