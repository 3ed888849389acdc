"""Tests of twisty: golden depths, the obvious search beside the rules, the formats, and errors with their places."""

import contextlib
import itertools
import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies

import puzzlekit
from puzzlekit import UsageError
from puzzlekit.cli.app import run
from puzzlekit.testing import check_puzzle
from puzzlekit_twisty import algs, kpuzzle, tws
from puzzlekit_twisty.definition import order_of
from puzzlekit_twisty.puzzle import kind_of

FOLDER = Path(__file__).parent / "definitions"
FILES = sorted(path.name for path in FOLDER.glob("*.*s*") if path.name != "counts.txt")


def counts():
    """The golden numbers: for each file its depths, how many states there are, and the symmetries."""
    for line in (FOLDER / "counts.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, depths, reachable, symmetries = line.split("|")
            every = None if reachable.strip() == "unknown" else int(reachable.replace(",", ""))
            yield name.strip(), [int(number) for number in depths.split(",")], every, int(symmetries)


def definition(name):
    """The definition in a file."""
    text = (FOLDER / name).read_text(encoding="utf-8")
    return (tws if name.endswith(".tws") else kpuzzle).read(text, "nameless")


def naive_depths(given, most, depth, quarter=False):
    """Counts the states of each depth, by pieces and twists, as the definition says it; stops beyond `most` states."""
    powers = []
    for made in given.moves.values():
        order = order_of(made, given.orbits)
        powers += [given.power(made, times) for times in range(1, order) if not quarter or times in (1, order - 1)]

    def moved(state, made):
        rows = []
        for (pieces, twists), part, orbit, kinds in zip(state, made, given.orbits, kinds_of, strict=True):
            came = [pieces[source] for source in part.sources]
            turned = [
                (twists[source] + twist) % kinds[piece] % orbit.turns
                for source, twist, piece in zip(part.sources, part.twists, came, strict=True)
            ]
            rows.append((tuple(came), tuple(turned)))
        return tuple(rows)

    def is_barred(state):
        return any(state[bar.orbit][0][bar.place] in bar.pieces for bar in given.barred)

    kinds_of = [dict(zip(solved.pieces, solved.kinds, strict=True)) for solved in given.solved]
    start = tuple((solved.pieces, solved.twists) for solved in given.solved)
    seen, frontier, found = {start}, [start], [1]
    while frontier and len(found) <= depth and len(seen) < most:
        fresh = {moved(state, made) for state in frontier for made in powers} - seen
        frontier = [state for state in fresh if not is_barred(state)]
        seen |= set(frontier)
        found.append(len(frontier))
    return found if frontier else found[:-1]


@pytest.mark.parametrize(("name", "depths", "reachable", "symmetries"), list(counts()), ids=FILES)
def test_golden_depths(name, depths, reachable, symmetries):
    puzzle = puzzlekit.load(str(FOLDER / name))
    report = puzzle.enumerate(max_depth=len(depths) - 1)
    assert [depth.raw_states for depth in report.depths] == depths
    assert puzzle.count_reachable() == reachable
    assert puzzle.engine.symmetry_order == symmetries
    if report.complete and reachable is not None:
        assert sum(depths) == reachable


def test_each_definition_has_golden_depths():
    assert sorted(name for name, *_ in counts()) == FILES


@pytest.mark.parametrize(
    ("name", "quarter"),
    [
        pytest.param(name, quarter, marks=[] if quarter == (at % 2 == 0) else pytest.mark.slow)
        for at, name in enumerate(FILES)
        for quarter in (False, True)
    ],
)
def test_the_rules_count_as_the_obvious_search_does(name, quarter):
    expected = naive_depths(definition(name), 1_000, 12, quarter)
    report = puzzlekit.load(f"{FOLDER / name}:quarter={str(quarter).lower()}").enumerate(max_depth=len(expected) - 1)
    assert [depth.raw_states for depth in report.depths] == expected


def test_symmetries_change_no_count():
    for name, *_ in counts():
        puzzle = puzzlekit.load(str(FOLDER / name))
        if puzzle.engine.symmetry_order > 1:
            reports = [puzzle.enumerate(max_depth=3, symmetry=symmetry) for symmetry in (True, False)]
            assert len({tuple(depth.raw_states for depth in report.depths) for report in reports}) == 1
            assert reports[0].states < reports[1].states


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name == "megaminx.tws" else ()) for name in FILES]
)
def test_puzzles_with_less_room_count_the_same(name, monkeypatch):
    made = definition(name)
    expected = naive_depths(made, 150, 6)
    puzzles = []
    for words in (0, 1, 2, 3):
        monkeypatch.setattr("puzzlekit_twisty.stickers.MOST_WORDS", words)
        puzzles.append(kind_of(made)())
        report = puzzles[-1].enumerate(max_depth=len(expected) - 1)
        assert [depth.raw_states for depth in report.depths] == expected
        assert puzzles[-1].count_reachable() == puzzles[0].count_reachable()
    monkeypatch.setattr("puzzlekit_twisty.stickers.MOST_WORDS", 0)
    assert puzzles[0].engine.notation.cells == len(puzzles[0].stickers.places)
    with pytest.raises(UsageError, match="too large to be written sticker by sticker; use the file itself"):
        puzzles[0].as_python()


