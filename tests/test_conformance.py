"""Conformance: every installed puzzle passes the suite of checks, and the suite finds the faults of others."""

import itertools
import json
import random
import shutil
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

import pytest

import puzzlekit
from puzzlekit import Grid, Puzzle, Rules, put, swap, toggle, win
from puzzlekit.puzzle.declaration import check_type
from puzzlekit.testing import check_puzzle, checks, counted, processes, subject, suite
from puzzlekit.testing.plain import naive
from puzzlekit.testing.sides import sides
from puzzlekit.testing.subject import Subject
from tests.gallery import load as gallery_game
from tests.naive import Naive
from tests.support import puzzle_of
from tests.test_oracle import lively_rules


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

    check_puzzle(Keywords(columns=4), states=100)


def test_defaults_must_be_allowed():
    @dataclass(frozen=True)
    class Wrong(Puzzle):
        """Defaults that do not go together."""

        id = "wrong"
        rows: int = 3
        columns: int = 4

        def __post_init__(self):
            super().__post_init__()
            if self.rows != self.columns:
                raise puzzlekit.UsageError(f"{self.rows} rows and {self.columns} columns are no square; give a square")

    with pytest.raises(puzzlekit.PluginError, match=r"Wrong cannot be made with its defaults: .*are no square"):
        check_type(Wrong)


@pytest.mark.parametrize(
    ("type_name", "default", "may"),
    [
        ("str", "a,b", "a text without commas"),
        ("str", " a", "or spaces at its ends"),
        ("bool", 1, "true or false"),
        ("int", "3", "a whole number"),
        ("int", puzzlekit.parameter(9, 1, 5), "a whole number from 1 to 5"),
    ],
)
def test_a_bad_default_is_told_when_the_class_is_made(type_name, default, may):
    with pytest.raises(puzzlekit.PluginError, match=rf"Wrong has the field given with the default .*; give .*{may}"):
        type("Wrong", (Puzzle,), {"id": "wrong", "given": default, "__annotations__": {"given": type_name}})


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
        """With a field that grows."""

        def __post_init__(self):
            object.__setattr__(self, "rows", self.rows + 1)

    with pytest.raises(AssertionError, match="leave its fields as they are"):
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


@pytest.mark.parametrize(
    ("view", "message"),
    [
        (lambda self: [self][1:], "returned list; return a puzzlekit.View"),
        (
            lambda self: puzzlekit.View.of(puzzlekit.load(f"rotation{str(self)[:0]}").rules()),
            "has 9 cells and 9 looks, and the rules have",
        ),
        (lambda self: replace(puzzlekit.View.of(self.rules()), gestures=()), "has no gesture for the move"),
        (lambda self: puzzlekit.View.of(self.rules()).changed(labels={99: "x"}), "the cell 99, which the rules do not"),
        (lambda self: self / 0, "failed with TypeError"),
    ],
)
def test_a_view_of_its_own_is_checked(view, message):
    kind = dataclass(frozen=True)(type("Seen", (Slide,), {"__doc__": "A view.", "view": view}))
    with pytest.raises(AssertionError, match=message):
        check_puzzle(kind())


def test_looks_that_differ_in_colour_alone_are_told():
    @dataclass(frozen=True)
    class Coloured(Slide):
        """Two tiles of one shape."""

        def view(self):
            two = {"1": puzzlekit.Look("disk", "", "red"), "2": puzzlekit.Look("disk", "", "green")}
            return super().view().changed(looks=two)

    notes = [note for check in checks(Coloured()) for note in check.notes]
    assert any(note.startswith("the symbols 1 and 2 differ in colour alone") for note in notes)


