"""Conformance: every installed puzzle keeps its promises, and the suite notices puzzles that do not."""

from dataclasses import dataclass, field

import pytest

import puzzlekit
from puzzlekit import Grid, Puzzle, Rules, put, swap
from puzzlekit.testing import check_puzzle


@pytest.mark.parametrize("puzzle_id", puzzlekit.puzzles())
def test_every_installed_puzzle_conforms(puzzle_id):
    check_puzzle(puzzlekit.load(puzzle_id))


@dataclass(frozen=True)
class Slide(Puzzle):
    """Sliding tiles."""

    id = "slide"
    rows: int = 2

    def rules(self):
        tiles = range(self.rows * 3)
        moves = [swap(a, b).when({a: 0}).named(name) for a, b, name in Grid(self.rows, 3).steps()]
        return Rules(symbols=tiles, start=tiles, goal=[tiles], moves=moves)


def test_a_sound_puzzle_conforms():
    check_puzzle(Slide())
    check_puzzle(Slide(5), states=100)


def test_long_names_of_players_conform():
    @dataclass(frozen=True)
    class Count(Slide):
        """A game whose players have long names."""

        def rules(self):
            moves = [put(cell, "x").when({cell: "."}).named(f"cell {cell}") for cell in range(3)]
            return Rules(".x", "...", moves, players=("white", "black"), stuck="loss")

    check_puzzle(Count())


def test_keyword_only_fields_conform():
    @dataclass(frozen=True, kw_only=True)
    class Keywords(Slide):
        """A puzzle whose fields are given by name."""

        columns: int = 3

    check_puzzle(Keywords(rows=3), states=100)


def test_defaults_must_be_allowed():
    @dataclass(frozen=True)
    class Wrong(Puzzle):
        """A default out of its range."""

        id = "wrong"
        size: int = puzzlekit.parameter(9, 1, 5)

    with pytest.raises(puzzlekit.PluginError, match=r"cannot be made with its defaults: .*size of wrong is 9"):
        Wrong.check_type()


def test_a_puzzle_without_moves_is_refused():
    @dataclass(frozen=True)
    class Still(Slide):
        """Nothing moves."""

        def rules(self):
            return Rules(symbols="ab", start="a", moves=[put(0, "b").when({0: "b"})])

    with pytest.raises(AssertionError, match="has no move at the start a; check the guards"):
        check_puzzle(Still())


def test_rules_that_change_are_refused():
    starts = iter("abababab")

    @dataclass(frozen=True)
    class Fickle(Slide):
        """Never the same."""

        def rules(self):
            return Rules(symbols="ab", start=next(starts), moves=[put(0, "b"), put(0, "a")])

    with pytest.raises(AssertionError, match="differs from call to call"):
        check_puzzle(Fickle())


def test_a_text_id_that_cannot_be_read_back_is_refused():
    @dataclass(frozen=True)
    class Renamed(Slide):
        """Under another name."""

        def __str__(self):
            return "somebody"

    with pytest.raises(AssertionError, match="do not override __str__"):
        check_puzzle(Renamed())


def test_numbers_that_lead_elsewhere_are_refused():
    @dataclass(frozen=True)
    class Misnumbered(Slide):
        """Every state has one number."""

        def number(self, state):
            return 7 if self.read(state) else None

        def numbered(self, number):
            return puzzlekit.ScrambleReport(str(self), self.start, f"number {number}", None, "by number", number)

    with pytest.raises(AssertionError, match="has the number 7, which numbered takes for "):
        check_puzzle(Misnumbered())


def test_false_rules_are_refused():
    @dataclass(frozen=True)
    class Wrong(Slide):
        """Rules with an unknown symbol."""

        def rules(self):
            return Rules(symbols="ab", start="a", moves=[put(0, "z")])

    with pytest.raises(AssertionError, match='the unknown symbol "z"'):
        check_puzzle(Wrong())


@pytest.mark.parametrize(
    ("namespace", "message"),
    [
        ({"id": "Bad Id"}, "has the id 'Bad Id'; give a short name"),
        ({"id": "x", "__annotations__": {"start": int}, "start": 3}, "field named start"),
        ({"id": "x", "__annotations__": {"number": int}, "number": 3}, "field named number, which every puzzle has"),
        *(
            (
                {"id": "x", "__annotations__": {name: int}, name: 3},
                f"named {name}, a name that puzzlekit keeps for itself",
            )
            for name in ("view", "values", "hint", "survey", "draw")
        ),
        ({"id": "x", "__annotations__": {"size": float}, "size": 3.0}, "use int, bool or str"),
        ({"id": "x", "__annotations__": {"id": str}}, "annotates id, which makes it a parameter"),
        ({"id": "x", "__annotations__": {"size": int | None}, "size": None}, "use int, bool or str"),
        ({"id": "x", "__annotations__": {"size": int}}, "without a default"),
        ({"id": "x", "__annotations__": {"size": int}, "size": field(default_factory=int)}, "without a default"),
    ],
)
def test_types_that_cannot_be_registered(namespace, message):
    kind = dataclass(frozen=True)(type("Odd", (Puzzle,), namespace))
    with pytest.raises(puzzlekit.PluginError, match=message):
        kind.check_type()


def test_a_type_that_is_no_frozen_dataclass():
    class Plain(Puzzle):
        id = "plain"

    with pytest.raises(puzzlekit.PluginError, match=r"put @dataclass\(frozen=True\) above it"):
        Plain.check_type()
