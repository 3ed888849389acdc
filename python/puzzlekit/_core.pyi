from collections.abc import Callable
from typing import final

from typing_extensions import Buffer

__all__ = ["VERSION", "Engine", "Random", "Stream", "depths_stream", "job_is_running", "job_status", "memory_bytes"]

VERSION: str

def job_status(folder: str) -> str: ...
def job_is_running(folder: str) -> bool | None: ...
def memory_bytes() -> int: ...

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
    def window(self) -> str: ...
    @property
    def conserved(self) -> list[int | None]: ...
    @property
    def row_bytes(self) -> int: ...
    def enumerate(
        self,
        max_depth: int | None,
        symmetry: bool,
        threads: int,
        watch: Callable[[tuple[int, int, int, int, int, float]], object] | None,
        store: str,
        memory: int,
        grain: tuple[int, int, int, int] | None = None,
        keep: tuple[str, bool, str, str, str] | None = None,
        backward: bool = False,
        disk: int | None = None,
        checkpoint: float | None = None,
    ) -> tuple[list[tuple[int, int, int, int, list[int]]], str | None, int, int, float, str, str]: ...
    def verify_job(
        self,
        keep: tuple[str, bool, str, str, str],
        memory: int,
        backward: bool,
        watch: Callable[[tuple[int, int, int, int, int, float]], object] | None,
    ) -> str: ...
    def plan(
        self, max_depth: int | None, symmetry: bool, store: str, memory: int, backward: bool
    ) -> tuple[str, str, int | None]: ...
    def hash_job(
        self,
        keep: tuple[str, bool, str, str, str],
        backward: bool,
        watch: Callable[[tuple[int, int, int, int, int, float]], object] | None,
    ) -> list[int]: ...
    def hardest(
        self,
        keep: tuple[str, bool, str, str, str],
        backward: bool,
        count: int,
        watch: Callable[[tuple[int, int, int, int, int, float]], object] | None,
    ) -> list[tuple[int, bytes, int, int, int | None]]: ...
    def export_job(
        self,
        keep: tuple[str, bool, str, str, str],
        backward: bool,
        depths: tuple[int, int],
        to: str,
        form: str,
        columns: int | None,
        watch: Callable[[tuple[int, int, int, int, int, float]], object] | None,
    ) -> int: ...
    def stream_job(
        self,
        keep: tuple[str, bool, str, str, str],
        backward: bool,
        depths: tuple[int, int, int],
        columns: int | None,
    ) -> Stream: ...
    def depth_by_composition(self, cells: bytes) -> int | None: ...
    def moves(self, cells: bytes, player: int) -> list[int]: ...
    def apply(self, cells: bytes, player: int, index: int) -> tuple[bytes, int]: ...
    def outcome(self, cells: bytes, player: int) -> int | None: ...
    def solved(self, cells: bytes, player: int) -> bool: ...
    def canonical(self, cells: bytes, player: int) -> tuple[bytes, int]: ...
    def key(self, cells: bytes, player: int) -> int: ...
    def solve(
        self,
        cells: bytes,
        player: int,
        budget: tuple[int, int],
        watch: Callable[[tuple[int, int, int, int, int, float]], object] | None,
    ) -> tuple[str, list[int], bool]: ...
    def best_moves(
        self,
        cells: bytes,
        player: int,
        budget: tuple[int, int],
        watch: Callable[[tuple[int, int, int, int, int, float]], object] | None,
    ) -> tuple[str, int | None, list[int], list[int]]: ...
    def scramble(self, seed: str, moves: int | None) -> tuple[bytes, int, list[int] | None, str]: ...
    def group_orbits(self) -> list[int] | None: ...
    def toggles(self) -> tuple[int, int] | None: ...
    def expand(self, rows: Buffer) -> tuple[bytes, bytes, bytes]: ...
    def canonical_rows(self, rows: Buffer) -> bytes: ...

@final
class Stream:
    def capsule(self) -> object: ...
    def buffers(self) -> tuple[bytes, bytes, bytes, bytes, int] | None: ...

def depths_stream(names: list[str], columns: list[list[int]]) -> object: ...

@final
class Random:
    def __new__(cls, seed: str, /) -> Random: ...
    def below(self, bound: int, /) -> int: ...
