"""Writes the page of `man puzzlekit` from the help of the verbs; `make man` calls it."""

from __future__ import annotations

import sys
from typing import Any

import typer.main

from puzzlekit.cli.app import build
from puzzlekit.cli.help import EXAMPLES, _options, _paragraphs
from tests.cli_reference import VERBS

HEAD = """.\\" The page of `man puzzlekit`; `make man` writes it from the help of the commands.
.TH PUZZLEKIT 1 "" puzzlekit "User Commands"
.SH NAME
puzzlekit \\- count, solve and play puzzles and board games exactly
.SH SYNOPSIS
.B puzzlekit
[OPTIONS] VERB [ARGUMENTS]
.br
.B puzzlekit help
[VERB]
.SH DESCRIPTION
"""

FOOT = """.SH EXIT STATUS
.TP
0
The command did what was asked.
.TP
1
There is no answer, such as for a state that cannot be solved.
.TP
2
The arguments are wrong; the message says what to give instead.
.TP
3
A limit stopped it early. What is known is printed, and a kept job can go on.
.TP
4
A file is damaged, or a check failed.
.TP
5
A plugin failed.
.TP
130, 143
Ctrl-C or SIGTERM stopped it.
.SH ENVIRONMENT
.TP
PUZZLEKIT_CACHE
The folder for tables that solving keeps for the next run.
.TP
PUZZLEKIT_CACHE_BYTES
How large this folder may grow, such as 2GiB.
.TP
RAYON_NUM_THREADS
How many threads are started if \\-\\-threads does not say it.
.TP
NO_COLOR
If it is set, nothing is coloured, and play is line by line.
.SH SEE ALSO
.BR puzzlekit " help VERB, and the folder docs of the sources."
"""


def page() -> str:
    """The whole page."""
    parts = [HEAD, _described("")]
    parts += [f'.SH "puzzlekit {verb}"\n{_described(verb)}' for verb in VERBS if verb]
    return "".join([*parts, FOOT])


def _described(verb: str) -> str:
    """A verb: its usage, what it does, its arguments and options, and examples."""
    words = verb.split()
    command: Any = typer.main.get_command(build([*words, "--help"]))
    context = typer.Context(command, info_name="puzzlekit", **command.context_settings)
    for word in words:
        command = command.get_command(context, word)
        context = typer.Context(command, info_name=word, parent=context)
    lines = []
    if verb:
        usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
        lines += [".PP", f".B {escaped(usage.replace('{', '').replace('}', ''))}"]
    examples: list[str] = []
    for paragraph in _paragraphs(command.help):
        if paragraph.startswith(EXAMPLES):
            examples = paragraph.splitlines()[1:]
        else:
            lines += [".PP", escaped(" ".join(paragraph.split()))]
    for heading, rows in _options(command, context).items():
        lines += [".PP", f".I {heading}"]
        for name, meaning in rows:
            lines += [".TP", f".B {escaped(name)}", escaped(meaning)]
    if examples:
        lines += [".PP", ".I Examples", ".PP", ".nf", ".RS"]
        for line in examples:
            example, _, what = line.strip().partition("  # ")
            lines += [escaped(example), *([f"    {escaped(what)}"] if what else [])]
        lines += [".RE", ".fi"]
    return "\n".join([*lines, ""])


def escaped(text: str) -> str:
    r"""A text for troff: its backslashes, hyphens, and dots and quotes at the beginning of a line.

    >>> escaped("--to a\\b"), escaped(".py")
    ('\\-\\-to a\\eb', '\\&.py')
    """
    safe = (
        text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq").replace("'", "\\(aq").replace("^", "\\(ha")
    )
    safe = safe.replace("`", "\\(ga").replace("~", "\\(ti")
    return f"\\&{safe}" if safe.startswith((".", "\\(aq")) else safe


if __name__ == "__main__":
    sys.stdout.write(page())
