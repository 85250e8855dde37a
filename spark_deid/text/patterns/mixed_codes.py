"""Codes by their shape, such as "LK.4471-B" or "55 QX 193", and short codes after words such as "PIN"."""

import re
from collections.abc import Iterator

from spark_deid.text.patterns.lists import is_introduced, read_lines
from spark_deid.text.patterns.scan import Interval, TextScan

_BACK, _AHEAD = 24, 48
_TOKEN_BACKWARD = re.compile(r"[A-Za-z0-9/._:*-]*")
_TOKEN = re.compile(r"[A-Za-z0-9]{1,24}(?>(?:[/._:*-][A-Za-z0-9]{1,24}){0,6})")
_DIGITS = re.compile("[0-9]+")
_LABEL_AND_COLON = re.compile(r"[A-Za-z]{2,12}:(?=[0-9])")
_MUTATION = re.compile(r"[ACGT][0-9]+[ACGT]|[ACDEFGHIKLMNPQRSTVWY][0-9]{1,4}[ACDEFGHIKLMNPQRSTVWY]")
_PART = re.compile(r"[A-Za-z0-9]+")
_REFERENCES = frozenset(read_lines("public_references.txt"))
_REFERENCE_BEFORE = re.compile(r"([A-Za-z]{2,7})(?:[ :#_-]{1,2}(?:ID|No\.?)?:? ?)?$")
_REGISTERS = frozenset(read_lines("public_registers.txt"))
_REGISTER_BEFORE = re.compile(r"(?<![A-Za-z])([A-Za-z]{2,7})(?: CT)?(?:[ :#_-]{1,2}(?:ID|No\.?)?:? ?)?$")
_LETTERS_FIRST = re.compile(r"[A-Za-z]{2,7}(?=[0-9_:.-])")
_MEASURE = re.compile(
    r"[0-9.]+(?:MG|MCG|ML|L|G|KG|CM|MM|MIN|HRS?|H|D|W|WKS?|MO|YRS?|Y|X|C|F|K|M|MHZ|GB|MB|AM|PM|IU|U|FR|KV|HZ"
    r"|TH|ST|ND|RD|V|A|P)"
)
_MONTH = re.compile(r"JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC|[QW][0-9]{1,2}$")
_YEAR = re.compile(r"19[0-9]{2}|20[0-2][0-9]")
_DISEASE = r"[A-TV-Z][0-9][0-9A-Z](?:\.[0-9A-Z]{1,4})?"
_CLASSIFICATION = re.compile(rf"{_DISEASE}(?:[/-]{_DISEASE})?")
"""The shape of a code of ICD-10, and of a range of such codes."""
_SOLID = re.compile(
    r"[A-Z]{1,4}[0-9]{5,}[A-Z]{0,2}|[A-Z][0-9]{4,5}[A-Z]|[A-Z]{5}[0-9]{4}[A-Z]|[0-9]{4,}[A-Z]{1,3}[0-9]{2,}[A-Z]?"
)
_CHECK_DIGIT = re.compile(r"\([0-9A]\)")
_GROUPS = re.compile(
    r"[0-9]{4}(?: [0-9]{4}){2,5}(?: [0-9]{1,3})?|[0-9]{4} [0-9]{4} [0-9]{2,3}"
    r"|[A-Z]{2} [0-9]{3} [0-9]{3}(?: [0-9]{3})?(?: [A-Z]{2})?"
    r"|[0-9]{6}/[0-9]{4}|[0-9]{6}[-+A][0-9]{3}[0-9A-Y]"
    r"|(?=(?:[0-9]+ )*[0-9]{5})[0-9]{2,6}(?: [0-9]{1,6}){2,6}"
    r"|[A-Z]{2}[0-9]{2} [A-Z]{0,2}\.{2,3}"
    r"|[A-Z]{2} [0-9]{2} [0-9]{2} [0-9]{2} [A-D]|[A-Z]{2}[0-9]{6}[A-D]"
    r"|[0-9]{2,4} (?P<letters>[A-Z]{2}) [0-9]{2,4}"
    r"|[A-Z]{2}[0-9]{2} [A-Z]{3}|[A-Z][0-9]{3} [A-Z]{3}"
    r"|[0-9]{3} [0-9]{2} [0-9]{2} [A-Z]{2}|[0-9]{4} [0-9]{3} [0-9]{3} [A-Z]{2}"
)
_LEAST_IN_GROUPS = 10
_GROUPS_END = re.compile(r"[\w%]|[.,/:-][0-9]")
_NO_GROUP = frozenset(read_lines("between_numbers.txt"))
_SHORT_WORDS = frozenset(read_lines("short_code_words.txt"))
_SHORT_CODE = re.compile(
    r"[0-9]{6} (?!(?:19|20)[0-9]{2}(?![0-9]))[0-9]{4}(?![\w%]|[.,:/-][0-9A-Z])|"
    r"(?:[A-Z]{1,4}[ -]?)?(?:[0-9]{2,4}(?: [0-9]{2,6}){1,4}|[0-9]{2,12})(?: ?[A-Z]{1,2})?(?![\w%]|[.,:/-][0-9A-Z])"
    r"|(?:[A-Z]{1,4} )?[A-Za-z0-9]{1,12}(?>(?:[/._:-][A-Za-z0-9]{1,12}){0,6})(?![\w%])"
)
_CAPITALS_BEFORE = re.compile(r"(?<!\w)[A-Z]{1,4}[ -]?$")
_LEAST_SHORT = 3
_PIN = re.compile(r"(?<!\w)(?:PIN|passcode)(?: (?:code|number|no\.?|is|was|of|reset|set|changed|to)){0,3}:? $")
_NUMBER_BEFORE = re.compile(
    r"(?<!\w)(?P<thing>[A-Za-z]{2,14})?[ .-]{0,2}"
    r"(?:(?:[Nn]o|[Nn]os|[Nn]r|NO)\.?:? ?|[Nn]umber(?:ed)?(?: (?:is|was))?:? |# ?)(?:[A-Z]{1,4}[ /-])?$"
)
_NO_CODE_THINGS = frozenset(read_lines("public_numbers.txt"))
_NUMBER_BACK = 30
_LEAST_NUMBERED = 4
_MOST_LETTERS = 4
_LAST = re.compile(
    r"(?:\bending(?: in| with)?|\bends(?: in| with)|\bended(?: in| with)?"
    r"|\blast (?:four|4)(?: digits)?(?: (?:are|is|of))?|[Xx*•]{2,4}[ -]?[Xx*•]{2,4}"
    r"|[Xx*•]{3,})[ :-]{1,2}[A-Z]{0,2}$"
)
_LAST_CUES = ("ending", "ends ", "ended", "last four", "last 4", "xx", "**", "••")
_LAST_DIGITS = re.compile(r"[0-9]{3,6}(?![\w%]|[.,/:-][0-9])")
_FILE = re.compile(
    r"[A-Za-z0-9_-]{1,40}\.(?:pdf|jpe?g|png|docx?|xlsx?|csv|tiff?|dcm|txt|zip|mp[34]|wav)(?!\w)", re.IGNORECASE
)
_LEAST_FILE_DIGITS = 4
_SECRET_CUES = ("password", "passphrase", "passwd", "pw ", "pw:", "username", "user name", "login")
_SECRET = re.compile(
    r"(?<!\w)(?:pass(?:word|phrase|wd)|pw|user ?name|login)(?: (?:is|was|set|set to|for [a-z]+(?: [a-z]+)?))?"
    r"(?::| =|=)?(?: ?[\"'“](?P<quoted>[^\s\"'”]{3,40})[\"'”]"
    r"| (?P<plain>[A-Za-z0-9]{2,20}(?:[-_.][A-Za-z0-9]{1,20}){0,3}))",
    re.IGNORECASE,
)
_SECRET_REACH = 90
_WORD_AND_HYPHEN = re.compile(r"[a-z]+-(?:protected|only|free|less|reset|based|change|sharing)", re.IGNORECASE)


