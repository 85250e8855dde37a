"""Folders of mail in one file (RFC 4155): each mail begins at a line ``From address date``.

Lines of mails that begin so are told by a ``>`` before them, of which one is taken away.
"""

import re

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError
from spark_deid.corpus.format import ParserUnit
from spark_deid.corpus.mail import BOM, DEFAULT, MailOptions, mail_format, parse_mail

_QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)
_ANY = re.compile(rb"^From ", re.MULTILINE)
_BEGINS = re.compile(
    rb"From +\S.*(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) +(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d{1,2} +"
    rb"\d{1,2}:\d{2}(?::\d{2})? +(?:[A-Z+-][A-Za-z0-9+-]* +)?\d{4}(?: +[A-Z+-][A-Za-z0-9+-]*)?\s*"
)


def begins_mail(line: bytes) -> bool:
    """Tell whether a mail begins at a line: ``From ``, an address, and a date as C's ``asctime`` writes it.

    >>> begins_mail(b"From ann@example.org Mon Jan  1 10:30:00 2024"), begins_mail(b"From here on it is 10:30 of 2024")
    (True, False)
    """
    return line.startswith(b"From ") and _BEGINS.fullmatch(line) is not None


def parse_line(record: bytes, source: str, default_id: str, *, options: MailOptions = DEFAULT) -> Document:
    """Read a mail and the line before it. Raises FormatError."""
    first, _, mail = record.removeprefix(BOM).partition(b"\n")
    if not begins_mail(first):
        detail = "expected a line such as From ann@example.org Mon Jan  1 10:30:00 2024"
        raise FormatError("malformed", detail, records=max(1, len(_ANY.findall(record))))
    return parse_mail(_QUOTED.sub(rb"\1", mail), source, default_id, options=options)


FORMAT = mail_format(
    name="mbox", suffixes=(".mbox", ".mbx"), unit=ParserUnit.BLOCK, parse_line=parse_line, begins=begins_mail
)
