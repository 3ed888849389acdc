"""The forecast of a job in shards (`--dry-run`): compared with the messages that runs send and the files they write."""

from __future__ import annotations

import json
import os

import pytest

import puzzlekit
from puzzlekit import DiskError, LimitError, UsageError
from puzzlekit.jobs.shards import forecast as planning
from puzzlekit.jobs.shards import processes
from puzzlekit.jobs.shards import sample as sampling
from puzzlekit.shards import plan_in_shards
from tests.test_jobs import Board
from tests.test_shards import Inside, run


class Counted(Inside):
    """Workers in this process. The test counts the runs that each worker is told of."""

    def __init__(self, shards):
        super().__init__(shards, change=self.look)
        self.runs, self.words = [], {}

    def workers(self, setup):
        made = super().workers(setup)
        heard = made.next

        def noted(seconds):
            message = heard(seconds)
            for sent in (message.data or {}).get("sent", ()) if message is not None else ():
                depth = int(sent["file"]["name"].split(".")[0].removeprefix("depth-"))
                every, others = self.words.get(depth, (0, 0))
                self.words[depth] = (every + sent["words"], others + sent["words"] * (sent["to"] != message.shard))
            return message

        made.next = noted
        return made

    def look(self, request):
        if request["verb"] == "close":
            self.runs += request["files"]
        # A plan counts all runs as if none of them stayed in memory.
        return {**request, "holds": False} if request["verb"] == "expand" else request

    def sent(self):
        """For each depth: the bytes that shards sent, and those of them that went to other shards."""
        sent, wire = {}, {}
        for file in self.runs:
            depth, _, sender, owner, _ = file["name"].split(".", 4)
            depth = int(depth.removeprefix("depth-"))
            sent[depth] = sent.get(depth, 0) + file["bytes"]
            if sender.removeprefix("from-") != owner.removeprefix("to-"):
                wire[depth] = wire.get(depth, 0) + file["bytes"]
        return sent, wire


def kept(folder, shards):
    """The bytes of the files of each depth in the folders of all shards."""
    found = {}
    for shard in range(shards):
        for file in (folder / f"shard-{shard:05}").glob("depth-*"):
            depth = int(file.name.split(".")[0].removeprefix("depth-"))
            found[depth] = found.get(depth, 0) + file.stat().st_size
    return found


def listed(plan, name):
    return {depth.depth: getattr(depth, name) for depth in plan.depths if getattr(depth, name)}


def on(shards):
    return puzzlekit.shards.executor(f"processes:{shards}")


@pytest.mark.parametrize(
    ("name", "shards"), [("slider:3,3", 2), ("rotate:2,3", 1), ("rotate:2,3", 5), ("tictactoe", 3), ("flipit", 1)]
)
def test_a_sample_of_all_states_is_what_a_run_takes(name, shards, tmp_path):
    puzzle, counted = puzzlekit.load(name), Counted(shards)
    plan = plan_in_shards(puzzle, on(shards))
    report = run(puzzle, tmp_path / "job", counted)
    assert plan.total.scope == "complete"
    assert (plan.total.states, plan.total.depths) == (report.states, len(report.depths))
    assert plan.total.successors == report.generated
    sent, wire = counted.sent()
    assert (listed(plan, "sent_bytes"), listed(plan, "wire_bytes")) == (sent, wire)
    words = [{depth: each[at] for depth, each in counted.words.items() if each[at]} for at in (0, 1)]
    assert [listed(plan, "sent_words"), listed(plan, "wire_words")] == words
    assert plan.total.states - 1 <= plan.total.sent_words <= plan.total.successors
    assert listed(plan, "file_bytes") == kept(tmp_path / "job", shards)


def test_processes_send_and_write_what_was_told(tmp_path, monkeypatch):
    received = []
    # Records the requests in which the driver tells each process of the runs that are for it.
    ask = processes.ProcessWorkers.ask
    monkeypatch.setattr(
        processes.ProcessWorkers,
        "ask",
        lambda self, shard, number, request: (
            received.extend((shard, file) for file in request.get("files", ())),
            ask(self, shard, number, {**request, "holds": False} if "holds" in request else request),
        ),
    )
    puzzle = puzzlekit.load("slider:3,3")
    plan = plan_in_shards(puzzle, on(2))
    puzzle.enumerate(out=tmp_path / "job", on=on(2), threads=1)
    others = [file["bytes"] for shard, file in received if f".from-{shard:05}." not in file["name"]]
    assert plan.total.sent_bytes == pytest.approx(sum(file["bytes"] for _, file in received), rel=0.02)
    assert plan.total.wire_bytes == pytest.approx(sum(others), rel=0.02)
    assert plan.total.file_bytes == pytest.approx(sum(kept(tmp_path / "job", 2).values()), rel=0.02)


