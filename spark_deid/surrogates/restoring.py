"""Put originals back in place of pseudonyms: exactly into a released text, by their longest form into any other."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from spark_deid.core.edit import Edit, apply_edits
from spark_deid.surrogates.settings import PSEUDONYM
from spark_deid.text.base_letters import same_letters


class PseudonymizedText(NamedTuple):
    """An original text with the edits of its release."""

    text: str
    edits: tuple[Edit, ...]


class RestoredText(NamedTuple):
    """A text with originals, how many pseudonyms gave way, and how many of them only leniently read.

    ``is_exact`` tells that the text was that of a released document, in which each mention is as it was.
    """

    text: str
    restored: int
    lenient: int = 0
    is_exact: bool = False


def restore(text: str, documents: Iterable[PseudonymizedText], *, lenient: bool = False) -> RestoredText:
    """Put originals back; ``lenient`` takes pseudonyms in another case, by base letters and without brackets, too.

    >>> document = PseudonymizedText("Ann Lee slept. Lee woke.", (Edit(0, 7, "pseudonym", "[NAME 1]"),))
    >>> restore("Who is [NAME 1]?", [document]).text
    'Who is Ann Lee?'
    """
    known = tuple(documents)
    for each in known:
        if apply_edits(each.text, each.edits) == text:
            others = [edit for edit in each.edits if edit.technique != PSEUDONYM]
            return RestoredText(apply_edits(each.text, others), len(each.edits) - len(others), is_exact=True)
    originals = longest_originals(known)
    if not originals:
        return RestoredText(text, 0)
    if lenient:
        return _restored_leniently(text, originals)
    pattern = "|".join(re.escape(form) for form in sorted(originals, key=len, reverse=True))
    restored, number = re.subn(pattern, lambda match: originals[match[0]], text)
    return RestoredText(restored, number)


def _restored_leniently(text: str, originals: Mapping[str, str]) -> RestoredText:
    """Put originals back for pseudonyms by their base letters and figures; what may stand for two stays."""
    by_letters: dict[str, set[str]] = {}
    for form, original in originals.items():
        by_letters.setdefault(same_letters(form[1:-1]), set()).add(original)
    letters, places = _letters_of(text)
    names = "|".join(map(re.escape, sorted(by_letters, key=len, reverse=True)))
    written: list[str] = []
    done, counts = 0, {True: 0, False: 0}
    for match in re.finditer(rf"\[?(?<!\w)({names})(?!\w)\]?", letters):
        start, end = places[match.start()], places[match.end() - 1] + 1
        is_exact = text[start:end] in originals
        own = {originals[text[start:end]]} if is_exact else by_letters[match[1]]
        if len(own) != 1:
            continue
        counts[is_exact] += 1
        written += (text[done:start], *own)
        done = end
    return RestoredText("".join((*written, text[done:])), sum(counts.values()), counts[False])


def _letters_of(text: str) -> tuple[str, list[int]]:
    """Return a text by its base letters, and of each of them the place of the character that it is of.

    A character may have several, as a ligature does, or none, as a mark.
    """
    pairs = [(letter, place) for place, character in enumerate(text) for letter in same_letters(character)]
    return "".join(letter for letter, _ in pairs), [place for _, place in pairs]


def longest_originals(documents: Sequence[PseudonymizedText]) -> Mapping[str, str]:
    """Return the longest text that each pseudonym stands for; of equally long ones the first in their order."""
    found: dict[str, str] = {}
    for text, edits in documents:
        for edit in edits:
            if edit.technique == PSEUDONYM:
                original = text[edit.start : edit.end]
                known = found.get(edit.replacement, original)
                found[edit.replacement] = min(original, known, key=lambda each: (-len(each), each))
    return found
