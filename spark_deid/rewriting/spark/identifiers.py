"""Operators: replace document and subject ids by keyed hashes, and put rows into an order that hashes give."""

from collections.abc import Iterator
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame

from spark_deid.core.hashing import keyed_hash
from spark_deid.engine.partitions import sort_partitions


def key_ids(documents: DataFrame, *, key: bytes) -> DataFrame:
    """Replace ``doc_id``, and ``subject_id`` where there is one, by keyed hashes; every other column passes.

    Equal ids give equal hashes under one key; without the key no one can test a candidate. Rows come in the order of
    the hashes: that of the originals would show their ranks.
    """
    ddl = ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in documents.schema)
    keyed = documents.mapInArrow(partial(_key_batches, key=key), ddl)
    return sort_partitions(keyed.repartition("doc_id"), "doc_id")


def in_hash_order(documents: DataFrame, *, key: bytes) -> DataFrame:
    """Put rows into the order of keyed hashes of their ids, because the order of an input can follow its dates."""
    ddl = ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in documents.schema)
    hashed = documents.mapInArrow(partial(_hash_batches, key=key), f"{ddl}, `hash` string")
    return sort_partitions(hashed.repartition("hash"), "hash").drop("hash")


def hash_of_id(doc_id: str, *, key: bytes) -> str:
    """Return the keyed hash that orders documents."""
    return keyed_hash(key, "order", doc_id)


def _hash_batches(incoming: Iterator[pa.RecordBatch], *, key: bytes) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        hashes = [hash_of_id(doc_id, key=key) for doc_id in batch["doc_id"].to_pylist()]
        yield batch.append_column("hash", pa.array(hashes, pa.string()))


def _key_batches(incoming: Iterator[pa.RecordBatch], *, key: bytes) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        for kind in ("doc_id", "subject_id"):
            index = batch.schema.get_field_index(kind)
            if index >= 0:
                ids = [None if value is None else keyed_hash(key, kind, value) for value in batch[kind].to_pylist()]
                batch = batch.set_column(index, kind, pa.array(ids, type=pa.string()))
        yield batch
