"""Equal puzzles share one compiled engine, and only the engines that were used last are kept."""

import threading
import time
from dataclasses import dataclass
from typing import ClassVar

import pytest

import puzzlekit
from puzzlekit import Puzzle, Rules, parameter, put, toggle
from puzzlekit.run.engine_cache import MOST_ENGINES


@dataclass(frozen=True)
class Slow(Puzzle):
    """Lights whose method `rules` takes a while, and counts its calls."""

    id = "slow"
    cells: int = parameter(2, 1, 100, "lights")
    asked: ClassVar[list[int]] = []

    def rules(self):
        self.asked.append(self.cells)
        time.sleep(0.05)
        return Rules(symbols="01", start="0" * self.cells, goal="0" * self.cells, moves=[toggle(0)])


def test_equal_puzzles_share_an_engine_that_is_compiled_once():
    Slow.asked.clear()
    threads, engines = [], []
    for _ in range(4):
        threads.append(threading.Thread(target=lambda: engines.append(Slow(7).engine)))
        threads[-1].start()
    for thread in threads:
        thread.join()
    assert len(engines) == 4
    assert len(set(map(id, engines))) == 1
    assert Slow.asked == [7]
    assert Slow(8).engine is not engines[0]


def test_only_the_engines_that_were_used_last_are_kept():
    Slow.asked.clear()
    for cells in range(20, 20 + MOST_ENGINES + 1):
        assert Slow(cells).engine.notation.cells == cells
    Slow.asked.clear()
    assert Slow(20 + MOST_ENGINES).engine
    assert Slow.asked == []
    assert Slow(20).engine
    assert Slow.asked == [20]


def test_types_of_one_id_do_not_share_an_engine():
    def made(symbols):
        @dataclass(frozen=True)
        class Twin(Puzzle):
            """One of two."""

            id = "twin"

            def rules(self):
                return Rules(symbols=symbols, start=symbols[0], moves=[put(0, symbols[1])])

        return Twin()

    assert (made("ab").start, made("xy").start) == ("a", "x")


def test_rules_that_ask_for_their_own_engine_are_refused():
    @dataclass(frozen=True)
    class Loop(Puzzle):
        """A puzzle whose rules ask for the engine, which needs the rules."""

        id = "loop"

        def rules(self):
            return self.engine

    with pytest.raises(puzzlekit.PluginError, match="loop"):
        Loop().engine  # noqa: B018 - asking for it compiles it


def test_an_engine_that_failed_is_made_anew():
    attempts = []

    @dataclass(frozen=True)
    class Moody(Puzzle):
        """A puzzle whose rules fail at the first call, and not later."""

        id = "moody"

        def rules(self):
            attempts.append(1)
            if len(attempts) == 1:
                raise ValueError("not yet")
            return Rules(symbols="ab", start="a", moves=[put(0, "b")])

    with pytest.raises(puzzlekit.PluginError, match="not yet"):
        Moody().engine  # noqa: B018
    assert Moody().start == "a"
