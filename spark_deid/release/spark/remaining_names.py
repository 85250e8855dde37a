"""Operators: count words of removed names that remain in the published texts of the same person."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.core.arrow import to_batch, tuples_of
from spark_deid.core.corpus import Corpus
from spark_deid.engine.tasks import run_tasks
from spark_deid.release.remaining_names import (
    RemainingNames,
    RemovedWords,
    add_remaining,
    count_remaining,
    is_usual,
    remaining_words,
    removed_words,
)
from spark_deid.release.spark.leaks import blank_replacements
from spark_deid.release.spark.residual_documents import FoundPassages, first_passages
from spark_deid.storage.parts import PartFile, PartsWriter, read_groups

_WORDS = pa.schema([("subject_id", pa.string()), ("word", pa.string()), ("label", pa.string()), ("upper", pa.bool_())])
_EDITS = tuple(f"edits.list.element.{name}" for name in ("start", "end", "label"))
_REPLACED = tuple(f"edits.list.element.{name}" for name in ("technique", "replacement"))


def count_remaining_names(
    corpus: Corpus, labels: Collection[str], folder: str, *, has_subjects: bool
) -> tuple[dict[str, RemainingNames], FoundPassages]:
    """Count words of removed names that remain in published texts of the same person, by label of the name.

    Also return the words, except common words, of the first documents that have some.

    ``labels`` are those of names. A document that names no person is a person. Surrogates do not count. Runs an action,
    and another one before it if documents name people: ``folder`` then gets the words by person.
    """
    spark = corpus.documents.sparkSession
    parts = [each["decisions"] for each in corpus.decided]
    names = frozenset(labels)
    stored: Sequence[PartFile] = ()
    if has_subjects:
        stored = [each for each in run_tasks(spark, partial(_store, labels=names, folder=folder), parts) if each.rows]
    found = list(run_tasks(spark, partial(_count, labels=names, stored=tuple(stored)), parts))
    return add_remaining(counts for counts, _ in found), first_passages(passages for _, passages in found)


def _store(part: PartFile, *, labels: frozenset[str], folder: str) -> PartFile:
    """Write the words of names that are removed from documents that name a person."""
    with PartsWriter({"words": folder}, {"words": _WORDS}) as writer:
        for batch in read_groups(part.path, ["subject_id", "text", *_EDITS]):
            rows = {
                (subject, word, label, was_upper)
                for subject, removed in zip(
                    batch.column("subject_id").to_pylist(), _removed(batch, labels), strict=True
                )
                if subject is not None
                for word, (label, was_upper) in removed.items()
            }
            writer.write({"words": to_batch(sorted(rows), _WORDS)})
        return writer.close()["words"]


def _count(
    part: PartFile, *, labels: frozenset[str], stored: tuple[PartFile, ...]
) -> tuple[dict[str, RemainingNames], FoundPassages]:
    words = _words_of(part, stored) if stored else {}
    columns = ["doc_id", "subject_id", "text", "published", *_EDITS, *_REPLACED]
    found = [each for batch in read_groups(part.path, columns) for each in _found(batch, labels, words)]
    rare = ({name: tuple(word for _, word in places if not is_usual(word))} for name, places in found)
    passages = first_passages({name: words for name, words in each.items() if words} for each in rare)
    return count_remaining(places for _, places in found), passages


def _found(
    batch: pa.RecordBatch, labels: frozenset[str], words: Mapping[str, RemovedWords]
) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield the id of each document in which words remain, with the labels and the words."""
    subjects, published = (batch.column(name).to_pylist() for name in ("subject_id", "published"))
    ids = batch.column("doc_id")
    likely: list[int] = []
    removed: list[RemovedWords] = []
    for number, own in enumerate(_removed(batch, labels)):
        known = own if subjects[number] is None else words.get(subjects[number], own)
        if known and next(remaining_words(published[number], known), None) is not None:
            likely.append(number)
            removed.append(known)
    if not likely:
        return
    edits = tuples_of(batch.take(pa.array(likely)).column("edits"))
    for number, known, each in zip(likely, removed, edits, strict=True):
        replaced = [(start, end, technique, written) for start, end, _, technique, written in each]
        kept = blank_replacements(published[number], replaced, {technique for _, _, technique, _ in replaced})
        if places := [(known[word][0], word) for word in remaining_words(kept, known)]:
            yield ids[number].as_py(), places


def _removed(batch: pa.RecordBatch, labels: frozenset[str]) -> Iterator[RemovedWords]:
    """Yield the words of names that edits remove from each document."""
    cells = batch.column("edits")
    edits = cells.flatten()
    is_name = pc.is_in(edits.field("label"), value_set=pa.array(sorted(labels), pa.string()))
    at = np.flatnonzero(is_name.to_numpy(zero_copy_only=False))
    owners = pc.list_parent_indices(cells).to_numpy()[at]
    starts, ends = (edits.field(name).to_numpy()[at].tolist() for name in ("start", "end"))
    named = edits.field("label").take(pa.array(at)).to_pylist()
    borders = np.searchsorted(owners, np.arange(batch.num_rows + 1)).tolist()
    texts = batch.column("text")
    for number in range(batch.num_rows):
        low, high = borders[number], borders[number + 1]
        text = texts[number].as_py() if high > low else ""
        yield removed_words({(named[n], text[starts[n] : ends[n]]) for n in range(low, high)})


def _words_of(part: PartFile, stored: Sequence[PartFile]) -> dict[str, dict[str, tuple[str, bool]]]:
    """Return the removed words of the people of a part."""
    subjects = pa.array(
        {each for batch in read_groups(part.path, ["subject_id"]) for each in batch.column(0).to_pylist() if each},
        pa.string(),
    )
    found: dict[str, dict[str, tuple[str, bool]]] = {}
    for each in stored:
        for batch in read_groups(each.path):
            rows = batch.filter(pc.is_in(batch.column("subject_id"), value_set=subjects))
            for subject, word, label, was_upper in zip(*(column.to_pylist() for column in rows.columns), strict=True):
                known = found.setdefault(subject, {})
                before, upper_before = known.get(word, (label, False))
                known[word] = min(before, label), upper_before or was_upper
    return found
