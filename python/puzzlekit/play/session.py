"""The line mode of play: for each line that a person types, the lines to show. Pipes and screen readers can use it."""

from __future__ import annotations

import json
import random
from functools import cached_property
from typing import TYPE_CHECKING

from puzzlekit.describe.sequence import names_in, names_joined
from puzzlekit.errors import MoveError, PuzzlekitError, UnsolvableError
from puzzlekit.play.game import Game, counted
from puzzlekit.play.hint import hint, level_of
from puzzlekit.play.introduction import introduction
from puzzlekit.play.opponent import Opponent
from puzzlekit.puzzle.solving import optimal
from puzzlekit.run import overridable
from puzzlekit.run.checks import check_number
from puzzlekit.run.solver import MOST_STATES
from puzzlekit.view.characters import board, plain
from puzzlekit.view.view import view_of

if TYPE_CHECKING:
    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.answers import SolveReport
    from puzzlekit.run.solver import SolverFunction
    from puzzlekit.run.watch import Watch
    from puzzlekit.view.view import View

HINT_SECONDS = 5.0
"""The most seconds that a person waits for a hint or a solution. On large boards, the solution that is found in this
time need not be the shortest."""

WORDS = {
    "moves": "the moves that can be made now",
    "random": "make a random move; m does the same",
    "undo": "take the last move back",
    "hint": "the next move; hint 1 says how many are left, and hint 2 where to look",
    "solve": "all moves to the goal, or best play",
    "show": "the same on the board, move by move; nothing is made",
    "restart": "begin again from the first state",
    "help": "this list",
    "quit": "end it; q does the same",
}
"""The words that may be typed, and what they do."""

HELP = f"Type a move, or: {', '.join(WORDS)}."

SHORT = {"m": "random", "q": "quit"}
"""Commands of one letter. They are commands only if no move has that name."""


