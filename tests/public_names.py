"""Prints `python/puzzlekit/__init__.pyi`, the public names as type checkers read them; `make docs` writes it."""

import puzzlekit

HEAD = '"""The public names, as type checkers read them. `make docs` writes this file from __init__.py."""'


def stub() -> str:
    """The text of the file."""
    modules = [f"from puzzlekit import {module} as {module}" for module in puzzlekit._MODULES]
    names = [f"from puzzlekit.{home} import {name} as {name}" for name, home in puzzlekit._HOME.items()]
    return "\n".join([HEAD, "", *modules, *names, ""])


if __name__ == "__main__":
    print(stub(), end="")
