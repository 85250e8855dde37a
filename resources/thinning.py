"""Leave the lightest weights of a CRF out, so that a model to ship is small."""

from dataclasses import replace

import numpy as np

from spark_deid.core.numerics.arrays import Float64s
from spark_deid.learners.crf_model import CrfModel
from spark_deid.learners.scoring import MANY, WIDE, WeightTable, only_public, public_slots
from spark_deid.text.kernels.vectors import pad_to_eight


def thinned(model: CrfModel, most: int) -> CrfModel:
    """Return a model of no more than ``most`` attributes: those whose heaviest weight is the heaviest.

    Weights that remain are what they were. A calibration is that of the model as it was: fit it again.
    """
    heads = model.table.slots[::2]
    slots = np.flatnonzero(heads)
    kept = slots[np.argsort(-_heaviest(model.table, model.width)[slots], kind="stable")[:most]]
    marked = np.zeros(len(heads), np.bool_)
    marked[kept] = True
    table = only_public(model.table, np.packbits(marked), model.width)
    is_public = np.unpackbits(model.public, count=len(heads) if len(model.public) else 0).astype(np.bool_)
    public = public_slots(table, heads[: len(is_public)][is_public])
    return replace(model, table=table, public=public if len(is_public) else model.public)


def _heaviest(table: WeightTable, tags: int) -> Float64s:
    """Return the magnitude of each slot's heaviest weight, 0 for free slots."""
    heads, values = table.slots[::2], table.slots[1::2]
    codes = heads & np.uint64(255)
    found = np.zeros(len(heads))
    alone, rows, wide = (heads != 0) & (codes < WIDE), codes == MANY, codes == WIDE
    found[alone] = np.abs(values[alone].view(np.float64))
    for slot in np.flatnonzero(rows).tolist():
        first, count = int(values[slot]) >> 8, int(values[slot]) & 255
        found[slot] = np.abs(table.row_weights[first : first + count]).max()
    width = pad_to_eight(tags)
    found[wide] = np.abs(table.wide.reshape(-1, width)[values[wide].astype(np.int64) // width]).max(1, initial=0)
    return found
