"""From items to records: every input comes out once, as a document or as a reject."""

import gzip
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, partial
from itertools import pairwise
from typing import BinaryIO, NamedTuple

from spark_deid.core.document import Document, RejectedInput
from spark_deid.core.errors import FormatError
from spark_deid.core.labels import plain_label
from spark_deid.corpus.checks import GOLD, GOLD_MENDED, GOLD_UTF16, GOLD_WHITESPACE
from spark_deid.corpus.content import check_content
from spark_deid.corpus.encodings import as_utf8, beginning_as_utf8, explain_unreadable, likely_encoding, recode_as_utf8
from spark_deid.corpus.format import CorpusFormat, ParserUnit
from spark_deid.corpus.items import InputItem, is_packed
from spark_deid.corpus.parquet import RowGroup, read_blocks
from spark_deid.corpus.records import Base64Text
from spark_deid.storage.files import fault_of, open_file

_BLOCK = 1 << 20
_CUT, _PACKED_CUT = 16 << 20, 2 << 20
"""Bytes of a file, plain or packed, up to which it is read whole for its first records."""
_LINE_ENDS = 64  # bytes, by which an empty line before a range is recognized
MOST_TIMES, LEAST_LIMIT = 250, 64 << 20
"""A gzip file may unpack to that many times its size, or to that many bytes, if that is more."""


class CorpusRecord(NamedTuple):
    """A document or a reject, where it occurs, and how many annotations were converted on the way.

    ``name`` and ``number`` order the records of an input; ``source`` is what users see.
    """

    name: str
    number: int
    source: str
    outcome: Document | RejectedInput
    whitespace: int = 0
    utf16: int = 0
    mended: int = 0
    relabelled: int = 0
    left_out: int = 0
    base64: int = 0


def read_item(item: InputItem, format: CorpusFormat) -> Iterator[CorpusRecord]:
    """Read one item; what can't be read comes as rejects, and nothing is raised."""
    if item.reason is not None:
        yield _rejected(item.name, 0, item.name, FormatError(item.reason, item.detail, records=item.records))
        return
    likely = cache(partial(_likely_encoding, item, format))
    number = item.before + (item.end >= 0)
    try:
        for record in _READERS[format.unit](item, format):
            outcome, number = record.outcome, record.number + 1
            if isinstance(outcome, RejectedInput):
                record = record._replace(outcome=explain_unreadable(outcome, format, likely))
            yield record
    except FormatError as error:
        yield _rejected_whole(item, number, format, error)
    except Exception as error:
        yield _rejected_whole(item, number, format, describe_unexpected(format, error))


def _rejected_whole(item: InputItem, number: int, format: CorpusFormat, error: FormatError) -> CorpusRecord:
    """Reject an item from record ``number`` on; of a file of many records the number of the rest is unknown."""
    records = 1 if format.unit is ParserUnit.DOCUMENT else None
    outcome = RejectedInput(item.name, error.reason, error.detail, records)
    return CorpusRecord(item.name, number, item.name, outcome)


def is_torn(record: CorpusRecord) -> bool:
    """Return whether a reject represents an unknown number of records of a file of which others may be read.

    All records of such a file are rejected with it.
    """
    outcome = record.outcome
    return isinstance(outcome, RejectedInput) and outcome.records is None and record.number > 0


def read_first(item: InputItem, format: CorpusFormat) -> Iterator[CorpusRecord]:
    """Read an item as ``read_item`` does; of a large file that is parsed whole, the records of its beginning.

    Large files that can't be cut have no records here; ``is_cut`` returns whether records may be missing.
    """
    if not is_cut(item, format):
        yield from read_item(item, format)
    elif format.unit is ParserUnit.FILE and format.header is not None and not is_packed(item.path):
        yield from _read_cut(item, format)


def is_cut(item: InputItem, format: CorpusFormat) -> bool:
    """Return whether an item is too large to be read whole for its first records."""
    is_streamed = format.unit in (ParserUnit.LINE, ParserUnit.BLOCK, ParserUnit.TABLE)
    if is_packed(item.path):
        return item.size > _PACKED_CUT
    return item.size > _CUT and not is_streamed


