"""Makes text safe on a terminal: escapes control characters, and quotes words for a shell."""

from __future__ import annotations

import re
import shlex
from functools import cache

_JOINERS = "\u200c\u200d"
"""Joiners keep several characters together as one visible character, such as a family of emoji. They are harmless."""


@cache
def _escape(character: str) -> str:
    """The escaped form of one character; the character itself if it is harmless."""
    import unicodedata

    number = ord(character)
    # Cc: the control characters, C0 and C1. Cf: invisible characters, such as marks of direction. Cs: surrogates, which
    # in Python stand for bytes of file names that are not UTF-8. Zl and Zp: ends of lines.
    if unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp") or character in _JOINERS:
        return character
    if 0xDC80 <= number <= 0xDCFF:
        return f"\\x{number - 0xDC00:02x}"
    if number < 0x80:
        return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(character, f"\\x{number:02x}")
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def plain(text: str) -> str:
    r"""A text that does nothing to a terminal but show itself: all other characters in it are escaped.

    Escaped are the characters of C0 (such as ESC, tab and line ends) and C1, invisible characters that change the
    direction of writing, and bytes of a file name that are not UTF-8.

    >>> print(plain("red: \x1b[31m, a byte: \udcff, right to left: \u202e"))
    red: \x1b[31m, a byte: \xff, right to left: \u202e
    """
    # This quick test is enough for most texts, which are ASCII and harmless.
    return text if text.isascii() and text.isprintable() else "".join(map(_escape, text))


def shell_word(text: str) -> str:
    r"""A text, quoted so that a shell reads it as one word. With control characters, the shell must be bash or zsh.

    >>> print(shell_word("two words"), shell_word("a\nb"))
    'two words' $'a\nb'
    """
    if plain(text) == text:
        return shlex.quote(text)
    quoted = re.sub(r"([\\'])", r"\\\1", text)
    return f"$'{plain(quoted)}'"
