"""The reference of the Python API as Markdown, from the docstrings. `.ci/pages.py` puts it into the site."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
from functools import cached_property
from typing import Any

import puzzlekit

TOPICS = {
    "describing": ("Describing puzzles", ["describe", "puzzle", "view", "draw"]),
    "running": ("Reports, solutions, solvers and scramblers", ["run"]),
    "plugins": ("Loading, plugins and jobs", ["plugins", "jobs", "proof", "shards", "play"]),
    "errors": ("Errors", ["errors"]),
    "testing": ("Tests for authors", ["testing"]),
}
"""For each page: its title, and the folders and modules of the package whose public names the page has."""

SECTIONS = {"Args": "Arguments", "Attributes": "Attributes", "Raises": "Raises", "Returns": "Returns"}


class _Annotation(str):
    """An annotation that was written as text, shown without quotation marks."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def names() -> dict[str, dict[str, Any]]:
    """The public objects of each page, by name."""
    found: dict[str, dict[str, Any]] = {topic: {} for topic in TOPICS}
    rooms = {name: home.partition(".")[0] for name, home in puzzlekit._HOME.items()}
    places = {room: topic for topic, (_, within) in TOPICS.items() for room in within}
    for name in puzzlekit.__all__:
        if inspect.ismodule(getattr(puzzlekit, name)):
            found[places[name]] |= _public(f"puzzlekit.{name}")
        else:
            found[places[rooms[name]]][name] = getattr(puzzlekit, name)
    found["testing"] |= _public("puzzlekit.testing")
    return found


def _public(module: str) -> dict[str, Any]:
    """The classes and functions of a module that is public as a whole."""
    given = importlib.import_module(module)
    listed = getattr(given, "__all__", None) or [
        name for name, thing in vars(given).items() if getattr(thing, "__module__", "") == module
    ]
    return {f"{module.partition('.')[2]}.{name}": getattr(given, name) for name in listed if not name.startswith("_")}


def _signature(name: str, thing: Any) -> str:  # noqa: ANN401 - anything that can be called
    """The signature as code, with a line for each parameter if it is long."""
    signature = inspect.signature(thing)
    given = [
        parameter.replace(annotation=_Annotation(parameter.annotation))
        if isinstance(parameter.annotation, str)
        else parameter
        for parameter in signature.parameters.values()
        if parameter.name not in ("self", "cls")
    ]
    returned = inspect.Signature.empty if inspect.isclass(thing) else signature.return_annotation
    signature = signature.replace(
        parameters=given, return_annotation=_Annotation(returned) if isinstance(returned, str) else returned
    )
    line = f"{name}{signature}"
    if len(line) <= 100:
        return line
    star = [str(inspect.Signature([one]))[1:-1] for one in given]
    keywords = next((at for at, one in enumerate(given) if one.kind is one.KEYWORD_ONLY), None)
    if keywords is not None:
        star = [*star[:keywords], "*", *(text.removeprefix("*, ") for text in star[keywords:])]
    end = "" if returned is inspect.Signature.empty else f" -> {signature.return_annotation}"
    return "\n".join([f"{name}(", *(f"    {text}," for text in star), f"){end}"])


def _anchor(name: str) -> str:
    """The anchor of a heading, as Python-Markdown makes it from a name with dots."""
    return name.lower().replace(".", "")


def _entries(block: list[str]) -> list[str]:
    """The entries of a section of a docstring, each with its name, as items of a list."""
    items: list[str] = []
    for line in block:
        if line.startswith(" ") or not (found := re.match(r"(\*{0,2}[\w.]+): (.*)", line)):
            items[-1:] = [f"{items[-1]} {line.strip()}"] if items else [line.strip()]
        else:
            items.append(f"- `{found[1]}`: {found[2]}")
    return items


def _markdown(text: str) -> list[str]:
    """A docstring in the style of Google as Markdown: sections become lists, and examples blocks of code."""
    lines = inspect.cleandoc(text).splitlines()
    out: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        section = SECTIONS.get(line.rstrip(":")) if line.endswith(":") else None
        end = at + 1
        if section:
            while end < len(lines) and (not lines[end] or lines[end].startswith(" ")):
                end += 1
            block = [each.removeprefix("    ") for each in lines[at + 1 : end] if each]
            out += ["", f"**{section}**", "", *_entries(block), ""]
        elif line.startswith(">>> "):
            while end < len(lines) and lines[end]:
                end += 1
            out += ["", "```pycon", *lines[at:end], "```", ""]
        else:
            out.append(line)
        at = end
    return out


def _members(kind: type) -> dict[str, Any]:
    """The public methods and properties that a class defines itself."""
    found = {}
    for name, member in vars(kind).items():
        inner = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        if not name.startswith("_") and (inspect.isfunction(inner) or isinstance(inner, property | cached_property)):
            found[name] = inner
    return found


def _one(name: str, thing: Any, level: int = 2) -> list[str]:  # noqa: ANN401 - any public thing
    """The text about one name, and about its members if it is a class."""
    out = [f"{'#' * level} `{name}`", ""]
    plain = isinstance(thing, property | cached_property) or not callable(thing)
    errors = inspect.isclass(thing) and issubclass(thing, BaseException)
    if not plain and not errors and (not inspect.isclass(thing) or dataclasses.is_dataclass(thing)):
        out += ["```python", _signature(name.rpartition(".")[2], thing), "```", ""]
    documented = inspect.isclass(thing) or inspect.isfunction(thing) or isinstance(thing, property | cached_property)
    out += _markdown(thing.__doc__ or "") if documented else [f"`{thing}`".replace("collections.abc.", "")]
    out.append("")
    if inspect.isclass(thing):
        for inner, member in _members(thing).items():
            out += _one(f"{name}.{inner}", member, level + 1)
    return out


def pages() -> dict[str, str]:
    """The pages of the reference by the names of their files."""
    found = names()
    places = {name: topic for topic, things in found.items() for name in things}

    def linked(match: re.Match[str]) -> str:
        name = match[1].removeprefix("puzzlekit.")
        topic = places.get(name) or places.get(name.partition(".")[0])
        thing = found[topic].get(name.partition(".")[0]) if topic else None
        known = name in places or (inspect.isclass(thing) and name.partition(".")[2] in _members(thing))
        return f"[`{match[1]}`]({topic}.md#{_anchor(name)})" if topic and known else match[0]

    written = {}
    for topic, (title, _) in TOPICS.items():
        lines = [f"# {title}", ""]
        for name, thing in found[topic].items():
            lines += _one(name, thing)
        # Names become links everywhere but in blocks of code.
        parts = re.split(r"(^```.*?^```$)", "\n".join(lines), flags=re.MULTILINE | re.DOTALL)
        parts[::2] = [re.sub(r"(?<![\[#] )(?<!\[)`([\w.]+)`", linked, part) for part in parts[::2]]
        written[f"{topic}.md"] = re.sub(r"\n{3,}", "\n\n", "".join(parts)).rstrip() + "\n"
    lines = ["# Reference", "", "Every public name of the package `puzzlekit`, from its docstring.", ""]
    for topic, (title, _) in TOPICS.items():
        listed = ", ".join(f"[`{name}`]({topic}.md#{_anchor(name)})" for name in found[topic])
        lines.append(f"- [{title}]({topic}.md): {listed}")
    written["README.md"] = "\n".join([*lines, ""])
    return written
