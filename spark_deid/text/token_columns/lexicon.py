"""Facts of the training documents about the word, and about the runs of words that begin here."""

import numpy as np

from spark_deid.core.numerics.arrays import UInt64s
from spark_deid.core.numerics.compilation import Int, compiled
from spark_deid.text.column_layout import PAD, columns_of
from spark_deid.text.kernels.hashing import finish, salt, step
from spark_deid.text.kernels.lookup import LookupTable, look_up
from spark_deid.text.kernels.token_arrays import TokenArrays
from spark_deid.text.kernels.tokens import is_letter

U = np.uint64
LEXICON_COLUMNS = columns_of("*known *known.span *known.span2")
"""``known`` shows main label, purity and frequency of the word; the others labels and places of known spans."""
KNOWN, SPAN, SPAN2 = range(3)
UNKNOWN = 1
SPAN_SEED = salt("known span")
MAX_SPAN = 8
PREFIX_BIT = 1 << 63
LABEL_BITS = 15
"""A span's value holds up to three labels, each plus one, in fields of this width; the top bit states that longer known
spans begin so."""


@compiled
def hash_spans(words: UInt64s, first: int, end: int, out: UInt64s) -> None:
    """Write the hashes of the runs of words that begin at ``first``: of one word, of two, up to ``end``."""
    state = SPAN_SEED
    for t in range(first, end):
        state = step(state, words[t])
        key = finish(state)
        out[t - first] = key if key != U(0) else U(1)


@compiled
def fill_known(words: UInt64s, n: int, own: LookupTable, known: LookupTable, out: UInt64s) -> None:
    """Fill ``known``; ``own`` has the values without the document itself, where it is one of those trained on."""
    for t in range(n):
        value = look_up(own.keys, own.values, words[t + PAD])
        if value == U(0):
            value = look_up(known.keys, known.values, words[t + PAD])
        out[KNOWN, t + PAD] = value if value != U(0) else U(UNKNOWN)


@compiled
def _mark(label: Int, first: Int, end: Int, out: UInt64s) -> None:
    for t in range(first, end):
        place = 0 if end - first == 1 else 1 if t == first else 2 if t == end - 1 else 3
        value = U(label * 4 + place + 1)
        one = out[SPAN, t + PAD]
        if one == U(0):
            out[SPAN, t + PAD] = value
        elif (one - U(1)) >> U(2) != U(label) and out[SPAN2, t + PAD] == U(0):
            out[SPAN2, t + PAD] = value


@compiled
def fill_known_spans(tokens: TokenArrays, words: UInt64s, own: LookupTable, known: LookupTable, out: UInt64s) -> None:
    """Fill the columns of known spans, longer ones first at each token."""
    n = len(tokens.starts)
    out[SPAN, PAD : PAD + n] = U(0)
    out[SPAN2, PAD : PAD + n] = U(0)
    found = np.zeros(MAX_SPAN, np.uint64)
    for t in range(n):
        state = SPAN_SEED
        size = 0
        while size < MAX_SPAN and t + size < n:
            state = step(state, words[t + size + PAD])
            key = finish(state)
            value = look_up(known.keys, known.values, key)
            if value == U(0):
                break
            # A training document must not recognize its own spans, so its own values replace those of the corpus.
            without = look_up(own.keys, own.values, key)
            found[size] = without if without != U(0) else value
            size += 1
            if not value & U(PREFIX_BIT):
                break
        # Longer spans first: `_mark` keeps the first label of a token.
        for k in range(size, 0, -1):
            if k == 1 and not (is_letter(np.int64(tokens.kinds[t])) and tokens.ends[t] - tokens.starts[t] > 2):
                continue
            value = found[k - 1] & ~U(PREFIX_BIT)
            while value != U(0):
                label = np.int64(value & U((1 << LABEL_BITS) - 1))
                _mark(label - 1, t, t + k, out)
                value >>= U(LABEL_BITS)