def test_more_shards_than_a_sample_has_are_told_within_a_tenth(tmp_path):
    puzzle, counted = puzzlekit.load("slider:3,4"), Counted(14)
    plan = plan_in_shards(puzzle, on(14), max_depth=17)
    run(puzzle, tmp_path / "job", counted, max_depth=17)
    assert (plan.sample_shards, plan.total.scope) == ((8, 4), "max-depth")
    sent, wire = counted.sent()
    files = kept(tmp_path / "job", 14)
    last = plan.depths[-1]
    assert last.depth == 17
    assert last.sent_bytes == pytest.approx(sent[17], rel=0.1)
    assert last.wire_bytes == pytest.approx(wire[17], rel=0.1)
    assert last.file_bytes == pytest.approx(files[17], rel=0.1)
    assert (last.sent_words, last.wire_words) == pytest.approx(counted.words[17], rel=0.1)


def test_the_next_depths_are_told_by_growth(tmp_path, monkeypatch):
    monkeypatch.setattr(sampling, "SAMPLE_SUCCESSORS", 100_000)
    puzzle, counted = puzzlekit.load("slider:3,4"), Counted(2)
    plan = plan_in_shards(puzzle, on(2), max_depth=18)
    run(puzzle, tmp_path / "job", counted, max_depth=18)
    assert [depth.source for depth in plan.depths[15:]] == ["sample", "sample", "growth", "growth"]
    assert plan.total.scope == "max-depth"
    assert plan.total.sent_bytes == pytest.approx(sum(counted.sent()[0].values()), rel=0.15)
    assert plan.total.file_bytes == pytest.approx(sum(kept(tmp_path / "job", 2).values()), rel=0.15)