HELD = """Name held
Set CORNERS 4 3
Set BARS 3 1
Solved
End
Move U
CORNERS
2 3 1 4
0 1 2 0
End
"""


def test_the_two_conventions_say_the_same():
    new = HELD.replace("Solved", "StartState").replace("Move U", "MoveTransformation U")
    # From 1 and at the source, to from 0 and at the target: place 1 gets piece 2, whose twist is 1.
    new = new.replace("2 3 1 4\n0 1 2 0", "1 2 0 3\n1 2 0 0")
    assert tws.read(HELD, "").moves == tws.read(new, "").moves
    (part, _) = tws.read(HELD, "").moves["U"]
    assert (part.sources, part.twists) == ((1, 2, 0, 3), (1, 2, 0, 0))


def test_what_never_changes_has_no_cell(tmp_path):
    path = tmp_path / "held.tws"
    path.write_text(HELD)
    puzzle = puzzlekit.load(str(path))
    assert puzzle.start == "ABCDEFGHI"
    assert (puzzle.id, puzzle.enumerate().states) == ("held", 3)
    assert puzzle.legal_moves(puzzle.start) == ["U", "U'"]


@pytest.mark.parametrize(("solved", "move"), [("0", "1\n0"), ("1 1 1\n? ? ?", "2 1 3\n0 1 2")])
def test_a_definition_in_which_nothing_can_change_is_refused(solved, move, tmp_path):
    path = tmp_path / "still.tws"
    count = 3 if " " in solved else 1
    path.write_text(f"Set C {count} 3\nSolved\nC\n{solved.replace('0', '1')}\nEnd\nMove A\nC\n{move}\nEnd\n")
    with pytest.raises(UsageError, match=r"^still: still has no move that changes anything; give"):
        puzzlekit.load(str(path)).enumerate()


def test_what_is_too_large_is_refused(tmp_path):
    sets = "".join(f"Set C{number} 24 1\n" for number in range(20))
    turns = "".join(f"C{number}\n{' '.join(map(str, [*range(2, 25), 1]))}\n" for number in range(20))
    path = tmp_path / "large.tws"
    path.write_text(f"{sets}Solved\nEnd\nMove U\n{turns}End\n")
    with pytest.raises(
        UsageError, match=r"^large: the 480 cells of 5 bits each do not fit a state, which has room for 384 of"
    ):
        puzzlekit.load(str(path)).enumerate()


