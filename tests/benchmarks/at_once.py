"""Times answers that come at once, where a proof takes long. `make bench-slow` runs it.

Each state is solved by a process of its own. Seconds count from its start, and tables are in the cache but for the
first one. `SEEDS=200` takes more random cubes than 50. On a busy machine, `SECONDS_EACH` gives a cube more than ten
seconds by the clock, so that it gets as much processor time as it would get alone.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import puzzlekit
from puzzlekit import LimitError
from tests import gallery

if TYPE_CHECKING:
    from puzzlekit.run.progress import Progress

DEFINITIONS = Path(__file__).parents[2] / "plugins" / "twisty" / "definitions"
SECONDS = (1, 2, 5, 10)


@dataclass(frozen=True)
class Told:
    """An answer that came while one was searched for.

    Attributes:
        seconds: By the clock, from the start of the process.
        processor: The processor time of all its threads.
        moves: The moves of the answer.
    """

    seconds: float
    processor: float
    moves: int


def watched(text: str, state: str, seconds: float, begun: float) -> list[Told]:
    """Solves a state in this process, and notes each answer when it comes."""
    found: list[Told] = []

    def note(moves: int) -> None:
        if moves and (not found or moves < found[-1].moves):
            found.append(Told(time.time() - begun, time.process_time(), moves))

    def watch(seen: Progress) -> None:
        note(seen.at_most)

    puzzle = puzzlekit.load(text)
    try:
        report = puzzle.solve(state, seconds=seconds, watch=watch)
    except LimitError:
        return found
    if not puzzle.is_solved(puzzle.apply(state, " ".join(report.moves))):
        raise RuntimeError(f"{state}: the moves do not solve it")
    note(len(report.moves))
    return found


def answers(text: str, state: str, seconds: float, cache: str) -> list[Told]:
    """The answers of a process of its own, in the order in which they came."""
    given = {"text": text, "state": state, "seconds": seconds, "begun": time.time()}
    command = [sys.executable, "-m", "tests.benchmarks.at_once", "--one", json.dumps(given)]
    environment = {**os.environ, "PUZZLEKIT_CACHE": cache}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment)
    return [Told(**each) for each in json.loads(done.stdout)]


def table(told: list[list[Told]], clock: str) -> None:
    """The moves of the best answers after some seconds."""
    for seconds in SECONDS:
        best = [[each.moves for each in every if getattr(each, clock) <= seconds] for every in told]
        known = [moves[-1] for moves in best if moves]
        moves = f"{statistics.mean(known):5.2f} moves on average, {max(known)} at the most" if known else ""
        print(f"  {seconds:3d} s {clock:<10} {len(known)} of {len(told)} have an answer  {moves}", flush=True)


def cubes(count: int, cache: str) -> None:
    """Random cubes of the gallery, half turns as one move."""
    puzzle = gallery.load("cube3")
    answers("cube3", puzzle.scramble("tables").state, 60, cache)
    states = [puzzle.scramble(str(seed)).state for seed in range(count)]
    told = [answers("cube3", state, float(os.environ.get("SECONDS_EACH", "10")), cache) for state in states]
    print(f"\n{count} random 3x3x3 cubes, each by a process of its own, by the clock and by its processor time")
    table(told, "seconds")
    table(told, "processor")


def large_puzzles(cache: str) -> None:
    """Puzzles that no table holds, after 300 random moves."""
    print("\nthe first and the last answer within a minute, after 300 random moves")
    for name in ("megaminx", "cube-4x4x4"):
        text = str(DEFINITIONS / f"{name}.tws")
        puzzle = puzzlekit.load(text)
        for seed in ("a", "b", "c"):
            every = answers(text, puzzle.scramble(seed, moves=300).state, 60, cache)
            first, last = every[0], every[-1]
            print(
                f"  {name:12} {first.moves:4d} moves after {first.seconds:.1f} s, {first.processor:.1f} s of processor "
                f"time; {last.moves:4d} after {last.seconds:.1f} s, {last.processor:.1f} s",
                flush=True,
            )


def main() -> None:
    """Prints the tables, or the answers of one search."""
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps([vars(each) for each in watched(**json.loads(sys.argv[2]))]))
        return
    with tempfile.TemporaryDirectory() as folder:
        cache = os.environ.get("PUZZLEKIT_CACHE", folder)
        large_puzzles(cache)
        cubes(int(os.environ.get("SEEDS", "50")), cache)


if __name__ == "__main__":
    main()
