"""The oracle: every fast path is compared with a plain search, on puzzles of every shape and on random rules."""

from __future__ import annotations

import hashlib
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import puzzlekit
from puzzlekit import Copy, End, Goal, Move, Rules, RulesError, Symmetry, connected, count, cycle, put, toggle, unless
from puzzlekit.run.engine import Engine
from tests import boards
from tests.naive import Naive
from tests.profiles import cases, is_long, seeds
from tests.support import RunOptions, grain_of

WIDTHS = [0, 64, 128, 129, 257]


def depths(report):
    # A report also counts outcomes that are zero. The obvious search counts only those that it meets.
    return [
        (depth.states, depth.raw_states, depth.open, {name: n for name, n in depth.ended.items() if n})
        for depth in report.depths
    ]


def expected(layers, *, symmetry=True):
    """The expected depths of a report. Without symmetry, the states of an orbit are counted one by one."""
    if symmetry:
        return [(len(layer.states), len(layer.raw), layer.open, dict(layer.ended)) for layer in layers]
    return [(len(layer.raw), len(layer.raw), layer.raw_open, dict(layer.raw_ended)) for layer in layers]


def compare(rules, widths=WIDTHS, layers=None):
    """Compares every way to enumerate the given rules with the obvious search."""
    naive = Naive(rules.to_data())
    layers = layers or naive.layers()
    for width in widths:
        engine = Engine(rules, width)
        for threads, grain in ((1, None), (2, None), (1, (2, 3, 2, 0)), (2, (5, 1, 7, 0))):
            report = engine.enumerate("rules", RunOptions(threads=threads, grain=grain_of(grain)))
            assert all(tuple(depth.ended) == engine.outcomes for depth in report.depths)
            assert depths(report) == expected(layers), (width, threads, grain)
            assert report.complete
            plain = engine.enumerate("rules", RunOptions(symmetry=False, threads=threads, grain=grain_of(grain)))
            assert depths(plain) == expected(layers, symmetry=False)
    return engine, naive, layers


@pytest.mark.parametrize("name", boards.ALL)
def test_puzzles_of_every_shape(name):
    engine, naive, layers = compare(boards.ALL[name])
    check_states(engine, naive, [state for layer in layers for state in layer.raw])


@pytest.mark.parametrize(
    ("board", "symmetry_order", "edges"), [((2, 4), 2, 15_057), pytest.param((3, 3), 4, 95_656, marks=pytest.mark.slow)]
)
def test_a_turning_puzzle_whose_moves_lead_far_back(board, symmetry_order, edges):
    rules = boards.turn(*board)
    naive = Naive({**rules.to_data(), "symmetries": []})
    layers = naive.layers()
    depth_of = {state: depth for depth, layer in enumerate(layers) for state in layer.raw}
    far_back = sum(
        depth_of[after] < depth - 1 for state, depth in depth_of.items() for _, after in naive.successors(state)
    )
    assert far_back == edges
    engine = Engine(rules)
    without = engine.enumerate("turn", RunOptions(symmetry=False, threads=2))
    assert [depth.states for depth in without.depths] == [len(layer.raw) for layer in layers]
    with_symmetry = engine.enumerate("turn", RunOptions(threads=2))
    assert [depth.raw_states for depth in with_symmetry.depths] == [len(layer.raw) for layer in layers]
    assert with_symmetry.symmetry_order == symmetry_order


def test_the_analysis_tells_graphs_apart():
    windows = {name: Engine(rules).window for name, rules in boards.ALL.items()}
    assert windows == {
        "slide:2,3": "inverse-closed",
        "slide:3,2": "inverse-closed",
        "turn:2,3": "directed",
        "turn:2,2": "directed",
        "colours:2,4": "directed",
        "colours:slide": "inverse-closed",
        "lights:3,3": "inverse-closed",
        "lights:2,3,3": "directed",
        "pegs": "layered",
        "hanoi:4": "inverse-closed",
        "chase": "directed",
        "nim": "directed",
        "nim again": "directed",
        "chase again": "directed",
        "recolour": "directed",
        "ring:9": "inverse-closed",
        "ring:11": "inverse-closed",
        "dials": "directed",
        "burnt:4": "inverse-closed",
    }


