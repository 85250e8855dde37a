"""An algorithm for tables: rows that k share remain, all others go. In a command: ``--algorithm shared-rows``.

Nothing is generalized. In a plan (``anonymity: {algorithm: shared-rows}``) people show nothing if fewer than k of them
have the same values.
"""

from collections import Counter
from typing import TYPE_CHECKING

from spark_deid.extending import (
    GateRefused,
    InputTables,
    PrivacyClaim,
    RecodedRows,
    RecodingFolders,
    RecodingKind,
    RecodingRequest,
    UsageError,
)

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_SIZE = "rows of the class"


def least_size(sizes: Counter[int], k: int) -> int:
    """Return from which size classes are shown, so that those who show nothing are at least k, or no one.

    ``sizes`` counts the classes of each size. Raises GateRefused where none would be shown.

    >>> least_size(Counter({1: 2, 3: 2, 9: 1}), k=3)
    9
    """
    for least in sorted({k, *(size for size in sizes if size > k)}):
        hidden = sum(size * number for size, number in sizes.items() if size < least)
        if hidden == 0 or hidden >= k:
            return least
    raise GateRefused(f"nothing is shared by {k} but for what hides others")


def _check(claim: PrivacyClaim) -> None:
    if claim.person is not None:
        raise UsageError("--person: shared-rows takes every row for a person; expected --algorithm mondrian")
    if claim.models.guarantees != ("k-anonymous",):
        raise UsageError("--model: shared-rows keeps to k alone, as in --model k=5")


def _recode(tables: InputTables, request: RecodingRequest, folders: RecodingFolders) -> RecodedRows:
    from pyspark.sql import functions as F

    from spark_deid.extending import column, original_of, sizes_of

    claim, published = request.claim, request.published(tables.table.columns)
    chosen = tables.table.select(*map(column, published))
    shown = chosen.withColumn(_SIZE, _size(claim)).where(F.col(_SIZE) >= _least(claim)).drop(_SIZE)
    rows, kept = chosen.count(), shown.count()
    if not kept:
        raise GateRefused(f"no row is shared by {_least(claim)}")
    copies = {original_of(name): column(name).cast("string") for name in claim.quasi}
    return RecodedRows(
        claim,
        shown.orderBy(*map(column, published)),
        sizes_of(chosen, claim),
        {"rows": rows, "suppressed_rows": rows - kept, "loss": {"share_of_rows": (rows - kept) / rows}},
        pairs=shown.withColumns(copies) if request.keep else None,
    )


def _recode_view(view: "DataFrame", request: RecodingRequest, folders: RecodingFolders) -> "DataFrame":
    from pyspark.sql import functions as F

    from spark_deid.extending import column, sizes_of

    claim = request.claim
    least = least_size(sizes_of(view, claim), _least(claim))
    stays = _size(claim) >= least
    shown = {name: F.when(stays, column(name)).cast("string").alias(name) for name in claim.quasi}
    published = request.published(view.columns)
    return view.select(*(shown.get(name, column(name)) for name in published))


def _size(claim: PrivacyClaim) -> "Column":
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    from spark_deid.extending import column

    return F.count(F.lit(1)).over(Window.partitionBy(*map(column, claim.quasi)))


def _least(claim: PrivacyClaim) -> int:
    return int(claim.models.numbers("k")[0])


KIND = RecodingKind(describe="leaves out rows that few share", recode=_recode, check=_check, recode_view=_recode_view)
