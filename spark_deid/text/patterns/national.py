"""National numbers with check digits of people, taxes, health and accounts, in the groups in which they are written.

Without separators most of them are long runs of digits, which ``code`` finds whatever they are.
"""

import re
from collections.abc import Iterator
from types import MappingProxyType

from spark_deid.text.patterns import check_digits
from spark_deid.text.patterns.scan import Interval, TextScan

_DAY, _MONTH = r"(?:0[1-9]|[12][0-9]|3[01])", r"(?:0[1-9]|1[0-2])"
_SHAPES = re.compile(
    r"(?<![\w])(?<![0-9][.,/-])(?:"
    r"(?P<dni>[0-9]{2}\.?[0-9]{3}\.?[0-9]{3}[ -]?[A-HJ-NP-TV-Z])"
    r"|(?P<nass>[0-9]{2}([ /-])[0-9]{8}\3[0-9]{2})"
    r"|(?P<ccc>[0-9]{4}([ -])[0-9]{4}\5[0-9]{2}\5[0-9]{10})"
    r"|(?P<cpf>[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2})"
    r"|(?P<cnpj>[0-9]{2}\.[0-9]{3}\.[0-9]{3}/[0-9]{4}-[0-9]{2})"
    rf"|(?P<nir>[12] ?[0-9]{{2}} ?(?:{_MONTH}|[2-9][0-9]) ?(?:[0-9]{{2}}|2[AB]) ?[0-9]{{3}} ?[0-9]{{3}} ?[0-9]{{2}})"
    r"|(?P<tax>[1-9][0-9] [0-9]{3} [0-9]{3} [0-9]{3})"
    r"|(?P<insurance>[0-9]{2} ?[0-9]{6} ?[A-Z] ?[0-9]{3})"
    r"|(?P<bsn>[0-9]{4}\.[0-9]{2}\.[0-9]{3})"
    rf"|(?P<cpr>{_DAY}{_MONTH}[0-9]{{2}} [0-9]{{4}})"
    rf"|(?P<personal>(?:19|20)?[0-9]{{2}}{_MONTH}(?:{_DAY}|[678][0-9]|9[01])[ +-][0-9]{{4}})"
    rf"|(?P<birth>(?:{_DAY}|[4-7][0-9]){_MONTH}[0-9]{{2}} [0-9]{{5}})"
    rf"|(?P<register>[0-9]{{2}}[. ]{_MONTH}[. ]{_DAY}[ -][0-9]{{3}}[. ][0-9]{{2}})"
    r"|(?P<ahv>756[. ][0-9]{4}[. ][0-9]{4}[. ][0-9]{2})"
    rf"|(?P<austrian>[1-9][0-9]{{3}} {_DAY}{_MONTH}[0-9]{{2}})"
    r"|(?P<citizen>[0-9]{8} [0-9] [A-Z0-9]{2}[0-9])"
    r")(?![\w]|[.,/-][0-9])"
)
_FOREIGNER = re.compile(r"(?<!\w)(?P<nie>[XYZ][ -]?[0-9]\.?[0-9]{3}\.?[0-9]{3}[ -]?[A-HJ-NP-TV-Z])(?!\w)")
_LETTERS = frozenset("XYZ")
_CHECKS = MappingProxyType(
    {
        "dni": check_digits.passes_dni,
        "nie": check_digits.passes_dni,
        "nass": check_digits.passes_nass,
        "ccc": check_digits.passes_ccc,
        "cpf": check_digits.passes_cpf,
        "cnpj": check_digits.passes_cnpj,
        "nir": check_digits.passes_nir,
        "tax": check_digits.passes_tax_id,
        "insurance": check_digits.passes_insurance,
        "bsn": check_digits.passes_bsn,
        "cpr": check_digits.passes_cpr,
        "personal": lambda code: check_digits.passes_luhn(code[-10:]),
        "birth": check_digits.passes_birth_number,
        "register": check_digits.passes_register,
        "ahv": check_digits.passes_ean,
        "austrian": check_digits.passes_austrian,
        "citizen": check_digits.passes_luhn,
    }
)
_SEPARATORS = str.maketrans("", "", " ./+-")
_BIRTH_MONTHS = frozenset("ABCDEHLMPRST")
_FISCAL_CODE = re.compile(
    r"(?<!\w)[A-Z]{3} ?[A-Z]{3} ?[0-9LMNP-V]{2}[A-EHLMPRST][0-9LMNP-V]{2} ?[A-Z][0-9LMNP-V]{3}[A-Z](?!\w)"
)
_LEAST, _SHORT, _AFTER = 7, 14, 14


def find_national_numbers(scan: TextScan) -> Iterator[Interval]:
    """Find numbers whose groups and check digits are those of a country.

    Spanish DNI, NIE, social security and accounts; Portuguese citizen cards; Brazilian CPF and CNPJ; French NIR;
    German tax and pension insurance; Dutch BSN; Italian codice fiscale; Danish CPR, Swedish and Norwegian personal
    numbers; Belgian, Swiss and Austrian insurance.
    """
    text, covered = scan.text, 0
    for start, end in scan.clusters:
        if (end - start < _LEAST and text[end : end + 1] != "+") or start < covered:
            continue
        for match in _shapes(text, start, end):
            if _fits(match):
                covered = match.end()
                yield match.span()
    yield from _fiscal_codes(scan)


def _shapes(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Yield what has the shape of a number: at the begin of a chain of digits, in long ones at any place."""
    begin, limit = max(0, start - 2), min(len(text), end + _AFTER)
    if text[begin:start].strip(" -") in _LETTERS and (match := _FOREIGNER.search(text, begin, limit)):
        yield match
    elif end - start > _SHORT:
        for match in _SHAPES.finditer(text, start, limit):
            if match.start() >= end:
                break
            yield match
    elif match := _SHAPES.match(text, start):
        yield match


def _fits(match: re.Match[str]) -> bool:
    kind = next(name for name, found in match.groupdict().items() if found)
    return _CHECKS[kind](match[0].translate(_SEPARATORS))


def _fiscal_codes(scan: TextScan) -> Iterator[Interval]:
    text = scan.text
    for start, end in scan.runs:
        if end - start == 2 and text[end : end + 1] in _BIRTH_MONTHS and start >= 6:
            for begin in (start - 6, start - 7, start - 8):
                match = _FISCAL_CODE.match(text, begin) if begin >= 0 else None
                if match and check_digits.passes_fiscal_code(match[0].replace(" ", "")):
                    yield match.span()
                    break
