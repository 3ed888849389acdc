"""The whole command line: its verbs, its global options, and how errors are printed, each as a sentence."""

from __future__ import annotations

import os
import re
import signal
import sys
from importlib import import_module
from typing import Annotated, Any

import typer

from puzzlekit.cli import completion
from puzzlekit.cli.help import Verb, Verbs
from puzzlekit.cli.output import Settings, print_line, say, write_error
from puzzlekit.cli.terminal import plain
from puzzlekit.errors import PuzzlekitError, code_of_stop, did_you_mean

# The verbs, in the groups and the order of the help. Each is a module in this folder: with a function `run`, or with
# `build` if it has several verbs, such as `plugins list`.
GROUPS = {
    "Find a puzzle": ("list", "info"),
    "Count and solve": ("enumerate", "values", "solve", "survey"),
    "Play and draw": ("play", "serve", "site", "draw", "scramble"),
    "Go on with a kept enumeration": ("resume", "status", "verify", "export", "library"),
    "Look after puzzlekit": ("import", "plugins", "cache", "doctor"),
}

VERBS = {verb: group for group, verbs in GROUPS.items() for verb in verbs}
"""For each verb, the heading of its group."""

HELP = "help"
"""The verb that shows the help of other verbs. It is made in this file, since it needs all of them."""

PICTURES = (".svg", ".png", ".pdf", ".eps", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".html")
"""The endings of names of picture files. Some kinds cannot be written; they are listed so that a message can say so."""


def _print_version(wanted: bool) -> None:
    if wanted:
        # `__version__` is imported from the module that defines it, so that few other modules are imported.
        from puzzlekit.run.engine.machine import __version__

        typer.echo(f"puzzlekit {__version__}")
        raise typer.Exit


def build(arguments: list[str]) -> typer.Typer:
    """Makes the app with the verb that the arguments name, or with all verbs if they name none that exists.

    Each verb that is left out saves its imports and the inspection of its signature. Together, these are half of the
    start-up time.
    """
    words = [argument for argument in arguments if not argument.startswith("-")]
    verbs = () if {"--version", "-V"} & set(arguments) else (*VERBS, HELP)
    app = typer.Typer(
        cls=Verbs,
        add_completion=not words,  # these two options are looked for in the help of all verbs
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
            bool, typer.Option("--version", "-V", callback=_print_version, is_eager=True, help="Print the version.")
        ] = False,
    ) -> None:
        """Enumerate puzzles and board games exactly, up to symmetry. Play them, solve them, and find their values.

        Examples:
            puzzlekit list  # the puzzles that are installed
            puzzlekit serve --open  # play them on a page
            puzzlekit enumerate rotation --plot
            puzzlekit help solve  # more about a verb
        """
        context.obj = Settings(no_plugins=no_plugins, strict=strict)

    for verb in words[:1] if words[:1] and words[0] in (*VERBS, HELP) else verbs:
        if verb == HELP:
            app.command(HELP, cls=Verb, rich_help_panel=VERBS["doctor"])(_show_help)
            continue
        module = import_module(f"puzzlekit.cli.{verb}")
        if hasattr(module, "build"):
            app.add_typer(module.build(), name=verb, rich_help_panel=VERBS[verb])
        else:
            app.command(verb, cls=Verb, rich_help_panel=VERBS[verb])(module.run)
    return app


def _show_help(
    verb: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[VERB]...", help="A verb, such as enumerate.", autocompletion=completion.one_of(*VERBS)
        ),
    ] = None,
) -> None:
    """Show the help of a verb, or of all.

    Examples:
        puzzlekit help enumerate
        puzzlekit help plugins check
    """
    build(verb or [])([*(verb or []), "--help"], prog_name="puzzlekit", standalone_mode=False)


def _fill_in(arguments: list[str]) -> list[str]:
    """Adds a value after each option that may have one but has none, because typer has no optional values.

    `--daily` without a date gets `today`. `--plot` and `--cases` without a file get `-`.
    """
    filled = []
    for place, argument in enumerate(arguments):
        filled.append(argument)
        following = arguments[place + 1] if place + 1 < len(arguments) else "-"
        if argument == "--daily" and not following[:1].isdigit():
            filled.append("today")
        if argument == "--cases" and not following.lower().endswith((".csv", ".html")):
            filled.append("-")
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
        # A write to stdout has failed. At its exit, Python would write the rest and fail again, so stdout is replaced.
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
    except BaseException as error:  # a plugin may raise anything at all
        if isinstance(error, SystemExit) and isinstance(error.__context__, BrokenPipeError):
            raise error.__context__ from None  # typer has ended the verb, since nobody reads the output any more
        if isinstance(error, SystemExit) and completion.asked_by_shell(arguments):
            return int(error.code or 0)  # typer ends the program when it has answered
        import traceback

        write_error("\n".join(map(plain, traceback.format_exc().splitlines())))
        say("error: this is a fault of puzzlekit or of a plugin; report it with the lines above")
        return 1
    return code if isinstance(code, int) else 0


def _usage(error: Any) -> int:  # noqa: ANN401 - the errors of typer are not public
    """Prints what is wrong with the arguments, which names may have been meant, and where there is help."""
    message = error.format_message().strip()
    if message.startswith("Usage:"):  # no verb was given, so the message is the text of the help
        # A call without a verb is no error: its message lists the verbs.
        for line in message.splitlines():
            print_line(line)
        return 0
    context: Any = getattr(error, "ctx", None)
    command = "puzzlekit" if context is None else context.command_path
    near = ""
    if hasattr(error, "possibilities"):
        # The guesses of typer in `possibilities` are often unlike the typed word, so other guesses are made here.
        message = f"no such option: {error.option_name}"
        options = (name for param in context.command.get_params(context) for name in param.opts)
        near = did_you_mean(error.option_name, options)
    elif message.startswith("No such command"):
        verb = message.partition("'")[2].partition("'")[0]
        message, near = f"no such command '{verb}'", did_you_mean(verb, context.command.commands)
    elif message.startswith("Missing argument"):
        name, what = error.param.make_metavar(context), error.param.help
        message = f"{name} is missing: {what[:1].lower()}{what[1:].rstrip('.')}"
    elif found := re.fullmatch(r"Invalid value for '([^']+)'[^:]*: (.*) is not a valid (int|float)\.?", message):
        wanted = "a whole number" if found[3] == "int" else "a number"
        message = f"{found[1]} is {found[2]}; give {wanted}"
    else:
        message = f"{message[:1].lower()}{message[1:].rstrip('.')}"
    say(f"error: {message}; see {command} --help{near}")
    return int(error.exit_code)