def test_moves_can_be_chosen():
    path = FOLDER / "cube-3x3x3.tws"
    puzzle = puzzlekit.load(f"{path}:moves=U R")
    assert puzzle.count_reachable() == 73_483_200
    assert puzzle.engine.symmetry_order == 1
    assert len(puzzlekit.load(f"{path}:quarter=true").engine.move_names) == 12
    with pytest.raises(UsageError, match=r'moves of cube-3x3x3 names "X", and there is no such move; the moves are U'):
        puzzlekit.load(f"{path}:moves=U X")


def test_sequences_and_aliases():
    made = definition("rings.tws")
    assert list(made.moves) == ["L", "R", "LL"]
    assert list(made.aliases) == ["left"]
    assert list(made.rotations) == ["x"]
    assert made.moves["R"] == made.product(made.rotations["x"], made.moves["L"], made.rotations["x"])
    assert made.moves["LL"] == made.power(made.moves["L"], 2)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("R U R' U'", "[R, U]"),
        ("F R F'", "[F: R]"),
        ("R R R", "R'"),
        ("(R U)2", "R U R U"),
        ("[R, U]2", "R U R' U' R U R' U'"),
        ("(R U)'", "U' R'"),
        ("R2'", "R R"),
        ("[F: [R, U]]", "F R U R' U' F'"),
        ("R . U // a comment", "R U"),
        ("", "R R'"),
    ],
)
def test_algs(text, same):
    made = definition("cube-3x3x3.tws")
    assert algs.read_alg(made, text) == algs.read_alg(made, same)


def test_derived_moves_may_use_each_other_in_any_order():
    made = definition("turned-2x2x2.kpuzzle.json")
    free = definition("cube-2x2x2-free.tws")
    assert {made.moves[face] for face in "URF"} <= {made for name, made in free.moves.items()}
    assert made.moves["Sexy"] == made.product(
        made.moves["R"], made.moves["U"], made.inverse(made.moves["R"]), made.inverse(made.moves["U"])
    )
    assert list(made.rotations) == ["x", "y", "z", "Uv"]


TEXT = HELD.splitlines()


def changed(line, text):
    """The definition `HELD` with another line."""
    return "\n".join([*TEXT[: line - 1], text, *TEXT[line:]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (changed(2, "Set CORNERS 4"), "line 2, column 14: expected a word, and found the end of the line"),
        (
            changed(2, "Set CORNERS four 3"),
            'line 2, column 13: the size is "four"; give a whole number from 1',
        ),
        (changed(3, "Set CORNERS 4 3"), 'line 3, column 5: there are two sets "CORNERS"'),
        (changed(4, "S" * 10**6), r'line 4, column 1: expected .*, and found "S{80}\.\.\."'),
        (changed(4, "Solve"), 'line 4, column 1: expected .*Solved.*, and found "Solve"'),
        (changed(7, "CORNER"), 'line 7, column 1: there is no set "CORNER"; the sets are CORNERS, BARS'),
        (changed(8, "2 3 1"), "line 8, column 1: there are 3 numbers, and CORNERS has 4 places; give one for each"),
        (changed(8, "2 3 1 5"), "line 8, column 7: 5 is out of range; give a number from 1 to 4"),
        (changed(8, "2 3 3 4"), 'line 8, column 1: the move "U" takes a piece to two places'),
        (changed(9, "0 1 3 0"), "line 9, column 5: 3 is out of range; give a number from 0 to 2"),
        (changed(9, "0 1 ? 0"), r"line 9, column 5: a \? may stand only for how pieces of the solved state"),
        (changed(10, ""), "line 9, column 8: the text ends too early; expected "),
        (f"{HELD}Move U\nEnd\n", 'line 11, column 6: there are two moves "U"'),
        (f"{HELD}MoveSequence V U W2\n", 'line 11, column 18: there is no move "W2"; name moves that are defined'),
        (f"{HELD}MoveAlias V W\n", 'line 11, column 13: there is no move "W"'),
        (f"{HELD}Illegal CORNERS 1 1\n", "line 11, column 9: the solved state itself is illegal"),
        (f"{HELD}Illegal CORNERS 5 1\n", 'line 11, column 17: the place is "5"; give a whole number from 1 to 4'),
        (f"{HELD}Illegal CORNERS 1 7\n", "line 11, column 19: there is no piece 7 in CORNERS"),
        (f"{HELD}Solved\nEnd\n", "line 11, column 1: the solved state is given twice"),
        ("Name empty\n", "line 1, column 1: no set is defined"),
        ("Set A 2 1\nMove U\nA\n2 1\nEnd", "line 1, column 1: there is no solved state"),
        ("Set A 2 1\nSolved\nEnd", "line 1, column 1: no move is defined"),
        ("", "line 1, column 1: no set is defined"),
    ],
)
def test_errors_of_the_grammar_name_line_and_column(text, message, tmp_path):
    path = tmp_path / "wrong.tws"
    path.write_text(text)
    with pytest.raises(UsageError, match=rf"wrong\.tws, {message}"):
        puzzlekit.load(str(path))