def check_states(engine, naive, states):
    """Compares all answers about single states, and about arrays of them, with the obvious answers."""
    notation = engine.notation
    texts = [notation.write(bytes(naive.symbols.index(symbol) for symbol in cells), player) for cells, player in states]
    by_text = dict(zip(texts, states, strict=True))

    def text(state):
        return notation.write(bytes(naive.symbols.index(symbol) for symbol in state[0]), state[1])

    for written, state in by_text.items():
        successors = naive.successors(state)
        assert engine.legal_moves(written) == [naive.data["moves"][place]["name"] for place, _ in successors]
        for place, after in successors:
            assert engine.apply(written, naive.data["moves"][place]["name"]) == text(after)
        assert engine.outcome(written) == naive.outcome(state)
        assert engine.is_solved(written) == naive.solved(state[0])
        cells, player = canonical = naive.canonical(state)
        assert engine.canonical(written) == text(canonical)
        row = bytes([player, *(naive.symbols.index(symbol) for symbol in cells)])
        digest = hashlib.blake2b(row, digest_size=16, person=b"puzzlekit-key-1").digest()
        assert engine.key(written) == int.from_bytes(digest, "big")
    rows = engine.encode(texts)
    assert engine.decode(rows) == texts
    assert engine.decode(engine.canonical_rows(rows)) == [text(naive.canonical(state)) for state in states]
    children, parents, moves = engine.expand(rows)
    wanted = [(at, place, text(after)) for at, state in enumerate(states) for place, after in naive.successors(state)]
    assert list(zip(parents, moves, engine.decode(children), strict=True)) == wanted


SYMBOLS = "abcde"


def random_rules():
    """Rules of up to 4 cells and 3 symbols, with guards on sets, maps, ends, two players, and true symmetries.

    Some rules are drawn value by value, so that Hypothesis can shrink them. Most of these have a single state. Others
    are made from a random number, and many of their moves can be made.
    """
    seeds = st.integers(0, 2**32)
    return st.one_of(drawn_rules(), *(seeds.map(lambda seed: lively_rules(random.Random(seed))) for _ in range(2)))


def lively_rules(rng: random.Random) -> Rules:
    """Rules with moves that can be made in most states, and with ends far from the start.

    If the engine refuses the rules, since two cells cannot be equal or a condition never holds, other rules are made.
    """
    while True:
        rules = random_lively_rules(rng)
        try:
            Engine(rules)
        except RulesError as error:
            assert "never holds" in str(error), error  # noqa: PT017 - all other rules are right
        else:
            return rules


def random_lively_rules(rng: random.Random) -> Rules:
    cells, symbols, players = rng.randint(2, 4), SYMBOLS[: rng.randint(2, 3)], rng.choice(["", "PQ"])
    # Conditions keep play short, so most rules have none.
    conditioned = rng.random() < 0.25

    def pattern(least, most):
        where = rng.sample(range(cells), rng.randint(least, most))
        return {cell: set(rng.sample(symbols, rng.randint(1, len(symbols) - 1))) for cell in where}

    def source():
        if rng.random() < 0.4:
            return rng.choice(symbols)
        renamed = dict(zip(symbols, rng.choices(symbols, k=len(symbols)), strict=True))
        return Copy(rng.randrange(cells), rng.choice([None, renamed]))

    def goal():
        if rng.random() < 0.6:
            return maybe(pattern(1, cells))
        # The number is that of the start, so that the goal may hold even if no move changes it.
        symbol = rng.choice(symbols)
        counted = count(symbol, **{rng.choice(["at_least", "at_most"]): start.count(symbol)})
        if rng.random() < 0.5:
            looked = rng.sample(range(cells), rng.randint(1, cells))
            counted = count(set(rng.sample(symbols, 2)), at_least=rng.randint(0, len(looked)), of=looked)
        return counted & pattern(1, 1) if rng.random() < 0.2 else counted

    def condition():
        looked = rng.sample(range(cells), rng.randint(1, cells))
        some = set(rng.sample(symbols, rng.randint(1, len(symbols) - 1)))
        match rng.randrange(4):
            case 0:
                bounds = {rng.choice(["at_least", "at_most"]): rng.randint(0, len(looked))}
                return count(some, of=rng.choice([None, looked]), **bounds)
            case 1:
                edges = [tuple(rng.sample(range(cells), 2)) for _ in range(rng.randint(1, 3))]
                return connected(some, looked[:1], looked[1:] or looked, edges)
            case _:
                return unless(pattern(1, cells))

    def maybe(wanted):
        return condition() & wanted if conditioned and rng.random() < 0.4 else wanted

    def compared(move):
        one, other = rng.sample(range(cells), 2)
        return rng.choice([*[move] * 8, move.when_equal(one, other), move.when_different(one, other)])

    start = rng.choices(symbols, k=cells)
    moves = [
        compared(
            Move(
                then={cell: source() for cell in rng.sample(range(cells), rng.randint(1, cells))},
                player=rng.choice([None, *players]),
            )
        )
        .when(maybe(pattern(0, rng.choice([1, 1, 2]))))
        .named(f"m{place}")
        for place in range(rng.randint(3, 6))
    ]
    keeping = random.Random(f"again {players} {moves}")
    if players and keeping.random() < 0.3:
        moves = [move.again() if keeping.random() < 0.4 else move for move in moves]
    rules = Rules(
        symbols=symbols,
        start=start,
        players=players,
        moves=moves,
        goal=[] if players else [goal() for _ in range(rng.randint(0, 2))],
        ends=[End(rng.choice(["P", "Q", "draw", "over"]), maybe(pattern(2, cells))) for _ in range(rng.randint(0, 2))],
        stuck=rng.choice(["draw", "loss", "win"]) if players else None,
    )
    return symmetrised(rules, rng) if rng.random() < 0.3 else rules