def test_cells_that_hide_each_other_in_pictures_are_told():
    @dataclass(frozen=True)
    class Stacked(Slide):
        """A board of two cells that lie a tenth of a cell apart, and others that only touch."""

        def view(self):
            spots = super().view().spots
            places = [(spot.x, spot.y) for spot in spots]
            places[1] = (places[0][0] + 0.1, places[0][1])
            return puzzlekit.View.of(self.rules(), places=places)

    def told(puzzle):
        return [note for check in checks(puzzle, states=50) for note in check.notes if "lie over" in note]

    assert [note.partition(" lie over")[0] for note in told(Stacked())] == ["the cells 0 and 1"]
    assert told(Slide()) == []


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
        ({"id": "x", "__annotations__": {"arrays": int}, "arrays": 3}, "field named arrays, which every puzzle has"),
        ({"id": "x", "__annotations__": {"size": float}, "size": 3.0}, "use int, bool or str"),
        ({"id": "x", "__annotations__": {"id": str}}, "annotates id, which makes it a parameter"),
        ({"id": "x", "__annotations__": {"size": int | None}, "size": None}, "use int, bool or str"),
        ({"id": "x", "__annotations__": {"size": int}}, "without a default"),
        ({"id": "x", "__annotations__": {"size": int}, "size": field(default_factory=int)}, "without a default"),
    ],
)
def test_types_that_cannot_be_registered(namespace, message):
    """Each class is refused when its body has run, before `@dataclass` is called with it."""
    with pytest.raises(puzzlekit.PluginError, match=message):
        type("Odd", (Puzzle,), namespace)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("tuple[int, ...]", r'of type tuple\[int, ...\]; use int, bool or str, such as a text "3-5"'),
        (tuple[int, ...], r'of type tuple\[int, ...\]; use int, bool or str, such as a text "3-5"'),
        ("float", "of type float; use int, bool or str, such as a whole number of hundredths"),
        ("int | None", r"of type int \| None; use int, bool or str, with a default such as 0"),
    ],
)
def test_a_parameter_of_another_type_is_told_what_to_use(given, message):
    with pytest.raises(puzzlekit.PluginError, match=message):
        type("Odd", (Puzzle,), {"__annotations__": {"shape": given}, "shape": 3})


@pytest.mark.parametrize(
    ("namespace", "message"),
    [
        ({"id": "BurntPancakes"}, 'such as "burnt-pancakes"'),
        ({"id": "15 puzzle"}, 'such as "puzzle-15-puzzle"'),
        ({"id": 15}, 'has the id 15; .* such as "odd"'),
        ({"start": "ab"}, r"an attribute start, which hides what every puzzle has there; give the start to Rules"),
        ({"rules": 3}, "an attribute rules, which hides what every puzzle has there; rename it"),
        ({"engine": lambda _self: 3}, "an attribute engine, which hides"),
        ({"board": property(lambda _self: "ab")}, "an attribute board, which hides"),
    ],
)
def test_what_the_body_of_a_class_shows_is_checked_when_it_is_made(namespace, message):
    with pytest.raises(puzzlekit.PluginError, match=message):
        type("Odd", (Puzzle,), namespace)


def test_what_is_no_parameter_may_be_annotated():
    @dataclass(frozen=True)
    class Named(Slide):
        """A class with an attribute that is no field: all its objects share it."""

        names: ClassVar[tuple[str, ...]] = ("a", "b")

    check_puzzle(Named())
    assert str(Named(3)) == "slide:rows=3"


def test_a_field_of_a_class_that_is_no_dataclass_itself():
    class Wider(Slide):
        width: int = 3

    with pytest.raises(puzzlekit.PluginError, match=r"Wider has the field width, and is no frozen dataclass itself"):
        Wider()


def test_a_puzzle_whose_values_could_change():
    @dataclass
    class Loose(Puzzle):
        id = "loose"

    with pytest.raises(puzzlekit.PluginError, match=r"Loose is no frozen dataclass; put @dataclass\(frozen=True\)"):
        Loose()


def test_a_type_that_is_no_frozen_dataclass():
    class Plain(Puzzle):
        id = "plain"

    with pytest.raises(puzzlekit.PluginError, match=r"put @dataclass\(frozen=True\) above it"):
        check_type(Plain)


def test_a_move_that_looks_like_an_option_is_refused():
    @dataclass(frozen=True)
    class Option(Slide):
        """A move whose name a command line reads as an option."""

        def rules(self):
            return Rules(symbols="ab", start="a", moves=[put(0, "b").when({0: "a"}).named("--b")])

    with pytest.raises(AssertionError, match='the move "--b" begins as an option does'):
        check_puzzle(Option())


