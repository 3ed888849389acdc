"""What all states are worth, by a plain search without packing, symmetries or layers; and random rules to try it on.

Tests compare with it the values that the engine finds in memory (`compare`), in bits (`compare_bits`), and keeps in
jobs (`hold_against_naive`).
"""

from __future__ import annotations

import random
import shutil
from collections import Counter, defaultdict
from dataclasses import replace
from functools import lru_cache

from hypothesis import strategies as st

from puzzlekit import End, Rules, Score, jobs, over, symmetries
from puzzlekit.jobs.kept import KeptStates
from puzzlekit.run.engine import Engine
from puzzlekit.run.job_parts import DepthSpan, JobFolder
from tests.naive import Naive, plain_search
from tests.support import RunOptions, grain_of
from tests.test_jobs import files
from tests.test_oracle import drawn_rules, layered_rules, lively_rules, reversible_rules, symmetrised

UNDECIDED = ("draw", None)
TURNED = {"win": "loss", "draw": "draw", "loss": "win"}
NAMES = ("win", "draw", "loss")


def plain_scores(naive: Naive, states, endless: int) -> dict:
    """The value of each state of a game for points, for the player to move: a word, and the points.

    The first player can force some points if play comes to an end with as many, or goes on where endless play is worth
    as many.
    """
    after = {state: {follower for _, follower in naive.successors(state)} for state in states}
    over = {state: naive.points(state) for state in states if naive.outcome(state) is not None}
    worth = {}
    for level in sorted({*over.values(), endless}):
        can = {state for state in states if endless >= level}
        while True:
            forced = {
                state
                for state in states
                if (over[state] >= level if state in over else (any, all)[state[1]](one in can for one in after[state]))
            }
            if forced == can:
                break
            can = forced
        worth |= dict.fromkeys(can, level)
    of_mover = {state: points if state[1] == 0 else -points for state, points in worth.items()}
    return {
        state: ("draw" if points == 0 else "win" if points > 0 else "loss", points)
        for state, points in of_mover.items()
    }


def plain_values(naive: Naive, states) -> dict:
    """The value of each state for the player to move. States that are decided in one move come first, then in two.

    In a game for points, points stand in the place of moves.
    """
    if naive.data.get("score"):
        return plain_scores(naive, states, naive.data["score"].get("endless", 0))
    after = {state: {follower for _, follower in naive.successors(state)} for state in states}
    values = {}
    for state in states:
        outcome = naive.outcome(state)
        if not naive.players:
            if naive.solved(state[0]):
                values[state] = ("win", 0)
        elif outcome in naive.players:
            values[state] = ("win" if outcome == naive.players[state[1]] else "loss", 0)
    moves = 0
    while True:
        moves += 1
        found = {}
        for state in states:
            if state in values or not after[state]:
                continue
            # What each move is worth to the player who makes it, who may keep the turn.
            worth = [
                value if not naive.players or follower[1] == state[1] else TURNED[value]
                for follower in after[state]
                for value in [values.get(follower, UNDECIDED)[0]]
            ]
            if "win" in worth:
                found[state] = ("win", moves)
            elif naive.players and all(value == "loss" for value in worth):
                found[state] = ("loss", moves)
        if not found:
            return values
        values |= found


def all_states(naive: Naive) -> list:
    """The states that play reaches."""
    return [state for layer in naive.layers() for state in layer.raw]


@lru_cache(maxsize=2)
def values_of_all(naive: Naive) -> dict:
    """The value of each state that play reaches. Those of the last two games are kept."""
    return plain_values(naive, all_states(naive))


@lru_cache(maxsize=2)
def expected(naive: Naive, *, symmetry: bool = True, backward: bool = False):
    """The expected report: by depth, by distance, of the start, and the longest distance. The last two are kept.

    If the report is a count from the goal, depths are distances. In a game for points, these are the distances.
    """
    values = values_of_all(naive)
    depths, distances = defaultdict(lambda: (Counter(), Counter())), Counter()
    for at, layer in enumerate(naive.layers()):
        of_states = orbits_worth(naive, layer) if symmetry else [values.get(state, UNDECIDED) for state in layer.raw]
        distances.update(value for value in of_states if value != UNDECIDED)
        for kind, worths in enumerate((of_states, [values.get(state, UNDECIDED) for state in layer.raw])):
            for value, moves in worths:
                depths[moves if backward else at][kind][value] += 1
    longest = max((abs(moves) for _, moves in distances), default=None)
    return [depths[depth] for depth in sorted(depths)], distances, values.get(naive.start, UNDECIDED), longest


