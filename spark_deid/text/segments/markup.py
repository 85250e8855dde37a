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
_INLINE = frozenset("a abbr b bdi bdo big cite code data del dfn em font i ins kbd mark q s samp small span strong sub sup u wbr".split())


class Tag(NamedTuple):
    """A tag, or a comment's mark; whether it parts words; and its attributes' names and places of values."""

    start: int
    end: int
    is_inline: bool
    attributes: tuple[tuple[str, int, int], ...]


def tags(text: str) -> Iterator[Tag]:
    """Yield the tags of a text, in order."""
    if "<" not in text or ">" not in text:
        return
    for found in _TAG.finditer(text):
        name = (found["name"] or "").lower()
        attributes = []
        if found["attributes"]:
            for each in _ATTRIBUTE.finditer(text, *found.span("attributes")):
                group = each.lastindex or 1
                attributes.append((each[1], *each.span(group)))
        yield Tag(found.start(), found.end(), name in _INLINE, tuple(attributes))
