"""Post office boxes of the US, the UK, Spain, Latin America, Germany and France."""

import re
from collections.abc import Iterator

from spark_deid.text.patterns.scan import Interval, TextScan

_CUES = ("box", "pob", "p.o.b", "apartado", "apdo", "casilla", "postfach", "postale")
"""One of them, in small letters, is part of each word that the next expressions end with."""
_LOOK_BACK = 32
_NUMBERED = r"(?:,? ?(?:n\.?[ºo°.]|no\.?|nr\.?|num\.?|núm\.?|#))?[ :]{0,2}$"
_BOX = re.compile(
    r"(?<!\w)(?:(?:P\.? ?O\.?|G\.?P\.?O\.?|Post(?:al)? Office) ?Box|P\.?O\.?B\.?"
    r"|Ap(?:ar)?t?a?do\.?(?: de)? ?(?:correos|postal)|Casilla(?: de)? (?:correos?|postal)|Bo[iî]te postale"
    rf"){_NUMBERED}",
    re.IGNORECASE,
)
_GERMAN = re.compile(rf"(?<!\w)Postfach{_NUMBERED}", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,7}(?:-[0-9]{1,4}|[A-Z])?(?!\w)(?![.,/-][0-9])")
_NUMBER_IN_PAIRS = re.compile(r"[0-9]{1,7}(?: [0-9]{2}(?![0-9])){0,3}(?!\w)(?![.,/-][0-9])")
_FRENCH = re.compile(
    r"(?:BP|B\.P\.|CS) ?(?:n[°º] ?)?[0-9]{1,6}(?=[ ,]{0,2}(?:-|\n)? ?(?:F-)?[0-9]{5} [A-ZÀ-ÖØ-Þ][\w'-]{1,24})"
)
"""A blood pressure is written with the same letters: what tells is the town's code after it."""
_FRENCH_MARKS = ("BP", "B.P.", "CS")


def find_boxes(scan: TextScan) -> Iterator[Interval]:
    """Find post office boxes: "P.O. Box 123", "Apartado de Correos 123", "Postfach 12 34", "BP 123, 75001 Paris"."""
    text = scan.text
    for start, _ in scan.runs_after(_CUES, _LOOK_BACK):
        begin = max(0, start - _LOOK_BACK)
        before = text[begin:start]
        german = _GERMAN.search(before)
        box = german or _BOX.search(before)
        if box and (number := (_NUMBER_IN_PAIRS if german else _NUMBER).match(text, start)):
            yield begin + box.start(), number.end()
    for mark in _FRENCH_MARKS:
        place = text.find(mark)
        while place >= 0:
            match = _FRENCH.match(text, place)
            if match and not (place and text[place - 1].isalnum()):
                yield match.span()
            place = text.find(mark, place + 1)
