"""Check digits of national numbers; digits and letters only are given, uppercase letters, in order."""

from collections.abc import Sequence

_DNI = "TRWAGMYFPDXBNJZSQVHLCKE"
_LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ODD = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10)
_VIN_VALUES = dict(zip("0123456789ABCDEFGHJKLMNPRSTUVWXYZ", map(int, "012345678912345678123457923456789"), strict=True))
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
_ODD_PLACES = dict(zip(_LETTERS, (*_ODD, 22, 25, 24, 23), strict=True))


def passes_vin(code: str) -> bool:
    """Return for a vehicle's identification number of 17 signs whether the ninth is its check digit (49 CFR 565.15).

    >>> passes_vin("1HGCM82633A004352"), passes_vin("1HGCM82634A004352")
    (True, False)
    """
    total = sum(_VIN_VALUES[sign] * weight for sign, weight in zip(code, _VIN_WEIGHTS, strict=True))
    return "0123456789X"[total % 11] == code[8]


def passes_luhn(code: str) -> bool:
    """Return whether the last digit is the Luhn check digit of the others; letters count from 10.

    >>> passes_luhn("4111111111111111"), passes_luhn("4111111111111112")
    (True, False)
    """
    total = 0
    for place, character in enumerate(reversed(code)):
        value = int(character, 36) * (1 + place % 2)
        total += value - 9 * (place % 2) * (value > 9)
    return total % 10 == 0


def passes_mod97(iban: str) -> bool:
    """Return whether an IBAN without spaces, in uppercase, has right check digits (ISO 13616).

    >>> passes_mod97("GB82WEST12345698765432"), passes_mod97("GB83WEST12345698765432")
    (True, False)
    """
    return int("".join(str(int(c, 36)) for c in iban[4:] + iban[:4])) % 97 == 1


def passes_dni(code: str) -> bool:
    """Return for a Spanish DNI or NIE whether its letter is that of its number modulo 23.

    >>> passes_dni("12345678Z"), passes_dni("X1234567L"), passes_dni("12345678A")
    (True, True, False)
    """
    number = code[:-1].translate(str.maketrans("XYZ", "012"))
    return _DNI[int(number) % 23] == code[-1]


def passes_nass(code: str) -> bool:
    """Return for a Spanish social security number, twelve digits, whether the last two are the others modulo 97.

    >>> passes_nass("281234567840"), passes_nass("281234567841")
    (True, False)
    """
    return int(code[:10]) % 97 == int(code[10:])


def passes_ccc(code: str) -> bool:
    """Return for a Spanish account of twenty digits whether its two check digits fit bank with branch and account.

    >>> passes_ccc("21000418450200051332"), passes_ccc("21000418460200051332")
    (True, False)
    """
    weights = (1, 2, 4, 8, 5, 10, 9, 7, 3, 6)
    return f"{_eleven(code[:8], weights[2:])}{_eleven(code[10:], weights)}" == code[8:10]


def _eleven(digits: str, weights: Sequence[int]) -> int:
    rest = 11 - _sum(digits, weights) % 11
    return {10: 1, 11: 0}.get(rest, rest)


def _sum(digits: str, weights: Sequence[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True))


def passes_cpf(code: str) -> bool:
    """Return for a Brazilian CPF whether both check digits fit, and not all digits are one.

    >>> passes_cpf("52998224725"), passes_cpf("52998224726"), passes_cpf("11111111111")
    (True, False, False)
    """
    fits = all(_sum(code[:size], range(size + 1, 1, -1)) * 10 % 11 % 10 == int(code[size]) for size in (9, 10))
    return fits and len(set(code)) > 1


def passes_cnpj(code: str) -> bool:
    """Return for a Brazilian CNPJ whether both check digits fit.

    >>> passes_cnpj("11444777000161"), passes_cnpj("11444777000162")
    (True, False)
    """
    weights = (6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)
    return all(_sum(code[:size], weights[-size:]) * 10 % 11 % 10 == int(code[size]) for size in (12, 13))


def passes_nir(code: str) -> bool:
    """Return for a French NIR of fifteen characters whether its key fits; Corsica's 2A and 2B count as 19 and 18.

    >>> passes_nir("269054958815780"), passes_nir("269054958815781")
    (True, False)
    """
    number = code[:5] + code[5:7].replace("2A", "19").replace("2B", "18") + code[7:13]
    return number.isdigit() and 97 - int(number) % 97 == int(code[13:])


def passes_tax_id(code: str) -> bool:
    """Return for a German tax number of eleven digits whether the last fits (ISO 7064, MOD 11,10).

    >>> passes_tax_id("86095742719"), passes_tax_id("86095742718")
    (True, False)
    """
    product = 10
    for digit in code[:10]:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(code[10])


def passes_insurance(code: str) -> bool:
    """Return for a German pension insurance number whether its last digit fits.

    >>> passes_insurance("15070649C103"), passes_insurance("15070649C104")
    (True, False)
    """
    digits = code[:8] + f"{ord(code[8]) - 64:02d}" + code[9:]
    weighed = (int(d) * w for d, w in zip(digits[:12], (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1), strict=True))
    return sum(each // 10 + each % 10 for each in weighed) % 10 == int(digits[12])


def passes_bsn(code: str) -> bool:
    """Return for a Dutch BSN of nine digits whether it passes the test of eleven.

    >>> passes_bsn("123456782"), passes_bsn("123456783")
    (True, False)
    """
    return int(code) > 0 and _sum(code, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0


def passes_fiscal_code(code: str) -> bool:
    """Return for an Italian codice fiscale whether its last letter fits.

    >>> passes_fiscal_code("RSSMRA85T10A562S"), passes_fiscal_code("RSSMRA85T10A562T")
    (True, False)
    """
    odd = sum(_ODD_PLACES[character] for character in code[:15:2])
    even = sum(int(c) if c.isdigit() else ord(c) - 65 for c in code[1:15:2])
    return chr(65 + (odd + even) % 26) == code[15]


def passes_cpr(code: str) -> bool:
    """Return for a Danish CPR of ten digits whether it passes the test of eleven, as nearly all before 2007 do.

    >>> passes_cpr("0707614285"), passes_cpr("0707614286")
    (True, False)
    """
    return _sum(code, (4, 3, 2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0


def passes_birth_number(code: str) -> bool:
    """Return for a Norwegian birth number of eleven digits whether both check digits fit.

    >>> passes_birth_number("01010750160"), passes_birth_number("01010750161")
    (True, False)
    """
    first = _sum(code[:10], (3, 7, 6, 1, 8, 9, 4, 5, 2, 1)) % 11
    return first == 0 and _sum(code, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0


def passes_register(code: str) -> bool:
    """Return for a Belgian register number of eleven digits whether its last two fit, before 2000 or since.

    >>> passes_register("85073003328"), passes_register("85073003329")
    (True, False)
    """
    return any(97 - int(century + code[:9]) % 97 == int(code[9:]) for century in ("", "2"))


def passes_ean(code: str) -> bool:
    """Return for a Swiss AHV number of thirteen digits whether its last fits (EAN-13).

    >>> passes_ean("7569217076985"), passes_ean("7569217076986")
    (True, False)
    """
    return sum(int(digit) * (1 + 2 * (place % 2)) for place, digit in enumerate(code)) % 10 == 0


def passes_austrian(code: str) -> bool:
    """Return for an Austrian insurance number of ten digits whether the fourth fits.

    >>> passes_austrian("1237010180"), passes_austrian("1238010180")
    (True, False)
    """
    return _sum(code, (3, 7, 9, 0, 5, 8, 4, 2, 1, 6)) % 11 == int(code[3])