def scramble_to(states):
    """A puzzle whose scrambles are some states, one after the other."""

    @dataclass(frozen=True)
    class Scrambled(Slide):
        """Tiles with scrambles of its own."""

        def scramble(self, seed=None, *, moves=None, scrambler=None):  # noqa: ARG002 - as every puzzle's
            return puzzlekit.ScrambleReport(str(self), self.read(next(states)), seed or "", None, "by hand")

    return Scrambled()


def test_scrambles_that_are_not_the_same_are_refused():
    with pytest.raises(AssertionError, match=r"the seed 0 gives 103425 and then another state; draw from"):
        check_puzzle(scramble_to(iter(["103425", "130425"])))


def test_scrambles_that_play_does_not_reach_are_refused():
    with pytest.raises(AssertionError, match=r"the seed 0 gives 021345, which play does not reach; scramble by moves"):
        check_puzzle(scramble_to(itertools.repeat("021345")))


def test_solvers_that_are_wrong_are_refused():
    @dataclass(frozen=True)
    class Unsolved(Slide):
        """A solver that gives up."""

        def default_solver(self):
            def nothing(_puzzle, _state):
                return []

            return nothing

    with pytest.raises(AssertionError, match=r"the solver nothing leads from \d+ to \d+, which is not solved"):
        check_puzzle(Unsolved())


def first_fault(**options):
    """The fault that the suite finds if a sound puzzle has faulty solvers or scramblers."""
    done = list(checks(Slide(), states=400, **options))
    return done[-1].fault


def never(_puzzle, _state):
    raise puzzlekit.UnsolvableError("no moves lead there")


def detour(puzzle, state):
    """A solver that adds two moves to the fewest, and says that all are needed."""
    moves = puzzlekit.optimal(puzzle, state).moves
    there = puzzle.apply(state, puzzle.legal_moves(state)[0])
    back = next(move for move in puzzle.legal_moves(there) if puzzle.apply(there, move) == state)
    return puzzlekit.Answer((puzzle.legal_moves(state)[0], back, *moves), optimal=True)


def test_solvers_of_plugins_are_looked_at():
    assert first_fault(solvers={"optimal": puzzlekit.optimal}) is None
    assert "never says that nothing solves 012345, and 0 moves do; mend the solver never" in first_fault(
        solvers={"never": never}
    )
    assert "detour says that 2 moves are the fewest from 012345, and 0 are enough" in first_fault(
        solvers={"detour": detour}
    )
    assert "the solver half leads from" in first_fault(solvers={"half": lambda *_: []})


def test_scramblers_of_plugins_are_looked_at():
    def first(puzzle, _random):
        return puzzle.legal_moves(puzzle.start)[:1]

    def by_chance(puzzle, _random):
        return [random.choice(puzzle.legal_moves(puzzle.start)) for _ in range(1)]

    def too_small(_puzzle, _random):
        raise puzzlekit.UsageError("the board is too small; take a larger one")

    assert first_fault(scramblers={"first": first}) is None
    assert "the scrambler home gives 012345, which is solved" in first_fault(scramblers={"home": lambda *_: []})
    random.seed(7)
    assert "the scrambler by_chance with the seed" in first_fault(scramblers={"by_chance": by_chance})
    notes = [note for check in checks(Slide(), states=50, scramblers={"small": too_small}) for note in check.notes]
    assert "the scrambler small makes nothing of slide: the board is too small; take a larger one" in notes


def test_what_takes_too_long_elsewhere_is_a_note(monkeypatch):
    monkeypatch.setattr(processes, "MOST_SECONDS", 0.01)
    puzzle = puzzlekit.load("slider:2,2")
    told = []
    done = list(checks(puzzle, states=50, full=True, watch=told.append))
    notes = [note for check in done for note in check.notes]
    assert [name for name in told if name in suite.PARTS | suite.FULL] == [check.name for check in done]
    assert {f"{puzzle} in another process", "slider:rows=10,columns=2 in another process"} <= set(told)
    assert "rows=10 was not compiled within 0.01 seconds; a smaller maximum would spare others that" in notes
    assert f"{puzzle} was not compiled within 0.01 seconds, so nothing is compared" in notes


