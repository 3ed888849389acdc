"""Changes a library's folder: one process at a time, and a kill at any moment leaves a whole library.

A work is written into a folder whose name begins with `.new-`. Then the folder gets its own name, and then the list
names the work. To remove a work, these steps are made backward. If a process was killed on the way, the next process
that changes the library completes its steps, or removes its files.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

from puzzlekit.errors import DiskError, LibraryError
from puzzlekit.jobs.library import writing
from puzzlekit.jobs.library.listing import LIST, found, list_of, text_of
from puzzlekit.jobs.library.place import Folder
from puzzlekit.jobs.library.work import Listed, checksum, is_fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from puzzlekit.jobs.library.work import Work

NEW = ".new-"
"""The beginning of the name of a folder in which a work is written."""

OLD = f"{NEW}old-"
"""The beginning of the name of a work's folder while it is being removed."""

LOCK = ".lock"
"""A file that a process locks while it changes the library."""


class LibraryFolder:
    """A library's folder, which `changing` has locked so that only this process changes it.

    Args:
        path: The folder.

    Attributes:
        listed: The works that the list names, by the fingerprints of their rules.

    Raises:
        CorruptError: The list cannot be read as one, or a folder that is not listed holds no work.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.listed: dict[str, Listed] = {}
        self._tidy()

    def add(self, rules: str, write: Callable[[str], tuple[Work, bytes]]) -> Work:
        """Adds a work.

        Args:
            rules: The fingerprint of the work's rules.
            write: Writes the work's files into a folder; returns the work, and the text of its manifest.
        """
        new, home = self._in(f"{NEW}{rules}"), self._in(rules)
        os.mkdir(new)
        try:
            work, text = write(new)
            _durable(new)
            os.rename(new, home)
            try:
                self._write_list([*self.listed.values(), Listed(work, len(text), checksum(text))])
            except BaseException:
                os.rename(home, new)
                raise
        except BaseException:
            shutil.rmtree(new, ignore_errors=True)
            raise
        return work

    def remove(self, rules: str) -> None:
        """Removes a work that the list names, with all its files."""
        home, old = self._in(rules), self._in(f"{OLD}{rules}")
        if os.path.lexists(home):
            os.rename(home, old)
        try:
            self._write_list([each for each in self.listed.values() if each.work.rules != rules])
        except BaseException:
            os.rename(old, home)
            raise
        _discard(old)

    def _in(self, name: str) -> str:
        return os.path.join(self.path, name)

    def _tidy(self) -> None:
        """Completes the change of a killed process: removes unfinished files, and lists the works that are there.

        Works that are listed already keep the digests in the list. So damage to their files is still noticed.
        """
        new = not os.path.lexists(self._in(LIST))
        if not new:
            self.listed = list_of(Folder(self.path))
        for name in os.listdir(self.path):
            if name.startswith(OLD) and not os.path.lexists(self._in(name.removeprefix(OLD))):
                new |= self.listed.pop(name.removeprefix(OLD), None) is not None
        for rules in sorted(os.listdir(self.path)):
            if is_fingerprint(rules) and rules not in self.listed:
                self.listed[rules], new = found(Folder(self.path), rules), True
        if new:
            self._write_list(self.listed.values())
        for name in os.listdir(self.path):
            if name.startswith(NEW):
                _discard(self._in(name))

    def _write_list(self, listed: Iterable[Listed]) -> None:
        """Writes the list of works. At any moment, the file has the whole old list or the whole new one."""
        each = sorted(listed, key=lambda one: (one.work.puzzle, one.work.rules))
        new = self._in(f"{NEW}{secrets.token_hex(8)}")
        try:
            writing.write_file(new, text_of(each))
            os.replace(new, self._in(LIST))
        except BaseException:
            _discard(new)
            raise
        _durable(self.path)
        self.listed = {one.work.rules: one for one in each}


@contextmanager
def changing(path: str) -> Iterator[LibraryFolder]:
    """Makes the folder of a library, if it is not there, and locks it for a change.

    Raises:
        LibraryError: Another process changes it, or the folder holds something else.
        DiskError: The folder cannot be written.
        CorruptError: As in `LibraryFolder`.
    """
    try:
        os.makedirs(path, exist_ok=True)
        if not os.path.exists(os.path.join(path, LIST)):
            strange = [name for name in os.listdir(path) if name != LOCK and not name.startswith((NEW, LIST))]
            if strange:
                raise LibraryError(f"{path} is not empty, and no library; give a new folder, or a library")
        with open(os.path.join(path, LOCK), "ab") as lock:
            _lock(lock, path)
            yield LibraryFolder(path)
    except OSError as error:
        raise DiskError(
            f"the library in {path} cannot be changed: {error.strerror or error}; mend that, and try again"
        ) from error


def _lock(file: BinaryIO, folder: str) -> None:
    """Locks an open file until it is closed.

    Raises:
        LibraryError: Another process has locked it.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):  # the second one on Windows
        raise LibraryError(f"another process changes the library in {folder}; wait until it is done") from None


def _discard(path: str) -> None:
    """Removes a file, a link, or a folder with all that is in it, if it is there."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


def _durable(folder: str) -> None:
    """Makes the names in a folder durable, if the system can do that."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