def _read_cut(item: InputItem, format: CorpusFormat) -> Iterator[CorpusRecord]:
    """Yield the records in the first bytes of a file, without the last, which may be cut."""
    assert format.parse_file is not None
    with suppress(OSError, FormatError), open_file(item.path) as stream:
        data = beginning_as_utf8(stream.read(_CUT), format.encoding)
        records = _records_of_file(item, format, format.parse_file(data, item.name))
        for record, _ in pairwise(records):
            yield record


def _likely_encoding(item: InputItem, format: CorpusFormat) -> str | None:
    """Guess the encoding of an item by its beginning; None where it can't be read a second time."""
    try:
        with open_file(item.path) as stream:
            if is_packed(item.path):
                data = gzip.GzipFile(fileobj=stream).read(_BLOCK)
            else:
                stream.seek(item.begin)
                data = stream.read(_BLOCK)
        return likely_encoding(data, format, is_cut=len(data) == _BLOCK)
    except (OSError, EOFError, zlib.error):
        return None


def describe_unexpected(format: CorpusFormat, error: Exception) -> FormatError:
    """State that reading itself failed, by the type of the error: its message may hold text."""
    return FormatError("unreadable", f"reading {format.name} failed with {type(error).__name__}")


def count_records(item: InputItem, format: CorpusFormat) -> int:
    """Count the lines that begin in an item's range, or the blocks of lines. Raises OSError."""
    return _count_blocks(item, format) if format.unit is ParserUnit.BLOCK else _count_lines(item)


def _count_blocks(item: InputItem, format: CorpusFormat) -> int:
    count = 0
    for position, line, begins in _begun_lines(item, format):
        if isinstance(line, FormatError) or 0 <= item.end <= position:
            break
        count += begins
    return count


def _count_lines(item: InputItem) -> int:
    count = int(item.begin == 0)
    with open_file(item.path) as stream:
        position = max(item.begin - 1, 0)
        stream.seek(position)
        while position < item.end - 1:
            block = stream.read(min(_BLOCK, item.end - 1 - position))
            if not block:
                break
            count += block.count(b"\n")
            position += len(block)
    return count


def read_bytes(path: str) -> bytes:
    """Read a file whole, unpacked where it ends in ``.gz``. Raises FormatError "unreadable"."""
    try:
        with open_file(path) as stream:
            return b"".join(_unpacked(stream)) if is_packed(path) else stream.read()
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise _torn_gzip() from None
    except OSError as error:
        raise _unreadable(error) from None


def _read_document(item: InputItem, format: CorpusFormat) -> Iterator[CorpusRecord]:
    parse = format.parse_document
    assert parse is not None
    content = read_bytes(item.path)
    check_content(content, format)
    data = as_utf8(content, format.encoding)
    companion = None if item.companion is None else as_utf8(read_bytes(item.companion), format.encoding)
    yield from _parse(item.name, 1, item.name, format, partial(parse, data, companion, item.name, item.doc_id))


def _read_file(item: InputItem, format: CorpusFormat) -> Iterator[CorpusRecord]:
    """Parse to the end before anything is handed out: an error that is raised rejects the whole file."""
    assert format.parse_file is not None
    content = read_bytes(item.path)
    check_content(content, format)
    data = as_utf8(content, format.encoding)
    try:
        parsed = list(format.parse_file(data, item.name))
    except FormatError:
        raise
    except Exception as error:
        raise _failure(format, error) from None
    if torn := next((each for each in parsed if isinstance(each, FormatError) and each.records is None), None):
        raise torn
    yield from _records_of_file(item, format, parsed)


def _records_of_file(
    item: InputItem, format: CorpusFormat, parsed: Iterable[Document | FormatError]
) -> Iterator[CorpusRecord]:
    for number, value in enumerate(parsed, start=1):
        if isinstance(value, FormatError):
            yield _rejected(item.name, number, f"{item.name}#{number}", value)
        else:
            yield _read(item.name, number, f"{item.name}#{number}", value, format)


def _read_lines(item: InputItem, format: CorpusFormat) -> Iterator[CorpusRecord]:
    parse = format.parse_line
    assert parse is not None
    _check_gzip(item)
    number = item.before
    for line in _lines(item):
        number += 1
        source = f"{item.name}#{number}"
        if isinstance(line, FormatError):
            yield _rejected(item.name, number, source, line)
            continue
        parsed = recode_as_utf8(line, format.encoding)
        yield from _parse(item.name, number, source, format, partial(parse, parsed, source, source))


