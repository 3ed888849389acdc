"""Values in shards that are interrupted: what is kept, that each slice comes further, and messages that do not fit."""

from __future__ import annotations

import json
import shutil

import pytest

from puzzlekit import CorruptError, DiskError, JobError
from puzzlekit.cli.enumerate import Interrupt
from puzzlekit.run.engine import Engine
from puzzlekit.run.job_parts import JobFolder
from tests import boards
from tests.support import RunOptions, grain_of
from tests.test_jobs import files
from tests.test_shards import Inside, Killed, without_epochs
from tests.worth import kept_states

ALWAYS = 1e-6
"""A checkpoint after each round."""

NEVER = 1e6
"""No checkpoint but those of a run that is stopped."""


class Seen(Inside):
    """Workers inside this process, with all that they were asked, and a strike that may end the driver."""

    def __init__(self, shards, strike=lambda _shard, _request, _done: None, change=lambda request: request):
        super().__init__(shards, self.look, change)
        self.strike, self.asked, self.last = strike, [], None

    def look(self, shard, request):
        if shard is not None:
            self.asked.append((shard, request))
            self.last = shard
        self.strike(self.last, request, shard is None)

    def of(self, verb):
        """The requests of a kind to shard 0."""
        return [request for shard, request in self.asked if shard == 0 and request["verb"] == verb]


def values(rules, folder, executor, watch=None, *, drop_partial=False, **options):
    """The values of rules in shards, by each state apart."""
    place = JobFolder(str(folder), "rules", drop_partial=drop_partial)
    asked = RunOptions(symmetry=False, threads=1, store="sparse", **options)
    return executor.values(Engine(rules), "rules", asked, place, watch)


def kept_moves(job, shard):
    """The number of moves up to which a shard has kept values that spread."""
    manifest = json.loads((job / f"shard-{shard:05}" / "manifest.json").read_text())
    return manifest["values"]["spread"]["moves"]


def ends_at(verb, shards, *, done=True, depth=0):
    """A strike that ends the driver when all shards have done a request, or before the first one does it."""

    def strike(shard, request, is_done):
        at = shards - 1 if done else 0
        if (request["verb"], request.get("depth", 0), is_done, shard) == (verb, depth, done, at):
            raise ZeroDivisionError

    return strike


@pytest.mark.parametrize(("name", "shards"), [("chase again", 2), ("turn:2,3", 3), ("nim again", 2)])
def test_the_last_keeping_of_values_loses_no_rounds(name, shards, tmp_path):
    """All ends when each shard has written the last values, and the job does not count them yet."""
    rules, job = boards.ALL[name], tmp_path / "job"
    values(rules, tmp_path / "whole", Inside(shards), checkpoint=ALWAYS)
    whole = files(tmp_path / "whole")
    first = Seen(shards, ends_at("keep-values", shards))
    with pytest.raises(ZeroDivisionError):
        values(rules, job, first, checkpoint=ALWAYS)
    kept = min(kept_moves(job, shard) for shard in range(shards))
    again = Seen(shards)
    assert values(rules, job, again, checkpoint=ALWAYS).complete
    assert again.of("tell")[0]["moves"] == kept > 0
    assert files(job) == whole


@pytest.mark.parametrize("name", ["chase", "pegs"])
@pytest.mark.parametrize("done", [False, True])
def test_an_end_before_the_shards_drop_their_checkpoints(name, done, tmp_path):
    """The job counts all values, and the shards were not told yet, or only they know."""
    rules, job, begun = boards.ALL[name], tmp_path / "job", []
    values(rules, tmp_path / "whole", Inside(2), checkpoint=ALWAYS)

    def strike(shard, request, is_done):
        depths = request.get("depths")
        if request["verb"] == "begin" and depths and depths == request["valued"] and is_done == done:
            begun.append(shard)
            if shard == (1 if done else 0):
                raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        values(rules, job, Seen(2, strike), checkpoint=ALWAYS)
    assert begun
    assert kept_states(Engine(rules), JobFolder(str(job), "rules")).verify(None, None)["complete"]
    last = Seen(2)
    assert values(rules, job, last, checkpoint=ALWAYS).complete
    assert not last.of("tell")
    assert files(job) == files(tmp_path / "whole")


