"""Text of HTML: what a reader would see, in lines."""

import re

from spark_deid.corpus.html_tokens import HtmlTag, tokens_of

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
    space becomes one space, images give their alternative text; scripts, styles, the title and comments are left out.

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
    """Gather pieces of text; NUL stands for a line break until white space is made plain."""

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
            self._in_title = False  # one that nobody closed ends here
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
