"""Indefinite articles before what mentions show: "an 80 year old" would tell 80 among [78-80]; English alone."""

from collections.abc import Iterable, Sequence

from spark_deid.core.document import LinkedMention
from spark_deid.core.span import Span
from spark_deid.values.wording import article_before, like_article

LABEL = "ARTICLE"
SOURCE = "identity/article"
_BRACKETS = "[{"


def article_for(written: str, replacement: str) -> str:
    """Return the article that goes with what a mention shows, in the case in which one was written.

    >>> article_for("an", "[78-80] year old"), article_for("A", "[80-89]"), article_for("AN", "{female, male}")
    ('a', 'An', 'A')
    """
    return like_article(written, "", replacement.lstrip(_BRACKETS))


def articles_of(
    text: str, replacements: Iterable[LinkedMention], spans: Iterable[Span]
) -> tuple[Sequence[Span], Sequence[LinkedMention]]:
    """Return the articles before mentions that don't agree with what these are to show, and what they become.

    A mention that shows nothing has its label there. ``spans`` are the places that are edited otherwise.

    >>> articles_of("An 80 year old.", [LinkedMention(3, 14, "AGE", "[78-80] year old")], [])[1][0][:4]
    (0, 2, 'ARTICLE', 'A')
    """
    taken = [(span.start, span.end) for span in spans]
    found: dict[tuple[int, int], LinkedMention] = {}
    for each in replacements:
        place = article_before(text, each.start)
        if place is None or any(start < place[1] and place[0] < end for start, end in taken):
            continue
        written = text[slice(*place)]
        article = article_for(written, each.label if each.replacement is None else each.replacement)
        if article != written:
            found[place] = LinkedMention(*place, LABEL, article)
    return tuple(Span(*place, LABEL, source=SOURCE) for place in found), tuple(found.values())
