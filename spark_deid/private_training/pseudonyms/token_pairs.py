"""Words of annotations, each with what stands for it."""

from collections.abc import Iterator
from typing import NamedTuple

from spark_deid.private_training.word_tokens import (
    BETWEEN,
    DIGITS,
    LETTERS,
    digit_runs,
    has_symbol,
    letter_runs,
    tokens_of,
)

_FEW = 64
"""Spans that are cut one by one where they are uneven: to look for the ones that are would take longer."""


class TokenPairs(NamedTuple):
    """The words of spans, what stands for each, and how many numbers the spans have."""

    words: list[str]
    pseudonyms: list[str]
    numbers: int

    def with_others(self, others: "TokenPairs") -> "TokenPairs":
        """Return these, and others behind them."""
        return TokenPairs(self.words + others.words, self.pseudonyms + others.pseudonyms, self.numbers + others.numbers)


def pairs_of(originals: str, written: str) -> TokenPairs:
    r"""Pair the words of spans with what stands for them; both have NUL between each two spans.

    Spans that have as many words as what stands for them are cut all together; what else there is by halves.

    >>> pairs_of("Ann Lee\0of 12", "Eva Ray\0in 34")
    TokenPairs(words=['Ann', 'Lee', 'of'], pseudonyms=['Eva', 'Ray', 'in'], numbers=1)
    """
    found = [TokenPairs([], [], 0), *_even_pairs(originals, written)]
    return TokenPairs(
        [word for each in found for word in each.words],
        [word for each in found for word in each.pseudonyms],
        sum(each.numbers for each in found),
    )


def _even_pairs(originals: str, written: str) -> Iterator[TokenPairs]:
    before, after = letter_runs(originals, with_borders=True), letter_runs(written, with_borders=True)
    if [*map(BETWEEN.__eq__, before)] == [*map(BETWEEN.__eq__, after)] and not has_symbol(originals):
        words, pseudonyms = (
            [*filter(BETWEEN.__ne__, found)] if BETWEEN in text else found
            for text, found in ((originals, before), (written, after))
        )
        yield TokenPairs(words, pseudonyms, digit_runs(originals))
        return
    spans = [*zip(originals.split(BETWEEN), written.split(BETWEEN), strict=True)]
    if len(spans) == 1:
        yield _token_pairs(originals, written)
        return
    size = len(spans) // 2 if len(spans) > _FEW else 1
    for first in range(0, len(spans), size):
        yield from _even_pairs(*map(BETWEEN.join, zip(*spans[first : first + size], strict=True)))


def _token_pairs(original: str, written: str) -> TokenPairs:
    """Pair the tokens of one span in order, as far as both go."""
    tokens = [*zip(tokens_of(original), tokens_of(written), strict=False)]
    letters = [pair for pair in tokens if pair[0].kind == LETTERS]
    return TokenPairs(
        [original[one.start : one.end] for one, _ in letters],
        [written[other.start : other.end] for _, other in letters],
        sum(one.kind == DIGITS for one, _ in tokens),
    )
