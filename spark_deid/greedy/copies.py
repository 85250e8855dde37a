"""The document rule: what was found in one place of a document is marked in its other places too."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from spark_deid.core.span import Span
from spark_deid.core.words import WORD
from spark_deid.greedy.game import Offsets
from spark_deid.learners.base import Model
from spark_deid.text.view import View

Surfaces = dict[str, list[tuple[str, str]]]


@dataclass(frozen=True)
class Copying:
    """A model that follows the document rule for spans of at least ``length`` characters."""

    model: Model
    length: int

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the labels of the model."""
        return self.model.labels

    def tokens(self, view: View) -> tuple[Offsets, Offsets]:
        """Return the model's instances."""
        return self.model.tokens(view)

    def predict(self, view: View) -> tuple[Span, ...]:
        """Return the model's spans and their copies, in order."""
        return with_copies(view, self.model.predict(view), self.length)

    def save(self, folder: Path) -> None:
        """Write the model; the rule is kept with the decoding."""
        self.model.save(folder)


def with_copies(view: View, spans: Sequence[Span], length: int) -> tuple[Span, ...]:
    """Add the other places of every marked piece of text, where nothing is marked or removed yet.

    A piece counts if it has ``length`` characters, begins and ends with a word and has one label wherever it is
    marked. Longer pieces go first, then earlier places. Copies have no score.

    >>> with_copies(View("Mr Ashe: Ashe, Ashes"), [Span(3, 7, "NAME")], 4)[1:]
    (Span(start=9, end=13, label='NAME', score=None, source='', annotation_id=None),)
    """
    text = view.text
    surfaces = _surfaces(text, spans, length)
    if not surfaces:
        return tuple(spans)
    taken = bytearray(len(text))
    for span in (*view.removed, *spans):
        taken[span.start : span.end] = b"\1" * (span.end - span.start)
    copies: list[Span] = []
    for start, end, label in sorted(_places(text, surfaces), key=lambda place: (place[0] - place[1], place[0])):
        if not any(taken[start:end]):
            taken[start:end] = b"\1" * (end - start)
            copies.append(Span(start, end, label))
    return tuple(sorted((*spans, *copies), key=lambda span: span.start))


def _surfaces(text: str, spans: Iterable[Span], length: int) -> Surfaces:
    """Gather pieces of text and their labels by their first word."""
    labels: defaultdict[str, set[str]] = defaultdict(set)
    for span in spans:
        labels[text[span.start : span.end]].add(span.label)
    surfaces: Surfaces = {}
    for piece, names in labels.items():
        first = WORD.match(piece)
        if len(piece) >= length and len(names) == 1 and first and WORD.match(piece[-1]):
            surfaces.setdefault(first.group(), []).append((piece, min(names)))
    return surfaces


def _places(text: str, surfaces: Surfaces) -> Iterable[tuple[int, int, str]]:
    words = [match.span() for match in WORD.finditer(text)]
    ends = {end for _, end in words}
    for start, stop in words:
        for piece, label in surfaces.get(text[start:stop], ()):
            if start + len(piece) in ends and text.startswith(piece, start):
                yield start, start + len(piece), label
