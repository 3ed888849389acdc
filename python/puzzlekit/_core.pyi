from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import final

from typing_extensions import Buffer

__all__ = [
    "VERSION",
    "AllValues",
    "Answered",
    "Batch",
    "ClaimedEnds",
    "DepthReport",
    "DepthValues",
    "Engine",
    "FoundSymmetries",
    "GroupLimit",
    "HardState",
    "JobEdges",
    "JobFolder",
    "Lookup",
    "MemoryLimit",
    "Notation",
    "Play",
    "Processor",
    "Progress",
    "Proof",
    "Prover",
    "Random",
    "ReachedGraph",
    "RunPlan",
    "RunReport",
    "Scramble",
    "ShardDriver",
    "ShardJob",
    "Solution",
    "Span",
    "StateValue",
    "Stream",
    "ValuedState",
    "check_held",
    "default_threads",
    "depths_stream",
    "held_shards",
    "job_definition",
    "job_is_running",
    "job_status",
    "memory_bytes",
    "memory_limit",
    "processor",
    "shard_folder",
    "shard_places",
]

VERSION: str

_Watch = Callable[[Progress], object]

def job_status(folder: str | PathLike[str]) -> str: ...
def job_definition(folder: str | PathLike[str]) -> str: ...
def job_is_running(folder: str | PathLike[str]) -> bool | None: ...
def shard_folder(folder: str | PathLike[str], shard: int) -> Path: ...
def shard_places(folder: str | PathLike[str], shard: int) -> tuple[Path, Path]: ...
def held_shards(folder: str | PathLike[str]) -> list[int]: ...
def check_held(folder: str | PathLike[str], held: list[int], place: str) -> None: ...
def memory_bytes() -> int: ...
def memory_limit() -> MemoryLimit: ...
def processor() -> Processor: ...
def default_threads() -> int: ...
def depths_stream(names: list[str], columns: list[list[int]]) -> object: ...

@final
class Processor:
    architecture: str
    instruction_set: str

@final
class GroupLimit:
    file: Path
    version: int
    bytes: int

@final
class MemoryLimit:
    bytes: int
    machine: int
    groups: list[GroupLimit]
    binding: GroupLimit | None

@final
class Progress:
    depth: int
    frontier: int
    expanded: int
    states: int
    store_bytes: int
    seconds: float
    at_most: int
    at_least: int
    wanted: int
    again: bool

@final
class DepthReport:
    depth: int
    states: int
    raw_states: int
    open: int
    ended: list[int]

@final
class RunReport:
    depths: list[DepthReport]
    stopped: str | None
    store: str
    reason: str
    symmetry_order: int
    unsolvable: int | None
    raw_unsolvable: int | None
    generated: int
    seconds: float

@final
class DepthValues:
    win: int
    draw: int
    loss: int
    raw_win: int
    raw_draw: int
    raw_loss: int

@final
class StateValue:
    value: str
    moves: int | None
    score: int | None

@final
class ValuedState:
    cells: bytes
    player: int
    value: StateValue

@final
class AllValues:
    stopped: str | None
    depths: list[DepthValues]
    backward: bool
    wins: list[int]
    losses: list[int]
    scored: bool
    start: StateValue | None
    longest: ValuedState | None
    store: str
    symmetry_order: int
    generated: int
    seconds: float

@final
class RunPlan:
    store: str
    reason: str
    memory_bytes: int | None
    disk_bytes: int | None

@final
class JobFolder:
    def __new__(
        cls,
        folder: str | PathLike[str],
        puzzle: str,
        plugin: str,
        plugin_version: str,
        *,
        shown: str = "",
        resume: bool = False,
        drop_partial: bool = False,
    ) -> JobFolder: ...

@final
class ShardDriver:
    @property
    def epoch(self) -> int: ...
    @property
    def max_depth(self) -> int | None: ...
    @property
    def local(self) -> bool: ...
    @property
    def layered(self) -> bool: ...
    def commit_values(self, parts: str) -> None: ...
    def end_values(self) -> None: ...
    def release(self) -> None: ...
    def set_seen(self, seen: list[str]) -> None: ...
    def manifest(self) -> str: ...
    def next_epoch(self) -> int: ...
    def commit(self, parts: str) -> int: ...
    def finish(self, complete: bool) -> None: ...
    def report(self, stopped: str | None, seconds: float) -> RunReport: ...

