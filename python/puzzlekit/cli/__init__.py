"""The command line: `main` runs it. One file a verb; each parses, calls and prints."""

from puzzlekit.cli.app import main

__all__ = ["main"]
