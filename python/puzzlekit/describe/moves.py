"""Moves: guarded rewrites of cells, the functions that build them, and moves that are made of other moves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from unicodedata import category

from puzzlekit.describe.conditions import NOTHING, Goal, read_goal
from puzzlekit.describe.conditions import unless as unless_
from puzzlekit.describe.patterns import (
    AnythingBut,
    BySymbol,
    Pattern,
    Symbol,
    When,
    check_known,
    listed,
    read_cell,
    read_map,
    read_symbol,
    whole_number,
)
from puzzlekit.errors import RulesError

# Only moves that are made of other moves need `describe.rewrite`. It is imported when the first of them is made, so
# puzzles without such moves start sooner.
if TYPE_CHECKING:
    from puzzlekit.describe.rewrite import Rewrite


@dataclass(frozen=True)
class Copy:
    """As the source of a written cell: the symbol that a cell holds before the move.

    Args:
        cell: The cell that is read.
        map: What each symbol turns into when it is copied. Symbols that are not named stay as they are.
        advance: How many places to go on in the rules' list of symbols, in which the first symbol follows the last. It
            is given instead of `map`.
    """

    cell: int
    map: BySymbol[Symbol] | None = None
    advance: int = 0


Source = Symbol | Copy


class MadeOf(NamedTuple):
    """A product of moves: all `factors` in order, `times` times; if `undone`, the inverse of that."""

    factors: tuple[Move, ...]
    times: int = 1
    undone: bool = False


@dataclass(frozen=True)
class Move:
    """A guarded rewrite of cells: if the guard holds, all sources are read, and then all written cells change.

    Moves are made by `cycle`, `swap`, `put` and `toggle`, or written out cell by cell:

    >>> jump = Move(then={0: ".", 1: ".", 2: "o"}).when({0: "o", 1: "o", 2: "."}).named("jump")
    >>> jump.name
    'jump'

    Args:
        then: What each written cell holds afterwards, as a mapping or as pairs: a symbol or a `Copy`.
        guard: Which symbols certain cells must hold; see `when`.
        name: What a player calls the move: characters that can be typed, without a comma, and with spaces only inside.
            A move without a name is named by its place among the moves of its player, from 0. Moves may share a name if
            no state allows both, as with the slides of a blank.
        player: Who may make the move; anyone if it is `None`.
        equal: Pairs of cells that must hold the same symbol; see `when_equal`.
        different: Pairs of cells that must hold different symbols; see `when_different`.
        conditions: What else must hold; see `count`, `unless` and `connected`.
        forced: Whether the move is a forced pass. It can be made only if its player has no other move and the opponent
            has one. It has no guard and writes nothing. `Rules(stuck="pass")` adds it.
        keeps_turn: Whether the player who makes the move moves again; see `again`.
        made_of: How the move is made of others, if it is; see `*`, `**` and `~`. Then its own `then` is empty, and its
            guard must hold before the move, in addition to the guards of the others.
    """

    then: Mapping[int, Source] | Sequence[tuple[int, Source]]
    guard: Pattern = ()
    name: str | None = None
    player: str | None = None
    equal: tuple[tuple[int, int], ...] = ()
    different: tuple[tuple[int, int], ...] = ()
    conditions: Goal = NOTHING
    forced: bool = False
    keeps_turn: bool = False
    made_of: MadeOf | None = None

    def __post_init__(self) -> None:
        pairs = self.then.items() if isinstance(self.then, Mapping) else self.then
        if not isinstance(pairs, Iterable):
            raise RulesError(f"{self._place} writes {self.then!r}; give a mapping from cells to symbols")
        object.__setattr__(self, "then", tuple(pairs))
        for name in ("name", "player"):
            if (given := getattr(self, name)) is not None:
                object.__setattr__(self, name, read_symbol(given, f"the {name} of a move"))

    @property
    def writes(self) -> tuple[tuple[int, Source], ...]:
        """The pairs of a cell and its source in `then`. For a move that is made of others, see `over`."""
        return cast("tuple[tuple[int, Source], ...]", self.then)

    def when(self, condition: When | Goal, *more: When | Goal) -> Move:
        """The same move with a guard: each cell must hold the symbol, or one of the symbols. Guards add up.

        >>> from puzzlekit import count
        >>> last = put(0, ".").when({0: "o"}, count("o", at_most=1))
        >>> last == put(0, ".").when({0: "o"}).when(count("o", at_most=1))
        True

        Args:
            condition: A pattern; or what `count`, `unless` and `connected` make, joined by `&`.
            more: Other conditions, which must all hold as well.
        """
        guard, conditions = self.guard, self.conditions
        for each in (condition, *more):
            given = read_goal(each, self._place)
            guard, conditions = guard + given.when, conditions & replace(given, when=())
        return replace(self, guard=guard, conditions=conditions)

    def unless(self, condition: When, *more: When) -> Move:
        """The same move with a guard: at least one cell must not fit a pattern. Of several patterns, none may hold.

        >>> put(2, "X").when({2: "."}).unless({0: "X", 1: "X"}).conditions.barred
        (((0, ('X',)), (1, ('X',))),)
        """
        return self.when(unless_(condition, *more))

    def when_equal(self, first: int, second: int) -> Move:
        """The same move with a guard: two cells must hold the same symbol, whatever it is.

        >>> put(2, ".").when_equal(0, 1).when({0: {"a", "b"}}).equal
        ((0, 1),)
        """
        return replace(self, equal=(*self.equal, self._pair(first, second)))

    def when_different(self, first: int, second: int) -> Move:
        """The same move with a guard: two cells must hold different symbols.

        >>> swap(0, 1).when_different(0, 1).different
        ((0, 1),)
        """
        return replace(self, different=(*self.different, self._pair(first, second)))

    def _pair(self, first: int, second: int) -> tuple[int, int]:
        return read_cell(first, self._place), read_cell(second, self._place)

    def named(self, name: Symbol) -> Move:
        """The same move with a name."""
        return replace(self, name=read_symbol(name, self._place))

    def by(self, player: Symbol) -> Move:
        """The same move, which only one player may make."""
        return replace(self, player=read_symbol(player, self._place))

    def again(self) -> Move:
        """The same move, but the player who makes it moves again.

        >>> put(0, "X").when({0: "."}).by("X").again().keeps_turn
        True
        """
        return replace(self, keeps_turn=True)

    def __mul__(self, other: Move) -> Move:
        """The product of two moves: one move that makes this one, and then the other.

        It can be made in a state if this move can be made there, and then the other one. Ends that hold in between do
        not count. It has no name until it is `named`.

        >>> turn = cycle(0, 1, 2).named("turn") * swap(0, 1)
        >>> turn.over("abc").writes
        ((1, Copy(cell=2, map=None, advance=0)), (2, Copy(cell=1, map=None, advance=0)))

        Raises:
            RulesError: The moves belong to different players.
        """
        if not isinstance(other, Move):
            raise RulesError(f"{self._place} is multiplied by {other!r}; give another move, or write ** to repeat it")
        _check_turn(self, other)
        if None not in (self.player, other.player) and self.player != other.player:
            raise RulesError(
                f'{self._place} of player "{self.player}" is multiplied by one of player "{other.player}"; one player '
                "makes both, so leave one of them to anyone, and write by after the product"
            )
        return Move(then=(), player=self.player or other.player, made_of=MadeOf((self, other)))

    def __pow__(self, times: int) -> Move:
        """The power of a move: one move that makes this one several times.

        >>> (cycle(0, 1, 2) ** 2).over("ab").writes == cycle(2, 1, 0).over("ab").writes
        True

        Raises:
            RulesError: The number is no whole number from 1.
        """
        _check_turn(self)
        number = whole_number(times)
        if number is None:
            raise RulesError(f"{self._place} is made {times!r} times; give a whole number from 1")
        if number < 1:
            inverse = "~move" if number == -1 else f"(~move) ** {-number}"
            remedy = "leave it out" if number == 0 else f"for its inverse write {inverse}"
            raise RulesError(f"{self._place} is made {number} times; give a number from 1, or {remedy}")
        return Move(then=(), player=self.player, made_of=MadeOf((self,), number))

    def __invert__(self) -> Move:
        """The inverse: the move that undoes this one. It can be made exactly in the states to which this one leads.

        >>> jump = Move({0: ".", 1: "o"}).when({0: "o", 1: "."})
        >>> (~jump).over(".o").guard
        ((0, ('.',)), (1, ('o',)))

        Raises:
            RulesError: This move loses what some cell held. If that depends on the list of symbols, as with `advance`,
                the error is raised only when rules are made.
        """
        from puzzlekit.describe.rewrite import NeverError

        _check_turn(self)
        undone = Move(then=(), player=self.player, made_of=MadeOf((self,), undone=True))
        if (symbols := _mentioned(self)) is not None:
            # The inverse is tried with only the symbols that the move mentions. If it cannot be made with these, it
            # cannot be made with the rules' whole list either, so the error is raised now. But a guard that never holds
            # with few symbols may hold with more, so a `NeverError` is ignored.
            with suppress(NeverError):
                _rewrite(undone, symbols)
        return undone

    def over(self, symbols: Iterable[Symbol]) -> Move:
        """The same move, written out cell by cell for rules that have the given symbols.

        >>> toggle(0).over("abc").writes[0][1].map
        {'a': 'b', 'b': 'c', 'c': 'a'}

        Raises:
            RulesError: The moves that it is made of cannot follow one another, or cannot be undone.
        """
        given = tuple(read_symbol(symbol, "the list of symbols") for symbol in symbols)
        return _written(self, _rewrite(self, given))

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
    """A move that exchanges the symbols of two cells."""
    return _cycle(first, second)


def cycle(*cells: int | Sequence[int]) -> Move:
    """A move that carries the symbol of each cell to the next cell, and that of the last cell to the first.

    >>> [(to, source.cell) for to, source in cycle(0, 1, 2).writes]
    [(1, 0), (2, 1), (0, 2)]

    Lists make several cycles at once:

    >>> [(to, source.cell) for to, source in cycle([0, 1], [2, 3]).writes]
    [(1, 0), (0, 1), (3, 2), (2, 3)]

    Raises:
        RulesError: A cycle has fewer than two cells and changes nothing, or two cycles share a cell.
    """
    lists = [isinstance(some, Sequence) and not isinstance(some, str) for some in cells]
    if not any(lists):
        _check_length(cast("tuple[int, ...]", cells))
        return _cycle(*cast("tuple[int, ...]", cells))
    if not all(lists):
        raise RulesError(f"cycle is given {list(cells)!r}; give the cells of one cycle, or one list for each cycle")
    seen: set[int] = set()
    for some in cast("tuple[Sequence[int], ...]", cells):
        _check_length(some)
        for cell in some:
            if read_cell(cell, "cycle") in seen:
                raise RulesError(
                    f"cycle names cell {cell} twice; for one cycle after another write cycle(...) * cycle(...)"
                )
            seen.add(cell)
    return Move(then=tuple(write for some in cells for write in _cycle(*cast("Sequence[int]", some)).writes))


def _check_turn(*moves: Move) -> None:
    """Raises an error if a move that keeps the turn is used to make another move."""
    for move in moves:
        if move.keeps_turn:
            raise RulesError(f"{move._place} keeps the turn, and another is made of it; say again() of the other")


def _check_length(cells: Sequence[int]) -> None:
    if len(cells) < 2:
        raise RulesError(
            f"cycle is given {list(cells)!r}, and changes nothing; name two cells or more; a pass is Move({{}})"
        )


def _cycle(*cells: int) -> Move:
    return Move(then=tuple((to, Copy(source)) for source, to in zip(cells, cells[1:] + cells[:1], strict=True)))


def toggle(*cells: int) -> Move:
    """A move that turns the symbol of each cell into the next one in the rules' list, and the last into the first."""
    return Move(then=tuple((cell, Copy(cell, advance=1)) for cell in cells))


