"""Plugins of other people: their puzzles run like puzzlekit's own, and a broken plugin harms no other."""

import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from puzzlekit import PluginError, PluginWarning, UsageError
from puzzlekit.plugins.loader import Plugins
from tests import boards
from tests.naive import Naive
from tests.nursery import Command

HANOI = '''
"""The towers of Hanoi."""
from dataclasses import dataclass
from puzzlekit import Puzzle, Rules, hookimpl, parameter, put

@dataclass(frozen=True)
class Hanoi(Puzzle):
    """Disks on three pegs, no disk on a smaller one."""

    id = "hanoi"
    disks: int = parameter(4, 1, 12, "how many disks")

    def rules(self):
        moves = []
        for disk in range(self.disks):
            for source in "ABC":
                for target in "ABC".replace(source, ""):
                    (free,) = set("ABC") - {source, target}
                    guard = {disk: source, **dict.fromkeys(range(disk), free)}
                    moves.append(put(disk, target).when(guard).named(f"{disk}{source}{target}"))
        return Rules(symbols="ABC", start="A" * self.disks, goal=["C" * self.disks], moves=moves)

@hookimpl
def puzzlekit_register_puzzles(register):
    register(Hanoi)
'''

CUBE = '''
"""The 2x2x2 cube, one corner held still: three faces turn, clockwise and back."""
from dataclasses import dataclass
from puzzlekit import Copy, Move, Puzzle, Rules, hookimpl

# Cells 0..6: which corner piece stands in each place; cells 7..13: how it is twisted (0, 1, 2).
TURNS = {"R": ([0, 1, 4, 3], [1, 2, 1, 2]), "U": ([0, 3, 5, 2], [0, 0, 0, 0]), "F": ([3, 4, 6, 5], [1, 2, 1, 2])}

@dataclass(frozen=True)
class Cube(Puzzle):
    """The pocket cube by quarter turns."""

    id = "pocketcube"

    def rules(self):
        moves = []
        for name, (places, twists) in TURNS.items():
            for suffix, order, signs in (("", 1, 1), ("-", -1, -1)):
                then = []
                for i in range(4):
                    a, b = (places[i], places[(i + 1) % 4]) if order == 1 else (places[(i + 1) % 4], places[i])
                    twist = twists[i] if order == 1 else -twists[i]
                    then += [(b, Copy(a)), (7 + b, Copy(7 + a, {str(t): str((t + twist) % 3) for t in range(3)}))]
                moves.append(Move(then=then).named(name + suffix))
        start = [*"0123456", *"0000000"]
        return Rules(symbols="0123456", start=start, goal=[start], moves=moves)

@hookimpl
def puzzlekit_register_puzzles(register):
    register(Cube)
'''


