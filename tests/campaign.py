"""Random rules, one number after another, each held against the obvious search in every way there is.

    python -m tests.campaign --rules 1000 --kept 50 --shards 50 --kills 20

A set of rules is made from its number alone: lively rules, layered and reversible ones, each also with symmetries; with
cells that never change; with passes at will, or for want of a move; games for points, and games in which a move may
keep the turn; stones that are counted or join two sides; tiers in which play goes round in circles; two passes in a
row that end play; pieces of several kinds, which twist in their own ways; and moves that lose what they overwrite.

In memory, counts in every store, symmetries that are found, values, solutions and best moves are compared. Kept in a
folder, values are looked up, verified and resumed. In shards, counts are those of the obvious search. Jobs are killed
at random moments and resumed, and end with the files of a run that nobody disturbed.

With `--games`, all rules are games, and few have less than 8 states. `--drawn 500` prints what the games have.
"""

from __future__ import annotations

import argparse
import math
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from puzzlekit import Copy, Move, Puzzle, Rules, RulesError, UsageError, cycle
from puzzlekit.run.engine import Engine
from tests import test_jobs, test_shards, test_solve, worth
from tests.drawn_games import (
    discs_rules,
    march_rules,
    marks_rules,
    on_other_cells,
    rings_rules,
    sowing_rules,
    stones_rules,
    with_conditions,
    with_two_passes,
)
from tests.naive import Naive
from tests.support import RunOptions, grain_of
from tests.test_oracle import WIDTHS, depths, expected, layered_rules, lively_rules, reversible_rules, symmetrised

KILLS_OF_ONE = 10
"""How often one job is killed before its files are held against those of an undisturbed run."""

MOST_STATES = 700
"""Rules that reach more raw states than this are made anew: the obvious search would take seconds."""

MOST_MOVES = 24
"""Rules with more moves are not made symmetric: there is an image of each move under each of up to 48 symmetries."""

FEW_STATES = 8
"""Most games that reach fewer raw states than this are made anew, because little can go wrong with them."""


def pieces_of_kinds(rng: random.Random) -> Rules:
    """Pieces of two or three kinds, each with its own number of twists; moves turn some of each kind around."""
    kinds = [(rng.randint(2, 3), rng.randint(1, 3)) for _ in range(rng.randint(2, 3))]
    while math.prod(math.factorial(count) * twists**count for count, twists in kinds) > MOST_STATES:
        kinds = [(rng.randint(2, 3), rng.randint(1, 3)) for _ in range(rng.randint(2, 3))]
    symbols: list[str] = []
    start: list[str] = []
    twist: dict[str, str] = {}
    cells: list[list[int]] = []
    for kind, (count, twists) in enumerate(kinds):
        names = [[f"{'abc'[kind]}{piece}{turn}" for turn in range(twists)] for piece in range(count)]
        cells.append(list(range(len(start), len(start) + count)))
        start += [name[0] for name in names]
        for name in names:
            symbols += name
            twist |= dict(zip(name, name[1:] + name[:1], strict=True))
    moves = []
    for _ in range(rng.randint(1, 3)):
        move = Move({})
        for some in rng.sample(cells, rng.randint(1, len(cells))):
            around = rng.sample(some, rng.randint(2, len(some)))
            move = move * cycle(*around)
            if rng.random() < 0.7:
                move = move * Move({cell: Copy(cell, twist) for cell in rng.sample(some, rng.randint(1, len(some)))})
        moves += [move] if rng.random() < 0.4 else [move, ~move]
    named = [move.named(f"m{place}") for place, move in enumerate(moves)]
    return Rules(symbols, start, named, goal=[start])


def with_constant_cells(rules: Rules, rng: random.Random) -> Rules:
    """The rules with cells between theirs that no move writes."""
    data = rules.to_data()
    cells, more = len(data["start"]), rng.randint(1, 2)
    places = sorted(rng.sample(range(cells + more), cells))
    start = [rng.choice(data["symbols"]) for _ in range(cells + more)]
    for cell, symbol in enumerate(data["start"]):
        start[places[cell]] = symbol
    return replace(on_other_cells(rules, places), start=start)


