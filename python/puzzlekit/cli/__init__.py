"""The command line: `main` runs it. One file a verb; each parses, calls and prints."""

import sys


def main() -> None:
    """Runs the command line and exits: 0, or the code of the error, which is told in one sentence."""
    try:
        from puzzlekit.cli.streams import prepare

        prepare()
        from puzzlekit.cli.app import run

        sys.exit(run(sys.argv[1:]))
    except KeyboardInterrupt:  # even while everything is being imported
        sys.exit(130)
