"""Parts that the theme of the documentation's site omits for readers who use a keyboard or a screen reader."""

import re
from html import unescape

_EMPTY_HEAD = re.compile(r"<th(?P<style>[^>]*)>\s*</th>")
_TABLE = re.compile(r"<table>")
_CODE = re.compile(r"(?P<start><pre>(?:<span></span>)?<code[^>]*>)(?P<code>.*?)(?P<end></code></pre>)", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")
_FOLDED = re.compile(
    r'aria-labelledby="__nav_[\d_]+_label"(?P<rest>[^>]*>\s*<label class="md-nav__title"[^>]*>\s*<span[^>]*></span>\s*)'
    r"(?P<name>[^<]+?)(?=\s*</label>)"
)
_SEARCH = '<div class="md-search" data-md-component="search" role="dialog"'
NARROW = 40
"""Characters of code that a phone shows in a line; what is longer scrolls."""


def with_access(page: str) -> str:
    """Let what scrolls be scrolled by keys, give a name to what has none, and make no heads of empty cells.

    >>> with_access("<table><th></th><th>b</th></table>")
    '<table tabindex="0"><td></td><th>b</th></table>'
    """
    page = _EMPTY_HEAD.sub(r"<td\g<style>></td>", page)
    page = _TABLE.sub('<table tabindex="0">', page)
    page = _FOLDED.sub(r'aria-label="\g<name>"\g<rest>\g<name>', page)
    page = page.replace(_SEARCH, f'{_SEARCH} aria-label="Search"')
    return _CODE.sub(_focusable, page)


def _focusable(block: re.Match[str]) -> str:
    """Let keys reach a block with a long line: the theme's own script does so on screens with a mouse only."""
    lines = unescape(_TAG.sub("", block["code"])).splitlines()
    if max(map(len, lines), default=0) <= NARROW:
        return block[0]
    return f'{block["start"]}<span tabindex="0">{block["code"]}</span>{block["end"]}'
