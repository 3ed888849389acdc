"""Makes what a release uploads, and tries it as a stranger would. `make dist` runs it.

    python .ci/dist.py sources           source distributions, and the wheels of the plugins
    python .ci/dist.py wheel [TARGET]    the wheel of the core, for this machine or for a target of Rust
    python .ci/dist.py check             what is in the wheels: tags, size, licences, bill of materials
    python .ci/dist.py try               installs all of it in empty environments, and uses it

All of it works in `dist/`. The core's wheel is built from the unpacked source distribution and nothing else. Wheels for
Linux are linked by Zig, so that they run with the C libraries of ten years ago, and so that one machine makes those of
all processors.

`REPOSITORY=https://...` gives the distributions the links of that repository; without it, they have none.
"""

from __future__ import annotations

import argparse
import email.parser
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import urllib.request
import zipfile
from pathlib import Path

from extra import distributions, with_extra, with_links

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
ENGINE = Path("plugins/site/puzzlekit_site/engine.wasm")
"""The engine for pages, which is in the wheel of `puzzlekit-site` and not in the repository."""
UV = str(ROOT / ".tools" / "uv" / "bin" / "uv")
REPOSITORY = os.environ.get("REPOSITORY", "")
"""The address of the repository that a release is made from, or nothing."""
PYTHON = "3.11"
"""The oldest Python that wheels are for: their tag, and the interpreter of the limited interface."""

MOST_BYTES = 4_000_000
"""The most that the core's wheel may weigh."""

TESTS = ["pytest>=8.3", "pytest-timeout>=2.3", "hypothesis>=6.100"]
"""The packages that the tests of documents and of conformance need."""


def say(text: str) -> None:
    """Prints a line about what is being done."""
    print(f"dist: {text}", flush=True)


def run(*command: str | Path, folder: Path = ROOT, **variables: str) -> str:
    """Runs a command and gives what it prints; ends with its own words if it fails."""
    # Without these variables of make, a build does not try to take part in the parallel jobs of this make.
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS")}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=environment | variables,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{done.stdout}\ndist: {' '.join(map(str, command))} failed with {done.returncode}")
    return done.stdout


def version() -> str:
    """The version of all distributions, which is that of the Cargo workspace."""
    return str(tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]["version"])


def sources() -> None:
    """Builds the source distributions of the core and of the plugins, and the plugins' wheels."""
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        for name in run("git", "ls-files", "-z").split("\0"):
            # Git still lists tracked files that were deleted.
            if name and (ROOT / name).exists():
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, tree / name)
        file = tree / "pyproject.toml"
        extra = [f"{name}=={version()}" for name in distributions(tree)]
        file.write_text(with_extra(file.read_text(encoding="utf-8"), extra), encoding="utf-8")
        if REPOSITORY:
            for file in [tree / "pyproject.toml", *sorted((tree / "plugins").glob("*/pyproject.toml"))]:
                linked = with_links(file.read_text(encoding="utf-8"), REPOSITORY, version())
                file.write_text(linked, encoding="utf-8")
        # The source distribution has no benchmarks, so the packages that these need must not be in its lockfile.
        cargo = tree / "Cargo.toml"
        cargo.write_text(cargo.read_text(encoding="utf-8").replace(', "rust_core/benches"', ""), encoding="utf-8")
        run("cargo", "metadata", "--format-version", "1", folder=tree)
        say("the source distribution of the core")
        run(UV, "build", "--sdist", "--out-dir", DIST, tree, folder=tree)
        if (ROOT / ENGINE).exists():
            shutil.copyfile(ROOT / ENGINE, tree / ENGINE)
        for plugin in sorted((tree / "plugins").iterdir()):
            if (tree / ENGINE).is_relative_to(plugin) and not (tree / ENGINE).exists():
                say(f"the plugin {plugin.name} is left out, for {ENGINE} is not there; make site-engine makes it")
                continue
            say(f"the plugin {plugin.name}")
            run(UV, "build", "--out-dir", DIST, plugin, folder=tree)
    (DIST / ".gitignore").unlink(missing_ok=True)


