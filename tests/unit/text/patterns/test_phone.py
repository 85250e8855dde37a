import pytest

from spark_deid.text.patterns import PatternDetector


def found(text: str) -> list[str]:
    return [text[span.start : span.end] for span in PatternDetector(kinds=("phone",)).detect(text)]


@pytest.mark.parametrize(
    "number",
    [
        "(617) 555-0143",
        "617-555-0143",
        "617.555.0143",
        "1-800-555-1234",
        "+1 (202) 555-0143",
        "555-0199",
        "(555) 123-4567 x12",
        "617-555-0143, ext. 44",
        "+34 912 345 678",
        "0034 912 345 678",
        "91 234 56 78",
        "912 34 56 78",
        "912 345 678",
        "612345678",
        "020 7946 0958",
        "07700 900123",
        "01 23 45 67 89",
        "0171/1234567",
        "(0171) 123 45 67",
        "+49 (0)30 1234567",
        "+44 20 7946 0958",
        "617‑555‑0143",
        "＋３４ ９１２ ３４５ ６７８",
    ],
)
def test_phone_fires(number: str) -> None:
    assert found(f"or {number}, or") == [number]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tel.: 12 34 567", "12 34 567"),
        ("fax no. 123456", "123456"),
        ("Teléfono: (12) 345-678", "(12) 345-678"),
        ("pager 12/34567", "12/34567"),
    ],
)
def test_word_before_makes_any_grouping_a_phone(text: str, expected: str) -> None:
    assert found(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "120/80 and 98.6",
        "12 34 567",
        "117-555-01437",
        "2015-07-24",
        "24/07/2015",
        "12.345.678",
        "1 000 000",
        "0.912345678",
        "A617-555-0143",
        "5550199",
        "02 03 04",
        "588 ng/dl (270-1734)",
        "telephoned 12 patients",
    ],
)
def test_phone_near_miss(text: str) -> None:
    assert found(text) == []
