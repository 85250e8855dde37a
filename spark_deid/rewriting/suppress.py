"""Suppression: every marked character gives way to a typed placeholder."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spark_deid.core.document import Document
from spark_deid.core.edit import Edit
from spark_deid.core.kinds import MethodContext, NoSettings, Technique, TechniqueKind
from spark_deid.core.overlaps import join_adjacent
from spark_deid.core.span import Span

if TYPE_CHECKING:
    from spark_deid.core.corpus import Corpus

SUPPRESS = "suppress"
"""The technique's name: it also treats spans that another technique returns."""


REMOVED = "[REMOVED]"
"""Replacement of text that is its own placeholder already."""


def placeholder(label: str) -> str:
    """Return what represents text of a label.

    >>> placeholder("NAME")
    '[NAME]'
    """
    return f"[{label}]"


def suppress(document: Document, spans: Sequence[Span]) -> tuple[Edit, ...]:
    """Replace disjoint spans; neighbours of one label over one or two spaces become one placeholder (law 3).

    >>> suppress(Document("d", "Ann Lee came."), [Span(0, 3, "NAME"), Span(4, 7, "NAME")])
    (Edit(start=0, end=7, technique='suppress', replacement='[NAME]'),)
    """
    joined = join_adjacent(document.text, spans)
    return tuple(Edit(span.start, span.end, SUPPRESS, placeholder(span.label)) for span in joined)


def _describe(_: NoSettings) -> str:
    return "a placeholder such as [NAME]"


def _prepare(_: NoSettings, corpus: "Corpus", run: MethodContext) -> Technique:
    return suppress


KIND = TechniqueKind(describe=_describe, prepare=_prepare, sees="document", placeholder=placeholder)
