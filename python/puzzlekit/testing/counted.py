"""Parts of the suite about states: the first ones in detail, symmetries, and counts, which are made in several ways."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from puzzlekit.errors import LimitError, UsageError
from puzzlekit.run.engine import Engine
from puzzlekit.run.options import RunOptions
from puzzlekit.run.symmetries import declared_order, found_symmetries
from puzzlekit.testing.plain import naive
from puzzlekit.testing.subject import Looked, Subject, fail

if TYPE_CHECKING:
    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.report import Report

FEW_STATES = 10
"""A puzzle with fewer states gets a note, since its moves are probably not what the author meant."""

MOST_PLAYED = 100
"""About the most moves that are made one by one in a state. If a state has more, some of them are chosen evenly."""


def states(subject: Subject) -> Looked:
    """Checks the first states one by one: their texts, moves, numbers, outcomes and canonical forms."""
    puzzle, goal = subject.puzzle, subject.puzzle.engine.goal
    for state in subject.walked:
        _check_state(puzzle, state)
    if goal is not None and (puzzle.read(goal) != goal or not puzzle.is_solved(goal)):
        fail(f"the goal {goal} is read back as {puzzle.read(goal)}; choose symbols that can be told apart")
    few = subject.walked_all and len(subject.walked) < FEW_STATES
    note = (
        f"play reaches {len(subject.walked)} state{'s' * (len(subject.walked) > 1)} in all; if there should be more, "
        "look at the guards of the moves, or give larger parameters"
    )
    return Looked(len(subject.walked), (note,) * few)


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
    children, _, _ = puzzle.arrays.expand(puzzle.arrays.encode([state]))
    successors, every = puzzle.arrays.decode(children), max(1, len(moves) // MOST_PLAYED)
    played = [puzzle.apply(state, move) for move in moves[::every]]
    if len(successors) != len(moves) or successors[::every] != played:
        fail(f"expand and apply disagree on {state}; please report this as a bug of puzzlekit")


def plain_search(subject: Subject) -> Looked:
    """Compares the engine's counts with those of a search that reads the rules in the simplest way."""
    puzzle = subject.puzzle
    plain = naive(puzzle.rules().to_data(), subject.states)
    report = subject.count(max_depth=len(plain) - 1, symmetry=False, threads=1)
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
    """Compares the counts with symmetries and without them, on one thread and on two, and in both stores."""
    puzzle, report = subject.puzzle, _first_depths(subject)
    max_depth = report.max_depth
    two_threads = subject.count(max_depth=max_depth, threads=2)
    if report.depths != two_threads.depths:
        fail(f"{puzzle} has other counts with two threads; please report this as a bug of puzzlekit")
    plain = subject.count(max_depth=max_depth, symmetry=False)
    if [depth.raw_states for depth in report.depths] != [depth.states for depth in plain.depths]:
        fail(f"{puzzle} has other raw counts without symmetry; please report this as a bug of puzzlekit")
    for store in ("sparse", "dense"):
        try:
            kept = subject.count(max_depth=max_depth, store=store)
        except (UsageError, LimitError):  # the rules have no perfect index, or too large a one
            continue
        if [depth.states for depth in kept.depths] != [depth.states for depth in report.depths]:
            fail(f"{puzzle} has other counts in the {store} store; please report this as a bug of puzzlekit")
    return Looked(len(report.depths))


def symmetries(subject: Subject) -> Looked:
    """Looks for symmetries that the rules do not declare, and that would leave fewer states to count."""
    puzzle = subject.puzzle
    found, declared = found_symmetries(puzzle.engine), declared_order(puzzle.engine)
    if declared is None or declared >= found.order:
        return Looked(found.elements)
    # A larger group of symmetries need not leave fewer states: its additional symmetries may change no state.
    report = _first_depths(subject)
    auto = Engine(dataclasses.replace(puzzle.rules(), symmetries="auto"))
    fewer = auto.enumerate(str(puzzle), RunOptions(max_depth=report.max_depth, threads=1, memory=subject.memory))
    if fewer.states >= report.states:
        return Looked(found.elements)
    turn = " that keep whose turn it is" if puzzle.engine.is_game else ""
    reach = "" if report.complete else f" to depth {report.max_depth}"
    note = (
        f"{found.order:,} symmetries{turn} were found, and {declared:,} {'is' if declared == 1 else 'are'} declared; "
        'with symmetries="auto" in the rules, or the generators that puzzlekit.symmetries(rules) gives, '
        f"{fewer.states:,} states would be kept instead of {report.states:,}{reach}"
    )
    return Looked(found.elements, (note,))


def _first_depths(subject: Subject) -> Report:
    """The counts of the first depths: as many depths as are needed for about `subject.states` states."""
    max_depth = 0
    while (report := subject.count(max_depth=max_depth, threads=1)).raw_states < subject.states and not report.complete:
        max_depth += 1
    return report
