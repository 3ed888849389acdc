#!/usr/bin/env python3
"""Clippy, and Rust's documentation: `make lint` has Cargo call this in the place of the compiler of the crate itself.

No code is generated. So what the crate depends on is taken as `make setup` has compiled it, where `cargo clippy` and
`cargo doc` would look through all of it once more.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

DOCUMENTATION = Path(__file__).parent.parent / "target" / "doc"


def documented(words: list[str]) -> list[str]:
    """The words for rustdoc that say the same as those for the compiler of the tests, but that nothing is a test."""
    kept, left = ["--crate-type", "lib"], iter(words)
    for word in left:
        if word in ("-C", "--crate-type", "--out-dir"):
            next(left)
        elif word != "--test" and not word.startswith("--emit="):
            kept.append(word)
    return [*kept, "--out-dir", str(DOCUMENTATION)]


def main() -> None:
    """Looks at the code once or twice, since the documentation of the library and of its tests is the same."""
    compiler, *words = sys.argv[1:]
    if "--crate-name" not in words:  # Cargo asks what compiler this is
        os.execvp(compiler, [compiler, *words])
    linted = ["--emit=dep-info,metadata" if word.startswith("--emit=") else word for word in words]
    if shutil.which("clippy-driver") is None:
        sys.exit("lint: clippy-driver is not there; `rustup component add clippy` brings it")
    commands = [["clippy-driver", compiler, *linted]]
    if "--test" in words:
        commands.append(["rustdoc", *documented(words)])
    for command in commands:
        # Cargo hands on open files by which all compilers together keep to the number of cores.
        done = subprocess.run([*command, "-D", "warnings"], check=False, close_fds=False)
        if done.returncode:
            sys.exit(done.returncode)


if __name__ == "__main__":
    main()
