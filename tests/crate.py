"""Reads the Rust source: which files use which, also through re-exports; and its types, parameters and exports."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

Names = tuple[str, ...]

IDENTIFIER = r"[A-Za-z_]\w*"
ITEM = re.compile(
    rf"\b(?:struct|enum|trait|type|fn|const|static|union)\s+(?:mut\s+)?({IDENTIFIER})|macro_rules!\s*({IDENTIFIER})"
)
PATH = re.compile(rf"(?<![\w:])({IDENTIFIER}(?:::{IDENTIFIER})+)")
TYPE = re.compile(
    rf"^(?:pub(?:\([^)]*\))?\s+)?(?:unsafe\s+)?(?:struct|enum|trait|union|type)\s+({IDENTIFIER})", re.MULTILINE
)
FUNCTION = rf"(?:const\s+|unsafe\s+)*\bfn\s+({IDENTIFIER})\s*(?:<[^{{}};]*?>)?\s*\("
TRAIT = re.compile(r"\bpub(?:\([^)]*\))?\s+(?:unsafe\s+)?trait\b[^{;]*\{")
EXPORT = re.compile(rf"\bpub\s+use\s+{IDENTIFIER}(?:::{IDENTIFIER})*::(?:\{{([^}}]*)\}}|({IDENTIFIER}));")
IMPL = re.compile(rf"\bimpl\b\s*(?:<[^{{]*?>\s*)?({IDENTIFIER})(?:<[^{{]*>)?\s*(?:where[^{{]*)?\{{")


def plain(text: str) -> str:
    """Rust source without comments, the content of strings, and modules that are compiled only for tests."""
    text = re.sub(r'r(#*)".*?"\1|b?"(?:\\.|[^"\\])*"', '""', text, flags=re.DOTALL)
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"\bpub\(in [^)]*\)", "pub", text)
    for match in reversed(
        list(re.finditer(r"#\[cfg\((?:all\()?test\b[^\]]*\]\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+\w+\s*", text))
    ):
        end = closing(text, match.end()) if text[match.end()] == "{" else match.end()
        text = text[: match.start()] + text[end + 1 :]
    # For a module within the file, `super` is the file.
    for match in reversed(list(re.finditer(rf"\bmod\s+{IDENTIFIER}\s*\{{", text))):
        end = closing(text, match.end() - 1)
        text = text[: match.end()] + text[match.end() : end].replace("super::", "self::") + text[end:]
    return text


def closing(text: str, opening: int) -> int:
    """The place of the bracket that closes the one at a given place."""
    begins, brackets = text[opening], {"{": r"[{}]", "(": r"[()]"}[text[opening]]
    depth = 0
    for match in re.compile(brackets).finditer(text, opening):
        depth += 1 if match[0] == begins else -1
        if depth == 0:
            return match.start()
    raise ValueError("a bracket is not closed")


def parts(text: str) -> list[str]:
    """The parts of a list that stand between commas outside all brackets."""
    found, depth = [""], 0
    for letter in text.replace("->", "\0"):
        depth += {"(": 1, "[": 1, "{": 1, "<": 1, ")": -1, "]": -1, "}": -1, ">": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return [part.strip().replace("\0", "->") for part in found if part.strip()]


def signatures(text: str) -> Iterator[tuple[str, list[str], str]]:
    """The functions that other files can call: the name, the types of the parameters, and the type of the result."""
    traits = [range(match.end(), closing(text, match.end() - 1)) for match in TRAIT.finditer(text)]
    for match in re.finditer(rf"(\bpub(?:\([^)]*\))?\s+)?{FUNCTION}", text):
        opening = match.end() - 1
        if match[1] or any(opening in trait for trait in traits):
            end = closing(text, opening)
            result = re.match(r"\s*->\s*((?:(?!\bwhere\b)[^{;])*)", text[end + 1 :])
            kinds = [parameter.rpartition(": ")[2] for parameter in parts(text[opening + 1 : end])]
            yield match[2], kinds, result[1].strip() if result else ""


def elements(kind: str) -> list[str]:
    """The types in a tuple, which may be borrowed, optional, or the result of something that can fail; or no types."""
    bare = re.sub(r"^(?:&\s*(?:'\w+\s+)?(?:mut\s+)?|(?:Option|\w*Result)<)*", "", kind)
    return parts(bare[1 : closing(bare, 0)]) if bare.startswith("(") else []


def tuple_parameters(text: str) -> Iterator[str]:
    """The functions that other files can call and that take a tuple of two or more as one parameter."""
    return (name for name, kinds, _ in signatures(text) if any(len(elements(kind)) > 1 for kind in kinds))


def unnamed_results(text: str) -> Iterator[str]:
    """The functions that other files can call and that return a tuple of three or more, or two values of one type."""
    for name, _, result in signatures(text):
        kinds = elements(result)
        if len(kinds) > max(1, len(set(kinds))) or len(kinds) > 2:
            yield name


def exports(text: str) -> set[str]:
    """The names that `lib.rs` exports."""
    return {name.strip() for listed, one in EXPORT.findall(plain(text)) for name in (listed or one).split(",")} - {""}


def unused_exports(lib: str, users: Iterable[str]) -> set[str]:
    """The names that `lib.rs` exports and that none of the given texts uses."""
    used = {word for text in users for word in re.findall(IDENTIFIER, plain(text))}
    return exports(lib) - used


def tree(text: str) -> Iterator[tuple[Names, str]]:
    """The paths that a `use` names, each with the name that it gets. `*` stands for all names."""
    text = text.strip()
    if (brace := text.find("{")) >= 0:
        prefix = tuple(part.strip() for part in text[:brace].rstrip().removesuffix("::").split("::") if part.strip())
        depth, begun = 0, brace + 1
        for at in range(brace + 1, len(text)):
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            if (depth == 0 and text[at] == ",") or depth < 0:
                for path, name in tree(text[begun:at]) if text[begun:at].strip() else ():
                    yield (prefix, prefix[-1]) if path == ("self",) else (prefix + path, name)
                begun = at + 1
        return
    path, _, name = re.sub(r"\s+", " ", text).partition(" as ")
    names = tuple(part.strip() for part in path.split("::"))
    yield names, name or names[-1]


@dataclass
class File:
    """One file: a module of the crate."""

    path: Path
    module: Names
    text: str
    children: set[str] = field(default_factory=set)
    names: dict[str, Names] = field(default_factory=dict)
    """The path from the crate's root that each name in a `use` of this file stands for."""

    @cached_property
    def items(self) -> set[str]:
        """The names that are defined in this file."""
        return {name for pair in ITEM.findall(self.text) for name in pair if name}

    @cached_property
    def words(self) -> set[str]:
        """The names that stand in this file outside its lines `use` and `mod`."""
        return set(re.findall(IDENTIFIER, re.sub(r"\b(?:use|mod)\s+[^;{]+;|\buse\s+[^;]+;", "", self.text)))

    @cached_property
    def types(self) -> set[str]:
        """The names of the types that are defined in this file, apart from those inside functions and traits."""
        return set(TYPE.findall(self.text))


