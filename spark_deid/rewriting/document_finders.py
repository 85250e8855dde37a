"""Finders on batches of documents, each in the language that its metadata names."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import pyarrow as pa

from spark_deid.core.arrow import spans_in
from spark_deid.core.span import Finder, Span, SpanExtender
from spark_deid.text.language import in_language


class DocumentFinders(NamedTuple):
    """Finders, the metadata that states the language of a document, if any, and functions that add spans.

    ``settle`` changes the spans of a text after all of them were found.
    """

    finders: tuple[Finder, ...] = ()
    language_column: str | None = None
    extenders: tuple[SpanExtender, ...] = ()
    settle: Callable[[str, Sequence[Span]], Sequence[Span]] | None = None

    def find(self, text: str, given: Sequence[Span] = ()) -> Sequence[Span]:
        """Return the spans that a text has already, those that finders find, and those that extenders add."""
        found = [*given, *chain.from_iterable(find(text) for find in self.finders)]
        for extend in self.extenders:
            found += extend(text, found)
        return found if self.settle is None else self.settle(text, found)

    def found_in(self, batch: pa.RecordBatch) -> list[Sequence[Span]]:
        """Return the spans of each document of a batch: those it came with, and what the finders find."""
        given = spans_in(batch.column("spans"))
        if self.is_empty:
            return list(given)
        return [self.find(text, spans) for text, spans in zip(self._texts(batch), given, strict=True)]

    @property
    def is_empty(self) -> bool:
        """Return whether nothing can be found."""
        return not self.finders and not self.extenders

    def _texts(self, batch: pa.RecordBatch) -> Iterator[str]:
        texts = batch.column("text").to_pylist()
        if self.language_column is None:
            return iter(texts)
        stated = (dict(meta or ()).get(self.language_column) for meta in batch.column("meta").to_pylist())
        return map(in_language, texts, stated)


NO_FINDERS = DocumentFinders()