def wrong(*path, value):
    """The text of a KPuzzle in which one value was changed."""
    data = json.loads((FOLDER / "turned-2x2x2.kpuzzle.json").read_text(encoding="utf-8"))
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return json.dumps(data, indent=1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1, column 2: this is no JSON"),
        ("[]", "line 1, column 1: this is no definition"),
        (wrong("orbits", value=[]), r"line 3, column 2: orbits is \[\]; give a list of objects"),
        (wrong("moves", value={}), "line 34, column 2: no move is defined"),
        (wrong("moves", "x", value=3), "line .*: x is 3; give an object"),
        (
            wrong("moves", "x", "CORNERS", "permutation", value=[1, 2]),
            r"line \d+, column 5: permutation is \[1, 2\]; give 8",
        ),
        (wrong("moves", "x", "CORNERS", "permutation", value=[0] * 8), '"x" takes a piece to two places'),
        (wrong("derivedMoves", "R", value="[z: V]"), 'line 109, column 3: there is no move "V"'),
        (
            wrong("derivedMoves", "R", value="[z: U"),
            'line 109, column 3: "\\[z: U" is no alg; it goes wrong at column 5',
        ),
        (wrong("derivedMoves", "R", value=3), "line 109, column 3: R is 3; give an alg"),
        (wrong("defaultPattern", "CORNERS", "orientationMod", value=[2] * 8), "orientationMod 2 does not divide 3"),
    ],
)
def test_errors_in_json_name_line_and_column(text, message, tmp_path):
    path = tmp_path / "wrong.kpuzzle.json"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"wrong\.kpuzzle\.json, line \d+, column \d+: ") as error:
        puzzlekit.load(str(path))
    assert error.match(message)


@pytest.mark.parametrize("name", FILES)
@given(data=strategies.data())
@settings(max_examples=15, deadline=None)
def test_a_file_with_a_fault_is_read_or_refused(name, data):
    text = (FOLDER / name).read_text(encoding="utf-8")
    words = re.split(r"(\s+)", text)
    for _ in range(data.draw(strategies.integers(1, 3))):
        place = data.draw(strategies.integers(0, len(words) - 1))
        other = data.draw(strategies.sampled_from(["", "?", "0", "3", "9" * 5000, "End", "U", "\n", "{", *words]))
        words[place] = other
    with contextlib.suppress(UsageError):
        kind = kind_of((tws if name.endswith(".tws") else kpuzzle).read("".join(words), "nameless"))
        assert kind().rules().cells > 0


def test_a_move_that_changes_nothing_is_called_so():
    moves = {"A": {"S": {"permutation": [0, 1], "orientationDelta": [0, 0]}}}
    orbits = [{"orbitName": "S", "numPieces": 2, "numOrientations": 1}]
    pattern = {"S": {"pieces": [0, 1], "orientation": [0, 0]}}
    data = {"name": "still", "orbits": orbits, "defaultPattern": pattern, "moves": moves}
    with pytest.raises(UsageError, match='"A" changes nothing; name a move that does'):
        kpuzzle.read(json.dumps(data), "")


