"""What a browser may do with the pages: everything comes from where the page itself came from."""

from __future__ import annotations

_SAME = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'self'"
)

SERVED = f"{_SAME}; frame-ancestors 'none'"
"""The content security policy of a page that a server sends, without an exception."""

WRITTEN = _SAME.replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'") + "; worker-src 'self'"
"""The policy of a page in a file: it may also compile the engine, and start its own scripts in the background.

A page can allow this for itself in an element of its head. Such an element cannot forbid that the page is shown in
another one, and the pages may be.
"""
