"""Short texts, terms named after people, and other words that are not names."""

import re

import pytest

from spark_deid.core.span import Span
from spark_deid.text.ordinary_words import _terms, refine_english
from spark_deid.text.short_texts import judge_short_text

ORDINARY_CELLS = (
    *(
        "ok",
        "no",
        "None",
        "plain",
        "hello",
        "see above",
        "ECG",
        "unknown",
        "asthma",
        "flu",
        "duplicate",
        "male",
        "F",
        "M",
    ),
    *(
        "Radiology",
        "Discharge Summary",
        "cash",
        "blue",
        "invoice",
        "NaN",
        "tbd",
        "cefalexin",
        "out of stock",
        "kg/m2",
        "C2",
    ),
)
NAMES = (
    *(
        "Smith",
        "Mark Brown",
        "mohammed ali khan",
        "JOHN HARRIS",
        "sarah",
        "Jodie Foster-Hall",
        "li na",
        "Zaydrian Moakes",
    ),
    *("thirunavukkarasu", "KRZYWONOS", "Hughes, T.", "Grace Bell"),
)


def kept(text: str, *marked: str, label: str = "NAME") -> list[str]:
    """Return what remains of marked pieces of a text."""
    spans = [Span(*found.span(), label) for each in marked for found in re.finditer(re.escape(each), text)]
    return [text[span.start : span.end] for span in refine_english(text, spans, source="model/words")]


@pytest.mark.parametrize("cell", ORDINARY_CELLS)
def test_a_cell_of_ordinary_words_remains(cell: str) -> None:
    assert kept(cell, cell) == []


@pytest.mark.parametrize("cell", NAMES)
def test_a_cell_with_a_name_is_hidden_whole(cell: str) -> None:
    words = judge_short_text(cell)
    assert words is not None
    assert [cell[word.start : word.end] for word in words if not word.is_hidden] == []


def test_a_longer_text_is_not_judged() -> None:
    assert judge_short_text("Seen by Ann Lee today") is None
    assert judge_short_text("") is None
    assert judge_short_text("x" * 100) is None


@pytest.mark.parametrize(
    ("text", "marked", "left"),
    [
        ("Dr. Fisher and Mrs. Hess agree on it.", ("Dr. Fisher", "Mrs. Hess"), ["Fisher", "Hess"]),
        ("SAH, Hunt and Hess grade 3, modified Fisher 4, seen.", ("Hunt", "Hess", "Fisher"), []),
        (
            "Child-Pugh B, Apgar 8 and 9, Ranson score 4, Braden 15.",
            ("Child-Pugh B", "Apgar", "Ranson", "Braden 15"),
            [],
        ),
        ("Dr. Foley inserted a Foley catheter today.", ("Foley",), ["Foley"]),
        ("Ann Murphy has a positive Murphy sign today.", ("Ann Murphy", "Murphy sign"), ["Ann Murphy"]),
        ("dave alport was out when we came back.", ("alport",), ["alport"]),
        ("Virchow's brother collected the ashes on Monday.", ("Virchow",), ["Virchow"]),
        ("Sex: F  Ward: C2  Name: Rose Hall  Bed: 4", ("Sex", "Ward", "Rose Hall", "Bed"), ["Rose Hall"]),
        ("seen by Murphy, RN and Mrs Smith MD in clinic", ("Murphy, RN", "Mrs Smith MD"), ["Murphy", "Smith"]),
        ("CARTS DROPPED OFF FOR UNITS TWO WITH DENISE AT FRONT DESK.", ("UNITS", "DENISE AT FRONT DESK"), ["DENISE"]),
        ("The code LK.4471-B was read by the scanner twice.", ("4471-B",), ["4471-B"]),
    ],
)
def test_ordinary_words_remain(text: str, marked: tuple[str, ...], left: list[str]) -> None:
    assert kept(text, *marked) == left


def test_abbreviations_of_organizations_are_hidden() -> None:
    assert kept("She works for BRX since the merger of both firms.", "BRX", label="ORGANIZATION") == ["BRX"]


def test_the_lists_have_five_hundred_terms() -> None:
    assert sum(map(len, _terms().values())) >= 500
