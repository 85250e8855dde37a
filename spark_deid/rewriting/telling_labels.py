"""Labels that tell removed text: whoever annotated may have written a name where a tag belongs.

A label is a tag if it has forty characters at most and no word of several alphabets. It tells nothing if it consists of
words that tags are made of (``HOSPITAL_NAME``) and three digits at most, or if its base letters stand in no piece of
removed text, and no longer word of one in it.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import resources
from typing import NamedTuple

from spark_deid.core.hashing import keyed_hash
from spark_deid.core.labels import is_label
from spark_deid.text.base_letters import same_letters

LONGEST_TAG = 40
MOST_TAGS = 1000
"""So many labels that nothing names may be shown; where there are more, they are no tags."""
STAND_IN = "LABEL"
_ALPHABETS = frozenset(("LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "CHEROKEE", "COPTIC"))
_WORD = re.compile(r"[^\W_]+")
_PART = re.compile(r"[A-ZÀ-ÖØ-Þ]+(?![a-zß-öø-ÿ])|[^\W\d_]?[^\W\dA-ZÀ-ÖØ-Þ_]+|[^\W\d_]+|\d+")
"""A word of a label: parted by ``_`` and ``-``, by case as in ``medicalRecord``, or by digits."""
_LEAST_INSIDE, _LEAST_WORD, _LEAST_HELD = 4, 3, 5
"""So many letters of a label are looked for inside of removed words, and as a word; so many of removed text in it."""


class LabelTexts(NamedTuple):
    """What to look for in removed text: labels by their letters, and by the pieces of them that would be words."""

    inside: Mapping[str, str]
    words: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, labels: Iterable[str]) -> "LabelTexts":
        """Return what to look for of labels."""
        inside: dict[str, str] = {}
        words: dict[str, tuple[str, ...]] = {}
        for label in labels:
            whole = _letters(label)
            if len(whole) >= _LEAST_INSIDE:
                inside[label] = whole
            for piece in {whole, *_pieces_of(label)}:
                words[piece] = (*words.get(piece, ()), label)
        return cls(inside, words)

    def labels_in(self, removed: Iterable[str]) -> set[str]:
        """Return the labels that tell a piece of removed text.

        >>> texts = LabelTexts.of(["Zimt", "DR_Zimtmann", "QuincyZimtmann7", "WARD_7"])
        >>> sorted(texts.labels_in(["Quincy Zímtmann", "Edwards"]))
        ['DR_Zimtmann', 'QuincyZimtmann7', 'Zimt']
        """
        pieces = [_WORD.findall(same_letters(piece)) for piece in dict.fromkeys(removed)]
        whole = ["".join(words) for words in pieces]
        joined = "\0".join(whole)
        found = {label for label, letters in self.inside.items() if letters in joined}
        for word in {*whole, *(word for words in pieces for word in words)} & self.words.keys():
            found.update(self.words[word])
        return found


def tags_among(labels: Iterable[str], named: Collection[str]) -> tuple[list[str], list[str]]:
    """Part labels that are not ``named`` into those that may be tags, and those that are none.

    What consists of words that tags are made of is in neither: it tells nothing.
    """
    others = sorted({label for label in labels if label not in named and not consists_of_tags(label)})
    tags = [label for label in others if is_label(label) and len(label) <= LONGEST_TAG and not _mixes_alphabets(label)]
    if len(tags) > MOST_TAGS:
        return [], others
    return tags, [label for label in others if label not in set(tags)]


def consists_of_tags(label: str) -> bool:
    """Tell whether a label consists of words that tags are made of, and of three digits at most.

    >>> consists_of_tags("HOSPITAL_NAME"), consists_of_tags("ID2"), consists_of_tags("Zimtmann"), consists_of_tags("_")
    (True, True, False, True)
    >>> consists_of_tags("PHONE_617_555_014_3")
    False
    """
    if len(label) > LONGEST_TAG:
        return False
    return all(is_tag for _, is_tag in _parts_of(label))


def _mixes_alphabets(label: str) -> bool:
    """Tell whether a word of a label has letters of several alphabets that look alike: nobody writes tags so.

    >>> _mixes_alphabets("Zimtm\N{CYRILLIC SMALL LETTER A}nn"), _mixes_alphabets("ID_\N{CYRILLIC CAPITAL LETTER EF}")
    (True, False)
    """
    return any(
        len({unicodedata.name(letter, "").partition(" ")[0] for letter in word if letter.isalpha()} & _ALPHABETS) > 1
        for word in _WORD.findall(label)
    )


def stand_ins(labels: Iterable[str], used: Collection[str], key: bytes) -> dict[str, str]:
    """Return what is shown for labels that tell text: ``LABEL_1`` and so on, none of them in use.

    Their order is that of keyed hashes: the alphabet's would tell of the labels.
    """
    free = (name for number in range(1, 1 << 62) if (name := f"{STAND_IN}_{number}") not in used)
    return dict(zip(sorted(labels, key=lambda label: keyed_hash(key, STAND_IN, label)), free, strict=False))


def _parts_of(label: str) -> list[tuple[str, bool]]:
    """Return the words of a label, each with whether tags are made of it: of numbers, where all have three digits."""
    parts = _PART.findall(label)
    has_few_digits = sum(len(part) for part in parts if part.isdecimal()) <= _LEAST_WORD
    return [(part, has_few_digits if part.isdecimal() else part.casefold() in _tag_words()) for part in parts]


@lru_cache(maxsize=1)
def _tag_words() -> frozenset[str]:
    lines = resources.files("spark_deid.rewriting").joinpath("data", "tag_words.txt").read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def _letters(text: str) -> str:
    return "".join(_WORD.findall(same_letters(text)))


def _pieces_of(label: str) -> Iterator[str]:
    """Yield the words of a label that tags are not made of, and each longer piece of what these make together."""
    run = ""
    for part, is_tag in (*_parts_of(label), ("", True)):
        if not is_tag:
            run += (letters := _letters(part))
            if len(letters) >= _LEAST_WORD:
                yield letters
            continue
        for length in range(_LEAST_HELD, len(run) + 1):
            yield from (run[start : start + length] for start in range(len(run) - length + 1))
        run = ""