def _check_name(name: str) -> None:
    """Raises an error for a name that cannot be typed, or that has invisible characters."""
    if not name:
        raise RulesError("a move has an empty name, which nobody can type; give it one, or leave it without")
    if name != name.strip():
        raise RulesError(f"a move has the name {name!r}, which begins or ends with a space; take that away")
    if "," in name:
        raise RulesError(f"a move has the name {name!r} with a comma, which stands between names; take another sign")
    for character in name:
        # Refused are control characters, invisible marks such as those for the direction of writing, ends of lines, and
        # all spaces but the usual one. Joiners are allowed, since some emojis have them.
        if category(character) in ("Cc", "Cf", "Zl", "Zp", "Zs") and character not in " \u200c\u200d":
            raise RulesError(f"a move has the name {name!r}, in which {character!r} cannot be typed; take that out")


def move_data(move: Move, name: str, symbols: tuple[str, ...], cells: int) -> dict[str, Any]:
    """A move as the data that the engine reads, for rules with the given symbols and number of cells."""
    _check_name(name)
    place = f'the move "{name}"'
    if move.made_of is not None:
        try:
            _check_cells(move, cells)
            move = _written(move, _rewrite(move, symbols))
        except RulesError as error:
            raise RulesError(f"{place} is made of others: {error}") from error
    for write in move.writes:
        if not isinstance(write, Sequence) or len(write) != 2:
            raise RulesError(f"{place} writes {write!r}; give pairs of a cell and what it holds afterwards")
    then = [(read_cell(cell, place), _source_data(source, symbols, place)) for cell, source in move.writes]
    pairs = {kind: _pairs(getattr(move, kind), place) for kind in ("equal", "different") if getattr(move, kind)}
    flags = ({"forced": True} if move.forced else {}) | ({"again": True} if move.keeps_turn else {})
    when = listed(move.guard, symbols, place)
    more = move.conditions.more(symbols, place)
    return {"name": name, "player": move.player, "when": when, **pairs, **more, "then": then, **flags}