def test_a_script_may_check_its_own_puzzle(tmp_path):
    """The check starts processes that run the script once more. These must not start others in turn."""
    script = tmp_path / "script.py"
    source = (Path(__file__).parent / "fixtures/plugin/puzzlekit_ring/__init__.py").read_text(encoding="utf-8")
    script.write_text(
        f"{source}\nfrom puzzlekit.testing import checks\n"
        "done = list(checks(Ring(), full=True))\n"
        "print([(check.name, check.times) for check in done if check.times and check.fault is None][-3:])\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert done.stdout == "[('parameters at their ends', 2), ('other processes', 3), ('start-up', 1)]\n"


def test_a_process_that_fails_is_told(monkeypatch):
    monkeypatch.setattr(processes.sys, "executable", shutil.which("false"))
    done = list(checks(puzzlekit.load("slider:2,2"), states=50, full=True))
    assert "slider with rows=2, the minimum that parameter allows, fails: the process ended with" in done[-1].fault


@pytest.mark.parametrize("seed", range(150))
def test_the_plain_search_of_the_suite_is_the_obvious_one(seed):
    """Two plain searches that were written separately find the same counts."""
    given = lively_rules(random.Random(f"conformance {seed}"))
    data = given.to_data()
    layers = Naive(data).layers(max_depth=4)
    found = naive(data, 10**9 if len(layers) < 5 else sum(len(layer.raw) for layer in layers))
    expected = [(len(layer.raw), layer.raw_open, dict(layer.raw_ended)) for layer in layers]
    assert found[: len(expected)] == expected


def test_the_parts_of_the_suite_are_told(command):
    result = command("plugins", "check", "slider:2,2", "--json")
    data = json.loads(result.out)
    assert (result.code, data["schema"], data["puzzle"]) == (0, "puzzlekit.plugins.check/1", "slider:rows=2,columns=2")
    assert data["fault"] is None
    times = {part["name"]: part["times"] for part in data["checks"]}
    assert (times["states"], times["counts of a plain search"], times["solutions"]) == (12, 12, 10)
    assert "ok" in command("plugins", "check", "slider:2,2").out


def test_a_fault_is_told_with_what_to_change(command, tmp_path):
    path = tmp_path / "still.py"
    path.write_text(
        "from dataclasses import dataclass\nfrom puzzlekit import Puzzle, Rules, put\n\n\n@dataclass(frozen=True)\n"
        'class Still(Puzzle):\n    """Still."""\n    id = "still"\n\n    def rules(self):\n'
        '        return Rules(symbols="ab", start="a", moves=[put(0, "b").when({0: "b"})])\n'
    )
    result = command("plugins", "check", str(path))
    assert (result.code, "fault" in result.out) == (1, True)
    assert "still has no move at the start a; check the guards of the moves" in result.err
    assert command("plugins", "check", "slider", "--states", "0").code == 2


TURNED_TILES = """
from dataclasses import dataclass
from itertools import product
from puzzlekit import Copy, Move, Puzzle, Rules

TURN = dict(zip("^>v<", ">v<^"))


@dataclass(frozen=True)
class Turned(Puzzle):
    \"\"\"Nine tiles; four around a corner turn together. The index has 24 thousand million numbers.\"\"\"

    id = "turned"

    def rules(self):
        symbols = [tile + way for tile, way in product("ABCDEFGHI", "^>v<")]
        turned = {symbol: symbol[0] + TURN[symbol[1]] for symbol in symbols}
        moves = []
        for corner in (0, 1, 3, 4):
            around = (corner, corner + 1, corner + 4, corner + 3)
            pairs = zip(around, around[1:] + around[:1], strict=True)
            moves.append(Move({after: Copy(at, turned) for at, after in pairs}).named(f"t{corner}"))
        start = symbols[::4]
        return Rules(symbols, start, moves, goal=[start])
"""


@pytest.mark.slow
def test_the_check_from_the_command_line_takes_little_memory(tmp_path):
    """The check counts only a few states of a puzzle for which the dense store would take 8.3 GiB."""
    path = tmp_path / "turned.py"
    path.write_text(TURNED_TILES)
    program = (
        "import resource, sys\nfrom puzzlekit.cli.app import run\n"
        f"code = run(['plugins', 'check', {str(path)!r}, '--states', '50'])\n"
        "print(code, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    code, kibibytes = map(int, done.stderr.splitlines()[-1].split())
    assert (code, kibibytes < 2**20) == (0, True)


def test_a_check_that_takes_more_than_its_memory_says_so(command):
    result = command("plugins", "check", "slider:2,2", "--memory", "1KiB")
    assert (result.code, "memory" in result.err) == (1, True)
    assert command("plugins", "check", "slider:2,2", "--memory", "little").code == 2


def notes_on_symmetries(puzzle):
    (part,) = [check for check in checks(puzzle, states=100) if check.name == "symmetries"]
    return part.notes


def test_symmetries_that_would_leave_no_state_out_are_not_missed():
    @dataclass(frozen=True)
    class Lamps(Slide):
        """Three lamps with rotations declared. Mirrors carry no more states onto each other than rotations do."""

        def rules(self):
            turn = puzzlekit.Symmetry((1, 2, 0), name="turn")
            return Rules("ab", "aaa", [puzzlekit.toggle(cell) for cell in range(3)], symmetries=[turn])

    @dataclass(frozen=True)
    class More(Lamps):
        """The same lamps without declared symmetries."""

        def rules(self):
            return Rules("ab", "aaa", [puzzlekit.toggle(cell) for cell in range(3)])

    assert puzzlekit.symmetries(Lamps().rules()).order == 6
    assert notes_on_symmetries(Lamps()) == ()
    (note,) = notes_on_symmetries(More())
    assert "6 symmetries were found, and 1 is declared" in note
    assert note.endswith("4 states would be kept instead of 8")


def test_symmetries_that_swap_the_players_are_not_missed():
    @dataclass(frozen=True)
    class Marks(Slide):
        """Two players put marks into two cells, and the mirror is declared."""

        swap: bool = False

        def rules(self):
            moves = [put(cell, mark).when({cell: "."}).named(cell).by(mark) for cell in range(2) for mark in "XO"]
            mirror = puzzlekit.Symmetry((1, 0), name="mirror")
            other = puzzlekit.Symmetry((0, 1), {"X": "O", "O": "X"}, swap_players=True, name="other player")
            return Rules(".XO", "..", moves, players="XO", symmetries=[mirror, *[other][: self.swap]])

    assert puzzlekit.symmetries(Marks().rules()).elements == 4
    assert notes_on_symmetries(Marks()) == notes_on_symmetries(Marks(swap=True)) == ()


def test_names_with_spaces_and_twisting_pieces_are_noted():
    @dataclass(frozen=True)
    class Corners(Slide):
        """Two corners with three twists and one with two, and two centres that do not twist."""

        def rules(self):
            turned = {f"{piece}{twist}": f"{piece}{(twist + 1) % 3}" for piece in "ab" for twist in range(3)}
            turned |= {"c0": "c1", "c1": "c0"}
            on = puzzlekit.Move(
                {1: puzzlekit.Copy(0, turned), 2: puzzlekit.Copy(1, turned), 0: puzzlekit.Copy(2, turned)}
            )
            turn = puzzlekit.Move(on.writes + swap(3, 4).writes)
            return Rules([*turned, "x", "y"], ["a0", "b0", "c0", "x", "y"], [turn.named("go on")])

    notes = [note for check in checks(Corners(), states=50) for note in check.notes]
    assert any('the move "go on" has a space, so beside others it has to be quoted' in n for n in notes)
    assert any("do not turn all pieces of a kind around circles by the same number of twists" in n for n in notes)
    assert any('twist; the page "Rules" (docs/rules.md), "What makes rules fast"' in note for note in notes)
    assert not any("few moves have one of the shapes" in note for note in notes)


def test_conditions_that_keep_a_perfect_index_away_are_noted():
    @dataclass(frozen=True)
    class Guarded(Slide):
        """Marks fall into empty cells; the last two need three marks before."""

        def rules(self):
            marks = [put(cell, "x").when({cell: "."}).named(f"m{cell}") for cell in range(6)]
            late = [put(cell, "x").when(puzzlekit.count("x", at_least=3) & {cell: "."}) for cell in (6, 7)]
            moves = [*marks, *(move.named(f"m{cell}") for cell, move in zip((6, 7), late, strict=True))]
            return Rules(".x", "." * 8, moves, goal="x" * 8)

    notes = [note for check in checks(Guarded(), states=50) for note in check.notes]
    assert any('6 of 8 moves fill an empty cell, but the move "m6" has a guard that counts cells' in n for n in notes)


X_AND_O = [put(cell, mark).when({cell: "."}).named(f"{mark}{cell}") for mark in "XO" for cell in range(3)]
OF_EACH = [move.by(move.name[0]) for move in X_AND_O]
SHIFTS = [swap(0, 1).when({0: mark, 1: "."}).named(mark) for mark in "XO"]


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        (Rules(".XO", "...", OF_EACH[:3], players="XO"), "no move of the rules is one of O, who can never move"),
        (Rules(".XO", "X.O", SHIFTS, players="XO"), 'either player may make the move "X", which needs X in a cell'),
        (
            Rules(".XOZ", "...", OF_EACH, players="XO", ends=[win("X", {0: "Z"})]),
            'an end with the outcome "X" never holds: it needs Z, which is not in the start, and which no move writes',
        ),
        (
            Rules(".XO", "...", OF_EACH, players="XO", ends=[win("X", {0: "X"}), win("O", {1: "O", 2: "X"})]),
            None,
        ),
        (
            Rules(".XO", "...", X_AND_O, players="AB", ends=[win("A", {0: "X"}), win("B", {0: "X", 1: "X"})]),
            "ends with the outcomes A and B hold at once, and B counts, since the player who has just moved wins",
        ),
        (
            Rules(".XO", "...", X_AND_O, players="AB", ends=[win("A", {1: "X", 2: "X"}), win("B", {0: "X", 1: "X"})]),
            None,  # the third move completes both, and A makes it
        ),
        (
            Rules(".XO", "...", X_AND_O, players="AB", ends=[win(who, {0: "X", 1: "X"}) for who in "AB"]),
            None,
        ),
        (
            Rules(".XO", "...", X_AND_O, players="XO"),
            "in none of the 27 states that play reaches has a player won; if somebody should win, look at the ends",
        ),
        (Rules(".XO", "...", X_AND_O, players="XO", stuck="loss"), None),
    ],
)
def test_notes_on_players_and_ends(rules, told):
    notes = sides(Subject(puzzle_of(rules), 100)).notes
    assert len(notes) == (told is not None)
    assert told is None or told in notes[0]


