"""The compiled engine in Python's terms: rules go in, states go in and come out as text or as arrays."""

from __future__ import annotations

import contextlib
import json
import math
import os
from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from puzzlekit import _core
from puzzlekit.describe.notation import Notation
from puzzlekit.errors import LimitError, MoveError, StateError, UnsolvableError
from puzzlekit.run.checks import check_number, check_seed
from puzzlekit.run.memory import MEMORY_SHARE, address_bytes, held_bytes, peak_bytes, read_bytes
from puzzlekit.run.outcomes import possible_outcomes

# Reports and answers are imported by what makes them: dataclasses take long to define, and a list of puzzles has none.
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from typing_extensions import Buffer

    from puzzlekit.describe.rules import Rules
    from puzzlekit.run.answers import Foreseen, ScrambleReport
    from puzzlekit.run.options import DepthSpan, JobFolder, RunOptions, ShardSetup
    from puzzlekit.run.report import HardState, Report, RunPlan, Watch
    from puzzlekit.run.solver import Answer, Budget, Deadline
    from puzzlekit.run.values import ValuesReport

__version__: str = _core.VERSION


METHODS = {"uniform": "each reachable state equally likely", "walk": "random moves"}


def memory_limit(memory: int | str | None) -> int:
    """A limit of memory in bytes; if it is `None`, 70 % of what the machine or its control group allows."""
    return int(_core.memory_bytes() * MEMORY_SHARE) if memory is None else read_bytes(memory)


LEAST_TABLE = 4096
"""The fewest bytes in which the value of a game's position is looked for."""


