"""The part of the suite about games: what their ends and moves say that an author may not have meant.

All of it is notes: each may be meant so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from puzzlekit.testing.plain import player_of
from puzzlekit.testing.subject import PLAYS, Looked, Subject

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


def sides(subject: Subject) -> Looked:
    """Looks for what an author may not have meant.

    That is a player without a move, moves that either player may make, ends that never hold or hold at once, and a game
    that nobody wins.
    """
    data: dict[str, Any] = subject.puzzle.rules().to_data()
    if len(data["players"]) != 2:
        return Looked(0)
    notes = [*_without_moves(data), *_of_anyone(data), *_never(data), *_at_once(subject, data)]
    # Each of these may be the reason why nobody wins, so that would be no news.
    notes = notes or [*_never_won(subject, data)]
    return Looked(len(data["moves"]) + len(data["ends"]), tuple(notes))


def _without_moves(data: Mapping[str, Any]) -> Iterator[str]:
    for player in data["players"]:
        if not any(move["player"] in (None, player) and not move.get("forced") for move in data["moves"]):
            yield (
                f"no move of the rules is one of {player}, who can never move; moves without by() are those of both "
                "players"
            )


def _of_anyone(data: Mapping[str, Any]) -> Iterator[str]:
    """A note if no move has a player, and each player's name is a symbol that some move needs in a cell."""
    moves = [move for move in data["moves"] if not move.get("forced")]
    if any(move["player"] is not None for move in moves):
        return
    needing = {
        player: next((move for move in moves if any(tuple(held) == (player,) for _, held in move["when"])), None)
        for player in data["players"]
    }
    first, second = needing.values()
    if first is not None and second is not None and first is not second:
        player = data["players"][0]
        yield (
            f'either player may make the move "{first["name"]}", which needs {player} in a cell, as every other move; '
            f'if only {player} may, say .by("{player}")'
        )


def _never(data: Mapping[str, Any]) -> Iterator[str]:
    """Notes on ends that need a symbol which is not in the start, and which no move writes."""
    there = set(data["start"])
    for move in data["moves"]:
        for _, source in move["then"]:
            there |= {source} if isinstance(source, str) else set(source["map"].values())
    for end in data["ends"]:
        lacking = next((held for held in _needed(end) if there.isdisjoint(held)), None)
        if lacking is not None:
            outcome = end.get("outcome")
            which = f'an end with the outcome "{outcome}"' if outcome else "an end"
            yield (
                f"{which} never holds: it needs {' or '.join(lacking)}, which is not in the start, and which no move "
                "writes"
            )


def _needed(end: Mapping[str, Any]) -> Iterator[Sequence[str]]:
    """For each condition of an end that asks for a symbol: the symbols of which one must be there."""
    yield from (held for _, held in end.get("when", ()))
    yield from (count["symbols"] for count in end.get("counts", ()) if count.get("at_least", 0) > 0)
    yield from (path["symbols"] for path in end.get("connected", ()))


def _never_won(subject: Subject, data: Mapping[str, Any]) -> Iterator[str]:
    """A note if no player has won in any state that was looked at, so that probably nobody can win.

    Unless play reaches few states, random plays are looked at, too. If most of them do not end, they say nothing.
    """
    outcome, players = subject.puzzle.outcome, data["players"]
    if data.get("score") or any(outcome(state) in players for state in subject.walked):
        return
    where = f"in none of the {len(subject.walked):,} states that play reaches"
    if not subject.walked_all:
        last = [outcome(state) for state in subject.last_states]
        if len(last) <= PLAYS // 2 or any(each in players for each in last):
            return
        where = f"in none of the first {len(subject.walked):,} states, and after none of {len(last)} random plays,"
    yield f"{where} has a player won; if somebody should win, look at the ends, and at what stuck= says"


def _at_once(subject: Subject, data: dict[str, Any]) -> Iterator[str]:
    """A note on a state in which ends of several outcomes hold, and not the outcome of the first of them counts.

    There is none if the same patterns end play for both players. That is how rules say that the player wins who
    completes a pattern.
    """
    if data.get("score"):
        return
    notation, players, player = subject.puzzle.engine.notation, data["players"], player_of(data)
    for state in (*subject.walked, *subject.last_states):
        codes, mover = notation.read(state)
        cells = bytes(codes)
        ends = zip(data["ends"], player.ends, strict=True)
        met = [end for end, (_, wanted, _) in ends if player.holds(wanted, cells)]
        outcomes = list(dict.fromkeys(end["outcome"] for end in met))
        counts = player.end((cells, mover))
        patterns = [[end | {"outcome": ""} for end in met if end["outcome"] == each] for each in players]
        if met and counts != outcomes[0] and patterns[0] != patterns[1]:
            both = set(players) <= set(outcomes)
            why = "since the player who has just moved wins" if both else "which is mentioned first"
            yield (
                f"in {state}, ends with the outcomes {' and '.join(outcomes)} hold at once, and {counts} counts, "
                f"{why}: the first end in the list that holds need not (docs/rules.md, Puzzles and games)"
            )
            return
