"""Reads definitions of the program twsearch, files that end in `.tws`; docs/definitions.md describes them.

The grammar has two conventions. `Solved` and `Move` count from 1, and a move gives each twist at the place from which
the piece comes. `StartState` and `MoveTransformation` count from 0, and give it at the place to which the piece goes.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from lark import Lark, Token, Tree, UnexpectedInput

from puzzlekit_twisty.algs import step
from puzzlekit_twisty.definition import Barred, Definition, Filled, Orbit, Part, check_order
from puzzlekit_twisty.errors import DefinitionError, at

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from puzzlekit_twisty.definition import Transformation

GRAMMAR = r"""
start: _END* (name | set | solved | move | illegal | alias | sequence)*
name: "Name" WORD+ _END
set: "Set" WORD WORD WORD _END
solved: SOLVED _END orbit* "End" _END
move: MOVE WORD _END orbit* "End" _END
orbit: WORD _END (numbers (numbers)?)?
numbers: NUMBERS _END
illegal: "Illegal" WORD WORD WORD+ _END
alias: "MoveAlias" WORD WORD _END
sequence: "MoveSequence" WORD WORD+ _END
SOLVED.3: /(Solved|StartState)(?=\s)/
MOVE.3: /(MoveTransformation|Move)(?=\s)/
NUMBERS.2: /(\?|\d+)([ \t]+(\?|\d+))*(?=[ \t]*\n)/
WORD: /\S+/
_END: /(\n[ \t]*)+/
%ignore /[ \t]+/
"""

NO_NAMES = ("PuzzleGeometryPuzzle", "Unnamed")
"""Names that programs write if a puzzle has none of its own."""

MOST = 9_999
"""The most places of a set, and the most ways to turn a piece."""

EXPECTED = {
    "_END": "the end of the line",
    "WORD": "a word",
    "NUMBERS": "a line of numbers",
    "SOLVED": "Solved",
    "MOVE": "Move",
    "END": "End",
    "NAME": "Name",
    "SET": "Set",
    "ILLEGAL": "Illegal",
    "MOVEALIAS": "MoveAlias",
    "MOVESEQUENCE": "MoveSequence",
}
"""The words of messages for the symbols of the grammar."""


def is_rotation(name: str) -> bool:
    """Returns `True` if a name is that of a turn of the whole puzzle: x, y or z, or capitals with a `v` after them.

    >>> [name for name in ("x", "z2", "y'", "Uv", "UFR_v", "U", "v", "xU", "2Uv") if is_rotation(name)]
    ['x', 'z2', "y'", 'Uv', 'UFR_v']
    """
    return re.fullmatch(r"[xyz][2']?|[A-Z_]+v", name) is not None


def read(text: str, name: str) -> Definition:
    """The definition in a text.

    Args:
        text: The text.
        name: What the puzzle is called if the text does not say it.

    Raises:
        DefinitionError: The text is no definition; the message tells the line and the column.
    """
    # A comment begins at the first character of a line. Lines are kept, so that their numbers stay right.
    lines = ["" if line.startswith("#") else line for line in text.splitlines()]
    try:
        tree = _parser().parse("\n" + "\n".join(lines) + "\n")
    except UnexpectedInput as error:
        raise _unexpected(error, lines) from None
    return _Reader(name, tree).definition


@cache
def _parser() -> Lark:
    return Lark(GRAMMAR, parser="lalr", propagate_positions=True)


def _unexpected(error: UnexpectedInput, lines: Sequence[str]) -> DefinitionError:
    """The error for a text that does not fit the grammar."""
    allowed: Collection[str] = getattr(error, "expected", None) or getattr(error, "allowed", None) or ()
    expected = sorted({EXPECTED[kind] for kind in allowed if kind in EXPECTED})
    wanted = f"expected {' or '.join(expected)}" if expected else "expected nothing more"
    token = getattr(error, "token", None)
    line, column = error.line - 1, error.column
    if (token is not None and token.type == "$END") or line > len(lines) or line < 1:
        return at(max(len(lines), 1), len(lines[-1] if lines else "") + 1, f"the text ends too early; {wanted}")
    rest = lines[line - 1][column - 1 :].split()
    found = f'"{rest[0]}"' if rest else "the end of the line"
    return at(line, column, f"{wanted}, and found {found}")


def _children(tree: Tree[Token], kind: str) -> Iterator[Tree[Token]]:
    return (child for child in tree.children if isinstance(child, Tree) and child.data == kind)


def _words(tree: Tree[Token]) -> list[Token]:
    return [child for child in tree.children if isinstance(child, Token)]


def _at(token: Token, sentence: str, column: int = 0) -> DefinitionError:
    """An error at a token, of which the first line stands before the text."""
    return at((token.line or 1) - 1, (token.column or 1) + column, sentence)


def _number(word: Token, most: int, what: str) -> int:
    if not re.fullmatch(r"[0-9]{1,6}", word) or not 1 <= int(word) <= most:
        raise _at(word, f'{what} is "{word}"; give a whole number from 1 to {most:,}')
    return int(word)


class _Reader:
    """Makes a definition from a parsed text, statement by statement.

    Args:
        name: What the puzzle is called if the text does not say it.
        tree: The parsed text.
    """

    def __init__(self, name: str, tree: Tree[Token]) -> None:
        orbits: list[Orbit] = []
        for word in (words for child in _children(tree, "set") for words in [_words(child)]):
            if any(orbit.name == word[0] for orbit in orbits):
                raise _at(word[0], f'there are two sets "{word[0]}"; give each a name of its own')
            orbits.append(Orbit(str(word[0]), _number(word[1], MOST, "the size"), _number(word[2], MOST, "the turns")))
        if not orbits:
            raise at(1, 1, "no set is defined; give a line such as Set CORNERS 8 3")
        names = [" ".join(_words(child)) for child in _children(tree, "name")]
        names = [named for named in names if named not in NO_NAMES]
        self.definition = Definition(names[0] if names else name, tuple(orbits), ())
        self._read_solved(list(_children(tree, "solved")))
        seen: dict[str, Token] = {}
        for child in _children(tree, "move"):
            self._read_move(child, seen)
        if not (self.definition.moves or any(_children(tree, "sequence"))):
            raise at(1, 1, "no move is defined; give lines that begin with Move")
        self._read_sequences([*_children(tree, "alias"), *_children(tree, "sequence")], seen)
        for child in _children(tree, "illegal"):
            self._read_illegal(_words(child))

    @property
    def _orbits(self) -> tuple[Orbit, ...]:
        return self.definition.orbits

    def _orbit(self, word: Token) -> int:
        for number, orbit in enumerate(self._orbits):
            if orbit.name == word:
                return number
        known = ", ".join(orbit.name for orbit in self._orbits)
        raise _at(word, f'there is no set "{word}"; the sets are {known}')

    def _lines(self, tree: Tree[Token]) -> dict[int, list[Token]]:
        """The lines of numbers below each set."""
        found: dict[int, list[Token]] = {}
        for child in _children(tree, "orbit"):
            word = _words(child)[0]
            number = self._orbit(word)
            if number in found:
                raise _at(word, f'the set "{word}" is given twice; give it once')
            found[number] = [_words(line)[0] for line in _children(child, "numbers")]
            if not found[number]:
                raise _at(word, f'no numbers follow the set "{word}"; give a line of {self._orbits[number].size}')
        return found

    def _numbers(self, line: Token, orbit: Orbit, below: int, first: int, wild: bool = False) -> list[int | None]:
        """The numbers of a line, each less its least value; `None` stands for a question mark."""
        found: list[int | None] = []
        for word in re.finditer(r"\S+", line):
            if word[0] == "?":
                if not wild:
                    raise _at(line, "a ? may stand only for how pieces of the solved state are turned", word.start())
                found.append(None)
                continue
            value = int(word[0]) - first if len(word[0]) < 7 else below
            if not 0 <= value < below:
                top = below - 1 + first
                raise _at(line, f"{word[0]} is out of range; give a number from {first} to {top}", word.start())
            found.append(value)
        if len(found) != orbit.size:
            raise _at(
                line, f"there are {len(found)} numbers, and {orbit.name} has {orbit.size} places; give one for each"
            )
        return found

    def _read_solved(self, trees: Sequence[Tree[Token]]) -> None:
        if len(trees) != 1:
            word = _words(trees[1])[0] if trees else None
            if word is not None:
                raise _at(word, "the solved state is given twice; give it once")
            raise at(1, 1, "there is no solved state; give the lines Solved and End")
        new = _words(trees[0])[0] == "StartState"
        lines = self._lines(trees[0])
        solved = []
        for number, orbit in enumerate(self._orbits):
            pieces: list[int | None] = list(range(orbit.size))
            twists: list[int | None] = [0] * orbit.size
            for row, line in enumerate(lines.get(number, [])):
                if row == 0:
                    pieces = self._numbers(line, orbit, 1_000_000, 0 if new else 1)
                else:
                    twists = self._numbers(line, orbit, orbit.turns, 0, wild=True)
            kinds = tuple(1 if twist is None else orbit.turns for twist in twists)
            for place, piece in enumerate(pieces):
                if kinds[place] != kinds[pieces.index(piece)]:
                    raise _at(
                        lines[number][1], "pieces that are alike have numbers and question marks; give them alike"
                    )
            solved.append(Filled(tuple(map(_known, pieces)), tuple(map(_known, twists)), kinds))
        self.definition.solved = tuple(solved)

    def _read_move(self, tree: Tree[Token], seen: dict[str, Token]) -> None:
        keyword, word = _words(tree)
        _check_new(word, seen)
        new, lines = keyword == "MoveTransformation", self._lines(tree)
        parts = []
        for number, orbit in enumerate(self._orbits):
            sources, twists = list(range(orbit.size)), [0] * orbit.size
            for row, line in enumerate(lines.get(number, [])):
                if row == 0:
                    sources = list(map(_known, self._numbers(line, orbit, orbit.size, 0 if new else 1)))
                    if len(set(sources)) < orbit.size:
                        raise _at(line, f'the move "{word}" takes a piece to two places; give each number once')
                else:
                    twists = list(map(_known, self._numbers(line, orbit, orbit.turns, 0)))
                    twists = twists if new else [twists[source] for source in sources]
            parts.append(Part(tuple(sources), tuple(twists)))
        self._add(word, tuple(parts))

    def _add(self, word: Token, made: Transformation) -> None:
        try:
            check_order(word, made, self._orbits)
        except DefinitionError as error:
            raise _at(word, str(error)) from None
        into = self.definition.rotations if is_rotation(word) else self.definition.moves
        into[str(word)] = made

    def _read_sequences(self, trees: Sequence[Tree[Token]], seen: Mapping[str, Token]) -> None:
        """Reads aliases and sequences, which may use each other, in any order."""
        known = dict(seen)
        waiting = [_words(tree) for tree in trees]
        kinds = {id(words): tree.data for words, tree in zip(waiting, trees, strict=True)}
        for words in waiting:
            _check_new(words[0], known)
        while waiting:
            left = []
            for words in waiting:
                parts = [part for word in words[1:] for part in word.split(",") if part]
                steps = [step(self.definition, part) for part in parts]
                if None in steps:
                    left.append(words)
                    continue
                made = self.definition.product(*(step for step in steps if step is not None))
                if kinds[id(words)] == "alias":
                    self.definition.aliases[str(words[0])] = made
                else:
                    self._add(words[0], made)
            if len(left) == len(waiting):
                named = ((word, part) for word in left[0][1:] for part in word.split(",") if part)
                lost = next(word for word, part in named if step(self.definition, part) is None)
                raise _at(lost, f'there is no move "{lost}"; name moves that are defined')
            waiting = left

    def _read_illegal(self, words: Sequence[Token]) -> None:
        number = self._orbit(words[0])
        orbit, solved = self._orbits[number], self.definition.solved[number]
        place = _number(words[1], orbit.size, "the place") - 1
        pieces = set()
        for word in words[2:]:
            piece = _number(word, 999_999, "the piece") - 1
            if piece not in solved.pieces:
                raise _at(word, f"there is no piece {word} in {orbit.name}; give one of the solved state")
            pieces.add(piece)
        if solved.pieces[place] in pieces:
            raise _at(words[0], "the solved state itself is illegal; take the piece that is there out")
        self.definition.barred.append(Barred(number, place, frozenset(pieces)))


def _known(value: int | None) -> int:
    return 0 if value is None else value


def _check_new(word: Token, seen: dict[str, Token]) -> None:
    if word in seen:
        raise _at(word, f'there are two moves "{word}"; give each a name of its own')
    seen[word] = word
