"""HTML and XML: tags, and values of attributes."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_TAG = re.compile(
    r"<!--.*?-->|<!\[CDATA\[|\]\]>|<[!?][A-Za-z][^<>]*>"
    r"|</?(?P<name>[A-Za-z][\w:.-]*)(?P<attributes>(?:\s+[\w:.@-]+(?:\s*=\s*(?:\"[^\"<]*\"|'[^'<]*'|[^\s\"'<>=]+))?)*)\s*/?>",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"([\w:.@-]+)\s*=\s*(?:\"([^\"<]*)\"|'([^'<]*)'|([^\s\"'<>=]+))")
_INLINE = re.compile(
    "a|abbr|b|bd[io]|big|cite|code|data|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strong|su[bp]|u|wbr",
    re.IGNORECASE,
)
"""Tags within words and sentences; others part lines."""


class TagPlace(NamedTuple):
    """A tag, or a comment's mark; whether it parts words; and its attributes' names and places of values."""

    start: int
    end: int
    is_inline: bool
    attributes: tuple[tuple[str, int, int], ...]


def tags(text: str) -> Iterator[TagPlace]:
    """Yield the tags of a text, in order."""
    if "<" not in text or ">" not in text:
        return
    for found in _TAG.finditer(text):
        attributes = list[tuple[str, int, int]]()
        if found["attributes"]:
            for each in _ATTRIBUTE.finditer(text, *found.span("attributes")):
                group = each.lastindex or 1
                attributes.append((each[1], *each.span(group)))
        yield TagPlace(
            found.start(), found.end(), _INLINE.fullmatch(found["name"] or "") is not None, tuple(attributes)
        )