def with_passes(rules: Rules, rng: random.Random) -> Rules:
    """A game in which one may pass at will."""
    if not rules.players:
        return rules
    if rng.random() < 0.5:
        return with_two_passes(rules, rng)
    owner = rng.choice([None, *rules.players])
    kept = () if owner else rules.symmetries
    stay = Move({}, player=owner).named("stay")  # a pass for want of a move has the name "pass"
    return replace(rules, moves=[*rules.moves, stay], symmetries=kept)


def with_points(rules: Rules, rng: random.Random) -> tuple[Rules, str]:
    """The rules and their features: some games gain points, and a pass for whoever has no move."""
    if not rules.players:
        return rules, ""
    told = ", again" * any(move.keeps_turn for move in rules.moves)
    if rng.random() < 0.5:
        rules, told = worth.for_points(rules, rng), told + ", points"
    elif rng.random() < 0.3:
        rules = replace(rules, stuck="pass")
    return rules, told + ", pass" * (rules.stuck == "pass")


GAMES = [stones_rules, rings_rules, marks_rules, march_rules, sowing_rules, discs_rules, discs_rules]
KINDS = [lively_rules, lively_rules, layered_rules, reversible_rules, *GAMES, pieces_of_kinds]


def rules_of(seed: int, *, games: bool = False) -> tuple[Rules, str]:
    """The rules of a number, and the name of their kind. They are games for points and the like if these are wanted."""
    rng = random.Random(f"campaign {seed}")
    while True:
        kind = rng.choice([*KINDS[:4], *GAMES] if games else KINDS)
        rules, name = kind(rng), kind.__name__
        if games and not rules.players:
            continue
        plain = kind is marks_rules and rng.random() < 0.6  # with more than marks and lines, no store has bits for them
        if rules.players and not plain and rng.random() < 0.3:
            rules, name = with_conditions(rules, rng), name + ", conditions"
        if not plain and rng.random() < 0.25:
            rules, name = with_passes(rules, rng), name + ", passes" * bool(rules.players)
        if not plain and rng.random() < 0.2:
            rules, name = with_constant_cells(rules, rng), name + ", constant cells"
        if _states(replace(rules, goal=(), ends=(), symmetries=())) is None:  # an end or a goal only takes states away
            continue
        if rng.random() < (0.25 if kind in GAMES else 0.7) or not (rules.players or rules.to_data()["goal"]):
            rules = worth.with_goal(rules, rng)
        if kind is not pieces_of_kinds and len(rules.moves) <= MOST_MOVES and rng.random() < (0.4 if games else 0.3):
            rules, name = symmetrised(rules, rng, keep_symbols=rng.random() < 0.5), name + ", symmetric"
        rules, gained = (rules, "") if plain else with_points(rules, rng)
        found = _states(rules)
        if found is not None and not (games and found < FEW_STATES and rng.random() < 0.9):
            return rules, name + gained


