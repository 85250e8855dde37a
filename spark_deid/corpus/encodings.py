"""Other encodings than UTF-8: bytes are turned into UTF-8 before a format's parser sees them."""

import codecs
import re
from collections.abc import Callable
from dataclasses import replace

from spark_deid.core.document import RejectedInput
from spark_deid.core.errors import UsageError
from spark_deid.corpus.format import CorpusFormat, ParserUnit

OPTION = "encoding"
INVALID_UTF8, INVALID_ENCODING = "invalid-utf8", "invalid-encoding"
UTF8 = "utf-8"

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before that of UTF-16, which it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ASCII = bytes(range(128))
_NOT_TEXT = ("idna", "punycode", "raw_unicode_escape", "undefined", "unicode_escape", "utf_7")
_SLOW_OR_ESCAPES = frozenset(_NOT_TEXT) - {"utf_7"}
_ESCAPED = re.compile("[\udc80-\udcff]")
_HINT = ". If the input has another encoding, set --option {option}={name} (in a plan: input.options)"
_LIKELY = ". The input may have the encoding {name}. If so, set --option {option}={name} (in a plan: input.options)"
_LEAST_OF_SAMPLE, _MOST_OF_SAMPLE = 16, 1 << 14
_COMMON = {"iso8859-1": "cp1252"}


def in_encoding(format: CorpusFormat, name: str) -> CorpusFormat:
    """Return a format whose files are in an encoding that Python knows, such as ``latin-1`` or ``cp1252``.

    Raises UsageError for another name, and for one whose line ends are not bytes where a format is read by lines.
    """
    example = "expected an encoding such as utf-8, latin-1, cp1252 or utf-16"
    try:
        codec = codecs.lookup(name).name
        "a".encode(codec)
    except (LookupError, ValueError):
        raise UsageError(f"{OPTION}: {example}, got {name!r}") from None
    if codec.replace("-", "_") in _NOT_TEXT:
        raise UsageError(f"{OPTION}: {example}, got {name!r}")
    if format.unit is ParserUnit.LINE and not _extends_ascii(codec):
        raise UsageError(
            f"{OPTION}: {format.name} is read line by line, so expected an encoding that extends ASCII, got {name!r}"
        )
    return format if format.declares_encoding else replace(format, encoding=codec)


def text_codec(name: str) -> str | None:
    """Return the codec of a charset that a mail names; None for one that is unknown or no encoding of text.

    >>> text_codec("ISO-8859-1"), text_codec("punycode"), text_codec("base64")
    ('iso8859-1', None, None)
    """
    try:
        codec = codecs.lookup(name).name
        "a".encode(codec)
    except (LookupError, ValueError):
        return None
    return None if codec.replace("-", "_") in _SLOW_OR_ESCAPES else codec


def recode_as_utf8(data: bytes, encoding: str) -> bytes:
    """Return bytes as UTF-8; what the encoding has no character for becomes one byte that UTF-8 has none for.

    >>> recode_as_utf8(b"Jos\\xe9", "cp1252").decode()
    'José'
    """
    if encoding == UTF8:
        return data
    text = data.decode(encoding, "surrogateescape")
    return _ESCAPED.sub("\udc80", text).encode(UTF8, "surrogateescape")


def as_utf8(data: bytes, encoding: str) -> bytes:
    r"""Return the bytes of a whole file as UTF-8; where no encoding was named, a byte-order mark does.

    It is that of UTF-16 or UTF-32; no UTF-8 begins with one. Text in another encoding than its mark's is unchanged.

    >>> as_utf8("\ufeffJosé".encode("utf-16-le"), "utf-8").decode()
    'José'
    """
    marked = _marked(data) if encoding == UTF8 else None
    if marked is None:
        return recode_as_utf8(data, encoding)
    mark, codec = marked
    try:
        return data.removeprefix(mark).decode(codec).encode(UTF8)
    except UnicodeDecodeError:
        return data


def beginning_as_utf8(data: bytes, encoding: str) -> bytes:
    """Return the beginning of a file as UTF-8, as ``as_utf8`` does, without a character that is cut off at its end."""
    marked = _marked(data) if encoding == UTF8 else None
    return (
        recode_as_utf8(data, encoding)
        if marked is None
        else data.removeprefix(marked[0]).decode(marked[1], "ignore").encode()
    )


def _marked(data: bytes) -> tuple[bytes, str] | None:
    return next(((mark, codec) for mark, codec in _MARKS if data.startswith(mark)), None)


def explain_unreadable(reject: RejectedInput, format: CorpusFormat, likely: Callable[[], str | None]) -> RejectedInput:
    """State for bytes that can't be read how they could be, and in terms of the encoding that was asked for.

    ``likely`` guesses the encoding of the input; it is named, and never used.
    """
    if reject.reason != INVALID_UTF8 or OPTION not in format.options:
        return reject
    if format.encoding != UTF8:
        return reject._replace(reason=INVALID_ENCODING, detail=f"expected {format.encoding}, not every byte is")
    guessed = likely()
    hint = _HINT if guessed is None else _LIKELY
    return reject._replace(detail=reject.detail + hint.format(option=OPTION, name=guessed or "cp1252"))


def likely_encoding(data: bytes, format: CorpusFormat, *, is_cut: bool = False) -> str | None:
    """Guess the encoding of the lines that are not UTF-8, by how often letters of languages are side by side.

    ``data`` is an input, or its beginning, which ``is_cut`` off anywhere. None where too few bytes are not ASCII to
    show (with 20, all of 240 pieces of Portuguese, Croatian, Slovak or Swedish were recognized, but for DOS's two code
    pages), and where a format can't be in what is likely.
    """
    import chardet

    lines = data.split(b"\n")
    lines = lines[:-1] if is_cut and len(lines) > 1 else lines
    sample = b"\n".join(line for line in lines if not _is_utf8(line))[:_MOST_OF_SAMPLE]
    if sum(byte > 127 for byte in sample) < _LEAST_OF_SAMPLE:
        return None
    found = chardet.detect(sample)["encoding"]
    if found is None:
        return None
    try:
        name = codecs.lookup(found).name
        name = _COMMON.get(name, name)
        sample.decode(name)
        in_encoding(format, name)
    except (LookupError, UnicodeDecodeError, UsageError):
        return None
    return None if name in (UTF8, "ascii") else name


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode(UTF8)
    except UnicodeDecodeError:
        return False
    return True


def _extends_ascii(codec: str) -> bool:
    try:
        return _ASCII.decode(codec) == _ASCII.decode("ascii")
    except UnicodeDecodeError:
        return False
