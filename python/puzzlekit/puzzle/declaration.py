"""Checks of a puzzle's class, as early as Python allows. The message about each mistake says what to write instead.

The body of the class is checked when the class is made. The decorator `@dataclass` runs after that, so the fields are
checked when the first puzzle is made.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from puzzlekit.describe import parameters
from puzzlekit.errors import PluginError, PuzzlekitError, one_line, plugin_code

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FunctionType


class HasId(Protocol):
    """A class that has an id, as `made` needs it. Every `Puzzle` is one."""

    id: ClassVar[str]


_Made = TypeVar("_Made", bound=HasId)

OVERRIDABLE = (
    "rules",
    "board",
    "view",
    "guide",
    "number",
    "numbered",
    "scramble",
    "daily",
    "why_unsolvable",
    "count_reachable",
    "default_solver",
)
"""The methods of `Puzzle` that a subclass may override, in the order of the table in docs/plugins.md."""

IDENTITY = ("__str__", "__eq__", "__hash__", "__reduce__", "__getattribute__")
"""The methods by which puzzles are told apart, named and sent to other processes. An author overrides none of them."""

_DECORATE = "put @dataclass(frozen=True) above it"


def check_body(kind: type, base: type, *, has_identity: bool) -> None:
    """Checks the body of a class: its id, its fields, and that they hide no attribute that every puzzle has.

    Args:
        kind: The class.
        base: The class of all puzzles.
        has_identity: Whether the class may override the methods of `IDENTITY`.

    Raises:
        PluginError: Something in the class is not as it should be; the message says what to write instead.
    """
    name, body = kind.__name__, vars(kind)
    for field, given in _annotations(kind):
        if field == "id":
            raise PluginError(
                f"{name} annotates id, which makes it a parameter; write id = {body.get('id')!r} without a type"
            )
        if hasattr(base, field):
            raise PluginError(f"{name} has a field named {field}, which every puzzle has; rename the field")
        if parameters.type_name(given) not in ("int", "bool", "str"):
            raise PluginError(f"{name} has the field {field} of type {_shown(given)}; {_instead(given)}")
        default: Any = body.get(field, dataclasses.MISSING)
        metadata: dict[str, Any] = {}
        if isinstance(default, dataclasses.Field):
            default, metadata = default.default, dict(default.metadata)
        if default is dataclasses.MISSING:
            raise PluginError(f"{name} has the field {field} without a default; give it one, as in {field}: int = 3")
        if not parameters.fits(default, parameters.type_name(given), metadata):
            may = parameters.describe_kind(parameters.type_name(given), metadata)
            raise PluginError(f"{name} has the field {field} with the default {default!r}; give {may}")
    if "id" in body:
        check_id(kind)
    if not has_identity:
        _check_identity(kind)
    _check_hidden(kind, base)
    for method in OVERRIDABLE:
        if inspect.isfunction(body.get(method)):
            _check_arguments(name, body[method], vars(base)[method])


def _check_arguments(name: str, own: FunctionType, usual: FunctionType) -> None:
    """Checks that a method can be called as the one that it overrides: it takes `self`, and what stands after it."""
    signature = inspect.signature(usual)
    given = [one for one in signature.parameters.values() if one.kind is one.POSITIONAL_OR_KEYWORD]
    # A scrambler is given by name only if the user names one, but the number of moves always.
    named = {} if own.__name__ != "scramble" else {"moves": None}
    try:
        inspect.signature(own).bind(*given, **named)
    except TypeError:
        empty = inspect.Parameter.empty
        plain = [one.replace(annotation=empty) for one in signature.parameters.values()]
        method, takes = own.__name__, ", ".join(inspect.signature(own).parameters)
        raise PluginError(
            f"{name} defines {method}({takes}), which cannot be called as that of every puzzle is; write def "
            f"{method}{signature.replace(parameters=plain, return_annotation=empty)}"
        ) from None


def _check_hidden(kind: type, base: type) -> None:
    """Checks that a class defines, of the names that every puzzle has, only those that it may override."""
    name, body = kind.__name__, vars(kind)
    for hidden in sorted(set(vars(base)) & set(body)):
        if hidden.startswith("_") and not hidden.endswith("_"):
            raise PluginError(f"{name} defines {hidden}, a name that puzzlekit uses itself; rename it")
        if not hidden.startswith("_") and hidden != "distribution" and _is_hidden(vars(base)[hidden], body[hidden]):
            remedy = "give the start to Rules(start=...)" if hidden == "start" else "rename it"
            raise PluginError(f"{name} has an attribute {hidden}, which hides what every puzzle has there; {remedy}")
        if inspect.isfunction(vars(base)[hidden]) and not hidden.startswith("_") and hidden not in OVERRIDABLE:
            raise PluginError(
                f"{name} defines {hidden}, which only some commands would ask; let the rules say it, or rename it (a "
                f"puzzle may define {', '.join(OVERRIDABLE)})"
            )


def _check_identity(kind: type) -> None:
    for own in IDENTITY:
        if own in vars(kind):
            raise PluginError(
                f"{kind.__name__} defines {own}, which tells puzzles apart by their parameters; remove it"
            )


def check_made(kind: type) -> None:
    """Checks a class while its first puzzle is being made, when its decorators have run.

    Raises:
        PluginError: The class has no id, or is no frozen dataclass.
    """
    check_id(kind)
    name = kind.__name__
    made = getattr(kind, "__dataclass_params__", None)
    if made is None or not made.frozen:
        raise PluginError(f"{name} is no frozen dataclass; {_DECORATE}")
    if "__dataclass_params__" not in vars(kind):
        fields = [field for field, _ in _annotations(kind)]
        if fields:
            raise PluginError(f"{name} has the field {fields[0]}, and is no frozen dataclass itself; {_DECORATE}")


def check_type(kind: type) -> None:
    """Checks all that a puzzle's type alone shows. A plugin that registers the type calls it.

    Raises:
        PluginError: The type has no valid `id`, is no frozen dataclass, or has a field of another type.
    """
    check_made(kind)
    name = kind.__name__
    if "__dataclass_params__" not in kind.__dict__:
        raise PluginError(f"{name} is no frozen dataclass; {_DECORATE}")
    for field in dataclasses.fields(kind):
        if parameters.kind(field) not in ("int", "bool", "str"):
            raise PluginError(f"{name} has the field {field.name} of type {field.type}; use int, bool or str")
    try:
        with plugin_code():
            kind()
    except (Exception, SystemExit) as error:
        raise PluginError(f"{name} cannot be made with its defaults: {one_line(error)}") from error


def summary(kind: type) -> str:
    """The first line of a class's docstring; empty if it has none, or only the signature that a dataclass writes."""
    text = (kind.__doc__ or "").strip()
    return "" if text.startswith(f"{kind.__name__}(") else text.partition("\n")[0]


