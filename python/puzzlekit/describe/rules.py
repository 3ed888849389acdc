"""Rules: what a puzzle or game is, as plain data, and the small builders that write moves for you.

A *symbol* is what a cell may hold. Give it as a string or as a number; a number is the same as its text. A *cell* is a
number from 0. A `when` says which symbols some cells may hold: `{4: "X"}`, or `{4: {"X", "O"}}` for either.
"""

from __future__ import annotations

import operator
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

AUTO = "auto"
"""In place of symmetries: the engine finds them."""


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
    """

    then: Mapping[int, Source] | Iterable[tuple[int, Source]]
    guard: Pattern = ()
    name: str | None = None
    player: str | None = None

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
        goal: States or patterns (mappings from cells to symbols), or just one. A puzzle is solved if one of them holds.
        ends: What ends a game.
        stuck: What it means to have no move left in a game: `"draw"`, or `"loss"` or `"win"` for the player to move.
        symmetries: Generators of the symmetry group, or `"auto"`: the engine finds it. See `symmetries`.
        columns: How many cells make a row in the text of a state. If it is `None`, all cells are one row.
    """

    symbols: Iterable[Symbol]
    start: Iterable[Symbol]
    moves: Iterable[Move]
    players: Iterable[Symbol] = ()
    goal: str | When | Iterable[Iterable[Symbol] | When] = ()
    ends: Iterable[End] = ()
    stuck: str | None = None
    symmetries: Iterable[Symmetry] | str = ()
    columns: int | None = None

    def __post_init__(self) -> None:
        def names(given: object, place: str) -> tuple[str, ...]:
            if isinstance(given, AbstractSet) or not isinstance(given, Iterable):
                raise RulesError(f"{place} is {given!r}; give a string or a list, whose order stays the same")
            return tuple(_symbol(symbol, place) for symbol in given)

        object.__setattr__(self, "symbols", names(self.symbols, "the list of symbols"))
        object.__setattr__(self, "start", names(self.start, "the start"))
        object.__setattr__(self, "players", names(self.players, "the list of players"))
        if isinstance(self.goal, str | Mapping):
            object.__setattr__(self, "goal", (self.goal,))
        if not isinstance(self.goal, Iterable):
            raise RulesError(f"goal is {self.goal!r}; give a state, a pattern, or a list of them")
        object.__setattr__(self, "goal", tuple(self.goal))
        if isinstance(self.symmetries, str) and self.symmetries != AUTO:
            raise RulesError(f'symmetries is {self.symmetries!r}; give a list of puzzlekit.Symmetry, or "{AUTO}"')
        for name, kind in (("moves", Move), ("ends", End), ("symmetries", Symmetry)):
            if name != "symmetries" or self.symmetries != AUTO:
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
            "goal": [self._goal_pattern(goal, place) for place, goal in enumerate(self._goals)],
            "ends": [self._end_data(end) for end in self.ends],
            "stuck": None if self.stuck is None else _symbol(self.stuck, "stuck"),
            "symmetries": AUTO if self.symmetries == AUTO else [_symmetry_data(given) for given in self._declared],
        }

    def _end_data(self, end: End) -> dict[str, Any]:
        outcome = _symbol(end.outcome, "an end")
        return {"outcome": outcome, "when": _pattern(end.when, f'the end "{outcome}"'), "wins": end.wins}

    @property
    def _goals(self) -> tuple[Iterable[Symbol] | When, ...]:
        return cast("tuple[Iterable[Symbol] | When, ...]", self.goal)

    @property
    def _declared(self) -> tuple[Symmetry, ...]:
        return cast("tuple[Symmetry, ...]", self.symmetries)

    def _named_moves(self) -> Iterable[tuple[Move, str]]:
        # A move that anyone may make is a move of each player. Its place is the first that is free for all of them.
        places: dict[str | None, int] = dict.fromkeys([None, *map(str, self.players)], 0)
        for move in self.moves:
            owners = list(places) if move.player is None else [move.player]
            place = max(places.get(owner, 0) for owner in owners)
            yield move, str(place) if move.name is None else move.name
            places.update(dict.fromkeys(owners, place + 1))

    def _goal_pattern(self, goal: Iterable[Symbol] | When, place: int) -> Pattern:
        if isinstance(goal, Mapping):
            return _pattern(goal, f"goal {place}")
        if not isinstance(goal, Iterable):
            raise RulesError(f"goal {place} is {goal!r}; give a state or a pattern")
        cells = tuple(goal)
        if len(cells) != self.cells:
            raise RulesError(f"goal {place} has {len(cells)} cells, but the start has {self.cells}; give them all")
        return _pattern(dict(enumerate(cells)), f"goal {place}")


def _move_data(move: Move, name: str, symbols: tuple[str, ...]) -> dict[str, Any]:
    _check_name(name)
    place = f'the move "{name}"'
    for write in move.writes:
        if not isinstance(write, Sequence) or len(write) != 2:
            raise RulesError(f"{place} writes {write!r}; give pairs of a cell and what it holds afterwards")
    then = [(_cell(cell, place), _source_data(source, symbols, place)) for cell, source in move.writes]
    return {"name": name, "player": move.player, "when": move.guard, "then": then}


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
