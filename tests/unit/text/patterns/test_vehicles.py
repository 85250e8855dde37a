"""Identification numbers of vehicles, by their check digit or after words that state it."""

import pytest

import spark_deid as sd


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("VIN 1HGCM82633A004352 was", "1HGCM82633A004352"),
        ("vin: 1hgcm82633a004352.", "1hgcm82633a004352"),
        ("sample 1HGCM82633A004352 ok", "1HGCM82633A004352"),
        ("VIN: WVWZZZ1JZXW000001", "WVWZZZ1JZXW000001"),
        ("Chassis no. WVWZZZ1JZXW000001", "WVWZZZ1JZXW000001"),
        ("sample WVWZZZ1JZXW000001", ""),
        ("sample 1HGCM82634A004352", ""),
        ("VIN 1HGCM82633O004352", ""),
        ("x1HGCM82633A004352", ""),
        ("1HGCM82633A0043521", ""),
        ("VIN 1HGCM8263\u212aA004352", "1HGCM8263\u212aA004352"),
    ],
)
def test_a_number_of_seventeen_signs(text: str, found: str) -> None:
    spans = sd.detect(text, plan={"patterns": {"kinds": ["plate"]}})
    assert "".join(text[span.start : span.end] for span in spans) == found
