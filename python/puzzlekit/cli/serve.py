"""`puzzlekit serve`: a page for every puzzle, in the browser."""

from __future__ import annotations

from typing import Annotated

import typer

from puzzlekit.cli import completion
from puzzlekit.cli.library import libraries
from puzzlekit.cli.options import AllThreadsOption, GalleryOption, LibraryOption, PuzzlesArgument, shown_puzzles
from puzzlekit.cli.output import Settings, say
from puzzlekit.errors import UsageError
from puzzlekit.run.checks import check_number


def run(
    context: typer.Context,
    puzzle_ids: PuzzlesArgument = None,
    host: Annotated[str, typer.Option(metavar="HOST", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="N", help="The port; 0 for any that is free.")] = 8000,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="NAME", help="Another name by which the server may be called."),
    ] = None,
    job: Annotated[
        list[str] | None,
        typer.Option(
            "--job",
            metavar="DIR",
            help="Also the puzzle of a job, with answers from there.",
            autocompletion=completion.folders,
        ),
    ] = None,
    library: LibraryOption = None,
    of_gallery: GalleryOption = False,
    threads: AllThreadsOption = None,  # noqa: ARG001 - handled by its callback
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Show the puzzles on a page: play them with mouse, touch or keyboard, get hints, and look at their states.

    All puzzles that are installed, or those that are named; with --gallery, those of the gallery, too. Only this
    machine can reach it, unless --host and --allow-host say otherwise. Ctrl-C ends it.

    Examples:
        puzzlekit serve --open
        puzzlekit serve --gallery  # some thirty puzzles more
        puzzlekit serve slider:4,4 ./mine.py --port 8080  # these alone, on another port
    """
    try:
        from puzzlekit.web import serving
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in ("starlette", "uvicorn", "jinja2", "h11", "anyio"):
            raise
        raise UsageError(f'serve needs {missing}; install it with pip install "puzzlekit-core[web]"') from None
    from puzzlekit.web.limits import Limits
    from puzzlekit.web.offers import offers
    from puzzlekit.web.pool import Setting

    settings: Settings = context.obj
    named = shown_puzzles(settings.plugins(), puzzle_ids, of_gallery=of_gallery)
    hosts = serving.names(host, allow_host or [])
    # The processes that answer requests open the libraries. They are opened here, too, to see early what is missing.
    places = [found.place for found in libraries(library)]
    setting = Setting(offers(settings.plugins(), named, job or []), Limits(), settings.no_plugins, libraries=places)
    check_number("port", port, 0, 65535)
    listener = serving.bind(host, port)
    name, chosen = listener.getsockname()[:2]
    shown = "localhost" if name in serving.ANYWHERE else f"[{name}]" if ":" in name else name
    address = f"http://{shown}:{chosen}/"

    def ready() -> None:
        say(f"serving {', '.join(offer.text for offer in setting.offers)} at {address}; Ctrl-C ends it")
        if open_page:
            import threading
            import webbrowser

            # A thread of its own opens the browser, since with some browsers the call returns only when the browser is
            # closed.
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    server = serving.server(setting, hosts, ready)
    with listener:
        server.run(sockets=[listener])
