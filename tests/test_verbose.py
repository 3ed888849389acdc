"""`-v`: stderr tells what was chosen for a run, and stdout is the same as without it."""

import os
import re

import pytest


def told(result):
    """What was told, by its first word."""
    assert result.code == 0, result.err
    found = re.findall(
        r"^puzzlekit: (puzzle|engine|threads|memory|store|tables|files): (.*)$", result.err, re.MULTILINE
    )
    assert len(dict(found)) == len(found)
    return dict(found)


def test_a_count_tells_engine_store_threads_memory_and_files(command, tmp_path):
    found = told(command("enumerate", "tictactoe", "-v", "--threads", "1", "--memory", "8GiB"))
    assert found.keys() == {"puzzle", "engine", "threads", "memory", "store", "files"}
    assert re.match(r"tictactoe, from .*puzzlekit_tictactoe.*\.py$", found["puzzle"])
    assert found["engine"] == "32 bits a state, 8 symmetries, 18 moves, layered"
    assert found["threads"] == "1, as --threads says"
    assert found["memory"] == "8.0 GiB at the most, as --memory says"
    assert found["store"].startswith("dense, because a perfect index takes 3.2 KiB")
    assert found["files"] == "none are kept; --out keeps the states in a folder"
    sparse = told(command("enumerate", "tictactoe", "--verbose", "--store", "sparse", "--out", str(tmp_path / "job")))
    assert sparse["store"].startswith("sparse, because")
    assert sparse["memory"].endswith("at the most, 70% of what is there")
    kept = [path for path in (tmp_path / "job").rglob("*") if path.is_file()]
    assert sparse["files"].startswith(f"{tmp_path / 'job'}, {len(kept)} files of ")
    assert told(command("resume", str(tmp_path / "job"), "-v"))["files"] == sparse["files"]


def test_a_file_is_named_as_the_source(command, tmp_path):
    file = tmp_path / "tiny.py"
    file.write_text(
        "from dataclasses import dataclass\nfrom puzzlekit import Puzzle, Rules, swap\n\n\n"
        "@dataclass(frozen=True)\nclass Tiny(Puzzle):\n    id = 'tiny'\n\n"
        "    def rules(self):\n        return Rules('ab', 'ab', [swap(0, 1)], goal='ba')\n"
    )
    assert told(command("values", str(file), "-v"))["puzzle"] == f"tiny, from {file}"


def test_a_solution_tells_which_tables_were_kept_and_taken(command, monkeypatch, tmp_path):
    monkeypatch.setenv("PUZZLEKIT_CACHE", str(tmp_path / "tables"))
    mixed = command("scramble", "slider:4,4", "--seed", "verbose").out
    first = told(command("solve", "slider:4,4", "-v", "-", given=mixed))["tables"]
    assert re.fullmatch(rf"\d+ of [\d.]+ .iB kept in {re.escape(str(tmp_path / 'tables'))}", first)
    for path in (tmp_path / "tables").iterdir():
        os.utime(path, (10**9, 10**9))
    again = told(command("solve", "slider:4,4", "-v", "-", given=mixed))["tables"]
    assert again == first.replace("kept in", "taken from")
    none = told(command("solve", "slider:4,4", "-v", "--no-cache", "-", given=mixed))["tables"]
    assert none == "none on disk, as --no-cache says"
    assert told(command("solve", "rotation", "213/456/789", "-v"))["tables"] == "none on disk were needed"


@pytest.mark.parametrize(
    "arguments",
    [
        ("enumerate", "slider:2,3", "--csv"),
        ("values", "slider:2,3", "--json"),
        ("solve", "slider:2,3", "012/345"),
        ("survey", "slider:2,2", "--phase", "01/23", "--cases"),
    ],
)
def test_the_result_is_the_same(arguments, command):
    plain, verbose = command(*arguments), command(*arguments, "-v")
    without_times = [
        re.sub(r'"(seconds|states_per_second|peak_memory_bytes)": [\d.]+', "", one.out) for one in (plain, verbose)
    ]
    assert without_times[0] == without_times[1]
    assert len(verbose.err.splitlines()) >= len(plain.err.splitlines()) + 4
