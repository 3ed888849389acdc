"""`--verbose`: says what was chosen for a run: the engine, its store, threads, memory, tables on disk and files."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from puzzlekit.cli.output import say, size

if TYPE_CHECKING:
    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.options import RunOptions


class Chosen:
    """Prints on stderr what was chosen for a run, if that is asked for.

    Args:
        verbose: Whether it is asked for. If not, nothing is printed.
    """

    def __init__(self, verbose: bool) -> None:
        self._verbose = verbose
        self._tables: dict[str, float] = {}

    def engine(self, puzzle: Puzzle) -> None:
        """Prints where the puzzle comes from, and how its rules are compiled."""
        if not self._verbose:
            return
        module = sys.modules.get(type(puzzle).__module__)
        source = getattr(module, "__file__", None) or type(puzzle).__module__
        engine = puzzle.engine
        word, order = f"{engine.word_bits} bits a state", engine.symmetry_order
        alike = "no symmetry" if order == 1 else f"{order:,} symmetries"
        say(f"puzzle: {puzzle}, from {source}")
        say(f"engine: {word}, {alike}, {len(engine.move_names):,} moves, {engine.window}")

    def machine(self, threads: int | None, memory: str | None) -> None:
        """Prints the number of threads and the memory of a run."""
        if not self._verbose:
            return
        from puzzlekit.run.engine.machine import default_threads, memory_limit
        from puzzlekit.run.memory import MEMORY_SHARE

        many = (
            f"{threads}, as --threads says" if threads else f"{default_threads()}, one a core if nothing else is said"
        )
        most = "as --memory says" if memory else f"{MEMORY_SHARE:.0%} of what is there"
        say(f"threads: {many}")
        say(f"memory: {size(memory_limit(memory))} at the most, {most}")

    def store(self, puzzle: Puzzle, asked: RunOptions) -> None:
        """Prints which store holds the states of a run in this process, and why it was chosen."""
        if not self._verbose:
            return
        plan = puzzle.plan(asked)
        needs = "" if plan.memory_bytes is None else f"; {size(plan.memory_bytes)} at the most"
        say(f"store: {plan.store}, because {plan.store_reason}{needs}")

    def files(self, folder: str | None) -> None:
        """Prints the folder that a run has kept, and the number and size of its files."""
        if not self._verbose:
            return
        if folder is None:
            say("files: none are kept; --out keeps the states in a folder")
            return
        from pathlib import Path

        found = [path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()]
        say(f"files: {folder}, {len(found):,} files of {size(sum(found))}")

    def tables_before(self, *, kept: bool) -> None:
        """Notes which tables are on disk before a state is solved."""
        if self._verbose and kept:
            from puzzlekit.run import table_cache

            self._tables = {one.name: one.used for one in table_cache.kept()}

    def tables_after(self, *, kept: bool) -> None:
        """Prints which tables on disk were read or written since `tables_before`."""
        if not self._verbose:
            return
        if not kept:
            say("tables: none on disk, as --no-cache says")
            return
        from puzzlekit.run import table_cache

        now = table_cache.kept()
        made = [one for one in now if one.name not in self._tables]
        taken = [one for one in now if one.name in self._tables and one.used != self._tables[one.name]]
        told = [
            f"{len(some):,} of {size(sum(one.bytes for one in some))} {verb} {table_cache.folder()}"
            for some, verb in ((taken, "taken from"), (made, "kept in"))
            if some
        ]
        say(f"tables: {', '.join(told) or 'none on disk were needed'}")