@pytest.mark.parametrize("name", ["slider:3,3", "rotate:2,4"])
def test_all_states_are_told_from_a_part_of_them(name, monkeypatch):
    puzzle = puzzlekit.load(name)
    whole = plan_in_shards(puzzle, on(2)).total
    monkeypatch.setattr(sampling, "SAMPLE_SUCCESSORS", whole.successors // 5)
    part = plan_in_shards(puzzle, on(2))
    assert (part.total.scope, whole.scope) == ("reachable", "complete")
    # The plan divides the number of raw states by the symmetries, which is a lower bound of the states up to symmetry.
    assert whole.states * 0.95 <= part.total.states <= whole.states
    assert part.total.depths <= whole.depths
    for of in ("successors", "sent_words", "wire_words", "sent_bytes", "file_bytes"):
        assert getattr(part.total, of) == pytest.approx(getattr(whole, of), rel=0.35), of


def test_nothing_is_said_of_what_is_not_known(monkeypatch):
    monkeypatch.setattr(sampling, "SAMPLE_SUCCESSORS", 300)
    plan = plan_in_shards(puzzlekit.load("mu_torere"), on(2))
    found = [depth for depth in plan.depths if depth.source == "sample"]
    assert len(plan.depths) == len(found) + planning.NEXT_DEPTHS
    assert (plan.reachable, plan.total.scope, plan.total.depths) == (None, "at least", len(found))
    assert plan.total.states == sum(depth.states for depth in found)


def test_what_is_read_again_depends_on_the_moves():
    for name, earlier in (("tictactoe", 0), ("slider:2,3", 2), ("rotate:2,3", 100)):
        depths = plan_in_shards(puzzlekit.load(name), on(2)).depths
        files = [depth.file_bytes for depth in depths]
        for depth in depths:
            assert depth.reread_bytes == sum(files[max(depth.depth - earlier, 0) : depth.depth])


def test_hours_are_the_sum_of_their_parts():
    puzzle = puzzlekit.load("slider:3,4")
    plan = plan_in_shards(puzzle, on(4), threads=2, max_depth=12)
    total = plan.total
    assert total.processor_seconds == pytest.approx(total.successors * plan.seconds_per_successor * plan.skew / 8)
    assert total.network_seconds == pytest.approx(total.wire_bytes * plan.skew / 4 / 1.25e9)
    moved = 2 * total.sent_bytes + total.file_bytes + total.reread_bytes
    assert total.disk_seconds == pytest.approx(moved * plan.skew / 4 / 5e8)
    assert total.sync_seconds == pytest.approx(13 * 0.0204)
    parts = total.processor_seconds + total.network_seconds + total.disk_seconds + total.sync_seconds
    assert total.hours == pytest.approx(parts / 3600)
    assert plan.skew >= 1
    assert plan.seconds_per_successor > 0


def test_one_shard_sends_nothing_to_others():
    plan = plan_in_shards(puzzlekit.load("tictactoe"), on(1))
    assert (plan.total.wire_words, plan.total.wire_bytes, plan.total.network_seconds, plan.skew) == (0, 0, 0, 1)
    assert plan.total.sent_words > 0
    assert plan.total.sent_bytes > 0


def test_backward_and_symmetric_states_apart():
    puzzle = puzzlekit.load("rotate:2,3")
    apart = plan_in_shards(puzzle, on(3), symmetry=False)
    assert (apart.symmetry_order, apart.total.states) == (1, puzzle.enumerate(symmetry=False).states)
    back = plan_in_shards(puzzle, on(3), backward=True)
    assert back.total.states == puzzle.enumerate(backward=True).states
    with pytest.raises(UsageError, match="are found by one process"):
        plan_in_shards(Board("pegs"), on(2), backward=True)


def test_a_sample_that_takes_too_long_ends_where_it_is(monkeypatch):
    monkeypatch.setattr(sampling, "SAMPLE_SECONDS", 0.0)
    puzzle = puzzlekit.load("slider:3,4")
    plan = plan_in_shards(puzzle, on(2))
    assert [depth.source for depth in plan.depths] == ["sample", "growth", "growth"]
    assert plan.total.scope == "reachable"
    handle = sampling.ShardWorker.handle

    def late(self, request, watch):
        if request["verb"] == "close":
            raise LimitError("stopped")
        return handle(self, request, watch)

    monkeypatch.setattr(sampling.ShardWorker, "handle", late)
    with pytest.raises(LimitError, match="not even depth 0 was found in 0 s"):
        plan_in_shards(puzzle, on(2))


def test_a_sample_that_cannot_be_written_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(sampling.tempfile, "tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(
        DiskError, match=r"the files of a sample cannot be written .*; set TMPDIR to a folder with room"
    ):
        plan_in_shards(puzzlekit.load("tictactoe"), on(2))


def test_the_command_prints_the_table(process, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    out = process("enumerate", "tictactoe", "--on", "processes:3", "--dry-run", environment=environment)
    assert (out.code, out.err) == (0, "")
    assert list(tmp_path.iterdir()) == []
    lines = out.out.splitlines()
    assert lines[0] == "tictactoe, states up to 8 symmetries, in 3 shards"
    assert lines[2].split() == [
        *("depth", "states", "successors", "sent", "runs,", "bytes", "to", "others", "files", "read", "again", "from")
    ]
    assert lines[4].split()[:3] == ["1", "3", "9"]
    assert lines[13].split()[:3] == ["all", "765", "2,270"]
    assert lines[13].split()[-1] == "complete"
    assert "sample  bytes are measured, with 3 shards in this process" in lines
    assert "on 3 machines of 1 thread" in out.out
    more = process("enumerate", "rotate:2,3", "--on", "processes", "--shards", "9", "--dry-run", "--threads", "4").out
    assert "bytes are measured with 4 and 8 shards, and carried on to 9" in more
    assert "each depth reads the files of all earlier depths again" in more
    assert "on 9 machines of 4 threads" in more


def test_the_command_prints_json(command):
    arguments = ("enumerate", "slider:2,3", "--on", "processes:2", "--dry-run", "--json", "--max-depth", "5")
    data = json.loads(command(*arguments).out)
    assert data["schema"] == "puzzlekit.shard-plan/1"
    assert (data["puzzle"], data["shards"], data["sample_shards"]) == ("slider:rows=2,columns=3", 2, [2])
    assert [depth["depth"] for depth in data["depths"]] == list(range(6))
    assert data["total"]["scope"] == "max-depth"
    assert data["total"]["file_bytes"] == sum(depth["file_bytes"] for depth in data["depths"])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--on", "processes:0"], '"0" is no number of processes'),
        (["--on", "processes:2", "--shards", "3"], "--on processes:2 divides by 2, and --shards by 3"),
        (["--on", "processes:2", "--checkpoint", "3"], "--checkpoint keeps parts of depths"),
        (["--shards", "2"], "--shards 2 is for several processes; say where with --on"),
    ],
)
def test_what_makes_no_sense_is_refused(command, arguments, says):
    refused = command("enumerate", "tictactoe", *arguments, "--dry-run")
    assert (refused.code, refused.out) == (2, "")
    assert says in refused.err
