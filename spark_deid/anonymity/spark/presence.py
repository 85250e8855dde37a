"""How many of a population each class of a published table may stand for, by its labels alone."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from spark_deid.anonymity.claim import HierarchyRows, PrivacyClaim
from spark_deid.anonymity.covering import ColumnValues
from spark_deid.anonymity.spark.columns import column
from spark_deid.core.errors import UsageError
from spark_deid.core.numerics.arrays import Int64s, UInt8s
from spark_deid.engine.tasks import run_partitions

_PERSONS = 2**16
"""Persons looked at together: a bit each, for every label."""

Labels = tuple[str | None, ...]


def persons_covered(population: DataFrame, claim: PrivacyClaim, classes: pa.Table) -> tuple[Int64s, int]:
    """Count the persons that each class may stand for, and those that no class does; one Spark job.

    ``population`` has a person a row, with values as they were before anything was recoded; ``classes`` a class a row,
    its quasi-identifiers in the order of the claim.
    """
    lacking = [name for name in claim.quasi if name not in population.columns]
    if lacking:
        raise UsageError(f"--population: lacks the columns {', '.join(lacking)}")
    hierarchies = tuple(claim.hierarchies.get(name, ()) for name in claim.quasi)
    counts = partial(_counted, classes=classes, hierarchies=hierarchies)
    found = run_partitions(population.select(*map(column, claim.quasi)), counts)
    no_person = np.zeros(classes.num_rows, np.int64)
    return sum((each for each, _ in found), no_person), sum(outside for _, outside in found)


def _counted(
    batches: Iterator[pa.RecordBatch], *, classes: pa.Table, hierarchies: tuple[HierarchyRows, ...]
) -> tuple[Int64s, int]:
    if not classes.num_rows:
        return np.zeros(0, np.int64), sum(batch.num_rows for batch in batches)
    known = [each.combine_chunks().dictionary_encode("encode") for each in classes.columns]
    labels = [each.dictionary.to_pylist() for each in known]
    codes = np.stack([each.indices.to_numpy() for each in known], 1)
    inside, outside = np.zeros(classes.num_rows, np.int64), 0
    for batch in batches:
        for start in range(0, batch.num_rows, _PERSONS):
            rows = batch.slice(start, _PERSONS)
            bits = [_bits(rows.column(at), labels[at], hierarchies[at]) for at in range(len(labels))]
            anywhere = np.zeros(bits[0].shape[1], np.uint8)
            for number, places in enumerate(codes):
                covered = np.bitwise_and.reduce([bits[at][place] for at, place in enumerate(places)])
                anywhere |= covered
                inside[number] += int(np.bitwise_count(covered).sum())
            outside += rows.num_rows - int(np.bitwise_count(anywhere).sum())
    return inside, outside


def _bits(cells: pa.Array, labels: list[str | None], hierarchy: HierarchyRows) -> UInt8s:
    """Return a row of bits for each label: which persons it may stand for."""
    encoded = cells.cast(pa.string()).dictionary_encode("encode")
    values = ColumnValues.of(encoded.dictionary.to_pylist(), hierarchy)
    people = encoded.indices.to_numpy()
    return np.stack([np.packbits(values.covered(label)[people]) for label in labels])