def features(rules: Rules) -> set[str]:
    """What rules of a game have, in words: what is written in them, what play does, and what the engine sees."""
    data, engine = rules.to_data(), Engine(rules)
    naive, symbols, moves, ends = Naive(data), data["symbols"], data["moves"], data["ends"]
    found = {engine.window, *(["several tiers"] if engine.tiers > 1 else [])}
    if data.get("score"):
        worths = [{each for each in part["worth"].values() if each} for part in data["score"]["sums"]]
        found |= {
            "a score",
            "a score that counts symbols" if all(len(each) < 2 for each in worths) else "a weighed sum",
        }
        found |= {"a constant score of an end" for end in ends if end.get("score") is not None}
        found |= {"points for endless play"} if data["score"].get("endless") else set()
    for place, given in (("moves", moves), ("ends", ends)):
        for name, words in (("counts", "a count"), ("unless", "what must not hold"), ("connected", "a path")):
            found |= {f"{words} in {place}" for each in given if each.get(name)}
        sets = [allowed for each in given for _, allowed in each.get("when", ()) if len(allowed) > 1]
        found |= {f"a set in {place}" for allowed in sets}
        found |= {f"anything but a symbol in {place}" for allowed in sets if len(allowed) == len(symbols) - 1}
    found |= {"two passes end play" for move in moves if move["name"] == "stay"}
    found |= {"a pass at will" for move in moves if not (move["then"] or move.get("forced"))}
    found |= {"symmetries"} if len(naive.group) > 1 else set()
    found |= {"players who change places" for element in naive.group if element["swap_players"]}
    states = [state for layer in naive.layers() for state in layer.raw]
    made = {place for state in states for place, _ in naive.successors(state)}
    found |= {"a forced pass is made" for place in made if moves[place].get("forced")}
    found |= {"a move keeps the turn" for place in made if moves[place].get("again")}
    round_again = worth.goes_round(rules)
    found |= {"play goes round"} if round_again else set()
    found |= {"play goes round in tiers"} if round_again and engine.tiers > 1 else set()
    found |= {"a potential"} if engine.never_repeats and engine.window != "layered" else set()
    values = worth.values_of_all(naive)
    if data.get("score"):
        scores = {points if state[1] == 0 else -points for state, (_, points) in values.items()}
        found |= {"three scores or more"} if len(scores) > 2 else set()
    else:
        found |= {"a win in 3 moves or more" for _, length in values.values() if (length or 0) > 2}
    found |= {"over 50 states"} if len(states) > 50 else set()
    try:
        engine.values("rules", RunOptions(store="dense", threads=1))
    except UsageError:
        pass
    else:
        found.add("values in bits")
    return found


def drawn(sets: int, first: int) -> None:
    """Prints how many of some games have each feature."""
    found: Counter[str] = Counter()
    for seed in range(first, first + sets):
        found.update(features(rules_of(seed, games=True)[0]))
    for feature, number in found.most_common():
        print(f"{number / sets:7.1%}  {feature}")


def _states(rules: Rules) -> int | None:
    """How many raw states rules reach. `None` if they are wrong, or if these are too many for the obvious search."""
    try:
        options = RunOptions(symmetry=False, threads=1)
        report = Engine(rules).enumerate("rules", options, lambda progress: progress.states > MOST_STATES)
    except RulesError:
        return None
    return report.raw_states if report.complete and report.raw_states <= MOST_STATES else None


def in_memory(rules: Rules, seed: int) -> None:
    """Every way to count, with the symmetries that are declared and those that are found; values; and answers."""
    rng = random.Random(seed)
    naive = Naive(rules.to_data())
    layers = naive.layers()
    engine = Engine(rules, rng.choice(WIDTHS))
    for options in (
        {"threads": 1},
        {"threads": 2, "grain": grain_of((5, 1, 7, 0))},
        {"store": "sparse", "grain": grain_of((2, 3, 2, 0))},
    ):
        assert depths(engine.enumerate("rules", RunOptions(**options))) == expected(layers)
        plain = engine.enumerate("rules", RunOptions(symmetry=False, **options))
        assert depths(plain) == expected(layers, symmetry=False)
    try:
        dense = engine.enumerate("rules", RunOptions(store="dense", threads=rng.choice([1, 2])))
    except UsageError:  # the rules have no perfect index
        pass
    else:
        assert depths(dense) == expected(layers)
    found = Engine(replace(rules, symmetries="auto")).enumerate("rules", RunOptions(threads=1))
    assert [depth.raw_states for depth in found.depths] == [len(layer.raw) for layer in layers]
    worth.compare(rules, naive)
    try:
        in_dense = engine.values("rules", RunOptions(store="dense", threads=1))
    except UsageError:  # the rules have more than marks and lines, or no perfect index
        pass
    else:
        if rules.players:
            worth.compare_bits(rules)
        else:
            assert worth.told(in_dense) == worth.expected(naive, backward=in_dense.backward)
    asked = replace(rules, symmetries=()) if rng.random() < 0.5 else rules
    if rules.score:
        states = [state for layer in layers for state in layer.raw]
        test_solve.check_scores(asked, 4, worth.plain_values(naive, states))
    else:
        (test_solve.check_values if rules.players else test_solve.check_solutions)(asked, 4)


