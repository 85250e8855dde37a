"""One mail after RFC 5322 and MIME: its text, chosen headers as metadata, and a count of what is not text."""

import binascii
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from email import message_from_bytes, policy
from email.errors import (
    FirstHeaderLineIsContinuationDefect,
    InvalidBase64CharactersDefect,
    InvalidBase64LengthDefect,
    MultipartInvariantViolationDefect,
    NoBoundaryInMultipartDefect,
    StartBoundaryNotFoundDefect,
)
from email.message import Message
from email.quoprimime import header_decode
from email.utils import getaddresses, parsedate_to_datetime
from functools import partial

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError, UsageError
from spark_deid.corpus.checks import checked_id, checked_meta, checked_subject, checked_text
from spark_deid.corpus.encodings import UTF8, text_codec
from spark_deid.corpus.format import CorpusFormat
from spark_deid.corpus.html_text import text_of_html

OPTIONS = ("headers", "id_column", "subject_column", "encoding")
BOM = b"\xef\xbb\xbf"
ATTACHMENTS = "attachments"
BODY_TYPE = "body_type"

_VISIBLE_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_DEEPEST = 20
_NO_STRUCTURE = (MultipartInvariantViolationDefect, NoBoundaryInMultipartDefect, StartBoundaryNotFoundDefect)
_NO_BASE64 = (InvalidBase64CharactersDefect, InvalidBase64LengthDefect)
_SPACE = re.compile(r"\s+")
_ENCODED = re.compile(r"=\?(?P<charset>[^?\s]{1,75})\?(?P<kind>[qQbB])\?(?P<content>[^?\s]*)\?=")
_SIGNATURE = "-- "
_HEADER = re.compile(r"[!-9;-~]+")


@dataclass(frozen=True)
class MailOptions:
    """Which headers are metadata besides those that always are, and which value is the id or the person.

    ``encoding`` is that of text that does not state its own.
    """

    headers: tuple[str, ...] = ()
    doc_id: str | None = None
    subject_id: str | None = None
    encoding: str = UTF8


DEFAULT = MailOptions()


def parse_mail(data: bytes, source: str, default_id: str, *, options: MailOptions = DEFAULT) -> Document:
    r"""Read a mail: its text is that of its body, its line ends are line feeds.

    Parts of text follow one another with a blank line between, lines that ``format=flowed`` broke are joined again,
    HTML is read as its text (``html_text``), and mails in a mail with the headers that readers see. Of
    ``multipart/alternative`` plain text is read, if it has any. What else there is, files and pictures, is counted in
    the metadata ``attachments``.

    Raises FormatError: "malformed" for what is not mail, parts without their boundaries and broken base64, "no-text"
    for a mail without text, "invalid-utf8" for text that says no encoding, or a wrong one, and is not UTF-8.

    >>> parse_mail(b"From: Ann <ann@example.org>\nSubject: Hi\n\nDear Bob\n", "x", "x").meta["sender"]
    'ann@example.org'
    """
    message = message_from_bytes(data.removeprefix(BOM), policy=policy.compat32)
    if not message.keys() or any(isinstance(each, FirstHeaderLineIsContinuationDefect) for each in message.defects):
        raise FormatError("malformed", "expected a mail, which begins with headers such as From: and Subject:")
    body = _Body(options.encoding)
    body.read(message)
    text = "\n\n".join(body.texts)
    if not text:
        held = f"; it has {body.attachments} other parts" if body.attachments else ""
        raise FormatError("no-text", f"expected a body of text{held}")
    meta = checked_meta(_headers(message, options) | {BODY_TYPE: body.kind, ATTACHMENTS: str(body.attachments)})
    return Document(
        checked_id(meta.get(options.doc_id or ""), default_id),
        checked_text(text),
        checked_subject(meta.get(options.subject_id or "")),
        (),
        meta,
    )


def attachments_of(document: Document) -> int:
    """Return how many parts of a mail were counted and not read."""
    return int(document.meta.get(ATTACHMENTS, 0))


