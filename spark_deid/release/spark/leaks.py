"""Operators of the leak scan: what was removed, whether it stands beside the documents, and whether in them.

Compiled code is imported by the functions that run on workers: on the driver it would be of no use.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import SparkSession

from spark_deid.core.arrow import to_batch, tuples_of
from spark_deid.core.corpus import Corpus
from spark_deid.core.edit import RARE
from spark_deid.core.numerics.arrays import Int64s, UInt8s
from spark_deid.core.words import WORD
from spark_deid.engine.tasks import run_tasks
from spark_deid.release.kernels.matching import SAME_CASE
from spark_deid.release.metadata_leaks import LEAST, Texts, is_common, is_own, residual_pieces, stands_whole
from spark_deid.release.piece_search import cut_out_pieces, digest_texts, needles_of
from spark_deid.release.spark.residual_documents import (
    FoundPassages,
    ResidualDocuments,
    documents_with,
    first_passages,
    of_all_parts,
    passages_in,
)
from spark_deid.rewriting.metadata import in_plain_digits
from spark_deid.rewriting.registry import TECHNIQUES
from spark_deid.storage.parts import PartFile, PartsWriter, read_groups
from spark_deid.text.base_letters import other_spellings

if TYPE_CHECKING:
    from spark_deid.release.piece_search import RemovedTextIndex, Strings

REMOVED = pa.schema([("piece", pa.string()), ("label", pa.string())])
"""A piece of an original that an edit replaces, and the edit's label; each pair once a part."""
MOST_HITS = 1000
MOST_NEEDLES = 1 << 22
"""How many pieces a worker looks for at most, about 400 MB of them; of more it looks for one in so many."""
IDS, COLUMNS, TEXTS, PERSONS = (
    "ids",
    "kept columns",
    "texts",
    ("columns of the table of persons"),
)  # words: ok (a key of manifests)
_REMEMBERED = 1 << 16  # values
_BLANK = "\0"
Columns: TypeAlias = Mapping[str, Callable[[str], str] | None]
"""Metadata that is published, and what is published of a value of it: the value itself, or what a function makes."""
ResidualCounts = Mapping[str, Mapping[str, int]]
"""How many removed pieces stand in what is published, by where and label."""


class RemovedText(NamedTuple):
    """What was removed from documents, as parts of a table (REMOVED) in a private folder."""

    spark: SparkSession
    parts: tuple[PartFile, ...]

    @property
    def every(self) -> int:
        """Return n where of very much that was removed one piece in n is looked for in what is published, else 1."""
        return _every(self.parts)

    def residuals_in(self, texts: Texts, apart: Iterable[str]) -> ResidualCounts:
        """Count the removed pieces that stand in texts about a release, by where and label; runs one action.

        A piece counts once a place, under the first of its labels. Common words, what every release says, and the words
        ``apart`` are no leak.
        """
        known = tuple(apart)
        hits = set().union(*run_tasks(self.spark, partial(_residuals_in_texts, texts=texts, apart=known), self.parts))
        labels: dict[tuple[str, str], str] = {}
        for piece, place, label in hits:
            if _leaks(piece, known):
                labels[place, piece] = _first_label(label, labels.get((place, piece), label))
        counted: dict[str, Counter[str]] = {}
        for (place, _), label in sorted(labels.items(), key=lambda each: (each[0][0], each[1])):
            counted.setdefault(place, Counter())[label] += 1
        return counted


def store_removed(corpus: Corpus, folder: str) -> RemovedText:
    """Write what edits removed: pieces of so many characters and more that the leak scan looks for. Runs one action."""
    spark = corpus.documents.sparkSession
    stored = run_tasks(spark, partial(_store, folder=folder), [parts["decisions"] for parts in corpus.decided])
    return RemovedText(spark, tuple(part for part in stored if part.rows))


class FoundResiduals(NamedTuple):
    """Counts of removed text that is still published, the documents that contain it, and the passages in texts.

    Counts and documents are by place. ``passages`` has the first documents, for the workspace only.
    """

    counts: ResidualCounts
    documents: Mapping[str, ResidualDocuments]
    passages: FoundPassages


