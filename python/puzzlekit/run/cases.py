"""The report of the cases of a phase: an algorithm sheet, as text, as CSV, and as a page of pictures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from puzzlekit.describe.sequence import names_joined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STYLE = (
    "body{font-family:system-ui,sans-serif;margin:1.5rem;color:#111;background:#fff}"
    "main{display:flex;flex-wrap:wrap;gap:1.5rem}figure{margin:0;width:10rem}"
    "figure svg{width:100%;height:auto}figcaption p{margin:.2rem 0;overflow-wrap:anywhere}"
    "@media print{figure{break-inside:avoid}}"
)
"""The style of a page of pictures."""


@dataclass(frozen=True)
class Case:
    """A case of a phase: a state with all its images under symmetries, and moves that end the phase from it.

    Attributes:
        state: The state.
        moves: The fewest moves until the phase is done; `None` if no moves lead there.
        states: How many states the case stands for: the state and its images.
    """

    state: str
    moves: tuple[str, ...] | None
    states: int

    @property
    def length(self) -> int | None:
        """The number of moves that the case takes; `None` if no moves lead there."""
        return None if self.moves is None else len(self.moves)

    @property
    def words(self) -> str:
        """The moves in a line, as they are typed."""
        if self.moves is None:
            return "no moves lead there"
        return names_joined(self.moves)


@dataclass(frozen=True)
class CasesReport:
    """The cases of a phase, those that take the fewest moves first.

    Attributes:
        puzzle: The puzzle's text id.
        before: The patterns that are met when the phase begins.
        pattern: The pattern that is met when it is done.
        symmetries: How many symmetries of the rules leave these patterns as they are. States that they carry onto each
            other are one case.
        done: How many states that meet the patterns before meet this one, too. They are no case.
        cases: The cases that are listed.
        total: How many cases there are. If they are more than those that are listed, these take the fewest moves.
        states: How many states all the cases stand for.
        draw: Draws a state as SVG.
    """

    puzzle: str
    before: tuple[str, ...]
    pattern: str
    symmetries: int
    done: int
    cases: tuple[Case, ...]
    total: int
    states: int
    draw: Callable[[str], str] | None = field(default=None, repr=False, compare=False)

    @property
    def title(self) -> str:
        """The number of cases, and what they are about."""
        after = f" after {', '.join(self.before)}" if self.before else ""
        alike = f", up to {self.symmetries} symmetries" if self.symmetries > 1 else ""
        plural = "" if self.total == 1 else "s"
        first = "" if self.left_out == 0 else f"; the first {len(self.cases):,}"
        about = f"{self.puzzle}, {self.pattern}{after}"
        return f"{about}: {self.total:,} case{plural} of {self.states:,} states{alike}{first}"

    @property
    def left_out(self) -> int:
        """The number of cases that are not listed."""
        return self.total - len(self.cases)

    def __str__(self) -> str:
        """The cases as a table."""
        from puzzlekit.run.columns import in_columns

        rows = [[case.state, _shown(case.length), f"{case.states:,}", case.words] for case in self.cases]
        return "\n".join([self.title, "", *in_columns(["case", "moves", "states", "shortest way"], rows, (1, 2))])

    def to_data(self) -> dict[str, Any]:
        """The cases as `puzzlekit survey --cases --json` prints them."""
        return {
            "schema": "puzzlekit.cases/1",
            "puzzle": self.puzzle,
            "before": list(self.before),
            "pattern": self.pattern,
            "symmetries": self.symmetries,
            "done": self.done,
            "total": self.total,
            "states": self.states,
            "cases": [
                {"state": case.state, "length": case.length, "states": case.states, "moves": case.moves}
                for case in self.cases
            ],
        }

    def csv(self) -> str:
        """The cases as CSV: a header, and a line for each case."""
        import csv
        import io

        file = io.StringIO()
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["state", "length", "states", "moves"])
        for case in self.cases:
            lines.writerow([case.state, _shown(case.length), case.states, "" if case.moves is None else case.words])
        return file.getvalue()

    def page(self) -> str:
        """The cases as a page of HTML with a picture of each, which needs no other file."""
        return "".join(self.parts_of_page())

    def parts_of_page(self) -> Iterator[str]:
        """The page in parts, so that it need not be held as a whole: its head, a part for each case, and its end."""
        from puzzlekit.draw.html import text

        head = f'<meta charset="utf-8">{text(self.title, "title")}<style>{STYLE}</style>'
        yield f'<!doctype html>\n<html lang="en"><head>{head}</head><body>{text(self.title, "h1")}<main>\n'
        for case in self.cases:
            moves = "" if case.length is None else text("1 move" if case.length == 1 else f"{case.length} moves")
            picture = "" if self.draw is None else self.draw(case.state)
            yield f"<figure>{picture}<figcaption>{text(case.words, 'p')}{moves}</figcaption></figure>\n"
        yield "</main></body></html>\n"


def _shown(number: int | None) -> str:
    return "" if number is None else str(number)
