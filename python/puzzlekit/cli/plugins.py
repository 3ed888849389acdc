"""`puzzlekit plugins`: which plugins are installed, and which of them work."""

from __future__ import annotations

from typing import Annotated

import typer

from puzzlekit.cli.output import Settings, print_json, print_table


def build() -> typer.Typer:
    """The verbs below `plugins`."""
    app = typer.Typer(help="Look after plugins.", no_args_is_help=True, rich_markup_mode=None)

    # Without a callback, an app with only one command would not accept the command's name.
    @app.callback()
    def plugins() -> None:
        """Look after plugins."""

    app.command("list")(run)
    return app


def run(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the plugins that are installed, the puzzles of each, and what is wrong with those that fail."""
    settings: Settings = context.obj
    plugins = settings.plugins().load_all()
    if as_json:
        entries = [
            {"name": plugin.name, "distribution": plugin.distribution, "puzzles": plugin.puzzles, "error": plugin.error}
            for plugin in plugins
        ]
        print_json({"schema": "puzzlekit.plugins.list/1", "plugins": entries})
        return
    rows = [
        (plugin.name, plugin.distribution, " ".join(plugin.puzzles), "ok" if plugin.error is None else plugin.error)
        for plugin in plugins
    ]
    print_table(("plugin", "distribution", "puzzles", "status"), rows)
