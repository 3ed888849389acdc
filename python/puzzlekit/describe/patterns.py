"""The ways in which authors write symbols, cells and patterns, and the functions that read them.

A *symbol* is what a cell may hold. Give it as a string or as a number; a number is the same as its text. A *cell* is a
number from 0. A `when` says which symbols some cells may hold: `{4: "X"}`, `{4: {"X", "O"}}` for either, or
`{4: anything_but("X")}`.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar, cast

from puzzlekit.errors import RulesError

MOST_CELLS = 2048
"""The most cells that a state may have."""

MOST_LISTED = 2**18
"""The most symbols, moves, ends or goals that are read. So a list without an end is refused within seconds."""


MOST_SHOWN = 60
"""The most characters of a wrong value that a message shows."""

MADE_BY = {
    "End": ', such as win("X", {cell: symbol}), or over({cell: symbol}) with a score',
    "Move": ", such as put(cell, symbol), swap(a, b) or cycle(a, b, c)",
}
"""For each class, the end of the message to an author who gave something else: which functions make its objects."""


@dataclass(frozen=True)
class AnythingBut:
    """All symbols of the rules except some. `anything_but` makes one."""

    symbols: tuple[str, ...]


Symbol = str | int
# To a type checker, a `Mapping[int, ...]` is no `Mapping[Symbol, ...]`. So `BySymbol` names all three types.
Symbols = Symbol | Iterable[Symbol] | AnythingBut
_Value = TypeVar("_Value")
BySymbol = Mapping[str, _Value] | Mapping[int, _Value] | Mapping[Symbol, _Value]
When = Mapping[int, Symbols]
Held = tuple[str, ...] | AnythingBut
Pattern = tuple[tuple[int, Held], ...]
Listed = tuple[tuple[int, tuple[str, ...]], ...]


def anything_but(*symbols: Symbols) -> AnythingBut:
    """Any symbol of the rules except the given ones, in a guard, an end or a goal.

    >>> from puzzlekit import Rules, put
    >>> rules = Rules(symbols=".ox", start="..", moves=[put(0, "o").when({0: anything_but("o")})])
    >>> rules.to_data()["moves"][0]["when"]
    ((0, ('.', 'x')),)

    Args:
        symbols: The symbols that are left out, one by one or as sets.
    """
    named = {name for some in symbols for name in read_symbols(some, "anything_but")}
    if not named:
        raise RulesError("anything_but is given no symbol; name those that are left out")
    return AnythingBut(tuple(sorted(named)))


def read_symbol(symbol: object, place: str) -> str:
    """Reads a symbol, which is a text or a number, and returns it as a text."""
    if isinstance(symbol, str):
        if any("\ud800" <= character <= "\udfff" for character in symbol):
            raise RulesError(f"{place} uses {symbol!r}, which holds half of a character; give whole ones")
        return symbol
    number = whole_number(symbol)
    if number is None:
        raise RulesError(f"{place} uses {symbol!r} as a symbol; give a string or a whole number")
    return str(number)


def whole_number(number: object) -> int | None:
    """Reads a whole number of any type, NumPy's included; returns `None` for anything else, and for truth values."""
    try:
        return None if isinstance(number, bool) else operator.index(cast("int", number))
    except TypeError:
        return None


def read_some(given: Iterable[Any], what: str) -> tuple[Any, ...]:
    """The items of any iterable as a tuple, if there are at most `MOST_LISTED`.

    Raises:
        RulesError: There are more, as in an iterator without an end.
    """
    things = tuple(islice(given, MOST_LISTED + 1))
    if len(things) > MOST_LISTED:
        raise RulesError(f"{what} has more than {MOST_LISTED:,} entries; give fewer, in a list that ends")
    return things


def brief(given: object) -> str:
    """A wrong value as a message shows it: the kind of what is long to write out, such as a list or a function."""
    if isinstance(given, Mapping | Sequence) and not isinstance(given, str) and len(repr(given)) > MOST_SHOWN:
        return f"a {type(given).__name__} of {len(given)}"
    if callable(given) and not isinstance(given, type):
        return f"the function {getattr(given, '__name__', '')}".replace("the function <lambda>", "a lambda").rstrip()
    text = repr(given)
    return text if len(text) <= MOST_SHOWN else f"a {type(given).__name__}"