def find_residuals(removed: RemovedText, corpus: Corpus, columns: Columns, *, ids: bool) -> FoundResiduals:
    """Count the removed pieces that stand, as words, in published texts, columns and, where kept, ids.

    Case and accents make no difference, nor do umlauts as two letters (``text.base_letters``); a piece that stands
    there in two such spellings counts twice. In columns and ids each of their longer words counts as well. Rare text is
    left out, which a guarantee of its own counts, and so are common words. Documents are named by their ids as they
    were read. Runs one action.
    """
    if not removed.parts:
        return FoundResiduals({}, {}, {})
    find = partial(_found_in_part, removed=removed.parts, columns=columns, ids=ids)
    found = list(run_tasks(removed.spark, find, [parts["decisions"] for parts in corpus.decided]))
    hits: dict[str, dict[str, list[Int64s]]] = {}
    for each, _, _ in found:
        for (place, label), numbers in each.items():
            hits.setdefault(place, {}).setdefault(label, []).append(numbers)
    counts = {
        place: {label: len(np.unique(np.concatenate(numbers))) for label, numbers in sorted(labels.items())}
        for place, labels in sorted(hits.items())
    }
    documents = of_all_parts(each for _, each, _ in found)
    return FoundResiduals(counts, documents, first_passages(each for _, _, each in found))


def _store(part: PartFile, *, folder: str) -> PartFile:
    rows = distinct_rows(map(_cut, read_groups(part.path, ["text", *_OF_EDITS])), REMOVED)
    with PartsWriter({"removed": folder}, {"removed": REMOVED}) as writer:
        writer.write({"removed": rows})
        return writer.close()["removed"]


_OF_EDITS = tuple(f"edits.list.element.{name}" for name in ("start", "end", "label"))


