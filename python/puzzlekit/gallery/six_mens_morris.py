"""Six men's morris.

Players put men on 16 points in turn, and then slide them along lines. Three men on a side of a square are a mill: who
makes one takes a man of the other player, out of a mill only if all are in mills. Who has two men left, or no move, has
lost. Play can go round for ever, and with best play it does: the value is a draw, also with 3, 4 or 5 men each.

A mill keeps the turn, and a mark says that a man is to be taken. Hands are cells, so that counts have all men.
"""

from dataclasses import dataclass, replace
from functools import reduce
from itertools import product

from puzzlekit import Beside, Grid, Move, Puzzle, Rules, count, parameter, win

LINES = [(0, 1, 2), (2, 9, 15), (13, 14, 15), (0, 6, 13), (3, 4, 5), (5, 8, 12), (10, 11, 12), (3, 7, 10)]
STEPS = {(1, 4), (6, 7), (8, 9), (11, 14)}.union(*({line[:2], line[1:]} for line in LINES))
RESTS = [[tuple({*line} - {at}) for line in LINES if at in line] for at in range(16)]


@dataclass(frozen=True)
class SixMensMorris(Puzzle):
    """Put men and slide them; three on a side of a square take one. Two men are too few."""

    id = "six_mens_morris"
    men: int = parameter(3, 3, 6, "men of each player")

    def rules(self):
        start = "." * 16 + "X" * self.men + "." + "O" * self.men
        hands = {own: [cell for cell, held in enumerate(start) if held == own] for own in "XO"}
        moves = [move.by(own) for own, other in ("XO", "OX") for move in acts(own, other, hands[own], 16 + self.men)]
        ends = [win(own, count(other, at_most=2)) for own, other in ("XO", "OX")]
        board = Beside(Grid.drawn("o o o\n ooo \noo oo\n ooo \no o o"), 2 * self.men + 1)
        return Rules(".XO!", start, moves, "XO", ends=ends, stuck="loss", symmetries="auto", board=board)


def acts(own, other, hand, mark):
    """The moves of one player: men are put from the hand, and then slid; after a mill, one is taken."""
    puts = [(f"{to}", man, to, hand[: hand.index(man)]) for to in range(16) for man in hand]
    for name, man, to, gone in puts + [(f"{a} {b}", a, b, hand) for step in STEPS for a, b in (step, step[::-1])]:
        move = Move({man: ".", to: own}).when(dict.fromkeys([*gone, to, mark], ".") | {man: own}).named(name)
        for case, mill in cases(move, own, [rest for rest in RESTS[to] if man not in rest]):
            yield replace(case, then={man: ".", to: own, mark: "!"}, keeps_turn=True) if mill else case
    # Free men are in no mill: each line has a gap.
    free = [{at: other} | {gap: {".", own} for gap in gaps} for at in range(16) for gaps in product(*RESTS[at])]
    for at in range(16):
        move = Move({at: ".", mark: "."}).when({at: other, mark: "!"}).named(f"{at}")
        for case, mill in cases(move, other, RESTS[at]):
            yield reduce(Move.unless, free if mill else [], case)


def cases(move, own, rests):
    """The move in each case: which of some lines are full of a player's men, and whether any is."""
    for full in product((True, False), repeat=len(rests)):
        case = move
        for rest, mill in zip(rests, full, strict=True):
            case = case.when(dict.fromkeys(rest, own)) if mill else case.unless(dict.fromkeys(rest, own))
        yield case, any(full)
