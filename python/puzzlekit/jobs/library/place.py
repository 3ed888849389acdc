"""Reads the files of a library, whole or in parts: from a folder, or from a host over HTTP."""

from __future__ import annotations

import os
import stat
from typing import BinaryIO, Protocol

from puzzlekit.errors import CorruptError, LibraryError


class Place(Protocol):
    """A place from which files are read, whole or in parts: a folder or a host."""

    name: str

    def whole(self, path: str, most: int) -> bytes | None:
        """The content of a file that has at most `most` bytes; `None` if there is no such file.

        Raises:
            LibraryError: The file cannot be read.
            CorruptError: The file is longer.
        """

    def part(self, path: str, begin: int, length: int, total: int) -> bytes:
        """The `length` bytes from byte `begin` on of a file that has `total` bytes.

        Raises:
            LibraryError: The bytes cannot be read.
            CorruptError: The file is not there, or has another length.
        """


class Folder:
    """A folder on this machine.

    Args:
        name: The path of the folder.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def whole(self, path: str, most: int) -> bytes | None:
        """The content of a file; see `Place`."""
        try:
            with self._open(path) as file:
                data = file.read(most + 1)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise self._unreadable(path, error) from None
        if len(data) > most:
            raise CorruptError(f"{self.name}/{path} has more than {most:,} bytes; the library is damaged")
        return data

    def part(self, path: str, begin: int, length: int, total: int) -> bytes:
        """Some bytes of a file; see `Place`."""
        try:
            with self._open(path) as file:
                if file.seek(0, os.SEEK_END) != total:
                    raise CorruptError(
                        f"{self.name}/{path} has {file.tell():,} bytes, and should have {total:,}; the library is "
                        "damaged"
                    )
                file.seek(begin)
                return file.read(length)
        except (FileNotFoundError, NotADirectoryError):
            raise CorruptError(f"{self.name}/{path} is not there; the library is damaged") from None
        except OSError as error:
            raise self._unreadable(path, error) from None

    def _open(self, path: str) -> BinaryIO:
        """Opens a file. Refuses a pipe or a device, since reading from it could wait for ever."""
        file = open(os.path.join(self.name, path), "rb", opener=_at_once)  # noqa: SIM115 - the caller closes it
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            file.close()
            raise LibraryError(f"{self.name}/{path} is no file; mend that, or leave the library out")
        return file

    def _unreadable(self, path: str, error: OSError) -> LibraryError:
        return LibraryError(f"{self.name}/{path} cannot be read: {error.strerror or error}; mend that, or leave it out")


def _at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def is_address(text: str) -> bool:
    """Returns `True` if a text is the address of a host, and no path.

    >>> is_address("https://example.org/library"), is_address("library")
    (True, False)
    """
    return text.lower().startswith(("http://", "https://"))


def place_of(text: str) -> Place:
    """The place of a path or an address.

    Raises:
        UsageError: The text is an address, and urllib3 is not installed.
    """
    if is_address(text):
        from puzzlekit.jobs.library.host import Host

        return Host(text)
    return Folder(text)