def test_a_damaged_checkpoint_is_dropped_when_asked_for(tmp_path):
    rules, job = boards.ALL["chase again"], tmp_path / "job"
    values(rules, tmp_path / "whole", Inside(2))
    with pytest.raises(ZeroDivisionError):
        values(rules, job, Seen(2, ends_at("keep-values", 2, done=False, depth=1)), checkpoint=ALWAYS)
    kept = next((job / "shard-00001").glob("*.spread"))
    content = kept.read_bytes()
    kept.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(CorruptError, match="resume with --drop-partial"):
        values(rules, job, Inside(2))

    # A worker that is lost later does not drop what was kept since.
    killed = []

    def strike(shard, request, is_done):
        if request["verb"] == "tell" and request["moves"] == 3 and shard == 1 and is_done and not killed:
            killed.append(shard)
            raise Killed

    on = Seen(2, strike)
    assert values(rules, job, on, drop_partial=True, checkpoint=ALWAYS).complete
    begun = [request["anew"] for request in on.of("begin")]
    assert begun[0] is True
    assert not any(begun[1:])
    assert killed
    assert [request["moves"] for request in on.of("tell")].count(0) == 2, "one with questions, and the first round"
    assert files(job) == files(tmp_path / "whole")


@pytest.mark.parametrize(("name", "shards"), [("chase again", 2), ("turn:2,3", 3), ("nim", 2), ("pegs", 2)])
def test_each_slice_comes_further(name, shards, tmp_path):
    """Each run is told to stop at once, as after --seconds; still all values are found in the end."""
    rules, job, slices, before = boards.ALL[name], tmp_path / "job", 0, None
    values(rules, tmp_path / "whole", Inside(shards))
    complete = False
    while not complete:
        interrupt = Interrupt(1e-9)
        complete = values(rules, job, Inside(shards), interrupt.stops, checkpoint=NEVER).complete
        kept = without_epochs(job)
        assert kept != before, slices
        before, slices = kept, slices + 1
        assert slices < 200
    assert slices > 5
    assert files(job) == files(tmp_path / "whole")


def name_of(file):
    """The name of a message without the number of it among those of its sender."""
    before, _, kind = file["name"].rsplit(".", 2)
    return before, kind


def stopped_after_all_rounds(rules, job):
    """Stops a run when it writes values, and returns its workers."""
    stopping = []

    def strike(_shard, request, _done):
        if request["verb"] == "keep-values":
            stopping.append(request)

    first = Seen(2, strike)
    assert not values(rules, job, first, lambda _: bool(stopping), checkpoint=NEVER).complete
    return first


def test_a_run_that_is_stopped_while_values_are_written_keeps_its_rounds(tmp_path):
    rules, job = boards.ALL["nim again"], tmp_path / "job"
    values(rules, tmp_path / "whole", Inside(2))
    first = stopped_after_all_rounds(rules, job)
    again = Seen(2)
    assert values(rules, job, again, checkpoint=NEVER).complete
    assert again.of("tell")[0]["moves"] == first.of("tell")[-1]["moves"]
    assert files(job) == files(tmp_path / "whole")


@pytest.mark.parametrize("name", ["chase again", "nim again"])
def test_what_is_passed_on_once_more_comes_in_portions(name, tmp_path):
    """Where moves are undone, and where successors are listed."""
    rules, job, grain = boards.ALL[name], tmp_path / "job", grain_of((0, 3, 2, 2))
    values(rules, tmp_path / "whole", Inside(2), grain=grain)
    stopped_after_all_rounds(rules, job)
    shutil.copytree(job, tmp_path / "other")
    again, plain = Seen(2), Seen(2)
    assert values(rules, job, again, grain=grain).complete
    assert len([request for request in again.of("tell") if request["again"]]) > 1
    # Predecessors are sent in portions, too, so that the memory for them is bounded.
    sent = [[name_of(file) for file in request["files"]] for request in again.of("take")]
    assert any(len(set(names)) < len(names) for names in sent) == (name == "nim again")
    assert files(job) == files(tmp_path / "whole")
    assert values(rules, tmp_path / "other", plain).complete
    assert not any(request["again"] for request in plain.of("tell"))
    assert files(tmp_path / "other") == files(tmp_path / "whole")


