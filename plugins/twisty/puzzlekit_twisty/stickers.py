"""A definition cell by cell: a cell for each sticker of each place, and a label for each sticker of each piece.

A piece that can be turned in m ways has m stickers, and the cells of a place are numbered around it. So a move takes
stickers from cell to cell, turned or not, and nothing else: it is a permutation of the cells. A turn of the whole
puzzle is one, too, with another permutation of the labels.

    place 0   place 1        a piece with the stickers a, b and c lies in place 0, another one in place 1
    a b c     d e f
    d e f     c a b          after a move that exchanges the places, and turns the first piece once

What never changes has no cells. A piece whose turns cannot be told apart has the same label on all its stickers; where
this holds for all pieces that come to a place, a single cell is enough.

If the stickers of a puzzle do not fit a state of the engine, a place has the cell of its first sticker alone. The
others follow from it, so a move changes labels on the way. Then no symmetry can be said, since a symmetry changes a
label in the same way wherever it lies.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import lcm
from typing import TYPE_CHECKING

from puzzlekit_twisty.definition import order_of, power_name, shortest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from puzzlekit_twisty.definition import Definition, Transformation

MOST_SYMMETRIES = 200
"""The most turns of the whole puzzle of which each is tried as a symmetry."""

MOST_WORDS, WORD = 32, 64
"""The most words of a state of the engine, and the bits of each. No cell lies in two words."""

Cells = tuple[int, ...]
"""A permutation of cells: for each cell, the cell from which its sticker comes."""

Sticker = tuple[int, int, int]
"""An orbit, a piece, and the number of a sticker on it."""


@dataclass(frozen=True)
class Turn:
    """A move of the rules.

    Attributes:
        name: Its name.
        base: The name of the move of which it is a power.
        times: Which power; backward if it is negative.
        cells: Where each sticker comes from.
        barred: For some cells, the labels that they may not hold before the move.
        twists: How far the piece of each cell is turned, if a place has one cell alone.
    """

    name: str
    base: str
    times: int
    cells: Cells
    barred: tuple[tuple[int, frozenset[int]], ...] = ()
    twists: tuple[int, ...] = ()


@dataclass(frozen=True)
class Stickers:
    """A definition cell by cell.

    Attributes:
        places: The cells of each place, orbit by orbit. Places that never change are left out.
        orbits: The name of each orbit, and how many of `places` it has.
        start: The label of each cell in the solved state. Labels are numbered from 0.
        turns: The moves.
        symmetries: Turns of the whole puzzle that keep the moves; they generate all others.
        around: For each cell, the label that follows each label around a piece, if a place has one cell alone.
    """

    places: tuple[tuple[int, ...], ...]
    orbits: tuple[tuple[str, int], ...]
    start: tuple[int, ...]
    turns: tuple[Turn, ...]
    symmetries: tuple[Cells, ...]
    around: tuple[dict[int, int], ...] = ()

    @property
    def labels(self) -> int:
        """The number of labels."""
        names = {label for follows in self.around for label in follows}
        return max({*self.start, *names}) + 1

    @property
    def bits(self) -> int:
        """The bits of a cell."""
        return max(1, (self.labels - 1).bit_length())

    def fits(self, words: int) -> bool:
        """Returns `True` if a state of this number of words has room for all cells."""
        return len(self.start) <= words * (WORD // self.bits)


def cycles(cells: Cells) -> list[list[int]]:
    """The cycles of a permutation: the sticker of each cell goes to the next one.

    >>> cycles((2, 0, 1, 3))
    [[0, 1, 2]]
    """
    targets = {source: cell for cell, source in enumerate(cells)}
    found, seen = [], set[int]()
    for first in range(len(cells)):
        cycle, cell = [], first
        while cell not in seen:
            seen.add(cell)
            cycle.append(cell)
            cell = targets[cell]
        if len(cycle) > 1:
            found.append(cycle)
    return found


def stickers(definition: Definition, quarter: bool = False, only: Sequence[str] = ()) -> Stickers:
    """A definition cell by cell.

    Args:
        definition: The definition.
        quarter: Whether a move stands for itself and its inverse alone, and not for all its powers.
        only: The names of the moves to take; all if it is empty.
    """
    made = _Made(definition, quarter, only)
    if made.is_still:
        return Stickers((), (), (), (), ())
    found = made.found(symmetric=True)
    if found.fits(MOST_WORDS):
        return found
    # Without symmetries, more labels share symbols.
    found = made.found(symmetric=False)
    return found if found.fits(MOST_WORDS) else made.with_one_cell_each(found)


class _Made:
    """The parts of the answer, which are found one after another."""

    def __init__(self, definition: Definition, quarter: bool, only: Sequence[str]) -> None:
        self._definition = definition
        bases = {name: made for name, made in definition.moves.items() if not only or name in only}
        bases |= {name: made for name in only if name not in bases and (made := definition.named(name))}
        self._bases = bases
        self._kinds = self._find_kinds()
        moved = self._moved_places()
        self._cell: dict[tuple[int, int, int], int] = {}
        places, orbits = [], []
        for number, orbit in enumerate(definition.orbits):
            kept = [place for place in range(orbit.size) if (number, place) in moved]
            for place in kept:
                cells = [(number, place, turn) for turn in range(self._kinds[number, place])]
                first = len(self._cell)
                self._cell |= {cell: first + turn for turn, cell in enumerate(cells)}
                places.append(tuple(range(first, first + len(cells))))
            if kept:
                orbits.append((orbit.name, len(kept)))
        self._places, self._orbits = tuple(places), tuple(orbits)
        labels = self._stickers_at_start()
        numbers = {sticker: number for number, sticker in enumerate(dict.fromkeys(labels))}
        self._start = [numbers[sticker] for sticker in labels]
        self._moves = [self._guarded(turn, numbers) for turn in self._turns(quarter)]

    @property
    def is_still(self) -> bool:
        """`True` if no move changes what can be seen."""
        return not self._start

    def found(self, *, symmetric: bool) -> Stickers:
        """The puzzle, with its symmetries or without."""
        symmetries = self._symmetries(self._start, self._moves) if symmetric else []
        shared = _shared(self._start, self._classes(), [renamed for _, renamed in symmetries])
        return Stickers(
            self._places,
            self._orbits,
            tuple(shared[label] for label in self._start),
            tuple(_relabelled(turn, shared) for turn in self._moves),
            tuple(cells for cells, _ in symmetries),
        )

    def with_one_cell_each(self, found: Stickers) -> Stickers:
        """The same puzzle with the first cell of each place alone."""
        where = {cell: (number, turn) for number, place in enumerate(found.places) for turn, cell in enumerate(place)}
        follows: dict[int, dict[int, int]] = {}
        classes = self._classes()
        for place in found.places:
            for number, cell in enumerate(place):
                following = place[(number + 1) % len(place)]
                follows.setdefault(classes[cell], {})[found.start[cell]] = found.start[following]
        turns = []
        for turn in found.turns:
            sources = [where[turn.cells[place[0]]] for place in found.places]
            barred = tuple((where[cell][0], wrong) for cell, wrong in turn.barred if where[cell][1] == 0)
            cells, twists = (tuple(part) for part in zip(*sources, strict=True))
            turns.append(replace(turn, cells=cells, twists=twists, barred=barred))
        return Stickers(
            tuple((number,) for number in range(len(found.places))),
            found.orbits,
            tuple(found.start[place[0]] for place in found.places),
            tuple(turns),
            (),
            tuple(follows[classes[place[0]]] for place in found.places),
        )

    def _all(self) -> list[Transformation]:
        """The moves and the rotations."""
        return [*self._bases.values(), *self._definition.rotations.values()]

    def _find_kinds(self) -> dict[tuple[int, int], int]:
        """For each place, how many ways of turning a piece can be told apart there: a cell for each."""
        kinds: dict[tuple[int, int], int] = {}
        for number, (orbit, solved) in enumerate(zip(self._definition.orbits, self._definition.solved, strict=True)):
            for places in _components(orbit.size, [made[number].sources for made in self._all()]):
                kind = lcm(*(solved.kinds[place] for place in places))
                kinds |= {(number, place): kind for place in places}
        return kinds

    def _classes(self) -> list[int]:
        """For each cell a number: equal for two cells if moves can take a sticker from one to the other's place."""
        found: dict[tuple[int, int], int] = {}
        for number, orbit in enumerate(self._definition.orbits):
            for places in _components(orbit.size, [made[number].sources for made in self._bases.values()]):
                found |= {(number, place): len(found) for place in places[:1]}
                found |= {(number, place): found[number, places[0]] for place in places}
        return [found[orbit, place] for orbit, place, _ in self._cell]

    def _moved_places(self) -> set[tuple[int, int]]:
        """The places whose cells change in some state: places of pieces that differ, or that are turned."""
        moved = set()
        for number, (orbit, solved) in enumerate(zip(self._definition.orbits, self._definition.solved, strict=True)):
            parts = [made[number] for made in self._bases.values()]
            for places in _components(orbit.size, [part.sources for part in parts]):
                kind = self._kinds[number, places[0]]
                twisted = any(part.twists[place] % kind for part in parts for place in places)
                alike = len({(solved.pieces[place], solved.twists[place]) for place in places}) == 1
                several = any(solved.kinds[place] > 1 for place in places)
                if not alike or (twisted and several):
                    moved |= {(number, place) for place in places}
        return moved

    def _cells(self, made: Transformation) -> Cells | None:
        """The permutation of the cells; `None` if it takes cells to places that have none, or the other way."""
        found = []
        for orbit, place, turn in self._cell:
            part, kind = made[orbit], self._kinds[orbit, place]
            source = (orbit, part.sources[place], (turn - part.twists[place]) % kind)
            if source not in self._cell:
                return None
            found.append(self._cell[source])
        return tuple(found)

    def _turns(self, quarter: bool) -> Iterable[Turn]:
        """The moves of the rules: powers of the moves of the definition, each effect once."""
        seen: set[Cells] = {tuple(range(len(self._cell)))}
        for name, made in self._bases.items():
            base = self._cells(made)
            assert base is not None, "a move takes no place to one that it does not move"
            order, cells = order_of(made, self._definition.orbits), base
            for times in range(1, order):
                short = shortest(times, order)
                if cells not in seen and not (quarter and abs(short) > 1):
                    seen.add(cells)
                    yield Turn(power_name(name, short), name, short, cells)
                cells = tuple(cells[source] for source in base)

    def _stickers_at_start(self) -> list[Sticker]:
        """The sticker that each cell has in the solved state."""
        found = []
        for orbit, place, turn in self._cell:
            solved = self._definition.solved[orbit]
            number = (turn - solved.twists[place]) % solved.kinds[place]
            found.append((orbit, solved.pieces[place], number))
        return found

    def _guarded(self, turn: Turn, numbers: dict[Sticker, int]) -> Turn:
        """A move with its guard. What a place may not hold afterwards, its source may not hold before."""
        guard: dict[int, frozenset[int]] = {}
        for barred in self._definition.barred:
            labels = (
                label
                for (orbit, piece, _), label in numbers.items()
                if orbit == barred.orbit and piece in barred.pieces
            )
            wrong = frozenset(labels)
            for turned in range(self._kinds[barred.orbit, barred.place]):
                cell = self._cell.get((barred.orbit, barred.place, turned))
                # A cell that never changes, or that this move does not change, holds what it may.
                if cell is not None and turn.cells[cell] != cell:
                    guard[turn.cells[cell]] = guard.get(turn.cells[cell], frozenset()) | wrong
        return replace(turn, barred=_in_order(guard.items()))

    def _symmetries(self, start: Sequence[int], turns: Sequence[Turn]) -> list[tuple[Cells, tuple[int, ...]]]:
        """Generators of the rotations that keep the moves, each with the label that each label becomes."""
        identity = tuple(range(len(start)))
        given = [cells for made in self._definition.rotations.values() if (cells := self._cells(made)) is not None]
        group, new = {identity}, [identity]
        while new and len(group) <= MOST_SYMMETRIES:
            new = list({tuple(one[source] for source in turn) for one in new for turn in given} - group)
            group |= set(new)
        tried = sorted(group) if not new else given
        known = {(turn.cells, turn.barred) for turn in turns}
        good = {
            cells: renamed for cells in tried if (renamed := _renamed(cells, start)) and _keeps(cells, renamed, known)
        }
        reached, generators = {identity}, []
        for cells, renamed in good.items():
            if cells in reached:
                continue
            generators.append((cells, renamed))
            fresh = list(reached)
            while fresh:
                made = {tuple(one[source] for source in turn) for one in fresh for turn, _ in generators}
                fresh = list(made - reached)
                reached |= made
        return generators


