"""Scrambles: the same seed always gives the same state, all states are equally likely, and no scramble is solved."""

import datetime
import hashlib
import json
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial

import pytest

import puzzlekit
from puzzlekit import (
    Copy,
    Grid,
    LimitError,
    Move,
    PluginError,
    Progress,
    Puzzle,
    Random,
    Rules,
    ScrambleReport,
    UsageError,
    put,
    toggle,
)
from puzzlekit.cli.scramble import describe
from puzzlekit.puzzle.evenness import beyond
from puzzlekit.run.engine import Engine
from puzzlekit.testing import check_puzzle
from tests import boards, gallery
from tests.support import RunOptions


def test_the_generator_is_the_documented_one():
    def stream(seed):
        counter = 0
        while True:
            data = counter.to_bytes(8, "little") + seed.encode()
            block = hashlib.blake2b(data, digest_size=64, person=b"puzzlekit-rand-1").digest()
            yield from (int.from_bytes(block[at : at + 8], "little") for at in range(0, 64, 8))
            counter += 1

    for seed in ("", "a seed", "ünï"):
        ours, expected = Random(seed), stream(seed)
        for bound in (1, 2, 6, 1000, 2**63 + 1, 2**64 - 1) * 4:
            number = next(expected)
            while number >= 2**64 - 2**64 % bound:
                number = next(expected)
            assert ours.below(bound) == number % bound


def test_the_generator_refuses_no_choice():
    with pytest.raises(UsageError, match="no number is below 0"):
        Random("x").below(0)


GOLDEN = {
    ("slide:2,3", "7", None): "401/532",
    ("slide:2,3", "7", 10): "035/214",
    ("turn:2,3", "7", None): "ECA/DFB",
    ("lights:3,3", "7", None): "111/110/011",
    ("lights:2,3,3", "7", None): "002/002",
    ("dials", "7", None): "bef",
    ("pegs", "7", None): "..o./ooo./o..o/o.oo",
    ("chase", "7", None): "..WB.:B",
}


@pytest.mark.parametrize("case", GOLDEN)
def test_scrambles_are_the_same_for_ever(case):
    name, seed, moves = case
    assert Engine(boards.ALL[name]).scramble(name, seed, moves).state == GOLDEN[case]


@pytest.mark.parametrize(("size", "state"), [(3, "0101#1001"), (5, "011001000100#000110110111")])
def test_scrambles_of_lamps_around_a_wall_are_the_same_for_ever(size, state):
    grid, middle = Grid(size, size), size * size // 2
    lamps = [cell for cell in grid if cell != middle]
    flip = {cell: Copy(cell, map={"0": "1", "1": "0"}) for cell in lamps}
    moves = [Move({at: flip[at] for at in (cell, *grid.neighbours(cell)) if at in flip}) for cell in lamps]
    start = "".join("#" if cell == middle else "0" for cell in grid)
    scrambled = Engine(Rules("01#", start, moves, goal=start)).scramble("walled", "7", None)
    assert (scrambled.state, scrambled.method) == (state, "each reachable state equally likely")


@pytest.mark.parametrize("name", boards.ALL)
def test_scrambles_are_open_and_walks_can_be_replayed(name):
    engine = Engine(boards.ALL[name])
    for seed in range(30):
        for moves in (None, 1, 5):
            if name == "turn:2,2" and moves == 1:
                continue
            scrambled = engine.scramble(name, str(seed), moves)
            assert engine.outcome(scrambled.state) is None
            assert not engine.is_solved(scrambled.state)
            if moves is not None:
                assert len(scrambled.moves) == moves
                state = engine.start
                for move in scrambled.moves:
                    state = engine.apply(state, move)
                assert state == scrambled.state


def test_walks_do_not_undo_their_last_move():
    engine = Engine(boards.slide(2, 3))
    for seed in range(50):
        states = [engine.start]
        for move in engine.scramble("slide", str(seed), 15).moves:
            states.append(engine.apply(states[-1], move))
        assert all(before != after for before, after in zip(states, states[2:], strict=False))


