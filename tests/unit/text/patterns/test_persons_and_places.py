"""Ages, addresses, postal codes, plates and titles: each with what it finds and with near misses."""

import pytest

from spark_deid.text.patterns import ALL_KINDS, PatternDetector


def found(kind: str, text: str) -> list[str]:
    return [text[span.start : span.end] for span in PatternDetector(kinds=(kind,)).detect(text)]


FIRES = [
    ("age", "a 63-year-old man", ["63-year-old"]),
    ("age", "63 y/o, 7 yo and 5 y.o. boys", ["63 y/o", "7 yo", "5 y.o."]),
    ("age", "aged 63, Age: 41 years", ["63", "41 years"]),
    ("age", "at the age of 12 she turned 13.", ["12", "13"]),
    ("age", "62 years old, 18 month-old", ["62 years old", "18 month-old"]),
    ("age", "Edad: 45 años; varón de 33 años con fiebre", ["45 años", "33 años"]),
    ("age", "eine 63-jährige Frau, 70 Jahre alt", ["63-jährige", "70 Jahre alt"]),
    ("age", "âgée de 58 ans", ["58 ans"]),
    ("age", "She is 76, works. HE WAS 41.\nI am 68 now; I'm 9", ["76", "41", "68", "9"]),
    ("age", "The patient is 33 and well (she's 80), who is 5.\r\n", ["33", "80", "5"]),
    ("age", "Ich bin 44 und er ist 50.", ["44", "50"]),
    ("age_over_89", "aged 89, 93-year-old, 90 y/o", ["93-year-old", "90 y/o"]),
    ("address", "lives at 12 Main Street, Apt 4 now", ["12 Main Street, Apt 4"]),
    ("address", "1600 Pennsylvania Ave NW, then", ["1600 Pennsylvania Ave NW"]),
    ("address", "at 221B Baker St. in", ["221B Baker St."]),
    ("address", "350 W 42nd St today", ["350 W 42nd St"]),
    ("address", "vive en Calle Mayor, 5, 2º A de", ["Calle Mayor, 5, 2º A"]),
    ("address", "Avda. de la Constitución 23", ["Avda. de la Constitución 23"]),
    ("address", "wohnt Lange Straße 7a in", ["Lange Straße 7a"]),
    ("address", "Hauptstr. 12, Bonn", ["Hauptstr. 12, Bonn"]),
    ("address", "au 3 rue du Faubourg Saint-Honoré", ["3 rue du Faubourg Saint-Honoré"]),
    ("address", "12 bis, avenue de l'Opéra", ["12 bis, avenue de l'Opéra"]),
    ("postcode", "New York, NY 10027-1234", ["10027-1234"]),
    ("postcode", "London SW1A 1AA or M1 1AE", ["SW1A 1AA", "M1 1AE"]),
    ("postcode", "Calle Mayor 5, 28013 Madrid", ["28013"]),
    ("postcode", "Hauptstr. 12\n53111 Bonn", ["53111"]),
    ("postcode", "D-53111 Bonn", ["D-53111"]),
    ("postcode", "ZIP: 90210; código postal 08001", ["90210", "08001"]),
    ("plate", "license plate 7ABC123 was", ["7ABC123"]),
    ("plate", "Plate: AB12 CDE.", ["AB12 CDE"]),
    ("plate", "Kennzeichen B-MW 4321", ["B-MW 4321"]),
    ("plate", "matrícula 1234 BCD", ["1234 BCD"]),
    ("code", "application no. 18403/91 was", ["18403/91"]),
    ("code", "applications nos. 18403/91 and", ["18403/91"]),
    ("code", "file no: 2019-4411, docket 19-20331", ["2019-4411", "19-20331"]),
    ("titled", "seen by Dr. A. Lee and Mrs van Dyke", ["A. Lee", "van Dyke"]),
    ("titled", "Mr John Q. Public came", ["John Q. Public"]),
    ("titled", "signed J. R. Hartley", ["J. R. Hartley"]),
    ("date", "Monday, 3 March or Tue 14/03", ["Monday, 3 March", "Tue 14/03"]),
    ("date", "on Friday the 13th at 10:30", ["Friday the 13th"]),
    ("date", "Thursday, March 12, 2015", ["Thursday, March 12, 2015"]),
    ("date", "el viernes, 12 de marzo", ["viernes, 12 de marzo"]),
]

MISSES = [
    ("age", "63 years ago, for 5 years, 12 months later"),
    ("age", "3 años de evolución, hace 5 años"),
    ("age", "page 63, aged 1990, age 63%"),
    ("age", "stage 3, package 12, teenage 15"),
    ("age", "130-year-old tree"),
    ("age", "She is 2 weeks after, he was 37.5, is 41, I am 5th, this is 12, he is 130."),
    ("age", "she is 80% of that; he is 3/5, he was 4 of them. She's 10:30, whoever is 7, I am 40-ish"),
    ("age_over_89", "89-year-old, aged 12, 92 days old"),
    ("address", "5 Main points, 12 Patients were seen"),
    ("address", "in 2015 Park Avenue reopened"),
    ("address", "took 20 mg in Street"),
    ("address", "Calle Mayor without a number"),
    ("address", "los 12 del camino"),
    ("address", "3 route changes"),
    ("postcode", "12345 patients, 54321 Euro in total"),
    ("postcode", "T12 3AB and XX1 1AA, B12 5MG"),
    ("postcode", "about 28013 Madrid citizens"),
    ("postcode", "zipped 90210"),
    ("plate", "7ABC123 alone, plate tectonics 2015"),
    ("plate", "plate 12, plate ABC"),
    ("titled", "dr smith, Mr. and others, A. And"),
    ("titled", "Vitamin B. The rest, U.S. Army"),
    ("date", "Monday 5 patients, Sat 98%"),
    ("date", "sunny 4/03, fried 3rd"),
]


@pytest.mark.parametrize(("kind", "text", "expected"), FIRES)
def test_it_fires(kind: str, text: str, expected: list[str]) -> None:
    assert found(kind, text) == expected


@pytest.mark.parametrize(("kind", "text"), MISSES)
def test_it_does_not_fire_on_a_near_miss(kind: str, text: str) -> None:
    assert found(kind, text) == []


def test_all_kinds_leaves_out_titles_and_what_ages_hold() -> None:
    assert {"age", "address", "postcode", "plate"} < set(ALL_KINDS)
    assert not {"titled", "age_over_89"} & set(ALL_KINDS)
    labels = {span.label for span in PatternDetector().detect("Dr. Lee, 93-year-old, of 12 Main Street")}
    assert labels == {"AGE", "ADDRESS"}
