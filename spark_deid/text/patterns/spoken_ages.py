"""Ages in words, in English: "sixty-three-year-old", "turned sixty-three", "she is ninety-two", "in his nineties"."""

import re
from collections.abc import Iterator

from spark_deid.text.patterns.scan import Interval, TextScan

_UNITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_VALUES = {
    **{word: 1 + place for place, word in enumerate(_UNITS)},
    **{word: 10 + place for place, word in enumerate(_TEENS)},
    **{word: 20 + 10 * place for place, word in enumerate(_TENS)},
}
_ANY_UNIT = "|".join(_UNITS)
_BELOW_100 = rf"(?:(?:{'|'.join(_TENS)})(?:[ -](?:{_ANY_UNIT}))?|{'|'.join(_TEENS)})"
_HUNDRED = rf"(?:one |a )?hundred(?:(?: and)? (?:{_ANY_UNIT}|{'|'.join(_TEENS)}))?"
_NUMBER = rf"(?P<number>{_BELOW_100}|{_HUNDRED}|{_ANY_UNIT})"
_OVER_89 = rf"(?P<number>ninety(?:[ -](?:{_ANY_UNIT}))?|{_HUNDRED})"
_ENDS = r"(?=[.,;:!?)]|$|[\r\n\ufdd0]| (?:and|but|now|when|in|on|with|who)(?!\w))"
_OLD = re.compile(
    rf"(?<![\w-])(?:{_NUMBER})[ -]{{1,2}}(?P<unit>years?|yrs?|months?|weeks?|days?)[ -](?:old|of age)(?!\w)", re.I
)
_TURNED = re.compile(
    rf"(?<!\w)(?:aged|at age|at the age of|turn(?:ed|ing|s)?|reached)"
    rf" (?P<age>(?P<number>{_BELOW_100}|{_HUNDRED})){_ENDS}",
    re.IGNORECASE,
)
_STATED = re.compile(
    r"(?<!\w)(?:(?:he|she|i|who|patient|mother|father|mum|mom|dad|grandmother|grandfather|husband|wife|woman|man|lady)"
    rf"(?:'s|'m| is| am| was),? (?:now |almost |nearly |about |already |only )?)(?P<age>{_OVER_89}){_ENDS}",
    re.IGNORECASE,
)
_AFTER_NAME = re.compile(rf"[A-Z][\w'-]{{1,24}}(?:, | \()(?P<age>(?i:{_OVER_89}))(?=[,.;)])")
_DECADE = re.compile(
    r"(?<!\w)(?:in|into|entering) (?:his|her|their|my|your) (?P<age>(?:(?:early|mid|late)[ -])?"
    r"(?P<decade>twen|thir|for|fif|six|seven|eigh|nine)ties|(?:(?:early|mid|late)[ -])?(?P<tens>[2-9])0'?s"
    r"|(?:one )?hundreds)(?!\w)",
    re.IGNORECASE,
)
_OF_HUNDRED = re.compile(r"(?<!\w)(?P<age>nonagenarians?|(?:super)?centenarians?)(?!\w)", re.IGNORECASE)
_DECADES = dict(zip(("twen", "thir", "for", "fif", "six", "seven", "eigh", "nine"), range(20, 100, 10), strict=True))
_OLD_CUES = ("-old", " old", " of age")
_TURNED_CUES = ("aged ", "at age ", "at the age of ", "turn", "reached ")
_OVER_CUES = ("ninety", "hundred")
_DECADE_CUES = (
    *("in his ", "in her ", "in their ", "in my ", "in your ", "into his ", "into her ", "into their "),
    *("entering his", "entering her"),
)
_AGED_CUES = ("nonagenarian", "centenarian")
_DECADE_AGE = 9
"""The years that the oldest people of a decade have over its number."""


def find_spoken_ages(scan: TextScan) -> Iterator[tuple[Interval, int]]:
    """Yield ages in words with their years; 0 for months, weeks and days."""
    for match in scan.matches_near(_OLD_CUES, _OLD, 40, 60):
        yield match.span(), _value(match["number"]) if match["unit"].lower().startswith("y") else 0
    for cues, form, back in ((_TURNED_CUES, _TURNED, 0), (_OVER_CUES, _STATED, 30), (_OVER_CUES, _AFTER_NAME, 36)):
        for match in scan.matches_near(cues, form, back, 60):
            yield match.span("age"), _value(match["number"])
    for match in scan.matches_near(_DECADE_CUES, _DECADE, 0, 40):
        decade = 10 * int(match["tens"]) if match["tens"] else _DECADES.get((match["decade"] or "").lower(), 100)
        yield match.span("age"), decade + _DECADE_AGE
    yield from ((match.span("age"), 100) for match in scan.matches_near(_AGED_CUES, _OF_HUNDRED, 0, 20))


def _value(words: str) -> int:
    """Return the number that words name.

    >>> _value("ninety-two"), _value("one hundred and three"), _value("twelve")
    (92, 103, 12)
    """
    parts = re.split(r"[ -]+", words.lower())
    if "hundred" not in parts:
        return sum(_VALUES[part] for part in parts)
    rest = parts[parts.index("hundred") + 1 :]
    return 100 + sum(_VALUES.get(part, 0) for part in rest)