@final
class ShardJob:
    def begin(self, epoch: int, depths: int, valued: int, anew: bool) -> None: ...
    def ask(self, epoch: int, depth: int | None = None, watch: _Watch | None = None) -> str: ...
    def tell(self, epoch: int, moves: int, files: str | None, again: bool) -> str: ...
    def take(self, epoch: int, files: str, again: bool) -> None: ...
    def keep_values(self, epoch: int, depth: int) -> str: ...
    def keep_spread(self, epoch: int) -> None: ...
    def expand(self, epoch: int, holds: bool, watch: _Watch | None = None) -> str: ...
    def close(self, epoch: int, received: str, watch: _Watch | None = None) -> str: ...
    def manifest(self) -> str: ...

@final
class Span:
    def __new__(cls, first: int, last: int, rows: int | None = None) -> Span: ...

@final
class HardState:
    depth: int
    cells: bytes
    player: int
    orbit_size: int
    outcome: int | None

@final
class Solution:
    status: str
    moves: list[int]
    optimal: bool
    states: int
    technique: str
    lower_bound: int
    searched: list[tuple[int, int]]

@final
class Answered:
    status: str
    moves: list[int]
    optimal: bool
    limit: str | None
    interrupted: bool
    states: int
    technique: str
    lower_bound: int
    searched: list[tuple[int, int]]

@final
class Play:
    value: str | None
    score: int | None
    length: int | None
    best: list[int]
    line: list[int]
    exact: bool
    ahead: int
    states: int
    technique: str
    limit: str | None

@final
class Scramble:
    cells: bytes
    player: int
    moves: list[int] | None
    method: str

@final
class FoundSymmetries:
    generators: str
    order: int
    whole: int | None
    idle: int | None
    complete: bool

@final
class ReachedGraph:
    def __len__(self) -> int: ...
    def state(self, number: int) -> tuple[bytes, int]: ...
    def meeting(self, pattern: list[tuple[int, int]]) -> bytes: ...
    def solved(self) -> bytes: ...
    def follow(self, number: int, moves: list[str]) -> int | None: ...
    def distances(self, goals: bytes, room: int, watch: _Watch) -> bytes: ...

@final
class JobEdges:
    def __len__(self) -> int: ...
    @property
    def done(self) -> int: ...
    def next_rows(self) -> tuple[bytes, bytes, bytes]: ...

