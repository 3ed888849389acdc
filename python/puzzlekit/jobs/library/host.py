"""A host that serves the files of a library over HTTP. Its answers are checked before they are used."""

from __future__ import annotations

import re
import threading
import time
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import SplitResult, urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

from puzzlekit.errors import CorruptError, LibraryError, LimitError, UsageError
from puzzlekit.run.ending import ENDS
from puzzlekit.run.progress import Progress
from puzzlekit.run.solver import LOOK_EVERY

if TYPE_CHECKING:
    from collections.abc import Callable

    import urllib3

    from puzzlekit.run.solver import Deadline

CONNECT_SECONDS = 10.0
"""The most seconds that a host may take to accept a connection."""

READ_SECONDS = 20.0
"""The most seconds for which a host may send nothing in the middle of an answer."""

ANSWER_SECONDS = 60.0
"""The most seconds that a whole answer may take, with all redirects. Except for the files of the job, an answer has at
most about a megabyte."""

MOST_REDIRECTS = 5

REDIRECTS = (301, 302, 303, 307, 308)

MOST_WHOLE = 2**20
"""If a host cannot send a part of a file, the whole file is read, if it has at most this many bytes."""

AT_ONCE = 2**16
"""The number of bytes that are read at a time."""

T = TypeVar("T")


