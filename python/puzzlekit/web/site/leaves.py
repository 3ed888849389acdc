"""The files of a site: its pages from the templates of the server, the files that they load, and the service worker."""

from __future__ import annotations

import functools
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
"""The folder of the scripts that only pages without a server have."""

KEEPER = "service-worker.js"
"""The service worker, which keeps the site for times without a network. It is in the topmost folder, because it can
keep only files in its own folder and below."""

MANIFEST = "manifest.webmanifest"

SPARED = ("embed/", "pictures/")
"""The folders whose files are kept only when they are visited."""

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
        address: The address of the folder on the web; it ends with `/`. With it, programs that show a link to a page
            can show a picture beside the link.
        pictures: The picture of each puzzle by its id, as PNG.
    """
    loaded = _loaded(engine)
    asked = {f"{entry.name}.json": json.dumps(entry.asked, separators=(",", ":")).encode() for entry in entries}
    # A page names this version, and finds no script and no data of another one, even while a site is replaced.
    version = digest([*sorted(loaded.items()), *sorted(asked.items())])
    at = f"static/{version}"
    found = {f"{at}/{name}": content for name, content in loaded.items()}
    found |= {f"data/{version}/{name}": content for name, content in asked.items()}
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
        page("play.html", f"play/{entry.name}.html", pages, puzzle=entry.shown, ready=entry.ready)
        page("explore.html", f"explore/{entry.name}.html", pages, puzzle=entry.shown)
        if embed:
            page("play.html", f"embed/{entry.name}.html", pages, puzzle=entry.shown, ready=entry.ready)
    found[MANIFEST] = _manifest(title, at)
    found[KEEPER] = _keeper(found, version, [entry.name for entry in first])
    return found


def _loaded(engine: bytes) -> dict[str, bytes]:
    """The files that pages load: those of the server's pages, the scripts for the engine, and the engine."""
    paths = [path for path in (*STATIC.iterdir(), *SCRIPTS.iterdir()) if path.suffix in (".js", ".css", ".svg")]
    found = {path.name: path.read_bytes() for path in paths if path.name != KEEPER}
    return found | {"engine.bin": _packed(engine)}


@functools.lru_cache(maxsize=1)  # all sites of a program have the same one, and packing it takes most of a second
def _packed(engine: bytes) -> bytes:
    """The engine as pages load it. Many hosts do not compress files of unknown kinds, so each page unpacks it."""
    return gzip.compress(engine, 9, mtime=0)


def _manifest(title: str, at: str) -> bytes:
    data = json.loads((STATIC / MANIFEST).read_text(encoding="utf-8"))
    icons = [icon | {"src": f"{at}/{icon['src']}"} for icon in data["icons"]]
    return json.dumps(data | {"name": title, "start_url": "index.html", "scope": "./", "icons": icons}).encode()


def _keeper(found: Mapping[str, bytes], version: str, first: Sequence[str]) -> bytes:
    """The service worker, with the list of the files that it keeps."""
    begun = [path for path in found if path.startswith("static/") or path in ("index.html", MANIFEST)]
    kinds = (("play", "html"), (f"data/{version}", "json"), ("explore", "html"))
    named = [f"{kind}/{name}.{ending}" for kind, ending in kinds for name in first]
    others = [path for path in found if path not in begun and path not in named and not path.startswith(SPARED)]
    room, more = KEPT - sum(len(found[path]) for path in begun), []
    for path in [*named, *others]:
        room -= len(found[path])
        if room < 0:
            break
        more.append(path)
    data = {"whole": digest(sorted(found.items())), "version": version, "first": begun, "more": more}
    text = (SCRIPTS / KEEPER).read_text(encoding="utf-8")
    return text.replace("const SITE = null;", f"const SITE = {json.dumps(data)};", 1).encode()
