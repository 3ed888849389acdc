"""The standard streams of the command. All three exist, and only the result is written to stdout."""

from __future__ import annotations

import io
import os
import sys


def prepare() -> None:
    """Opens the streams that were closed before the start, except stdout, and keeps stdout for the result alone."""
    _fill_gaps()
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 - open to the end
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stdout is not None:
        _keep_apart()


def _fill_gaps() -> None:
    """Points descriptors 0, 1 and 2 at the null device, if they are closed.

    Otherwise the next file that is opened would get one of these numbers, and messages to stderr would be written into
    a job.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)


def _keep_apart() -> None:
    """Moves stdout to another descriptor, and makes descriptor 1 the same as stderr.

    So a plugin, a library in C, or a program that they start may write to descriptor 1. It is then a message, not a
    result.
    """
    before = sys.stdout
    if not isinstance(before, io.TextIOWrapper):  # something else has replaced it
        return
    before.flush()
    results = io.TextIOWrapper(
        open(os.dup(before.fileno()), "wb", buffering=io.DEFAULT_BUFFER_SIZE),  # noqa: SIM115
        encoding=before.encoding,
        errors="backslashreplace",  # for a symbol that the terminal's encoding lacks
        line_buffering=before.line_buffering,
        write_through=before.write_through,
    )
    os.dup2(2, before.fileno())
    # Sizes of the terminal are asked of `sys.__stdout__`.
    sys.stdout = results
    sys.__stdout__ = results  # type: ignore[misc]