class Host:
    """A host, by the address of a library. Connections are kept, and proxies are those of the environment.

    Args:
        name: The address.

    Attributes:
        name: The address without a password.
        requests: How many requests were made.
        moved: How many bytes of content were received.

    Raises:
        UsageError: urllib3 is not installed, or the address makes no sense.
    """

    def __init__(self, name: str) -> None:
        try:
            import urllib3  # noqa: F401 - it is used only when something is asked for
        except ModuleNotFoundError:
            raise UsageError(
                f'{name} is an address, which needs urllib3; pip install "puzzlekit-core[library]"'
            ) from None
        parts = _split(name)
        if parts is None or parts.query or parts.fragment or parts.username or parts.password:
            shown = "this" if parts is None else _short(f"{parts.scheme}://{parts.hostname}{parts.path}")
            raise UsageError(
                f"{shown} is no address of a library; give one without a user, a question mark or a hash, such as "
                "https://example.org/works"
            )
        self.name = parts.geturl().rstrip("/")  # its scheme is in small letters now
        self.requests = self.moved = 0
        self._pools: dict[str, urllib3.PoolManager] = {}

    def whole(self, path: str, most: int) -> bytes | None:
        """The content of a file; see `Place`."""

        def read(response: urllib3.BaseHTTPResponse) -> bytes | None:
            if response.status == 404:
                return None
            self._check_status(response, path, 200)
            return self._content(response, path, most, None)

        return self._asked(path, {}, read)

    def part(self, path: str, begin: int, length: int, total: int) -> bytes:
        """Some bytes of a file; see `Place`."""

        def read(response: urllib3.BaseHTTPResponse) -> bytes:
            if response.status == 404:
                raise CorruptError(f"{self.name}/{path} is not there; the library is damaged")
            if response.status == 200:
                if total > MOST_WHOLE:
                    raise LibraryError(
                        f"{self.name} sends whole files when it is asked for a part of them (no ranges); copy the "
                        "library to a folder, or serve it by a host that has ranges"
                    )
                return self._content(response, path, total, total)[begin : begin + length]
            self._check_status(response, path, 206)
            told = f"bytes {begin}-{begin + length - 1}/{total}"
            found = response.headers.get("Content-Range", "")
            if found != told:
                raise CorruptError(
                    f'{self.name}/{path}: the host was asked for "{told}" and sent "{_short(found)}"; the library is '
                    "damaged, or its list is of another day"
                )
            if "Transfer-Encoding" in response.headers:
                raise LibraryError(f"{self.name} sends a part of {path} in chunks; serve the files as they are")
            return self._content(response, path, length, length)

        return self._asked(path, {"Range": f"bytes={begin}-{begin + length - 1}"}, read)

    def _asked(self, path: str, headers: dict[str, str], read: Callable[[urllib3.BaseHTTPResponse], T]) -> T:
        """Requests a file, and returns what `read` makes of the answer.

        Another thread does that. So this one can end the wait at any time, even while a name is looked up: when the
        time is over, which counts to the last byte of the content, redirects included, or when the watch says so.
        """
        from puzzlekit.jobs.library.guarded import Clock

        deadline, end, clock = ENDS.get(), time.monotonic() + ANSWER_SECONDS, Clock()
        if deadline is not None and deadline(Progress()):
            raise self._ended(deadline, f"before {self.name} was asked")
        found: list[T] = []
        failed: list[BaseException] = []
        done = threading.Event()

        def request() -> None:
            try:
                with clock:
                    response = self._get(path, headers)
                    try:
                        found.append(read(response))
                    finally:
                        self._close(response)
            except BaseException as error:
                failed.append(error)
            done.set()

        threading.Thread(target=request, daemon=True).start()
        try:
            while not done.wait(LOOK_EVERY):
                if time.monotonic() >= end:
                    raise LibraryError(
                        f"{self.name} takes more than {ANSWER_SECONDS:g} seconds for {path}; try again later"
                    )
                if deadline is not None and deadline(Progress()):
                    raise self._ended(deadline, f"while {self.name} was asked for {path}")
        finally:
            if not done.is_set():
                clock.stop()
        if failed:
            raise self._told(failed[0]) from None
        return found[0]

    @staticmethod
    def _ended(deadline: Deadline, when: str) -> LimitError:
        """The error if the time is over, or the watch said to stop."""
        return LimitError(f"{'the time was over' if deadline.over else 'the search was stopped'} {when}")

    def _get(self, path: str, headers: dict[str, str]) -> urllib3.BaseHTTPResponse:
        """Asks for a file, and follows redirects."""
        import urllib3

        address = f"{self.name}/{path}"
        # The host must not compress its answer, since a small answer could become a very large one.
        headers = {"Accept-Encoding": "identity", "User-Agent": "puzzlekit", **headers}
        for _ in range(MOST_REDIRECTS + 1):
            self.requests += 1
            timeout = urllib3.Timeout(connect=CONNECT_SECONDS, read=READ_SECONDS)
            response = self._pool(address).request(
                "GET",
                address,
                headers=headers,
                timeout=timeout,
                redirect=False,
                retries=False,
                preload_content=False,
            )
            if response.status not in REDIRECTS:
                return response
            told = response.headers.get("Location", "")
            self._close(response)
            parts = _split(told, address)
            if parts is None or (address.startswith("https:") and parts.scheme == "http"):
                raise LibraryError(
                    f"{self.name} sends us on to {_short(told)}, which is no safe address; ask who runs it"
                )
            address = parts.geturl()
        raise LibraryError(f"{self.name} sends us on more than {MOST_REDIRECTS} times; ask who runs it")

    def _pool(self, address: str) -> urllib3.PoolManager:
        """The pool of connections for an address: those of its proxy, or direct ones."""
        import urllib3

        from puzzlekit.jobs.library.guarded import pools

        parts = urlsplit(address)
        proxies = getproxies()
        proxy = proxies.get(parts.scheme, proxies.get("all", ""))
        if parts.hostname and proxy_bypass(parts.hostname):
            proxy = ""
        if proxy not in self._pools:
            try:
                self._pools[proxy] = pools(proxy)
            except (urllib3.exceptions.HTTPError, ValueError):
                raise UsageError("the proxy that the environment names is no address; mend HTTP_PROXY") from None
        return self._pools[proxy]

    def _check_status(self, response: urllib3.BaseHTTPResponse, path: str, right: int) -> None:
        if response.status != right:
            raise LibraryError(
                f"{self.name} answers {response.status} for {path}; look whether the address is right, or try later"
            )

    def _content(self, response: urllib3.BaseHTTPResponse, path: str, most: int, exactly: int | None) -> bytes:
        """Reads the content of an answer: at most `most` bytes, and exactly `exactly` bytes unless that is `None`."""
        kind = response.headers.get("Content-Type", "")
        if response.headers.get("Content-Encoding", "identity") not in ("", "identity"):
            raise LibraryError(
                f"{self.name} packs what it sends ({_short(response.headers['Content-Encoding'])}), though it was "
                "asked not to; serve the files as they are"
            )
        if kind.partition(";")[0].strip().lower() in ("text/html", "application/xhtml+xml"):
            raise LibraryError(f"{self.name} sends a page in place of {path}; look whether the address is right")
        told = response.headers.get("Content-Length")
        if told is not None and (not re.fullmatch("[0-9]{1,18}", told) or int(told) > most):
            raise CorruptError(
                f"{self.name}/{path}: the host sends {_short(told)} bytes, and {most:,} are the most that there can "
                "be; the library is damaged"
            )
        found = bytearray()
        while data := response.read1(min(AT_ONCE, most + 1 - len(found)), decode_content=False):
            found += data
            self.moved += len(data)
            if len(found) > most:
                raise CorruptError(
                    f"{self.name}/{path}: the host sends more than {most:,} bytes; the library is damaged"
                )
        short = told is not None and len(found) < int(told)
        if short or (exactly is not None and len(found) != exactly):
            raise CorruptError(
                f"{self.name}/{path}: the host sent {len(found):,} bytes, and there should be more; try again, and "
                "if it stays so, the library is damaged"
            )
        return bytes(found)

    def _told(self, error: BaseException) -> BaseException:
        """Turns an error of the connection into one that says what is wrong; returns any other as it is."""
        import urllib3

        kinds = urllib3.exceptions
        if not isinstance(error, kinds.HTTPError | OSError | ValueError):
            return error
        if isinstance(error, kinds.NewConnectionError | kinds.NameResolutionError):
            what = "cannot be reached"
        elif isinstance(error, kinds.TimeoutError):
            what = "does not answer in time"
        elif isinstance(error, kinds.SSLError):
            what = "cannot be trusted: its certificate is not accepted"
        elif isinstance(error, kinds.ProxyError):
            what = "cannot be reached by the proxy that the environment names"
        elif isinstance(error, kinds.LocationParseError | kinds.LocationValueError):
            what = "is no address"
        else:
            what = f"breaks off ({type(error).__name__})"
        return LibraryError(f"{self.name} {what}; try again later, or name another library")

    def _close(self, response: urllib3.BaseHTTPResponse) -> None:
        """Returns the connection to its pool if the answer was read to its end; otherwise closes it."""
        if response.status in REDIRECTS and response.headers.get("Content-Length") == "0":
            response.read1(1)  # at the end of the answer, the connection may serve the next request
        if getattr(response, "length_remaining", None) == 0:
            response.release_conn()
        else:
            response.close()


def _short(text: str) -> str:
    """A text that a host sent, shortened for a message, and without control characters."""
    shown = ascii(text[:80])[1:-1]
    return shown if len(text) <= 80 else f"{shown}..."


def _split(text: str, base: str = "") -> SplitResult | None:
    """The parts of an address, which may be relative to the address `base`; `None` if it is no address of a host."""
    try:
        parts = urlsplit(urljoin(base, text))
        _ = parts.port  # raises an error if it is no number
    except ValueError:
        return None
    return parts if parts.scheme in ("http", "https") and parts.hostname and text.isprintable() else None