@pytest.mark.parametrize("moves", [-1, 0, 10**6 + 1, True, 1.5])
def test_a_number_of_moves_has_one_range(moves):
    for scramble in (Slide().scramble, partial(Slide().scramble, scrambler=refuse)):
        with pytest.raises(UsageError, match=f"^moves is {moves}; give a whole number from 1 to 1000000$"):
            scramble("x", moves=moves)


@pytest.mark.parametrize("name", ["colours:2,4", "pegs", "chase", "hanoi:4", "topspin"])
def test_later_scrambles_of_an_engine_are_those_of_a_new_one(name):
    """An engine gathers all states for its first scramble, and keeps them."""
    rules = gallery.load("topspin").rules() if name == "topspin" else boards.ALL[name]
    one = Engine(rules)
    for seed in ("a", "b", "c"):
        assert one.scramble("id", seed, None) == Engine(rules).scramble("id", seed, None)


def test_a_number_of_moves_that_always_ends_solved():
    engine = Engine(boards.turn(2, 2))
    with pytest.raises(UsageError, match="no walk of 4 moves that was tried"):
        engine.scramble("turn", "x", 4)


@pytest.mark.parametrize(
    ("name", "each"),
    [("slide:2,3", 4), pytest.param("slide:2,3", 20, marks=pytest.mark.slow), ("turn:2,2", 20), ("lights:2,2", 20)],
)
def test_scrambles_are_even(name, each):
    rules = boards.lights(2, 2) if name == "lights:2,2" else boards.ALL[name]
    engine = Engine(rules)
    states = engine.enumerate(name, RunOptions(symmetry=False, threads=1)).states
    draws = each * (states - 1)
    counts = Counter(engine.scramble(name, str(seed), None).state for seed in range(draws))
    # All states except the solved one: with four draws for each, some 7 of 359 are never drawn.
    assert len(counts) == states - 1 if each == 20 else len(counts) > 0.9 * states
    assert Engine(rules).start.replace("/", "") not in {state.replace("/", "") for state in counts}
    # The sum of squares is distributed as chi squared: its mean is states - 2. The limit is six standard deviations
    # higher.
    chi_squared = sum((count - each) ** 2 / each for count in counts.values()) + each * (states - 1 - len(counts))
    assert chi_squared < states - 2 + 6 * (2 * (states - 2)) ** 0.5 + 10


def test_both_parities_come_where_every_move_changes_the_parity():
    """Each slide changes the parity. Walks have even and odd lengths, so states of both parities are drawn."""
    engine = puzzlekit.load("slider:3,4").engine
    reports = [engine.scramble("slider:3,4", str(seed), None) for seed in range(60)]
    assert {report.method for report in reports} == {"random moves"}
    blanks = [divmod(report.state.replace("/", "").index("0"), 4) for report in reports]
    black = sum((row + column) % 2 for row, column in blanks)
    assert 15 < black < 45


def test_pieces_that_twist_come_evenly():
    """Moves permute three pieces and twist them in three ways. All states are drawn with the same probability."""
    turned = {"a": "b", "b": "c", "c": "a", "d": "e", "e": "f", "f": "d", "g": "h", "h": "i", "i": "g"}
    moves = [
        Move(then={0: Copy(1, turned), 1: Copy(0)}).named("s"),
        Move(then={0: Copy(1), 1: Copy(2, turned), 2: Copy(0)}).named("t"),
    ]
    engine = Engine(Rules(symbols="abcdefghi", start="adg", goal="adg", moves=moves))
    states = engine.enumerate("pieces", RunOptions(symmetry=False, threads=1)).states
    assert engine.group_order == states
    reports = [engine.scramble("pieces", str(seed), None) for seed in range(20 * states)]
    assert {report.method for report in reports} == {"each reachable state equally likely"}
    counts = Counter(report.state for report in reports)
    assert len(counts) == states - 1  # all states except the solved one
    assert max(counts.values()) < 50


