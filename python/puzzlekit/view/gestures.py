"""The gestures that make moves by hand: clicks, drags and buttons, chosen by what each move does to cells."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import hypot
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from puzzlekit.view.layout import Spot

KINDS = ("press", "drag", "point", "button", "key")
"""The kinds of gestures, in the order in which a view lists them. If a move has several, the first one is preferred."""

ARROWS = {(0, -1): "ArrowUp", (0, 1): "ArrowDown", (1, 0): "ArrowRight", (-1, 0): "ArrowLeft"}
DIRECTIONS = {"up": "ArrowUp", "down": "ArrowDown", "right": "ArrowRight", "left": "ArrowLeft"}

CLOSE = 0.3
"""If a round button would be closer than this to the middle of a cell, in cells, the cell is pressed instead."""

AROUND = 1.7
"""The cells that a round button turns lie within this distance of it, in cells."""

MOST_ON_A_BUTTON = 4
"""The most characters that fit on a button with the names of several moves."""

LEAST_OF_A_CHAIN = 3
"""A chain (see `_chain`) has at least this many moves."""

Guard = Mapping[int, frozenset[str]]
Pair = tuple[int, int]


@dataclass(frozen=True)
class Option:
    """A move that a gesture makes, if it can be made.

    Attributes:
        move: The move's name.
        player: Who may make it; `None` for anyone.
        when: What some cells must hold, as in the rules.
        equal: Pairs of cells that must hold the same symbol.
        different: Pairs of cells that must hold different symbols.
    """

    move: str
    player: str | None = None
    when: tuple[tuple[int, tuple[str, ...]], ...] = ()
    equal: tuple[Pair, ...] = ()
    different: tuple[Pair, ...] = ()

    def fits(self, symbols: Sequence[str], player: str | None) -> bool:
        """Returns `True` if the guard holds in a state: the symbol of each cell, and the player to move in a game."""
        return (
            (player is None or self.player in (None, player))
            and all(symbols[cell] in held for cell, held in self.when)
            and all(symbols[a] == symbols[b] for a, b in self.equal)
            and all(symbols[a] != symbols[b] for a, b in self.different)
        )


@dataclass(frozen=True)
class Gesture:
    """Something that is done by hand.

    Attributes:
        kind: `"press"`, one of the cells; `"drag"`, from the first of two cells to the second; `"point"`, a round
            button on the board; `"button"`, one beside the board; or `"key"`, a key of the keyboard.
        options: The moves that the gesture makes. If several can be made in a state, one of them is to be chosen.
        cells: The cells to press; a press of any of them will do. For a drag, where it begins and where it ends.
        x: How far a button on the board lies from the left edge, in cells.
        y: How far a button on the board lies from the upper edge, in cells.
        key: The key, by its name in browsers, such as `ArrowUp`.
        label: What is written on a button.
        turn: An arrow that shows which way the first move turns the cells around a button on the board; empty if it
            turns none, or half a turn.
    """

    kind: str
    options: tuple[Option, ...]
    cells: tuple[int, ...] = ()
    x: float | None = None
    y: float | None = None
    key: str = ""
    label: str = ""
    turn: str = ""

    @property
    def moves(self) -> tuple[str, ...]:
        """The names of the moves that the gesture makes, each once."""
        return tuple(dict.fromkeys(option.move for option in self.options))


@dataclass(frozen=True)
class Way:
    """The kind and the cells of a gesture, without its moves. Moves that are made in the same way share a gesture.

    The attributes are those of `Gesture`, but a button has the name of its move as `key`: each name has its own button.
    """

    kind: str
    cells: tuple[int, ...] = ()
    x: float | None = None
    y: float | None = None
    key: str = ""


def gestures(
    moves: Sequence[Mapping[str, Any]], start: Sequence[str], spots: Sequence[Spot], empty: str | None
) -> tuple[Gesture, ...]:
    """The gestures of all moves. Each move has at least one that is no key.

    Args:
        moves: The moves, as `Rules.to_data` has them.
        start: The symbol of each cell at the start.
        spots: Where the cells lie.
        empty: The symbol of a cell in which nothing is, if there is one.
    """
    acts = [Act.of(move) for move in moves]
    ways = _ways(acts, start, spots, empty)
    options: dict[Way, list[Option]] = {}
    turns: dict[Way, str] = {}
    for act, found in zip(acts, ways, strict=True):
        for way in found or [Way("button", key=act.option.move)]:
            if way.kind == "point" and way not in turns:
                turns[way] = _arrow(act, spots)
            options.setdefault(way, []).append(act.option)
    for way, act in _keys(acts, start, spots):
        options.setdefault(way, []).append(act.option)
    return tuple(
        Gesture(
            way.kind,
            tuple(dict.fromkeys(some)),
            way.cells,
            way.x,
            way.y,
            way.key if way.kind == "key" else "",
            _label(some) if way.kind in ("point", "button") else "",
            turns.get(way, ""),
        )
        for way, some in sorted(options.items(), key=lambda item: KINDS.index(item[0].kind))
    )


def _label(options: Sequence[Option]) -> str:
    """The label of a button: the moves' names if they are short, and else the character that all begin with.

    >>> _label([Option("U"), Option("U'"), Option("U2")]), _label([Option("right"), Option("left")])
    ('U…', '…')
    """
    names = list(dict.fromkeys(option.move for option in options))
    text = " ".join(names)
    if len(names) == 1 or len(text) <= MOST_ON_A_BUTTON:
        return text
    first = names[0][0]
    return f"{first if all(name.startswith(first) for name in names) else ''}…"


@dataclass(frozen=True)
class Act:
    """The effect of a move, as far as a gesture needs it.

    Attributes:
        option: The name and the guard of the move.
        guard: For each cell of the guard, the symbols that it may hold.
        then: For each cell that changes, the symbol that is written there, or the cell that is copied there.
        permutes: Whether the move only permutes: the cells that it copies are those that change, each copied once.
        in_place: Whether the new symbol of each cell that changes depends only on the cell's old one.
    """

    option: Option
    guard: Guard
    then: Mapping[int, str | int]
    permutes: bool
    in_place: bool

    @classmethod
    def of(cls, move: Mapping[str, Any]) -> Act:
        """The effect of a move that `Rules.to_data` wrote. Cells that it writes without changing them are left out."""
        guard = {cell: frozenset(held) for cell, held in move["when"]}
        pairs = [tuple((a, b) for a, b in move.get(name, ())) for name in ("equal", "different")]
        when = tuple((cell, tuple(held)) for cell, held in move["when"])
        then: dict[int, str | int] = {}
        for cell, source in move["then"]:
            if isinstance(source, str):
                if guard.get(cell) != frozenset([source]):
                    then[cell] = source
            elif source["copy"] != cell or any(a != b for a, b in source["map"].items()):
                then[cell] = source["copy"]
        copied = sorted(source for source in then.values() if isinstance(source, int))
        return cls(
            Option(move["name"], move["player"], when, *pairs),
            guard,
            then,
            permutes=copied == sorted(then),
            in_place=bool(then) and all(cell == source for cell, source in then.items()),
        )

    @property
    def turns_over(self) -> bool:
        """`True` if the move turns cells over, whatever they hold: it has no guard."""
        return self.in_place and not self.guard

    def before(self, cell: int) -> str | None:
        """The one symbol that a cell must hold before the move; `None` if it may hold several."""
        held = self.guard.get(cell, frozenset())
        return next(iter(held)) if len(held) == 1 else None

    def after(self, cell: int) -> str | None:
        """The one symbol that a cell holds after the move; `None` if it may hold several."""
        source = self.then.get(cell, cell)
        return source if isinstance(source, str) else self.before(source)

    def fills(self, empty: str | None) -> bool:
        """Returns `True` if the move only fills empty cells, as a domino fills two, or if it only empties full ones."""
        had = [self.before(cell) for cell in self.then]
        has = [self.after(cell) for cell in self.then]
        one = [had, has] if set(had) == {empty} else [has, had]
        return empty is not None and set(one[0]) == {empty} and empty not in one[1]

    def flows(self, empty: str | None) -> list[Pair]:
        """For each piece that the move shifts, the cell that it leaves and the cell that it reaches.

        A move may remove equal pieces from several cells and write one of them elsewhere. Then the piece from the
        farthest of these cells has jumped over the others.
        """
        found = [
            (source, cell)
            for cell, source in self.then.items()
            if isinstance(source, int) and source != cell and (empty is None or self.before(source) != empty)
        ]
        cells = sorted({*self.guard, *self.then})
        had = Counter(symbol for cell in cells if (symbol := self.before(cell)) not in (None, empty))
        has = Counter(symbol for cell in cells if (symbol := self.after(cell)) not in (None, empty))
        if any(isinstance(source, str) for source in self.then.values()) and has - had:
            return []  # a new piece appears, so nothing is dragged
        for symbol in sorted(has):
            old = [cell for cell in cells if self.before(cell) == symbol]
            new = [cell for cell in cells if self.after(cell) == symbol]
            gone, come = sorted(set(old) - set(new)), sorted(set(new) - set(old))
            told = {cell for _, cell in found}
            if not come or set(come) <= told:
                continue
            if len(old) == len(new):
                # A block of equal parts moves as a whole: its first part to the first place, and so on.
                found += list(zip(sorted(old), sorted(new), strict=True))
            elif gone:
                found += [(max(gone, key=lambda cell, to=to: abs(cell - to)), to) for to in come]  # type: ignore[misc]
        return list(dict.fromkeys(found))


def _ways(acts: Sequence[Act], start: Sequence[str], spots: Sequence[Spot], empty: str | None) -> list[list[Way]]:
    """For each move, the ways to make it by hand. An empty list means that the move needs a button with its name."""
    if acts and all(act.turns_over for act in acts) and (pressed := _pressed(acts)):
        return [[Way("press", (cell,))] for cell in pressed]
    if acts and all(len(act.then) == 1 for act in acts):
        return [[Way("press", cells)] for cells in _single(acts)]
    mover = _lone_mover(acts, start)
    if mover is not None:
        return [[Way("press", (mover[place][1],))] for place in range(len(acts))]
    chain = _chain(acts)
    if chain is not None:
        return [[Way("press", cells)] for cells in chain]
    changed: dict[tuple[str, str | None], set[frozenset[int]]] = {}
    for act in acts:
        changed.setdefault(_of_player(act), set()).add(frozenset(act.then))
    # A move that fills several cells is a drag, as when a domino is laid. But it is no drag if moves with the same name
    # fill different cells.
    ways = [[] if act.fills(empty) and len(changed[_of_player(act)]) > 1 else _way(act, spots, empty) for act in acts]
    left = {act.option.move for act, found in zip(acts, ways, strict=True) if not found}
    begun = _filled([act for act in acts if act.option.move in left], empty) | _demanded(acts, left)
    # All moves that share a name must be made in the same way. `others` has the names of which some move already has
    # another way than a press. Moves of these names are not made by a press.
    others = {
        act.option.move
        for act, found in zip(acts, ways, strict=True)
        if found and found != [Way("press", (begun.get(_of_player(act), -1),))]
    }
    own = {of: cell for of, cell in begun.items() if of[0] not in others}
    return [
        [Way("press", (own[_of_player(act)],))] if _of_player(act) in own else found
        for act, found in zip(acts, ways, strict=True)
    ]


def _of_player(act: Act) -> tuple[str, str | None]:
    """The name of a move and its player. Moves that have both in common are made in the same way."""
    return act.option.move, act.option.player


def _filled(acts: Sequence[Act], empty: str | None) -> dict[tuple[str, str | None], int]:
    """For each name and player, the one empty cell that all their moves fill; left out if there is no such cell.

    There may be many moves of one name, such as one for each set of discs that turn over when a new disc is put into a
    cell. The cell of the new disc is the only one that all of them fill. If moves of several names fill the same cell,
    a press of it asks which of them to make.
    """
    found: dict[tuple[str, str | None], set[int]] = {}
    for act in acts:
        filled = {cell for cell in act.then if act.before(cell) == empty and act.after(cell) != empty}
        found[_of_player(act)] = found.get(_of_player(act), filled) & filled
    return {of: next(iter(some)) for of, some in found.items() if len(some) == 1 and empty is not None}


def _demanded(acts: Sequence[Act], names: Container[str]) -> dict[tuple[str, str | None], int]:
    """For each name and player, the one cell whose symbol all their moves demand and change; left out if there is none.

    Take seeds that are sown from a pit. The number of seeds decides which other pits change, so there is a move for
    each number, and all these moves share only the pit from which they sow. Two names of a player that begin from the
    same cell are left out, too.
    """
    found: dict[tuple[str, str | None], set[int]] = {}
    for act in acts:
        if act.option.move in names:
            begun = {cell for cell in act.then if act.before(cell) is not None}
            found[_of_player(act)] = found.get(_of_player(act), begun) & begun
    cells = Counter((of[1], cell) for of, some in found.items() for cell in some if len(some) == 1)
    return {of: cell for of, some in found.items() for cell in some if len(some) == 1 and cells[of[1], cell] == 1}


def _way(act: Act, spots: Sequence[Spot], empty: str | None) -> list[Way]:
    """The ways to make one move by hand, chosen from this move alone."""
    if len(act.then) == 1:
        return [Way("press", tuple(act.then))]
    if act.in_place and len(act.guard) == 1 and (asked := next(iter(act.guard))) in act.then:
        return [Way("press", (asked,))]  # such as a lamp that is turned with its neighbours, if it is lit
    if (act.permutes or act.turns_over) and len(act.then) > 2:
        return _point(act, spots)
    if len(act.guard) == 1 and (wanted := next(iter(act.guard))) in act.then and not act.flows(empty):
        return [Way("press", (wanted,))]  # such as a piece that vanishes and takes others with it
    if act.fills(empty):
        first, *_, last = act.then
        return [Way("drag", (first, last)), Way("drag", (last, first))]
    return [Way("drag", pair) for pair in act.flows(empty)]


def _point(act: Act, spots: Sequence[Spot]) -> list[Way]:
    """A round button in the middle of the cells that a move turns, or a press of the cell that lies there.

    The list is empty if the move turns no cells around a middle.
    """
    at = _turned(act, spots)
    if not at:
        return []
    x, y = _middle(at)
    near = [spot.cell for spot in spots if abs(spot.x - x) < CLOSE and abs(spot.y - y) < CLOSE]
    return [Way("press", (near[0],))] if near else [Way("point", (), round(x, 4), round(y, 4))]


def _turned(act: Act, spots: Sequence[Spot]) -> list[Spot]:
    """The cells that a move turns around their middle: all cells that change, or else those of its narrowest cycles.

    A turn of a face of a cube takes eight stickers around the middle of that face, in two cycles of four, and the
    stickers of four other faces, which lie far apart on a net. Cycles with the same middle are taken together.
    """
    if _is_round(whole := [spots[cell] for cell in act.then]):
        return whole
    around: dict[tuple[float, float], list[Spot]] = defaultdict(list)
    for circle in _circles(act):
        if _reach(some := [spots[cell] for cell in circle]) <= AROUND:
            x, y = _middle(some)
            around[round(x, 2), round(y, 2)] += some
    found = sorted(filter(_is_round, around.values()), key=_reach)
    if len(found) > 1 and _reach(found[1]) - _reach(found[0]) < CLOSE:
        return []  # the move turns cells around several middles
    return found[0] if found else []


def _arrow(act: Act, spots: Sequence[Spot]) -> str:
    """The arrow that shows which way a move turns cells around their middle; empty if it turns none."""
    x, y = _middle(_turned(act, spots))
    ways = 0.0
    for cell, source in act.then.items():
        if isinstance(source, int):
            old, new = spots[source], spots[cell]
            ways += (old.x - x) * (new.y - y) - (old.y - y) * (new.x - x)
    return "" if abs(ways) < CLOSE else "↻" if ways > 0 else "↺"


def _circles(act: Act) -> Iterator[list[int]]:
    """The cycles of cells around which a move passes symbols; none if the move is no permutation."""
    left = {cell: source for cell, source in act.then.items() if isinstance(source, int)} if act.permutes else {}
    while left:
        circle = [next(iter(left))]
        while (source := left.pop(circle[-1])) != circle[0]:
            circle.append(source)
        yield circle


def _is_round(at: Sequence[Spot]) -> bool:
    """Returns `True` if at least three cells, not all in one line, lie within `AROUND` of their middle."""
    return len(at) > 2 and _reach(at) <= AROUND and not _in_a_line(at)


def _middle(at: Sequence[Spot]) -> tuple[float, float]:
    return sum(spot.x for spot in at) / len(at), sum(spot.y for spot in at) / len(at)


def _reach(at: Sequence[Spot]) -> float:
    """The largest distance of a cell from the middle of the cells."""
    x, y = _middle(at)
    return max(hypot(spot.x - x, spot.y - y) for spot in at)


def _in_a_line(spots: Sequence[Spot]) -> bool:
    """Returns `True` if all spots lie on one straight line."""
    first, last = spots[0], max(spots, key=lambda spot: hypot(spot.x - spots[0].x, spot.y - spots[0].y))
    across, down = last.x - first.x, last.y - first.y
    return all(abs(across * (spot.y - first.y) - down * (spot.x - first.x)) < 0.01 for spot in spots)


def _pressed(acts: Sequence[Act]) -> list[int] | None:
    """For each of some moves that turn cells over, the cell to press; `None` unless they belong to the cells in order.

    The move of a cell writes the cell itself, and if it writes another cell, the move of that cell writes it, too. So
    on four cells in a row whose presses change neighbours, the first move writes cells 0 and 1 and belongs to cell 0.
    Moves that write the same cells, such as those that turn a wheel forward and back, belong to the same cell.
    """
    cells = sorted({cell for act in acts for cell in act.then})
    writes = [frozenset(act.then) for act in acts]
    sets = list(dict.fromkeys(writes))
    if _mutual(cells, writes):
        return cells  # the moves of several cells may write the same cells, as on a board of 2 by 2
    of = dict(zip(sets, cells, strict=False))
    return [of[some] for some in writes] if _mutual(cells, sets) else None


def _mutual(cells: Sequence[int], writes: Sequence[frozenset[int]]) -> bool:
    """Returns `True` if the moves can belong to the cells in order.

    There must be a move for each cell, which writes this cell. Whenever the move of cell A writes cell B, the move of B
    must write A.

    Args:
        cells: All cells that moves write.
        writes: For each move, the cells that it writes.
    """
    if len(cells) != len(writes):
        return False
    of = dict(zip(cells, writes, strict=True))
    return all(cell in some and all(cell in of[other] for other in some) for cell, some in of.items())


def _single(acts: Sequence[Act]) -> list[tuple[int, ...]]:
    """For moves that write one cell each: the cells to press for each move, usually the cell that it writes.

    If each cell has moves of only one name, the cells of a name are a column, such as one that discs are dropped into:
    a press of any of them will do.
    """
    cells = [next(iter(act.then)) for act in acts]
    names: dict[int, set[str]] = defaultdict(set)
    of: dict[str, list[int]] = defaultdict(list)
    for act, cell in zip(acts, cells, strict=True):
        names[cell].add(act.option.move)
        of[act.option.move].append(cell)
    columns = all(len(some) == 1 for some in names.values())
    return [
        tuple(sorted(set(of[act.option.move]))) if columns else (cell,) for act, cell in zip(acts, cells, strict=True)
    ]


def _lone_mover(acts: Sequence[Act], start: Sequence[str]) -> list[Pair] | None:
    """For rules in which every move moves one and the same piece: the cells from which and to which each move takes it.

    The piece is a symbol that exists once, such as the blank that tiles slide into, or the keeper of a store. The cell
    to press is the one that the piece goes to. `None` if there is no such symbol.
    """
    for symbol in sorted(symbol for symbol, times in Counter(start).items() if times == 1):
        found = []
        for act in acts:
            cells = {*act.guard, *act.then}
            gone = [cell for cell in cells if act.before(cell) == symbol and act.after(cell) != symbol]
            come = [cell for cell in cells if act.before(cell) != symbol and act.after(cell) == symbol]
            if len(gone) != 1 or len(come) != 1:
                break
            found.append((gone[0], come[0]))
        else:
            if found:
                return found
    return None


def _chain(acts: Sequence[Act]) -> list[tuple[int, ...]] | None:
    """The cells to press for a chain of moves; `None` for other moves.

    In a chain, all moves begin at one end of a row, and each covers the cells of the one before it and more. Take flips
    of the top 2, 3 and 4 pancakes of a stack: a press of the fourth pancake flips the top 4. A flip covers all cells
    from its first to its last, even if the one in the middle does not change.
    """
    if len(acts) < LEAST_OF_A_CHAIN or any(act.guard or not act.then for act in acts):
        return None
    if len({min(act.then) for act in acts}) > 1 and len({max(act.then) for act in acts}) > 1:
        return None
    spans = [set(range(min(act.then), max(act.then) + 1)) for act in acts]
    found: dict[int, tuple[int, ...]] = {}
    before: set[int] = set()
    for place in sorted(range(len(acts)), key=lambda place: len(spans[place])):
        if not before < spans[place]:
            return None
        found[place] = tuple(sorted(spans[place] - before))
        before = spans[place]
    return [found[place] for place in range(len(acts))]


def _keys(acts: Sequence[Act], start: Sequence[str], spots: Sequence[Spot]) -> Iterator[tuple[Way, Act]]:
    """Gives keys to moves: arrows and letters.

    Moves have arrow keys if they are named after directions, or if every move takes one and the same piece a step
    farther. If all names are single characters, each move also has the key of its name.
    """
    names = {act.option.move for act in acts}
    if names & set(DIRECTIONS):
        for act in acts:
            if act.option.move in DIRECTIONS:
                yield Way("key", key=DIRECTIONS[act.option.move]), act
    elif (mover := _lone_mover(acts, start)) is not None:
        steps = [_step(spots[a], spots[b]) for a, b in mover]
        if all(step in ARROWS for step in steps):
            yield from ((Way("key", key=ARROWS[step]), act) for step, act in zip(steps, acts, strict=True))
    if all(len(name) == 1 for name in names):
        yield from ((Way("key", key=act.option.move), act) for act in acts)


def _step(a: Spot, b: Spot) -> tuple[int, int]:
    across, down = b.x - a.x, b.y - a.y
    return (round(across), round(down)) if across in (-1, 0, 1) and down in (-1, 0, 1) else (0, 0)


def moved_to(found: Sequence[Gesture], points: Mapping[str, tuple[float, float]]) -> tuple[Gesture, ...]:
    """Replaces the gestures of some moves by round buttons at given places. Keys are kept."""
    at: dict[tuple[float, float], list[Option]] = {}
    left = []
    for gesture in found:
        stays = gesture.kind == "key"
        for option in gesture.options if not stays else ():
            if option.move in points:
                at.setdefault(points[option.move], []).append(option)
        options = tuple(option for option in gesture.options if stays or option.move not in points)
        if options:
            left.append(replace(gesture, options=options))
    made = [Gesture("point", tuple(some), (), float(x), float(y), "", _label(some)) for (x, y), some in at.items()]
    return tuple(sorted([*left, *made], key=lambda gesture: KINDS.index(gesture.kind)))


def labelled(found: Sequence[Gesture], texts: Mapping[str, str]) -> tuple[Gesture, ...]:
    """Writes a text on each button that makes one move alone, if there is a text for the move."""
    return tuple(
        replace(gesture, label=texts.get(gesture.moves[0], gesture.label))
        if gesture.kind in ("point", "button") and len(gesture.moves) == 1
        else gesture
        for gesture in found
    )
