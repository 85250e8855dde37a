"""What the paper compares with: frequencies of words and of n-grams, and the consensus of two methods."""

from collections import defaultdict
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
    owners = _owners(text, tokens[:, 0], unit)
    rare = _rare(words, owners.tolist(), k)
    return hide_tokens(tokens[[word in rare for word in words]], np.zeros(int(text.characters[-1]), np.bool_))


def hide_rare_ngrams(text: LaidOut, *, n: int, k: int, unit: Unit) -> NDArray[np.bool_]:
    """Hide the characters that are in no n-gram of characters of at least k units."""
    pieces = [(int(begin), document) for begin, document in zip(text.characters, documents(text), strict=False)]
    starts = np.array([begin + i for begin, document in pieces for i in range(len(document) - n + 1)], np.int64)
    grams = [document[i : i + n] for _, document in pieces for i in range(len(document) - n + 1)]
    rare = _rare(grams, _owners(text, starts, unit).tolist(), k)
    kept = starts[[gram not in rare for gram in grams]]
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


def _owners(text: LaidOut, starts: NDArray[np.int64], unit: Unit) -> NDArray[np.int64]:
    if unit is Unit.OCCURRENCE:
        return np.arange(len(starts))
    return text.units[np.searchsorted(text.characters, starts, side="right") - 1].astype(np.int64)


def _rare(things: Iterable[str], owners: Iterable[int], k: int) -> set[str]:
    found: defaultdict[str, set[int]] = defaultdict(set)
    for thing, owner in zip(things, owners, strict=True):
        found[thing].add(owner)
    return {thing for thing, units in found.items() if len(units) < k}
