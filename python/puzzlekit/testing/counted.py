"""Parts of the suite: states one by one, and the counts, which must be the same however they are made."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from puzzlekit.describe.grid import Grid
from puzzlekit.describe.rules import Rules, Symmetry
from puzzlekit.errors import LimitError, RulesError, UsageError
from puzzlekit.run.engine import Engine
from puzzlekit.testing.plain import naive
from puzzlekit.testing.subject import Looked, Subject, fail

if TYPE_CHECKING:
    from collections.abc import Iterator

    from puzzlekit.describe.puzzle import Puzzle

MOST_MOVES = 3000
"""Rules with more moves than this are not compiled once more for each symmetry that may hold."""


def states(subject: Subject) -> Looked:
    """The first states one by one: their texts, moves, numbers, outcomes and canonical forms."""
    puzzle, goal = subject.puzzle, subject.puzzle.engine.goal
    for state in subject.walked:
        _check_state(puzzle, state)
    if goal is not None and (puzzle.read(goal) != goal or not puzzle.is_solved(goal)):
        fail(f"the goal {goal} is read back as {puzzle.read(goal)}; choose symbols that can be told apart")
    return Looked(len(subject.walked))


def _check_state(puzzle: Puzzle, state: str) -> None:
    board, colon, player = state.partition(":") if puzzle.engine.is_game else (state, "", "")
    single = all(len(symbol) == 1 for symbol in puzzle.engine.notation.symbols)
    spaced = f"{' '.join(board) if single else board}\n{colon} {player} "
    for text in (spaced, puzzle.engine.notation.board(state) + (f":{player}" if player else "")):
        if puzzle.read(text) != state:
            fail(f"the state {state} is read back as {puzzle.read(text)}; choose symbols that can be told apart")
    moves = puzzle.legal_moves(state)
    if len(set(moves)) != len(moves):
        fail(f"two moves of one name can be made in {state}; the moves are {', '.join(moves)}")
    number = puzzle.number(state)
    if number is not None and puzzle.numbered(number).state != state:
        fail(f"{state} has the number {number}, which numbered takes for {puzzle.numbered(number).state}; mend either")
    if (puzzle.outcome(state) is None) != bool(moves):
        fail(f"{state} has the outcome {puzzle.outcome(state)} and {len(moves)} moves; check the ends")
    canonical = puzzle.canonical(state)
    if puzzle.canonical(canonical) != canonical or puzzle.key(canonical) != puzzle.key(state):
        fail(f"the canonical form {canonical} of {state} has another canonical form; check the symmetries")
    children, _, _ = puzzle.expand(puzzle.encode([state]))
    if puzzle.decode(children) != [puzzle.apply(state, move) for move in moves]:
        fail(f"expand and apply disagree on {state}; please report this as a bug of puzzlekit")


def plain_search(subject: Subject) -> Looked:
    """The counts of the engine against those of a search that reads the rules in the plainest way."""
    puzzle = subject.puzzle
    plain = naive(puzzle.rules().to_data(), subject.states)
    report = puzzle.enumerate(max_depth=len(plain) - 1, symmetry=False, threads=1)
    counted = [(depth.states, depth.open, {name: n for name, n in depth.ended.items() if n}) for depth in report.depths]
    for depth, (found, expected) in enumerate(zip(counted, plain, strict=False)):
        if found != expected:
            fail(
                f"{puzzle} has {found} states, open states and outcomes at depth {depth}, and a plain search finds "
                f"{expected}; please report this as a bug of puzzlekit"
            )
    known, told = sum(number for number, _, _ in plain), puzzle.count_reachable()
    if subject.walked_all and told is not None and told != known:
        fail(f"count_reachable of {puzzle} says {told:,}, and play reaches {known:,} states; mend it")
    return Looked(known)


def stores(subject: Subject) -> Looked:
    """The counts with symmetries and without, for one thread and two, and in both stores."""
    puzzle, max_depth = subject.puzzle, 0
    while (
        report := puzzle.enumerate(max_depth=max_depth, threads=1)
    ).raw_states < subject.states and not report.complete:
        max_depth += 1
    two_threads = puzzle.enumerate(max_depth=max_depth, threads=2)
    if report.depths != two_threads.depths:
        fail(f"{puzzle} has other counts with two threads; please report this as a bug of puzzlekit")
    plain = puzzle.enumerate(max_depth=max_depth, symmetry=False)
    if [depth.raw_states for depth in report.depths] != [depth.states for depth in plain.depths]:
        fail(f"{puzzle} has other raw counts without symmetry; please report this as a bug of puzzlekit")
    for store in ("sparse", "dense"):
        try:
            kept = puzzle.enumerate(max_depth=max_depth, store=store)
        except (UsageError, LimitError):  # the rules have no perfect index, or too large a one
            continue
        if [depth.states for depth in kept.depths] != [depth.states for depth in report.depths]:
            fail(f"{puzzle} has other counts in the {store} store; please report this as a bug of puzzlekit")
    return Looked(len(report.depths))


def symmetries(subject: Subject) -> Looked:
    """Whether a symmetry of the board holds that the rules do not declare. The engine checks each."""
    rules = subject.puzzle.rules()
    order = subject.puzzle.engine.symmetry_order
    if len(subject.puzzle.engine.move_names) > MOST_MOVES:
        return Looked(order)
    missed, tried = [], 0
    for candidate in _candidates(rules):
        tried += 1
        try:
            found = Engine(dataclasses.replace(rules, symmetries=[*rules.symmetries, candidate]))
        except RulesError:
            continue
        if found.symmetry_order > order:
            missed.append(f'"{candidate.name}"')
    several = "symmetries hold and are" if len(missed) > 1 else "symmetry holds and is"
    note = (
        f"the {several} not declared: {', '.join(dict.fromkeys(missed))}; with symmetries=... of Rules, as Grid and "
        "Symmetry.fixing make them, fewer states would be kept"
    )
    return Looked(order + tried, (note,) if missed else ())


def _candidates(rules: Rules) -> Iterator[Symmetry]:
    """The symmetries that a board has by its shape, a grid or a ring; also with symbols renamed to fix the start."""
    cells = rules.cells
    if rules.board is not None:
        shapes: list[Symmetry] = getattr(rules.board, "symmetries", list)()
    elif rules.columns is not None and 1 < rules.columns < cells:
        grid = Grid(cells // rules.columns, rules.columns)
        shapes = [*grid.symmetries(), *grid.rotations()]
    else:
        shapes = [Symmetry((*range(1, cells), 0), name="turn"), Symmetry(tuple(range(cells))[::-1], name="reversal")]
    start = [str(symbol) for symbol in rules.start]
    for shape in shapes:
        yield shape
        try:
            renaming = shape.fixing(start)
        except RulesError:
            continue
        if any(old != new for old, new in renaming.symbols.items()):
            yield renaming
