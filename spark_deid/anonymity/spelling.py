"""Sensitive values as they count: spellings of one value are one."""

import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.anonymity.column_type import MISSING_TEXTS, PLAIN_NUMBER, plain_number

MISSING_WORDS = tuple(text.lower() for text in MISSING_TEXTS)
"""The texts, in one spelling, that are missing values among numbers."""


def one_spelling(values: pa.Array) -> pa.Array:
    """Return texts in one spelling: no case, whitespace around or invisible characters, no ligatures.

    Plain numbers have no zeros that do not count.

    >>> one_spelling(pa.array(["Flu ", "ﬂu", "F\u00adlu", "heart  attack", None])).to_pylist()
    ['flu', 'flu', 'flu', 'heart attack', None]
    >>> one_spelling(pa.array(["1.10", "1.1", "007"])).to_pylist()
    ['1.1', '1.1', '007']
    """
    composed = pc.utf8_lower(pc.utf8_normalize(values, form="NFKC"))
    seen = pc.replace_substring_regex(composed, r"\p{Cf}+", "")
    texts = pc.utf8_trim_whitespace(pc.replace_substring_regex(seen, r"[\s\p{Z}]+", " "))
    is_number = pc.match_substring_regex(texts, PLAIN_NUMBER)
    if not pc.any(is_number).as_py():
        return texts
    pairs = zip(texts.to_pylist(), is_number.to_pylist(), strict=True)
    return pa.array([plain_number(text) if fits else text for text, fits in pairs], pa.string())


def without_missing_words(texts: pa.Array) -> pa.Array:
    """Return texts in one spelling without ``NA`` and empty ones, which are missing."""
    words = pc.is_in(texts, value_set=pa.array(MISSING_WORDS))
    return pc.if_else(words, pa.scalar(None, pa.string()), texts)


def are_numbers(texts: pa.Array) -> bool:
    """Return whether texts in one spelling are plain numbers, ``NA`` and empty text aside."""
    there = without_missing_words(texts).drop_null()
    return bool(len(there)) and bool(pc.all(pc.match_substring_regex(there, PLAIN_NUMBER)).as_py())
