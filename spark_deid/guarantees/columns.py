"""A look at many documents by columns: which of them have nothing wrong, so that the others alone are gone through."""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from spark_deid.core.columns import (
    Bools,
    CodedNames,
    Int64s,
    JoinedTexts,
    MarkedColumns,
    has_null,
    names_in,
    read_marks,
)
from spark_deid.core.span import GOLD, is_allowed
from spark_deid.guarantees.coverage import SUPPRESS, CheckedEdit, Placeholders, is_of_one
from spark_deid.guarantees.disclosure import tells_original

_SPAN_FIELDS, _EDIT_FIELDS = ("start", "end", "label", "source"), ("start", "end", "technique", "replacement", "label")

MAX_LABELS = 500


class WrittenColumns(NamedTuple):
    """Edits of joined texts: where they stand, by what technique, and what they write."""

    places: MarkedColumns
    techniques: CodedNames
    replacements: CodedNames


def read_edits(texts: JoinedTexts, cells: pa.ListArray) -> WrittenColumns:
    """Read a column of lists of edits."""
    return WrittenColumns(read_marks(texts, cells), names_in(cells, "technique"), names_in(cells, "replacement"))


def unusual_documents(texts: JoinedTexts, spans: pa.ListArray, edits: pa.ListArray) -> Bools:
    """Tell which documents are not for columns, whatever may be wrong with them.

    Spans that leave the text, that a plan spares, with several pieces, or annotated twice; edits that are empty, leave
    the text, or are not in order and disjoint. All of them, where something is null that should not be, or where labels
    are so many that flags of each label and word would be too many.
    """
    found = np.zeros(len(texts.begins), np.bool_)
    if has_null(spans, _SPAN_FIELDS) or has_null(edits, _EDIT_FIELDS):
        return ~found
    marked, decided = read_marks(texts, spans), read_marks(texts, edits)
    if max(len(marked.labels.values), len(decided.labels.values)) > MAX_LABELS:
        return ~found
    sources = names_in(spans, "source")
    pieces = _in_pieces(spans) | np.array([is_allowed(name) for name in sources.values], np.bool_)[sources.codes]
    gold = marked.take(sources.codes == _code(sources, GOLD))
    for columns, odd in (
        (marked, pieces | (marked.starts > marked.ends) | _leave(texts, marked)),
        (gold, _repeated(gold)),
        (decided, (decided.starts >= decided.ends) | _leave(texts, decided)),
    ):
        found[columns.documents[odd]] = True
    disorder = (decided.starts[1:] < decided.ends[:-1]) & (decided.documents[1:] == decided.documents[:-1])
    found[decided.documents[1:][disorder]] = True
    return found


class MarkedBySource(NamedTuple):
    """Annotations of the input, spans that must be edited, and the sources of all spans."""

    gold: MarkedColumns
    applied: MarkedColumns
    sources: CodedNames
    labels: CodedNames


def mark_by_source(
    texts: JoinedTexts, spans: pa.ListArray, is_exempt: Callable[[str], bool], staying: Collection[str]
) -> MarkedBySource:
    """Read a column of lists of spans, none of which a plan spares; labels that are ``staying`` need no edit."""
    marked, sources = read_marks(texts, spans), names_in(spans, "source")
    exempt = np.array([*map(is_exempt, sources.values)], np.bool_)[sources.codes]
    is_kept = np.array([label in staying for label in marked.labels.values], np.bool_)[marked.labels.codes]
    gold = marked.take(sources.codes == _code(sources, GOLD))
    return MarkedBySource(gold, marked.take(~(exempt | is_kept)), sources, marked.labels)


def faultless_documents(
    texts: JoinedTexts,
    published: Sequence[str],
    applied: MarkedColumns,
    edits: WrittenColumns,
    placeholders: Placeholders,
    recounted: Collection[str],
) -> Bools:
    """Tell of which documents columns show that ``faults_of`` finds nothing; of none that has a fault.

    Every edit of a span writes what the label of a span that begins with it has, and not what stood there; spans lie in
    edits; suppressions of spans stand where a span does and hide no more; and what is published is the text with its
    edits. Edits are disjoint, in order, and in their documents.
    """
    faultless = _are_faithful(texts, published, edits)
    covered = _covered(edits.places, applied.ends) - _covered(edits.places, applied.starts)
    faultless[applied.documents[covered < applied.ends - applied.starts]] = False
    odd = ~_are_of_a_span(applied, edits, placeholders)
    odd |= _hide_more(texts, applied, edits)
    odd &= _hide_spans(applied, edits.places)
    odd |= _put_back(texts, edits, placeholders, recounted)
    faultless[edits.places.documents[odd]] = False
    return faultless


def _code(names: CodedNames, name: str) -> int:
    return names.values.index(name) if name in names.values else -1


def _in_pieces(spans: pa.ListArray) -> Bools:
    flat = spans.flatten()
    pieces: Bools = flat.flatten()[flat.type.get_field_index("annotation_id")].is_valid().to_numpy(zero_copy_only=False)
    return pieces


def _leave(texts: JoinedTexts, columns: MarkedColumns) -> Bools:
    begins = texts.begins[columns.documents]
    leave: Bools = (columns.starts < begins) | (columns.ends > begins + texts.sizes[columns.documents])
    return leave


