"""Text that is safe on a terminal: control characters are escaped, and words are quoted as a shell reads them."""

from __future__ import annotations

import re
import shlex
from functools import cache

_JOINERS = "\u200c\u200d"
"""Joiners hold one visible character together, such as a family of emoji, and move nothing on the screen."""


@cache
def _escape(character: str) -> str:
    """The form in which one character is shown."""
    import unicodedata

    number = ord(character)
    # Cc are the control characters, C0 and C1. Cf are invisible characters, such as marks of direction. Cs are
    # surrogates, in which Python keeps bytes of file names that are not UTF-8. Zl and Zp are ends of lines.
    if unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp") or character in _JOINERS:
        return character
    if 0xDC80 <= number <= 0xDCFF:
        return f"\\x{number - 0xDC00:02x}"
    if number < 0x80:
        return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(character, f"\\x{number:02x}")
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def plain(text: str) -> str:
    r"""A text that only shows itself on a terminal: each character in it that could do more is escaped.

    These are the characters of C0 (such as ESC, tab and line ends) and C1, invisible characters that change the
    direction of writing, and bytes of a file name that are not UTF-8.

    >>> print(plain("red: \x1b[31m, a byte: \udcff, right to left: \u202e"))
    red: \x1b[31m, a byte: \xff, right to left: \u202e
    """
    # Most texts are ASCII and harmless. That is checked quickly.
    return text if text.isascii() and text.isprintable() else "".join(map(_escape, text))


def shell_word(text: str) -> str:
    r"""A text as a word that a shell reads back as the text. Words with control characters need bash or zsh.

    >>> print(shell_word("two words"), shell_word("a\nb"))
    'two words' $'a\nb'
    """
    if plain(text) == text:
        return shlex.quote(text)
    quoted = re.sub(r"([\\'])", r"\\\1", text)
    return f"$'{plain(quoted)}'"
