"""Plays rules that are given as data, in plain Python, for the proof of a job; docs/rules.md describes the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

State = tuple[bytes, int]
"""The place of each cell's symbol in the rules' list, and the player to move: 0 or 1, and 0 in a puzzle."""


class Player:
    """Plays rules that are given as data."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.symbols = [str(symbol) for symbol in data["symbols"]]
        self.places = {symbol: place for place, symbol in enumerate(self.symbols)}
        self.players = list(data["players"]) if len(data["players"]) == 2 else []
        self.start: State = (bytes(self.places[symbol] for symbol in data["start"]), 0)
        self.moves = [self._move(move) for move in data["moves"]]
        self.goals = [self._condition(goal if isinstance(goal, dict) else {"when": goal}) for goal in data["goal"]]
        self.ends = [(end.get("outcome", ""), self._condition(end), end.get("score")) for end in data["ends"]]
        self.stuck = data["stuck"]
        self.order = list(dict.fromkeys([*(outcome for outcome, _, _ in self.ends), *self.players]))
        self.score = data.get("score")
        self.group = self._group(data["symmetries"])

    def _codes(self, symbols: Iterable[str]) -> frozenset[int]:
        return frozenset(self.places[symbol] for symbol in symbols)

    def _condition(self, given: dict[str, Any]) -> dict[str, Any]:
        def pattern(listed: Any) -> list[tuple[int, frozenset[int]]]:  # noqa: ANN401
            return [(cell, self._codes(held)) for cell, held in listed]

        return {
            "when": pattern(given.get("when", ())),
            "unless": [pattern(each) for each in given.get("unless", ())],
            "counts": [{**each, "symbols": self._codes(each["symbols"])} for each in given.get("counts", ())],
            "connected": [{**each, "symbols": self._codes(each["symbols"])} for each in given.get("connected", ())],
            "equal": given.get("equal", ()),
            "different": given.get("different", ()),
        }

    def _move(self, move: dict[str, Any]) -> dict[str, Any]:
        writes: list[tuple[int, int | None, Any]] = []
        for cell, source in move["then"]:
            if isinstance(source, str):
                writes.append((cell, None, self.places[source]))
                continue
            become = {self.places[a]: self.places[b] for a, b in source.get("map", {}).items()}
            writes.append((cell, source["copy"], [become.get(code, code) for code in range(len(self.symbols))]))
        owner = None if move["player"] is None else self.players.index(move["player"])
        flags = {flag: move.get(flag, False) for flag in ("forced", "again")}
        return {"guard": self._condition(move), "writes": writes, "player": owner, **flags}

    def _group(self, generators: list[dict[str, Any]]) -> list[tuple[list[int], bytes]]:
        """All products of the symmetries that do not swap the players, each as a pair.

        The pair is, for each cell, the cell whose symbol goes there; and for each symbol, the symbol that replaces it.
        """
        one = (tuple(range(len(self.start[0]))), bytes(range(len(self.symbols))), False)
        found, new = {one}, [one]
        for cells, symbols, swap in new:
            for given in generators:
                become = {self.places[str(a)]: self.places[str(b)] for a, b in given["symbols"].items()}
                product = (
                    tuple(given["cells"][cell] for cell in cells),
                    bytes(become.get(code, code) for code in symbols),
                    swap != given["swap_players"],
                )
                if product not in found:
                    found.add(product)
                    new.append(product)
        return [(sorted(range(len(cells)), key=cells.__getitem__), symbols) for cells, symbols, swap in new if not swap]

    def holds(self, wanted: dict[str, Any], cells: bytes) -> bool:
        """Returns `True` if a goal, an end or a guard holds."""
        if any(cells[cell] not in held for cell, held in wanted["when"]):
            return False
        if any(cells[a] != cells[b] for a, b in wanted["equal"]) or any(
            cells[a] == cells[b] for a, b in wanted["different"]
        ):
            return False
        if any(all(cells[cell] in held for cell, held in pattern) for pattern in wanted["unless"]):
            return False
        for count in wanted["counts"]:
            looked = cells if count.get("of") is None else [cells[cell] for cell in count["of"]]
            there = sum(code in count["symbols"] for code in looked)
            if not count.get("at_least", 0) <= there <= count.get("at_most", there):
                return False
        return all(self._joined(path, cells) for path in wanted["connected"])

    def _joined(self, path: dict[str, Any], cells: bytes) -> bool:
        good = {cell for cell in range(len(cells)) if cells[cell] in path["symbols"]}
        reached = good.intersection(path["from"])
        for _ in cells:
            beside = {cell for pair in path["edges"] if reached.intersection(pair) for cell in pair}
            reached |= beside & good
        return bool(reached.intersection(path["to"]))

    def end(self, state: State) -> str | None:
        """The outcome of the first end that holds, in the order in which the rules name outcomes.

        Wins of both players have one place in that order, that of the player who is named first. If both have won, the
        player who is not to move wins.
        """
        held = {outcome for outcome, wanted, _ in self.ends if self.holds(wanted, state[0])}
        wins = [name for name in self.order if name in self.players]
        for outcome in self.order:
            if outcome in self.players and held & set(wins):
                mover = self.players[1 - state[1]]
                return str(mover if mover in held else next(name for name in wins if name in held))
            if outcome in held:
                return str(outcome)
        return None

    def can(self, state: State) -> list[dict[str, Any]]:
        """The moves whose guards hold and that their player may make, passes left out."""
        mine = (None, state[1])
        return [
            move
            for move in self.moves
            if not move["forced"] and move["player"] in mine and self.holds(move["guard"], state[0])
        ]

    def after(self, state: State) -> list[State]:
        """The states after all moves; none if play is over."""
        if self.end(state) is not None:
            return []
        moves, turn = self.can(state), 1 - state[1] if self.players else 0
        if not moves and any(move["forced"] for move in self.moves) and self.can((state[0], turn)):
            return [(state[0], turn)]
        found = []
        for move in moves:
            cells = bytearray(state[0])
            for cell, source, code in move["writes"]:
                cells[cell] = code if source is None else code[state[0][source]]
            found.append((bytes(cells), state[1] if move["again"] else turn))
        return found

    def solved(self, state: State) -> bool:
        """Returns `True` if a state satisfies the goal."""
        return any(self.holds(goal, state[0]) for goal in self.goals)

    def points(self, state: State) -> int:
        """The points of the first player where play is over, in rules with a score.

        If several ends hold, the one counts whose number of points the rules name first, with either sign; and of these
        the one that is better for the player who has just moved. If no end holds, or this one has no number, the points
        of the cells are added up.
        """
        held = {points for _, wanted, points in self.ends if self.holds(wanted, state[0])}
        for _, _, points in self.ends:
            said = held & ({None} if points is None else {points, -points})
            if said:
                break
        if held and None not in said:
            return int(max(said) if state[1] == 1 else min(said))
        found = 0
        for each in (self.score or {})["sums"]:
            cells = range(len(state[0])) if each.get("of") is None else each["of"]
            worth = sum(each["worth"].get(self.symbols[state[0][cell]], 0) for cell in cells)
            found += worth if each["player"] == self.players[0] else -worth
        return found

    def outcome(self, state: State, after: Iterable[State]) -> str | None:
        """The outcome of a state with these successors; `None` if play goes on."""
        end = self.end(state)
        if after and end is None:
            return None
        if self.score:
            points = self.points(state)
            return str(self.players[points < 0]) if points else "draw"
        if end is not None:
            return end
        if not self.players:
            return "solved" if self.solved(state) else "stuck"
        winner = {"win": state[1], "loss": 1 - state[1]}.get(self.stuck)
        return "draw" if winner is None else str(self.players[winner])

    def text(self, state: State) -> str:
        """A state as a message names it."""
        symbols = [self.symbols[code] for code in state[0]]
        text = ("" if all(len(symbol) == 1 for symbol in self.symbols) else ",").join(symbols)
        return f"{text}:{self.players[state[1]]}" if self.players else text

    def images(self, state: State) -> list[State]:
        """The images of a state, one for each symmetry in the order of `group`, so that equal ones are repeated."""
        made = []
        for sources, symbols in self.group:
            become = state[0].translate(symbols.ljust(256, b"\0"))
            made.append((bytes(map(become.__getitem__, sources)), state[1]))
        return made
