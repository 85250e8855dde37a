"""What somebody guesses of originals who has the table of candidates and public frequencies of names.

A pseudonym may stand for each name that has it among its candidates; the more frequent a name is, and the fewer
candidates it has, the likelier it is. Beside it stands who guesses the most frequent names without looking at anything.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from spark_deid.core.numerics.arrays import Int32s, Int64s
from spark_deid.private_training.embeddings.store import ABSENT, open_store
from spark_deid.private_training.pseudonyms.candidates import open_table
from spark_deid.private_training.word_tokens import (
    BETWEEN,
    DIGITS,
    LETTERS,
    digit_runs,
    has_symbol,
    letter_runs,
    tokens_of,
)
from spark_deid.text.base_letters import same_letters

# Words of annotations, each with its pseudonym.


_FEW = 64
"""Uneven spans that are cut one by one: a search for those that differ would take longer."""


class TokenPairs(NamedTuple):
    """The words of spans, the pseudonym of each, and how many numbers the spans have."""

    words: list[str]
    pseudonyms: list[str]
    numbers: int

    def with_others(self, others: "TokenPairs") -> "TokenPairs":
        """Return these, and others behind them."""
        return TokenPairs(self.words + others.words, self.pseudonyms + others.pseudonyms, self.numbers + others.numbers)


def pairs_of(originals: str, written: str) -> TokenPairs:
    r"""Pair the words of spans with their pseudonyms; both have NUL between each two spans.

    Spans that have as many words as pseudonyms are cut all together; the others by halves.

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


@dataclass(frozen=True, eq=False)
class LikelyNames:
    """The likeliest public names behind pseudonyms, the likeliest first, as many as there are tries at most.

    ``names`` are numbers of public names in the order of their shares; those of the pseudonym that ``numbers`` gives a
    number begin at its place of ``starts``.
    """

    numbers: Mapping[str, int]
    starts: Int64s
    names: Int32s

    def of(self, pseudonym: str) -> Int32s:
        """Return the names behind a pseudonym, given by its base letters; none where it stands for no name."""
        number = self.numbers.get(pseudonym)
        if number is None:
            return self.names[:0]
        first, last = int(self.starts[number]), int(self.starts[number + 1])
        return self.names[first : min(last, first + max(TRIES))]

    def owners(self, pseudonyms: Sequence[str]) -> Int64s:
        """Return the numbers of pseudonyms, given by their base letters, -1 of one that stands for no name."""
        return np.array([self.numbers.get(each, -1) for each in pseudonyms], np.int64)

    def tries(self, names: Int64s, owners: Int64s) -> Int64s:
        """Return how many names are guessed in vain before each of some, behind a pseudonym each, given by its number.

        No more than the most tries, where it is not among so many.
        """
        wanted = owners * _NAMES + names
        keys, places = self._places
        at = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
        found = np.full(len(names), max(TRIES), np.int64)
        known = np.flatnonzero((owners >= 0) & (keys[at] == wanted)) if len(keys) else at[:0]
        found[known] = places[at[known]]
        return found

    @cached_property
    def _places(self) -> tuple[Int64s, Int32s]:
        """Return pseudonyms and names behind them as one number each, in order, with the names' places."""
        sizes = np.diff(self.starts)
        places = np.arange(len(self.names)) - np.repeat(self.starts[:-1], sizes)
        keys = np.repeat(np.arange(len(sizes)), sizes) * _NAMES + self.names
        # Names that stand twice behind a pseudonym, by two of its spellings, are guessed at the first of their places.
        order = np.argsort(keys, kind="stable")
        order = order[places[order] < max(TRIES)]
        return keys[order], places[order].astype(np.int32)


@lru_cache(maxsize=2)
def likely_names(store: str, table: str) -> LikelyNames:
    """Return the likeliest names behind each pseudonym; of equally likely ones the first by the alphabet."""
    vectors, candidates, names = open_store(store), open_table(table), list(public_names())
    rows = [vectors.resolve(names[first : first + _BLOCK]) for first in range(0, len(names), _BLOCK)]
    found = [candidates.of(row) if row != ABSENT else _NONE for row in np.concatenate(rows).tolist()]
    counts = np.array([len(each) for each in found])
    pseudonyms, places = np.unique(np.concatenate(found), return_inverse=True)
    numbers: dict[str, int] = {}
    results = [numbers.setdefault(same_letters(vectors.word(row)), len(numbers)) for row in pseudonyms.tolist()]
    behind = np.array(results, np.int64)[places]
    name = np.repeat(np.arange(len(names)), counts)
    scores = np.fromiter(public_names().values(), float)[name] / counts[name]
    order = np.lexsort((np.argsort(np.argsort(names))[name], -scores, behind))
    starts = np.searchsorted(behind[order], np.arange(len(numbers) + 1))
    return LikelyNames(MappingProxyType(numbers), starts, name[order].astype(np.int32))


