"""The compiled engine in Python's terms: rules go in, states go in and come out as text or as arrays.

This folder alone imports the compiled module.
"""

from puzzlekit.run.engine.runs import Engine

__all__ = ["Engine"]
