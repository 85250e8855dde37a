"""Text of HTML: what a reader would see, in lines."""

import re
from html.parser import HTMLParser

_UNSEEN = frozenset(("script", "style", "template"))
_TITLE = "title"
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
    space becomes one space, images give their alternative text; scripts, styles, the title and comments are left out.

    >>> text_of_html("<p>Dear&nbsp;Ann,<br>see <b>you</b></p><script>x()</script>")
    'Dear\\xa0Ann,\\nsee you'
    """
    parser = _Reader()
    parser.feed(html)
    parser.close()
    lines = (_SPACE.sub(" ", line).strip(" ") for line in "".join(parser.pieces).split("\0"))
    return _BREAKS.sub("\n\n", "\n".join(lines)).strip("\n")


class _Reader(HTMLParser):
    """Gather pieces of text; NUL stands for a line break until white space is made plain."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._unseen = 0
        self._in_title = False
        self._kept = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _UNSEEN:
            self._unseen += 1
        elif tag == _TITLE:
            self._in_title = True
        elif tag == "body" or tag in _BLOCKS:
            self._in_title = False  # one that nobody closed ends here
            self._break()
        elif tag in _CELLS:
            self.pieces.append(" ")
        if tag == "pre":
            self._kept += 1
        if tag == "img" and self._is_seen():
            self.pieces.append(dict(attrs).get("alt") or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _UNSEEN and tag != _TITLE:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNSEEN:
            self._unseen = max(self._unseen - 1, 0)
        elif tag == _TITLE:
            self._in_title = False
        elif tag in _BLOCKS:
            self._break()
        if tag == "pre":
            self._kept = max(self._kept - 1, 0)

    def handle_data(self, data: str) -> None:
        if self._is_seen():
            plain = data.replace("\0", "\ufffd")
            self.pieces.append(plain.replace("\n", "\0") if self._kept else plain)

    def _is_seen(self) -> bool:
        return not self._unseen and not self._in_title

    def _break(self) -> None:
        if "".join(self.pieces[-1:]) != "\0":
            self.pieces.append("\0")
