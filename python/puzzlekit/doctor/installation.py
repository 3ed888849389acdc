"""The installed packages: their versions, what puzzlekit-core requires, and other packages that are named puzzlekit."""

from __future__ import annotations

import base64
import csv
import hashlib
import json
import platform
import re
import sys
from dataclasses import dataclass, field
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import url2pathname

from puzzlekit.run.engine.machine import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from importlib.metadata import Distribution

CORE = "puzzlekit-core"
"""The distribution, that is, the installed package, that brings this module."""

PACKAGE = Path(__file__).resolve().parent.parent
"""The folder of the package `puzzlekit` that is imported."""

REINSTALL = f"pip install --force-reinstall --no-deps {CORE}"


@dataclass(frozen=True)
class Package:
    """A distribution, that is, an installed package, that another one requires.

    Attributes:
        name: The name of the distribution.
        requires: The versions that are allowed, such as `<2,>=1.6`; empty if all are.
        version: The version that is installed; `None` if the distribution is not installed.
    """

    name: str
    requires: str
    version: str | None


@dataclass(frozen=True)
class Installation:
    """The installed packages.

    Attributes:
        version: The version of the distribution puzzlekit-core; `None` if it is not installed.
        engine_version: The version of the compiled engine.
        folder: The folder of the package that is imported.
        editable: Whether the package is imported from its sources, as after `pip install --editable`.
        python: The implementation of Python and its version.
        executable: The path of the Python program.
        platform: The operating system.
        packages: The distributions that puzzlekit-core requires.
        problems: What is wrong, each a sentence that says what to do.
    """

    version: str | None
    engine_version: str
    folder: str
    editable: bool
    python: str
    executable: str
    platform: str
    packages: tuple[Package, ...] = ()
    problems: tuple[str, ...] = field(default=())


def look_at_installation() -> Installation:
    """Finds out what is installed, and what is wrong with it.

    >>> look_at_installation().engine_version == __version__
    True
    """
    core = next(iter(metadata.distributions(name=CORE)), None)
    return Installation(
        version=core.version if core else None,
        engine_version=__version__,
        folder=str(PACKAGE),
        editable=core is not None and _sources(core) is not None,
        python=f"{platform.python_implementation()} {platform.python_version()}",
        executable=sys.executable,
        platform=platform.platform(),
        packages=tuple(packages(core)) if core else (),
        problems=(*core_problems(core, PACKAGE, __version__), *clashes(metadata.distributions(), PACKAGE)),
    )


def packages(distribution: Distribution) -> Iterator[Package]:
    """The packages that a distribution requires, not counting extras, with the versions that are installed.

    Requirements that cannot be read are left out.
    """
    try:
        from packaging.requirements import InvalidRequirement, Requirement
    except ImportError:  # a broken installation; `core_problems` tells about it
        return
    for text in distribution.requires or ():
        try:
            required = Requirement(text)
        except InvalidRequirement:
            continue
        if required.marker is None or required.marker.evaluate({"extra": ""}):
            found = next(iter(metadata.distributions(name=required.name)), None)
            yield Package(required.name, str(required.specifier), found.version if found else None)


def unmet(distribution: Distribution, subject: str) -> list[str]:
    """Returns what is wrong with a distribution's requirements: sentences that begin with `subject`."""
    problems = []
    for package in packages(distribution):
        wanted = f"{package.name}{package.requires}"
        if package.version is None:
            problems.append(f"{subject} requires {wanted}, which is not installed; run: pip install '{wanted}'")
        elif not _does(package.version, package.requires):
            problems.append(
                f"{subject} requires {wanted}, and {package.version} is installed; "
                f"run: pip install --upgrade {distribution.name} '{wanted}'"
            )
    return problems


def _does(version: str, wanted: str) -> bool:
    """Returns `True` if a version is one of the wanted versions, such as 1.7 of `<2,>=1.6`."""
    from packaging.specifiers import SpecifierSet
    from packaging.version import InvalidVersion

    try:
        return SpecifierSet(wanted).contains(version, prereleases=True)
    except InvalidVersion:
        return not wanted


def clashes(distributions: Iterable[Distribution], package: Path) -> list[str]:
    """A sentence for each other distribution that brings a package named `puzzlekit`, with what to do.

    Args:
        distributions: All installed distributions.
        package: The folder of the package that is imported.
    """
    problems, seen = [], {CORE}
    for distribution in distributions:
        name = _name(distribution)
        if _normalised(name) in seen:
            continue  # another package of the same name comes first on the path
        seen.add(_normalised(name))
        if _normalised(name) == "puzzlekit" or _brings_package(distribution):
            problems.append(
                f"{name} {distribution.version}, an unrelated distribution in {_place(distribution)}, brings a package "
                f"named puzzlekit as {CORE} does (imported from {package}); "
                f"run: pip uninstall {name}, and then {REINSTALL}"
            )
    return problems