@st.composite
def drawn_rules(draw):
    """Rules drawn value by value."""
    cells = draw(st.integers(1, 4))
    symbols = SYMBOLS[: draw(st.integers(1, 3))]
    players = draw(st.sampled_from(["", "PQ"]))
    cell, symbol = st.integers(0, cells - 1), st.sampled_from(symbols)
    some = st.sets(symbol, min_size=1)
    pattern = st.dictionaries(cell, some, max_size=cells)
    source = symbol | st.builds(Copy, cell, st.dictionaries(symbol, symbol, max_size=2) | st.none())
    writes = st.dictionaries(cell, source, max_size=cells)
    moves = [
        Move(then=draw(writes), player=draw(st.sampled_from([None, *players]))).when(draw(pattern))
        for _ in range(draw(st.integers(0, 5)))
    ]
    outcomes = st.sampled_from(["P", "Q", "draw", "over"])
    ends = [End(draw(outcomes), draw(pattern)) for _ in range(draw(st.integers(0, 2)))]
    rules = Rules(
        symbols=symbols,
        start=draw(st.lists(symbol, min_size=cells, max_size=cells)),
        players=players,
        moves=[move.named(f"m{place}") for place, move in enumerate(moves)],
        goal=[] if players else [draw(pattern) for _ in range(draw(st.integers(0, 2)))],
        ends=ends,
        stuck=draw(st.sampled_from(["draw", "loss", "win"])) if players else None,
    )
    return symmetrised(rules, draw(st.randoms(use_true_random=False))) if draw(st.booleans()) else rules


