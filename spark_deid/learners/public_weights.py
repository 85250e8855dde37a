"""What of a weight table may be given away: the weights of features that carry no words."""

from collections.abc import Iterable

import numpy as np

from spark_deid.core.errors import ModelError
from spark_deid.core.numerics.arrays import Bools, Int64s, UInt8s, UInt64s
from spark_deid.learners.chain_weights import ChainWeights, LabelledSequence
from spark_deid.learners.scoring import MANY, WIDE, WeightTable, build_weight_table
from spark_deid.text.kernels.vectors import pad_to_eight


def public_keys(sequences: Iterable[LabelledSequence], secret: Bools) -> UInt64s:
    """Return the attributes of the templates that are not secret, each once."""
    return np.unique(np.concatenate([np.unique(sequence.attributes[~secret]) for sequence in sequences]))


def public_slots(table: WeightTable, keys: UInt64s) -> UInt8s:
    """Mark the slots of these attributes, a bit a slot."""
    heads = table.slots[::2]
    return np.packbits((heads != 0) & np.isin(heads >> np.uint64(8), np.unique(keys >> np.uint64(8))))


def only_public(table: WeightTable, public: UInt8s, tags: int) -> WeightTable:
    """Return a table of the marked slots alone; nothing of the others is left in its arrays.

    Raises ModelError where ``public`` is empty: nothing tells the slots apart.
    """
    if not len(public):
        raise ModelError("model: made before its features without words were marked; train it again to export it")
    marked = np.unpackbits(public, count=len(table.slots) // 2).astype(np.bool_)
    return build_weight_table(_weights_of(table, np.flatnonzero(marked), tags))


def _weights_of(table: WeightTable, chosen: Int64s, tags: int) -> ChainWeights:
    heads, values = table.slots[2 * chosen], table.slots[2 * chosen + 1]
    codes = heads & np.uint64(255)
    single, rows, wide = codes < WIDE, codes == MANY, codes == WIDE
    firsts, row_counts = (values[rows] >> np.uint64(8)).astype(np.int64), values[rows].astype(np.int64) & 255
    begins = np.cumsum(row_counts) - row_counts
    inside = np.repeat(firsts - begins, row_counts) + np.arange(row_counts.sum())
    width = pad_to_eight(tags)
    matrix = table.wide.reshape(-1, width)[values[wide].astype(np.int64) // width]
    counts = np.concatenate([np.ones(single.sum(), np.int64), row_counts, np.count_nonzero(matrix, 1)])
    return ChainWeights(
        names=("",) * tags,
        keys=np.concatenate([heads[single], heads[rows], heads[wide]]) & ~np.uint64(255),
        starts=np.concatenate([[0], np.cumsum(counts)]),
        tags=np.concatenate([codes[single].astype(np.uint8), table.row_tags[inside], matrix.nonzero()[1]]).astype(
            np.uint8
        ),
        weights=np.concatenate([values[single].view(np.float64), table.row_weights[inside], matrix[matrix != 0]]),
        transitions=np.zeros((tags, tags)),
    )
