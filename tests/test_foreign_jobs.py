"""Jobs from other people: code that the job's folder names, but not the user, is not run."""

import dataclasses
import hashlib
import json
import shutil
import sys
from pathlib import Path

import pytest

import puzzlekit
from puzzlekit import CorruptError, JobError, UsageError
from puzzlekit.describe.kept_rules import KeptBoard, board_data, rules_of_data
from puzzlekit.plugins.loader import Plugins
from puzzlekit.puzzle.kept_puzzle import KeptPuzzle
from puzzlekit.run.engine import Engine
from puzzlekit.web import request_fields
from puzzlekit.web.limits import Limits
from puzzlekit.web.offers import Shelf, offers
from puzzlekit.web.tasks import Tasks
from tests import gallery

EVIL = """
import pathlib
pathlib.Path(__file__).with_suffix(".ran").touch()
from dataclasses import dataclass
from puzzlekit_tictactoe import TicTacToe

@dataclass(frozen=True)
class Evil(TicTacToe):
    id = "tictactoe"
"""

RING = (Path(__file__).parent / "fixtures/plugin/puzzlekit_ring/__init__.py").read_text()


def digest(text):
    return hashlib.blake2b(text.encode(), digest_size=32).hexdigest()


def sealed(folder, **subject):
    """Changes entries of the subject in a manifest, and writes the right checksum."""
    path = folder / "manifest.json"
    data = json.loads(path.read_text())
    del data["checksum"]
    definition = folder / "puzzle.json"
    text = definition.read_text()
    data["definition"] |= {"bytes": len(text.encode()), "checksum": digest(text)}
    data["subject"] |= subject
    body = json.dumps(data, indent=2, ensure_ascii=False).removesuffix("\n}")
    path.write_text(f'{body},\n  "checksum": "{digest(body)}"\n}}\n')


def forged(folder, name, text):
    """Writes a path in place of the puzzle's name everywhere in the manifest and in the data of a job."""
    evil = folder / "evil.py"
    evil.write_text(EVIL)
    definition = folder / "puzzle.json"
    data = json.loads(definition.read_text())
    data["puzzle"] = text
    data["shown"]["locator"] = f"{evil}:Evil"
    definition.write_text(json.dumps(data))
    sealed(folder, **{name: f"{evil}:Evil"} if name else {}, puzzle=text)
    return evil


@pytest.fixture(scope="module")
def jobs(tmp_path_factory):
    """The folders of two jobs: a game with values, and a puzzle that is not done."""
    root = tmp_path_factory.mktemp("jobs")
    puzzlekit.load("tictactoe").values(out=root / "values")
    puzzlekit.load("tictactoe").enumerate(out=root / "states", max_depth=2)
    return root


VERBS = {
    "status": ["status", "{job}"],
    "verify": ["verify", "{job}"],
    "hashes": ["verify", "{job}", "--hash"],
    "export": ["export", "{job}", "--to", "{job}.csv"],
    "text": ["export", "{job}", "--text", "--to", "{job}.text.csv"],
    "hardest": ["export", "{job}", "--hardest", "2"],
    "edges": ["export", "{job}", "--edges", "--to", "{job}.edges.csv"],
    "resume": ["resume", "{job}"],
    "shards": ["resume", "{job}", "--on", "processes:2"],
    "values": ["values", "tictactoe", "--out", "{job}"],
    "solve": ["solve", "tictactoe", "--job", "{job}"],
    "play": ["play", "tictactoe", "--job", "{job}"],
    "serve": ["serve", "--job", "{job}", "--port", "65536"],
}


@pytest.mark.parametrize("kind", ["values", "states"])
@pytest.mark.parametrize(("name", "text"), [("locator", "tictactoe"), ("plugin", "tictactoe"), ("", "{evil}:Evil")])
def test_no_verb_runs_a_file_that_the_folder_names(kind, name, text, jobs, tmp_path, command):
    for verb, words in VERBS.items():
        folder = tmp_path / verb
        shutil.copytree(jobs / kind, folder)
        evil = forged(folder, name, text.format(evil=folder / "evil.py"))
        command(*(word.format(job=folder) for word in words), given="quit\n")
        assert not evil.with_suffix(".ran").exists(), verb


