"""The view of a puzzle: data with which a page or a terminal draws its states, and lets a person make its moves.

The view is made from the rules. A puzzle may change parts of it in its method `view`; docs/view.md explains both.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from puzzlekit.describe.rules import check_rules
from puzzlekit.errors import PluginError, PuzzlekitError, RulesError, StateError, one_line, plugin_code
from puzzlekit.view.body import Facet, folded
from puzzlekit.view.captions import HIGH, Caption, checked
from puzzlekit.view.gestures import KINDS, Act, Gesture, gestures, labelled, moved_to
from puzzlekit.view.joins import Join, joined_sides, joins
from puzzlekit.view.layout import FARTHEST, THICK, Spot, half_height, half_width, is_place, moved, named, spots
from puzzlekit.view.looks import COLOURS, Look, empty, looks
from puzzlekit.view.roles import at_home, by_block, counted, lamps, pattern_of, walls
from puzzlekit.view.sides import Side, sides

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from puzzlekit.describe.drawing import Board
    from puzzlekit.describe.patterns import BySymbol
    from puzzlekit.describe.rules import Rules
    from puzzlekit.view.picture import Frame, Scene

SCHEMA = "puzzlekit.view/1"

MOST_VIEWS = 16
"""The most views that `view_of` keeps."""

Place = tuple[float, float] | Spot
"""The place of a cell: its middle, as distances to the right and down; or a `Spot`, which also has a shape and size."""


@dataclass(frozen=True)
class Region:
    """Cells that belong together, such as a face of a cube. A line is drawn around them.

    Attributes:
        cells: The cells.
        name: What the cells are called; empty if they have no name.
    """

    cells: tuple[int, ...]
    name: str = ""


@dataclass(frozen=True)
class Chance:
    """A gesture that can be made in a state.

    Attributes:
        gesture: The gesture's place in the list of the view's gestures.
        moves: The names of the moves that the gesture makes in the state. If there are several, one is to be chosen.
    """

    gesture: int
    moves: tuple[str, ...]


@dataclass(frozen=True)
class ByHand:
    """The way to make a move by hand.

    Attributes:
        words: The words for it, such as `press row 2, column 1` or `turn A`.
        cells: The cell that is pressed, or the two between which one drags; none for buttons and keys.
        gesture: The place of the gesture in the list of the view's gestures.
    """

    words: str
    cells: tuple[int, ...]
    gesture: int


@dataclass(frozen=True)
class Still:
    """One state of a strip.

    Attributes:
        state: The state, as puzzlekit writes it.
        moves: The moves that led to the state, if they are to be marked.
        caption: The words under the state, such as the last move.
        heading: The words above the state, such as the stage that begins.
    """

    state: str
    moves: tuple[str, ...] = ()
    caption: str = ""
    heading: str = ""


@dataclass(frozen=True)
class View:
    """The view of a puzzle: data with which its states are drawn, and its moves are made by hand.

    >>> import puzzlekit
    >>> view = puzzlekit.load("tictactoe").view()
    >>> view.width, view.height, view.looks[1].shape
    (3.0, 3.0, 'cross')
    >>> view.gestures[4].kind, view.gestures[4].cells, view.gestures[4].moves
    ('press', (4,), ('4',))

    Lengths are in cells, from the upper left corner of the picture.

    Attributes:
        symbols: The symbols of the rules.
        players: The two players of a game; empty for a puzzle.
        width: How wide the board is.
        height: How high it is.
        spots: Where each cell lies.
        looks: What each symbol looks like.
        gestures: What is done by hand to make moves.
        regions: Cells that belong together.
        period: How many presses of a cell undo themselves, whatever came between: 2 for lamps that are on or off; 0 if
            presses do not. A picture marks the cells whose number of presses is no multiple of it.
        stages: What the parts of a solution are called: pairs of a name that a solver gives, and words.
        targets: The cells that the goal is about, if it is one pattern that does not name all cells.
        joins: Symbols that are parts of one block where they lie beside each other.
        solver: The solver that a page offers first; empty for the puzzle's own choice.
        numbers: The largest number of a state, in puzzles that number their states from 0; `None` in others.
        sides: The sides of the board that a path of some symbol has to join.
        body: For each cell its facet of a body, if the board is the surface of one; empty if it is not.
        walls: Whether walls are drawn around the cells, which are squares, and in the holes between them.
        captions: Short texts beside the cells.
        frame: The colour of a frame in which the cells, which are squares, are round holes; empty for none.
    """

    symbols: tuple[str, ...]
    players: tuple[str, ...]
    width: float
    height: float
    spots: tuple[Spot, ...]
    looks: tuple[Look, ...]
    gestures: tuple[Gesture, ...]
    regions: tuple[Region, ...] = ()
    period: int = 0
    stages: tuple[tuple[str, str], ...] = ()
    targets: tuple[int, ...] = ()
    joins: tuple[Join, ...] = ()
    solver: str = ""
    numbers: int | None = None
    sides: tuple[Side, ...] = ()
    body: tuple[Facet, ...] = ()
    walls: bool = False
    captions: tuple[Caption, ...] = ()
    frame: str = ""

    @classmethod
    def of(cls, rules: Rules, *, board: Board | None = None, places: Sequence[Place] | None = None) -> View:
        """The view as it follows from the rules alone.

        >>> from puzzlekit import Ring, Rules, swap
        >>> rules = Rules("abc", "abc", [swap(0, 1), swap(1, 2)])
        >>> View.of(rules).height, View.of(rules, board=Ring(3)).height
        (1.0, 1.9699)

        Args:
            rules: The rules.
            board: Where the cells lie, if they are not to lie where the board or the rows of the rules say.
            places: The same, given for each cell: how far its middle lies to the right and down; or a `Spot`.

        Raises:
            RulesError: The board, or the list of places, has another number of cells.
        """
        check_rules(rules)
        data = rules.to_data()
        symbols, start, moves = data["symbols"], data["start"], data["moves"]
        players = tuple(data["players"]) if len(data["players"]) > 1 else ()
        where = _spots(rules, board, places)
        width, height = _size(where)
        if all(spot.shape == "stack" for spot in where):
            width, height = (
                round(len(symbols) * (max(spot.size for spot in where) + 0.3), 4),
                THICK * (len(where) + 2.8),
            )
        nothing = empty(symbols, start, moves)
        found = gestures(moves, start, where, nothing)
        blocks = joins([Act.of(move) for move in moves], start, where, nothing)
        pressed = all(gesture.kind in ("press", "key") for gesture in found)
        period = _period(symbols, moves) if pressed else 0
        seen = at_home(looks(symbols, start, players, moves), data, where)
        seen = lamps(seen, data) if period else counted(walls(by_block(seen, data, blocks), data), data)
        return cls(
            symbols=tuple(symbols),
            players=players,
            width=width,
            height=height,
            spots=where,
            looks=seen,
            gestures=found,
            period=period,
            targets=_targets(data),
            joins=blocks,
            sides=sides(data["ends"], where),
        )

    def changed(  # noqa: PLR0913 - each is a part of a view
        self,
        *,
        looks: BySymbol[Look] | None = None,
        labels: Mapping[int, str] | None = None,
        names: Mapping[int, str] | None = None,
        points: BySymbol[tuple[float, float]] | None = None,
        buttons: BySymbol[str] | None = None,
        regions: Iterable[Region | Iterable[int]] | None = None,
        period: int | None = None,
        stages: BySymbol[str] | None = None,
        solver: str | None = None,
        numbers: int | None = None,
        fold: float | None = None,
        walls: bool | None = None,
        captions: Iterable[Caption] | None = None,
        frame: str | None = None,
    ) -> View:
        """The view with some parts changed; for the method `view` of a puzzle.

        >>> import puzzlekit
        >>> view = puzzlekit.load("rotation").view().changed(labels={0: "a", 1: "b"}, stages={"1": "the first"})
        >>> view.spots[1].label, view.stages
        ('b', (('1', 'the first'),))

        Args:
            looks: What some symbols look like.
            labels: Short texts in the corners of some cells.
            names: What some cells are called aloud.
            points: Where round buttons of some moves are, in cells from the upper left corner. Such a move
                keeps no other gesture but a key.
            buttons: What is written on the buttons of some moves, if it is not their name.
            regions: Cells that belong together; lists of cells will do.
            period: After how many times a press undoes itself, whatever came between; 0 if it does not.
            stages: What the stages of a solution are called, by the names that solvers give.
            solver: The solver that a page offers first, such as one whose stages are worth seeing.
            numbers: The largest number of a state, if `Puzzle.number` numbers the states from 0.
            fold: The side of a face in cells, if the board is the net of a cube. A page then also shows the cube.
            walls: Whether walls are drawn around the cells, and in the holes between them.
            captions: More short texts beside the cells. Their places are told in the board as it is without them; it
                grows as far as they need room.
            frame: The colour of a frame in which the cells are round holes, as a look has it.

        Raises:
            RulesError: There is no such symbol, cell or move; the board is no net of a cube; a caption cannot be
                drawn; or the frame has no such colour, or cells that are no squares.
        """
        by_symbol = _known(looks, self.symbols, "symbol")
        by_label, by_name = (
            _known(labels, range(len(self.spots)), "cell"),
            _known(names, range(len(self.spots)), "cell"),
        )
        moves = {move for gesture in self.gestures for move in gesture.moves}
        at, written = _known(points, moves, "move"), _known(buttons, moves, "move")
        given = self.regions if regions is None else tuple(map(_region, regions))
        for region in given:
            _known(dict.fromkeys(region.cells), range(len(self.spots)), "cell")
        changed = replace(
            self,
            looks=tuple(by_symbol.get(name, look) for name, look in zip(self.symbols, self.looks, strict=True)),
            spots=tuple(
                replace(
                    spot, label=str(by_label.get(spot.cell, spot.label)), name=str(by_name.get(spot.cell, spot.name))
                )
                for spot in self.spots
            ),
            gestures=labelled(moved_to(self.gestures, at), written),
            regions=given,
            period=self.period if period is None else period,
            stages=self.stages if stages is None else tuple((str(name), str(text)) for name, text in stages.items()),
            solver=self.solver if solver is None else solver,
            numbers=self.numbers if numbers is None else numbers,
            body=self.body if fold is None else folded(self.spots, fold),
            frame=self.frame if frame is None else _framed(self, frame),
        )
        if walls is not None and walls != self.walls:
            changed = _walled(changed, walls)
        return changed if captions is None else _captioned(changed, captions)

    def read(self, state: str) -> tuple[tuple[str, ...], str | None]:
        """The symbol of each cell, and the player to move, of a state's text as puzzlekit writes it.

        Raises:
            StateError: It is no such text.
        """
        text, player = state, None
        if self.players:
            text, _, player = state.rpartition(":")
        long = any(len(symbol) > 1 for symbol in self.symbols)
        cells = tuple(re.split("[,/]", text)) if long else tuple(text.replace("/", ""))
        known = len(cells) == len(self.spots) and set(cells) <= set(self.symbols)
        if not known or (player is not None and player not in self.players):
            raise StateError(
                f'"{state}" is no text of a state of {len(self.spots)} cells; give one as read() writes it'
            )
        return cells, player

    def live(self, state: str, legal: Iterable[str]) -> tuple[Chance, ...]:
        """The gestures that can be made in a state.

        >>> import puzzlekit
        >>> puzzle = puzzlekit.load("slider")
        >>> view, state = puzzle.view(), puzzle.start
        >>> [(view.gestures[it.gesture].cells, it.moves) for it in view.live(state, puzzle.legal_moves(state))][:2]
        [((1,), ('R',)), ((3,), ('D',))]

        Args:
            state: The state, as puzzlekit writes it.
            legal: The names of the moves that can be made, as `Puzzle.legal_moves` gives them.
        """
        cells, player = self.read(state)
        names = set(legal)
        found = []
        for place, gesture in enumerate(self.gestures):
            fits = (option.move for option in gesture.options if option.move in names and option.fits(cells, player))
            if moves := tuple(dict.fromkeys(fits)):
                found.append(Chance(place, moves))
        return tuple(found)

    def by_hand(self, state: str, move: str) -> ByHand | None:
        """The way to make a move by hand in a state; `None` if no gesture makes it.

        >>> import puzzlekit
        >>> flipit = puzzlekit.load("flipit")
        >>> flipit.view().by_hand(flipit.start, "5").words
        'press row 2, column 1'

        Args:
            state: The state, as puzzlekit writes it.
            move: The name of a move that can be made.
        """
        chances = [chance for chance in self.live(state, [move]) if move in chance.moves]
        if not chances:
            return None
        kinds = [self.gestures[chance.gesture].kind for chance in chances]
        place = chances[min(range(len(chances)), key=lambda at: KINDS.index(kinds[at]))].gesture
        gesture = self.gestures[place]
        named = [self.spots[cell].name or f"cell {cell + 1}" for cell in gesture.cells]
        if gesture.kind == "press":
            return ByHand(f"press {named[0]}", gesture.cells[:1], place)
        if gesture.kind == "drag":
            return ByHand(f"move from {named[0]} to {named[1]}", gesture.cells, place)
        verb = "turn" if gesture.kind == "point" else "press"
        if gesture.kind == "key":
            arrow = gesture.key.removeprefix("Arrow")
            return ByHand(f"press the arrow {arrow.lower()}" if arrow != gesture.key else f"press {arrow}", (), place)
        return ByHand(f"{verb} {gesture.label if gesture.label and len(gesture.moves) == 1 else move}", (), place)

    def draw(self, state: str, moves: Iterable[str] = ()) -> str:
        """A state as the text of an SVG.

        >>> import puzzlekit
        >>> puzzlekit.load("tictactoe").view().draw("X../.O./...:X")[:5]
        '<svg '

        Args:
            state: The state, as puzzlekit writes it.
            moves: The moves that led to it, if they are to be marked.

        Raises:
            StateError: It is no text of a state.
        """
        return self.strip([Still(state, tuple(moves))])

    def strip(self, stills: Sequence[Still], across: int = 8) -> str:
        """States one after another as the text of an SVG. Cells that change from one to the next have a thick line.

        Args:
            stills: The states.
            across: How many stand in a row.

        Raises:
            StateError: One of them is no text of a state.
        """
        from puzzlekit.view.picture import picture

        scene, frames = self._scene(stills)
        return picture(scene, frames, _title(stills), across)

    def frames(self, stills: Sequence[Still]) -> list[str]:
        """States as in `strip`, each as the text of an SVG of its own, all of one size: the pictures of a film.

        Raises:
            StateError: One of them is no text of a state.
        """
        from puzzlekit.view.picture import pictures

        scene, frames = self._scene(stills)
        return pictures(scene, frames, _title(stills))

    def _scene(self, stills: Sequence[Still]) -> tuple[Scene, list[Frame]]:
        """The parts that pictures of some states have in common, and the states as they are drawn."""
        from puzzlekit.view.picture import Frame, Scene

        scene = Scene(
            self.width,
            self.height,
            self.spots,
            dict(zip(self.symbols, self.looks, strict=True)),
            [gesture for gesture in self.gestures if gesture.kind == "point"],
            [region.cells for region in self.regions],
            self.targets,
            self.symbols,
            self.sides,
            self.walls,
            self.captions,
            self.frame,
        )
        frames: list[Frame] = []
        for still in stills:
            now = self.read(still.state)[0]
            before = frames[-1].cells if frames else now
            changed = [cell for cell, (old, new) in enumerate(zip(before, now, strict=True)) if old != new]
            sides = joined_sides(self.joins, self.spots, now)
            frames.append(Frame(now, self.marked(still.moves), still.caption, still.heading, changed, sides))
        return scene, frames

    def marked(self, moves: Iterable[str]) -> tuple[int, ...]:
        """The cells to mark after some moves: those whose number of presses is no multiple of `period`.

        >>> import puzzlekit
        >>> puzzlekit.load("flipit").view().marked(["3", "7", "3"])
        (6,)
        """
        if not self.period:
            return ()
        times = Counter(moves)
        return tuple(
            gesture.cells[0]
            for gesture in self.gestures
            if gesture.kind == "press"
            and len(gesture.cells) == 1
            and sum(times[move] for move in gesture.moves) % self.period
        )

    def as_dict(self) -> dict[str, Any]:
        """The view as plain data of the schema `puzzlekit.view/1`, ready for JSON; docs/view.md describes it."""
        return {
            "schema": SCHEMA,
            "players": list(self.players),
            "width": self.width,
            "height": self.height,
            "cells": [asdict(spot) for spot in self.spots],
            "looks": {
                symbol: {"shape": look.shape, "text": look.text, "colour": look.colour, "name": look.name or symbol}
                for symbol, look in zip(self.symbols, self.looks, strict=True)
            },
            "palette": {
                look.colour: {"fill": look.fill, "text": look.ink}
                for look in (*(Look("none", colour=colour) for colour in COLOURS), *self.looks)
            },
            "gestures": [
                {
                    "kind": gesture.kind,
                    "moves": list(gesture.moves),
                    "cells": list(gesture.cells),
                    "x": gesture.x,
                    "y": gesture.y,
                    "key": gesture.key,
                    "label": gesture.label,
                    "turn": gesture.turn,
                }
                for gesture in self.gestures
            ],
            "regions": [{"cells": list(region.cells), "name": region.name} for region in self.regions],
            "period": self.period,
            "stages": dict(self.stages),
            "targets": list(self.targets),
            "joins": [asdict(join) for join in self.joins],
            "solver": self.solver,
            "numbers": self.numbers,
            "sides": [{"symbol": side.symbol, "lines": [asdict(line) for line in side.lines]} for side in self.sides],
            "body": [[[corner.x, corner.y, corner.z] for corner in facet.corners] for facet in self.body],
            "walls": self.walls,
            "captions": [asdict(caption) for caption in self.captions],
            "frame": self.frame,
        }


class Viewable(Hashable, Protocol):
    """An object with a view. Every `Puzzle` has one."""

    def view(self) -> View:
        """The data with which states are drawn, and moves are made by hand."""


@lru_cache(maxsize=MOST_VIEWS)
def view_of(puzzle: Viewable) -> View:
    """The view of a puzzle, as the puzzle gives it. Views that were used last are kept.

    Raises:
        PluginError: The puzzle's method failed, or returned something else.
    """
    try:
        with plugin_code():
            view = puzzle.view()
    except PuzzlekitError:
        raise
    except (Exception, SystemExit) as error:  # a plugin may fail in any way
        raise PluginError(f"{puzzle}: view() failed with {one_line(error)}") from error
    if not isinstance(view, View):
        raise PluginError(f"{puzzle}: view() returned {type(view).__name__}; return a puzzlekit.View")
    return view


def _spots(rules: Rules, board: Board | None, places: Sequence[Place] | None) -> tuple[Spot, ...]:
    """The places of the cells."""
    if places is not None:
        if not isinstance(places, Sequence) or isinstance(places, str | bytes):
            raise RulesError(f"the places are {places!r}; give a list with the place of each cell, such as (0.5, 1)")
        for cell, at in enumerate(places):
            _check_place(cell, at)
        if len(places) != rules.cells:
            raise RulesError(
                f"the view has {len(places)} places, and the rules {rules.cells} cells; give each its place"
            )
        each = enumerate(places)
        return moved(named([at if isinstance(at, Spot) else Spot(cell, *at) for cell, at in each]))
    if board is not None and board.cells != rules.cells:
        raise RulesError(
            f"the view has a board of {board.cells} cells, and the rules have {rules.cells}; give one of those"
        )
    return spots(rules.cells, board or rules.board, rules.row_lengths)


def _check_place(cell: int, place: object) -> None:
    """Refuses a place that is no place of a cell on a board that can be drawn."""
    if not is_place((place.x, place.y) if isinstance(place, Spot) else place):
        raise RulesError(
            f"the place of cell {cell} is {place!r}; give how far its middle lies to the right and down, in cells, "
            f"from -{FARTHEST:,} to {FARTHEST:,}"
        )


def _size(where: Sequence[Spot]) -> tuple[float, float]:
    """The width and the height of a board."""
    width = max(spot.x + half_width(spot) for spot in where)
    height = max(spot.y + half_height(spot) for spot in where)
    return round(width, 4), round(height, 4)


def _walled(view: View, walls: bool) -> View:
    """The view with walls around its cells, and room for them; or without both."""
    if any(spot.shape != "square" or spot.size != 1 for spot in view.spots):
        raise RulesError("the view has walls, and its cells are not all squares of size 1; leave the walls out")
    far = 1 if walls else -1
    return _shifted(replace(view, walls=walls, width=view.width + 2 * far, height=view.height + 2 * far), far, far)


def _framed(view: View, colour: str) -> str:
    """The colour of a frame as `#rrggbb`, after checking that the cells can be holes in it."""
    if colour and any(spot.shape != "square" for spot in view.spots):
        raise RulesError("the view has a frame, and its cells are not all squares; leave the frame out")
    return colour and Look("wall", "", colour).fill


def _captioned(view: View, captions: Iterable[Caption]) -> View:
    """The view with more captions, and with the room that they need beside the cells."""
    given = tuple(map(checked, captions))
    if given and any(spot.shape == "stack" for spot in view.spots):
        raise RulesError("the view has captions, and stacks, under which their names stand anyway; leave them out")
    left = min([0.0, *(each.x - each.width / 2 for each in given)])
    right = max([view.width, *(each.x + each.width / 2 for each in given)])
    top = min([0.0, *(each.y - HIGH / 2 for each in given)])
    bottom = max([view.height, *(each.y + HIGH / 2 for each in given)])
    # By whole quarters, so that cells in a row stay exactly a whole number apart.
    left, top = math.floor(4 * left) / 4, math.floor(4 * top) / 4
    grown = replace(view, width=round(right - left, 4), height=round(bottom - top, 4), captions=view.captions + given)
    return _shifted(grown, -left, -top)


def _shifted(view: View, across: float, down: float) -> View:
    """The view with all that it shows moved to the right and downwards. Its size stays."""
    return replace(
        view,
        spots=tuple(replace(spot, x=round(spot.x + across, 4), y=round(spot.y + down, 4)) for spot in view.spots),
        gestures=tuple(
            gesture
            if gesture.x is None or gesture.y is None
            else replace(gesture, x=round(gesture.x + across, 4), y=round(gesture.y + down, 4))
            for gesture in view.gestures
        ),
        sides=tuple(side.moved(across, down) for side in view.sides),
        captions=tuple(caption.moved(across, down) for caption in view.captions),
    )


def _title(stills: Sequence[Still]) -> str:
    """The text for people who do not see a strip: its first and its last state."""
    return " to ".join(dict.fromkeys([stills[0].state, stills[-1].state]))


def _region(given: Region | Iterable[int]) -> Region:
    return given if isinstance(given, Region) else Region(tuple(given))


def _known(given: Mapping[Any, Any] | None, there: Container[object], what: str) -> dict[Any, Any]:
    """Returns the given symbols, cells or moves after checking that the puzzle has them."""
    found = {name if what == "cell" else str(name): value for name, value in (given or {}).items()}
    for name in found:
        if name not in there:
            raise RulesError(f"the view is changed for the {what} {name!r}, which the rules do not have; take it out")
    return found


def _targets(data: Mapping[str, Any]) -> tuple[int, ...]:
    """The cells of the one pattern that is the goal; none if it names all cells, or if there are several goals."""
    patterns = [pattern_of(goal) for goal in data["goal"]]
    cells = tuple(sorted(cell for cell, _ in patterns[0])) if len(patterns) == 1 else ()
    return cells if len(cells) < len(data["start"]) else ()


def _period(symbols: Sequence[str], moves: Sequence[Mapping[str, Any]]) -> int:
    """The times that a move must be made until it has no effect: the number of symbols, or 0 if some move differs.

    Each move must advance each of its cells to the next symbol, and from the last symbol to the first one.
    """
    found = set()
    for move in moves:
        for cell, source in move["then"]:
            if move["when"] or move["player"] is not None or isinstance(source, str) or source["copy"] != cell:
                return 0
            advance = {
                (symbols.index(source["map"].get(symbol, symbol)) - at) % len(symbols)
                for at, symbol in enumerate(symbols)
            }
            if len(advance) > 1:
                return 0
            found |= advance
    return len(symbols) if found == {1} else 0
