"""The conformance suite: what every puzzle must keep to, for plugin authors to run in their own tests.

`puzzlekit plugins check` runs it from the command line.
"""

from __future__ import annotations

import copy
import time
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from puzzlekit.errors import LimitError, PuzzlekitError, UnsolvableError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from puzzlekit.describe.puzzle import Puzzle


@dataclass(frozen=True)
class Check:
    """One part of the suite, and what came of it.

    Attributes:
        name: What was checked.
        times: How many things were looked at: states, moves, depths or answers.
        seconds: How long that took.
        fault: What is wrong, and what to change; `None` if nothing is.
        note: What is right and could be better; `None` if there is nothing to say.
    """

    name: str
    times: int
    seconds: float
    fault: str | None = None
    note: str | None = None


def check_puzzle(puzzle: Puzzle, *, states: int = 500) -> None:
    """Checks a puzzle from end to end; each message says what to change.

    Text ids and the texts of states must be read back as they were written. The rules must compile, and be the same
    each time. A name must never mean two moves, and must be one that can be typed. Symmetric states must have one
    canonical form. The counts must be those of a plain search of the rules, with and without symmetry, for 1 and 2
    threads, and in both stores. Solutions must lead to the goal, and scrambles must be states that play can reach.

    >>> import puzzlekit
    >>> check_puzzle(puzzlekit.load("tictactoe"))

    Args:
        puzzle: The puzzle, with the parameters to check it with. With small ones the check is quick.
        states: How many states to look at one by one, and about how many to enumerate.

    Raises:
        AssertionError: The puzzle breaks a promise.
    """
    for check in checks(puzzle, states=states):
        if check.fault is not None:
            # Raised, not asserted, since the checks must also work under python -O.
            raise AssertionError(check.fault)


def checks(puzzle: Puzzle, *, states: int = 500) -> Iterator[Check]:
    """The parts of the suite, one after the other. It ends after the first part that finds a fault.

    >>> import puzzlekit
    >>> [check.times for check in checks(puzzlekit.load("tictactoe"), states=100) if check.name == "states"]
    [100]

    Args:
        puzzle: The puzzle.
        states: How many states to look at one by one, and about how many to enumerate.
    """

    @cache
    def walked() -> list[str]:
        return _walk(puzzle, states)

    notes: list[str] = []
    parts: dict[str, Callable[[], int]] = {
        "text id and parameters": lambda: _check_identity(puzzle),
        "rules": lambda: _check_rules(puzzle),
        "names of moves": lambda: _check_names(puzzle),
        "symmetries": lambda: _check_symmetries(puzzle, notes),
        "states": lambda: _check_states(puzzle, walked()),
        "counts of a plain search": lambda: _check_naive(puzzle, states),
        "counts in both stores, with symmetries and without": lambda: _check_counts(puzzle, states),
        "scrambles": lambda: _check_scrambles(puzzle, walked(), states),
        "solutions": lambda: _check_solutions(puzzle, walked()),
    }
    for name, part in parts.items():
        begun, times, fault = time.perf_counter(), 0, None
        try:
            times = part()
        except _Fault as found:
            fault = str(found)
        yield Check(name, times, time.perf_counter() - begun, fault, notes.pop() if notes else None)
        if fault is not None:
            return


class _Fault(Exception):  # noqa: N818 - a fault of a puzzle, not of the suite
    """A promise that a puzzle breaks."""


def _fail(message: str) -> None:
    raise _Fault(message)


def _check_identity(puzzle: Puzzle) -> int:
    kind = type(puzzle)
    try:
        kind.check_type()
    except PuzzlekitError as error:
        _fail(str(error))
    if not (kind.__doc__ or "").strip() or kind.__doc__ == f"{kind.__name__}()":
        _fail(f"{kind.__name__} has no docstring; its first line is what `puzzlekit list` shows")
    puzzle_id, _, values = str(puzzle).partition(":")
    if puzzle_id != kind.id or kind.from_text(values) != puzzle:
        _fail(f"the text id {str(puzzle)!r} is read back as {kind.from_text(values)!r}; do not override __str__")
    if copy.copy(puzzle) != puzzle:
        _fail(f"{puzzle!r} is not equal to its copy; keep all parameters in fields")
    return 1


def _check_rules(puzzle: Puzzle) -> int:
    try:
        engine = puzzle.engine
    except PuzzlekitError as error:
        _fail(str(error))
    if puzzle.rules().to_data() != puzzle.rules().to_data():
        _fail(f"rules() of {puzzle} differs from call to call; make it depend on the fields alone")
    if not engine.legal_moves(puzzle.start):
        _fail(f"{puzzle} has no move at the start {puzzle.start}; check the guards of the moves")
    return 1