def test_states_that_cannot_be_solved_do_not_come():
    """Moves cannot be undone. Of the states that play reaches, those that can be solved are equally likely."""
    engine = Engine(replace(boards.pegs(), start="o.oo" + "." * 12, symmetries=()))
    report = engine.values("pegs", RunOptions(symmetry=False))
    # All solvable states are drawn, except the goal: it is solved, and no other solvable state is without a move.
    wanted = sum(depth.raw_states["solvable"] for depth in report.depths) - report.distances[0].states["solvable"]
    assert 1 <= wanted < report.states
    seen = Counter(engine.scramble("pegs", f"{seed}", None).state for seed in range(60))
    assert len(seen) == wanted
    lost = Engine(boards.pegs())
    assert lost.scramble("pegs", "7", None).method == "each reachable state equally likely, none of which can be solved"


def test_that_no_state_can_be_solved_is_told_of_toggles_too():
    """Toggles are drawn by their structure, and each can be undone."""
    rules = Rules("ab", "aaa", [toggle(0, 1), toggle(1, 2)], goal=["aab"])
    lost = "each reachable state equally likely, none of which can be solved"
    assert Engine(rules).scramble("p", "x", None).method == lost
    solvable = replace(rules, start="aab", goal=["baa"])
    assert Engine(solvable).scramble("p", "x", None).method == "each reachable state equally likely"


def test_states_that_are_all_solved_are_told():
    rules = Rules(symbols="ab", start="a", goal=[{0: {"a", "b"}}], moves=[toggle(0)])
    with pytest.raises(UsageError, match="every state that play reaches is solved or over"):
        Engine(rules).scramble("p", "x", None)
    rules = Rules(symbols="ab", start="a", goal=["b"], moves=[put(0, "b").when({0: "a"})])
    assert Engine(rules).scramble("p", "x", None).state == "a"


def test_the_command(command):
    first = command("scramble", "tictactoe", "--seed", "7")
    assert first.code == 0
    assert first.err == 'puzzlekit: seed "7": each reachable state equally likely\n'
    data = json.loads(command("scramble", "tictactoe", "--seed", "7", "--json").out)
    assert data == {
        "schema": "puzzlekit.scramble/1",
        "puzzle": "tictactoe",
        "state": first.out.strip(),
        "seed": "7",
        "moves": None,
    }
    walked = json.loads(command("scramble", "tictactoe", "--seed", "7", "--moves", "3", "--json").out)
    game = puzzlekit.load("tictactoe")
    state = game.start
    for move in walked["moves"]:
        state = game.apply(state, move)
    assert state == walked["state"]
    # Without a seed, a random one is chosen. The report has this seed, which makes the same scramble again.
    fresh = json.loads(command("scramble", "tictactoe", "--json").out)
    assert game.scramble(fresh["seed"]).state == fresh["state"]


def test_the_daily_state(command):
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    by_date = command("scramble", "tictactoe", "--daily", "2026-01-31", "--json")
    assert json.loads(by_date.out)["seed"] == "daily 2026-01-31"
    for arguments in (("--daily", "--json"), ("--json", "--daily")):
        data = json.loads(command("scramble", "tictactoe", *arguments).out)
        assert data["seed"] >= f"daily {today}"  # a later date if midnight has passed since `today` was read
    states = {puzzlekit.load("tictactoe:4,4,4").scramble(f"daily 2026-01-{day:02}").state for day in range(1, 32)}
    assert len(states) > 25


def test_a_day_may_be_a_date():
    game = puzzlekit.load("tictactoe")
    assert game.daily(datetime.date(2026, 1, 31)) == game.daily("2026-01-31")
    with pytest.raises(UsageError, match='"2026-01-31 00:00:00" is no date; give one as YYYY-MM-DD'):
        game.daily(datetime.datetime(2026, 1, 31))


@dataclass(frozen=True)
class Bits(Puzzle):
    """Four lights. Their states are numbered."""

    id = "bits"

    def rules(self):
        moves = [toggle(cell).named("abcd"[cell]) for cell in range(4)]
        return Rules(symbols="01", start="0000", goal="0000", moves=moves)

    def number(self, state):
        return int(self.read(state), 2)

    def numbered(self, number):
        return ScrambleReport(str(self), f"{number:04b}", f"number {number}", None, "the state of a number", number)


