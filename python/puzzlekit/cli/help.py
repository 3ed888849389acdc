"""The text of `--help`: verbs or options in groups, then examples, with lines broken only between words."""

from __future__ import annotations

import shutil
import textwrap
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup

from puzzlekit.cli.output import say
from puzzlekit.cli.spelling import typed_names
from puzzlekit.errors import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

WIDEST = 100
"""The most columns of a line of help. Longer lines are hard to read."""

NARROWEST = 40
"""The fewest columns of a line. A terminal that is narrower breaks the lines itself."""

WIDE, LONGEST = 70, 22
"""In help of at least `WIDE` columns, a name of up to `LONGEST` characters and its meaning share a line; in narrower
help, only names of half that length do."""

EXAMPLES = "Examples:"
"""In a docstring, the first line of the paragraph with examples: commands, each with its meaning after ` # `."""

HEADINGS = {
    **dict.fromkeys(
        ("--max-depth", "--max-states", "--seconds", "--memory", "--disk", "--threads", "--store"), "Limits"
    ),
    **dict.fromkeys(
        ("--out", "--checkpoint", "--on", "--shards", "--local", "--job", "--file", "--no-cache"), "Kept states"
    ),
    **dict.fromkeys(
        ("--hardest", "--worst", "--plot", "--plain", "--dry-run", "--csv", "--quiet", "--verbose", "--json"), "Output"
    ),
}
"""The headings of options that many verbs have. All other options are listed under "Options"."""

Row = tuple[str, str]


def group(told: str, **verbs: Callable[..., int | None]) -> typer.Typer:
    """Verbs below a verb, by their names. `told` is what the help says of all of them."""
    app = typer.Typer(cls=Verbs, help=told, no_args_is_help=True, rich_markup_mode=None)
    for name, verb in verbs.items():
        app.command(name, cls=Verb)(verb)
    return app


class Verb(TyperCommand):
    """A verb whose help is in the form of this module, and whose errors name options as they are typed."""

    # The arguments of these methods have types of typer that are not public.
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401
        """Reads the arguments of the verb."""
        with typed_names(self._options()):
            return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401
        """Runs the verb."""
        with typed_names(self._options()):
            return super().invoke(ctx)

    def _options(self) -> dict[str, str]:
        """The options of the verb: how each is typed, by its name in Python."""
        return {str(param.name): param.opts[0] for param in self.params if param.opts[0].startswith("--")}

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Writes the help of the verb."""
        formatter.write("\n".join(_page(self, ctx, _options(self, ctx))))


class Verbs(TyperGroup):
    """Several verbs, with help in the form of this module. If Ctrl-C stops one, a message says so, unlike typer."""

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401
        """Runs the verb that the arguments name."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            # The notes of the exception say what was interrupted, such as the loading of a plugin.
            say(" ".join(["interrupted", *getattr(error, "__notes__", [])]))
            raise typer.Exit(ExitCode.INTERRUPTED) from None

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Writes the help: the verbs in their groups, and the options."""
        verbs: dict[str, list[Row]] = {}
        for name, verb in self.commands.items():
            panel = getattr(verb, "rich_help_panel", None)
            verbs.setdefault(panel if isinstance(panel, str) else "Commands", []).append(
                (name, _paragraphs(verb.help)[0])
            )
        formatter.write("\n".join(_page(self, ctx, {**verbs, **_options(self, ctx)})))


def _options(command: Any, ctx: Any) -> dict[str, list[Row]]:  # noqa: ANN401
    """The arguments and options of a command, by the headings under which they are listed."""
    headings = ("Arguments", "Options", *dict.fromkeys(HEADINGS.values()))
    groups: dict[str, list[Row]] = {heading: [] for heading in headings}
    for param in command.get_params(ctx):
        row = param.get_help_record(ctx)
        if row is not None:
            usual = "Arguments" if param.param_type_name == "argument" else "Options"
            groups[HEADINGS.get(param.opts[0], usual)].append(row)
    if not any(groups[heading] for heading in headings[2:4]):  # the page is short
        groups["Options"] = groups.pop("Output") + groups["Options"]
    return {heading: rows for heading, rows in groups.items() if rows}


def _page(command: Any, ctx: Any, groups: dict[str, list[Row]]) -> Iterator[str]:  # noqa: ANN401
    """The lines of a help text."""
    width = max(NARROWEST, min(WIDEST, shutil.get_terminal_size().columns - 1))
    usage = " ".join([ctx.command_path, *command.collect_usage_pieces(ctx)]).replace("{", "").replace("}", "")
    yield from _wrapped(usage, width, "Usage: ", "    ")
    examples: list[str] = []
    for paragraph in _paragraphs(command.help):
        if paragraph.startswith(EXAMPLES):
            examples = paragraph.splitlines()[1:]
        else:
            yield ""
            yield from _wrapped(paragraph, width, "  ", "  ")
    most = LONGEST if width >= WIDE else LONGEST // 2
    column = 4 + max(len(name) for rows in groups.values() for name, _ in rows if len(name) <= most)
    for heading, rows in groups.items():
        yield ""
        yield f"{heading}:"
        yield from _definitions(rows, width, column)
    if examples:
        yield ""
        yield EXAMPLES
        for line in examples:
            example, _, what = line.strip().partition("  # ")
            yield f"  {example}"
            if what:
                yield from _wrapped(what, width, "      ", "      ")


def _paragraphs(text: str | None) -> list[str]:
    return [part for part in (text or "").strip().split("\n\n") if part] or [""]


def _definitions(rows: Iterable[Row], width: int, column: int) -> Iterator[str]:
    """Lines with a name and, from `column` on, its meaning. After a long name, the meaning begins a new line."""
    for name, meaning in rows:
        first = f"  {name}".ljust(column)
        if len(name) > column - 4:
            yield first
            first = " " * column
        yield from (line.rstrip() for line in _wrapped(meaning, width, first, " " * column))


def _wrapped(text: str, width: int, first: str, others: str) -> list[str]:
    """A paragraph, broken into lines at spaces only."""
    return textwrap.wrap(
        " ".join(text.split()),
        width,
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [first]
