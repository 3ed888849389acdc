"""`puzzlekit info`: describes a puzzle without searching it: its parameters, size, symmetries and moves."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import typer

from puzzlekit.cli.options import JsonOption, PuzzleArgument
from puzzlekit.cli.output import Settings, print_json, print_line
from puzzlekit.describe.sequence import names_joined
from puzzlekit.puzzle.declaration import summary
from puzzlekit.run import overridable

if TYPE_CHECKING:
    from puzzlekit.run.symmetries import SymmetryReport


MOST_NAMES = 10
"""The most names of moves that are shown."""


def run(
    context: typer.Context,
    puzzle_id: PuzzleArgument,
    as_json: JsonOption = False,
) -> None:
    """Describe a puzzle: its parameters, size, symmetries and moves.

    Examples:
        puzzlekit info slider:4,4  # the 15-puzzle: its size, symmetries and solvers
        puzzlekit info ./mine.py  # a puzzle of your own
    """
    from puzzlekit.describe import parameters
    from puzzlekit.describe.aims import aims
    from puzzlekit.describe.oddities import oddities
    from puzzlekit.run.symmetries import declared_order, found_symmetries

    settings: Settings = context.obj
    plugins = settings.plugins()
    puzzle = plugins.parse(puzzle_id)
    engine = puzzle.engine
    found, rules = found_symmetries(engine), json.loads(engine.rules_json)
    fields = [
        {"name": field.name, "value": getattr(puzzle, field.name), "takes": parameters.describe(field),
         "help": field.metadata.get("help", "")}
        for field in dataclasses.fields(puzzle)  # type: ignore[arg-type]
    ]  # fmt: skip
    number = overridable.number(puzzle, puzzle.start)
    data: dict[str, Any] = {
        "schema": "puzzlekit.info/1",
        "puzzle": str(puzzle),
        "summary": summary(type(puzzle)),
        "parameters": fields,
        "start": puzzle.start,
        "goal": engine.goal,
        "start_number": None if number is None else str(number),
        "cells": engine.notation.cells,
        "symbols": list(engine.notation.symbols),
        "players": list(engine.notation.players),
        "moves": len(engine.move_names),
        "move_names": list(dict.fromkeys(engine.move_names)),
        "symmetry_order": engine.symmetry_order,
        "symmetries": {
            "declared": None if engine.seeks_symmetries else engine.symmetry_order,
            "found": found.elements,
            "whole": found.whole and found.whole * found.elements // found.order,
            "declared_keeping_turn": declared_order(engine),
            "found_keeping_turn": found.order,
        },
        "graph": engine.window,
        "tiers": engine.tiers,
        "never_repeats": engine.never_repeats,
        "solvers": list(plugins.solvers(puzzle)),
        "scramblers": list(plugins.scramblers(puzzle)),
        "reachable": overridable.count_reachable(puzzle),
        "toggles": engine.toggles and dict(zip(("rank", "nullity"), engine.toggles, strict=True)),
        "dials": engine.dials and dict(zip(("modulus", "rank", "nullity"), engine.dials, strict=True)),
        "word_bits": engine.word_bits,
        "guide": overridable.guide(puzzle),
        "notes": oddities(rules),
    }
    if as_json:
        print_json(data)
        return
    print_line(": ".join(filter(None, (data["puzzle"], data["summary"]))))
    _print_parameters(fields)
    print_line(f"start       {data['start']}")
    for aim in [] if data["players"] else aims(rules, engine.notation.row_lengths, engine.goal):
        print_line(f"goal        {aim.removeprefix('Goal: ')}")
    if data["start_number"] is not None:
        print_line(f"number      {data['start_number']} is the start; play and scramble take others with --number")
    print_line(f"cells       {data['cells']}, each one of {' '.join(data['symbols'])}")
    if data["players"]:
        print_line(f"players     {' and '.join(data['players'])}, who take turns")
    named = ", named " if data["move_names"] else ""
    shown = names_joined(data["move_names"][:MOST_NAMES])
    more = " ..." if len(data["move_names"]) > MOST_NAMES else ""
    print_line(f"moves       {data['moves']}{named}{shown}{more}")
    print_line(f"symmetries  {_symmetries(declared_order(engine), found)}")
    once = "; play cannot come back to a state" if data["never_repeats"] and data["graph"] != "layered" else ""
    print_line(f"graph       {_GRAPHS[data['graph']]}{once}")
    if data["tiers"] > 1 and data["graph"] != "layered":
        print_line(f"tiers       {data['tiers']:,}, each of which play leaves for good")
    if data["reachable"]:
        why = ", the order of the group of the moves" if engine.group_order == data["reachable"] else ""
        print_line(f"reachable   {data['reachable']:,} states{why}")
    if data["toggles"]:
        rank, nullity = data["toggles"].values()
        print_line(f"toggles     {rank} independent moves; 2^{nullity} combinations of moves change nothing")
    if data["dials"]:
        modulus, rank, nullity = data["dials"].values()
        print_line(
            f"dials       of {modulus} symbols; {rank} independent moves; "
            f"{modulus}^{nullity} combinations of moves change nothing"
        )
    print_line(f"solvers     {' '.join(data['solvers'])}")
    print_line(f"scramblers  {' '.join(data['scramblers'])}")
    print_line(f"packed      {data['word_bits']} bits a state")
    for note in data["notes"]:
        print_line(f"note        {note}")
    for line in ("", *data["guide"].splitlines()) if data["guide"] else ():
        print_line(line)


def _print_parameters(fields: list[dict[str, Any]]) -> None:
    if fields:
        print_line()
    for field in fields:
        value = '""' if field["value"] == "" else field["value"]
        print_line(f"  {field['name']} = {value}  ({field['takes']}) {field['help']}".rstrip())
    print_line()


def _symmetries(declared: int | None, found: SymmetryReport) -> str:
    """The numbers of declared and found symmetries, in words. Those that swap the players are counted separately."""
    every = "more than 38 digits" if found.whole is None else f"{found.whole:,}"
    kept = "" if found.whole == found.order else f" and kept, of {every}"
    swaps = "; as many again swap the players, which enumerate does not use" if found.swaps_players else ""
    given = ""
    if declared is not None and declared > 1:
        given = f"{declared:,} declared, "
    elif declared == 1 and not found.swaps_players:  # otherwise some that swap the players may be declared
        given = "none declared, "
    return f"{given}{found.order:,} found{kept}{swaps}"


_GRAPHS = {
    "layered": "layered: a state tells how many moves led to it",
    "inverse-closed": "inverse-closed: every move can be taken back by a move",
    "directed": "directed: not every move can be taken back",
}
