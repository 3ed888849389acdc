"""Runs the cells of docs/notebook.ipynb as Jupyter does; `python -m tests.notebook` writes what they show."""

import ast
import contextlib
import io
import json
import re
from pathlib import Path

PATH = Path(__file__).parent.parent / "docs" / "notebook.ipynb"


def steady(text):
    """A text without the seconds that a run took, which differ from time to time."""
    return re.sub(r"\d+\.\d+ s\b", "0.001 s", text)


def run(source, names):
    """Runs a cell, and returns what it prints and what its last line shows."""
    body = ast.parse(source).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    printed, outputs = io.StringIO(), []
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())})
    if value is not None:
        data = {"text/plain": lines(repr(value))}
        for kind, method in (("text/html", "_repr_html_"), ("image/svg+xml", "_repr_svg_")):
            if hasattr(value, method):
                data = {kind: lines(getattr(value, method)()), "text/plain": [f"<{type(value).__name__}>"]}
        outputs.append({"data": data, "execution_count": None, "metadata": {}, "output_type": "execute_result"})
    return outputs


def lines(text):
    return steady(text).splitlines(keepends=True)


def executed(notebook):
    """A notebook with the outputs of all its cells."""
    names = {"__name__": "__main__"}
    cells = [
        cell | {"outputs": run("".join(cell["source"]), names), "execution_count": None}
        if cell["cell_type"] == "code"
        else cell
        for cell in notebook["cells"]
    ]
    return notebook | {"cells": cells}


def text(notebook):
    """The text of the file."""
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    PATH.write_text(text(executed(json.loads(PATH.read_text(encoding="utf-8")))), encoding="utf-8")