def _pairs(pairs: object, place: str) -> list[tuple[int, int]]:
    if not isinstance(pairs, Iterable):
        raise RulesError(f"{place} compares {pairs!r}; give pairs of cells")
    for pair in pairs:
        if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
            raise RulesError(f"{place} compares {pair!r}; give pairs of cells")
    return [(read_cell(first, place), read_cell(second, place)) for first, second in pairs]


def _source_data(source: object, symbols: tuple[str, ...], place: str) -> str | dict[str, Any]:
    if not isinstance(source, Copy):
        return read_symbol(source, place)
    mapping = read_map(source.map or {}, place)
    if whole_number(source.advance) is None:
        raise RulesError(f"{place} advances by {source.advance!r}; give a whole number")
    if source.advance:
        if mapping:
            raise RulesError(f"{place} copies cell {source.cell} with both a map and an advance; give one of them")
        mapping = {symbol: symbols[(at + source.advance) % len(symbols)] for at, symbol in enumerate(symbols)}
    return {"copy": read_cell(source.cell, place), "map": mapping}


def _check_cells(move: Move, cells: int) -> None:
    """Raises an error if a move, or a move that it is made of, names a cell that the board does not have."""
    sources = (source.cell for _, source in move.writes if isinstance(source, Copy))
    guarded = (cell for cell, _ in move.guard)
    pairs = (cell for pair in (*move.equal, *move.different) for cell in pair)
    for cell in (*(to for to, _ in move.writes), *sources, *guarded, *pairs):
        if not 0 <= read_cell(cell, move._place) < cells:
            raise RulesError(
                f"{move._place} names cell {cell}, which is out of range; cells go from 0 to {cells - 1}, since the "
                f"start has {cells}: mend that number, or the start"
            )
    for factor in move.made_of.factors if move.made_of else ():
        _check_cells(factor, cells)


