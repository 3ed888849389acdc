"""Random games of shapes that pure chance hardly ever makes.

Stones that join sides; cycles in tiers; marks in lines; men that march and capture; seeds that are sown; discs that are
turned over; two passes in a row.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import replace

from puzzlekit import Copy, End, Goal, Move, Rules, Symmetry, anything_but, connected, count, put, unless

PLAYERS = "PQ"


def stones_rules(rng: random.Random) -> Rules:
    """Players place stones on a small graph, and may lift them again. A path, or a number of stones, ends play."""
    cells = rng.randint(3, 5)
    edges = {(rng.randrange(cell), cell) for cell in range(1, cells)}
    edges |= {tuple(sorted(rng.sample(range(cells), 2))) for _ in range(rng.randint(0, 2))}
    moves, ends = [], []
    for own, other in (PLAYERS, PLAYERS[::-1]):
        most = rng.choice([None, rng.randint(1, cells)])
        for cell in range(cells):
            placed = put(cell, own).when({cell: "."}).by(own)
            if most is not None:
                placed = placed.when(count(own, at_most=most - 1))
            if rng.random() < 0.3:
                barred = rng.sample([at for at in range(cells) if at != cell], rng.randint(1, 2))
                placed = placed.unless({at: rng.choice([own, other, "."]) for at in barred})
            moves.append(placed.again() if rng.random() < 0.15 else placed)
            if rng.random() < 0.25:
                moves.append(put(cell, ".").when({cell: rng.choice([own, other])}).by(own))
        one, *others = rng.sample(range(cells), rng.randint(2, 3))
        wanted = connected(own, [one], others, sorted(edges))
        if rng.random() < 0.4:
            wanted = count(own, at_least=rng.randint(2, 3), of=rng.choice([None, rng.sample(range(cells), 3)]))
        ends.append(End(rng.choice([own, own, other, "draw"]), wanted))
    moves = [move.named(f"m{place}") for place, move in enumerate(moves)]
    return Rules(
        ".PQ", "." * cells, moves, PLAYERS, ends=ends[: rng.randint(1, 2)], stuck=rng.choice(["draw", "loss", "win"])
    )


def rings_rules(rng: random.Random) -> Rules:
    """A token goes round in rings, and down from ring to ring, which stand in a tree. Each ring is a tier with cycles.

    The first cell holds the ring, the second the place in the ring, and the third one of two marks.
    """
    rings, places = "ABCDE"[: rng.randint(2, 5)], "xyz"[: rng.randint(2, 3)]
    turned = {"x": "y", "y": "x"}

    def owned(move: Move) -> Move:
        move = move.by(owner) if (owner := rng.choice([None, *PLAYERS])) else move
        return move.again() if rng.random() < 0.2 else move

    moves = []
    for at, ring in enumerate(rings):
        for step, place in enumerate(places):
            then: dict[int, str | Copy] = {1: places[(step + 1) % len(places)]}
            if rng.random() < 0.4:
                then[2] = Copy(2, turned)
            moves.append(owned(Move(then).when({0: ring, 1: place})))
            if rng.random() < 0.3:
                back = {1: places[step - 1], 2: Copy(2, turned)}
                moves.append(owned(Move(back).when({0: ring, 1: place, 2: rng.choice("xy")})))
        if at:
            for _ in range(rng.randint(1, 2)):
                down = Move({0: ring, 1: rng.choice(places)}).when({0: rings[rng.randrange(at)], 1: rng.choice(places)})
                moves.append(owned(down))
    ends = [
        End(rng.choice([*PLAYERS, *PLAYERS, "draw"]), {0: rng.choice(rings[1:]), 1: rng.choice(places), 2: mark})
        for mark in rng.choice(["x", "y", "xy"])
    ]
    moves = [move.named(f"m{place}") for place, move in enumerate(moves)]
    return Rules(rings + places, "Axx", moves, PLAYERS, ends=ends, stuck=rng.choice(["draw", "loss", "win"]))


def marks_rules(rng: random.Random) -> Rules:
    """Players put marks into empty cells for good, one mark each or both the same. Sets of marks end play."""
    cells, marks = rng.randint(3, 6), rng.choice(["PQ", "PQ", "PP"])
    moves = [
        put(cell, mark).when({cell: "."}).by(player).named(f"m{cell}")
        for player, mark in zip(PLAYERS, marks, strict=True)
        for cell in range(cells)
    ]
    ends = []
    for _ in range(rng.randint(1, 4)):
        mark = rng.choice(marks)
        line = dict.fromkeys(rng.sample(range(cells), rng.randint(2, min(4, cells))), mark)
        ends.append(End(rng.choice([*PLAYERS, "draw"]), line))
    symbols = sorted({".", *marks})
    return Rules(symbols, "." * cells, moves, PLAYERS, ends=ends, stuck=rng.choice(["draw", "loss", "win"]))


def march_rules(rng: random.Random) -> Rules:
    """Men of one player move up the numbers of the cells, those of the other down, and capture each other.

    Play cannot come back to a state, although no symbol stays for ever.
    """
    cells, men = rng.randint(5, 8), rng.randint(1, 2)
    steps = {(cell, cell + 1) for cell in range(cells - 1)}
    steps |= {(cell, cell + 2) for cell in range(cells - 2) if rng.random() < 0.7}
    steps |= {tuple(sorted(rng.sample(range(cells), 2))) for _ in range(rng.randint(0, 3))}
    moves = []
    for own, other in (PLAYERS, PLAYERS[::-1]):
        for low, high in sorted(steps):
            at, to = (low, high) if own == PLAYERS[0] else (high, low)
            allowed = rng.choice([".", other, {".", other}, {".", other}, anything_but(own)])
            move = Move({at: ".", to: own}).when({at: own, to: allowed}).by(own)
            moves.append(move.again() if rng.random() < 0.15 else move)
    moves = [move.named(f"m{place}") for place, move in enumerate(moves)]
    ends = [End(PLAYERS[0], {cells - 1: "P"}), End(PLAYERS[1], {0: "Q"})]
    if rng.random() < 0.4:
        ends.append(End(rng.choice([*PLAYERS, "draw"]), count(rng.choice(PLAYERS), at_most=0)))
    if rng.random() < 0.5:
        ends.append(
            End(rng.choice(PLAYERS), {rng.randrange(cells): anything_but("."), rng.randrange(cells): {"P", "."}})
        )
    rng.shuffle(ends)
    start = "P" * men + "." * (cells - 2 * men) + "Q" * men
    return Rules(
        ".PQ", start, moves, PLAYERS, ends=ends[: rng.randint(1, 3)], stuck=rng.choice(["draw", "loss", "win"])
    )


def sowing_rules(rng: random.Random) -> Rules:
    """Players sow the seeds of their pits one by one into the next pits and into their store, as in kalah.

    Who sows the last seed into the own store may move again. The cells are a ring: pits and store of the first player,
    then those of the second.
    """
    pits, seeds = rng.choice([(1, 2), (2, 1), (2, 2), (2, 2), (3, 1)])
    most = 2 * pits * seeds
    symbols = [str(number) for number in range(most + 1)]
    more = dict(itertools.pairwise(symbols))
    ring = 2 * (pits + 1)
    stores = (pits, ring - 1)
    keeps, moves = rng.random() < 0.8, []
    left_out = {(pit, taken) for pit in range(pits) for taken in range(1, most + 1) if rng.random() < 0.1}
    for player, store in zip(PLAYERS, stores, strict=True):
        barred = stores[store == stores[0]]
        for pit in range(pits):
            at = store - pits + pit
            way = [cell % ring for cell in range(at + 1, at + ring) if cell % ring != barred]
            for taken in range(1, len(way) + 1):
                if taken > most or (taken != seeds and (pit, taken) in left_out):
                    continue
                then: dict[int, str | Copy] = {cell: Copy(cell, more) for cell in way[:taken]}
                move = Move({**then, at: "0"}).when({at: str(taken)}).by(player).named(f"{at}")
                moves.append(move.again() if keeps and way[taken - 1] == store else move)
    wanted = most // 2 + rng.randint(0, 1)
    ends = [End(player, {store: symbols[wanted:]}) for player, store in zip(PLAYERS, stores, strict=True)]
    turned = Symmetry(tuple((cell + pits + 1) % ring for cell in range(ring)), swap_players=True, name="sides")
    one_sided = rng.random() < 0.3
    start = [*[str(seeds)] * pits, "0"] * 2
    return Rules(
        symbols,
        start,
        moves,
        PLAYERS,
        ends=ends[:1] if one_sided else ends if rng.random() < 0.7 else [],
        stuck=rng.choice(["draw", "loss", "win"]),
        symmetries=() if one_sided else [turned],
    )


def discs_rules(rng: random.Random) -> Rules:
    """A disc is put where it shuts in a disc of the other player, which is turned over. Many states have no move."""
    cells = rng.randint(5, 7)
    lines = [tuple(rng.sample(range(cells), 3)) for _ in range(rng.randint(20, 70))]
    lines += [line[::-1] for line in lines if rng.random() < 0.7]
    moves = []
    for own, other in (PLAYERS, PLAYERS[::-1]):
        for to, between, behind in dict.fromkeys(lines):
            shut = Move({to: own, between: own})
            moves.append(shut.when({to: ".", between: other, behind: own}).by(own))
    moves = [move.named(f"m{place}") for place, move in enumerate(moves)]
    start = [*PLAYERS, *"." * (cells - 2)] if rng.random() < 0.6 else [*"PQPQ", *"." * (cells - 4)]
    rng.shuffle(start)
    most = rng.randint(cells // 2 + 1, cells)
    ends = [End(player, count(player, at_least=most)) for player in PLAYERS]
    return Rules(
        ".PQ", start, moves, PLAYERS, ends=ends[: rng.randint(0, 2)], stuck=rng.choice(["draw", "loss", "win"])
    )


def with_conditions(rules: Rules, rng: random.Random) -> Rules:
    """The game with counts, paths and patterns that must not hold, in some guards and maybe in an end.

    It loses symmetries.
    """
    data = rules.to_data()
    cells, symbols = len(data["start"]), data["symbols"]

    def condition() -> Goal:
        looked = rng.sample(range(cells), rng.randint(1, cells))
        some = set(rng.sample(symbols, rng.randint(1, len(symbols) - 1)))
        match rng.randrange(3):
            case 0:
                bounds = {rng.choice(["at_least", "at_most"]): rng.randint(1, len(looked))}
                return count(some, of=rng.choice([None, looked]), **bounds)
            case 1:
                edges = [tuple(rng.sample(range(cells), 2)) for _ in range(cells)]
                return connected(some, looked[:1], looked[1:] or looked, edges)
            case _:
                return unless({cell: rng.choice(symbols) for cell in looked[:2]})

    moves = [move.when(condition()) if rng.random() < 0.3 else move for move in rules.moves]
    wanted = condition() & rng.choice([condition(), {rng.randrange(cells): anything_but(rng.choice(symbols))}])
    ended = [End(rng.choice([*PLAYERS, "draw"]), wanted)] if rng.random() < 0.8 else []
    return replace(rules, moves=moves, ends=[*rules.ends, *ended], symmetries=())


def with_two_passes(rules: Rules, rng: random.Random) -> Rules:
    """The game in which one may pass at will, and two passes in a row end play. It loses symmetries.

    One more cell holds how many passes were made in a row.
    """
    last = len(rules.to_data()["start"])
    moved = on_other_cells(rules, range(last))
    data = rules.to_data()
    moves = [replace(move, then={**dict(move.then), last: "0"}) for move in moved.moves if not move.forced]
    owner = rng.choice([None, None, *PLAYERS])
    for made in "01":
        passed = Move({last: "12"[int(made)]}, player=owner).when({last: made})
        moves.append(passed.named("stay"))  # a pass for want of a move has the name "pass"
    ends = [*moved.ends, End(rng.choice(["draw", *PLAYERS]), {last: "2"})]
    symbols, start = [*data["symbols"], *"012"], [*data["start"], "0"]
    return replace(moved, symbols=symbols, start=start, moves=moves, ends=ends)


def on_other_cells(rules: Rules, places: Sequence[int]) -> Rules:
    """The rules with each cell at another place, as `places` says. The start stays, and symmetries are lost.

    A count of all cells becomes one of the cells at these places.
    """
    data = rules.to_data()

    def pattern(pairs) -> dict[int, set[str]]:
        return {places[cell]: set(held) for cell, held in pairs}

    def wanted(given) -> Goal:
        if not isinstance(given, dict):
            return Goal() & pattern(given)
        found = Goal() & pattern(given.get("when", ()))
        for barred in given.get("unless", ()):
            found &= unless(pattern(barred))
        for counted in given.get("counts", ()):
            looked = counted["of"] if counted.get("of") is not None else range(len(places))
            bounds = {name: counted.get(name) for name in ("at_least", "at_most")}
            found &= count(set(counted["symbols"]), of=[places[cell] for cell in looked], **bounds)
        for path in given.get("connected", ()):
            sides = ([places[cell] for cell in path[side]] for side in ("from", "to"))
            found &= connected(set(path["symbols"]), *sides, [(places[one], places[to]) for one, to in path["edges"]])
        return found

    moves = []
    for given in data["moves"]:
        then = {
            places[to]: source if isinstance(source, str) else Copy(places[source["copy"]], source["map"] or None)
            for to, source in given["then"]
        }
        flags = {"forced": given.get("forced", False), "keeps_turn": given.get("again", False)}
        move = Move(then, player=given["player"], **flags).when(wanted(given))
        for one, other in given.get("equal", ()):
            move = move.when_equal(places[one], places[other])
        for one, other in given.get("different", ()):
            move = move.when_different(places[one], places[other])
        moves.append(move.named(given["name"]))
    ends = [replace(end, when=wanted(given)) for end, given in zip(rules.ends, data["ends"], strict=True)]
    goal = [wanted(goal) for goal in data["goal"]]
    return replace(rules, moves=moves, ends=ends, goal=goal, symmetries=())
