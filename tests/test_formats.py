"""Files of other programs: their endings are named by plugins, and they are read or refused like files of Python."""

import json
import sys
from importlib.metadata import EntryPoint
from types import ModuleType

import pytest

import puzzlekit
from puzzlekit import PluginError, Puzzle, Rules, UsageError, cycle
from puzzlekit.cli.app import run
from puzzlekit.plugins.formats import Formats
from puzzlekit.plugins.loader import Plugins
from puzzlekit.web.offers import Shelf, offers


def read_beads(text, name):
    """The puzzle of a file that has beads in a line: they go around."""
    if not text.strip().isalpha():
        raise UsageError(f"line 1, column {len(text.strip())}: a bead is no letter; give letters")
    if text.startswith("crash"):
        raise ZeroDivisionError(name)
    if text.startswith("nothing"):
        return name

    from dataclasses import dataclass

    @dataclass(frozen=True)
    class Beads(Puzzle):
        """Beads."""

        id = name
        backward: bool = False

        def rules(self):
            turn = cycle(*range(len(text.strip())))
            return Rules(
                sorted(set(text.strip())), text.strip(), [(~turn if self.backward else turn).named("turn")],
                goal=text.strip(),
            )  # fmt: skip

    return Beads


@pytest.fixture
def plugins(monkeypatch):
    """Plugins with one kind of files, `.beads`."""
    module = ModuleType("puzzlekit_beads")
    module.read = read_beads
    module.number = 3
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return with_formats("puzzlekit_beads:read")


def with_formats(*values, name="beads"):
    return Plugins((), formats=Formats(lambda: [EntryPoint(name, value, "puzzlekit.formats") for value in values]))


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "ring.beads"
    path.write_text("abc\n")
    return path


def test_a_file_is_named_like_one_of_python(plugins, path):
    for text in (path, f"{path}:Beads", f" {path} "):
        assert str(plugins.parse(str(text))) == "ring"
    for text in (f"{path}:true", f"{path}:Beads:backward=true"):
        assert str(plugins.parse(text)) == "ring:backward=true"
    assert plugins.parse(str(path)).enumerate().states == 3
    assert plugins.file_of(f"{path}:true") == str(path)
    assert plugins.file_of("tictactoe:3,3") is None
    with pytest.raises(UsageError, match=r'ring\.beads has no puzzle "Other"; it has Beads'):
        plugins.parse(f"{path}:Other:backward=true")


def test_a_file_is_read_once_and_after_a_change(plugins, path):
    before = type(plugins.parse(str(path)))
    assert type(plugins.parse(str(path))) is before
    path.write_text("abcd\n")
    assert plugins.parse(str(path)).enumerate().states == 4


def test_a_job_needs_the_file_no_longer(plugins, path, tmp_path):
    plugins.parse(str(path)).enumerate(out=tmp_path / "job")
    text = path.read_text()
    path.unlink()
    assert puzzlekit.open_job(tmp_path / "job").puzzle.enumerate().states == 3
    path.write_text(text)
    assert plugins.open_job(tmp_path / "job", path).puzzle.id == "ring"


def test_a_server_has_the_puzzle_of_a_file(plugins, path):
    (offer,) = offers(plugins, [f"{path}:true"])
    assert (offer.id, offer.text, offer.locator) == ("ring", "ring:backward=true", f"{path}:Beads")
    shelf = Shelf([offer], plugins)
    assert str(shelf.puzzle("ring")) == "ring"
    assert str(shelf.puzzle("ring:backward=true")) == "ring:backward=true"
    with pytest.raises(UsageError, match=r"there is no puzzle '.*' here; there is ring$"):
        shelf.puzzle(str(path))


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (None, UsageError, r"there is no file .*ring\.beads; give the path"),
        (b"\xff", UsageError, r"ring\.beads cannot be read: .*; give a text file"),
        (b"ab1", UsageError, r"ring\.beads, line 1, column 3: a bead is no letter"),
        (b"crash", PluginError, r"the reader of \.beads files of .* fails with .*ring\.beads: ZeroDivisionError: ring"),
        (b"nothing", PluginError, r"returned 'ring'; return a subclass of puzzlekit\.Puzzle"),
    ],
)
def test_what_cannot_be_read(text, error, message, plugins, path):
    if text is None:
        path.unlink()
    else:
        path.write_bytes(text)
    with pytest.raises(error, match=message):
        plugins.parse(str(path))


def test_a_long_file_is_refused(plugins, path, monkeypatch):
    monkeypatch.setattr("puzzlekit.plugins.formats.MOST_BYTES", 2)
    with pytest.raises(UsageError, match=r"ring\.beads has more than 0 MiB"):
        plugins.parse(str(path))


@pytest.mark.usefixtures("plugins")
def test_readers_that_cannot_be_used(path):
    for values, message in (
        (["puzzlekit_nowhere:read"], "cannot be loaded: ModuleNotFoundError"),
        (["puzzlekit_beads:number"], "is 3; name a function of the text and the name of a file"),
        (["puzzlekit_beads:read"] * 2, "has a rival, an unknown distribution; uninstall one of the two"),
    ):
        found = with_formats(*values)
        with pytest.raises(PluginError, match=message):
            found.parse(str(path))
        (known,) = found.formats.all()
        assert message in known.fault()


@pytest.mark.usefixtures("plugins")
def test_the_longest_ending_counts(path):
    longer = path.rename(path.with_name("ring.small.beads"))
    entries = [EntryPoint("beads", "nowhere:read", "puzzlekit.formats")]
    entries.append(EntryPoint("small.beads", "puzzlekit_beads:read", "puzzlekit.formats"))
    found = Plugins((), formats=Formats(lambda: entries))
    assert str(found.parse(str(longer))) == "ring"


def test_a_file_that_nobody_reads(path):
    with pytest.raises(UsageError, match=r"no plugin reads files such as .*ring\.beads; .* end in \.py, and plugins"):
        Plugins(()).parse(str(path))
    with pytest.raises(UsageError, match=r'there is no puzzle "ring\.beads"'):
        Plugins(()).parse("ring.beads")


def test_only_a_plugin_that_can_write_python_does(plugins, path):
    with pytest.raises(UsageError, match="the plugin that reads ring cannot write it as Python; use the file itself"):
        plugins.as_python(str(path))


@pytest.mark.parametrize("made", [3, ZeroDivisionError("no"), UsageError("not this one")])
def test_a_writer_that_fails(made, plugins, path):
    kind = type(plugins.parse(str(path)))

    def write():
        if isinstance(made, Exception):
            raise made
        return made

    kind.as_python = staticmethod(write)
    with pytest.raises(UsageError if isinstance(made, UsageError) else PluginError):
        plugins.as_python(str(path))


def test_formats_are_listed(capsys):
    assert run(["plugins", "list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["formats"]
    installed = Formats.discover().all()
    assert [each["ending"] for each in listed] == [each.ending for each in installed]
    assert [each["error"] for each in listed] == [None] * len(installed)
    assert run(["plugins", "list"]) == 0
    shown = capsys.readouterr().out
    assert all(f"{each.ending} " in shown for each in installed)