def find_mixed_codes(scan: TextScan) -> Iterator[Interval]:
    """Find codes that letters and digits make, digits in groups of four, the ends of numbers, file names and passwords.

    The function skips doses, years, classifications and numbers of public registers (``public_references.txt``).
    """
    text = scan.text
    covered = 0
    for start, end in scan.runs:
        if start < covered:
            continue
        found = _code_at(text, start, end, covered)
        if found is not None:
            covered = max(end, found[1])
            yield found
    yield from _ends_of_numbers(scan)
    yield from _secrets(scan)


def is_public(text: str, start: int, end: int) -> bool:
    """Return whether a code is a number of a public register, by its letters or the word before it."""
    letters = _LETTERS_FIRST.match(text, start, end)
    if letters and letters[0] in _REFERENCES:
        return True
    before = _REFERENCE_BEFORE.search(text, max(0, start - 14), start)
    return (before is not None and before[1] in _REFERENCES) or text[start : start + 2] == "0x"


def is_registered(text: str, start: int, end: int) -> bool:
    """Return whether a long code is a number of a public register, by its letters or the word before it.

    Two letters before a number can be a state ("NC 12345678"), so fewer words count than for codes by shape.
    """
    letters = _LETTERS_FIRST.match(text, start, end)
    if letters and letters[0] in _REGISTERS:
        return True
    before = _REGISTER_BEFORE.search(text, max(0, start - 18), start)
    return before is not None and before[1] in _REGISTERS


