"""The conformance suite: checks everything that a puzzle must keep to; authors of plugins run it in their own tests.

`puzzlekit plugins check` runs it from the command line.
"""

from puzzlekit.testing.suite import Check, check_puzzle, checks

__all__ = ["Check", "check_puzzle", "checks"]
