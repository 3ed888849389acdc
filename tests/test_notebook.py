"""The notebook of the documentation runs and shows what it holds; and objects worth looking at show themselves."""

import json
import xml.etree.ElementTree as ET

import puzzlekit
from tests import notebook


def test_the_notebook_shows_what_its_cells_give():
    written = json.loads(notebook.PATH.read_text(encoding="utf-8"))
    assert notebook.text(notebook.executed(written)) == notebook.PATH.read_text(encoding="utf-8"), (
        "run `python -m tests.notebook`"
    )
    kinds = {kind for cell in written["cells"] for each in cell.get("outputs", ()) for kind in each.get("data", ())}
    assert kinds == {"text/plain", "text/html", "image/svg+xml"}


def test_the_file_is_a_notebook_of_the_fourth_format():
    """What the schema of nbformat 4.5 requires, of the kinds of cells and outputs that it has."""
    written = json.loads(notebook.PATH.read_text(encoding="utf-8"))
    assert (written["nbformat"], written["nbformat_minor"]) == (4, 5)
    assert written["metadata"]["kernelspec"]["name"] == "python3"
    ids = [cell["id"] for cell in written["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in written["cells"]:
        needed = {"cell_type", "id", "metadata", "source"}
        assert set(cell) == needed | ({"execution_count", "outputs"} if cell["cell_type"] == "code" else set())


def test_what_is_worth_looking_at_shows_itself():
    rotation, game = puzzlekit.load("rotation"), puzzlekit.load("tictactoe")
    shown = [
        rotation,
        rotation.rules(),
        rotation.scramble("tea"),
        puzzlekit.scramble_needing(rotation, 3, "tea"),
        rotation.enumerate(max_depth=3),
        rotation.solve("412/653/789"),
        game.values(),
        puzzlekit.survey(puzzlekit.load("slider:2,2")),
    ]
    for each in shown:
        ET.fromstring(each._repr_html_())  # it is well-formed, so no text is unescaped
    assert "<svg" in shown[2]._repr_html_()
    assert rotation.picture(rotation.start)._repr_svg_().startswith("<svg")
    assert "<" not in "".join(map(str, shown[2:]))
    odd = puzzlekit.Rules(symbols=["<", "&"], start=["<", "&"], moves=[puzzlekit.swap(0, 1)])
    assert "&lt; &amp;" in odd._repr_html_()


def test_reports_are_printed_as_tables():
    lines = str(puzzlekit.load("tictactoe").enumerate()).splitlines()
    assert lines[0].startswith("tictactoe: 765 states, ")
    assert lines[1].split() == ["depth", "states", "raw", "states", "open", "X", "O", "draw"]
    assert lines[-1].split() == ["all", "765", "5,478", "627", "91", "44", "3"]
    assert str(puzzlekit.load("rotation").solve("412/653/789")).splitlines()[1] == "A A A B B B"
    scrambled = puzzlekit.load("rotation").scramble("tea")
    assert str(scrambled).splitlines() == [scrambled.state, 'seed "tea": each reachable state equally likely']
    survey = str(puzzlekit.survey(puzzlekit.load("slider:2,3"))).splitlines()
    assert survey[-1].split() == ["fewest", "360", "21", "12.622"]
