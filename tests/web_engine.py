"""Runs the engine of the page in Node, so that its answers can be compared with those of the engine in Python."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from puzzlekit import Puzzle, errors
from puzzlekit.describe.kept_rules import board_data

ENGINE = Path(__file__).parents[1] / "plugins" / "site" / "puzzlekit_site" / "engine.wasm"
REQUIRED = "PUZZLEKIT_ENGINE"
"""If this variable is set to `required`, as CI does, the engine of the page must have been built. It may also be the
path of another module, which is then tested."""

FROM_MACHINE = ("seconds", "states_per_second", "peak_memory_bytes")
"""What differs from run to run."""


def find_engine() -> Path:
    """The engine of the page. Without it, or without Node, the tests that need it are skipped with a line that says so.

    CI sets a variable, and then they fail.
    """
    given = os.environ.get(REQUIRED, "")
    engine = ENGINE if given in ("", "required") else Path(given)
    reason = None
    if shutil.which("node") is None:
        reason = "there is no Node, so the engine of the page is not tried; to add it: apt-get install nodejs"
    elif not engine.is_file():
        reason = "the engine of the page is not built, so it is not tried; to build it: make site-engine"
    if reason is not None:
        if given:
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason, allow_module_level=True)
    return engine


class PageEngine:
    """An engine of the page in a process of its own.

    Args:
        path: The module.
        pages: The most memory that it may take, in pages of 64 KiB.
    """

    def __init__(self, path: Path, pages: int | None = None) -> None:
        limit = [f"--wasm-max-mem-pages={pages}"] if pages else []
        runner = Path(__file__).with_suffix(".mjs")
        self.process = subprocess.Popen(
            ["node", *limit, str(runner), str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        assert self.process.stdin
        assert self.process.stdout
        self._requests, self._answers = self.process.stdin, self.process.stdout
        self.renew()

    def renew(self) -> None:
        """Makes another instance."""
        self._say("new")

    def close(self) -> None:
        """Ends the process."""
        with self.process:
            self._requests.close()

    def _say(self, line: str) -> None:
        self._requests.write(f"{line}\n")
        self._requests.flush()

    def line(self, text: str, *, stop: bool = False) -> dict[str, Any]:
        """All that is answered to a line, which may be no JSON."""
        if stop:
            self._say("stop")
        self._say(text)
        told: dict[str, Any] = json.loads(self._answers.readline())
        return told

    def ask(self, verb: str, *, stop: bool = False, **fields: Any) -> dict[str, Any]:
        """All that is answered to a request."""
        return self.line(json.dumps({"verb": verb, **fields}), stop=stop)

    def call(self, verb: str, **fields: Any) -> dict[str, Any]:
        """The answer to a request that can be answered.

        Raises:
            PuzzlekitError: The error that the engine gives, as Python has it.
        """
        told = self.ask(verb, **fields)
        if "answer" in told:
            answer: dict[str, Any] = told["answer"]
            return answer
        error = getattr(errors, told["error"]["kind"])(told["error"]["message"])
        error.restart = told.get("restart")
        raise error

    def load(self, puzzle: Puzzle, **more: Any) -> dict[str, Any]:
        """Loads a puzzle."""
        return self.call("load", **loading(puzzle), **more)


def loading(puzzle: Puzzle) -> dict[str, Any]:
    """What the engine of the page is given of a puzzle."""
    rules = puzzle.rules()
    board = board_data(rules) or {}
    return {
        "puzzle": str(puzzle),
        "rules": rules.to_data(),
        "rows": list(rules.row_lengths),
        "hole_marks": board.get("hole_marks", ""),
        "holes": board.get("holes", 0),
        "outcomes": list(puzzle.engine.outcomes),
    }


def lasting(data: dict[str, Any]) -> dict[str, Any]:
    """A report without what differs from run to run, as JSON has it."""
    return {name: value for name, value in json.loads(json.dumps(data)).items() if name not in FROM_MACHINE}
