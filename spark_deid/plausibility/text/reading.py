"""Read a document, and generalize the terms of it that rules ask for."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import TypeAlias

from spark_deid.core.document import Document
from spark_deid.core.edit import Edit
from spark_deid.core.kinds import DocumentReading, SuppressedSpan
from spark_deid.core.span import Span
from spark_deid.plausibility.text.blocks import cut_reading_of
from spark_deid.plausibility.text.cutting import CutTerms, find_cut
from spark_deid.plausibility.text.document_generalization import (
    OntologyTerms,
    find_marked_terms,
    generalize,
    with_broader,
)
from spark_deid.plausibility.text.senses import senses_of
from spark_deid.plausibility.text.settings import GeneralizeRules, OntologyReading
from spark_deid.plausibility.text.settling import CROSSING, HIGHEST, INFEASIBLE, TOO_LONG
from spark_deid.plausibility.text.writing import FEW_COUNTED, NO_PLURAL, OUTSIDE, UNDECIDED
from spark_deid.rewriting.neutral_form import ARTICLE, articles_before
from spark_deid.text.visible import visible

PART = "part-of-term"
REASONS = (OUTSIDE, PART, HIGHEST, INFEASIBLE, CROSSING, NO_PLURAL, FEW_COUNTED, UNDECIDED, ARTICLE, TOO_LONG)
"""Why a span is suppressed: its term is not in the ontology, it is what remains of an overlap or a piece of a term, no
name above its concept can stand for it, its segment can't reach t (or it is no original of a partition), its name would
make another term with the words beside it, several are meant and the name has no plural, its plural or article shows
that it is counted, as too few originals of its part are, it can't be told whether it is a noun, it is an indefinite
article that goes with a suppressed term, or the texts of its person are too long to be read as one."""
GREEDY = "greedy-search"
NOTES = MappingProxyType({GREEDY: "{n} exact searches were too large and were replaced by greedy ones (one-step)"})
Answer: TypeAlias = Edit | SuppressedSpan


def read_document(document: Document, pieces: Sequence[Span], *, rules: GeneralizeRules) -> DocumentReading:
    """Return what becomes of the pieces whose rules generalize, and of what would tell of them (``kinds.Reader``).

    Ontologies are gone through one after another; what one has found is taken for the next. What each writes is then
    chosen with the terms of all others in sight. Texts are read as they look (``text.visible``).
    """
    shown = visible(document.text)
    if shown.is_whole:
        return _reading(*_read(document, pieces, rules))
    own, spans = ({each: shown.inside(each) for each in given} for given in (pieces, document.spans))
    seen = {piece: inner for piece, inner in own.items() if inner.start < inner.end}
    inner = document._replace(text=shown.text, spans=tuple(each for each in spans.values() if each.start < each.end))
    further, rows, greedy = _read(inner, tuple(seen.values()), rules)
    places = {inner[:2]: piece[:2] for piece, inner in seen.items()}
    rows = [_moved(row, *places.get(row[:2], shown.original(row)[:2])) for row in rows]
    rows += (SuppressedSpan(*piece[:2], OUTSIDE) for piece in own if piece not in seen)
    return _reading([shown.original(span) for span in further], rows, greedy)


def _moved(row: Answer, start: int, end: int) -> Answer:
    return row._replace(start=start, end=end)


def _reading(further: Sequence[Span], rows: Sequence[Answer], greedy: int) -> DocumentReading:
    return DocumentReading(tuple(further), partial(_answer, rows=tuple(rows)), ((GREEDY, greedy),))


def _read(document: Document, pieces: Sequence[Span], rules: GeneralizeRules) -> tuple[list[Span], list[Answer], int]:
    """Return further spans, what becomes of all, and how many searches were greedy."""
    text, whole = document.text, _whole(document.spans)
    taken = [(piece.start, piece.end) for piece in pieces]
    rows: list[Answer] = []
    found: list[OntologyTerms] = []
    cuts: list[CutTerms] = []
    readings = {label: rules.reading_of(label) for label in {piece.label for piece in pieces}}
    for reading in rules.readings:
        own = [piece for piece in pieces if readings[piece.label] == reading]
        if not own:
            continue
        rows += (SuppressedSpan(*piece[:2], PART) for piece in own if piece[:2] not in whole)
        places = [piece for piece in own if piece[:2] in whole]
        if reading in rules.cut_by_reading:
            cuts.append(_cut(text, places, taken, reading, rules))
            taken += ((mention.start, mention.end) for mention in cuts[-1].further)
        else:
            found.append(find_marked_terms(text, places, taken, senses_of(reading)))
            taken += ((mention.start, mention.end) for mention in found[-1].further)
    found, settled, taken = with_broader(text, found, taken, rules)
    made, spans, greedy = generalize(text, found, settled, cuts, taken)
    rows += made
    extra = chain(*(each.further for each in found), *(each.further for each in cuts))
    further = [*(Span(m.start, m.end, m.label) for m in extra), *spans]
    labels = {span.start: span.label for span in (*pieces, *further)}
    left = [Span(row.start, row.end, labels[row.start]) for row in rows if isinstance(row, SuppressedSpan)]
    articles = articles_before(text, left, taken)
    rows += (SuppressedSpan(span.start, span.end, ARTICLE) for span in articles)
    return [*further, *articles], rows, greedy


def _cut(
    text: str,
    places: Sequence[Span],
    taken: Sequence[tuple[int, int]],
    reading: OntologyReading,
    rules: GeneralizeRules,
) -> CutTerms:
    cut, segment = cut_reading_of(rules.demand_of(reading)), rules.cut_by_reading[reading].segment
    return find_cut(text, places, taken, cut, rules.label_of(reading), segment)


def _whole(spans: Sequence[Span]) -> frozenset[tuple[int, int]]:
    """Return where terms stand that are in one piece, as they were found."""
    ids = [span.annotation_id for span in spans]
    if len(set(ids)) == len(ids):
        return frozenset(span[:2] for span in spans)
    pieces = Counter(span[2:] for span in spans if span.annotation_id is not None)
    return frozenset(span[:2] for span in spans if pieces[span[2:]] < 2)


def _answer(document: Document, pieces: Sequence[Span], *, rows: tuple[Answer, ...]) -> tuple[Answer, ...]:
    return rows
