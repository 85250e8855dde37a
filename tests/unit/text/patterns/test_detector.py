import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spark_deid as sd
from spark_deid.core.errors import UsageError
from spark_deid.core.span import Span
from spark_deid.text.patterns import (
    ALL_KINDS,
    KINDS,
    CustomPattern,
    PatternDetector,
    PatternError,
)
from spark_deid.text.patterns.detector_kind import PatternsSettings
from spark_deid.text.patterns.scan import fold_signs
from tests.unit.text.patterns.machine import Steps
from tests.unit.text.patterns.steps import MODULES, CountedExpression, counting

ADVERSARIES = {
    "email": ("a@", "@", "a@a.", "a [at] ", "(at)a.", "[dot] a"),
    "url": ("www.a ", "a://)", "a.com?", ")"),
    "ip": ("::1 ", "1.1.", "0:"),
    "mac": ("0a0a.", "0a-", "0a:"),
    "phone": ("(1", "1 ", "900 ", "+(", "6l7-", "+1l ", "x1234 ", "ext. ", "pager 123 "),
    "ssn": ("123-", "1-", "(123)-", "l23-"),
    "card": ("4111-", "4", "41l1-"),
    "iban": ("ES91 ", "GB82A"),
    "date": ("3月", "12 mar ", "1/1/15-", "mar de ", "3-IV-", "3 IV ", "on 11/21 ", "in '09 ", "11/21-", "'"),
    "handle": ("@a", "@", "login: ", "/u/a", "skype"),
    "national": ("12.345.678-", "1 85 05 ", "AAAAAA85A", "000000 0000 ", "12345678 "),
    "partial_date": (
        "'09 ",
        "2015 ",
        "1/12 ",
        "1/12-",
        "Monday ",
        "Easter ",
        "fall ",
        "in the fall ",
        "Q3 ",
        "Mon-",
        "2014-",
        "week 1 ",
        "of 2014 ",
    ),
    "code": ("1234567-", "1111a", "MRN 12345 ", "id A ", "no. AB 1234 "),
    "age": ("63-", "aged 63 ", "age ", "58F with ", "A Lee (63) of ", ", 63, of A", "A a"),
    "age_over_89": ("93 year", "aged 93 "),
    "address": (
        "12 Main ",
        "1 rue de ",
        "Calle A ",
        "A-",
        "1 A St ",
        "Weg 1 ",
        "PO Box 1 ",
        "BP 1, ",
        "Rua A 1 ",
        "Via ",
        "Astraat 1 ",
        "As gate 1 ",
    ),
    "postcode": ("SW1A ", "12345 ", "NY ", ", 12345 A", "1, 1012 AB A", "1, 2100 Abc ", "1, 114 55 "),
    "plate": ("plate AB ", "AB-1", "A 1 "),
    "titled": ("Mr. A. ", "A.", "Dr van ", "Sir A B"),
}


def spans_of(detector: PatternDetector, text: str) -> list[tuple[str, str]]:
    return [(span.label, text[span.start : span.end]) for span in detector.detect(text)]


def test_spans_are_ordered_and_state_where_they_come_from() -> None:
    text = "On 24/07/2015 ann@example.org wrote; tel. 617-555-0143"
    assert PatternDetector().detect(text) == (
        Span(3, 13, "DATE", None, "patterns/date"),
        Span(14, 29, "EMAIL", None, "patterns/email"),
        Span(42, 54, "PHONE", None, "patterns/phone"),
    )


@pytest.mark.parametrize(
    ("text", "label"),
    [("SSN 123-45-6789", "SSN"), ("ID 617-555-0143", "PHONE"), ("card 4111111111111111", "CARD")],
)
def test_a_code_gives_way_to_what_states_more(text: str, label: str) -> None:
    assert [span.label for span in PatternDetector().detect(text)] == [label]


def test_a_code_longer_than_another_kind_remains() -> None:
    found = spans_of(PatternDetector(), "record 4111111111111111-9")
    assert ("CODE", "4111111111111111-9") in found


def test_only_the_chosen_kinds_fire() -> None:
    assert spans_of(PatternDetector(kinds=("email",)), "24/07/2015 a@b.com") == [("EMAIL", "a@b.com")]
    assert PatternDetector(kinds=()).detect("24/07/2015 a@b.com") == ()


@given(st.text(st.sampled_from("01239 -/.:@+()aAm\u2011\uff11\U0001d7d0\nx"), max_size=60))
def test_spans_are_in_the_text_and_are_not_empty(text: str) -> None:
    assert all(0 <= span.start < span.end <= len(text) for span in PatternDetector().detect(text))


@given(st.text(max_size=30))
def test_folding_keeps_every_offset(text: str) -> None:
    assert len(fold_signs(text)) == len(text)
    assert fold_signs(fold_signs(text)) == fold_signs(text)


def test_folding_knows_digits_of_every_script() -> None:
    assert fold_signs("１２ ٣٤ \U0001d7d3\u00a06\u20137") == "12 34 5 6-7"


def test_detector_is_small_and_travels() -> None:
    detector = PatternDetector(custom=(CustomPattern("WARD", r"W\d+"),))
    detector.detect("W7")
    data = pickle.dumps(detector)
    assert len(data) < 2000
    assert pickle.loads(data).detect("W7 a@b.com") == detector.detect("W7 a@b.com")


def test_a_custom_pattern_names_its_label_and_source() -> None:
    detector = PatternDetector(kinds=(), custom=(CustomPattern("STUDY_ID", r"S-\d{3}"),))
    assert detector.detect("in S-123.") == (Span(3, 8, "STUDY_ID", None, "patterns/custom-study_id"),)
    assert detector.names == ("custom-study_id",)


