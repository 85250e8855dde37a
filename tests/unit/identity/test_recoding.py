"""The view generalized, and counted again by code of its own."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from spark_deid.anonymity.models import read_models
from spark_deid.anonymity.recoding_modes import RecodingMode
from spark_deid.core.document import Document, LinkedMention
from spark_deid.core.edit import Edit
from spark_deid.core.kinds import SuppressedSpan
from spark_deid.core.span import Span
from spark_deid.identity.generalized_values import ancestors_of, covers_value, is_publishable, write_value
from spark_deid.identity.recode import recode
from spark_deid.identity.recount.counting import RecountedPerson, count_class
from spark_deid.identity.recount.covering import canonical_label, is_covered, value_in
from spark_deid.ontology.hierarchy import parse_hierarchy
from tests.unit.identity.in_memory import HeldValues, IdentifierView, ViewRecodingSettings, generalize

KINDS = {"age": "age", "gender": "gender", "zip": "postcode", "birth_date": "date", "city": "term"}


def how(models: str, recoding: dict[str, RecodingMode] | None = None, **lines: str) -> ViewRecodingSettings:
    hierarchies = {name: parse_hierarchy(text, name) for name, text in lines.items()}
    return ViewRecodingSettings(read_models(models), KINDS, hierarchies, recoding or {})


def view(sensitive: Sequence[tuple[int, str]] = (), **quasi: Sequence[str | None]) -> IdentifierView:
    columns = {name: pa.array(values, pa.string()) for name, values in quasi.items()}
    held = HeldValues(np.array([p for p, _ in sensitive], np.int64), pa.array([v for _, v in sensitive], pa.string()))
    return IdentifierView(len(next(iter(columns.values()))), columns, (held,) if sensitive else ())


def test_table_1_of_the_paper() -> None:
    given = view(
        [(0, "ht"), (1, "obesity"), (2, "hep"), (3, "stress")],
        zip=["53710", "53711", "53712", "53712"],
        gender=["male", "male", "female", "female"],
        age=["25", "28", "26", "28"],
    )
    shown = generalize(given, how("k=2,l=2", {"age": RecodingMode.REGION, "zip": RecodingMode.TIGHT}))
    assert shown["zip"].to_pylist() == ["[53710-53711]", "[53710-53711]", "53712", "53712"]
    assert shown["gender"].to_pylist() == ["male", "male", "female", "female"]
    assert shown["age"].to_pylist() == ["[25-28]"] * 4


def test_a_hierarchy_s_bands_are_shown() -> None:
    lines = "\n".join(f"{age};[{age // 10 * 10}-{age // 10 * 10 + 9}];*" for age in range(70, 90))
    shown = generalize(view(age=["77", "71", "79", "85"]), how("k=2", age=lines))
    assert shown["age"].to_pylist() == ["*"] * 4
    shown = generalize(view(age=["77", "71", "85", "85"]), how("k=2", age=lines))
    assert shown["age"].to_pylist() == ["[70-79]", "[70-79]", "85", "85"]


def test_too_few_or_too_much_equally_show_nothing() -> None:
    assert generalize(view(age=["77"]), how("k=2"))["age"].to_pylist() == [None]
    alike = view([(0, "x"), (1, "x"), (2, "y")], age=["1", "2", "3"])
    assert generalize(alike, how("k=2,frequency-l=2"))["age"].to_pylist() == [None] * 3


def test_who_has_no_sensitive_value_counts_as_a_person() -> None:
    shown = generalize(view([(0, "x")], age=["1", "2", "8", "9"]), how("k=2,frequency-l=2"))
    assert shown["age"].to_pylist() == ["[0-4]", "[0-4]", "[5-9]", "[5-9]"]


def random_view(random: np.random.Generator) -> IdentifierView:
    n = int(random.integers(2, 60))
    gone = random.random((3, n)) < random.choice([0.0, 0.3])
    ages = [None if g else str(v) for v, g in zip(random.integers(0, 99, n), gone[0], strict=True)]
    genders = [None if g else str(v) for v, g in zip(random.choice(["female", "male"], n), gone[1], strict=True)]
    days = [f"19{y:02d}-0{m}-1{m}" for y, m in zip(random.integers(10, 99, n), random.integers(1, 9, n), strict=True)]
    births = [None if g else day for day, g in zip(days, gone[2], strict=True)]
    held = {(int(p), str(v)) for p, v in zip(random.integers(0, n, n), random.choice(list("uvwxyz"), n), strict=True)}
    return view(sorted(held), age=ages, gender=genders, birth_date=births)


@pytest.mark.parametrize("seed", range(40))
def test_classes_hold_when_they_are_counted_again(seed: int) -> None:
    random = np.random.default_rng(seed)
    given = random_view(random)
    k = int(random.integers(2, 6))
    shown = generalize(given, how(f"k={k},frequency-l=2"))
    names = list(given.quasi)
    rows = list(zip(*(given.quasi[name].to_pylist() for name in names), strict=True))
    after = list(zip(*(shown[name].to_pylist() for name in names), strict=True))
    held: dict[int, list[tuple[str, str]]] = {}
    for person, value in zip(given.sensitive[0].persons.tolist(), given.sensitive[0].values.to_pylist(), strict=True):
        held.setdefault(person, []).append(("s", value))
    for told in set(after):
        members = [p for p, each in enumerate(after) if each == told]
        persons = [
            RecountedPerson(
                rows[p],
                tuple(
                    (c, canonical_label(v))
                    for c, v in enumerate(told)
                    if v and is_publishable(v) and rows[p][c] is not None
                ),
                tuple(held.get(p, ())),
            )
            for p in members
        ]
        labels = [None if each is None else canonical_label(each) for each in told]
        counted = count_class(names, labels, persons, {}, k=k, shares=(Fraction(1, 2),))
        if any(labels):
            assert (counted.few, counted.foreign, counted.uncovered, counted.linked) == (0, 0, 0, 0)


@pytest.mark.parametrize("seed", range(40))
def test_one_level_for_all_holds_when_it_is_counted_again(seed: int) -> None:
    random = np.random.default_rng(seed)
    given = random_view(random)
    k, suppression = int(random.integers(2, 5)), float(random.choice([0.0, 0.2]))
    asked = replace(how(f"k={k},frequency-l=2"), algorithm="incognito", suppression=suppression)
    shown = generalize(given, asked)
    rows = list(zip(*(given.quasi[name].to_pylist() for name in given.quasi), strict=True))
    after = list(zip(*(shown[name].to_pylist() for name in given.quasi), strict=True))
    held: dict[int, set[str]] = {}
    for person, value in zip(given.sensitive[0].persons.tolist(), given.sensitive[0].values.to_pylist(), strict=True):
        held.setdefault(person, set()).add(value)
    hidden = [p for p, told in enumerate(after) if not any(told)]
    assert len(hidden) <= suppression * given.persons or len(hidden) == given.persons
    for told in set(after) if len(hidden) < given.persons else ():
        members = [p for p, each in enumerate(after) if each == told]
        assert len(members) >= k
        most = max((sum(value in held.get(p, ()) for p in members) for value in "uvwxyz"), default=0)
        assert 2 * most <= len(members)
        if any(told):
            assert all(
                value is None or is_covered(value, canonical_label(label), None)
                for p in members
                for value, label in zip(rows[p], told, strict=True)
                if label is not None
            )


def test_one_level_for_all_is_the_least_that_satisfies() -> None:
    asked = replace(how("k=2"), algorithm="incognito")
    given = view(age=["21", "22", "31", "32", "33"], zip=["53710", "53711", "53720", "53721", "53722"])
    shown = generalize(given, asked)
    assert shown["age"].to_pylist() == ["[20-24]", "[20-24]", "[30-34]", "[30-34]", "[30-34]"]
    assert shown["zip"].to_pylist() == ["5371*", "5371*", "5372*", "5372*", "5372*"]


def test_few_people_may_be_suppressed_if_they_are_k() -> None:
    given = view(age=["21"] * 6 + ["51", "52", "71", "72"])
    asked = replace(how("k=4"), algorithm="incognito", suppression=0.4)
    assert generalize(given, asked)["age"].to_pylist() == ["21"] * 6 + [None] * 4
    fewer = replace(asked, suppression=0.3)
    assert None not in generalize(given, fewer)["age"].to_pylist()


def people(*ages: str, shown: str = "[70-79]") -> list[RecountedPerson]:
    return [RecountedPerson((age,), ((0, shown),), (("s", str(n)),)) for n, age in enumerate(ages)]


def counted(persons: Sequence[RecountedPerson], k: int = 3, label: str = "[70-79]") -> tuple[int, int, int, int]:
    found = count_class(["age"], [label], persons, {}, k=k, shares=(Fraction(1, 2),))
    return found.few, found.foreign, found.uncovered, found.linked


def test_a_class_of_k_holds_and_one_of_k_less_1_does_not() -> None:
    assert counted(people("70", "75", "79")) == (0, 0, 0, 0)
    assert counted(people("70", "75"))[0] == 2


def test_another_class_s_value_is_found() -> None:
    persons = [*people("70", "75", "79"), *people("77", shown="[75-90]")]
    assert counted(persons)[1] == 1


def test_a_value_that_its_class_does_not_cover_is_found() -> None:
    assert counted(people("70", "75", "79", "80"))[2] == 1


def test_who_shows_what_covers_too_few_is_found() -> None:
    persons = [*people("70", "75", "79")[:2], RecountedPerson(("79",), ((0, "79"),))]
    few, foreign, _, _ = counted(persons)
    assert few == 3
    assert foreign == 1


def test_a_sensitive_value_of_more_than_half_is_found() -> None:
    persons = [person._replace(sensitive=(("s", "x"),)) for person in people("70", "75", "79")]
    assert counted(persons)[3] == 1
    assert counted([*persons, *people("71", "72", "73")])[3] == 0


def test_too_few_sensitive_values_are_found() -> None:
    persons = people("70", "75", "79", "71")
    for number, person in enumerate(persons):
        persons[number] = person._replace(sensitive=(("s", "x" if number < 2 else "y"),))
    for least, linked in ((2, 0), (3, 1)):
        found = count_class(["age"], ["[70-79]"], persons, {}, k=3, shares=(), distinct={"s": least})
        assert found.linked == linked
    assert count_class(["age"], ["[70-79]"], persons, {}, k=3, shares=(), distinct={"other": 1}).linked == 1


def test_what_is_not_shown_covers_anything() -> None:
    persons = [RecountedPerson((age,), ()) for age in ("1", "50", "99")]
    assert counted(persons, label="[1-99]") == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("value", "label", "expected"),
    [
        ("77", "[70-79]", True), ("80", "[70-79]", False), ("77", "77", True), ("7", "[70-79]", False),
        ("2001-06-22", "[2001-01-01..2001-12-31]", True), ("2002-06-22", "[2001-01-01..2001-12-31]", False),
        ("a", "{a, b}", True), ("a b", "{a, b}", False), ("a", "{ab, c}", False),
        ("male", "female", False), ("53710", "[53710-53711]", True),
        ("-5", "[-9..-1]", True), ("77", "{missing, [70-79]}", True), ("x", "*", True),
        ("53710", "537**", True), ("53810", "537**", False), ("5371", "537**", False), ("2001-06-22", "2001-06", True),
        ("2001-06-22", "2001", True), ("2001-06-22", "2002", False), ("2001-06-22", "[2000-2009]", True),
        ("1999-06-22", "[2000-2009]", False), ("20010", "2001", False),
    ],
)  # fmt: skip
def test_both_readings_of_what_a_label_covers_agree(value: str, label: str, expected: bool) -> None:
    assert is_covered(value, label, None) is expected
    if is_publishable(label) and "-9" not in label:
        assert covers_value(label, value) is expected


def test_partial_dates_are_covered_by_all_of_their_days() -> None:
    assert covers_value("[2001-01-01..2001-12-31]", "2001")
    assert covers_value("[2001-06-01..2001-12-31]", "2001-06")
    assert not covers_value("[2001-06-02..2001-12-31]", "2001-06")
    assert not covers_value("[2001-01-01..2001-06-30]", "2001")
    assert not covers_value("[2001-01-01..2001-12-31]", "--06-22")


def test_hierarchies_cover_what_is_under_a_label() -> None:
    above = ancestors_of({"city": parse_hierarchy("lyon;France;*\nnice;France;*\nrome;Italy;*", "city")})["city"]
    assert covers_value("France", "lyon", above)
    assert not covers_value("France", "rome", above)
    assert not covers_value("France", "oslo", above)


def test_a_missing_value_is_covered_by_what_reports_it() -> None:
    assert is_covered(None, "{missing, [70-79]}", None)
    assert not is_covered(None, "[70-79]", None)


@pytest.mark.parametrize(
    ("surface", "kind", "label", "written"),
    [
        ("77 year old", "age", "[70-79]", "[70-79] year old"), ("77-year-old", "age", "[70-79]", "[70-79]-year-old"),
        ("seventy-seven", "age", "[70-79]", "[70-79]"), ("77", "age", "77", "[77]"),
        ("18 months", "age", "1", "[1] year"), ("8mo", "age", "[0-4]", "[0-4] years"),
        ("six-week-old", "age", "[0-4]", "[0-4]-year-old"), ("3 days", "age", "0", "[0] years"),
        ("77 years 3 months", "age", "[70-79]", "[70-79]"), ("53710", "postcode", "537**", "[537**]"),
        ("F", "gender", "female", "[female]"), ("77 years, Ann Lee", "age", "[70-79]", "[70-79]"),
        ("77 years of age", "age", "[70-79]", "[70-79] years of age"), ("77 año x", "age", "[70-79]", "[70-79]"),
    ],
)  # fmt: skip
def test_what_is_written(surface: str, kind: str, label: str, written: str) -> None:
    assert write_value(surface, kind, label) == written
    assert canonical_label(label) == value_in(written)


LABELS = [
    "[70, 80[",
    "]70, 80]",
    "[70, 80]",
    "(70, 80]",
    "70-79",
    "77",
    "70+",
    ">= 70",
    "a] b",
    "[a] b",
    "{a, b}",
    "{a}, b",
]


@pytest.mark.parametrize("surface", ["77", "77 year old", "77-year-old", "77 years of age", "77 y.o."])
def test_labels_of_hierarchies_are_read_as_they_were_written(surface: str) -> None:
    read = [value_in(write_value(surface, "age", label)) for label in LABELS]
    assert read == [canonical_label(label) for label in LABELS]
    assert len(set(read)) == len(LABELS)


@pytest.mark.parametrize("text", ["[70-79] 77", "[70-79] year old Ann", "[male] (man)", "{a, b} a", "[70-79] years 77"])
def test_what_is_next_to_a_shown_value_is_no_part_of_it(text: str) -> None:
    assert value_in(text) not in ("[70-79]", "male", "{a, b}")


def test_a_sensitive_attribute_without_any_value_is_no_one_s() -> None:
    nothing = HeldValues(np.empty(0, np.int64), pa.array([], pa.string()))
    given = IdentifierView(4, {"age": pa.array(["1", "2", "8", "9"])}, (nothing,))
    assert generalize(given, how("k=2,frequency-l=2"))["age"].to_pylist() == ["[0-4]", "[0-4]", "[5-9]", "[5-9]"]


def test_each_of_two_labels_on_one_place_shows_its_own() -> None:
    shown = (LinkedMention(0, 2, "AGE", "[70-79]"), LinkedMention(0, 2, "ROOM", None, "not-quasi"))
    document = Document("d", "77", mentions=shown)
    for given in (document, document._replace(mentions=shown[::-1])):
        assert list(recode(given, [Span(0, 2, "AGE")])) == [Edit(0, 2, "recode", "[70-79]")]
        assert list(recode(given, [Span(0, 2, "ROOM")])) == [SuppressedSpan(0, 2, "not-quasi")]
