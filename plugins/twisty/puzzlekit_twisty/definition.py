"""A twisty puzzle as its definition says it: orbits of pieces, the solved state, moves, rotations, barred places."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import gcd, lcm

from puzzlekit_twisty.errors import DefinitionError

MOST_ORDER = 10_000
"""The most times that a move may be made until nothing has changed. A move stands for all its powers, each of which
becomes a move of the rules."""


@dataclass(frozen=True)
class Orbit:
    """Places among which pieces of one shape go.

    Attributes:
        name: The orbit's name.
        size: How many places, and so how many pieces, there are.
        turns: How many ways a piece can be turned in its place.
    """

    name: str
    size: int
    turns: int


@dataclass(frozen=True)
class Part:
    """The effect of a transformation in one orbit.

    Attributes:
        sources: For each place, the place from which its piece comes.
        twists: For each place, how far the piece that comes is turned on its way.
    """

    sources: tuple[int, ...]
    twists: tuple[int, ...]

    def then(self, other: Part, turns: int) -> Part:
        """The part of this transformation and the other one after it."""
        return Part(
            tuple(self.sources[source] for source in other.sources),
            tuple(
                (self.twists[source] + twist) % turns for source, twist in zip(other.sources, other.twists, strict=True)
            ),
        )

    def undone(self, turns: int) -> Part:
        """The part of the inverse."""
        sources, twists = [0] * len(self.sources), [0] * len(self.sources)
        for place, source in enumerate(self.sources):
            sources[source], twists[source] = place, -self.twists[place] % turns
        return Part(tuple(sources), tuple(twists))


Transformation = tuple[Part, ...]
"""The effect of a move: a part for each orbit."""


@dataclass(frozen=True)
class Filled:
    """The pieces of one orbit in the solved state.

    Attributes:
        pieces: The piece in each place. Pieces of one number are alike.
        twists: How far each is turned.
        kinds: For each place, how many ways of turning its piece can be told apart: 1 if it looks alike in all.
    """

    pieces: tuple[int, ...]
    twists: tuple[int, ...]
    kinds: tuple[int, ...]


@dataclass(frozen=True)
class Barred:
    """A place that may not hold some pieces after a move."""

    orbit: int
    place: int
    pieces: frozenset[int]


@dataclass
class Definition:
    """A twisty puzzle.

    Attributes:
        name: Its name.
        orbits: Its orbits.
        solved: The pieces in the solved state, for each orbit.
        moves: The moves by their names. Each stands for all its powers.
        rotations: Turns of the whole puzzle, which are no moves, by their names.
        aliases: Other names of moves, which other definitions use.
        barred: What no move may lead to.
    """

    name: str
    orbits: tuple[Orbit, ...]
    solved: tuple[Filled, ...]
    moves: dict[str, Transformation] = field(default_factory=dict)
    rotations: dict[str, Transformation] = field(default_factory=dict)
    aliases: dict[str, Transformation] = field(default_factory=dict)
    barred: list[Barred] = field(default_factory=list)

    @property
    def nothing(self) -> Transformation:
        """The transformation that changes nothing."""
        return tuple(Part(tuple(range(orbit.size)), (0,) * orbit.size) for orbit in self.orbits)

    def product(self, *factors: Transformation) -> Transformation:
        """The first transformation, then the second, and so on."""
        made = self.nothing
        for factor in factors:
            pairs = zip(made, factor, self.orbits, strict=True)
            made = tuple(part.then(other, orbit.turns) for part, other, orbit in pairs)
        return made

    def inverse(self, given: Transformation) -> Transformation:
        """The transformation that undoes another one."""
        return tuple(part.undone(orbit.turns) for part, orbit in zip(given, self.orbits, strict=True))

    def power(self, given: Transformation, times: int) -> Transformation:
        """A transformation made several times; its inverse, if the number is negative."""
        if times < 0:
            return self.power(self.inverse(given), -times)
        made, square = self.nothing, given
        while times:
            made = self.product(made, square) if times & 1 else made
            square, times = self.product(square, square), times >> 1
        return made

    def named(self, name: str) -> Transformation | None:
        """The move, the alias or the rotation that has a name; `None` if there is none."""
        for known in (self.moves, self.rotations, self.aliases):
            if name in known:
                return known[name]
        return None


def order_of(given: Transformation, orbits: tuple[Orbit, ...]) -> int:
    """The number of times that a transformation is made until nothing has changed."""
    order = 1
    for part, orbit in zip(given, orbits, strict=True):
        seen: set[int] = set()
        for first in range(orbit.size):
            place, length, twist = first, 0, 0
            while place not in seen:
                seen.add(place)
                twist, place, length = twist + part.twists[place], part.sources[place], length + 1
            if length:
                order = lcm(order, length * (orbit.turns // gcd(twist, orbit.turns)))
    return order


def check_order(name: str, given: Transformation, orbits: tuple[Orbit, ...]) -> int:
    """The order of a move, which must be small enough that all its powers can be moves.

    Raises:
        DefinitionError: It is larger than `MOST_ORDER`.
    """
    order = order_of(given, orbits)
    if order > MOST_ORDER:
        raise DefinitionError(
            f'the move "{name}" changes nothing only after {order:,} times, and each of its powers would be a move; '
            f"give moves of at most {MOST_ORDER:,}"
        )
    return order


def shortest(times: int, order: int) -> int:
    """The number of times that a move is made for one of its powers; negative if it is made backward, which is shorter.

    >>> [shortest(times, 5) for times in range(1, 5)], [shortest(times, 4) for times in range(1, 4)]
    ([1, 2, -2, -1], [1, 2, -1])
    """
    return times - order if order - times < times else times


def power_name(name: str, times: int) -> str:
    """The name of a power.

    >>> power_name("U", 1), power_name("U", 2), power_name("U", -1), power_name("U", -2)
    ('U', 'U2', "U'", "U2'")
    """
    number = "" if abs(times) == 1 else str(abs(times))
    return f"{name}{number}{chr(39) if times < 0 else ''}"
