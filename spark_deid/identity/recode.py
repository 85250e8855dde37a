"""Technique ``recode``: a mention shows what the identifier view shows of its person."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from spark_deid.core.document import Document
from spark_deid.core.edit import Edit
from spark_deid.core.kinds import MethodContext, NoSettings, PlanView, SuppressedSpan, Technique, TechniqueKind
from spark_deid.core.span import Span
from spark_deid.identity.articles import LABEL as ARTICLE
from spark_deid.identity.written_examples import written_for

if TYPE_CHECKING:
    from spark_deid.core.corpus import Corpus

RECODE = "recode"
NO_VALUE, NOT_COVERED, NOT_SHOWN, NOT_QUASI, UNLINKED = "no-value", "not-covered", "not-shown", "not-quasi", "unlinked"
REASONS = (NO_VALUE, NOT_COVERED, NOT_SHOWN, NOT_QUASI, UNLINKED)
"""Why a mention is suppressed: no value could be read; the view's value does not cover it; its class shows nothing of
the attribute; the attribute is not generalized; its span is not one that was linked."""


def recode(document: Document, spans: Sequence[Span]) -> Iterator[Edit | SuppressedSpan]:
    """Replace mentions by what they are to show; others are left, with the reason.

    >>> from spark_deid.core.document import LinkedMention
    >>> document = Document("d", "Aged 77.", mentions=(LinkedMention(5, 7, "AGE", "[70-79]"),))
    >>> list(recode(document, [Span(5, 7, "AGE")]))
    [Edit(start=5, end=7, technique='recode', replacement='[70-79]')]
    """
    shown = {(each.start, each.end, each.label): each for each in document.mentions}
    for span in spans:
        there = shown.get((span.start, span.end, span.label))
        if there is None:
            yield SuppressedSpan(span.start, span.end, UNLINKED)
        elif there.replacement is None:
            yield SuppressedSpan(span.start, span.end, there.reason)
        else:
            yield Edit(span.start, span.end, RECODE, there.replacement)


def _describe(_: NoSettings) -> str:
    return "a value that fits all people of the equivalence class or that the mode allows, such as [70-79] or [2001]"


def _written(label: str, _: NoSettings, plan: PlanView) -> str:
    """Describe the replacements of a label by examples of its kind."""
    if label == ARTICLE:
        return "the article that agrees with the replacement"
    keys = plan.sections.get("identity")
    attribute = None if keys is None else keys.identity.attributes.get(label)
    return _describe(_) if keys is None or attribute is None else written_for(attribute, keys)


def _prepare(_: NoSettings, corpus: "Corpus", run: MethodContext) -> Technique:
    return recode


def _refuse(label: str, _: NoSettings, plan: PlanView) -> str | None:
    """Tell why a label can't be recoded; articles go with what is."""
    if label == ARTICLE:
        return None
    keys = plan.sections.get("identity")
    if keys is None:
        return "recode shows what the identifier view has: add identity and anonymity to the plan"
    if label not in keys.identity.attributes:
        return "recode needs to know what the label tells: add it to identity.attributes"
    return None


KIND = TechniqueKind(
    describe=_describe,
    prepare=_prepare,
    reasons=REASONS,
    refuse=_refuse,
    written=_written,
    recounted_by=("k_anonymous_persons", "shown_by_the_mode"),
)
