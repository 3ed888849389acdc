"""The command line: `main` runs it. One file a verb; each parses, calls and prints."""

import sys
import threading


def main() -> None:
    """Runs the command line and exits: 0, or the code of the error, which is told in one sentence."""
    others = threading.enumerate()
    try:
        from puzzlekit.cli.streams import leave, prepare

        prepare()
        from puzzlekit.cli.app import run

        leave(run(sys.argv[1:]), others)
    except KeyboardInterrupt:  # even while everything is being imported
        sys.exit(130)  # `ExitCode.INTERRUPTED`, which may not be imported yet
