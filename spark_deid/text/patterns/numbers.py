"""Numbers that name a person or an account: US SSN, payment cards, IBAN, and other long codes."""

import re
from collections.abc import Iterator

from spark_deid.text.patterns.check_digits import passes_luhn, passes_mod97
from spark_deid.text.patterns.lists import is_introduced, read_lines
from spark_deid.text.patterns.mixed_codes import find_mixed_codes, is_registered
from spark_deid.text.patterns.scan import Interval, TextScan
from spark_deid.text.patterns.spoken import find_spelled_codes, find_spoken_codes

_SSN = re.compile(
    r"(?<![^\W_])(?<!-)(?<![0-9]\.)(?!000|666|9)[0-9]{3}([ ./-]|(?: - ))(?!00)[0-9]{2}\1(?!0000)[0-9]{4}"
    r"(?![^\W_]|-|[./][0-9])"
)
_SSN_IN_PARENTHESES = re.compile(
    r"\((?!000|666|9)[0-9]{3}\)[ -]{0,2}(?!00)[0-9]{2}[ -](?!0000)[0-9]{4}(?![^\W_]|-|\.[0-9])"
)
_BARE_SSN = re.compile(r"(?!000|666|9)[0-9]{3}(?!00)[0-9]{2}(?!0000)[0-9]{4}")
_SSN_WORDS = re.compile(r"\b(?:ssn|social security|soc sec)\b", re.IGNORECASE)
_SSN_CONTEXT = 40

_CARD = re.compile(
    r"(?<![\w.])(?:[0-9]{13,19}"
    r"|[0-9]{4}([ .-])[0-9]{4}\1[0-9]{4}\1[0-9]{4}(?:\1[0-9]{1,3})?"
    r"|[0-9]{4}([ .-])[0-9]{6}\2[0-9]{4,5})(?!\w)"
)
_ISSUER = re.compile(r"4|5[0-9]|6[0-9]|3[04-9]|2[2-7]")

_IBAN_LENGTHS = {country: int(length) for country, length in (line.split() for line in read_lines("iban_lengths.txt"))}
_IBAN_TAILS = {
    length: re.compile(rf"(?:[ -]?[A-Za-z0-9]){{{length - 4}}}(?![A-Za-z0-9])") for length in _IBAN_LENGTHS.values()
}

_LONG_RUN = re.compile(r"[0-9]{7,}+")
_CODE_BODY = re.compile(r"[A-Za-z0-9]++(?>(?:[-_/][A-Za-z0-9]++)*)")
_UNIT = re.compile(r" ?(?:" + "|".join(map(re.escape, read_lines("units.txt"))) + ")", re.IGNORECASE)
_MAX_PREFIX = 24
_CODE_PREFIX = re.compile(r"[A-Za-z0-9_/-]*+")

_JOINED_CODE = re.compile(
    r"[A-Za-z]{1,4}+-?[0-9]{1,24}+(?>(?:[-/][A-Za-z0-9]{1,24}+){1,6})|[0-9]{2,24}+(?>(?:-[0-9]{2,24}+){1,6})"
)
_MIN_JOINED_DIGITS = 9
_MIN_JOINED_DIGITS_AFTER_A_LETTER = 7

