"""Writing CoNLL: two columns, IOB2, with ``# newdoc id`` and ``# text``, so that the text comes back as it was."""

import re
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError
from spark_deid.core.overlaps import resolve_overlaps
from spark_deid.core.span import Span

_TOKEN = re.compile(r"\w+|[^\w\s]")
_SPACE = re.compile(r"\s+")


def render_file(documents: Iterable[Document]) -> bytes:
    r"""Write documents, a sentence a line of the text.

    Texts and ids come back exactly. Lost are subject, metadata, scores, what joins discontinuous pieces, and white
    space at the ends of spans; overlapping spans are made disjoint; a span over a line break becomes two; whitespace
    in labels becomes ``_``. Raises FormatError "unsafe-id" for an id that does not fit on a line.

    >>> render_file([Document("x", "Ann!", spans=(Span(0, 3, "NAME"),))]).decode()
    '# newdoc id = x\n# text = Ann!\nAnn\tB-NAME\n!\tO\n\n'
    """
    return "".join(part for document in documents for part in _render(document)).encode("utf-8")


def _render(document: Document) -> Iterator[str]:
    if not document.doc_id.isprintable() or document.doc_id != document.doc_id.strip():
        raise FormatError("unsafe-id", "expected an id of printable characters without outer spaces")
    yield f"# newdoc id = {document.doc_id}\n"
    spans = sorted(resolve_overlaps(document.text, document.spans), key=attrgetter("start"))
    start = 0
    for line in document.text.split("\n"):
        yield f"# text = {line}\n"
        end = start + len(line)
        yield from _token_lines(document.text, start, end, [s for s in spans if s.start < end and s.end > start])
        yield "\n"
        start = end + 1


def _token_lines(text: str, start: int, end: int, spans: Sequence[Span]) -> Iterator[str]:
    position = start
    for span in spans:
        yield from _tagged(text, position, max(position, span.start), None)
        yield from _tagged(text, max(start, span.start), min(end, span.end), _SPACE.sub("_", span.label))
        position = min(end, span.end)
    yield from _tagged(text, position, end, None)


def _tagged(text: str, start: int, end: int, label: str | None) -> Iterator[str]:
    prefix = "B"
    for match in _TOKEN.finditer(text, start, end):
        yield f"{match[0]}\t{OUTSIDE if label is None else f'{prefix}-{label}'}\n"
        prefix = "I"


# Tags of tokens, as CoNLL files have them: IOB1, IOB2 and BIOES, read by one rule.


_TAG = re.compile(r"([BIES])-(\S.*)", re.DOTALL)
OUTSIDE = "O"
# UNER's English EWT tags the first token of every document so.
_ARTEFACT = "B-O"


class LabelledRun(NamedTuple):
    """Tokens ``first`` to ``last``, both included, that bear one label."""

    first: int
    last: int
    label: str


def is_tag(tag: str) -> bool:
    """Return whether a tag is ``O`` or one of B, I, E, S with a hyphen and a label."""
    return tag == OUTSIDE or _TAG.fullmatch(tag) is not None


def read_chunks(tags: Sequence[str]) -> tuple[LabelledRun, ...]:
    """Return what the tags of one sentence mark, whichever of the three schemes they follow.

    An I or E that continues nothing begins a chunk, as in IOB1. Raises ValueError for what is not a tag.

    >>> read_chunks(["I-PER", "I-PER", "O", "S-LOC"])
    (LabelledRun(first=0, last=1, label='PER'), LabelledRun(first=3, last=3, label='LOC'))
    """
    return tuple(_chunks(tags))


def _chunks(tags: Iterable[str]) -> Iterator[LabelledRun]:
    begun: LabelledRun | None = None
    for index, tag in enumerate(tags):
        prefix, label = _split(tag)
        continues = begun is not None and prefix in "IE" and begun.label == label
        if begun is not None and not continues:
            yield begun
            begun = None
        if label:
            begun = LabelledRun(index if begun is None else begun.first, index, label)
        if begun is not None and prefix in "ES":
            yield begun
            begun = None
    if begun is not None:
        yield begun


def _split(tag: str) -> tuple[str, str]:
    if tag in (OUTSIDE, _ARTEFACT):
        return OUTSIDE, ""
    match = _TAG.fullmatch(tag)
    if match is None:
        raise ValueError("expected O, or B, I, E or S with a label")
    return match[1], match[2]
