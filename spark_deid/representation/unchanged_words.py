"""Which words stay, told apart from how words are drawn: by runs of word characters, and their places."""

import re

_WORD = re.compile(r"\w+")


def unchanged_words(original: str, written: str) -> tuple[int, int]:
    """Count the words of an original, and those of them that stand at the same place in what was written for it.

    >>> unchanged_words("Ann Lee, 25yo", "Joan Lee, 38mo"), unchanged_words("Ann", "[NAME]")
    ((3, 1), (1, 0))
    """
    before, after = (list(map(str.casefold, _WORD.findall(text))) for text in (original, written))
    return len(before), sum(one == other for one, other in zip(before, after, strict=False))
