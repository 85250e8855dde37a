"""Mails, a file each, as mail programs save them."""

from spark_deid.core.document import Document
from spark_deid.corpus.format import ParserUnit
from spark_deid.corpus.mail import DEFAULT, MailOptions, mail_format, parse_mail


def parse_document(
    data: bytes, companion: bytes | None, source: str, doc_id: str, *, options: MailOptions = DEFAULT
) -> Document:
    """Read a mail. Raises FormatError."""
    return parse_mail(data, source, doc_id, options=options)


FORMAT = mail_format(name="eml", suffixes=(".eml",), unit=ParserUnit.DOCUMENT, parse_document=parse_document)
