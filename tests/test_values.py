"""The values of all states: compared with a plain search that has no packing, symmetries or layers."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import puzzlekit
from puzzlekit import End, LimitError, Move, Puzzle, Rules, Score, Symmetry, UsageError, over, put
from puzzlekit.run.engine import Engine
from puzzlekit.run.memory import held_bytes
from tests import boards, gallery
from tests.naive import Naive
from tests.profiles import cases, seeds
from tests.support import RunOptions
from tests.test_dense import placements
from tests.test_oracle import layered_rules, lively_rules, random_rules, reversible_rules, symmetrised

UNDECIDED = ("draw", None)
TURNED = {"win": "loss", "draw": "draw", "loss": "win"}


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


@lru_cache(maxsize=2)
def values_of_all(naive: Naive) -> dict:
    """The value of each state that play reaches. Those of the last two games are kept."""
    return plain_values(naive, [state for layer in naive.layers() for state in layer.raw])


@lru_cache(maxsize=2)
def expected(naive: Naive, *, symmetry: bool = True, backward: bool = False):
    """The expected report: by depth, by distance, of the start, and the longest distance. The last two are kept.

    If the report is a count from the goal, depths are distances. In a game for points, these are the distances.
    """
    layers = naive.layers()
    values = values_of_all(naive)
    depths, distances = defaultdict(lambda: (Counter(), Counter())), Counter()
    for at, layer in enumerate(layers):
        counted = layer.states if symmetry else layer.raw
        # All states of an orbit have one value. If play does not reach the smallest one, it reaches an image of it.
        known = values
        if symmetry:
            known = {naive.canonical(state, swaps=False): values.get(state, UNDECIDED) for state in layer.raw}
        of_states = [known.get(state, UNDECIDED) for state in counted]
        distances.update(value for value in of_states if value != UNDECIDED)
        for kind, worths in enumerate((of_states, [values.get(state, UNDECIDED) for state in layer.raw])):
            for value, moves in worths:
                depths[moves if backward else at][kind][value] += 1
    longest = max((abs(moves) for _, moves in distances), default=None)
    return [depths[depth] for depth in sorted(depths)], distances, values.get(naive.start, UNDECIDED), longest


def told(report):
    """The parts of a report that `expected` returns."""
    names = {"solvable": "win", "unsolvable": "draw"}

    def named(counts):
        return Counter({names.get(name, name): count for name, count in counts.items() if count})

    distances = Counter(
        {
            (names.get(name, name), distance.moves): count
            for distance in report.distances
            for name, count in distance.states.items()
            if count
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


def compare(rules: Rules, naive: Naive | None = None) -> Naive:
    """Compares the values of all states with a plain search, with one thread and two, and without symmetry."""
    naive, engine = naive or Naive(rules.to_data()), Engine(rules)
    for threads in (1, 2):
        report = engine.values("rules", RunOptions(threads=threads))
        assert report.complete
        assert told(report) == expected(naive, backward=report.backward)
    plain = engine.values("rules", RunOptions(symmetry=False))
    assert told(plain) == expected(naive, symmetry=False, backward=plain.backward)
    return naive


def compare_bits(rules: Rules, *, naive: bool = True) -> str:
    """Compares values found in bits with those found state by state, and with the plain search."""
    engine, plain = Engine(rules), Naive(rules.to_data())
    for symmetry in (True, False):
        known = engine.values("rules", RunOptions(symmetry=symmetry, store="sparse"))
        wanted = [(depth.states, depth.raw_states) for depth in known.depths]
        if naive:
            depths, _, start, _ = expected(plain, symmetry=symmetry)
            assert (start[0], depths) == (told(known)[2][0], told(known)[0])
        for threads in (1, 2):
            report = engine.values("rules", RunOptions(symmetry=symmetry, store="dense", threads=threads))
            assert (report.complete, report.store, known.store) == (True, "dense", "sparse")
            assert [(depth.states, depth.raw_states) for depth in report.depths] == wanted
            assert (report.start.value, report.generated) == (known.start.value, known.generated)
            assert (report.start.moves, report.distances, report.longest) == (None, (), None)
    return known.start.value


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
    return replace(
        rules,
        ends=[over(end.when, score=said.get(end.outcome)) for end in rules.ends],
        stuck="pass" if rng.random() < 0.5 else None,
        score=score,
        endless=0 if swaps else rng.randint(-3, 3),
    )


@pytest.mark.parametrize("name", boards.quickly(boards.ALL))
def test_boards_of_every_shape(name):
    rules = boards.ALL[name]
    if rules.players or rules.to_data()["goal"]:
        compare(rules)
    else:
        with pytest.raises(UsageError, match="the rules have no goal"):
            Engine(rules).values("rules", RunOptions())


@settings(max_examples=cases(60))
@given(random_rules(), st.randoms(use_true_random=False))
def test_random_rules(rules, rng):
    compare(with_goal(rules, rng))


@settings(max_examples=cases(40))
@given(st.integers(0, 2**32), st.sampled_from([lively_rules, layered_rules, reversible_rules]))
def test_random_rules_of_each_kind(seed, kind):
    rng = random.Random(seed)
    rules = kind(rng)
    if rng.random() < 0.3:
        rules = symmetrised(rules, rng, keep_symbols=True)
    compare(with_goal(rules, rng))


@settings(max_examples=cases(40))
@given(st.integers(0, 2**32), st.sampled_from([lively_rules, layered_rules, reversible_rules]))
def test_random_games_for_points(seed, kind):
    """Games with a score: some with symmetries that swap the players, passes, or moves that keep the turn."""
    rng = random.Random(seed)
    rules = kind(rng)
    if not rules.players:
        return
    if rng.random() < 0.3:
        rules = symmetrised(rules, rng)
    compare(for_points(with_goal(rules, rng) if rng.random() < 0.5 else rules, rng))


def test_random_rules_are_worth_a_search():
    """Rules in which everything is a draw would pass whatever the engine does."""
    found = Counter()
    for seed in range(200):
        rng = random.Random(seed)
        rules = with_goal(rng.choice([lively_rules, layered_rules, reversible_rules])(rng), rng)
        naive = Naive(rules.to_data())
        _, distances, _, longest = expected(naive)
        found["games with long losses"] += any(value == "loss" and moves > 1 for value, moves in distances)
        found["long"] += (longest or 0) > 3
        found["games with cycles"] += bool(rules.players) and Engine(rules).window == "directed"
    assert min(found.values()) > 10, found


@seeds(82, 400)
def test_random_games_for_points_are_worth_a_search(seeds):
    """Games in which all states have one score would pass, too. Each shape is there often enough to be found wrong."""
    found = Counter()
    for seed in seeds:
        rng = random.Random(seed)
        rules = rng.choice([lively_rules, layered_rules, reversible_rules])(rng)
        if rules.players:
            rules = with_goal(rules, rng) if rng.random() < 0.5 else rules
            rules = for_points(symmetrised(rules, rng) if rng.random() < 0.3 else rules, rng)
            naive = Naive(rules.to_data())
            states = [state for layer in naive.layers() for state in layer.raw]
            found["many scores"] += len(set(plain_values(naive, states).values())) > 2
            found["passes"] += any(
                naive.data["moves"][place].get("forced") for state in states for place, _ in naive.successors(state)
            )
            found["moves that keep the turn"] += any(move.keeps_turn for move in rules.moves)
            found["players change places"] += any(each["swap_players"] for each in naive.group)
    assert min(found.values()) > len(seeds) / 80, found


@pytest.mark.parametrize("text", ["mu_torere", "hexapawn:3,3", "nim:3,4,5", "chomp:3,4", "connect_four:3,3"])
def test_games_of_the_gallery(text):
    compare(gallery.load(text).rules())


@settings(max_examples=cases(80))
@given(placements())
def test_random_placements_in_bits(rules):
    if rules.players:
        compare_bits(rules)
    else:
        with pytest.raises(UsageError, match=r"have no goal"):
            Engine(rules).values("rules", RunOptions(store="dense"))


@pytest.mark.parametrize(
    "board", [f"{rows},{columns},{k}" for rows in (1, 2, 3) for columns in (3, 4) for k in range(1, columns + 1)]
)
def test_small_boards_in_bits(board):
    rows, columns, _ = map(int, board.split(","))
    compare_bits(puzzlekit.load(f"tictactoe:{board}").rules(), naive=rows * columns < 12)


@pytest.mark.parametrize("ends", [("XO", "loss"), ("OX", "draw"), ("XO", "win"), (["draw", "over"], "loss")])
@pytest.mark.parametrize("board", ["3,3,2", "2,4,3", pytest.param("3,3,3", marks=pytest.mark.slow)])
def test_outcomes_of_boards_in_bits(board, ends):
    """A line wins, loses or draws for the player who makes it, and a full board may have any outcome."""
    outcomes, stuck = ends
    rules = puzzlekit.load(f"tictactoe:{board}").rules()
    names = dict(zip("XO", outcomes, strict=True))
    compare_bits(
        replace(rules, ends=[replace(end, outcome=names[end.outcome], wins=False) for end in rules.ends], stuck=stuck)
    )


@pytest.mark.parametrize("win", [1, 3, *(pytest.param(win, marks=pytest.mark.slow) for win in (2, 4)), 5])
def test_boards_of_4_by_4_in_bits(win):
    puzzle = puzzlekit.load(f"tictactoe:4,4,{win}") if win < 5 else puzzlekit.load("tictactoe:4,4,4")
    rules = puzzle.rules() if win < 5 else replace(puzzle.rules(), ends=[], stuck="loss")
    known, report = (Engine(rules).values("rules", RunOptions(store=store)) for store in ("sparse", "dense"))
    assert [(depth.states, depth.raw_states) for depth in report.depths] == [
        (depth.states, depth.raw_states) for depth in known.depths
    ]
    assert (report.start.value, report.generated) == (known.start.value, known.generated)


def test_the_engine_chooses_the_way():
    small = puzzlekit.load("tictactoe")
    assert (small.values().store, small.values(distances=True).store) == ("sparse", "sparse")
    assert small.values(store="dense").store == "dense"
    # On the first board, lines of two end play soon, so few states are reached. The second has too many to list them.
    assert puzzlekit.load("tictactoe:5,4,2").values().store == "sparse"
    assert puzzlekit.load("tictactoe:5,4,3").values().store == "dense"
    # All moves of slider can be undone, so its values are found by a count from the goal, in either store.
    assert puzzlekit.load("slider:2,2").values().store == "dense"
    assert puzzlekit.load("slider:2,2").values(store="sparse").store == "sparse"
    with pytest.raises(UsageError, match="knows no moves to the end"):
        small.values(store="dense", distances=True)
    with pytest.raises(UsageError, match="moves only put marks into empty cells"):
        gallery.load("connect_four:3,3").values(store="dense")
    with pytest.raises(LimitError, match=r"would take .*, and the limit leaves .*; give more memory"):
        puzzlekit.load("tictactoe:5,4,4").values(store="dense", memory=held_bytes() + 2**20)


def test_a_sweep_can_be_stopped():
    seen = []

    def watch(progress):
        # The progress has depth 0 before the backward sweep begins. Then the depth falls from 20.
        seen.append(progress.depth)
        return 0 < progress.depth < 18

    report = puzzlekit.load("tictactoe:5,4,4").values(watch=watch, threads=1, store="dense")
    assert (report.complete, report.stopped, report.start) == (False, "watch", None)
    assert 0 < seen[-1] < 18


def test_tic_tac_toe():
    report = puzzlekit.load("tictactoe").values()
    assert (report.states, report.raw_states) == (765, 5478)
    assert report.start.value == "draw"
    assert report.depths[0].states == {"win": 0, "draw": 1, "loss": 0}
    # Where play is over, the player to move has lost: up to symmetry, 91 wins of the first player and 44 of the second.
    assert report.distances[0].states == {"win": 0, "loss": 135}


def test_a_game_may_go_round_in_circles():
    # Two lamps: each player may switch the first on or off. Whoever sees the second lit has lost; only B can light it.
    rules = Rules(
        symbols=".x",
        start="..",
        players="AB",
        moves=[
            put(0, "x").when({0: "."}).named("on"),
            put(0, ".").when({0: "x"}).named("off"),
            put(1, "x").when({0: "x", 1: "."}).by("B").named("light"),
        ],
        ends=[End("B", {1: "x"})],
        stuck="draw",
    )
    compare(rules)
    report = Engine(rules).values("lamps", RunOptions())
    # Each move of A switches the first lamp on or off. As soon as it is on, B can light the second one.
    assert (report.start.value, report.start.moves) == ("loss", 2)


def test_puzzles_know_their_distances():
    puzzle = puzzlekit.load("slider:2,3")
    report = puzzle.values()
    backward = puzzle.enumerate(backward=True)
    assert [distance.states["solvable"] for distance in report.distances] == [d.states for d in backward.depths]
    assert report.total("unsolvable") == 0
    assert report.longest.value.moves == 21
    assert len(puzzle.solve(report.longest.state).moves) == 21


def test_no_memory_no_values(process):
    report = puzzlekit.load("tictactoe:4,4,4").values(memory=held_bytes() + 2**20)
    assert (report.complete, report.stopped, report.start) == (False, "memory", None)
    done = process("values", "breakthrough:5,4", "--memory", "60MiB")
    assert done.code == 3
    assert "needs more memory than --memory gives" in done.err


def test_what_the_values_take_is_known_before():
    # The values of a sliding puzzle take no more memory than finding its states. With too little, that search stops.
    rules = replace(puzzlekit.load("slider:3,3").rules(), goal=[{0: "1", 1: "2"}])
    stopped, whole = (
        Engine(rules).values("rules", RunOptions(memory=held_bytes() + bytes_more, threads=1))
        for bytes_more in (2**20, 16 * 2**20)
    )
    assert (stopped.complete, stopped.stopped, whole.complete) == (False, "memory", True)
    # Moves write letters, and lose what they overwrite. The states fit the memory, and a list of all moves does not.
    moves = [put(cell, letter).named(f"{cell}{letter}") for cell in range(11) for letter in "abc"]
    engine = Engine(Rules(symbols="abc", start="a" * 11, moves=moves, goal=[{0: "b", 1: "c"}]))
    room = RunOptions(memory=held_bytes() + 8 * 2**20, threads=1, store="sparse")
    assert engine.enumerate("letters", room).states == 3**11
    with pytest.raises(LimitError, match=r"the values of 177147 states take .*; give more memory"):
        engine.values("letters", replace(room, memory=held_bytes() + 8 * 2**20))
    # With a single goal, the values are found by a count, which takes as little memory as `enumerate`.
    assert puzzlekit.load("slider:3,3").values(memory=held_bytes() + 8 * 2**20, threads=1).complete


def test_a_watch_stops_it():
    report = puzzlekit.load("tictactoe:4,4,4").values(watch=lambda _: True)
    assert (report.complete, report.stopped, report.start, report.depths) == (False, "watch", None, ())


def test_the_command(command):
    done = command("values", "tictactoe", "--json")
    assert done.code == 0
    data = json.loads(done.out)
    assert data["schema"] == "puzzlekit.values/1"
    assert data["start"] == {"value": "draw", "moves": None}
    assert data["depths"][1] == {
        "depth": 1, "win": 0, "draw": 3, "loss": 0, "raw_win": 0, "raw_draw": 9, "raw_loss": 0,
    }  # fmt: skip
    text = command("values", "rotation", "--distances").out
    assert "solvable in 0 moves" in text
    assert command("values", "slider:2,2", "--threads", "0").code == 2


def mex(after, state, known):
    """The Grundy number of a position, by the obvious recursion."""
    if state not in known:
        numbers = {mex(after, following, known) for following in after(state)}
        known[state] = next(number for number in range(len(numbers) + 1) if number not in numbers)
    return known[state]


def taken(state):
    """Kayles: one pin or two that stand beside each other are taken from a row."""
    for cell in range(len(state)):
        for pins in (1, 2):
            if state[cell : cell + pins] == "|" * pins:
                yield state[:cell] + "." * pins + state[cell + pins :]


def kayles(pins):
    moves = [
        Move(dict.fromkeys(cells, ".")).when(dict.fromkeys(cells, "|")).named(f"{cells[0]}-{size}")
        for size in (1, 2)
        for cells in ([*range(first, first + size)] for first in range(pins - size + 1))
    ]
    mirror = Symmetry(tuple(reversed(range(pins))), name="mirror")
    return Rules(".|", "|" * pins, moves, players=["A", "B"], stuck="loss", symmetries=[mirror])


def test_grundy_numbers_of_kayles():
    # The first numbers are those of Guy and Smith (1956), as OEIS A002186 has them.
    known = [0, 1, 2, 3, 1, 4, 3, 2, 1, 4]
    for pins in range(1, 10):
        for symmetry in (True, False):
            report = Engine(kayles(pins)).values("kayles", RunOptions(grundy=True, symmetry=symmetry))
            assert report.start.grundy == known[pins] == mex(taken, "|" * pins, {})
            assert report.start.value == ("win" if known[pins] else "loss")
            assert report.distances == ()
            assert sum(count.states for count in report.grundy) == report.states


def test_grundy_numbers_of_sums(command):
    nim = gallery.load("nim:3,4,5")
    report = nim.values(grundy=True)
    assert report.start.grundy == 3 ^ 4 ^ 5
    assert report.longest.value.grundy == len(report.grundy) - 1
    data = json.loads(command("values", "nim:3,4,5", "--grundy", "--json").out)
    assert data["start"] == {"value": "win", "moves": None, "grundy": 2}
    assert data["grundy"] == [{"grundy": each.grundy, "states": each.states} for each in report.grundy]
    # A heap of a hundred counters has numbers of more than 64 bits.
    tall = Rules(
        range(101),
        [100],
        [put(0, left).when({0: size}).named(f"{size}-{left}") for size in range(101) for left in range(size)],
        players=["A", "B"],
        stuck="loss",
    )
    assert Engine(tall).values("tall", RunOptions(grundy=True)).start.grundy == 100


@pytest.mark.parametrize("text", ["chomp:3,4", "tictactoe", "mu_torere", "hexapawn", "pegs"])
def test_games_without_grundy_numbers_are_refused(text):
    puzzle = puzzlekit.load(text) if text == "tictactoe" else gallery.load(text)
    with pytest.raises(UsageError, match=r"there are no Grundy numbers to find|has no goal"):
        puzzle.values(grundy=True)


def values_begun_by(rules: Rules, player: int) -> dict:
    """The values of all states that play reaches from the start if a player begins, by a plain search."""
    naive = Naive(rules.to_data())
    found = waiting = [(naive.start[0], player)]
    while waiting:
        waiting = list({after for state in waiting for _, after in naive.successors(state)} - set(found))
        found = found + waiting
    return plain_values(naive, found)


@seeds(80, 480)
def test_both_beginnings_of_random_games_are_those_of_a_plain_search(seeds):
    met, games = Counter(), 0
    for seed in seeds:
        rules = lively_rules(random.Random(f"starts {seed}"))
        if not rules.players or rules.score is not None:
            continue
        games += 1
        report = Engine(rules).values("random", RunOptions(starts="both"))
        start = Naive(rules.to_data()).start[0]
        for player, name in enumerate(rules.players):
            worth = values_begun_by(rules, player).get((start, player), UNDECIDED)
            assert (report.starts[name].value, report.starts[name].moves) == worth
        assert replace(report, starts={}).start == report.start
        met[report.outcome_class] += 1
    assert games > len(seeds) / 5
    assert min(met[name] for name in "NPLR") > len(seeds) / 160
    assert met[None] > len(seeds) / 160


def test_both_beginnings_of_games_for_points(command):
    taken = [put(0, "x").when({0: "."}).by("X"), put(0, "o").when({0: "."}).by("O")]
    ends = [over({0: "x"}, score=5), over({0: "o"}, score=-3)]
    rules = Rules(".xo", ".", taken, "XO", ends=ends, score=Score("X", {"x": 1}))
    report = Engine(rules).values("taken", RunOptions(starts="both"))
    assert {player: value.score for player, value in report.starts.items()} == {"X": 5, "O": 3}
    assert report.outcome_class is None
    told = command("values", "othello", "--starts", "both").out
    assert "if X begins, the start is 8 behind\nif O begins, the start is 8 behind\n" in told


@pytest.mark.parametrize(
    ("size", "name"), [("2,2", "N"), ("3,3", "N"), ("4,4", "N"), ("5,5", "P"), ("1,4", "R"), ("4,1", "L")]
)
def test_outcome_classes_of_domineering(size, name, command):
    """Those of squares are published (Breuker, Uiterwijk and van den Herik, 2000). On one row, only lying ones fit."""
    data = json.loads(command("values", f"domineering:{size}", "--starts", "both", "--json").out)
    assert data["outcome_class"] == name
    assert list(data["starts"]) == ["upright", "lying"]


def test_who_begins_is_refused_where_it_means_nothing(command, tmp_path):
    for puzzle, who, out, told in (
        ("tictactoe", "none", (), "starts is 'none'; give one of first, both"),
        ("slider:2,2", "both", (), "a puzzle has one player"),
        ("tictactoe", "both", ("--out", str(tmp_path / "job")), "a folder keeps the game that the first player begins"),
    ):
        ended = command("values", puzzle, "--starts", who, *out)
        assert ended.code == 2
        assert told in ended.err


@dataclass(frozen=True)
class Heap(Puzzle):
    """A heap from which one or two counters are taken; who cannot take any loses."""

    id = "heap"
    counters: int = 3

    def rules(self):
        takes = [
            put(0, left - taken).when({0: left}).named(f"take {taken}")
            for left in range(1, 10)
            for taken in (1, 2)
            if taken <= left
        ]
        return Rules(range(10), [self.counters], takes, players="AB", stuck="loss")


@pytest.mark.parametrize("counters", range(5))
def test_a_heap_has_its_grundy_number_even_if_it_is_empty(counters):
    assert Heap(counters).values(grundy=True).start.grundy == counters % 3
