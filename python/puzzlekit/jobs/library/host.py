"""A host that serves the files of a library over HTTP. What it answers is checked before any of it is used."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

from puzzlekit.errors import CorruptError, LibraryError, UsageError

if TYPE_CHECKING:
    import urllib3

CONNECT_SECONDS = 10.0
"""How long a host may take to accept a connection."""

READ_SECONDS = 20.0
"""How long it may be silent in the midst of an answer."""

ANSWER_SECONDS = 60.0
"""How long a whole answer may take. It has a megabyte or so at most, apart from the job's own files."""

MOST_REDIRECTS = 5

REDIRECTS = (301, 302, 303, 307, 308)

MOST_WHOLE = 2**20
"""The largest file that is taken as a whole if a host serves no part of it."""

AT_ONCE = 2**16
"""The number of bytes that are read at a time."""


class Host:
    """A host, by the address of a library. Connections are kept, and proxies are those of the environment.

    Args:
        name: The address.

    Attributes:
        name: The address without a password.
        requests: How many requests were made.
        moved: How many bytes of content came.

    Raises:
        UsageError: The client is not installed, or the address makes no sense.
    """

    def __init__(self, name: str) -> None:
        try:
            import urllib3  # noqa: F401 - it is used only when something is asked for
        except ModuleNotFoundError:
            raise UsageError(
                f'{name} is an address, which needs urllib3; pip install "puzzlekit-core[library]"'
            ) from None
        try:
            parts = urlsplit(name)
        except ValueError:
            raise UsageError(f"{_short(name)} is no address; give one such as https://example.org/works") from None
        if not parts.hostname or parts.query or parts.fragment or parts.username or parts.password:
            raise UsageError(
                f"{parts.scheme}://{parts.hostname or ''}{parts.path} is no address of a library; give one without a "
                "user, a question mark or a hash, such as https://example.org/works"
            )
        self.name = name.rstrip("/")
        self.requests = self.moved = 0
        self._pools: dict[str, urllib3.PoolManager] = {}

    def whole(self, path: str, most: int) -> bytes | None:
        """The content of a file; see `Place`."""
        response = self._get(path, {})
        try:
            if response.status == 404:
                return None
            self._check_status(response, path, 200)
            return self._content(response, path, most, None)
        finally:
            self._close(response)

    def part(self, path: str, begin: int, length: int, total: int) -> bytes:
        """Some bytes of a file; see `Place`."""
        response = self._get(path, {"Range": f"bytes={begin}-{begin + length - 1}"})
        try:
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
            return self._content(response, path, length, length)
        finally:
            self._close(response)

    def _get(self, path: str, headers: dict[str, str]) -> urllib3.BaseHTTPResponse:
        """Asks for a file, and follows redirects."""
        import urllib3

        address = f"{self.name}/{path}"
        # Bytes are wanted as they are: a small answer that is unpacked to a large one is not taken.
        headers = {"Accept-Encoding": "identity", "User-Agent": "puzzlekit", **headers}
        timeout = urllib3.Timeout(connect=CONNECT_SECONDS, read=READ_SECONDS)
        for _ in range(MOST_REDIRECTS + 1):
            self.requests += 1
            try:
                response = self._pool(address).request(
                    "GET",
                    address,
                    headers=headers,
                    timeout=timeout,
                    redirect=False,
                    retries=False,
                    preload_content=False,
                )
            except urllib3.exceptions.HTTPError as error:
                raise self._failed(error) from None
            if response.status not in REDIRECTS:
                return response
            self._close(response)
            told = response.headers.get("Location", "")
            try:
                target = urljoin(address, told)
            except ValueError:
                target = ""
            if not re.match(r"https?://", target) or (address.startswith("https:") and target.startswith("http:")):
                raise LibraryError(
                    f"{self.name} sends us on to {_short(target or told)}, which is no safe address; ask who runs it"
                )
            address = target
        raise LibraryError(f"{self.name} sends us on more than {MOST_REDIRECTS} times; ask who runs it")

    def _pool(self, address: str) -> urllib3.PoolManager:
        """The connections by which an address is reached: its proxy, or none."""
        import urllib3

        parts = urlsplit(address)
        proxies = getproxies()
        proxy = proxies.get(parts.scheme, proxies.get("all", ""))
        if parts.hostname and proxy_bypass(parts.hostname):
            proxy = ""
        if proxy not in self._pools:
            try:
                self._pools[proxy] = urllib3.ProxyManager(proxy) if proxy else urllib3.PoolManager()
            except (urllib3.exceptions.HTTPError, ValueError):
                raise UsageError("the proxy that the environment names is no address; mend HTTP_PROXY") from None
        return self._pools[proxy]

    def _check_status(self, response: urllib3.BaseHTTPResponse, path: str, right: int) -> None:
        if response.status != right:
            raise LibraryError(
                f"{self.name} answers {response.status} for {path}; look whether the address is right, or try later"
            )

    def _content(self, response: urllib3.BaseHTTPResponse, path: str, most: int, exactly: int | None) -> bytes:
        """The bytes of an answer: at most, or exactly, so many."""
        import urllib3

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
        found, end = bytearray(), time.monotonic() + ANSWER_SECONDS
        try:
            while data := response.read1(min(AT_ONCE, most + 1 - len(found)), decode_content=False):
                found += data
                self.moved += len(data)
                if len(found) > most:
                    raise CorruptError(
                        f"{self.name}/{path}: the host sends more than {most:,} bytes; the library is damaged"
                    )
                if time.monotonic() > end:
                    raise LibraryError(
                        f"{self.name} takes more than {ANSWER_SECONDS:g} seconds for {path}; try again later"
                    )
        except urllib3.exceptions.HTTPError as error:
            raise self._failed(error) from None
        short = told is not None and len(found) < int(told)
        if short or (exactly is not None and len(found) != exactly):
            raise CorruptError(
                f"{self.name}/{path}: the host sent {len(found):,} bytes, and there should be more; try again, and "
                "if it stays so, the library is damaged"
            )
        return bytes(found)

    def _failed(self, error: Exception) -> LibraryError:
        import urllib3

        kinds = urllib3.exceptions
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
        """Gives the connection back if the answer was read to its end, and closes it otherwise."""
        if response.status in REDIRECTS and response.headers.get("Content-Length") == "0":
            response.read1(1)  # at the end of the answer, the connection may serve the next request
        if getattr(response, "length_remaining", None) == 0:
            response.release_conn()
        else:
            response.close()


def _short(text: str) -> str:
    """A text of a host for a message."""
    return text if len(text) <= 80 else f"{text[:80]}..."