def symmetrised(rules: Rules, rng: random.Random, *, keep_symbols: bool = False) -> Rules:
    """The rules with at most 48 random symmetries, and with all images of moves and ends, which make these true."""
    data = rules.to_data()
    generators: list[dict] = []
    for _ in range(rng.randint(1, 2)):
        cells = list(range(len(data["start"])))
        rng.shuffle(cells)
        symbols = list(data["symbols"])
        if not keep_symbols:
            rng.shuffle(symbols)
        renamed = dict(zip(data["symbols"], symbols, strict=True))
        swap = bool(data["players"]) and rng.random() < 0.3
        more = [*generators, {"cells": cells, "symbols": renamed, "swap_players": swap}]
        if len(Naive({**data, "symmetries": more}, most_images=48).group) <= 48:
            generators = more
    group = Naive({**data, "symmetries": generators}).group
    start = list(data["start"])
    orbit = {tuple(start)} | {Naive(data).image({**g, "swap_players": False}, (tuple(start), 0))[0] for g in group}
    if len(orbit) > 1:
        # Make the start symmetric: one symbol in all cells, if the permutations of the symbols fix one. Otherwise keep
        # the rules.
        fixed = [s for s in data["symbols"] if all(generator["symbols"][s] == s for generator in generators)]
        if not fixed:
            return rules
        start = [fixed[0]] * len(start)

    def player(name, element):
        if name not in data["players"] or not element["swap_players"]:
            return name
        return data["players"][1 - list(data["players"]).index(name)]

    def pattern(pairs, element):
        return {element["cells"][c]: {element["symbols"][s] for s in allowed} for c, allowed in pairs}

    def image_of(wanted, element):
        """The image of what a goal, an end or a move wants."""
        if not isinstance(wanted, dict):
            return pattern(wanted, element)
        image = Goal() & pattern(wanted.get("when", ()), element)
        for barred in wanted.get("unless", ()):
            image &= unless(pattern(barred, element))
        for path in wanted.get("connected", ()):
            sides = ([element["cells"][cell] for cell in path[side]] for side in ("from", "to"))
            edges = [(element["cells"][one], element["cells"][other]) for one, other in path["edges"]]
            image &= connected({element["symbols"][symbol] for symbol in path["symbols"]}, *sides, edges)
        for counted in wanted.get("counts", ()):
            looked = counted.get("of")
            image &= count(
                {element["symbols"][symbol] for symbol in counted["symbols"]},
                at_least=counted.get("at_least"),
                at_most=counted.get("at_most"),
                of=None if looked is None else [element["cells"][cell] for cell in looked],
            )
        return image

    moves, ends, goal = [], [], []
    for element in group:
        for move in data["moves"]:
            then: dict[int, str | Copy] = {}
            for to, source in move["then"]:
                if isinstance(source, str):
                    then[element["cells"][to]] = element["symbols"][source]
                else:
                    mapped = {
                        element["symbols"][s]: element["symbols"][source["map"].get(s, s)] for s in data["symbols"]
                    }
                    then[element["cells"][to]] = Copy(element["cells"][source["copy"]], mapped)
            image = Move(then=then, player=player(move["player"], element)).when(image_of(move, element))
            for one, other in move.get("equal", ()):
                image = image.when_equal(element["cells"][one], element["cells"][other])
            for one, other in move.get("different", ()):
                image = image.when_different(element["cells"][one], element["cells"][other])
            moves.append((image.again() if move.get("again") else image).named(f"m{len(moves)}"))
        ends += [End(player(end["outcome"], element), image_of(end, element)) for end in data["ends"]]
        goal += [image_of(wanted, element) for wanted in data["goal"]]
    return Rules(
        symbols=data["symbols"],
        start=start,
        players=data["players"],
        moves=moves,
        goal=goal,
        ends=ends,
        stuck=data["stuck"],
        symmetries=[
            Symmetry(tuple(generator["cells"]), generator["symbols"], generator["swap_players"], "random")
            for generator in generators
        ],
    )


def layered_rules(rng: random.Random) -> Rules:
    """Rules in which every move raises the symbol of one cell by one, with guards on sets."""
    cells, symbols = rng.randint(2, 5), "abcdef"[: rng.randint(2, 4 if rng.random() < 0.7 else 6)]
    players = rng.choice(["", "PQ"])
    moves = []
    for _ in range(rng.randint(2, 6)):
        cell, step = rng.randrange(cells), rng.randrange(len(symbols) - 1)
        others = {rng.randrange(cells): set(rng.sample(symbols, rng.randint(2, len(symbols))))}
        moves.append(put(cell, symbols[step + 1]).when({**others, cell: symbols[step]}))
        if players and rng.random() < 0.5:
            moves[-1] = moves[-1].by(rng.choice(players))
    keeping = random.Random(f"again {players} {moves}")
    if players and keeping.random() < 0.3:
        moves = [move.again() if keeping.random() < 0.4 else move for move in moves]
    full = dict.fromkeys(range(cells), symbols[-1])
    ends = [End(rng.choice(["P", "Q", "draw"]), {rng.randrange(cells): symbols[-1]})] if rng.random() < 0.5 else []
    moves = [move.named(f"m{place}") for place, move in enumerate(moves)]
    return Rules(symbols, symbols[0] * cells, moves, players, [] if players else [full], ends)


