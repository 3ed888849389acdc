"""Collects the pages of the documentation, and builds the site from them. `make site` runs it.

    python .ci/pages.py          writes the pages into .site/pages, and lets Zensical make .site/html of them
    python .ci/pages.py --pages  writes the pages alone

The pages lie in the repository where they belong. `docs/site.toml` has their order. Each example of the gallery becomes
a page with its source and its known counts, and the reference is made from the docstrings. A link that leads nowhere
fails the build. If the engine for pages has been built, the page of each puzzle has a board to play on.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import reference

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
SITE = ROOT / ".site"
PICTURES = "docs/pictures/"
BOARDS = "boards"
"""The folder of the site in which `puzzlekit site` writes the boards."""

GALLERY = "examples/README.md"
"""The page about the gallery."""

ENGINE = ROOT / "plugins" / "site" / "puzzlekit_site" / "engine.wasm"


def example(path: Path) -> str:
    """The page of an example: its docstring, its source, and its known counts."""
    source = path.read_text(encoding="utf-8")
    document = ast.get_docstring(ast.parse(source)) or ""
    title, _, about = document.partition("\n")
    code = source[source.index('"""', 3) + 3 :].strip()
    counts = (ROOT / "tests" / "counts" / "examples" / f"{path.stem}.txt").read_text(encoding="utf-8").strip()
    run = f"puzzlekit enumerate {path.stem}"
    blocks = [("", run), ("python", code), ("text", re.sub(r"^#.*\n", "", counts, flags=re.MULTILINE).strip())]
    run, code, counts = (f"```{kind}\n{text}\n```" for kind, text in blocks)
    return "\n\n".join([f"# {title.rstrip('.')}", about.strip(), run, "## Source", code, "## Known counts", counts, ""])


def sources() -> dict[str, str]:
    """The text of every page, by the path that it has, or would have, in the repository."""
    found = {}
    for pattern in (
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "docs/**/*.md",
        "plugins/*/README.md",
        "examples/*.md",
    ):
        for path in sorted(ROOT.glob(pattern)):
            found[path.relative_to(ROOT).as_posix()] = path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "python" / "puzzlekit" / "gallery").glob("*.py")):
        found[f"examples/{path.stem}.md"] = example(path)
    return found | {f"reference/{name}": text for name, text in reference.pages().items()}


def address(page: str) -> str:
    """The path of a page in the site: a README becomes the first page of its folder."""
    return re.sub(r"(^|/)README\.md$", r"\1index.md", page)


def relinked(page: str, text: str, pages: set[str]) -> str:
    """Rewrites the links of a page for the site. A link to a file that is no page becomes plain text."""

    def address_of(target: str) -> str | None:
        """Where a target lies in the site; `None` if it is no page."""
        to = PurePosixPath(page).parent / target
        parts: list[str] = []
        for part in to.parts:
            parts[-1:] = parts[-1:] if part == "." else [] if part == ".." else [*parts[-1:], part]
        path = re.sub(r"^python/puzzlekit/gallery/(\w+)\.py$", r"examples/\1.md", "/".join(parts))
        if path not in pages and not path.startswith(PICTURES):
            if not (ROOT / path).exists():
                raise SystemExit(f"{page} links to {target}, which is not there; mend the link")
            return None
        return "../" * (len(PurePosixPath(page).parts) - 1) + address(path)

    def link(match: re.Match[str]) -> str:
        words, target, place = match[1], match[2], match[3] or ""
        if not target or re.match(r"\w+:", target):
            return match[0]
        to = address_of(target)
        return words if to is None else f"[{words}]({to}{place})"

    def definition(match: re.Match[str]) -> str:
        """A link that the text uses by its words alone, below it: `[words]: target`."""
        to = None if re.match(r"\w+:", match[2]) else address_of(match[2])
        return match[0] if to is None else f"[{match[1]}]: {to}{match[3] or ''}"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    parts[::2] = [re.sub(r"\[([^\]]*)\]\(([^)#]*)(#[^)]*)?\)", link, part) for part in parts[::2]]
    defined = re.compile(r"^\[([^\]]+)\]: ([^\s#]+)(#\S*)?$", re.MULTILINE)
    parts[::2] = [defined.sub(definition, part) for part in parts[::2]]
    return "".join(parts)


