"""A game being played by a person: each line that is typed in gives the lines to show. Works with pipes and readers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from puzzlekit.run.checks import check_number
from puzzlekit.run.engine import MOST_STATES
from puzzlekit.errors import MoveError, PuzzlekitError

if TYPE_CHECKING:
    from puzzlekit.describe.puzzle import Puzzle
    from puzzlekit.run.report import SolveReport

HELP = "Type a move, or: moves, undo, hint, solve, restart, help, quit."


class Session:
    """One play of a puzzle, or of a game against perfect play or another person.

    Args:
        puzzle: The puzzle.
        state: Where play begins.
        opponent: Whether perfect play answers.
        second: Whether perfect play moves first.
        max_states: How many states may be stored to find a hint or an answer.
    """

    def __init__(
        self, puzzle: Puzzle, state: str, *, opponent: bool = False, second: bool = False, max_states: int = 2_000_000
    ) -> None:
        self.puzzle = puzzle
        self.states = [puzzle.read(state)]
        self.moves: list[str] = []
        self._answers: list[bool] = []  # for each move, whether perfect play made it
        self.over = False
        self._opponent = opponent and puzzle.engine.is_game
        self._second = second and self._opponent
        check_number("max_states", max_states, 1, MOST_STATES)
        self._max_states = max_states

    @property
    def state(self) -> str:
        """The state now."""
        return self.states[-1]

    def greet(self) -> list[str]:
        """What is shown first."""
        first = self._reply() if self._second else []
        return [f"{self.puzzle}. {HELP}", *(first or [*self._show(), *self._end()])]

    def answer(self, line: str) -> list[str]:
        """What a typed line does, and the lines to show for it."""
        word = line.strip()
        commands = {
            "": lambda: [HELP],
            "help": lambda: [HELP],
            "moves": lambda: [f"Moves: {' '.join(self.puzzle.legal_moves(self.state))}"],
            "undo": self._undo,
            "hint": self._hint,
            "solve": self._solve,
            "restart": self._restart,
            "quit": self._quit,
        }
        # A move may have the name of a command: then the move is meant.
        if word in self.puzzle.legal_moves(self.state):
            return self._play(word)
        if word.lower() in commands:
            return commands[word.lower()]()
        try:
            self.puzzle.apply(self.state, word)
        except MoveError as error:
            return [f"{str(error)[:1].upper()}{str(error)[1:]}."]
        return self._play(word)

    def _play(self, move: str) -> list[str]:
        self._make(move)
        shown = self._show()
        ended = self._end()
        if ended or not self._opponent:
            return [*shown, *ended]
        return [*shown, *self._reply()]

    def _reply(self) -> list[str]:
        """The move that perfect play makes, and what it leads to."""
        try:
            reply = self._solution().best[0]
        except PuzzlekitError as error:
            return [f"No answer was found: {error}. Move for the other side, too."]
        self._make(reply, answer=True)
        return [f"I play {reply}.", *self._show(), *self._end()]

    def _make(self, move: str, *, answer: bool = False) -> None:
        self._answers.append(answer)
        self.states.append(self.puzzle.apply(self.state, move))
        self.moves.append(move)

    def _show(self) -> list[str]:
        notation = self.puzzle.engine.notation
        turn = [f"{self.state.rpartition(':')[2]} to move."] if notation.players else []
        return [*self.puzzle.board(self.state, self.moves).splitlines(), *turn]

    def _end(self) -> list[str]:
        """The last words, where play is over."""
        outcome = self.puzzle.outcome(self.state)
        if self.puzzle.engine.is_game:
            if outcome is None:
                return []
            self.over = True
            winner = outcome in self.puzzle.engine.notation.players
            return [f"{outcome} wins." if winner else f"The game is over: {outcome}."]
        if not self.puzzle.is_solved(self.state):
            if outcome is None:
                return []
            return [f"No move is left ({outcome}): undo, restart or quit."]
        self.over = True
        return [f"Solved in {_count(len(self.moves))}. {self._optimum()}"]

    def _optimum(self) -> str:
        try:
            solution = self.puzzle.solve(self.states[0], max_states=self._max_states)
        except PuzzlekitError:
            return "The fewest possible are not known."
        return f"The fewest possible: {solution.length}."

    def _solution(self) -> SolveReport:
        return self.puzzle.solve(self.state, max_states=self._max_states)

    def _hint(self) -> list[str]:
        try:
            solution = self._solution()
        except PuzzlekitError as error:
            return [f"No hint: {error}."]
        moves = solution.best or solution.moves
        return [f"Hint: {moves[0]}." if moves else "Nothing is left to do."]

    def _solve(self) -> list[str]:
        try:
            solution = self._solution()
        except PuzzlekitError as error:
            return [f"No solution: {error}."]
        value = f"{solution.value} for the player to move; " if solution.value else ""
        return [f"Solution: {value}{_count(solution.length)}: {' '.join(solution.moves)}"]

    def _undo(self) -> list[str]:
        # A move that perfect play has answered goes with the answer.
        own = [at for at, answered in enumerate(self._answers) if not answered]
        if not own:
            return ["There is nothing to undo."]
        self._cut(own[-1])
        return self._show()

    def _restart(self) -> list[str]:
        self._cut(1 if self._answers[:1] == [True] else 0)
        return self._show()

    def _cut(self, kept: int) -> None:
        del self.states[kept + 1 :], self.moves[kept:], self._answers[kept:]

    def _quit(self) -> list[str]:
        self.over = True
        return [f"You made {_count(len(self.moves))}."]


def _count(moves: int) -> str:
    return f"{moves} move{'' if moves == 1 else 's'}"
