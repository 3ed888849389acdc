"""Reads algs, the sequences of moves of cubing: `R U2 R'`, `(R U)3`, commutators `[R, U]` and conjugates `[x: U]`."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from lark import Lark, Token, Transformer, UnexpectedInput, v_args

from puzzlekit_twisty.errors import DefinitionError

if TYPE_CHECKING:
    from puzzlekit_twisty.definition import Definition, Transformation

GRAMMAR = r"""
?start: alg
alg: _repeated*
_repeated: move | group | commutator | conjugate
move: MOVE
group: "(" alg ")" times
commutator: "[" alg "," alg "]" times
conjugate: "[" alg ":" alg "]" times
times: NUMBER? PRIME?
MOVE: /(\d+(-\d+)?)?[A-Za-z_]+\d{0,9}'?/
NUMBER: /\d{1,9}/
PRIME: "'"
%ignore /[\s.]+/
%ignore /\/\/[^\n]*/
"""


class UnknownMoveError(DefinitionError):
    """An alg names a move that is not known, or not yet.

    Args:
        move: The word.
    """

    def __init__(self, move: str) -> None:
        super().__init__(f'there is no move "{move}"')
        self.move = move


def step(definition: Definition, word: str) -> Transformation | None:
    """The effect of one word of an alg, such as `U`, `U2'` or `2R`; `None` if there is no such move.

    A move that has the whole word for its name comes before a power of a move.
    """
    found = definition.named(word)
    if found is not None:
        return found
    parts = re.fullmatch(r"(.*?)(\d{0,9})('?)", word, re.DOTALL)
    base = definition.named(parts[1]) if parts and parts[1] else None
    if parts is None or base is None:
        return None
    return definition.power(base, int(parts[2] or 1) * (-1 if parts[3] else 1))


def read_alg(definition: Definition, text: str) -> Transformation:
    """The effect of an alg.

    Raises:
        UnknownMoveError: It names a move that the definition does not have.
        DefinitionError: It is no alg.
    """
    try:
        tree = _parser().parse(text)
    except UnexpectedInput as error:
        raise DefinitionError(f'"{text}" is no alg; it goes wrong at column {error.column}') from None
    try:
        return _Reader(definition).read(tree)
    except RecursionError:
        raise DefinitionError("an alg has hundreds of brackets inside each other; give names to its parts") from None


@cache
def _parser() -> Lark:
    return Lark(GRAMMAR, parser="lalr")


class _Reader(Transformer):  # type: ignore[type-arg]
    """Makes a transformation of a parsed alg."""

    def __init__(self, definition: Definition) -> None:
        super().__init__()
        self._definition = definition

    def read(self, tree: object) -> Transformation:
        """The transformation of a whole alg."""
        from lark.exceptions import VisitError

        try:
            return self.transform(tree)  # type: ignore[no-any-return, arg-type]
        except VisitError as error:
            raise error.orig_exc from None

    def alg(self, parts: list[Transformation]) -> Transformation:
        """The product of the parts, which are made one after the other."""
        return self._definition.product(*parts)

    @v_args(inline=True)
    def move(self, word: Token) -> Transformation:
        """A move, or a power of one."""
        found = step(self._definition, str(word))
        if found is None:
            raise UnknownMoveError(str(word))
        return found

    def times(self, parts: list[str]) -> int:
        """The number of times that a group is made."""
        number = next((int(part) for part in parts if part != "'"), 1)
        return -number if "'" in parts else number

    @v_args(inline=True)
    def group(self, inner: Transformation, times: int) -> Transformation:
        """Moves in round brackets."""
        return self._definition.power(inner, times)

    @v_args(inline=True)
    def commutator(self, first: Transformation, second: Transformation, times: int) -> Transformation:
        """`[A, B]` is `A B A' B'`."""
        undo = self._definition.inverse
        return self._definition.power(self._definition.product(first, second, undo(first), undo(second)), times)

    @v_args(inline=True)
    def conjugate(self, first: Transformation, second: Transformation, times: int) -> Transformation:
        """`[A: B]` is `A B A'`."""
        return self._definition.power(self._definition.product(first, second, self._definition.inverse(first)), times)
