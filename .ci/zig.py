#!/usr/bin/env python3
"""Stands in for Zig when a release is linked. `.ci/dist.py` names it to maturin.

Zig's linker is that of LLVM. Zig lets nobody ask it for options that make the engine lighter. So the engine is linked
by Zig first, which prints how it calls its linker. Then the linker is called once more, with these options.
"""

import shlex
import subprocess
import sys

LIGHTER = [
    "--bp-compression-sort=both",  # puts functions that are alike, and constants, where Deflate finds them
    "--icf=all",  # keeps one of several functions that are the same
]
"""The options of the linker that make the engine lighter."""


def engine_in(given: list[str]) -> str | None:
    """The file that Zig is to write, if it is to link the engine, not to compile or link anything else."""
    to = given[given.index("-o") + 1] if given[:1] == ["cc"] and "-o" in given else ""
    return to if "puzzlekit_core" in to else None


def main() -> int:
    """Runs Zig with the arguments that were given."""
    zig, given = [sys.executable, "-m", "ziglang"], sys.argv[1:]
    engine = engine_in(given)
    if engine is None:
        return subprocess.run([*zig, *given], check=False).returncode
    done = subprocess.run([*zig, *given, "-v"], stderr=subprocess.PIPE, text=True, check=False)
    called = [shlex.split(line) for line in done.stderr.splitlines() if line.startswith("ld.lld ")]
    # The first time, Zig links libraries of the system, too.
    called = [words for words in called if engine in words]
    if done.returncode or len(called) != 1:
        print(done.stderr, file=sys.stderr)
        return done.returncode or 1
    return subprocess.run([*zig, *called[0], *LIGHTER], check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main())
