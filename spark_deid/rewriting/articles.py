"""Edit the indefinite articles before what is rewritten: they would tell the first letter of what stood there."""

import sys
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence

from spark_deid.core.edit import Edit
from spark_deid.core.span import Span
from spark_deid.values.wording import article_before, like_article

ARTICLE = "article"
"""Why an article is suppressed: it goes with a suppressed term."""


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
    """Return the indefinite articles before terms that are suppressed: they would tell the first letter.

    ``taken`` are disjoint places, in order.
    """
    found = ((article_before(text, place.start), place.label) for place in suppressed)
    return [Span(*place, label) for place, label in found if place is not None and not _is_taken(place, taken)]


def _is_taken(place: tuple[int, int], taken: Sequence[tuple[int, int]]) -> bool:
    """Tell whether a place overlaps one of these."""
    number = bisect_right(taken, (place[0], sys.maxsize))
    before = taken[number - 1][1] if number else 0
    after = taken[number][0] if number < len(taken) else place[1]
    return before > place[0] or after < place[1]
