"""What a release is made with: the program that stands in for Zig."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ZIG = Path(__file__).parent.parent / ".ci" / "zig.py"

# It writes down how it is called. As Zig does, it tells how it calls its linker, if it is asked to.
STAND_IN = """
import os, sys
with open(os.environ["CALLS"], "a") as calls:
    print(*sys.argv[1:], file=calls)
if sys.argv[1] == "cc":
    print("clang's own words", file=sys.stderr)
    if "-v" in sys.argv and os.environ["LINES"]:
        print("ld.lld -shared -o libm.so.6 m.o", file=sys.stderr)  # as on a machine on which it has not linked yet
        print("ld.lld -shared -o", sys.argv[3], "'a part.o'", file=sys.stderr)
"""


def calls(folder: Path, *given: str, lines: str = "1") -> tuple[int, list[str]]:
    """Calls the program; returns its exit code, and how it called Zig."""
    (folder / "ziglang").mkdir()
    (folder / "ziglang" / "__main__.py").write_text(STAND_IN, encoding="utf-8")
    known = {"PYTHONPATH": str(folder), "CALLS": str(folder / "calls"), "LINES": lines}
    done = subprocess.run([sys.executable, ZIG, *given], env={**os.environ, **known}, capture_output=True, check=False)
    return done.returncode, (folder / "calls").read_text(encoding="utf-8").splitlines()


def test_the_engine_is_linked_once_more_and_gets_lighter(tmp_path: Path) -> None:
    engine = "deps/libpuzzlekit_core.so"
    code, called = calls(tmp_path, "cc", "-o", engine, "part.o")
    again = f"ld.lld -shared -o {engine} a part.o --bp-compression-sort=both --icf=all"
    assert (code, called) == (0, [f"cc -o {engine} part.o -v", again])


@pytest.mark.parametrize("given", [("version",), ("cc", "-o", "other.so", "part.o"), ("cc", "-c", "part.c")])
def test_all_else_is_handed_on_as_it_is(given: tuple[str, ...], tmp_path: Path) -> None:
    assert calls(tmp_path, *given) == (0, [" ".join(given)])


def test_a_zig_that_does_not_tell_how_it_links_is_an_error(tmp_path: Path) -> None:
    code, called = calls(tmp_path, "cc", "-o", "libpuzzlekit_core.so", "part.o", lines="")
    assert (code, len(called)) == (1, 1)
