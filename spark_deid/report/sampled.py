"""Documents of a release to look through, and what ticks beside them say of all of it."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_PLACEHOLDER = re.compile(r"\[[A-Z][A-Z0-9_-]{0,39}(?: \d+)?\]|\*{2,}")


class SampledStretch(NamedTuple):
    """A stretch of released text; ``is_placeholder`` where it is written as what stands for removed text is."""

    text: str
    is_placeholder: bool


class SampledDocument(NamedTuple):
    """A released document, whole."""

    doc_id: str
    text: str

    @property
    def pieces(self) -> tuple[SampledStretch, ...]:
        """Cut the text at what looks like placeholders."""
        return tuple(_pieces(self.text))


class ReleaseSample(NamedTuple):
    """Documents of a release; ``number`` is that of all, ``digest`` what they were drawn by, ``draw`` counts from 1.

    ``bounds`` has, for each number of documents that are ticked, the most of all, as a share, that are like them, with
    a confidence.
    """

    documents: tuple[SampledDocument, ...]
    number: int
    digest: str
    draw: int
    confidence: float
    bounds: tuple[float, ...]


def _pieces(text: str) -> Iterator[SampledStretch]:
    position = 0
    for match in _PLACEHOLDER.finditer(text):
        yield SampledStretch(text[position : match.start()], False)
        yield SampledStretch(match[0], True)
        position = match.end()
    yield SampledStretch(text[position:], False)
