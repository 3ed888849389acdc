"""Writes the moves between the states of a job to a file: CSV, npy, JSON, DOT, GraphML or Parquet."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from puzzlekit.errors import DiskError, JobError, UsageError
from puzzlekit.jobs.edges import write_csv, write_npy
from puzzlekit.jobs.transitions import Transitions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedWriter

    from puzzlekit.jobs.transitions import Tabled
    from puzzlekit.run.watch import Watch

MOST = {"dot": 20_000, "json": 1_000_000, "graphml": 1_000_000, "parquet": 2**40}
"""The formats with the texts of states, and the most moves that each may hold. Programs that read texts take no
more."""


def write(to: str, form: str, job: Tabled, *, memory: int | str | None = None, watch: Watch | None = None) -> int:
    """Writes the moves of a job to a new file, and returns how many there are. The file gets its name when it is whole.

    Raises:
        UsageError: There is no such format.
        JobError: The file is there already.
        DiskError: The file cannot be written.
    """
    if form not in ("csv", "npy", *MOST):
        raise UsageError(f"moves are not written as {form!r}; give one of csv, npy, {', '.join(MOST)}")
    if os.path.lexists(to):
        raise JobError(f"{to} is there already; give the name of a new file")
    part = f"{to}.{os.getpid()}.part"
    try:
        try:
            with open(part, "xb") as file:
                if form in MOST:
                    count = write_graph(file, form, Transitions.of_job(job, memory=memory, watch=watch))
                elif form == "csv":
                    count = write_csv(file, job.edges(memory=memory, watch=watch))
                else:
                    count = write_npy(file, job.edges(memory=memory, watch=watch), job.puzzle.engine.move_names)
                file.flush()
                os.fsync(file.fileno())
            os.rename(part, to)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(part)
    except OSError as error:
        raise DiskError(f"{to} cannot be written: {error.strerror or error}; give another place") from error
    return count


def write_graph(file: BufferedWriter, form: str, graph: Transitions) -> int:
    """Writes a graph to a file, and returns how many moves it has.

    Raises:
        UsageError: The graph has more moves than the format may hold, or a library is not installed.
    """
    count = len(graph.successors)
    if count > MOST[form]:
        raise UsageError(f"there are {count:,} moves, and {form} is for {MOST[form]:,} at most; write parquet or csv")
    if form == "parquet":
        _write_parquet(file, graph)
    else:
        pieces = {"json": _json, "dot": _dot, "graphml": _graphml}[form](graph)
        file.writelines(piece.encode() for piece in pieces)
    return count


def _nodes(graph: Transitions) -> Iterator[dict[str, Any]]:
    columns = graph.texts(), graph.depths.tolist(), graph.over.tolist()
    for number, (text, depth, over) in enumerate(zip(*columns, strict=True)):
        yield {"id": number, "text": text, "depth": depth, "over": over}


def _json(graph: Transitions) -> Iterator[str]:
    """The JSON that `networkx.node_link_graph` and d3 read: a list of nodes and a list of edges. It comes in parts."""
    head = {"schema": "puzzlekit.graph/1", "puzzle": str(graph.puzzle), "directed": True, "multigraph": True}
    yield json.dumps(head, ensure_ascii=False)[:-1] + ', "graph": {}, "nodes": [\n'
    yield ",\n".join(json.dumps(node, ensure_ascii=False) for node in _nodes(graph))
    yield '\n], "edges": [\n'
    edges = ({"source": edge.state, "target": edge.successor, "move": edge.move} for edge in graph.edges())
    yield ",\n".join(json.dumps({**edge, "key": key}, ensure_ascii=False) for key, edge in enumerate(edges))
    yield "\n]}\n"


def _dot(graph: Transitions) -> Iterator[str]:
    def quoted(text: str) -> str:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    yield f"digraph {quoted(str(graph.puzzle))} {{\n"
    for node in _nodes(graph):
        shape = ", shape=doublecircle" if node["over"] else ""
        yield f"  {node['id']} [label={quoted(node['text'])}{shape}];\n"
    for edge in graph.edges():
        yield f"  {edge.state} -> {edge.successor} [label={quoted(edge.move)}];\n"
    yield "}\n"


def _graphml(graph: Transitions) -> Iterator[str]:
    from xml.sax.saxutils import escape

    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for name, what, kind in (
        ("text", "node", "string"),
        ("depth", "node", "int"),
        ("over", "node", "boolean"),
        ("move", "edge", "string"),
    ):
        yield f'<key id="{name}" for="{what}" attr.name="{name}" attr.type="{kind}"/>\n'
    yield '<graph edgedefault="directed">\n'
    for node in _nodes(graph):
        over = "true" if node["over"] else "false"
        yield f'<node id="{node["id"]}"><data key="text">{escape(node["text"])}</data>'
        yield f'<data key="depth">{node["depth"]}</data><data key="over">{over}</data></node>\n'
    for number, edge in enumerate(graph.edges()):
        yield f'<edge id="{number}" source="{edge.state}" target="{edge.successor}">'
        yield f'<data key="move">{escape(edge.move)}</data></edge>\n'
    yield "</graph>\n</graphml>\n"


def _write_parquet(file: BufferedWriter, graph: Transitions) -> None:
    """Writes a row for each move: the numbers and the texts of both states, and the name of the move."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ModuleNotFoundError:
        raise UsageError(
            "moves are written as parquet by pyarrow, which is not installed; pip install pyarrow"
        ) from None
    import numpy as np

    sources = np.repeat(np.arange(len(graph)), np.diff(graph.indptr))
    texts, names = pyarrow.array(graph.texts()), pyarrow.array(graph.names)
    columns = {
        "state": pyarrow.array(sources.astype(np.uint64)),
        "move": names.take(pyarrow.array(graph.moves)),
        "successor": pyarrow.array(graph.successors.astype(np.uint64)),
        "state_text": texts.take(pyarrow.array(sources)),
        "successor_text": texts.take(pyarrow.array(graph.successors)),
    }
    parquet.write_table(pyarrow.table(columns), file)
