"""`puzzlekit site`: writes the page as a folder of files that any web host can serve."""

from __future__ import annotations

import datetime
import re
from pathlib import Path
from typing import Annotated

import typer

from puzzlekit.cli import completion
from puzzlekit.cli.options import AllThreadsOption, GalleryOption, PuzzlesArgument, shown_puzzles
from puzzlekit.cli.output import Settings, print_json, print_line, say, size
from puzzlekit.errors import UsageError

LONGEST_TITLE = 80


def run(
    context: typer.Context,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="DIR",
            help="The folder to write; an older site is replaced.",
            autocompletion=completion.folders,
        ),
    ],
    puzzle_ids: PuzzlesArgument = None,
    of_gallery: GalleryOption = False,
    embed: Annotated[
        bool, typer.Option("--embed", help="Also a page of each puzzle to show inside another page, in DIR/embed.")
    ] = False,
    title: Annotated[str, typer.Option("--title", metavar="TEXT", help="The name of the site.")] = "Puzzles and games",
    address: Annotated[
        str,
        typer.Option(
            "--address",
            metavar="URL",
            help="Where the folder will be found, such as https://example.org/puzzles/: links get a picture.",
        ),
    ] = "",
    threads: AllThreadsOption = None,  # noqa: ARG001 - handled by its callback
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: the folder, its pages and its size.")] = False,
) -> None:
    """Write the page as a folder of files: it plays, solves and explores without a server, and without a network.

    All puzzles that are installed, or those that are named; each with its usual sizes. Any web host can serve the
    folder, below any address. The engine runs in the page.

    Examples:
        puzzlekit site --to public --gallery
        puzzlekit site slider:4,4 ./mine.py --to public
        python -m http.server -d public  # to look at it
    """
    try:
        from puzzlekit.web.site.leaves import leaves
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "jinja2":
            raise
        raise UsageError('site needs jinja2; install it with pip install "puzzlekit-core[site]"') from None
    from puzzlekit.web.site.entries import entries
    from puzzlekit.web.site.finding import find_engine
    from puzzlekit.web.site.writing import check_place, write_site

    settings: Settings = context.obj
    folder, title = Path(to), " ".join(title.split())
    if not title or len(title) > LONGEST_TITLE:
        raise UsageError(f"the title has {len(title)} characters; give 1 to {LONGEST_TITLE}")
    if address and not re.fullmatch(r"https?://[^\s/?#]+(/[^\s?#]*)?", address):
        raise UsageError(f"the address is {address!r}; give one such as https://example.org/puzzles/")
    check_place(folder)
    engine = find_engine()
    plugins = settings.plugins()
    named = shown_puzzles(plugins, puzzle_ids, of_gallery=of_gallery)
    found = entries(plugins, named, datetime.datetime.now(datetime.UTC).date(), say, no_plugins=settings.no_plugins)
    pictures: dict[str, bytes] = {}
    if address:
        from puzzlekit.draw.pixels import png

        for entry in found:
            if entry.first and entry.shown["id"] not in pictures:
                pictures[entry.shown["id"]] = png(entry.picture)
    files = leaves(
        found,
        engine,
        title,
        embed=embed,
        address=address and f"{address.rstrip('/')}/",
        pictures=pictures,
    )
    write_site(folder, files, {entry.text: entry.name for entry in found})
    held = sum(map(len, files.values()))
    if as_json:
        pages = {entry.text: f"play/{entry.name}.html" for entry in found}
        data = {"schema": "puzzlekit.site/1", "folder": to, "title": title, "pages": pages}
        print_json({**data, "files": len(files), "bytes": held})
        return
    first = sum(entry.first for entry in found)
    print_line(f"{to}: {first} puzzles in {len(found)} sizes, {len(files)} files, {size(held)}")
    say(f"to look at it: python -m http.server --directory {to}")
