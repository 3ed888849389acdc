"""The engine's answers about one state: a random state, a solution, best play, and what each move forces."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from puzzlekit.errors import LimitError, PuzzlekitError, UnsolvableError
from puzzlekit.run.checks import check_moves
from puzzlekit.run.engine.compiled import Compiled
from puzzlekit.run.engine.machine import memory_limit
from puzzlekit.run.seeds import check_seed

# Functions import the classes of reports only when they make one: defining dataclasses takes long, and commands such as
# `puzzlekit list` need none.
if TYPE_CHECKING:
    from collections.abc import Sequence

    from puzzlekit.run.answers import Foreseen, ScrambleReport
    from puzzlekit.run.solver import Answer, Budget, Deadline
    from puzzlekit.run.watch import Watch

METHODS = {
    "uniform": "each reachable state equally likely",
    "solvable": "each reachable state that can be solved equally likely",
    "unsolvable": "each reachable state equally likely, none of which can be solved",
    "walk": "random moves",
    "one-way": "random moves, not all of which can be undone: perhaps it cannot be solved",
}

LEAST_TABLE = 4096
"""The least memory, in bytes, that a search for the value of a game's position can work with."""


class AnswerEngine(Compiled):
    """Compiled rules that answer questions about one state."""

    def scramble(self, puzzle: str, seed: str, moves: int | None) -> ScrambleReport:
        """A random state; see `Puzzle.scramble`."""
        from puzzlekit.run.answers import ScrambleReport

        check_moves("moves", moves)
        check_seed(seed)
        found = self.core.scramble(f"{puzzle}/{seed}", moves)
        names = None if found.moves is None else tuple(self._names[index] for index in found.moves)
        state = self.notation.write(found.cells, found.player)
        method = "unsolvable" if found.method == "uniform" and self._lost else found.method
        return ScrambleReport(puzzle, state, seed, names, METHODS[method])

    @cached_property
    def _lost(self) -> bool:
        """`True` if no reachable state of a puzzle can be solved, as far as that is known without a search.

        Only to be asked if each move can be undone. Then the start stands for all states.
        """
        from puzzlekit.run.solver import Budget

        if self.is_game or not self.has_goal or self.is_solved(self.start):
            return False
        try:
            self.solve(self.start, Budget(max_states=1))
        except UnsolvableError:
            return True
        except PuzzlekitError:
            return False
        return False

    def solve(
        self, state: str, budget: Budget, watch: Watch | None = None, first: Sequence[str] | None = None
    ) -> Answer:
        """A shortest solution, or best play; see `puzzlekit.optimal`. `first` may be a solution, to be shortened."""
        from puzzlekit.run import table_cache
        from puzzlekit.run.limits import TECHNIQUES, limit_error, named
        from puzzlekit.run.solver import Answer, Deadline, Interrupted
        from puzzlekit.run.watch import looked

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
            raise UnsolvableError(f"no moves lead from {text} to the goal: {self._why_not(cells, player)}")
        limit = named(found.limit, in_time=not deadline.over)
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
        from puzzlekit.run.solver import Deadline
        from puzzlekit.run.watch import looked

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

    def foresee(self, state: str, ahead: int, positions: int, watch: Watch | None = None) -> tuple[int, list[Foreseen]]:
        """For each move in a position of a game, whether it forces a win or a loss within some moves.

        Args:
            state: The position.
            ahead: How many moves are looked at.
            positions: How many positions may be looked at.
            watch: Says when to stop.

        Returns:
            How many moves ahead all play was looked at, which is less than `ahead` if there were too many positions;
            and for each move, in the order of the rules, what it forces.
        """
        from puzzlekit.run.answers import Foreseen
        from puzzlekit.run.watch import looked

        cells, player = self.notation.read(state)
        reached, seen = self.core.foresee(cells, player, ahead, positions, None if watch is None else looked(watch))
        return reached, [Foreseen(self._names[index], *(end or (None, 0, None))) for index, end in seen]

    def _play(self, state: str, budget: Budget, deadline: Deadline) -> Answer:
        """The value of a position and best play. If a limit comes first, the best move so far, marked as not proven."""
        from puzzlekit.run.limits import TECHNIQUES, named
        from puzzlekit.run.solver import Answer
        from puzzlekit.run.watch import looked

        cells, player = self.notation.read(state)
        memory = memory_limit(budget.memory)
        if memory < LEAST_TABLE:
            text = self.notation.write(cells, player)
            raise LimitError(f"no answer for {text} within {memory:,} bytes of memory; give {LEAST_TABLE:,} or more")
        play = self.core.best_moves(cells, player, budget.max_states, memory, budget.distance, looked(deadline))
        best = tuple(self._names[index] for index in play.best)
        searched: dict[str, int | float] = {"states": play.states} if play.states else {}
        method, reason = TECHNIQUES[play.technique]
        if play.value is None:
            limit = named(play.limit, in_time=not deadline.over)
            searched["moves ahead"] = play.ahead
            return Answer(
                moves=best, best=best, proven=False, searched=searched, method=method, reason=reason, limit=limit
            )
        return Answer(
            moves=tuple(self._names[index] for index in play.line),
            optimal=play.exact,
            searched=searched,
            value=play.value,
            score=play.score,
            best=best,
            method=method,
            reason=reason,
        )

    def _why_not(self, cells: bytes, player: int) -> str:
        if self.group_order:
            return f"the moves make {self.group_order:,} of all arrangements, and this is none of them"
        if self.toggles:
            return f"the moves make 2^{self.toggles[0]} of all states, and the goal is not among those of this one"
        if self.dials:
            modulus, rank, _ = self.dials
            return f"the moves make {modulus}^{rank} of all states, and the goal is not among those of this one"
        if self.core.least_moves(cells, player) is None:
            return "no moves change the numbers of its pieces to those of the goal"
        return "a search found all that can follow it, or all that can come before the goal"