def orbits_worth(naive: Naive, layer) -> list:
    """The value of each orbit of a depth. If play does not reach its smallest state, it reaches an image of it."""
    values = values_of_all(naive)
    known = {naive.canonical(state, swaps=False): values.get(state, UNDECIDED) for state in layer.raw}
    return [known[state] for state in layer.states]


def told(report):
    """The parts of a report that `expected` returns."""
    names = {"solvable": "win", "unsolvable": "draw"}

    def named(counts):
        return Counter({names.get(name, name): count for name, count in counts.items() if count})

    distances = Counter(
        {
            (name, distance.moves): count
            for distance in report.distances
            for name, count in named(distance.states).items()
        }
    )
    start = names.get(report.start.value, report.start.value), report.start.moves
    longest = report.longest.value.moves if report.longest else None
    if report.scores:
        words = ("draw", "win", "loss")
        distances.update(
            {(words[(each.score > 0) - (each.score < 0)], each.score): each.states for each in report.scores}
        )
        start, longest = (report.start.value, report.start.score), max(abs(each.score) for each in report.scores)
        assert longest == (abs(report.longest.value.score) if report.longest else 0)
    return [(named(depth.states), named(depth.raw_states)) for depth in report.depths], distances, start, longest


def same(report):
    """A report without the parts that differ from run to run."""
    return replace(report, seconds=0.0, peak_memory_bytes=0)


def hold_report(report, naive: Naive, *, symmetry: bool = True) -> None:
    """Compares a report with a plain search. Bits tell no moves to the end, unless they are a count from the goal."""
    assert report.complete
    found, wanted = told(report), expected(naive, symmetry=symmetry, backward=report.backward)
    if report.store == "dense" and not report.backward:
        assert (report.start.moves, report.distances, report.longest) == (None, (), None)
        found, wanted = ((depths, start[0]) for depths, _, start, _ in (found, wanted))
    assert found == wanted


def declared(rules: Rules) -> Rules:
    """The rules, with the symmetries that the engine finds written out, so that a plain search reads them."""
    return replace(rules, symmetries=symmetries(rules).generators) if rules.symmetries == "auto" else rules


def compare(rules: Rules, naive: Naive | None = None) -> Naive:
    """Compares the values of all states with a plain search, with one thread and two, and without symmetry."""
    naive, engine = naive or plain_search(rules), Engine(rules)
    for symmetry, threads in ((True, 1), (True, 2), (False, 2)):
        hold_report(engine.values("rules", RunOptions(symmetry=symmetry, threads=threads)), naive, symmetry=symmetry)
    return naive


def compare_bits(rules: Rules, *, naive: bool = True, ways=(True, False)) -> None:
    """Compares values found in bits with those found state by state, and with the plain search, if `naive` is true."""
    engine = Engine(rules)
    for symmetry in ways:
        known = engine.values("rules", RunOptions(symmetry=symmetry, store="sparse"))
        for threads in (1, 2):
            report = engine.values("rules", RunOptions(symmetry=symmetry, store="dense", threads=threads))
            assert (report.complete, report.store, known.store) == (True, "dense", "sparse")
            assert (report.depths, report.start.value) == (known.depths, known.start.value)
            assert report.generated == known.generated
            if naive:
                hold_report(report, plain_search(rules), symmetry=symmetry)


def kept_states(engine: Engine, place: JobFolder) -> KeptStates:
    """An object that reads the states of a job. The job may count from the goal."""
    return KeptStates(engine.backward if jobs.status(place.folder)["subject"]["backward"] else engine, place)