_NUMBERED = frozenset(read_lines("numbered_things.txt"))
_NUMBER_WORDS = (
    "number",
    "no",
    "nos",
    "nr",
    "num",
    "id",
    "ident",
    "identifier",
    "nummer",
    "numero",
    "número",
    "numéro",
    "nº",
    "n°",
)
_SHORT_CODE_WORDS = frozenset(("badge", "subj", "subj no", "subject no", "subject number"))
"""Before a number of four digits that is a code all the same."""
_CODE_WORDS = _SHORT_CODE_WORDS.union(
    read_lines("code_words.txt"), (f"{thing} {word}" for thing in _NUMBERED for word in _NUMBER_WORDS)
)
_IDENTIFIERS = frozenset(
    (
        *(
            "nhs",
            "imei",
            "meid",
            "iccid",
            "esn",
            "sin",
            "chi",
            "medicare",
            "medicaid",
            "mrn",
            "ihi",
            "npi",
            "nino",
            "abha",
        ),
        *("uhid", "aadhaar", "aadhar", "passport", "policy", "dni", "nie", "nif", "cpf", "bsn", "accession"),
    )
)
"""Names of identifiers whose numbers look like those of telephones or cards."""
_INTRODUCED_CODE = re.compile(
    r"[0-9]{6} (?!(?:19|20)[0-9]{2}(?![0-9]))[0-9]{4}(?![\w/.:-][0-9]|\w)|"
    r"(?>(?:[A-Za-z]{1,4}[/.-]?)?)(?:[0-9]{1,4}|[0-9]{8})(?>(?: [0-9]{1,10}[A-Za-z]?(?![\w/.:-][0-9]|\w)){1,4})(?!\w)"
    r"|[A-Za-z0-9]{1,64}+(?>(?:[/._-][A-Za-z0-9]{1,24}+){0,8})"
)
_CAPITALS_BEFORE = re.compile(r"(?<![\w])[A-Z]{1,6}[ -](?:[A-Z]{1,4}[ -])?$")
"""Letters before the groups of a number, apart from them: "XQH 118 204"."""
_CAPITALS_BACK = 12
_LETTERED, _JOINED_LETTERS = re.compile(r"[A-Z]{1,4}[/-]?[0-9]"), re.compile(r"[A-Z]{1,4}[/-][0-9]")
_MIN_DIGITS = 5
_MIN_DIGITS_AFTER_A_MARK = 4
_MARKS = ":#\u00ba\u00b0"


def find_ssns(scan: TextScan) -> Iterator[Interval]:
    """Find US social security numbers that can have been issued.

    Never issued are the areas 000, 666 and 900 to 999, the group 00 and the serial 0000. Nine digits without
    separators count only after a word that states what they are. Letters for digits (``l23-45-6789``) are read as such.
    """
    yield from _ssns(scan)
    yield from scan.find_lettered(_ssns)


def _ssns(scan: TextScan) -> Iterator[Interval]:
    text = scan.text
    for start, end in scan.clusters:
        if end - start >= 11:
            yield from (match.span() for match in _SSN.finditer(text, start, min(end + 2, len(text))))
            if text.find(")", start, end) >= 0:
                around = max(0, start - 1), min(end + 2, len(text))
                yield from (match.span() for match in _SSN_IN_PARENTHESES.finditer(text, *around))
        elif end - start == 9 and _BARE_SSN.fullmatch(text, start, end) and _names_ssn(text, start):
            yield start, end


def _names_ssn(text: str, start: int) -> bool:
    return _SSN_WORDS.search(text, max(0, start - _SSN_CONTEXT), start) is not None


def find_cards(scan: TextScan) -> Iterator[Interval]:
    """Find payment card numbers: 13 to 19 digits in a card's grouping, a known issuer, and the Luhn check digit."""
    yield from _cards(scan)
    yield from scan.find_lettered(_cards)


def _cards(scan: TextScan) -> Iterator[Interval]:
    text = scan.text
    for start, end in scan.clusters:
        if end - start >= 13:
            for match in _CARD.finditer(text, start, min(end + 1, len(text))):
                digits = "".join(filter(str.isdigit, match[0]))
                if _ISSUER.match(digits) and passes_luhn(digits):
                    yield match.span()


def find_ibans(scan: TextScan) -> Iterator[Interval]:
    """Find IBANs: the country's length and the check digits, written in groups or without spaces."""
    text = scan.text
    for digits, end in scan.runs:
        if not (digits and text[digits - 1].isalpha()):
            continue
        start = digits - 2
        length = _IBAN_LENGTHS.get(text[max(0, start) : digits].upper())
        if length is None or end - digits < 2 or (start > 0 and text[start - 1].isalnum()):
            continue
        match = _IBAN_TAILS[length].match(text, digits + 2)
        if match and passes_mod97(re.sub("[ -]", "", text[start : match.end()]).upper()):
            yield start, match.end()


def names_identifier(text: str, start: int) -> bool:
    """Return whether a word names the number at a place as an identifier other than a telephone number or a card.

    >>> names_identifier("NHS number: 943 476 5919", 12), names_identifier("call 943 476 5919", 5)
    (True, False)
    """
    return is_introduced(text, start, _IDENTIFIERS)


