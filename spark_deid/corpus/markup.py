"""Inline markup: tags around spans, ``<``, ``>`` and ``&`` escaped. Read without an XML parser, so line ends remain.

There are not declarations: a document type, a separate entity or a comment is malformed.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from spark_deid.core.errors import FormatError
from spark_deid.core.span import Span

_TOKEN = re.compile(
    r"(?P<text>[^<&]+)"
    r"|<(?P<slash>/?)(?P<name>[^\W\d][\w.:-]*)(?P<attributes>(?:\s[^<>]*)?)>"
    r"|&(?P<entity>#x[0-9A-Fa-f]{1,6}|#[0-9]{1,7}|[a-z]{2,4});"
)
_ATTRIBUTE = re.compile(r"""\s+([^\W\d][\w.:-]*)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_ESCAPES = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;"}
# Parsers of XML turn a carriage return into a line feed, and whitespace of attributes into spaces.
_TEXT_ESCAPES = {**_ESCAPES, ord("\r"): "&#13;"}
_ATTRIBUTE_ESCAPES = {**_TEXT_ESCAPES, ord('"'): "&quot;", ord("\n"): "&#10;", ord("\t"): "&#9;"}
_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class MarkupTag(NamedTuple):
    """A start or end tag; ``at`` is its number of characters from the start of the markup."""

    name: str
    attributes: str
    ends: bool
    at: int


def split_markup(markup: str) -> Iterator[str | MarkupTag]:
    """Split markup into tags and pieces of unescaped text.

    Raises FormatError "malformed" for an ``&`` that begins no predefined entity or character reference, and for a
    ``<`` that begins no tag.
    """
    position = 0
    while position < len(markup):
        match = _TOKEN.match(markup, position)
        if match is None:
            raise malformed_markup(markup, position, "expected a tag, or '<' and '&' to be escaped")
        if match["text"]:
            yield match["text"]
        elif match["entity"]:
            yield _entity(match["entity"], markup, position)
        else:
            yield MarkupTag(match["name"], match["attributes"], bool(match["slash"]), position)
        position = match.end()


def text_of(pieces: Iterable[str | MarkupTag]) -> str:
    """Join the text between the tags."""
    return "".join(piece for piece in pieces if isinstance(piece, str))


def pair_tags(markup: str, pieces: Iterable[str | MarkupTag]) -> list[tuple[int, int, MarkupTag]]:
    """Pair start and end tags: start and end as offsets into ``text_of(pieces)``, and the start tag.

    Raises FormatError "malformed" where an end tag isn't that of the innermost element.
    """
    pairs: list[tuple[int, int, MarkupTag]] = []
    inner: list[tuple[int, MarkupTag]] = []
    offset = 0
    for piece in pieces:
        if isinstance(piece, str):
            offset += len(piece)
        elif not piece.ends:
            inner.append((offset, piece))
        elif not inner or inner[-1][1].name != piece.name:
            raise malformed_markup(markup, piece.at, "expected the end tag of the innermost start tag")
        else:
            start, tag = inner.pop()
            pairs.append((start, offset, tag))
    if inner:
        raise malformed_markup(markup, inner[-1][1].at, "expected the start tag to have an end tag")
    return pairs


def read_attributes(text: str, where: str) -> dict[str, str]:
    """Read the attributes of a tag; raise FormatError "malformed"."""
    found: dict[str, str] = {}
    position = 0
    while match := _ATTRIBUTE.match(text, position):
        found[match[1]] = resolve_entities(match[2] if match[3] is None else match[3])
        position = match.end()
    if text[position:].strip():
        raise FormatError("malformed", f'{where}: expected attributes of the form name="value"')
    return found


def resolve_entities(value: str) -> str:
    """Resolve the entities of an attribute; raise FormatError "malformed" for any other ``&`` and for ``<``."""
    try:
        pieces = tuple(split_markup(value))
    except FormatError:
        pieces = (MarkupTag("", "", False, 0),)
    if any(isinstance(piece, MarkupTag) for piece in pieces):
        raise FormatError("malformed", "expected '<' and '&' to be escaped in attributes")
    return text_of(pieces)


def escape_text(text: str) -> str:
    """Escape text for an element, so that a parser of XML returns it with its carriage returns."""
    return text.translate(_TEXT_ESCAPES)


def escaped_attribute(text: str) -> str:
    """Escape text for an attribute in double quotes, so that a parser of XML returns it with its whitespace."""
    return text.translate(_ATTRIBUTE_ESCAPES)


def escaped_plainly(text: str) -> str:
    """Escape ``&``, ``<`` and ``>`` only."""
    return text.translate(_ESCAPES)


def checked_xml(text: str, what: str) -> str:
    """Return text that XML 1.0 can hold; raise FormatError "malformed" for control characters and the like."""
    match = _NOT_XML.search(text)
    if match:
        raise FormatError(
            "malformed",
            f"character {match.start()} of the {what} (U+{ord(match[0]):04X}) is not allowed in XML 1.0. "
            "Remove it, or write jsonl",
        )
    return text


def render_inline(
    text: str,
    spans: Iterable[Span],
    start_tag: Callable[[str], str],
    end_tag: Callable[[str], str],
    escape: Callable[[str], str],
) -> str:
    """Write a text with tags around its spans, nested ones nested, and all else escaped.

    Raises FormatError "bad-annotation" where spans cross.
    """
    parts: list[str] = []
    position = 0
    for offset, tag in _tags(spans, start_tag, end_tag):
        parts += [escape(text[position:offset]), tag]
        position = offset
    return "".join([*parts, escape(text[position:])])


@contextmanager
def name_document(doc_id: str) -> Iterator[None]:
    """Name the document in the FormatErrors of its writing."""
    try:
        yield
    except FormatError as error:
        raise FormatError(error.reason, f"{doc_id!r}: {error.detail}") from None


def reading_order(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Order spans by start, the longer first."""
    return tuple(sorted(spans, key=lambda s: (s.start, -s.end, s.label)))


def malformed_markup(markup: str, position: int, expected: str) -> FormatError:
    """Make the error of a line of markup that is not as expected."""
    return FormatError("malformed", f"line {markup.count(chr(10), 0, position) + 1}: {expected}")


def _entity(name: str, markup: str, position: int) -> str:
    if name in _ENTITIES:
        return _ENTITIES[name]
    try:
        if name.startswith("#x"):
            return chr(int(name[2:], 16))
        if name.startswith("#"):
            return chr(int(name[1:]))
    except ValueError:
        pass
    raise malformed_markup(
        markup, position, "expected '&' to be escaped, or a predefined entity or character reference"
    )


def _tags(
    spans: Iterable[Span], start_tag: Callable[[str], str], end_tag: Callable[[str], str]
) -> Iterator[tuple[int, str]]:
    """Give every tag with its offset, in order."""
    inner: list[Span] = []
    for span in reading_order(spans):
        yield from _ends(inner, span.start, end_tag)
        if inner and span.end > inner[-1].end:
            raise FormatError(
                "bad-annotation",
                f"the spans at {inner[-1].start} and {span.start} overlap, which inline tags cannot "
                "represent. Write brat or jsonl",
            )
        inner.append(span)
        yield span.start, start_tag(span.label)
    yield from _ends(inner, None, end_tag)


def _ends(inner: list[Span], until: int | None, end_tag: Callable[[str], str]) -> Iterator[tuple[int, str]]:
    while inner and (until is None or inner[-1].end <= until):
        span = inner.pop()
        yield span.end, end_tag(span.label)
