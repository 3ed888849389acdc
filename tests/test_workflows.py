"""The workflows of CI: each part of the tests runs in one, jobs have time limits, and actions are pinned by digest."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
WORKFLOWS = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / ".github" / "workflows").glob("*.yml")}
MOST_MINUTES = 15
"""The minutes after which a job of every push is stopped. It should take less than ten."""


def variable(name):
    """The words of a variable of the Makefile."""
    return re.search(rf"^{name} := (.*)$", MAKEFILE, re.MULTILINE)[1].split()


def jobs(text):
    """The text of each job of a workflow by its name."""
    found = re.split(r"^  (\S+):\n", text[text.index("\njobs:\n") :], flags=re.MULTILINE)[1:]
    return dict(zip(found[::2], found[1::2], strict=True))


def made(text):
    """The targets of make that a job runs, each with its variables, by `run` or as one of a matrix."""
    listed = re.search(r"part:\n((?: +- .*\n)+)", text)
    lines = re.findall(r"- (.*)", listed[1]) if listed else []
    return [line.split() for line in [*lines, *re.findall(r"- run: make (.*)", text)] if "${{" not in line]


def test_there_are_the_three_workflows():
    assert set(WORKFLOWS) == {"ci.yml", "release.yml", "weekly.yml"}


@pytest.mark.parametrize("name", WORKFLOWS)
def test_actions_are_pinned_by_one_digest_each(name):
    used = re.findall(r"uses: (.*)", WORKFLOWS[name])
    assert used
    for each in used:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", each), "pin it by digest, with its version behind it"
    everywhere = {each for text in WORKFLOWS.values() for each in re.findall(r"uses: (.*)", text)}
    assert len({each.partition("@")[0] for each in everywhere}) == len(everywhere)


@pytest.mark.parametrize("name", WORKFLOWS)
def test_every_job_is_bounded_and_runs_targets_that_there_are(name):
    targets = set(re.findall(r"^([a-z0-9-]+):", MAKEFILE, re.MULTILINE))
    for job, text in jobs(WORKFLOWS[name]).items():
        minutes = int(re.search(r"^    timeout-minutes: (\d+)$", text, re.MULTILINE)[1])
        assert minutes <= MOST_MINUTES or name != "ci.yml", job
        for words in made(text):
            assert {word for word in words if "=" not in word} <= targets, job


def test_the_jobs_for_linux_run_every_part_of_the_tests_and_the_main_job():
    lines = made(jobs(WORKFLOWS["ci.yml"])["linux"])
    whole = {word for words in lines for word in words if "=" not in word}
    lanes = [variable(name) for name in ("RUST_LANE", "PYTHON_LANE", "PAGE_LANE")]
    assert whole >= {*(part for lane in lanes for part in lane), "browser", "run"}
    parts = sorted(word for words in lines for word in words if word.startswith("PART="))
    assert parts == [f"PART={each + 1}/{len(parts)}" for each in range(len(parts))]


def test_the_long_tests_run_every_week():
    weekly = WORKFLOWS["weekly.yml"]
    assert re.search(r"^  schedule:\n    - cron: ", weekly, re.MULTILINE)
    assert {words[0] for words in made(jobs(weekly)["long"])} == set(variable("LONG_PARTS"))
