"""What a corpus contains: counts, and digests that no order or partitioning changes."""

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from spark_deid.core.hashing import fingerprint

Sums = NDArray[np.int64]
"""Documents, characters and documents that name a person; then the lanes of both digests. Sums of parts add up."""

_COUNTS = 3
_LANES = 8
NO_SUMS: Sums = np.zeros(_COUNTS + 2 * _LANES, np.int64)


class CorpusDigest(NamedTuple):
    """How much a corpus holds, and one digest of it; ``subjects`` counts the documents that name a person."""

    documents: int
    characters: int
    subjects: int
    digest: str


def measure_content(documents: pa.RecordBatch) -> Sums:
    """Count documents and sum up two digests: of ids and texts, and of what else a release may publish.

    Digests are sums of the documents' sha256 in eight lanes of 32 bits: two documents exchanged for two others do not
    cancel out, as they could in an exclusive or.
    """
    ids, texts = (documents.column(name).to_pylist() for name in ("doc_id", "text"))
    others = (documents.column(name).to_pylist() for name in ("subject_id", "meta"))
    counts = (
        len(ids),
        sum(map(len, texts)),
        len(ids) - documents.column("subject_id").null_count,
    )
    contents = _lanes(f"{len(name)}:{name}{text}" for name, text in zip(ids, texts, strict=True))
    about = _lanes(map(repr, zip(ids, *others, strict=True)))
    return np.concatenate([np.array(counts, np.int64), contents, about])


def content_of(sums: Sums) -> CorpusDigest:
    """Return what sums state about a whole corpus."""
    documents, characters, subjects, *lanes = map(int, sums[: _COUNTS + _LANES])
    return CorpusDigest(documents, characters, subjects, fingerprint([documents, *lanes]))


def holds_rows(decisions: pa.RecordBatch, name: str, table: pa.RecordBatch | None) -> bool:
    """Tell whether rows of a table are, one for one, what the column ``name`` of decisions holds, a list a document."""
    cells = decisions.column(name)
    if table is None:
        return not len(cells.flatten())
    ids = decisions.column("doc_id").take(pc.list_parent_indices(cells))
    held = dict(zip((field.name for field in cells.type.value_type), cells.flatten().flatten(), strict=True))
    held["doc_id"] = ids
    return all(held[column].equals(table.column(column)) for column in table.schema.names)


def _lanes(rows: Iterable[str]) -> Sums:
    digests = b"".join(hashlib.sha256(row.encode("utf-8", "surrogatepass")).digest() for row in rows)
    lanes: Sums = np.frombuffer(digests, ">u4").reshape(-1, _LANES).sum(axis=0, dtype=np.int64)
    return lanes