class Engine:
    """Rules, checked and compiled.

    Args:
        rules: The rules.
        least_word_bits: The fewest bits that a packed state may have, to compare widths.

    Raises:
        RulesError: The rules contradict themselves; the message names what is wrong.
    """

    def __init__(self, rules: Rules, least_word_bits: int = 0) -> None:
        data = rules.to_data()
        self.core = _core.Engine(json.dumps(data), least_word_bits)
        self._names: list[str] = [move["name"] for move in data["moves"]]
        shared = Counter(self._names)
        self._only = {name: place for place, name in enumerate(self._names) if shared[name] == 1}
        """The places of moves that share their name with no other."""
        self.seeks_symmetries = data["symmetries"] == "auto"
        """`True` if the rules ask the engine to find symmetries."""
        self.swaps_players = not self.seeks_symmetries and any(
            symmetry["swap_players"] for symmetry in data["symmetries"]
        )
        """`True` if a symmetry that the rules declare swaps the players."""
        self.notation = Notation(rules, self.core.notation(list(rules.row_lengths)))
        self.start = self.notation.write(bytes(map(self.notation.symbols.index, data["start"])), 0)
        self.goal = self._only_goal(data["goal"])
        self.has_goal = bool(data["goal"])
        """`True` if the rules have a goal."""
        self.outcomes = possible_outcomes(data, self.core.outcomes, self.core.conserved)

    def _only_goal(self, goals: list[list[tuple[int, list[str]]] | dict[str, Any]]) -> str | None:
        """The goal as a text, if it is a single state."""
        goal = goals[0] if len(goals) == 1 else []
        only = {} if isinstance(goal, dict) else {cell: held[0] for cell, held in goal if len(held) == 1}
        if len(only) < self.notation.cells or self.is_game:
            return None
        return self.notation.write(bytes(self.notation.symbols.index(only[cell]) for cell in sorted(only)), 0)

    @property
    def symmetry_order(self) -> int:
        """The number of symmetries of the rules."""
        return self.core.symmetry_order

    @property
    def rules_json(self) -> str:
        """The rules as JSON, with the symmetries that were found in place of `"auto"`."""
        return self.core.rules_json

    @property
    def fingerprint(self) -> str:
        """A digest of the rules, by which a job knows them."""
        return self.core.fingerprint

    @property
    def word_bits(self) -> int:
        """The width of a packed state in bits."""
        return self.core.word_bits

    @property
    def window(self) -> str:
        """`"layered"`, `"inverse-closed"` or `"directed"`: which earlier depths a new state is compared with."""
        return self.core.window

    @property
    def tiers(self) -> int:
        """The number of sets of states that play leaves for good, found from the numbers of symbols alone."""
        return self.core.tiers

    @property
    def move_names(self) -> list[str]:
        """The name of each move, in the order of the rules."""
        return list(self._names)

    def legal_moves(self, state: str) -> list[str]:
        """The names of the moves that can be made in a state."""
        return [self._names[index] for index in self.core.moves(*self.notation.read(state))]

    def apply(self, state: str, move: str) -> str:
        """The state after a move."""
        cells, player = self.notation.read(state)
        only = self._only.get(move)
        if only is not None:
            with contextlib.suppress(MoveError):
                return self.notation.write(*self.core.apply(cells, player, only))
        return self.notation.write(*self.core.apply(cells, player, self._index(cells, player, move)))

    def _index(self, cells: bytes, player: int, move: str) -> int:
        """The number of a move that can be made in a state."""
        legal = self.core.moves(cells, player)
        for index in legal:
            if self._names[index] == move:
                return index
        text = self.notation.write(cells, player)
        if not legal:
            raise MoveError(f'the move "{move}" cannot be made in {text}, where play is over')
        known = ", ".join(dict.fromkeys(self._names[index] for index in legal))
        raise MoveError(f'the move "{move}" cannot be made in {text}; the moves are {known}')

    def outcome(self, state: str) -> str | None:
        """The outcome of play; `None` if it goes on."""
        outcome = self.core.outcome(*self.notation.read(state))
        return None if outcome is None else self.core.outcomes[outcome]

    def is_solved(self, state: str) -> bool:
        """Returns `True` if the state satisfies the goal."""
        return self.core.solved(*self.notation.read(state))

    def canonical(self, state: str) -> str:
        """The smallest image of a state under the symmetries."""
        return self.notation.write(*self.core.canonical(*self.notation.read(state)))

    def key(self, state: str) -> int:
        """A 128-bit key of a state's orbit under the symmetries."""
        return self.core.key(*self.notation.read(state))

    def encode(self, states: Iterable[str]) -> memoryview:
        """States as rows of bytes."""
        if isinstance(states, str) or not isinstance(states, Iterable):
            raise StateError(f"states are given as {states!r}; give a list of texts")
        rows = bytearray()
        for state in states:
            cells, player = self.notation.read(state)
            rows += cells
            if self.notation.players:
                rows.append(player)
        return self._table(bytes(rows))

    def decode(self, rows: Buffer) -> list[str]:
        """Rows of bytes as texts."""
        data, width, cells = self.rows(rows), self.core.row_bytes, self.notation.cells
        return [
            self.notation.write(data[at : at + cells], data[at + cells] if self.notation.players else 0)
            for at in range(0, len(data), width)
        ]

    def rows(self, rows: Buffer) -> bytes:
        """The bytes of an array of states.

        Raises:
            StateError: It is no array of bytes, or its rows have another length.
        """
        width = self.core.row_bytes
        try:
            view = memoryview(rows)
        except TypeError:
            raise StateError(
                f"states are given as {type(rows).__name__}; give an array of bytes, as encode makes"
            ) from None
        if view.format not in ("B", "b", "c") or view.itemsize != 1:
            raise StateError(f'an array of states has the type "{view.format}"; give unsigned bytes (numpy.uint8)')
        if view.ndim > 2 or (view.ndim == 2 and (view.shape or (0, 0))[1] != width) or view.nbytes % width:
            raise StateError(f"an array of states has the shape {view.shape}; give rows of {width} bytes")
        return view.tobytes()

    @cached_property
    def group_order(self) -> int | None:
        """The number of arrangements that the moves can make; `None` if the moves do anything but permute cells."""
        orbits = self.core.group_orbits()
        return None if orbits is None else math.prod(orbits)

    @cached_property
    def toggles(self) -> tuple[int, int] | None:
        """If all moves toggle cells: how many moves are independent, and how many combinations change nothing."""
        return self.core.toggles()

    @cached_property
    def dials(self) -> tuple[int, int, int] | None:
        """If all moves turn cells in circles of a prime number of symbols, more than two or beside other symbols.

        They are that prime, how many moves are independent, and how many combinations change nothing.
        """
        return self.core.dials()

    @property
    def is_game(self) -> bool:
        """`True` if there are two players."""
        return bool(self.notation.players)

    def scramble(self, puzzle: str, seed: str, moves: int | None) -> ScrambleReport:
        """A random state; see `Puzzle.scramble`."""
        from puzzlekit.run.answers import ScrambleReport

        check_number("moves", moves, 0, 10**6)
        check_seed(seed)
        found = self.core.scramble(f"{puzzle}/{seed}", moves)
        names = None if found.moves is None else tuple(self._names[index] for index in found.moves)
        state = self.notation.write(found.cells, found.player)
        return ScrambleReport(puzzle, state, seed, names, METHODS[found.method])

    def solve(
        self, state: str, budget: Budget, watch: Watch | None = None, first: Sequence[str] | None = None
    ) -> Answer:
        """A shortest solution, or best play; see `puzzlekit.optimal`. The moves of `first` are made shorter."""
        from puzzlekit.run import table_cache
        from puzzlekit.run.limits import TECHNIQUES, limit_error
        from puzzlekit.run.report import looked
        from puzzlekit.run.solver import Answer, Deadline, Interrupted

        cells, player = self.notation.read(state)
        deadline = Deadline(budget.seconds, watch)
        if self.is_game:
            return self._play(state, budget, deadline)
        given = None if first is None else self._indexes(state, first)
        found = self.core.answer(
            cells,
            player,
            budget.max_states,
            memory_limit(budget.memory),
            budget.seconds,
            given,
            table_cache.place(budget.cache),
            looked(deadline),
        )
        text, bound = self.notation.write(cells, player), found.lower_bound
        if found.status == "unreachable":
            raise UnsolvableError(f"no moves lead from {text} to the goal: {self._why_not()}")
        limit = {"states": "max_states", "searched": "effort"}.get(found.limit or "", found.limit)
        if limit == "watch" and deadline.over:
            limit = "seconds"
        if found.status != "solved":
            if found.interrupted:
                raise KeyboardInterrupt
            raise limit_error(text, str(limit), budget, memory_limit(budget.memory), bound)
        searched: dict[str, int | float] = {"states": found.states} if found.states else {}
        method, reason = TECHNIQUES[found.technique]
        answer = Answer(
            moves=tuple(self._names[index] for index in found.moves),
            optimal=found.optimal,
            lower_bound=len(found.moves) if found.optimal else bound or None,
            searched=searched | {f"bound {moves}": count for moves, count in found.searched},
            method=method,
            reason=reason,
            limit=limit,
        )
        if found.interrupted:
            raise Interrupted(answer)
        return answer

    def every(
        self, state: str, proven: Answer, most: int, budget: Budget, watch: Watch | None = None
    ) -> tuple[tuple[tuple[str, ...], ...], bool]:
        """All solutions with as many moves as a proven answer, up to `most`; and whether there are no others."""
        from puzzlekit.run.limits import TECHNIQUES, remedy
        from puzzlekit.run.report import looked
        from puzzlekit.run.solver import Deadline

        cells, player = self.notation.read(state)
        technique = next((name for name, (title, _) in TECHNIQUES.items() if title == proven.method), "both ends")
        deadline, memory = Deadline(budget.seconds, watch), memory_limit(budget.memory)
        length = len(proven.moves)
        found = self.core.every(cells, player, length, technique, most, budget.max_states, memory, looked(deadline))
        if found is None:
            limit = "seconds" if deadline.over else "max_states"
            text = self.notation.write(cells, player)
            raise LimitError(f"not all solutions of {text} in {length} moves were found in time; {remedy(limit)}")
        solutions, complete = found
        return tuple(tuple(self._names[index] for index in moves) for moves in solutions), complete

    def _indexes(self, state: str, moves: Sequence[str]) -> list[int]:
        """The numbers of moves that are made one after another from a state.

        Raises:
            MoveError: One of them cannot be made.
        """
        indexes, (cells, player) = [], self.notation.read(state)
        for move in moves:
            index = self._index(cells, player, move)
            indexes.append(index)
            cells, player = self.core.apply(cells, player, index)
        return indexes

    def _play(self, state: str, budget: Budget, deadline: Deadline) -> Answer:
        """The value of a position and best play; if a limit comes first, the best move so far, which is not proven."""
        from puzzlekit.run.report import looked
        from puzzlekit.run.solver import Answer

        cells, player = self.notation.read(state)
        limit = memory_limit(budget.memory)
        if limit < LEAST_TABLE:
            text = self.notation.write(cells, player)
            raise LimitError(f"no answer for {text} within {limit:,} bytes of memory; give {LEAST_TABLE:,} or more")
        play = self.core.best_moves(cells, player, budget.max_states, limit, budget.distance, looked(deadline))
        best = tuple(self._names[index] for index in play.best)
        searched: dict[str, int | float] = {"states": play.states} if play.states else {}
        if play.value is None:
            return Answer(moves=best, best=best, proven=False, searched={**searched, "moves ahead": play.ahead})
        return Answer(
            moves=tuple(self._names[index] for index in play.line),
            optimal=play.exact,
            searched=searched,
            value=play.value,
            best=best,
        )

    def foresee(self, state: str, ahead: int, positions: int, watch: Watch | None = None) -> tuple[int, list[Foreseen]]:
        """For each move in a position of a game, whether it forces a win or a loss within some moves.

        Args:
            state: The position.
            ahead: How many moves are looked at.
            positions: How many positions may be looked at.
            watch: What says when to stop.

        Returns:
            How many moves ahead that is true of, which is less than was asked for if there were too many positions; and
            the moves, in the order of the rules.
        """
        from puzzlekit.run.answers import Foreseen
        from puzzlekit.run.report import looked

        cells, player = self.notation.read(state)
        reached, seen = self.core.foresee(cells, player, ahead, positions, None if watch is None else looked(watch))
        return reached, [Foreseen(self._names[index], *(end or (None, 0))) for index, end in seen]

    def _why_not(self) -> str:
        if self.group_order:
            return f"the moves make {self.group_order:,} of all arrangements, and this is none of them"
        if self.toggles:
            return f"the moves make 2^{self.toggles[0]} of all states, and the goal is not among those of this one"
        if self.dials:
            modulus, rank, _ = self.dials
            return f"the moves make {modulus}^{rank} of all states, and the goal is not among those of this one"
        return "a search found all that can follow it, or all that can come before the goal"

    def expand(self, rows: Buffer) -> tuple[memoryview, memoryview, memoryview]:
        """The successors of many states, with the places of their parents and of the moves."""
        children, parents, moves = self.core.expand(self.rows(rows))
        return self._table(children), memoryview(parents).cast("I"), memoryview(moves).cast("I")

    def canonical_rows(self, rows: Buffer) -> memoryview:
        """The canonical forms of many states."""
        return self._table(self.core.canonical_rows(self.rows(rows)))

    def index_length(self) -> int:
        """The length of the perfect index."""
        return self.core.index_length()

    def rank_rows(self, rows: Buffer) -> memoryview:
        """The numbers of many states in the perfect index."""
        return memoryview(self.core.rank_rows(self.rows(rows))).cast("Q")

    def unrank_rows(self, numbers: Iterable[int]) -> memoryview:
        """The states that have the given numbers."""
        given = list(numbers)
        for number in given:
            check_number("number", number, 0, 2**64 - 1)
        return self._table(self.core.unrank_rows(array("Q", given).tobytes()))

    def _table(self, data: bytes) -> memoryview:
        width = self.core.row_bytes
        # A memoryview cannot have a dimension of no length.
        return memoryview(data).cast("B", (len(data) // width, width)) if data else memoryview(data)

    @cached_property
    def backward(self) -> Engine:
        """The engine that counts by the moves needed to the goal.

        Raises:
            UsageError: The rules have two players or no goal.
        """
        turned = object.__new__(Engine)
        turned.__dict__ |= {name: value for name, value in self.__dict__.items() if name not in ("core", "backward")}
        turned.core = self.core.backward()
        return turned

    @property
    def row_bytes(self) -> int:
        """How many bytes the row of a state has in an array."""
        return self.core.row_bytes

    def solved_rows(self, rows: bytes) -> bytes:
        """For each row of an array of states 1 if it satisfies the goal, and 0 if not. They are those of a puzzle."""
        width, solved = self.core.row_bytes, self.core.solved
        return bytes(solved(rows[at : at + width], 0) for at in range(0, len(rows), width))

    def find_symmetries(self) -> _core.FoundSymmetries:
        """The symmetries that the engine finds in the rules."""
        return self.core.find_symmetries()

    def verify_job(self, job: JobFolder, memory: int | str | None, watch: Watch | None) -> dict[str, Any]:
        """Checks every file and state of a job, and returns its manifest."""
        from puzzlekit.run.report import looked

        data: dict[str, Any] = json.loads(self.core.verify_job(folder_of_core(job), room(memory, None), looked(watch)))
        return data

    def hash_job(self, job: JobFolder, watch: Watch | None) -> list[int]:
        """For each depth of a job, a 128-bit number that tells sets of states apart."""
        from puzzlekit.run.report import looked

        return self.core.hash_job(folder_of_core(job), looked(watch))

    def hardest(self, job: JobFolder, count: int, watch: Watch | None) -> list[HardState]:
        """The deepest states of a job."""
        from puzzlekit.run.report import HardState, looked

        return [
            HardState(
                hard.depth,
                self.notation.write(hard.cells, hard.player),
                hard.orbit_size,
                None if hard.outcome is None else self.core.outcomes[hard.outcome],
            )
            for hard in self.core.hardest(folder_of_core(job), count, looked(watch))
        ]

    def export_job(
        self, job: JobFolder, to: str, form: str, depths: DepthSpan, watch: Watch | None, *, text: bool
    ) -> int:
        """Writes the states of a job to a file, and returns how many there are."""
        from puzzlekit.run.report import looked

        rows = self._text_rows if text else None
        return self.core.export_job(folder_of_core(job), _span(depths), to, form, rows, looked(watch))

    def stream_job(
        self, job: JobFolder, depths: DepthSpan, batch_rows: int, *, text: bool
    ) -> Callable[[], _core.Stream]:
        """Begins to read the states of a job, as often as it is called. A job of other rules is refused at once."""
        core, folder, span = self.core, folder_of_core(job), _span(depths, batch_rows)
        rows = self._text_rows if text else None
        core.stream_job(folder, _core.Span(2**63, 0, 1))  # no depth is read
        return lambda: core.stream_job(folder, span, rows)

    def lookup(self, job: JobFolder) -> _core.Lookup:
        """Looks up the states of a job that has the values of all states, or all distances to the goal."""
        return self.core.lookup(folder_of_core(job))

    @property
    def _text_rows(self) -> list[int]:
        return list(self.notation.row_lengths)

    def room(self, options: RunOptions) -> int:
        """The bytes that a run with the given options may take, in addition to those that the process holds."""
        return room(options.memory, options.threads)

    def plan(self, puzzle: str, options: RunOptions, reachable: int | None) -> RunPlan:
        """The plan of a run: the store that would hold its states; see `Puzzle.plan`."""
        from puzzlekit.run.report import RunPlan

        room = self.room(options)
        engine = self.backward if options.backward else self
        plan = engine.core.plan(json.dumps(options.to_data(room)))
        return RunPlan(puzzle, plan.store, plan.reason, plan.bytes, room, reachable)

    def values(
        self,
        puzzle: str,
        options: RunOptions,
        watch: Watch | None = None,
        job: JobFolder | None = None,
    ) -> ValuesReport:
        """The value of every state that play can reach; see `Puzzle.values`. With a folder it is a job."""
        from puzzlekit.run.report import looked
        from puzzlekit.run.values import ValuesReport

        data, core = json.dumps(options.to_data(self.room(options))), self.core
        if job is None:
            options.check_unkept()
            found = core.values(data, looked(watch))
        else:
            found = core.values_job(data, folder_of_core(job), options.distances, looked(watch))
        return ValuesReport.of_core(puzzle, found, self.notation, peak_bytes())

    def enumerate(
        self, puzzle: str, options: RunOptions, watch: Watch | None = None, job: JobFolder | None = None
    ) -> Report:
        """All states that play can reach; see `Puzzle.enumerate`. With a folder it is a job."""
        from puzzlekit.run.report import looked

        if job is None:
            options.check_unkept()
        engine = self.backward if options.backward else self
        kept = job_status(job.folder)["depths"] if job is not None and job.resume else []
        data = json.dumps(options.to_data(self.room(options)))
        run = engine.core.enumerate(data, None if job is None else folder_of_core(job), looked(watch))
        return self.report(puzzle, options, run, sum(depth["states"] for depth in kept))

    def report(self, puzzle: str, options: RunOptions, run: _core.RunReport, kept_states: int) -> Report:
        """A run of the compiled engine as a report."""
        from puzzlekit.run.report import Report

        made = Report.of_core(puzzle, run, self.core.outcomes, self.outcomes, self.notation.players)
        return replace(
            made,
            backward=options.backward,
            kept_states=kept_states,
            peak_memory_bytes=peak_bytes(),
            stream=_core.depths_stream,
        )

    def drive_shards(self, data: Mapping[str, Any], folder: JobFolder, shards: int) -> _core.ShardDriver:
        """Begins a job in shards, or goes on with it; see docs/cluster.md."""
        local = None
        if folder.local:
            import secrets

            # Whatever else is in that folder, no job has had this name.
            local = (folder.local, f"puzzlekit-{secrets.token_hex(8)}")
        return self.core.drive_shards(json.dumps(data), folder_of_core(folder), shards, local)


def room(memory: int | str | None, threads: int | None) -> int:
    """The bytes that a run may take, in addition to those that the process holds; `memory` limits both together.

    Raises:
        LimitError: There are none left.
    """
    limit, held = memory_limit(memory), held_bytes()
    if limit <= held:
        raise LimitError(f"memory is {limit:,} bytes, and the process holds {held:,} already; give more")
    threads = threads or os.cpu_count() or 1
    addresses = address_bytes(threads)
    if addresses == 0:
        raise LimitError(
            f"the address space that this process may take (ulimit -v) does not do for {threads} threads; "
            "give fewer, or more of it"
        )
    return limit - held if addresses is None else min(limit - held, addresses)


def _span(depths: DepthSpan, rows: int | None = None) -> _core.Span:
    """A span of depths, and how many states are read at a time, as the compiled engine takes them."""
    return _core.Span(depths.first or 0, 2**63 if depths.last is None else depths.last, rows)


def folder_of_core(folder: JobFolder) -> _core.JobFolder:
    """The folder of a job as the compiled engine takes it."""
    return _core.JobFolder(
        folder.folder,
        folder.puzzle,
        folder.plugin,
        folder.plugin_version,
        shown=folder.shown,
        resume=folder.resume,
        drop_partial=folder.drop_partial,
    )


def shard_folder(folder: str, shard: int) -> str:
    """The folder of a shard in that of its job."""
    return os.fspath(_core.shard_folder(folder, shard))


def shard_places(folder: str, shard: int) -> tuple[str, str]:
    """The folder in which a shard works, and the one into which others send its runs; often the same one."""
    own, inbox = _core.shard_places(folder, shard)
    return os.fspath(own), os.fspath(inbox)


def held_shards(folder: str) -> list[int]:
    """The shards of a job whose folders this machine has, with all depths that the job counts."""
    return _core.held_shards(folder)


def check_held(folder: str, held: Sequence[int], place: str) -> None:
    """Refuses to go on with a job if it counts depths and the folder of a shard is nowhere."""
    _core.check_held(folder, list(held), place)


def open_shard(setup: ShardSetup) -> _core.ShardJob:
    """Opens a shard of a job to work on it."""
    core = _core.Engine(setup.rules)
    if setup.backward:
        core = core.backward()
    data = {**setup.options, "memory": room(setup.memory, setup.options["threads"])}
    return core.open_shard(json.dumps(data), folder_of_core(setup.folder), setup.shard)


def job_status(folder: str) -> dict[str, Any]:
    """The manifest of the job in a folder."""
    data: dict[str, Any] = json.loads(_core.job_status(folder))
    return data


def job_definition(folder: str) -> str:
    """The puzzle of the job in a folder, as JSON: its rules, and how its states are written and drawn."""
    return _core.job_definition(folder)


def job_is_running(folder: str) -> bool | None:
    """`True` if a process works on the job in a folder; `None` if the system cannot tell."""
    return _core.job_is_running(folder)


def processor() -> _core.Processor:
    """The architecture of the processor, and the instruction set that the engine uses of it."""
    return _core.processor()


def default_threads() -> int:
    """The number of threads of a run that does not choose one.

    Raises:
        UsageError: So many threads cannot be started.
    """
    return _core.default_threads()


def found_memory() -> _core.MemoryLimit:
    """The memory that this process may use, and the control groups that say so."""
    return _core.memory_limit()


def new_random(seed: str) -> _core.Random:
    """The engine's generator of random numbers."""
    check_seed(seed)
    return _core.Random(seed)