def configure_mail(format: CorpusFormat, options: Mapping[str, str]) -> CorpusFormat:
    """Let a format of mails read as its options state; raises UsageError for what is not a name of a header."""
    headers = tuple(name.strip() for name in options.get("headers", "").split(",") if name.strip())
    wrong = [name for name in headers if not _HEADER.fullmatch(name)]
    if wrong:
        raise UsageError(f"headers: expected names of headers with commas between, got {', '.join(map(repr, wrong))}")
    known = (*METADATA, *map(_column, headers))
    for option in ("id_column", "subject_column"):
        if options.get(option, known[0]) not in known:
            raise UsageError(f"{option}: expected one of {', '.join(known)}, got {options[option]!r}")
    known += ("subject_id",) if "subject_column" in options else ()
    chosen = MailOptions(
        headers, options.get("id_column"), options.get("subject_column"), options.get("encoding", UTF8)
    )
    names = ("parse_line", "parse_document")
    parsers = {name: partial(parse, options=chosen) for name in names if (parse := getattr(format, name))}
    return replace(format, metadata=known, **parsers)  # type: ignore[arg-type]


@dataclass
class _Body:
    """The texts of a mail in their order, what they were, and how many parts are none."""

    encoding: str
    texts: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    attachments: int = 0

    @property
    def kind(self) -> str:
        """Return ``plain`` or ``html``, or ``mixed`` where there are both."""
        return self.kinds[0] if len(set(self.kinds)) == 1 else "mixed"

    def read(self, part: Message, depth: int = 0) -> None:
        kind = part.get_content_type()
        if depth > _DEEPEST:
            raise FormatError("malformed", f"expected parts nested at most {_DEEPEST} deep")
        if any(isinstance(each, _NO_STRUCTURE) for each in part.defects):
            raise FormatError("malformed", "expected the parts of a multipart between its boundaries")
        if kind == "message/rfc822" and part.is_multipart():
            for inner in _parts(part):
                self._add("\n".join(_visible_headers(inner)), None)
                self.read(inner, depth + 1)
        elif kind == "multipart/alternative":
            self._read_alternative(_parts(part), depth)
        elif part.is_multipart() and kind.startswith("multipart/"):
            for each in _parts(part):
                self.read(each, depth + 1)
        elif kind in ("text/plain", "text/html") and not _is_attached(part):
            self._add(_text(part, self.encoding), kind.removeprefix("text/"))
        else:
            self.attachments += 1

    def _read_alternative(self, parts: Iterable[Message], depth: int) -> None:
        """Read one of several forms of a text: one that has text before one without, and plain text before others."""
        read = []
        for part in parts:
            each = _Body(self.encoding)
            each.read(part, depth + 1)
            read.append(each)
        chosen = min(read, key=lambda each: (not each.texts, each.kinds[:1] != ["plain"]))
        self.texts += chosen.texts
        self.kinds += chosen.kinds
        self.attachments += sum(each.attachments for each in read)

    def _add(self, text: str, kind: str | None) -> None:
        if text.strip():
            self.texts.append(text)
            self.kinds += [kind] if kind else []


def _parts(part: Message) -> list[Message]:
    payload = part.get_payload()
    found = [each for each in payload if isinstance(each, Message)] if isinstance(payload, list) else []
    if not found:
        raise FormatError("malformed", "expected the parts of a multipart between its boundaries")
    return found


def _is_attached(part: Message) -> bool:
    return part.get_content_disposition() == "attachment" or part.get_filename() is not None


def _text(part: Message, encoding: str) -> str:
    data = part.get_payload(decode=True)
    if any(isinstance(each, _NO_BASE64) for each in part.defects):
        raise FormatError("malformed", "expected base64 in a part whose header names base64")
    text = _decoded(data if isinstance(data, bytes) else b"", part.get_content_charset(), encoding)
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if part.get_content_subtype() == "html":
        return text_of_html(plain).rstrip("\n")
    return (_flowing(plain, part) if _said(part, "format") == "flowed" else plain).rstrip("\n")


def _flowing(text: str, part: Message) -> str:
    """Join the lines of a paragraph that its writer broke to be short, in the middle of words too (RFC 3676)."""
    lines: list[str] = []
    level: int | None = None  # of quotation, of a line that continues
    for line in text.split("\n"):
        words = line.lstrip(">")
        depth, words = len(line) - len(words), words.removeprefix(" ")
        goes_on = words.endswith(" ") and words != _SIGNATURE
        joined = words[:-1] if goes_on and _said(part, "delsp") == "yes" else words
        if level == depth and words != _SIGNATURE:
            lines[-1] += joined
        else:
            lines.append(f"{'>' * depth} {joined}" if depth else joined)
        level = depth if goes_on else None
    return "\n".join(lines)


def _said(part: Message, parameter: str) -> str:
    """Return a parameter of the type of a part, in lowercase."""
    return str(part.get_param(parameter, "")).lower()


