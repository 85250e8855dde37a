"""Content that is not plain text: RTF, PDF, Word and HTML pages, recognized by their beginning.

Detectors of names do not understand such content: names are split by markup, or stored in compressed form.
"""

import re
from dataclasses import replace

from spark_deid.core.errors import FormatError, UsageError
from spark_deid.corpus.format import CorpusFormat

OPTION = "content"
NOT_TEXT = "not-text"
_TEXT = "text"
_BEGINNING = 1024
_ARCHIVE = "DOCX or another archive"
_BEGINNINGS = (
    ("RTF", (b"{\\rtf", b"e1xydG")),  # base64
    ("PDF", (b"%PDF-", b"JVBERi0")),
    (_ARCHIVE, (b"PK\x03\x04", b"UEsDBB")),
    ("a document of old Word", (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"0M8R4KGxGuE")),
)
_BEFORE = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n\f]*")
_HTML = re.compile(rb"(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE | re.DOTALL)


def content_name(beginning: str | bytes) -> str | None:
    r"""Return the name of the format that a text or a file begins as, also in base64; None for plain text.

    >>> content_name("{\\rtf1\\ansi Ann}"), content_name("<!DOCTYPE html>\n<html>"), content_name("<b>Ann</b>")
    ('RTF', 'an HTML page', None)
    """
    sample = beginning[:_BEGINNING]
    data = sample.encode("utf-8", "surrogatepass") if isinstance(sample, str) else sample
    start = _BEFORE.match(data).end()  # type: ignore[union-attr]
    for name, signs in _BEGINNINGS:
        if data.startswith(signs, start):
            return name
    return "an HTML page" if _HTML.match(data, start) else None


def check_content(beginning: str | bytes, format: CorpusFormat) -> None:
    """Raise FormatError "not-text" for content that is not plain text, in a format that does not read any content."""
    if OPTION in format.options and not format.reads_any and (name := content_name(beginning)) is not None:
        raise FormatError(
            NOT_TEXT, f"expected text, this begins as {name}: convert it, or read its source by content=text"
        )


def reading_any(format: CorpusFormat, value: str) -> CorpusFormat:
    """Return a format that reads every content as text. Raises UsageError for another value of the option."""
    if value != _TEXT:
        raise UsageError(f"{OPTION}: expected {_TEXT}, which reads RTF, PDF, DOCX and HTML pages as they are")
    return replace(format, reads_any=True)
