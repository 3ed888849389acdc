"""Plots of counts, in characters and as SVG; and how notebooks show puzzles, reports and solutions."""

import pickle
import re
import sys
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import puzzlekit
from puzzlekit import survey
from puzzlekit.draw.plot import Bar, Bars
from tests.test_cli import on_terminal

SVG = "{http://www.w3.org/2000/svg}"


def plot(*numbers, names=("states",)):
    bars = tuple(Bar(str(depth), parts) for depth, parts in enumerate(numbers))
    return Bars("a <title> & more", "depth", "states", tuple(names), bars)


def rectangles(made):
    """The heights of the parts of each bar, without the rectangles of the hatching."""
    root = ElementTree.fromstring(str(made.picture()))
    groups = [group for group in root.iter(f"{SVG}g") if group.get("class") == "bar"]
    return [
        [float(each.get("height")) for each in group.iter(f"{SVG}rect") if each.get("fill")[0] == "#"]
        for group in groups
    ]


def test_bars_in_characters_are_as_long_as_their_numbers():
    lines = plot((0,), (1,), (50,), (100,)).lines(116).copy()
    assert lines[0] == "a <title> & more"
    assert [line.split()[:2] for line in lines[1:]] == [
        ["depth", "states"],
        ["0", "0"],
        ["1", "1"],
        ["2", "50"],
        ["3", "100"],
    ]
    lengths = [line.count("█") for line in lines[2:]]
    assert lengths == [0, 1, 50, 101]
    assert lines[2].endswith(" 0")


@given(st.lists(st.lists(st.integers(0, 10**12), min_size=3, max_size=3).map(tuple), min_size=1, max_size=12))
def test_what_is_not_0_is_seen(numbers):
    made = plot(*numbers, names="abc")
    for parts, line in zip(numbers, made.lines(70)[3:], strict=True):
        shown = line.split("  ")[-1]
        for part, block in zip(parts, "█▒░", strict=True):
            assert (block in shown) == (part > 0)
    for parts, heights in zip(numbers, rectangles(made), strict=True):
        assert len(heights) == sum(part > 0 for part in parts)
        assert all(height >= 1 for height in heights)
    assert rectangles(plot(*((sum(parts),) for parts in numbers)))


def test_bars_of_an_svg_are_as_high_as_their_numbers():
    heights = [each[0] for each in rectangles(plot((10,), (40,), (80,)))]
    assert heights[2] == pytest.approx(8 * heights[0], abs=0.1)
    assert heights[2] == pytest.approx(2 * heights[1], abs=0.1)


def test_texts_of_a_plot_are_escaped():
    root = ElementTree.fromstring(str(plot((1, 2), names=("<script>", "\x1b&")).picture()))
    texts = [each.text for each in root.iter(f"{SVG}text")]
    assert "a <title> & more" in texts
    assert "<script>" in texts
    assert "\ufffd&" in texts


def test_the_parts_of_a_game_are_its_outcomes():
    report = puzzlekit.load("tictactoe").enumerate()
    bars = report.bars()
    assert bars.names == ("open", "X wins", "O wins", "draw")
    assert [bar.total for bar in bars.bars] == [depth.states for depth in report.depths]
    assert bars.bars[9].parts == (0, 12, 0, 3)
    root = ElementTree.fromstring(str(bars.picture()))
    titles = [each.text for each in root.iter(f"{SVG}title")]
    assert "depth 9: open 0, X wins 12, O wins 0, draw 3" in titles
    # Parts differ in pattern, too.
    patterns = {each.get("fill") for each in root.iter(f"{SVG}rect") if str(each.get("fill")).startswith("url")}
    assert len(patterns) == 3
    assert {pattern[5:-1] for pattern in patterns} <= {each.get("id") for each in root.iter(f"{SVG}pattern")}


def test_a_puzzle_has_one_part():
    report = puzzlekit.load("rotation").enumerate(max_depth=3)
    assert report.bars().names == ("states",)
    assert report.bars().title.endswith("by moves from the start, not complete")
    assert "moves needed to the goal" in puzzlekit.load("rotation").enumerate(backward=True).bars().title


def test_values_are_plotted_by_depth(command):
    report = puzzlekit.load("tictactoe").values()
    bars = report.bars()
    assert bars.names == ("win", "draw", "loss")
    assert [bar.parts for bar in bars.bars] == [tuple(depth.states.values()) for depth in report.depths]
    assert [bar.total for bar in bars.bars] == [1, 3, 12, 38, 108, 174, 204, 153, 57, 15]
    shown = Seen(report._repr_html_())
    assert {"svg", "table"} <= set(shown.tags)
    assert command("values", "tictactoe", "--plot").out.splitlines()[-10:] == bars.lines(80)[-10:]


def test_surveys_are_plotted_beside_the_fewest_moves(command, tmp_path):
    puzzle = puzzlekit.load("slider:2,2")
    report = survey(puzzle, puzzlekit.solvers(puzzle)["reduction"])
    bars = report.bars()
    assert bars.names == ("reduction", "fewest")
    assert bars.beside
    for place, lengths in enumerate((report.lengths, report.fewest)):
        assert {int(bar.label): bar.parts[place] for bar in bars.bars if bar.parts[place]} == dict(lengths.counts)
    assert {"svg", "table"} <= set(Seen(report._repr_html_()).tags)
    file = tmp_path / "survey.svg"
    words = ("survey", "slider:2,2", "--solver", "reduction", "--plot")
    assert command(*words, str(file)).out.splitlines()[-1].startswith(f"{file}: slider:")
    assert len(rectangles_of(file.read_text(encoding="utf-8"))) == len(bars.bars)
    assert command(*words).out.splitlines()[-len(bars.lines(80)) :] == bars.lines(80)
    assert survey(puzzle).bars().names == ("fewest",)