class Session:
    """One play in the line mode: of a puzzle, or of a game against the computer or between two people.

    Args:
        puzzle: The puzzle.
        state: Where play begins.
        opponent: Whether the computer moves for the other side.
        second: Whether the computer moves first.
        max_states: The most states that may be stored to find a hint or an answer.
        strength: How well the computer plays, from 1 to 5; `None` for perfect play, as far as limits allow.
        seed: With the same seed, the computer makes the same choices. `None` for new ones each time.
        boards: Whether answers show the board. A screen that draws the board itself needs none.
        solver: The solver that finds hints and answers; `None` for the puzzle's own.

    Attributes:
        game: The play as data.
        over: Whether the session has ended, so that nothing more can be typed.
    """

    def __init__(  # noqa: PLR0913 - each is an option of play
        self,
        puzzle: Puzzle,
        state: str,
        *,
        opponent: bool = False,
        second: bool = False,
        max_states: int = 2_000_000,
        strength: int | None = None,
        seed: str | None = None,
        boards: bool = True,
        solver: SolverFunction | None = None,
    ) -> None:
        self.game: Game = Game(puzzle, state, solver)
        self._solver = solver
        self.over: bool = False
        self._opponent = opponent and puzzle.engine.is_game
        self._second = second and self._opponent
        check_number("max_states", max_states, 1, MOST_STATES)
        self._max_states = max_states
        self._seconds = None if puzzle.engine.is_game else HINT_SECONDS
        self._begins = self.game.moment().player
        self._chooser = None if strength is None else Opponent(strength, seed, solver)
        self._boards = boards

    @property
    def puzzle(self) -> Puzzle:
        """The puzzle."""
        return self.game.puzzle

    @property
    def state(self) -> str:
        """The state now."""
        return self.game.state

    @property
    def moves(self) -> list[str]:
        """The moves that led to the present state."""
        return list(self.game.moves)

    def greet(self) -> list[str]:
        """The lines that are shown first."""
        return [*self.introduce(), *self.open()]

    def introduce(self) -> list[str]:
        """The lines about the puzzle before play begins."""
        number = self.game.moment().number
        name = str(self.puzzle) if number is None else f"{self.puzzle}, number {number}"
        return [f"{name}. {HELP}", *introduction(self.puzzle), *self._unsolvable()]

    def open(self) -> list[str]:
        """The lines that are shown when play begins. If the computer is to move first, it makes its move."""
        return self._reply() if self._second else [*self._show(), *self._end()]

    def answer(self, line: str) -> list[str]:
        """Does what a typed line says, and returns the lines to show."""
        word = self._meant(line.strip())
        commands = {
            "": lambda: [HELP],
            "help": self._help,
            "moves": lambda: [f"Moves: {names_joined(self.puzzle.legal_moves(self.state))}"],
            "random": self._random,
            "undo": self._undo,
            "hint": lambda: self._hint([]),
            "solve": self._solve,
            "show": self._show_way,
            "restart": self._restart,
            "quit": self._quit,
        }
        # The name of a move may be a command, or have spaces. If a line is the name of a legal move, it means that
        # move.
        if word in self.puzzle.legal_moves(self.state):
            return self._play(word)
        is_move = word in self.puzzle.engine.move_names
        first, *rest = word.split() or [""]
        if rest and not is_move and SHORT.get(first.lower(), first.lower()) == "hint":
            return self._hint(rest)
        command = word.lower() if is_move else SHORT.get(word.lower(), word.lower())
        if command in commands:
            return commands[command]()
        return self._play_all([word] if is_move else [self._meant(part) for part in names_in(word)])

    def _help(self) -> list[str]:
        """All words that may be typed, and an example of a line with several moves."""
        some = list(dict.fromkeys(self.puzzle.legal_moves(self.state)))[:2]
        example = [f"A line may have several moves, such as {names_joined(some)}"] if len(some) > 1 else []
        return [*(f"{word:8} {what}" for word, what in WORDS.items()), *example]

    def fewest(self, seconds: float, watch: Watch | None = None) -> int | None:
        """The fewest moves from the first state to the goal, if they are proven in some seconds; `None` in a game.

        `watch` is called now and then. It ends the search by returning something true.
        """
        if self.puzzle.engine.is_game:
            return None
        try:
            solution = self.puzzle.solve(
                self.game.start, self._solver, max_states=self._max_states, seconds=seconds, watch=watch
            )
        except PuzzlekitError:
            return None
        return solution.length if solution.optimal else None

    def _play_all(self, moves: list[str]) -> list[str]:
        """Makes the moves of a line, one after another. If one of them cannot be made, none is."""
        before = len(self.moves)
        shown: list[str] = []
        for move in moves:
            if self.over:
                break
            try:
                # With an opponent, the lines after each move are shown; without one, only those after the last move.
                shown = [*shown, *self._play(move)] if self._opponent else self._play(move)
            except MoveError as error:
                self._cut(before)
                none = " None of the moves was made." if len(moves) > 1 else ""
                return [f"{str(error)[:1].upper()}{str(error)[1:]}.{none}"]
        return shown

    def _meant(self, word: str) -> str:
        """The move that a word means. The case of letters does not matter if only one move fits without it."""
        names = set(self.puzzle.engine.move_names)
        alike = [name for name in names if name.lower() == word.lower()]
        return alike[0] if word not in names and len(alike) == 1 else word

    def _random(self) -> list[str]:
        legal = self.puzzle.legal_moves(self.state)
        if not legal:
            return ["No move is left."]
        move = random.choice(legal)
        return [f"Random move: {move}.", *self._play(move)]

    def _play(self, move: str) -> list[str]:
        mover = self.game.moment().player
        self.game.make(move)
        ended = self._end()
        if ended or not self._opponent or self.game.moment().player == mover:  # a move may keep the turn
            return [*self._show(), *ended]
        # The line that says who is to move comes after the computer's move.
        return [*self._board(), *self._reply()]

    def _reply(self) -> list[str]:
        """Makes the computer's moves. There are several if a move keeps the turn."""
        mover, lines = self.game.moment().player, []
        while True:
            made = len(self.game.moves)
            lines += self._reply_once()
            moment = self.game.moment()
            if moment.over or moment.player != mover or len(self.game.moves) == made:
                return lines

    def _reply_once(self) -> list[str]:
        """Makes one move of the computer, and returns the lines that show it and the state after it."""
        try:
            if self._chooser is None:
                answer = self.game.solve(max_states=self._max_states)
                named = answer.best or answer.moves
                if not named:
                    return [f"No answer was found: {answer.solver} names no move. Move for the other side, too."]
                reply = named[0]
            else:
                reply = self._chooser.choose(self.puzzle, self.state, max_states=self._max_states)
        except PuzzlekitError as error:
            return [f"No answer was found: {error}. Move for the other side, too."]
        self.game.make(reply, answer=True)
        return [f"I play {reply}.", *self._show(), *self._end()]

    def _show(self) -> list[str]:
        player = self.game.moment().player
        turn = [] if player is None else [f"{player} to move."]
        return [*self._board(), *turn, *self._again()]

    def _again(self) -> list[str]:
        """In a game: a line that says how many moves ago the same position was on the board; no line if it was not."""
        ago = self.game.repeated
        if ago is None or not self.puzzle.engine.is_game:
            return []
        return [f"This position was here {_count(ago)} ago. Play can go round for ever{self._endless()}."]

    def _endless(self) -> str:
        """A clause which says that endless play is a draw; empty in a game for points, whose rules give it a score."""
        return "" if self._scored else ", which is a draw"

    @cached_property
    def _scored(self) -> bool:
        """`True` if the game is one for points."""
        return json.loads(self.puzzle.engine.rules_json).get("score") is not None

    def _by(self) -> str:
        """The points by which a game is won, such as ` by 3 points`; empty without a score, or if none is found."""
        if not self._scored:
            return ""
        try:
            score = self.puzzle.solve(self.state, optimal).score or 0
        except PuzzlekitError:
            return ""
        return f" by {abs(score)} point{'' if abs(score) == 1 else 's'}"

    def _board(self) -> list[str]:
        return self._text(self.state, self.moves)

    def _text(self, state: str, moves: list[str]) -> list[str]:
        """A state as lines for people. Rows of symbols are hard to read for a cube, so a cube is shown as its net."""
        if not self._boards:
            return []
        if self._net is not None:
            return plain(board(self._net, state)).splitlines()
        return overridable.board(self.puzzle, state, moves).splitlines()

    @cached_property
    def _net(self) -> View | None:
        """The view of a cube, unfolded into a net; `None` if the puzzle is no cube."""
        view = view_of(self.puzzle)
        return view if view.body else None

    def _end(self) -> list[str]:
        """The lines that end a play; none if play goes on."""
        moment = self.game.moment()
        if not moment.over:
            return []
        if self.puzzle.engine.is_game:
            self.over = True
            if moment.why not in self.puzzle.engine.notation.players:
                return [f"The game is over: {moment.why}."]
            if not self._opponent:
                return [f"{moment.why} wins{self._by()}."]
            # If the computer moved first, it plays for the side that began; otherwise, it plays for the other side.
            lost = (moment.why == self._begins) == self._second
            return [f"{moment.why} wins{self._by()}: {'you lost' if lost else 'you won'}."]
        if moment.why != "solved":
            return [f"No move is left ({moment.why}): undo, restart or quit."]
        self.over = True
        return [f"Solved in {_count(moment.counted)}. {self._optimum()}"]

    def _optimum(self) -> str:
        try:
            solution = self.puzzle.solve(
                self.game.start, self._solver, max_states=self._max_states, seconds=self._seconds
            )
        except PuzzlekitError:
            return "The fewest possible are not known."
        if not solution.optimal:
            bound = solution.lower_bound or 0
            return f"The fewest possible are not known: at least {bound}, and at most {solution.length}."
        return f"The fewest possible: {solution.length}."

    def _unsolvable(self) -> list[str]:
        """A warning if the state in which play begins cannot be solved, as far as that is known without a search."""
        if self.puzzle.engine.is_game:
            return []
        try:
            self.puzzle.solve(self.state, self._solver or optimal, max_states=1)
        except UnsolvableError as error:
            return [f"This cannot be solved: {error}."]
        except PuzzlekitError:
            return []
        return []

    def _hint(self, words: list[str]) -> list[str]:
        try:
            level = level_of(words)
            solution = self._found()
        except PuzzlekitError as error:
            return [f"No hint: {error}."]
        moves = solution.best or solution.moves
        return [f"Hint: {hint(self.puzzle, solution, level)}." if moves else "Nothing is left to do."]

    def _found(self) -> SolveReport:
        """The moves to the goal, or best play, found within the limits of this session."""
        return self.game.solve(max_states=self._max_states, seconds=self._seconds)

    def _solve(self) -> list[str]:
        return self.way()[0]

    def _show_way(self) -> list[str]:
        words, steps = self.way()
        return [*words, *(line for move, state in steps for line in (f"{move}:", *self._text(state, self.moves)))]

    def way(self) -> tuple[list[str], list[tuple[str, str]]]:
        """Lines about the way to the goal or about best play; and a list of the moves, each with the state after it."""
        try:
            solution = self._found()
        except PuzzlekitError as error:
            return [f"No solution: {error}."], []
        steps: list[tuple[str, str]] = []
        state = self.state
        for move in solution.moves:
            state = self.puzzle.apply(state, move)
            steps.append((move, state))
        return _about(solution), steps

    def _undo(self) -> list[str]:
        # A move that the computer has answered is taken back together with the answer.
        own = [at for at, answered in enumerate(self.game.answers) if not answered]
        if not own:
            return ["There is nothing to undo."]
        self._cut(own[-1])
        return self._show()

    def _restart(self) -> list[str]:
        self._cut(next((at for at, answered in enumerate(self.game.answers) if not answered), len(self.game.answers)))
        return self._show()

    def _cut(self, kept: int) -> None:
        while len(self.game.moves) > kept:
            self.game.undo()

    def _quit(self) -> list[str]:
        self.over = True
        own = [move for move, answer in zip(self.game.moves, self.game.answers, strict=True) if not answer]
        return [f"You made {_count(counted(self.puzzle, own))}."]


def _about(solution: SolveReport) -> list[str]:
    """Returns the lines about the moves to the goal, or about best play."""
    if not solution.proven:
        return [f"The value is not proven. The best move so far: {names_joined(solution.best)}"]
    value = f"{solution.value_in_words} for the player to move; " if solution.value else ""
    best = [f"Best moves: {names_joined(solution.best)}"] if solution.best else []
    if solution.lacks_moves:
        return [f"Solution: {value}the moves are not known", *best]
    return [f"Solution: {value}{_count(solution.length)}: {names_joined(solution.moves)}", *best]


def _count(moves: int) -> str:
    return f"{moves} move{'' if moves == 1 else 's'}"