def test_a_game_that_random_plays_never_win_has_a_note(monkeypatch):
    puts = [put(cell, mark).when({cell: "."}).by(mark).named(f"{mark}{cell}") for mark in "XO" for cell in range(8)]
    rules = Rules(".XO", "." * 8, puts, players="XO", ends=[win("X", dict.fromkeys(range(8), "X"))])
    (note,) = sides(Subject(puzzle_of(rules), 100)).notes
    assert note.startswith("in none of the first 100 states, and after none of 50 random plays, has a player won;")
    won = replace(rules, ends=[win("X", {0: "X"})])
    assert sides(Subject(puzzle_of(won), 100)).notes == ()
    # Tokens that walk for ever tell nothing about who wins.
    monkeypatch.setattr(subject, "MOST_MOVES", 5)
    walks = [swap(at, (at + 1) % 20).when({at: mark}).by(mark) for mark in "XO" for at in range(20)]
    rounds = Rules(".XO", "X" + "." * 9 + "O" + "." * 9, walks, players="XO", ends=[win("X", {0: "O", 1: "O"})])
    assert sides(Subject(puzzle_of(rounds), 30)).notes == ()


def test_a_puzzle_of_few_states_has_a_note():
    def note(cells):
        lamps = Rules("01", "0" * cells, [toggle(cell).named(f"m{cell}") for cell in range(cells)], goal="1" * cells)
        return counted.states(Subject(puzzle_of(lamps), 100)).notes

    assert note(3) == (
        "play reaches 8 states in all; if there should be more, look at the guards of the moves, or give larger "
        "parameters",
    )
    assert note(4) == ()


@pytest.mark.parametrize("name", ["quarto", "hexapawn", "mu_torere", "chomp", "breakthrough"])
def test_games_of_the_gallery_have_no_notes_on_players_and_ends(name):
    assert sides(Subject(gallery_game(name), 20)).notes == ()
