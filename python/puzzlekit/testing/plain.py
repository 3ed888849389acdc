"""A search that reads rules in the simplest way, without packing, symmetries or an index, to check the engine."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


def _holds(pattern: Any, cells: tuple[str, ...]) -> bool:  # noqa: ANN401 - a pattern as data
    for cell, allowed in pattern:  # noqa: SIM110 - twice as fast as `all`, and most of the work of the search
        if cells[cell] not in allowed:
            return False
    return True


def _after(move: dict[str, Any], cells: tuple[str, ...]) -> tuple[str, ...]:
    written = list(cells)
    for cell, source in move["then"]:
        copied = source if isinstance(source, str) else cells[source["copy"]]
        written[cell] = source if isinstance(source, str) else source.get("map", {}).get(copied, copied)
    return tuple(written)


def _guarded(move: dict[str, Any], cells: tuple[str, ...]) -> bool:
    if not _wanted(move, cells):  # it comes first, since it fails for most moves
        return False
    same = all(cells[one] == cells[other] for one, other in move.get("equal", ()))
    return same and all(cells[one] != cells[other] for one, other in move.get("different", ()))


def _counted(count: dict[str, Any], cells: tuple[str, ...]) -> bool:
    there = sum(cells[cell] in count["symbols"] for cell in count.get("of", range(len(cells))))
    return bool(count.get("at_least", 0) <= there <= count.get("at_most", there))


def _joined(path: dict[str, Any], cells: tuple[str, ...]) -> bool:
    fits = {cell for cell, held in enumerate(cells) if held in path["symbols"]}
    reached, new = set(), [cell for cell in path["from"] if cell in fits]
    while new:
        cell = new.pop()
        reached.add(cell)
        beside = {other for pair in path["edges"] if cell in pair for other in pair}
        new += beside & fits - reached
    return not reached.isdisjoint(path["to"])


def _wanted(given: dict[str, Any], cells: tuple[str, ...]) -> bool:
    """Returns `True` if a goal, an end or the guard of a move is met: its pattern, and its other conditions."""
    if not _holds(given.get("when", ()), cells):
        return False
    return (
        all(_counted(count, cells) for count in given.get("counts", ()))
        and not any(_holds(pattern, cells) for pattern in given.get("unless", ()))
        and all(_joined(path, cells) for path in given.get("connected", ()))
    )


def _solved(goal: Any, cells: tuple[str, ...]) -> bool:  # noqa: ANN401 - a goal as data
    return _wanted(goal, cells) if isinstance(goal, dict) else _holds(goal, cells)


def _points(data: dict[str, Any], cells: tuple[str, ...], player: int) -> int:
    """The first player's points in a state in which play is over, with `player` to move, by rules that have a score.

    Several ends may hold. The first of them in the rules decides the number of points, whoever gets them. If an end
    with the same number and the other sign holds, too, the better one for the player who is not to move counts. If that
    end names no number, or no end holds, the points of the cells are added up.
    """
    held = [end.get("score") for end in data["ends"] if _wanted(end, cells)]
    named = [end.get("score") for end in data["ends"]]
    for number in named:
        as_many = [other for other in held if other == number or (number is not None and other == -number)]
        if as_many and number is not None:
            return int(max(as_many) if player == 1 else min(as_many))
        if as_many:
            break
    total = 0
    for each in data["score"]["sums"]:
        worth = sum(each["worth"].get(cells[cell], 0) for cell in each.get("of", range(len(cells))))
        total += worth if each["player"] == data["players"][0] else -worth
    return total


def ends_met(data: Mapping[str, Any], cells: tuple[str, ...]) -> list[dict[str, Any]]:
    """All ends that hold in a state, in their order."""
    return [end for end in data["ends"] if _wanted(end, cells)]


def after_ends(data: Mapping[str, Any], met: Collection[str], player: int) -> str | None:
    """The outcome that counts if ends with the outcomes `met` hold, with `player` to move; `None` if none holds.

    If ends with different outcomes hold, the outcome that the rules name first counts. The wins of the two players
    share one place in that order, the earlier one. If both players win, the player who is not to move does.
    """
    players = data["players"] if len(data["players"]) == 2 else []
    named = list(dict.fromkeys([*(end["outcome"] for end in data["ends"]), *players]))
    first = min(met, key=lambda name: min(map(named.index, players if name in players else [name])), default=None)
    mover = players[1 - player] if players else None
    return mover if first in players and mover in met else first


def naive(data: dict[str, Any], limit: int) -> list[tuple[int, int, dict[str, int]]]:
    """For each depth the number of states, the number of those that are open, and the outcomes of the others.

    A state is open if play goes on in it. This is a breadth-first search over rules as data (docs/rules.md). It ends
    after the depth at which `limit` states are known, or when no state is open.
    """
    players = data["players"] if len(data["players"]) == 2 else []

    def moves(cells: tuple[str, ...], player: int) -> list[tuple[tuple[str, ...], int]]:
        following = 1 - player if players else 0
        able = [move for move in data["moves"] if not players or move["player"] in (None, players[player])]
        made = [
            (_after(move, cells), player if move.get("again") else following)
            for move in able
            if not move.get("forced") and _guarded(move, cells)
        ]
        passes = players and not made and any(move.get("forced") for move in able)
        if passes and any(not move.get("forced") and _guarded(move, cells) for move in theirs(1 - player)):
            return [(cells, following)]
        return made

    def theirs(player: int) -> list[dict[str, Any]]:
        return [move for move in data["moves"] if move["player"] in (None, players[player])]

    def outcome(cells: tuple[str, ...], player: int) -> str | None:
        if data.get("score"):
            if moves(cells, player) and not any(_wanted(end, cells) for end in data["ends"]):
                return None
            ahead = _points(data, cells, player)
            return "draw" if ahead == 0 else str(players[ahead < 0])
        over = after_ends(data, [end["outcome"] for end in ends_met(data, cells)], player)
        if over is not None or moves(cells, player):
            return over
        if not players:
            return "solved" if any(_solved(goal, cells) for goal in data["goal"]) else "stuck"
        winner = {"win": player, "loss": 1 - player}.get(data["stuck"])
        return "draw" if winner is None else str(players[winner])

    seen = {(tuple(data["start"]), 0)}
    frontier, counts, known = sorted(seen), [], 0
    while frontier and known < limit:
        ended: Counter[str] = Counter()
        following = []
        for cells, player in frontier:
            over = outcome(cells, player)
            if over is not None:
                ended[over] += 1
                continue
            for reached in moves(cells, player):
                if reached not in seen:
                    seen.add(reached)
                    following.append(reached)
        counts.append((len(frontier), len(frontier) - sum(ended.values()), dict(ended)))
        known += len(frontier)
        frontier = following
    return counts
