"""Quarto, by B. Müller.

Each piece is tall or short, light or dark, and so on: no two are alike in everything. A player puts the piece that the
other player has handed over, and hands over the next one. Who completes a line of pieces that are alike in something
wins. The game has 4 by 4 cells and sixteen pieces. The default is a small one: who begins loses.

Below the board are the piece in hand and the pieces that are left.
"""

from dataclasses import dataclass

from puzzlekit import Copy, Grid, Move, Puzzle, Rules, Symmetry, parameter, win


@dataclass(frozen=True)
class Quarto(Puzzle):
    """Put the piece that you are given, and choose the next one: a line of pieces that are alike in something wins."""

    id = "quarto"
    size: int = parameter(3, 2, 4, "rows and columns")
    attributes: int = parameter(3, 1, 4, "attributes of a piece")

    def rules(self):
        grid, pieces = Grid(self.size, self.size), "0123456789abcdef"[: 2**self.attributes]
        bits = [1 << bit for bit in range(self.attributes)]
        kinds = [{p for p in pieces if (int(p, 16) & bit > 0) == has} for bit in bits for has in (False, True)]
        lines = grid.lines(self.size)
        return Rules(
            symbols=f"{pieces}.+-",
            start=["."] * (grid.cells + 1) + ["+"] * len(pieces),
            moves=[move.by(player) for player in "AB" for move in self.moves(grid.cells, pieces)],
            players="AB",
            ends=[win(player, dict.fromkeys(line, kind)) for player in "AB" for line in lines for kind in kinds],
            stuck="draw",
            symmetries=[*self.symmetries(grid, pieces, bits)],
            board=Grid.drawn("\n".join(["o" * self.size] * self.size + ["", "o " + "o" * len(pieces)])),
        )

    def moves(self, hand, pieces):
        """The moves of a player: the first piece is handed over, then one is put and the next one handed over."""
        left, held = {piece: hand + 1 + place for place, piece in enumerate(pieces)}, {hand: set(pieces)}
        for piece, lies in left.items():
            yield Move({hand: piece, lies: "-"}).when({hand: ".", lies: "+"}).named(piece)
            for cell in range(hand):
                put = Move({cell: Copy(hand), hand: piece, lies: "-"})
                yield put.when(held | {cell: ".", lies: "+"}).named(f"{cell} {piece}")
        for cell in range(hand):
            last = held | {cell: "."} | dict.fromkeys(left.values(), "-")
            yield Move({cell: Copy(hand), hand: "-"}).when(last).named(cell)

    def symmetries(self, grid, pieces, bits):
        """The symmetries of the board; and each attribute, turned around or exchanged with the next one."""
        same, all_cells = range(len(pieces)), range(grid.cells)
        turned = [[piece ^ bit for piece in same] for bit in bits]
        changed = [[p ^ (3 * bit if p // bit % 4 in (1, 2) else 0) for p in same] for bit in bits[:-1]]
        boards = [(symmetry.cells, same) for symmetry in grid.symmetries()]
        for cells, to in [*boards, *((all_cells, to) for to in turned + changed)]:
            left = [grid.cells + 1 + piece for piece in to]
            yield Symmetry((*cells, grid.cells, *left), {pieces[p]: pieces[to[p]] for p in same})
