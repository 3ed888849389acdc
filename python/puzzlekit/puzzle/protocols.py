"""The parts of a puzzle that the helpers of this package use, as protocols. Every `Puzzle` has all of them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from puzzlekit.describe.rules import Rules
    from puzzlekit.run.engine import Engine
    from puzzlekit.run.solver import Solver
    from puzzlekit.view.view import View


class Sourced(Protocol):
    """A puzzle that can be kept as data in the folder of a job."""

    @property
    def distribution(self) -> object:
        """The installed distribution that defines the puzzle. Its `str` has the name and the version."""

    def rules(self) -> Rules:
        """The rules."""

    def guide(self) -> str:
        """Returns what a player should know before the first move."""

    def view(self) -> View:
        """The view: how states are drawn, and how moves are made by hand."""


class Playable(Hashable, Protocol):
    """A puzzle whose moves can be made and whose states can be drawn."""

    def read(self, state: str) -> str:
        """A state as puzzlekit writes it."""

    def apply(self, state: str, move: str) -> str:
        """The state after a move."""

    def view(self) -> View:
        """The data with which states are drawn, and moves are made by hand."""


class Solvable(Playable, Protocol):
    """A puzzle that can be solved."""

    @property
    def engine(self) -> Engine:
        """The compiled rules."""

    def rules(self) -> Rules:
        """The rules."""

    def why_unsolvable(self, state: str) -> str | None:
        """Says why no moves lead from a state to the goal, if that is known without a search."""

    def default_solver(self) -> Solver:
        """The solver that is used if none is asked for."""
