"""Times the page's answers: moves one after another, and fifty people at once. `python -m tests.benchmarks.page`.

The benchmark starts a server, and asks it over the network of this machine, as a browser does.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from urllib.parse import urlsplit

from tests.web import ROOT, serving

PUZZLES = ("flipit", "rotate", "rotation", "slider", "slider:4,4", "tictactoe", "tictactoe:10,10,5", "flipit:10,10")
PEOPLE = 50
SECONDS = 15.0
PAUSE = 0.5
"""How long a person thinks about a move."""


class Person:
    """Somebody who plays, over one connection that stays open."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.times: list[float] = []

    async def connect(self) -> None:
        """Opens the connection."""
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)

    async def ask(self, verb: str, fields: dict[str, object]) -> dict[str, object]:
        """The answer to a verb. The time that it took is noted."""
        body = json.dumps(fields).encode()
        head = (
            f"POST /api/{verb} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        begun = time.perf_counter()
        self._writer.write(head.encode() + body)
        length = 0
        while (line := await self._reader.readline()).strip():
            name, _, value = line.decode().partition(":")
            if name.lower() == "content-length":
                length = int(value)
        answer: dict[str, object] = json.loads(await self._reader.readexactly(length))
        self.times.append(time.perf_counter() - begun)
        return answer

    async def play(self, puzzle: str, *, end: float, pause: float) -> None:
        """Makes moves until the time is over; a new board begins after forty."""
        moves: list[str] = []
        while time.perf_counter() < end:
            answer = await self.ask("play", {"puzzle": puzzle, "moves": moves})
            legal = answer["moment"]["legal"]  # type: ignore[index]
            moves = [*moves, legal[len(moves) * 7 % len(legal)]] if legal and len(moves) < 40 else []
            await asyncio.sleep(pause)


def told(times: list[float]) -> str:
    """The median, the 99th percentile and the maximum of the times, in milliseconds."""
    ordered = sorted(times)
    worst = ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]
    return f"{statistics.median(ordered) * 1e3:7.1f} {worst * 1e3:8.1f} {ordered[-1] * 1e3:8.1f} {len(times):8,}"


async def alone(port: int, puzzle: str) -> list[float]:
    """The times of one person's moves, one right after the other. The first is not counted: it compiles the rules."""
    person = Person(port)
    await person.connect()
    for _ in range(4):
        await person.ask("play", {"puzzle": puzzle})
    person.times.clear()
    await person.play(puzzle, end=time.perf_counter() + 2, pause=0)
    return person.times


async def together(port: int, *, searches: bool) -> list[float]:
    """The times of many people's moves. With `searches`, two more people have boards solved all the time."""
    people = [Person(port) for _ in range(PEOPLE)]
    for person in people:
        await person.connect()
    end = time.perf_counter() + SECONDS
    tasks = [person.play(PUZZLES[at % 6], end=end, pause=PAUSE) for at, person in enumerate(people)]
    if searches:
        tasks += [search(port, end) for _ in range(2)]
    await asyncio.gather(*tasks)
    return [taken for person in people for taken in person.times]


async def search(port: int, end: float) -> None:
    """Somebody who has the page search for solutions of four by four."""
    person = Person(port)
    await person.connect()
    number = 0
    while time.perf_counter() < end:
        board = await person.ask("scramble", {"puzzle": "slider:4,4", "seed": str(number)})
        await person.ask("fewest", {"puzzle": "slider:4,4", "state": board["state"]})
        number += 1


def main() -> None:
    """Prints the tables."""
    with serving("flipit", "rotate", "rotation", "slider", "tictactoe") as served:
        port = urlsplit(served.address).port or 0
        print(f"{'milliseconds a move':24} {'median':>7} {'99 %':>8} {'slowest':>8} {'moves':>8}")
        for puzzle in PUZZLES:
            print(f"{puzzle:24} {told(asyncio.run(alone(port, puzzle)))}")
        print(f"{PEOPLE} people, a move each {PAUSE:g} s")
        print(f"{'  nobody searches':24} {told(asyncio.run(together(port, searches=False)))}")
        print(f"{'  two search':24} {told(asyncio.run(together(port, searches=True)))}")
    static = ROOT / "python" / "puzzlekit" / "web" / "static"
    sizes = {kind: sum(path.stat().st_size for path in static.glob(f"*.{kind}")) for kind in ("js", "css")}
    print(", ".join(f"{size:,} bytes of {kind}" for kind, size in sizes.items()))


if __name__ == "__main__":
    main()
