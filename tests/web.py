"""What the tests of the page share: a server of its own process, and short ways to ask it."""

import http.client
import json
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).parent.parent
GALLERY = ("hanoi", "pegs", "pancakes", "lights_out", "river", "connect_four")
"""The puzzles of the gallery that are served beside those that are installed."""

EVIL = ROOT / "tests" / "fixtures" / "evil.py"
"""A puzzle whose texts are markup, and whose other boards loop, crash and take all memory."""


@dataclass
class Served:
    """A server that runs in a process of its own."""

    process: subprocess.Popen
    address: str
    lines: list[str] = field(default_factory=list)

    @property
    def port(self) -> int:
        return urlsplit(self.address).port

    def request(self, method, path, body=None, headers=None, timeout=60):
        """The status, the headers and the body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def ask(self, verb, **fields):
        """The status and the data of an answer."""
        status, _, body = self.request("POST", f"/api/{verb}", json.dumps(fields), {"Content-Type": "application/json"})
        return status, json.loads(body)

    def connect(self) -> socket.socket:
        """A connection of bytes."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def children(self) -> list[int]:
        """The processes that answer."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                parent = re.search(r"^PPid:\s*(\d+)", (folder / "status").read_text(), re.MULTILINE)
            except OSError:
                continue
            if parent and int(parent[1]) == self.process.pid:
                found.append(int(folder.name))
        return found

    def held(self) -> int:
        """The bytes of memory that the process which listens holds."""
        text = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(re.search(r"VmRSS:\s*(\d+)", text)[1]) * 1024


@contextmanager
def serving(*arguments: str) -> Iterator[Served]:
    """A server, until the end of the block."""
    command = [sys.executable, "-m", "puzzlekit", "serve", "--port", "0", *arguments]
    environment = os.environ | {"PYTHONWARNINGS": "error", "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment, cwd=ROOT) as process:
        lines: list[str] = []
        for line in process.stderr:
            lines.append(line)
            if " at http://" in line:
                break
        else:
            raise AssertionError(f"the server did not start: {''.join(lines)}")
        served = Served(process, re.search(r"at (http://\S+)/;", lines[-1])[1], lines)
        reader = threading.Thread(target=lambda: lines.extend(process.stderr), daemon=True)
        reader.start()
        try:
            yield served
        finally:
            process.terminate()
            process.wait(20)
            reader.join(5)


def gallery() -> list[str]:
    """The files of the gallery that are served."""
    return [f"examples/{name}.py" for name in GALLERY]
