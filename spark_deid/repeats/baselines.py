"""What the paper compares with: frequencies of words and of n-grams, and the consensus of two methods."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from spark_deid.repeats.settings import Unit
from spark_deid.repeats.text import LaidOut
from spark_deid.repeats.tokens import documents, hide_tokens, hide_whole, word_tokens


def hide_rare_words(text: LaidOut, *, k: int, unit: Unit) -> NDArray[np.bool_]:
    """Hide the word tokens that fewer than k units have; nothing else is hidden."""
    tokens = word_tokens(text)
    whole = "\0".join(documents(text))
    words = [whole[start:end] for start, end in tokens.tolist()]
    counts = unit_counts(words, text, tokens[:, 0], unit)
    return hide_tokens(tokens[counts < k], np.zeros(int(text.characters[-1]), np.bool_))


def hide_rare_ngrams(text: LaidOut, *, n: int, k: int, unit: Unit) -> NDArray[np.bool_]:
    """Hide the characters that are in no n-gram of characters of at least k units."""
    placed = [(int(begin), document) for begin, document in zip(text.characters, documents(text), strict=False)]
    starts = np.array([begin + i for begin, document in placed for i in range(len(document) - n + 1)], np.int64)
    grams = [document[i : i + n] for _, document in placed for i in range(len(document) - n + 1)]
    kept = starts[unit_counts(grams, text, starts, unit) >= k]
    nothing = np.zeros(int(text.characters[-1]), np.bool_)
    hidden = ~hide_tokens(np.stack([kept, kept + n], axis=1), nothing)
    hidden[text.characters[1:] - 1] = False
    return hidden


def hide_agreed(text: LaidOut, one: NDArray[np.bool_], other: NDArray[np.bool_], *, share: float) -> NDArray[np.bool_]:
    """Hide the word tokens of which both methods hide more than ``share`` (the paper's MR+Word); nothing else."""
    tokens = word_tokens(text)
    nothing = np.zeros(len(one), np.bool_)
    one, other = (hide_whole(tokens, flags, share) for flags in (one, other))
    both = one & other
    return hide_tokens(tokens[[bool(both[start:end].all()) for start, end in tokens.tolist()]], nothing)


def unit_counts(things: Iterable[str], text: LaidOut, starts: NDArray[np.int64], unit: Unit) -> NDArray[np.int64]:
    """Return for every thing in how many units its equals are; ``starts`` are where they begin, in characters."""
    numbers: dict[str, int] = {}
    same = np.array([numbers.setdefault(thing, len(numbers)) for thing in things], np.int64)
    if unit is not Unit.OCCURRENCE:
        owners = text.units[np.searchsorted(text.characters, starts, side="right") - 1]
        pairs = np.unique(np.stack([same, owners.astype(np.int64)], axis=1), axis=0)
        return np.bincount(pairs[:, 0], minlength=len(numbers))[same]
    return np.bincount(same, minlength=len(numbers))[same]