def _rewrite(move: Move, symbols: tuple[str, ...]) -> Rewrite:
    """The guard and the effect of a move, for rules with the given symbols."""
    from puzzlekit.describe.rewrite import NeverError, normal

    place = move._place
    made = _made(move.made_of, symbols) if move.made_of else _plain(move, symbols, place)
    for cell, held in listed(move.guard, symbols, place):
        for symbol in held:
            check_known(symbol, symbols, place)
        made = made.limited(read_cell(cell, place), held.__contains__)
    for equal, pairs in ((True, move.equal), (False, move.different)):
        for first, second in _pairs(pairs, place):
            made = made.compared(first, second, equal)
    try:
        return normal(made)
    except NeverError as error:
        raise NeverError(f"{place} has a guard that never holds: {error}; mend it") from error


def _made(made: MadeOf, symbols: tuple[str, ...]) -> Rewrite:
    from puzzlekit.describe.rewrite import NeverError, inverse, power, product

    factors = [_rewrite(factor, symbols) for factor in made.factors]
    if more := [factor for factor in made.factors if factor.conditions != NOTHING]:
        raise RulesError(
            f"{more[0]._place} has counts, paths or unless in its guard, and no move is made of those; write the "
            "product or the inverse cell by cell"
        )
    names = " and then ".join(factor._place for factor in made.factors)
    try:
        whole_move = power(reduce(product, factors), made.times)
    except NeverError as error:
        again = names if made.times == 1 else f"{names}, {made.times} times,"
        raise NeverError(f"{again} can never be made one after the other: {error}; change a guard") from error
    if not made.undone:
        return whole_move
    try:
        return inverse(whole_move)
    except NeverError:
        raise
    except RulesError as error:
        raise RulesError(f"{names} cannot be undone by a move: {error}") from error


