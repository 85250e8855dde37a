"""What somebody guesses of originals who has the table of candidates and public frequencies of names.

A pseudonym may stand for each name that has it among its candidates; the more frequent a name is, and the fewer
candidates it has, the likelier it is. Beside it stands who guesses the most frequent names without looking at anything.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from spark_deid.representation.embeddings.store import ABSENT, open_store
from spark_deid.representation.pseudonyms.drawing import row_of
from spark_deid.representation.pseudonyms.neighbour_table import open_table
from spark_deid.representation.word_tokens import LETTERS, tokens_of
from spark_deid.text.base_letters import same_letters

TRIES = (1, 10, 100)


@lru_cache(maxsize=1)
def public_names() -> Mapping[str, float]:
    """Return given names and surnames of the United States with their shares of persons, the most frequent first.

    Faker's lists, of the Social Security Administration and the Census Bureau; words of letters alone.
    """
    from faker.providers.person.en_US import Provider

    shares: defaultdict[str, float] = defaultdict(float)
    for names in (Provider.first_names, Provider.last_names):
        whole = sum(names.values())
        for name, weight in names.items():
            if name.isalpha():
                shares[same_letters(name)] += weight / whole / 2
    return MappingProxyType(dict(sorted(shares.items(), key=lambda each: (-each[1], each[0]))))


@lru_cache(maxsize=2)
def likely_names(store: str, table: str) -> Mapping[str, tuple[str, ...]]:
    """Return the likeliest names behind each pseudonym, the likeliest first, as many as there are tries at most."""
    vectors, candidates = open_store(store), open_table(table)
    scores: defaultdict[str, list[tuple[float, str]]] = defaultdict(list)
    for (name, share), row in zip(public_names().items(), vectors.resolve(list(public_names())).tolist(), strict=True):
        others = candidates.of(row) if row != ABSENT else ()
        for other in others:
            scores[same_letters(vectors.word(int(other)))].append((-share / len(others), name))
    return MappingProxyType(
        {word: tuple(name for _, name in sorted(found)[: max(TRIES)]) for word, found in scores.items()}
    )


@lru_cache(maxsize=1)
def _ranks() -> Mapping[str, int]:
    return MappingProxyType({name: rank for rank, name in enumerate(public_names())})


TokenPairs = Counter[tuple[str, str, str]]
"""How often a token of a kind stands for another: kind, word, pseudonym."""


def pairs_of(original: str, written: str) -> Iterator[tuple[str, str, str]]:
    """Yield the tokens of a span, each with what stands for it."""
    for before, after in zip(tokens_of(original), tokens_of(written), strict=False):
        yield before.kind, original[before.start : before.end], written[after.start : after.end]


def count_replaced(pairs: TokenPairs, store: str, table: str) -> Counter[str]:
    """Count tokens and what stands for them, and in how many tries names are guessed.

    ``rank`` adds up how near pseudonyms are, of the ``ranked`` ones.
    """
    counts: Counter[str] = Counter()
    for (kind, word, pseudonym), number in pairs.items():
        counts[kind] += number
        if kind != LETTERS or len(word) == 1:
            continue
        small, other = same_letters(word), same_letters(pseudonym)
        counts["words"] += number
        counts["unchanged"] += number * (small == other)
        counts["subword"] += number * (small != other and (small in other or other in small))
        for name, told in (*_ranked(word, pseudonym, store, table), *_guessed(small, other, store, table)):
            counts[name] += number * told
    return counts


def _ranked(word: str, pseudonym: str, store: str, table: str) -> tuple[tuple[str, int], ...]:
    row = row_of(store, word)
    found = open_table(table).of(row) if row != ABSENT else ()
    if not len(found):
        return (("without_vector", 1),)
    places = np.flatnonzero(np.asarray(found) == row_of(store, pseudonym.lower()))
    return (("ranked", 1), ("rank", int(places[0]) + 1)) if len(places) else ()


def _guessed(word: str, pseudonym: str, store: str, table: str) -> tuple[tuple[str, int], ...]:
    """Count a public name, and the tries within which it is guessed with the pseudonym, and without."""
    rank = _ranks().get(word)
    if rank is None:
        return ()
    guesses = likely_names(store, table).get(pseudonym, ())
    place = guesses.index(word) if word in guesses else max(TRIES)
    guessed = tuple((f"guessed_{tries}", int(place < tries)) for tries in TRIES)
    return (("names", 1), *guessed, *((f"blind_{tries}", int(rank < tries)) for tries in TRIES))
