"""Builds the engine of the page as WebAssembly, and puts it where the distribution puzzlekit-site takes it from.

`make site-engine` runs it. An argument names another profile of `Cargo.toml` than `web`. It takes the standard library
of Rust for WebAssembly, which rustup brings; without rustup, Debian's packages are unpacked into `.tools`, and the
library is compiled from its source. Nothing is installed in the system.
"""

import gzip
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
TARGET = "wasm32-unknown-unknown"
TO = ROOT / "plugins" / "site" / "puzzlekit_site" / "engine.wasm"
DEBIAN = ROOT / ".tools" / "web-toolchain"
PACKAGES = ("rustc-web", "libstd-rust-web-dev", "rust-web-src", "libllvm22")
"""Debian's compiler for pages. It is newer than the other one, which cannot read this edition of Rust."""

SMALL = ("-Cllvm-args=-inline-threshold=15", "-Cllvm-args=-inlinehint-threshold=30")
"""Little is inlined but what hot loops force to be; see docs/adr/0028."""

VECTORS = ("-Ctarget-feature=+simd128",)
"""The instructions for 16 bytes at a time. Browsers that can unpack the engine have them."""


def output(*command: str) -> str:
    """What a command prints; empty if it fails, or is not there."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def has_target() -> bool:
    """Returns `True` if the Rust that is used here has the standard library for WebAssembly."""
    folder = output("rustc", "--print", "target-libdir", "--target", TARGET)
    return bool(folder) and any(Path(folder).glob("libstd-*.rlib"))


def of_debian() -> dict[str, str]:
    """Unpacks Debian's compiler, and returns the environment in which Cargo uses it."""
    library = DEBIAN / "root" / "usr" / "lib" / "x86_64-linux-gnu"
    compiler = DEBIAN / "root" / "usr" / "bin" / "rustc"
    if not compiler.exists():
        print(f"site-engine: brings Debian's compiler for pages into {DEBIAN.relative_to(ROOT)}; a minute, 140 MB")
        debs = DEBIAN / "debs"
        debs.mkdir(parents=True, exist_ok=True)
        subprocess.run(["apt-get", "update", "-qq"], check=False)
        named = output("apt-cache", "depends", "libstd-rust-web-dev")
        library_of = [word for word in named.split() if word.startswith("libstd-rust-web-")]
        packages = dict.fromkeys([*PACKAGES, *library_of])
        subprocess.run(["apt-get", "download", "-qq", *packages], cwd=debs, check=True)
        for deb in debs.glob("*.deb"):
            subprocess.run(["dpkg", "-x", deb, DEBIAN / "root"], check=True)
        shutil.rmtree(debs)
    linker = next(Path(output("rustc", "--print", "sysroot")).glob("lib/rustlib/*/bin/rust-lld"), None)
    return {
        "LD_LIBRARY_PATH": str(library),
        "RUSTC": str(compiler),
        "RUSTC_BOOTSTRAP": "1",  # the standard library is compiled, too, which a stable compiler does not do unasked
        "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER": str(linker or "wasm-ld"),
    }


def main(profile: str = "web") -> None:
    """Builds the engine."""
    more: list[str] = []
    environment = dict(os.environ)
    if not has_target() and shutil.which("rustup"):
        subprocess.run(["rustup", "target", "add", TARGET], check=False)
    if not has_target():
        if not (shutil.which("apt-get") and shutil.which("dpkg")):
            sys.exit(f"site-engine: failed: Rust has no {TARGET} here; to add it: rustup target add {TARGET}")
        environment |= of_debian()
        more = ["-Zbuild-std=std,panic_abort"]
    target = ROOT / "target" / "web"
    environment["CARGO_TARGET_DIR"] = str(target)
    command = ["cargo", "rustc", "--package", "puzzlekit_core", "--lib", "--crate-type", "cdylib", "--profile", profile]
    command += ["--no-default-features", "--features", "web", "--target", TARGET, *more, "--", *SMALL, *VECTORS]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    TO.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(target / TARGET / profile / "puzzlekit_core.wasm", TO)
    data = TO.read_bytes()
    packed = len(gzip.compress(data, 9))
    print(f"site-engine: {TO.relative_to(ROOT)} has {len(data):,} bytes, and {packed:,} packed by gzip -9")


if __name__ == "__main__":
    main(*sys.argv[1:])