def made(kind: type[_Made], text: str) -> _Made:
    """Makes a puzzle of a type. `text` is the part of its text id after the colon; if empty, all values are defaults.

    Raises:
        UsageError: The text is nonsense; the message says what may stand there.
    """
    values = parameters.read(kind, kind.id, text) if text else {}
    try:
        with plugin_code():
            return kind(**values)
    except PuzzlekitError:
        raise
    except (Exception, SystemExit) as error:
        raise PluginError(f"{kind.id}: the parameters cannot be checked: {one_line(error)}") from error


def check_id(kind: type) -> None:
    """Checks the id of a class.

    Raises:
        PluginError: The class has no id, or one that is no short name.
    """
    name, given = kind.__name__, getattr(kind, "id", None)
    if given is None:
        raise PluginError(f'{name} has no id; write id = "{_suggested(name)}" in the class')
    if not isinstance(given, str) or not re.fullmatch(r"[a-z][a-z0-9_-]*", given):
        raise PluginError(
            f"{name} has the id {given!r}; give a short name of small letters, digits, - and _, "
            f'such as "{_suggested(given if isinstance(given, str) else name)}"'
        )


def _suggested(name: str) -> str:
    """An id for a class of a given name, as a message suggests it.

    >>> _suggested("BurntPancakes"), _suggested("My puzzle!"), _suggested("15")
    ('burnt-pancakes', 'my-puzzle', 'puzzle-15')
    """
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name)
    words = "-".join(re.findall(r"[a-z0-9]+", apart.lower()))
    return words if re.match("[a-z]", words) else f"puzzle-{words}".rstrip("-")


def _annotations(kind: type) -> Iterator[tuple[str, object]]:
    """The names that become fields of a class, because its body annotates them, with their types."""
    try:
        found: dict[str, Any] = inspect.get_annotations(kind)
    except NameError:  # a type that is not defined yet; `check_type` sees it later
        return
    for name, given in found.items():
        if not re.match(r"(\w+\.)*ClassVar\b", str(given)):
            yield name, given


def _is_hidden(usual: object, given: object) -> bool:
    """Returns `True` if a class replaces an attribute of `Puzzle` by one of another kind.

    A property must stay a property, and a method must stay a method.

    Args:
        usual: The attribute of `Puzzle`.
        given: The attribute of the class.
    """
    computed = (property, cached_property)
    if isinstance(usual, computed):
        return not isinstance(given, computed)
    return isinstance(given, computed) or not (callable(given) or isinstance(given, classmethod | staticmethod))


def _shown(given: object) -> str:
    """The text of a type, as an author writes it."""
    return given.__name__ if isinstance(given, type) and str(given).startswith("<") else str(given)


def _instead(given: object) -> str:
    """Advice for a message: which type to declare instead of one that no parameter can have."""
    if parameters.type_name(given) in ("tuple", "list", "set", "frozenset", "dict"):
        return 'use int, bool or str, such as a text "3-5" that rules takes apart with split("-")'
    if parameters.type_name(given) == "float":
        return "use int, bool or str, such as a whole number of hundredths"
    return "use int, bool or str, with a default such as 0 that stands for none"
