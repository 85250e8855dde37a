"""Write the characters next to a placeholder so that they do not show how the hidden text is spelled.

"an [NAME]" shows a vowel, and "[NAME]' wife" a name that ends in s. The rules depend only on text that remains. So the
published text follows from the text with placeholders, and a reader of it learns no more than before.
"""

import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence

from spark_deid.core.edit import Edit, LabelledEdit
from spark_deid.core.span import Span
from spark_deid.rewriting.suppress import SUPPRESS
from spark_deid.values.wording import article_before, like_article

APOSTROPHES = ("'", "\N{RIGHT SINGLE QUOTATION MARK}")
_WORD = re.compile(r"\w+")
_ENGLISH_WORDS = "the of and was were is are with for his her she he to by from who has had"
_OTHER_WORDS = """
    de la el los las que con por del y se der die und den das mit von ist le les des et du une il di che da do dos o os
    em um het een van och att pa på og av
"""
_ENGLISH, _OTHER = frozenset(_ENGLISH_WORDS.split()), frozenset(_OTHER_WORDS.split())
_READ = 2000
"""Characters at the start of a text by which its language is decided."""
_HIDDEN = "x"
_OPENING = re.compile(r"(?<!\w)['\N{LEFT SINGLE QUOTATION MARK}](?=\S)")
_CLOSING = re.compile(r"(?<=\S)['\N{RIGHT SINGLE QUOTATION MARK}](?!\w)")
_BEGINS = re.compile(r"(?:^|[.!?:]|[\"”)\]])\s*[\"“‘(\[*_•-]*\Z|\n\s*\Z|\b[A-Z]{2,}\W+\Z")
"""Text after which "A" is an article, and no name of a group or a vitamin."""
_UPPER = re.compile(r"[A-Z]{2,}\W+\Z")
_NEAR, _QUOTED = 40, 300


def neutral_edits(text: str, edits: Sequence[LabelledEdit]) -> list[LabelledEdit]:
    """Return edits of the English articles before placeholders, and of the bare apostrophes after them.

    ``edits`` are disjoint and in order. In English an apostrophe becomes 's, as after other names. In other languages
    it is removed.

    >>> hidden = [LabelledEdit(4, 9, "suppress", "[NAME]", "NAME")]
    >>> [edit[:4] for edit in neutral_edits("Saw Adams' dog.", hidden)]
    [(9, 10, 'suppress', "'s")]
    """
    found: list[LabelledEdit] = []
    text, is_english = _without_hidden(text, edits), None
    for number, edit in enumerate(edits):
        if edit[2] != SUPPRESS or not edit[3]:
            continue
        start, end = edit[0], edit[1]
        if (place := article_before(text, start)) and (not number or edits[number - 1][1] <= place[0]):
            written = text[slice(*place)]
            is_english = _is_english(text) if is_english is None else is_english
            if is_english and _is_article(text, place[0], written):
                found.append(LabelledEdit(*place, SUPPRESS, _neutral(text, written, place[0]), edit[4]))
        sign, is_free = text[end : end + 1], number + 1 == len(edits) or edits[number + 1][0] > end
        if sign in APOSTROPHES and is_free and _is_bare(text, start, end):
            is_english = _is_english(text) if is_english is None else is_english
            found.append(LabelledEdit(end, end + 1, SUPPRESS, f"{sign}s" if is_english else "", edit[4]))
    return found


def _is_article(text: str, start: int, written: str) -> bool:
    """Return whether a or an is an article: an uppercase A only where a sentence begins, or after an uppercase word."""
    return written != "A" or bool(_BEGINS.search(text[max(0, start - _NEAR) : start]))


def _neutral(text: str, written: str, start: int) -> str:
    before = text[max(0, start - _NEAR) : start]
    is_upper = written == "AN" or (written == "A" and _UPPER.search(before))
    return "A(N)" if is_upper else f"{written[0]}(n)"


def _is_bare(text: str, start: int, place: int) -> bool:
    """Return whether an apostrophe after a placeholder ends its word and no quotation."""
    after = text[place + 1 : place + 3]
    if after[:1].isalnum() or after[:1] in APOSTROPHES:
        return False
    low = max(text.rfind("\n", 0, start) + 1, start - _QUOTED)
    openings = [found.end() for found in _OPENING.finditer(text, low, start + 1) if found.start() < start]
    if not openings or _CLOSING.search(text[low:start], openings[-1] - low):
        return True
    return openings[-1] != start and after[:1] == " " and after[1:].isalpha()


def _is_english(text: str) -> bool:
    """Return whether a text is in English, by common words at its start."""
    words = _WORD.findall(text[:_READ].lower())
    return sum(map(_ENGLISH.__contains__, words)) >= sum(map(_OTHER.__contains__, words))


def _without_hidden(text: str, edits: Sequence[LabelledEdit]) -> str:
    """Return a text of the same length, with one letter for each hidden character."""
    pieces, place = list[str](), 0
    for start, end, *_ in edits:
        pieces += (text[place:start], _HIDDEN * (end - start))
        place = end
    return "".join((*pieces, text[place:]))


# Edit the indefinite articles before rewritten terms: they would reveal the first letter of the original.


ARTICLE = "article"
"""Why an article is suppressed: it belongs to a suppressed term."""


def articles_of(
    text: str,
    edits: Mapping[int, Edit],
    labels: Mapping[int, str],
    taken: Sequence[tuple[int, int]],
    technique: str,
) -> tuple[list[Edit], list[Span]]:
    """Return edits of the indefinite articles before edits that don't agree with them, and their spans.

    ``taken`` are disjoint places, in order; ``technique`` is the one that these edits are of.
    """
    found, spans = [], []
    for start, edit in edits.items():
        place = article_before(text, start)
        if place is None or _is_taken(place, taken):
            continue
        article = like_article(text[slice(*place)], text[start : edit.end], edit.replacement)
        if article != text[slice(*place)]:
            found.append(Edit(*place, technique, article))
            spans.append(Span(*place, labels[start]))
    return found, spans


def articles_before(text: str, suppressed: Iterable[Span], taken: Sequence[tuple[int, int]]) -> list[Span]:
    """Return the indefinite articles before terms that are suppressed: they would reveal the first letter.

    ``taken`` are disjoint places, in order.
    """
    found = ((article_before(text, place.start), place.label) for place in suppressed)
    return [Span(*place, label) for place, label in found if place is not None and not _is_taken(place, taken)]


def _is_taken(place: tuple[int, int], taken: Sequence[tuple[int, int]]) -> bool:
    """Return whether a place overlaps one of these."""
    number = bisect_right(taken, (place[0], sys.maxsize))
    before = taken[number - 1][1] if number else 0
    after = taken[number][0] if number < len(taken) else place[1]
    return before > place[0] or after < place[1]
