"""Sensitive values as they count: spellings of one value are one."""

import pyarrow as pa
import pyarrow.compute as pc


def one_spelling(values: pa.Array) -> pa.Array:
    """Return texts in one spelling: no case, no white space around, no characters that nobody sees, no ligatures.

    >>> one_spelling(pa.array(["Flu ", "ﬂu", "F\u00adlu", "heart  attack", None])).to_pylist()
    ['flu', 'flu', 'flu', 'heart attack', None]
    """
    composed = pc.utf8_lower(pc.utf8_normalize(values, form="NFKC"))
    seen = pc.replace_substring_regex(composed, r"\p{Cf}+", "")
    return pc.utf8_trim_whitespace(pc.replace_substring_regex(seen, r"[\s\p{Z}]+", " "))
