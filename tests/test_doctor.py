"""The doctor: what it reports about a sound installation, and about each thing that can be wrong with one."""

import base64
import hashlib
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import replace
from importlib.metadata import Distribution
from pathlib import Path
from types import SimpleNamespace

import pytest

import puzzlekit
from puzzlekit import LimitError, UsageError
from puzzlekit.cli import app
from puzzlekit.doctor import installation, machine, self_test
from puzzlekit.doctor.installation import CORE, PACKAGE, REINSTALL, clashes, core_problems, look_at_installation
from puzzlekit.doctor.machine import look_at_folders, look_at_memory, look_at_processor
from puzzlekit.doctor.self_test import known_counts, marks, paint, run_self_test
from tests.naive import Naive
from tests.test_plugins import HANOI, install

ROOT = Path(__file__).parent.parent
REQUIRED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
EDITABLE = json.dumps({"url": ROOT.resolve().as_uri(), "dir_info": {"editable": True}})


def distribution(folder, name, version, *, requires=(), **files):
    """Puts the metadata of a distribution into a folder, as an installer would, and returns it."""
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    lines = [f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"]
    lines += [f"Requires-Dist: {one}\n" for one in requires]
    (info / "METADATA").write_text("".join(lines), encoding="utf-8")
    for file, text in files.items():
        (info / {"direct_url": "direct_url.json", "top_level": "top_level.txt"}.get(file, file)).write_text(text)
    return Distribution.at(info)


@pytest.fixture
def doctor(tmp_path, process):
    """Gives a function that runs the doctor with a folder of distributions, in which this checkout is editable."""

    def run(*arguments, version=puzzlekit.__version__, requires=REQUIRED, before=(), environment=None):
        if not list(tmp_path.glob("puzzlekit_core-*")):
            distribution(tmp_path, CORE, version, requires=requires, direct_url=EDITABLE)
        path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
        given = {**os.environ, "PYTHONPATH": path, **(environment or {})}
        return process(*before, "doctor", *arguments, environment=given)

    return tmp_path, run


def problems_of(result):
    data = json.loads(result.out)
    assert data["schema"] == "puzzlekit.doctor/1"
    assert (result.code, result.err) == (1 if data["problems"] else 0, "")
    return data["problems"]


def test_all_is_well(doctor):
    _, run = doctor
    result = run("--json", before=["--no-plugins"])
    assert problems_of(result) == []
    data = json.loads(result.out)
    assert list(data) == [
        "schema", "core", "python", "platform", "packages", "plugins", "processor", "memory", "cache", "temporary",
        "self_test", "problems",
    ]  # fmt: skip
    version = puzzlekit.__version__
    assert data["core"] == {
        "version": version, "engine_version": version, "folder": str(PACKAGE), "editable": True,
    }  # fmt: skip
    assert data["python"]["executable"] == sys.executable
    assert {package["name"] for package in data["packages"]} == {re.match(r"\w+", one)[0] for one in REQUIRED}
    assert all(package["version"] for package in data["packages"])
    assert data["plugins"] == []
    assert 1 <= data["processor"]["threads"] <= data["processor"]["cores"]
    assert data["memory"]["binding"] in data["memory"]["bounds"]
    assert 0 < data["memory"]["default_bytes"] < data["memory"]["binding"]["bytes"]
    assert set(data["cache"]) == {"folder", "tables", "bytes", "most_bytes"}
    assert data["cache"]["most_bytes"] == 2**31
    assert data["temporary"]["free_bytes"] > 0
    assert data["self_test"] is None


def test_a_cache_folder_that_cannot_be_used_is_a_problem(doctor, tmp_path):
    _, run = doctor
    (tmp_path / "file").write_text("", encoding="utf-8")
    ill = run("--json", before=["--no-plugins"], environment={"PUZZLEKIT_CACHE": str(tmp_path / "file" / "tables")})
    assert ill.code == 1
    assert "cannot be" in problems_of(ill)[0]
    wrong = run("--json", before=["--no-plugins"], environment={"PUZZLEKIT_CACHE_BYTES": "much"})
    assert "PUZZLEKIT_CACHE_BYTES" in problems_of(wrong)[0]


def test_the_report_in_lines(doctor):
    folder, run = doctor
    result = run(before=["--no-plugins"])
    assert (result.code, result.err) == (0, "")
    for line in (
        rf"puzzlekit-core +{puzzlekit.__version__}, compiled engine {puzzlekit.__version__}",
        rf"package +{re.escape(str(PACKAGE))}, editable",
        r"packages +.*typer \d.*",
        r"processor +\w+, with .*instructions.*",
        r"memory +[\d.,]+ GiB: the memory of the machine.*",
        r"cache folder +/.*, [\d,]+ tables of [\d.]+ \w+, [\d.]+ GiB at the most",
        r"no plugins",
        r"no problem was found",
    ):
        assert re.search(f"^{line}$", result.out, re.MULTILINE), line
    distribution(folder, "puzzlekit", "0.3.1")
    ill = run(before=["--no-plugins"])
    assert ill.code == 1
    assert "\nproblems\n- puzzlekit 0.3.1, an unrelated distribution in " in ill.out


def test_plugins_and_what_is_wrong_with_them(doctor):
    folder, run = doctor
    install(folder, "hanoi", HANOI)
    install(folder, "broken", "raise ValueError('out of order')")
    install(folder, "empty", "")
    for name in ("twin", "other"):
        install(folder, name, HANOI.replace('"hanoi"', '"twin"'), ["twin = puzzlekit_" + name])
    install(folder, "late", HANOI.replace('"hanoi"', '"late"'))
    with (folder / "puzzlekit_late-1.0.dist-info" / "METADATA").open("a", encoding="utf-8") as file:
        file.write("Requires-Dist: puzzlekit-core>=99\nRequires-Dist: not a requirement\n")
    result = run("--json")
    problems = problems_of(result)
    found = {
        name: list(group)
        for name, group in itertools.groupby(json.loads(result.out)["plugins"], key=lambda plugin: plugin["name"])
    }
    (hanoi,) = found["hanoi"]
    assert hanoi == {
        "name": "hanoi", "distribution": "puzzlekit-hanoi", "version": "1.0", "puzzles": ["hanoi"], "problems": [],
    }  # fmt: skip
    (broken,) = found["broken"]
    assert broken["problems"] == [
        'the plugin "broken" of puzzlekit-broken 1.0: ValueError: out of order (puzzlekit_broken.py, line 1); '
        "upgrade puzzlekit-broken, or run: pip uninstall puzzlekit-broken"
    ]
    (empty,) = found["empty"]
    assert "it registers nothing; mark puzzlekit_register_puzzles with @puzzlekit.hookimpl" in empty["problems"][0]
    assert [plugin["puzzles"] for plugin in found["twin"]] == [[], []]
    assert all("has the same name; uninstall one of the two" in plugin["problems"][0] for plugin in found["twin"])
    (late,) = found["late"]
    assert late["puzzles"] == ["late"]
    assert late["problems"] == [
        f'the plugin "late" of puzzlekit-late 1.0 requires puzzlekit-core>=99, and {puzzlekit.__version__} is '
        "installed; run: pip install --upgrade puzzlekit-late 'puzzlekit-core>=99'"
    ]
    for plugin in (broken, empty, *found["twin"], late):
        assert plugin["problems"][0] in problems
    # The plugins that fail stop neither `--strict` nor the output as a table.
    text = run(before=["--strict"])
    assert (text.code, text.err) == (1, "")
    assert re.search(r"^hanoi +puzzlekit-hanoi 1.0 +hanoi +ok$", text.out, re.MULTILINE)
    assert re.search(r"^broken +puzzlekit-broken 1.0 +see below$", text.out, re.MULTILINE)
    assert problems_of(run("--json", before=["--no-plugins"])) == []


def test_the_other_distribution_named_puzzlekit(doctor):
    folder, run = doctor
    distribution(folder, "Puzzlekit", "0.3.1", RECORD="puzzlekit/__init__.py,,\n")
    (problem,) = problems_of(run("--json", before=["--no-plugins"]))
    assert problem == (
        f"Puzzlekit 0.3.1, an unrelated distribution in {folder}, brings a package named puzzlekit as puzzlekit-core "
        f"does (imported from {PACKAGE}); run: pip uninstall Puzzlekit, and then {REINSTALL}"
    )


@pytest.mark.parametrize(
    ("name", "files", "clash"),
    [
        ("puzzlekit", {}, True),
        ("PUZZLEKIT", {"RECORD": ""}, True),
        ("stranger", {"RECORD": "stranger/__init__.py,,\npuzzlekit/__init__.py,sha256=x,3\n"}, True),
        ("stranger", {"top_level": "stranger\npuzzlekit\n"}, True),
        ("stranger", {"RECORD": "stranger/puzzlekit/__init__.py,,\npuzzlekit_more/__init__.py,,\n"}, False),
        ("puzzlekit-rays", {"RECORD": "puzzlekit_rays/__init__.py,,\n"}, False),
        ("puzzlekit_core", {"RECORD": "puzzlekit/__init__.py,,\n"}, False),
    ],
)
def test_what_clashes(name, files, clash, tmp_path):
    given = distribution(tmp_path, name, "2.0", **files)
    (tmp_path / "nameless-1.0.dist-info").mkdir()  # an installer that was interrupted leaves such a folder
    found = clashes([given, given, Distribution.at(tmp_path / "nameless-1.0.dist-info")], PACKAGE)
    assert len(found) == clash
    assert all(problem.endswith(f"run: pip uninstall {name}, and then {REINSTALL}") for problem in found)


def test_another_version_of_the_engine(doctor):
    _, run = doctor
    (problem,) = problems_of(run("--json", version="9.9", before=["--no-plugins"]))
    assert problem.startswith(
        f"puzzlekit-core is version 9.9, and its compiled engine is {puzzlekit.__version__}; run:"
    )


def test_a_version_of_rust_is_that_of_python(tmp_path):
    core = distribution(tmp_path, CORE, "1.0rc1", direct_url=EDITABLE)
    assert list(core_problems(core, PACKAGE, "1.0.0-rc.1")) == []
    assert len(list(core_problems(core, PACKAGE, "1.0.0"))) == 1


def test_packages_that_do_not_do(doctor):
    _, run = doctor
    requires = [
        "rich>=99",
        "no-such-package<2",
        "typer",
        'pluggy>=99; extra == "more"',
        'pluggy>=99; python_version<"3"',
    ]
    problems = problems_of(run("--json", requires=requires, before=["--no-plugins"]))
    version = puzzlekit.__version__
    assert len(problems) == 2
    assert re.fullmatch(
        rf"puzzlekit-core {version} requires rich>=99, and [\d.]+ is installed; "
        r"run: pip install --upgrade puzzlekit-core 'rich>=99'",
        problems[0],
    )
    assert problems[1] == (
        f"puzzlekit-core {version} requires no-such-package<2, which is not installed; "
        "run: pip install 'no-such-package<2'"
    )


def test_packaging_is_missing(tmp_path, monkeypatch):
    core = distribution(tmp_path, CORE, "1.0", requires=["rich>=99"], direct_url=EDITABLE)
    for name in ("packaging", "packaging.requirements", "packaging.version"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(installation, "find_spec", lambda _: None)
    (problem,) = core_problems(core, PACKAGE, "1.0")
    assert problem == "packaging is not installed, so that no requirement can be checked; run: pip install packaging"


def test_no_distribution_at_all(monkeypatch):
    monkeypatch.setattr(installation.metadata, "distributions", lambda **_: iter(()))
    found = look_at_installation()
    assert (found.version, found.packages, found.editable) == (None, (), False)
    assert found.problems == (
        f"the package is imported from {PACKAGE}, and no distribution puzzlekit-core is installed; "
        "run: pip install puzzlekit-core, or pip install . in a checkout",
    )


def recorded(path, text):
    digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
    return f"{path},sha256={digest},{len(text)}\n"


def test_files_are_those_that_were_installed(tmp_path):
    folder = tmp_path.resolve()
    package = folder / "puzzlekit"
    package.mkdir()
    texts = {"puzzlekit/__init__.py": "ours", "puzzlekit/errors.py": "also ours"}
    record = "".join(recorded(*item) for item in texts.items()) + "puzzlekit/__pycache__/errors.pyc,,\n"
    core = distribution(folder, CORE, "1.0", RECORD=record)
    for path, text in texts.items():
        (folder / path).write_text(text)
    assert list(core_problems(core, package, "1.0")) == []
    (package / "__init__.py").write_text("theirs")
    (problem,) = core_problems(core, package, "1.0")
    assert problem == (
        f"1 of the files of puzzlekit-core 1.0 are not as they were installed, such as {package / '__init__.py'}; "
        f"run: {REINSTALL}"
    )
    (package / "errors.py").unlink()
    assert next(core_problems(core, package, "1.0")).startswith("2 of the files")


@pytest.mark.parametrize("files", [{"RECORD": "puzzlekit/__init__.py,,\n"}, {}, {"direct_url": "{}"}, "editable"])
def test_a_package_from_elsewhere(files, tmp_path):
    folder = tmp_path.resolve()
    if files == "editable":
        files = {"direct_url": json.dumps({"url": folder.as_uri(), "dir_info": {"editable": True}})}
    core = distribution(folder, CORE, "1.0", **files)
    (problem,) = core_problems(core, PACKAGE, "1.0")
    assert problem == (
        f"the package is imported from {PACKAGE}, and puzzlekit-core 1.0 is installed in {folder}; "
        "take the folder above the package off PYTHONPATH, or install what it is in: pip install ."
    )


GIB = 1024**3


def fake_memory(monkeypatch, *groups):
    limits = [SimpleNamespace(file=Path(file), version=version, bytes=size) for file, version, size in groups]
    monkeypatch.setattr(machine, "found_memory", lambda: SimpleNamespace(machine=16 * GIB, groups=limits))
    monkeypatch.setattr(machine, "address_limit", lambda: None)
    monkeypatch.setattr(machine, "address_bytes", lambda _: None)


def test_which_limit_of_memory_binds(monkeypatch):
    fake_memory(monkeypatch)
    assert str(look_at_memory(1).binding) == "the memory of the machine"
    job, step = "/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "/sys/fs/cgroup/step/memory.max"
    fake_memory(monkeypatch, (job, 1, 4 * GIB), (step, 2, 2 * GIB))
    memory = look_at_memory(1)
    assert (memory.binding.bytes, str(memory.binding)) == (2 * GIB, f"the control group of {step} (version 2)")
    assert [bound.file for bound in memory.bounds] == [None, job, step]
    monkeypatch.setattr(machine, "address_limit", lambda: GIB)
    assert str(look_at_memory(1).binding) == "the address space, limited by ulimit -v"
    assert look_at_memory(1).problems == ()


def test_too_little_memory(monkeypatch):
    fake_memory(monkeypatch, ("/sys/fs/cgroup/memory.max", 2, 32 * 1024**2))
    assert look_at_memory(1).problems == (
        "the control group of /sys/fs/cgroup/memory.max (version 2) allows 33,554,432 bytes, with which hardly any run "
        "gets on; allow 67,108,864 or more",
    )


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of address space for a process")
def test_a_limit_of_address_space():
    def found(mebibytes, threads):
        limit = f"resource.setrlimit(resource.RLIMIT_AS, ({mebibytes} << 20, {mebibytes} << 20))"
        program = f"""
import json, resource
from dataclasses import asdict
from puzzlekit.doctor.machine import look_at_memory
{limit}
memory = look_at_memory({threads})
print(json.dumps([asdict(memory.bounds[-1]), memory.default_bytes, memory.problems]))
"""
        return json.loads(subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout)

    bound, default, problems = found(700, 1)
    assert (bound["source"], bound["bytes"], problems) == ("ulimit -v", 700 << 20, [])
    assert 0 < default < 700 << 20
    _, default, (problem,) = found(400, 64)
    assert default == 0
    assert problem == (
        "the address space that this process may take (ulimit -v) does not do for 64 threads; "
        "give fewer with --threads, or more of it"
    )


def test_threads_that_cannot_be_started(monkeypatch):
    def fail():
        raise UsageError("cannot start 0 threads: no room")

    assert look_at_processor().problems == ()
    monkeypatch.setattr(machine, "default_threads", fail)
    found = look_at_processor()
    assert found.threads is None
    assert found.problems == (
        "cannot start 0 threads: no room; give fewer with --threads, or allow more (ulimit -u, ulimit -v)",
    )


def test_the_folder_for_temporary_files(doctor, tmp_path):
    _, run = doctor
    missing = tmp_path / "missing"
    (problem,) = problems_of(run("--json", before=["--no-plugins"], environment={"TMPDIR": str(missing)}))
    assert problem.startswith(f"TMPDIR is {missing}, in which nothing can be written, so ")
    assert problem.endswith(" is used; make that folder, or set TMPDIR to another")
    missing.mkdir()
    assert problems_of(run("--json", before=["--no-plugins"], environment={"TMPDIR": str(missing)})) == []


def test_no_folder_for_temporary_files(monkeypatch):
    def fail():
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr(tempfile, "gettempdir", fail)
    assert look_at_folders().problems == (
        "no temporary file can be written: No usable temporary directory found; "
        "set TMPDIR to a folder that can be written",
    )


def test_the_self_test_counts_what_is_known(doctor):
    _, run = doctor
    result = run("--self-test", "--json", before=["--no-plugins"])
    assert problems_of(result) == []
    trials = json.loads(result.out)["self_test"]
    assert {trial["store"] for trial in trials} == {
        "dense, in memory", "sparse, in memory", "dense, a resumed job",
        "sparse, a job on disk",
    }  # fmt: skip
    assert {trial["threads"] for trial in trials} == {1, None}
    assert all(trial["found"] == trial["expected"] > 1000 for trial in trials)
    assert all(trial["problem"] is None for trial in trials)


@pytest.mark.slow
def test_what_the_self_test_knows_is_true():
    """The obvious search finds the same counts."""
    for known in (*known_counts(), marks(), paint()):
        layers = Naive(known.rules.to_data()).layers()
        assert known.raw_states == tuple(len(layer.raw) for layer in layers), known.name
        assert known.states == tuple(len(layer.states) for layer in layers), known.name


def altered(known, at):
    """Known counts that are wrong by one in one depth."""
    counts = [count + (depth == at) for depth, count in enumerate(known.raw_states)]
    return replace(known, raw_states=tuple(counts))


def run_here(capsys, *arguments):
    """Runs the doctor in this process."""
    code = app.run(["--no-plugins", "doctor", *arguments])
    return code, capsys.readouterr().out


def test_a_wrong_count_is_a_problem_and_exit_1(monkeypatch, capsys):
    wrong = [altered(known, 3) for known in known_counts()[:1]]
    monkeypatch.setattr(self_test, "known_counts", lambda: wrong)
    code, out = run_here(capsys, "--self-test", "--json")
    assert code == 1
    found = [problem for problem in json.loads(out)["problems"] if problem.startswith("self-test")]
    assert len(found) == 4
    assert found[0] == (
        'self-test: "orders of 8, by swaps" (dense, in memory, on one thread): depth 3 has 76 states (76 raw), '
        "and should have 76 (77 raw); trust no count of this installation, install puzzlekit-core anew, and if it "
        "comes again report it with what doctor prints"
    )
    code, out = run_here(capsys, "--self-test")
    assert code == 1
    assert re.search(r"sparse, in memory +all +40,320 +40,320 +\d+ ms +wrong$", out, re.MULTILINE)


@pytest.mark.parametrize("name", ["marks", "paint"])
def test_a_wrong_count_of_a_job_is_a_problem(name, monkeypatch):
    known = getattr(self_test, name)()
    monkeypatch.setattr(
        self_test, name, lambda: replace(known, states=known.states[:-1], raw_states=known.raw_states[:-1])
    )
    monkeypatch.setattr(self_test, "known_counts", list)
    (problem,) = [trial.problem for trial in run_self_test() if trial.problem is not None]
    assert f"there are {len(known.states)} depths, and should be {len(known.states) - 1}" in problem


def test_a_run_that_fails_is_a_problem(monkeypatch, capsys):
    def fail(*_):
        raise LimitError("there is no room; give more")

    monkeypatch.setattr(self_test.KeptStates, "verify", fail)
    monkeypatch.setattr(self_test, "known_counts", list)
    for trial in run_self_test():
        assert trial.found is None
        assert trial.problem.endswith(" failed: there is no room; give more")
    code, out = run_here(capsys, "--self-test")
    assert code == 1
    assert re.search(r"16,807 +\d+ ms +failed$", out, re.MULTILINE)


def test_a_job_that_is_not_spilled_is_a_problem(monkeypatch):
    monkeypatch.setattr(self_test, "LITTLE_MEMORY", GIB)
    monkeypatch.setattr(self_test, "known_counts", list)
    *_, trial = run_self_test()
    assert trial.problem == (
        'self-test: "5 cells in 6 colours" was to be spilled to disk, and was not; report it with what doctor prints'
    )


def test_other_verbs_import_nothing_of_it():
    program = (
        "import sys\n"
        "from puzzlekit.cli.app import run\n"
        "run(['list']), run(['plugins', 'list'])\n"
        "print([name for name in sys.modules if name.startswith(('puzzlekit.doctor', 'packaging'))])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