@pytest.mark.parametrize(
    ("name", "verb"), [("chase", "take"), ("chase", "tell"), ("nim", "take"), ("pegs", "take"), ("pegs", "tell")]
)
def test_a_message_that_is_named_twice_is_refused(name, verb, tmp_path):
    """A value that is heard twice would be counted twice."""
    rules, job, twice = boards.ALL[name], tmp_path / "job", []
    values(rules, tmp_path / "whole", Inside(2))

    def change(request):
        if request["verb"] == verb and request["files"] and not twice:
            twice.append(request)
            request["files"] = [*request["files"], request["files"][0]]
        return request

    with pytest.raises(JobError, match=r"was named twice to .*; resume the job"):
        values(rules, job, Inside(2, change=change))
    assert twice
    assert values(rules, job, Inside(2)).complete
    assert files(job) == files(tmp_path / "whole")


def test_a_message_of_another_kind_is_refused(tmp_path):
    """A run of states is no message about values, so a shard that was told to read it would leave it out."""
    rules = boards.ALL["chase"]

    def change(request):
        if request["verb"] == "take":
            for file in request["files"]:
                file["name"] = file["name"].rsplit(".", 1)[0] + ".told"
        return request

    with pytest.raises(JobError, match="where it does not belong"):
        values(rules, tmp_path / "job", Inside(2, change=change))


def test_messages_take_of_the_disk_that_a_shard_may_take(tmp_path):
    rules, job = boards.ALL["chase"], tmp_path / "job"
    values(rules, tmp_path / "whole", Inside(2), checkpoint=NEVER)
    with pytest.raises(ZeroDivisionError):
        values(rules, job, Seen(2, ends_at("ask", 2, done=False, depth=None)), checkpoint=NEVER)
    manifests = [json.loads((job / f"shard-0000{shard}" / "manifest.json").read_text()) for shard in range(2)]
    held = max(sum(file["bytes"] for depth in each["depths"] for file in depth["files"]) for each in manifests)
    with pytest.raises(DiskError, match=r"asked-0.* would take more than --disk allows"):
        values(rules, job, Inside(2), checkpoint=NEVER, disk=held + 5)
    assert values(rules, job, Inside(2), checkpoint=NEVER).complete
    assert files(job) == files(tmp_path / "whole")


def test_a_failure_is_told_before_a_stop(tmp_path):
    """A run is told to stop in the moment in which a shard finds a message damaged."""
    rules, job, damaged = boards.ALL["chase again"], tmp_path / "job", []

    def strike(shard, request, done):
        if request["verb"] == "take" and request["files"] and shard == 1 and not done:
            damaged.append(shard)
            (job / "shard-00001" / request["files"][0]["name"]).write_bytes(b"")

    on = Seen(2, strike)
    with pytest.raises(CorruptError, match="passed"):
        values(rules, job, on, lambda _: bool(damaged), checkpoint=NEVER)
    assert not on.of("keep-spread"), "what the shards have is not to be kept"


def test_a_worker_that_is_lost_is_not_asked_to_keep_anything(tmp_path):
    """A run is told to stop in the moment in which a worker ends."""
    rules, job, lost = boards.ALL["chase again"], tmp_path / "job", []

    def strike(shard, request, done):
        if request["verb"] == "tell" and request["moves"] == 2 and shard == 1 and not done and not lost:
            lost.append(shard)
            raise Killed

    on = Seen(2, strike)
    assert not values(rules, job, on, lambda _: bool(lost), checkpoint=NEVER).complete
    assert lost
    assert not on.of("keep-spread")
    assert values(rules, job, Inside(2)).complete


def test_a_worker_that_is_lost_while_it_keeps_rounds_does_not_undo_a_stop(tmp_path):
    rules, job, stopping, lost = boards.ALL["chase again"], tmp_path / "job", [], []

    def strike(shard, request, done):
        if request["verb"] == "tell" and request["moves"] == 2 and shard is not None:
            stopping.append(shard)
        if request["verb"] == "keep-spread" and not done and not lost:
            lost.append(shard)
            raise Killed

    on = Seen(2, strike)
    assert not values(rules, job, on, lambda _: bool(stopping), checkpoint=NEVER).complete
    assert lost
