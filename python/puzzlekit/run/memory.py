"""Amounts of memory: texts such as `4GiB` as numbers, and what the system reports about this process."""

from __future__ import annotations

import re
import sys

from puzzlekit.errors import UsageError

try:
    import resource
except ImportError:  # Windows has none
    resource = None  # type: ignore[assignment]

_UNITS = {"": 1, "b": 1}
for _power, _letter in enumerate("kmgtpe", 1):
    _UNITS |= {_letter: 1024**_power, f"{_letter}ib": 1024**_power, f"{_letter}b": 1000**_power}

MOST_BYTES = 2**63
"""The largest size that is accepted, as for the sizes of files: 8 EiB."""


def read_bytes(text: str | int, name: str = "memory") -> int:
    """Reads a number of bytes as people write it.

    >>> read_bytes("4GiB"), read_bytes("500 MB"), read_bytes("1.5k"), read_bytes("1EiB") == 2**60
    (4294967296, 500000000, 1536, True)

    Raises:
        UsageError: It is no positive number of bytes; the message names what `name` may be.
    """
    if isinstance(text, int) and not isinstance(text, bool):
        size = text
    else:
        match = re.fullmatch(r"([0-9]{1,300}(?:\.[0-9]{1,300})?)\s*([a-z]*)", str(text).strip().lower())
        unit = None if match is None else _UNITS.get(match[2])
        if match is None or unit is None:
            raise UsageError(f"{name} is {text!r}; give a size such as 500MiB or 4GiB")
        size = int(float(match[1]) * unit)
    if size < 1:
        raise UsageError(f"{name} is {text!r}, which leaves no byte; give a size above 0 such as 500MiB or 4GiB")
    if size >= MOST_BYTES:
        # Python writes no number of more than 4,300 digits.
        given = repr(text) if size < 10**30 else "a number of more than 30 digits"
        raise UsageError(f"{name} is {given}, more than there is anywhere; give a size below 8EiB, such as 4GiB")
    return size


MEMORY_SHARE = 0.7
"""The share of the memory of this machine, or of its control group, that is taken if no limit is given."""


def _status(field: str) -> int | None:
    """A number of bytes that Linux reports about this process, by the name of its field; `None` on other systems."""
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as status:
            _, found, rest = status.read().partition(f"\n{field}")
    except OSError:
        return None
    return int(rest.split(None, 1)[0]) * 1024 if found else None


def held_bytes() -> int:
    """The bytes of memory that this process holds now. Only Linux reports them; on other systems, the result is 0."""
    return _status("VmRSS:") or 0


THREAD_ADDRESSES = 66 * 1024**2
"""The bytes of addresses that a thread reserves and hardly uses: for glibc's heap of the thread, and for its stack."""


def address_limit() -> int | None:
    """The bytes of address space that this process may take (`ulimit -v`); `None` if it is not limited."""
    if resource is None:
        return None
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if limit == resource.RLIM_INFINITY else limit


def address_bytes(threads: int) -> int | None:
    """The bytes that this process may still take, if its address space is limited (`ulimit -v`); `None` if it is not.

    Half of the addresses that are left after starting `threads` threads, because memory that was freed in pieces cannot
    be used as a whole.
    """
    limit = address_limit()
    if limit is None:
        return None
    return max(limit - (_status("VmSize:") or 0) - threads * THREAD_ADDRESSES, 0) // 2


def peak_bytes() -> int | None:
    """The most bytes of memory that this process has held so far; `None` if the system does not report it."""
    # `getrusage` would also count what the parent process held before the fork. VmHWM counts this program alone.
    if (held := _status("VmHWM:")) is not None:
        return held
    if resource is None:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
