"""What a published document shows, read from its text by the places of its edits."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from spark_deid.core.span import Span
from spark_deid.identity.recount.covering import value_in
from spark_deid.text.visible import visible
from spark_deid.values.plain import words_of
from spark_deid.values.wording import article_before, article_of

_COUNTED = "recode"
_HIDING = frozenset((_COUNTED, "suppress", "mask", "surrogate", "shift", "pseudonym"))
"""Allowed replacements of a mention: its class's value, or text that reveals nothing; others have another recount."""
_ARTICLE = "ARTICLE"
_RECODED = "|"
"""Stands where recoding wrote something: no part of a word, nor of a date."""


class PlacedEdit(NamedTuple):
    """An edit: the place in the original, what was written, by which technique, for which label."""

    start: int
    end: int
    technique: str
    replacement: str
    label: str


def published_values(published: str, edits: Sequence[PlacedEdit]) -> Iterator[tuple[str, str]]:
    """Yield label and value of each recoded mention, as the published text has it.

    >>> list(published_values("Aged [70-79].", [PlacedEdit(5, 7, "recode", "[70-79]", "AGE")]))
    [('AGE', '[70-79]')]
    """
    shift = 0
    for edit in sorted(edits):
        begin = edit.start + shift
        shift += len(edit.replacement) - (edit.end - edit.start)
        if edit.technique == _COUNTED and edit.label != _ARTICLE:
            yield edit.label, value_in(published[begin : begin + len(edit.replacement)])


def articles_that_tell(published: str, edits: Sequence[PlacedEdit]) -> int:
    """Count the indefinite articles before recoded mentions that don't belong to what these show.

    >>> articles_that_tell("An [78-80] year old", [PlacedEdit(3, 14, "recode", "[78-80] year old", "AGE")])
    1
    """
    wrong = shift = 0
    for edit in sorted(edits):
        begin = edit.start + shift
        shift += len(edit.replacement) - (edit.end - edit.start)
        if edit.technique == _COUNTED and edit.label != _ARTICLE and (place := article_before(published, begin)):
            wrong += published[slice(*place)].lower() != article_of(edit.replacement.lstrip("[{"))
    return wrong


def count_other_edits(spans: Iterable[Span], edits: Iterable[PlacedEdit], labels: Collection[str]) -> int:
    """Count the edits that write of a mention, a span of one of the labels, what nothing counts.

    >>> edits = [PlacedEdit(3, 9, "erase", "0213*", "RECORD"), PlacedEdit(9, 11, "erase", "a", "RECORD")]
    >>> count_other_edits([Span(0, 5, "ZIP"), Span(9, 11, "RECORD")], edits, {"ZIP"})
    1
    """
    disclosing = [edit for edit in edits if edit.technique not in _HIDING]
    mentions = sorted((span.start, span.end) for span in spans if span.label in labels) if disclosing else []
    starts = [start for start, _ in mentions]
    reach = [0, *accumulate((end for _, end in mentions), max)]
    return sum(reach[bisect_left(starts, edit.end)] > edit.start for edit in disclosing)


def without_recoded(published: str, edits: Iterable[PlacedEdit]) -> str:
    """Return a published text without what recoding wrote, which shows values by class.

    >>> without_recoded("aged [70-79], 73", [PlacedEdit(5, 7, "recode", "[70-79]", "AGE")])
    'aged |, 73'
    """
    left, position, shift = [], 0, 0
    for edit in sorted(edits):
        begin = edit.start + shift
        shift += len(edit.replacement) - (edit.end - edit.start)
        end = edit.end + shift
        left += [published[position:begin], _RECODED if edit.technique == _COUNTED else published[begin:end]]
        position = end
    left.append(published[position:])
    return "".join(left)


