"""Folders of mail in one file (RFC 4155): each mail begins at a line ``From address date``.

Lines of mails that begin so have a ``>`` before them, of which one is removed. Programs write other lines as well:

- A line without such a date begins a mail if it follows an empty line and a header of mails follows it.
- Git writes ``From``, a hash and a date before each patch. Such a line begins a mail only in a file whose first line is
  one; elsewhere it is a part of a mail that quotes a patch.
"""

import re

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError
from spark_deid.corpus.format import ParserUnit
from spark_deid.corpus.mail import BOM, DEFAULT, MailOptions, mail_format, parse_mail

_QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)
_ANY = re.compile(rb"^From ", re.MULTILINE)
_DATE = (
    rb"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) +(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d{1,2} +"
    rb"\d{1,2}:\d{2}(?::\d{2})? +(?:[A-Z+-][A-Za-z0-9+-]* +)?\d{4}(?: +[A-Z+-][A-Za-z0-9+-]*)?\s*"
)
_BEGINS = re.compile(rb"From +\S.*" + _DATE)
_OF_GIT = re.compile(rb"From [0-9a-f]{40}(?:[0-9a-f]{24})? " + _DATE)
_HEADER = re.compile(
    rb"(?:Return-Path|Received|Delivered-To|Envelope-To|From|Sender|Reply-To|To|Cc|Bcc|Date|Subject|Message-ID"
    rb"|In-Reply-To|References|MIME-Version|Status|Content-[A-Za-z-]+|DKIM-Signature|ARC-[A-Za-z-]+|X-[!-9;-~]+):",
    re.IGNORECASE,
)


def begins_mail(line: bytes, before: bytes | None, after: bytes | None, first: bytes) -> bool:
    """Return whether a mail begins at a line, by the lines before and after it and the first line of the file.

    >>> begins_mail(b"From ann@example.org Mon Jan  1 10:30:00 2024", b"x", b"", b"")
    True
    >>> begins_mail(b"From ann@example.org", b"", b"Subject: hi", b""), begins_mail(b"From here on", b"", b"we", b"")
    (True, False)
    """
    if not line.startswith(b"From "):
        return False
    if _OF_GIT.fullmatch(line):
        return _OF_GIT.fullmatch(first.removeprefix(BOM)) is not None
    if _BEGINS.fullmatch(line):
        return True
    return not (before or b"").strip() and after is not None and _HEADER.match(after) is not None


def parse_line(record: bytes, source: str, default_id: str, *, options: MailOptions = DEFAULT) -> Document:
    """Read a mail and the line before it. Raises FormatError."""
    first, _, mail = record.removeprefix(BOM).partition(b"\n")
    if not begins_mail(first, None, mail, first):
        detail = "expected a line such as From ann@example.org Mon Jan  1 10:30:00 2024"
        raise FormatError("malformed", detail, records=max(1, len(_ANY.findall(record))))
    return parse_mail(_QUOTED.sub(rb"\1", mail), source, default_id, options=options)


FORMAT = mail_format(
    name="mbox", suffixes=(".mbox", ".mbx"), unit=ParserUnit.BLOCK, parse_line=parse_line, begins=begins_mail
)
