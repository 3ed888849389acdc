"""Computes what the article guesses: how many puzzles take three presses. `python -m puzzlekit_flipit.claims`."""

from __future__ import annotations

from itertools import combinations

from puzzlekit import Grid
from puzzlekit_flipit import PRESSES, FlipIT

# The article's guess at the number of puzzles of three presses, rotations counted apart.
GUESSED = 5565


def classes(symmetries: list[tuple[int, ...]], cells: int) -> int:
    """How many sets of three cells there are when those that the symmetries carry onto each other count as one."""
    group, new = {tuple(range(cells))}, [tuple(range(cells))]
    while new:
        element = new.pop()
        for generator in symmetries:
            product = tuple(generator[cell] for cell in element)
            if product not in group:
                group.add(product)
                new.append(product)
    images = (
        min(tuple(sorted(element[cell] for cell in presses)) for element in group)
        for presses in combinations(range(cells), PRESSES)
    )
    return len(set(images))


def main() -> None:
    """Prints how many boards need how many presses, and how many puzzles of three presses there are."""
    puzzle, grid = FlipIT(), Grid(4, 4)
    report = puzzle.enumerate()
    print("presses   boards   up to all symmetries")  # noqa: T201
    for depth in report.depths:
        print(f"{depth.depth:>7}{depth.raw_states:>9,}{depth.states:>23,}")  # noqa: T201
    print(f"    all{report.raw_states:>9,}{report.states:>23,}")  # noqa: T201
    rotations = classes([symmetry.cells for symmetry in grid.rotations()], grid.cells)
    everything = classes([symmetry.cells for symmetry in grid.symmetries()], grid.cells)
    print(f"\npuzzles of {PRESSES} presses: {report.depths[PRESSES].raw_states} (the article guesses {GUESSED:,})")  # noqa: T201
    print(f"up to rotation: {rotations}; up to all symmetries: {everything}")  # noqa: T201


if __name__ == "__main__":
    main()