def _repeated(columns: MarkedColumns) -> Bools:
    """Tell of each piece whether another stands at its place, with its label, before it."""
    fields = (columns.labels.codes, columns.ends, columns.starts, columns.documents)
    order = np.lexsort(fields)
    same = np.zeros(len(order), np.bool_)
    same[1:] = np.logical_and.reduce([field[order[1:]] == field[order[:-1]] for field in fields])
    repeated = np.empty(len(order), np.bool_)
    repeated[order] = same
    return repeated


def _covered(edits: MarkedColumns, places: Int64s) -> Int64s:
    """Return how many characters before each place edits cover."""
    sizes = edits.ends - edits.starts
    before = np.concatenate([[0], np.cumsum(sizes)])
    begun = np.searchsorted(edits.starts, places, "right")
    if not len(sizes):
        return np.zeros(len(places), np.int64)
    beyond = np.maximum(edits.ends[begun - 1] - places, 0)
    covered: Int64s = before[begun] - np.where(begun > 0, beyond, 0)
    return covered


def _are_of_a_span(applied: MarkedColumns, edits: WrittenColumns, placeholders: Placeholders) -> Bools:
    """Tell of each edit whether it is as the label asks for of the first of the spans that begin where it does."""
    order = np.argsort(applied.starts, kind="stable")
    starts = applied.starts[order]
    at = np.searchsorted(starts, edits.places.starts)
    found = at < len(starts)
    found[found] = starts[at[found]] == edits.places.starts[found]
    # Where a technique writes no placeholders, what it writes makes no difference, and may be different for each edit.
    writes = np.array([placeholders.get(name) is not None for name in edits.techniques.values], np.bool_)
    replacements = np.where(writes[edits.techniques.codes], edits.replacements.codes, 0)
    of_edits = (edits.techniques, CodedNames(replacements, edits.replacements.values), edits.places.labels)
    columns = (
        *((column.codes[found], column.values) for column in of_edits),
        (applied.labels.codes[order[at[found]]], applied.labels.values),
    )
    keys = np.ravel_multi_index([codes for codes, _ in columns], [max(1, len(values)) for _, values in columns])
    _, first, numbers = np.unique(keys, return_index=True, return_inverse=True)
    fitting = []
    for row in first:
        technique, replacement, own, label = (values[codes[row]] for codes, values in columns)
        fitting.append(is_of_one(CheckedEdit(0, 1, technique, replacement, own), (label,), placeholders))
    found[found] = np.array(fitting, np.bool_)[numbers]
    return found


def _hide_more(texts: JoinedTexts, applied: MarkedColumns, edits: WrittenColumns) -> Bools:
    """Tell which edits are suppressions that do not stand where a span does."""
    size, places = len(texts.text) + 1, edits.places
    is_span = np.isin(places.starts * size + places.ends, applied.starts * size + applied.ends)
    found: Bools = ~is_span & (edits.techniques.codes == _code(edits.techniques, SUPPRESS))
    return found


def _hide_spans(applied: MarkedColumns, places: MarkedColumns) -> Bools:
    """Return which edits overlap a span: others hide text that no detector marked, and their labels are free."""
    begun = np.searchsorted(np.sort(applied.starts), places.ends, "left")
    found: Bools = begun > np.searchsorted(np.sort(applied.ends), places.starts, "right")
    return found


def _put_back(
    texts: JoinedTexts, edits: WrittenColumns, placeholders: Placeholders, recounted: Collection[str]
) -> Bools:
    """Tell which edits write what stood there, or tell it; looked at are those that could."""
    sizes = np.fromiter(map(len, edits.replacements.values), np.int64, len(edits.replacements.values))
    by_value = [name not in placeholders and name not in recounted for name in edits.techniques.values]
    may_disclose = np.array(by_value, np.bool_)[edits.techniques.codes]
    places = edits.places
    doubtful = np.flatnonzero(may_disclose | (sizes[edits.replacements.codes] == places.ends - places.starts))
    found = np.zeros(len(places.starts), np.bool_)
    columns = (doubtful, places.starts[doubtful], places.ends[doubtful], edits.replacements.codes[doubtful])
    for row, start, end, code in zip(*(column.tolist() for column in columns), strict=True):
        original, new = texts.text[start:end], edits.replacements.values[code]
        found[row] = original == new or (may_disclose[row] and tells_original(original, new))
    return found


def _are_faithful(texts: JoinedTexts, published: Sequence[str], edits: WrittenColumns) -> Bools:
    """Tell of each document whether what is published is its text with its edits."""
    places, values = edits.places, edits.replacements.values
    replacements = [values[code] for code in edits.replacements.codes.tolist()]
    borders = zip([0, *places.ends.tolist()], [*places.starts.tolist(), len(texts.text)], strict=True)
    pieces = [""] * (2 * len(replacements) + 1)
    pieces[::2] = [texts.text[start:end] for start, end in borders]
    pieces[1::2] = replacements
    whole = "".join(pieces)
    grown = np.fromiter(map(len, replacements), np.int64, len(replacements)) - (places.ends - places.starts)
    sizes = texts.sizes + np.bincount(places.documents, grown, len(texts.sizes)).astype(np.int64)
    ends = np.cumsum(sizes + 1) - 1
    rows = zip((ends - sizes).tolist(), ends.tolist(), published, strict=True)
    return np.array([whole[start:end] == text for start, end, text in rows], np.bool_)
