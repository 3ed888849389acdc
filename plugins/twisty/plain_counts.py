"""Counts the states of `.tws` files at each depth, in plain Python: neither the engine nor the reader is used.

    python plugins/twisty/plain_counts.py FOLDER

prints a line for each file below a folder: its name and the states at its first depths, as `samples.txt` has them.
docs/definitions.md describes the grammar. Faults are not looked for.
"""

from __future__ import annotations

import re
import sys
from functools import reduce
from pathlib import Path
from typing import Any

MOST_WORK = 5_000_000
"""A depth is counted if the moves from the depth before have no more pieces to put than this."""

MOST_DEPTHS = 16

Effect = tuple[tuple[int, int], ...]
"""For each place of all sets together: the place from which its piece comes, and how far the piece is turned."""


class Plain:
    """A definition as a list of places, whatever set they are of. A piece is a number, and so is how it is turned."""

    def __init__(self, text: str) -> None:
        self.first: dict[str, int] = {}
        self.turns: list[int] = []
        self.start: list[tuple[str, int]] = []
        self.loose: set[str] = set()
        self.moves: dict[str, Effect] = {}
        self.barred: list[tuple[int, set[str]]] = []
        lines = [line.split() for line in text.splitlines() if not line.startswith("#")]
        lines = [words for words in lines if words]
        sequences: list[tuple[str, list[str]]] = []
        while lines:
            keyword, *words = lines.pop(0)
            if keyword == "Set":
                self.first[words[0]] = len(self.turns)
                self.start += [(f"{words[0]} {number}", 0) for number in range(int(words[1]))]
                self.turns += [int(words[2])] * int(words[1])
            elif keyword in ("Solved", "StartState", "Move", "MoveTransformation"):
                rows: list[list[str]] = []
                while lines[0] != ["End"]:
                    rows.append(lines.pop(0))
                lines.pop(0)
                old = keyword in ("Solved", "Move")
                if keyword in ("Solved", "StartState"):
                    self._fill(rows, int(old))
                else:
                    self.moves[words[0]] = self._effect(rows, int(old))
            elif keyword in ("MoveAlias", "MoveSequence"):
                # An alias is a name for a turn, and no move of its own. It is put where no other rule finds it.
                name = words[0] if keyword == "MoveSequence" else f"alias {words[0]}"
                sequences.append((name, [step for word in words[1:] for step in word.split(",")]))
            elif keyword == "Illegal":
                pieces = {f"{words[0]} {int(word) - 1}" for word in words[2:]}
                self.barred.append((self.first[words[0]] + int(words[1]) - 1, pieces))
        while sequences:  # they may use each other, in any order
            name, steps = sequences.pop(0)
            effects = [self._step(step) for step in steps]
            if None in effects:
                sequences.append((name, steps))
            else:
                self.moves[name] = reduce(self.after, effects, self.nothing)

    @property
    def nothing(self) -> Effect:
        """The effect that changes nothing."""
        return tuple((place, 0) for place in range(len(self.turns)))

    def _sets(self, rows: list[list[str]]) -> list[tuple[str, list[str], list[str]]]:
        """For each set that is named: its name, its first line of numbers and its second one; zeros if it has none."""
        found: list[list[list[str]]] = []
        for row in rows:
            if row[0] in self.first:
                found.append([row])
            else:
                found[-1].append(row)
        return [(each[0][0], each[1], (each[2:] or [["0"] * len(each[1])])[0]) for each in found if len(each) > 1]

    def _fill(self, rows: list[list[str]], least: int) -> None:
        for name, pieces, twists in self._sets(rows):
            for place, (piece, twist) in enumerate(zip(pieces, twists, strict=True)):
                called = f"{name} {int(piece) - least}"
                self.start[self.first[name] + place] = (called, 0 if twist == "?" else int(twist))
                self.loose |= {called} if twist == "?" else set()

    def _effect(self, rows: list[list[str]], old: int) -> Effect:
        made = list(self.nothing)
        for name, sources, twists in self._sets(rows):
            for place, source in enumerate(int(number) - old for number in sources):
                # The older convention tells the twist at the place from which the piece comes.
                twist = int(twists[source if old else place])
                made[self.first[name] + place] = (self.first[name] + source, twist)
        return tuple(made)

    def after(self, first: Effect, then: Effect) -> Effect:
        """The first effect, and the second one after it."""
        return tuple(
            (first[source][0], (first[source][1] + twist) % self.turns[place])
            for place, (source, twist) in enumerate(then)
        )

    def powers(self, made: Effect) -> list[Effect]:
        """The effect made once, twice, and so on, until nothing has changed."""
        found = [made]
        while (more := self.after(found[-1], made)) != self.after(self.nothing, self.nothing):
            found.append(more)
        return found

    def _step(self, word: str) -> Any:  # noqa: ANN401 - an effect, or nothing yet
        """The effect of a word such as U, U2 or U2'; `None` if its move is not known yet."""
        for name, times, back in ((word, "", ""), *re.findall(r"^(.*?)(\d*)('?)$", word)):
            made = self.moves.get(name, self.moves.get(f"alias {name}"))
            if made is not None:
                powers = [self.nothing, *self.powers(made)]
                return powers[(-1 if back else 1) * int(times or 1) % len(powers)]
        return None

    def counts(self) -> list[int]:
        """The number of states of each depth, as far as they are soon counted."""
        pieces = sorted({piece for piece, _ in self.start})
        number = {piece: place for place, piece in enumerate(pieces)}
        widest = max(self.turns)
        # A piece with its twist is one number, and turned[twist][number] is what it becomes.
        turned = [list(range(len(pieces) * widest)) for _ in range(widest)]
        for (piece, _), turns in zip(self.start, self.turns, strict=True):
            for twist in range(widest):
                for now in range(turns if piece not in self.loose else 0):
                    turned[twist][number[piece] * widest + now] = number[piece] * widest + (now + twist) % turns
        wrong = [
            (place, {number[piece] * widest + twist for piece in barred for twist in range(widest)})
            for place, barred in self.barred
        ]
        rotation = re.compile(r"[xyz]|[A-Z_]+v|alias .*")
        effects = {
            power
            for name, made in self.moves.items()
            if not rotation.fullmatch(name) and self.after(made, self.nothing) != self.nothing
            for power in self.powers(made)
        }
        steps = [[(source, turned[twist]) for source, twist in made] for made in effects]
        start = tuple(number[piece] * widest + twist for piece, twist in self.start)
        found, frontier, seen = [1], {start}, {start}
        while len(frontier) * len(steps) * len(start) <= MOST_WORK and len(found) < MOST_DEPTHS:
            fresh = {tuple([turn[state[source]] for source, turn in step]) for state in frontier for step in steps}
            fresh = {state for state in fresh - seen if not any(state[place] in held for place, held in wrong)}
            if not fresh:
                break
            seen |= fresh
            frontier = fresh
            found.append(len(fresh))
        return found


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for path in sorted(folder.rglob("*.tws")):
        plain = Plain(path.read_text(encoding="utf-8"))
        sys.stdout.write(f"{path.relative_to(folder).as_posix()} | {', '.join(map(str, plain.counts()))}\n")
        sys.stdout.flush()