def _plain(move: Move, symbols: tuple[str, ...], place: str) -> Rewrite:
    """The effect of a move that is not made of others, without a guard."""
    from puzzlekit.describe.rewrite import Read, Rewrite

    sources: dict[int, str | Read] = {}
    for to, source in move.writes:
        data = _source_data(source, symbols, place)
        cell = read_cell(to, place)
        if cell in sources:
            raise RulesError(f"{place} writes cell {cell} twice; write each cell once")
        if isinstance(data, str):
            check_known(data, symbols, place)
            sources[cell] = data
        else:
            for symbol in (*data["map"], *data["map"].values()):
                check_known(symbol, symbols, place)
            sources[cell] = Read(data["copy"], {symbol: data["map"].get(symbol, symbol) for symbol in symbols})
    return Rewrite(symbols, sources=sources)


def _written(move: Move, made: Rewrite) -> Move:
    """Makes a move of a rewrite. It gets the name and the player of `move`."""

    def source(cell: int) -> Source:
        found = made.sources[cell]
        if isinstance(found, str):
            return found
        held = made.may(found.cell)
        changed = {symbol: to for symbol, to in found.table.items() if symbol in held and symbol != to}
        return Copy(found.cell, changed or None)

    def pairs(equal: bool) -> tuple[tuple[int, int], ...]:
        return tuple(sorted((first, second) for first, second, same in made.pairs if same == equal))

    guard = ((cell, tuple(filter(held.__contains__, made.symbols))) for cell, held in sorted(made.allowed.items()))
    then = tuple((cell, source(cell)) for cell in sorted(made.sources))
    same, other = pairs(equal=True), pairs(equal=False)
    return Move(then, tuple(guard), move.name, move.player, same, other, move.conditions, keeps_turn=move.keeps_turn)


def _mentioned(move: Move) -> tuple[str, ...] | None:
    """The symbols that a move mentions, at least two; `None` if its effect also depends on other symbols."""
    names: set[str] = set()
    pending, place = [move], move._place
    but = False
    while pending:
        given = pending.pop()
        pending += given.made_of.factors if given.made_of else ()
        for _, held in given.guard:
            but |= isinstance(held, AnythingBut)
            names |= set(held.symbols if isinstance(held, AnythingBut) else held)
        for _, source in given.writes:
            if not isinstance(source, Copy):
                names.add(read_symbol(source, place))
            elif source.advance:
                return None
            else:
                names |= {name for pair in read_map(source.map or {}, place).items() for name in pair}
    # Rules need two symbols. If the move mentions fewer, symbols are added, with names that no author would choose.
    while len(names) < 2 and not but:
        names.add(f"another symbol {len(names)}")
    return tuple(sorted(names)) or None