def test_a_scramble_has_the_number_of_its_state():
    puzzle = Bits()
    for scrambled in (puzzle.scramble("7"), puzzle.scramble("7", moves=3), puzzle.daily("2026-01-31")):
        assert scrambled.number == int(scrambled.state, 2)
        assert scrambled.to_data()["number"] == str(scrambled.number)
        assert puzzle.numbered(scrambled.number).state == scrambled.state
    check_puzzle(puzzle)
    unnumbered = puzzlekit.load("tictactoe")
    assert unnumbered.number(unnumbered.start) is None
    assert unnumbered.scramble("7").number is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--daily", "2026-02-30"), '"2026-02-30" is no date; give one as YYYY-MM-DD'),
        (("--daily", "20260101"), '"20260101" is no date'),
        (("--daily", "--seed", "3"), "--daily and --seed are given together; give one of them"),
        (("--number", "3", "--moves", "3"), "--number and --moves are given together"),
        (("--number", "3"), "tictactoe does not number its states"),
        (("--moves", "-1"), "--moves is -1; give a whole number from 1 to 1000000"),
        (("--moves", "0"), "--moves is 0; give a whole number from 1 to 1000000"),
        (("--moves", "x"), "--moves is 'x'; give a whole number"),
    ],
)
def test_what_the_command_refuses(command, arguments, message):
    result = command("scramble", "tictactoe", *arguments)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert result.err.count("\n") == 1


def test_a_scramble_is_solved_through_a_pipe(command):
    scrambled = command("scramble", "tictactoe", "--seed", "7", "--json").out
    solved = json.loads(command("solve", "tictactoe", "-", "--json", given=scrambled).out)
    assert solved["state"] == json.loads(scrambled)["state"]
    plain = json.loads(command("solve", "tictactoe", "-", "--json", given=f" {solved['state']}\n").out)
    assert plain["moves"] == solved["moves"]
    other = command("solve", "tictactoe:4,4,4", "-", given=scrambled)
    assert other.code == 2
    assert 'the state on stdin is one of "tictactoe", not of "tictactoe:rows=4,columns=4,win=4"' in other.err
    broken = command("solve", "tictactoe", "-", given='{"state"')
    assert broken.code == 2
    assert "the JSON on stdin holds no state" in broken.err


def slide_by(scrambler, **options):
    """The result of a scrambler for a small puzzle of slides."""
    return Slide().scramble("7", scrambler=scrambler, **options)


@dataclass(frozen=True)
class Slide(Puzzle):
    """Tiles that slide on two rows of two."""

    id = "slide"

    def rules(self):
        return boards.slide(2, 2)


def test_a_scrambler_returns_moves_or_a_state_or_a_report():
    def moves(puzzle, _random):
        yield puzzle.legal_moves(puzzle.start)[0]

    def state(_puzzle, _random):
        return "10/23"

    def report(_puzzle, random, *, seed, moves):
        return ScrambleReport("another", "10 23", "mine", None, f"{moves} {seed} {random.below(10**6)}")

    found = slide_by(moves)
    assert (found.state, found.moves, found.scrambler) == ("10/23", ("right",), "moves")
    found = slide_by(state)
    assert (found.state, found.moves, found.seed, found.method) == ("10/23", None, "7", "the scrambler state")
    found = slide_by(report, moves=5)
    assert (found.puzzle, found.state, found.seed) == ("slide", "10/23", "7")
    assert found.method == f"5 7 {Random('slide/7').below(10**6)}"
    assert found.to_data()["scrambler"] == "report"
    assert "scrambler" not in Slide().scramble("7").to_data()


def refuse(_puzzle, _random):
    raise UsageError("the board is too small; take a larger one")


def on_and_on(_puzzle, _random):
    while True:
        yield from ("right", "left")