def wheel(target: str | None) -> None:
    """Builds the core's wheel, from the source distribution alone."""
    (source,) = DIST.glob("puzzlekit_core-*.tar.gz")
    linux = "linux" in target if target else sys.platform == "linux"
    tools = ["maturin>=1.16,<2", *(["ziglang>=0.17"] if linux else [])]
    command = [UV, "run", "--isolated", "--no-project", *(part for tool in tools for part in ("--with", tool))]
    command += ["maturin", "build", "--release", "--locked", "--out", str(DIST)]
    if linux:
        command += ["--zig", "--compatibility", "musllinux_1_2" if target and "musl" in target else "manylinux2014"]
    if target:
        command += ["--target", target]
    # The program that stands in for Zig gives its linker two options more.
    linker = {"CARGO_ZIGBUILD_ZIG_COMMAND": str(ROOT / ".ci" / "zig.py")} if linux else {}
    begun = time.time()
    say(f"the wheel of the core for {target or 'this machine'}, from {source.name}; some minutes")
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(source) as archive:
            archive.extractall(folder, filter="data")
        (tree,) = Path(folder).iterdir()
        # The target folder is a new one: files from an archive are older than any build, so Cargo would see no change.
        run(*command, "-i", f"python{PYTHON}", folder=tree, CARGO_TARGET_DIR=str(tree / "target"), **linker)
    pack = [UV, "run", "--isolated", "--no-project", "--with", "zopflipy>=1.13", "python", ROOT / ".ci" / "pack.py"]
    for file in DIST.glob("puzzlekit_core-*.whl"):
        if file.stat().st_mtime >= begun:
            run(*pack, file)


def metadata(file: Path) -> email.message.Message:
    """The metadata of a wheel."""
    with zipfile.ZipFile(file) as archive:
        (name,) = (name for name in archive.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", name))
        return email.parser.Parser().parsestr(archive.read(name).decode())


def check() -> None:
    """Looks into every wheel: tags, size, licences, and the bill of materials."""
    files = sorted(DIST.glob("*.whl"))
    if not any(file.name.startswith("puzzlekit_core-") for file in files):
        raise SystemExit("dist: there is no wheel of the core in dist/; run `make dist`")
    for file in files:
        if metadata(file)["Version"] != version():
            raise SystemExit(f"dist: {file.name} has the version {metadata(file)['Version']}, not {version()}")
        if REPOSITORY and f"Source, {REPOSITORY}" not in metadata(file).get_all("Project-URL", []):
            raise SystemExit(f"dist: {file.name} does not link to {REPOSITORY}")
        say(f"{file.name}, {file.stat().st_size / 1e6:.2f} MB")
    for file in DIST.glob("puzzlekit_site-*.whl"):
        with zipfile.ZipFile(file) as archive:
            if "puzzlekit_site/engine.wasm" not in archive.namelist():
                raise SystemExit(f"dist: {file.name} has no engine; run `make site-engine` first")
    for file in DIST.glob("puzzlekit_core-*.whl"):
        with zipfile.ZipFile(file) as archive:
            inside = {info.filename: (info.file_size, info.compress_size) for info in archive.infolist()}
        wanted = [r".*/licenses/LICENSE", r".*/licenses/THIRD-PARTY-LICENSES", r".*/sboms/.*\.cyclonedx\.json"]
        wanted += [r"puzzlekit/_core\.abi3\.so|puzzlekit/_core\.pyd", r"puzzlekit/_core\.pyi", r"puzzlekit/py\.typed"]
        wanted += [r"puzzlekit/plugins/templates/pyproject\.toml\.template"]
        wanted += [r"puzzlekit_core-[^/]+\.data/data/share/man/man1/puzzlekit\.1"]
        page = ROOT / "python" / "puzzlekit" / "web"
        shown = [path for name in ("static", "engine", "templates") for path in sorted((page / name).iterdir())]
        wanted += [re.escape(path.relative_to(ROOT / "python").as_posix()) for path in shown]
        for pattern in wanted:
            if not any(re.fullmatch(pattern, name) for name in inside):
                raise SystemExit(f"dist: {file.name} has no {pattern}")
        extra = sorted(
            name
            for name in inside
            if not re.match(r"puzzlekit/|puzzlekit_core-[^/]+\.(dist-info/|data/data/share/man/)", name)
        )
        if extra or file.stat().st_size > MOST_BYTES:
            raise SystemExit(f"dist: {file.name} weighs {file.stat().st_size:,} bytes, and has {extra}")
        for name, (size, packed) in sorted(inside.items(), key=lambda item: -item[1][1])[:4]:
            say(f"    {name}: {size:,} bytes, {packed:,} in the wheel")
        if "linux" in file.name:
            shown = run(UV, "tool", "run", "--quiet", "auditwheel", "show", file)
            say("    " + " ".join(shown.split("In order")[0].split()))
        say("    " + " ".join(run(UV, "tool", "run", "--quiet", "abi3audit", "--summary", file).split()))


def requirements() -> list[str]:
    """The packages that the wheels in `dist/` need, other than those in `dist/`."""
    # The plugin for Ray, which needs some 80 MB, is not tried here; `make ray` does.
    files = [metadata(file) for file in DIST.glob("*.whl") if not file.name.startswith("puzzlekit_ray-")]
    ours = {str(data["Name"]) for data in files}
    every = [need for data in files for need in data.get_all("Requires-Dist", [])]
    # The requirements of the extra `web` are included, since the page is tried, too.
    needs = {re.sub(r"\s*;\s*extra == .web.$", "", need) for need in every}
    needs = {need for need in needs if "extra ==" not in need}
    return sorted(need for need in needs if re.match(r"[\w.-]+", need)[0] not in ours)  # type: ignore[index]


def environment(folder: Path, resolution: str) -> Path:
    """Makes an environment with the distributions in `dist/` and their requirements. Returns its folder of programs."""
    run(UV, "venv", "--python", sys.executable, folder)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    # Bytecode is compiled, as pip does it.
    install = [UV, "pip", "install", "--compile-bytecode", "--python", str(folder)]
    printed = run(*install, "--resolution", resolution, *requirements())
    say("    " + ", ".join(re.findall(r"^ \+ (\S+)$", printed, re.MULTILINE)))
    run(*install, *TESTS)
    # The cache is not used: it may have a wheel of this name and version from an earlier build.
    run(*install, "--no-cache", "--no-index", "--find-links", DIST, f"puzzlekit-core[puzzles]=={version()}")
    run(UV, "pip", "check", "--python", folder)
    return programs


def use(programs: Path, folder: Path) -> None:
    """Runs the doctor, the examples of the README, and the conformance suite of every puzzle in an environment."""
    python = programs / "python"
    where = run(python, "-c", "import puzzlekit; print(puzzlekit.__file__)", folder=folder).strip()
    if not Path(where).is_relative_to(programs.parent):
        raise SystemExit(f"dist: the package was imported from {where}, not from the wheel")
    run(python, "-m", "puzzlekit", "doctor", "--self-test", folder=folder)
    say("    doctor --self-test: no problem")
    tests = ["tests/test_documents.py", "tests/test_conformance.py"]
    chosen = "test_conformance or README"
    printed = run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, "-k", chosen)
    say(f"    the README's examples and the suite of every puzzle: {printed.strip().splitlines()[-1]}")
    page(python, folder)