def test_thousands_of_brackets_are_refused():
    with pytest.raises(UsageError, match="brackets inside each other"):
        kpuzzle.read("[" * 100_000, "")
    with pytest.raises(UsageError, match="thousands of digits"):
        kpuzzle.read("9" * 5000, "")
    with pytest.raises(UsageError, match="hundreds of brackets"):
        algs.read_alg(definition("gate.tws"), "(" * 3000 + "T" + ")" * 3000)


def test_a_move_of_a_high_order_is_refused(tmp_path):
    path = tmp_path / "high.tws"
    lengths = [2, 3, 5, 7, 11, 13]
    cycles = list(itertools.accumulate(lengths, initial=0))
    line = [last if place == first + 1 else place - 1 for first, last in itertools.pairwise(cycles)
            for place in range(first + 1, last + 1)]  # fmt: skip
    numbers = " ".join(map(str, line))
    path.write_text(f"Set A {sum(lengths)} 1\nSolved\nEnd\nMove U\nA\n{numbers}\nEnd\n")
    with pytest.raises(UsageError, match=r'line 4, column 6: the move "U" changes nothing only after 30,030 times'):
        puzzlekit.load(str(path))


@pytest.mark.parametrize("name", FILES)
def test_scrambles_are_solved_and_drawn(name):
    puzzle = puzzlekit.load(str(FOLDER / name))
    scrambled = puzzle.scramble("1", moves=3)
    solved = puzzle.solve(scrambled.state, seconds=20)
    assert solved.length <= 3
    assert str(puzzle.picture(scrambled.state)).startswith("<svg ")


@pytest.mark.parametrize("name", FILES)
def test_what_is_written_in_python_has_the_same_rules(name, tmp_path, capsys):
    assert run(["import", str(FOLDER / name), "--to", str(tmp_path / "mine.py")]) == 0
    assert capsys.readouterr().out.startswith(f"{tmp_path / 'mine.py'}: ")
    text = (tmp_path / "mine.py").read_text(encoding="utf-8")
    assert max(map(len, text.splitlines())) <= 120
    mine, file = puzzlekit.load(str(tmp_path / "mine.py")), puzzlekit.load(str(FOLDER / name))
    assert mine.id == file.id
    rules, expected = mine.rules().to_data(), file.rules().to_data()
    for data in (rules, expected):
        # A symmetry has another name there, and the cells that a move writes stand in another order.
        data["symmetries"] = [symmetry["cells"] for symmetry in data["symmetries"]]
        for move in data["moves"]:
            move["then"], move["when"] = sorted(move["then"], key=str), sorted(move["when"])
    assert rules == expected
    assert mine.rules().row_lengths == file.rules().row_lengths


def test_a_file_of_python_is_not_written_over(tmp_path, capsys):
    (tmp_path / "mine.py").write_text("mine")
    assert run(["import", str(FOLDER / "gate.tws"), "--to", str(tmp_path / "mine.py")]) == 2
    assert "mine.py already; give a new one to --to" in capsys.readouterr().err
    assert run(["import", str(FOLDER / "gate.tws"), "--to", "mine.txt"]) == 2
    assert run(["import", str(tmp_path / "mine.py")]) == 2
    assert "is a file of Python already" in capsys.readouterr().err
    assert run(["import", "tictactoe"]) == 2
    assert "give a path that ends with .def.json or .kpuzzle.json or .tws" in capsys.readouterr().err
    assert run(["import", str(FOLDER / "gate.tws"), "--json"]) == 0
    assert "class Gate(Puzzle)" in json.loads(capsys.readouterr().out)["python"]


def test_a_puzzle_from_a_file_conforms():
    check_puzzle(puzzlekit.load(str(FOLDER / "gate.tws")), states=50)
