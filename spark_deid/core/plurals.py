"""How many of what, in words."""

import re


def plural(count: int, noun: str) -> str:
    """Write how many.

    >>> plural(1, "document"), plural(1200, "document")
    ('1 document', '1,200 documents')
    """
    return f"{count:,.0f} {noun}{'' if count == 1 else 's'}"


def share_of(count: int, total: int, noun: str) -> str:
    """Write how many of all.

    >>> share_of(1, 4, "document"), share_of(3, 3, "document"), share_of(1, 1, "document")
    ('1 of the 4 documents', 'all of the 3 documents', 'the one document')
    """
    if total == 1 == count:
        return f"the one {noun}"
    return f"{'all' if count == total else f'{count:,}'} of the {plural(total, noun)}"


def is_or_are(count: int) -> str:
    """Return the verb of that many.

    >>> is_or_are(1), is_or_are(2)
    ('is', 'are')
    """
    return "is" if count == 1 else "are"


def was_or_were(count: int) -> str:
    """Return the verb of that many, of what is past.

    >>> was_or_were(1), was_or_were(2)
    ('was', 'were')
    """
    return "was" if count == 1 else "were"


# Texts for terminals: what a terminal would carry out is written out.


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