def install(folder, name, source, entry_points=None):
    """Puts a distribution into a folder, as an installer would: a module and its metadata."""
    module = f"puzzlekit_{name}"
    (folder / f"{module}.py").write_text(textwrap.dedent(source), encoding="utf-8")
    info = folder / f"puzzlekit_{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: puzzlekit-{name}\nVersion: 1.0\n", encoding="utf-8")
    lines = entry_points or [f"{name} = {module}"]
    (info / "entry_points.txt").write_text("[puzzlekit]\n" + "\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def outside(tmp_path, process):
    """Gives a function that runs the command with a folder of third-party distributions on its path."""

    def run(*arguments, given=""):
        path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
        return process(*arguments, environment={**os.environ, "PYTHONPATH": path}, given=given)

    return tmp_path, run


def test_a_plugin_from_outside_counts_as_the_oracle_does(outside):
    folder, run = outside
    install(folder, "hanoi", HANOI)
    assert "hanoi" in run("list").out
    data = json.loads(run("enumerate", "hanoi:4", "--json").out)
    layers = Naive(boards.hanoi(4).to_data()).layers()
    assert [depth["states"] for depth in data["depths"]] == [len(layer.raw) for layer in layers]
    assert (data["puzzle"], data["states"], data["max_depth"]) == ("hanoi", 3**4, 2**4 - 1)


def test_a_plugin_runs_without_a_python_call_in_the_hot_path(outside):
    folder, _ = outside
    install(folder, "pocketcube", CUBE)
    program = f"""
        import sys
        sys.path.insert(0, {str(folder)!r})
        import puzzlekit
        puzzle = puzzlekit.load("pocketcube")
        puzzle.enumerate(max_depth=0)  # imports and compiles what a run needs
        calls = 0
        def count(frame, event, argument):
            global calls
            calls += event == "call"
        sys.setprofile(count)
        report = puzzle.enumerate(threads=1)
        sys.setprofile(None)
        print(report.states, report.max_depth, report.depths[1].states, calls)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True)
    states, max_depth, first, calls = map(int, done.stdout.split())
    # 3,674,160 states and 14 quarter turns: Jaap Scherphuis, "Mini Cube, the 2x2x2 Rubik's Cube".
    assert (states, max_depth, first) == (3_674_160, 14, 6)
    # The run makes few calls of Python functions. One call for each state would make millions.
    assert calls < 200


def test_a_broken_plugin_is_one_warning_and_harms_no_other(outside):
    folder, run = outside
    install(folder, "broken", "raise ValueError('out of order')")
    install(folder, "hanoi", HANOI)
    result = run("list")
    assert result.code == 0
    assert "hanoi" in result.out
    assert "tictactoe" in result.out
    assert result.err == (
        'puzzlekit: warning: the plugin "broken" of puzzlekit-broken 1.0 was passed over: ValueError: out of order '
        "(puzzlekit_broken.py, line 1)\n"
    )
    status = {p["name"]: p["error"] for p in json.loads(run("plugins", "list", "--json").out)["plugins"]}
    assert status["broken"] == "ValueError: out of order (puzzlekit_broken.py, line 1)"
    assert status["hanoi"] is status["tictactoe"] is None
    # Other puzzles start without that plugin, and without a warning about it.
    result = run("enumerate", "hanoi:2")
    assert (result.code, result.err) == (0, "")


def test_a_broken_plugin_asked_for_by_name_is_exit_5(outside):
    folder, run = outside
    install(folder, "broken", "import sys; sys.exit('gone')")
    result = run("enumerate", "broken")
    assert (result.code, result.out) == (5, "")
    assert 'error: the plugin "broken" of puzzlekit-broken 1.0 cannot be loaded: SystemExit: gone' in result.err


def test_an_exit_in_rules_or_parameters_is_an_error(outside):
    folder, run = outside
    install(folder, "hanoi", HANOI.replace("moves = []", "raise SystemExit(0)"))
    leaver = HANOI.replace('"hanoi"', '"leaver"').replace("moves = []", "__import__('os')._exit(0)")
    install(folder, "leaver", leaver)
    for name in ("hanoi", "leaver"):
        for verb in ("enumerate", "info"):
            result = run(verb, name)
            assert (result.code, result.out) == (5, "")
            assert "rules() failed with SystemExit: 0" in result.err
    install(folder, "odd", HANOI.replace('"hanoi"', '"odd"').replace("moves = []", "raise GeneratorExit"))
    result = run("info", "odd")
    assert (result.code, result.out) == (5, "")
    assert "rules() failed with RuntimeError: it raised GeneratorExit" in result.err
    check = "    def __post_init__(self):\n        raise ValueError(self.disks)\n\n    def rules(self):"
    install(folder, "other", HANOI.replace('"hanoi"', '"other"').replace("    def rules(self):", check))
    result = run("enumerate", "other")
    assert (result.code, result.out) == (5, "")
    assert "Hanoi cannot be made with its defaults: ValueError: 4" in result.err
    assert result.err.count("\n") == 1
    check = check.replace("raise", "if self.disks > 5: raise")
    install(folder, "third", HANOI.replace('"hanoi"', '"third"').replace("    def rules(self):", check))
    result = run("enumerate", "third:6")
    assert result.code == 5
    assert "third: the parameters cannot be checked: ValueError: 6" in result.err


def test_what_a_plugin_prints_stays_out_of_results(outside):
    folder, run = outside
    install(folder, "hanoi", "print('hello')\n" + textwrap.dedent(HANOI))
    result = run("enumerate", "hanoi:2", "--json")
    assert json.loads(result.out)["states"] == 9
    assert result.err == "hello\n"


def marked(folder, source=HANOI):
    """A source whose import leaves a file in a folder."""
    return f"open({str(folder / 'imported')!r}, 'w').close()\n" + textwrap.dedent(source)


def test_a_puzzle_belongs_to_the_plugin_of_its_name(outside):
    folder, run = outside
    both = HANOI.replace("class Hanoi", "class Mine") + textwrap.dedent("""
        class Theirs(Mine):
            "Not the real one."
            id = "tictactoe"

        from dataclasses import dataclass
        dataclass(frozen=True)(Theirs)

        @hookimpl
        def puzzlekit_register_puzzles(register):
            register(Theirs)
            register(Mine)
    """)
    install(folder, "another", both.replace("register(Hanoi)", "pass"))
    for arguments in (("list",), ("plugins", "list")):
        result = run(*arguments)
        assert result.code == 0
        assert re.fullmatch(
            r'puzzlekit: warning: the plugin "another" of puzzlekit-another 1\.0: it registers the puzzle "tictactoe", '
            r'which belongs to the plugin "tictactoe" of puzzlekit-tictactoe [0-9.]+; rename the puzzle\n',
            result.err,
        )
        assert "hanoi" in result.out  # the other plugins still work
    assert "Marks in a row" in run("info", "tictactoe").out
    assert run("--strict", "list").code == 5


def test_of_two_plugins_of_one_name_neither_is_imported(outside):
    folder, run = outside
    install(folder, "aaa_evil", marked(folder), ["tictactoe = puzzlekit_aaa_evil"])
    ours, theirs = 'the plugin "tictactoe" of puzzlekit-tictactoe', 'the plugin "tictactoe" of puzzlekit-aaa_evil 1.0'
    job = str(folder / "job")
    for arguments in (("enumerate", "tictactoe"), ("enumerate", "tictactoe", "--out", job), ("info", "tictactoe"),
                      ("solve", "tictactoe"), ("scramble", "tictactoe:4,4,2"), ("play", "tictactoe")):  # fmt: skip
        result = run(*arguments)
        assert (result.code, result.out) == (5, "")
        assert result.err.startswith(f"puzzlekit: error: {theirs} cannot be loaded: {ours}")
        assert result.err.endswith("has the same name; uninstall one of the two\n")
    for arguments in (("list",), ("plugins", "list")):
        result = run(*arguments)
        assert result.code == 0
        assert f"{theirs} was passed over: {ours}" in result.err
        assert f"{theirs} has the same name" in result.err
        assert result.err.count("\n") == 2
    assert [entry["id"] for entry in json.loads(run("list", "--json").out)["puzzles"]].count("tictactoe") == 0
    assert run("--strict", "list").code == 5
    assert not (folder / "imported").exists()
    assert not (folder / "job").exists()


def test_what_is_asked_for_by_name_imports_the_plugin_of_that_name_alone(outside):
    folder, run = outside
    install(folder, "another", marked(folder, HANOI.replace('"hanoi"', '"tictactoe"')))
    install(folder, "towers", HANOI)
    assert run("enumerate", "tictactoe").out.startswith("tictactoe, states up to 8 symmetries")
    result = run("enumerate", "towers")
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        'puzzlekit: error: there is no puzzle "towers"; the plugin "towers" of puzzlekit-towers 1.0, whose it would '
        "be, brings hanoi\n"
    )
    assert not (folder / "imported").exists()


def test_a_module_with_several_puzzles_has_an_entry_point_for_each(outside):
    folder, run = outside
    second = textwrap.dedent("""
        @dataclass(frozen=True)
        class Small(Hanoi):
            "Few disks."

            id = "smallhanoi"

        @hookimpl
        def puzzlekit_register_puzzles(register):
            register(Hanoi)
            register(Small)

        def stay(puzzle, state):
            return ()

        @hookimpl
        def puzzlekit_register_solvers(register):
            register("hanoi", "stay", stay)
    """)
    lines = ["hanoi = puzzlekit_several", "smallhanoi = puzzlekit_several"]
    install(folder, "several", textwrap.dedent(HANOI) + second, lines)
    result = run("plugins", "list", "--json")
    assert (result.code, result.err) == (0, "")
    brought = {plugin["name"]: (plugin["puzzles"], plugin["error"]) for plugin in json.loads(result.out)["plugins"]}
    assert (brought["hanoi"], brought["smallhanoi"]) == ((["hanoi"], None), (["smallhanoi"], None))
    assert json.loads(run("enumerate", "smallhanoi:2", "--json").out)["states"] == 9
    assert json.loads(run("info", "hanoi", "--json").out)["solvers"] == ["optimal", "stay"]


@pytest.mark.parametrize(
    "error",
    [
        *("SystemExit(0)", "Odd()"),
        *(
            pytest.param(error, marks=pytest.mark.slow)
            for error in ("KeyboardInterrupt", "GeneratorExit", "BaseException('b')")
        ),
    ],
)
def test_whatever_a_plugin_raises_breaks_nothing_else(error, outside):
    folder, run = outside
    odd = "class Odd(BaseException):\n    def __str__(self):\n        raise KeyboardInterrupt\n"
    install(folder, "broken", f"{odd}raise {error}")
    result = run("list")
    assert result.code == 0
    assert "tictactoe" in result.out
    name = error.partition("(")[0]
    told = name if name in ("SystemExit", "KeyboardInterrupt") else f"RuntimeError: it raised {name}"
    assert f'the plugin "broken" of puzzlekit-broken 1.0 was passed over: {told}' in result.err
    assert result.err.count("\n") == 1
    result = run("enumerate", "broken")
    assert (result.code, result.out) == (5, "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals to send to one process")
@pytest.mark.parametrize(
    ("arguments", "presses"), [(("list",), 1), (("info", "tictactoe"), 1), (("list", "--json"), 2)]
)
def test_a_plugin_that_takes_long_is_named(arguments, presses, outside):
    folder, _ = outside
    # A plugin that catches the first Ctrl-C is ended by the second one.
    loop = "while True:\n    try:\n        time.sleep(60)\n    except BaseException:\n        if PRESSES == 1: raise\n"
    install(folder, "slow", f"import time\nPRESSES = {presses}\n{loop}")
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    process = Command(
        *arguments,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert process.stderr is not None
    first = process.stderr.readline()
    name = 'the plugin "slow" of puzzlekit-slow 1.0'
    assert first == f"puzzlekit: {name} is still being loaded; Ctrl-C stops that\n"
    for press in range(presses):
        time.sleep(0.5 * press)
        process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert err == f"puzzlekit: interrupted while {name} was being loaded; puzzlekit --no-plugins loads none\n"
    assert (process.returncode, out) == ({1: 130, 2: -signal.SIGINT}[presses], "")


@pytest.mark.parametrize(
    "arguments", [("list", "--json"), ("info", "hanoi", "--json"), ("enumerate", "hanoi", "--json")]
)
def test_what_a_plugin_writes_to_descriptor_1_stays_out_of_results(arguments, outside):
    folder, run = outside
    write = "import os, subprocess\nos.write(1, b'raw\\n')\nsubprocess.run(['echo', 'child'])\n"
    install(folder, "hanoi", write + textwrap.dedent(HANOI))
    result = run(*arguments)
    assert result.code == 0
    assert json.loads(result.out)["schema"] == f"puzzlekit.{arguments[0]}/1"
    assert result.err == "raw\nchild\n"


SOLVER = """
import puzzlekit
from puzzlekit import hookimpl

def slowly(puzzle, state):
    return puzzle.solve(state).moves

def wrongly(puzzle, state):
    return puzzle.legal_moves(state)[:1]

def carefully(puzzle, state, *, budget, watch):
    return puzzlekit.optimal(puzzle, state, budget=budget, watch=watch)

@hookimpl
def puzzlekit_register_solvers(register):
    register("hanoi", "slowly", slowly)
    register("hanoi", "wrongly", wrongly)
    register("hanoi", "care", carefully)
"""


def test_a_solver_for_somebody_elses_puzzle(outside):
    folder, run = outside
    install(folder, "hanoi", HANOI)
    install(folder, "helper", SOLVER)
    assert json.loads(run("info", "hanoi", "--json").out)["solvers"] == ["optimal", "slowly", "wrongly", "care"]
    data = json.loads(run("solve", "hanoi:3", "--solver", "slowly", "--json").out)
    assert (data["length"], data["optimal"], data["solver"]) == (7, False, "slowly")
    assert json.loads(run("solve", "hanoi:3", "--solver", "optimal", "--json").out)["optimal"] is True
    wrong = run("solve", "hanoi:3", "--solver", "wrongly")
    assert (wrong.code, wrong.out) == (5, "")
    assert "the solver wrongly leads from AAA to BAA, which is not solved" in wrong.err
    unknown = run("solve", "hanoi:3", "--solver", "nosuch")
    assert unknown.code == 2
    assert 'hanoi has no solver "nosuch"; its solvers are optimal, slowly, wrongly, care' in unknown.err
    # The solver is given the limits. The report has its lower bound, and the name under which it was registered.
    data = json.loads(run("solve", "hanoi:3", "--solver", "care", "--json").out)
    assert (data["length"], data["optimal"], data["lower_bound"], data["solver"]) == (7, True, 7, "care")
    limited = run("solve", "hanoi:3", "--solver", "care", "--max-states", "3")
    assert (limited.code, limited.out) == (3, "")
    assert "no answer for AAA within 3 states" in limited.err
    install(folder, "second", SOLVER)
    assert 'the solver "slowly" of hanoi, which the plugin "helper" of puzzlekit-helper 1.0 has' in run("list").err


SCRAMBLERS = """
from puzzlekit import ScrambleReport, hookimpl

def walk(puzzle, random, *, moves=3):
    state, names = puzzle.start, []
    for _ in range(moves or 3):
        names.append(random.choose(puzzle.legal_moves(state)))
        state = puzzle.apply(state, names[-1])
    return names

def straight(puzzle, random):
    return puzzle.start

def torn(puzzle, random, *, seed, moves):
    return ScrambleReport("mine", "B" + puzzle.start[1:], seed, ("0AC",), "by hand")

@hookimpl
def puzzlekit_register_scramblers(register):
    register("hanoi", "walk", walk)
    register("hanoi", "straight", straight)
    register("hanoi", "torn", torn)
"""


def test_a_scrambler_for_somebody_elses_puzzle(outside):
    folder, run = outside
    install(folder, "hanoi", HANOI)
    install(folder, "mixer", SCRAMBLERS)
    assert json.loads(run("info", "hanoi", "--json").out)["scramblers"] == ["random", "walk", "straight", "torn"]
    assert "scramblers  random walk straight torn\n" in run("info", "hanoi").out
    first = run("scramble", "hanoi:3", "--scrambler", "walk", "--moves", "2", "--seed", "7", "--json")
    data = json.loads(first.out)
    assert (data["puzzle"], data["seed"], data["scrambler"], len(data["moves"])) == ("hanoi:disks=3", "7", "walk", 2)
    assert run("scramble", "hanoi:3", "--scrambler", "walk", "--moves", "2", "--seed", "7", "--json").out == first.out
    shown = run("play", "hanoi:3", "--scrambler", "walk", "--moves", "2", "--seed", "7", given="quit\n")
    assert shown.out.splitlines()[2:4] == ["Goal: CCC", " ".join(data["state"])]
    wrong = run("scramble", "hanoi:3", "--scrambler", "torn")
    assert (wrong.code, wrong.out) == (5, "")
    assert "the scrambler torn gives BAA with moves that lead to CAA; report it" in wrong.err
    wrong = run("scramble", "hanoi:3", "--scrambler", "straight", "--moves", "3")
    assert (wrong.code, wrong.out) == (2, "")
    assert "the scrambler straight chooses itself how many moves it makes; leave their number out" in wrong.err
    unknown = run("scramble", "hanoi:3", "--scrambler", "nosuch")
    assert unknown.code == 2
    assert 'hanoi has no scrambler "nosuch"; its scramblers are random, walk, straight, torn' in unknown.err
    assert (
        "--daily and --scrambler are given together"
        in run("scramble", "hanoi", "--daily", "2026-11-21", "--scrambler", "walk").err
    )
    install(folder, "second", SCRAMBLERS)
    assert (
        'the plugin "second" of puzzlekit-second 1.0 was passed over: it registers the scrambler "walk" of hanoi, '
        'which the plugin "mixer" of puzzlekit-mixer 1.0 has already; rename it'
    ) in run("list").err
    assert run("--strict", "plugins", "list").code == 5


@pytest.mark.slow
def test_an_executor_for_jobs_in_shards(outside):
    """The executor is the example of docs/plugins.md."""
    folder, run = outside
    page = (Path(__file__).parent.parent / "docs" / "plugins.md").read_text(encoding="utf-8")
    source = next(block for block in page.split("```") if "puzzlekit_register_executors(register):" in block)
    source = source.removeprefix("python").rpartition("print(")[0]
    install(folder, "hanoi", HANOI)
    install(folder, "here", source)
    given = ("enumerate", "hanoi:3", "--out", str(folder / "job"), "--json", "--on")
    unknown = run(*given, "there:3")
    assert (unknown.code, unknown.out) == (2, "")
    assert 'there is no executor "there"; give one of processes:K, here' in unknown.err
    data = json.loads(run(*given, "here:3").out)
    assert (data["states"], data["store_reason"]) == (27, "in 3 shards")
    assert json.loads(run("resume", str(folder / "job"), "--on", "here:3", "--json").out)["complete"]
    install(folder, "second", source)
    assert 'it registers the executor "here", which the plugin "here" of puzzlekit-here 1.0 has' in run("list").err


def test_strict_mode_fails(outside):
    folder, run = outside
    install(folder, "broken", "1 / 0")
    result = run("--strict", "list")
    assert result.code == 5
    assert "ZeroDivisionError" in result.err
    assert result.err.count("\n") == 1


def test_no_plugins_loads_none(outside):
    folder, run = outside
    install(folder, "broken", "1 / 0")
    result = run("--no-plugins", "list", "--json")
    assert (result.code, json.loads(result.out)["puzzles"], result.err) == (0, [], "")


def test_faulty_rules_of_a_plugin_are_exit_5_and_named(outside):
    folder, run = outside
    install(folder, "hanoi", HANOI.replace('start="A"', 'start="Z"'))
    result = run("enumerate", "hanoi")
    assert result.code == 5
    assert result.err == 'puzzlekit: error: hanoi: the start names the unknown symbol "Z"; the symbols are A B C\n'
    install(folder, "other", HANOI.replace('"hanoi"', '"other"').replace("moves = []", "1 / 0"))
    result = run("info", "other")
    assert result.code == 5
    assert result.err == (
        "puzzlekit: error: other: rules() failed with ZeroDivisionError: division by zero "
        "(puzzlekit_other.py, line 14)\n"
    )


def test_a_puzzle_is_found_under_another_plugins_name(outside):
    folder, run = outside
    install(folder, "towers", HANOI)
    assert run("enumerate", "hanoi:2").code == 0


def test_a_duplicate_id_is_refused_with_both_names(outside):
    folder, run = outside
    install(folder, "first", HANOI)
    install(folder, "second", HANOI)
    result = run("list")
    assert result.code == 0
    assert result.err == (
        'puzzlekit: warning: the plugin "second" of puzzlekit-second 1.0 was passed over: it registers the puzzle '
        '"hanoi", which the plugin "first" of puzzlekit-first 1.0 has already; rename one\n'
    )


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "it registers nothing; mark puzzlekit_register_puzzles with @puzzlekit.hookimpl"),
        ("def puzzlekit_register_puzzles(register): pass", "it registers nothing; mark"),
        (
            "def puzzlekit_register_puzzle(register): pass",
            "which does not exist; the hooks are puzzlekit_register_puzzles, puzzlekit_register_scramblers, "
            "puzzlekit_register_solvers, puzzlekit_register_executors",
        ),
        *(
            (
                f"from puzzlekit import hookimpl\n@hookimpl\ndef puzzlekit_register_executors(register): {call}",
                message,
            )
            for call, message in (
                ("register('processes', print)", 'it registers the executor "processes", which there is already'),
                ("register('a', print); register('a', len)", 'it registers the executor "a", which there is already'),
                ("register('a', 'here')", "it registers 'here' as the executor \"a\"; register a function that"),
            )
        ),
        ("from puzzlekit import hookimpl\n@hookimpl\ndef puzzlekit_nosuch(register): pass", "puzzlekit_nosuch"),
        (
            "from puzzlekit import hookimpl\n@hookimpl\ndef puzzlekit_register_puzzles(register): register(3)",
            "it registers 3; register a subclass of puzzlekit.Puzzle",
        ),
        (
            "from puzzlekit import hookimpl\n@hookimpl\ndef puzzlekit_register_puzzles(wrong): pass",
            "puzzlekit_register_puzzles",
        ),
        (
            "from puzzlekit import hookimpl\n@hookimpl\ndef puzzlekit_register_solvers(register): "
            "register('hanoi', 'odd', lambda state: [])",
            'the solver "odd" takes (state); let it take the puzzle and the state, and',
        ),
        *(
            (
                f"from puzzlekit import hookimpl\n@hookimpl\ndef puzzlekit_register_scramblers(register): {call}",
                message,
            )
            for call, message in (
                ("register('a', 'odd', lambda puzzle: '')", 'the scrambler "odd" takes (puzzle); let it take the'),
                (
                    "register('a', 'odd', 'walk')",
                    "it registers 'walk' as the scrambler \"odd\" of a; register a function",
                ),
                ("register('a', 'random', print)", 'the scrambler "random" of a, which the engine has already'),
                (
                    "[register('a', 'odd', lambda puzzle, random: '') for _ in range(2)]",
                    'it registers two functions as "odd" of a; rename one',
                ),
            )
        ),
    ],
)
def test_what_a_plugin_can_get_wrong(tmp_path, monkeypatch, source, message):
    name = f"puzzlekit_case{abs(hash(source))}"
    (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    entry = EntryPoint("case", name, "puzzlekit")
    warned = []
    plugins = Plugins([entry], warn=warned.append)
    assert plugins.puzzle_types() == {}
    assert len(warned) == 1
    assert message in warned[0]
    assert "\n" not in warned[0]
    with pytest.raises(PluginError, match="cannot be loaded"):
        Plugins([entry], strict=True).load_all()


def test_warnings_of_the_api_are_python_warnings(tmp_path, monkeypatch):
    (tmp_path / "puzzlekit_warns.py").write_text("1 / 0", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    plugins = Plugins([EntryPoint("warns", "puzzlekit_warns", "puzzlekit")])
    with pytest.warns(PluginWarning, match="ZeroDivisionError"), pytest.raises(UsageError, match="no puzzle"):
        plugins.parse("nosuch")
