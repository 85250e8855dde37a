"""Numbers that can't be distinguished by what is around them are skipped early: with equal results."""

import gzip
import json
import re
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.span import Span
from spark_deid.samples import sample_path
from spark_deid.text.patterns import PatternDetector, ages, dates, lists, places
from spark_deid.text.patterns.scan import Interval, TextScan

KINDS = ("age", "address", "postcode", "plate", "date", "phone", "code")
DETECTOR = PatternDetector(KINDS)
EVERYTHING = re.compile("")
WORDS = """
    12 63 5 2015 28013 10027-1234 93 year-old y/o months days of age aged Age: edad años -jährige ans d'âge de mujer
    PACIENTE pacıente ſeñora niña turned Alter İ plate license reg no stage placa Matrícula Kennzeichen AB ÄÖ-X A1
    number is no n° nº code Main Street St. Ave North Apt 4B rue la Paix bis route Lange Straße Hauptstr. weg Am C/
    Calle Mayor Avda. Plaza P.º n.º 2º A zip NY SW1A 1AA D- Madrid Monday mon Mon. Tue, Sat ( the den 14/03 13th March
    marzo may . , : - / ) # = MRN DNI tel. Phone +34 612 555 0147 x12
"""
FOUND = (
    *("Age: 63", "aged 63", "turning 63", "EDAD 63", "Alter: 63", "âgé 63", "âgée de 63 ans", "agé 63"),
    *("varón de 63 años", "un hombre de 63 años", "MUJER de 63 años", "pacıente de 63 años", "ſeñora de 63 años"),
    *("niño de 6 años", "63-year-old", "63 Y/O", "63 JAHRE ALT", "63 años de edad", "63-jährige", "6  months old"),
    *("63 ans d'âge", "6 days old", "6 weeks of age", "plate 7ABC123", "number plate is AB 12 CDE", "reg. AB12 CDE"),
    *("registration: ABC 123", "tag 7ABC123", "matrícula 1234 BCD", "matricula 1234 BCD", "placa ABC-123"),
    *("Kennzeichen M-AB 1234", "immatriculation AB-123-CD", "plaque AB-123-CD", "12 Main Street", "12 N. Oak Ave"),
    *("12-14 Oak Lane", "12A Oak Lane", "12, Oak Lane", "12 5th Ave", "5 rue de la Paix", "5 avenue Foch"),
    *(
        "5 boulevard Foch",
        "5 place Foch",
        "5 chemin Vert",
        "5 allée Foch",
        "5 impasse Foch",
        "5 quai Foch",
        "5bis rue Foch",
    ),
    *("5 ter rue Foch", "5 quater rue Foch", "5, route Foch", "5 bis cours Foch", "Lange Straße 7", "Hauptstr. 7"),
    *("Marktring 7", "Karlsplatz 7", "Steinweg 7", "Calle Mayor, 5", "C/ Mayor 5", "Cl/ Mayor 5", "Avda. Mayor 5"),
    *("Av. Mayor 5", "Avenida de la Paz 5", "Plaza Mayor 5", "Pl. Mayor 5", "Pza. Mayor 5", "Paseo del Prado 5"),
    *("P.º Mayor 5", "Camino Real 5", "Carretera Mayor 5", "Ctra. Mayor 5", "Ronda Mayor 5", "Travesía Mayor 5"),
    *(
        "Mon 14/03",
        "Friday the 13th",
        "montag, den 14.3.",
        "lundi le 14/03",
        "(Sat 14/03)",
        "MRN: 12345",
        "zip is 12345",
    ),
)
PIECES = st.sampled_from([*WORDS.split(), " ", "\n", "\t"])
TEXTS = st.lists(st.tuples(PIECES, st.sampled_from([" ", " ", "", "-", ", ", "\n"])), max_size=25).map(
    lambda rows: "".join(piece + joint for piece, joint in rows)
)


def every_run(scan: TextScan, cues: tuple[str, ...], reach: int) -> list[Interval]:
    return scan.runs


def weekday_before(text: str, start: int) -> int:
    names = "|".join(sorted(word for line in lists.read_lines("weekdays.txt") for word in line.split()))
    look_back = rf"(?<!\w)(?:{names})(?:\.?,? |\.?, ?| \()(?:the |el |den |dem |le )?$"
    match = re.search(look_back, text[max(0, start - 20) : start], re.IGNORECASE)
    return start - len(match[0]) if match else start


def obviously_introduced(text: str, start: int, words: frozenset[str]) -> bool:
    before = text[max(0, start - 32) : start].rstrip(" .:#=\t(/-").lower()
    if not before or not (before[-1].isalnum() or before[-1] == "°"):
        return False
    parts = re.findall(r"\w+°?", before[before.rfind("\n") + 1 :])
    while parts and parts[-1] in lists.read_lines("fillers.txt") and not {parts[-1], " ".join(parts[-2:])} & words:
        parts.pop()
    return bool(parts and {parts[-1], " ".join(parts[-2:])} & words)


def all_looked_at(text: str) -> tuple[Span, ...]:
    """Find the same with nothing skipped."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(TextScan, "runs_after", every_run)
        patched.setattr(ages, "_BEGINS", EVERYTHING)
        patched.setattr(places, "_AFTER_HOUSE", EVERYTHING)
        patched.setattr(places, "_may_end_street", lambda text, start: True)
        patched.setattr(dates, "_with_weekday", weekday_before)
        return DETECTOR.detect(text)


@pytest.mark.parametrize("text", FOUND)
def test_whatever_makes_something_of_a_number_is_a_candidate(text: str) -> None:
    found = DETECTOR.detect(f"It is {text}. ")
    assert found == all_looked_at(f"It is {text}. ")
    assert found


@given(TEXTS)
def test_candidates_hold_whatever_is_found(text: str) -> None:
    assert DETECTOR.detect(text) == all_looked_at(text)


@pytest.mark.parametrize("name", ["meddocan-dev", "mail"])
def test_candidates_hold_whatever_is_found_in_samples(name: str) -> None:
    with gzip.open(sample_path(name), "rt", encoding="utf-8") as lines:
        for line in islice(lines, 30):
            text = json.loads(line)["text"]
            assert DETECTOR.detect(text) == all_looked_at(text)


@given(TEXTS, st.sampled_from([frozenset(("age", "alter", "plate")), frozenset(("mrn", "reg no", "dni"))]))
def test_introductions_are_what_the_words_before_state(text: str, words: frozenset[str]) -> None:
    for start in range(0, len(text), 3):
        assert lists.is_introduced(text, start, words) == obviously_introduced(text, start, words)


@given(st.text("0123 ./()-,aé\u4e2d\U0001f600\ud800", max_size=16))
def test_numbers_are_chains_of_runs_of_digits(text: str) -> None:
    runs = re.compile("[0-9]+")
    chains = re.compile(r"[0-9]+(?>(?:[ ./()-]{1,3}[0-9]+)*)")
    scan = TextScan(text)
    assert scan.runs == [match.span() for match in runs.finditer(text)]
    assert scan.numbers == [match.span() for match in chains.finditer(text) if len(match[0]) >= 4]