def _decoded(data: bytes, charset: str | None, encoding: str) -> str:
    """Read bytes in their charset if it is an encoding of text, otherwise as UTF-8, otherwise in ``encoding``."""
    for each in dict.fromkeys((text_codec(charset or UTF8) or UTF8, UTF8, encoding)):
        try:
            return data.decode(each)
        except (LookupError, ValueError):
            continue
    raise FormatError("invalid-utf8", "expected text in the charset of the header, or UTF-8")


def _headers(message: Message, options: MailOptions) -> dict[str, str | None]:
    chosen = {_column(name): (name, _words) for name in options.headers}
    return {name: read(message, header, options.encoding) for name, (header, read) in (_NAMED | chosen).items()}


def _visible_headers(message: Message) -> Iterator[str]:
    for name in _VISIBLE_HEADERS:
        if (value := _words(message, name, UTF8)) is not None:
            yield f"{name}: {value}"


def _words(message: Message, name: str, encoding: str) -> str | None:
    """Return a header with encoded words decoded, in one line; several of a name with commas between."""
    values = [_unfolded(_SPACE.sub(" ", value), encoding) for value in _raw(message, name)]
    return ", ".join(value for value in values if value) or None


def _addresses(message: Message, name: str, encoding: str) -> str | None:
    """Return the addresses of a header, in lowercase, so that one person's are equal."""
    given = [_SPACE.sub(" ", value.encode("ascii", "replace").decode()) for value in _raw(message, name)]
    return ", ".join(address.lower() for _, address in getaddresses(given) if address) or None


def _moment(message: Message, name: str, encoding: str) -> str | None:
    """Return a date as ISO 8601 has it; other text remains unchanged."""
    value = _words(message, name, encoding)
    try:
        return None if value is None else parsedate_to_datetime(value).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return value


def _raw(message: Message, name: str) -> list[str]:
    """Return the values of a header; bytes that are not ASCII are in them as lone surrogates."""
    return [str(value) for key, value in message.raw_items() if key.lower() == name.lower()]


def _unfolded(value: str, encoding: str) -> str:
    try:
        words = "".join(
            _known(piece, encoding) if isinstance(piece, str) else _decoded(*piece, encoding)
            for piece in header_pieces(value)
        )
    except (FormatError, binascii.Error):
        words = value.encode("ascii", "replace").decode()
    return _SPACE.sub(" ", words.replace("\0", "")).strip()


def header_pieces(value: str) -> list[str | tuple[bytes, str]]:
    """Return what of a header is text, and what is bytes in a charset, in linear time (RFC 2047, section 6.2).

    Whitespace between encoded words is removed, and two encoded words of one charset may share a character. Raises
    binascii.Error for wrong base64.

    >>> header_pieces("Re: =?utf-8?q?=C3?= =?utf-8?b?qQ==?= ok")
    ['Re: ', (b'\\xc3\\xa9', 'utf-8'), ' ok']
    """
    pieces: list[str | tuple[list[bytes], str]] = []
    end = 0
    for word in _ENCODED.finditer(value):
        between, charset = value[end : word.start()], word["charset"].lower()
        if not end or between.strip():
            pieces.append(between)
        last = pieces[-1]
        if isinstance(last, tuple) and last[1] == charset:
            last[0].append(_word_bytes(word))
        else:
            pieces.append(([_word_bytes(word)], charset))
        end = word.end()
    pieces.append(value[end:])
    return [each if isinstance(each, str) else (b"".join(each[0]), each[1]) for each in pieces if each]


def _word_bytes(word: re.Match[str]) -> bytes:
    content = word["content"]
    if word["kind"] in "qQ":
        return header_decode(content).encode("raw-unicode-escape")
    return binascii.a2b_base64(content + "=" * (-len(content) % 4))


def _known(value: str, encoding: str) -> str:
    return _decoded(value.encode("utf-8", "surrogateescape"), None, encoding)


def _column(header: str) -> str:
    return header.lower().replace("-", "_")


_NAMED = {
    "sender": ("From", _addresses),
    "recipients": ("To", _addresses),
    "copied": ("Cc", _addresses),
    "sent": ("Date", _moment),
    "subject": ("Subject", _words),
    "message_id": ("Message-ID", _words),
    "in_reply_to": ("In-Reply-To", _words),
}
METADATA = (*_NAMED, BODY_TYPE, ATTACHMENTS)

mail_format = partial(
    CorpusFormat,
    options=OPTIONS,
    configure=configure_mail,
    holds_spans=False,
    declares_encoding=True,
    left_out=attachments_of,
    metadata=METADATA,
)
"""Make a format of mails."""
