import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.text.patterns import PatternDetector
from spark_deid.text.patterns.check_digits import passes_luhn, passes_mod97


def found(kind: str, text: str) -> list[str]:
    return [text[span.start : span.end] for span in PatternDetector(kinds=(kind,)).detect(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SSN 123-45-6789.", ["123-45-6789"]),
        ("899 99 9999, then", ["899 99 9999"]),
        ("123‑45‑6789 with hyphens that do not break", ["123‑45‑6789"]),
        ("social security: 123456789", ["123456789"]),
        ("123-45-6789 234-56-7890", ["123-45-6789", "234-56-7890"]),
    ],
)
def test_ssn_fires(text: str, expected: list[str]) -> None:
    assert found("ssn", text) == expected


@pytest.mark.parametrize(
    "number",
    [
        "000-12-3456",
        "666-12-3456",
        "900-12-3456",
        "999-12-3456",
        "123-00-4567",
        "123-45-0000",
        "123-45 6789",
        "1123-45-6789",
        "123-45-67890",
        "1-123-45-6789",
        "123456789",
        "ssn 000123456",
        "ssn 123450000",
    ],
)
def test_ssn_that_was_never_issued_is_a_near_miss(number: str) -> None:
    assert found("ssn", f"no {number}, no") == []


@pytest.mark.parametrize(
    "number",
    ["4111 1111 1111 1111", "4111-1111-1111-1111", "4111111111111111", "378282246310005", "3782 822463 10005"],
)
def test_card_fires(number: str) -> None:
    assert found("card", f"paid with {number}, thanks") == [number]


@pytest.mark.parametrize(
    "number",
    [
        "4111 1111 1111 1112",
        "4111 1111-1111 1111",
        "41111111111111111111",
        "0000 0000 0000 0000",
        "9111 1111 1111 1111",
        "4111 1111 1111",
        "411111 1111111111",
    ],
)
def test_card_near_miss(number: str) -> None:
    assert found("card", f"not {number}, no") == []


@given(st.text("0123456789", min_size=1, max_size=18))
def test_exactly_one_luhn_digit_fits(digits: str) -> None:
    assert sum(passes_luhn(digits + check) for check in "0123456789") == 1


@pytest.mark.parametrize(
    "number",
    [
        "ES91 2100 0418 4502 0005 1332",
        "GB82WEST12345698765432",
        "de89 3704 0044 0532 0130 00",
        "NO93 8601 1117 947",
        "FR1420041010050500013M02606",
    ],
)
def test_iban_fires(number: str) -> None:
    assert found("iban", f"IBAN: {number}.") == [number]


@pytest.mark.parametrize(
    "number",
    [
        "ES91 2100 0418 4502 0005 1333",
        "GB82WEST1234569876543",
        "GB82WEST123456987654321",
        "ZZ82WEST12345698765432",
        "XGB82WEST12345698765432",
        "ES91  2100 0418 4502 0005 1332",
    ],
)
def test_iban_near_miss(number: str) -> None:
    assert found("iban", f"IBAN: {number}.") == []


def test_swapped_characters_fail_the_iban_check() -> None:
    assert passes_mod97("ES9121000418450200051332")
    assert not passes_mod97("ES9121000418450200051323")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("NHC: 2986453.", ["2986453"]),
        ("NASS: 34 69518475 31.", ["34 69518475 31", "69518475"]),
        ("NºCol: 20 20 58558.", ["20 20 58558"]),
        ("MRN# 4821, ID: A-4821", ["4821", "A-4821"]),
        ("DNI 12345678Z", ["12345678Z"]),
        ("ref HC-2019-0012345/B here", ["HC-2019-0012345/B"]),
        ("medical record number is 48213", ["48213"]),
        ("passport no. X1234567", ["X1234567"]),
        ("case 12345 65 years", ["12345"]),
        ("specimen at P17-75692,", ["P17-75692"]),
        ("job 7526-223740", ["7526-223740"]),
        ("see 7526-223740 now", ["7526-223740"]),
        ("file ００１２３４５６", ["００１２３４５６"]),
    ],
)
def test_code_fires(text: str, expected: list[str]) -> None:
    assert sorted(found("code", text)) == sorted(expected)


@pytest.mark.parametrize(
    "text",
    [
        "platelets 250000",
        "1234567/mm3",
        "2500000 copies",
        "3.14159265",
        "0,12345678",
        "record 2015 was long",
        "MRN pending, 12345 steps",
        "identified 12345",
        "from 2010-2015",
        "T12-L1 and C5-6",
        "ID: 12",
        "MRN\n12345",
    ],
)
def test_code_near_miss(text: str) -> None:
    assert found("code", text) == []
