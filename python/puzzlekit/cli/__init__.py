"""The command line, which `main` runs. Each verb has a file of its own, which parses, calls and prints."""

import gc
import sys
import threading

YOUNG = 20_000
"""The number of new objects after which Python looks for unused ones among them. With its own number, 700, it looks
forty times while a command is imported, and finds nothing."""


def main() -> None:
    """Runs the command line and exits with 0, or with the exit code of the error, which is printed as one sentence."""
    gc.set_threshold(YOUNG, *gc.get_threshold()[1:])
    others = threading.enumerate()
    try:
        from puzzlekit.cli.streams import leave, prepare

        prepare()
        from puzzlekit.cli.app import run

        # At its end, Python looks twice for unused objects among all that there are. What is imported until here is
        # left out; the objects of plugins are not, so that their files are closed.
        gc.freeze()
        leave(run(sys.argv[1:]), others)
    except KeyboardInterrupt:  # even while everything is being imported
        sys.exit(130)  # `ExitCode.INTERRUPTED`, which may not be imported yet
