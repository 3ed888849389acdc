"""The site: every page is in its navigation, its links lead to pages, and its reference has every public name."""

import importlib
import inspect
import re
import sys
import tomllib

import pytest

import puzzlekit
from tests.test_documents import PAGES, ROOT, members

sys.path.insert(0, str(ROOT / ".ci"))
pages = importlib.import_module("pages")
reference = importlib.import_module("reference")

NAV = tomllib.loads((ROOT / "docs" / "site.toml").read_text(encoding="utf-8"))["nav"]


def test_every_page_is_in_the_navigation():
    found = set(pages.sources())
    assert {page.relative_to(ROOT).as_posix() for page in PAGES} <= found
    assert pages.missing(NAV, found) == set()
    assert pages.missing(NAV, found | {"docs/new.md"}) == {"docs/new.md"}
    assert pages.missing(NAV, found - {"docs/rules.md"}) == {"docs/rules.md"}


def test_every_example_has_a_page_with_its_source_and_counts():
    text = pages.sources()["examples/hanoi.md"]
    assert text.startswith("# The tower of Hanoi\n")
    assert "class Hanoi(Puzzle):" in text
    assert "\nhanoi:disks=8,pegs=4\n" in text
    assert {f"examples/{path.stem}.md" for path in (ROOT / "python" / "puzzlekit" / "gallery").glob("*.py")} <= set(
        pages.sources()
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    pages.write(folder)
    return folder


def test_links_on_the_site_lead_to_pages(site):
    links = 0
    for page in (site / "pages").rglob("*.md"):
        prose = re.split(r"^```.*\n", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[::2]
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", "\n".join(prose)):
            assert (page.parent / target).is_file(), f"{page} links to {target}"
            links += 1
    assert links > 200


def test_pictures_are_on_the_site(site):
    text = (site / "pages" / "index.md").read_text(encoding="utf-8")
    (picture,) = re.findall(r"!\[[^]]+\]\((docs/pictures/\w+\.svg)\)", text)
    assert (site / "pages" / picture).read_text(encoding="utf-8").startswith("<svg ")


def test_the_configuration_names_the_pages_that_are_written(site):
    project = tomllib.loads((site / "zensical.toml").read_text(encoding="utf-8"))["project"]
    listed = {
        address
        for part in project["nav"]
        for entries in part.values()
        for entry in entries
        for address in entry.values()
    }
    assert listed == {path.relative_to(site / "pages").as_posix() for path in (site / "pages").rglob("*.md")}
    assert project["nav"][0]["Start"][0] == {"puzzlekit": "index.md"}


def test_pages_of_puzzles_have_boards(tmp_path):
    pages.write(tmp_path, boards=True)
    for page, frame in (
        ("examples/hanoi", "../boards/embed/hanoi"),
        ("plugins/slider/index", "../../boards/embed/slider"),
    ):
        text = (tmp_path / "pages" / f"{page}.md").read_text(encoding="utf-8")
        assert re.match(rf'# .+\n\n<iframe src="{frame}\.html" title="\w+, to play"', text)
    text = (tmp_path / "pages" / "examples" / "index.md").read_text(encoding="utf-8")
    assert text.startswith('# The gallery\n\n<iframe src="../boards/index.html" title="All puzzles, to play"')
    for page in ("plugins/site/index", "docs/rules", "index"):
        assert "<iframe" not in (tmp_path / "pages" / f"{page}.md").read_text(encoding="utf-8").partition("```")[0]


def test_links_are_those_of_the_site():
    known = {"README.md", "docs/rules.md", "docs/adr/README.md", "examples/nim.md"}

    def relinked(page, text):
        return pages.relinked(page, text, known)

    assert (
        relinked("docs/rules.md", "[a](../README.md) [b](adr/README.md#x)")
        == "[a](../index.md) [b](../docs/adr/index.md#x)"
    )
    assert (
        relinked("README.md", "[a](python/puzzlekit/gallery/nim.py) [b](LICENSE) [c](#here)")
        == "[a](examples/nim.md) b [c](#here)"
    )
    assert relinked("docs/rules.md", "[a]: ../README.md#x\n[b]: https://b.example") == (
        "[a]: ../index.md#x\n[b]: https://b.example"
    )
    assert relinked("README.md", "```\n[a](none.md)\n```\n") == "```\n[a](none.md)\n```\n"
    with pytest.raises(SystemExit, match=r"README.md links to none.md, which is not there"):
        relinked("README.md", "[a](none.md)")


def test_the_reference_has_every_public_name():
    text = "\n".join(reference.pages().values())
    headings = re.findall(r"^#+ `(.*)`$", text, re.MULTILINE)
    assert len(headings) == len(set(headings))
    for name in puzzlekit.__all__:
        thing = getattr(puzzlekit, name)
        if inspect.ismodule(thing):
            continue
        assert name in headings
        if inspect.isclass(thing):
            assert {f"{name}.{inner}" for inner, _ in members(thing)} <= set(headings)
    assert {"jobs.Job", "testing.check_puzzle"} <= set(headings)


def test_docstrings_become_markdown():
    def example(cells: "int", *, name: "str | None" = None) -> "int":
        """Adds one.

        >>> 1 + 1
        2

        Args:
            cells: How many
                there are.
            name: A `Grid`.

        Raises:
            RulesError: Never.
        """

    text = "\n".join(reference._one("example", example))
    assert "example(cells: int, *, name: str | None = None) -> int" in text
    assert "```pycon\n>>> 1 + 1\n2\n```" in text
    assert "**Arguments**\n\n- `cells`: How many there are.\n- `name`: A `Grid`.\n" in text
    assert "**Raises**\n\n- `RulesError`: Never.\n" in text
