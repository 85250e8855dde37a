"""Put originals back in place of pseudonyms: exactly into a released text, by their longest form into any other."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from spark_deid.core.edit import Edit, apply_edits
from spark_deid.surrogates.settings import PSEUDONYM


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
    """Put originals back; ``lenient`` takes pseudonyms in another case and without brackets, too.

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
    names = "|".join(re.escape(form[1:-1]) for form in sorted(originals, key=len, reverse=True))
    pattern = rf"\[(?:{names})\]" + (rf"|(?i:\[?(?<!\w)(?:{names})(?!\w)\]?)" if lenient else "")
    counts = {True: 0, False: 0}

    def original(match: re.Match[str]) -> str:
        counts[match[0] in originals] += 1
        return originals[f"[{match[0].strip('[]')}]".upper()] if match[0] not in originals else originals[match[0]]

    restored = re.sub(pattern, original, text)
    return RestoredText(restored, counts[True] + counts[False], counts[False])


def longest_originals(documents: Sequence[PseudonymizedText]) -> Mapping[str, str]:
    """Return the longest text that each pseudonym stands for; of equally long ones the first in their order."""
    found: dict[str, str] = {}
    for text, edits in documents:
        for edit in edits:
            if edit.technique == PSEUDONYM:
                original = text[edit.start : edit.end]
                known = found.get(edit.replacement, original)
                found[edit.replacement] = min(original, known, key=lambda each: (-len(each), each))
    return found | {form.upper(): original for form, original in found.items()}
