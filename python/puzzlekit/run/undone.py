"""Rules of play that goes back: each move undoes a move of the rules it is made from.

A move that writes what its guard leaves open can be undone in several ways, so it has several undoing moves. Many of
them would lead to states that play never reaches, such as disks in the air. They are kept out by pairs of facts: a fact
is a symbol in a cell, and two facts may hold together only if the start has both, or some move can bring them together.
"""

from __future__ import annotations

from itertools import product
from typing import Any

MOST_WAYS = 16
"""Rules with a move that can be undone in more ways than this are left alone."""

PLAIN = {"name", "player", "when", "then"}
"""The only parts that a plain move has. Rules with other moves, such as moves with conditions, are left alone."""


def undone(data: dict[str, Any]) -> dict[str, Any] | None:
    """The rules of play that goes back; `None` if some move is not plain, or if both players may make it.

    Two players go back in turn, the one who moved last first. Play is never over.

    >>> move = {"name": "light", "when": [(0, ["off"])], "then": [(0, "on")]}
    >>> back = undone({"symbols": ["off", "on"], "start": ["off"], "moves": [move], "players": []})
    >>> back["moves"]
    [{'name': '0', 'when': [(0, ['on'])], 'then': [(0, 'off')]}]

    Args:
        data: The rules as data, as `Rules.to_data` makes them.
    """
    symbols, players = data["symbols"], data.get("players") or []
    if any(set(move) - PLAIN or any(not isinstance(to, str) for _, to in move["then"]) for move in data["moves"]):
        return None
    if players and any(move.get("player") is None for move in data["moves"]):
        return None
    together = _Together(data)
    moves: list[dict[str, Any]] = []
    for move in data["moves"]:
        when, then = _guard(move["when"]), dict(move["then"])
        before = [[(cell, symbol) for symbol in when.get(cell, symbols)] for cell in then]
        ways = list(product(*before))
        if len(ways) > MOST_WAYS:
            return None
        for way in ways:
            guard = {cell: held for cell, held in when.items() if cell not in then}
            guard |= together.allowed(way, move.get("player"), guard, then)
            if not all(guard.values()):
                continue
            guard |= {cell: [symbol] for cell, symbol in then.items()}
            back = {"name": str(len(moves)), "when": sorted(guard.items()), "then": list(way)}
            if players:
                back["player"] = players[(players.index(move["player"]) + 1) % len(players)]
            moves.append(back)
    given = {"moves": moves, "goal": [], "ends": [], "symmetries": [], "stuck": "draw" if players else None}
    return {name: value for name, value in data.items() if name != "score"} | given


def _guard(when: list[tuple[int, list[str]]]) -> dict[int, list[str]]:
    """A guard by cells. If it names a cell twice, both sets of symbols have to allow the symbol there."""
    found: dict[int, list[str]] = {}
    for cell, held in when:
        found[cell] = [symbol for symbol in found.get(cell, held) if symbol in held]
    return found


class _Together:
    """The facts that may hold together. Whose turn it is counts as the symbol of one more cell."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._symbols: list[str] = data["symbols"]
        self._players: list[str] = data.get("players") or []
        self._cells = len(data["start"])
        self._width = max(len(self._symbols), len(self._players))
        start = [self._fact(cell, symbol) for cell, symbol in enumerate(data["start"])]
        start += [self._turn(0)] if self._players else []
        self._with = [0] * ((self._cells + 1) * self._width)
        """For each fact, a bit for each fact that may hold with it."""
        for fact in start:
            self._with[fact] = sum(1 << other for other in start)
        changes = True
        moves = [self._facts(move) for move in data["moves"]]
        while changes:
            changes = sum(self._make(guard, written) for guard, written in moves) > 0

    def _fact(self, cell: int, symbol: str) -> int:
        return cell * self._width + self._symbols.index(symbol)

    def _turn(self, player: int) -> int:
        return self._cells * self._width + player

    def _facts(self, move: dict[str, Any]) -> tuple[list[list[int]], list[int]]:
        """For each cell of the guard, the facts that it allows; and the facts that the move makes."""
        guard = [[self._fact(cell, symbol) for symbol in held] for cell, held in move["when"]]
        written = [self._fact(cell, symbol) for cell, symbol in move["then"]]
        if self._players:
            mover = self._players.index(move["player"])
            guard.append([self._turn(mover)])
            written.append(self._turn((mover + 1) % len(self._players)))
        return guard, written

    def _cell_bits(self, fact: int) -> int:
        """A bit for each fact of the cell that a fact is about."""
        return ((1 << self._width) - 1) << (fact // self._width * self._width)

    def _make(self, guard: list[list[int]], written: list[int]) -> bool:
        """Notes what may hold after a move. Returns `True` if that is more than was known."""
        may = (1 << len(self._with)) - 1
        for facts in guard:
            held = 0
            for fact in facts:
                held |= self._with[fact]
            may &= held
            may &= ~self._cell_bits(facts[0]) | sum(1 << fact for fact in facts)
        if not all(any(may >> fact & 1 for fact in facts) for facts in guard):
            return False
        for fact in written:
            may &= ~self._cell_bits(fact)
        may |= sum(1 << fact for fact in written)
        new = [fact for fact in written if self._with[fact] | may != self._with[fact]]
        for fact in new:
            self._with[fact] |= may
            for other in range(len(self._with)):
                if may >> other & 1:
                    self._with[other] |= 1 << fact
        return bool(new)

    def allowed(
        self,
        facts: tuple[tuple[int, str], ...],
        player: str | None,
        guard: dict[int, list[str]],
        written: dict[int, str],
    ) -> dict[int, list[str]]:
        """For each cell that a guard should name: the symbols that may stand there together with the given facts."""
        may = -1
        for cell, symbol in facts:
            may &= self._with[self._fact(cell, symbol)]
        if self._players and player is not None:
            may &= self._with[self._turn(self._players.index(player))]
        found = {}
        for cell in range(self._cells):
            known = guard.get(cell, self._symbols)
            left = [symbol for symbol in known if may >> self._fact(cell, symbol) & 1]
            if cell not in written and len(left) < len(known):
                found[cell] = left
        return found
