"""Writes docs/web-api.md from the tables with which the server checks requests; `make docs` calls it."""

from __future__ import annotations

import sys
import textwrap

from puzzlekit.web.request_fields import VERBS, Verb


def item(text: str) -> str:
    """An item of a list, in lines that are not too long."""
    return textwrap.fill(f"- {text}", 118, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def section(name: str, verb: Verb) -> str:
    """The section about one verb."""
    asked = [
        item(f"`{field}`{'' if each.required else ', optional'}: {each.takes}. {each.help}")
        for field, each in verb.fields.items()
    ]
    wait = " It may search, and tells its progress if asked to." if verb.long else ""
    return "\n".join(
        [
            f"## `{name}`\n",
            f"{textwrap.fill(verb.summary + wait, 118)}\n",
            *asked,
            f"\nThe answer has the schema `{verb.schema}`, and:\n",
            *(item(f"`{key}`: {words}") for key, words in verb.answer.items()),
            "",
        ]
    )


def page() -> str:
    """The whole page."""
    return "\n".join(
        [
            "# The interface of the page\n",
            "This page is generated from the tables that check requests, by `make docs`.\n",
            "The [page](serve.md) asks its server in JSON. Each verb is a POST to `/api/VERB` with an object of the",
            "type `application/json`. Nothing is kept between two requests. [Safety](serve.md#safety) and",
            "[what it may cost](serve.md#what-it-may-cost) tell what is refused.\n",
            "An answer is an object with its `schema`. If there is none, the status says why, and the object has a",
            "sentence in `error`. With `Accept: application/x-ndjson`, a verb that may search answers 200 at once and",
            "in lines: `{'progress': ...}` with `states`, `depth` and `expanded` now and then, and at last",
            "`{'answer': ...}`, or `error` and `status`. Closing the connection stops the search.\n".replace("'", '"'),
            *(section(name, verb) for name, verb in VERBS.items()),
        ]
    )  # fmt: skip


if __name__ == "__main__":
    sys.stdout.write(page())