def core_problems(core: Distribution | None, package: Path, engine_version: str) -> Iterator[str]:
    """Yields what is wrong with the distribution that should have brought the package, each a sentence with what to do.

    Args:
        core: The distribution; `None` if it is not installed.
        package: The folder of the package that is imported.
        engine_version: The version of the compiled engine.
    """
    if core is None:
        yield (
            f"the package is imported from {package}, and no distribution {CORE} is installed; "
            f"run: pip install {CORE}, or pip install . in a checkout"
        )
        return
    if find_spec("packaging") is None:
        yield "packaging is not installed, so that no requirement can be checked; run: pip install packaging"
    if not _same_version(core.version, engine_version):
        yield (
            f"{CORE} is version {core.version}, and its compiled engine is {engine_version}; "
            f"run: {REINSTALL}, or build a checkout anew"
        )
    sources = _sources(core)
    if sources is None:
        yield from _file_problems(core, package)
    elif not package.is_relative_to(sources):
        yield _elsewhere(core, package, str(sources))
    yield from unmet(core, f"{CORE} {core.version}")


def _file_problems(core: Distribution, package: Path) -> Iterator[str]:
    """Yields what is wrong with the files: they lie in another folder than the distribution's, or were changed."""
    hashes = {path: digest for path, digest in _record(core) if path.startswith("puzzlekit/")}
    own = Path(str(core.locate_file("puzzlekit"))).resolve()
    if own != package or "puzzlekit/__init__.py" not in hashes:
        yield _elsewhere(core, package, _place(core))
        return
    changed = [path for path, digest in hashes.items() if digest and _hash(own.parent / path) != digest]
    if changed:
        yield (
            f"{len(changed)} of the files of {CORE} {core.version} are not as they were installed, such as "
            f"{own.parent / changed[0]}; run: {REINSTALL}"
        )


def _elsewhere(core: Distribution, package: Path, place: str) -> str:
    return (
        f"the package is imported from {package}, and {CORE} {core.version} is installed in {place}; "
        "take the folder above the package off PYTHONPATH, or install what it is in: pip install ."
    )


def _record(distribution: Distribution) -> list[tuple[str, str]]:
    """The files that were installed with a distribution, and the hash of each, which may be empty."""
    # `distribution.files` would leave out files that are missing.
    rows = csv.reader((distribution.read_text("RECORD") or "").splitlines())
    return [(row[0], row[1]) for row in rows if len(row) > 1]


def _hash(path: Path) -> str | None:
    """The hash of a file, written as in the list of installed files; `None` if the file cannot be read."""
    try:
        digest = hashlib.sha256(path.read_bytes()).digest()
    except OSError:
        return None
    return f"sha256={base64.urlsafe_b64encode(digest).decode().rstrip('=')}"


def _brings_package(distribution: Distribution) -> bool:
    """Returns `True` if a distribution was installed with a file `puzzlekit/__init__.py`."""
    record = distribution.read_text("RECORD")
    if record is not None:
        return any(line.startswith("puzzlekit/__init__.py,") for line in record.splitlines())
    # Older installers list the packages in `top_level.txt` instead.
    return "puzzlekit" in (distribution.read_text("top_level.txt") or "").split()


def _sources(distribution: Distribution) -> Path | None:
    """The folder with the sources that a distribution is imported from; `None` if it is not editable (PEP 610)."""
    try:
        origin = json.loads(distribution.read_text("direct_url.json") or "{}")
        editable = bool(origin["dir_info"]["editable"])
        return Path(url2pathname(urlsplit(origin["url"]).path)).resolve() if editable else None
    except (ValueError, KeyError, TypeError):
        return None


def _same_version(one: str, other: str) -> bool:
    """Returns `True` if two versions are equal, though one is written as in Python, and the other as in Rust."""
    try:
        from packaging.version import InvalidVersion, Version
    except ImportError:
        return one == other
    try:
        return Version(one) == Version(other)
    except InvalidVersion:
        return one == other


def _name(distribution: Distribution) -> str:
    """The name of a distribution; empty if it has none, as after an interrupted installation."""
    try:
        return str(distribution.metadata["Name"] or "")
    except Exception:  # how a missing name or missing metadata fails depends on the version of Python
        return ""


def _normalised(name: str) -> str:
    """The name of a distribution in the form in which names are compared: `Puzzlekit_Core` becomes `puzzlekit-core`."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _place(distribution: Distribution) -> str:
    """The folder in which a distribution is installed."""
    return str(distribution.locate_file(""))
