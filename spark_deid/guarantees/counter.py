"""Counts of decisions: of most documents by columns, of the others one by one."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.core.arrow import named_of, spans_in, tuples_of
from spark_deid.core.columns import Bools, CodedNames, Int64s, JoinedTexts, MarkedColumns, cut_by_size, join_texts
from spark_deid.core.edit import LabelledEdit
from spark_deid.core.span import GOLD, Span, is_allowed
from spark_deid.core.words import WORD, after_titles, characters_of
from spark_deid.evaluation.columns import count_columns
from spark_deid.evaluation.counts import CountCell, count_documents
from spark_deid.guarantees.checking import CheckSettings
from spark_deid.guarantees.columns import faultless_documents, mark_by_source, read_edits, unusual_documents
from spark_deid.guarantees.coverage import CheckedEdit, CoverageFaults, add_faults, faults_of, is_exempt
from spark_deid.guarantees.syntax import count_broken, may_break
from spark_deid.rewriting.suppress import REMOVED

FAULTS, TOTALS, SPANS, EDITS = ("(faults)", "(totals)", "(spans)", "(edits)")
HANDED_BACK, IN_CLEAR, WHOLE = ("(handed back)", "(in clear)", "whole")
"""Measures of what decisions hold, beside those of scores, and a kind: annotations of which all is in clear."""
_SUMMED = ("words", "published_words", "gold_unedited")
_RECORD = r"#[0-9]+$"
"""How the id of a document ends that is named by its file and number."""

Row = tuple[str, str, str, int]
"""A measure, a label, a kind and a count."""


class DecisionCounter:
    """Count decisions, batch by batch: faults, spans and edits and, if asked for, scores against gold."""

    def __init__(self, checking: CheckSettings) -> None:
        self._exempt = cache(partial(is_exempt, exempt=checking.exempt))
        self._checking = checking
        self._known = (
            checking.placeholders,
            frozenset(checking.listed),
            frozenset(checking.recounted),
            checking.keeps_syntax,
        )

    def _applies(self, text: str, span: Span) -> bool:
        """Tell whether a span must be edited."""
        return not self._exempt(span.source) and self._checking.must_be_edited(
            text, span.start, span.end, span.label, span.source
        )

    def count(self, batch: pa.RecordBatch) -> Counter[CountCell]:
        """Count by columns what these can tell, and the other documents one by one: of both the same is counted."""
        counted: Counter[CountCell] = Counter()
        sizes = pc.fill_null(pc.utf8_length(batch.column("text")), 0).to_numpy()
        for low, high in cut_by_size(sizes):
            some = batch.slice(low, high - low)
            texts, spans, edits = (some.column(name) for name in ("text", "spans", "edits"))
            if some.column("published").null_count or texts.null_count:
                counted.update(self.count_each(some))
                continue
            odd = pa.array(unusual_documents(join_texts(texts.to_pylist()), spans, edits))
            if number := odd.true_count:
                counted.update(self.count_each(some.filter(odd)))
            if number < some.num_rows:
                counted.update(self.count_columns(some.filter(pc.invert(odd)) if number else some))
        return counted

    def count_columns(self, batch: pa.RecordBatch) -> Counter[CountCell]:
        """Count documents that are not unusual, by columns; whatever may have a fault is looked at by itself."""
        texts = join_texts(batch.column("text").to_pylist())
        marked = mark_by_source(texts, batch.column("spans"), self._exempt, self._checking.staying)
        edits = read_edits(texts, batch.column("edits"))
        published = batch.column("published").to_pylist()
        clear = faultless_documents(texts, published, marked.applied, edits, self._known[0], self._known[2])
        if self._checking.keeps_syntax:
            clear[_broken_documents(batch)] = False
        rows: list[Row] = [(FAULTS, "", "documents", int(clear.sum()))]
        if not clear.all():
            rows += self._faults(batch.filter(pa.array(~clear)))
        rows += [*_pairs(SPANS, marked.labels, marked.sources), *_pairs(EDITS, edits.places.labels, edits.techniques)]
        removed = [replacement == REMOVED for replacement in edits.replacements.values]
        rows.append((TOTALS, "", "removed", int(np.array(removed, np.bool_)[edits.replacements.codes].sum())))
        counted = _added([*rows, *_totals(batch), *_returned(batch)])
        if self._checking.scored:
            counted.update(count_columns(texts, marked.gold, marked.applied).cells)
            for kind, flags in zip((GOLD, WHOLE), clear_columns(texts, marked.gold, edits.places), strict=True):
                for label, number in _numbers(marked.gold.labels, flags):
                    counted[CountCell(IN_CLEAR, label, kind)] += number
        return counted

    def count_each(self, batch: pa.RecordBatch) -> Counter[CountCell]:
        """Count documents one by one."""
        spans = list(spans_in(batch.column("spans")))
        edits = list(named_of(batch.column("edits"), LabelledEdit))
        rows = [*self._faults(batch), *_counts_by_label(spans, edits), *_totals(batch), *_returned(batch)]
        rows.append((TOTALS, "", "removed", sum(edit.replacement == REMOVED for each in edits for edit in each)))
        counted = _added(rows)
        if self._checking.scored:
            texts = batch.column("text").to_pylist()
            gold = [[span for span in found if span.source == GOLD] for found in spans]
            marked = sum(map(_spared_gold, spans))
            counted[CountCell(TOTALS, "", "allowed_gold")] += marked
            applied = (self._applied(text, found) for text, found in zip(texts, spans, strict=True))
            counted.update(count_documents(zip(texts, gold, applied, strict=True)).cells)
            found = Counter(chain.from_iterable(map(labels_in_clear, texts, gold, edits)))
            for (label, is_whole), number in found.items():
                counted[CountCell(IN_CLEAR, label, GOLD)] += number
                if is_whole:
                    counted[CountCell(IN_CLEAR, label, WHOLE)] += number
        return counted

    def _applied(self, text: str, spans: Sequence[Span]) -> list[Span]:
        return [span for span in spans if self._applies(text, span)]

    def _faults(self, batch: pa.RecordBatch) -> Iterator[Row]:
        faults = CoverageFaults()
        texts, published = (batch.column(name).to_pylist() for name in ("text", "published"))
        marked, decided = spans_in(batch.column("spans")), named_of(batch.column("edits"), LabelledEdit)
        for text, rewritten, found, made in zip(texts, published, marked, decided, strict=True):
            edits = [CheckedEdit(*edit) for edit in made]
            spans = [(span.start, span.end, span.label) for span in self._applied(text, found)]
            faults = add_faults(faults, faults_of(text, rewritten, spans, edits, *self._known))
        yield from ((FAULTS, "", name, value) for name, value in faults._asdict().items() if value)


def _broken_documents(batch: pa.RecordBatch) -> list[int]:
    """Return the numbers of documents with parts that no longer parse."""
    numbers = np.flatnonzero(may_break(batch.column("text")))
    some = batch.take(pa.array(numbers))
    texts, decided = some.column("text").to_pylist(), named_of(some.column("edits"), LabelledEdit)
    rows = zip(numbers.tolist(), texts, decided, strict=True)
    return [number for number, text, edits in rows if count_broken(text, edits)]


def _added(rows: Iterable[Row]) -> Counter[CountCell]:
    counted: Counter[CountCell] = Counter()
    for measured, label, kind, value in rows:
        counted[CountCell(measured, label, kind)] += value
    return counted


def _pairs(measured: str, labels: CodedNames, kinds: CodedNames) -> Iterator[Row]:
    """Count rows by their label and kind."""
    numbers = np.bincount(labels.codes * len(kinds.values) + kinds.codes)
    for pair in np.flatnonzero(numbers).tolist():
        label, kind = divmod(pair, len(kinds.values))
        yield measured, labels.values[label], kinds.values[kind], int(numbers[pair])


def _numbers(labels: CodedNames, flags: Bools) -> Iterator[tuple[str, int]]:
    """Count the rows that a flag is set for, by their label."""
    numbers = np.bincount(labels.codes[flags], minlength=len(labels.values)).tolist()
    yield from ((label, number) for label, number in zip(labels.values, numbers, strict=True) if number)


def _counts_by_label(spans: list[list[Span]], edits: list[list[LabelledEdit]]) -> Iterator[Row]:
    by_source = Counter((span.label, span.source) for found in spans for span in found)
    by_technique = Counter((edit.label, edit.technique) for decided in edits for edit in decided)
    for name, counts in ((SPANS, by_source), (EDITS, by_technique)):
        yield from ((name, label, kind, value) for (label, kind), value in counts.items())


def _spared_gold(found: Sequence[Span]) -> int:
    """Count the spans that the plan spares, each place once, of which an annotation marks a part."""
    places = {span[:2] for span in found if is_allowed(span.source)}
    gold = [span for span in found if span.source == GOLD] if places else []
    return sum(any(span.start < end and start < span.end for span in gold) for start, end in places)


def _totals(batch: pa.RecordBatch) -> Iterator[Row]:
    yield TOTALS, "", "documents", batch.num_rows
    by_number = pc.match_substring_regex(batch.column("doc_id"), _RECORD)
    yield TOTALS, "", "named_by_file", pc.sum(by_number).as_py() or 0
    for name in _SUMMED:
        yield TOTALS, "", name, pc.sum(batch.column(name)).as_py() or 0


def _returned(batch: pa.RecordBatch) -> Iterator[Row]:
    for cell in tuples_of(batch.column("handed_back")):
        yield from ((HANDED_BACK, reason, technique, spans) for technique, reason, spans in cell)


# Annotations of which edits leave something to read, document by document and by columns.


_LONG = 100
"""Characters of an annotation up to which it is looked up what titles it begins with."""


def labels_in_clear(
    text: str, annotations: Sequence[Span], edits: Sequence[LabelledEdit]
) -> Iterator[tuple[str, bool]]:
    """Yield the label of each annotation of which some word character stands outside all edits, and whether all do.

    Of annotations that edits touch, titles that they begin with do not count.

    >>> edits = [LabelledEdit(0, 4, "suppress", "[NAME]", "NAME")]
    >>> spans = [Span(0, 4, "NAME"), Span(3, 10, "PAIR"), Span(4, 5, "GAP"), Span(9, 10, "NAME")]
    >>> list(labels_in_clear("Dr A and B", spans, edits))
    [('PAIR', False), ('NAME', True)]
    """
    hidden = bytearray(len(text))
    for edit in edits:
        hidden[edit.start : edit.end] = b"\1" * (edit.end - edit.start)
    for start, end, label, *_ in annotations:
        if hidden.find(0, start, end) < 0:
            continue
        if hidden.find(1, start, end) < 0:
            if WORD.search(text, start, end):
                yield label, True
            continue
        letters = [place for place in range(after_titles(text, start, end), end) if WORD.match(text[place])]
        shown = [place for place in letters if not hidden[place]]
        if shown:
            yield label, len(shown) == len(letters)


def clear_columns(texts: JoinedTexts, annotations: MarkedColumns, edits: MarkedColumns) -> tuple[Bools, Bools]:
    """Tell of annotations what ``labels_in_clear`` tells: whether some word character is in clear, and whether all are.

    Edits are disjoint, and none is empty; all lies in its document.
    """
    codes = np.frombuffer(texts.text.encode("utf-32-le", "surrogatepass"), np.uint32)
    is_word = characters_of(WORD)[codes]
    change = np.zeros(len(codes) + 1, np.int8)
    change[edits.starts] += 1
    change[edits.ends] -= 1
    is_hidden = np.cumsum(change[:-1], dtype=np.int8).view(np.bool_)
    words, hidden, shown = _before(is_word), _before(is_hidden), _before(is_word & ~is_hidden)
    starts, ends = annotations.starts, annotations.ends
    touched = hidden[ends] - hidden[starts]
    in_clear = (touched == 0) & (words[ends] > words[starts])
    are_whole = in_clear.copy()
    partly = np.flatnonzero((touched > 0) & (touched < ends - starts))
    names = _after_titles(texts.text, starts[partly], ends[partly])
    left = shown[ends[partly]] - shown[names]
    in_clear[partly] = left > 0
    are_whole[partly] = (left > 0) & (left == words[ends[partly]] - words[names])
    return in_clear, are_whole


def _before(flags: Bools) -> Int64s:
    """Count the flags that are set before each place."""
    counts: Int64s = np.zeros(len(flags) + 1, np.int64)
    np.cumsum(flags, out=counts[1:])
    return counts


def _after_titles(text: str, starts: Int64s, ends: Int64s) -> Int64s:
    found = np.empty(len(starts), np.int64)
    sizes: dict[str, int] = {}
    for row, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        if end - start > _LONG:  # no copy of what may be half of the text
            found[row] = after_titles(text, start, end)
            continue
        if (surface := text[start:end]) not in sizes:
            sizes[surface] = after_titles(surface, 0, end - start)
        found[row] = start + sizes[surface]
    return found
