"""The requests of the web interface: the verbs, the fields of each, and the checks that all fields must pass first.

The page about the interface, docs/web-api.md, is generated from these tables.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from puzzlekit.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_TEXT = 4_000
"""The longest text of a field."""

MOST_MOVES = 2_000
"""The most moves that a request may list."""

LONGEST_MOVE = 200
"""The longest name of a move."""


@dataclass(frozen=True)
class Field:
    """A field of a request.

    Attributes:
        kind: `"text"`, `"whole number"`, `"true or false"` or `"list of texts"`.
        help: What the field says, in words.
        required: Whether the field must be given.
        least: The smallest value of a whole number.
        most: The largest value of a whole number.
        among: The texts that are allowed; any text is allowed if this is empty.
    """

    kind: str
    help: str
    required: bool = False
    least: int = 0
    most: int = 0
    among: tuple[str, ...] = ()

    @property
    def takes(self) -> str:
        """The allowed values, in words."""
        if self.among:
            return "one of " + ", ".join(f'"{name}"' for name in self.among)
        if self.kind == "whole number":
            return f"a whole number from {self.least} to {self.most}"
        if self.kind == "list of texts":
            return f"a list of at most {MOST_MOVES:,} texts, each of at most {LONGEST_MOVE} characters"
        return {"text": f"a text of at most {MOST_TEXT:,} characters", "true or false": "true or false"}[self.kind]

    def fits(self, value: object) -> bool:
        """Returns `True` if a value is allowed."""
        if self.kind == "text":
            return _is_text(value, MOST_TEXT) and (not self.among or value in self.among)
        if self.kind == "whole number":
            return isinstance(value, int) and not isinstance(value, bool) and self.least <= value <= self.most
        if self.kind == "true or false":
            return isinstance(value, bool)
        return (
            isinstance(value, list) and len(value) <= MOST_MOVES and all(_is_text(each, LONGEST_MOVE) for each in value)
        )


@dataclass(frozen=True)
class Verb:
    """A kind of request.

    Attributes:
        summary: What the answer is.
        schema: The name of the answer's schema.
        fields: The fields of the request by name.
        answer: The fields of the answer by name, each described in words.
        long: Whether an answer may need a search. Then the request goes to the pool for searches, and its progress is
            reported.
    """

    summary: str
    schema: str
    fields: Mapping[str, Field]
    answer: Mapping[str, str]
    long: bool = False


PUZZLE = Field("text", "The puzzle's text id, such as `name:rows=4`.", required=True)
STATE = Field("text", "Where play began; the puzzle's start if it is left out.")
HERE = Field("text", "The state that is asked about.", required=True)
MOVES = Field("list of texts", "The names of the moves that were made from there.")

VERBS: dict[str, Verb] = {
    "describe": Verb(
        "What the page has to know of a puzzle.",
        "puzzlekit.web-puzzle/1",
        {"puzzle": PUZZLE},
        {
            "puzzle": "the text id",
            "id": "the part of it before the colon",
            "title": "its name for people, with the parameters that are not the usual ones",
            "summary": "a sentence about it",
            "guide": "what to know before the first move, in lines",
            "about": "a paragraph about it; empty for none",
            "parameters": "for each: `name`, `value`, `kind`, `least`, `most` and `help`",
            "presets": "some sizes: for each the text id `puzzle`, and a `name`",
            "game": "whether two players take turns",
            "players": "their names",
            "start": "the state where play begins",
            "start_is_solved": "whether that is the goal, so that one begins elsewhere",
            "goal": "the goal as a state, if it is a single one; else null",
            "goal_cells": "the symbol that the goal wants in each cell, null where it names none; or null",
            "numbered": "whether its states have numbers",
            "solvers": "the names of its solvers",
            "default_solver": "the name of the one that is asked if none is named",
            "job": "whether a job has the values of its states, or all distances, so that answers are looked up; then "
            "`job` is one of the solvers, and the default",
            "seconds": "how long a search may take: `long`, or `short` for one whose answer may be a bound",
            "toggles": "whether moves only toggle cells, so that their order does not matter",
            "view": "how its states are drawn, and the gestures of its moves, of the schema `puzzlekit.view/1`",
            "cells": "the symbol of each cell of a board that stands for it: the start, a mixed one, or one of a game",
        },
    ),
    "picture": Verb(
        "A picture of the board that stands for a puzzle, for links to its page. It needs the extra `pictures`.",
        "puzzlekit.web-picture/1",
        {"puzzle": PUZZLE},
        {"png": "the picture as PNG, in base64"},
    ),
    "scramble": Verb(
        "A state to begin with: random, of a seed, of a day, or of a number.",
        "puzzlekit.scramble/1",
        {
            "puzzle": PUZZLE,
            "seed": Field("text", "What makes the same state again."),
            "moves": Field("whole number", "How many random moves to make.", least=1, most=1_000),
            "daily": Field("text", "A day, as YYYY-MM-DD."),
            "number": Field("text", "The number of a state, in digits."),
        },
        {
            "puzzle": "the text id",
            "state": "the state",
            "seed": "what makes it again",
            "moves": "the moves that led to it, or null",
            "number": "its number, in puzzles that number their states",
            "scrambler": "the scrambler's name, if one was asked for",
            "cells": "the symbol of each cell",
        },
    ),
    "play": Verb(
        "How play stands after some moves.",
        "puzzlekit.web-play/1",
        {
            "puzzle": PUZZLE,
            "state": STATE,
            "moves": MOVES,
            "history": Field("true or false", "Whether to give each state on the way."),
        },
        {
            "moment": "the moment, as `puzzlekit.moment/1`: the state, who is to move, legal and made moves, the end",
            "board": "the state in the words of the line mode",
            "cells": "the symbol of each cell",
            "chances": "the gestures that can be made: `gesture`, its place in the list of the view, and `moves`, the "
            "names of the moves that it makes, of which one is to be chosen",
            "marked": "the cells whose presses count, if presses undo themselves",
            "history": "if it was asked for: `state` and `cells` of each state from the first one",
        },
    ),
    "words": Verb(
        "The line mode: what it shows for a line that is typed.",
        "puzzlekit.web-words/1",
        {
            "puzzle": PUZZLE,
            "state": STATE,
            "moves": MOVES,
            "line": Field("text", "The line; the greeting if it is left out."),
        },
        {
            "lines": "the lines that the line mode shows",
            "moves": "the moves that are made now",
            "over": "whether there is nothing more to type",
        },
        long=True,
    ),
    "fewest": Verb(
        "The fewest moves from a state to the goal, or bounds that say they are bounds.",
        "puzzlekit.web-fewest/1",
        {"puzzle": PUZZLE, "state": HERE},
        {
            "fewest": "the fewest moves, proven; null if they are not known",
            "at_least": "moves that are needed at least",
            "at_most": "moves that are enough; null if no solution is known",
            "moves": "the moves of the shortest solution that is known; null if none is",
            "solvable": "false if no moves lead to the goal, with `why`; null if that is not known",
            "why": "a sentence, if it is not solvable or not known",
        },
        long=True,
    ),
    "hint": Verb(
        "A hint of one of three strengths.",
        "puzzlekit.web-hint/1",
        {
            "puzzle": PUZZLE,
            "state": HERE,
            "strength": Field(
                "whole number", "1: how far the end is; 2: also where to move; 3: also the move.", least=1, most=3
            ),
        },
        {
            "left": "how many moves lead to the end; null if best play never ends",
            "proven": "whether no fewer do",
            "value": "in a game, `win`, `draw` or `loss` for the player to move; else null",
            "score": "in a game with a score, the points of the player to move, less those of the other; else null",
            "cells": "from strength 2: the cells that the move changes; from strength 3: those that one touches",
            "move": "from strength 3: the move's name",
            "how": "from strength 3: how it is made by hand, such as `press row 2, column 1`, if it can be",
            "gesture": "beside `how`: the place of that gesture in the view's list",
        },
        long=True,
    ),
    "solve": Verb(
        "A solution, or best play of a game, with each state on the way.",
        "puzzlekit.solve/1",
        {
            "puzzle": PUZZLE,
            "state": HERE,
            "solver": Field("text", "A solver's name; the puzzle's own choice if it is left out."),
        },
        {
            "puzzle": "the text id",
            "state": "the state",
            "moves": "the names of the moves",
            "length": "how many there are",
            "optimal": "whether it is proven that no fewer moves do",
            "solver": "the solver's name",
            "seconds": "the time that it took",
            "value": "in a game, `win`, `draw` or `loss` for the player to move",
            "best": "in a game, all moves that are as good",
            "lower_bound": "moves that are needed at least, if that is known",
            "searched": "figures of the search",
            "stages": "the parts of the solution: `name`, and the number of moves before it in `begins`",
            "history": "`state` and `cells` of each state from the first one",
        },
        long=True,
    ),
    "values": Verb(
        "Each move that can be made, the state after it, and what that is worth.",
        "puzzlekit.web-values/1",
        {"puzzle": PUZZLE, "state": HERE},
        {
            "value": "what the state itself is worth to who is to move, as for a move",
            "left": "how many moves best play takes to the end; null if it never ends, or with a score",
            "score": "in a game with a score, the points of who is to move, less those of the other; of a move, those "
            "of who makes it; else null",
            "why": "why that is not known, if it is not",
            "moves": "for each move: `move`, `state`, `cells`, and of the state after it `left` and `value`: in a "
            "game, `win`, `draw` or `loss` for who makes the move; in a puzzle, the fewest moves from there; null, "
            "with `why`, if it is not known",
        },
        long=True,
    ),
    "reply": Verb(
        "The move that an opponent makes.",
        "puzzlekit.web-reply/1",
        {
            "puzzle": PUZZLE,
            "state": HERE,
            "skill": Field("text", "How well it plays.", among=("perfect", "strong", "fair", "weak"), required=True),
            "seed": Field("text", "What its chances are drawn from."),
        },
        {"move": "the move's name", "value": "the value of the state for who is to move, if it is known; else null"},
        long=True,
    ),
    "explore": Verb(
        "How many states there are at each depth, and some of the hardest: counted now, or kept by a job.",
        "puzzlekit.web-explore/1",
        {"puzzle": PUZZLE},
        {
            "backward": "whether depths count the moves to the goal; else those from the start",
            "complete": "whether all states were counted",
            "depths": "for each depth: `depth`, `states` up to symmetry, and `raw_states`",
            "states": "how many states there are up to symmetry",
            "raw_states": "how many states there are",
            "unsolvable": "how many cannot be solved, if that was counted; else null",
            "hardest": "some of the deepest states: `state`, `depth` and `cells`",
        },
        long=True,
    ),
}


@dataclass(frozen=True)
class Request:
    """A request that was checked.

    Attributes:
        verb: The verb's name.
        given: The fields that were given, with their values.
    """

    verb: str
    given: Mapping[str, Any] = field(default_factory=dict)

    def text(self, name: str) -> str | None:
        """The text that was given for a field; `None` if the field was left out."""
        value = self.given.get(name)
        return None if value is None else str(value)

    @property
    def moves(self) -> list[str]:
        """The moves that were given."""
        return list(self.given.get("moves") or ())


def read(verb: str, body: object) -> Request:
    """Checks the fields of a request. A field that is null counts as left out.

    >>> read("hint", {"puzzle": "slider", "state": "1203", "strength": 2}).given["strength"]
    2

    Raises:
        UsageError: A field is unknown or missing, or has a value that it may not have.
    """
    fields = VERBS[verb].fields
    if not isinstance(body, dict):
        raise UsageError(f"the body of {verb} is no object; give one with the fields {', '.join(fields)}")
    given = {name: value for name, value in body.items() if value is not None}
    for name, value in given.items():
        if name not in fields:
            raise UsageError(f"{verb} has no field {_shown(name)}; its fields are {', '.join(fields)}")
        if not fields[name].fits(value):
            raise UsageError(f"{name} of {verb} is {_shown(value)}; give {fields[name].takes}")
    for name, each in fields.items():
        if each.required and name not in given:
            raise UsageError(f"{verb} lacks the field {name}; give {each.takes}")
    return Request(verb, given)


def _is_text(value: object, most: int) -> bool:
    """Returns `True` if a value is a text that is not too long and has no halves of characters (lone surrogates)."""
    if not isinstance(value, str) or len(value) > most:
        return False
    return value.isascii() or not any("\ud800" <= character <= "\udfff" for character in value)


def _shown(value: object) -> str:
    """A value in the form for an error message. A long value is cut."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**30:
        return "a number of more than 30 digits"
    if isinstance(value, list | dict):
        return f"{'a list' if isinstance(value, list) else 'an object'} of {len(value)}"
    text = ascii(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
