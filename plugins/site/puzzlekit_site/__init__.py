"""The engine of puzzlekit for pages: a file of WebAssembly, which `puzzlekit site` puts into what it writes."""

from pathlib import Path

ENGINE = Path(__file__).parent / "engine.wasm"
"""The file. `make site-engine` builds it in a clone; a release has it."""


def engine() -> bytes:
    """The engine, as WebAssembly.

    Raises:
        FileNotFoundError: It has not been built.
    """
    return ENGINE.read_bytes()
