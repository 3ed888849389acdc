"""Guards and effects of moves for a known list of symbols, with which moves are multiplied and inverted.

For example, take three cells. The move `a` carries their symbols one cell on, and its guard wants a `.` in cell 0. The
guard of the move `b` wants a `.` in cell 1. After `a`, cell 1 holds what cell 0 held before. So `a * b` wants a `.` in
cell 0, and nothing more: the guard of `b` was pulled back through `a`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from puzzlekit.errors import RulesError

Table = Mapping[str, str]
"""For each symbol of the rules, the symbol that replaces it."""


class NeverError(RulesError):
    """Raised if a guard holds in no state."""


@dataclass(frozen=True)
class Read:
    """As the source of a written cell: the symbol that a cell holds before the move, replaced as a table says."""

    cell: int
    table: Table


@dataclass(frozen=True)
class Rewrite:
    """The guard and the effect of a move.

    Args:
        symbols: All symbols of the rules.
        allowed: The symbols that cells must hold. A cell that is not named may hold any symbol.
        pairs: Pairs of cells, the smaller one first, each with `True` if they must hold the same symbol, and `False` if
            they must hold different ones.
        sources: What each written cell holds afterwards: a symbol, or a `Read`.
    """

    symbols: tuple[str, ...]
    allowed: Mapping[int, frozenset[str]] = field(default_factory=dict)
    pairs: frozenset[tuple[int, int, bool]] = frozenset()
    sources: Mapping[int, str | Read] = field(default_factory=dict)

    def may(self, cell: int) -> frozenset[str]:
        """The symbols that the guard allows in a cell."""
        return self.allowed.get(cell, frozenset(self.symbols))

    def value(self, cell: int) -> str | Read:
        """Returns what a cell holds afterwards: its source, or its own symbol if it is not written."""
        return self.sources.get(cell, Read(cell, {symbol: symbol for symbol in self.symbols}))

    def limited(self, cell: int, fits: Callable[[str], bool]) -> Rewrite:
        """The same rewrite with a narrower guard: a cell must hold a symbol for which `fits` is true."""
        left = frozenset(symbol for symbol in self.may(cell) if fits(symbol))
        if not left:
            raise NeverError(f"cell {cell} would have to hold several symbols at once")
        return replace(self, allowed={**self.allowed, cell: left})

    def compared(self, first: int, second: int, equal: bool) -> Rewrite:
        """The same rewrite with a narrower guard: two cells must hold the same symbol, or different ones."""
        return replace(self, pairs=self.pairs | {(min(first, second), max(first, second), equal)})


def normal(given: Rewrite) -> Rewrite:
    """The same rewrite, with the shortest guard and effect.

    Raises:
        NeverError: The guard holds in no state, as far as comparing two cells at a time shows.
    """
    given = _narrowed(given)
    sources: dict[int, str | Read] = {}
    for cell, source in given.sources.items():
        if isinstance(source, Read):
            after = {source.table[symbol] for symbol in given.may(source.cell)}
            if len(after) == 1:
                source = after.pop()  # noqa: PLW2901 - the same source, said more shortly
            elif source.cell == cell and all(source.table[symbol] == symbol for symbol in given.may(cell)):
                continue
        if source != next(iter(given.may(cell))) or len(given.may(cell)) > 1:
            sources[cell] = source
    return replace(given, sources=sources)


def _narrowed(given: Rewrite) -> Rewrite:
    """Shortens the guard: equal cells get the same allowed symbols, and pairs that always hold then are dropped."""
    before = None
    while given != before:
        before = given
        for first, second, equal in given.pairs:
            mine, yours = given.may(first), given.may(second)
            if first == second or equal:
                if not equal:
                    raise NeverError(f"cell {first} would have to differ from itself")
                given = given.limited(first, yours.__contains__).limited(second, mine.__contains__)
            elif len(mine) == 1:
                given = given.limited(second, lambda symbol, other=mine: symbol not in other)  # type: ignore[misc]
            elif len(yours) == 1:
                given = given.limited(first, lambda symbol, other=yours: symbol not in other)  # type: ignore[misc]
    if any(not held for held in given.allowed.values()):
        raise NeverError("a guard allows no symbol")

    def is_open(pair: tuple[int, int, bool]) -> bool:
        first, second, equal = pair
        mine, yours = given.may(first), given.may(second)
        return first != second and (len(mine) > 1 if equal else bool(mine & yours) and min(len(mine), len(yours)) > 1)

    everything = frozenset(given.symbols)
    allowed = {cell: held for cell, held in given.allowed.items() if held != everything}
    return replace(given, allowed=allowed, pairs=frozenset(filter(is_open, given.pairs)))


def product(first: Rewrite, second: Rewrite) -> Rewrite:
    """The rewrite that does `first`, and then `second`.

    Raises:
        NeverError: `second` can never follow `first`.
        RulesError: No guard says when the product can be made.
    """
    both = first
    for cell, held in second.allowed.items():
        both = _where(both, first.value(cell), held.__contains__)
    for one, other, equal in second.pairs:
        both = _pulled_back(both, first.value(one), first.value(other), equal)
    sources = {**first.sources}
    for cell, source in second.sources.items():
        if isinstance(source, Read):
            before, table = first.value(source.cell), source.table
            if isinstance(before, Read):
                sources[cell] = Read(before.cell, {symbol: table[to] for symbol, to in before.table.items()})
            else:
                sources[cell] = table[before]
        else:
            sources[cell] = source
    return normal(replace(both, sources=sources))


def _where(given: Rewrite, value: str | Read, fits: Callable[[str], bool]) -> Rewrite:
    """The same rewrite with a narrower guard: a value, which is a symbol or read from a cell, must fit."""
    if isinstance(value, Read):
        return given.limited(value.cell, lambda symbol: fits(value.table[symbol]))
    if not fits(value):
        raise NeverError(f'"{value}" is written where another symbol is wanted')
    return given


def _pulled_back(given: Rewrite, one: str | Read, other: str | Read, equal: bool) -> Rewrite:
    """The same rewrite with a narrower guard: two values, symbols or read from cells, must be equal or differ."""
    if isinstance(one, str) and isinstance(other, str):
        return _where(given, one, lambda symbol: (symbol == other) == equal)
    if isinstance(one, str) or isinstance(other, str):
        known, read = (one, other) if isinstance(one, str) else (other, one)
        return _where(given, read, lambda symbol: (symbol == known) == equal)
    if one.cell == other.cell:
        return given.limited(one.cell, lambda symbol: (one.table[symbol] == other.table[symbol]) == equal)
    if not _tells(given, one, other):
        raise RulesError(
            f"cells {one.cell} and {other.cell} would have to be compared after they are changed in different ways; "
            "write the product cell by cell, one move for each symbol"
        )
    return given.compared(one.cell, other.cell, equal)


def _tells(given: Rewrite, one: Read, other: Read) -> bool:
    """Returns `True` if two values are equal exactly if their two cells hold equal symbols before the move."""
    return all(
        (mine == yours) == (one.table[mine] == other.table[yours])
        for mine in given.may(one.cell)
        for yours in given.may(other.cell)
    )


def power(given: Rewrite, times: int) -> Rewrite:
    """The rewrite that does another one several times, computed by repeated squaring."""
    if times == 1:
        return normal(given)
    half = power(given, times // 2)
    whole = product(half, half)
    return product(whole, given) if times % 2 else whole


def _lost(given: Rewrite, cell: int) -> RulesError:
    """Makes the error for a move that cannot be undone, because no cell shows afterwards what `cell` held before."""
    if any(not equal and cell in (first, second) for first, second, equal in given.pairs):
        # If two cells must differ, and both may hold only the same two symbols, each shows what the other one held.
        # This module does not use that.
        return RulesError(
            f"it overwrites cell {cell}, which it compares, and no guard of its inverse can say what the cell held; "
            "write the inverse by hand, one move for each symbol"
        )
    return RulesError(
        f"it loses what cell {cell} held, so nothing can undo it; say in its guard what the cell holds, or keep the "
        "symbol in another cell"
    )


def inverse(given: Rewrite) -> Rewrite:
    """The rewrite that undoes another one. It can be made exactly in the states to which that one leads.

    Cells that the guard wants to be equal form a *class*. The symbol of a class is read back from any cell that holds
    it afterwards. If several cells do, the guard of the inverse demands that they are equal.

    Raises:
        RulesError: The rewrite loses what some cell held, or no guard says when the inverse can be made.
    """
    given = normal(given)
    classes = _classes(given)
    homes: dict[int, list[tuple[int, Table]]] = {}  # where the symbol of each class is afterwards
    for cell in sorted({*classes, *given.sources, *given.allowed, *_read(given)}):
        value = given.value(cell)
        if isinstance(value, Read):
            homes.setdefault(classes.get(value.cell, value.cell), []).append((cell, value.table))
    for cell in given.sources:
        if len(given.may(cell)) > 1 and classes.get(cell, cell) not in homes:
            raise _lost(given, cell)
    undone = Rewrite(given.symbols)
    for cell, source in given.sources.items():
        if isinstance(source, str):
            undone = replace(undone, allowed={**undone.allowed, cell: frozenset([source])})
    bases: dict[int, tuple[int, Table]] = {}
    for of, places in homes.items():
        bases[of], undone = _read_back(given, undone, of, places)
    for first, second, equal in sorted(given.pairs):
        if not equal:
            undone = _still_differ(given, undone, first, second, bases, classes)
    sources: dict[int, str | Read] = {}
    for cell in given.sources:
        held = given.may(cell)
        if len(held) == 1:
            sources[cell] = next(iter(held))
        else:
            home, table = bases[classes.get(cell, cell)]
            back = {table[symbol]: symbol for symbol in held}
            sources[cell] = Read(home, {symbol: back.get(symbol, symbol) for symbol in given.symbols})
    return normal(replace(undone, sources=sources))


def _read(given: Rewrite) -> set[int]:
    return {source.cell for source in given.sources.values() if isinstance(source, Read)}


def _classes(given: Rewrite) -> dict[int, int]:
    """For each compared cell, the smallest of the cells that must be equal to it, which may be the cell itself."""
    classes = {cell: cell for first, second, _ in given.pairs for cell in (first, second)}
    for first, second, equal in given.pairs:
        if equal:
            low, high = sorted((classes[first], classes[second]))
            classes = {cell: low if of == high else of for cell, of in classes.items()}
    return classes


def _read_back(
    given: Rewrite, undone: Rewrite, of: int, places: list[tuple[int, Table]]
) -> tuple[tuple[int, Table], Rewrite]:
    """Finds a cell that shows the symbol of a class after the move.

    Returns this cell with its table, and `undone` with a narrower guard: all cells that hold the symbol must agree.
    """
    held = given.may(of)
    exact = [place for place in places if len({place[1][symbol] for symbol in held}) == len(held)]
    if not exact:
        together = {tuple(table[symbol] for _, table in places) for symbol in held}
        differs = any(not equal and of in (first, second) for first, second, equal in given.pairs)
        if len(together) == len(held) or differs:
            # No single cell shows the symbol. Several cells together may show it, but a guard cannot express that.
            raise RulesError(
                f"it turns several symbols of cell {of} into one in each cell that takes it, and no guard of its "
                "inverse can say which it was; write the inverse by hand, one move for each symbol"
            )
        raise RulesError(
            f"it turns several symbols of cell {of} into one, so nothing can undo it; narrow its guard, or its map"
        )
    base = exact[0]
    for cell, table in places:
        undone = replace(undone, allowed={**undone.allowed, cell: frozenset(table[symbol] for symbol in held)})
        if any(table[symbol] != base[1][symbol] for symbol in held):
            raise RulesError(
                f"it takes the symbol of cell {of} to cells {base[0]} and {cell} in different ways, and no guard of "
                "its inverse can say that these fit; write the inverse by hand, one move for each symbol"
            )
        if cell != base[0]:
            undone = undone.compared(base[0], cell, equal=True)
    return base, undone


def _still_differ(  # noqa: PLR0913 - what is known of both sides
    given: Rewrite,
    undone: Rewrite,
    first: int,
    second: int,
    bases: Mapping[int, tuple[int, Table]],
    classes: Mapping[int, int],
) -> Rewrite:
    """Narrows the guard of the inverse: two cells must have held different symbols before the move."""
    one, other = bases[classes[first]], bases[classes[second]]
    mine, yours = given.may(first), given.may(second)
    if any((a == b) != (one[1][a] == other[1][b]) for a in mine for b in yours):
        raise RulesError(
            f"it changes cells {first} and {second}, which it compares, in different ways, and no guard of its inverse "
            "can say that; write the inverse by hand, one move for each symbol"
        )
    return undone.compared(one[0], other[0], equal=False)
