"""Word lists of languages: data that token features and merged tokens look words up in."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib import resources
from typing import Literal

import numpy as np
import yaml
from pydantic import BaseModel, ConfigDict, Field

from spark_deid.core.errors import UsageError
from spark_deid.core.hashing import file_sha256
from spark_deid.core.numerics.arrays import Int64s, UInt64s
from spark_deid.text.gazetteer import open_table
from spark_deid.text.kernels.characters import characters
from spark_deid.text.kernels.hashing import hash_public, salt
from spark_deid.text.kernels.lookup import LookupTable, build_lookup

WORD_CLASSES = (
    "family", "sex", "person", "demonym", "profession", "keyword", "connector", "stop", "month", "age_unit",
    "number", "date_joiner", "year_word", "ordinal", "url", "www", "postal_prefix", "slash_left",
    "slash_right", "closing", "greeting", "addressing",
)  # fmt: skip
"""Class i is bit i of a token's flags; the first five are separate features."""
STEM_SHIFT = 32
MAX_GROUPS = 6
NUMBER_KINDS = ("long", "grouped", "phone")
WORD_SEED = salt("vocabulary")
"""The public seed of the hashes of listed words."""
_DATA = resources.files("spark_deid.text") / "data" / "vocabulary"


class NumberPattern(BaseModel):
    """Digit groups apart by spaces, full stops or hyphens.

    ``groups`` lists lengths or ranges of them ("2 2 4-6"); ``first`` the first digits allowed; ``lead`` the digits of
    a group before the others, such as a country's code.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["long", "grouped", "phone"]
    groups: str = Field(pattern=r"^[0-9]{1,2}(-[0-9]{1,2})?( [0-9]{1,2}(-[0-9]{1,2})?){0,5}$")
    first: str = Field(default="0123456789", pattern="^[0-9]{1,10}$")
    lead: str = Field(default="", pattern="^[0-9]{0,9}$")

    def row(self) -> list[int]:
        """Return kind, lead (-1 for none), first digits as bits, and the lengths of each group as bits."""
        lengths = [1 << len(self.lead)] if self.lead else []
        for group in self.groups.split():
            low, _, high = group.partition("-")
            lengths.append(sum(1 << length for length in range(int(low), int(high or low) + 1)))
        row = [NUMBER_KINDS.index(self.kind), int(self.lead or "-1"), sum(1 << int(d) for d in self.first), *lengths]
        return row + [0] * (3 + MAX_GROUPS - len(row))


class WordVocabulary(BaseModel):
    """Words and stems by class, pairs of short words around a slash, and patterns of digit groups."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    words: Mapping[str, tuple[str, ...]] = {}
    stems: Mapping[str, tuple[str, ...]] = {}
    slashed: tuple[str, ...] = ()
    numbers: tuple[NumberPattern, ...] = ()

    def flags(self) -> LookupTable:
        """Return class bits by the public hash of a lower-case word; a stem's bits stand ``STEM_SHIFT`` higher."""
        sides = {
            "slash_left": [p.split("/")[0] for p in self.slashed],
            "slash_right": [p.split("/")[1] for p in self.slashed],
        }
        flags: dict[int, int] = {}
        for shift, lists in ((0, {**self.words, **sides}), (STEM_SHIFT, self.stems)):
            for name, words in lists.items():
                for word in words:
                    key = word_hash(word)
                    flags[key] = flags.get(key, 0) | 1 << (WORD_CLASSES.index(name) + shift)
        return build_lookup(np.array(list(flags), np.uint64), np.array(list(flags.values()), np.uint64))

    def number_rows(self) -> Int64s:
        """Return one row a number pattern, as ``NumberPattern.row`` has it."""
        return np.array([number.row() for number in self.numbers], np.int64).reshape(-1, 3 + MAX_GROUPS)


NO_WORDS = WordVocabulary()


def word_hash(word: str) -> int:
    """Return the public hash under which a word is in the table of flags."""
    codes = characters().lower[np.frombuffer(word.encode("utf-32-le"), np.uint32)]
    return int(hash_public(codes, 0, len(codes), WORD_SEED))


def languages() -> tuple[str, ...]:
    """Return the languages with bundled word lists."""
    return tuple(sorted(path.name.removesuffix(".yaml") for path in _DATA.iterdir() if path.name.endswith(".yaml")))


@lru_cache(maxsize=8)
def load_vocabulary(chosen: tuple[str, ...]) -> WordVocabulary:
    """Read and unite the bundled word lists of these languages."""
    return unite(_read(language) for language in chosen)


def unite(parts: Iterable[WordVocabulary]) -> WordVocabulary:
    """Return the union of word lists; patterns of digit groups keep their order."""
    given = tuple(parts)
    return WordVocabulary(
        words=_joined([part.words for part in given]),
        stems=_joined([part.stems for part in given]),
        slashed=tuple(dict.fromkeys(pair for part in given for pair in part.slashed)),
        numbers=tuple(dict.fromkeys(number for part in given for number in part.numbers)),
    )


def _joined(lists: Iterable[Mapping[str, tuple[str, ...]]]) -> dict[str, tuple[str, ...]]:
    joined: dict[str, dict[str, None]] = {}
    for by_class in lists:
        for name, words in by_class.items():
            joined.setdefault(name, {}).update(dict.fromkeys(words))
    return {name: tuple(words) for name, words in joined.items()}


def _read(language: str) -> WordVocabulary:
    if language not in languages():
        raise UsageError(f"languages: expected some of {', '.join(languages())}, got {language!r}")
    return WordVocabulary.model_validate(yaml.safe_load((_DATA / f"{language}.yaml").read_text(encoding="utf-8")))


# Clusters of words: which words are in like company, in a table of words like that of gazetteers.
#
# Vectors of public text (GloVe) were put into a thousand narrow clusters, and these into sixty wide ones.


NARROW_BITS = 10
"""A word's 16 bits: the number of its narrow cluster, from 1, then that of the wide one, from 0."""
_PACKED = resources.files("spark_deid.text") / "data" / "clusters" / "words.npy"


def packed_clusters(narrow: int, wide: int) -> int:
    """Return the numbers of a word's clusters, both from 0, as 16 bits.

    >>> packed_clusters(0, 0), packed_clusters(999, 59)
    (1, 61416)
    """
    return narrow + 1 | wide << NARROW_BITS


@lru_cache(maxsize=1)
def clusters() -> UInt64s:
    """Open the table that comes with the package, once a process."""
    with resources.as_file(_PACKED) as path:
        return open_table(path)


@lru_cache(maxsize=1)
def clusters_digest() -> str:
    """Return the sha256 of the table that comes with the package: a model names the one that it was trained with."""
    with resources.as_file(_PACKED) as path:
        return file_sha256(path)
