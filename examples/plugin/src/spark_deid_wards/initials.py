"""A technique: initials instead of names. In a plan: ``rules: {NAME: {technique: initials, dots: true}}``.

A span that is its own initials is omitted, and so suppressed and counted.
"""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from spark_deid.extending import Document, Edit, MethodContext, PlanSection, Span, Technique, TechniqueKind

if TYPE_CHECKING:
    from spark_deid.extending import Corpus


class InitialsSettings(PlanSection):
    """Whether a full stop follows each initial."""

    dots: bool = True


def initials(document: Document, spans: Sequence[Span], *, dots: bool) -> list[Edit]:
    """Replace each span by the first letters of its words; edits of what would remain the same are omitted."""
    edits = []
    for span in spans:
        words = document.text[span.start : span.end].split()
        written = " ".join(word[0] + ("." if dots else "") for word in words)
        if written != document.text[span.start : span.end]:
            edits.append(Edit(span.start, span.end, "initials", written))
    return edits


def _prepare(settings: InitialsSettings, corpus: "Corpus", run: MethodContext) -> Technique:
    return partial(initials, dots=settings.dots)


def _describe(settings: InitialsSettings) -> str:
    return "the initials of its words"


KIND = TechniqueKind(settings=InitialsSettings, describe=_describe, prepare=_prepare, sees="document")