def _code_at(text: str, start: int, end: int, covered: int) -> Interval | None:
    """Return the code with a run of digits in it."""
    low = max(covered, start - _BACK)
    match = _TOKEN_BACKWARD.match(text[low:start][::-1])
    begin = start - (match.end() if match else 0)
    while begin < start and not text[begin].isalnum():
        begin += 1
    if begin and text[begin - 1].isalnum():
        return None
    label = _LABEL_AND_COLON.match(text, begin)
    if label and label.end() <= start:
        begin = label.end()
    token = _TOKEN.match(text, begin, min(len(text), begin + _AHEAD + _BACK))
    if token is None or token.end() < end:
        return None
    file = _FILE.match(text, begin)
    if file and sum(map(str.isdigit, file[0])) >= _LEAST_FILE_DIGITS:
        return file.span()
    if text[token.end() : token.end() + 1].isalnum():
        return None
    found = _shaped(text, token, covered)
    return None if found is None or is_public(text, begin, token.end()) else found


def _shaped(text: str, token: re.Match[str], covered: int) -> Interval | None:
    """Return the code that a token is part of."""
    begin = token.start()
    grouped = _grouped(text, begin, covered)
    if grouped is not None:
        return grouped
    if _has_code_shape(token[0]) and text[token.end() : token.end() + 1] != "@":
        check = _CHECK_DIGIT.match(text, token.end())
        return begin, check.end() if check else token.end()
    return _labelled(text, begin, covered)


def _has_code_shape(code: str) -> bool:
    """Return whether uppercase letters and digits make a code and not a dose, year or classification."""
    if code.upper() != code or not any(map(str.isalpha, code)):
        return False
    parts = _PART.findall(code)
    if len(parts) == 1:
        return (_SOLID.fullmatch(code) is not None and not _MUTATION.fullmatch(code)) or _is_long_mix(code)
    digits, size = sum(map(str.isdigit, code)), sum(map(len, parts))
    if _CLASSIFICATION.fullmatch(code) or any(map(_MEASURE.fullmatch, parts)) or any(map(_MONTH.match, parts)):
        return False
    if any(part.isalpha() and len(part) > _MOST_LETTERS for part in parts):
        return False
    longest = max((len(run) for run in _DIGITS.findall(code) if not _YEAR.fullmatch(run)), default=0)
    mixed = sum(1 for part in parts if not part.isdigit() and not part.isalpha())
    if size >= 9 and len(parts) >= 3 and digits >= 3 and mixed and max(map(len, parts)) >= 4:
        return True
    if len(parts) >= 4 and size >= 6 and digits >= 3 and not mixed:
        return True
    return size >= 6 and digits >= 3 and (longest >= 4 or (longest >= 3 and len(parts) >= 3))


