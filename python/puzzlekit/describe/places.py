"""Parts that all boards share: the lengths of their rows, and the symmetries of a set of places."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from puzzlekit.describe.rules import Symmetry

Place = tuple[int, int]
Moved = Callable[[int, int], Place]


def lengths(rows: Iterable[int]) -> tuple[int, ...]:
    """The number of cells in each row, given the row number of each cell in ascending order."""
    counts: dict[int, int] = {}
    for row in rows:
        counts[row] = counts.get(row, 0) + 1
    return tuple(counts.values())


def generators(places: Sequence[Place], maps: Sequence[tuple[str, Moved]]) -> list[Symmetry]:
    """Generators of the symmetries of a set of places: of the given maps, those that carry the set onto itself.

    A map may shift the set as a whole. A map that is a product of earlier generators is left out.
    """
    numbers = {place: cell for cell, place in enumerate(at_corner(places))}
    kept: list[Symmetry] = []
    group = {tuple(range(len(places)))}
    for name, moved in maps:
        images = at_corner([moved(*place) for place in places])
        if not all(image in numbers for image in images):
            continue
        cells = tuple(numbers[image] for image in images)
        if cells not in group:
            kept.append(Symmetry(cells, name=name))
            group = _closed([symmetry.cells for symmetry in kept])
    return kept


def at_corner(places: Sequence[Place]) -> list[Place]:
    """The places, all shifted alike so that the smallest row and the smallest column are 0."""
    top, left = (min(place[axis] for place in places) for axis in (0, 1))
    return [(row - top, column - left) for row, column in places]


def _closed(permutations: Sequence[tuple[int, ...]]) -> set[tuple[int, ...]]:
    """All elements of the group that permutations generate."""
    identity = tuple(range(len(permutations[0])))
    group, pending = {identity}, [identity]
    while pending:
        element = pending.pop()
        for permutation in permutations:
            image = tuple(permutation[cell] for cell in element)
            if image not in group:
                group.add(image)
                pending.append(image)
    return group
