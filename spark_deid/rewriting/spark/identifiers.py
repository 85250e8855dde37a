"""Operator: replace document and subject ids by keyed hashes."""

from collections.abc import Iterator
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame

from spark_deid.core.hashing import keyed_hash


def key_ids(documents: DataFrame, *, key: bytes) -> DataFrame:
    """Replace ``doc_id``, and ``subject_id`` where there is one, by keyed hashes; every other column passes.

    Equal ids give equal hashes under one key; without the key nobody can test a candidate. Rows come in the order of
    the hashes: that of the originals would tell their ranks.
    """
    ddl = ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in documents.schema)
    keyed = documents.mapInArrow(partial(_key_batches, key=key), ddl)
    return keyed.repartition("doc_id").sortWithinPartitions("doc_id")


def _key_batches(incoming: Iterator[pa.RecordBatch], *, key: bytes) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        for kind in ("doc_id", "subject_id"):
            index = batch.schema.get_field_index(kind)
            if index >= 0:
                ids = [None if value is None else keyed_hash(key, kind, value) for value in batch[kind].to_pylist()]
                batch = batch.set_column(index, kind, pa.array(ids, type=pa.string()))
        yield batch
