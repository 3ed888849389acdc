"""Reads the KPuzzle JSON of cubing, files that end in `.kpuzzle.json`; docs/definitions.md describes them."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn, TypeGuard

from puzzlekit_twisty.algs import UnknownMoveError, read_alg
from puzzlekit_twisty.definition import Definition, Filled, Orbit, Part, Transformation, check_order
from puzzlekit_twisty.errors import DefinitionError, at
from puzzlekit_twisty.tws import is_rotation

MOST_ROTATIONS = 1_000
"""The most turns of the whole puzzle among which a move is looked for."""


def read(text: str, name: str) -> Definition:
    """The definition in a text.

    Args:
        text: The text.
        name: What the puzzle is called if the text does not say it.

    Raises:
        DefinitionError: The text is no definition; the message tells the line and the column.
    """
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise at(error.lineno, error.colno, f"this is no JSON: {error.msg}") from None
    except (RecursionError, ValueError):  # numbers of thousands of digits are no numbers for Python
        raise at(1, 1, "this is no definition: it has thousands of digits, or brackets inside each other") from None
    return _Reader(text, data, name).definition


class _Reader:
    """Makes a definition from JSON.

    Args:
        text: The text, for the places of errors.
        data: What it says.
        name: What the puzzle is called if the text does not say it.
    """

    def __init__(self, text: str, data: Any, name: str) -> None:  # noqa: ANN401 - JSON of anybody
        self._text = text
        if not isinstance(data, dict):
            self._fail([], "this is no definition; give an object with orbits, defaultPattern and moves")
        named = data.get("name")
        orbits = tuple(self._orbits(data.get("orbits")))
        self.definition = Definition(named if isinstance(named, str) and named else name, orbits, ())
        pattern = self._object(data, "defaultPattern", [])
        self.definition.solved = tuple(self._filled(pattern, orbit) for orbit in orbits)
        moves = self._object(data, "moves", [])
        if not moves:
            self._fail(["moves"], "no move is defined; name one at least")
        for move in moves:
            self._add(move, self._transformation(moves, move), ["moves", move])
        derived = data.get("derivedMoves") or {}
        # Some files list moves once more, with an underscore in place of an alg.
        self._derive({move: alg for move, alg in derived.items() if move not in moves and alg != "_"})
        self._sort_rotations()

    def _fail(self, path: list[str], sentence: str) -> NoReturn:
        """Raises an error at the place of a key. Keys are looked for from the outermost to the innermost."""
        place = 0
        for key in path:
            found = re.compile(re.escape(json.dumps(key)) + r"\s*:").search(self._text, place)
            place = found.start() if found else place
        before = self._text[:place]
        raise at(before.count("\n") + 1, place - before.rfind("\n"), sentence)

    def _object(self, data: dict[str, Any], key: str, path: list[str]) -> dict[str, Any]:
        found = data.get(key)
        if not isinstance(found, dict):
            self._fail([*path, key], f"{key} is {_shown(found)}; give an object")
        return found

    def _orbits(self, given: Any) -> list[Orbit]:  # noqa: ANN401 - JSON of anybody
        # Older files have an object of orbits in place of a list.
        if isinstance(given, dict):
            given = [{"orbitName": name, **orbit} for name, orbit in given.items() if isinstance(orbit, dict)]
        if not isinstance(given, list) or not given:
            self._fail(["orbits"], f"orbits is {_shown(given)}; give a list of objects")
        found: list[Orbit] = []
        for orbit in given:
            name, size = (orbit.get(key) if isinstance(orbit, dict) else None for key in ("orbitName", "numPieces"))
            turns = orbit.get("numOrientations") if isinstance(orbit, dict) else None
            if not isinstance(name, str) or not _whole(size) or not _whole(turns):
                self._fail(["orbits"], f"an orbit is {_shown(orbit)}; give orbitName, numPieces and numOrientations")
            found.append(Orbit(name, size, turns))
        return found

    def _numbers(
        self, data: dict[str, Any], keys: tuple[str, ...], orbit: Orbit, below: int, path: list[str]
    ) -> list[int]:
        """The list of numbers that stands under one of several keys; zeros if it is left out."""
        key = next((key for key in keys if key in data), keys[0])
        found = data.get(key, [0] * orbit.size)
        right = isinstance(found, list) and len(found) == orbit.size
        if not right or any(type(number) is not int or not 0 <= number < below for number in found):
            self._fail([*path, key], f"{key} is {_shown(found)}; give {orbit.size} numbers from 0 to {below - 1}")
        return list(found)

    def _filled(self, pattern: dict[str, Any], orbit: Orbit) -> Filled:
        path = ["defaultPattern", orbit.name]
        data = self._object(pattern, orbit.name, path[:1])
        pieces = self._numbers(data, ("pieces",), orbit, 1_000_000, path)
        twists = self._numbers(data, ("orientation",), orbit, orbit.turns, path)
        # 0 means that all ways of turning a piece can be told apart.
        kinds = [kind or orbit.turns for kind in self._numbers(data, ("orientationMod",), orbit, orbit.turns + 1, path)]
        for piece, kind in zip(pieces, kinds, strict=True):
            if orbit.turns % kind:
                self._fail(
                    [*path, "orientationMod"], f"orientationMod {kind} does not divide {orbit.turns}; give a divisor"
                )
            if kind != kinds[pieces.index(piece)]:
                self._fail(
                    [*path, "orientationMod"], "pieces that are alike have several orientationMod; give them one"
                )
        return Filled(
            tuple(pieces), tuple(twist % kind for twist, kind in zip(twists, kinds, strict=True)), tuple(kinds)
        )

    def _transformation(self, moves: dict[str, Any], move: str) -> Transformation:
        data = self._object(moves, move, ["moves"])
        parts = []
        for orbit in self.definition.orbits:
            path = ["moves", move, orbit.name]
            if orbit.name not in data:  # it does nothing there
                parts.append(Part(tuple(range(orbit.size)), (0,) * orbit.size))
                continue
            part = self._object(data, orbit.name, path[:2])
            sources = self._numbers(part, ("permutation",), orbit, orbit.size, path)
            if len(set(sources)) < orbit.size:
                self._fail([*path, "permutation"], f'"{move}" takes a piece to two places; give each number once')
            twists = self._numbers(part, ("orientationDelta", "orientation"), orbit, orbit.turns, path)
            parts.append(Part(tuple(sources), tuple(twists)))
        return tuple(parts)

    def _add(self, name: str, made: Transformation, path: list[str]) -> None:
        try:
            check_order(name, made, self.definition.orbits)
        except DefinitionError as error:
            self._fail(path, str(error))
        (self.definition.rotations if is_rotation(name) else self.definition.moves)[name] = made

    def _derive(self, waiting: dict[str, Any]) -> None:
        """Reads the moves that are made of others, in any order."""
        while waiting:
            left, lost = dict[str, Any](), dict[str, str]()
            for name, alg in waiting.items():
                path = ["derivedMoves", name]
                if not isinstance(alg, str):
                    self._fail(path, f"{name} is {_shown(alg)}; give an alg")
                try:
                    made = read_alg(self.definition, alg)
                except UnknownMoveError as error:
                    left[name], lost[name] = alg, re.sub(r"\d*'?$", "", error.move)
                except DefinitionError as error:
                    self._fail(path, str(error))
                else:
                    self._add(name, made, path)
            if len(left) == len(waiting):
                name = next((name for name in left if lost[name] not in left), next(iter(left)))
                self._fail(["derivedMoves", name], f'there is no move "{lost[name]}"; name moves that are defined')
            waiting = left

    def _sort_rotations(self) -> None:
        """Puts moves that turn the whole puzzle, whatever their names, among the rotations."""
        definition = self.definition
        turns, new = {definition.nothing}, [definition.nothing]
        while new and len(turns) <= MOST_ROTATIONS:
            made = {definition.product(one, turn) for one in new for turn in definition.rotations.values()} - turns
            turns, new = turns | made, list(made)
        if new:
            return
        for name in [name for name, made in definition.moves.items() if made in turns]:
            definition.rotations[name] = definition.moves.pop(name)
        if not definition.moves:
            idle = [name for name, made in definition.rotations.items() if made == definition.nothing]
            if len(idle) == len(definition.rotations):
                self._fail(["moves"], f'"{idle[0]}" changes nothing; name a move that does')
            self._fail(["moves"], "all moves turn the whole puzzle; name another one")


def _whole(given: object) -> TypeGuard[int]:
    return type(given) is int and 1 <= given < 10_000


def _shown(given: object) -> str:
    """A part of the data, cut off where it is long."""
    text = json.dumps(given)
    return text if len(text) < 60 else f"{text[:56]} ..."
