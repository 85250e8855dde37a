"""The forms of the words of a text, and whether labelled corpora have words of such forms as often.

An estimate of missed names holds for text that is like the labelled corpora. Words of unusual forms may be names that
no model knows: lowercase words that no list has, and letters with digits between them ("J0hn").
"""

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Float64s, Int64s
from spark_deid.text.gazetteer import knows

FORMS = (
    *("lowercase", "unknown lowercase", "capitalized", "unknown capitalized", "uppercase", "mixed case"),
    *("digits between letters", "numbers", "single letters", "addresses and markup", "chunks"),
    *("letters of spelled words", "words with marks inside"),
)
"""The counts: words by their form, then text between spaces (chunks), of which addresses and markup have no words."""
FACTOR = 2.0
"""A share may be up to this number of times as high as the highest one of the labelled corpora."""
ALLOWED = 0.0012
"""A share up to this height is in the range in any case."""
LEAST_KNOWN = 3
"""Letters up to which a lowercase word is not unknown: lists have few short words."""
(
    _LOW,
    _UNKNOWN,
    _CAPITALIZED,
    _UNKNOWN_NAME,
    _UPPER,
    _MIXED,
    _LEET,
    _NUMBER,
    _SINGLE,
    _MARKUP,
    _CHUNK,
    _SPELLED,
    _MARKED,
) = range(len(FORMS))
_ADDRESS = re.compile(r"[@/\\=&%#_~<>{}|*^]|www\.")
_MASKED, _DIVIDED = re.compile(r"[^\W\d_][*#]+[^\W\d_]"), re.compile(r"[^\W\d_](?:[^\w\s'’@/]|_)+[^\W\d_]")
_SPELLED_WORD = re.compile(r"(?<!\S)[^\W\d_](?: [^\W\d_]){2,}(?!\S)")
"""Three and more letters with spaces between them: "J o h n"."""
_WORD = re.compile(r"[^\W_]+")
_SMALL = r"[^\W\dA-Z]"
_BETWEEN = re.compile(
    rf"{_SMALL}[013457]{{1,2}}{_SMALL}|^[A-Z]?[013457]{_SMALL}{{3,}}$|^[A-Z][013457]{{1,2}}{_SMALL}{{2,}}$"
)
"""Digits that look like letters, next to lowercase letters: "J0hn", "5mith"."""
_SLOPES = {"unknown lowercase": 0.35, "digits between letters": 0.01}
"""Text with addresses and markup, such as tweets, has more words of these forms, by this number per chunk."""


class TextRange(NamedTuple):
    """The lowest and the highest value of each feature (``FEATURES``) that is in the range of labelled corpora."""

    low: Float64s
    high: Float64s

    def outside(self, counts: Int64s) -> tuple[str, ...]:
        """Return the features of a text that are outside; a text without words is inside.

        One word more or less makes no difference, so that short texts have an estimate.
        """
        words = int(counts[: _LEET + 1].sum() - counts[_UNKNOWN] - counts[_UNKNOWN_NAME])
        if not words:
            return ()
        outside = (features(counts) > self.high + 1 / words) | (features(counts) < self.low - 1 / words)
        return tuple(name for name, is_outside in zip(FEATURES, outside, strict=True) if is_outside)


FEATURES = (
    *("unknown lowercase", "unknown capitalized", "capitalized", "uppercase", "mixed case", "digits between letters"),
    *("single letters", "numbers", "addresses and markup"),
    *("letters of spelled words", "words with marks inside"),
)


def features(counts: Int64s) -> Float64s:
    """Return the features of counts, in the order of ``FEATURES``."""
    result = counts.astype(np.float64)
    words = result[[_LOW, _CAPITALIZED, _UPPER, _MIXED, _LEET]].sum() + 0.5
    markup = result[_MARKUP] / (result[_CHUNK] + 1)
    return np.array(
        [
            result[_UNKNOWN] / (result[_LOW] + 1) - _SLOPES["unknown lowercase"] * markup,
            result[_UNKNOWN_NAME] / words,
            result[_CAPITALIZED] / words,
            result[_UPPER] / words,
            result[_MIXED] / words,
            result[_LEET] / words - _SLOPES["digits between letters"] * markup,
            result[_SINGLE] / words,
            result[_NUMBER] / words,
            markup,
            result[_SPELLED] / words,
            result[_MARKED] / words,
        ]
    )


def range_of(corpora: Iterable[Int64s]) -> TextRange:
    """Return the range of labelled corpora by their counts: up to ``FACTOR`` times the highest share.

    Only capitalized words have a lowest fraction: names begin with an uppercase letter in all corpora.
    """
    shares = np.array([features(counts) for counts in corpora])
    low = np.full(len(FEATURES), -np.inf)
    place = FEATURES.index("capitalized")
    low[place] = shares[:, place].min() / FACTOR
    return TextRange(low, np.maximum(FACTOR * shares.max(0), ALLOWED))


def count_forms(text: str) -> Int64s:
    """Count the words of a text by their form, and its chunks.

    >>> told = dict(zip(FORMS, count_forms("Ann saw J0hn at ann@x.org").tolist(), strict=True))
    >>> told["lowercase"], told["capitalized"], told["digits between letters"], told["addresses and markup"]
    (2, 1, 1, 1)
    """
    total = [0] * len(FORMS)
    for chunk, number in Counter(text.split()).items():
        for form in _forms(chunk):
            total[form] += number
    total[_SPELLED] = sum(len(match[0].split()) for match in _SPELLED_WORD.finditer(text))
    return np.array(total, np.int64)


@lru_cache(maxsize=1 << 16)
def _forms(chunk: str) -> tuple[int, ...]:
    if _is_marked(chunk):
        return (_CHUNK, _MARKED)
    if _ADDRESS.search(chunk):
        return (_CHUNK, _MARKUP)
    return (_CHUNK, *(form for word in _WORD.findall(chunk) for form in _forms_of_word(word)))


def _is_marked(chunk: str) -> bool:
    """Return whether marks hide a letter of a word ("J*hn") or divide a known word ("Ro-bert", "J.o.h.n")."""
    if _MASKED.search(chunk):
        return True
    if not _DIVIDED.search(chunk):
        return False
    letters = "".join(filter(str.isalpha, chunk))
    return len(letters) > LEAST_KNOWN and knows(letters)


def _forms_of_word(word: str) -> tuple[int, ...]:
    if any(map(str.isdigit, word)):
        return (_LEET if _BETWEEN.search(word) else _NUMBER,)
    if len(word) == 1:
        return (_SINGLE,)
    if word.islower():
        return (_LOW,) if len(word) <= LEAST_KNOWN or _is_known(word) else (_LOW, _UNKNOWN)
    if word.isupper():
        return (_UPPER,)
    if word[0].isupper() and word[1:].islower():
        return (_CAPITALIZED,) if _is_known(word) else (_CAPITALIZED, _UNKNOWN_NAME)
    return (_MIXED,)


def _is_known(word: str) -> bool:
    """Return whether lists or general text have a word, or the word without the s of a plural."""
    return knows(word) or (word[-1:] in "sS" and knows(word[:-1]))