@pytest.mark.parametrize("text", ["tictactoe", "{evil}:Evil"])
def test_the_library_and_the_page_run_none_either(text, jobs, tmp_path):
    folder = tmp_path / "job"
    shutil.copytree(jobs / "values", folder)
    evil = forged(folder, "plugin", text.format(evil=folder / "evil.py"))
    job = puzzlekit.open_job(folder)
    job.verify()
    assert job.solver(job.puzzle, job.puzzle.start, budget=None, watch=lambda _: False).value == "draw"
    plugins = Plugins.discover()
    if "evil" in text:
        with pytest.raises(JobError, match=r"evil\.py:Evil, which is no text id"):
            offers(plugins, [], [str(folder)])
    else:
        tasks = Tasks(Shelf(offers(plugins, [], [str(folder)]), plugins), Limits(), lambda _: False)
        for verb in ("describe", "explore", "solve"):
            fields = {"puzzle": "tictactoe"} | ({"state": job.puzzle.start} if verb == "solve" else {})
            tasks.do(request_fields.read(verb, fields))
    assert not evil.with_suffix(".ran").exists()


@pytest.fixture
def ring(tmp_path):
    """The file of a puzzle, and a job of it that is not done."""
    path, job = tmp_path / "ring.py", tmp_path / "job"
    path.write_text(RING)
    puzzlekit.load(f"{path}:9").enumerate(out=job, max_depth=3)
    return path, job


def test_a_job_needs_no_file(ring, command):
    path, job = ring
    whole = puzzlekit.load(f"{path}:9").enumerate()
    path.unlink()
    found = puzzlekit.open_job(job)
    assert (str(found.puzzle), found.puzzle.id) == ("ring:places=9", "ring")
    assert found.resume(max_depth=99).depths == whole.depths
    assert command("--no-plugins", "verify", str(job)).code == 0
    hardest = command("--no-plugins", "export", str(job), "--hardest", "1", "--json")
    assert json.loads(hardest.out)["states"][0]["depth"] == whole.max_depth


def test_a_file_that_is_named_has_the_rules_of_the_job(ring, tmp_path, command):
    path, job = ring
    moved = tmp_path / "moved.py"
    shutil.move(path, moved)
    assert command("verify", str(job), "--file", f"{moved}:Ring").code == 0
    assert type(puzzlekit.open_job(job, file=moved).puzzle).__name__ == "Ring"
    moved.write_text(RING.replace("from-", "to-"))
    for verb in ("verify", "resume", "export"):
        refused = command(verb, str(job), "--file", str(moved))
        assert (refused.code, refused.err.count("\n")) == (2, 1)
        assert "the rules of ring:places=9 are not those that the job in" in refused.err
    moved.write_text(RING.replace('id = "ring"', 'id = "other"'))
    with pytest.raises(JobError, match=r'moved\.py has no puzzle with the id "ring"; it has Ring'):
        puzzlekit.open_job(job, file=moved)


def test_an_installed_puzzle_of_other_rules_is_another(tmp_path):
    folder, other = tmp_path / "job", tmp_path / "other.py"
    other.write_text(RING.replace('id = "ring"', 'id = "rotate"'))
    states = puzzlekit.load(str(other)).enumerate(out=folder).states
    found = puzzlekit.open_job(folder)
    assert (type(found.puzzle), found.resume().states) == (KeptPuzzle, states)
    with pytest.raises(JobError, match="the rules of rotate are not those"):
        puzzlekit.open_job(folder, lambda _: puzzlekit.load("rotate"))
    puzzlekit.load("rotate:2,2").enumerate(out=tmp_path / "theirs")
    assert puzzlekit.open_job(tmp_path / "theirs").puzzle == puzzlekit.load("rotate:2,2")


def test_what_is_not_what_was_written_is_said_to_be_damaged(jobs, tmp_path):
    for name, change, match in (
        ("bytes", lambda text: text + " ", "has .* bytes, and the manifest says"),
        ("letter", lambda text: text.replace('"X"', '"Y"', 1), "not what"),
        ("gone", None, "is not there"),
    ):
        folder = tmp_path / name
        shutil.copytree(jobs / "states", folder)
        path = folder / "puzzle.json"
        path.unlink() if change is None else path.write_text(change(path.read_text()))
        with pytest.raises(CorruptError, match=match):
            puzzlekit.open_job(folder).verify()
    for name, change, match in (
        ("deep", {"shown": "[" * 10**5 + "]" * 10**5}, "is no JSON"),
        ("rules", {"rules": json.dumps({"symbols": "ab"})}, "malformed"),
        ("other", {"puzzle": '"slider"'}, "is of the puzzle slider, and the manifest of tictactoe"),
    ):
        folder = tmp_path / name
        shutil.copytree(jobs / "states", folder)
        path = folder / "puzzle.json"
        parts = {key: json.dumps(value) for key, value in json.loads(path.read_text()).items()} | change
        path.write_text("{" + ",".join(f'"{key}":{value}' for key, value in parts.items()) + "}")
        sealed(folder)
        with pytest.raises(CorruptError, match=match):
            puzzlekit.open_job(folder).verify()
    folder = tmp_path / "rules of another"
    shutil.copytree(jobs / "states", folder)
    data = json.loads((folder / "puzzle.json").read_text())
    data["rules"]["symmetries"].pop()
    (folder / "puzzle.json").write_text(json.dumps(data))
    sealed(folder)
    with pytest.raises(CorruptError, match="other rules than those that the manifest names"):
        puzzlekit.open_job(folder).verify()


