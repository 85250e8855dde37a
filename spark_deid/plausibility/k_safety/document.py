"""Read a document for terms of a table, and write what they become."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from spark_deid.core.document import Document
from spark_deid.core.edit import Edit
from spark_deid.core.kinds import (
    DocumentReading,
    MethodContext,
    NoSettings,
    PlanView,
    Reader,
    SuppressedSpan,
    TechniqueKind,
)
from spark_deid.core.span import Span
from spark_deid.plausibility.k_safety.catalogue import (
    NOTHING,
    SharedTerms,
    TermCatalogue,
    catalogue_at,
    count_supports,
    distinct_terms,
    select_terms,
    share_terms,
)
from spark_deid.plausibility.k_safety.settings import ERASE, RECORD, EraseSettings, Sensitive
from spark_deid.plausibility.k_safety.words import TermPlace
from spark_deid.rewriting.neutral_form import ARTICLE, articles_before, articles_of
from spark_deid.rewriting.rendering import render_edits

if TYPE_CHECKING:
    from spark_deid.core.corpus import Corpus


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


# Choose labels for the terms of a text, so that k records share all that it discloses (ERASE).


_KEPT = 1 << 14
Find: TypeAlias = Callable[[tuple[int, ...]], SharedTerms | None]
MOST_LOWERED = 64
"""Terms up to which a text is looked through for one that could stay lower than it was put."""


def shares_enough(found: SharedTerms | None, k: int) -> bool:
    """Tell whether, of every record, the terms that a text releases of it are shared by k - 1 further records.

    A term is released of a record where it is one of its values, or stands above one. Of too many sets it is not told.
    """
    return found is not None and bool((count_supports(found) >= k).all())


@lru_cache(_KEPT)
def choose_replacements(catalogue: TermCatalogue, lowest: tuple[tuple[int, int], ...], k: int) -> Mapping[int, int]:
    """Return what each term of a text becomes; ``lowest`` has terms, and the least that each may become.

    Terms climb until the condition of ``shares_enough`` is met: in every set of terms that too few records have, the
    one that fewest records have, of equals the first. Where there are too many sets to count, all climb. Then each is
    put back as low as it may go, the rarest last; of more than ``MOST_LOWERED`` terms none is. What has nothing above
    it is suppressed.
    """
    chosen = dict(lowest)
    find = _finder(catalogue, chosen)
    while rare := _rarest(catalogue, find, distinct_terms(chosen.values()), k):
        chosen = {term: _next(catalogue, term, now) if now in rare else now for term, now in chosen.items()}
    if len(chosen) <= MOST_LOWERED:
        _lower(catalogue, find, chosen, dict(lowest), k)
    return MappingProxyType(chosen)


def _finder(catalogue: TermCatalogue, lowest: Mapping[int, int]) -> Find:
    """Return what tells who shares terms: records are gone through once for all that terms may become."""
    every = distinct_terms(each for term, low in lowest.items() for each in _steps(catalogue, term, low))
    whole = share_terms(catalogue, every)
    if whole is None:
        return partial(share_terms, catalogue)
    place = {term: at for at, term in enumerate(every)}
    return lambda released: select_terms(whole, [place[term] for term in released])


def _rarest(catalogue: TermCatalogue, find: Find, released: tuple[int, ...], k: int) -> frozenset[int]:
    """Return of each set of terms that too few records have the term that fewest have; none where all is well."""
    if not released:
        return frozenset()
    found = find(released)
    if found is None:
        return frozenset(released)
    few = found.sets[count_supports(found) < k]
    reaches = np.array([catalogue.reach(term) for term in released], np.float64)
    return frozenset(released[at] for at in np.where(few, reaches, np.inf).argmin(axis=1).tolist())


def _lower(catalogue: TermCatalogue, find: Find, chosen: dict[int, int], lowest: Mapping[int, int], k: int) -> None:
    """Put terms back, one at a time, as low as the others let them."""
    for term in sorted(chosen, key=lambda term: (-catalogue.reach(term), term)):
        others = [now for other, now in chosen.items() if other != term]
        steps = _steps(catalogue, term, lowest[term])
        lower = steps[: steps.index(chosen[term])]
        chosen[term] = next(
            (less for less in lower if shares_enough(find(distinct_terms((*others, less))), k)), chosen[term]
        )


def _next(catalogue: TermCatalogue, term: int, now: int) -> int:
    return _steps(catalogue, term, now)[1]


def _steps(catalogue: TermCatalogue, term: int, low: int) -> tuple[int, ...]:
    """Return what a term may become from the lowest on."""
    steps = (term, *catalogue.above(term))
    return steps[steps.index(low) :]


# The technique ``erase``: labels replace terms of an external table; each is of k of its records share.


CATALOGUE = "catalogue.npz"


def request_of(settings: EraseSettings, run: MethodContext) -> SafetyRequest:
    """Return what workers are asked for, and where they find the catalogue of the table."""
    return SafetyRequest(f"{run.place(ERASE)}/{CATALOGUE}", settings.k, settings.terms)


def _read(_: Mapping[str, NoSettings], corpus: "Corpus", run: MethodContext) -> Reader:
    return partial(read_document, request=request_of(run.plan.sections[ERASE], run))


def _refuse(label: str, _: object, plan: PlanView) -> str | None:
    if label == RECORD and ERASE in plan.sections:
        return None
    return f"erase works only on spans of the detector erase, with the label {RECORD}. Expected another technique"


def _describe(_: object) -> str:
    return "the lowest label above it with which enough records of the table match the document"


KIND = TechniqueKind(
    describe=_describe, read=_read, reasons=REASONS, refuse=_refuse, recounted_by=("k_shared_records",)
)
