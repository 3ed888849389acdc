"""All states of a puzzle and the moves between them as arrays, for planning, learning and libraries of graphs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from puzzlekit.errors import UsageError
from puzzlekit.jobs.packed import unpacked_rows
from puzzlekit.puzzle.solved_rows import Goals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Buffer

    from puzzlekit.jobs.edges import Edge
    from puzzlekit.jobs.table import Table
    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.watch import Watch


Array = Any
"""A NumPy array. NumPy is imported only if it is needed."""


class Tabled(Protocol):
    """The source of states and moves: a `Job`, which cannot be named here, since its file imports this one."""

    @property
    def puzzle(self) -> Puzzle:
        """The puzzle."""

    def status(self) -> dict[str, Any]:
        """The manifest."""

    def states(self) -> Table:
        """The states as a table."""

    def edges(self, *, memory: int | str | None = None, watch: Watch | None = None) -> Iterator[Edge]:
        """The moves one by one."""

    def edge_blocks(
        self, *, memory: int | str | None = None, watch: Watch | None = None
    ) -> Iterator[tuple[memoryview, memoryview, memoryview]]:
        """The moves, many at a time, as three columns: rows of states, numbers of moves, and rows of successors."""


@dataclass(frozen=True, eq=False)
class Transitions:
    """The states of a puzzle, each with a row, and the moves between them as compressed sparse rows (CSR).

    The moves of state `i` are at the places from `indptr[i]` to `indptr[i + 1]` of three lists, in the order of the
    rules: `moves` has the places of their names, `successors` the rows that they lead to, and `rewards` what they
    bring. So `scipy.sparse.csr_array((rewards, successors, indptr))` is the matrix of the graph.

    Attributes:
        puzzle: The puzzle.
        rows: The states in order of depth, as `Arrays.encode` makes them.
        depths: For each state, the number of moves from the start.
        over: For each state, whether play ends there: the puzzle is solved, or there is no move.
        won: For each state, 1 if it is solved or the player to move has won, -1 if this player has lost, and otherwise
            0.
        names: The names of the moves, each once. Their places are the actions.
        indptr: For each state, where its moves begin. The last entry is the number of all moves.
        moves: For each move, its action.
        successors: For each move, the row of the state that it leads to.
        rewards: For each move, -1 in a puzzle; in a game, 1 if it wins at once, -1 if it loses at once, and otherwise
            0.
    """

    puzzle: Puzzle
    rows: Array
    depths: Array
    over: Array
    won: Array
    names: tuple[str, ...]
    indptr: Array
    moves: Array
    successors: Array
    rewards: Array

    @classmethod
    def of_job(cls, job: Tabled, *, memory: int | str | None = None, watch: Watch | None = None) -> Transitions:
        """Reads the states and moves of a job.

        Args:
            job: The job.
            memory: As in `Job.edges`.
            watch: As in `Job.edges`.

        Raises:
            LimitError: As in `Job.edges`.
            UsageError: NumPy is not installed.
        """
        try:
            import numpy as np
        except ModuleNotFoundError:
            raise UsageError("transitions are arrays of NumPy, which is not installed; pip install numpy") from None

        puzzle = job.puzzle
        engine, names = puzzle.engine, tuple(dict.fromkeys(puzzle.engine.move_names))
        batches = [{name: np.array(column) for name, column in batch.items()} for batch in job.states()]
        column = {name: np.concatenate([batch[name] for batch in batches]) for name in ("depth", "state", "outcome")}
        players = engine.notation.players
        depths = column["depth"].astype(np.int64)
        rows = unpacked_rows(engine, column["state"], depths)
        blocks = [tuple(np.array(part) for part in block) for block in job.edge_blocks(memory=memory, watch=watch)]
        sources, indexes, successors = (
            np.concatenate([block[part] for block in blocks]) if blocks else np.zeros(0, np.int64) for part in range(3)
        )
        place = {name: number for number, name in enumerate(names)}
        actions = np.array([place[name] for name in engine.move_names], np.int64)
        indptr = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(np.bincount(sources.astype(np.int64), minlength=len(rows)), out=indptr[1:])
        over = column["outcome"] >= 0
        won = np.zeros(len(rows), np.int8)
        if players:
            outcomes = job.status()["subject"]["outcomes"]
            winner = np.array([players.index(name) if name in players else -1 for name in outcomes] + [-1])
            who = winner[column["outcome"]]
            won[who >= 0] = np.where(who == rows[:, -1], 1, -1)[who >= 0]
            after = successors.astype(np.int64)
            kept = rows[sources.astype(np.int64), -1] == rows[after, -1]
            rewards = np.where(kept, won[after], -won[after]).astype(np.float64)
        else:
            solved = Goals(puzzle).hold(rows)
            won[solved] = 1
            over |= solved
            rewards = np.full(len(successors), -1.0)
        return cls(
            puzzle, rows, depths, over, won, names, indptr, actions[indexes], successors.astype(np.int64), rewards
        )

    def __len__(self) -> int:
        """The number of states."""
        return len(self.rows)

    def texts(self, numbers: Any = None) -> list[str]:  # noqa: ANN401 - whatever NumPy takes for rows
        """The texts of the states with the given numbers; of all states if no numbers are given."""
        return self.puzzle.arrays.decode(self.rows if numbers is None else self.rows[numbers])

    @cached_property
    def _places(self) -> dict[bytes, int]:
        return {row.tobytes(): number for number, row in enumerate(self.rows)}

    def find(self, state: str) -> int:
        """The row of a state.

        Raises:
            UsageError: Play does not reach the state.
        """
        number = self._places.get(bytes(self.puzzle.arrays.encode([state])))
        if number is None:
            raise UsageError(f"{self.puzzle.read(state)} is not among the {len(self):,} states; give one of them")
        return number

    @cached_property
    def fewest(self) -> Array:
        """The fewest moves from each state of a puzzle to the goal; -1 if no moves lead there.

        Raises:
            UsageError: The rules are those of a game.
        """
        import numpy as np

        if self.puzzle.engine.is_game:
            raise UsageError(f"{self.puzzle} is a game, whose states have values; use a job of values")
        order = np.argsort(self.successors, kind="stable")
        sources = np.repeat(np.arange(len(self)), np.diff(self.indptr))[order]
        begins = np.zeros(len(self) + 1, np.int64)
        np.cumsum(np.bincount(self.successors, minlength=len(self)), out=begins[1:])
        fewest = np.full(len(self), -1, np.int32)
        near, distance = np.flatnonzero(self.won == 1), 0
        while len(near):
            fewest[near] = distance
            counts = begins[near + 1] - begins[near]
            # In `sources`, the predecessors of a state are neighbours, and begin at `begins[state]`. `firsts +
            # arange(...)` are the places of the predecessors of all states in `near`.
            firsts = np.repeat(begins[near] - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts)
            before = np.unique(sources[firsts + np.arange(len(firsts))])
            near, distance = before[fewest[before] < 0], distance + 1
        return fewest

    def look_up(self, rows: Buffer) -> tuple[Array, Array, Array]:
        """The values, distances and depths of an array of states of a puzzle, in the form of `Job.look_up`."""
        import numpy as np

        width = self.rows.shape[1]
        given = bytes(self.puzzle.engine.rows(rows))
        places = np.array([self._places.get(given[at : at + width], -1) for at in range(0, len(given), width)], int)
        moves = np.where(places >= 0, self.fewest[places], -1)
        values = np.where(places >= 0, np.where(moves >= 0, 1, 2), 0)
        return values, moves, np.where(places >= 0, self.depths[places], -1)

    def table(self) -> dict[int, dict[int, list[Any]]]:
        """The table `P[state][action]` of Gym's toy environments: a list of one `(1.0, state after, reward, over)`.

        An action that cannot be done changes nothing. If play is over, no action does, and none has a reward.

        >>> import puzzlekit
        >>> puzzlekit.transitions(puzzlekit.load("slider:2,2")).table()[1]
        {0: [(1.0, 1, -1.0, False)], 1: [(1.0, 3, -1.0, False)], 2: [(1.0, 0, -1.0, True)], 3: [(1.0, 1, -1.0, False)]}
        """
        lazy = 0.0 if self.puzzle.engine.is_game else -1.0
        found: dict[int, dict[int, list[Any]]] = {}
        over = self.over.tolist()
        columns = self.indptr.tolist(), self.moves.tolist(), self.successors.tolist(), self.rewards.tolist()
        indptr, moves, successors, rewards = columns
        for state in range(len(self)):
            reward = 0.0 if over[state] else lazy
            row = {action: [(1.0, state, reward, over[state])] for action in range(len(self.names))}
            for edge in range(indptr[state], indptr[state + 1]) if not over[state] else ():
                row[moves[edge]] = [(1.0, successors[edge], rewards[edge], over[successors[edge]])]
            found[state] = row
        return found

    def edges(self) -> Iterator[Edge]:
        """The moves one by one, as `Job.edges` gives them."""
        from puzzlekit.jobs.edges import Edge

        indptr, moves, successors = self.indptr.tolist(), self.moves.tolist(), self.successors.tolist()
        for state in range(len(self)):
            for edge in range(indptr[state], indptr[state + 1]):
                yield Edge(state, self.names[moves[edge]], successors[edge])

    def to_networkx(self) -> Any:  # noqa: ANN401 - networkx has no types
        """A `networkx.MultiDiGraph`: texts of states with `depth` and `over`, and for each edge its `move`.

        >>> import networkx, puzzlekit
        >>> graph = puzzlekit.transitions(puzzlekit.load("slider:2,2")).to_networkx()
        >>> networkx.shortest_path_length(graph, "01/23", "13/20")
        2

        Raises:
            UsageError: networkx is not installed.
        """
        try:
            import networkx
        except ModuleNotFoundError:
            raise UsageError("networkx is not installed; pip install networkx") from None

        graph, texts = networkx.MultiDiGraph(), self.texts()
        for text, depth, over in zip(texts, self.depths.tolist(), self.over.tolist(), strict=True):
            graph.add_node(text, depth=depth, over=over)
        for edge in self.edges():
            graph.add_edge(texts[edge.state], texts[edge.successor], move=edge.move)
        return graph
