"""Plain searches for puzzles of the gallery, written from their descriptions: no rules, no cells, no puzzlekit.

Each function returns the start, and a function that gives the successors of a state: none if play is over. The
functions take the same parameters as the puzzles of the same names in the gallery. `tests/naive.py` is a plain search,
too, but it reads the rules. The functions here find mistakes in the rules themselves.
"""

from collections import defaultdict
from itertools import product


def depths(start, after):
    """The number of states at each number of moves from the start."""
    seen, frontier, counts = {start}, {start}, []
    while frontier:
        counts.append(len(frontier))
        frontier = {state for old in frontier for state in after(old)} - seen
        seen |= frontier
    return counts


def to_goal(start, after, solved):
    """The most moves that a state needs to a solved one, and the number of states that cannot be solved."""
    before, new = {start: set()}, [start]
    while new:
        old = new.pop()
        for state in after(old):
            if state not in before:
                before[state] = set()
                new.append(state)
            before[state].add(old)
    near = frontier = {state for state in before if solved(state)}
    moves = -1
    while frontier:
        moves += 1
        frontier = {old for state in frontier for old in before[state]} - near
        near = near | frontier
    return moves, len(before) - len(near)


def values(start, after, over, mover):
    """For each state of a game, its depth, its value for the player to move, and the moves to the end.

    These are `None` in a draw.

    Args:
        start: The start.
        after: Gives the successors of a state.
        over: Gives the value of a state in which play is over: "win", "draw" or "loss".
        mover: Gives the player to move, as whatever.
    """
    depth, order, before, follows = {start: 0}, [start], defaultdict(list), {}
    for state in order:
        follows[state] = {*after(state)}
        for following in follows[state]:
            before[following].append(state)
            if following not in depth:
                depth[following] = depth[state] + 1
                order.append(following)
    found = {state: (over(state), 0) for state in order if not follows[state]}
    left = {state: len(follows[state]) for state in order}
    new = [state for state in found if found[state][0] != "draw"]
    for state in new:  # in order of the moves to the end
        value, moves = found[state]
        for earlier in before[state]:
            if earlier in found:
                continue
            keeps = mover(earlier) == mover(state)
            won = (value == "win") == keeps
            left[earlier] -= 1
            if won or not left[earlier]:
                found[earlier] = ("win" if won else "loss", moves + 1)
                new.append(earlier)
    return {
        state: (depth[state], *(found[state] if state in found and found[state][0] != "draw" else ("draw", None)))
        for state in order
    }


def hanoi(disks=4, pegs=3):
    """A state is a stack of disks for each peg, the top one first."""

    def after(stacks):
        for a, b in product(range(pegs), repeat=2):
            if stacks[a] and (not stacks[b] or stacks[a][0] < stacks[b][0]):
                moved = {a: stacks[a][1:], b: (stacks[a][0], *stacks[b])}
                yield tuple(moved.get(peg, stacks[peg]) for peg in range(pegs))

    return (tuple(range(disks)), *[()] * (pegs - 1)), after