def states_hold(rules: Rules, kept: KeptStates, *, symmetry: bool) -> None:
    """Looks up each state that play reaches, reads all that the job has, and compares both with a plain search.

    In a game for points, the points by which a player is ahead stand in the place of moves. A job has no other open
    states, unless it counts from the goal.
    """
    naive = plain_search(rules)

    def row_of(state):
        return bytes([*map(naive.symbols.index, state[0]), *([state[1]] if naive.players else [])])

    depth_of = {state: depth for depth, layer in enumerate(naive.layers()) for state in layer.raw}
    worth, states = values_of_all(naive), list(depth_of)
    looked, distances = kept.look_up(), kept.verify(None, None)["values"]["distances"]
    values, moves, depths = looked.look_up(b"".join(map(row_of, states)))
    for state, value, distance, depth in zip(states, values, moves, depths, strict=True):
        name, expected_moves = worth.get(state, ("none", None) if looked.backward else UNDECIDED)
        assert ("none", *NAMES)[value] == name, state
        assert distance in ({-1 if expected_moves is None else abs(expected_moves)} if distances else {-1, 0}), state
        if looked.backward:
            assert depth == distance, state
        else:
            assert depth == (depth_of[state] if naive.outcome(state) is None else -1), state
    known, rng = {naive.canonical(state, swaps=False) for state in states}, random.Random(len(states))
    others = [(tuple(rng.sample(cells, len(cells))), player) for cells, player in states[:50]]
    others = [
        other for other in others if naive.canonical(other, swaps=False) not in known and not naive.outcome(other)
    ]
    if others and not looked.backward:
        assert set(zip(*looked.look_up(b"".join(map(row_of, others))), strict=True)) == {(0, -1, -1)}
    read, counted, counted_raw = set(), Counter(), Counter()
    for batch in kept.table(DepthSpan(), 2**16, text=False):
        for at, (depth, value, orbit) in enumerate(
            zip(batch["depth"], batch["value"], batch["orbit_size"], strict=True)
        ):
            state = batch["state"][at] if batch["state"].ndim == 1 else bytes(batch["state"][at : at + 1])
            assert (depth, state) not in read
            read.add((depth, state))
            found = depth, value, batch["score" if rules.score else "distance"][at] if distances else None
            counted[found] += 1
            counted_raw[found] += orbit
    if looked.backward and naive.start not in worth:
        # The job has the states that can be solved, and play from the start reaches none of them.
        assert all(value == 0 and distance == depth for depth, value, distance in counted)
        return
    wanted, wanted_raw = Counter(), Counter()
    for depth, layer in enumerate(naive.layers()):
        of_raw = [worth.get(state, UNDECIDED) for state in layer.raw]
        for counts, worths in ((wanted, orbits_worth(naive, layer) if symmetry else of_raw), (wanted_raw, of_raw)):
            for name, moves in worths:
                told_moves = (-1 if moves is None else moves) if distances else None
                counts[moves if looked.backward else depth, NAMES.index(name), told_moves] += 1
    assert (counted, counted_raw) == (wanted, wanted_raw)


GRAINS = [None, (1, 30, 2, 20), (0, 1, 1, 0)]
"""Sizes of parts of the work: the usual ones; portions of a few successors; and each tier in a file of its own."""


def hold_against_naive(rules: Rules, folder, *, store: str = "sparse") -> None:
    """Compares the values that jobs keep, and those in memory, with a plain search. All files are the same."""
    shutil.rmtree(folder, ignore_errors=True)
    engine = Engine(rules)
    for symmetry in (True, False):
        options = RunOptions(symmetry=symmetry, threads=2, store=store)
        report = engine.values("rules", options)
        hold_report(report, plain_search(rules), symmetry=symmetry)
        place = JobFolder(str(folder / str(symmetry)), "rules")
        assert same(engine.values("rules", options, None, place)) == same(report)
        states_hold(rules, kept_states(engine, place), symmetry=symmetry)
        written = files(folder / str(symmetry))
        # The first run finds that all is done. The others begin anew. Bits have no portions, and few rules have tiers.
        most = 1 if report.store == "dense" else 3 if engine.tiers > 1 and engine.window != "layered" else 2
        for threads, grain in enumerate(GRAINS[:most], 1):
            other = folder / (f"{symmetry}-{threads}" if grain else str(symmetry))
            cut = replace(options, threads=min(threads, 2), grain=grain_of(grain))
            assert same(engine.values("rules", cut, None, JobFolder(str(other), "rules"))) == same(report)
            assert files(other) == written


def goes_round(rules: Rules) -> bool:
    """Returns `True` if play may come back to a state: states are left after removing those without a successor."""
    naive = Naive(rules.to_data())
    after = {state: {follower for _, follower in naive.successors(state)} for state in all_states(naive)}
    before = {state: [] for state in after}
    for state, followers in after.items():
        for follower in followers:
            before[follower].append(state)
    ends = [state for state, followers in after.items() if not followers]
    taken = 0
    while ends:
        taken += 1
        last = ends.pop()
        for state in before[last]:
            after[state].discard(last)
            if not after[state]:
                ends.append(state)
    return taken < len(after)


def with_goal(rules: Rules, rng: random.Random) -> Rules:
    """The rules with a goal or with ends that are won. These are often far from the start."""
    data = rules.to_data()
    if rng.random() < 0.3 and (rules.ends if rules.players else data["goal"]):
        return rules
    plain = replace(rules, ends=(), goal=[], symmetries=())
    last = Naive(plain.to_data()).layers()[-1].raw
    far = rng.choice(sorted(last))[0]
    cells = rng.sample(range(len(far)), rng.randint(1, len(far)))
    if not rules.players:
        return replace(plain, goal=[{cell: far[cell] for cell in cells}])
    ends = [End(rng.choice([*rules.players, *rules.players, "draw"]), {cell: far[cell] for cell in cells})]
    return replace(plain, ends=ends, stuck=data["stuck"])


