"""The pool of processes that answer: few requests may wait, slow processes are ended, and lost ones replaced."""

import asyncio
import os
import sys
from contextlib import asynccontextmanager

import pytest

import puzzlekit
from puzzlekit.web.limits import Limits
from puzzlekit.web.offers import Offer
from puzzlekit.web.pool import BusyError, FailedError, LateError, LostError, Pool, Setting
from puzzlekit.web.request_fields import Request
from tests import web

LOOP = Request("describe", {"puzzle": "evil:1"})
CRASH = Request("describe", {"puzzle": "evil:2"})
GOOD = Request("play", {"puzzle": "evil"})


@asynccontextmanager
async def pool(*, workers=1, waiting=2, seconds=30.0, limits=None):
    setting = Setting([Offer("evil", "evil", f"{web.EVIL}:Evil"), Offer("slider", "slider")], limits or Limits())
    made = Pool(setting, workers=workers, waiting=waiting, seconds=seconds)
    await made.start()
    try:
        yield made
    finally:
        await made.close()


def test_an_answer_that_takes_too_long_is_ended():
    async def run():
        async with pool(seconds=0.5) as made:
            with pytest.raises(LateError, match=r"more than 0.5 seconds"):
                await made.answer(LOOP)
            return await made.answer(GOOD)

    assert asyncio.run(run())["moment"]["state"] == "<<<<"


def test_a_process_that_crashes_is_replaced():
    async def run():
        async with pool() as made:
            for _ in range(3):
                with pytest.raises(LostError):
                    await made.answer(CRASH)
            return await made.answer(GOOD)

    assert asyncio.run(run())["moment"]["state"] == "<<<<"


def test_the_line_is_bounded_and_who_leaves_it_makes_room():
    async def run():
        async with pool(waiting=2) as made:
            first = asyncio.ensure_future(made.answer(LOOP))
            await asyncio.sleep(0.05)
            others = [asyncio.ensure_future(made.answer(GOOD)) for _ in range(2)]
            await asyncio.sleep(0.05)
            assert made.waiting == 2
            with pytest.raises(BusyError, match="try again"):
                await made.answer(GOOD)
            others[0].cancel()
            await asyncio.sleep(0)
            assert made.waiting == 1
            third = asyncio.ensure_future(made.answer(GOOD))
            first.cancel()
            answers = await asyncio.gather(others[1], third)
            await asyncio.gather(first, others[0], return_exceptions=True)
            assert first.cancelled()
            return answers

    assert [each["moment"]["state"] for each in asyncio.run(run())] == ["<<<<"] * 2


def test_a_search_that_is_left_is_stopped_without_ending_its_process():
    state = puzzlekit.load("slider:5,5").scramble("a").state

    async def run():
        async with pool() as made:
            process = next(iter(made._all))._process.pid
            async with asyncio.timeout(20):
                lines = made.answers(Request("solve", {"puzzle": "slider:5,5", "state": state, "solver": "optimal"}))
                assert "progress" in await anext(lines)
                await lines.aclose()
                await made.answer(GOOD)
            return process, next(iter(made._all))._process.pid

    before, after = asyncio.run(run())
    assert before == after


def test_a_process_that_holds_too_much_is_replaced():
    async def run():
        async with pool(limits=Limits(worker_bytes=1)) as made:
            process = next(iter(made._all))._process.pid
            await made.answer(GOOD)
            await made.answer(GOOD)
            return process, {worker._process.pid for worker in made._all}

    before, after = asyncio.run(run())
    assert before not in after


@pytest.mark.skipif(sys.platform == "win32", reason="os.kill with 0 asks nothing on Windows")
def test_nothing_is_left_behind():
    async def run():
        async with pool(workers=2) as made:
            found = [worker._process.pid for worker in made._all]
            asyncio.ensure_future(made.answer(LOOP))  # noqa: RUF006 - it is meant to be lost
            await asyncio.sleep(0.05)
        return found

    for process in asyncio.run(run()):
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


def test_an_error_says_what_kind_it_is():
    async def run():
        async with pool() as made:
            await made.answer(Request("play", {"puzzle": "slider", "state": "nonsense"}))

    with pytest.raises(FailedError, match="nonsense") as raised:
        asyncio.run(run())
    assert raised.value.kind == "StateError"


def test_a_server_that_cannot_start_its_processes_says_so_in_a_sentence(command, monkeypatch):
    begun, begin = [], asyncio.create_subprocess_exec

    async def one_only(*arguments, **options):
        if begun:
            raise OSError(24, "Too many open files")
        begun.append(None)
        begun[0] = await begin(*arguments, **options)
        return begun[0]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", one_only)
    result = command("serve", "rotation", "--port", "0")
    assert (result.code, result.out) == (1, "")
    assert result.err == (
        "puzzlekit: error: a process that answers cannot be started: Too many open files; allow more open files, "
        "processes or memory (ulimit -n, ulimit -u, ulimit -v)\n"
    )
    assert begun[0].returncode is not None
