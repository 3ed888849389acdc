"""Times answers: fewest moves, and the values of all states of a game. `make bench` and `make bench-slow` run it.

With LIMITS=folder, the program `korf` in the folder is run beside it. It is written by hand for the 15-puzzle.
"""

from __future__ import annotations

import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import puzzlekit
from puzzlekit import Puzzle
from tests import gallery
from tests.benchmarks.bench import begin, median, row

FIFTEEN = Path(__file__).parent.parent / "fixtures" / "fifteen.txt"
CUBES = Path(__file__).parent.parent / "fixtures" / "cubes.txt"
RUNS = 3

# Of the files in the cache, only the large table of the 3x3x3 cube has more bytes than this.
LARGE_TABLE = 1 << 30


def fifteen() -> list[tuple[str, int]]:
    """Korf's hundred boards of the 15-puzzle, each with the fewest moves that solve it."""
    lines = [line.split() for line in FIFTEEN.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return [(board, int(moves)) for _, board, moves in lines]


def solve(
    text: str, *arguments: str, states: list[str] | None = None, check: bool = True, cache: str | None = None
) -> list[dict[str, Any]]:
    """Runs `puzzlekit solve` in a process of its own, and returns its output: a line of JSON for each state.

    Tables are kept in the folder `cache`; without one, nothing is kept from one call to the next.
    """
    command = [sys.executable, "-m", "puzzlekit", "solve", text, *arguments]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PUZZLEKIT_CACHE": cache or folder}
        given = "\n".join(states) + "\n" if states else None
        done = subprocess.run(command, input=given, text=True, check=check, stdout=subprocess.PIPE, env=environment)
    return [json.loads(line) for line in done.stdout.splitlines()]


def processor_time() -> float:
    """The seconds of processor time that all finished child processes have taken."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def hundred_boards(folder: str | None) -> None:
    """Korf's hundred boards by one process, and one board by a whole command."""
    print(f"\nKorf's hundred boards of the 15-puzzle, all proven, tables made anew (median of {RUNS})")
    boards = fifteen()

    def all_of_them() -> None:
        answers = solve("slider:4,4", "--states", "-", "--json", states=[board for board, _ in boards])
        wrong = [a["state"] for a, (_, moves) in zip(answers, boards, strict=True) if a["length"] != moves]
        if wrong or not all(answer["optimal"] for answer in answers):
            raise RuntimeError(f"wrong or not proven: {wrong}")

    seconds = median(all_of_them, RUNS)
    if folder:
        program = [str(Path(folder).resolve() / "korf"), "663", "1", "direct"]
        # The program reads the boards from a folder beside its own.
        theirs = median(partial(subprocess.run, program, check=True, capture_output=True, cwd=folder), RUNS)
        row("korf 663, one thread", theirs)
        row("puzzlekit solve --states, whole command", seconds, seconds / theirs, "of its time")
    else:
        row("puzzlekit solve --states, whole command", seconds)
    chosen = random.Random(1).sample(boards, 9)
    each = [median(partial(solve, "slider:4,4", board, "--json"), 1) for board, _ in chosen]
    row("one board, whole command, median of 9", statistics.median(each), note=f"{max(each):.2f} s at the most")


def inside(name: str, puzzle: Puzzle, states: list[str]) -> None:
    """The time inside the engine for each of some states, after the first one has made the tables."""
    first = puzzle.solve(states[0])
    reports = [puzzle.solve(state) for state in states[1:]]
    if not all(report.optimal for report in [first, *reports]):
        raise RuntimeError(f"{name}: not proven")
    mean = statistics.mean(report.seconds for report in reports)
    most = max(report.seconds for report in reports)
    note = f"mean of {len(reports)}; {most:.4f} s at the most; with the tables {first.seconds:.2f} s"
    row(name, mean, note=note)


def small_ones() -> None:
    """Pancakes and the small cube, by files of the gallery."""
    print("\nrandom states of files of the gallery, inside the engine")
    for name in ("pancakes:40", "pancakes:50"):
        puzzle = gallery.load(name)
        inside(name, puzzle, [puzzle.scramble(str(seed)).state for seed in range(11)])
    for name in ("cube2_pieces", "cube2_stickers"):
        puzzle = gallery.load(name)
        inside(name, puzzle, [puzzle.scramble(str(seed)).state for seed in range(21)])


def pegs() -> None:
    """English peg solitaire from the start, by a whole command."""
    print("\nEnglish peg solitaire from the start, whole command")
    file = str(gallery.FILES["pegs"])
    answers: list[dict[str, Any]] = []
    seconds = median(lambda: answers.extend(solve(file, "--json")), 1)
    row("pegs", seconds, note=f"{answers[0]['length']} moves, {answers[0]['searched']}")


def cube() -> None:
    """Ten random states of the 3x3x3 cube with 2 GiB of tables.

    The engine makes the large table when it has searched as long without the table as making it takes. So other cubes
    are solved first, until the table is in the cache.
    """
    print("\nthe 3x3x3 cube: ten random states with 2 GiB of tables")
    file = str(gallery.FILES["cube3"])
    puzzle = gallery.load("cube3")
    with tempfile.TemporaryDirectory() as folder:
        begun, used, others = time.perf_counter(), processor_time(), 0
        while others < 10 and not any(path.stat().st_size > LARGE_TABLE for path in Path(folder).iterdir()):
            state = puzzle.scramble(f"other {others}").state
            solve(file, "--states", "-", "--memory", "2GiB", "--json", states=[state] * 3, check=False, cache=folder)
            others += 1
        note = f"{processor_time() - used:.0f} s of processor time, with the cubes before it"
        row("the tables", time.perf_counter() - begun, note=note)
        used = processor_time()
        states = [puzzle.scramble(str(seed)).state for seed in range(10)]
        answers = solve(file, "--states", "-", "--memory", "2GiB", "--json", states=states, check=False, cache=folder)
        used = processor_time() - used
        known_cubes(folder)
    for answer in answers:
        told = answer["error"] if "error" in answer else f"{answer['length']} moves, optimal: {answer['optimal']}"
        searched = sum(count for name, count in answer.get("searched", {}).items() if name != "states")
        row(answer["state"][:12], answer.get("seconds", 0.0), note=f"{told}; {searched:,} states")
    seconds = [answer.get("seconds", 0.0) for answer in answers]
    row("on average", statistics.mean(seconds), note=f"{used / len(answers):.0f} s of processor time, of all threads")


def known_cubes(folder: str) -> None:
    """Cubes whose fewest moves are known, on one thread, with the tables of a folder."""
    file, puzzle = str(gallery.FILES["cube3"]), gallery.load("cube3")
    lines = [line for line in CUBES.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    for moves in (16, 17, 18):
        scrambles = [
            sequence for number, sequence in (line.split(maxsplit=1) for line in lines) if number == str(moves)
        ]
        states = [puzzle.apply(puzzle.start, sequence) for sequence in scrambles]
        used = processor_time()
        limits = ("--memory", "2GiB", "--threads", "1")
        answers = solve(file, "--states", "-", *limits, "--json", states=states, cache=folder)
        used = processor_time() - used
        if {(answer["length"], answer["optimal"]) for answer in answers} != {(moves, True)}:
            raise RuntimeError(f"not all of these cubes need {moves} moves: {answers}")
        seconds = [answer["seconds"] for answer in answers]
        note = (
            f"{max(seconds):.1f} s at most; {used / len(answers):.1f} s of processor time each, with reading the tables"
        )
        row(f"{len(states)} cubes of {moves} moves", statistics.mean(seconds), note=note)


def large_boards() -> None:
    """Boards that are too large for a proof: how much shorter ten seconds make the solution of the plugin's method.

    On a busy machine, `SECONDS_EACH` gives more seconds. The processor time tells how much of them the search got: ten
    seconds on two idle cores are twenty.
    """
    seconds = os.environ.get("SECONDS_EACH", "10")
    print(f"\nlarge boards, 20 seeds each: lengths with --seconds {seconds}, beside the method alone")
    for text in ("slider:5,5", "slider:10,10", "rotate:4,4", "rotate:5,5"):
        puzzle = puzzlekit.load(text)
        method = puzzlekit.solvers(puzzle)["reduction"]
        states = [puzzle.scramble(str(seed)).state for seed in range(20)]
        before = [len(puzzle.solve(state, solver=method).moves) for state in states]
        used = processor_time()
        reports = [solve(text, state, "--seconds", seconds, "--json")[0] for state in states]
        used = (processor_time() - used) / len(states)
        after = [report["length"] for report in reports]
        bounds = [report["lower_bound"] for report in reports]
        ratio = statistics.mean(a / b for a, b in zip(after, before, strict=True))
        took = statistics.mean(report["seconds"] for report in reports)
        note = (
            f"of {statistics.mean(before):.1f} moves: {statistics.mean(after):.1f}; "
            f"at least {statistics.mean(bounds):.1f}, {sum(report['optimal'] for report in reports)} proven; "
            f"{used:.1f} s of processor time each"
        )
        row(text, took, ratio, note)


def measured(*arguments: str) -> tuple[dict[str, Any], float, float]:
    """Runs a command in a process of its own. Returns its JSON, its processor time, and its peak memory in MiB."""
    with tempfile.TemporaryFile() as file:
        process = subprocess.Popen([sys.executable, "-m", "puzzlekit", *arguments, "--json"], stdout=file)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise RuntimeError(f"{arguments} ended with exit code {process.returncode}")
        file.seek(0)
        return json.load(file), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def all_values(board: str, *arguments: str) -> None:
    """Compares the processor time of all values of a board with that of a count, each in a process of its own."""
    print(f"\nall values of {board} beside its count, whole commands, seconds of processor time")
    pairs = []
    for _ in range(RUNS if not arguments else 1):
        counted, count_seconds, _ = measured("enumerate", board, *arguments)
        valued, value_seconds, peak = measured("values", board, *arguments)
        if [(each["states"], each["raw_states"]) for each in counted["depths"]] != [
            tuple(sum(each[before + name] for name in ("win", "draw", "loss")) for before in ("", "raw_"))
            for each in valued["depths"]
        ]:
            raise RuntimeError(f"{board}: the values are not those of the states that were counted")
        pairs.append((count_seconds, value_seconds, peak, valued))
    count_seconds = statistics.median(pair[0] for pair in pairs)
    row(f"enumerate {board}", count_seconds)
    value_seconds = statistics.median(pair[1] for pair in pairs)
    peak, valued = pairs[-1][2:]
    told = f"of its time; {peak:.0f} MiB, {valued['seconds']:.2f} s by the clock; a {valued['start']['value']}"
    row(f"values {board}", value_seconds, value_seconds / count_seconds, told)


def values_with_distances(board: str, states: int) -> None:
    """The values of all states of connect four, with the moves to the end."""
    print(f"\nall values of connect_four:{board} with distances, whole command, two threads")
    valued, seconds, peak = measured("values", f"{gallery.FILES['connect_four']}:{board}", "--threads", "2")
    if (valued["raw_states"], valued["start"]["value"]) != (states, "draw") or not valued["distances"]:
        raise RuntimeError(f"{board}: {valued['raw_states']} states, a {valued['start']['value']}")
    note = f"{seconds:.1f} s of processor time, {peak:.0f} MiB; {valued['states']:,} states up to symmetry, a draw"
    row(f"values connect_four:{board}", valued["seconds"], note=note)


def main() -> None:
    """Prints every table."""
    if begin(__doc__):
        all_values("tictactoe:5,5,4", "--threads", "2", "--memory", "8GiB")
        values_with_distances("5,5", 69_763_700)
        cube()
        large_boards()
        return
    hundred_boards(os.environ.get("LIMITS"))
    small_ones()
    pegs()
    all_values("tictactoe:5,4,4")
    values_with_distances("4,4", 161_029)


if __name__ == "__main__":
    main()
