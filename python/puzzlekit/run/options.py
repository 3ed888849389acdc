"""The options of a run."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, TypedDict

from puzzlekit.errors import UsageError
from puzzlekit.run.checks import check_number, check_seconds
from puzzlekit.run.memory import read_bytes

if TYPE_CHECKING:
    from os import PathLike

MAX_THREADS = 1024

STORES = ("auto", "dense", "sparse")

STARTS = ("first", "both")


class RunKeywords(TypedDict, total=False):
    """The options of a run as keyword arguments: the fields of `RunOptions`, with the same names and types."""

    max_depth: int | None
    symmetry: bool
    threads: int | None
    store: str
    memory: int | str | None
    backward: bool
    disk: int | str | None
    checkpoint: float | None
    distances: bool | None
    local: str | PathLike[str] | None
    grundy: bool
    starts: str


CHECKPOINT_SECONDS = 600.0
"""The seconds after which a job saves the finished part of a depth, if the options do not say."""


@dataclass(frozen=True)
class RunOptions:
    """The options of a run: for `enumerate`, `values` and `plan` of a puzzle, and for jobs.

    These methods also take the same options as keywords, and refuse options that they cannot use.

    >>> import puzzlekit
    >>> small = puzzlekit.RunOptions(max_depth=3, threads=2)
    >>> puzzlekit.load("tictactoe").enumerate(small).states
    54
    >>> puzzlekit.load("tictactoe").enumerate(small, symmetry=False).states
    334
    >>> puzzlekit.RunOptions(store="both")
    Traceback (most recent call last):
    puzzlekit.errors.UsageError: there is no store 'both'; give one of auto, dense, sparse

    Attributes:
        max_depth: The last depth to count; all depths if it is `None`.
        symmetry: Whether states that a symmetry carries onto each other count as one in `states`.
        threads: How many threads to use; one for each core if it is `None`.
        store: `"dense"` for a bit for each possible state, `"sparse"` for a packed word for each state that was found.
            If it is `"auto"`, the engine chooses, and the report says which and why.
        memory: How many bytes the process may take, as a number or as `"4GiB"`. If it is `None`, 70 % of the memory. If
            the sparse store needs more and there is a folder, the run is continued on disk.
        backward: Whether to count by the number of moves that a state needs to the goal. If the goal is a single state
            and no move loses what it overwrites, all states that can reach the goal are counted. Otherwise, the states
            that play can reach are counted; those that cannot be solved are counted separately, as `unsolvable`.
        disk: How many bytes the files in the folder may take, as a number or as `"1TiB"`. There is no limit if it is
            `None`.
        checkpoint: After how many seconds within a depth the part that is done is saved, again and again; 600 if it is
            `None`.
        distances: For `values`, whether the moves to the end must be counted. If it is `None`, a job in a folder goes
            on as it was begun. In all other cases they are counted, except in games that only place marks, if there are
            millions of states: there, values alone take far less.
        local: For a new job of several processes, the folder in which each machine keeps the states that it works on.
            All other files are in the folder of the job. `$NAME` in it stands for a variable of the machine's
            environment.
        grundy: For `values`, whether to find the Grundy number of each state, in an impartial game.
        starts: For `values`, who begins: `"first"` is the first player of the rules. With `"both"`, the game that the
            second player begins is looked at, too, and the report has the outcome class of the start.

    Raises:
        UsageError: A value makes no sense.
    """

    max_depth: int | None = None
    symmetry: bool = True
    threads: int | None = None
    store: str = "auto"
    memory: int | str | None = None
    backward: bool = False
    disk: int | str | None = None
    checkpoint: float | None = None
    distances: bool | None = None
    local: str | PathLike[str] | None = None
    grundy: bool = False
    starts: str = "first"

    def __post_init__(self) -> None:
        check_number("max_depth", self.max_depth, 0, 2**63 - 1)
        check_number("threads", self.threads, 1, MAX_THREADS)
        check_seconds("checkpoint", self.checkpoint)
        if self.store not in STORES:
            raise UsageError(f"there is no store {self.store!r}; give one of {', '.join(STORES)}")
        if self.starts not in STARTS:
            raise UsageError(f"starts is {self.starts!r}; give one of {', '.join(STARTS)}")
        if self.disk is not None:
            read_bytes(self.disk, "disk")
        for name in ("symmetry", "backward", "grundy"):
            object.__setattr__(self, name, bool(getattr(self, name)))

    @classmethod
    def of(cls, run: RunOptions | None, keywords: RunKeywords) -> RunOptions:
        """The options that a caller gives: an object, or keywords, or an object of which keywords replace some values.

        >>> RunOptions.of(RunOptions(threads=2), {"max_depth": 3}).threads
        2

        Raises:
            UsageError: There is no option of this name, or a value makes no sense.
        """
        if run is not None and not isinstance(run, RunOptions):
            raise UsageError(f"the options of a run are {run!r}; give a puzzlekit.RunOptions, or options by name")
        given = run or cls()
        names = [field.name for field in fields(given)]
        for name in keywords:
            if name not in names:
                raise UsageError(f'a run has no option "{name}"; the options are {", ".join(names)}')
        return replace(given, **keywords)

    def refuse(self, verb: str, *names: str) -> None:
        """Checks that no option is given that a verb cannot use.

        Args:
            verb: The verb, for the message.
            names: The options that the verb cannot use.

        Raises:
            UsageError: One of these options is given.
        """
        for name in names:
            value = getattr(self, name)
            if value != getattr(RunOptions, name):
                raise UsageError(f"{name} is {value!r}, and {verb} has no use for it; leave it out")

    def check_unkept(self) -> None:
        """Checks the options of a run that keeps nothing: those that say how a job is kept must not be given."""
        for name, value in (("disk", self.disk), ("checkpoint", self.checkpoint)):
            if value is not None:
                raise UsageError(f"{name} is {value}, and nothing is kept on a disk; give a folder to keep the run in")

    def to_data(self, room: int) -> dict[str, Any]:
        """The options as data that the engine reads. `room` is how many bytes of memory the run may take."""
        data: dict[str, Any] = {
            "max_depth": self.max_depth,
            "symmetry": self.symmetry,
            "threads": self.threads or 0,
            "store": self.store,
            "memory": room,
        }
        if self.distances:
            data["distances"] = True
        if self.grundy:
            data["grundy"] = True
        if self.disk is not None:
            data["disk"] = read_bytes(self.disk, "disk")
        if self.checkpoint is not None:
            data["checkpoint"] = self.checkpoint
        return data