@dataclass(frozen=True)
class Numbered(Puzzle):
    """The rules of a number."""

    id = "numbered"
    seed: int = 0
    games: bool = False

    def rules(self) -> Rules:
        return rules_of(self.seed, games=self.games)[0]


def in_shards(puzzle: Numbered, folder: Path) -> None:
    """Counts of several shards in their folders are those of one process."""
    rng = random.Random(puzzle.seed)
    wanted = expected(Naive(puzzle.rules().to_data()).layers())
    shards, grain = rng.randint(2, 4), rng.choice([None, grain_of((0, 3, 2, 7))])
    found = test_shards.run(puzzle, folder, test_shards.Inside(shards), grain=grain)
    assert (found.complete, depths(found)) == (True, wanted)


KILLED = [
    ("enumerate", ["slider", "--store", "sparse"], ()),
    (
        "enumerate",
        ["slider:3,4", "--store", "sparse", "--max-depth", "20"],
        ("--memory", "60MiB", "--checkpoint", "0.05"),
    ),
    ("enumerate", ["tictactoe:4,4,4", "--store", "dense"], ()),
    ("enumerate", ["slider:3,3", "--backward"], ()),
    ("values", ["tictactoe:4,3,3"], ()),
    ("values", ["slider:3,3"], ()),
]
"""Jobs that are killed: the verb, its words, and the limits of each run."""


def killed(number: int, folder: Path) -> int:
    """Kills one of the jobs at random moments, resumes it each time, and holds its files against an undisturbed run."""
    verb, words, limits = KILLED[number % len(KILLED)]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return test_jobs.kill_and_resume(words, KILLS_OF_ONE, folder, number, limits, verb=verb)


def main() -> int:
    """Runs the campaign, and says how many of each kind there were."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for name, number in (("rules", 1000), ("kept", 50), ("shards", 50), ("kills", 0), ("first", 0), ("seconds", 10**9)):
        parser.add_argument(f"--{name}", type=int, default=number)
    parser.add_argument("--games", action="store_true")
    parser.add_argument("--drawn", type=int, metavar="N", help="only print how many of N games have each feature")
    given = parser.parse_args()
    if given.drawn:
        drawn(given.drawn, given.first)
        return 0
    began, kinds, faults, done = time.monotonic(), Counter[str](), 0, Counter[str]()
    place = Path(tempfile.mkdtemp(prefix="campaign"))

    def memory(seed: int) -> None:
        rules, kind = rules_of(seed, games=given.games)
        kinds[kind] += 1
        in_memory(rules, seed)

    def kept(seed: int) -> None:
        worth.hold_against_naive(rules_of(seed, games=given.games)[0], place / "kept")

    def shards(seed: int) -> None:
        shutil.rmtree(place / "shards", ignore_errors=True)
        in_shards(Numbered(seed, given.games), place / "shards")

    def kills(number: int) -> None:
        done["kills that left a job unfinished"] += killed(number, place / "kills")

    parts = [
        (memory, given.rules),
        (kept, given.kept),
        (shards, given.shards),
        (kills, -(-given.kills // KILLS_OF_ONE)),
    ]
    for part, number in parts:
        name = part.__name__
        for seed in range(given.first, given.first + number):
            if time.monotonic() - began > given.seconds:
                break
            try:
                part(seed)
            except Exception as error:  # every seed is told, and the others are still tried
                faults += 1
                print(f"{name} {seed}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
            done[name] += KILLS_OF_ONE if part is kills else 1
            if done[name] % 1000 == 0 or part is kills:
                print(f"{name}: {done[name]:,} in {time.monotonic() - began:.0f} s", flush=True)
    shutil.rmtree(place, ignore_errors=True)
    for kind, count in kinds.most_common():
        print(f"{count:8,}  {kind}")
    print(f"{dict(done)}; {faults} faults; {time.monotonic() - began:.0f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