@pytest.mark.parametrize(
    ("scrambler", "error", "message"),
    [
        (lambda *_: "02/13", PluginError, "gives 02/13, which play does not reach; report it"),
        (lambda *_: "01/23", PluginError, "gives 01/23, which is solved; report it"),
        (lambda *_: [], PluginError, "gives 01/23, which is solved; report it"),
        (lambda *_: "01/2", PluginError, "failed on the seed 7: .*; report it"),
        (lambda *_: ["up"], PluginError, 'failed on the seed 7: the move "up" cannot be made in 01/23'),
        (lambda *_: 1 / 0, PluginError, "failed on the seed 7 with ZeroDivisionError: division by zero"),
        (lambda *_: 7, PluginError, "failed on the seed 7 with TypeError"),
        (lambda _puzzle: "", PluginError, r"takes \(_puzzle\); let it take the puzzle and the random numbers"),
        (refuse, UsageError, "the board is too small; take a larger one"),
        (on_and_on, PluginError, "the scrambler on_and_on makes more than 1,000,000 moves; let it end"),
    ],
)
def test_scrambles_of_a_scrambler_are_checked(scrambler, error, message):
    with pytest.raises(error, match=message):
        slide_by(scrambler)


@dataclass(frozen=True)
class Frogs(Puzzle):
    """Frogs that only hop onwards: play does not go back, and there is no perfect index."""

    id = "frogs_of_a_row"

    def rules(self):
        moves = []
        for at in range(7):
            for far in (1, 2):
                if at + far < 7:
                    over = {at + 1: "T"} if far == 2 else {}
                    moves.append(Move({at: ".", at + far: "F"}).when({at: "F", at + far: "."} | over))
                    over = {at + 1: "F"} if far == 2 else {}
                    moves.append(Move({at + far: ".", at: "T"}).when({at: ".", at + far: "T"} | over))
        return Rules(".FT", "FFF.TTT", moves, goal="TTT.FFF")


@dataclass(frozen=True)
class FrogsForTwo(Frogs):
    """The same for two players, of whom the first begins."""

    id = "frogs_for_two"

    def rules(self):
        alone = super().rules()
        moves = [move.by("F" if "F" in dict(move.writes).values() else "T") for move in alone.moves]
        return replace(alone, moves=moves, goal=(), players="FT")


@pytest.mark.parametrize("puzzle", [Frogs(), FrogsForTwo()], ids=str)
def test_a_state_of_a_scrambler_that_a_short_search_does_not_find_is_refused(puzzle):
    mover, other = (":F", ":T") if puzzle.engine.is_game else ("", "")
    right, wrong = f"FF.FTTT{other}", f"TTTFFF.{mover}"
    assert puzzle.scramble("7", scrambler=lambda *_: right).state == right
    with pytest.raises(PluginError, match="which play does not reach"):
        puzzle.scramble("7", scrambler=lambda *_: wrong)


@dataclass(frozen=True)
class Dials(Puzzle):
    """Dials of three symbols in a row: a move advances one and puts the next one back, so their sum stays."""

    id = "dials_in_a_row"

    def rules(self):
        on, back = dict(zip("012", "120", strict=True)), dict(zip("012", "201", strict=True))
        moves = [Move({at: Copy(at, on), at + 1: Copy(at + 1, back)}) for at in range(39)]
        return Rules("012", "0" * 40, moves, goal="0" * 40)


def test_a_state_of_dials_that_no_moves_reach_is_no_scramble():
    assert Dials().scramble("7", scrambler=lambda *_: "2010" + "0" * 36).state.startswith("201")
    with pytest.raises(PluginError, match="which play does not reach"):
        Dials().scramble("7", scrambler=lambda *_: "1" + "0" * 39)


def test_options_of_a_scrambler_are_checked():
    with pytest.raises(UsageError, match="moves is 0; give a whole number from 1 to 1000000"):
        slide_by(lambda *_, moves: [], moves=0)  # noqa: ARG005 - as every scrambler's
    with pytest.raises(UsageError, match="the seed is 7; give a text"):
        Slide().scramble(7, scrambler=refuse)
    with pytest.raises(UsageError, match="chooses itself how many moves it makes"):
        slide_by(refuse, moves=3)


def test_a_state_that_the_puzzle_knows_to_be_unsolvable_is_no_scramble():
    @dataclass(frozen=True)
    class Wide(Slide):
        """A board without a perfect index."""

        def rules(self):
            return boards.slide(5, 5)

        def why_unsolvable(self, state):
            return "its parity is odd" if state.startswith("0,2") else None

    rest = ",".join(map(str, range(3, 25)))
    with pytest.raises(PluginError, match=r"gives 0,2,1,.*, which play does not reach"):
        Wide().scramble("7", scrambler=lambda *_: f"0,2,1,{rest}")


