"""Parameters: the fields of a puzzle, how they are declared, checked, and read from a text id."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any

from puzzlekit.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping


def parameter(
    default: int,
    minimum: int | None = None,
    maximum: int | None = None,
    help: str = "",  # noqa: A002 - as in the command line
) -> Any:  # noqa: ANN401 - as in dataclasses
    """Declares a field of a puzzle that is a whole number within a range.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Board:
    ...     rows: int = parameter(3, 1, 10, "rows of the board")
    >>> Board().rows
    3

    A field that is true or false needs no range: `misere: bool = False`.

    Raises:
        UsageError: The default is no whole number, or there is no range.
    """
    if isinstance(default, bool) or not isinstance(default, int):
        kind = type(default).__name__
        field = f"name: {kind} = {default!r}" if isinstance(default, bool | str) else "name: int = parameter(3, 1, 10)"
        raise UsageError(f"parameter is for whole numbers, and {default!r} is none; write the field as {field}")
    if minimum is None or maximum is None:
        raise UsageError(
            f"parameter({default}) has no least and greatest value; write parameter({default}, least, greatest), or "
            f"the field as name: int = {default} for any number"
        )
    return dataclasses.field(default=default, metadata={"minimum": minimum, "maximum": maximum, "help": help})


def describe(field: dataclasses.Field[Any]) -> str:
    """The values that a field may have, in words."""
    return describe_kind(kind(field), field.metadata)


def describe_kind(kind: str, metadata: Mapping[str, Any]) -> str:
    """The values that a field of a given type may have, in words."""
    if kind == "int" and "minimum" in metadata:
        return f"a whole number from {metadata['minimum']} to {metadata['maximum']}"
    return {
        "int": "a whole number",
        "bool": "true or false",
        "str": "a text without commas, equals signs, control characters, or spaces at its ends",
    }[kind]


def kind(field: dataclasses.Field[Any]) -> str:
    """The name of a field's type."""
    return field.type if isinstance(field.type, str) else getattr(field.type, "__name__", str(field.type))


def type_name(given: object) -> str:
    """The name of a type without what stands in its brackets. An author may give the type itself or a text.

    >>> type_name(tuple[int, int]), type_name("tuple[int, int]"), type_name(int | None), type_name(int)
    ('tuple', 'tuple', 'int | None', 'int')
    """
    text = given if isinstance(given, str) else getattr(given, "__name__", str(given))
    return str(text).partition("[")[0].removeprefix("typing.").strip()


def check(puzzle: object, puzzle_id: str) -> None:
    """Checks the type and range of each field of a puzzle.

    Raises:
        UsageError: A field has a value that it may not have.
    """
    for field in dataclasses.fields(puzzle):  # type: ignore[arg-type]
        value = getattr(puzzle, field.name)
        if not fits(value, kind(field), field.metadata):
            raise UsageError(f"{field.name} of {puzzle_id} is {value!r}; give {describe(field)}")


def fits(value: object, kind: str, metadata: Mapping[str, Any]) -> bool:
    """Returns `True` if a field of type `kind` may have this value, within the limits of its metadata.

    >>> fits(3, "int", {"minimum": 1, "maximum": 5}), fits("a,b", "str", {}), fits("", "str", {}), fits(1, "bool", {})
    (True, False, True, False)
    """
    if type(value).__name__ != kind:
        return False
    if isinstance(value, int) and not isinstance(value, bool):
        # A number with more digits could not be read back from a text id.
        return abs(value) < 10**18 and metadata.get("minimum", value) <= value <= metadata.get("maximum", value)
    if isinstance(value, str):
        # Control characters cannot be typed, and lone surrogates cannot be written to a file.
        return not re.search(r"[,=]", value) and value == value.strip() and value.isprintable()
    return True


def read(puzzle_type: type, puzzle_id: str, text: str) -> dict[str, Any]:
    """Reads the part of a text id after the colon: the values of the fields by name.

    Values are given by position, as in `4,4,2`; by name, as in `rows=4,win=2`; or first by position and then by name.

    Raises:
        UsageError: The text is nonsense; the message says what may stand there.
    """
    fields = dataclasses.fields(puzzle_type)
    by_name = {field.name: field for field in fields}
    known = ", ".join(by_name) or "none"
    values: dict[str, Any] = {}
    named = False
    for place, part in enumerate(text.split(",")):
        name, equals, value = part.partition("=")
        if not equals:
            if named:
                raise UsageError(f'"{puzzle_id}:{text}" gives "{part}" after a name; give it a name as well')
            if place >= len(fields):
                given, taken = text.count(",") + 1, len(fields)
                raise UsageError(
                    f'"{puzzle_id}:{text}" gives {given} value{"" if given == 1 else "s"}, but {puzzle_id} has {taken} '
                    f"parameter{'' if taken == 1 else 's'} ({known}); leave {'it' if given == 1 else 'some'} out"
                )
            name, value = fields[place].name, part
        named = named or bool(equals)
        name = name.strip()
        if name not in by_name:
            near = did_you_mean(name, by_name)
            raise UsageError(f'{puzzle_id} has no parameter "{name}"; its parameters are {known}{near}')
        if name in values:
            raise UsageError(f'"{puzzle_id}:{text}" gives {name} twice; give it once')
        values[name] = _value(by_name[name], puzzle_id, value.strip())
    return values


def _value(field: dataclasses.Field[Any], puzzle_id: str, text: str) -> object:
    if kind(field) == "int" and re.fullmatch(r"[+-]?[0-9]{1,18}", text):
        return int(text)
    if kind(field) == "bool" and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if kind(field) == "str":
        return text
    raise UsageError(f'{field.name} of {puzzle_id} is "{text}"; give {describe(field)}')
