"""Text of HTML: what a reader would see, in lines."""

import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

# Tags and text of HTML as browsers distinguish them (HTML Standard, 13.2.5), each character checked once.
#
# Mail is written by strangers: what is not closed ends with the page, and costs no more than what is.


_NAME = re.compile(r"[a-zA-Z][^\s/>]*")
_GAP = re.compile(r"[\s/]+")
_ATTRIBUTE = re.compile(r"=?[^\s/>=]*")
_EQUALS = re.compile(r"\s*=\s*")
_BARE = re.compile(r"[^\s>]*")
_ENDING = re.compile("--!?>")
_CODE = frozenset(("script", "style"))
"""Elements that end with their own end tag only."""


class HtmlTag(NamedTuple):
    """A tag, its name and those of its attributes in lowercase."""

    name: str
    attributes: dict[str, str]
    is_end: bool = False


def tokens_of(html: str) -> Iterator[str | HtmlTag]:
    """Yield the text and the tags of a page in their order, without comments, scripts and styles.

    >>> list(tokens_of("1 < 2 <B>&amp;</b><!-- no --><img alt='x'>"))[:3]
    ['1 < 2 ', HtmlTag(name='b', attributes={}, is_end=False), '&']
    """
    begin = place = 0
    while (place := html.find("<", place)) >= 0:
        found = _markup(html, place)
        if found is None:
            place += 1
            continue
        if begin < place:
            yield unescape(html[begin:place])
        tag, place = found
        begin = place
        if tag is not None:
            yield tag
    if begin < len(html):
        yield unescape(html[begin:])


def _markup(html: str, place: int) -> tuple[HtmlTag | None, int] | None:
    """Return the tag that begins at a place, if it is one, and where it ends; None where the sign is text."""
    if html.startswith("<!--", place):
        ending = _ENDING.search(html, place + 2)
        return None, len(html) if ending is None else ending.end()
    if html.startswith(("<!", "<?"), place):
        return None, _after(html, ">", place)
    is_end = html.startswith("/", place + 1)
    name = _NAME.match(html, place + 1 + is_end)
    if name is None:
        return (None, _after(html, ">", place)) if is_end else None
    attributes, end = _attributes(html, name.end())
    tag = name[0].lower()
    if tag in _CODE and not is_end:
        closing = re.compile(rf"</{tag}(?=[\s/>])", re.IGNORECASE).search(html, end)
        return None, len(html) if closing is None else _after(html, ">", closing.end())
    return HtmlTag(tag, attributes, is_end), end


def _after(html: str, sign: str, place: int) -> int:
    """Return where a sign ends; the end of the page if it is missing."""
    found = html.find(sign, place)
    return len(html) if found < 0 else found + len(sign)


def _attributes(html: str, place: int) -> tuple[dict[str, str], int]:
    """Read attributes up to the end of a tag; return them, the first of a name, and where the tag ends."""
    found: dict[str, str] = {}
    while place < len(html) and html[place] != ">":
        if gap := _GAP.match(html, place):
            place = gap.end()
            continue
        name = _ATTRIBUTE.match(html, place)
        assert name is not None  # it may be empty
        value, place = _value(html, name.end())
        found.setdefault(name[0].lower(), unescape(value))
    return found, place + 1


def _value(html: str, place: int) -> tuple[str, int]:
    equals = _EQUALS.match(html, place)
    if equals is None:
        return "", place
    place = equals.end()
    if html.startswith(('"', "'"), place):
        end = _after(html, html[place], place + 1)
        return html[place + 1 : end - 1], end
    bare = _BARE.match(html, place)
    assert bare is not None
    return bare[0], bare.end()


_TITLE, _TEMPLATE = "title", "template"
_BLOCKS = frozenset(
    (
        *("address", "article", "aside", "blockquote", "br", "caption", "center", "dd", "details", "dialog", "dir"),
        *("div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6"),
        *("header", "hgroup", "hr", "legend", "li", "main", "menu", "nav", "ol", "optgroup", "option", "p", "pre"),
        *("search", "section", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul"),
    )
)
_CELLS = frozenset(("td", "th"))
_SPACE = re.compile(r"[ \t\r\n\f]+")
_BREAKS = re.compile(r"\n{3,}")


def text_of_html(html: str) -> str:
    """Return the text of a page.

    Blocks (paragraphs, list items, rows, line breaks) begin and end lines, cells are parted by a space, other white
    space becomes one space, images give their alternative text; scripts, styles, the title and comments are omitted.

    >>> text_of_html("<p>Dear&nbsp;Ann,<br>see <b>you</b></p><script>x()</script>")
    'Dear\\xa0Ann,\\nsee you'
    """
    reader = _Reader()
    for token in tokens_of(html):
        if isinstance(token, str):
            reader.read_text(token)
        elif token.is_end:
            reader.end(token.name)
        else:
            reader.begin(token)
    lines = (_SPACE.sub(" ", line).strip(" ") for line in "".join(reader.pieces).split("\0"))
    return _BREAKS.sub("\n\n", "\n".join(lines)).strip("\n")


class _Reader:
    """Gather pieces of text; NUL represents a line break until whitespace is made plain."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self._unseen = 0
        self._in_title = False
        self._kept = 0

    def begin(self, tag: HtmlTag) -> None:
        name = tag.name
        if name == _TEMPLATE:
            self._unseen += 1
        elif name == _TITLE:
            self._in_title = True
        elif name == "body" or name in _BLOCKS:
            self._in_title = False  # one that no one closed ends here
            self._break()
        elif name in _CELLS:
            self.pieces.append(" ")
        if name == "pre":
            self._kept += 1
        if name == "img" and self._is_seen():
            self.pieces.append(tag.attributes.get("alt", "").replace("\0", "\ufffd"))

    def end(self, name: str) -> None:
        if name == _TEMPLATE:
            self._unseen = max(self._unseen - 1, 0)
        elif name == _TITLE:
            self._in_title = False
        elif name in _BLOCKS:
            self._break()
        if name == "pre":
            self._kept = max(self._kept - 1, 0)

    def read_text(self, data: str) -> None:
        if self._is_seen():
            plain = data.replace("\0", "\ufffd")
            self.pieces.append(plain.replace("\n", "\0") if self._kept else plain)

    def _is_seen(self) -> bool:
        return not self._unseen and not self._in_title

    def _break(self) -> None:
        if "".join(self.pieces[-1:]) != "\0":
            self.pieces.append("\0")