def _read_blocks_of_lines(item: InputItem, format: CorpusFormat) -> Iterator[CorpusRecord]:
    parse = format.parse_line
    assert parse is not None
    _check_gzip(item)
    for number, block in enumerate(_blocks(item, format), start=item.before + 1):
        source = f"{item.name}#{number}"
        if isinstance(block, FormatError):
            yield _rejected(item.name, number, source, block)
        else:
            yield from _parse(item.name, number, source, format, partial(parse, block, source, source))


def _blocks(item: InputItem, format: CorpusFormat) -> Iterator[bytes | FormatError]:
    """Yield the records that begin in the range, the last one to its end, and an error if the file can't be read on.

    Lines before the first record of a file are a record; those of a later range belong to the range before.
    """
    gathered: list[bytes] = []
    for position, line, begins in _begun_lines(item, format):
        if isinstance(line, FormatError):
            yield line
            return
        if begins:
            if gathered:
                yield b"\n".join(gathered)
            if 0 <= item.end <= position:
                return
            gathered = [line]
        elif gathered:
            gathered.append(line)
    if gathered:
        yield b"\n".join(gathered)


def _begun_lines(item: InputItem, format: CorpusFormat) -> Iterator[tuple[int, bytes | FormatError, bool]]:
    """Yield lines from the beginning of the range to the end of the file, their bytes and whether a record begins."""
    assert format.begins is not None
    before, first = _lines_around(item)
    has_begun = item.begin > 0
    lines = _placed_lines(item, end=-1)
    held = next(lines, None)
    while held is not None:
        (position, line), held = held, next(lines, None)
        if isinstance(line, FormatError):
            yield position, line, False
            return
        after = held[1] if held is not None and isinstance(held[1], bytes) else None
        begins = format.begins(line, before, after, first) or (not has_begun and bool(line.strip()))
        has_begun |= begins
        yield position, line, begins
        before = line


def _lines_around(item: InputItem) -> tuple[bytes | None, bytes]:
    """Return the line before the first line of a range, its end only, and the first line of the file.

    Raises OSError if a file can't be opened; a packed one is not looked into.
    """
    try:
        with open_file(item.path) as stream:
            if is_packed(item.path):
                return None, gzip.GzipFile(fileobj=stream).readline().removesuffix(b"\n")
            first = stream.readline().removesuffix(b"\n")
            if not item.begin:
                return None, first
            stream.seek(item.begin - 1)
            position = item.begin - 1 + len(stream.readline())
            start = max(0, position - _LINE_ENDS)
            stream.seek(start)
            lines = stream.read(position - start).split(b"\n")
            return lines[-2] if len(lines) > 1 else b"x", first
    except OSError as error:
        raise _unreadable(error) from None


def _lines(item: InputItem) -> Iterator[bytes | FormatError]:
    """Yield the lines that begin in the range, without their line feeds, and an error where reading breaks off."""
    return (line for _, line in _placed_lines(item, end=item.end))


def _placed_lines(item: InputItem, *, end: int) -> Iterator[tuple[int, bytes | FormatError]]:
    """Yield lines from where the range begins, each with the byte that it begins at; of gzip files that byte is 0."""
    try:
        with open_file(item.path) as stream:
            if is_packed(item.path):
                yield from ((0, line.removesuffix(b"\n")) for line in gzip.GzipFile(fileobj=stream))
            else:
                yield from _lines_of_range(stream, item.begin, end)
    except OSError as error:
        yield 0, _unreadable(error)


def _lines_of_range(stream: BinaryIO, begin: int, end: int) -> Iterator[tuple[int, bytes]]:
    position = begin
    if begin > 0:
        stream.seek(begin - 1)
        position += len(stream.readline()) - 1
    while end < 0 or position < end:
        line = stream.readline()
        if not line:
            return
        yield position, line.removesuffix(b"\n")
        position += len(line)


def _check_gzip(item: InputItem) -> None:
    """Unpack once for nothing, since a file torn at its end must not hand out its beginning."""
    if not is_packed(item.path):
        return
    try:
        with open_file(item.path) as stream:
            for _ in _unpacked(stream):
                pass
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise _torn_gzip() from None
    except OSError as error:
        raise _unreadable(error) from None


def _read_table(item: InputItem, format: CorpusFormat) -> Iterator[CorpusRecord]:
    try:
        with open_file(item.path) as stream:
            for block in read_blocks(stream, item.name):
                yield from _read_block(item, format, block)
    except OSError as error:
        raise _unreadable(error) from None


