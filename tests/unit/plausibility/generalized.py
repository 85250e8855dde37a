"""Documents that are generalized and counted again, without Spark."""

from collections.abc import Iterable, Sequence
from functools import partial

from spark_deid.core.document import Document
from spark_deid.core.edit import LabelledEdit, apply_edits
from spark_deid.core.span import Span
from spark_deid.plausibility.recount.cut import PlausibilityCounts
from spark_deid.plausibility.recount.document import recount_document
from spark_deid.plausibility.text.reading import REASONS, read_document
from spark_deid.plausibility.text.settings import GENERALIZE, GeneralizeRules, GeneralizeSettings
from spark_deid.rewriting.decide import DocumentEdits, decide
from spark_deid.rewriting.rules import PreparedRule, PreparedRules, leave_all


def rule(label: str = "TERM", **settings: object) -> GeneralizeRules:
    """Make the rules of one label."""
    return GeneralizeRules({label: GeneralizeSettings.model_validate({"t": 10, **settings})})


def marked(text: str, *terms: str, label: str = "TERM") -> list[Span]:
    """Mark the first place of each term that is after the one before."""
    spans, position = [], 0
    for term in terms:
        start = text.index(term, position)
        position = start + len(term)
        spans.append(Span(start, position, label, source="terms"))
    return spans


def decided(text: str, spans: Iterable[Span], rules: GeneralizeRules) -> DocumentEdits:
    """Decide a document whose labels are generalized by these rules."""
    read = PreparedRule(GENERALIZE, leave_all, None, partial(read_document, rules=rules), REASONS, recounted=True)
    return decide(Document("d", text), spans, PreparedRules(dict.fromkeys(rules.by_label, read)))


def published(text: str, spans: Iterable[Span], rules: GeneralizeRules) -> str:
    """Return what is published of a document."""
    return apply_edits(text, decided(text, spans, rules).edits)


def recounted(
    text: str, spans: Sequence[Span], edits: Iterable[LabelledEdit], rules: GeneralizeRules
) -> PlausibilityCounts:
    """Count a document again."""
    places = {(span.start, span.end) for span in spans}
    return recount_document(text, places, [LabelledEdit(*edit) for edit in edits], rules)
