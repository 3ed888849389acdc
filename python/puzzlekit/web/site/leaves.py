"""The files of a site: its pages from the templates of the server, what they load, and what keeps them in a browser."""

from __future__ import annotations

import gzip
import json
import posixpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from puzzlekit.web.policy import WRITTEN
from puzzlekit.web.rendering import STATIC, digest, environment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from puzzlekit.web.site.entries import Entry

SCRIPTS = Path(__file__).parent.parent / "engine"
"""The scripts that a page without a server has besides those of every page."""

KEEPER = "service-worker.js"
"""The script that keeps the site for times without a network. It lies at the top, since it may keep nothing above."""

MANIFEST = "manifest.webmanifest"

SPARED = ("embed/", "pictures/")
"""The folders of which nothing is kept before it is visited."""

KEPT = 24 * 2**20
"""The most bytes that a browser keeps at the first visit. Further pages are kept when they are visited."""


def leaves(  # noqa: PLR0913 - each is a part of a site
    entries: Sequence[Entry],
    engine: bytes,
    title: str,
    *,
    embed: bool,
    address: str = "",
    pictures: Mapping[str, bytes] | None = None,
) -> dict[str, bytes]:
    """The files of a site: their contents by their paths in the folder.

    Args:
        entries: The puzzles.
        engine: The compiled engine, as WebAssembly.
        title: The name of the site.
        embed: Whether each puzzle also has a page to be shown inside another page.
        address: Where the folder will be found; it ends with `/`. What shows a link shows a picture beside it then.
        pictures: The picture of each puzzle by its id, as PNG.
    """
    loaded = _loaded(engine)
    at = f"static/{digest(sorted(loaded.items()))}"
    found = {f"{at}/{name}": content for name, content in loaded.items()}
    for entry in entries:
        found[f"data/{entry.name}.json"] = json.dumps(entry.asked, separators=(",", ":")).encode()
    version = digest(sorted(found.items()))
    pictures = pictures or {}
    found |= {f"pictures/{puzzle_id}.png": content for puzzle_id, content in pictures.items()}
    made = environment()
    made.globals["policy"] = WRITTEN
    known = {entry.text: entry.name for entry in entries}

    def page(template: str, path: str, pages: Mapping[str, str], **context: Any) -> None:  # noqa: ANN401 - any data
        here = posixpath.dirname(path)
        up = "../" if here else ""
        site = {"up": up, "pages": pages, "title": title, "version": version}
        context |= {
            "site": site,
            "static": f"{up}{at}",
            "manifest": f"{up}{MANIFEST}",
            "home": f"{up}index.html",
            "page": lambda kind, text: f"{up}{kind}/{known[text]}.html",
            "embedded": here == "embed",
        }
        puzzle_id = context.get("puzzle", {}).get("id", next(iter(pictures), None))
        if address and puzzle_id in pictures:
            context["picture"] = f"{address}pictures/{puzzle_id}.png"
        found[path] = made.get_template(template).render(context).encode()

    first = [entry for entry in entries if entry.first]
    page("home.html", "index.html", known, puzzles=[entry.shown for entry in first], today="")
    for entry in entries:
        # A page knows the other sizes of its puzzle; the first page knows all pages.
        pages = {text: name for text, name in known.items() if text.partition(":")[0] == entry.shown["id"]}
        page("play.html", f"play/{entry.name}.html", pages, puzzle=entry.shown)
        page("explore.html", f"explore/{entry.name}.html", pages, puzzle=entry.shown)
        if embed:
            page("play.html", f"embed/{entry.name}.html", pages, puzzle=entry.shown)
    found[MANIFEST] = _manifest(title, at)
    found[KEEPER] = _keeper(found, at, [entry.name for entry in first])
    return found


def _loaded(engine: bytes) -> dict[str, bytes]:
    """The files that pages load: those of the server's pages, the scripts around the engine, and the engine."""
    paths = [path for path in (*STATIC.iterdir(), *SCRIPTS.iterdir()) if path.suffix in (".js", ".css", ".svg")]
    found = {path.name: path.read_bytes() for path in paths if path.name != KEEPER}
    # Many hosts send files of unknown kinds as they are, so it is packed here, and the page unpacks it.
    return found | {"engine.bin": gzip.compress(engine, 9, mtime=0)}


def _manifest(title: str, at: str) -> bytes:
    data = json.loads((STATIC / MANIFEST).read_text(encoding="utf-8"))
    icons = [icon | {"src": f"{at}/{icon['src']}"} for icon in data["icons"]]
    return json.dumps(data | {"name": title, "start_url": "index.html", "scope": "./", "icons": icons}).encode()


def _keeper(found: Mapping[str, bytes], at: str, first: Sequence[str]) -> bytes:
    """The script that keeps the site, with the list of what it keeps."""
    begun = [path for path in found if path.startswith(f"{at}/") or path in ("index.html", MANIFEST)]
    named = [f"{kind}/{name}.{ending}" for kind, ending in KINDS for name in first]
    others = [path for path in found if path not in begun and path not in named and not path.startswith(SPARED)]
    room, more = KEPT - sum(len(found[path]) for path in begun), []
    for path in [*named, *others]:
        room -= len(found[path])
        if room < 0:
            break
        more.append(path)
    data = {"version": digest(sorted(found.items())), "first": begun, "more": more}
    text = (SCRIPTS / KEEPER).read_text(encoding="utf-8")
    return text.replace("const SITE = null;", f"const SITE = {json.dumps(data)};", 1).encode()


KINDS = (("play", "html"), ("data", "json"), ("explore", "html"))
"""The folders of the files of a puzzle that are kept first, and their endings."""