def _read_block(item: InputItem, format: CorpusFormat, block: RowGroup) -> Iterator[CorpusRecord]:
    if block.error is not None:
        source = f"{item.name}#{block.first}-{block.first + block.rows - 1}"
        error = FormatError(block.error.reason, block.error.detail, records=block.rows)
        yield _rejected(item.name, block.first, source, error)
    for number, row in enumerate(block.values, start=block.first):
        yield from read_row(item.name, number, row, format)


def read_row(
    name: str, number: int, row: Mapping[str, object] | FormatError, format: CorpusFormat
) -> Iterator[CorpusRecord]:
    """Read one row of a table, or reject it for what went wrong before: one record."""
    parse = format.parse_row
    assert parse is not None
    source = f"{name}#{number}"
    if isinstance(row, FormatError):
        yield _rejected(name, number, source, row)
        return
    yield from _parse(name, number, source, format, partial(parse, row, source, source))


def _parse(
    name: str, number: int, source: str, format: CorpusFormat, parse: Callable[[], Document | None]
) -> Iterator[CorpusRecord]:
    """Call a parser: one record, or none where it returns None; errors of any kind reject the input."""
    try:
        document = parse()
    except FormatError as error:
        yield _rejected(name, number, source, error)
    except Exception as error:
        yield _rejected(name, number, source, _failure(format, error))
    else:
        if document is not None:
            yield _read(name, number, source, document, format)


def _read(name: str, number: int, source: str, document: Document, format: CorpusFormat) -> CorpusRecord:
    """Call every imported annotation gold, make its label plain, or another name, and count what was converted."""
    try:
        check_content(document.text, format)
    except FormatError as error:
        return _rejected(name, number, source, error)
    sources = [span.source for span in document.spans]
    labels = [span.label for span in document.spans]
    others = {label: _named(label, format.labels) for label in {*labels}}
    is_gold = sources.count(GOLD) == len(sources) and all(label == name for label, name in others.items())
    spans = document.spans
    if not is_gold:
        spans = tuple(span._replace(source=GOLD, label=others[span.label]) for span in spans)
    return CorpusRecord(
        name,
        number,
        source,
        document._replace(spans=spans),
        whitespace=sources.count(GOLD_WHITESPACE),
        utf16=sources.count(GOLD_UTF16),
        mended=sources.count(GOLD_MENDED),
        relabelled=sum(labels.count(label) for label in others if plain_label(label) != label),
        left_out=format.left_out(document) if format.left_out else 0,
        base64=sum(isinstance(value, Base64Text) for value in document.meta.values()),
    )


def _named(label: str, labels: Mapping[str, str]) -> str:
    plain = plain_label(label)
    return labels.get(plain, plain)


def _rejected(name: str, number: int, source: str, error: FormatError) -> CorpusRecord:
    return CorpusRecord(name, number, source, RejectedInput(source, error.reason, error.detail, error.records))


def _failure(format: CorpusFormat, error: Exception) -> FormatError:
    return FormatError("malformed", f"the reader of {format.name} failed with {type(error).__name__}")


def _unpacked(stream: BinaryIO) -> Iterator[bytes]:
    """Yield blocks of what a gzip file holds; raises FormatError where it is much more than any text packs into it."""
    most = max(MOST_TIMES * stream.seek(0, os.SEEK_END), LEAST_LIMIT)
    stream.seek(0)
    total = 0
    with gzip.GzipFile(fileobj=stream) as unpacked:
        while block := unpacked.read(_BLOCK):
            total += len(block)
            if total > most:
                raise FormatError("unreadable", f"expected a gzip file that unpacks to at most {most} bytes")
            yield block


def _torn_gzip() -> FormatError:
    return FormatError("unreadable", "expected a whole gzip file")


def _unreadable(error: OSError) -> FormatError:
    return FormatError("unreadable", f"the file can't be read ({fault_of(error)})", records=None)


_READERS: Mapping[ParserUnit, Callable[[InputItem, CorpusFormat], Iterator[CorpusRecord]]] = {
    ParserUnit.DOCUMENT: _read_document,
    ParserUnit.FILE: _read_file,
    ParserUnit.BLOCK: _read_blocks_of_lines,
    ParserUnit.LINE: _read_lines,
    ParserUnit.TABLE: _read_table,
}
