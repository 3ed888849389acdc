"""Jobs in shards on Ray: the same counts and files as with processes; lost actors are started again. Needs Ray."""

import json

import pytest

from puzzlekit import JobError, executor, load, open_job

ray = pytest.importorskip("ray", reason="`make ray` installs it")
pytestmark = [
    pytest.mark.timeout(600),
    # Ray's own code, which pytest would otherwise take for faults of these tests.
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

from puzzlekit_ray import executor as ray_executor  # noqa: E402 - only where there is Ray
from puzzlekit_ray.cluster import RayExecutor, share  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def started():
    """The first test starts a Ray of this machine, which takes seconds, and the others use it, too."""
    yield
    ray.shutdown()


def test_all_actors_fit_the_cores():
    given = (([8, 8], 2), ([8, 4], 3), ([2], 3), ([0, 4], 1))
    assert [share(nodes, shards) for nodes, shards in given] == [8, 2, 0.66, 4]


def files(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def sums(folder):
    return [depth["sum"] for depth in json.loads((folder / "manifest.json").read_text())["depths"]]


@pytest.mark.parametrize("text", ["tictactoe:3,3,3", "rotate:2,3"])
@pytest.mark.parametrize("shards", [1, 3])
def test_the_files_are_those_of_processes(text, shards, tmp_path):
    puzzle = load(text)
    found = puzzle.enumerate(out=tmp_path / "ray", on=ray_executor("", shards), threads=1, memory="500MiB")
    same = puzzle.enumerate(out=tmp_path / "same", on=executor(f"processes:{shards}"), threads=1)
    assert found.complete
    assert found.depths == same.depths == puzzle.enumerate(store="sparse").depths
    assert files(tmp_path / "ray") == files(tmp_path / "same")
    open_job(tmp_path / "ray").verify()


class Seen(RayExecutor):
    """An executor that lets the test kill its actors."""

    def workers(self, setup):
        """The actors, which the test sees, too."""
        self.made = super().workers(setup)
        return self.made


def test_an_actor_that_is_killed_is_started_again(tmp_path):
    puzzle, on, killed = load("slider:3,4"), Seen("", 2), []

    def watch(progress):
        if progress.depth == 8 and not killed:
            killed.append(True)
            ray.kill(on.made._actors[1])

    given = {"threads": 1, "max_depth": 18, "memory": "500MiB"}
    found = puzzle.enumerate(out=tmp_path / "job", on=on, watch=watch, **given)
    assert killed
    whole = puzzle.enumerate(out=tmp_path / "whole", on=executor("processes:2"), **given)
    assert found.depths == whole.depths
    assert sums(tmp_path / "job") == sums(tmp_path / "whole")
    parts = [{name: data for name, data in files(tmp_path / at).items() if name.parts[1:]} for at in ("job", "whole")]
    assert parts[0] == parts[1]
    assert json.loads((tmp_path / "job" / "manifest.json").read_text())["epoch"] == 2


def test_a_job_that_was_stopped_goes_on_with_processes_and_back(tmp_path):
    puzzle = load("rotate:2,3")
    for depth, on in enumerate([ray_executor("", 2), executor("processes:2"), ray_executor("", 2)], 2):
        if depth == 2:
            puzzle.enumerate(out=tmp_path / "job", on=on, max_depth=depth)
        else:
            open_job(tmp_path / "job").resume(on=on, max_depth=depth)
    assert open_job(tmp_path / "job").status()["depths"][-1]["depth"] == 4
    with pytest.raises(JobError, match="holds a job of 2 shards, which cannot become 3; resume it with 2"):
        open_job(tmp_path / "job").resume(on=ray_executor("", 3), max_depth=9)


def test_the_command_line_names_it(tmp_path):
    on = executor("ray", 2)
    assert (on.name, on.shards) == ("ray", 2)
    found = load("tictactoe").enumerate(out=tmp_path / "job", on=on)
    assert (found.states, found.store_reason) == (765, "in 2 shards")
