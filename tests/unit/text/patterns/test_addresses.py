"""Addresses as a whole: flats, towns, regions and postcodes next to streets, and streets in other forms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.text.patterns import PatternDetector


def longest(text: str) -> str:
    spans = PatternDetector(kinds=("address",)).detect(text)
    return max((text[span.start : span.end] for span in spans), key=len, default="")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("at 2209 SW Quail Hollow Ct, Unit 6, Topeka KS 66614. B", "2209 SW Quail Hollow Ct, Unit 6, Topeka KS 66614"),
        ("apt (88 Tamarack Loop #3B, Bozeman).", "88 Tamarack Loop #3B, Bozeman"),
        ("porch of 17 Voyageur Rd, Ely, MN. Nils", "17 Voyageur Rd, Ely, MN"),
        ("transport to 6 Ivy Bank, Otley", "6 Ivy Bank, Otley"),
        ("posted to Flat 2/1, 14 Biggiesknowe, EH45 8HS rather", "Flat 2/1, 14 Biggiesknowe, EH45 8HS"),
        ("to 3 Tenter Row, Skelby, near Whitehaven, CA28 6ZX. GP", "3 Tenter Row, Skelby, near Whitehaven, CA28 6ZX"),
        ("x\nStation Road, Wickham Episcopi, SN14 9ZZ\nTel", "Station Road, Wickham Episcopi, SN14 9ZZ"),
        ("112 Gertrude Lane, Brunswick East VIC 3057, own", "112 Gertrude Lane, Brunswick East VIC 3057"),
        ("tonight at Flat 9, Tolver Court, TR1 9QQ. HTT", "Flat 9, Tolver Court, TR1 9QQ"),
        ("112 Commercial Street, Maesteg CF34\n\nName", "112 Commercial Street, Maesteg CF34"),
        ("1190 Old Mill Rd.\nRhinebeck, NY 12572\n", "1190 Old Mill Rd.\nRhinebeck, NY 12572"),
        ("77 Coquina Key Ln, Lot 9, Ruskin, Fla.\nSept", "77 Coquina Key Ln, Lot 9, Ruskin, Fla."),
        ("CALLER: Fourteen ten Lolo Street, upstairs", "Fourteen ten Lolo Street"),
        ("lives at one seventeen Poplar now", "one seventeen Poplar"),
        ("91-1120 kaihuopalaai st, ewa beach 96706.", "91-1120 kaihuopalaai st, ewa beach 96706"),
        ("lives at 22 elm road with", "22 elm road"),
        ("at 14/203 Wattle Lane, Perth WA 6000", "14/203 Wattle Lane, Perth WA 6000"),
        ("12 Oak Lane, Tuesday at noon", "12 Oak Lane"),
        ("12 Oak Lane, Mr Smith came", "12 Oak Lane"),
        ("12 Oak Lane, Sarah, came", "12 Oak Lane"),
        ("Seen by Dr Smith, Leeds, LS1 4AB", "Leeds, LS1 4AB"),
    ],
)
def test_address_fires_whole(text: str, address: str) -> None:
    assert longest(text) == address


@pytest.mark.parametrize(
    "text",
    [
        *("in Spring 2020", "a 20 minute drive, then", "2 way street", "10 mile road", "lives at one thirty Monday"),
        *(
            "ward 5 blood bank, then",
            "3 Food Bank visits",
            "Vitamin B12 3AB",
            "Given 12 units st, then",
            "ratio 3/10 Main",
        ),
        *("two hundred Street people", "30 second street fight"),
    ],
)
def test_other_words_are_no_addresses(text: str) -> None:
    assert longest(text) == ""


@given(st.integers(1, 9999), st.sampled_from(("Oak Lane", "Elm St", "Mill Rd")), st.sampled_from(("VT", "OH", "TX")))
def test_a_town_with_its_state_and_zip_belongs_to_the_street(house: int, street: str, state: str) -> None:
    address = f"{house} {street}, Springfield, {state} 05156"
    assert longest(f"lives at {address} now") == address
