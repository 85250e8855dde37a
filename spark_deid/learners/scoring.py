"""Weights in one hash table, and the sums of those a token's attributes have."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from spark_deid.core.errors import ModelError
from spark_deid.core.numerics.arrays import Bools, Float64s, Int64s, UInt8s, UInt64s
from spark_deid.core.numerics.compilation import compiled, prefetch
from spark_deid.learners.chain import ChainWeights, LabelledSequence
from spark_deid.text.kernels.expansion import expand, reduce
from spark_deid.text.kernels.vectors import LANES, add_lanes, pad_to_eight
from spark_deid.text.templates import TemplateTable

U = np.uint64
LOAD = 0.4
"""How many of the slots are in use at most: a table of twice the size spares branches that are mispredicted."""
MANY, WIDE = 255, 254
MAX_TAGS = 250
BLOCK = 16
"""Tokens scored together, so that their rows of scores remain in the nearest cache."""
CHUNK = 64
"""Tokens whose attributes are computed together, so that these remain in the next cache."""


class WeightTable(NamedTuple):
    """Open addressing with linear probing, home ``(hash >> 8) & mask``; two words a slot.

    Word 0 has the upper 56 bits of the hash and a code: a tag whose weight is word 1, or ``MANY``, or ``WIDE``. Word 1
    of ``MANY`` is the row's first weight times 256 plus the number of weights; that of ``WIDE`` is where in ``wide`` a
    weight for every tag begins, and zeros up to a multiple of ``LANES``. Word 0 is 0 in a free slot.
    """

    slots: UInt64s
    row_tags: UInt8s
    row_weights: Float64s
    wide: Float64s


WEIGHT_ARRAYS: Mapping[str, type[np.generic]] = dict(
    zip(WeightTable._fields, (np.uint64, np.uint8, np.float64, np.float64), strict=True)
)
"""The arrays of a table in a model folder."""


@compiled
def _insert(keys: UInt64s, codes: UInt64s, values: UInt64s, slots: UInt64s) -> None:
    mask = U(len(slots) // 2 - 1)
    for a in range(len(keys)):
        slot = (keys[a] >> U(8)) & mask
        while slots[U(2) * slot] != U(0):
            slot = (slot + U(1)) & mask
        slots[U(2) * slot] = (keys[a] & ~U(255)) | codes[a]
        slots[U(2) * slot + U(1)] = values[a]


def build_weight_table(weights: ChainWeights) -> WeightTable:
    """Put weights into a table; a row that vector by vector is added sooner than weight by weight becomes wide."""
    counts = np.diff(weights.starts)
    width = pad_to_eight(len(weights.names))
    is_wide = counts > width // LANES
    is_row = (counts > 1) & ~is_wide
    in_wide, in_row = np.repeat(is_wide, counts), np.repeat(is_row, counts)
    wide = np.zeros((int(is_wide.sum()), width))
    wide[np.repeat(np.cumsum(is_wide) - 1, counts)[in_wide], weights.tags[in_wide]] = weights.weights[in_wide]
    firsts = np.cumsum(np.where(is_row, counts, 0)) - counts
    first_tags = np.append(weights.tags, np.uint8(0))[weights.starts[:-1]]
    first_weights = np.append(weights.weights, 0.0)[weights.starts[:-1]]
    codes = np.where(is_wide, WIDE, np.where(is_row, MANY, first_tags))
    values = np.where(
        is_wide,
        ((np.cumsum(is_wide) - 1) * width).astype(np.uint64),
        np.where(is_row, ((firsts << 8) + counts).astype(np.uint64), first_weights.view(np.uint64)),
    )
    size = 16
    while size * LOAD < len(weights.keys):
        size *= 2
    slots = np.zeros(2 * size, np.uint64)
    used = counts > 0
    _insert(weights.keys[used], codes[used].astype(np.uint64), values[used], slots)
    return WeightTable(slots, weights.tags[in_row], weights.weights[in_row], wide.ravel())


@compiled
def add_scores(attributes: UInt64s, count: int, table: WeightTable, inline: Float64s, scores: Float64s) -> None:
    """Add to ``scores[token, tag]`` the weights of ``attributes[template, token]``, in order of templates.

    ``inline`` has the slots as floats; ``scores`` is contiguous, and its rows are padded to a multiple of ``LANES``.
    The order makes the sums equal to CRFsuite's to the last bit. Unsigned indices spare the check for negative ones.
    """
    slots, row_tags, row_weights, wide = table
    mask = U(len(slots) // 2 - 1)
    features = U(attributes.shape[0])
    width = np.int64(scores.shape[1])
    # Blocks of tokens keep their scores in the cache while all templates are added.
    for begin in range(U(0), U(count), U(BLOCK)):
        end = min(U(count), begin + U(BLOCK))
        for f in range(features):
            if f + U(1) < features:
                for i in range(begin, end):
                    prefetch(slots, np.int64(U(2) * ((attributes[f + U(1), i] >> U(8)) & mask)))
            before = U(0)
            code = U(MANY)
            value = U(0)
            weight = 0.0
            for i in range(begin, end):
                h = attributes[f, i]
                if h == U(0):
                    continue
                if h != before:
                    before = h
                    code = U(MANY)
                    value = U(0)
                    slot = (h >> U(8)) & mask
                    key = slots[U(2) * slot]
                    while key != U(0):
                        # A slot's first word has 56 bits of the hash and a code in 8 bits: a tag, MANY or WIDE.
                        if (key ^ h) >> U(8) == U(0):
                            code = key & U(255)
                            value = slots[U(2) * slot + U(1)]
                            weight = inline[U(2) * slot + U(1)]
                            break
                        slot = (slot + U(1)) & mask
                        key = slots[U(2) * slot]
                # WIDE attributes have more weights than a row has vectors, so adding the whole row is faster.
                if code == U(WIDE):
                    row = np.int64(i) * width
                    for j in range(0, width, LANES):
                        add_lanes(scores, row + j, wide, np.int64(value) + j)
                elif code != U(MANY):
                    scores[i, code] += weight
                else:
                    first = value >> U(8)
                    for k in range(first, first + (value & U(255))):
                        scores[i, U(row_tags[k])] += row_weights[k]


@compiled
def _score(
    columns: UInt64s,
    first: int,
    end: int,
    templates: TemplateTable,
    reduced: Bools,
    table: WeightTable,
    inline: Float64s,
    scores: Float64s,
) -> None:
    cells, sizes, seeds, kept, _ = templates
    attributes = np.empty((len(sizes), min(end - first, CHUNK)), np.uint64)
    # Attributes of a chunk of tokens only, so that memory does not grow with the text.
    for begin in range(first, end, CHUNK):
        stop = min(begin + CHUNK, end)
        expand(columns, begin, stop, cells, sizes, seeds, attributes)
        reduce(reduced[begin:stop], kept, attributes)
        rows = scores[begin - first : stop - first]
        add_scores(attributes, stop - begin, table, inline, rows)


def score(
    columns: UInt64s, reduced: Bools, first: int, end: int, templates: TemplateTable, table: WeightTable, tags: int
) -> Float64s:
    """Return the sum of the weights of each token's attributes, ``[token, tag]``; cells beyond ``tags`` are padding.

    ``columns`` is a window's table of columns, ``reduced`` states which of its tokens have only the templates kept for
    merged tokens, and ``first`` and ``end`` are the tokens asked for.
    """
    scores = np.zeros((end - first, pad_to_eight(tags)))
    _score(columns, first, end, templates, reduced, table, table.slots.view(np.float64), scores)
    return scores


def score_attributes(attributes: UInt64s, table: WeightTable, tags: int) -> Float64s:
    """Return the sums for ``attributes[template, row]`` as ``score`` does for those of tokens."""
    scores = np.zeros((attributes.shape[1], pad_to_eight(tags)))
    add_scores(attributes, len(scores), table, table.slots.view(np.float64), scores)
    return scores


# What of a weight table may be given away: the weights of features that carry no words.


def public_keys(sequences: Iterable[LabelledSequence], secret: Bools) -> UInt64s:
    """Return the attributes of the templates that are not secret, each once."""
    return np.unique(np.concatenate([np.unique(sequence.attributes[~secret]) for sequence in sequences]))


def public_slots(table: WeightTable, keys: UInt64s) -> UInt8s:
    """Mark the slots of these attributes, a bit a slot."""
    heads = table.slots[::2]
    return np.packbits((heads != 0) & np.isin(heads >> np.uint64(8), np.unique(keys >> np.uint64(8))))


def only_public(table: WeightTable, public: UInt8s, tags: int) -> WeightTable:
    """Return a table of the marked slots only; nothing of the others remains in its arrays.

    Raises ModelError where ``public`` is empty: nothing distinguishes the slots.
    """
    if not len(public):
        raise ModelError("model: trained by an older version, which cannot be exported. Train it again")
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
