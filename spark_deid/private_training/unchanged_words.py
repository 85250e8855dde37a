"""Which words remain, distinguished from how words are drawn: by runs of word characters, and their places."""

import re
from collections.abc import Sequence
from operator import eq

_WORD = re.compile(r"\w+")
_BETWEEN = "\0"
_WORD_OR_BORDER = re.compile(r"\w+|\0")


def unchanged_words(original: str, written: str) -> tuple[int, int]:
    """Count the words of an original, and those of them that are at the same place in what was written for it.

    >>> unchanged_words("Ann Lee, 25yo", "Joan Lee, 38mo"), unchanged_words("Ann", "[NAME]")
    ((3, 1), (1, 0))
    """
    before, after = _words(original), _words(written)
    return len(before), sum(map(eq, before, after))


def unchanged_among(originals: Sequence[str], written: Sequence[str]) -> tuple[int, int]:
    """Count as ``unchanged_words`` does in many texts, each with its own original.

    >>> unchanged_among(["Ann Lee", "Bob"], ["Joan Lee", "Joe"])
    (3, 1)
    """
    joined = [_BETWEEN.join(texts) for texts in (originals, written)]
    if all(text.count(_BETWEEN) == len(originals) - 1 for text in joined):
        before, after = (_words(text, _WORD_OR_BORDER) for text in joined)
        if [*map(_BETWEEN.__eq__, before)] == [*map(_BETWEEN.__eq__, after)]:  # there are as many words in each
            borders = len(originals) - 1
            return len(before) - borders, sum(map(eq, before, after)) - borders
    counted = [*map(unchanged_words, originals, written)]
    return sum(words for words, _ in counted), sum(unchanged for _, unchanged in counted)


def _words(text: str, pattern: re.Pattern[str] = _WORD) -> list[str]:
    return pattern.findall(text.casefold()) if text.isascii() else [*map(str.casefold, pattern.findall(text))]