@final
class Engine:
    def __new__(cls, rules: str, /, least_word_bits: int = 0) -> Engine: ...
    @property
    def outcomes(self) -> list[str]: ...
    @property
    def symmetry_order(self) -> int: ...
    @property
    def word_bits(self) -> int: ...
    @property
    def state_bytes(self) -> int: ...
    @property
    def rules_json(self) -> str: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def window(self) -> str: ...
    @property
    def tiers(self) -> int: ...
    def never_repeats(self) -> bool: ...
    @property
    def conserved(self) -> list[int | None]: ...
    @property
    def row_bytes(self) -> int: ...
    def backward(self) -> Engine: ...
    @property
    def counts_from_goal(self) -> bool: ...
    def enumerate(self, options: str, job: JobFolder | None = None, watch: _Watch | None = None) -> RunReport: ...
    def drive_shards(
        self, options: str, job: JobFolder, shards: int, local: tuple[str, str] | None = None
    ) -> ShardDriver: ...
    def drive_values(
        self,
        options: str,
        distances: bool | None,
        job: JobFolder,
        shards: int,
        local: tuple[str, str] | None = None,
    ) -> tuple[ShardDriver, bool]: ...
    def values_of_shards(self, driver: ShardDriver, options: str, job: JobFolder, seconds: float) -> AllValues: ...
    def open_shard(self, options: str, job: JobFolder, shard: int) -> ShardJob: ...
    def plan(self, options: str, kept: bool) -> RunPlan: ...
    def values(self, options: str, watch: _Watch | None = None) -> AllValues: ...
    def values_job(
        self, options: str, job: JobFolder, distances: bool | None = None, watch: _Watch | None = None
    ) -> AllValues: ...
    def lookup(self, job: JobFolder) -> Lookup: ...
    def verify_job(self, job: JobFolder, memory: int, watch: _Watch | None = None) -> str: ...
    def edges_of_job(self, job: JobFolder, memory: int, watch: _Watch | None = None) -> JobEdges: ...
    def hash_job(self, job: JobFolder, watch: _Watch | None = None) -> list[int]: ...
    def hardest(self, job: JobFolder, count: int, watch: _Watch | None = None) -> list[HardState]: ...
    def export_job(
        self,
        job: JobFolder,
        span: Span,
        to: str | PathLike[str],
        form: str,
        rows: list[int] | None = None,
        watch: _Watch | None = None,
    ) -> int: ...
    def stream_job(self, job: JobFolder, span: Span, rows: list[int] | None = None) -> Stream: ...
    def notation(self, rows: list[int]) -> Notation: ...
    def group_orbits(self) -> list[int] | None: ...
    def group_states(self) -> tuple[list[int], list[int]] | None: ...
    def toggles(self) -> tuple[int, int] | None: ...
    def dials(self) -> tuple[int, int, int] | None: ...
    def find_symmetries(self) -> FoundSymmetries: ...
    def moves(self, cells: bytes, player: int) -> list[int]: ...
    def apply(self, cells: bytes, player: int, index: int) -> tuple[bytes, int]: ...
    def outcome(self, cells: bytes, player: int) -> int | None: ...
    def solved(self, cells: bytes, player: int) -> bool: ...
    def least_moves(self, cells: bytes, player: int) -> int | None: ...
    def canonical(self, cells: bytes, player: int) -> tuple[bytes, int]: ...
    def key(self, cells: bytes, player: int) -> int: ...
    def expand(self, rows: bytes | bytearray) -> tuple[bytearray, bytearray, bytearray]: ...
    def expand_into(self, rows: bytes | bytearray, children: Buffer, parents: Buffer, moves: Buffer) -> int: ...
    def all_reached(self, max_states: int, memory: int, watch: _Watch) -> tuple[ReachedGraph | None, int]: ...
    def index_length(self) -> int: ...
    def rank_rows(self, rows: bytes) -> bytes: ...
    def unrank_rows(self, numbers: bytes) -> bytes: ...
    def canonical_rows(self, rows: Buffer) -> bytes: ...
    def solve(
        self, cells: bytes, player: int, max_states: int, memory: int, watch: _Watch | None = None
    ) -> Solution: ...
    def answer(
        self,
        cells: bytes,
        player: int,
        max_states: int,
        memory: int,
        seconds: float | None = None,
        first: list[int] | None = None,
        cache: tuple[str | PathLike[str], int] | None = None,
        watch: _Watch | None = None,
    ) -> Answered: ...
    def every(
        self,
        cells: bytes,
        player: int,
        length: int,
        technique: str,
        most: int,
        max_states: int,
        memory: int,
        watch: _Watch | None = None,
    ) -> tuple[list[list[int]], bool] | None: ...
    def best_moves(
        self, cells: bytes, player: int, max_states: int, memory: int, exact: bool, watch: _Watch | None = None
    ) -> Play: ...
    def foresee(
        self, cells: bytes, player: int, ahead: int, positions: int, watch: _Watch | None = None
    ) -> tuple[int, list[tuple[int, tuple[str, int, int | None] | None]]]: ...
    def scramble(self, seed: str, moves: int | None = None) -> Scramble: ...

@final
class Notation:
    def read(self, text: str) -> tuple[bytes, int]: ...
    def write(self, cells: bytes, player: int) -> str: ...

@final
class Batch:
    depths: bytes
    states: bytes
    state_bytes: int
    orbit_sizes: bytes
    outcomes: bytes
    values: bytes | None
    distances: bytes | None
    scores: bytes | None

@final
class Prover:
    def __new__(cls, rules: str, states: int, outcomes: list[str], symmetry: bool) -> Prover: ...
    def take(self, batch: Batch) -> None: ...
    def ends(self) -> ClaimedEnds: ...
    def prove(
        self,
        complete: bool,
        backward: bool,
        counts: list[tuple[int, int]],
        unsolvable: tuple[int, int] | None = None,
        watch: _Watch | None = None,
    ) -> Proof: ...

@final
class ClaimedEnds:
    wins: list[int]
    losses: list[int]
    longest_win: int | None
    longest_loss: int | None

@final
class Proof:
    states: int
    raw_states: int
    moves: int
    values: int
    wrong: str | None
    unproven: str | None

@final
class Lookup:
    @property
    def backward(self) -> bool: ...
    def rows(self, rows: Buffer, around: int = 0, watch: _Watch | None = None) -> tuple[bytes, bytes, bytes]: ...

@final
class Stream:
    def capsule(self) -> object: ...
    def buffers(self) -> Batch | None: ...

@final
class Random:
    def __new__(cls, seed: str, /) -> Random: ...
    def below(self, bound: int, /) -> int: ...
