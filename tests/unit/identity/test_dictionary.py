"""What is known of a person finds more; words that tell a gender."""

import re
from random import Random

import pytest

from spark_deid.core.span import Span
from spark_deid.identity.dictionary import KnownValue, known_mentions
from spark_deid.identity.gendered import gendered_spans
from spark_deid.identity.recount.reading import PlacedEdit, gendered_words, published_values
from spark_deid.values.locale import ValueLocale
from spark_deid.values.name import read_name

KNOWN = [
    KnownValue("name", "NAME", "johnson, ann brown"),
    KnownValue("code", "MRN", "SH0222222"),
    KnownValue("postcode", "ZIP", "53710"),
    KnownValue("term", "CITY", "new york"),
]


def found(text: str, *spans: Span) -> list[tuple[str, str]]:
    return [(text[each.start : each.end], each.label) for each in known_mentions(text, spans, KNOWN)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann Johnson", [("Ann", "NAME"), ("Johnson", "NAME")]),
        ("JOHNSON", [("JOHNSON", "NAME")]),
        ("John\u00adson", [("John\u00adson", "NAME")]),
        ("Johnso\u0301n", [("Johnso\u0301n", "NAME")]),
        ("SH-0222\u200b222", [("SH-0222\u200b222", "MRN")]),
        ("Jhonson came", [("Jhonson", "NAME")]),
        ("Johnsn came", [("Johnsn", "NAME")]),
        ("Johnsson's", [("Johnsson", "NAME")]),
        ("Jansen came", []),
        ("johnson", []),
        ("Brown sputum, brown stool", []),
        ("Anna", []),
        ("sh-02-22222, SH 02 22222", [("sh-02-22222", "MRN"), ("SH 02 22222", "MRN")]),
        ("SH-02-222223", []),
        ("53710-1234 and 153710", [("53710-1234", "ZIP")]),
        ("New  York", [("New  York", "CITY")]),
    ],
)
def test_known_values_are_found(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


def test_what_is_marked_is_not_found_again() -> None:
    assert found("Ann Johnson", Span(0, 11, "NAME")) == []
    assert found("Ann Johnson", Span(0, 3, "NAME")) == [("Johnson", "NAME")]


def test_accents_are_not_needed() -> None:
    spans = known_mentions("São Paulo", [], [KnownValue("city", "CITY", "sao paulo")])
    assert [(each.start, each.end) for each in spans] == [(0, 9)]


def obvious(text: str, known: KnownValue) -> list[tuple[int, int]]:
    """Search for one value by an expression of its own."""
    if known.kind == "code":
        middle = r"[-./ _]{0,2}".join(map(re.escape, known.value))
    else:
        middle = r"[\W_]{1,3}".join(map(re.escape, known.value.split()))
    return [match.span() for match in re.finditer(rf"(?<![^\W_]){middle}(?![^\W_])", text, re.IGNORECASE)]


@pytest.mark.parametrize("seed", range(30))
def test_codes_and_terms_are_found_where_an_expression_finds_them(seed: int) -> None:
    random = Random(seed)
    text = "".join(random.choices(("aaa", "AAA", "bb", "1", "22", " ", "-", ".", ", ", "_", "  "), k=80))
    for kind, value in (("term", "aaa bb"), ("term", "bb"), ("term", "aaa"), ("code", "AAA1122"), ("code", "12222")):
        known = KnownValue(kind, "X", value)
        wanted = obvious(text, known) if kind == "code" or len(value) >= 3 else []
        reach, disjoint = 0, []
        for start, end in wanted:
            if start >= reach:
                disjoint.append((start, end))
                reach = end
        assert [(each.start, each.end) for each in known_mentions(text, [], [known])] == disjoint


@pytest.mark.parametrize("seed", range(20))
def test_names_are_found_where_words_of_a_text_are_these(seed: int) -> None:
    text = "".join(Random(seed).choices(("Ann", "Ann", "'", "’", "1", " ", "_", "é", "Bob", "-"), k=60))
    words = re.finditer(r"[^\W\d_]+(?:['’][^\W\d_]{2,})?", text)
    wanted = [match.span() for match in words if match[0] == "Ann"]
    assert [each[:2] for each in known_mentions(text, [], [KnownValue("name", "NAME", "ann")])] == wanted


def gendered(text: str) -> list[str]:
    return [text[each.start : each.end] for each in gendered_spans(text, [])]


def test_words_that_show_a_gender() -> None:
    text = "Mr. Lee, a gentleman: HE takes his pills. MS. LEE, s/he, women's HER2, miss, hymn, Sirs, hero."
    assert gendered(text) == ["Mr", "gentleman", "HE", "his", "MS", "s/he", "women"]
    assert gendered_words(text, []) == 7


@pytest.mark.parametrize(
    ("text", "told"), [("S\u00adhe said", "S\u00adhe"), ("so h\u200be did", "h\u200be"), ("\u2060Mr Lee", "\u2060Mr")]
)
def test_words_that_show_a_gender_are_read_as_they_look(text: str, told: str) -> None:
    assert gendered(text) == [told]
    assert gendered_words(text, []) == 1


@pytest.mark.parametrize("text", ["_he_ came", "he_said", "so_Mr_Lee", "x-his-y", "he2", "The", "HERs"])
def test_both_searches_for_gendered_words_see_the_same_borders(text: str) -> None:
    assert gendered_words(text, []) == len(gendered(text))


def test_edits_are_read_from_the_published_text() -> None:
    edits = [PlacedEdit(0, 3, "suppress", "[NAME]", "NAME"), PlacedEdit(7, 9, "recode", "[70-79]", "AGE")]
    published = "[NAME] is [70-79], he says"
    assert list(published_values(published, edits)) == [("AGE", "[70-79]")]
    assert gendered_words(published, edits) == 1
    tampered = "[NAME] is [60-69], he says"
    assert list(published_values(tampered, edits)) == [("AGE", "[60-69]")]


def test_the_label_of_what_is_a_name_and_a_city_is_always_the_first() -> None:
    both = [KnownValue("name", "PATIENT", "york, ann"), KnownValue("city", "CITY", "york")]

    assert [each.label for each in known_mentions("York", [], both)] == ["CITY"]


def test_words_occur_by_themselves_where_apostrophes_join_others() -> None:
    text = "O'York, York's, 'York', ²York, York_, a'b'York"

    found = [(each.start, each.end) for each in known_mentions(text, [], [KnownValue("name", "PATIENT", "york, ann")])]

    assert [text[start:end] for start, end in found] == ["York"] * len(found)
    # A superscript is read as its digit, and no digit is part of a word: a footnote's mark hides no name.
    places = ["York's", "York',", "York, York_", "York_"]
    assert [start for start, _ in found] == [text.index(place) for place in places]


def test_a_name_after_a_digit_is_found_however_the_digit_is_written() -> None:
    for digit in ("2", "²", "₂", "②", "２"):
        assert [each.start for each in known_mentions(f"{digit}York", [], [KnownValue("name", "PATIENT", "york, ann")])]


@pytest.mark.parametrize(
    ("text", "found"), [("xs/he", ["he"]), ("S/he, s/he", ["S/he", "s/he"]), ("3he _she_", ["she"])]
)
def test_words_that_show_a_gender_occur_between_marks(text: str, found: list[str]) -> None:
    assert gendered(text) == found


def test_a_name_two_letters_away_is_another() -> None:
    known = [KnownValue("name", "NAME", "martin, ann")]
    assert len(known_mentions("Seen: Matin", [], known)) == 1
    assert known_mentions("Seen: Matsin", [], known) == ()


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("Łukasz Wałęsa", "WALESA"),
        ("Ali Yıldız", "Yildiz"),
        ("Ali Yildiz", "YILDIZ"),
        ("Ali YILDIZ", "Yıldız"),
        ("Ann Sørensen", "SORENSEN"),
        ("Ann Weiss", "Weiß"),
        ("Ann Griﬃn", "Griffin"),
    ],
)
def test_names_are_found_by_their_base_letters(value: str, told: str) -> None:
    name = read_name(value, ValueLocale())
    assert name is not None
    spans = known_mentions(f"seen by {told}, again", [], [KnownValue("name", "NAME", name)])
    assert [span[:2] for span in spans] == [(8, 8 + len(told))]


def test_cities_are_found_by_their_base_letters() -> None:
    known = [KnownValue("city", "CITY", "lodz"), KnownValue("city", "CITY", "izmir")]
    spans = known_mentions("Łódź, LODZ, İZMİR, ızmir", [], known)
    assert [span[:2] for span in spans] == [(0, 4), (6, 10), (12, 17), (19, 24)]


@pytest.mark.parametrize("known", ["Ann O'Brien", "O’Brien, Ann", "Ann O\u02bcBrien"])
@pytest.mark.parametrize("told", ["O'Brien", "O’BRIEN", "O\u02bcBrien", "O´Brien", "O’Brein", "Ｏ'Ｂrien", "Brien"])
def test_names_with_an_apostrophe_are_found(known: str, told: str) -> None:
    value = read_name(known, ValueLocale())
    assert value is not None
    text = f"seen by {told}’s nurse"
    [span] = known_mentions(text, [], [KnownValue("name", "NAME", value)])
    assert told.endswith(text[span.start : span.end])
    assert span.end == 8 + len(told)
