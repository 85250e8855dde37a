"""National numbers, streets and postal codes of Western Europe and Brazil."""

import pytest

from spark_deid.text.patterns import PatternDetector


def found(kind: str, text: str) -> list[str]:
    return [text[span.start : span.end] for span in PatternDetector(kinds=(kind,)).detect(text)]


NUMBERS = [
    *("12.345.678-Z", "12345678Z", "X-1234567-L", "28 12345678 40", "28/12345678/40", "2100 0418 45 0200051332"),
    *("529.982.247-25", "11.444.777/0001-61", "2 69 05 49 588 157 80", "86 095 742 719", "15 070649 C 103"),
    *("1234.56.782", "RSSMRA85T10A562S", "RSS MRA 85T10 A562S", "070761 4285", "811228-9874", "19811228-9874"),
    *("811228+9874", "010107 50160", "85.07.30-033.28", "756.9217.0769.85", "1237 010180", "00000000 0 ZZ4"),
]
"""Examples that the countries' authorities or handbooks give, or made by their rules."""


@pytest.mark.parametrize("number", NUMBERS)
def test_a_national_number_fires_and_with_another_digit_does_not(number: str) -> None:
    assert found("national", f"it is {number}, so") == [number]
    last = next(place for place in reversed(range(len(number))) if number[place].isdigit())
    other = number[:last] + str((int(number[last]) + 1) % 10) + number[last + 1 :]
    assert found("national", f"it is {other}, so") == []
    assert found("national", f"it is A{number}7, so") == []


ADDRESSES = [
    *("C/ Matahacas, 18", "Carretera Toledo 28905"),
    *("C/ Virgen de la Cabeza, 62", "Av. Mirasierra, 16"),
    *("Rua das Flores, 12", "Avenida da Liberdade 25", "Travessa do Carmo, n.º 4", "Via Roma 12", "Viale dei Mille, 5"),
    *("Piazza San Marco 3", "Corso Vittorio Emanuele 11", "Kalverstraat 12", "Prins Hendrikkade 3", "Vesterbrogade 12"),
    *(
        "45 Mount. Pleasant Road",
        "14 Fort. Hill Drive",
        "12 Oak Dr",
        "9 KILBURN SQ #2",
        "12 Elm Street. North",
    ),
    *("Hasselvej 6", "Rosenlundsgatan 13", "Karl Johans gate 12", "Storgata 4", "Södra Vägen 7"),
]


@pytest.mark.parametrize("street", ADDRESSES)
def test_a_street_fires(street: str) -> None:
    assert found("address", f"at {street}, since") == [street]


@pytest.mark.parametrize(
    "text",
    [
        "navigate 12 turns, at gate 12, the gate 5, Brigade 12",
        "via email 12 times, via Smith 12, Rua without a number",
        "corsa 12, Largo 3",
        "3 drains. Dr. Lee, Lipitor 80, Toprol. Saw Dr Okonkwo",
        "3 DAYS AGO HAD CHEST CT  NO PE, 5 DAY CT #2, 1 MM ST  DEPRESSION, 2 UNITS FFP BY DR  LEE",
        "Via Verde, CEP 69.915-631",
        "omkring 100.000, gering 158,00, hearing 13.07.2021",
    ],
)
def test_no_street_is_found(text: str) -> None:
    assert found("address", text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Kalverstraat 12, 1012 AB Amsterdam", ["1012 AB"]),
        ("Rua das Flores 12, 1000-205 Lisboa", ["1000-205"]),
        ("Storgatan 5, 114 55 Stockholm", ["114 55"]),
        ("Vesterbrogade 12\n1620 København", ["1620"]),
        ("DK-2100 København, B-1050 Bruxelles", ["DK-2100", "B-1050"]),
        ("CEP 01310-100, CAP: 00184", ["01310-100", "00184"]),
    ],
)
def test_a_postal_code_fires(text: str, expected: list[str]) -> None:
    assert found("postcode", text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "March 12, 2015 Congress; April 6, 1590 Monday",
        "at 12, 1000 MG of it, 2100 patients",
        "took 12, 2015 Annual",
        "pages 1000-205 of Smith, 114 55 times",
    ],
)
def test_no_postal_code_is_found(text: str) -> None:
    assert found("postcode", text) == []