def text_that_stays(
    published: str, spans: Iterable[Span], edits: Iterable[PlacedEdit], labels: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yield label and text of the spans of labels that a published text shows, without what edits replaced of them.

    >>> edits = [PlacedEdit(0, 3, "suppress", "[NAME]", "NAME")]
    >>> spans = [Span(0, 13, "ILL"), Span(7, 13, "ILL"), Span(0, 3, "ILL")]
    >>> list(text_that_stays("[NAME]'s  Asthma", spans, edits, ["ILL"]))
    [('ILL', "'s asthma"), ('ILL', 'asthma')]
    """
    left: list[tuple[int, int, int]] = []
    position = shift = 0
    for edit in sorted(edits):
        left.append((position, edit.start, shift))
        position, shift = edit.end, shift + len(edit.replacement) - (edit.end - edit.start)
    left.append((position, len(published) - shift, shift))
    for span in spans:
        if span.label not in labels:
            continue
        borders = ((max(start, span.start), min(end, span.end), moved) for start, end, moved in left)
        pieces = (published[start + moved : end + moved] for start, end, moved in borders if start < end)
        text = " ".join(unicodedata.normalize("NFKC", " ".join(pieces)).casefold().split())
        if any(map(str.isalnum, text)):
            yield span.label, text


def gendered_words(published: str, edits: Iterable[PlacedEdit]) -> int:
    """Count the words of a published text that show a gender, outside what recoding wrote.

    >>> edits = [PlacedEdit(0, 3, "recode", "[man]", "GENDER"), PlacedEdit(14, 18, "generalize", "kinswoman", "TERM")]
    >>> gendered_words("[man] knows his kinswoman", edits)
    2
    """
    return len(gendered_places(without_recoded(published, edits)))


# Words of a published English text that show a gender: the recount's own list, separate from the recoding.


_WORD = re.compile(r"[^\W_]+")
_SHORT = re.compile(
    r"\b(?:(?i:ma['’]am)|\d{1,3} ?(?:yo|y/o|year[ -]old)[ ,]{0,2}[MF]"
    r"|(?<![\d.,])(?<![TtXxMm] )(?<!emp )(?<![:=] )(?:[1-8]?\d|9[0-3])[MF]|[Ss]ex: ?[MFmf])\b(?!['’.]\w)"
)
"""Short forms: an address, and letters after an age or after "Sex:"."""
_ALWAYS = frozenset(
    words_of(
        "he she him her his hers himself herself man men woman women boy boys girl girls gentleman gentlemen lady"
        " ladies male males female females guy guys mother mothers father fathers mom moms dad dads mum mummy mommy"
        " daddy son sons daughter daughters brother brothers sister sisters wife wives husband husbands uncle"
        " uncles aunt aunts niece nieces nephew nephews widow widows widower grandmother grandmothers grandfather"
        " grandfathers grandma grandpa grandson grandsons granddaughter granddaughters stepmother stepfather"
        " stepson stepdaughter stepbrother stepsister godmother godfather fiance fiancee fiancé fiancée girlfriend"
        " girlfriends boyfriend boyfriends bride bridegroom bachelor housewife housewives kinsman kinswoman kinsmen"
        " kinswomen sir madam mister mr mrs actor actors actress actresses waiter waitress waitresses policeman"
        " policemen policewoman fireman firemen salesman salesmen saleswoman businessman businessmen businesswoman"
        " chairman chairwoman spokesman spokeswoman mailman postman handyman fisherman fishermen foreman craftsman"
        " serviceman congressman congresswoman clergyman repairman cameraman workman seamstress hostess stewardess"
        " heiress heroine princess duchess empress priestess nun nuns monk monks priest king queen landlady"
        " landlord headmistress barmaid housemaid ballerina"
    )
)
_CAPITAL = frozenset(("Ms", "Miss", "MS", "MISS", "Madame", "MADAME"))


def gendered_places(text: str) -> Sequence[str]:
    """Return the words and letters of a text that show a gender, in no order.

    >>> sorted(gendered_places("Sir, a 54 y/o M, told Mrs. Fox of HER2; his waitress missed it"))
    ['54 y/o M', 'Mrs', 'Sir', 'his', 'waitress']
    """
    shown = visible(text).text
    words = [word for word in _WORD.findall(shown) if word in _CAPITAL or word.lower() in _ALWAYS]
    return [*words, *_SHORT.findall(shown)]