def _check_names(puzzle: Puzzle) -> int:
    """Names of moves are typed on a command line."""
    names = set(puzzle.engine.move_names)
    for name in sorted(names):
        if name.startswith("-"):
            _fail(f'the move "{name}" begins as an option does; give it a name that a person can type')
    return len(names)


def _check_symmetries(puzzle: Puzzle, notes: list[str]) -> int:
    """The symmetries that are declared are right, or the rules would not compile. They may be too few."""
    from puzzlekit.run.symmetries import found_symmetries

    engine = puzzle.engine
    found = found_symmetries(engine)
    if not engine.seeks_symmetries and engine.symmetry_order < found.elements:
        notes.append(
            f"{puzzle} has more symmetries than its rules say: {engine.symmetry_order:,} are declared, and "
            f'{found.elements:,} were found; give symmetries="auto", or declare the generators that '
            "puzzlekit.symmetries(rules) gives, for fewer states"
        )
    return found.elements


def _check_states(puzzle: Puzzle, found: list[str]) -> int:
    for state in found:
        _check_state(puzzle, state)
    return len(found)


def _check_naive(puzzle: Puzzle, limit: int) -> int:
    """The counts of the engine against those of a search that reads the rules in the plainest way."""
    plain = _naive(puzzle.rules().to_data(), limit)
    report = puzzle.enumerate(max_depth=len(plain) - 1, symmetry=False, threads=1)
    counted = [(depth.states, depth.open, {name: n for name, n in depth.ended.items() if n}) for depth in report.depths]
    for depth, (found, expected) in enumerate(zip(counted, plain, strict=False)):
        if found != expected:
            _fail(
                f"{puzzle} has {found} states, open states and outcomes at depth {depth}, and a plain search finds "
                f"{expected}; please report this as a bug of puzzlekit"
            )
    return sum(states for states, _, _ in plain)


def _naive(data: dict[str, Any], limit: int) -> list[tuple[int, int, dict[str, int]]]:
    """For each depth: how many states there are, how many are open, and the outcomes of the others.

    A breadth-first search over rules as data (docs/rules.md), without packing, symmetries or an index. It ends after
    the depth with which `limit` states are found, or when no state is open.
    """
    players = data["players"] if len(data["players"]) == 2 else []

    def holds(pattern: Any, cells: tuple[str, ...]) -> bool:  # noqa: ANN401 - a pattern as data
        return all(cells[cell] in allowed for cell, allowed in pattern)

    def after(move: dict[str, Any], cells: tuple[str, ...]) -> tuple[str, ...]:
        written = list(cells)
        for cell, source in move["then"]:
            copied = source if isinstance(source, str) else cells[source["copy"]]
            written[cell] = source if isinstance(source, str) else source.get("map", {}).get(copied, copied)
        return tuple(written)

    def moves(cells: tuple[str, ...], player: int) -> list[tuple[str, ...]]:
        able = (move for move in data["moves"] if not players or move["player"] in (None, players[player]))
        return [after(move, cells) for move in able if holds(move["when"], cells)]

    def end(cells: tuple[str, ...], player: int) -> str | None:
        # Outcomes come in the order of the rules. Both wins count as named where the first of them is, and of the two
        # the player wins who has just moved.
        named = list(dict.fromkeys([*(end["outcome"] for end in data["ends"]), *players]))
        met = {end["outcome"] for end in data["ends"] if holds(end["when"], cells)}
        first = min(met, key=lambda name: min(map(named.index, players if name in players else [name])), default=None)
        mover = players[1 - player] if players else None
        return mover if first in players and mover in met else first

    def outcome(cells: tuple[str, ...], player: int) -> str | None:
        over = end(cells, player)
        if over is not None or moves(cells, player):
            return over
        if not players:
            return "solved" if any(holds(goal, cells) for goal in data["goal"]) else "stuck"
        winner = {"win": player, "loss": 1 - player}.get(data["stuck"])
        return "draw" if winner is None else str(players[winner])

    seen = {(tuple(data["start"]), 0)}
    frontier, counts, known = sorted(seen), [], 0
    while frontier and known < limit:
        ended: Counter[str] = Counter()
        following = []
        for cells, player in frontier:
            over = outcome(cells, player)
            if over is not None:
                ended[over] += 1
                continue
            for cells_after in moves(cells, player):
                reached = (cells_after, 1 - player if players else 0)
                if reached not in seen:
                    seen.add(reached)
                    following.append(reached)
        counts.append((len(frontier), len(frontier) - sum(ended.values()), dict(ended)))
        known += len(frontier)
        frontier = following
    return counts


