"""Checks what the article says of the staged solver, over all 362,880 boards: `python -m puzzlekit_rotation.claims`."""

from __future__ import annotations

from dataclasses import dataclass

import puzzlekit
from puzzlekit_rotation.staged import MATRICES, staged

CLAIMED = {1: 4, 2: 3, 3: 10, 7: 3, 8: 5, 9: 7, 5: 8, 4: 13}
"""The article's figures: the most turns of each stage. They add up to 53."""

CLAIMED_CASES = 44
"""The article's number of cases: over all stages, the places at which the number of the stage may be."""


PHASES = {
    1: "1??/???/???",
    2: "?2?/???/???",
    3: "??3/???/???",
    7: "???/???/7??",
    8: "???/???/?8?",
    9: "???/???/??9",
    5: "???/?5?/???",
    4: "???/4??/???",
}
"""For each stage, its pattern. A stage has to make a board that fits its own pattern and those of the stages before."""


@dataclass(frozen=True)
class Figures:
    """The figures of the staged solver, over all boards.

    Attributes:
        most: The most turns of each stage, by its number.
        needed: For each stage, the turns that its hardest board needs if the stage is done optimally, with any turns.
        lengths: For each number of turns, how many boards the staged solver solves with it.
        worst: The boards that take the staged solver the most turns, sorted.
        fewest: For each number of turns, how many boards have it as their optimum.
        optimal: How many boards the staged solver solves with the fewest turns that are possible.
    """

    most: dict[int, int]
    needed: dict[int, int]
    lengths: dict[int, int]
    worst: list[str]
    fewest: dict[int, int]
    optimal: int

    @property
    def over(self) -> int:
        """The number of boards that take more turns than the article says that any board takes."""
        return sum(boards for turns, boards in self.lengths.items() if turns > sum(CLAIMED.values()))


def cases() -> int:
    """The number of places, over all stages, in which the number of the stage may be."""
    return sum(word != "-" for matrix in MATRICES.values() for word in matrix.replace("/", " ").split())


def matrices() -> str:
    """The decision matrices, as in the README: the word for each place, or - if the number cannot be there."""
    lines = []
    for number, matrix in MATRICES.items():
        width = max(map(len, matrix.split()))
        for row, words in enumerate(matrix.split("/")):
            name = f"D({number}) =" if row == 1 else ""
            lines.append(f"{name:6}  {'  '.join(f'{word:{width}}' for word in words.split())}".rstrip())
        lines.append("")
    return "\n".join(lines[:-1])


def table(figures: Figures) -> str:
    """The table of the README: for each stage the true figure, the article's, and the turns that are needed at best."""
    rows = [
        "| stage | most turns | the article says | needed at best |",
        "|---|---|---|---|",
        *(
            f"| {number} | {marked(figures.most[number], claimed)} | {claimed} | {figures.needed[number]} |"
            for number, claimed in CLAIMED.items()
        ),
    ]
    most, claimed, needed = (sum(each.values()) for each in (figures.most, CLAIMED, figures.needed))
    return "\n".join([*rows, f"| sum | {marked(most, claimed)} | {claimed} | {needed} |"])


def marked(number: int, claimed: int) -> str:
    """A number, in bold if the article has another one."""
    return str(number) if number == claimed else f"**{number}**"


def survey() -> puzzlekit.SurveyReport:
    """Surveys all boards: the staged solver's turns, the fewest turns, and the turns that each stage needs at best."""
    return puzzlekit.survey(puzzlekit.load("rotation"), staged, phases=PHASES.values(), listed=1000)


def measure() -> Figures:
    """The figures of a survey of all boards."""
    return figures_of(survey())


def figures_of(report: puzzlekit.SurveyReport) -> Figures:
    """The figures of a survey."""
    assert report.lengths is not None
    assert report.fewest is not None
    assert report.excess is not None
    return Figures(
        most={int(stage.name): stage.lengths.worst or 0 for stage in report.stages},
        needed={number: phase.lengths.worst or 0 for number, phase in zip(PHASES, report.phases, strict=True)},
        lengths=dict(report.lengths.counts),
        worst=sorted(report.lengths.worst_states),
        fewest=dict(report.fewest.counts),
        optimal=report.excess.counts[0],
    )


def mean(counts: dict[int, int]) -> float:
    """The mean of numbers, given how often each occurs."""
    return sum(number * times for number, times in counts.items()) / sum(counts.values())


def main() -> None:
    """Prints the true figures beside the article's, and the optimum beside both."""
    figures = measure()
    print(matrices())  # noqa: T201
    print(f"\ncases: {cases()} (the article says {CLAIMED_CASES})\n")  # noqa: T201
    print(table(figures))  # noqa: T201
    line = f"\nover all boards: at most {max(figures.lengths)} turns, {mean(figures.lengths):.3f} on average"
    print(line)  # noqa: T201
    print(f"optimal:         at most {max(figures.fewest)} turns, {mean(figures.fewest):.3f} on average")  # noqa: T201
    print(f"{len(figures.worst)} boards take the most turns: {' '.join(figures.worst)}")  # noqa: T201
    print(f"{figures.over:,} boards take more than {sum(CLAIMED.values())} turns")  # noqa: T201
    print(f"on {figures.optimal:,} boards no fewer turns do than the stages take")  # noqa: T201


if __name__ == "__main__":
    main()
