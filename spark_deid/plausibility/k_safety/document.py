"""Read a document for terms of a table, and write what they become."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

from spark_deid.core.document import Document
from spark_deid.core.edit import Edit
from spark_deid.core.kinds import DocumentReading, SuppressedSpan
from spark_deid.core.span import Span
from spark_deid.plausibility.k_safety.catalogue import NOTHING, TermCatalogue, catalogue_at, distinct_terms, share_terms
from spark_deid.plausibility.k_safety.choosing import choose_replacements, shares_enough
from spark_deid.plausibility.k_safety.settings import ERASE, RECORD, Sensitive
from spark_deid.plausibility.k_safety.words import TermPlace
from spark_deid.rewriting.articles import ARTICLE, articles_before, articles_of
from spark_deid.rewriting.rendering import render_edits

PART, RARE, READS = "part-of-term", "few-records", "reads-as-term"
REASONS = (PART, RARE, READS, ARTICLE)
"""Why a term is suppressed: it is what remains of an overlap, too few records share any label above it, its label
would make another term with the words beside it, or it is an indefinite article that goes with a suppressed term."""
Rows: TypeAlias = tuple[Edit | SuppressedSpan, ...]


class SafetyRequest(NamedTuple):
    """What a plan asks for: the file of the catalogue, k, and which terms are generalized."""

    catalogue: str
    k: int
    terms: Sensitive


def find_terms(text: str, *, request: SafetyRequest) -> list[Span]:
    """Return the terms of a text that become something else."""
    catalogue = catalogue_at(request.catalogue)
    places = catalogue.terms.find(text)
    chosen = _chosen(request, catalogue, places)
    changed = (place for place in places if chosen[place.term] != place.term)
    return [Span(place.start, place.end, RECORD, source=ERASE) for place in changed]


def read_document(document: Document, pieces: Sequence[Span], *, request: SafetyRequest) -> DocumentReading:
    """Return what becomes of the pieces that are terms of the table (``kinds.Reader``); all others are hidden."""
    own = [piece for piece in pieces if piece.label == RECORD]
    if not own:
        return DocumentReading((), partial(_answer, rows=()))
    text, catalogue = document.text, catalogue_at(request.catalogue)
    places = catalogue.terms.find(text)
    chosen = _chosen(request, catalogue, places)
    whole = {place[:2]: chosen[place.term] for place in places}
    becomes = {piece[:2]: whole[piece[:2]] for piece in own if whole.get(piece[:2], NOTHING) != NOTHING}
    taken = [piece[:2] for piece in pieces]
    edits, articles, spans = _edits(text, catalogue, becomes, taken)
    crossed: set[tuple[int, int]] = set()
    while lost := _crossing(text, catalogue, edits, articles, taken, chosen.values(), request):
        crossed |= lost
        becomes = {place: term for place, term in becomes.items() if place not in lost}
        edits, articles, spans = _edits(text, catalogue, becomes, taken)
    left = [
        SuppressedSpan(*piece[:2], READS if piece[:2] in crossed else RARE if piece[:2] in whole else PART)
        for piece in own
        if piece[0] not in edits
    ]
    before = articles_before(text, [Span(row.start, row.end, RECORD) for row in left], taken)
    rows: Rows = (
        *edits.values(),
        *articles,
        *left,
        *(SuppressedSpan(span.start, span.end, ARTICLE) for span in before),
    )
    return DocumentReading((*spans, *before), partial(_answer, rows=rows))


def _edits(
    text: str, catalogue: TermCatalogue, becomes: Mapping[tuple[int, int], int], taken: Sequence[tuple[int, int]]
) -> tuple[dict[int, Edit], list[Edit], list[Span]]:
    """Return the edits of terms by start, those of the articles before them, and the spans of these."""
    edits = {place[0]: Edit(*place, ERASE, catalogue.labels[term]) for place, term in becomes.items()}
    return edits, *articles_of(text, edits, dict.fromkeys(edits, RECORD), taken, ERASE)


def _crossing(
    text: str,
    catalogue: TermCatalogue,
    edits: Mapping[int, Edit],
    articles: Iterable[Edit],
    taken: Sequence[tuple[int, int]],
    released: Collection[int],
    request: SafetyRequest,
) -> set[tuple[int, int]]:
    """Return the places whose labels make other terms with the words beside them, if these tell too much."""
    writings = [(*place, edits[place[0]].replacement if place[0] in edits else None) for place in taken]
    writings += ((edit.start, edit.end, None) for edit in articles)
    shown, written = render_edits(text, sorted(writings))
    found = catalogue.terms.find(shown)
    strange = [place for place in found if place.term not in released]
    is_sensitive = request.terms == "shared" and any(catalogue.is_value[place.term] for place in strange)
    if not strange or (
        not is_sensitive
        and shares_enough(share_terms(catalogue, distinct_terms(place.term for place in found)), request.k)
    ):
        return set()
    starts = {start for at, end, start in written if any(s < end and at < e for s, e, _ in strange)}
    return {(start, edits[start].end) for start in starts}


def _answer(document: Document, pieces: Sequence[Span], *, rows: Rows) -> Rows:
    return rows


def _chosen(request: SafetyRequest, catalogue: TermCatalogue, places: Sequence[TermPlace]) -> Mapping[int, int]:
    """Return what the terms of a text become."""
    terms = sorted({place.term for place in places})
    return choose_replacements(
        catalogue, tuple((term, _lowest(catalogue, term, request.terms)) for term in terms), request.k
    )


def _lowest(catalogue: TermCatalogue, term: int, terms: Sensitive) -> int:
    """Return the least that a term may become: where all that is shared is sensitive, no value of the table."""
    if terms == "telling" or not catalogue.is_value[term]:
        return term
    return next(each for each in catalogue.above(term) if each == NOTHING or not catalogue.is_value[each])
