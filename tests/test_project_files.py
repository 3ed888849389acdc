"""Files for people who report a fault, ask for something, or cite: the commands and pages that they name exist."""

import re
import tomllib
from pathlib import Path

import pytest

from puzzlekit.cli.app import VERBS

ROOT = Path(__file__).parent.parent
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
TEXTS = {path.name: path.read_text(encoding="utf-8") for path in [*FORMS, ROOT / "SECURITY.md", ROOT / "CITATION.cff"]}


def test_a_citation_has_the_version_and_the_licence_of_the_package():
    crate = tomllib.loads((ROOT / "rust_core" / "Cargo.toml").read_text(encoding="utf-8"))["package"]
    whole = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"].get("package", {})
    version = crate["version"] if isinstance(crate["version"], str) else whole["version"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    fields = dict(re.findall(r'^([a-z-]+): "?([^"\n]+)"?$', TEXTS["CITATION.cff"], re.MULTILINE))
    assert (fields["version"], fields["license"]) == (version, project["license"])
    assert fields["abstract"] == project["description"]
    assert re.findall(r'- name: "(.*)"', TEXTS["CITATION.cff"]) == ["The puzzlekit developers"]


@pytest.mark.parametrize("form", [path.name for path in FORMS if path.name != "config.yml"])
def test_a_form_asks_for_something(form):
    text = TEXTS[form]
    assert re.search(r"^name: .+\ndescription: .+\nlabels: \[.+\]\nbody:$", text, re.MULTILINE)
    ids = re.findall(r"^    id: (\w+)$", text, re.MULTILINE)
    assert len(ids) == len(set(ids)) == text.count("- type: textarea") == text.count("      label: ")
    assert "required: true" in text


def test_commands_and_pages_that_are_named_exist():
    named = {verb for text in TEXTS.values() for verb in re.findall(r"puzzlekit ([a-z]+) --?[a-z]", text)}
    assert {"doctor"} <= named <= set(VERBS)
    pages = {page for text in TEXTS.values() for page in re.findall(r"\bdocs/[\w-]+\.md", text)}
    assert len(pages) >= 3
    assert all((ROOT / page).is_file() for page in pages)