def _cut(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return what the edits of a batch of decisions replace, with its labels."""
    cells = batch.column("edits")
    edits = cells.flatten()
    starts, ends, labels = (edits.field(name) for name in ("start", "end", "label"))
    lengths = pc.fill_null(pc.list_value_length(cells), 0).to_numpy(zero_copy_only=False)
    lists = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    borders = (np.ascontiguousarray(each.to_numpy(), np.int32) for each in (starts, ends))
    pieces, numbers = cut_out_pieces(batch.column("text"), lists, *borders, least=LEAST)
    return pa.RecordBatch.from_arrays([pieces, labels.take(pa.array(numbers))], schema=REMOVED)


def distinct_rows(batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> pa.RecordBatch:
    """Return the rows of batches, equal ones once, in the order in which they first stand."""
    rows = pa.Table.from_batches(batches, schema)
    return _one_batch(rows.group_by(schema.names, use_threads=False).aggregate([]))


def _one_batch(rows: pa.Table) -> pa.RecordBatch:
    columns = [each.chunk(0) if each.num_chunks else pa.array([], each.type) for each in rows.combine_chunks().columns]
    return pa.RecordBatch.from_arrays(columns, schema=rows.schema)


def _residuals_in_texts(part: PartFile, *, texts: Texts, apart: tuple[str, ...]) -> set[tuple[str, str, str]]:
    """Return what stands in texts, where, and the label of what was removed.

    Of very much it is what is a leak, since the rest must not take its place. Rare text begins and ends anywhere, and
    such pieces of words stand in other words by chance: it must stand whole, in its own case.
    """
    pieces = (piece for batch in read_groups(part.path, ["piece"]) for piece in batch.column(0).to_pylist())
    hits = residual_pieces(pieces, texts, apart)
    labels = _labels_of(part, {piece for piece, _ in hits})
    hits = {(piece, place) for piece, place in hits if labels[piece] != RARE or stands_whole(piece, texts[place])}
    if len(hits) > MOST_HITS:
        hits = {(piece, place) for piece, place in hits if _leaks(piece, apart)}
    return {(piece, place, labels[piece]) for piece, place in sorted(hits)[:MOST_HITS]}


def _labels_of(part: PartFile, pieces: set[str]) -> dict[str, str]:
    """Return the first label under which edits removed each piece in a part, that of rare text if there is no other."""
    batches = read_groups(part.path, REMOVED.names) if pieces else ()
    found: dict[str, str] = {}
    for batch in batches:
        for piece, label in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            if piece in pieces:
                found[piece] = _first_label(label, found.get(piece, label))
    return found


def _first_label(*labels: str) -> str:
    """Return the first of labels in order; that of rare text comes last."""
    return min(labels, key=lambda label: (label == RARE, label))


def _leaks(piece: str, apart: tuple[str, ...]) -> bool:
    return not is_common(piece) and not is_own(piece, apart)


def _found_in_part(
    part: PartFile, *, removed: tuple[PartFile, ...], columns: Columns, ids: bool
) -> tuple[Mapping[tuple[str, str], Int64s], Mapping[str, ResidualDocuments], FoundPassages]:
    """Return the removed text that a part publishes, the documents that contain some, and passages of its texts."""
    columns = {name: None if let_out is None else lru_cache(_REMEMBERED)(let_out) for name, let_out in columns.items()}
    hits = _residuals_in_part(part, removed=removed, columns=columns, ids=ids)
    documents: dict[str, ResidualDocuments] = {}
    passages: FoundPassages = {}

    def published(place: str) -> Iterator[tuple[Sequence[str], "Strings"]]:
        batches = read_groups(part.path, [*_names_to_read(columns, ids=True), *_REPLACED])
        return (_by_document(batch, place, columns, ids=ids) for batch in batches)

    for place in sorted({place for place, _ in hits}):
        numbers = np.unique(np.concatenate([each for (where, _), each in hits.items() if where == place]))
        pieces = targets_of(removed, names=place != TEXTS).needles.pieces.take(pa.array(numbers))
        documents[place] = documents_with(pieces, published(place))
        if place == TEXTS:
            passages = passages_in(pieces, documents[place].ids, published(place))
    return hits, documents, passages


def _by_document(batch: pa.RecordBatch, place: str, columns: Columns, *, ids: bool) -> tuple[Sequence[str], "Strings"]:
    """Return what is published at a place, and the id of the document of each text: of columns every value is one."""
    names = batch.column("doc_id").to_pylist()
    if place == TEXTS:
        return names, _without_invented(batch)
    if place == IDS:
        return names, [name.lower() for name in names]
    values = [*_values(batch, columns, ids=ids)]
    return [name for name, each in zip(names, values, strict=True) for _ in each], [*chain(*values)]


def _names_to_read(columns: Columns, *, ids: bool) -> list[str]:
    return ["published", *(["doc_id"] if ids else []), *(["subject_id", "meta"] if columns else [])]


def _residuals_in_part(
    part: PartFile, *, removed: tuple[PartFile, ...], columns: Columns, ids: bool
) -> Mapping[tuple[str, str], Int64s]:
    """Return the numbers of the removed pieces that stand in what a part publishes, by where and label."""
    found: dict[str, UInt8s] = {}
    for batch in read_groups(part.path, [*_names_to_read(columns, ids=ids), *_REPLACED]):
        for place, texts in _published(batch, columns, ids=ids):
            needles = targets_of(removed, names=place != TEXTS).needles
            needles.search(texts, found.setdefault(place, needles.nothing()))
    return {
        (place, label): numbers
        for place, hits in found.items()
        for label, numbers in hits_by_label(targets_of(removed, names=place != TEXTS), hits).items()
    }


class LeakTargets(NamedTuple):
    """What to look for, and where each comes from: a row of a needle's number, a label, and the word that it was.

    A row without a word is of a whole piece.
    """

    needles: "RemovedTextIndex"
    numbers: Int64s
    labels: pa.StringArray
    words: pa.StringArray


def hits_by_label(wanted: LeakTargets, hits: UInt8s) -> Mapping[str, Int64s]:
    """Return the numbers of the needles that were hit and are no common words, by label.

    What stands in another case alone is taken for written small.
    """
    found: dict[str, set[int]] = {}
    for row in np.flatnonzero(hits[wanted.numbers]).tolist():
        number, word = int(wanted.numbers[row]), wanted.words[row].as_py()
        piece = wanted.needles.pieces[number].as_py()
        if not (is_common(piece if hits[number] == SAME_CASE else piece.lower()) or (word and is_common(word))):
            found.setdefault(wanted.labels[row].as_py(), set()).add(number)
    return {label: np.array(sorted(numbers), np.int64) for label, numbers in found.items()}


def _published(batch: pa.RecordBatch, columns: Columns, *, ids: bool) -> Iterator[tuple[str, "Strings"]]:
    """Yield the texts of documents that are published, by where they stand; ids and columns in small letters."""
    yield TEXTS, _without_invented(batch)
    if ids:
        yield IDS, [doc_id.lower() for doc_id in batch.column("doc_id").to_pylist()]
    if columns:
        yield COLUMNS, [value for values in _values(batch, columns, ids=ids) for value in values]


def _values(batch: pa.RecordBatch, columns: Columns, *, ids: bool) -> Iterator[list[str]]:
    """Yield what is published of the columns of each document, in small letters."""
    subjects = batch.column("subject_id").to_pylist()
    for meta, subject in zip(batch.column("meta").to_pylist(), subjects, strict=True):
        given = dict(meta or ()) | ({"subject_id": subject if ids else None} if "subject_id" in columns else {})
        published = [
            value if let_out is None else let_out(value)
            for name, let_out in columns.items()
            if (value := given.get(name))
        ]
        # Spark writes 1.2E8: numbers are compared by value.
        plain = (number for value in published if (number := in_plain_digits(value)) is not None)
        yield [value.lower() for value in (*published, *plain)]


_REPLACED = tuple(f"edits.list.element.{name}" for name in ("start", "end", "technique", "replacement"))


def _without_invented(batch: pa.RecordBatch) -> "Strings":
    """Return published texts without what techniques made up: words of some person's that are nobody's there.

    That these are none of the same person or document is a guarantee of its own.
    """
    published, edits = batch.column("published"), batch.column("edits")
    used = pc.unique(edits.flatten().field("technique")).to_pylist()
    invented = frozenset(name for name in used if TECHNIQUES.find(name).invents)
    if not invented:
        return published
    return [
        blank_replacements(text, each, invented)
        for text, each in zip(published.to_pylist(), tuples_of(edits), strict=True)
    ]


def blank_replacements(published: str, edits: Iterable[tuple[int, int, str, str]], techniques: Container[str]) -> str:
    """Write a sign in place of each replacement by these techniques; edits are start, end, technique, replacement.

    >>> edits = [(5, 8, "surrogate", "Eve"), (15, 17, "suppress", "[AGE]")]
    >>> blank_replacements("I am Eve, aged [AGE].", edits, {"surrogate"})
    'I am \\x00, aged [AGE].'
    """
    parts: list[str] = []
    position = shift = 0
    for start, end, technique, replacement in sorted(edits):
        if technique in techniques:
            parts += (published[position : start + shift], _BLANK)
            position = start + shift + len(replacement)
        shift += len(replacement) - (end - start)
    return "".join((*parts, published[position:]))


def _every(parts: Iterable[PartFile]) -> int:
    return sum(part.rows for part in parts) // MOST_NEEDLES + 1


@lru_cache(maxsize=2)
def targets_of(parts: tuple[PartFile, ...], *, names: bool) -> LeakTargets:
    """Return what to look for, once a worker process, and numbered alike in all; of very much one piece in so many.

    Ids and columns are looked through for ``names``: words of removed pieces too, in small letters.
    """
    removed = distinct_rows(
        (_sampled(batch, _every(parts)) for part in parts for batch in read_groups(part.path)), REMOVED
    )
    rows = distinct_rows(_names_of(removed), NAMED) if names else _whole_pieces(removed)
    pieces = rows.column("name").dictionary_encode()
    numbers = pieces.indices.to_numpy().astype(np.int64)
    return LeakTargets(needles_of(pieces.dictionary), numbers, rows.column("label"), rows.column("word"))


_MAY_BE_SPELLED = r"(?i)[aou]e|aa|[^\x00-\x7f]"
NAMED = pa.schema([("name", pa.string()), ("label", pa.string()), ("word", pa.string())])


def _sampled(batch: pa.RecordBatch, every: int) -> pa.RecordBatch:
    """Return the rows to look for: those of rare text are counted by a guarantee of their own."""
    wanted = batch.filter(pc.not_equal(batch.column("label"), RARE))
    return wanted if every == 1 else wanted.filter(pa.array(digest_texts(wanted.column("piece")) % every == 0))


def _whole_pieces(removed: pa.RecordBatch) -> pa.RecordBatch:
    words = pa.array([""] * removed.num_rows, pa.string())
    whole = pa.RecordBatch.from_arrays([*removed.columns, words], schema=NAMED)
    return _one_batch(pa.Table.from_batches([whole, _spelled(whole)]))


def _spelled(named: pa.RecordBatch) -> pa.RecordBatch:
    """Return rows with the other spellings of names, if they are long enough; the word is what was removed."""
    likely = named.filter(pc.match_substring_regex(named.column("name"), _MAY_BE_SPELLED))
    rows = [
        (spelled, label, word or name)
        for name, label, word in zip(*(column.to_pylist() for column in likely.columns), strict=True)
        for spelled in other_spellings(name)
        if len(spelled) >= LEAST
    ]
    return to_batch(rows, NAMED)


def _names_of(removed: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    rows: list[tuple[str, str, str]] = []
    for piece, label in zip(*(column.to_pylist() for column in removed.columns), strict=True):
        rows.append((piece.lower(), label, ""))
        rows += [(word.lower(), label, word) for word in WORD.findall(piece) if len(word) >= LEAST]
    names = to_batch(rows, NAMED)
    yield names
    yield _spelled(names)