def find_codes(scan: TextScan) -> Iterator[Interval]:
    """Find codes: words with seven or more digits in a row, and numbers after words such as ``MRN`` or ``DNI``.

    Groups of digits joined by hyphens count where they are nine together, or seven after a letter (``S15-12345``). A
    long number is not code where it is a decimal fraction or where a unit follows.
    """
    for find in (_long_codes, _joined_codes):
        yield from (found for found in find(scan) if not is_registered(scan.text, *found))
    yield from _introduced_codes(scan)
    yield from find_mixed_codes(scan)
    yield from find_spoken_codes(scan)
    yield from find_spelled_codes(scan)


def _long_codes(scan: TextScan) -> Iterator[Interval]:
    text = scan.text
    covered = 0
    for cluster_start, cluster_end in scan.clusters:
        for run in _LONG_RUN.finditer(text, max(cluster_start, covered), cluster_end):
            if run.start() < covered or _is_measurement(text, *run.span()):
                continue
            start = max(covered, _code_start(text, run.start()))
            body = _CODE_BODY.match(text, start)
            covered = run.end() if body is None else max(run.end(), body.end())
            yield start, covered


def _joined_codes(scan: TextScan) -> Iterator[Interval]:
    text = scan.text
    for start, end in scan.clusters:
        if text.find("-", start, end) < 0:
            continue
        match = _JOINED_CODE.match(text, _code_start(text, start))
        if match:
            count = sum(map(str.isdigit, match[0]))
            if count >= (_MIN_JOINED_DIGITS_AFTER_A_LETTER if match[0][0].isalpha() else _MIN_JOINED_DIGITS):
                yield match.span()


def _code_start(text: str, position: int) -> int:
    before = text[max(0, position - _MAX_PREFIX) : position][::-1]
    match = _CODE_PREFIX.match(before)
    start = position - (match.end() if match else 0)
    while start < position and text[start] in "-_/":
        start += 1
    return start


def _is_measurement(text: str, start: int, end: int) -> bool:
    fraction = start >= 2 and text[start - 1] in ".," and text[start - 2].isdigit()
    return fraction or _UNIT.match(text, end) is not None


def _introduced_codes(scan: TextScan) -> Iterator[Interval]:
    text = scan.text
    covered = 0
    for start, _ in scan.numbers:
        if start < covered:
            continue
        start = max(covered, _code_start(text, start))
        match = _INTRODUCED_CODE.match(text, start)
        if match is None or not _has_code_digits(text, *match.span()):
            continue
        if _is_called_code(text, start) or _is_lettered_code(text, *match.span()):
            begin = start
        elif (begin := _with_capitals(text, covered, start)) == start:
            continue
        covered = match.end()
        yield begin, covered


def _is_called_code(text: str, start: int) -> bool:
    """Tell whether a word before says that a code begins; of things that have other numbers too, a sign after it."""
    return is_introduced(text, start, _CODE_WORDS) or (
        "#" in text[max(0, start - 2) : start] and is_introduced(text, start, _NUMBERED)
    )


def _is_lettered_code(text: str, start: int, end: int) -> bool:
    """Tell whether a code begins with letters behind what is numbered, or behind a sign: "kit K-88-01", "#AC-0911"."""
    if text[start - 1 : start] == "#":
        return _JOINED_LETTERS.match(text, start, end) is not None
    return _LETTERED.match(text, start, end) is not None and is_introduced(text, start, _NUMBERED)


def _with_capitals(text: str, covered: int, start: int) -> int:
    """Return where the capitals begin that a word calls a code with the number behind them; the start without."""
    if text[start - 1 : start] not in (" ", "-") or not text[start - 2 : start - 1].isupper():
        return start
    uppercase = _CAPITALS_BEFORE.search(text, max(covered, start - _CAPITALS_BACK), start)
    return uppercase.start() if uppercase and _is_called_code(text, uppercase.start()) else start


def _has_code_digits(text: str, start: int, end: int) -> bool:
    count = sum(map(str.isdigit, text[start:end]))
    marked = text[max(0, start - 2) : start].strip().endswith(tuple(_MARKS)) or _LETTERED.match(text, start, end)
    if count < _MIN_DIGITS and not marked:
        return count >= _MIN_DIGITS_AFTER_A_MARK and is_introduced(text, start, _SHORT_CODE_WORDS)
    return count >= _MIN_DIGITS_AFTER_A_MARK