def test_a_group_named_span_is_what_a_custom_pattern_finds() -> None:
    detector = PatternDetector(kinds=(), custom=(CustomPattern("BED", r"bed (?P<span>\d+)"),))
    assert spans_of(detector, "bed 12, ward 13") == [("BED", "12")]


def test_context_words_are_needed_near_a_custom_pattern() -> None:
    pattern = CustomPattern("ROOM", r"\b\d{3}\b", context=("room", "habitación"), window=12)
    detector = PatternDetector(kinds=(), custom=(pattern,))
    text = "Room 101; at 9 o'clock, 102 mg; 103 (habitación); bedrooms 104"
    assert spans_of(detector, text) == [("ROOM", "101"), ("ROOM", "103")]


def test_all_mistakes_of_the_settings_are_reported_at_once() -> None:
    wrong = (
        CustomPattern("A", "("),
        CustomPattern("B", "x*"),
        CustomPattern("1", "x", context=(" ",), window=0),
    )
    with pytest.raises(UsageError) as caught:
        PatternDetector(kinds=("email", "fax"), custom=wrong)
    message = str(caught.value)
    assert "patterns.kinds[1]: expected one of email, url" in message
    assert "patterns.custom[0].pattern: expected a Python regular expression" in message
    assert "patterns.custom[1].pattern: expected one that does not match the empty string" in message
    assert all(f"patterns.custom[2].{field}:" in message for field in ("label", "context", "window"))


def test_no_pattern_repeats_a_group_possessively() -> None:
    # Before Python 3.11.5 such a repetition does not go back to the end of its last whole turn.
    for module in MODULES:
        for pattern in vars(module).values():
            if isinstance(pattern, re.Pattern):
                assert not re.search(r"\)(?:[*+?]|\{[0-9,]+\})\+", pattern.pattern)


def test_a_full_stop_after_a_number_is_left() -> None:
    found = PatternDetector().detect("SSN 123-45-6789. MRN 22-333-4444. Tel. 617-555-0143.")
    assert [(span.start, span.end) for span in found] == [(4, 15), (21, 32), (39, 51)]


def test_every_kind_has_its_adversaries() -> None:
    assert ADVERSARIES.keys() == KINDS.keys() > set(ALL_KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_steps_are_linear_on_adversarial_text(kind: str) -> None:
    detector = PatternDetector(kinds=(kind,))
    for piece in ADVERSARIES[kind]:
        small, large = (steps_of(detector, repeated(piece, size)) for size in (250, 1_000))
        # Four times the text: linear is 4, quadratic is 16.
        assert large < 6 * small


@pytest.mark.parametrize(
    "text",
    [
        "http://" + ")" * 5_000,
        "http://" + "(" * 2_500 + ")" * 2_500,
        "a" * 5_000 + "@" + "b." * 2_500,
        "1" * 5_000 + " marzo",
        " " * 5_000 + "1",
        "1-\n" * 2_000,
        "March\n2015 5,\n" * 500,
        "1~1" * 2_000,
        "&#49;" * 1_000,
        "a dot " * 1_000 + "com",
    ],
    ids=["closing", "brackets", "mail", "digits", "spaces", "breaks", "broken dates", "rows", "entities", "spoken"],
)
def test_long_monotonous_lines_take_about_as_many_steps_as_ordinary_text(text: str) -> None:
    detector = PatternDetector()
    ordinary = repeated("Seen on 24/07/2015 by Dr. Lee, tel. 617-555-0143, for a cough. ", 5_000)
    assert steps_of(detector, text) < 10 * steps_of(detector, ordinary)


def test_a_quadratic_expression_is_seen_by_its_steps() -> None:
    taken = []
    for size in (100, 800):
        steps = Steps()
        CountedExpression(re.compile("x+y"), steps).search("x" * size)
        taken.append(steps.taken)
    assert taken[1] > 50 * taken[0]


def repeated(piece: str, size: int) -> str:
    return (piece * (size // len(piece) + 1))[:size]


def steps_of(detector: PatternDetector, text: str) -> int:
    with counting() as steps:
        detector.detect(text)
    return steps.taken


@pytest.mark.parametrize("expression", ["(a|a)+$", "(a+)+b"])
def test_expressions_of_a_plan_end_in_time(expression: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark_deid.text.patterns.config.SECONDS", 0.05)
    plan = sd.Plan(patterns={"kinds": ["email"], "custom": [{"label": "WARD", "pattern": expression}]})
    place = re.escape("patterns.custom[0] (custom-ward) of the plan: a search of 3001 characters took more than")
    with pytest.raises(sd.SparkDeidError, match=place):
        sd.detect("a" * 3000 + "!", plan=plan)


def test_expressions_of_a_plan_end_before_they_take_all_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark_deid.text.patterns.config.SEARCH_BYTES", 16 << 20)
    settings = PatternsSettings.model_validate(
        {"kinds": [], "custom": [{"label": "WARD", "pattern": "(?:(a)|(b)|(ab)|(ba))*[cd]"}]}
    )
    with pytest.raises(PatternError, match="of the plan: a search of 400000 characters took more than 16 MB"):
        settings.detector().detect("ab" * 200_000)


def test_expressions_of_a_plan_that_compile_without_end_are_refused() -> None:
    pattern = "(?:" * 12 + "ab" + "){3}" * 12
    with pytest.raises(UsageError, match=r"patterns\.custom\[0\]\.pattern: expected .* this one is too large"):
        PatternsSettings.model_validate({"custom": [{"label": "WARD", "pattern": pattern}]}).detector()