def _walk(puzzle: Puzzle, limit: int) -> list[str]:
    """The first states that play reaches, breadth first."""
    found = {puzzle.start}
    order = [puzzle.start]
    for state in order:
        if len(order) >= limit:
            break
        successors = (puzzle.apply(state, move) for move in puzzle.legal_moves(state))
        new = [after for after in dict.fromkeys(successors) if after not in found]
        found.update(new)
        order += new
    return order[:limit]


def _check_state(puzzle: Puzzle, state: str) -> None:
    board, colon, player = state.partition(":") if puzzle.engine.is_game else (state, "", "")
    single = all(len(symbol) == 1 for symbol in puzzle.engine.notation.symbols)
    spaced = f"{' '.join(board) if single else board}\n{colon} {player} "
    if puzzle.read(spaced) != state:
        _fail(f"the state {state} is read back as {puzzle.read(spaced)}; choose symbols that can be told apart")
    moves = puzzle.legal_moves(state)
    if len(set(moves)) != len(moves):
        _fail(f"two moves of one name can be made in {state}; the moves are {', '.join(moves)}")
    number = puzzle.number(state)
    if number is not None and puzzle.numbered(number).state != state:
        _fail(f"{state} has the number {number}, which numbered takes for {puzzle.numbered(number).state}; mend either")
    if (puzzle.outcome(state) is None) != bool(moves):
        _fail(f"{state} has the outcome {puzzle.outcome(state)} and {len(moves)} moves; check the ends")
    canonical = puzzle.canonical(state)
    if puzzle.canonical(canonical) != canonical or puzzle.key(canonical) != puzzle.key(state):
        _fail(f"the canonical form {canonical} of {state} has another canonical form; check the symmetries")
    children, _, _ = puzzle.expand(puzzle.encode([state]))
    if puzzle.decode(children) != [puzzle.apply(state, move) for move in moves]:
        _fail(f"expand and apply disagree on {state}; please report this as a bug of puzzlekit")


def _check_counts(puzzle: Puzzle, states: int) -> int:
    max_depth = 0
    while (report := puzzle.enumerate(max_depth=max_depth, threads=1)).raw_states < states and not report.complete:
        max_depth += 1
    two_threads = puzzle.enumerate(max_depth=max_depth, threads=2)
    if report.depths != two_threads.depths:
        _fail(f"{puzzle} has other counts with two threads; please report this as a bug of puzzlekit")
    plain = puzzle.enumerate(max_depth=max_depth, symmetry=False)
    if [depth.raw_states for depth in report.depths] != [depth.states for depth in plain.depths]:
        _fail(f"{puzzle} has other raw counts without symmetry; please report this as a bug of puzzlekit")
    for store in ("sparse", "dense"):
        try:
            kept = puzzle.enumerate(max_depth=max_depth, store=store)
        except (UsageError, LimitError):  # the rules have no perfect index, or too large a one
            continue
        if [depth.states for depth in kept.depths] != [depth.states for depth in report.depths]:
            _fail(f"{puzzle} has other counts in the {store} store; please report this as a bug of puzzlekit")
    return len(report.depths)


def _check_scrambles(puzzle: Puzzle, found: list[str], states: int) -> int:
    """Scrambles are the same for the same seed, and play can reach them."""
    for seed in map(str, range(5)):
        try:
            scrambled = puzzle.scramble(seed)
        except PuzzlekitError as error:
            _fail(f"the scramble of the seed {seed} fails: {error}")
        if puzzle.scramble(seed).state != scrambled.state:
            _fail(f"the seed {seed} gives {scrambled.state} and then another state; draw from puzzlekit.Random alone")
        if len(found) < states and scrambled.state not in found:
            _fail(
                f"the seed {seed} gives {scrambled.state}, which play does not reach; scramble by moves from the start"
            )
    return 5


def _check_solutions(puzzle: Puzzle, found: list[str]) -> int:
    """Solutions of the engine are played through; so are those of the puzzle's own solver, if it has one."""
    solved = 0
    if puzzle.engine.is_game or puzzle.engine.goal is None:
        return solved
    for state in found[:: max(1, len(found) // 5)][:5]:
        try:
            puzzle.solve(state, max_states=100_000)
        except (UnsolvableError, LimitError):  # which are answers, too
            continue
        except PuzzlekitError as error:
            _fail(str(error))
        solved += 1
    return solved
