"""What two numbers with a stroke are besides a month and a day: scores, shares, doses, settings, durations."""

import re

_NAMED_SCORES = (
    "GCS|Glasgow|MMSE|MoCA|SLUMS|mini[- ]?mental|AMTS?|ACE|PHQ|GAD|HADS?|EPDS|CAGE|AUDIT|NIHSS|SOFA|APACHE|APGARs?"
    "|Braden|Morse|ESS|Epworth|Barthel|Tinetti|Rankin|Gleason|Bishop|Beighton|VAS|NRS|MRC|FIM|scor\\w{1,3}|scale|index"
    "|rat(?:ed|ing)"
    "|pain|strength|power|tone|reflex(?:es)?|pulses?|murmur|nodes?|LNs?|ratio|BiPAP|CPAP|IPAP|PEEP|BP|acuity|vision|visual"
    "|frequency|proportion|approximately|cytokeratin"
)
"""Behind one of these stands its value, with a word or two between."""
_DIRECT = (
    "VA|OD|OS|OU|RE|LE|[RL]|CK|grade|stage|page|pp?\\.|size|gauge|drill|bolt|fraction|(?<!C.)section|article|chapter|rule"
    "|figure|fig\\.?|table|item|number|no\\.?|tooth|teeth|for|x|over|of|every|another"
)
"""Right before a number alone they say that it is no day."""
_BEFORE = re.compile(
    rf"(?:(?<!\w)(?:{_NAMED_SCORES})\b[^.;\n]{{0,18}}|(?<!\w)(?:{_DIRECT})[ :#(]{{0,2}}|% ?\()$",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r",? ?\([0-9.]{1,5} ?%|,? ?[0-9.]{1,5} ?%|\"|\u2033|-(?:week|day|hour)"
    r"| (?:lymph|LNs?|nodes?|positive|women|men|children|people|subjects|dilution|supply|daily|nightly|BID|TID|QID|QD"
    r"|qd|bid|qhs|QHS|po|PO|prn|PRN|cmH2O)(?!\w)"
)
_ODD_SIXTEENTHS = "16"
_VISION = "20"
_OFTEN_DOSES = 5
"""Two numbers that this divides are the strengths of many drugs (10/20, 5/25), whose names nobody can list."""
LOOK_BACK = 30


def is_ratio(text: str, start: int, end: int) -> bool:
    """Tell whether two numbers with a stroke between them are surely or likely something else than a month and a day.

    >>> is_ratio("MMSE was 11/28", 9, 14), is_ratio("MRI 11/28", 4, 9)
    (True, False)
    """
    first, _, second = text[start:end].partition("/")
    if first == _VISION or (second == _ODD_SIXTEENTHS and int(first) % 2):
        return True
    if int(first) % _OFTEN_DOSES == 0 and int(second) % _OFTEN_DOSES == 0:
        return True
    return _BEHIND.match(text, end) is not None or is_called_ratio(text, start)


def is_called_ratio(text: str, start: int) -> bool:
    """Tell whether words before two numbers say that they are a score, a share, a setting, a place or how long."""
    return _BEFORE.search(text[max(0, start - LOOK_BACK) : start]) is not None