_NONE = np.zeros(0, np.int32)
_BLOCK = 4096
_NAMES = 1 << 32
"""More than there are names."""


@lru_cache(maxsize=1)
def _numbers() -> Mapping[str, int]:
    return MappingProxyType({name: number for number, name in enumerate(public_names())})


def count_replaced(pairs: TokenPairs, store: str, table: str) -> Counter[str]:
    """Count words and what stands for them, and in how many tries names are guessed; words are of two letters and more.

    ``rank`` adds up how near pseudonyms are, of the ``ranked`` ones.
    """
    counts: Counter[str] = Counter({DIGITS: pairs.numbers})
    encoded = [pa.array(column, pa.string()).dictionary_encode() for column in (pairs.words, pairs.pseudonyms)]
    words, pseudonyms = (column.dictionary.to_pylist() for column in encoded)
    own, others = (column.indices.to_numpy().astype(np.int64) for column in encoded)
    is_long = np.array([len(word) > 1 for word in words], np.bool_)
    keys, times = np.unique((own * max(len(pseudonyms), 1) + others)[is_long[own]], return_counts=True)
    if not len(keys):
        return counts
    own, others = np.divmod(keys, len(pseudonyms))
    counts["words"] = int(times.sum())
    _count_ranks(words, pseudonyms, WordPairs(own, others, times), store, table, counts)
    small, written = [*map(same_letters, words)], [*map(same_letters, pseudonyms)]
    for one, other, number in zip(own.tolist(), others.tolist(), times.tolist(), strict=True):
        word, pseudonym = small[one], written[other]
        if word == pseudonym:
            counts["unchanged"] += number
        elif word in pseudonym or pseudonym in word:
            counts["subword"] += number
    names = np.array([_numbers().get(word, -1) for word in small], np.int64)
    is_named = np.flatnonzero(names[own] >= 0)
    if len(is_named):
        likely = likely_names(store, table)
        owners = likely.owners(written)[others[is_named]]
        _count_guesses(names[own[is_named]], owners, times[is_named], likely, counts)
    return counts


class WordPairs(NamedTuple):
    """Pairs of a word and what stands for it, each once: the numbers of both, and how often they stand so."""

    words: Int64s
    pseudonyms: Int64s
    times: Int64s


def _count_ranks(
    words: Sequence[str], pseudonyms: Sequence[str], pairs: WordPairs, store: str, table: str, counts: Counter[str]
) -> None:
    """Count how near pseudonyms are."""
    own, others = _rows(words, store), _rows([word.lower() for word in pseudonyms], store)
    others[others == ABSENT] = NOWHERE
    ranks = open_table(table).ranks(own[pairs.words], others[pairs.pseudonyms])
    counts["without_vector"] += int(pairs.times[ranks == ABSENT].sum())
    counts["ranked"] += int(pairs.times[ranks > 0].sum())
    counts["rank"] += int((pairs.times * ranks)[ranks > 0].sum())


def _rows(words: Sequence[str], store: str) -> Int64s:
    known = rows_of(store, words)
    return np.fromiter(map(known.__getitem__, words), np.int64, len(words))


NOWHERE = -2
"""No row, and no candidate that a table lacks."""


def _count_guesses(names: Int64s, owners: Int64s, times: Int64s, likely: LikelyNames, counts: Counter[str]) -> None:
    """Count public names, and the tries within which they are guessed with their pseudonyms, and without."""
    places = likely.tries(names, owners)
    counts["names"] += int(times.sum())
    for tries in TRIES:
        counts[f"guessed_{tries}"] += int(times[places < tries].sum())
        counts[f"blind_{tries}"] += int(times[names < tries].sum())


# Rows of words, many at a time: one look-up costs as much as that of hundreds together.


_REMEMBERED = 1 << 16  # words


def rows_of(store: str, words: Iterable[str]) -> Mapping[str, int]:
    """Return the rows of words by any of their spellings, ABSENT where there is none, with others looked up before.

    It has these words until it is called again.
    """
    known, wanted = _known(store), set(words)
    lacking = [*wanted.difference(known)]
    if lacking and len(known) + len(lacking) > _REMEMBERED:
        known.clear()
        lacking = [*wanted]
    if lacking:
        known.update(zip(lacking, open_store(store).resolve(lacking).tolist(), strict=True))
    return known


@lru_cache(maxsize=4)
def _known(store: str) -> dict[str, int]:
    return {}
