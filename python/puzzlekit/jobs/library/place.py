"""The places of a library's files: a folder, or a host that is asked over HTTP. Any part of a file can be read."""

from __future__ import annotations

import os
import stat
from typing import BinaryIO, Protocol

from puzzlekit.errors import CorruptError, LibraryError


class Place(Protocol):
    """A place of files that are read whole, or in parts."""

    name: str

    def whole(self, path: str, most: int) -> bytes | None:
        """The content of a file of at most so many bytes; `None` if it is not there.

        Raises:
            LibraryError: It cannot be read.
            CorruptError: It is longer.
        """

    def part(self, path: str, begin: int, length: int, total: int) -> bytes:
        """Some bytes of a file that has `total` bytes.

        Raises:
            LibraryError: They cannot be read.
            CorruptError: The file is not there, or has another length.
        """


class Folder:
    """A folder on this machine.

    Args:
        name: Its path.
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
        """Opens a file. A pipe would be waited for, so it is none."""
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
        UsageError: It is an address, and what asks hosts is not installed.
    """
    if is_address(text):
        from puzzlekit.jobs.library.host import Host

        return Host(text)
    return Folder(text)