def for_points(rules: Rules, rng: random.Random) -> Rules:
    """The game, played for points, maybe with a pass for whoever has no move. Its symmetries stay true."""
    data = rules.to_data()
    group = Naive(data).group
    swaps = any(element["swap_players"] for element in group)
    counted = rng.choice(data["symbols"]) if rng.random() < 0.25 else None
    alone = {symbol: int(symbol == counted) if counted else rng.randint(-2, 3) for symbol in data["symbols"]}
    # The sum over all images is worth the same for each of them, and the opposite where the players change places.
    worth = {
        symbol: sum(alone[of["symbols"][symbol]] * (-1 if of["swap_players"] else 1) for of in group)
        for symbol in alone
    }
    score = Score("P", worth)
    if len(group) == 1 and rng.random() < 0.5:
        of = rng.sample(range(len(data["start"])), rng.randint(1, len(data["start"])))
        other = rng.choice(data["symbols"])
        against = {other: 1} if counted else {symbol: rng.randint(-2, 2) for symbol in data["symbols"]}
        score += Score("Q", against, of)
    # An end of P is carried onto one of Q where the players change places, and onto one of P elsewhere.
    points = rng.choice([None, rng.randint(-4, 4)])
    said = {"P": points, "Q": None if points is None else -points if swaps else rng.randint(-4, 4)}
    of_ends = [said.get(end.outcome) for end in rules.ends]
    if len(group) == 1 and rng.random() < 0.5:
        of_ends = [rng.choice([None, -2, -1, 1, 2]) for _ in rules.ends]
    return replace(
        rules,
        ends=[over(end.when, score=points) for end, points in zip(rules.ends, of_ends, strict=True)],
        stuck="pass" if rng.random() < 0.5 else None,
        score=score,
        endless=0 if swaps else rng.randint(-3, 3),
    )


def rules_with_a_goal(kind):
    """Makes random rules of a kind with a goal or ends, some of them with symmetries."""

    def made(rng: random.Random) -> Rules:
        rules = kind(rng)
        return with_goal(symmetrised(rules, rng, keep_symbols=True) if rng.random() < 0.3 else rules, rng)

    return made


def drawn_until(made, fits, rng: random.Random) -> Rules:
    """Makes rules until some fit."""
    while not fits(rules := made(rng)):
        pass
    return rules


def any_kind(rng: random.Random) -> Rules:
    return rng.choice([lively_rules, layered_rules, reversible_rules])(rng)


def games_for_points(rng: random.Random) -> Rules:
    """Games with a score: some with symmetries that swap the players, passes, or moves that keep the turn."""
    rules = drawn_until(any_kind, lambda rules: rules.players, rng)
    rules = symmetrised(rules, rng) if rng.random() < 0.3 else rules
    return for_points(with_goal(rules, rng) if rng.random() < 0.5 else rules, rng)


def games_with_cycles(rng: random.Random) -> Rules:
    """Games in which play may go round in circles."""
    made = rules_with_a_goal(lambda rng: rng.choice([lively_rules, reversible_rules])(rng))
    return drawn_until(made, lambda rules: rules.players and goes_round(rules), rng)


def puzzles_with_one_goal(rng: random.Random) -> Rules:
    """Puzzles whose moves can all be undone. The goal is the start, or another state that play may reach."""
    rules = drawn_until(reversible_rules, lambda rules: not rules.players, rng)
    if rng.random() < 0.5:
        rules = symmetrised(rules, rng, keep_symbols=True)
    plain = replace(rules, goal=[])
    naive = Naive(plain.to_data())
    if rng.random() < 0.3:
        return replace(plain, goal=[dict(enumerate(naive.start[0]))])
    goal = rng.choice(sorted(rng.choice(naive.layers()).raw))[0]
    if rng.random() < 0.15:
        goal = tuple(rng.sample(goal, len(goal)))
    return replace(plain, goal=[dict(enumerate(goal))], symmetries=())


KINDS = {
    "lively": rules_with_a_goal(lively_rules),
    "layered": rules_with_a_goal(layered_rules),
    "reversible": rules_with_a_goal(reversible_rules),
    "points": games_for_points,
    "cycles": games_with_cycles,
    "one goal": puzzles_with_one_goal,
}
"""How random rules are made, each kind of which the engine treats in a way of its own."""


def random_kind(kind: str) -> st.SearchStrategy[Rules]:
    """Random rules of a kind. Those that are `drawn` are drawn value by value, so that Hypothesis can shrink them."""
    if kind == "drawn":
        return st.builds(with_goal, drawn_rules(), st.randoms(use_true_random=False))
    return st.integers(0, 2**32).map(lambda seed: KINDS[kind](random.Random(seed)))
