"""Tables that are released again: what is written is m-invariant, and states about no one but who is there."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from spark_deid.anonymity.republishing import BEFORE, RepublishedColumns, RepublishedRows, republish
from spark_deid.core.errors import CorpusError
from spark_deid.ontology.hierarchy import ValueHierarchy

TREE = ValueHierarchy((("a", "A"), ("b", "A"), ("c", "C"), ("d", "C")))
COLUMNS = RepublishedColumns(("age", "place"), "disease", "person", {"place": TREE}, b"k" * 32)
Row = tuple[int | None, str, str, int | None, list[str | None] | None]


def table(rows: list[Row]) -> pa.Table:
    ages, places, persons, diseases, before = zip(*sorted(rows, key=lambda row: row[2]), strict=True)
    return pa.table(
        {
            "age": pa.array(ages, pa.int64()),
            "place": pa.array(places, pa.string()),
            "person": pa.array(persons, pa.string()),
            "disease": pa.array(diseases, pa.int64()),
            BEFORE: pa.array(before, pa.list_(pa.string())),
        }
    )


def random_rows(random: np.random.Generator) -> list[Row]:
    rows: list[Row] = []
    for person in range(int(random.integers(8, 40))):
        disease = None if random.random() < 0.1 else int(random.integers(5))
        own = "-" if disease is None else str(disease)
        before: list[str | None] | None = None
        if random.random() < 0.4:
            others = random.choice([value for value in "01234" if value != own], 2, replace=False)
            before = [None if disease is None else own, *map(str, others)]
        for _ in range(random.integers(1, 3)):
            age = None if random.random() < 0.1 else int(random.integers(90))
            rows.append((age, str(random.choice(list("abcd"))), f"p{person:03d}", disease, before))
    return rows


def classes_of(made: RepublishedRows) -> dict[int, list[tuple[str, int | None]]]:
    found = defaultdict(list)
    names = ("class", "person", "disease")
    for number, person, disease in zip(*(made.rows.column(name).to_pylist() for name in names), strict=True):
        found[number].append((person, disease))
    return found


@pytest.mark.parametrize("seed", range(60))
def test_people_of_a_class_differ_and_signatures_remain(seed: int) -> None:
    rows = random_rows(np.random.default_rng(seed))
    made = republish(table(rows), COLUMNS, 2)
    before = {
        person: None if old is None else {None if v is None else int(v) for v in old} for *_, person, _, old in rows
    }
    known = {(person, disease) for _, _, person, disease, _ in rows}
    seen, made_up = set(), 0
    for group in classes_of(made).values():
        values = {value for _, value in group}
        assert len(values) == len({person for person, _ in group}) >= 2
        assert len({*group}) == len(values)
        for person, value in {*group}:
            made_up += (person, value) not in known
            assert person not in seen
            seen.add(person)
            assert before.get(person) in (None, values)
    assert made_up == made.counterfeits
    assert made.suppressed_persons == len(before) - (len(seen) - made_up)
    assert made.rows.num_rows == len(rows) - made.suppressed_rows + made.counterfeits


def test_ranges_end_at_borders_of_a_grid_unless_tight_ones_are_asked_for() -> None:
    rows = random_rows(np.random.default_rng(3))
    ages = {str(age) for age, *_ in rows}
    wide = shown_ages(republish(table(rows), COLUMNS, 2))
    tight = shown_ages(republish(table(rows), replace(COLUMNS, tight=frozenset({"age"})), 2))
    assert all(int(low) % 5 == 0 and int(high) % 5 == 4 for low, high in wide)
    assert {end for ends in tight for end in ends} <= ages
    assert all(
        int(low) <= int(least) and int(most) <= int(high)
        for (low, high), (least, most) in zip(wide, tight, strict=True)
    )


def shown_ages(made: RepublishedRows) -> list[tuple[str, str]]:
    found = dict(zip(made.rows.column("class").to_pylist(), made.rows.column("age").to_pylist(), strict=True))
    texts = (label.removeprefix("{missing, ").strip("[]}") for label in found.values() if label and "-" in label)
    return [(low, high) for low, _, high in (text.partition("-") for text in texts)]


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)


def test_what_classes_show_covers_their_people() -> None:
    people = ((None, "a", "p1", 1), (24, "b", "p2", 2), (60, "c", "p3", 1), (62, "c", "p4", 2))
    made = republish(table([(*each, None) for each in people]), COLUMNS, 2).rows
    shown = set(zip(made.column("age").to_pylist(), made.column("place").to_pylist(), strict=True))
    assert shown == {("{missing, 24}", "A"), ("[60-64]", "c")}


def test_a_counterfeit_looks_like_a_person() -> None:
    made = republish(table([(20, "a", "p1", 1, ["1", "2"])]), COLUMNS, 2)
    assert made.rows.column("disease").to_pylist() == [1, 2]
    assert made.rows.column("age").to_pylist() == ["20", "20"]
    assert made.counterfeits == 1
    assert len(made.rows.column("person")[1].as_py()) == 32


def test_who_holds_two_values_is_left_out() -> None:
    people = ((20, "a", "p1", 1), (21, "a", "p1", 2), (22, "a", "p2", 1), (23, "a", "p3", 2))
    made = republish(table([(*each, None) for each in people]), COLUMNS, 2)
    assert (made.suppressed_persons, made.suppressed_rows, made.classes) == (1, 2, 1)


def test_a_row_without_a_person_is_an_error() -> None:
    with pytest.raises(CorpusError, match="without a person"):
        republish(table([(20, "a", "p1", 1, None)]).set_column(2, "person", pa.array([None], pa.string())), COLUMNS, 2)
