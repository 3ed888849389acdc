"""Rules: a puzzle or game as plain data, with its symbols, start, moves, goals, ends and symmetries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from puzzlekit.describe.conditions import Goal, read_goal
from puzzlekit.describe.drawing import Board, check_rows, read_drawing
from puzzlekit.describe.moves import Move, move_data
from puzzlekit.describe.patterns import (
    BySymbol,
    Listed,
    Symbol,
    When,
    brief,
    kept,
    listed,
    read_cell,
    read_list,
    read_map,
    read_pattern,
    read_some,
    read_symbol,
    whole_number,
)
from puzzlekit.errors import RulesError

if TYPE_CHECKING:
    from puzzlekit.describe.score import Score

PASS = Move({}, name="pass", forced=True)
"""The move of a player who must pass: one who has no other move, while the other player has one."""

AUTO = "auto"
"""The value of `Rules(symmetries=...)` for which the engine finds the symmetries."""


@dataclass(frozen=True)
class End:
    """A pattern that ends play.

    Args:
        outcome: A player's name (who wins), `"draw"`, or any other word. If ends with several outcomes hold at once,
            the outcome that the rules name first counts. If both players win, the player who has just moved does.
        when: The pattern; or conditions of `count`, `unless` and `connected`, joined by `&`.
        wins: Whether the outcome must be a player's name.
        score: The points of the first player, if the rules have a score and the cells do not tell the points.
    """

    outcome: str
    when: When | Goal
    wins: bool = False
    score: int | None = None

    def __post_init__(self) -> None:
        if isinstance(self.when, Mapping):
            object.__setattr__(self, "when", kept(self.when))


def win(player: Symbol, when: When | Goal) -> End:
    """An end that `player` wins.

    >>> from puzzlekit import count
    >>> ends = [win("X", {0: "X", 1: "X"}), win("O", count("O", at_least=5))]
    """
    return End(read_symbol(player, "an end"), when, wins=True)


def over(when: When | Goal, *, score: int | None = None) -> End:
    """An end in rules with a score, in which the points tell who has won.

    >>> end = over({0: "X", 1: "X"})  # the cells tell the score
    >>> end = over({0: "O", 1: "O"}, score=-5)  # the second player is 5 ahead

    Args:
        when: The pattern.
        score: The points of the first player. If it is `None`, the cells tell them.
    """
    return End("", when, score=score)


UNNAMED = "unnamed"
"""The name of a symmetry to which its author has given none."""


@dataclass(frozen=True)
class Symmetry:
    """A symmetry of the rules: it must carry each move onto a move, and the start, goal and ends onto themselves.

    Args:
        cells: For each cell, the cell to which its symbol goes: a list, or a mapping that names all cells.
        symbols: What each symbol turns into. Symbols that are not named stay as they are.
        swap_players: Whether the two players change places.
        name: What messages call the symmetry.
    """

    cells: tuple[int, ...]
    symbols: BySymbol[Symbol] = field(default_factory=dict)
    swap_players: bool = False
    name: str = UNNAMED

    def __post_init__(self) -> None:
        if isinstance(self.cells, Iterable):
            object.__setattr__(self, "cells", self._listed(self.cells))

    def _listed(self, given: Iterable[int]) -> tuple[int, ...]:
        """For each cell, the cell to which its symbol goes, as a tuple."""
        if isinstance(given, AbstractSet | str):
            raise RulesError(f"{self.called()} has the cells {given!r}; list for each cell where its symbol goes")
        if not isinstance(given, Mapping):
            return read_some(given, f"the list of cells of {self.called()}")
        if missing := [cell for cell in range(len(given)) if cell not in given]:
            raise RulesError(
                f"{self.called()} maps {len(given)} cells, and cell {missing[0]} is not one of them; say of each cell "
                "where its symbol goes, also of those that stay"
            )
        return tuple(given[cell] for cell in range(len(given)))

    def called(self) -> str:
        """The words for the symmetry in messages."""
        return "a symmetry" if self.name == UNNAMED else f'the symmetry "{self.name}"'

    def fixing(self, state: Iterable[Symbol]) -> Symmetry:
        """The symmetry that moves cells in the same way, and renames symbols so that a state is carried onto itself.

        A turn of the board moves the tiles of a solved puzzle away from their places. If each tile is renamed after its
        new place, the turn is a symmetry again.

        >>> Symmetry((1, 0)).fixing("AB").symbols
        {'A': 'B', 'B': 'A'}
        """
        symbols = [read_symbol(symbol, self.called()) for symbol in state]
        if sorted(self.cells) != list(range(len(symbols))):
            raise RulesError(f"{self.called()} is no permutation of the {len(symbols)} cells of {state!r}")
        renamed: dict[Symbol, Symbol] = {}
        for cell, symbol in enumerate(symbols):
            target = symbols[self.cells[cell]]
            if renamed.setdefault(symbol, target) != target:
                raise RulesError(
                    f'no change of symbols lets {self.called()} carry the start onto itself: "{symbol}" '
                    f'would have to become "{renamed[symbol]}" and "{target}"; leave the symmetry out'
                )
        return replace(self, symbols=renamed)


STUCK = ("draw", "loss", "win", "pass")
"""The meanings of a state without a move, for the player to move: a draw, a loss, a win, or a pass."""


def check_rules(value: object) -> None:
    """Refuses a value that is no `Rules`.

    Raises:
        RulesError: The value is something else.
    """
    if not isinstance(value, Rules):
        raise RulesError(f"the rules are {value!r}; give puzzlekit.Rules, such as puzzle.rules()")


@dataclass(frozen=True)
class Rules:
    """The rules of a puzzle or game. They are checked when they are compiled; a `RulesError` names what is wrong.

    Args:
        symbols: The symbols, in the order in which `toggle` goes through them. In a string, each character is a symbol.
        start: The symbol of each cell at the start.
        moves: The moves.
        players: The two players of a game, who take turns; empty for a puzzle.
        goal: One goal or several. Each is a state, a pattern (a mapping from cells to symbols), or a condition such as
            `count`. A puzzle is solved if one of them holds.
        ends: What ends a game.
        stuck: What it means in a game if a player has no move left: `"draw"`; `"loss"` or `"win"` for that player; or
            `"pass"`: then the other player moves, and play is over if nobody can.
        score: What the end of play is worth, in a game that is played for points; see `Score`.
        endless: In a game with a score, the points of the first player if play never ends. There is no default.
        symmetries: Generators of the symmetry group; or `"auto"`, and the engine finds the group. See `symmetries`.
        columns: How many cells make a row in the text of a state. If it is `None`, the rows in which the start is drawn
            tell it; without rows, all cells are one row.
        board: The board to which the cells belong, such as a `Grid` with holes. It says how states are written and
            drawn, and is given instead of `columns`.
    """

    symbols: Iterable[Symbol]
    start: Iterable[Symbol]
    moves: Iterable[Move]
    players: Iterable[Symbol] = ()
    goal: str | When | Goal | Iterable[Iterable[Symbol] | When | Goal] = ()
    ends: Iterable[End] = ()
    stuck: str | None = None
    score: Score | None = None
    endless: int | None = None
    symmetries: Iterable[Symmetry] | str = ()
    columns: int | None = None
    board: Board | None = None

    def __post_init__(self) -> None:
        def names(given: object, place: str) -> tuple[str, ...]:
            if isinstance(given, AbstractSet) or not isinstance(given, Iterable):
                raise RulesError(f"{place} is {given!r}; give a string or a list, whose order stays the same")
            return tuple(read_symbol(symbol, place) for symbol in read_some(given, place))

        object.__setattr__(self, "symbols", names(self.symbols, "the list of symbols"))
        if self.board is not None and (self.columns is not None or not isinstance(self.board, Board)):
            given = "a board and columns" if self.columns is not None else f"the board {self.board!r}"
            raise RulesError(f"the rules have {given}; give a Grid, a HexGrid or a Ring as the board, or columns")
        if isinstance(self.start, Mapping):  # its keys would be taken
            raise RulesError(f"the start is {self.start!r}; give a string, or a list with the symbol of each cell")
        drawn = self._drawn(self.start)
        start = self.start if drawn is None else [symbol for row in drawn for symbol in row]
        object.__setattr__(self, "start", names(start, "the start"))
        object.__setattr__(self, "players", names(self.players, "the list of players"))
        if isinstance(self.symmetries, str) and self.symmetries != AUTO:
            raise RulesError(f'symmetries is {self.symmetries!r}; give a list of puzzlekit.Symmetry, or "{AUTO}"')
        for name, kind in (("moves", Move), ("ends", End), ("symmetries", Symmetry)):
            if name != "symmetries" or self.symmetries != AUTO:
                object.__setattr__(self, name, read_list(getattr(self, name), kind, name))
        self._set_columns(drawn)
        object.__setattr__(self, "goal", self._list_of_goals())
        if (
            self.stuck is not None
            and len(names(self.players, "the list of players")) > 1
            and (read_symbol(self.stuck, "stuck") not in STUCK)
        ):
            raise RulesError(f'stuck is "{self.stuck}"; say "draw", "loss", "win" or "pass"')
        if len(cast("tuple[str, ...]", self.players)) > 2:
            raise RulesError(
                f"the players are {', '.join(map(str, self.players))}; a game has two (docs/limits.md, Three players, "
                "says what can be done with more)"
            )
        if self.stuck == "pass" and not any(move.forced for move in self.moves):
            if any(move.name == PASS.name for move in self.moves):
                raise RulesError(
                    'a move is named "pass", and stuck="pass" adds the forced pass of that name, for a player who has '
                    "no other move; leave your move out, or name it differently if one may pass at will"
                )
            object.__setattr__(self, "moves", (*self.moves, PASS))
        self._check_score()

    def _check_score(self) -> None:
        """Raises an error for a score that is none, and for points of play without an end if there is no score."""
        if self.score is None:
            if self.endless is None:
                return
            raise RulesError(f"endless is {self.endless!r}, and the rules have no score; give both, or leave it out")
        from puzzlekit.describe.score import Score  # imported here, because few rules have a score

        if not isinstance(self.score, Score):
            raise RulesError(f"score is {self.score!r}; give a puzzlekit.Score, such as Score(player, {{symbol: 1}})")

    def _drawn(self, state: object) -> list[list[str]] | None:
        """The rows of symbols of a state, if it is given as a text; otherwise `None`."""
        if not isinstance(state, str):
            return None
        return read_drawing(state, self._names, self.board)

    def _set_columns(self, drawn: list[list[str]] | None) -> None:
        if self.columns is None and self.board is None and drawn and len(drawn) > 1:
            if len(set(map(len, drawn))) > 1:
                counts = ", ".join(str(len(row)) for row in drawn)
                raise RulesError(
                    f"the start is drawn in rows of {counts} cells; draw rows of one length, or give the board, such "
                    "as board=Grid.drawn(...)"
                )
            object.__setattr__(self, "columns", len(drawn[0]))
        if self.columns is not None and (not (whole_number(self.columns) or 0) > 0 or self.cells % self.columns):
            raise RulesError(
                f"columns is {self.columns!r}; give a divisor of the number of cells, which is {self.cells}"
            )
        if self.board is not None and self.board.cells != self.cells:
            more = self.cells - self.board.cells
            remedy = f"; for {more} beside it, as in a hand, give board=Beside(board, {more})" if more > 0 else ""
            raise RulesError(
                f"the start has {self.cells} cells, and the board {self.board.cells}; give each its symbol{remedy}"
            )
        self._check_rows(drawn, "the start")

    def _check_rows(self, drawn: list[list[str]] | None, place: str) -> None:
        """Raises an error for a drawing whose rows have other lengths than the board or `columns` says."""
        if drawn and (self.columns or self.board):
            check_rows(drawn, self.row_lengths, place)

    @property
    def row_lengths(self) -> tuple[int, ...]:
        """The number of cells in each row of a state's text."""
        if self.board is not None:
            return tuple(self.board.row_lengths)
        return (self.columns,) * (self.cells // self.columns) if self.columns else (self.cells,)

    def _list_of_goals(self) -> tuple[Iterable[Symbol] | When | Goal, ...]:
        """The goals as a tuple. A single goal need not be in a list."""
        given = self.goal
        if isinstance(given, str | Mapping | Goal):
            return (kept(given) if isinstance(given, Mapping) else given,)
        if not isinstance(given, Iterable):
            raise RulesError(f"goal is {brief(given)}; give a state, a pattern, a count, or a list of them")
        goals = tuple(kept(goal) if isinstance(goal, Mapping) else goal for goal in read_some(given, "the goal"))
        # A list of symbols is one goal, a state. But if each item could be a state by itself, it is a list of goals.
        if goals and all(map(self._is_symbol, goals)) and not all(map(self._may_be_state, goals)):
            if len(goals) != self.cells:
                raise RulesError(
                    f"goal lists {len(goals)} symbols, and a state has {self.cells} cells; give a symbol for each, or "
                    "a list of states"
                )
            return (cast("tuple[Symbol, ...]", goals),)
        return goals

    def _is_symbol(self, given: object) -> bool:
        if not isinstance(given, str) and whole_number(given) is None:
            return False
        return read_symbol(given, "the goal") in self._names

    def _may_be_state(self, given: object) -> bool:
        drawn = self._drawn(given)
        return drawn is not None and sum(map(len, drawn)) == self.cells

    def _repr_html_(self) -> str:
        """The text that Jupyter shows: the start, and the number of moves, goals and other parts."""
        from html import escape

        start, rows = list(cast("tuple[str, ...]", self.start)), []
        wide = max(map(len, self._names))
        for length in self.row_lengths:
            rows.append(" ".join(symbol.rjust(wide) for symbol in start[:length]))
            del start[:length]
        moves, goals, ends = (len(tuple(each)) for each in (self.moves, self._goals, self.ends))
        found = "found by the engine" if self.symmetries == AUTO else f"{len(self._declared)} given"
        facts = {
            "symbols": " ".join(self._names),
            "players": " and ".join(map(str, self.players)) or "none",
            "moves": moves,
            "goals": goals,
            "ends": ends,
            "symmetries": found,
        }
        table = "".join(f"<tr><th>{name}</th><td>{escape(str(fact))}</td></tr>" for name, fact in facts.items())
        return f"<div><pre>{escape(chr(10).join(rows))}</pre><table>{table}</table></div>"

    @property
    def cells(self) -> int:
        """The number of cells of a state."""
        return len(cast("tuple[str, ...]", self.start))

    def to_data(self) -> dict[str, Any]:
        """The rules as the data that the engine reads, ready for JSON; docs/rules.md describes it."""
        symbols = self._names
        return {
            "schema": "puzzlekit.rules/1",
            "symbols": symbols,
            "start": self.start,
            "players": self.players,
            "moves": [move_data(move, name, symbols, self.cells) for move, name in self.named_moves()],
            "goal": [
                self._goal_data(goal, f"goal {place}" if len(self._goals) > 1 else "the goal")
                for place, goal in enumerate(self._goals, 1)
            ],
            "ends": [self._end_data(end) for end in self.ends],
            "stuck": None if self.stuck in (None, "pass") else read_symbol(self.stuck, "stuck"),
            **self._score_data(),
            "symmetries": AUTO if self.symmetries == AUTO else [_symmetry_data(given) for given in self._declared],
        }

    @property
    def _names(self) -> tuple[str, ...]:
        """The names of the symbols."""
        return cast("tuple[str, ...]", self.symbols)

    def _score_data(self) -> dict[str, Any]:
        if self.score is None:
            return {}
        from puzzlekit.describe.score import points_of

        endless = {} if self.endless is None else {"endless": points_of(self.endless)}
        return {"score": {"sums": self.score.sums(), **endless}}

    def _end_data(self, end: End) -> dict[str, Any]:
        outcome = read_symbol(end.outcome, "an end")
        if not outcome and self.score is None and end.score is None:
            raise RulesError(
                "an end of over() leaves it to the score who has won, and the rules have no score; give "
                'Rules(score=...), or write win(player, ...), or End("draw", ...)'
            )
        place = f'the end "{outcome}"' if outcome else "an end"
        wanted = read_goal(end.when, place)
        when = {"when": listed(wanted.when, self._names, place), **wanted.more(self._names, place)}
        score = {} if end.score is None else _score_of(end.score)
        return ({"outcome": outcome} if outcome else {}) | {**when, "wins": end.wins, **score}

    @property
    def _goals(self) -> tuple[Iterable[Symbol] | When | Goal, ...]:
        return cast("tuple[Iterable[Symbol] | When | Goal, ...]", self.goal)

    @property
    def _declared(self) -> tuple[Symmetry, ...]:
        return cast("tuple[Symmetry, ...]", self.symmetries)

    def named_moves(self) -> Iterable[tuple[Move, str]]:
        """All moves with their names. A move without a name is named by its place among the moves of its player."""
        # A move that either player may make belongs to both. Its place is the first one that is free for both players.
        places: dict[str | None, int] = dict.fromkeys([None, *map(str, self.players)], 0)
        for move in self.moves:
            owners = list(places) if move.player is None else [move.player]
            place = max(places.get(owner, 0) for owner in owners)
            yield move, str(place) if move.name is None else move.name
            places.update(dict.fromkeys(owners, place + 1))

    def _goal_data(self, goal: Iterable[Symbol] | When | Goal, place: str) -> Listed | dict[str, Any]:
        if isinstance(goal, Goal):
            return goal.data(self._names, place)
        if isinstance(goal, Mapping):
            return listed(read_pattern(goal, place), self._names, place)
        if not isinstance(goal, Iterable):
            raise RulesError(f"{place} is {goal!r}; give a state, a pattern or a count")
        drawn = self._drawn(goal)
        cells = read_some(goal, place) if drawn is None else tuple(symbol for row in drawn for symbol in row)
        if len(cells) != self.cells:
            raise RulesError(
                f"{place} has {len(cells)} cells, and the start has {self.cells}; {self._how_to_write(goal)}"
            )
        self._check_rows(drawn, place)
        return listed(read_pattern(dict(enumerate(cells)), place), self._names, place)

    def _how_to_write(self, goal: object) -> str:
        """The remedy for a goal that has another number of cells than the start."""
        if isinstance(goal, str) and not set(goal) & set(" ,/\n") and max(map(len, self._names)) > 1:
            return "put spaces between the symbols, since some have several characters"
        return "give both the same number, with a symbol for each cell"


def _symmetry_data(symmetry: Symmetry) -> dict[str, Any]:
    place = symmetry.called()
    if not isinstance(symmetry.cells, Iterable):
        raise RulesError(f"{place} has the cells {symmetry.cells!r}; list for each cell where its symbol goes")
    return {
        "name": read_symbol(symmetry.name, "the name of a symmetry"),
        "cells": [read_cell(cell, place) for cell in symmetry.cells],
        "symbols": read_map(symmetry.symbols, place),
        "swap_players": symmetry.swap_players,
    }


def _score_of(points: object) -> dict[str, int]:
    """The points of an end, as data for the engine."""
    from puzzlekit.describe.score import points_of

    return {"score": points_of(points)}