def _is_long_mix(code: str) -> bool:
    digits = sum(map(str.isdigit, code))
    return len(code) >= 9 and digits >= 4 and len(code) - digits >= 2 and len(_DIGITS.findall(code)) >= 2


def _grouped(text: str, begin: int, covered: int) -> Interval | None:
    """Return separate groups that are one code."""
    letters = _CAPITALS_BEFORE.search(text, max(covered, begin - 5), begin)
    for first in (letters.start(), begin) if letters else (begin,):
        match = _GROUPS.match(text, first)
        if match is None or _GROUPS_END.match(text, match.end()):
            continue
        parts = match[0].split()
        if match["letters"] in _NO_GROUP or parts[0] in _NO_GROUP or is_public(text, first, match.end()):
            continue
        numbers = [part for part in parts if part.isdigit()]
        if len(numbers) == len(parts) and sum(map(len, parts)) < _LEAST_IN_GROUPS:
            continue
        is_round = all(map(_YEAR.fullmatch, parts)) or all(part.endswith("0") for part in parts)
        if len(numbers) == len(parts) and is_round:
            continue
        return match.span()
    return None


def _labelled(text: str, begin: int, covered: int) -> Interval | None:
    """Return a code after a word that names it, or after "no." and "#"."""
    letters = _CAPITALS_BEFORE.search(text, max(covered, begin - 5), begin)
    for first in (letters.start(), begin) if letters else (begin,):
        match = _SHORT_CODE.match(text, first)
        if match is None:
            continue
        size, digits = sum(map(str.isalnum, match[0])), sum(map(str.isdigit, match[0]))
        if digits >= 2 and size >= _LEAST_SHORT and _is_called(text, first, match[0]):
            return match.span()
        if digits >= 2 and size >= _LEAST_NUMBERED and _is_numbered(text, first):
            return match.span()
    return None


def _is_called(text: str, start: int, code: str) -> bool:
    """Return whether a word before a short code calls it so. A year needs the word PIN."""
    if _PIN.search(text, max(0, start - _NUMBER_BACK), start):
        return True
    return not _YEAR.fullmatch(code) and is_introduced(text, start, _SHORT_WORDS)


def _is_numbered(text: str, start: int) -> bool:
    if text[start - 1 : start] == "#" and not text[start].isdigit():
        return False
    near = text[max(0, start - _NUMBER_BACK) : start].lower()
    if not ("#" in near or "no" in near or "nr" in near or "number" in near):
        return False
    before = _NUMBER_BEFORE.search(text, max(0, start - _NUMBER_BACK), start)
    if before is None:
        return False
    return (before["thing"] or "").lower() not in _NO_CODE_THINGS


def _ends_of_numbers(scan: TextScan) -> Iterator[Interval]:
    """Yield the last digits of a number: "card ending in 6630", "xxx-xx-5424"."""
    text = scan.text
    for start, _ in scan.runs_after(_LAST_CUES, 32):
        match = _LAST_DIGITS.match(text, start)
        if match and (before := _LAST.search(text, max(0, start - 32), start)):
            letters = re.search("[A-Z]{0,2}$", before[0])
            yield start - (len(letters[0]) if letters else 0), match.end()


def _secrets(scan: TextScan) -> Iterator[Interval]:
    """Yield passwords and account names that are quoted, or that contain a digit or a hyphen."""
    for match in scan.matches_near(_SECRET_CUES, _SECRET, 0, _SECRET_REACH):
        if match["quoted"]:
            yield match.span("quoted")
        elif (plain := match["plain"]) and not plain.isalpha() and not _WORD_AND_HYPHEN.fullmatch(plain):
            yield match.span("plain")