def test_the_engines_own_scrambler_is_there_for_every_puzzle():
    puzzle = Slide()
    found = puzzlekit.scramblers(puzzle)
    assert list(found) == ["random"]
    assert puzzle.scramble("7", scrambler=found["random"]).state == puzzle.scramble("7").state
    walked = puzzle.scramble("7", scrambler=found["random"], moves=3)
    assert (walked.moves, walked.scrambler) == (puzzle.scramble("7", moves=3).moves, "random")


@pytest.mark.parametrize(
    ("name", "needs"),
    [
        ("slider:2,3", 21),
        ("slider:2,3", 7),
        ("flipit", 3),
        pytest.param("rotation", 15, marks=pytest.mark.slow),
    ],
)
def test_states_that_need_so_many_moves_are_drawn_evenly(name, needs):
    puzzle = puzzlekit.load(name)
    found = puzzlekit.transitions(puzzle)
    among = set(found.texts((found.fewest == needs).nonzero()[0]))
    drawn = Counter()
    for seed in range(12):
        report = puzzlekit.scramble_needing(puzzle, needs, str(seed))
        assert (report.needs, "equally likely" in report.method) == (needs, True)
        drawn[report.state] += 1
    assert set(drawn) <= among
    assert len(drawn) > min(len(among), 12) / 2
    assert puzzlekit.scramble_needing(puzzle, needs, "7").state == puzzlekit.scramble_needing(puzzle, needs, "7").state


def test_in_a_large_puzzle_they_are_found_by_a_search(command):
    puzzle = puzzlekit.load("slider:4,4")
    for needs in (1, 9, 14):
        report = puzzlekit.scramble_needing(puzzle, needs, "tea")
        assert puzzle.solve(report.state).length == needs
        assert report.method == "found by a search: not all such states are equally likely"
        assert report.state == puzzlekit.scramble_needing(puzzle, needs, "tea").state
    done = command("scramble", "slider:4,4", "--needs", "9", "--seed", "tea")
    assert "not all such states are equally likely" in done.err
    with pytest.raises(LimitError, match="needs 70 moves was found within 1 s; give more seconds, or fewer moves"):
        puzzlekit.scramble_needing(puzzle, 70, "tea", seconds=1)
    with pytest.raises(
        LimitError, match=r"^stopped before a state of .* that needs 70 moves was found; nothing is drawn"
    ):
        puzzlekit.scramble_needing(puzzle, 70, "tea", watch=lambda _: True)


def test_states_that_cannot_be_had(command):
    with pytest.raises(UsageError, match="no state of rotation needs 16 moves; the most that one needs is 15"):
        puzzlekit.scramble_needing(puzzlekit.load("rotation"), 16)
    with pytest.raises(UsageError, match="tictactoe is a game of two, in which no state needs a number of moves"):
        puzzlekit.scramble_needing(puzzlekit.load("tictactoe"), 3)
    with pytest.raises(UsageError, match="give a whole number from 1"):
        puzzlekit.scramble_needing(puzzlekit.load("rotation"), 0)
    done = command("scramble", "rotation", "--needs", "3", "--moves", "4")
    assert (done.code, "--needs and --moves are given together" in done.err) == (2, True)
    data = json.loads(command("scramble", "rotation", "--needs", "15", "--json").out)
    assert (data["needs"], data["state"]) == (15, "721/456/983")


@pytest.mark.parametrize("name", ["slider:2,3", pytest.param("rotate:2,3", marks=pytest.mark.slow), "river"])
def test_scrambles_are_fair(name):
    report = puzzlekit.evenness(puzzlekit.load(name))
    assert report.even
    assert report.draws == 20 * report.parts
    assert report == puzzlekit.evenness(puzzlekit.load(name))


@dataclass(frozen=True)
class Uneven(Puzzle):
    """A puzzle whose own scrambles prefer some states, or are none."""

    id = "uneven"
    none: bool = False

    def rules(self):
        return boards.ALL["turn:2,3"]

    def scramble(self, seed=None, *, moves=None):
        drawn = puzzlekit.Puzzle.scramble(self, seed, moves=moves)
        if self.none:
            return replace(drawn, state=self.start)
        return puzzlekit.Puzzle.scramble(self, f"{seed}/", moves=2) if drawn.state < "B" else drawn


