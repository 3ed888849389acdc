"""Computes the numbers that the article guesses and the README states: `python -m puzzlekit_flipit.claims`."""

from __future__ import annotations

from itertools import combinations, product

from puzzlekit import Grid
from puzzlekit_flipit import PRESSES, FlipIT

# The article's guess at the number of puzzles of three presses, with rotations counted apart.
GUESSED = 5565

DAYS_A_YEAR = 365.25


def classes(symmetries: list[tuple[int, ...]], cells: int) -> int:
    """The number of orbits of the symmetries on the sets of three cells."""
    group, new = {tuple(range(cells))}, [tuple(range(cells))]
    while new:
        element = new.pop()
        for generator in symmetries:
            both = tuple(generator[cell] for cell in element)
            if both not in group:
                group.add(both)
                new.append(both)
    images = (
        min(tuple(sorted(element[cell] for cell in presses)) for element in group)
        for presses in combinations(range(cells), PRESSES)
    )
    return len(set(images))


def combinations_that_change_nothing(rows: int, columns: int) -> int:
    """The number of independent combinations that change nothing: the presses minus the rank of their flips over GF(2).

    >>> combinations_that_change_nothing(4, 4), combinations_that_change_nothing(5, 5)
    (0, 9)
    """
    grid = Grid(rows, columns)
    pivots: dict[int, int] = {}  # the rows of the echelon form, by their highest bits
    for cell in grid:
        flips = sum(1 << at for at in grid.neighbourhood(cell))
        while flips and flips.bit_length() in pivots:
            flips ^= pivots[flips.bit_length()]
        if flips:
            pivots[flips.bit_length()] = flips
    return grid.cells - len(pivots)


def main() -> None:
    """Prints how many boards need each number of presses, the puzzles of three, and sizes with unsolvable boards."""
    puzzle, grid = FlipIT(), Grid(4, 4)
    report = puzzle.enumerate()
    print("presses   boards   up to all symmetries")  # noqa: T201
    for depth in report.depths:
        print(f"{depth.depth:>7}{depth.raw_states:>9,}{depth.states:>23,}")  # noqa: T201
    print(f"    all{report.raw_states:>9,}{report.states:>23,}")  # noqa: T201
    rotations = classes([symmetry.cells for symmetry in grid.rotations()], grid.cells)
    everything = classes([symmetry.cells for symmetry in grid.symmetries()], grid.cells)
    line = f"\npuzzles of {PRESSES} presses: {report.depths[PRESSES].raw_states} (the article guesses {GUESSED:,})"
    print(line)  # noqa: T201
    print(f"up to rotation: {rotations}; up to all symmetries: {everything}")  # noqa: T201
    days = report.depths[PRESSES].raw_states
    line = f"a puzzle a day: {days / DAYS_A_YEAR:.1f} years (the article says {GUESSED / DAYS_A_YEAR:.0f})"
    print(line)  # noqa: T201
    sizes = {size: combinations_that_change_nothing(*size) for size in product(range(2, 11), repeat=2)}
    some = [size for size, nothing in sizes.items() if nothing]
    named = [size for size in sizes if {2, 5, 8} & set(size)]
    print(  # noqa: T201
        f"\nsizes on which some boards cannot be solved: {len(some)} of {len(sizes)}"
        f"{', those with a side of 2, 5 or 8' if some == named else ''}"
    )
    print(f"independent combinations that change nothing: at most {max(sizes.values())}")  # noqa: T201


if __name__ == "__main__":
    main()