def _components(size: int, permutations: Sequence[Sequence[int]]) -> list[list[int]]:
    """The places that permutations take to each other, in order."""
    component = list(range(size))

    def root(place: int) -> int:
        while component[place] != place:
            component[place] = component[component[place]]
            place = component[place]
        return place

    for sources in permutations:
        for place, source in enumerate(sources):
            low, high = sorted((root(place), root(source)))
            component[high] = low
    found: dict[int, list[int]] = {}
    for place in range(size):
        found.setdefault(root(place), []).append(place)
    return list(found.values())


def _renamed(cells: Cells, start: Sequence[int]) -> tuple[int, ...] | None:
    """The label that each label becomes if a rotation carries the solved state onto itself; `None` if none can."""
    renamed: dict[int, int] = {}
    for cell, source in enumerate(cells):
        if renamed.setdefault(start[source], start[cell]) != start[cell]:
            return None
    # Labels are numbered in the order of their first cells, so all of them are there.
    found = tuple(renamed[label] for label in range(len(renamed)))
    return found if len(set(found)) == len(found) else None


def _keeps(
    rotation: Cells, renamed: tuple[int, ...], known: set[tuple[Cells, tuple[tuple[int, frozenset[int]], ...]]]
) -> bool:
    """Returns `True` if a rotation carries each move onto a move, with its guard."""
    targets = [0] * len(rotation)
    for cell, source in enumerate(rotation):
        targets[source] = cell
    for cells, barred in known:
        image = tuple(targets[cells[source]] for source in rotation)
        guard = [(targets[cell], frozenset(renamed[label] for label in wrong)) for cell, wrong in barred]
        if (image, _in_order(guard)) not in known:
            return False
    return True


