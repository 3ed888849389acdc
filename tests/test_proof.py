"""Proofs of jobs: sound jobs are proven, and every forged number and every forged folder is found."""

import functools
import json
import random
import shutil
import struct
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import puzzlekit
from puzzlekit import Copy, CorruptError, JobError, Move, Puzzle, Rules, Score, Symmetry, cycle, jobs, over, put
from puzzlekit.jobs import proving
from puzzlekit.proof.claims import UnprovenError, WrongError
from puzzlekit.proof.player import Player
from puzzlekit.proof.prove import prove
from tests import boards
from tests.naive import Naive
from tests.profiles import cases
from tests.support import puzzle_of
from tests.test_jobs import resealed
from tests.test_oracle import layered_rules, lively_rules, random_rules, reversible_rules, symmetrised
from tests.worth import games_for_points, games_with_cycles, with_goal

GALLERY = ["hexapawn", "nim", "chomp", "river", "hanoi", "frogs", "domineering:3,3", "hex:2", "mu_torere"]


def quick(rules, run, claims):
    """The quick program, given claims as the plain one is."""
    symbols, again = len(rules["symbols"]), any(move.get("again") for move in rules["moves"])
    cells = len(rules["start"]) + again
    bits = max(1, (symbols - 1).bit_length())
    # A state of more than 16 bytes is a row of numbers of 8 bytes, each with as many whole cells as fit.
    narrow, each = bits * cells <= 128, 64 // bits
    width = max(8, -(-bits * cells // 8)) if narrow else 8 * -(-cells // each)
    outcomes = list(dict.fromkeys(claim.outcome for claim in claims if claim.outcome is not None))
    words = ("win", "draw", "loss") if len(rules["players"]) == 2 else ("solvable", "unsolvable")

    def packed(claim):
        held = [*claim.cells, claim.player] if again else [*claim.cells]
        if not narrow:
            held += [0] * (-cells % each)
            return b"".join(number(held[at : at + each]).to_bytes(8, "big") for at in range(0, len(held), each))
        return struct.pack("Q", number(held)) if width == 8 else number(held).to_bytes(width, "big")

    def number(held):
        return functools.reduce(lambda found, code: found << bits | code, held, 0)

    def column(form, numbers):
        return struct.pack(f"{len(claims)}{form}", *numbers)

    valued = any(claim.value is not None for claim in claims)
    batch = SimpleNamespace(
        states=b"".join(map(packed, claims)),
        state_bytes=width,
        depths=column("I", (claim.depth for claim in claims)),
        orbit_sizes=column("I", (claim.orbit_size for claim in claims)),
        outcomes=column("h", (-1 if claim.outcome is None else outcomes.index(claim.outcome) for claim in claims)),
        values=column("h", (words.index(claim.value) if claim.value else -1 for claim in claims)) if valued else None,
        distances=column("i", (-1 if claim.distance is None else claim.distance for claim in claims)),
        scores=column("i", (claim.score for claim in claims)) if rules.get("score") and valued else None,
    )
    batches = iter([batch, None])
    table = SimpleNamespace(stream=lambda: SimpleNamespace(buffers=lambda: next(batches)))
    return proving.quickly(rules, run, outcomes, table, None)


def test_the_plain_program_stays_short_and_alone():
    """Who doubts a count reads it: one file derives the claims, over one that plays the rules."""
    folder = Path(prove.__code__.co_filename).parent
    lines = {path.name: path.read_text(encoding="utf-8").splitlines() for path in folder.glob("*.py")}
    assert len(lines["prove.py"]) <= 300
    assert len(lines["prove.py"]) + len(lines["player.py"]) <= 490
    imported = {line.split()[1] for each in lines.values() for line in each if "import puzzlekit" in line
                or "from puzzlekit" in line}  # fmt: skip
    assert imported == {"puzzlekit.proof.claims", "puzzlekit.proof.player"}


PROGRAMS = pytest.mark.parametrize("program", [prove, quick], ids=["plain", "quick"])
"""The two programs, given the same claims."""


def both(job):
    """What both programs have proven of a job, which is the same."""
    proof = job.prove(plain=True)
    assert job.prove() == proof
    return proof


def job_of(puzzle, folder, kind="enumerate", **options):
    getattr(puzzle, kind)(out=folder, **options)
    return jobs.Job(folder, lambda _: puzzle)


@pytest.mark.parametrize(("at", "name"), boards.quickly(enumerate(sorted(boards.ALL))))
def test_the_jobs_of_small_boards_are_proven(at, name, tmp_path):
    symmetry = at % 2 == 0  # of the count; the values have none then, and the other way round
    puzzle = puzzle_of(boards.ALL[name])
    report = puzzle.enumerate(out=tmp_path / "count", symmetry=symmetry)
    proof = both(jobs.Job(tmp_path / "count", lambda _: puzzle))
    assert (proof.states, proof.raw_states) == (report.states, report.raw_states)
    if puzzle.engine.is_game or puzzle.engine.has_goal:
        job = job_of(puzzle, tmp_path / "values", "values", symmetry=not symmetry)
        wanted = puzzle.enumerate(symmetry=not symmetry).states
        assert both(job).values == (0 if job.backward else wanted)


@pytest.mark.parametrize("name", GALLERY)
def test_the_jobs_of_the_gallery_are_proven(name, tmp_path):
    puzzle = puzzlekit.load(name)
    job = job_of(puzzle, tmp_path / "values", "values")
    assert both(job).states == sum(depth["states"] for depth in job.status()["depths"])


def wide_rules(bits, cells, varying):
    """Rules of cells of `bits` bits. Three cells move; `varying` says whether all others change, too, or none does."""
    symbols = [chr(0x100 + code) for code in range(2 ** (bits - 1) + 1)]
    start = [symbols[-1 - cell % len(symbols)] for cell in range(cells)]
    start[0], start[cells // 2], start[-1] = symbols[:3]
    moves = [cycle(0, cells // 2, cells - 1).named("round")]
    if varying:
        following = dict(zip(symbols, [*symbols[1:], symbols[0]], strict=True))
        moves.append(Move({cell: Copy(cell, map=following) for cell in range(cells)}).named("next"))
    return Rules(symbols, start, moves)


@pytest.mark.parametrize("bits", range(2, 8))
def test_wide_states_are_proven(bits, tmp_path):
    """Jobs of states of 129 to 2,048 bits, whose cells may leave bits of each 64 unused."""
    each = 64 // bits
    for at, (cells, varying) in enumerate(
        [(128 // bits + 1, True), (4 * each, False), (4 * each + 1, True), (32 * each, False)]
    ):
        job = job_of(puzzle_of(wide_rules(bits, cells, varying)), tmp_path / str(at), max_depth=3)
        states = sum(depth["states"] for depth in job.status()["depths"])
        assert states > 7 if varying else states == 3
        assert both(job).states == states
    rules, run, claims = claims_of(job)
    for cell in (0, each - 1, each, cells - 1):
        other = bytearray(claims[1].cells)
        other[cell] = (other[cell] + 1) % len(rules["symbols"])
        changed = [claims[0], replace(claims[1], cells=bytes(other)), *claims[2:]]
        for program in (prove, quick):
            assert program(rules, run, claims).states == states
            with pytest.raises(WrongError, match=r"is missing|is not reached"):
                program(rules, run, changed)


@pytest.mark.parametrize(("name", "depth"), [("cube3", 1), pytest.param("quarto:4,4", 1, marks=pytest.mark.slow)])
def test_jobs_of_wide_states_of_the_gallery_are_proven(name, depth, tmp_path):
    job = job_of(puzzlekit.load(name), tmp_path / "job", max_depth=depth)
    assert both(job).states > 1


def test_counts_backward_and_stopped_ones_are_proven(tmp_path):
    rotation, slider = puzzlekit.load("rotation"), puzzlekit.load("slider:2,3")
    assert both(job_of(rotation, tmp_path / "stopped", max_depth=5)).states > 300
    assert both(job_of(slider, tmp_path / "back", backward=True)).states == 360
    river = puzzlekit.load("river")
    job = job_of(river, tmp_path / "river", backward=True)
    assert both(job).states == sum(depth["states"] for depth in job.status()["depths"])
    stopped = job_of(rotation, tmp_path / "stopped-back", backward=True, max_depth=3)
    for plain in (True, False):
        with pytest.raises(JobError, match="cannot be proven: a count backward is proven only when it is complete"):
            stopped.prove(plain=plain)


@settings(max_examples=cases(10))
@given(random_rules(), st.randoms(use_true_random=False))
def test_jobs_of_random_rules_are_proven(tmp_path_factory, rules, rng):
    proven_of(tmp_path_factory, with_goal(rules, rng))


@settings(max_examples=cases(20))
@given(
    st.integers(0, 2**32),
    st.sampled_from([lively_rules, layered_rules, reversible_rules, games_with_cycles, games_for_points]),
)
def test_jobs_of_random_rules_of_each_kind_are_proven(tmp_path_factory, seed, kind):
    rng = random.Random(seed)
    rules = kind(rng)
    if rules.score is None:
        rules = with_goal(symmetrised(rules, rng, keep_symbols=True) if rng.random() < 0.3 else rules, rng)
    proven_of(tmp_path_factory, rules)


def proven_of(tmp_path_factory, rules):
    folder = tmp_path_factory.getbasetemp() / "proof"
    shutil.rmtree(folder, ignore_errors=True)
    puzzle = puzzle_of(rules)
    assume(puzzle.enumerate().raw_states * puzzle.engine.symmetry_order < 5000)  # the proof is slow
    job = job_of(puzzle, folder, "values")
    assert both(job).states == sum(depth["states"] for depth in job.status()["depths"])


@pytest.mark.parametrize("name", ["pegs", "chase", "nim", "recolour", "dials", "burnt:4"])
def test_the_rules_are_played_as_the_plain_search_plays_them(name):
    data = boards.ALL[name].to_data()
    naive, player = Naive(data), Player(data)
    for layer in naive.layers():
        for cells, turn in layer.raw:
            state = (bytes(map(naive.symbols.index, cells)), turn)
            after = player.after(state)
            expected = [
                (bytes(map(naive.symbols.index, each)), who) for _, (each, who) in naive.successors((cells, turn))
            ]
            assert after == expected
            assert player.outcome(state, after) == naive.outcome((cells, turn))
            assert player.solved(state) == naive.solved(cells)


def claims_of(job):
    """What a job says: the rules, the run, and the claims, as they are handed to `prove`."""
    taken = []

    def take(rules, run, claims):
        taken.extend((rules, run, list(claims)))
        return prove(rules, run, taken[2])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proving, "prove", take)
        job.prove(plain=True)
    return taken


def counted(run, claims):
    """The run with the counts that the claims have, so that a wrong count does not give them away."""
    depths = range(1 + max((claim.depth for claim in claims), default=0))
    at = [[claim for claim in claims if claim.depth == depth] for depth in depths]
    return replace(run, counts=tuple((len(each), sum(claim.orbit_size for claim in each)) for each in at))


def forged(change):
    """A forgery of one claim. `change` returns the claims in its place, or `None` if it has nothing to forge there."""
    change.forgery = True
    return change


@forged
def missing(_):
    return []


@forged
def twice(claim):
    return [claim, claim]


@forged
def deeper(claim):
    return [replace(claim, depth=claim.depth + 2)]  # in a game, the same player moves


@forged
def nearer(claim):
    return [replace(claim, depth=claim.depth - 2)] if claim.depth > 2 else None


@forged
def other_orbit(claim):
    return [replace(claim, orbit_size=claim.orbit_size + 1)]


@forged
def other_outcome(claim):
    return [replace(claim, outcome="draw" if claim.outcome is None else None)]


@forged
def other_value(claim):
    others = {"win": "loss", "loss": "draw", "draw": "win", "solvable": "unsolvable", "unsolvable": "solvable"}
    return (
        None
        if claim.value is None or claim.score is not None
        else [replace(claim, value=others[claim.value], distance=claim.distance or 1)]
    )


@forged
def other_distance(claim):
    return None if claim.distance is None or claim.value == "draw" else [replace(claim, distance=claim.distance + 2)]


@forged
def shorter(claim):
    return [replace(claim, distance=claim.distance - 2)] if (claim.distance or 0) > 1 else None


@forged
def other_score(claim):
    return None if claim.score is None else [replace(claim, score=claim.score - 1)]


FORGERIES = [each for each in list(globals().values()) if getattr(each, "forgery", False)]


NAMES = [
    *("flipit:3,3", "chase", "slider back", "dots_and_boxes:1,2"),
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("tictactoe:3,2,2", "slider:2,3")),
]


@pytest.fixture(scope="module")
def claims_of_name(tmp_path_factory):
    """Gives a function that returns what a job of a puzzle says. Each job is made once for all forgeries."""

    @functools.cache
    def claims(name):
        folder = tmp_path_factory.mktemp("claims")
        if name == "slider back":
            return claims_of(job_of(puzzlekit.load("slider:2,3"), folder, backward=True))
        puzzle = puzzle_of(boards.ALL[name]) if name in boards.ALL else puzzlekit.load(name)
        return claims_of(job_of(puzzle, folder, "values"))

    return claims


@pytest.mark.parametrize("forgery", FORGERIES, ids=lambda each: each.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_each_forged_claim_is_found(name, forgery, claims_of_name):
    rules, run, claims = claims_of_name(name)
    places = [place for place in range(len(claims)) if forgery(claims[place]) is not None]
    rng = random.Random(name)
    for place in rng.sample(places, min(3, len(places))):
        changed = [*claims[:place], *forgery(claims[place]), *claims[place + 1 :]]
        for program in (prove, quick):
            with pytest.raises(WrongError):
                program(rules, counted(run, changed), changed)
    assert places or forgery in (other_value, other_distance, shorter, other_score)


def one_more_in_one_move(values):
    values["ends"][0]["win"] += 1
    values["ends"][1]["win"] -= 1


FORGED = {
    "the table": one_more_in_one_move,
    "the longest is won": lambda values: values["longest"].update(wins=not values["longest"]["wins"]),
    "the longest is at the start": lambda values: values["longest"].update(depth=0, word="00000000"),
    "the longest is none": lambda values: values["longest"].update(word="ffffffff"),
    "the longest is another": lambda values: values["longest"].update(word="00000000"),
    "the moves from the start": lambda values: values.update(start_moves=3),
}


@pytest.mark.parametrize("forgery", FORGED)
def test_numbers_of_all_values_that_a_manifest_forges_are_found(forgery, tmp_path):
    """What the manifest tells of all values together is counted anew, when a job is verified and when it is proven."""
    job = job_of(puzzlekit.load("tictactoe:2,3,3"), tmp_path, "values")
    resealed(tmp_path, lambda data: FORGED[forgery](data["values"]))
    with pytest.raises(CorruptError, match=r"not (that|those) of its states; the job is damaged"):
        job.verify()
    if forgery == "the longest is none":
        with pytest.raises(CorruptError, match="the longest state of its values"):
            job.values()
    if forgery in ("the table", "the longest is won", "the longest is at the start"):
        for plain in (True, False):
            with pytest.raises(CorruptError, match=r"the job (tells other|names another)"):
                job.prove(plain=plain)


@PROGRAMS
def test_states_too_many_are_found(program, tmp_path):
    """A state that play does not reach, with all that would follow from it: the other half of a sliding puzzle."""
    rules, run, claims = claims_of(job_of(puzzlekit.load("slider:2,3"), tmp_path / "job"))
    exchanged = [replace(each, cells=each.cells.translate(bytes([0, 2, 1, 3, 4, 5]).ljust(256))) for each in claims]
    with pytest.raises(WrongError, match="depth 0 must have the start 012345, and nothing else"):
        program(rules, counted(run, claims + exchanged), claims + exchanged)
    later = [replace(each, depth=each.depth + 1, outcome=None) for each in exchanged]
    with pytest.raises(WrongError, match="is not reached in 1 moves"):
        program(rules, counted(run, claims + later), claims + later)
    with pytest.raises(WrongError, match="other numbers of states for its depths"):
        program(rules, replace(run, counts=run.counts[:-1]), claims)


@PROGRAMS
def test_a_win_and_a_loss_that_lead_only_to_each_other_are_found(program):
    """Values that agree with those around them, and are all wrong: only the number of moves gives them away."""
    rules = puzzle_of(
        Rules(
            symbols="ab",
            start="a",
            players="XO",
            moves=[Move({0: "b"}, player="X").when({0: "a"}), Move({0: "a"}, player="O").when({0: "b"})],
            ends=[],
        )
    ).rules()
    data = rules.to_data()
    run = proving.Run(symmetry=True, complete=True, backward=False, counts=((1, 1), (1, 1)))
    draws = [
        proving.Claim(b"\0", 0, 1, None, "draw"),
        proving.Claim(b"\1", 1, 1, None, "draw"),
    ]
    assert program(data, run, draws).values == 2
    for first, second in ((3, 2), (1, 0), (5, 6)):
        both = [replace(draws[0], value="win", distance=first), replace(draws[1], value="loss", distance=second)]
        with pytest.raises(WrongError, match=r"is a (loss|win) in"):
            program(data, run, both)
    with pytest.raises(UnprovenError, match="keeps no distances, and play can come back"):
        program(data, run, [replace(draws[0], value="win"), replace(draws[1], value="loss")])


def puzzle_back(symbols, start, moves, **more):
    return puzzle_of(Rules(symbols, start, moves, **more))


BACKWARD = {
    "pattern": lambda: puzzle_back("abc", "abc", [cycle(0, 1, 2)], goal={0: "b"}),
    "never solved": lambda: puzzle_back("abc", "abc", [cycle(0, 1, 2)], goal=["bac", "acb"]),
    "stuck at the goal": lambda: puzzle_back(
        ".o", "oo", [put(lamp, ".").when({lamp: "o"}) for lamp in (0, 1)], goal=".."
    ),
    "stuck at one of two goals": lambda: puzzle_back(
        ".o", "ooo", [put(lamp, ".").when({lamp: "o"}) for lamp in (0, 1, 2)], goal=["...", ".oo"]
    ),
    "some cannot be solved": lambda: puzzle_back(
        ".ox",
        "...",
        [put(cell, mark).when({cell: "."}) for cell in range(3) for mark in "ox"],
        goal={0: "o", 1: "o"},
        symmetries=[Symmetry((1, 0, 2))],
    ),
    "the start cannot be solved": lambda: puzzle_back("abc", "abc", [cycle(0, 1, 2)], goal="bac"),
}
"""Puzzles whose counts back from the goal are alike in nothing: over what play reaches, or from a goal state."""


@pytest.mark.parametrize("name", BACKWARD)
def test_counts_backward_of_every_kind_are_proven(name, tmp_path):
    job = job_of(BACKWARD[name](), tmp_path / "job", backward=True)
    assert both(job).states == sum(depth["states"] for depth in job.status()["depths"])


@PROGRAMS
@pytest.mark.parametrize("name", BACKWARD)
def test_forged_counts_backward_are_found(name, program, tmp_path):
    rules, run, claims = claims_of(job_of(BACKWARD[name](), tmp_path / "job", backward=True))
    for place in range(len(claims)):
        rest = [*claims[:place], *claims[place + 1 :]]
        with pytest.raises(WrongError):
            program(rules, counted(run, rest), rest)
        ended = [*rest, replace(claims[place], outcome="stuck" if claims[place].outcome is None else None)]
        with pytest.raises(WrongError, match=r"has the outcome"):
            program(rules, run, ended)
    with pytest.raises(WrongError, match="other numbers of states for its depths"):
        program(rules, replace(run, counts=(*run.counts, (0, 0))), claims)
    if run.unsolvable is not None:
        states, raw = run.unsolvable
        for wrong in ((states + 1, raw), (states, raw + 1), (0, 0)):
            if wrong != run.unsolvable:
                with pytest.raises(WrongError, match=r"cannot be solved, not"):
                    program(rules, replace(run, unsolvable=wrong), claims)


@PROGRAMS
def test_solvable_states_that_play_does_not_reach_are_found(program, tmp_path):
    """Two rings of states: play stays in the first one, and the second one is put into a count over what it reaches."""
    rules, run, claims = claims_of(job_of(BACKWARD["pattern"](), tmp_path / "job", backward=True))
    other = [replace(each, cells=each.cells.translate(bytes([2, 1, 0]).ljust(256))) for each in claims]
    with pytest.raises(WrongError, match="is not reached from the start"):
        program(rules, counted(run, claims + other), claims + other)
    assert program(rules, replace(counted(run, claims + other), unsolvable=None), claims + other).states == 6


@pytest.mark.parametrize("name", BACKWARD)
def test_the_verb_proves_counts_backward(name, tmp_path, command):
    job_of(BACKWARD[name](), tmp_path / "job", backward=True)
    for options in ([], ["--plain"]):
        done = command("verify", str(tmp_path / "job"), "--proof", *options)
        assert (done.code, done.err, "proven from the rules" in done.out) == (0, "", True)
    if "unsolvable" in (manifest := json.loads((tmp_path / "job" / "manifest.json").read_text(encoding="utf-8"))):
        if manifest["unsolvable"] is None:
            return
        resealed(tmp_path / "job", lambda data: data["unsolvable"].update(states=77))
        assert command("verify", str(tmp_path / "job"), "--proof").code == 4


@dataclass(frozen=True)
class Pile(Puzzle):
    """A pile of tokens, of which each turn takes one or two."""

    id = "pile"

    def rules(self):
        return pile("loss")


@dataclass(frozen=True)
class Misere(Pile):
    """The same, where who takes the last one loses."""

    id = "pile"

    def rules(self):
        return pile("win")


@dataclass(frozen=True)
class Round(Puzzle):
    """A token that goes round three cells for ever; who moves it to the last cell has a point while it is there."""

    id = "round"

    def rules(self):
        moves = [
            Move({at: ".", (at + 1) % 3: "o"}, player=who).when({at: "o", 3: "."}) for at in range(3) for who in "XO"
        ]
        stops = [Move({3: "o"}, name="stop", player=who).when({2: "o", 3: "."}) for who in "XO"]
        return Rules(
            symbols=".o",
            start="o...",
            players="XO",
            moves=[*moves, *stops],
            score=Score("X", {"o": 1}, of=[3]),
            endless=0,
        )


def pile(stuck):
    takes = [
        Move(dict.fromkeys(range(first, first + count), "."), player=who).when(
            {**dict.fromkeys(range(first, first + count), "o"), **({first - 1: "."} if first else {})}
        )
        for count in (1, 2)
        for first in range(8 - count)
        for who in "XO"
    ]
    return Rules(symbols="o.", start="ooooooo", players="XO", moves=takes, stuck=stuck)


def test_forged_folders_are_found(tmp_path, command):
    """Folders whose checksums are all right, and that `verify` finds nothing wrong with."""
    right, wrong = tmp_path / "right", tmp_path / "wrong"
    job_of(Pile(), right, "values")
    job_of(Misere(), wrong, "values")
    for folder in (right, wrong):
        done = command("verify", str(folder), "--proof")
        assert (done.code, done.err) == (0, "")
        assert "pile: 14 states" in done.out
    assert command("verify", str(right), "--proof", "--json").out.count('"proof"') == 1
    assert json.loads(command("verify", str(right), "--proof", "--json").out)["proof"]["values"] == 14

    # The values of one game under the rules of the other.
    mine = json.loads((right / "manifest.json").read_text(encoding="utf-8"))
    shutil.copy(right / "puzzle.json", wrong / "puzzle.json")
    resealed(
        wrong,
        lambda data: (
            data["subject"].update(rules=mine["subject"]["rules"]),
            data.update(definition=mine["definition"]),
        ),
    )
    done = command("verify", str(wrong), "--proof")
    assert done.code == 4
    assert "the job is" in done.err

    # The last depth left out, and the job said to be complete.
    short = tmp_path / "short"
    job_of(puzzlekit.load("slider:2,3"), short)
    resealed(short, lambda data: data["depths"].pop())
    assert command("verify", str(short)).code == 0
    done = command("verify", str(short), "--proof")
    assert (done.code, "is missing: a move leads there from" in done.err) == (4, True)


@pytest.mark.parametrize("name", ["dots_and_boxes:1,2", "kalah:2,2", "othello:4,3"])
def test_games_for_points_are_proven(name, tmp_path):
    puzzle = puzzlekit.load(name)
    job = job_of(puzzle, tmp_path / "job", "values")
    assert both(job).values == sum(depth["states"] for depth in job.status()["depths"])


def test_the_number_of_points_that_is_named_first_counts(tmp_path):
    """After `a`, the second and the third end hold. The first one, which does not, names the number of the third."""
    moves = [put(1, mark).when({1: "."}).by("X").named(mark) for mark in "ab"]
    ends = [over({1: "b"}, score=5), over({0: "a", 1: "a"}, score=3), over({1: "a"}, score=-5)]
    rules = Rules("ab.", "a.", moves, "XO", ends=ends, score=Score("X", {"a": 1}))
    job = job_of(puzzle_of(rules), tmp_path / "job", "values")
    assert both(job).values == 3
    assert puzzle_of(rules).solve("aa:O", job.solver).score == 5


def test_points_are_proven_where_play_can_come_back(tmp_path, command):
    job_of(Round(), tmp_path / "job", "values")
    for options in ([], ["--plain"]):
        done = command("verify", str(tmp_path / "job"), "--proof", *options)
        assert (done.code, done.err) == (0, "")
        assert "moves between them, and 8 values" in done.out
    done = command("verify", str(tmp_path / "job"), "--proof", "--memory", "1MB")
    assert done.code == 3


def test_a_proof_that_does_not_fit_is_refused(tmp_path, command, monkeypatch):
    job_of(puzzlekit.load("slider:2,3"), tmp_path / "job")
    done = command("verify", str(tmp_path / "job"), "--proof", "--memory", "1MB")
    assert done.code == 3
    monkeypatch.setattr(proving, "MOST_STATES", 100)
    done = command("verify", str(tmp_path / "job"), "--proof", "--plain")
    assert done.code == 3
    assert "has 360 states, and the plain proof takes 100 at most; leave out --plain" in done.err


@PROGRAMS
def test_other_claims_that_are_false(program, tmp_path):
    rules, run, claims = claims_of(job_of(puzzlekit.load("tictactoe"), tmp_path / "job", "values"))
    with pytest.raises(WrongError, match="some states have a value, and others have none"):
        program(rules, run, [replace(claims[0], value=None), *claims[1:]])
    with pytest.raises(WrongError, match=r"does not stand for its orbit: an image of it is smaller|is missing"):
        program(rules, run, [claims[0], replace(claims[1], cells=bytes([0, 0, 1, 0, 0, 0, 0, 0, 0])), *claims[2:]])
    # Rules with a symmetry that is none.
    broken = json.loads(json.dumps(rules))
    broken["ends"] = broken["ends"][:1]
    with pytest.raises((WrongError, UnprovenError)):
        program(broken, run, claims)
    job = job_of(puzzlekit.load("slider:2,2"), tmp_path / "short")
    resealed(tmp_path / "short", lambda data: data["depths"].pop())
    with pytest.raises(CorruptError, match="the job is wrong"):
        job.prove()
