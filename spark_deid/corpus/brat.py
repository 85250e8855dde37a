"""brat standoff: ``x.txt`` with ``x.ann`` next to it; relations, events, attributes and notes are skipped."""

import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError
from spark_deid.core.span import Span
from spark_deid.corpus.checks import checked_pieces, decode
from spark_deid.corpus.format import CorpusFormat, ParserUnit

_PASSED_OVER = "REAMN*#"
_FRAGMENTS = re.compile(r"(\S+) ([0-9]{1,18} [0-9]{1,18}(?:;[0-9]{1,18} [0-9]{1,18})*)")
_LINE = re.compile(r"[^\r\n]+")
_SPACE = re.compile(r"\s+")


def parse_document(data: bytes, companion: bytes | None, source: str, doc_id: str) -> Document:
    """Read a text and its annotations; pieces of a discontinuous one share its id.

    A byte-order mark is not text, but brat counts it as a character: offsets are read that way first, and as if it
    were not there where that fails.

    Raises FormatError; one bad annotation rejects the document.
    """
    text = decode(data)
    annotations = decode(companion) if companion else ""
    if data.startswith(BOM_UTF8):
        try:
            return Document(doc_id, text, spans=tuple(_parse_annotations(annotations, text, counted=1)))
        except FormatError:
            pass
    return Document(doc_id, text, spans=tuple(_parse_annotations(annotations, text, counted=0)))


def render_document(document: Document) -> Mapping[str, bytes]:
    """Write a text and its annotations.

    What is on several lines becomes fragments. Whitespace in labels becomes ``_``; subject, metadata, scores and
    spans of nothing but line breaks are lost.
    """
    lines = (
        f"T{number}\t{line}\n"
        for number, line in enumerate(_render_annotations(document.text, document.spans), start=1)
    )
    return {".txt": document.text.encode("utf-8"), ".ann": "".join(lines).encode("utf-8")}


def _parse_annotations(annotations: str, text: str, *, counted: int) -> Iterator[Span]:
    for number, line in enumerate(annotations.split("\n"), start=1):
        if not line.strip() or line[0] in _PASSED_OVER:
            continue
        yield from _parse_annotation(line.removesuffix("\r"), text, counted, f"line {number} of the .ann")


def _parse_annotation(line: str, text: str, counted: int, where: str) -> tuple[Span, ...]:
    fields = line.split("\t", maxsplit=2)
    match = _FRAGMENTS.fullmatch(fields[1]) if len(fields) == 3 and fields[0][:1] == "T" else None
    if match is None:
        raise FormatError("bad-annotation", f"{where}: expected T<number>, label and offsets, and the surface, in tabs")
    offsets = [_pair(piece, counted) for piece in match[2].split(";")]
    annotation_id = fields[0] if len(offsets) > 1 else None
    return checked_pieces(text, offsets, fields[2], match[1], where=where, annotation_id=annotation_id)


def _pair(piece: str, counted: int) -> tuple[int, int]:
    start, end = piece.split(" ")
    return int(start) - counted, int(end) - counted


def _render_annotations(text: str, spans: Iterable[Span]) -> Iterator[str]:
    for label, pieces in _annotations(spans):
        fragments = [
            (match.start(), match.end()) for piece in pieces for match in _LINE.finditer(text, piece.start, piece.end)
        ]
        if fragments:
            offsets = ";".join(f"{start} {end}" for start, end in fragments)
            surface = " ".join(text[start:end] for start, end in fragments)
            yield f"{_SPACE.sub('_', label)} {offsets}\t{surface}"


def _annotations(spans: Iterable[Span]) -> Iterable[tuple[str, list[Span]]]:
    """Gather the pieces of discontinuous annotations, everything in order of the first start."""
    groups: dict[object, tuple[str, list[Span]]] = {}
    for number, span in enumerate(sorted(spans, key=lambda s: (s.start, -s.end, s.label))):
        key = number if span.annotation_id is None else (span.annotation_id, span.label, span.source)
        groups.setdefault(key, (span.label, []))[1].append(span)
    return groups.values()


FORMAT = CorpusFormat(
    name="brat",
    suffixes=(".txt",),
    unit=ParserUnit.DOCUMENT,
    companions=(".ann",),
    parse_document=parse_document,
    render_document=render_document,
    options=("encoding", "content"),
)
