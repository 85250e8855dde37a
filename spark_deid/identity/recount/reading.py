"""What a published document shows, read from its text by the places of its edits."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from spark_deid.identity.gender_words import NOUNS, PRONOUNS, TITLES
from spark_deid.identity.recount.covering import shown_in
from spark_deid.text.visible import visible

_WORD = re.compile(r"[^\W_]+")
_TELLING = frozenset((*PRONOUNS, *NOUNS))
_TITLES = frozenset((*TITLES, *map(str.upper, TITLES)))


class Placed(NamedTuple):
    """An edit: the place in the original, what was written, by which technique, for which label."""

    start: int
    end: int
    technique: str
    replacement: str
    label: str


def shown_by_label(published: str, edits: Sequence[Placed]) -> Iterator[tuple[str, str]]:
    """Yield label and value of each recoded mention, as the published text has it.

    >>> list(shown_by_label("Aged [70-79].", [Placed(5, 7, "recode", "[70-79]", "AGE")]))
    [('AGE', '[70-79]')]
    """
    shift = 0
    for edit in sorted(edits):
        begin = edit.start + shift
        shift += len(edit.replacement) - (edit.end - edit.start)
        if edit.technique == "recode":
            yield edit.label, shown_in(published[begin : begin + len(edit.replacement)])


def gendered_words(published: str, edits: Iterable[Placed]) -> int:
    """Count the words of a published text that tell a gender, outside what edits wrote.

    >>> gendered_words("[man] said he knows Mr. Lee", [Placed(0, 3, "recode", "[man]", "GENDER")])
    2
    """
    left, position, shift = [], 0, 0
    for edit in sorted(edits):
        left.append(published[position : edit.start + shift])
        shift += len(edit.replacement) - (edit.end - edit.start)
        position = edit.end + shift
    left.append(published[position:])
    return sum(_tells(word) for word in _WORD.findall(visible(" ".join(left)).text))


def _tells(word: str) -> bool:
    return word in _TITLES or word.lower() in _TELLING
