"""The content security policies of the pages: a page may load things only from where it came from itself."""

from __future__ import annotations

_SAME = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'self'"
)

SERVED = f"{_SAME}; frame-ancestors 'none'"
"""The policy of a page that a server sends. It allows no exception."""

WRITTEN = _SAME.replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'") + "; worker-src 'self'"
"""The policy of a page in a file: it may also compile the engine, and start its own scripts in the background.

Such a page states its policy in an element of its head. This element cannot forbid that another page shows the page in
a frame, which is allowed for these pages anyway.
"""
