"""A search in the plainest Python that every fast path is compared with. It shares no code with puzzlekit."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache

State = tuple[tuple[str, ...], int]  # the symbol of each cell, and the player to move


@dataclass
class Layer:
    """The counts of one depth."""

    states: set = field(default_factory=set)
    raw: set = field(default_factory=set)
    open: int = 0
    ended: Counter = field(default_factory=Counter)
    raw_open: int = 0
    raw_ended: Counter = field(default_factory=Counter)


class Naive:
    """Rules as data (`Rules.to_data()`), interpreted."""

    def __init__(self, data, *, most_images=None):
        self.data = data
        self.symbols = list(data["symbols"])
        self.players = list(data["players"]) if len(data["players"]) == 2 else []
        self.start = (tuple(data["start"]), 0)
        self.group = self._group(most_images)
        self.places = {symbol: place for place, symbol in enumerate(self.symbols)}
        # Results are kept, since a test asks about a state several times: for its depth, its outcome and its distance.
        self.end, self.successors, self.outcome = cache(self.end), cache(self.successors), cache(self.outcome)
        self.layers, self.canonical = cache(self.layers), cache(self.canonical)

    def holds(self, pattern, cells):
        for cell, allowed in pattern:  # noqa: SIM110 - twice as fast as `all`, and most of the work of many tests
            if cells[cell] not in allowed:
                return False
        return True

    def apply(self, move, cells):
        after = list(cells)
        for cell, source in move["then"]:
            if isinstance(source, str):
                after[cell] = source
            else:
                symbol = cells[source["copy"]]
                after[cell] = source.get("map", {}).get(symbol, symbol)
        return tuple(after)

    def end(self, state):
        """The outcome of the end that holds. If several hold, the outcome that the rules name first counts.

        The wins of the two players have one place in this order, that of the first. If both hold, the player who has
        just moved wins. In rules with a score, an end has no outcome of its own; `points` tells what it is worth.
        """
        cells, player = state
        if self.data.get("score"):
            return "over" if any(self.wants(end, cells) for end in self.data["ends"]) else None
        order = list(dict.fromkeys([*(end["outcome"] for end in self.data["ends"]), *self.players]))
        held = {end["outcome"] for end in self.data["ends"] if self.wants(end, cells)}
        both = held & set(self.players)
        if both:
            mover = self.players[1 - player]
            held = (held - both) | {"a player wins"}
            order = ["a player wins" if name in self.players else name for name in order]
        first = min(held, key=order.index) if held else None
        return (mover if mover in both else both.pop()) if first == "a player wins" else first

    def solved(self, cells):
        return any(self.satisfies(goal, cells) for goal in self.data["goal"])

    def satisfies(self, goal, cells):
        """Returns `True` if a goal holds: a pattern, or a pattern and other conditions."""
        return self.wants(goal, cells) if isinstance(goal, dict) else self.holds(goal, cells)

    def wants(self, given, cells):
        """Returns `True` if the pattern of a goal, an end or a move holds, and all its conditions."""
        for count in given.get("counts", ()):
            looked = range(len(cells)) if count.get("of") is None else count["of"]
            there = len([cell for cell in looked if cells[cell] in count["symbols"]])
            if there < count.get("at_least", 0) or there > count.get("at_most", there):
                return False
        for pattern in given.get("unless", ()):
            if self.holds(pattern, cells):
                return False
        for path in given.get("connected", ()):
            reached = {cell for cell in path["from"] if cells[cell] in path["symbols"]}
            for _ in cells:
                beside = [pair for pair in path["edges"] if reached.intersection(pair)]
                reached |= {cell for pair in beside for cell in pair if cells[cell] in path["symbols"]}
            if not reached.intersection(path["to"]):
                return False
        return self.holds(given.get("when", ()), cells)

    def can(self, move, cells):
        """Returns `True` if the guard of a move holds."""
        for one, other in move.get("equal", ()):
            if cells[one] != cells[other]:
                return False
        for one, other in move.get("different", ()):
            if cells[one] == cells[other]:
                return False
        return self.wants(move, cells)

    def successors(self, state):
        """Pairs: the place of a move, and the state after it."""
        cells, player = state
        if self.end(state) is not None:
            return []
        following = (player + 1) % max(len(self.players), 1)
        made = [
            (place, (self.apply(move, cells), player if move.get("again") else following))
            for place, move in self.possible(cells, player)
        ]
        if not made and self.possible(cells, following):
            passes = [place for place, move in enumerate(self.data["moves"]) if move.get("forced")]
            return [(place, (cells, following)) for place in passes]
        return made

    def possible(self, cells, player):
        """The moves that a player can make, with their places; not the pass of a player who has none."""
        return [
            (place, move)
            for place, move in enumerate(self.data["moves"])
            if not move.get("forced")
            and (not self.players or move["player"] in (None, self.players[player]))
            and self.can(move, cells)
        ]

    def points(self, state):
        """The points of the first player in a state in which play is over, by the end that counts.

        That is the end whose number of points the rules name first, with either sign. If ends with both signs hold, the
        points are those that are better for the player who is not to move. An end without a number, like a state
        without a move, is worth the sum over the cells.
        """
        cells, player = state
        held = [end.get("score") for end in self.data["ends"] if self.wants(end, cells)]
        for end in self.data["ends"]:
            number = end.get("score")
            if number is None and None in held:
                break
            signed = [points for points in held if points is not None and number in (points, -points)]
            if signed:
                return max(signed) if player == 1 else min(signed)
        total = 0
        for part in self.data["score"]["sums"]:
            looked = range(len(cells)) if part.get("of") is None else part["of"]
            points = sum(part["worth"].get(cells[cell], 0) for cell in looked)
            total += points if part["player"] == self.players[0] else -points
        return total

    def outcome(self, state):
        cells, player = state
        if self.data.get("score"):
            if self.end(state) is None and self.successors(state):
                return None
            points = self.points(state)
            return "draw" if points == 0 else self.players[points < 0]
        if self.end(state) is not None:
            return self.end(state)
        if self.successors(state):
            return None
        if not self.players:
            return "solved" if self.solved(cells) else "stuck"
        winner = {"win": player, "loss": 1 - player}.get(self.data["stuck"])
        return "draw" if winner is None else self.players[winner]

    def image(self, symmetry, state):
        cells, player = state
        after = [""] * len(cells)
        for cell, symbol in enumerate(cells):
            after[symmetry["cells"][cell]] = symmetry["symbols"].get(symbol, symbol)
        return tuple(after), 1 - player if symmetry["swap_players"] else player

    def _group(self, most=None):
        """All products of the generators. If there are more than `most`, only some of them, but more than `most`."""
        identity = (tuple(range(len(self.data["start"]))), tuple(self.symbols), False)
        group, new = {identity}, [identity]
        while new and (most is None or len(group) <= most):
            cells, symbols, swap = new.pop()
            for generator in self.data["symmetries"]:
                product = (
                    tuple(generator["cells"][cell] for cell in cells),
                    tuple(generator["symbols"].get(symbol, symbol) for symbol in symbols),
                    swap != generator["swap_players"],
                )
                if product not in group:
                    group.add(product)
                    new.append(product)
        return [
            {"cells": cells, "symbols": dict(zip(self.symbols, symbols, strict=True)), "swap_players": swap}
            for cells, symbols, swap in sorted(group)
        ]

    def canonical(self, state, *, swaps=True):
        """The smallest image, by player to move and then by the symbols' places in the list."""
        cells, player = state
        player, places = min(
            (1 - player if swap else player, [places[cells[source]] for source in sources])
            for sources, places, swap in self.changes
            if swaps or not swap
        )
        return tuple([self.symbols[place] for place in places]), player

    @cached_property
    def changes(self):
        """For each symmetry: the cell that each cell of an image comes from, and the place of each symbol's image."""
        return [
            (
                sorted(range(len(symmetry["cells"])), key=symmetry["cells"].__getitem__),
                {symbol: self.places[image] for symbol, image in symmetry["symbols"].items()},
                symmetry["swap_players"],
            )
            for symmetry in self.group
        ]

    def layers(self, max_depth=None):
        """The states of each depth: all of them, and one of each orbit. Symmetries that swap players are not used."""
        seen, frontier, layers = {self.start}, [self.start], []
        while frontier and (max_depth is None or len(layers) <= max_depth):
            layer = Layer(raw=set(frontier), states={self.canonical(state, swaps=False) for state in frontier})
            for state in layer.states:
                outcome = self.outcome(state)
                layer.open += outcome is None
                layer.ended.update([outcome] if outcome else [])
            for state in layer.raw:
                outcome = self.outcome(state)
                layer.raw_open += outcome is None
                layer.raw_ended.update([outcome] if outcome else [])
            layers.append(layer)
            found = {after for state in frontier for _, after in self.successors(state)} - seen
            seen |= found
            frontier = list(found)
        return layers


def plain_search(rules) -> Naive:
    """The plain search of some rules. Those of the last rules are kept, with all that they have found."""
    return _search(json.dumps(rules.to_data()))


@lru_cache(maxsize=4)
def _search(data: str) -> Naive:
    return Naive(json.loads(data))