def lights_out(size=3, colours=2):
    """A state is the colour of each lamp by its row and column, dark ones left out."""

    def after(lamps):
        for row, column in product(range(size), repeat=2):
            lit = dict(lamps)
            for lamp in [(row, column), (row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]:
                if 0 <= lamp[0] < size and 0 <= lamp[1] < size:
                    lit[lamp] = (lit.get(lamp, 0) + 1) % colours
            yield frozenset((lamp, colour) for lamp, colour in lit.items() if colour)

    return frozenset(), after


def sokoban(store="#######/#.____#/#.$_#@#/###$__#/#__*__#/#___###/#######"):
    """A state is the keeper's place as a complex number, and the set of the boxes' places."""
    cells, x, y, times = defaultdict(lambda: "#"), 0, 0, ""
    for mark in store:
        if mark.isdigit():
            times += mark
            continue
        for _ in range(int(times or 1)):
            cells[complex(x, y)] = mark
            x, y = (0, y + 1) if mark in "/|" else (x + 1, y)
        times = ""
    keeper = next(place for place, mark in cells.items() if mark in "@+")

    def after(state):
        keeper, boxes = state
        for way in (1, -1, 1j, -1j):
            to, beyond = keeper + way, keeper + 2 * way
            if cells[to] != "#" and to not in boxes:
                yield to, boxes
            elif to in boxes and cells[beyond] != "#" and beyond not in boxes:
                yield to, boxes - {to} | {beyond}

    return (keeper, frozenset(place for place, mark in cells.items() if mark in "$*")), after


def knights(squares="w.w/.../b.b"):
    """A state is the knights by their rows and columns."""
    rows = squares.split("/")
    board = {(y, x): knight for y, row in enumerate(rows) for x, knight in enumerate(row)}

    def after(knights):
        for at, knight in knights:
            for y, x in product((-2, -1, 1, 2), repeat=2):
                to = at[0] + y, at[1] + x
                if abs(y) != abs(x) and to in board and to not in dict(knights):
                    yield knights - {(at, knight)} | {(to, knight)}

    return frozenset((place, knight) for place, knight in board.items() if knight != "."), after


def river(each=3, boat=2):
    """A state is the missionaries, the cannibals and the boats on the left bank."""

    def after(bank):
        m, c, left = bank
        for men, others in product(range(boat + 1), repeat=2):
            sign = -1 if left else 1
            a, b = m + sign * men, c + sign * others
            fits = 1 <= men + others <= boat and 0 <= a <= each and 0 <= b <= each
            if fits and (a == 0 or a >= b) and (a == each or each - a >= each - b):
                yield a, b, not left

    return (each, each, True), after


def frogs(each=3):
    """A state is the row as a text."""

    def after(row):
        gap = row.index(".")
        for at in range(max(gap - 2, 0), min(gap + 3, len(row))):
            if (at < gap and row[at] == "F") or (at > gap and row[at] == "T"):
                swapped = list(row)
                swapped[at], swapped[gap] = row[gap], row[at]
                yield "".join(swapped)

    return "F" * each + "." + "T" * each, after


def mu_torere():
    """A state is the ring, the centre and the player to move."""

    def after(state):
        ring, centre, player = state
        following = {"X": "O", "O": "X"}[player]
        for at in range(8):
            beside = (at - 1) % 8, (at + 1) % 8
            for to in beside:
                if ring[at] == player and ring[to] == ".":
                    yield put(put(ring, at, "."), to, player), centre, following
            if ring[at] == player and centre == "." and any(ring[near] == following for near in beside):
                yield put(ring, at, "."), player, following
            if ring[at] == "." and centre == player:
                yield put(ring, at, player), ".", following

    def put(ring, at, stone):
        return ring[:at] + stone + ring[at + 1 :]

    return ("XXXXOOOO", ".", "X"), after


def hexapawn(rows=3, columns=3):
    """A state is the places of the mover's pawns and of the other's, and the way forward."""

    def after(state):
        own, other, forward = state
        if any(row == (0 if forward == 1 else rows - 1) for row, _ in other):
            return
        for row, column in own:
            for to in [(row + forward, column + aside) for aside in (-1, 0, 1)]:
                inside = 0 <= to[0] < rows and 0 <= to[1] < columns
                if inside and (to not in own | other if to[1] == column else to in other):
                    yield other - {to}, own - {(row, column)} | {to}, -forward

    first = frozenset((rows - 1, column) for column in range(columns))
    return (first, frozenset((0, column) for column in range(columns)), -1), after


def breakthrough(rows=4, columns=3, deep=2):
    """A state is the places of the mover's pawns and of the other's, and the way forward."""

    def after(state):
        own, other, forward = state
        if any(row == (0 if forward == 1 else rows - 1) for row, _ in other):
            return
        for row, column in own:
            for to in [(row + forward, column + aside) for aside in (-1, 0, 1)]:
                inside = 0 <= to[0] < rows and 0 <= to[1] < columns
                if inside and to not in own and (to[1] != column or to not in other):
                    yield other - {to}, own - {(row, column)} | {to}, -forward

    def pawns(first):
        return frozenset((row, column) for row in range(first, first + deep) for column in range(columns))

    return (pawns(rows - deep), pawns(0), -1), after


def nim(first=3, second=4, third=5):
    """A state is the heaps and whose turn it is."""

    def after(state):
        *heaps, player = state
        for heap, size in enumerate(heaps):
            for left in range(size):
                yield (*heaps[:heap], left, *heaps[heap + 1 :], not player)

    return (first, second, third, False), after


def chomp(rows=4, columns=5):
    """A state is how many pieces are left in each row, and whose turn it is."""

    def after(state):
        *left, player = state
        for row in range(rows):
            for column in range(left[row]):
                yield (*left[:row], *(min(most, column) for most in left[row:]), not player)

    return (*[columns] * rows, False), after


def othello(rows=4, columns=4):
    """A state is the places of both colours' discs, and whose turn it is; the first player has the discs `X`."""
    around = [step for step in product((-1, 0, 1), repeat=2) if step != (0, 0)]

    def turned(own, other, place):
        found = set()
        for down, right in around:
            line, (row, column) = [], (place[0] + down, place[1] + right)
            while (row, column) in other:
                line.append((row, column))
                row, column = row + down, column + right
            if (row, column) in own:
                found.update(line)
        return found

    def made(own, other):
        for place in product(range(rows), range(columns)):
            if place not in own | other and (flipped := turned(own, other, place)):
                yield own | flipped | {place}, other - flipped

    def after(state):
        own, other, player = state
        following = [(theirs, mine, not player) for mine, theirs in made(own, other)]
        if following or not any(made(other, own)):
            return following
        return [(other, own, not player)]

    top, left = (rows - 1) // 2, (columns - 1) // 2
    mine = frozenset({(top, left + 1), (top + 1, left)})
    return (mine, frozenset({(top, left), (top + 1, left + 1)}), False), after


def margin(start, after, counted):
    """The most points that the player to move can force, if play cannot come back to a state.

    The last part of a state tells whose turn it is, which a move may keep.
    """
    known = {}

    def of(state):
        if state not in known:
            signed = [of(each) if each[-1] == state[-1] else -of(each) for each in after(state)]
            known[state] = max(signed, default=None)
            if known[state] is None:
                known[state] = counted(state)
        return known[state]

    return of(start)


def connect_four(rows=4, columns=4, win=4):
    """A state is the columns as texts from below, and the player to move."""

    def won(columns_now, disk):
        cells = {(x, y) for x, column in enumerate(columns_now) for y, held in enumerate(column) if held == disk}
        ways = [(1, 0), (0, 1), (1, 1), (1, -1)]
        return any(all((x + a * i, y + b * i) in cells for i in range(win)) for x, y in cells for a, b in ways)

    def after(state):
        *now, player = state
        following = {"X": "O", "O": "X"}[player]
        if not won(now, following):
            for x, column in enumerate(now):
                if len(column) < rows:
                    yield (*now[:x], column + player, *now[x + 1 :], following)

    return (*[""] * columns, "X"), after


def klotski(slides=False):
    """A state is the blocks by shape and place."""
    sizes = {"single": (1, 1), "wide": (1, 2), "tall": (2, 1), "large": (2, 2)}
    tall = [("tall", y, x) for y in (0, 2) for x in (0, 3)]
    single = [("single", *place) for place in [(3, 1), (3, 2), (4, 0), (4, 3)]]

    def cells(shape, y, x):
        return {(y + a, x + b) for a in range(sizes[shape][0]) for b in range(sizes[shape][1])}

    def after(blocks):
        for block in blocks:
            others = blocks - {block}
            taken = set().union(*(cells(*other) for other in others))
            reached, new = {block}, [block]
            while new:
                shape, y, x = new.pop()
                for at in [(y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)]:
                    moved = (shape, *at)
                    inside = all(0 <= a < 5 and 0 <= b < 4 for a, b in cells(*moved))
                    if inside and not cells(*moved) & taken and moved not in reached:
                        reached.add(moved)
                        new += [moved] if slides else []
            yield from (others | {moved} for moved in reached - {block})

    return frozenset([("large", 0, 1), ("wide", 2, 1), *tall, *single]), after


def rush_hour(yard="IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM"):
    """A state is each car's first cell and way, and its length."""
    yard = next(word for word in yard.replace("/", "").split() if len(word) == 36).replace(".", "o")
    cars = []
    for car in sorted(set(yard) - set("ox")):
        at = [cell for cell in range(36) if yard[cell] == car]
        cars.append((at[0], at[1] - at[0], len(at)))
    walls = {cell for cell in range(36) if yard[cell] == "x"}

    def after(cars):
        taken = walls.union(*({at + step * i for i in range(length)} for at, step, length in cars))
        for car, (at, step, length) in enumerate(cars):
            for sign, end in ((1, at + step * (length - 1)), (-1, at)):
                to, by = end + sign * step, 1
                while 0 <= to < 36 and (step == 6 or to // 6 == at // 6) and to not in taken:
                    yield (*cars[:car], (at + sign * step * by, step, length), *cars[car + 1 :])
                    to, by = to + sign * step, by + 1

    return tuple(cars), after


SOLVED = {
    "klotski": lambda blocks: ("large", 3, 1) in blocks,
    "rush_hour": lambda cars: cars[0][0] == 16,
    "sokoban": lambda state: state[1] == {complex(1, 1), complex(1, 2), complex(3, 4)},
}
"""For each puzzle with its default parameters, a function that tells if a state is solved."""


def hex(size=3):  # noqa: A001 - the puzzle's name
    """A state is the stones of the player to move, those of the other one, and whether the first player is to move."""
    steps = [(0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1)]

    def won(stones, way):
        """Whether stones join the sides across which one coordinate grows."""
        new = [stone for stone in stones if stone[way] == 0]
        seen = set(new)
        while new:
            row, column = new.pop()
            beside = {(row + down, column + right) for down, right in steps} & stones - seen
            seen |= beside
            new += beside
        return any(stone[way] == size - 1 for stone in seen)

    def after(state):
        own, other, first = state
        if won(other, 1 if first else 0):
            return
        for place in product(range(size), repeat=2):
            if place not in own | other:
                yield other, own | {place}, not first

    return (frozenset(), frozenset(), True), after


def domineering(rows=4, columns=4):
    """A state is the squares that are taken, and whether the upright domino is next."""

    def after(state):
        taken, upright = state
        for row, column in product(range(rows), range(columns)):
            other = (row + 1, column) if upright else (row, column + 1)
            if other[0] < rows and other[1] < columns and not taken & {(row, column), other}:
                yield taken | {(row, column), other}, not upright

    return (frozenset(), True), after


def chomp3d(layers=3, rows=3, columns=3):
    """A state is how many pieces each column of the block has from the front, and who is to move."""
    lengths = [*product(range(rows), range(columns))]

    def after(state):
        left, player = state
        for at, (row, column) in enumerate(lengths):
            for most in range(left[at]):
                bitten = [
                    min(most, length) if other_row >= row and other_column >= column else length
                    for length, (other_row, other_column) in zip(left, lengths, strict=True)
                ]
                yield tuple(bitten), not player

    return ((layers,) * len(lengths), False), after


def teeko(size=4, stones=4):
    """A state is the stones of the player to move, those of the other one, and who that is."""
    squares = [*product(range(size), repeat=2)]

    def won(mine):
        if len(mine) < stones:
            return False
        (row, column), *_ = least = sorted(mine)
        steps = [(below - row, right - column) for below, right in least]
        lines = [[(down * at, right * at) for at in range(stones)] for down, right in [(0, 1), (1, 0), (1, 1), (1, -1)]]
        return sorted(steps) in [sorted(line) for line in lines] or steps == [(0, 0), (0, 1), (1, 0), (1, 1)]

    def after(state):
        own, other, player = state
        if won(other):
            return
        for square in squares:
            if square in own or square in other:
                continue
            if len(own) < stones:
                yield other, own | {square}, not player
            else:
                for stone in own:
                    if max(abs(stone[0] - square[0]), abs(stone[1] - square[1])) == 1:
                        yield other, own - {stone} | {square}, not player

    return (frozenset(), frozenset(), False), after


def six_mens_morris(men=3):
    """A state is the men of both players, how many were put, whose turn it is, and whether a man is to be taken.

    Points have places around the middle of the board, by rows and columns.
    """
    squares = [{(row, column) for row, column in product((-far, 0, far), repeat=2) if row or column} for far in (1, 2)]
    mills = [
        {point for point in square if point[way] == side}
        for square, far in zip(squares, (1, 2), strict=True)
        for way, side in product((0, 1), (-far, far))
    ]

    def beside(one, other):
        if any({one, other} <= square for square in squares):
            return abs(one[0] - other[0]) + abs(one[1] - other[1]) == max(map(abs, one))
        return 0 in one and sorted(map(abs, [one[0] - other[0], one[1] - other[1]])) == [0, 1]

    def milled(mine):
        return {point for mill in mills if mill <= mine for point in mill}

    def after(state):
        both, put, turn, taking = state
        mine, theirs = both[turn], both[1 - turn]
        if any(len(both[player]) + men - (put + 1 - player) // 2 < 3 for player in (0, 1)):
            return
        if taking:
            for man in theirs - milled(theirs) or theirs:
                left = theirs - {man}
                yield (left, mine) if turn else (mine, left), put, 1 - turn, False
            return
        empty = {point for square in squares for point in square} - mine - theirs
        if put < 2 * men:
            made = [(mine | {to}, to) for to in empty]
        else:
            made = [(mine - {man} | {to}, to) for man in mine for to in empty if beside(man, to)]
        for now, to in made:
            takes = to in milled(now)
            yield (theirs, now) if turn else (now, theirs), min(put + 1, 2 * men), turn if takes else 1 - turn, takes

    return ((frozenset(), frozenset()), 0, 0, False), after


def dots_and_boxes(rows=2, columns=2):
    """A state is the lines that are drawn, the boxes of each player, and whose turn it is.

    Dots have whole numbers as places. The middle of a line is half way between two dots.
    """
    lines = {(row, column + 0.5) for row, column in product(range(rows + 1), range(columns))}
    lines |= {(row + 0.5, column) for row, column in product(range(rows), range(columns + 1))}
    around = [(0, 0.5), (0, -0.5), (0.5, 0), (-0.5, 0)]
    boxes = {
        (row + 0.5, column + 0.5): {(row + 0.5 + down, column + 0.5 + right) for down, right in around}
        for row, column in product(range(rows), range(columns))
    }

    def after(state):
        drawn, owned, turn = state
        for line in lines - drawn:
            now = drawn | {line}
            won = {box for box, sides in boxes.items() if line in sides and sides <= now}
            mine = [*owned]
            mine[turn] = owned[turn] | won
            yield now, tuple(mine), turn if won else 1 - turn

    return (frozenset(), (frozenset(), frozenset()), 0), after


def quarto(size=3, attributes=3):
    """A state is the piece on each square, the piece in hand, and the pieces that are left."""
    squares = [*product(range(size), repeat=2)]
    lines = [{(row, at) for at in range(size)} for row in range(size)]
    lines += [{(at, column) for at in range(size)} for column in range(size)]
    lines += [{(at, at) for at in range(size)}, {(at, size - 1 - at) for at in range(size)}]

    def won(board):
        for line in lines:
            pieces = [piece for square, piece in board if square in line]
            if len(pieces) == size and any(len({piece[at] for piece in pieces}) == 1 for at in range(attributes)):
                return True
        return False

    def after(state):
        board, hand, left, player = state
        if won(board):
            return
        if hand is None:
            yield from ((board, piece, left - {piece}, not player) for piece in left if len(board) == 0)
            return
        for square in set(squares) - {square for square, _ in board}:
            now = board | {(square, hand)}
            if left:
                yield from ((now, piece, left - {piece}, not player) for piece in left)
            else:
                yield now, None, left, not player

    return (frozenset(), None, frozenset(product((0, 1), repeat=attributes)), False), after


def kalah(pits=3, seeds=2, alone=False):
    """A state is the pits and the store of each player, and whose turn it is."""

    def after(state):
        sides, turn = state
        if any(not any(side[:-1]) for side in sides):
            return
        for pit in range(pits):
            mine, other = [*sides[turn]], [*sides[1 - turn]]
            hand, mine[pit] = mine[pit], 0
            side, at = mine, pit
            for _ in range(hand):
                at += 1
                if at == len(side) - (side is other):
                    side, at = (other, 0) if side is mine else (mine, 0)
                side[at] += 1
            if side is mine and at < pits and mine[at] == 1 and (alone or other[pits - 1 - at]):
                mine[pits] += 1 + other[pits - 1 - at]
                mine[at] = other[pits - 1 - at] = 0
            if hand:
                again = side is mine and at == pits
                now = (tuple(mine), tuple(other)) if turn == 0 else (tuple(other), tuple(mine))
                yield now, turn if again else 1 - turn

    side = (*[seeds] * pits, 0)
    return ((side, side), 0), after
