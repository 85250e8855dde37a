"""Gazetteers: what public lists and public text say of a word, packed into one table.

The table is an open-addressing hash table of one word a slot: the upper 48 bits of the word's public hash and 16 bits
of facts. It opens by mapping it into memory. Two words share 48 bits with a probability of about one in a billion.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path

import numpy as np

from spark_deid.core.errors import ModelError
from spark_deid.core.hashing import file_sha256
from spark_deid.core.numerics.arrays import UInt64s
from spark_deid.core.words import ends_with_title
from spark_deid.text.kernels.characters import characters
from spark_deid.text.kernels.hashing import hash_public, salt

SEED = salt("gazetteer")
LOAD = 0.9
COUNT_BORDERS = (1, 3, 10, 30, 100)
"""Counts in general text are told by how many of these they reach."""
ENOUGH = 3
"""From how many occurrences on the share of capitalised ones is told."""
GIVEN, SURNAME, PLACE, LEMMA, SMALL, LARGE, SHARE, COMMON = 0, 2, 3, 4, 5, 8, 11, 14
"""The first bit of each fact."""
_PACKED = resources.files("spark_deid.text") / "data" / "gazetteer" / "words.npy"


@dataclass(frozen=True)
class WordFacts:
    """What is known of a word in lower case.

    ``given`` is 2 for a common given name, 1 for a rarer one; ``small`` and ``large`` count its occurrences in general
    text outside sentence starts with a small and with a capital first letter; ``lemma`` says that a dictionary has it
    in lower case.
    """

    given: int = 0
    surname: bool = False
    place: bool = False
    lemma: bool = False
    small: int = 0
    large: int = 0

    def packed(self) -> int:
        """Return the facts as 16 bits; 0 says nothing.

        >>> WordFacts().packed()
        0
        """
        total = self.small + self.large
        share = 1 + 4 * self.large // total if total >= ENOUGH else 0
        bits = self.given << GIVEN | self.surname << SURNAME | self.place << PLACE | self.lemma << LEMMA
        bits |= _reached(self.small) << SMALL | _reached(self.large) << LARGE
        return int(bits | share << SHARE | self._common << COMMON)

    @property
    def _common(self) -> int:
        """2 for a word that is usual in lower case, 1 for one that occurs so or is in the dictionary."""
        if self.small >= 10 and self.small > 2 * self.large:
            return 2
        return 1 if self.small or self.lemma else 0


def gazetteer_hash(word: str) -> int:
    """Return the public hash of a word, whatever its case."""
    codes = characters().lower[np.frombuffer(word.encode("utf-32-le"), np.uint32)]
    return int(hash_public(codes, 0, len(codes), SEED))


def pack(facts: Mapping[str, WordFacts]) -> UInt64s:
    """Build the table; equal facts give equal tables, whatever their order."""
    return pack_values({word: about.packed() for word, about in facts.items()})


def pack_values(values: Mapping[str, int]) -> UInt64s:
    """Build a table of words, whatever their case, that have 16 bits each; those of which all are 0 are left out."""
    rows = sorted((gazetteer_hash(word), value) for word, value in values.items() if value)
    size = 4
    while size * LOAD < len(rows):
        size *= 2
    table = np.zeros(size, np.uint64)
    for key, value in rows:
        slot = (key >> 16) % size
        while table[slot] and int(table[slot]) >> 16 != key >> 16:
            slot = (slot + 1) % size
        table[slot] = key >> 16 << 16 | value
    return table


def facts_of(word: str) -> int:
    """Return the packed facts of a word, whatever its case; 0 for none."""
    table, key = gazetteer(), gazetteer_hash(word) >> 16
    slot = key % len(table)
    while table[slot]:
        if int(table[slot]) >> 16 == key:
            return int(table[slot]) & 0xFFFF
        slot = (slot + 1) % len(table)
    return 0


@lru_cache(maxsize=1)
def gazetteer_digest() -> str:
    """Return the sha256 of the table that comes with the package: a model names the one that it was trained with."""
    with resources.as_file(_PACKED) as path:
        return file_sha256(path)


def knows(word: str) -> bool:
    """Tell whether the gazetteers say anything of a word, whatever its case."""
    table, key = gazetteer(), gazetteer_hash(word) >> 16
    slot = key % len(table)
    while found := int(table[slot]):
        if found >> 16 == key:
            return True
        slot = (slot + 1) % len(table)
    return False


@lru_cache(maxsize=1)
def gazetteer() -> UInt64s:
    """Open the table that comes with the package, once a process."""
    with resources.as_file(_PACKED) as path:
        return open_table(path)


def open_table(path: Path) -> UInt64s:
    """Open a table of words. Raises ModelError."""
    try:
        # Copy on write: compiled code then has one type for all tables.
        return np.asarray(np.load(path, mmap_mode="c", allow_pickle=False), np.uint64)
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: can't be read ({type(error).__name__}); install the package again") from None


def _reached(count: int) -> int:
    return sum(count >= border for border in COUNT_BORDERS)


# Words of a name that are also common words of the language, and the places where such a word is surely the name.


COPIED = "a common word only after a title"
"""The rule in words. A training report has it: counts of a training with another rule do not describe releases."""
USUAL = 2
"""The value of the gazetteer's fact ``COMMON`` for a word that is usual in lower case."""
_LISTED = """
    january february march april may june july august september october november december monday tuesday
    wednesday thursday friday saturday sunday jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues
    wed thu thur thurs fri sat sun
"""
_DATES = frozenset(_LISTED.split())
"""Months and days, which English writes with an uppercase letter."""


@cache
def is_common_word(word: str) -> bool:
    """Return whether general text (``text.gazetteer``) usually has a word in lower case, or a calendar has it.

    The list is English. That a word is also a given name or a surname makes no difference.

    >>> [is_common_word(word) for word in ("White", "May", "April", "Robert", "Quibblewick")]
    [True, True, True, False, False]
    """
    return word.lower() in _DATES or facts_of(word) >> COMMON & 3 == USUAL


@cache
def is_known_name(word: str) -> bool:
    """Return whether the gazetteer lists a word as a given name or a surname.

    >>> is_known_name("Robert"), is_known_name("Quibblewick")
    (True, False)
    """
    facts = facts_of(word)
    return bool(facts >> GIVEN & 3 or facts >> SURNAME & 1)


def is_surely_name(word: str, text: str, start: int) -> bool:
    """Return whether a single word of a name is the name at a place: it is not a common word, or it follows a title.

    >>> text = "Dr. White counts. White count is 12."
    >>> is_surely_name("White", text, 4), is_surely_name("White", text, 18), is_surely_name("Robert", text, 18)
    (True, False, True)
    """
    return not is_common_word(word) or ends_with_title(text, start)
