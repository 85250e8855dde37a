"""Read a document, and generalize the terms of it that rules ask for."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from types import MappingProxyType
from typing import TypeAlias

from spark_deid.core.document import Document
from spark_deid.core.edit import Edit
from spark_deid.core.kinds import Left, Reading
from spark_deid.core.span import Span
from spark_deid.plausibility.text.generalizing import Found, find, generalize
from spark_deid.plausibility.text.mentions import Place
from spark_deid.plausibility.text.senses import senses_of
from spark_deid.plausibility.text.settings import Rules
from spark_deid.plausibility.text.settling import CROSSING, HIGHEST, INFEASIBLE
from spark_deid.plausibility.text.writing import ARTICLE, OUTSIDE, articles_of_left

PART = "part-of-term"
REASONS = (OUTSIDE, PART, HIGHEST, INFEASIBLE, CROSSING, ARTICLE)
"""Why a span is suppressed: its term is not in the ontology, it is what remains of an overlap or a piece of a term, no
name above its concept can stand for it, its segment can't reach t, its name would make another term with the words
beside it, or it is an indefinite article that goes with a suppressed term."""
GREEDY = "greedy-search"
NOTES = MappingProxyType({GREEDY: "{n} exact searches were too large, and gave way to greedy ones (one-step)"})
Answer: TypeAlias = Edit | Left


def read_document(document: Document, pieces: Sequence[Span], *, rules: Rules) -> Reading:
    """Return what becomes of the pieces whose rules generalize, and of what would tell of them (``kinds.Reader``).

    Ontologies are gone through one after another; what one has found is taken for the next. What each writes is then
    chosen with the terms of all others in sight.
    """
    text, whole = document.text, _whole(document.spans)
    taken = [(piece.start, piece.end) for piece in pieces]
    rows: list[Answer] = []
    found: list[Found] = []
    readings = {label: rules.reading_of(label) for label in {piece.label for piece in pieces}}
    for reading in rules.readings:
        own = [piece for piece in pieces if readings[piece.label] == reading]
        if not own:
            continue
        rows += (Left(*piece[:2], PART) for piece in own if piece[:2] not in whole)
        found.append(find(text, [Place(*p[:3]) for p in own if p[:2] in whole], taken, senses_of(reading)))
        taken += ((mention.start, mention.end) for mention in found[-1].further)
    taken.sort()
    made, spans, greedy = generalize(text, found, taken, rules)
    rows += made
    further = [*(Span(m.start, m.end, m.label) for each in found for m in each.further), *spans]
    labels = {span.start: span.label for span in (*pieces, *further)}
    left = [Place(row.start, row.end, labels[row.start]) for row in rows if isinstance(row, Left)]
    articles = articles_of_left(text, left, taken)
    rows += (Left(span.start, span.end, ARTICLE) for span in articles)
    return Reading((*further, *articles), partial(_answer, rows=tuple(rows)), ((GREEDY, greedy),))


def _whole(spans: Sequence[Span]) -> frozenset[tuple[int, int]]:
    """Return where terms stand that are in one piece, as they were found."""
    pieces = Counter(span[2:] for span in spans if span.annotation_id is not None)
    return frozenset(span[:2] for span in spans if pieces[span[2:]] < 2)


def _answer(document: Document, pieces: Sequence[Span], *, rows: tuple[Answer, ...]) -> tuple[Answer, ...]:
    return rows