def _shared(start: Sequence[int], classes: Sequence[int], renamings: Sequence[tuple[int, ...]]) -> list[int]:
    """The symbol of each label: labels of cells between which no move goes share symbols, if symmetries allow it.

    A symmetry changes symbols wherever they lie. So two sets of labels may share symbols only if all symmetries change
    them in the same way.
    """
    count = max(start) + 1
    of_class: list[set[int]] = [set() for _ in range(count)]
    for label, number in zip(start, classes, strict=True):
        of_class[label].add(number)
    orbits = _components(count, renamings)
    symbols = [-1] * count
    taken: list[tuple[list[int], set[int]]] = []
    for orbit in sorted(orbits, key=len, reverse=True):
        own = set().union(*(of_class[label] for label in orbit))
        for members, used in taken:
            paired = None if used & own else _paired(orbit, members, symbols, renamings)
            if paired:
                break
        else:
            first = sum(len(members) for members, _ in taken)
            members, used = list(range(first, first + len(orbit))), set()
            taken.append((members, used))
            paired = dict(zip(orbit, members, strict=True))
        used |= own
        for label, symbol in paired.items():
            symbols[label] = symbol
    return symbols


def _paired(
    orbit: list[int], members: list[int], symbols: list[int], renamings: Sequence[tuple[int, ...]]
) -> dict[int, int] | None:
    """A symbol for each label of an orbit, such that symmetries change both alike; `None` if there is none."""
    of_symbol = {symbol: label for label, symbol in enumerate(symbols) if symbol in set(members)}
    for first in members:
        pairs, new = {orbit[0]: first}, [orbit[0]]
        fits = True
        while new and fits:
            label = new.pop()
            for renamed in renamings:
                image, symbol = renamed[label], symbols[renamed[of_symbol[pairs[label]]]]
                if image not in pairs:
                    pairs[image] = symbol
                    new.append(image)
                fits = fits and pairs[image] == symbol
        if fits and len(set(pairs.values())) == len(orbit):
            return pairs
    return None


def _in_order(guard: Iterable[tuple[int, frozenset[int]]]) -> tuple[tuple[int, frozenset[int]], ...]:
    return tuple(sorted(guard, key=lambda held: held[0]))


def _relabelled(turn: Turn, symbols: Sequence[int]) -> Turn:
    barred = tuple((cell, frozenset(symbols[label] for label in wrong)) for cell, wrong in turn.barred)
    return replace(turn, barred=barred)
