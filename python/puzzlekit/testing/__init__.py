"""The conformance suite: what every puzzle must keep to, for plugin authors to run in their own tests.

`puzzlekit plugins check` runs it from the command line.
"""

from puzzlekit.testing.suite import Check, check_puzzle, checks

__all__ = ["Check", "check_puzzle", "checks"]
