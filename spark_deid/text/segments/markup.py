"""HTML and XML: tags, and values of attributes."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

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
"""Tags within words and sentences; other tags separate lines."""
_BLOCK = re.compile(
    "html|head|body|title|meta|link|style|script|div|p|br|hr|h[1-6]|[uod]l|li|d[td]|table|thead|tbody|tfoot|tr|td|th|caption"
    "|form|label|input|select|option|textarea|button|section|article|header|footer|main|nav|aside|figure|figcaption|img"
    "|pre|blockquote|address|iframe|center|colgroup|col|fieldset|legend|details|summary|video|audio|svg|path|g",
    re.IGNORECASE,
)
"""Other tags of HTML. The rest are elements of XML, whose names are keys of what they contain."""
TagKind = Literal["inline", "block", "key", "field"]


class TagPlace(NamedTuple):
    """A tag or a comment: its place, name and kind, and its attributes' names with the places of their values."""

    start: int
    end: int
    name: str
    kind: TagKind
    attributes: tuple[tuple[str, int, int], ...]
    is_end: bool


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
        name = found["name"] or ""
        kind, is_end = _kind(name, found[0]), found[0].startswith("</")
        yield TagPlace(found.start(), found.end(), name, kind, tuple(attributes), is_end)


def _kind(name: str, written: str) -> TagKind:
    if not name or _INLINE.fullmatch(name):
        return "inline" if name else "block"
    if name.lower() in ("th", "dt"):
        return "key"
    return "block" if _BLOCK.fullmatch(name) or written.endswith("/>") else "field"
