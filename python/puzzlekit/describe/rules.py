"""Rules: what a puzzle or game is, as plain data, and the small builders that write moves for you.

A *symbol* is what a cell may hold. Give it as a string or as a number; a number is the same as its text. A *cell* is a
number from 0. A `when` says which symbols some cells may hold: `{4: "X"}`, or `{4: {"X", "O"}}` for either.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Any, cast
from unicodedata import category

from puzzlekit.errors import RulesError

Symbol = str | int
Symbols = Symbol | AbstractSet[Symbol] | list[Symbol] | tuple[Symbol, ...]
When = Mapping[int, Symbols]
Pattern = tuple[tuple[int, tuple[str, ...]], ...]


MOST_CELLS = 2048
"""The most cells that a state may have."""


def _symbol(symbol: object, place: str) -> str:
    if isinstance(symbol, str):
        if any("\ud800" <= character <= "\udfff" for character in symbol):
            raise RulesError(f"{place} uses {symbol!r}, which holds half of a character; give whole ones")
        return symbol
    number = _whole(symbol)
    if number is None:
        raise RulesError(f"{place} uses {symbol!r} as a symbol; give a string or a whole number")
    return str(number)


def _whole(number: object) -> int | None:
    """A whole number of any type (NumPy's included); `None` for anything else, and for truth values."""
    try:
        return None if isinstance(number, bool) else operator.index(cast("int", number))
    except TypeError:
        return None


def _list(given: object, kind: type, what: str) -> tuple[Any, ...]:
    """The given things, each of which must be of one kind."""
    if isinstance(given, kind | str) or not isinstance(given, Iterable):
        raise RulesError(f"{what} is {given!r}; give a list of puzzlekit.{kind.__name__}")
    things = tuple(given)
    for thing in things:
        if not isinstance(thing, kind):
            raise RulesError(f"{what} holds {thing!r}; give objects of puzzlekit.{kind.__name__}")
    return things


def _symbols(symbols: object, place: str) -> tuple[str, ...]:
    if isinstance(symbols, AbstractSet | list | tuple):
        return tuple(sorted(_symbol(symbol, place) for symbol in symbols))
    return (_symbol(symbols, place),)


def _cell(cell: object, place: str) -> int:
    number = _whole(cell)
    if number is None:
        raise RulesError(f"{place} uses {cell!r} as a cell; give a whole number")
    if not -(2**63) <= number < 2**63:  # the engine, which knows the board, judges all others
        # Python writes no number of more than 4,300 digits.
        which = f"cell {number}" if abs(number) < 10**30 else "a cell of more than 30 digits"
        raise RulesError(f"{place} names {which}, which is out of range; cells go from 0 to {MOST_CELLS - 1} at most")
    return number


def _check_name(name: str) -> None:
    """Refuses a move's name that cannot be typed, or that would not be seen as it is."""
    if not name:
        raise RulesError("a move has an empty name, which nobody can type; give it one, or leave it without")
    if name != name.strip():
        raise RulesError(f"a move has the name {name!r}, which begins or ends with a space; take that away")
    for character in name:
        # These are control characters, marks that turn the direction of writing, ends of lines, and unusual spaces.
        # Joiners are allowed, since they hold an emoji together.
        if category(character) in ("Cc", "Cf", "Zl", "Zp", "Zs") and character not in " \u200c\u200d":
            raise RulesError(f"a move has the name {name!r}, in which {character!r} cannot be typed; take that out")


def _pattern(when: object, place: str) -> Pattern:
    if not isinstance(when, Mapping):
        raise RulesError(f"{place} has the pattern {when!r}; give a mapping from cells to symbols")
    return tuple((_cell(cell, place), _symbols(symbols, place)) for cell, symbols in when.items())


@dataclass(frozen=True)
class Copy:
    """The symbol that a cell holds before the move.

    Args:
        cell: The cell that is read.
        map: What symbols turn into on the way. Symbols that are not named stay as they are.
        advance: How many places to go on in the rules' list of symbols, around its end. It is given instead of a map.
    """

    cell: int
    map: Mapping[Symbol, Symbol] | None = None
    advance: int = 0


Source = Symbol | Copy


@dataclass(frozen=True)
class Move:
    """A guarded rewrite of cells: if the guard holds, all sources are read, then all cells written.

    Moves are made by `cycle`, `swap`, `put` and `toggle`, or written out cell by cell:

    >>> jump = Move(then={0: ".", 1: ".", 2: "o"}).when({0: "o", 1: "o", 2: "."}).named("jump")
    >>> jump.name
    'jump'

    Args:
        then: What each written cell holds afterwards: a symbol or a `Copy`. Give a mapping, or pairs.
        guard: Which symbols some cells must hold; see `when`.
        name: What a player calls the move: characters that can be typed, with spaces only inside. A move without a name
            gets its place among the moves of its player, from 0. Moves may share a name if no state allows both, as
            with the slides of a blank.
        player: Who may make the move; anyone if it is `None`.
        equal: Pairs of cells that must hold the same symbol; see `when_equal`.
        different: Pairs of cells that must hold different symbols; see `when_different`.
    """

    then: Mapping[int, Source] | Iterable[tuple[int, Source]]
    guard: Pattern = ()
    name: str | None = None
    player: str | None = None
    equal: tuple[tuple[int, int], ...] = ()
    different: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        pairs = self.then.items() if isinstance(self.then, Mapping) else self.then
        if not isinstance(pairs, Iterable):
            raise RulesError(f"{self._place} writes {self.then!r}; give a mapping from cells to symbols")
        object.__setattr__(self, "then", tuple(pairs))
        for name in ("name", "player"):
            if (given := getattr(self, name)) is not None:
                object.__setattr__(self, name, _symbol(given, f"the {name} of a move"))

    @property
    def writes(self) -> tuple[tuple[int, Source], ...]:
        """`then` as pairs of a cell and its source."""
        return cast("tuple[tuple[int, Source], ...]", self.then)

    def when(self, condition: When) -> Move:
        """The same move, with a guard: each cell must hold (one of) the symbols. Guards add up."""
        return replace(self, guard=self.guard + _pattern(condition, self._place))

    def when_equal(self, first: int, second: int) -> Move:
        """The same move, with a guard: two cells must hold the same symbol, whatever it is.

        >>> put(2, ".").when_equal(0, 1).when({0: {"a", "b"}}).equal
        ((0, 1),)
        """
        return replace(self, equal=(*self.equal, self._pair(first, second)))

    def when_different(self, first: int, second: int) -> Move:
        """The same move, with a guard: two cells must hold different symbols.

        >>> swap(0, 1).when_different(0, 1).different
        ((0, 1),)
        """
        return replace(self, different=(*self.different, self._pair(first, second)))

    def _pair(self, first: int, second: int) -> tuple[int, int]:
        return _cell(first, self._place), _cell(second, self._place)

    def named(self, name: Symbol) -> Move:
        """The same move under a name."""
        return replace(self, name=_symbol(name, self._place))

    def by(self, player: Symbol) -> Move:
        """The same move for one player alone."""
        return replace(self, player=_symbol(player, self._place))

    @property
    def _place(self) -> str:
        return "a move" if self.name is None else f'the move "{self.name}"'


def put(cell: int, symbol: Symbol) -> Move:
    """A move that writes a symbol into a cell.

    >>> put(4, "X").when({4: "."}).by("X").player
    'X'
    """
    return Move(then={cell: symbol})


def swap(first: int, second: int) -> Move:
    """A move that makes two cells exchange their symbols."""
    return cycle(first, second)


def cycle(*cells: int) -> Move:
    """A move that takes the symbol of each cell to the next cell, and that of the last cell to the first.

    >>> [(to, source.cell) for to, source in cycle(0, 1, 2).writes]
    [(1, 0), (2, 1), (0, 2)]
    """
    return Move(then=tuple((to, Copy(source)) for source, to in zip(cells, cells[1:] + cells[:1], strict=True)))


def toggle(*cells: int) -> Move:
    """A move that turns each cell's symbol into the next in the rules' list, and the last into the first."""
    return Move(then=tuple((cell, Copy(cell, advance=1)) for cell in cells))


@dataclass(frozen=True)
class Goal:
    """What solves a puzzle: a pattern, and counts. All of them must hold.

    `count` makes one, and `&` joins several, or one and a pattern:

    >>> one_left = count("o", at_most=1) & {4: "o"}
    >>> one_left.when, one_left.counts
    (((4, ('o',)),), ({'symbols': ('o',), 'at_most': 1},))

    Args:
        when: The pattern, as pairs of a cell and the symbols that it may hold.
        counts: The counts, as data; docs/rules.md describes them.
    """

    when: Pattern = ()
    counts: tuple[Mapping[str, Any], ...] = ()

    def __and__(self, other: Goal | When) -> Goal:
        """The goal that holds if both do."""
        if not isinstance(other, Goal):
            other = Goal(_pattern(other, "a goal"))
        return Goal(self.when + other.when, self.counts + other.counts)

    __rand__ = __and__

    def _data(self) -> dict[str, Any]:
        return ({"when": self.when} if self.when else {}) | {"counts": self.counts}


def count(
    symbols: Symbols, *, at_least: int | None = None, at_most: int | None = None, of: Iterable[int] | None = None
) -> Goal:
    """A goal that says how many cells hold a symbol.

    >>> goal = [count("o", at_most=1), count({"x", "o"}, at_least=2, of=[0, 1, 2])]

    Args:
        symbols: The symbol; or several, and a cell counts if it holds one of them.
        at_least: The fewest cells.
        at_most: The most cells. For an exact number, give it as both.
        of: The cells that are looked at; all of them if it is `None`.
    """
    given: dict[str, Any] = {"symbols": _symbols(symbols, "a count")}
    for name, number in (("at_least", at_least), ("at_most", at_most)):
        if number is not None:
            whole = _whole(number)
            if whole is None or not 0 <= whole < 2**63:
                raise RulesError(f"a count has {name}={number!r}; give a whole number from 0")
            given[name] = whole
    if len(given) == 1:
        raise RulesError(f"a count of {' or '.join(given['symbols'])} has no number; give at_least, at_most, or both")
    if of is not None:
        if isinstance(of, str) or not isinstance(of, Iterable):
            raise RulesError(f"a count is of {of!r}; give a list of cells")
        given["of"] = tuple(_cell(cell, "a count") for cell in of)
    return Goal(counts=(given,))


@dataclass(frozen=True)
class End:
    """A pattern that ends play.

    Args:
        outcome: A player's name (who wins), `"draw"`, or any other word. If ends with several outcomes hold at once,
            the outcome that the rules name first counts. If both players win, the player who has just moved does.
        when: The pattern.
        wins: Whether the outcome must be a player's name.
    """

    outcome: str
    when: When
    wins: bool = False


def win(player: Symbol, when: When) -> End:
    """An end that `player` wins."""
    return End(_symbol(player, "an end"), when, wins=True)


@dataclass(frozen=True)
class Symmetry:
    """A symmetry of the rules: it must carry every move onto a move, and the start, goal and ends onto themselves.

    Args:
        cells: For each cell, the cell where its symbol goes.
        symbols: What symbols turn into. Symbols that are not named stay as they are.
        swap_players: Whether the two players change places.
        name: For messages.
    """

    cells: tuple[int, ...]
    symbols: Mapping[Symbol, Symbol] = field(default_factory=dict)
    swap_players: bool = False
    name: str = "unnamed"

    def fixing(self, state: Iterable[Symbol]) -> Symmetry:
        """The same movement of cells, with the symbols changed so that a state is carried onto itself.

        A turn of the board moves the tiles of a solved puzzle away from their places. If each tile is renamed after its
        new place, the turn is a symmetry again.

        >>> Symmetry((1, 0)).fixing("AB").symbols
        {'A': 'B', 'B': 'A'}
        """
        symbols = [_symbol(symbol, f'the symmetry "{self.name}"') for symbol in state]
        if sorted(self.cells) != list(range(len(symbols))):
            raise RulesError(f'the symmetry "{self.name}" is no permutation of the {len(symbols)} cells of {state!r}')
        renamed: dict[Symbol, Symbol] = {}
        for cell, symbol in enumerate(symbols):
            target = symbols[self.cells[cell]]
            if renamed.setdefault(symbol, target) != target:
                raise RulesError(
                    f'no change of symbols lets the symmetry "{self.name}" carry the start onto itself: "{symbol}" '
                    f'would have to become "{renamed[symbol]}" and "{target}"; leave the symmetry out'
                )
        return replace(self, symbols=renamed)


@dataclass(frozen=True)
class Rules:
    """What the engine runs. Checked once, when it is compiled; each fault is a `RulesError` that names what is wrong.

    Args:
        symbols: The symbols, in the order that `toggle` goes through. In a string, each character is a symbol.
        start: The symbol of each cell at the start.
        moves: The moves.
        players: The two players of a game, who take turns; empty for a puzzle.
        goal: States, patterns (mappings from cells to symbols) or counts (see `count`), or just one. A puzzle is solved
            if one of them holds.
        ends: What ends a game.
        stuck: What it means to have no move left in a game: `"draw"`, or `"loss"` or `"win"` for the player to move.
        symmetries: Generators of the symmetry group.
        columns: How many cells make a row in the text of a state. If it is `None`, all cells are one row.
    """

    symbols: Iterable[Symbol]
    start: Iterable[Symbol]
    moves: Iterable[Move]
    players: Iterable[Symbol] = ()
    goal: str | When | Goal | Iterable[Iterable[Symbol] | When | Goal] = ()
    ends: Iterable[End] = ()
    stuck: str | None = None
    symmetries: Iterable[Symmetry] = ()
    columns: int | None = None

    def __post_init__(self) -> None:
        def names(given: object, place: str) -> tuple[str, ...]:
            if isinstance(given, AbstractSet) or not isinstance(given, Iterable):
                raise RulesError(f"{place} is {given!r}; give a string or a list, whose order stays the same")
            return tuple(_symbol(symbol, place) for symbol in given)

        object.__setattr__(self, "symbols", names(self.symbols, "the list of symbols"))
        _check_drawing(self.start, "the start")
        object.__setattr__(self, "start", names(self.start, "the start"))
        object.__setattr__(self, "players", names(self.players, "the list of players"))
        if isinstance(self.goal, str | Mapping | Goal):
            object.__setattr__(self, "goal", (self.goal,))
        if not isinstance(self.goal, Iterable):
            raise RulesError(f"goal is {self.goal!r}; give a state, a pattern, a count, or a list of them")
        object.__setattr__(self, "goal", tuple(self.goal))
        _check_goals(self._goals, cast("tuple[str, ...]", self.symbols), self.cells)
        for name, kind in (("moves", Move), ("ends", End), ("symmetries", Symmetry)):
            object.__setattr__(self, name, _list(getattr(self, name), kind, name))
        if self.columns is not None and (not (_whole(self.columns) or 0) > 0 or self.cells % self.columns):
            raise RulesError(
                f"columns is {self.columns!r}; give a divisor of the number of cells, which is {self.cells}"
            )

    @property
    def cells(self) -> int:
        """How many cells a state has."""
        return len(cast("tuple[str, ...]", self.start))

    def to_data(self) -> dict[str, Any]:
        """The rules as the data that the engine reads, ready for JSON; docs/rules.md describes it."""
        symbols = tuple(map(str, self.symbols))
        return {
            "schema": "puzzlekit.rules/1",
            "symbols": symbols,
            "start": self.start,
            "players": self.players,
            "moves": [_move_data(move, name, symbols) for move, name in self._named_moves()],
            "goal": [self._goal_data(goal, place) for place, goal in enumerate(self._goals)],
            "ends": [self._end_data(end) for end in self.ends],
            "stuck": None if self.stuck is None else _symbol(self.stuck, "stuck"),
            "symmetries": [_symmetry_data(symmetry) for symmetry in self.symmetries],
        }

    def _end_data(self, end: End) -> dict[str, Any]:
        outcome = _symbol(end.outcome, "an end")
        return {"outcome": outcome, "when": _pattern(end.when, f'the end "{outcome}"'), "wins": end.wins}

    @property
    def _goals(self) -> tuple[Iterable[Symbol] | When | Goal, ...]:
        return cast("tuple[Iterable[Symbol] | When | Goal, ...]", self.goal)

    def _named_moves(self) -> Iterable[tuple[Move, str]]:
        # A move that anyone may make is a move of each player. Its place is the first that is free for all of them.
        places: dict[str | None, int] = dict.fromkeys([None, *map(str, self.players)], 0)
        for move in self.moves:
            owners = list(places) if move.player is None else [move.player]
            place = max(places.get(owner, 0) for owner in owners)
            yield move, str(place) if move.name is None else move.name
            places.update(dict.fromkeys(owners, place + 1))

    def _goal_data(self, goal: Iterable[Symbol] | When | Goal, place: int) -> Pattern | dict[str, Any]:
        if isinstance(goal, Goal):
            return goal._data() if goal.counts else goal.when  # noqa: SLF001 - both are rules
        if isinstance(goal, Mapping):
            return _pattern(goal, f"goal {place}")
        if not isinstance(goal, Iterable):
            raise RulesError(f"goal {place} is {goal!r}; give a state, a pattern or a count")
        cells = tuple(goal)
        if len(cells) != self.cells:
            raise RulesError(f"goal {place} has {len(cells)} cells, but the start has {self.cells}; give them all")
        return _pattern(dict(enumerate(cells)), f"goal {place}")


def _check_drawing(state: object, place: str) -> None:
    """Refuses a state that is drawn with lines, as its text is shown, and not given as symbols alone."""
    lines = re.split(r"[/\n]", state) if isinstance(state, str) else []
    if len(lines) > 1:
        columns = f", and give columns={len(lines[0])}" if len(set(map(len, lines))) == 1 else ""
        between = "/" if "/" in cast("str", state) else "line breaks"
        raise RulesError(f"{place} is drawn as {state!r}; leave the {between} out{columns}")


def _check_goals(goals: tuple[Any, ...], symbols: tuple[str, ...], cells: int) -> None:
    """Refuses goals that are drawn with lines, and a single state that is given as if it were a list of states."""
    for goal in goals:
        _check_drawing(goal, "a goal")
    if not len(goals) == cells > 1:
        return
    listed = all((isinstance(goal, str) or _whole(goal) is not None) and str(goal) in symbols for goal in goals)
    # A symbol may be as long as the board is large, so that it could be a state as well.
    states = all(isinstance(goal, str) and len(goal) == cells and set(goal) <= set(symbols) for goal in goals)
    if listed and not states:
        raise RulesError(
            f"goal lists {cells} symbols, and each would be a state of its own; put the state into a list: "
            f"goal=[[{', '.join(map(repr, goals[:3]))}{', ...' if cells > 3 else ''}]]"
        )


def _move_data(move: Move, name: str, symbols: tuple[str, ...]) -> dict[str, Any]:
    _check_name(name)
    place = f'the move "{name}"'
    for write in move.writes:
        if not isinstance(write, Sequence) or len(write) != 2:
            raise RulesError(f"{place} writes {write!r}; give pairs of a cell and what it holds afterwards")
    then = [(_cell(cell, place), _source_data(source, symbols, place)) for cell, source in move.writes]
    pairs = {kind: _pairs(getattr(move, kind), place) for kind in ("equal", "different") if getattr(move, kind)}
    return {"name": name, "player": move.player, "when": move.guard, **pairs, "then": then}


def _pairs(pairs: object, place: str) -> list[tuple[int, int]]:
    if not isinstance(pairs, Iterable):
        raise RulesError(f"{place} compares {pairs!r}; give pairs of cells")
    for pair in pairs:
        if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
            raise RulesError(f"{place} compares {pair!r}; give pairs of cells")
    return [(_cell(first, place), _cell(second, place)) for first, second in pairs]


def _source_data(source: object, symbols: tuple[str, ...], place: str) -> str | dict[str, Any]:
    if not isinstance(source, Copy):
        return _symbol(source, place)
    mapping = _mapping(source.map or {}, place)
    if _whole(source.advance) is None:
        raise RulesError(f"{place} advances by {source.advance!r}; give a whole number")
    if source.advance:
        if mapping:
            raise RulesError(f"{place} copies cell {source.cell} with both a map and an advance; give one of them")
        mapping = {symbol: symbols[(at + source.advance) % len(symbols)] for at, symbol in enumerate(symbols)}
    return {"copy": _cell(source.cell, place), "map": mapping}


def _mapping(symbols: object, place: str) -> dict[str, str]:
    """What symbols turn into."""
    if not isinstance(symbols, Mapping):
        raise RulesError(f"{place} turns symbols into others by {symbols!r}; give a mapping")
    return {_symbol(a, place): _symbol(b, place) for a, b in symbols.items()}


def _symmetry_data(symmetry: Symmetry) -> dict[str, Any]:
    place = f'the symmetry "{symmetry.name}"'
    if not isinstance(symmetry.cells, Iterable):
        raise RulesError(f"{place} has the cells {symmetry.cells!r}; list for each cell where its symbol goes")
    return {
        "name": _symbol(symmetry.name, "the name of a symmetry"),
        "cells": [_cell(cell, place) for cell in symmetry.cells],
        "symbols": _mapping(symmetry.symbols, place),
        "swap_players": symmetry.swap_players,
    }
