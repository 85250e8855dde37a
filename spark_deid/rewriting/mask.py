"""Masking: stars instead of text, one a run or one a character."""

from collections.abc import Sequence
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING, Literal

from spark_deid.core.arrow import rows_of
from spark_deid.core.document import Document
from spark_deid.core.edit import MASK, STAR, Edit
from spark_deid.core.kinds import MethodContext, PlanSection, Technique, TechniqueKind
from spark_deid.core.span import Span

if TYPE_CHECKING:
    from spark_deid.core.corpus import Corpus


class MaskSettings(PlanSection):
    """One star for each run, or one for each character."""

    per: Literal["run", "character"] = "run"


def mask(document: Document, spans: Sequence[Span], *, per: str) -> tuple[Edit, ...]:
    """Replace each span by stars; neighbours are not joined, since spaces between them may be evidence (law 5).

    >>> mask(Document("d", "Ann Lee"), [Span(0, 3, "RARE")], per="character")
    (Edit(start=0, end=3, technique='mask', replacement='★★★'),)
    """
    if per == "character":
        return tuple(Edit(start, end, MASK, STAR * (end - start)) for start, end, *_ in spans)
    if not spans:
        return ()
    starts, ends, *_ = zip(*spans, strict=True)
    return tuple(rows_of(Edit, starts, ends, repeat(MASK), repeat(STAR)))


def _describe(settings: MaskSettings) -> str:
    return f"one {STAR} per {settings.per}"


def _prepare(settings: MaskSettings, corpus: "Corpus", run: MethodContext) -> Technique:
    return partial(mask, per=settings.per)


def _placeholder(label: str) -> str:
    return STAR


KIND = TechniqueKind(
    describe=_describe, prepare=_prepare, sees="document", settings=MaskSettings, placeholder=_placeholder
)
