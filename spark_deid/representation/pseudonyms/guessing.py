"""What somebody guesses of originals who has the table of candidates and public frequencies of names.

A pseudonym may stand for each name that has it among its candidates; the more frequent a name is, and the fewer
candidates it has, the likelier it is. Beside it stands who guesses the most frequent names without looking at anything.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, repeat
from types import MappingProxyType

import numpy as np

from spark_deid.numerics.arrays import Int32s, Int64s
from spark_deid.representation.embeddings.store import ABSENT, open_store
from spark_deid.representation.pseudonyms.neighbour_table import open_table
from spark_deid.representation.pseudonyms.word_rows import rows_of
from spark_deid.representation.word_tokens import DIGITS, LETTERS, letter_runs, tokens_of
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

    def tries(self, names: Int64s, pseudonyms: Iterable[str]) -> Int64s:
        """Return how many names are guessed in vain before each of some, behind a pseudonym each.

        No more than the most tries, where it is not among so many.
        """
        owners = np.array([self.numbers.get(each, -1) for each in pseudonyms], np.int64)
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
    told = [numbers.setdefault(same_letters(vectors.word(row)), len(numbers)) for row in pseudonyms.tolist()]
    behind = np.array(told, np.int64)[places]
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


TokenPairs = Counter[tuple[str, str, str]]
"""How often a token of a kind stands for another: kind, word, pseudonym."""


def add_pairs(originals: Sequence[str], written: Sequence[str], pairs: TokenPairs) -> None:
    """Add the tokens of spans, each with what stands for it; numbers alone as one pair, and marks at times not at all.

    Those of ASCII are cut all together, where as many words stand for them.
    """
    plain = [pair for pair in zip(originals, written, strict=True) if pair[0].isascii()]
    joined, other = (_BETWEEN.join([pair[side] for pair in plain]) for side in (0, 1))
    words, others = letter_runs(joined), letter_runs(other)
    if are_even := len(words) == len(others):
        pairs.update(zip(repeat(LETTERS), words, others))
        pairs[DIGITS, "", ""] += len(_DIGITS.findall(joined))
    for one, other in zip(originals, written, strict=True):
        if not (are_even and one.isascii()):
            pairs.update(pairs_of(one, other))


_BETWEEN = "\n"
_DIGITS = re.compile("[0-9]+")


def pairs_of(original: str, written: str) -> Iterator[tuple[str, str, str]]:
    """Yield the tokens of a span, each with what stands for it."""
    for before, after in zip(tokens_of(original), tokens_of(written), strict=False):
        yield before.kind, original[before.start : before.end], written[after.start : after.end]


def count_replaced(pairs: TokenPairs, store: str, table: str) -> Counter[str]:
    """Count tokens and what stands for them, and in how many tries names are guessed.

    ``rank`` adds up how near pseudonyms are, of the ``ranked`` ones.
    """
    counts: Counter[str] = Counter()
    words = []
    for (kind, word, pseudonym), number in pairs.items():
        counts[kind] += number
        if kind == LETTERS and len(word) > 1:
            words.append((word, pseudonym, number))
    _count_ranks(words, store, table, counts)
    letters = {word: same_letters(word) for word in {*chain.from_iterable(pair[:2] for pair in words)}}
    names = _numbers()
    guessed: list[tuple[int, str, int]] = []
    unchanged = subword = 0
    for word, pseudonym, number in words:
        small, other = letters[word], letters[pseudonym]
        if small == other:
            unchanged += number
        elif small in other or other in small:
            subword += number
        if (name := names.get(small)) is not None:
            guessed.append((name, other, number))
    counts.update(words=sum([number for *_, number in words]), unchanged=unchanged, subword=subword)
    if guessed:
        _count_guesses(guessed, likely_names(store, table), counts)
    return counts


def _count_ranks(words: Sequence[tuple[str, str, int]], store: str, table: str, counts: Counter[str]) -> None:
    """Count how near pseudonyms are: words, what stands for each, and how often."""
    rows = rows_of(store, chain.from_iterable((word, pseudonym.lower()) for word, pseudonym, _ in words))
    own = np.fromiter((rows[word] for word, _, _ in words), np.int64, len(words))
    others = np.fromiter((rows[pseudonym.lower()] for _, pseudonym, _ in words), np.int64, len(words))
    numbers = np.fromiter((number for _, _, number in words), np.int64, len(words))
    ranks = open_table(table).ranks(own, np.where(others == ABSENT, NOWHERE, others))
    counts["without_vector"] += int(numbers[ranks == ABSENT].sum())
    counts["ranked"] += int(numbers[ranks > 0].sum())
    counts["rank"] += int((numbers * ranks)[ranks > 0].sum())


NOWHERE = -2
"""No row, and no candidate that a table lacks."""


def _count_guesses(pairs: Sequence[tuple[int, str, int]], likely: LikelyNames, counts: Counter[str]) -> None:
    """Count public names, and the tries within which they are guessed with their pseudonyms, and without."""
    named, pseudonyms, times = zip(*pairs, strict=True)
    names, numbers = np.array(named, np.int64), np.array(times, np.int64)
    places = likely.tries(names, pseudonyms)
    counts["names"] += int(numbers.sum())
    for tries in TRIES:
        counts[f"guessed_{tries}"] += int(numbers[places < tries].sum())
        counts[f"blind_{tries}"] += int(numbers[names < tries].sum())