def read_list(given: object, kind: type, what: str) -> tuple[Any, ...]:
    """The items of a list, all of which must be of the class `kind`."""
    such = f"puzzlekit.{kind.__name__}{MADE_BY.get(kind.__name__, '')}"
    if isinstance(given, kind | str) or not isinstance(given, Iterable):
        lone = f"a single {kind.__name__}; put it into a list, [...]," if isinstance(given, kind) else brief(given)
        raise RulesError(f"{what} is {lone}{' or' if isinstance(given, kind) else ';'} give a list of {such}")
    things = read_some(given, f"the list of {what}")
    for thing in things:
        if not isinstance(thing, kind):
            raise RulesError(f"{what} holds {brief(thing)}; give objects of {such}")
    return things


def read_symbols(symbols: object, place: str) -> tuple[str, ...]:
    """Reads one symbol, or several in a set, a list, a range or any other iterable, and returns them sorted."""
    if isinstance(symbols, Iterable) and not isinstance(symbols, str | bytes | Mapping):
        return tuple(
            sorted(read_symbol(symbol, place) for symbol in read_some(symbols, f"a set of symbols in {place}"))
        )
    return (read_symbol(symbols, place),)


def read_cell(cell: object, place: str) -> int:
    """Reads the number of a cell."""
    number = whole_number(cell)
    if number is None:
        raise RulesError(f"{place} uses {cell!r} as a cell; give a whole number")
    if not -(2**63) <= number < 2**63:  # all other numbers are checked by the engine, which knows the board
        # Python writes no number of more than 4,300 digits.
        which = f"cell {number}" if abs(number) < 10**30 else "a cell of more than 30 digits"
        raise RulesError(f"{place} names {which}, which is out of range; cells go from 0 to {MOST_CELLS - 1} at most")
    return number


def read_pattern(when: object, place: str) -> Pattern:
    """Reads a pattern: a mapping from cells to symbols, which is returned as pairs."""
    if not isinstance(when, Mapping):
        raise RulesError(f"{place} has the pattern {when!r}; give a mapping from cells to symbols")
    return tuple((read_cell(cell, place), read_held(held, place)) for cell, held in when.items())


def kept(when: When) -> When:
    """The same pattern, with lists in place of iterators, so that it can be read more than once."""
    if not isinstance(when, Mapping) or not any(isinstance(held, Iterator) for held in when.values()):
        return when
    place = "a set of symbols"
    return {cell: read_some(held, place) if isinstance(held, Iterator) else held for cell, held in when.items()}


def read_held(symbols: object, place: str) -> Held:
    """Reads the symbols that a cell may hold. `anything_but` stays as it is until the rules' symbols are known."""
    return symbols if isinstance(symbols, AnythingBut) else read_symbols(symbols, place)


def read_map(symbols: object, place: str) -> dict[str, str]:
    """Reads a mapping from symbols to symbols."""
    if not isinstance(symbols, Mapping):
        raise RulesError(f"{place} turns symbols into others by {brief(symbols)}; give a mapping")
    return {read_symbol(a, place): read_symbol(b, place) for a, b in symbols.items()}


def listed(pattern: Pattern, symbols: Sequence[str], place: str) -> Listed:
    """A pattern in which `anything_but` is replaced by the names of all other symbols of the rules."""
    return tuple((cell, names_of(held, symbols, place)) for cell, held in pattern)


def names_of(held: Held, symbols: Sequence[str], place: str) -> tuple[str, ...]:
    """The names of the symbols that a cell may hold. `anything_but` becomes all other symbols of the rules."""
    if not isinstance(held, AnythingBut):
        return held
    for name in held.symbols:
        check_known(name, symbols, place)
    return tuple(symbol for symbol in symbols if symbol not in held.symbols)


def check_known(symbol: str, symbols: Sequence[str], place: str) -> None:
    """Raises an error for a symbol that the rules do not have."""
    if symbol not in symbols:
        raise RulesError(f'{place} names the unknown symbol "{symbol}"; the symbols are {" ".join(symbols)}')