def test_scrambles_that_are_not_fair_are_noticed(command):
    report = puzzlekit.evenness(Uneven())
    assert (report.even, report.outside) == (False, 0)
    assert report.probability < 1e-6
    assert not puzzlekit.evenness(puzzlekit.load("flipit:3,3")).even  # it draws the number of presses first
    assert puzzlekit.evenness(Uneven(none=True), 50).outside == 50
    assert not puzzlekit.evenness(Uneven(none=True), 50).even
    done = command("scramble", "slider:2,3", "--check", "--json", "--seed", "other")
    assert (done.code, json.loads(done.out)["even"]) == (0, True)
    with pytest.raises(UsageError, match="has more than 4,000,000 states, too many"):
        puzzlekit.evenness(puzzlekit.load("slider:4,4"))


def test_chi_square_is_that_of_tables():
    """Critical values as printed in tables, such as that of the NIST handbook of statistics, 1.3.6.7.4."""
    for freedom, value in ((1, 3.841), (2, 5.991), (3, 7.815), (10, 18.307), (25, 37.652), (100, 124.342)):
        assert beyond(value, freedom) == pytest.approx(0.05, abs=1e-4)
    for freedom, value in ((1, 10.828), (10, 29.588), (99, 148.230)):
        assert beyond(value, freedom) == pytest.approx(0.001, abs=2e-6)


def _listing(name):
    """The progress of the list of states, after the count."""
    seen = []

    def watch(progress):
        seen.append(progress)
        return progress.frontier == 362_879

    with pytest.raises(LimitError, match="before all states were counted"):
        puzzlekit.evenness(puzzlekit.load(name), watch=watch)
    return seen


def test_the_test_of_scrambles_tells_how_far_it_is_and_ends_in_time(command):
    seen = []
    states = puzzlekit.evenness(puzzlekit.load("slider:2,4"), watch=seen.append).states
    assert {(each.states, each.frontier) for each in seen} >= {(0, 20_000)}
    assert {(each.states, each.frontier) for each in _listing("rotation")} >= {(362_880, 362_879)}
    assert states == 20_159
    assert describe(Progress(frontier=7180, expanded=1795), 3.0) == "1,795 of 7,180 scrambles made, 0:09 left"
    assert describe(Progress(states=360, frontier=359), 0.0) == "0 of 359 states listed"
    with pytest.raises(LimitError, match="before all states were counted; give more than 1e-09 seconds"):
        puzzlekit.evenness(puzzlekit.load("slider:2,4"), seconds=1e-9)
    done = command("scramble", "slider:2,4", "--check", "--seconds", "0.001")
    assert (done.code, "give more than 0.001 seconds" in done.err) == (3, True)
    done = command("scramble", "slider:2,3", "--seconds", "3")
    assert (done.code, "--seconds is for --needs and --check" in done.err) == (2, True)

    def enough(progress):
        return progress.frontier == 7180 and progress.expanded >= 5 * 359

    part = puzzlekit.evenness(puzzlekit.load("slider:2,3"), watch=enough)
    assert (part.complete, part.even) == (False, True)
    assert 5 * 359 <= part.draws < 7180
    with pytest.raises(LimitError, match="too few for 1,000 parts"):
        puzzlekit.evenness(puzzlekit.load("slider:2,4"), watch=lambda progress: progress.frontier == 20_000)


def test_a_search_for_a_state_that_needs_moves_is_watched():
    with pytest.raises(LimitError, match="stopped before the states of slider:rows=2,columns=5 were counted"):
        puzzlekit.scramble_needing(puzzlekit.load("slider:2,5"), 9, "tea", watch=lambda _: True)
    with pytest.raises(LimitError, match="not all states of slider:rows=2,columns=5 were counted within 1e-09 s"):
        puzzlekit.scramble_needing(puzzlekit.load("slider:2,5"), 9, "tea", seconds=1e-9)
    assert puzzlekit.scramble_needing(puzzlekit.load("slider:2,3"), 9, "tea").needs == 9