def puzzle_of(page: str) -> str | None:
    """The id of the puzzle that a page is about; `None` for other pages.

    >>> puzzle_of("examples/hanoi.md"), puzzle_of("plugins/slider/README.md"), puzzle_of("docs/rules.md")
    ('hanoi', 'slider', None)
    """
    found = re.fullmatch(r"examples/(\w+)\.md|plugins/(\w+)/README\.md", page)
    name = found and (found[1] or found[2])
    places = ("python/puzzlekit/gallery/{}.py", "tests/counts/{}.txt")
    return name if name and any((ROOT / place.format(name)).exists() for place in places) else None


def with_board(page: str, text: str) -> str:
    """The text of a page; below the first heading the board of its puzzle, and on that of the gallery all boards."""
    name = puzzle_of(page)
    if name is None and page != GALLERY:
        return text
    up = "../" * (len(PurePosixPath(page).parts) - 1)
    path, words = ("index", "All puzzles") if page == GALLERY else (f"embed/{name}", name)
    frame = (
        f'<iframe src="{up}{BOARDS}/{path}.html" title="{words}, to play" loading="lazy"\n'
        '    style="width: 100%; height: 40rem; border: 0"></iframe>'
    )
    heading, _, rest = text.partition("\n")
    return f"{heading}\n\n{frame}\n{rest}"


def title(text: str) -> str:
    """The first heading of a page, without the marks of code and links."""
    return re.sub(r"[`*]|\[|\]\([^)]*\)", "", re.search(r"^# (.*)$", text, re.MULTILINE)[1])


def order(nav: dict[str, list[str]], pages: set[str]) -> dict[str, list[str]]:
    """The pages of each part, with stars written out."""
    named = {page for listed in nav.values() for page in listed}

    def each(listed: list[str]) -> Iterator[str]:
        for page in listed:
            if page.endswith("*"):
                yield from sorted(other for other in pages - named if other.startswith(page[:-1]))
            else:
                yield page

    return {part: list(each(listed)) for part, listed in nav.items()}


def missing(nav: dict[str, list[str]], pages: set[str]) -> set[str]:
    """The pages that `docs/site.toml` does not list, and the listed ones that do not exist."""
    return {page for listed in order(nav, pages).values() for page in listed} ^ pages


def toml(value: Any) -> str:  # noqa: ANN401 - a value of a configuration
    """A value as TOML, on one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {toml(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return json.dumps(value)


def write(to: Path, *, boards: bool = False) -> None:
    """Writes all pages, with boards or without, and Zensical's configuration beside them."""
    config = tomllib.loads((ROOT / "docs" / "site.toml").read_text(encoding="utf-8"))
    found = sources()
    if wrong := missing(config["nav"], set(found)):
        raise SystemExit(f"docs/site.toml does not fit the pages: {', '.join(sorted(wrong))}; add or remove them")
    shutil.rmtree(to, ignore_errors=True)
    for page, text in found.items():
        path = to / "pages" / address(page)
        path.parent.mkdir(parents=True, exist_ok=True)
        shown = relinked(page, text, set(found))
        path.write_text(with_board(page, shown) if boards else shown, encoding="utf-8")
    shutil.copytree(ROOT / PICTURES, to / "pages" / PICTURES)
    nav = [
        {part: [{title(found[page]): address(page)} for page in listed]}
        for part, listed in order(config["nav"], set(found)).items()
    ]
    project = config["project"] | {"nav": nav}
    lines = ["[project]", *(f"{key} = {toml(value)}" for key, value in project.items()), ""]
    (to / "zensical.toml").write_text("\n".join(lines), encoding="utf-8")


def main() -> None:
    """Writes the pages, and builds the site unless only the pages are asked for."""
    boards = ENGINE.exists()
    write(SITE, boards=boards)
    if "--pages" not in sys.argv:
        command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
        if subprocess.run(command, cwd=SITE, env=os.environ | {"NO_COLOR": "1"}, check=False).returncode:
            raise SystemExit("the site was not built; mend what is named above")
        if boards:
            to = str(SITE / "html" / BOARDS)
            subprocess.run(
                [sys.executable, "-m", "puzzlekit", "site", "--gallery", "--embed", "--to", to], check=True, cwd=ROOT
            )
        else:
            print("the pages have no boards to play on, since make site-engine has not built the engine for pages")
        print(f"the site is in {SITE / 'html'}")


if __name__ == "__main__":
    main()
