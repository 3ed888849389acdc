"""The manual page of puzzlekit (`man puzzlekit`): it is current and complete, and groff reads it without a warning."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from puzzlekit.cli.app import VERBS
from tests.cli_reference import help_of
from tests.man_page import page

FILE = Path(__file__).parent.parent / "wheel" / "data" / "share" / "man" / "man1" / "puzzlekit.1"


def test_the_page_is_current():
    assert FILE.read_text(encoding="utf-8") == page(), "make docs writes it anew"


def test_every_option_of_every_verb_is_there():
    text = FILE.read_text(encoding="utf-8").replace("\\-", "-")
    for verb in VERBS:
        section = text.partition(f'.SH "puzzlekit {verb}"\n')[2].partition("\n.SH ")[0]
        options = re.findall(r"^  (?:-\w, )?(--[\w-]+)", help_of(verb), re.MULTILINE)
        assert section
        assert all(f"{option}" in section for option in ["-h, --help", *options]), verb


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_groff_reads_it_without_a_warning():
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-rLL=90n", str(FILE)], capture_output=True, text=True, check=True
    )
    shown = re.sub("\x1b\\[[0-9;]*m|.\x08", "", done.stdout)
    assert done.stderr == ""
    assert "puzzlekit draw rotation 213/456/789 --solve --to way.gif" in shown
    assert "EXIT STATUS" in shown
