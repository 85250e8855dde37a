"""What is recounted, from the files of decisions themselves: no other engine reads them on the way."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from spark_deid.core.columns import field_in
from spark_deid.repeats.recount.pieces import is_star
from spark_deid.storage.parts import read_groups

_READ = ("doc_id", "text", "published", "edits")
UNIT = "unit"


def compared_groups(path: str) -> Iterator[pa.RecordBatch]:
    """Yield doc_id, unit (the document), text, published and the columns of edits of a part of decisions."""
    for group in read_groups(path, _READ):
        yield with_edit_columns(group)


def with_edit_columns(decisions: pa.RecordBatch) -> pa.RecordBatch:
    """Put a list for each property of the edits in place of the list of edits: starts, ends, replaced and hides."""
    edits = decisions.column("edits")
    replacements = field_in(edits, "replacement").dictionary_encode()
    codes = replacements.indices.to_numpy()
    values = replacements.dictionary.to_pylist()
    replaced = np.fromiter(map(len, values), np.int32, len(values))[codes]
    hides = np.fromiter(map(is_star, values), np.bool_, len(values))[codes]
    sizes = np.diff(edits.offsets.to_numpy())
    offsets = pa.array(np.concatenate([[0], np.cumsum(sizes)]), pa.int32())
    columns = {
        **{name: decisions.column(name) for name in ("doc_id", "text", "published")},
        UNIT: decisions.column("doc_id"),
        "starts": pa.ListArray.from_arrays(offsets, field_in(edits, "start")),
        "ends": pa.ListArray.from_arrays(offsets, field_in(edits, "end")),
        "replaced": pa.ListArray.from_arrays(offsets, pa.array(replaced)),
        "hides": pa.ListArray.from_arrays(offsets, pa.array(hides)),
    }
    return pa.RecordBatch.from_pydict(columns)