@cache
def crate_in(source: Path) -> Crate:
    """The crate below a folder `src`, which is read once."""
    return Crate(source)


class Crate:
    """The files below a folder `src`, and which files use which."""

    def __init__(self, source: Path) -> None:
        self.files: dict[Names, File] = {}
        for path in sorted(source.rglob("*.rs")):
            parts = path.relative_to(source).with_suffix("").parts
            module = () if parts == ("lib",) else parts[:-1] if parts[-1] == "mod" else parts
            text = plain(path.read_text(encoding="utf-8"))
            self.files[module] = File(path, module, text, set(re.findall(rf"\bmod\s+({IDENTIFIER})\s*;", text)))
        # Once the tests are cut out, a file that no `mod` names is a file of tests.
        self.files = {module: file for module, file in self.files.items() if self._is_named(module)}
        self.uses: dict[Names, set[Names]] = {module: set() for module in self.files}
        found = [(file, path, name) for file in self.files.values() for path, name in self._used(file)]
        for file, path, name in found:
            if name and name not in ("*", "_"):
                file.names[name] = path
        for file, path, name in found:
            # In the file of a folder, a line `pub use child::Name` lists the folder's names. Such a line does not count
            # as a use by the file.
            if name and self._is_list(file, path, name):
                continue
            if (target := self.resolve(path)) is not None and target != file.module:
                self.uses[file.module].add(target)
        self._methods()

    def shared_names(self) -> dict[str, list[str]]:
        """The names that two or more types have, each with the files that define one."""
        homes = defaultdict(list)
        for module, file in self.files.items():
            for name in file.types:
                homes[name].append("/".join(module))
        return {name: sorted(files) for name, files in homes.items() if len(files) > 1}

    def _is_named(self, module: Names) -> bool:
        parent = self.files.get(module[:-1])
        return not module or (parent is not None and module[-1] in parent.children and self._is_named(module[:-1]))

    def _used(self, file: File) -> Iterator[tuple[Names, str]]:
        """Every path in a file that leads into the crate, written from the root, with the name that `use` gives it."""
        uses = list(re.finditer(r"\buse\s+([^;]+);", file.text))
        for match in uses:
            for path, name in tree(match[1]):
                if (whole := self._from_root(file, path)) is not None:
                    yield whole, name
        rest = re.sub(r"\buse\s+[^;]+;", "", file.text)
        for match in PATH.finditer(rest):
            if (whole := self._from_root(file, tuple(match[1].split("::")))) is not None:
                yield whole, ""

    @staticmethod
    def _from_root(file: File, path: Names) -> Names | None:
        at = file.module
        if path[0] == "crate":
            return path[1:]
        if path[0] in ("self", "super"):
            while path and path[0] in ("self", "super"):
                at, path = (at[:-1] if path[0] == "super" else at), path[1:]
            return at + path
        return at + path if path[0] in file.children else None

    def _is_list(self, file: File, path: Names, name: str) -> bool:
        below = path[: len(file.module)] == file.module and len(path) > len(file.module)
        return below and bool(file.children) and name != "*" and name not in file.words

    def resolve(self, path: Names) -> Names | None:
        """The file that defines what a path names; `None` if that is not in the crate."""
        seen: set[Names] = set()
        while path not in seen:
            seen.add(path)
            module = path
            while module not in self.files:
                module = module[:-1]
            file, rest = self.files[module], path[len(module) :]
            if not rest or rest[0] in file.items or rest[0] == "*" or rest[0] not in file.names:
                return module
            path = file.names[rest[0]] + rest[1:]
        return None

    def _methods(self) -> None:
        """Adds methods that are written in another file than their type, and called in the type's file."""
        for file in self.files.values():
            for match in IMPL.finditer(file.text):
                name = match[1]
                if name in file.items or name not in file.names:
                    continue
                home = self.resolve(file.names[name])
                block = file.text[match.end() - 1 : closing(file.text, match.end() - 1)]
                methods = re.findall(rf"\bfn\s+({IDENTIFIER})", block)
                if home is not None and home != file.module:
                    text = self.files[home].text
                    if any(re.search(rf"(?:\.|\b(?:Self|{name})::){method}\b", text) for method in methods):
                        self.uses[home].add(file.module)


def circles(uses: dict[Names, set[Names]]) -> list[list[Names]]:
    """The circles: sets of several files, each of which uses every other, directly or through others (Tarjan)."""
    number: dict[Names, int] = {}
    low: dict[Names, int] = {}
    stack: list[Names] = []
    found: list[list[Names]] = []

    def visit(at: Names) -> None:
        number[at] = low[at] = len(number)
        stack.append(at)
        for target in sorted(uses[at]):
            if target not in number:
                visit(target)
                low[at] = min(low[at], low[target])
            elif target in stack:
                low[at] = min(low[at], number[target])
        if low[at] == number[at]:
            place = stack.index(at)
            if len(stack) - place > 1:
                found.append(sorted(stack[place:]))
            del stack[place:]

    for module in sorted(uses):
        if module not in number:
            visit(module)
    return sorted(found)