def test_parts_beside_each_other():
    made = Bars(
        "two", "moves", "states", ("a", "b"), (Bar("0", (1, 4)), Bar("1", (0, 2)), Bar("2", (0, 0))), beside=True
    )
    assert [line.split() for line in made.lines(30)[3:]] == [
        ["0", "1", "█" * 4],
        ["4", "▒" * 15],
        ["1", "2", "▒" * 8],
        ["2", "0"],
    ]
    assert rectangles(made) == [[pytest.approx(53.5), 214.0], [107.0], []]


def test_the_command_plots(command, tmp_path):
    file = tmp_path / "states.svg"
    table = command("enumerate", "rotation", "--max-depth", "4", "--plot")
    assert table.code == 3
    assert [int(line.split()[1]) for line in table.out.splitlines()[-5:]] == [1, 1, 4, 16, 63]
    assert (
        command("enumerate", "--plot", "rotation", "--max-depth", "4").out.splitlines()[-5:]
        == (table.out.splitlines()[-5:])
    )
    written = command("enumerate", "rotation", "--max-depth", "4", "--plot", str(file), "--json")
    assert written.out.startswith("{")
    assert written.out.count("\n") == 1
    assert len(rectangles_of(file.read_text(encoding="utf-8"))) == 5
    said = command("enumerate", "rotation", "--max-depth", "4", "--plot", str(file)).out.splitlines()[-1]
    assert said == f"{file}: rotation: states up to 4 symmetries by moves from the start, not complete"


def rectangles_of(svg):
    return [each for each in ElementTree.fromstring(svg).iter(f"{SVG}g") if each.get("class") == "bar"]


def test_resumed_runs_are_plotted(command, tmp_path):
    folder = str(tmp_path / "job")
    assert command("enumerate", "rotation", "--max-depth", "2", "--out", folder).code == 3
    assert command("resume", folder, "--max-depth", "3", "--plot").out.splitlines()[-1].split()[:2] == ["3", "16"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--plot", "--json"], "--plot and --json both write to stdout; give a file to plot to"),
        (["--plot", "states.pdf"], "--plot is states.pdf; give a file that ends in .svg or .png, or none"),
        (["--plot", "/no/such/folder/a.svg"], "/no/such/folder/a.svg cannot be written"),
    ],
)
def test_what_is_refused(command, words, message):
    result = command("enumerate", "tictactoe:2,2,2", *words)
    assert result.code in (1, 2)
    assert message in result.err


class Seen(HTMLParser):
    """Reads the elements of HTML that a notebook gets, and checks that each is closed."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.texts = [], [], []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        del attrs
        self.tags.append(tag)
        self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        del attrs
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_a_notebook_shows_puzzles_reports_and_solutions():
    puzzle = puzzlekit.load("rotation")
    shown = Seen(puzzle._repr_html_())
    assert "rotation" in shown.texts
    assert shown.tags.count("svg") == 1
    report = Seen(puzzle.enumerate()._repr_html_())
    assert {"svg", "table"} <= set(report.tags)
    assert {"29,216", "362,880"} <= set(report.texts)
    solution = puzzle.solve("213/456/789")
    assert "rotation: 9 moves, proven the fewest, by optimal" in Seen(solution._repr_html_()).texts
    assert "9. C" in Seen(solution._repr_html_()).texts
    assert puzzle.picture("213/456/789")._repr_svg_() == puzzle.view().draw("213/456/789")
    game = puzzlekit.load("tictactoe").solve("XX./OO./...")
    assert "tictactoe: win for the player to move, 1 move, by optimal" in Seen(game._repr_html_()).texts


def test_a_long_solution_is_shown_in_part():
    puzzle = puzzlekit.load("rotation")
    solution = puzzle.solve("915/468/732", puzzlekit.solvers(puzzle)["staged"])
    assert solution.length > 40
    html = solution._repr_html_()
    assert html.count('class="board"') == 41
    assert "The first 40 moves:" in Seen(html).texts


def test_a_solution_is_still_pickled_and_compared():
    puzzle = puzzlekit.load("rotation")
    solution = puzzle.solve("213/456/789")
    again = pickle.loads(pickle.dumps(solution))
    assert again == solution
    assert again._repr_html_() == solution._repr_html_()
    assert not re.search("strip|partial", repr(solution))


def test_a_puzzle_with_faulty_rules_shows_the_fault(tmp_path):
    file = tmp_path / "odd.py"
    file.write_text(
        "from dataclasses import dataclass\nfrom puzzlekit import Puzzle, Rules, put\n\n"
        "@dataclass(frozen=True)\nclass Odd(Puzzle):\n    '''Odd <rules>.'''\n\n    id = 'odd'\n"
        "    def rules(self):\n        return Rules('ab', 'a', [put(0, '<z>')])\n"
    )
    texts = Seen(puzzlekit.load(str(file))._repr_html_()).texts
    assert "Odd <rules>." in texts
    assert any('unknown symbol "<z>"' in text for text in texts)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")
def test_bars_have_colours_on_a_terminal_alone(command, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    shown = on_terminal("enumerate", "tictactoe", "--plot", TERM="xterm-256color")
    last = next(line for line in shown.splitlines() if line.startswith("    9 "))
    assert len(set(re.findall(r"\x1b\[([\d;]+)m[█▒░▓]", last))) == 2
    assert "\x1b" not in on_terminal("enumerate", "tictactoe", "--plot", TERM="dumb")
    assert "\x1b" not in command("enumerate", "tictactoe", "--plot").out
