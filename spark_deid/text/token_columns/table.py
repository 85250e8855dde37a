"""All columns of the tokens of a window of a text."""

from itertools import accumulate
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import UInt8s, UInt32s, UInt64s
from spark_deid.core.numerics.compilation import compiled
from spark_deid.text.column_layout import PAD, FeatureColumn
from spark_deid.text.kernels.lookup import LookupTable, empty_lookup
from spark_deid.text.kernels.token_arrays import TokenArrays, part_of
from spark_deid.text.kernels.tokens import LINE_BREAK
from spark_deid.text.token_columns.lexicon import LEXICON_COLUMNS, fill_known, fill_known_spans
from spark_deid.text.token_columns.line import LABEL, LINE_COLUMNS, fill_line, find_lines
from spark_deid.text.token_columns.memory import MEMORY_COLUMNS, fill_memory
from spark_deid.text.token_columns.nearby import BRACKET_COLUMNS, NEARBY_COLUMNS, fill_bracket, fill_nearby
from spark_deid.text.token_columns.run import PART_COLUMNS, RUN_COLUMNS, fill_part, fill_run
from spark_deid.text.token_columns.space import SPACE_COLUMNS, fill_space
from spark_deid.text.token_columns.word import LOWER_CASE, WORD_COLUMNS, WordMemory, fill_word
from spark_deid.text.tokenizer import ViewTokens

_FAMILIES = (
    WORD_COLUMNS,
    SPACE_COLUMNS,
    LINE_COLUMNS,
    MEMORY_COLUMNS,
    RUN_COLUMNS,
    PART_COLUMNS,
    NEARBY_COLUMNS,
    BRACKET_COLUMNS,
    LEXICON_COLUMNS,
)
COLUMNS: tuple[FeatureColumn, ...] = sum(_FAMILIES, ())
"""Every column, in the order of the rows of a table."""
SPACE, LINE, MEMORY, RUN, PART, NEARBY, BRACKET, LEXICON = accumulate(len(family) for family in _FAMILIES[:-1])
"""The first row of each family but the first."""


class TrainingKnowledge(NamedTuple):
    """What training says, by hash of words and of runs of words; ``own_...`` takes precedence (see ``lexicon``)."""

    words: LookupTable
    spans: LookupTable
    own_words: LookupTable
    own_spans: LookupTable


def nothing_known() -> TrainingKnowledge:
    """Return what an untrained lexicon says."""
    return TrainingKnowledge(empty_lookup(), empty_lookup(), empty_lookup(), empty_lookup())


def words_of(tokens: ViewTokens, key: UInt64s, placeholders: UInt64s, memory: WordMemory) -> UInt64s:
    """Return the column ``lower`` alone, without padding."""
    table = _empty(len(WORD_COLUMNS), len(tokens))
    fill_word(tokens.codes, tokens.lower, tokens.classes, tokens.arrays, key, placeholders, memory, table)
    return table[LOWER_CASE, PAD : PAD + len(tokens)].copy()


def fill_columns(
    tokens: ViewTokens,
    key: UInt64s,
    placeholders: UInt64s,
    known: TrainingKnowledge,
    memory: WordMemory,
    *,
    word_alone: bool = False,
    further: int = 0,
) -> UInt64s:
    """Return the table of columns: one row a column, ``PAD`` cells, one cell a token, ``PAD`` cells.

    ``memory`` is that of the key and the tokenizer. ``word_alone`` leaves all columns but those of the token itself
    empty. After the columns come as many ``further`` rows, to be filled.
    """
    table = _empty(len(COLUMNS) + further, len(tokens))
    codes, lower, classes = tokens.codes, tokens.lower, tokens.classes
    _fill(codes, lower, classes, tokens.arrays, key, placeholders, known, memory, word_alone, table[: len(COLUMNS)])
    return table


@compiled
def _fill(
    codes: UInt32s,
    lower: UInt32s,
    classes: UInt8s,
    tokens: TokenArrays,
    key: UInt64s,
    placeholders: UInt64s,
    known: TrainingKnowledge,
    memory: WordMemory,
    word_alone: bool,
    table: UInt64s,
) -> None:
    n = len(tokens.starts)
    fill_word(codes, lower, classes, tokens, key, placeholders, memory, table[:SPACE])
    if word_alone:
        return
    # The columns of other families read the hashed word, so `fill_word` comes first.
    words = table[LOWER_CASE]
    # Families own adjacent rows of one table, whose first rows are the constants `SPACE` to `LEXICON`.
    fill_space(codes, lower, classes, tokens, key, table[SPACE:LINE])
    lines, distances = find_lines(tokens.gaps, n), np.empty(n, np.int32)
    fill_line(tokens, words, lines, distances, table[LINE:MEMORY])
    fill_memory(tokens, words, table[LINE + LABEL], distances, lines, table[MEMORY:RUN])
    fill_run(tokens, words, table[RUN:PART])
    fill_part(tokens, words, table[PART:NEARBY])
    fill_nearby(tokens, words, table[NEARBY:BRACKET])
    fill_bracket(tokens, words, table[BRACKET:LEXICON])
    fill_known(words, n, known.own_words, known.words, table[LEXICON:])
    fill_known_spans(tokens, words, known.own_spans, known.spans, table[LEXICON:])


def window_of(tokens: ViewTokens, first: int, end: int) -> ViewTokens:
    """Return the tokens from ``first`` to ``end`` as if the text began and ended there."""
    arrays = tokens.arrays
    gaps = arrays.gaps[first : end + 1].copy()
    # The window's ends count as line breaks, as the ends of a text do.
    gaps[0] = gaps[-1] = LINE_BREAK
    sliced = part_of(arrays, first, end, gaps)
    return ViewTokens(
        tokens.codes, tokens.lower, tokens.classes, sliced, tokens.starts[first:end], tokens.ends[first:end]
    )


def _empty(rows: int, n: int) -> UInt64s:
    table = np.empty((rows, n + 2 * PAD), np.uint64)
    table[:, :PAD] = 0
    table[:, n + PAD :] = 0
    return table