def page(python: Path, folder: Path) -> None:
    """Asks `puzzlekit serve` for the first page, the page of a puzzle, and everything that these load."""
    command = [str(python), "-m", "puzzlekit", "serve", "--port", "0"]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as server:
        try:
            line = next((text for text in server.stderr or () if " at http://" in text), "")
            address = line.partition(" at ")[2].partition(";")[0].rstrip("/")
            found = {"/", "/play/rotation"}
            shown: dict[str, bytes] = {}
            while found - set(shown):
                path = (found - set(shown)).pop()
                with urllib.request.urlopen(address + path) as answer:
                    shown[path] = answer.read()
                text = shown[path].decode()
                found |= set(re.findall(r'(?:href|src)="(/static/[^"]+)"', text))
                found |= {f"/static/{name}" for name in re.findall(r'from "\./([^"]+)"', text)}
        finally:
            server.terminate()
    scripts = sum(len(text) for path, text in shown.items() if path.endswith(".js"))
    say(f"    serve: {len(shown)} files of the page, {scripts:,} bytes of script")


def stranger(programs: Path, folder: Path) -> None:
    """Builds and installs the plugin of a third party, and runs its puzzle."""
    made = folder / "made"
    run(UV, "build", "--wheel", "--out-dir", made, ROOT / "tests" / "fixtures" / "plugin", folder=folder)
    install = [UV, "pip", "install", "--compile-bytecode", "--python", str(programs.parent), "--no-cache", "--no-index"]
    run(*install, "--find-links", DIST, *made.glob("*.whl"))
    python = programs / "python"
    listed = [puzzle["id"] for puzzle in json.loads(run(python, "-m", "puzzlekit", "list", "--json"))["puzzles"]]
    found = json.loads(run(python, "-m", "puzzlekit", "enumerate", "ring", "--json", folder=folder))
    suite = "import puzzlekit, puzzlekit.testing as testing; testing.check_puzzle(puzzlekit.load('ring'))"
    run(python, "-c", suite, folder=folder)
    say(f"    a stranger's wheel beside them: {', '.join(listed)}; ring has {found['states']} states")
    if found["states"] != 7 or "ring" not in listed:
        raise SystemExit("dist: the stranger's puzzle was not counted right")