def reversible_rules(rng: random.Random) -> Rules:
    """Rules in which every move permutes some cells or symbols and has its inverse, with guards on other cells."""
    cells, symbols = rng.randint(3, 6), "abcdef"[: rng.randint(2, 4 if rng.random() < 0.7 else 6)]
    while len(symbols) ** cells > 4096 and not is_long():  # a plain search takes seconds for more states
        cells -= 1
    moves = []
    for _ in range(rng.randint(1, 4)):
        order = rng.sample(range(cells), cells)
        turned, guarded = order[: rng.randint(1, cells - 1)], order[-1]
        guard = {guarded: set(rng.sample(symbols, rng.randint(1, len(symbols))))}
        there = cycle(*turned) if len(turned) > 1 else toggle(*turned)
        back = cycle(*turned[::-1]) if len(turned) > 1 else Move({turned[0]: Copy(turned[0], advance=-1)})
        moves += [there.when(guard), back.when(guard)]
    start = [rng.choice(symbols) for _ in range(cells)] if rng.random() < 0.5 else symbols[0] * cells
    moves = [move.named(f"m{place}") for place, move in enumerate(moves)]
    return Rules(symbols, start, moves, rng.choice(["", "PQ"]))


@seeds(25, 60)
@pytest.mark.parametrize("kind", [layered_rules, reversible_rules])
def test_random_rules_of_one_kind(kind, seeds):
    """Random choice alone hardly ever makes rules of these kinds: each window, many symmetries, and many depths."""
    windows, deep, large_groups = Counter(), 0, 0
    for seed in seeds:
        rng = random.Random(seed)
        rules = kind(rng)
        if seed % 2:
            rules = symmetrised(rules, rng, keep_symbols=True)
        engine, naive, layers = compare(rules, [rng.choice(WIDTHS)])
        check_states(engine, naive, [state for layer in layers for state in layer.raw][:20])
        windows[engine.window] += 1
        deep += len(layers) > 3
        large_groups += len(naive.group) > 8
    expected_window = "layered" if kind is layered_rules else "inverse-closed"
    assert windows[expected_window] > len(seeds) / 3
    assert deep > len(seeds) / 5
    assert large_groups > len(seeds) / 30


def test_random_rules_are_worth_a_search():
    """Rules with one state would pass whatever the engine does, so only few random rules may be like that."""
    found = Counter()
    for seed in range(220):
        rules = lively_rules(random.Random(seed))
        layers = Naive(rules.to_data()).layers()
        found["deep"] += len(layers) > 2
        found["ended"] += any(layer.ended for layer in layers)
        found["games"] += bool(rules.players) and len(layers) > 1
        found["symmetric"] += bool(rules.symmetries) and len(layers) > 1
    assert found["deep"] > 100
    assert min(found["ended"], found["games"]) > 50
    assert found["symmetric"] > 10


@settings(max_examples=cases(25, 500))
@given(random_rules(), st.sampled_from(WIDTHS))
def test_random_rules(rules, width):
    engine, naive, layers = compare(rules, [width])
    check_states(engine, naive, [state for layer in layers for state in layer.raw][:50])


@settings(max_examples=cases(20))
@given(random_rules(), st.integers(0, 3))
def test_a_depth_limit_keeps_the_depths_before_it(rules, limit):
    layers = Naive(rules.to_data()).layers()
    report = Engine(rules).enumerate("rules", RunOptions(max_depth=limit, threads=1))
    assert depths(report) == expected(layers[: limit + 1])
    if report.complete:
        assert len(layers) <= limit + 1
    else:
        assert report.stopped == "max-depth"
        assert report.max_depth == limit


def test_the_number_of_keys_is_the_number_of_states():
    puzzle = puzzlekit.load("tictactoe:3,2,2")
    reached, frontier = {puzzle.start}, [puzzle.start]
    while frontier:
        frontier = [
            after
            for state in frontier
            for move in puzzle.legal_moves(state)
            if (after := puzzle.apply(state, move)) not in reached and not reached.add(after)
        ]
    report = puzzle.enumerate()
    assert len(reached) == report.raw_states
    assert len({puzzle.key(state) for state in reached}) == report.states