@pytest.mark.parametrize("change", [{"width": 1e300}, {"width": -1.0}, {"targets": [77]}, {"looks": []}, {"spots": 3}])
def test_a_view_that_fits_no_rules_is_refused(change, jobs, tmp_path):
    folder = tmp_path / "job"
    shutil.copytree(jobs / "states", folder)
    data = json.loads((folder / "puzzle.json").read_text())
    data["shown"]["view"] |= change
    (folder / "puzzle.json").write_text(json.dumps(data))
    sealed(folder)
    kept = puzzlekit.jobs.Job(folder).puzzle
    with pytest.raises(CorruptError, match=r"puzzle\.json has a view that"):
        kept.view()
    assert kept.start == puzzlekit.load("tictactoe").start


EVERY = [*puzzlekit.puzzles(), *map(str, gallery.FILES.values())]


QUICK = {*puzzlekit.puzzles(), "sokoban", "othello", "cube3", "lights_out", "pegs", "mu_torere", "klotski", "hexapawn"}
"""The puzzles of the quick run: each kind of board, of guard, of goal and of end."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, id=Path(name).stem, marks=() if Path(name).stem in QUICK else pytest.mark.slow)
        for name in EVERY
    ],
)
def test_every_puzzle_is_read_as_it_was_kept(name, tmp_path):
    """For installed puzzles and the gallery: a job gives the same rules, texts, pictures and view as the puzzle."""
    puzzle = puzzlekit.load(name)
    report = puzzle.enumerate(out=tmp_path / "job", max_depth=1, store="sparse")
    kept = puzzlekit.jobs.Job(tmp_path / "job").puzzle
    assert isinstance(kept, KeptPuzzle)
    assert kept.engine.fingerprint == puzzle.engine.fingerprint
    assert (str(kept), kept.id, kept.guide()) == (str(puzzle), puzzle.id, puzzle.guide())
    assert kept.view() == puzzle.view()
    notation, theirs = puzzle.engine.notation, kept.engine.notation
    for state in (puzzle.start, *(puzzle.apply(puzzle.start, move) for move in puzzle.legal_moves(puzzle.start)[:1])):
        assert (theirs.board(state), theirs.read(state)) == (notation.board(state), notation.read(state))
        assert kept.legal_moves(state) == puzzle.legal_moves(state)
        assert kept.picture(state).svg == kept.view().draw(state)
    assert kept.enumerate(max_depth=1, store="sparse").depths == report.depths


def test_changed_rules_are_written_anew():
    rules = puzzlekit.load("tictactoe").rules()
    kept = rules_of_data(json.loads(Engine(rules).rules_json), board_data(rules), None)
    assert Engine(kept).fingerprint == Engine(rules).fingerprint
    changed = {"symmetries": (), "stuck": "loss"}
    again = Engine(dataclasses.replace(kept, **changed))
    assert again.fingerprint == Engine(dataclasses.replace(rules, **changed)).fingerprint
    assert isinstance(kept.board, KeptBoard | None)


def test_a_page_has_the_job_of_its_parameters_alone(ring):
    path, job = ring
    plugins = Plugins.discover()
    found = offers(plugins, [], [str(job)])
    assert (found[0].kept, found[0].locator) == (True, "")
    shelf = Shelf(found, plugins)
    assert shelf.puzzle("ring") is shelf.puzzle("ring:places=9")
    with pytest.raises(UsageError, match="the job has ring:places=9 alone"):
        shelf.puzzle("ring:places=8")
    named = offers(plugins, [str(path)], [str(job)])
    assert [(offer.text, offer.kept) for offer in named] == [("ring:places=9", False)]
    assert str(Shelf(named, plugins).puzzle("ring:places=8")) == "ring:places=8"
    path.write_text(RING.replace("from-", "to-"))
    with pytest.raises(JobError, match="the rules of ring:places=9 are not those"):
        offers(plugins, [str(path)], [str(job)])
    assert "ring" not in sys.modules
