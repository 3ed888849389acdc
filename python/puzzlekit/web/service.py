"""A server's puzzles, its limits, and its two pools of processes: one for short answers, one for searches."""

from __future__ import annotations

import asyncio
import base64
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from puzzlekit.errors import PuzzlekitError
from puzzlekit.web.pool import LateError, Pool, every
from puzzlekit.web.request_fields import VERBS, Request

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from puzzlekit.web.pool import Setting

STEP_BACK = 5
"""The `nice` value of searches, so that they step back for moves and for everything else on the machine."""

READY_SECONDS = 0.5
"""The seconds for which a page may wait for its first board. If it takes longer, the page asks for it itself."""

MOST_KEPT = 64
"""The number of descriptions of puzzles that are kept."""


class Service:
    """A server's puzzles, limits and pools.

    Args:
        setting: The puzzles and the limits.

    Attributes:
        fault: Why the processes could not be started; `None` if they could, or before they are.
    """

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.fault: BaseException | None = None
        limits = self.limits = setting.limits
        self._quick = Pool(
            setting,
            workers=limits.quick_workers,
            waiting=limits.quick_waiting,
            seconds=limits.quick_seconds,
        )
        self._long = Pool(
            replace(setting, niceness=STEP_BACK),
            workers=limits.long_workers,
            waiting=limits.long_waiting,
            seconds=limits.long_seconds + limits.short_seconds,
        )
        self._described: dict[str, dict[str, Any]] = {}

    async def start(self) -> None:
        """Starts the processes."""
        try:
            await every((self._quick.start(), self._long.start()))
        except BaseException as error:
            self.fault = error
            await self.close()
            raise

    async def close(self) -> None:
        """Ends the processes."""
        await asyncio.gather(self._quick.close(), self._long.close())

    def pool(self, verb: str) -> Pool:
        """The pool that answers a verb."""
        return self._long if VERBS[verb].long else self._quick

    async def describe(self, text: str) -> dict[str, Any]:
        """The description of a puzzle, for a page. If it cannot be made, `error` says why.

        The most recent descriptions are kept. If describing a puzzle takes too long, that error is kept, too, so that
        the puzzle does not hold up the first page again and again.
        """
        known = self._described.pop(text, None)
        if known is None:
            try:
                known = await self._quick.answer(Request("describe", {"puzzle": text}))
            except LateError as error:
                late = (
                    f"to describe its rules and its board took more than {error.seconds:g} seconds; take a smaller size"
                )
                known = {"puzzle": text, "error": f"{text}: {late}"}
            except PuzzlekitError as error:
                return {"puzzle": text, "error": str(error)}
        self._described[text] = known
        while len(self._described) > MOST_KEPT:
            del self._described[next(iter(self._described))]
        return known

    async def ready(
        self, described: Mapping[str, Any], seeds: Sequence[str], seconds: float | None = READY_SECONDS
    ) -> list[dict[str, Any]]:
        """The boards with which a page can begin at once if its link names none, each as the verb `play` answers.

        The field `label` has the name of each board in links. The start is the only one, or if it is solved, there is a
        board of each seed. What cannot be made, or takes too long, is left out.
        """
        text, start = described["puzzle"], described["start"]
        labels = [{"seed": seed} for seed in seeds] if described["start_is_solved"] else [{"state": start}]
        found: list[dict[str, Any]] = []
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                for label in labels:
                    with suppress(PuzzlekitError):
                        board: Mapping[str, Any] = label
                        if "seed" in label:
                            board = await self._quick.answer(Request("scramble", {"puzzle": text, **label}))
                        fields = {"puzzle": text, "state": board["state"]}
                        found.append({"label": label, **await self._quick.answer(Request("play", fields))})
        return found

    async def picture(self, text: str) -> bytes:
        """A picture of a board of a puzzle, as PNG.

        Raises:
            PuzzlekitError: It cannot be made; the message says why.
        """
        found = await self._quick.answer(Request("picture", {"puzzle": text}))
        return base64.b64decode(found["png"])
