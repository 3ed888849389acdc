"""Two searches as one would write them in plain Python without puzzlekit: for marks in a row on a board."""

from __future__ import annotations

from collections.abc import Callable

Board = str


def lines(rows: int, columns: int, win: int) -> list[tuple[int, ...]]:
    """The winning lines of a board."""
    found = []
    for row in range(rows):
        for column in range(columns):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                ends = row + down * (win - 1), column + right * (win - 1)
                if 0 <= ends[0] < rows and 0 <= ends[1] < columns:
                    found.append(tuple((row + down * i) * columns + column + right * i for i in range(win)))
    return found


def images(rows: int, columns: int) -> list[tuple[int, ...]]:
    """For each symmetry of a square board: for each cell of the image, the cell that it is taken from."""
    if rows != columns:
        raise ValueError("only square boards are compared here")
    places = [(row, column) for row in range(rows) for column in range(columns)]
    maps: list[Callable[[int, int], tuple[int, int]]] = [
        lambda r, c: (r, c),
        lambda r, c: (r, columns - 1 - c),
        lambda r, c: (rows - 1 - r, c),
        lambda r, c: (rows - 1 - r, columns - 1 - c),
        lambda r, c: (c, r),
        lambda r, c: (c, rows - 1 - r),
        lambda r, c: (columns - 1 - c, r),
        lambda r, c: (columns - 1 - c, rows - 1 - r),
    ]
    return [tuple(a * columns + b for a, b in (image(r, c) for r, c in places)) for image in maps]


class Plain:
    """Counts boards up to symmetry, level by level."""

    def __init__(self, rows: int, columns: int, win: int) -> None:
        self.cells = rows * columns
        self.images = images(rows, columns)
        self.lines = [[line for line in lines(rows, columns, win) if cell in line] for cell in range(self.cells)]

    def _won(self, board: Board, cell: int) -> bool:
        mark = board[cell]
        return any(all(board[at] == mark for at in line) for line in self.lines[cell])

    def _successors(self, board: Board, mark: str) -> list[tuple[Board, bool]]:
        found = []
        for cell in range(self.cells):
            if board[cell] == ".":
                after = board[:cell] + mark + board[cell + 1 :]
                found.append((after, self._won(after, cell)))
        return found

    def by_canonical_form(self) -> list[int]:
        """The usual way: a set of canonical forms, each the smallest of the eight images."""
        counts, frontier = [], ["." * self.cells]
        won: set[Board] = set()
        while frontier or won:
            counts.append(len(frontier) + len(won))
            mark = "XO"[(len(counts) - 1) % 2]
            new: set[Board] = set()
            won = set()
            for board in frontier:
                for after, wins in self._successors(board, mark):
                    canonical = min("".join([after[at] for at in image]) for image in self.images)
                    (won if wins else new).add(canonical)
            frontier = list(new)
        return counts

    def by_linear_scan(self) -> list[int]:
        """The handout's way: all images of each new board are compared with each board of its level."""
        counts, frontier = [], ["." * self.cells]
        level = frontier
        while level:
            counts.append(len(level))
            mark = "XO"[(len(counts) - 1) % 2]
            level, open_boards = [], []
            for board in frontier:
                for after, wins in self._successors(board, mark):
                    seen = ["".join([after[at] for at in image]) for image in self.images]
                    if not self._listed(level, seen):
                        level.append(after)
                        if not wins:
                            open_boards.append(after)
            frontier = open_boards
        return counts

    @staticmethod
    def _listed(level: list[Board], seen: list[Board]) -> bool:
        for known in level:
            for image in seen:
                if image == known:
                    return True
        return False
