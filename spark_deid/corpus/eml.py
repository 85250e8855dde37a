"""Mails, a file each, as mail programs save them."""

from spark_deid.core.document import Document
from spark_deid.corpus.format import Format, Unit
from spark_deid.corpus.mail import DEFAULT, OPTIONS, MailOptions, attachments_of, configure, parse_mail


def parse_document(
    data: bytes, companion: bytes | None, source: str, doc_id: str, *, options: MailOptions = DEFAULT
) -> Document:
    """Read a mail. Raises FormatError."""
    return parse_mail(data, source, doc_id, options=options)


FORMAT = Format(
    name="eml",
    suffixes=(".eml",),
    unit=Unit.DOCUMENT,
    parse_document=parse_document,
    options=OPTIONS,
    configure=configure,
    holds_spans=False,
    declares_encoding=True,
    left_out=attachments_of,
)
