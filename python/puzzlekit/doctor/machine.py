"""The machine: the processor, threads, memory and what limits it, and folders."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from puzzlekit.errors import PuzzlekitError
from puzzlekit.run.engine.machine import default_threads, found_memory, memory_limit, processor
from puzzlekit.run.memory import address_bytes, address_limit

if TYPE_CHECKING:
    from collections.abc import Mapping

LEAST_BYTES = 64 * 1024**2
"""With less memory than this, even small runs stop: Python and the engine take half of it."""


@dataclass(frozen=True)
class Processor:
    """The processor.

    Attributes:
        architecture: The architecture, such as x86_64.
        instruction_set: The instructions that the engine uses: `"avx512"` or `"avx2"`; or `"baseline"`, those that
            every processor of the architecture has.
        cores: How many cores the machine has; `None` if the system does not report it.
        threads: How many threads a run has if no option says it; `None` if so many threads cannot be started.
        problems: What is wrong, each a sentence that says what to do.
    """

    architecture: str
    instruction_set: str
    cores: int | None
    threads: int | None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class MemoryBound:
    """Something that limits the memory of this process.

    Attributes:
        source: `"machine"`, `"control group"` or `"ulimit -v"`.
        bytes: How many bytes it allows.
        file: For a control group, the file with the limit.
        version: For a control group, its version, 1 or 2.
    """

    source: str
    bytes: int
    file: str | None = None
    version: int | None = None

    def __str__(self) -> str:
        if self.source == "control group":
            return f"the control group of {self.file} (version {self.version})"
        return "the memory of the machine" if self.source == "machine" else "the address space, limited by ulimit -v"


@dataclass(frozen=True)
class Memory:
    """The memory that this process may use.

    Attributes:
        bounds: All limits: the memory of the machine, control groups that allow less, and `ulimit -v`.
        default_bytes: The most bytes that a run takes if no option says it.
        problems: What is wrong, each a sentence that says what to do.
    """

    bounds: tuple[MemoryBound, ...]
    default_bytes: int
    problems: tuple[str, ...] = ()

    @property
    def binding(self) -> MemoryBound:
        """The lowest of the limits."""
        return min(self.bounds, key=lambda bound: bound.bytes)


@dataclass(frozen=True)
class Folders:
    """The folders that puzzlekit uses even if no option names them.

    Attributes:
        temporary: The folder for temporary files; `None` if there is none that can be written to.
        free_bytes: How many bytes are free there.
        problems: What is wrong, each a sentence that says what to do.
    """

    temporary: str | None
    free_bytes: int | None
    problems: tuple[str, ...] = ()


def look_at_processor() -> Processor:
    """Asks the engine what it knows and uses of the processor.

    >>> look_at_processor().instruction_set in ("avx512", "avx2", "baseline")
    True
    """
    found = processor()
    threads, problems = None, []
    try:
        threads = default_threads()
    except PuzzlekitError as error:
        problems.append(f"{error}; give fewer with --threads, or allow more (ulimit -u, ulimit -v)")
    return Processor(found.architecture, found.instruction_set, os.cpu_count(), threads, tuple(problems))


def look_at_memory(threads: int) -> Memory:
    """The memory of this process, and what limits it if a run has the given number of threads.

    >>> look_at_memory(1).bounds[0].source
    'machine'
    """
    found, addresses = found_memory(), address_limit()
    bounds = [MemoryBound("machine", found.machine)]
    bounds += [MemoryBound("control group", group.bytes, str(group.file), group.version) for group in found.groups]
    bounds += [MemoryBound("ulimit -v", addresses)] if addresses is not None else []
    left = address_bytes(threads)
    default = memory_limit(None) if left is None else min(memory_limit(None), left)
    memory = Memory(tuple(bounds), default)
    if left == 0:
        problem = (
            f"the address space that this process may take (ulimit -v) does not do for {threads} threads; "
            "give fewer with --threads, or more of it"
        )
        return Memory(memory.bounds, default, (problem,))
    if memory.binding.bytes < LEAST_BYTES:
        problem = (
            f"{memory.binding} allows {memory.binding.bytes:,} bytes, with which hardly any run gets on; "
            f"allow {LEAST_BYTES:,} or more"
        )
        return Memory(memory.bounds, default, (problem,))
    return memory


def look_at_folders(environment: Mapping[str, str] = os.environ) -> Folders:
    """The folder for temporary files."""
    try:
        folder = tempfile.gettempdir()
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"written")
    except OSError as error:
        reason = error.strerror or str(error)
        return Folders(
            None, None, (f"no temporary file can be written: {reason}; set TMPDIR to a folder that can be written",)
        )
    named = environment.get("TMPDIR")
    problems = []
    if named and os.path.abspath(named) != os.path.abspath(folder):
        problems.append(
            f"TMPDIR is {named}, in which nothing can be written, so {folder} is used; "
            "make that folder, or set TMPDIR to another"
        )
    return Folders(folder, shutil.disk_usage(folder).free, tuple(problems))
