"""Texts for terminals: what a terminal would carry out is written out."""

import re

_CARRIED_OUT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Controls but tab and line feed, and signs that turn the direction of what follows."""


def make_printable(text: str) -> str:
    r"""Return a text with the characters written out that a terminal carries out rather than shows.

    >>> make_printable("\x1b[2J\u202eab\n") == "\\x1b[2J\\u202eab\n"
    True
    """
    return _CARRIED_OUT.sub(_written_out, text)


def _written_out(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