def newcomer(programs: Path, folder: Path) -> None:
    """Makes a plugin with `puzzlekit plugins new` from a file, builds and installs it, and runs its own tests."""
    python, made = programs / "python", folder / "hanoi"
    file = ROOT / "python" / "puzzlekit" / "gallery" / "hanoi.py"
    run(python, "-m", "puzzlekit", "plugins", "new", "hanoi", made, "--from", file, "--author", "A", folder=folder)
    run(UV, "build", "--out-dir", folder / "built", made, folder=folder)
    install = [UV, "pip", "install", "--compile-bytecode", "--python", str(programs.parent), "--no-cache", "--no-index"]
    run(*install, "--find-links", DIST, *(folder / "built").glob("*.whl"))
    shutil.rmtree(made / "puzzlekit_hanoi")  # so that the tests import the installed package
    printed = run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", folder=made)
    say(f"    a plugin made from a file, built and installed: {printed.strip().splitlines()[-1]}")


def definitions(programs: Path, folder: Path) -> None:
    """Installs the plugin that reads files of other programs, and counts a puzzle from such a file and in Python."""
    install = [UV, "pip", "install", "--compile-bytecode", "--python", str(programs.parent), "--no-cache", "--no-index"]
    run(*install, "--find-links", DIST, *DIST.glob("puzzlekit_twisty-*.whl"))
    python, file = programs / "python", ROOT / "plugins" / "twisty" / "definitions" / "pyraminx.tws"
    run(python, "-m", "puzzlekit", "import", file, "--to", "pyraminx.py", folder=folder)
    for puzzle in (file, "./pyraminx.py"):
        printed = run(python, "-m", "puzzlekit", "enumerate", puzzle, "--json", folder=folder)
        if json.loads(printed.splitlines()[-1])["raw_states"] != 933_120:
            raise SystemExit(f"dist: the states of {puzzle} were not counted right")
    say("    a definition of another program: counted, and written in Python")


def start_up(programs: Path) -> None:
    """Measures the start of the command, beside that of an empty program that imports Typer."""
    python = str(programs / "python")
    commands = {
        "python -c 'import typer'": [python, "-c", "import typer"],
        "puzzlekit --version": [str(programs / "puzzlekit"), "--version"],
        "puzzlekit list": [str(programs / "puzzlekit"), "list"],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(21):
        for name, command in commands.items():
            begun = time.perf_counter()
            run(*command)
            times[name].append(time.perf_counter() - begun)
    medians = {name: statistics.median(taken) for name, taken in times.items()}
    for (name, median), before in zip(medians.items(), [None, *medians.values()], strict=False):
        ratio = f", {median / before:.2f} times the one before" if before else ""
        say(f"    {name}: {median * 1e3:.0f} ms{ratio}")


def trial() -> None:
    """Installs everything with the newest and the oldest versions that are allowed, and uses it."""
    for resolution in ("highest", "lowest-direct"):
        with tempfile.TemporaryDirectory() as folder:
            say(f"an empty environment, {resolution} versions, {platform.python_version()}")
            programs = environment(Path(folder) / "environment", resolution)
            use(programs, Path(folder))
            if resolution == "highest":
                stranger(programs, Path(folder))
                newcomer(programs, Path(folder))
                definitions(programs, Path(folder))
                start_up(programs)


def main() -> None:
    """Reads the arguments, and runs the step that they name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["sources", "wheel", "check", "try"])
    parser.add_argument("target", nargs="?")
    given = parser.parse_args()
    steps = {"sources": sources, "check": check, "try": trial}
    wheel(given.target) if given.step == "wheel" else steps[given.step]()


if __name__ == "__main__":
    main()
