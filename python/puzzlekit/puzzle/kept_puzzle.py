"""The puzzle of a job, made from data in the job's folder. So a job is resumed and read without any code of its puzzle.

The data lack what a puzzle computes in methods of its own, such as the numbers of states. For these, name the file of
the puzzle, or install its plugin.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from puzzlekit.describe.kept_rules import rules_of_data
from puzzlekit.errors import CorruptError, PuzzlekitError
from puzzlekit.puzzle.puzzle import Puzzle
from puzzlekit.view.view import View
from puzzlekit.view.view_data import view_of_data

if TYPE_CHECKING:
    from puzzlekit.describe.rules import Rules
    from puzzlekit.run.engine import Engine


@dataclass(frozen=True)
class _Kept:
    """The data that a job keeps of its puzzle.

    Attributes:
        text: All of the following, as JSON.
        name: The puzzle's text id.
        rules: The rules.
        shown: How states are written and drawn.
    """

    text: str
    name: str
    rules: dict[str, Any]
    shown: dict[str, Any]


@dataclass(frozen=True, eq=False)
class KeptPuzzle(Puzzle, has_identity=True):
    """A puzzle that is made from the data in a job's folder, without the puzzle's own class."""

    id = "kept"
    kept: ClassVar[_Kept]

    @classmethod
    def of_text(cls, text: str) -> KeptPuzzle:
        """The puzzle of a job, from its JSON, which the engine has read from the folder and checked."""
        data = json.loads(text)
        name, shown = str(data["puzzle"]), data["shown"]
        kept = _Kept(text, name, data["rules"], shown if isinstance(shown, dict) else {})
        found = re.match(r"[a-z][a-z0-9_-]*(?=:|$)", name)
        made = cls()
        # Other puzzles have their id and docstring in their class. All puzzles that are made from jobs share one class,
        # so each object has its own.
        vars(made).update(kept=kept, id=found[0] if found else cls.id, __doc__=str(kept.shown.get("summary") or ""))
        return made

    def __str__(self) -> str:
        return self.kept.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KeptPuzzle) and self.kept == other.kept

    def __hash__(self) -> int:
        return hash(self.kept.text)

    def __reduce__(self) -> tuple[Any, ...]:
        return KeptPuzzle.of_text, (self.kept.text,)

    @cached_property
    def engine(self) -> Engine:
        """The compiled rules. They are not shared, since two jobs with one text id may have different rules."""
        return self._compile()

    def rules(self) -> Rules:
        """The rules."""
        try:
            return rules_of_data(self.kept.rules, self.kept.shown.get("board"), self.kept.shown.get("columns"))
        except PuzzlekitError:
            raise
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            raise CorruptError(f"puzzle.json has rules that cannot be read ({error}); the job is damaged") from error

    def view(self) -> View:
        """The view that the job keeps; if it keeps none, the view that follows from the rules."""
        data, rules = self.kept.shown.get("view"), self.rules()
        return View.of(rules) if data is None else view_of_data(data, map(str, rules.symbols), rules.cells)

    def guide(self) -> str:
        """Returns what a player should know before the first move."""
        return str(self.kept.shown.get("guide") or "")
